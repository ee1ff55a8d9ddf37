"""Columns of numbers that stay on a device until something asks for them in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.arrays import as_numpy, tensor_of
from clusterdiff.clusterings.columns import Column, Family, column, is_null
from clusterdiff.clusterings.grouping import MANY
from clusterdiff.clusterings.sets import Sets, mix, sets_of_rows
from clusterdiff.errors import DeviceMemoryNeeded, InputError


def column_of_tensor(values: Any) -> Column:
    """The numbers of an array on a device; those that no column holds as numbers are read into
    memory.
    """
    values = tensor_of(values)
    if values.ndim != 1:
        raise InputError.from_dimensions(tuple(values.shape))
    torch = sys.modules["torch"]
    unsigned = str(values.dtype) in ("torch.uint16", "torch.uint32", "torch.uint64")
    if unsigned and len(values):  # PyTorch does little with them
        if values.dtype == torch.uint64 and bool((values.view(torch.int64) < 0).any()):
            return column(as_numpy(values))
        values = values.to(torch.int64)
    plain = values.layout == torch.strided and not values.is_quantized
    if not plain or values.dtype.is_complex:
        return column(as_numpy(values))
    return TensorColumn(values, "numbers" if values.dtype.is_floating_point else "integers")


class TensorColumn(Column):
    """Whole or other numbers on a device."""

    def __init__(self, tensor: Any, family: Family) -> None:
        self.tensor, self.family, self.written = tensor, family, False

    @cached_property
    def values(self) -> Any:
        """The same numbers in memory."""
        return column(as_numpy(self.tensor)).values

    @property
    def device(self) -> str:
        """Where the values lie, e.g. cuda:0."""
        return str(self.tensor.device)

    @property
    def key_tensor(self) -> Any:
        """One whole number per value, equal exactly when the values are, where they are."""
        if self.family == "integers":
            return self.tensor
        return (self.tensor.double() + 0.0).view(sys.modules["torch"].int64)

    def __len__(self) -> int:
        return int(self.tensor.shape[0])

    def __getitem__(self, position: int) -> Any:
        value = self.tensor[int(position)].item()
        return int(value) if self.family == "integers" else value

    def take(self, index: Ints) -> Column:
        """The values at these positions."""
        where = sys.modules["torch"].as_tensor(index, device=self.tensor.device)
        return TensorColumn(self.tensor[where], self.family)

    def all_differ(self) -> bool:
        """Whether no value occurs twice."""
        ordered = self.key_tensor.sort().values
        return not bool((ordered[1:] == ordered[:-1]).any())

    def different(self) -> int:
        """How many different values there are."""
        return int(self.key_tensor.unique().numel())

    def _odd_numbers(self) -> dict[Any, int]:
        odd = self.tensor < 0
        if self.family == "numbers":
            odd |= (self.tensor != self.tensor.floor()) & ~self.tensor.isnan()
        return Column(as_numpy(self.tensor[odd]), self.family)._odd_numbers() if odd.any() else {}

    def nulls(self) -> Bools | None:
        """Which values are NaN; None if none is."""
        if self.family == "integers" or not bool(self.tensor.isnan().any()):
            return None
        return np.asarray(self.tensor.isnan().cpu())

    def which(self, value: Any) -> Any:
        """Which values are this one, where they are; None if none can be."""
        if value is None or is_null(value):
            return self.tensor.isnan() if self.family == "numbers" else None
        if not isinstance(value, int | float | np.number):
            return None
        torch = sys.modules["torch"]
        whole = self.family == "integers"
        if whole and (not -(2**63) <= value < 2**63 or value != int(value)):
            return None
        wide = self.tensor.to(torch.int64 if whole else torch.float64)
        return wide == (int(value) if whole else float(value))

    def equals(self, value: Any) -> Bools:
        """Which values are this one; None stands for every NaN."""
        found = self.which(value)
        return np.zeros(len(self), np.bool_) if found is None else np.asarray(found.cpu())


# Sets of clusters on a device: equal ones share a code, found by sums of random words and checked.
#
# The same as `sets.py` does in memory.

ENTRIES = 2**30
"""Entries of a matrix that are looked at at a time: PyTorch numbers them with 31 bits."""


class DeviceSets(NamedTuple):
    """Sets of clusters: the code of each object on the device, and what codes mean in memory."""

    code: Any
    sets: Sets
    again: Ints | None
    """How often each object was put in the same cluster again, if any was."""


def sets_of_matrix(matrix: Any) -> DeviceSets | None:
    """The sets of a matrix of 0 and 1, objects x clusters; None if there is anything else in it."""
    torch = import_module("torch")
    step = max(1, ENTRIES // max(matrix.shape[1], 1))
    owners, members = [], []
    for begin in range(0, len(matrix), step):
        part = matrix[begin : begin + step]
        if bool(((part != 0) & (part != 1)).any()):
            return None
        owner, member = part.nonzero(as_tuple=True)
        owners.append(owner + begin)
        members.append(member)
    if not owners:
        return None
    return sets_of_pairs(torch.cat(owners), torch.cat(members), *matrix.shape)


def sets_of_pairs(owner: Any, member: Any, owners: int, members: int) -> DeviceSets:
    """The set of each owner 0, 1, … of rows (owner, member)."""
    torch = import_module("torch")
    keys, times = torch.unique(owner * members + member, return_counts=True)
    repeats = keys.numel() < owner.numel()
    owner, member = keys // members, keys % members
    again = _sums(owner, times - 1, owners).cpu().numpy() if repeats else None
    size = _sums(owner, torch.ones_like(owner), owners)
    start = size.cumsum(0) - size
    place = torch.arange(keys.numel(), device=keys.device)
    for salt in count(1):
        words = mix(np.arange(members, dtype=np.uint64) + np.uint64(salt << 40)).view(np.int64)
        each = torch.as_tensor(words, device=keys.device)[member]
        found, code = torch.unique(_sums(owner, each, owners), return_inverse=True)
        example = first_of(code, found.numel())
        other = example[code]
        if not torch.equal(size, size[other]):
            continue
        if torch.equal(member, member[place + (start[other] - start)[owner]]):
            break
    shown = torch.zeros(owners, dtype=torch.bool, device=keys.device)
    shown[example] = True
    kept = shown[owner]
    rows = (code[owner[kept]].cpu().numpy(), member[kept].cpu().numpy())
    return DeviceSets(code, sets_of_rows(*rows, found.numel())[0], again)


def by_appearance(keys: Any) -> tuple[Any, Any]:
    """Dense codes in the order in which the keys first occur, and where they do."""
    torch = import_module("torch")
    found, codes = torch.unique(keys, return_inverse=True)
    first, order = first_of(codes, found.numel()).sort()
    rank = torch.empty_like(order)
    rank[order] = torch.arange(order.numel(), device=order.device)
    return rank[codes], first


def first_of(codes: Any, many: int) -> Any:
    """Where each of so many codes first occurs."""
    torch = import_module("torch")
    every = torch.arange(codes.numel(), device=codes.device)
    first = torch.full((many,), codes.numel(), device=codes.device)
    return first.scatter_reduce_(0, codes, every, "amin")


def _sums(groups: Any, values: Any, size: int) -> Any:
    torch = import_module("torch")
    sums = torch.zeros(size, dtype=torch.int64, device=values.device)
    return sums.index_add_(0, groups, values)


# Rows of degrees on a device: checked, mended and grouped there.
#
# Each function does what the one of NumPy does for rows that are fine, and gives None for those
# that are not: these go to the host, which knows what to say of them.


@contextmanager
def memory_for(tensor: Any, times: int) -> Iterator[None]:
    """Say how much was needed, so many times the tensor, where a device has not enough."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError:
        free = torch.cuda.mem_get_info(tensor.device)[0] if tensor.is_cuda else 0
        need = 8 * tensor.numel() * times
        raise DeviceMemoryNeeded.on(str(tensor.device), len(tensor), need, free) from None


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
    for values in (matrix + 0.0).view(torch.int64).unbind(1):
        total = (total ^ values) * -0x61C8864680B583EB
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
