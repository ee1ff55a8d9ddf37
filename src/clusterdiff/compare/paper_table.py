"""LaTeX tables as papers on coreference print them: a row per system, a column per score."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from clusterdiff.compare.differences import best_less_others, is_best_significant
from clusterdiff.errors import ClusterdiffError, shown
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output.markup import in_latex, one_line, to_latex

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report
    from clusterdiff.measures import Measure

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
