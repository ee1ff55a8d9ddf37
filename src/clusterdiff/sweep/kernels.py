"""Compiled replay of the merges of a forest: the sums of every line.

Sums of quotients and logarithms are exact totals, so neither the order of the merges nor that of
the objects changes a bit of them.
"""

from __future__ import annotations

import math

import numpy as np

from clusterdiff.compiled import compiled

# Exact sums of fractions to which millions of terms are added and from which they are removed.
#
# Each term is rounded once to a multiple of a tiny unit and added as a whole number. A term that
# is removed leaves no trace, and the order of the terms changes no bit.
#
# These functions are compiled into others: after a change here, delete the compiled files (`make
# clean`).

REST = 2.0**30


def unit_for(largest: float) -> float:
    """The number of units in 1 for which a total up to `largest` fits 64 bits."""
    return math.ldexp(1.0, 60 - math.frexp(max(largest, 1.0))[1])


@compiled
def add(total, place, term, unit, times):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term `times` times: whole units, and the rest in 2⁻³⁰ of a unit."""
    scaled = term * unit
    whole = np.floor(scaled)
    total[0, place] += np.int64(whole) * times
    total[1, place] += np.int64((scaled - whole) * REST + 0.5) * times


@compiled
def merge_terms(total, place, left, right, merged, unit):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Replace the terms of two parts by that of both together."""
    add(total, place, merged, unit, np.int64(1))
    add(total, place, left, unit, np.int64(-1))
    add(total, place, right, unit, np.int64(-1))


@compiled
def sum_of(total, place, unit):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The total as a number."""
    return (total[0, place] + total[1, place] / REST) / unit


# Sums of clusters, rows and objects that `LineSums` describes.

CLUSTERS, ROWS, LARGEST, PURE, INVERSE, EXACT, EXACT_OBJECTS, SINGLES, ALONE = range(9)
"""Places of the counts of objects, clusters and rows."""
GUESS_SQUARES, BOTH_SQUARES = range(9, 11)
"""Places of the sums of squares, behind them."""
COUNTS = 11
GUESS_LOGS, BOTH_LOGS, PRECISE, MATES_PRECISE, RECALLED, MATES_RECALLED, TRUTH_LOGS = range(7)
"""Places of the sums of fractions; that of truth is the same on every line."""
FRACTIONS = 7
SPAN, SIZE, BIG, IS_EXACT = range(4)
"""Columns of a cluster: places, objects that count, largest row, whether it is a true cluster."""
LENGTH, OWNER, MASS = range(3)
"""Columns of a rank: the ranks of its row, stored at both ends of the row, its true cluster, and
where objects have counts, the size of its row; elsewhere that is its length.
"""
SIZE_OF_TRUE, BIG_OF_TRUE = range(2)
"""Columns of a true cluster: objects and largest row."""


@compiled
def _log(logs, objects, size):  # type: ignore[no-untyped-def]  # pragma: no cover
    """size · log(objects / size), from a table for small sizes."""
    return logs[size] if size < logs.size else size * math.log(objects / size)


@compiled
def merge_logs(total, place, left, right, logs, objects, unit):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Replace size · log(objects / size) of two parts by that of both together."""
    merged = _log(logs, objects, left + right)
    merge_terms(total, place, _log(logs, objects, left), _log(logs, objects, right), merged, unit)


@compiled
def log_table(objects, logs):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Fill the table of size · log(objects / size)."""
    for size in range(1, logs.size):
        logs[size] = size * math.log(objects / size)


@compiled
def meetings(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, order, truth, between, free, last, stack, state, meeting
):
    """For each object and its predecessor in the same true cluster, the merge that joins them.

    Objects of a true cluster have consecutive ranks, in the order of the leaves. The stack holds
    the places whose merges are later than all that follow, so bisection finds the latest merge
    between two places.
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
def begin_sums(truth_size, objects, logs, units, counts, total):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The sums of truth, and of line 0, where each object is alone."""
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
def begin_counted(  # type: ignore[no-untyped-def]  # pragma: no cover
    truth_size, times, largest, cluster, square, size_of_true, objects, logs, units, counts, total
):
    """The same where objects have counts: each is in a cluster with its copies, which are one true
    cluster or a part of it, or, if it is alone, a true cluster each.
    """
    one = np.int64(1)
    for k in range(truth_size.size):
        size = np.int64(truth_size[k])
        if size:
            counts[INVERSE] += np.int64(times[k]) * largest[k]
            add(total, TRUTH_LOGS, _log(logs, objects, size), units[0], np.int64(times[k]))
    for place in range(square.size):
        g, row, t = (
            np.int64(cluster[place, SIZE]), np.int64(cluster[place, BIG]),
            np.int64(size_of_true[place]),
        )  # fmt: skip
        if not g:
            continue
        rows = g // row
        counts[CLUSTERS] += 1
        counts[ROWS] += rows
        counts[LARGEST] = max(counts[LARGEST], g)
        counts[SINGLES] += g == 1
        counts[PURE] += row
        counts[GUESS_SQUARES] += g * g
        counts[BOTH_SQUARES] += square[place]
        if cluster[place, IS_EXACT]:
            counts[EXACT] += 1
            counts[EXACT_OBJECTS] += g
            counts[ALONE] += g == 1
        add(total, GUESS_LOGS, _log(logs, objects, g), units[0], one)
        add(total, BOTH_LOGS, _log(logs, objects, row), units[0], rows)
        add(total, PRECISE, square[place] / g, units[1], one)
        add(total, RECALLED, row * row / t, units[1], rows)
        if g > 1:
            add(total, MATES_PRECISE, (square[place] - g) / (g - 1), units[1], one)
        if t > 1:
            add(total, MATES_RECALLED, row * (row - 1) / (t - 1), units[1], rows)


@compiled
def note(line, counts, total, units, small, squares, fractions):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Store the sums as those of a line."""
    for place in range(GUESS_SQUARES):
        small[place, line] = counts[place]
    squares[0, line] = counts[GUESS_SQUARES]
    squares[1, line] = counts[BOTH_SQUARES]
    for place in range(TRUTH_LOGS):
        fractions[place, line] = sum_of(total, place, units[0 if place <= BOTH_LOGS else 1])


@compiled
def replay(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, line, ends, junction, start, event, objects, logs, units, mass,
    cluster, square, row_of, true, counts, total, small, squares, fractions,
):  # fmt: skip
    """Replay merges one by one and return the line that the next merge belongs to.

    A cluster is identified by its first place, a row by its first and last rank. The columns of a
    cluster, a rank and a true cluster are neighbours in memory; `mass` is that of the size of a
    row.
    """
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
            first = rank - row_of[rank, LENGTH] + 1
            last = rank + row_of[rank + 1, LENGTH]
            c, d = np.int64(row_of[rank, mass]), np.int64(row_of[rank + 1, mass])
            row = c + d
            row_of[first, LENGTH] = row_of[last, LENGTH] = last - first + 1
            row_of[first, mass] = row_of[last, mass] = row
            owner = row_of[rank, OWNER]
            t = np.int64(true[owner, SIZE_OF_TRUE])
            q += 2 * c * d
            counts[BOTH_SQUARES] += 2 * c * d
            counts[ROWS] -= 1
            merge_logs(total, BOTH_LOGS, c, d, logs, objects, log_unit)
            merge_terms(total, RECALLED, c * c / t, d * d / t, row * row / t, unit)
            n = t - 1
            merge_terms(
                total, MATES_RECALLED, c * (c - 1) / n, d * (d - 1) / n, row * (row - 1) / n, unit
            )
            if row > true[owner, BIG_OF_TRUE]:
                counts[INVERSE] += row - true[owner, BIG_OF_TRUE]
                true[owner, BIG_OF_TRUE] = row
            largest = max(largest, row)
            if row == t:
                complete = t
        if g1 and g2:
            counts[CLUSTERS] -= 1
            counts[GUESS_SQUARES] += 2 * g1 * g2
            counts[SINGLES] -= int(g1 == 1) + int(g2 == 1)
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
            merge_logs(total, GUESS_LOGS, g1, g2, logs, objects, log_unit)
            merge_terms(total, PRECISE, q1 / g1, q2 / g2, q / g, unit)
            # q = g for a cluster of one object, whose term is 0
            of_left, of_right = (q1 - g1) / max(g1 - 1, 1), (q2 - g2) / max(g2 - 1, 1)
            merge_terms(total, MATES_PRECISE, of_left, of_right, (q - g) / (g - 1), unit)
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


# Means over objects that depend on the size of the guess cluster, which change for all rows of a
# cluster when it grows. Rows are grouped by the size of their true cluster, so a merge costs the
# number of distinct sizes that occur in it.

KINDS = {"bcubed": 0, "elm": 1, "element": 2, "blanc": 3}
BCUBED, ELM, ELEMENT, BLANC = range(4)
MANY = 2
"""Column of a cluster behind SPAN and SIZE: the number of true cluster sizes among its objects."""
TRUE_SIZE = 1
"""Column of a rank behind LENGTH, before MASS: the size of its true cluster."""


@compiled
def _place(sizes, left, many, t):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The place of size t in the sorted list of a cluster, or where it would be inserted."""
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
    """The contribution of a cluster of g objects; over its rows c with a true cluster of one size,
    `members` is Σ c and `squares` is Σ c².
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
    """The mean of the F of links within clusters and of links between them, if truth has both."""
    value, sorts = 0.0, int(t > 1) + int(t < objects)
    below = alpha * (g - 1) + (1.0 - alpha) * (t - 1)
    if t > 1 and below > 0:
        value += (squares - members) / below
    below = alpha * (objects - g) + (1.0 - alpha) * (objects - t)
    if t < objects and below > 0:
        value += (np.float64(members) * (objects - t - g) + squares) / below
    return value / sorts if sorts else 0.0


@compiled
def _merge_lists(left, right, cluster, sizes, members, squares, scratch):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Merge the list of the right cluster into the left one, which has room up to its end."""
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
                kinds[k], alphas[k], objects, np.int64(cluster[place, SIZE]), place, end,
                sizes, members, squares,
            )  # fmt: skip
            add(total, k, value[place, k], unit, one)
        out[k, 0] = sum_of(total, k, unit)


@compiled
def replay_sizes(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, line, ends, junction, start, event, objects, unit, mass,
    kinds, alphas, row_of, scratch, cluster, sizes, members, squares, value, changed, total, out,
):  # fmt: skip
    """Replay merges one by one and return the line that the next merge belongs to.

    A cluster that changed is evaluated once, at the end of its line. The first entry of `changed`
    is the number of entries that follow.
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
            first = rank - row_of[rank, LENGTH] + 1
            last = rank + row_of[rank + 1, LENGTH]
            c, d = np.int64(row_of[rank, mass]), np.int64(row_of[rank + 1, mass])
            row_of[first, LENGTH] = row_of[last, LENGTH] = last - first + 1
            row_of[first, mass] = row_of[last, mass] = c + d
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
