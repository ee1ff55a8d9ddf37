"""Three partitions of the same objects, of which two are compared at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log
from random import Random

from clusterdiff.laboratory.spaces.comparison import Labels, numbered
from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.laboratory.spaces.partitions import MOST, times

Cell = tuple[int, int, int]
"""A cluster of each of the three."""


@dataclass(frozen=True)
class PairOfThree(Contingency):
    """The comparison of two of three."""

    sides_of_three: tuple[Labels, Labels] = field(default=((), ()), compare=False)
    """The label of each object in both, in an order that all three share."""

    def __hash__(self) -> int:
        return hash(self.columns)


@dataclass(frozen=True)
class Triple:
    """How many objects are in which cluster of each of three partitions."""

    cells: tuple[tuple[Cell, int], ...]

    @cached_property
    def objects(self) -> int:
        """How many objects there are."""
        return sum(count for _, count in self.cells)

    @cached_property
    def labels(self) -> tuple[Labels, ...]:
        """The label of each object in each of the three, numbered as they come."""
        listed = [cell for cell, count in self.cells for _ in range(count)]
        return tuple(map(numbered, zip(*listed, strict=True)))

    def way(self, one: int, other: int) -> PairOfThree:
        """Two of the three."""
        counts: dict[tuple[int, int], int] = {}
        for cell, count in self.cells:
            pair = cell[one], cell[other]
            counts[pair] = counts.get(pair, 0) + count
        rows, columns = (sorted({pair[k] for pair in counts}) for k in (0, 1))
        return PairOfThree(
            tuple(tuple(counts.get((row, column), 0) for row in rows) for column in columns),
            sides_of_three=(self.labels[one], self.labels[other]),
        )

    def smaller(self) -> Iterator[Triple]:
        """Cells emptied, cut, and less one."""
        for part in (1, 2, 5, 10):
            for cell, count in self.cells:
                yield from self._with(cell, count - -(-count // part))
        for cell, count in self.cells:
            yield from self._with(cell, count - 1)

    def _with(self, cell: Cell, count: int) -> Iterator[Triple]:
        made = triple({**dict(self.cells), cell: count})
        if made.cells:
            yield made


def triple(cells: dict[Cell, int]) -> Triple:
    """The triple with these counts, those that are not 0."""
    return Triple(tuple(sorted((cell, count) for cell, count in cells.items() if count > 0)))


def random_triple(random: Random) -> Triple:
    """A few clusters each, whose common parts are of very different sizes."""
    many = [random.randint(1, 4) for _ in range(3)]
    scale = log(random.randint(2, 30))
    cells = {_anywhere(random, many): int(exp(random.random() * scale)) for _ in range(8)}
    return triple(cells)


def changed_triple(random: Random, given: Triple) -> Triple:
    """The triple after one change or two."""
    while True:
        cells = dict(given.cells)
        for _ in range(random.choice((1, 1, 2))):
            if cells:
                cells = random.choice(_MOVES)(random, cells)
        made = triple(cells)
        if made.cells and made != given and made.objects <= MOST:
            return made


def _count(random: Random, cells: dict[Cell, int]) -> dict[Cell, int]:
    """More objects in one place, or fewer."""
    cell = random.choice(sorted(cells))
    return {**cells, cell: times(random, cells[cell])}


def _place(random: Random, cells: dict[Cell, int]) -> dict[Cell, int]:
    """Objects in a new place, of clusters that are there or new."""
    many = [max(cell[k] for cell in cells) + 2 for k in range(3)]
    cell = _anywhere(random, many)
    return {**cells, cell: cells.get(cell, 0) + random.choice((1, 1, 2, 3, 5))}


def _copies(random: Random, cells: dict[Cell, int]) -> dict[Cell, int]:
    """A cluster once more, with the same clusters of the others or with copies of these."""
    k, cell = random.randrange(3), random.choice(sorted(cells))
    new = [max(one[side] for one in cells) + 1 for side in range(3)]
    along = [side == k or random.random() < 0.5 for side in range(3)]
    more = {
        tuple(one[s] + new[s] if along[s] else one[s] for s in range(3)): count
        for one, count in cells.items()
        if one[k] == cell[k]
    }
    return {**cells, **more}  # type: ignore[dict-item]


def _merged(random: Random, cells: dict[Cell, int]) -> dict[Cell, int]:
    """Two clusters of one of the three made one."""
    k = random.randrange(3)
    one, other = (random.choice(sorted(cells))[k] for _ in range(2))
    made: dict[Cell, int] = {}
    for cell, count in cells.items():
        moved = (*cell[:k], one if cell[k] == other else cell[k], *cell[k + 1 :])
        made[moved] = made.get(moved, 0) + count  # type: ignore[index, arg-type]
    return made


_MOVES = (_count, _count, _place, _copies, _merged)


def _anywhere(random: Random, many: list[int]) -> Cell:
    one, two, three = (random.randrange(most) for most in many)
    return one, two, three
