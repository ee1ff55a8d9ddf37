"""Every verb on every kind under every policy has the number of `compare`, or refuses in words."""

from __future__ import annotations

from html import unescape
from itertools import product
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError, KindError
from clusterdiff.explain.explain import explained
from clusterdiff.io import EngineSessions, align_together
from clusterdiff.io.sides import sides_of
from inputs.test_together import NOISE, RULES, SAMPLE, as_cover, drawn

Rule = dict[str, Any]
KINDS = ["partition", "cover", "rough", "fuzzy"]
EVERY: list[Rule] = [{}, {"noise": NOISE}, *RULES]
PAGES: list[Rule] = [RULES[0], {"noise": NOISE, "noise_as": "drop", "align": "singletons"}]
"""Rules under which the page is made, too."""
BY = {
    "partition": "elm_f",
    "cover": "cice_f",
    "rough": "partition_distance_alpha(over='n')",
    "fuzzy": "partition_distance_alpha(over='n')",
}
REFUSED = (
    "explained one sample at a time", "objects on one side only", "is a label of a partition",
    "only in truth", "after the noise is dropped", "on objects that both sides have",
)  # fmt: skip


def rough(side: dict[Any, Any]) -> cd.Rough:
    return cd.Rough({x: {c, "c2"} if x % 4 == 0 else {c} for x, c in side.items() if c != NOISE})


def fuzzy(side: dict[Any, Any]) -> cd.Fuzzy:
    return cd.Fuzzy({x: {"c9": 0.25, c: 0.75} for x, c in side.items() if c != NOISE})


def sides(kind: str, rule: Rule) -> tuple[Any, dict[str, Any]]:
    """Truth and three guesses of a kind; with the same objects where the rule asks for that."""
    truth, guesses = drawn(11, rule, 2)
    if "align" not in rule:
        guesses = {n: {x: g.get(x, "c9") for x in truth} for n, g in guesses.items()}
    if kind == "cover":
        return cd.Cover(as_cover(truth)), {n: cd.Cover(as_cover(g)) for n, g in guesses.items()}
    make: Any = {"partition": dict, "rough": rough, "fuzzy": fuzzy}[kind]
    return truth, {name: make(guess) for name, guess in guesses.items()}


def number(score: Any) -> Any:
    """What an explanation is of: over samples, the score of all together."""
    return score.value if score.micro is None else score.micro


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize(("kind", "rule"), list(product(KINDS, EVERY)), ids=str)
def test_every_verb_has_the_number_of_compare(kind: str, rule: Rule, sampled: bool) -> None:
    truth, guesses = sides(kind, rule)
    of = {x: f"s{x // SAMPLE}" for x in range(2 * SAMPLE)} if sampled else None
    options, by = {**rule, "samples": of}, BY[kind]
    with EngineSessions() as sessions:
        left, right = sides_of(sessions, truth, guesses, None, of)
        policy = Policy(
            rule.get("align", "exact"), rule.get("noise"), rule.get("noise_as", "singletons")
        )
        try:
            wanted = cd.compare(truth, guesses, by, **options)[by]
            aligned = align_together(sessions, left, right, policy)
            found = {name: explained(aligned, name, by).score for name in guesses}
        except ClusterdiffError as error:
            said = str(error)
            if kind == "partition" or not any(words in said for words in REFUSED):
                raise
            return
    for name, guess in guesses.items():
        assert found[name].value == number(wanted[name])
        assert found[name].signature["meet"] == wanted[name].signature["meet"]
        assert found[name].signature.get("among") == wanted[name].signature.get("among")
        alone = cd.explain(truth, guess, by, **options).score
        assert alone.value == number(cd.compare(truth, guess, by, **options)[by])
    if rule in PAGES and not sampled:
        html = unescape(cd.page(truth, guesses, by, by, **options).html)
        assert all(score.sign() in html for score in wanted.values())


@pytest.mark.parametrize(
    ("kind", "sampled"), [("partition", False), ("partition", True), ("cover", False)]
)
@pytest.mark.parametrize("rule", EVERY, ids=str)
def test_a_diff_has_the_scores_of_compare(rule: Rule, kind: str, sampled: bool) -> None:
    (truth, guesses), by = sides(kind, rule), BY[kind]
    of = {x: f"s{x // SAMPLE}" for x in range(2 * SAMPLE)} if sampled else None
    runs = {"old": guesses["one"], "new": guesses["two"]}
    wanted = cd.compare(truth, runs, by, **rule, samples=of)[by]
    change = cd.diff(truth, runs["old"], runs["new"], by, by, **rule, samples=of)
    assert {run: s.sign() for run, s in change.report[by].items()} == {
        run: s.sign() for run, s in wanted.items()
    }
    assert change.change[by] == wanted["new"].value - wanted["old"].value
    parts = change.changed(True, None) + change.changed(False, None)
    gained = sum(part.change for part in parts) + change.extra_gain
    assert gained == pytest.approx(number(wanted["new"]) - number(wanted["old"]), abs=1e-12)
    assert ("Objects that truth lacks" in change.to_text(80)) == (abs(change.extra_gain) > 1e-12)
    for other in ("rough", "fuzzy"):
        with pytest.raises(KindError, match="a diff compares partitions and covers"):
            cd.diff(truth, runs["old"], sides(other, rule)[1]["one"], **rule)
