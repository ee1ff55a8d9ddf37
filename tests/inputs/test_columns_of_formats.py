"""A column that is named is taken or refused: in formats that have none, and where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

ONE = {
    "x.labels": "a\na\nb\n",
    "x.clusters": "p q\nr\n",
    "x.conll": "#begin document (d)\nd 0 a (0)\nd 0 b (1)\nd 0 c (1)\n#end document\n",
    "mapping.json": '{"p": "a", "q": "a", "r": "b"}',
    "list.json": '["a", "a", "b"]',
    "clusters.json": '[["p", "q"], ["r"]]',
}


@pytest.fixture
def folder(folder: Path) -> Path:
    for name, text in ONE.items():
        (folder / name).write_text(text)
    (folder / "t.csv").write_text("id,gold,run\np,a,1\nq,a,2\nr,b,2\n")
    return folder


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_column_of_a_file_without_columns_is_refused(
    name: str, engine: str, folder: Path
) -> None:
    whole = f"{name} holds one clustering and has no columns, so there is no ::gold."
    caught = refuses(None, cd.compare, f"{name}::gold", name, ["rand"], engine=engine)
    assert caught.message == whole
    assert caught.hint == "leave ::gold out."
    ran = run("compare", name, f"{name}::gold", "--engine", engine, "--fail-under", "rand=0.1")
    assert ran.code == 2
    assert whole in " ".join(ran.stderr.split())


@pytest.mark.parametrize("name", [*ONE, "12|3"])
@pytest.mark.parametrize("option", ["cluster", "id", "sample", "degree"])
def test_arguments_that_name_a_column_are_refused(name: str, option: str, folder: Path) -> None:
    given: Any = {option: "gold"}
    refuses("has no columns, so --", cd.read, name, **given)


@pytest.mark.parametrize("name", ["x.labels", "list.json"])
def test_that_there_are_no_ids_is_true_of_labels(name: str, folder: Path) -> None:
    assert len(cd.read(name, id="")) == 3


@pytest.mark.parametrize("name", ["x.clusters", "x.conll", "mapping.json", "12|3"])
def test_that_there_are_no_ids_is_refused_of_files_that_have_them(name: str, folder: Path) -> None:
    refuses("--no-id names nothing in it", cd.read, name, id="")


def test_a_flag_is_refused_if_no_file_uses_it(folder: Path) -> None:
    used = run("compare", "t.csv", "mapping.json", "--cluster", "gold", "-m", "rand")
    assert "1.0000" in used.stdout
    for flag in ("--cluster", "--id", "--samples", "--degree"):
        ran = run("compare", "mapping.json", "12|3", flag, "gold", "-m", "rand")
        assert ran.code == 2
        assert f"so {flag} gold names nothing in it" in " ".join(ran.stderr.split())


def test_a_flag_for_standard_input_is_refused_there(folder: Path) -> None:
    ran = run("compare", "t.csv", "-", "--cluster", "gold", stdin=b'{"p": "a"}')
    assert ran.code == 2
    assert "standard input holds one clustering" in " ".join(ran.stderr.split())


NESTED: dict[str, Any] = {
    "truth": {"p": "a", "q": "a", "r": "b"},
    "guess": {"p": 1, "q": 2, "r": 2},
    "clusters": [["p", "q"], ["r"]],
    "records": [{"id": i, "gold": c} for i, c in zip("pqr", "aab", strict=True)],
}


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_clustering_of_several_in_json_is_taken_by_name(engine: str, folder: Path) -> None:
    Path("n.json").write_text(json.dumps(NESTED))
    wanted = cd.meet(list("aab"), [1, 2, 2])
    assert cd.meet("n.json::truth", "n.json::guess", engine=engine) == wanted
    assert cd.meet("n.json::clusters", "n.json::guess", engine=engine) == wanted
    assert cd.meet(cd.read("n.json::records", id="id"), "n.json::guess") == wanted
    caught = refuses(None, cd.meet, "n.json::gues", "n.json::guess", engine=engine)
    told = "no clustering 'gues'; it has truth, guess, clusters, records.gold"
    assert told in caught.message
    assert "did you mean guess?" in caught.hint
    refuses("no clustering 'gold'", cd.read, "n.json", cluster="gold")


def test_several_clusterings_in_json_are_not_dumped_into_the_error(folder: Path) -> None:
    labels = {f"object-{i}": i % 7 for i in range(10_000)}
    Path("n.json").write_text(json.dumps({"truth": labels, "guess": labels}))
    caught = refuses(None, cd.read, "n.json")
    assert "with 'object-0', 'object-1', 'object-2' and 9,997 more" in caught.message
    assert "name one: n.json::truth, n.json::guess." in caught.hint
    assert len(str(caught)) < 600


def test_a_name_that_stands_twice_in_an_object_is_refused(folder: Path) -> None:
    Path("n.json").write_text('{"truth": {"p": 1}, "truth": {"p": 2}}')
    refuses("names 'truth' twice", cd.read, "n.json::truth")
    Path("n.json").write_text('{"p": {"a": 0.5, "a": 0.5}}')
    refuses("names 'a' twice", cd.read, "n.json", kind="fuzzy")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.jsonl", "t.json"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_column_that_is_not_there_is_named(name: str, engine: str, folder: Path) -> None:
    frame = pl.DataFrame({"id": ["p", "q"], "gold": ["a", "b"]})
    frame.write_csv("t.tsv", separator="\t")
    frame.write_parquet("t.parquet")
    frame.write_ndjson("t.jsonl")
    frame.write_json("t.json")
    with pytest.raises(cd.ClusterdiffError, match="has no column 'golf'; it has id, gold"):
        cd.compare(f"{name}::golf", f"{name}::gold", ["rand"], engine=engine)
