"""The page of several guesses, and of a sweep: clusterings among themselves, every threshold."""

from __future__ import annotations

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


def section(html: str, name: str) -> str:
    found = re.search(rf'<section id="{name}">.*?</section>', html, re.S)
    assert found is not None, name
    return found[0]


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
    matrix = section(html, "matrix")
    cells = re.findall(r'<td[^>]*style="--v:([\d.]+)"[^>]*>([\d.]+)', matrix)
    assert len(cells) == 16
    dark = sorted((float(value), float(shade)) for shade, value in cells)
    assert [shade for _, shade in dark] == sorted(shade for _, shade in dark)
    assert (dark[0][1], dark[-1]) == (0.0, (1.0, 1.0))
    assert "(truth)" in matrix
    several = RUNS | {"truth": TRUTH}
    scores = cd.compare(TRUTH, several, "adjusted_rand")["adjusted_rand"]
    values = {f"{float(score):.4f}" for score in scores.values()}
    assert values <= {value for _, value in re.findall(r'(--v)[^>]*>([\d.]+)',
                      section(cd.page(TRUTH, several).html, "matrix"))}  # fmt: skip
    assert "matrix-table" not in cd.page(TRUTH, RUNS["one"]).html


def test_every_threshold_has_a_section() -> None:
    curve = cd.sweep(TRUTH, PAIRS, "elm_f")
    html = cd.page(TRUTH, curve.cut("elm_f"), sweep=curve).html
    same = cd.page(TRUTH, curve.cut("elm_f"), sweep=PAIRS).html
    swept = section(html, "sweep")
    assert swept == section(same, "sweep")
    captions = re.findall("<figcaption>(.*?)</figcaption>", swept)
    assert captions == [
        "Scores over the thresholds; the best one is marked, and the thresholds that score about "
        "as well are shaded.",
        "How many clusters every threshold gives, and how large the largest is.",
        "Precision against recall of the clusters that every threshold gives.",
    ]
    assert "objects in the largest cluster</span>" in swept
    best = curve.best("elm_f")
    assert f"best {best.value:.4f}" in swept
    # the curve goes through the score of every line: 1000 units are the axis from 0 to 1
    path = re.search(r'class="line g0" d="([^"]*)"', swept)
    assert path is not None
    heights = [float(h) for h in re.findall(r"(?:M[-\d.]+ |V)([-\d.]+)", path[1])]
    assert sorted(set(heights)) == pytest.approx(
        sorted({round(1000 * (1 - v), 1) for v in curve["elm_f"].tolist()}), abs=0.2
    )


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


def test_more_than_two_guesses_have_the_best_less_each_other() -> None:
    truth = [i // 3 for i in range(90)]
    guesses = {f"g{k}": [x if i % k else -i for i, x in enumerate(truth)] for k in (2, 4, 9)}
    page = section(cd.page(truth, guesses, measures="elm_f").html, "scores")
    table = page[page.index('id="differences-table"') :]
    assert "elm_f: the best guess less the other</th>" in table
    assert re.findall(r'<th scope="row">(\w+)</th>', table) == ["g2", "g4"]
    tests = cd.compare(truth, guesses, "elm_f", confidence=0.95).against_best("elm_f")
    for test in tests.values():
        assert f"+{test.value:.2f}" in table
    assert table.count("whisker change") == 2
    two = section(cd.page(truth, dict(list(guesses.items())[:2])).html, "scores")
    assert "differences-table" not in two
    assert "whisker change" in two


def test_guesses_share_an_axis_that_reaches_below_0_where_one_does() -> None:
    truth = [i // 3 for i in range(90)]
    worse = [i % 45 for i in range(90)]
    html = cd.page(truth, {"same": truth, "worse": worse}, measures="adjusted_rand").html
    tiles = html[: html.index("<nav")]
    zeros = re.findall(r"--z:([\d.]+)%", tiles)
    assert zeros == ["50.0", "50.0"]
    alone = cd.page(truth, truth, measures="adjusted_rand").html
    assert set(re.findall(r"--z:([\d.]+)%", alone)) == {"0.0"}
