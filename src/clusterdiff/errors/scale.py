"""Work that does not fit: memory, disk, and files that change under the reader's hands."""

from __future__ import annotations

from typing import Self

from clusterdiff.errors.base import ClusterdiffError, shorten


class MemoryNeeded(ClusterdiffError):
    """More memory is needed than was allowed."""

    @classmethod
    def from_rows(cls, what: str, need: int, memory: int) -> Self:
        """Rows that an engine would have to hand over."""
        return cls(
            f"{what} would take about {size(need)} of memory, and {size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}), or ask for measures "
            "that only need sizes, such as elm_f, bcubed_f, pair_f, rand or nmi.",
        )

    @classmethod
    def from_pairs(cls, pairs: int, objects: int, need: int, memory: int) -> Self:
        """Descriptions that hardly repeat, so that counting them saves nothing."""
        return cls(
            f"{objects:,} objects have {pairs:,} different pairs of descriptions, which would take "
            f"about {size(need)} of memory; {size(memory)} are allowed. Only what repeats can be "
            "counted instead of kept.",
            "round the degrees before (to two digits, say), compare a sample of the objects, or "
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}).",
        )

    @classmethod
    def from_objects(cls, rows: int, need: int, memory: int) -> Self:
        """Objects that have to be in memory, one by one."""
        return cls(
            f"{rows:,} rows or more, each with its id, would take about {size(need)} of memory, "
            f"and {size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}), or ask for scores "
            "alone, which need no objects: clusterdiff compare.",
        )

    @classmethod
    def on_device(cls, device: str, need: int, free: int) -> Self:
        """A device that has not enough."""
        return cls(
            f"{device} has {size(free)} of memory left, and about {size(need)} are needed.",
            "free what is not needed there, or compare on the CPU: give tensor.cpu().",
        )

    @staticmethod
    def is_behind(error: BaseException) -> bool:
        """Whether an error of a library is that memory ran out."""
        said = str(error)
        return (
            isinstance(error, MemoryError)
            or type(error).__name__ == "OutOfMemoryException"
            or (isinstance(error, RuntimeError) and "can't start new thread" in said)
            or (isinstance(error, ImportError) and "failed to map segment" in said)
        )

    @classmethod
    def in_python(cls) -> Self:
        """The machine had no more to give."""
        return cls(
            "the memory of this machine is not enough.",
            "compare fewer objects, or use a machine with more memory; measures that only need "
            "sizes, such as elm_f or bcubed_f, need least.",
        )

    @classmethod
    def from_engine(cls, why: str) -> Self:
        """The engine gave up."""
        return cls(
            f"the memory allowed is not enough: {shorten(' '.join(why.split()), 160)}",
            "allow more (--memory 8GB), use fewer threads (--threads 1), or give it a folder with "
            "more room to spill to (--temp DIR).",
        )


class SpaceNeeded(ClusterdiffError):
    """The disk is full."""

    @classmethod
    def from_folder(cls, folder: str, why: str) -> Self:
        """Temporary files did not fit."""
        return cls(
            f"temporary files in {folder} did not fit: {shorten(' '.join(why.split()), 160)}",
            "name a folder with more room, temp='/scratch' (--temp /scratch), or allow more "
            "memory (--memory 8GB).",
        )


class ChangedFile(ClusterdiffError):
    """A file was written to while it was read."""


def size(amount: int) -> str:
    """Bytes for eyes.

    >>> size(1_500_000_000), size(2048)
    ('1.5 GB', '2.0 kB')
    """
    value, units = float(amount), ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{value:.0f} bytes" if units[0] == "bytes" else f"{value:.1f} {units[0]}"


def roomy(amount: int) -> str:
    """A limit that is enough for so many bytes.

    >>> roomy(1_500_000_000)
    '2GB'
    """
    return f"{amount // 10**9 + 1}GB"
