"""Calls of the fused kernel: columns and rows filled up, blocks of rows in turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, get_args

from clusterdiff.measures.soft.device.combine import SUMS, Combining, Norms
from clusterdiff.measures.soft.device.kernel import ready
from clusterdiff.measures.soft.device.sides import DeviceSide
from clusterdiff.measures.soft.fuzzy_pairs import CoNorm, TNorm

SIDE, NARROW = 64, 32
"""Rows of a block, for one form and for all else: what is made of them has to stay in registers."""
DEPTH = 16
"""Columns of a matrix product; 1 multiplies column by column."""
TILES = 64
"""Blocks that a program compares its own with."""
WORK = 1 << 40
"""Pairs times columns of a call: some tenths of a second."""


def fused_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms, *,
    side: int | None = None, depth: int | None = None, warps: int | None = None,
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Sums over pairs, some blocks of rows after the other: how many rows, and the sums."""
    import torch

    kernel, rows, many = ready(), len(weight), SUMS[combining]
    side, depth = side or (SIDE if combining == "size" else NARROW), depth or DEPTH
    warps = warps or (8 if side > 32 else 4)
    filled = [_filled(one, side, depth) for one in sides]
    one, other = filled[0], filled[-1]
    weight = _padded(weight[None], 1, side)[0]
    blocks = len(weight) // side
    tiles = max(1, min(TILES, blocks // TILES))
    chosen = get_args(TNorm).index(norms.tnorm), get_args(CoNorm).index(norms.conorm)
    columns = sum(each.columns for each in filled) * (1 if norms.conorm == "max" else 16)
    at_once = max(1, WORK // (side * max(1, rows) * max(1, columns)))
    for first in range(0, blocks, at_once):
        some = min(at_once, blocks - first)
        strips = -(-(blocks - first) // tiles)
        sums = torch.zeros((some, strips, many), dtype=weight.dtype, device=weight.device)
        with torch.cuda.device(weight.device) if weight.is_cuda else nullcontext():
            kernel[(some, strips)](
                *one[1:], *other[1:], weight, sums, len(weight), first, blocks, strips,
                RELATING1=one.relating, COLUMNS1=len(one.values), SETS1=len(one.mass),
                RELATING2=other.relating, COLUMNS2=len(other.values), SETS2=len(other.mass),
                COMBINING=combining, TNORM=chosen[0], CONORM=chosen[1], DEPTH=depth, SUMS=many,
                SIDE=side, TILES=tiles, WIDE=side if combining == "size" else 1, num_warps=warps,
            )  # fmt: skip
        yield min(rows, (first + some) * side) - first * side, sums.sum(dim=1)


def _filled(given: DeviceSide, side: int, depth: int) -> DeviceSide:
    """The side with zeros up to whole blocks of rows, and of columns that are multiplied."""
    deep = depth if given.relating in ("singles", "sets", "form", "bounded", "nested") else 1
    sets = depth if given.relating in ("sets", "form") else 1
    return given._replace(
        values=_padded(given.values, deep, side),
        against=_padded(given.against, sets, side),
        mass=_padded(given.mass, sets, side),
        known=_padded(given.known[None], 1, side)[0],
        order=_padded(given.order, 1, side),
    )


def _padded(values: Any, columns: int, rows: int) -> Any:
    """Columns x rows with zeros up to multiples of these numbers."""
    import torch

    wide, long = -len(values) % columns, -values.shape[1] % rows
    return torch.nn.functional.pad(values, (0, long, 0, wide)).contiguous()
