"""Runs drawn: a heatmap of their scores, a map of them as points, and their consensus."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.output.figures import COLOURS, blank, plain
from clusterdiff.output.table import digits
from clusterdiff.output.text import cut, short_names, shown_name
from clusterdiff.runs.agreement import is_euclidean
from clusterdiff.runs.consensus import amount
from clusterdiff.runs.matrix import fitting_names

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats
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
    name = plain(str(m.measure))
    inner = name if m.measure.is_distance else f"1 − {name}"
    if m.measure.claims.best is None:
        inner = f"what {name} lacks"
    return f"√({inner})" if is_euclidean(m.measure) else inner


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
    runs, clusters = _runs(c), _clusters(c, top)
    upper, lower = max(4, len(runs)) * LINE, max(3, len(clusters)) * LINE
    height = upper + lower + GAP
    _draw_distances(figure, c, runs)
    _draw_blocks(figure, clusters)
    grid = {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False}
    figure.update_layout(
        xaxis=grid
        | {
            "title": {"text": f"{plain(str(c.by))} to the consensus", "standoff": 8},
            "rangemode": "tozero", "anchor": "y",
        },
        yaxis={
            "automargin": True, "autorange": "reversed", "domain": [1 - upper / height, 1],
            "ticklabelstandoff": 8,
        },
        xaxis2=grid | {
            "title": {"text": "objects, in blocks of one profile", "standoff": 8},
            "anchor": "y2", "dtick": 1 if c.sizes[0] <= 10 else None,
        },
        yaxis2={
            "automargin": True, "autorange": "reversed", "domain": [0, lower / height],
            "type": "category",
        },
        coloraxis={
            "colorscale": [[k / (len(AGREES) - 1), one] for k, one in enumerate(AGREES)],
            "cmin": 0, "cmax": 1,
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


def _runs(c: Consensus) -> list[int]:
    """Places of the runs that are drawn, the nearest first."""
    order = sorted(range(len(c.names)), key=lambda i: (c.distances[c.names[i]], i))
    return order if len(order) <= RUNS else [*order[: RUNS // 2], *order[-RUNS // 2 :]]


def _draw_distances(figure: Any, c: Consensus, runs: list[int]) -> None:
    names = [plain(cut(name, 30)) for name in short_names(c.names, 30)]
    middle, whole = c.names.index(c.medoid), c.problem.whole
    for title, some, colour, symbol in (
        ("runs", [i for i in runs if i != middle], COLOURS["split"], "circle"),
        ("medoid", [i for i in runs if i == middle], COLOURS["both"], "diamond"),
    ):
        values = [c.distances[c.names[i]] for i in some]
        figure.add_scatter(
            name=title,
            x=values,
            y=[names[i] for i in some],
            mode="markers",
            marker={"size": 10, "color": colour, "symbol": symbol},
            hovertext=[
                f"{names[i]}<br>{amount(c, value)}" for i, value in zip(some, values, strict=True)
            ],
            hoverinfo="text",
            cliponaxis=False,
        )
    best = ", the least that any partition has" if c.optimal else ""
    lines = [(f"mean {amount(c, c.cost / whole)}{best}", c.cost / whole, "solid")]
    if not c.optimal:
        lines.append((f"its bound {amount(c, c.bound / whole)}", c.bound / whole, "dash"))
    for text, x, dash in lines:
        figure.add_scatter(
            name=text,
            x=[x, x],
            y=[names[runs[0]], names[runs[-1]]],
            mode="lines",
            line={"color": "gray", "dash": dash, "width": 1.5},
            hoverinfo="name",
        )
    figure.update_layout(
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [names[i] for i in runs],
        }
    )


def _clusters(c: Consensus, top: int) -> dict[str, list[Block]]:
    """The largest clusters by name, each as the blocks that it is made of, largest first."""
    cluster, count = c.found.cluster, c.problem.count
    size = np.bincount(cluster, weights=count)
    first = np.full(count.size, c.profiles.code.size)
    np.minimum.at(first, c.profiles.code, np.arange(c.profiles.code.size))
    made = {}
    for one in np.argsort(-size, kind="stable")[:top].tolist():
        some = np.flatnonzero(cluster == one)
        some = some[np.argsort(-count[some], kind="stable")]
        label = _name(c, int(first[some].min()))
        blocks = [
            Block(n, share, f"{n:,} objects such as {_name(c, place)}<br>support {share:.2f}")
            for n, share, place in zip(
                count[some].tolist(), c.profile_support[some].tolist(), first[some].tolist(),
                strict=True,
            )
        ]  # fmt: skip
        made[label] = _few(blocks, SEEN * float(size.max()))
    return made


def _name(c: Consensus, place: int) -> str:
    return plain(cut(shown_name(place if c.ids is None else c.ids[place]), 24))


def _few(blocks: list[Block], least: float) -> list[Block]:
    """The largest blocks, if they can be seen, and all others as one."""
    kept = min(BLOCKS, sum(block.objects >= least for block in blocks))
    rest = blocks[kept:]
    if len(rest) < 2:
        return blocks
    objects = sum(block.objects for block in rest)
    support = sum(block.objects * block.support for block in rest) / objects
    text = f"{objects:,} objects of {len(rest):,} smaller profiles<br>support {support:.2f}"
    return [*blocks[:kept], Block(objects, support, text)]


def _draw_blocks(figure: Any, clusters: dict[str, list[Block]]) -> None:
    for k in range(max(map(len, clusters.values()))):
        some = {name: blocks[k] for name, blocks in clusters.items() if len(blocks) > k}
        figure.add_bar(
            x=[block.objects for block in some.values()],
            y=list(some),
            orientation="h",
            marker={
                "color": [block.support for block in some.values()],
                "coloraxis": "coloraxis",
                "line": {"color": "white", "width": 0.7},
            },
            hovertext=[f"{name}<br>{block.text}" for name, block in some.items()],
            hoverinfo="text",
            xaxis="x2",
            yaxis="y2",
            showlegend=False,
        )
