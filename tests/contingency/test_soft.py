"""The meet of uncertain clusterings: rows, alignment, unions, digests."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.contingency import SoftMeet, union
from refusals import refuses

RNG = np.random.default_rng(0)
CHANCES = RNG.multinomial(4, np.ones(3) / 3, 30) / 4
LABELS = RNG.integers(0, 3, 30)


def soft(truth: object, guess: object, **options: object) -> SoftMeet:
    made = cd.meet(truth, guess, **options)  # type: ignore[arg-type]
    assert isinstance(made, SoftMeet)
    return made


def test_equal_rows_are_one_row() -> None:
    m = soft(LABELS, cd.Fuzzy(CHANCES))
    assert m.rows < 30 == m.objects
    assert int(m.both.sum()) == 30
    assert m.truth_objects == m.guess_objects == 30
    twice = soft(np.tile(LABELS, 2), cd.Fuzzy(np.tile(CHANCES, (2, 1))))
    assert twice.rows == m.rows


def test_ids_are_matched_in_any_order() -> None:
    ids = [f"o{i}" for i in range(30)]
    order = RNG.permutation(30)
    truth = dict(zip(ids, LABELS.tolist(), strict=True))
    guess = cd.Fuzzy(CHANCES[order], ids=[ids[i] for i in order])
    plain = soft(LABELS, cd.Fuzzy(CHANCES))
    assert soft(truth, guess) == plain
    assert len({plain, soft(truth, guess)}) == 1
    assert hash(plain) == hash(pickle.loads(pickle.dumps(plain)))


def test_only_shared_objects_or_an_error() -> None:
    guess = cd.Rough({"x": ["a"], "y": ["a", "b"], "z": ["b"]})
    refuses("1 only in guess", cd.meet, {"x": 1, "y": 2}, guess)
    m = soft({"x": 1, "y": 2}, guess, align="shared")
    assert m.objects == 2
    assert m.alignment.only_guess == 1
    for align in ("singletons", "penalise"):
        refuses('align="shared"', cd.meet, {"x": 1, "y": 2}, guess, align=align)


def test_noise_of_the_hard_side() -> None:
    guess = cd.Rough([{1}, {1, 2}, {2}, {2}])
    assert soft([1, 1, -1, -1], guess, noise=-1).truth.clusters == 3
    assert soft([1, 1, -1, -1], guess, noise=-1, noise_as="drop").objects == 2


def test_covers_do_not_meet_uncertain_clusterings() -> None:
    rough = cd.Rough([{1}, {1, 2}])
    assert soft(cd.Cover([{1}, {2}]), rough).objects == 2
    refuses(r"truth is a cover(.|\n)*cd\.Rough", cd.meet, cd.Cover([{1}, {1, 2}]), rough)
    refuses("features", cd.meet, [1, 1], rough, features=[[1], [2]])


def test_digests_depend_on_what_is_known_alone() -> None:
    order = RNG.permutation(30)
    guess = cd.Fuzzy(CHANCES)
    plain = soft(LABELS, guess)
    renamed = cd.Fuzzy(CHANCES[order][:, [2, 0, 1]], labels=list("pqr"))
    assert soft(LABELS[order], renamed).digest == plain.digest
    assert soft(LABELS, cd.Evidential(guess)).digest == plain.digest
    assert plain.swap().swap().digest == plain.digest
    other = CHANCES.copy()
    other[0] = [0.9, 0.1, 0.0]
    assert soft(LABELS, cd.Fuzzy(other)).digest != plain.digest


def test_what_is_certain_is_hard() -> None:
    m = soft([1, 1, 2], cd.Fuzzy([[1, 0], [0, 1], [0, 1]]))
    assert m.is_hard
    assert m.hard == cd.meet([1, 1, 2], [1, 2, 2])
    assert cd.elm_f.of(m) == cd.elm_f([1, 1, 2], [1, 2, 2])
    assert cd.compare([1, 1, 2], cd.Rough([{1}, {2}, {2}]), "rand")["rand"].value == 1 / 3
    assert m.truth_sizes.clusters == 2
    assert soft([1], cd.Rough([{1, 2}])).guess_sizes.clusters == 0


def test_unions() -> None:
    m = soft(LABELS, cd.Fuzzy(CHANCES))
    hard = cd.meet([1, 1, 2], [1, 2, 2])
    assert isinstance(hard, cd.HardMeet)
    both = m + hard
    assert both.objects == 33
    assert both.clusters == (5, 5)
    assert (hard + m) == both
    assert union([m, hard]) == both
    wrong = (1 - cd.rand_belief.of(m)) * 435 + (1 - cd.rand.of(hard)) * 3
    assert cd.rand_belief.of(both) == pytest.approx(1 - wrong / (33 * 32 / 2), abs=1e-12)


def test_many_objects_with_rows_of_their_own() -> None:
    pytest.importorskip("numba")
    many = 250_000
    chances = RNG.dirichlet(np.ones(3), many)
    labels = RNG.integers(0, 3, many)
    m = soft(labels, cd.Fuzzy(chances))
    assert m.rows == many
    inside = sum(
        ((chances[labels == c].sum(axis=0)) ** 2).sum() - (chances[labels == c] ** 2).sum()
        for c in range(3)
    ) / 2  # fmt: skip
    total = ((chances.sum(axis=0) ** 2).sum() - (chances**2).sum()) / 2
    sizes = np.bincount(labels)
    pairs, together = many * (many - 1) / 2, float((sizes * (sizes - 1) / 2).sum())
    expected = (inside + (pairs - together) - (total - inside)) / pairs
    assert cd.rand_alpha.of(m).low == pytest.approx(expected, abs=1e-12)
