"""The meet of covers: rows, lifting and lowering, and the compiled ways of counting the same."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

import clusterdiff as cd
from cases import all_pairs, cover_meet, cover_pairs, disturbed, hard_meet, random_cover
from clusterdiff.contingency import cover as module
from oracles.overlapping import OVERLAPPING


def some(n: int = 60, clusters: int = 15, seed: int = 1) -> cd.CoverMeet:
    rng = random.Random(seed)
    truth = random_cover(rng, n, clusters, n // 4)
    made = cd.meet(cd.Cover(truth), cd.Cover(disturbed(rng, truth)))
    assert isinstance(made, cd.CoverMeet)
    return made


def test_objects_with_the_same_clusters_on_both_sides_are_one_row() -> None:
    m = cd.meet(cd.Cover([{1}, {1, 2}, {2, 1}, {1}, set()]), cd.Cover([{5}, {5}, {5}, {5}, {5}]))
    assert isinstance(m, cd.CoverMeet)
    assert sorted(m.both.tolist()) == [1, 2, 2]
    assert (m.rows, m.objects, m.not_in_one) == (3, 5, 3)
    assert sorted(m.truth.size.tolist()) == [2, 4]
    assert m.widest == (1, 2)


def test_a_hard_meet_is_lifted_and_lowered_again() -> None:
    for truth, guess in all_pairs(4):
        m = hard_meet(truth, guess)
        assert m.cover.is_hard
        assert m.cover.hard == m
        assert m.cover.truth_sizes.clusters == m.truth_sizes.clusters
    partial = cd.meet({1: "a", 2: "a"}, {2: "b", 3: "b"}, align="penalise")
    assert isinstance(partial, cd.HardMeet)
    assert partial.cover.hard == partial
    assert partial.cover.hard.truth_objects == partial.cover.truth_objects == 2


def test_lifting_writes_out_what_agrees() -> None:
    m = cd.HardMeet.from_rows([0, 1], [0, 1], [3, 2], [1000, 1])
    assert m.cover.rows == 1001
    assert m.cover.objects == 3002
    assert cd.cice_f.of(m) == 1


def test_clusters_that_share_objects_are_found_alike_every_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for one in (some(), cover_meet(3, (1, 3, 6), (2, 5, 7))):
        monkeypatch.setattr(module, "FEW", -(10**9))
        vars(one).pop("shared", None)
        assert _listed(one.shared) == _listed(one._shared_by_table())


def _listed(shared: module.Shared) -> tuple[tuple[int, ...], ...]:
    rows = np.stack(shared)
    return tuple(map(tuple, rows[:, np.lexsort(rows)].T.tolist()))


def test_rows_of_clusters_are_those_of_the_incidence() -> None:
    side = some().guess
    start, rows = side.rows_of_clusters
    for c in range(side.clusters):
        mine = rows[start[c] : start[c + 1]]
        assert (side.incidence().toarray()[mine, c] == 1).all()
        assert mine.size == side.incidence().toarray()[:, c].sum()


@pytest.mark.slow
def test_many_copies_of_a_small_comparison_score_as_it_does() -> None:
    """300,000 objects, counted in the compiled ways: 7,500 disjoint copies of 40 objects."""
    rng = random.Random(2)
    truth = random_cover(rng, 40, 12, 12)
    guess = disturbed(rng, truth)
    copies = 7500
    covers = []
    for one in (truth, guess):
        owner = np.array([i for i, own in one.items() for _ in own])
        label = np.array([c for own in one.values() for c in own])
        shift = np.repeat(np.arange(copies), owner.size)
        ids, clusters = np.tile(owner, copies) + 40 * shift, np.tile(label, copies) + 5000 * shift
        none = [i + 40 * k for k in range(copies) for i, own in one.items() if not own]
        order = np.random.default_rng(1).permutation(ids.size)
        rows = cd.Cover.from_rows(ids[order], clusters[order])
        covers.append(_with_uncovered(rows, none) if none else rows)
    m = cd.meet(*covers)
    assert m.objects == 300_000
    for name in ("extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
                 "cice_precision", "cice_recall", "cice_f", "cover_f1"):  # fmt: skip
        wanted = float(OVERLAPPING[name](truth, guess))
        assert cd.measure(name).of(m) == pytest.approx(wanted, abs=1e-12)
    assert cd.cice_f(match="pair").of(m) == pytest.approx(
        float(OVERLAPPING["cice_f"](truth, guess, match="pair")), abs=1e-12
    )


def _with_uncovered(cover: cd.Cover, alone: list[int]) -> cd.Cover:
    """The same cover with objects in no cluster besides."""
    assert cover.ids is not None
    ids = [*cover.ids.tolist(), *alone]
    sets = [
        cover.sets.member[cover.sets.start[k] : cover.sets.start[k + 1]].tolist()
        for k in cover.code
    ]
    return cd.Cover([*sets, *([] for _ in alone)], ids=ids)


def test_equal_objects_cost_nothing_and_count_in_full() -> None:
    """3 million objects of three profiles score as their shares say."""
    times = [1_500_000, 1_000_000, 500_000]
    codes = np.repeat(np.arange(3), times)
    truth = cd.Cover([{1}, {1, 2}, {2}]).take(codes)
    guess = cd.Cover([{1}, {1}, {1, 2}]).take(codes)
    m = cd.meet(truth, guess)
    assert (m.rows, m.objects) == (3, 3_000_000)
    small = cd.meet(
        *(cd.Cover([list(s) for s, k in zip(own, (3, 2, 1), strict=True) for _ in range(k)])
          for own in ([{1}, {1, 2}, {2}], [{1}, {1}, {1, 2}]))
    )  # fmt: skip
    for measure in (cd.extended_bcubed_f, cd.cice_f, cd.cover_f1, cd.onmi, cd.element_similarity):
        assert measure.of(m) == pytest.approx(measure.of(small), abs=1e-12)


def test_meets_and_covers_can_be_kept_and_sent() -> None:
    m = some()
    again = pickle.loads(pickle.dumps(m))
    assert again == m
    assert cd.cice_f.of(again) == cd.cice_f.of(m)
    cover = cd.Cover({"x": [1], "y": []})
    assert repr(copy.deepcopy(cover)) == repr(pickle.loads(pickle.dumps(cover))) == repr(cover)
    assert (
        repr(m)
        == f"CoverMeet(60 objects, {m.truth.clusters} x {m.guess.clusters} clusters, {m.rows} rows)"
    )


@pytest.mark.slow
def test_pairs_of_small_covers_have_a_digest_each() -> None:
    """Names of objects aside."""
    pairs = cover_pairs(3)
    assert len({cover_meet(3, *pair).digest for pair in pairs}) == len(pairs)
