"""What is proved of the scores, held against the scores that came out.

C is a hard clustering, F a fuzzy one, R a rough one, M any; d is a distance by transport, from d₀
(what is unknown is accepted) to d₁ (it is an error); Rand_α and δ_α are the closed forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations
from typing import Any

import numpy as np

from clusterdiff.clusterings import Fuzzy, Partition, Rough
from clusterdiff.clusterings.soft import Soft, coded
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.evidential import rand_belief
from clusterdiff_lab.papers.outcome import Exhibit, Record
from clusterdiff_lab.papers.soft.experiments.scores import Scored

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


def _pairs(ledger: Ledger, guess: Any, found: Scored, rand: Scored, where: str) -> None:
    """The Rand index by transport, exact or within the limit of draws."""
    chain = [rand.low, found.low + _slack(found), found.high - _slack(found), rand.high]
    ledger.at_most("Rand₁ ≤ 1 - d₁(C, M) ≤ 1 - d₀(C, M) ≤ Rand₀", chain[0], chain[1], where)
    ledger.at_most("Rand₁ ≤ 1 - d₁(C, M) ≤ 1 - d₀(C, M) ≤ Rand₀", chain[2], chain[3], where)
    if _sharp(guess):
        ledger.equal("1 - d(C, F) = Rand_α(C, F)", found.low, rand.low, where, _slack(found))


def _moves(
    ledger: Ledger, truth: Partition, guess: Any, found: Scored, moves: Scored, where: str
) -> None:
    """The partition distance by transport, exact or within the limit of draws."""
    near, far = found.low - _slack(found), found.high - _slack(found)
    least, most = (_one_matching(truth, guess, sure) for sure in (False, True))
    ledger.at_most("d₀(C, M) ≤ min_τ Σ(1 - pl)/(n - 1)", near, least, where)
    ledger.rising("d₁(C, M) ≤ min_τ Σ(1 - m)/(n - 1) ≤ δ₁", [far, most, moves.high], where)
    if isinstance(guess, Partition):
        ledger.equal("d = δ between hard clusterings", found.low, moves.low, where, _slack(found))
    if isinstance(guess, Rough):
        ledger.at_most("δ₀ ≤ d₀(C, R) ≤ δ₁", moves.low, found.low + _slack(found), where)
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
