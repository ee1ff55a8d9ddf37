"""The heaviest one-to-one matching of clusters: what is sure first, then component by component.

Small components go to SciPy's solver. Giant ones go to an auction, whose prices also say how heavy
any matching can be, so that it is known whether, and how far at most, one falls short.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.cleanup import at_the_end, temporary_folder
from clusterdiff.clusterings.grouping import number
from clusterdiff.compiled import compiled
from clusterdiff.contingency.base import connected
from clusterdiff.progress import progress

BUNDLE = 512
"""Rows that are solved together: components are small, and a call costs more than they do."""
GIANT = 50_000
"""Rows of a component from which on the auction is used. SciPy's solver takes up to half a second
for fewer; from there on its time grows with the power 1.75, and no signal interrupts it.
"""
EFFORT = 100
"""Scans of a row that an auction may take, on average."""
EFFORT_FOR_TIES = 10
"""The same once no other matching is heavier by a whole unit."""
CHUNK = 5_000_000
"""Scans between which signals are heard: some tenths of a second."""


class Matched(NamedTuple):
    """The heaviest matching of some rows, or one that is nearly so."""

    rows: Ints
    """All rows that it was chosen from: one component, or several."""
    chosen: Ints
    missing: float = 0.0
    """How much heavier another matching of these rows can be, at most."""


def heaviest_matching(left: Ints, right: Ints, weight: Floats) -> Ints:
    """The rows (cluster, cluster, weight) of a matching whose weights have the largest sum."""
    found = [matched.chosen for matched in matchings(left, right, weight)]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def matchings(
    left: Ints,
    right: Ints,
    weight: Floats,
    unit: Floats | None = None,
    *,
    strict: bool = False,
    exact: bool = True,
) -> Iterator[Matched]:
    """The heaviest matching in parts whose rows have no cluster in common.

    A row at least as heavy as the heaviest other rows of its two clusters together is in some best
    matching, since it can take their place; if it is heavier (`strict`), it is in all of them. Such
    rows are taken, with their clusters, until none is left. The rest is solved component by
    component. Where `exact` is off, giant components may end with a matching that is nearly the
    heaviest, and less work is done once no other one is heavier by the `unit` of its rows.
    """
    rest = np.arange(left.size)
    while rest.size:
        own = number(left[rest])[0], number(right[rest])[0]
        sure = _outweighs(*own, weight[rest], strict)
        if not sure.any():
            break
        yield Matched(rest[sure], rest[sure])
        rest = rest[~(_touched(own[0], sure) | _touched(own[1], sure))]
    for bundle in _in_bundles(rest, left, right):
        own = left[bundle], right[bundle]
        if bundle.size < GIANT:
            yield Matched(bundle, bundle[_assigned(*own, weight[bundle])])
            continue
        auction = Auction(*own, weight[bundle])
        auction.run(None if exact or unit is None else float(unit[bundle[0]]))
        if not exact or auction.is_proven:
            yield Matched(bundle, bundle[auction.chosen], auction.missing)
            continue
        near = bundle[auction.near]
        for part in _in_bundles(near, left, right):
            yield Matched(part, part[_assigned(left[part], right[part], weight[part])])


def matched_clusters(weight: Any) -> tuple[Ints, Ints, float]:
    """Rows and columns of a matching whose weights have the largest sum, and that sum; the weights
    are a table, dense or sparse.
    """
    if isinstance(weight, np.ndarray):
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(weight, maximize=True)
        return rows, columns, float(weight[rows, columns].sum())
    cells = weight.tocoo()
    rows, columns = cells.row.astype(np.int64), cells.col.astype(np.int64)
    chosen = heaviest_matching(rows, columns, cells.data)
    return rows[chosen], columns[chosen], float(cells.data[chosen].sum())


def _outweighs(left: Ints, right: Ints, weight: Floats, strict: bool) -> Bools:
    """Rows that are first in both their clusters and outweigh the second ones of both together."""
    first, second = _first_and_second(left, weight)
    other_first, other_second = _first_and_second(right, weight)
    both = second + other_second
    return first & other_first & ((weight > both) if strict else (weight >= both))


def _first_and_second(cluster: Ints, weight: Floats) -> tuple[Bools, Floats]:
    """Which row is the heaviest of its cluster (one each), and the weight of the next one."""
    order = np.lexsort((-weight, cluster))
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    first = np.zeros(cluster.size, np.bool_)
    first[order[starts]] = True
    second = np.zeros(starts.size)
    several = np.diff(np.append(starts, cluster.size)) > 1
    second[several] = weight[order[starts[several] + 1]]
    return first, second[cluster]


def _touched(cluster: Ints, sure: Bools) -> Bools:
    """Rows whose cluster has found its partner."""
    taken = np.zeros(int(cluster.max()) + 1, np.bool_)
    taken[cluster[sure]] = True
    return np.asarray(taken[cluster])


def _in_bundles(rows: Ints, left: Ints, right: Ints) -> Iterator[Ints]:
    """Whole components, put together until a bundle is large enough; giant ones alone."""
    if not rows.size:
        return
    component = connected(number(left[rows])[0], number(right[rows])[0])
    order = np.argsort(component, kind="stable")
    rows, component = rows[order], component[order]
    starts = np.append(np.flatnonzero(np.diff(component, prepend=-1)), rows.size)
    begin = 0
    while begin < starts.size - 1:
        end = int(np.searchsorted(starts, starts[begin] + BUNDLE, side="left"))
        end = min(max(end, begin + 1), starts.size - 1)
        if end - begin > 1 and starts[end] - starts[end - 1] >= GIANT:
            end -= 1
        yield rows[starts[begin] : starts[end]]
        begin = end


# SciPy's solver.


def _assigned(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Positions of the matched rows of one bundle.

    Each cluster on the left also gets a column of its own with weight 0, "not matched", so that a
    full matching always exists; costs are kept above 0, which the solver reads as "no edge".
    """
    from scipy.sparse import csr_array

    i, lefts = number(left)
    j, rights = number(right)
    top = float(weight.max()) + 1.0
    cost = np.concatenate([top - weight, np.full(lefts, top)])
    row = np.concatenate([i, np.arange(lefts)])
    column = np.concatenate([j, rights + np.arange(lefts)])
    graph = csr_array((cost, (row, column)), shape=(lefts, rights + lefts))
    partner = np.empty(lefts, np.int64)
    solve = _solved if left.size < GIANT else _solved_apart
    matched = solve(graph)
    partner[matched[0]] = matched[1]
    return np.flatnonzero(partner[i] == j)


def _solved(graph: Any) -> Any:
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    return min_weight_full_bipartite_matching(graph)


CHILD = """
import sys
import numpy
from scipy.sparse import load_npz
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
numpy.save(sys.argv[2], min_weight_full_bipartite_matching(load_npz(sys.argv[1])))
"""


def _solved_apart(graph: Any) -> Any:
    """The same in a process of its own, which can be stopped: the solver hears no signals."""
    from scipy.sparse import save_npz

    with temporary_folder() as folder:
        given, found = folder / "graph.npz", folder / "matched.npy"
        save_npz(given, graph, compressed=False)
        try:
            command = [sys.executable, "-P", "-c", CHILD, str(given), str(found)]
            child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        except (OSError, TypeError):  # Python is part of another program
            return _solved(graph)
        with at_the_end(child.kill):
            code = child.wait()
        return _solved(graph) if code else np.load(found)


# The auction (Bertsekas 1979): clusters of the smaller side bid for those of the other one.


@compiled
def _bid(starts, column, weight, step, price, held, bidder, queue, state, most):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Let the clusters in the queue bid until none is left or so many rows were scanned.

    Each bids for the cluster where it gains most, and raises the price by what it gains there more
    than elsewhere, and a step; who held it is back in the queue. One that gains nothing gives up.
    """
    head, waiting, scans = state[0], state[1], 0
    while waiting > 0 and scans < most:
        own = queue[head]
        head = (head + 1) % queue.size
        waiting -= 1
        best, second, where = 0, 0, -1
        for row in range(starts[own], starts[own + 1]):
            gain = weight[row] - price[column[row]]
            if gain > best:
                best, second, where = gain, best, row
            elif gain > second:
                second = gain
        scans += starts[own + 1] - starts[own]
        if where < 0:
            continue
        other = column[where]
        price[other] += best - second + step
        if held[other] >= 0:
            queue[(head + waiting) % queue.size] = bidder[other]
            waiting += 1
        held[other], bidder[other] = where, own
    state[0], state[1] = head, waiting
    return scans


class Auction:
    """A matching of one component, with a bound on the weight of all matchings.

    Prices are 0 at first, and only of clusters that somebody holds are they more. So whatever the
    prices are, no matching is heavier than their sum and what each bidder could gain at them: that
    is the dual of the linear program. A finished auction is within a step per bidder of it. It is
    repeated from the start with smaller steps until the bound is met, or the effort spent.

    Weights are whole numbers of 60 bits here, so that sums are exact.
    """

    def __init__(self, left: Ints, right: Ints, weight: Floats) -> None:
        (i, lefts), (j, rights) = number(left), number(right)
        if lefts > rights:
            i, j, lefts, rights = j, i, rights, lefts
        self._bits = 60 - math.frexp(float(weight.max()))[1]
        self._whole = bool(self._bits >= 0 and (weight == np.floor(weight)).all())
        self._order = np.argsort(i, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=lefts))])
        self._column = j[self._order]
        scaled = np.rint(np.ldexp(weight[self._order], self._bits))
        self._weight = scaled.astype(np.int64)
        self._sizes = lefts, rights
        self._price = np.zeros(rights, np.int64)
        self._held = np.zeros(0, np.int64)
        self._bound = self._bound_of(self._price)
        self._total = 0

    def run(self, unit: float | None) -> None:
        """Auctions with smaller and smaller steps, until one is proven to be the best or the effort
        is spent; of that, less is made once none is better by a whole unit.
        """
        least = int(self._weight[self._weight > 0].min(initial=1 << 60))
        spent, most = 0, EFFORT * self._weight.size
        with progress("matching clusters", most) as advance:
            for step in dict.fromkeys(max(least >> shift, 1) for shift in (4, 10, 20, 30, 60)):
                if self.is_proven or spent >= most:
                    break
                spent += self._auction(step, most - spent, advance)
                if unit is not None and self._is_best_in(unit):
                    most = min(most, EFFORT_FOR_TIES * self._weight.size)

    def _auction(self, step: int, most: int, advance: Any) -> int:
        lefts, rights = self._sizes
        price, held, bidder = np.zeros(rights, np.int64), np.full(rights, -1), np.full(rights, -1)
        queue, state, spent = np.arange(lefts), np.array([0, lefts]), 0
        rows = self._starts, self._column, self._weight
        while state[1] and spent < most:
            scans = int(
                _bid(*rows, step, price, held, bidder, queue, state, min(CHUNK, most - spent))
            )
            spent += scans
            advance(scans)
        held = held[held >= 0]
        if (total := _sum(self._weight[held])) > self._total:
            self._total, self._held = total, held
        if (bound := self._bound_of(price)) < self._bound:
            self._bound, self._price = bound, price
        return spent

    def _gains(self, price: Ints) -> Ints:
        """What each bidder could gain."""
        gains = np.maximum.reduceat(self._weight - price[self._column], self._starts[:-1])
        return np.maximum(gains, 0)

    def _bound_of(self, price: Ints) -> int:
        rounded = 0 if self._whole else self._sizes[0]
        return _sum(price) + _sum(self._gains(price)) + rounded

    def _is_best_in(self, unit: float) -> bool:
        one = int(math.ldexp(unit, self._bits))
        return self._bound // one == self._total // one

    @property
    def is_proven(self) -> bool:
        """Whether no matching is heavier, by more than sums of doubles are rounded."""
        if self._whole:
            return self._bound >> self._bits == self._total >> self._bits
        return self._bound - self._total <= self._total >> 52

    @property
    def chosen(self) -> Ints:
        """Positions of the matched rows."""
        return np.sort(self._order[self._held])

    @property
    def missing(self) -> float:
        """How much heavier another matching can be, at most."""
        if self.is_proven:
            return 0.0
        missing = math.ldexp(self._bound - self._total, -self._bits)
        return math.floor(missing) if self._whole else missing

    @property
    def near(self) -> Ints:
        """Positions of all rows that a heavier matching can have: of any other row, its clusters
        cost more than the bound leaves.
        """
        bidder = np.repeat(np.arange(self._sizes[0]), np.diff(self._starts))
        spare = self._gains(self._price)[bidder] + self._price[self._column] - self._weight
        return np.sort(self._order[spare <= self._bound - self._total])


def _sum(values: Ints) -> int:
    """The sum of large whole numbers."""
    high, low = values >> 31, values & ((1 << 31) - 1)
    return (int(high.sum()) << 31) + int(low.sum())
