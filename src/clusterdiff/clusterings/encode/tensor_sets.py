"""Sets of clusters on a device: equal ones share a code, found by sums of random words and checked.

The same as `sets.py` does in memory.
"""

from __future__ import annotations

from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.sets import Sets, mix, sets_of_rows

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
