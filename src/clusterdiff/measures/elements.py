"""Element-centric similarity: clusterings compared as walks between objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.contingency import CoverMeet, CoverSide, Shapes
from clusterdiff.contingency.base import components
from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.base import draw, mean, measure
from clusterdiff.measures.comembership import BUDGET
from clusterdiff.measures.sums import SizeMean, size_mean
from clusterdiff.progress import progress

# Random walks through the clusters of a cover, from object to cluster to object.
#
# A walk that goes on with probability α and otherwise returns to its start visits the objects with
# shares p = (1-α) e + α p W. That is a linear system in the rows (objects with the same clusters
# are visited alike), or in the clusters, whichever are fewer. Nothing reaches beyond what hangs
# together, so the work is done part by part.

TOGETHER = 256
"""Rows of small parts that are worked on together."""
DENSE = 3000
"""Clusters up to which the linear system is factored; beyond, it is solved step by step."""
CELLS = 1 << 22
"""Cells of a table of rows and rows that are held at a time."""
DIGITS = 13
"""Decimals that the linear system is good for: the order of its rows does not show."""


def pairs_of_rows(m: CoverMeet) -> int:
    """How many pairs of rows the walks can reach each other in."""
    _, size = np.unique(parts(m), return_counts=True)
    return int((size.astype(np.float64) ** 2).sum())


def parts(m: CoverMeet) -> Ints:
    """The part of the comparison that each row hangs together with, through either side."""
    truth, guess = m.truth.each, m.guess.each
    guesses = m.rows + m.truth.clusters
    first = np.concatenate([truth.owner, guess.owner])
    second = np.concatenate([truth.member + m.rows, guess.member + guesses])
    return components(first, second, guesses + m.guess.clusters)[: m.rows]


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
            walks = _walks(m.truth, rows, damping), _walks(m.guess, rows, damping)
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

    moving: Bools
    """Which rows are in a cluster."""
    from_rows: Callable[[Ints], Floats]
    """How often an object of each row is visited by walks from these rows; starts x rows."""


def _walks(side: CoverSide, rows: Ints, damping: float) -> _Walks:
    """The walks among the rows of a connected component of rows and clusters."""
    matrix = side.incidence()[rows].astype(np.float64).tocsc()
    used = np.flatnonzero(np.diff(matrix.indptr))
    matrix = matrix[:, used].tocsr()
    size, weight = side.size[used].astype(np.float64), side.both[rows].astype(np.float64)
    memberships = side.memberships[rows]
    way = _through_rows if rows.size <= min(used.size, DENSE) else _through_clusters
    return _Walks(memberships > 0, way(matrix, size, weight, memberships, damping))


def _through_rows(
    matrix: Any, size: Floats, weight: Floats, memberships: Ints, damping: float
) -> Callable[[Ints], Floats]:
    """Solve for the rows: the step from row to row is similar to a symmetric matrix."""
    from scipy.linalg import cho_factor, cho_solve

    root = np.sqrt(weight / np.maximum(memberships, 1)) * (memberships > 0)
    scale = np.sqrt(weight * np.maximum(memberships, 1))
    step = ((matrix / size) @ matrix.T).toarray() * root[:, None] * root
    factor = cho_factor(np.eye(root.size) - damping * step)

    def from_rows(starts: Ints) -> Floats:
        own = np.zeros((root.size, starts.size))
        own[starts, np.arange(starts.size)] = 1
        visits = (cho_solve(factor, own) - own).T / scale[starts, None] * (scale / weight)
        return np.asarray((1 - damping) * visits)

    return from_rows


def _through_clusters(
    matrix: Any, size: Floats, weight: Floats, memberships: Ints, damping: float
) -> Callable[[Ints], Floats]:
    """Solve for the clusters, step by step where there are many."""
    each = weight / np.maximum(memberships, 1)
    root = 1 / np.sqrt(size)
    step = (matrix.T @ (matrix * each[:, None])).tocsr() * root[:, None] * root
    solve = _solver(step, damping)

    def from_rows(starts: Ints) -> Floats:
        first = matrix[starts].toarray()
        first /= np.maximum(first.sum(axis=1, keepdims=True), 1)
        shares = (1 - damping) * solve(first * root) * root
        return np.asarray(damping * (matrix @ shares.T).T)

    return from_rows


def _solver(step: Any, damping: float) -> Callable[[Floats], Floats]:
    """Solves y = b + α y S for each row b, with a symmetric S."""
    if step.shape[0] <= DENSE:
        from scipy.linalg import cho_factor, cho_solve

        factor = cho_factor(np.eye(step.shape[0]) - damping * step.toarray())
        return lambda b: np.asarray(cho_solve(factor, b.T).T)
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import cg

    matrix = eye_array(step.shape[0], format="csr") - damping * step
    return lambda b: np.stack([cg(matrix, one, rtol=1e-14)[0] for one in b])


def _alike(weight: Ints, starts: Ints, truth: _Walks, guess: _Walks, damping: float) -> Floats:
    """1 - Σ|p - q| / 2α for walks from these rows; a walk from an object in no cluster stays."""
    p, q = truth.from_rows(starts), guess.from_rows(starts)
    itself = (p + q)[np.arange(starts.size), starts]
    moving = truth.moving[starts], guess.moving[starts]
    different = np.abs(p - q) @ weight
    alike = np.where(moving[0] & moving[1], 1 - different / (2 * damping), itself / damping)
    return np.clip(np.where(moving[0] | moving[1], alike, 1.0), 0.0, 1.0).round(DIGITS)


@measure(cite="gates2019", reached=False, perfect=False, solver=True)
def element_similarity(
    s: Shapes | CoverMeet, *, damping: float = 0.9, sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Element-centric similarity (ECS): how similar random walks from each object are.

    Definition:  S(o) = 1 - 1/(2α) Σ_j |p_oj - q_oj| with the walks' shares p, q of each object;
    for partitions this is |T∩G| / max(|T|, |G|), whatever the damping α.

    In a cover the walk takes one of the object's clusters, then one of that cluster's objects, and
    returns to its start with probability 1 - α (personalised PageRank). From an object in no
    cluster it goes nowhere, like a walk from an object alone in its cluster. Of partitions only
    identical ones score 1.
    Every object is compared with all in its connected component: where these are more than 10⁹
    pairs, `sample` objects drawn with `seed` stand for all, with a standard error.

    Also known as: element-centric clustering similarity.
    """
    if not isinstance(s, CoverMeet):
        return s.both / np.maximum(s.truth_size, s.guess_size)
    if not 0 < damping < 1:
        raise UnknownParameter.from_value(
            "element_similarity", "damping", damping, "above 0 and below 1"
        )
    if sample is None or sample >= s.objects or pairs_of_rows(s) <= BUDGET:
        return similarity_of_walks(s, damping)
    drawn = draw(s, sample, seed)
    values = similarity_of_walks(s, damping, drawn.rows)
    return drawn.estimate(*mean(drawn.times, values, np.ones(s.rows, np.bool_), 1.0))


element_similarity.hook("lines")(lambda **_: size_mean(SizeMean("element")))
element_similarity.hook("squared_euclidean")(lambda damping, sample, seed: True)
