"""The cells of two partitions on a device: labels packed into keys, sorted, counted in runs.

What agrees is a histogram of sizes. The rows in conflict stay where they are; what most measures
need of them, the shapes, is counted there.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.torch.tensors import (
    EACH,
    LONGEST,
    MOST,
    PART,
    Span,
    distinct,
    free_memory,
    in_memory,
    narrow,
    runs,
    sums_of,
    torch,
)


class Conflict(NamedTuple):
    """Rows in conflict, on the device: objects, and of both sides the cluster and its size.

    Clusters are numbered from 0 on, -1 is "missing on this side".
    """

    both: Any
    truth: Any
    guess: Any
    truth_size: Any
    guess_size: Any

    def swap(self) -> Conflict:
        """The same with truth and guess exchanged."""
        return Conflict(self.both, self.guess, self.truth, self.guess_size, self.truth_size)


class DeviceCells:
    """Clusters that agree, by size, in memory; and rows in conflict, on the device."""

    def __init__(self, size: Ints, count: Ints, conflict: Conflict) -> None:
        self.size, self.count, self.conflict = size, count, conflict

    def __len__(self) -> int:
        return self.size.size + int(self.conflict.both.numel())

    def swap(self) -> DeviceCells:
        """The same with truth and guess exchanged."""
        return DeviceCells(self.size, self.count, self.conflict.swap())

    @cached_property
    def shapes(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Distinct (both, truth size, guess size) of the rows in conflict, and how often each
        occurs.
        """
        rows = self.conflict
        columns = [Span.of(c.long()) for c in (rows.both, rows.truth_size, rows.guess_size)]
        if columns[0].wide * columns[1].wide * columns[2].wide >= MOST:
            tables = [torch.unique(c.values, return_inverse=True) for c in columns]
        else:
            tables = [(None, c.values - c.low) for c in columns]
        wides = [
            c.wide if t is None else t.numel() for c, (t, _) in zip(columns, tables, strict=True)
        ]
        keys, times = distinct((tables[0][1] * wides[1] + tables[1][1]) * wides[2] + tables[2][1])
        rest, third = keys // wides[2], keys % wides[2]
        codes = (rest // wides[1], rest % wides[1], third)
        found = [
            in_memory(c + span.low if table is None else table[c])
            for c, (table, _), span in zip(codes, tables, columns, strict=True)
        ]
        return found[0], found[1], found[2], in_memory(times)

    def columns(self) -> dict[str, Ints]:
        """All rows in memory, as `HardMeet` has them."""
        rows, many = self.conflict, self.size.size
        own = np.arange(many)

        def column(agreeing: Ints, rest: Any) -> Ints:
            made = np.empty(len(self), np.int64)
            made[:many] = agreeing
            torch.from_numpy(made)[many:] = rest
            return made

        def named(cluster: Any) -> Ints:
            return column(own, torch.where(cluster < 0, -1, cluster.long() + many))

        return {
            "both": column(self.size, rows.both.long()),
            "truth_size": column(self.size, rows.truth_size.long()),
            "guess_size": column(self.size, rows.guess_size.long()),
            "times": column(self.count, 1),
            "truth": named(rows.truth),
            "guess": named(rows.guess),
        }


def cells_of(truth: Any, guess: Any, missing: bool = False) -> DeviceCells | None:
    """The cells of two columns of whole numbers; with `missing`, -1 is no cluster. None where there
    are too many that lie too far apart.
    """
    left, right = Span.of(truth), Span.of(guess)
    if left.wide * right.wide >= MOST:
        if truth.numel() > LONGEST:
            return None
        left, right = _packable(left, right, missing)
    keys, both = _counted(left, right)
    first = torch.div(keys, right.wide, rounding_mode="floor").long()
    second = keys - first * right.wide
    del keys
    absent = (missing and left.low < 0, missing and right.low < 0)
    first = runs(first)
    if right.wide > max(4096, 4 * both.numel()):
        second = Span(second, 0, right.wide).numbered().values
    sizes = [_sizes(first, both, absent[0]), _sizes(second, both, absent[1])]
    agree = (both == sizes[0]) & (both == sizes[1])
    size, count = distinct(both[agree])
    rest = (~agree).nonzero().squeeze(1)
    del agree
    both = narrow(both[rest])
    sizes = [narrow(one[rest]) for one in sizes]
    first, second = runs(first[rest]), _dense(second[rest])
    clusters = [
        narrow(one - int(shift)) for one, shift in zip((first, second), absent, strict=True)
    ]
    conflict = Conflict(both, clusters[0], clusters[1], sizes[0], sizes[1])
    return DeviceCells(in_memory(size), in_memory(count), conflict)


def pairs_of(truth: Any, guess: Any) -> tuple[Any, Any, Any]:
    """Distinct pairs of two columns of whole numbers, and how often each occurs."""
    spans = Span.of(truth), Span.of(guess)
    if spans[0].wide * spans[1].wide < MOST:
        keys, count = _counted(*spans)
        first = torch.div(keys, spans[1].wide, rounding_mode="floor").long()
        return first + spans[0].low, keys - first * spans[1].wide + spans[1].low, count
    tables = [torch.unique(side, return_inverse=True) for side in (truth, guess)]
    first, second, count = pairs_of(tables[0][1], tables[1][1])
    return tables[0][0][first], tables[1][0][second], count


def _packable(left: Span, right: Span, missing: bool) -> tuple[Span, Span]:
    """Spans whose pairs fit a key; numbered where they do not, the wider first."""
    for _ in range(2):
        if left.wide * right.wide < MOST:
            break
        if left.wide >= right.wide:
            left = _numbered(left, missing)
        else:
            right = _numbered(right, missing)
    return left, right


def _numbered(span: Span, missing: bool) -> Span:
    made, shift = span.numbered(), int(missing and span.low < 0)
    return Span(made.values - shift, -shift, made.wide)


def _counted(left: Span, right: Span) -> tuple[Any, Any]:
    """Keys of the pairs that occur, in ascending order, and how often each does."""
    objects = left.values.numel()
    free = free_memory(left.values.device)
    step = PART if free is None else max(1, min(PART, free // EACH))
    short = left.wide * right.wide < 2**31
    found = []
    for begin in range(0, objects, step):
        keys = left.values[begin : begin + step].to(torch.int64, copy=True)
        keys -= left.low
        keys *= right.wide
        keys += right.values[begin : begin + step]
        keys -= right.low
        found.append(distinct(keys.to(torch.int32) if short else keys))
        del keys
    if len(found) == 1:
        return found[0]
    keys, codes = torch.unique(torch.cat([one for one, _ in found]), return_inverse=True)
    return keys, sums_of(codes, torch.cat([many for _, many in found]), keys.numel())


def _sizes(cluster: Any, both: Any, absent: bool) -> Any:
    """The size of the cluster of each row, 0 where the cluster is missing: it is the first."""
    sums = sums_of(cluster, both, int(cluster.max()) + 1)
    if absent:
        sums[0] = 0
    return sums[cluster]


def _dense(cluster: Any) -> Any:
    """Numbers from 0 on without gaps; the first stays the first."""
    if not cluster.numel():
        return cluster
    seen = torch.zeros(int(cluster.max()) + 1, dtype=torch.int64, device=cluster.device)
    seen[cluster] = 1
    return (seen.cumsum_(0) - 1)[cluster]
