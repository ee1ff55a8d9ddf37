"""Releases in tables of an engine: objects stay there, and clusters and rows come into memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.columns import Column, column
from clusterdiff.clusterings.rows import arrow_table
from clusterdiff.contingency.cover import Overlaps
from clusterdiff.engines.label_checks import check_table, read_notes
from clusterdiff.engines.protocol import NeedsMemory, Table, written_whole
from clusterdiff.engines.sql import join_side, look_alike, noise_test, once
from clusterdiff.engines.sql_joins import JoinSide, total
from clusterdiff.errors import InputError, MemoryNeeded
from clusterdiff.io.session import HELD
from clusterdiff.output.writing import arrow_of, copy_query, copy_to_file
from clusterdiff.releases.joins import (
    DECIMALS,
    LARGEST,
    SCALE,
    KnownIds,
    Releases,
    check_missing,
    check_total,
    check_wrong,
    too_fine,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.contingency import Policy

# What objects count, in a table of an engine: whole numbers, as in memory.


def weights_in(
    weight: Table, as_text: bool, new: JoinSide, rows: str, id: Callable[..., str]
) -> tuple[str, int]:
    """A table of ids and weights in units of 1 / scale, and the scale."""
    session = weight.session
    side = once(join_side("weight", weight, {"id": as_text, "sample": False}))
    typed = session.view(
        f"SELECT id, cluster, TRY_CAST(cluster AS DOUBLE) AS real, "
        f"TRY_CAST(cluster AS DECIMAL(28, {DECIMALS})) AS exact FROM {side.view}"
    )
    bad = f"FROM {typed} WHERE NOT (real >= 0 AND real < CAST('Infinity' AS DOUBLE)) IS TRUE"
    wrong = session.row(f"SELECT count(*) AS n {bad}")["n"]
    if wrong:
        found = session.fetch(f"SELECT cluster {bad} ORDER BY id LIMIT 3").column("cluster")
        raise check_wrong(wrong, side.rows, found.to_pylist())
    fine = f"FROM {typed} WHERE exact IS NULL OR CAST(exact AS DOUBLE) <> real OR real >= {LARGEST}"
    for row in session.fetch(f"SELECT real {fine} ORDER BY id LIMIT 1").to_pylist():
        raise too_fine(row["real"])
    parts = session.row(f"SELECT count(*) AS n FROM {typed} WHERE real <> floor(real)")["n"]
    scale = SCALE if parts else 1
    check_total(scale * (session.row(f"SELECT sum(real) AS n FROM {typed}")["n"] or 0.0))
    made = session.keep(
        f"SELECT {id()} AS id, CAST(exact * {scale} AS BIGINT) AS w FROM {typed}",
        "reading the weights",
    )
    lacking = f"FROM {rows} v LEFT JOIN {made} w ON w.id = {id('v.id')} WHERE w.id IS NULL"
    missing = session.row(f"SELECT count(*) AS n {lacking}")["n"]
    if missing:
        raise check_missing(missing, new.rows, new.ids(f"SELECT v.id AS id {lacking}"))
    return made, scale


ROW = 200
"""Bytes for a cluster or a row of a contingency table, until all is done with it: measured for
three releases of 5 million objects in 1.7 million clusters each.
"""


class TableReleases(Releases):
    """Tables of one session; noise is in no cluster."""

    def __init__(
        self, names: list[str], tables: Sequence[Table], policy: Policy, weight: Table | None
    ) -> None:
        for table in [*tables, *([] if weight is None else [weight])]:
            _check_unfit(table)
        self.names = names
        self.notes = read_notes(dict(zip(names, tables, strict=True)))
        self.noise: list[int] = []
        self.session, self._tables, self._policy = tables[0].session, tables, policy
        as_text = any(look_alike(tables[0], table, "id") for table in tables[1:])
        self._sides = [
            once(join_side(name, table, {"id": as_text, "sample": False}))
            for name, table in zip(names, tables, strict=True)
        ]
        self._whole = all(
            side.table.families["id"] == "integers"
            or (side.table.written and _all_whole(side, "id"))
            for side in self._sides
        )
        self._rows: list[str] = []
        self._objects: list[str] = []
        self._numbers: list[str] = []
        self._labels: list[Column] = []
        self._sizes: list[Ints] = []
        for side in self._sides:
            self._add(side)
        self._known = ""
        self._given: list[str] = []
        self._weights, self._scale = "", 1
        if weight is not None:
            own = self._sides[-1], self._rows[-1], self._id
            self._weights, self._scale = weights_in(weight, as_text, *own)

    def _id(self, name: str = "id") -> str:
        """An id in SQL; whole numbers that were written as text are numbers."""
        return f"CAST({name} AS BIGINT)" if self._whole else name

    def _add(self, side: JoinSide) -> None:
        """A release: its clusters by their smallest object, and that of each object."""
        run, noise = self.session, noise_test(side, "cluster", self._policy)
        self.notes += check_table(side, self._policy)
        _check_nulls(side, self._policy)
        inside = run.view(f"SELECT {self._id()} AS id, cluster FROM {side.view} WHERE NOT {noise}")
        found = run.keep(
            "SELECT cluster, n, row_number() OVER (ORDER BY least) - 1 AS k FROM "
            f"(SELECT cluster, count(*) AS n, min(id) AS least FROM {inside} GROUP BY cluster) x",
            f"finding the clusters of {side.name}",
        )
        many = run.row(f"SELECT count(*) AS n FROM {found}")["n"]
        self._check(many, f"{many:,} clusters of {side.name}")
        objects = run.keep(
            f"SELECT o.id AS id, c.k AS k FROM {inside} o JOIN {found} c ON o.cluster = c.cluster",
            f"numbering the clusters of {side.name}",
        )
        rows = run.fetch(f"SELECT cluster, n FROM {found} ORDER BY k")
        self.noise.append(side.rows - int(np.asarray(rows.column("n")).sum()))
        self._labels.append(_labels(side, rows.column("cluster")))
        self._sizes.append(_ints(rows, "n"))
        self._numbers.append(found)
        self._objects.append(objects)
        self._rows.append(side.view)

    def _check(self, rows: int, what: str) -> None:
        """Refuse more rows than fit beside the clusters of all releases."""
        before = sum(sizes.size for sizes in self._sizes)
        beside = f" beside {before:,} clusters" if before else ""
        if (need := (before + rows) * ROW) > self.session.memory:
            raise MemoryNeeded.for_releases(what + beside, need, self.session.memory)

    def labels(self, release: int) -> Column:
        return self._labels[release]

    def sizes(self, release: int) -> Ints:
        return self._sizes[release]

    @cache  # noqa: B019, the releases live as long as what is asked of them
    def _step(self, release: int) -> str:
        old, new = self._objects[release : release + 2]
        return self.session.keep(
            f"SELECT a.k AS old, b.k AS new, count(*) AS n FROM {old} a JOIN {new} b "
            "ON a.id = b.id GROUP BY a.k, b.k",
            f"joining {self.names[release]} and {self.names[release + 1]}",
        )

    @cache  # noqa: B019
    def step(self, release: int) -> Overlaps:
        rows = self._fetched(f"SELECT old, new, n FROM {self._step(release)}")
        sizes = self.sizes(release), self.sizes(release + 1)
        old, new, shared = (_ints(rows, name) for name in ("old", "new", "n"))
        return Overlaps(old, new, shared, *sizes).in_order()

    def _fetched(self, query: str) -> Any:
        many = self.session.row(f"SELECT count(*) AS n FROM ({query}) x")["n"]
        self._check(many, f"{many:,} rows")
        return self.session.fetch(query, f"fetching {many:,} rows")

    def name(self, release: int, ids: Ints) -> None:
        columns = {"k": np.arange(ids.size), "number": ids}
        given = self.session.uploaded_rows(arrow_table(columns))
        now = (
            f"SELECT o.id AS id, m.number AS number FROM {self._objects[release]} o "
            f"JOIN {given} m ON m.k = o.k"
        )
        self._given.append(self.session.keep(now, f"naming the clusters of {self.names[release]}"))
        if not self._known:
            self._known = self._given[0]
            return
        self._known = self.session.keep(
            "SELECT coalesce(n.id, l.id) AS id, coalesce(n.number, l.number) AS number "
            f"FROM {self._given[-1]} n FULL JOIN {self._known} l ON l.id = n.id",
            "keeping the last known ids",
        )

    def known(self, release: int) -> KnownIds:
        before = ""
        here = "c.id IS NOT NULL"
        if release:
            before = f"LEFT JOIN {self._objects[release - 1]} p ON p.id = l.id "
            here += " OR p.id IS NOT NULL"
        return self._counted(release, self._known, before, here)

    def ever_known(self, release: int) -> KnownIds:
        every = " UNION ".join(f"SELECT id, number FROM {given}" for given in self._given)
        return self._counted(release, f"({every})", "", "TRUE")

    def _counted(self, release: int, ids: str, before: str, here: str) -> KnownIds:
        weight, heavy = "", ""
        if self._weights:
            weight = f", {total('w.w')} AS w"
            heavy = f"LEFT JOIN {self._weights} w ON w.id = c.id "
        rows = self._fetched(
            f"SELECT l.number AS number, c.k AS k, count(*) AS n{weight} FROM {ids} l "
            f"LEFT JOIN {self._objects[release]} c ON c.id = l.id {before}{heavy}"
            f"WHERE {here} GROUP BY l.number, c.k"
        )
        number, n = _ints(rows, "number"), _ints(rows, "n")
        k = np.asarray(rows.column("k").fill_null(-1).to_numpy(), np.int64)
        found, place = np.unique(number, return_inverse=True)
        size = np.zeros(found.size, np.int64)
        np.add.at(size, place, n)
        inside = k >= 0
        weights = _ints(rows, "w")[inside] if self._weights else None
        sizes = size, self.sizes(release)
        rows = Overlaps(place[inside], k[inside], n[inside], *sizes, weights, self._scale)
        return KnownIds(found, rows)

    def _renamed(self, release: int, ids: Column) -> str:
        """A query for id and cluster under other labels; noise keeps its own."""
        columns = {"k": np.arange(len(ids)), "name": arrow_of(ids)}
        names = self.session.uploaded_rows(arrow_table(columns))
        own = ""
        if self.noise[release]:
            kind = "STRING" if ids.family == "text" else "BIGINT"
            own = f", CAST(v.cluster AS {kind})"
        return (
            f"SELECT {self._id('v.id')} AS id, coalesce(m.name{own}) AS cluster "
            f"FROM {self._rows[release]} v "
            f"LEFT JOIN {self._numbers[release]} c ON c.cluster = v.cluster "
            f"LEFT JOIN {names} m ON m.k = c.k"
        )

    def renamed(self, release: int, ids: Column) -> Any:
        query = self._renamed(release, ids)
        if self.session.remote:
            return self.session.frame_of(query, self._called(release))
        rows = self._in_memory(release, query)
        return Partition(column(rows.column("cluster")), ids=column(rows.column("id")))

    def _in_memory(self, release: int, query: str) -> Any:
        need = self._sides[release].rows * HELD
        if need > self.session.memory:
            rows = self._sides[release].rows
            raise MemoryNeeded.from_objects(rows, need, self.session.memory)
        return self.session.fetch(query, "fetching the renamed objects")

    def _called(self, release: int) -> tuple[str, str]:
        columns = self._tables[release].columns
        return columns.id or "id", columns.cluster or "cluster"

    def write(self, release: int, ids: Column, path: str) -> None:
        query = self._renamed(release, ids)
        id, cluster = self._called(release)
        if self.session.remote:
            rows = self._in_memory(release, query)
            copy_to_file({id: rows.column("id"), cluster: rows.column("cluster")}, path)
            return
        names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (id, cluster)]
        chosen = f"SELECT id AS {names[0]}, cluster AS {names[1]} FROM ({query}) x"
        self.session.run(copy_query(chosen, path), "writing the renamed objects")

    @cached_property
    def _stability(self) -> str:
        """A table with the sum of what each object has in its steps, and how many there are."""
        made, like = "", "sum(n) OVER (PARTITION BY {})"
        for release in range(len(self.names) - 1):
            whole = f"greatest({like.format('old')}, {like.format('new')})"
            value = f"CAST(n AS DOUBLE) / CAST({whole} AS DOUBLE)"
            rows = self.session.keep(
                f"SELECT old, new, {value} AS v FROM {self._step(release)}", "measuring stability"
            )
            old, new = self._objects[release : release + 2]
            step = (
                f"SELECT a.id AS id, r.v AS v FROM {old} a JOIN {new} b ON b.id = a.id "
                f"JOIN {rows} r ON r.old = a.k AND r.new = b.k"
            )
            if not made:
                query = f"SELECT id, v AS total, 1 AS steps FROM ({step}) s"
            else:
                query = (
                    "SELECT coalesce(t.id, s.id) AS id, "
                    "coalesce(t.total, CAST(0 AS DOUBLE)) + coalesce(s.v, CAST(0 AS DOUBLE)) "
                    "AS total, coalesce(t.steps, 0) + CASE WHEN s.id IS NULL THEN 0 ELSE 1 END "
                    f"AS steps FROM {made} t FULL JOIN ({step}) s ON s.id = t.id"
                )
            made = self.session.keep(query, "measuring the stability of objects")
        return made

    @property
    def _of_objects(self) -> str:
        return f"SELECT id, total / steps AS stability, steps FROM {self._stability} ORDER BY id"

    def objects(self) -> tuple[Column, Floats, Ints]:
        many = self.session.row(f"SELECT count(*) AS n FROM {self._stability}")["n"]
        self._check(many, f"the stability of {many:,} objects")
        rows = self.session.fetch(self._of_objects, "fetching the stability of objects")
        value = np.asarray(rows.column("stability").to_numpy(), np.float64)
        return column(rows.column("id")), value, _ints(rows, "steps")

    def write_objects(self, path: str) -> bool:
        if self.session.remote:
            return False
        self.session.run(copy_query(self._of_objects, path), "writing the stability of objects")
        return True

    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        group, inner = "0", ""
        if release is not None:
            group, inner = "o.k", f"JOIN {self._objects[release]} o ON o.id = t.id"
        rows = self._fetched(
            f"SELECT k, v, count(*) AS n FROM (SELECT {group} AS k, t.total / t.steps AS v "
            f"FROM {self._stability} t {inner}) x GROUP BY k, v"
        )
        k, n = _ints(rows, "k"), _ints(rows, "n")
        value = np.asarray(rows.column("v").to_numpy(), np.float64)
        order = np.lexsort((value, k))
        return k[order], value[order], n[order]


def _check_unfit(table: Table) -> None:
    """Say what only memory can follow."""
    table.check_nested()
    if table.columns.sample is not None:
        raise NeedsMemory("samples")
    if table.columns.id is None:
        raise NeedsMemory("objects without ids")
    if table.families["id"] not in ("integers", "text"):
        raise NeedsMemory("ids that are neither whole numbers nor text")
    if table.families["cluster"] not in ("integers", "text", "numbers"):
        raise NeedsMemory("clusters that are neither numbers nor text")


def _all_whole(side: JoinSide, name: str) -> bool:
    """Whether all values of a column of text are whole numbers, as in memory."""
    test = f"CASE WHEN ({written_whole(name)}) IS TRUE THEN 0 ELSE 1 END"
    return not side.table.session.row(f"SELECT {total(test)} AS n FROM {side.view}")["n"]


def _labels(side: JoinSide, values: Any) -> Column:
    written = side.table.written
    labels = column(values, written=written)
    if written and side.table.families["cluster"] == "text" and _all_whole(side, "cluster"):
        return column(np.array(list(map(int, labels.tolist())), np.int64), written=True)
    return labels


def _check_nulls(side: JoinSide, policy: Policy) -> None:
    if None in policy.noise_labels:
        return
    without = f"FROM {side.view} WHERE cluster IS NULL"
    nulls = side.table.session.row(f"SELECT count(*) AS n {without}")["n"]
    if nulls:
        some = side.ids(f"SELECT id {without}")
        raise InputError.from_nulls(side.name, nulls, side.rows, some, dropped=True)


def _ints(rows: Any, name: str) -> Ints:
    return np.asarray(rows.column(name).to_numpy(), np.int64)
