"""The engine for everything in memory: match the objects, group them by what both sides say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import (
    AnyClustering,
    Clustering,
    Cover,
    LabelImage,
    Partition,
    Sets,
    Soft,
)
from clusterdiff.clusterings.arrays import as_rows
from clusterdiff.clusterings.columns import Column, PickedTexts, column, texts_of
from clusterdiff.clusterings.counts import check_total
from clusterdiff.clusterings.grouping import (
    MANY,
    by_appearance,
    downcast_int32,
    group_pairs,
    group_sums,
    number,
    span,
    table_codes,
)
from clusterdiff.clusterings.sets import joined, sets_of_rows, singles
from clusterdiff.contingency import (
    Alignment,
    CoverMeet,
    Features,
    HardMeet,
    Meet,
    Policy,
    SoftMeet,
    SoftSide,
    known_for_certain,
)
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.on_device import is_on_device, meet_on_device
from clusterdiff.errors import (
    LOOK,
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    InputError,
    KindError,
)
from clusterdiff.plugins import is_installed

NONE = np.zeros(0, np.int64)


class Matched(NamedTuple):
    """Positions of the objects that both have, and of those that one has alone.

    `truth` and `guess` are None where both list the same objects in the same order.
    """

    truth: Ints | None = None
    guess: Ints | None = None
    only_truth: Ints = NONE
    only_guess: Ints = NONE


def match(truth: Clustering, guess: Clustering) -> Matched:
    """Match by id where both have ids, by position where neither has."""
    if truth.ids is None and guess.ids is None:
        if len(truth) != len(guess):
            fractions = getattr(getattr(guess, "labels", None), "family", "") == "numbers"
            raise AlignmentError.from_positions(len(truth), len(guess), fractions)
        return Matched()
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
    if len(left) == len(right) and same_values(left, right):
        return Matched()
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
        made.counts = None if guess.counts is None else guess.counts[where]
        made.sources = None if guess.sources is None else guess.sources[where]
    return made


def alike(
    truth: Column, guess: Column, names: tuple[str, str] = ("truth", "guess")
) -> tuple[Column, Column]:
    """Both columns in one family, so that equal ids look equal."""
    families = {ids.family for ids in (truth, guess) if len(ids)}
    fit = "integers" in families and (truth.written or guess.written)
    if len(families) > 1 and "text" in families and "values" not in families and not fit:
        types = ["strings" if side.family == "text" else side.family for side in (truth, guess)]
        raise AlignmentError.from_id_types(types[0], types[1], (truth[0], guess[0]), names)
    left, right = _in_one_family((truth, guess))
    return left, right


def numbered_together(columns: Sequence[Column]) -> tuple[list[Ints], Column]:
    """Numbers for the values of some columns, equal where they are, and the value of each."""
    # of more than two columns, each is known to fit the first
    pair = len(columns) == 2
    columns = alike(columns[0], columns[1]) if pair else _in_one_family(columns)
    if all(ids.family == "text" for ids in columns):
        both = Column(texts_of(*columns), "text")
    else:
        both = column(np.concatenate([ids.values for ids in columns]))
    codes, example = by_appearance(both.keys)
    return np.split(codes, np.cumsum([len(ids) for ids in columns])[:-1]), both.take(example)


def _in_one_family(columns: Sequence[Column]) -> Sequence[Column]:
    families = {ids.family for ids in columns if len(ids)}
    if len(families) < 2:
        return columns
    return [_as_text(c) if families == {"text", "integers"} else _as_values(c) for c in columns]


def _as_text(ids: Column) -> Column:
    if ids.family == "text":
        return ids
    return column([str(value) for value in ids.tolist()], written=True)


def _as_values(ids: Column) -> Column:
    values = np.empty(len(ids), object)
    values[:] = ids.tolist()
    return Column(values, "values", written=ids.written)


def same_values(left: Column, right: Column) -> bool:
    """Whether two columns of one family have the same values in the same order."""
    if left is right or (isinstance(left, PickedTexts) and left.are_those_of(right)):
        return True
    if left.family == "text":
        kinds = {getattr(side.values, "type", None) for side in (left, right)}
        if not is_installed("pyarrow"):
            return bool(np.all(left.values == right.values))
        if len(kinds) == 1 and None not in kinds:
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
        if wide <= 4 * len(among):  # they lie close together: a table of positions
            table = np.full(wide + 1, -1, np.int64)
            table[among.keys - low] = np.arange(len(among))
            inside = (wanted.keys >= low) & (wanted.keys < low + wide)
            return table[np.where(inside, wanted.keys - low, wide)]
    if wanted.prints is not None and among.prints is not None:  # many texts have fingerprints
        codes, many = number(np.concatenate([among.prints, wanted.prints]))
        place = np.full(many, -1)
        place[codes[: len(among)]] = np.arange(len(among))
        position = place[codes[len(among) :]]
        seen = np.flatnonzero(position >= 0)
        if among.take(position[seen]).arrow().equals(wanted.take(seen).arrow()):
            return position  # no two texts have one fingerprint
    if is_installed("pyarrow"):
        import pyarrow.compute as pc

        index = pc.index_in(wanted.arrow(), value_set=among.arrow()).fill_null(-1)
        return np.asarray(index.to_numpy(), np.int64)
    (there, here), values = numbered_together([among, wanted])
    found: Ints = np.full(len(values), -1)
    found[there] = np.arange(len(among))
    return found[here]


# Which objects are compared, and in which cluster each is.

SEEN = 100_000
"""Ids on one side only that are looked at for a message."""
MOST_ALONE = 50_000_000
"""Objects that may be written out where each of those that count together is alone."""


class Positions(NamedTuple):
    """Where each object that is compared stands in truth and in guess, -1 where it does not."""

    in_truth: Ints
    in_guess: Ints
    only_truth: int
    only_guess: int
    count: Ints | None = None  # type: ignore[assignment]
    """How many objects each stands for, where engines have counted alike ones; else one."""

    def beside(self, alone: int) -> Positions:
        """These and so many objects more that stand on neither side."""
        if not alone:
            return self
        nowhere = np.full(alone, -1)
        return self._replace(
            in_truth=np.append(self.in_truth, nowhere),
            in_guess=np.append(self.in_guess, nowhere),
            count=_and_ones(self.count, alone),
        )

    def total(self, some: Bools) -> int:
        """How many objects these are."""
        return int(some.sum() if self.count is None else self.count[some].sum())

    def one_by_one(self, some: Bools) -> Positions:
        """Objects that were counted together taken apart, where they are among these."""
        assert self.count is not None
        alone = sum(self.count[some].tolist())
        if alone > MOST_ALONE:
            raise InputError(
                f"{int(some.sum()):,} objects that stand for {alone:,} are noise or on one side "
                "only, and each of these is a cluster of its own: they are too many to compare.",
                'count in a larger unit; or say align="penalise" or align="shared", '
                'noise_as="drop".',
            )
        times = np.where(some, self.count, 1)
        return self._replace(
            in_truth=np.repeat(self.in_truth, times),
            in_guess=np.repeat(self.in_guess, times),
            count=np.repeat(np.where(some, 1, self.count), times),
        )


def _and_ones(count: Ints | None, alone: int) -> Ints | None:
    return None if count is None else np.append(count, np.ones(alone, np.int64))


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
        """These and so many objects more that neither side has: alone on both."""
        if not alone:
            return self
        made = self.numbered()
        own, nowhere = np.arange(alone), np.full(alone, -1)
        return made._replace(
            truth=np.append(made.truth, int(made.truth.max(initial=-1)) + 1 + own),
            guess=np.append(made.guess, int(made.guess.max(initial=-1)) + 1 + own),
            in_truth=np.append(made.in_truth, nowhere),
            in_guess=np.append(made.in_guess, nowhere),
            count=_and_ones(made.count, alone),
        )

    def numbered(self) -> Objects:
        """The objects with clusters numbered from 0 on, where they are keys."""
        if not self.keyed:
            return self
        return self._replace(truth=number(self.truth)[0], guess=number(self.guess)[0], keyed=False)

    def per_row(self, row: Ints) -> Ints:
        """How many objects each row has."""
        if self.count is None:
            return np.bincount(row)
        return group_sums(row, self.count)

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
    if features is not None:
        return _with_features(objects_of(truth, guess, plan), features, len(truth))
    objects = keyed_objects(truth, guess, plan)
    if objects.keyed:
        return meet_keys(objects.truth, objects.guess, objects.alignment, objects.count)
    groups = group_pairs(objects.truth, objects.guess, objects.count)
    return HardMeet.of_cells(*groups, alignment=objects.alignment)


def keyed_objects(truth: Partition, guess: Partition, plan: AlignmentPlan) -> Objects:
    """All objects that are compared; where nothing is missing or noise, clusters are known by the
    keys of their labels, which need no numbering.
    """
    matched = matched_objects(truth, guess, plan)
    where = placed(matched, truth, guess, plan)
    plain = matched.truth is None and plan.noise is Fate.KEPT
    if plain and truth.labels.nulls() is None and guess.labels.nulls() is None:
        alignment = plan.alignment(repeats=truth.repeats + guess.repeats)
        keys = truth.labels.keys, guess.labels.keys
        at = where.in_truth, where.in_guess
        return Objects(*keys, *at, alignment, where.count, keyed=True)
    return objects_of(truth, guess, plan, where)


def meet_keys(
    truth: Ints, guess: Ints, alignment: Alignment | None = None, count: Ints | None = None
) -> HardMeet:
    """The meet of two arrays of whole-number labels, object by object."""
    first, second, count = group_pairs(truth, guess, count)
    return HardMeet.of_cells(table_codes(first), table_codes(second), count, alignment=alignment)


def every_row(objects: Objects) -> tuple[HardMeet, Ints, Ints]:
    """A meet with every row kept apart, the row of each object, and an object of each row."""
    objects = objects.numbered()
    row, first = rows_of(objects)
    clusters = objects.truth[first], objects.guess[first]
    return meet_of_rows(*clusters, objects.per_row(row), objects.alignment), row, first


def meet_of_rows(truth: Ints, guess: Ints, both: Ints, alignment: Alignment) -> HardMeet:
    """The meet of different rows, none of which stands for several."""
    sizes = size_per_row(truth, both), size_per_row(guess, both)
    return HardMeet(
        both=both,
        truth_size=sizes[0],
        guess_size=sizes[1],
        times=np.ones_like(both),
        truth=truth,
        guess=guess,
        alignment=alignment,
    )


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

    def said(where: Positions) -> tuple[Numbered, Numbered]:
        return (
            numbered_clusters("truth", truth, where.in_truth, plan),
            numbered_clusters("guess", guess, where.in_guess, plan),
        )

    left, right = said(where)
    if where.count is not None and Fate.ALONE in (plan.noise, plan.lacked):
        # objects that count together are taken apart, where each gets its own cluster
        lone = alone(where.in_truth, left.noise, plan) | alone(where.in_guess, right.noise, plan)
        where = where.one_by_one(lone)
        left, right = said(where)
    objects = settled(left, right, where, plan, truth.repeats + guess.repeats)
    if plan.lacked is Fate.DROPPED and where.only_guess > where.total(where.in_guess >= 0):
        codes, many = number(guess.labels.keys)
        kept, whole = np.bincount(codes[where.in_guess], minlength=many), np.bincount(codes)
        cut = int(((kept > 0) & (kept < whole)).sum())
        return objects._replace(alignment=replace(objects.alignment, cut=cut))
    return objects


def settled(
    truth: Numbered, guess: Numbered, where: Positions, plan: AlignmentPlan, repeats: int
) -> Objects:
    """The objects of which the sides say this; noise is counted, and left out if it is dropped."""
    noisy = truth.noise | guess.noise
    alignment = plan.alignment(where.only_truth, where.only_guess, where.total(noisy), repeats)
    objects = Objects(
        truth.code, guess.code, where.in_truth, where.in_guess, alignment, where.count
    )
    return objects.without(noisy) if plan.noise is Fate.DROPPED else objects


def places(truth: Clustering, guess: Clustering, plan: AlignmentPlan) -> Positions:
    """Where the objects that are compared stand."""
    return placed(matched_objects(truth, guess, plan), truth, guess, plan)


def placed(
    matched: Matched, truth: Clustering, guess: Clustering, plan: AlignmentPlan
) -> Positions:
    """Where objects stand that are matched, and for how many each of them stands."""
    every = downcast_int32(np.arange(len(truth)))
    in_truth = every if matched.truth is None else matched.truth
    in_guess = every if matched.guess is None else matched.guess
    if plan.one_sided:
        none = np.full(matched.only_guess.size, -1), np.full(matched.only_truth.size, -1)
        in_truth = np.concatenate([in_truth, matched.only_truth, none[0]])
        in_guess = np.concatenate([in_guess, none[1], matched.only_guess])
    if truth.counts is None or guess.counts is None:
        return Positions(in_truth, in_guess, matched.only_truth.size, matched.only_guess.size)
    count = truth.counts if matched.truth is None else truth.counts[matched.truth]
    alone = truth.counts[matched.only_truth], guess.counts[matched.only_guess]
    if plan.one_sided:
        count = np.concatenate([count, *alone])
        check_total(count, truth.counted)
    if int(count.min(initial=0)) < 0:
        unknown = np.flatnonzero(count < 0)
        some = [guess.id_of(int(i)) for i in in_guess[unknown[:3]]]
        raise InputError.from_uncounted(unknown.size, some)
    # what only the side without counts has counts once, where it is left out
    only = [int(np.abs(one).sum()) for one in alone]
    return Positions(in_truth, in_guess, only[0], only[1], count)


class Numbered(NamedTuple):
    """What a side says of the objects that are compared: numbers, -1 for missing."""

    code: Ints
    noise: Bools
    """Which of them are noise there."""


def numbered_clusters(name: str, side: Partition, position: Ints, plan: AlignmentPlan) -> Numbered:
    """Cluster numbers of the objects at these positions, and which of them are noise there."""
    check_no_nulls(name, side, plan)
    codes, count = number(side.labels.keys)
    code = np.append(codes, -1)[position]
    noise = np.append(plan.policy.means_noise(side.labels), False)[position]
    lone = np.flatnonzero(alone(code, noise, plan))
    code[lone] = count + np.arange(lone.size)
    return Numbered(code, noise)


def alone(code: Ints, noise: Bools, plan: AlignmentPlan) -> Bools:
    """Which objects get a cluster of their own: noise, and those that the side lacks."""
    lone = np.zeros(code.size, np.bool_)
    if plan.noise is Fate.ALONE:
        lone |= noise
    if plan.lacked is Fate.ALONE:
        lone |= code < 0
    return lone


def check_no_nulls(name: str, side: Partition, plan: AlignmentPlan) -> None:
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
    both = objects.per_row(row)
    each = matrix[objects.in_truth]
    times = 1 if objects.count is None else objects.count
    mean = np.stack([np.bincount(row, f * times, both.size) / both for f in each.T], axis=1)
    spread: Floats = ((each - mean[row]) ** 2).sum(axis=1) * times
    error: Floats = np.bincount(row, spread, both.size).astype(np.float64)
    return HardMeet.of_cells(
        objects.truth[first],
        objects.guess[first],
        both,
        alignment=objects.alignment,
        features=Features(mean, error),
    )


# Clusterings of any kind: covers are grouped by the sets of clusters of both sides, uncertain ones
# by the evidence on each object.


def meet_clusterings(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, features: Any = None
) -> Meet:
    """The meet of two clusterings under a policy; of those on a device there, if it can be."""
    if isinstance(truth, LabelImage) or isinstance(guess, LabelImage):
        from clusterdiff.engines.images import meet_images

        return meet_images(truth, guess, policy, features).pooled
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        in_memory = features is not None or truth.counts is not None
        if not in_memory and is_on_device(truth.labels, guess.labels):
            on_device = meet_on_device(truth, guess, policy)
            if on_device is not None:
                return on_device
        return meet_partitions(truth, guess, policy, features)
    if features is not None:
        raise ClusterdiffError(
            "features are for partitions; here objects may be in several clusters.",
            "leave features= out.",
        )
    of_covers = isinstance(truth, Partition | Cover) and isinstance(guess, Partition | Cover)
    there = truth.counts is None and of_covers
    if there and any(getattr(side, "tensor", None) is not None for side in (truth, guess)):
        from clusterdiff.engines.torch import meet_covers

        covers = meet_covers(truth, guess, policy)
        if covers is not None:
            return covers
    meet: Meet = rows_of_objects(truth, guess, policy)[0]
    return meet


def rows_of_objects(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, beyond: int = 0
) -> tuple[Any, Ints, Objects]:
    """A meet with every row kept apart, the row of each object, and the objects; `beyond` are
    objects more that neither of two covers has.
    """
    plan = plan_of(policy, truth.kind, guess.kind)
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        objects = objects_of(truth, guess, plan)
        whole, row, _ = every_row(objects)
        return _counted_by(truth, whole), row, objects
    left, right = prepared(truth, guess, plan)
    where = places(left, right, plan).beside(beyond)
    made, row, objects = rows_of_places(left, right, where, plan)
    return _counted_by(truth, made), row, objects


def _counted_by(side: Clustering, made: Any) -> Any:
    """The comparison, which knows what its counts are called."""
    if not side.counted:
        return made
    return made.with_alignment(replace(made.alignment, count=side.counted))


def prepared(
    truth: AnyClustering, guess: AnyClustering, plan: AlignmentPlan
) -> tuple[AnyClustering, AnyClustering]:
    """Two covers, partitions lifted; or, where one side is uncertain, clusterings that have each
    object in one cluster, known or not.
    """
    if plan.kind == "cover":
        return lifted("truth", truth, plan), lifted("guess", guess, plan)
    truth, guess = _in_one_cluster("truth", truth), _in_one_cluster("guess", guess)
    uncertain = [side for side in (truth, guess) if isinstance(side, Soft)]
    noise = [
        label
        for side in uncertain
        for label in plan.labels
        if label is not None and side.labels.equals(label).any()
    ]
    plan.check_noise(noise, hard=len(uncertain) < 2)
    return truth, guess


def rows_of_places(
    truth: Any, guess: Any, where: Positions, plan: AlignmentPlan
) -> tuple[CoverMeet | SoftMeet, Ints, Objects]:
    """The meet of prepared sides on the objects that stand there, the row of each object, and the
    objects.
    """

    def said() -> tuple[Numbered, Numbered]:
        return (
            _codes("truth", truth, where.in_truth, plan),
            _codes("guess", guess, where.in_guess, plan),
        )

    if where.count is not None and Fate.ALONE in (plan.noise, plan.lacked):
        # objects that were counted together are taken apart, where each gets its own cluster
        left, right = said()
        where = where.one_by_one(alone(*left, plan) | alone(*right, plan))
    left, right = said()
    if plan.kind == "cover":
        left, truth_sets = _with_lone(truth, left, plan)
        right, guess_sets = _with_lone(guess, right, plan)
    objects = settled(left, right, where, plan, truth.repeats + guess.repeats)
    if plan.kind == "soft":
        if _all_differ(objects.truth) or _all_differ(objects.guess):
            row = first = np.arange(objects.truth.size)
        else:
            row, first = rows_of(objects)
        sides = _side(truth, objects.truth[first]), _side(guess, objects.guess[first])
        return SoftMeet(*sides, objects.per_row(row), objects.alignment), row, objects
    row, first = rows_of(objects)
    order = in_order_of_clusters(guess_sets, objects.guess[first])
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    row, first = place[row], first[order]
    cells = objects.truth[first], objects.guess[first], objects.per_row(row)
    return CoverMeet.of_cells(*cells, truth_sets, guess_sets, objects.alignment), row, objects


def in_order_of_clusters(sets: Sets, code: Ints) -> Ints:
    """Rows in the order of their first cluster: what belongs together lies together in memory."""
    first = np.append(sets.member, -1)[np.append(sets.start[:-1], sets.member.size)]
    first[:-1][sets.size == 0] = -1
    return np.argsort(first[code], kind="stable")


def lifted(name: str, side: AnyClustering, plan: AlignmentPlan) -> Cover:
    """A cover; the null labels of a partition must have been called noise."""
    if isinstance(side, Cover):
        return side
    assert isinstance(side, Partition)
    check_no_nulls(name, side, plan)
    return Cover.from_partition(side)


def _codes(name: str, side: AnyClustering, position: Ints, plan: AlignmentPlan) -> Numbered:
    """The evidence on each object at these positions as a number, and which are noise there."""
    if isinstance(side, Partition):
        return numbered_clusters(name, side, position, plan)
    if isinstance(side, Cover):
        code = np.append(side.code, -1)[position]
        return Numbered(code, noisy_sets(side, plan.policy)[code] & (code >= 0))
    whole = position.size == len(side) and bool((np.diff(position) == 1).all())
    code = side.code if whole else side.code[position]
    return Numbered(code, np.zeros(position.size, np.bool_))


def _with_lone(side: Cover, numbered: Numbered, plan: AlignmentPlan) -> tuple[Numbered, Sets]:
    """The sets of clusters that numbers stand for, with one more for each lone object: a cluster of
    its own, besides those of its clusters that are no noise.
    """
    code, noise = numbered
    sets, clusters = side.sets, len(side.labels)
    lone = np.flatnonzero(alone(code, noise, plan))
    if not lone.size:
        return numbered, sets
    kept = ~plan.policy.means_noise(side.labels)[sets.member]
    # the sets without noise, and an empty one at the end for objects that the side lacks
    rest = sets_of_rows(sets.owner[kept], sets.member[kept], sets.number + 1)[0].take(
        np.where(code[lone] < 0, sets.number, code[lone])
    )
    own = singles(np.arange(clusters, clusters + lone.size))
    owner = np.concatenate([rest.owner, own.owner])
    member = np.concatenate([rest.member, own.member])
    code = code.copy()
    code[lone] = sets.number + np.arange(lone.size)
    sets = joined(sets, sets_of_rows(owner, member, lone.size)[0])
    return Numbered(code, noise), sets


def noisy_sets(side: Cover, policy: Policy) -> Bools:
    """Which sets hold a cluster that means noise; with None as noise, also the empty one."""
    noisy = np.zeros(side.sets.number + 1, np.bool_)
    is_noise = policy.means_noise(side.labels)[side.sets.member]
    np.logical_or.at(noisy, side.sets.owner, is_noise)
    if None in policy.noise_labels:
        noisy[:-1] |= side.sets.size == 0
    return noisy


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
