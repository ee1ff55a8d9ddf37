"""Bad input of a sweep: what is refused, what is warned of, and how to go on."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffWarning
from refusals import refuses

TRUTH = {"r1": "x", "r2": "x", "r3": "y", "r4": "y"}
ROWS = [("r1", "r2", 0.9), ("r3", "r4", 0.8), ("r2", "r3", 0.3)]
NAMES = ["id_l", "id_r", "score"]
NULL = ("r1", "r4", None)


def given(rows: list[tuple[Any, ...]], way: str, folder: Path) -> Any:
    """Pairs in memory, or in a file."""
    if way == "edges":
        return rows
    frame = pd.DataFrame(rows, columns=NAMES)
    if way == "pandas":
        return frame
    if way == "polars":
        return pl.DataFrame(rows, schema=NAMES, orient="row", infer_schema_length=None)
    path = folder / f"pairs.{way}"
    frame.to_csv(path, index=False) if way == "csv" else frame.to_parquet(path)
    return path


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        ([NULL], "1 of 4 scores is null (pair ('r1', 'r4')).",
         "drop these pairs; a pair without a score links nothing."),
        ([NULL] * 5, "5 of 8 scores are null (pairs ('r1', 'r4'), ", ""),
        ([("r1", None, 0.5)], "1 of 4 pairs lacks an id.", ""),
        ([("r8", "r9", 0.5), ("r7", "r9", 0.5)],
         "3 objects of pairs are not in truth ('r7', 'r8', 'r9').",
         'align="shared" lets them link others without counting, align="singletons" makes each a '
         "true cluster."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["edges", "pandas", "polars", "csv", "parquet"])
def test_rows_that_are_refused(
    way: str, more: list[Any], message: str, hint: str, tmp_path: Path
) -> None:
    error = refuses(None, cd.sweep, TRUTH, given([*ROWS, *more], way, tmp_path), "elm_f")
    assert error.message.startswith(message)
    assert error.hint == hint or not hint
    if len(more) == 5:
        assert error.message.endswith(", …).")


@pytest.mark.parametrize("way", ["edges", "pandas", "polars", "csv", "parquet"])
def test_scores_that_are_no_numbers(way: str, tmp_path: Path) -> None:
    rows = [(a, b, "high") for a, b, _ in ROWS]
    error = refuses(None, cd.sweep, TRUTH, given(rows, way, tmp_path), "elm_f")
    if way != "edges":
        assert "are not numbers, such as 'high'" in error.message


COVER = cd.Cover({"r1": ["x"], "r2": ["x", "y"]})


@pytest.mark.parametrize(
    ("truth", "pairs", "options", "message", "hint"),
    [
        ({"r1": 1, "r2": 1}, [("R1", "r2", 0.9)], {},
         "differs from the other side only in capitals", "id.lower()"),
        ({7: 1, 8: 1}, [("7", "8", 0.5)], {},
         "no object of pairs is in truth: ids look like 7 there and '7' here.", ""),
        (TRUTH, [("a", "b", 0.5)], {},
         "no object of pairs is in truth: ids look like 'r1' there and 'a' here.", ""),
        (["x", "y"], [("a", "b", 0.5)], {}, "no object of pairs is in truth", ""),
        (["x", "y"], [(7, 8, 0.5)], {}, "no object of pairs is in truth", ""),
        (["x", "y"], [(0, 1, 0.5), (1, 2, 0.5)], {}, "1 object of pairs is not in truth (2).", ""),
        ({1: "x", 2: "x"}, ([1, 2], ["2", "1"], [0.5, 0.4]), {}, "different types", ""),
        ({1: "x", 2: "x"}, ([1, 2], [2, 1], [0.5]), {},
         "left, right and score have 2, 2 and 1 entries.", ""),
        (TRUTH, ROWS, {"slack": -0.1}, "slack is a loss from 0 on, got -0.1.", "slack=0.01"),
        (TRUTH, ROWS, {"slack": math.nan}, "slack is a loss from 0 on, got nan.", "slack=0.01"),
        (TRUTH, ROWS, {"slack": "much"}, "slack is a loss from 0 on, got 'much'.", "slack=0.01"),
        (TRUTH, ROWS, {"folds": 1}, "folds is a whole number from 2 on, got 1.", "folds=5"),
        (TRUTH, ROWS, {"folds": 2.5}, "folds is a whole number from 2 on, got 2.5.", "folds=5"),
        (TRUTH, ROWS, {"folds": 3}, "folds must be from 2 to the number of true clusters, 2", ""),
        (TRUTH, ROWS, {"lines": 1}, "lines is a whole number from 2 on, got 1.", "lines=50"),
        (TRUTH, ROWS, {"align": "some"}, "unknown alignment policy 'some'.", ""),
        (TRUTH, ROWS, {"align": "penalise"}, "penalise", 'align="shared"'),
        (TRUTH, ROWS, {"confidence": 0.07}, "confidence must be a number", "confidence=0.95"),
        (COVER, ROWS, {}, "truth is a cover", ""),
        ({}, ROWS, {}, "", ""),
        (TRUTH | {"r1": None}, ROWS, {}, "null", ""),
        (["x", "y"], {"one": [1, 1]}, {}, "a sweep goes over at least two clusterings, got 1.", ""),
    ],
)  # fmt: skip
def test_sweeps_that_are_refused(
    truth: Any, pairs: Any, options: dict[str, Any], message: str, hint: str
) -> None:
    error = refuses(None, cd.sweep, truth, pairs, "elm_f", **options)
    assert message in error.message
    assert hint in error.hint


def test_other_spellings_are_named_only_where_they_help() -> None:
    error = refuses(None, cd.sweep, TRUTH, [*ROWS, ("R4", "r1", 0.5)], "elm_f")
    assert "capitals" not in error.message


def test_positions_beyond_the_list_may_link() -> None:
    curve = cd.sweep(["x", "y"], [(0, 2, 0.5), (1, 2, 0.5)], "elm_f", align="shared")
    assert curve.clusters.tolist() == [2, 1]
    assert curve.at(0.5)["elm_f"].value == curve["elm_f"][1]


def test_unknown_thresholds_and_measures() -> None:
    curve = cd.sweep(TRUTH, ROWS, "elm_f")
    for threshold in ("0.8", "elm_ff", None, math.nan, True, [1]):
        refuses(None, curve.cut, threshold)
    refuses("elm_f", curve.best, "elm_ff")
    levels = cd.sweep(["x", "y"], {"one": [1, 1], "two": [1, 2]}, "elm_f")
    refuses("no level is called 'three'", levels.cut, "three")
    refuses("no level is called", levels.at, 7)


def scored(flip: bool) -> tuple[Any, ...]:
    """Pairs of which those of one true cluster score high; or low."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 100, (2, 600))
    same = left // 5 == right // 5
    score = np.where(same, 0.9, 0.1) + 0.05 * rng.random(600)
    return left, right, 1 - score if flip else score


CLUSTERS = (np.arange(100) // 5).tolist()


def test_scores_that_look_like_distances() -> None:
    with pytest.warns(ClusterdiffWarning, match=r"score lower \(median 0\.0") as caught:
        cd.sweep(CLUSTERS, scored(True), "elm_f")
    assert caught[0].message.hint == "distance=True?"  # type: ignore[union-attr]
    with pytest.warns(ClusterdiffWarning, match="score higher"):
        cd.sweep(CLUSTERS, scored(False), "elm_f", distance=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cd.sweep(CLUSTERS, scored(False), "elm_f")
        cd.sweep(CLUSTERS, scored(True), "elm_f", distance=True)


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_most_pairs_share_the_top_score(engine: str, tmp_path: Path) -> None:
    left, right, score = scored(False)
    score = np.where((left // 5 == right // 5) | (np.arange(600) % 20 < 9), 1.0, score)
    frame = pd.DataFrame({"unique_id_l": left, "unique_id_r": right, "match_probability": score})
    frame = frame[left != right].drop_duplicates(["unique_id_l", "unique_id_r"])
    frame.to_parquet(tmp_path / "pairs.parquet")
    with pytest.warns(ClusterdiffWarning, match=r"\d\d % of the pairs score 1.0 exactly") as caught:
        cd.sweep(CLUSTERS, tmp_path / "pairs.parquet", "elm_f", engine=engine)
    assert "match_weight tells them apart" in str(caught[0].message)
    with pytest.warns(ClusterdiffWarning, match="a finer score could"):
        cd.sweep(CLUSTERS, (left, right, score), "elm_f")


def test_one_object_and_all_single() -> None:
    curve = cd.sweep({"r1": "x"}, [("r1", "r1", 0.5)], "elm_f")
    assert len(curve) == 1
    assert str(curve)
    single = cd.sweep(dict(zip("abc", "xyz", strict=True)), [("a", "b", 1)], "elm_f")
    assert single.best("elm_f").line == 0
    assert single.best("elm_f").high == np.inf
    assert "above 1" in str(single)
