"""Two partitions compared with names, wherever their objects are.

A meet forgets which object is which. Here the rows in conflict can be given back their clusters
and objects, a few at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

from clusterdiff.array_types import Ints
from clusterdiff.meet import Alignment, HardMeet


class RowNames(NamedTuple):
    """A row in conflict by its names; None is a cluster that there is not."""

    truth: Any
    guess: Any
    ids: list[Any]
    sample: Any = None


class Around(NamedTuple):
    """An object with the clusters it is in, and the others that are there."""

    id: Any
    truth: Any
    guess: Any
    known: tuple[bool, bool]
    """Whether it is in a cluster of truth, and of guess."""
    found: list[Any]
    missing: list[Any]
    wrong: list[Any]
    sample: Any = None
    absent: Sequence[Any] = ()
    """Of those that are missing, those that guess lacks."""
    strange: Sequence[Any] = ()
    """Of those that are wrong, those that truth lacks."""


class Catalogue(NamedTuple):
    """Objects in columns: ids, the number of the cluster of each on either side (-1 for none), and
    what the clusters are called.
    """

    ids: list[Any]
    truth: list[int]
    guess: list[int]
    truth_names: list[Any]
    guess_names: list[Any]
    samples: list[Any] | None = None


class Compared(ABC):
    """A comparison of partitions whose clusters and objects can still be named."""

    meet: HardMeet
    """Its first rows are clusters that agree, the rows in conflict follow."""

    def aligned(self, alignment: Alignment) -> Self:
        """The same comparison with another alignment."""
        made = copy(self)
        object.__setattr__(made, "meet", replace(self.meet, alignment=alignment))
        return made

    @property
    @abstractmethod
    def agreeing(self) -> int:
        """How many rows of the meet are clusters that agree."""

    @property
    def sampled(self) -> bool:
        """Whether these are samples side by side, whose meet is that of all of them together."""
        return False

    @abstractmethod
    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and up to so many objects of each (None for all)."""

    @abstractmethod
    def around(self, wanted: Any, sample: Any = None) -> Around:
        """The object of this id, and the others in its clusters."""

    @abstractmethod
    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""
