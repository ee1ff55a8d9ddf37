"""What each row of a comparison takes off the best score: the parts of 1 - score.

A mean over objects splits by itself. The measures below are no means, but what they lose is a sum
over pairs of objects, over clusters or over matched rows, each inside one component of the join.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.contingency import CoverMeet, HardMeet, Rows, SoftMeet, SoftSide
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.assignment import matched_clusters
from clusterdiff.measures.base import HOOKS, REGISTRY, Measure, lookup
from clusterdiff.measures.evidential import (
    CELLS,
    held_clusters,
    match_with_hard,
    moving_costs,
    of_clusters,
    share_of_move,
)
from clusterdiff.measures.pair_masses import RelationMass, SoftVersusHard, facing, moving_cost


def losses(measure: Measure, meet: HardMeet | CoverMeet) -> Floats:
    """What the objects of each row take off the best score; all rows together take off all.

    >>> import clusterdiff as cd
    >>> losses(cd.rand, cd.meet(["a", "a", "b"], [1, 1, 1])).tolist()
    [0.3333333333333333, 0.3333333333333333]
    """
    cover = isinstance(meet, CoverMeet)
    found = _losses(measure, meet) if not cover or "cover" in measure.needs else None
    if found is None:
        among = "objects in several clusters" if cover else "clusters"
        raise ClusterdiffError(
            f"{measure} does not decompose over {among}, so there is nothing to explain.",
            f"use one of {', '.join(splittable(cover))}.",
        )
    return found


def splittable(cover: bool = False) -> list[str]:
    """The measures of partitions, or of covers, whose loss is a sum over rows."""
    tiny = HardMeet.from_rows([0, 0], [0, 1], [1, 1])
    needs = {"cover"} if cover else {"shapes", "rows"}
    fitting = (m for m in REGISTRY.values() if m.needs & needs and m.name != "adjusted")
    return [m.name for m in fitting if _losses(m, tiny.cover if cover else tiny) is not None]


def of_objects(measure: Measure, rows: Rows, values: Floats) -> Floats:
    """What rows take off a mean over objects, from the value of each row's objects."""
    over = measure.claims.over
    known = {"all": None, "truth": rows.in_truth, "guess": rows.in_guess}[over]
    total = {"all": rows.objects, "truth": rows.truth_objects, "guess": rows.guess_objects}[over]
    if not total:  # nothing was said, so nothing was right
        return np.asarray(rows.weight / rows.objects * (not measure.is_distance))
    off = values if measure.is_distance else 1.0 - values
    weight = rows.weight if known is None else np.where(known, rows.weight, 0)
    return np.asarray(off * weight / total)


def is_mean(measure: Measure) -> bool:
    """Whether a measure that can be split is a mean over objects, so that some have a score."""
    form = measure.arguments.get("f", "objects" if measure.claims.halves is None else "means")
    return (measure.name, "loss") not in HOOKS and form != "means"


def _losses(measure: Measure, m: HardMeet | CoverMeet) -> Floats | None:
    if measure.claims.best is None:
        return None
    if (measure.name, "loss") in HOOKS and not _of_cover(measure, m):
        return measure.get_hook("loss", m)  # type: ignore[no-any-return]
    if not is_mean(measure) and (measure.name, "loss") not in HOOKS:
        return _of_means(measure, m, measure.arguments["alpha"])
    if isinstance(m, HardMeet) and _of_cover(measure, m):
        written = np.repeat(np.arange(m.both.size), m.times)
        lost = _losses(measure, m.cover)
        return None if lost is None else np.bincount(written, lost, m.both.size).astype(np.float64)
    values = measure.rows_of(m)
    return None if values is None else of_objects(measure, m, values)


def _of_cover(measure: Measure, m: HardMeet | CoverMeet) -> bool:
    """Whether partitions are split as the covers that they are."""
    return isinstance(m, HardMeet) and measure.needs == {"cover"}


def _of_means(measure: Measure, m: HardMeet | CoverMeet, alpha: float) -> Floats | None:
    """An F loses a share of what precision loses, and one of what recall loses.

    1 - F = (alpha R (1 - P) + (1 - alpha) P (1 - R)) / (alpha R + (1 - alpha) P)
    """
    family = measure.name.removesuffix("_f")
    names = measure.claims.halves or (f"{family}_precision", f"{family}_recall")
    given = {k: v for k, v in measure.params.items() if k not in ("alpha", "f")}
    parts = [lookup(name).with_params(**given) for name in names]
    lost = [_losses(part, m) for part in parts]
    if lost[0] is None or lost[1] is None:
        return None
    precision, recall = (part.of(m) for part in parts)
    by_precision, by_recall = alpha * recall, (1 - alpha) * precision
    if by_precision + by_recall == 0:
        by_precision, by_recall = alpha, 1 - alpha
    return np.asarray((by_precision * lost[0] + by_recall * lost[1]) / (by_precision + by_recall))


# What each row adds to the partition distance of uncertain clusterings, and how far both agree.
#
# Both rest on a matching of clusters: which cluster of guess stands for which of truth.

BETWEEN = 0.5
"""The alpha whose matching is shown where no alpha is asked for."""
NEAR = 1e-13
"""A matching that moves so little more per object is as good."""


class Agreement(NamedTuple):
    """Two uncertain clusterings under a matching of their clusters: who costs what, who agrees."""

    truth: Ints
    """Truth clusters that are matched."""
    guess: Ints
    """The guess cluster that each stands for; both hold mass of some object."""
    belief: Floats
    """For each row the mass on pairs of single clusters that are matched."""
    plausibility: Floats
    """For each row the mass on pairs of sets that hold clusters that are matched."""
    common: Floats
    """For each row the sum over matched clusters of the lesser plausibility of the two: no matter
    how the sides hang together, both are right about the same cluster at most so far."""
    sure: Floats
    """For each pair of clusters how many objects are in both for certain."""
    possible: Floats
    """For each pair of clusters how many objects may be in both."""
    low: Floats
    """What each row adds to the distance, at alpha = 0 or at the alpha asked for."""
    high: Floats
    """What each row adds to the distance, at alpha = 1 or at the alpha asked for."""
    one: bool
    """Whether both ends have this matching as their best."""


def agreement_of(measure: Measure, m: SoftMeet) -> Agreement:
    """The parts of partition_distance_alpha: `low` and `high` sum up to its ends.

    Without alpha each end has the best matching of its own alpha, and the one that is shown is that
    of alpha = 0.5; it serves the ends too where it is as good.
    """
    alpha = measure.arguments["alpha"]
    ends, shown = ((0.0, 1.0), BETWEEN) if alpha is None else ((alpha, alpha), alpha)
    f = facing(m)
    found = _between_soft(m, ends, shown) if f is None else _against_hard(m, f, ends)
    scale = share_of_move(m, measure.arguments["over"])
    low, high = (np.maximum(each, 0.0) * (m.both * scale) for each in (found.low, found.high))
    return found._replace(low=low, high=high)


def _against_hard(m: SoftMeet, f: SoftVersusHard, ends: tuple[float, float]) -> Agreement:
    """Where one side is certain: one matching, the same for every alpha."""
    label, side, _, turned = f
    found = match_with_hard(f)
    partner = np.full(max(m.truth.clusters, m.guess.clusters), -1)
    partner[found.label] = found.cluster
    alone, held = (held_mass(side, partner[label], alone) for alone in (True, False))
    low, high = (
        side.masses.summed((found.sure + alpha * found.vague)[:, None])[side.row, 0] - alone - held
        for alpha in ends
    )
    sure, possible = (
        np.asarray(np.bincount(label, m.both * mass, partner.size), np.float64)
        for mass in (alone, held)
    )
    first = found.label[possible[found.label] > 0]
    truth, guess = (partner[first], first) if turned else (first, partner[first])
    sums = sure[first], possible[first]
    return Agreement(truth, guess, alone, held, held, sums[0], sums[1], low, high, True)


def held_mass(side: SoftSide, cluster: Ints, alone: bool) -> Floats:
    """For each row its mass on sets that hold this cluster, or are it alone; of cluster -1, 0."""
    m = side.masses
    if m.table is not None:
        known = cluster >= 0
        found = np.zeros(cluster.size)
        found[known] = (m.single if alone else m.plausible)[side.row[known], cluster[known]]
        return found
    wide, focal = m.clusters + 1, m.focal
    inside = np.isin(side.row * wide + cluster, focal.owner * wide + focal.member)
    return np.asarray(inside & (focal.size[side.row] == 1) if alone else inside, np.float64)


def _between_soft(m: SoftMeet, ends: tuple[float, float], shown: float) -> Agreement:
    """Where neither side is certain: each end has the best matching of its own alpha."""
    costs = moving_costs(m, (*ends, shown))
    chosen = matched_clusters(-costs[2])[1]
    orders = [_as_good(cost, chosen, m.objects) for cost in costs[:2]]
    low, high = (_moved(m, order, alpha) for order, alpha in zip(orders, ends, strict=True))
    truth, guess = held_clusters(m.truth), held_clusters(m.guess)
    both = np.flatnonzero(chosen[: truth.size] < guess.size)
    first, second = truth[both], guess[chosen[both]]
    belief, common, sure, possible = _sums(m, first, second)
    met = possible > 0
    first, second = first[met], second[met]
    plausible = np.maximum(belief, _plausibility(m, first, second))
    one = all(order is chosen for order in orders)
    sums = sure[met], possible[met]
    return Agreement(first, second, belief, plausible, common, sums[0], sums[1], low, high, one)


def _as_good(cost: Floats, chosen: Ints, objects: int) -> Ints:
    """The matching that was chosen, if it is as good as the best one by these costs."""
    every, best, _ = matched_clusters(-cost)
    near = cost[every, chosen].sum() - cost[every, best].sum() <= NEAR * objects
    return chosen if near else best


def _parts(m: SoftMeet, wide: int) -> Iterator[slice]:
    """Rows that are worked on at a time, where each takes so many cells."""
    step = max(1, CELLS // max(1, wide))
    return (slice(at, at + step) for at in range(0, m.rows, step))


def _moved(m: SoftMeet, order: Ints, alpha: float) -> Floats:
    """For each row the sum over clusters of what is moved under a matching."""
    truth, guess = held_clusters(m.truth), held_clusters(m.guess)
    found = np.zeros(m.rows)
    for part in _parts(m, order.size):
        one = of_clusters(m.truth, part, truth, order.size)
        other = RelationMass(*(x[:, order] for x in of_clusters(m.guess, part, guess, order.size)))
        found[part] = moving_cost(one, other, alpha).sum(axis=1)
    return found


def _sums(m: SoftMeet, truth: Ints, guess: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """For each row belief in matched clusters and what is common at most; for each pair of clusters
    the objects that are in both for certain, and that may be.
    """
    belief, common = np.zeros(m.rows), np.zeros(m.rows)
    sure, possible = np.zeros(truth.size), np.zeros(truth.size)
    one, other = m.truth.masses, m.guess.masses
    for part in _parts(m, truth.size):
        rows = np.ix_(m.truth.row[part], truth), np.ix_(m.guess.row[part], guess)
        single = one.single[rows[0]] * other.single[rows[1]]
        held = one.plausible[rows[0]], other.plausible[rows[1]]
        belief[part] = single.sum(axis=1)
        common[part] = np.minimum(*held).sum(axis=1)
        sure += m.both[part] @ single
        possible += m.both[part] @ (held[0] * held[1])
    return belief, common, sure, possible


def _plausibility(m: SoftMeet, truth: Ints, guess: Ints) -> Floats:
    """For each row the mass on pairs of sets that hold matched clusters."""
    sides = (m.truth, truth), (m.guess, guess)
    if m.truth.masses.table is not None and m.guess.masses.table is None:
        sides = sides[::-1]
    (one, first), (other, second) = sides
    inside = one.masses.member[:, first], other.masses.member[:, second]
    table, beside = one.masses.table, other.masses.table
    near = np.zeros((0, 0)) if table is None else _meeting(*inside)
    found = np.zeros(m.rows)
    for part in _parts(m, other.masses.focal.number + first.size):
        rows = one.row[part], other.row[part]
        if beside is None:
            found[part] = (inside[0][rows[0]] & inside[1][rows[1]]).any(axis=1)
            continue
        held = _meeting(inside[0][rows[0]], inside[1]) if table is None else table[rows[0]] @ near
        found[part] = (held * beside[rows[1]]).sum(axis=1)
    return found


def _meeting(one: Bools, other: Bools) -> Floats:
    """Sets x sets: 1 where they have a cluster in common."""
    return np.asarray(one.astype(np.float64) @ other.T.astype(np.float64) > 0, np.float64)


def sizes_of_clusters(side: SoftSide, both: Ints) -> tuple[Floats, Floats]:
    """How many objects each cluster has for certain, and how many it may have."""
    m = side.masses
    if m.table is None:
        mass = np.asarray(np.bincount(side.row, both, m.focal.number), np.float64)
    else:
        mass = np.asarray(np.bincount(side.row, both, m.rows) @ m.table, np.float64)
    sizes: Sequence[Floats] = [
        np.asarray(m.incidence.T @ some) for some in (mass * (m.focal.size == 1), mass)
    ]
    return sizes[0], sizes[1]
