"""Is a credal partition better than its labels: four classes of points with two outliers, by
evidential c-means of ours and of evclust, from masses to scores by their definition to the gate.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff_lab.estimators import EvidentialCMeans
from journeys.places import DATA

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")

OUTLIERS = [[60.0, 60.0], [-60.0, -50.0]]


class Found:
    """Masses, the sets of their columns as rows of 0 and 1, and the clustering made of them."""

    def __init__(self, masses: Any, sets: Any, clustering: Any) -> None:
        self.masses, self.sets, self.clustering = np.asarray(masses), np.asarray(sets), clustering
        self.empty = self.masses[:, self.sets.sum(axis=1) == 0].sum(axis=1)


@pytest.fixture(scope="module")
def points() -> tuple[Any, list[str]]:
    frame = pd.read_csv(DATA / "fourclass.csv")
    data = np.vstack([frame[["x1", "x2"]].to_numpy(), OUTLIERS])
    return data, [*frame["y"].astype(str), "1", "3"]


@pytest.fixture(scope="module", params=["clusterdiff", "evclust"])
def found(request: pytest.FixtureRequest, points: tuple[Any, list[str]]) -> Found:
    data, _ = points
    if request.param == "evclust":
        ecm = pytest.importorskip("evclust.ecm").ecm
        start = data[:400].reshape(4, 100, 2).mean(axis=1)
        made = ecm(data, c=4, g0=start, type="full", alpha=1, beta=2, delta=5, disp=False)
        return Found(made["mass"], made["F"], cd.Evidential(made))
    model = EvidentialCMeans(4, delta=5, random_state=0).fit(data)
    sets = [[k in focal for k in range(4)] for focal in model.focal_]
    return Found(model.masses_, np.array(sets, int), model.clustering_)


def agreement(masses: Any, sets: Any, truth: list[str]) -> tuple[float, float]:
    """The share of pairs that are surely right, and that may be right: the definition of rand_alpha
    against a partition, pair by pair of sets.
    """
    named = [frozenset(np.flatnonzero(row).tolist()) for row in sets]
    surely = maybe = 0.0
    same = np.equal.outer(truth, truth)
    for a, first in enumerate(named):
        for b, second in enumerate(named):
            if not first or not second:
                continue  # an object in no cluster agrees with nothing
            both = np.outer(masses[:, a], masses[:, b])
            np.fill_diagonal(both, 0)
            maybe += both[same].sum() if first & second else 0.0
            maybe += both[~same].sum() if len(first | second) > 1 else 0.0
            surely += both[same].sum() if first == second and len(first) == 1 else 0.0
            surely += both[~same].sum() if not first & second else 0.0
    pairs = len(truth) * (len(truth) - 1)
    return surely / pairs, maybe / pairs


def test_the_masses_arrive_as_they_are(found: Found) -> None:
    for i in (0, 17, len(OUTLIERS)):
        of = found.clustering.of(i)
        for mass, row in zip(found.masses[i], found.sets, strict=True):
            assert of.get(frozenset(np.flatnonzero(row).tolist()), 0) == pytest.approx(mass)


def test_scores_are_those_of_the_definition(found: Found, points: tuple[Any, list[str]]) -> None:
    _, truth = points
    score = cd.rand_alpha(truth, found.clustering)
    low, high = agreement(found.masses, found.sets, truth)
    assert (score.low, score.high) == pytest.approx((low, high), abs=1e-9)
    shared = found.masses / (1 - found.empty)[:, None]
    shared[:, found.sets.sum(axis=1) == 0] = 0
    score = cd.rand_alpha(truth, found.clustering.normalise())
    assert (score.low, score.high) == pytest.approx(agreement(shared, found.sets, truth), abs=1e-9)


def test_two_outliers_do_not_decide(found: Found, points: tuple[Any, list[str]]) -> None:
    """Mass on the empty set is shown, and does not drive the first row to 0."""
    _, truth = points
    text = " ".join(cd.compare(truth, found.clustering).to_text(300).split())
    share = 100 * found.empty.mean()
    assert f"{share:.2g} % of the mass on the empty set" in text
    assert "mass on the empty set normalised" in text
    assert "outer bounds" in text
    with_all = cd.measure("transport(rand)")(truth, found.clustering)
    few = np.arange(len(truth) - len(OUTLIERS))
    without = cd.measure("transport(rand)")(truth[: few.size], found.clustering.take(few))
    assert abs(with_all.high - without.high) < 0.05
    worst = cd.measure("transport(rand, empty_set='max_distance')")(truth, found.clustering)
    assert worst.high < with_all.high - 0.3


def test_labels_and_masses_side_by_side(found: Found, points: tuple[Any, list[str]]) -> None:
    """One number for each by counting half of what is unknown; no test is claimed."""
    _, truth = points
    measure = "rand_alpha(alpha=0.5)"
    labels = found.clustering.harden()
    report = cd.compare(
        truth, {"credal": found.clustering, "labels": labels}, [measure], confidence=0.95
    )
    low, high = agreement(found.masses, found.sets, truth)
    assert float(report[measure]["credal"]) == pytest.approx((low + high) / 2, abs=1e-9)
    assert float(report[measure]["labels"]) == pytest.approx(cd.rand(truth, labels), abs=1e-12)
    text = " ".join(report.to_text(100).split())
    assert "differences not tested" in text
    assert "†" not in text
    told = cd.explain(truth, found.clustering)
    assert "agreement" in told.to_text(80)


def test_a_file_and_its_gate(found: Found, points: tuple[Any, list[str]], tmp_path: Path) -> None:
    _, truth = points
    guess = tmp_path / "masses.csv"
    with guess.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "cluster", "degree"])
        for i, row in enumerate(found.masses.tolist()):
            for mass, sets in zip(row, found.sets, strict=True):
                name = ",".join(map(str, np.flatnonzero(sets)))
                rows.writerow([i, f"{{{name}}}" if name else "∅", repr(mass)])
    known = tmp_path / "truth.csv"
    known.write_text("id,cluster\n" + "".join(f"{i},{x}\n" for i, x in enumerate(truth)))
    given = ("compare", str(known), str(guess), "--kind", "partition,evidential")
    by = ("-m", "rand_alpha(alpha=0.5)")
    ran = run(*given, *by, "-f", "json")
    assert ran.code == 0, ran.stderr
    (scores,) = json.loads(ran.stdout)["guesses"].values()
    low, high = agreement(found.masses, found.sets, truth)
    middle = (low + high) / 2
    assert scores["rand_alpha(alpha=0.5)"]["value"] == pytest.approx(middle, abs=1e-6)
    gate = (*given, *by, "--fail-under")
    assert run(*gate, f"rand_alpha(alpha=0.5)={middle - 0.01:.4f}").code == 0
    assert run(*gate, f"rand_alpha(alpha=0.5)={middle + 0.01:.4f}").code == 1
    sure = run(*gate, f"rand_alpha(alpha=0.5)={middle - 0.01:.4f}", "--sure")
    assert sure.code == 1
    assert "has no interval" in sure.stderr
