"""The best one-to-one matching of clusters, by SciPy's sparse assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.group import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clusterdiff.meet import HardMeet

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BUNDLE = 512
"""Rows that are solved together: components are small, and a call costs more than they do."""


def best_matching(m: HardMeet, weight: Floats) -> Ints:
    """The rows of a matching of truth with guess clusters whose weights have the largest sum.

    Clusters that agree match each other. Components are solved apart, in bundles; where
    one side of a component is a single cluster, its heaviest row wins.
    """
    agree = np.flatnonzero(m.agree)
    rest = np.flatnonzero(~m.agree & (m.truth >= 0) & (m.guess >= 0))
    if not rest.size:
        return agree
    component = number(m.component[rest])[0]
    order = np.argsort(component, kind="stable")
    rest, component = rest[order], component[order]
    starts = np.flatnonzero(np.diff(component, prepend=-1))
    rows = np.diff(np.append(starts, rest.size))
    truths = _clusters(component, m.truth[rest], rows.size)
    guesses = _clusters(component, m.guess[rest], rows.size)
    star = ((truths == 1) | (guesses == 1))[component]
    chosen = [agree, _heaviest(rest[star], component[star], weight)]
    chosen.extend(
        bundle[_assign(m.truth[bundle], m.guess[bundle], weight[bundle])]
        for bundle in _bundles(rest[~star], component[~star])
    )
    return np.concatenate(chosen)


def _clusters(component: Ints, cluster: Ints, size: int) -> Ints:
    """How many distinct clusters each component has."""
    codes, count = number(cluster)
    of = np.zeros(count, np.int64)
    of[codes] = component
    return np.bincount(of, minlength=size)


def _heaviest(rows: Ints, component: Ints, weight: Floats) -> Ints:
    """One row of each component, with the largest weight."""
    order = np.lexsort((-weight[rows], component))
    first = np.flatnonzero(np.diff(component[order], prepend=-1))
    return rows[order[first]]


def _bundles(rows: Ints, component: Ints) -> Iterator[Ints]:
    """Whole components, put together until a bundle is large enough."""
    starts = np.append(np.flatnonzero(np.diff(component, prepend=-1)), rows.size)
    begin = 0
    while begin < starts.size - 1:
        end = int(np.searchsorted(starts, starts[begin] + BUNDLE, side="left"))
        end = min(max(end, begin + 1), starts.size - 1)
        yield rows[starts[begin] : starts[end]]
        begin = end


def _assign(truth: Ints, guess: Ints, weight: Floats) -> Ints:
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
