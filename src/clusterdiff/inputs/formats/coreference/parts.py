"""Mentions that are open while a text is read: where they begin, and in how many parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


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


class OpenMentions:
    """The nodes of a document as they come, and the mentions that are open."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._open: dict[str, list[OpenMention]] = {}

    def next_node(self, name: str) -> None:
        """The node that brackets stand at from now on."""
        self._names.append(name)

    def open(self, entity: str, part: int, parts: int, line: int) -> str:
        """A part of a mention begins; or what is wrong with that."""
        own = self._open.setdefault(entity, [])
        here = len(self._names) - 1
        if part == 1:
            own.append(OpenMention(entity, parts, line, [here]))
            return ""
        for one in reversed(own):
            if one.parts == parts and len(one.starts) == len(one.ends) == part - 1:
                one.starts.append(here)
                return ""
        return f"{entity}[{part}/{parts}] without the parts before it"

    def close(self, entity: str, part: int, parts: int) -> str | None:
        """A part of a mention ends here: its span if it is the last one, else nothing; None if no
        such part is open.
        """
        for one in reversed(self._open.get(entity, [])):
            latest = len(one.starts)
            if latest in one.ends or (one.parts, latest) != (parts, part):
                continue
            one.ends[latest] = len(self._names) - 1
            if latest < one.parts:
                return ""
            self._open[entity].remove(one)
            return self._span(one)
        return None

    def unfinished(self) -> Unfinished | None:
        """A mention that is still open, if there is one."""
        for one in (one for some in self._open.values() for one in some):
            if len(one.ends) < len(one.starts):
                return Unfinished(one.line, one.entity, "which is never closed")
            missing = f"{one.entity}[{len(one.starts) + 1}/{one.parts}]"
            return Unfinished(one.line, one.entity, f"of which there is no part {missing}")
        return None

    def _span(self, mention: OpenMention) -> str:
        """The runs of nodes that a mention covers."""
        runs: list[list[int]] = []
        for part, start in enumerate(mention.starts, 1):
            if runs and start <= runs[-1][1] + 1:
                runs[-1][1] = max(runs[-1][1], mention.ends[part])
            else:
                runs.append([start, mention.ends[part]])
        return ",".join(f"{self._names[start]}-{self._names[end]}" for start, end in runs)
