"""The catalogue: every measure has its formula, promises, cost, citation, example, conditions."""

from __future__ import annotations

import doctest
import re

import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from clusterdiff.measures.base import CITATIONS
from clusterdiff_lab.catalogue.pages import (
    COSTS,
    FAMILIES,
    NEEDS,
    MeasureList,
    counted,
    example,
    facts,
    in_prose,
    linked,
    page,
    paragraphs,
    related,
    symbols,
    title,
    verdicts,
)
from docs_source import DOCS, source

PAGES = source("_pages")
SHOWN = PAGES.shown_measures()
MEASURE_PAGES = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("measures/*.md")}


def test_every_measure_has_a_formula() -> None:
    for measure in cd.measures():
        meaning, formula, *_ = paragraphs(measure)
        assert meaning == measure.meaning
        assert formula
        assert "Definition" not in formula


def test_costs_are_of_measures_that_there_are() -> None:
    assert set(COSTS) == set(NEEDS)
    assert dict(facts(cd.measure("accuracy")))["cost"] != dict(facts(cd.measure("rand")))["cost"]


def test_the_pages_are_those_of_the_catalogue() -> None:
    """All but the verdicts is rendered anew; `make pages` writes what differs."""
    found = {name: PAGES.recorded(name) for name in SHOWN}
    wanted = PAGES.rendered(found)
    assert list(wanted) == ["index", *dict.fromkeys(m.name for m in cd.measures())]
    assert [name for name, text in wanted.items() if MEASURE_PAGES.get(name) != text] == []
    assert set(MEASURE_PAGES) == set(wanted)


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_has_all_about_a_measure(name: str) -> None:
    text, forms = MEASURE_PAGES[name], SHOWN[name]
    measure = forms[0]
    _, formula, *_ = paragraphs(measure)
    assert text.startswith(f"# {in_prose(title(measure)[0])}\n")
    assert f"```formula\n{formula}\n```" in text
    assert all(in_prose(alias) in text for alias in measure.aliases)
    assert in_prose(CITATIONS[measure.claims.cite]) in text
    assert "\n## Where it misleads\n\n* **" in text
    for form in forms:
        assert f"<summary><code>{form}</code>: " in text
        for _, fact in facts(form):
            assert in_prose(fact) in text


def test_verdicts_are_those_of_the_table_of_conditions() -> None:
    """The search is not done again: what two pages of one search say has to agree."""
    table = (DOCS / "conditions.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\S+) \| ((?:[✓=✗·] \|? ?)+)$", table, re.MULTILINE))
    names = [condition.name for condition in lab.axioms()]
    for measure, forms in SHOWN.items():
        for form, found in zip(forms, PAGES.recorded(measure), strict=True):
            plain = found.replace("\\", "")
            (holds,) = re.findall(r"^\* ✓ (.*)", plain, re.MULTILINE) or [""]
            marks = dict.fromkeys(filter(None, holds.split(", ")), "✓")
            marks |= {
                name: mark for mark, name in re.findall(r"^\* ([=✗]) (\w+)", plain, re.MULTILINE)
            }
            row = rows.pop(str(form).replace("_", "\\_")).removesuffix(" |").split(" | ")
            assert dict(zip(names, row, strict=True)) == {
                name: marks.get(name, "·") for name in names
            }
            counts = [sum(mark == one for mark in row) for one in "✓=✗"]
            assert f": {counts[0]} hold, {counts[1]} with ties, {counts[2]} fail<" in found
    assert not rows


def test_examples_of_pages_run() -> None:
    for name, text in MEASURE_PAGES.items():
        test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        assert test.examples or name == "index"
        assert doctest.DocTestRunner().run(test).failed == 0, name


def test_questions_lead_to_measures_and_back() -> None:
    which = (DOCS / "which-measure.md").read_text(encoding="utf-8")
    assert PAGES.answers("omega", which) == [
        "Do overlapping clusterings agree better than chance would?"
    ]
    (line,) = PAGES.misleads("cover_f1", which)
    assert line.startswith("**[`cover_f1`](cover_f1.md)**: several clusters")
    assert "](../how-to/scikit-learn.md)" in " ".join(PAGES.misleads("nmi", which))


def test_an_example_is_typed_as_it_is_shown() -> None:
    text = example([cd.measure("bcubed_f"), cd.measure("bcubed_f(f='objects')")])
    assert "round(cd.bcubed_f('123|45|6', '12|3456', f='objects'), 4)" in text
    assert "cd.transport('rand')([1, 1, 2, 2], rough)" in example([cd.measure("transport(rand)")])


def test_names_are_set_as_code_and_nothing_else_is_markup() -> None:
    assert in_prose("a_b of `c_d`, |x|") == r"a\_b of `c_d`, \|x\|"
    assert in_prose("`budget` steps") == "`budget` steps"
    markdown = linked("elm_f, a_b and pair_f(alpha=1), `elm_f of x`", cd.measure("pair_f"))
    assert markdown == r"[`elm_f`](elm_f.md), a\_b and pair\_f(alpha=1), `elm_f of x`"


def test_related_measures_are_called_alike_or_spoken_of() -> None:
    def names(text: str) -> set[str]:
        return {one.name for one in related(cd.measure(text))}

    assert {"rand", "omega"} <= names("adjusted_rand")
    assert names("muc_f") == {"muc_precision", "muc_recall", "conll"}
    assert names("v_measure") == {"homogeneity", "completeness"}
    assert names("pair_jaccard") == {m.name for m in cd.measures() if m.family == "pairs"} - {
        "pair_jaccard"
    }


def test_signs_of_a_formula_are_explained() -> None:
    assert symbols("1/n Σ_o F(P(o), R(o))") == ["Here n is the number of objects."]
    assert "H is the entropy" in symbols("H(truth | guess)")[0]
    assert symbols("") == []


def test_every_family_has_a_heading() -> None:
    assert set(FAMILIES) == {m.family for m in cd.measures()}
    text = MeasureList().to_markdown()
    assert all(f"{heading} {{ #{family} }}" in text for family, heading in FAMILIES.items())
    assert all(f"[`{m.name}`]({m.name}.md)" in text for m in cd.measures())


def test_conditions_are_counted() -> None:
    row = lab.laboratory("rand", ["symmetry", "padding", "rag_bag", "cover_match"], larger=0)[
        "rand"
    ]
    assert counted(row) == "1 hold, 1 with ties, 1 fail"
    text = page([cd.rand], [verdicts(cd.rand, row)])
    assert "<summary><code>rand</code>: 1 hold, 1 with ties, 1 fail</summary>" in text
    assert "misleads" not in text
