"""A table of a session as a clustering in memory, read through the connection of the session."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from clusterdiff.backends.columns.find import Columns, made_of_matrix
from clusterdiff.backends.duckdb import DuckSession, families
from clusterdiff.backends.sql.join import written_whole
from clusterdiff.backends.sql.session import Session
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings import AnyClustering, Column, column
from clusterdiff.inputs.read import Source


def loaded(
    source: Source,
    session: DuckSession,
    rows: str,
    columns: Columns,
    bare: Callable[[str], int] | None = None,
) -> AnyClustering:
    """The rows of a table or view, which has columns as engines call them, in their order.

    One column after the other, so that no two are in memory in the form in which they come. Of
    text that was parsed, `bare` counts labels that are a word without quotes.
    """
    written = bare is not None

    def fetched(name: str) -> Any:
        return session.fetch(f"SELECT {name} AS v FROM {rows}", doing).column("v")

    def taken(name: str, own: str | None) -> Column | None:
        if own is None:
            return None
        typed = f"{name}::BIGINT" if name in whole else name
        return column(fetched(typed), written=written)

    doing = f"reading {source.shown}"
    given = {"cluster": columns.cluster or None, "id": columns.id, "sample": columns.sample}
    with session.reading(source.shown, ()), session.in_order():
        present = [name for name, own in given.items() if own is not None]
        whole = whole_columns(session, rows, present) if written else ()
        cluster, ids, samples = (taken(name, own) for name, own in given.items())
        graded = [f"w{i}" for i in range(len(columns.wide))] or ["degree"] * bool(columns.degree)
        given_degrees = [_degrees(fetched(name)) for name in graded]
        degrees = [numbers for numbers, _ in given_degrees]
    session.check()
    commas = any(found for _, found in given_degrees)
    notes = ("degrees read with a decimal comma",) if commas else ()
    if columns.wide:
        known = source.kind, source.shown, columns
        matrix = made_of_matrix(*known, ids, samples, degrees, source.rest)
        matrix.notes += notes
        return matrix

    def made() -> AnyClustering:
        return source.made(cluster, ids, samples, degrees[0] if degrees else None)

    found = columns.checked(source.shown, made)
    found.notes += notes
    if bare is not None and cluster is not None:
        words = [word for word, n in cluster.null_words.items() if n > 1]
        found.bare_words = {word: bare(word) for word in words}
    return found


def table_in(
    session: DuckSession,
    source: Source,
    view: str,
    columns: Columns,
    load: Callable[[Callable[[Source], AnyClustering]], AnyClustering],
    again: Callable[[Source], AnyClustering],
    bare: Callable[..., int] | None = None,
) -> Table:
    """The rows of a view as a table of a file that stays where it is; what does not fit the types
    that it has there is read again.
    """

    def read(source: Source) -> AnyClustering:
        try:
            return loaded(source, session, view, columns, bare)
        except NeedsMemory:
            return again(source)

    return Table(
        session, view, columns, families(session, view), source.kind, source.shown,
        partial(load, read), is_file=True, written=bare is not None, rest=source.rest,
        files=len(source.files), bare=bare,
    )  # fmt: skip


def whole_columns(session: Session, rows: str, names: list[str]) -> list[str]:
    """Columns of text that hold whole numbers alone: 7 is one, 07 and +7 are not."""
    if not names:
        return []
    tests = [
        f"count({name}) = count(*) AND bool_and(({written_whole(name)}) IS TRUE) AS {name}"
        for name in names
    ]
    found = session.row(f"SELECT {', '.join(tests)} FROM {rows}")
    return [name for name in names if found[name]]


def _degrees(values: Any) -> tuple[Any, bool]:
    """Degrees as numbers, where they are; and whether they have decimal commas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return values.cast(pa.float64()).to_numpy(), False
    except pa.ArrowInvalid:
        pass
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if not pc.any(pc.match_substring(values, ".")).as_py():
            return pc.replace_substring(values, ",", ".").cast(pa.float64()).to_numpy(), True
    return values.to_pylist(), False
