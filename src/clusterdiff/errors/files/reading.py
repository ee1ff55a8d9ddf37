"""Files that cannot be read as clusterings, or cannot or must not be written."""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Sequence
from typing import Self

from clusterdiff.errors.base import ClusterdiffError, did_you_mean, shorten

LATIN = "ISO-8859-1"
"""What text that is not in UTF-8 is most often in (Latin-1); any bytes are text in it."""
WINDOWS = "Windows-1252"
"""The same with letters and quotes where Latin-1 has control characters."""

RAGGED = re.compile(
    r"CSV Error on Line: (\d+)\b.*Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL
)
"""What DuckDB says of a line with more or fewer cells than the others."""


class ReadError(ClusterdiffError):
    """A file could not be read as a clustering."""

    @classmethod
    def missing(cls, path: str, beside: Sequence[str]) -> Self:
        """No such file."""
        near = did_you_mean(path, beside)
        return cls(
            f"File not found: {path}", near.strip() or "check the path; - reads standard input."
        )

    @classmethod
    def no_path(cls, path: str) -> Self:
        """Nothing in place of a path."""
        return cls(
            f"the path is empty ({path!r}).",
            "name a file; if a variable stands for it, is it set?",
        )

    @classmethod
    def denied(cls, path: str) -> Self:
        """A file that may not be read."""
        return cls(f"Permission denied: {path}", f"see who may read it: ls -l {shlex.quote(path)}")

    @classmethod
    def empty(cls, path: str) -> Self:
        """A file without rows."""
        return cls(
            f"{path} has no rows.", "a header alone is not enough: one row per object is needed."
        )

    @classmethod
    def encoded(cls, path: str, encoding: str) -> Self:
        """Text in another encoding."""
        name, dot, ending = path.rpartition(".")
        other = f"{name}.utf8.{ending}" if dot and "/" not in ending else f"{path}.utf8"
        convert = (
            f"convert it: iconv -f {encoding} -t UTF-8 {shlex.quote(path)} > {shlex.quote(other)}"
        )
        return cls(
            f"{path} is encoded in {encoding}, not UTF-8.",
            f"say so, cd.read({path!r}, encoding={encoding.lower()!r}); or {convert}",
            f"say so: --encoding {encoding.lower()}; or {convert}",
        )

    @classmethod
    def from_engine(cls, path: str, why: str) -> Self:
        """The engine below could not parse the file."""
        if "Permission denied" in why:
            return cls.denied(path)
        if "not utf-8 encoded" in why:
            return cls.encoded(path, LATIN)
        if (found := RAGGED.search(why)) is not None:
            line, wanted, cells = found.groups()
            return cls(
                f"{path} could not be read: line {line} has {cells} cells, and others have "
                f"{wanted}.",
                "give each line the same number of cells, and quote cells with the delimiter.",
            )
        return cls(
            f"{path} could not be read: {shorten(' '.join(why.split()), 200)}",
            "does the content match the file extension? Name the format in cd.read, e.g. "
            'as_="long": long, labels, clusters, json, conll or corefud.',
            "does the content match the file extension? Name the format with --as: long, labels, "
            "clusters, json, conll or corefud.",
        )


class WriteError(ClusterdiffError):
    """A file was not written; what was there before is as it was."""

    @classmethod
    def from_os(cls, path: object, error: OSError, hint: str = "") -> Self:
        """What the system says of it."""
        folder = os.path.dirname(str(path))
        if error.errno == errno.ENOENT and folder and not hint:
            hint = f"make the folder first: mkdir -p {shlex.quote(folder)}"
        return cls(f"{path} could not be written: {error.strerror or error}.", hint)

    @classmethod
    def from_input(cls, path: object, source: str) -> Self:
        """A file that is read, and would be lost."""
        same = "" if str(path) == source else f", as {source},"
        return cls(f"{path} is read{same} and would be overwritten.", "write to another file.")

    @classmethod
    def from_twice(cls, path: object) -> Self:
        """Two results for one place."""
        return cls(
            f"{path} is to be written twice, and the first result would be lost.",
            "write to different files.",
        )
