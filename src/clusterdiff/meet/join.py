"""The join of two clusterings: connected components of the bipartite graph of their clusters."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group import number


def connected(truth: Ints, guess: Ints) -> Ints:
    """The number of the connected component of each row, as an edge between two clusters."""
    shared = (truth >= 0) & (guess >= 0)
    truths, guesses = int(truth.max(initial=-1)) + 1, int(guess.max(initial=-1)) + 1
    labels = components(truth[shared], guess[shared] + truths, truths + guesses)
    return np.asarray(labels[np.where(truth >= 0, truth, guess + truths)])


def components(first: Ints, second: Ints, size: int) -> Ints:
    """The number of the connected component of each of so many vertices, from the ends of edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(first.size, np.int8), (first, second)), shape=(size, size))
    return connected_components(edges, directed=False)[1].astype(np.int64)


def dense(cluster: Ints) -> Ints:
    """Numbers from 0 on, not more than there are clusters and one; -1 stays."""
    codes, _ = number(cluster)
    return np.where(cluster < 0, -1, codes) if cluster.min(initial=0) < 0 else codes
