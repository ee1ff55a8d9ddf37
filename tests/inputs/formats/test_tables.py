"""Arrow, Excel and databases are tables as CSV and Parquet are: columns, kinds, samples, patterns,
both engines.
"""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.read import expanded
from refusals import refuses

ROWS = [(1, "a", "x", 1, "s"), (2, "a", "x", 1, "s"), (3, "b", "x", 2, "t"), (4, "b", "y", 2, "t")]
NAMES = ["id", "gold", "run_1", "run_2", "part"]
FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")
PLACES = {
    "arrow": "t.arrow",
    "stream": "s.arrow",
    "feather": "t.feather",
    "duckdb": "t.duckdb::runs",
    "sqlite": "t.sqlite::runs",
    "excel": "t.xlsx",
}


def workbook(path: Path, sheets: dict[str, list[tuple[Any, ...]]]) -> None:
    """A workbook, cell by cell."""
    begin = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    listed = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in enumerate(sheets, 1)
    )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(
            "[Content_Types].xml",
            f'{begin}<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType='
            f'"{kind}.sheet.main+xml"/></Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'{begin}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        out.writestr(
            "xl/workbook.xml",
            f'{begin}<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets>'
            "</workbook>",
        )
        out.writestr(
            "xl/_rels/workbook.xml.rels",
            f'{begin}<Relationships xmlns="{package}/relationships">{related}</Relationships>',
        )
        for i, rows in enumerate(sheets.values(), 1):
            cells = "".join(
                f'<row r="{r}">{"".join(_cell(r, c, v) for c, v in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            out.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'{begin}<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
            )


def _cell(row: int, column: int, value: Any) -> str:
    place = f'r="{chr(65 + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}><v>{value}</v></c>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    FRAME.write_ipc(place / "t.arrow")
    FRAME.write_ipc_stream(place / "s.arrow")
    pyarrow.feather.write_feather(FRAME.to_arrow(), place / "t.feather", compression="zstd")
    with duckdb.connect(str(place / "t.duckdb")) as connection:
        table = FRAME.to_arrow()
        connection.register("given", table)
        connection.execute("CREATE TABLE runs AS SELECT * FROM given")
        connection.execute("CREATE TABLE other AS SELECT 1 AS id, 2 AS cluster")
    lite = sqlite3.connect(place / "t.sqlite")
    lite.execute("CREATE TABLE runs(id INTEGER, gold TEXT, run_1 TEXT, run_2 INTEGER, part TEXT)")
    lite.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", ROWS)
    lite.execute("CREATE TABLE mixed(id, cluster)")
    lite.executemany("INSERT INTO mixed VALUES (?, ?)", [(1, "a"), ("b", "b")])
    lite.commit()
    lite.close()
    more = [("id", "cluster"), (1, "NA"), (2, "NA"), (None, None), ("3", 1.5), (4, "q")]
    workbook(place / "t.xlsx", {"runs": [tuple(NAMES), *ROWS], "more": more})
    return place


@pytest.fixture(autouse=True)
def folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    if request.param == "excel":
        pytest.importorskip("python_calamine")
    return PLACES[request.param]


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_columns_are_named_as_everywhere(place: str, engine: str) -> None:
    wanted = cd.meet(list("aabb"), list("xxxy"))
    assert cd.meet(f"{place}::gold", f"{place}::run_1", engine=engine) == wanted
    numbers = cd.meet(list("aabb"), [1, 1, 2, 2])
    assert cd.meet(f"{place}::gold", f"{place}::run_2", engine=engine) == numbers
    text = cd.compare(f"{place}::gold", f"{place}::run_1", ["rand"], engine=engine)
    assert "[id, cluster: gold]" in str(text)


def test_ids_are_those_of_a_text_file(place: str, folder: Path) -> None:
    (folder / "ids.csv").write_text("id,cluster\n4,y\n3,x\n2,x\n1,x\n")
    for engine in ("arrays", "duckdb"):
        found = cd.meet(f"{place}::gold", "ids.csv", engine=engine)
        assert found == cd.meet(list("aabb"), list("xxxy"))


def test_samples_and_several_columns_as_ids(place: str) -> None:
    found = cd.read(f"{place}::gold", id=["part", "id"])
    assert found.ids is not None
    assert found.ids.tolist() == ["s/1", "s/2", "t/3", "t/4"]
    ran = run("compare", f"{place}::gold", f"{place}::run_1", "--samples", "part", "-m", "rand")
    assert ran.code == 0, ran.stderr
    assert "2 samples" in ran.stdout


def test_a_column_that_is_not_there_is_named(place: str) -> None:
    for engine in ("arrays", "duckdb"):
        with pytest.raises(cd.ClusterdiffError, match="has no column 'gald'; it has id, gold"):
            cd.compare(f"{place}::gald", f"{place}::gold", ["rand"], engine=engine)


def test_patterns_name_columns(place: str) -> None:
    assert expanded(f"{place}::run_*") == [f"{place}::run_1", f"{place}::run_2"]


def test_several_clusterings_of_one_table(place: str) -> None:
    ran = run("matrix", f"{place}::run_*", "-m", "rand")
    assert ran.code == 0, ran.stderr
    assert "run_2" in ran.stdout


@pytest.mark.parametrize("name", ["t.arrow", "s.arrow", "t.duckdb", "t.sqlite", "t.xlsx"])
def test_files_that_were_cut_get_one_paragraph(name: str, tmp_path: Path, folder: Path) -> None:
    if name == "t.xlsx":
        pytest.importorskip("python_calamine")
    data = (folder / name).read_bytes()
    target = tmp_path / name
    for share in (0.001, 0.1, 0.3, 0.6, 0.9):
        target.write_bytes(data[: int(len(data) * share)])
        with pytest.raises(cd.ClusterdiffError) as caught:
            cd.read(f"{target}::runs::gold" if "." in name[2:4] else target, cluster="gold")
        assert caught.value.hint
        assert len(caught.value.message) < 600


@pytest.mark.parametrize("name", ["t.arrow", "t.xlsx", "t.sqlite", "t.duckdb"])
def test_from_a_pipe_and_by_first_bytes(name: str, folder: Path) -> None:
    if name == "t.xlsx":
        pytest.importorskip("python_calamine")
    whole = (folder / name).read_bytes()
    if name in ("t.arrow", "t.xlsx"):
        ran = run("compare", "-", "t.arrow::gold", "--cluster", "gold", "-m", "rand", stdin=whole)
        assert "rand  1.0000" in ran.stdout, ran.stderr
    else:
        ran = run("compare", "-", "t.arrow::gold", "-m", "rand", stdin=whole)
        assert "2 tables" in ran.stderr


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = pa.table([[1, 2], ["a", "b"], [1, 2]], names=["id", "cluster", "id"])
    with (
        pa.OSFile(str(tmp_path / "twice.arrow"), "wb") as out,
        pa.ipc.new_file(out, twice.schema) as writer,
    ):
        writer.write_table(twice)
    refuses("two columns called 'id'", cd.read, tmp_path / "twice.arrow")


def test_the_first_feather_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(40))
    refuses("first version of Feather", cd.read, tmp_path / "old.feather")


def test_degrees_of_an_arrow_table(tmp_path: Path) -> None:
    wide = pl.DataFrame({"id": [1, 2], "a": [0.25, 1.0], "b": [0.75, 0.0]})
    wide.write_ipc(tmp_path / "wide.arrow")
    wide.write_csv(tmp_path / "wide.csv")
    assert cd.meet(tmp_path / "wide.arrow", tmp_path / "wide.csv", kind="fuzzy") == cd.meet(
        tmp_path / "wide.csv", tmp_path / "wide.csv", kind="fuzzy"
    )
