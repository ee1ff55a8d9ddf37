"""What has to be known of releases to follow their clusters: contingency tables, a few rows each.

Clusters of a release are numbered in the order of the smallest object that each has. Ids that last
are numbers here too; what they are called is not the business of an engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.columns import (
    Column,
    ascends,
    by_least,
    column,
    numbers_of,
    ranked,
    sorting,
)
from clusterdiff.clusterings.counts import TOO_LARGE
from clusterdiff.clusterings.grouping import group_pairs, number, seen_in_order, small_codes
from clusterdiff.clusterings.rows import arrow_table
from clusterdiff.contingency.cover import Overlaps, sums
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.label_checks import check_side, check_table, read_notes
from clusterdiff.engines.memory import check_no_nulls, match_ids
from clusterdiff.engines.protocol import NeedsMemory, Table, written_whole
from clusterdiff.engines.sql import join_side, look_alike, noise_test, once
from clusterdiff.engines.sql_joins import JoinSide, total
from clusterdiff.errors import ClusterdiffError, InputError, MemoryNeeded, examples
from clusterdiff.io.runs import counts_of, near_misses, numbered_objects
from clusterdiff.io.session import HELD
from clusterdiff.output.writing import arrow_of, copy_query, copy_to_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Policy
    from clusterdiff.engines.label_checks import Notes
    from clusterdiff.io.runs import Runs, Side


class KnownIds(NamedTuple):
    """Ids that objects have, beside the clusters that they are in now."""

    ids: Ints
    """The ids, each once."""
    overlaps: Overlaps
    """Objects by the place of their id among these, and by cluster."""


class Releases(ABC):
    """Clusterings in the order of time."""

    names: list[str]
    noise: list[int]
    """How many objects of each are noise, which are in no cluster."""
    notes: Notes
    """How they were read where that may not be what was meant."""

    @abstractmethod
    def labels(self, release: int) -> Column:
        """What the clusters of a release are called there, by number."""

    @abstractmethod
    def sizes(self, release: int) -> Ints:
        """How many objects each of its clusters has."""

    @abstractmethod
    def step(self, release: int) -> Overlaps:
        """The clusters of a release beside those of the next one."""

    @abstractmethod
    def name(self, release: int, ids: Ints) -> None:
        """From now on the objects of a release have these ids, one for each of its clusters."""

    @abstractmethod
    def known(self, release: int) -> KnownIds:
        """The last known id of each object of this release or of the one before it."""

    @abstractmethod
    def ever_known(self, release: int) -> KnownIds:
        """All ids that objects of a release have ever had."""

    @abstractmethod
    def renamed(self, release: int, ids: Column) -> Any:
        """A release under other labels, one for each of its clusters: where it is, the same kind
        of thing.
        """

    @abstractmethod
    def write(self, release: int, ids: Column, path: str) -> None:
        """The same as a file, CSV or Parquet by its ending."""

    @abstractmethod
    def objects(self) -> tuple[Column, Floats, Ints]:
        """For each object that two releases in a row have, in the order of their ids: its id, its
        stability, the mean over such steps of |A ∩ B| / max(|A|, |B|), and how many there are.
        """

    def write_objects(self, path: str) -> bool:
        """Write the same as CSV, and whether that was done; in memory there is no need to."""
        return False

    @abstractmethod
    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        """How many objects have which stability in each cluster of a release (cluster, stability,
        objects; in this order), or among all objects.
        """


# What objects count: whole numbers, so that sums are exact.

DECIMALS = 6
"""Decimals that a weight may have."""
SCALE = 10**DECIMALS
LARGEST = 10**9
"""Weights are below it."""


def scaled(weights: Column, ids: Any = None) -> tuple[Ints, int]:
    """Weights as whole numbers, and how many of them are one; refused where they are no numbers,
    below 0, or have more decimals than sums are exact with.
    """
    values = np.array([_number(one) for one in weights.tolist()], np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if wrong.size:
        raise check_wrong(wrong.size, values.size, [weights[int(i)] for i in wrong[:3]])
    whole = np.round(values * SCALE)
    fine = np.flatnonzero((whole / SCALE != values) | (values >= LARGEST))
    if fine.size:
        raise too_fine(float(values[fine[0]]))
    scale = 1 if (values == np.floor(values)).all() else SCALE
    check_total(float(values.sum()) * scale)
    return (values if scale == 1 else whole).astype(np.int64), scale


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def check_wrong(wrong: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Weights that are no numbers, or below 0."""
    return ClusterdiffError(
        f"{wrong:,} of {of:,} weights are no numbers from 0 on ({examples(some)}).",
        "a weight says how much an object counts: 0 for nothing, 2 for twice as much.",
    )


def too_fine(value: float) -> ClusterdiffError:
    """A weight whose sums are not exact."""
    return ClusterdiffError(
        f"sums of weights such as {value!r} are not exact: they have at most {DECIMALS} decimals, "
        f"and are below {LARGEST:.0e}.",
        f"round them to {DECIMALS} decimals; only their proportions count.",
    )


def check_total(total: float) -> None:
    """Refuse weights whose sum does not fit a whole number of 64 bits."""
    if total >= 2**62:
        raise ClusterdiffError(
            "the weights add up to more than can be counted exactly.",
            "divide all of them by the same number; only their proportions count.",
        )


MOST = 2**43
"""Objects that can be followed: shares of them are compared in whole numbers, in millionths."""


def check_few(count: Ints) -> None:
    """Refuse more objects than shares are compared of."""
    if (total := sum(count.tolist())) >= MOST:
        raise InputError(
            f"the counts add up to {total:.3g} objects; fewer than 2⁴³ (8.8e12) can be followed.",
            TOO_LARGE,
        )


def check_missing(missing: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Objects without a weight."""
    return ClusterdiffError(
        f"{missing:,} of {of:,} objects have no weight ({examples(some)}).",
        "give each object of the new run a weight, 0 where it counts nothing.",
    )


def weights_of_objects(
    weight: Partition, new: Partition, ids: Column | None, objects: int
) -> tuple[Ints, int]:
    """The weight of every object, 0 of those that the new run lacks; without ids, weights are in
    the order of the new run.
    """
    numbers, scale = scaled(weight.labels)
    given = weight.ids
    if given is None:
        if len(weight) != len(new):
            raise InputError.from_lengths("weights", len(weight), len(new))
        given = new.ids
    made = np.zeros(objects, np.int64)
    if ids is None:
        if given is not None:
            raise ClusterdiffError(
                "the weights have ids, and the runs have none.",
                "give the runs with ids, or one weight for each object in their order.",
            )
        made[:] = numbers
        return made, scale
    assert given is not None
    assert new.ids is not None
    lacking = match_ids(given, new.ids).only_guess
    if lacking.size:
        raise check_missing(lacking.size, len(new), [new.id_of(int(i)) for i in lacking[:3]])
    found = match_ids(ids, given)
    where = np.arange(objects) if found.truth is None else found.truth
    made[where] = numbers if found.guess is None else numbers[found.guess]
    return made, scale


# Releases in memory: every object has one number in all of them.


class MemoryReleases(Releases):
    """Partitions in memory; noise is in no cluster."""

    def __init__(self, runs: Runs, policy: Policy, weight: AnyClustering | None = None) -> None:
        sides = runs.partitions()
        self.notes = read_notes(runs.sides)
        for name, side in sides.items():
            if side.samples is not None:
                raise ClusterdiffError(
                    f"{name} has samples, and clusters are followed in one collection of objects.",
                    "take one sample at a time, or join sample and id into one id.",
                )
            self.notes += check_side(name, [side], policy)
        self.names, self._sides = list(sides), list(sides.values())
        self._given_as = list(runs.sides.values())
        self._places, self._ids, self._many = numbered_objects(sides)
        self.notes += near_misses(self.names, self._places, self._ids, self._many)
        self.noise: list[int] = []
        self._labels: list[Column] = []
        self._sizes: list[Ints] = []
        self._code: list[Ints] = []
        self._rank: list[Ints] = []
        self._count = counts_of(sides.values(), self._places, self._ids, self._many)
        if self._count is not None:
            self.notes += (("", f"objects are counted ({self._sides[0].counted})"),)
            check_few(self._count)
        plan = plan_of(policy, "partition")
        for place, (name, side) in enumerate(sides.items()):
            check_no_nulls(name, side, plan)
            self._add(side, place, policy)
        self._given: list[tuple[int, Ints]] = []
        self._weight: Ints | None = None
        self._scale = 1
        if isinstance(weight, Partition):
            new = self._sides[-1], self._ids, self._many
            self._weight, self._scale = weights_of_objects(weight, *new)
            if self._count is not None:
                check_total(float((self._weight.astype(np.float64) * self._count).sum()))
                self._weight = self._weight * self._count

    def _add(self, side: Partition, release: int, policy: Policy) -> None:
        """A release: its clusters by their smallest object, and that of each object."""
        own = self._places[release]
        code, many = small_codes(side.labels.keys)
        noise = np.flatnonzero(policy.means_noise(side.labels)) if policy.noise_labels else own[:0]
        if noise.size:
            code = code.copy()
            code[noise] = -1
        kept, first, size = seen_in_order(code, many)
        if side.ids is not None:
            kept = self._by_object(side.ids, own, code, kept)
        alone = noise.size
        if self._count is not None:
            inside, count = code >= 0, self._count[own]
            size = sums(code[inside], count[inside], many)
            alone = int(count[noise].sum())
        labels = side.labels.take(first[kept])
        rank = np.full(many + 1, -1)
        rank[kept] = np.arange(kept.size)
        if not self._as_they_stand(release):
            code, mine = np.full(self._many, -1), code
            code[own] = mine
        self.noise.append(alone)
        self._labels.append(labels)
        self._sizes.append(size[kept])
        self._code.append(code)
        self._rank.append(rank)

    def _by_object(self, ids: Column, own: Ints, code: Ints, seen: Ints) -> Ints:
        """Clusters in the order of their smallest object, given in that of their first."""
        order = self._order(ids, own)
        if ascends(order):
            return seen
        inside = np.flatnonzero(code >= 0)
        kept = by_least(order.take(inside), code[inside], int(code.max(initial=-1)) + 1)
        known = np.zeros(kept.size, np.bool_)
        known[seen] = True
        return kept[known[kept]]

    @cache  # noqa: B019, the releases live as long as what is asked of them
    def _as_they_stand(self, release: int) -> bool:
        """Whether a release has all objects, in the order of their numbers."""
        places = self._places[release]
        if places.size != self._many:
            return False
        return self._ids is None or bool((places == np.arange(places.size)).all())

    @cache  # noqa: B019
    def _clusters(self, release: int) -> Ints:
        """The cluster of each object, -1 for none."""
        return self._rank[release][self._code[release]]

    def _order(self, ids: Column, own: Ints) -> Column:
        """The ids of a release as numbers in the same order."""
        if self._ids is not None and self._ids.family == ids.family in ("integers", "numbers"):
            return ids
        return Column(self._rank_of_ids[own], "integers")

    @cached_property
    def _rank_of_ids(self) -> Ints:
        assert self._ids is not None
        return ranked(self._ids)

    def has(self, release: int) -> Bools:
        """Which objects are in a cluster of a release."""
        return np.asarray(self._code[release] >= 0)

    def labels(self, release: int) -> Column:
        return self._labels[release]

    def sizes(self, release: int) -> Ints:
        return self._sizes[release]

    @cache  # noqa: B019
    def step(self, release: int) -> Overlaps:
        old, new = self._clusters(release), self._clusters(release + 1)
        both = (old >= 0) & (new >= 0)
        sizes = self.sizes(release), self.sizes(release + 1)
        return Overlaps.of_objects(old[both], new[both], sizes, self._amount(both))

    def _amount(self, some: Any) -> Ints | None:
        """How often some objects count."""
        return None if self._count is None else self._count[some]

    def name(self, release: int, ids: Ints) -> None:
        self._given.append((release, ids))
        self.__dict__.pop("_last", None)

    @cached_property
    def _last(self) -> Ints:
        """The last known id of each object, -1 for none."""
        last = np.full(self._many, -1)
        for release, ids in self._given:
            cluster = self._clusters(release)
            last = np.where(cluster < 0, last, np.append(ids, -1)[cluster])
        return last

    def known(self, release: int) -> KnownIds:
        if release == len(self._given) == 1 and self._weight is None:
            every = self._many if self._count is None else int(self._count.sum())
            if int(self._sizes[0].sum()) == int(self._sizes[1].sum()) == every:
                return self._known_of_pair()
        here = self._last >= 0
        if release:
            here &= self.has(release) | self.has(release - 1)
        last, cluster = self._last, self._clusters(release)
        some: Any = slice(None)
        if not here.all():
            last, cluster, some = last[here], cluster[here], here
        return self._counted(release, last, cluster, some)

    def _known_of_pair(self) -> KnownIds:
        """The same where two releases have all objects: clusters are numbered row by row."""
        [(_, ids)] = self._given
        found = group_pairs(self._code[0], self._code[1], self._count)
        place, cluster = self._rank[0][found.first], self._rank[1][found.second]
        old_size, new_size = self._sizes[:2]
        return KnownIds(ids, Overlaps(place, cluster, found.count, old_size, new_size))

    def ever_known(self, release: int) -> KnownIds:
        objects, ids = [], []
        for earlier, given in self._given:
            objects.append(np.flatnonzero(self.has(earlier)))
            ids.append(given[self._clusters(earlier)[objects[-1]]])
        pairs = group_pairs(np.concatenate(objects), np.concatenate(ids))
        cluster = self._clusters(release)[pairs.first]
        return self._counted(release, pairs.second, cluster, pairs.first)

    def _counted(self, release: int, id: Ints, cluster: Ints, some: Any) -> KnownIds:
        """The ids and clusters of some objects, counted."""
        count = self._amount(some)
        weight = None if self._weight is None else self._weight[some]
        size = np.bincount(id) if count is None else sums(id, count, int(id.max(initial=-1)) + 1)
        ids = np.flatnonzero(size)
        place = np.cumsum(size > 0) - 1
        sizes = size[ids], self.sizes(release)
        inside = cluster >= 0
        if not inside.all():
            id, cluster = id[inside], cluster[inside]
            weight = None if weight is None else weight[inside]
            count = None if count is None else count[inside]
        if weight is None:
            found = group_pairs(id, cluster, count)
            return KnownIds(ids, Overlaps(place[found.first], found.second, found.count, *sizes))
        width = int(cluster.max(initial=0)) + 1
        row, rows = number(id * width + cluster)
        pair = np.empty(rows, np.int64)
        pair[row] = np.arange(row.size)
        objects = np.bincount(row) if count is None else sums(row, count, rows)
        columns = place[id[pair]], cluster[pair], objects, *sizes
        return KnownIds(ids, Overlaps(*columns, sums(row, weight, rows), self._scale))

    def renamed(self, release: int, ids: Column) -> Any:
        made, given = self._renamed(release, ids), self._given_as[release]
        if not isinstance(given, Table) or not given.session.remote:
            return made
        assert made.ids is not None
        session, columns = (
            given.session,
            {"id": arrow_of(made.ids), "cluster": arrow_of(made.labels)},
        )
        rows = session.uploaded_rows(arrow_table(columns))
        return session.frame_of(f"SELECT id, cluster FROM {rows}", called_in(given))

    def _renamed(self, release: int, ids: Column) -> Partition:
        side, own = self._sides[release], self._places[release]
        code = self._code[release]
        if not self._as_they_stand(release):
            code = code[own]
        labels = side.labels
        if len(ids):
            inside = np.maximum(code, 0) if self.noise[release] else code
            labels = ids.take(np.maximum(self._rank[release], 0)).take(inside)
        if self.noise[release]:
            noise = np.flatnonzero(code < 0)
            labels = _placed(labels, noise, side.labels.take(noise))
        made = object.__new__(Partition)
        vars(made).update(vars(side) | {"labels": labels})
        return made

    def write(self, release: int, ids: Column, path: str) -> None:
        made = self._renamed(release, ids)
        origin = made.origin
        called = ("id", "cluster") if origin is None else (origin.id or "id", origin.cluster)
        columns = {} if made.ids is None else {called[0]: arrow_of(made.ids)}
        columns[called[1] or "cluster"] = arrow_of(made.labels)
        copy_to_file(columns, path)

    @cached_property
    def _stability(self) -> tuple[Floats, Ints]:
        total, steps = np.zeros(self._many), np.zeros(self._many, np.int64)
        for release in range(len(self.names) - 1):
            found = self.step(release)
            part, whole = found.alike
            old, new = self._clusters(release), self._clusters(release + 1)
            both = np.flatnonzero((old >= 0) & (new >= 0))
            width = max(found.new_size.size, 1)
            key = found.old * width + found.new
            row = np.searchsorted(key, old[both] * width + new[both])
            total[both] += (part / whole)[row]
            steps[both] += 1
        return total, steps

    def objects(self) -> tuple[Column, Floats, Ints]:
        total, steps = self._stability
        some = np.flatnonzero(steps)
        if self._ids is not None:
            some = some[sorting(self._ids.take(some))]
        ids = column(some) if self._ids is None else self._ids.take(some)
        return ids, total[some] / steps[some], steps[some]

    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        total, steps = self._stability
        some = steps > 0 if release is None else (steps > 0) & self.has(release)
        value = total[some] / steps[some]
        group = np.zeros(value.size, np.int64)
        if release is not None:
            group = self._clusters(release)[some]
        found = group_pairs(group, value.view(np.int64), self._amount(some))
        value = found.second.view(np.float64)
        order = np.lexsort((value, found.first))
        return found.first[order], value[order], found.count[order]


def _placed(labels: Column, where: Ints, others: Column) -> Column:
    """Labels with others in some places."""
    if labels.family == others.family and labels.family in ("integers", "numbers"):
        values = labels.values.copy()
        values[where] = others.values
        return Column(values, labels.family, written=labels.written)
    mixed = np.empty(len(labels), object)
    mixed[:] = labels.tolist()
    mixed[where] = np.fromiter(others.tolist(), object, where.size)
    return column(mixed)


# Where releases are followed: in memory, or where they are if they are too large for it.


def releases_of(runs: Runs, policy: Policy, weight: Side | None = None) -> Releases:
    """Partitions in the order of time; other kinds are refused. `weight` says what each object of
    the last one counts.
    """
    runs.check_other_kinds()
    sides = list(runs.sides.values())
    tables = runs.sessions.tables([*sides, *([] if weight is None else [weight])])
    if tables is not None and runs.sessions.is_far(tables):
        own = tables if weight is None else tables[:-1]
        try:
            return TableReleases(runs.names, own, policy, None if weight is None else tables[-1])
        except NeedsMemory as unfit:
            runs.sessions.refuse(unfit, *tables)
    heavy = None if weight is None else runs.sessions.loaded(weight)
    return MemoryReleases(runs, policy, heavy)


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
        k = np.asarray(numbers_of(rows.column("k").fill_null(-1)), np.int64)
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
            return self.session.frame_of(query, called_in(self._tables[release]))
        rows = self._in_memory(release, query)
        return Partition(column(rows.column("cluster")), ids=column(rows.column("id")))

    def _in_memory(self, release: int, query: str) -> Any:
        need = self._sides[release].rows * HELD
        if need > self.session.memory:
            rows = self._sides[release].rows
            raise MemoryNeeded.from_objects(rows, need, self.session.memory)
        return self.session.fetch(query, "fetching the renamed objects")

    def write(self, release: int, ids: Column, path: str) -> None:
        query = self._renamed(release, ids)
        id, cluster = called_in(self._tables[release])
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
        value = np.asarray(numbers_of(rows.column("stability")), np.float64)
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
        value = np.asarray(numbers_of(rows.column("v")), np.float64)
        order = np.lexsort((value, k))
        return k[order], value[order], n[order]


def called_in(table: Table) -> tuple[str, str]:
    """What the ids and the clusters of a table are called where it comes from."""
    return table.columns.id or "id", table.columns.cluster or "cluster"


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
    return np.asarray(numbers_of(rows.column(name)), np.int64)
