"""Which columns hold the pairs and which the scores: found by name, refused where not clear."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.engines.columns import PairColumns, find_pair_columns
from refusals import refuses

SPLINK = ["match_weight", "match_probability", "unique_id_l", "unique_id_r", "name_l", "name_r"]


def found(names: list[str], **asked: Any) -> tuple[str | None, ...]:
    return find_pair_columns("pairs.csv", names, **asked)[:3]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (SPLINK, ("unique_id_l", "unique_id_r", "match_probability")),
        (["id_l", "id_r", "match_weight"], ("id_l", "id_r", "match_weight")),
        (["Score", "ID_A", "ID_B"], ("ID_A", "ID_B", "Score")),
        (["id1", "id2", "similarity"], ("id1", "id2", "similarity")),
        (["left", "right", "weight"], ("left", "right", "weight")),
        (["source", "target", "confidence"], ("source", "target", "confidence")),
        (["source_id", "target_id", "score"], ("source_id", "target_id", "score")),
        (["ltable_id", "rtable_id", "proba"], ("ltable_id", "rtable_id", "proba")),
        (["record_id_1", "record_id_2", "distance"], ("record_id_1", "record_id_2", "distance")),
        (["left_record", "right_record", "jaccard"], ("left_record", "right_record", "jaccard")),
        (["x", "y", "z"], ("x", "y", "z")),
        (["score", "p", "q"], ("p", "q", "score")),
    ],
)
def test_found_by_name_or_by_position(names: list[str], wanted: tuple[str, ...]) -> None:
    assert found(names) == wanted


def test_named_columns_come_first() -> None:
    assert found([*SPLINK, "gamma"], score="match_weight")[2] == "match_weight"
    assert found(["a1", "b1", "p", "q", "w"], left="p", right="q", score="w") == ("p", "q", "w")
    assert found(["id_l", "id_r", "id_a", "id_b", "score"], left="id_a")[:2] == ("id_a", "id_b")


@pytest.mark.parametrize(
    ("names", "said", "hint"),
    [
        (["id_l", "id_r", "score", "similarity"], "score, similarity", "score='similarity'"),
        (
            ["id_l", "id_r", "unique_id_l", "unique_id_r", "score"],
            "id_l and id_r; unique_id_l and unique_id_r",
            "left='unique_id_l', right='unique_id_r'",
        ),
        (["p", "q", "r", "score"], "which hold the objects of a pair", "left='p', right='q'"),
        (["id_l", "id_r", "p", "q"], "which hold the scores", "score='p'"),
        (["id", "leiden_1", "leiden_2"], "3 columns", "table.csv::leiden_*"),
    ],
)
def test_refused_where_it_is_not_clear(names: list[str], said: str, hint: str) -> None:
    error = refuses(None, found, names)
    assert said in error.message
    assert hint in error.hint
    assert "--" in error.at_prompt()


def test_a_column_that_is_not_there_is_refused_with_those_that_are() -> None:
    refuses("scored", found, ["id_l", "id_r", "scored"], score="score")


def test_the_name_says_whether_less_is_nearer() -> None:
    assert PairColumns("a", "b", "Distance").is_distance
    assert not PairColumns("a", "b", "score").is_distance


def frame(**more: Any) -> pd.DataFrame:
    rows = {"unique_id_l": [1, 2], "unique_id_r": [2, 3], "match_probability": [0.9, 0.8]}
    return pd.DataFrame(rows | more)


def test_ids_of_several_data_sets_are_refused() -> None:
    sets = {"source_dataset_l": ["a", "a"], "source_dataset_r": ["b", "b"]}
    truth = {1: "x", 2: "x", 3: "y"}
    refuses("several data sets", cd.sweep, truth, frame(**sets))
    same = {"source_dataset_l": ["a", "a"], "source_dataset_r": ["a", "a"]}
    assert len(cd.sweep(truth, frame(**same), "pair_f")) == 3
    named = cd.sweep(truth, frame(**sets), "pair_f", left="unique_id_l", right="unique_id_r")
    assert len(named) == 3
