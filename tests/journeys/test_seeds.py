"""Communities of a real network from many seeds and methods of igraph: how stable they are, which
run to publish, what a consensus adds, and what can be said of differences.
"""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")

SEEDS = 6


@pytest.fixture(scope="module")
def football() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((DATA / "network_football.json").read_text(encoding="utf-8"))
    return made


@pytest.fixture(scope="module")
def runs(football: dict[str, Any]) -> dict[str, Any]:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=len(football["truth"]), edges=football["edges"])
    made = {}
    try:
        for seed in range(SEEDS):
            igraph.set_random_number_generator(random.Random(seed))
            made[f"louvain {seed}"] = graph.community_multilevel()
        made["leiden"] = graph.community_leiden(objective_function="modularity", n_iterations=-1)
    finally:
        igraph.set_random_number_generator(random)
    return made | {"walktrap": graph.community_walktrap().as_clustering()}


def test_stability_and_medoid_are_scikit_learns(runs: dict[str, Any]) -> None:
    labels = {name: found.membership for name, found in runs.items()}
    matrix = cd.matrix(runs)
    scores = {
        frozenset(pair): metrics.adjusted_rand_score(*(labels[name] for name in pair))
        for pair in combinations(runs, 2)
    }
    assert matrix.stability == pytest.approx(np.mean(list(scores.values())), abs=1e-12)
    means = {name: np.mean([s for pair, s in scores.items() if name in pair]) for name in runs}
    assert means[matrix.medoid] == pytest.approx(max(means.values()), abs=1e-12)


def test_a_consensus_costs_what_its_pairs_cost(
    runs: dict[str, Any], football: dict[str, Any]
) -> None:
    found = cd.consensus(runs)
    labels = np.array(found.clustering.labels.tolist())
    together = np.equal.outer(labels, labels)
    cost = 0
    for one in runs.values():
        own = np.array(one.membership)
        cost += int((together != np.equal.outer(own, own)).sum())
    assert found.cost == cost
    wanted = metrics.normalized_mutual_info_score(football["truth"], labels)
    assert cd.nmi(football["truth"], found) == pytest.approx(wanted, abs=1e-12)


def test_nothing_is_claimed_where_nothing_can_be_tested(
    runs: dict[str, Any], football: dict[str, Any]
) -> None:
    """A few entangled conferences of ten teams are neither ten components nor large clusters."""
    two = {name: runs[name] for name in ("leiden", "walktrap")}
    report = cd.compare(football["truth"], two, ["nmi", "adjusted_rand"], confidence=0.95)
    for name, found in two.items():
        wanted = metrics.normalized_mutual_info_score(football["truth"], found.membership)
        assert float(report["nmi"][name]) == pytest.approx(wanted, abs=1e-12)
    text = " ".join(report.to_text(200).split())
    assert "differences not tested: nmi, adjusted_rand: " in text
    assert "components are too few for an interval (10 are needed)" in text
    assert "†" not in text
    assert " p = " not in text
    diff = cd.diff(football["truth"], two["walktrap"], two["leiden"], by="nmi", confidence=0.95)
    assert "not tested, because" in diff.headline
    assert diff.to_markdown().startswith("**Better: ")
    assert "not significantly" not in diff.to_markdown()


def test_teams_drawn_one_by_one_have_an_interval(
    runs: dict[str, Any], football: dict[str, Any]
) -> None:
    """Asked for by name, objects are the units, left out one by one."""
    truth, guess = np.array(football["truth"]), np.array(runs["walktrap"].membership)
    report = cd.compare(truth, guess, "adjusted_rand", confidence=0.95, units="objects")
    size = truth.size
    left = np.array(
        [metrics.adjusted_rand_score(np.delete(truth, i), np.delete(guess, i)) for i in range(size)]
    )
    error = np.sqrt((size - 1) / size * ((left - left.mean()) ** 2).sum())
    assert report["adjusted_rand"].ci.se == pytest.approx(error, rel=1e-6)
    assert "as if each object was drawn by itself" in " ".join(report.to_text(200).split())


def test_explanation_and_gate_of_the_run_to_publish(
    runs: dict[str, Any], football: dict[str, Any], tmp_path: Path
) -> None:
    truth, guess = football["truth"], runs["leiden"].membership
    told = cd.explain(truth, runs["leiden"])
    of_truth, of_guess = (
        {frozenset(np.flatnonzero(np.array(side) == k).tolist()) for k in set(side)}
        for side in (truth, guess)
    )
    exact = len(of_truth & of_guess)
    assert f"Of 12 true clusters, {exact} were found exactly" in " ".join(told.to_text(200).split())
    table = tmp_path / "teams.csv"
    rows = zip(football["node_names"], truth, guess, strict=True)
    table.write_text("team,conference,leiden\n" + "".join(f"{n},{t},{g}\n" for n, t, g in rows))
    sides = (f"{table}::conference", f"{table}::leiden", "--id", "team")
    score = metrics.adjusted_rand_score(truth, guess)
    gate = ("-m", "adjusted_rand", "--fail-under")
    assert run("compare", *sides, *gate, f"adjusted_rand={score - 0.01:.4f}").code == 0
    below = run("compare", *sides, *gate, f"adjusted_rand={score + 0.01:.4f}")
    assert below.code == 1
    assert f"adjusted_rand is {score:.6g}, below" in below.stderr
    sure = run("compare", *sides, *gate, f"adjusted_rand={score - 0.01:.4f}", "--sure")
    assert sure.code == 1
    assert "adjusted_rand has no interval" in sure.stderr
