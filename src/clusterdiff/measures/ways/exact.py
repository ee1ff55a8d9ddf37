"""Exact distances: polynomial where there is a way, otherwise by trying all that is possible."""

from __future__ import annotations

import math
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.masses import Masses
from clusterdiff.clusterings.sets import sets_of_rows
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.relations import sums_over_pairs
from clusterdiff.measures.ways.base import (
    Base,
    Budget,
    End,
    Ends,
    Facing,
    Loads,
    as_float,
    exp,
    least_ways,
    logical,
    options,
)
from clusterdiff.measures.ways.laws import law_of, spread
from clusterdiff.measures.ways.loads import range_of_sum
from clusterdiff.measures.ways.moves import (
    expected_moves,
    least_moves,
    least_moves_of_two,
    most_moves,
)
from clusterdiff.measures.ways.tables import distances, steps_per_table
from clusterdiff.meet import SoftSide
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from clusterdiff.meet import SoftMeet

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def against_hard(base: Base, f: Facing, budget: int) -> tuple[Found, Found]:
    """The two ends against a certain clustering, each exact or why it is not."""
    m = f.side.masses
    if m.bayesian:
        end = _try(lambda: _expected(base, f, budget))
        return end, end
    if (rough := logical(f.side)) is not None:
        f = f._replace(side=rough)
        if base.per_move is not None:
            scale = base.per_move
            return (
                _try(lambda: (scale * least_moves(f), "one assignment")),
                _try(lambda: (scale * most_moves(f, budget), "a whole-number program")),
            )
        return _try_both(lambda: range_of_rough(base, f, budget))
    least = _try(lambda: _expected_least(base, f, budget))
    return least, _try(lambda: (_over_focal(base, f, budget)[1], "all rough clusterings"))


class Found(NamedTuple):
    """An end that was found exactly, or why it was not."""

    value: float | None
    how: str
    why: Budget | None = None


def _try(way: Callable[[], tuple[float, str]]) -> Found:
    try:
        return Found(*way())
    except Budget as error:
        return Found(None, "", error)


def _try_both(way: Callable[[], tuple[float, float, str]]) -> tuple[Found, Found]:
    try:
        low, high, how = way()
    except Budget as error:
        return Found(None, "", error), Found(None, "", error)
    return Found(low, how), Found(high, how)


def _expected(base: Base, f: Facing, budget: int) -> tuple[float, str]:
    """The mean distance where clusters are drawn with these chances."""
    if base.per_pair is not None:
        same, apart = sums_over_pairs(f.label, f.side, f.both)
        return base.per_pair * (same.apart + apart.same), "closed form"
    if base.per_move is not None:
        return base.per_move * expected_moves(f, budget), "laws of independent rows"
    if (loads := base.loads) is not None:
        return _expected_sum(f, loads, budget), "laws of single cells"
    total = 0.0
    for table, chance in _all_tables(base, f, budget, reached=False):
        total += chance * base.of_table(f.table(table))
    return total, "all tables"


def _expected_sum(f: Facing, loads: Loads, budget: int) -> float:
    """The mean of a sum over cells and columns: each is a sum of independent objects."""
    m = f.side.masses
    chance = m.single
    work = float(f.both.sum()) ** 2 * m.clusters * 2
    if work > budget:
        raise Budget.exceeded("the laws of single cells", work, budget)
    rows = np.bincount(f.label, f.both, f.labels).astype(np.float64)
    total = loads.rows * float(loads.f(rows).sum())
    for cluster in range(m.clusters):
        column = np.ones(1)
        for label in range(f.labels):
            cell = np.ones(1)
            for row in np.flatnonzero(f.label == label):
                p = chance[f.side.row[row], cluster]
                for _ in range(int(f.both[row])):
                    cell = np.append(cell * (1 - p), 0.0) + np.append(0.0, cell * p)
            total += loads.cells * float(loads.f(np.arange(float(cell.size))) @ cell)
            column = np.convolve(column, cell)
        total += loads.columns * float(loads.f(np.arange(float(column.size))) @ column)
    return loads.scale * total


def range_of_rough(base: Base, f: Facing, budget: int) -> tuple[float, float, str]:
    """The least and the largest distance to a clustering that a rough one allows."""
    if (loads := base.loads) is not None:
        return *range_of_sum(f, loads, budget), "a programme over column totals"
    if base.per_move is not None:
        return (
            base.per_move * least_moves(f),
            base.per_move * most_moves(f, budget),
            "one assignment, a whole-number program",
        )
    found = [
        base.of_table(f.table(table)) for table, _ in _all_tables(base, f, budget, reached=True)
    ]
    return min(found), max(found), "all tables"


def _all_tables(
    base: Base, f: Facing, budget: int, *, reached: bool
) -> Iterator[tuple[Ints, float]]:
    """All tables that the certain clustering can have with the other, with their chances."""
    laws = [law_of(*spread(f, c, sets=False), budget, reached=reached) for c in range(f.labels)]
    many = prod(law.chance.size for law in laws)
    steps = as_float(many) * steps_per_table(base, f.side.clusters)
    if steps > budget:
        raise Budget.exceeded(f"trying {as_float(many):.3g} tables", steps, budget)
    with progress("tables", many) as advance:
        for chosen in product(*(range(law.chance.size) for law in laws)):
            yield (
                np.stack([law.counts[i] for law, i in zip(laws, chosen, strict=True)]),
                prod(float(law.chance[i]) for law, i in zip(laws, chosen, strict=True)),
            )
            advance(1)


def _expected_least(base: Base, f: Facing, budget: int) -> tuple[float, str]:
    """The mean over rough clusterings of the least distance."""
    if base.per_move is not None:
        return base.per_move * expected_moves(f, budget, sets=True), "laws of independent rows"
    return _over_focal(base, f, budget)[0], "all rough clusterings"


def _over_focal(base: Base, f: Facing, budget: int) -> tuple[float, float]:
    """The mean over rough clusterings of the least and of the largest distance."""
    m = f.side.masses
    if (least_many := least_ways(f.side)) * 20_000 > budget:
        raise Budget.exceeded(
            f"trying at least {least_many:.3g} rough clusterings", least_many * 20_000, budget
        )
    each = [options(m, int(profile)) for profile in f.side.row]
    many = prod(
        comb(int(c) + len(mass) - 1, len(mass) - 1)
        for c, (_, mass) in zip(f.both, each, strict=True)
    )
    steps = as_float(many) * 20_000
    if steps > budget:
        raise Budget.exceeded(f"trying {as_float(many):.3g} rough clusterings", steps, budget)
    least = most = 0.0
    with progress("rough clusterings", many) as advance:
        for counts in product(
            *(_shares(int(c), len(mass)) for c, (_, mass) in zip(f.both, each, strict=True))
        ):
            chance = prod(_multinomial(c, mass) for c, (_, mass) in zip(counts, each, strict=True))
            try:
                low, high, _ = range_of_rough(base, _rough(f, counts, each), budget // many)
            except Budget as error:
                what = f"trying {as_float(many):.3g} rough clusterings"
                raise Budget.exceeded(what, error.steps * many, budget) from None
            least, most = least + chance * low, most + chance * high
            advance(1)
    return least, most


def _shares(objects: int, many: int) -> Iterator[tuple[int, ...]]:
    """All ways to share objects out over so many sets."""
    if many == 1:
        yield (objects,)
        return
    for first in range(objects + 1):
        for rest in _shares(objects - first, many - 1):
            yield first, *rest


def _multinomial(counts: tuple[int, ...], mass: Floats) -> float:
    """The chance of sharing out objects so."""
    log = math.lgamma(sum(counts) + 1)
    for count, p in zip(counts, mass.tolist(), strict=True):
        log += count * math.log(p) - math.lgamma(count + 1)
    return math.exp(log)


def _rough(f: Facing, counts: tuple[tuple[int, ...], ...], each: list) -> Facing:  # type: ignore[type-arg]
    """The rough clustering in which so many objects of each row have each of its sets."""
    label, sets, both = [], [], []
    for row, (shares, (named, _)) in enumerate(zip(counts, each, strict=True)):
        for count, one in zip(shares, named, strict=True):
            if count:
                label.append(f.label[row])
                sets.append(one)
                both.append(count)
    owner = np.repeat(np.arange(len(sets)), [one.size for one in sets])
    focal = sets_of_rows(owner, np.concatenate(sets), len(sets))[0]
    side = SoftSide("rough", np.arange(len(sets)), Masses(focal, f.side.clusters))
    return Facing(np.array(label), side, np.array(both), f.turned)


def between(base: Base, m: SoftMeet, alpha: float | None, budget: int) -> Ends:
    """The two ends (or the distance at alpha) between two uncertain clusterings, by trying all.

    Each side is a law over rough clusterings, and a rough clustering a set of hard ones. Distances
    of rough clusterings are those of their sets, and the law of one side is carried to that of the
    other at the least cost: an optimal-transport problem, solved by HiGHS.
    """
    one, other = (sizes_of(side, m.both) for side in (m.truth, m.guess))
    steps = exp(one.hard + other.hard) * steps_per_table(base, max(m.clusters))
    steps += 20 * (exp(one.members + other.hard) + exp(one.hard + other.members))
    steps += 5000 * exp(one.rough + other.rough)
    if steps > budget:
        raise Budget.exceeded(
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
    except Budget:
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
    """The least mean cost of carrying one law to the other."""
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
