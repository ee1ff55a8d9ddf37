"""Scores and their differences as points with whiskers."""

from __future__ import annotations

from itertools import cycle
from math import isnan
from typing import TYPE_CHECKING, Any

from clusterdiff.compare.differences import shown_difference, sure_of
from clusterdiff.compare.report import shown
from clusterdiff.measures import Measure
from clusterdiff.measures.interval import Interval
from clusterdiff.output.figures import COLOURS, SYSTEMS, blank, plain
from clusterdiff.output.score import is_open

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report
    from clusterdiff.output.score import Score


def scores_of(report: Report) -> Any:
    """Scores as points, with bars as wide as their intervals."""
    figure = blank()
    kept = [text for text, m in report.measures.items() if _at_most_one(m)]
    for colour, (name, found) in zip(cycle(SYSTEMS), report.scores.items(), strict=False):
        texts = [text for text in kept if found[text].value is not None]
        values = [found[text] for text in texts]
        spreads = [_spread(score) for score in values]
        figure.add_scatter(
            name=plain(name),
            x=[middle for _, middle, _ in spreads],
            y=texts,
            mode="markers",
            marker={"size": 9, "color": colour},
            error_x={
                "array": [high - middle for _, middle, high in spreads],
                "arrayminus": [middle - low for low, middle, _ in spreads],
                "symmetric": False,
                "thickness": 1.5,
                "color": colour,
            },
            hovertext=[
                f"{plain(name)}: {t} {shown(s.value)}" for t, s in zip(texts, values, strict=True)
            ],
            hoverinfo="text",
        )
    low = min([0.0, *(min(bars.x, default=0.0) for bars in figure.data)])
    figure.update_layout(
        xaxis={"title": "score", "range": [low - 0.02, 1.02]},
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": kept},
        showlegend=len(report.scores) > 1,
        height=110 + 24 * len(kept),
    )
    return figure


def differences_of(report: Report, measure: str) -> Any:
    """Differences as points with their intervals, beside a line at 0: of two guesses by every
    measure, of more the best less each other one by the measure that is explained; None where no
    difference was tested.
    """
    if len(report.scores) == 2:
        first, second = report.guesses
        kept = [text for text, m in report.measures.items() if _at_most_one(m)]
        found = {text: report.difference(text, second, first) for text in kept}
        title = f"{plain(second)} − {plain(first)}"
    else:
        found = {plain(guess): d for guess, d in report.against_best(measure).items()}
        title = f"{measure}: the best less each other guess"
    known = {name: d for name, d in found.items() if not isnan(d.low)}
    if not known:
        return None
    figure = blank()
    figure.add_scatter(
        x=[d.value for d in known.values()],
        y=list(known),
        mode="markers",
        marker={
            "size": 9,
            "color": COLOURS["split"],
            "symbol": ["circle" if d.sure else "circle-open" for d in known.values()],
        },
        error_x={
            "array": [d.high - d.value for d in known.values()],
            "arrayminus": [d.value - d.low for d in known.values()],
            "symmetric": False,
            "thickness": 1.5,
            "color": COLOURS["split"],
        },
        hovertext=[f"{name}: {shown_difference(d)}" for name, d in known.items()],
        hoverinfo="text",
    )
    figure.add_vline(x=0, line={"color": "gray", "dash": "dot", "width": 1})
    figure.update_layout(
        xaxis={"title": title},
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": list(known)},
        showlegend=False,
        height=110 + 24 * len(known),
    )
    return figure


def _spread(score: Score) -> tuple[float, float, float]:
    """From where to where a score reaches, and where it is drawn: what ambiguity leaves open, or a
    confidence interval.
    """
    value = score.value
    if isinstance(value, Interval) and is_open(value):
        return value.low, (value.low + value.high) / 2, value.high
    middle, sure = float(score), sure_of(score)
    return (sure.low, middle, sure.high) if sure else (middle, middle, middle)


def _at_most_one(measure: Measure) -> bool:
    """Whether scores fit an axis that ends at 1."""
    inner = measure.arguments.get("measure")
    return _at_most_one(inner) if isinstance(inner, Measure) else measure.claims.bounds[1] <= 1
