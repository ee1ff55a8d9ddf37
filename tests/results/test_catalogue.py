"""The catalogue: every measure has its formula, promises, cost, citation, example, conditions."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import clusterdiff as cd
from clusterdiff.laboratory.batch import tried_measures
from clusterdiff.measures.core.citations import CITATIONS
from clusterdiff.results.catalogue.measures import (
    COSTS,
    NEEDS,
    counted,
    example,
    facts,
    in_prose,
    paragraphs,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(.*?)`\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
SHOWN = [cd.measure(text) for text in tried_measures()]


def test_every_measure_has_a_formula() -> None:
    for measure in cd.measures():
        meaning, formula, *_ = paragraphs(measure)
        assert meaning == measure.meaning
        assert formula
        assert "Definition" not in formula


def test_costs_are_of_measures_that_there_are() -> None:
    assert set(COSTS) == set(NEEDS)
    assert dict(facts(cd.measure("accuracy")))["costs"] != dict(facts(cd.measure("rand")))["costs"]


@pytest.mark.parametrize("measure", SHOWN, ids=str)
def test_the_page_has_all_about_a_measure(measure: cd.Measure) -> None:
    section = SECTIONS[str(measure)]
    meaning, formula, *notes = paragraphs(measure)
    for text in (meaning, formula, *notes):
        assert in_prose(text) in section
    for name, text in facts(measure):
        assert f"* **{name}**: {in_prose(text)}" in section
    assert f"**from**: {in_prose(CITATIONS[measure.claims.cite])}" in section
    assert re.search(r"<summary>Conditions: \d+ hold, \d+ with ties, \d+ fail</summary>", section)
    assert example(measure) in section


def test_the_page_has_no_other_measures() -> None:
    assert list(SECTIONS) == list(map(str, SHOWN))


def test_an_example_is_typed_as_it_is_shown() -> None:
    text = example(cd.measure("bcubed_f(f='means')"))
    assert "round(cd.bcubed_f('123|45|6', '12|3456', f='means'), 4)" in text
    assert "cd.transport('rand')([1, 1, 2, 2], rough)" in example(cd.measure("transport(rand)"))
    test = doctest.DocTestParser().get_doctest(text, {"cd": cd}, "example", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_names_are_set_as_code_and_nothing_else_is_markup() -> None:
    assert in_prose("a_b of `c_d`, |x|") == r"a\_b of `c_d`, \|x\|"
    assert in_prose("`budget` steps") == "`budget` steps"


def test_conditions_are_counted() -> None:
    row = cd.laboratory("rand", ["symmetry", "padding", "rag_bag", "cover_match"], larger=0)["rand"]
    assert counted(row) == "1 hold, 1 with ties, 1 fail"
