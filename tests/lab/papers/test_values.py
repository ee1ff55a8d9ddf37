"""Every number that the papers print, or that follows from them, worked out by hand.

A row says what it is, what is printed, what the definition gives, what the variant gives where the
print was made with one, and the verdict. Fractions are exact, decimals have six places.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import pytest

import clusterdiff as cd
from cases import pairs_up_to_renaming
from clusterdiff.measures.matching import best_partners, jaccard
from clusterdiff_lab.papers import PAPERS
from clusterdiff_lab.papers.cice.values import CANDIDATE, EXTENDED, GOLD, PAIRS, WITH_SINGLES
from clusterdiff_lab.papers.elm.values import TABLE_1, TABLE_2
from clusterdiff_lab.papers.paper import Computed, Printed, computed, cut, is_printed, numbers
from clusterdiff_lab.papers.soft.values import LACKING, OBJECTS, SOFT, C, F, M, P, R

PRINTED, VARIANT, SLIP = "as printed", "by a variant", "a slip"
NOT, IMPOSSIBLE = "not printed", "impossible"


class Row(NamedTuple):
    what: str
    printed: str
    value: str
    verdict: str = PRINTED
    variant: str = ""


def unprinted(what: str, value: str) -> Row:
    return Row(what, "", value, NOT)


ELM = {
    "Section 2, truth {1,2}, guess {1},{2}": [
        Row("BCubed precision", "1", "1"),
        Row("BCubed recall", ".5", "1/2"),
        Row("BCubed F1", ".66", "2/3"),
        Row("ELM precision, recall, F1", "1, 0, 0", "1, 0, 0"),
    ],
    "Section 2, truth {1},{2}, guess {1,2}": [
        Row("BCubed precision", ".5", "1/2"),
        Row("BCubed recall", "1", "1"),
        Row("BCubed F1", ".66", "2/3"),
        Row("ELM precision, recall, F1", "0, 1, 0", "0, 1, 0"),
    ],
    "Section 2, both examples as one test set": [
        Row("BCubed precision", ".75", "3/4"),
        Row("BCubed recall", ".75", "3/4"),
        Row("BCubed F1", ".66", "2/3"),
        unprinted("BCubed F1 of the mean precision and recall", "3/4"),
    ],
    "Section 2, one cluster of n against n single elements": [
        Row("BCubed F1, n = 1 to 8", "2/(n+1)", "1, 2/3, 1/2, 2/5, 1/3, 2/7, 1/4, 2/9"),
        Row("ELM F1, n = 2 to 8", "0", "0, 0, 0, 0, 0, 0, 0"),
    ],
    "Page streams, Section 3.2": [
        Row("mean true cluster size", "33", "10309/1254", SLIP),
        unprinted("mean number of clusters in a stream", "2508/75"),
    ],
    "Tables 1 and 2": [
        Row(
            "F1; by definition the F of the printed precision and recall",
            "0.34, 0.10, 0.34, 0.31, 0.51, 0.44",
            "text: 0.41, 0.18, 0.41, 0.39, 0.69, 0.65",
            "needs data",
        ),
    ],
    "Rag bag, Section 3.3.3 and Figure 6": [
        Row(
            "ELM precision of the clean elements after C3 has joined them",
            "3/4",
            "3/4, 3/4, 3/4, 3/4",
        ),
        unprinted("BCubed precision of the same", "4/5, 4/5, 4/5, 4/5"),
        Row("ELM F1 of D1 and of D2", "D1 > D2", "4/9, 8/21"),
    ],
    "Size and quantity, Section 3.3.4": [
        Row("case 1: ELM recall of the other three", "2/3", "2/3, 2/3, 2/3"),
        Row("case 1: ELM F1 of the other three", "4/5", "4/5, 4/5, 4/5"),
        Row("case 1: ELM F1 of the singleton", "0", "0"),
        Row("case 1: drop of the sum of ELM F1", "4 - 12/5", "8/5"),
        Row("case 2: drop of the sum of ELM F1", "4", "4"),
        unprinted("both drops with BCubed F1", "36/35, 4/3"),
    ],
}

CICE = {
    "Section 3, the example of six objects": [
        Row("Extended BCubed precision, recall, F", "F is maximal", "1, 1, 1"),
        unprinted("CICE precision", "2/3"),
        unprinted("CICE recall", "2/3"),
        Row("CICE F", "< 1", "2/3"),
        unprinted("CICE F at alpha = 0", "2/3"),
        unprinted("CICE F at alpha = 1", "2/3"),
        unprinted("best Jaccard index of candidate {1,2,4}", "2/3"),
        unprinted("best Jaccard index of candidate {1,3}", "2/3"),
        unprinted("best Jaccard index of candidate {3,4}", "2/3"),
        unprinted("best Jaccard index of candidate {2,5}", "2/3"),
        unprinted("best Jaccard index of candidate {3,5,6}", "2/3"),
        unprinted("best Jaccard index of candidate {2,6}", "2/3"),
        unprinted("CICE P, R, F with only the classes that hold the pair", "23/36, 23/36, 23/36"),
    ],
    "The smallest such example: {1,2,3},{1},{2},{3} against {1,2},{1,3},{2,3}": [
        unprinted("Extended BCubed F", "1"),
        unprinted("CICE precision, recall, F", "23/36, 2/3, 92/141"),
    ],
    "A cluster that the candidate has twice": [
        unprinted("{1,2,3} twice against {1,2,3}: CICE P, R, F", "1/2, 1, 2/3"),
    ],
    "Object 3 in no cluster: 0/0 in Equations (1) and (7), without a rule": [
        unprinted("{1,2} against itself, P, R, F by uncovered='zero'", "2/3, 2/3, 2/3"),
        unprinted(
            "candidate {1,2}, gold {1,2},{3}, P, R, F by uncovered='zero'", "2/3, 2/3, 2/3"
        ),
        unprinted("{1,2} against itself, P, R, F by uncovered='one'", "1, 1, 1"),
        unprinted("candidate {1,2}, gold {1,2},{3}, P, R, F by uncovered='one'", "1, 2/3, 4/5"),
        unprinted("{1,2} against itself, P, R, F by uncovered='skip'", "1, 1, 1"),
        unprinted("candidate {1,2}, gold {1,2},{3}, P, R, F by uncovered='skip'", "1, 2/3, 4/5"),
    ],
}  # fmt: skip

SPLIT_MERGE = {
    "Least value of N: Table 2 and Proposition 5.1, (⌊√n⌋ + ⌈√n⌉)/2n": [
        Row("n = 1", "1", "1"),
        Row("n = 2", "3/4", "3/4"),
        Row("n = 3", "1/2", "2/3", SLIP),
        Row("n = 4", "1/2", "1/2"),
        Row("n = 5", "1/2", "1/2"),
        Row("n = 6", "5/12", "5/12"),
        Row("n = 7", "5/14", "3/7", SLIP),
        Row("n = 8", "5/16", "3/8", SLIP),
    ],
    "Proof of Proposition 5.1": [
        Row(
            "S_H of one cluster against single objects, n = 2 to 8",
            "in (0, 1)",
            "0, 0, 0, 0, 0, 0, 0",
            SLIP,
        ),
    ],
    "S* by the mean squared error, Section 4.5: L one cluster, C = {1,2},{3,4}": [
        Row("features -1, 1, -1, 1", "< 1", "1", SLIP),
        unprinted("features 0, 1, 4, 6", "10/91"),
    ],
    "Section 6": [
        Row(
            "S_H along the series, for clusters of 4, 2, 1 and 1 objects",
            "strictly from 1 to 0",
            "1, 3/4, 1/2, 3/8, 1/4, 0",
        ),
    ],
    "All measures of Sections 3 and 4: L = {1,2,3},{4,5},{6}, C = {1,2},{3,4},{5,6}": [
        unprinted("R, the Rand index", "2/3"),
        unprinted("N, by van Dongen", "2/3"),
        unprinted("A, the accuracy", "2/3"),
        unprinted("I, the mutual information", "0.549306"),
        unprinted("NMI, over the larger entropy", "1/2"),
        unprinted("V, by the variation of information", "0.435525"),
        unprinted("S_H", "0.140207"),
        unprinted("S', by entropy", "0.355155"),
        unprinted("K, k = 3", "0.539690"),
    ],
}

UNCERTAIN = {
    "Example 2.2": [
        Row(
            "pairs of [C]",
            "(1,5), (5,1), (2,3), (3,2)",
            "text: (1,1), (1,5), (2,2), (2,3), (3,2), (3,3), (4,4), (5,1), (5,5)",
            SLIP,
        ),
    ],
    "Example 2.4": [Row("hard clusterings in C(R): tuples, partitions", "6", "6, 6")],
    "Table 1, Example 2.6: masses of empty, together, apart, unknown": [
        Row("x1, x2", "0, 0, 1, 0", "0, 0, 1, 0"),
        Row("x1, x3", "0, 0, 0.5, 0.5", "0, 0, 1/2, 1/2"),
        Row("x1, x4", "0, 0, 1, 0", "0, 0, 1, 0"),
        Row("x1, x5", "0, 1/6, 1/3, 0.5", "0, 1/6, 1/3, 1/2"),
        Row("x2, x3", "0, 0, 0, 1", "0, 0, 0, 1"),
        Row("x2, x4", "0, 0, 1, 0", "0, 0, 1, 0"),
        Row("x2, x5", "0, 1/6, 1/3, 0.5", "0, 1/6, 1/3, 1/2"),
        Row("x3, x4", "0, 0, 0, 1", "0, 0, 0, 1"),
        Row("x3, x5", "0, 0, 1/12, 11/12", "0, 0, 1/12, 11/12"),
        Row("x4, x5", "0, 1/6, 1/3, 0.5", "0, 1/6, 1/3, 1/2"),
    ],
    "Example 2.7, objects x2 and x3": [
        Row("d_B(M, M1)", "0.5", "1/2"),
        Row("d_B(M2, M1)", "0.5", "1/2"),
        Row("d_J(M, M1)", "0.71", "0.707107"),
        Row("d_J(M2, M1)", "0.5", "1/2"),
    ],
    "Section 2.3.1, by conflict and by Jousselme's distance": [
        unprinted("Rand_K, Rand_J(C, R)", "1, 0.575736"),
        unprinted("Rand_K, Rand_J(C, F)", "11/15, 11/15"),
        unprinted("Rand_K, Rand_J(C, P)", "1, 0.589878"),
        unprinted("Rand_K, Rand_J(C, M)", "14/15, 0.597758"),
    ],
    "Section 2.3.1, indices of degrees of membership": [
        unprinted("Hüllermeier (C, F), half the sum of differences", "7/10"),
        unprinted("Brouwer (C, F), cosine", "0.660615"),
        unprinted("Campello (C, F), min and max", "5/7"),
        unprinted("Frigui (C, F), product and bounded sum", "11/15"),
        unprinted("Campello and Frigui (F, F)", "7/11, 13/18"),
    ],
    "Example 3.1": [
        Row(
            "Pr_F",
            "12333 12332 12331 12233 12232 12331: 1/6 each",
            "text: 12333 12332 12331 12233 12232 12231: 1/6 each",
            SLIP,
        ),
        Row("Poss_P", "0.8, 0.8, 1 × 4", "4/5, 4/5, 1, 1, 1, 1"),
        Row(
            "m_M", "0.25, 0.25, 1/12 × 6", "1/4, 1/4, 1/12, 1/12, 1/12, 1/12, 1/12, 1/12"
        ),
    ],
    "Example 3.2, d = 1 - Rand": [
        Row("d₀(C, R)", "0", "0"),
        Row("d½(C, R)", "0.25", "1/4"),
        Row("d₁(C, R)", "0.5", "1/2"),
    ],
    "Example 3.2, d = d_π": [
        Row("d₀(C, R)", "0", "0", PRINTED, "0"),
        Row("d½(C, R)", "0.2", "1/4", VARIANT, "1/5"),
        Row("d₁(C, R)", "0.4", "1/2", VARIANT, "2/5"),
    ],
    "Example 3.3, d = 1 - Rand": [
        Row("d₀(C, F)", "0.267", "4/15"),
        Row("d₁(C, F)", "0.267", "4/15"),
        Row("d₀(C, P)", "0", "0"),
        Row("d₁(C, P)", "0.48", "12/25"),
        Row("d₀(C, M)", "1/12", "1/12"),
        Row("d₁(C, M)", "0.442", "53/120"),
    ],
    "Example 3.3, d = d_π": [
        Row("d₀(C, F)", "0.23", "7/24", VARIANT, "7/30"),
        Row("d₁(C, F)", "0.23", "7/24", VARIANT, "7/30"),
        Row("d₀(C, P)", "0", "0", PRINTED, "0"),
        Row("d₁(C, P)", "0.4", "1/2", VARIANT, "2/5"),
        Row("d₀(C, M)", "0.07", "1/12", VARIANT, "1/15"),
        Row("d₁(C, M)", "0.37", "11/24", VARIANT, "11/30"),
    ],
    "Alpha = 1/2 in Examples 3.2 to 4.3: d of 1 - Rand, d of d_π, and δ": [
        unprinted("d½(C, R), d½(C, R), δ½(C, R)", "1/4, 1/4, 5/16"),
        unprinted("d½(C, F), d½(C, F), δ½(C, F)", "4/15, 7/24, 7/24"),
        unprinted("d½(C, P), d½(C, P), δ½(C, P)", "6/25, 1/4, 3/10"),
        unprinted("d½(C, M), d½(C, M), δ½(C, M)", "21/80, 13/48, 1/3"),
    ],
    "Example 4.1, R' of which nothing is known, d = 1 - Rand": [
        Row("d₀(C, R')", "0", "0"),
        Row("d₁(C, R')", "1", "4/5", SLIP),
    ],
    "Example 4.2": [
        Row("Rand₀(C, R)", "1", "1", PRINTED, "1"),
        Row("Rand₁(C, R)", "0.52", "2/5", VARIANT, "13/25"),
        Row("Rand₀(C, F)", "0.79", "11/15", VARIANT, "59/75"),
        Row("Rand₁(C, F)", "0.79", "11/15", VARIANT, "59/75"),
        Row("Rand₀(C, P)", "1", "1", PRINTED, "1"),
        Row("Rand₁(C, P)", "0.54", "21/50", VARIANT, "67/125"),
        Row("Rand₀(C, M)", "0.95", "14/15", VARIANT, "71/75"),
        Row("Rand₁(C, M)", "0.55", "53/120", VARIANT, "83/150"),
    ],
    "Corollary 4.2": [
        unprinted("Rand½, Rand_B(C, R)", "7/10, 7/10"),
        unprinted("Rand½, Rand_B(C, F)", "11/15, 11/15"),
        unprinted("Rand½, Rand_B(C, P)", "71/100, 71/100"),
        unprinted("Rand½, Rand_B(C, M)", "11/16, 11/16"),
    ],
    "Example 4.3": [
        Row("δ₀(C, R)", "0", "0", PRINTED, "0"),
        Row("δ₁(C, R)", "0.5", "5/8", VARIANT, "1/2"),
        Row("δ₀(C, F)", "0.23", "7/24", VARIANT, "7/30"),
        Row("δ₁(C, F)", "0.23", "7/24", VARIANT, "7/30"),
        Row("δ₀(C, P)", "0", "0", PRINTED, "0"),
        Row("δ₁(C, P)", "0.48", "3/5", VARIANT, "12/25"),
        Row("δ₀(C, M)", "0.07", "1/12", VARIANT, "1/15"),
        Row("δ₁(C, M)", "0.47", "7/12", VARIANT, "7/15"),
    ],
    "Possibilities below 1: (1, 0) and (0.6, 0.3), empty mass 1 - max": [
        unprinted("masses of the second: {}, {1}, {1,2}", "2/5, 3/10, 3/10"),
        unprinted("the two: empty, together, apart, unknown", "2/5, 3/10, 0, 3/10"),
        unprinted("Rand₀, Rand½, Rand₁, Rand_B with C = (1, 1)", "3/5, 9/20, 3/10, 9/20"),
        unprinted("d₀ and d₁ with C = (1, 1), d = 1 - Rand", "2/5, 7/10"),
    ],
    "Table 2, Iris": [
        Row(
            "k-means, T-PD; by definition its two neighbours",
            "0.111",
            "16/149, 17/149",
            IMPOSSIBLE,
            "16/150, 17/150",
        ),
        Row("ECM, upper end of A-RI less that of T-RI", "-0.057", "0", IMPOSSIBLE),
        Row("ECM, upper end of A-PD less that of T-PD", "-0.008", "0", IMPOSSIBLE),
        Row("ECM, lower end of S-RI less that of T-RI", "-0.100", "from -0.05 to 0.05", IMPOSSIBLE),
    ],
}  # fmt: skip

EXPECTED = {"elm": ELM, "cice": CICE, "split-merge": SPLIT_MERGE, "soft": UNCERTAIN}
CASES = [
    pytest.param(paper, position, row, id=f"{paper}: {where}: {row.what}")
    for paper, places in EXPECTED.items()
    for position, (where, row) in enumerate(
        (where, row) for where, rows in places.items() for row in rows
    )
]


def is_value(expected: str, found: object) -> bool:
    if expected.startswith("text: "):
        return found == expected.removeprefix("text: ")
    assert isinstance(found, float | Fraction | tuple)
    listed = numbers(found)
    if expected.startswith("from "):
        low, _, high = expected.removeprefix("from ").partition(" to ")
        return all(float(low) <= x <= float(high) for x in listed)
    wanted = expected.split(", ")
    return len(wanted) == len(listed) and all(
        abs(Fraction(w) - Fraction(x)) < (5e-7 if "." in w else 1e-12)
        for w, x in zip(wanted, listed, strict=True)
    )


@pytest.mark.parametrize("paper", EXPECTED)
def test_all_rows_are_there_with_what_is_printed(paper: str) -> None:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in PAPERS[paper].values:
        found.setdefault(row.where, []).append((row.what, row.printed))
    assert found == {
        where: [(row.what, row.printed) for row in rows] for where, rows in EXPECTED[paper].items()
    }


def test_there_are_as_many_as_the_papers_have() -> None:
    assert {key: len(paper.values) for key, paper in PAPERS.items()} == {
        "elm": 26, "cice": 22, "split-merge": 21, "soft": 80,
    }  # fmt: skip


@pytest.mark.parametrize(("paper", "position", "expected"), CASES)
def test_value(paper: str, position: int, expected: Row) -> None:
    found = computed(PAPERS[paper].values[position])
    assert is_value(expected.value, found.value), found.value
    assert found.verdict == expected.verdict
    if expected.variant:
        assert is_value(expected.variant, found.variant), found.variant
    else:
        assert found.variant is None


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


@pytest.mark.parametrize("measure", [cd.bcubed_f, cd.elm_f], ids=str)
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
