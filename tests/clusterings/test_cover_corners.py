"""Cases of covers that an independent review found wanting, and what they do now."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import clusterdiff as cd
from cases import disturbed, random_cover
from cli.runner import run
from clusterdiff.clusterings.sets import Sets
from clusterdiff.measures import comembership as neighbours
from clusterdiff.measures import comembership as tables
from clusterdiff.measures import elements, overlapping
from clusterdiff.measures.base import Estimate
from refusals import refuses

COVER = {"a": ["x", "y"], "b": ["y"], "c": []}


def both(n: int = 40, seed: int = 0) -> tuple[cd.Cover, cd.Cover]:
    rng = random.Random(seed)
    truth = random_cover(rng, n, 12, 12)
    return cd.Cover(truth), cd.Cover(disturbed(rng, truth))


@pytest.mark.parametrize("match", ["all", "pair"])
@pytest.mark.parametrize("few", [True, False])
def test_a_similarity_gives_one_number_per_pair_or_is_refused(
    match: Any, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "ROWS", 256 if few else 0)
    constant = cd.cice_f(*both(), match=match, similarity=lambda b, s, o, n: 0.5)
    assert constant == cd.cice_f(*both(), match=match, similarity=lambda b, s, o, n: b * 0 + 0.5)
    wrong: dict[str, Any] = {
        "too long": lambda b, s, o, n: np.full(1017, 0.5),
        "nothing": lambda b, s, o, n: None,
        "a word": lambda b, s, o, n: "like",
        "one by one": lambda b, s, o, n: max(0, b / s),
        "other arguments": lambda b: b,
        "nan": lambda b, s, o, n: b * math.nan,
        "above one": lambda b, s, o, n: b + 1.0,
    }
    for function in wrong.values():
        with pytest.raises(cd.ClusterdiffError, match="the similarity <lambda>") as caught:
            cd.cice_f(*both(), match=match, similarity=function)
        assert "both / size" in caught.value.hint


def test_a_similarity_on_the_command_line_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(COVER))
    ran = run(
        "compare", str(path), str(path), "-m", "cice_f(similarity='math:hypot')", "--allow-code"
    )
    assert ran.code == 2
    assert "the similarity hypot fails" in ran.stderr


def test_functions_that_cannot_be_hashed_and_values_that_are_no_functions() -> None:
    class Half:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, b: Any, s: Any, o: Any, n: int) -> Any:
            return b / (s + o - b)

    assert cd.cice_f(*both(), similarity=Half()) == cd.cice_f(*both())
    refuses("similarity must be", cd.cice_f, *both(), similarity=np.array([1, 2]))


def meet_of(times: int, memberships: int) -> cd.CoverMeet:
    """Two profiles of so many equal objects, in clusters shared by all, and in one of their own."""
    member = np.arange(memberships + 2)
    own = [[*member[:-2], memberships], [*member[:-2], memberships + 1]]
    sets = Sets(np.array([0, memberships + 1, 2 * memberships + 2]), np.concatenate(own))
    code, weight = np.arange(2), np.full(2, times)
    return cd.CoverMeet.from_rows(code, code[::-1].copy(), weight, sets, sets)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("memberships", [3, 12, 60])
def test_nothing_overflows_at_ten_billion_objects(
    memberships: int, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "ROWS", 256 if few else 0)
    small, large = meet_of(1, memberships), meet_of(5 * 10**9, memberships)
    for measure in (cd.extended_bcubed_f, cd.cice_f, cd.cice_f(match="pair"), cd.cover_f1):
        assert measure.of(large) == pytest.approx(measure.of(small), abs=1e-12)
    assert -1 <= cd.omega.of(large) <= 1
    refuses("too many", cd.omega.of, meet_of(10**10, memberships))


FRAME = {"id": ["a", "a", "b"], "cluster": ["x", "y", "y"]}


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(FRAME), pl.DataFrame(FRAME), pl.LazyFrame(FRAME), pl.DataFrame(FRAME).to_arrow(),
     pd.DataFrame({"x": [1, 0], "y": [1, 1]}), pl.DataFrame({"x": [1, 0], "y": [1, 1]})],
)  # fmt: skip
def test_a_frame_is_no_list_of_labels(frame: Any) -> None:
    caught = refuses("not one set of labels per object", cd.Cover, frame)
    assert "from_rows" in caught.hint


def test_two_columns_of_zeros_and_ones_are_not_ids_and_clusters(tmp_path: Path) -> None:
    frame = pd.DataFrame({"jazz": [1, 1, 0, 0], "funk": [0, 1, 1, 1]})
    refuses("looks like a matrix", cd.cice_f, frame, frame)
    assert cd.cice_f(frame.to_numpy(), frame.to_numpy()) == 1
    frame.to_csv(tmp_path / "m.csv", index=False)
    refuses("looks like a matrix", cd.read, tmp_path / "m.csv", kind="cover")
    named = cd.read(tmp_path / "m.csv", kind="cover", id="jazz", cluster="funk")
    assert len(named) == 2


def test_records_with_lists_and_no_ids_are_one_object_each(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"cluster": ["a", "b"]}, {"cluster": []}, {"cluster": "c"}]))
    made = cd.read(path, kind="cover")
    assert repr(made) == "Cover(3 objects in 3 clusters, 1 object in none)"


@pytest.mark.parametrize("kind", [tuple, list, set, frozenset, iter, np.array])
def test_collections_of_every_sort_are_labels_where_the_other_side_is_a_cover(kind: Any) -> None:
    def given() -> dict[str, Any]:
        return {i: kind(list(own)) for i, own in COVER.items()}

    cover = cd.Cover(COVER)
    assert cd.compare(cover, given())["cice_f"].value == 1
    assert cd.compare(given(), cover)["cice_f"].value == 1
    assert cd.element_similarity(cover, given()) == 1
    assert cd.extended_bcubed_recall(given(), given()) == 1
    assert cd.objects("element_similarity", cover, given()).scores.tolist() == [1, 1, 1]


def test_an_object_twice_in_a_sample_is_refused() -> None:
    refuses("1 ids occur again", cd.Cover, [[1], [2]], ids=["a", "a"], samples=["s", "s"])
    assert len(cd.Cover([[1], [2]], ids=["a", "a"], samples=["s", "t"])) == 2


@pytest.fixture
def no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS", 0)
    monkeypatch.setattr(neighbours, "SUBSET", 1e9)
    for module in (overlapping, elements):
        monkeypatch.setattr(module, "BUDGET", 0)


def test_exact_and_estimated_scores_side_by_side(no_budget: None) -> None:
    for names in (["cice_f(sample=20)", "cice_f"], ["cice_f", "cice_f(sample=20)"]):
        report = cd.compare(*both(), names)
        table = pd.read_csv(io.StringIO(report.to_csv()))
        assert table["error"].notna().tolist() == ["sample" in name for name in names]
        assert table["signature"].str.contains("version").all()
        arrow = report.to_frame("pyarrow")
        assert arrow.column("error").null_count == 1


def test_samples_keep_the_standard_error(no_budget: None) -> None:
    pairs = [both(seed=1), both(seed=2)]
    score = cd.compare(samples=pairs, measures=["cice_f(sample=20)"])["cice_f(sample=20)"]
    each = [s.error for s in score.each or () if isinstance(s, Estimate)]
    assert score.error == pytest.approx(math.sqrt(sum(e * e for e in each)) / 2)
    assert "sampled:40 objects" in score.sign()


def test_a_sample_needs_two_objects() -> None:
    for wrong in (1, 0, -1, 1.5, True):
        refuses("sample", cd.cice_f, sample=wrong)


def test_identical_covers_score_one_in_every_order() -> None:
    for seed in range(8):
        truth = random_cover(random.Random(seed), 30, 9, 9)
        order = random.Random(seed).sample(sorted(truth), 30)
        other = cd.Cover({i: list(truth[i])[::-1] for i in order})
        for m in cd.measures():
            if "cover" in m.needs and m.claims.perfect:
                assert m(cd.Cover(truth), other) == m.best, m


def test_the_scores_of_objects_are_the_same_each_time() -> None:
    """Few objects in many clusters, most in few: both ways of counting, in threads."""
    rng = np.random.default_rng(0)
    sets = [rng.choice(400, 20 if i % 40 == 0 else 2, replace=False).tolist() for i in range(8000)]
    moved = [[c if rng.random() < 0.8 else int(rng.integers(400)) for c in own] for own in sets]
    rows = set()
    for _ in range(4):
        m = cd.meet(cd.Cover(sets), cd.Cover(moved))
        found = cd.cice_precision.rows_of(m)
        assert found is not None
        rows.add(found.tobytes())
    assert len(rows) == 1


def test_penalised_objects_in_no_cluster_earn_nothing() -> None:
    left, right = cd.Cover({"a": []}), cd.Cover({"b": []})
    for f in ("means", "objects"):
        assert cd.cice_f(left, right, align="penalise", f=f) == 0
    assert cd.cice_f(left, left, align="penalise") == 1


def test_nan_is_null_where_noise_is_named() -> None:
    truth, guess = cd.Cover([[1], []]), cd.Cover([[1], [1]])
    assert cd.cice_f(truth, guess, noise=math.nan) == cd.cice_f(truth, guess, noise=[None])
    assert cd.rand([1, None], [1, 1], noise=math.nan) == cd.rand([1, 2], [1, 1])


def test_matrices_of_every_make() -> None:
    dense = np.array([[1, 0, 0], [1, 1, 0]])
    wanted = "Cover(2 objects in 2 clusters)"
    coo = sp.coo_array(([1, 1, 1], ([0, 1, 1], [0, 0, 1])), shape=(2, 3))
    kinds = [dense, dense.astype(object), dense.astype(bool), coo]
    kinds += [coo.asformat(form) for form in ("csr", "csc", "lil", "dok", "bsr", "dia")]
    for kind in kinds:
        assert repr(cd.Cover(kind)) == wanted
    doubled = sp.coo_array(([1, 1, 1], ([1, 0, 0], [0, 1, 1])), shape=(2, 2))
    refuses("neither 0 nor 1", cd.Cover, doubled)
    assert doubled.nnz == 3
    for odd in (np.ma.array(dense, mask=dense == 1), sp.coo_array(np.array([1, 0, 1]))):
        refuses("not a full matrix", cd.Cover, odd)


@pytest.mark.parametrize("few", [True, False])
def test_many_tags_of_few_objects_are_quick(few: bool) -> None:
    own = {i: [f"{i}-{k}" for k in range(200)] + ["all"] for i in range(200 if few else 300)}
    m = cd.meet(cd.Cover(own), cd.Cover(own))
    assert not tables.is_small(m, neighbours.alike(m, "jaccard", "all"))  # type: ignore[arg-type]
    assert cd.cice_f.of(m) == 1


@pytest.mark.parametrize("value", [5, None, "ab", b"ab"])
def test_what_is_no_cover_is_refused(value: Any) -> None:
    refuses("is not a clustering", cd.Cover, value)
    refuses("is not a clustering", cd.Cover.from_clusters, value)


def test_covers_of_covers_and_of_partitions() -> None:
    cover = cd.Cover(COVER)
    assert cd.meet(cd.Cover(cover), cover) == cd.meet(cover, cover)
    assert repr(cd.Cover(cd.Partition(["a", "a", "b"]))) == "Cover(3 objects in 2 clusters)"
    assert len(cd.Cover.from_clusters([{1}], objects=None)) == 1
    refuses("hashable", cd.Cover.from_clusters, [[["a"]]])


def test_samples_of_rows_are_as_many_as_rows() -> None:
    for samples in (["s"], ["s", "t"]):
        refuses("3 labels but . sample", cd.Cover.from_rows, [1, 2, 3], [1, 2, 3], samples)


def test_meets_of_both_sorts_add_in_either_order() -> None:
    cover, hard = cd.meet(cd.Cover(COVER), cd.Cover(COVER)), cd.meet([1], [1])
    assert isinstance(cover, cd.CoverMeet)
    assert isinstance(hard, cd.HardMeet)
    assert (cover + hard) == (hard + cover)
    assert (cover + hard).objects == 4


def test_no_standard_error_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert cd.element_similarity(cd.Cover(COVER), cd.Cover(COVER)) == 1


def test_a_meet_is_kept_without_what_it_remembers() -> None:
    m = cd.meet(*both())
    cd.cice_f(similarity=lambda b, s, o, n: b / (s + o)).of(m)
    assert pickle.loads(pickle.dumps(m)) == copy.deepcopy(m) == m


def test_repeats_are_told_with_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("doc,id,cluster\n1,x,a\n1,x,a\n1,x,b\n2,x,a\n")
    ran = run("compare", str(path), str(path), "--kind", "cover", "--samples", "doc")
    assert "2 rows repeated the same object and cluster" in ran.stdout


def test_measures_of_covers_need_no_kind_at_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(COVER))
    assert run("compare", str(path), str(path), "-m", "cice_f").code == 0
    ran = run("compare", str(path), str(path), "-m", "cice_f", "-m", "rand")
    assert "--kind cover" in ran.stderr


def test_columns_of_lists_are_written_out(tmp_path: Path) -> None:
    listed = {"id": list(COVER), "cluster": list(COVER.values())}
    path = tmp_path / "a.parquet"
    pl.DataFrame(listed).write_parquet(path)
    for given in (
        pd.DataFrame(listed),
        pl.DataFrame(listed),
        pl.DataFrame(listed).to_arrow(),
        path,
    ):
        assert cd.meet(given, cd.Cover(COVER), kind="cover") == cd.meet(cd.Cover(COVER), COVER)


def test_rows_without_ids_and_clusters_are_objects_in_none(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("cluster,size\na,1\n,2\n")
    ran = run("compare", str(path), str(path), "--kind", "cover", "--no-id", "--cluster", "cluster")
    assert ran.code == 0
    assert "2 objects in 1 cluster (largest 1, 100 % singletons, 0.5 each, 1 in none)" in ran.stdout


def test_none_is_no_cluster() -> None:
    assert cd.meet(cd.Cover({"a": ["x"], "b": None}), cd.Cover({"a": ["x"], "b": []})).objects == 2


def test_only_clusters_with_objects_are_counted() -> None:
    assert repr(cd.Cover(np.array([[1, 0, 0], [0, 1, 0]]))) == "Cover(2 objects in 2 clusters)"
    assert repr(cd.Cover(COVER).take(np.array([1]))) == "Cover(1 objects in 1 clusters)"


def test_first_tries_without_a_kind_are_told_how() -> None:
    matrix = np.array([[1, 0], [1, 1]])
    for call in (
        lambda: cd.rand({"a": ["x", "y"]}, {"a": ["x"]}),
        lambda: cd.compare(matrix, matrix),
        lambda: cd.element_similarity({"a": ["x", "y"]}, {"a": ["x"]}),
    ):
        caught = refuses(None, call)
        assert "cd.Cover" in caught.hint


def test_no_communities_at_all() -> None:
    refuses("3 of 3 objects are only in truth", cd.cice_f, cd.Cover(COVER), [])
    assert cd.cice_f(cd.Cover(COVER), cd.Cover.from_clusters([], objects="abc")) < 1


def test_an_f_of_means_names_its_form_for_objects() -> None:
    caught = refuses(None, cd.objects, "cice_f", *both())
    assert 'cice_f(f="objects")' in caught.hint
    assert len(cd.objects("cice_f", *both(), f="objects")) == 40


def test_onmi_is_symmetric_to_the_last_bit() -> None:
    m = cd.meet(*both(400, 3))
    for variant in ("max", "lfk"):
        assert cd.onmi(variant=variant).of(m) == cd.onmi(variant=variant).of(m.swap())
