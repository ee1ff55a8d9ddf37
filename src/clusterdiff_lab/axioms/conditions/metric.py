"""Whether one less a similarity, or a distance, is a metric of partitions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import inf

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import Partition
from clusterdiff.testing.claims import Labels, partitions
from clusterdiff_lab.axioms.condition import FEW, Axiom, Equal, Scored, Space, Values, the_other
from clusterdiff_lab.axioms.distances import CLOSE, Metric, detours, exact
from clusterdiff_lab.axioms.engine import FAILS, HOLDS
from clusterdiff_lab.axioms.subject import Counterexample, Fails, Holds, Number, Subject, Verdict
from clusterdiff_lab.axioms.tables import (
    Contingency,
    PairOfThree,
    Triple,
    changed_triple,
    draw,
    groups_of_labels,
    random_triple,
    table_of,
)


def _transposed(table: Contingency) -> Iterator[Scored]:
    yield table, table.transposed


@cache
def _numbered(n: int) -> tuple[tuple[Contingency, ...], Ints]:
    """Tables of n objects that differ, and which of them each pair of partitions has."""
    numbers: dict[object, int] = {}
    kept = []
    of = np.empty((len(partitions(n)),) * 2, np.int64)
    for (i, a), (j, b) in product(enumerate(partitions(n)), repeat=2):
        table = table_of(a, b)
        if table.key not in numbers:
            numbers[table.key] = len(numbers)
            kept.append(table)
        of[i, j] = numbers[table.key]
    return tuple(kept), of


def distances(subject: Subject, n: int) -> Floats:
    """The distance of each two partitions of n objects."""
    kept, of = _numbered(n)
    values = [float(_distance(subject, subject.score(table))) for table in kept]
    return np.asarray(values)[of]


def _distance(subject: Subject, value: Number) -> Number:
    return value if subject.is_distance else 1 - value


@dataclass(frozen=True, kw_only=True)
class Triangle(Axiom):
    """No way round by a third partition is shorter; if one is, by how much."""

    def cases(self, start: Triple) -> Iterator[Scored]:
        """Each of the three as the one in between, if it is none of the ends."""
        for a, b, c in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
            ways = start.way(a, c), start.way(a, b), start.way(b, c)
            if not any(way.is_identical for way in ways):
                yield ways

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """The way round is not shorter."""
        straight, *around = (_distance(subject, value) for value in values)
        return FAILS if float(straight) > float(sum(around)) + CLOSE else HOLDS

    def room(self, subject: Subject, scored: Scored, values: Values) -> float:
        """By how much the way round is longer, as a share of the straight one."""
        straight, *around = (float(_distance(subject, value)) for value in values)
        return sum(around) / straight - 1 if straight > CLOSE else inf

    def at_once(self, subject: Subject, most: int, seconds: float | None) -> Verdict:
        """All triples, the smallest first; the constant is the largest of all."""
        self_distance = symmetry = separation = first = None
        tried, against, largest = 0, 0, 1.0
        end, late = None if seconds is None else time.monotonic() + seconds, ""
        for n in range(1, most + 1):
            if end is not None and time.monotonic() > end:
                late = f"; stopped after {seconds:g} s"
                most = n - 1
                break
            d = distances(subject, n)
            worst, at, shorter = detours(d)
            against += shorter
            tried += len(d) ** 3
            largest = max(largest, worst)
            apart = ~np.eye(len(d), dtype=np.bool_)
            self_distance = self_distance or _any(np.abs(d) > CLOSE, ~apart)
            symmetry = symmetry or _any(np.abs(d - d.T) > CLOSE, apart)
            separation = separation or _any(np.abs(d) <= CLOSE, apart)
            if worst > 1 + CLOSE:
                first = first or (n, *at)
        note = Metric(self_distance, symmetry, separation, first, exact(largest)).note
        note += f" on up to {most} objects"
        scope = f"all triples of partitions of up to {most} objects ({tried:,} cases){late}"
        if first is None:
            return Holds(subject.name, self.name, tried, scope, note)
        example = self._counterexample(subject, *(partitions(first[0])[k] for k in first[1:]))
        return Fails(
            subject.name, self.name, tried, scope, note, counterexample=example, reversals=against
        )

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The three partitions."""
        straight, first, _ = scored
        assert isinstance(straight, PairOfThree)
        assert isinstance(first, PairOfThree)
        (a, c), (_, b) = straight.sides_of_three, first.sides_of_three
        return self._counterexample(subject, a, b, c)

    def _counterexample(self, subject: Subject, a: Labels, b: Labels, c: Labels) -> Counterexample:
        parts = {"a": a, "b": b, "c": c}
        shown = {part: draw(groups_of_labels(own)) for part, own in parts.items()}
        ways = {"d(a,c)": (a, c), "d(a,b)": (a, b), "d(b,c)": (b, c)}
        values = {way: self._value(subject, *pair) for way, pair in ways.items()}
        command = subject.command
        return Counterexample(
            {part: Partition(dict(enumerate(own, 1))) for part, own in parts.items()},
            shown,
            values,
            f"{'' if subject.is_distance else 'd = 1 - score: '}d(a,c) at most d(a,b) + d(b,c)",
            (
                command(shown["a"], [shown["b"], shown["c"]], False),
                command(shown["b"], [shown["c"]], False),
            ),
        )  # fmt: skip

    def _value(self, subject: Subject, one: Labels, other: Labels) -> Number:
        return _distance(subject, subject.exact_score(table_of(one, other)))


def _any(cases: Bools, among: Bools) -> tuple[int, ...] | None:
    """Where the first of the cases is that are found."""
    at = np.argwhere(cases & among)
    return tuple(at[0].tolist()) if len(at) else None


CONDITIONS = (
    Equal(
        "symmetry",
        "truth and guess exchanged score the same",
        cite="meila2007",
        group="metric",
        others=_transposed,
        expected=the_other,
        wanted="the same score with truth and guess exchanged",
        space=FEW,
    ),
    Triangle(
        "triangle",
        "as a distance, no way round by a third partition is shorter",
        needs_best=True,
        cite="meila2007",
        group="metric",
        space=Space(
            FEW.kind,
            "all triples of partitions of up to {} objects",
            FEW.small,
            6,
            random_triple,
            7,
            changed_triple,
        ),
    ),
)
