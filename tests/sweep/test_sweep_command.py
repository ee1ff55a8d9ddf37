"""`clusterdiff sweep` at the prompt: tables in 80 columns, what it writes, gates, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run

TRUTH = "id,cluster\n1,x\n2,x\n3,x\n4,y\n5,y\n6,z\n"
PAIRS = "id_l,id_r,score\n5,6,0.4\n1,2,0.9\n4,5,0.9\n2,3,0.7\n3,4,0.7\n1,3,0.2\n"
LEVELS = "id,leiden_0.5,leiden_1\n1,a,a\n2,a,a\n3,a,b\n4,a,c\n5,b,c\n6,b,d\n"

TEXT = """\
truth      6 objects in 3 clusters (largest 3, 33 % singletons)
pairs.csv  6 pairs of 6 objects, 4 scores, 3 of them merge something
  [left: id_l, right: id_r, score (similarity)]

          best    thresholds  within 0.01  clusters  largest
  elm_f   0.7222  0.7–0.9     0.7–0.9      4         2
  pair_f  0.6667  0.7–0.9     0.7–0.9      4         2

A threshold t links pairs that score t or more; the thresholds of a line lie
above the first number, up to the second.
The best score is optimistic: it is chosen on the labels that it is scored on
(folds=5 or --folds 5 holds some out).
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("truth.csv").write_text(TRUTH)
    Path("pairs.csv").write_text(PAIRS)
    Path("table.csv").write_text(LEVELS)


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"], ["--engine", "arrays"]])
def test_the_table(engine: list[str]) -> None:
    assert run("sweep", "truth.csv", "pairs.csv", "-m", "elm_f,pair_f", *engine) == (TEXT, "", 0)


def test_a_pipe() -> None:
    ran = run("sweep", "truth.csv", "-", "-m", "elm_f,pair_f", stdin=PAIRS.encode())
    assert ran.code == 0
    assert ran.stdout.split("\n\n")[1:] == TEXT.split("\n\n")[1:]
    ran = run("sweep", "-", "-")
    assert ran.code == 2
    assert "standard input can be read once only" in ran.stderr


def test_the_golden_table_as_a_curve() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "-m", "pair_f,vi_distance", "--curve", "c.csv")
    assert "c.csv: 4 lines" in ran.stderr
    curve = pd.read_csv("c.csv")
    assert curve.threshold.tolist() == [float("inf"), 0.9, 0.7, 0.4]
    assert curve.pair_f.tolist() == pytest.approx([0, 2 / 3, 4 / 7, 8 / 19])
    assert curve.vi_distance.tolist() == pytest.approx(
        [0.780355, 0.318257, 0.560843, 1.011404], abs=1e-6
    )
    assert run("sweep", "truth.csv", "pairs.csv", "-m", "pair_f", "-f", "csv").stdout.startswith(
        "line,threshold,clusters,largest,rows,links,pair_f\n0,inf,6,1,6,0,0.0\n"
    )


def test_the_curve_on_standard_output_stands_alone() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "-m", "pair_f", "--curve", "-")
    assert ran.stdout == run("sweep", "truth.csv", "pairs.csv", "-m", "pair_f", "-f", "csv").stdout


def test_cut_writes_a_clustering_that_compare_reads() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "--cut", "elm_f", "-o", "clusters.csv")
    assert "clusters.csv: 4 clusters at 0.7–0.9" in ran.stderr
    assert Path("clusters.csv").read_text() == "id,cluster\n1,1\n2,1\n3,3\n4,4\n5,4\n6,6\n"
    report = cd.compare("truth.csv", "clusters.csv", "elm_f")
    assert report["elm_f"].value == pytest.approx(13 / 18)
    ran = run("sweep", "truth.csv", "pairs.csv", "--cut", "0.5", "-o", "-")
    assert ran.stdout == "id,cluster\n1,1\n2,1\n3,1\n4,1\n5,1\n6,6\n"


def test_cut_and_out_go_together_and_inputs_are_kept() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "--cut", "elm_f")
    assert (ran.code, "add -o clusters.csv" in ran.stderr) == (2, True)
    ran = run("sweep", "truth.csv", "pairs.csv", "-o", "out.csv")
    assert (ran.code, "add --cut elm_f" in ran.stderr) == (2, True)
    for flags in (["--cut", "elm_f", "-o"], ["--curve"], ["--plot"]):
        ran = run("sweep", "truth.csv", "pairs.csv", *flags, "pairs.csv")
        assert ran.code == 2
    assert Path("pairs.csv").read_text() == PAIRS
    assert not Path("out.csv").exists()


def test_a_picture() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "-m", "elm_f", "--plot", "curve.html")
    assert ran.code == 0
    assert "elm_recall" in Path("curve.html").read_text()
    ran = run("sweep", "truth.csv", "pairs.csv", "--plot", "curve.txt")
    assert ran.code == 2
    assert "name it .svg, .pdf, .png or .html" in ran.stderr


def test_gates() -> None:
    ran = run("sweep", "truth.csv", "pairs.csv", "--fail-under", "elm_f=0.9")
    assert ran.code == 1
    assert ran.stderr == "clusterdiff: the best elm_f is 0.722222, below 0.9.\n"
    assert run("sweep", "truth.csv", "pairs.csv", "--fail-under", "elm_f=0.7").code == 0
    ran = run("sweep", "truth.csv", "pairs.csv", "--fail-under", "vi_distance=0.1")
    assert "above 0.1" in ran.stderr
    assert "vi_distance" in ran.stdout


def test_a_column_or_a_file_for_each_level() -> None:
    ran = run("sweep", "truth.csv", "table.csv::leiden_*", "-m", "elm_f", "-f", "json")
    told = json.loads(ran.stdout)
    assert told["pairs"]["levels"] == ["leiden_0.5", "leiden_1"]
    assert told["best"]["elm_f"]["name"] == "leiden_1"
    for level in ("leiden_0.5", "leiden_1"):
        pd.read_csv("table.csv")[["id", level]].to_csv(f"{level}.csv", index=False)
    ran = run("sweep", "truth.csv", "leiden_0.5.csv", "leiden_1.csv", "-m", "elm_f")
    assert "leiden_1.csv" in ran.stdout
    ran = run("sweep", "truth.csv", "table.csv::leiden_*", "--cut", "leiden_0.5", "-o", "-")
    assert ran.stdout.startswith("id,cluster\n1,a\n2,a\n3,a\n")
    ran = run("sweep", "truth.csv", "table.csv::leiden_*", "--left", "id")
    assert "--left names a column of pairs, and these are clusterings" in ran.stderr
    ran = run("sweep", "truth.csv", "table.csv::leiden_1")
    assert "a sweep goes over at least two clusterings, got 1." in ran.stderr


def test_columns_by_flags_and_distances() -> None:
    Path("odd.csv").write_text("p,q,r,s\n1,2,9,0.1\n4,5,9,0.1\n2,3,9,0.3\n3,4,9,0.3\n5,6,9,0.6\n")
    ran = run("sweep", "truth.csv", "odd.csv")
    assert ran.code == 2
    assert "odd.csv has 4 columns (p, q, r, s)" in ran.stderr
    assert "Hint: say so, e.g. --left p --right q --score r" in ran.stderr
    flags = ["--left", "p", "--right", "q", "--score", "s", "--distance", "-m", "pair_f"]
    ran = run("sweep", "truth.csv", "odd.csv", *flags)
    assert "[left: p, right: q, score: s (distance)]" in ran.stdout
    assert "pair_f  0.6667  0.1–0.3" in ran.stdout


@pytest.mark.parametrize(
    ("pairs", "flags", "said", "hint"),
    [
        ("id_l,id_r,score\n1,2,\n", [], "1 of 1 scores is null (pair (1, 2)).", "drop these pairs"),
        ("id_l,id_r,score\n1,9,0.5\n", [], "1 object of pairs is not in truth (9).",
         "--align shared lets them link others without counting, --align singletons"),
        ("id_l,id_r,score\na,b,0.5\n", [], "no object of pairs is in truth", "--left and --right"),
        ("id_l,id_r,score\n", [], "no pairs", ""),
        ("", [], "pairs.csv", ""),
        (PAIRS, ["--slack", "-1"], "slack is a loss from 0 on, got -1.0.", "--slack 0.01"),
        (PAIRS, ["--folds", "1"], "folds is a whole number from 2 on", "--folds 5"),
        (PAIRS, ["--align", "penalise"], "penalise", "--align shared"),
        (PAIRS, ["--score", "weight"], "weight", ""),
        (PAIRS, ["--engine", "spark"], "on one machine", "leave --engine out"),
        (PAIRS, ["--cut", "elmo", "-o", "x.csv"], "elmo", ""),
    ],
)  # fmt: skip
def test_bad_input_is_one_paragraph_and_a_hint(
    pairs: str, flags: list[str], said: str, hint: str
) -> None:
    Path("pairs.csv").write_text(pairs)
    ran = run("sweep", "truth.csv", "pairs.csv", *flags)
    assert ran.code == 2
    assert said in ran.stderr
    assert hint in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_missing_files_and_wrong_kinds() -> None:
    assert "File not found" in run("sweep", "truth.csv", "nowhere.csv").stderr
    assert "File not found" in run("sweep", "nowhere.csv", "pairs.csv").stderr
    ran = run("sweep", "truth.csv", "truth.csv")
    assert ran.code == 2
    assert "2 columns (id, cluster)" in ran.stderr
    assert "table.csv::leiden_*" in ran.stderr


def test_folds_and_confidence() -> None:
    truth = "".join(f"{i},{i // 3}\n" for i in range(90))
    Path("truth.csv").write_text("id,cluster\n" + truth)
    rows = [f"{i},{i + 1},{0.5 + 0.004 * i:.3f}\n" for i in range(89) if i % 7]
    Path("pairs.csv").write_text("id_l,id_r,score\n" + "".join(rows))
    flags = ["-m", "elm_f", "--folds", "3", "--seed", "1", "--confidence", "90"]
    ran = run("sweep", "truth.csv", "pairs.csv", *flags)
    assert ran.code == 0
    assert "held out" in ran.stdout
    assert "elm_f is worse on" in ran.stdout
    assert all(len(line) <= 80 for line in ran.stdout.split("\n"))
    told = json.loads(run("sweep", "truth.csv", "pairs.csv", *flags, "-f", "json").stdout)
    best = told["best"]["elm_f"]
    assert best["ci"]["level"] == 0.9
    assert len(best["held_out"]["each"]) == 3
