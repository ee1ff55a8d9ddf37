"""Corners of uncertain clusterings that once were wrong."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses


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
