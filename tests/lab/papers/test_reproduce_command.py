"""reproduce at the prompt: what the papers print and claim, and Table 1 for streams at hand."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cli.runner import run
from clusterdiff.output.markup import to_markdown
from clusterdiff_lab.papers import PAPERS
from clusterdiff_lab.papers.paper import Claim, Finding, Paper, Printed, computed
from clusterdiff_lab.papers.render import Reproduced, claims_table, values_table
from streams import EXTREMES, STREAMS

CLAIMED = Paper(
    "elm",
    "A paper",
    "vanheusden2022",
    (
        Printed("Section 1", "a number", "0.5", lambda: 0.5),
        Printed("Section 1", "another", "0.4", lambda: 0.5, lambda: 0.4, "rand", note="a | note"),
    ),
    (
        Claim(
            "Section 2",
            "all is well",
            lambda: Finding("true", "all pairs of up to 3 objects"),
            instead="also proved",
        ),
        Claim(
            "Section 2",
            "nothing ever ties",
            lambda: Finding("ties", "all pairs", "3 of 9 tie\ntruth 12|3  guess 1|23", 3),
            instead="it is never the wrong way round",
        ),
        Claim("Section 3", "it is a metric", lambda: Finding("false", "example", "12|3", 3)),
    ),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "streams.csv").write_text(STREAMS)
    (tmp_path / "empty.csv").write_text("stream,page,document\n")
    (tmp_path / "other.csv").write_text(STREAMS.replace("stream,page,document", "s,p,d"))
    (tmp_path / "twice.csv").write_text(STREAMS + "t,2,b\n")
    (tmp_path / "pages.labels").write_text("a\na\nb\n")
    return tmp_path


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff_lab.papers._paper", lambda key: CLAIMED)


def longest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_help_fits_the_terminal_and_shows_how() -> None:
    text = run("reproduce", "--help").stdout
    assert longest(text) <= 80
    assert "clusterdiff reproduce soft --values" in text
    for paper in PAPERS:
        assert f"\n    {paper} " in text


@pytest.mark.parametrize("paper", PAPERS)
def test_values_of_each_paper_on_a_narrow_screen(paper: str) -> None:
    ran = run("reproduce", paper, "--values", columns=60)
    assert (ran.code, ran.stderr) == (0, "")
    assert longest(ran.stdout) <= 60
    assert ran.stdout.startswith(f"{paper}  ")
    assert "Values: " in ran.stdout
    assert "Claims: " not in ran.stdout
    assert ran.stdout.count("    verdict     ") == len(PAPERS[paper].values)
    for row in PAPERS[paper].values:
        if row.printed and " " not in row.printed:
            assert f"    printed     {row.printed}\n" in ran.stdout


def test_values_as_a_table_in_a_pipe() -> None:
    ran = run("reproduce", "elm", "--values")
    assert longest(ran.stdout) <= 80
    assert "\x1b" not in ran.stdout
    assert "Values: 20 as printed, 1 slip, 1 needs data, 4 not printed." in ran.stdout
    heading, recall = (
        next(line for line in ran.stdout.splitlines() if word in line)
        for word in ("verdict", "BCubed recall")
    )
    assert heading.split() == ["printed", "definition", "verdict"]
    for word, cell in {"printed": ".5", "definition": "1/2 = 0.5", "verdict": "as printed"}.items():
        assert recall[heading.index(word) :].startswith(cell)


@pytest.mark.usefixtures("claimed")
def test_variants_are_named_below_their_row() -> None:
    text = run("reproduce", "elm", "--values").stdout
    assert "  another   0.4       1/2 = 0.5   2/5 = 0.4  by a variant\n    variant: rand\n" in text
    assert "\n    a | note" in text


@pytest.mark.usefixtures("claimed")
@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_claims_with_verdict_scope_and_counterexample(columns: int) -> None:
    text = run("reproduce", "elm", "--claims", columns=columns).stdout
    assert longest(text) <= columns
    assert "Values: " not in text
    assert "Claims: 1 true, 1 ties, 1 false." in text
    assert "\n  all is well\n    true" in text
    assert "\n             truth 12|3  guess 1|23" in text
    assert "\n    instead  it is never" in text
    assert "\n    note     also proved" in text


@pytest.mark.usefixtures("claimed")
def test_without_a_flag_both_are_told() -> None:
    for flags in ([], ["--values", "--claims"]):
        text = run("reproduce", "elm", *flags).stdout
        assert "Values: " in text
        assert "Claims: " in text


@pytest.mark.usefixtures("claimed")
def test_without_a_paper_all_are_told() -> None:
    assert run("reproduce", "--claims").stdout.count("A paper\n") == 4


@pytest.mark.usefixtures("claimed")
def test_markdown_is_a_whole_page() -> None:
    text = run("reproduce", "elm", "cice", "--markdown").stdout
    assert text.startswith("# What the papers print")
    assert text.count("\n## A paper\n") == 2
    assert text.count("\n### Values\n") == text.count("\n### Claims\n") == 2
    assert "| Section 1 | a number | 0.5 | 1/2 = 0.5 |  | as printed |" in text
    assert "|  | another | 0.4 | 1/2 = 0.5 | 2/5 = 0.4 by rand | by a variant: a \\| note |" in text
    assert (
        "| Section 2: all is well | true | all pairs of up to 3 objects | note: also proved |"
        in text
    )
    tied = "3 of 9 tie; truth 12\\|3 guess 1\\|23; instead: it is never the wrong way round"
    assert f"| Section 2: nothing ever ties | ties | all pairs | {tied} |" in text


def test_markdown_is_the_same_again() -> None:
    once, again = (run("reproduce", "elm", "--values", "--markdown").stdout for _ in range(2))
    assert once == again
    assert "| Page streams, Section 3.2 | mean true cluster size | 33 |" in once


@pytest.mark.usefixtures("claimed")
def test_json_has_everything() -> None:
    (record,) = json.loads(run("reproduce", "elm", "--json").stdout)["papers"]
    assert (record["paper"], record["title"]) == ("elm", "A paper")
    assert record["values"][1] == {
        "where": "Section 1", "what": "another", "printed": "0.4", "definition": 0.5,
        "definition_written": "1/2 = 0.5", "variant": 0.4, "variant_written": "2/5 = 0.4",
        "variant_name": "rand", "verdict": "by a variant", "note": "a | note",
    }  # fmt: skip
    assert record["claims"][1]["objects"] == 3
    assert record["claims"][2] == {
        "where": "Section 3", "says": "it is a metric", "verdict": "false", "scope": "example",
        "evidence": "12|3", "objects": 3, "instead": "",
    }  # fmt: skip


def test_json_of_several_numbers() -> None:
    (record,) = json.loads(run("reproduce", "elm", "--values", "--json").stdout)["papers"]
    rows = {(v["where"], v["what"]): v for v in record["values"]}
    assert rows["Size and quantity, Section 3.3.4", "both drops with BCubed F1"] == {
        "where": "Size and quantity, Section 3.3.4",
        "what": "both drops with BCubed F1",
        "printed": None,
        "definition": pytest.approx([36 / 35, 4 / 3]),
        "definition_written": "36/35, 4/3",
        "variant": None,
        "variant_written": None,
        "variant_name": None,
        "verdict": "not printed",
        "note": "",
    }
    size = rows["Page streams, Section 3.2", "mean true cluster size"]
    assert size["definition_written"] == "10309/1254 = 8.2209"


def refused(*arguments: str) -> tuple[str, str]:
    ran = run("reproduce", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    message, _, hint = ran.stderr.strip().partition("\n  Hint: ")
    assert "\n" not in message
    assert hint
    return message, hint


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_asked() -> None:
    message, hint = refused("elmm")
    assert message == "clusterdiff: no paper is called 'elmm'."
    assert hint == "did you mean elm? Papers are elm, cice, split-merge and soft."
    assert "Papers are" in refused("bcubed")[1]
    assert "leave one out" in refused("elm", "--json", "--markdown")[1]
    for flags in (["soft"], []):
        message, hint = refused(*flags, "--data", "streams.csv")
        assert message == "clusterdiff: --data is for an experiment, and none is named."
        assert "--experiment extremes" in hint
    assert "neither a value nor a claim" in refused("elm", "--values", "--data", "streams.csv")[0]
    for flags in (["--samples", "s"], ["--no-id"], ["--noise", "-1"], ["--no-header"]):
        assert flags[0].replace("no-h", "h") in refused("elm", *flags)[0]


def scores(*arguments: str) -> Any:
    ran = run("reproduce", "elm", "--json", "--data", *arguments)
    assert (ran.code, ran.stderr) == (0, "")
    return json.loads(ran.stdout)["tables"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ["streams.csv"],
        ["streams.csv", "--no-id"],
        ["twice.csv"],
        ["other.csv", "--samples", "s", "--id", "p", "--cluster", "d"],
        ["other.csv::d", "--samples", "s", "--id", "p"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_table_1_of_streams_at_hand(arguments: list[str]) -> None:
    output = scores(*arguments)
    holds = {row["what"]: row["here"] for row in output["extremes-streams"]}
    assert (holds["streams"], holds["pages"], holds["documents"]) == (2, 5, 4)
    found = {(s["guess"], s["measure"]): (s["mean"], s["std"]) for s in output["extremes"]}
    assert found.keys() == EXTREMES.keys()
    for key, expected in EXTREMES.items():
        assert found[key] == pytest.approx(expected, abs=1e-12), key


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("columns", [50, 80])
def test_table_1_in_words(columns: int) -> None:
    ran = run("reproduce", "elm", "--data", "streams.csv", columns=columns)
    assert longest(ran.stdout) <= columns
    words = " ".join(ran.stdout.split())
    assert "streams.csv: 2 streams with 5 pages in 4 documents." in words
    assert "The paper has 75 streams with 20,618 pages in 2,508 documents" in words
    assert "it prints 33 and 17 as mean and median cluster size" in words
    page = run("reproduce", "elm", "--data", "streams.csv", "--markdown").stdout
    assert "| all singletons: elm\\_recall | 0.6667 | 0.3333 | 0.10 | 0.13 |" in page


@pytest.mark.usefixtures("folder")
def test_files_that_are_no_streams() -> None:
    assert "no column 'page'; it has s, p, d" in refused("elm", "--data", "other.csv")[0]
    assert "empty.csv has no rows" in refused("elm", "--data", "empty.csv")[0]
    assert "File not found: nowhere.csv" in refused("elm", "--data", "nowhere.csv")[0]
    assert "which stream a page is in" in refused("elm", "--data", "pages.labels")[0]


# docs/papers.md has every value and every claim of the papers as they are computed now.


PAGE = Path(__file__).parents[3] / "docs" / "papers.md"
CLAIMS = [
    pytest.param(paper, at, marks=[pytest.mark.slow] if paper == "soft" and at % 4 else [])
    for paper in PAPERS
    for at in range(len(PAPERS[paper].claims))
]
"""Of the claims on soft clusterings `make test` takes every fourth."""


@cache
def recorded(paper: str, part: str) -> list[str]:
    """The line of counts and the rows of a table of the page."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {PAPERS[paper].title}\n")[2]
    counts, _, _, _, *rows = section.partition(f"### {part}\n\n")[2].split("\n\n## ")[0].split("\n")
    return [counts, *rows[: rows.index("") if "" in rows else None]]


@pytest.mark.parametrize("paper", PAPERS)
def test_values(paper: str) -> None:
    found = Reproduced(PAPERS[paper], tuple(map(computed, PAPERS[paper].values)), ())
    counts, *rows = recorded(paper, "Values")
    assert counts == found.values_counted
    now = to_markdown(values_table(found)).splitlines()[2:]
    assert list(map(without_draws, now)) == list(map(without_draws, rows))


def without_draws(row: str) -> str:
    """The row; a small difference that depends on random draws is left out."""
    return re.sub(r"\| -?0\.0[0-4]\d+ \|", "| small |", row) if "draws" in row else row


@pytest.mark.parametrize(("paper", "at"), CLAIMS)
def test_claims(paper: str, at: int) -> None:
    claim = PAPERS[paper].claims[at]
    found = Reproduced(PAPERS[paper], (), ((claim, claim.check()),))
    assert recorded(paper, "Claims")[1 + at] == to_markdown(claims_table(found)).splitlines()[-1]


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_are_counted_and_in_the_order_of_the_paper(paper: str) -> None:
    counts, *rows = recorded(paper, "Claims")
    verdicts = [row.split(" | ")[1] for row in rows]
    assert len(rows) == len(PAPERS[paper].claims)
    for verdict in {*verdicts}:
        assert f"{verdicts.count(verdict)} {verdict}" in counts
    sections = [
        [int(part) for part in re.findall(r"\d+", claim.where.partition(",")[0].split(" to ")[0])]
        for claim in PAPERS[paper].claims
        if claim.where.startswith("Section")
    ]
    assert sections == sorted(sections)
