"""Files that cannot be written, or must not be."""

from __future__ import annotations

from typing import Self

from clusterdiff.errors.base import ClusterdiffError


class WriteError(ClusterdiffError):
    """A file was not written; what was there before is as it was."""

    @classmethod
    def from_os(cls, path: object, error: OSError, hint: str = "") -> Self:
        """What the system says of it."""
        return cls(f"{path} could not be written: {error.strerror or error}.", hint)

    @classmethod
    def from_input(cls, path: object, source: str) -> Self:
        """A file that is read, and would be lost."""
        same = "" if str(path) == source else f", as {source},"
        return cls(f"{path} is read{same} and would be overwritten.", "write to another file.")
