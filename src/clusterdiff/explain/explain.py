"""Explaining: where two clusterings differ, and what each difference costs."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import finalize

from clusterdiff.clusterings import Soft
from clusterdiff.compare.compare import rows_given
from clusterdiff.contingency import Listed, Policy, Stack
from clusterdiff.engines.images import confidence_for
from clusterdiff.engines.named import SqlNamedComparison
from clusterdiff.errors import ScoredPairsError
from clusterdiff.explain.partition import Explanation
from clusterdiff.explain.ranking import BaseExplanation, check_no_samples
from clusterdiff.io import align_together
from clusterdiff.io.arguments import source_column
from clusterdiff.io.between import apart, between_of, check_between, named, named_between
from clusterdiff.io.sides import (
    DEFAULT,
    Origins,
    PairOptions,
    RecordOptions,
    opened,
    records_of,
    takes_columns,
)
from clusterdiff.io.speech import Scored, in_one_file, turns_of
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.io import AlignedComparison
    from clusterdiff.io.sides import Opened


@takes_columns
def explain(
    truth: Any,
    guess: Any,
    by: str | Measure | None = None,
    *,
    kind: str | tuple[str, str] | None = None,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    ignore: Any = None,
    ignore_in: str = "truth",
    count: Any = None,
    between: Any = None,
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    compat: str | None = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
    pairs: Any = None,
    threshold: float | None = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
) -> BaseExplanation[Any]:
    """Explain where two clusterings differ, ranked by how much each place lowers the score of `by`.

    >>> print(explain({1: "a", 2: "a", 3: "b", 4: "c"}, {1: "x", 2: "x", 3: "x", 4: "y"}))
    elm_f 0.5833 = 1 - 0.4167. Where the 0.4167 comes from:
    <BLANKLINE>
      100.0 %  merged   2 true clusters (a, b) in guess x, 3 objects
                        2 of a (1, 2); 1 of b (3)
        0.0 %  right    1 cluster, 1 object
    <BLANKLINE>
    Of 4 objects: 25.0 % right, 0.0 % split, 75.0 % merged, 0.0 % both.
    Of 3 true clusters, 1 was found exactly (33.3 %).

    Partitions are explained by components: clusters that are entangled with each other and no
    others (`split`, `merged` or `mixed`). Overlapping and uncertain clusterings are explained by
    objects with identical errors. `by` is elm_f for partitions; the measures whose loss can be
    split are named if another one is asked for. The other parameters are those of `compare`;
    samples are scored apart, and the score is that of all of them together. confidence=0.95 adds
    the interval of the score; `explanation.uncertainty()` names the components or samples that
    decide how wide it is. With `between`, as in `compare`, only pairs of objects from different
    sources are lost, by pair_f if `by` is left out.

    Objects are shown with their records: the other columns of the tables that truth and guess come
    from, or a table of its own, `records` (a frame or a file with a row for each id). `show` names
    the columns, the first eight where it is left out; show="all" and show="none" are taken too.
    `explanation.to_frame()` is the review queue, with a row for each record of each part, and
    `explanation.slices()` shows which values of other columns go with errors.

    `pairs` are the scored pairs that the guess was made of, as `sweep` takes them, and `threshold`
    is the score from which on they link. Below a wrong merge stand the links that join different
    true clusters, the weakest first; below a split, the best pair across its parts.

    Speech is explained by diarization_error_rate: who was missed, invented or taken for whom, for
    how long and when (`explanation.errors`).
    """
    if between is not None:
        check_between(between, samples=samples)
    of = samples if between is None else source_column(between)
    asked = Confidence.of(confidence, units)
    convention = convention_named(compat)
    measure = convention.explained(by)
    ignore = convention.background(None if measure is None else [measure], ignore)
    time = Scored(collar, skip_overlap, uem)
    sides = opened(
        engine, truth, {"guess": guess}, kind, of, count, scored=time, ignore=ignore,
        ignore_in=ignore_in,
    )  # fmt: skip
    policy = Policy(convention.align(align), noise, noise_as)
    shown = RecordOptions(records, show)
    scored = PairOptions.of(pairs, threshold, engine)
    return explain_sides(sides, measure, policy, asked, shown, scored, between)


def explain_sides(
    sides: Opened,
    by: str | Measure | None,
    policy: Policy,
    confidence: Confidence | None = None,
    shown: RecordOptions = DEFAULT,
    scored: PairOptions | None = None,
    between: Any = None,
) -> BaseExplanation[Any]:
    """The explanation of a truth and a guess that are opened here; where they are too large for
    memory they stay open, as long as the explanation is there.
    """
    with sides if between is None else apart(sides, between) as (sessions, truth, guesses):
        (guess,) = guesses
        confidence = confidence_for(confidence, truth, *guesses.values())
        aligned = align_together(sessions, truth, guesses, policy)
        source = None if between is None else named(between)
        told = explained(aligned, guess, by, shown, scored, source)
        if confidence is not None:
            told = with_confidence(told, aligned, guess, confidence)
        if isinstance(told, Explanation) and isinstance(told.named, SqlNamedComparison):
            finalize(told.named, sessions.kept_open().close)
    return told


def with_confidence(
    told: BaseExplanation[Any], aligned: AlignedComparison, guess: str, confidence: Confidence
) -> BaseExplanation[Any]:
    """An explanation with an interval of the score, by samples where there are any."""
    met = aligned.contingency_of(guess)
    split = met if isinstance(met, Stack | Listed) else None
    meet, between = told.score.meet, told.score.meet.alignment.between
    if between:  # its rows are apart, so that each cluster is a unit with its own pairs
        meet = between_of(aligned, guess, between)
    rows = rows_given(aligned, {guess: met}, confidence)
    intervals = ScoreIntervals(confidence, meet, split, (told.measure,), rows, guess)
    names = () if split is None else tuple(map(str, split.names))
    ci = intervals.score(told.measure, told.score.value)
    again = copy(told)
    vars(again)["score"] = replace(told.score, ci=ci, split=split, samples=names)
    return again


def explained(
    aligned: AlignedComparison,
    guess: str,
    by: str | Measure | None,
    shown: RecordOptions = DEFAULT,
    scored: PairOptions | None = None,
    between: str | None = None,
) -> BaseExplanation[Any]:
    """The explanation of a guess of a comparison, in memory or where it is."""
    given = aligned.whole or aligned
    origins = Origins.of(given.truth, {"guess": given.guesses[guess]})
    records = records_of([given.truth, given.guesses[guess], *given.guesses.values()], shown)
    if (compared := aligned.compared(guess)) is not None:
        if between is not None:
            compared = named_between(aligned, guess, compared, between)
        told = Explanation.of(compared, measure_named(by or ("pair_f" if between else "elm_f")))
        pairs = None if scored is None else scored.opened(compared.sampled)
        return told.read_from(origins, records, pairs)
    if scored is not None:
        raise ScoredPairsError(
            "scored pairs explain partitions, and these clusterings overlap or are uncertain.",
            "leave pairs= out.",
            "leave --pairs out.",
        )
    from clusterdiff.explain.cover import CoverExplanation
    from clusterdiff.explain.soft import SoftExplanation
    from clusterdiff.explain.speech import SpeechExplanation

    spoken = turns_of(aligned.truth) is not None
    if spoken:
        aligned = aligned.with_sides(in_one_file)
    sides = aligned.loaded(guess)
    check_no_samples(*sides)
    soft = any(isinstance(side, Soft) for side in sides)
    kind: type[CoverExplanation | SoftExplanation] = SoftExplanation if soft else CoverExplanation
    if spoken:
        kind = SpeechExplanation
    return kind.of(aligned, guess, measure_named(by or kind.default)).read_from(origins, records)
