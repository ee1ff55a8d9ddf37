"""Rows of degrees on a device: checked, mended and grouped there.

Each function does what the one of NumPy does for rows that are fine, and gives None for those that
are not: these go to the host, which knows what to say of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.errors import MemoryNeeded


@contextmanager
def memory_for(tensor: Any, times: int) -> Iterator[None]:
    """Say how much was needed, so many times the tensor, where a device has not enough."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError:
        cuda = tensor.device.type == "cuda"
        free = torch.cuda.mem_get_info(tensor.device)[0] if cuda else 0
        need = 8 * tensor.numel() * times
        raise MemoryNeeded.on_device(str(tensor.device), need, free) from None


def on_host(tensor: Any) -> Any:
    """The same numbers as an array of NumPy."""
    return tensor.cpu().numpy()


def as_doubles(tensor: Any) -> Any:
    """A matrix of doubles on the same device; None if it is none."""
    import torch

    if tensor.ndim != 2 or tensor.is_complex():
        return None
    with memory_for(tensor, 1):
        return tensor.to(torch.float64).contiguous()


def between(matrix: Any, most: float) -> Any:
    """The degrees, if they are numbers from 0 to `most`; rounding beyond an end is taken off."""
    if not matrix.numel():
        return matrix
    least, greatest = (float(end) for end in matrix.aminmax())
    if not (least >= -1e-9 and greatest <= most + 1e-9 and greatest < np.inf):
        return None
    return matrix.clamp(0.0, most) if least < 0 or greatest > most else matrix


def summing_to_one(matrix: Any, rest: str) -> Any:
    """Rows that sum to one, or are divided by their sums, or may have a rest."""
    import torch

    sums = matrix.sum(dim=1)
    off = (sums - 1.0).abs()
    if rest == "normalise":
        return None if bool((sums == 0).any()) else matrix / sums[:, None]
    wrong = sums > 1.0 + 1e-5 if rest == "empty" else off > 1e-5
    if rest not in ("refuse", "empty") or bool(wrong.any()):
        return None
    mend = (off <= 1e-5) & (off > 1e-12)
    if not bool(mend.any()):
        return matrix
    return torch.where(mend[:, None], matrix / torch.where(mend, sums, 1.0)[:, None], matrix)


def profiles_of(matrix: Any) -> tuple[Ints, Any]:
    """A code for each row, equal where rows are, and the distinct rows, as on the host."""
    import torch

    size = len(matrix)
    for salt in count(1):
        _, key = torch.unique(_fingerprints(matrix, salt), return_inverse=True)
        keys = int(key.max()) + 1 if size else 0
        if size >= MANY and 2 * keys > size:
            break
        first = torch.full((keys,), size, device=key.device)
        first = first.scatter_reduce(0, key, torch.arange(size, device=key.device), "amin")
        order = first.argsort()
        place = torch.empty_like(order)
        place[order] = torch.arange(keys, device=key.device)
        code, table = place[key], matrix[first[order]]
        if bool((table[code] == matrix).all()):
            return on_host(code), table
    return np.arange(size), matrix


def _fingerprints(matrix: Any, salt: int) -> Any:
    """A hash of each row of numbers."""
    import torch

    total = torch.full((len(matrix),), salt, device=matrix.device)
    for column in (matrix + 0.0).view(torch.int64).unbind(1):
        total = (total ^ column) * -0x61C8864680B583EB
        total ^= (total >> 29) & 0x7FFFFFFFF
    return total


def appended(matrix: Any, column: Any) -> Any:
    """The matrix with one column more."""
    import torch

    return torch.cat([matrix, column[:, None]], dim=1)


def mixed(matrix: Any, weights: Any) -> Any:
    """The matrix times another one, of NumPy."""
    import torch

    return matrix @ torch.from_numpy(np.ascontiguousarray(weights, np.float64)).to(matrix.device)
