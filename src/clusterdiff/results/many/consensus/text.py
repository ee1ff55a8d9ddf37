"""A consensus in words and cells."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING

from clusterdiff.results.describe import count
from clusterdiff.results.render.table import CellTable, digits, percent
from clusterdiff.results.render.text import printable, wrapped

if TYPE_CHECKING:
    from clusterdiff.results.many.consensus.consensus import Consensus

SHOWN = 20
"""Runs that are shown; of more, the nearest and the farthest."""
WEAK = 0.5
"""Objects with less support are counted."""


def head_of(c: Consensus, width: int) -> str:
    """What was combined, and how good the result is."""
    single = int((c.sizes == 1).sum())
    share = f", {percent(single / c.sizes.size, 0).replace(' ', '')} single" if single else ""
    lines = [
        f"{count(len(c.names), 'run')} of {count(len(c), 'object')}, "
        f"{count(c.problem.profiles, 'profile')}",
        f"consensus: {count(c.sizes.size, 'cluster')} (largest {c.sizes[0]:,}{share})",
        f"cost {amount(c, c.cost)}, {_goodness(c)}",
    ]
    if c.objects_given > len(c):
        left = c.objects_given - len(c)
        every = "any" if c.abstain else "every"
        lines.insert(1, f"{count(left, 'object')} left out: not in a cluster of {every} run")
    if c.problem.seen is not None:
        lines.insert(1, _abstentions(c))
    return "\n".join(wrapped(printable(line), width, more="  ") for line in lines)


def _abstentions(c: Consensus) -> str:
    """How much the runs say where they lack objects."""
    have = list(c.objects_of_runs.values())
    partial = sum(n < len(c) for n in have)
    assert c.problem.seen is not None
    once = int(c.problem.count[c.problem.seen.sum(axis=1) == 1].sum())
    only = f"; {count(once, 'object')} in 1 run only" if once else ""
    lack = "lacks objects and abstains" if partial == 1 else "lack objects and abstain"
    return (
        f"{count(partial, 'run')} {lack} on them: an object is in {sum(have) / len(c):.3g} of "
        f"{len(have):,} runs on average{only}"
    )


def _goodness(c: Consensus) -> str:
    if c.optimal:
        return "the least that any partition has (proved)"
    sure = f" ({100 * c.confidence:g} % confidence)" if c.confidence else ""
    return (
        f"bound {amount(c, c.bound)}: no partition costs less by more than {_percent(c.gap)}{sure}"
    )


def amount(c: Consensus, value: float) -> str:
    """A cost for eyes: pairs of objects are whole, unless weights are not."""
    return f"{value:,.0f}" if value == round(value) and not c.problem.vi else digits(value)


def _percent(share: float) -> str:
    """A share for eyes that nothing exceeds: it is rounded up."""
    rounded = Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(100 * float(share)))
    return f"{max(rounded, Decimal('0.001')):f} %"


def table_of(c: Consensus) -> CellTable:
    """A row for each run, the nearest first where there are many."""
    weighted = len(set(c.weights.values())) > 1
    clusters = c.problem.clusters_of_runs()
    rows = []
    for (name, distance), many in zip(c.distances.items(), clusters, strict=True):
        weight = (f"{c.weights[name]:g}",) if weighted else ()
        objects = (f"{c.objects_of_runs[name]:,}",) if c.abstain else ()
        rows.append((name, *objects, f"{many:,}", *weight, amount(c, distance)))
    if len(rows) > SHOWN:
        order = sorted(range(len(rows)), key=lambda i: (c.distances[c.names[i]], i))
        some = [*order[: SHOWN // 2], *order[-SHOWN // 2 :]]
        rows = [rows[i] for i in some]
    objects = ("objects",) if c.abstain else ()
    heading = ("run", *objects, "clusters", *(("weight",) if weighted else ()), str(c.by))
    return CellTable(heading, tuple(rows))


def notes_of(c: Consensus) -> list[str]:
    """How it was found, and what it is not."""
    unit = "nats" if c.problem.vi else "ordered pairs of objects"
    every = "" if len(c.names) <= SHOWN else f"The nearest and farthest of {len(c.names):,} runs. "
    weighted = ", each times its weight" if len(set(c.weights.values())) > 1 else ""
    weak = int((c.support < WEAK).sum())
    alone = ", with the objects that it lacks as singletons," if c.problem.seen is not None else ""
    both = ", over the objects that each run has" if c.problem.seen is not None else ""
    low = f"; {count(weak, 'object')} below {WEAK:g}" if weak else ""
    return [
        f"{every}The cost is the sum of the distances{weighted}, in {unit}. The medoid is "
        f"{c.medoid}: as a consensus{alone} it would cost {amount(c, c.medoid_cost)}.",
        c.how,
        f"Support of objects, the share of their cluster that runs have with them{both}: "
        f"{c.support.mean():.4f} on average{low}.",
        *_lacking(c),
        "A consensus is near to its runs. It need not be nearer to a truth than they are.",
    ]


def _lacking(c: Consensus) -> list[str]:
    """That runs which lack objects could abstain, where they were made to vote or cut short."""
    if c.abstain or not c.lacking or c.problem.vi:
        return []
    return [
        f"{count(c.lacking, 'run')} {'lacks' if c.lacking == 1 else 'lack'} objects. "
        'align="abstain" (--align abstain) counts each pair of objects only in the runs that have '
        "both."
    ]


def how_of(c: Consensus) -> str:
    """How the consensus was found and its bound proved."""
    found = c.found
    if found.sampled is not None:
        return (
            f"Found by local search from {c.medoid}; the bound is the majority of runs for each "
            f"pair of objects, from {found.sampled.pairs:,} pairs drawn at random."
        )
    if not found.components:
        return (
            f"Found by local search from {c.medoid}; the bound is from the distances between runs."
        )
    linked = "the join of the runs" if c.problem.vi else "majorities of runs"
    parts = [
        f"{count(found.components, 'component')} of {linked} (largest: "
        f"{count(found.largest, 'profile')})"
    ]
    if found.settled:
        parts.append(f"{found.settled:,} settled by agreement")
    if found.proved:
        parts.append(f"{found.proved:,} solved and proved")
    if found.searched:
        bound = "the distances between runs" if c.problem.vi else "majorities and triangles"
        parts.append(f"{found.searched:,} searched, bounded by {bound}")
    return f"{parts[0]}: {', '.join(parts[1:])}."
