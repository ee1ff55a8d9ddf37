"""Covers: what they are made of, how two of them are matched, and how sets are told apart."""

from __future__ import annotations

import random
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from cases import disturbed, random_cover
from clusterdiff.clusterings import sets
from clusterdiff.clusterings.sets import Sets, number_sets, sets_of_rows
from clusterdiff.contingency import union
from refusals import refuses

TRUTH = {"x": {"j"}, "y": {"j", "f"}, "z": {"f"}, "u": set()}
GUESS = {"x": {1}, "y": {1}, "z": {1, 2}, "u": {2}}
WANTED = cd.extended_bcubed_f(cd.Cover(TRUTH), cd.Cover(GUESS))


def sets_of(cover: cd.Cover) -> dict[Any, set[Any]]:
    """What a cover says of each object."""
    found = {}
    for k, code in enumerate(cover.code):
        members = cover.sets.member[cover.sets.start[code] : cover.sets.start[code + 1]]
        found[cover.id_of(k)] = {cover.labels[int(c)] for c in members}
    return found


LONG = {"id": ["x", "y", "y", "z", "u"], "cluster": ["j", "j", "f", "f", None]}
WAYS: dict[str, Any] = {
    "dict": TRUTH,
    "dict of lists": {i: list(own) for i, own in TRUTH.items()},
    "cover": cd.Cover(list(TRUTH.values()), ids=list(TRUTH)),
    "clusters": cd.Cover.from_clusters([{"x", "y"}, ["y", "z"]], objects=["u"]),
    "named clusters": cd.Cover.from_clusters({"j": list("xy"), "f": iter("yz")}, "xyzu"),
    "rows": cd.Cover.from_rows(LONG["id"], LONG["cluster"]),
    "pandas": pd.DataFrame(LONG),
    "polars": pl.DataFrame(LONG),
    "lazy": pl.LazyFrame(LONG),
    "pyarrow": pl.DataFrame(LONG).to_arrow(),
}  # fmt: skip


@pytest.mark.parametrize("given", list(WAYS))
def test_the_same_cover_from_everything(given: str) -> None:
    assert cd.extended_bcubed_f(WAYS[given], GUESS) == WANTED
    report = cd.compare(WAYS[given], GUESS, kind="cover")
    assert report["extended_bcubed_f"].value == WANTED
    assert report["cice_f"].meet == cd.meet(cd.Cover(TRUTH), cd.Cover(GUESS))


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_matrices_are_objects_by_clusters(kind: Any) -> None:
    matrix = kind([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]])
    assert sets_of(cd.Cover(matrix)) == {0: {0}, 1: {0, 1}, 2: {1}, 3: set()}
    assert cd.extended_bcubed_f(matrix, cd.Cover(list(GUESS.values()))) == WANTED


def test_boolean_and_float_matrices_are_as_good() -> None:
    matrix = np.array([[1, 0], [1, 1]])
    for same in (matrix.astype(bool), matrix.astype(float), matrix.astype(np.uint8)):
        assert sets_of(cd.Cover(same)) == {0: {0}, 1: {0, 1}}


def test_communities_of_graphs() -> None:
    graph = igraph.Graph.Full(4)
    cover = igraph.VertexCover(graph, [[0, 1], [1, 2]])
    assert cd.onmi(cover, cd.Cover([{0}, {0, 1}, {1}, set()])) == 1
    communities = list(nx.algorithms.community.k_clique_communities(nx.barbell_graph(3, 0), 3))
    assert cd.cice_f(communities, [{0, 1, 2}, {3, 4, 5}]) == 1

    class NodeClustering:
        """Communities as cdlib has them."""

        def __init__(self) -> None:
            self.graph = nx.path_graph(4)
            self.communities = [[0, 1], [1, 2]]
            self.overlap = True

    assert cd.omega(NodeClustering(), cd.Cover(cover.membership, ids=range(4))) == 1


def test_a_partition_is_lifted_where_the_other_side_or_the_measure_asks() -> None:
    labels = ["a", "a", "b"]
    cover = cd.Cover([{"a"}, {"a"}, {"b"}])
    assert cd.meet(labels, cover) == cd.meet(cover, cover)
    assert cd.extended_bcubed_precision(labels, [1, 1, 1]) == cd.bcubed_precision(labels, [1, 1, 1])
    assert cd.bcubed_f(cover, [1, 1, 1]) == cd.bcubed_f(labels, [1, 1, 1])
    assert cover.to_partition().labels.tolist() == labels
    assert cd.compare(labels, [1, 1, 1], ["elm_f", "cice_f"])["elm_f"].value == 4 / 9


def test_the_same_cluster_twice_for_an_object_counts_once() -> None:
    once, twice = cd.Cover([["a"], ["a", "b"]]), cd.Cover([["a", "a"], ["a", "b"]])
    assert (once.repeats, twice.repeats) == (0, 1)
    assert cd.meet(once, twice) == cd.meet(once, once)
    rows = cd.Cover.from_rows([1, 1, 2, 2, 2], ["a", "a", "a", "b", "b"])
    report = cd.compare(rows, rows)
    assert "4 rows repeated the same object and cluster" in str(report)
    assert "repeats:4" in report["cice_f"].sign()


def test_two_clusters_with_the_same_objects_are_two() -> None:
    single = cd.Cover.from_clusters([{1, 2, 3}])
    double = cd.Cover.from_clusters([{1, 2, 3}, {1, 2, 3}])
    assert cd.meet(single, double).guess_sizes.clusters == 2
    assert cd.cice_f(double, double) == 1
    assert cd.cice_precision(single, double) == 0.5


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_objects_on_one_side_only(align: str) -> None:
    truth, guess = cd.Cover({"x": [1], "y": [1, 2]}), cd.Cover({"y": [5], "z": [5, 6]})
    m = cd.meet(truth, guess, align=align)
    assert (m.alignment.only_truth, m.alignment.only_guess) == (1, 1)
    wanted = {
        "shared": ({"y": [1, 2]}, {"y": [5]}),
        "singletons": ({"x": [1], "y": [1, 2], "z": [8]}, {"x": [9], "y": [5], "z": [5, 6]}),
    }
    if align in wanted:
        left, right = wanted[align]
        assert m == cd.meet(cd.Cover(left), cd.Cover(right))
    else:
        assert (m.objects, m.truth_objects, m.guess_objects) == (3, 2, 2)


def test_refused_by_default_with_counts_and_examples() -> None:
    with pytest.raises(cd.ClusterdiffError, match=r"1 of 2 objects is only in truth \('x'\)"):
        cd.cice_f(cd.Cover({"x": [1], "y": [1]}), cd.Cover({"y": [1]}))


def test_noise_is_a_label_or_being_in_no_cluster() -> None:
    truth = cd.Cover({"x": ["a", "-"], "y": ["a"], "z": [], "u": ["-"], "v": ["-"]})
    singles = cd.Cover({"x": ["a", 1], "y": ["a"], "z": [2], "u": [3], "v": [4]})
    assert cd.meet(truth, truth, noise=["-", None]) == cd.meet(singles, singles)
    assert cd.meet(truth, truth, noise="-").alignment.noise == 3
    dropped = cd.meet(truth, truth, noise=["-", None], noise_as="drop")
    assert (dropped.objects, dropped.alignment.noise) == (1, 4)
    refuses("nothing to compare", cd.meet, truth, truth, noise=["-", "a", None], noise_as="drop")


def test_nulls_of_a_partition_stay_an_error_when_it_is_lifted() -> None:
    cover = cd.Cover([{1}, {1, 2}])
    refuses("1 of 2 labels in truth is null", cd.omega, ["a", None], cover)
    assert cd.meet(["a", None], cover, noise=[None]).alignment.noise == 1


def test_samples_of_covers() -> None:
    frame = pd.DataFrame(
        {"doc": [1, 1, 1, 2, 2], "id": ["x", "y", "y", "x", "y"], "cluster": list("jjfjj")}
    )
    report = cd.compare(frame, frame, kind="cover", samples="doc")
    assert report["cice_f"].each == (1.0, 1.0)
    assert report["cice_f"].meet.objects == 4
    first, second = (frame[frame.doc == d].drop(columns="doc") for d in (1, 2))
    parts = [cd.meet(part, part, kind="cover") for part in (first, second)]
    assert union(parts) == report["cice_f"].meet
    mixed = union([parts[0], cd.meet(["a", "a"], [1, 1])])
    assert mixed == union(parts)
    pairs = cd.compare(samples=[(cd.Cover([{1}]), cd.Cover([{1, 2}])), ([1], [1])])
    assert pairs["omega"].each == (1.0, 1.0)


def test_several_covers_beside_each_other() -> None:
    guesses = {"one": GUESS, "two": cd.Cover(TRUTH), "three": WAYS["pandas"]}
    report = cd.compare(TRUTH, guesses, kind="cover")
    assert report.guesses == ["one", "two", "three"]
    assert report["cice_f"]["two"].value == report["cice_f"]["three"].value == 1
    alone = cd.compare(TRUTH, {i: list(own) for i, own in GUESS.items()}, kind="cover")
    assert alone["extended_bcubed_f"].value == WANTED


def test_objects_of_covers_are_judged_one_by_one() -> None:
    scores = cd.objects("extended_bcubed_precision", TRUTH, GUESS).to_dict()
    assert list(scores) == list(TRUTH)
    assert sum(scores.values()) / 4 == cd.extended_bcubed_precision(TRUTH, GUESS)
    refuses("use one of element_similarity", cd.objects, "omega", TRUTH, GUESS)


BAD: dict[str, tuple[Any, str]] = {
    "degrees": (lambda: cd.Cover(np.array([[0.5, 1], [1, 0]])), "1 entries .* neither 0 nor 1"),
    "counts": (lambda: cd.Cover(scipy.sparse.csr_array([[2, 1]])), r"neither 0 nor 1 \(2\)"),
    "nan": (lambda: cd.Cover(np.array([[np.nan, 1.0]])), r"neither 0 nor 1 \(nan\)"),
    "words": (lambda: cd.Cover(np.array([["a", "b"]])), "neither 0 nor 1"),
    "labels": (lambda: cd.Cover(["a", "b"]), "given by a collection, but 'a' is a str"),
    "numbers": (lambda: cd.Cover([1, 2]), "but 1 is an int"),
    "a cluster of a word": (
        lambda: cd.Cover.from_clusters(["ab"]),
        "a cluster is given by a collection",
    ),
    "ids twice": (lambda: cd.Cover([[1], [2]], ids=["x", "x"]), "1 ids occur again"),
    "ids and dict": (lambda: cd.Cover({"x": [1]}, ids=["x"]), "has its ids already"),
    "null besides": (lambda: cd.Cover([["a", None]]), r"1 objects .* null besides \(objects 0\)"),
    "lengths": (lambda: cd.Cover.from_rows([1, 2], [1]), "is 1 label but 2 ids"),
    "unhashable": (lambda: cd.Cover([[["a"]]]), "must be hashable"),
    "overlap": (lambda: cd.Cover(TRUTH).to_partition(), "1 of 4 .* several clusters and 1 in none"),
    "two readings": (lambda: cd.omega([[1], [1, 2]], [[1], [1]]), "labels of each object or the"),
    "no kind": (lambda: cd.compare([1], [1], kind="ruff"), "unknown kind of clustering 'ruff'"),
    "features": (lambda: cd.meet(cd.Cover([[1]]), [1], features=[[1.0]]), "features are for part"),
    "refused": (lambda: cd.cice_f(TRUTH, GUESS, uncovered="refuse"), "1 of 4 objects are in no"),
    "empty": (lambda: cd.omega(cd.Cover([]), cd.Cover([])), "nothing to compare"),
    "wide": (lambda: cd.cice_f(TRUTH, GUESS, similarity=lambda b, x, y, n: b * 9), "from 0 to 1"),
    "damping": (
        lambda: cd.element_similarity(TRUTH, GUESS, kind="cover", damping=1),
        "above 0 and below 1",
    ),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_input_gets_one_paragraph_and_a_hint(name: str) -> None:
    call, text = BAD[name]
    caught = refuses(text, call)
    assert caught.hint


RELATIVES = {
    "bcubed_precision": "extended_bcubed_precision", "elm_f": "extended_bcubed_f", "rand": "omega",
    "nmi": "onmi", "accuracy": "cover_f1", "split_merge": "cover_f1", "conll": "extended_bcubed_f",
    "muc_recall": "extended_bcubed_recall", "adjusted": "omega",
}  # fmt: skip


@pytest.mark.parametrize("name", list(RELATIVES))
def test_a_measure_of_partitions_names_its_overlapping_relative(name: str) -> None:
    with pytest.raises(
        cd.ClusterdiffError, match="2 of 4 objects are in several clusters"
    ) as caught:
        cd.measure(name)(cd.Cover(TRUTH), cd.Cover({i: [1] for i in TRUTH}))
    assert caught.value.hint.startswith(f"{RELATIVES[name]} compares")


def test_measures_of_clusters_have_no_penalised_form() -> None:
    for name in ("omega", "onmi", "cover_f1", "element_similarity"):
        with pytest.raises(cd.ClusterdiffError, match="one side only") as caught:
            cd.measure(name)(cd.Cover(TRUTH), cd.Cover({"x": [1]}), align="penalise")
        assert "extended_bcubed_f" in caught.value.hint
    report = cd.compare(cd.Cover(TRUTH), cd.Cover({"x": [1]}), align="penalise")
    assert list(report)[-1] == "cice_f"


@given(st.lists(st.sets(st.integers(0, 6)), max_size=40))
def test_sets_are_numbered_alike_exactly_when_they_are_equal(given: list[set[int]]) -> None:
    owner = np.array([i for i, own in enumerate(given) for _ in own], np.int64)
    member = np.array([label for own in given for label in own], np.int64)
    made, repeats = sets_of_rows(owner, member, len(given))
    codes, example = number_sets(made)
    assert repeats == 0
    assert len(example) == len({frozenset(own) for own in given})
    for i, own in enumerate(given):
        assert given[example[codes[i]]] == own


def test_a_collision_of_fingerprints_is_found_and_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the first attempt make {0, 3} and {1, 2} look alike, and the size too."""
    tries = []

    def colliding(words: Any) -> Any:
        tries.append(1)
        return words if len(tries) == 1 else mix(words)

    mix = sets.mix
    monkeypatch.setattr(sets, "mix", colliding)
    made = Sets(np.array([0, 2, 4, 6]), np.array([0, 3, 1, 2, 0, 3]))
    codes, _ = number_sets(made)
    assert len(tries) == 2
    assert codes[0] == codes[2] != codes[1]


def test_order_and_names_do_not_show_in_a_single_bit() -> None:
    rng = random.Random(3)
    truth = random_cover(rng, 400, 90, 30)
    guess = disturbed(rng, truth)
    wanted = None
    for _ in range(12):
        names = {label: rng.random() for label in range(2000)}
        order = rng.sample(sorted(truth), len(truth))
        covers = [
            cd.Cover(
                {i: [names[c] for c in rng.sample(sorted(one[i]), len(one[i]))] for i in order}
            )
            for one in (truth, guess)
        ]
        m = cd.meet(*covers)
        found = [m.digest, *(measure.of(m) for measure in EXACT)]
        found.append(cd.cice_f(sample=50, seed=1).of(m))
        wanted = wanted or found
        assert found == wanted


EXACT = [
    *(m for m in cd.measures() if m.family == "overlapping"),
    cd.cice_f(match="pair"),
    cd.cice_f(similarity="rand", f="objects"),
    cd.onmi(variant="lfk"),
]


def test_swapping_exchanges_precision_and_recall() -> None:
    rng = random.Random(5)
    truth = random_cover(rng, 30, 8, 12)
    m = cd.meet(cd.Cover(truth), cd.Cover(disturbed(rng, truth)))
    for family in ("extended_bcubed", "cice"):
        precision, recall = cd.measure(f"{family}_precision"), cd.measure(f"{family}_recall")
        assert precision.of(m) == recall.of(m.swap())
    assert cd.onmi.of(m) == pytest.approx(cd.onmi.of(m.swap()), abs=1e-15)
    assert m.swap().swap() == m
    assert hash(m.swap().swap()) == hash(m)


def test_different_covers_have_different_digests() -> None:
    rng = random.Random(6)
    truth = random_cover(rng, 30, 8, 12)
    m = cd.meet(cd.Cover(truth), cd.Cover(truth))
    seen = {m.digest}
    for i in list(truth)[:10]:
        changed = {**truth, i: truth[i] ^ {3}}
        seen.add(cd.meet(cd.Cover(truth), cd.Cover(changed)).digest)
    assert len(seen) >= 9
    uncovered = cd.meet(cd.Cover({1: [1], 2: []}), cd.Cover({1: [1], 2: []}))
    missing = cd.meet(cd.Cover({1: [1], 2: []}), cd.Cover({1: [1]}), align="penalise")
    assert uncovered.digest != missing.digest
