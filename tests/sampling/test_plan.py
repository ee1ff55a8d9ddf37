"""How many to label: the formula by hand, what it says, and that it comes true."""

from __future__ import annotations

import math
from typing import Any

import pytest

import clusterdiff as cd
from sampled_cases import drawn_from, synthetic

TRUTH, RUN = synthetic(seed=4, clusters=1500)


@pytest.fixture(scope="module")
def pilot() -> Any:
    sample, hits = drawn_from(TRUTH, 100, seed=9)
    return cd.estimate(sample, RUN, ["elm_f", "pair_f", "accuracy"], design="records", hits=hits)


def test_the_formula_by_hand(pilot: Any) -> None:
    from scipy.stats import chi2, norm

    plan = pilot.plan(elm_f=0.01)
    sure = pilot["elm_f"].ci
    square = 100 * sure.se**2 * norm.ppf(0.975) ** 2 / 0.01**2
    assert plan.plain == math.ceil(square)
    assert plan.assured == math.ceil(square * sure.df / chi2.ppf(0.2, sure.df))
    assert plan.assured > plan.plain > 100
    assert pilot.plan(elm_f=0.02).plain == pytest.approx(plan.plain / 4, abs=1)
    assert pilot.plan(elm_f=0.01, assurance=0.95).assured > plan.assured


def test_what_a_plan_says(pilot: Any) -> None:
    plan = pilot.plan({"elm_f": 0.01, "pair_f": 0.02})
    assert plan.assured == max(one.assured for one in plan.wanted)
    text = str(plan)
    assert f"elm_f ± 0.01 at 95 %: {plan.wanted[0].plain:,} records; " in text
    assert f"{plan.wanted[0].assured:,} to reach it in 80 of 100 studies" in text
    assert f"{pilot['elm_f'].ci.effective:.1f}" in text
    assert "pilot: 100 records. Fix the number before you label" in text
    assert "There are only" not in text
    wish = pilot.plan(elm_f=0.0005)
    assert wish.plain > pilot.population == len(RUN)
    assert (
        f"There are only {len(RUN):,} "
        "records: label all of them, and the scores have no error of sampling."
    ) in str(wish)
    known = plan.to_dict()
    assert known["assured"] == plan.assured
    assert known["measures"]["accuracy"]["half"] is None
    assert [one.measure for one in plan.measures] == ["elm_f", "pair_f", "accuracy"]


def test_a_study_of_the_planned_size_is_as_narrow_as_wanted() -> None:
    """Of ten studies with assurance most are; none is far off."""
    reached, widths = 0, []
    for seed in range(10):
        sample, hits = drawn_from(TRUTH, 100, seed=seed)
        plan = cd.estimate(sample, RUN, "elm_f", design="records", hits=hits).plan(elm_f=0.03)
        sample, hits = drawn_from(TRUTH, plan.assured, seed=100 + seed)
        sure = cd.estimate(sample, RUN, "elm_f", design="records", hits=hits)["elm_f"].ci
        widths.append((sure.high - sure.low) / 2)
        reached += widths[-1] <= 0.03
    assert reached >= 6
    assert max(widths) < 0.04


def test_of_two_guesses_the_one_that_needs_most_decides() -> None:
    sample, hits = drawn_from(TRUTH, 100, seed=9)
    worse = {i: f"{c} {i % 3 == 0}" for i, c in RUN.items()}
    alone = [
        cd.estimate(sample, guess, "elm_f", design="records", hits=hits).plan(elm_f=0.01)
        for guess in (RUN, worse)
    ]
    both = cd.estimate(sample, {"a": RUN, "b": worse}, "elm_f", design="records", hits=hits)
    assert both.plan(elm_f=0.01).plain == max(plan.plain for plan in alone)


@pytest.mark.parametrize(
    ("text", "targets", "options"),
    [
        ("a plan needs a measure", {}, {}),
        ("must be a number above 0, got 0", {"elm_f": 0}, {}),
        ("must be a number above 0, got 'x'", {"elm_f": "x"}, {}),
        ("the pilot has no jackknife interval for accuracy", {"accuracy": 0.1}, {}),
        ("the report does not hold nmi", {"nmi": 0.1}, {}),
        ("no measure is called", {"elm_g": 0.1}, {}),
        ("assurance must be a number from 0.5", {"elm_f": 0.1}, {"assurance": 80}),
    ],
)
def test_wrong_plans(pilot: Any, text: str, targets: Any, options: Any) -> None:
    with pytest.raises(cd.ClusterdiffError, match=text):
        pilot.plan(targets, **options)
