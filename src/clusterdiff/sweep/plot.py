"""Scores over thresholds, and precision against recall of the clusters at each of them."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import measure_named
from clusterdiff.output.figures import COLOURS, SYSTEMS, blank, clear, plain

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.sweep.result import Best, Sweep

POINTS = 2000
"""Number of lines drawn, above which some are chosen."""
HALVES = {"purity_f": ("purity", "inverse_purity"), "v_measure": ("homogeneity", "completeness")}
"""Precision and recall of measures whose names do not tell them."""
LINE, PRECISION, RECALL = "#0072b2", "#e69f00", "#009e73"


def sweep_of(curve: Sweep, measure: str | Measure | None = None) -> Any:
    """The score over the threshold with its precision and recall, the flat run shaded and the best
    line marked; below, the number of clusters and the size of the largest.
    """
    best = curve.best(measure)
    figure = blank()
    drawn = drawn_lines(curve, best)
    if best.scored < len(curve):
        drawn = np.union1d(drawn, np.flatnonzero(~np.isnan(curve[best.measure])))
    x = places_of(curve, drawn)
    halves = halves_of(curve._measure(best.measure)) or ()
    styles = zip(halves, (PRECISION, RECALL), strict=False)
    for name, colour, width in (
        (best.measure, LINE, 3.0), *((str(half), colour, 1.5) for half, colour in styles)
    ):  # fmt: skip
        _add_steps(figure, curve, name, x, drawn, curve[name], colour, width)
    for name, values, colour in (
        ("clusters", curve.clusters, "#5f7380"),
        ("largest cluster", curve.largest, COLOURS["both"]),
    ):
        _add_steps(figure, curve, name, x, drawn, values, colour, 1.5, below=True)
    _mark_best(figure, curve, best, x, drawn)
    logarithmic = {"type": "log"} if curve.lines.counts_clusters else {}
    grid = {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False}
    below = {"title": "objects, clusters", "domain": [0, 0.3], "type": "log", "anchor": "x"}
    figure.update_layout(
        xaxis={"title": axis_title(curve), "anchor": "y2", "domain": [0, 1], **logarithmic},
        yaxis={"title": "score", "domain": [0.36, 1]},
        yaxis2=grid | below | {"dtick": 1},
        height=560,
    )
    return figure


def axis_title(curve: Sweep) -> str:
    """What lines are, on the axis where they are drawn."""
    if curve.lines.names is not None:
        return "level"
    if curve.lines.counts_clusters:
        return "number of clusters"
    if curve.distance:
        return "threshold: what is at most as far apart is linked"
    return "threshold: pairs that score as much are linked"


def precision_recall_of(curve: Sweep, measures: list[str | Measure] | None = None) -> Any:
    """Precision against recall of the clusters of every line, for measures that have both; the best
    line of each measure is marked.
    """
    asked = [curve._measure(m) for m in (measures or list(curve.measures))]
    drawable = [(m, halves) for m in asked if (halves := halves_of(m)) is not None]
    if not drawable:
        raise ClusterdiffError(
            f"{', '.join(map(str, asked))}: no measure here has a precision and a recall.",
            'name one that has, e.g. cd.plot.precision_recall(curve, "elm_f").',
        )
    figure = blank()
    for colour, (m, (precision, recall)) in zip(cycle(SYSTEMS), drawable, strict=False):
        best, name = curve.best(m), plain(str(m))
        drawn = drawn_lines(curve, best)
        figure.add_scatter(
            x=curve[recall][drawn].tolist(), y=curve[precision][drawn].tolist(),
            name=f"{name}, best at {_where(curve, best.line)}",
            mode="lines+markers" if drawn.size < 60 else "lines",
            line={"color": colour, "width": 2}, hoverinfo="text+x+y",
            hovertext=[f"{name} {_where(curve, line)}" for line in drawn.tolist()],
        )  # fmt: skip
        figure.add_scatter(
            x=[float(curve[recall][best.line])], y=[float(curve[precision][best.line])],
            mode="markers", marker={"color": colour, "size": 12, "line": {"width": 1.5}},
            hovertext=[f"best {name} {best.value:.4f}<br>{_where(curve, best.line)}"],
            hoverinfo="text", showlegend=False,
        )  # fmt: skip
    axis = {"range": [-0.02, 1.03], "dtick": 0.2}
    figure.update_layout(
        xaxis=axis | {"title": "recall of the clusters"},
        yaxis=axis | {"title": "precision of the clusters"},
        height=450,
        showlegend=True,
    )
    return figure


def halves_of(measure: Measure) -> tuple[Measure, Measure] | None:
    """Precision and recall of a measure that is an F of both."""
    halves = HALVES.get(measure.name)
    if halves is None and measure.name.endswith("_f"):
        halves = (f"{measure.name[:-1]}precision", f"{measure.name[:-1]}recall")
    if halves is None:
        return None
    try:
        return measure_named(halves[0]), measure_named(halves[1])
    except ClusterdiffError:
        return None


def drawn_lines(curve: Sweep, best: Best, most: int = POINTS) -> Ints:
    """The lines to draw: all of them, or some that are spread over lines and over thresholds."""
    every = len(curve)
    if every <= most:
        return np.arange(every)
    by_line = np.linspace(0, every - 1, most // 2).astype(np.int64)
    finite = curve.thresholds[1:]
    ends = np.linspace(float(finite[0]), float(finite[-1]), most // 2)
    sign = 1.0 if curve.distance else -1.0
    by_threshold = 1 + np.searchsorted(sign * finite, sign * ends)
    near = [best.line, *best.run, best.line - 1, best.line + 1]
    return np.unique(np.clip(np.concatenate([by_line, by_threshold, near]), 0, every - 1))


def places_of(curve: Sweep, drawn: Ints) -> Floats | list[str]:
    """The places of lines; line 0, whose threshold is infinite, is a little beyond the others."""
    if curve.lines.names is not None:
        return [plain(curve.lines.names[line]) for line in drawn.tolist()]
    x = np.array(curve.thresholds[drawn])
    finite = x[np.isfinite(x)]
    if not finite.size:
        return np.zeros(x.size)
    if curve.lines.counts_clusters:
        return np.where(np.isfinite(x), x, finite.max() + 1)
    beyond = 0.04 * (float(finite.max() - finite.min()) or abs(float(finite[0])) or 1.0)
    x[x == np.inf] = finite.max() + beyond
    x[x == -np.inf] = finite.min() - beyond
    return x


def _add_steps(
    figure: Any, curve: Sweep, name: str, x: Any, drawn: Ints, values: Any, colour: str,
    width: float, below: bool = False,
) -> None:  # fmt: skip
    """Draw a score or a count over thresholds. A score holds up to its threshold, a distance from
    it on; that of a number of clusters belongs to this number.
    """
    shown = np.asarray(values, np.float64)[drawn]
    order = np.flatnonzero(~np.isnan(shown))
    whole = order.size == shown.size
    levels = curve.lines.names is not None
    steps = "hvh" if curve.lines.counts_clusters else "hv" if curve.distance else "vh"
    if not levels and not curve.distance:
        order = order[::-1]
    number = "{:,.0f}" if below else "{:.4f}"
    shape = steps if whole and not levels else "linear"
    figure.add_scatter(
        name=plain(name), x=[x[k] for k in order.tolist()], y=shown[order].tolist(),
        mode="lines+markers" if levels or order.size < min(60, len(curve)) else "lines",
        line={"color": colour, "width": width, "shape": shape}, hoverinfo="text",
        hovertext=[
            f"{plain(name)} {number.format(shown[k])}<br>{_where(curve, int(drawn[k]))}"
            for k in order.tolist()
        ],
        yaxis="y2" if below else "y",
    )  # fmt: skip


def _mark_best(figure: Any, curve: Sweep, best: Best, x: Any, drawn: Ints) -> None:
    """Mark the flat run with a band, and the best line with a narrow band or a point."""
    by_number = curve.lines.counts_clusters
    place: Any = x[int(np.searchsorted(drawn, best.line))]
    if curve.lines.names is None:
        for first, last, opacity in ((*best.run, 0.13), (best.line, best.line, 0.3)):
            low, high = curve.lines.interval(first, last)
            low, high = max(low + by_number / 2, min(x)), min(high + by_number / 2, max(x))
            figure.add_shape(
                type="rect", xref="x", yref="paper", x0=float(low), x1=float(high), y0=0, y1=1,
                layer="below", fillcolor=clear(LINE, opacity), line={"width": 0},
            )  # fmt: skip
        if not by_number:
            place = float(low + high) / 2
    figure.add_scatter(
        name="best", x=[place], y=[best.value], mode="markers",
        marker={"color": LINE, "size": 10, "line": {"width": 1.5, "color": "#ffffff"}},
        showlegend=False, hoverinfo="text",
        hovertext=[f"best {plain(best.measure)} {best.value:.4f}<br>{_where(curve, best.line)}"],
    )  # fmt: skip
    figure.add_annotation(
        x=float(np.log10(place)) if by_number else place, xref="x",
        y=0.01, yref="y domain", yanchor="bottom", showarrow=False,
        text=f"best {best.value:.4f}", bgcolor="rgba(255,255,255,0.8)",
    )  # fmt: skip


def _where(curve: Sweep, line: int) -> str:
    return plain(curve.lines.describe(line))
