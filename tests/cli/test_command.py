"""The command: what it prints, where, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.cli.main import GROUPS, VERBS

COMPARE = [sys.executable, "-m", "clusterdiff", "compare"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text("id,cluster\n1,a\n2,a\n3,b\n4,b\n")
    (tmp_path / "guess.csv").write_text("id,cluster\n4,x\n3,x\n2,x\n1,y\n")
    (tmp_path / "noisy.csv").write_text("id,cluster\n1,-1\n2,-1\n3,b\n4,b\n")
    (tmp_path / "short.csv").write_text("id,cluster\n1,a\n2,a\n")
    (tmp_path / "docs.csv").write_text("doc,id,cluster\nd,1,a\nd,2,a\ne,1,b\ne,2,c\n")
    (tmp_path / "nulls.csv").write_text("id,cluster\n1,a\n2,\n3,b\n4,b\n")
    return tmp_path


def test_demo_tells_the_story() -> None:
    ran = run("demo")
    assert ran.code == 0
    assert "12 records of 5 people" in ran.stdout
    assert "elm_f           0.6389" in ran.stdout
    assert "clusterdiff truth.csv guess.csv" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_version_and_help() -> None:
    assert run("--version").stdout == f"clusterdiff {cd.__version__}\n"
    told, everything = (run("compare", flag).stdout for flag in ("--help", "--help-all"))
    for word in (".parquet", ".labels", "Exit codes", "--engine", "FILE::COLUMN"):
        assert word in everything
        assert word not in told
    assert (
        everything.count("\n  --")
        > 30
        > 10
        == len(re.findall(r"^  (?:-., )?--(?!help)", told, re.M))
    )
    assert max(map(len, (told + everything).splitlines())) <= 80
    listed = run("--help").stdout
    assert re.findall(r"^(\S.*):$", listed, re.M) == ["Options", *GROUPS]
    assert set(re.findall(r"^  (\w+) ", listed, re.M)) - {"clusterdiff"} >= set(VERBS)


def test_compare_prints_a_table(folder: Path) -> None:
    ran = run("compare", "truth.csv", "guess.csv")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[0] == (
        "truth      4 objects in 2 clusters (largest 2) [id, cluster]"
    )
    assert "  ELM *" in ran.stdout
    assert "\x1b" not in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_formats(folder: Path) -> None:
    told = json.loads(run("compare", "truth.csv", "guess.csv", "--format", "json").stdout)
    score = told["guesses"]["guess.csv"]["elm_f"]
    assert score["value"] == cd.elm_f("truth.csv", "guess.csv")
    assert score["signature"]["align"] == "exact"
    rows = list(
        csv.DictReader(io.StringIO(run("compare", "truth.csv", "guess.csv", "-f", "csv").stdout))
    )
    assert float(next(r for r in rows if r["measure"] == "elm_f")["value"]) == score["value"]
    assert run("compare", "truth.csv", "guess.csv", "-f", "md").stdout.startswith("|  | score |\n")
    latex = run("compare", "truth.csv", "guess.csv", "-f", "latex").stdout
    assert r"elm\_f & " in latex
    assert r"\bottomrule" in latex


def test_measures_are_asked_for_by_name(folder: Path) -> None:
    ran = run("compare", "truth.csv", "guess.csv", "-m", "rand", "-m", "bcubed_f(f='objects')")
    assert "bcubed_f(f='objects')" in ran.stdout
    assert "elm" not in ran.stdout


def test_unknown_names_get_the_nearest(folder: Path) -> None:
    ran = run("compare", "truth.csv", "gues.csv")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr == "clusterdiff: File not found: gues.csv\n  Hint: did you mean guess.csv?\n"
    ran = run("compare", "truth.csv", "guess.csv", "-m", "bcube_f")
    assert ran.code == 2
    assert "no measure is called 'bcube_f'" in ran.stderr
    assert "did you mean bcubed_f?" in ran.stderr
    ran = run("compare", "truth.csv", "guess.csv", "-m", "bcubed_f(beta=2)")
    assert "bcubed_f has no parameter 'beta'" in ran.stderr
    ran = run("compare", "truth.csv", "guess.csv", "-m", "bcubed_f(f='mean')")
    assert "f must be 'objects' or 'means'" in ran.stderr


@pytest.mark.parametrize(
    "text", ["elm_f(", "1 + 1", "elm_f(*x)", "elm_f(rand, rand)", "nmi(norm=[])"]
)
def test_texts_that_are_no_measures(folder: Path, text: str) -> None:
    ran = run("compare", "truth.csv", "guess.csv", "-m", text)
    assert ran.code == 2
    assert ran.stderr.startswith("clusterdiff: ")
    assert "Traceback" not in ran.stderr


def test_alignment_and_noise(folder: Path) -> None:
    assert run("compare", "truth.csv", "short.csv").code == 2
    ran = run("compare", "truth.csv", "short.csv", "--align", "penalise")
    assert "2 objects only in truth, 0 only in guess: counted as errors" in ran.stdout
    assert "CoNLL score" in ran.stdout
    ran = run("compare", "truth.csv", "noisy.csv", "--noise=-1", "-m", "elm_f", "--signatures")
    assert "noise:2 singletons" in ran.stdout
    assert "2 noise objects: each a cluster of its own" in ran.stdout
    ran = run("compare", "truth.csv", "noisy.csv", "--noise=-1", "--noise-as", "drop")
    assert "2 noise objects: left out" in ran.stdout
    assert run("compare", "truth.csv", "nulls.csv").code == 2
    assert run("compare", "truth.csv", "nulls.csv", "--noise", "null").code == 0
    ran = run("compare", "truth.csv", "guess.csv", "--align", "strict")
    assert ran.code == 2


def test_samples(folder: Path) -> None:
    ran = run("compare", "docs.csv", "docs.csv", "--samples", "doc", "-m", "elm_f")
    assert ran.code == 0
    assert "2 samples" in ran.stdout
    assert "macro" in ran.stdout
    ran = run("compare", "docs.csv", "docs.csv", "--samples", "doc", "-m", "elm_f", "--per-sample")
    assert ran.stdout == "guess,sample,measure,value\ndocs.csv,d,elm_f,1.0\ndocs.csv,e,elm_f,1.0\n"
    assert run("compare", "truth.csv", "guess.csv", "--per-sample").code == 2
    assert (
        "more than one cluster"
        in run("compare", "docs.csv", "docs.csv", "--cluster", "cluster", "--id", "id").stderr
    )


def test_gates(folder: Path) -> None:
    assert run("compare", "truth.csv", "truth.csv", "--fail-under", "elm_f=0.8").code == 0
    ran = run("compare", "truth.csv", "guess.csv", "--fail-under", "elm_f=0.8")
    assert ran.code == 1
    assert "elm_f is 0.333333, below 0.8" in ran.stderr
    ran = run("compare", "truth.csv", "guess.csv", "--fail-under", "vi_distance=0.1")
    assert ran.code == 1
    assert "above 0.1" in ran.stderr
    assert run("compare", "truth.csv", "guess.csv", "--fail-under", "vi_distance=9").code == 0
    spaced = "bcubed_f( f='objects' )=0.1"
    assert run("compare", "truth.csv", "guess.csv", "--fail-under", spaced).code == 0
    for wrong in ("elm_f", "elm_f=x", "0.5", "elm_g=0.5"):
        assert run("compare", "truth.csv", "guess.csv", "--fail-under", wrong).code == 2


def test_standard_input(folder: Path) -> None:
    data = (folder / "guess.csv").read_bytes()
    ran = run("compare", "truth.csv", "-", stdin=data)
    assert ran.code == 0
    assert "stdin" in ran.stdout
    assert run("compare", "-", "-", stdin=data).code == 2
    assert "standard input has no rows" in run("compare", "truth.csv", "-", stdin=b"").stderr


def test_many_guesses_in_a_narrow_terminal(folder: Path) -> None:
    for k in range(6):
        (folder / f"a_rather_long_name_{k}.csv").write_bytes((folder / "guess.csv").read_bytes())
    names = [f"a_rather_long_name_{k}.csv" for k in range(6)]
    ran = run("compare", "truth.csv", *names, columns=60)
    assert max(map(len, ran.stdout.splitlines())) <= 60
    assert all(f"…_{k}.csv" in ran.stdout for k in range(6))
    same = run("compare", "truth.csv", "guess.csv", "guess.csv")
    assert "guess.csv (1)" in same.stdout


def test_formats_are_named(folder: Path) -> None:
    (folder / "odd").write_text("1 2\n3 4\n")
    refused = run("compare", "odd", "odd")
    assert refused.code == 2
    assert "--as clusters" in refused.stderr
    ran = run("compare", "odd", "odd", "--as", "clusters", "-m", "elm_f")
    assert "4 objects in 2 clusters" in ran.stdout


def test_measures_lists_all_and_tells_about_one() -> None:
    told = run("measures").stdout
    assert all(f"  {m.name} " in told for m in cd.measures())
    assert f"{len(cd.measures())} measures" in told
    assert max(map(len, told.splitlines())) <= 80
    about = run("measures", "elm_f", "bcubed_f(f='objects')").stdout
    assert "van Heusden" in about
    assert "never reached" in about
    assert run("measures", "elm_g").code == 2
    listed = json.loads(run("measures", "--json").stdout)["measures"]
    assert {m["name"] for m in listed} == {m.name for m in cd.measures()}


def test_no_arguments_is_help() -> None:
    ran = run()
    assert "Usage" in ran.stdout + ran.stderr


def test_colour_is_for_terminals_only(folder: Path) -> None:
    """In a pseudo-terminal the best score is green, unless NO_COLOR is set."""
    import pty

    def seen(**extra: str) -> str:
        main, other = pty.openpty()
        command = [*COMPARE, "truth.csv", "guess.csv", "truth.csv"]
        plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        env = {**plain, "TERM": "xterm-256color", "COLUMNS": "80", **extra}
        subprocess.run(command, stdout=other, env=env, check=True)
        os.close(other)
        text = b""
        while True:
            try:
                chunk = os.read(main, 65536)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        os.close(main)
        return text.decode()

    assert "\x1b[1;32m" in seen()
    assert "32m" not in seen(NO_COLOR="1")


def test_files_alone_are_compared(folder: Path) -> None:
    """Files, patterns, standard input and clusters in words need no verb, also behind options."""
    wanted = run("compare", "truth.csv", "guess.csv")
    assert run("truth.csv", "guess.csv") == wanted
    assert run("./truth.csv", "guess.csv").code == 0
    assert run("truth.csv::cluster", "guess.csv").code == 0
    assert run("12|34", "1|234").stdout.splitlines()[1].startswith("1|234  4 objects")
    assert run("-", "truth.csv", stdin=(folder / "guess.csv").read_bytes()).code == 0
    assert run("-m", "rand", "truth.csv", "guess.csv") == run(
        "compare", "truth.csv", "guess.csv", "-m", "rand"
    )
    (folder / "demo").write_bytes((folder / "truth.csv").read_bytes())
    assert run("demo").stdout.startswith(
        "clusterdiff "
    )  # a verb is a verb, whatever files there are
    (folder / "key").mkdir()
    (folder / "key" / "a.csv").write_bytes((folder / "truth.csv").read_bytes())
    assert run("key", "guess.csv").code == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "compre truth.csv guess.csv",
            ["no verb and no file called compre", "did you mean compare"],
        ),
        ("nothing", ["no verb and no file called nothing", "clusterdiff --help"]),
        ("gues.csv truth.csv", ["File not found: gues.csv", "did you mean guess.csv"]),
        ("truth.csv gues.csv", ["File not found: gues.csv", "did you mean guess.csv"]),
        ("truth.csv", ["nothing to compare truth.csv with", "the truth comes first"]),
        ("truth.csv::cluster", ["nothing to compare truth.csv::cluster with"]),
        ("nothing.csv", ["Missing argument 'guess'"]),
        ("--nix", ["No such option"]),
        ("--nix truth.csv guess.csv", ["No such option"]),
    ],
)
def test_mistyped_verbs_and_files(folder: Path, line: str, words: list[str]) -> None:
    ran = run(*line.split())
    assert (ran.code, ran.stdout) == (2, "")
    assert all(word in " ".join(ran.stderr.split()) for word in words), ran.stderr
    assert ran.stderr.count("\n\n") <= ran.stderr.startswith("Usage: ")


def test_other_verbs_hide_rare_options_too() -> None:
    for verb in ("explain", "diff", "report", "matrix", "sweep"):
        told, everything = (run(verb, flag).stdout for flag in ("--help", "--help-all"))
        assert "--encoding" in everything
        assert "--encoding" not in told
        assert "--id COLUMN" in told
