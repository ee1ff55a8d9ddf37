"""Files without degrees that are to be uncertain clusterings: what they were taken for is said."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run

LABELS = {"1": "x", "2": "x", "3": "y"}
FORMATS = {
    "csv": "id,cluster\n1,x\n2,x\n3,y\n",
    "json": json.dumps(LABELS),
    "jsonl": '{"id": 1, "cluster": "x"}\n{"id": 2, "cluster": "y"}\n',
    "labels": "x\nx\ny\n",
    "clusters": "1 2\n3\n",
}
FUZZY = "id,cluster,degree\n1,x,0.75\n1,y,0.25\n2,x,1\n3,y,1\n"
GRADED = ("fuzzy", "possibilistic", "evidential")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for ending, text in FORMATS.items():
        for side in ("a", "b"):
            (tmp_path / f"{side}.{ending}").write_text(text)
    (tmp_path / "graded.csv").write_text(FUZZY)
    monkeypatch.chdir(tmp_path)


def note(name: str, kind: str = "fuzzy") -> str:
    return f"{name}: no {kind} degrees, so it is compared as a partition"


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("ending", FORMATS)
def test_the_header_says_so_of_every_format(ending: str, engine: str) -> None:
    command = ("compare", f"a.{ending}", f"b.{ending}", "-m", "elm_f", "--engine", engine)
    plain, asked = run(*command).stdout, run(*command, "--kind", "fuzzy").stdout
    head, _, table = plain.partition("\n\n")
    assert asked == "\n".join([head, note("truth"), note(f"b.{ending}"), "", table])


@pytest.mark.parametrize("kind", GRADED)
def test_json_says_so(kind: str) -> None:
    ran = run("compare", "a.csv", "b.csv", "-m", "elm_f", "--kind", kind, "-f", "json")
    assert json.loads(ran.stdout)["taken_for"] == {
        "truth": "partition",
        "guesses": {"b.csv": "partition"},
    }


def test_a_side_with_degrees_is_what_it_was_asked_for() -> None:
    command = ("compare", "a.csv", "graded.csv", "-m", "rand_alpha")
    both = run(*command, "--kind", "fuzzy")
    assert note("truth") in both.stdout
    assert note("graded.csv") not in both.stdout
    told = json.loads(run(*command, "--kind", "fuzzy", "-f", "json").stdout)
    assert told["taken_for"] == {"truth": "partition", "guesses": {"graded.csv": None}}
    said = run(*command, "--kind", "partition,fuzzy")
    assert "degrees" not in said.stdout
    assert "taken_for" not in json.loads(
        run(*command, "--kind", "partition,fuzzy", "-f", "json").stdout
    )


def test_explanations_and_pages_say_so_too() -> None:
    told = run("explain", "a.csv", "b.csv", "--kind", "fuzzy")
    assert f"{note('truth')}.\n{note('guess')}.\n" in told.stdout
    found = json.loads(run("explain", "a.csv", "b.csv", "--kind", "fuzzy", "-f", "json").stdout)
    assert found["taken_for"] == {"truth": "partition", "guesses": {"guess": "partition"}}
    page = run("report", "a.csv", "b.csv", "-m", "elm_f", "--kind", "fuzzy", "-o", "-")
    assert note("b.csv") in page.stdout


def test_samples_change_nothing_of_it() -> None:
    samples = {1: "s", 2: "s", 3: "t"}
    frame = pd.DataFrame({"id": [1, 2, 3], "cluster": list("xxy")})
    for given in (frame, "a.csv"):
        report = cd.compare(given, {"run": given}, "elm_f", kind="fuzzy", samples=samples)
        assert note("truth") in str(report)
        assert note("run") in str(report)
