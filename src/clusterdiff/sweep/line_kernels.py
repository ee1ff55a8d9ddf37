"""Compiled replay of merges: the sums of every line.

Sums of quotients and logarithms are exact totals: neither the order of the merges nor that of the
objects changes a bit of them.
"""

from __future__ import annotations

import math

import numpy as np

from clusterdiff.compiled import compiled

# Sums of fractions that grow and shrink by the million and stay exact.
#
# Each term is rounded once to a multiple of a tiny unit and added as a whole number. A term that
# is taken off leaves no trace, and the order of the terms changes no bit.
#
# These functions are compiled into others: after a change here, delete what is kept (`make
# clean`).

REST = 2.0**30


def unit_for(largest: float) -> float:
    """How many units make 1, so that a total up to `largest` fits 64 bits."""
    return math.ldexp(1.0, 60 - math.frexp(max(largest, 1.0))[1])


@compiled
def add(total, place, term, unit, times):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term so many times: whole units, and what is left in 2⁻³⁰ of a unit."""
    scaled = term * unit
    whole = np.floor(scaled)
    total[0, place] += np.int64(whole) * times
    total[1, place] += np.int64((scaled - whole) * REST + 0.5) * times


@compiled
def sum_of(total, place, unit):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The total as a number."""
    return (total[0, place] + total[1, place] / REST) / unit


CLUSTERS, ROWS, LARGEST, PURE, INVERSE, EXACT, EXACT_OBJECTS, SINGLES, ALONE = range(9)
"""Places of the counts of objects, clusters and rows."""
GUESS_SQUARES, BOTH_SQUARES = range(9, 11)
"""Places of the sums of squares, behind them."""
COUNTS = 11
GUESS_LOGS, BOTH_LOGS, PRECISE, MATES_PRECISE, RECALLED, MATES_RECALLED, TRUTH_LOGS = range(7)
"""Places of the sums of fractions; that of truth is the same on every line."""
FRACTIONS = 7
SPAN, SIZE, BIG, IS_EXACT = range(4)
"""Of a cluster: its places, its objects that count, its largest row, and if it is a true one."""
LENGTH, OWNER = range(2)
"""Of a rank: the size of its row, at both ends of the row, and its true cluster."""
SIZE_OF_TRUE, BIG_OF_TRUE = range(2)
"""Of a true cluster: its objects and its largest row."""


@compiled
def _log(logs, objects, size):  # type: ignore[no-untyped-def]  # pragma: no cover
    """size · log(objects / size), small sizes from a table."""
    return logs[size] if size < logs.size else size * math.log(objects / size)


@compiled
def log_table(objects, logs):  # type: ignore[no-untyped-def]  # pragma: no cover
    """size · log(objects / size) of small sizes."""
    for size in range(1, logs.size):
        logs[size] = size * math.log(objects / size)


@compiled
def meetings(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, order, truth, between, free, last, stack, state, meeting
):
    """For each object and the one before it of the same true cluster, the merge that joins them.

    Objects of a true cluster have ranks one behind the other, in the order of the leaves. The
    stack holds the places whose merges are later than all that follow, so that the latest merge
    between two places is found by bisection.
    """
    high, first = state[0], state[1]
    for place in range(begin, end):
        cluster = truth[order[place]]
        if cluster >= 0:
            rank = free[cluster]
            free[cluster] += 1
            if last[cluster] >= first:
                low, up = 0, high
                while low < up:
                    middle = (low + up) // 2
                    if stack[middle] < last[cluster]:
                        low = middle + 1
                    else:
                        up = middle
                meeting[rank - 1] = between[stack[low]]
            last[cluster] = place
        if between[place] < 0:
            high, first = 0, place + 1
            continue
        while high and between[stack[high - 1]] < between[place]:
            high -= 1
        stack[high] = place
        high += 1
    state[0], state[1] = high, first


@compiled
def by_merge(meeting, start, event):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The ranks that meet the next one, merge by merge; `start` is one longer than the merges."""
    for rank in range(meeting.size):
        if meeting[rank] >= 0:
            start[meeting[rank] + 1] += 1
    for merge in range(1, start.size):
        start[merge] += start[merge - 1]
    for rank in range(meeting.size):
        if meeting[rank] >= 0:
            event[start[meeting[rank]]] = rank
            start[meeting[rank]] += 1
    for merge in range(start.size - 1, 0, -1):
        start[merge] = start[merge - 1]
    start[0] = 0


@compiled
def begin_sums(truth_size, objects, logs, units, counts, total):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The sums of line 0, where each object is alone, and of truth."""
    one, many = np.int64(1), np.int64(objects)
    for t in truth_size:
        size = np.int64(t)
        if size:
            counts[INVERSE] += 1
            counts[EXACT] += size == 1
            add(total, TRUTH_LOGS, _log(logs, objects, size), units[0], one)
            add(total, RECALLED, 1.0 / size, units[1], size)
    for place in (CLUSTERS, ROWS, PURE, SINGLES, GUESS_SQUARES, BOTH_SQUARES):
        counts[place] = objects
    counts[LARGEST] = objects > 0
    counts[EXACT_OBJECTS] = counts[ALONE] = counts[EXACT]
    if objects:
        add(total, GUESS_LOGS, _log(logs, objects, one), units[0], many)
        add(total, BOTH_LOGS, _log(logs, objects, one), units[0], many)
        add(total, PRECISE, 1.0, units[1], many)


@compiled
def truth_logs(total, units):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Σ |T| log(n/|T|)"""
    return sum_of(total, TRUTH_LOGS, units[0])


@compiled
def note(line, counts, total, units, small, squares, fractions):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Write the sums down as those of a line."""
    for place in range(GUESS_SQUARES):
        small[place, line] = counts[place]
    squares[0, line] = counts[GUESS_SQUARES]
    squares[1, line] = counts[BOTH_SQUARES]
    for place in range(TRUTH_LOGS):
        fractions[place, line] = sum_of(total, place, units[0 if place <= BOTH_LOGS else 1])


@compiled
def replay(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, line, ends, junction, start, event, objects, logs, units,
    cluster, square, row_of, true, counts, total, small, squares, fractions,
):  # fmt: skip
    """Merges one by one; a cluster is known by its first place, a row by its first and last rank.

    What is known of a cluster, of a rank and of a true cluster lies side by side in memory. The
    line that the next merge belongs to.
    """
    one = np.int64(1)
    log_unit, unit = units[0], units[1]
    for merge in range(begin, end):
        right = junction[merge] + 1
        left = right - cluster[right - 1, SPAN]
        g1, g2 = np.int64(cluster[left, SIZE]), np.int64(cluster[right, SIZE])
        g = g1 + g2
        q1, q2 = square[left], square[right]
        q = q1 + q2
        b1, b2 = np.int64(cluster[left, BIG]), np.int64(cluster[right, BIG])
        largest, complete = max(b1, b2), np.int64(0)
        for k in range(start[merge], start[merge + 1]):
            rank = event[k]
            c, d = np.int64(row_of[rank, LENGTH]), np.int64(row_of[rank + 1, LENGTH])
            row = c + d
            row_of[rank - c + 1, LENGTH] = row_of[rank + d, LENGTH] = row
            owner = row_of[rank, OWNER]
            t = np.int64(true[owner, SIZE_OF_TRUE])
            q += 2 * c * d
            counts[BOTH_SQUARES] += 2 * c * d
            counts[ROWS] -= 1
            add(total, BOTH_LOGS, _log(logs, objects, row), log_unit, one)
            add(total, BOTH_LOGS, _log(logs, objects, c), log_unit, -one)
            add(total, BOTH_LOGS, _log(logs, objects, d), log_unit, -one)
            add(total, RECALLED, row * row / t, unit, one)
            add(total, RECALLED, c * c / t, unit, -one)
            add(total, RECALLED, d * d / t, unit, -one)
            add(total, MATES_RECALLED, row * (row - 1) / (t - 1), unit, one)
            add(total, MATES_RECALLED, c * (c - 1) / (t - 1), unit, -one)
            add(total, MATES_RECALLED, d * (d - 1) / (t - 1), unit, -one)
            if row > true[owner, BIG_OF_TRUE]:
                counts[INVERSE] += row - true[owner, BIG_OF_TRUE]
                true[owner, BIG_OF_TRUE] = row
            largest = max(largest, row)
            if row == t:
                complete = t
        if g1 and g2:
            counts[CLUSTERS] -= 1
            counts[GUESS_SQUARES] += 2 * g1 * g2
            counts[SINGLES] -= (g1 == 1) + (g2 == 1)
            counts[PURE] += largest - b1 - b2
            for was, g0 in ((cluster[left, IS_EXACT], g1), (cluster[right, IS_EXACT], g2)):
                if was:
                    counts[EXACT] -= 1
                    counts[EXACT_OBJECTS] -= g0
                    counts[ALONE] -= g0 == 1
            cluster[left, IS_EXACT] = complete == g
            if complete == g:
                counts[EXACT] += 1
                counts[EXACT_OBJECTS] += g
            add(total, GUESS_LOGS, _log(logs, objects, g), log_unit, one)
            add(total, GUESS_LOGS, _log(logs, objects, g1), log_unit, -one)
            add(total, GUESS_LOGS, _log(logs, objects, g2), log_unit, -one)
            add(total, PRECISE, q / g, unit, one)
            add(total, PRECISE, q1 / g1, unit, -one)
            add(total, PRECISE, q2 / g2, unit, -one)
            add(total, MATES_PRECISE, (q - g) / (g - 1), unit, one)
            if g1 > 1:
                add(total, MATES_PRECISE, (q1 - g1) / (g1 - 1), unit, -one)
            if g2 > 1:
                add(total, MATES_PRECISE, (q2 - g2) / (g2 - 1), unit, -one)
            counts[LARGEST] = max(counts[LARGEST], g)
        elif g2:
            cluster[left, IS_EXACT] = cluster[right, IS_EXACT]
        cluster[left, SIZE], cluster[left, BIG], square[left] = g, largest, q
        wide = cluster[right - 1, SPAN] + cluster[right, SPAN]
        cluster[left, SPAN] = cluster[left + wide - 1, SPAN] = wide
        if merge + 1 == ends[line]:
            note(line, counts, total, units, small, squares, fractions)
            line += 1
    return line
