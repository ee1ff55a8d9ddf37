"""Two runs against one truth: what the new one repaired, and what it broke."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from clusterdiff.backends.labelled.memory import Named
from clusterdiff.backends.memory.match import in_order_of
from clusterdiff.clusterings import SOFT, Cover, Partition
from clusterdiff.errors import KindError
from clusterdiff.inputs import Workshop, judged_together
from clusterdiff.measures import Measure, default_measures, measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.meet import Policy
from clusterdiff.results.compare import joint_of, measures_by_text, scored
from clusterdiff.results.diff.changes import RUNS, Run
from clusterdiff.results.diff.cover import CoverDiff, CoverRun
from clusterdiff.results.diff.partition import PartitionDiff
from clusterdiff.results.diff.result import Diff
from clusterdiff.results.explain.cover import CoverExplanation
from clusterdiff.results.explain.places import refuse_samples
from clusterdiff.results.origins import Origins
from clusterdiff.results.sides import opened
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.inputs import Judged
    from clusterdiff.meet import Listed, Meet, Stack
    from clusterdiff.results.report import Report
    from clusterdiff.results.sides import Kinds, Opened

    Met = Meet | Stack | Listed


def diff(
    truth: Any,
    old: Any,
    new: Any,
    by: str | Measure | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    kind: Kinds = None,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    strata: Any = None,
    method: str = "jackknife",
    seed: int = 0,
    compat: str | None = None,
) -> Diff:
    """What a new run repaired and what it broke: scores, objects, and clusters ranked by change.

    >>> change = diff({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 3: "z"}, {1: "x", 2: "x", 3: "x"})
    >>> change.objects
    {'repaired': 0, 'broken': 1, 'better': 2, 'worse': 0, 'as right': 0, 'as wrong': 0}

    Clusters of partitions are ranked, by elm_f unless `by` names another measure; of overlapping
    clusterings (covers, or kind="cover") the objects of which all three sides say the same, by
    cice_f. confidence=0.95 adds the interval and the p-value of each change; it and
    `compat` are as in `compare`.
    """
    runs = opened(engine, truth, {"old": old, "new": new}, kind, samples, whole=True)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else []
    sureness = Confidence.of(confidence, units, method, strata, seed)
    policy, by = Policy(convention.align(align), noise, noise_as), convention.explained(by)
    return diff_sides(runs, by, asked or convention.default(False), policy, confidence=sureness)


def diff_sides(
    opened_sides: Opened,
    by: str | Measure | None,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    besides: Iterable[Measure] = (),
    confidence: Confidence | None = None,
) -> Diff:
    """What two runs have made of one truth, all of them in memory, of which the list lets go.
    `besides` are measures more, whatever the others are.
    """
    with opened_sides as (shop, left, guesses):
        sides = [shop.loaded(side) for side in (left, *guesses.values())]
    del left, guesses
    _refuse_uncertain(sides)
    origins = Origins.of(sides[0], {"old": sides[1], "new": sides[2]})
    overlap = any(isinstance(side, Cover) for side in sides)
    chosen = measure_named(by or (CoverExplanation.default if overlap else "elm_f"))
    shown = measures or default_measures(policy.align, overlap)
    asked = {str(chosen): chosen, **measures_by_text([*shown, *besides])}
    truth, old, new = sides
    sides.clear()
    if overlap:
        refuse_samples(truth, old, new, verb="diff")
        judged = judged_together(Workshop(), truth, {"old": old, "new": new}, policy)
        covers = [CoverRun.of(judged, name, chosen) for name in RUNS]
        meets: dict[str, Met] = {name: judged.met(name) for name in RUNS}
        made = _scored(judged, meets, asked, origins, confidence)
        found: Diff = CoverDiff(made[chosen]["new"], made, judged.lost("new", "old"), *covers)
        return found.read_from(origins)
    truth = cast(Partition, truth)
    both = {"old": in_order_of(truth, cast(Partition, old))}
    del old
    both["new"] = in_order_of(truth, cast(Partition, new))
    del new
    judged = judged_together(Workshop(), truth, both, policy)
    runs = [Run.of(cast(Named, judged.compared(name)), chosen) for name in RUNS]
    meets = {
        name: judged.met(name) if run.named.sampled else run.named.meet
        for name, run in zip(RUNS, runs, strict=True)
    }
    made = _scored(judged, meets, asked, origins, confidence)
    found = PartitionDiff(made[chosen]["new"], made, judged.lost("new", "old"), *runs)
    return found.read_from(origins)


def _scored(
    judged: Judged,
    meets: dict[str, Met],
    asked: dict[str, Measure],
    origins: Origins,
    confidence: Confidence | None,
) -> Report:
    """Both runs, side by side."""
    report = scored(meets, asked, origins, confidence)
    return replace(report, joint=joint_of(judged, meets, confidence))


def _refuse_uncertain(sides: list[AnyClustering]) -> None:
    for name, side in zip(("truth", "the old run", "the new run"), sides, strict=True):
        if side.kind in SOFT:
            raise KindError(
                f"a diff compares partitions and covers; {name} is {side.kind}.",
                "cd.compare(truth, {'old': old, 'new': new}) scores uncertain clusterings side by "
                "side.",
            )
