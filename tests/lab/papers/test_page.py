"""docs/papers.md has every value and every claim of the papers as they are computed now.

The page is the record: `make pages` writes it anew, and the difference is then what has changed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from clusterdiff.output.markup import to_markdown
from clusterdiff_lab.papers import PAPERS
from clusterdiff_lab.papers.paper import computed
from clusterdiff_lab.papers.render import Reproduced, claims_table, values_table

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
