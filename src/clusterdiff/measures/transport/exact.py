"""Exact distances to a hard clustering: polynomial where there is a way, else by trying all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.sets import sets_of_rows
from clusterdiff.clusterings.masses import Masses
from clusterdiff.measures.soft.pair_masses import Facing, expected_pairs
from clusterdiff.measures.transport.assignment import expected_moves, least_moves, most_moves
from clusterdiff.measures.transport.column_dp import range_of_sum
from clusterdiff.measures.transport.contingency import steps_per_table
from clusterdiff.measures.transport.count_distributions import law_of, spread
from clusterdiff.measures.transport.distance import (
    Base,
    BudgetExceeded,
    Loads,
    as_float,
    least_ways,
    logical,
    options,
)
from clusterdiff.meet import SoftSide
from clusterdiff.progress import progress


class ExactDistance(NamedTuple):
    """An end that was found exactly, or why it was not."""

    value: float | None
    how: str
    why: BudgetExceeded | None = None


def against_hard(base: Base, f: Facing, budget: int) -> tuple[ExactDistance, ExactDistance]:
    """The two ends against a certain clustering, each exact or why it is not."""
    if f.side.masses.bayesian:
        return _try(lambda: _expected(base, f, budget))
    if (rough := logical(f.side)) is not None:
        return _of_rough(base, f._replace(side=rough), budget)
    least, most = _try(lambda: (*_over_focal(base, f, budget), "all rough clusterings"))
    if (scale := base.per_move) is not None:
        how = "distribution of independent rows"
        least, _ = _try(lambda: (scale * expected_moves(f, budget, sets=True), how))
    return least, most


def _try(way: Callable[[], tuple[Any, ...]]) -> tuple[ExactDistance, ExactDistance]:
    """The least and the largest distance, which may be one, and how they were found."""
    try:
        *found, how = way()
    except BudgetExceeded as error:
        return ExactDistance(None, "", error), ExactDistance(None, "", error)
    return ExactDistance(found[0], how), ExactDistance(found[-1], how)


def _expected(base: Base, f: Facing, budget: int) -> tuple[float, str]:
    """The mean distance where clusters are drawn with these chances."""
    if base.per_pair is not None:
        return base.per_pair * expected_pairs(f), "closed form"
    if base.per_move is not None:
        return base.per_move * expected_moves(f, budget), "distribution of independent rows"
    if (loads := base.loads) is not None:
        return _expected_sum(f, loads, budget), "distributions of single cells"
    total = 0.0
    for table, chance in _all_tables(base, f, budget, reached=False):
        total += chance * base.of_table(f.table(table))
    return total, "all tables"


def _expected_sum(f: Facing, loads: Loads, budget: int) -> float:
    """The mean of a sum over cells and columns: each is a sum of independent objects."""
    m = f.side.masses
    chance = m.single
    work = float(f.both.sum()) ** 2 * m.clusters * 2
    BudgetExceeded.check("the distributions of single cells", work, budget)
    rows = np.bincount(f.label, f.both, f.labels).astype(np.float64)
    total = loads.rows * float(loads.f(rows).sum())
    for cluster in range(m.clusters):
        column = np.ones(1)
        for label in range(f.labels):
            cell = np.ones(1)
            for row in np.flatnonzero(f.label == label):
                p = chance[f.side.row[row], cluster]
                for _ in range(int(f.both[row])):
                    cell = np.append(cell * (1 - p), 0.0) + np.append(0.0, cell * p)
            total += loads.cells * float(loads.f(np.arange(float(cell.size))) @ cell)
            column = np.convolve(column, cell)
        total += loads.columns * float(loads.f(np.arange(float(column.size))) @ column)
    return loads.scale * total


def range_of_rough(base: Base, f: Facing, budget: int) -> tuple[float, float]:
    """The least and the largest distance to a clustering that a rough one allows."""
    least, most = _of_rough(base, f, budget)
    if least.value is None or most.value is None:
        error = least.why or most.why
        assert error is not None
        raise error
    return least.value, most.value


def _of_rough(base: Base, f: Facing, budget: int) -> tuple[ExactDistance, ExactDistance]:
    """The two ends against a rough clustering."""
    if base.per_move is not None:
        scale = base.per_move
        return (
            _try(lambda: (scale * least_moves(f), "one assignment"))[0],
            _try(lambda: (scale * most_moves(f, budget), "a whole-number program"))[1],
        )
    if (loads := base.loads) is not None:
        return _try(lambda: (*range_of_sum(f, loads, budget), "a programme over column totals"))
    return _try(lambda: (*_range_of_tables(base, f, budget), "all tables"))


def _range_of_tables(base: Base, f: Facing, budget: int) -> tuple[float, float]:
    """The same by going through all tables."""
    tables = _all_tables(base, f, budget, reached=True)
    found = [base.of_table(f.table(table)) for table, _ in tables]
    return min(found), max(found)


def _all_tables(
    base: Base, f: Facing, budget: int, *, reached: bool
) -> Iterator[tuple[Ints, float]]:
    """All tables that the certain clustering can have with the other, with their chances."""
    laws = [law_of(*spread(f, c, sets=False), budget, reached=reached) for c in range(f.labels)]
    many = prod(law.chance.size for law in laws)
    steps = as_float(many) * steps_per_table(base, f.side.clusters)
    BudgetExceeded.check(f"trying {as_float(many):.3g} tables", steps, budget)
    with progress("tables", many) as advance:
        for chosen in product(*(range(law.chance.size) for law in laws)):
            yield (
                np.stack([law.counts[i] for law, i in zip(laws, chosen, strict=True)]),
                prod(float(law.chance[i]) for law, i in zip(laws, chosen, strict=True)),
            )
            advance(1)


def _over_focal(base: Base, f: Facing, budget: int) -> tuple[float, float]:
    """The mean over rough clusterings of the least and of the largest distance."""
    m = f.side.masses
    least_many = least_ways(f.side)
    what = f"trying at least {least_many:.3g} rough clusterings"
    BudgetExceeded.check(what, least_many * 20_000, budget)
    each = [options(m, int(profile)) for profile in f.side.row]
    many = prod(
        comb(int(c) + len(mass) - 1, len(mass) - 1)
        for c, (_, mass) in zip(f.both, each, strict=True)
    )
    what = f"trying {as_float(many):.3g} rough clusterings"
    BudgetExceeded.check(what, as_float(many) * 20_000, budget)
    least = most = 0.0
    with progress("rough clusterings", many) as advance:
        for counts in product(
            *(_shares(int(c), len(mass)) for c, (_, mass) in zip(f.both, each, strict=True))
        ):
            chance = prod(_multinomial(c, mass) for c, (_, mass) in zip(counts, each, strict=True))
            try:
                low, high = range_of_rough(base, _rough(f, counts, each), budget // many)
            except BudgetExceeded as error:
                raise BudgetExceeded.of(what, error.steps * many, budget) from None
            least, most = least + chance * low, most + chance * high
            advance(1)
    return least, most


def _shares(objects: int, many: int) -> Iterator[tuple[int, ...]]:
    """All ways to share objects out over so many sets."""
    if many == 1:
        yield (objects,)
        return
    for first in range(objects + 1):
        for rest in _shares(objects - first, many - 1):
            yield first, *rest


def _multinomial(counts: tuple[int, ...], mass: Floats) -> float:
    """The chance of sharing out objects so."""
    log = math.lgamma(sum(counts) + 1)
    for count, p in zip(counts, mass.tolist(), strict=True):
        log += count * math.log(p) - math.lgamma(count + 1)
    return math.exp(log)


def _rough(f: Facing, counts: tuple[tuple[int, ...], ...], each: list) -> Facing:  # type: ignore[type-arg]
    """The rough clustering in which so many objects of each row have each of its sets."""
    label, sets, both = [], [], []
    for row, (shares, (named, _)) in enumerate(zip(counts, each, strict=True)):
        for count, one in zip(shares, named, strict=True):
            if count:
                label.append(f.label[row])
                sets.append(one)
                both.append(count)
    owner = np.repeat(np.arange(len(sets)), [one.size for one in sets])
    focal = sets_of_rows(owner, np.concatenate(sets), len(sets))[0]
    side = SoftSide("rough", np.arange(len(sets)), Masses(focal, f.side.clusters))
    return Facing(np.array(label), side, np.array(both), f.turned)
