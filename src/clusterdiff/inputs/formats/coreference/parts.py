"""Mentions that are open while a text is read: where they begin, and in how many parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Closed(NamedTuple):
    """A mention that ends: its runs of nodes, none if parts are to come; and which is its head."""

    runs: list[list[int]]
    head: str


class Unfinished(NamedTuple):
    """A mention that never ends."""

    line: int
    shown: str
    why: str


@dataclass
class OpenMention:
    """A mention whose parts have not all been read."""

    entity: str
    parts: int
    line: int
    """Where it was opened first."""
    starts: list[int] = field(default_factory=list)
    """The nodes at which its parts begin."""
    ends: dict[int, int] = field(default_factory=dict)
    """The nodes at which they end, by part."""
    head: str = ""
    """Which of its nodes is the head, as the latest part says."""


class OpenMentions:
    """The nodes of a document as they come, and the mentions that are open."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._open: dict[str, list[OpenMention]] = {}

    def next_node(self, name: str) -> None:
        """The node that brackets stand at from now on."""
        self._names.append(name)

    def open(self, entity: str, part: int, parts: int, line: int, head: str = "") -> str:
        """A part of a mention begins; or what is wrong with that."""
        own = self._open.setdefault(entity, [])
        here = len(self._names) - 1
        if part == 1:
            own.append(OpenMention(entity, parts, line, [here], head=head))
            return ""
        for one in reversed(own):
            if one.parts == parts and len(one.starts) == len(one.ends) == part - 1:
                one.starts.append(here)
                one.head = head
                return ""
        return f"{entity}[{part}/{parts}] without the parts before it"

    def close(self, entity: str, part: int, parts: int) -> Closed | None:
        """A part of a mention ends here; None if no such part is open."""
        for one in reversed(self._open.get(entity, [])):
            latest = len(one.starts)
            if latest in one.ends or (one.parts, latest) != (parts, part):
                continue
            one.ends[latest] = len(self._names) - 1
            if latest < one.parts:
                return Closed([], "")
            self._open[entity].remove(one)
            return Closed(_runs(one), one.head)
        return None

    def unfinished(self) -> Unfinished | None:
        """A mention that is still open, if there is one."""
        for one in (one for some in self._open.values() for one in some):
            if len(one.ends) < len(one.starts):
                return Unfinished(one.line, one.entity, "which is never closed")
            missing = f"{one.entity}[{len(one.starts) + 1}/{one.parts}]"
            return Unfinished(one.line, one.entity, f"of which there is no part {missing}")
        return None

    def span(self, runs: list[list[int]]) -> str:
        """What runs of nodes are called."""
        return ",".join(f"{self._names[start]}-{self._names[end]}" for start, end in runs)

    def nodes(self, runs: list[list[int]]) -> list[str]:
        """The nodes in them."""
        return [name for start, end in runs for name in self._names[start : end + 1]]


def _runs(mention: OpenMention) -> list[list[int]]:
    """The first and last nodes of the runs that a mention covers."""
    runs: list[list[int]] = []
    for part, start in enumerate(mention.starts, 1):
        if runs and start <= runs[-1][1] + 1:
            runs[-1][1] = max(runs[-1][1], mention.ends[part])
        else:
            runs.append([start, mention.ends[part]])
    return runs
