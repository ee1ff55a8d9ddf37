"""Fuzzy c-means equals its definition, scikit-fuzzy, and numbers worked by hand."""

from __future__ import annotations

import importlib
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

from clusterdiff_lab.estimators import FuzzyCMeans
from lab.estimators.cases import (
    LATE,
    RULES,
    Case,
    Found,
    cases,
    differing,
    fit,
    fitted,
    found_by,
    highest,
)
from oracles import estimators as oracle
from oracles.estimators import Rule


def ours(one: Case, m: float, rule: Rule) -> Found:
    return found_by(fitted(FuzzyCMeans, one, rule, m=m))


def wanted(one: Case, m: float, rule: Rule) -> Found:
    run = oracle.fuzzy(one.points, one.centres, m, rule)
    return Found(run.centres, run.degrees, run.objectives, highest(run.degrees))


@pytest.mark.parametrize("m", [1.3, 2, 2.5, 4])
@pytest.mark.parametrize("rule", [*RULES, LATE], ids=str)
def test_runs_equal_the_oracle(rule: Rule, m: float) -> None:
    assert not differing(partial(ours, m=m, rule=rule), partial(wanted, m=m, rule=rule), cases())


@pytest.mark.parametrize("m", [1.5, 2])
def test_starts_on_objects_equal_the_oracle(m: float) -> None:
    """The first two starts are the same object."""
    on_rows = [Case(one.x, one.x[[0, 0, 3]]) for one in cases()]
    rule = Rule(4)
    assert not differing(partial(ours, m=m, rule=rule), partial(wanted, m=m, rule=rule), on_rows)


def test_iterations_are_counted_and_the_last_objective_is_the_objective() -> None:
    for one in cases():
        model = fitted(FuzzyCMeans, one, Rule())
        run = oracle.fuzzy(one.points, one.centres, 2, Rule())
        assert model.n_iter_ == run.iterations == len(model.objectives_)
        assert model.objective_ == model.objectives_[-1]


@pytest.mark.parametrize(
    ("m", "wanted"), [(2, [[0.9, 0.1]]), (3, [[0.75, 0.25]]), (1.5, [[81 / 82, 1 / 82]])]
)
def test_memberships_by_hand(m: float, wanted: list[list[float]]) -> None:
    """Centres at 0 and 4: the squared distances of 1 are 1 and 9."""
    model = FuzzyCMeans(2, init=np.array([[0.0], [4.0]]), m=m).fit([[0.0], [4.0]])
    assert model.cluster_centers_.tolist() == [[0], [4]]
    assert model.objective_ == 0
    assert model.transform([[1.0]]) == pytest.approx(np.array(wanted), abs=1e-15)
    assert model.transform([[0.0], [4.0], [2.0]]).tolist() == [[1, 0], [0, 1], [0.5, 0.5]]


def peer() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("skfuzzy")


@pytest.mark.parametrize("m", [1.5, 2, 3])
@pytest.mark.parametrize("iterations", [1, 2, 5, 40])
def test_equals_scikit_fuzzy(iterations: int, m: float) -> None:
    """Which starts from memberships: its first centres are our start."""
    for one in cases():
        clusters = len(one.start)
        drawn = np.random.default_rng(7).random((clusters, len(one.x)))
        u0 = drawn / drawn.sum(axis=0)
        start = np.array(oracle.fuzzy_centres(one.points, u0.T.tolist(), m))
        centres, u, *_ = peer().cmeans(one.x.T, clusters, m, 0.0, iterations + 1, init=u0)
        model = FuzzyCMeans(clusters, init=start, m=m, tol=0, max_iter=iterations)
        fit(model, one.x)
        assert model.cluster_centers_ == pytest.approx(centres, abs=1e-6)
        assert model.memberships_ == pytest.approx(u.T, abs=1e-6)
