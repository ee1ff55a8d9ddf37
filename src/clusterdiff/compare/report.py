"""The result of a comparison: scores of one or several guesses, printed, indexed, exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clusterdiff.compare.differences import (
    best_cells,
    best_less_others,
    difference_of,
    differences_to_dict,
    notes_of,
    told_apart,
    with_interval,
)
from clusterdiff.compare.paper_table import latex_of
from clusterdiff.contingency.base import Histogram
from clusterdiff.errors import UnknownMeasure
from clusterdiff.io.sides import NOWHERE, Origins
from clusterdiff.measures import measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.measures.interval import Interval
from clusterdiff.output import markup
from clusterdiff.output.describe import describe
from clusterdiff.output.result import Block, Renderable, frame_of, metrics_of, paragraphs
from clusterdiff.output.score import flat
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import longest_cell, short_names, to_text
from clusterdiff.statistics.intervals import SureEnds

if TYPE_CHECKING:
    from clusterdiff.contingency import Meet
    from clusterdiff.io.arguments import Lost
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledTogether
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.difference import Difference
    from clusterdiff.statistics.intervals import Sure
    from clusterdiff.statistics.units import Joint

# A score for eyes, and in a table for programs.


def cell(score: Score, sure: bool = True) -> str:
    """A score for eyes, with its standard error if it is an estimate, and with its confidence
    interval where some have one.
    """
    if score.missing:
        return "—"
    plain = shown(score.value) + ("" if score.error is None else f" ± {score.error:.1g}")
    return with_interval(score.value, score.sure, plain) if sure else plain


def sample_cells(score: Score, sure: bool = True) -> tuple[str, str, str]:
    """Macro, standard deviation and micro."""
    macro, std, micro = map(shown, (score.value, score.std, score.micro))
    if not sure:
        return macro, std, micro
    return (
        with_interval(score.value, score.sure, macro),
        std,
        with_interval(score.micro, score.micro_sure, micro),
    )


def sure_record(sure: Sure | SureEnds | None) -> dict[str, Any]:
    """An interval in a table for programs; of an interval-valued score the outer ends."""
    low, high = (sure.low, sure.high) if isinstance(sure, SureEnds) else (sure, sure)
    if not low or not high:
        return {"sure_low": None, "sure_high": None, "se": None}
    return {"sure_low": low.low, "sure_high": high.high, "se": low.se}


def shown(value: float | Interval | None) -> str:
    """A score for eyes: a number, or from where to where."""
    if not isinstance(value, Interval):
        return digits(value)
    low, high = digits(value.low), digits(value.high)
    return low if low == high else f"{low}–{high}"


def sample_value(value: float | Interval) -> Any:
    """The score of one sample: a number, or its ends."""
    return value if isinstance(value, float | int) else flat("value", value)


def record_of(value: float | Interval | None, spans: bool, name: str = "value") -> dict[str, Any]:
    """A score in a table for programs; all rows have the same columns."""
    if not spans:
        return {name: value}
    span = value if isinstance(value, Interval) or value is None else Interval(value, value)
    ends = flat(name, span)
    kept = {name: ends[name] if span is not None else None}
    prefix = "" if name == "value" else f"{name}_"
    for key in ("low", "high", "certain", "how"):
        kept[f"{prefix}{key}"] = ends.get(f"{prefix}{key}")
    return kept


@dataclass(frozen=True, repr=False)
class Report(Renderable):
    """Scores: rows are measures, columns are guesses.

    `report["elm_f"]` is a Score, or with several guesses a mapping from their names.
    """

    schema = "compare/2"

    scores: Mapping[str, Mapping[str, Score]]
    """Guess name -> measure text -> score."""
    measures: Mapping[str, Measure]
    """Measure text, as it prints -> measure."""
    origins: Origins = NOWHERE
    """The columns that truth and the guesses were read from."""
    lost: Mapping[str, Lost] = field(default_factory=dict)
    """What each guess is not judged on by its own doing, where that was asked for."""
    confidence: Confidence | None = None
    """How intervals were asked for, if they were."""
    joint: Joint | SampledTogether | None = None
    """The clusters of truth and all guesses together, where differences need them."""
    _differences: dict[tuple[str, str, str, bool], Difference] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """Names of the samples, if there are any."""
        names = (next(iter(scores.values())).samples for scores in self.scores.values())
        return tuple(dict.fromkeys(name for some in names for name in some))

    @property
    def guesses(self) -> list[str]:
        """Names of the guesses."""
        return list(self.scores)

    def __getitem__(self, measure: str | Measure) -> Any:
        text = str(measure)
        if text not in self.measures:
            wanted = measure_named(measure)
            same = [t for t, m in self.measures.items() if m == wanted] or [
                t for t, m in self.measures.items() if m.compat and m.name == str(wanted)
            ]
            if not same:
                raise UnknownMeasure.not_asked(text)
            text = same[0]
        if len(self.scores) == 1:
            return next(iter(self.scores.values()))[text]
        return {guess: scores[text] for guess, scores in self.scores.items()}

    def __iter__(self) -> Any:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def difference(
        self, measure: str | Measure, guess: str, other: str, *, micro: bool = False
    ) -> Difference:
        """The score of one guess less that of another, with the confidence interval and the p-value
        of the paired jackknife t; over samples of the means, or (`micro`) of all samples pooled.
        """
        return difference_of(self, measure, guess, other, micro)

    def against_best(self, measure: str) -> dict[str, Difference]:
        """The best guess less each other one, p corrected for their number by Holm; nothing where
        no guess is best.
        """
        return best_less_others(self, measure)

    def _meet(self, guess: str) -> Meet:
        return next(iter(self.scores[guess].values())).meet

    def sizes(self) -> dict[str, Histogram]:
        """How many clusters have which size, in truth and in each guess."""
        meets = {guess: self._meet(guess) for guess in self.scores}
        first = next(iter(meets.values()))
        found = {"truth": first.truth_sizes, **{g: m.guess_sizes for g, m in meets.items()}}
        return {name: Histogram(s.size.tolist(), s.count.tolist()) for name, s in found.items()}

    def head(self, width: int = 80) -> str:
        """What was compared: the sizes of truth and of each guess, and the alignment."""
        meets = {guess: self._meet(guess) for guess in self.scores}
        packages = dict.fromkeys(m.compat for m in self.measures.values() if m.compat)
        notes = [
            f"measures as in {convention_named(name).package} (compat:{name})" for name in packages
        ]
        notes += [*self._said_once(), *self._ways()]
        return describe(meets, len(self.samples), width, notes, self.origins)

    def _ways(self) -> list[str]:
        """How the ends of intervals were found, where it is not plain."""
        told: dict[str, list[str]] = {}
        for guess, scores in self.scores.items():
            for text, score in scores.items():
                value = score.value
                if isinstance(value, Interval) and value.how != "exact":
                    sure = "certain" if value.certain else "estimated"
                    if value.estimate is not None:
                        sure = f"{sure}; drawn {shown(Interval(*value.estimate))}"
                    prefix = f"{guess}: " if len(self.scores) > 1 else ""
                    told.setdefault(f"{sure}; {value.how}", []).append(prefix + text)
        missing = {s.missing: None for scores in self.scores.values() for s in scores.values()}
        return [
            *(f"{', '.join(names)}: {how}" for how, names in told.items()),
            *filter(None, missing),
        ]

    def twins(self) -> dict[str, Measure]:
        """Measures of covers that are one of partitions here, since all objects are in one cluster.

        Keys are measure texts; each has the same scores as its twin.
        """
        if not all(self._meet(guess).is_hard for guess in self.scores):
            return {}
        found = {text: measure.on_partitions for text, measure in self.measures.items()}
        return {text: twin for text, twin in found.items() if twin is not None}

    def _said_once(self) -> list[str]:
        """Which measures are the same where no object is in several clusters."""
        pairs = [f"{text} is {twin}" for text, twin in self.twins().items()]
        if not pairs:
            return []
        listed = " and ".join(filter(None, [", ".join(pairs[:-1]), pairs[-1]]))
        return [f"each object is in one cluster, where {listed}"]

    def shown(self) -> list[str]:
        """The measures of the table: of two that are the same here, the one of partitions."""
        twins = self.twins()
        asked = list(self.measures.values())
        return [text for text in self.measures if twins.get(text) not in asked]

    def table(self) -> CellTable:
        """The cells: a row per measure, a column per guess; macro, std and micro over samples."""
        return self._table(self.guesses)

    def _table(self, names: list[str]) -> CellTable:
        """The cells under names for the guesses."""
        called = names if len(names) > 1 else ["" if self.samples else "score"]
        if self.samples:
            return self._sample_table(called)
        sure = self.has_intervals
        rows = [
            (text, *(cell(scores[text], sure) for scores in self.scores.values()))
            for text in self.shown()
        ]
        return self._told_apart(CellTable(("", *called), tuple(rows), best_cells(self)), names)

    @cached_property
    def has_intervals(self) -> bool:
        """Whether any score has a confidence interval."""
        every = (s for scores in self.scores.values() for s in scores.values())
        return any(score.sure or score.micro_sure for score in every)

    def _told_apart(self, table: CellTable, names: list[str]) -> CellTable:
        """With intervals: a best score that is significantly better is marked as such, and of two
        guesses the difference has a column.
        """
        if self.confidence is None or len(self.scores) < 2:
            return table
        return told_apart(self, table, names)

    def _sample_table(self, called: list[str]) -> CellTable:
        sure = self.has_intervals
        headings = [
            f"{guess}{part}".strip() for guess in called for part in (" macro", " std", " micro")
        ]
        rows = [
            (
                text,
                *(one for found in self.scores.values() for one in sample_cells(found[text], sure)),
            )
            for text in self.shown()
        ]
        names = called if len(called) > 1 else []
        return self._told_apart(CellTable(("", *headings), tuple(rows), best_cells(self, 3)), names)

    def signatures(self) -> list[str]:
        """One line per score with its reproducibility signature."""
        several = len(self.scores) > 1
        return [
            (f"{guess}: " if several else "") + score.sign()
            for guess, scores in self.scores.items()
            for score in scores.values()
        ]

    def blocks(self, width: int) -> Iterator[Block]:
        """What was compared, the scores, and the notes; where the table has to be cut into blocks,
        the guesses have short names.
        """
        yield self.head(width)
        table = self.table()
        if "\n\n" in to_text(table, width):
            table = self._table(short_names(self.guesses, longest_cell(width)))
        yield table
        yield from paragraphs(self.notes(), width, "  ")

    def notes(self, mark: str = "▲") -> list[str]:
        """What intervals say, why some are missing, and which scores hang on one unit; `mark` is
        that of the best score of a row.
        """
        if self.confidence is None:
            return []
        return notes_of(self, mark)

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        told: dict[str, Any] = {
            "guesses": {
                guess: {text: score.to_dict() for text, score in scores.items()}
                for guess, scores in self.scores.items()
            }
        }
        if self.confidence is not None and len(self.scores) > 1:
            told["differences"] = differences_to_dict(self)
        if self.samples:
            told["samples"] = [
                {"sample": name, "guess": guess}
                | {t: sample_value((s.each or ())[i]) for t, s in scores.items()}
                for guess, scores in self.scores.items()
                for i, name in enumerate(next(iter(scores.values())).samples)
            ]
        meets = {guess: self._meet(guess) for guess in self.scores}
        return told | self.origins.with_notes_of(meets).to_dict()

    def metrics(self, prefix: str = "") -> dict[str, float]:
        """The scores as one flat dict of floats, for mlflow.log_metrics, wandb.log and the like.

        With several guesses names are guess/measure; ends of intervals, standard deviations and
        micro scores follow as measure_low, measure_ci_low, measure_std and so on.
        """
        return metrics_of(self.scores, prefix)

    def to_json(self, indent: int | None = 2) -> str:
        """The same as JSON."""
        return markup.document(self.schema, self.to_dict(), indent)

    def records(self) -> list[dict[str, Any]]:
        """One record per guess and measure."""
        made = []
        every = [s for scores in self.scores.values() for s in scores.values()]
        estimated = any(s.error is not None for s in every)
        spans = any(isinstance(s.value, Interval) for s in every)
        for guess, scores in self.scores.items():
            for text, score in scores.items():
                record: dict[str, Any] = {"guess": guess, "measure": text}
                record |= record_of(score.value, spans)
                if estimated:
                    record["error"] = score.error
                record |= sure_record(score.sure) if self.confidence else {}
                if score.each is not None:
                    record |= {"std": score.std}
                    record |= record_of(score.micro, spans, "micro")
                made.append(record | {"signature": score.sign()})
        return made

    def sample_records(self) -> list[dict[str, Any]]:
        """One record per guess, sample and measure."""
        every = [s for scores in self.scores.values() for s in scores.values()]
        spans = any(isinstance(s.value, Interval) for s in every)
        return [
            {"guess": guess, "sample": name, "measure": text}
            | record_of((score.each or ())[i], spans)
            for guess, scores in self.scores.items()
            for text, score in scores.items()
            for i, name in enumerate(score.samples)
        ]

    def to_csv(self) -> str:
        """One line per guess and measure, full precision."""
        return markup.records_to_csv(self.records())

    def samples_to_csv(self) -> str:
        """One line per guess, sample and measure, full precision."""
        return markup.records_to_csv(self.sample_records())

    def to_markdown(self) -> str:
        """A Markdown table, and the notes below it."""
        notes = map(markup.in_markdown, self.notes("Bold:"))
        return "\n\n".join([markup.to_markdown(self.table()), *notes])

    def to_latex(self, style: str = "table") -> str:
        """A booktabs table with notes and signatures as comments; style="paper" has guesses as rows
        and scores times 100, of samples all together, the best bold, † where it is significantly
        so.
        """
        return latex_of(self, style)

    def to_frame(self, library: str = "pandas", *, samples: bool = False) -> Any:
        """A pandas, polars or pyarrow frame of the scores, or of the scores of each sample."""
        return frame_of(self.sample_records() if samples else self.records(), library)
