"""Compiled replay of merges for means over objects that depend on the size of the guess cluster.

Such a mean changes for all rows of a cluster when it grows. Rows are grouped by the size of their
true cluster: objects and sum of squares per size. A merge costs the sizes that occur in it.
"""

from __future__ import annotations

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.sweep.line_kernels import add, sum_of

KINDS = {"bcubed": 0, "elm": 1, "element": 2, "blanc": 3}
BCUBED, ELM, ELEMENT, BLANC = range(4)
SPAN, SIZE, MANY = range(3)
"""Of a cluster: its places, its objects that count, and how many true sizes they have."""

LENGTH, TRUE_SIZE = range(2)
"""Of a rank: the size of its row, at both ends of the row, and that of its true cluster."""


@compiled
def _place(sizes, left, many, t):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Where size t is, or belongs, in the sorted list of a cluster."""
    low, up = 0, many
    while low < up:
        middle = (low + up) // 2
        if sizes[left + middle] < t:
            low = middle + 1
        else:
            up = middle
    return left + low


@compiled
def _value(kind, alpha, objects, g, begin, end, sizes, members, squares):  # type: ignore[no-untyped-def]  # pragma: no cover
    """What the objects of a cluster of g add: of all rows of one true size t together, Σ c is
    `members` and Σ c² is `squares`.
    """
    value = 0.0
    if kind == BCUBED:
        for k in range(begin, end):
            value += squares[k] / (alpha * g + (1.0 - alpha) * sizes[k])
    elif kind == ELEMENT:
        for k in range(begin, end):
            value += squares[k] / max(g, sizes[k])
    elif kind == ELM:
        for k in range(begin, end):
            if g > 1:
                below = alpha * (g - 1) + (1.0 - alpha) * (sizes[k] - 1)
                value += (squares[k] - members[k]) / below
            elif sizes[k] == 1:
                value += members[k]
    else:
        for k in range(begin, end):
            value += _blanc(alpha, objects, g, sizes[k], members[k], squares[k])
    return value


@compiled
def _blanc(alpha, objects, g, t, members, squares):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Mean F of the links in one cluster and of those in two, if truth has both."""
    value, sorts = 0.0, (t > 1) + (t < objects)
    below = alpha * (g - 1) + (1.0 - alpha) * (t - 1)
    if t > 1 and below > 0:
        value += (squares - members) / below
    below = alpha * (objects - g) + (1.0 - alpha) * (objects - t)
    if t < objects and below > 0:
        value += (np.float64(members) * (objects - t - g) + squares) / below
    return value / sorts if sorts else 0.0


@compiled
def _merge_lists(left, right, cluster, sizes, members, squares, scratch):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add the list of the right cluster to that of the left one, which has room up to its end."""
    mine, other, fresh = cluster[left, MANY], cluster[right, MANY], 0
    for k in range(other):
        t = sizes[right + k]
        scratch[0, k], scratch[1, k], scratch[2, k] = t, members[right + k], squares[right + k]
    for k in range(other):
        at = _place(sizes, left, mine, scratch[0, k])
        if at < left + mine and sizes[at] == scratch[0, k]:
            members[at] += scratch[1, k]
            squares[at] += scratch[2, k]
        else:
            for column in range(3):
                scratch[column, fresh] = scratch[column, k]
            fresh += 1
    i, at = left + mine - 1, left + mine + fresh - 1
    for k in range(fresh - 1, -1, -1):
        while i >= left and sizes[i] > scratch[0, k]:
            sizes[at], members[at], squares[at] = sizes[i], members[i], squares[i]
            i -= 1
            at -= 1
        sizes[at], members[at], squares[at] = scratch[0, k], scratch[1, k], scratch[2, k]
        at -= 1
    cluster[left, MANY], cluster[right, MANY] = mine + fresh, 0


@compiled
def begin_sizes(kinds, alphas, objects, unit, cluster, sizes, members, squares, value, total, out):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The sums of line 0, where each object is alone."""
    one = np.int64(1)
    for k in range(kinds.size):
        for place in range(value.shape[0]):
            end = place + cluster[place, MANY]
            value[place, k] = _value(
                kinds[k], alphas[k], objects, one, place, end, sizes, members, squares
            )
            add(total, k, value[place, k], unit, one)
        out[k, 0] = sum_of(total, k, unit)


@compiled
def replay_sizes(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, line, ends, junction, start, event, objects, unit,
    kinds, alphas, row_of, scratch, cluster, sizes, members, squares, value, changed, total, out,
):  # fmt: skip
    """Merges one by one; clusters that changed are valued once, at the end of their line.

    The line that the next merge belongs to. The first place of `changed` says how many follow.
    """
    one = np.int64(1)
    for merge in range(begin, end):
        right = junction[merge] + 1
        left = right - cluster[right - 1, SPAN]
        if not np.isnan(value[right, 0]):
            for k in range(kinds.size):
                add(total, k, value[right, k], unit, -one)
        if not np.isnan(value[left, 0]):
            for k in range(kinds.size):
                add(total, k, value[left, k], unit, -one)
            changed[0] += 1
            changed[changed[0]] = left
        value[left, 0] = value[right, 0] = np.nan
        _merge_lists(left, right, cluster, sizes, members, squares, scratch)
        for e in range(start[merge], start[merge + 1]):
            rank = event[e]
            c, d = np.int64(row_of[rank, LENGTH]), np.int64(row_of[rank + 1, LENGTH])
            row_of[rank - c + 1, LENGTH] = row_of[rank + d, LENGTH] = c + d
            at = _place(sizes, left, cluster[left, MANY], row_of[rank, TRUE_SIZE])
            squares[at] += 2 * c * d
        cluster[left, SIZE] += cluster[right, SIZE]
        wide = cluster[right - 1, SPAN] + cluster[right, SPAN]
        cluster[left, SPAN] = cluster[left + wide - 1, SPAN] = wide
        if merge + 1 < ends[line]:
            continue
        for i in range(1, changed[0] + 1):
            at = changed[i]
            for k in range(kinds.size):
                value[at, k] = _value(
                    kinds[k], alphas[k], objects, np.int64(cluster[at, SIZE]), at,
                    at + cluster[at, MANY], sizes, members, squares,
                )  # fmt: skip
                add(total, k, value[at, k], unit, one)
        changed[0] = 0
        for k in range(kinds.size):
            out[k, line] = sum_of(total, k, unit)
        line += 1
    return line
