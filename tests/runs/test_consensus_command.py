"""`clusterdiff consensus` at the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

RUNS = {
    "a.csv": "id,cluster\n1,x\n2,x\n3,y\n4,z\n5,z\n",
    "b.csv": "id,cluster\n5,q\n4,q\n3,q\n2,p\n1,p\n",
    "c.csv": "id,cluster\n1,u\n2,v\n3,v\n4,w\n5,w\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in RUNS.items():
        Path(name).write_text(text)
    Path("table.csv").write_text("id,run_a,run_b,size\n1,x,p,9\n2,x,p,9\n3,y,q,8\n")
    return tmp_path


def test_it_prints_cost_bound_and_distances() -> None:
    ran = run("consensus", *RUNS)
    assert ran.code == 0
    assert ran.stderr == "The consensus was not written to a file; -o consensus.csv writes it.\n"
    assert "3 runs of 5 objects, 4 profiles" in ran.stdout
    assert "cost 8, the least that any partition has (proved)" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80
    rows = [line.split() for line in ran.stdout.splitlines() if ".csv " in line]
    assert [(row[0], row[-1]) for row in rows[:3]] == [
        ("a.csv", "0"),
        ("b.csv", "4"),
        ("c.csv", "4"),
    ]


def test_it_writes_the_clustering_and_the_support() -> None:
    ran = run("consensus", *RUNS, "-o", "out.csv", "--support", "support.csv")
    assert ran.code == 0
    assert ran.stderr.splitlines() == [
        "out.csv: 5 objects in 3 clusters",
        "support.csv: 5 objects",
    ]
    assert Path("out.csv").read_text() == "id,cluster\n1,1\n2,1\n3,3\n4,4\n5,4\n"
    assert Path("support.csv").read_text().splitlines()[0] == "id,cluster,support"
    assert run("consensus", *RUNS, "-o", "-").stdout == Path("out.csv").read_text()
    run("consensus", *RUNS, "-o", "out.parquet")
    assert cd.elm_f("out.csv", "out.parquet") == 1


def test_json_weights_and_the_other_distance() -> None:
    ran = run("consensus", *RUNS, "--by", "VI", "--weight", "c.csv=5", "-f", "json")
    found = json.loads(ran.stdout)
    assert (found["by"], found["medoid"]) == ("vi_distance", "c.csv")
    assert [one["weight"] for one in found["runs"]] == [1, 1, 5]
    assert found["certain"] is True


def test_columns_of_a_table() -> None:
    ran = run("consensus", "table.csv::run_*", "-f", "csv")
    assert [line.split(",")[0] for line in ran.stdout.splitlines()] == ["run", "run_a", "run_b"]


def test_a_pipe_and_a_picture() -> None:
    ran = run("consensus", "a.csv", "b.csv", "-", stdin=RUNS["c.csv"].encode())
    assert "cost 8," in ran.stdout
    assert run("consensus", *RUNS, "--plot", "runs.html").stderr.splitlines() == ["runs.html"]
    assert "plotly" in Path("runs.html").read_text()


def partial_files() -> list[str]:
    """Two reviewers of some objects each, and a table with an empty cell for every other object."""
    Path("x.csv").write_text("id,cluster\n1,p\n2,p\n3,q\n")
    Path("y.csv").write_text("id,cluster\n3,p\n4,p\n5,q\n")
    Path("both.csv").write_text("id,rev_x,rev_y\n1,p,\n2,p,\n3,q,p\n4,,p\n5,,q\n")
    return ["x.csv", "y.csv"]


def test_runs_that_lack_objects_abstain() -> None:
    files = partial_files()
    ran = run("consensus", *files, "--align", "abstain", "-o", "out.csv")
    assert ran.code == 0
    said = " ".join(ran.stdout.split())
    assert "2 runs of 5 objects" in said
    assert "2 runs lack objects and abstain on them: an object is in 1.2 of 2 runs on" in said
    assert "average; 4 objects in 1 run only" in said
    assert "cost 0, the least that any partition has (proved)" in said
    assert ["x.csv", "3", "2", "0"] in [line.split() for line in ran.stdout.splitlines()]
    assert Path("out.csv").read_text() == "id,cluster\n1,1\n2,1\n3,3\n4,3\n5,5\n"
    found = json.loads(run("consensus", *files, "--align", "abstain", "-f", "json").stdout)
    assert [one["objects"] for one in found["runs"]] == [3, 3]
    wide = run("consensus", "both.csv::rev_*", "--align", "abstain", "-o", "-")
    assert wide.stdout == Path("out.csv").read_text()


def test_abstaining_is_named_and_refused_in_words() -> None:
    files = partial_files()
    refused = " ".join(run("consensus", *files).stderr.split())
    assert "--align abstain (a pair counts only in the runs that have both)" in refused
    alone = " ".join(run("consensus", *files, "--align", "singletons").stdout.split())
    assert '2 runs lack objects. align="abstain" (--align abstain) counts each pair' in alone
    vi = run("consensus", *files, "--align", "abstain", "--by", "vi_distance")
    assert vi.code == 2
    assert "vi_distance is not a sum over pairs" in " ".join(vi.stderr.split())
    for verb in ("matrix", "compare"):
        ran = run(verb, *files, "--align", "abstain")
        assert ran.code == 2
        assert "'abstain' is not one of 'exact', 'shared'" in " ".join(ran.stderr.split())
    refuses('"abstain" is for a consensus', cd.matrix, files, align="abstain")
    refuses('"abstain" is for a consensus', cd.compare, *files, align="abstain")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.csv"], "a consensus combines at least two clusterings, got 1."),
        (["a.csv", "none.csv"], "File not found: none.csv"),
        (["a.csv", "b.csv", "--by", "elm_f"], "Hint: --by mirkin_distance"),
        (["a.csv", "b.csv", "--weight", "b.csv"], "--weight b.csv is not a run and its weight."),
        (["a.csv", "b.csv", "--weight", "d.csv=2"], "no run is called 'd.csv'."),
        (["a.csv", "b.csv", "-o", "b.csv"], "b.csv is read and would be overwritten."),
        (["a.csv", "b.csv", "-o", "out.txt"], "a clustering cannot be written as out.txt."),
        (["a.csv", "b.csv", "--plot", "out.txt"], "a picture cannot be written as out.txt."),
        (["a.csv", "table.csv::run_a"], "Hint: say what becomes of them: --align shared"),
    ],
)
def test_what_is_refused(arguments: list[str], words: str) -> None:
    ran = run("consensus", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert words in ran.stderr
    assert not Path("out.txt").exists()
