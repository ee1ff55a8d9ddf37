"""Experiments at the prompt: what is asked, shown, written and refused."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.runner import run
from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.papers.experiments import (
    EXPERIMENTS,
    Exhibit,
    Outcome,
    experiment_named,
    folder_for,
    write,
)
from refusals import refuses

ROWS = "id,cluster\n1,a\n2,a\n3,a\n4,b\n5,c\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text(ROWS)
    return tmp_path


def refused(*arguments: str) -> tuple[str, str]:
    ran = run("reproduce", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    message, _, hint = ran.stderr.strip().partition("\n  Hint: ")
    assert hint
    return message, hint


def test_each_experiment_is_listed_once_with_what_it_shows() -> None:
    output = run("reproduce", "--help").stdout
    for one in EXPERIMENTS:
        assert output.count(f"    {one.paper} {one.name} ") == 1
        assert one.says in output
    assert len({one.name for one in EXPERIMENTS}) == len(EXPERIMENTS)


def test_the_page_of_experiments_has_them_all_and_where_they_are_in_the_paper() -> None:
    docs = Path(__file__).parents[4] / "docs"
    page = (docs / "experiments" / "index.md").read_text(encoding="utf-8")
    for one in EXPERIMENTS:
        assert page.count(f"| [`{one.name}`]({one.name}.md), {one.place} |") == 1
        assert (docs / "experiments" / f"{one.name}.md").is_file()
    assert len(re.findall(r"\| \[`\w+`\]\(\w+\.md\), ", page)) == len(EXPERIMENTS)


def test_an_experiment_of_another_paper_or_of_none() -> None:
    message, hint = refused("cice", "--experiment", "iris")
    assert message == "clusterdiff: iris is an experiment of another paper."
    assert hint == "clusterdiff reproduce soft --experiment iris"
    message, hint = refused("-e", "iri")
    assert "'iri'" in message
    assert hint.startswith("did you mean iris? There are extremes, ")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["cice", "-e", "example", "--data", "truth.csv"], "takes no data"),
        (["cice", "-e", "example", "--id", "x"], "--id says how a file is read"),
        (["cice", "-e", "example", "--text", "x"], "--text says how a file is read"),
        (["cice", "-e", "example", "--values"], "neither a value nor a claim"),
        (["cice", "--out", "here"], "--out is for an experiment"),
        (["cice", "--seed", "0"], "--seed is for an experiment"),
        (["cice", "--data", "truth.csv"], "--data is for an experiment"),
        (["cice", "-e", "example", "--out", "truth.csv"], "cannot be made a folder"),
        (["split-merge", "-e", "worsening", "--data", "none.csv"], "none.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_asked(arguments: list[str], word: str) -> None:
    assert word in refused(*arguments)[0]


@pytest.mark.usefixtures("folder")
def test_the_worsening_of_a_file() -> None:
    ran = run("reproduce", "split-merge", "-e", "worsening", "--data", "truth.csv", "--seed", "3")
    assert (ran.code, ran.stderr) == (0, "")
    assert "truth.csv: 5 objects. 2 splits" in ran.stdout
    assert "(seed 3)" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80
    output = json.loads(
        run("reproduce", "split-merge", "-e", "worsening", "--data", "truth.csv", "--json").stdout
    )
    first, *_ = output["tables"]["worsening"]
    assert (first["measure"], first["first"], first["last"]) == ("split_merge", 1.0, 0.0)
    assert [row["step"] for row in output["tables"]["worsening-steps"]] == [0, 1, 2, 3]


def test_labels_are_settled_before_they_worsen(folder: Path) -> None:
    (folder / "nulls.csv").write_text("id,cluster\n1,a\n2,a\n3,\n4,\n5,b\n6,b\n")
    (folder / "noise.csv").write_text("id,cluster\n1,0\n2,0\n3,-1\n4,-1\n5,-1\n6,1\n")
    (folder / "docs.csv").write_text("doc,id,cluster\na,1,x\na,2,x\nb,1,x\nb,2,y\n")
    asked = ("split-merge", "-e", "worsening", "--data")
    assert "2 of 6 labels in the truth are null" in refused(*asked, "nulls.csv")[0]
    for flags, objects, splits in (
        (["nulls.csv", "--noise", "null"], 6, 2),
        (["noise.csv", "--noise", "-1"], 6, 1),
        (["noise.csv", "--noise", "-1", "--noise-as", "drop"], 3, 1),
        (["docs.csv", "--samples", "doc"], 4, 1),
    ):
        output = " ".join(run("reproduce", *asked, *flags).stdout.split())
        assert f": {objects} objects. {splits} split" in output, flags


def test_labels_that_are_missing_do_not_worsen() -> None:
    from clusterdiff_lab.axioms import worsen

    refuses("truth", worsen, ["a", None, None, "b"])


def test_one_object_has_no_steps(folder: Path) -> None:
    (folder / "one.csv").write_text("id,cluster\n1,a\n")
    output = run("reproduce", "split-merge", "-e", "worsening", "--data", "one.csv").stdout
    assert "there is none" in output


def test_what_would_end_midway_does_not_begin() -> None:
    message, hint = refused("-e", "all", "--data", "truth.csv")
    assert message.startswith("clusterdiff: --data is page streams")
    assert "name one paper" in hint
    assert "standard input can be read once" in refused("elm", "-e", "all", "--data", "-")[0]
    assert "4294967295" in run("reproduce", "soft", "-e", "iris", "--seed", "4294967296").stderr


def test_what_is_done_is_told_before_files_fail(folder: Path) -> None:
    (folder / "here" / "example.svg").mkdir(parents=True)
    ran = run("reproduce", "cice", "-e", "example", "--json", "--out", "here")
    assert ran.code == 2
    assert json.loads(ran.stdout)["tables"]["example"]
    assert "could not be written" in ran.stderr


def test_a_made_up_document_has_as_many_splits_as_the_paper() -> None:
    outcome = experiment_named("worsening").run()
    assert "33 splits" in outcome.notes[0]
    records = {one["measure"]: one for one in outcome.exhibits[0].records}
    assert [m for m, one in records.items() if one["falls at each step"] == "yes"] == [
        "split_merge", "rand", "nmi(norm='max')", "vi_similarity",
    ]  # fmt: skip
    assert [m for m, one in records.items() if one["last"] < 1e-12] == ["split_merge"]


def test_a_long_series_is_scored_at_some_steps() -> None:
    from clusterdiff_lab.axioms import worsen
    from clusterdiff_lab.papers.split_merge.worsening import STEPS, _steps

    series = worsen([0] * 3 * STEPS + list(range(1, 4)))
    steps = _steps(series)
    assert len(steps) <= STEPS + 1
    assert {0, series.splits, len(series) - 1} <= set(steps)
    assert steps == sorted(steps)


def test_files_hold_what_is_shown(folder: Path) -> None:
    ran = run("reproduce", "split-merge", "-e", "worsening", "--data", "truth.csv", "--out", "here")
    assert (ran.code, ran.stderr) == (0, "")
    names = sorted(path.name for path in (folder / "here").iterdir())
    assert names == [
        "worsening-steps.csv", "worsening.csv", "worsening.md", "worsening.png", "worsening.svg",
    ]  # fmt: skip
    assert f"{len(names)} files in here:" in " ".join(ran.stdout.split())
    with (folder / "here" / "worsening-steps.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["split_merge"]) for row in rows][::3] == [1.0, 0.0]
    page = (folder / "here" / "worsening.md").read_text(encoding="utf-8")
    assert "| split\\_merge | S\\_H | 1.0000 |" in page
    assert "](worsening.svg)" in page
    assert (folder / "here" / "worsening.png").read_bytes().startswith(b"\x89PNG")
    drawing = (folder / "here" / "worsening.svg").read_text(encoding="utf-8")
    for word in ("operations: splits, then merges", "score", "van_dongen", "each object alone"):
        assert word in drawing


def test_several_are_done_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterdiff_lab.papers.cice import experiments as perfect

    monkeypatch.setattr(perfect, "OBJECTS", (2, 3))
    output = run("reproduce", "cice", "-e", "all").stdout
    assert output.index("does not\n") < output.index("How often")
    both = json.loads(run("reproduce", "cice", "-e", "example", "-e", "perfect", "--json").stdout)
    assert [next(iter(one["tables"])) for one in both] == ["example", "perfect"]
    page = run("reproduce", "cice", "-e", "example", "--markdown").stdout
    assert page.startswith("# Extended BCubed gives 1")


def test_tables_are_there_if_pictures_fail(tmp_path: Path) -> None:
    from clusterdiff_lab.papers.experiments import Picture

    def fail() -> Any:
        raise ClusterdiffError("no picture.")

    outcome = Outcome("one", (Exhibit.of("t", "T", [{"a": 1}]),), (), (Picture("p", "P", fail),))
    refuses("no picture", write, outcome, "one", folder_for(str(tmp_path / "new")))
    assert (tmp_path / "new" / "t.csv").read_text() == "a\n1\n"
    assert "# one" in (tmp_path / "new" / "one.md").read_text()


@pytest.mark.parametrize("library", ["plotly", "kaleido"])
def test_pictures_are_asked_for_before_the_work(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    refusal = refuses(f"needs {library}.*", folder_for, str(tmp_path / "new"))
    assert 'pip install "clusterdiff[report]"' in str(refusal)
    assert not (tmp_path / "new").exists()
