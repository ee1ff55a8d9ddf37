"""A truth table of sentences: every note and verdict that a comparison with intervals can print,
with the cases in which it must and must not appear.

A sentence that no row of the table knows fails, and so does one that the sources can print and no
case shows: a new sentence needs its cases.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import clusterdiff.results as results
from results.sentences import CASES, Case, report, said

SOURCES = Path(results.__file__).parent
NUMBER = r"[\d.,]+"
P = r"p [<=] [\d.]+"

TABLE: dict[str, tuple[str, Callable[[Case], bool]]] = {
    "the level and the units": (
        rf"95 % intervals: the range to expect on a comparable data set; units: {NUMBER} "
        r"(component|sample|object)s(, as if each object was drawn by itself and labelled by the "
        r"same rules)?\.",
        lambda c: not c.refused,
    ),
    "few units err": (
        r"Where only a few units err, or none, the interval is Korn and Graubard's\.",
        lambda c: c.few_err,
    ),
    "what the marks mean": (
        r"▲ best of its row; † significantly better than every other guess at 5 % \(paired "
        rf"jackknife t-test over {NUMBER} (components of truth and (both|the two) guesses|samples|"
        r"objects)(, p corrected for \d tests \(Holm\))?\)\.",
        lambda c: bool(c.best and (c.beaten or c.close)),
    ),
    "a difference was not tested": (
        r"— differences not tested: .+\.", lambda c: bool(c.untested),
    ),
    "a score has no interval": (
        r"— (?!differences).+ (is too few|are too few|not a sum|no spread)\b.*",
        lambda c: c.refused or c.no_spread,
    ),
    "one unit holds much": (
        rf"(\w+: )?One (component|sample) holds {NUMBER} % of what \w+ divides by, so whether it "
        r"errs decides the score; more data would tell\.",
        lambda c: c.leverage,
    ),
    "objects are left out": (
        r"1 object that truth does not have is left out, .*use clusterdiff estimate\.",
        lambda c: c.left_out,
    ),
    "verdict: one score with its interval": (
        r"\w+ is [\d.]+ \([\d.]+–[\d.]+\): the score and its 95 % confidence interval\.",
        lambda c: len(c.guesses) == 1 and not c.refused,
    ),
    "verdict: one score without an interval": (
        r"\w+ is [\d.]+; it has no interval, because .+\.",
        lambda c: len(c.guesses) == 1 and c.refused,
    ),
    "verdict: the same score": (
        r"By \w+, .+ score the same\.", lambda c: len(c.guesses) > 1 and not c.best,
    ),
    "verdict: better": (
        rf"By \w+, \w+ is better than \w+ by [\d.]+ \(95 % interval .+, {P}\)\.",
        lambda c: len(c.guesses) == 2 and bool(c.beaten),
    ),
    "verdict: not significantly": (
        r"By \w+, \w+ and \w+ do not differ significantly on this data: the difference is [\d.]+ "
        rf"\(95 % interval .+, {P}\)\.",
        lambda c: len(c.guesses) == 2 and bool(c.close),
    ),
    "verdict: not tested": (
        r"By \w+, \w+ scores higher than \w+ by [\d.]+; the difference was not tested, because .+"
        r"\.",
        lambda c: len(c.guesses) == 2 and bool(c.untested),
    ),
    "verdict: best of several": (
        r"By \w+, \w+ is best, significantly better than each of the \d others \("
        rf"{P}, corrected by Holm\)\.",
        lambda c: len(c.guesses) > 2 and bool(c.beaten) and not c.close and not c.untested,
    ),
    "verdict: best of several, not significantly": (
        rf"By \w+, \w+ scores best, but does not differ significantly from .+ on this data \({P}, "
        r"corrected by Holm\)\.",
        lambda c: len(c.guesses) > 2 and bool(c.close) and not c.untested,
    ),
    "verdict: best of several, not tested": (
        r"By \w+, \w+ scores best; the difference from .+ was not tested, because .+\.",
        lambda c: len(c.guesses) > 2 and bool(c.untested),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_sentence_is_known_and_true(name: str) -> None:
    case, found = CASES[name], said(name)
    rows = {
        line: [row for row, (text, _) in TABLE.items() if re.fullmatch(text, line)]
        for line in found
    }
    assert [line for line, some in rows.items() if len(some) != 1] == []
    printed = {row for some in rows.values() for row in some}
    assert printed == {row for row, (_, true) in TABLE.items() if true(case)}


@pytest.mark.parametrize("name", [n for n, case in CASES.items() if len(case.guesses) > 1])
def test_marks(name: str) -> None:
    """The best score has its mark, tested or not, and the dagger if all others are beaten."""
    case, table = CASES[name], report(name).table()
    guesses = list(case.guesses)
    step = 3 if report(name).samples else 1
    marked = {guesses[(j - 1) // step] for _, j in table.best}
    assert marked == ({case.best} if case.best else set())
    row = table.rows[0]
    daggers = {guesses[(j - 1) // step] for j, text in enumerate(row) if text.endswith("†")}
    assert daggers == ({case.best} if case.beaten and not case.close else set())


def texts(file: Path) -> list[str]:
    """The texts in a source, but for docstrings and errors."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Expr)
        for inner in ast.walk(node)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
    ]


def test_every_sentence_has_a_case() -> None:
    """The texts of the sources, cut where numbers and names go, occur in what the cases print."""
    shown = "\n".join(line for name in CASES for line in said(name))
    missing = [
        (file, text)
        for file in ("intervals.py", "differences.py", "page/verdict.py")
        for text in texts(SOURCES / file)
        if len(text.split()) > 3 and text.strip() not in shown
    ]
    assert missing == UNSEEN


UNSEEN = [  # what only other verbs, sizes of memory or kinds print, and is tested there
    ("intervals.py", "; not tested, because "),
    ("intervals.py", "; the same holds for "),
    ("intervals.py", "the range in which the score of all objects lies"),
    ("intervals.py", "the range in which the score of all objects lies"),
    ("differences.py", "scores that are ranges have no single difference"),
    ("differences.py", "differences over objects need partitions with a table of few cells"),
    ("differences.py", "scores of uncertain clusterings are not sums over samples"),
    ("differences.py", "the guesses are not judged on the same samples"),
    ("differences.py", "the clusters of all guesses do not fit in memory together"),
    ("page/verdict.py", ", no single guess is best."),
    ("page/verdict.py", "; it does not differ significantly from "),
]
