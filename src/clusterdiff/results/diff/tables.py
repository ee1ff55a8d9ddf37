"""A diff as tables: the scores of both runs, and a page of Markdown with what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterdiff.results.describe import count
from clusterdiff.results.diff.changes import ROUNDING, RUNS, moved, signed
from clusterdiff.results.intervals import interval_and_p
from clusterdiff.results.render import markup
from clusterdiff.results.render.table import CellTable

if TYPE_CHECKING:
    from clusterdiff.results.diff.result import Diff


def scores_table(found: Diff) -> CellTable:
    """Both runs; over samples the mean of their scores, and besides the score of all pooled."""
    report = found.report
    parts: dict[str, Any] = {"": float}
    if report.samples:
        parts = {" macro": float, " micro": lambda score: float(score.micro)}
    rows = []
    for text in report:
        row = [text]
        for number_of in parts.values():
            old, new = (number_of(report[text][run]) for run in RUNS)
            row += [*moved(old, new), signed(new - old)]
        if report.confidence is not None:
            change = found.difference(text)
            row.append(interval_and_p(change) if change.tested else "not tested")
        rows.append(tuple(row))
    headings = [f"{run}{part}" for part in parts for run in (*RUNS, "change")]
    if report.confidence is not None:
        level = f"{100 * report.confidence.level:g} %"
        headings.append(f"{level} of change{next(iter(parts))}")
    return CellTable(("", *headings), tuple(rows))


def markdown_of(found: Diff, top: int | None, ids: int | None) -> str:
    """A diff as a comment on a pull request: a verdict, the scores, what became of objects and
    clusters, and, folded up, what changed most.
    """
    headline = markup.in_markdown(found.headline.replace(" -> ", " → "))
    blocks = [
        f"**{verdict(found)}: {headline}**",
        markup.to_markdown(scores_table(found)),
        *map(markup.in_markdown, found.sentences()),
    ]
    for better, title in ((False, "Worse now"), (True, "Better now")):
        fates = ("repaired", "better") if better else ("broken", "worse")
        many = sum(found.fates[fate] for fate in fates)
        if some := found.changed(better, top, ids):
            listed = sum(getattr(change, "objects", 1) for change in some)
            shown = f", {listed:,} of them shown" if listed < many else ""
            blocks += [
                f"<details><summary>{title}: {count(many, found.unit)}{shown}</summary>",
                markup.to_markdown(found.table_of(some, ids)),
                "</details>",
            ]
    return "\n\n".join(blocks)


def verdict(found: Diff) -> str:
    """Whether the new run is better by the measure that is explained, in a word or two."""
    change = found.change[str(found.measure)]
    if abs(change) <= ROUNDING:
        return "Unchanged"
    word = "Better" if (change < 0) == found.measure.is_distance else "Worse"
    if found.report.confidence is None:
        return word
    sure = found.difference(found.measure)
    return word if sure.sure or not sure.tested else f"{word}, not significantly"
