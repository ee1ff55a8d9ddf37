"""Ids of several columns: the same text in every engine, and never the same for two ids."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from cli.runner import run
from clusterdiff.engines.columns import composite_ids, composite_sql
from clusterdiff.engines.duckdb import quoted
from refusals import refuses

ID = ["doc", "start", "end"]
SHOWN = ["a,b/c/1", "a/b,c/2", '"x/y"/z/3', 'x/"y/z"/4', '"q""r"/1/5']
TRUTH = pl.DataFrame(
    {
        "doc": ["a,b", "a", "x/y", "x", 'q"r'],
        "start": ["c", "b,c", "z", "y/z", "1"],
        "end": [1, 2, 3, 4, 5],
        "cluster": list("ppqqq"),
    }
)
GUESS = TRUTH.with_columns(cluster=pl.Series(list("pppqq")))
ENDINGS = ("csv", "parquet", "jsonl", "arrow")


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    for name, frame in (("t", TRUTH), ("g", GUESS)):
        frame.write_csv(f"{name}.csv")
        frame.write_parquet(f"{name}.parquet")
        frame.write_ndjson(f"{name}.jsonl")
        frame.write_ipc(f"{name}.arrow")
    return folder


def shown(found: Any) -> list[Any]:
    assert found.ids is not None
    return list(found.ids.tolist())


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_of_every_format(ending: str) -> None:
    found = cd.read(f"t.{ending}", id=ID)
    assert shown(found) == SHOWN
    assert shown(cd.read(f"t.{ending}", id="doc,start,end")) == SHOWN
    assert str(found.origin) == "id: doc/start/end, cluster"
    assert found.origin is not None
    assert found.origin.to_dict()["id"] == ID


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "lazy"])
def test_frames(library: str) -> None:
    frame: Any = {
        "polars": TRUTH, "pandas": TRUTH.to_pandas(), "pyarrow": TRUTH.to_arrow(),
        "lazy": TRUTH.lazy(),
    }[library]  # fmt: skip
    assert shown(cd.read(frame, id=ID)) == SHOWN
    assert cd.rand(cd.read(frame, id=ID), cd.read("t.csv", id=ID)) == 1


@pytest.mark.parametrize("verb", ["explain", "compare", "diff"])
def test_engines_and_formats_say_the_same(verb: str) -> None:
    said = set()
    for ending, engine in itertools.product(ENDINGS, ("arrays", "duckdb")):
        files = [f"t.{ending}", f"g.{ending}", f"t.{ending}"][: 3 if verb == "diff" else 2]
        ran = run(verb, *files, "--id", "doc,start,end", "--engine", engine)
        assert ran.code == 0, ran.stderr
        said.add(ran.stdout.partition("Next:")[0].replace(f".{ending}", ""))
    assert len({" ".join(text.split()) for text in said}) == 1
    if verb != "compare":
        assert '"x/y"/z/3' in said.pop()


def test_files_of_two_formats_are_matched() -> None:
    for truth, guess in itertools.pairwise((*ENDINGS, ENDINGS[0])):
        ran = run("compare", f"t.{truth}", f"g.{guess}", "--id", "doc,start,end", "-m", "rand")
        assert "rand  0.6000" in ran.stdout, ran.stderr


def test_one_object_is_explained_by_its_id() -> None:
    for engine in ("arrays", "duckdb"):
        ran = run(
            "explain", "t.csv", "g.csv", "--id", "doc,start,end", "--engine", engine, "--object",
            '"x/y"/z/3',
        )  # fmt: skip
        assert ran.code == 0, ran.stderr
        assert '"x/y"/z/3' in ran.stdout


def test_tables_larger_than_memory_name_the_same_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterdiff.io import session

    asked = ("explain", "t.parquet", "g.parquet", "--id", "doc,start,end")
    near = run(*asked)
    monkeypatch.setattr(session, "NAMED", 10**12)
    far = run(*asked)
    assert far.stdout == near.stdout
    assert '"x/y"/z/3' in far.stdout


def test_samples_beside_ids() -> None:
    ran = run(
        "compare", "t.csv", "g.csv", "--id", "doc,start", "--samples", "doc", "--cluster",
        "cluster", "-m", "rand",
    )  # fmt: skip
    assert "5 samples" in ran.stdout, ran.stderr


def test_degrees_and_covers(folder: Path) -> None:
    (folder / "f.csv").write_text("doc,start,a,b\nx,1,0.5,0.5\nx,2,1,0\n")
    found = cd.read("f.csv", id=["doc", "start"], kind="fuzzy")
    assert shown(found) == ["x/1", "x/2"]
    (folder / "c.csv").write_text("doc,start,topic\nx,1,a\nx,1,b\nx,2,a\n")
    assert len(cd.read("c.csv", id=["doc", "start"], kind="cover")) == 2


def test_a_name_with_a_comma_is_a_column(folder: Path) -> None:
    (folder / "t.csv").write_text('"a,b",c,cluster\n1,x,p\n1,y,p\n2,x,q\n')
    assert shown(cd.read("t.csv", id='"a,b",c')) == ["1/x", "1/y", "2/x"]
    assert shown(cd.read("t.csv", id=["a,b", "c"])) == ["1/x", "1/y", "2/x"]
    (folder / "u.csv").write_text('"a,b",cluster\n1,p\n2,p\n3,q\n')
    assert shown(cd.read("u.csv", id="a,b")) == [1, 2, 3]
    ran = run("compare", "u.csv", "12|3", "--id", "a,b", "-m", "rand")
    assert "rand  1.0000" in ran.stdout, ran.stderr


def test_ids_that_lack_a_part_are_null(folder: Path) -> None:
    (folder / "n.csv").write_text("doc,start,cluster\na,1,p\nb,,p\n")
    for engine in ("arrays", "duckdb"):
        ran = run("compare", "n.csv", "n.csv", "--id", "doc,start", "--engine", engine)
        assert "1 of 2 ids is null" in ran.stderr
    with pytest.raises(cd.ClusterdiffError, match="1 of 2 ids is null"):
        cd.read(pd.DataFrame({"doc": ["a", None], "start": [1, 2], "cluster": [1, 1]}), id=ID[:2])


def test_ids_that_occur_again_are_refused() -> None:
    with pytest.raises(cd.ClusterdiffError, match="more than one cluster"):
        cd.read(pl.DataFrame({"a": [1, 1], "b": [1, 1], "cluster": [1, 2]}), id=["a", "b"])


@pytest.mark.parametrize("values", [[1.5, 2.0], [True, False], [b"x", b"y"]])
def test_parts_are_whole_numbers_and_text(values: list[Any], folder: Path) -> None:
    frame = pl.DataFrame({"doc": ["a", "b"], "start": values, "cluster": [1, 2]})
    frame.write_parquet("t.parquet")
    for data in (frame, frame.to_pandas()):
        refuses("whole numbers and text", cd.read, data, id=["doc", "start"])
    for engine in ("arrays", "duckdb"):
        ran = run("compare", "t.parquet", "t.parquet", "--id", "doc,start", "--engine", engine)
        assert "made of whole numbers and text" in " ".join(ran.stderr.split())


def test_columns_that_are_not_there() -> None:
    caught = refuses("has no column 'strat'", cd.read, "t.csv", id=["doc", "strat", "end"])
    assert "id=['doc', 'start', 'end']" in caught.hint
    ran = run("compare", "t.csv", "g.csv", "--id", "doc,strat,end")
    assert "--id doc,start,end" in ran.stderr
    wrong: list[list[str]] = [["doc", "doc"], []]
    for id in wrong:
        refuses("the id is made of the columns", cd.read, "t.csv", id=id)


def test_files_without_columns_refuse_them(folder: Path) -> None:
    (folder / "t.labels").write_text("a\nb\n")
    refuses("--id doc,start names nothing", cd.read, "t.labels", id=["doc", "start"])


def test_records_of_several_data_sets(folder: Path) -> None:
    (folder / "s.csv").write_text("source_dataset,unique_id,cluster_id\na,1,x\nb,1,y\n")
    caught = refuses("by 'source_dataset' and 'unique_id'", cd.read, "s.csv")
    assert "id=['source_dataset', 'unique_id']" in caught.hint
    assert "--id source_dataset,unique_id" in caught.at_prompt()
    assert shown(cd.read("s.csv", id=["source_dataset", "unique_id"])) == ["a/1", "b/1"]


parts = st.text(st.sampled_from('ab/",\\ é'), max_size=4)


@settings(max_examples=25)
@given(st.lists(st.tuples(parts, parts, st.integers(-3, 3)), min_size=1, unique=True, max_size=8))
def test_different_ids_are_different_texts(rows: list[tuple[str, str, int]]) -> None:
    """In memory and in SQL, which write the same."""
    import duckdb

    columns = dict(zip("pqr", map(list, zip(*rows, strict=True)), strict=True))
    found = composite_ids("the table", columns).tolist()
    assert len(set(found)) == len(rows)
    table = pl.DataFrame(columns, schema={"p": pl.String, "q": pl.String, "r": pl.Int64}).to_arrow()
    with duckdb.connect() as connection:
        connection.register("given", table)
        query = f"SELECT {composite_sql('pqr', quoted)} AS id FROM given"
        assert [one for (one,) in connection.execute(query).fetchall()] == found


VERBS = [
    ("diff", "t.csv", "g.csv", "g.csv"), ("chance", "t.csv", "g.csv", "-m", "elm_f"),
    ("relabel", "t.csv", "g.csv", "-o", "-"), ("track", "t.csv", "g.csv"),
    ("matrix", "t.csv", "g.csv"), ("consensus", "t.csv", "g.csv", "-o", "-"),
    ("report", "t.csv", "g.csv", "-o", "-", "-m", "elm_f"), ("sweep", "t.csv", "g.csv", "t.csv"),
    ("sweep", "t.csv", "p.csv"), ("compare", "t.csv", "p.csv", "--as", "pairs", "--threshold", "1"),
    ("draw", "t.csv", "--records", "2", "-o", "-"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", VERBS, ids=lambda arguments: " ".join(arguments[:3]))
def test_every_verb_takes_them(arguments: tuple[str, ...], folder: Path) -> None:
    sides = [f"{name}_{side}" for side in "lr" for name in ID]
    pair = TRUTH.rows()[0][:3], TRUTH.rows()[1][:3]
    later = [(*one, *other) for one, other in itertools.pairwise(row[:3] for row in TRUTH.rows())]
    rows = [(*pair[0], *pair[1], 1.0), *((*both, 0.1) for both in later)]
    pl.DataFrame(rows, [*sides, "score"], orient="row").write_csv("p.csv")
    ran = run(*arguments, "--id", "doc,start,end")
    assert ran.code == 0, ran.stderr
    if "-o" in arguments:
        assert '"x/y"/z/3' in ran.stdout.replace('""', '"').replace("&#34;", '"').replace(
            "&quot;", '"'
        )


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_a_sample_that_was_drawn_has_them_in_one_column() -> None:
    ran = run("draw", "t.csv", "--records", "3", "-o", "drawn.csv", "--id", "doc,start,end")
    line = ran.stderr.rpartition("clusterdiff estimate ")[2].split()
    assert line[-2:] == ["--id", "doc,start,end"]
    drawn = pl.read_csv("drawn.csv", infer_schema=False)
    drawn.with_columns(truth=pl.lit("k")).write_csv("drawn.csv")
    ran = run("estimate", *line, "-m", "elm_f")
    assert ran.code == 0, ran.stderr


def test_columns_of_one_table() -> None:
    both = TRUTH.with_columns(run=GUESS["cluster"])
    for frame in (both, both.to_pandas(), both.sample(fraction=1, shuffle=True, seed=0)):
        report = cd.compare(frame, truth="cluster", guesses=["run"], id=ID, measures="rand")
        assert report["rand"].value == pytest.approx(0.6)
        assert "[id: doc/start/end, cluster: run]" in report.head()
        found = cd.objects(frame, truth="cluster", guess="run", id=ID).to_dict()
        assert set(found) == set(SHOWN)
    with pytest.raises(cd.ClusterdiffError, match="no column 'strat'"):
        cd.compare(both, truth="cluster", guesses=["run"], id=["doc", "strat"])
