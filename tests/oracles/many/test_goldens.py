"""The oracles give the numbers that were worked out by hand, and agree with SciPy."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction as Q
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

from .. import ORACLES
from ..common import Clustering, clusters
from . import goldens
from .agreement import consistency, matrix, medoid, profiles, stability
from .median import (
    DISTANCES,
    cost,
    majority_bound,
    mean_bound,
    medians,
    star_bound,
    support,
    triangle_bound,
)
from .median import medoid as medoid_cost
from .programs import least
from .releases import (
    best_renamings,
    decided,
    events,
    jaccard,
    kept,
    redirect,
    renamings,
    similarity,
)
from .releases import stability as stability_over_releases
from .thresholds import best, lines, linked, pairs_of_linkage, values


def close(found: object, wanted: object) -> bool:
    """Equal in fractions; to six places where the golden number is a logarithm."""
    return found == (pytest.approx(wanted, abs=5e-7) if isinstance(wanted, float) else wanted)


@pytest.mark.parametrize("name", goldens.SWEEPS)
def test_lines(name: str) -> None:
    case, rng = goldens.SWEEPS[name], Random(0)
    for _ in range(3):
        made = lines(case.truth, rng.sample(case.pairs, len(case.pairs)), align=case.align)
        assert [line.score for line in made] == case.scores
        for key, wanted in case.lines.items():
            if key in ("clusters", "largest"):
                found = [getattr(line, key) for line in made]
            else:
                found = values(made, ORACLES[key])
            assert all(map(close, found, wanted)), (key, found)


def test_best_and_flat() -> None:
    case = goldens.SWEEPS["two scores tie"]
    made = lines(case.truth, case.pairs)
    for measure, value, slack in (("pair_f", Q(2, 3), 0.1), ("elm_f", Q(13, 18), 0.15)):
        found = best(made, values(made, ORACLES[measure]), slack)
        assert found == (value, 1, 0.7, 0.9, (0.4, 0.9))


def test_the_strictest_of_equal_lines_is_best() -> None:
    made = lines(goldens.SIX, goldens.TIES)
    found = best(made, [1, 0, 1, 1], 0)
    assert found == (1, 0, 0.9, math.inf, (0.9, math.inf))
    assert best(made, [0, 0, 0, 0], 0).flat == (-math.inf, math.inf)
    assert best(made, [3, 1, 2, 1], 0, smallest=True)[:2] == (1, 1)


def test_dendrogram_with_an_inversion() -> None:
    case = goldens.TREE
    made = lines(case.truth, pairs_of_linkage(goldens.LINKAGE), distance=True)
    assert [line.score for line in made] == case.scores
    assert [line.clusters for line in made] == case.lines["clusters"]
    for key in ("elm_f", "adjusted_rand"):
        assert values(made, ORACLES[key]) == case.lines[key]
    assert best(made, values(made, ORACLES["elm_f"]), distance=True)[2:4] == (2.0, 4.0)


@pytest.mark.parametrize("method", ["single", "average", "centroid", "median"])
def test_dendrograms_are_cut_as_scipy_cuts_them(method: Any) -> None:
    from scipy.cluster.hierarchy import fcluster, linkage

    rng = np.random.default_rng(1)
    for _ in range(10):
        tree = linkage(rng.integers(0, 5, (8, 2)).astype(float), method)
        pairs = pairs_of_linkage(tree.tolist())
        for height in {*tree[:, 2].tolist(), -1.0, 100.0}:
            found = linked(range(8), pairs, height, distance=True)
            cut = fcluster(tree, height, "distance").tolist()
            assert clusters(found) == clusters(dict(enumerate(cut)))


def of_labels(labels: frozenset[Hashable]) -> str:
    return "".join(sorted(map(str, labels)))


def test_events() -> None:
    found = events(goldens.OLD, goldens.NEW)
    assert {(e.kind, of_labels(e.old), of_labels(e.new)) for e in found} == goldens.EVENTS
    assert sum(e.stayed for e in found) == 9
    assert [(e.gone, e.arrived) for e in sorted(found)] == [(0, 1), (1, 0), (0, 1), (0, 0), (0, 0)]


def test_stray_rows_tie_nothing_together() -> None:
    (whole,) = events(*goldens.STRAY)
    assert whole.kind == "mixed"
    found = events(*goldens.STRAY, stray=Q(1, 5))
    assert {of_labels(e.old | e.new): (e.kind, e.moved) for e in found} == {
        "ap": ("shrunk", 1),
        "bq": ("grown", 0),
    }
    assert {e.kind for e in events(*goldens.STRAY, stray=0.19)} == {"mixed"}


def test_clusters_without_a_row_of_their_own() -> None:
    old: Clustering = {x: x // 2 for x in range(8)}
    new: Clustering = {x: x % 2 for x in range(8)}
    kinds = [e.kind for e in events(old, new, stray=0.5)]
    assert sorted(kinds) == ["assembled"] * 2 + ["dissolved"] * 4


def random_clustering(rng: Random, objects: range, k: int, share: float = 1) -> Clustering:
    return {x: f"c{rng.randrange(k)}" for x in objects if rng.random() < share}


def test_events_add_up() -> None:
    rng = Random(2)
    for _ in range(60):
        old, new = (random_clustering(rng, range(14), 6, 0.8) for _ in range(2))
        for stray in (0, 0.3, 0.6):
            found = events(old, new, stray)
            shared = len(old.keys() & new.keys())
            assert sum(e.stayed + e.moved for e in found) == shared
            assert sum(e.gone for e in found) == len(old) - shared
            assert sum(e.arrived for e in found) == len(new) - shared
            assert sorted(x for e in found for x in e.old) == sorted(set(old.values()))  # type: ignore[type-var]
            assert sorted(x for e in found for x in e.new) == sorted(set(new.values()))  # type: ignore[type-var]


def test_renaming() -> None:
    assert decided(goldens.OLD, goldens.NEW) == {"p": "a", "q": None, "r": "b", "s": "e", "t": None}
    some = best_renamings(goldens.OLD, goldens.NEW)
    assert {"p": "a", "r": "b", "s": "e"} in some
    assert {kept(goldens.OLD, goldens.NEW, one) for one in some} == {6}
    renamed = {x: {"p": "a", "r": "b", "s": "e"}.get(str(c), c) for x, c in goldens.NEW.items()}
    assert redirect(goldens.OLD, goldens.NEW, renamed, "c") == {"b"}
    assert redirect(goldens.OLD, goldens.NEW, renamed, "d") == set()


def test_greedy_renaming_keeps_fewer() -> None:
    assert best_renamings(*goldens.GREEDY) == [{"p": "b", "q": "a"}]
    assert kept(*goldens.GREEDY, {"p": "b", "q": "a"}) == 4
    greedy = [one for one in renamings(*goldens.GREEDY) if one.get("p") == "a"]
    assert max(kept(*goldens.GREEDY, one) for one in greedy) == 3


def test_ties_of_renamings() -> None:
    assert decided(*goldens.HALVES) == {"p": "a", "q": None}
    assert decided(*goldens.HALVES_AND_ANOTHER) == {"p": None, "q": "a"}
    assert jaccard(*goldens.HALVES_AND_ANOTHER, "a", "p") == Q(2, 5)
    first, second, third = goldens.SERIES
    assert decided(first, second) == {"1": "10"}
    assert decided(dict.fromkeys(second, "10"), third) == {"1": "10", "2": None}


def test_most_kept_is_the_accuracy_of_shared_objects() -> None:
    rng = Random(3)
    for _ in range(40):
        old, new = (random_clustering(rng, range(9), 4, 0.9) for _ in range(2))
        both = [x for x in old if x in new]
        best_one = best_renamings(old, new)[0]
        share = ORACLES["accuracy"]({x: old[x] for x in both}, {x: new[x] for x in both})
        assert kept(old, new, best_one) == share * len(both)


def test_stability_over_releases() -> None:
    assert similarity(goldens.OLD, goldens.NEW, 1) == Q(2, 3)
    assert similarity(goldens.OLD, goldens.NEW, 9) == 1
    assert stability_over_releases([goldens.OLD, goldens.NEW], 8) is None
    first, second, third = goldens.SERIES
    assert stability_over_releases([first, second, third], 1) == Q(1, 2)
    assert stability_over_releases([first, third], 1) == 1


def test_matrix() -> None:
    runs = list(goldens.RUNS.values())
    assert len(profiles(runs)) == 4
    for measure, wanted in goldens.PAIRWISE.items():
        found = matrix(runs, ORACLES[measure])
        pairs = combinations(range(3), 2)
        assert all(close(found[i][j], w) for (i, j), w in zip(pairs, wanted, strict=True))
        assert medoid(found, smallest=measure == "vi_distance") == 0
    values_of_ari = matrix(runs, ORACLES["adjusted_rand"])
    assert stability(values_of_ari) == sum(goldens.PAIRWISE["adjusted_rand"]) / 3


def test_consistency() -> None:
    runs = list(goldens.RUNS.values())
    found = [consistency(runs, x) for x in range(1, 7)]
    assert found == goldens.CONSISTENCY
    assert sum(goldens.CONSISTENCY) / 6 == Q(17, 27)


def test_consistency_is_the_mean_element_similarity() -> None:
    rng = Random(4)
    for _ in range(10):
        runs = [random_clustering(rng, range(7), 3) for _ in range(3)]
        mean = sum(consistency(runs, x) or 0 for x in range(7)) / 7
        pairs = [ORACLES["element_similarity"](a, b) for a, b in combinations(runs, 2)]
        assert mean == sum(pairs) / 3


def test_consensus_of_three() -> None:
    runs = goldens.THREE
    least_cost, found = medians(runs)
    assert least_cost == 8
    assert {frozenset(clusters(c)) for c in found} == {frozenset(clusters(c)) for c in runs}
    assert [star_bound(runs), majority_bound(runs), triangle_bound(runs)] == [6, 6, 8]
    vi = DISTANCES["vi_distance"]
    least_cost, found = medians(runs, vi)
    assert close(least_cost, 1.273028)
    assert [clusters(c) for c in found] == [{frozenset({1, 2, 3})}]
    assert close(float(star_bound(runs, vi)), 1.098612)


def test_consensus_of_a_bound_that_is_not_whole() -> None:
    runs = goldens.FOUR
    least_cost, found = medians(runs)
    assert (least_cost, len(found)) == (16, 6)
    assert [majority_bound(runs), triangle_bound(runs)] == [12, 15]
    vi = DISTANCES["vi_distance"]
    least_cost, found = medians(runs, vi)
    assert close(least_cost, 1.687005)
    assert [len(clusters(c)) for c in found] == [1]
    assert close(medoid_cost(runs, vi), 1.909543)
    assert close(float(star_bound(runs, vi)), 1.432157)


@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_are_in_order(weighted: bool) -> None:
    rng = Random(5)
    for _ in range(25):
        n, size = rng.randint(2, 5), rng.randint(2, 5)
        runs = [random_clustering(rng, range(size), 3) for _ in range(n)]
        by = [Q(rng.randint(1, 4)) for _ in range(n)] if weighted else None
        least_cost, found = medians(runs, weights=by)
        some = [star_bound(runs, weights=by), majority_bound(runs, by), triangle_bound(runs, by)]
        if not weighted:
            some = [mean_bound(runs), *some]
            assert medoid_cost(runs) <= 2 * (1 - Q(1, n)) * least_cost
        some += [least_cost, medoid_cost(runs, weights=by)]
        assert some == sorted(some)
        assert all(cost(c, runs, weights=by) == least_cost for c in found)


def test_objects_of_one_profile_are_together_in_every_median() -> None:
    rng = Random(6)
    for distance in DISTANCES.values():
        for _ in range(8):
            runs = [random_clustering(rng, range(5), 2) for _ in range(3)]
            for c in medians(runs, distance)[1]:
                assert all(len({c[x] for x in group}) == 1 for group in profiles(runs))


def test_support() -> None:
    runs = goldens.THREE
    whole: Clustering = dict.fromkeys((1, 2, 3), "all")
    assert [support(whole, runs, x) for x in (1, 2, 3)] == [Q(2, 3), Q(7, 9), Q(2, 3)]
    assert support(whole, runs, 1, weights=[2, 1, 1]) == Q(3, 4)


def test_programs_agree_with_scipy() -> None:
    from scipy.optimize import linprog

    rng = Random(7)
    for _ in range(60):
        n, m = rng.randint(1, 5), rng.randint(1, 8)
        prices = [rng.randint(0, 5) for _ in range(n)]
        rows = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(m)]
        bounds = [rng.randint(-4, 4) for _ in range(m)]
        theirs = linprog(prices, -np.array(rows), -np.array(bounds))
        if theirs.status == 2:
            with pytest.raises(ValueError, match="no x"):
                least(prices, rows, bounds)
        else:
            assert float(least(prices, rows, bounds)) == pytest.approx(theirs.fun, abs=1e-9)
    with pytest.raises(ValueError, match="below 0"):
        least([-1], [[1]], [0])
