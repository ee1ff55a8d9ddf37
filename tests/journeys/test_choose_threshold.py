"""Choosing a threshold with real packages and data: splink, scikit-learn, record linkage."""

from __future__ import annotations

import logging
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from journeys.test_entity_resolution import drawn

RECORDS = DATA / "rldata10000.csv"
RULES = ["name", "name_by", "name_bm", "name_bd"]
"""Same name; and the same year, month or day of birth."""
MEASURES = ["elm_f", "pair_f", "adjusted_rand", "vi_distance", "accuracy"]


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    """Records of one name, scored by the share of the rules that hold for both."""
    if not RECORDS.exists():
        pytest.skip("the data sets are not here")
    frame = pd.read_csv(RECORDS).assign(block=lambda f: f.name)
    both = frame.merge(frame, on="block", suffixes=("_l", "_r"))
    both = both[both.record_l < both.record_r]
    score = sum((both[f"{rule}_l"] == both[f"{rule}_r"]).astype(float) for rule in RULES) / 4
    found = both[["record_l", "record_r"]].assign(score=score)
    return found.assign(right=both.identity_l == both.identity_r).reset_index(drop=True)


def test_every_line_is_a_clustering_of_connected_components(
    pairs: pd.DataFrame, tmp_path: Path
) -> None:
    truth = cd.read(RECORDS, id="record", cluster="identity")
    path = tmp_path / "pairs.parquet"
    pairs.drop(columns="right").to_parquet(path)
    curve = cd.sweep(truth, path, MEASURES)
    assert curve.thresholds[1:].tolist() == [1.0, 0.75, 0.5, 0.25]
    for line, threshold in enumerate(curve.thresholds[1:].tolist(), 1):
        linked = pairs[pairs.score >= threshold]
        graph = nx.Graph(zip(linked.record_l, linked.record_r, strict=True))
        graph.add_nodes_from(range(len(truth)))
        guess = [frozenset(part) for part in nx.connected_components(graph)]
        report = cd.compare(truth, guess, MEASURES)
        for measure in MEASURES:
            assert curve[measure][line] == pytest.approx(report[measure].value, abs=1e-13)
            assert curve.at(threshold)[measure].value == report[measure].value
    shuffled = pairs.drop(columns="right").sample(frac=1, random_state=1)
    again = cd.sweep(truth, shuffled, MEASURES, engine="arrays")
    assert all((again[measure] == curve[measure]).all() for measure in MEASURES)


def test_links_flatter(pairs: pd.DataFrame) -> None:
    """Clusters have a lower precision than the links that made them."""
    truth = cd.read(RECORDS, id="record", cluster="identity")
    curve = cd.sweep(truth, pairs.drop(columns="right"), "pair_precision")
    links = pairs[pairs.score >= 0.5].right.mean()
    assert curve.at(0.5)["pair_precision"].value < links


def test_digits_by_ward() -> None:
    digits = load_digits()
    tree = linkage(digits.data, "ward")
    curve = cd.sweep(digits.target.tolist(), tree, ["adjusted_rand", "elm_f"])
    assert curve.best("adjusted_rand").clusters == 12
    assert curve.best("elm_f").clusters == 10


@pytest.fixture(scope="module")
def predicted() -> tuple[pd.DataFrame, Any, dict[str, dict[str, str]]]:
    """Records, the predictions of splink, and its clusters at two thresholds."""
    splink = pytest.importorskip("splink")
    from splink import comparison_library as compare
    from splink.backends.duckdb import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    records = pd.DataFrame(drawn(Random(0)))
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[compare.ExactMatch(c) for c in ("first_name", "surname", "year")],
        blocking_rules_to_generate_predictions=[
            splink.block_on("year"),
            splink.block_on("surname"),
        ],
        probability_two_random_records_match=0.01,
    )
    linker = splink.Linker(DuckDBAPI().register(records), settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e4, seed=1)
    pairs = linker.inference.predict(threshold_match_probability=0.001)
    clusters = {}
    for threshold in ("0.5", "0.99"):
        found = linker.clustering.cluster_pairwise_predictions_at_threshold(
            pairs, threshold_match_probability=float(threshold)
        ).as_pandas_dataframe()
        clusters[threshold] = dict(zip(found["unique_id"], found["cluster_id"], strict=True))
    return records, pairs, clusters


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_predictions_of_splink(
    predicted: tuple[pd.DataFrame, Any, dict[str, dict[str, str]]], tmp_path: Path
) -> None:
    records, pairs, clusters = predicted
    truth = dict(zip(records.unique_id, records.cluster, strict=True))
    curve = cd.sweep(truth, pairs, ["elm_f", "pair_f"])
    assert curve.swept.columns == {
        "left": "unique_id_l", "right": "unique_id_r", "score": "match_probability",
    }  # fmt: skip
    for threshold, found in clusters.items():
        cut = curve.cut(float(threshold))
        assert cut.ids is not None
        named = dict(zip(cut.ids.tolist(), cut.labels.tolist(), strict=True))
        assert cd.rand(found, named) == 1
        assert curve.at(float(threshold))["elm_f"].value == cd.elm_f(truth, found)
    by_weight = cd.sweep(truth, pairs, "elm_f", score="match_weight")
    assert by_weight.best("elm_f").value == curve.best("elm_f").value
    part = {record: person for record, person in truth.items() if int(person[1:]) < 40}
    shared = cd.sweep(part, pairs, "elm_f", align="shared")
    assert shared.at(0.5)["elm_f"].value == cd.elm_f(part, clusters["0.5"], align="shared")
    pairs.as_pandas_dataframe().to_parquet(tmp_path / "pairs.parquet")
    records[["unique_id", "cluster"]].to_csv(tmp_path / "truth.csv", index=False)
    files = [str(tmp_path / name) for name in ("truth.csv", "pairs.parquet")]
    ran = run("sweep", *files, "--cut", "elm_f", "-o", str(tmp_path / "clusters.csv"))
    assert ran.code == 0
    assert "left: unique_id_l, right: unique_id_r, score: match_probability (sim" in ran.stdout
    written = cd.elm_f(tmp_path / "truth.csv", tmp_path / "clusters.csv")
    assert written == pytest.approx(curve.best("elm_f").value)
