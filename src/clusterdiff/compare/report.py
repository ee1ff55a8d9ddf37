"""The result of a comparison: scores of one or several guesses, printed, indexed, exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from clusterdiff.compare.differences import (
    best_cells,
    best_less_others,
    cells,
    difference_of,
    differences_to_dict,
    ends_of,
    in_words,
    is_best_significant,
    notes_of,
    with_tests,
)
from clusterdiff.contingency.base import Histogram
from clusterdiff.errors import ClusterdiffError, UnknownMeasure, printable, shown
from clusterdiff.io.sides import NOWHERE, Origins
from clusterdiff.measures import measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output import markup
from clusterdiff.output.describe import TOGETHER, describe
from clusterdiff.output.markup import in_latex, one_line, to_latex
from clusterdiff.output.result import (
    Block,
    Paragraph,
    TableResult,
    frame_of,
    metrics_of,
    paragraphs,
)
from clusterdiff.output.score import flat
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, longest_cell, short_names, to_text, wrapped

if TYPE_CHECKING:
    from clusterdiff.compare.screen import Layout
    from clusterdiff.contingency import Meet
    from clusterdiff.io.arguments import Lost
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledTogether
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.intervals import ConfidenceInterval, ConfidenceIntervals, Difference
    from clusterdiff.statistics.units import Joint

LONG = 20
"""Columns above which a name is long."""


@dataclass(frozen=True, repr=False)
class Report(TableResult):
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
    """The objects of truth that each guess leaves out of its score, where these were counted."""
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
                raise UnknownMeasure(
                    f"the report does not hold {text}.",
                    f"ask for it: cd.compare(truth, guess, [{text!r}])",
                )
            text = same[0]
        if len(self.scores) == 1:
            return next(iter(self.scores.values()))[text]
        return {guess: scores[text] for guess, scores in self.scores.items()}

    def __iter__(self) -> Any:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def every_score(self) -> Iterator[tuple[str, str, Score]]:
        """Guess, measure text and score, guess by guess."""
        for guess, scores in self.scores.items():
            for text, score in scores.items():
                yield guess, text, score

    def label(self, guess: str, text: str) -> str:
        """A text about a guess, with the name of the guess where there are several."""
        return f"{guess}: {text}" if len(self.scores) > 1 else text

    def meet_of(self, guess: str) -> Meet:
        """The contingency table that a guess is scored on, with all samples pooled."""
        return next(iter(self.scores[guess].values())).meet

    @property
    def _meets(self) -> dict[str, Meet]:
        return {guess: self.meet_of(guess) for guess in self.scores}

    def difference(
        self, measure: str | Measure, guess: str, other: str, *, micro: bool = False
    ) -> Difference:
        """The score of one guess less that of another, with the confidence interval and the p-value
        of the paired jackknife t-test; over samples of the means, or (`micro`) of all samples
        pooled.
        """
        return difference_of(self, measure, guess, other, micro)

    def against_best(self, measure: str) -> dict[str, Difference]:
        """The best guess less each other one, p corrected for their number by Holm; empty where no
        guess is best.
        """
        return best_less_others(self, measure)

    def sizes(self) -> dict[str, Histogram]:
        """How many clusters have which size, in truth and in each guess."""
        meets = self._meets
        sizes = {"truth": next(iter(meets.values())).truth_sizes}
        sizes |= {guess: meet.guess_sizes for guess, meet in meets.items()}
        return {name: Histogram(s.size.tolist(), s.count.tolist()) for name, s in sizes.items()}

    def head(self, width: int = 80) -> str:
        """What was compared: the sizes of truth and of each guess, and the alignment."""
        notes = self._notes_on_measures()
        return describe(self._meets, len(self.samples), width, notes, self.origins)

    def _notes_on_measures(self) -> list[str]:
        """Whose measures they are, which of them are one, and what is not exact."""
        packages = dict.fromkeys(m.compat for m in self.measures.values() if m.compat)
        notes = [
            f"measures as in {convention_named(name).package} (compat:{name})" for name in packages
        ]
        if twins := [f"{text} is {twin}" for text, twin in self.twins().items()]:
            notes.append(f"each object is in one cluster, where {in_words(twins)}")
        return notes + self._notes_on_ranges()

    def _notes_on_ranges(self) -> list[str]:
        """How the ends of score ranges were computed where they are not exact; why scores lack."""
        ways: dict[str, list[str]] = {}
        for guess, text, score in self.every_score():
            value = score.value
            if isinstance(value, ScoreRange) and value.how != "exact":
                way = "certain" if value.certain else "estimated"
                if value.estimate is not None:
                    way += f"; drawn {digits(ScoreRange(*value.estimate))}"
                ways.setdefault(f"{way}; {value.how}", []).append(self.label(guess, text))
        missing = dict.fromkeys(score.missing for _, _, score in self.every_score())
        return [
            *(f"{', '.join(texts)}: {way}" for way, texts in ways.items()),
            *filter(None, missing),
        ]

    def twins(self) -> dict[str, Measure]:
        """Measures of covers that are one of partitions here, since all objects are in one cluster.

        Keys are measure texts; each has the same scores as its twin.
        """
        if not all(meet.is_hard for meet in self._meets.values()):
            return {}
        twins = {text: measure.on_partitions for text, measure in self.measures.items()}
        return {text: twin for text, twin in twins.items() if twin is not None}

    def shown(self) -> list[str]:
        """The measures of the table: of two that are the same here, the one of partitions."""
        twins = self.twins()
        asked = list(self.measures.values())
        return [text for text in self.measures if twins.get(text) not in asked]

    def table(self) -> CellTable:
        """The cells: a row per measure, a column per guess; macro, std and micro over samples."""
        return self.cells_under(self.guesses)

    def cells_under(self, names: list[str]) -> CellTable:
        """The cells under these names of the guesses."""
        parts = [" macro", " std", " micro"] if self.samples else [""]
        above = names if len(names) > 1 else ["" if self.samples else "score"]
        headings = [f"{name}{part}".strip() for name in above for part in parts]
        with_intervals = any(s.ci or s.micro_ci for _, _, s in self.every_score())
        rows = [
            (
                text,
                *(
                    cell
                    for some in self.scores.values()
                    for cell in cells(some[text], with_intervals)
                ),
            )
            for text in self.shown()
        ]
        table = CellTable(("", *headings), tuple(rows), best_cells(self, len(parts)))
        return with_tests(self, table, names)

    def signatures(self) -> list[str]:
        """One line per score with its reproducibility signature."""
        return [self.label(guess, score.sign()) for guess, _, score in self.every_score()]

    def blocks(self, width: int, following: Sequence[str] = ()) -> Iterator[Block]:
        """What was compared, the scores, and the notes; the default measures as a first screen.
        Where the table has to be cut into blocks, long names are shortened. `following` are the
        words of the command to type next.
        """
        yield self.head(width)
        names = self.guesses
        if max(map(columns, names)) > min(LONG, width // 4) and "\n\n" in to_text(
            self.table(), width
        ):
            names = short_names(names, longest_cell(width))
        if self.layout is None:
            yield self.cells_under(names)
            yield from paragraphs(self.notes(), width, "  ")
        else:
            from clusterdiff.compare.screen import first_screen

            yield from first_screen(self, self.layout, names, width)
        if following:
            words = (word.replace(" ", TOGETHER) for word in following)
            lines = wrapped(" ".join(["Next:", *words]), width - 2, more="  ").split("\n")
            lines = [printable(line).replace(TOGETHER, " ") for line in lines]
            yield Paragraph(" \\\n".join(lines), "dim")

    @cached_property
    def layout(self) -> Layout | None:
        """How the default measures are arranged; None where measures were chosen."""
        from clusterdiff.compare.screen import layout_of

        return layout_of(self.measures)

    def notes(self, mark: str = "▲") -> list[str]:
        """What the intervals mean, why some are missing, and which scores hang on one unit; `mark`
        is that of the best score of a row. Last what would be taken for a mistake in a score.
        """
        footnotes: dict[str, list[str]] = {}
        for text in self.shown():
            footnotes.setdefault(self.measures[text].footnote, []).append(text)
        return [
            *([] if self.confidence is None else notes_of(self, mark)),
            *(f"{', '.join(texts)}: {note}." for note, texts in footnotes.items() if note),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        entries: dict[str, Any] = {
            "guesses": {
                guess: {text: score.to_dict() for text, score in scores.items()}
                for guess, scores in self.scores.items()
            }
        }
        if self.confidence is not None and len(self.scores) > 1:
            entries["differences"] = differences_to_dict(self)
        if self.samples:
            entries["samples"] = [
                {"sample": name, "guess": guess}
                | {text: _number_or_ends((score.each or ())[i]) for text, score in scores.items()}
                for guess, scores in self.scores.items()
                for i, name in enumerate(next(iter(scores.values())).samples)
            ]
        return entries | self.origins.with_notes_of(self._meets).to_dict()

    def metrics(self, prefix: str = "") -> dict[str, float]:
        """The scores as one flat dict of floats, for mlflow.log_metrics, wandb.log and the like.

        With several guesses names are guess/measure; ends of intervals, standard deviations and
        micro scores follow as measure_low, measure_ci_low, measure_std and so on.
        """
        return metrics_of(self.scores, prefix)

    def records(self) -> list[dict[str, Any]]:
        """One record per guess and measure."""
        has_errors = any(score.error is not None for _, _, score in self.every_score())
        records = []
        for guess, text, score in self.every_score():
            record: dict[str, Any] = {"guess": guess, "measure": text}
            record |= _columns(score.value, self._has_ranges)
            if has_errors:
                record["error"] = score.error
            record |= _interval_columns(score.ci) if self.confidence else {}
            if score.each is not None:
                record |= {"std": score.std} | _columns(score.micro, self._has_ranges, "micro")
            records.append(record | {"signature": score.sign()})
        return records

    def sample_records(self) -> list[dict[str, Any]]:
        """One record per guess, sample and measure."""
        return [
            {"guess": guess, "sample": name, "measure": text} | _columns(value, self._has_ranges)
            for guess, text, score in self.every_score()
            for name, value in zip(score.samples, score.each or (), strict=True)
        ]

    @cached_property
    def _has_ranges(self) -> bool:
        return any(isinstance(score.value, ScoreRange) for _, _, score in self.every_score())

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


def _number_or_ends(value: float | ScoreRange) -> Any:
    return value if isinstance(value, float | int) else flat("value", value)


def _columns(
    value: float | ScoreRange | None, with_ends: bool, name: str = "value"
) -> dict[str, Any]:
    """A score in a record; all records have the same columns, those of the ends where any score is
    a range.
    """
    if not with_ends:
        return {name: value}
    entries = flat(name, ScoreRange(value, value) if isinstance(value, float | int) else value)
    prefix = "" if name == "value" else f"{name}_"
    ends = [f"{prefix}{key}" for key in ("low", "high", "certain", "how")]
    return {key: entries.get(key) for key in (name, *ends)}


def _interval_columns(interval: ConfidenceInterval | ConfidenceIntervals | None) -> dict[str, Any]:
    """A confidence interval in a record; of a score that is a range, the outer ends."""
    ends = ends_of(interval)
    if not ends or not all(ends):
        return {"ci_low": None, "ci_high": None, "se": None}
    return {"ci_low": ends[0].low, "ci_high": ends[-1].high, "se": ends[0].se}


NAMES = {
    "muc": "MUC", "bcubed": "B$^3$", "ceaf_e": r"CEAF$_{\phi_4}$", "ceaf_m": r"CEAF$_{\phi_3}$",
    "blanc": "BLANC", "lea": "LEA", "elm": "ELM", "conll": "CoNLL",
}  # fmt: skip
"""What families of measures are called in papers."""
PARTS = {"precision": "P", "recall": "R", "f": "F$_1$"}
DAGGER = r"$^{\dagger}$"


@dataclass(frozen=True)
class PaperColumn:
    """The scores of all systems by one measure."""

    text: str
    group: str
    """The heading that it shares with the columns beside it."""
    heading: str
    percent: bool
    """Whether scores are given times 100."""

    @classmethod
    def of(cls, text: str, measure: Measure) -> PaperColumn:
        """The column of a measure."""
        family, _, part = measure.name.rpartition("_")
        low, high = measure.claims.bounds
        # A chance-corrected score is on the scale of the others although it may fall far below 0.
        percent = measure.claims.best == 1 or -1 <= low <= high <= 1
        if measure.name == "conll":
            return cls(text, NAMES["conll"], "Avg.~F$_1$", percent)
        given = measure.arguments
        harmonic = given.get("f", "means") == "means" and given.get("alpha", 0.5) == 0.5
        if part in PARTS and (part != "f" or harmonic):
            return cls(text, NAMES.get(family, in_latex(family)), PARTS[part], percent)
        return cls(text, "", in_latex(text), percent)

    def written(self, value: float | ScoreRange | None) -> str:
        """A score as it is printed."""
        if value is None:
            return "--"
        if isinstance(value, ScoreRange):
            low, high = self.written(value.low), self.written(value.high)
            return low if low == high else f"{low}--{high}"
        text = f"{100 * value:.1f}" if self.percent else f"{value:.2f}"
        text = text.removeprefix("-") if float(text) == 0 else text
        return text.replace("-", "$-$")

    def cells(self, report: Report) -> list[str]:
        """The scores of all systems; all that print as the best are bold, and the best has a dagger
        if it is significantly better than all others.
        """
        scores = [by_measure[self.text] for by_measure in report.scores.values()]
        values = [score.micro if report.samples else score.value for score in scores]
        texts = list(map(self.written, values))
        numbers = [value for value in values if isinstance(value, float | int)]
        if len(set(texts)) < 2 or len(numbers) < len(values):
            return texts
        best = (min if report.measures[self.text].is_distance else max)(numbers)
        significant = is_best_significant(report, self.text, micro=bool(report.samples))
        return [
            rf"\textbf{{{text}}}{DAGGER if significant and value == best else ''}"
            if text == self.written(best)
            else text
            for text, value in zip(texts, values, strict=True)
        ]


def latex_of(report: Report, style: str) -> str:
    """A report in LaTeX: as it is printed ("table"), or as papers print it ("paper")."""
    if style not in ("table", "paper"):
        raise ClusterdiffError(
            f"unknown style {shown(style)}.",
            'write report.to_latex(style="paper"), or leave it out.',
        )
    if style == "paper":
        return paper_table(report)
    return to_latex(report.table(), [*report.notes("Bold:"), *report.signatures()])


def paper_table(report: Report) -> str:
    """Systems as rows, scores times 100 with one decimal; over documents those of all together."""
    columns = [PaperColumn.of(text, report.measures[text]) for text in report.shown()]
    rows = zip(map(in_latex, report.guesses), *(c.cells(report) for c in columns), strict=True)
    return "\n".join(
        [
            *(f"% {one_line(note)}" for note in _notes(report)),
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            *_headings(columns),
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _headings(columns: list[PaperColumn]) -> list[str]:
    """The families of the scores, a line below each, and precision, recall or F."""
    names = " & ".join(["System", *(column.heading for column in columns)]) + r" \\"
    above, lines, place = [""], [], 2
    for group, alike in groupby(columns, key=lambda column: column.group):
        width = len(list(alike))
        above += [rf"\multicolumn{{{width}}}{{c}}{{{group}}}"] if group else [""] * width
        if group:
            lines.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return [" & ".join(above).strip() + r" \\", " ".join(lines), names] if lines else [names]


def _notes(report: Report) -> list[str]:
    """What the numbers are, and their signatures."""
    notes = ["needs booktabs; scores times 100; bold: best"]
    if report.samples:
        notes.append(f"scores of {len(report.samples):,} documents together (micro)")
        if any(m.name.startswith("blanc") and not m.sums_samples for m in report.measures.values()):
            notes.append("BLANC of documents together counts links across documents")
    if report.confidence is not None and len(report.scores) > 1:
        level = f"{100 * (1 - report.confidence.level):.2g} %"
        corrected = ", corrected by Holm" if len(report.scores) > 2 else ""
        notes.append(
            f"dagger: better than every other system, significant at {level} "
            f"(paired jackknife t-test{corrected})"
        )
        notes += _untested(report)
    return [*notes, *_signatures(report)]


def _signatures(report: Report) -> list[str]:
    """What each system was scored on and how, once for all measures for which that is the same."""
    lines = []
    for guess, scores in report.scores.items():
        alike: dict[str, list[str]] = {}
        for score in scores.values():
            signature = type(score.signature)(score.signature)
            measure = str(signature.pop("measure"))
            alike.setdefault(str(signature), []).append(measure)
        lines += [f"{guess}: {', '.join(texts)} | {rest}" for rest, texts in alike.items()]
    return lines


def _untested(report: Report) -> list[str]:
    """Why scores were not tested."""
    reasons: dict[str, list[str]] = {}
    for text in report.shown():
        tests = best_less_others(report, text, micro=bool(report.samples)).values()
        refused = next((test.refused for test in tests if test.refused and not test.tested), None)
        if refused is not None:
            reasons.setdefault(refused, []).append(text)
    return [f"not tested: {', '.join(texts)}: {reason}" for reason, texts in reasons.items()]
