"""Scores that fall as a clustering gets worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from clusterdiff_lab.axioms.condition import Axiom, Order, Scored, Space, Values
from clusterdiff_lab.axioms.conditions.decomposition import CUT
from clusterdiff_lab.axioms.engine import FAILS, HOLDS, TIES
from clusterdiff_lab.axioms.series import worsen
from clusterdiff_lab.axioms.subject import Counterexample, Subject
from clusterdiff_lab.axioms.tables import Contingency, groups_of_labels, itself, table_of, truths


def _less_cut(worse: Contingency) -> Iterator[Contingency]:
    """Two parts of the cluster joined, or made less alike in size."""
    way_round = len(worse.columns) == 1 and len(worse.classes) > 1
    parts = sorted(worse.classes if way_round else map(sum, worse.columns))
    less_cut = set()
    for i, small in enumerate(parts):
        for j, large in enumerate(parts[i + 1 :], i + 1):
            rest = parts[:i] + parts[i + 1 : j] + parts[j + 1 :]
            less_cut.add(tuple(sorted([*rest, small + large])))
            if small > 1:
                less_cut.add(tuple(sorted([*rest, small - 1, large + 1])))
    for better in sorted(less_cut):
        table = Contingency(tuple((n,) for n in better))
        yield table.transposed if way_round else table


@dataclass(frozen=True, kw_only=True)
class LessCut(Order):
    """One cluster and its parts, on either side; where truth is in parts, truth varies."""

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """With a truth for each, where the guess is the one cluster."""
        worse, better = scored
        assert isinstance(worse, Contingency)
        assert isinstance(better, Contingency)
        if len(worse.columns) > 1:
            return super().counterexample(subject, scored, values)
        parts, whole = worse.groups
        fewer = worse.transposed.guess_of(better.transposed)
        groups = {"guess": whole, "worse truth": parts, "better truth": fewer}
        named = {"worse": values[0], "better": values[1]}
        lines = ("worse truth", "guess"), ("better truth", "guess")
        return self.example(subject, worse, groups, named, *lines)


@dataclass(frozen=True, kw_only=True)
class FallingSeries(Axiom):
    """Section 6 of the split-merge paper: each step of the series scores less."""

    strict = True

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """The truth and all that becomes of it."""
        truth = start.labels[0]
        series = worsen(list(truth))
        yield tuple(table_of(truth, tuple(step.tolist())) for step in series.codes)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether each score is worse than the one before."""
        steps = [subject.better(after, before) for before, after in pairwise(values)]
        return FAILS if FAILS in steps else TIES if TIES in steps else HOLDS

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The first step that does not score less."""
        steps = [subject.better(after, before) for before, after in pairwise(values)]
        at = steps.index(min(steps))
        first = scored[0]
        assert isinstance(first, Contingency)
        codes = worsen(list(first.labels[0])).codes
        parts = {"truth": first.groups[0]} | {
            part: groups_of_labels(tuple(codes[step].tolist()))
            for part, step in (("before", at), ("after", at + 1))
        }
        named = {"before": values[at], "after": values[at + 1]}
        return self.example(subject, first, parts, named, ("truth", "before", "after"))


_TRUTHS = partial(truths, guess=itself, least=2)
CONDITIONS = (
    LessCut(
        "monotone_decrease",
        "one cluster scores less the more parts it has, and the more alike they are",
        cite="xiang2012",
        group="split-merge",
        improved=_less_cut,
        space=CUT,
    ),
    FallingSeries(
        "falling_series",
        "as clusters are split, and then merged, each step scores less than the last",
        cite="xiang2012",
        group="split-merge",
        wanted="after scores worse than before",
        space=Space("partition", "every truth of 2 to {} objects with its series", _TRUTHS, 9),
    ),
)
