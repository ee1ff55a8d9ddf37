"""`clusterdiff axioms` and `measures --markdown` at the prompt."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from cli.runner import run
from clusterdiff_lab.axioms.conditions import GROUPS
from clusterdiff_lab.catalogue.pages import conditions

ROOT = Path(__file__).parents[3]
QUICK = ("--larger", "0", "--objects", "4", "--jobs", "1")

OWN = '''
"""Functions of two lists of labels."""

from clusterdiff import elm_precision


def swapped(truth, guess):
    return elm_precision(guess, truth)


def constant(truth, guess):
    return 1


def nothing(truth, guess):
    return None


def broken(truth, guess):
    return 1 / (len(set(guess)) - 1)


class Scores:
    @staticmethod
    def far(truth, guess):
        pairs = [(i, j) for i in range(len(truth)) for j in range(i)]
        return sum((truth[i] == truth[j]) != (guess[i] == guess[j]) for i, j in pairs)


number = 7
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    name = f"measures_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(OWN)
    return name


def test_one_measure_is_told_with_counterexamples_that_can_be_pasted() -> None:
    ran = run("axioms", "rand", "-c", "join_decomposition", "-c", "completeness", *QUICK)
    assert (ran.code, ran.stderr) == (0, "")
    assert "✗ join_decomposition" in ran.stdout
    assert "✓ completeness" in ran.stdout
    assert "truth 12|3  guess 1|2|3" in ran.stdout
    assert "clusterdiff compare '12|3' '1|2|3' -m rand" in ran.stdout
    assert "2 conditions: 1 holds, 0 with ties, 1 fails." in ran.stdout


def test_several_measures_are_a_table_with_marks_and_counts() -> None:
    ran = run("axioms", "elm_f", "rand", "-c", "extremes", "-c", "join_decomposition", *QUICK)
    lines = ran.stdout.splitlines()
    assert lines[0].split() == ["a", "b", "✓", "=", "✗"]
    assert lines[1].split() == ["elm_f", "✓", "✓", "2", "0", "0"]
    assert lines[2].split() == ["rand", "✓", "✗", "1", "0", "1"]
    assert "2 measures, 2 conditions" in ran.stdout


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_only_commands_are_wider_than_the_terminal(columns: int) -> None:
    single = run("axioms", "rand", *QUICK, columns=columns)
    table = run("axioms", "rand", "accuracy", *QUICK, columns=columns)
    listed = run("axioms", "--list", columns=columns)
    lines = [line for ran in (single, table, listed) for line in ran.stdout.splitlines()]
    wide = [line for line in lines if len(line) > columns]
    assert all(line.startswith("      clusterdiff compare") for line in wide)
    assert not any("\x1b" in line for line in lines)


def test_several_processes_give_what_one_gives() -> None:
    asked = ("axioms", "rand", "elm_f", "-c", "symmetry", "-c", "padding", "--larger", "5")
    assert run(*asked, "--jobs", "2").stdout == run(*asked, "--jobs", "1").stdout


def test_json_and_csv_have_everything() -> None:
    asked = ("axioms", "rand", "-c", "padding", "-c", "symmetry", "-c", "cover_match", *QUICK)
    records = json.loads(run(*asked, "-f", "json").stdout)["verdicts"]
    assert [r["outcome"] for r in records] == ["fails", "holds", "does not apply"]
    first = records[0]
    assert first["counterexample"] == {"truth": "12", "guess": "1|2"}
    assert first["values"] == {"score": "0", "other": "2/3"}
    assert first["objects"] == 2
    assert first["tried"] > first["against"] > 0
    rows = list(csv.DictReader(io.StringIO(run(*asked, "-f", "csv").stdout)))
    assert [row["outcome"] for row in rows] == ["fails", "holds", "does not apply"]
    assert json.loads(rows[0]["counterexample"]) == first["counterexample"]


def test_markdown_has_marks_and_what_they_are_of() -> None:
    text = run("axioms", "rand", "elm_f", "-c", "padding", "-c", "extremes", *QUICK, "-f", "md")
    assert "| measure | a | b |" in text.stdout
    assert "| rand | ✗ | ✓ |" in text.stdout
    assert r"truth 12 guess 1\|2; score 0, other 2/3" in text.stdout


def test_counterexamples_are_written_as_files_that_compare_reads(tmp_path: Path) -> None:
    asked = ("-c", "rag_bag", "-c", "cover_completeness", "--export", str(tmp_path))
    ran = run("axioms", "cice_f", *asked, "--larger", "0")
    assert "6 files written" in ran.stderr
    ran = run("axioms", "cice_f", *asked[:4], "--larger", "0", "-f", "json")
    records = json.loads(ran.stdout)["verdicts"]
    for record, kind in zip(records, ("partition", "cover"), strict=True):
        folder = tmp_path / "cice_f" / record["condition"]
        for part in ("worse", "better"):
            sides = [str(folder / f"{name}.csv") for name in ("truth", part)]
            found = cd.compare(sides[0], sides[1], "cice_f", kind=kind)["cice_f"].value
            assert found == pytest.approx(float(record["values"][part]))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run("axioms", "rand", "-c", "padding", "--export", str(tmp_path / "file"), *QUICK)
    assert ran.code == 2
    assert "could not be written" in ran.stderr


def test_a_function_of_ones_own_is_tried(own: str) -> None:
    ran = run("axioms", "--measure", f"{own}:swapped", "-c", "homogeneity", *QUICK)
    assert ran.code == 0
    assert "= homogeneity" in ran.stdout
    assert "swapped([0, 1], [0, 0]); swapped([0, 1], [0, 1])" in ran.stdout
    constant = run("axioms", "--measure", f"{own}:constant", "-c", "perfect_match", *QUICK)
    assert "✗ perfect_match" in constant.stdout
    asked = ("-c", "triangle", "-c", "completeness")
    far = run("axioms", "--measure", f"{own}:Scores.far", *asked, *QUICK)
    assert "✓ triangle" in far.stdout
    assert "✓ completeness" in far.stdout


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("nothing", "gives None for truth"),
        ("broken", "ZeroDivisionError"),
        ("number", "is not a function"),
        ("missing", "has no missing"),
    ],
)
def test_a_function_that_is_none_is_told(own: str, function: str, said: str) -> None:
    ran = run("axioms", "--measure", f"{own}:{function}", *QUICK)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Hint" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measure", "no_such_module:f"], "could not be imported"),
        (["--measure", "json"], "names no function"),
        (["elm_g"], "did you mean elm_f"),
        (["elm_f", "-c", "homogenity"], "did you mean homogeneity"),
    ],
)
def test_names_that_are_wrong_are_told(arguments: list[str], said: str) -> None:
    ran = run("axioms", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert said in ran.stderr


@pytest.mark.parametrize("text", ["def f(:", "raise RuntimeError('no')", "1 / 0"])
def test_a_module_that_ends_with_an_error_is_told(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"broken_{abs(hash(text))}"
    (tmp_path / f"{name}.py").write_text(text)
    ran = run("axioms", "--measure", f"{name}:f")
    assert (ran.code, ran.stdout) == (2, "")
    assert f"{name} ends with an error" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_list_has_every_condition_in_a_group() -> None:
    text = run("axioms", "--list").stdout
    assert all(one.name in text for one in lab.axioms())
    assert {one.group for one in lab.axioms()} == set(GROUPS)


def test_pages_of_measures_have_the_row_that_is_found() -> None:
    for name in ("elm_f", "van_dongen"):
        page = (ROOT / "docs" / "measures" / f"{name}.md").read_text(encoding="utf-8")
        assert conditions(lab.laboratory(name, climb=20)[name]) in page


def test_measures_as_markdown_are_a_table_of_all() -> None:
    output = run("measures", "--markdown").stdout
    assert output.startswith("# Measures\n")
    assert "| [`adjusted_rand`](adjusted_rand.md) | Adjusted Rand index (ARI): " in output


def test_the_table_in_the_docs_has_the_marks_that_are_found() -> None:
    page = (ROOT / "docs" / "conditions.md").read_text(encoding="utf-8")
    row = lab.laboratory("accuracy", climb=20)["accuracy"]
    marks = " | ".join(verdict.mark for verdict in row.values())
    assert f"| accuracy | {marks} |" in page
