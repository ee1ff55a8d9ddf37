"""Cells of a table of truth by guess clusters: what is refused, sizes, distinct shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings import Sets
from clusterdiff.clusterings.grouping import MANY, group_pairs, share_work, workers
from clusterdiff.compiled import compiled
from clusterdiff.contingency.base import dense
from clusterdiff.errors import MeetError, examples

FEW = 32
"""Rows that are grouped sooner one by one than by NumPy."""
MOST = 2**53
"""Objects that sums of floating-point numbers count exactly."""


class Cells(NamedTuple):
    """A truth cluster, a guess cluster, a number of objects and of repetitions for each row."""

    truth: Ints
    guess: Ints
    both: Ints
    times: Ints | None


def checked_cells(truth: Any, guess: Any, both: Any, times: Any) -> Cells:
    """The rows of a table that somebody gives, if they make sense."""
    given = {"truth": truth, "guess": guess, "both": both}
    if times is not None:
        given["times"] = times
    columns = whole_columns(given)
    truth, guess, both = columns["truth"], columns["guess"], columns["both"]
    repeats = columns.get("times", np.ones_like(both))
    check_counts(both, repeats)
    if min(truth.min(initial=0), guess.min(initial=0)) < -1:
        raise MeetError(
            "clusters of a meet are numbered from 0 on.", "use -1 for missing, nothing below."
        )
    truth, guess = numbered(truth), numbered(guess)
    check_repeated(truth, guess, columns["truth"], columns["guess"])
    conflict = (both != size_per_row(truth, both)) | (both != size_per_row(guess, both))
    if (repeats[conflict] != 1).any():
        raise MeetError(
            "only rows of clusters that agree exactly can stand for several.",
            "leave times=1 where a cluster has other rows too.",
        )
    return Cells(truth, guess, both, None if times is None else repeats)


def whole_columns(given: dict[str, Any]) -> dict[str, Ints]:
    """Columns of whole numbers, one entry per row."""
    columns = {name: _whole(name, values) for name, values in given.items()}
    if len({column.size for column in columns.values()}) > 1:
        raise MeetError.from_lengths({name: column.size for name, column in columns.items()})
    return columns


def check_counts(both: Ints, times: Ints) -> None:
    """Rows without objects, and more objects than can be counted."""
    if both.size and min(both.min(), times.min()) < 1:
        raise MeetError("a row of a meet has at least one object.", "leave the empty cells out.")
    objects = float(both.astype(np.float64) @ times.astype(np.float64))
    if objects >= MOST:
        raise MeetError(
            f"the rows have {objects:.3g} objects together; fewer than {MOST:,} can be counted.",
            "compare a part of them at a time.",
        )


def check_repeated(truth: Ints, guess: Ints, *names: Ints) -> None:
    """Cells that several rows speak of, under the names they were given."""
    nowhere = int(((truth < 0) & (guess < 0)).sum())
    if nowhere:
        raise MeetError(
            f"rows that are missing in truth and in guess: {nowhere:,}.",
            "leave out objects that neither side has.",
        )
    keys = (truth + 1) * (int(guess.max(initial=-1)) + 2) + guess + 1
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    again = first[count > 1]
    if again.size:
        shown = zip(*(name[again[:3]].tolist() for name in names or (truth, guess)), strict=True)
        told = ", ".join(f"truth {t}, guess {g}" for t, g in shown)
        raise MeetError(
            f"cells of the table with more than one row: {again.size:,} ({told}).",
            "add up the objects of such rows: a meet has one row for each cell.",
        )


def _whole(name: str, values: Any) -> Ints:
    """Whole numbers, also where they are written as 2.0; anything else is refused."""
    try:
        column = np.asarray(values)
    except (TypeError, ValueError):
        column = np.zeros(())
    if column.ndim != 1:
        raise MeetError(
            f"{name} is not a list of whole numbers.",
            "give one entry for each row, e.g. HardMeet.from_rows([0, 0], [0, 1], [2, 1]).",
        )
    if column.dtype.kind == "i" or not column.size:
        return column.astype(np.int64)
    if column.dtype.kind == "f":
        wrong = ~(np.abs(column) < MOST) | (column != np.floor(column))
    elif column.dtype.kind == "u":
        wrong = column > np.iinfo(np.int64).max
    else:
        wrong = np.ones(column.size, np.bool_)
    if wrong.any():
        raise MeetError(
            f"{int(wrong.sum()):,} of {column.size:,} entries of {name} are not whole numbers "
            f"({examples(column[wrong][:3].tolist())}).",
            "number the clusters 0, 1, … and count whole objects.",
        )
    return column.astype(np.int64)


def numbered(cluster: Ints) -> Ints:
    """Numbers small enough to index a table; -1 stays."""
    if not cluster.size or int(cluster.max()) <= max(4096, 5 * cluster.size):
        return cluster
    return dense(cluster)


def size_per_row(cluster: Ints, both: Ints) -> Ints:
    """The size of the cluster of each row, 0 where the cluster is missing."""
    sizes = np.bincount(cluster + 1, both).astype(np.int64)
    if sizes.size:
        sizes[0] = 0
    return np.asarray(sizes[cluster + 1])


def histogram(size: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Distinct sizes and how many clusters have each."""
    if not size.size:
        return size, times
    sizes, inverse = np.unique(size, return_inverse=True)
    counts = np.bincount(inverse.ravel(), times, sizes.size).astype(np.int64)
    return sizes, counts


def distinct_shapes(
    both: Ints, truth_size: Ints, guess_size: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Distinct rows of three columns, sorted, and how often each occurs."""
    if 0 < both.size <= FEW:
        rows = zip(both.tolist(), truth_size.tolist(), guess_size.tolist(), strict=True)
        found = sorted(Counter(rows).items())
        few = np.array([(*row, count) for row, count in found], np.int64).T
        return few[0], few[1], few[2], few[3]
    radix = int(truth_size.max(initial=0)) + 1
    other = int(guess_size.max(initial=0)) + 1
    if (int(both.max(initial=0)) + 1) * radix * other < 2**62 and both.size < MANY:
        keys = np.sort((both * radix + truth_size) * other + guess_size)
        starts = np.flatnonzero(np.concatenate([keys[:1] >= 0, keys[1:] != keys[:-1]]))
        rest, guess_size = np.divmod(keys[starts], other)
        both, truth_size = np.divmod(rest, radix)
        return both, truth_size, guess_size, np.diff(np.append(starts, keys.size))
    if int(both.max(initial=0)) * radix < 2**62:
        groups = group_pairs(both * radix + truth_size, guess_size)
        order = np.lexsort((groups.second, groups.first))
        both, truth_size = np.divmod(groups.first[order], radix)
        return both, truth_size, groups.second[order], groups.count[order]
    table, counts = np.unique(np.stack([both, truth_size, guess_size]), axis=1, return_counts=True)
    return table[0], table[1], table[2], counts


# Compiled counting for meets of many rows.


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
