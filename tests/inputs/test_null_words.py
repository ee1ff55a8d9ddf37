"""NA and the like as labels in files: refused without quotes, a cluster in quotes, or noise."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.clusterings.columns import NULL_WORDS
from refusals import refuses

TRUTH = {"p": 1, "q": 1, "r": 2, "s": 3}
ENGINES = ["duckdb", "arrays"]


@pytest.fixture
def folder(folder: Path) -> Path:
    Path("t.csv").write_text("id,cluster\n" + "".join(f"{i},{c}\n" for i, c in TRUTH.items()))
    return folder


@pytest.mark.parametrize("word", NULL_WORDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_word_without_quotes_is_refused(word: str, engine: str, folder: Path) -> None:
    Path("g.csv").write_text(f"id,cluster\np,a\nq,{word}\nr,{word}\ns,b\n")
    with pytest.raises(cd.ClusterdiffError, match=f"2 of 4 labels in guess are {word}") as told:
        cd.compare("t.csv", "g.csv", engine=engine)
    assert f"noise={word!r}" in told.value.hint
    assert f'in quotes, "{word}"' in told.value.hint
    report = cd.compare("t.csv", "g.csv", ["rand"], noise=word, engine=engine)
    assert report["rand"].value == cd.rand(TRUTH, dict(zip("pqrs", "axyb", strict=True)))
    assert report["rand"].meet.alignment.noise == 2
    Path("g.csv").write_text(f'id,cluster\np,a\nq,"{word}"\nr,"{word}"\ns,b\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        meant = cd.compare("t.csv", "g.csv", ["rand"], engine=engine)["rand"].value
    assert meant == cd.rand(TRUTH, dict(zip("pqrs", "axxb", strict=True)))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_prompt_is_told_both_ways_out(engine: str, folder: Path) -> None:
    Path("g.csv").write_text("id,cluster\np,NA\nq,NA\nr,n/a\ns,n/a\n")
    by = ("--engine", engine)
    for verb in (["compare"], ["explain"], ["report", "-o", "page.html"]):
        ran = run(verb[0], "t.csv", "g.csv", *verb[1:], *by)
        assert ran.code == 2, verb
        assert "4 of 4 labels in guess are NA, n/a, which could be missing values" in ran.stderr
        assert "--noise NA --noise n/a (each becomes a cluster of its own; --noise-as drop" in (
            ran.stderr
        )
    assert "labels in guess are NA, n/a" in run("diff", "t.csv", "t.csv", "g.csv", *by).stderr
    ran = run("compare", "t.csv", "g.csv", "-m", "rand", "--noise", "NA", "--noise", "n/a", *by)
    assert "4 noise objects: each a cluster of its own" in ran.stdout


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_labels_and_the_word_null_are_noise_by_one_flag(engine: str, folder: Path) -> None:
    Path("g.csv").write_text("id,cluster\np,\nq,null\nr,null\ns,b\n")
    ran = run("compare", "t.csv", "g.csv", "-m", "rand", "--noise", "null", "--engine", engine)
    assert "3 noise objects: each a cluster of its own" in ran.stdout


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_not_refused(engine: str, folder: Path) -> None:
    for rows in ("p,NA\nq,nan\nr,None\ns,b", "p,Na\nq,Na\nr,none\ns,none"):
        Path("g.csv").write_text("id,cluster\n" + rows)
        assert len(cd.compare("t.csv", "g.csv", engine=engine)) > 0
    Path("u.csv").write_text("id,doc,cluster\nNA,null,1\nnan,null,1\n")
    report = cd.compare("u.csv", "u.csv", ["rand"], samples="doc", engine=engine)
    assert report["rand"].value == 1


@pytest.mark.parametrize("kind", ["cover", "rough", "fuzzy"])
@pytest.mark.parametrize("engine", ENGINES)
def test_other_kinds(kind: str, engine: str, folder: Path) -> None:
    Path("g.csv").write_text("id,cluster,degree\np,NA,1\nq,NA,1\nr,b,1\ns,b,1\n")
    with pytest.raises(cd.ClusterdiffError, match="2 of 4 labels in guess are NA"):
        cd.meet("t.csv", "g.csv::cluster", kind=("partition", kind), engine=engine)


def test_samples_given_besides(folder: Path) -> None:
    Path("g.csv").write_text("id,cluster\np,NA\nq,NA\nr,b\ns,b\n")
    with pytest.raises(cd.ClusterdiffError, match="2 of 4 labels in guess are NA"):
        cd.compare("t.csv", "g.csv", samples=dict.fromkeys("pqrs", "d"))
    refuses("2 of 4 labels in guess are NA", cd.compare, samples=[("t.csv", "g.csv")])
    refuses("2 of 4 labels in guess are NA", cd.objects, "elm_f", "t.csv", "g.csv")


def test_lines_of_labels_have_no_quotes(folder: Path) -> None:
    Path("g.labels").write_text("a\nNA\nNA\n")
    told = refuses("2 of 3 labels in truth are NA", cd.rand, "g.labels", [1, 2, 3])
    assert "give a cluster of that name another one" in told.hint
    assert cd.rand("g.labels", [1, 2, 3], noise="NA") == 1
    refuses("labels in truth are NA", cd.meet, "g.labels", "1|2|3", kind="cover")


def parquet(rows: dict[str, Any]) -> str:
    pl.DataFrame({"id": list(rows), "cluster": list(rows.values())}).write_parquet("g.parquet")
    return "g.parquet"


def lines(rows: dict[str, Any]) -> str:
    records = [json.dumps({"id": i, "cluster": c}) for i, c in rows.items()]
    Path("g.jsonl").write_text("\n".join(records))
    return "g.jsonl"


@pytest.mark.filterwarnings("always::clusterdiff.ClusterdiffWarning")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("write", [parquet, lines])
def test_texts_beyond_doubt_are_warned_of(write: Any, engine: str, folder: Path) -> None:
    path = write(dict(zip("pqrs", ["NA", "NA", "a", "b"], strict=True)))
    with pytest.warns(cd.ClusterdiffWarning, match="2 of 4 labels in guess are the text 'NA'"):
        assert cd.compare("t.csv", path, ["rand"], engine=engine)["rand"].value == 1
    ran = run("compare", "t.csv", path, "--engine", engine)
    assert (ran.code, "2 of 4 labels in guess are the text 'NA'" in ran.stderr) == (0, True)
    assert "--noise NA" in ran.stderr
    ran = run("compare", "t.csv", path, "--engine", engine, "--noise", "NA")
    assert (ran.code, ran.stderr) == (0, "")
