"""Scores of single objects: which ones found the others like them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Cover
from clusterdiff.clusterings.base import pandas_series
from clusterdiff.compare.compare import compare
from clusterdiff.compare.differences import notes_on_intervals, with_interval
from clusterdiff.contingency import CoverMeet, Policy, SoftMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.label_checks import check_labels
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.engines.samples import by_sample, check_strangers
from clusterdiff.errors import (
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    InputError,
    NothingShared,
    UnknownMeasure,
    printable,
    shown,
)
from clusterdiff.io.records import Records, shown_value
from clusterdiff.io.sides import RecordOptions, opened, records_of, takes_columns
from clusterdiff.io.speech import Scored, turns_of
from clusterdiff.measures import Measure, measure_named, measures
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Renderable, frame_of, paragraphs
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Meet
    from clusterdiff.statistics.intervals import ConfidenceInterval


SPEECH = "extended_bcubed_f(f='objects')"
"""The measure of stretches of time where none is named."""


@dataclass(frozen=True)
class ObjectScores(Renderable):
    """The score of each object, aligned with the ids (positions where there are no ids)."""

    measure: Measure
    ids: list[Any]
    scores: NDArray[np.float64]
    ci: ConfidenceInterval | None = None
    """The confidence interval of their mean, where one was asked for."""
    sampled: bool = False
    """Whether ids are pairs of a sample and an id."""
    counts: Ints | None = None
    """How many objects each one stands for, where they have counts."""
    index: Any = None
    """The index of pandas that truth came with, where objects count by position."""
    records: Records | None = None
    """What else is known of the objects, where it was asked for."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        worst = ", ".join(f"{shown(id, 40)}: {score:.4g}" for id, score in self.worst(3))
        more = ", …" if len(self) > 3 else ""
        interval = f" ({self.ci.low:.4g}–{self.ci.high:.4g})" if self.ci else ""
        return (
            f"ObjectScores({self.measure} of {count(len(self), 'object')}, "
            f"mean {self.mean:.4g}{interval}; worst {{{worst}{more}}})"
        )

    __str__ = __repr__

    @property
    def mean(self) -> float:
        """The mean over the objects, each as often as it counts."""
        if self.counts is None:
            return float(self.scores.mean())
        return exact_sum(self.scores * self.counts) / int(self.counts.sum())

    def to_dict(self) -> dict[Any, float]:
        """From id to score."""
        return dict(zip(self.ids, self.scores.tolist(), strict=True))

    def to_series(self) -> Any:
        """A pandas Series under the index of truth, so that a column can be added to its frame;
        under the ids where truth has no index.
        """
        index = self.ids if self.index is None else self.index
        return pandas_series(self.scores, index, str(self.measure))

    def to_frame(self, library: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame with the columns id and score, and those that were
        asked for.
        """
        own = {} if self.counts is None else {"count": self.counts.tolist()}
        names = [] if self.records is None else self.records.names_beside(["id", "score", *own])
        rows = zip(self.ids, self.scores.tolist(), self._known(self.ids), strict=True)
        found = [
            {"id": id, "score": score} | dict(zip(names, known, strict=True))
            for id, score, known in rows
        ]
        for at, one in enumerate(own.get("count", ())):
            found[at] |= {"count": one}
        return frame_of(found, library)

    def _known(self, ids: list[Any]) -> list[tuple[Any, ...]]:
        """What was asked for of these objects."""
        if self.records is None:
            return [()] * len(ids)
        if not self.sampled:
            return self.records.of(ids)
        return self.records.of([id for _, id in ids], [sample for sample, _ in ids])

    def blocks(self, width: int) -> Iterator[Block]:
        """Their mean, and the lowest of them."""
        worst = self.worst(10)
        known = self._known([id for id, _ in worst])
        rows = tuple(
            (shown(id, 60), digits(score), *map(shown_value, own))
            for (id, score), own in zip(worst, known, strict=True)
        )
        mean = with_interval(self.mean, self.ci, digits(self.mean))
        more = f" The {len(rows)} lowest of {len(self):,}:" if len(self) > len(rows) else ""
        yield wrapped(f"{self.measure} of {count(len(self), 'object')}: mean {mean}.{more}", width)
        columns = () if self.records is None else map(printable, self.records.columns)
        yield CellTable(("object", str(self.measure), *columns), rows)
        yield from paragraphs(notes_on_intervals([(str(self.measure), self.ci)]), width)

    def worst(self, n: int = 10) -> list[tuple[Any, float]]:
        """The objects with the lowest scores, in the order of the input where equal."""
        order = np.argsort(self.scores, kind="stable")[:n]
        return [(self.ids[i], float(self.scores[i])) for i in order]


@takes_columns
def objects(
    truth: Any,
    guess: Any = None,
    measure: Any = None,
    *,
    kind: str | None = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    between: Any = None,
    engine: Any = None,
    confidence: float | None = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
    **params: Any,
) -> ObjectScores:
    """Score each object, in the order of the truth; objects that only the guess has come last.

    >>> objects({"x": 1, "y": 1, "z": 2}, {"x": 1, "y": 1, "z": 1}, "elm_f").to_dict()
    {'x': 0.6666666666666666, 'y': 0.6666666666666666, 'z': 0.0}

    The score is the mean of these over all objects (for a precision over those of the guess,
    for a recall over those of the truth). Left out, the measure is elm_f. With `samples`, as in
    `compare`, each object is scored within its sample, and its id is (sample, id). The order
    objects(measure, truth, guess) is taken too. Objects of a cluster stand or fall together:
    confidence=0.95 gives the interval of their mean by components, or by samples (`ci`). `show`
    names columns of the tables given that stand beside the scores, `records` another table, as in
    `explain`; without them there are none. `between` is refused: a measure of pairs is not a mean
    over objects, and `explain` has what each part loses.

    The objects of speech are stretches of time, of which as much is scored as `collar`,
    `skip_overlap` and `uem` say, as in `compare`. Left out, the measure is
    extended_bcubed_f(f='objects') for them, since an error rate is not a mean over objects; who was
    taken for whom, and when, is in `explain(truth, guess).errors`.
    """
    if between is not None:
        raise ClusterdiffError(
            "between counts pairs of objects, and no measure of pairs is a mean over objects.",
            'cd.explain(truth, guess, between="source").to_frame() has the objects of each part '
            "that loses pairs across sources.",
        )
    if _is_measure(truth, measure):
        truth, guess, measure = guess, measure, truth
    if guess is None:
        raise InputError.from_sides("objects", 1)
    chosen = measure_named(measure or "elm_f").with_params(**params)
    covers = kind is None and chosen.needs == {"cover"}
    policy = Policy(align, noise, noise_as)
    asked = "cover" if covers else kind
    time = Scored(collar, skip_overlap, uem)
    opening = opened(engine, truth, {"guess": guess}, asked, samples, count, scored=time)
    with opening as (sessions, one, others):
        left, right = sessions.loaded(one), sessions.loaded(others["guess"])
    if measure is None and isinstance(left, Cover) and turns_of(left):
        chosen = measure_named(SPEECH).with_params(**params)
    wanted = RecordOptions(records, show)
    known = records_of([left, right], wanted) if wanted.asked else None
    check_labels([left], [right], policy)
    ci = None
    if confidence is not None:
        told: dict[str, Any] = {
            "align": align,
            "noise": noise,
            "noise_as": noise_as,
            "confidence": confidence,
        }
        score = compare(left, {"guess": right}, chosen, **told)[chosen]
        ci = score.ci if score.each is None else score.micro_ci
    if left.samples is None and right.samples is None:
        own, values, counts = _scored(chosen, left, right, policy)
        found = ObjectScores(chosen, own, values, ci, counts=counts, records=known)
        return replace(found, index=_index(truth, left, found))
    ids: list[Any] = []
    scores, amounts = [], []
    each = by_sample(left, right)
    for sample in each:
        try:
            own, values, counts = _scored(
                chosen, sample.truth, sample.guess, replace(policy, part=True)
            )
        except (NothingShared, AllNoise) as error:
            if not plan_of(policy).skips(error):
                raise error.within(f"sample {sample.name}") from None
            continue
        except ClusterdiffError as error:
            raise error.within(f"sample {sample.name}") from None
        ids += [(sample.name, id) for id in own]
        scores.append(values)
        amounts.append(np.ones(values.size, np.int64) if counts is None else counts)
    if not scores:
        raise AlignmentError.nothing_shared()
    check_strangers(each, policy)
    counts = None if left.counts is None else np.concatenate(amounts)
    return ObjectScores(chosen, ids, np.concatenate(scores), ci, True, counts, records=known)


def _index(truth: Any, left: AnyClustering, found: ObjectScores) -> Any:
    """The index of a truth of pandas whose objects count by position and are all scored."""
    index: Any = getattr(truth, "index", None)
    whole = left.ids is None and found.ids == list(range(len(left)))
    return index if whole and hasattr(index, "get_indexer") and len(index) == len(left) else None


def _is_measure(first: Any, third: Any) -> bool:
    """Whether the measure comes first: a text that names one is no path."""
    if not isinstance(first, str):
        return isinstance(first, Measure)
    try:
        measure_named(first)
    except UnknownMeasure:
        if third is not None and not isinstance(third, str | Measure):
            raise
        return False
    return True


def _scored(
    measure: Measure, left: AnyClustering, right: AnyClustering, policy: Policy
) -> tuple[list[Any], NDArray[np.float64], Ints | None]:
    """The ids of the objects and their scores, and how many objects each stands for."""
    rows, row, found = rows_of_objects(left, right, policy)
    values = measure.rows_of(rows)
    if values is None:
        raise ClusterdiffError(
            f"{measure} is not a mean over objects, so an object has no score of its own.",
            f"{_own_form(measure)}{_others(rows)}",
        )
    in_truth = found.in_truth >= 0
    order = np.lexsort((np.where(in_truth, found.in_truth, found.in_guess), ~in_truth))
    counts = None
    if left.counts is not None and right.counts is not None:  # copies that stand alone are one
        place = found.in_truth[order] + 1, found.in_guess[order] + 1
        first = np.ones(order.size, np.bool_)
        first[1:] = (np.diff(place[0]) != 0) | (np.diff(place[1]) != 0)
        order = order[first]
        at, other = found.in_truth[order], found.in_guess[order]
        counts = np.append(left.counts, 0)[at] + np.where(
            at < 0, np.append(right.counts, 0)[other], 0
        )
    of_truth, of_guess = (
        list(range(len(c))) if c.ids is None else c.ids.tolist() for c in (left, right)
    )
    ids = [
        of_truth[t] if t >= 0 else of_guess[g]
        for t, g in zip(found.in_truth[order].tolist(), found.in_guess[order].tolist(), strict=True)
    ]
    return ids, values[row][order], counts


def _own_form(measure: Measure) -> str:
    """The form of an F in which objects have one, if it has such a form."""
    forms = measure.arguments.get("f") == "means"
    return (
        f'say f="objects" for the F of each object ({measure.name}(f="objects")), or '
        if forms
        else ""
    )


def _others(rows: Meet) -> str:
    """What to ask instead."""
    if isinstance(rows, SoftMeet):
        return "harden both clusterings, e.g. cd.objects(truth, guess.harden(), 'elm_f')."
    return f"use one of {', '.join(_means_over_objects(rows))}."


def _means_over_objects(rows: Meet) -> list[str]:
    """The measures of such a comparison that are means over objects as they stand."""
    from clusterdiff.io import meet

    tiny = meet([1, 1], [1, 2])
    overlap = isinstance(rows, CoverMeet)
    fitting = [
        m
        for m in measures()
        if "soft" not in m.needs and ("cover" in m.needs if overlap else m.needs != {"cover"})
    ]
    return [m.name for m in fitting if m.name != "adjusted" and m.rows_of(tiny) is not None]
