"""`clusterdiff relabel` and `clusterdiff track` at the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from releases.releases import NEW, OLD


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, one in {"old.csv": OLD, "new.csv": NEW}.items():
        lines = [f"{o},{label},{1 + 4 * (o == 7)}" for o, label in one.items()]
        Path(name).write_text("\n".join(["id,cluster,importance", *lines]) + "\n")


def test_ids_are_kept() -> None:
    ran = run(
        "relabel", "old.csv", "new.csv", "-o", "out.csv", "--table", "ids.csv", "--redirects",
        "gone.csv", "--fail-under", "kept=0.6",
    )  # fmt: skip
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("6 of 9 objects keep their id (66.7 %): 3 ids kept, 2 retired, 2")
    assert Path("out.csv").read_text().splitlines()[:4] == ["id,cluster", "1,a", "2,a", "3,q"]
    assert Path("ids.csv").read_text() == cd.relabel(OLD, NEW).to_csv()
    assert Path("gone.csv").read_text() == "old,id\nc,b\nd,\n"


def test_a_missed_gate() -> None:
    ran = run("relabel", "old.csv", "new.csv", "--fail-under", "kept=0.9")
    assert ran.code == 1
    assert ran.stderr == "clusterdiff: new.csv: kept is 0.666667, below 0.9.\n"
    for wrong, told in (("kept=90", "did you mean kept=0.9?"), ("elm_f=0.9", "e.g. kept=0.9")):
        ran = run("relabel", "old.csv", "new.csv", "--fail-under", wrong)
        assert ran.code == 2
        assert told in ran.stderr


def test_formats() -> None:
    told = json.loads(run("relabel", "old.csv", "new.csv", "-f", "json").stdout)
    assert told["redirects"] == [{"old": "c", "id": "b"}, {"old": "d", "id": None}]
    assert run("relabel", "old.csv", "new.csv", "-f", "csv").stdout.startswith("old,new,id,")
    assert "| old | new |" in run("relabel", "old.csv", "new.csv", "-f", "md").stdout


def test_the_clustering_in_a_pipe() -> None:
    ran = run("relabel", "old.csv", "-", "-o", "-", stdin=Path("new.csv").read_bytes())
    assert ran.code == 0
    assert ran.stdout.splitlines()[:2] == ["id,cluster", "1,a"]
    assert ran.stderr.startswith("6 of 9 objects keep their id")


def test_one_table_goes_to_standard_output() -> None:
    ran = run("relabel", "old.csv", "new.csv", "--redirects", "-")
    assert ran.stdout == "old,id\nc,b\nd,\n"
    assert ran.stderr.startswith("6 of 9 objects keep their id")
    ran = run("track", "old.csv", "new.csv", "--ids", "-")
    assert ran.stdout.startswith("id,first,last,releases,largest,became\n")
    for verb, flags in (("relabel", ["-o", "--table"]), ("track", ["--ids", "--events"])):
        ran = run(verb, "old.csv", "new.csv", flags[0], "-", flags[1], "-")
        assert ran.code == 2
        assert "standard output takes one table" in ran.stderr
    assert not Path("-").exists()


def test_weights_are_a_column_or_a_file() -> None:
    Path("w.csv").write_text("id,weight\n" + "".join(f"{o},{1 + 4 * (o == 7)}\n" for o in NEW))
    for weight in ("importance", "w.csv"):
        ran = run("relabel", "old.csv", "new.csv", "--weight", weight, "-f", "json")
        assert ran.code == 0, ran.stderr
        told = json.loads(ran.stdout)
        assert told["redirects"] == [{"old": "b", "id": "c"}, {"old": "d", "id": None}]
    assert run("relabel", "old.csv", "new.csv", "--weight", "nothing").code == 2


def test_retired_ids_and_history() -> None:
    Path("1.csv").write_text("id,cluster\n1,10\n2,10\n3,20\n4,20\n")
    Path("2.csv").write_text("id,cluster\n1,7\n2,7\n3,7\n4,7\n")
    Path("3.csv").write_text("id,cluster\n1,5\n2,5\n3,6\n4,6\n")
    assert run("relabel", "1.csv", "2.csv", "-o", "2i.csv", "--redirects", "r.csv").code == 0
    assert Path("r.csv").read_text() == "old,id\n20,10\n"
    common = ("relabel", "2i.csv", "3.csv", "--retired", "r.csv")
    assert run(*common, "-o", "3i.csv").code == 0
    assert Path("3i.csv").read_text() == "id,cluster\n1,10\n2,10\n3,21\n4,21\n"
    assert run(*common, "-o", "3r.csv", "--history", "1.csv", "--revive").code == 0
    assert Path("3r.csv").read_text() == "id,cluster\n1,10\n2,10\n3,20\n4,20\n"


def test_track() -> None:
    parts = ("events", "ids", "clusters", "objects")
    written = [part for what in parts for part in (f"--{what}", f"{what}.csv")]
    ran = run("track", "old.csv", "new.csv", "--stray", "0.1", *written)
    assert (ran.code, ran.stderr) == (0, "")
    assert "old.csv → new.csv" in ran.stdout
    story = cd.track({"old.csv": "old.csv", "new.csv": "new.csv"}, stray=0.1)
    for what in parts:
        assert Path(f"{what}.csv").read_text() == story.to_csv(what)
    assert json.loads(run("track", "old.csv", "new.csv", "-f", "json").stdout)["releases"]
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_track_lists_the_largest_events() -> None:
    told = run("track", "old.csv", "new.csv", "--top", "1")
    story = cd.track({"old.csv": "old.csv", "new.csv": "new.csv"})
    assert told.stdout.strip() == story.to_text(80, top=1)
    assert told.stdout != run("track", "old.csv", "new.csv", "--top", "all").stdout
    for format in ("json", "csv", "latex", "md"):
        assert run("track", "old.csv", "new.csv", "--top", "1", "-f", format).code == 0
    ran = run("track", "old.csv", "new.csv", "--top", "few")
    assert "--top few is not a number" in ran.stderr


def test_track_of_columns_and_a_picture() -> None:
    Path("t.csv").write_text("id,run_1,run_2\n1,a,x\n2,a,x\n3,b,y\n")
    ran = run("track", "t.csv::run_*", "--plot", "track.html", "-f", "csv")
    assert ran.code == 0, ran.stderr
    assert "run_1,run_2,2,0" in ran.stdout
    assert Path("track.html").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("relabel nope.csv new.csv", "File not found: nope.csv"),
        ("relabel old.csv new.csv -o old.csv", "old.csv is read and would be overwritten"),
        ("relabel old.csv new.csv -o out.txt", "name the file .csv, .tsv or .parquet"),
        ("relabel old.csv new.csv --retired nope.csv", "File not found: nope.csv"),
        ("relabel old.csv new.csv --revive", "--history"),
        ("relabel old.csv new.csv --min-share 2", "min_share is a share from 0 to below 1"),
        ("track old.csv", "a track follows at least two clusterings, got 1"),
        ("track old.csv new.csv --stray 1.5", "stray is a share from 0 to below 1, got 1.5"),
        ("track old.csv new.csv --plot a.txt", "a picture cannot be written as a.txt"),
        ("track old.csv new.csv --ids old.csv", "old.csv is read and would be overwritten"),
    ],
)
def test_what_is_refused(arguments: str, told: str) -> None:
    before = Path("old.csv").read_text()
    ran = run(*arguments.split())
    assert ran.code == 2
    assert told in ran.stderr
    assert Path("old.csv").read_text() == before
    assert not Path("out.txt").exists()
