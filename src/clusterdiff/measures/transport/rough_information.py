"""Mutual information over all hard clusterings that rough ones allow."""

from __future__ import annotations

import math

from clusterdiff.errors import KindError
from clusterdiff.measures.soft.pair_masses import facing
from clusterdiff.measures.transport.column_dp import range_of_sum
from clusterdiff.measures.transport.contingency import tables_of
from clusterdiff.measures.transport.distance import (
    BudgetExceeded,
    Loads,
    exp,
    logical,
    nats,
)
from clusterdiff.measures.transport.lp import AllOf, sizes_of
from clusterdiff.meet import SoftMeet


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
