"""What becomes of each claim of the paper on soft clusterings."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from clusterdiff_lab.papers import PAPERS
from clusterdiff_lab.papers.paper import Claim, Finding

CLAIMS = PAPERS["soft"].claims


class Expected(NamedTuple):
    """A claim, by where it is and how it begins, and what is to be found."""

    where: str
    begins: str
    verdict: str
    objects: int = 0
    values: tuple[str, ...] = ()
    """What the evidence says."""


TABLE = [
    Expected("Section 2.2", "of a fuzzy", "true"),
    Expected("Section 2.3.1", "one less the Rand", "true", 0, ("one cluster to single objects",)),
    Expected("Section 2.3.1", "the Jaccard", "true"),
    Expected("Section 2.3.1", "the index of Fowlkes", "false", 3, ("d = 1 > 0.42265 + 0.42265",)),
    Expected("Section 2.3.1", "Rand indices of", "true", 2, ("1/2; of F: 7/11", "of F: 13/18")),
    Expected("Section 2.3.1", "Hüllermeier's", "true", 0, ("pseudo-metric",)),
    Expected("Section 2.3.1", "the Rand index by", "false", 2, ("13/18",)),
    Expected("Section 2.3.2", "the partition", "true", 0, ("one cluster to single objects",)),
    Expected("Section 3.1", "the rough", "false", 2, ("3/4 by masses", "1/2 by cuts")),
    *(
        Expected("Proposition 3.1", name, "true", 0, ("1 {12}  and  {12} {12}",))
        for name in ("one less the Rand", "the partition")
    ),
    *(
        Expected("Theorem 3.1", f"{name}*α = {alpha}", "false", 3, (values, f"ratio {ratio}, "))
        for name, alpha, values, ratio in [
            ("one less the Rand", "1/2", "d = 1/2 > 1/6 + 1/6", "3/2"),
            ("one less the Rand", "3/4", "d = 7/12 > 1/4 + 1/4", "7/6"),
            ("one less the Rand", "9/10", "d = 19/30 > 3/10 + 3/10", "19/18"),
            ("the partition", "1/2", "d = 3/4 > 1/4 + 1/4", "3/2"),
            ("the partition", "3/4", "d = 7/8 > 3/8 + 3/8", "7/6"),
            ("the partition", "9/10", "d = 19/20 > 9/20 + 9/20", "19/18"),
        ]
    ),
    Expected("Theorem 3.1", "of rough", "false", 3, ("worst ratio 5/2",)),
    Expected("Proposition 3.2", "both ends", "partly", 0, ("assignment in 40", "set in 40")),
    *(
        Expected(
            "Theorem 3.2", f"the partition distance, of evid*α = {alpha}", "false", 3, (values,)
        )
        for alpha, values in [
            ("1/2", "3/4 > 1/4 + 1/4"),
            ("99/100", "199/200 > 99/200 + 99/200"),
        ]
    ),
    Expected(
        "Theorem 3.2", "one less the Rand index, and the partition distance: at α = 1", "true"
    ),
    Expected(
        "Theorem 3.2",
        "the partition distance: clusterings at",
        "false",
        2,
        ("1 {12}  and  {12} {12}: d₁ = 0",),
    ),
    Expected("Corollary 3.1", "of fuzzy", "true"),
    Expected("Theorem 3.3", "against", "true"),
    Expected("Proposition 4.1", "the chance that the sampled far", "false", 3, ("3/32", "1/16")),
    Expected("Proposition 4.1", "the chance that the sampled near", "false", 3, ("5/6 > 1/6",)),
    Expected("Section 4.1", "the sampled", "partly", 2, ("d₁ = 0", "chance 1/2")),
    Expected("Proposition 4.2", "Hoeffding's", "false", 2, ("chance 1/2 > 2/e² = 0.2707",)),
    Expected(
        "Proposition 4.2", "the same", "false", 12, ("in 1.00", "0.0366", "partition in 0.00")
    ),
    Expected("Section 4.2", "Rand_α falls", "true"),
    Expected("Example 4.2", "of R, F", "false", 5, ("F, α = 0; F, α = 1", "every partition")),
    Expected("Theorem 4.1", "of rough", "false", 3, ("Rand₁ = 2/3 > 1 - d₀ = 1/3",)),
    Expected("Theorem 4.1", "of fuzzy", "false", 3, ("Rand₁ = 2/3 > 1 - d₀ = 1/3",)),
    Expected("Theorem 4.1", "the transported", "true"),
    Expected("Theorem 4.1", "against", "true"),
    Expected("Theorem 4.2", "of fuzzy", "true"),
    Expected("Theorem 4.3", "of relations", "true", 0, ("α = 1/4: semi-metric, 2-relaxed",)),
    Expected("Remark after Corollary 4.1", "into two", "false", 3, ("Rand₁ = 1",)),
    Expected("Theorem 4.4", "closed forms", "true"),
    Expected(
        "Theorem 4.4", "the same", "partly", 2, ("α = 1/2: 1, by the formula 0", "same in all")
    ),
    Expected("Corollary 4.2", "Rand_α", "true"),
    Expected("Corollary 4.2", "the same", "false", 2, ("Rand(1/2) = 0 < Rand_B = 1/2",)),
    Expected("Theorem 4.5", "of evidential clusterings, δ₀", "false", 2, ("δ₀ = 1 > d₀ = 0",)),
    Expected("Theorem 4.5", "of rough", "true"),
    Expected(
        "Theorem 4.5",
        "of evidential clusterings, the",
        "false",
        2,
        (
            "1 [1/3 1 + 2/3 {234}]  and  1 [1/3 {23} + 1/3 {24} + 1/3 {34}]: d₀ = 1/3 > δ₁ = 1/6",
            "1 2 3 4 [1/3 1 + 2/3 {234}]",
            "d₀ = 1/12 > δ₁ = 1/24",
        ),
    ),
    Expected("Theorem 4.5", "against", "true", 0, ("δ₀ = 1/2 < d₀ = 1", "δ₀ = 1 > d₀ = 1/2")),
    Expected("Theorem 4.6", "δ_α has", "true", 0, ("α = 1/4: worst ratio 2",)),
    Expected(
        "Theorem 4.6",
        "clusterings at",
        "false",
        2,
        ("1 2 3 4 [1/2 {12} + 1/2 {34}]  and  1 2 3 4 [1/2 {13} + 1/2 {24}]: δ(1/2) = δ₁ = 0",),
    ),
    Expected("Section 4.3", "δ₁", "false", 2, ("δ₁ = 2", "δ₁ = 15/8")),
    Expected("Example 4.3", "δ is", "true", 0, ("P, α = 0",)),
    Expected("Proposition 4.5", "of fuzzy", "true", 0, ("d₁ is at most δ",)),
]


def fits(claim: Claim, row: Expected) -> bool:
    begins, _, ends = row.begins.partition("*")
    return claim.where == row.where and claim.says.startswith(begins) and claim.says.endswith(ends)


@cache
def found_for(number: int) -> Finding:
    return CLAIMS[number].check()


def test_every_claim_is_in_the_table_once() -> None:
    matches = [[n for n, claim in enumerate(CLAIMS) if fits(claim, row)] for row in TABLE]
    assert [len(found) for found in matches] == [1] * len(TABLE)
    assert sorted(n for found in matches for n in found) == list(range(len(CLAIMS)))


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.where}, {row.begins}")
def test_claims_get_their_verdicts(row: Expected) -> None:
    (number,) = [n for n, claim in enumerate(CLAIMS) if fits(claim, row)]
    found = found_for(number)
    assert (found.verdict, found.objects) == (row.verdict, row.objects)
    assert found.scope
    for value in row.values:
        assert value in found.evidence


@pytest.mark.slow
def test_what_is_true_instead_is_told_of_what_is_false() -> None:
    for number, claim in enumerate(CLAIMS):
        row = next(row for row in TABLE if fits(claim, row))
        assert claim.instead or row.verdict == "true", number
