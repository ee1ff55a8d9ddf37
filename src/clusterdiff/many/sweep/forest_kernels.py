"""Compiled union-find over sorted pairs: which merge comes when, and the order of the leaves."""

from __future__ import annotations

from clusterdiff.compiled import compiled

LINKS, SELF_PAIRS, SCORES, MERGES, LINES, LEVEL_MERGES = range(6)
"""Places of the counters that `link` keeps from chunk to chunk."""
COUNTERS = 6


@compiled
def _root(parent, x):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The root of x; a root has minus its size for a parent."""
    while parent[x] >= 0:
        up = parent[x]
        if parent[up] >= 0:
            parent[x] = parent[up]
        x = up
    return x


@compiled
def link(  # type: ignore[no-untyped-def]  # pragma: no cover
    left, right, score, skip, counters, last, parent, tail, after, gap, thresholds, ends, links
):
    """Join the clusters of pairs, strongest first; equal scores are one level.

    The objects of a cluster are a list that begins with its root. A merge hangs the smaller list
    behind the larger one and is noted where they meet.
    """
    for i in range(left.size):
        if skip.size and skip[i]:
            continue
        x, y = left[i], right[i]
        if x == y:
            counters[SELF_PAIRS] += 1
            continue
        if counters[SCORES] == 0 or score[i] != last[0]:
            last[0] = score[i]
            counters[SCORES] += 1
            counters[LEVEL_MERGES] = 0
        counters[LINKS] += 1
        x, y = _root(parent, x), _root(parent, y)
        if x != y:
            if counters[LEVEL_MERGES] == 0:
                counters[LINES] += 1
                thresholds[counters[LINES]] = score[i]
            if parent[x] > parent[y]:
                x, y = y, x
            after[tail[x]] = y
            gap[tail[x]] = counters[MERGES]
            tail[x] = tail[y]
            parent[x] += parent[y]
            parent[y] = x
            counters[MERGES] += 1
            counters[LEVEL_MERGES] += 1
            ends[counters[LINES]] = counters[MERGES]
        if counters[LEVEL_MERGES]:
            links[counters[LINES]] = counters[LINKS]


@compiled
def leaves(parent, after, gap, order, between, junction):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Lay the lists one behind the other: every cluster of every level becomes an interval.

    `between` holds the merge that joins two neighbours, `junction` the place in front of it.
    """
    place = 0
    for root in range(parent.size):
        if parent[root] >= 0:
            continue
        x = root
        while x >= 0:
            order[place] = x
            between[place] = gap[x]
            if gap[x] >= 0:
                junction[gap[x]] = place
            x = after[x]
            place += 1


@compiled
def repeated(left, right, start, row, other, stamp, skip):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Mark pairs that were given before, in either direction; how many they are."""
    for i in range(left.size):
        start[min(left[i], right[i]) + 1] += 1
    for x in range(1, start.size):
        start[x] += start[x - 1]
    for i in range(left.size):
        x = min(left[i], right[i])
        row[start[x]], other[start[x]] = i, max(left[i], right[i])
        start[x] += 1
    found, begin = 0, 0
    for x in range(start.size - 1):
        for k in range(begin, start[x]):
            y = other[k]
            if y != x and stamp[y] == x:
                skip[row[k]] = True
                found += 1
            stamp[y] = x
        begin = start[x]
    return found
