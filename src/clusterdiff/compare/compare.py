"""Comparing: one truth, one or several guesses, perhaps in samples, many measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.compare.report import Report
from clusterdiff.contingency import Listed, Meet, Policy, Stack
from clusterdiff.engines.label_checks import check_labels
from clusterdiff.engines.protocol import Table, kind_of
from clusterdiff.engines.samples import Sample
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MemoryNeeded, warn
from clusterdiff.io import clustering, judged_together, kinds_for, listed, settle_indexes
from clusterdiff.io.sides import (
    NOWHERE,
    Origins,
    guesses_of,
    kind_asked,
    opened,
    takes_columns,
)
from clusterdiff.measures import Measure, default_measures, measures_named
from clusterdiff.measures.base import Estimate
from clusterdiff.measures.compat import OWN, Convention, convention_named
from clusterdiff.measures.interval import Interval
from clusterdiff.output.score import Score
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals
from clusterdiff.statistics.resampling import score_of_all
from clusterdiff.statistics.units import Joint, units_of_samples

if TYPE_CHECKING:
    from clusterdiff.io import Judged
    from clusterdiff.io.sides import Kinds, Opened


@takes_columns
def compare(
    truth: Any = None,
    guess: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    kind: str | tuple[str, str] | None = None,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    features: Any = None,
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    strata: Any = None,
    method: str = "jackknife",
    seed: int = 0,
    compat: str | None = None,
) -> Report:
    """Scores of one guess, or of several given as a dict from name to guess.

    >>> report = compare(["a", "a", "b"], [1, 1, 1], ["elm_f", "rand"])
    >>> report["rand"].value
    0.3333333333333333

    A dict whose values are clusterings holds several guesses; one whose values are labels is a
    guess itself. `samples` is the name of a column of both frames, a dict from id to sample, one
    sample per object, or (in place of truth and guess) a list of (truth, guess) pairs.
    kind="cover" reads tables, dicts and files as covers, in which an object may be in several
    clusters; it need not be said where all measures are measures of covers. kind="rough", "fuzzy",
    "possibilistic" or "evidential" reads them as uncertain clusterings; a pair of kinds is one for
    truth and one for the guesses.

    Files and DuckDB relations are counted by DuckDB, Spark frames by Spark, without coming into
    memory. `engine` is cd.DuckDB(memory="4GB", threads=2, temp="/scratch"), cd.Spark(session), or
    the name of an engine: "arrays" reads everything into memory.

    confidence=0.95 adds confidence intervals, and with several guesses the differences between them
    with p-values. What another data set would have others of are the samples, where there are any,
    else the connected components of clusters that share objects (`units`). `method` is "jackknife",
    "bootstrap" or "betting"; `strata` is a dict from sample to stratum.

    `align` is what becomes of objects on one side only: "exact" (the default) refuses them,
    "shared", "singletons" and "penalise" are the others.

    compat="sklearn" gives the numbers of scikit-learn: its measures, with its parameters, and only
    those. "conll", "coval", "python-bcubed", "er-evaluation" and "elki" are the other conventions;
    each has its own `align`, unless it is given.
    """
    convention = convention_named(compat)
    policy = Policy(convention.align(align), noise, noise_as)
    asked_interval = Confidence.of(confidence, units, method, strata, seed)
    asked = None if measures is None else convention.chosen(measures_by_text(measures).values())
    kind = kind or kind_asked(asked)
    if guess is None:
        kinds = kinds_for(kind, truth)
        given = _pairs(truth, samples, kinds)
        check_labels([s.truth for s in given], [s.guess for s in given], policy)
        sides_given = [c for s in given for c in s[1:]]
        chosen = asked or default_for(sides_given, policy.align, kind, convention)
        return scored(
            {"guess": listed(given, policy)}, measures_by_text(chosen), confidence=asked_interval
        )
    sides = opened(engine, truth, guesses_of(guess, kind, truth), kind, samples)
    return compare_sides(
        sides, asked, policy, kind=kind, features=features, confidence=asked_interval,
        convention=convention,
    )  # fmt: skip


def compare_sides(
    sides: Opened,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    *,
    besides: Iterable[Measure] = (),
    kind: Kinds = None,
    features: Any = None,
    lost: bool | str = False,
    confidence: Confidence | None = None,
    convention: Convention = OWN,
) -> Report:
    """Scores of sides that are opened here, and closed before anything is scored.

    `besides` are measures more, whatever the others are; with `lost` the report has the objects
    that guesses are not judged on, or of these the ones that the guess of this name has.
    `convention` is that of the default measures.
    """
    with sides as (shop, truth, guesses):
        every = [truth, *guesses.values()]
        shown = measures or default_for(every, policy.align, kind, convention)
        chosen = measures_by_text([*shown, *besides])
        judged = judged_together(shop, truth, guesses, policy, features)
        found = {name: judged.met(name) for name in guesses}
        _warn_of_cuts(found)
        unless = lost if isinstance(lost, str) else None
        left_out = {name: judged.lost(name, unless) for name in guesses} if lost else {}
        joint = joint_of(judged, found, confidence)
    report = scored(found, chosen, Origins.of(truth, guesses), confidence)
    return replace(report, lost=left_out, joint=joint)


def _warn_of_cuts(found: Mapping[str, Meet | Stack | Listed]) -> None:
    """Say that a truth which knows few objects is rather a sample of one."""
    for name, one in found.items():
        if isinstance(one, Stack | Listed) or not one.alignment.cut:
            continue
        every = one.objects + one.alignment.only_guess
        which = "guess" if len(found) == 1 else name
        many = f"{one.alignment.cut:,} {which} cluster{'s are' if one.alignment.cut > 1 else ' is'}"
        warn(
            ClusterdiffWarning(
                f"Only {one.objects:,} of {every:,} objects have a truth, and {many} cut by that: "
                "precision would be misleading.",
                'cd.estimate(truth, guess, design="records") if truth has some clusters, each '
                "complete.",
                "clusterdiff estimate --design records if truth has some clusters, each complete.",
            ),
            ClusterdiffWarning,
        )


def joint_of(
    judged: Judged, found: Mapping[str, Meet | Stack | Listed], confidence: Confidence | None
) -> Joint | None:
    """The clusters of truth and all guesses together, where differences are found by components."""
    if confidence is None or len(found) < 2 or confidence.units in ("samples", "objects"):
        return None
    first = next(iter(found.values()))
    sampled = isinstance(first, Stack | Listed)
    if sampled and confidence.units is None:
        return None
    try:
        cells = judged.cells()
    except MemoryNeeded:
        return None
    whole = first.pooled if isinstance(first, Stack | Listed) else first
    return None if cells is None else Joint(*cells, whole.alignment)


def scored(
    found: Mapping[str, Meet | Stack | Listed],
    chosen: Mapping[str, Measure],
    origins: Origins = NOWHERE,
    confidence: Confidence | None = None,
) -> Report:
    """All measures of all guesses; over samples the mean of their scores, and the score of their
    disjoint union.
    """
    scores: dict[str, dict[str, Score]] = {}
    for guess, one in found.items():
        samples = one if isinstance(one, Stack | Listed) else None
        meet = one.pooled if isinstance(one, Stack | Listed) else one
        units = None
        if confidence is not None:
            units = ScoreIntervals(confidence, meet, samples, tuple(chosen.values()))
        alone = len(chosen) == 1
        scores[guess] = {}
        for text, m in chosen.items():
            if samples is None:
                made = _score(m, meet, alone)
                if units is not None:
                    made = replace(made, sure=units.score(m, made.value))
                scores[guess][text] = made
                continue
            each, names = m.of_each(samples), tuple(map(str, samples.names))
            value, micro = _mean(each), _micro(m, samples, meet)
            scores[guess][text] = Score(
                m, value, meet, each, names, micro, samples,
                strata={} if confidence is None else confidence.strata,
                sure=None if units is None else units.macro(m, each, value),
                micro_sure=None if units is None else units.score(m, micro),
            )  # fmt: skip
    return Report(scores, chosen, origins, confidence=confidence)


def _score(measure: Measure, meet: Meet, alone: bool) -> Score:
    """The score of a measure; one that needs more memory than there is says so, unless it was all
    that was asked for.
    """
    try:
        return Score(measure, measure.of(meet), meet)
    except MemoryNeeded as error:
        if alone:
            raise
        return Score(measure, None, meet, missing=error.message)


def _micro(measure: Measure, samples: Stack | Listed, pooled: Meet) -> Any:
    """The score of all samples together: that of their disjoint union, unless the package whose
    convention the measure follows sums what it counts within each sample.
    """
    units = units_of_samples(samples) if measure.sums_samples else None
    sums = None if units is None else units.sums(measure)
    if units is None or sums is None:
        return measure.of(pooled)
    return score_of_all(sums, units.count)


def _mean(each: tuple[Any, ...]) -> Any:
    """The mean of the samples' scores; of estimates an estimate, of intervals an interval."""
    if any(isinstance(score, Interval) for score in each):
        spans = [s if isinstance(s, Interval) else Interval(s, s) for s in each]
        ways = dict.fromkeys(s.how for s in spans)
        return Interval(
            math.fsum(s.low for s in spans) / len(spans),
            math.fsum(s.high for s in spans) / len(spans),
            all(s.certain for s in spans),
            next(iter(ways)) if len(ways) == 1 else f"mean over samples: {'; '.join(ways)}",
            spans[0].distance,
            _mean_estimate(spans),
        )
    mean = math.fsum(each) / len(each)
    drawn = [score for score in each if isinstance(score, Estimate)]
    if not drawn:
        return mean
    error = math.sqrt(math.fsum(score.error**2 for score in drawn)) / len(each)
    return Estimate(mean, error, sum(score.drawn for score in drawn), drawn[0].what)


def _mean_estimate(spans: list[Interval]) -> tuple[float, float] | None:
    """The mean of what was drawn, where anything was."""
    if all(s.estimate is None for s in spans):
        return None
    ends = [s.estimate or (s.low, s.high) for s in spans]
    return (
        math.fsum(low for low, _ in ends) / len(ends),
        math.fsum(high for _, high in ends) / len(ends),
    )


def default_for(
    sides: Iterable[AnyClustering | Table],
    align: str,
    kind: Kinds = None,
    convention: Convention = OWN,
) -> Sequence[str | Measure]:
    """What is given of these sides when nothing is asked: of a package, all that it has."""
    said = [kind_of(side) for side in sides]
    overlap = "cover" in said or "cover" in (kind or ())
    if convention.name:
        return convention.default(overlap)
    return default_measures(align, overlap, any(kind in SOFT for kind in said))


def measures_by_text(wanted: Iterable[str | Measure] | str | Measure) -> dict[str, Measure]:
    """The measures asked for, by the text that they print."""
    if isinstance(wanted, str | Measure):
        wanted = [wanted]
    found: dict[str, Measure] = {}
    for m in (m for one in wanted for m in measures_named(one)):
        if found.setdefault(str(m), m) != m:
            raise ClusterdiffError(
                f"two different measures are both written {m}.", "give the functions names."
            )
    if not found:
        raise ClusterdiffError(
            "no measure was asked for.", "leave measures= out for the default set."
        )
    return found


def _pairs(pairs: Any, samples: Any, kinds: tuple[str | None, str | None]) -> list[Sample]:
    """Samples given as pairs: a list of (truth, guess), or a dict from name to such a pair."""
    given = samples if pairs is None else pairs
    if isinstance(given, Mapping):
        named = list(given.items())
    elif isinstance(given, list | tuple):
        named = list(enumerate(given))
    else:
        raise ClusterdiffError("there is no guess to compare.", "cd.compare(truth, guess)")
    if not named or not all(isinstance(p, list | tuple) and len(p) == 2 for _, p in named):
        raise ClusterdiffError(
            "samples as a list hold a (truth, guess) pair each.",
            "cd.compare(samples=[(truth_1, guess_1), (truth_2, guess_2)])",
        )
    made = [
        Sample(name, clustering(t, kinds[0]), clustering(g, kinds[1])) for name, (t, g) in named
    ]
    for sample in made:
        settle_indexes([sample.truth, sample.guess])
    return made
