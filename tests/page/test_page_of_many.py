"""The page of several guesses, and of a sweep: clusterings among themselves, every threshold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.compare.compare import compare_sides, measures_by_text
from clusterdiff.io.sides import opened
from clusterdiff.page.page import among_guesses
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.statistics.units import Joint

TRUTH = dict(enumerate("aaabbccdddde"))
RUNS = {
    "one": dict(enumerate("uuvwwwxyyyyz")),
    "two": TRUTH | {11: "d"},
    "truth": dict(enumerate("ppppqqqqrrrr")),
}
PAIRS = [(0, 1, 0.9), (1, 2, 0.8), (3, 4, 0.8), (5, 6, 0.7), (7, 8, 0.9), (9, 10, 0.6), (2, 3, 0.2)]


def data_of(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("text", ["elm_f", "vi_distance", "pair_precision"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_cells_of_all_clusterings_are_enough_for_every_two(
    text: str, engine: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    sides = {
        name: rng.integers(0, 1 + size, 60) // 2
        for name, size in zip("tabc", (9, 4, 30, 9), strict=False)
    }
    paths = {}
    for name, labels in sides.items():
        paths[name] = str(tmp_path / f"{name}.csv")
        rows = "".join(f"r{i},{label}\n" for i, label in enumerate(labels))
        Path(paths[name]).write_text(f"id,cluster\n{rows}")
    guesses = {name: path for name, path in paths.items() if name != "t"}
    report = compare_sides(
        opened(engine, paths["t"], guesses, None, None), [text], cd_policy(),
        confidence=Confidence(0.95),
    )  # fmt: skip
    assert isinstance(report.joint, Joint)
    (measure,) = measures_by_text(text).values()
    found = among_guesses(report.joint, measure)
    assert found is not None
    used = text if text != "pair_precision" else "adjusted_rand"
    assert str(found.measure) == used
    assert found.names == ["truth", "a", "b", "c"]
    for i, one in enumerate(sides.values()):
        for j, other in enumerate(sides.values()):
            assert found.values[i, j] == pytest.approx(cd.measure(used)(one, other), abs=1e-12)


def cd_policy() -> Any:
    from clusterdiff.contingency import Policy

    return Policy()


def test_guesses_among_themselves_have_a_table_and_a_heatmap() -> None:
    html = cd.page(TRUTH, RUNS).html
    assert 'id="matrix-table"' in html
    heat = data_of(html)["figures"]["matrix"]["data"][0]
    assert heat["type"] == "heatmap"
    assert len(heat["z"]) == 4
    assert "(truth)" in html
    assert "matrix-table" not in cd.page(TRUTH, RUNS["one"]).html


def test_every_threshold_has_a_section() -> None:
    curve = cd.sweep(TRUTH, PAIRS, "elm_f")
    html = cd.page(TRUTH, curve.cut("elm_f"), sweep=curve).html
    same = cd.page(TRUTH, curve.cut("elm_f"), sweep=PAIRS).html
    assert {"sweep", "precision-recall"} <= data_of(html)["figures"].keys()
    assert data_of(html)["figures"]["sweep"] == data_of(same)["figures"]["sweep"]
    assert f"{curve.best('elm_f').value:.4f}" in html


def test_the_command_takes_scored_pairs(tmp_path: Path) -> None:
    truth, pairs = tmp_path / "truth.csv", tmp_path / "pairs.csv"
    truth.write_text("rec,gold,x\n" + "".join(f"{i},{c},0\n" for i, c in TRUTH.items()))
    pairs.write_text("id_l,id_r,score\n" + "".join(f"{a},{b},{s}\n" for a, b, s in PAIRS))
    page = tmp_path / "page.html"
    flags = ("--id", "rec", "--cluster", "gold")
    ran = run("report", str(truth), str(truth), "--sweep", str(pairs), "-o", str(page), *flags)
    assert ran.code == 0, ran.stderr
    assert 'id="sweep-table"' in page.read_text(encoding="utf-8")
    over = run("report", str(truth), str(truth), "--sweep", str(pairs), "-o", str(pairs), *flags)
    assert over.code == 2
    assert pairs.read_text().startswith("id_l")
