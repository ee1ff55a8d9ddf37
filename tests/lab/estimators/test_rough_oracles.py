"""Rough k-means equals its definitions, and k-means where it knows no boundary."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from clusterdiff_lab.estimators import RoughKMeans
from lab.estimators.cases import LATE, RULES, Case, Found, case, cases, differing, fitted, found_by
from oracles import estimators as oracle
from oracles.estimators import Roughness, Rule

MEANS: list[oracle.Means] = ["lingras", "peters", "indifference"]
LIMITS: list[tuple[Literal["ratio", "difference"], float]] = [
    ("ratio", 1.1),
    ("ratio", 1.6),
    ("ratio", 2.5),
    ("difference", 0.4),
    ("difference", 2.0),
]


def ours(one: Case, r: Roughness, rule: Rule) -> Found:
    return found_by(rough(one, r, rule))


def rough(one: Case, r: Roughness, rule: Rule) -> Any:
    given = {"threshold": r.threshold, "compare": r.compare, "means": r.means}
    return fitted(RoughKMeans, one, rule, weight_lower=r.lower, **given)


def wanted(one: Case, r: Roughness, rule: Rule) -> Found:
    run = oracle.rough(one.points, one.centres, r, rule)
    upper = (np.array(run.degrees) > 0).astype(float)
    d2 = ((one.x[:, None, :] - np.array(run.centres)) ** 2).sum(axis=2)
    possible = np.where(upper > 0, d2, np.inf)
    return Found(run.centres, upper, run.objectives, possible.argmin(axis=1))


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.parametrize(("compare", "threshold"), LIMITS)
@pytest.mark.parametrize("rule", [*RULES, LATE], ids=str)
def test_runs_equal_the_oracle(
    rule: Rule,
    compare: Literal["ratio", "difference"],
    threshold: float,
    means: oracle.Means,
) -> None:
    r = Roughness(threshold, compare, means)
    assert not differing(partial(ours, r=r, rule=rule), partial(wanted, r=r, rule=rule), cases())


@pytest.mark.parametrize("means", MEANS)
def test_runs_of_repeated_objects_equal_the_oracle(means: oracle.Means) -> None:
    repeated = [one._replace(x=np.vstack([one.x, one.x[::2], one.x[::3]])) for one in cases()]
    r, rule = Roughness(1.6, means=means), Rule(6)
    assert not differing(partial(ours, r=r, rule=rule), partial(wanted, r=r, rule=rule), repeated)


@pytest.mark.parametrize("means", ["lingras", "peters"])
@pytest.mark.parametrize("lower", [0, 0.5, 0.95, 1])
def test_runs_equal_the_oracle_for_all_weights(lower: float, means: oracle.Means) -> None:
    r = Roughness(1.5, "ratio", means, lower)
    rule = Rule(10)
    assert not differing(partial(ours, r=r, rule=rule), partial(wanted, r=r, rule=rule), cases())


@pytest.mark.parametrize(("compare", "threshold"), [("ratio", 1.0), ("difference", 0.0)])
@pytest.mark.parametrize("tol", [0, 1e-4])
def test_without_a_boundary_it_is_k_means(compare: str, threshold: float, tol: float) -> None:
    for one in [*cases(), case(11, 200, 4, 2), case(12, 300, 5, 3)]:
        clusters = len(one.start)
        peer = KMeans(clusters, init=one.start, n_init=1, algorithm="lloyd", tol=tol).fit(one.x)
        model = RoughKMeans(
            clusters, init=one.start, threshold=threshold, compare=compare, tol=tol
        ).fit(one.x)
        assert model.labels_.tolist() == peer.labels_.tolist()
        assert model.cluster_centers_ == pytest.approx(peer.cluster_centers_, abs=1e-9)
        assert model.n_iter_ == peer.n_iter_
        assert model.objective_ == pytest.approx(peer.inertia_, rel=1e-9)
        assert model.lower_.tolist() == model.upper_.tolist()


def test_lower_is_where_upper_is_alone() -> None:
    for one in cases():
        model = rough(one, Roughness(1.5), Rule())
        alone = model.upper_.sum(axis=1) == 1
        assert model.upper_.dtype == model.lower_.dtype == bool
        assert (model.upper_.sum(axis=1) >= 1).all()
        assert model.lower_.tolist() == (model.upper_ & alone[:, None]).tolist()


def test_sets_by_hand() -> None:
    """Centres at 0 and 4; distances are not squared."""
    start = np.array([[0.0], [4.0]])
    model = RoughKMeans(2, init=start, threshold=1.5).fit(start)
    assert model.cluster_centers_.tolist() == [[0], [4]]
    shares = model.transform([[0.0], [1.5], [1.7], [2.3], [2.5]]).tolist()
    assert shares == [[1, 0], [1, 0], [0.5, 0.5], [0.5, 0.5], [0, 1]]
    by_difference = RoughKMeans(2, init=start, threshold=1.0, compare="difference").fit(start)
    shares = by_difference.transform([[1.25], [1.5], [2.5], [2.75]]).tolist()
    assert shares == [[1, 0], [0.5, 0.5], [0.5, 0.5], [0, 1]]


@pytest.mark.parametrize(
    ("means", "left"),
    [
        ("lingras", 0.75 * 0 + 0.25 * 2),
        ("peters", 0.75 * 0 + 0.25 * 1),
        ("indifference", (0 + 2 / 2) / (1 + 1 / 2)),
    ],
)
def test_a_step_by_hand(means: str, left: float) -> None:
    """One object at each centre, one in the middle of both."""
    x = np.array([[0.0], [2.0], [4.0]])
    start = np.array([[0.0], [4.0]])
    model = RoughKMeans(2, init=start, means=means, weight_lower=0.75, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        model.fit(x)
    assert model.cluster_centers_ == pytest.approx(np.array([[left], [4 - left]]), abs=1e-15)


def test_peters_leaves_no_cluster_without_certain_objects() -> None:
    """The second centre would have no object to itself."""
    x = np.array([[0.0], [1.0], [10.0], [11.0]])
    start = np.array([[0.5], [0.75]])
    for means in MEANS:
        model = RoughKMeans(2, init=start, means=means, threshold=1.5, max_iter=1, tol=1e9).fit(x)
        run = oracle.rough(x.tolist(), start.tolist(), Roughness(1.5, means=means), Rule(1, 1e9))
        assert model.cluster_centers_ == pytest.approx(np.array(run.centres), abs=1e-12)
        if means != "lingras":
            assert model.lower_.any(axis=0).all()


@pytest.mark.parametrize("means", ["peters", "indifference"])
def test_representatives_are_of_the_data_and_not_of_new_rows(means: str) -> None:
    one = cases()[1]
    model = fitted(RoughKMeans, one, Rule(), threshold=1e4, means=means)
    assert model.lower_.sum(axis=0).tolist() == [1, 1, 1]
    assert np.array_equal(model.transform(one.x), np.full((25, 3), 1 / 3))
    assert sum(len(names) == 1 for i in range(25) for names in model.clustering_.of(i)) == 3


def test_clusters_that_are_left_alone_stay() -> None:
    x = np.array([[0.0], [1.0], [2.0]])
    model = RoughKMeans(2, init=np.array([[1.0], [100.0]])).fit(x)
    assert model.cluster_centers_.tolist() == [[1], [100]]
    assert model.upper_.tolist() == [[True, False]] * 3


def test_a_cycle_ends_with_its_best_centres() -> None:
    """From the second iteration on three states follow each other, of these objectives."""
    x = np.array([[2.0], [10.0], [12.0], [13.0], [13.0], [16.0]])
    model = RoughKMeans(2, init=np.array([[10.125], [13.125]]), threshold=1.5)
    with pytest.warns(ConvergenceWarning, match="cycle"):
        model.fit(x)
    assert model.objectives_[:3] == pytest.approx([122.2725, 111.545, 96.5], abs=1e-9)
    assert model.objective_ == pytest.approx(96.5, abs=1e-9)
    assert model.cluster_centers_ == pytest.approx(np.array([[28 / 3], [35 / 3]]), abs=1e-9)
    assert model.n_iter_ < 10


@pytest.mark.parametrize("means", MEANS)
def test_labels_are_among_the_clusters_that_are_possible(means: str) -> None:
    """An object that represents a cluster may be nearer to another centre."""
    for seed in range(12):
        x = np.random.default_rng(seed).normal(size=(12, 2)).round(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = RoughKMeans(4, threshold=1.5, means=means, random_state=seed, n_init=1).fit(x)
        assert model.upper_[np.arange(12), model.labels_].all()
