"""Five algorithms of the paper, how their clusterings are scored, and what is proved of the scores.

C is a hard clustering, F a fuzzy one, R a rough one, M any; d is a distance by transport, from d₀
(what is unknown is accepted) to d₁ (it is an error); Rand_α and δ_α are the closed forms.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import log, sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings import Fuzzy, Partition, Rough
from clusterdiff.clusterings.soft import Soft, coded
from clusterdiff.contingency import SoftMeet
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io import meet
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.evidential import rand_belief
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.transport import transport
from clusterdiff.measures.transport.distance import Base
from clusterdiff.measures.transport.sampling import Draws, between
from clusterdiff.progress import progress
from clusterdiff_lab.papers.experiments import Exhibit, Record


@dataclass(frozen=True)
class Parameters:
    """The parameters of the algorithms."""

    m: float
    """The exponent of fuzzy and possibilistic c-means."""
    alpha: float
    """How evidential c-means weighs large sets."""
    beta: float
    """Its exponent."""
    delta: float = 10.0
    """Its distance to outliers."""
    threshold: float = 1.1
    """How many times as far a centre may be that rough k-means does not rule out."""

    def __str__(self) -> str:
        return f"RKM {self.of('RKM')}; FCM, PCM {self.of('FCM')}; ECM {self.of('ECM')}"

    def of(self, algorithm: str) -> str:
        """The parameters of one algorithm."""
        texts = {
            "RKM": f"ε = {self.threshold:g}",
            "ECM": f"α = {self.alpha:g}, β = {self.beta:g}, δ = {self.delta:g}",
        }
        return texts.get(algorithm, f"m = {self.m:g}")


PRINTED = Parameters(m=5, alpha=5, beta=5)
"""As the paper has them."""
HARDER = Parameters(m=1.4, alpha=1, beta=1.4)
"""Memberships that fall with the fifth power of the distance: 5 = 2/(m - 1)."""
CLUSTERS = 3
NAMES = (
    "KM is k-means, RKM rough, FCM fuzzy, PCM possibilistic and ECM evidential c-means. RI is the "
    "Rand index, more is better; PD the partition distance, less is better."
)


class Fitted(NamedTuple):
    """What an algorithm found."""

    clustering: Partition | Soft
    seconds: float
    warned: str
    """What it warned of, and what was made of mass on the empty set."""


def fitted(data: Floats, parameters: Parameters, seed: int) -> dict[str, Fitted]:
    """The clusterings by the paper's names for the algorithms."""
    models = _models(parameters, seed)
    fits = {}
    with progress("clustering", len(models)) as advance:
        for name, model in models.items():
            fits[name] = _fit(model, data)
            advance(1)
    return fits


def _models(p: Parameters, seed: int) -> dict[str, Any]:
    from clusterdiff_lab.estimators import (
        EvidentialCMeans,
        FuzzyCMeans,
        PossibilisticCMeans,
        RoughKMeans,
    )

    common: dict[str, Any] = {
        "n_clusters": CLUSTERS, "random_state": seed, "max_iter": 5000, "tol": 1e-10,
    }  # fmt: skip
    from sklearn.cluster import KMeans  # after ours, which say what to install where it is not

    return {
        "KM": KMeans(n_init=10, **common),
        "RKM": RoughKMeans(threshold=p.threshold, means="indifference", **common),
        "FCM": FuzzyCMeans(m=p.m, **common),
        "PCM": PossibilisticCMeans(m=p.m, **common),
        "ECM": EvidentialCMeans(alpha=p.alpha, beta=p.beta, delta=p.delta, **common),
    }


def _fit(model: Any, data: Floats) -> Fitted:
    begin = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data)
    seconds = perf_counter() - begin
    clustering = getattr(model, "clustering_", None)
    if clustering is None:
        clustering = Partition(model.labels_)
    warned = [str(one.message) for one in caught]
    if isinstance(clustering, Soft) and clustering.masses.empty.any():
        lost = float(clustering.masses.empty[clustering.code].mean())
        share = f"{lost:.1%}" if lost >= 0.001 else "less than 0.1%"
        warned.append(f"{share} of the mass is on the empty set, and shared among the rest.")
        clustering = clustering.normalise()
    return Fitted(clustering, seconds, " ".join(warned))


RAND, MOVES = (measure_named(name) for name in ("rand", "partition_distance"))
CLOSED = {"RI": measure_named("rand_alpha"), "PD": measure_named("partition_distance_alpha")}
ALPHA = 0.5
"""How the paper weighs what is unknown against an error."""
SAMPLES = 1000
SURE = 1 - 1e-6
"""The confidence of limits that others are held against: they are to fail for no seed."""
PER_DRAW = 10**8
"""Steps of work that a drawn rough clustering may take to be solved exactly."""


class Scored(NamedTuple):
    """A score of two clusterings: its ends, where limits or bounds are, and what it took."""

    low: float
    high: float
    outer: tuple[float, float]
    """What the ends lie between: for certain, or if they are drawn at high confidence."""
    how: str
    seconds: float
    limit: float = 0.0
    """Of a mean of draws: how far it may be from the true one (Hoeffding)."""

    @property
    def exact(self) -> bool:
        """Whether the ends are those that are asked for."""
        return self.how.startswith("exact")

    @property
    def drawn(self) -> bool:
        """Whether the ends are means of draws that were solved exactly, each within the limit."""
        below, above = self.low - self.outer[0], self.outer[1] - self.high
        return "Hoeffding" in self.how and max(below, above) <= self.limit + 1e-12

    @property
    def bounded(self) -> bool:
        """Whether the ends are those of bounds."""
        return "bounds" in self.how


def by_transport(base: Measure, truth: Any, guess: Any) -> Scored:
    """T: exact where that is feasible, else certain bounds."""
    return _timed(transport.with_params(measure=base, empty_set="max_distance"), truth, guess)


def by_draws(base: Measure, truth: Any, guess: Any, seed: int, samples: int = SAMPLES) -> Scored:
    """S: drawn rough clusterings, each solved exactly where that is feasible."""
    drawn = transport.with_params(
        measure=base, method="sample", samples=samples, seed=seed, confidence=SURE,
        budget=samples * PER_DRAW, empty_set="max_distance",
    )  # fmt: skip
    return _timed(drawn, truth, guess)._replace(limit=limit(samples))


def limit(samples: int) -> float:
    """How far a mean of draws from 0 to 1 may be from the true one, on either side."""
    return sqrt(log(4 / (1 - SURE)) / (2 * samples))


def by_hard_draws(base: Measure, one: Any, other: Any, seed: int, samples: int) -> Scored:
    """S as the paper has it: hard clusterings drawn from the rough ones that are drawn.

    What is unknown is seen only as far as some draws differ, and the distance is too large on
    average: an estimate without limits.
    """
    rows = meet(one, other)
    if not isinstance(rows, SoftMeet):
        return by_transport(base, one, other)
    begin = perf_counter()
    how = Draws(samples, seed, SURE, samples)
    ends = between(Base(base, rows.objects), rows.in_order, how, None)
    assert ends.estimate is not None
    low, high = ends.estimate
    if not base.is_distance:
        low, high = 1 - high, 1 - low
    seconds = perf_counter() - begin
    source = f"{samples} hard draws, seed {seed}"
    return Scored(low, high, (0.0, 1.0), source, seconds, limit(samples))


def by_closed_form(name: str, truth: Any, guess: Any) -> Scored:
    """A: one number for each pair of objects, or for each object and cluster."""
    return _timed(CLOSED[name], truth, guess)


def at_half(name: str, truth: Any, guess: Any) -> float:
    """A, with what is unknown counted as half an error."""
    return float(CLOSED[name].with_params(alpha=ALPHA)(truth, guess))


def _timed(measure: Measure, truth: Any, guess: Any) -> Scored:
    begin = perf_counter()
    value = measure(truth, guess)
    seconds = perf_counter() - begin
    if not isinstance(value, ScoreRange):
        return Scored(value, value, (value, value), "exact", seconds)
    outer = value.low, value.high
    low, high = outer if value.estimate is None else value.estimate
    return Scored(low, high, outer, value.how, seconds)


CLOSE = 1e-9
"""What rounding may take."""


class Ledger:
    """Inequalities by their wording, with how much room each case left; a broken one is an error.

    >>> ledger = Ledger()
    >>> ledger.at_most("Rand₁ ≤ Rand₀", 0.5, 0.75, "KM")
    >>> ledger.exhibit("inequalities").records[0]["least room"]
    0.25
    """

    def __init__(self) -> None:
        self.room: dict[str, list[float]] = {}

    def at_most(self, rule: str, smaller: float, larger: float, where: str) -> None:
        """One number is not above another."""
        if not larger - smaller >= -CLOSE:
            raise ClusterdiffError(
                f"{rule} is proved and does not hold for {where}: {smaller!r} > {larger!r}. One of "
                "the scores is wrong, and nothing is shown.",
                "this is a mistake in clusterdiff; please report it with the command.",
            )
        self.room.setdefault(rule, []).append(larger - smaller)

    def rising(self, rule: str, numbers: Sequence[float], where: str) -> None:
        """No number is above the next."""
        for smaller, larger in pairwise(numbers):
            self.at_most(rule, smaller, larger, where)

    def equal(self, rule: str, one: float, other: float, where: str, slack: float = 0.0) -> None:
        """Two numbers are the same, or but for so much."""
        self.at_most(rule, max(one, other), min(one, other) + slack, where)

    def exhibit(self, name: str) -> Exhibit:
        """The rules that were held, in how many cases, and how close the closest was."""
        records: list[Record] = [
            {"proved": rule, "comparisons": len(room), "least room": max(0.0, min(room))}
            for rule, room in self.room.items()
        ]
        return Exhibit.of(name, "Inequalities that are proved, all of them held", records)


def hold(
    ledger: Ledger, truth: Any, guess: Any, s: Mapping[str, Scored],
    half: Mapping[str, float], where: str,
) -> None:  # fmt: skip
    """Hold what is proved of two clusterings, without mass on the empty set, against their scores:
    those there are of T and S, those of A, and of A with what is unknown counted as half an error.
    """
    rand, moves = s["A-RI"], s["A-PD"]
    between = "0 ≤ Rand₁ ≤ Rand_½ ≤ Rand₀ ≤ 1"
    ledger.rising(between, [0.0, rand.low, half["RI"], rand.high, 1.0], where)
    most = max(map(_clusters, (truth, guess))) * len(truth) / (2 * (len(truth) - 1))
    farthest = "0 ≤ δ₀ ≤ δ_½ ≤ δ₁ ≤ kn/2(n - 1)"
    ledger.rising(farthest, [0.0, moves.low, half["PD"], moves.high, most], where)
    if isinstance(truth, Soft) or isinstance(guess, Soft):
        ledger.equal("Rand_½ = Rand_B", half["RI"], float(rand_belief(truth, guess)), where)
    if _sharp(truth) and _sharp(guess):
        ledger.equal("Rand_α(F, F) is the same for all α", rand.low, rand.high, where)
        ledger.equal("δ_α(F, F) is the same for all α", moves.low, moves.high, where)
    for metric in s.keys() - {"A-RI", "A-PD"}:
        one = s[metric]
        ledger.rising("0 ≤ d₀ ≤ d₁ ≤ 1, by T and S", [0.0, one.low, one.high, 1.0], where)
    if isinstance(truth, Partition):
        _against_hard(ledger, truth, guess, s, half, where)


def _against_hard(
    ledger: Ledger, truth: Partition, guess: Any, s: Mapping[str, Scored],
    half: Mapping[str, float], where: str,
) -> None:  # fmt: skip
    rand, moves = s["A-RI"], s["A-PD"]
    for base, one in (("RI", rand), ("PD", moves)):
        middle = (one.low + one.high) / 2
        ledger.equal("Rand_α and δ_α are linear in α against C", half[base], middle, where)
    for kind in ("T", "S"):
        if f"{kind}-RI" in s and (s[f"{kind}-RI"].exact or s[f"{kind}-RI"].drawn):
            _pairs(ledger, guess, s[f"{kind}-RI"], rand, where)
        if f"{kind}-PD" in s and (s[f"{kind}-PD"].exact or s[f"{kind}-PD"].drawn):
            _moves(ledger, truth, guess, s[f"{kind}-PD"], moves, where)
    for base in ("RI", "PD"):
        if {f"T-{base}", f"S-{base}"} <= s.keys() and s[f"T-{base}"].exact:
            _draws(ledger, guess, s[f"T-{base}"], s[f"S-{base}"], where)


def _pairs(ledger: Ledger, guess: Any, score: Scored, rand: Scored, where: str) -> None:
    """The Rand index by transport, exact or within the limit of draws."""
    chain = [rand.low, score.low + _slack(score), score.high - _slack(score), rand.high]
    ledger.at_most("Rand₁ ≤ 1 - d₁(C, M) ≤ 1 - d₀(C, M) ≤ Rand₀", chain[0], chain[1], where)
    ledger.at_most("Rand₁ ≤ 1 - d₁(C, M) ≤ 1 - d₀(C, M) ≤ Rand₀", chain[2], chain[3], where)
    if _sharp(guess):
        ledger.equal("1 - d(C, F) = Rand_α(C, F)", score.low, rand.low, where, _slack(score))


def _moves(
    ledger: Ledger, truth: Partition, guess: Any, score: Scored, moves: Scored, where: str
) -> None:
    """The partition distance by transport, exact or within the limit of draws."""
    near, far = score.low - _slack(score), score.high - _slack(score)
    least, most = (_one_matching(truth, guess, sure) for sure in (False, True))
    ledger.at_most("d₀(C, M) ≤ min_τ Σ(1 - pl)/(n - 1)", near, least, where)
    ledger.rising("d₁(C, M) ≤ min_τ Σ(1 - m)/(n - 1) ≤ δ₁", [far, most, moves.high], where)
    if isinstance(guess, Partition):
        ledger.equal("d = δ between hard clusterings", score.low, moves.low, where, _slack(score))
    if isinstance(guess, Rough):
        ledger.at_most("δ₀ ≤ d₀(C, R) ≤ δ₁", moves.low, score.low + _slack(score), where)
        ledger.at_most("δ₀ ≤ d₀(C, R) ≤ δ₁", near, moves.high, where)


def _draws(ledger: Ledger, guess: Any, exact: Scored, drawn: Scored, where: str) -> None:
    """Draws beside the exact ends: of rough clusterings solved exactly, or of hard ones within."""
    if drawn.exact or drawn.drawn:
        for one, other in ((exact.low, drawn.low), (exact.high, drawn.high)):
            ledger.equal("S is T, within the limit of draws", one, other, where, _slack(drawn))
    elif isinstance(guess, Rough):
        within = [exact.low, drawn.low, drawn.high, exact.high]
        ledger.rising("what is drawn of R lies within d₀ and d₁", within, where)
    elif _sharp(guess):
        ledger.equal("S is T, within the limit of draws", exact.low, drawn.low, where, drawn.limit)


def _slack(score: Scored) -> float:
    """How far the ends may be from the true ones."""
    return 0.0 if score.exact else score.limit


def _clusters(clustering: Any) -> int:
    return int(clustering.clusters) if isinstance(clustering, Soft) else len(coded(clustering)[1])


def triangles(ledger: Ledger, rule: str, distance: Mapping[tuple[str, str], float]) -> None:
    """The way over a third clustering is not shorter."""
    names = sorted({name for pair in distance for name in pair})
    for a, b, c in permutations(names, 3):
        if a < c:
            over = distance[min(a, b), max(a, b)] + distance[min(b, c), max(b, c)]
            ledger.at_most(rule, distance[a, c], over, f"{a}, {b}, {c}")


def _sharp(clustering: Any) -> bool:
    return isinstance(clustering, Partition | Fuzzy)


def _one_matching(truth: Partition, guess: Any, sure: bool) -> float:
    """What one matching of clusters costs: 1 less the mass on, or the plausibility of, its own."""
    from scipy.optimize import linear_sum_assignment

    soft = guess if isinstance(guess, Soft) else Fuzzy(guess)
    label, names = coded(truth)
    each = soft.masses.single if sure else soft.masses.plausible
    gain = np.zeros((len(names), soft.clusters))
    np.add.at(gain, label, each[soft.code])
    matched = float(gain[linear_sum_assignment(-gain)].sum())
    return (len(truth) - matched) / (len(truth) - 1)
