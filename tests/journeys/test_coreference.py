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
