"""Random walks through the clusters of a cover, from object to cluster to object.

A walk that goes on with probability α and otherwise returns to its start visits the objects with
shares p = (1-α) e + α y D⁻¹Aᵀ, where y, its shares of the clusters, solves a linear system as large
as the number of clusters. Objects with the same clusters share y, and nothing reaches beyond what
hangs together, so the work is done part by part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clusterdiff.meet import CoverMeet, Side

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TOGETHER = 256
"""Rows of small parts that are worked on together."""
DENSE = 3000
"""Clusters up to which the linear system is factored; beyond, it is solved step by step."""
CELLS = 1 << 22
"""Cells of a table of rows and rows that are held at a time."""


def pairs_of_rows(m: CoverMeet) -> int:
    """How many pairs of rows the walks can reach each other in."""
    _, size = np.unique(parts(m), return_counts=True)
    return int((size.astype(np.float64) ** 2).sum())


def parts(m: CoverMeet) -> Ints:
    """The part of the comparison that each row hangs together with, through either side."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    truth, guess = m.truth.each, m.guess.each
    nodes = m.rows + m.truth.clusters + m.guess.clusters
    ends = (
        np.concatenate([truth.owner, guess.owner]),
        np.concatenate([truth.member + m.rows, guess.member + m.rows + m.truth.clusters]),
    )
    edges = coo_array((np.ones(ends[0].size, np.int8), ends), shape=(nodes, nodes))
    return connected_components(edges, directed=False)[1][: m.rows].astype(np.int64)


def similarity_of_walks(m: CoverMeet, damping: float, asked: Ints | None = None) -> Floats:
    """How alike the walks from each row's objects are on both sides; all rows, or those asked."""
    wanted = np.ones(m.rows, np.bool_)
    if asked is not None:
        wanted = np.zeros(m.rows, np.bool_)
        wanted[asked] = True
    part = parts(m)
    memberships = m.truth.memberships, m.guess.memberships
    soft = np.zeros(int(part.max()) + 1, np.bool_)
    soft[part[(memberships[0] != 1) | (memberships[1] != 1)]] = True
    found = np.zeros(m.rows)
    hard = np.flatnonzero(~soft[part])
    sizes = (side.size[side.each.member[side.each.start[hard]]] for side in (m.truth, m.guess))
    found[hard] = m.both[hard] / np.maximum(*sizes)
    rest = np.flatnonzero(soft[part])
    with progress("walking from each object", int(wanted[rest].sum())) as advance:
        for rows in _together(rest[np.argsort(part[rest], kind="stable")], part):
            starts = np.flatnonzero(wanted[rows])
            walks = _Walks.of(m.truth, rows, damping), _Walks.of(m.guess, rows, damping)
            step = max(1, CELLS // rows.size)
            for begin in range(0, starts.size, step):
                here = starts[begin : begin + step]
                found[rows[here]] = _alike(m.both[rows], here, *walks, damping)
                advance(here.size)
    return found


def _together(rows: Ints, part: Ints) -> Iterator[Ints]:
    """Rows of whole parts, small parts taken together."""
    edges = np.flatnonzero(np.diff(part[rows])) + 1
    held: list[Ints] = []
    for one in np.split(rows, edges) if rows.size else []:
        if held and sum(map(len, held)) + one.size > TOGETHER:
            yield np.concatenate(held)
            held = []
        held.append(one)
    if held:
        yield np.concatenate(held)


class _Walks(NamedTuple):
    """The walks of one side among some rows."""

    incidence: Any
    size: Floats
    solve: Any
    """From shares of the clusters at the first step to shares in the long run."""

    @classmethod
    def of(cls, side: Side, rows: Ints, damping: float) -> _Walks:
        """The walks among rows that hang together with no others."""
        matrix = side.incidence()[rows].astype(np.float64)
        used = np.flatnonzero(np.diff(matrix.tocsc().indptr))
        matrix = matrix.tocsc()[:, used].tocsr()
        size = side.size[used].astype(np.float64)
        each = side.both[rows] / np.maximum(side.memberships[rows], 1)
        root = 1 / np.sqrt(size)
        step = (matrix.T @ (matrix * each[:, None])).tocsr() * root[:, None] * root
        return cls(matrix, size, _solver(step, damping, root))

    def from_rows(self, starts: Ints, damping: float) -> Floats:
        """Shares of the objects of each row, for walks from these rows; starts x rows."""
        first = self.incidence[starts].toarray()
        first /= np.maximum(first.sum(axis=1, keepdims=True), 1)
        shares = self.solve((1 - damping) * first) / self.size
        return np.asarray(damping * (self.incidence @ shares.T).T)


def _solver(step: Any, damping: float, root: Floats) -> Any:
    """Solves y = b + α y B for many b at once, in the symmetric form of B (times α below 1)."""
    if root.size <= DENSE:
        from scipy.linalg import cho_factor, cho_solve

        factor = cho_factor(np.eye(root.size) - damping * step.toarray())
        return lambda b: cho_solve(factor, (b * root).T).T / root
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import cg

    matrix = eye_array(root.size, format="csr") - damping * step
    return lambda b: np.stack([cg(matrix, one * root, rtol=1e-14)[0] for one in b]) / root


def _alike(weight: Ints, starts: Ints, truth: _Walks, guess: _Walks, damping: float) -> Floats:
    """1 - Σ|p - q| / 2α for walks from these rows; a walk from an object in no cluster stays."""
    p, q = truth.from_rows(starts, damping), guess.from_rows(starts, damping)
    itself = p[np.arange(starts.size), starts] + q[np.arange(starts.size), starts]
    moving = (
        np.diff(truth.incidence.indptr)[starts] > 0,
        np.diff(guess.incidence.indptr)[starts] > 0,
    )
    both, neither = moving[0] & moving[1], ~moving[0] & ~moving[1]
    different = np.abs(p - q) @ weight
    alike = np.where(both, 1 - different / (2 * damping), itself / damping)
    return np.clip(np.where(neither, 1.0, alike), 0.0, 1.0)
