"""Two partitions in memory compared with names: the labels stay at hand, and the few rows that
somebody wants to see get their clusters and objects back in one look over all labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.labelled.protocol import Around, Catalogue, Compared, RowNames
from clusterdiff.backends.memory.hard import Objects, keyed_objects
from clusterdiff.backends.samples import told_apart
from clusterdiff.clusterings import Clustering, Column, Partition
from clusterdiff.clusterings.encode.column import is_whole
from clusterdiff.clusterings.encode.group import (
    by_appearance,
    group_pairs,
    number,
    pair_keys,
    span,
    table_codes,
)
from clusterdiff.errors import UnknownObject, examples, shown
from clusterdiff.meet import HardMeet, Policy
from clusterdiff.meet.join import dense


class Grouped(NamedTuple):
    """Objects, one row after the other, and where those of each row start."""

    objects: Ints
    start: Ints


@dataclass(frozen=True, eq=False)
class Named(Compared):
    """A comparison of partitions in memory."""

    truth: Partition
    guess: Partition
    objects: Objects
    meet: HardMeet
    of_truth: Ints
    """The truth cluster of each row in conflict, by the number that its objects have; or -1."""
    of_guess: Ints

    @classmethod
    def of(cls, truth: Partition, guess: Partition, policy: Policy, beyond: int = 0) -> Named:
        """Two partitions under a policy; samples share no cluster and no object. `beyond` are
        objects more that neither side has, each alone on both.
        """
        plan = plan_of(policy)
        if truth.samples is None and guess.samples is None:
            objects = keyed_objects(truth, guess, plan)
        else:
            truth, guess, *apart = told_apart(truth, guess, plan)
            objects = keyed_objects(apart[0], apart[1], plan)
        objects = objects.beside(beyond)
        first, second, count = group_pairs(objects.truth, objects.guess)
        codes = [_codes(clusters, objects.keyed) for clusters in (first, second)]
        meet = HardMeet.of_cells(codes[0], codes[1], count, alignment=objects.alignment)
        agreeing = int(meet.agree.sum())
        rows = [_behind(side, agreeing) for side in (meet.truth, meet.guess)]
        known = [_names(code, key) for code, key in zip(codes, (first, second), strict=True)]
        return cls(truth, guess, objects, meet, known[0][rows[0]], known[1][rows[1]])

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
        ends = start[1:] if ids is None else np.minimum(start[1:], start[:-1] + ids)
        shown = [self.ids_of(objects[a:b]) for a, b in zip(start[:-1], ends, strict=True)]
        return list(map(RowNames, *names, shown, self.samples_of(first)))

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

    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""
        every = np.flatnonzero((self.objects.in_truth >= 0) | (self.objects.in_guess >= 0))
        items = every if rows is None else np.sort(self.grouped(rows).objects)
        codes, names = [], []
        for side, keys in (("truth", self.objects.truth), ("guess", self.objects.guess)):
            own = keys[items]
            lacks = np.zeros(own.size, np.bool_) if self.objects.keyed else own < 0
            code = np.full(own.size, -1)
            code[~lacks], first = by_appearance(own[~lacks])
            codes.append(code.tolist())
            names.append(self.names_of(side, items[~lacks][first]))
        samples = self.samples_of(items) if self.sampled else None
        return Catalogue(self.ids_of(items), codes[0], codes[1], names[0], names[1], samples)

    def grouped(self, rows: Ints) -> Grouped:
        """The objects of these rows in conflict, in the order of truth."""
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
        return Grouped(chosen[order], np.concatenate([[0], np.cumsum(counts)]))

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
        if (at < 0).any():
            return [self.id_of(int(i)) for i in items]
        return at.tolist() if self.truth.ids is None else self.truth.ids.take(at).tolist()

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


def _behind(cluster: Ints, agreeing: int) -> Ints:
    """The clusters of the rows in conflict as they were numbered before those that agree were put
    in front; -1 stays.
    """
    rest = cluster[agreeing:]
    return np.where(rest < 0, -1, rest - agreeing)


def _codes(clusters: Ints, keyed: bool) -> Ints:
    """Numbers so small that a meet takes them as they are: of few objects of many clusters, not
    those that the clusters have among all.
    """
    return table_codes(clusters.copy()) if keyed else dense(clusters)


def _names(codes: Ints, keys: Ints) -> Ints:
    """What each code of a cluster stands for; the last one, of -1, is -1."""
    known = np.full(int(codes.max(initial=-1)) + 2, -1)
    known[codes] = keys
    return known


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
