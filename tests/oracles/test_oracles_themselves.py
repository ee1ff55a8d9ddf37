"""The oracles give the numbers of the papers, of other definitions and of scikit-learn."""

import math
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from . import ORACLES, adjusted, ceaf_e_f_values, ceaf_m_f_values, expected, partitions
from .bcubed import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    elm_f,
    elm_precision,
    elm_recall,
    own_bcubed,
    own_elm,
)
from .common import Number, clusters, f_of
from .coreference import (
    blanc_f,
    blanc_precision,
    blanc_recall,
    ceaf_e_f,
    ceaf_e_precision,
    ceaf_e_recall,
    ceaf_m_f,
    ceaf_m_precision,
    ceaf_m_recall,
    conll,
    lea_f,
    lea_precision,
    lea_recall,
    muc_f,
    muc_precision,
    muc_recall,
)
from .elements import affinity, element_similarity
from .information import (
    adjusted_mutual_information,
    mutual_information,
    nmi,
    normaliser,
    v_measure,
    vi_distance,
    vi_similarity,
    vi_similarity_k,
)
from .matching import (
    accuracy,
    exact_f,
    exact_precision,
    exact_recall,
    inverse_purity,
    normalized_clustering_accuracy,
    pair_sets_index,
    partition_distance,
    purity,
    purity_f,
    van_dongen,
)
from .pairs import (
    adjusted_rand,
    fowlkes_mallows,
    mirkin_distance,
    pair_f,
    pair_jaccard,
    pair_precision,
    pair_recall,
    rand,
)
from .segmentation import (
    boundary_precision,
    boundary_recall,
    match_precision,
    panoptic_quality,
    panoptic_quality_rq,
    panoptic_quality_sq,
)
from .splitmerge import split_merge

Q = Fraction
Labels = dict[Hashable, Hashable]


def made(*groups: str) -> Labels:
    """A clustering from its clusters; each character is an object."""
    return {x: group for group in groups for x in group}


def top(n: int) -> Labels:
    """All objects in one cluster."""
    return dict.fromkeys(range(n), "all")


def bottom(n: int) -> Labels:
    """Each object alone."""
    return {x: x for x in range(n)}


def pairs_of_partitions(*sizes: int) -> Iterator[tuple[Labels, Labels]]:
    """Every pair of partitions of n objects, for each n."""
    for n in sizes:
        yield from product(partitions(n), repeat=2)


def types(n: int) -> list[Labels]:
    """One partition of 1..n for every list of cluster sizes."""
    by_sizes = {tuple(sorted(map(len, clusters(c)))): c for c in partitions(n)}
    return list(by_sizes.values())


# The worked numbers of the ELM paper.


def test_two_objects_and_the_dual() -> None:
    together, alone = made("12"), made("1", "2")
    assert bcubed_precision(together, alone) == 1
    assert bcubed_recall(together, alone) == Q(1, 2)
    assert bcubed_f(together, alone, f="objects") == Q(2, 3)
    assert bcubed_precision(alone, together) == Q(1, 2)
    assert bcubed_recall(alone, together) == 1
    assert bcubed_f(alone, together, f="objects") == Q(2, 3)
    measures = (elm_precision, elm_recall, elm_f)
    assert [m(together, alone) for m in measures] == [1, 0, 0]
    assert [m(alone, together) for m in measures] == [0, 1, 0]


def test_both_examples_as_one_test_set() -> None:
    truth, guess = made("12", "3", "4"), made("1", "2", "34")
    assert bcubed_precision(truth, guess) == Q(3, 4)
    assert bcubed_recall(truth, guess) == Q(3, 4)
    assert bcubed_f(truth, guess, f="objects") == Q(2, 3)
    assert bcubed_f(truth, guess) == Q(3, 4)


@pytest.mark.parametrize("n", range(1, 9))
def test_the_two_extremes(n: int) -> None:
    for truth, guess in [(top(n), bottom(n)), (bottom(n), top(n))]:
        assert bcubed_f(truth, guess, f="objects") == Q(2, n + 1)
        assert elm_f(truth, guess) == (1 if n == 1 else 0)


def test_size_against_quantity() -> None:
    truth, guess = made("1234"), made("123", "4")
    assert [own_elm(guess, truth, x) for x in "123"] == [Q(2, 3)] * 3
    f1 = [f_of(own_elm(truth, guess, x), own_elm(guess, truth, x), 0.5) for x in "1234"]
    assert f1 == [Q(4, 5), Q(4, 5), Q(4, 5), 0]
    assert 4 - 4 * elm_f(truth, guess) == Q(8, 5)
    assert 4 - 4 * bcubed_f(truth, guess, f="objects") == Q(36, 35)
    small, split = made("12", "34"), made("1", "2", "3", "4")
    assert 4 - 4 * elm_f(small, split) == 4
    assert 4 - 4 * bcubed_f(small, split, f="objects") == Q(4, 3)


def test_rag_bag() -> None:
    truth = made("1234", *"56789")
    with_rags, with_clean = made("1234", "56789"), made("12349", "5678")
    assert own_elm(truth, with_clean, "1") == Q(3, 4)
    assert own_bcubed(truth, with_clean, "1") == Q(4, 5)
    assert elm_f(truth, with_rags) == Q(4, 9)
    assert elm_f(truth, with_clean) == Q(8, 21)


def test_counterexamples_from_the_check_of_the_claims() -> None:
    truth = made("123", "4", "5", "6")
    assert bcubed_f(truth, made("124", "3", "56"), f="objects") == Q(11, 18)
    assert bcubed_f(truth, made("3", "12", "456"), f="objects") == Q(3, 5)
    truth = made("12", "3", "4")
    assert elm_f(truth, made("13", "2", "4")) == Q(1, 4)
    assert elm_f(truth, made("2", "1", "34")) == 0
    assert elm_recall(made("1", "23"), made("1", "2", "3")) == Q(1, 3)


def test_elm_is_never_above_bcubed() -> None:
    for truth, guess in pairs_of_partitions(1, 2, 3, 4):
        assert elm_precision(truth, guess) <= bcubed_precision(truth, guess)
        assert elm_recall(truth, guess) <= bcubed_recall(truth, guess)
        assert elm_f(truth, guess) <= bcubed_f(truth, guess, f="objects")
        assert elm_f(truth, guess, f="means") <= bcubed_f(truth, guess)


# The worked numbers of the split-merge paper.

REFERENCE = made("123", "45", "6"), made("12", "34", "56")
MINIMUM_OF_N = [Q(1), Q(3, 4), Q(2, 3), Q(1, 2), Q(1, 2), Q(5, 12), Q(3, 7), Q(3, 8)]


@pytest.mark.parametrize("n", range(1, 7))
def test_minimum_of_n_over_all_pairs(n: int) -> None:
    assert min(van_dongen(*pair) for pair in pairs_of_partitions(n)) == MINIMUM_OF_N[n - 1]


@pytest.mark.parametrize("n", [7, 8])
def test_minimum_of_n_up_to_renaming(n: int) -> None:
    least = min(van_dongen(truth, guess) for truth in types(n) for guess in partitions(n))
    assert least == MINIMUM_OF_N[n - 1]


@pytest.mark.parametrize("n", range(2, 9))
def test_entropy_score_of_the_extremes(n: int) -> None:
    assert split_merge(top(n), bottom(n)) == pytest.approx(0, abs=1e-15)
    assert split_merge(bottom(n), top(n)) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("points", "value"), [((-1, 1, -1, 1), Q(1)), ((0, 1, 4, 6), Q(10, 91))])
def test_mean_squared_error(points: tuple[int, ...], value: Fraction) -> None:
    features: dict[Hashable, list[Fraction]] = {
        x: [Q(point)] for x, point in zip("1234", points, strict=True)
    }
    truth, guess = made("1234"), made("12", "34")
    assert split_merge(truth, guess, similarity="mse", features=features) == value
    assert split_merge(guess, truth, similarity="mse", features=features) == value


def test_mean_squared_error_of_vectors_and_of_equal_points() -> None:
    truth, guess = made("1234"), made("12", "34")
    square: dict[Hashable, list[float]] = {"1": [0, 0], "2": [0, 1], "3": [1, 0], "4": [1, 1]}
    assert split_merge(truth, guess, similarity="mse", features=square) == Q(1, 2)
    still: dict[Hashable, list[float]] = {x: [0.25] for x in "1234"}
    assert split_merge(truth, guess, similarity="mse", features=still) == 1


def test_series_from_best_to_worst() -> None:
    truth = made("1234", "56", "7", "8")
    series = [
        truth,
        made("12", "34", "56", "7", "8"),
        made("12", "34", *"5678"),
        made("1", "2", "34", *"5678"),
        made(*"12345678"),
        made(*"123456", "78"),
    ]
    values = [split_merge(truth, guess) for guess in series]
    assert values == pytest.approx([1, 0.75, 0.5, 0.375, 0.25, 0], abs=1e-15)


def test_reference_pair() -> None:
    assert rand(*REFERENCE) == Q(2, 3)
    assert van_dongen(*REFERENCE) == Q(2, 3)
    assert accuracy(*REFERENCE) == Q(2, 3)
    assert mutual_information(*REFERENCE) == pytest.approx(0.549306, abs=5e-7)
    assert nmi(*REFERENCE, norm="max") == pytest.approx(0.5, abs=5e-7)
    assert vi_similarity(*REFERENCE) == pytest.approx(0.435525, abs=5e-7)
    assert split_merge(*REFERENCE) == pytest.approx(0.140207, abs=5e-7)
    assert split_merge(*REFERENCE, combine="mean") == pytest.approx(0.355155, abs=5e-7)
    assert vi_similarity_k(*REFERENCE, k=3) == pytest.approx(0.539690, abs=5e-7)
    assert vi_similarity_k(*REFERENCE) == vi_similarity_k(*REFERENCE, k=3)


def test_k_and_the_mean_form() -> None:
    assert vi_similarity_k(top(5), bottom(5), k=2) == pytest.approx(-0.160964, abs=5e-7)
    truth, guess = made("12", "34"), made("13", "24")

    def unbroken(bound: float) -> Callable[[list[int]], float]:
        def similarity(sizes: list[int]) -> float:
            m = sum(sizes)
            return 1 - sum(part / m * math.log(m / part) for part in sizes) / bound

        return similarity

    assert vi_similarity_k(truth, guess, k=2) == pytest.approx(0)
    mean_form = split_merge(truth, guess, combine="mean", similarity=unbroken(math.log(4)))
    assert mean_form == pytest.approx(0.5)
    mean_form = split_merge(truth, guess, combine="mean", similarity=unbroken(math.log(2)))
    assert mean_form == pytest.approx(0)


def test_mean_form_with_the_largest_share_is_van_dongen() -> None:
    def largest(sizes: list[int]) -> Fraction:
        assert sizes == sorted(sizes)
        return Q(sizes[-1], sum(sizes))

    for truth, guess in pairs_of_partitions(4):
        mean_form = split_merge(truth, guess, combine="mean", similarity=largest)
        assert mean_form == van_dongen(truth, guess)


# scikit-learn, on every pair of partitions of four objects where its quotient has a denominator.

FOUR = list(pairs_of_partitions(4))


def sklearn_value(name: str, pair: tuple[Labels, Labels], **options: str) -> float:
    """What scikit-learn says of the pair."""
    metrics = pytest.importorskip("sklearn.metrics")
    truth, guess = pair
    return float(getattr(metrics, name)(list(truth.values()), list(guess.values()), **options))


@pytest.mark.parametrize(
    ("ours", "theirs", "asked"),
    [
        ("rand", "rand_score", lambda h: True),
        ("adjusted_rand", "adjusted_rand_score", lambda h: h not in [(1, 1), (4, 4)]),
        ("fowlkes_mallows", "fowlkes_mallows_score", lambda h: 4 not in h),
        ("homogeneity", "homogeneity_score", lambda h: h[0] != 1),
        ("completeness", "completeness_score", lambda h: h[1] != 1),
        ("v_measure", "v_measure_score", lambda h: 1 not in h),
    ],
)
def test_scikit_learn(ours: str, theirs: str, asked: Callable[[tuple[int, int]], bool]) -> None:
    chosen = [pair for pair in FOUR if asked((len(clusters(pair[0])), len(clusters(pair[1]))))]
    assert len(chosen) >= 14 * 14
    for pair in chosen:
        assert float(ORACLES[ours](*pair)) == pytest.approx(sklearn_value(theirs, pair), abs=1e-12)


@pytest.mark.parametrize("norm", ["max", "min", "arithmetic", "geometric"])
def test_scikit_learn_normalised_and_adjusted_information(norm: str) -> None:
    for pair in FOUR:
        if all(len(clusters(c)) > 1 for c in pair):
            theirs = sklearn_value("normalized_mutual_info_score", pair, average_method=norm)
            assert nmi(*pair, norm=norm) == pytest.approx(theirs, abs=1e-12)
        if abs(normaliser(norm, *pair) - expected(mutual_information, *pair)) > 1e-9:
            theirs = sklearn_value("adjusted_mutual_info_score", pair, average_method=norm)
            assert adjusted_mutual_information(*pair, norm=norm) == pytest.approx(theirs, abs=1e-12)


# Two definitions of one number.


def test_adjusted_rand_is_rand_adjusted() -> None:
    for truth, guess in pairs_of_partitions(1, 2, 3, 4):
        assert adjusted(rand, truth, guess) == adjusted_rand(truth, guess)
        assert expected(adjusted_rand, truth, guess) in (0, 1)


def test_moves_and_matchings() -> None:
    for truth, guess in pairs_of_partitions(1, 2, 3, 4):
        assert partition_distance(truth, guess, over="n") == 1 - accuracy(truth, guess)
        both = purity(truth, guess) + inverse_purity(truth, guess)
        assert van_dongen(truth, guess) == both / 2
        assert ceaf_m_f(truth, guess) == accuracy(truth, guess)


def test_distances() -> None:
    truth, guess = REFERENCE
    assert partition_distance(truth, guess) == Q(2, 5)
    assert partition_distance(truth, guess, over="n") == Q(1, 3)
    assert mirkin_distance(truth, guess) == 10
    assert mirkin_distance(truth, guess, scale="n2") == Q(5, 18)
    for pair in pairs_of_partitions(2, 3, 4):
        n = len(pair[0])
        assert mirkin_distance(*pair) == (1 - rand(*pair)) * n * (n - 1)


def test_joint_normaliser_and_variation_of_information() -> None:
    for pair in pairs_of_partitions(2, 3, 4):
        if any(len(clusters(c)) > 1 for c in pair):
            joint = mutual_information(*pair) + vi_distance(*pair)
            assert nmi(*pair, norm="joint") == pytest.approx(mutual_information(*pair) / joint)


def test_objects_form_of_pairs_is_elm() -> None:
    for pair in pairs_of_partitions(3, 4):
        assert pair_f(*pair, f="objects") == elm_f(*pair)


def test_affinity_is_a_personalised_page_rank() -> None:
    alpha = Q(9, 10)
    for c in partitions(4):
        for x, y in product(c, repeat=2):
            steps = sum(
                (affinity(c, x, z, alpha) * Q(c[z] == c[y], len([w for w in c if c[w] == c[z]])))
                for z in c
            )
            assert affinity(c, x, y, alpha) == alpha * steps + (1 - alpha) * (x == y)


def test_normalized_clustering_accuracy_and_pair_sets_index_by_hand() -> None:
    truth, guess = made("abcdef", "ghij", "kl"), made("abcd", "efghi", "jkl")
    shares = (Q(4, 6) + Q(3, 4) + 1 - 1) / 2
    assert normalized_clustering_accuracy(truth, guess) == shares == Q(17, 24)
    similarity, chance = Q(4, 6) + Q(3, 5) + Q(2, 3), Q(5 + 4 + 2, 12)
    assert pair_sets_index(truth, guess) == (similarity - chance) / (3 - chance)
    assert pair_sets_index(truth, guess) == Q("0.488")
    # fewer clusters: one of truth has no partner; more: their shares do not count
    assert normalized_clustering_accuracy(made("abc", "de"), made("abcde")) == 0
    assert normalized_clustering_accuracy(made("abc", "de"), made("ab", "c", "de")) == Q(2, 3)
    assert normalized_clustering_accuracy(made("abcd", "efgh"), made(*"abcdefgh")) == 0
    assert pair_sets_index(made("abc", "d"), made("abcd")) == 0


def test_boundaries_by_hand() -> None:
    """A document begins at a, d, f, and is said to begin at a, c, d, f, g."""
    truth, guess = made("abc", "de", "fgh"), made("ab", "c", "de", "f", "gh")
    assert boundary_precision(truth, guess) == Q(3, 5)
    assert boundary_recall(truth, guess) == 1


def test_panoptic_quality_by_hand() -> None:
    """The image of two rows and three segments: 4/5, 1 and one half, which does not match."""
    truth, guess = made("abcde", "fg", "hi"), made("abcd", "e", "fg", "h", "i")
    assert panoptic_quality(truth, guess) == (Q(4, 5) + 1) / (2 + Q(3, 2) + Q(1, 2))
    assert panoptic_quality_sq(truth, guess) == Q(9, 10)
    assert panoptic_quality_rq(truth, guess) == Q(2, 4)
    assert match_precision(truth, guess) == Q(3, 5)


def test_element_similarity_by_hand() -> None:
    assert element_similarity(made("12"), made("1", "2")) == Q(1, 2)
    assert element_similarity(made("123"), made("12", "3")) == Q(5, 9)


# The rules every oracle keeps.

DISTANCES = {
    "mirkin_distance", "pair_correlation_distance", "partition_distance", "vi_distance", "vi_merge",
    "vi_split",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_equal_partitions_are_best(name: str) -> None:
    for n in range(5):
        for c in partitions(n):
            renamed: Labels = {x: ("new", label) for x, label in c.items()}
            value = ORACLES[name](c, renamed)
            if name in DISTANCES:
                assert value == 0
            elif name == "mutual_information":
                sizes = [len(members) for members in clusters(c)]
                entropy = sum(size / n * math.log(n / size) for size in sizes)
                assert value == pytest.approx(entropy)
            elif name == "reduced_mutual_information":
                assert value >= 0
                assert ORACLES[name](c, renamed, norm="truth") == pytest.approx(1)
            elif name != "panoptic_quality_sq" or c:  # of nothing, nothing is matched
                assert value == pytest.approx(1)


def test_f_at_the_ends_and_between() -> None:
    assert f_of(Q(1, 2), Q(0), 1) == Q(1, 2)
    assert f_of(Q(1, 2), Q(0), 0) == 0
    assert f_of(Q(1, 2), Q(0), 0.5) == 0
    assert f_of(Q(1, 2), Q(1, 4), 0.5) == Q(1, 3)
    assert f_of(Q(1, 2), Q(1, 4), Q(1, 4)) == Q(2, 7)
    assert v_measure(*REFERENCE, alpha=1) == ORACLES["homogeneity"](*REFERENCE)


@pytest.mark.parametrize("family", ["pair", "purity", "exact", "bcubed", "elm", "muc", "lea"])
def test_ends_of_alpha_are_precision_and_recall(family: str) -> None:
    names = {"purity": ("purity", "inverse_purity")}
    precision, recall = names.get(family, (f"{family}_precision", f"{family}_recall"))
    truth, guess = made("abc", "d"), made("ab", "cde")
    for pair in [(truth, guess), (guess, truth)]:
        assert ORACLES[f"{family}_f"](*pair, alpha=1, f="means") == ORACLES[precision](*pair)
        assert ORACLES[f"{family}_f"](*pair, alpha=0, f="means") == ORACLES[recall](*pair)
        swapped = pair[1], pair[0]
        assert ORACLES[precision](*pair) == ORACLES[recall](*swapped)


# Coreference: the example of the reference implementation (Pradhan et al. 2014) and its test cases.

KEY, RESPONSE = made("abc", "defg"), made("ab", "cd", "fghi")


def prf(family: str, truth: Labels, guess: Labels, **options: object) -> list[Number]:
    """Precision, recall and F (of the means) of a family."""
    p, r = (
        ORACLES[f"{family}_{side}"](truth, guess, **options) for side in ("precision", "recall")
    )
    return [p, r, ORACLES[f"{family}_f"](truth, guess, f="means", **options)]


def test_published_example() -> None:
    assert prf("muc", KEY, RESPONSE) == [Q(2, 5), Q(2, 5), Q(2, 5)]
    assert prf("bcubed", KEY, RESPONSE) == [Q(1, 2), Q(5, 12), Q(5, 11)]
    assert prf("ceaf_m", KEY, RESPONSE) == [Q(1, 2), Q(4, 7), Q(8, 15)]
    assert prf("ceaf_e", KEY, RESPONSE) == [Q(13, 30), Q(13, 20), Q(13, 25)]
    assert blanc_precision(KEY, RESPONSE) == (Q(2, 8) + Q(8, 20)) / 2
    assert blanc_recall(KEY, RESPONSE) == (Q(2, 9) + Q(8, 12)) / 2
    assert blanc_f(KEY, RESPONSE) == (Q(4, 17) + Q(1, 2)) / 2
    assert prf("lea", KEY, RESPONSE) == [Q(1, 3), Q(5, 21), Q(5, 18)]
    assert conll(KEY, RESPONSE) == (Q(2, 5) + Q(5, 11) + Q(13, 25)) / 3


def test_scorer_cases() -> None:
    key, fewer = made("a", "bc", "def"), made("a", "de")
    assert prf("muc", key, fewer) == [1, Q(1, 3), Q(1, 2)]
    assert prf("bcubed", key, fewer) == [1, Q(7, 18), Q(14, 25)]
    assert prf("ceaf_m", key, fewer) == [1, Q(1, 2), Q(2, 3)]
    assert prf("ceaf_e", key, fewer) == [Q(9, 10), Q(3, 5), Q(18, 25)]
    assert prf("blanc", key, fewer) == [1, (Q(1, 4) + Q(2, 11)) / 2, Q(1, 5) + Q(2, 13)]
    assert prf("lea", key, fewer) == [1, Q(1, 3), Q(1, 2)]
    alone, one = made(*"abcdef"), made("abcdef")
    assert prf("muc", key, alone, empty=0) == [0, 0, 0]
    assert prf("muc", key, alone) == [1, 0, 0]
    assert prf("bcubed", key, alone) == [1, Q(1, 2), Q(2, 3)]
    assert prf("blanc", key, alone) == [Q(11, 30), Q(1, 2), Q(11, 26)]
    assert prf("muc", key, one) == [Q(3, 5), 1, Q(3, 4)]
    assert prf("bcubed", key, one) == [Q(7, 18), 1, Q(14, 25)]
    assert prf("blanc", key, one) == [Q(4, 30), Q(1, 2), Q(4, 19)]


def test_blanc_without_a_class_of_links() -> None:
    alone, one = made(*"abcdef"), made("abcdef")
    assert prf("blanc", alone, made(*"abcd")) == [1, Q(6, 15), Q(4, 7)]
    assert prf("blanc", one, made("abcd")) == [1, Q(6, 15), Q(4, 7)]
    assert prf("blanc", one, alone) == [0, 0, 0]
    assert prf("blanc", made("a"), made("a")) == [1, 1, 1]
    assert prf("blanc", made("a"), made("a"), empty=0) == [0, 0, 0]
    # The reference scorer drops a class of links that the key lacks, whatever the response has.
    assert prf("blanc", one, made("a", "bc", "def")) == [1, Q(4, 15), Q(8, 19)]


def test_objects_forms_of_coreference() -> None:
    # a, b: P = 1, R = 1/2.  c: P = 0, as {c, d} is cut.  f, g: P = R = 1/3.  Nine mentions in all.
    assert muc_f(KEY, RESPONSE, f="objects") == (2 * Q(2, 3) + 2 * Q(1, 3)) / 9
    assert lea_f(KEY, RESPONSE, f="objects") == (2 * Q(1, 2) + 2 * Q(1, 6)) / 9
    assert ceaf_m_f_values(KEY, RESPONSE) == {Q(4, 9)}
    assert ceaf_e_f_values(KEY, RESPONSE) == {(2 * Q(4, 5) + 2 * Q(1, 2)) / 9}
    assert muc_f(made("a"), made("a"), f="objects") == 1
    assert muc_f(made("a"), made("a"), f="objects", empty=0) == 0
    # Links of 1 and 2: one within, one across, both right; of 3: two across, right.
    assert blanc_f(made("12", "3"), made("12", "3"), f="objects") == 1
    # 1: within {12} against {12, 13}, across {13} against none; 2: across {23} is found within.
    truth, guess = made("12", "3"), made("123")
    own = [(Q(2, 3) + 0) / 2, (Q(2, 3) + 0) / 2, Q(0)]
    assert blanc_f(truth, guess, f="objects") == sum(own) / 3


def test_ties_between_best_matchings() -> None:
    assert ceaf_e_f_values(made("ab", "cd"), made("ac", "bd")) == {Q(1, 2)}
    assert ceaf_e_f_values(made("abcd"), made("ab", "cd")) == {Q(1, 3)}
    # {a, b, c, d} is as like {a} as it is like {b, c, w, x, y, z}: 2/5.
    truth, guess = made("abcd"), made("a", "bcwxyz")
    assert ceaf_e_f_values(truth, guess) == {Q(2, 5) / 8, 2 * Q(2, 5) / 8}
    truth, guess = made("123", "456", "7"), made("124", "3", "567")
    assert ceaf_e_f_values(truth, guess) == {Q(10, 21), Q(44, 105)}
    for measure in (ceaf_m_f, ceaf_e_f):
        with pytest.raises(ValueError, match="ties"):
            measure(truth, guess, f="objects")


# Different objects on the two sides: what is missing earns nothing.


def test_missing_objects() -> None:
    truth, guess = made("abc", "d"), made("ab", "cx", "y")
    assert pair_precision(truth, guess) == Q(1, 2)
    assert pair_recall(truth, guess) == Q(1, 3)
    assert pair_jaccard(truth, guess) == Q(1, 4)
    assert fowlkes_mallows(truth, guess) == pytest.approx(math.sqrt(1 / 6))
    assert pair_f(truth, guess, f="objects") == 2 * Q(2, 3) / 6
    assert bcubed_precision(truth, guess) == (1 + 1 + Q(1, 2)) / 5
    assert bcubed_recall(truth, guess) == (Q(2, 3) + Q(2, 3) + Q(1, 3)) / 4
    assert bcubed_f(truth, guess) == Q(5, 11)
    assert bcubed_f(truth, guess, f="objects") == (Q(4, 5) + Q(4, 5) + Q(2, 5)) / 6
    assert elm_precision(truth, guess) == Q(2, 5)
    assert elm_recall(truth, guess) == (Q(1, 2) + Q(1, 2)) / 4
    assert elm_f(truth, guess) == 2 * Q(2, 3) / 6
    assert purity(truth, guess) == Q(2 + 1 + 0, 5)
    assert inverse_purity(truth, guess) == Q(2 + 0, 4)
    assert purity_f(truth, guess, f="objects") == (Q(4, 5) + Q(4, 5) + Q(4, 7)) / 6
    assert purity(made("abcd"), made("ab", "cx")) == Q(2 + 1, 4)
    assert inverse_purity(made("abcd"), made("ab", "cx")) == Q(2, 4)
    assert exact_precision(truth, guess) == 0
    truth, guess = made("ab", "cd", "e"), made("ab", "cdx")
    assert exact_precision(truth, guess) == Q(1, 2)
    assert exact_recall(truth, guess) == Q(1, 3)
    assert exact_f(truth, guess) == Q(2, 5)
    assert exact_f(truth, guess, f="objects") == Q(2, 6)


def test_no_object_in_common() -> None:
    truth, guess = made("a", "bc"), made("x", "yz")
    for family in ["pair", "bcubed", "elm", "exact", "muc", "ceaf_m", "ceaf_e", "lea", "blanc"]:
        assert prf(family, truth, guess) == [0, 0, 0]
    assert purity(truth, guess) == inverse_purity(truth, guess) == 0


@pytest.mark.parametrize("name", ["rand", "accuracy", "van_dongen", "nmi", "split_merge"])
def test_other_measures_want_the_same_objects(name: str) -> None:
    with pytest.raises(ValueError, match="same objects"):
        ORACLES[name](made("ab"), made("a"))


def test_nothing_is_asked() -> None:
    nothing: Labels = {}
    assert conll(nothing, nothing) == 1
    assert conll(nothing, nothing, empty=0) == 0
    for measure in (muc_precision, ceaf_m_recall, ceaf_e_precision, ceaf_e_recall, lea_recall):
        assert measure(nothing, nothing) == 1
        assert measure(nothing, nothing, empty=0) == 0
    assert muc_recall(made("a"), made("a"), empty=0) == 0
    assert lea_precision(made("a"), made("b")) == ceaf_m_precision(made("a"), made("b")) == 0
