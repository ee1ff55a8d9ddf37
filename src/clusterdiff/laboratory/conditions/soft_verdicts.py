"""Metric properties of measures of uncertain clusterings, tried on all of a small space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.inputs import meet
from clusterdiff.laboratory.search.distances import CLOSE, exact, first, metric
from clusterdiff.laboratory.spaces.soft import rough_sets
from clusterdiff.laboratory.spaces.soft_clusterings import Vague
from clusterdiff.laboratory.verdict import Counterexample, Fails, Holds, Unfit, Verdict
from clusterdiff.measures.core.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.measures import Measure
    from clusterdiff.meet import Meet

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

CONDITIONS = ("rough_symmetry", "rough_separation", "rough_triangle", "rough_bounds")


def levels(members: Sequence[Vague]) -> Ints:
    """How small each member is in objects, clusters, and parts of a mass: numbers from 0 on."""
    sizes = sorted({one.size for one in members})
    return np.array([sizes.index(one.size) for one in members], np.int64)


# Scores


@lru_cache(maxsize=1 << 14)
def compared(one: Vague, other: Vague) -> Meet:
    """Two clusterings as measures take them."""
    return meet(one.clustering, other.clustering)


def at_far_end(measure: Measure) -> Measure:
    """The measure with what is unknown counted as an error, if that was left open."""
    open_alpha = measure.arguments.get("alpha", 1) is None
    return measure.having(alpha=1) if open_alpha else measure


def score(measure: Measure, one: Vague, other: Vague) -> float:
    """What a measure gives two clusterings; of an interval the worse end."""
    found = measure.of(compared(one, other))
    if isinstance(found, Interval):
        return found.high if measure.is_distance else found.low
    return float(found)


def as_distance(measure: Measure) -> Callable[[Any], Any] | None:
    """How scores of a measure become distances, if they can."""
    if measure.is_distance:
        return lambda value: value
    claims = measure.claims
    best = claims.bounds[1] if claims.best is None else claims.best
    return None if isinf(best) else lambda value: best - value


def table(measure: Measure, members: tuple[Vague, ...]) -> Floats:
    """What a measure gives all pairs of a space."""
    return _table(measure, measure.function, members)


@lru_cache(maxsize=256)
def _table(measure: Measure, function: object, members: tuple[Vague, ...]) -> Floats:
    """The same; measures of one name may have different functions."""
    found = np.array([[score(measure, a, b) for b in members] for a in members])
    found.flags.writeable = False
    return found


@cache
def small_rough() -> tuple[tuple[Vague, ...], ...]:
    """Rough clusterings of two and of three objects, one for each set of partitions allowed."""
    return rough_sets(2, 2), rough_sets(3, 3)


def metric_kind(measure: Measure, members: tuple[Vague, ...] = ()) -> str:
    """What a measure is on a space; without one, on the sets of partitions of three objects that
    rough clusterings allow.

    >>> import clusterdiff as cd
    >>> metric_kind(cd.transport("rand", alpha=1)), metric_kind(cd.transport("rand", alpha=0))
    ('metric', 'consistency')
    >>> metric_kind(cd.transport("rand", alpha=0.5))
    'semi-metric, 3/2-relaxed'
    """
    judged = at_far_end(measure)
    turned = as_distance(judged)
    if turned is None:
        return "no distance"
    members = members or small_rough()[-1]
    return metric(turned(table(judged, members)), levels(members)).kind


# Verdicts


def rough_verdicts(measure: Measure) -> list[Verdict]:
    """Whether a measure is what a metric is on all rough clusterings of up to three objects."""
    if "soft" not in measure.needs:
        why = f"{measure} takes no uncertain clusterings"
        return [Unfit(str(measure), axiom, note=why) for axiom in CONDITIONS]
    judged = at_far_end(measure)
    spaces = [Trial(judged, members) for members in small_rough()]
    scope = "a rough clustering of 2 or 3 objects for each set of partitions that one allows"
    if judged is not measure:
        scope += "; at alpha = 1, where what is unknown is an error"
    return [_verdict(str(measure), axiom, spaces, scope) for axiom in CONDITIONS]


def _verdict(name: str, axiom: str, spaces: Sequence[Trial], scope: str) -> Verdict:
    condition = axiom.removeprefix("rough_")
    if condition in ("separation", "triangle") and spaces[0].distance is None:
        return Unfit(name, axiom, note=f"{name} is no distance, nor one less than a bound")
    tried = sum(len(space.members) ** (3 if condition == "triangle" else 2) for space in spaces)
    note = spaces[-1].found.note if condition == "triangle" else ""
    for space in spaces:
        if (against := getattr(space, condition)()) is not None:
            return Fails(name, axiom, tried, scope, note, counterexample=against)
    return Holds(name, axiom, tried, scope, note)


class Trial:
    """A measure on a space of rough clusterings, and the smallest case against each condition."""

    def __init__(self, measure: Measure, members: tuple[Vague, ...]) -> None:
        self.measure, self.members = measure, members
        self.values = table(measure, members)
        turned = as_distance(measure)
        self.distance = None if turned is None else turned(self.values)
        self.far = "d" if measure.is_distance else "1 - score"
        used = self.values if self.distance is None else self.distance
        self.found = metric(used, levels(members))

    def symmetry(self) -> Counterexample | None:
        """Two clusterings and the other way round."""
        return self._against(self.found.symmetry, [(0, 1), (1, 0)], "the same both ways")

    def separation(self) -> Counterexample | None:
        """A clustering that is not like itself, or two that are not told apart."""
        if self.found.own is not None:
            wanted = f"{self.far} = 0 for a clustering with itself"
            return self._against(self.found.own[:1], [(0, 0)], wanted)
        wanted = f"{self.far} > 0 for different sets of partitions"
        return self._against(self.found.separation, [(0, 1)], wanted)

    def triangle(self) -> Counterexample | None:
        """Three clusterings of which the first is nearer to the last by way of the second."""
        d = self.far
        wanted = f"{d} of a, c at most the sum of {d} of a, b and {d} of b, c"
        return self._against(self.found.triangle, [(0, 1), (1, 2), (0, 2)], wanted)

    def bounds(self) -> Counterexample | None:
        """Two clusterings whose score is not from 0 to 1."""
        beyond = np.maximum(-self.values, self.values - 1)
        at = first(beyond > CLOSE, levels(self.members), beyond)
        return self._against(at, [(0, 1)], "from 0 to 1")

    def _against(
        self, at: tuple[int, ...] | None, scored: Sequence[tuple[int, int]], wanted: str
    ) -> Counterexample | None:
        if at is None:
            return None
        parts = {name: self.members[i] for name, i in zip("abc", at, strict=False)}
        names = list(parts)
        pairs = {f"{names[i]}, {names[j]}": (at[i], at[j]) for i, j in scored}
        return Counterexample(
            {name: one.clustering for name, one in parts.items()},
            {name: str(one) for name, one in parts.items()},
            {told: exact(float(self.values[i, j])) for told, (i, j) in pairs.items()},
            wanted,
            tuple(self._command(pair) for pair in pairs.values()),
        )

    def _command(self, pair: tuple[int, int]) -> str:
        one, other = (self.members[i].code for i in pair)
        found = self.measure.of(compared(*(self.members[i] for i in pair)))
        end = ("high" if self.measure.is_distance else "low") if isinstance(found, Interval) else ""
        return f"{called(self.measure)}({one}, {other}){f'.{end}' if end else ''}"


def called(measure: Measure) -> str:
    """The measure as Python has it.

    >>> import clusterdiff as cd
    >>> called(cd.transport("rand", alpha=0.5)), called(cd.rand_belief)
    ("cd.transport('rand', alpha=0.5)", 'cd.rand_belief')
    """
    params: Mapping[str, Any] = measure.params
    carried = params.get("measure")
    if carried is None:
        return f"cd.{measure!r}"
    rest = "".join(f", {key}={value!r}" for key, value in params.items() if key != "measure")
    return f"cd.{measure.name}({str(carried)!r}{rest})"
