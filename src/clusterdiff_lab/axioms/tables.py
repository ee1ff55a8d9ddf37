"""Two partitions of a few objects, up to the names of objects: tables of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import permutations, product
from math import log
from random import Random

from clusterdiff.contingency import HardMeet
from clusterdiff.testing.small import Labels
from clusterdiff_lab.axioms.comparison import Comparison, Groups

Column = tuple[int, ...]
Columns = tuple[Column, ...]


@dataclass(frozen=True)
class Contingency(Comparison):
    """How many objects of each true cluster each guess cluster has: a column per guess cluster."""

    columns: Columns
    origin: tuple[int, ...] = field(default=(), compare=False)
    """If it was made of another table: the column there that each column comes from, or -1."""

    def __hash__(self) -> int:
        return hash(self.columns)

    @cached_property
    def objects(self) -> int:
        """How many objects there are."""
        return sum(map(sum, self.columns))

    @cached_property
    def classes(self) -> Column:
        """The sizes of the true clusters."""
        return tuple(map(sum, zip(*self.columns, strict=True)))

    @property
    def is_identical(self) -> bool:
        """Whether both partitions are the same."""
        return all(sum(c > 0 for c in column) == 1 for column in self.columns) and all(
            sum(c > 0 for c in row) == 1 for row in zip(*self.columns, strict=True)
        )

    @cached_property
    def key(self) -> Columns:
        """The same for all tables that differ in the order of clusters alone, if they are small."""
        listed = tuple(sorted(self.columns))
        return _key(listed) if self.objects <= SMALL else listed

    @property
    def meet(self) -> HardMeet:
        """The comparison as a measure takes it."""
        return _meet(self.columns)

    @cached_property
    def labels(self) -> tuple[Labels, Labels]:
        """Labels with this table: true clusters one after the other, guess clusters within them."""
        cells = [
            (row, column)
            for row, counts in enumerate(zip(*self.columns, strict=True))
            for column, count in enumerate(counts)
            for _ in range(count)
        ]
        truth, guess = zip(*cells, strict=True)
        return truth, guess

    def guess_of(self, other: Contingency) -> Groups:
        """The guess of another table with this truth: as many objects as can stay together do."""
        truth, guess = self.labels
        mine = [[x for x, label in enumerate(guess) if label == k] for k in range(max(guess) + 1)]
        found: list[list[int]] = [[] for _ in other.columns]
        for at, k in enumerate(other.origin) if other.origin else _matched(self, other):
            for row, count in enumerate(other.columns[at]):
                found[at] += _first(mine[k] if k >= 0 else [], truth, row, count)
        placed = {x for group in found for x in group}
        left = [x for x in range(len(truth)) if x not in placed]
        for at, column in enumerate(other.columns):
            for row, count in enumerate(column):
                here = sum(truth[x] == row for x in found[at])
                more = _first(left, truth, row, count - here)
                found[at] += more
                left = [x for x in left if x not in more]
        return sorted(sorted(x + 1 for x in group) for group in found)

    @cached_property
    def components(self) -> tuple[Contingency, ...]:
        """The table of each cluster of the join."""
        parts: list[tuple[set[int], list[Column]]] = []
        for column in self.columns:
            rows, joined = {row for row, count in enumerate(column) if count}, [column]
            apart = []
            for part in parts:
                if part[0] & rows:
                    rows, joined = rows | part[0], part[1] + joined
                else:
                    apart.append(part)
            parts = [*apart, (rows, joined)]
        return tuple(Contingency(without_empty_rows(joined)) for _, joined in parts)

    @property
    def transposed(self) -> Contingency:
        """Truth and guess exchanged."""
        return Contingency(tuple(zip(*self.columns, strict=True)))

    def times(self, factor: int) -> Contingency:
        """Each object so many times."""
        return Contingency(tuple(tuple(c * factor for c in column) for column in self.columns))

    def beside(self, other: Contingency) -> Contingency:
        """Other objects in other clusters added."""
        rows, more = len(self.classes), len(other.classes)
        mine = [column + (0,) * more for column in self.columns]
        return Contingency((*mine, *((0,) * rows + column for column in other.columns)))

    def smaller(self) -> Iterator[Contingency]:
        """Clusters left out, cells emptied, cut and less one; or one more for many less."""
        cells = self._cells
        if len(cells) > FEW_CELLS:
            yield from self._fewer_clusters()
        for part in (1, 2, 5, 10):
            for cell in cells:
                less = -(-self.columns[cell[0]][cell[1]] // part)
                yield from self._changed({cell: -less})
        for cell in cells:
            yield from self._changed({cell: -1})
        if len(cells) <= FEW_CELLS:
            for cell, other in permutations(cells, 2):
                count = self.columns[cell[0]][cell[1]]
                for less in {2, 3, 4, 6, count // 10, count // 5}:
                    if 1 < less < count:
                        yield from self._changed({cell: -less, other: 1})

    @property
    def _cells(self) -> list[tuple[int, int]]:
        """Where there are objects; the first of those that differ in names of clusters alone."""
        rows = list(zip(*self.columns, strict=True))
        found: dict[tuple[Column, Column], tuple[int, int]] = {}
        for at, column in enumerate(self.columns):
            for row, count in enumerate(column):
                if count:
                    found.setdefault((column, rows[row]), (at, row))
        return list(found.values())

    def _fewer_clusters(self) -> Iterator[Contingency]:
        """One cluster of either side left out; half, if there are many that are alike."""
        for table in (self, self.transposed):
            for column, many in Counter(table.columns).items():
                for less in dict.fromkeys((many // 2, 1)):
                    if less:
                        kept = list(table.columns)
                        for _ in range(less):
                            kept.remove(column)
                        columns = without_empty_rows(kept)
                        made = Contingency(columns)
                        if columns:
                            yield made if table is self else made.transposed

    def _changed(self, changes: dict[tuple[int, int], int]) -> Iterator[Contingency]:
        """The table with more or fewer objects in some cells, if any object is left."""
        columns = [
            tuple(n + changes.get((at, row), 0) for row, n in enumerate(column))
            for at, column in enumerate(self.columns)
        ]
        kept = without_empty_rows([column for column in columns if any(column)])
        if kept:
            yield Contingency(kept)


FEW_CELLS = 6
"""Tables with so few cells are also made smaller where another cell has to grow."""
SMALL = 8
"""Up to so many objects, tables that differ in the order of clusters are identified."""


def without_empty_rows(columns: list[Column]) -> Columns:
    """The columns without the true clusters that have no object."""
    if not columns:
        return ()
    used = [k for k, row in enumerate(zip(*columns, strict=True)) if any(row)]
    if len(used) == len(columns[0]):
        return tuple(columns)
    return tuple(tuple(column[k] for k in used) for column in columns)


@cache
def _key(columns: Columns) -> Columns:
    """The components, each in normal form, one after the other."""
    parts = sorted(_normal(part.columns) for part in Contingency(columns).components)
    width = sum(len(part[0]) for part in parts)
    made, before = [], 0
    for part in parts:
        after = width - before - len(part[0])
        made += [(0,) * before + column + (0,) * after for column in part]
        before += len(part[0])
    return tuple(made)


@cache
def _normal(columns: Columns) -> Columns:
    """The first of all orders of rows and columns."""
    rows = range(len(columns[0]))
    orders = permutations(rows)
    return min(tuple(sorted(tuple(c[r] for r in order) for c in columns)) for order in orders)


@lru_cache(maxsize=20_000)
def _meet(columns: Columns) -> HardMeet:
    """Made once for all measures."""
    cells = [
        (row, column, count)
        for column, counts in enumerate(columns)
        for row, count in enumerate(counts)
        if count
    ]
    return HardMeet.from_rows(*zip(*cells, strict=True))


def _matched(mine: Contingency, other: Contingency) -> list[tuple[int, int]]:
    """For clusters of another guess the own ones that have most objects in common with them."""
    from scipy.optimize import linear_sum_assignment

    kept = [[sum(map(min, one, own)) for own in mine.columns] for one in other.columns]
    rows, columns = linear_sum_assignment(kept, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _first(objects: list[int], truth: Labels, row: int, count: int) -> list[int]:
    """The first so many of the objects that are in a true cluster."""
    return [x for x in objects if truth[x] == row][:count]


def sizes(n: int, largest: int | None = None) -> Iterator[Column]:
    """The cluster sizes of every partition of n objects up to renaming, from large to small."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in sizes(n - first, first):
            yield (first, *rest)


@cache
def tables(n: int) -> tuple[Contingency, ...]:
    """Every pair of partitions of n objects, once up to renaming objects within true clusters."""
    return tuple(Contingency(found) for of in sizes(n) for found in guesses(of))


@cache
def guesses(classes: Column) -> tuple[Columns, ...]:
    """Every guess for a truth with these cluster sizes."""
    return tuple(_columns(classes, classes))


def _columns(left: Column, largest: Column) -> Iterator[Columns]:
    """Every multiset of columns that add up to `left`, none after `largest` in the alphabet."""
    if not any(left):
        yield ()
        return
    for column in product(*(range(most + 1) for most in left)):
        if any(column) and column <= largest:
            rest = tuple(most - taken for most, taken in zip(left, column, strict=True))
            for others in _columns(rest, column):
                yield (column, *others)


def table_of(truth: Labels, guess: Labels) -> Contingency:
    """The table of two partitions, given as numbers from 0 on."""
    counts = [[0] * (max(truth) + 1) for _ in range(max(guess) + 1)]
    for t, g in zip(truth, guess, strict=True):
        counts[g][t] += 1
    return Contingency(tuple(map(tuple, counts)))


def random_table(random: Random, largest: int) -> Contingency:
    """A table of a few clusters, whose cells are of very different sizes."""
    rows, columns = random.randint(1, 4), random.randint(1, 4)
    scale = log(random.randint(2, largest))
    filled = random.uniform(0.3, 1)
    cells = [
        tuple(
            int(2.718281828 ** (random.random() * scale)) if random.random() < filled else 0
            for _ in range(rows)
        )
        for _ in range(columns)
    ]
    kept = without_empty_rows([column for column in cells if any(column)])
    return Contingency(kept) if kept else random_table(random, largest)


def random_blocks(random: Random, most: int) -> Contingency:
    """A few blocks side by side, in each of which all true and guess clusters have as much in
    common.
    """
    made: list[tuple[Column, ...]] = []
    for _ in range(random.randint(1, 3)):
        rows, columns, count = (int(2.718281828 ** random.uniform(0, top)) for top in (2, 2.5, 2))
        made.append(((count,) * rows,) * columns)
    tables = [Contingency(block) for block in made if len(block) * sum(block[0]) <= most]
    if not tables:
        return random_blocks(random, most)
    found = tables[0]
    for table in tables[1:]:
        found = found.beside(table)
    return found
