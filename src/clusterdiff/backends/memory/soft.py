"""The engine for uncertain clusterings: match the objects, group them by what is known."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.backends.memory.hard import (
    Numbered,
    Objects,
    Positions,
    numbered_clusters,
    places,
    rows_of,
    settled,
)
from clusterdiff.clusterings import AnyClustering, Cover, Partition, Soft
from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.errors import InputError, KindError
from clusterdiff.meet import Policy, SoftMeet, SoftSide, known_for_certain


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
    where = _one_by_one(truth, guess, where, plan)
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


def _one_by_one(
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
