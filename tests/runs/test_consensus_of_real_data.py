"""Consensus of real runs: inventors of patents, matchers of records, communities of teams."""

from __future__ import annotations

import polars as pl
import pytest

import clusterdiff as cd
from journeys.places import DATA
from runs.test_matrix_of_real_data import seeds

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")


def releases() -> pl.DataFrame:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet")
    return frame.filter(pl.all_horizontal(pl.col("^pred_.*$") != -1))


def test_releases_of_patentsview() -> None:
    runs = releases().select("^pred_.*$")
    found = cd.consensus(runs)
    assert (len(found), found.problem.profiles) == (84_749, 15_994)
    assert (found.found.components, found.found.largest) == (11_321, 130)
    assert found.gap <= 0.001
    assert found.medoid_cost / found.cost == pytest.approx(1.036, abs=0.001)
    assert found.distances["pred_20181127"] == cd.mirkin_distance(
        runs["pred_20181127"], found.clustering
    )


@pytest.mark.slow
def test_information_of_patentsview() -> None:
    runs = releases().select("^pred_.*$")
    found = cd.consensus(runs, "vi_distance")
    assert 0 < found.gap <= 0.03
    assert found.cost < found.medoid_cost


@pytest.mark.parametrize(
    ("name", "truth", "components", "largest", "score", "best"),
    [
        ("rldata10000.csv", "identity", 9_581, 3, 0.872, 0.832),
        ("febrl3.csv", "entity", 3_607, 4, 0.509, 0.906),
    ],
)
def test_matchers_of_records(
    name: str, truth: str, components: int, largest: int, score: float, best: float
) -> None:
    frame = pl.read_csv(DATA / name, infer_schema_length=0)
    matchers = [c for c in frame.columns if c.startswith(("name", "same"))]
    found = cd.consensus({one: frame[one] for one in matchers})
    assert (found.found.components, found.found.largest) == (components, largest)
    assert found.optimal
    assert cd.elm_f(frame[truth], found.clustering) == pytest.approx(score, abs=0.001)
    alone = max(cd.elm_f(frame[truth], frame[one]) for one in matchers)
    assert alone == pytest.approx(best, abs=0.001)


def test_communities_of_football_teams() -> None:
    runs = seeds("football", 25)
    made = cd.consensus(runs)
    assert made.optimal
    assert made.problem.profiles < 40
    assert cd.consensus(runs, "vi_distance").gap < 0.02
