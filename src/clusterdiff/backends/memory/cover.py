"""The engine for covers in memory: match the objects, group them by both sets of clusters."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.backends.alignment import AlignmentPlan, plan_of
from clusterdiff.backends.memory.hard import (
    Numbered,
    Objects,
    Positions,
    alone,
    places,
    refuse_nulls,
    rows_of,
    settled,
)
from clusterdiff.clusterings import Cover, Partition, Sets
from clusterdiff.clusterings.encode.sets import joined, sets_of_rows, singles
from clusterdiff.meet import CoverMeet, Policy


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
    where = _one_by_one(truth, guess, where, plan)
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


def _one_by_one(truth: Cover, guess: Cover, where: Positions, plan: AlignmentPlan) -> Positions:
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
