"""The laboratory of measures: conditions that can be run, on any measure."""

from __future__ import annotations

from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff.measures import Measure
from clusterdiff_lab.axioms.condition import Axiom
from clusterdiff_lab.axioms.conditions import all_conditions
from clusterdiff_lab.axioms.conditions.decomposition import subcomponent_consistency
from clusterdiff_lab.axioms.search import Search, aligned
from clusterdiff_lab.axioms.series import Worsening, worsen
from clusterdiff_lab.axioms.subject import (
    Counterexample,
    Fails,
    Function,
    Holds,
    Subject,
    Ties,
    Unfit,
    Verdict,
    subject,
)


def axioms() -> list[Axiom]:
    """All conditions, group by group."""
    return list(all_conditions())


def axiom(given: str | Axiom) -> Axiom:
    """The condition of this name."""
    if isinstance(given, Axiom):
        return given
    named = {one.name: one for one in all_conditions()}
    if str(given) not in named:
        raise ClusterdiffError(
            f"no condition is called {given}.",
            f"{did_you_mean(str(given), list(named))}`clusterdiff axioms --list` lists all.",
        )
    return named[str(given)]


def check(
    measure: str | Measure | Function | Subject,
    condition: str | Axiom,
    *,
    objects: int | None = None,
    larger: int = 300,
    climb: int = 1000,
    seed: int = 0,
    seconds: float | None = None,
) -> Verdict:
    """Hold a measure, or any function of two lists of labels, against a condition.

    The search tries all comparisons of up to `objects` objects, then `larger` ones at random, then
    takes `climb` steps from these to neighbours that come nearer to failing. A case against the
    condition is made as small as possible. `seconds` ends the search early.

    >>> check("elm_f", "completeness").outcome
    'holds'
    >>> print(check("rand", "join_decomposition").counterexample.drawn)
    {'truth': '12|3', 'guess': '1|2|3'}
    """
    how = Search(objects, larger, climb, seed, seconds)
    return aligned(subject(measure), axiom(condition), how)


__all__ = [
    "Axiom",
    "Counterexample",
    "Fails",
    "Holds",
    "Search",
    "Ties",
    "Unfit",
    "Verdict",
    "Worsening",
    "axiom",
    "axioms",
    "check",
    "judged",
    "subcomponent_consistency",
    "subject",
    "worsen",
]
