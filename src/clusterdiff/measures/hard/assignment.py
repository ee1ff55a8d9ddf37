"""The best one-to-one matching of clusters: what is sure first, then SciPy's assignment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.group import number
from clusterdiff.meet import HardMeet
from clusterdiff.meet.join import connected

MATCHING_COST = (
    "one pass over the objects, then a matching in each component: quick where guess is like truth,"
    " slow where every cluster meets every other"
)
BUNDLE = 512
"""Rows that are solved together: components are small, and a call costs more than they do."""


def best_matching(m: HardMeet, weight: Floats) -> Ints:
    """The rows of a matching of truth with guess clusters whose weights have the largest sum.

    Clusters that agree match each other, the rest by `heaviest_matching`.
    """
    rest = np.flatnonzero(~m.agree & (m.truth >= 0) & (m.guess >= 0))
    matched = heaviest_matching(m.truth[rest], m.guess[rest], weight[rest])
    return np.concatenate([np.flatnonzero(m.agree), rest[matched]])


def heaviest_matching(truth: Ints, guess: Ints, weight: Floats) -> Ints:
    """The rows (cluster, cluster, weight) of a matching whose weights have the largest sum.

    A row at least as heavy as the heaviest other rows of its two clusters together is in some best
    matching, since it can take their place; such rows are taken, with their clusters, until none
    is left. The rest goes to the solver, component by component.
    """
    chosen = []
    rest = np.arange(truth.size)
    while rest.size:
        left, right = number(truth[rest])[0], number(guess[rest])[0]
        sure = _outweighs(left, right, weight[rest])
        if not sure.any():
            break
        chosen.append(rest[sure])
        rest = rest[~(touched(left, sure) | touched(right, sure))]
    chosen.extend(
        bundle[assigned(truth[bundle], guess[bundle], weight[bundle])]
        for bundle in in_bundles(rest, truth, guess)
    )
    return np.concatenate(chosen) if chosen else rest


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


def _outweighs(truth: Ints, guess: Ints, weight: Floats) -> NDArray[np.bool_]:
    """Rows that are first in both their clusters and outweigh the second ones of both together."""
    first_of_truth, second_of_truth = first_and_second(truth, weight)
    first_of_guess, second_of_guess = first_and_second(guess, weight)
    return first_of_truth & first_of_guess & (weight >= second_of_truth + second_of_guess)


def first_and_second(cluster: Ints, weight: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Which row is the heaviest of its cluster (one each), and the weight of the next one."""
    order = np.lexsort((-weight, cluster))
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    first = np.zeros(cluster.size, np.bool_)
    first[order[starts]] = True
    second = np.zeros(starts.size)
    several = np.diff(np.append(starts, cluster.size)) > 1
    second[several] = weight[order[starts[several] + 1]]
    return first, second[cluster]


def touched(cluster: Ints, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows whose cluster has found its partner."""
    taken = np.zeros(int(cluster.max()) + 1, np.bool_)
    taken[cluster[sure]] = True
    return np.asarray(taken[cluster])


def in_bundles(rows: Ints, truth: Ints, guess: Ints) -> Iterator[Ints]:
    """Whole components, put together until a bundle is large enough."""
    if not rows.size:
        return
    component = connected(number(truth[rows])[0], number(guess[rows])[0])
    order = np.argsort(component, kind="stable")
    rows, component = rows[order], component[order]
    starts = np.append(np.flatnonzero(np.diff(component, prepend=-1)), rows.size)
    begin = 0
    while begin < starts.size - 1:
        end = int(np.searchsorted(starts, starts[begin] + BUNDLE, side="left"))
        end = min(max(end, begin + 1), starts.size - 1)
        yield rows[starts[begin] : starts[end]]
        begin = end


def assigned(truth: Ints, guess: Ints, weight: Floats) -> Ints:
    """Positions of the matched rows of one bundle.

    Each truth cluster also gets a column of its own with weight 0, "not matched", so that a full
    matching always exists; costs are kept above 0, which the solver reads as "no edge".
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    i, truths = number(truth)
    j, guesses = number(guess)
    top = float(weight.max()) + 1.0
    cost = np.concatenate([top - weight, np.full(truths, top)])
    row = np.concatenate([i, np.arange(truths)])
    column = np.concatenate([j, guesses + np.arange(truths)])
    graph = csr_array((cost, (row, column)), shape=(truths, guesses + truths))
    partner = np.empty(truths, np.int64)
    left, right = min_weight_full_bipartite_matching(graph)
    partner[left] = right
    return np.flatnonzero(partner[i] == j)
