"""Workbooks: which sheet is read, what cells are, and what is said without the package."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

import clusterdiff as cd
from inputs.formats.test_tables import workbook
from refusals import refuses

RUNS = [("id", "gold"), (1, "a"), (2, "a"), (3, "b")]
MORE = [("id", "cluster"), (1, "NA"), (2, "NA"), (None, None), ("3", 1.5)]


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    workbook(folder / "book.xlsx", {"runs": RUNS, "more": MORE})
    return folder


def test_without_the_package_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    caught = refuses("is an Excel workbook", cd.read, "book.xlsx")
    assert "pip install 'clusterdiff[excel]'" in caught.hint


def test_archives_that_are_no_workbooks_are_named(folder: Path) -> None:
    with zipfile.ZipFile("table.zip", "w") as out:
        out.writestr("table.csv", "id,cluster\n1,a\n")
    refuses("zip archive", cd.read, "table.zip")


def test_the_first_sheet_is_read_and_the_others_by_name() -> None:
    pytest.importorskip("python_calamine")
    first = cd.read("book.xlsx")
    assert first.notes == ("sheet 'runs' of 2",)
    assert first.labels.tolist() == ["a", "a", "b"]
    assert first.ids is not None
    assert first.ids.tolist() == [1, 2, 3]
    for path in ("book.xlsx::more", "book.xlsx::more::cluster"):
        found = cd.read(path)
        assert found.notes == ("sheet 'more' of 2",)
        assert found.labels.tolist() == ["NA", "NA", "1.5"]
    refuses("has no sheet 'mroe'; it has runs, more", cd.read, "book.xlsx::mroe::cluster")


def test_empty_sheets_and_wrong_bytes(folder: Path) -> None:
    pytest.importorskip("python_calamine")
    workbook(folder / "empty.xlsx", {"one": []})
    refuses("has no rows", cd.read, "empty.xlsx")
    (folder / "wrong.xlsx").write_bytes(b"PK\x03\x04" + bytes(26) + b"xl/" + bytes(100))
    refuses("could not be read", cd.read, "wrong.xlsx")
    (folder / "text.xlsx").write_text("id,cluster\n1,a\n")
    refuses(None, cd.read, "text.xlsx")
