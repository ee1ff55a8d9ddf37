"""When a value is the printed one, and the examples of the papers in other forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

import clusterdiff as cd
from cases import pairs_up_to_renaming
from clusterdiff.measures.matching import best_partners, jaccard
from clusterdiff_lab.papers import PAPERS
from clusterdiff_lab.papers.cice.values import CANDIDATE, EXTENDED, GOLD, PAIRS, WITH_SINGLES
from clusterdiff_lab.papers.elm.values import TABLE_1, TABLE_2
from clusterdiff_lab.papers.paper import Computed, Printed, computed, cut, is_printed
from clusterdiff_lab.papers.soft.values import LACKING, OBJECTS, SOFT, C, F, M, P, R


def test_variants_are_named_as_measures_print_and_give_what_is_said() -> None:
    hard, soft = PAPERS["soft"].values, {r.name: r for r in PAPERS["soft"].values if r.name}
    assert len(hard) > len(soft) > 6
    for name in soft:
        assert str(cd.measure(name)) == name
    rough = cd.Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}])
    for name in ("rand_alpha(pairs='all', alpha=1)", "partition_distance_alpha(over='n', alpha=1)"):
        row = next(r for r in hard if r.name == name and "(C, R)" in r.what)
        assert row.variant is not None
        assert row.variant() == pytest.approx(cd.measure(name)([1, 2, 2, 3, 1], rough), abs=1e-12)


@pytest.mark.parametrize(
    ("printed", "value", "expected"),
    [
        ("0.442", 53 / 120, True),
        ("0.44", 53 / 120, True),
        ("0.441", 53 / 120, False),
        ("0.2", 0.25, False),
        ("0.3", 0.25, True),
        ("1", 0.9, False),
        ("1/12", 1 / 12, True),
        ("1/12", 0.0833, False),
        ("-0.057", 0.0, False),
        ("0", (0.0, 0.0), True),
        ("0, 1", (0.0, 0.0), False),
        ("0, 1", 0.0, False),
        ("1/6 × 3, 1", (1 / 6, 1 / 6, 1 / 6, 1.0), True),
        ("maximal", 1.0, False),
        ("maximal", "maximal", True),
    ],
)
def test_a_number_is_the_printed_one_to_its_digits(
    printed: str, value: float | str | tuple[float, ...], expected: bool
) -> None:
    assert is_printed(printed, value) is expected


def test_cut_numbers() -> None:
    assert cut(".66")(2 / 3)
    assert not cut(".66")(0.67)
    assert not cut(".66")(0.65)


def test_verdicts_follow_the_values() -> None:
    def verdict(printed: str, value: float, variant: float | None = None) -> str:
        varied = None if variant is None else lambda: variant
        return computed(Printed("", "", printed, lambda: value, varied)).verdict

    assert verdict("", 1.0) == "not printed"
    assert verdict("0.5", 0.5, 0.4) == "as printed"
    assert verdict("0.4", 0.5, 0.4) == "by a variant"
    assert verdict("0.3", 0.5, 0.4) == "a slip"
    assert isinstance(computed(PAPERS["elm"].values[0]), Computed)


# The examples in other forms: the other way round, as intervals, with other parameters


def near(*values: str | float | Fraction) -> object:
    return pytest.approx([float(Fraction(value)) for value in values], rel=0, abs=1e-12)


def test_the_smallest_covers_that_extended_bcubed_confuses_are_so_both_ways_round() -> None:
    pairs, singles = map(cd.Cover.from_clusters, (PAIRS, WITH_SINGLES))
    for sides in ((pairs, singles), (singles, pairs)):
        assert [measure(*sides) for measure in EXTENDED.values()] == near(1, 1, 1)
    ends = [cd.cice_f(pairs, singles, alpha=alpha) for alpha in (1, 0)]
    assert ends == near("23/36", "2/3")


def test_the_best_class_of_every_candidate_cluster_is_found_by_cice() -> None:
    """Eqs (4) and (5): the Jaccard index with it is 2/3 for all six."""
    both = cd.meet(cd.Cover.from_clusters(GOLD), cd.Cover.from_clusters(CANDIDATE))
    assert isinstance(both, cd.CoverMeet)
    assert sorted(best_partners(both, jaccard, apart=False)) == near(*["2/3"] * 6)


@pytest.mark.parametrize("n", range(1, 9))
def test_both_extremes_either_way_round(n: int) -> None:
    top, bottom = [0] * n, list(range(n))
    share, f = Fraction(1, n), Fraction(2, n + 1)
    both: list[tuple[tuple[list[int], list[int]], tuple[float | Fraction, ...]]] = [
        ((top, bottom), (1, share, f)),
        ((bottom, top), (share, 1, f)),
    ]
    for sides, expected in both:
        measures = cd.bcubed_precision, cd.bcubed_recall, cd.bcubed_f
        assert [measure(*sides) for measure in measures] == near(*expected)
        assert cd.elm_f(*sides) == (n == 1)


@pytest.mark.parametrize("measure", [cd.bcubed_f(f="objects"), cd.elm_f], ids=str)
def test_mean_of_own_f1_is_at_most_f1_of_means(measure: cd.Measure) -> None:
    """So the printed F1 of Tables 1 and 2, below the F of P and R, is that of own F1."""
    of_means, below = measure(f="means"), 0
    for n in range(1, 6):
        for both in pairs_up_to_renaming(n):
            m = cd.meet(*both)
            assert measure.of(m) <= of_means.of(m) + 1e-12, both
            below += measure.of(m) < of_means.of(m) - 1e-12
    assert below > 0
    for row in (*TABLE_1, *TABLE_2):
        p, r, f = (float(mean.mean) for mean in row[2:])
        assert f < 2 * p * r / (p + r)


@pytest.mark.parametrize(
    ("features", "expected"), [((-1.0, 1.0, -1.0, 1.0), "1"), ((0.0, 1.0, 4.0, 6.0), "10/91")]
)
def test_features_may_be_rows(features: tuple[float, ...], expected: str) -> None:
    rows = [[f] for f in features]
    value = cd.split_merge([0] * 4, [0, 0, 1, 1], similarity="mse", features=rows)
    assert [value] == near(expected)


def test_relations_are_the_same_both_ways_round_and_listed() -> None:
    listed = {(a, b): relation for a, b, relation in M.relations()}
    for x, y in combinations(OBJECTS, 2):
        assert listed[x, y] == M.relation(x, y) == M.relation(y, x)


def test_what_the_uncertain_clusterings_allow() -> None:
    """Examples 2.4 and 3.1: six tuples, of which no two are the same partition."""
    compatible = [(1, 2, third, 3, fifth) for third in (2, 3) for fifth in (1, 2, 3)]
    ((sets, chance),) = R.distribution().items()
    assert (list(product(*map(sorted, sets))), chance) == (compatible, 1)
    assert all(cd.rand(a, b) < 1 for a, b in combinations(compatible, 2))
    chances = {tuple(min(a) for a in sets): p for sets, p in F.distribution().items()}
    assert sorted(chances) == compatible
    for t_norm in ("min", "product"):
        for labels in compatible:
            assert P.possibility(labels, t_norm) == (0.8 if labels[4] == 3 else 1)
        assert P.possibility([2, 2, 2, 3, 1], t_norm) == 0
    every, two = frozenset({1, 2, 3}), frozenset({2, 3})
    masses = {(sets[2], sets[4]): m for sets, m in M.distribution().items()}
    for third in (every, two):
        assert [masses[third, every]] == near("1/4")
        assert [masses[third, frozenset({w})] for w in (1, 2, 3)] == near(*["1/12"] * 3)


@pytest.mark.parametrize(
    ("name", "rand", "moves", "rand_alpha", "delta"),
    [
        ("R", "1 3/4 1/2", "0 1/4 1/2", "1 7/10 2/5", "0 5/16 5/8"),
        ("F", "11/15 11/15 11/15", "7/24 7/24 7/24", "11/15 11/15 11/15", "7/24 7/24 7/24"),
        ("P", "1 19/25 13/25", "0 1/4 1/2", "1 71/100 21/50", "0 3/10 3/5"),
        ("M", "11/12 59/80 67/120", "1/12 13/48 11/24", "14/15 11/16 53/120", "1/12 1/3 7/12"),
    ],
)
def test_ends_and_middle_of_the_intervals(
    name: str, rand: str, moves: str, rand_alpha: str, delta: str
) -> None:
    """Examples 3.2, 3.3, 4.2 and 4.3 at alpha = 0, 1/2 and 1; and over all pairs, or over n."""
    soft = SOFT[name]
    for measure, written in (
        (cd.transport("rand"), rand),
        (cd.transport("partition_distance"), moves),
        (cd.rand_alpha, rand_alpha),
        (cd.partition_distance_alpha, delta),
    ):
        found, values = measure(C, soft), written.split()
        ends = (found.low, found.high) if measure.is_distance else (found.high, found.low)
        assert [ends[0], found.at(0.5), ends[1]] == near(*values)
        assert [measure(C, soft, alpha=alpha) for alpha in (0, 0.5, 1)] == near(*values)
        assert found.certain
    for alpha, value, moved in zip((0, 0.5, 1), rand_alpha.split(), delta.split(), strict=True):
        every = (20 * Fraction(value) + 5) / 25
        assert [cd.rand_alpha(C, soft, alpha=alpha, pairs="all")] == near(every)
        over_n = cd.partition_distance_alpha(C, soft, alpha=alpha, over="n")
        assert [over_n] == near(Fraction(moved) * 4 / 5)


def test_indices_of_degrees_by_their_parameters() -> None:
    by_hand = cd.rand_campello(tnorm="product", conorm="bounded_sum")
    assert [by_hand(C, F), by_hand(F, F)] == near("11/15", "13/18")
    assert cd.rand_hullermeier(C, F, distance="cosine") == cd.rand_brouwer(C, F)


def test_possibilities_below_1_as_intervals() -> None:
    found = cd.rand_alpha([1, 1], LACKING)
    assert [found.high, found.at(0.5), found.low] == near("3/5", "9/20", "3/10")
    found = cd.transport("rand", empty_set="max_distance")([1, 1], LACKING)
    assert [1 - found.high, 1 - found.low] == near("2/5", "7/10")
