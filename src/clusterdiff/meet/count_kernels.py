"""Compiled counting for meets of many rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings import Sets
from clusterdiff.clusterings.encode.group_kernels import share_work, workers
from clusterdiff.compiled import compiled


def owners_by_member(sets: Sets, members: int) -> Ints:
    """The sets that each member is in, one member after the other."""
    free = np.cumsum(np.bincount(sets.member, minlength=members))
    free -= np.bincount(sets.member, minlength=members)
    out = np.empty(sets.member.size, np.int64)
    _place(sets.start, sets.member, free, out)
    return out


def coloured(truth: Ints, guess: Ints, colour: Hashes) -> Hashes:
    """The colours of rows after a round in which they take those of their two clusters."""
    sides = (truth, guess)
    sums = [np.zeros(int(side.max(initial=-1)) + 2, np.uint64) for side in sides]
    made = np.empty_like(colour)

    def take(begin: int, end: int) -> None:
        _take(begin, end, *sides, colour, *sums, made)

    share_work(2, 2, lambda side, _: _add_colours(sides[side], colour, sums[side]))
    share_work(workers(), colour.size, take)
    return made


def count_shared(
    start: Ints, rows: Ints, weight: Ints, other: Sets, others: int
) -> tuple[Ints, Ints, Ints]:
    """For groups of rows, which members of the rows' other sets they have, and how many objects.

    Group, member and objects of each pair that occurs.
    """
    groups = start.size - 1
    size = np.zeros(groups + 1, np.int64)
    none = np.zeros(0, np.int64)

    def count(members: Ints, objects: Ints) -> Callable[[int, int], None]:
        def work(begin: int, end: int) -> None:
            room = np.zeros(others, np.int64), np.zeros(others, np.int64)
            sides = start, rows, weight, other.start, other.member
            _count(begin, end, *sides, *room, size, members, objects)

        return work

    share_work(workers(), groups, count(none, none))
    size = np.concatenate([[0], np.cumsum(size[:-1])])
    members, objects = np.empty(size[-1], np.int64), np.empty(size[-1], np.int64)
    share_work(workers(), groups, count(members, objects))
    return np.repeat(np.arange(groups), np.diff(size)), members, objects


@compiled
def _place(start, member, free, out):  # type: ignore[no-untyped-def]  # pragma: no cover
    for owner in range(start.size - 1):
        for e in range(start[owner], start[owner + 1]):
            out[free[member[e]]] = owner
            free[member[e]] += 1


@compiled
def _count(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin,
    end,
    start,
    rows,
    weight,
    other_start,
    other_member,
    total,
    touched,
    size,
    members,
    objects,
):
    """Without room for members, say how many each group has; with it, list them."""
    for group in range(begin, end):
        many = 0
        for k in range(start[group], start[group + 1]):
            row = rows[k]
            for e in range(other_start[row], other_start[row + 1]):
                member = other_member[e]
                if total[member] == 0:
                    touched[many] = member
                    many += 1
                total[member] += weight[row]
        if members.size == 0:
            size[group] = many
        for i in range(many):
            if members.size:
                members[size[group] + i] = touched[i]
                objects[size[group] + i] = total[touched[i]]
            total[touched[i]] = 0


@compiled(inline="always")
def _mixed(x):  # type: ignore[no-untyped-def]  # pragma: no cover
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _add_colours(cluster, colour, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(colour.size):
        sums[cluster[i] + 1] += _mixed(colour[i])
    sums[0] = np.uint64(0)


@compiled
def _take(begin, end, truth, guess, colour, truth_sums, guess_sums, made):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(begin, end):
        first = _mixed(colour[i] + _mixed(truth_sums[truth[i] + 1]))
        made[i] = _mixed(first + np.uint64(3) * _mixed(guess_sums[guess[i] + 1]))
