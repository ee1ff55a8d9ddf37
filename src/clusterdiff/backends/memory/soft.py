"""The engine for uncertain clusterings: match the objects, group them by what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.backends.memory.hard import (
    Objects,
    Positions,
    alignment_of,
    numbered_clusters,
    places,
    rows_of,
)
from clusterdiff.clusterings import AnyClustering, Cover, Partition, Soft
from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.errors import AlignmentError, InputError, KindError
from clusterdiff.meet import Policy, SoftMeet, SoftSide, known_for_certain

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Ints


def meet_soft(truth: AnyClustering, guess: AnyClustering, policy: Policy) -> SoftMeet:
    """The meet of two clusterings, at least one of them uncertain, under a policy."""
    return rows_of_soft(truth, guess, policy)[0]


def rows_of_soft(
    truth: AnyClustering, guess: AnyClustering, policy: Policy
) -> tuple[SoftMeet, Ints, Objects]:
    """The meet, and the row of each object."""
    refuse_missing_sides(policy)
    truth, guess = _in_one_cluster("truth", truth), _in_one_cluster("guess", guess)
    _refuse_noise(policy, truth, guess)
    try:
        where = places(truth, guess, policy)
    except AlignmentError as error:
        raise without_penalties(error) from None
    return rows_of_places(truth, guess, where, policy)


def refuse_missing_sides(policy: Policy) -> None:
    """Uncertain clusterings have no form for objects on one side only."""
    if policy.align not in ("exact", "shared"):
        raise KindError.from_missing_side()


def without_penalties(error: AlignmentError) -> AlignmentError:
    """The error without the hint at policies that uncertain clusterings do not know."""
    if "penalise" not in error.hint:
        return error
    return AlignmentError(error.message, 'align="shared" leaves them out.')


def rows_of_places(
    truth: AnyClustering, guess: AnyClustering, where: Positions, policy: Policy
) -> tuple[SoftMeet, Ints, Objects]:
    """The same where it is known which objects are compared."""
    truth, guess = _in_one_cluster("truth", truth), _in_one_cluster("guess", guess)
    _refuse_noise(policy, truth, guess)
    where = _one_by_one(truth, guess, where, policy)
    truth_code, truth_noise = _codes("truth", truth, where.in_truth, policy)
    guess_code, guess_noise = _codes("guess", guess, where.in_guess, policy)
    noisy = truth_noise | guess_noise
    alignment = alignment_of(policy, where, noisy, truth.repeats + guess.repeats)
    objects = Objects(
        truth_code, guess_code, where.in_truth, where.in_guess, alignment, where.count
    )
    if policy.noise_as == "drop":
        objects = objects.without(noisy)
    if _all_differ(objects.truth) or _all_differ(objects.guess):
        row = first = np.arange(objects.truth.size)
    else:
        row, first = rows_of(objects)
    made = SoftMeet(
        _side(truth, objects.truth[first]),
        _side(guess, objects.guess[first]),
        objects.per_row(row),
        alignment,
    )
    return made, row, objects


def _one_by_one(
    truth: Partition | Soft, guess: Partition | Soft, where: Positions, policy: Policy
) -> Positions:
    """Noise that was counted together and is to be singletons, taken apart."""
    if where.count is None or not policy.noise_labels or policy.noise_as == "drop":
        return where
    sides = (("truth", truth, where.in_truth), ("guess", guess, where.in_guess))
    noise = [_codes(name, side, position, policy)[1] for name, side, position in sides]
    return where.one_by_one(noise[0] | noise[1])


def _refuse_noise(policy: Policy, *sides: Partition | Soft) -> None:
    """Noise is a label of a partition; an uncertain side says "in no cluster" by its masses."""
    if not policy.noise_labels:
        return
    hard = any(isinstance(side, Partition) for side in sides)
    named = [
        label
        for side in sides
        if isinstance(side, Soft)
        for label in policy.noise_labels
        if label is not None and side.labels.equals(label).any()
    ]
    if named or not hard:
        what = f"{named[0]!r} is a cluster of the uncertain side" if named else "none is one"
        raise KindError(
            f"noise is a label of a partition; {what}.",
            "put the mass of noise on the empty set instead, and leave noise out.",
        )


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


def _codes(name: str, side: Partition | Soft, position: Ints, policy: Policy) -> tuple[Ints, Bools]:
    """What is known of each object as a number, and which objects are noise there."""
    if isinstance(side, Partition):
        return numbered_clusters(name, side, position, policy)
    whole = position.size == len(side) and bool((np.diff(position) == 1).all())
    return (side.code if whole else side.code[position]), np.zeros(position.size, np.bool_)


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
