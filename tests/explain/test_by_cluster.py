"""A component that holds most objects is explained cluster by cluster, where these are large."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.engines.named import SqlNamedComparison
from clusterdiff.explain.partition import CLUSTERS, Component, TrueCluster
from journeys.places import DATA
from output.test_schemas import check

Sides = tuple[pd.Series, pd.Series]
CELLS = DATA / "pbmc68k_reduced_labels.csv"


def explained(truth: Any, guess: Any, **options: Any) -> cd.Explanation:
    told = cd.explain(truth, guess, **options)
    assert isinstance(told, cd.Explanation)
    return told


def drawn(seed: int, objects: int = 600, lacking: int = 0) -> Sides:
    """Classes and clusters that go together more or less; each side may lack some objects."""
    rng = np.random.default_rng(seed)
    classes, clusters = rng.integers(3, 9, 2)
    usual = rng.dirichlet(np.full(clusters, rng.choice([0.1, 0.3, 1.0])), classes)
    truth = rng.choice(classes, objects, p=rng.dirichlet(np.full(classes, 3.0)))
    guess = [rng.choice(clusters, p=usual[t]) for t in truth]
    sides = pd.Series(truth).map("t{}".format), pd.Series(guess).map("g{}".format)
    gone = rng.permutation(objects)[: 2 * lacking]
    return sides[0].drop(gone[::2]), sides[1].drop(gone[1::2])


def cells() -> Sides:
    if not CELLS.exists():
        pytest.skip("the data sets are not here")
    table = pd.read_csv(CELLS, dtype=str).set_index("cell")
    return table["bulk_labels"], table["louvain"]


CASES: dict[str, Callable[[], Sides]] = {
    "blood cells": cells,
    **{f"drawn {seed}": partial(drawn, seed) for seed in range(12)},
}


def whole(told: cd.Explanation) -> Component:
    """The component that is explained cluster by cluster, with all its clusters."""
    [part] = [part for part in told.top(None, None) if part.by_cluster]
    return part


def clusters(told: cd.Explanation) -> list[TrueCluster]:
    """They without the last digits, which hang on the order of the rows."""
    return [
        one._replace(loss=round(one.loss, 12), share=round(one.share, 12))
        for one in whole(told).by_cluster
    ]


def belongs(crossed: pd.DataFrame) -> dict[Any, Any]:
    """The class that each cluster belongs to: most of it comes from there; of equal parts, it holds
    the larger share of the smaller class.
    """
    sizes = crossed.sum(axis=1)
    return {
        g: max(crossed.index, key=lambda t: (column[t], -sizes[t])) for g, column in crossed.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_clusters_are_those_of_the_crossed_table(name: str) -> None:
    truth, guess = CASES[name]()
    told = explained(truth, guess)
    crossed = pd.crosstab(truth, guess)
    owner, sizes = belongs(crossed), crossed.sum(axis=1)
    part = whole(told)
    assert {c.truth for c in part.by_cluster} == {c.name for c in part.truth}
    losses = [c.loss for c in part.by_cluster]
    assert losses == pytest.approx(sorted(losses, reverse=True))
    right = {"right": 0, "split": 0, "merged": 0}
    for cluster in part.by_cluster:
        row = crossed.loc[cluster.truth]
        own = [g for g, t in owner.items() if t == cluster.truth]
        assert cluster.kind == ("merged", "mixed", "split")[min(len(own), 2)]
        assert cluster.objects == sizes[cluster.truth]
        assert cluster.parts == (row > 0).sum()
        first = max(own, key=lambda g: (row[g], -crossed[g].sum()), default=None)
        others = row.drop([] if first is None else [first])
        shown = [*([] if first is None else [row[first]]), *sorted(others[others > 0])[::-1]]
        assert [piece.objects for piece in cluster.pieces] == shown[:4]
        assert first is None or cluster.pieces[0].guess == first
        for piece in cluster.pieces:
            assert piece.objects == row[piece.guess]
            assert piece.mostly == owner[piece.guess]
            assert piece.purity == pytest.approx(
                crossed[piece.guess].max() / crossed[piece.guess].sum()
            )
        right["right"] += 0 if first is None else row[first]
        right["split"] += sum(row[g] for g in own if g != first)
        right["merged"] += sum(row[g] for g in row.index if g not in own)
    found = told.summary.by_majority
    assert found is not None
    assert sum(found.values()) == len(truth)
    if part.objects + told.summary.outcomes["right"] == len(truth):
        right["right"] += told.summary.outcomes["right"]
        assert found == {**right, "both": 0}


@pytest.mark.parametrize("by", ["elm_f", "bcubed_f", "pair_f"])
@pytest.mark.parametrize("lacking", [0, 40])
@pytest.mark.parametrize("seed", range(6))
def test_shares_of_clusters_add_up_to_that_of_the_component(
    seed: int, lacking: int, by: str
) -> None:
    told = explained(*drawn(seed, lacking=lacking), by=by, align="penalise" if lacking else "exact")
    part = whole(told)
    assert sum(c.share for c in part.by_cluster) == pytest.approx(part.share)
    assert sum(c.loss for c in part.by_cluster) == pytest.approx(part.loss)
    assert sum(c.objects for c in part.by_cluster) == part.objects
    assert sum(one.share for one in part.below) == pytest.approx(part.share)
    # The queue has the same losses, object by object.
    queue = told.to_frame()
    of_truth = queue[queue["component"] == 1].groupby("truth", dropna=False)["loss"].sum()
    expected = {c.truth: c.loss for c in part.by_cluster}
    assert {None if t != t else t: loss for t, loss in of_truth.items()} == pytest.approx(expected)
    outcomes = told.summary.by_majority
    assert outcomes is not None
    for what in ("missing", "extra"):
        assert outcomes.get(what, 0) == lacking * bool(lacking)
    assert [c.truth for c in part.by_cluster if c.kind == "extra"] == [None] * bool(lacking)
    assert ("not in truth (40 objects): " in told.to_text(200)) == bool(lacking)


def test_losses_are_those_of_the_objects() -> None:
    truth, guess = drawn(3)
    part = whole(explained(truth, guess))
    scores = cd.objects(truth, guess).scores
    lost = pd.Series(1 - np.asarray(scores)).groupby(truth.to_numpy()).sum() / len(truth)
    assert {c.truth: c.loss for c in part.by_cluster} == pytest.approx(lost.to_dict())


def test_blood_cells_are_told_type_by_type() -> None:
    told = explained(*cells())
    text = told.to_text(300)
    assert (
        "   39.1 %  split    Dendritic (240 objects): 49 % in 2, 15 % in 6, 15 % in 7, 12 % in 5, "
        "10 % in 2 more; cluster 2 is 100 % Dendritic\n" in text
    )
    assert (
        "    3.8 %  merged   CD56+ NK (31 objects): 97 % in 3 (46 % of it is CD8+ Cytotoxic T), "
        "3 % in 0\n" in text
    )
    assert "Of 700 objects: 54.0 % right, 20.1 % split, 25.9 % merged, 0.0 % both." in text
    assert told.summary.outcomes["right"] == told.summary.exact * 13 == 13  # as it was
    assert "49 % in 2, 15 % in 6" in told._repr_html_()
    assert "49 % in 2, 15 % in 6" in told.to_markdown()
    document = json.loads(told.to_json())
    assert check(document) == "explain"
    [component] = document["components"]
    assert component["by_cluster"][0]["truth"] == "Dendritic"
    assert document["summary"]["by_majority"]["right"] == 378
    figure = cd.plot.outcomes({"louvain": told})
    assert [round(700 * bar.x[0]) for bar in figure.data] == [378, 141, 181]
    # A guess whose outcomes do not go by majorities is drawn beside others without them.
    perfect = explained(cells()[0], cells()[0])
    both = cd.plot.outcomes({"louvain": told, "truth": perfect})
    assert [round(700 * x) for x in both.data[0].x] == [13, 700]
    shown = cd.page(*cells()).html
    assert "Dendritic: 49 % in 2, 15 % in 6" in shown
    assert '100.0 %</span> <span class="kind mixed' not in shown


def test_few_large_clusters_are_needed() -> None:
    truth, guess = drawn(3)
    assert whole(explained(truth, guess)).share == 1
    halves = pd.concat([truth, truth + "'"]), pd.concat([guess, guess + "'"])
    for sides in (
        tuple(side.reset_index(drop=True) for side in halves),  # each half holds half, not more
        (list("aabb"), list("xyyx")),  # everything hangs together, and is small
        (["a"] * 100 + ["b"] * 100, ["x"] * 50 + ["y"] * 50 + ["z"] * 100),  # one true cluster
    ):
        told = explained(*sides)
        assert told.hub is None
        assert all(not part.by_cluster for part in told.top())
        assert told.summary.by_majority is None
        assert "by_majority" not in told.to_dict()["summary"]
        assert "cluster by cluster" not in told.to_text()


def test_all_in_one_cluster_is_right_by_majority_only_for_the_largest_class() -> None:
    told = explained(["a"] * 60 + ["b"] * 40, [0] * 100)
    assert told.summary.by_majority == {"right": 60, "split": 0, "merged": 40, "both": 0}
    assert told.summary.outcomes["right"] == 0
    assert "b (40 objects): 100 % in 0 (60 % of it is a)" in told.to_text()


def test_of_many_clusters_the_costliest_are_named() -> None:
    """The others are counted, with what they cost."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(80), 40)
    guess = np.where(rng.random(3200) < 0.1, (truth + 1) % 80, truth)
    told = explained(truth, guess)
    [part] = told.top()
    assert len(part.by_cluster) == CLUSTERS
    assert len(whole(told).by_cluster) == 80
    assert part.below[-1].told == "70 more (2,800 objects)"
    assert sum(one.share for one in part.below) == pytest.approx(part.share)
    assert part.by_cluster == whole(told).by_cluster[:CLUSTERS]


@pytest.mark.parametrize("far", [False, True])
def test_clusters_are_the_same_from_every_engine(
    far: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of tables that stay where they are among them."""
    if far:
        monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    counts = np.random.default_rng(7).permutation(42) + 1  # no two alike: all orders are certain
    sides = (
        pd.Series(np.repeat(np.arange(42) // 6, counts)),
        pd.Series(np.repeat(np.arange(42) % 6, counts)),
    )
    wanted = explained(*sides)
    paths = []
    for name, side in zip(("truth", "guess"), sides, strict=True):
        paths.append(tmp_path / f"{name}.parquet")
        side.rename("cluster").rename_axis("id").reset_index().to_parquet(paths[-1])
    connection = duckdb.connect()
    relations = [connection.read_parquet(str(path)) for path in paths]
    stays = explained(*paths)
    assert isinstance(stays.named, SqlNamedComparison) == far
    for told in (stays, explained(*relations), explained(*paths, engine="arrays")):
        assert clusters(told) == clusters(wanted)
        assert told.summary.by_majority == wanted.summary.by_majority


def test_units_that_decide_are_components_without_their_clusters() -> None:
    """What a unit changes has no shares by cluster."""
    truth, guess = drawn(3)
    small = [f"s{i // 6}" for i in range(120)]
    merged = [*small[:60], *(f"m{i // 12}" for i in range(60))]
    told = explained([*truth, *small], [*guess, *merged], by="pair_f")
    assert "cluster by cluster:" in told.to_text()
    assert "cluster by cluster" not in told.uncertainty(units="components").to_text()


def test_a_part_that_is_asked_for_by_name_keeps_its_clusters() -> None:
    told = explained(*drawn(3))
    assert told.only("mixed").top()[0].by_cluster == told.top()[0].by_cluster
    assert "cluster by cluster" in told.only("mixed").to_text()
