"""Cells of a table of truth by guess clusters: what is refused, sizes, distinct shapes."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.grouping import MANY, group_pairs, group_sums
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
    sizes = group_sums(cluster + 1, both)
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
