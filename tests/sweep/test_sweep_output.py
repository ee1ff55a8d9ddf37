"""What a sweep prints and exports, and its pictures."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.sweep.lines import rounded, shown_thresholds
from clusterdiff.sweep.plot import drawn_lines
from refusals import refuses

TRUTH = {1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}
ROWS = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)]
CURVE = cd.sweep(TRUTH, ROWS, ["elm_f", "pair_f"], slack=0.1)


def test_text() -> None:
    text = CURVE.to_text(80)
    assert "Any threshold above 0.4, up to 0.9 scores elm_f within 0.1 of the best." in text
    assert max(map(len, text.split("\n"))) <= 80


def test_csv_is_the_curve() -> None:
    rows = list(csv.DictReader(io.StringIO(CURVE.to_csv())))
    assert [row["threshold"] for row in rows] == ["inf", "0.9", "0.7", "0.4"]
    assert [int(row["clusters"]) for row in rows] == [6, 4, 2, 1]
    assert [int(row["links"]) for row in rows] == [0, 2, 4, 5]
    assert [float(row["elm_f"]) for row in rows] == CURVE["elm_f"].tolist()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library: str) -> None:
    frame = CURVE.to_frame(library)
    names = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert names == ["line", "threshold", "clusters", "largest", "rows", "links", "elm_f", "pair_f"]
    assert len(frame) == 4
    best = CURVE.to_frame(library, best=True)
    assert len(best) == 2


def test_json_markdown_latex_html() -> None:
    told = json.loads(CURVE.to_json())
    assert told["best"]["elm_f"]["low"] == 0.7
    assert told["best"]["elm_f"]["value"] == CURVE.best("elm_f").value
    assert told["pairs"]["taken_for"] == "similarity"
    single = cd.sweep(TRUTH, ROWS, "pair_precision")
    assert json.loads(single.to_json())["best"]["pair_precision"]["high"] is None
    assert "| elm\\_f | 0.7222 | 0.7–0.9 |" in CURVE.to_markdown()
    assert r"elm\_f & 0.7222" in CURVE.to_latex()
    assert ">elm_f</td>" in CURVE._repr_html_()
    assert str(CURVE.best("elm_f")) == "elm_f 0.7222 at 0.7–0.9"


@pytest.mark.parametrize("distance", [False, True])
def test_shown_thresholds_hold(distance: bool) -> None:
    """What is printed lies within the interval, so that it can be used as it is."""
    rng = np.random.default_rng(0)
    for scale in (1e-9, 1e-3, 1.0, 1e5):
        ends = np.sort(rng.random((200, 2)) * scale, axis=1)
        near = np.stack([ends[:, 0], np.nextafter(ends[:, 0], 9, dtype=np.float64)], axis=1)
        wide = np.stack([ends[:, 0], ends[:, 0] * (1 + 1e-9)], axis=1)
        for low, high in [*ends.tolist(), *wide.tolist()]:
            first, last = shown_thresholds(low, high, distance).replace("−", "-").split("–")
            assert low <= float(first) < float(last) <= high
        for low, high in near.tolist():
            assert "–" in shown_thresholds(low, high)


def test_shown_thresholds_of_numbers_of_clusters() -> None:
    assert shown_thresholds(9, 10, counts_clusters=True) == "10"
    assert shown_thresholds(8, 12, counts_clusters=True) == "9–12"
    assert shown_thresholds(59, math.inf, counts_clusters=True) == "from 60"
    assert shown_thresholds(-math.inf, 1, counts_clusters=True) == "1"
    assert shown_thresholds(-math.inf, math.inf, counts_clusters=True) == "from 1"
    assert rounded(0.0) == "0"
    assert shown_thresholds(-math.inf, math.inf) == "any"


def test_pictures(tmp_path: Path) -> None:
    figure = cd.plot.sweep(CURVE)
    assert [trace.name for trace in figure.data] == [
        "elm_f", "elm_precision", "elm_recall", "clusters", "largest cluster", "best",
    ]  # fmt: skip
    scores = figure.data[0]
    assert scores.line.shape == "vh"
    assert list(scores.y) == CURVE["elm_f"][::-1].tolist()
    assert list(scores.x)[:3] == [0.4, 0.7, 0.9]
    assert scores.x[3] > 0.9
    flat, best = figure.layout.shapes
    assert (flat.x0, flat.x1, best.x0, best.x1) == (0.4, 0.9, 0.7, 0.9)
    cd.plot.save(figure, tmp_path / "curve.html")
    assert (tmp_path / "curve.html").stat().st_size > 1000
    other = cd.plot.sweep(CURVE, measure="adjusted_rand")
    assert other.data[0].name == "adjusted_rand"
    same = cd.plot.sweep(TRUTH, ROWS, "elm_f", slack=0.1)
    assert list(same.data[0].y) == list(scores.y)


def test_a_picture_of_distances_and_of_levels() -> None:
    tree = np.array([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]])
    figure = cd.plot.sweep(cd.sweep(list("xxxy"), tree, "elm_f"))
    assert figure.data[0].line.shape == "hv"
    assert list(figure.data[0].x)[1:] == [2, 4]
    levels = cd.sweep(list("aab"), {"fine": list("abc"), "coarse": list("aaa")}, "v_measure")
    figure = cd.plot.sweep(levels)
    assert list(figure.data[0].x) == ["fine", "coarse"]
    assert [t.name for t in figure.data][1:3] == ["homogeneity", "completeness"]


def test_precision_against_recall() -> None:
    figure = cd.plot.precision_recall(CURVE)
    assert list(figure.data[0].x) == CURVE["elm_recall"].tolist()
    assert list(figure.data[0].y) == CURVE["elm_precision"].tolist()
    assert len(figure.data) == 4
    assert figure.data[0].name == "elm_f, best at 0.7–0.9"
    assert len(cd.plot.precision_recall(CURVE, "bcubed_f").data) == 2
    refuses("has a precision and a recall", cd.plot.precision_recall, CURVE, "adjusted_rand")


def test_of_many_lines_some_are_drawn() -> None:
    rng = np.random.default_rng(1)
    n = 6000
    truth = np.repeat(np.arange(n // 2), 2).tolist()
    pairs = (np.arange(n - 1), np.arange(1, n), rng.random(n - 1))
    curve = cd.sweep(truth, pairs, "pair_f")
    best = curve.best()
    drawn = drawn_lines(curve, best)
    assert len(curve) == n
    assert drawn.size <= 2005
    assert {0, n - 1, best.line, *best.run} <= set(drawn.tolist())
    assert len(cd.plot.sweep(curve).data[0].x) == drawn.size
    slow = cd.plot.sweep(curve, measure="accuracy").data[0]
    assert len(slow.x) == (~np.isnan(curve["accuracy"])).sum()
    assert slow.mode == "lines+markers"
