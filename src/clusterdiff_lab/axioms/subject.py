"""A measure on trial: one of ours, or any function of two lists of labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff_lab.axioms.tables import SMALL, Comparison, table_of

# What was found when a measure was held against a condition.

Number = Fraction | float


@dataclass(frozen=True)
class Counterexample:
    """A few clusterings on which a measure does not do what a condition wants."""

    clusterings: Mapping[str, AnyClustering]
    """By the part they play: truth, guess, worse, better, …"""
    drawn: Mapping[str, str]
    """The clusterings as short texts: 12|34 is a cluster of 1 and 2, and one of 3 and 4."""
    values: Mapping[str, Number]
    """What the measure gives, by what was scored; exact numbers where it allows them."""
    wanted: str
    """What the condition wants of these values."""
    commands: tuple[str, ...] = ()
    """Lines that give the values again."""

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return max(map(len, self.clusterings.values()))

    def __str__(self) -> str:
        shown = "  ".join(f"{part} {text}" for part, text in self.drawn.items())
        values = ", ".join(f"{what} {number(value)}" for what, value in self.values.items())
        return f"{shown}\n{values}; wanted: {self.wanted}"


@dataclass(frozen=True)
class Verdict:
    """Whether a measure satisfies a condition, as far as it was tried."""

    measure: str
    axiom: str
    tried: int
    """How many cases were judged."""
    scope: str
    """Which cases these were."""
    note: str = ""
    """What else was found, such as a constant."""
    mark: ClassVar[str] = ""
    outcome: ClassVar[str] = ""

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Holds(Verdict):
    """No case against it was found, which is not a proof."""

    mark = "✓"
    outcome = "holds"

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True)
class Against(Verdict):
    """Some cases are against it; the counterexample is the smallest of them."""

    counterexample: Counterexample
    ties: int = 0
    reversals: int = 0

    @property
    def values(self) -> Mapping[str, Number]:
        """What the measure gives on the counterexample."""
        return self.counterexample.values


@dataclass(frozen=True, kw_only=True)
class Ties(Against):
    """Never the wrong way round, but equal where a difference is wanted."""

    mark = "="
    outcome = "ties"


@dataclass(frozen=True, kw_only=True)
class Fails(Against):
    """The wrong way round, at least once."""

    mark = "✗"
    outcome = "fails"


@dataclass(frozen=True)
class Unfit(Verdict):
    """The condition says nothing of such a measure."""

    tried: int = field(default=0)
    scope: str = ""
    mark = "·"
    outcome = "does not apply"


def number(value: Number) -> str:
    """A value as it is written: a fraction if it is one, else six digits.

    >>> number(Fraction(11, 18)), number(Fraction(1)), number(0.25), number(1 / 3)
    ('11/18', '1', '0.25', '0.333333')
    """
    if isinstance(value, Fraction):
        return str(value)
    return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else str(value)


CLOSE = 1e-12
"""Numbers that are not exact are equal if they are as near as this."""

Function = Callable[[list[int], list[int]], Any]


@dataclass(frozen=True, eq=False)
class Subject:
    """Something that gives two clusterings a number, and the claims about that number."""

    name: str
    value: Callable[[Comparison, bool], Any]
    """The score of a comparison; exact, if that is asked for and can be had."""
    best: float | None = 1.0
    """The score of identical clusterings; None where it depends on them."""
    bounds: tuple[float, float] = (0.0, 1.0)
    is_distance: bool = False
    kinds: frozenset[str] = frozenset({"partition"})
    """What it compares: partitions, covers, uncertain clusterings."""
    measure: Measure | None = None
    command: Callable[[str, list[str], bool], str] = lambda truth, guesses, overlap: ""
    """A line that gives the score of some guesses again."""
    called: str = ""
    """What it is called in Python."""
    _known: dict[Hashable, Number] = field(default_factory=dict)

    def score(self, comparison: Comparison) -> Number:
        """The score, exact for few objects if the measure allows it."""
        key = type(comparison), comparison.key
        if key not in self._known:
            self._known[key] = self._number(comparison, comparison.objects <= SMALL)
        return self._known[key]

    def exact_score(self, comparison: Comparison) -> Number:
        """The score, exact if the measure allows it."""
        return self._number(comparison, True)

    def _number(self, comparison: Comparison, exact: bool) -> Number:
        value = self.value(comparison, exact)
        number = value.low if isinstance(value, ScoreRange) else value
        if isinstance(number, Fraction):
            return number
        try:
            number = math.nan if isinstance(number, str) else float(number)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number):
            truth, guess = comparison.drawn
            raise ClusterdiffError(
                f"{self.name} gives {value!r} for truth {truth}, guess {guess}.",
                "a measure gives a number for every pair of clusterings; decide what 0/0 is.",
            )
        return number

    def better(self, one: Number, other: Number) -> int:
        """1 if the other score is the better one, 0 if they are equal, -1 if it is worse."""
        sign = compared(one, other)
        return -sign if self.is_distance else sign

    def gain(self, one: Number, other: Number) -> float:
        """By how much the other score is the better one."""
        more = float(other) - float(one)
        return -more if self.is_distance else more

    def as_similarity(self, value: Number) -> Number:
        """The score, or one less the distance."""
        return 1 - value if self.is_distance else value


def compared(one: Number, other: Number) -> int:
    """1 if the other number is larger, 0 if they are equal, -1 if it is smaller."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return (other > one) - (other < one)
    a, b = float(one), float(other)
    near = CLOSE * max(1.0, abs(a), abs(b))
    if a == b or (math.isfinite(near) and abs(b - a) <= near):
        return 0
    return 1 if b > a else -1


def subject(given: str | Measure | Function | Subject) -> Subject:
    """What is to be tried: a measure, its name, or a function of two lists of labels."""
    if isinstance(given, Subject):
        return given
    if isinstance(given, str | Measure):
        return _of_measure(measure_named(given))
    if callable(given):
        return _of_function(given)
    raise ClusterdiffError(
        f"{given!r} is not a measure.", "give its name, or a function of two lists of labels."
    )


def _of_measure(measure: Measure) -> Subject:
    allows = True

    def value(comparison: Comparison, exact: bool) -> Any:
        nonlocal allows
        if not (exact and allows):
            return measure.of(comparison.meet)
        score = measure.exactly_of(comparison.meet)
        allows = isinstance(score, Fraction)
        return score

    def command(truth: str, guesses: list[str], overlap: bool) -> str:
        sides = " ".join(f"'{_inline(text)}'" for text in (truth, *guesses))
        kind = " --kind cover" if overlap else ""
        name = str(measure) if str(measure).isidentifier() else f'"{measure}"'
        code = " --allow-code" if measure.has_function else ""
        return f"clusterdiff compare {sides}{kind} -m {name}{code}"

    kinds = {"partition"} | (measure.needs & {"cover", "soft"})
    carried = measure.arguments.get("measure") if measure.name == "transport" else None
    claiming = carried if isinstance(carried, Measure) else measure
    return Subject(
        str(measure), value, claiming.claims.best, claiming.claims.bounds, measure.is_distance,
        frozenset(kinds), measure, command, f"cd.{measure!r}",
    )  # fmt: skip


def _inline(drawn: str) -> str:
    """A drawn clustering as the command reads it: a bar distinguishes it from a file name."""
    return drawn if "|" in drawn else f"{drawn}|"


def _of_function(function: Function) -> Subject:
    name = getattr(function, "__name__", None) or type(function).__name__

    def value(comparison: Comparison, exact: bool) -> Any:
        truth, guess = map(list, comparison.labels)
        try:
            return function(truth, guess)
        except Exception as error:
            one, other = comparison.drawn
            raise ClusterdiffError(
                f"{name} fails for truth {one}, guess {other}: {type(error).__name__}: {error}.",
                "a measure gives a number for every pair of clusterings.",
            ) from error

    def command(truth: str, guesses: list[str], overlap: bool) -> str:
        return "; ".join(f"{name}({labels_text(truth)}, {labels_text(g)})" for g in guesses)

    similar = Subject(name, value, command=command, called=name)
    if not _is_distance(similar):
        return similar
    return replace(similar, best=0.0, bounds=(0.0, math.inf), is_distance=True)


def labels_text(drawn: str) -> str:
    """A drawn partition as a list of labels.

    >>> labels_text("13|2"), labels_text("1,3-10|2")
    ('[0, 1, 0]', '[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]')
    """
    from clusterdiff.io.read import clusters_in

    label = {x: k for k, cluster in enumerate(clusters_in(drawn)) for x in cluster}
    return str([label[x] for x in sorted(label)])


def _is_distance(function: Subject) -> bool:
    """Whether identical partitions get 0 and others more."""
    function.score(table_of((0,), (0,)))
    one, other = (0, 0, 1), (0, 1, 1)
    same, also, apart = (
        function.score(table_of(*pair)) for pair in ((one, one), (other, other), (one, other))
    )
    return same == also == 0 < apart
