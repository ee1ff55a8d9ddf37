"""Climbing: cases that small and random ones do not show, by the oracles and as they are found."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import or_
from random import Random

import pytest

import clusterdiff as cd
from clusterdiff.io.read import clusters_in
from clusterdiff_lab.axioms import Fails, Holds, check
from clusterdiff_lab.axioms.covers import MOST as MOST_COVERED
from clusterdiff_lab.axioms.covers import Overlap, changed_covers, random_covers
from clusterdiff_lab.axioms.subject import Counterexample
from clusterdiff_lab.axioms.tables import (
    MOST,
    Contingency,
    changed,
    changed_triple,
    random_blocks,
    random_table,
    random_triple,
    table_of,
)
from oracles.overlapping import OVERLAPPING, Cover, from_clusters


def cover(text: str) -> Cover:
    """Clusters as the oracles take them."""
    groups = clusters_in(text)
    return from_clusters(groups, sorted({x for group in groups for x in group}))


def score(measure: str, truth: str, guess: str) -> float:
    """What the oracle gives; what the measure gives is the same."""
    wanted = float(OVERLAPPING[measure](cover(truth), cover(guess)))
    found = cd.measure(measure)(*(cd.Cover.from_clusters(clusters_in(t)) for t in (truth, guess)))
    assert float(found) == pytest.approx(wanted, abs=1e-12)
    return wanted


def singles(first: int, last: int) -> str:
    return "|".join(map(str, range(first, last + 1)))


# --- By the oracles. ----------------------------------------------------------------------------


def test_a_purer_cover_can_have_less_cice() -> None:
    truth, worse, better = "123|4", "234|4|34|124|24", "234|4|124|24|3"
    assert score("cice_f", truth, worse) == pytest.approx(0.31918, abs=5e-6)
    assert score("cice_f", truth, better) == pytest.approx(0.31798, abs=5e-6)


def test_joining_parts_of_a_class_can_lower_cover_f1() -> None:
    """Parts of one object and of two, beside 23 single objects of another class."""
    truth, rest = "1-4|5-27", singles(5, 27)
    worse = score("cover_f1", truth, f"1,2|3|4|{rest}")
    better = score("cover_f1", truth, f"1,2|3,4|{rest}")
    assert [worse, better] == pytest.approx([0.252564, 0.2525], abs=1e-6)


def test_joining_parts_of_a_class_can_lower_onmi() -> None:
    """Sixteen pairs of one class; the other one in two single objects and a pair."""
    pairs = "|".join(f"{x},{x + 1}" for x in range(5, 37, 2))
    truth = "1-4|5-36"
    worse = score("onmi", truth, f"1|2|3,4|{pairs}")
    better = score("onmi", truth, f"1,2|3,4|{pairs}")
    assert better < worse - 1e-3


def test_a_way_round_can_be_shorter_by_onmi() -> None:
    a = "1-6|7,8|9,10|11|12,13|14-16"
    b = "1-5|6|7-10|11|12,13|14-16"
    c = "1-5|6|7,9|8,10|11|12,13|14-16"
    straight, first, second = (1 - score("onmi", *ends) for ends in ((a, c), (a, b), (b, c)))
    assert straight == pytest.approx(0.416011, abs=1e-6)
    assert first + second == pytest.approx(0.249944 + 0.165947, abs=2e-6)
    assert straight > first + second + 1e-4


# --- As they are found. -------------------------------------------------------------------------


def by_oracle(measure: str, found: Counterexample) -> list[float]:
    """What the oracle gives the clusterings of a counterexample, in the order of its values."""
    drawn = found.drawn
    if "a" in drawn:
        ways = [(drawn[x], drawn[y]) for x, y in ("ac", "ab", "bc")]
        return [1 - score(measure, *way) for way in ways]
    return [score(measure, drawn["truth"], drawn[part]) for part in ("worse", "better")]


@pytest.mark.parametrize(
    ("measure", "condition", "most"),
    [
        pytest.param("cice_f", "cover_homogeneity", 4, marks=pytest.mark.slow),
        ("cover_f1", "completeness", 62),
        ("onmi", "completeness", 62),
        pytest.param("onmi", "triangle", 89, marks=pytest.mark.slow),
    ],
)
def test_what_random_cases_miss_is_found_by_climbing(
    measure: str, condition: str, most: int
) -> None:
    assert not isinstance(check(measure, condition, objects=3, climb=0), Fails)
    found = check(measure, condition, objects=3)
    assert isinstance(found, Fails)
    assert "by climbing" in found.scope
    assert found.counterexample.objects <= most
    values = by_oracle(measure, found.counterexample)
    assert list(map(float, found.values.values())) == pytest.approx(values, abs=1e-12)
    if condition == "triangle":
        assert values[0] > values[1] + values[2] + 1e-9
    else:
        assert values[1] < values[0] - 1e-12


def test_a_verdict_tells_how_far_was_looked() -> None:
    found = check("bcubed_f", "completeness", objects=4, larger=30, climb=25)
    assert isinstance(found, Holds)
    small, larger, climbed = found.scope.split("; ")
    assert small.startswith("all pairs of partitions of up to 4 objects (")
    assert larger.endswith(" larger ones at random, seed 0")
    assert climbed.endswith(" by climbing, 25 steps, up to 120 objects")


def test_without_larger_cases_or_steps_nothing_is_climbed() -> None:
    for given in ({"climb": 0}, {"larger": 0}):
        assert "climb" not in check("bcubed_f", "completeness", objects=3, **given).scope


def test_the_same_seed_climbs_the_same_way() -> None:
    one, again = (
        check("cover_f1", "completeness", objects=3, larger=60, climb=60, seed=3) for _ in range(2)
    )
    assert (one.tried, one.scope) == (again.tried, again.scope)
    other = check("cover_f1", "completeness", objects=3, larger=60, climb=60, seed=4)
    assert other.tried != one.tried


def test_a_failure_beyond_ties_is_found() -> None:
    """A measure that ties everywhere, but for large cases with a cluster more on one side."""

    def mostly_one(truth: list[int], guess: list[int]) -> float:
        apart = len(set(guess)) - len(set(truth))
        return 1.0 if len(truth) < 40 else 1.0 - 0.001 / (1 + abs(apart - 3))

    found = check(mostly_one, "completeness", objects=3, larger=100, climb=300)
    assert isinstance(found, Fails)
    assert found.values["better"] < found.values["worse"]
    assert found.counterexample.objects == 40


# --- Where it goes. -----------------------------------------------------------------------------


def test_changed_tables_are_tables() -> None:
    random = Random(5)
    for table in (random_table(random, 30), random_blocks(random, 40), Contingency(((1,),))):
        at, seen = table, set()
        for _ in range(200):
            at = changed(random, at)
            assert 0 < at.objects <= MOST
            assert len({len(column) for column in at.columns}) == 1
            assert all(map(any, at.columns))
            assert all(at.classes)
            seen.add(at.key)
        assert len(seen) > 60


@pytest.mark.parametrize("gold", [False, True])
def test_changed_covers_leave_no_object_out(gold: bool) -> None:
    random = Random(6)
    at = random_covers(random, gold)
    sizes = set()
    for _ in range(300):
        at = changed_covers(random, at, gold)
        sizes.add(at.count)
        for side in (at.truth, at.guess):
            assert all(side)
            assert len(set(side)) == len(side)
            assert reduce(or_, side) == (1 << at.count) - 1
        if gold:
            assert sum(c.bit_count() for c in at.truth) == at.count
    assert max(sizes) <= MOST_COVERED
    assert len(sizes) > 2


def test_the_last_object_is_not_taken_away() -> None:
    """Identical covers stay as near to failing however few they are, so that climbs get there."""
    start, random = Overlap(1, (1,), (1,)), Random(0)
    assert all(changed_covers(random, start).count for _ in range(50))
    assert check("omega", "cover_identity", larger=20)


def test_ways_of_three_are_those_of_their_labels() -> None:
    random = Random(7)
    at = random_triple(random)
    for _ in range(100):
        at = changed_triple(random, at)
        assert at.objects <= MOST
        labels = at.labels
        assert {len(one) for one in labels} == {at.objects}
        for one, other in ((0, 2), (0, 1), (1, 2)):
            way = at.way(one, other)
            assert way.sides_of_three == (labels[one], labels[other])
            wanted = table_of(labels[one], labels[other])
            assert sorted(map(sorted, way.columns)) == sorted(map(sorted, wanted.columns))
            assert way.objects == wanted.objects


def test_smaller_ones_have_fewer_objects_or_memberships() -> None:
    random = Random(8)
    table = random_blocks(random, 40)
    for smaller in table.smaller():
        assert smaller.objects < table.objects
    three = random_triple(random)
    assert all(one.objects < three.objects for one in three.smaller())
    pair = random_covers(random)
    for one in pair.smaller():
        assert all(len(set(side)) == len(side) for side in (one.truth, one.guess))
        held = [sum(map(int.bit_count, (*two.truth, *two.guess))) for two in (one, pair)]
        assert all(less < more for less, more in pairwise(held))
