"""Formulas of docstrings, set as MathML: what binds what, and nothing is lost on the way."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

import clusterdiff as cd
from clusterdiff_lab.catalogue.pages import paragraphs
from docs_source import source

FORMULA = source("_formula")
DEFINITIONS = {m.name: paragraphs(m)[1] for m in cd.measures()}


def tree(text: str) -> ET.Element:
    return ET.fromstring(FORMULA.formula(text))


def spelt(element: ET.Element) -> str:
    """What is set, in one line: fractions as [above/below], scripts as ^ and _."""
    inner = [spelt(child) for child in element]
    kinds = {"mfrac": "[{}/{}]", "msup": "{}^{}", "msub": "{}_{}", "munder": "{}_{}"}
    if element.tag in kinds:
        return kinds[element.tag].format(*inner)
    if element.tag == "msqrt":
        return f"√[{''.join(inner)}]"
    if element.tag == "mspace":
        return " "
    tails = [child.tail or "" for child in element]
    return (element.text or "") + "".join(map("".join, zip(inner, tails, strict=True)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("P = 1/n Σ_o |T(o) ∩ G(o)| / |G(o)|", "P=[1/n]∑_o[|T(o)∩G(o)|/|G(o)|]"),
        ("P = Σ_G (|G| - 1) / Σ_G |G|", "P=[∑_G(|G|−1)/∑_G|G|]"),
        ("F = 1 / (α/P + (1 - α)/R)", "F=[1/[α/P]+[1−α/R]]"),
        ("Σ_TG |T∩G|/n · log(n |T∩G| / (|T| |G|))", "∑_T,G[|T∩G|/n]·log([n|T∩G|/|T||G|])"),
        ("VI = H(truth | guess) + s(G|T)", "VI =H(truth|guess)+s(G|T)"),
        ("link(A) = |A|(|A| - 1)/2", "link(A)=[|A|(|A|−1)/2]"),
        ("√((m - m')ᵀ J (m - m') / 2)", "√[[(m−m′)^TJ(m−m′)/2]]"),
        ("1 - D / 2n", "1−[D/2n]"),
        ("2 both / (truth + guess)", "[2 both/truth+guess]"),
        ("d₁ and s_{k≠l} t(x_k, y_l)", "d_1 and s_k≠lt(x_k,y_l)"),
        ("S* = Σ|T|², r_alpha", "S^∗=∑|T|^2, r_α"),
        ("P = (clusters that both have) / n", "P=[clusters that both have/n]"),
        ("mean over o' of max(x, y) (match='pair')", "mean over o′ of max(x,y) (match='pair')"),
    ],
)
def test_what_binds_what(text: str, wanted: str) -> None:
    assert spelt(tree(text)) == wanted


@pytest.mark.parametrize("name", DEFINITIONS)
def test_nothing_is_lost(name: str) -> None:
    """Every letter and digit of the definition is set, once; no slash, no script is left."""
    text = DEFINITIONS[name]
    plain = "".join(text.split()).replace("alpha", "α").translate(FORMULA.PLAIN).replace("Σ", "∑")
    wanted = Counter(c for c in plain if c.isalnum() or c == "∑")
    root = tree(text)
    shown = "".join(root.itertext())
    assert Counter(c for c in shown if c.isalnum() or c == "∑") == wanted
    for part in root.iter():
        if part.tag in ("mi", "mn", "mo"):
            assert not set(part.text or "") & set("/_²ᵀ₀₁√\\'")


def test_words_are_text_between_formulas() -> None:
    root = tree("1 - mean over pairs of |cos(truth rows) - cos(guess rows)|, in truth")
    first, second = root.iter("math")
    assert first.tail == " mean over pairs of "
    assert second.tail == " in truth"
    assert [word.text for word in second.iter("mtext")] == ["rows", "rows"]


def test_only_blocks_called_formula_are_set() -> None:
    page = "```formula\nx / y\n```\n\n```text\nx / y\n```"
    made = FORMULA.on_page_markdown(page)
    assert made.count("<mfrac>") == 1
    assert "```text\nx / y\n```" in made
    assert "formula\n" not in made


@pytest.mark.parametrize(
    "text", ["|a", "(a", "a /", "/ b", "√", "a_{", "x ) y", "Σ / x", "<b> & 'c'"]
)
def test_what_is_no_formula_is_set_all_the_same(text: str) -> None:
    tree(text)
