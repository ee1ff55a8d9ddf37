"""Explanations by objects of which the same is said: places, ranked by what each of them loses."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from clusterdiff.backends.labelled.memory import found_items
from clusterdiff.errors import ClusterdiffError
from clusterdiff.results.describe import count
from clusterdiff.results.explain.base import IDS, TOP, Told
from clusterdiff.results.explain.prose import percent, rest_line
from clusterdiff.results.render.table import Table
from clusterdiff.results.render.text import cut, placed, shown_ids, to_text, wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.backends.memory.hard import Objects
    from clusterdiff.clusterings import AnyClustering

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

NAMES = 4
"""Clusters of a side that a line names."""
NOTHING = 1e-12
"""What is less than this share of the whole is nothing."""


def refuse_samples(*sides: AnyClustering) -> None:
    """Places of several samples are not ranked together."""
    if any(side.samples is not None for side in sides):
        raise ClusterdiffError(
            "overlapping and uncertain clusterings are explained one sample at a time.",
            "call cd.explain on the truth and the guess of one sample, without samples.",
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


@dataclass(frozen=True)
class Place(ABC):
    """Objects of which the same is said, with what they lose together."""

    kind: str
    share: float
    """What they lose, as a share of all that is lost."""
    objects: int
    ids: list[Any]
    """As many as were asked for, in the order of the input."""

    @abstractmethod
    def lines(self, ids: int | None) -> list[str]:
        """The place in words."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""

    def who(self, ids: int | None) -> str:
        """How many objects, and which."""
        names = "" if ids == 0 else f" ({shown_ids(self.ids, ids, self.objects)})"
        return f"{count(self.objects, 'object')}{names}"


P = TypeVar("P", bound=Place)


class Places(Told, Generic[P]):
    """Where two clusterings differ: rows of the comparison, ranked by what their objects lose."""

    kinds: ClassVar[tuple[str, ...]]
    """What can be wrong with a place; the last one is nothing."""
    unchanged: ClassVar[str] = ""
    """What is said of the objects that are not told, besides how many they are."""
    located: Located
    loss: Floats
    """What each row loses."""

    @property
    @abstractmethod
    def kind(self) -> Ints:
        """The kind of each row, by its place among `kinds`."""

    @property
    @abstractmethod
    def differs(self) -> NDArray[np.bool_]:
        """Which rows are told; the others are right."""

    @property
    @abstractmethod
    def ranks(self) -> tuple[Floats, ...]:
        """What ranks the rows: large comes first, the first one counts most."""

    @abstractmethod
    def place(self, row: int, ids: int | None) -> P:
        """A row with names."""

    @cached_property
    def weight(self) -> Ints:
        """How many objects each row has."""
        return np.bincount(self.located.row)

    @cached_property
    def order(self) -> Ints:
        """The rows that are told, from the one that loses most to the one that loses least."""
        rows = np.flatnonzero(self.differs)
        keys = [-_rounded(values[rows]) for values in self.ranks]
        return rows[np.lexsort((-self.weight[rows], *keys[::-1]))]

    def share(self, row: int) -> float:
        """What a row loses as a share of all."""
        return float(self.loss[row]) / (float(self.loss.sum()) or 1.0)

    def top(self, n: int | None = TOP, ids: int | None = IDS) -> list[P]:
        """The places that lose most, with names."""
        return [self.place(row, ids) for row in self.order[:n].tolist()]

    def by_kind(self, rows: Ints) -> dict[str, tuple[int, int, float]]:
        """For each kind among these rows: places, their objects, and what they lose."""
        found = {}
        for i, kind in enumerate(self.kinds):
            if (these := rows[self.kind[rows] == i]).size:
                objects, lost = int(self.weight[these].sum()), float(self.loss[these].sum())
                found[kind] = these.size, objects, lost
        return found

    def to_text(
        self, width: int | None = None, top: int | None = TOP, ids: int | None = IDS
    ) -> str:
        """The explanation for a terminal of this width."""
        columns = width or shutil.get_terminal_size().columns
        if not self.order.size:
            same = wrapped(f"{self.headline} {self._same()}", columns)
            return "\n".join([same, *self.columns_read(columns)])
        rows = [(percent(p.share), p.kind, p.lines(ids)) for p in self.top(top, ids)]
        if (rest := self.order[len(rows) :]).size:
            rows.append(self._rest(rest))
        if right := int(self.weight[~self.differs].sum()):
            rows.append(
                (percent(0.0), self.kinds[-1], [f"{count(right, 'object')}{self.unchanged}"])
            )
        below = self.cluster_table(top, columns)
        return "\n".join(
            [
                wrapped(f"{self.headline} {self._where()}", columns),
                "",
                *(placed(*row, columns) for row in rows),
                "",
                *(wrapped(line, columns) for line in self.sentences()),
                *self.columns_read(columns),
                *(["", to_text(below, columns)] if below.rows else []),
            ]
        )

    def _rest(self, rest: Ints) -> tuple[str, str, list[str]]:
        """The places that are not shown."""
        return rest_line(self.by_kind(rest), float(self.loss.sum()))

    @abstractmethod
    def _same(self) -> str:
        """What is said where there is no place to tell."""

    @abstractmethod
    def _where(self) -> str:
        """What leads over from the score to the places."""

    @abstractmethod
    def cluster_table(self, top: int | None = TOP, width: int = 120) -> Table:
        """Clusters and those that stand for them on the other side."""

    @abstractmethod
    def _besides(self, top: int | None) -> dict[str, Any]:
        """For programs: what is said besides the places."""

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""
        kinds = self.by_kind(self.order)
        return {
            "measure": str(self.measure),
            "score": self.score.to_dict(),
            **self._besides(top),
            "kinds": {
                kind: {"places": n, "objects": objects, "loss": loss}
                for kind, (n, objects, loss) in kinds.items()
            },
            "places": [place.to_dict() for place in self.top(top, ids)],
            **self.origins.to_dict(),
        }

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per place."""
        places = enumerate(self.top(top, ids), 1)
        return [{"place": number, **place.to_dict()} for number, place in places]

    def table(self, top: int | None = TOP, ids: int | None = IDS) -> Table:
        """The places as a table for eyes."""
        rows = [(percent(p.share), p.kind, *p.lines(ids)) for p in self.top(top, ids)]
        return Table(("share", "kind", "objects", "what"), tuple(rows))


def _rounded(values: Floats) -> Floats:
    """Values that only rounding tells apart, made equal."""
    return np.round(values / (float(values.max(initial=0.0)) or 1.0), 12)


def in_column(name: str, width: int) -> str:
    """A name that leaves room for another one beside it, and for some numbers."""
    return cut(name, max(12, width // 3))
