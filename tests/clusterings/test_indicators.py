"""0/1 matrices of sets, texts of sets, and the credal partitions of evclust."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

CLASSES = [*"aaabbc"]
F = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], float)
SETS: list[list[int]] = [[], [0], [1], [2], [0, 1], [0, 1, 2]]
CREDAL: dict[str, Any] = {
    "conf": np.array([0, 0, 0.1, 0, 0, 0]),
    "F": F,
    "mass": np.array(
        [
            [0.0, 0.9, 0.0, 0.0, 0.1, 0.0],
            [0.0, 0.6, 0.1, 0.0, 0.3, 0.0],
            [0.1, 0.1, 0.5, 0.0, 0.2, 0.1],
            [0.0, 0.0, 0.9, 0.1, 0.0, 0.0],
            [0.0, 0.0, 0.7, 0.0, 0.1, 0.2],
            [0.0, 0.0, 0.1, 0.8, 0.0, 0.1],
        ]
    ),
    "y_pl": np.array([0, 0, 1, 1, 1, 2]),
    "Y": F[[1, 1, 2, 2, 2, 3]],
    "lower_approx": [np.array([0, 1]), np.array([2, 3, 4]), np.array([5])],
    "N": np.float64(0.21),
    "g": None,
    "method": "ecm",
    "param": {"alpha": 1, "beta": 2, "delta": 10},
}
"""What evclust.ecm.ecm returns, with fewer entries."""


@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_of_focal_sets_scores_as_the_sets_of_labels_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = int(rng.integers(2, 5))
    every = (np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1
    chosen = every[rng.choice(len(every), int(rng.integers(3, len(every) + 1)), replace=False)]
    masses, truth = rng.dirichlet(np.full(len(chosen), 0.5), 12), rng.integers(0, 3, 12)
    names = list("wxyz"[:clusters])
    sets = [{names[c] for c in np.flatnonzero(row)} for row in chosen]
    wanted = cd.Evidential(masses, focal=sets, labels=names)
    for given in (chosen, chosen.astype(bool), chosen.astype(float), sparse.csr_array(chosen)):
        made = cd.Evidential(masses, focal=given, labels=names)
        assert all(made.of(i) == wanted.of(i) for i in range(12))
        unnamed = cd.Evidential(masses, focal=given)
        for score in (cd.rand_alpha, cd.partition_distance_alpha, cd.rand_belief, cd.rand_conflict):
            assert score(truth, made) == score(truth, wanted)
            assert score(truth, unnamed) == score(truth, wanted)


@pytest.mark.parametrize("form", [list, np.array, sparse.csr_array, lambda rows: [*np.array(rows)]])
def test_nested_lists_and_arrays_are_the_same_matrix(form: Any) -> None:
    rows = form([[1, 0], [1, 1], [0, 0]])
    assert cd.Rough(rows).of(1) == {frozenset({0, 1}): 1.0}
    assert cd.Rough(rows).of(2) == {frozenset(): 1.0}
    assert repr(cd.Cover(rows)) == "Cover(3 objects in 2 clusters, 1 object in none)"
    assert cd.extended_bcubed_f(cd.Cover(rows), rows, kind="cover") == 1
    masses = cd.Evidential([[0.5, 0.3, 0.2]], focal=rows)
    assert masses.of(0) == {frozenset(): 0.2, frozenset({0}): 0.5, frozenset({0, 1}): 0.3}
    guessed = isinstance(rows, list)
    for made in (cd.Rough(rows), cd.Cover(rows), masses):
        assert [*made.notes] == ["nested lists of 0 and 1 were read as a matrix with one column "
                                 "per cluster"] * guessed  # fmt: skip


def test_lists_of_labels_stay_labels() -> None:
    assert cd.Rough([[0, 1], [1]]).of(0) == {frozenset({0, 1}): 1.0}
    assert cd.Rough([[1], [0]]).of(1) == {frozenset({0}): 1.0}
    assert cd.Rough([{0, 1}, {1, 0}]).of(1) == {frozenset({0, 1}): 1.0}
    assert cd.Cover([[1, 2], [0, 1]]).labels.tolist() == [1, 2, 0]
    assert cd.Evidential([{(0, 1): 0.5, (1, 0): 0.5}]).of(0) == {frozenset({0, 1}): 1.0}
    bounds = cd.Rough.from_bounds({}, {0: ["x", "y"], 1: ["x", "y"]})
    assert bounds.of("x") == {frozenset({0, 1}): 1.0}


def test_lists_in_files_are_labels(tmp_path: Path) -> None:
    file = tmp_path / "sets.json"
    file.write_text('[{"cluster": [0, 1]}, {"cluster": [1, 0]}]')
    rough: Any = cd.read(file, kind="rough")
    assert rough.of(1) == {frozenset({0, 1}): 1.0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cd.Evidential(CREDAL["mass"][:, :4], F), "6 rows and 3 columns, but there are 4"),
        (lambda: cd.Evidential(CREDAL["mass"], F.T), "3 rows and 6 columns.*focal=F.T"),
        (lambda: cd.Evidential(CREDAL["mass"], 2 * F), r"8 of 18 entries.*neither 0 nor 1 \(2.0"),
        (lambda: cd.Evidential(CREDAL["mass"], F.astype(str)), "18 of 18 entries"),
        (lambda: cd.Evidential(CREDAL["mass"], F, labels=["a"]), "the number of labels is 1"),
        (lambda: cd.Evidential(CREDAL["mass"], pd.DataFrame(F)), "DataFrame.*frame.to_numpy"),
        (lambda: cd.Evidential(CREDAL, F), "in F already"),
        (lambda: cd.Evidential([[0.5, 0.5]], [[0, 1], [1, 0]]), r"each of the 2 rows.*np.array"),
        (lambda: cd.Rough([[0, 1]]), r"the only row is \[0, 1\]"),
        (lambda: cd.Cover({"x": [1, 0], "y": [0, 1]}), r"labels as sets, \[{0, 1}"),
        (lambda: cd.Evidential([{"a,b": 1}]), r"comma in its name.*write a\|b for the set"),
        (lambda: cd.Evidential([{"{a,b|c}": 1}]), "comma in its name"),
        (lambda: cd.Evidential([{"a|∅": 1}]), "without a name"),
        (lambda: cd.Evidential([{"{a},{b}": 1}]), "without a name"),
        (lambda: cd.Evidential([{"{a,}": 1}]), "the empty set is an empty text, ∅ or {}"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused(make: Any, message: str) -> None:
    refuses(f"(?s){message}", make)


@pytest.mark.parametrize("empty", ["", "∅", "{}", "{ }"])
@pytest.mark.parametrize("both", ["a|b", "{a,b}", "{a, b}", "{a|b}"])
def test_sets_in_files(empty: str, both: str, tmp_path: Path) -> None:
    wanted = {frozenset(): 0.25, frozenset("a"): 0.25, frozenset("ab"): 0.5}
    tall, wide = tmp_path / "tall.csv", tmp_path / "wide.csv"
    tall.write_text(f'id,cluster,mass\nx,"{both}",0.5\nx,a,0.25\nx,{empty},0.25\n', "utf-8")
    assert cd.read(tall, kind="evidential").of("x") == wanted  # type: ignore[union-attr]
    if empty:
        wide.write_text(f'id,{empty},a,"{both}"\nx,0.25,0.25,0.5\n', "utf-8")
        assert cd.read(wide, kind="evidential").of("x") == wanted  # type: ignore[union-attr]


def test_a_bare_comma_in_a_file_is_refused_at_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("id,cluster\nx,1\ny,1\n")
    (tmp_path / "guess.csv").write_text('id,cluster,mass\nx,"a,b",1\ny,a,1\n')
    kind = ["--kind", "partition,evidential"]
    ran = run("compare", str(tmp_path / "truth.csv"), str(tmp_path / "guess.csv"), *kind)
    assert ran.code == 2
    assert "comma in its name" in ran.stderr
    assert "a|b" in ran.stderr


def test_a_result_of_evclust_is_a_clustering() -> None:
    wanted = cd.Evidential(CREDAL["mass"], focal=SETS)
    made = cd.Evidential(CREDAL)
    assert [made.of(i) for i in range(6)] == [wanted.of(i) for i in range(6)]
    assert cd.rand_alpha(CLASSES, CREDAL) == cd.rand_alpha(CLASSES, wanted)
    small = {name: CREDAL[name] for name in ("mass", "F")}
    for given in (CREDAL, small):
        metrics = cd.compare(CLASSES, given).metrics()
        assert metrics == cd.compare(CLASSES, wanted).metrics()
    several = cd.compare(CLASSES, {"ecm": CREDAL, "kevclus": small}, "rand_alpha")
    assert {name.split("/")[0] for name in several.metrics()} == {"ecm", "kevclus"}
    named = cd.Evidential(CREDAL, ids=list("uvwxyz"), labels=["p", "q", "r"])
    assert named.of("z")[frozenset("r")] == 0.8


def test_evclust_itself() -> None:
    ecm: Any = pytest.importorskip("evclust.ecm")
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 0.3, (10, 2)) for centre in (0, 3, 6)])
    found = ecm.ecm(points, c=3, beta=1.1, alpha=1, delta=10, init="kmeans", disp=False)
    made = cd.Evidential(found)
    assert np.allclose([made.of(i).get(frozenset(), 0) for i in range(30)], found["mass"][:, 0])
    assert cd.rand(found["y_pl"], made.harden()) == 1
