"""The coreference measures against numbers of the CoNLL reference scorer.

Each case of the data file holds the clusters of key and response and, by family, what the
scorer gave: ``muc``, ``bcubed``, ``ceaf_m`` and ``ceaf_e`` as numerator and denominator of
recall, then of precision; ``blanc`` and ``lea`` as recall, precision and F. A denominator of
nought means a score of nought. ``table`` is what the scorer's own tests expect, as recall,
precision and F to five places, for the families they state.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import clusterdiff as cd

# The scorer prints fifteen significant digits; its tests state five decimal places.
SCORED = 1e-14
TABLED = 5e-6 + SCORED

FAMILIES = ("muc", "bcubed", "ceaf_m", "ceaf_e", "blanc", "lea")
CONLL = ("muc", "bcubed", "ceaf_e")

Case = Mapping[str, Any]
CASES: list[Case] = json.loads(
    Path(__file__).with_name("conll_reference.json").read_text(encoding="utf-8")
)


class Scores(NamedTuple):
    recall: float
    precision: float
    f: float


def ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def as_scored(numbers: Sequence[float]) -> Scores:
    if len(numbers) == 3:
        return Scores(*numbers)
    recall, precision = ratio(*numbers[:2]), ratio(*numbers[2:])
    return Scores(recall, precision, ratio(2 * recall * precision, recall + precision))


def labels(clusters: Sequence[Sequence[str]]) -> dict[str, int]:
    return {mention: number for number, cluster in enumerate(clusters) for mention in cluster}


def measured(case: Case, measures: Sequence[str]) -> list[float]:
    report = cd.compare(
        labels(case["key"]), labels(case["response"]), list(measures), align="penalise"
    )
    return [report[measure].value for measure in measures]


def family_scores(case: Case, family: str) -> Scores:
    parts = ("recall", "precision", "f")
    return Scores(*measured(case, [f"{family}_{part}" for part in parts]))


def named(cases: Sequence[Case]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def tabled() -> list[Any]:
    return [
        pytest.param(case, family, id=f"{case['name']}-{family}")
        for case in CASES
        for family in case.get("table", ())
    ]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", named(CASES))
def test_family_agrees_with_the_reference_scorer(case: Case, family: str) -> None:
    expected = as_scored(case["scores"][family])
    assert family_scores(case, family) == pytest.approx(expected, rel=0, abs=SCORED)


@pytest.mark.parametrize(("case", "family"), tabled())
def test_family_agrees_with_the_official_table(case: Case, family: str) -> None:
    expected = Scores(*case["table"][family])
    assert family_scores(case, family) == pytest.approx(expected, rel=0, abs=TABLED)


@pytest.mark.parametrize("case", named(CASES))
def test_conll_is_the_mean_of_three_f_scores(case: Case) -> None:
    expected = sum(as_scored(case["scores"][family]).f for family in CONLL) / len(CONLL)
    assert measured(case, ["conll"]) == pytest.approx([expected], rel=0, abs=SCORED)


@pytest.mark.parametrize("case", named(CASES))
def test_case_is_a_pair_of_partitions(case: Case) -> None:
    for side in (case["key"], case["response"]):
        mentions = [mention for cluster in side for mention in cluster]
        assert all(side)
        assert len(mentions) == len(set(mentions)) > 0
    assert set(case["scores"]) == set(FAMILIES)


def in_corefud(clusters: Sequence[Sequence[str]], words: Sequence[str]) -> str:
    """A document in which each mention is a word of its own."""
    entity = {m: f"(e{k}--1)" for k, cluster in enumerate(clusters) for m in cluster}
    lines = [
        "\t".join([str(place), *["_"] * 8, f"Entity={entity[word]}" if word in entity else "_"])
        for place, word in enumerate(words, 1)
    ]
    header = "# global.Entity = eid-etype-head\n# newdoc id = d\n"
    return header + "\n".join(lines) + "\n\n"


@pytest.mark.parametrize("case", named(CASES))
def test_corefud_files_give_the_same_scores(case: Case, tmp_path: Path) -> None:
    words = sorted({m for side in ("key", "response") for c in case[side] for m in c})
    for side in ("key", "response"):
        (tmp_path / f"{side}.conllu").write_text(in_corefud(case[side], words))
    report = cd.compare(
        tmp_path / "key.conllu", tmp_path / "response.conllu", FAMILIES, align="penalise"
    )
    for family in FAMILIES:
        found = [report[f"{family}_{part}"].value for part in ("recall", "precision", "f")]
        expected = as_scored(case["scores"][family])
        assert found == pytest.approx(list(expected), rel=0, abs=SCORED)
