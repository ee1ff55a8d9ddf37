"""Explanations by places: objects of which the same is said, ranked by what they lose."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from clusterdiff.engines.named import found_items
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.base import BaseExplanation, Part
from clusterdiff.output.describe import count
from clusterdiff.output.text import cut, shown_ids

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.engines.memory import Objects


def refuse_samples(*sides: AnyClustering, verb: str = "explain") -> None:
    """Places of several samples are not ranked together."""
    if any(side.samples is not None for side in sides):
        which = "the truth and the guess" if verb == "explain" else "the truth and the runs"
        raise ClusterdiffError(
            "overlapping and uncertain clusterings are explained one sample at a time.",
            f"call cd.{verb} on {which} of one sample, without samples.",
        )


@dataclass(frozen=True, eq=False)
class Located:
    """The objects of a comparison: the row of each, and what it is called."""

    truth: AnyClustering
    guess: AnyClustering
    row: Ints
    objects: Objects

    @cached_property
    def _by_row(self) -> tuple[Ints, Ints]:
        """The objects, one row after the other, and where those of each row start."""
        start = np.concatenate([[0], np.cumsum(np.bincount(self.row))])
        return np.argsort(self.row, kind="stable"), start

    @cached_property
    def first(self) -> Ints:
        """The first object of each row."""
        order, start = self._by_row
        return order[start[:-1]]

    def ids(self, row: int, most: int | None) -> list[Any]:
        """The objects of a row by name, up to so many."""
        order, start = self._by_row
        return [self.id_of(int(i)) for i in order[start[row] : start[row + 1]][:most]]

    def id_of(self, item: int) -> Any:
        """What an object is called."""
        position = int(self.objects.in_truth[item])
        if position >= 0:
            return self.truth.id_of(position)
        return self.guess.id_of(int(self.objects.in_guess[item]))

    def find(self, wanted: Any) -> int:
        """The object of this id."""
        return found_items(self.truth, self.guess, self.objects, wanted)[0]


@dataclass(frozen=True, kw_only=True)
class Place(Part):
    """Objects of which the same is said, with what they lose together."""

    ids: list[Any]
    """As many as were asked for, in the order of the input."""

    def who(self, ids: int | None) -> str:
        """How many objects, and which."""
        names = "" if ids == 0 else f" ({shown_ids(self.ids, ids, self.objects)})"
        return f"{count(self.objects, 'object')}{names}"


P = TypeVar("P", bound=Place)


class PlacesExplanation(BaseExplanation[P]):
    """Where two clusterings differ: rows of the comparison, ranked by what their objects lose."""

    part = "place"
    headings = ("objects", "what")
    default: ClassVar[str]
    """The measure that is explained where none is named."""
    unchanged: ClassVar[str] = ""
    """Facts about the objects that are not shown, besides their number."""
    located: Located

    @abstractmethod
    def place(self, row: int, ids: int | None) -> P:
        """A row with names."""

    @cached_property
    def weight(self) -> Ints:
        """How many objects each row has."""
        return np.bincount(self.located.row)

    @property
    def losses(self) -> Floats:
        """What each row loses."""
        return self.loss

    def named_parts(self, some: Ints, ids: int | None) -> list[P]:
        """These rows, with names."""
        return [self.place(row, ids) for row in some.tolist()]

    @property
    def objects_by_kind(self) -> dict[str, int]:
        """How many objects are of each kind, those that are right too."""
        counts = np.bincount(self.kind, self.weight, len(self.kinds)).astype(np.int64).tolist()
        return dict(zip(self.kinds, counts, strict=True))

    def right(self) -> str:
        """How many objects are right."""
        right = int(self.weight[~self.differs].sum())
        return f"{count(right, 'object')}{self.unchanged}" if right else ""

    def object_at(self, id: Any) -> tuple[int, int]:
        """The object of this id, and its row."""
        item = self.located.find(id)
        return item, int(self.located.row[item])


def in_column(name: str, width: int) -> str:
    """A name that leaves room for another one beside it, and for some numbers."""
    return cut(name, max(12, width // 3))
