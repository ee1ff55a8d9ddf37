"""FILE::NAME in every format: the clustering of that name, or refused with the names there are."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.formats import own
from inputs.formats.test_tables import workbook
from refusals import refuses

IDS, GOLD, RUN = ["p", "q", "r"], ["a", "a", "b"], [1, 2, 2]
ONE = "holds one clustering and has no columns"
COLUMNS = "has no column 'wrong'; it has id, gold, run"


class Cell(NamedTuple):
    """A file, what leads to gold and run in it, and what is said of a name that is not there."""

    file: str
    gold: str
    """"" where a file holds gold alone."""
    run: str
    told: str
    wrong: str = "wrong"


CELLS = {
    "csv": Cell("t.csv", "gold", "run", COLUMNS),
    "tsv": Cell("t.tsv", "gold", "run", COLUMNS),
    "gzip": Cell("t.csv.gz", "gold", "run", COLUMNS),
    "parquet": Cell("t.parquet", "gold", "run", COLUMNS),
    "arrow": Cell("t.arrow", "gold", "run", COLUMNS),
    "json records": Cell("t.json", "gold", "run", COLUMNS),
    "json lines": Cell("t.jsonl", "gold", "run", COLUMNS),
    "json objects": Cell("o.json", "gold", "run", "no clustering 'wrong'; it has gold, run"),
    "json nested": Cell(
        "n.json", "truth", "runs.v1.5.best",
        "no clustering 'runs.worst'; it has truth, runs.v1.5.best, runs.v1.5.last, nodes.gold",
        "runs.worst",
    ),
    "json records within": Cell(
        "n.json", "nodes.gold", "nodes.run", "no clustering 'nodes.wrong'; it has truth,",
        "nodes.wrong",
    ),
    "json map": Cell("m.json", "", "", ONE),
    "json labels": Cell("l.json", "", "", ONE),
    "json clusters": Cell("c.json", "", "", ONE),
    "excel": Cell("t.xlsx", "gold", "run", COLUMNS),
    "excel sheet": Cell("t.xlsx", "other::gold", "other::run", COLUMNS, "other::wrong"),
    "excel no sheet": Cell("t.xlsx", "gold", "run", "no sheet 'tird'; it has first, other",
                           "tird::gold"),
    "sqlite": Cell("t.sqlite", "t::gold", "t::run", COLUMNS, "t::wrong"),
    "sqlite no table": Cell("t.sqlite", "t::gold", "t::run", "no table 'wrong'; it has t"),
    "duckdb": Cell("t.duckdb", "t::gold", "t::run", COLUMNS, "t::wrong"),
    "duckdb no table": Cell("t.duckdb", "t::gold", "t::run", "no table 'wrong'; it has t"),
    "npz": Cell("t.npz", "gold", "run", "no array 'wrong'; it has gold, run"),
    "npy": Cell("t.npy", "", "", ONE),
    "labels": Cell("t.labels", "", "", ONE),
    "clusters": Cell("t.clusters", "", "", ONE),
    "conll": Cell("t.conll", "", "", ONE),
    "corefud": Cell("t.conllu", "", "", ONE),
    "graphml": Cell("t.graphml", "gold", "run", COLUMNS),
    "gml": Cell("t.gml", "gold", "run", "has no column 'wrong'; it has label, id, gold, run"),
}  # fmt: skip
OTHER = {
    "postgres": "needs a server; tests/inputs/formats/test_databases.py",
    "h5ad": "needs h5py; tests/journeys/test_single_cell.py",
    "image": "has no columns; tests/inputs/formats/test_images.py",
    "rttm": "has no columns; tests/inputs/test_speech.py",
    "pairs": "has no column of clusters; tests/inputs/scored/test_linking.py",
}
"""Formats that are tried elsewhere, and why."""
GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="gold" attr.type="string"/>
<key id="d1" for="node" attr.name="run" attr.type="int"/><graph edgedefault="undirected">{}
</graph></graphml>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in every format with the same two clusterings, or with the first."""
    here = tmp_path_factory.mktemp("colons")
    frame = pl.DataFrame({"id": IDS, "gold": GOLD, "run": RUN})
    rows = list(zip(IDS, GOLD, RUN, strict=True))
    frame.write_csv(here / "t.csv")
    (here / "t.csv.gz").write_bytes(gzip.compress((here / "t.csv").read_bytes()))
    frame.write_csv(here / "t.tsv", separator="\t")
    frame.write_parquet(here / "t.parquet")
    frame.write_ipc(here / "t.arrow")
    frame.write_json(here / "t.json")
    frame.write_ndjson(here / "t.jsonl")
    gold, run = dict(zip(IDS, GOLD, strict=True)), dict(zip(IDS, RUN, strict=True))
    records = [{"id": i, "gold": g, "run": r} for i, g, r in rows]
    documents: dict[str, Any] = {
        "o": {"gold": gold, "run": run},
        "n": {
            "about": "two runs",
            "truth": gold,
            "runs": {"v1.5": {"best": run, "last": gold}},
            "nodes": records,
            "links": [{"source": "p", "target": "q", "weight": 1}],
        },
        "m": gold,
        "l": GOLD,
        "c": [["p", "q"], ["r"]],
    }
    for name, one in documents.items():
        (here / f"{name}.json").write_text(json.dumps(one))
    table = [("id", "gold", "run"), *rows]
    workbook(here / "t.xlsx", {"first": table, "other": table})
    with sqlite3.connect(here / "t.sqlite") as database:
        database.execute("CREATE TABLE t (id TEXT, gold TEXT, run INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    database.close()
    with duckdb.connect(str(here / "t.duckdb")) as base:
        base.execute("CREATE TABLE t AS SELECT * FROM frame")
    np.savez(here / "t.npz", gold=np.array(GOLD), run=np.array(RUN))
    np.save(here / "t.npy", np.array(GOLD))
    (here / "t.labels").write_text("a\na\nb\n")
    (here / "t.clusters").write_text("p q\nr\n")
    (here / "t.conll").write_text("#begin document (d)\nd 0 a (0)\nd 0 b (1)\n#end document\n")
    line = "\t".join(["1", *["_"] * 8, "Entity=(e1)"])
    head = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n"
    (here / "t.conllu").write_text(f"{head}{line}\n\n")
    data = '<node id="{}"><data key="d0">{}</data><data key="d1">{}</data></node>'
    nodes = "".join(data.format(*row) for row in rows)
    (here / "t.graphml").write_text(GRAPHML.format(nodes))
    nodes = "".join(
        f'node [ id {k} label "{i}" gold "{g}" run {r} ] ' for k, (i, g, r) in enumerate(rows)
    )
    (here / "t.gml").write_text(f"graph [ {nodes}]")
    return here


def test_no_format_is_forgotten(folder: Path) -> None:
    endings = {Path(cell.file).suffix for cell in CELLS.values()}
    found = {name for name, one in own().items() if endings & set(one.suffixes)}
    assert found | set(OTHER) == set(own())


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("name", CELLS)
def test_what_is_named_is_taken(
    name: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    cell = CELLS[name]
    if not cell.gold:
        assert len(cd.read(cell.file)) > 0
        return
    found = cd.meet(f"{cell.file}::{cell.gold}", f"{cell.file}::{cell.run}", engine=engine)
    assert found == cd.meet(GOLD, RUN)
    ran = run("compare", f"{cell.file}::{cell.gold}", f"{cell.file}::{cell.run}", "-m", "rand")
    assert (ran.code, f"{cd.rand(GOLD, RUN):.4f}" in ran.stdout) == (0, True), ran.stderr


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("name", CELLS)
def test_what_is_not_there_is_refused_with_what_there_is(
    name: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    cell = CELLS[name]
    caught = refuses(None, cd.meet, f"{cell.file}::{cell.wrong}", cell.file, engine=engine)
    assert cell.told in caught.message
    assert cell.file in caught.message
    assert caught.hint
    ran = run("compare", f"{cell.file}::{cell.wrong}", cell.file, "--engine", engine)
    assert ran.code == 2
    assert cell.told in " ".join(ran.stderr.split())


@pytest.mark.parametrize("name", ["12|3::gold", "-::gold"])
def test_what_has_no_name_inside(name: str) -> None:
    ran = run("compare", name, "12|3", stdin=b'{"1": "a"}')
    assert ran.code == 2
    assert "Traceback" not in ran.stderr


# Lines that start with # at the top of a table, and decimal commas.


READ = {
    "two comments": ("# made by x\n# on monday, at noon\nid,cluster\n1,a\n2,a\n3,b\n", "2 lines"),
    "one, other lines": ("# x\r\nid,cluster\r\n1,a\r\n2,a\r\n3,b\r\n", "1 line of"),
    "names after a mark": ("# id,cluster\n1,a\n2,a\n3,b\n", "from line 1, which starts with #"),
    "names close to it": ("#id\tcluster\n1\ta\n2\ta\n3\tb\n", "from line 1"),
    "comment, names": ("## v2\n#cluster,id\na,1\na,2\nb,3\n", "from line 2"),
    "no names": ("# x\n1,1\n2,1\n3,2\n", "1 line of"),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("packed", [False, True])
def test_comments_are_left_out(name: str, engine: str, packed: bool, tmp_path: Path) -> None:
    import gzip

    text, note = READ[name]
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    report = cd.compare("12|3", path, ["rand"], engine=engine)
    assert report["rand"].value == 1
    assert note in str(report)


def test_columns_are_named_after_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# x\n# y\nwho,gold,run\n1,a,1\n2,a,2\n3,b,2\n")
    assert cd.read(path, id="who", cluster="run").labels.tolist() == [1, 2, 2]
    path.write_text("# who,gold,run\n1,a,1\n2,a,2\n3,b,2\n")
    assert cd.read(path, id="who", cluster="run").labels.tolist() == [1, 2, 2]


def test_what_could_be_either_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# foo,bar\n1,a\n2,a\n3,b\n")
    with pytest.raises(cd.ClusterdiffError, match=r"line 1 of .*\(# foo,bar\) could be a comment"):
        cd.read(path)
    assert len(cd.read(path, header=False)) == 3


def test_ids_that_start_with_a_hash_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("#1,a\n#2,a\n3,b\n")
    found = cd.read(path, header=False)
    assert found.ids is not None
    assert found.ids.tolist() == ["#1", "#2", "3"]


def test_a_column_called_pk_makes_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("PK,cluster\n1,a\n2,b\n")
    found = cd.read(str(tmp_path / "a.csv"), id="PK")
    assert found.ids is not None
    assert found.ids.tolist() == [1, 2]


def test_several_files_have_the_same_comments(tmp_path: Path) -> None:
    (tmp_path / "a-1.csv").write_text("# x\nid,cluster\n1,a\n")
    (tmp_path / "a-2.csv").write_text("# y\nid,cluster\n2,a\n")
    assert len(cd.read(str(tmp_path / "a-*.csv"))) == 2
    (tmp_path / "a-2.csv").write_text("id,cluster\n2,a\n")
    refuses("0 lines of comments", cd.read, str(tmp_path / "a-*.csv"))


def test_nothing_but_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# x\n# y\n")
    refuses(None, cd.read, path)


def test_labels_as_numpy_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "t.labels"
    np.savetxt(path, np.array([1, 1, 2]), fmt="%d", header="labels of run 1")
    found = cd.read(path)
    assert found.labels.tolist() == ["1", "1", "2"] or found.labels.tolist() == [1, 1, 2]
    assert found.notes == ("1 line of comments at the top left out",)


DECIMAL = {
    "wide": "id;a;b\n1;0,5;0,5\n2;1;0\n3;0,25;0,75\n",
    "rows": "id;cluster;degree\n1;a;0,5\n1;b;0,5\n2;a;1\n3;a;0,25\n3;b;0,75\n",
    "in quotes": 'id,cluster,degree\n1,a,"0,5"\n1,b,"0,5"\n2,a,1\n3,a,"0,25"\n3,b,"0,75"\n',
}


@pytest.mark.parametrize("name", DECIMAL)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_decimal_commas(name: str, engine: str, tmp_path: Path) -> None:
    comma, point = tmp_path / "comma.csv", tmp_path / "point.csv"
    comma.write_text(DECIMAL[name])
    point.write_text("id,a,b\n1,0.5,0.5\n2,1,0\n3,0.25,0.75\n")
    kinds: dict[str, Any] = {"kind": "fuzzy", "engine": engine}
    found = cd.meet(point, comma, **kinds)
    assert found == cd.meet(point, point, **kinds)
    assert found.alignment.notes == (("guess", "degrees read with a decimal comma"),)


def test_decimal_commas_without_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1;0,5;0,5\n2;1;0\n3;0,25;0,75\n")
    found = cd.read(path, kind="fuzzy", id="column0")
    assert found.ids is not None
    assert found.ids.tolist() == [1, 2, 3]
    assert found.notes == ("degrees read with a decimal comma",)


def test_commas_and_points_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;a;b\n1;0,5;0,5\n2;1.0;0\n")
    for engine in ("arrays", "duckdb"):
        with pytest.raises(cd.ClusterdiffError, match="holds other things than numbers"):
            cd.compare(path, path, kind="fuzzy", engine=engine)


def test_the_command_says_what_was_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made by x\nid,cluster\n1,a\n2,a\n3,b\n")
    ran = run("compare", "12|3", str(path), "-m", "rand")
    assert "t.csv: 1 line of comments at the top left out" in ran.stdout
