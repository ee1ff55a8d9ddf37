"""Exact distances: polynomial where there is a way, else by trying all.

First to a certain clustering, then between two uncertain ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.degrees import Masses
from clusterdiff.clusterings.sets import sets_of_rows
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.contingency.base import components
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.assignment import matched_clusters
from clusterdiff.measures.pair_masses import (
    SoftVersusHard,
    expected_pairs,
    in_clusters,
    masses_by_label,
)
from clusterdiff.measures.transport.distance import (
    TAIL,
    Base,
    BudgetExceeded,
    Choice,
    Ends,
    Law,
    Loads,
    as_float,
    distances,
    exp,
    law_of,
    least_ways,
    logical,
    options,
    power,
    spread,
    steps_per_table,
)
from clusterdiff.progress import progress

# Distances that are sums over the cells and columns of a table, exactly, against a rough guess.
#
# Such a sum depends on the uncertain objects through the counts of each true cluster in each guess
# cluster. True clusters are taken one after the other, and for every total of the columns that can
# be reached the best and the worst sum are kept. Guess clusters that no uncertain object links are
# apart from each other, and each group of linked ones is solved for itself.


class Linked(NamedTuple):
    """Guess clusters that uncertain objects link, and these objects by true cluster."""

    columns: Ints
    choices: dict[int, list[Choice]]

    @property
    def objects(self) -> int:
        """How many uncertain objects there are."""
        return sum(c.objects for some in self.choices.values() for c in some)


def range_of_sum(f: SoftVersusHard, loads: Loads, budget: int) -> tuple[float, float]:
    """The least and the greatest value of the sum over all clusterings that the guess allows."""
    sure, groups = _linked(f)
    rows = np.bincount(f.label, f.both, f.labels).astype(np.float64)
    work = sum(_work(group, loads) for group in groups)
    BudgetExceeded.check("trying all tables", work, budget)
    low = loads.rows * float(loads.f(rows).sum())
    linked = np.zeros(sure.shape[1], np.bool_)
    for group in groups:
        linked[group.columns] = True
    settled = sure[:, np.flatnonzero(~linked)]
    low += loads.columns * float(loads.f(np.asarray(settled.sum(axis=0)).ravel()).sum())
    low += loads.cells * float(loads.f(settled.data).sum())
    high = low
    with progress("column totals", sum(len(g.choices) for g in groups)) as advance:
        for group in groups:
            least, greatest = _solve(sure, group, loads, budget, advance)
            low, high = low + least, high + greatest
    return loads.scale * low, loads.scale * high


def _linked(f: SoftVersusHard) -> tuple[Any, list[Linked]]:
    """The sparse table of the certain objects, and groups of guess clusters that others link."""
    from scipy.sparse import csc_array

    m = f.side.masses
    size = m.focal.size
    certain = size[f.side.row] == 1
    chosen = m.focal.member[m.focal.start[f.side.row[certain]]]
    sure = csc_array(
        (f.both[certain].astype(np.float64), (f.label[certain], chosen)),
        shape=(f.labels, m.clusters),
    )
    unsure = np.flatnonzero(~certain)
    named = [options(m, int(f.side.row[row]))[0][0] for row in unsure]
    first = np.concatenate([[], *(np.repeat(one[0], one.size) for one in named)]).astype(np.int64)
    other = np.concatenate([[], *named]).astype(np.int64)
    group = components(first, other, m.clusters)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 2))
    found: dict[int, Linked] = {}
    for row, one in zip(unsure, named, strict=True):
        number = int(group[one[0]])
        if number not in found:
            found[number] = Linked(order[starts[number] : starts[number + 1]], {})
        linked = found[number]
        step = (linked.columns == one[:, None]).astype(np.int64)
        choice = Choice(step, np.ones(one.size), int(f.both[row]))
        linked.choices.setdefault(int(f.label[row]), []).append(choice)
    return sure, list(found.values())


def _work(group: Linked, loads: Loads) -> float:
    """How many sums are compared: states of the totals times vectors of each true cluster."""
    free, total, work = group.columns.size - 1, 0, 0.0
    for choices in group.choices.values():
        own = sum(c.objects for c in choices)
        total += own
        work += power(own + 1, free) * power(total + 1, free)
    return work


def _solve(
    sure: Any, group: Linked, loads: Loads, budget: int, advance: Callable[[int], None]
) -> tuple[float, float]:
    """The least and the greatest sum over the columns of one group."""
    columns, objects = group.columns, group.objects
    free = columns.size - 1
    place = (objects + 1) ** np.arange(free)
    least = np.full(1, 0.0)
    greatest = np.full(1, 0.0)
    certain = sure[:, columns]
    own = certain.tocsr()[list(group.choices)].toarray()
    start = loads.cells * float(loads.f(certain.data).sum() - loads.f(own).sum())
    for known, choices in zip(own, group.choices.values(), strict=True):
        law = law_of(np.zeros(columns.size, np.int64), choices, budget, reached=True)
        value = loads.cells * loads.f(known + law.counts).sum(axis=1)
        offset = law.counts[:, :free] @ place
        size = least.size + int(offset.max(initial=0))
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        for at, v in zip(offset.tolist(), value.tolist(), strict=True):
            part = slice(at, at + least.size)
            np.minimum(low[part], least + v, out=low[part])
            np.maximum(high[part], greatest + v, out=high[part])
        least, greatest = low, high
        advance(1)
    reached = np.flatnonzero(np.isfinite(least))
    totals = np.zeros((reached.size, columns.size))
    totals[:, :free] = (reached[:, None] // place) % (objects + 1)
    totals[:, free] = objects - totals[:, :free].sum(axis=1)
    columns_now = np.asarray(certain.sum(axis=0)).ravel()
    at_end = loads.columns * loads.f(columns_now + totals).sum(axis=1)
    return (
        start + float((least[reached] + at_end).min()),
        start + float((greatest[reached] + at_end).max()),
    )


# Objects that have to move, exactly: matchings of clusters under uncertainty.

BLOCK = 1 << 20
"""Pairs of a state and a row that are worked on at a time."""


def least_moves(f: SoftVersusHard) -> float:
    """The fewest moves to any clustering that a rough one allows: one assignment.

    With the matching fixed, each object is free to be where it need not move.
    """
    kept = in_clusters(masses_by_label(f), f.side.masses)
    return float(f.both.sum()) - matched_clusters(kept)[2]


def most_moves(f: SoftVersusHard, budget: int) -> float:
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


def expected_moves(f: SoftVersusHard, budget: int, *, sets: bool = False) -> float:
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


class ExactDistance(NamedTuple):
    """An end that was found exactly, or why it was not."""

    value: float | None
    how: str
    why: BudgetExceeded | None = None


def against_hard(base: Base, f: SoftVersusHard, budget: int) -> tuple[ExactDistance, ExactDistance]:
    """The two ends against a certain clustering, each exact or why it is not."""
    if f.side.masses.bayesian:
        return _try(lambda: _expected(base, f, budget))
    if (rough := logical(f.side)) is not None:
        return _of_rough(base, f._replace(side=rough), budget)
    least, most = _try(lambda: (*_over_focal(base, f, budget), "all rough clusterings"))
    if (scale := base.per_move) is not None:
        how = "distribution of independent rows"
        least, _ = _try(lambda: (scale * expected_moves(f, budget, sets=True), how))
    return least, most


def _try(way: Callable[[], tuple[Any, ...]]) -> tuple[ExactDistance, ExactDistance]:
    """The least and the largest distance, which may be one, and how they were found."""
    try:
        *found, how = way()
    except BudgetExceeded as error:
        return ExactDistance(None, "", error), ExactDistance(None, "", error)
    return ExactDistance(found[0], how), ExactDistance(found[-1], how)


def _expected(base: Base, f: SoftVersusHard, budget: int) -> tuple[float, str]:
    """The mean distance where clusters are drawn with these chances."""
    if base.per_pair is not None:
        return base.per_pair * expected_pairs(f), "closed form"
    if base.per_move is not None:
        return base.per_move * expected_moves(f, budget), "distribution of independent rows"
    if (loads := base.loads) is not None:
        return _expected_sum(f, loads, budget), "distributions of single cells"
    total = 0.0
    for table, chance in _all_tables(base, f, budget, reached=False):
        total += chance * base.of_table(f.table(table))
    return total, "all tables"


def _expected_sum(f: SoftVersusHard, loads: Loads, budget: int) -> float:
    """The mean of a sum over cells and columns: each is a sum of independent objects."""
    m = f.side.masses
    chance = m.single
    work = float(f.both.sum()) ** 2 * m.clusters * 2
    BudgetExceeded.check("the distributions of single cells", work, budget)
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


def range_of_rough(base: Base, f: SoftVersusHard, budget: int) -> tuple[float, float]:
    """The least and the largest distance to a clustering that a rough one allows."""
    least, most = _of_rough(base, f, budget)
    if least.value is None or most.value is None:
        error = least.why or most.why
        assert error is not None
        raise error
    return least.value, most.value


def _of_rough(base: Base, f: SoftVersusHard, budget: int) -> tuple[ExactDistance, ExactDistance]:
    """The two ends against a rough clustering."""
    if base.per_move is not None:
        scale = base.per_move
        return (
            _try(lambda: (scale * least_moves(f), "one assignment"))[0],
            _try(lambda: (scale * most_moves(f, budget), "a whole-number program"))[1],
        )
    if (loads := base.loads) is not None:
        return _try(lambda: (*range_of_sum(f, loads, budget), "a programme over column totals"))
    return _try(lambda: (*_range_of_tables(base, f, budget), "all tables"))


def _range_of_tables(base: Base, f: SoftVersusHard, budget: int) -> tuple[float, float]:
    """The least and the largest distance of all tables."""
    tables = _all_tables(base, f, budget, reached=True)
    found = [base.of_table(f.table(table)) for table, _ in tables]
    return min(found), max(found)


def _all_tables(
    base: Base, f: SoftVersusHard, budget: int, *, reached: bool
) -> Iterator[tuple[Ints, float]]:
    """All tables that the certain clustering can have with the other, with their chances."""
    laws = [law_of(*spread(f, c, sets=False), budget, reached=reached) for c in range(f.labels)]
    many = prod(law.chance.size for law in laws)
    steps = as_float(many) * steps_per_table(base, f.side.clusters)
    BudgetExceeded.check(f"trying {as_float(many):.3g} tables", steps, budget)
    with progress("tables", many) as advance:
        for chosen in product(*(range(law.chance.size) for law in laws)):
            yield (
                np.stack([law.counts[i] for law, i in zip(laws, chosen, strict=True)]),
                prod(float(law.chance[i]) for law, i in zip(laws, chosen, strict=True)),
            )
            advance(1)


def _over_focal(base: Base, f: SoftVersusHard, budget: int) -> tuple[float, float]:
    """The mean over rough clusterings of the least and of the largest distance."""
    m = f.side.masses
    least_many = least_ways(f.side)
    what = f"trying at least {least_many:.3g} rough clusterings"
    BudgetExceeded.check(what, least_many * 20_000, budget)
    each = [options(m, int(profile)) for profile in f.side.row]
    many = prod(
        comb(int(c) + len(mass) - 1, len(mass) - 1)
        for c, (_, mass) in zip(f.both, each, strict=True)
    )
    what = f"trying {as_float(many):.3g} rough clusterings"
    BudgetExceeded.check(what, as_float(many) * 20_000, budget)
    least = most = 0.0
    with progress("rough clusterings", many) as advance:
        for counts in product(
            *(_shares(int(c), len(mass)) for c, (_, mass) in zip(f.both, each, strict=True))
        ):
            chance = prod(_multinomial(c, mass) for c, (_, mass) in zip(counts, each, strict=True))
            try:
                low, high = range_of_rough(base, _rough(f, counts, each), budget // many)
            except BudgetExceeded as error:
                raise BudgetExceeded.of(what, error.steps * many, budget) from None
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


def _rough(f: SoftVersusHard, counts: tuple[tuple[int, ...], ...], each: list) -> SoftVersusHard:  # type: ignore[type-arg]
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
    return SoftVersusHard(np.array(label), side, np.array(both), f.turned)


# Between two uncertain clusterings: all clusterings, and optimal transport.


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
        return Ends.exactly(how, _transported(p, q, alpha * hausdorff + (1 - alpha) * nearest))
    return Ends.exactly(how, _transported(p, q, nearest), _transported(p, q, hausdorff))


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
    """Partitions with clusters numbered in the order in which they appear."""
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
