"""When two comparisons are the same: whatever the order of their rows and the names of clusters."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.meet.alignment import Alignment
from clusterdiff.meet.base import Rows
from clusterdiff.meet.identity.canonical import Canonical, canonical
from clusterdiff.meet.identity.digest import LARGE, colours, digest, step
from clusterdiff.meet.identity.graph import Graph


class Coloured(NamedTuple):
    """A number for each row that tells it from others by its place, not by names."""

    colour: Hashes
    settled: bool
    """Whether more rounds of refinement would distinguish no more rows."""
    work: int
    """What a round costs."""


class Identified(Rows):
    """Rows that are equal to others if they are the same comparison.

    Colours of rows distinguish most comparisons; regular structures need a canonical labelling.
    Degrees, masses and features count to single precision. Where the search is too long
    (`told_apart` is False), comparisons of one digest are equal if their rows are the same numbers.
    """

    @property
    @abstractmethod
    def coloured(self) -> Coloured:
        """Colours of the rows."""

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The comparison as a graph, labelled by the colours of the rows."""

    @property
    @abstractmethod
    def repeats(self) -> Ints:
        """How often the colour of each row counts."""

    @property
    @abstractmethod
    def _as_given(self) -> tuple[list[Ints], list[NDArray[np.generic]]]:
        """The columns of the rows, and what the numbers in them stand for."""

    @property
    def colours(self) -> Hashes:
        """A number for each row that tells it from others by its place, not by names."""
        return self.coloured.colour

    @cached_property
    def canonical(self) -> Canonical | None:
        """Names for all parts of the comparison, unless it is too large."""
        _, settled, work = self.coloured
        return canonical(self.graph, settled) if work <= LARGE else None

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the comparison, whatever the order and the names."""
        found = self.canonical
        return digest(self.colours, self.repeats, b"" if found is None else found.certificate)

    @property
    def told_apart(self) -> bool:
        """Whether other comparisons have other digests, also those with regular structures."""
        return self.canonical is not None and self.canonical.complete

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identified):
            return NotImplemented
        if not isinstance(self, type(other)) and not isinstance(other, type(self)):
            return NotImplemented
        if self.digest != other.digest:
            return False
        return (self.told_apart and other.told_apart) or _same(self._as_given, other._as_given)

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True, eq=False)
class TwoSided(Identified):
    """Rows of which truth and guess say something each: sets of clusters, or mass functions."""

    truth: Any
    guess: Any
    both: Ints
    alignment: Alignment = field(default_factory=Alignment)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What measures have found out about these rows, so that they find it out once."""

    @property
    def weight(self) -> Ints:
        """Objects per row."""
        return self.both

    @property
    def rows(self) -> int:
        """How many distinct pairs of descriptions there are."""
        return self.both.size

    @cached_property
    def coloured(self) -> Coloured:
        """Colours of the rows."""
        work = self.truth.work + self.guess.work
        around = step(self.truth.colours_around, self.guess.colours_around)
        return Coloured(*colours(mix(self.both.astype(np.uint64)), around, work), work)

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        return type(self)(self.guess, self.truth, self.both, self.alignment.swap())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "memo": {}}


def _same(
    one: tuple[list[Ints], list[NDArray[np.generic]]],
    other: tuple[list[Ints], list[NDArray[np.generic]]],
) -> bool:
    """Whether rows are the same but for their order."""
    first, second = (np.column_stack(rows)[np.lexsort(rows)] for rows, _ in (one, other))
    return np.array_equal(first, second) and all(
        np.array_equal(a, b) for a, b in zip(one[1], other[1], strict=True)
    )
