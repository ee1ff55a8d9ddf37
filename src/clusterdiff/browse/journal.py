"""Decisions in a file: one line each, on disk before anything else happens.

The first line says which comparison was reviewed. Every other line is a decision on a component,
complete with the records that it is about, or takes the last one on a component back. A line
counts once it ends with a line break: a process that is killed while it writes leaves the
beginning of a line at most, which was confirmed to nobody.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple, Self

from clusterdiff.errors import ClusterdiffError, ReadError
from clusterdiff.output.markup import to_json
from clusterdiff.output.writing import Place

SCHEMA = "clusterdiff/review/1"
VERDICTS = {
    "run": "the run is wrong",
    "truth": "the truth is wrong",
    "both": "both are defensible",
}
"""What a reviewer says of a component."""


class Reviewed(NamedTuple):
    """A record of a component that was decided."""

    id: Any
    truth: int
    """Its truth cluster by its place among those of the decision; -1 for none."""
    run: int
    right: int
    """The cluster in which the reviewer says it belongs; -1 for none."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a reviewer said of a component."""

    part: str
    """Which component, by the records in it."""
    verdict: str | None
    """One of `VERDICTS`, or None where there is only a note."""
    note: str = ""
    at: str = ""
    by: str = ""
    sample: Any = None
    truth: list[Any] = field(default_factory=list)
    """The truth clusters by name; None for noise."""
    run: list[Any] = field(default_factory=list)
    right: list[Any] = field(default_factory=list)
    """The clusters that are right: the name of a truth cluster, or None for a new one."""
    records: list[Reviewed] = field(default_factory=list)

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """A decision as it was written."""
        known = {name: line[name] for name in cls.__dataclass_fields__ if name in line}
        records = [Reviewed(*one) for one in known.pop("records", [])]
        made = cls(**known, records=records)
        ends = len(made.truth), len(made.run), len(made.right)
        if made.verdict not in (*VERDICTS, None) or any(
            not -1 <= at < end for one in records for at, end in zip(one[1:], ends, strict=True)
        ):
            raise ValueError("not a decision")
        return made

    def to_line(self) -> dict[str, Any]:
        """As it is written."""
        return vars(self) | {"records": [list(one) for one in self.records]}


class Journal:
    """A file of decisions: those that count, by component."""

    def __init__(self, path: Place) -> None:
        self.path = os.fspath(path)
        self.header: dict[str, Any] = {}
        self._lines: dict[str, list[Decision]] = {}
        self._order: list[str] = []
        """The components of the decisions that were not taken back, in the order of the file."""

    @classmethod
    def read(cls, path: Place) -> Self:
        """The decisions of a file."""
        made = cls(path)
        try:
            with open(path, "rb") as file:
                made._replay(file.read())
        except OSError as error:
            raise ReadError(
                f"{made.path} could not be read: {error.strerror}.",
                "name the file of decisions that clusterdiff browse wrote.",
            ) from None
        if not made.header:
            raise ReadError(f"{made.path} is empty: it has no decisions.")
        return made

    @property
    def decisions(self) -> dict[str, Decision]:
        """The last decision on each component that has one, in the order of the file."""
        return {part: self._lines[part][-1] for part in dict.fromkeys(self._order)}

    def __getitem__(self, part: str) -> Decision | None:
        lines = self._lines.get(part)
        return lines[-1] if lines else None

    @property
    def last(self) -> str | None:
        """The component of the last decision."""
        return self._order[-1] if self._order else None

    def _take(self, line: dict[str, Any]) -> None:
        """A line that is in the file."""
        part = line["part"]
        if line.get("undo"):
            self._lines[part].pop()
            del self._order[len(self._order) - 1 - self._order[::-1].index(part)]
            return
        self._lines.setdefault(part, []).append(Decision.of(line))
        self._order.append(part)

    def _replay(self, content: bytes) -> int:
        """Take all whole lines of a file; where they end."""
        end = 0
        for number, text in enumerate(content.split(b"\n")[:-1], 1):
            try:
                line = json.loads(text)
                if number == 1:
                    self._check_schema(line)
                    self.header = line
                else:
                    self._take(line)
            except (ValueError, KeyError, TypeError, IndexError, AttributeError):
                raise ReadError(
                    f"line {number:,} of {self.path} is not a decision.",
                    "name a file that clusterdiff browse wrote, or take this line out.",
                ) from None
            end += len(text) + 1
        return end

    def _check_schema(self, line: Any) -> None:
        if line["schema"] != SCHEMA:
            raise ValueError("another schema")


class OpenJournal(Journal):
    """A file of decisions that is written to, by one process at a time."""

    def __init__(self, path: Place, file: IO[bytes], by: str) -> None:
        super().__init__(path)
        self._file, self._by = file, by

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Place, comparison: Mapping[str, Any], by: str) -> Iterator[Self]:
        """The file of decisions on this comparison, new or continued; another process that has it
        open, or another comparison, is refused.
        """
        shown = os.fspath(path)
        try:
            file = open(path, "a+b", buffering=0)  # noqa: SIM115, it is closed below
        except OSError as error:
            raise ClusterdiffError(
                f"{shown} could not be opened: {error.strerror}.",
                "name another file of decisions, --decisions FILE.",
            ) from None
        with file:
            if not _locked(file):
                raise ClusterdiffError(
                    f"{shown} is open in another browser.",
                    "close that one, or name another file of decisions, --decisions FILE.",
                )
            made = cls(path, file, by)
            file.seek(0)
            end = made._replay(file.read())
            file.truncate(end)  # the beginning of a line that nobody was told of
            if made.header:
                made._check(comparison)
            else:
                made.header = {"schema": SCHEMA, **comparison, "at": _now()}
                made._append(made.header)
                _sync_folder(shown)
            yield made

    def _check(self, comparison: Mapping[str, Any]) -> None:
        """Refuse decisions on another comparison."""
        if self.header.get("digest") != comparison["digest"]:
            raise ClusterdiffError(
                f"{self.path} has decisions on another comparison, of {self.header.get('truth')} "
                f"and {self.header.get('run')} (digest {self.header.get('digest')}; this one is "
                f"{comparison['digest']}).",
                "name another file of decisions, --decisions FILE.",
            )
        if self.header.get("records") != comparison["records"]:
            raise ClusterdiffError(
                f"the truth or the run has changed since {self.path} was begun: other records, or "
                "other names of clusters.",
                "apply these decisions to the truth that they were made on, clusterdiff decisions, "
                "and name another file for new ones, --decisions FILE.",
            )

    def decide(self, decision: dict[str, Any]) -> Decision:
        """Write a decision; it is on disk when this returns."""
        line = {**decision, "at": _now(), "by": self._by}
        made = Decision.of(line)
        self._append(made.to_line())
        self._lines.setdefault(made.part, []).append(made)
        self._order.append(made.part)
        return made

    def undo(self, part: str | None = None) -> str | None:
        """Take the last decision back, of this component if one is named; which one it was of."""
        part = self.last if part is None or not self._lines.get(part) else part
        if part is not None:
            line = {"part": part, "undo": True, "at": _now(), "by": self._by}
            self._append(line)
            self._take(line)
        return part

    def _append(self, line: Mapping[str, Any]) -> None:
        """Write a line as a whole, or leave the file as it was."""
        end = self._file.seek(0, os.SEEK_END)
        rest = to_json(line).encode() + b"\n"
        try:
            while rest:  # nothing is kept in a buffer that could be written later
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(end)
            raise


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _locked(file: IO[bytes]) -> bool:
    """Take the file for this process; the system gives it back whatever ends the process."""
    try:
        try:
            import fcntl
        except ImportError:  # Windows
            import msvcrt

            file.seek(1 << 40)  # far behind all lines, which others may read
            lock: Any = msvcrt
            lock.locking(file.fileno(), lock.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(path: str) -> None:
    """Have a new file stand in its folder even if the machine stops."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
