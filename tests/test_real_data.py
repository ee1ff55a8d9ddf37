"""Real clusterings: the numbers make sense, every way in agrees. Skipped where data are absent."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import clusterdiff as cd

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")


@pytest.mark.parametrize(
    ("name", "id", "truth", "guess"),
    [
        ("febrl1.csv", "rec_id", "entity", "same_name"),
        ("febrl3.csv", "rec_id", "entity", "same_soc_sec"),
        ("rldata10000.csv", "record", "identity", "name_by"),
        ("pbmc68k_reduced_labels.csv", "cell", "bulk_labels", "louvain"),
    ],
)
def test_tables_with_truth_and_guess(name: str, id: str, truth: str, guess: str) -> None:
    path = DATA / name
    left = cd.read(path, id=id, cluster=truth)
    right = cd.read(path, id=id, cluster=guess)
    frame = pl.read_csv(path, infer_schema_length=0)
    report = cd.compare(left, right)
    assert report["adjusted_rand"].value == pytest.approx(
        adjusted_rand_score(frame[truth], frame[guess]), abs=1e-12
    )
    again = cd.compare(frame[truth], frame[guess])
    assert [again[m].value for m in again] == [report[m].value for m in report]
    assert 0 < report["elm_f"].value < report["bcubed_f"].value < 1


def test_documents_of_litbank() -> None:
    frame = pl.read_csv(DATA / "coref_litbank.csv").with_columns(
        mention=pl.format("{}-{}", "start", "end")
    )
    gold = frame.select("doc", id="mention", cluster="gold")
    string = frame.select("doc", id="mention", cluster="same_string")
    report = cd.compare(gold, string, ["elm_f", "muc_f", "conll", "lea_f"], samples="doc")
    assert len(report.samples) == 100
    assert report["conll"].std is not None
    assert 0 < report["conll"].micro < 1
    first = frame.filter(pl.col("doc") == frame["doc"][0])
    assert report["elm_f"].each[0] == cd.elm_f(first["gold"], first["same_string"])


def test_communities_of_the_karate_club() -> None:
    net = json.loads((DATA / "network_karate.json").read_text())
    for guess in net["partitions_computed_here_networkx_3.6.1"].values():
        report = cd.compare(net["truth"], guess)
        assert 0 < report["split_merge"].value <= 1


def test_a_release_against_itself_and_another() -> None:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet")
    last = [c for c in frame.columns if c.startswith("pred_")][-1]
    report = cd.compare(frame["reference"], frame[last], noise=-1, noise_as="drop")
    known = frame.filter((pl.col("reference") != -1) & (pl.col(last) != -1))
    assert report["elm_f"].value == cd.elm_f(known["reference"], known[last])
    assert report["elm_f"].meet.alignment.noise == len(frame) - len(known)
