"""The verbs on many clusterings with input as people have it: what is refused, and how."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

TRUTH = "id,cluster\n1,x\n2,x\n3,x\n4,y\n5,y\n6,z\n"
PAIRS = "id_a,id_b,score\n1,2,.9\n4,5,.9\n2,3,.7\n3,4,.7\n5,6,.4\n1,3,.2\n"
FILES = {
    "truth.csv": TRUTH,
    "pairs.csv": PAIRS,
    "a.csv": "id,cluster\n1,p\n2,p\n3,p\n4,q\n5,q\n6,q\n",
    "b.csv": "id,cluster\n1,r\n2,r\n3,s\n4,s\n5,s\n6,s\n",
    "c.csv": "id,cluster\n6,w\n5,v\n4,v\n3,u\n2,u\n1,u\n",
    "short.csv": "id,cluster\n1,p\n2,p\n3,p\n4,q\n",
    "header.csv": "id_a,id_b,score\n",
    "nothing.csv": "",
    "nan.csv": PAIRS + "1,4,nan\n",
    "null.csv": PAIRS + "1,4,\n",
    "text.csv": PAIRS + "1,4,high\n",
    "noend.csv": PAIRS + ",4,0.3\n",
    "unknown.csv": PAIRS + "1,77,.8\n",
    "others.csv": "id_a,id_b,score\nx1,x2,.9\nx2,x3,.8\n",
    "unnamed.csv": "foo,bar,baz,more\n1,2,.9,7\n",
    "cover.clusters": "1 2 3\n3 4 5 6\n",
    "soft.csv": "id,cluster,degree\n" + "".join(f"{i},p,0.5\n{i},q,0.5\n" for i in range(1, 7)),
    "nulls.csv": "id,cluster\n1,p\n2,\n3,p\n4,q\n5,q\n6,q\n",
    "twice.csv": "id,cluster\n1,p\n1,q\n2,p\n3,p\n4,q\n5,q\n6,q\n",
    "repeated.csv": "id,cluster\n1,p\n1,p\n2,p\n3,p\n4,q\n5,q\n6,q\n",
    "plain.labels": "p\np\np\nq\n",
    "plainer.labels": "p\np\np\nq\nq\n",
    "table.csv": "id,run_1,run_2,run_3\n1,a,a,a\n2,a,a,b\n3,b,a,b\n4,b,b,b\n",
    "image.png": "\x89PNG\r\n\x1a\n\x00\x00",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    return tmp_path


BAD = [
    "sweep truth.csv missing.csv",
    "sweep missing.csv pairs.csv",
    "sweep truth.csv truth.csv",
    "sweep truth.csv header.csv",
    "sweep truth.csv nothing.csv",
    "sweep truth.csv nan.csv",
    "sweep truth.csv null.csv",
    "sweep truth.csv text.csv",
    "sweep truth.csv noend.csv",
    "sweep truth.csv unknown.csv",
    "sweep truth.csv others.csv",
    "sweep truth.csv others.csv --align shared",
    "sweep truth.csv unnamed.csv",
    "sweep truth.csv image.png",
    "sweep image.png pairs.csv",
    "sweep cover.clusters pairs.csv",
    "sweep soft.csv pairs.csv",
    "sweep nulls.csv pairs.csv",
    "sweep twice.csv pairs.csv",
    "sweep truth.csv pairs.csv -m elm_g",
    "sweep truth.csv pairs.csv --slack -0.1",
    "sweep truth.csv pairs.csv --folds 1",
    "sweep truth.csv pairs.csv --folds 100",
    "sweep truth.csv pairs.csv --align strict",
    "sweep truth.csv pairs.csv --align penalise",
    "sweep truth.csv pairs.csv --score nowhere",
    "sweep truth.csv pairs.csv --left nowhere",
    "sweep truth.csv pairs.csv --cut rand_f -o out.csv",
    "sweep truth.csv pairs.csv -o out.csv --cut nan",
    "sweep truth.csv pairs.csv --cut elm_f -o truth.csv",
    "sweep truth.csv pairs.csv --cut elm_f -o pairs.csv",
    "sweep truth.csv pairs.csv --cut elm_f -o ./pairs.csv",
    "sweep truth.csv pairs.csv --cut elm_f -o no/folder/out.csv",
    "sweep truth.csv pairs.csv --curve pairs.csv",
    "sweep truth.csv pairs.csv --curve no/folder/out.csv",
    "sweep truth.csv pairs.csv --plot truth.csv",
    "sweep truth.csv pairs.csv --cut elm_f -o same.csv --curve same.csv",
    "sweep truth.csv pairs.csv -f nothing",
    "sweep truth.csv pairs.csv --lines 0",
    "sweep truth.csv table.csv::nothing_*",
    "sweep truth.csv",
    "sweep - -",
    "relabel a.csv",
    "relabel a.csv missing.csv",
    "relabel a.csv cover.clusters",
    "relabel cover.clusters a.csv",
    "relabel a.csv soft.csv",
    "relabel a.csv nothing.csv",
    "relabel a.csv nulls.csv",
    "relabel a.csv twice.csv",
    "relabel plain.labels plainer.labels",
    "relabel a.csv b.csv -o a.csv",
    "relabel a.csv b.csv -o b.csv",
    "relabel a.csv b.csv --table b.csv",
    "relabel a.csv b.csv --redirects a.csv",
    "relabel a.csv b.csv -o out.csv --table out.csv",
    "relabel a.csv b.csv --table out.csv --redirects ./out.csv",
    "relabel a.csv b.csv -o no/folder/out.csv",
    "relabel a.csv b.csv --retired missing.csv",
    "relabel a.csv b.csv --retired retired.txt -o retired.txt",
    "relabel a.csv b.csv --min-share 2",
    "relabel a.csv b.csv --min-share -1",
    "relabel a.csv b.csv --weight nowhere",
    "relabel a.csv b.csv --fail-under kept=x",
    "relabel a.csv b.csv --fail-under elm_f=0.5",
    "track a.csv",
    "track",
    "track a.csv missing.csv",
    "track a.csv cover.clusters",
    "track a.csv nothing.csv",
    "track a.csv nulls.csv",
    "track a.csv b.csv --stray 1.5",
    "track a.csv b.csv --stray 1",
    "track a.csv b.csv --stray -0.1",
    "track plain.labels plainer.labels",
    "track a.csv b.csv --plot a.csv",
    "track a.csv b.csv --plot no/folder/plot.html",
    "track a.csv b.csv --events same.csv --ids same.csv",
    "matrix a.csv",
    "matrix",
    "matrix a.csv missing.csv",
    "matrix a.csv cover.clusters",
    "matrix a.csv b.csv soft.csv",
    "matrix a.csv short.csv",
    "matrix a.csv nulls.csv",
    "matrix a.csv twice.csv",
    "matrix a.csv nothing.csv",
    "matrix a.csv b.csv -m elm_g",
    "matrix a.csv b.csv --objects a.csv",
    "matrix a.csv b.csv --objects no/folder/objects.csv",
    "matrix a.csv b.csv --plot b.csv",
    "matrix plain.labels plainer.labels",
    "matrix table.csv::nothing_*",
    "matrix image.png a.csv",
    "consensus a.csv",
    "consensus a.csv missing.csv",
    "consensus a.csv cover.clusters",
    "consensus a.csv short.csv",
    "consensus a.csv nulls.csv",
    "consensus a.csv b.csv c.csv --by adjusted_rand",
    "consensus a.csv b.csv c.csv --by nothing",
    "consensus a.csv b.csv c.csv --weight nobody=2",
    "consensus a.csv b.csv c.csv --weight a.csv=-1",
    "consensus a.csv b.csv c.csv --weight a.csv=x",
    "consensus a.csv b.csv c.csv -o a.csv",
    "consensus a.csv b.csv c.csv -o no/folder/out.csv",
    "consensus a.csv b.csv c.csv --support b.csv",
    "consensus a.csv b.csv c.csv -o same.csv --support same.csv",
    "consensus a.csv b.csv c.csv --plot c.csv",
]


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_refused_in_one_paragraph(line: str, folder: Path) -> None:
    (folder / "retired.txt").write_text("old-1\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = run(*line.split())
    assert ran.code == 2, ran.stdout + ran.stderr
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    said = ran.stderr.strip()
    assert len(said) < 900
    if not said.startswith("Usage: "):
        assert said.startswith("clusterdiff: ")
        assert "\n\n" not in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    known = options_of(line.split()[0])
    named = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", said.partition("Hint:")[2]))
    assert named <= known, f"the hint names {named - known}"


@cache
def options_of(verb: str) -> set[str]:
    """What the help of a verb lists."""
    return set(re.findall(r"--[a-z][a-z-]+", run(verb, "--help-all").stdout))


HINTED = [
    ("sweep truth.csv null.csv", ["1 of 7 scores", "null"]),
    ("sweep truth.csv unknown.csv", ["1 object", "not in truth", "77", "shared"]),
    ("sweep truth.csv others.csv", ["no object of", "truth"]),
    ("sweep truth.csv header.csv", ["no pairs", "header.csv"]),
    ("sweep truth.csv unnamed.csv", ["--left", "foo"]),
    ("sweep truth.csv pairs.csv --slack -0.1", ["slack", "-0.1"]),
    ("relabel plain.labels plainer.labels", ["without ids", "4", "5"]),
    ("relabel a.csv cover.clusters", ["cover"]),
    ("track a.csv b.csv --stray 1.5", ["stray is a share from 0 to below 1, got 1.5"]),
    ("track a.csv", ["at least two", "got 1"]),
    ("matrix a.csv", ["a matrix compares at least two clusterings, got 1"]),
    ("matrix a.csv cover.clusters", ["cover"]),
    ("matrix a.csv short.csv", ["2 of 6", "--align"]),
    ("consensus a.csv b.csv c.csv --by adjusted_rand", ["mirkin_distance", "vi_distance"]),
    ("relabel a.csv b.csv -o a.csv", ["a.csv"]),
]


@pytest.mark.parametrize(("line", "words"), HINTED)
def test_what_is_said_of_bad_input(line: str, words: list[str]) -> None:
    said = " ".join(run(*line.split()).stderr.split())
    for word in words:
        assert word in said
    assert "Hint:" in said


@pytest.mark.parametrize(
    "line",
    [
        "sweep truth.csv pairs.csv",
        "relabel a.csv b.csv",
        "track a.csv b.csv c.csv",
        "matrix a.csv b.csv c.csv",
        "consensus a.csv b.csv c.csv",
        "matrix table.csv::run_*",
        "consensus table.csv::*",
        "track table.csv::*",
        "relabel table.csv::run_1 table.csv::run_2",
        "sweep table.csv::run_1 table.csv::run_*",
    ],
)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_good_input_fits_eighty_columns(line: str, engine: str) -> None:
    ran = run(*line.split(), "--engine", engine)
    assert ran.code == 0, ran.stderr
    assert ran.stdout.strip()
    assert max(map(len, ran.stdout.splitlines())) <= 80
    for form in ("json", "csv", "md") if engine == "arrays" else ():
        other = run(*line.split(), "--engine", engine, "-f", form)
        assert other.code == 0, (form, other.stderr)
        assert other.stdout.strip()


@pytest.mark.parametrize(
    "line",
    [
        "sweep truth.csv pairs.csv -f json",
        "relabel a.csv b.csv -f json",
        "track a.csv b.csv c.csv -f json",
        "matrix a.csv b.csv c.csv -f json",
        "consensus a.csv b.csv c.csv -f json",
    ],
)
def test_engines_and_orders_of_rows_agree(line: str, folder: Path) -> None:
    first = run(*line.split(), "--engine", "arrays").stdout
    assert run(*line.split(), "--engine", "duckdb").stdout == first
    for name in ("truth.csv", "pairs.csv", "a.csv", "b.csv", "c.csv"):
        head, *rows = FILES[name].splitlines()
        (folder / name).write_text("\n".join([head, *reversed(rows)]) + "\n")
    for engine in ("arrays", "duckdb"):
        again = run(*line.split(), "--engine", engine).stdout
        assert again == first, engine


def test_repeated_rows_are_one(folder: Path) -> None:
    for verb in ("relabel", "track", "matrix", "consensus"):
        plain, repeated = (
            run(verb, name, "b.csv", "-f", "csv") for name in ("a.csv", "repeated.csv")
        )
        assert repeated.code == 0, (verb, repeated.stderr)
        assert plain.stdout.replace("a.csv", "") == repeated.stdout.replace("repeated.csv", "")


def test_one_object_and_all_singletons(folder: Path) -> None:
    (folder / "one.csv").write_text("id,cluster\n1,a\n")
    (folder / "alone.csv").write_text("id,cluster\n" + "".join(f"{i},s{i}\n" for i in range(1, 7)))
    for verb in ("relabel", "track", "matrix", "consensus"):
        for name in ("one.csv", "alone.csv"):
            (folder / "copy.csv").write_bytes((folder / name).read_bytes())
            ran = run(verb, name, "copy.csv")
            assert ran.code == 0, (verb, name, ran.stderr)
            assert "nan" not in ran.stdout.lower()
    for name in ("one.csv", "alone.csv"):
        ran = run("sweep", name, "pairs.csv", "--align", "shared")
        assert ran.code == 0, ran.stderr
    both = run("matrix", "alone.csv", "a.csv")
    assert both.code == 0, both.stderr


def test_names_that_are_long_or_not_english(folder: Path) -> None:
    long = "x" * 300
    (folder / "long.csv").write_text(
        f"id,cluster\n1,{long}1\n2,{long}1\n3,{long}2\n4,{long}2\n5,{long}3\n6,{long}3\n"
    )
    (folder / "日本.csv").write_text("id,cluster\n1,é\n2,é\n3,日\n4,日\n5,😀\n6,😀\n", "utf-8")
    for verb in ("relabel", "track", "matrix", "consensus"):
        ran = run(
            verb, "long.csv", "日本.csv", "a.csv" if verb not in ("relabel",) else "--engine=arrays"
        )
        assert ran.code == 0, (verb, ran.stderr)
        assert max(map(len, ran.stdout.splitlines())) <= 80, verb
    (folder / "pairs.csv").write_text("id_a,id_b,score\né,日,.9\n日,😀,.3\n", "utf-8")
    (folder / "truth.csv").write_text("id,cluster\né,1\n日,1\n😀,2\n", "utf-8")
    ran = run("sweep", "truth.csv", "pairs.csv", "--cut", "elm_f", "-o", "out.csv")
    assert ran.code == 0, ran.stderr
    assert "日" in (folder / "out.csv").read_text("utf-8")


def test_two_files_of_one_name_and_one_file_twice(folder: Path) -> None:
    for place in ("one", "two"):
        (folder / place).mkdir()
        (folder / place / "run.csv").write_text(FILES["a.csv" if place == "one" else "b.csv"])
    ran = run("matrix", "one/run.csv", "two/run.csv")
    assert ran.code == 0, ran.stderr
    assert "one/run.csv" in ran.stdout
    assert run("matrix", "a.csv", "a.csv").code in (0, 2)


def test_standard_input_is_a_run(folder: Path) -> None:
    data = (folder / "a.csv").read_bytes()
    for verb in ("relabel", "track", "matrix", "consensus"):
        ran = run(verb, "-", "b.csv", stdin=data)
        assert ran.code == 0, (verb, ran.stderr)
        assert run(verb, "-", "-", stdin=data).code == 2, verb
    assert run("sweep", "truth.csv", "-", stdin=FILES["pairs.csv"].encode()).code == 0
    assert run("sweep", "-", "pairs.csv", stdin=FILES["truth.csv"].encode()).code == 0


@pytest.mark.parametrize(
    "line",
    [
        "sweep truth.csv pairs.csv -f csv",
        pytest.param("track a.csv b.csv", marks=pytest.mark.slow),
        pytest.param("matrix a.csv b.csv c.csv", marks=pytest.mark.slow),
        pytest.param("relabel a.csv b.csv -o -", marks=pytest.mark.slow),
        pytest.param("consensus a.csv b.csv c.csv", marks=pytest.mark.slow),
    ],
)
def test_a_reader_that_goes_away(line: str, folder: Path) -> None:
    command = f"{sys.executable} -m clusterdiff {line} | head -c 5"
    ran = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True
    )
    assert ran.returncode in (0, 141)
    assert "Traceback" not in ran.stderr


def test_what_is_written_can_be_read(folder: Path) -> None:
    assert run("relabel", "a.csv", "b.csv", "-o", "out.csv").code == 0
    assert cd.compare("b.csv", "out.csv", "rand")["rand"].value == 1
    assert run("consensus", "a.csv", "b.csv", "c.csv", "-o", "con.csv").code == 0
    found = cd.consensus(["a.csv", "b.csv", "c.csv"])
    assert cd.rand("con.csv", found.clustering) == 1
    assert run("sweep", "truth.csv", "pairs.csv", "--cut", "0.8", "-o", "cut.csv").code == 0
    assert cd.compare("truth.csv", "cut.csv", "pair_f")["pair_f"].value == pytest.approx(2 / 3)
    assert run("relabel", "a.csv", "b.csv", "-o", "out.parquet").code in (0, 2)


def test_numbers_of_the_command_are_those_of_python(folder: Path) -> None:
    ran = run("matrix", "a.csv", "b.csv", "c.csv", "-m", "elm_f", "-f", "json")
    assert ran.stdout.strip() == cd.matrix(["a.csv", "b.csv", "c.csv"], "elm_f").to_json().strip()
    ran = run("consensus", "a.csv", "b.csv", "c.csv", "-f", "json")
    assert ran.stdout.strip() == cd.consensus(["a.csv", "b.csv", "c.csv"]).to_json().strip()
    ran = run("track", "a.csv", "b.csv", "c.csv", "-f", "json")
    assert ran.stdout.strip() == cd.track(["a.csv", "b.csv", "c.csv"]).to_json().strip()
    ran = run("relabel", "a.csv", "b.csv", "-f", "json")
    assert ran.stdout.strip() == cd.relabel("a.csv", "b.csv").to_json().strip()
    ran = run("sweep", "truth.csv", "pairs.csv", "-f", "json")
    assert ran.stdout.strip() == cd.sweep("truth.csv", "pairs.csv").to_json().strip()


# From Python.


def refused(call: Callable[..., object], *words: str) -> None:
    found = refuses(None, call)
    said = f"{found} {found.hint}"
    for word in words:
        assert word in said, said


KNOWN = {i: "xxxyyz"[i - 1] for i in range(1, 7)}


def test_ids_of_two_types() -> None:
    text = {str(x): c for x, c in KNOWN.items()}
    refused(lambda: cd.matrix([KNOWN, text]), "'1'")
    refused(lambda: cd.relabel(KNOWN, text), "'1'")
    refused(lambda: cd.track([KNOWN, text]), "'1'")
    refused(lambda: cd.consensus([KNOWN, text]), "'1'")
    refused(lambda: cd.sweep(KNOWN, (["1"], ["2"], [0.5])), "'1'")
    refused(lambda: cd.sweep(KNOWN, (["1"], ["2"], [0.5]), align="shared"), "'1'")


def test_arrays_that_are_no_pairs() -> None:
    refused(lambda: cd.sweep(KNOWN, ([1, 2], [2], [0.5])))
    refused(lambda: cd.sweep(KNOWN, ([1], [2], [float("nan")])), "null")
    refused(lambda: cd.sweep(KNOWN, ([1], [2], ["high"])))
    refused(lambda: cd.sweep(KNOWN, ([], [], [])))
    refused(lambda: cd.sweep(KNOWN, KNOWN))
    refused(lambda: cd.sweep(KNOWN, "xxxyyz"))
    refused(lambda: cd.sweep(KNOWN, 5))
    refused(lambda: cd.sweep(KNOWN, None))
    refused(lambda: cd.sweep(KNOWN, pd.DataFrame({"a": [1], "b": [2]})))
    refused(lambda: cd.sweep(KNOWN, pd.DataFrame({"id_a": [1], "id_b": [2], "score": [None]})))
    refused(lambda: cd.sweep({}, ([1], [2], [0.5])))


def test_a_dendrogram_of_another_length() -> None:
    tree = np.array([[0, 1, 2.0, 2], [2, 3, 1.5, 3]])
    refused(lambda: cd.sweep(list("xxxy"), tree), "3 leaves", "4 objects")


def test_estimators_without_a_tree() -> None:
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.neighbors import kneighbors_graph

    points = np.random.default_rng(0).normal(size=(30, 2))
    truth = [0] * 30
    refused(lambda: cd.sweep(truth, AgglomerativeClustering()), "compute_full_tree")
    near = kneighbors_graph(points, 10)
    half = AgglomerativeClustering(20, connectivity=near, compute_full_tree=False).fit(points)
    refused(lambda: cd.sweep(truth, half))
    refused(lambda: cd.sweep(truth, KMeans(2, n_init=1).fit(points)))


def test_runs_of_one_name_and_covers() -> None:
    frame = pd.DataFrame([[1, 1], [1, 2]], columns=["seed 1", "seed 1"])
    cover = cd.Cover({1: ["a", "b"], 2: ["a"]})
    fuzzy = cd.Fuzzy(np.array([[0.5, 0.5], [1, 0]]))
    for verb in (cd.matrix, cd.consensus, cd.track):
        refused(partial(verb, frame), "two runs are called 'seed 1'")
        refused(partial(verb, [cover, {1: "a", 2: "a"}]), "partitions")
        refused(partial(verb, [fuzzy, [1, 2]]), "partitions")
        refused(partial(verb, {"one": KNOWN}), "at least two")
        refused(partial(verb, []))
        refused(partial(verb, {}))
        refused(partial(verb, None))
        refused(partial(verb, [[1, 1, 2], [1, 1]]))
    refused(lambda: cd.relabel(cover, {1: "a", 2: "a"}), "partitions")


def test_an_id_in_two_clusters_is_no_other_kind_here(folder: Path) -> None:
    frame = pd.read_csv("twice.csv")
    for given in (frame, "twice.csv"):
        for call in (
            lambda given=given: cd.matrix([given, "a.csv"]),
            lambda given=given: cd.track([given, "a.csv"]),
            lambda given=given: cd.consensus([given, "a.csv"]),
            lambda given=given: cd.relabel(given, "a.csv"),
            lambda given=given: cd.sweep(given, "pairs.csv"),
        ):
            found = refuses("1 id is in more than one", call)
            assert "kind=" not in found.hint


def test_scores_that_may_be_meant_otherwise_warn() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 60)
    left, right = rng.integers(0, 60, (2, 400))
    far = np.where(truth[left] == truth[right], 0.1, 0.8) + rng.random(400) / 10
    with pytest.warns(cd.ClusterdiffWarning, match="distance"):
        cd.sweep(truth, (left, right, far), ["elm_f"])
    top = np.where(rng.random(400) < 0.5, 1.0, rng.random(400))
    with pytest.warns(cd.ClusterdiffWarning, match="score 1.0 exactly"):
        cd.sweep(truth, (left, right, top), ["elm_f"])


def test_nulls_and_noise() -> None:
    noisy = {1: 0, 2: 0, 3: -1, 4: -1, 5: 1, 6: 1}
    m = cd.matrix([noisy, KNOWN], "elm_f", noise=-1)
    assert m.values[0][1] == cd.elm_f(noisy, KNOWN, noise=-1)
    m = cd.matrix([noisy, KNOWN], "elm_f", noise=-1, noise_as="drop", align="shared")
    assert m.values[0][1] == cd.elm_f(noisy, KNOWN, noise=-1, noise_as="drop")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_is_a_table(folder: Path) -> None:
    for line in ("matrix a.csv b.csv c.csv", "track a.csv b.csv", "relabel a.csv b.csv",
                 "sweep truth.csv pairs.csv", "consensus a.csv b.csv c.csv"):  # fmt: skip
        ran = run(*line.split(), "-f", "csv")
        assert ran.code == 0, ran.stderr
        rows = rows_of(ran.stdout)
        assert rows
        assert all(None not in row and None not in row.values() for row in rows), line
