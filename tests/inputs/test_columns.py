"""Which columns of a table are taken: by name, by place, and not at all where it is not clear."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.engines.columns import find_columns
from refusals import refuses

SPLINK: dict[str, list[Any]] = {
    "cluster_id": ["r1", "r1", "r3"],
    "unique_id": [1, 2, 3],
    "first_name": ["ann", "anne", "bob"],
    "cluster": [7, 8, 8],
}
"""What splink writes: its clusters beside the columns of the input, truth among them."""


def csv(data: dict[str, list[Any]], folder: Path) -> str:
    pl.DataFrame(data).write_csv(folder / "t.csv")
    return str(folder / "t.csv")


def parquet(data: dict[str, list[Any]], folder: Path) -> str:
    pl.DataFrame(data).write_parquet(folder / "t.parquet")
    return str(folder / "t.parquet")


def records(data: dict[str, list[Any]], folder: Path) -> str:
    rows = pl.DataFrame(data).to_dicts()
    (folder / "t.json").write_text(json.dumps(rows))
    return str(folder / "t.json")


def lines(data: dict[str, list[Any]], folder: Path) -> str:
    rows = pl.DataFrame(data).to_dicts()
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return str(folder / "t.jsonl")


def relation(data: dict[str, list[Any]], folder: Path) -> Any:
    return duckdb.from_arrow(pl.DataFrame(data).to_arrow())


WAYS: dict[str, Callable[[dict[str, list[Any]], Path], Any]] = {
    "csv": csv, "parquet": parquet, "records": records, "lines": lines, "relation": relation,
    "pandas": lambda data, _: pd.DataFrame(data), "polars": lambda data, _: pl.DataFrame(data),
}  # fmt: skip
FILES = ("csv", "parquet", "records", "lines")
GUESS = {1: "x", 2: "x", 3: "y"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("engine", [None, "arrays"])
def test_two_columns_of_clusters_are_refused(way: str, engine: str | None, tmp_path: Path) -> None:
    table = WAYS[way](SPLINK, tmp_path)
    with pytest.raises(cd.ClusterdiffError, match="2 columns that could hold the clusters") as told:
        cd.compare(table, GUESS, engine=engine)
    assert "cluster_id, cluster" in told.value.message
    if way in FILES:
        assert f"{table}::cluster" in told.value.hint
        score = cd.compare(f"{table}::cluster_id", GUESS, ["elm_f"], engine=engine)["elm_f"]
        assert score.value == 1
        other = cd.compare(f"{table}::cluster", GUESS, ["elm_f"], engine=engine)["elm_f"]
        assert other.value == 0


def test_what_the_hint_for_a_frame_says_can_be_done() -> None:
    for frame in (pd.DataFrame(SPLINK), pl.DataFrame(SPLINK)):
        told = refuses(None, cd.compare, frame, GUESS)
        hint = told.hint.removeprefix("say which, e.g. ").removesuffix(".")
        kept = eval(hint, {"frame": frame})
        assert cd.elm_f(kept, GUESS) == 0
    rows = relation(SPLINK, Path())
    told = refuses(None, cd.compare, rows, GUESS)
    hint = told.hint.removeprefix("say which, e.g. ").removesuffix(".")
    assert cd.elm_f(eval(hint, {"relation": rows}), GUESS) == 0


@pytest.mark.parametrize("verb", ["compare", "explain"])
def test_the_prompt_is_told_both_ways_to_say_which(verb: str, folder: Path) -> None:
    csv(SPLINK, folder)
    (folder / "g.csv").write_text("unique_id,guess\n1,x\n2,x\n3,y\n")
    ran = run(verb, "t.csv", "g.csv")
    assert ran.code == 2
    assert "Hint: say which, e.g. t.csv::cluster or --cluster cluster." in ran.stderr
    assert "elm_f 1" in run("explain", "t.csv::cluster_id", "g.csv").stdout


REFUSED = {
    "clusters: label, cluster": ["id", "label", "cluster"],
    "clusters: entity_id, cluster": ["id", "entity_id", "cluster"],
    "clusters: Cluster, cluster": ["id", "Cluster", "cluster"],
    "ids: id, record_id": ["id", "record_id", "cluster"],
    "ids: unique_id, id": ["unique_id", "id", "cluster"],
    "ids: doc, page": ["doc", "page", "cluster"],
}


@pytest.mark.parametrize("told", REFUSED)
def test_names_of_equal_strength(told: str) -> None:
    refuses(f"2 columns that could hold the {told}", find_columns, "t.csv", REFUSED[told])


TAKEN = {
    ("id", "cluster"): ["id", "name", "cluster"],
    ("record", "entity"): ["record", "entity", "name", "name_by"],
    ("unique_id", "cluster_id"): ["cluster_id", "source_dataset", "unique_id", "surname"],
    ("name", "label"): ["name", "label"],
    ("mention", "gold"): ["doc", "mention", "gold"],
    ("", "louvain"): ["", "louvain"],
    ("Unnamed: 0", "cluster"): ["Unnamed: 0", "cluster", "size"],
    ("name", "cluster_id"): ["", "name", "cluster_id", ""],
    (" id ", " cluster"): [" id ", " cluster"],
}


@pytest.mark.parametrize(("taken", "names"), TAKEN.items())
def test_columns_taken(taken: tuple[str, str], names: list[str]) -> None:
    found = find_columns("t.csv", names)
    assert (found.id, found.cluster) == taken


def test_degrees_follow_the_same_rule() -> None:
    assert find_columns("t", ["id", "label", "prob", "score"], kind="fuzzy").degree == "prob"
    with pytest.raises(cd.ClusterdiffError, match="could hold the degrees: mass, belief"):
        find_columns("t", ["id", "label", "mass", "belief"], kind="evidential")
    with pytest.raises(cd.ClusterdiffError, match="no name for column 4 of 4"):
        find_columns("t", ["id", "jazz", "funk", ""], kind="fuzzy")


def test_a_column_of_clusters_is_never_guessed_to_be_ids() -> None:
    with pytest.raises(cd.ClusterdiffError, match="none is named like an id") as told:
        find_columns("t.csv", ["truth", "guess"], cluster="truth")
    assert "--no-id" in told.value.at_prompt()
    assert "cd.read('t.csv', cluster='truth', id='')" in told.value.hint
    assert find_columns("t.csv", ["truth", "guess"], cluster="truth", id="").id is None


def test_records_of_several_data_sets(tmp_path: Path) -> None:
    table = {"cluster_id": [1, 1, 2], "source_dataset": [*"xyx"], "unique_id": [0, 0, 1]}
    for engine in (None, "arrays"):
        with pytest.raises(cd.ClusterdiffError, match="'source_dataset' and 'unique_id' together"):
            cd.elm_f(csv(table, tmp_path), {0: 1, 1: 2}, engine=engine)
    table["unique_id"] = [0, 2, 1]
    assert cd.elm_f(csv(table, tmp_path), {0: 1, 1: 2, 2: 1}) == 1


def test_a_missing_column_is_told_as_it_was_asked_for(folder: Path) -> None:
    (folder / "t.csv").write_text("id,gold,run1\n1,a,x\n2,a,y\n")
    ran = run("compare", "t.csv::golf", "t.csv::run1")
    assert "t.csv has no column 'golf'; it has id, gold, run1." in ran.stderr
    assert "Hint: did you mean gold? write e.g. t.csv::gold." in ran.stderr
    ran = run("compare", "t.csv", "t.csv::run1", "--cluster", "golf")
    assert "Hint: did you mean gold? write e.g. --cluster gold." in ran.stderr
    ran = run("compare", "t.csv::gold", "t.csv::run1", "--samples", "doc")
    assert "Hint: write e.g. --samples COLUMN." in ran.stderr
    refuses(r"e\.g\. cd\.read\('t\.csv', id='id'\)", cd.read, "t.csv", id="idd", cluster="gold")


def test_no_ids_is_what_is_hinted_where_rows_are_the_objects(folder: Path) -> None:
    wide = {"reference": [1, 1, 2], "pred_a": [1, 1, 2], "pred_b": [1, 2, 2]}
    pl.DataFrame(wide).write_parquet("p.parquet")
    ran = run("compare", "p.parquet::reference", "p.parquet::pred_a")
    assert "none is named like an id" in ran.stderr
    assert "in the same order in all tables, --no-id; else name the ids" in ran.stderr
    assert "1.0000" in run("compare", "p.parquet::reference", "p.parquet::pred_a", "--no-id").stdout
    pl.DataFrame(wide).select("reference", "pred_a").write_parquet("q.parquet")
    ran = run("compare", "q.parquet::reference", "q.parquet::pred_a")
    assert "'pred_a', which stands beside 'reference', holds 1 values twice" in ran.stderr
    assert "in the same order in all tables, --no-id; if 'pred_a' does hold the ids" in ran.stderr


def heads(*arguments: str) -> list[str]:
    """What stands in brackets on the first lines."""
    ran = run("compare", *arguments, "-m", "elm_f", columns=200)
    assert ran.code == 0, ran.stderr
    lines = ran.stdout.split("\n\n")[0].split("\n")
    return [line.partition(" [")[2].removesuffix("]") for line in lines]


@pytest.fixture
def folder(folder: Path) -> Path:
    Path("t.csv").write_text("rec_id,doc,gold,run1\n1,d,a,x\n2,d,a,y\n3,d,b,y\n")
    Path("g.csv").write_text(",cluster\n3,x\n2,x\n1,x\n")
    Path("g.labels").write_text("x\nx\ny\n")
    Path("g.json").write_text('{"1": "x", "2": "x", "3": "y"}')
    Path("f.csv").write_text("id,cluster,degree\n1,x,1\n2,x,0.5\n2,y,0.5\n3,y,1\n")
    Path("w.csv").write_text("id,u,v,w,z\n1,1,0,0,0\n2,0,1,0,0\n3,0,0,0,1\n")
    Path("many").mkdir()
    for i in "123":
        Path("many", f"{i}.csv").write_text(f"id,cluster\n{i},x\n")
    return folder


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_the_header_says_which_columns_were_taken(engine: str, folder: Path) -> None:
    by = ("--engine", engine)
    assert heads("t.csv::gold", "t.csv::run1", "g.csv", *by) == [
        "id: rec_id, cluster: gold", "id: rec_id, cluster: run1", "id: (unnamed), cluster",
    ]  # fmt: skip
    assert heads("t.csv::gold", "t.csv::run1", "--no-id", *by) == [
        "rows in order, cluster: gold", "rows in order, cluster: run1",
    ]  # fmt: skip
    assert heads("t.csv::gold", "g.csv", "--samples", "doc", *by)[:2] == [
        "sample: doc, id: rec_id, cluster: gold", "id: (unnamed), cluster",
    ]  # fmt: skip
    assert heads("t.csv::gold", "g.json", *by) == ["id: rec_id, cluster: gold", ""]
    many = heads("t.csv::gold", "many", *by)
    assert many == ["id: rec_id, cluster: gold", "id, cluster, 3 files"]
    assert heads("t.csv::gold", "g.labels", "--no-id", *by) == ["rows in order, cluster: gold", ""]
    assert heads("t.csv::gold", "1|2|3", *by) == ["id: rec_id, cluster: gold", ""]


def test_the_header_of_uncertain_clusterings(folder: Path) -> None:
    ran = run("compare", "f.csv", "w.csv", "--kind", "fuzzy", columns=200).stdout.split("\n")
    assert ran[0].endswith("[id, cluster, degree]")
    assert ran[1].endswith("[id, degrees: u, v, w, … 4 columns]")


def test_explanations_changes_and_pages_say_it_too(folder: Path) -> None:
    told = "Columns: truth [id: rec_id, cluster: gold], guess [id: (unnamed), cluster]."
    assert told in run("explain", "t.csv::gold", "g.csv", columns=200).stdout
    same = run("explain", "t.csv::gold", "t.csv::gold").stdout
    assert "Columns: id: rec_id, cluster: gold." in same
    soft = run("explain", "f.csv", "w.csv", "--kind", "fuzzy", columns=200).stdout
    told = "truth [id, cluster, degree], guess [id, degrees: u, v, w, … 4 columns]."
    assert told in soft
    change = run("diff", "t.csv::gold", "t.csv::run1", "g.csv", columns=200).stdout
    truth, old = (f"[id: rec_id, cluster: {name}]" for name in ("gold", "run1"))
    assert f"truth {truth}, old {old}, new [id: (unnamed), cluster]." in change
    made = run("report", "t.csv::gold", "g.csv", "-o", "-").stdout
    assert "[id: rec_id, cluster: gold]" in made
    assert "[id: (unnamed), cluster]" in made


def test_programs_are_told_the_columns(folder: Path) -> None:
    wanted = {
        "truth": {"id": "rec_id", "cluster": "gold"},
        "guesses": {"many": {"id": "id", "cluster": "cluster", "files": 3}, "g.json": None},
    }
    ran = run("compare", "t.csv::gold", "many", "g.json", "-f", "json")
    assert json.loads(ran.stdout)["columns"] == wanted
    frame = pl.read_csv("t.csv")
    report = cd.compare(frame[["rec_id", "gold"]], {"a": frame[["rec_id", "run1"]], "b": GUESS})
    assert report.to_dict()["columns"] == {
        "truth": {"id": "rec_id", "cluster": "gold"},
        "guesses": {"a": {"id": "rec_id", "cluster": "run1"}, "b": None},
    }
    assert "columns" not in cd.compare([1, 1], [1, 2]).to_dict()
    assert "[id: rec_id, cluster: gold]" in report.to_text(200)
    told = json.loads(run("explain", "t.csv::gold", "g.csv", "-f", "json").stdout)
    assert told["columns"]["guesses"] == {"guess": {"id": "", "cluster": "cluster"}}
    changed = cd.diff("t.csv::gold", "t.csv::run1", GUESS).to_dict()
    assert changed["columns"]["guesses"] == {
        "old": {"id": "rec_id", "cluster": "run1"},
        "new": None,
    }
    sampled = cd.compare("t.csv::gold", GUESS, samples={1: "d", 2: "d", 3: "e"})
    assert sampled.to_dict()["columns"]["truth"] == wanted["truth"]


def test_columns_do_not_change_what_was_compared(folder: Path) -> None:
    meets = [cd.meet(f"t.csv::{name}", GUESS) for name in ("gold", "run1")]
    assert meets[0] == cd.meet({1: "a", 2: "a", 3: "b"}, GUESS)
    assert meets[0] != meets[1]
    by_position = cd.compare(pd.DataFrame({"v": [*"aab"]}), pd.DataFrame({"cluster": [*"aab"]}))
    assert "[rows in order, cluster: v]" in by_position.to_text(200)
