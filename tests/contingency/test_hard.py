"""The meet: rows, repeats, shapes, components, and sums that cannot overflow or drift."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from cases import all_pairs, hard_meet, noisy, pairs_up_to_renaming, partitions, types
from clusterdiff.clusterings import grouping as group
from clusterdiff.contingency.exact_sums import count_pairs, exact_group_sums, exact_sum
from refusals import refuses


def test_rows_are_the_cells_of_the_table() -> None:
    m = hard_meet("aaabbc".__iter__(), list("xxyyyz"))
    assert sorted(m.both.tolist()) == [1, 1, 2, 2]
    assert (m.objects, m.rows, m.components) == (6, 4, 2)
    assert sorted(zip(m.truth_size.tolist(), m.guess_size.tolist(), strict=True)) == [
        (1, 1),
        (2, 3),
        (3, 2),
        (3, 3),
    ]


def test_clusters_that_agree_share_a_row() -> None:
    m = hard_meet([1, 1, 2, 2, 3, 4, 4, 4], list("aabbcddd"))
    assert m.both.tolist() == [1, 2, 3]
    assert m.times.tolist() == [1, 2, 1]
    assert (m.rows, m.components, m.objects) == (4, 4, 8)
    assert m.truth_sizes.clusters == m.guess_sizes.clusters == 4


def test_sizes_say_how_many_clusters_there_are() -> None:
    for truth, guess in all_pairs(5):
        m = hard_meet(truth, guess)
        assert Counter(dict(zip(*map(np.ndarray.tolist, m.truth_sizes), strict=True))) == Counter(
            Counter(truth).values()
        )
        assert m.guess_sizes.clusters == len(set(guess))


def test_components_are_the_clusters_of_the_join() -> None:
    pytest.importorskip("networkx")
    import networkx as nx

    for truth, guess in pairs_up_to_renaming(6):
        graph = nx.Graph((f"t{t}", f"g{g}") for t, g in zip(truth, guess, strict=True))
        assert hard_meet(truth, guess).components == nx.number_connected_components(graph)


def test_adding_is_the_disjoint_union() -> None:
    first, second = hard_meet([1, 1, 2], [1, 2, 2]), hard_meet([1, 1, 2], [1, 1, 2])
    union = hard_meet([1, 1, 2, 3, 3, 4], [1, 2, 2, 5, 5, 6])
    assert first + second == union
    assert hash(first + second) == hash(union)
    assert cd.split_merge.of(first + second) == cd.split_merge.of(union)


def test_digest_tells_comparisons_apart_and_nothing_else() -> None:
    """Nor do scores: among these pairs are most under several names of the objects."""
    digests: dict[str, set[tuple[float, ...]]] = {}
    measures = [m for m in cd.measures() if m.name != "adjusted"]
    for truth, guess in product(types(5), partitions(5)):
        m = hard_meet(truth, guess)
        scores = tuple(round(float(measure.of(m)), 12) for measure in measures)
        digests.setdefault(m.digest, set()).add(scores)
    assert all(len(scores) == 1 for scores in digests.values())
    assert len(digests) >= len({s for scores in digests.values() for s in scores}) > 80
    assert len(digests) == len(pairs_up_to_renaming(5))


def test_a_meet_prints_itself() -> None:
    assert repr(hard_meet([1, 1, 2], [1, 1, 2])) == (
        "HardMeet(3 objects, 2 x 2 clusters, 2 rows, 2 of them agreeing)"
    )


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (([0], [0], [0]), "at least one object"),
        (([0, 0], [0, 1], [1, 1], [2, 1]), "agree exactly"),
        (([-2], [0], [1]), "numbered from 0 on"),
    ],
)
def test_rows_that_make_no_sense_are_refused(rows: tuple[list[int], ...], text: str) -> None:
    refuses(text, cd.HardMeet.from_rows, *rows)


def test_numbers_of_clusters_may_be_large() -> None:
    wanted = cd.HardMeet.from_rows([0, 0, -1], [0, -1, 1], [2, 1, 1])
    assert cd.HardMeet.from_rows([10**12, 10**12, -1], [5, -1, 10**15], [2, 1, 1]) == wanted


def test_shapes_of_huge_clusters() -> None:
    m = cd.HardMeet.from_rows([0, 0, 1], [0, 1, 1], [2**40, 2**41, 3])
    assert m.shapes.objects == 2**40 + 2**41 + 3
    assert sorted(m.shapes.both.tolist()) == [3, 2**40, 2**41]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1))
def test_grouping_counts_pairs(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(x, np.int64) for x in zip(*pairs, strict=True))
    for spread in (1, 10**9, 2**60):
        found = group.group_pairs(first * spread, second)
        listed = zip(*(x.tolist() for x in found), strict=True)
        assert {(a // spread, b): c for a, b, c in listed} == Counter(pairs)


@pytest.mark.parametrize("clusters", [30, 3000, 10**5])
@pytest.mark.parametrize("spread", [1, 2**44 + 7])
def test_grouping_many_pairs(clusters: int, spread: int) -> None:
    truth, guess = noisy(group.MANY + 1234, clusters, seed=clusters)
    found = group.group_pairs(truth * spread, guess)
    listed = zip(*(x.tolist() for x in found), strict=True)
    wanted = Counter(zip((truth * spread).tolist(), guess.tolist(), strict=True))
    assert {(a, b): c for a, b, c in listed} == wanted


@pytest.mark.parametrize("spread", [1, 2**44 + 7])
@pytest.mark.parametrize("mask", [2**64 - 1, 3 << 62])
def test_numbering_equals_unique(spread: int, mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where most hashes are alike."""
    whole = group.hash_columns
    monkeypatch.setattr(group, "hash_columns", lambda *given: whole(*given) & np.uint64(mask))
    keys = noisy(20_000, 10**4, seed=5)[0] * spread - 10**6
    codes, count = group.number(keys)
    values, inverse = np.unique(keys, return_inverse=True)
    assert count == values.size
    assert np.unique(codes).size == count
    first = np.zeros(count, np.int64)
    first[inverse] = codes
    assert np.array_equal(first[inverse], codes)
    pairs = group.group_pairs(keys, keys[::-1].copy())
    counted = Counter(zip(keys.tolist(), keys[::-1].tolist(), strict=True))
    assert dict(
        zip(zip(*(x.tolist() for x in pairs[:2]), strict=True), pairs.count, strict=True)
    ) == (counted)


def test_grouping_nothing() -> None:
    nothing = np.zeros(0, np.int64)
    assert group.group_pairs(nothing, nothing).count.size == 0
    assert group.number(nothing)[1] == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1))
def test_exact_sum_is_fsum(terms: list[float]) -> None:
    many = np.array(terms * (30_000 // len(terms) + 1))
    assert exact_sum(many) == math.fsum(many.tolist())


def test_exact_sums_of_groups_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 50, 100_000)
    sizes = rng.integers(1, 10**6, 100_000)
    terms = np.asarray(sizes * np.log(sizes), np.float64)
    first = exact_group_sums(groups, terms, 50, 1e12)
    for _ in range(5):
        order = rng.permutation(groups.size)
        assert np.array_equal(exact_group_sums(groups[order], terms[order], 50, 1e12), first)
    assert first[7] == pytest.approx(math.fsum(terms[groups == 7]), rel=1e-15)


def test_pairs_are_counted_without_overflow() -> None:
    assert count_pairs(np.array([2**40]), np.array([2**20])) == 2**20 * (2**40 * (2**40 - 1) // 2)
    assert count_pairs(np.array([3, 2]), np.array([2, 5])) == 11
    assert count_pairs(np.zeros(0, np.int64), np.zeros(0, np.int64)) == 0
