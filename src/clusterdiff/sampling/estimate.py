"""Scores of a whole guess, estimated from a sample of truth clusters."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import Alignment, Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    ClusterdiffWarning,
    shown,
    warn,
)
from clusterdiff.io import EngineSessions, side
from clusterdiff.io.arguments import settle_indexes
from clusterdiff.io.runs import check_not_counted
from clusterdiff.io.sides import guesses_of
from clusterdiff.measures import Measure, default_measures
from clusterdiff.output.describe import count
from clusterdiff.output.score import DIGITS, Score
from clusterdiff.sampling.estimators import SampledTogether, SampledUnits, Touched, touched
from clusterdiff.sampling.sample import OTHERS, Sampled, check_design, filled_in, resolved
from clusterdiff.sampling.sample_report import SampleReport
from clusterdiff.statistics.confidence import Confidence, level_of

if TYPE_CHECKING:
    from clusterdiff.io.sides import GivenSide


def estimate(
    sample: Any,
    guess: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    design: str | Mapping[Any, float] | None = None,
    hits: Any = None,
    population: int | None = None,
    out_of: int | None = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    confidence: float = 0.95,
    method: str = "jackknife",
    seed: int = 0,
    engine: Any = None,
) -> SampleReport:
    """Estimate the scores of whole guesses from a sample of the truth.

    >>> whole = {record: record // 3 for record in range(3000)}
    >>> drawn = {record: record // 6 for record in range(120)}
    >>> estimate(drawn, whole, "pair_f", design="clusters")["pair_f"]
    Score(pair_f(alpha=0.5, f='means') = 0.571428571428571... | objects:120|...

    `sample` has some truth clusters, each complete: an object that it does not name is in none of
    them. In a file that `draw` wrote, members without a line are named in the column that asks for
    them; if only the listed lines seem to be filled in, there is a warning. `guess` has all
    objects, since the whole sizes of its clusters count; it may be a file or a table larger than
    memory, or several guesses by name.

    `design` is how the clusters were drawn: "records" if records were drawn and the clusters that
    they are in were resolved, "clusters" if all clusters had the same chance; or the weight of each
    cluster, as a dict or as the name of a column. `hits` is how often each cluster was drawn, by
    default once: the name of a column with the number of draws of each record (blank for records
    that were not drawn; a column called hits is taken by default), a dict from cluster to number,
    or the list of the records that were drawn. `population` is the number of all objects, if the
    guess does not have all. `out_of` is the number of all clusters, if they were drawn without
    replacement and intervals are to be for these clusters only.

    Objects of the sample that the guess lacks are refused, or counted as `align` says, as in
    `compare`. `noise` of the guess becomes singletons; with noise_as="drop" noise of the guess is
    not part of the population, and noise of the sample is in no sampled cluster.
    """
    asked = interval_request(confidence, method, seed)
    chosen = None if measures is None else measures_by_text(measures)
    policy = Policy(align, noise, noise_as)
    check_design(design)
    guesses = guesses_of(guess, None, sample)
    is_table = isinstance(sample, str | os.PathLike) or (
        not isinstance(sample, Clustering)
        and any(hasattr(sample, name) for name in ("columns", "column_names"))
    )
    with EngineSessions(engine) as sessions:
        sheet = filled_in(
            lambda name: sessions.loaded(side(sessions, sample, None, name)), design, hits, is_table
        )
        sides = {name: side(sessions, one, None) for name, one in guesses.items()}
        settle_indexes([sheet.side, *sides.values()])
        drawn = resolved(sheet, design, hits, out_of, policy)
        return estimate_sides(sessions, drawn, sides, chosen, policy, asked, population)


def interval_request(confidence: Any, method: str, seed: int) -> Confidence:
    """How the intervals of estimates are to be computed."""
    request = Confidence.of(level_of(confidence), None, method, None, seed)
    assert request is not None
    return request


def estimate_sides(
    sessions: EngineSessions,
    sample: Sampled,
    guesses: Mapping[str, GivenSide],
    chosen: Mapping[str, Measure] | None,
    policy: Policy,
    asked: Confidence,
    population: int | None = None,
    *,
    besides: Mapping[str, Measure] | None = None,
) -> SampleReport:
    """Scores of guesses that are opened, from a sample whose design is known. `besides` are
    measures that must have an estimate, such as those of gates.
    """
    check_not_counted(
        guesses.values(), "an estimate weighs what was drawn by its chance to be drawn"
    )
    touches = {
        name: touched(sessions, sample.objects, guess, policy, sample.positions)
        for name, guess in guesses.items()
    }
    _warn_of_listed(sessions, sample, guesses)
    sample, touches, notes = _with_the_same_objects(sample, touches, policy)
    if sample.asked:
        have = "has a question mark" if sample.asked == 1 else "have question marks"
        still = f"{count(sample.asked, 'drawn record')} still {have} under {OTHERS}"
        notes = [f"{still}: no other members are assumed", *notes]
    size = _population(sample, touches, policy, population)
    units = {}
    for name, touch in touches.items():
        lacking = len(sample.objects) - touch.position.size
        alignment = Alignment(
            policy.align, lacking, 0, touch.noise, policy.noise_as if policy.noise_labels else "",
            notes=touch.notes,
        )  # fmt: skip
        units[name] = SampledUnits.of(sample, touch, alignment, size).in_order()
    if chosen is None:
        first = next(iter(units.values()))
        usual = measures_by_text(default_measures("exact", False, False))
        chosen = {text: m for text, m in usual.items() if first.why_not(m) is None}
        chosen |= besides or {}
    needed = chosen if len(chosen) == 1 else besides or {}
    return SampleReport(
        {name: _scores(side, chosen, needed, asked, sample) for name, side in units.items()},
        chosen,
        confidence=asked,
        joint=SampledTogether(units, sample.keep),
        sample=sample,
        units=units,
        guess_objects={name: touch.objects for name, touch in touches.items()},
        told=tuple(notes),
    )


def _scores(
    units: SampledUnits,
    chosen: Mapping[str, Measure],
    needed: Container[str],
    asked: Confidence,
    sample: Sampled,
) -> dict[str, Score]:
    """All measures of one guess. A measure that cannot be estimated has the reason instead, unless
    it is needed: by a gate, for a plan, or because nothing else was asked for.
    """
    drawn = {
        "objects": len(sample.objects),
        "design": sample.design,
        "hits": int(sample.hits.sum()),
        "population": "unknown" if units.population is None else units.population,
    }
    drawn |= {} if sample.out_of is None else {"out_of": sample.out_of}
    drawn["sample"] = units.digest[:DIGITS]
    scores = {}
    for text, measure in chosen.items():
        refused = units.why_not(measure)
        if refused is None:
            value, ci = units.estimate(measure, asked, sample.keep)
            scores[text] = Score(measure, value, units.meet, ci=ci, drawn=drawn)
            continue
        if text in needed:
            raise ClusterdiffError(f"{refused[0]}.", refused[1])
        missing = f"{refused[0]}. Hint: {refused[1]}"
        scores[text] = Score(measure, None, units.meet, missing=missing, drawn=drawn)
    return scores


def _warn_of_listed(
    sessions: EngineSessions, sample: Sampled, guesses: Mapping[str, GivenSide]
) -> None:
    """Warn if members seem to have been looked for only among the records listed with the drawn
    ones: then the run splits no drawn cluster, and recall is too high.
    """
    lines = sample.lines
    if sample.listed_only or (
        lines is not None
        and all(_has_all(sessions, lines, guess, sample.positions) for guess in guesses.values())
    ):
        warn(
            ClusterdiffWarning(
                "no sampled cluster has a member outside of the run clusters of the drawn records: "
                "the truth looks as though only the listed lines were filled in, and recall would "
                "be too high.",
                f"name the other members of each drawn record under {OTHERS}, or write none there.",
            )
        )


def _has_all(
    sessions: EngineSessions, lines: Partition, guess: GivenSide, positions: int | None
) -> bool:
    """Whether all lines are in guess clusters with a drawn record."""
    with catch_warnings():
        simplefilter("ignore", ClusterdiffWarning)
        try:
            touch = touched(sessions, lines, guess, Policy("shared", [None]), positions)
        except ClusterdiffError:
            return False
    drawn = lines.labels.keys[touch.position] > 0
    if touch.position.size < len(lines) or touch.objects == len(lines):
        return False  # some are elsewhere, or the truth is whole
    return bool(np.isin(touch.cluster, touch.cluster[drawn]).all())


def _with_the_same_objects(
    sample: Sampled, touches: dict[str, Touched], policy: Policy
) -> tuple[Sampled, dict[str, Touched], list[str]]:
    """The sample without the objects that guesses lack, or call noise, and a note on them."""
    every = np.arange(len(sample.objects))
    kept, *others = (
        np.isin(every, touch.position)
        if policy.align == "shared"
        else ~np.isin(every, touch.dropped)
        for touch in touches.values()
    )
    if any((other != kept).any() for other in others):
        raise AlignmentError(
            "the guesses do not have the same objects, so each would be scored on others.",
            "estimate them one at a time, or give guesses of the same objects.",
        )
    if kept.all():
        return sample, touches, []
    if not kept.any():
        raise AlignmentError.nothing_shared()
    place = np.cumsum(kept) - 1
    some = {name: t._replace(position=place[t.position]) for name, t in touches.items()}
    out, alone = int((~kept).sum()), len(touches) == 1
    dropped = plan_of(policy, "partition").noise is Fate.DROPPED
    noise = f" or call{'s' if alone else ''} noise" if dropped else ""
    which = "the guess lacks" if alone else "the guesses lack"
    note = f"{count(out, 'object')} of the sample that {which}{noise}: left out"
    return sample.take(np.flatnonzero(kept)), some, [note]


def _population(
    sample: Sampled, touches: Mapping[str, Touched], policy: Policy, given: Any
) -> int | None:
    """The number of all objects, if it is known."""
    most = max(len(sample.objects), *(touch.objects for touch in touches.values()))
    if given is not None:
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < most:
            raise ClusterdiffError(
                f"population is the number of all records, at least {most:,}; got {shown(given)}.",
                "leave it out if the guess has all of them.",
            )
        return int(given)
    whole = True
    for name, touch in touches.items():
        if touch.objects == touch.position.size:
            whole = False
            which = "the guess" if len(touches) == 1 else name
            warn(
                ClusterdiffWarning(
                    f"{which} has no object that is not in the sample: it seems to be cut down to "
                    "the sampled records, and precision would be misleading.",
                    "give the whole guess; if the sample is the whole truth, cd.compare.",
                    "give the whole guess; if the sample is the whole truth, clusterdiff compare.",
                )
            )
    sizes = {touch.objects for touch in touches.values()}
    lacking = policy.align != "shared" and any(
        touch.position.size < len(sample.objects) for touch in touches.values()
    )
    return sizes.pop() if whole and len(sizes) == 1 and not lacking else None
