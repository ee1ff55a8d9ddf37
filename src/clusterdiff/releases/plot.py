"""Releases drawn: clusters of the largest events as bands, events of each step, stability."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.output.describe import count
from clusterdiff.output.figures import blank, clear, plain
from clusterdiff.output.text import cut, shown_name
from clusterdiff.releases.id_history import KINDS, MEANINGS, SAME

if TYPE_CHECKING:
    from clusterdiff.releases.track import Step, Tracking

EVENTS = 10
"""Events whose clusters are named, over all steps; of each step two at least."""
ROWS = 4
"""Rows of an event that are drawn apart."""
THICK = 0.4
"""How thick the band of all the rest is at most, beside all others of its step together."""
BINS = 20
COLOURS = {
    "same": "#b5c2ca", "grown": "#009e73", "shrunk": "#56b4e9", "changed": "#7a8f9b",
    "split": "#0072b2", "merged": "#e69f00", "mixed": "#d55e00", "born": "#66c2a5",
    "died": "#444444", "assembled": "#cc79a7", "dissolved": "#8c510a",
}  # fmt: skip
REST = "#999999"


def track_of(story: Tracking, top: int | None = None) -> Any:
    """Three pictures in one: an alluvial diagram of the releases, in which clusters of the largest
    events of each step have names and all others are one grey band; how many events of each kind
    every step has; and how many objects have which stability.
    """
    figure = blank()
    height = 380 + _add_bands(figure, story, top or max(2, EVENTS // len(story.steps)))
    names = [plain(step.name) for step in story.steps]
    for kind in KINDS:
        counts = [step.counts.get(kind, 0) for step in story.steps]
        if any(counts):
            figure.add_bar(
                name=kind, x=names, y=counts, marker={"color": COLOURS[kind]},
                hovertext=[f"{count(n, 'event')}: {kind}, {MEANINGS[kind]}" for n in counts],
                hoverinfo="text",
            )  # fmt: skip
    _, value, objects = story.releases.spread(None)
    place = np.minimum((value * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(place, objects, BINS).astype(np.int64).tolist()
    figure.add_bar(
        x=[(k + 0.5) / BINS for k in range(BINS)], y=counts, width=0.9 / BINS,
        xaxis="x2", yaxis="y2", showlegend=False, marker={"color": "#5f7380"},
        hovertext=[
            f"{count(n, 'object')} between {k / BINS:g} and {(k + 1) / BINS:g}"
            for k, n in enumerate(counts)
        ],
        hoverinfo="text",
    )  # fmt: skip
    low, last = 300 / height, len(story.names) - 1
    grid = {"gridcolor": "rgba(128,128,128,0.2)", "zeroline": False, "automargin": True}
    figure.data[0].domain.y = [low + 0.06, 1.0]
    figure.update_layout(
        height=height, barmode="stack", margin={"l": 60, "r": 20, "t": 30, "b": 60},
        xaxis={"domain": [0, 0.46], "anchor": "y", "type": "category"},
        yaxis={"domain": [0, low - 0.06], "title": "events"},
        xaxis2={
            "domain": [0.56, 1], "anchor": "y2", "range": [0, 1], **grid,
            "title": {"text": "stability of objects", "standoff": 8},
        },
        yaxis2={"domain": [0, low - 0.06], "anchor": "x2", "title": "objects", **grid},
        legend={"orientation": "h", "y": low - 0.05, "yanchor": "bottom", "x": 0},
        annotations=[  # the name of each release above its column
            {
                "text": plain(cut(name, 24)), "x": place / max(last, 1), "y": 1, "xref": "paper",
                "yref": "paper", "showarrow": False, "yanchor": "bottom",
                "xanchor": {0: "left", last: "right"}.get(place, "center"),
            }
            for place, name in enumerate(story.names)
        ],
    )  # fmt: skip
    return figure


def _add_bands(figure: Any, story: Tracking, top: int) -> int:
    """The alluvial diagram; how much height its names need."""
    drawn = [_drawn_rows(step, top) for step in story.steps]
    named: list[Ints] = []
    for place in range(len(story.names)):
        sides = []
        if place:
            sides.append(story.steps[place - 1].overlaps.new[drawn[place - 1]])
        if place < len(story.steps):
            sides.append(story.steps[place].overlaps.old[drawn[place]])
        named.append(np.unique(np.concatenate(sides)))
    first = np.cumsum([0, *(some.size + 1 for some in named)])
    links = _links(story, named, first)
    weight = np.zeros(int(first[-1]))
    for ends in ("source", "target"):
        weight = np.maximum(weight, np.bincount(links[ends], links["value"], weight.size))
    used = np.flatnonzero(weight)  # Plotly takes positions of the nodes that bands lead to
    node = np.cumsum(weight > 0) - 1
    x, y = _positions(weight, first)
    labels = _labels(story, named)
    grey = {int(end) - 1 for end in first[1:]}
    figure.add_sankey(
        arrangement="fixed",
        domain={"x": [0, 1]},
        meta={"kinds": [KINDS[k] if k >= 0 else "rest" for k in links["kind"]]},
        node={
            "label": [labels[one] for one in used],
            "color": [REST if one in grey else "#5f7380" for one in used],
            "x": [x[one] for one in used], "y": [y[one] for one in used],
            "pad": 10, "thickness": 12, "hovertemplate": "%{label}<extra></extra>",
        },
        link={
            "source": node[links["source"]].tolist(), "target": node[links["target"]].tolist(),
            "value": links["value"],
            "color": [
                clear(COLOURS[KINDS[k]]) if k >= 0 else clear(REST, 0.25) for k in links["kind"]
            ],
            "customdata": links["hover"], "hovertemplate": "%{customdata}<extra></extra>",
        },
    )  # fmt: skip
    return 26 * max(some.size + 1 for some in named)


def _drawn_rows(step: Step, top: int) -> Ints:
    """The largest rows of the events of a step that change most."""
    over, found = step.overlaps, step.found
    changed = np.flatnonzero((found.kind != SAME) & (found.stayed > 0))
    if not changed.size:
        changed = np.flatnonzero(found.stayed > 0)
    chosen = changed[np.argsort(-found.size[changed], kind="stable")][:top]
    event = found.of_old[over.old]
    rows = []
    for one in chosen:
        mine = np.flatnonzero((event == one) & (found.of_new[over.new] == one))
        rows.append(mine[np.argsort(-over.shared[mine], kind="stable")][:ROWS])
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


def _links(story: Tracking, named: list[Ints], first: Ints) -> dict[str, list[Any]]:
    """Bands between nodes, all rows in one of them; clusters without a name are the last node."""
    made: dict[str, list[Any]] = {k: [] for k in ("source", "target", "value", "kind", "hover")}
    for place, step in enumerate(story.steps):
        over = step.overlaps
        ends = [
            _node(clusters, some) + start
            for clusters, some, start in zip(
                (over.old, over.new), named[place : place + 2], first[place:], strict=False
            )
        ]
        width = int(first[-1])
        key, row = np.unique(ends[0] * width + ends[1], return_inverse=True)
        value = np.bincount(row, over.shared, key.size).astype(np.int64)
        rest = first[place] + named[place].size, first[place + 1] + named[place + 1].size
        event = step.found.of_old[over.old]
        others = int(value[key != rest[0] * width + rest[1]].sum())
        for i, (one, objects) in enumerate(zip(key.tolist(), value.tolist(), strict=True)):
            source, target = divmod(one, width)
            loose = source == rest[0], target == rest[1]
            kind = -1 if any(loose) else int(step.found.kind[event[np.flatnonzero(row == i)[0]]])
            told, thick = count(objects, "object"), objects
            if kind >= 0:
                told += f", {KINDS[kind]}: {MEANINGS[KINDS[kind]]}"
            elif all(loose) and others and objects > THICK * others:
                told, thick = f"{told}, not to scale", THICK * others
            for name, item in zip(made, (source, target, thick, kind, told), strict=True):
                made[name].append(item)
    return made


def _node(clusters: Ints, named: Ints) -> Ints:
    """The place of each cluster among those with a name, or behind them."""
    if not named.size:
        return np.zeros_like(clusters)
    place = np.searchsorted(named, clusters)
    found = np.append(named, -1)[place] == clusters
    return np.where(found, place, named.size)


def _labels(story: Tracking, named: list[Ints]) -> list[str]:
    made = []
    for place, some in enumerate(named):
        sizes = story.releases.sizes(place)
        ids = story.lives.names.take(story.lives.given[place][some]).tolist()
        made += [
            plain(f"{cut(shown_name(id), 20)} ({size:,})")
            for id, size in zip(ids, sizes[some].tolist(), strict=True)
        ]
        made.append(count(sizes.size - some.size, "other cluster"))
    return made


def _positions(weight: Floats, first: Ints) -> tuple[list[float], list[float]]:
    """Columns from left to right, in each the nodes from top to bottom by what they hold."""
    x, y = [], []
    columns = max(first.size - 2, 1)
    most = max(float(weight[a:b].sum()) for a, b in pairwise(first)) or 1
    for column, (a, b) in enumerate(pairwise(first.tolist())):
        gap = 0.25 / max(b - a, 1)
        at = 0.0
        for node in range(a, b):
            share = 0.75 * float(weight[node]) / most
            x.append(min(max(column / columns, 0.001), 0.999))
            y.append(min(max(at + share / 2, 0.001), 0.999))
            at += share + gap
    return x, y
