"""Samples side by side: documents, page streams, each a comparison of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import AnyClustering, Column, Partition, column
from clusterdiff.clusterings.grouping import pair_keys
from clusterdiff.contingency import Alignment, Listed, Meet, Policy, Stack, union
from clusterdiff.contingency.alignment import alignment_of_union
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.memory import (
    alike,
    match,
    matched_objects,
    meet_clusterings,
    numbered_together,
    objects_of,
    places,
    rows_of,
    some_ids,
)
from clusterdiff.errors import (
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    InputError,
    NothingShared,
    examples,
    shown,
)

C = TypeVar("C", bound=AnyClustering)


class Sample(NamedTuple):
    """One sample: its name, and what truth and guess say of its objects."""

    name: Any
    truth: AnyClustering
    guess: AnyClustering

    def met(self, policy: Policy) -> Meet | Alignment:
        """The meet; where the policy leaves no object, how the objects were matched."""
        plan, repeats = plan_of(policy), self.truth.repeats + self.guess.repeats
        try:
            return meet_clusterings(self.truth, self.guess, replace(policy, part=True))
        except (NothingShared, AllNoise) as error:
            if not plan.skips(error):
                raise error.within(f"sample {self.name}") from None
            if isinstance(error, NothingShared):
                return plan.alignment(amount(self.truth), amount(self.guess), repeats=repeats)
            where = places(self.truth, self.guess, plan)
            noise = where.total(np.ones(where.in_truth.size, np.bool_))
            return plan.alignment(where.only_truth, where.only_guess, noise, repeats)
        except ClusterdiffError as error:
            raise error.within(f"sample {self.name}") from None


def amount(side: AnyClustering) -> int:
    """How many objects a clustering has, or stands for."""
    return len(side) if side.counts is None else sum(side.counts.tolist())


def listed_of(found: list[tuple[Any, Any]]) -> Listed:
    """Meets of samples side by side; one that is only an `Alignment` has nothing to compare."""
    kept = [(name, meet) for name, meet in found if not isinstance(meet, Alignment)]
    gone = [replace(a, empty=(str(name),)) for name, a in found if isinstance(a, Alignment)]
    if not kept:
        raise AllNoise.dropped() if any(a.noise for a in gone) else AlignmentError.nothing_shared()
    meets = [meet for _, meet in kept]
    whole: Any = union(meets)
    alignment = alignment_of_union([whole.alignment, *gone])
    return Listed([name for name, _ in kept], meets, replace(whole, alignment=alignment))


def check_strangers(samples: list[Sample], policy: Policy) -> None:
    """Refuse samples none of which has an object on both sides, where the plan refuses a whole
    that has none.
    """
    only_truth, only_guess = (sum(len(sample[side]) for sample in samples) for side in (1, 2))
    if not plan_of(policy).refuses_strangers(only_truth, only_guess):
        return
    if any(match(s.truth, s.guess).only_truth.size < len(s.truth) for s in samples):
        return
    both = [sample for sample in samples if len(sample.truth) and len(sample.guess)]
    raise AlignmentError.nothing_shared(
        *(
            [i for one in both for i in some_ids(one[side], np.arange(len(one[side])))]
            for side in (1, 2)
        )
    )


def by_sample(truth: AnyClustering, guess: AnyClustering) -> list[Sample]:
    """The samples of two clusterings, in the order in which truth names them.

    A guess without samples of its own takes them from truth, object by object.
    """
    truth, guess = _both_sampled(truth, guess)
    assert truth.samples is not None
    assert guess.samples is not None
    left, right = alike(truth.samples, guess.samples)
    of_truth, of_guess = _positions(left), _positions(right)
    return [
        Sample(name, _part(truth, of_truth, name), _part(guess, of_guess, name))
        for name in {**of_truth, **of_guess}
    ]


def _both_sampled(truth: C, guess: C) -> tuple[C, C]:
    """Both with samples, where one of them names them."""
    if guess.samples is None:
        return truth, sampled_like(truth, guess)
    return (truth if truth.samples is not None else sampled_like(guess, truth)), guess


def stack_of(truth: AnyClustering, guess: AnyClustering, policy: Policy) -> Stack | None:
    """The meets of all samples of two partitions in one pass; None where each needs a look.

    Objects and clusters of different samples are made different; then all samples are one.
    """
    plan = plan_of(policy)
    if not isinstance(truth, Partition) or not isinstance(guess, Partition) or plan.labels:
        return None
    if truth.samples is None or guess.samples is None or not len(truth) or not len(guess):
        return None
    if any(c.nulls() is not None for s in (truth, guess) for c in (s.samples, s.labels) if c):
        return None
    (first, second), names = numbered_together([truth.samples, guess.samples])
    ids: tuple[Ints, Ints] | None = None
    if truth.ids is not None and guess.ids is not None:
        codes, known = numbered_together([truth.ids, guess.ids])
        ids = (first * len(known) + codes[0], second * len(known) + codes[1])
    elif truth.ids is not None or guess.ids is not None or not np.array_equal(first, second):
        return None
    try:
        left = _made_different(truth, first, ids and ids[0])
        right = _made_different(guess, second, ids and ids[1])
        found = objects_of(left, right, plan)
    except ClusterdiffError:
        return None
    assert left.samples is not None
    assert right.samples is not None
    in_truth, in_guess = found.in_truth, found.in_guess
    sample = np.where(in_truth >= 0, left.samples.keys[in_truth], right.samples.keys[in_guess])
    shared = np.zeros(len(names), np.bool_)
    shared[sample[(in_truth >= 0) & (in_guess >= 0)]] = True
    if not shared.all() and plan.lacked is not Fate.DROPPED:
        return None
    row, example = rows_of(found)
    cells = (found.truth[example], found.guess[example], found.per_row(row))
    return Stack.of_cells(names.tolist(), sample[example], *cells, found.alignment)


def _made_different(side: Partition, sample: Ints, ids: Ints | None) -> Partition:
    """A partition in which samples share no cluster and no object."""
    return (
        Partition(pair_keys(sample, side.labels.keys), ids, sample).counting_like(side).distinct()
    )


def split_by_sample(
    truth: Partition, guess: Partition, plan: AlignmentPlan
) -> tuple[Partition, Partition, Partition, Partition]:
    """Two partitions of samples, each object once; and the same with clusters and ids that no two
    samples share, so that they are compared as one.
    """
    truth, guess = _both_sampled(truth, guess)
    assert truth.samples is not None
    assert guess.samples is not None
    for names in (truth.samples, guess.samples):
        _check_nameless(names)
    try:
        (first, second), _ = numbered_together([truth.samples, guess.samples])
        if truth.ids is not None and guess.ids is not None:
            (left, right), known = numbered_together([truth.ids, guess.ids])
            many = len(known)
        elif truth.ids is guess.ids:
            left, right, many = ranks(first), ranks(second), max(len(truth), len(guess))
        else:
            match(truth, guess)
        one, one_apart = _apart(truth, first, first * many + left)
        two, two_apart = _apart(guess, second, second * many + right)
        matched_objects(one_apart, two_apart, plan)
    except ClusterdiffError:
        for sample in by_sample(truth, guess):
            try:
                matched_objects(sample.truth, sample.guess, plan)
            except ClusterdiffError as error:
                raise error.within(f"sample {sample.name}") from None
        raise
    return one, two, one_apart, two_apart


def _apart(side: Partition, sample: Ints, ids: Ints) -> tuple[Partition, Partition]:
    """The partition with each object once, and one whose ids and clusters samples do not share;
    labels look as they did, so that noise and nulls are still seen.
    """
    keys = pair_keys(sample, side.labels.keys)
    kept = Partition(keys, ids, np.arange(len(side))).counting_like(side).distinct()
    assert kept.samples is not None
    once = side.take(kept.samples.keys)
    once.repeats = kept.repeats
    apart = once.take(np.arange(len(once)))
    apart.ids, apart.samples, apart.repeats = kept.ids, None, kept.repeats
    vars(apart.labels)["keys"] = kept.labels.keys
    return once, apart


def ranks(sample: Ints) -> Ints:
    """The place of each object within its sample."""
    order = np.argsort(sample, kind="stable")
    starts = np.flatnonzero(np.diff(sample[order], prepend=-1))
    begin = np.repeat(starts, np.diff(np.append(starts, sample.size)))
    ranks = np.empty(sample.size, np.int64)
    ranks[order] = np.arange(sample.size) - begin
    return ranks


def with_samples(clustering: Any, samples: Any, what: str = "sample") -> Any:
    """The clustering with a sample for each object, from a dict id -> sample or one per object;
    `what` is what an error calls it.
    """
    if isinstance(samples, Mapping):
        if clustering.ids is None:
            raise AlignmentError.from_one_sided_ids(f"{what}s", "the clustering")
        missing = [i for i in clustering.ids.tolist() if i not in samples]
        if missing:
            many = "1 object has" if len(missing) == 1 else f"{len(missing):,} objects have"
            raise ClusterdiffError(
                f"{many} no {what}, such as {shown(missing[0])}.",
                f"give each object of both clusterings a {what}.",
            )
        samples = [samples[i] for i in clustering.ids.tolist()]
    made = clustering.take(np.arange(len(clustering)))
    made.samples = column(samples)
    if len(made.samples) != len(clustering):
        raise InputError.from_lengths(f"{what}s", len(made.samples), len(clustering))
    made.origin, made.asked = clustering.origin, clustering.asked
    made.source = clustering.source
    made.bare_words = clustering.bare_words
    return made


def sampled_like(known: AnyClustering, other: C) -> C:
    """`other` with the samples that `known` has for the same objects."""
    assert known.samples is not None
    if known.ids is not None and np.unique(known.ids.keys).size < len(known):
        raise ClusterdiffError(
            "ids repeat from sample to sample, and one clustering does not say which sample each "
            "of its objects is in.",
            "name the samples of both clusterings.",
        )
    matched = match(known, other)
    if matched.only_guess.size:
        raise AlignmentError.from_ids(
            [], [other.id_of(int(i)) for i in matched.only_guess[:3]],
            (0, matched.only_guess.size, len(other)),
        )  # fmt: skip
    made = cast(C, other.take(np.arange(len(other))))
    where = np.arange(len(other))
    if matched.truth is not None and matched.guess is not None:
        where[matched.guess] = matched.truth
    made.samples = known.samples.take(where)
    return made


def _positions(samples: Column) -> dict[Any, Ints]:
    """The positions of the objects of each sample."""
    if not len(samples):
        return {}
    _check_nameless(samples)
    order = np.argsort(samples.keys, kind="stable")
    edges = np.flatnonzero(np.diff(samples.keys[order])) + 1
    groups = sorted(np.split(order, edges), key=lambda group: int(group[0]))
    return {samples[group[0]]: group for group in groups}


def _check_nameless(samples: Column) -> None:
    if (nulls := samples.nulls()) is not None:
        raise InputError.from_nameless_samples(int(nulls.sum()), len(samples))


def _part(clustering: AnyClustering, positions: dict[Any, Ints], name: Any) -> AnyClustering:
    """The objects of one sample."""
    part = clustering.take(positions.get(name, np.zeros(0, np.int64)))
    part.samples = None
    try:
        return part.distinct()
    except InputError as error:
        raise error.within(f"sample {name}") from None


# Sources, where only pairs of objects from different ones count: what is refused.

NEEDED = "give each object of truth and guess the source that it comes from."


def no_source(ids: Sequence[Any], many: int, total: int, name: str) -> InputError:
    """Objects of which it is not said which source they come from; some ids of them."""
    have = "has" if many == 1 else "have"
    some = examples(ids[:3])
    return InputError(
        f"{many:,} of {total:,} objects {have} no source ({name}), such as {some}.", NEEDED
    )


def other_source(ids: Sequence[Any], many: int, name: str) -> InputError:
    """Objects that are from different sources on different sides; some ids of them."""
    what = "object has" if many == 1 else "objects have"
    return InputError(
        f"{many:,} {what} different sources ({name}) on different sides, such as "
        f"{examples(ids[:3])}.",
        "each object has one source; if ids repeat from source to source, name both columns as the "
        "id.",
    )


def several_sources(ids: Sequence[Any], many: int, name: str) -> InputError:
    """Ids that are in several sources; some of them."""
    return InputError(
        f"{many:,} {'id is' if many == 1 else 'ids are'} in several sources ({name}), such as "
        f"{examples(ids[:3])}: each object has one source.",
        "if ids repeat from source to source, name both columns as the id: "
        f'cd.read(path, id=["{name}", "id"]).',
        f"if ids repeat from source to source, name both columns as the id: --id {name},id.",
    )
