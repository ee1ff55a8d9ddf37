"""Runs as a heatmap of their scores, and as points on a map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.output.figures import COLOURS, blank, plain
from clusterdiff.output.table import digits
from clusterdiff.output.text import cut
from clusterdiff.runs.score_matrix import fitting_names

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats
    from clusterdiff.runs.score_matrix import ScoreMatrix

AGREES = ("#e9f1fa", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
"""From little to full agreement: one hue, so that grey printers and all eyes tell them apart."""
NUMBERED = 15
"""Runs up to which cells have their numbers written in them."""
NAMED = 40
"""Runs up to which each has its name."""
LABELLED = 25
"""Points up to which names are written beside them."""


def heatmap_of(m: ScoreMatrix) -> Any:
    """Scores of all pairs, similar runs side by side; dark is agreement."""
    order, figure = m.order, blank()
    names = [plain(name) for name in fitting_names(m.names, 24)]
    places = list(range(len(order)))
    values = m.values[np.ix_(order, order)]
    scores = [[None if math.isnan(v) else v for v in row] for row in values.tolist()]
    low, high = _range(m)
    figure.add_heatmap(
        x=places, y=places, z=scores, zmin=low, zmax=high, xgap=1, ygap=1,
        colorscale=_scale(m.measure.is_distance),
        colorbar={"title": {"text": plain(str(m.measure)), "side": "right"}, "thickness": 14},
        customdata=[[_hover(m, i, j) for j in order] for i in order],
        hovertemplate="%{customdata}<extra></extra>",
        text=[[_written(v) for v in row] for row in scores] if len(m) <= NUMBERED else None,
        texttemplate="%{text}" if len(m) <= NUMBERED else None,
    )  # fmt: skip
    ticks = {
        "tickvals": places if len(m) <= NAMED else [],
        "ticktext": [names[i] for i in order],
        "showgrid": False,
        "constrain": "domain",
    }
    across = "" if m.is_symmetric else "guess"
    figure.update_layout(
        xaxis=ticks | {"title": across, "tickangle": -45, "constraintoward": "right"},
        yaxis=ticks
        | {"title": "truth" if across else "", "autorange": "reversed", "scaleanchor": "x"},
        height=160 + min(720, max(240, 34 * len(m))),
    )
    return figure


def embedding_of(m: ScoreMatrix) -> Any:
    """Runs as points, near where they agree; the medoid is marked."""
    made, figure = m.embedding(2), blank()
    middle = m.names.index(m.medoid)
    rest = [i for i in range(len(m)) if i != middle]
    names = [plain(cut(name, 30)) for name in m.names]
    few = len(m) <= LABELLED
    beside = _beside(made.points)
    for title, some, colour, symbol in (
        ("runs", rest, COLOURS["split"], "circle"),
        ("medoid", [middle], COLOURS["both"], "diamond"),
    ):
        figure.add_scatter(
            name=title,
            x=made.points[some, 0].tolist(),
            y=made.points[some, 1].tolist(),
            mode="markers+text" if few else "markers",
            marker={"size": 10, "color": colour, "symbol": symbol, "opacity": 0.85},
            text=[names[i] for i in some],
            textposition=[beside[i] for i in some],
            cliponaxis=False,
            hovertext=[
                f"{names[i]}<br>{digits(float(m.means[i]))} on average with the others"
                for i in some
            ],
            hoverinfo="text",
        )
    figure.update_layout(
        xaxis={"title": f"{_distance(m)}, stress {made.stress:.2f}"},
        yaxis={"scaleanchor": "x"},
        height=480,
    )
    return figure


def _beside(points: Floats) -> list[str]:
    """Where the name of each point stands: on the side away from the nearest other one."""
    apart = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    across, up = (points - points[np.argmin(apart, axis=1)]).T
    sides = np.where(across < 0, "middle left", "middle right")
    ends = np.where(up < 0, "bottom center", "top center")
    found: list[str] = np.where(np.abs(across) > np.abs(up), sides, ends).tolist()
    return found


def _range(m: ScoreMatrix) -> tuple[float, float]:
    """From where to where colours run: over the pairs of different runs and what identical ones
    score, where that is known.
    """
    known = [value for value, _, _ in m.pairs()]
    best = m.measure.claims.best
    ends = [*known, *([] if best is None else [best])] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    return (low, high) if low < high else (low - 0.5, high)


def _scale(distance: bool) -> list[list[Any]]:
    colours = AGREES[::-1] if distance else AGREES
    return [[k / (len(colours) - 1), colour] for k, colour in enumerate(colours)]


def _hover(m: ScoreMatrix, i: int, j: int) -> str:
    value = float(m.values[i, j])
    told = "no object in common" if math.isnan(value) else f"{m.measure} {digits(value)}"
    return f"{plain(m.names[i])}<br>{plain(m.names[j])}<br>{plain(told)}"


def _written(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _distance(m: ScoreMatrix) -> str:
    """What the distances on the map are of."""
    from clusterdiff.runs.agreement import is_euclidean

    name = plain(str(m.measure))
    inner = name if m.measure.is_distance else f"1 − {name}"
    if m.measure.claims.best is None:
        inner = f"what {name} lacks"
    return f"√({inner})" if is_euclidean(m.measure) else inner
