"""Two partitions of a few objects, up to the names of objects: tables of counts.

They are listed, drawn at random, changed, made smaller and drawn as text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import permutations, product
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from clusterdiff.clusterings import AnyClustering, Cover, Partition
from clusterdiff.contingency import HardMeet, Meet
from clusterdiff.testing.claims import Labels, numbered
from clusterdiff_lab.axioms.engine import Stage

if TYPE_CHECKING:
    from clusterdiff_lab.axioms.subject import Subject

Groups = list[list[int]]
"""The objects 1, 2, … of each cluster."""
C = TypeVar("C", bound="Comparison")


class Comparison(ABC):
    """Two clusterings of the same few objects, made to be scored, drawn and made smaller."""

    kind: ClassVar[str] = "partition"

    @property
    @abstractmethod
    def objects(self) -> int:
        """How many objects there are."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """A key that is equal for comparisons that differ in names alone."""

    @property
    @abstractmethod
    def meet(self) -> Meet:
        """The comparison as a measure takes it."""

    @property
    def groups(self) -> tuple[Groups, Groups]:
        """The clusters of truth and of guess."""
        truth, guess = self.labels
        return groups_of_labels(truth), groups_of_labels(guess)

    @property
    def labels(self) -> tuple[Sequence[Any], Sequence[Any]]:
        """The label of each object, in truth and in guess, where it has one."""
        raise TypeError(f"objects of a {self.kind} have no label each")

    def guess_of(self: C, other: C) -> Groups:
        """The guess of another comparison with the same truth, in the objects of this one."""
        return other.groups[1]

    @abstractmethod
    def smaller(self: C) -> Iterator[C]:
        """Comparisons of fewer objects that are like this one."""

    @property
    def drawn(self) -> tuple[str, str]:
        """Truth and guess as texts."""
        truth, guess = self.groups
        return draw(truth), draw(guess)

    @property
    def sides(self) -> tuple[AnyClustering, AnyClustering]:
        """Truth and guess as clusterings."""
        truth, guess = self.groups
        return self.clustering(truth), self.clustering(guess)

    def __str__(self) -> str:
        truth, guess = self.drawn
        return f"truth {truth}, guess {guess}"

    def line(self, subject: Subject) -> str:
        """A line that gives the score again."""
        truth, guess = self.drawn
        return subject.command(truth, [guess], self.kind == "cover")

    def clustering(self, groups: Groups) -> AnyClustering:
        """A clustering with these clusters."""
        listed = list(enumerate(groups, 1))
        if self.kind == "partition":
            label = {x: k for k, group in listed for x in group}
            return Partition({x: label[x] for x in sorted(label)})
        objects = range(1, self.objects + 1)
        return Cover({x: [k for k, group in listed if x in group] for x in objects})


def groups_of_labels(labels: Sequence[Any]) -> Groups:
    """The objects 1, 2, … of each cluster."""
    groups: dict[Any, list[int]] = {}
    for x, label in enumerate(labels, 1):
        groups.setdefault(label, []).append(x)
    return list(groups.values())


def draw(groups: Iterable[Sequence[int]]) -> str:
    """Clusters as a text: 12|34; from ten objects on 1-5,7|6,8-10, with a comma in any case.

    >>> draw([[1, 3], [2]]), draw([[1, 6, 7, 8], [2, 3, 4, 5], [9, 10]]), draw([[9], [10]])
    ('13|2', '1,6-8|2-5|9,10', '9|10,')
    """
    listed = [sorted(group) for group in groups]
    if all(x < 10 for group in listed for x in group):
        return "|".join("".join(map(str, group)) for group in listed)
    text = "|".join(_ranges(group) for group in listed)
    return text if "," in text or "-" in text else f"{text},"


def _ranges(group: list[int]) -> str:
    runs: list[list[int]] = []
    for x in group:
        if runs and runs[-1][-1] == x - 1:
            runs[-1].append(x)
        else:
            runs.append([x])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


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
        """A key that is equal for small tables that differ in the order of clusters alone."""
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
        groups: list[list[int]] = [[] for _ in other.columns]
        for at, k in enumerate(other.origin) if other.origin else _matched(self, other):
            for row, count in enumerate(other.columns[at]):
                groups[at] += _first(mine[k] if k >= 0 else [], truth, row, count)
        placed = {x for group in groups for x in group}
        left = [x for x in range(len(truth)) if x not in placed]
        for at, column in enumerate(other.columns):
            for row, count in enumerate(column):
                here = sum(truth[x] == row for x in groups[at])
                more = _first(left, truth, row, count - here)
                groups[at] += more
                left = [x for x in left if x not in more]
        return sorted(sorted(x + 1 for x in group) for group in groups)

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
        """Each object `factor` times."""
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
        places: dict[tuple[Column, Column], tuple[int, int]] = {}
        for at, column in enumerate(self.columns):
            for row, count in enumerate(column):
                if count:
                    places.setdefault((column, rows[row]), (at, row))
        return list(places.values())

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
                        smaller = Contingency(columns)
                        if columns:
                            yield smaller if table is self else smaller.transposed

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
"""Objects up to which tables that differ in the order of clusters have one key."""


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
    columns_of_all, before = [], 0
    for part in parts:
        after = width - before - len(part[0])
        columns_of_all += [(0,) * before + column + (0,) * after for column in part]
        before += len(part[0])
    return tuple(columns_of_all)


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
    """The first `count` objects of a true cluster."""
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
    return tuple(Contingency(columns) for classes in sizes(n) for columns in guesses(classes))


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
    blocks: list[tuple[Column, ...]] = []
    for _ in range(random.randint(1, 3)):
        rows, columns, count = (int(2.718281828 ** random.uniform(0, top)) for top in (2, 2.5, 2))
        blocks.append(((count,) * rows,) * columns)
    tables = [Contingency(block) for block in blocks if len(block) * sum(block[0]) <= most]
    if not tables:
        return random_blocks(random, most)
    joined = tables[0]
    for table in tables[1:]:
        joined = joined.beside(table)
    return joined


def small_tables(most: int, least: int = 1) -> Iterator[Contingency]:
    """All pairs of partitions of `least` to `most` objects, the smaller ones first."""
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
    """A guess cluster with `count` objects of one true cluster."""
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
        result = table
        for _ in range(random.choice((1, 1, 2))):
            move = random.choice(_MOVES)
            result = _turned(random, result, move) if result.columns else result
        if result.columns and result.objects <= MOST and result.columns != table.columns:
            return result


def times(random: Random, count: int) -> int:
    """Another number in place of this one: one more or less, twice or half as many, none, any."""
    near = (count + 1, count + 1, count - 1, count - 1, 2 * count, count // 2, 0)
    return max(0, random.choice((*near, random.randint(0, 2 * count + 3))))


def _turned(random: Random, table: Contingency, move: _Move) -> Contingency:
    """A move, of the guess clusters or of the true ones."""
    turn = random.random() < 0.5
    lines = move(random, list((table.transposed if turn else table).columns))
    result = Contingency(without_empty_rows([line for line in lines if any(line)]))
    return result.transposed if turn and result.columns else result


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
    alike = [part for part in parts if kinds[part] == kind]
    kept = [part for part in parts if kinds[part] != kind]
    kept += alike[:1] * times(random, len(alike))
    joined = kept[0] if kept else Contingency(())
    for part in kept[1:]:
        if joined.objects > MOST:
            break
        joined = joined.beside(part)
    return list(joined.columns)


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
        changed = triple({**dict(self.cells), cell: count})
        if changed.cells:
            yield changed


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
        result = triple(cells)
        if result.cells and result != given and result.objects <= MOST:
            return result


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
    merged: dict[Cell, int] = {}
    for cell, count in cells.items():
        moved = (*cell[:k], one if cell[k] == other else cell[k], *cell[k + 1 :])
        merged[moved] = merged.get(moved, 0) + count  # type: ignore[index, arg-type]
    return merged


_MOVES_OF_TRIPLES = (_count, _count, _place, _copies, _merged)


def _anywhere(random: Random, many: list[int]) -> Cell:
    one, two, three = (random.randrange(most) for most in many)
    return one, two, three
