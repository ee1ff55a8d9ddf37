"""Objects that have to move, exactly: matchings of clusters under uncertainty."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.hard.assignment import matched_clusters
from clusterdiff.measures.soft.pair_masses import Facing, in_clusters, masses_by_label
from clusterdiff.measures.transport.count_distributions import TAIL, Law, law_of, spread
from clusterdiff.measures.transport.distance import BudgetExceeded
from clusterdiff.meet import SoftSide
from clusterdiff.progress import progress

BLOCK = 1 << 20
"""Pairs of a state and a row that are worked on at a time."""


def least_moves(f: Facing) -> float:
    """The fewest moves to any clustering that a rough one allows: one assignment.

    With the matching fixed, each object is free to be where it need not move.
    """
    kept = in_clusters(masses_by_label(f), f.side.masses)
    return float(f.both.sum()) - matched_clusters(kept)[2]


def most_moves(f: Facing, budget: int) -> float:
    """The most moves to any clustering that a rough one allows.

    By duality a largest matching of a table is a smallest cover of its cells by rows u and columns
    v. There is a table that u and v cover if and only if no set T of columns has more objects of a
    row bound to it than |T| u + v(T) (Hall): a whole-number program in u and v alone, whose size
    does not depend on the number of objects.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    m = f.side.masses
    work = float(f.labels + m.clusters) ** 3
    BudgetExceeded.check("the program for the most moves", work, budget)
    rows, bound, least = [], [], []
    for cluster in range(f.labels):
        members = np.flatnonzero(f.label == cluster)
        kinds, where = np.unique(f.side.row[members], return_inverse=True)
        objects = np.bincount(where.ravel(), f.both[members])
        inside = m.member[kinds]
        for union in _unions(inside, budget):
            held = float(objects[~(inside & ~union).any(axis=1)].sum())
            rows.append(cluster)
            bound.append(union)
            least.append(held)
    work = float(len(rows)) * (f.labels + m.clusters) ** 2
    BudgetExceeded.check("the program for the most moves", work, budget)
    unions = np.array(bound, np.float64)
    matrix = np.zeros((len(rows), f.labels + m.clusters))
    matrix[np.arange(len(rows)), rows] = unions.sum(axis=1)
    matrix[:, f.labels :] = unions
    solved = milp(
        np.ones(f.labels + m.clusters),
        constraints=LinearConstraint(matrix, lb=np.array(least)),
        integrality=np.ones(f.labels + m.clusters, np.int64),
        bounds=Bounds(lb=0),
        options={"mip_rel_gap": 0.0},
    )
    if not solved.success:
        raise ClusterdiffError(
            f"the program for the most moves was not solved: {solved.message}.",
            "use method='bounds'.",
        )
    return float(f.both.sum()) - float(round(solved.fun))


def _unions(inside: Bools, budget: int) -> list[Bools]:
    """All unions of these sets, without the empty one."""
    found = {bytes(one): one for one in inside}
    waiting = list(found.values())
    while waiting:
        one = waiting.pop()
        for other in inside:
            union = one | other
            if bytes(union) not in found:
                found[bytes(union)] = union
                waiting.append(union)
                if len(found) * len(inside) * inside.shape[1] > budget:
                    steps = float(len(found)) * len(inside) * inside.shape[1]
                    raise BudgetExceeded.of("going through more unions of sets", 2 * steps, budget)
    return [one for one in found.values() if one.any()]


def expected_moves(f: Facing, budget: int, *, sets: bool = False) -> float:
    """The mean number of moves where each object is in one cluster with these chances.

    With `sets` an object need not move where its matched cluster is in its set. The rows of the
    table are independent, so the distribution of the best matchings of the first rows, for every
    choice of columns, is extended row by row.
    """
    unsure = np.bincount(f.label, f.both * f.side.uncertain, f.labels).max(initial=0.0)
    BudgetExceeded.check("the distribution of the counts", 2 * unsure * (unsure + 1), budget)
    laws = [law_of(*spread(f, cluster, sets=sets), budget) for cluster in range(f.labels)]
    laws.sort(key=lambda law: law.chance.size)
    return float(f.both.sum()) - _expected_matching(laws, budget)


def _expected_matching(laws: list[Law], budget: int) -> float:
    """The mean of the largest matching of a table with independent rows."""
    rows, columns = len(laws), laws[0].counts.shape[1]
    every_row = rows <= columns
    mean = 0.0
    if every_row:
        relative = [_without_last(law) for law in laws]
        laws, mean = [law for law, _ in relative], sum(last for _, last in relative)
    kept: list[tuple[int, ...]] = [()]
    state, chance = np.zeros((1, 1), np.int64), np.ones(1)
    with progress("best matchings", rows) as advance:
        for done, law in enumerate(laws, 1):
            left = rows - done
            smallest = done if every_row else max(0, columns - left)
            chosen = [
                subset
                for size in range(smallest, min(done, columns) + 1)
                for subset in combinations(range(columns), size)
            ]
            steps = float(len(chance)) * len(law.chance) * len(chosen) * columns
            BudgetExceeded.check("the distribution of the best matchings", steps, budget)
            state, chance = _extended(state, chance, kept, law, chosen, every_row)
            kept = chosen
            if every_row and left:
                mean += float(state[:, 0] @ chance)
                state, chance = _merged(state - state[:, :1], chance)
            advance(1)
    return mean + float(state.max(axis=1) @ chance)


def _without_last(law: Law) -> tuple[Law, float]:
    """The distribution less the last column of each, and that column's mean, to be added later.

    Where every row is matched, what all columns of a row have in common adds to every matching.
    """
    last = law.counts[:, -1]
    counts, chance = _merged(law.counts - last[:, None], law.chance)
    return Law(counts, chance), float(last @ law.chance)


def _extended(
    state: Ints,
    chance: Floats,
    kept: list[tuple[int, ...]],
    law: Law,
    chosen: list[tuple[int, ...]],
    every_row: bool,
) -> tuple[Ints, Floats]:
    """The distribution of the best matchings for each choice of columns, with one more row."""
    place = {subset: i for i, subset in enumerate(kept)}
    parts: list[tuple[Ints, Floats]] = []
    block = max(1, BLOCK // max(1, len(law.chance)))
    for at in range(0, len(chance), block):
        some, p = state[at : at + block], chance[at : at + block]
        best = np.empty((len(p), len(law.chance), len(chosen)), np.int64)
        for i, subset in enumerate(chosen):
            options = [
                some[:, None, place[without]] + law.counts[None, :, column]
                for column in subset
                if (without := tuple(c for c in subset if c != column)) in place
            ]
            if not every_row and subset in place:
                options.append(np.broadcast_to(some[:, None, place[subset]], best.shape[:2]))
            best[:, :, i] = np.maximum.reduce(options)
        parts.append(_merged(best.reshape(-1, len(chosen)), np.outer(p, law.chance).ravel()))
    if len(parts) == 1:
        return parts[0]
    return _merged(np.concatenate([v for v, _ in parts]), np.concatenate([p for _, p in parts]))


def _merged(vectors: Ints, chance: Floats) -> tuple[Ints, Floats]:
    """Equal vectors once, with their chances added; a negligible part is left out."""
    low = vectors.min(axis=0)
    wide = vectors.max(axis=0) - low + 1
    size = np.prod(wide.astype(np.float64))
    if size < 2**62:
        place = np.concatenate([[1], np.cumprod(wide[:-1])])
        keys = (vectors - low) @ place
        if size <= 4 * len(keys) + 4096:
            sums = np.bincount(keys, chance, int(size))
            cells = np.flatnonzero(sums)
            sums = sums[cells]
        else:
            cells, inverse = np.unique(keys, return_inverse=True)
            sums = np.bincount(inverse.ravel(), chance)
        found = (cells[:, None] // place) % wide + low
    else:
        found, inverse = np.unique(vectors, axis=0, return_inverse=True)
        sums = np.bincount(inverse.ravel(), chance)
    order = np.argsort(sums)
    heavy = np.sort(order[np.cumsum(sums[order]) > TAIL])
    return found[heavy], sums[heavy].astype(np.float64)


def least_moves_of_two(first: SoftSide, second: SoftSide, both: Ints, budget: int) -> float:
    """The fewest moves between clusterings that two rough ones allow: over all matchings, the
    objects whose sets have nothing in common.
    """
    truth, guess = (side.masses.member[side.row] for side in (first, second))
    if truth.shape[1] > guess.shape[1]:
        truth, guess = guess, truth
    few, many = truth.shape[1], guess.shape[1]
    work = float(both.size) * few * factorial(many) / factorial(many - few)
    BudgetExceeded.check("trying all matchings of clusters", work, budget)
    weight = both.astype(np.float64)
    best = float(weight.sum())
    for chosen in permutations(range(many), few):
        apart = ~(truth & guess[:, list(chosen)]).any(axis=1)
        best = min(best, float(weight @ apart))
    return best
