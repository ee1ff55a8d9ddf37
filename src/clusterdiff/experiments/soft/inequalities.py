"""What is proved of the scores, held against the scores that came out.

C is a hard clustering, F a fuzzy one, R a rough one, M any; d is a distance by transport, from d₀
(what is unknown is accepted) to d₁ (it is an error); Rand_α and δ_α are the closed forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Fuzzy, Partition, Rough
from clusterdiff.clusterings.soft import Soft, coded
from clusterdiff.errors import ClusterdiffError
from clusterdiff.experiments.base import Exhibit, Record
from clusterdiff.experiments.soft.scores import LIMIT, Scored
from clusterdiff.measures.evidential import rand_belief

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

    def equal(self, rule: str, one: float, other: float, where: str) -> None:
        """Two numbers are the same."""
        self.at_most(rule, max(one, other), min(one, other), where)

    def exhibit(self, name: str) -> Exhibit:
        """The rules that were held, in how many cases, and how close the closest was."""
        records: list[Record] = [
            {"proved": rule, "cases": len(room), "least room": max(0.0, min(room))}
            for rule, room in self.room.items()
        ]
        return Exhibit.of(name, "Inequalities that are proved, each held in all cases", records)


def hold(ledger: Ledger, truth: Any, guess: Any, s: Mapping[str, Scored], where: str) -> None:
    """Hold what is proved of two clusterings against their scores, those there are of T, S, A."""
    rand, moves = s["A-RI"], s["A-PD"]
    ledger.at_most("0 ≤ Rand₁ ≤ Rand₀ ≤ 1", 0.0, rand.low, where)
    ledger.at_most("0 ≤ Rand₁ ≤ Rand₀ ≤ 1", rand.low, rand.high, where)
    ledger.at_most("0 ≤ Rand₁ ≤ Rand₀ ≤ 1", rand.high, 1.0, where)
    ledger.at_most("0 ≤ δ₀ ≤ δ₁", 0.0, moves.low, where)
    ledger.at_most("0 ≤ δ₀ ≤ δ₁", moves.low, moves.high, where)
    if _sharp(truth) and _sharp(guess):
        ledger.equal("Rand_α(F, F) is the same for all α", rand.low, rand.high, where)
        ledger.equal("δ_α(F, F) is the same for all α", moves.low, moves.high, where)
    if "T-RI" in s:
        ledger.at_most("1 - d₀(M, M) ≤ Rand₀", _sure(s["T-RI"]).high_least, rand.high, where)
    if isinstance(truth, Partition):
        _against_hard(ledger, truth, guess, s, where)


def _against_hard(
    ledger: Ledger, truth: Partition, guess: Any, s: Mapping[str, Scored], where: str
) -> None:
    rand, moves = s["A-RI"], s["A-PD"]
    if isinstance(guess, Soft):
        half = float(rand_belief(truth, guess))
        ledger.equal("Rand_½(C, M) = Rand_B(C, M)", half, (rand.low + rand.high) / 2, where)
    for kind in ("T", "S"):
        if f"{kind}-RI" in s:
            _transported(ledger, truth, guess, s, kind, where)
    for base in ("RI", "PD"):
        if {f"T-{base}", f"S-{base}"} <= s.keys() and s[f"T-{base}"].exact and s[f"S-{base}"].drawn:
            exact, (low, high) = s[f"T-{base}"], s[f"S-{base}"].outer
            ledger.at_most("limits of draws enclose the exact ends", low, exact.low, where)
            ledger.at_most("limits of draws enclose the exact ends", exact.high, high, where)
    if isinstance(guess, Fuzzy) and "T-PD" in s:
        ledger.at_most("d(C, F) ≤ δ(C, F)", _sure(s["T-PD"]).low_least, moves.high, where)
    if isinstance(guess, Rough) and "T-PD" in s and s["T-PD"].exact:
        ledger.at_most("δ₀ ≤ d₀(C, R) ≤ δ₁", moves.low, s["T-PD"].low, where)
        ledger.at_most("δ₀ ≤ d₀(C, R) ≤ δ₁", s["T-PD"].low, moves.high, where)


def _transported(
    ledger: Ledger, truth: Partition, guess: Any, s: Mapping[str, Scored], kind: str, where: str
) -> None:
    """The same for ends by transport that are exact, or that limits enclose."""
    rand, moves = s["A-RI"], s["A-PD"]
    found, moved = (_sure(s[f"{kind}-{base}"]) for base in ("RI", "PD"))
    ledger.at_most("Rand₁ ≤ 1 - d₁(C, M)", rand.low, found.low_most, where)
    ledger.at_most("1 - d₀(C, M) ≤ Rand₀", found.high_least, rand.high, where)
    ledger.at_most("d₁(C, M) ≤ δ₁", moved.high_least, moves.high, where)
    if isinstance(guess, Fuzzy) and s[f"{kind}-RI"].exact:
        ledger.equal("1 - d(C, F) = Rand_α(C, F)", s[f"{kind}-RI"].low, rand.low, where)
    least, most = (_one_matching(truth, guess, sure) for sure in (False, True))
    ledger.at_most("d₀(C, M) ≤ min_τ Σ(1 - pl)/(n - 1)", moved.low_least, least, where)
    ledger.at_most("d₁(C, M) ≤ min_τ Σ(1 - m)/(n - 1)", moved.high_least, most, where)
    ledger.at_most("min_τ Σ(1 - m)/(n - 1) ≤ δ₁", most, moves.high, where)


class Sure(NamedTuple):
    """What is sure of the ends of a score."""

    low_least: float
    low_most: float
    high_least: float


def _sure(score: Scored) -> Sure:
    """The ends if they are exact; moved by the limit of draws; or no more than the bounds."""
    if score.exact:
        return Sure(score.low, score.low, score.high)
    if score.drawn:
        return Sure(score.low - LIMIT, score.low + LIMIT, score.high - LIMIT)
    return Sure(score.outer[0], score.outer[1], score.outer[0])


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
