"""Every claim of every measure, in both directions, on all pairs of clusterings of few objects."""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest

import clusterdiff as cd
from cases import (
    all_covers,
    all_pairs,
    cover_pairs,
    cover_score,
    families,
    hard_meet,
    pairs_up_to_renaming,
    partitions,
    renamed,
)
from clusterdiff.errors import KindError
from clusterdiff.measures import Measure
from clusterdiff.measures.core.citations import CITATIONS
from clusterdiff.meet import Meet

TINY = 1e-12
ALL = cd.measures()
CLAIMING = [m for m in ALL if m.name != "adjusted"] + [
    cd.adjusted(cd.elm_f),
    cd.adjusted(cd.bcubed_f),
]


class Case(NamedTuple):
    """Two clusterings of n objects: partitions as labels, covers as families of clusters, or
    uncertain clusterings as numbers of `KNOWN`.
    """

    n: int
    truth: tuple[int, ...]
    guess: tuple[int, ...]
    kind: str = "partition"

    def swapped(self) -> Case:
        return self._replace(truth=self.guess, guess=self.truth)

    @property
    def same(self) -> bool:
        """Whether both are one clustering, whatever the clusters are called."""
        if self.kind != "soft":
            return self.truth == self.guess
        return self.guess in (self.truth, tuple(RENAMED[one] for one in self.truth))


KNOWN: list[dict[tuple[str, ...], float]] = [
    {("a",): 1.0},
    {("b",): 1.0},
    {("a", "b"): 1.0},
    {("a",): 0.5, ("b",): 0.5},
    {("a",): 0.25, ("b",): 0.75},
    {("a",): 0.75, ("b",): 0.25},
]
RENAMED = [1, 0, 2, 3, 5, 4]


def soft(known: tuple[int, ...]) -> cd.Clustering:
    """A clustering of the plainest kind that can say this."""
    masses = [KNOWN[one] for one in known]
    if all(len(mass) == 1 for mass in masses):
        return cd.Rough([set(next(iter(mass))) for mass in masses])
    if 2 not in known:
        return cd.Fuzzy([{name: m for (name,), m in mass.items()} for mass in masses])
    return cd.Evidential(masses)


@cache
def cases(kind: str) -> list[Case]:
    """All pairs of partitions of up to 5 objects, or of covers of up to 3, some left out, whatever
    the objects are called; or so of uncertain clusterings of 2 objects, with some of 3.
    """
    if kind == "cover":
        return [Case(n, *pair, kind) for n in (1, 2, 3) for pair in cover_pairs(n)]
    if kind == "soft":
        of_two = list(product(range(6), repeat=2))
        of_three = random.Random(1).sample(list(product(range(4), repeat=3)), 8)
        found = [
            Case(len(t), t, g, kind) for some in (of_two, of_three) for t, g in product(some, some)
        ]
        return [case for case in found if case == one_of_its_kind(case)]
    return [Case(n, *pair) for n in range(1, 6) for pair in pairs_up_to_renaming(n)]


def one_of_its_kind(case: Case) -> Case:
    """The one of those with other names of the objects that is tried; of partitions, itself."""
    if case.kind == "cover":
        return Case(case.n, *renamed(*case[:3]), case.kind)
    if case.kind == "soft" and case.n == 2:
        return min(case, case._replace(truth=case.truth[::-1], guess=case.guess[::-1]))
    return case


@cache
def meet(case: Case) -> Meet:
    if case.kind == "soft":
        return cd.meet(soft(case.truth), soft(case.guess))
    return hard_meet(case.truth, case.guess)


def ends(score: float | cd.Interval) -> tuple[float, float]:
    return (score.low, score.high) if isinstance(score, cd.Interval) else (score, score)


def near(score: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(abs(a - b) for a, b in zip(score, other, strict=True)) < TINY


def score(measure: Measure, case: Case) -> tuple[float, float]:
    if case.kind == "cover":
        return ends(cover_score(measure, *case[:3]))
    return ends(measure.of(meet(case)))


@cache
def scores(measure: Measure) -> dict[Case, tuple[float, float]]:
    """The score of each case that the measure is for."""
    found = {}
    for kind in ("partition", "cover", "soft"):
        if (measure.needs - {"cover"}) if kind == "partition" else kind in measure.needs:
            for case in cases(kind):
                try:
                    found[case] = score(measure, case)
                except KindError:
                    assert measure.family == "fuzzy" or measure.name == "soft_mutual_information"
    return found


def score_of_swapped(measure: Measure, case: Case) -> tuple[float, float]:
    """The score of guess against truth."""
    other = one_of_its_kind(case.swapped())
    return scores(measure)[other] if case.kind != "partition" else score(measure, other)


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_bounds_hold_and_the_lower_one_is_reached_or_not(measure: Measure) -> None:
    low, high = measure.claims.bounds
    found = scores(measure).values()
    assert all(low - TINY <= s[0] <= s[1] <= high + TINY for s in found)
    assert any(abs(s[0] - low) < TINY for s in found) == measure.claims.reached


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_symmetry_holds_or_a_counterexample_is_found(measure: Measure) -> None:
    found = scores(measure).items()
    uneven = [case for case, s in found if not near(s, score_of_swapped(measure, case))]
    assert (not uneven) == measure.claims.symmetric, uneven[:1]


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_identical_clusterings_score_best(measure: Measure) -> None:
    best = measure.claims.best
    same = {case: s for case, s in scores(measure).items() if case.same}
    if best is None:
        assert len({round(s[0], 9) for s in same.values()}) > 1
    else:
        assert not [case for case, s in same.items() if not near(s, (best, best))]


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_only_identical_clusterings_score_best_or_a_counterexample_is_found(
    measure: Measure,
) -> None:
    best = measure.claims.best
    if best is None:
        assert not measure.claims.perfect
        return
    others: list[Any] = [
        case for case, s in scores(measure).items() if not case.same and near(s, (best, best))
    ]
    if measure.name == "partition_distance_alpha":
        others += [pair for pair in [four_clusters()] if measure(*pair) == best]
    assert (not others) == measure.claims.perfect, others[:1]


def four_clusters() -> tuple[cd.Evidential, cd.Evidential]:
    """Alike in the mass on each cluster alone and in what is plausible, and yet different."""
    anchors: list[dict[str, float]] = [{name: 1.0} for name in "abcd"]
    return (
        cd.Evidential([*anchors, {"a|b": 0.5, "c|d": 0.5}]),
        cd.Evidential([*anchors, {"a|c": 0.5, "b|d": 0.5}]),
    )


@pytest.mark.parametrize("measure", [m for m in ALL if m.claims.hard], ids=str)
def test_on_partitions_it_is_the_measure_of_partitions(measure: Measure) -> None:
    forms = [{"f": f, "alpha": a} for f in ("objects", "means") for a in (0.5, 0.2, 0, 1)]
    for params in forms if "f" in measure.arguments else [{}]:
        ours = measure.having(**params)
        theirs = ours.on_partitions
        assert theirs is not None
        for case in cases("partition"):
            assert abs(ours.of(meet(case)) - theirs.of(meet(case))) < TINY, case


@pytest.mark.parametrize("measure", [m for m in ALL if m.needs == {"soft"}], ids=str)
def test_measures_of_uncertain_clusterings_are_those_of_partitions_on_partitions(
    measure: Measure,
) -> None:
    plain: Measure = cd.partition_distance if measure.is_distance else cd.rand
    plain = cd.mutual_information if measure.name == "soft_mutual_information" else plain
    for case in cases("partition"):
        ours, theirs = measure.of(meet(case)), plain.of(meet(case))
        assert near(ends(ours), (theirs, theirs)), case


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_degenerate_inputs_have_a_value(measure: Measure) -> None:
    """One object, one cluster, all singletons: identical clusterings are a perfect match."""
    for labels in ([7], [7, 7, 7], [1, 2, 3], list(range(50)), [0] * 50):
        value = measure(labels, labels)
        assert math.isfinite(float(value))
        if measure.claims.best is not None:
            assert value == measure.claims.best
    with pytest.raises(cd.ClusterdiffError, match="nothing to compare"):
        measure([], [])


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_measure_says_what_it_means_and_where_it_comes_from(measure: Measure) -> None:
    assert measure.claims.cite in CITATIONS
    assert 20 < len(measure.meaning) <= 100
    assert measure.meaning.endswith(".")
    assert cd.measure(repr(measure)) == measure
    assert cd.measure(measure.full_name) == measure


def test_every_citation_is_used() -> None:
    assert {m.claims.cite for m in ALL} == set(CITATIONS)


@pytest.mark.parametrize("measure", [m for m in ALL if m.claims.penalise], ids=str)
def test_penalised_scores_are_those_of_the_rest_when_nothing_is_missing(measure: Measure) -> None:
    for truth, guess in [*all_pairs(3), *all_pairs(4)[::7]]:
        t, g = dict(enumerate(truth)), dict(enumerate(guess))
        params = {"empty": 1} if "empty" in measure.arguments else {}
        assert measure(t, g, align="penalise", **params) == measure(t, g, **params)


@pytest.mark.parametrize("measure", [m for m in ALL if not m.claims.penalise], ids=str)
def test_measures_without_a_penalised_form_say_so(measure: Measure) -> None:
    with pytest.raises(cd.ClusterdiffError, match="one side only"):
        measure({1: "a", 2: "a"}, {1: "a", 3: "a"}, align="penalise")


def test_the_small_cases_are_all_there() -> None:
    assert [len(partitions(n)) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]
    assert [len(pairs_up_to_renaming(n)) for n in range(1, 7)] == [1, 4, 10, 33, 91, 298]
    assert [len(families(n)) for n in range(1, 4)] == [2, 8, 128]
    assert [len(all_covers(n)) for n in range(1, 4)] == [1, 5, 109]
