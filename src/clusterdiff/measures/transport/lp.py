"""Exact distances between two uncertain clusterings: all clusterings, and optimal transport."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.transport.contingency import distances, steps_per_table
from clusterdiff.measures.transport.distance import (
    Base,
    BudgetExceeded,
    End,
    Ends,
    exp,
    logical,
    options,
)
from clusterdiff.measures.transport.exact import least_moves_of_two
from clusterdiff.progress import progress


def between(base: Base, m: SoftMeet, alpha: float | None, budget: int) -> Ends:
    """The two ends (or the distance at alpha) between two uncertain clusterings, by trying all.

    Each side is a distribution of rough clusterings, each of them a set of hard ones. Distances
    of rough clusterings are those of their sets, and the distribution of one side is moved to that
    of the other at the least cost: an optimal transport problem, solved by HiGHS.
    """
    one, other = (sizes_of(side, m.both) for side in (m.truth, m.guess))
    steps = exp(one.hard + other.hard) * steps_per_table(base, max(m.clusters))
    steps += 20 * (exp(one.members + other.hard) + exp(one.hard + other.members))
    steps += 5000 * exp(one.rough + other.rough)
    BudgetExceeded.check(
        f"trying {exp(one.rough):.3g} x {exp(other.rough):.3g} rough clusterings, which allow "
        f"{exp(one.hard):.3g} x {exp(other.hard):.3g} hard ones,",
        steps,
        budget,
    )
    sides = [AllOf(side, m.both) for side in (m.truth, m.guess)]
    nearest, hausdorff = _rough_distances(base, sides[0], sides[1])
    p, q = sides[0].chances(), sides[1].chances()
    how = "exact: all rough clusterings, optimal transport"
    if alpha is not None:
        value = _transported(p, q, alpha * hausdorff + (1 - alpha) * nearest)
        return Ends(End.exactly(value), End.exactly(value), how)
    least, most = _transported(p, q, nearest), _transported(p, q, hausdorff)
    return Ends(End.exactly(least), End.exactly(most), how)


def least_between(base: Base, m: SoftMeet, budget: int) -> float | None:
    """The least distance between clusterings that two rough ones allow, where there is a way."""
    truth, guess = logical(m.truth), logical(m.guess)
    if truth is None or guess is None or base.per_move is None:
        return None
    if any((side.masses.focal.size[side.row] == 0).any() for side in (truth, guess)):
        return None
    try:
        return base.per_move * least_moves_of_two(truth, guess, m.both, budget)
    except BudgetExceeded:
        return None


class Logs(NamedTuple):
    """How many clusterings a side stands for, as logarithms: rough ones, hard ones, and hard ones
    summed over the rough ones that allow them.
    """

    rough: float
    hard: float
    members: float


def sizes_of(side: SoftSide, both: Ints) -> Logs:
    """How many clusterings a side stands for."""
    m = side.masses
    size = np.maximum(m.focal.size, 1)
    if m.table is None:
        log = float(both @ np.log(size[side.row]))
        return Logs(0.0, log, log)
    held = m.table > 0
    hard = np.maximum((held.astype(np.float64) @ m.member > 0).sum(axis=1), 1)
    counts = (held.sum(axis=1), hard, held @ size)
    return Logs(*(float(both @ np.log(count)[side.row]) for count in counts))


class AllOf:
    """All rough clusterings that one side stands for, and the hard ones that these allow."""

    def __init__(self, side: SoftSide, both: Ints) -> None:
        row = np.repeat(side.row, both)
        self.each = [options(side.masses, int(profile)) for profile in row]
        self.rough = prod(len(mass) for _, mass in self.each)

    def chances(self) -> Floats:
        """The chance of each rough clustering."""
        law = np.ones(1)
        for _, mass in self.each:
            law = np.outer(law, mass).ravel()
        return np.asarray(law / law.sum())

    def clusterings(self) -> Iterator[tuple[Ints, Ints]]:
        """For each rough clustering the hard ones that it allows, one per row, and which objects
        it leaves without a cluster (label -1 there).
        """
        for sets in product(*(named for named, _ in self.each)):
            some = [one if one.size else np.array([-1]) for one in sets]
            yield (
                np.array(list(product(*some)), np.int64),
                np.array([one.size for one in sets]) == 0,
            )


def _rough_distances(base: Base, truth: AllOf, guess: AllOf) -> tuple[Floats, Floats]:
    """The nearest and the Hausdorff distance of each two rough clusterings.

    Clusterings that leave different objects without a cluster are at distance 1.
    """
    left, right = _by_pattern(truth), _by_pattern(guess)
    nearest = np.ones((truth.rough, guess.rough))
    hausdorff = np.ones((truth.rough, guess.rough))
    shared = [pattern for pattern in left if pattern in right]
    many = sum(len(left[s].labels) * len(right[s].labels) for s in shared)
    with progress("pairs of clusterings", many) as advance:
        for pattern in shared:
            one, other = left[pattern], right[pattern]
            d = distances(base, one.labels, other.labels, advance)
            cells = np.ix_(one.rough, other.rough)
            to_guess = np.minimum.reduceat(d[:, other.member], other.start, axis=1)
            to_truth = np.minimum.reduceat(d[one.member], one.start, axis=0)
            nearest[cells] = np.minimum.reduceat(to_guess[one.member], one.start, axis=0)
            hausdorff[cells] = np.maximum(
                np.maximum.reduceat(to_guess[one.member], one.start, axis=0),
                np.maximum.reduceat(to_truth[:, other.member], other.start, axis=1),
            )
    return nearest, hausdorff


class _Pattern(NamedTuple):
    """Rough clusterings that leave the same objects without a cluster."""

    labels: Ints
    """Distinct hard clusterings, one per row."""
    rough: Ints
    """Which rough clusterings these are."""
    member: Ints
    """The hard clusterings of each, one rough clustering after the other."""
    start: Ints


def _by_pattern(side: AllOf) -> dict[bytes, _Pattern]:
    """The rough clusterings of a side, by the objects that they leave without a cluster."""
    groups: dict[bytes, tuple[list[Ints], list[int]]] = {}
    for number, (labels, lacking) in enumerate(side.clusterings()):
        listed, rough = groups.setdefault(lacking.tobytes(), ([], []))
        listed.append(_canonical(labels))
        rough.append(number)
    made = {}
    for pattern, (listed, rough) in groups.items():
        distinct, inverse = np.unique(np.concatenate(listed), axis=0, return_inverse=True)
        sizes = np.array([len(one) for one in listed])
        start = np.cumsum(sizes) - sizes
        made[pattern] = _Pattern(distinct, np.array(rough), inverse.ravel(), start)
    return made


def _canonical(labels: Ints) -> Ints:
    """The same partitions with clusters numbered as they appear."""
    made = np.full_like(labels, -1)
    used = np.zeros(len(labels), np.int64)
    for at in range(labels.shape[1]):
        new = labels[:, at] >= 0
        for before in range(at):
            same = new & (labels[:, before] == labels[:, at])
            made[same, at] = made[same, before]
            new &= ~same
        made[new, at] = used[new]
        used[new] += 1
    return made


def _transported(p: Floats, q: Floats, cost: Floats) -> float:
    """The optimal transport cost between two distributions."""
    if p.size == 1 or q.size == 1:
        return float(p @ cost @ q)
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    ones_p, ones_q = np.ones((1, p.size)), np.ones((1, q.size))
    last: Any = kron(ones_p, eye_array(q.size), format="csr")
    rows = [kron(eye_array(p.size), ones_q), last[:-1]]
    constraints = vstack(rows)
    solved: Any = linprog(
        cost.ravel(), A_eq=constraints.tocsr(), b_eq=np.concatenate([p, q[:-1]]), method="highs"
    )
    if not solved.success:
        raise ClusterdiffError(
            f"the transport program was not solved: {solved.message}.", "use method='bounds'."
        )
    return float(solved.fun)
