"""The four conditions of Amigó et al. (2009), as the CICE paper words them, and their readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from random import Random

from clusterdiff_lab.axioms.condition import PARTITIONS, Order, Space
from clusterdiff_lab.axioms.tables import (
    Column,
    Columns,
    Contingency,
    random_table,
    without_empty_rows,
)


def _classes(column: Column) -> list[int]:
    """The true clusters that a guess cluster has objects of."""
    return [row for row, count in enumerate(column) if count]


def _only(column: Column, row: int) -> Column:
    """The objects of one true cluster."""
    return tuple(count if at == row else 0 for at, count in enumerate(column))


def _sum(one: Column, other: Column) -> Column:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _less(one: Column, other: Column) -> Column:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _replaced(columns: Columns, gone: list[int], new: list[Column]) -> Contingency:
    """The table with other columns in place of some, as many of them as there are new ones."""
    kept = [at for at in range(len(columns)) if at not in gone]
    origin = [*kept, *gone[: len(new)], *[-1] * (len(new) - len(gone))]
    return Contingency((*(columns[at] for at in kept), *new), tuple(origin))


def _purer(worse: Contingency) -> Iterator[Contingency]:
    """A guess cluster with objects of two true clusters is split into one of each."""
    for at, column in enumerate(worse.columns):
        rows = _classes(column)
        if len(rows) == 2:
            yield _replaced(worse.columns, [at], [_only(column, row) for row in rows])


def _fuller(worse: Contingency) -> Iterator[Contingency]:
    """Two guess clusters with objects of one and the same true cluster are joined."""
    rows = [(at, column, _classes(column)) for at, column in enumerate(worse.columns)]
    pure = [one for one in rows if len(one[2]) == 1]
    for (i, one, row), (j, two, other) in combinations(pure, 2):
        if row == other:
            yield _replaced(worse.columns, [i, j], [_sum(one, two)])


def _ragged(worse: Contingency, single: bool, shared: bool) -> Iterator[Contingency]:
    """A stray object goes from a clean cluster to a noisy one.

    The clean cluster has k objects of one true cluster besides the stray one, which is of another;
    the noisy one has k objects, each of a true cluster of its own: none of these two, or, if they
    are shared, one of them.
    """
    listed = [(at, column, _classes(column)) for at, column in enumerate(worse.columns)]
    mixed = [one for one in listed if len(one[2]) == 2]
    noisy = [one for one in listed if max(one[1]) == 1 and (len(one[2]) == 1) == single]
    for (i, clean, rows), (j, noise, _) in product(mixed, noisy):
        if i == j:
            continue
        if not single and any(noise[row] for row in rows) != shared:
            continue
        for stray in rows:
            if clean[stray] == 1 and sum(noise) == sum(clean) - 1:
                moved = _only(clean, stray)
                parts = [_less(clean, moved), _sum(noise, moved)]
                yield _replaced(worse.columns, [i, j], parts)


def _two_classes(random: Random) -> Contingency:
    """A mixed cluster of two classes of very different sizes, with what is left of them; or any."""
    if random.random() < 0.4:
        return random_table(random, 60)
    parts = [int(2.718281828 ** random.uniform(0, top)) for top in (2, 3, 2, 5.5)]
    mixed, rest, also, most = parts
    return Contingency(((mixed, also), (rest, 0), (0, most)))


def _clean_and_noise(random: Random, shared: bool = False) -> Contingency:
    """A clean cluster with a stray object, a noisy one, and other clusters at random."""
    k = random.randint(2, 6)
    more = random_table(random, 12).columns
    rows = k + 2
    width = rows + len(more[0])
    clean = (k, 1, *(0,) * (width - 2))
    noisy = [0, 0, *(1,) * k]
    if shared:
        noisy[random.randint(0, 1)], noisy[-1] = 1, 0
    columns = [clean, tuple(noisy) + (0,) * (width - rows)]
    for column in more:
        seen = [random.randint(0, 3) if random.random() < 0.4 else 0 for _ in range(rows)]
        columns.append((*seen, *column))
    return Contingency(without_empty_rows(columns))


def _size_and_quantity(n: int, rest: int = 0) -> tuple[Contingency, Contingency]:
    """n pairs are broken, or one object is cut off n + 1; with a rest, pairs are of one class."""
    rows = 1 + (1 if rest else n)

    def column(row: int, count: int) -> Column:
        return tuple(count if at == row else 0 for at in range(rows))

    pairs = [1 if rest else k for k in range(1, n + 1)]
    whole = [column(1, rest)] if rest else []
    broken = [column(0, n + 1), *(column(k, 1) for k in pairs for _ in range(2)), *whole]
    cut = [column(0, n), column(0, 1), *(column(k, 2) for k in pairs), *whole]
    return Contingency(tuple(broken)), Contingency(tuple(cut))


def _broken_pairs(most: int) -> Iterator[Contingency]:
    return (_size_and_quantity(n)[0] for n in range(2, most + 1))


def _one_cut(broken: Contingency) -> Iterator[Contingency]:
    yield _size_and_quantity(len(broken.classes) - 1)[1]


def _broken_parts(most: int) -> Iterator[Contingency]:
    of = ((n, rest) for n in range(2, 5) for rest in range(1, most - 3 * n))
    return iter(sorted((_size_and_quantity(*o)[0] for o in of), key=lambda table: table.objects))


def _one_cut_beside_parts(broken: Contingency) -> Iterator[Contingency]:
    n = broken.classes[0] - 1
    yield _size_and_quantity(n, broken.classes[1] - 2 * n)[1]


_of = partial(Order, cite="amigo2009", group="constraints")
CONDITIONS = (
    _of(
        "homogeneity",
        "a guess cluster that mixes two true clusters is better split into pure ones",
        improved=_purer,
        space=replace(PARTITIONS, larger=_two_classes),
    ),
    _of(
        "completeness",
        "two guess clusters within one true cluster are better joined",
        improved=_fuller,
    ),
    _of(
        "rag_bag",
        "an object among k of another kind is better among k that are all different",
        improved=partial(_ragged, single=False, shared=False),
        space=replace(PARTITIONS, larger=_clean_and_noise),
    ),
    _of(
        "rag_bag_shared",
        "the same if one of those different objects is of the first kind, or of its own",
        improved=partial(_ragged, single=False, shared=True),
        space=replace(PARTITIONS, larger=partial(_clean_and_noise, shared=True)),
    ),
    _of(
        "rag_bag_single",
        "the same in the degenerate case of k = 1: two clusters with an object each",
        improved=partial(_ragged, single=True, shared=False),
    ),
    _of(
        "size_quantity",
        "one object cut off a large cluster is better than as many pairs broken",
        improved=_one_cut,
        space=Space(
            "partition",
            "a true cluster of n + 1 and n pairs, n from 2 to {}",
            _broken_pairs,
            30,
            limit=100,
        ),
    ),
    _of(
        "size_quantity_parts",
        "the same where the pairs are parts of one more true cluster",
        improved=_one_cut_beside_parts,
        space=Space(
            "partition",
            "true clusters of n + 1 and of more than n pairs, up to {} objects",
            _broken_parts,
            60,
            limit=200,
        ),
    ),
)
