"""What a matrix prints and exports, annotators, pictures, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from refusals import refuses

RUNS = {"A": [0, 0, 0, 1, 1, 1], "B": [0, 0, 1, 1, 1, 1], "C": [0, 0, 0, 1, 1, 2]}


def many(runs: int, objects: int = 30) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {f"a run with a long name, {k}": rng.integers(0, 4, objects) for k in range(runs)}


def test_text() -> None:
    assert cd.matrix(RUNS).to_text(80) == (
        "adjusted_rand\n"
        "  runs       3, 6 objects in 4 profiles\n"
        "  stability  0.3556 on average over 3 pairs, from 0.0367 to 0.7059 (standard\n"
        "             deviation 0.3357); standard error 0.3876\n"
        "  medoid     A, 0.5151 on average with the others\n"
        "\n"
        "     B       A       C\n"
        "  B  1.0000  0.3243  0.0367\n"
        "  A  0.3243  1.0000  0.7059\n"
        "  C  0.0367  0.7059  1.0000\n"
        "\n"
        "The standard error takes runs as drawn at random (jackknife over runs): pairs\n"
        "share runs and are not independent."
    )


def test_a_run_of_one_object_is_not_the_medoid() -> None:
    """It agrees perfectly with every run that has its object."""
    runs = {
        "a": {i: i % 3 for i in range(50)},
        "one": {3: 1},
        "b": {i: i % 3 if i % 7 else 2 for i in range(50)},
        "far": dict.fromkeys(range(90, 99), 0),
        "d": {i: i % 3 for i in range(48)},
    }
    m = cd.matrix(runs, align="shared")
    assert m.means[1] == 1.0
    assert (m.medoid, m.partners.tolist()) == ("d", [3, 3, 3, 0, 3])
    assert m.to_dict()["partners"] == [3, 3, 3, 0, 3]
    text = m.to_text(300)
    assert "on average with 3 of 4 others" in text
    assert (
        "2 runs ('one', 'far') share less than half as many objects with the others as the median "
        "run, and cannot be the medoid." in text
    )
    del runs["far"], runs["one"]
    assert "medoid." not in cd.matrix(runs, align="shared").to_text(300)


def test_many_runs_of_one_object_do_not_make_each_other_the_medoid() -> None:
    whole = {name: {i: (i + k) // 10 for i in range(50)} for k, name in enumerate("ab")}
    few = {f"one {k}": {3: 1} for k in range(3)}
    m = cd.matrix(few | whole, align="shared")
    assert (m.means[:3] == 1).all()
    assert m.medoid == "a"
    assert "3 runs ('one 0', 'one 1', 'one 2') share less than half" in m.to_text(300)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("runs", [2, 3, 6, 9, 30])
def test_text_fits_the_terminal(runs: int, width: int) -> None:
    m = cd.matrix(many(runs), "vi_distance")
    for text in (m.to_text(width), m.objects().to_text(width)):
        assert max(map(len, text.splitlines())) <= max(width, 68)
    if width == 80:
        assert ("…\n" in m.to_text(width).replace(" ", "")) == (runs > 8)


def test_many_runs_are_shown_by_their_best_and_worst_pairs() -> None:
    m = cd.matrix(many(30))
    lowest, highest = m.pairs()[0], m.pairs()[-1]
    rows = m.table().rows
    assert len(rows) == 11
    assert rows[0] == (f"{highest[0]:.4f}", *highest[1:])
    assert rows[-1] == (f"{lowest[0]:.4f}", *lowest[1:])
    nearest = cd.matrix(many(30), "vi_distance")
    assert nearest.table().rows[0][0] == f"{nearest.pairs()[0][0]:.4f}"


def test_exports() -> None:
    m = cd.matrix(RUNS, "bcubed_recall")
    rows = list(csv.DictReader(io.StringIO(m.to_csv())))
    assert len(rows) == 9
    for row in rows:
        assert float(row["value"]) == m[row["truth"], row["guess"]]
        assert row["objects"] == "6"
    told = json.loads(m.to_json())
    assert told["values"] == m.values.tolist()
    assert (told["medoid"], told["order"]) == ("A", [m.names[i] for i in m.order])
    assert told["stability"] == m.stability
    assert told["symmetric"] is False
    assert "not symmetric: rows are truth, columns are guess" in str(m)
    assert m.to_markdown().startswith("|  | B | A | C |")
    assert r"\toprule" in m.to_latex()
    assert m.to_frame().shape == (9, 4)
    assert m.to_frame("polars").columns == ["truth", "guess", "value", "objects"]
    assert "<table>" in m._repr_html_()
    assert pickle.loads(pickle.dumps(m)).values.tolist() == m.values.tolist()


def test_exports_of_consistency() -> None:
    found = cd.matrix(RUNS).objects()
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["id"] for row in rows] == ["5", "2", "3", "4", "0", "1"]
    told = json.loads(found.to_json())
    assert [one["run"] for one in told["runs"]] == ["A", "B", "C"]
    assert len(told["clusters"]) == 7
    assert found.to_frame().shape == (6, 3)
    assert "cluster  run  objects  stability  consistency" in str(found)
    assert len(found) == 6


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_have_a_run_in_each_column(frame: Any) -> None:
    m = cd.matrix(frame({"id": list("uvwxyz"), **RUNS}))
    assert m.names == ["A", "B", "C"]
    assert (m.values == cd.matrix(RUNS).values).all()
    assert m.objects().worst(1)[0][0] == "z"


def test_unknown_runs_get_a_hint() -> None:
    m = cd.matrix(RUNS)
    with pytest.raises(cd.ClusterdiffError, match="no run is called 'a'") as told:
        m["a", "B"]
    assert "A" in told.value.hint


def test_annotators() -> None:
    guesses = {"mine": [1, 1, 2, 2, 3, 3], "all": [1] * 6}
    m = cd.matrix(RUNS, "bcubed_f", guesses=guesses)
    against = m.against
    for guess, labels in guesses.items():
        scores = {name: cd.bcubed_f(run, labels) for name, run in RUNS.items()}
        best = max(scores, key=lambda name: scores[name])
        assert against.mean[guess] == math.fsum(scores.values()) / 3
        assert against.best[guess] == (best, scores[best])
        assert against.to_dict()["guesses"][guess]["each"] == scores
    assert against.ceiling == m.stability == cd.matrix(RUNS, "bcubed_f").stability
    assert against.each["A"] == pytest.approx((m["A", "B"] + m["A", "C"]) / 2)
    assert against.ceiling_error == m.standard_error
    assert {(r["guess"], r["truth"]) for r in against.records()} == {
        (g, a) for g in guesses for a in RUNS
    }
    assert m.records()[9:] == against.records()
    assert {r["objects"] for r in m.records()} == {6}
    assert "Annotators reach" in str(m) and "Annotators reach" in str(against)  # noqa: PT018
    assert json.loads(m.to_json())["against"]["ceiling"] == against.ceiling


def test_a_guess_beyond_the_ceiling_is_named() -> None:
    apart = {"A": [1, 1, 2, 2], "B": [1, 2, 1, 2]}
    for measure, word in (("rand", "Higher"), ("vi_distance", "Lower")):
        against = cd.matrix(apart, measure, guesses=[1, 1, 2, 2]).against
        assert f"{word} than that: guess." in str(against)


def test_guesses_in_whatever_form() -> None:
    ids = {name: dict(enumerate(run)) for name, run in RUNS.items()}
    assert list(cd.matrix(ids, guesses=ids["A"]).against.mean) == ["guess"]
    assert list(cd.matrix(RUNS, guesses=np.array(RUNS["B"])).against.mean) == ["guess"]
    assert list(cd.matrix(list(RUNS.values()), guesses=[RUNS["B"]]).against.mean) == ["guess 1"]
    assert list(cd.matrix(RUNS, guesses=RUNS).against.mean) == [f"guess {n}" for n in RUNS]
    with pytest.raises(cd.ClusterdiffError, match="no guesses to judge"):
        _ = cd.matrix(RUNS).against


def test_precision_of_guesses_takes_annotators_as_truth() -> None:
    against = cd.matrix(RUNS, "bcubed_precision", guesses={"all": [1] * 6}).against
    assert against.values[:, 0].tolist() == [
        cd.bcubed_precision(run, [1] * 6) for run in RUNS.values()
    ]


@pytest.mark.parametrize(
    ("given", "options", "text"),
    [
        ({"a": [1, 2]}, {}, "at least two clusterings, got 1"),
        ([1, 2, 3], {}, "at least two clusterings, got 1"),
        ({}, {}, "got 0"),
        (RUNS, {"measure": "adjusted_ran"}, "no measure is called"),
        ({"a": [1, 2], "b": [1, 2, 3]}, {}, "a has 2 labels, b has 3"),
        ({"a": {1: 1, 2: 2}, "b": {1: 1}}, {}, "1 of 2 objects of all 2 runs are not in b"),
        ({"a": [1, None], "b": [1, 2]}, {}, "null"),
        (RUNS, {"align": "penalise"}, "no truth"),
        (RUNS, {"align": "nothing"}, "unknown alignment policy"),
        (RUNS, {"measure": "rand_alpha"}, None),
        ({"a": {1: 1}, "b": {"x": 1}}, {"align": "shared"}, "none can be equal"),
        ({"a": {1: 1}, "b": {2: 1}}, {"align": "shared"}, "ids look like 1 in a and 2 in b"),
    ],
)
def test_refusals(given: Any, options: dict[str, Any], text: str | None) -> None:
    if text is None:
        assert cd.matrix(given, **options).stability < 1
        return
    told = refuses(text, cd.matrix, given, **options)
    assert told.hint


def test_uncertain_runs_need_a_measure_of_theirs() -> None:
    soft = cd.Fuzzy({"a": {"x": 1.0}, "b": {"x": 0.5, "y": 0.5}})
    runs = {"soft": soft, "hard": {"a": 1, "b": 2}}
    assert cd.matrix(runs, "rand_brouwer")["soft", "hard"] == cd.rand_brouwer(soft, runs["hard"])
    refuses(None, cd.matrix, runs, "adjusted_rand")


def test_a_heatmap_has_the_scores_in_the_order_of_the_leaves() -> None:
    m = cd.matrix(RUNS, "elm_f")
    (heat,) = cd.plot.matrix(m).data
    assert [list(row) for row in heat.z] == m.values[np.ix_(m.order, m.order)].tolist()
    assert heat.colorbar.title.text == "elm_f"
    assert (heat.zmin, heat.zmax) == (m.pairs()[0][0], 1.0)
    assert heat.text[0][0] == "1.00"
    far = cd.plot.matrix(RUNS, "vi_distance").data[0]
    assert far.zmin == 0.0
    assert far.colorscale[0][1] == heat.colorscale[-1][1]
    asymmetric = cd.plot.matrix(RUNS, "bcubed_recall").layout
    assert (asymmetric.xaxis.title.text, asymmetric.yaxis.title.text) == ("guess", "truth")
    assert cd.plot.matrix(many(50)).data[0].text is None


def test_a_map_marks_the_medoid() -> None:
    m = cd.matrix(RUNS, "elm_f")
    figure = cd.plot.embedding(m)
    runs, medoid = figure.data
    assert (list(runs.text), list(medoid.text)) == (["B", "C"], ["A"])
    assert (medoid.x[0], medoid.y[0]) == tuple(m.embedding(2).points[0])
    assert figure.layout.xaxis.title.text == "√(1 − elm_f), stress 0.00"
    same = cd.plot.embedding([[1, 2], [1, 2]])
    assert same.data[0].x[0] == 0.0
