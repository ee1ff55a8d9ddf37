"""Coreference: novels of LitBank as samples, from a table and as CoNLL-2012 files."""

from __future__ import annotations

import gzip
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from oracles import ORACLES

NOVELS = DATA / "coref_litbank.csv"
pytestmark = pytest.mark.skipif(not NOVELS.exists(), reason="the data sets are not here")
SMALLEST = 4
Document = tuple[dict[str, str], dict[str, str]]


@pytest.fixture(scope="module")
def novels() -> dict[str, Document]:
    """The novels with the fewest mentions, as gold and baseline by span."""
    import pandas as pd

    table = pd.read_csv(NOVELS, dtype=str)
    table["id"] = table["start"] + "-" + table["end"]
    chosen = table["doc"].value_counts(sort=True, ascending=True).index[:SMALLEST]
    found = {}
    for name in sorted(chosen):
        own = table[table["doc"] == name]
        assert own["id"].is_unique
        found[name] = (
            dict(zip(own["id"], own["gold"], strict=True)),
            dict(zip(own["id"], own["same_string"], strict=True)),
        )
    return found


def without_singletons(chains: dict[str, str]) -> dict[str, str]:
    """As systems write them that mark no singletons."""
    sizes: dict[str, int] = defaultdict(int)
    for chain in chains.values():
        sizes[chain] += 1
    return {span: chain for span, chain in chains.items() if sizes[chain] > 1}


def conll(documents: dict[str, dict[str, str]]) -> str:
    """Documents as CoNLL-2012, a token per line."""
    lines = []
    for name, chains in documents.items():
        marks: dict[int, list[str]] = defaultdict(list)
        spans = [(int(s.split("-")[0]), int(s.split("-")[1]), c) for s, c in chains.items()]
        for start, end, chain in spans:
            if start == end:
                marks[start].append(f"({chain})")
            else:
                marks[start].append(f"({chain}")
                marks[end].append(f"{chain})")
        lines.append(f"#begin document ({name}); part 000")
        last = max(end for _, end, _ in spans)
        lines += [f"{name}\t0\t{i}\tword\t{'|'.join(marks[i]) or '-'}" for i in range(last + 1)]
        lines.append("#end document")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("verb", ["compare", "diff"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_novels_as_samples(
    novels: dict[str, Document], verb: str, engine: str, tmp_path: Path
) -> None:
    for place, name in enumerate(("gold", "run")):
        rows = [
            f"{doc},{span},{chains[span]}"
            for doc, both in novels.items()
            for chains in [both[place]]
            for span in chains
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["doc,id,cluster", *rows]) + "\n")
    gold, found = str(tmp_path / "gold.csv"), str(tmp_path / "run.csv")
    files = (gold, found) if verb == "compare" else (gold, gold, found)
    ran = run(
        verb, *files, "--samples", "doc", "-m", "elm_f", "-f", "json", "--engine", engine,
        "--id", "id",
    )  # fmt: skip
    assert ran.code == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    score = told["guesses"]["run.csv"] if verb == "compare" else told["scores"]
    shown = score["elm_f"] if verb == "compare" else score["elm_f"]["new"]
    each = [float(ORACLES["elm_f"](*both)) for both in novels.values()]
    assert shown["value"] == pytest.approx(math.fsum(each) / len(each), abs=1e-12)


def test_one_rule_for_gates_with_samples(novels: dict[str, Document], tmp_path: Path) -> None:
    """Both gates look at the mean over samples, and say so."""
    (tmp_path / "gold.conll").write_text(conll({d: both[0] for d, both in novels.items()}))
    (tmp_path / "run.conll").write_text(conll({d: both[1] for d, both in novels.items()}))
    gold, found = str(tmp_path / "gold.conll"), str(tmp_path / "run.conll")
    each = [float(ORACLES["elm_f"](*both)) for both in novels.values()]
    mean = math.fsum(each) / len(each)
    near = [f"elm_f={mean + shift}" for shift in (-1e-9, 1e-9)]
    assert run("compare", gold, found, "--fail-under", near[0]).code == 0
    missed = run("compare", gold, found, "--fail-under", near[1])
    assert missed.code == 1
    assert "mean" in missed.stderr
    assert f"{len(each)} samples" in missed.stderr
    fell = run("diff", gold, gold, found, "--fail-on-regression", f"elm_f={1 - mean - 1e-9}")
    assert fell.code == 1
    assert "mean" in fell.stderr
    assert (
        run("diff", gold, gold, found, "--fail-on-regression", f"elm_f={1 - mean + 1e-9}").code == 0
    )


def test_mentions_on_one_side_only_earn_nothing(
    novels: dict[str, Document], tmp_path: Path
) -> None:
    """A system without singletons against gold with them, as the reference scorer counts."""
    gold = {doc: both[0] for doc, both in novels.items()}
    system = {doc: without_singletons(both[1]) for doc, both in novels.items()}
    (tmp_path / "gold.conll").write_text(conll(gold))
    (tmp_path / "system.conll").write_text(conll(system))
    files = (str(tmp_path / "gold.conll"), str(tmp_path / "system.conll"))
    measures = ("bcubed_precision", "bcubed_recall", "muc_f")
    flags = [flag for m in measures for flag in ("-m", m)]
    ran = run("compare", *files, "--align", "penalise", "-f", "json", *flags)
    assert ran.code == 0, ran.stderr
    shown = json.loads(ran.stdout)["guesses"]["system.conll"]
    for measure in measures:
        each = [float(ORACLES[measure](gold[doc], system[doc])) for doc in novels]
        assert shown[measure]["value"] == pytest.approx(math.fsum(each) / len(each), abs=1e-12)
    for verb in ("explain", "report"):
        out = ["-o", str(tmp_path / "page.html")] if verb == "report" else []
        ran = run(verb, *files, "--align", "penalise", "--by", "bcubed_f", *out)
        assert ran.code == 0, ran.stderr


def corefud(name: str, chains: dict[str, str]) -> str:
    """A document as CorefUD, one sentence."""
    opening: dict[int, list[str]] = defaultdict(list)
    closing: dict[int, list[str]] = defaultdict(list)
    spans = [(int(s.split("-")[0]), int(s.split("-")[1]), c) for s, c in chains.items()]
    for start, end, chain in sorted(spans, key=lambda one: (one[0], -one[1])):
        opening[start].append(f"(e{chain}-x-1" + (")" if start == end else ""))
        if start < end:
            closing[end].append(f"e{chain})")
    lines = ["# global.Entity = eid-etype-head", f"# newdoc id = {name}"]
    for i in range(max(end for _, end, _ in spans) + 1):
        marks = "".join([*closing[i], *opening[i]])
        lines.append("\t".join([str(i + 1), *["_"] * 8, f"Entity={marks}" if marks else "_"]))
    return "\n".join(lines) + "\n\n"


@pytest.mark.parametrize("ending", [".conll", ".conllu"])
def test_a_key_folder_against_a_response_folder(
    novels: dict[str, Document], ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders give what one file with all documents gives; the paper's table has those numbers."""
    monkeypatch.chdir(tmp_path)
    for place, side in enumerate(("key", "system")):
        Path(side).mkdir()
        for k, (doc, both) in enumerate(novels.items()):
            text = conll({doc: both[place]}) if ending == ".conll" else corefud(doc, both[place])
            if k % 2 == place:
                Path(side, f"{doc}{ending}").write_text(text)
            else:
                Path(side, f"{doc}{ending}.gz").write_bytes(gzip.compress(text.encode()))
        whole = conll({doc: both[place] for doc, both in novels.items()})
        Path(f"{side}.conll").write_text(whole)
    measures = ["muc", "bcubed", "ceaf_e", "conll", "lea"]
    folders = cd.compare("key/", "system/", measures, align="penalise")
    files = cd.compare("key.conll", "system.conll", measures, align="penalise")
    each = {doc: float(ORACLES["muc_f"](*both)) for doc, both in novels.items()}
    for measure in files:
        assert folders[measure].micro == files[measure].micro
        assert sorted(folders[measure].each) == sorted(files[measure].each)
    for doc, found in zip(folders.samples, folders["muc_f"].each, strict=True):
        name = doc.removeprefix("(").partition(")")[0]
        assert found == pytest.approx(each[name], abs=1e-12)
    latex = folders.to_latex(style="paper")
    assert f" {100 * files['conll'].micro:.1f} &" in latex
    Path("system", sorted(p.name for p in Path("system").iterdir())[0]).unlink()
    ran = run("compare", "key", "system")
    assert ran.code == 2
    assert "1 in truth alone" in " ".join(ran.stderr.split())


@pytest.fixture
def corpus(
    novels: dict[str, Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Document]:
    """A folder of keys as the shared task has them, and one of responses below each other."""
    monkeypatch.chdir(tmp_path)
    found = {f"nw/{name}": document for name, document in novels.items()}
    for name, (gold, same) in found.items():
        for file, chains in (
            (Path("key") / f"{name}.v4_gold_conll", gold),
            (Path("response/run 1") / f"{name}.v4_auto_conll", same),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(conll({name: chains}))
    return found


def scored(*args: str) -> dict[str, Any]:
    ran = run("compare", *args, "-m", "conll,lea_f", "--align", "penalise", "-f", "json")
    assert ran.code == 0, ran.stderr
    found: dict[str, Any] = next(iter(json.loads(ran.stdout)["guesses"].values()))
    return {name: score["micro"] for name, score in found.items()}


def test_the_first_tries_of_a_newcomer(corpus: dict[str, Document]) -> None:
    """Folders one below the other, mixed with gzip, by patterns in quotes and without."""
    sides = (
        {(name, span): (name, c) for name, both in corpus.items() for span, c in both[i].items()}
        for i in (0, 1)
    )
    found = scored("key", "response")
    assert found["lea_f"] == pytest.approx(cd.lea_f(*sides))
    files = (
        str(file) for side in ("key", "response") for file in sorted(Path(side).rglob("*_conll"))
    )
    ran = run("compare", *files, "--align", "penalise")
    assert ran.code == 2
    assert "two patterns that the shell has expanded" in " ".join(ran.stderr.split())
    first = next(iter(Path("response").rglob("*_conll")))
    Path(f"{first}.gz").write_bytes(gzip.compress(first.read_bytes()))
    first.unlink()
    Path("key/README.md").write_text("# The corpus\n")
    assert scored("key/", "response/run 1/nw") == found
    assert scored("key/**/*_conll", "response/run ?/nw/*") == found


def test_what_goes_wrong_with_folders_is_said_with_names(corpus: dict[str, Document]) -> None:
    def told(*args: str) -> str:
        ran = run("compare", *args)
        assert ran.code == 2, ran.stdout
        assert "Traceback" not in ran.stderr
        return " ".join(ran.stderr.split())

    responses = sorted(Path("response").rglob("*_conll"))
    Path("other/nw").mkdir(parents=True)
    Path("other/nw/x.conll").write_text(conll({"nw/x": {"0-0": "1", "1-1": "1"}}))
    for align in ("exact", "shared", "penalise", "singletons"):
        wrong = told("key", "other", "--align", align)
        assert f"truth has {SMALLEST} documents" in wrong
        assert "guess has 1 document ((nw/x); part 000), and none is in both" in wrong
    Path("none").mkdir()
    assert "none is a directory without tables or documents (no files)" in told("key", "none")
    Path("none/notes.txt").write_text("x")
    assert "without tables or documents (1 .txt)" in told("key", "none")
    assert "did you mean response?" in told("key", "respnse")
    assert "nothing fits the pattern key/*.gold" in told("key/*.gold", "response")

    text = responses[0].read_text()
    responses[0].write_text("")
    empty = told("key", "response")
    assert f"1 of the files holds no document: {responses[0]}" in empty
    ran = run("compare", "key", "response", "--align", "penalise", "-m", "lea_f")
    assert f"response: 1 file holds no document: {responses[0]}" in " ".join(ran.stdout.split())
    responses[0].unlink()
    name = next(iter(corpus))
    assert f"1 in truth alone (({name}); part 000), 0 in guess alone" in told("key", "response")

    cut = Path(f"{responses[0]}.gz")
    cut.write_bytes(gzip.compress(text.encode())[:200])
    assert f"{cut} could not be read" in told("key", "response")
    cut.unlink()
    responses[0].write_text("".join(text.rpartition(")")[::2]))
    broken = told("key", "response")
    assert f"{responses[0]} could not be read" in broken
    assert "never closed" in broken
    responses[0].rename(responses[0].with_suffix(".conllu"))
    assert "name those of one format, e.g. 'response/**/*.conllu'" in told("key", "response")


def test_the_table_of_a_paper(corpus: dict[str, Document]) -> None:
    """Systems as rows, times 100, chosen columns, the best in bold, and a mark with intervals."""
    args = ["compare", "key", "response", "key", "--align", "penalise", "-f", "latex-paper"]
    ran = run(*args, "-m", "muc,lea_f")
    assert ran.code == 0, ran.stderr
    rows = [
        line.split(" & ") for line in ran.stdout.split("\n") if line.startswith(("resp", "key"))
    ]
    assert [len(row) for row in rows] == [5, 5]
    want = scored("key", "response")["lea_f"]
    assert rows[0][-1].split(" ")[0] == f"{100 * want:.1f}"
    assert rows[1][-1].startswith(r"\textbf{100.0}")
    assert "dagger" not in ran.stdout
    few = run(*args, "-m", "lea_f", "--confidence", "95")
    assert few.code == 0, few.stderr
    for k in range(3 * SMALLEST):
        for side in ("key", "response/run 1"):
            chains = {"0-0": "1", "1-1": "1", "2-2": "2", "3-3": "2" if side == "key" else "1"}
            Path(side, f"nw/x{k}.conll").write_text(conll({f"nw/x{k}": chains}))
    ran = run(*args, "-m", "lea_f", "--confidence", "95")
    best = next(line for line in ran.stdout.split("\n") if line.startswith("key &"))
    assert r"\textbf{100.0}" in best
    assert "dagger" in best


SCORED = {
    "conll": {  # numerators and denominators of recall, then of precision, over twelve novels
        "muc": (1045, 1670, 1045, 1279), "bcubed": (606.15927894452113, 2480, 1175.7211653985439,
        1548), "ceaf_m": (743, 2480, 743, 1548), "ceaf_e": (107.80045424638229, 810,
        107.80045424638229, 269), "blanc": (8469, 34258, 8469, 10520, 73243, 225081, 73243, 94107),
        "mentions": (1548, 2480, 1548, 1548),
    },
    "conll(singletons=drop)": {
        "muc": (1045, 1670, 1045, 1279), "bcubed": (508.15927894452108, 1911, 1147.9785183397203,
        1548), "ceaf_m": (711, 1911, 711, 1548), "ceaf_e": (90.084581230509272, 241,
        90.084581230509272, 269), "blanc": (8469, 34258, 8469, 10520, 59969, 120448, 59969, 94107),
        "mentions": (1450, 1911, 1450, 1548),
    },
}  # fmt: skip
"""What scorer.pl 8.01 gives of the twelve novels with the fewest mentions: gold against the
baseline without its singletons; then with those of gold left out too.
"""


def rates(numbers: tuple[float, ...]) -> list[float]:
    """Recall, precision and F; of several sorts of links their means."""
    sorts = []
    for k in range(0, len(numbers), 4):
        r, p = numbers[k] / numbers[k + 1], numbers[k + 2] / numbers[k + 3]
        sorts.append((r, p, 2 * p * r / (p + r)))
    return [sum(column) / len(sorts) for column in zip(*sorts, strict=True)]


@pytest.mark.parametrize("form", SCORED)
def test_twelve_novels_score_as_in_the_reference_scorer(form: str, tmp_path: Path) -> None:
    import pandas as pd

    table = pd.read_csv(NOVELS, dtype=str)
    mentions = table.groupby("doc").size().reset_index(name="n").sort_values(["n", "doc"])
    sides: list[dict[str, dict[str, str]]] = [{}, {}]
    for name in mentions["doc"][:12]:
        own = table[table["doc"] == name]
        spans = own["start"] + "-" + own["end"]
        strings = pd.Series(pd.factorize(own["same_string"])[0]).astype(str)
        sides[0][name] = dict(zip(spans, own["gold"], strict=True))
        sides[1][name] = without_singletons(dict(zip(spans, strings, strict=True)))
    files = [str(tmp_path / "gold.conll"), str(tmp_path / "system.conll")]
    for file, side in zip(files, sides, strict=True):
        Path(file).write_text(conll(side))
    families = [name for name in SCORED[form] if name != "mentions"]
    ran = run(
        "compare", *files, "--as", form, "--compat", "conll", "-m", ",".join(families), "-f", "json"
    )
    assert ran.code == 0, ran.stderr
    shown = json.loads(ran.stdout)["guesses"]["system.conll"]
    by_name = {text.partition("(")[0]: score for text, score in shown.items()}
    key, response = (cd.read(file, as_=form) for file in files)
    report = cd.compare(key, response, families, compat="conll")
    for family in families:
        wanted = rates(SCORED[form][family])
        parts = [f"{family}_{part}" for part in ("recall", "precision", "f")]
        assert [by_name[part]["micro"] for part in parts] == pytest.approx(wanted, abs=1e-12)
        assert [report[part].micro for part in parts] == pytest.approx(wanted, abs=1e-12)
    recall, precision, f = rates(SCORED[form]["mentions"])
    assert report["muc_f"].detection == pytest.approx((precision, recall, f), abs=1e-12)
    header = " ".join(run("compare", *files, "--as", form, "--compat", "conll").stdout.split())
    told = "detection P {:.2f}, R {:.2f}, F {:.2f}"
    assert told.format(*(100 * x for x in (precision, recall, f))) in header
    assert ("singletons were dropped" in header) is ("drop" in form)
    assert (f"read:{form}|" in report["muc_f"].sign()) is ("drop" in form)
