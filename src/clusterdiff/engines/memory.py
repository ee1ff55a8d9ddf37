"""Which object of the guess is which object of the truth, by id or by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import AnyClustering, Clustering, Cover, Partition, Sets, Soft
from clusterdiff.clusterings.arrays import as_rows
from clusterdiff.clusterings.columns import Column, column
from clusterdiff.clusterings.grouping import (
    MANY,
    by_appearance,
    group_pairs,
    number,
    small,
    span,
    table_codes,
)
from clusterdiff.clusterings.sets import joined, sets_of_rows, singles
from clusterdiff.contingency import (
    Alignment,
    CoverMeet,
    Features,
    HardMeet,
    Policy,
    SoftMeet,
    SoftSide,
    known_for_certain,
)
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.errors import LOOK, AlignmentError, AllNoise, InputError, KindError


class Matched(NamedTuple):
    """Positions of the objects that both have, and of those that one has alone.

    `truth` and `guess` are None where both list the same objects in the same order.
    """

    truth: Ints | None
    guess: Ints | None
    only_truth: Ints
    only_guess: Ints


NONE = np.zeros(0, np.int64)


def match(truth: Clustering, guess: Clustering) -> Matched:
    """Match by id where both have ids, by position where neither has."""
    if truth.ids is None and guess.ids is None:
        if len(truth) != len(guess):
            fractions = getattr(getattr(guess, "labels", None), "family", "") == "numbers"
            raise AlignmentError.from_positions(len(truth), len(guess), fractions)
        return Matched(None, None, NONE, NONE)
    if truth.ids is None:
        raise AlignmentError.from_one_sided_ids("guess", "truth")
    if guess.ids is None:
        raise AlignmentError.from_one_sided_ids("truth", "guess")
    return match_ids(truth.ids, guess.ids)


def match_ids(truth: Column, guess: Column) -> Matched:
    """Match two columns of distinct ids."""
    if not len(truth) or not len(guess):
        return Matched(NONE, NONE, np.arange(len(truth)), np.arange(len(guess)))
    left, right = alike(truth, guess)
    if len(left) == len(right) and _same(left, right):
        return Matched(None, None, NONE, NONE)
    position = _positions(right, left)
    shared = position >= 0
    seen = np.zeros(len(left), np.bool_)
    seen[position[shared]] = True
    return Matched(
        position[shared], np.flatnonzero(shared), np.flatnonzero(~seen), np.flatnonzero(~shared)
    )


def in_order_of(truth: Partition, guess: Partition) -> Partition:
    """The guess with its objects in the order of truth and under its ids, where both have the same
    objects; one column of ids is enough then.
    """
    if truth.samples is not None or guess.samples is not None:
        return guess
    if truth.ids is None or guess.ids is None or truth.ids.family != guess.ids.family:
        return guess
    matched = match_ids(truth.ids, guess.ids)
    if matched.only_truth.size or matched.only_guess.size:
        return guess
    made = object.__new__(type(guess))
    vars(made).update(vars(guess))
    made.ids = truth.ids
    if matched.truth is not None and matched.guess is not None:
        where = np.empty_like(matched.truth)
        where[matched.truth] = matched.guess
        made.labels = guess.labels.take(where)
    return made


def alike(
    truth: Column, guess: Column, names: tuple[str, str] = ("truth", "guess")
) -> tuple[Column, Column]:
    """Both columns in one family, so that equal ids look equal."""
    families = {truth.family, guess.family}
    if len(families) == 1 or not len(truth) or not len(guess):
        return truth, guess
    if "text" in families and "values" not in families:
        if not ((truth.written or guess.written) and "integers" in families):
            raise AlignmentError.from_id_types(
                _named(truth.family), _named(guess.family), (truth[0], guess[0]), names
            )
        return _as_text(truth), _as_text(guess)
    return _as_values(truth), _as_values(guess)


def numbered_together(columns: Sequence[Column]) -> tuple[list[Ints], Column]:
    """Numbers for the values of some columns, equal where they are, and the value of each."""
    made = _all_alike(columns)
    if all(one.family == "text" for one in made):
        import pyarrow as pa

        both = column(pa.chunked_array([chunk for one in made for chunk in one.arrow().chunks]))
    else:
        both = column(np.concatenate([one.values for one in made]))
    codes, example = by_appearance(both.keys)
    return np.split(codes, np.cumsum([len(one) for one in made])[:-1]), both.take(example)


def _all_alike(columns: Sequence[Column]) -> Sequence[Column]:
    """Columns in one family; of more than two, each is known to fit the first."""
    if len(columns) == 2:
        return alike(columns[0], columns[1])
    families = {one.family for one in columns if len(one)}
    if len(families) < 2:
        return columns
    return [_as_text(c) if families == {"text", "integers"} else _as_values(c) for c in columns]


def _named(family: str) -> str:
    return "strings" if family == "text" else family


def _as_text(ids: Column) -> Column:
    if ids.family == "text":
        return ids
    import pyarrow as pa

    return Column(ids.arrow().cast(pa.large_string()), "text", written=True)


def _as_values(ids: Column) -> Column:
    values = np.empty(len(ids), object)
    values[:] = ids.tolist()
    return Column(values, "values", written=ids.written)


def _same(left: Column, right: Column) -> bool:
    if left is right:
        return True
    if left.family == "text":
        if not isinstance(left.values, np.ndarray) and left.values.type == getattr(
            right.values, "type", None
        ):
            return bool(left.values.equals(right.values))
        return bool(left.arrow().equals(right.arrow()))
    if left.family == "values":
        pairs = zip(left.values, right.values, strict=True)
        return all(a is b or (hash(a) == hash(b) and bool(a == b)) for a, b in pairs)
    return bool(np.array_equal(left.values, right.values))


def _positions(wanted: Column, among: Column) -> Ints:
    """Where each wanted id stands among the others, -1 where it does not."""
    if among.family == "values":
        where: dict[Any, int] = {value: i for i, value in enumerate(among.values)}
        return np.array([where.get(value, -1) for value in wanted.values], np.int64)
    if among.family == "integers":
        low, wide = span(among.keys)
        if wide <= 4 * len(among):
            return _in_table(wanted.keys, among.keys, low, wide)
    if (found := _by_prints(wanted, among)) is not None:
        return found
    import pyarrow.compute as pc

    found = pc.index_in(wanted.arrow(), value_set=among.arrow()).fill_null(-1)
    return np.asarray(found.to_numpy(), np.int64)


def _by_prints(wanted: Column, among: Column) -> Ints | None:
    """The same for many texts by their fingerprints; None where these do not tell all of them
    apart.
    """
    if wanted.prints is None or among.prints is None:
        return None
    codes, many = number(np.concatenate([among.prints, wanted.prints]))
    place = np.full(many, -1)
    place[codes[: len(among)]] = np.arange(len(among))
    found = place[codes[len(among) :]]
    known = np.flatnonzero(found >= 0)
    if not among.take(found[known]).arrow().equals(wanted.take(known).arrow()):
        return None
    return found


def _in_table(wanted: Ints, among: Ints, low: int, wide: int) -> Ints:
    """The same for whole numbers that lie close together: a table of positions."""
    table = np.full(wide + 1, -1, np.int64)
    table[among - low] = np.arange(among.size)
    inside = (wanted >= low) & (wanted < low + wide)
    return table[np.where(inside, wanted - low, wide)]


# The engine for everything in memory: match the objects, group them by both labels.

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


# The engine for covers in memory: match the objects, group them by both sets of clusters.


def rows_of_covers(
    truth: Partition | Cover, guess: Partition | Cover, policy: Policy, beyond: int = 0
) -> tuple[CoverMeet, Ints, Objects]:
    """The meet of two covers under a policy, partitions lifted, and the row of each object;
    `beyond` are objects more that neither side has.
    """
    plan = plan_of(policy, truth.kind, guess.kind)
    truth, guess = lifted("truth", truth, plan), lifted("guess", guess, plan)
    return cover_rows_of_places(truth, guess, places(truth, guess, plan).beside(beyond), plan)


def cover_rows_of_places(
    truth: Partition | Cover, guess: Partition | Cover, where: Positions, plan: AlignmentPlan
) -> tuple[CoverMeet, Ints, Objects]:
    """The same where it is known which objects are compared."""
    truth, guess = lifted("truth", truth, plan), lifted("guess", guess, plan)
    where = _cover_one_by_one(truth, guess, where, plan)
    left, truth_sets = _described(truth, where.in_truth, plan)
    right, guess_sets = _described(guess, where.in_guess, plan)
    objects = settled(left, right, where, plan, truth.repeats + guess.repeats)
    row, first = rows_of(objects)
    order = in_order_of_clusters(guess_sets, objects.guess[first])
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    row, first = place[row], first[order]
    made = CoverMeet.of_cells(
        objects.truth[first],
        objects.guess[first],
        objects.per_row(row),
        truth_sets,
        guess_sets,
        objects.alignment,
    )
    return made, row, objects


def _cover_one_by_one(
    truth: Cover, guess: Cover, where: Positions, plan: AlignmentPlan
) -> Positions:
    """Objects that were counted together and get a cluster of their own each, taken apart."""
    if where.count is None:
        return where
    sides = ((truth, where.in_truth), (guess, where.in_guess))
    lone = [alone(*_numbered(side, position, plan), plan) for side, position in sides]
    return where.one_by_one(lone[0] | lone[1])


def in_order_of_clusters(sets: Sets, code: Ints) -> Ints:
    """Rows in the order of their first cluster: what belongs together lies together in memory."""
    first = np.append(sets.member, -1)[np.append(sets.start[:-1], sets.member.size)]
    first[:-1][sets.size == 0] = -1
    return np.argsort(first[code], kind="stable")


def lifted(name: str, side: Partition | Cover, plan: AlignmentPlan) -> Cover:
    """A cover; the null labels of a partition must have been called noise."""
    if isinstance(side, Cover):
        return side
    refuse_nulls(name, side, plan)
    return Cover.from_partition(side)


def _described(side: Cover, position: Ints, plan: AlignmentPlan) -> tuple[Numbered, Sets]:
    """Sets of the objects at these positions, and what their numbers mean; each lone object is
    given a cluster of its own.
    """
    code, noise = _numbered(side, position, plan)
    sets, clusters = side.sets, len(side.labels)
    lone = np.flatnonzero(alone(code, noise, plan))
    if lone.size:
        kept = _without_noise(side, plan.policy).take(
            np.where(code[lone] < 0, side.sets.number, code[lone])
        )
        own = singles(np.arange(clusters, clusters + lone.size))
        owner = np.concatenate([kept.owner, own.owner])
        member = np.concatenate([kept.member, own.member])
        code = code.copy()
        code[lone] = sets.number + np.arange(lone.size)
        sets = joined(sets, sets_of_rows(owner, member, lone.size)[0])
    return Numbered(code, noise), sets


def _numbered(side: Cover, position: Ints, plan: AlignmentPlan) -> Numbered:
    """The numbers of the sets at these positions, and which of them are noise."""
    code = np.append(side.code, -1)[position]
    return Numbered(code, noisy_sets(side, plan.policy)[code] & (code >= 0))


def noisy_sets(side: Cover, policy: Policy) -> Bools:
    """Which sets hold a cluster that means noise; with None as noise, also the empty one."""
    noisy = np.zeros(side.sets.number + 1, np.bool_)
    is_noise = policy.means_noise(side.labels)[side.sets.member]
    np.logical_or.at(noisy, side.sets.owner, is_noise)
    if None in policy.noise_labels:
        noisy[:-1] |= side.sets.size == 0
    return noisy


def _without_noise(side: Cover, policy: Policy) -> Sets:
    """The sets of a side without the clusters that mean noise, and an empty one at the end."""
    kept = ~policy.means_noise(side.labels)[side.sets.member]
    return sets_of_rows(side.sets.owner[kept], side.sets.member[kept], side.sets.number + 1)[0]


# The engine for uncertain clusterings: match the objects, group them by what is known.


def rows_of_soft(
    truth: AnyClustering, guess: AnyClustering, policy: Policy
) -> tuple[SoftMeet, Ints, Objects]:
    """The meet of two clusterings, at least one of them uncertain, and the row of each object."""
    plan = plan_of(policy, truth.kind, guess.kind)
    truth, guess = _in_one_cluster("truth", truth), _in_one_cluster("guess", guess)
    _refuse_noise(plan, truth, guess)
    return soft_rows_of_places(truth, guess, places(truth, guess, plan), plan)


def soft_rows_of_places(
    truth: AnyClustering, guess: AnyClustering, where: Positions, plan: AlignmentPlan
) -> tuple[SoftMeet, Ints, Objects]:
    """The same where it is known which objects are compared."""
    truth, guess = _in_one_cluster("truth", truth), _in_one_cluster("guess", guess)
    _refuse_noise(plan, truth, guess)
    where = _soft_one_by_one(truth, guess, where, plan)
    left = _codes("truth", truth, where.in_truth, plan)
    right = _codes("guess", guess, where.in_guess, plan)
    objects = settled(left, right, where, plan, truth.repeats + guess.repeats)
    if _all_differ(objects.truth) or _all_differ(objects.guess):
        row = first = np.arange(objects.truth.size)
    else:
        row, first = rows_of(objects)
    made = SoftMeet(
        _side(truth, objects.truth[first]),
        _side(guess, objects.guess[first]),
        objects.per_row(row),
        objects.alignment,
    )
    return made, row, objects


def _soft_one_by_one(
    truth: Partition | Soft, guess: Partition | Soft, where: Positions, plan: AlignmentPlan
) -> Positions:
    """Noise that was counted together and is to be singletons, taken apart."""
    if where.count is None or plan.noise is not Fate.ALONE:
        return where
    sides = (("truth", truth, where.in_truth), ("guess", guess, where.in_guess))
    noise = [_codes(name, side, position, plan).noise for name, side, position in sides]
    return where.one_by_one(noise[0] | noise[1])


def _refuse_noise(plan: AlignmentPlan, *sides: Partition | Soft) -> None:
    """Refuse noise that is a cluster of an uncertain side, or that no side can have."""
    uncertain = [side for side in sides if isinstance(side, Soft)]
    named = [
        label
        for side in uncertain
        for label in plan.labels
        if label is not None and side.labels.equals(label).any()
    ]
    plan.check_noise(named, hard=len(uncertain) < len(sides))


def _all_differ(code: Ints) -> bool:
    """Whether many objects have a code of their own each: nothing is to be grouped."""
    return code.size >= MANY and bool((np.diff(code) == 1).all())


def _in_one_cluster(name: str, side: AnyClustering) -> Partition | Soft:
    """A clustering that has each object in one cluster, known or not."""
    if not isinstance(side, Cover):
        return side
    try:
        return side.to_partition()
    except InputError as error:
        raise KindError(
            f"{name} is a cover and the other side is uncertain; {error.message}",
            "give the cover as cd.Rough if each object is in one of the clusters named.",
        ) from None


def _codes(name: str, side: Partition | Soft, position: Ints, plan: AlignmentPlan) -> Numbered:
    """What is known of each object as a number, and which objects are noise there."""
    if isinstance(side, Partition):
        return numbered_clusters(name, side, position, plan)
    whole = position.size == len(side) and bool((np.diff(position) == 1).all())
    code = side.code if whole else side.code[position]
    return Numbered(code, np.zeros(position.size, np.bool_))


def _side(side: Partition | Soft, row: Ints) -> SoftSide:
    """What a clustering says of the rows; mass functions that no row has are left out."""
    used = np.zeros(int(row.max(initial=-1)) + 1, np.bool_)
    used[row] = True
    place = np.cumsum(used) - 1
    if isinstance(side, Partition):
        return known_for_certain(place[row], int(used.sum()))
    masses = side.masses
    if int(used.sum()) == masses.rows:
        return SoftSide(side.kind, row, masses)
    return SoftSide(side.kind, place[row], masses.take(np.flatnonzero(used)))
