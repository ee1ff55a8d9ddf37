"""The comparison of two tables in which only pairs across sources count, counted in their engine.

The cells are counted by source. Clusters that agree are counted by how many objects of each source
they have; the cells of all others are fetched, and their sizes are added up in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.columns import column
from clusterdiff.clusterings.grouping import by_appearance, number, pair_keys
from clusterdiff.clusterings.rows import flattened
from clusterdiff.contingency import Alignment, BetweenMeet, HardMeet
from clusterdiff.engines.alignment import AlignmentPlan, Fate
from clusterdiff.engines.memory import meet_of_rows, numbered_together
from clusterdiff.engines.samples import no_source, other_source
from clusterdiff.engines.sql import ROW, kept_cells, noted_alignment
from clusterdiff.engines.sql_joins import JoinedCells, JoinSide, total
from clusterdiff.errors import MemoryNeeded

KEPT, ALONE = f"{Fate.KEPT:d}", f"{Fate.ALONE:d}"


def meet_between(cells: JoinedCells, plan: AlignmentPlan) -> BetweenMeet:
    """The meet of two partitions whose objects have sources."""
    _check_sources(cells)
    session, plain = cells.session, cells.plain and not plan.labels
    kept, noise = (cells.name, 0) if plain else kept_cells(cells, plan)
    _check_kept(cells, kept)
    session.free(*(side.view for side in (cells.truth, cells.guess)))
    alignment = noted_alignment(cells, plan, noise)
    marked = _marked(cells, kept, plain)
    session.free(kept)
    one = f"CASE WHEN a = {ALONE} OR b = {ALONE} THEN n ELSE 1 END"
    many = session.row(f"SELECT {total(one)} AS many FROM {marked} WHERE bad")["many"]
    if many * ROW > session.memory:
        raise MemoryNeeded.from_rows(f"{many:,} rows in conflict", many * ROW, session.memory)
    profiles = session.fetch(
        "SELECT profile, count(*) AS times FROM (SELECT "
        f"{session.sorted_pairs('source', 'n')} AS profile FROM {marked} "
        f"WHERE NOT bad AND a = {KEPT} GROUP BY t, g) x GROUP BY profile",
        "counting the clusters that agree",
    )
    singles = session.fetch(
        f"SELECT source, {total('n')} AS n FROM {marked} WHERE NOT bad AND a <> {KEPT} "
        "GROUP BY source"
    )
    rest = session.fetch(
        f"SELECT t, g, source, n, a, b FROM {marked} WHERE bad", f"fetching {many:,} rows"
    )
    session.free(marked)
    return _made(profiles, singles, rest, alignment)


def _marked(cells: JoinedCells, kept: str, plain: bool) -> str:
    """The cells, and whether one is bad: in conflict, as a part of a cluster on which the two sides
    do not agree.
    """
    session = cells.session
    fates = f"{KEPT} AS a, {KEPT} AS b" if plain else "a, b"
    rows = session.view(f"SELECT t, g, source, n, {fates} FROM {kept}")
    joins = ""
    for x, y, own, others in (("t", "g", "a", "b"), ("g", "t", "b", "a")):
        cut = session.lookup(
            f"SELECT {x} FROM {rows} WHERE {own} = {KEPT} GROUP BY {x} HAVING min({y}) <> max({y}) "
            f"OR sum(CASE WHEN {others} <> {KEPT} THEN 1 ELSE 0 END) > 0",
            f"finding cut clusters of {'truth' if x == 't' else 'guess'}",
        )
        joins += f" LEFT JOIN {cut} c{x} ON c{x}.{x} = k.{x} AND k.{own} = {KEPT}"
    apart = f"(k.a <> {KEPT} AND k.b <> {KEPT} AND (k.a <> {ALONE} OR k.b <> {ALONE}))"
    return session.keep(
        "SELECT k.t, k.g, k.source, k.n, k.a, k.b, ct.t IS NOT NULL OR cg.g IS NOT NULL OR "
        f"{apart} AS bad FROM {rows} k{joins}",
        "finding the clusters in conflict",
    )


def _made(profiles: Any, singles: Any, rest: Any, alignment: Alignment) -> BetweenMeet:
    """The meet, clusters that agree in front."""
    length, flat = flattened(profiles.column("profile"))
    label, size = (flat.field(place) for place in range(2))
    parts = [column(label), column(singles.column("source")), column(rest.column("source"))]
    of_profile, of_single, of_rest = numbered_together(parts)[0]
    times, alone = _ints(profiles.column("times")), _ints(singles.column("n"))
    owner = np.concatenate(
        [np.repeat(np.arange(times.size), length), times.size + np.arange(alone.size)]
    )
    part = np.concatenate([_ints(size), np.ones_like(alone)])
    times, source = np.concatenate([times, alone]), np.concatenate([of_profile, of_single])
    both = np.bincount(owner, part, times.size).astype(np.int64)
    same, same_inside = _agreeing(both, times, alignment), _agreeing(part, times[owner], alignment)
    differ = _in_conflict(rest, of_rest, alignment)
    known = np.unique(of_rest)
    return BetweenMeet.cut(
        _joined(same, differ),
        _joined(same_inside, differ.inside),
        np.concatenate([owner, times.size + differ.row]),
        np.concatenate([source, known[differ.source]]),
    )


def _agreeing(both: Ints, times: Ints, alignment: Alignment) -> HardMeet:
    own = np.arange(both.size)
    return HardMeet(
        both=both, truth_size=both, guess_size=both, times=times, truth=own, guess=own,
        alignment=alignment,
    )  # fmt: skip


def _in_conflict(rest: Any, source: Ints, alignment: Alignment) -> BetweenMeet:
    """The rows in conflict; objects that are alone are a row each."""
    n, a, b = (_ints(rest.column(name)) for name in "nab")
    single = (a == Fate.ALONE) | (b == Fate.ALONE)
    index = np.repeat(np.arange(n.size), np.where(single, n, 1))
    count = np.where(single, 1, n)[index]
    sides = []
    for name, status in (("t", a), ("g", b)):
        code, many = number(column(rest.column(name)).keys)
        code, fate = code[index], status[index]
        own = np.flatnonzero(fate == Fate.ALONE)
        code[own] = many + np.arange(own.size)
        sides.append(np.where(fate == Fate.MISSING, -1, code))
    row, first = by_appearance(pair_keys(*sides))
    both = np.bincount(row, count, first.size).astype(np.int64)
    whole = meet_of_rows(sides[0][first], sides[1][first], both, alignment)
    return BetweenMeet.of(whole, row, source[index], count)


def _joined(one: HardMeet, other: HardMeet) -> HardMeet:
    """Rows one after the other, that share no cluster."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("both", "truth_size", "guess_size", "times")
    }
    many = one.both.size
    for side in ("truth", "guess"):
        more = getattr(other, side)
        columns[side] = np.concatenate([getattr(one, side), np.where(more < 0, -1, more + many)])
    return HardMeet(**columns, alignment=one.alignment)


def _check_sources(cells: JoinedCells) -> None:
    """Refuse objects without a source where a side says sources, and those that the two sides say
    to be from different ones.
    """
    session, sides = cells.session, (cells.truth, cells.guess)
    for side in sides:
        if side.sourced and (nulls := session.count(f"{side.view} WHERE source IS NULL")):
            ids = side.ids(f"SELECT id FROM {side.view} WHERE source IS NULL")
            raise no_source(ids, nulls, side.rows, side.table.sources)
    if all(side.sourced for side in sides):
        differ = _beside(*sides, "t.source <> g.source", "JOIN")
        if many := session.count(f"({differ}) x"):
            raise other_source(cells.truth.ids(differ), many, cells.truth.table.sources)


def _check_kept(cells: JoinedCells, kept: str) -> None:
    """Refuse objects that are compared and that neither side says a source of."""
    if all(side.sourced for side in (cells.truth, cells.guess)):
        return
    missing = "CASE WHEN source IS NULL THEN n ELSE 0 END"
    found = cells.session.row(f"SELECT {total(missing)} AS missing, {total('n')} AS n FROM {kept}")
    if found["missing"]:
        test = "coalesce(t.source, g.source) IS NULL"
        nowhere = _beside(cells.truth, cells.guess, test, "FULL JOIN")
        name = cells.truth.table.sources or cells.guess.table.sources
        raise no_source(cells.truth.ids(nowhere), found["missing"], found["n"], name)


def _beside(truth: JoinSide, guess: JoinSide, test: str, join: str) -> str:
    """The ids of objects of both sides that pass a test."""
    left, right = (
        side.view if side.sourced else f"(SELECT *, NULL AS source FROM {side.view})"
        for side in (truth, guess)
    )
    query = f"SELECT coalesce(t.id, g.id) AS id FROM {left} t {join} {right} g ON t.id = g.id"
    return f"SELECT id FROM ({query} WHERE {test}) x"


def _ints(values: Any) -> Ints:
    return np.asarray(values.to_numpy(), np.int64)
