"""Several documents against totals of the CoNLL reference scorer, 8.01.

Each group of the data file names cases of `conll_reference.json`, each of them a document, and has
what the Perl scorer gave for all of them: ``muc``, ``bcub``, ``ceafm`` and ``ceafe`` as numerator
and denominator of recall, then of precision; ``blanc`` as these four of coreference links, then of
non-coreference links; ``mentions`` as recall and precision of mentions.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from golden.test_conll_reference import CASES, SCORED, Scores, as_scored, labels
from oracles import ORACLES

Group = Mapping[str, Any]
GROUPS: list[Group] = json.loads(
    Path(__file__).with_name("conll_documents.json").read_text(encoding="utf-8")
)
THEIRS = {"muc": "muc", "bcubed": "bcub", "ceaf_m": "ceafm", "ceaf_e": "ceafe", "blanc": "blanc"}
BY_NAME = {case["name"]: case for case in CASES}


def documents(group: Group) -> dict[str, tuple[dict[str, int], dict[str, int]]]:
    chosen = {name: BY_NAME[name] for name in group["cases"]}
    return {name: (labels(c["key"]), labels(c["response"])) for name, c in chosen.items()}


def total(group: Group, family: str) -> Scores:
    """Recall, precision and F as the scorer has them of its totals."""
    numbers = group["scores"][THEIRS[family]]
    if family != "blanc":
        return as_scored(numbers)
    sorts = as_scored(numbers[:4]), as_scored(numbers[4:])
    return Scores(*(sum(pair) / 2 for pair in zip(*sorts, strict=True)))


@pytest.mark.parametrize("family", THEIRS)
@pytest.mark.parametrize("group", GROUPS, ids=["all", "two", "odd", "even"])
def test_micro_is_the_total_of_the_reference_scorer(group: Group, family: str) -> None:
    report = cd.compare(samples=documents(group), compat="conll", measures=[family])
    found = [report[f"{family}_{part}"].micro for part in ("recall", "precision", "f")]
    assert found == pytest.approx(list(total(group, family)), rel=0, abs=SCORED)


@pytest.mark.parametrize("group", GROUPS, ids=["all", "two", "odd", "even"])
def test_the_conll_score_is_that_of_the_totals(group: Group) -> None:
    report = cd.compare(samples=documents(group), compat="conll", measures=["conll"])
    mean = sum(total(group, family).f for family in ("muc", "bcubed", "ceaf_e")) / 3
    assert report["conll"].micro == pytest.approx(mean, rel=0, abs=SCORED)


@pytest.mark.parametrize("family", [*THEIRS, "lea"])
def test_macro_is_the_mean_over_documents(family: str) -> None:
    report = cd.compare(samples=documents(GROUPS[0]), compat="conll", measures=[family])
    each = [as_scored(case["scores"][family]) for case in CASES]
    wanted = [sum(column) / len(CASES) for column in zip(*each, strict=True)]
    found = [report[f"{family}_{part}"].value for part in ("recall", "precision", "f")]
    assert found == pytest.approx(wanted, rel=0, abs=SCORED)


def test_lea_of_several_documents_is_that_of_their_union() -> None:
    """LEA weighs entities by their size, so its sums within documents are those of the union."""
    given = documents(GROUPS[2])
    key, response = (
        {(name, m): (name, c) for name, pair in given.items() for m, c in pair[side].items()}
        for side in (0, 1)
    )
    report = cd.compare(samples=given, compat="conll", measures=["lea"])
    for part in ("recall", "precision", "f"):
        wanted = float(ORACLES[f"lea_{part}"](key, response))
        assert report[f"lea_{part}"].micro == pytest.approx(wanted, rel=0, abs=SCORED)
