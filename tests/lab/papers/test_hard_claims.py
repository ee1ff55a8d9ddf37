"""What becomes of each claim of the papers on partitions and covers: ELM, CICE, split-merge."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest

from clusterdiff.io.read import clusters_in
from clusterdiff.measures import lookup
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.tables import Contingency, pairs
from clusterdiff_lab.papers.cice import claims as cice_claims
from clusterdiff_lab.papers.elm import claims as elm_claims
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    all_of,
    at_most,
    equal,
    fails,
    holds,
    of_each,
    provided,
    repaired,
    scored,
    throughout,
)
from clusterdiff_lab.papers.split_merge import claims as split_merge_claims
from oracles import bcubed, overlapping


class Expected(NamedTuple):
    """A claim, by where it is and what it says, and what is to be found."""

    where: str
    says: str
    """A part of it."""
    verdict: str
    objects: int = 0
    values: tuple[str, ...] = ()
    """What the evidence says."""


def counts(cases: int, ties: int = 0, reversals: int = 0) -> str:
    """As it is told of a condition."""
    told = (
        f"{number:,} {what}{'' if number == 1 else 's'}"
        for number, what in ((cases, "case"), (ties, "tie"), (reversals, "reversal"))
    )
    return ", ".join(told)


def against(cases: int, count: int = 0) -> str:
    """As it is told of an equation."""
    return f"{cases:,} cases, {count:,} against"


ELM_F, ELM_MEANS = ": ELM F1", ": ELM F1 of the means"
B3_F, B3_MEANS = ": BCubed F1", ": BCubed F1 of the means"
EVERY_F1 = (ELM_F, ELM_MEANS, B3_F, B3_MEANS)
STRAY = ("all other classes, n >= 2", "one of them its own or theirs, n >= 2", "n = 1")

ELM = [
    Expected("Section 2", "2PR/(P+R)", "true", 0, (against(234),)),
    Expected("Section 2", "both extremes", "true", 0, (against(66), against(14))),
    Expected("Section 3.1", "no element's", "true", 0, (against(234),)),
    Expected("Section 3.1", "strictly smaller", "true", 0, (against(234),)),
    Expected(
        "Section 3.1",
        "both are 1 only",
        "false",
        3,
        ("truth 123, guess 12|3: P(1) is 1 by ELM, 1 by BCubed", "of the kind is made: true"),
    ),
    Expected(
        "Section 3.2.1",
        "ELM recall",
        "false",
        3,
        ("truth 12|3, guess 1|2|3: ELM R = 1/3", "with one element = 1/2", "are alone: true"),
    ),
    Expected("Section 3.3.1, Figure 5", "merged", "true", 0, (against(64),)),
    Expected(
        "Section 3.3.1, homogeneity",
        ELM_F,
        "ties",
        4,
        (counts(4788, 499, 0), "truth 12|34", "0 and 0", f"true, all pairs of partitions of up to "
         f"7 objects, {counts(4788 - 499)}"),
    ),
    Expected(
        "Section 3.3.1, homogeneity", ELM_MEANS, "ties", 4, (counts(4788, 74, 0), "0 and 0")
    ),
    Expected("Section 3.3.1, homogeneity", B3_F, "true", 0, (counts(4788),)),
    Expected("Section 3.3.1, homogeneity", B3_MEANS, "true", 0, (counts(4788),)),
    Expected("Section 3.3.2, Figure 7", "in three", "true", 0, (against(64),)),
    *(Expected("Section 3.3.2, completeness", f, "true", 0, (counts(1644),)) for f in EVERY_F1),
    Expected(
        "Section 3.3.3, Figure 6",
        "stray",
        "true",
        0,
        (against(12), "with a bag of one: false", against(4, 4)),
    ),
    Expected("Section 3.3.3, rag bag", STRAY[0] + ELM_F, "true", 0, (counts(199),)),
    Expected("Section 3.3.3, rag bag", STRAY[0] + ELM_MEANS, "true", 0, (counts(199),)),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[0] + B3_F,
        "false",
        6,
        (counts(199, 4, 35), "truth 123|4|5|6", "11/18 and 3/5"),
    ),
    Expected("Section 3.3.3, rag bag", STRAY[0] + B3_MEANS, "true", 0, (counts(199),)),
    Expected("Section 3.3.3, rag bag", STRAY[1] + ELM_F, "true", 0, (counts(190),)),
    Expected("Section 3.3.3, rag bag", STRAY[1] + ELM_MEANS, "true", 0, (counts(190),)),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[1] + B3_F,
        "false",
        6,
        (counts(190, 0, 20), "truth 1234|5|6", "71/140 and 317/630"),
    ),
    Expected("Section 3.3.3, rag bag", STRAY[1] + B3_MEANS, "true", 0, (counts(190),)),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[2] + ELM_F,
        "false",
        4,
        (counts(10872, 7328, 1086), "truth 12|3|4", "1/4 and 0"),
    ),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[2] + ELM_MEANS,
        "ties",
        3,
        (counts(10872, 9939, 0), "truth 12|3, worse 13|2, better 1|23: 1/3 and 1/3"),
    ),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[2] + B3_F,
        "false",
        4,
        (counts(10872, 7145, 1168), "truth 12|3|4", "17/24 and 2/3"),
    ),
    Expected(
        "Section 3.3.3, rag bag",
        STRAY[2] + B3_MEANS,
        "ties",
        3,
        (counts(10872, 9939, 0), "truth 12|3, worse 13|2, better 1|23: 2/3 and 2/3"),
    ),
    *(
        Expected(
            "Section 3.3.4, size against quantity",
            f"whole classes{f}",
            "true",
            0,
            (counts(11), "two pairs: ties", counts(1, 1, 0)),
        )
        for f in EVERY_F1
    ),
    Expected(
        "Section 3.3.4, size against quantity",
        "as worded",
        "false",
        8,
        ("truth 123|45678", "3/8 and 11/30", "2/3 and 26/43", counts(150, 0, 147)),
    ),
]  # fmt: skip

FOUR_2 = "Section 2, the four conditions, partitions"
FOUR_3 = "Section 3, the four conditions, partitions"
OVERLAP = "Section 3, the four conditions, clusters that overlap"
MATCH = "Section 3, perfect match"
CICE = [
    Expected("Section 2", "Extended BCubed is BCubed", "true", 0, (against(1 + 4 + 25 + 225),)),
    Expected(FOUR_2, "better split", "true", 0, (counts(4788),)),
    Expected(FOUR_2, "better joined", "true", 0, (counts(1644),)),
    Expected(FOUR_2, STRAY[0], "true", 0, (counts(199),)),
    Expected(FOUR_2, STRAY[1], "true", 0, (counts(190),)),
    Expected(
        FOUR_2,
        STRAY[2],
        "ties",
        3,
        (counts(10872, 9939, 0), "truth 12|3, worse 13|2, better 1|23: 2/3 and 2/3"),
    ),
    Expected(
        MATCH,
        "Extended F can be 1",
        "true",
        3,
        (against(1 * 0 + 5 * 4 + 109 * 108, 2), "truth 12|13|23, guess 1|2|3|123: score 1"),
    ),
    Expected(MATCH, "gets 1", "true", 0, tuple(
        f"{name} {kind}: {against(1 + 5 + 109)}"
        for name, kind in product(("Extended", "CICE"), "PRF")
    )),
    Expected(
        MATCH,
        "precision and CICE recall below 1",
        "false",
        2,
        (
            f"3 objects: {against(109 * 108, 1230)}",
            "truth 1|123, guess 123: CICE P = 1, CICE R = 25/27, CICE F = 25/26",
            "every guess cluster is a true one: true",
        ),
    ),
    Expected(
        MATCH,
        "just for the gold standard",
        "true",
        0,
        (f"alpha = 0.5: {against(11792)}", f"4 objects: {against(3841)}"),
    ),
    Expected(
        MATCH,
        "twice",
        "false",
        3,
        ("truth 1|2|12|12|3|13|13|23|23|123, guess 1|1|2|2|12|3|3|13|23|123|123: score 1",),
    ),
    Expected(FOUR_3, "at most Extended", "true", 0, (against(1 + 25 + 109**2 + 255),)),
    Expected(
        FOUR_3,
        "better split",
        "false",
        86,
        ("truth 1-5|6-86, worse 1,6-8|2-5|9-86", "0.893614 and 0.893606"),
    ),
    Expected(
        FOUR_3,
        "inherits",
        "false",
        86,
        (
            "classes of 5 and 81, 1 and 3 of them",
            "P 56609/61920 and 1769/1935, R 5309/6075 and 5309/6075, F 0.893614 and 0.893606",
        ),
    ),
    Expected(FOUR_3, "better joined", "true", 0, (counts(1644),)),
    Expected(
        FOUR_3,
        STRAY[0],
        "false",
        7,
        (counts(199, 0, 3), "truth 1234|5|6|7", "26/81 and 4/13"),
    ),
    Expected(FOUR_3, STRAY[1], "false", 7, (counts(190, 0, 4), "truth 12345|6|7")),
    Expected(
        FOUR_3,
        STRAY[2],
        "false",
        4,
        (counts(10872, 6931, 1230), "truth 12|3|4", "1/2 and 3/8"),
    ),
    Expected(
        FOUR_3,
        "pairs broken",
        "true",
        0,
        (f"Extended: {counts(29)}", f"CICE: {counts(29)}", "two pairs: ties"),
    ),
    Expected(
        OVERLAP,
        "gold standards and candidates",
        "false",
        2,
        (
            "worse 1|2|12, better 1|2: 1 and 2/5",
            "worse 1|2|12, better 1|2: 1 and 6/19",
            "worse 1|12, better 12: 1 and 14/15",
            "worse 1|12, better 12: 1 and 54/59",
        ),
    ),
    Expected(
        OVERLAP,
        "split by class: Extended",
        "ties",
        3,
        (" ties, 0 reversals; truth 12|3, worse 13|123, better 1|3|123: 8/13 and 8/13",),
    ),
    Expected(OVERLAP, "split by class: CICE", "false", 4, (": 429/1568 and 9823/36060",)),
    Expected(
        OVERLAP,
        "joined: Extended",
        "false",
        2,
        (counts(930, 0, 271), "truth 12, worse 1|2|12, better 12|12: 6/7 and 2/3"),
    ),
    Expected(
        OVERLAP,
        "joined: CICE",
        "false",
        2,
        (counts(930, 0, 208), "truth 12, worse 1|2|12, better 12|12: 22/27 and 2/3"),
    ),
    Expected(
        OVERLAP,
        "n = 2: Extended",
        "false",
        5,
        ("truth 12|3|4|5, worse 13|123|45, better 12|13|345: 7/11 and 22/35",),
    ),
    Expected(
        OVERLAP,
        "n = 2: CICE",
        "false",
        5,
        ("truth 12|3|4|5, worse 12|123|45, better 12|12|345: 92/249 and 24/65",),
    ),
]  # fmt: skip

TABLE_1, TABLE_2 = "Section 4.1, Table 1", "Section 5.1, Table 2"
NORMAL, PROOF = "Section 5.1, Proposition 5.1", "Section 5.1, proof of Proposition 5.1"
SERIES = "Section 6, Figure 3"
SPLIT_MERGE = [
    Expected(
        "Section 3.2",
        "A is the best matching",
        "partly",
        2,
        ("equally many clusters: 7 cases, 0 against", "truth 12, guess 1|2", "at most 1: true"),
    ),
    Expected("Section 3.2", "the lower bound of A", "true"),
    Expected(
        "Section 3.3",
        "K, 1 - VI",
        "partly",
        5,
        ("truth 12345, guess 1|2|3|4|5: wanted = 0, K = -0.160964",),
    ),
    Expected(
        "Section 3.3",
        "base of the logarithm",
        "partly",
        2,
        (*(f"{name}: {against(233)}" for name in ("NMI", "V", "K", "S_H", "S'")),
         "truth 1|2, guess 1|2: I in nats = 0.693147, I in bits = 1"),
    ),
    Expected("Sections 4.1 to 4.3, Propositions 4.1 to 4.3", "join", "true", 0, (against(234),)),
    *(Expected(TABLE_1, f"{name} is the sum", "true", 0, (against(983),)) for name in "RIV"),
    *(
        Expected(TABLE_1, f"{name} is the mean", "true", 0, (against(738),))
        for name in ("N", "A", "K", "S_H", "S'")
    ),
    Expected("Section 4.2, Property 4.2", "by entropy", "true"),
    Expected("Section 4.2, Property 4.3", "by entropy", "true", 0, (against(81),)),
    Expected("Section 4.4", "is N", "true", 0, (against(234),)),
    Expected(
        "Section 4.4",
        "is K",
        "false",
        2,
        ("truth 12, guess 1|2: S' = 3/4, K = 1/2", f"{against(234, 216)}", "with log k: true"),
    ),
    Expected(
        "Section 4.5, Property 4.3",
        "mean squared error",
        "false",
        3,
        (
            "features 0, 1, 2, parts 13|2: 1",
            "features 0, 0, 1, parts 12|3: 0",
            "features 0, 0, parts 1|2: 1",
            "general position: true",
        ),
    ),
    *(
        Expected(TABLE_2, f"{name} attains", "true", 0, (against(983),))
        for name in ("R", "A", "I", "NMI", "V", "S_H")
    ),
    Expected(
        TABLE_2,
        "the least N is",
        "false",
        3,
        ("N = 2/3, (⌊√n⌋ + ⌈√n⌉)/2n = 1/2; so for n = 3, 7, 8", "⌈2√n⌉/2n: true"),
    ),
    Expected(TABLE_2, "N is least only", "true"),
    Expected(TABLE_2, "K is 0 just if", "true"),
    *(
        Expected(NORMAL, f"{name} is not", "true", objects, (against(29, count), missing))
        for name, objects, count, missing in [
            ("R", 3, 18, "truth 12|3, guess 13|2: worst guess 1/3"),
            ("N", 2, 28, "truth 12, guess 1|2: worst guess 3/4"),
            ("A", 2, 28, "truth 12, guess 1|2: worst guess 1/2"),
            ("I", 1, 29, "truth 1, guess 1: score 0"),
            ("NMI", 3, 4, "truth 123, guess 1|2|3: worst guess 0"),
            ("V", 3, 15, "truth 12|3, guess 13|2: worst guess 0.15876"),
        ]
    ),
    Expected(NORMAL, "S_H is", "true", 0, (against(29),)),
    Expected(
        NORMAL, "S', of which", "false", 2, ("truth 12, guess 1|2: worst guess 1/2",)
    ),
    Expected(PROOF, "V is 0 for no guess", "true", 0, ("the least V is 0.15876",)),
    Expected(PROOF, "R is 0 only", "true"),
    Expected(
        PROOF,
        "NMI(⊤, C)",
        "false",
        2,
        ("truth 12, guess 12: NMI = 0/0, counted as 1", "C ≠ ⊤: true"),
    ),
    Expected(
        PROOF,
        "S*(L, ⊥)",
        "false",
        2,
        (against(23, 10), "truth 12, guess 1|2: S_H = 0", "alone in L: true"),
    ),
    Expected(
        "Section 5.2, Proposition 5.2",
        "join-weighted",
        "true",
        0,
        (
            *(f"{name}: {against(738)}" for name in ("N", "A", "K", "S_H")),
            "R: 738 cases, 715 against",
            "S' too: true",
        ),
    ),
    Expected(
        "Section 5.2, Proposition 5.2",
        "subcomponent-consistent",
        "true",
        0,
        (
            f"A: {against(52)}",
            f"S_H: {against(52)}",
            "score 3/4, expected 1/2",
            "score 1/2, expected 0",
        ),
    ),
    Expected(SERIES, "S_H falls", "true", 0, (counts(95), against(95))),
    Expected(SERIES, "R falls", "true", 0, (counts(95),)),
    Expected(SERIES, "NMI falls", "ties", 3, (counts(95, 7, 0), "truth 123")),
    Expected(SERIES, "V falls", "true", 0, (counts(95),)),
    Expected(SERIES, "A does not", "true", 3, ("truth 12|3", "2/3 and 2/3")),
    Expected(SERIES, "N does not", "true", 4, (counts(95, 44, 0), "truth 1234", "3/4 and 3/4")),
]  # fmt: skip

PAPERS = {
    "elm": (elm_claims.CLAIMS, ELM),
    "cice": (cice_claims.CLAIMS, CICE),
    "split-merge": (split_merge_claims.CLAIMS, SPLIT_MERGE),
}
ROWS = [
    pytest.param(paper, at, id=f"{paper}-{row.where}-{row.says}")
    for paper, (_, rows) in PAPERS.items()
    for at, row in enumerate(rows)
]


@cache
def found(paper: str, at: int) -> Finding:
    return PAPERS[paper][0][at].check()


def fits(claim: Claim, row: Expected) -> bool:
    ends = row.says.startswith(":") or " F1" in row.says
    says = claim.says.endswith(row.says) if ends else row.says in claim.says
    return claim.where == row.where and says


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_has_a_row_and_they_are_in_the_order_of_the_paper(paper: str) -> None:
    claims, rows = PAPERS[paper]
    assert len(claims) == len(rows)
    for claim, row in zip(claims, rows, strict=True):
        assert fits(claim, row), (claim.where, claim.says, row)
    sections = [
        [int(part) for part in re.findall(r"\d+", claim.where.partition(",")[0].split(" to ")[0])]
        for claim in claims
    ]
    assert sections == sorted(sections)


@pytest.mark.parametrize(("paper", "at"), ROWS)
def test_a_claim_has_its_verdict_and_its_smallest_counterexample(paper: str, at: int) -> None:
    row, what = PAPERS[paper][1][at], found(paper, at)
    assert (what.verdict, what.objects) == (row.verdict, row.objects), what
    for value in row.values:
        assert value in what.evidence
    assert what.scope


@pytest.mark.parametrize(("paper", "at"), ROWS)
def test_something_is_said_instead_only_of_what_is_not_true(paper: str, at: int) -> None:
    claim = PAPERS[paper][0][at]
    assert not claim.instead or found(paper, at).verdict != "true"
    assert "\n" not in claim.says


# Counterexamples by oracles

Score = Callable[[Any, Any], Fraction]
ORACLES: Mapping[str, Score] = {
    "ELM F1": bcubed.elm_f,
    "ELM F1 of the means": lambda truth, guess: bcubed.elm_f(truth, guess, f="means"),
    "BCubed F1": bcubed.bcubed_f,
    "BCubed F1 of the means": lambda truth, guess: bcubed.bcubed_f(truth, guess, f="means"),
    "Extended": overlapping.extended_bcubed_f,
    "CICE": overlapping.cice_f,
}
WORSE = re.compile(r"truth (\S+), (?:worse|D2) (\S+), (?:better|D1) (\S+): (\S+) and (\S+)")


def labels(drawn: str) -> dict[Any, Any]:
    return {x: k for k, group in enumerate(clusters_in(drawn)) for x in group}


def memberships(drawn: str) -> dict[Any, Any]:
    made: dict[Any, list[int]] = {}
    for k, group in enumerate(clusters_in(drawn)):
        for x in group:
            made.setdefault(x, []).append(k)
    return made


def named(text: str) -> str | None:
    """The measure whose scores a text is about."""
    return next((name for name in ORACLES if re.search(f"{name}( F)?:", text)), None)


def told_of_orders() -> list[tuple[str, str]]:
    """The name of the measure, and the line of evidence, wherever a case is told."""
    lines = []
    for paper in ("elm", "cice"):
        for at, claim in enumerate(PAPERS[paper][0]):
            for line in found(paper, at).evidence.splitlines():
                if WORSE.search(line):
                    name = named(line) or named(f"{claim.says}:")
                    assert name is not None
                    lines.append((name, line))
    return lines


@pytest.mark.slow
def test_scores_of_the_cases_that_are_told_are_those_of_the_oracles() -> None:
    lines = told_of_orders()
    assert len(lines) > 25
    for name, line in lines:
        match = WORSE.search(line)
        assert match is not None
        *drawn, worse, better = match.groups()
        made = memberships if name in ("Extended", "CICE") else labels
        truth, *guesses = map(made, drawn)
        exact = [ORACLES[name](truth, guess) for guess in guesses]
        if "." in worse:
            rounded = [float(worse), float(better)]
            assert [float(value) for value in exact] == pytest.approx(rounded, rel=0, abs=1e-6)
        else:
            assert exact == [Fraction(worse), Fraction(better)], (name, line)


def test_the_shared_rag_bag_of_cice_that_was_known_before_is_against_it_too() -> None:
    gold, d1, d2 = map(memberships, ("12345|6|7", "126|34|57", "34|12|567"))
    scores = [overlapping.cice_f(gold, d) for d in (d1, d2)]
    assert scores == [Fraction(38911, 161070), Fraction(6032, 26145)]


# Searches can fail


def test_a_search_tells_the_first_case_and_counts_all() -> None:
    rand, vi = scored("R", lookup("rand")), scored("V", lookup("vi_similarity"))
    none = throughout(pairs(2), equal(rand, vi))
    assert none == Finding("true", "all pairs of partitions of up to 2 objects", against(5))
    some = throughout(pairs(3), equal(rand, vi))
    assert (some.verdict, some.objects) == ("false", 3)
    assert "truth 123, guess 12|3: R = 1/3, V = 0.42062" in some.evidence
    a, n = scored("A", lookup("accuracy")), scored("N", lookup("van_dongen"))
    assert throughout(pairs(4), at_most(a, n)).verdict == "true"
    assert throughout(pairs(4), at_most(n, a)).verdict == "false"


def test_partly_is_what_holds_just_under_the_condition() -> None:
    cases = Stage("one cluster", lambda: [Contingency(((k,),)) for k in (1, 2, 3, 4)])

    def tried(condition: Callable[[int], bool], below: int) -> Finding:
        def wrong(table: Contingency) -> str:
            return "" if table.objects < below else "large"

        return provided(cases, lambda table: condition(table.objects), "small", wrong)

    assert tried(lambda k: k < 3, 3).verdict == "partly"
    assert tried(lambda k: k < 3, 3).objects == 3
    assert tried(lambda k: k < 3, 5).verdict == "true"
    assert tried(lambda k: k < 4, 3).verdict == "false"


def test_parts_together_are_as_true_as_the_worst_of_them() -> None:
    true, ties, false = (
        Finding("true", "a"),
        Finding("ties", "a", "", 4),
        Finding("false", "b", "x", 6),
    )
    assert all_of({"one": true, "two": true}).verdict == "true"
    assert all_of({"one": true, "two": ties}).verdict == "ties"
    worst = all_of({"one": ties, "two": false})
    assert worst == Finding("false", "a; b", "one: \ntwo: x", 4)
    assert of_each({"one": true, "two": false}).verdict == "partly"
    assert of_each({"one": false, "two": false}).verdict == "false"
    assert of_each({"one": true, "two": true}).verdict == "true"
    assert repaired(false, "instead", true).verdict == "false"


@pytest.mark.parametrize(
    ("measure", "condition", "verdict"),
    [("bcubed_f", "completeness", "true"), ("rand", "join_decomposition", "false")],
)
def test_that_a_condition_fails_is_true_just_if_it_does(
    measure: str, condition: str, verdict: str
) -> None:
    opposite = {"true": "false", "false": "true"}
    how: dict[str, int] = {"objects": 5, "larger": 0}
    assert holds(lookup(measure), condition, **how).verdict == verdict
    assert fails(lookup(measure), condition, **how).verdict == opposite[verdict]


def test_the_weights_of_table_1_matter() -> None:
    of_objects, of_pairs = split_merge_claims.of_objects, split_merge_claims.of_pairs
    rest = split_merge_claims.rest
    assert split_merge_claims.decomposes("R", of_objects, rest(of_objects)).verdict == "false"
    assert split_merge_claims.decomposes("V", of_pairs, rest(of_pairs)).verdict == "false"


def test_a_bound_has_to_be_right_attained_and_just_under_its_condition() -> None:
    lowest, rand = split_merge_claims.lowest, scored("R", lookup("rand"))
    extremes = split_merge_claims.top_and_bottom

    def at(bound: Fraction, condition: Callable[[Contingency], bool]) -> Finding:
        return lowest(rand, lambda n: bound, condition, pairs(4, 2))

    assert at(Fraction(0), extremes).verdict == "true"
    assert "is below 1/2" in at(Fraction(1, 2), extremes).evidence
    assert "not met" in at(Fraction(0), lambda table: False).evidence
    assert "not attained for n = [2, 3, 4]" in at(Fraction(-1), lambda table: False).evidence


def test_extended_bcubed_is_not_the_mean_of_own_f() -> None:
    own = scored("BCubed F", lookup("bcubed_f"))
    extended = cice_claims.score("Extended F", lookup("extended_bcubed_f"))
    cases = Stage("partitions", lambda: cice_claims.of_partitions(4))
    assert throughout(cases, equal(extended, own)).objects == 3


def test_smaller_splits_do_not_lower_cice_precision() -> None:
    assert list(cice_claims.falling_splits(86)) == [(1, 5, 3, 81)]


def test_a_figure_is_lost_if_both_guesses_change_places() -> None:
    figure = elm_claims.rag_bag(3, 2)
    measures = {"ELM F1": lookup("elm_f")}
    assert elm_claims.wins(Stage("", lambda: [figure]), measures).verdict == "true"
    lost = elm_claims.wins(Stage("", lambda: [(figure[1], figure[0])]), measures)
    assert "truth 123|4|5|6, D1 1236|45, D2 123|456" in lost.evidence
