"""From the cells of two partitions to their meet: clusters that agree are counted by size, and
only the rows in conflict leave the engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clusterdiff.backends.alignment import AlignmentPlan, Fate
from clusterdiff.backends.sql.align import SHARED, TIMES, kept_cells
from clusterdiff.backends.sql.fetch import meet_of, stack_of
from clusterdiff.backends.sql.join import JoinedCells, sample_order, total
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.errors import MemoryNeeded
from clusterdiff.meet import Alignment, HardMeet, Sketch, Stack

ROW = 160
"""Bytes for a row in conflict, from when it is fetched until the costliest measure is done."""


def hard_meet(
    cells: JoinedCells, plan: AlignmentPlan, labels: list[Column] | None = None
) -> HardMeet | Stack | Sketch:
    """The meet of two partitions; with samples, their meets side by side.

    Where the rows in conflict would take more memory than there is, only their shapes are counted.
    Where `labels` is given, it gets what the clusters of the rows in conflict are called, and
    the tables stay.
    """
    session, s = cells.session, "s, " if cells.sampled else ""
    plain = cells.plain and not plan.labels
    kept, noise = (cells.name, 0) if plain else kept_cells(cells, plan)
    if labels is None:
        session.free(*(side.view for side in (cells.truth, cells.guess)))
    alignment = plan.alignment(cells.only_truth, cells.only_guess, noise, cells.repeats)
    if plan.lacked is Fate.DROPPED and cells.only_guess > cells.both:
        alignment = replace(alignment, cut=_cut(cells))
    rows = _conflicts(cells, kept, plain)
    shared, times = ("n", "1") if plain else (SHARED, TIMES)
    agree = (
        f"SELECT {s}shared, {total('k')} AS times FROM ("
        f"SELECT {s}{shared} AS shared, {times} AS k FROM {kept} "
        f"UNION ALL SELECT {s}shared, -times AS k FROM {rows}) x "
        f"GROUP BY {s}shared HAVING sum(k) > 0"
    )
    query = f"SELECT {total('times')} AS many FROM {rows}"
    many = session.row(query, "finding the clusters in conflict")["many"]
    need = many * ROW
    if need > session.memory:
        if cells.sampled:
            raise MemoryNeeded.from_rows(f"{many:,} rows in conflict", need, session.memory)
        return _sketch(cells, rows, agree, alignment, need)
    agreeing = _fetched(cells, agree, "counting the clusters that agree")
    session.free(kept)
    some = "" if plain else "a, b, times, "
    found = _fetched(
        cells,
        f"SELECT {s}t, g, {some}shared, truth_size, guess_size FROM {rows}",
        f"fetching {many:,} rows in conflict",
    )
    session.free(rows)
    if labels is not None:
        labels += [column(found[side]) for side in "tg"]
    if cells.sampled:
        return stack_of(sample_order(cells, agreeing["s"].type), agreeing, found, alignment)
    return meet_of(agreeing, found, alignment)


def _cut(cells: JoinedCells) -> int:
    """Clusters of guess of which truth knows some objects and lacks others."""
    if cells.sampled:
        return 0
    some = "sum(n_truth + n_guess - n) > 0 AND sum(n - n_truth) > 0"
    query = f"SELECT g FROM {cells.name} WHERE n_guess > 0 GROUP BY g HAVING {some}"
    found: int = cells.session.row(f"SELECT count(*) AS n FROM ({query}) x")["n"]
    return found


def _fetched(cells: JoinedCells, query: str, doing: str) -> dict[str, Any]:
    """The columns of what a query finds."""
    table = cells.session.fetch(query, doing)
    return {name: table.column(name) for name in table.column_names}


def _conflicts(cells: JoinedCells, kept: str, plain: bool) -> str:
    """The rows of clusters that do not agree, with the sizes of their clusters.

    A cluster with one row has the size of that row; so only those with several are looked up.
    """
    session = cells.session
    s, on = ("s, ", " AND {0}.s = k.s") if cells.sampled else ("", "")
    kept_in = {"t": f" WHERE a = {Fate.KEPT:d}", "g": f" WHERE b = {Fate.KEPT:d}"}
    known = {"t": "", "g": ""} if plain else kept_in
    sizes = {
        x: session.lookup(
            f"SELECT {s}{x}, {total('n')} AS size FROM {kept}{known[x]} GROUP BY {s}{x} "
            "HAVING count(*) > 1",
            f"measuring the clusters of {'truth' if x == 't' else 'guess'}",
        )
        for x in "tg"
    }
    joins = " ".join(
        f"LEFT JOIN {sizes[x]} s{x} ON s{x}.{x} = k.{x}{on.format(f's{x}')}" for x in "tg"
    )
    first = "k.s, " if cells.sampled else ""
    if plain:
        return session.keep(
            f"SELECT {first}k.t, k.g, k.n AS shared, 1 AS times, "
            "coalesce(st.size, k.n) AS truth_size, "
            f"coalesce(sg.size, k.n) AS guess_size FROM {kept} k {joins} "
            "WHERE st.size IS NOT NULL OR sg.size IS NOT NULL",
            "finding the clusters in conflict",
        )
    size = (
        f"CASE k.{{0}} WHEN {Fate.KEPT:d} THEN coalesce(s{{1}}.size, k.n) "
        f"WHEN {Fate.ALONE:d} THEN 1 ELSE 0 END AS {{2}}"
    )
    return session.keep(
        f"SELECT * FROM (SELECT {first}k.t, k.g, k.a, k.b, {SHARED} AS shared, {TIMES} AS times, "
        f"{size.format('a', 't', 'truth_size')}, {size.format('b', 'g', 'guess_size')} "
        f"FROM {kept} k {joins}) x WHERE shared <> truth_size OR shared <> guess_size",
        "finding the clusters in conflict",
    )


def _sketch(cells: JoinedCells, rows: str, agree: str, alignment: Alignment, need: int) -> Sketch:
    """The shapes alone, counted in the engine."""
    session = cells.session
    shapes = session.fetch(
        f"SELECT shared, truth_size, guess_size, {total('k')} AS times FROM ("
        f"SELECT shared, shared AS truth_size, shared AS guess_size, times AS k FROM ({agree}) a "
        f"UNION ALL SELECT shared, truth_size, guess_size, times AS k FROM {rows}) x "
        "GROUP BY shared, truth_size, guess_size",
        "counting shapes",
    )
    columns = {
        name: np.asarray(shapes.column(own).to_numpy(), np.int64)
        for name, own in {
            "both": "shared", "truth_size": "truth_size", "guess_size": "guess_size",
            "times": "times",
        }.items()
    }  # fmt: skip
    return Sketch(**columns, alignment=alignment, need=need, memory=session.memory)
