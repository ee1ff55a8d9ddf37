"""The experiments of the paper on soft clusterings: scores, inequalities, circles, tables."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.soft import Soft
from clusterdiff_lab.papers.experiments import experiment_named
from clusterdiff_lab.papers.soft import algorithms, iris, simulated
from clusterdiff_lab.papers.soft.algorithms import (
    HARDER,
    PRINTED,
    RAND,
    Ledger,
    Scored,
    fitted,
    hold,
    triangles,
)
from clusterdiff_lab.papers.soft.iris import ALGORITHMS, IMPOSSIBLE, TABLE_2
from clusterdiff_lab.papers.soft.simulated import circles
from refusals import refuses

TRUTH = cd.Partition(list("aabbc"))
ROUGH = cd.Rough([{1}, {1, 2}, {2}, {2, 3}, {3}])
FUZZY = cd.Fuzzy([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0.25, 0.75], [0, 0, 1]])
EVIDENTIAL = cd.Evidential(
    [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]],
    focal=[[1], [1, 2], [2]],
)
HARD = cd.Partition([1, 1, 2, 3, 3])
GUESSES = {"rough": ROUGH, "fuzzy": FUZZY, "evidential": EVIDENTIAL, "hard": HARD}


@cache
def remembered(name: str) -> dict[str, Scored]:
    truth, guess, found = TRUTH, GUESSES[name], {}
    for base, measure in (("RI", algorithms.RAND), ("PD", algorithms.MOVES)):
        found[f"T-{base}"] = algorithms.by_transport(measure, truth, guess)
        found[f"S-{base}"] = algorithms.by_draws(measure, truth, guess, 0)
        found[f"A-{base}"] = algorithms.by_closed_form(base, truth, guess)
    return found


def scored(name: str) -> dict[str, Scored]:
    return dict(remembered(name))


# --- What is proved is held against the scores. --------------------------------------------------


@cache
def halves(name: str) -> dict[str, float]:
    return {base: algorithms.at_half(base, TRUTH, GUESSES[name]) for base in ("RI", "PD")}


def held(name: str, found: dict[str, Scored]) -> Ledger:
    ledger = Ledger()
    hold(ledger, TRUTH, GUESSES[name], found, halves(name), "here")
    return ledger


@pytest.mark.parametrize("name", GUESSES)
def test_right_scores_break_nothing(name: str) -> None:
    rules = {one["proved"] for one in held(name, scored(name)).exhibit("x").records}
    assert "Rand₁ ≤ 1 - d₁(C, M) ≤ 1 - d₀(C, M) ≤ Rand₀" in rules
    assert "d₁(C, M) ≤ min_τ Σ(1 - m)/(n - 1) ≤ δ₁" in rules
    assert "S is T, within the limit of draws" in rules
    assert "Rand_½ = Rand_B" in rules or name == "hard"
    assert ("1 - d(C, F) = Rand_α(C, F)" in rules) == (name in ("fuzzy", "hard"))
    assert ("δ₀ ≤ d₀(C, R) ≤ δ₁" in rules) == (name == "rough")


@pytest.mark.parametrize("metric", ["T-RI", "T-PD", "S-RI", "S-PD", "A-RI", "A-PD"])
@pytest.mark.parametrize("name", GUESSES)
@pytest.mark.parametrize(("low", "high"), [(-0.3, 0), (0.3, 0.3), (0, -0.3), (0, 0.3), (-0.3, 0.2)])
def test_a_wrong_score_stops_it(name: str, metric: str, low: float, high: float) -> None:
    found = scored(name)
    one = found[metric]
    moved = (one.outer[0] + low, one.outer[1] + high)
    found[metric] = one._replace(low=one.low + low, high=one.high + high, outer=moved)
    if name == "hard" and (low, high) == (0, -0.3):
        assert found[metric].low > found[metric].high
    refuses("is proved and does not hold for here", held, name, found)


@pytest.mark.parametrize("name", GUESSES)
@pytest.mark.parametrize("base", ["RI", "PD"])
def test_so_does_a_wrong_middle(name: str, base: str) -> None:
    wrong = halves(name) | {base: halves(name)[base] + 0.01}
    refuses("_½|linear", hold, Ledger(), TRUTH, GUESSES[name], scored(name), wrong, "here")


@pytest.mark.parametrize("name", ["rough", "fuzzy", "hard"])
@pytest.mark.parametrize("base", ["RI", "PD"])
def test_hard_draws_are_held_too(name: str, base: str) -> None:
    measure = {"RI": algorithms.RAND, "PD": algorithms.MOVES}[base]
    right = algorithms.by_hard_draws(measure, TRUTH, GUESSES[name], 0, 200)
    found = {metric: one for metric, one in scored(name).items() if not metric.startswith("S")}
    held(name, found | {f"S-{base}": right})
    for by in (-0.6, 0.6, 5.0):
        wrong = right._replace(low=right.low + by, high=right.high + by)
        refuses("does not hold", held, name, found | {f"S-{base}": wrong})


def test_nan_breaks_every_inequality() -> None:
    refuses("does not hold", Ledger().at_most, "a ≤ b", float("nan"), 1.0, "here")


def test_a_way_round_that_is_shorter_stops_it() -> None:
    far = {("a", "b"): 1.0, ("a", "c"): 0.25, ("b", "c"): 0.5}
    refuses("a, c, b", triangles, Ledger(), "d is a metric", far)
    triangles(Ledger(), "d is a metric", far | {("b", "c"): 0.75})


def test_bounds_say_no_more_than_they_know() -> None:
    found = scored("evidential")
    loose = Scored(0.0, 1.0, (0.0, 1.0), "bounds: none", 0.0)
    held("evidential", found | {"T-RI": loose, "T-PD": loose})


def test_hard_draws_are_means_over_what_is_drawn() -> None:
    found = algorithms.by_hard_draws(RAND, TRUTH, FUZZY, 0, 400)
    exact = cd.transport("rand")(TRUTH, FUZZY)
    assert found.low == pytest.approx(exact.low, abs=0.03)
    inside = algorithms.by_hard_draws(RAND, TRUTH, ROUGH, 0, 50)
    ends = cd.transport("rand")(TRUTH, ROUGH)
    assert ends.low <= inside.low <= inside.high <= ends.high
    assert not found.drawn
    hard = algorithms.by_hard_draws(RAND, TRUTH, TRUTH, 0, 5)
    assert (hard.low, hard.high, hard.exact) == (1.0, 1.0, True)


# --- Circles. ------------------------------------------------------------------------------------


def ends_of(centre: Any, radius: Any) -> tuple[Any, Any]:
    """The nearest and the farthest points of every two circles."""
    objects = range(len(centre))
    low, high = np.zeros((2, len(centre), len(centre)))
    for i, j in product(objects, objects):
        if i != j:
            between = float(np.hypot(*(centre[i] - centre[j])))
            low[i, j] = max(0.0, between - radius[i] - radius[j])
            high[i, j] = between + radius[i] + radius[j]
    return low, high


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_circles_that_were_drawn_are_found_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre, radius = rng.normal(size=(6, 2)), rng.uniform(0, 0.5, 6)
    low, high = ends_of(centre, radius)
    found = circles(low, high, seed)
    assert found.stress < 1e-4
    for mine, theirs in zip(ends_of(found.centre, found.radius), (low, high), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-3)


def test_circles_of_one_of_two_and_of_none_apart() -> None:
    alone = circles(np.zeros((1, 1)), np.zeros((1, 1)))
    assert alone.centre.tolist() == [[0, 0]]
    two = circles(np.array([[0, 1], [1, 0]]), np.array([[0, 2], [2, 0]]))
    assert two.stress < 1e-6
    assert two.radius.sum() == pytest.approx(0.5, abs=1e-3)
    same = circles(np.zeros((3, 3)), np.zeros((3, 3)))
    assert same.stress < 1e-6


def test_circles_do_not_depend_on_how_often_they_are_asked_for() -> None:
    low, high = ends_of(np.array([[0, 0], [1, 0], [0, 2], [3, 3]]), np.array([0.1, 0.2, 0, 0.4]))
    once, again = circles(low, high), circles(low, high)
    assert once.centre.tolist() == again.centre.tolist()
    assert once.centre[0, 0] <= 0


# --- Table 2. ------------------------------------------------------------------------------------


def test_the_printed_table() -> None:
    assert list(TABLE_2) == list(iris.METRICS)
    assert all(tuple(row) == ALGORITHMS for row in TABLE_2.values())
    assert TABLE_2["T-RI"]["ECM"] == (0.781, 0.944, 1394.69)
    assert TABLE_2["A-PD"]["PCM"] == (0.033, 0.136, 2.926)
    assert str(TABLE_2["T-PD"]["KM"]) == "0.111"
    assert str(TABLE_2["S-RI"]["KM"]) == "—"


def test_what_is_called_impossible_is() -> None:
    assert len(IMPOSSIBLE) == 5
    for wrong in ("0.111", "0.099"):
        assert not any(f"{k / n:.3f}" == wrong for n in (149, 150) for k in range(n))
    assert not any(f"{k / n:.3f}" == "0.099" for n in (298, 300) for k in range(n))
    ends = {metric: (row["ECM"].low or 0, row["ECM"].high or 0) for metric, row in TABLE_2.items()}
    assert ends["T-RI"][1] > ends["A-RI"][1]
    assert ends["T-PD"][1] > ends["A-PD"][1]
    assert ends["S-RI"][0] < ends["T-RI"][0]


@pytest.fixture(scope="module")
def flowers() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iris, "SAMPLES", 10)
        return experiment_named("iris").run(seed=1)


@pytest.mark.slow
def test_iris_rough_k_means_is_as_printed(flowers: Any) -> None:
    records = {(one["metric"], one["algorithm"]): one for one in flowers.exhibits[0].records}
    assert len(records) == 30
    for metric in ("T-RI", "S-RI", "A-RI"):
        one = records[metric, "RKM"]
        assert (f"{one['low']:.3f}", f"{one['high']:.3f}") == (
            f"{one['printed_low']:.3f}", f"{one['printed_high']:.3f}",
        )  # fmt: skip
    assert "RKM T-RI" in flowers.notes[0]
    assert "RKM S-PD" in flowers.notes[0]
    assert flowers.to_text(200).index("evidential c-means") < flowers.to_text(200).index("T-RI ")
    assert records["T-RI", "KM"]["low"] == pytest.approx(0.8797, abs=5e-5)
    assert records["T-PD", "KM"]["low"] == pytest.approx(16 / 149)


@pytest.mark.slow
def test_iris_shows_both_readings_and_what_was_held(flowers: Any) -> None:
    assert [one.name for one in flowers.exhibits] == [
        "iris", "iris-harder", "iris-seconds", "iris-impossible", "iris-inequalities",
    ]  # fmt: skip
    text = flowers.to_text(80)
    assert max(map(len, text.splitlines())) <= 80
    assert "0.8767 and 0.1107" in text.replace("\n", " ")
    assert all(one["comparisons"] for one in flowers.exhibits[-1].records)


@pytest.mark.slow
def test_iris_figures_name_their_axes(flowers: Any) -> None:
    for picture in flowers.pictures:
        drawn = picture.draw()
        assert drawn.layout.xaxis.title.text
        assert drawn.layout.yaxis.title.text
        assert len({trace.name for trace in drawn.data}) > 2


def test_seeds_do_not_change_what_was_found() -> None:
    """The fits converge, so that starts do not show in the digits that are printed."""
    data, truth, _ = iris._iris()
    for parameters in (PRINTED, HARDER):
        one, other = (
            {
                name: str(cd.rand_alpha(truth, model.clustering))
                for name, model in fitted(data, parameters, seed).items()
            }
            for seed in (0, 3)
        )
        assert one == other


@pytest.mark.slow
def test_what_is_bounded_has_no_middle(flowers: Any) -> None:
    for record in flowers.exhibits[0].records:
        assert (record["at_alpha_half"] is None) == ("bounds" in record["how"])
    seconds = flowers.exhibits[2]
    assert any(cell.endswith("*") for row in seconds.table.rows for cell in row)
    assert all(isinstance(one["seconds"], float) for one in seconds.records)


def test_clusterings_have_nothing_on_the_empty_set() -> None:
    data = np.random.default_rng(0).normal(size=(60, 2))
    for parameters in (PRINTED, HARDER):
        found = fitted(data, parameters, 0)
        assert list(found) == list(ALGORITHMS)
        kinds = [one.clustering.kind for one in found.values()]
        assert kinds == ["partition", "rough", "fuzzy", "possibilistic", "evidential"]
        for one in list(found.values())[1:]:
            assert isinstance(one.clustering, Soft)
            assert not one.clustering.masses.empty.any()
        assert "on the empty set" in found["PCM"].warned


# --- The simulated data. -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clouds() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated, "OBJECTS", 90)
        patch.setattr(simulated, "SAMPLES", 5)
        return experiment_named("simulated").run(seed=2)


@pytest.mark.slow
def test_all_pairs_are_compared(clouds: Any) -> None:
    records = clouds.besides[0].records
    assert len(records) == 15 * 4
    assert {one["metric"] for one in records} == set(simulated.METRICS)
    rules = {one["proved"]: one["comparisons"] for one in clouds.exhibits[-1].records}
    assert rules["1 - Rand_½ obeys the triangle inequality"] == 60
    assert rules["1 - Rand₁ obeys the triangle inequality"] == 60
    assert max(map(len, clouds.to_text(80).splitlines())) <= 80


@pytest.mark.slow
def test_circles_are_drawn_with_axes_alike(clouds: Any) -> None:
    assert len(clouds.pictures) == 5
    for picture in clouds.pictures:
        drawn = picture.draw()
        assert drawn.layout.yaxis.scaleanchor == "x"
        assert drawn.layout.xaxis.title.text
    names = [trace.name for trace in drawn.data if trace.showlegend is not False]
    assert names == ["truth", *ALGORITHMS]


def test_seeds_give_other_objects() -> None:
    one, other = (simulated.drawn(seed)[0] for seed in (0, 1))
    assert one.shape == (simulated.OBJECTS, 2)
    assert not np.array_equal(one, other)
    assert np.array_equal(one, simulated.drawn(0)[0])
