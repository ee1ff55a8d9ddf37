"""Two partitions compared with names, wherever their objects are.

A meet forgets which object is which. Here the rows in conflict can be given back their clusters
and objects, a few at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings import Clustering, Column, Partition
from clusterdiff.clusterings.columns import column, is_whole, numbers_of
from clusterdiff.clusterings.grouping import (
    by_appearance,
    group_pairs,
    group_sums,
    number,
    pair_keys,
    span,
    table_codes,
)
from clusterdiff.clusterings.rows import arrow_table
from clusterdiff.contingency import Alignment, HardMeet, Policy, Sketch
from clusterdiff.contingency.base import dense
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.memory import Objects, keyed_objects
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.samples import split_by_sample
from clusterdiff.engines.sql import cells_of, hard_meet
from clusterdiff.engines.sql_joins import JoinSide, total
from clusterdiff.errors import LOOK, MemoryNeeded, UnknownObject, examples, shown


class RowNames(NamedTuple):
    """A row in conflict by its names; None is a cluster that there is not."""

    truth: Any
    guess: Any
    ids: list[Any]
    sample: Any = None


class Around(NamedTuple):
    """An object with the clusters it is in, and the others that are there."""

    id: Any
    truth: Any
    guess: Any
    known: tuple[bool, bool]
    """Whether it is in a cluster of truth, and of guess."""
    found: list[Any]
    missing: list[Any]
    wrong: list[Any]
    sample: Any = None
    absent: Sequence[Any] = ()
    """Of those that are missing, those that guess lacks."""
    strange: Sequence[Any] = ()
    """Of those that are wrong, those that truth lacks."""


class Catalogue(NamedTuple):
    """Objects in columns: ids, the number of the cluster of each on either side (-1 for none), and
    what the clusters are called.
    """

    ids: list[Any]
    truth: list[int]
    guess: list[int]
    truth_names: list[Any]
    guess_names: list[Any]
    samples: list[Any] | None = None
    rows: Ints | None = None
    """The row in conflict of each, where those of some rows were asked for."""

    def take(self, some: Ints) -> Catalogue:
        """Some of the objects; clusters keep their numbers."""
        ids, truth, guess = ([own[i] for i in some.tolist()] for own in self[:3])
        return self._replace(ids=ids, truth=truth, guess=guess, samples=None, rows=None)


class Crosstab(NamedTuple):
    """How many objects are in both of two clusters: the largest clusters of either side by name,
    the largest first, and all others as one.
    """

    truth: Ints
    """The truth cluster of each cell, by its place among the names; their number stands for the
    others, -1 for none."""
    guess: Ints
    objects: Any
    truth_names: list[Any]
    guess_names: list[Any]
    clusters: tuple[int, int]
    """How many clusters truth and guess have in all."""
    sizes: tuple[Any, Any] | None = None
    """The sizes of those that are named, where they are not the sums of the cells: objects of a
    cover are in several clusters."""


Most = int | Literal["auto"] | None
"""How many clusters of each side get names: a number, None for all, or "auto"."""
MANY, FEW = 50, 20
"""With "auto" all clusters of a side that has up to so many get names, and so many of one that has
more: a table of the largest 50 of thousands is long and says little.
"""


def most_of(clusters: int, most: Most) -> int:
    """How many clusters of a side get names."""
    if most == "auto":
        most = clusters if clusters <= MANY else FEW
    return clusters if most is None else min(most, clusters)


def largest(size: Any, most: Most, named: Callable[[Ints], list[Any]]) -> tuple[Ints, list[Any]]:
    """The largest of these clusters and their names, the largest first, by name where they are
    equally large: only those that may be among them are named.
    """
    many = most_of(size.size, most)
    if not many:
        return np.zeros(0, np.int64), []
    chosen = np.flatnonzero(size >= np.partition(size, -many)[-many])
    names, sizes = named(chosen), size[chosen].tolist()

    def rank(i: int) -> tuple[Any, ...]:
        name = names[i]
        number = isinstance(name, int | float)
        return -sizes[i], not number, name if number else 0, "" if number else str(name)

    order = sorted(range(len(names)), key=rank)[:many]
    return chosen[order], [names[i] for i in order]


class Members(NamedTuple):
    """The objects of rows in conflict, one row after the other."""

    place: Ints
    """The row of each object, by its place among those asked for."""
    ids: list[Any]
    samples: list[Any] | None
    truth: list[Any]
    """What the truth cluster of each row is called; None for a cluster that there is not."""
    guess: list[Any]


class NamedComparison(ABC):
    """A comparison of partitions whose clusters and objects can still be named."""

    meet: HardMeet
    """Its first rows are clusters that agree, the rows in conflict follow."""

    def aligned(self, alignment: Alignment) -> Self:
        """The comparison with another alignment."""
        made = copy(self)
        object.__setattr__(made, "meet", replace(self.meet, alignment=alignment))
        return made

    @property
    @abstractmethod
    def agreeing(self) -> int:
        """How many rows of the meet are clusters that agree."""

    @property
    def sampled(self) -> bool:
        """Whether these are samples side by side, whose meet is that of all of them together."""
        return False

    @abstractmethod
    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and up to so many objects of each (None for all)."""

    @abstractmethod
    def rows_with(self, cluster: Any) -> Bools:
        """Which rows in conflict are of a truth or guess cluster of this name."""

    @abstractmethod
    def around(self, wanted: Any, sample: Any = None) -> Around:
        """The object of this id, and the others in its clusters."""

    @abstractmethod
    def members(self, rows: Ints) -> Members:
        """All objects of these rows in conflict, which may be very many."""

    @abstractmethod
    def some_ids(self, among: Sequence[Any]) -> tuple[bool, list[Any]]:
        """Whether any of these are ids of objects, and some ids that objects have."""

    @abstractmethod
    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""

    @abstractmethod
    def crosstab(self, most: Most) -> Crosstab:
        """The objects that each pair of the n largest clusters of both sides shares."""


# Two partitions in memory compared with names: the labels stay at hand, and the few rows that
# somebody wants to see get their clusters and objects back in one look over all labels.


@dataclass(frozen=True, eq=False)
class MemoryNamedComparison(NamedComparison):
    """A comparison of partitions in memory."""

    truth: Partition
    guess: Partition
    objects: Objects
    meet: HardMeet
    of_truth: Ints
    """The truth cluster of each row in conflict, by the number that its objects have; or -1."""
    of_guess: Ints
    source: Ints | None = None
    """The source of each of the objects, where only pairs across sources count."""

    @classmethod
    def of(
        cls, truth: Partition, guess: Partition, policy: Policy, beyond: int = 0
    ) -> MemoryNamedComparison:
        """Two partitions under a policy; samples share no cluster and no object. `beyond` are
        objects more that neither side has, each alone on both.
        """
        plan = plan_of(policy)
        if truth.samples is None and guess.samples is None:
            objects = keyed_objects(truth, guess, plan)
        else:
            truth, guess, *apart = split_by_sample(truth, guess, plan)
            objects = keyed_objects(apart[0], apart[1], plan)
        objects = objects.beside(beyond)
        first, second, count = group_pairs(objects.truth, objects.guess, objects.count)
        codes = [_codes(clusters, objects.keyed) for clusters in (first, second)]
        meet = HardMeet.of_cells(codes[0], codes[1], count, alignment=objects.alignment)
        agreeing, of_rows = int(meet.agree.sum()), []
        for side, code, key in zip((meet.truth, meet.guess), codes, (first, second), strict=True):
            # clusters that agree were put in front of the others; -1 stays
            rest = np.where(side[agreeing:] < 0, -1, side[agreeing:] - agreeing)
            key_of = np.full(int(code.max(initial=-1)) + 2, -1)
            key_of[code] = key
            of_rows.append(key_of[rest])
        return cls(truth, guess, objects, meet, of_rows[0], of_rows[1])

    @property
    def agreeing(self) -> int:
        """How many rows of the meet are clusters that agree."""
        return self.meet.both.size - self.of_truth.size

    @property
    def sampled(self) -> bool:
        """Whether these are samples side by side."""
        return self.truth.samples is not None

    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and up to so many objects of each."""
        objects, start = self.grouped(rows)
        first = objects[start[:-1]]
        names = self.names_of("truth", first), self.names_of("guess", first)
        many = np.diff(start) if ids is None else np.minimum(np.diff(start), ids)
        begin = np.concatenate([[0], np.cumsum(many)])
        at = np.repeat(start[:-1] - begin[:-1], many) + np.arange(begin[-1])
        every = self.ids_of(objects[at])  # in one look: each costs as much as one for all
        shown = [every[a:b] for a, b in pairwise(begin.tolist())]
        return list(map(RowNames, *names, shown, self.samples_of(first)))

    def rows_with(self, cluster: Any) -> Bools:
        """Which rows in conflict are of a truth or guess cluster of this name."""
        found = np.zeros(self.of_truth.size, np.bool_)
        o = self.objects
        for side, where, keys, of_rows in (
            (self.truth, o.in_truth, o.truth, self.of_truth),
            (self.guess, o.in_guess, o.guess, self.of_guess),
        ):
            members = np.isin(where, np.flatnonzero(_equal(side.labels, cluster)))
            found |= np.isin(of_rows, np.unique(keys[members]))
        return found

    def around(self, wanted: Any, sample: Any = None) -> Around:
        """The object of this id, and the others in its clusters."""
        item = self.find(wanted, sample)
        objects = self.objects
        clusters = int(objects.truth[item]), int(objects.guess[item])
        known = tuple(objects.keyed or cluster >= 0 for cluster in clusters)
        with_truth, with_guess = (
            (side == cluster) & is_known
            for side, cluster, is_known in zip(
                (objects.truth, objects.guess), clusters, known, strict=True
            )
        )
        with_truth[item] = with_guess[item] = False
        both, lost, got = (
            with_truth & with_guess,
            with_truth & ~with_guess,
            with_guess & ~with_truth,
        )
        absent, strange = lost & (objects.in_guess < 0), got & (objects.in_truth < 0)
        found, missing, wrong, nowhere, new = (
            self.ids_of(np.flatnonzero(some)) for some in (both, lost, got, absent, strange)
        )
        [truth], [guess] = (self.names_of(side, np.array([item])) for side in ("truth", "guess"))
        sample = self.samples_of(np.array([item]))[0]
        is_known = (known[0], known[1])
        own = self.id_of(item)
        return Around(own, truth, guess, is_known, found, missing, wrong, sample, nowhere, new)

    def members(self, rows: Ints) -> Members:
        """All objects of these rows in conflict."""
        objects, start = self.grouped(rows)
        first = objects[start[:-1]]
        samples = self.samples_of(objects) if self.sampled else None
        names = self.names_of("truth", first), self.names_of("guess", first)
        place = np.repeat(np.arange(rows.size), np.diff(start))
        return Members(place, self.ids_of(objects), samples, *names)

    def some_ids(self, among: Sequence[Any]) -> tuple[bool, list[Any]]:
        """Whether any of these are ids of objects, and some ids that objects have."""
        ids = self.ids_of(np.arange(self.objects.in_truth.size))
        return not set(map(str, among)).isdisjoint(map(str, ids)), ids[:LOOK]

    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""
        every = np.flatnonzero((self.objects.in_truth >= 0) | (self.objects.in_guess >= 0))
        items, of_row = every, None
        if rows is not None:
            grouped, start = self.grouped(rows)
            order = np.argsort(grouped)
            items, of_row = grouped[order], np.repeat(rows, np.diff(start))[order]
        codes, names = [], []
        for side, keys in (("truth", self.objects.truth), ("guess", self.objects.guess)):
            own = keys[items]
            lacks = np.zeros(own.size, np.bool_) if self.objects.keyed else own < 0
            code = np.full(own.size, -1)
            code[~lacks], first = by_appearance(own[~lacks])
            codes.append(code.tolist())
            names.append(self.names_of(side, items[~lacks][first]))
        samples = self.samples_of(items) if self.sampled else None
        ids = self.ids_of(items)
        return Catalogue(ids, codes[0], codes[1], names[0], names[1], samples, of_row)

    def crosstab(self, most: Most) -> Crosstab:
        """The objects that each pair of the n largest clusters of both sides shares."""
        o = self.objects
        truth, guess, count = group_pairs(o.truth, o.guess, o.count)
        truth_place, truth_names, truths = self._placed("truth", truth, count, most)
        guess_place, guess_names, guesses = self._placed("guess", guess, count, most)
        both = truths, guesses
        return Crosstab(truth_place, guess_place, count, truth_names, guess_names, both)

    def _placed(
        self, side: str, keys: Ints, count: Ints, most: Most
    ) -> tuple[Ints, list[Any], int]:
        """The place of each key among the names of the largest clusters, these names, and how many
        clusters there are.
        """
        known = np.ones(keys.size, np.bool_) if self.objects.keyed else keys >= 0
        code, many = number(keys[known])
        size = group_sums(code, count[known], many)
        key_of = np.empty(many, np.int64)
        key_of[code] = keys[known]
        clusters: Ints = self.objects.truth if side == "truth" else self.objects.guess

        def named(wanted: Ints) -> list[Any]:
            """Each cluster as the first of its objects is labelled."""
            own = key_of[wanted]
            items = np.flatnonzero(self._among(clusters, own))
            first = items[np.unique(clusters[items], return_index=True)[1]]
            examples = np.empty(own.size, np.int64)
            examples[np.argsort(own)] = first
            names = self.names_of(side, examples)
            return (
                list(zip(self.samples_of(examples), names, strict=True)) if self.sampled else names
            )

        chosen, names = largest(size, most, named)
        rank = np.full(many, chosen.size)
        rank[chosen] = np.arange(chosen.size)
        place = np.full(keys.size, -1)
        place[known] = rank[code]
        return place, names, many

    def grouped(self, rows: Ints) -> tuple[Ints, Ints]:
        """The objects of these rows in conflict, one row after the other, each in the order of
        truth, and where those of each row start.
        """
        missing = (not self.objects.keyed) & (self.of_truth[rows] < 0)
        chosen = np.flatnonzero(
            self._among(self.objects.truth, self.of_truth[rows])
            | self._among(self.objects.guess, self.of_guess[rows][missing])
        )
        keys, many = number(
            pair_keys(
                np.concatenate([self.of_truth[rows], self.objects.truth[chosen]]),
                np.concatenate([self.of_guess[rows], self.objects.guess[chosen]]),
            )
        )
        place = np.full(many, -1)
        place[keys[: rows.size]] = np.arange(rows.size)
        row = place[keys[rows.size :]]
        chosen, row = chosen[row >= 0], row[row >= 0]
        order = np.lexsort((self.objects.in_truth[chosen], row))
        counts = np.bincount(row, minlength=rows.size)
        return chosen[order], np.concatenate([[0], np.cumsum(counts)])

    def row_of_objects(self) -> Ints:
        """The row of the meet that each object is in: clusters that agree share one by size."""
        o, conflicts = self.objects, self.of_truth.size
        keys, many = number(
            pair_keys(
                np.concatenate([self.of_truth, o.truth]), np.concatenate([self.of_guess, o.guess])
            )
        )
        row_of_key = np.full(many, -1)
        row_of_key[keys[:conflicts]] = self.agreeing + np.arange(conflicts)
        row = row_of_key[keys[conflicts:]]
        right = np.flatnonzero(row < 0)
        code, _ = number(o.truth[right])
        count = np.ones(right.size, np.int64) if o.count is None else o.count[right]
        size = group_sums(code, count)[code] if right.size else code
        row[right] = np.searchsorted(self.meet.both[: self.agreeing], size)
        return row

    def _among(self, clusters: Ints, wanted: Ints) -> Bools:
        """Which objects are in one of these clusters."""
        if not self.objects.keyed:
            wanted = wanted[wanted >= 0]
        if not wanted.size:
            return np.zeros(clusters.size, np.bool_)
        low, wide = span(clusters)
        if wide > max(4096, 4 * clusters.size):
            return np.isin(clusters, wanted)
        table = np.zeros(wide, np.bool_)
        table[wanted - low] = True
        return np.asarray(table[clusters - low])

    def id_of(self, item: int) -> Any:
        """What an object is called."""
        side, position = self._known(item)
        return side.id_of(position)

    def samples_of(self, items: Ints) -> list[Any]:
        """The samples of these objects; None where there are no samples."""
        known = (self._known(int(i)) for i in items)
        return [None if side.samples is None else side.samples[at] for side, at in known]

    def ids_of(self, items: Ints) -> list[Any]:
        """What these objects are called."""
        at = self.objects.in_truth[items]
        lacked = np.flatnonzero(at < 0)
        nothing = [None] * at.size
        found = nothing if lacked.size == at.size else _ids_at(self.truth, np.maximum(at, 0))
        there = _ids_at(self.guess, self.objects.in_guess[items[lacked]]) if lacked.size else []
        for place, id in zip(lacked.tolist(), there, strict=True):
            found[place] = id
        return found

    def names_of(self, side: str, items: Ints) -> list[Any]:
        """What the truth or guess clusters of these objects are called; None where the side lacks
        the object.
        """
        own, where = (
            (self.truth, self.objects.in_truth)
            if side == "truth"
            else (self.guess, self.objects.in_guess)
        )
        at = where[items]
        names = own.labels.take(np.maximum(at, 0)).tolist() if len(own) else [None] * at.size
        return [
            None if lacks else name for name, lacks in zip(names, (at < 0).tolist(), strict=True)
        ]

    def _known(self, item: int) -> tuple[Partition, int]:
        position = int(self.objects.in_truth[item])
        if position >= 0:
            return self.truth, position
        return self.guess, int(self.objects.in_guess[item])

    def find(self, wanted: Any, sample: Any = None) -> int:
        """The object of this id, where several samples have it that of the sample named."""
        if sample is not None and not self.sampled:
            raise UnknownObject("there are no samples here.", "leave the sample out.")
        items = found_items(self.truth, self.guess, self.objects, wanted, sample)
        if len(items) > 1:
            samples = self.samples_of(np.array(items[:3]))
            raise UnknownObject(
                f"{len(items):,} samples have an object {examples([wanted])}: {examples(samples)} "
                "…",
                f"name the sample too: sample={shown(samples[0])}.",
            )
        return items[0]


def _ids_at(side: Partition, places: Ints) -> list[Any]:
    """What the objects at these places are called."""
    return places.tolist() if side.ids is None else side.ids.take(places).tolist()


def found_items(
    truth: Clustering, guess: Clustering, objects: Objects, wanted: Any, sample: Any = None
) -> list[int]:
    """The objects compared that have this id on either side, in this sample if one is named."""
    sides = ((truth, objects.in_truth), (guess, objects.in_guess))
    found = [np.isin(where, np.flatnonzero(_has(side, wanted, sample))) for side, where in sides]
    items: list[int] = np.flatnonzero(found[0] | found[1]).tolist()
    if not items:
        raise UnknownObject.from_id(wanted, truth.ids is None, len(truth))
    return items


def _codes(clusters: Ints, keyed: bool) -> Ints:
    """Numbers so small that a meet takes them as they are: of few objects of many clusters, not
    those that the clusters have among all.
    """
    return table_codes(clusters.copy()) if keyed else dense(clusters)


def _has(side: Clustering, wanted: Any, sample: Any) -> Bools:
    """Where a clustering has the object of this id, in this sample if one is named."""
    if side.ids is None:
        place = int(wanted) if is_whole(wanted) else wanted
        found = np.zeros(len(side), np.bool_)
        if isinstance(place, int | np.integer) and 0 <= place < len(side):
            found[place] = True
    else:
        found = _equal(side.ids, wanted)
    if sample is not None and side.samples is not None:
        found = found & _equal(side.samples, sample)
    return found


def _equal(values: Column, wanted: Any) -> Bools:
    """Text that is a number also stands for the number: a command line has no other ids."""
    found = values.equals(wanted)
    return values.equals(int(wanted)) if not found.any() and is_whole(wanted) else found


# Two partitions compared with names in an engine: the rows in conflict are here, the objects stay
# where they are, and those that somebody wants to see are asked for.

AT_ONCE = 500
"""Rows that are written into the query that asks for their objects."""


def _with_amounts(truth: JoinSide, guess: JoinSide) -> tuple[JoinSide, JoinSide]:
    """Both sides with the counts that one of them has, without the objects that count 0."""
    known = truth if truth.counted else guess
    if not known.counted:
        return truth, guess
    session, made = known.table.session, []
    for side in (truth, guess):
        query = f"SELECT id, cluster, amount FROM {side.view} WHERE amount > 0"
        if side is known or side.counted:
            view = session.view(query)
        else:
            view = session.keep(
                f"SELECT s.id AS id, s.cluster AS cluster, k.amount AS amount FROM {side.view} s "
                f"JOIN {known.view} k ON k.id = s.id WHERE k.amount > 0",
                f"looking up the counts of {side.name}",
            )
        made.append(side._replace(view=view, counted=True))
    return made[0], made[1]


def _objects_of(side: JoinSide, of: str = "") -> str:
    """How many objects some rows of a side stand for, in SQL."""
    return total(f"{of}amount") if side.counted else "count(*)"


class SqlNamedComparison(NamedComparison):
    """A comparison of two tables of an engine in which all objects match."""

    def __init__(
        self,
        truth: JoinSide,
        guess: JoinSide,
        meet: HardMeet,
        labels: tuple[Column, Column],
    ) -> None:
        self.meet = meet
        self._truth, self._guess, self._labels = truth, guess, labels
        self._session = truth.table.session

    @classmethod
    def of(cls, truth: Table, guess: Table, policy: Policy, beyond: int = 0) -> Self:
        """Two tables of one session; `Unfit` where only memory will do."""
        if truth.columns.sample is not None or guess.columns.sample is not None:
            raise NeedsMemory("samples")
        if truth.columns.id is None or guess.columns.id is None:
            raise NeedsMemory("objects without ids")
        if {truth.families["cluster"], guess.families["cluster"]} - {"integers", "text"}:
            raise NeedsMemory("clusters that are neither whole numbers nor text")
        if {truth.families["id"], guess.families["id"]} - {"integers", "text"}:
            raise NeedsMemory("ids that are neither whole numbers nor text")
        plan = plan_of(policy)
        cells = cells_of(truth, guess, plan)
        if not cells.plain or plan.labels or beyond:
            raise NeedsMemory("objects on one side only, or noise")
        labels: list[Column] = []
        meet = hard_meet(cells, plan, labels)
        if isinstance(meet, Sketch):
            raise MemoryNeeded.from_rows("rows in conflict", meet.need, meet.memory)
        assert isinstance(meet, HardMeet)
        sides = _with_amounts(cells.truth, cells.guess)
        return cls(*sides, meet, (labels[0], labels[1]))

    @property
    def agreeing(self) -> int:
        """How many rows of the meet are clusters that agree."""
        return self.meet.both.size - len(self._labels[0])

    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and up to so many objects of each."""
        names = [labels.take(rows).tolist() for labels in self._labels]
        objects: list[list[Any]] = [[] for _ in rows]
        if ids != 0:
            for row, id in self._objects(names[0], names[1], ids):
                objects[row].append(id)
        return list(map(RowNames, *map(self._shown, names), objects))

    def rows_with(self, cluster: Any) -> Bools:
        """Which rows in conflict are of a truth or guess cluster of this name."""
        truth, guess = (_equal(labels, cluster) for labels in self._labels)
        return truth | guess

    def _objects(
        self, truth: list[Any], guess: list[Any], most: int | None
    ) -> list[tuple[int, Any]]:
        """The objects in both of each pair of clusters: the number of the pair, and the id."""
        if not truth:
            return []
        with self._session.scratch():
            table = self._listed(self._pairs(truth, guess), most)
        keys = table.column("k").to_pylist()
        return list(zip(keys, self._shown(table.column("id").to_pylist()), strict=True))

    def _pairs(self, truth: list[Any], guess: list[Any]) -> str:
        """A table of pairs of clusters, numbered: in the query where they are few."""
        pairs = zip(truth, guess, strict=True)
        if len(truth) <= AT_ONCE:
            values = (
                f"({k}, {self._value(t)}, {self._value(g)})" for k, (t, g) in enumerate(pairs)
            )
            return f"(VALUES {', '.join(values)}) AS w(k, t, g)"
        sides = {"t": column(truth).arrow(), "g": column(guess).arrow()}
        return f"{self._session.uploaded_rows(arrow_table({'k': np.arange(len(truth))} | sides))} w"

    def _listed(self, pairs: str, most: int | None) -> Any:
        """The objects of each of these pairs, up to so many, in their order."""
        order = self._truth.order("t.id")
        rows = (
            f"FROM {pairs} JOIN {self._truth.view} t ON t.cluster = w.t "
            f"JOIN {self._guess.view} g ON g.id = t.id AND g.cluster = w.g"
        )
        query = f"SELECT w.k AS k, t.id AS id {rows} ORDER BY k, {order}"
        if most is not None:
            place = f"row_number() OVER (PARTITION BY w.k ORDER BY {order}) AS r"
            query = (
                f"SELECT k, id FROM (SELECT w.k AS k, t.id AS id, {place} {rows}) x "
                f"WHERE r <= {most} ORDER BY k, r"
            )
        return self._session.fetch(query, "looking up objects")

    def around(self, wanted: Any, sample: Any = None) -> Around:
        """The object of this id, and the others in its clusters."""
        if sample is not None:
            raise UnknownObject("there are no samples here.", "leave the sample out.")
        both = f"FROM {self._truth.view} t JOIN {self._guess.view} g ON g.id = t.id WHERE"
        fitting = self._fitting(wanted)
        query = f"SELECT t.id AS id, t.cluster AS t, g.cluster AS g {both} t.id = {fitting}"
        found = [] if fitting is None else self._session.fetch(query).to_pylist()
        if not found:
            raise UnknownObject.from_id(wanted, False, 0)
        own, truth, guess = found[0].values()
        same = f"t.cluster = {self._value(truth)}", f"g.cluster = {self._value(guess)}"
        others = f"t.id <> {fitting} ORDER BY {self._truth.order('t.id')}"

        def ids(which: str) -> list[Any]:
            table = self._session.fetch(f"SELECT t.id AS id {both} {which} AND {others}")
            return self._shown(table.column("id").to_pylist())

        both_same, lost, got = (
            ids(f"{same[0]} AND {same[1]}"),
            ids(f"{same[0]} AND NOT {same[1]}"),
            ids(f"NOT {same[0]} AND {same[1]}"),
        )
        own, truth, guess = self._shown([own, truth, guess])
        return Around(own, truth, guess, (True, True), both_same, lost, got)

    def members(self, rows: Ints) -> Members:
        """All objects of these rows in conflict, by one join."""
        names = [labels.take(rows).tolist() for labels in self._labels]
        with self._session.scratch():
            found = self._listed(self._pairs(*names), None)
        place = np.asarray(numbers_of(found.column("k")), np.int64)
        ids = self._shown(found.column("id").to_pylist())
        return Members(place, ids, None, *map(self._shown, names))

    def some_ids(self, among: Sequence[Any]) -> tuple[bool, list[Any]]:
        """Whether any of these are ids of objects, and some ids that objects have."""
        wanted = ", ".join(self._session.text(str(id)) for id in among)
        view = self._truth.view
        known = self._session.count(f"{view} WHERE CAST(id AS STRING) IN ({wanted})") > 0
        return known, self._truth.ids(f"SELECT id FROM {view}", LOOK)

    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""
        at = None
        if rows is None:
            table = self._session.fetch(
                f"SELECT t.id AS id, t.cluster AS t, g.cluster AS g FROM {self._truth.view} t "
                f"JOIN {self._guess.view} g ON g.id = t.id ORDER BY {self._truth.order('t.id')}"
            )
            ids = self._shown(table.column("id").to_pylist())
            sides = [column(table.column(side)) for side in "tg"]
        else:
            names = [labels.take(rows).tolist() for labels in self._labels]
            objects = self._objects(names[0], names[1], None)
            ids = [one for _, one in objects]
            at = rows[np.array([k for k, _ in objects], np.int64)]
            sides = [labels.take(at) for labels in self._labels]
        numbered = [by_appearance(side.keys) for side in sides]
        named = [
            self._shown(side.take(first).tolist())
            for side, (_, first) in zip(sides, numbered, strict=True)
        ]
        codes = [code.tolist() for code, _ in numbered]
        return Catalogue(ids, codes[0], codes[1], named[0], named[1], rows=at)

    def crosstab(self, most: Most) -> Crosstab:
        """The objects that each pair of the n largest clusters of both sides shares."""
        with self._session.scratch():
            clusters = self.meet.truth_sizes.clusters, self.meet.guess_sizes.clusters
            sides = [
                self._ranked(side, most_of(number, most))
                for side, number in zip((self._truth, self._guess), clusters, strict=True)
            ]
            found = self._session.fetch(
                "SELECT coalesce(a.k, -1) AS t, coalesce(b.k, -1) AS g, "
                f"{_objects_of(self._truth, 'x.')} AS n "
                f"FROM {self._truth.view} x JOIN {self._guess.view} y ON y.id = x.id "
                f"LEFT JOIN {sides[0]} a ON a.cluster = x.cluster "
                f"LEFT JOIN {sides[1]} b ON b.cluster = y.cluster GROUP BY 1, 2",
                "counting the objects that pairs of clusters share",
            )
            names = [
                self._shown(
                    self._session.fetch(f"SELECT cluster FROM {side} ORDER BY k")
                    .column("cluster")
                    .to_pylist()
                )
                for side in sides
            ]
        truth, guess = (
            np.where((own := numbers_of(found.column(side))) < 0, len(named), own)
            for side, named in zip("tg", names, strict=True)
        )
        return Crosstab(truth, guess, numbers_of(found.column("n")), names[0], names[1], clusters)

    def _ranked(self, side: JoinSide, most: int) -> str:
        """A table of the largest clusters of a side, each with its place."""
        sizes = f"SELECT cluster, {_objects_of(side)} AS n FROM {side.view} GROUP BY cluster"
        order = f"n DESC, {side.order('cluster')}"
        return self._session.keep(
            "SELECT cluster, k FROM (SELECT cluster, "
            f"row_number() OVER (ORDER BY {order}) - 1 AS k FROM ({sizes}) s) r WHERE k < {most}",
            "finding the largest clusters",
        )

    def _value(self, value: Any) -> str:
        """A label or an id in SQL."""
        return self._session.text(value) if isinstance(value, str) else str(int(value))

    def _fitting(self, wanted: Any) -> str | None:
        """An id that somebody asks for, as the table has its ids; None if it has none like it."""
        text = self._truth.as_text or self._truth.table.families["id"] == "text"
        if text and (isinstance(wanted, str) or self._truth.written):
            return self._value(str(wanted))
        whole = isinstance(wanted, int | np.integer) or is_whole(wanted)
        return self._value(int(wanted)) if whole and not text else None

    def _shown(self, values: list[Any]) -> list[Any]:
        """Ids or labels; numbers that were written as text are numbers."""
        return [self._truth.shown(one) for one in values]
