"""Units by hand: components found object by object, copies with labels of their own, unions.

A comparison here is two mappings from object to what is said of it: a label (partitions), or a set
of labels (covers). An object that one side does not know is in the other mapping only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np

import clusterdiff as cd
from clusterdiff.measures import Measure
from clusterdiff.measures.base import defaults_of, hints_of, options_of, refusal

Said = Mapping[Any, Any]


class Compared(NamedTuple):
    """Truth, and one or several guesses."""

    truth: Said
    guess: Said

    @property
    def objects(self) -> list[Any]:
        return list(dict.fromkeys([*self.truth, *self.guess]))


def labels_of(said: Any) -> frozenset[Any]:
    """The clusters that an object is said to be in."""
    return said if isinstance(said, frozenset) else frozenset([said])


def component_of_objects(sides: Sequence[Said]) -> dict[Any, int]:
    """The component of each object: objects of one cluster of any side are in one."""
    objects = list(dict.fromkeys(x for side in sides for x in side))
    parent = {x: x for x in objects}

    def root(x: Any) -> Any:
        while parent[x] != x:
            x = parent[x]
        return x

    for side in sides:
        seen: dict[Any, Any] = {}
        for x, said in side.items():
            for label in labels_of(said):
                parent[root(x)] = root(seen.setdefault(label, x))
    numbers: dict[Any, int] = {}
    return {x: numbers.setdefault(root(x), len(numbers)) for x in objects}


def parts(sides: Sequence[Said], unit: Mapping[Any, Any]) -> list[tuple[Said, ...]]:
    """The comparison of each unit alone, in the order in which units appear."""
    names = list(dict.fromkeys(unit.values()))
    return [
        tuple({x: said for x, said in side.items() if unit[x] == name} for side in sides)
        for name in names
    ]


def components(one: Compared) -> list[Compared]:
    """The comparison of each component alone."""
    return [Compared(*part) for part in parts(one, component_of_objects(one))]


def union(some: Iterable[Compared]) -> Compared:
    """The disjoint union: every copy has objects and clusters of its own."""
    made: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for copy, one in enumerate(some):
        for whole, side in zip(made, one, strict=True):
            for x, said in side.items():
                whole[copy, x] = (
                    frozenset((copy, label) for label in said)
                    if isinstance(said, frozenset)
                    else (copy, said)
                )
    return Compared(*made)


def met(one: Compared, align: str = "exact") -> cd.HardMeet | cd.CoverMeet:
    """The comparison as the library has it, by plain labels."""
    number: dict[Any, int] = {}

    def plain(said: Any) -> Any:
        if isinstance(said, frozenset):
            return {number.setdefault(label, len(number)) for label in sorted(said, key=repr)}
        return number.setdefault(said, len(number))

    place = {x: i for i, x in enumerate(one.objects)}
    sides = [{place[x]: plain(said) for x, said in side.items()} for side in one]
    cover = any(isinstance(said, frozenset) for side in one for said in side.values())
    made = cd.meet(*sides, kind="cover" if cover else None, align=align)
    assert isinstance(made, cd.HardMeet | cd.CoverMeet)
    return made


def random_partitions(rng: np.random.Generator, penalise: bool = False) -> Compared:
    """Clusters of many sizes, a third of them guessed right, others split and merged."""
    truth: dict[int, int] = {}
    for label, size in enumerate(rng.choice([1, 1, 1, 2, 2, 3, 4, 6], int(rng.integers(8, 25)))):
        for _ in range(size):
            truth[len(truth)] = label
    labels = rng.permutation(max(truth.values()) + 1)
    merged = np.where(rng.random(labels.size) < 0.4, labels // 2, labels + 100)
    guess = {
        x: int(merged[label]) if rng.random() < 0.85 else 1000 + int(rng.integers(0, 4 * x + 1))
        for x, label in truth.items()
    }
    if penalise:
        truth = {x: label for x, label in truth.items() if rng.random() < 0.9}
        guess = {x: label for x, label in guess.items() if rng.random() < 0.9 or x not in truth}
    return Compared(truth, guess)


def large(seed: int, many: int = 2) -> Compared:
    """Random comparisons side by side: more than ten components."""
    rng = np.random.default_rng(seed)
    made = union([random_partitions(rng) for _ in range(many)])
    assert len(components(made)) >= 10
    return made


def labels(one: Compared) -> tuple[list[Any], list[Any]]:
    """Truth and guess as lists."""
    return [one.truth[x] for x in one.objects], [one.guess[x] for x in one.objects]


def random_covers(rng: np.random.Generator) -> Compared:
    """Small groups of objects, each with sets of its own few clusters, some in none."""
    sides: tuple[dict[int, frozenset[Any]], dict[int, frozenset[Any]]] = ({}, {})
    for group in range(int(rng.integers(5, 11))):
        clusters = int(rng.integers(1, 4))
        for _ in range(int(rng.integers(1, 6))):
            x = len(sides[0])
            for side in sides:
                chosen = np.flatnonzero(rng.random(clusters) < 0.55)
                side[x] = frozenset((group, int(c)) for c in chosen)
    return Compared(*sides)


def jackknife(
    value: float,
    without: Sequence[float],
    bounds: tuple[float, float],
    plain: bool = False,
    sizes: Sequence[Sequence[float]] = (),
    df: float | None = None,
) -> dict[str, float]:
    """The interval at 95 % as textbooks have it, from the scores without each unit in turn; that of
    Korn and Graubard where few of many units err, if `sizes` say what each unit adds to each
    denominator of the score. Left out, the degrees of freedom follow from the kurtosis.
    """
    from scipy.stats import t

    k, mean = len(without), math.fsum(without) / len(without)
    d = [x - mean for x in without]
    second, fourth = math.fsum(x**2 for x in d), math.fsum(x**4 for x in d)
    se = math.sqrt((k - 1) / k * second)
    df = min(2 * k / (k * fourth / second**2 - 1), k - 1) if df is None else df
    there, back, slope = (_same, _same, lambda x: 1.0) if plain else scale(bounds)
    reach = float(t.ppf(0.975, df)) * se * slope(value)
    effective = second**2 / fourth
    err, right = sum(x > value + 1e-13 for x in without), sum(x < value - 1e-13 for x in without)
    if sizes and bounds[1] == 1 and value >= 0 and min(err, right) < min(10, k / 10):
        low, high = korn_graubard(value, se, sizes)
    else:
        low = max(bounds[0], back(there(value) - reach))
        high = min(bounds[1], back(there(value) + reach))
    return {"low": low, "high": high, "se": se, "effective": effective, "df": df}


def jackknife_by_hand(name: str, one: Compared) -> dict[str, float]:
    """The interval of a measure from the scores of what is left, which are computed anew; of one
    that depends on the number of all objects from sums that are brought back to that number.
    """
    units, m = components(one), cd.measure(name)
    k, sizes = len(units), sizes_of(name, units)
    if name not in OF_SUMS:
        rest = [met(union(units[:i] + units[i + 1 :])) for i in range(k)]
        without = [float(m.of(meet)) for meet in rest]
        return jackknife(float(m.of(met(one))), without, m.claims.bounds, sizes=sizes)
    z = np.array([_sums(unit) for unit in units])
    total = z.sum(axis=0)
    without = [OF_SUMS[name](*((total - own) * k / (k - 1))) for own in z]
    return jackknife(OF_SUMS[name](*total), without, m.claims.bounds, sizes=sizes)


def _sums(one: Compared) -> list[float]:
    """Objects, and the pairs and Σ s log s of truth, of guess and of both."""
    sides = one.truth, one.guess, {x: (one.truth[x], one.guess[x]) for x in one.truth}
    sizes = [list(Counter(side.values()).values()) for side in sides]
    pairs = [sum(s * (s - 1) / 2 for s in own) for own in sizes]
    return [len(one.truth), *pairs, *(sum(s * math.log(s) for s in own) for own in sizes)]


def _rand(n: float, truth: float, guess: float, both: float, *logs: float) -> float:
    return 1 - (truth + guess - 2 * both) / (n * (n - 1) / 2)


def _adjusted_rand(n: float, truth: float, guess: float, both: float, *logs: float) -> float:
    chance = truth * guess / (n * (n - 1) / 2)
    return (both - chance) / ((truth + guess) / 2 - chance)


def _nmi(n: float, _t: float, _g: float, _b: float, *logs: float) -> float:
    truth, guess, both = (math.log(n) - x / n for x in logs)
    return (truth + guess - both) / ((truth + guess) / 2)


def _asymmetric(n: float, _t: float, _g: float, _b: float, *logs: float) -> float:
    truth, guess, both = (math.log(n) - x / n for x in logs)
    return (truth + guess - both) / truth


def _correlation(n: float, truth: float, guess: float, both: float, *logs: float) -> float:
    every = n * (n - 1) / 2
    spread = truth * (every - truth) * guess * (every - guess)
    return (every * both - truth * guess) / math.sqrt(spread)


def _angle(*sums: float) -> float:
    return math.acos(_correlation(*sums)) / math.pi


OF_SUMS: dict[str, Callable[..., float]] = {
    "rand": _rand, "adjusted_rand": _adjusted_rand, "nmi": _nmi, "asymmetric_nmi": _asymmetric,
    "pair_correlation": _correlation, "pair_correlation_distance": _angle,
}  # fmt: skip


def korn_graubard(
    value: float, se: float, sizes: Sequence[Sequence[float]], level: float = 0.95
) -> tuple[float, float]:
    """The interval of Clopper and Pearson for n value of n units: n = value (1 - value) / se², at
    most K / (1 + cv²), and just that without any error.
    """
    from scipy.stats import beta

    shares = [np.array(own) / np.sum(own) for own in sizes if np.sum(own) > 0]
    weight = np.mean(shares, axis=0)
    n = weight.size / (1 + (np.std(weight) / np.mean(weight)) ** 2)
    if se > 0:
        n = min(n, value * (1 - value) / se**2)
    x, tail = n * value, (1 - level) / 2
    low = 0.0 if x <= 0 else float(beta.ppf(tail, x, n - x + 1))
    high = 1.0 if n - x <= 1e-12 * n else float(beta.ppf(1 - tail, x + 1, n - x))
    return min(low, value), max(high, value)


def sizes_of(name: str, units: Iterable[Compared]) -> list[list[float]]:
    """What each unit adds to the denominators of a measure of partitions: pairs of truth and of
    guess, links, clusters, or objects.
    """

    def added(side: Said) -> dict[str, float]:
        labels = list(side.values())
        each = [labels.count(label) for label in set(labels)]
        return {
            "pairs": sum(s * (s - 1) / 2 for s in each),
            "links": sum(s - 1 for s in each),
            "clusters": len(each),
            "objects": len(labels),
        }

    pairs = ("pair_", "adjusted_rand", "rand", "mirkin", "blanc")
    of_clusters = ("ceaf_e", "exact", "panoptic", "match", "boundary", "pure", "normalized")
    what = {
        "exact_accuracy": ["objects"],
        "muc": ["links"],
        **{start: ["clusters"] for start in of_clusters},
        "conll": ["links", "objects", "clusters"],
    }
    kinds = next((kinds for start, kinds in what.items() if name.startswith(start)), ["objects"])
    kinds = ["pairs"] if name.startswith(pairs) else kinds
    both = [(added(unit.truth), added(unit.guess)) for unit in units]
    sides = {"precision": (1,), "recall": (0,)}.get(name.rpartition("_")[2], (0, 1))
    sides = (0,) if name == "normalized_clustering_accuracy" else sides
    return [[sides_of[side][kind] for sides_of in both] for kind in kinds for side in sides]


def _same(x: float) -> float:
    return x


Function = Callable[[float], float]


def scale(bounds: tuple[float, float]) -> tuple[Function, Function, Function]:
    """Logit for shares, the logarithm for what has no upper bound, -log(1 - x) for the rest; with
    the function back and the slope.
    """
    if bounds == (0.0, 1.0):
        return (
            lambda x: math.log(x / (1 - x)),
            lambda y: 1 / (1 + math.exp(-y)),
            lambda x: 1 / (x * (1 - x)),
        )
    if math.isinf(bounds[1]):
        return math.log, math.exp, lambda x: 1 / x
    return lambda x: -math.log(1 - x), lambda y: 1 - math.exp(-y), lambda x: 1 / (1 - x)


VALUES: dict[str, tuple[Any, ...]] = {
    "alpha": (0.5, 0.2, 1.0),
    "damping": (0.9, 0.4),
    "k": (None, 40),
    "empty": (None, 0.0, 1.0),
}
"""What parameters are tried at that are numbers."""


def forms(measure: Measure) -> list[Measure]:
    """The measure with every value that a parameter can have, two parameters at a time."""
    hints, defaults = hints_of(measure.function), defaults_of(measure.function)
    values = {}
    for key in defaults:
        literals = [
            x for o in options_of(hints[key]) if get_origin(o) is Literal for x in get_args(o)
        ]
        some = dict.fromkeys([*VALUES.get(key, ()), *literals])
        values[key] = tuple(value for value in some if not refusal(key, value, hints[key]))
    changes = [{}, *({key: value} for key, some in values.items() for value in some)]
    made = [
        measure.with_params(**one, **other)
        for one, other in product(changes, changes)
        if not one.keys() & other.keys()
    ]
    return list(dict.fromkeys(made))
