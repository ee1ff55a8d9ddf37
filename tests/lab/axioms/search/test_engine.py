"""The search engine: stages, what is counted, and which case is kept."""

from __future__ import annotations

import itertools

from clusterdiff_lab.axioms.engine import FAILS, HOLDS, TIES, Judgement, Stage, Tally, search
from clusterdiff_lab.axioms.soft import ExactSoft, all_hard, all_rough, pairs, smallest


def odd(number: int) -> Judgement:
    return Judgement(FAILS, f"{number} is odd") if number % 2 else Judgement(HOLDS)


def test_all_cases_of_a_stage_are_counted_and_the_first_against_is_kept() -> None:
    stage = Stage("numbers", lambda: [2, 5, 3, 8])
    found = search([stage], odd)
    assert (found.case, found.problem) == (5, "5 is odd")
    assert (found.tried, found.against, found.scope) == (4, 2, "numbers (4)")
    none = search([stage.where(lambda number: number % 2 == 0, "even")], odd)
    assert (none.case, none.tried, none.scope) == (None, 2, "numbers, even (2)")
    assert (none.drawn, none.objects) == ("", 0)


def test_the_case_of_the_lowest_rank_is_kept_of_each_outcome() -> None:
    tally = Tally[int](lambda n: Judgement((FAILS, TIES, HOLDS)[n % 3], rank=(-n,)))
    tally.exhaust(range(9))
    assert {outcome: case for outcome, (case, _) in tally.smallest.items()} == {FAILS: 6, TIES: 7}
    assert tally.outcomes == {FAILS: 3, TIES: 3, HOLDS: 3}


def test_a_search_ends_when_its_time_is_over() -> None:
    tally = Tally[int](odd, seconds=0.01)
    tally.exhaust(itertools.count())
    assert tally.late
    assert tally.tried == sum(tally.outcomes.values()) > 0


def test_the_smallest_case_is_found_and_of_those_the_widest() -> None:
    stages = [pairs("rough clusterings", all_rough(3, 2))]
    found = smallest(stages, lambda a, b: a.ambiguity - b.ambiguity)
    assert found.drawn == "{12} {12} {12}  and  1 1 1"
    assert found.objects == 3
    low = smallest(stages, lambda a, b: float(a.clusters > b.clusters))
    assert low.drawn == "1 1 2  and  1 1 1"
    none = smallest(stages, lambda a, b: 0.0)
    assert none.case is None
    assert none.tried == found.tried == len(list(stages[0].cases()))


def test_a_search_stops_at_the_first_stage_with_a_case() -> None:
    def never() -> list[tuple[ExactSoft, ...]]:
        raise AssertionError

    stages = [pairs("partitions", all_hard(2)), Stage("never tried", never)]
    found = smallest(stages, lambda a, b: float(a != b))
    assert found.scope == "all pairs of partitions (4)"
    assert found.drawn == "1 1  and  1 2"
