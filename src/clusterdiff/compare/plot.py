"""Scores and their differences as points with whiskers."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from clusterdiff.measures import Measure
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output.figures import SYSTEMS, blank, plain
from clusterdiff.output.score import is_open
from clusterdiff.output.table import digits
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals
from clusterdiff.statistics.intervals import ConfidenceInterval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.compare.report import Report
    from clusterdiff.output.score import Score


def scores_of(report: Report) -> Any:
    """Scores as points, with bars as wide as their intervals."""
    figure = blank()
    kept = [text for text, m in report.measures.items() if at_most_one(m)]
    for colour, (guess, scores) in zip(cycle(SYSTEMS), report.scores.items(), strict=False):
        drawn = {text: scores[text] for text in kept if scores[text].value is not None}
        _add_points(
            figure, {text: spread_of(score) for text, score in drawn.items()}, colour,
            hovertext=[f"{plain(guess)}: {t} {digits(s.value)}" for t, s in drawn.items()],
            name=plain(guess),
        )  # fmt: skip
    low = min([0.0, *(min(points.x, default=0.0) for points in figure.data)])
    figure.update_layout(
        **_rows(kept),
        xaxis={"title": "score", "range": [low - 0.02, 1.02]},
        showlegend=len(report.scores) > 1,
    )
    return figure


def _add_points(
    figure: Any, points: Mapping[str, tuple[float, float, float]], colour: str, **options: Any
) -> None:
    """Add a row with a point and whiskers for each name: from low over the middle to high."""
    figure.add_scatter(
        x=[middle for _, middle, _ in points.values()],
        y=list(points),
        mode="markers",
        marker={"size": 9, "color": colour},
        error_x={
            "array": [high - middle for _, middle, high in points.values()],
            "arrayminus": [middle - low for low, middle, _ in points.values()],
            "symmetric": False,
            "thickness": 1.5,
            "color": colour,
        },
        hoverinfo="text",
        **options,
    )


def _rows(names: Sequence[str]) -> dict[str, Any]:
    """The layout of a figure with a row for each name, the first one on top."""
    order = {"autorange": "reversed", "categoryorder": "array", "categoryarray": names}
    return {"yaxis": order, "height": 110 + 24 * len(names)}


def spread_of(score: Score) -> tuple[float, float, float]:
    """Where a score is drawn, between the ends of its range or of its confidence interval, which is
    at 95 % where none was asked for.
    """
    value, interval = score.value, score.ci
    if isinstance(value, ScoreRange) and is_open(value):
        return value.low, (value.low + value.high) / 2, value.high
    if interval is None:
        intervals = ScoreIntervals(Confidence(0.95), score.meet, score.split, (score.measure,))
        interval = (
            intervals.score(score.measure, value)
            if score.each is None
            else intervals.macro(score.measure, score.each, value)
        )
    known = isinstance(interval, ConfidenceInterval) and interval
    return (known.low, float(score), known.high) if known else (float(score),) * 3


def at_most_one(measure: Measure) -> bool:
    """Whether scores fit an axis that ends at 1."""
    inner = measure.arguments.get("measure")
    return at_most_one(inner) if isinstance(inner, Measure) else measure.claims.bounds[1] <= 1
