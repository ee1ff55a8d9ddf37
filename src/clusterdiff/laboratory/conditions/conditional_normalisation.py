"""Normalisation given the truth: each truth has its best guess, worst guesses, and some between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from clusterdiff.laboratory.condition import Axiom, Scored, Space, Values
from clusterdiff.laboratory.conditions.decomposition import CUT
from clusterdiff.laboratory.search.engine import FAILS, HOLDS
from clusterdiff.laboratory.spaces.contingency import Contingency, guesses
from clusterdiff.laboratory.spaces.partitions import itself, truths
from clusterdiff.laboratory.subject import Subject, compared
from clusterdiff.laboratory.verdict import Counterexample


@dataclass(frozen=True, kw_only=True)
class ConditionalNormalisation(Axiom):
    """Property 5.1: given the truth, only truth gets 1, some guess 0, all others in between."""

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """The truth, and then every guess for it."""
        others = (Contingency(columns) for columns in guesses(start.classes))
        yield (start, *(other for other in others if not other.is_identical))

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether nothing is missing."""
        return FAILS if self._missing(subject, scored, values) else HOLDS

    def _missing(self, subject: Subject, scored: Scored, values: Values) -> str:
        found = [subject.as_similarity(value) for value in values]
        own, others, n = found[0], found[1:], scored[0].objects
        if compared(own, 1):
            return "truth itself does not get 1"
        if any(compared(v, 1) != 1 for v in others):
            return "a guess that is not the truth gets 1 or more"
        if any(compared(0, v) == -1 for v in others):
            return "a guess gets less than 0"
        if n > 1 and all(compared(0, v) for v in others):
            return "no guess gets 0"
        if n > 2 and not any(compared(0, v) for v in others):
            return "no guess is between 0 and 1"
        return ""

    def told(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The truth, and the guess that shows it best."""
        missing = self._missing(subject, scored, values)
        found = [subject.as_similarity(value) for value in values]
        if missing.startswith("truth"):
            at = 0
        elif missing.startswith("a guess that"):
            at = found.index(max(found[1:]), 1)
        else:
            at = found.index(min(found[1:]), 1)
        what = "score" if at == 0 else "best guess" if "gets 1" in missing else "worst guess"
        wanted = "only the truth gets 1, some guess 0, others between; " + missing
        told = super().told(subject, (scored[at],), (values[at],))
        return replace(told, values={what: values[at]}, wanted=wanted)


@dataclass(frozen=True, kw_only=True)
class SubcomponentNormalisation(Axiom):
    """Property 4.3, for what the measure gives to one cluster and its parts."""

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """One cluster against its parts."""
        yield (start,)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """1 if it is whole, 0 if all parts are single, between otherwise."""
        table, value = scored[0], subject.as_similarity(values[0])
        assert isinstance(table, Contingency)
        if table.is_identical:
            return FAILS if compared(value, 1) else HOLDS
        if all(max(column) == 1 for column in table.columns):
            return FAILS if compared(value, 0) else HOLDS
        return HOLDS if compared(0, value) == compared(value, 1) == 1 else FAILS


_TRUTHS = partial(truths, guess=itself)
CONDITIONS = (
    ConditionalNormalisation(
        "conditional_normalisation",
        "given the truth, only truth gets 1, some guess 0, and all others between",
        cite="xiang2012",
        group="split-merge",
        space=Space("partition", "every truth of up to {} objects with every guess", _TRUTHS, 6),
    ),
    SubcomponentNormalisation(
        "subcomponent_normalisation",
        "one cluster gets 1 if whole, 0 if all its parts are single, else between",
        cite="xiang2012",
        group="split-merge",
        wanted="1 if whole, 0 if all parts are single, else between",
        space=CUT,
    ),
)
