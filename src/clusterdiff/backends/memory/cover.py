"""The engine for covers in memory: match the objects, group them by both sets of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.backends.memory.hard import Objects, Positions, alignment_of, places, rows_of
from clusterdiff.clusterings import Cover, Partition, Sets
from clusterdiff.clusterings.encode.sets import joined, sets_of_rows, singles
from clusterdiff.errors import InputError
from clusterdiff.meet import CoverMeet, Policy

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Ints


def meet_covers(truth: Partition | Cover, guess: Partition | Cover, policy: Policy) -> CoverMeet:
    """The meet of two covers under a policy; partitions are lifted."""
    return rows_of_covers(truth, guess, policy)[0]


def rows_of_covers(
    truth: Partition | Cover, guess: Partition | Cover, policy: Policy, beyond: int = 0
) -> tuple[CoverMeet, Ints, Objects]:
    """The meet, and the row of each object; `beyond` are objects more that neither side has."""
    truth, guess = _lifted("truth", truth, policy), _lifted("guess", guess, policy)
    return rows_of_places(truth, guess, places(truth, guess, policy).beside(beyond), policy)


def rows_of_places(
    truth: Partition | Cover, guess: Partition | Cover, where: Positions, policy: Policy
) -> tuple[CoverMeet, Ints, Objects]:
    """The same where it is known which objects are compared."""
    truth, guess = _lifted("truth", truth, policy), _lifted("guess", guess, policy)
    where = _one_by_one(truth, guess, where, policy)
    left = _described(truth, where.in_truth, policy)
    right = _described(guess, where.in_guess, policy)
    noisy = left.noise | right.noise
    alignment = alignment_of(policy, where, noisy, truth.repeats + guess.repeats)
    objects = Objects(left.code, right.code, where.in_truth, where.in_guess, alignment, where.count)
    if policy.noise_as == "drop":
        objects = objects.without(noisy)
    row, first = rows_of(objects)
    order = _by_cluster(right.sets, objects.guess[first])
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    row, first = place[row], first[order]
    made = CoverMeet.of_cells(
        objects.truth[first],
        objects.guess[first],
        objects.per_row(row),
        left.sets,
        right.sets,
        alignment,
    )
    return made, row, objects


def _one_by_one(truth: Cover, guess: Cover, where: Positions, policy: Policy) -> Positions:
    """Objects that were counted together and get a cluster of their own each, taken apart."""
    if where.count is None:
        return where
    alone = np.zeros(where.count.size, np.bool_)
    for side, position in ((truth, where.in_truth), (guess, where.in_guess)):
        alone |= _alone(_codes(side, position), noisy_sets(side, policy), policy)
    return where.one_by_one(alone)


def _by_cluster(sets: Sets, code: Ints) -> Ints:
    """Rows in the order of their first cluster: what belongs together lies together in memory."""
    first = np.append(sets.member, -1)[np.append(sets.start[:-1], sets.member.size)]
    first[:-1][sets.size == 0] = -1
    return np.argsort(first[code], kind="stable")


def _lifted(name: str, side: Partition | Cover, policy: Policy) -> Cover:
    """A cover; the null labels of a partition must have been called noise."""
    if isinstance(side, Cover):
        return side
    nulls = side.labels.nulls()
    if nulls is not None and None not in policy.noise_labels:
        where = np.flatnonzero(nulls)
        raise InputError.from_nulls(
            name, where.size, len(side), [side.id_of(int(i)) for i in where[:3]]
        )
    return Cover.from_partition(side)


class _Described(NamedTuple):
    """What a side says of the objects that are compared: set numbers, -1 for missing."""

    code: Ints
    sets: Sets
    noise: Bools


def _described(side: Cover, position: Ints, policy: Policy) -> _Described:
    """Sets of the objects at these positions; each lone object is given a cluster of its own."""
    code = _codes(side, position)
    noise = noisy_sets(side, policy)
    is_noise = noise[code] & (code >= 0)
    sets, clusters = side.sets, len(side.labels)
    lone = np.flatnonzero(_alone(code, noise, policy))
    if lone.size:
        kept = _without_noise(side, policy).take(
            np.where(code[lone] < 0, side.sets.number, code[lone])
        )
        own = singles(np.arange(clusters, clusters + lone.size))
        owner = np.concatenate([kept.owner, own.owner])
        member = np.concatenate([kept.member, own.member])
        code = code.copy()
        code[lone] = sets.number + np.arange(lone.size)
        sets = joined(sets, sets_of_rows(owner, member, lone.size)[0])
    return _Described(code, sets, is_noise)


def _codes(side: Cover, position: Ints) -> Ints:
    """The numbers of the sets at these positions, -1 for missing."""
    return np.append(side.code, -1)[position]


def _alone(code: Ints, noise: Bools, policy: Policy) -> Bools:
    """Which objects get a cluster of their own: noise, and those that the side lacks."""
    alone = np.zeros(code.size, np.bool_)
    if policy.noise_as == "singletons" and policy.noise_labels:
        alone |= noise[code] & (code >= 0)
    if policy.align == "singletons":
        alone |= code < 0
    return alone


def _noisy_clusters(side: Cover, policy: Policy) -> Bools:
    noisy = np.zeros(len(side.labels), np.bool_)
    for label in policy.noise_labels:
        noisy |= side.labels.equals(label)
    return noisy


def noisy_sets(side: Cover, policy: Policy) -> Bools:
    """Which sets hold a cluster that means noise; with None as noise, also the empty one."""
    noisy = np.zeros(side.sets.number + 1, np.bool_)
    np.logical_or.at(noisy, side.sets.owner, _noisy_clusters(side, policy)[side.sets.member])
    if None in policy.noise_labels:
        noisy[:-1] |= side.sets.size == 0
    return noisy


def _without_noise(side: Cover, policy: Policy) -> Sets:
    """The sets of a side without the clusters that mean noise, and an empty one at the end."""
    kept = ~_noisy_clusters(side, policy)[side.sets.member]
    return sets_of_rows(side.sets.owner[kept], side.sets.member[kept], side.sets.number + 1)[0]
