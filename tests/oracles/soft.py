"""Measures for soft clusterings, in exact fractions (Campagner, Ciucci and Denœux 2023).

A mass function gives weights of sum 1 to sets of clusters, the empty set among them.  A soft
clustering is a list of mass functions, one for each object.  Clusters are numbers, and those of
truth and guess have nothing to do with each other.  Equation numbers are those of the paper.

The four sets a pair of objects can have mass on are always listed as: empty, same, not same, both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import chain, combinations, pairwise, permutations, product
from random import Random

from .common import Number, mean, ratio
from .information import mutual_information

Mass = dict[frozenset[int], Fraction]
Soft = list[Mass]
Row = Mapping[int, Fraction]
Four = tuple[Fraction, Fraction, Fraction, Fraction]
Hard = tuple[int, ...]
Rough = tuple[frozenset[int], ...]
Distance = Callable[[Hard, Hard], Fraction]

EMPTY: frozenset[int] = frozenset()
POINTS = (frozenset[str](), frozenset({"s"}), frozenset({"n"}), frozenset({"s", "n"}))
SURELY_SAME = (Fraction(0), Fraction(1), Fraction(0), Fraction(0))
KINDS = ("partition", "rough", "fuzzy", "possibilistic", "evidential")


# Soft clusterings of each kind.


def checked(mass: Mass) -> Mass:
    """The mass function without its zeros; its weights must be positive and have sum 1."""
    if min(mass.values()) < 0 or sum(mass.values()) != 1:
        raise ValueError("the weights of a mass function are not negative, and their sum is 1")
    return {a: weight for a, weight in mass.items() if weight > 0}


def degrees(row: Row | Sequence[Fraction]) -> Row:
    """The row by cluster; a plain list has the clusters 1, 2 and so on."""
    return row if isinstance(row, Mapping) else dict(enumerate(row, start=1))


def evidential(masses: Iterable[Mass]) -> Soft:
    """Any mass functions."""
    return [checked(mass) for mass in masses]


def hard(labels: Iterable[int]) -> Soft:
    """Each object surely in its cluster."""
    return rough({label} for label in labels)


def rough(sets: Iterable[Collection[int]]) -> Soft:
    """Each object in one of the clusters of its set."""
    return [{frozenset(a): Fraction(1)} for a in sets]


def fuzzy(rows: Iterable[Row | Sequence[Fraction]]) -> Soft:
    """Each object with a probability for each cluster."""
    return [checked({frozenset({w}): p for w, p in degrees(row).items()}) for row in rows]


def possibilistic(rows: Iterable[Row | Sequence[Fraction]]) -> Soft:
    """Nested sets: the clusters of at least a degree; what the largest leaves is on no cluster."""
    return [consonant(degrees(row)) for row in rows]


def consonant(row: Row) -> Mass:
    """Each level set weighs its degree less the next smaller one, which is 0 after the last."""
    levels = sorted({degree for degree in row.values() if degree > 0}, reverse=True)
    mass = {EMPTY: 1 - max(levels, default=Fraction(0))}
    for level, below in pairwise([*levels, Fraction(0)]):
        mass[frozenset(w for w in row if row[w] >= level)] = level - below
    return checked(mass)


def named(soft: Soft) -> list[int]:
    """The clusters in some set that has weight."""
    return sorted({w for mass in soft for a in mass if mass[a] > 0 for w in a})


def membership(mass: Mass, w: int) -> Fraction:
    """Weight of all sets that w is in."""
    return sum((weight for a, weight in mass.items() if w in a), Fraction())


def rows(soft: Soft) -> list[list[Fraction]]:
    """Each object's memberships in the named clusters."""
    return [[membership(mass, w) for w in named(soft)] for mass in soft]


# Optimal transport.


def transport_cost(
    p: Sequence[Fraction], q: Sequence[Fraction], cost: Sequence[Sequence[Fraction]]
) -> Fraction:
    """Cheapest way to carry p over to q, Eq. (2): along cheapest paths, one after the other.

    A path goes forward over any arc and back over an arc that carries something, which it undoes.
    """
    if sum(p) != sum(q):
        raise ValueError("both sides must have the same sum")
    left, lacking = list(p), list(q)
    carried = [[Fraction(0)] * len(q) for _ in p]
    while any(left):
        path = cheapest_path(left, lacking, carried, cost)
        start, end = path[0][0], path[-1][1]
        undone = [carried[i][j] for i, j in path[1::2]]
        amount = min(left[start], lacking[end], *undone)
        left[start] -= amount
        lacking[end] -= amount
        for step, (i, j) in enumerate(path):
            carried[i][j] += amount if step % 2 == 0 else -amount
    return sum(
        (carried[i][j] * cost[i][j] for i in range(len(p)) for j in range(len(q))), Fraction()
    )


def cheapest_path(
    left: Sequence[Fraction],
    lacking: Sequence[Fraction],
    carried: Sequence[Sequence[Fraction]],
    cost: Sequence[Sequence[Fraction]],
) -> list[tuple[int, int]]:
    """The arcs of the cheapest path from a row with something left to a column that lacks some.

    By Bellman and Ford: prices fall until no arc lowers one.
    """
    arcs = list(product(range(len(left)), range(len(lacking))))
    row_price = {i: Fraction(0) for i in range(len(left)) if left[i] > 0}
    column_price: dict[int, Fraction] = {}
    row_from: dict[int, int] = {}
    column_from: dict[int, int] = {}
    falling = True
    while falling:
        falling = False
        for i, j in arcs:
            if i in row_price:
                price = row_price[i] + cost[i][j]
                if j not in column_price or price < column_price[j]:
                    column_price[j], column_from[j], falling = price, i, True
            if j in column_price and carried[i][j] > 0:
                price = column_price[j] - cost[i][j]
                if i not in row_price or price < row_price[i]:
                    row_price[i], row_from[i], falling = price, j, True
    j = min((j for j in column_price if lacking[j] > 0), key=lambda j: column_price[j])
    path = [(column_from[j], j)]
    while path[0][0] in row_from:
        i = path[0][0]
        j = row_from[i]
        path = [(column_from[j], j), (i, j), *path]
    return path


# Rand indices of relations between two objects.


def relation(x: Mass, y: Mass) -> Four:
    """Eq. (3): whether two different objects are in the same cluster."""
    weights = [(a, b, x[a] * y[b]) for a in x for b in y]
    empty_x, empty_y = x.get(EMPTY, Fraction(0)), y.get(EMPTY, Fraction(0))
    empty = empty_x + empty_y - empty_x * empty_y
    same = sum((weight for a, b, weight in weights if a == b and len(a) == 1), Fraction())
    not_same = sum((weight for a, b, weight in weights if not a & b), Fraction()) - empty
    either = sum((weight for a, b, weight in weights if a & b), Fraction()) - same
    return empty, same, not_same, either


def relation_in(soft: Soft, i: int, j: int) -> Four:
    """Eq. (3); an object is surely in the same cluster as itself."""
    return SURELY_SAME if i == j else relation(soft[i], soft[j])


def object_pairs(n: int, pairs: str) -> list[tuple[int, int]]:
    """Pairs of different objects, or "all" ordered pairs, also of an object with itself."""
    if pairs == "distinct":
        return list(combinations(range(n), 2))
    if pairs == "all":
        return list(product(range(n), range(n)))
    raise ValueError(f"pairs is 'distinct' or 'all', not {pairs!r}")


def mean_agreement(
    truth: Soft, guess: Soft, distance: Callable[[Four, Four], Fraction], pairs: str
) -> Fraction:
    """Eq. (9): 1 less the mean distance of the two relations of a pair; 1 if there is no pair."""
    return mean(
        1 - distance(relation_in(truth, i, j), relation_in(guess, i, j))
        for i, j in object_pairs(len(truth), pairs)
    )


def set_distance(a: frozenset[str], b: frozenset[str], alpha: Fraction) -> Fraction:
    """Eq. (22): 1 for sets without common element, alpha for other sets that are not equal."""
    if a == b:
        return Fraction(0)
    return alpha if a & b else Fraction(1)


@cache
def pair_cost(m1: Four, m2: Four, alpha: Number) -> Fraction:
    """Eq. (23): optimal transport between two mass functions on same and not same."""
    weight = Fraction(alpha)
    return transport_cost(m1, m2, [[set_distance(a, b, weight) for b in POINTS] for a in POINTS])


def rand_alpha(truth: Soft, guess: Soft, alpha: Number, pairs: str = "distinct") -> Fraction:
    """Eq. (24)."""
    return mean_agreement(truth, guess, lambda m1, m2: pair_cost(m1, m2, alpha), pairs)


def belief(m: Four, a: frozenset[str]) -> Fraction:
    """Weight of the subsets of a that are not empty."""
    inside = (weight for b, weight in zip(POINTS, m, strict=True) if b and b <= a)
    return sum(inside, Fraction())


def belief_distance(m1: Four, m2: Four) -> Fraction:
    """Eq. (35)."""
    return sum((abs(belief(m1, a) - belief(m2, a)) for a in POINTS), Fraction()) / 2


def rand_belief(truth: Soft, guess: Soft, pairs: str = "distinct") -> Fraction:
    """Eq. (9) with the belief distance."""
    return mean_agreement(truth, guess, belief_distance, pairs)


def conflict(m1: Four, m2: Four) -> Fraction:
    """Weight of the pairs of sets without common element."""
    sides = product(zip(POINTS, m1, strict=True), zip(POINTS, m2, strict=True))
    return sum((v * w for (a, v), (b, w) in sides if not a & b), Fraction())


def rand_conflict(truth: Soft, guess: Soft, pairs: str = "distinct") -> Fraction:
    """Eq. (9) with the conflict, which is no distance."""
    return mean_agreement(truth, guess, conflict, pairs)


def inner(m1: Four, m2: Four) -> Fraction:
    """Weight of each two sets times their Jaccard index, which is 1 for two empty sets."""
    sides = product(zip(POINTS, m1, strict=True), zip(POINTS, m2, strict=True))
    return sum((v * w * ratio(len(a & b), len(a | b)) for (a, v), (b, w) in sides), Fraction())


def jousselme_distance(m1: Four, m2: Four) -> float:
    """Eq. (36)."""
    return math.sqrt((inner(m1, m1) + inner(m2, m2) - 2 * inner(m1, m2)) / 2)


def rand_jousselme(truth: Soft, guess: Soft, pairs: str = "distinct") -> float:
    """Eq. (9) with the distance of Jousselme."""
    values = [
        1 - jousselme_distance(relation_in(truth, i, j), relation_in(guess, i, j))
        for i, j in object_pairs(len(truth), pairs)
    ]
    return math.fsum(values) / len(values) if values else 1.0


# Rand indices of memberships.

TNORMS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "min": min,
    "product": lambda a, b: a * b,
    "lukasiewicz": lambda a, b: max(Fraction(0), a + b - 1),
}
CONORMS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "max": max,
    "bounded_sum": lambda a, b: min(Fraction(1), a + b),
    "probabilistic_sum": lambda a, b: a + b - a * b,
}


def fuzzy_relation(
    mu: Sequence[list[Fraction]], i: int, j: int, tnorm: str, conorm: str
) -> tuple[Fraction, Fraction]:
    """Eq. (4): how much two objects are in the same cluster, and how much in different ones."""
    if i == j:
        return Fraction(1), Fraction(0)
    t, s = TNORMS[tnorm], CONORMS[conorm]
    clusters = range(len(mu[i]))
    same = (t(mu[i][v], mu[j][w]) for v in clusters for w in clusters if v == w)
    different = (t(mu[i][v], mu[j][w]) for v in clusters for w in clusters if v != w)
    return reduce(s, same, Fraction(0)), reduce(s, different, Fraction(0))


def rand_campello(
    truth: Soft, guess: Soft, tnorm: str = "min", conorm: str = "max", pairs: str = "distinct"
) -> Fraction:
    """(a + d) / (a + b + c + d), sums over pairs of what the t-norm leaves (Campello 2007)."""
    t = TNORMS[tnorm]
    mu, nu = rows(truth), rows(guess)
    agreeing, all_four = Fraction(0), Fraction(0)
    for i, j in object_pairs(len(truth), pairs):
        v, x = fuzzy_relation(mu, i, j, tnorm, conorm)
        y, z = fuzzy_relation(nu, i, j, tnorm, conorm)
        agreeing += t(v, y) + t(x, z)
        all_four += t(v, y) + t(v, z) + t(x, y) + t(x, z)
    return ratio(agreeing, all_four)


def rand_frigui(truth: Soft, guess: Soft, pairs: str = "distinct") -> Fraction:
    """Campello's index with product and bounded sum (Frigui, Hwang and Rhee 2007)."""
    return rand_campello(truth, guess, "product", "bounded_sum", pairs)


def half_l1(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    """Half the sum of the differences, at most 1."""
    return min(Fraction(1), sum((abs(a - b) for a, b in zip(x, y, strict=True)), Fraction()) / 2)


def largest_difference(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    """The largest of the differences."""
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=Fraction(0))


def cosine_distance(x: Sequence[Fraction], y: Sequence[Fraction]) -> float:
    """1 less the cosine; 0 for two rows of zeros, and 1 for only one."""
    if not any(x) or not any(y):
        return float(any(x) != any(y))
    dot = sum((a * b for a, b in zip(x, y, strict=True)), Fraction())
    return 1 - math.sqrt(dot**2 / (sum(a * a for a in x) * sum(b * b for b in y)))


ROW_DISTANCES: dict[str, Callable[[Sequence[Fraction], Sequence[Fraction]], Number]] = {
    "half_l1": half_l1,
    "max": largest_difference,
    "cosine": cosine_distance,
}


def difference(a: Number, b: Number) -> Number:
    """The larger less the smaller."""
    return a - b if a > b else b - a


def rand_hullermeier(
    truth: Soft, guess: Soft, distance: str = "half_l1", pairs: str = "distinct"
) -> Number:
    """Eq. (8); with the cosine, a float, it is the index of Brouwer (2009)."""
    d = ROW_DISTANCES[distance]
    mu, nu = rows(truth), rows(guess)
    listed = object_pairs(len(mu), pairs)
    gaps = [difference(d(mu[i], mu[j]), d(nu[i], nu[j])) for i, j in listed]
    return 1 - sum(gaps) / len(gaps) if gaps else Fraction(1)


def sum_of_squares(values: Iterable[Fraction]) -> Fraction:
    """The sum of the squares."""
    return sum((value * value for value in values), Fraction())


def rand_anderson(truth: Soft, guess: Soft, pairs: str = "distinct") -> Fraction:
    """Rand index of a table of products of memberships, scaled to sum n (Anderson et al. 2010).

    Where all products are 0 there is no scale and no value.
    """
    n = len(truth)
    object_pairs(n, pairs)
    if n < 2:
        return Fraction(1)
    mu, nu = rows(truth), rows(guess)
    table = [
        [sum((mu[x][i] * nu[x][j] for x in range(n)), Fraction()) for j in range(len(nu[0]))]
        for i in range(len(mu[0]))
    ]
    scale = n / sum(chain.from_iterable(table), Fraction())
    cells = [[scale * value for value in line] for line in table]
    squares = sum_of_squares(chain.from_iterable(cells))
    line_squares = sum_of_squares(sum(line, Fraction()) for line in cells)
    column_squares = sum_of_squares(sum(column, Fraction()) for column in zip(*cells, strict=True))
    a = sum((value * (value - 1) for line in cells for value in line), Fraction()) / 2
    d = (n**2 + squares - line_squares - column_squares) / 2
    if pairs == "all":
        return (2 * (a + d) + n) / n**2
    return (a + d) / Fraction(n * (n - 1), 2)


# Partition distance.


def divisor(n: int, over: str) -> int:
    """2(n - 1), or 2n as in the numbers that the paper prints."""
    if over not in ("n-1", "n"):
        raise ValueError(f"over is 'n-1' or 'n', not {over!r}")
    return 2 * (n if over == "n" else n - 1)


def restricted(mass: Mass, w: int | None) -> Four:
    """Eqs. (26) to (29): whether the object is in w, which may be a cluster in no set."""

    def weight(kept: Callable[[frozenset[int]], bool]) -> Fraction:
        return sum((mass[a] for a in mass if kept(a)), Fraction())

    return (
        weight(lambda a: not a),
        weight(lambda a: w in a and len(a) == 1),
        weight(lambda a: len(a) > 0 and w not in a),
        weight(lambda a: w in a and len(a) > 1),
    )


def partition_distance_alpha(
    truth: Soft, guess: Soft, alpha: Number, over: str = "n-1"
) -> Fraction:
    """Eq. (30): transport inside the partition distance, over all ways to match the clusters.

    The side with fewer clusters gets more, which no set names.  0 for fewer than two objects.
    """
    below = divisor(len(truth), over)
    if len(truth) < 2:
        return Fraction(0)
    left, right = named(truth), named(guess)
    size = max(len(left), len(right))
    cost = [
        [
            sum(
                (
                    pair_cost(restricted(x, v), restricted(y, w), alpha)
                    for x, y in zip(truth, guess, strict=True)
                ),
                Fraction(),
            )
            for w in [*right, *[None] * (size - len(right))]
        ]
        for v in [*left, *[None] * (size - len(left))]
    ]
    matched = permutations(range(size))
    best = min(sum((cost[i][tau[i]] for i in range(size)), Fraction()) for tau in matched)
    return best / below


# Distances of hard clusterings.


def rand_distance(c1: Sequence[int], c2: Sequence[int]) -> Fraction:
    """1 less Eq. (6); 0 if there is no pair."""
    pairs = combinations(range(len(c1)), 2)
    return 1 - mean(Fraction((c1[i] == c1[j]) == (c2[i] == c2[j])) for i, j in pairs)


def partition_distance(c1: Sequence[int], c2: Sequence[int], over: str = "n-1") -> Fraction:
    """Eq. (10), over all ways to match the clusters; 0 for fewer than two objects."""
    sides = [
        [frozenset(x for x in range(len(c)) if c[x] == label) for label in sorted(set(c))]
        for c in (c1, c2)
    ]
    size = max(len(side) for side in sides)
    left, right = ([*side, *[frozenset[int]()] * (size - len(side))] for side in sides)
    moved = min(
        sum(len(a ^ b) for a, b in zip(left, image, strict=True)) for image in permutations(right)
    )
    return ratio(moved, divisor(len(c1), over), nothing=0)


# Transport between all hard clusterings that a soft one allows.


def relabelled(labels: Iterable[int]) -> Hard:
    """The same clustering with clusters numbered as they appear."""
    listed = list(labels)
    order = list(dict.fromkeys(listed))
    return tuple(order.index(label) for label in listed)


def compatible(sets: Sequence[Collection[int]]) -> list[Hard]:
    """Each hard clustering that takes a cluster of every set, once however it is labelled."""
    return sorted({relabelled(labels) for labels in product(*map(sorted, sets))})


def rough_distance(
    truth: Sequence[Collection[int]],
    guess: Sequence[Collection[int]],
    distance: Distance,
    end: int,
) -> Fraction:
    """Eq. (14): the least distance of compatible clusterings (end 0), or Hausdorff's (end 1).

    Objects with an empty set must be the same on both sides, or the distance is 1, and are left
    out.  It is 0 if fewer than two objects remain.
    """
    if end not in (0, 1):
        raise ValueError(f"end is 0 or 1, not {end!r}")
    if [not a for a in truth] != [not b for b in guess]:
        return Fraction(1)
    left, right = compatible([a for a in truth if a]), compatible([b for b in guess if b])
    if len(left[0]) < 2:
        return Fraction(0)
    if end == 0:
        return min(distance(c1, c2) for c1 in left for c2 in right)
    return max(
        max(min(distance(c1, c2) for c2 in right) for c1 in left),
        max(min(distance(c1, c2) for c1 in left) for c2 in right),
    )


def rough_distance_alpha(
    truth: Sequence[Collection[int]],
    guess: Sequence[Collection[int]],
    distance: Distance,
    alpha: Number,
) -> Fraction:
    """What the two ends of Eq. (14) give, weighted alpha and 1 - alpha."""
    lower, upper = (rough_distance(truth, guess, distance, end) for end in (0, 1))
    return Fraction(alpha) * upper + (1 - Fraction(alpha)) * lower


def focal(soft: Soft) -> dict[Rough, Fraction]:
    """Eq. (11): the rough clusterings with weight, which is the product over the objects."""
    result = {}
    for sets in product(*soft):
        weight = math.prod((m[a] for m, a in zip(soft, sets, strict=True)), start=Fraction(1))
        if weight > 0:
            result[sets] = weight
    return result


def transport(truth: Soft, guess: Soft, distance: Distance, alpha: Number) -> Fraction:
    """Eq. (15): optimal transport between the rough clusterings with weight."""
    remembered = cache(distance)
    left, right = focal(truth), focal(guess)
    cost = [[rough_distance_alpha(r1, r2, remembered, alpha) for r2 in right] for r1 in left]
    return transport_cost(list(left.values()), list(right.values()), cost)


def mutual_information_range(
    truth: Sequence[Collection[int]], guess: Sequence[Collection[int]]
) -> tuple[float, float]:
    """Smallest and largest mutual information of compatible clusterings; no set may be empty."""
    values = [
        mutual_information(dict(enumerate(c1)), dict(enumerate(c2)))
        for c1 in compatible(truth)
        for c2 in compatible(guess)
    ]
    return min(values), max(values)


# Random soft clusterings.


def subsets(clusters: int) -> Iterator[frozenset[int]]:
    """All sets of the clusters 1, 2 and so on, the empty one first."""
    for size in range(clusters + 1):
        yield from map(frozenset, combinations(range(1, clusters + 1), size))


def twelfths(rng: Random, parts: int) -> list[Fraction]:
    """Weights of sum 1, each a number of twelfths; some may be 0."""
    cuts = sorted(rng.randint(0, 12) for _ in range(parts - 1))
    return [Fraction(b - a, 12) for a, b in zip([0, *cuts], [*cuts, 12], strict=True)]


def random_mass(rng: Random, clusters: int, empty: bool, kind: str) -> Mass:
    """A mass function of the kind; if `empty`, the empty set may have weight.

    A partition and a fuzzy clustering have no weight there in any case.
    """
    sets = list(subsets(clusters))[0 if empty else 1 :]
    if kind == "partition":
        return hard([rng.randint(1, clusters)])[0]
    if kind == "rough":
        return rough([rng.choice(sets)])[0]
    if kind == "fuzzy":
        return fuzzy([twelfths(rng, clusters)])[0]
    if kind == "possibilistic":
        row = [Fraction(rng.randint(0, 12), 12) for _ in range(clusters)]
        if not empty:
            row[rng.randrange(clusters)] = Fraction(1)
        return possibilistic([row])[0]
    if kind == "evidential":
        chosen = rng.sample(sets, min(len(sets), rng.randint(1, 3)))
        return checked(dict(zip(chosen, twelfths(rng, len(chosen)), strict=True)))
    raise ValueError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")


def random_soft(rng: Random, objects: int, clusters: int, kind: str, empty: bool = False) -> Soft:
    """A soft clustering of the kind."""
    return [random_mass(rng, clusters, empty, kind) for _ in range(objects)]


def adjusted_fuzzy_rand(truth: Soft, guess: Soft) -> Fraction:
    """The Frobenius adjusted Rand index of Andrews et al. 2022, by all permutations of objects.

    Bonding matrices, scaled so that they sum to the sum of their squares; the index is the share of
    pairs that both bonds and both lacks of bonds agree on, and its mean is taken off.
    """
    one, other = (_bonding(side) for side in (truth, guess))
    n = len(truth)
    if n < 2:
        return Fraction(1)

    def index(order: Sequence[int]) -> Fraction:
        pairs = [(one[i][j], other[order[i]][order[j]]) for i in range(n) for j in range(n)]
        agree = sum((a * b + (1 - a) * (1 - b) for a, b in pairs), Fraction())
        return (agree - n) / (n * (n - 1))

    chance = mean(index(order) for order in permutations(range(n)))
    return ratio(index(range(n)) - chance, 1 - chance)


def _bonding(side: Soft) -> list[list[Fraction]]:
    every = [
        [sum((a * b for a, b in zip(x, y, strict=True)), Fraction()) for y in rows(side)]
        for x in rows(side)
    ]
    flat = [value for row in every for value in row]
    scale = sum(flat, Fraction()) / sum((value**2 for value in flat), Fraction())
    return [[value * scale for value in row] for row in every]
