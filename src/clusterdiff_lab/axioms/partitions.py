"""Stages of comparisons of partitions: all small ones, and a guess for every truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log
from random import Random

from clusterdiff.testing.small import Labels, numbered
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.tables import Column, Contingency, sizes, tables, without_empty_rows


def small_tables(most: int, least: int = 1) -> Iterator[Contingency]:
    """All pairs of partitions of so many objects, the smaller ones first."""
    return (table for n in range(least, most + 1) for table in tables(n))


def truths(
    most: int, guess: Callable[[Column], Contingency], least: int = 1
) -> Iterator[Contingency]:
    """Every truth, up to renaming, with one guess determined by its cluster sizes."""
    return (guess(of) for n in range(least, most + 1) for of in sizes(n))


def itself(of: Column) -> Contingency:
    """The truth with clusters of these sizes, guessed right."""
    return Contingency(tuple(only(of, k, size) for k, size in enumerate(of)))


def singles(of: Column) -> Contingency:
    """The truth with clusters of these sizes, each object guessed to be alone."""
    return Contingency(tuple(only(of, k, 1) for k, size in enumerate(of) for _ in range(size)))


def only(of: Column, k: int, count: int) -> Column:
    """A guess cluster with so many objects of one true cluster."""
    return tuple(count if at == k else 0 for at in range(len(of)))


def pairs(most: int, least: int = 1) -> Stage[Contingency]:
    """All pairs of partitions."""
    return Stage(
        f"all pairs of partitions of {_range(least, most)}", lambda: small_tables(most, least)
    )


def every_truth(
    most: int, guess: Callable[[Column], Contingency], least: int = 1
) -> Stage[Contingency]:
    """Every truth with one guess."""
    return Stage(f"every truth of {_range(least, most)}", lambda: truths(most, guess, least))


def _range(least: int, most: int) -> str:
    return f"up to {most} objects" if least == 1 else f"{least} to {most} objects"


_Move = Callable[[Random, list[Column]], list[Column]]
MOST = 120
"""Tables with more objects are left."""


def changed(random: Random, table: Contingency) -> Contingency:
    """The table after one change or two."""
    while True:
        made = table
        for _ in range(random.choice((1, 1, 2))):
            move = random.choice(_MOVES)
            made = _turned(random, made, move) if made.columns else made
        if made.columns and made.objects <= MOST and made.columns != table.columns:
            return made


def times(random: Random, count: int) -> int:
    """Another number in place of this one: one more or less, twice or half as many, none, any."""
    near = (count + 1, count + 1, count - 1, count - 1, 2 * count, count // 2, 0)
    return max(0, random.choice((*near, random.randint(0, 2 * count + 3))))


def _turned(random: Random, table: Contingency, move: _Move) -> Contingency:
    """A move, of the guess clusters or of the true ones."""
    turn = random.random() < 0.5
    lines = move(random, list((table.transposed if turn else table).columns))
    made = Contingency(without_empty_rows([line for line in lines if any(line)]))
    return made.transposed if turn and made.columns else made


def _cell(random: Random, lines: list[Column]) -> list[Column]:
    """Another count in one place of a cluster, or of all that are like it."""
    line = random.choice(list(dict.fromkeys(lines)))
    at, everywhere = random.randrange(len(line)), random.random() < 0.5
    new = (*line[:at], times(random, line[at]), *line[at + 1 :])
    if everywhere:
        return [new if one == line else one for one in lines]
    first = lines.index(line)
    return [*lines[:first], new, *lines[first + 1 :]]


def _lines(random: Random, lines: list[Column]) -> list[Column]:
    """A cluster more often, or less often."""
    line = random.choice(list(dict.fromkeys(lines)))
    rest = [one for one in lines if one != line]
    return [*rest, *[line] * times(random, len(lines) - len(rest))]


def _fresh(random: Random, lines: list[Column]) -> list[Column]:
    """A new cluster within one of the other side, or the same cluster on both sides."""
    width, size = len(lines[0]), random.choice((1, 1, 2, 3, 5))
    if random.random() < 0.3:
        return [*((*line, 0) for line in lines), (*(0,) * width, size)]
    at = random.randrange(width)
    return [*lines, tuple(size if k == at else 0 for k in range(width))]


def _components(random: Random, lines: list[Column]) -> list[Column]:
    """A component more often, or less often."""
    parts = Contingency(tuple(lines)).components
    kinds = {part: tuple(sorted(part.columns)) for part in parts}
    kind = random.choice(list(dict.fromkeys(kinds[part] for part in parts)))
    found = [part for part in parts if kinds[part] == kind]
    kept = [part for part in parts if kinds[part] != kind]
    kept += found[:1] * times(random, len(found))
    made = kept[0] if kept else Contingency(())
    for part in kept[1:]:
        if made.objects > MOST:
            break
        made = made.beside(part)
    return list(made.columns)


_MOVES = (_cell, _cell, _lines, _lines, _fresh, _components)

# Three partitions of the same objects, of which two are compared at a time.

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
                cells = random.choice(_MOVES_OF_TRIPLES)(random, cells)
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


_MOVES_OF_TRIPLES = (_count, _count, _place, _copies, _merged)


def _anywhere(random: Random, many: list[int]) -> Cell:
    one, two, three = (random.randrange(most) for most in many)
    return one, two, three
