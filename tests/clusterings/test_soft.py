"""Uncertain clusterings: what goes in, what is kept, what is refused, and the ways up and down."""

from __future__ import annotations

import pickle
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import clusterdiff as cd
from cli.runner import run
from clusterdiff.clusterings import SOFT, lift
from clusterdiff.clusterings.degrees import MOST, Masses, profiles_of
from clusterdiff.clusterings.sets import Sets
from refusals import refuses

A, B, AB = frozenset("a"), frozenset("b"), frozenset("ab")
CHANCES = [[1.0, 0.0], [0.25, 0.75], [0.25, 0.75]]
DEGREES = [{"a": 1.0}, {"a": 0.25, "b": 0.75}, {"b": 0.75, "a": 0.25}]


@pytest.mark.parametrize(
    "given",
    [
        DEGREES,
        dict(enumerate(DEGREES)),
        {0: [1, 0], 1: [0.25, 0.75], 2: [0.25, 0.75]},
        np.array(CHANCES, np.float32),
        csr_array(CHANCES),
        (row for row in CHANCES),
    ],
    ids=["dicts", "dict of dicts", "dict of rows", "float32", "sparse", "generator"],
)
def test_degrees_in_every_form(given: Any) -> None:
    made = cd.Fuzzy(given)
    assert len(made) == 3
    assert made.clusters == 2
    assert list(made.of(1).values()) == [0.25, 0.75]
    assert made.code[1] == made.code[2]


def test_columns_have_names() -> None:
    made = cd.Fuzzy(CHANCES, ids=["x", "y", "z"], labels=["a", "b"])
    assert made.of("y") == {A: 0.25, B: 0.75}
    refuses("2 columns of degrees but 1 names", cd.Fuzzy, CHANCES, labels=["a"])
    refuses("same name", cd.Fuzzy, CHANCES, labels=["a", "a"])


def test_a_long_table() -> None:
    rows = (["x", "y", "y"], ["a", "a", "b"], [1, 0.25, 0.75])
    assert cd.Fuzzy.from_rows(*rows).of("y") == {A: 0.25, B: 0.75}
    assert cd.Possibilistic.from_rows(*rows).of("y") == {
        B: 0.5, AB: 0.25, frozenset(): 0.25
    }  # fmt: skip
    with pytest.raises(cd.ClusterdiffError, match="1 rows give an object another degree"):
        cd.Fuzzy.from_rows(["x", "x"], ["a", "a"], [0.5, 0.5])
    refuses("name no cluster", cd.Fuzzy.from_rows, ["x", "x"], ["a", None], [0.5, 0.5])
    refuses(r"2 labels but 1 id\.", cd.Fuzzy.from_rows, ["x"], ["a", "b"], [0.5, 0.5])


def test_masses_in_every_form() -> None:
    wanted = {A: 0.5, AB: 0.25, frozenset(): 0.25}
    matrix = [[0.5, 0.25, 0.25]]
    for made in (
        cd.Evidential(matrix, focal=["a", "a|b", ""]),
        cd.Evidential(matrix, focal=[["a"], ["b", "a"], []], labels=["b", "a"]),
        cd.Evidential([{"a": 0.5, ("a", "b"): 0.25, frozenset(): 0.25}]),
        cd.Evidential.from_rows([7, 7, 7], ["a", "a|b", None], matrix[0]),
    ):
        assert made.of(7 if made.ids is not None else 0) == wanted
    twice = cd.Evidential([[0.5, 0.5, 0.0]], focal=["a|b", "b|a", "a"])
    assert twice.of(0) == {AB: 1.0}


def test_a_set_of_masses_names_known_clusters_only() -> None:
    with pytest.raises(cd.ClusterdiffError, match=r"1 clusters.*not among the 2 labels.*'c'"):
        cd.Evidential([[1.0]], focal=[["a", "c"]], labels=["a", "b"])
    refuses("2 columns of masses and 1 focal sets", cd.Evidential, [[0.5, 0.5]], focal=["a"])
    refuses("needs the set of clusters", cd.Evidential, [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0.5, 0.4], [1, 0]], r"1 of 2 objects do not sum to one \(the worst, 0, to 0.9\)"),
        ([[0.5, np.nan], [1, 0]], "1 degrees of 1 objects are NaN or infinite"),
        ([[1.5, -0.5]], r"negative \(object 0, cluster 1: -0.5\)"),
        ([[1.5, 0.5]], "greater than one"),
        ([[1, 0], [1]], "all rows equally long"),
        ([1, 0], r"the shape \(2,\)"),
        ([["x", 1]], "all rows equally long"),
        ([{"a": "much"}], "'much' is a str"),
        ([{"a": 1}, 3], "another has 3"),
        (np.ma.masked_array([[1.0, 0.0]], [[True, False]]), "masked"),
        ("ab", "a str is not a clustering"),
        (7, "an int is not a clustering"),
        ([[[1.0]]], "the shape"),
    ],
)
def test_bad_degrees_are_refused_with_what_is_wrong(given: Any, message: str) -> None:
    refuses(message, cd.Fuzzy, given)


def test_frames_are_not_guessed() -> None:
    pytest.importorskip("pandas")
    import pandas as pd

    refuses("to_numpy", cd.Fuzzy, pd.DataFrame(CHANCES))


def test_what_does_not_sum_to_one_can_be_divided_or_left() -> None:
    given = [[0.2, 0.6], [1, 0]]
    divided = cd.Fuzzy(given, rest="normalise").of(0)
    assert list(divided.values()) == pytest.approx([0.25, 0.75])
    assert cd.Fuzzy(given, rest="empty").of(0)[frozenset()] == pytest.approx(0.2)
    refuses("no degree at all", cd.Fuzzy, [[0, 0]], rest="normalise")
    refuses("to 1.2", cd.Fuzzy, [[0.6, 0.6]], rest="empty")
    refuses("says nothing", cd.Fuzzy, given, rest="drop")


def test_rounding_is_mended() -> None:
    row = np.full(3, 1 / 3, np.float32)
    made = cd.Fuzzy([row])
    assert sum(made.of(0).values()) == pytest.approx(1, abs=1e-15)
    assert cd.Fuzzy([[1 + 1e-12, -1e-12]]).of(0) == {frozenset({0}): 1.0}


def test_ids_are_distinct_and_known() -> None:
    refuses(r"1 ids occur again(.|\n)*from_rows", cd.Fuzzy, CHANCES, ids=[1, 1, 2])
    refuses("ids already", cd.Fuzzy, {1: [1, 0]}, ids=[1])
    for item in ("nobody", -1, 3):
        refuses("there is no object", cd.Fuzzy(CHANCES).of, item)
    refuses("there is no object", cd.Fuzzy(CHANCES, ids=list("xyz")).of, "w")


def test_models() -> None:
    pytest.importorskip("sklearn")
    from sklearn.mixture import GaussianMixture

    data = np.array([[0.0], [0.1], [5.0], [5.1]])
    model = GaussianMixture(2, random_state=0).fit(data)
    made = cd.Fuzzy.from_model(model, data, ids=list("wxyz"))
    assert cd.rand(["p", "p", "q", "q"], made.harden().labels.tolist()) == 1
    refuses("without data", cd.Fuzzy.from_model, model)
    refuses("an object gives no degrees", cd.Fuzzy.from_model, object())


def test_hdbscan_leaves_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its membership vectors sum to less than one where a point may be noise."""
    fake = types.ModuleType("hdbscan")
    fake.all_points_membership_vectors = lambda model: np.array([[0.7, 0.1], [0, 0]])  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "hdbscan", fake)
    made = cd.Fuzzy.from_model(types.SimpleNamespace(prediction_data_=None))
    assert made.of(0)[frozenset()] == pytest.approx(0.2)
    assert made.of(1) == {frozenset(): 1.0}


def test_bounds_of_rough_clusters() -> None:
    made = cd.Rough.from_bounds({"a": ["x"]}, {"a": ["x", "y"], "b": ["y"]})
    assert made.of("y") == {AB: 1.0}
    with pytest.raises(cd.ClusterdiffError, match="'x' is certainly in 'a', and possibly in 'b'"):
        cd.Rough.from_bounds({"a": ["x"]}, {"a": ["x"], "b": ["x"]})
    refuses("not possibly in it", cd.Rough.from_bounds, {"a": ["x"]}, {"b": []})


def test_a_cover_is_not_a_rough_clustering() -> None:
    refuses("in all of the clusters named", cd.Rough, cd.Cover([{1, 2}]))


PARTITION = cd.Partition(list("aab"), ids=[1, 2, 3])
ROUGH = cd.Rough([{"a"}, {"a", "b"}, set()])


@pytest.mark.parametrize("kind", SOFT)
def test_partitions_lift_to_every_kind(kind: str) -> None:
    made = lift(PARTITION, kind)
    assert made.kind == kind
    assert [made.of(i) for i in (1, 2, 3)] == [{A: 1.0}, {A: 1.0}, {B: 1.0}]
    assert made.harden().labels.tolist() == list("aab")
    assert made.ids is PARTITION.ids


@pytest.mark.parametrize("kind", ["fuzzy", "possibilistic", "evidential"])
def test_null_labels_do_not_lift(kind: str) -> None:
    refuses("1 of 2 labels in the partition is null", lift, cd.Partition(["a", None]), kind)


def test_lifts_lose_nothing() -> None:
    possibilistic = cd.Possibilistic([[1, 0.5], [0.25, 1]])
    for made in (ROUGH, cd.Fuzzy(CHANCES), possibilistic):
        lifted = cd.Evidential(made)
        assert [lifted.of(i) for i in range(len(made))] == [made.of(i) for i in range(len(made))]
    assert [cd.Possibilistic(ROUGH).of(i) for i in range(3)] == [ROUGH.of(i) for i in range(3)]
    for own in (ROUGH, cd.Fuzzy(CHANCES), possibilistic, cd.Evidential(ROUGH)):
        assert type(own)(own).of(1) == own.of(1)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (cd.Fuzzy, ROUGH),
        (cd.Fuzzy, cd.Possibilistic([[1, 1]])),
        (cd.Rough, cd.Fuzzy(CHANCES)),
        (cd.Possibilistic, cd.Evidential(ROUGH)),
    ],
)
def test_what_would_be_lost_is_said(kind: Any, given: Any) -> None:
    refuses("something would be lost", kind, given)


def test_the_ways_down() -> None:
    masses = cd.Evidential([{"a": 0.5, "a|b": 0.25, "": 0.25}, {"b": 0.5, "a|b": 0.5}])
    assert masses.pignistic().of(0) == {A: pytest.approx(0.625 / 0.75), B: pytest.approx(1 / 6)}
    assert masses.harden().labels.tolist() == ["a", "b"]
    assert cd.Fuzzy([[0.5, 0.5]], labels=["b", "a"]).harden().labels.tolist() == ["b"]
    assert ROUGH.harden().labels.tolist() == ["a", "a", None]
    assert cd.Possibilistic([[0.0, 0.0], [0, 1]]).harden().labels.tolist() == [None, 1]
    refuses("1 of 3 objects have all of their mass on the", ROUGH.pignistic)


def test_relations_of_an_object_with_itself_and_of_all_pairs() -> None:
    assert ROUGH.relation(1, 1) == (0, 1, 0, 0)
    assert [(x, y) for x, y, _ in ROUGH.relations()] == [(0, 1), (0, 2), (1, 2)]
    assert ROUGH.relation(0, 2).empty == 1


def test_too_many_rough_clusterings_are_refused() -> None:
    refuses(r"1.07e\+09 rough clusterings", cd.Fuzzy(np.full((30, 2), 0.5)).distribution)


def test_possibilities_of_a_clustering() -> None:
    made = cd.Possibilistic([[1, 0.4], [0.5, 1]], labels=["a", "b"])
    assert made.possibility("ba") == 0.4
    refuses("not clusters of all the objects", made.possibility, "bc")


def test_taking_objects_and_pickling() -> None:
    made = cd.Fuzzy(CHANCES, ids=list("xyz"), samples=[1, 1, 2])
    part = made.take(np.array([2, 0]))
    assert part.ids is not None
    assert part.ids.tolist() == ["z", "x"]
    assert pickle.loads(pickle.dumps(part)).of("z") == made.of("z")


def test_equal_rows_share_a_profile_also_where_hashes_meet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from clusterdiff.clusterings import degrees as masses

    rows = np.array([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [-0.0, 1.0], [0.0, 1.0]])
    plain = masses._fingerprints
    first = [np.zeros(5, np.int64)]
    monkeypatch.setattr(masses, "_fingerprints", lambda m, s: first.pop() if first else plain(m, s))
    code, table = profiles_of(rows)
    assert code.tolist() == [0, 1, 0, 2, 2]
    assert table.tolist() == [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]


def test_many_rows_are_hashed_alike() -> None:
    rng = np.random.default_rng(0)
    kinds = rng.dirichlet(np.ones(4), 50)
    pick = rng.integers(0, 50, 100_000)
    code, table = profiles_of(kinds[pick])
    assert len(table) == 50
    assert np.array_equal(table[code], kinds[pick])
    own = rng.random((250_000, 2))
    assert profiles_of(own)[0][-1] == 249_999


def test_tables_that_are_too_large_are_refused() -> None:
    many = int(MOST**0.5) + 1
    nested = Masses(Sets(np.arange(many + 1), np.arange(many)), many)
    for name in ("mass", "member", "disjoint"):
        refuses("entries", getattr, nested, name)
    wide = cd.Possibilistic(np.random.default_rng(0).random((3, 10_000)))
    with pytest.raises(cd.ClusterdiffError, match="3 x 100,000,000 masses"):
        _ = wide.masses.focal


# --- Mass on the empty set taken off. -----------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (cd.Fuzzy([[0.2, 0.3], [0, 1]], rest="empty"), [{"0": 0.4, "1": 0.6}, {"1": 1.0}]),
        (cd.Possibilistic([[0.5, 0.25], [1, 0]]), [{"0": 0.5, "01": 0.5}, {"0": 1.0}]),
        (
            cd.Evidential([[0.2, 0.2, 0.6], [0, 1, 0]], focal=[[], [0], [0, 1]]),
            [{"0": 0.25, "01": 0.75}, {"0": 1.0}],
        ),
        (cd.Rough([{0}, {0, 1}]), [{"0": 1.0}, {"01": 1.0}]),
        (cd.Evidential(cd.Rough([{0}, {0, 1}])), [{"0": 1.0}, {"01": 1.0}]),
    ],
    ids=["fuzzy", "possibilistic", "evidential", "rough", "lifted"],
)
def test_normalise_divides_by_what_is_known(given: Any, expected: list[dict[str, float]]) -> None:
    before = [given.of(k) for k in range(2)]
    made = given.normalise()
    assert type(made) is type(given)
    assert not made.masses.empty.any()
    for k, masses in enumerate(expected):
        found = {"".join(map(str, sorted(a))): m for a, m in made.of(k).items()}
        assert found == pytest.approx(masses)
        assert given.of(k) == before[k]


def test_normalise_is_conditioning_of_the_law() -> None:
    given = cd.Evidential([[0.2, 0.2, 0.6], [0.5, 0.5, 0]], focal=[[], ["a"], ["a", "b"]])
    law = {sets: p for sets, p in given.distribution().items() if all(sets)}
    total = sum(law.values())
    assert given.normalise().distribution() == pytest.approx(
        {sets: p / total for sets, p in law.items()}
    )


def test_what_is_in_no_cluster_for_certain_cannot_be_normalised() -> None:
    for given in (
        cd.Rough([{0}, set()]),
        cd.Possibilistic([[1, 0], [0, 0]]),
        cd.Evidential([[1, 0], [0, 1]], focal=[[0], []]),
        cd.Fuzzy([[1, 0], [0, 0]], rest="empty"),
    ):
        refuses(r"1 of 2 objects .* \(such as 1\)", given.normalise)
        assert len(given.take(np.array([0])).normalise()) == 1


# Corners of uncertain clusterings that once were wrong.


def test_every_count_of_equal_objects_is_reached() -> None:
    for many in range(1, 12):
        rough = cd.transport("rand")([0] * (many + 1), cd.Rough([{1}] + [{0, 1}] * many))
        assert rough.high == 1
        moved = cd.transport("partition_distance")(
            [0] * (many + 1), cd.Fuzzy([[0.5, 0.5]] * (many + 1))
        )
        n = many + 1
        expected = sum(
            min(k, n - k) * np.exp(_log_choose(n, k)) / 2**n for k in range(n + 1)
        ) / (n - 1)  # fmt: skip
        assert moved.low == pytest.approx(expected, abs=1e-12)


def _log_choose(n: int, k: int) -> float:
    from math import comb, log

    return log(comb(n, k))


def test_numbers_too_large_for_floats_are_no_trouble() -> None:
    fuzzy = cd.Fuzzy(np.full((700, 3), 1 / 3))
    assert cd.transport("rand")(fuzzy, fuzzy) == 1
    rough = cd.Rough([{1, 2}] * 1100)
    refuses("harden", cd.soft_mutual_information, rough, rough)
    masses = cd.Evidential(np.tile([0.5, 0.5], (60, 1)), focal=[["a"], ["a", "b"]])
    assert cd.transport("rand")(["x"] * 60, masses).high == 1


def test_degrees_in_place_of_labels_are_recognised() -> None:
    """They need not sum to one; the hint can be pasted."""
    matrix = np.array([[0.9, 0.8], [0.2, 0.6], [0.1, 0.4]])
    told = refuses("degrees, a column per cluster", cd.compare, [0, 1, 1], matrix)
    assert "cd.compare(truth, matrix.argmax(axis=1))" in str(told.hint)


def test_chances_that_do_not_sum_alike_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 4, 6, 8):
        one, other = (cd.Fuzzy(rng.dirichlet([1, 1], n)) for _ in range(2))
        assert cd.transport("rand", method="exact")(one, other).how.startswith("exact")


def test_keys_of_dicts_are_the_focal_sets() -> None:
    refuses("focal sets already", cd.Evidential, [{"a": 0.4, "b": 0.6}], focal=[["b"], ["a"]])


def test_frames_and_series_in_different_orders() -> None:
    truth = pd.Series([1, 1, 2], index=list("xyz"))
    guess = pd.DataFrame([[1.0, 0], [1, 0], [0, 1]], index=list("zxy"), columns=["p", "q"])
    sorted_alike, kinds = guess.loc[list("xyz")], ("partition", "fuzzy")
    assert cd.rand_alpha(truth, guess, kind=kinds) == cd.rand_alpha(
        truth.to_numpy(), sorted_alike.reset_index(drop=True), kind=kinds
    )
    assert cd.rand_alpha(truth, guess, kind=kinds) != 1
    for verb in (cd.compare, cd.explain, cd.page):
        refuses("index", verb, truth, guess.reset_index(drop=True), kind=kinds)
    assert cd.rand_alpha(truth, guess.set_axis(list("xyz")), kind="fuzzy") == 1


def test_nothing_depends_on_the_hashes_of_strings() -> None:
    code = (
        "import clusterdiff as cd\n"
        "r = cd.Rough([{'a', 'b'}, {'b', 'c'}, {'a', 'b', 'c'}])\n"
        "print(r.harden().labels.tolist(), cd.transport('elm_f', method='sample', samples=20)"
        "([1, 1, 2], r).estimate, cd.Rough([{'x', 1}]).harden().labels.tolist())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_what_would_fill_the_memory_is_refused() -> None:
    many = 60_000
    refuses("entries", cd.Fuzzy, cd.Partition(np.arange(many)))
    refuses("entries", cd.Possibilistic, cd.Partition(np.arange(many)))
    refuses("entries", cd.Fuzzy.from_rows, np.arange(many), np.arange(many), np.ones(many))
    refuses("entries", cd.Fuzzy, {i: {i: 1.0} for i in range(many)})
    fuzzy = cd.Fuzzy(np.full((200_000, 2), 0.5))
    with pytest.raises(cd.ClusterdiffError, match="take fewer: samples="):
        cd.transport("rand", method="sample", samples=10**6)(fuzzy, fuzzy)
    wide = cd.Possibilistic(np.random.default_rng(0).random((50, 3000)))
    assert repr(wide) == "Possibilistic(50 objects, 3,000 clusters, 50 uncertain)"
    assert 0 < cd.rand_hullermeier([0, 1] * 25, wide) < 1
    some = cd.Possibilistic(np.random.default_rng(0).random((20, 300)))
    assert cd.partition_distance_alpha(some, some) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cd.Fuzzy({"x": {"a": 1}, "y": None}), "another has None"),
        (lambda: cd.Evidential([[0.5, 0.5]], focal=5), "focal sets are a list"),  # type: ignore[arg-type]
        (lambda: cd.measure("rand_alpha")([1], [1], kind=3), "unknown kind of clustering"),
        (lambda: cd.Rough.from_bounds([["x"]], [["x"]]), "bounds are dicts"),  # type: ignore[arg-type]
        (lambda: cd.ScoreRange(0, 1).at("x"), "alpha must be between 0 and 1, got 'x'"),  # type: ignore[arg-type]
        (lambda: cd.ScoreRange(2, 1), "from 2 down to 1"),
        (lambda: cd.Fuzzy([{"a": 1}], labels=["b"]), "1 clusters of the dicts are not among"),
        (lambda: cd.Fuzzy(cd.Partition([1]), labels=["b"]), "labels= is not taken"),
        (lambda: cd.Evidential(cd.Partition([1]), ids=["b"]), "ids= is not taken"),
        (lambda: cd.Evidential([{"a|": 1}]), "a cluster without a name"),
        (lambda: cd.Evidential([[1]], ["a"], labels=["a", "a"]), "labels are the same"),
        (lambda: cd.Fuzzy([[1]], labels=[None]), "no name"),
        (lambda: cd.Fuzzy([{None: 1}]), "no name"),
        (lambda: cd.Possibilistic([[1, 0.4], [1, 1]]).possibility([1]), "of all the objects"),
        (lambda: cd.Possibilistic([[1]]).possibility([0], "max"), "no t-norm"),  # type: ignore[arg-type]
        (lambda: cd.Fuzzy([[1j, 0]]), "a matrix of numbers"),
        (lambda: cd.Fuzzy(cd.Cover([{1}])), "in all of the clusters named"),
        (lambda: cd.Evidential(cd.Cover([{1}])), "in all of the clusters named"),
        (lambda: cd.Rough(["a"]), "given by a collection"),
        (lambda: cd.rand_alpha([-1, 1], cd.Rough([{-1}, {1}]), noise=-1), "a cluster of the unc"),
        (lambda: cd.rand_alpha(*[cd.Rough([{2}, {1}])] * 2, noise=-1), "none is one"),
        (lambda: cd.extended_bcubed_f([1, 2], cd.Rough([{1, 2}, {1}])), "compares covers"),
        (lambda: cd.rand_alpha({1: 1, 2: 2}, cd.Rough({1: [1], 3: [1]})), 'align="shared" leaves'),
        (lambda: cd.rand([1, 2], np.eye(2)), "argmax"),
        (lambda: cd.rand([1, 2], np.full((2, 2), 0.5)), "cd.Fuzzy"),
    ],
)  # fmt: skip
def test_refused_in_one_paragraph(make: Any, message: str) -> None:
    error = refuses(message, make)
    assert error.hint


def test_what_is_asked_is_done() -> None:
    assert cd.Fuzzy([[60, 40]], rest="normalise").of(0) == {
        frozenset({0}): 0.6, frozenset({1}): 0.4
    }  # fmt: skip
    assert cd.Fuzzy([{"a": 1}], labels=["b", "a"]).clusters == 2
    assert cd.Evidential(one for one in [{"a": 1}]).of(0) == {frozenset("a"): 1.0}
    assert cd.Fuzzy(pd.Series([{"a": 1.0}])).of(0) == {frozenset("a"): 1.0}
    assert f"{cd.ScoreRange(0.25, 0.5):.1f}" == "0.2–0.5"
    assert f"{cd.ScoreRange(0.25, 0.5)}" == "0.2500–0.5000"
    p = cd.Partition([1, 1, 2])
    for measure in (cd.rand_campello, cd.rand_frigui, cd.rand_hullermeier):
        assert measure(p, cd.Evidential(p)) == 1
    chances = cd.Fuzzy([[0.5, 0.5], [1, 0], [0, 1]])
    assert cd.rand_frigui(p, cd.Evidential(chances)) == cd.rand_frigui(p, chances)


def test_unused_clusters_are_not_counted() -> None:
    chances = np.zeros((3, 8))
    chances[[0, 1, 2], [0, 1, 1]] = 0.5
    chances[:, 4] += 0.5
    assert cd.meet([1, 1, 2], cd.Fuzzy(chances)).clusters == (2, 3)


def test_many_focal_sets_are_not_coupled_for_hours() -> None:
    rng = np.random.default_rng(0)
    sets = [set(rng.choice(15, rng.integers(1, 6), replace=False).tolist()) for _ in range(800)]
    one, other = cd.Rough(sets), cd.Rough(sets[::-1])
    found = cd.transport("rand", method="bounds")(one, other)
    assert found.certain
    assert found.low == 0


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("doc,id,cluster\n1,a,1\n1,b,1\n2,a,1\n2,b,2\n")
    Path("g.csv").write_text(
        "doc,id,cluster,weight\n1,a,1,1\n1,b,1,0.5\n1,b,2,0.5\n2,a,1,1\n2,b,2,1\n"
    )
    Path("p.csv").write_text("id,cluster\na,1\nb,1\n")
    Path("r.json").write_text('{"a": ["x"], "b": ["x", "y"]}')
    Path("e.json").write_text('{"a": {"x": 1}, "b": {"x|y": 1}}')
    Path("w.jsonl").write_text('{"id": "a", "x": 1}\n{"id": "b", "x": 0.5, "y": 0.5}\n')
    Path("n.csv").write_text("nr,x,y\n7,1,0\n8,0,1\n")


def test_rows_of_samples_have_the_same_columns(files: None) -> None:
    ran = run(
        "compare", "t.csv", "g.csv", "--samples", "doc", "--kind", "partition,fuzzy",
        "-m", "rand_belief", "-m", "rand_alpha", "--per-sample",
    )  # fmt: skip
    assert len({line.count(",") for line in ran.stdout.splitlines()}) == 1


def test_a_misspelt_column_of_degrees_is_not_overlooked(files: None) -> None:
    command = ("compare", "t.csv", "g.csv", "--samples", "doc", "--kind", "partition,fuzzy")
    ran = run(*command, "--degree", "wieght")
    assert ran.code == 2
    assert "weight" in ran.stderr
    assert run(*command, "--degree", "weight").code == 0


def test_a_kind_for_each_file(files: None) -> None:
    command = ("compare", "p.csv", "r.json", "e.json", "-m", "rand_alpha", "--kind")
    assert run(*command, "partition, rough, evidential").code == 0
    ran = run(*command, "partition,evidential")
    assert ran.code == 2
    assert "--kind rough" in ran.stderr
    assert "too many or too few" in run(*command, "rough,rough,rough,rough").stderr
    assert "--kind fuzzy" in run(*command, "rough", "--rest", "empty").stderr


def test_wide_records_and_ids_without_a_name(files: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("compare", "p.csv", "w.jsonl", "--kind", "fuzzy", "-m", "rand_alpha").code == 0
    ran = run("compare", "n.csv", "n.csv", "--kind", "fuzzy")
    assert ran.code == 2
    assert "--id nr" in ran.stderr


def test_clusters_that_nobody_is_in_cost_nothing() -> None:
    masses = cd.Evidential([{"a": 0.5, "": 0.5}, {"a": 1}, {"b": 1}])
    held = cd.partition_distance_alpha(cd.Fuzzy([[1, 0], [1, 0], [0, 1]]), masses)
    assert held == cd.partition_distance_alpha(cd.Fuzzy([[0, 1, 0], [0, 1, 0], [0, 0, 1]]), masses)
    assert held.low == 0.25
