"""Four papers: what they print and what they claim, each with the way to reproduce it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff_lab.papers.paper import Claim, Paper, Printed

TITLES = {
    "elm": ("BCubed Revisited: Elements Like Me", "vanheusden2022"),
    "cice": (
        "CICE-BCubed: A New Evaluation Measure for Overlapping Clustering Algorithms",
        "rosales2013",
    ),
    "split-merge": ("A Split-Merge Framework for Comparing Clusterings", "xiang2012"),
    "soft": ("A General Framework for Evaluating and Comparing Soft Clusterings", "campagner2023"),
}
SECTIONS = {"soft": ("section_2", "section_3", "section_4")}
"""Modules of the claims of a paper that has more than `claims`, in its order."""


class Papers(Mapping[str, Paper]):
    """The papers by their keys; each is made when it is first asked for."""

    def __getitem__(self, key: str) -> Paper:
        return _paper(key)

    def __iter__(self) -> Iterator[str]:
        return iter(TITLES)

    def __len__(self) -> int:
        return len(TITLES)


PAPERS = Papers()


def paper_named(key: str) -> Paper:
    """The paper with this key, or an error with the nearest one."""
    if key not in TITLES:
        *others, last = TITLES
        raise ClusterdiffError(
            f"no paper is called {key!r}.",
            f"{did_you_mean(key, list(TITLES))}Papers are {', '.join(others)} and {last}.",
        )
    return PAPERS[key]


@cache
def _paper(key: str) -> Paper:
    title, cite = TITLES[key]
    folder = f"{__name__}.{key.replace('-', '_')}"
    values: tuple[Printed, ...] = import_module(f"{folder}.values").VALUES
    stated = SECTIONS.get(key, ("claims",))
    claims: list[Claim] = [
        one for module in stated for one in import_module(f"{folder}.{module}").CLAIMS
    ]
    return Paper(key, title, cite, values, claims)
