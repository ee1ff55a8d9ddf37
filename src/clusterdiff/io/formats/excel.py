"""Sheets of Excel: the cells of a table, read as those of a CSV file are."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from clusterdiff.errors import ReadError, did_you_mean, some
from clusterdiff.io.formats.csv import in_csv, table_format
from clusterdiff.io.read import Source

OLD = b"\xd0\xcf\x11\xe0"
"""How workbooks of Excel 97 start."""
OFFICE = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/", b"mimetype")
"""What the first file in the archive that a workbook is may be called."""


def as_table(stack: ExitStack, source: Source) -> Source:
    """The first sheet, or the one that is named, as CSV: texts in quotes, numbers without."""
    if not source.start.startswith(OLD) and not source.start[30:].startswith(OFFICE):
        raise ReadError(
            f"{source.shown} is a zip archive, not a workbook.",
            "unpack it, and name the file that holds the clustering; .csv.gz is read as it is.",
        )
    source, rows = _sheet(source)
    cells = ([None if cell == "" else cell for cell in row] for row in rows)
    made = in_csv(stack, source, (row for row in cells if any(cell is not None for cell in row)))
    if not made.start.strip():
        raise ReadError.empty(source.shown)
    return made


def _sheet(source: Source) -> tuple[Source, list[list[Any]]]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ReadError.without_package(
            source.shown, "an Excel workbook", "excel", "save the sheet as CSV"
        ) from None
    size = source.files[0].stat().st_size
    if size > source.max_bytes:
        raise ReadError.too_large(source.shown, source.max_bytes, size)
    try:
        book = CalamineWorkbook.from_path(str(source.files[0]))
        names = book.sheet_names
        if not names:
            raise ReadError.empty(source.shown)
        rows = _rows(book, _wanted(source, names))
        own = source.cluster if source.colons and source.inside is None else None
        header = list(map(str, rows[0])) if rows else []
        if own is not None and own in names and own not in header:
            source, rows = replace(source, cluster=None, colons=False, inside=own), _rows(book, own)
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        if "assword" in str(error):
            raise ReadError(
                f"{source.shown} is protected by a password.", "save a copy without one, or as CSV."
            ) from None
        raise ReadError.from_engine(source.shown, str(error)) from None
    if len(names) > 1:
        note = f"sheet {(source.inside or names[0])!r} of {len(names):,}"
        source = replace(source, read_as=(*source.read_as, note))
    return source, rows


def _rows(book: Any, sheet: str) -> list[list[Any]]:
    return list(book.get_sheet_by_name(sheet).to_python())


def _wanted(source: Source, names: list[str]) -> str:
    if source.inside is None:
        return names[0]
    if source.inside not in names:
        raise ReadError(
            f"{source.shown} has no sheet {source.inside!r}; it has {some(names)}.",
            f"{did_you_mean(source.inside, names)}Write {source.shown}::{names[0]}::COLUMN.",
        )
    return source.inside


FORMAT = table_format(
    "excel",
    as_table,
    (".xlsx", ".xlsm", ".xls", ".ods"),
    """\
  .xlsx         the first sheet, or FILE::SHEET::COLUMN (extra excel)""",
    re.compile(rb"(?!.{0,196}\.npy)(?:\xd0\xcf\x11\xe0|PK[\x03\x05])", re.DOTALL),
    inside="sheet",
)
