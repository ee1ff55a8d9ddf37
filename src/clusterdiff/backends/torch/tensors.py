"""What the backend asks of PyTorch beyond its functions: keys, numbers, memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from clusterdiff.errors.devices import DeviceMemoryNeeded

torch: Any = import_module("torch")

MOST = 2**63
"""What a key is below."""
PART = 2**30
"""Keys that are sorted at a time: PyTorch numbers those it sorts with 31 bits."""
LONGEST = 2**31 - 1
"""Objects that PyTorch numbers, or takes some of."""
EACH = 48
"""Bytes that an object takes while keys are sorted and counted."""


class Span(NamedTuple):
    """Whole numbers, the least of them, and how many lie from it to the greatest."""

    values: Any
    low: int
    wide: int

    @classmethod
    def of(cls, values: Any) -> Span:
        """Of numbers that are looked at."""
        if not values.numel():
            return cls(values, 0, 1)
        low, high = (int(end) for end in _ends(values))
        return cls(values, low, high - low + 1)

    def numbered(self) -> Span:
        """Numbers from 0 on in the same order, without gaps."""
        found, codes = torch.unique(self.values, return_inverse=True)
        return Span(codes, 0, max(found.numel(), 1))


def _ends(values: Any) -> Any:
    return torch.aminmax(values.to(torch.uint8) if values.dtype == torch.bool else values)


def distinct(keys: Any) -> tuple[Any, Any]:
    """Distinct keys in ascending order, and how often each occurs."""
    found, counts = torch.unique(keys, return_counts=True)
    return found, counts


def sums_of(groups: Any, values: Any, size: int) -> Any:
    """The sum of the values of each group."""
    sums = torch.zeros(size, dtype=values.dtype, device=values.device)
    return sums.index_add_(0, groups, values)


def runs(ordered: Any) -> Any:
    """For numbers in ascending order: 0, 1, …, equal exactly where they are."""
    changes = torch.zeros_like(ordered, dtype=torch.int64)
    changes[1:] = ordered[1:] != ordered[:-1]
    return changes.cumsum_(0)


def narrow(values: Any) -> Any:
    """Numbers in half as many bytes, where they fit."""
    fits = not values.numel() or int(values.max()) < 2**31
    return values.to(torch.int32) if fits else values


def in_memory(values: Any) -> Any:
    """A tensor as an array of NumPy, of whole numbers of 64 bits."""
    return values.to("cpu").to(torch.int64).numpy()


def free_memory(device: Any) -> int | None:
    """Bytes that are left on a device, also within what PyTorch holds; None if it is the host."""
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free + held)


@contextmanager
def enough_memory(objects: int, device: Any) -> Iterator[None]:
    """Say in a sentence that the memory of a device is not enough."""
    try:
        yield
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        left = free_memory(device) or 0
        need = objects * EACH
        raise DeviceMemoryNeeded.on(str(device), objects, need, left) from None
