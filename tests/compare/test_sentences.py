"""A truth table of sentences: every note and verdict that a comparison with intervals can print,
with the cases in which it must and must not appear; what diffs and gates say of the same cases.

A sentence that no row of the table knows fails, and so does one that the sources can print and no
case shows: a new sentence needs its cases.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import clusterdiff
import clusterdiff as cd
from clusterdiff.compare.gates import missed, regressed
from clusterdiff.compare.verdict import verdict
from clusterdiff.explain.diff import Diff, scores_table
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.statistics.intervals import ConfidenceInterval
from compare.sentences import CASES, Case, report, said
from refusals import refuses

SOURCES = Path(clusterdiff.__file__).parent
NUMBER = r"[\d.,]+"
SCORE = r"[\d.]+(–[\d.]+)?"
P = r"p [<=] [\d.]+"

TABLE: dict[str, tuple[str, Callable[[Case], bool]]] = {
    "the level and the units": (
        rf"95 % intervals: the range (to expect on a comparable data set; units: {NUMBER} "
        r"(component|sample|object)s(, as if each object was drawn by itself and labelled by the "
        rf"same rules)?|in which the score of all objects lies; units: {NUMBER} (cluster|record)s)"
        r"\.",
        lambda c: not c.refused,
    ),
    "few units err": (
        r"Where only a few units err, or none, the interval is Korn and Graubard's\.",
        lambda c: c.few_err,
    ),
    "what the marks mean": (
        r"▲ best of its row; † significantly better than every other guess at 5 % \(paired "
        rf"jackknife t-test over {NUMBER} (components of truth and (both|the two) guesses|samples|"
        r"objects|clusters|records)(, p corrected for \d tests \(Holm\))?\)\.",
        lambda c: bool(c.best and (c.beaten or c.close)),
    ),
    "a difference was not tested": (
        r"— differences not tested: .+\.",
        lambda c: bool(c.untested or (len(c.guesses) > 1 and (c.ranges or c.pooled))),
    ),
    "a score has no interval": (
        r"— (?!differences).+ (is too few|are too few|not a sum|not sums|no spread)\b.*",
        lambda c: c.refused or c.no_spread or c.pooled,
    ),
    "one unit holds much": (
        rf"(\w+: )?One (component|sample) holds {NUMBER} % of what \w+ divides by, so whether it "
        r"errs decides the score; more data would tell\.",
        lambda c: c.leverage,
    ),
    "objects are left out": (
        r"1 object that truth does not have is left out, and the intervals do not cover it; if "
        r"truth is a sample, use clusterdiff estimate\.",
        lambda c: c.left_out,
    ),
    "verdict: one score with its interval": (
        rf"\w+ is {SCORE} \([\d.]+–[\d.]+\): the score and its 95 % confidence interval\.",
        lambda c: len(c.guesses) == 1 and not c.refused,
    ),
    "verdict: one score without an interval": (
        rf"\w+ is {SCORE}; it has no interval, because .+\.",
        lambda c: len(c.guesses) == 1 and c.refused,
    ),
    "verdict: the same score": (
        r"By \w+, .+ score the same\.",
        lambda c: len(c.guesses) > 1 and not (c.best or c.shared or c.ranges),
    ),
    "verdict: the best score is shared": (
        r"By \w+, one and other share the best score\.", lambda c: bool(c.shared),
    ),
    "verdict: ranges that overlap": (
        r"By \w+, the ranges of \w+ and \w+ overlap, so that no guess is best for certain\.",
        lambda c: c.ranges == "overlap",
    ),
    "verdict: ranges apart": (
        r"By \w+, the range of \w+ lies above that of \w+; ranges are not tested\.",
        lambda c: c.ranges == "apart",
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
        r"By \w+, \w+ scores (higher|lower) than \w+ by [\d.]+; the difference was not tested, "
        r"because .+\.",
        lambda c: len(c.guesses) == 2 and bool(c.best and c.untested),
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
        lambda c: len(c.guesses) > 2 and bool(c.best and c.untested),
    ),
}  # fmt: skip


def rows_of(lines: Iterable[str]) -> set[str]:
    """The rows of the table that lines are; every line is one."""
    rows = {
        line: [row for row, (text, _) in TABLE.items() if re.fullmatch(text, line)]
        for line in lines
    }
    assert [line for line, some in rows.items() if len(some) != 1] == []
    return {row for some in rows.values() for row in some}


def true_rows(case: Case) -> set[str]:
    return {row for row, (_, true) in TABLE.items() if true(case)}


@pytest.mark.parametrize("name", CASES)
def test_every_sentence_is_known_and_true(name: str) -> None:
    assert rows_of(said(name)) == true_rows(CASES[name])


OF_PAIRS = ["one guess", "one perfect guess", "better", "close", "equal", "both perfect",
            "perfect and poor", "three, all beaten", "three, one close", "not a sum",
            "two of three share the best", "three equal", "a distance"]  # fmt: skip
"""Cases whose truth is 200 pairs of objects, which a sample can have some of."""


@pytest.mark.parametrize("design", ["clusters", "records"])
@pytest.mark.parametrize("pairs", [190, 5])
@pytest.mark.parametrize("name", OF_PAIRS)
def test_estimates_say_the_same(name: str, pairs: int, design: str) -> None:
    """An estimate from enough clusters says what a comparison with all of them says; from too few,
    that there is no interval.
    """
    case = CASES[name]
    sample = {i: x for i, x in enumerate(case.truth) if x < pairs}
    guesses = {guess: dict(enumerate(labels)) for guess, labels in case.guesses.items()}
    if name == "not a sum":
        with pytest.raises(cd.ClusterdiffError, match="is not a sum over clusters"):
            cd.estimate(sample, guesses, case.measure, design=design)
        return
    found = cd.estimate(sample, guesses, case.measure, design=design)
    lines = [line for line in found.notes() if not line.startswith("K_eff")]
    if pairs < 10:
        # all scores of so few pairs may be equal, of which no verdict is in the table
        assert not any("†" in line or "intervals:" in line for line in lines)
        assert any(f"{pairs} " in line and "too few for an interval" in line for line in lines)
        return
    assert rows_of([*lines, verdict(found, case.measure)]) == true_rows(case)


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


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_names_the_guesses(name: str) -> None:
    """The best one, those that share the best score, or all that score the same."""
    case, told = CASES[name], said(name)[-1]
    named = [case.best] if case.best else case.shared or list(case.guesses)
    if len(case.guesses) > 1:
        assert [guess for guess in named if not re.search(rf"\b{guess}\b", told)] == []


REFUSED = (
    "uncertain", "uncertain, of folds", "not a sum", "ranges that overlap", "ranges apart",
    "covers of documents",
)  # fmt: skip
"""Cases of two guesses without a diff: of degrees, of documents with overlapping clusters, and by a
measure that is not a sum.
"""
RUNS = [
    (name, turned)
    for name, case in CASES.items()
    if len(case.guesses) == 2 and name not in REFUSED
    for turned in (False, True)
]
TESTED = rf", 95 % interval [+−][\d.]+ to [+−][\d.]+, {P}\."


@cache
def diff(name: str, turned: bool) -> Diff:
    """The two guesses as an old run and a new one."""
    case = CASES[name]
    old, new = list(case.guesses.values())[:: -1 if turned else 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cd.diff(case.truth, old, new, by=case.measure, confidence=0.95, **dict(case.more))


def is_better(name: str, turned: bool) -> bool:
    """Whether the new run has the better score."""
    case = CASES[name]
    return list(case.guesses)[0 if turned else 1] == case.best


@pytest.mark.parametrize(("name", "turned"), RUNS)
def test_a_diff_says_what_is_sure(name: str, turned: bool) -> None:
    """The headline, the verdict in Markdown and the table, for better, worse, equal, not tested."""
    case, found = CASES[name], diff(name, turned)
    many = r", mean of \d+ samples," if found.report.samples else ""
    change = r"\([+−][\d.]+\)" if case.best else r"\(0\)"
    end = r"; not tested, because .+\." if case.untested else TESTED
    assert re.fullmatch(rf"{case.measure}{many} [\d.]+ -> [\d.]+ {change}{end}", found.headline)
    word = "Unchanged"
    if case.best:
        word = "Better" if is_better(name, turned) else "Worse"
        word += ", not significantly" if case.close else ""
    assert found.to_markdown().startswith(f"**{word}: ")
    (row,) = [row for row in scores_table(found).rows if row[0] == case.measure]
    assert ("not tested" in row) == bool(case.untested)
    assert any(re.search(P, cell) for cell in row) == (not case.untested)


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize(("name", "turned"), RUNS)
def test_a_gate_on_a_regression_says_what_is_sure(name: str, turned: bool, sure: bool) -> None:
    """It fails where the new run is worse; to be sure, where that is significant or not tested."""
    case, found = CASES[name], diff(name, turned)
    told = regressed(found, case.measure, 0.0, sure)
    worse = bool(case.best) and not is_better(name, turned)
    assert bool(told) == (worse and not (sure and case.close))
    ends = r"; the change was not tested, because .+" if sure and case.untested else ""
    many = r", mean of \d+ samples," if found.report.samples else ""
    for line in told:
        assert re.fullmatch(
            rf"clusterdiff: {case.measure}{many} went from [\d.]+ to [\d.]+{ends}\.", line
        )


@pytest.mark.parametrize("name", CASES)
def test_a_gate_on_a_score_says_what_is_sure(name: str) -> None:
    """At the score itself nothing is missed; to be sure, every score that is not certain is."""
    case, found = CASES[name], report(name)
    scores = found.scores
    distance = found.measures[case.measure].is_distance
    for guess, by_measure in scores.items():
        alone = replace(found, scores={guess: by_measure})
        score = by_measure[case.measure]
        ends = (
            (score.value.low, score.value.high)
            if isinstance(score.value, ScoreRange)
            else (float(score),) * 2
        )
        least = max(ends) if distance else min(ends)
        assert missed(alone, case.measure, least) == []
        (told,) = missed(alone, case.measure, least, sure=True)
        if not score.ci:
            assert re.fullmatch(
                rf"clusterdiff: {guess}: {case.measure} has no interval: .+\.", told
            )
            continue
        side = "high" if distance else "low"
        many = r", mean of \d+ samples," if found.samples else ""
        assert re.fullmatch(
            rf"clusterdiff: {guess}: the {side} end of {case.measure}{many} is [\d.]+, "
            rf"{'above' if distance else 'below'} [\d.]+\.",
            told,
        )
        known = score.ci.high if distance else score.ci.low
        known = known if not isinstance(known, ConfidenceInterval) else known.low
        assert missed(alone, case.measure, known, sure=True) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_diff_is_refused_in_words(name: str) -> None:
    refuses(r"a diff compares|does not decompose|one sample", diff, name, False)


def test_two_guesses_have_a_diff_or_are_refused() -> None:
    two = {name for name, case in CASES.items() if len(case.guesses) == 2}
    assert {name for name, _ in RUNS} | set(REFUSED) == two


@pytest.mark.parametrize("name", ["better", "close", "few components"])
def test_marks_mean_the_same_in_every_format(name: str) -> None:
    """▲, or bold type where there is no ▲, is the best of a row, and † a significant best; each
    format says so where there is something to say.
    """
    found, case = report(name), CASES[name]
    daggers = 1 if case.beaten else 0
    legend = "best of its row; † significantly better than every other guess"
    tested = bool(case.beaten or case.close)
    html, page = found._repr_html_(), cd.page(case.truth, case.guesses, measures=case.measure).html
    page = page[page.index('<section id="scores"') :].partition("</section>")[0]
    formats = {
        "text": (found.to_text(200), "▲", " ▲", "†"),
        "html": (html, "▲", "</b> ▲", "†"),
        "markdown": (found.to_markdown(), "Bold:", "| **", "†"),
        "latex": (found.to_latex(), "Bold:", r"\textbf{", r"$\dagger$"),
        "page": (page, "Bold:", 'class="number best"', "†"),
    }
    for what, (text, mark, best, dagger) in formats.items():
        text = re.sub(r"\s+", " ", text)
        assert (f"{mark} {legend}" in text) == tested, what
        assert text.count(dagger) - text.count(f"; {dagger} sig") == daggers, what
        assert text.count(best) - text.count(f"{best} best of") == 1, what
        assert ("▲" in text) == (mark == "▲"), what


def texts(file: Path) -> list[str]:
    """The texts in a source, but for docstrings and errors."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Expr) or _makes_an_error(node)
        for inner in ast.walk(node)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
    ]


def _makes_an_error(node: ast.AST) -> bool:
    """Whether a call, or a function by what it returns, makes an exception."""
    name = node.func if isinstance(node, ast.Call) else getattr(node, "returns", None)
    return name is not None and ast.unparse(name).endswith("Error")


def test_every_sentence_has_a_case() -> None:
    """The texts of the sources, cut where numbers and names go, occur in what the cases print."""
    shown = "\n".join(line for name in CASES for line in said(name))
    missing = [
        (file, text)
        for file in ("compare/differences.py", "compare/verdict.py")
        for text in texts(SOURCES / file)
        if len(text.split()) > 3 and text.strip() not in shown
    ]
    assert sorted(missing) == sorted(UNSEEN)


def test_a_fuzzy_guess_beside_a_partition_is_not_a_lack_of_memory() -> None:
    truth = cd.Partition([x // 2 for x in range(40)])
    fuzzy = cd.Fuzzy([{x // 2: 0.5, -1: 0.5} for x in range(40)])
    for guesses in ({"hard": truth, "fuzzy": fuzzy}, {"fuzzy": fuzzy, "hard": truth}):
        told = cd.compare(truth, guesses, "rand_alpha", confidence=0.95)
        assert "uncertain clusterings need samples" in verdict(told, "rand_alpha")
        assert "memory" not in str(told)


UNSEEN = [  # what only other verbs, sizes of memory or kinds print, and is tested there
    ("compare/differences.py", "; not tested, because "),
    ("compare/differences.py", "; the same holds for "),
    ("compare/differences.py", "the range in which the score of all objects lies"),
    ("compare/differences.py", "there is no number for both guesses"),
    ("compare/differences.py", "the guesses are not judged on the same samples"),
    (
        "compare/differences.py",
        " needs the features of the objects, and units of two guesses have none",
    ),
    (
        "compare/differences.py",
        "truth and all guesses have no common table, or none that fits in memory",
    ),
    ("compare/verdict.py", "); this was not tested"),  # the first screen, without intervals
    ("compare/verdict.py", "no single guess is best"),
    ("compare/verdict.py", "; it does not differ significantly from "),
]
