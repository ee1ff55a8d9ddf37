"""`clusterdiff compare --kind cover`, as someone with two files of topics would use it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.runner import run

TRUTH = "id,topic\nd1,jazz\nd2,jazz\nd2,funk\nd3,funk\nd4,\n"
GUESS = '{"d1": ["a"], "d2": ["a"], "d3": ["a", "b"], "d4": ["b"]}'


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("truth.csv").write_text(TRUTH)
    Path("guess.json").write_text(GUESS)
    Path("p.csv").write_text("id,cluster\n1,a\n2,a\n3,b\n")
    Path("q.csv").write_text("id,cluster\n1,a\n2,b\n3,b\n")


def test_a_table_of_scores() -> None:
    ran = run("compare", "truth.csv", "guess.json", "--kind", "cover")
    assert ran.code == 0
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("truth       4 objects in 2 clusters (largest 2, 1 each, 1 in none)")
    assert "guess.json  4 objects in 2 clusters (largest 3, 1.25 each)" in lines
    assert "None of 2 true clusters was found exactly." in lines
    assert [line.split("  ")[1] for line in lines[6:9]] == ["", "extended BCubed", "CICE-BCubed"]
    assert re.fullmatch(
        r"  omega index \S+   average F1 score \S+   overlapping NMI \S+", lines[10]
    )
    assert all(len(line) <= 80 for line in lines)


def test_the_same_through_a_pipe_and_as_json() -> None:
    ran = run("compare", "-", "guess.json", "--kind", "cover", "-f", "json", stdin=TRUTH.encode())
    scores = json.loads(ran.stdout)["guesses"]["guess.json"]
    assert scores["cice_f"]["signature"]["kind"] == "cover"
    plain = json.loads(
        run("compare", "truth.csv", "guess.json", "--kind", "cover", "-f", "json").stdout
    )
    assert plain["guesses"]["guess.json"] == scores


def test_on_partitions_equal_scores_are_said_once() -> None:
    asked = ("-m", "extended_bcubed_f", "-m", "bcubed_f", "-m", "omega")
    for kind in ("cover", "partition"):
        ran = run("compare", "p.csv", "q.csv", "--kind", kind, *asked)
        assert "each object is in one cluster, where extended_bcubed_f is bcubed_f" in (
            ran.stdout.replace("\n  ", " ")
        )
        rows = [line.split()[0] for line in ran.stdout.splitlines() if line.startswith("  ")]
        assert rows.count("bcubed_f") == 1
        assert "extended_bcubed_f" not in rows
        assert "omega" in rows
    both = json.loads(run("compare", "p.csv", "q.csv", *asked, "-f", "json").stdout)
    scores = both["guesses"]["q.csv"]
    assert scores["extended_bcubed_f"]["value"] == pytest.approx(
        scores["bcubed_f"]["value"], abs=1e-12
    )


def test_of_covers_nothing_is_said_of_partitions() -> None:
    assert "each object" not in run("compare", "truth.csv", "guess.json", "--kind", "cover").stdout


def test_hints_can_be_typed() -> None:
    ran = run("compare", "truth.csv", "guess.json")
    assert (ran.code, ran.stdout) == (2, "")
    assert "--kind cover" in ran.stderr
    ran = run("compare", "truth.csv", "guess.json", "--kind", "cover", "-m", "bcubed_f")
    assert ran.code == 2
    assert "3 of 4 objects are in several clusters or in none" in ran.stderr
    assert "extended_bcubed_f compares overlapping" in ran.stderr
    Path("part.json").write_text('{"d1": ["a"]}')
    ran = run("compare", "truth.csv", "part.json", "--kind", "cover")
    assert "3 of 4 objects are only in truth" in ran.stderr
    assert "--align singletons" in ran.stderr
    for align in ("singletons", "shared", "penalise"):
        assert (
            run("compare", "truth.csv", "part.json", "--kind", "cover", "--align", align).code == 0
        )


def test_gates_and_several_guesses() -> None:
    ran = run("compare", "truth.csv", "truth.csv", "guess.json", "--kind", "cover",
              "--fail-under", "cice_f=0.9")  # fmt: skip
    assert ran.code == 1
    assert "guess.json: cice_f is" in ran.stderr
    assert "▲" in ran.stdout


def test_unknown_kinds_are_usage_errors() -> None:
    ran = run("compare", "truth.csv", "guess.json", "--kind", "covers")
    assert ran.code == 2
    assert "did you mean cover?" in ran.stderr


def test_the_catalogue_has_the_overlapping_family() -> None:
    assert "\noverlapping\n" in run("measures").stdout
    about = run("measures", "cice_f").stdout
    assert "Rosales" in about
    entries = json.loads(run("measures", "--json").stdout)["measures"]
    needs = {entry["name"]: entry["needs"] for entry in entries}
    assert needs["omega"] == ["cover"]
    assert needs["element_similarity"] == ["cover", "shapes"]
    assert needs["accuracy"] == ["rows"]
