"""Measures of uncertain clusterings equal their definitions, and bounds enclose them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import clusterdiff as cd
from cases import noisy
from clusterdiff.contingency.soft import SoftSide
from oracles import soft
from oracles.common import Number
from soft_cases import (
    ALPHAS,
    HALF,
    OF_DEGREES,
    ONE,
    QUARTER,
    UNCERTAIN,
    ZERO,
    Case,
    against_hard,
    both_uncertain,
    differing,
    drawn,
    ends,
    escaping,
    exact,
    transported,
)

# Closed forms


class Checked(NamedTuple):
    """A measure with parameters, and its oracle with the same."""

    measure: cd.Measure
    oracle: Callable[[soft.Soft, soft.Soft], Number]

    def __str__(self) -> str:
        return str(self.measure)


def checked(name: str, **given: Any) -> Checked:
    """Of alphas, the library takes floats; the oracle is exact."""
    oracle = partial(getattr(soft, name), **given)
    ours = {key: float(v) if isinstance(v, Fraction) else v for key, v in given.items()}
    return Checked(cd.measure(name).with_params(**ours), oracle)


OF_MASSES = [
    *(checked("rand_alpha", alpha=alpha) for alpha in ALPHAS),
    checked("rand_alpha", alpha=QUARTER, pairs="all"),
    *(
        checked(name, pairs=pairs)
        for name in ("rand_belief", "rand_jousselme", "rand_conflict")
        for pairs in ("distinct", "all")
    ),
    *(checked("partition_distance_alpha", alpha=alpha) for alpha in ALPHAS),
    checked("partition_distance_alpha", alpha=QUARTER, over="n"),
]
BY_DEGREE = [
    *(
        checked("rand_campello", tnorm=tnorm, conorm=conorm)
        for tnorm, conorm in product(soft.TNORMS, soft.CONORMS)
    ),
    checked("rand_campello", pairs="all"),
    *(checked("rand_frigui", pairs=pairs) for pairs in ("distinct", "all")),
    *(
        checked("rand_hullermeier", distance=distance, pairs=pairs)
        for distance in soft.ROW_DISTANCES
        for pairs in ("distinct", "all")
    ),
    checked("adjusted_fuzzy_rand"),
]


@cache
def of_masses() -> list[Case]:
    return drawn(1, 4)


@cache
def of_degrees() -> list[Case]:
    return drawn(2, 7, truth=OF_DEGREES, guess=OF_DEGREES, objects=(1, 5))


@cache
def wanted(check: Checked, case: Case) -> Number:
    return check.oracle(case.truth, case.guess)


@pytest.fixture(params=["laid out", "compiled"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are laid out in memory, or summed by compiled code, which is for many rows."""
    if request.param == "compiled":
        for name in ("pair_masses", "fuzzy"):
            monkeypatch.setattr(sys.modules[f"clusterdiff.measures.{name}"], "SMALL", 0)


@pytest.mark.parametrize("check", OF_MASSES, ids=str)
def test_measures_of_masses_equal_the_oracle(check: Checked, way: None) -> None:
    assert not differing(of_masses(), lambda c: check.measure.of(c.meet), partial(wanted, check))


@pytest.mark.parametrize("check", BY_DEGREE, ids=str)
def test_measures_of_degrees_equal_the_oracle(check: Checked, way: None) -> None:
    assert not differing(of_degrees(), lambda c: check.measure.of(c.meet), partial(wanted, check))


def anderson(case: Case, pairs: str) -> Number:
    """The oracle, and where it has no scale no agreement."""
    try:
        return soft.rand_anderson(case.truth, case.guess, pairs)
    except ZeroDivisionError:
        return 0 if pairs == "distinct" else Fraction(1, len(case.truth))


@pytest.mark.parametrize("pairs", ["distinct", "all"])
def test_anderson_equals_the_oracle(pairs: Any) -> None:
    found = cd.rand_anderson(pairs=pairs)
    assert not differing(of_degrees(), lambda c: found.of(c.meet), lambda c: anderson(c, pairs))


def test_brouwer_equals_the_oracle() -> None:
    oracle = partial(soft.rand_hullermeier, distance="cosine")
    assert not differing(
        of_degrees(), lambda c: cd.rand_brouwer.of(c.meet), lambda c: oracle(c.truth, c.guess)
    )


@pytest.mark.parametrize("name", ["rand_alpha", "partition_distance_alpha"])
def test_intervals_go_from_one_alpha_to_the_other(name: str) -> None:
    measure = cd.measure(name)
    for case in of_masses():
        found = measure.of(case.meet)
        both = [measure.with_params(alpha=alpha).of(case.meet) for alpha in (0, 1)]
        assert [found.low, found.high] == pytest.approx(sorted(both), abs=1e-12)
        assert found.certain


# Optimal transport

COMMON = ("rand", "partition_distance")
SCALED = ("accuracy", "partition_distance(over='n')", "mirkin_distance(scale='n2')")
BOUNDED = (*COMMON, *SCALED)
OTHERS = ("vi_distance", "elm_f", "bcubed_precision")
UNLIMITED = ("mirkin_distance(scale='n2')", "vi_distance")


def fitting(name: str, cases: Sequence[Case]) -> list[Case]:
    """Cases for a measure, fewer for some; objects in no cluster need one that ends at 1."""
    if name not in COMMON:
        cases = cases[:: 3 if name in BOUNDED else 6]
    return [case for case in cases if not (case.has_empty and name in UNLIMITED)]


def half(case: Case, name: str) -> list[Fraction]:
    return [exact(case, name, HALF)]


def assert_transport_is_exact(name: str, cases: Sequence[Case]) -> None:
    found = cache(partial(transported, name=name, method="exact"))
    for end, alpha in enumerate((ZERO, ONE)):
        at_end = partial(exact, name=name, alpha=alpha)
        assert not differing(cases, lambda c: found(c)[end], at_end)  # noqa: B023


@pytest.mark.parametrize("name", [*BOUNDED, *OTHERS])
def test_transport_against_a_hard_clustering_equals_the_oracle(name: str) -> None:
    assert_transport_is_exact(name, fitting(name, against_hard()))


@pytest.mark.parametrize("name", [*BOUNDED, *OTHERS])
def test_transport_between_uncertain_clusterings_equals_the_oracle(name: str) -> None:
    assert_transport_is_exact(name, fitting(name, both_uncertain()))


@pytest.mark.parametrize("name", [*COMMON, "elm_f"])
@pytest.mark.parametrize("cases", [against_hard, both_uncertain])
def test_transport_at_one_half_equals_the_oracle(
    name: str, cases: Callable[[], tuple[Case, ...]]
) -> None:
    """Between two uncertain clusterings this is no blend of the ends."""
    found = cache(partial(transported, name=name, alpha=0.5, method="exact"))
    for end in (0, 1):
        assert not differing(
            fitting(name, cases()[::2]),
            lambda c: found(c)[end],  # noqa: B023
            lambda c: exact(c, name, HALF),
        )


def test_transport_at_one_half_can_exceed_the_blend_of_the_ends() -> None:
    blends = [(half(case, "rand")[0], sum(ends(case, "rand")) / 2) for case in both_uncertain()]
    assert any(found > blend for found, blend in blends)
    assert not any(found < blend for found, blend in blends)


def test_a_distance_without_a_largest_value_is_refused_where_objects_may_be_in_no_cluster() -> None:
    lacking = cd.Possibilistic([[1, 0], [0.6, 0.3]])
    for name in UNLIMITED:
        with pytest.raises(cd.ClusterdiffError, match="not on a scale of 1"):
            cd.transport(name, empty_set="max_distance")([1, 2], lacking)
        assert cd.transport(name)([1, 2], lacking) == cd.transport(name)(
            [1, 2], lacking.normalise()
        )


@pytest.mark.parametrize("name", [*BOUNDED, *OTHERS])
@pytest.mark.parametrize("cases", [against_hard, both_uncertain])
@pytest.mark.parametrize("method", ["exact", "bounds"])
def test_mass_on_the_empty_set_is_normalised_by_default(
    name: str, cases: Callable[[], tuple[Case, ...]], method: str
) -> None:
    """The definition on masses that are normalised first, objects without any in singletons."""
    some = [case for case in cases() if case.has_empty]
    some += [case.taken([*range(len(case.truth)), 0, 0]) for case in some[::5]]
    given: Any = {"name": name, "method": method, "empty_set": "normalise"}
    wanted = {case: ends(case.normalised, name) for case in some[:: 1 if name in COMMON else 4]}
    if method == "exact":
        for end in (0, 1):
            differ = differing(
                wanted,
                lambda c: transported(c, **given)[end],  # noqa: B023
                lambda c: wanted[c][end],  # noqa: B023
            )
            assert not differ
    elif name in BOUNDED:
        assert not escaping(wanted, partial(transported, **given), wanted.__getitem__)


# Bounds


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("cases", [against_hard, both_uncertain])
def test_bounds_enclose_the_exact_values(name: str, cases: Callable[[], tuple[Case, ...]]) -> None:
    bounds = partial(transported, name=name, method="bounds")
    fit = fitting(name, cases())
    assert not escaping(fit, bounds, partial(ends, name=name))
    if name in COMMON:
        assert not escaping(fit, partial(bounds, alpha=0.5), partial(half, name=name))


@pytest.mark.parametrize("name", COMMON)
@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("cases", [against_hard, both_uncertain])
def test_bounds_of_one_end_enclose_it(
    name: str, end: int, cases: Callable[[], tuple[Case, ...]]
) -> None:
    bounds = partial(transported, name=name, alpha=float(end), method="bounds")
    assert not escaping(cases(), bounds, lambda c: [ends(c, name)[end]])


def test_bounds_are_often_narrow() -> None:
    """They would enclose everything from 0 to 1 as well."""
    for name in COMMON:
        found = [transported(case, name, method="bounds") for case in against_hard()]
        assert sum(high - low < 0.7 for low, high in found) > len(found) / 2


# Certain clusterings, whatever they are written as

LIFTS: dict[str, Callable[[cd.Partition], cd.Clustering]] = {
    "partition": lambda p: p,
    "rough": cd.Rough,
    "fuzzy": cd.Fuzzy,
    "possibilistic": cd.Possibilistic,
    "evidential": cd.Evidential,
    "possibilistic of rough": lambda p: cd.Possibilistic(cd.Rough(p)),
    "evidential of rough": lambda p: cd.Evidential(cd.Rough(p)),
    "evidential of fuzzy": lambda p: cd.Evidential(cd.Fuzzy(p)),
    "evidential of possibilistic": lambda p: cd.Evidential(cd.Possibilistic(p)),
}
LIKE_RAND = [
    *(cd.measure(name) for name in ("rand_belief", "rand_jousselme", "rand_conflict")),
    *(cd.rand_alpha(alpha=alpha) for alpha in (0.0, 0.5, 1.0)),
]
LIKE_RAND_BY_DEGREE = [
    cd.rand_campello,
    cd.rand_campello(tnorm="lukasiewicz", conorm="probabilistic_sum"),
    cd.rand_frigui,
    *(cd.measure(f"rand_hullermeier(distance={d})") for d in soft.ROW_DISTANCES),
    cd.rand_brouwer,
    cd.rand_anderson,
]


@cache
def certain() -> list[tuple[cd.Partition, cd.Partition]]:
    listed: list[Any] = [((0, 1, 1), (0, 0, 1)), noisy(9, 3, 1)]
    return [(cd.Partition(t), cd.Partition(g)) for t, g in listed]


@pytest.mark.parametrize("guess", LIFTS)
@pytest.mark.parametrize("truth", LIFTS)
def test_certain_clusterings_have_the_score_of_partitions(truth: str, guess: str) -> None:
    by_degree = not any(side.startswith("evidential") for side in (truth, guess))
    like = [*LIKE_RAND, *(LIKE_RAND_BY_DEGREE if by_degree else [])]
    for t, g in certain():
        hard, both = cd.meet(t, g), cd.meet(LIFTS[truth](t), LIFTS[guess](g))
        found = [measure.of(both) for measure in like]
        assert found == pytest.approx([cd.rand.of(hard)] * len(found), abs=1e-12)
        for over in ("n-1", "n"):
            moved = float(cd.partition_distance_alpha(over=over).of(both))
            assert moved == pytest.approx(cd.partition_distance(over=over).of(hard), abs=1e-12)
        for name in (*BOUNDED, "vi_distance", "elm_f"):
            carried = float(cd.transport(name).of(both))
            assert carried == pytest.approx(cd.measure(name).of(hard), abs=1e-12)


# Objects of which the same is known, orders and names


ANY_KIND = [
    *(check.measure for check in OF_MASSES if "0.75" not in str(check)),
    *(cd.transport(name, method="exact") for name in COMMON),
]
BOUNDS = [cd.transport(name, method="bounds") for name in COMMON]
KNOWN_DEGREES = [*(check.measure for check in BY_DEGREE), cd.rand_anderson, cd.rand_brouwer]


def values(measures: list[cd.Measure], of: Callable[[cd.Measure], Any]) -> list[float]:
    """Both ends of what the measures give."""
    return [float(end) for measure in measures for end in as_ends(of(measure))]


def as_ends(found: cd.ScoreRange | float) -> tuple[float, float]:
    return (found.low, found.high) if isinstance(found, cd.ScoreRange) else (found, found)


def assert_alike(case: Case, other: Case, measures: list[cd.Measure]) -> None:
    first, second = (values(measures, lambda m: m.of(c.meet)) for c in (case, other))  # noqa: B023
    assert first == pytest.approx(second, abs=1e-9), case


@cache
def few() -> list[tuple[Case, list[cd.Measure]]]:
    """Some cases, with the measures for them."""
    known = drawn(21, 1, objects=(2, 4), most=60)
    degrees = drawn(22, 1, truth=OF_DEGREES, guess=OF_DEGREES, objects=(2, 5))
    return [*((case, ANY_KIND) for case in known), *((case, KNOWN_DEGREES) for case in degrees)]


def test_the_order_of_objects_does_not_matter() -> None:
    rng = Random(23)
    for case, measures in few():
        n = len(case.truth)
        assert_alike(case, case.taken(rng.sample(range(n), n)), measures)


def test_the_names_of_clusters_do_not_matter() -> None:
    rng = Random(24)
    for case, measures in few():
        assert_alike(case, case.renamed(rng.sample(range(9), 3), rng.sample(range(9), 3)), measures)


def test_truth_and_guess_can_be_swapped() -> None:
    for case, measures in few():
        assert_alike(case, case.swapped, measures)


def repeated(seed: int, cases: Sequence[Case], most: int) -> list[Case]:
    """The same with some of at most two objects several times."""
    rng = Random(seed)
    return [
        case.taken([i for i in range(min(2, len(case.truth))) for _ in range(rng.randint(1, most))])
        for case in cases
    ]


@pytest.mark.parametrize("check", [OF_MASSES[1], *OF_MASSES[6:9], OF_MASSES[13]], ids=str)
def test_repeated_objects_count_as_often_as_they_occur(check: Checked, way: None) -> None:
    cases = repeated(25, of_masses()[::4], 3)
    assert not differing(cases, lambda c: check.measure.of(c.meet), partial(wanted, check))


@pytest.mark.parametrize("check", [*BY_DEGREE[::3], BY_DEGREE[-1]], ids=str)
def test_repeated_objects_count_as_often_in_measures_of_degrees(check: Checked, way: None) -> None:
    cases = repeated(26, of_degrees()[::4], 3)
    assert not differing(cases, lambda c: check.measure.of(c.meet), partial(wanted, check))


@pytest.mark.parametrize("name", COMMON)
def test_transport_of_repeated_objects_equals_the_oracle(name: str) -> None:
    against = repeated(27, against_hard()[::3], 2)
    between = [c for c in repeated(28, both_uncertain()[::3], 2) if pairs_of_rough(c) <= 60]
    assert len(between) > 25
    assert_transport_is_exact(name, [*against, *between])


def pairs_of_rough(case: Case) -> int:
    return len(soft.focal(case.truth)) * len(soft.focal(case.guess))


def written_out(m: cd.SoftMeet) -> cd.SoftMeet:
    """The same meet with a row for each object."""
    truth, guess = (
        SoftSide(side.kind, np.repeat(side.row, m.both), side.masses) for side in (m.truth, m.guess)
    )
    return cd.SoftMeet(truth, guess, np.ones(m.objects, np.int64))


def test_rows_with_many_objects_equal_rows_of_one() -> None:
    for case, measures in few():
        many = case.taken([*range(len(case.truth)), 0, 1])
        m = many.meet
        if isinstance(m, cd.SoftMeet) and pairs_of_rough(many) <= 100:
            alone = written_out(m)
            assert alone.rows > m.rows
            asked = [*measures, *BOUNDS]
            one, other = (values(asked, lambda f: f.of(x)) for x in (m, alone))  # noqa: B023
            assert one == pytest.approx(other, abs=1e-9), case


def test_there_are_cases_enough() -> None:
    assert len(of_masses()) >= 200
    assert {case.kinds for case in of_masses()} == set(product(soft.KINDS, soft.KINDS))
    assert len(of_degrees()) >= 220
    assert len(against_hard()) + len(both_uncertain()) >= 190
    assert {case.kinds for case in both_uncertain()} == set(product(UNCERTAIN, UNCERTAIN))
    for cases in (of_masses(), of_degrees(), against_hard(), both_uncertain()):
        assert 0.2 < sum(case.has_empty for case in cases) / len(cases) < 0.5
