"""Evidential c-means on the data of its paper gives the pictures that are printed there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff_lab.estimators import EvidentialCMeans, FuzzyCMeans
from lab.estimators.cases import Floats

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
DELTA = float(np.sqrt(20))


def table(name: str) -> Floats:
    return np.loadtxt(DATA / name, delimiter=",", skiprows=1)


# Twelve points: two wings, the sixth between them, the last far away.


@cache
def butterfly() -> Any:
    return EvidentialCMeans(2, delta=DELTA, random_state=0).fit(table("butterfly.csv"))


def test_the_bridge_is_in_both_and_the_outlier_in_none() -> None:
    model = butterfly()
    best = [model.focal_[a] for a in model.masses_.argmax(axis=1)]
    left, right = ((int(model.labels_[0]),), (int(model.labels_[10]),))
    assert left != right
    assert best == [left] * 5 + [(0, 1)] + [right] * 5 + [()]
    assert model.outliers_.tolist() == [False] * 11 + [True]
    assert model.masses_[5, model.focal_.index((0, 1))] > 0.9
    assert model.masses_[11, 0] > 0.7


def test_masses_of_the_butterfly_equal_those_of_a_peer() -> None:
    """evclust 0.2.1, ecm(x, 2, g0=[[-3, 0], [3, 0]], delta=sqrt(20), epsi=1e-14)."""
    start = np.array([[-3.0, 0.0], [3.0, 0.0]])
    model = EvidentialCMeans(2, init=start, delta=DELTA, tol=1e-20).fit(table("butterfly.csv"))
    centres = [[-3.536775, 0.003893], [3.616324, 0.0508]]
    assert model.cluster_centers_ == pytest.approx(np.array(centres), abs=1e-6)
    wanted = [
        [0.0909, 0.8489, 0.0245, 0.0358],
        [0.1086, 0.7719, 0.0426, 0.0769],
        [0.0019, 0.9956, 0.0008, 0.0017],
        [0.1095, 0.7712, 0.0427, 0.0766],
        [0.0920, 0.5278, 0.0658, 0.3145],
        [0.0002, 0.0004, 0.0004, 0.9990],
        [0.0928, 0.0685, 0.4896, 0.3491],
        [0.1148, 0.0458, 0.7560, 0.0834],
        [0.0039, 0.0017, 0.9908, 0.0036],
        [0.1047, 0.0418, 0.7764, 0.0771],
        [0.0826, 0.0227, 0.8612, 0.0336],
        [0.7911, 0.0559, 0.1132, 0.0398],
    ]
    assert model.masses_ == pytest.approx(np.array(wanted), abs=6e-5)


def test_probabilities_cannot_tell_the_bridge_from_the_outlier() -> None:
    x = table("butterfly.csv")
    fuzzy = FuzzyCMeans(2, random_state=0).fit(x[:11])
    assert fuzzy.memberships_[5] == pytest.approx(np.array([0.5, 0.5]), abs=0.02)
    assert fuzzy.transform([[0.0, 1000.0]]) == pytest.approx(np.array([[0.5, 0.5]]), abs=0.02)


# Four classes of 100 points each, with heavy tails.


@cache
def classes() -> Any:
    return EvidentialCMeans(4, delta=DELTA, random_state=0).fit(table("fourclass.csv")[:, :2])


def test_centres_of_the_classes_equal_those_of_a_peer() -> None:
    """evclust 0.2.1, ecm(x, 4, g0, delta=sqrt(20), epsi=1e-13)."""
    start = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]])
    model = EvidentialCMeans(4, init=start, delta=DELTA, tol=1e-18)
    model.fit(table("fourclass.csv")[:, :2])
    wanted = [
        [-0.448509, -1.080085],
        [4.332904, -0.219760],
        [-0.536832, 4.176495],
        [4.431782, 4.639589],
    ]
    assert model.cluster_centers_ == pytest.approx(np.array(wanted), abs=2e-6)


def named() -> dict[int, int]:
    """For each cluster the class of most of its points."""
    y = table("fourclass.csv")[:, 2].astype(int)
    single = classes().masses_.argmax(axis=1)
    focal = classes().focal_
    return {j: int(np.bincount(y[single == focal.index((j,))]).argmax()) for j in range(4)}


def test_points_that_are_certain_are_right() -> None:
    model = classes()
    y = table("fourclass.csv")[:, 2].astype(int)
    assert sorted(named().values()) == [1, 2, 3, 4]
    best = [model.focal_[a] for a in model.masses_.argmax(axis=1)]
    certain = [i for i, a in enumerate(best) if len(a) == 1]
    right = sum(named()[best[i][0]] == y[i] for i in certain)
    assert len(certain) > 200
    assert right / len(certain) > 0.93


def test_points_in_two_clusters_lie_between_them() -> None:
    """Their two nearest centres are those of the pair, and they are less certain than others."""
    model = classes()
    x = table("fourclass.csv")[:, :2]
    d = np.linalg.norm(x[:, None] - model.cluster_centers_, axis=2)
    best = [model.focal_[a] for a in model.masses_.argmax(axis=1)]
    between = [i for i, a in enumerate(best) if len(a) == 2]
    assert len(between) > 10
    ratio = np.sort(d, axis=1)[:, 0] / np.sort(d, axis=1)[:, 1]
    for i in between:
        middle = model.cluster_centers_[list(best[i])].mean(axis=0)
        assert np.linalg.norm(x[i] - middle) < d[i].min()
    certain = [i for i, a in enumerate(best) if len(a) == 1]
    assert np.median(ratio[between]) > np.median(ratio[certain])


def test_points_far_away_are_in_none() -> None:
    model = classes()
    x = table("fourclass.csv")[:, :2]
    middles = np.array([model.cluster_centers_[list(a)].mean(axis=0) for a in model.focal_ if a])
    far = np.linalg.norm(x[:, None] - middles, axis=2).min(axis=1)
    assert model.outliers_[far.argmax()]
    assert far[model.outliers_].min() > np.quantile(far, 0.98)
    on_none = model.masses_[:, 0]
    assert on_none[far > np.quantile(far, 0.95)].min() > np.quantile(on_none, 0.9)


def test_the_clustering_is_compared_with_the_classes() -> None:
    model = classes()
    y = table("fourclass.csv")[:, 2].astype(int)
    report = cd.compare(y, model.clustering_)
    assert len(list(report)) > 0
    found = cd.rand_alpha(y, model.clustering_)
    assert 0 < found.low < found.high < 1
    hard = cd.rand(y, model.clustering_.harden())
    assert hard > 0.85
