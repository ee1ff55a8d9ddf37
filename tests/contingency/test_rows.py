"""Rows that are given by hand, and meets that are added: what makes no sense is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.sets import Sets
from clusterdiff.contingency import Alignment, Features, SoftMeet, union
from clusterdiff.measures.score_range import ScoreRange
from refusals import refuses

TRUTH, GUESS = {1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 4: "y"}
SETS = Sets(np.array([0, 1, 3]), np.array([0, 0, 1]))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (([0, 0, 1], [0, 0, 1], [1, 2, 1]), r"more than one row: 1 \(truth 0, guess 0\)"),
        (([10**12, 10**12], [7, 7], [1, 1]), r"truth 1000000000000, guess 7"),
        (([-1, -1], [3, 3], [1, 1]), r"truth -1, guess 3"),
        (([-1, 0], [-1, 0], [1, 1]), "missing in truth and in guess: 1"),
        (([0, 1], [0, 1], [1.7, 2]), r"1 of 2 entries of both are not whole numbers \(1.7\)"),
        (([0, 0.5], [0, 1], [1, 2]), r"entries of truth are not whole numbers \(0.5\)"),
        (([0], [0], [float("nan")]), r"not whole numbers \(nan\)"),
        (([0], [0], [float("inf")]), r"not whole numbers \(inf\)"),
        (([0], [0], [10**40]), "not whole numbers"),
        (([0], [2**63], [1]), "not whole numbers"),
        (([0], ["x"], [1]), r"entries of guess are not whole numbers \('x'\)"),
        (([None], [0], [1]), r"not whole numbers \(None\)"),
        (([True], [0], [1]), r"not whole numbers \(True\)"),
        (([[0, 1]], [0, 1], [1, 1]), "truth is not a list"),
        (([[0], [0, 1]], [0, 1], [1, 1]), "truth is not a list"),
        (([0, 1], [0, 1], [1]), "truth has 2, guess has 2, both has 1"),
        (([0], [0], [1], [1, 1]), "times has 2"),
        (([0], [0], [-3]), "at least one object"),
        (([0], [0], [1], [0]), "at least one object"),
        (([0, 1], [0, 1], [2**53, 1]), r"fewer than 9,007,199,254,740,992"),
        (([0], [0], [2**50], [2**50]), r"1.27e\+30 objects"),
    ],
)
def test_cells_that_are_no_table_are_refused(rows: tuple[Any, ...], text: str) -> None:
    refuses(text, cd.HardMeet.from_rows, *rows)


def test_whole_numbers_may_be_written_otherwise() -> None:
    wanted = cd.HardMeet.from_rows([0, 0, 1], [0, 1, 1], [2, 1, 3])
    written = cd.HardMeet.from_rows(np.array([0, 0, 1], np.uint8), (0.0, 1.0, 1.0), [2.0, 1, 3])
    assert written == wanted
    assert written.both.tolist() == [2, 1, 3]
    assert cd.HardMeet.from_rows([], [], []).objects == 0


def test_missing_clusters_are_penalised() -> None:
    """As no other policy has them, scores such as nmi would divide by a size of 0."""
    m = cd.HardMeet.from_rows([0, 0, -1], [0, -1, 1], [2, 1, 4])
    assert str(m.alignment) == "penalise(1 only truth, 4 only guess)"
    refuses("penalise", cd.nmi.of, m)
    with pytest.raises(cd.ClusterdiffError, match="align='shared' does not have"):
        cd.HardMeet.from_rows([0, -1], [0, 0], [1, 1], alignment=Alignment("shared"))


def test_features_are_one_row_each() -> None:
    features = Features(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(cd.ClusterdiffError, match="both has 2, features has 3"):
        cd.HardMeet.from_rows([0, 0], [0, 1], [1, 1], features=features)
    one, other = (cd.meet([1, 1], [1, 2], features=np.ones((2, k))) for k in (1, 2))
    with pytest.raises(cd.ClusterdiffError, match="1 and 2 features cannot be added"):
        one + other


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (([0, 0], [1, 1], [1, 2]), "truth 0, guess 1"),
        (([0, 2], [1, 1], [1, 2]), "sets 2, but its sets are numbered 0 to 1"),
        (([0, 1], [1, -2], [1, 2]), "guess has rows with sets -2"),
        (([0, 1], [1, 1], [1, 2.5]), "not whole numbers"),
        (([0, 1], [1, 1], [1, 0]), "at least one object"),
        (([0, -1], [1, -1], [1, 1]), "missing in truth and in guess"),
        (([0, 1], [1, 1, 0], [1, 1]), "guess has 3"),
    ],
)
def test_rows_of_covers_are_looked_at_too(rows: tuple[Any, Any, Any], text: str) -> None:
    refuses(text, cd.CoverMeet.from_rows, *rows, SETS, SETS)


def test_rows_of_covers_that_make_sense() -> None:
    m = cd.CoverMeet.from_rows([0, 1], [1, -1], [1, 2], SETS, SETS)  # type: ignore[arg-type]
    assert (m.objects, m.alignment.policy, m.alignment.only_truth) == (3, "penalise", 2)


@pytest.mark.parametrize("lift", ["", "cover", "soft"])
def test_meets_under_different_policies_do_not_add(lift: str) -> None:
    ways: list[dict[str, Any]] = [{"align": "shared"}, {"align": "singletons"}]
    if lift != "soft":
        ways.append({"align": "penalise"})
    made = [cd.meet(TRUTH, GUESS, **way) for way in ways]
    made = [getattr(m, lift) if lift else m for m in made]
    for one in made:
        assert (one + one).objects == 2 * one.objects
        for other in made:
            if one is other:
                continue
            with pytest.raises(cd.ClusterdiffError) as caught:
                one + other
            for m in (one, other):
                assert f"align='{m.alignment.policy}'" in caught.value.message
            refuses("under neither", union, [one, one, other])


def test_meets_with_noise_taken_otherwise_do_not_add() -> None:
    labels = [1, 1, -1]
    dropped, alone, plain = (
        cd.meet(labels, [1, 2, 2], noise=-1, noise_as="drop"),
        cd.meet(labels, [1, 2, 2], noise=-1),
        cd.meet(labels, [1, 2, 2]),
    )
    text = "align='exact', noise_as='drop', another with align='exact', noise_as='singletons'"
    with pytest.raises(cd.ClusterdiffError, match=text):
        dropped + alone
    with pytest.raises(cd.ClusterdiffError, match="noise_as='drop', another with align='exact':"):
        dropped + plain


def test_kinds_that_no_measure_takes_together_do_not_add() -> None:
    cover = cd.meet([{1}, {1, 2}], [{1}, {2}], kind="cover")
    soft = cd.meet([1, 2], cd.Fuzzy([[0.5, 0.5], [1, 0]]))
    hard = cd.meet([1, 2], [1, 1])
    for one, other in ((cover, soft), (soft, cover)):
        with pytest.raises(cd.ClusterdiffError, match="CoverMeet and SoftMeet cannot be added"):
            one + other
        refuses("CoverMeet and SoftMeet", union, [one, hard, other])
    assert [type(hard + m).__name__ for m in (cover, soft)] == ["CoverMeet", "SoftMeet"]
    assert [(m + hard).objects for m in (cover, soft)] == [4, 4]
    with pytest.raises(TypeError):
        hard + 1


def test_an_interval_of_one_number_hashes_like_it() -> None:
    assert ScoreRange(0.5, 0.5) == 0.5
    assert hash(ScoreRange(0.5, 0.5)) == hash(0.5)
    names: dict[object, str] = {0.5: "half"}
    assert names[ScoreRange(0.5, 0.5)] == "half"
    assert hash(ScoreRange(1, 1)) == hash(1) == hash(ScoreRange(1.0, 1.0))
    assert {ScoreRange(0.25, 0.5), ScoreRange(0.25, 0.5), 0.25} == {0.25, ScoreRange(0.25, 0.5)}
    restored = pickle.loads(pickle.dumps(ScoreRange(0.5, 0.5, how="bounds")))
    assert (restored, hash(restored), restored.how) == (0.5, hash(0.5), "bounds")
    assert ScoreRange(0.5, 0.5) <= 0.5 <= ScoreRange(0.5, 0.5)
    assert not ScoreRange(0.5, 0.5) < 0.5


# The meet of uncertain clusterings: rows, alignment, unions, digests.


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
