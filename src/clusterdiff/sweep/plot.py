"""Scores over thresholds, and precision against recall of the clusters that they give."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import measure_named
from clusterdiff.output.figures import COLOURS, SYSTEMS, blank, clear, plain
from clusterdiff.sweep.result import where

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.sweep.result import Sweep

POINTS = 2000
"""Lines that are drawn; of more, some are chosen."""
HALVES = {"purity_f": ("purity", "inverse_purity"), "v_measure": ("homogeneity", "completeness")}
"""Precision and recall of measures whose names do not tell them."""
LINE, PRECISION, RECALL = "#0072b2", "#e69f00", "#009e73"


def sweep_of(curve: Sweep, measure: str | Measure | None = None) -> Any:
    """The score over the threshold with its precision and recall, the flat run shaded and the best
    marked; below, how many clusters there are and how large the largest is.
    """
    best = curve.best(measure)
    m = curve._measure(best.measure)
    figure = blank()
    drawn = drawn_lines(curve, best.run, best.line)
    if best.scored < len(curve):
        drawn = np.union1d(drawn, np.flatnonzero(~np.isnan(curve[best.measure])))
    x = _places(curve, drawn)
    scored = [(best.measure, LINE, 3.0)]
    if (halves := halves_of(m)) is not None:
        scored += [(str(halves[0]), PRECISION, 1.5), (str(halves[1]), RECALL, 1.5)]
    for name, colour, width in scored:
        _steps(figure, curve, name, x, drawn, curve[name], colour, width)
    for name, values, colour in (
        ("clusters", curve.clusters, "#5f7380"),
        ("largest cluster", curve.largest, COLOURS["both"]),
    ):
        _steps(figure, curve, name, x, drawn, values, colour, 1.5, below=True)
    _mark(figure, curve, x, drawn, best.run, best.line)
    _axes(figure, curve, best.measure)
    return figure


def precision_recall_of(curve: Sweep, measures: list[str | Measure] | None = None) -> Any:
    """Precision against recall of the clusters of every line, for measures that have both; the best
    line of each is marked.
    """
    asked = [curve._measure(m) for m in (measures or list(curve.measures))]
    known = [(m, halves) for m in asked if (halves := halves_of(m)) is not None]
    if not known:
        raise ClusterdiffError(
            f"{', '.join(map(str, asked))}: no measure here has a precision and a recall.",
            'name one that has, e.g. cd.plot.precision_recall(curve, "elm_f").',
        )
    figure = blank()
    for colour, (m, (precision, recall)) in zip(cycle(SYSTEMS), known, strict=False):
        best = curve.best(m)
        drawn = drawn_lines(curve, best.run, best.line)
        ends = {"x": curve[recall], "y": curve[precision]}
        told = [f"{plain(str(m))} {_where(curve, k)}" for k in drawn.tolist()]
        figure.add_scatter(
            name=f"{plain(str(m))}, best at {_where(curve, best.line)}",
            mode="lines+markers" if drawn.size < 60 else "lines",
            line={"color": colour, "width": 2}, hovertext=told, hoverinfo="text+x+y",
            **{axis: values[drawn].tolist() for axis, values in ends.items()},
        )  # fmt: skip
        figure.add_scatter(
            mode="markers", marker={"color": colour, "size": 12, "line": {"width": 1.5}},
            hovertext=[f"best {plain(str(m))} {best.value:.4f}<br>{_where(curve, best.line)}"],
            hoverinfo="text", showlegend=False,
            **{axis: [float(values[best.line])] for axis, values in ends.items()},
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
    name = measure.name
    halves = HALVES.get(name)
    if halves is None and name.endswith("_f"):
        halves = (f"{name[:-1]}precision", f"{name[:-1]}recall")
    if halves is None:
        return None
    try:
        return measure_named(halves[0]), measure_named(halves[1])
    except ClusterdiffError:
        return None


def drawn_lines(curve: Sweep, run: tuple[int, int], line: int, most: int = POINTS) -> Ints:
    """The lines that are drawn: all, or some that are spread over lines and over thresholds."""
    every = len(curve)
    if every <= most:
        return np.arange(every)
    by_line = np.linspace(0, every - 1, most // 2).astype(np.int64)
    finite = curve.thresholds[1:]
    ends = np.linspace(float(finite[0]), float(finite[-1]), most // 2)
    sign = 1.0 if curve.distance else -1.0
    by_threshold = 1 + np.searchsorted(sign * finite, sign * ends)
    found = np.concatenate([by_line, by_threshold, [line, *run, line - 1, line + 1]])
    return np.unique(np.clip(found, 0, every - 1))


def _places(curve: Sweep, drawn: Ints) -> Floats | list[str]:
    """Where lines stand; line 0, whose threshold is infinite, a little beyond the others."""
    if curve.lines.names is not None:
        return [plain(curve.lines.names[k]) for k in drawn.tolist()]
    x = np.array(curve.thresholds[drawn])
    finite = x[np.isfinite(x)]
    if not finite.size:
        return np.zeros(x.size)
    if curve.swept.whole:
        return np.where(np.isfinite(x), x, finite.max() + 1)
    beyond = 0.04 * (float(finite.max() - finite.min()) or abs(float(finite[0])) or 1.0)
    x[x == np.inf] = finite.max() + beyond
    x[x == -np.inf] = finite.min() - beyond
    return x


def _steps(
    figure: Any, curve: Sweep, name: str, x: Any, drawn: Ints, values: Any, colour: str,
    width: float, below: bool = False,
) -> None:  # fmt: skip
    """A score or a count over thresholds: it holds up to a score, of distances from one on."""
    shown = np.asarray(values, np.float64)[drawn]
    known = ~np.isnan(shown)
    order = np.flatnonzero(known)
    levels = curve.lines.names is not None
    if not levels and not curve.distance:
        order = order[::-1]
    number = "{:,.0f}" if below else "{:.4f}"
    figure.add_scatter(
        name=plain(name),
        x=[x[k] for k in order.tolist()],
        y=[float(shown[k]) for k in order.tolist()],
        mode="lines+markers" if levels or order.size < min(60, len(curve)) else "lines",
        line={
            "color": colour, "width": width,
            "shape": "linear" if levels or not known.all() else _shape(curve),
        },
        hovertext=[
            f"{plain(name)} {number.format(shown[k])}<br>{_where(curve, int(drawn[k]))}"
            for k in order.tolist()
        ],
        hoverinfo="text",
        yaxis="y2" if below else "y",
    )  # fmt: skip


def _shape(curve: Sweep) -> str:
    """How steps go: a score holds up to a threshold, of distances from it on; of numbers of
    clusters it is that of each number.
    """
    if curve.swept.whole:
        return "hvh"
    return "hv" if curve.distance else "vh"


def _mark(figure: Any, curve: Sweep, x: Any, drawn: Ints, run: tuple[int, int], line: int) -> None:
    """The flat run as a band, and the best line as a narrow one or a point."""
    best = curve.best(figure.data[0].name)
    place: Any = x[int(np.searchsorted(drawn, line))]
    if curve.lines.names is None:
        for first, last, opacity in ((*run, 0.13), (line, line, 0.3)):
            low, high = _span(curve, x, first, last)
            figure.add_shape(
                type="rect", xref="x", yref="paper", x0=low, x1=high, y0=0, y1=1, layer="below",
                fillcolor=clear(LINE, opacity), line={"width": 0},
            )  # fmt: skip
        if not curve.swept.whole:
            place = sum(_span(curve, x, line, line)) / 2
    figure.add_scatter(
        name="best", x=[place], y=[best.value], mode="markers",
        marker={"color": LINE, "size": 10, "line": {"width": 1.5, "color": "#ffffff"}},
        showlegend=False, hoverinfo="text",
        hovertext=[f"best {plain(best.measure)} {best.value:.4f}<br>{_where(curve, line)}"],
    )  # fmt: skip
    figure.add_annotation(
        x=float(np.log10(place)) if curve.swept.whole else place, xref="x",
        y=0.01, yref="y domain", yanchor="bottom", showarrow=False,
        text=f"best {best.value:.4f}", bgcolor="rgba(255,255,255,0.8)",
    )  # fmt: skip


def _where(curve: Sweep, line: int) -> str:
    return plain(where(curve, line, line))


def _span(curve: Sweep, x: Any, first: int, last: int) -> tuple[float, float]:
    """From where to where a run of lines reaches in the picture."""
    low, high = curve.lines.interval(first, last)
    if curve.swept.whole:
        low, high = low + 0.5, high + 0.5
    least, most = float(min(x)), float(max(x))
    return max(low, least), min(high, most)


def _axes(figure: Any, curve: Sweep, measure: str) -> None:
    grid = {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False}
    title = "threshold: pairs that score as much are linked"
    if curve.lines.names is not None:
        title = "level"
    elif curve.swept.whole:
        title = "number of clusters"
    elif curve.distance:
        title = "threshold: what is at most as far apart is linked"
    x = grid | {"title": title, "anchor": "y2", "domain": [0, 1]}
    if curve.swept.whole:
        x["type"] = "log"
    figure.update_layout(
        xaxis=x,
        yaxis=grid | {"title": "score", "domain": [0.36, 1]},
        yaxis2=grid | {"title": "objects, clusters", "domain": [0, 0.3], "type": "log",
                       "anchor": "x", "dtick": 1},
        height=560,
    )  # fmt: skip
