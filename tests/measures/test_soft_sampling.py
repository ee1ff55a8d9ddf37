"""Draws: what is printed with them, what they cost, and the corners of their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from refusals import refuses

TRUTH = [0, 0, 1]
FUZZY = cd.Fuzzy([[0, 1], [0.25, 0.75], [0.5, 0.5]])
ROUGH = cd.Rough([{0}, {0, 1}, {1}])


@pytest.mark.parametrize("alpha", [None, 0, 0.5, 1])
@pytest.mark.parametrize("samples", [1, 5, 50])
def test_limits_stay_on_the_scale_and_hold_the_estimate(alpha: float | None, samples: int) -> None:
    masses = cd.Evidential([{"a": 1}, {"a": 0.5, "a|b": 0.5}, {"b": 0.5, "a": 0.5}])
    for guess in (FUZZY, masses):
        found = cd.transport(TRUTH, guess, alpha=alpha, method="sample", samples=samples)
        assert isinstance(found, cd.ScoreRange)
        assert 0 <= found.low <= found.high <= 1
        assert found.estimate is not None
        assert found.low <= found.estimate[0] <= found.estimate[1] <= found.high
        assert not found.certain
        assert f"{samples} sample" in found.how
    assert cd.transport(TRUTH, ROUGH, alpha=alpha, method="sample", samples=samples) == (
        cd.transport(TRUTH, ROUGH, alpha=alpha)
    )


@pytest.mark.parametrize("confidence", [0, 1])
def test_nothing_is_certain_by_drawing(confidence: float) -> None:
    with pytest.raises(cd.ClusterdiffError, match="above 0 and below 1"):
        cd.transport(TRUTH, FUZZY, method="sample", confidence=confidence)


def test_the_seed_decides() -> None:
    def drawn(seed: int) -> object:
        return cd.transport(TRUTH, FUZZY, method="sample", samples=20, seed=seed).estimate

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(5)}) > 1


def test_more_draws_narrow_the_limits() -> None:
    widths = [
        cd.transport(TRUTH, FUZZY, method="sample", samples=samples).width
        for samples in (50, 500, 5000)
    ]
    assert widths[0] > widths[1] > widths[2]


def test_a_distance_without_a_largest_value_has_no_limits() -> None:
    found = cd.transport("vi_distance", method="sample", samples=10)(TRUTH, FUZZY)
    assert "no limits hold" in found.how
    assert (found.low, found.high) == found.estimate
    assert found.distance


def test_rough_clusterings_that_are_too_many_are_drawn_from_in_turn() -> None:
    guess = cd.Rough([{0, 1, 2}] * 6)
    drawn: dict[str, Any] = {"method": "sample", "samples": 3, "budget": 3}
    found = cd.transport("elm_f", **drawn)([0, 0, 1, 1, 2, 2], guess)
    assert "rough ones drawn from in turn" in found.how
    bounded = cd.transport("rand", **drawn)([0, 0, 1, 1, 2, 2], guess)
    assert bounded.how == "outer bounds: one rough clustering, nothing is drawn"
    exact = cd.transport("rand")([0, 0, 1, 1, 2, 2], guess)
    assert bounded.low <= exact.low <= exact.high <= bounded.high


def test_each_draw_is_solved_within_its_share_of_the_budget() -> None:
    truth, guess = "aabbcc", cd.Evidential([[0.4, 0.6]] * 6, focal=[[0, 1], [0, 1, 2]])
    exact = cd.transport("rand", method="exact")(list(truth), guess)
    solved, bounded = (
        cd.transport("rand", method="sample", budget=budget)(list(truth), guess)
        for budget in (10**9, 1000)
    )
    assert solved.high - solved.low < bounded.high - bounded.low
    assert solved.estimate == pytest.approx((exact.low, exact.high), abs=0.02)
    assert solved.low <= exact.low <= exact.high <= solved.high


def test_between_two_uncertain_clusterings() -> None:
    found = cd.transport(FUZZY, ROUGH, method="sample", samples=20)
    assert "the ends are bounds" in found.how
    assert found.certain
    fuzzy = cd.transport(FUZZY, FUZZY, method="sample", samples=20)
    assert "too large on average" in fuzzy.how
    assert fuzzy.high == 1
    assert fuzzy.estimate is not None
    assert fuzzy.estimate[0] < 1
    other = cd.transport("elm_f", method="sample", samples=10)(FUZZY, FUZZY)
    assert other.high <= 1
    for measure in ("vi_distance", "adjusted_rand"):
        refuses("on a scale from 0 to 1", cd.transport(measure, method="sample"), FUZZY, FUZZY)


def test_objects_in_no_known_cluster() -> None:
    lost = cd.Fuzzy([[0.5, 0.25], [1, 0], [0, 1]], rest="empty")
    for way in ("normalise", "max_distance"):
        exact = cd.transport(TRUTH, lost, empty_set=way)
        drawn = cd.transport(TRUTH, lost, method="sample", samples=200, empty_set=way)
        assert drawn.low <= exact.low <= drawn.high
    gone = cd.Rough([set(), {1}, {1}])
    assert cd.transport(TRUTH, gone, alpha=1) == pytest.approx(cd.rand(TRUTH, ["none", 1, 1]))
    assert cd.transport(TRUTH, gone, empty_set="max_distance") == 0
    assert cd.transport("partition_distance", empty_set="max_distance")(TRUTH, gone) == 1
    for measure in ("vi_distance", "mirkin_distance"):
        for truth in (TRUTH, FUZZY):
            with pytest.raises(cd.ClusterdiffError, match="not on a scale of 1"):
                cd.transport(measure, empty_set="max_distance")(truth, lost)


@pytest.mark.parametrize("n", [10, 100, 500])
def test_a_little_mass_on_the_empty_set_does_not_decide_the_score(n: int) -> None:
    truth = [0, 1] * (n // 2)
    masses = np.column_stack([np.eye(2)[truth] * 0.99, np.full(n, 0.01)])
    guess = cd.Evidential(masses, focal=[[0], [1], []])
    assert cd.transport(truth, guess) == 1
    assert cd.transport(truth, guess, empty_set="max_distance").high == pytest.approx(0.99**n)
    noise = cd.Rough([{label} for label in truth[:-1]] + [set()])
    score = cd.transport(truth, noise)
    assert score == cd.rand(truth, [*truth[:-1], "alone"])
    assert score.how.endswith("1 object in no cluster counted as a singleton")


def test_many_objects_in_no_cluster_need_no_table_of_singletons() -> None:
    rng = np.random.default_rng(0)
    truth, n = np.arange(30_000) % 4, 30_000
    chances = rng.dirichlet([0.3] * 4, n)
    chances[rng.random(n) < 0.4] = 0
    guess = cd.Fuzzy(chances, rest="empty")
    low = cd.transport("rand")(truth, guess).low
    alone = np.flatnonzero(chances.sum(axis=1) == 0)
    drawn = np.array([rng.choice(4, p=row) if row.sum() else 0 for row in chances])
    drawn[alone] = np.arange(4, 4 + alone.size)
    assert low == pytest.approx(cd.rand(truth, drawn), abs=0.005)
    bounds = cd.transport("partition_distance")(truth, guess)
    assert bounds.low <= cd.partition_distance(truth, drawn) + 0.01 <= bounds.high + 0.02


def test_what_costs_too_much_says_how_much_and_what_to_do() -> None:
    wide = cd.Fuzzy([[0.5, 0.5]] * 40)
    with pytest.raises(cd.ClusterdiffError, match=r"times the budget(.|\n)*use method='sample'"):
        cd.transport("elm_f", budget=1000)([0, 1] * 20, wide)
    with pytest.raises(cd.ClusterdiffError, match=r"rough clusterings(.|\n)*method='bounds'"):
        cd.transport("rand", method="exact")(wide, cd.Fuzzy([[0.25, 0.75]] * 40))
    assert cd.transport("rand")(wide, cd.Fuzzy([[0.25, 0.75]] * 40)).how.startswith("outer bounds")
    rough = cd.Rough([{0, 1, 2}] * 30)
    assert "d₀ exact" in cd.transport("partition_distance")(rough, rough).how
    assert cd.transport("partition_distance", alpha=0)(rough, rough) == 0
    with pytest.raises(cd.ClusterdiffError, match="budget"):
        cd.transport("partition_distance", method="exact", budget=10)(TRUTH * 10, rough)
    refuses("all pairs of clusterings", cd.soft_mutual_information, rough, rough)
    refuses("guess is fuzzy", cd.soft_mutual_information, TRUTH, FUZZY)
    refuses("in no cluster", cd.soft_mutual_information, TRUTH, cd.Rough([set(), {1}, {1}]))


def test_many_clusters_stay_sparse() -> None:
    """Rough links between thousands of clusters: no table of clusters by clusters."""
    many = 6000
    labels = [i // 2 for i in range(2 * many)]
    sets = [{c, c + 1} if i % 50 == 0 else {c} for i, c in enumerate(labels)]
    guess = cd.Rough(sets)
    found = cd.rand_alpha(labels, guess)
    assert found.high == 1
    unknown = (1 - found.low) * (2 * many) * (2 * many - 1) / 2
    pairs = sum(3 if i // 2 + 1 < many else 1 for i in range(0, 2 * many, 50))
    assert unknown == pytest.approx(pairs, rel=1e-6)
    assert cd.transport("rand")(labels, guess).how.startswith("exact")
    moved = cd.transport("partition_distance")(labels, guess)
    assert moved.low == 0
    assert cd.partition_distance_alpha(labels, guess).high >= moved.high


def test_bounds_do_not_exceed_the_largest_distance() -> None:
    truth, guess = list("aabbcc"), cd.Possibilistic([[1, 0.9, 0.8]] * 6)
    found = cd.transport("partition_distance", method="bounds")(truth, guess)
    assert cd.partition_distance_alpha(truth, guess).high > 1
    assert found.high == 1
    assert found.low <= cd.transport("partition_distance", method="exact")(truth, guess).low
