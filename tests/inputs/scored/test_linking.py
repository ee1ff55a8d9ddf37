"""Pairs as clusterings: the connected components of those that reach the threshold, from whatever
holds pairs; and what is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.scored import PairChunk, components
from inputs.scored.test_opening import FRAME, GIVEN, ROWS
from refusals import refuses

AT = {0.9: [{1, 2}, {4, 5}, {3}, {6}], 0.7: [{1, 2, 3, 4, 5}, {6}], 0.4: [{1, 2, 3, 4, 5, 6}]}


def sets(found: cd.Partition) -> set[frozenset[Any]]:
    assert found.ids is not None
    clusters: dict[Any, set[Any]] = {}
    for id, label in zip(found.ids.tolist(), found.labels.tolist(), strict=True):
        clusters.setdefault(label, set()).add(id)
    return {frozenset(one) for one in clusters.values()}


SCORED: dict[str, Callable[[], Any]] = GIVEN | {
    "by position": lambda: FRAME.set_axis(["x", "y", "z"], axis=1),
    "left and right": lambda: FRAME.set_axis(["left", "right", "p"], axis=1),
}
BARE: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME[["id_l", "id_r"]],
    "by position": lambda: FRAME[["id_l", "id_r"]].set_axis(["x", "y"], axis=1),
    "relation": lambda: duckdb.connect().from_arrow(pa.Table.from_pandas(FRAME[["id_l", "id_r"]])),
    "list": lambda: [(a, b) for a, b, _ in ROWS],
    "set": lambda: {(a, b) for a, b, _ in ROWS},
    "arrays": lambda: (FRAME["id_l"].to_numpy(), FRAME["id_r"].to_numpy()),
    "matrix": lambda: FRAME[["id_l", "id_r"]].to_numpy(),
    "graph": lambda: nx.Graph([(a, b) for a, b, _ in ROWS]),
}


@pytest.mark.parametrize("threshold", AT)
@pytest.mark.parametrize("name", SCORED)
def test_whatever_holds_scored_pairs(name: str, threshold: float) -> None:
    found = cd.Partition.from_pairs(SCORED[name](), threshold)
    assert sets(found) == set(map(frozenset, AT[threshold]))


@pytest.mark.parametrize("name", BARE)
def test_without_scores_all_pairs_link(name: str) -> None:
    found = cd.Partition.from_pairs(BARE[name]())
    assert sets(found) == {frozenset({1, 2, 3, 4, 5, 6})}
    assert str(found.origin).endswith("all pairs")
    assert sets(cd.Partition.from_pairs(BARE[name](), distance=True)) == sets(found)
    with pytest.raises(
        ClusterdiffError, match=r"pairs without scores .* threshold=0\.9 has nothing"
    ):
        cd.Partition.from_pairs(BARE[name](), 0.9)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_files(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{ending}"
    write = {
        "csv": lambda: FRAME.to_csv(path, index=False), "parquet": lambda: FRAME.to_parquet(path),
        "jsonl": lambda: FRAME.to_json(path, orient="records", lines=True),
    }  # fmt: skip
    write[ending]()
    found = cd.Partition.from_pairs(path, 0.7)
    assert sets(found) == set(map(frozenset, AT[0.7]))
    (tmp_path / "links.csv").write_text("left,right\nr1,r2\nr2,r3\nr4,r5\n")
    bare = cd.read(tmp_path / "links.csv", as_="pairs")
    assert isinstance(bare, cd.Partition)
    assert sets(bare) == {frozenset({"r1", "r2", "r3"}), frozenset({"r4", "r5"})}
    refuses("nothing says which of them link", cd.read, path, as_="pairs")


@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_components_of_pieces_are_those_of_a_graph(pieces: int) -> None:
    rng = np.random.default_rng(pieces)
    for objects, pairs in ((1, 3), (30, 20), (200, 150)):
        left, right = rng.integers(0, objects, (2, pairs))
        score = rng.random(pairs)
        rows = zip(*(np.array_split(one, pieces) for one in (left, right, score)), strict=True)
        for distance in (False, True):
            found = components((PairChunk(*one) for one in rows), objects, 0.4, distance)
            rows = zip(*(np.array_split(one, pieces) for one in (left, right, score)), strict=True)
            strong = score <= 0.4 if distance else score >= 0.4
            known = nx.Graph(zip(left[strong], right[strong], strict=True))
            known.add_nodes_from(range(objects))
            groups = {frozenset(np.flatnonzero(found.labels == n)) for n in set(found.labels)}
            assert groups == set(map(frozenset, nx.connected_components(known)))
            assert found.links == strong.sum()
            assert found.ends == (score.min(), score.max())


def test_clusters_are_called_like_their_first_object() -> None:
    """As a sweep and splink call them, whatever the order of the pairs."""
    pairs = [("c", "b", 0.9), ("a", "c", 0.8), ("e", "d", 0.7), ("f", "a", 0.1)]
    for given in (pairs, pairs[::-1]):
        found = cd.Partition.from_pairs(given, 0.5)
        assert found.ids is not None
        named = dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True))
        assert named == {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "f": "f"}
    cut = cd.sweep(dict.fromkeys("abcdef", 1), pairs, "elm_f").cut(0.5)
    assert cd.rand(found, cut) == 1
    assert set(cut.labels.tolist()) == set(found.labels.tolist())


def test_all_objects_can_be_brought_in() -> None:
    pairs = [("r1", "r2")]
    truth = {"r1": 1, "r2": 1, "r3": 2}
    for ids in (["r3", "r1", "r2"], truth, cd.Partition(truth), np.array(["r3", "r2", "r1", "r3"])):
        found = cd.Partition.from_pairs(pairs, ids=ids)
        assert sets(found) == {frozenset({"r1", "r2"}), frozenset({"r3"})}
        assert found.notes == ("all 1 pairs link",)
    with pytest.raises(ClusterdiffError, match=r"1 object of the pairs is not among ids= \('r2'\)"):
        cd.Partition.from_pairs(pairs, ids=["r1", "r3"])
    refuses("none can be equal", cd.Partition.from_pairs, pairs, ids=[1, 2, 3])
    lone = nx.Graph([("r1", "r2")])
    lone.add_node("r3")
    assert cd.rand(truth, cd.Partition.from_pairs(lone)) == 1
    error = refuses("not in a clustering of pairs", cd.rand, truth, cd.Partition.from_pairs(pairs))
    assert 'align="singletons"' in error.hint
    refuses("not in a clustering of pairs", cd.explain, truth, cd.Partition.from_pairs(pairs))
    assert cd.rand(truth, cd.Partition.from_pairs(pairs), align="singletons") == 1


def test_distances_link_what_is_near() -> None:
    near = FRAME.assign(cosine_distance=1 - FRAME["score"]).drop(columns="score")
    found = cd.Partition.from_pairs(near, 0.31, score="cosine_distance")
    assert sets(found) == set(map(frozenset, AT[0.7]))
    assert str(found.origin).endswith("score: cosine_distance <= 0.31")
    far = cd.Partition.from_pairs(near, 0.31, score="cosine_distance", distance=False)
    assert str(far.origin).endswith("score: cosine_distance >= 0.31")
    with pytest.raises(ClusterdiffError, match=r"scores 0\.01 or less: .* from 0\.1 to 0\.8"):
        cd.Partition.from_pairs(near, 0.01, score="cosine_distance")


@pytest.mark.parametrize(
    ("given", "threshold", "message", "hint"),
    [
        (FRAME, None, r"pairs with scores \(score, 0\.2 to 0\.9\)", "threshold=0.2)  # all pairs"),
        (FRAME, 95, "no pair of the frame scores 95 or more", "in per cent? threshold=0.95"),
        (FRAME, 0.91, r"scores \(score\) go from 0\.2 to 0\.9", "threshold=0.9"),
        (FRAME, "0.9", "a threshold is a number, and '0.9' is a str", "threshold=0.9"),
        (FRAME, True, "True is a bool", "threshold=0.9"),
        (FRAME, float("nan"), "nan is not a threshold", "threshold=0.9"),
        (FRAME.assign(score=[0.9, None, 1, 1, 1, 1]), 0.5, "1 of 6 scores is null", "drop these"),
        (FRAME.assign(id_l=[1, None, 2, 3, 5, 1]), 0.5, "1 of 6 pairs lacks an id", "drop these"),
        (FRAME.assign(score=list("abcdef")), 0.5, "are not numbers, such as 'a'", "score="),
        (FRAME.rename(columns={"id_l": "id", "id_r": "cluster"}), 0.5, "the cluster of each object",
         "cd.compare(truth, cd.read(frame, id='id', cluster='cluster'))"),
        (FRAME.set_axis(["p", "q", "score"], axis=1).assign(r=1), 0.5, "which hold the objects",
         "left='p', right='q'"),
        (linkage(np.random.default_rng(0).random((5, 2))), 0.5, "is a dendrogram", "fcluster(Z"),
        ([1, 2, 3], None, "a list holds no pairs", "(left, right, score)"),
        ([], None, "a list holds no pairs", "cd.compare(truth, clusters)"),
        ([(("a", "b"), (0.9, 0.9))], None, "a list holds no pairs", "cd.compare(truth, clusters)"),
        (pl.DataFrame(schema=["id_l", "id_r"]), None, "there are no pairs", "two objects"),
        ("pairs.csv::score", 0.5, "names a column of clusters", "left="),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(given: Any, threshold: Any, message: str, hint: str) -> None:
    error = refuses(message, cd.Partition.from_pairs, given, threshold)
    assert hint in error.hint
    assert len(error.hint.splitlines()) <= 6


def test_no_score_can_be_said() -> None:
    blocked = FRAME.drop(columns="score").assign(block="b")
    refuses(r"the scores \(block\) are not numbers", cd.Partition.from_pairs, blocked)
    assert len(sets(cd.Partition.from_pairs(blocked, score=""))) == 1


@pytest.mark.parametrize("names", [["id_l", "id_r", "score"], ["left", "right", "p"]])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, "csv", "relation"])
def test_pairs_are_no_clustering(names: list[str], make: Any, tmp_path: Path) -> None:
    frame = FRAME.set_axis(names, axis=1).rename(columns={"p": "similarity"})
    made: Any = frame
    if make == "csv":
        made = tmp_path / "pairs.csv"
        frame.to_csv(made, index=False)
    elif make == "relation":
        made = duckdb.connect().from_arrow(pa.Table.from_pandas(frame))
    else:
        made = make(frame)
    error = refuses("holds pairs of objects", cd.compare, {1: 1, 2: 2}, made)
    lines = error.hint.splitlines()
    assert lines[0] == "link them first:"
    assert "cd.Partition.from_pairs(" in lines[1]
    assert "cd.sweep(truth, " in lines[2]


def test_lines_that_hints_give_do_work(folder: Path) -> None:
    FRAME.to_csv("pairs.csv", index=False)
    Path("truth.csv").write_text("id,cluster\n1,a\n2,a\n3,b\n4,c\n5,c\n6,c\n7,d\n")
    refused = run("compare", "truth.csv", "pairs.csv")
    assert refused.code == 2
    for line in refused.stderr.splitlines()[2:]:
        name, *arguments = line.partition("#")[0].split()
        assert name == "clusterdiff"
        ran = run(*arguments)
        assert ran.code == 0, ran.stderr
    error = refuses(None, cd.compare, "truth.csv", "pairs.csv")
    for line in error.hint.splitlines()[1:]:
        eval(line, {"cd": cd, "truth": "truth.csv"})


def test_flags(folder: Path) -> None:
    FRAME.to_csv("pairs.csv", index=False)
    Path("truth.csv").write_text("id,cluster\n" + "".join(f"{i},{i % 2}\n" for i in range(1, 7)))
    for flags, told in (
        (("--threshold", "0.9"), "--threshold is for pairs"),
        (("--score", "score"), "--score is for pairs"),
        (("--as", "long,pairs,pairs"), "3 formats do not fit 2 files"),
        (("--as", "pairs", "--threshold", "0.95"), "no pair of pairs.csv scores 0.95"),
        (("--as", "pairs", "--threshold", "0.9", "--samples", "doc"), "no column 'doc'"),
        (("--as", "pairs", "--left", "id_x"), "did you mean id_"),
    ):
        ran = run("compare", "truth.csv", "pairs.csv", *flags)
        assert ran.code == 2
        assert told in ran.stderr
    each = ("--as", "long,pairs", "--left", "id_l", "--right", "id_r", "--score", "score")
    ran = run("compare", "truth.csv", "pairs.csv", *each, "--threshold", "0.7", "-m", "rand")
    assert "[left: id_l, right: id_r, score >= 0.7]" in ran.stdout, ran.stderr
    piped = Path("pairs.csv").read_bytes()
    again = run("compare", "truth.csv", "-", *each, "--threshold", "0.7", "-m", "rand", stdin=piped)
    assert again.stdout.splitlines()[-1] == ran.stdout.splitlines()[-1]
    both = run("compare", "pairs.csv", "pairs.csv", "--as", "pairs", "--threshold", "0.7")
    assert "truth      6 objects in 2 clusters" in both.stdout, both.stderr


def test_sparse_matrices_of_scores() -> None:
    left, right, score = zip(*ROWS, strict=True)
    made = sparse.coo_array((score, (left, right)), shape=(7, 7))
    found = cd.Partition.from_pairs(made, 0.7)
    assert sets(found) == set(map(frozenset, AT[0.7]))


def single(folder: Path) -> dict[str, Any]:
    """Pairs whose scores have 32 bits, or 16, in whatever holds them."""
    frame = FRAME.astype({"score": "float32"})
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    frame.to_parquet(folder / "pairs.parquet")
    return {
        "pandas": frame,
        "nullable": FRAME.astype({"score": "Float32"}),
        "half": FRAME.astype({"score": "float16"}),
        "polars": pl.DataFrame(frame),
        "arrow": arrow,
        "relation": duckdb.connect().from_arrow(arrow),
        "list": [(a, b, np.float32(s)) for a, b, s in ROWS],
        "dict": {(a, b): np.float32(s) for a, b, s in ROWS},
        "arrays": tuple(frame[name].to_numpy() for name in frame),
        "matrix": np.array(ROWS, np.float32),
        "path": str(folder / "pairs.parquet"),
    }


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_thresholds_have_the_precision_of_the_scores(tmp_path: Path, engine: str) -> None:
    """0.9 links what scores 0.9 in 32 bits, and 0.7 is the distance 0.7, from above and below."""
    truth = dict.fromkeys(range(1, 7), 1)
    for name, pairs in single(tmp_path).items():
        for threshold, known in AT.items():
            every: tuple[Any, ...] = (threshold, np.float32(threshold))
            for given in every:
                found = sets(cd.Partition.from_pairs(pairs, given))
                assert found == set(map(frozenset, known)), (name, given)
            curve = cd.sweep(truth, pairs, "pair_f", engine=engine)
            assert sets(curve.cut(threshold)) == set(map(frozenset, known)), (name, threshold)
            near = cd.sweep(truth, pairs, "pair_f", engine=engine, distance=True)
            linked = cd.Partition.from_pairs(pairs, threshold, distance=True)
            assert sets(near.cut(threshold)) == sets(linked), (name, threshold)
            assert linked.notes[0].startswith({0.9: "all 6", 0.7: "4 of", 0.4: "2 of"}[threshold])
    path = str(tmp_path / "pairs.parquet")
    (tmp_path / "truth.csv").write_text("id,cluster\n1,a\n2,a\n3,b\n4,c\n5,c\n6,d\n")
    asked = "--as", "pairs", "--threshold", "0.9", "-m", "pair_f", "--engine", engine
    assert "1.0000" in run("compare", str(tmp_path / "truth.csv"), path, *asked).stdout


def test_a_suggested_threshold_links_a_pair() -> None:
    """Digits are rounded so that what is suggested holds, and differ from what was refused."""
    for end in (0.89999997, 0.123456789, 0.9, 123456789.0):
        for distance in (False, True):
            pairs = [(1, 2, end), (3, 4, end + (1 if distance else -1))]
            beyond = np.nextafter(end, -np.inf if distance else np.inf)
            error = refuses(None, cd.Partition.from_pairs, pairs, beyond, distance=distance)
            refused = str(error).split("scores ")[1].split(" or ")[0]
            assert refused not in str(error).split(" go from ")[1].split("\n")[0]
            hint = float(error.hint.split("threshold=")[1].rstrip("."))
            assert len(cd.Partition.from_pairs(pairs, hint, distance=distance)) == 4
            error = refuses("nothing says", cd.Partition.from_pairs, pairs, distance=distance)
            every = error.hint.split("threshold=")[2].split(")")[0]
            found = cd.Partition.from_pairs(pairs, float(every), distance=distance)
            assert found.notes[0].startswith("all 2")
