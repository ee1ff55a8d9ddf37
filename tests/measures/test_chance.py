"""What chance scores: in closed form where there is one, else by draws that show their error."""

from __future__ import annotations

import math
import pickle
import random
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

import clusterdiff as cd
from cases import pairs_up_to_renaming, partitions
from clusterdiff.measures.base import Estimate
from clusterdiff.measures.chance import together_at_random
from oracles import ORACLES
from oracles.chance import expected
from refusals import refuses

LINEAR = [m for m in cd.measures() if m.claims.linear]
SIDES = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 2]


def numbered(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    return dict(enumerate(pair[0])), dict(enumerate(pair[1]))


def by_hand(score: Any, truth: Any, guess: Any, chance: Any, best: float) -> float:
    if abs(best - chance) < 1e-12:
        return 1.0
    return float((score(truth, guess) - chance) / (Fraction(best) - chance))


def test_the_measures_of_pairs_say_that_they_are_linear() -> None:
    assert sorted(m.name for m in LINEAR) == [
        "adjusted_rand", "fowlkes_mallows", "mirkin_distance", "pair_correlation", "pair_f",
        "pair_precision", "pair_recall", "rand",
    ]  # fmt: skip


@pytest.mark.parametrize("measure", LINEAR, ids=str)
def test_permutations_have_a_closed_form(measure: cd.Measure) -> None:
    """Against the mean over all permutations."""
    oracle, best = cast(Any, ORACLES[measure.name]), measure.claims.best
    assert best is not None
    for pair in pairs_up_to_renaming(5):
        truth, guess = numbered(pair)
        wanted = by_hand(oracle, truth, guess, expected(oracle, truth, guess), best)
        found = cd.adjusted(measure)(truth, guess)
        assert found == pytest.approx(wanted, abs=1e-12), pair
        assert not isinstance(found, Estimate)


@pytest.mark.parametrize("measure", LINEAR, ids=str)
def test_all_partitions_have_a_closed_form_where_guess_pairs_are_linear_too(
    measure: cd.Measure,
) -> None:
    """Against the mean over all partitions; of the others, it would be wrong."""
    oracle, best = cast(Any, ORACLES[measure.name]), measure.claims.best
    assert best is not None
    differs = False
    for pair in pairs_up_to_renaming(4):
        truth, guess = numbered(pair)
        all_guesses = [dict(enumerate(labels)) for labels in partitions(4)]
        chance = sum(Fraction(oracle(truth, one)) for one in all_guesses) / len(all_guesses)
        wanted = by_hand(oracle, truth, guess, chance, best)
        found = cd.adjusted(measure, null="uniform", samples=20)(truth, guess)
        if measure.claims.linear == "guess":
            assert found == pytest.approx(wanted, abs=1e-12), pair
        differs |= isinstance(found, Estimate)
    assert differs == (measure.claims.linear == "both")


def test_jaccard_is_not_linear() -> None:
    """The score of what chance puts together on average is not what it scores on average."""
    truth, guess = numbered(([0, 0, 1, 1], [0, 0, 1, 1]))
    chance = expected(cast(Any, ORACLES["pair_jaccard"]), truth, guess)
    both = Fraction(2 * 2, 6)
    assert chance == Fraction(1, 3) != both / (4 - both)


def test_adjusted_rand_is_rand_adjusted_to_the_last_bit() -> None:
    rng = random.Random(3)
    for objects in (5, 12, 100, 2000):
        for _ in range(20):
            sides = [[rng.randint(0, objects // 3) for _ in range(objects)] for _ in range(2)]
            assert cd.adjusted("rand")(*sides) == cd.adjusted_rand(*sides)
    huge = cd.HardMeet.from_rows([0, 1, 1, 2], [0, 0, 1, 2], [3, 2, 5, 1], [1, 1, 1, 10**9])
    assert cd.adjusted("rand").of(huge) == cd.adjusted_rand.of(huge) < 0.99


@pytest.mark.parametrize(
    ("truth", "wanted"), [("aaabb", Fraction(141, 260)), ("aabb", Fraction(5, 9))]
)
def test_rand_against_all_partitions(truth: str, wanted: Fraction) -> None:
    guess = list(range(len(truth)))
    score = Fraction(ORACLES["rand"](dict(enumerate(truth)), dict(enumerate(guess))))
    found = cd.adjusted("rand", null="uniform")(list(truth), guess)
    assert found == pytest.approx(float((score - wanted) / (1 - wanted)), abs=1e-15)


def test_two_objects_share_a_cluster_of_all_partitions_by_bell_numbers() -> None:
    row, bells = [1], [1]
    for _ in range(300):
        made = [row[-1]]
        for x in row:
            made.append(made[-1] + x)
        row = made
        bells.append(row[0])
    for n in (2, 3, 10, 50, 300):
        assert together_at_random(n) == pytest.approx(
            float(Fraction(bells[n - 1], bells[n])), rel=4e-15
        )
    large = together_at_random(10**6)
    assert 1 / large == pytest.approx(10**6 / math.log(1 / large), rel=2e-5)


def test_draws_come_near_and_their_error_says_how_near() -> None:
    """About two thirds of all estimates lie within one standard error."""
    jaccard: Any = cd.adjusted("pair_jaccard", samples=1000)(*SIDES)
    truth, guess = numbered(SIDES)
    chance = expected(cast(Any, ORACLES["pair_jaccard"]), truth, guess)
    wanted = by_hand(ORACLES["pair_jaccard"], truth, guess, chance, 1.0)
    off: list[Any] = [
        cd.adjusted("pair_jaccard", samples=25, seed=seed)(*SIDES) for seed in range(100)
    ]
    inside = sum(abs(one - wanted) <= one.error for one in off)
    assert 0.55 < inside / len(off) < 0.8
    assert abs(jaccard - wanted) < 4 * jaccard.error
    assert jaccard.error == pytest.approx(np.std(off) / np.sqrt(40), rel=0.25)


def test_the_error_of_draws_is_shown() -> None:
    report = cd.compare(*SIDES, ["adjusted(nmi, samples=50, seed=3)", "adjusted(rand)"])
    drawn, exact = report.scores["guess"].values()
    assert isinstance(drawn.value, Estimate)
    assert drawn.error is not None
    assert drawn.signature["sampled"] == f"50 draws±{drawn.error:.2g}"
    assert drawn.signature["seed"] == 3
    assert f"± {drawn.error:.1g}" in str(report)
    assert drawn.to_dict()["error"] == drawn.error
    assert exact.error is None
    assert not {"sampled", "seed"} & set(exact.signature)
    again = pickle.loads(pickle.dumps(drawn.value))
    assert (again, again.error, again.what) == (drawn.value, drawn.error, "draws")


def test_one_draw_has_no_error() -> None:
    refuses("at least 2", cd.adjusted("nmi", samples=1), *SIDES)
    assert cd.adjusted("rand", samples=1)(*SIDES) == cd.adjusted_rand(*SIDES)


@pytest.mark.parametrize("null", ["permutation", "uniform"])
def test_the_same_seed_draws_the_same_in_any_order(null: Any) -> None:
    rng = random.Random(7)
    objects = list(zip([0, 0, 1, 1, 2, 2, 3, 3, 3], [0, 1, 1, 2, 2, 3, 3, 0, 0], strict=True))
    measure = cd.adjusted("accuracy", null=null, samples=2, seed=11)
    found = set()
    for _ in range(200):
        rng.shuffle(objects)
        names = [rng.sample(range(100), 4) for _ in range(2)]
        sides = ([names[k][pair[k]] for pair in objects] for k in range(2))
        found.add(measure(*sides))
    assert len(found) == 1
