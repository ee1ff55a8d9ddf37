"""Calls of the fused kernel: columns and rows filled up, blocks of rows in turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, get_args

from clusterdiff.measures.soft.device.combine import SUMS, Combining, Norms
from clusterdiff.measures.soft.device.kernel import ready
from clusterdiff.measures.soft.device.sides import DeviceSide
from clusterdiff.measures.soft.fuzzy_pairs import CoNorm, TNorm

SHAPES = {"size": (64, 4, 64), "gap": (32, 4, 1), "agreement": (32, 4, 1)}
"""Rows of a block, warps, and columns of sums; what is made of rows has to stay in registers."""
SHAPE = (32, 2, 1)
"""The same for what is not named."""
DEEP = 64
"""Columns of a matrix product at most; less are filled up to 16, 32 or 64."""
TILES = 64
"""Blocks that a program compares its own with."""
WORK = 1 << 40
"""Pairs times columns of a call: some tenths of a second."""


def fused_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms, *,
    shape: tuple[int, int, int] | None = None,
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Sums over pairs, some blocks of rows after the other: how many rows, and the sums."""
    import torch

    kernel, rows, many = ready(), len(weight), SUMS[combining]
    side, warps, wide = shape or SHAPES.get(combining, SHAPE)
    filled = [_filled(one, side) for one in sides]
    one, other = filled[0], filled[-1]
    weight = _padded(weight[None], side)[0]
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
                COMBINING=combining, TNORM=chosen[0], CONORM=chosen[1], SUMS=many,
                SIDE=side, TILES=tiles, WIDE=wide, num_warps=warps,
            )  # fmt: skip
        yield min(rows, (first + some) * side) - first * side, sums.sum(dim=1)


def _filled(given: DeviceSide, side: int) -> DeviceSide:
    """The side with zeros up to whole blocks of rows, and of columns that are multiplied."""
    values = given.relating in ("singles", "sets", "bounded", "nested")
    sets = given.relating in ("sets", "form")
    return given._replace(
        values=_padded(given.values, side, values),
        against=_padded(given.against, side, sets),
        mass=_padded(given.mass, side, sets),
        known=_padded(given.known[None], side)[0],
        order=_padded(given.order, side),
    )


def _padded(values: Any, side: int, multiplied: bool = False) -> Any:
    """Columns x rows with zeros up to whole blocks."""
    import torch

    columns = len(values)
    wide = (
        -(-columns // DEEP) * DEEP
        if columns > DEEP // 2
        else max(16, 1 << (columns - 1).bit_length())
    )
    more = wide - columns if multiplied else 0
    return torch.nn.functional.pad(values, (0, -values.shape[1] % side, 0, more)).contiguous()
