"""Whatever holds scored pairs, or a dendrogram, gives the same curve."""

from __future__ import annotations

import json
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
from clusterdiff.io.scored import ScoredSource, opened_scored
from refusals import refuses

TRUTH = {1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}
ROWS = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)]
FRAME = pd.DataFrame(ROWS, columns=["id_l", "id_r", "score"])
THRESHOLDS = [np.inf, 0.9, 0.7, 0.4]
PAIR_F = [0, 2 / 3, 4 / 7, 8 / 19]


def graph() -> Any:
    made = nx.Graph()
    made.add_weighted_edges_from(ROWS)
    return made


def dedupe() -> Any:
    pairs = [((a, b), s) for a, b, s in ROWS]
    return np.array(pairs, dtype=[("pairs", "i8", 2), ("score", "f8")])


class SplinkLike:
    """A prediction of splink, as far as a sweep knows it."""

    def as_pandas_dataframe(self) -> pd.DataFrame:
        columns = {"id_l": "unique_id_l", "id_r": "unique_id_r", "score": "match_probability"}
        return FRAME.rename(columns=columns)


class SplinkOnDuckDB(SplinkLike):
    """The same on DuckDB."""

    def as_duckdbpyrelation(self) -> Any:
        return duckdb.connect().from_arrow(pa.Table.from_pandas(self.as_pandas_dataframe()))


GIVEN: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME,
    "other order": lambda: FRAME.sample(frac=1, random_state=3)[["score", "id_r", "id_l"]],
    "polars": lambda: pl.DataFrame(FRAME),
    "lazy": lambda: pl.LazyFrame(FRAME),
    "pyarrow": lambda: pa.Table.from_pandas(FRAME),
    "relation": lambda: duckdb.connect().from_arrow(pa.Table.from_pandas(FRAME)),
    "edges": lambda: ROWS,
    "edges of a generator": lambda: iter(ROWS),
    "edges with attributes": lambda: list(graph().edges(data=True)),
    "a graph": graph,
    "dict": lambda: {(a, b): s for a, b, s in ROWS},
    "pairs and scores": lambda: [((a, b), s) for a, b, s in ROWS],
    "three lists": lambda: tuple(list(column) for column in zip(*ROWS, strict=True)),
    "three arrays": lambda: tuple(np.array(column) for column in zip(*ROWS, strict=True)),
    "array": lambda: np.array(ROWS),
    "objects": lambda: np.array(ROWS, object),
    "dedupe": dedupe,
    "splink": SplinkLike,
    "splink on DuckDB": SplinkOnDuckDB,
}


@pytest.mark.parametrize("name", GIVEN)
def test_all_give_the_same_curve(name: str) -> None:
    curve = cd.sweep(TRUTH, GIVEN[name](), "pair_f")
    assert curve.thresholds.tolist() == THRESHOLDS
    assert curve["pair_f"] == pytest.approx(PAIR_F, abs=1e-15)


@pytest.mark.parametrize("ids", ["<U10", "O"])
def test_scores_of_dedupe_are_mapped_to_memory(tmp_path: Path, ids: str) -> None:
    """dedupe gives pairs of text with scores of half the precision, in a file if they are many."""
    kind = np.dtype([("pairs", ids, 2), ("score", "f4")])
    scores = np.array([((str(a), str(b)), s) for a, b, s in ROWS], kind)
    truth = {str(key): value for key, value in TRUTH.items()}
    curve = cd.sweep(truth, scores, "pair_f")
    assert curve["pair_f"] == pytest.approx(PAIR_F)
    assert curve.thresholds[1] == np.float32(0.9)
    if ids != "O":
        mapped = np.memmap(tmp_path / "scores", kind, "w+", shape=scores.shape)
        mapped[:] = scores
        assert np.array_equal(cd.sweep(truth, mapped, "pair_f")["pair_f"], curve["pair_f"])


def write_csv(path: Path) -> Path:
    FRAME.to_csv(path, index=False)
    return path


def write_parquet(path: Path) -> Path:
    FRAME.to_parquet(path)
    return path


def write_lines(path: Path) -> Path:
    path.write_text("\n".join(json.dumps(dict(zip(FRAME, row, strict=True))) for row in ROWS))
    return path


def write_headless(path: Path) -> Path:
    FRAME.to_csv(path, index=False, header=False)
    return path


@pytest.mark.parametrize("engine", [None, "duckdb", "arrays", cd.DuckDB(memory="200MB", threads=1)])
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("pairs.csv", write_csv),
        ("pairs.parquet", write_parquet),
        ("pairs.jsonl", write_lines),
        ("headless.csv", write_headless),
    ],
)
def test_files_on_every_engine(
    tmp_path: Path, name: str, write: Callable[[Path], Path], engine: Any
) -> None:
    curve = cd.sweep(TRUTH, write(tmp_path / name), "pair_f", engine=engine)
    assert curve.thresholds.tolist() == THRESHOLDS
    assert curve["pair_f"] == pytest.approx(PAIR_F, abs=1e-15)
    assert curve.swept.shown == name


def test_tables_of_other_formats(tmp_path: Path) -> None:
    """Arrow and tables of databases are read; what has no columns is refused."""
    rows = pa.Table.from_pandas(FRAME)
    with (
        pa.OSFile(str(tmp_path / "pairs.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, rows.schema) as writer,
    ):
        writer.write_table(rows)
    with duckdb.connect(tmp_path / "all.duckdb") as database:
        database.register("given", rows)
        database.execute("CREATE TABLE pairs AS SELECT * FROM given")
    for name in ("pairs.arrow", "all.duckdb", "all.duckdb::pairs"):
        assert cd.sweep(TRUTH, f"{tmp_path}/{name}", "pair_f")["pair_f"] == pytest.approx(PAIR_F)
    (tmp_path / "run.labels").write_text("a\nb\n")
    refuses("no columns for two ids and a score", cd.sweep, TRUTH, tmp_path / "run.labels")


def test_arrays_of_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "tree.npy", linkage([[0.0], [0.1], [0.3], [2.0], [2.2], [9.0]]))
    curve = cd.sweep(list(TRUTH.values()), tmp_path / "tree.npy", "pair_f")
    assert curve.best("pair_f").value == 1
    np.save(tmp_path / "pairs.npy", np.array(ROWS))
    assert cd.sweep(TRUTH, tmp_path / "pairs.npy", "pair_f")["pair_f"] == pytest.approx(PAIR_F)
    (tmp_path / "odd.npy").write_bytes(b"\x93NUMPY nothing")
    for name in ("odd.npy", "nowhere.npy"):
        refuses(None, cd.sweep, TRUTH, tmp_path / name)


def test_several_files_are_one_table(tmp_path: Path) -> None:
    FRAME[:3].to_parquet(tmp_path / "1.parquet")
    FRAME[3:].to_parquet(tmp_path / "2.parquet")
    assert cd.sweep(TRUTH, str(tmp_path / "*.parquet"), "pair_f").swept.pairs == 6


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_repeats_and_self_pairs_are_counted_and_change_nothing(tmp_path: Path, engine: str) -> None:
    more = [(2, 1, 0.1), (1, 2, 0.9), (3, 3, 0.95), (3, 3, 0.95), (6, 5, 0.3)]
    path = tmp_path / "pairs.parquet"
    pd.DataFrame([*ROWS, *more], columns=FRAME.columns).to_parquet(path)
    curve = cd.sweep(TRUTH, path, "pair_f", engine=engine)
    assert curve.thresholds.tolist() == THRESHOLDS
    told = curve.swept
    assert (told.pairs, told.duplicates, told.self_pairs, told.scores) == (11, 3, 2, 4)
    assert "3 pairs given again: the stronger score counts" in str(curve)
    assert "2 pairs of an object with itself: ignored" in str(curve)


def test_ids_of_a_csv_file_are_those_of_memory(tmp_path: Path) -> None:
    """A text file does not say whether 7 is a number or a text; it matches both."""
    path = write_csv(tmp_path / "pairs.csv")
    as_text = {str(key): value for key, value in TRUTH.items()}
    assert len(cd.sweep(as_text, path, "pair_f")) == 4
    as_text = {f"r{key}": value for key, value in TRUTH.items()}
    named = FRAME.assign(id_l="r" + FRAME.id_l.astype(str), id_r="r" + FRAME.id_r.astype(str))
    assert len(cd.sweep(as_text, named, "pair_f")) == 4


def test_a_sparse_matrix_names_objects_by_position() -> None:
    left, right, score = (np.array(column) for column in zip(*ROWS, strict=True))
    matrix = sparse.csr_matrix((score, (left - 1, right - 1)), shape=(6, 6))
    curve = cd.sweep(list(TRUTH.values()), matrix, "pair_f")
    assert curve["pair_f"] == pytest.approx(PAIR_F)
    refuses("5 rows and 6 columns", cd.sweep, list(TRUTH.values()), matrix[:5], "pair_f")


def test_a_score_called_distance_is_one() -> None:
    frame = FRAME.assign(score=1 - FRAME.score).rename(columns={"score": "distance"})
    curve = cd.sweep(TRUTH, frame, "pair_f")
    assert curve.distance
    assert curve["pair_f"] == pytest.approx(PAIR_F)
    best = curve.best("pair_f")
    assert (best.low, best.high) == pytest.approx((0.1, 0.3))
    assert best.threshold == best.low
    assert "distance" in curve.swept.taken_for
    other = cd.sweep(TRUTH, frame, "pair_f", distance=False)
    assert not other.distance


def test_pieces_are_sorted_and_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff.io.scored.ROWS", 2)
    with opened_scored(write_parquet(tmp_path / "pairs.parquet")) as found:
        assert isinstance(found, ScoredSource)
        pieces = list(found.chunks())
    assert [piece.score.size for piece in pieces] == [2, 2, 2]
    assert np.concatenate([piece.score for piece in pieces]).tolist() == sorted(
        FRAME.score, reverse=True
    )
    curve = cd.sweep(TRUTH, tmp_path / "pairs.parquet", "pair_f")
    assert curve["pair_f"] == pytest.approx(PAIR_F)


def test_a_relation_whose_connection_keeps_no_order() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 500, (5000, 2)), columns=["id_l", "id_r"])
    frame["score"] = rng.random(5000)
    truth = rng.integers(0, 100, 500).tolist()
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        curve = cd.sweep(truth, connection.from_df(frame), "elm_f")
    assert np.array_equal(curve["elm_f"], cd.sweep(truth, frame, "elm_f")["elm_f"])


def test_scores_of_other_types(tmp_path: Path) -> None:
    """Yes and no, whole numbers and decimals are scores."""
    for kind in ("BOOLEAN", "INTEGER", "DECIMAL(5, 2)", "FLOAT"):
        path = tmp_path / "pairs.parquet"
        rows = "(1, 2, 1), (4, 5, 1), (2, 4, 0)"
        query = f"SELECT id_l, id_r, s::{kind} AS score FROM (VALUES {rows}) t(id_l, id_r, s)"
        duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        curve = cd.sweep(TRUTH, path, "pair_f")
        assert curve.thresholds.tolist() == [np.inf, 1, 0]


def test_what_holds_no_pairs_is_refused() -> None:
    for value in (7, {1: "x", 2: "y"}, cd.Partition(list("aab")), object(), np.zeros((3, 5))):
        refuses(None, cd.sweep, TRUTH, value)
    refuses("no pairs", cd.sweep, TRUTH, [])
    refuses("could be a dendrogram", cd.sweep, list("aab"), np.array([[0, 1, 0.5], [2, 3, 0.7]]))


def test_a_graph_of_edges_without_a_score_is_refused() -> None:
    refuses("edges have a score each", cd.sweep, TRUTH, nx.path_graph([1, 2, 3]))


def test_spark_is_refused_in_words() -> None:
    refuses("on one machine", cd.sweep, TRUTH, FRAME, engine="spark")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([(1, 2)], "a pair is two objects and a score, and (1, 2) has 2 entries."),
        ([(1, 2, 0.5), (1, 2, 3, 4)], "has 4 entries"),
        ([1, 2, 3], "a list holds no scored pairs"),
        ({1: 2}, "a dict holds no scored pairs"),
        (None, "a NoneType holds no scored pairs"),
        (FRAME[["id_l", "id_r"]], "2 columns (id_l, id_r), and none for the scores"),
        (FRAME[["score"]], "a sweep goes over at least two clusterings, got 1."),
    ],
)
def test_what_is_wrong_is_said(value: Any, said: str) -> None:
    error = refuses(None, cd.sweep, TRUTH, value)
    assert said in error.message


def test_the_index_of_pandas_names_the_objects() -> None:
    labels = pd.Series(list(TRUTH.values()), index=list(TRUTH))
    assert cd.sweep(labels[::-1], FRAME, "pair_f")["pair_f"] == pytest.approx(PAIR_F)
    levels = pd.DataFrame({"a": [1, 1, 1, 2, 2, 3], "b": [1, 1, 2, 2, 3, 3]}, index=list(TRUTH))
    curve = cd.sweep(labels[::-1], levels, "pair_f")
    assert curve.best("pair_f").value == 1
    by_position = cd.sweep(labels.reset_index(drop=True), FRAME - [1, 1, 0], "pair_f")
    assert by_position["pair_f"] == pytest.approx(PAIR_F)


# Arrays and DuckDB give the same curve to the last bit, whatever the order of rows.


MEASURES = ["elm_f", "bcubed_f", "adjusted_rand", "nmi", "muc_f", "accuracy"]


def made(seed: int, text: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Truth for most objects; pairs with ties, repeats, self-pairs and unknown objects."""
    rng = np.random.default_rng(seed)
    n = 120
    names = [f"r{i:03}" if text else i * 7 - 200 for i in range(n)]
    truth = pd.DataFrame({"id": names, "cluster": rng.integers(0, 40, n)})[: n - 10]
    left, right = rng.integers(0, n, (2, 400))
    score = np.round(rng.random(400), 2)
    pairs = pd.DataFrame({"id_l": [names[i] for i in left], "id_r": [names[i] for i in right]})
    pairs["score"] = score
    return truth, pd.concat([pairs, pairs[:30].rename(columns={"id_l": "id_r", "id_r": "id_l"})])


def curves(truth: Any, pairs: Any, engine: Any, align: str, distance: bool) -> cd.Sweep:
    return cd.sweep(truth, pairs, MEASURES, align=align, distance=distance, engine=engine)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@pytest.mark.parametrize("distance", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("align", ["shared", "singletons"])
@pytest.mark.parametrize("text", [False, True])
def test_engines_agree(tmp_path: Path, text: bool, align: str, distance: bool) -> None:
    truth, pairs = made(3, text)
    shuffled = pairs.sample(frac=1, random_state=5)
    shuffled.to_csv(tmp_path / "pairs.csv", index=False)
    pairs.to_parquet(tmp_path / "pairs.parquet")
    truth.sample(frac=1, random_state=2).to_csv(tmp_path / "truth.csv", index=False)
    first = curves(truth, pairs, "arrays", align, distance)
    others = [
        curves(truth.sample(frac=1, random_state=9), shuffled, None, align, distance),
        curves(tmp_path / "truth.csv", tmp_path / "pairs.csv", "duckdb", align, distance),
        curves(tmp_path / "truth.csv", tmp_path / "pairs.parquet", "arrays", align, distance),
        curves(truth, duckdb.connect().from_df(shuffled), None, align, distance),
    ]
    for other in others:
        assert np.array_equal(first.thresholds, other.thresholds)
        for column, values in first.columns().items():
            assert np.array_equal(values, other.columns()[column], equal_nan=True), column
        assert first.swept.to_dict() | {"name": ""} == other.swept.to_dict() | {
            "name": "", "columns": first.swept.columns,
        }  # fmt: skip
        assert named(first.cut(0.5)) == named(other.cut(0.5))
        assert first.best("elm_f") == other.best("elm_f")


def named(found: cd.Partition) -> dict[str, str]:
    assert found.ids is not None
    ids, labels = (map(str, column.tolist()) for column in (found.ids, found.labels))
    return dict(zip(ids, labels, strict=True))
