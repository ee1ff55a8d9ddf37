"""Algorithms that are wrong on purpose are caught by the comparison with the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from lab.estimators.cases import Case, Found, cases, differing, highest
from oracles import estimators as oracle
from oracles.estimators import Degrees, Evidence, Points, Roughness, Rule, Run

Change = Callable[[pytest.MonkeyPatch], None]
RULE = Rule(5, 1e-12)
SEVERAL = [one for one in cases() if len(one.start) > 1]


def fuzzy(one: Case) -> Run:
    return oracle.fuzzy(one.points, one.centres, 2.5, RULE)


def possibilistic(one: Case) -> Run:
    return oracle.possibilistic(one.points, one.centres, 2.5, RULE, cut=0.5).run


def evidential(one: Case) -> Run:
    clusters = len(one.start)
    focal = oracle.focal_sets(clusters, range(1, clusters + 1), noise=True)
    return oracle.evidential(one.points, one.centres, Evidence(focal, 1, 1.5, 4), RULE)


def rough(one: Case, means: oracle.Means = "lingras") -> Run:
    return oracle.rough(one.points, one.centres, Roughness(2.5, "ratio", means), RULE)


def found(one: Case, algorithm: Callable[[Case], Run]) -> Found:
    run = algorithm(one)
    return Found(run.centres, run.degrees, run.objectives, highest(run.degrees))


# Fuzzy c-means


def unsquared_distances(patch: pytest.MonkeyPatch) -> None:
    """d^(-1/(m-1)) in place of d^(-2/(m-1))."""
    right = oracle.memberships
    patch.setattr(oracle, "memberships", lambda x, v, m: right(x, v, 2 * m - 1))


def centres_without_m(patch: pytest.MonkeyPatch) -> None:
    right = oracle.fuzzy_centres
    patch.setattr(oracle, "fuzzy_centres", lambda x, u, m: right(x, u, 1))


def objective_without_m(patch: pytest.MonkeyPatch) -> None:
    right = oracle.fuzzy_objective
    patch.setattr(oracle, "fuzzy_objective", lambda x, u, v, m: right(x, u, v, 1))


def memberships_of_the_centres_before(patch: pytest.MonkeyPatch) -> None:
    right = oracle.fuzzy

    def late(points: Points, start: Points, m: float, rule: Rule) -> Run:
        before = right(points, start, m, Rule(rule.max_iter - 1, rule.tol))
        return right(points, start, m, rule)._replace(degrees=before.degrees)

    patch.setattr(oracle, "fuzzy", late)


# Possibilistic c-means


def typicalities_by_plain_distances(patch: pytest.MonkeyPatch) -> None:
    right = oracle.squared
    wrong = oracle.typicalities

    def far(points: Points, centres: Points, eta: list[float], m: float) -> Degrees:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(oracle, "squared", lambda x, v: math.sqrt(right(x, v)))
            return wrong(points, centres, eta, m)

    patch.setattr(oracle, "typicalities", far)


def no_second_pass(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(oracle, "widths_of_the_cut", lambda x, t, v, eta, cut: eta)


def no_penalty(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        oracle,
        "possibilistic_objective",
        lambda x, t, v, eta, m: oracle.fuzzy_objective(x, t, v, m),
    )


# Evidential c-means


def sizes_forgotten(patch: pytest.MonkeyPatch) -> None:
    """c_A^α is 1 in the masses, not in the centres."""
    right = oracle.masses
    patch.setattr(oracle, "masses", lambda x, v, e: right(x, v, e._replace(alpha=0)))


def sizes_forgotten_for_centres(patch: pytest.MonkeyPatch) -> None:
    right = oracle.evidential_centres
    patch.setattr(
        oracle, "evidential_centres", lambda x, m, k, e: right(x, m, k, e._replace(alpha=0))
    )


def delta_not_squared(patch: pytest.MonkeyPatch) -> None:
    right = oracle.masses
    patch.setattr(
        oracle, "masses", lambda x, v, e: right(x, v, e._replace(delta=math.sqrt(e.delta)))
    )


def centres_of_single_clusters_only(patch: pytest.MonkeyPatch) -> None:
    """Each centre from its own masses, as in fuzzy c-means, and not from a system of equations."""

    def plain(points: Points, degrees: Degrees, clusters: int, e: Evidence) -> Points:
        own = [e.focal.index((j,)) for j in range(clusters)]
        return oracle.fuzzy_centres(points, [[row[a] for a in own] for row in degrees], e.beta)

    patch.setattr(oracle, "evidential_centres", plain)


# Rough k-means


def squared_ratio(patch: pytest.MonkeyPatch) -> None:
    right = oracle.near
    patch.setattr(
        oracle, "near", lambda x, v, r: right(x, v, r._replace(threshold=math.sqrt(r.threshold)))
    )


def upper_in_place_of_boundary(patch: pytest.MonkeyPatch) -> None:
    right = oracle.rough_centres
    patch.setattr(
        oracle, "rough_centres", lambda x, s, v, r: right(x, s, v, r._replace(means="peters"))
    )


def boundary_in_place_of_upper(patch: pytest.MonkeyPatch) -> None:
    right = oracle.rough_centres
    patch.setattr(
        oracle, "rough_centres", lambda x, s, v, r: right(x, s, v, r._replace(means="lingras"))
    )


def each_counts_in_full(patch: pytest.MonkeyPatch) -> None:
    """The mean of the upper approximation, whatever else its objects may be in."""

    def plain(points: Points, degrees: Degrees, before: Points, r: Roughness) -> Points:
        upper = (np.array(degrees) > 0).astype(float)
        return [oracle.weighted_mean(points, upper[:, j].tolist()) for j in range(len(before))]

    patch.setattr(oracle, "rough_centres", plain)


WRONG: list[tuple[Callable[[Case], Run], Change]] = [
    (fuzzy, unsquared_distances),
    (fuzzy, centres_without_m),
    (fuzzy, objective_without_m),
    (fuzzy, memberships_of_the_centres_before),
    (possibilistic, typicalities_by_plain_distances),
    (possibilistic, no_second_pass),
    (possibilistic, no_penalty),
    (evidential, sizes_forgotten),
    (evidential, sizes_forgotten_for_centres),
    (evidential, delta_not_squared),
    (evidential, centres_of_single_clusters_only),
    (rough, squared_ratio),
    (rough, upper_in_place_of_boundary),
    (partial(rough, means="peters"), boundary_in_place_of_upper),
    (partial(rough, means="indifference"), each_counts_in_full),
]


@pytest.mark.parametrize(("algorithm", "change"), WRONG, ids=[c.__name__ for _, c in WRONG])
def test_is_caught(
    algorithm: Callable[[Case], Run], change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {id(one): found(one, algorithm) for one in SEVERAL}
    assert not differing(partial(found, algorithm=algorithm), lambda c: right[id(c)], SEVERAL)
    change(monkeypatch)
    caught = differing(partial(found, algorithm=algorithm), lambda c: right[id(c)], SEVERAL)
    assert len(caught) >= 3


def test_starts_that_are_swapped_are_caught() -> None:
    swapped = [one._replace(start=one.start[::-1]) for one in SEVERAL]
    wanted = {id(s): found(one, fuzzy) for s, one in zip(swapped, SEVERAL, strict=True)}
    caught = differing(partial(found, algorithm=fuzzy), lambda c: wanted[id(c)], swapped)
    assert len(caught) == len(SEVERAL)
