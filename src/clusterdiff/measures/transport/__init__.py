"""Any measure of partitions, carried over to uncertain clusterings by optimal transport."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from clusterdiff.contingency import SoftMeet
from clusterdiff.errors import KindError, UnknownParameter
from clusterdiff.measures.base import Measure, lookup, measure
from clusterdiff.measures.pair_masses import SoftVersusHard, facing
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.transport import bounds, exact
from clusterdiff.measures.transport import sampling as draws
from clusterdiff.measures.transport.distance import (
    Base,
    BudgetExceeded,
    End,
    Ends,
    Loads,
    exp,
    how_normalised,
    logical,
    may_lack,
    nats,
    normalised,
    set_aside,
    tables_of,
    without_empty,
)
from clusterdiff.measures.transport.exact import AllOf, range_of_sum, sizes_of

Method = Literal["exact", "bounds", "sample"]
EmptySet = Literal["normalise", "max_distance"]
FEW = 200_000
"""Masses that are always put in order first: which way is within the budget may depend on it."""


@measure(
    cite="campagner2023",
    bounds=(-math.inf, math.inf),
    reached=False,
    perfect=False,
    solver=True,
    cost="from one pass to all clusterings that are possible, up to `budget` steps, then bounds:"
    " see Uncertain clusterings",
)
def transport(
    m: SoftMeet,
    *,
    measure: Measure | None = None,
    alpha: float | None = None,
    method: Method | None = None,
    samples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    budget: int = 1_000_000_000,
    empty_set: EmptySet = "normalise",
) -> float | ScoreRange:
    """Optimal transport (OT): any measure of partitions, for uncertain clusterings.

    Definition:  an uncertain clustering is a probability distribution over rough clusterings, and a
    rough clustering is the set of hard ones that it allows. Two rough clusterings are d₀ apart
    (their nearest members) if what is unknown is accepted, d₁ apart (the Hausdorff distance) if it
    is an error; d_alpha lies between. The distance is the optimal transport (Wasserstein) cost
    between the two distributions.

    Without alpha, the interval of both ends; with it, one number. method='exact' is polynomial
    where there is a way, otherwise it tries all that is possible, up to `budget` steps of work;
    'bounds' gives outer bounds from inequalities that are proved, 'sample' estimates from `samples`
    draws, each solved within its share of the budget or bounded, with limits at `confidence`. Left
    out: exact within the budget, otherwise outer bounds. Left out, the measure is rand.

    empty_set='normalise' scores the clusterings given that every object is in a cluster: mass on
    the empty set is shared among the other sets in proportion, and an object without other mass is
    a singleton. empty_set='max_distance' puts clusterings that leave different objects without a
    cluster at distance 1, so that even a small mass on the empty set can decide the score.

    Also known as: Wasserstein distance, earth mover distance.
    """
    chosen = lookup("rand") if measure is None else measure
    if chosen.claims.best not in (0.0, 1.0) or not chosen.needs & {"shapes", "rows"}:
        raise UnknownParameter.from_value(
            "transport",
            "measure",
            chosen,
            "a distance or similarity of partitions, such as rand or partition_distance",
        )
    if not 0 < confidence < 1:
        raise UnknownParameter.from_value(
            "transport", "confidence", confidence, "above 0 and below 1, such as 0.95"
        )
    base = Base(chosen, m.objects)
    asked = Asked(alpha, method, draws.Draws(samples, seed, confidence, budget), budget)
    given = empty_set == "normalise" and may_lack(m)
    ends = _given_clusters(base, m, asked) if given else _ends(base, _ordered(m, method), asked)
    return _shown(base, ends, alpha)


class Asked(NamedTuple):
    """How the distance is to be found."""

    alpha: float | None
    method: Method | None
    draws: draws.Draws
    budget: int


def _ordered(m: SoftMeet, method: Method | None) -> SoftMeet:
    """The comparison in an order that does not depend on how it was given, where it may matter."""
    if not m.is_hard and (method in ("bounds", "sample") or m.work <= FEW):
        return m.in_order
    return m


def _given_clusters(base: Base, m: SoftMeet, asked: Asked) -> Ends:
    """Lower and upper bound of the distance, given that every object is in a cluster."""
    aside, how = None, how_normalised(m)
    if asked.method != "sample" and (faced := facing(_ordered(m, asked.method))) is not None:
        aside = set_aside(base, faced)
    if aside is None:
        ends = _ends(base, _ordered(normalised(m), asked.method), asked)
    else:
        ends = _without_empty(base, aside[0], asked)
        least, most = (end.plus(End.exactly(aside[1])) for end in ends[:2])
        top = base.largest
        ends = ends._replace(
            least=End(min(least.low, top), min(least.high, top)),
            most=End(min(most.low, top), min(most.high, top)),
        )
    return ends._replace(how=f"{ends.how}; {how}")


def _ends(base: Base, m: SoftMeet, asked: Asked) -> Ends:
    """Lower and upper bound of the distance."""
    if m.is_hard:
        return Ends.exactly("exact: both sides are certain", base.of(m.hard))
    if (faced := facing(m)) is not None:
        return _against_hard(base, faced, asked)
    if base.largest != 1.0 and may_lack(m):
        raise _no_largest(base)
    if asked.method == "sample":
        return draws.between(base, m, asked.draws, asked.alpha)
    if asked.method == "bounds":
        return bounds.between(base, m)
    try:
        return exact.between(base, m, asked.alpha, asked.budget)
    except BudgetExceeded as error:
        known = exact.least_between(base, m, asked.budget)
        if known is not None and asked.alpha == 0.0:
            return Ends.exactly("exact: all matchings of clusters", known)
        if asked.method == "exact" or not base.bounded:
            raise _with_bounds(base, error) from None
    ends = bounds.between(base, m.in_order)
    if known is None:
        return ends
    how = f"d₀ exact: all matchings of clusters; d₁ {ends.how}"
    return ends._replace(least=End.exactly(known), how=how)


def _with_bounds(base: Base, error: BudgetExceeded) -> BudgetExceeded:
    """The error, with bounds among what to do, where there are any."""
    if not base.bounded:
        return error
    hint = error.hint.replace("use ", "use method='bounds' (certain, fast) or ", 1)
    return BudgetExceeded(error.message, hint)


def _against_hard(base: Base, f: SoftVersusHard, asked: Asked) -> Ends:
    """The ends against a certain clustering; a clustering with an object in no known cluster is at
    distance 1 from it.
    """
    chance, rest = without_empty(f)
    if chance and base.largest != 1.0:
        raise _no_largest(base)
    if rest is None:
        return Ends.exactly("exact: an object is in no known cluster", 1.0)
    ends = _without_empty(base, rest, asked)
    if not chance:
        return ends
    far, left = End.exactly(chance), 1 - chance
    drawn = ends.estimate and (
        chance + left * ends.estimate[0], chance + left * ends.estimate[1]
    )  # fmt: skip
    return ends._replace(
        least=(ends.least * left).plus(far), most=(ends.most * left).plus(far), estimate=drawn,
        how=f"{ends.how}; distance 1 where an object is in no cluster, chance {chance:.2g}",
    )  # fmt: skip


def _without_empty(base: Base, f: SoftVersusHard, asked: Asked) -> Ends:
    """The ends against a certain clustering where every object is in a known cluster."""
    if f.side.labels is not None:
        how = "exact: where no object is lost, both sides are certain"
        return Ends.exactly(how, draws.of_hard(base, f))
    if asked.method == "sample":
        return draws.against_hard(base, f, asked.draws, asked.alpha)
    if asked.method == "bounds":
        return bounds.against_hard(base, f)
    least, most = exact.against_hard(base, f, asked.budget)
    if least.value is not None and most.value is not None:
        ways = ", ".join(dict.fromkeys((least.how, most.how)))
        return Ends.exactly(f"exact: {ways}", least.value, most.value)
    error = least.why or most.why
    if error is not None and (asked.method == "exact" or not base.bounded):
        raise _with_bounds(base, error)
    known = bounds.against_hard(base, f)
    if least.value is not None:
        how = f"d₀ exact: {least.how}; d₁ {known.how}"
        return known._replace(least=End.exactly(least.value), how=how)
    if most.value is not None:
        how = f"d₁ exact: {most.how}; d₀ {known.how}"
        return known._replace(most=End.exactly(most.value), how=how)
    return known


def _no_largest(base: Base) -> UnknownParameter:
    return UnknownParameter(
        f"transport cannot have measure={base.measure}: some objects may be in no known cluster, "
        "which is at distance 1 from all others, and this distance is not on a scale of 1.",
        "take empty_set='normalise', or a measure from 0 to 1, such as rand.",
    )


def _shown(base: Base, ends: Ends, alpha: float | None) -> float | ScoreRange:
    """The ends as a score of the measure: similarities are one less the distance."""
    least, most = ends.least, ends.most
    estimate = ends.estimate
    if alpha is not None:
        blend = (least * (1 - alpha)).plus(most * alpha)
        least = most = blend
        if estimate is not None:
            middle = (1 - alpha) * estimate[0] + alpha * estimate[1]
            estimate = (middle, middle)
    low, high = least.low, max(least.low, most.high)
    if base.similar:
        low, high = 1.0 - high, 1.0 - low
        estimate = estimate and (1.0 - estimate[1], 1.0 - estimate[0])
    if alpha is not None and low == high and ends.certain:
        return low
    return ScoreRange(low, high, ends.certain, ends.how, not base.similar, estimate)


# Mutual information over all hard clusterings that rough ones allow.


def range_of_information(m: SoftMeet, budget: int) -> tuple[float, float]:
    """The least and the greatest mutual information, in nats."""
    sides = [logical(side) for side in (m.truth, m.guess)]
    for name, side, rough in zip(("truth", "guess"), (m.truth, m.guess), sides, strict=True):
        if rough is None or (rough.masses.focal.size[rough.row] == 0).any():
            what = "has objects in no cluster" if rough else f"is {side.kind}"
            raise KindError(
                f"soft_mutual_information compares rough clusterings; {name} {what}.",
                "transport(nmi) compares all kinds; clustering.harden() makes a partition.",
            )
    if (faced := facing(m)) is not None:
        rough = logical(faced.side)
        assert rough is not None
        loads = Loads(nats, 1.0 / m.objects, -1.0, -1.0, 1.0)
        low, high = range_of_sum(faced._replace(side=rough), loads, budget)
        whole = math.log(m.objects)
        return max(0.0, low + whole), max(0.0, high + whole)
    one, other = (sizes_of(side, m.both) for side in (m.truth, m.guess))
    steps = exp(one.hard + other.hard) * 20 * max(m.clusters) ** 2
    if steps > budget:
        error = BudgetExceeded.of("trying all pairs of clusterings", steps, budget)
        raise BudgetExceeded(error.message, "clustering.harden() makes a partition of one side.")
    both = [AllOf(side, m.both) for side in (m.truth, m.guess)]
    (truth, _), (guess, _) = (next(side.clusterings()) for side in both)
    low, high = math.inf, 0.0
    for _, tables in tables_of(truth, guess):
        cells = nats(tables).sum(axis=(2, 3))
        margins = sum(nats(tables.sum(axis=axis)).sum(axis=-1) for axis in (2, 3))
        shared = (cells - margins) / m.objects + math.log(m.objects)
        low, high = min(low, float(shared.min())), max(high, float(shared.max()))
    return max(0.0, low), max(0.0, high)
