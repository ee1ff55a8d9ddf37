"""`clusterdiff compare --kind fuzzy` and its kin, as someone with a hard truth would use them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.runner import run

TRUTH = "id,cluster\na,1\nb,2\nc,2\nd,3\ne,1\n"
FUZZY = "id,x,y,z\na,1,0,0\nb,0,1,0\nc,0,0.5,0.5\nd,0,0,1\ne,0.5,0.25,0.25\n"
ROUGH = '{"a": ["x"], "b": ["y"], "c": ["y", "z"], "d": ["z"], "e": ["x", "y", "z"]}'


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("truth.csv").write_text(TRUTH)
    Path("fuzzy.csv").write_text(FUZZY)
    Path("rough.json").write_text(ROUGH)


@pytest.mark.parametrize("columns", [40, 80])
def test_intervals_in_a_table(columns: int) -> None:
    ran = run("compare", "truth.csv", "rough.json", "--kind", "partition,rough", columns=columns)
    assert ran.code == 0
    lines = ran.stdout.splitlines()
    assert "rough.json 5 objects in 3 clusters, rough (2 uncertain)" in " ".join(ran.stdout.split())
    assert all(len(line) <= columns for line in lines)
    assert "0.5000–1.0000" in ran.stdout
    assert "0.4000–1.0000" in ran.stdout
    assert "certain; exact" in ran.stdout


def test_one_number_where_nothing_is_left_open() -> None:
    ran = run("compare", "truth.csv", "fuzzy.csv", "--kind", "fuzzy", "-m", "rand_alpha")
    assert "–" not in ran.stdout
    assert "0.7750" in ran.stdout


def test_json_has_both_ends() -> None:
    ran = run("compare", "truth.csv", "rough.json", "--kind", "rough", "-f", "json")
    scores = json.loads(ran.stdout)["guesses"]["rough.json"]
    told = scores["transport(rand)"]
    assert told["value"] is None
    assert (told["low"], told["high"], told["certain"]) == (0.5, 1.0, True)
    assert told["signature"]["kind"] == "roughxrough"
    assert told["signature"]["how"] == told["how"] == "exact: a programme over column totals"
    assert scores["rand_belief"]["value"] == 0.7


def test_csv_has_the_same_columns_in_every_row() -> None:
    ran = run("compare", "truth.csv", "rough.json", "--kind", "rough", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.stdout)))
    assert {tuple(row) for row in rows} == {
        ("guess", "measure", "value", "low", "high", "certain", "how", "signature")
    }
    assert [row["value"] for row in rows] == ["", "", "", "", "0.7"]


def test_several_guesses_of_one_kind_and_the_best() -> None:
    Path("sure.json").write_text('{"a": "x", "b": "y", "c": "y", "d": "z", "e": "x"}')
    ran = run(
        "compare", "truth.csv", "fuzzy.csv", "sure.json", "--kind", "partition,fuzzy",
        "-m", "rand_alpha", "-m", "transport(partition_distance)",
    )  # fmt: skip
    assert ran.code == 0
    assert "1.0000 ▲" in ran.stdout
    assert "0.0000 ▲" in ran.stdout
    unsure = run(
        "compare", "truth.csv", "rough.json", "sure.json", "--kind", "partition,rough",
        "-m", "rand_alpha",
    )  # fmt: skip
    assert "▲" not in unsure.stdout


def test_a_gate_takes_the_worse_end() -> None:
    gate = ("--kind", "rough", "-m", "rand_alpha", "--fail-under")
    assert run("compare", "truth.csv", "rough.json", *gate, "rand_alpha=0.4").code == 0
    missed = run("compare", "truth.csv", "rough.json", *gate, "rand_alpha=0.5")
    assert missed.code == 1
    assert "rand_alpha is 0.4, below 0.5" in missed.stderr
    far = run(
        "compare", "truth.csv", "rough.json", "--kind", "rough", "--fail-under",
        "transport(partition_distance)=0.4",
    )  # fmt: skip
    assert far.code == 1
    assert "is 0.5, above 0.4" in far.stderr


def test_estimates_say_so() -> None:
    measure = "transport(rand, method='sample', samples=50, seed=3)"
    ran = run("compare", "truth.csv", "fuzzy.csv", "--kind", "fuzzy", "-m", measure, "--signatures")
    told = " ".join(ran.stdout.split())
    assert "estimated; drawn 0.7" in told
    assert "50 samples, 95 %, seed 3" in told
    assert "certain:no" in told
    assert "|seed:3|" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--kind", "fuzzy", "-m", "rand"), "transport(rand) and rand_alpha take"),
        (("--kind", "fuzzy", "--align", "singletons"), "--align shared"),
        (("--kind", "fuzzy", "-m", "transport(mutual_information)"), "such as rand"),
        (("--kind", "fuzzy", "-m", "rand_alpha(alpha=2)"), "between 0 and 1"),
        (("--kind", "fuzzy,cover,rough"), "too many"),
        (("--kind", "fuzzy", "-m", "cice_f"), "compares covers; guess is fuzzy"),
        (("--kind", "fuzzy", "-m", "transport(elm_f, method='bounds')"), "no inequality is proved"),
        (
            ("--kind", "fuzzy", "-m", "transport(elm_f, method='exact', budget=10)"),
            "times the budget of 10",
        ),
    ],
)
def test_refusals_are_one_paragraph(arguments: tuple[str, ...], words: str) -> None:
    ran = run("compare", "truth.csv", "fuzzy.csv", *arguments)
    assert ran.code == 2
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_sums_that_are_off_can_be_mended_at_the_prompt() -> None:
    Path("off.csv").write_text(FUZZY.replace("0.5,0.5", "0.5,0.4"))
    ran = run("compare", "truth.csv", "off.csv", "--kind", "fuzzy", "-m", "rand_alpha")
    assert ran.code == 2
    assert "--rest normalise" in ran.stderr
    assert "--kind possibilistic" in ran.stderr
    for rest in ("normalise", "empty"):
        again = ("--kind", "fuzzy", "-m", "rand_alpha", "--rest", rest)
        assert run("compare", "truth.csv", "off.csv", *again).code == 0


def test_samples_of_uncertain_clusterings() -> None:
    Path("docs.csv").write_text("doc,id,cluster\n1,a,1\n1,b,1\n2,a,1\n2,b,2\n")
    Path("soft.csv").write_text(
        "doc,id,cluster,degree\n1,a,1,1\n1,b,1,0.5\n1,b,2,0.5\n2,a,1,1\n2,b,2,1\n"
    )
    ran = run(
        "compare", "docs.csv", "soft.csv", "--kind", "fuzzy", "--samples", "doc", "-f", "json",
        "-m", "rand_alpha", "-m", "rand_belief",
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert told["guesses"]["soft.csv"]["rand_alpha"]["value"] == 0.75
    assert told["guesses"]["soft.csv"]["rand_belief"]["micro"] == pytest.approx(5.5 / 6)
    assert [row["rand_belief"] for row in told["samples"]] == [0.5, 1.0]
    table = run("compare", "docs.csv", "soft.csv", "--kind", "fuzzy", "--samples", "doc", "-m",
                "rand_alpha", "--per-sample")  # fmt: skip
    assert "low,high" in table.stdout


def test_the_catalogue_has_the_new_families() -> None:
    listed = run("measures").stdout
    for family in ("fuzzy", "evidential", "transport"):
        assert f"\n{family}\n" in listed
    about = run("measures", "transport").stdout
    assert "Campagner" in about
    assert "exact, shared (of partitions also singletons)" in about
