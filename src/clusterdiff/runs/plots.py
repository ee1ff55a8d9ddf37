"""Runs drawn: a heatmap of their scores, a map of them as points, and their consensus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.output.figures import COLOURS, blank, plain
from clusterdiff.output.table import digits
from clusterdiff.output.text import cut, short_names, shown_name
from clusterdiff.runs.agreement import is_euclidean
from clusterdiff.runs.consensus import amount
from clusterdiff.runs.matrix import fitting_names

if TYPE_CHECKING:
    from clusterdiff.runs.consensus import Consensus
    from clusterdiff.runs.matrix import ScoreMatrix

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
    # Colours run over the pairs of different runs and what identical ones score, where it is known.
    best = m.measure.claims.best
    ends = [*(value for value, _, _ in m.pairs()), *([] if best is None else [best])] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    if low == high:
        low, high = low - 0.5, high + 0.5
    numbered = len(m) <= NUMBERED
    figure.add_heatmap(
        x=places, y=places, z=scores, zmin=low, zmax=high, xgap=1, ygap=1,
        colorscale=_scale(AGREES[::-1] if m.measure.is_distance else AGREES),
        colorbar={"title": {"text": plain(str(m.measure)), "side": "right"}, "thickness": 14},
        customdata=[[_hover(m, i, j) for j in order] for i in order],
        hovertemplate="%{customdata}<extra></extra>",
        text=[[_written(v) for v in row] for row in scores] if numbered else None,
        texttemplate="%{text}" if numbered else None,
    )  # fmt: skip
    ticks = {
        "tickvals": places if len(m) <= NAMED else [],
        "ticktext": [names[i] for i in order],
        "showgrid": False,
        "constrain": "domain",
    }
    across, down = ("", "") if m.is_symmetric else ("guess", "truth")
    figure.update_layout(
        xaxis=ticks | {"title": across, "tickangle": -45, "constraintoward": "right"},
        yaxis=ticks | {"title": down, "autorange": "reversed", "scaleanchor": "x"},
        height=160 + min(720, max(240, 34 * len(m))),
    )
    return figure


def embedding_of(m: ScoreMatrix) -> Any:
    """Runs as points, near where they agree; the medoid is marked."""
    made, figure = m.embedding(2), blank()
    names = [plain(cut(name, 30)) for name in m.names]
    # Names stand on the side away from the nearest other point.
    apart = ((made.points[:, None, :] - made.points[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    across, up = (made.points - made.points[np.argmin(apart, axis=1)]).T
    sides = np.where(across < 0, "middle left", "middle right")
    beside = np.where(
        np.abs(across) > np.abs(up), sides, np.where(up < 0, "bottom center", "top center")
    )
    told = [f"{digits(float(mean))} on average with the others" for mean in m.means]
    _mark_runs(
        figure, range(len(m)), m.names.index(m.medoid), 0.85,
        mode="markers+text" if len(m) <= LABELLED else "markers",
        x=made.points[:, 0].tolist(), y=made.points[:, 1].tolist(), text=names,
        textposition=beside.tolist(), hovertext=list(map("{}<br>{}".format, names, told)),
    )  # fmt: skip
    name = plain(str(m.measure))
    inner = name if m.measure.is_distance else f"1 − {name}"
    if m.measure.claims.best is None:
        inner = f"what {name} lacks"
    distance = f"√({inner})" if is_euclidean(m.measure) else inner
    figure.update_layout(
        xaxis={"title": f"{distance}, stress {made.stress:.2f}"},
        yaxis={"scaleanchor": "x"},
        height=480,
    )
    return figure


def _mark_runs(
    figure: Any, runs: Iterable[int], medoid: int, opacity: float, mode: str, **columns: Any
) -> None:
    """Draw some runs as points, and the medoid as one of its own; columns are those of all runs."""
    given = list(runs)
    for title, some, colour, symbol in (
        ("runs", [i for i in given if i != medoid], COLOURS["split"], "circle"),
        ("medoid", [i for i in given if i == medoid], COLOURS["both"], "diamond"),
    ):
        figure.add_scatter(
            name=title, mode=mode, cliponaxis=False, hoverinfo="text",
            marker={"size": 10, "color": colour, "symbol": symbol, "opacity": opacity},
            **{name: [column[i] for i in some] for name, column in columns.items()},
        )  # fmt: skip


def _scale(colours: Sequence[str]) -> list[list[Any]]:
    return [[k / (len(colours) - 1), colour] for k, colour in enumerate(colours)]


def _hover(m: ScoreMatrix, i: int, j: int) -> str:
    value = float(m.values[i, j])
    told = "no object in common" if math.isnan(value) else f"{m.measure} {digits(value)}"
    return f"{plain(m.names[i])}<br>{plain(m.names[j])}<br>{plain(told)}"


def _written(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


# A consensus: how far the runs are from it, and what its largest clusters are made of.

BLOCKS = 24
"""Profiles of a cluster that are drawn; the others are one block."""
SEEN = 0.008
"""Of the length of the longest bar, what a block must have to be seen by itself."""
RUNS = 40
"""Runs that are drawn: of more, the nearest and the farthest."""
LINE, GAP = 22, 90
"""Pixels of a bar, and of what stands between the two parts."""


class Block(NamedTuple):
    """Objects of a cluster that all runs put in the same clusters."""

    objects: int
    support: float
    text: str


def consensus_of(c: Consensus, top: int) -> Any:
    """Distances of the runs above, clusters as blocks of profiles below."""
    figure = blank()
    clusters = _clusters(c, top)
    order = sorted(range(len(c.names)), key=lambda i: (c.distances[c.names[i]], i))
    runs = order if len(order) <= RUNS else [*order[: RUNS // 2], *order[-RUNS // 2 :]]
    names = _draw_distances(figure, c, runs)
    _draw_blocks(figure, clusters)
    upper, lower = max(4, len(runs)) * LINE, max(3, len(clusters)) * LINE
    height = upper + lower + GAP
    grid = {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False}
    rows = {"automargin": True, "autorange": "reversed", "type": "category"}
    figure.update_layout(
        xaxis=grid | {
            "title": {"text": f"{plain(str(c.by))} to the consensus", "standoff": 8},
            "rangemode": "tozero", "anchor": "y",
        },
        yaxis=rows | {
            "domain": [1 - upper / height, 1], "ticklabelstandoff": 8,
            "categoryorder": "array", "categoryarray": names,
        },
        xaxis2=grid | {
            "title": {"text": "objects, in blocks of one profile", "standoff": 8},
            "anchor": "y2", "dtick": 1 if c.sizes[0] <= 10 else None,
        },
        yaxis2=rows | {"domain": [0, lower / height]},
        coloraxis={
            "colorscale": _scale(AGREES), "cmin": 0, "cmax": 1,
            "colorbar": {
                "title": {"text": "support", "side": "right"}, "thickness": 14,
                "len": lower / height, "y": 0, "yanchor": "bottom",
            },
        },
        barmode="stack",
        height=height + 90,
        margin={"l": 20, "r": 20, "t": 40, "b": 50},
    )  # fmt: skip
    return figure


def _draw_distances(figure: Any, c: Consensus, runs: list[int]) -> list[str]:
    """The distance of each of these runs, the cost and its bound; the names of the runs."""
    names = [plain(cut(name, 30)) for name in short_names(c.names, 30)]
    values = [c.distances[name] for name in c.names]
    told = [f"{name}<br>{amount(c, value)}" for name, value in zip(names, values, strict=True)]
    _mark_runs(
        figure, runs, c.names.index(c.medoid), 1, "markers", x=values, y=names, hovertext=told
    )
    cost, bound = c.cost / c.problem.whole, c.bound / c.problem.whole
    best = ", the least that any partition has" if c.optimal else ""
    lines = [(f"mean {amount(c, cost)}{best}", cost, "solid")]
    if not c.optimal:
        lines.append((f"its bound {amount(c, bound)}", bound, "dash"))
    for text, x, dash in lines:
        figure.add_scatter(
            name=text, x=[x, x], y=[names[runs[0]], names[runs[-1]]], mode="lines",
            line={"color": "gray", "dash": dash, "width": 1.5}, hoverinfo="name",
        )  # fmt: skip
    return [names[i] for i in runs]


def _clusters(c: Consensus, top: int) -> dict[str, list[Block]]:
    """The largest clusters by name, each as the blocks that it is made of, largest first: those
    that can be seen, and all others as one.
    """
    cluster, count = c.found.cluster, c.problem.count
    size = np.bincount(cluster, weights=count)
    first = np.full(count.size, c.profiles.code.size)
    np.minimum.at(first, c.profiles.code, np.arange(c.profiles.code.size))

    def named(place: int) -> str:
        return plain(cut(shown_name(place if c.ids is None else c.ids[place]), 24))

    made = {}
    for one in np.argsort(-size, kind="stable")[:top].tolist():
        some = np.flatnonzero(cluster == one)
        some = some[np.argsort(-count[some], kind="stable")]
        columns = (count[some], c.profile_support[some], first[some])
        blocks = [
            Block(n, share, f"{n:,} objects such as {named(place)}<br>support {share:.2f}")
            for n, share, place in zip(*(column.tolist() for column in columns), strict=True)
        ]
        kept = min(BLOCKS, sum(block.objects >= SEEN * float(size.max()) for block in blocks))
        if len(rest := blocks[kept:]) > 1:
            objects = sum(block.objects for block in rest)
            share = sum(block.objects * block.support for block in rest) / objects
            text = f"{objects:,} objects of {len(rest):,} smaller profiles"
            blocks[kept:] = [Block(objects, share, f"{text}<br>support {share:.2f}")]
        made[named(int(first[some].min()))] = blocks
    return made


def _draw_blocks(figure: Any, clusters: dict[str, list[Block]]) -> None:
    for k in range(max(map(len, clusters.values()))):
        some = {name: blocks[k] for name, blocks in clusters.items() if len(blocks) > k}
        figure.add_bar(
            x=[block.objects for block in some.values()], y=list(some), orientation="h",
            marker={
                "color": [block.support for block in some.values()], "coloraxis": "coloraxis",
                "line": {"color": "white", "width": 0.7},
            },
            hovertext=[f"{name}<br>{block.text}" for name, block in some.items()],
            hoverinfo="text", xaxis="x2", yaxis="y2", showlegend=False,
        )  # fmt: skip
