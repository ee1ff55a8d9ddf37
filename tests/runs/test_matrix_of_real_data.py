"""Runs of real data: communities of networks, labellings of cells, releases of inventors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.runs.tables import profiles_of

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")


def seeds(name: str, many: int) -> dict[str, dict[str, int]]:
    """Louvain communities of a network, one run for each seed."""
    nx = pytest.importorskip("networkx")
    told = json.loads((DATA / f"network_{name}.json").read_text())
    graph = nx.Graph()
    graph.add_nodes_from(range(len(told["node_names"])))
    graph.add_edges_from(edge[:2] for edge in told["edges"])
    made = {}
    for seed in range(many):
        found = nx.community.louvain_communities(graph, seed=seed)
        made[f"seed {seed}"] = {str(o): k for k, one in enumerate(found) for o in one}
    return made


@pytest.mark.parametrize("name", ["karate", "football", "ukfaculty"])
def test_seeds_move_objects_in_groups(name: str) -> None:
    runs = seeds(name, 20)
    m = cd.matrix(runs, "elm_f")
    assert m.profiles.count.size < len(runs["seed 0"]) / 2
    names = list(runs)
    for i, j in ((0, 1), (3, 17), (19, 5)):
        assert m.values[i, j] == cd.elm_f(runs[names[i]], runs[names[j]])
    assert 0.3 < m.stability <= 1
    assert m.embedding(20).stress < 1e-6
    best = max(names, key=lambda one: sum(m[one, other] for other in names))
    assert m.medoid == best


def test_labellings_of_cells() -> None:
    m = cd.matrix(f"{DATA}/pbmc68k_reduced_labels.csv::*", "nmi")
    assert m.names == ["bulk_labels", "louvain", "phase"]
    assert (m.profiles.count.size, int(m.profiles.count.sum())) == (65, 700)
    path = f"{DATA}/pbmc68k_reduced_labels.csv"
    assert m["bulk_labels", "louvain"] == cd.nmi(f"{path}::bulk_labels", f"{path}::louvain")
    assert m.pairs()[-1][1:] == ("bulk_labels", "louvain")


def test_releases_that_lack_objects() -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(DATA / "patentsview_inventors.parquet")
    names = [name for name in table.column_names if name.startswith("pred")]
    runs = {}
    for name in names:
        label = table[name].to_numpy(zero_copy_only=False).astype(np.float64)
        known = np.flatnonzero(~np.isnan(label) & (label >= 0))
        runs[name] = cd.Partition(label[known].astype(np.int64), ids=known)
    m = cd.matrix(runs, "adjusted_rand", align="shared")
    assert m.labelled is not None
    assert (m.labelled.objects, m.profiles.count.size) == (133_541, 35_149)
    whole = (m.profiles.clusters >= 0).all(axis=1)
    assert (int(m.profiles.count[whole].sum()), int(whole.sum())) == (84_749, 15_994)
    for truth, guess in ((0, 1), (4, 2)):
        one, other = runs[names[truth]], runs[names[guess]]
        assert m.values[truth, guess] == cd.adjusted_rand(one, other, align="shared")
    everywhere = [run[np.logical_and.reduce([r >= 0 for r in m.labelled.clusters])]
                  for run in m.labelled.clusters]  # fmt: skip
    assert profiles_of(everywhere).count.size == 15_994
