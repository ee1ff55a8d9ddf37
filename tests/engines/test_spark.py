"""Spark joins and counts where the rows are, and says what memory says, to the bit."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.engines.duckdb import DuckDB
from engines.conftest import PLANS
from refusals import refuses

Data = dict[str, list[Any]]
IDS = [1, 2, 3, 4, 5, 6]
TRUTH: Data = {"id": IDS, "cluster": ["a", "a", "b", "b", "c", "c"]}
GUESS: Data = {"id": IDS[::-1], "cluster": [1, 1, 1, 2, 3, 3]}
LABELS = dict(zip(GUESS["id"], GUESS["cluster"], strict=True))
FEW = ["elm_f", "rand"]


@pytest.fixture
def sent(spark: Any) -> Iterator[Any]:
    """Sends a table to Spark; afterwards no view and no cached rows may be left there."""
    yield lambda data: spark.createDataFrame(pa.table(data))
    left = left_behind(spark)
    clear(spark)
    assert left == ([], 0)


def left_behind(spark: Any) -> tuple[list[str], int]:
    views = [row.tableName for row in spark.sql("SHOW TABLES").collect()]
    return views, spark.sparkContext._jsc.getPersistentRDDs().size()


def clear(spark: Any) -> None:
    for view in left_behind(spark)[0]:
        spark.catalog.dropTempView(view)
    spark.catalog.clearCache()


def in_memory(truth: Any, guess: Any, *measures: Any, **options: Any) -> cd.Report:
    made = [pa.table(data) if isinstance(data, dict) else data for data in (truth, guess)]
    return cd.compare(*made, *measures, engine="arrays", **options)


def told(report: cd.Report) -> dict[str, Any]:
    """All that a report says, samples by name: tables have no order."""
    first = report[next(iter(report))]
    said: dict[str, Any] = {"digest": first.meet.digest, "alignment": first.meet.alignment}
    for name in report:
        score = report[name]
        said[name] = score.value
        if score.each is not None:
            said[name] = dict(zip(score.samples, score.each, strict=True)), score.micro
    return said


def same(sent: Any, truth: Data, guess: Data, **options: Any) -> None:
    """Spark and memory say the same of the same."""
    found = cd.compare(sent(truth), sent(guess), **options)
    assert told(found) == told(in_memory(truth, guess, **options))


@contextmanager
def one_paragraph(message: str) -> Iterator[None]:
    """An error of ours: a line that matches, and a hint."""
    with pytest.raises(cd.ClusterdiffError, match=message) as found:
        yield
    assert "\n" not in found.value.message
    assert found.value.hint


def cases(seed: int) -> tuple[Data, Data]:
    """Small random cases as samples: nulls, repeated rows, and ids that one side lacks.

    All have object 0, in cluster 0.
    """
    rng = np.random.default_rng(seed)
    truth: Data = {"doc": [], "id": [], "cluster": []}
    guess: Data = {"doc": [], "id": [], "cluster": []}
    for k in range(12):
        many = int(rng.integers(0, 9))
        for side in (truth, guess):
            ids = [0, *(1 + rng.permutation(many + 2)[:many]).tolist()]
            labels = [0, *rng.integers(0, 5, many).tolist()]
            again = 1 + int(rng.integers(0, 2))
            side["doc"] += [f"d{k}"] * len(ids) * again
            side["id"] += ids * again
            side["cluster"] += [None if x == 4 else x for x in labels] * again
    guess["cluster"] = [None if x is None else f"é{x}" for x in guess["cluster"]]
    return truth, guess


@pytest.mark.slow
@pytest.mark.parametrize("align", ["shared", "singletons"])
def test_several_guesses_are_judged_on_the_same_objects(sent: Any, align: str) -> None:
    truth, *guesses = cases(3)[0], cases(4)[0], cases(5)[1]
    options: dict[str, Any] = {"align": align, "noise": [None, 3, "é3"], "noise_as": "drop"}
    several = {f"run{k}": data for k, data in enumerate(guesses)}
    frames = {name: sent(data) for name, data in several.items()}
    found = cd.compare(sent(truth), frames, "elm_f", samples="doc", **options)["elm_f"]
    tables = {name: pa.table(data) for name, data in several.items()}
    options |= {"samples": "doc", "engine": "arrays"}
    wanted = cd.compare(pa.table(truth), tables, "elm_f", **options)["elm_f"]
    for name, score in found.items():
        assert score.sign() == wanted[name].sign()
        assert "among" in score.signature
        each = [dict(zip(s.samples, s.each, strict=True)) for s in (score, wanted[name])]
        assert each[0] == each[1]


POLICIES = [
    ("singletons", "singletons"),
    ("penalise", "drop"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("align", "noise_as"), POLICIES)
def test_random_samples_under_each_policy(sent: Any, align: str, noise_as: str) -> None:
    options: dict[str, Any] = {"align": align, "noise": [None, 2, "é3"], "noise_as": noise_as}
    same(sent, *cases(7), samples="doc", **options)


def test_text_ids_and_labels_of_numbers(sent: Any) -> None:
    ids = ["é", "e\u0301", "日本", "a ", "a", "\U0001f600", "007", "7", "", "A"]
    truth: Data = {"id": ids, "cluster": ["é", "e\u0301", "é", "a ", "a", "a", "7", "07", "", "A"]}
    guess: Data = {"id": ids[::-1], "cluster": [0.0, -0.0, 1.5, float("nan"), 1.5, 2, 2, 2, 2, 3.0]}
    same(sent, truth, guess, noise=[None])


def test_quotes_backslashes_and_variables_in_names_and_noise(sent: Any) -> None:
    """Nothing in a name or a label is taken for SQL, or for a variable of Spark."""
    name, variable = "from `a.b` select 'x'", "${spark.app.name}"
    labels = ["it's", "it's", "b\\", "\\'", '"', "a\nb", variable, variable, "b"]
    ids = [*IDS, 7, 8, 9]
    truth, guess = {name: ids, variable: labels}, {"select": [*"112233445"], "id": ids[::-1]}
    noise = ["it's", "b\\", "\\'", '"', "a\nb", variable]
    found = cd.compare(sent(truth), sent(guess), noise=noise)
    plain = {"id": ids, "cluster": labels}, {"id": guess["id"], "cluster": guess["select"]}
    assert told(found) == told(in_memory(*plain, noise=noise))
    assert found["elm_f"].meet.alignment.noise == 8


def test_literals_are_the_same_under_other_settings(spark: Any, sent: Any) -> None:
    settings = ("spark.sql.parser.escapedStringLiterals", "spark.sql.ansi.enforceReservedKeywords")
    truth: Data = {"id": IDS, "cluster": ["it's", "it's", "b\\", "b\\", "c", "c"]}
    try:
        for name in settings:
            spark.conf.set(name, "true")
        same(sent, truth, GUESS, noise=["it's", "b\\"])
    finally:
        for name in settings:
            spark.conf.unset(name)


def test_noise_that_no_label_can_be(sent: Any) -> None:
    same(sent, TRUTH, GUESS, noise=[float("inf"), 1e300])


def test_shapes_are_enough_where_rows_do_not_fit(
    sent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDB, "bytes", 100)
    truth, guess = sent(TRUTH), sent(GUESS)
    report = cd.compare(truth, guess, ["elm_f", "adjusted_rand", "accuracy"])
    monkeypatch.undo()
    wanted = in_memory(TRUTH, GUESS, ["elm_f", "adjusted_rand"])
    assert report["accuracy"].value is None
    assert [report[m].value for m in wanted] == [wanted[m].value for m in wanted]


@pytest.mark.slow
def test_a_million_rows_with_one_huge_cluster(spark: Any, sent: Any, tmp_path: Path) -> None:
    many, rng = 10**6, np.random.default_rng(3)
    truth = np.where(np.arange(many) < many // 2, -7, rng.integers(0, many // 20, many))
    guess = np.where(rng.random(many) < 0.02, rng.integers(0, many, many), truth)
    order = rng.permutation(many)
    left = pa.table({"id": np.arange(many), "cluster": truth})
    right = pa.table({"id": order, "cluster": guess[order]})
    for name, table in (("left", left), ("right", right)):
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=many // 4)
    for name in PLANS:
        spark.conf.unset(name)
    try:
        frames = [spark.read.parquet(str(tmp_path / f"{x}.parquet")) for x in ("left", "right")]
        found = cd.compare(*frames)
    finally:
        for name, value in PLANS.items():
            spark.conf.set(name, value)
    assert told(found) == told(in_memory(left, right))


COVER: Data = {"id": [1, 1, 2, 3, 3, 4, 5, 5], "cluster": [*"abab", "c", "c", "a", "a"]}
TAGS: Data = {"id": [1, 2, 2, 3, 4, 4, 9], "cluster": [1, 1, 2, 2, 3, 1, None]}


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_covers_under_each_policy(sent: Any, align: str) -> None:
    same(sent, COVER, TAGS, kind="cover", align=align)


@pytest.mark.slow
def test_covers_of_the_same_objects(sent: Any) -> None:
    tags = {"id": [*TAGS["id"][:-1], 5], "cluster": TAGS["cluster"]}
    same(sent, COVER, tags, kind="cover")


def test_covers_of_two_objects(sent: Any) -> None:
    truth, guess = {"id": [1, 1, 2], "cluster": [*"aba"]}, {"id": [1, 2], "cluster": [1, 1]}
    same(sent, truth, guess, kind="cover")


LONG: Data = {
    "id": [1, 1, 2, 3, 3, 4],
    "cluster": ["a", "b", "a", "b", "c", "c"],
    "degree": [0.25, 0.75, 1.0, 0.1, 0.9, 1.0],
}
WIDE: Data = {"id": [1, 2, 3, 4], "a": [0.5, 1.0, 0, 0.1], "b": [1.0, 0, 1, 0.2], "c": [0, 0, 0, 1]}
SETS: Data = {**LONG, "cluster": ["a|b", "b", "a", "b", "", "c"]}
SOFT = [("fuzzy", LONG, "shared"), ("possibilistic", WIDE, "exact"), ("evidential", SETS, "exact")]


@pytest.mark.parametrize(("kind", "guess", "align"), SOFT, ids=[kind for kind, _, _ in SOFT])
def test_uncertain_clusterings(sent: Any, kind: str, guess: Data, align: str) -> None:
    ids = [5, 3, 2, 1] if align == "shared" else [4, 3, 2, 1]
    truth = {"id": ids, "cluster": ["a", "b", "b", "c"]}
    options: dict[str, Any] = {"kind": ("partition", kind), "align": align}
    found = told(cd.compare(sent(truth), sent(guess), **options))
    wanted = told(in_memory(truth, guess, **options))
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if isinstance(value, cd.ScoreRange):
            ends = (found[name].low, found[name].high)
            assert ends == pytest.approx((value.low, value.high), abs=1e-12)
        elif isinstance(value, float):
            assert found[name] == pytest.approx(value, abs=1e-12)
        elif name != "digest":
            assert found[name] == value


@pytest.mark.slow
def test_what_is_elsewhere_is_sent(sent: Any, tmp_path: Path) -> None:
    """Where one side is a frame of Spark, the other may be in memory, in a file or in DuckDB."""
    wanted = told(in_memory(TRUTH, GUESS, FEW))
    assert told(cd.compare(pd.DataFrame(TRUTH), sent(GUESS), FEW)) == wanted
    file, relation = tmp_path / "guess.csv", duckdb.from_arrow(pa.table(GUESS))
    pa.csv.write_csv(pa.table(GUESS), file)
    report = cd.compare(sent(TRUTH), {"labels": LABELS, "file": file, "relation": relation}, FEW)
    assert report.guesses == ["labels", "file", "relation"]
    for name in report.guesses:
        scores = {measure: report[measure][name] for measure in FEW}
        meet = scores["rand"].meet
        values = {measure: score.value for measure, score in scores.items()}
        assert {"digest": meet.digest, "alignment": meet.alignment, **values} == wanted, name


LABELLINGS: dict[str, dict[int, Any]] = {
    "mixed": {1: "a", 2: 3, 3: 3, 4: "a", 5: 3, 6: 3},
    "large": {1: 2**63, 2: 2**63, 3: 1, 4: 1, 5: 1, 6: 2},
    "huge": {1: 2**70, 2: 2**70, 3: 1, 4: 1, 5: 1, 6: 2},
    "tuples": {1: (1, 2), 2: (1, 2), 3: (3,), 4: (3,), 5: (3,), 6: (1, 2)},
    "nulls": {1: None, 2: None, 3: 1, 4: 1, 5: 1, 6: 2},
}


@pytest.mark.parametrize("labels", LABELLINGS.values(), ids=LABELLINGS)
def test_labels_that_arrow_does_not_know(sent: Any, labels: dict[int, Any]) -> None:
    """They are compared, or refused; nothing else."""
    wanted = cd.compare(pa.table(TRUTH), labels, FEW, noise=[None], engine="arrays")
    try:
        found = told(cd.compare(sent(TRUTH), labels, FEW, noise=[None]))
    except cd.ClusterdiffError:
        found = {}
    assert found in ({}, told(wanted))


def test_samples_that_no_column_names(sent: Any) -> None:
    asked: Any = {"samples": {i: i % 2 for i in IDS}, "align": "singletons"}
    found = cd.compare(sent(TRUTH), sent(GUESS), FEW, **asked)
    assert told(found) == told(in_memory(TRUTH, GUESS, FEW, **asked))


def test_a_frame_of_another_session(spark: Any, sent: Any) -> None:
    other = spark.newSession()
    guess = other.createDataFrame(pa.table(GUESS))
    with one_paragraph("different Spark sessions"):
        cd.compare(sent(TRUTH), guess, FEW)
    assert not other.sql("SHOW TABLES").collect()


@pytest.mark.slow
def test_frames_that_were_cached_stay_so(spark: Any, sent: Any) -> None:
    truth = sent(TRUTH).cache()
    truth.count()
    try:
        assert cd.compare(truth, sent(GUESS), FEW)
        assert truth.storageLevel.useMemory
    finally:
        truth.unpersist()


def test_links_of_frames(spark: Any, sent: Any) -> None:
    """Scored pairs in Spark are joined there, whatever holds the clusterings."""
    truth, guess = dict(enumerate("aabbccdd")), dict(enumerate("11112344"))
    scored = [(0, 2, 0.7), (3, 1, 0.8), (1, 3, 0.6), (4, 5, 0.4), (6, 6, 1.0), (9, 0, 0.9)]
    expected = cd.explain(truth, guess, pairs=scored, threshold=0.65)
    pairs = spark.createDataFrame(scored, "unique_id_l int, unique_id_r int, score double")
    before = left_behind(spark)
    there = [sent({"id": list(side), "cluster": [*side.values()]}) for side in (truth, guess)]
    for one, other in ((truth, guess), there):
        told = cd.explain(one, other, pairs=pairs, threshold=0.65)
        found = [part.links for part in told.top(None, None)]
        assert found == [part.links for part in expected.top(None, None)]
        del told  # and with it the views in which pairs are looked up
    assert left_behind(spark)[1] == before[1]
    strangers = spark.createDataFrame([("x", "y", 0.5)], "l string, r string, score double")
    with pytest.raises(cd.ClusterdiffError, match="no object of pairs is in truth"):
        str(cd.explain(truth, guess, pairs=strangers))


def test_a_session_of_others_is_not_stopped(
    spark: Any, sent: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stopped: list[bool] = []
    monkeypatch.setattr(type(spark), "stop", lambda _: stopped.append(True))
    path = str(tmp_path / "t.parquet")
    pa.parquet.write_table(pa.table(TRUTH), path)
    for engine in ("spark", cd.Spark(spark), cd.Spark(master=spark.sparkContext.master)):
        with one_paragraph("not a table"):
            cd.compare(path, "x.json", FEW, engine=engine)
    assert not stopped


def test_files(spark: Any, sent: Any, tmp_path: Path) -> None:
    folder = tmp_path / "truth"
    folder.mkdir()
    for half in (0, 1):
        part = pa.table(TRUTH).slice(3 * half, 3)
        pa.parquet.write_table(part, folder / f"{half}.parquet")
    pa.csv.write_csv(pa.table(GUESS), tmp_path / "guess.csv")
    wanted = told(in_memory(TRUTH, GUESS))
    guess = tmp_path / "guess.csv"
    assert told(cd.compare(folder, guess, engine=cd.Spark(spark))) == wanted
    assert told(cd.compare(str(guess), str(folder), FEW, engine="spark")) == told(
        in_memory(GUESS, TRUTH, FEW)
    )


TEXTS = {
    "no header": b"1,a\n2,a\n3,b\n4,b\n",
    "semicolons": b"cluster;id\na;1\na;2\na;3\nb;4\n",
    "lines in quotes": b'id,cluster\n1,"a\nb"\n2,"a\nb"\n3,"x,y"\n4,"say ""hi"""\n',
    "quoted nothing": b'id,cluster\n1,\n2,""\n3,b\n4,b\n',
}
REFUSED = {
    "other bytes": "id,cluster\n1,é\n2,ü\n3,b\n4,b\n".encode("latin-1"),
    "short row": b"id,cluster\n1,a\n2\n3,b\n4,b\n",
    "header alone": b"id,cluster\n",
    "nothing": b"",
}


@pytest.mark.parametrize(
    "names", [("no header", "semicolons"), ("lines in quotes", "quoted nothing")]
)
def test_texts_are_read_as_in_memory(
    spark: Any, sent: Any, tmp_path: Path, names: tuple[str, str]
) -> None:
    truth, guess = (tmp_path / f"{name}.csv" for name in names)
    for path, name in zip((truth, guess), names, strict=True):
        path.write_bytes(TEXTS[name])
    options: dict[str, Any] = {"noise": [None]} if "quoted nothing" in names else {}
    wanted = told(cd.compare(truth, guess, FEW, engine="arrays", **options))
    assert told(cd.compare(truth, guess, FEW, engine=cd.Spark(spark), **options)) == wanted


@pytest.mark.parametrize("name", REFUSED)
def test_texts_are_refused_as_in_memory(spark: Any, sent: Any, tmp_path: Path, name: str) -> None:
    truth, guess = tmp_path / "t.csv", {1: "x", 2: "x", 3: "x", 4: "y"}
    truth.write_bytes(REFUSED[name])
    for engine in ("arrays", cd.Spark(spark)):
        refuses(None, cd.compare, truth, guess, FEW, engine=engine)


@pytest.mark.slow
def test_columns_of_files_that_spark_reads(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(",cluster,size\n1,a,1\n2,a,1\n3,b,1\n4,c,1\n")
    (tmp_path / "g.csv").write_text("4,c\n3,b\n2,a\n1,a\n")
    (tmp_path / "n.csv").write_text('id,cluster\n1,NA\n2,NA\n3,"nan"\n4,"nan"\n')
    by: Any = {"engine": cd.Spark(spark)}
    report = cd.compare(tmp_path / "t.csv", tmp_path / "g.csv", ["elm_f"], **by)
    assert report["elm_f"].value == 1
    assert "[id: (unnamed), cluster]" in report.to_text(200)
    with one_paragraph("4 of 4 labels in guess are (NA, nan|nan, NA)"):
        cd.compare(tmp_path / "t.csv", tmp_path / "n.csv", FEW, **by)
    noisy = cd.compare(tmp_path / "t.csv", tmp_path / "n.csv", FEW, noise=["NA", "nan"], **by)
    assert next(iter(noisy.scores.values()))["elm_f"].meet.alignment.noise == 4
    with one_paragraph("2 columns that could hold the clusters: label, cluster"):
        frame = spark.createDataFrame(pa.table({"id": [1], "label": [1], "cluster": [1]}))
        cd.compare(frame, frame, FEW)
    with one_paragraph("the path is empty"):
        cd.compare("::cluster", tmp_path / "t.csv", **by)


def test_names_of_files_are_no_patterns(spark: Any, sent: Any, tmp_path: Path) -> None:
    for name in ("run[1].csv", "_run.csv"):
        pa.csv.write_csv(pa.table(TRUTH), tmp_path / name)
    found = cd.compare(tmp_path / "run[1].csv", LABELS, FEW, engine=cd.Spark(spark))
    assert told(found) == told(in_memory(TRUTH, GUESS, FEW))
    with one_paragraph("skips files whose names start with _"):
        cd.compare(tmp_path / "_run.csv", LABELS, FEW, engine=cd.Spark(spark))


ERRORS: dict[str, tuple[Data, dict[str, Any]]] = {
    r"2 of 8 objects are only in truth \(9, 10\), 2 only in guess \(5, 6\)": (
        {"id": [1, 2, 3, 4, 9, 10], "cluster": TRUTH["cluster"]}, {}),
    "1 of 6 ids is null": ({"id": [1, 2, 3, 4, 5, None], "cluster": TRUTH["cluster"]}, {}),
    "1 id is in more than one cluster \\(1 is in 'a' and in 'z'\\)": (
        {"id": [*IDS, 1], "cluster": [*TRUTH["cluster"], "z"]}, {}),
    "truth are strings .* guess are integers": (
        {"id": [*"123456"], "cluster": TRUTH["cluster"]}, {}),
    r"1 of 6 labels in truth is null \(object 6\)": (
        {"id": IDS, "cluster": [*"aabbc", None]}, {}),
    "no column 'doc'": (TRUTH, {"samples": "doc"}),
    "no objects": ({"id": IDS, "cluster": ["a"] * 6}, {"noise": "a", "noise_as": "drop"}),
    "3 columns .* cannot tell": ({"u": IDS, "v": IDS, "w": IDS}, {}),
    "cannot be cast": ({**TRUTH, "degree": [*"abcdef"]}, {"kind": ("fuzzy", "partition")}),
}  # fmt: skip


@pytest.mark.parametrize("message", ERRORS)
def test_errors_are_one_paragraph(sent: Any, message: str) -> None:
    truth, options = ERRORS[message]
    with one_paragraph(message):
        cd.compare(sent(truth), sent(GUESS), **options)


def test_a_sample_with_nothing_left(sent: Any) -> None:
    truth = {"doc": [1, 1, 2], "id": [1, 2, 1], "cluster": [1, 1, 9]}
    guess = {"doc": [1, 1, 2], "id": [1, 2, 1], "cluster": [1, 1, 1]}
    report = cd.compare(sent(truth), sent(guess), "elm_f", samples="doc", noise=9, noise_as="drop")
    assert report["elm_f"].signature["samples"] == "1 of 2"
    assert report["elm_f"].value == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nix.parquet", "nix.parquet"),
        ("data.json", "not a table that Spark reads"),
        ("data.csv::no", "no column 'no'"),
    ],
)
def test_files_that_cannot_be_read(
    spark: Any, sent: Any, tmp_path: Path, name: str, message: str
) -> None:
    pa.csv.write_csv(pa.table(GUESS), tmp_path / "data.csv")
    (tmp_path / "data.json").write_text("{}")
    with one_paragraph(message):
        cd.compare(str(tmp_path / name), LABELS, engine=cd.Spark(spark))


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = run("compare", "a.parquet", "b.parquet", "--engine", "spark")
    assert (ran.code, ran.stdout) == (2, "")
    assert "pip install 'clusterdiff[spark]'" in ran.stderr


def test_settings_of_duckdb_are_refused() -> None:
    ran = run("compare", "a.csv", "b.csv", "--engine", "spark", "--memory", "4GB")
    assert (ran.code, ran.stdout) == (2, "")
    assert "--memory is for DuckDB" in ran.stderr


@pytest.mark.slow
def test_the_command(java: None, quick_spark: dict[str, str], tmp_path: Path) -> None:
    for name, data in (("a", TRUTH), ("b", GUESS)):
        pa.parquet.write_table(pa.table(data), tmp_path / f"{name}.parquet")
    asked = ["compare", "a.parquet", "b.parquet", "--format", "json"]
    command = [sys.executable, "-m", "clusterdiff", *asked, "--engine", "spark"]
    ran = subprocess.run(
        [*command, "--master", "local[2]"],
        cwd=tmp_path,
        env={**os.environ, **quick_spark},
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        wanted = run(*asked)
    assert json.loads(ran.stdout) == json.loads(wanted.stdout)
    noise = [line for line in ran.stderr.splitlines() if "Warning" in line or " ERROR " in line]
    assert not noise


CONNECT = """
import json, sys
import pyarrow as pa
from pyspark.sql import SparkSession
import clusterdiff as cd
truth, guess, missing = json.loads(sys.argv[1])
spark = SparkSession.builder.remote("local[2]").getOrCreate()
frames = [spark.createDataFrame(pa.table(side)) for side in (truth, guess)]
found = []
for sides in (frames, (missing, missing)):
    try:
        report = cd.compare(*sides, ["elm_f"], noise=["a", 3], engine=cd.Spark(spark))
        found.append(report["elm_f"].meet.digest)
    except Exception as error:
        found.append(type(error).__name__)
found.append([row.tableName for row in spark.sql("SHOW TABLES").collect()])
spark.stop()
print(json.dumps(found))
"""


@pytest.mark.slow
def test_spark_connect(java: None, quick_spark: dict[str, str], tmp_path: Path) -> None:
    missing = str(tmp_path / "nix.parquet")
    ran = subprocess.run(
        [sys.executable, "-c", CONNECT, json.dumps([TRUTH, GUESS, missing])],
        cwd=tmp_path,
        env={**os.environ, **quick_spark},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    wanted = in_memory(TRUTH, GUESS, ["elm_f"], noise=["a", 3])
    assert json.loads(ran.stdout) == [wanted["elm_f"].meet.digest, "ReadError", []]


def test_the_example_of_the_page_on_scale(spark: Any, sent: Any, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "scale.md"
    [example] = re.findall(r"```py\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for name, labels in (("truth", "aaabbccdddde"), ("run1", "aabcccdeeeef")):
        lines = [f"{i},{label}" for i, label in enumerate(labels, 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,cluster", *lines]) + "\n")
    example = re.sub(r'"(\w+\.csv)"', rf'"{tmp_path}/\1"', example)
    test = doctest.DocTestParser().get_doctest(example, {"cd": cd, "spark": spark}, "page", None, 0)
    assert doctest.DocTestRunner().run(test) == doctest.TestResults(0, 3)


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:1", "spark://127.0.0.1:1,127.0.0.1:2", "sc://127.0.0.1:1"]
)
def test_a_master_that_does_not_answer_is_named_at_once(master: str) -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(cd.ClusterdiffError, match=f"Spark does not answer at {master}: ") as told:
        cd.compare("a.parquet", "b.parquet", engine=cd.Spark(master=master))
    assert "--master 'local[*]'" in str(told.value)


def test_settings_of_spark_are_settings_of_spark(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,cluster\n1,1\n")
    files = [str(tmp_path / "a.csv")] * 2
    for flags, words in [
        (["--spark-conf", "spark.executor.memory=1g"], "add --engine spark"),
        (["--engine", "spark", "--spark-conf", "spark.executor.memory"], "is not a setting"),
        (["--engine", "spark", "--spark-conf", "executor.memory=1g"], "is not a setting"),
    ]:
        ran = run("compare", *files, *flags)
        assert ran.code == 2
        assert words in ran.stderr


def test_a_session_of_ours_has_partitions_for_what_it_reads(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of the user keeps its number; one of ours has as many as the bytes ask for."""
    from clusterdiff.engines import spark as engine

    session = engine.SparkSession(cd.Spark(spark))
    frame = spark.createDataFrame(pa.table(TRUTH))
    before = spark.conf.get(engine.PARTITIONS)
    session._fit_partitions(frame)
    assert spark.conf.get(engine.PARTITIONS) == before
    session._own_partitions = True
    try:
        session._fit_partitions(frame)
        few = int(spark.conf.get(engine.PARTITIONS))
        assert few == 2 * spark.sparkContext.defaultParallelism
        monkeypatch.setattr(engine, "BYTES_EACH", 1)
        session._fit_partitions(frame)
        assert int(spark.conf.get(engine.PARTITIONS)) == session._bytes > few
    finally:
        spark.conf.set(engine.PARTITIONS, before)
