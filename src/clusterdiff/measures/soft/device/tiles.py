"""Sums over pairs of rows in tiles, by operations of PyTorch alone: for every device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusterdiff.measures.soft.device.combine import (
    Combining,
    Known,
    Norms,
    both,
    combined,
    either,
)
from clusterdiff.measures.soft.device.sides import DeviceSide

TILE = {"cpu": (128, 4096), "cuda": (2048, 16384)}
"""Rows with rows that are laid out at a time: some megabytes, or some gigabytes."""


def tile_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms,
    tile: tuple[int, int] | None = None,
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Sums over pairs, some rows after the other: how many, and the sums of each tile.

    A pair of rows comes once; a row with itself stands for the pairs of its own objects.
    """
    import torch

    rows, (high, wide) = len(weight), tile or TILE.get(weight.device.type, TILE["cpu"])
    for begin in range(0, rows, high):
        mine = slice(begin, min(begin + high, rows))
        found = []
        for left in range(begin, rows, max(high, wide)):
            others = slice(left, min(left + max(high, wide), rows))
            related = [relate(side, mine, others, norms) for side in sides]
            count = weight[mine, None] * weight[others]
            if left == begin:
                own = weight[mine]
                count.triu_(1).diagonal().copy_(own * (own - 1) / 2)
            values = combined(combining, related[0], related[-1], norms)
            found.append(torch.stack([(one * count).sum() for one in values]))
        yield mine.stop - begin, torch.stack(found)


def relate(side: DeviceSide, mine: slice, others: slice, norms: Norms) -> Known:
    """The relations of some rows with others."""
    if side.relating in ("half_l1", "max"):
        found = _apart(side, mine, others)
        return Known(found, found, found)
    if side.relating == "norms":
        return _by_norms(side, mine, others, norms)
    if side.relating == "form":
        found = side.against[:, mine].T @ side.mass[:, others]
        return Known(found, found, found)
    same = side.values[:, mine].T @ side.values[:, others]
    known = side.known[mine, None] * side.known[others]
    if side.relating == "bounded":
        return Known(same.clamp(max=1.0), (known - same).clamp(max=1.0), known)
    if side.relating == "singles":
        return Known(same, known - same, known)
    if side.relating == "sets":
        return Known(same, side.against[:, mine].T @ side.mass[:, others], known)
    return Known(same, known - _meeting(side, mine, others), known)


def _meeting(side: DeviceSide, mine: slice, others: slice) -> Any:
    """The area of the rectangles of nested sets."""
    degree = side.mass[:, others]
    best = area = degree.new_zeros(())
    for step, place in zip(side.against[:, mine], side.order[:, mine].long(), strict=True):
        best = degree[place].maximum(best)
        area = area + step[:, None] * best
    return area


def _apart(side: DeviceSide, mine: slice, others: slice) -> Any:
    """Distances of rows of degrees."""
    found: Any = side.known[mine, None] * side.known[others] * 0.0
    for column in side.values:
        gap = (column[mine, None] - column[others]).abs()
        found = found + 0.5 * gap if side.relating == "half_l1" else found.maximum(gap)
    return found.clamp(max=1.0)


def _by_norms(side: DeviceSide, mine: slice, others: slice, norms: Norms) -> Known:
    """How far rows are together and apart, by a t-norm and a t-conorm.

    The largest over different clusters is among the first two of each row.
    """
    tnorm, conorm = norms
    same: Any = side.known[mine, None] * side.known[others] * 0.0
    apart = same
    for a, column in enumerate(side.values):
        same = either(conorm, same, both(tnorm, column[mine, None], column[others]))
        if not len(side.mass):
            for b, other in enumerate(side.values):
                if a != b:
                    apart = either(conorm, apart, both(tnorm, column[mine, None], other[others]))
    if len(side.mass):
        (first, second), place = side.mass, side.order[0]
        one = both(tnorm, first[mine, None], second[others])
        two = both(tnorm, second[mine, None], first[others])
        best = both(tnorm, first[mine, None], first[others])
        apart = best.where(place[mine, None] != place[others], one.maximum(two))
    return Known(same, apart, same)
