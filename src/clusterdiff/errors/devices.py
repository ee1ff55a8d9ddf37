"""Arrays on a graphics card or another device."""

from __future__ import annotations

from typing import Any, Self

from clusterdiff.errors.input import ArrayError, way_out
from clusterdiff.errors.scale import MemoryNeeded, size


class DeviceError(ArrayError):
    """An array lies where nothing can compute with it."""

    @classmethod
    def without_torch(cls, value: Any, device: str) -> Self:
        """An array of another library on a device, where PyTorch is missing."""
        name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        return cls(
            f"a {name} on {device} is compared there by PyTorch, which is not installed.",
            f"pip install 'clusterdiff[gpu]'; or {way_out(value)}",
        )

    @classmethod
    def from_two(cls, truth: str, guess: str) -> Self:
        """Labels on two devices."""
        return cls(
            f"truth is on {truth} and guess on {guess}; they are compared on one device.",
            f"cd.compare(truth, guess.to({truth!r})); or both in memory, truth.cpu() and "
            "guess.cpu().",
        )


class DeviceMemoryNeeded(MemoryNeeded):
    """A device has not enough memory."""

    @classmethod
    def on(cls, device: str, objects: int, need: int, left: int) -> Self:
        """Objects that are compared there."""
        return cls(
            f"comparing {objects:,} objects on {device} takes about {size(need)} there beside the "
            f"input, and {size(left)} are free.",
            "compare in the memory of the host, cd.compare(truth.cpu(), guess.cpu()); or free some "
            "on the device first.",
        )
