"""Distances that are sums over the cells and columns of a table, exactly, against a rough guess.

Such a sum depends on the uncertain objects through the counts of each true cluster in each guess
cluster. True clusters are taken one after the other, and for every total of the columns that can be
reached the best and the worst sum are kept. Guess clusters that no uncertain object links are
apart from each other, and each group of linked ones is solved for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.measures.soft.pair_masses import Facing
from clusterdiff.measures.transport.count_distributions import Choice, law_of
from clusterdiff.measures.transport.distance import BudgetExceeded, Loads, options, power
from clusterdiff.meet.join import components
from clusterdiff.progress import progress


class Linked(NamedTuple):
    """Guess clusters that uncertain objects link, and these objects by true cluster."""

    columns: Ints
    choices: dict[int, list[Choice]]

    @property
    def objects(self) -> int:
        """How many uncertain objects there are."""
        return sum(c.objects for some in self.choices.values() for c in some)


def range_of_sum(f: Facing, loads: Loads, budget: int) -> tuple[float, float]:
    """The least and the greatest value of the sum over all clusterings that the guess allows."""
    sure, groups = _linked(f)
    rows = np.bincount(f.label, f.both, f.labels).astype(np.float64)
    work = sum(_work(group, loads) for group in groups)
    BudgetExceeded.check("trying all tables", work, budget)
    low = loads.rows * float(loads.f(rows).sum())
    linked = np.zeros(sure.shape[1], np.bool_)
    for group in groups:
        linked[group.columns] = True
    settled = sure[:, np.flatnonzero(~linked)]
    low += loads.columns * float(loads.f(np.asarray(settled.sum(axis=0)).ravel()).sum())
    low += loads.cells * float(loads.f(settled.data).sum())
    high = low
    with progress("column totals", sum(len(g.choices) for g in groups)) as advance:
        for group in groups:
            least, greatest = _solve(sure, group, loads, budget, advance)
            low, high = low + least, high + greatest
    return loads.scale * low, loads.scale * high


def _linked(f: Facing) -> tuple[Any, list[Linked]]:
    """The sparse table of the certain objects, and groups of guess clusters that others link."""
    from scipy.sparse import csc_array

    m = f.side.masses
    size = m.focal.size
    certain = size[f.side.row] == 1
    chosen = m.focal.member[m.focal.start[f.side.row[certain]]]
    sure = csc_array(
        (f.both[certain].astype(np.float64), (f.label[certain], chosen)),
        shape=(f.labels, m.clusters),
    )
    unsure = np.flatnonzero(~certain)
    named = [options(m, int(f.side.row[row]))[0][0] for row in unsure]
    first = np.concatenate([[], *(np.repeat(one[0], one.size) for one in named)]).astype(np.int64)
    other = np.concatenate([[], *named]).astype(np.int64)
    group = components(first, other, m.clusters)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 2))
    found: dict[int, Linked] = {}
    for row, one in zip(unsure, named, strict=True):
        number = int(group[one[0]])
        if number not in found:
            found[number] = Linked(order[starts[number] : starts[number + 1]], {})
        linked = found[number]
        step = (linked.columns == one[:, None]).astype(np.int64)
        choice = Choice(step, np.ones(one.size), int(f.both[row]))
        linked.choices.setdefault(int(f.label[row]), []).append(choice)
    return sure, list(found.values())


def _work(group: Linked, loads: Loads) -> float:
    """How many sums are compared: states of the totals times vectors of each true cluster."""
    free, total, work = group.columns.size - 1, 0, 0.0
    for choices in group.choices.values():
        own = sum(c.objects for c in choices)
        total += own
        work += power(own + 1, free) * power(total + 1, free)
    return work


def _solve(
    sure: Any, group: Linked, loads: Loads, budget: int, advance: Callable[[int], None]
) -> tuple[float, float]:
    """The least and the greatest sum over the columns of one group."""
    columns, objects = group.columns, group.objects
    free = columns.size - 1
    place = (objects + 1) ** np.arange(free)
    least = np.full(1, 0.0)
    greatest = np.full(1, 0.0)
    certain = sure[:, columns]
    own = certain.tocsr()[list(group.choices)].toarray()
    start = loads.cells * float(loads.f(certain.data).sum() - loads.f(own).sum())
    for known, choices in zip(own, group.choices.values(), strict=True):
        law = law_of(np.zeros(columns.size, np.int64), choices, budget, reached=True)
        value = loads.cells * loads.f(known + law.counts).sum(axis=1)
        offset = law.counts[:, :free] @ place
        size = least.size + int(offset.max(initial=0))
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        for at, v in zip(offset.tolist(), value.tolist(), strict=True):
            part = slice(at, at + least.size)
            np.minimum(low[part], least + v, out=low[part])
            np.maximum(high[part], greatest + v, out=high[part])
        least, greatest = low, high
        advance(1)
    reached = np.flatnonzero(np.isfinite(least))
    totals = np.zeros((reached.size, columns.size))
    totals[:, :free] = (reached[:, None] // place) % (objects + 1)
    totals[:, free] = objects - totals[:, :free].sum(axis=1)
    columns_now = np.asarray(certain.sum(axis=0)).ravel()
    at_end = loads.columns * loads.f(columns_now + totals).sum(axis=1)
    return (
        start + float((least[reached] + at_end).min()),
        start + float((greatest[reached] + at_end).max()),
    )
