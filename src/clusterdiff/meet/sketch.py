"""What is left of a meet whose rows in conflict are too many to hold: its shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.errors import MemoryNeeded
from clusterdiff.meet.identity.digest import digest
from clusterdiff.meet.shapes import Shapes


@dataclass(frozen=True, eq=False, kw_only=True)
class Sketch(Shapes):
    """Shapes alone: enough for pairs, BCubed, ELM and information; not for matching clusters."""

    need: int
    """Bytes that all rows would take."""
    memory: int
    """Bytes that are allowed."""

    @property
    def is_hard(self) -> bool:
        """Whether each object is in exactly one cluster of each side that knows it: yes."""
        return True

    @property
    def told_apart(self) -> bool:
        """Whether other shapes have other digests: yes."""
        return True

    @cached_property
    def rows(self) -> int:
        """How many cells of the table are not empty."""
        return int(self.times.sum())

    @property
    def shapes(self) -> Shapes:
        """The shapes: these."""
        return self

    def with_singles(self, singles: Mapping[str, int]) -> Sketch:
        """The same with objects more that are alone on both sides."""
        many = sum(singles.values())
        alone = (self.both == 1) & (self.truth_size == 1) & (self.guess_size == 1)
        if alone.any():
            return replace(self, times=self.times + many * alone)
        return replace(
            self,
            both=np.append(self.both, 1),
            truth_size=np.append(self.truth_size, 1),
            guess_size=np.append(self.guess_size, 1),
            times=np.append(self.times, many),
        )

    def refused(self, measure: str) -> MemoryNeeded:
        """What to say to a measure that needs the rows."""
        conflict = (self.both != self.truth_size) | (self.both != self.guess_size)
        rows = int(self.times[conflict].sum())
        what = f"{measure} needs all {rows:,} rows in conflict, which"
        return MemoryNeeded.from_rows(what, self.need, self.memory)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the shapes, whatever the order."""
        colour = np.zeros(self.both.size, np.uint64)
        for column in (self.both, self.truth_size, self.guess_size):
            colour = mix(colour + column.astype(np.uint64))
        return f"shapes-{digest(colour, self.times)}"
