"""explain, diff and report at the prompt: what they print, and how they end."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run

TRUTH = "1 ann,2 ann,3 ann,4 bob,5 bob,6 cy,7 cy,8 dee,9 dee,10 dee,11 dee,12 eve"
OLD = "1 a,2 a,3 b,4 c,5 c,6 c,7 d,8 e,9 e,10 e,11 e,12 f"
NEW = "1 a,2 a,3 a,4 b,5 b,6 b,7 b,8 c,9 c,10 c,11 c,12 c"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in {"truth": TRUTH, "old": OLD, "new": NEW}.items():
        lines = [row.replace(" ", ",") for row in rows.split(",")]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,cluster", *lines]) + "\n")
    (tmp_path / "short.csv").write_text("id,cluster\n1,a\n2,a\n")
    (tmp_path / "docs.csv").write_text("doc,id,gold,run\nd,1,a,a\nd,2,a,b\ne,1,b,c\ne,2,b,c\n")
    (tmp_path / "topics.json").write_text('{"d1": ["a"], "d2": ["a", "b"], "d3": ["b"]}')
    (tmp_path / "tags.json").write_text('{"d1": ["x"], "d2": ["x"], "d3": ["y"]}')
    (tmp_path / "hard.csv").write_text("id,cluster\n1,a\n2,a\n3,b\n")
    (tmp_path / "soft.csv").write_text("id,x,y\n1,1,0\n2,0.6,0.4\n3,0,1\n")
    return tmp_path


@pytest.mark.parametrize("verb", ["explain", "diff", "report"])
def test_help_fits_the_terminal(verb: str) -> None:
    told = run(verb, "--help").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert f"clusterdiff {verb} truth.csv" in told


def test_explain_prints_what_python_prints() -> None:
    ran = run("explain", "truth.csv", "old.csv", "--by", "bcubed_f", "--top", "1")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == cd.explain("truth.csv", "old.csv", "bcubed_f").to_text(80, 1) + "\n"
    assert "1 of cy moved into guess c, with bob (6)" in ran.stdout
    assert "1 more: 1 split" in ran.stdout


def test_explain_as_data() -> None:
    told = json.loads(run("explain", "truth.csv", "old.csv", "-f", "json").stdout)
    assert told["loss"] == pytest.approx(1 - told["score"]["value"], abs=1e-12)
    assert sum(c["loss"] for c in told["components"]) == pytest.approx(told["loss"], abs=1e-12)
    whole = run("explain", "truth.csv", "old.csv", "-f", "csv", "--top", "all", "--objects", "all")
    rows = list(csv.DictReader(io.StringIO(whole.stdout)))
    assert sorted(row["id"] for row in rows) == list("1234567")
    assert run("explain", "truth.csv", "old.csv", "-f", "csv").stdout == whole.stdout
    few = run("explain", "truth.csv", "old.csv", "-f", "csv", "--top", "1", "--objects", "1").stdout
    assert {row["component"] for row in csv.DictReader(io.StringIO(few))} == {"1"}
    assert run("explain", "truth.csv", "old.csv", "-f", "md").stdout.startswith("| share |")
    assert r"\begin{tabular}" in run("explain", "truth.csv", "old.csv", "-f", "latex").stdout


def test_one_object() -> None:
    ran = run("explain", "truth.csv", "old.csv", "--object", "6")
    assert "object 6, truth cy, guess c: both" in ran.stdout
    told = json.loads(run("explain", "truth.csv", "old.csv", "--object", "6", "-f", "json").stdout)
    assert (told["missing"], told["wrong"]) == ([7], [4, 5])
    lost = run("explain", "truth.csv", "old.csv", "--object", "99")
    assert (lost.code, lost.stdout) == (2, "")
    assert "no object has the id '99'" in lost.stderr
    assert run("explain", "truth.csv", "old.csv", "--object", "6", "-f", "csv").code == 2


def test_objects_of_samples() -> None:
    files = ("docs.csv::gold", "docs.csv::run", "--samples", "doc")
    ran = run("explain", *files)
    assert "a over 2 guess clusters, in d, 2 objects" in ran.stdout
    several = run("explain", *files, "--object", "1")
    assert (several.code, "2 samples have an object" in several.stderr) == (2, True)
    assert "truth b, guess c: right" in run(
        "explain", *files, "--object", "1", "--sample", "e"
    ).stdout  # fmt: skip
    assert run("explain", *files, "--sample", "e").code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["truth.csv", "short.csv"], "10 of 12 objects are only in truth"),
        (["truth.csv", "lost.csv"], "File not found: lost.csv"),
        (["truth.csv", "old.csv", "--by", "elm_g"], "did you mean elm_f"),
        (["truth.csv", "old.csv", "--by", "fowlkes_mallows"], "does not decompose"),
        (["truth.csv", "old.csv", "--top", "many"], "--top many is not a number"),
        (["truth.csv", "old.csv", "--objects", "-1"], "--objects -1 is not a number"),
    ],
)
def test_mistakes_are_said_in_a_paragraph(arguments: list[str], said: str) -> None:
    ran = run("explain", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_other_kinds() -> None:
    covers = run("explain", "topics.json", "tags.json", "--kind", "cover")
    assert covers.stdout.startswith("cice_f ")
    assert "lost b" in covers.stdout
    soft = run("explain", "hard.csv", "soft.csv", "--kind", "partition,fuzzy")
    assert soft.stdout.startswith("partition_distance_alpha")
    assert (covers.code, soft.code) == (0, 0)


def test_a_regression_ends_with_1() -> None:
    files = ("diff", "truth.csv", "old.csv", "new.csv", "-m", "elm_f")
    assert run(*files).code == 0
    assert run(*files, "--fail-on-regression", "elm_f").code == 0
    fallen = run(*files, "--fail-on-regression", "bcubed_f")
    assert (fallen.code, fallen.stderr) == (
        1, "clusterdiff: bcubed_f went from 0.845173 to 0.823529.\n",
    )  # fmt: skip
    assert run(*files, "--fail-on-regression", "bcubed_f=0.03").code == 0
    assert run(*files, "--fail-on-regression", "bcubed_f(f='objects')").code == 1
    assert run(*files, "--fail-on-regression", "vi_distance").code == 1
    assert run(*files, "--fail-on-regression", "bcubed_f=lots").code == 2
    swapped = ("diff", "truth.csv", "new.csv", "old.csv", "--fail-on-regression", "vi_distance")
    assert run(*swapped).code == 0


def test_diff_as_data() -> None:
    told = json.loads(run("diff", "truth.csv", "old.csv", "new.csv", "-f", "json").stdout)
    assert told["objects"]["repaired"] == 3
    assert told["scores"]["elm_f"]["change"] == pytest.approx(0.0634920634)
    assert {row["cluster"] for row in told["better"]} == {"ann", "cy"}
    assert run("diff", "truth.csv", "old.csv", "short.csv").code == 2


def test_report_writes_one_file(folder: Path) -> None:
    ran = run("report", "truth.csv", "old.csv", "new.csv", "-o", "page.html")
    assert (ran.code, ran.stdout) == (0, "")
    page = (folder / "page.html").read_text()
    assert "clusterdiff report truth.csv old.csv new.csv -o page.html" in page
    assert "<title>truth.csv against old.csv, new.csv</title>" in page
    assert run("report", "truth.csv", "old.csv", "-o", "-", "--title", "Mine").stdout.startswith(
        "<!doctype html>"
    )
    nowhere = run("report", "truth.csv", "old.csv", "-o", "no/such/page.html")
    assert (nowhere.code, "could not be written" in nowhere.stderr) == (2, True)
    assert run("report", "truth.csv", "old.csv").code == 2


@pytest.mark.parametrize("kind", [("topics.json", "tags.json", "cover"),
                                  ("hard.csv", "soft.csv", "partition,fuzzy")])  # fmt: skip
def test_other_kinds_have_a_page(folder: Path, kind: tuple[str, str, str]) -> None:
    ran = run("report", kind[0], kind[1], "--kind", kind[2], "-o", "page.html")
    assert ran.code == 0, ran.stderr
    assert "Fix these first" in (folder / "page.html").read_text()


def test_what_is_not_installed_is_said_before_anything_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = import_module("clusterdiff.page.page")
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    monkeypatch.delattr(page, "explained")
    ran = run("report", "truth.csv", "old.csv", "-o", "page.html")
    assert (ran.code, ran.stdout) == (2, "")
    assert "the page needs jinja2, which is not installed" in ran.stderr
    assert 'pip install "clusterdiff[report]"' in ran.stderr
