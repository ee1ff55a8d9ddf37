"""Figures of explanations: components as bands, sizes, clusters, and what became of objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.engines.images import ImageComparison
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.partition import OUTCOMES
from clusterdiff.explain.ranking import WORDS, name_of
from clusterdiff.explain.speech import time_of
from clusterdiff.output.describe import count
from clusterdiff.output.figures import COLOURS, SYSTEMS, blank, clear, plain
from clusterdiff.output.table import percent
from clusterdiff.output.text import cut, shown_ids

if TYPE_CHECKING:
    from clusterdiff.contingency.base import Histogram
    from clusterdiff.explain.partition import ClusterRow, ClusterTable, Component, Explanation
    from clusterdiff.explain.speech import SpeechExplanation

BANDS = 60
"""Cells of all components that are drawn together; of each, the others are one band."""
NAMED = 12
"""True clusters that cost most, which are named if no other name is near."""
LEAST = 8
"""Cells of a component that are drawn in any case."""


def alluvial_of(parts: list[Component]) -> Any:
    """Components as bands from true clusters to guess clusters."""
    nodes: dict[tuple[int, str, Any], int] = {}
    labels: list[str] = []
    links: dict[str, list[Any]] = {k: [] for k in ("source", "target", "value", "fate", "hover")}

    def node(part: int, side: str, cluster: Any, label: str) -> int:
        key = (part, side, cluster)
        if key not in nodes:
            nodes[key] = len(nodes)
            sample = parts[part].sample
            where = "" if sample is None or len(parts) == 1 else f" in {cut(str(sample), 20)}"
            labels.append(plain(label + where))
        return nodes[key]

    def link(left: int, right: int, objects: int, fate: str, told: str, named: str = "") -> None:
        links["source"].append(left)
        links["target"].append(right)
        links["value"].append(objects)
        links["fate"].append(fate)
        links["hover"].append(plain(told) + (f"<br>{plain(named)}" if named else ""))

    most = max(LEAST, BANDS // max(len(parts), 1))
    for number, part in enumerate(parts):
        for cell in part.cells[:most]:
            truth, guess = (f"{name_of(c.name)} ({c.size:,})" for c in (cell.truth, cell.guess))
            nobody, nowhere = cell.fate == "extra", cell.fate == "missing"
            link(
                node(number, "none", None, WORDS["extra"])
                if nobody
                else node(number, "truth", cell.truth, truth),
                node(number, "nowhere", None, WORDS["missing"])
                if nowhere
                else node(number, "guess", cell.guess, guess),
                cell.objects,
                cell.fate,
                cell.line(),
                shown_ids(cell.ids, None, cell.objects),
            )
        if (left := part.objects - sum(cell.objects for cell in part.cells[:most])) > 0:
            rest = f"{part.parts - most:,} more parts"
            ends = node(number, "rest", "truth", rest), node(number, "rest", "guess", rest)
            link(*ends, left, "extra", f"{count(left, 'object')} in {rest}")
    sides = [side for _, side, _ in nodes]
    figure = blank()
    figure.add_sankey(
        arrangement="snap",
        node={
            "label": labels,
            "color": ["#5f7380" if side in ("truth", "guess") else "#999999" for side in sides],
            "pad": 14,
            "thickness": 14,
            "hovertemplate": "%{label}<extra></extra>",
        },
        link={
            "source": links["source"],
            "target": links["target"],
            "value": links["value"],
            "color": [clear(COLOURS[fate]) for fate in links["fate"]],
            "customdata": links["hover"],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
    )
    figure.update_layout(
        height=max(220, 60 + 26 * max(sides.count("truth"), sides.count("guess"), 1)),
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        annotations=[
            {"text": text, "x": x, "y": 1, "xref": "paper", "yref": "paper", "showarrow": False,
             "yanchor": "bottom", "xanchor": anchor}
            for text, x, anchor in (("truth", 0, "left"), ("guess", 1, "right"))
        ],
    )  # fmt: skip
    return figure


def sizes_of(histograms: Mapping[str, Histogram]) -> Any:
    """Clusters by size, in bands that double."""
    figure = blank()
    most = max((max(h.size, default=1) for h in histograms.values()), default=1)
    bands = [(1, 1)]
    while bands[-1][1] < most:
        bands.append((bands[-1][1] + 1, 2 * bands[-1][1]))
    names = [f"{low:,}" if low == high else f"{low:,}–{high:,}" for low, high in bands]
    tallest = 0
    colours = chain(["#5f7380"], cycle(SYSTEMS))
    for colour, (name, h) in zip(colours, histograms.items(), strict=False):
        counts = [
            sum(n for size, n in zip(h.size, h.count, strict=True) if low <= size <= high)
            for low, high in bands
        ]
        tallest = max(tallest, *counts)
        told = zip(counts, names, strict=True)
        figure.add_bar(
            name=plain(name), x=names, y=counts, marker={"color": colour},
            hovertext=[f"{plain(name)}: {count(n, 'cluster')} of {x}" for n, x in told],
            hoverinfo="text",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": "objects in the cluster", "type": "category"},
        yaxis={
            "title": "clusters",
            "type": "log" if tallest > 300 else "linear",
            "dtick": 1 if tallest <= 8 else None,
        },
        height=320,
    )
    return figure


def clusters_of(table: ClusterTable) -> Any:
    """True clusters by the precision and recall of their best guess; those alike share a point. The
    clusters that cost most have their names beside them, where there is room.
    """
    figure = blank()
    found = table.points()
    for kind, points in found.items():
        figure.add_scatter(
            name=WORDS.get(kind, kind),
            x=[p.recall for p in points],
            y=[p.precision for p in points],
            mode="markers",
            marker={
                "color": COLOURS[kind],
                "opacity": 0.75,
                "size": [6 + 3 * max(0, p.clusters.bit_length() - 1) for p in points],
                "line": {"width": 0.5, "color": "#ffffff"},
            },
            hovertext=[plain(p.told()) for p in points],
            hoverinfo="text",
        )
    named = _with_room(table.worst(NAMED))
    places = {p.place: p.clusters for points in found.values() for p in points}
    figure.add_scatter(
        name="", mode="text", showlegend=False, hoverinfo="skip", cliponaxis=False,
        textfont={"size": 11},
        x=[one.recall for one in named],
        y=[one.precision for one in named],
        text=[_beside(one, places.get(one.place, 1)) for one in named],
        textposition=[f"middle {'left' if one.recall > 0.85 else 'right'}" for one in named],
    )  # fmt: skip
    axis = {"range": [-0.03, 1.04], "dtick": 0.2, "constrain": "domain"}
    figure.update_layout(
        showlegend=True,
        xaxis=axis | {"title": "recall: share of the true cluster in its best guess"},
        yaxis=axis | {"title": "precision: share of that guess"},
        height=420,
    )
    return figure


def _with_room(clusters: Iterable[ClusterRow]) -> list[ClusterRow]:
    """The clusters whose names do not run into each other; those that come first have theirs."""
    named: list[ClusterRow] = []
    for one in clusters:
        away = (abs(one.recall - n.recall) > 0.15 or abs(one.precision - n.precision) > 0.06
                for n in named)  # fmt: skip
        if all(away):
            named.append(one)
    return named


def _beside(cluster: ClusterRow, sharing: int) -> str:
    """The name of a cluster, with room for its point, which others may share."""
    room = "\u00a0" * (1 + sharing.bit_length())
    return plain(f"{room}{cut(name_of(cluster.name), 24)}{', …' if sharing > 1 else ''}{room}")


def outcomes_of(explained: Mapping[str, Explanation]) -> Any:
    """A bar for each guess, cut into what became of the objects: by majorities if all of them are
    explained so, since bars of different counts would not compare.
    """
    summaries = {name: told.summary for name, told in explained.items()}
    by_majority = {name: s.by_majority for name, s in summaries.items() if s.by_majority}
    whole = {name: s.outcomes for name, s in summaries.items()}
    found = by_majority if len(by_majority) == len(whole) else whole
    figure = blank()
    for what in OUTCOMES:
        if not any(counts.get(what) for counts in found.values()):
            continue
        totals = [sum(counts.values()) for counts in found.values()]
        parts = [counts.get(what, 0) for counts in found.values()]
        shares = [part / total for part, total in zip(parts, totals, strict=True)]
        told, word = zip(parts, shares, strict=True), WORDS.get(what, what)
        figure.add_bar(
            name=word, orientation="h", y=[plain(name) for name in found], x=shares,
            marker={"color": COLOURS[what]},
            hovertext=[f"{n:,} objects {word} ({percent(s)})" for n, s in told],
            hoverinfo="text",
        )  # fmt: skip
    figure.update_layout(
        barmode="stack",
        xaxis={"title": "share of objects", "tickformat": ".0%", "range": [0, 1]},
        yaxis={"autorange": "reversed", "type": "category"},
        height=120 + 34 * len(found),
        legend={"traceorder": "normal"},
    )
    return figure


# Label images: where the pixels are that were split off, merged or moved.

SIDE = 1000
"""Pixels of a side of a picture; of larger images every second, third … pixel is drawn."""
GROUND = "background"
LAID = ("home", "split off", "merged", "moved", "missing", "extra", GROUND)


def overlay_of(told: Explanation, at: int | None = None) -> Any:
    """An image in which each pixel has the colour of what became of it; of a volume or a stack one
    slice, by its place along the first axis, or the middle one.
    """
    named = told.named
    if not isinstance(named, ImageComparison) or len(named.truth.shape) not in (2, 3):
        raise ClusterdiffError(
            "an overlay is drawn of label images with two or three dimensions.",
            "give two arrays of labels of one shape, or paths of images.",
        )
    truth, guess, sample, title = named.truth, named.guess, 0, ""
    if len(truth.shape) == 3:
        at = truth.shape[0] // 2 if at is None else at
        if not 0 <= at < truth.shape[0]:
            raise ClusterdiffError(
                f"there is no slice {at}: the image has {truth.shape[0]:,} of them.",
                f"at= is a number from 0 to {truth.shape[0] - 1}.",
            )
        sample, title = at if named.sampled else 0, f"slice {at:,} of {truth.shape[0]:,}"
        truth, guess = truth.slice_at(at), guess.slice_at(at)
    step = max(1, -(-max(truth.shape) // SIDE))
    place = (slice(None, None, step),) * 2
    labels, found = truth.block(place), guess.block(place)
    fate = np.array(told.fates_of_labels(labels, found, sample))
    figure, shown = blank(), np.unique(fate).tolist()
    share = {k: float((fate == k).mean()) for k in shown}
    edges = np.repeat(np.arange(len(LAID) + 1) / len(LAID), 2)[1:-1]
    colours = [COLOURS.get(name, "#ffffff") for name in LAID]
    figure.add_heatmap(
        z=fate, zmin=-0.5, zmax=len(LAID) - 0.5, showscale=False,
        customdata=np.dstack([labels, found]),
        colorscale=[[edge, colours[i // 2]] for i, edge in enumerate(edges.tolist())],
        x0=0, dx=step, y0=0, dy=step,
        hovertemplate="[%{y},%{x}] true %{customdata[0]}, guess %{customdata[1]}<extra></extra>",
    )  # fmt: skip
    for k in shown:
        name = WORDS.get(LAID[k], LAID[k])
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=f"{name}, {percent(share[k])}",
            marker={"symbol": "square", "size": 11, "color": colours[k], "line": {"width": 1}},
        )  # fmt: skip
    figure.update_layout(
        yaxis={"autorange": "reversed", "scaleanchor": "x", "showgrid": False},
        xaxis={"constrain": "domain", "showgrid": False, "title": title},
        height=560,
    )
    return figure


# Speech: who speaks when on both sides, with the errors below.

SPEECH = {"missed": "#4d0011", "false alarm": "#a50f15", "confusion": "#e0454a"}
"""One colour for each sort of error, none of which is that of a speaker."""
NOBODY = "#999999"
"""The colour of speakers that stand for none."""


def timeline_of(told: SpeechExplanation, file: str | None = None) -> Any:
    """Turns as bars on an axis of time: speakers of truth, speakers of guess in the colour of those
    that they stand for, and the errors.
    """
    chosen = told.file_named(file)
    truth, guess = (told.turns(side, chosen) for side in ("truth", "guess"))
    colours = dict(zip((stands for stands, _ in truth.values()), cycle(SYSTEMS), strict=False))
    rows: list[tuple[str, str, list[tuple[float, float, str]]]] = []
    for side in (truth, guess):
        for name, (stands, turns) in side.items():
            beside = f" (for {stands})" if side is guess and stands is not None else ""
            label = f"{name}{beside}" if side is guess else f"{name} "
            rows.append((label, colours.get(stands, NOBODY), [(*turn, name) for turn in turns]))
    for error, colour in SPEECH.items():
        told_of = [
            (start, end, " for ".join(filter(None, (one.guess, one.truth))))
            for one in told.errors if one.error == error
            for where, start, end in map(time_of, one.when) if where == chosen
        ]  # fmt: skip
        rows.append((error, colour, told_of))
    figure = blank()
    for label, colour, spans in rows:
        figure.add_bar(
            base=[start for start, _, _ in spans],
            x=[end - start for start, end, _ in spans],
            y=[plain(label)] * len(spans),
            orientation="h",
            name=plain(label),
            marker={"color": colour, "line": {"width": 0}},
            hovertext=[f"{plain(n)}: {start:,.3f} to {end:,.3f} s" for start, end, n in spans],
            hoverinfo="text",
            showlegend=False,
        )
    for y, title in (
        (-0.5, "truth"), (len(truth) - 0.5, "guess"), (len(truth) + len(guess) - 0.5, "errors")
    ):  # fmt: skip
        if y > 0:
            figure.add_hline(y=y, line={"color": "gray", "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=1, xref="paper", y=y, text=title, showarrow=False, xanchor="left", yanchor="top",
            font={"color": "gray"},
        )  # fmt: skip
    order = [plain(label) for label, *_ in rows]
    figure.update_layout(
        barmode="overlay",
        bargap=0.25,
        xaxis={"title": f"seconds of {plain(chosen)}" if chosen else "seconds"},
        yaxis={"categoryorder": "array", "categoryarray": order, "autorange": "reversed"},
        height=130 + 26 * len(rows),
        margin_r=70,
    )
    return figure
