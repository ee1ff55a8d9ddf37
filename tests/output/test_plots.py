"""Pictures: their numbers, their names as text, the files they become, and how sure scores are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from clusterdiff.output.figures import COLOURS
from page.browser import path_of_browser
from refusals import refuses

TRUTH = dict(enumerate(("a", "a", "a", "b", "b", "c", "c", "d", "d", "d", "d", "e"), 1))
GUESS = dict(enumerate("uuvwwwxyyyyz", 1))
HOSTILE = "<b>bold</b> & <script>x</script>"
WRITTEN = "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;script&gt;x&lt;/script&gt;"


def test_scores_are_points_with_what_is_sure_of_them() -> None:
    truth = {i: i // 3 for i in range(60)}
    guess = {i: x if i % 7 else -i for i, x in truth.items()}
    report = cd.compare(truth, {"one": guess, "two": truth})
    sure = cd.compare(truth, {"one": guess, "two": truth}, confidence=0.95)
    figure = cd.plot.scores(report)
    assert [points.name for points in figure.data] == ["one", "two"]
    bounded = [name for name, m in report.measures.items() if m.claims.bounds[1] <= 1]
    assert "vi_distance" not in bounded
    for points in figure.data:
        assert list(points.y) == bounded
        scores = [report[name][points.name] for name in bounded]
        assert list(points.x) == pytest.approx([float(score) for score in scores])
        known = [sure[name][points.name].ci for name in bounded]
        assert all(known)
        ends = [(s.low, s.high) if s else (x, x) for s, x in zip(known, points.x, strict=True)]
        above = [high - x for (_, high), x in zip(ends, points.x, strict=True)]
        below = [x - low for (low, _), x in zip(ends, points.x, strict=True)]
        assert list(points.error_x.array) == pytest.approx(above)
        assert list(points.error_x.arrayminus) == pytest.approx(below)
        assert points.hovertext[0] == f"{points.name}: elm_precision {float(scores[0]):.4f}"
    assert figure.layout.showlegend
    assert not cd.plot.scores(TRUTH, GUESS, "elm_f").layout.showlegend
    assert cd.plot.scores(TRUTH, GUESS, "elm_f").data[0].x[0] == cd.elm_f(TRUTH, GUESS)


def test_scores_below_zero_are_in_the_picture() -> None:
    figure = cd.plot.scores([1, 1, 2, 2], [1, 2, 1, 2], ["adjusted_rand"])
    (value,) = figure.data[0].x
    assert value < 0
    assert figure.layout.xaxis.range[0] < value


def test_the_worsening_is_a_line_for_each_measure_over_all_steps() -> None:
    series = lab.worsen(TRUTH)
    figure = lab.plot_worsening(TRUTH, ["split_merge", "accuracy"])
    assert [line.name for line in figure.data] == ["split_merge", "accuracy"]
    for line in figure.data:
        measure = cd.measure(line.name)
        assert list(line.x) == list(range(len(series)))
        assert list(line.y) == [measure(series[0], guess) for guess in series]
    assert len({(line.line.color, line.line.dash) for line in figure.data}) == 2
    assert figure.layout.yaxis.title.text == "score"
    (alone,) = figure.layout.shapes
    assert alone.x0 == alone.x1 == series.splits == 7
    assert len(lab.plot_worsening(series).data) == 6
    assert not lab.plot_worsening(["a", "a", "b", "b"]).layout.shapes


def test_the_alluvial_has_a_band_for_each_part() -> None:
    told = cd.explain(TRUTH, GUESS)
    figure = cd.plot.alluvial(told)
    (sankey,) = figure.data
    labels = sankey.node.label
    bands = {
        (labels[s], labels[t]): (value, colour)
        for s, t, value, colour in zip(
            sankey.link.source, sankey.link.target, sankey.link.value, sankey.link.color,
            strict=True,
        )
    }  # fmt: skip

    def clear(fate: str) -> str:
        red, green, blue = (int(COLOURS[fate][i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},0.55)"

    assert bands == {
        ("b (2)", "w (3)"): (2, clear("home")),
        ("c (2)", "w (3)"): (1, clear("moved")),
        ("c (2)", "x (1)"): (1, clear("home")),
        ("a (3)", "u (2)"): (2, clear("home")),
        ("a (3)", "v (1)"): (1, clear("split off")),
    }
    assert "1 of c in w: moved<br>6" in sankey.link.customdata
    alone = cd.plot.alluvial(TRUTH, GUESS, top=1).data[0]
    assert set(alone.node.label) == {"b (2)", "c (2)", "w (3)", "x (1)"}


def test_missing_objects_have_bands_of_their_own() -> None:
    figure = cd.plot.alluvial({1: "a", 2: "a"}, {1: "x", 3: "x"}, align="penalise")
    (sankey,) = figure.data
    assert set(sankey.node.label) == {"a (2)", "x (2)", "missing in guess", "not in truth"}
    assert sum(sankey.link.value) == 3


def test_outcomes_are_those_of_the_same_objects() -> None:
    truth = {x: x // 2 for x in range(8)}
    runs = {"all": truth | {7: 9}, "less": {x: truth[x] for x in range(6)}}
    bars = cd.plot.outcomes(truth, runs, align="shared").data
    assert {bar.name: tuple(bar.x) for bar in bars} == {"right": (1.0, 1.0)}


def test_sizes_are_counted_in_bands_that_double() -> None:
    figure = cd.plot.sizes(TRUTH, {"one": GUESS, "two": dict.fromkeys(TRUTH, 1)})
    found = {bars.name: dict(zip(bars.x, bars.y, strict=True)) for bars in figure.data}
    assert found == {
        "truth": {"1": 1, "2": 2, "3–4": 2, "5–8": 0, "9–16": 0},
        "one": {"1": 3, "2": 1, "3–4": 2, "5–8": 0, "9–16": 0},
        "two": {"1": 0, "2": 0, "3–4": 0, "5–8": 0, "9–16": 1},
    }
    for same in (cd.compare(TRUTH, GUESS, "rand"), cd.explain(TRUTH, GUESS)):
        assert tuple(cd.plot.sizes(same).data[1].y) == tuple(list(found["one"].values())[:3])


def test_a_picture_of_clusters_has_a_legend_and_names_without_hovering() -> None:
    """One kind alone has a legend too, and those that cost most have their names."""
    truth = {f"c{i}": kind for i, kind in enumerate(["B <cell>"] * 60 + ["T"] * 30 + ["NK"] * 10)}
    guess = dict(zip(truth, [0] * 40 + [1] * 20 + [0] * 5 + [1] * 25 + [1] * 10, strict=True))
    figure = cd.plot.clusters(truth, guess)
    assert figure.layout.showlegend
    named = figure.data[-1]
    assert (named.mode, named.showlegend) == ("text", False)
    names = [text.strip("\u00a0") for text in named.text]
    assert {"B &lt;cell&gt;", "T"} <= set(names)
    at = names.index("B &lt;cell&gt;")
    assert (named.x[at], named.y[at]) == (40 / 60, 40 / 45)
    alike = {f"{k}{i}": k for k in range(200) for i in "abc"}
    halves = {id: f"{k}{id[-1] == 'a'}" for id, k in alike.items()}
    (only,) = cd.plot.clusters(alike, halves).data[-1].text
    assert only.strip("\u00a0").endswith(", …")
    assert cd.plot.clusters(alike, alike).data[-1].text == ()


def test_clusters_are_points_by_precision_and_recall() -> None:
    figure = cd.plot.clusters(TRUTH, GUESS)
    points = {
        trace.name: [tuple(map(float, p)) for p in zip(trace.y, trace.x, strict=True)]
        for trace in figure.data
        if trace.mode == "markers"
    }
    assert points == {
        "right": [(1.0, 1.0)],
        "split": [pytest.approx((1.0, 2 / 3))],
        "merged": [pytest.approx((2 / 3, 1.0))],
        "both": [pytest.approx((1 / 3, 1 / 2))],
    }
    assert figure.data[0].hovertext == (
        "2 true clusters, 5 objects: precision 1.0000, recall 1.0000",
    )


def test_outcomes_are_shares_of_objects() -> None:
    for figure in (
        cd.plot.outcomes(TRUTH, GUESS),
        cd.plot.outcomes(cd.explain(TRUTH, GUESS)),
        cd.plot.outcomes({"guess": cd.explain(TRUTH, GUESS)}),
    ):
        found = {bars.name: bars.x[0] * 12 for bars in figure.data}
        assert found == pytest.approx({"right": 5, "split": 4, "merged": 2, "both": 1})
        assert figure.data[0].hovertext == ("5 objects right (41.7 %)",)
        assert figure.data[0].y == ("guess",)


def test_names_are_text_not_markup() -> None:
    truth = {HOSTILE: HOSTILE, "1": HOSTILE, "2": "b"}
    guess = {HOSTILE: HOSTILE, "1": "c", "2": "c"}
    guesses = {HOSTILE: guess, "other": truth}
    told = {HOSTILE: cd.explain(truth, guess)}
    bands = cd.plot.alluvial(truth, guess).data[0]
    texts = [
        cd.plot.scores(truth, guesses).data[0].name,
        cd.plot.scores(truth, guesses).data[0].hovertext[0],
        cd.plot.sizes(truth, guesses).data[1].name,
        cd.plot.sizes(truth, guesses).data[1].hovertext[0],
        cd.plot.outcomes(told).data[0].y[0],
        *(label for label in bands.node.label if "bold" in label),
        *(said for said in bands.link.customdata if "bold" in said),
    ]
    assert len(texts) >= 8
    assert all(WRITTEN in text for text in texts)
    assert not any("<b" in text.replace("<br>", "") or "<script" in text for text in texts)


def test_overlapping_clusterings_have_no_components_to_draw() -> None:
    cover = cd.Cover([{1}, {1, 2}, {2}])
    refuses("drawn of partitions", cd.plot.alluvial, cover, cover)


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("svg", b"<svg"),
        ("pdf", b"%PDF-"),
        ("png", b"\x89PNG\r\n\x1a\n"),
        ("html", b"<!doctype html>"),
    ],
)
def test_files_are_what_they_are_called(tmp_path: Path, ending: str, begins: bytes) -> None:
    if ending != "html":
        path_of_browser()
    path = tmp_path / f"picture.{ending}"
    cd.plot.save(cd.plot.alluvial(TRUTH, GUESS), path, width=500)
    written = path.read_bytes()
    assert written.startswith(begins)
    if ending == "png":
        assert int.from_bytes(written[16:20]) == 1000
    if ending == "svg":
        assert b">c (2)<" in written


def test_files_that_cannot_be_written_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = cd.plot.sizes(TRUTH, GUESS)
    refuses(r"(?s)written as picture\.doc.*\.svg", cd.plot.save, figure, tmp_path / "picture.doc")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "kaleido", None)
        refuses("(?s)kaleido.*pip install.*report", cd.plot.save, figure, tmp_path / "picture.svg")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "plotly.graph_objects", None)
        refuses("(?s)plotly.*pip install.*report", cd.plot.sizes, TRUTH, GUESS)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "jinja2", None)
        refuses("(?s)jinja2.*pip install.*report", cd.page, TRUTH, GUESS)
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    page = cd.page(TRUTH, GUESS)
    refuses("could not be written: No such file", page.save, tmp_path / "nowhere" / "page.html")
    assert repr(page) == f"Page({len(page.html.encode()):,} bytes)"
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert "<script" not in page._repr_html_()


def drawn(seed: int, people: int = 300) -> tuple[dict[int, int], dict[int, Any]]:
    """Records of people, some split, some put together, some missing."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, people)
    truth = np.repeat(np.arange(people), sizes)
    off = rng.random(people)[truth] < 0.4
    guess = np.where(off, truth + rng.integers(0, 2, truth.size), truth)
    kept = rng.random(truth.size) < 0.9
    return dict(enumerate(truth.tolist())), {i: g for i, g in enumerate(guess.tolist()) if kept[i]}


def test_outcomes_take_a_dict_of_guesses() -> None:
    figure = cd.plot.outcomes(TRUTH, {"one": GUESS, "two": TRUTH})
    assert figure.data[0].y == ("one", "two")


def test_the_name_of_a_guess_is_no_template() -> None:
    bars = cd.plot.sizes(TRUTH, {"%{x}": GUESS, "other": TRUTH}).data[1]
    assert "%{x}</extra>" not in (bars.hovertemplate or "")


def test_html_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(cd.ClusterdiffError, match="could not be written"):
        cd.plot.save(cd.plot.sizes(TRUTH, GUESS), tmp_path / "nowhere" / "picture.html")


@pytest.mark.parametrize("name", ["alluvial", "scores", "sizes", "clusters", "outcomes"])
def test_pictures_take_the_columns_of_one_table(name: str) -> None:
    table: dict[str, Any] = {
        "id": [1, 2, 3, 4], "cell_type": list("aabc"), "leiden": list("ppqq")
    }  # fmt: skip
    draw = getattr(cd.plot, name)
    sides = [dict(zip(table["id"], table[side], strict=True)) for side in ("cell_type", "leiden")]
    drawn = draw(pl.DataFrame(table), truth="cell_type", guess="leiden")
    assert len(drawn.data) == len(draw(*sides).data)
