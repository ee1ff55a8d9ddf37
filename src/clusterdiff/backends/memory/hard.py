"""The engine for everything in memory: match the objects, group them by both labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.backends.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.backends.memory.match import Matched, match
from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.clusterings.encode.arrays import as_rows
from clusterdiff.clusterings.encode.group import group_pairs, number, small, table_codes
from clusterdiff.errors import AllNoise, InputError
from clusterdiff.errors.spelling import LOOK
from clusterdiff.meet import Alignment, Features, HardMeet, Policy
from clusterdiff.meet.cells import size_per_row

SEEN = 100_000
"""Ids on one side only that are looked at for a message."""


class Positions(NamedTuple):
    """Where each object that is compared stands in truth and in guess, -1 where it does not."""

    in_truth: Ints
    in_guess: Ints
    only_truth: int
    only_guess: int
    count: Ints | None = None  # type: ignore[assignment]
    """How many objects each stands for, where engines have counted alike ones; else one."""

    def beside(self, alone: int) -> Positions:
        """The same and so many objects more that stand on neither side."""
        nowhere = np.full(alone, -1)
        return self._replace(
            in_truth=np.append(self.in_truth, nowhere), in_guess=np.append(self.in_guess, nowhere)
        )

    def total(self, some: Bools) -> int:
        """How many objects these are."""
        return int(some.sum() if self.count is None else self.count[some].sum())

    def one_by_one(self, some: Bools) -> Positions:
        """The same with these objects taken apart that were counted together."""
        if self.count is None:
            return self
        times = np.where(some, self.count, 1)
        return self._replace(
            in_truth=np.repeat(self.in_truth, times),
            in_guess=np.repeat(self.in_guess, times),
            count=np.repeat(np.where(some, 1, self.count), times),
        )


class Objects(NamedTuple):
    """Each object that is compared: its truth and guess cluster, and where it stands there.

    Clusters are numbers, -1 for missing; positions are -1 on the side that lacks the object.
    """

    truth: Ints
    guess: Ints
    in_truth: Ints
    in_guess: Ints
    alignment: Alignment
    count: Ints | None = None  # type: ignore[assignment]
    keyed: bool = False
    """Whether clusters are keys of labels: any numbers, none of them missing."""

    def beside(self, alone: int) -> Objects:
        """The same and so many objects more that neither side has: alone on both."""
        if not alone:
            return self
        made = self.numbered()
        own, nowhere = np.arange(alone), np.full(alone, -1)
        return made._replace(
            truth=np.append(made.truth, int(made.truth.max(initial=-1)) + 1 + own),
            guess=np.append(made.guess, int(made.guess.max(initial=-1)) + 1 + own),
            in_truth=np.append(made.in_truth, nowhere),
            in_guess=np.append(made.in_guess, nowhere),
        )

    def numbered(self) -> Objects:
        """The same with clusters numbered from 0 on, where they are keys."""
        if not self.keyed:
            return self
        return self._replace(truth=number(self.truth)[0], guess=number(self.guess)[0], keyed=False)

    def per_row(self, row: Ints) -> Ints:
        """How many objects each row has."""
        if self.count is None:
            return np.bincount(row)
        return np.bincount(row, self.count).astype(np.int64)

    def without(self, noisy: Bools) -> Objects:
        """The objects that are not noise."""
        if noisy.all():
            raise AllNoise.dropped()
        columns = ((k, v) for k, v in self._asdict().items() if isinstance(v, np.ndarray))
        kept: Any = {name: values[~noisy] for name, values in columns}
        return self._replace(**kept)


def meet_partitions(
    truth: Partition, guess: Partition, policy: Policy, features: Any = None
) -> HardMeet:
    """The meet of two partitions under a policy."""
    plan = plan_of(policy)
    if features is None:
        return meet_objects(keyed_objects(truth, guess, plan))
    return _with_features(objects_of(truth, guess, plan), features, len(truth))


def keyed_objects(truth: Partition, guess: Partition, plan: AlignmentPlan) -> Objects:
    """All objects that are compared; where nothing is missing or noise, clusters are known by the
    keys of their labels, which need no numbering.
    """
    matched = matched_objects(truth, guess, plan)
    where = placed(matched, len(truth), plan)
    plain = matched.truth is None and plan.noise is Fate.KEPT
    if plain and truth.labels.nulls() is None and guess.labels.nulls() is None:
        alignment = plan.alignment(repeats=truth.repeats + guess.repeats)
        keys = truth.labels.keys, guess.labels.keys
        return Objects(*keys, where.in_truth, where.in_guess, alignment, keyed=True)
    return objects_of(truth, guess, plan, where)


def meet_objects(objects: Objects) -> HardMeet:
    """The meet of objects whose clusters are known."""
    if objects.keyed:
        return meet_keys(objects.truth, objects.guess, objects.alignment)
    groups = group_pairs(objects.truth, objects.guess)
    return HardMeet.of_cells(*groups, alignment=objects.alignment)


def meet_keys(truth: Ints, guess: Ints, alignment: Alignment | None = None) -> HardMeet:
    """The meet of two arrays of whole-number labels, object by object."""
    first, second, count = group_pairs(truth, guess)
    first = table_codes(first)
    second = table_codes(second)
    return HardMeet.of_cells(first, second, count, alignment=alignment)


def rows_of_partitions(
    truth: Partition, guess: Partition, policy: Policy
) -> tuple[HardMeet, Ints, Objects]:
    """A meet with every row kept apart, and the row of each object."""
    objects = objects_of(truth, guess, plan_of(policy))
    whole, row, _ = every_row(objects)
    return whole, row, objects


def every_row(objects: Objects) -> tuple[HardMeet, Ints, Ints]:
    """A meet with every row kept apart, the row of each object, and an object of each row."""
    objects = objects.numbered()
    row, first = rows_of(objects)
    both = np.bincount(row)
    truth, guess = objects.truth[first], objects.guess[first]
    whole = HardMeet(
        both=both,
        truth_size=size_per_row(truth, both),
        guess_size=size_per_row(guess, both),
        times=np.ones_like(both),
        truth=truth,
        guess=guess,
        alignment=objects.alignment,
    )
    return whole, row, first


def matched_objects(truth: Clustering, guess: Clustering, plan: AlignmentPlan) -> Matched:
    """Which objects are which, with what the plan refuses refused."""
    if not len(truth) and not len(guess):
        raise InputError.empty("each clustering")
    matched = match(truth, guess)
    alone = (matched.only_truth.size, matched.only_guess.size)
    plan.check(
        len(truth) - alone[0],
        alone,
        len(truth) + alone[1],
        lambda: (some_ids(truth, matched.only_truth), some_ids(guess, matched.only_guess)),
    )
    return matched


def some_ids(side: Clustering, positions: Ints) -> list[Any]:
    """Ids at these positions for a message: of very many the first thousand in their order, which
    are likely those of the other side too.
    """
    ids = [side.id_of(int(i)) for i in positions[:SEEN]]
    return ids if len(ids) <= LOOK else sorted(ids, key=lambda i: (len(str(i)), str(i)))[:LOOK]


def objects_of(
    truth: Partition, guess: Partition, plan: AlignmentPlan, where: Positions | None = None
) -> Objects:
    """All objects that are compared, with clusters numbered and noise settled."""
    where = where or places(truth, guess, plan)
    left = numbered_clusters("truth", truth, where.in_truth, plan)
    right = numbered_clusters("guess", guess, where.in_guess, plan)
    found = settled(left, right, where, plan, truth.repeats + guess.repeats)
    if plan.lacked is Fate.DROPPED and where.only_guess > where.in_guess.size:
        cut = replace(found.alignment, cut=_cut(guess, where.in_guess))
        return found._replace(alignment=cut)
    return found


def _cut(guess: Partition, kept: Ints) -> int:
    """Clusters of which some objects are kept and some are not."""
    codes, many = number(guess.labels.keys)
    inside, whole = np.bincount(codes[kept], minlength=many), np.bincount(codes)
    return int(((inside > 0) & (inside < whole)).sum())


def settled(
    truth: Numbered, guess: Numbered, where: Positions, plan: AlignmentPlan, repeats: int
) -> Objects:
    """The objects of which the sides say this; noise is counted, and left out if it is dropped."""
    noisy = truth.noise | guess.noise
    alignment = plan.alignment(where.only_truth, where.only_guess, where.total(noisy), repeats)
    clusters = (truth.code, guess.code)
    found = Objects(*clusters, where.in_truth, where.in_guess, alignment, where.count)
    return found.without(noisy) if plan.noise is Fate.DROPPED else found


def places(truth: Clustering, guess: Clustering, plan: AlignmentPlan) -> Positions:
    """Where the objects that are compared stand."""
    return placed(matched_objects(truth, guess, plan), len(truth), plan)


def placed(matched: Matched, size: int, plan: AlignmentPlan) -> Positions:
    """The same for objects that are matched; `size` is how many truth has."""
    every = small(np.arange(size))
    in_truth = every if matched.truth is None else matched.truth
    in_guess = every if matched.guess is None else matched.guess
    if plan.one_sided:
        none = np.full(matched.only_guess.size, -1), np.full(matched.only_truth.size, -1)
        in_truth = np.concatenate([in_truth, matched.only_truth, none[0]])
        in_guess = np.concatenate([in_guess, none[1], matched.only_guess])
    return Positions(in_truth, in_guess, matched.only_truth.size, matched.only_guess.size)


class Numbered(NamedTuple):
    """What a side says of the objects that are compared: numbers, -1 for missing."""

    code: Ints
    noise: Bools
    """Which of them are noise there."""


def numbered_clusters(name: str, side: Partition, position: Ints, plan: AlignmentPlan) -> Numbered:
    """Cluster numbers of the objects at these positions, and which of them are noise there."""
    refuse_nulls(name, side, plan)
    codes, count = number(side.labels.keys)
    code = np.append(codes, -1)[position]
    noise = np.append(plan.policy.means_noise(side.labels), False)[position]
    lone = np.flatnonzero(alone(code, noise, plan))
    code[lone] = count + np.arange(lone.size)
    return Numbered(code, noise)


def alone(code: Ints, noise: Bools, plan: AlignmentPlan) -> Bools:
    """Which objects get a cluster of their own: noise, and those that the side lacks."""
    found = np.zeros(code.size, np.bool_)
    if plan.noise is Fate.ALONE:
        found |= noise
    if plan.lacked is Fate.ALONE:
        found |= code < 0
    return found


def refuse_nulls(name: str, side: Partition, plan: AlignmentPlan) -> None:
    """Refuse null labels, where the plan does."""
    if (nulls := side.labels.nulls()) is not None:
        where = np.flatnonzero(nulls)
        some = where[:3].tolist()
        plan.check_nulls(name, where.size, len(side), lambda: list(map(side.id_of, some)))


def rows_of(objects: Objects) -> tuple[Ints, Ints]:
    """The row of each object, and an object of each row."""
    guesses = int(objects.guess.max(initial=-1)) + 2
    row, count = number(objects.truth * guesses + objects.guess + 1)
    first = np.empty(count, np.int64)
    first[row] = np.arange(row.size)
    return row, first


def _with_features(objects: Objects, features: Any, known: int) -> HardMeet:
    """A meet that keeps, for each row, the mean of the features and the error around it."""
    try:
        matrix = np.asarray(as_rows(features), np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros(())
    if matrix.ndim not in (1, 2):
        raise InputError(
            "features are numbers, one row per object.", "give a matrix, objects x features."
        )
    matrix = matrix.reshape(len(matrix), -1)
    if len(matrix) != known:
        raise InputError.from_lengths("rows of features", len(matrix), known)
    if not np.isfinite(matrix).all():
        raise InputError("the features hold NaN or infinity.", "fill or drop them first.")
    if (objects.in_truth < 0).any():
        raise InputError(
            "objects that only guess has have no features, which are given in the order of truth.",
            'use align="shared".',
        )
    row, first = rows_of(objects)
    both = np.bincount(row)
    each = matrix[objects.in_truth]
    mean = np.stack([np.bincount(row, f, both.size) / both for f in each.T], axis=1)
    spread: Floats = ((each - mean[row]) ** 2).sum(axis=1)
    error: Floats = np.bincount(row, spread, both.size).astype(np.float64)
    return HardMeet.of_cells(
        objects.truth[first],
        objects.guess[first],
        both,
        alignment=objects.alignment,
        features=Features(mean, error),
    )
