"""The first screen: what a comparison by the default measures says, in a sentence and a table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.compare.differences import best_cells, cells, in_words
from clusterdiff.compare.verdict import finding
from clusterdiff.contingency import CoverMeet, HardMeet, SoftMeet
from clusterdiff.errors import printable
from clusterdiff.measures import (
    DEFAULT,
    DEFAULT_OVERLAPPING,
    DEFAULT_PENALISED,
    DEFAULT_SOFT,
    measure_named,
)
from clusterdiff.output.describe import TOGETHER, count
from clusterdiff.output.result import Paragraph, paragraphs
from clusterdiff.output.score import is_open
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Meet
    from clusterdiff.output.result import Block

PARTS = ("precision", "recall", "f")
CALLED = {"transport(rand)": "Rand index with optimal transport"}
"""What a sentence calls a measure whose title does not say enough."""
MOST = 3
"""Guesses of which the sentence says how many clusters they find; of more, the best alone."""


class Layout(NamedTuple):
    """How the default measures for clusterings of one kind are arranged."""

    measures: tuple[str, ...]
    families: Mapping[str, str]
    """What the names of precision, recall and F begin with -> what their row is called."""
    short: Mapping[str, str]
    """Measures that come last, and have shorter names than their titles."""
    leading: str
    """The measure that decides which guess is better."""

    @property
    def names(self) -> dict[str, str]:
        """What each measure is called in a row of its own, in the order of the rows."""
        families = {
            f"{family}_{part}": f"{label.removesuffix('s')} {part if part != 'f' else 'F'}"
            for family, label in self.families.items()
            for part in PARTS
        }
        rest = [text for text in self.measures if text not in {*families, *self.short}]
        return families | {text: measure_named(text).title for text in rest} | dict(self.short)


LAYOUTS = (
    Layout(
        DEFAULT,
        {"pair": "pairs", "bcubed": "BCubed", "elm": "ELM", "exact": "clusters found exactly"},
        {"adjusted_rand": "adjusted Rand", "nmi": "NMI", "vi_distance": "VI",
         "split_merge": "split-merge"},
        "adjusted_rand",
    ),
    *(
        Layout(
            measures,
            {"extended_bcubed": "extended BCubed", "cice": "CICE-BCubed"},
            {"onmi": "overlapping NMI"},
            "extended_bcubed_f",
        )
        for measures in (DEFAULT_OVERLAPPING, DEFAULT_OVERLAPPING[:6])
    ),
    Layout(
        DEFAULT_PENALISED,
        {},
        {"elm_precision": "ELM precision", "elm_recall": "ELM recall", "elm_f": "ELM F"},
        "conll",
    ),
    Layout(
        DEFAULT_SOFT,
        {},
        {"transport(rand)": "Rand index, transport",
         "transport(partition_distance)": "partition distance, transport",
         "rand_alpha": "Rand index, alpha 0 to 1",
         "partition_distance_alpha": "partition distance, alpha 0 to 1",
         "rand_belief": "Rand index, belief"},
        "transport(rand)",
    ),
)  # fmt: skip


def layout_of(measures: Iterable[str]) -> Layout | None:
    """The arrangement of the default measures, to which gates may have added some; None where the
    measures were chosen.
    """
    texts = tuple(measures)
    return next((one for one in LAYOUTS if texts[: len(one.measures)] == one.measures), None)


def first_screen(report: Report, layout: Layout, names: list[str], width: int) -> Iterator[Block]:
    """The sentence, the scores of guesses called by these names, and the notes. Families are rows
    where there is one number for each measure; otherwise measures are rows.
    """
    if text := " ".join(sentences(report, layout.leading)):
        yield Paragraph(wrapped(printable(text), width), "bold")
    if len(names) == 1 and layout.families and not report.samples and report.confidence is None:
        yield from _families(report, layout, width)
    else:
        yield _rows(report, layout, names)
    yield from paragraphs((_renamed(note, layout) for note in report.notes()), width, "  ")


def _families(report: Report, layout: Layout, width: int) -> Iterator[Block]:
    """Precision, recall and F of each family in a row, and the other measures in a line."""
    ((guess, scores),) = report.scores.items()

    def shown(text: str) -> str:
        if text in scores:
            return cells(scores[text], False)[0]
        return digits(measure_named(text).of(report.meet_of(guess)))

    rows = {family: [f"{family}_{part}" for part in PARTS] for family in layout.families}
    table = [
        (label + _star(report, f"{family}_f"), *map(shown, rows[family]))
        for family, label in layout.families.items()
    ]
    yield CellTable(("", "precision", "recall", "F"), tuple(table))
    inside = {text for texts in rows.values() for text in texts}
    beside = [text for text in _in_order(report, layout) if text not in inside]
    if beside:
        named = (f"{layout.names.get(t, t)} {shown(t)}{_direction(report, t)}" for t in beside)
        line = "   ".join(one.replace(" ", TOGETHER) for one in named)
        yield wrapped(line, width, "  ").replace(TOGETHER, " ")


def _rows(report: Report, layout: Layout, names: list[str]) -> CellTable:
    """A row for each measure, in groups with an empty row between them."""
    table, shown = report.cells_under(names), report.shown()
    rows: list[tuple[str, ...]] = []
    best, group = set(), ""
    for text in _in_order(report, layout):
        family = text.rpartition("_")[0]
        family = family if family in layout.families else "others"
        if rows and family != group:
            rows.append(("",) * len(table.headings))
        group, old = family, shown.index(text)
        best |= {(len(rows), column) for row, column in table.best if row == old}
        name = layout.names.get(text, text) + _star(report, text)
        rows.append((name + _direction(report, text), *table.rows[old][1:]))
    return CellTable(table.headings, tuple(rows), frozenset(best))


def _in_order(report: Report, layout: Layout) -> list[str]:
    """The measures of the layout, then those of gates."""
    shown = report.shown()
    known = [text for text in layout.names if text in shown]
    return [*known, *(text for text in shown if text not in known)]


def _star(report: Report, text: str) -> str:
    """The mark of a score that a footnote explains."""
    return " *" if text in report.measures and report.measures[text].footnote else ""


def _renamed(note: str, layout: Layout) -> str:
    """A footnote on measures, with what they are called here."""
    texts, colon, rest = note.partition(": ")
    names = [layout.names.get(text, "") for text in texts.split(", ")]
    return f"* {', '.join(names)}{colon}{rest}" if all(names) else note


def _direction(report: Report, text: str) -> str:
    return " (0 is best)" if report.measures[text].is_distance else ""


# The sentence.


def sentences(report: Report, measure: str) -> Iterator[str]:
    """What a person would tell a colleague; `measure` decides which guess is better."""
    meets = {guess: report.meet_of(guess) for guess in report.guesses}
    called = f"the {CALLED.get(measure) or report.measures[measure].title}"
    if len(meets) == 1:
        (meet,) = meets.values()
        if isinstance(meet, SoftMeet):
            yield _agreement(report[measure].value, called)
        else:
            yield Fates.of(meet).sentence()
        return
    yield f"By {called}, {finding(report, measure)}."
    wins = Counter(
        report.guesses[(column - 1) // (3 if report.samples else 1)]
        for _, column in best_cells(report, 3 if report.samples else 1)
    )
    if len(wins) > 1:
        (best, most), *rest = wins.most_common()
        others = in_words(f"{guess} by {n}" for guess, n in rest)
        yield f"The measures disagree: {best} is best by {most} of {len(report.shown())}, {others}."
    if not any(isinstance(meet, SoftMeet) for meet in meets.values()):
        yield _exact_of_all({guess: Fates.of(meet) for guess, meet in meets.items()})


def _agreement(value: Any, called: str) -> str:
    """How far an uncertain guess agrees with truth."""
    if value is None:
        return ""
    told = f"By {called}, truth and guess agree to {digits(value)}, where 1 is perfect agreement"
    return told + ("; what is uncertain leaves the range open." if is_open(value) else ".")


def _exact_of_all(fates: dict[str, Fates]) -> str:
    """How many true clusters each guess finds exactly."""
    (best, own), *rest = sorted(fates.items(), key=lambda item: -item[1].exact)
    if own.exact == rest[-1][1].exact:
        return f"Each guess finds {own.found} exactly."
    if len(fates) > MOST:
        return f"At best, by {best}, {own.found} are found exactly."
    others = in_words(f"{guess} finds {one.exact:,}" for guess, one in rest)
    return f"{best} finds {own.found} exactly, {others}."


class Fates(NamedTuple):
    """What became of the true clusters; of overlapping ones only how many were found exactly."""

    clusters: int
    exact: int
    split: int = 0
    """Over several guess clusters, none of which has objects of others."""
    merged: int = 0
    """In one guess cluster, which has objects of others."""
    both: int = 0
    """Over several guess clusters, some of which have objects of others."""

    @classmethod
    def of(cls, meet: Meet) -> Fates:
        """Those of the true clusters of a comparison."""
        clusters = meet.truth_sizes.clusters
        if isinstance(meet, CoverMeet):
            return cls(clusters, int(meet.exact.sum()))
        assert not isinstance(meet, SoftMeet)
        if not isinstance(meet, HardMeet):
            agree = (meet.both == meet.truth_size) & (meet.both == meet.guess_size)
            return cls(clusters, int(meet.times[agree].sum()))
        return cls(clusters, meet.agreeing, *meet.fates)

    def sentence(self) -> str:
        """The numbers in words; what did not happen is left out."""
        if not self.clusters:
            return ""
        was = "was" if self.exact <= 1 else "were"
        some = 0 < self.exact < self.clusters
        share = f" ({percent(self.exact / self.clusters, 0)})" if some else ""
        told = [f"{self.found.capitalize()} {was} found exactly{share}"]
        rest = {
            "split": self.split, "merged with others": self.merged,
            "both split and merged": self.both,
        }  # fmt: skip
        told += [f"{n:,} {'was' if n == 1 else 'were'} {what}" for what, n in rest.items() if n]
        return in_words(told) + "."

    @property
    def found(self) -> str:
        """How many were found exactly, of how many."""
        if 1 < self.exact == self.clusters:
            return f"all {count(self.clusters, 'true cluster')}"
        number = f"{self.exact:,}" if self.exact else "none"
        return f"{number} of {count(self.clusters, 'true cluster')}"
