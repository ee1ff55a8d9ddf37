"""Scores as functions of sums over rows: what resampling units needs to know of a measure.

A measure says so by a hook, `@rand.hook("sums")`; a mean over objects need not say anything. A unit
of which the score is a function adds to the sums what its rows add: of most measures any set of
rows is a unit, of those that look at whole clusters or match them (`whole`) it is a set of
connected components.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import Counted, Meet, Rows, Shapes
from clusterdiff.measures.base import Measure, rows_for
from clusterdiff.measures.zero_division import f_scores, part_of, ratio, share


class Sums(NamedTuple):
    """What rows add to some sums, and the score as a function of the sums."""

    terms: Mapping[str, Floats]
    """What each row adds, all its objects together and repeated rows once."""
    score: Callable[[Mapping[str, Floats]], Floats]
    """Of the sums of many samples of units, an array each, the score of every one."""
    whole: bool = False
    """Whether units must be whole components: rows alone do not determine what they add."""
    counts_all: bool = False
    """Whether the score depends on how many objects there are in all."""
    sizes: tuple[str, ...] = ()
    """The terms that the score divides by: what a unit could get wrong. Objects if left out."""


class UnitSums(NamedTuple):
    """What units add to some sums, and the score as a function of the sums."""

    terms: Mapping[str, Floats]
    """What each unit adds."""
    score: Callable[[Mapping[str, Floats]], Floats]
    counts_all: bool = False
    sizes: tuple[str, ...] = ()

    @property
    def denominators(self) -> dict[str, Floats]:
        """What the score divides by, by unit: pairs, clusters or objects."""
        names = self.sizes or [name for name in self.terms if name.startswith("objects")]
        names = names or [name for name in ("truths", "truth", "guess") if name in self.terms]
        return {name: self.terms[name] for name in names}


def sums_of(measure: Measure, meet: Meet) -> tuple[Rows, Sums] | None:
    """A comparison as the measure takes it, with the sums over its rows; None if the score is no
    function of such sums.
    """
    rows: Any = rows_for(measure, meet, shapes=False)
    found = (
        measure.get_hook("sums", rows) if measure.has_hook("sums") else sums_of_mean(measure, rows)
    )
    return None if found is None else (rows, found)


def sums_of_mean(measure: Measure, rows: Any) -> Sums | None:
    """A mean over objects: the sum of their values, and how many they are."""
    values = measure.function(rows, **measure.arguments)
    if not isinstance(values, np.ndarray):
        return None
    whole = "shapes" not in measure.needs or not isinstance(rows, Counted)
    return mean_of_values(rows, values, measure.claims.over, whole)


def mean_of_values(rows: Rows, values: Floats, over: str, whole: bool = False) -> Sums:
    """The mean of a value of each row's objects, over all objects or those of one side."""
    return Sums(mean_terms(rows, values, over, "value"), lambda s: mean_of(s, "value"), whole)


def function_of_sums(
    measure: Measure,
    terms: Callable[..., Mapping[str, Floats]],
    score: Callable[..., Any],
    *,
    whole: bool = False,
    counts_all: bool = False,
    objects: bool = True,
    sizes: tuple[str, ...] = (),
) -> None:
    """Say what a measure is a function of: `terms` of the rows are summed, `score` takes the sums,
    the rows and the measure's parameters. With f='objects' it is a mean over objects instead;
    unless what an object scores depends on objects elsewhere, when `objects` is False.
    """

    @measure.hook("sums")
    def sums(rows: Any, **given: Any) -> Sums | None:
        if given.get("f") == "objects":
            return sums_of_mean(measure.with_params(**given), rows) if objects else None
        of_sums = lambda s: np.asarray(score(s, rows, **given))  # noqa: E731
        return Sums(terms(rows), of_sums, whole, counts_all, sizes)


def mean_terms(rows: Rows, values: Floats, over: str, name: str) -> dict[str, Floats]:
    """A value summed over all objects or those of one side, and how many these are."""
    objects = size_of(rows)
    if over != "all":
        objects = np.where(rows.in_truth if over == "truth" else rows.in_guess, objects, 0.0)
    return {name: values * objects, f"objects of {name}": objects}


def mean_of(sums: Mapping[str, Floats], name: str) -> Floats:
    """The mean of a value that was summed."""
    return share(sums[name], sums[f"objects of {name}"], 0.0)


def f_terms(rows: Rows, shares: tuple[Floats, Floats]) -> dict[str, Floats]:
    """Precision over the objects of guess and recall over those of truth."""
    return {
        **mean_terms(rows, shares[0], "guess", "precision"),
        **mean_terms(rows, shares[1], "truth", "recall"),
    }


def f_of_sums(sums: Mapping[str, Floats], alpha: float) -> Floats:
    """F of mean precision and mean recall."""
    return f_scores(mean_of(sums, "precision"), mean_of(sums, "recall"), alpha)


def size_of(rows: Rows) -> Floats:
    """How many objects a row has, repeated rows once."""
    return np.asarray(rows.both if isinstance(rows, Counted) else rows.weight, np.float64)


def clusters_of(rows: Counted) -> tuple[Floats, Floats]:
    """Which part of a truth cluster, and of a guess cluster, each row is."""
    return share(rows.both, rows.truth_size, 0.0), share(rows.both, rows.guess_size, 0.0)


# Scores as functions of the sums of a line: what a sweep needs to know of a measure.
#
# A line is one clustering of many that grow by merges. Some sums follow from line to line at
# little cost; a measure that is a function of them says so by a hook, `@rand.hook("lines")`, and
# is then scored at every threshold. Of other measures a sweep scores chosen lines.


class SizeMean(NamedTuple):
    """A mean over objects of a function of the sizes of their clusters and of their row.

    With c objects in the row, t in the true cluster, g in the guess cluster and n in all: "bcubed"
    is c / (αg + (1-α)t), "elm" the same without the object itself, "element" is c / max(t, g) and
    "blanc" the mean F of the links that an object has and of those it does not have.
    """

    kind: Literal["bcubed", "elm", "element", "blanc"]
    alpha: float = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class LineSums:
    """Sums of truth, and arrays over lines of those of the guess, T and G being clusters."""

    objects: int
    truths: int
    """True clusters."""
    truth_pairs: int
    """Σ |T|(|T| - 1)/2"""
    truth_singles: int
    """True clusters of one object."""
    truth_logs: float
    """Σ |T| log(n/|T|)"""
    clusters: Ints
    rows: Ints
    """Parts T∩G that are not empty."""
    largest: Ints
    """Objects of the largest cluster."""
    singles: Ints
    """Clusters of one object."""
    alone: Ints
    """Objects that are alone in truth and in guess."""
    exact: Ints
    """Clusters that are true clusters."""
    exact_objects: Ints
    """Objects in such clusters."""
    pure: Ints
    """Σ_G max_T |T∩G|"""
    inverse: Ints
    """Σ_T max_G |T∩G|"""
    guess_pairs: Ints
    """Σ |G|(|G| - 1)/2"""
    both_pairs: Ints
    """Σ |T∩G|(|T∩G| - 1)/2"""
    guess_logs: Floats
    """Σ |G| log(n/|G|)"""
    both_logs: Floats
    """Σ |T∩G| log(n/|T∩G|)"""
    precise: Floats
    """Σ |T∩G|²/|G|"""
    recalled: Floats
    """Σ |T∩G|²/|T|"""
    mates_precise: Floats
    """Σ |T∩G|(|T∩G| - 1)/(|G| - 1) over clusters of more than one object"""
    mates_recalled: Floats
    """Σ |T∩G|(|T∩G| - 1)/(|T| - 1) over true clusters of more than one object"""
    size_means: Mapping[SizeMean, Floats]
    """Means over objects that were asked for."""
    within: int = 0
    """Pairs within a source, where only those across sources count."""

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return self.clusters.size

    def part(self, begin: int, end: int) -> LineSums:
        """The sums of some of the lines."""
        columns: dict[str, Any] = {
            name: value[begin:end]
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray)
        }
        means = {mean: values[begin:end] for mean, values in self.size_means.items()}
        return replace(self, **columns, size_means=means)

    def each(self, number: int) -> NDArray[Any]:
        """A number that is the same on every line, as an array."""
        return np.broadcast_to(np.int64(number), self.lines)


class LineScore(NamedTuple):
    """How a measure is computed from the sums of lines."""

    score: Callable[[LineSums], Any]
    """Of the sums of some lines, the score of each, which depends on no other line."""
    needs: tuple[SizeMean, ...] = ()
    """Means over objects that it takes."""


def function_of_lines(measure: Measure, score: Callable[..., Any]) -> None:
    """Say that a measure is a function of the sums of lines: `score` takes them and the measure's
    parameters. With f='objects' it is not.
    """

    @measure.hook("lines")
    def lines(**given: Any) -> LineScore | None:
        if given.get("f") == "objects":
            return None
        return LineScore(lambda s: score(s, **given))


@dataclass(frozen=True, eq=False, kw_only=True)
class Summarised(Shapes):
    """Shapes of which a summary is given, such as the pairs that chance would put together; or one
    of many comparisons, with an array for each of its numbers, and nothing else.
    """

    summary: Any


def summarised(summary: Any, objects: Any) -> Summarised:
    """What a measure is called with that depends on the summary and the number of objects alone."""
    none = np.zeros(0, np.int64)
    shapes = Summarised(both=none, truth_size=none, guess_size=none, times=none, summary=summary)
    vars(shapes)["objects"] = objects
    return shapes


def functions_of_summary(
    measures: Iterable[Measure],
    terms: Callable[..., Mapping[str, Floats]],
    of_sums: Callable[[Mapping[str, Floats]], Any],
    of_lines: Callable[[LineSums], Any],
    **how: Any,
) -> None:
    """Say that measures are functions of a summary, which follows from sums over rows and from
    those of lines; `how` is that of `function_of_sums`.
    """
    for one in measures:

        def score(summary: Any, objects: Any, one: Measure = one, **given: Any) -> Any:
            return one.function(summarised(summary, objects), **given)

        of_rows = lambda s, _, do=score, **given: do(of_sums(s), s["objects"], **given)  # noqa: E731
        function_of_sums(one, terms, of_rows, **how)
        function_of_lines(one, lambda s, do=score, **given: do(of_lines(s), s.objects, **given))


def family_of_lines(
    family: tuple[Measure, Measure, Measure],
    halves: Callable[..., tuple[Any, Any]],
    objects: Callable[..., LineScore | None] = lambda **_: None,
) -> None:
    """Say how a precision, its recall and their F follow from the sums of lines: `halves` of the
    sums and the parameters are the first two, and `objects` of the parameters is F with
    f='objects'.
    """
    for place in (0, 1):
        function_of_lines(family[place], lambda s, p=place, **given: halves(s, **given)[p])

    @family[2].hook("lines")
    def lines(alpha: float, f: str, **given: Any) -> LineScore | None:
        if f == "objects":
            return objects(alpha=alpha, **given)
        return LineScore(lambda s: f_scores(*halves(s, **given), alpha))


def size_mean(mean: SizeMean) -> LineScore:
    """The score that is one such mean over objects."""
    return LineScore(lambda s: s.size_means[mean], (mean,))


def line_score(measure: Measure) -> LineScore | None:
    """How a measure is computed from the sums of lines; None if it is no function of them."""
    found = measure.get_hook("lines")
    assert found is None or isinstance(found, LineScore)
    return found


# Precisions and recalls that are quotients of sums: their score, sums, lines and losses follow.


class Quotients(NamedTuple):
    """What a precision and a recall are quotients of: numbers, or an array of each.

    Of a comparison they are its counts, of rows what each of them adds, of lines their sums.
    """

    precise: Any
    """What guess has right."""
    guess: Any
    """All that guess has."""
    truth: Any
    """All that truth has."""
    recalled: Any = None
    """What of truth is found, if that is not the same as `precise`."""

    @property
    def right(self) -> tuple[Any, Any]:
        """What is divided, of precision and of recall."""
        return self.precise, self.precise if self.recalled is None else self.recalled

    @property
    def divisors(self) -> tuple[Any, Any]:
        """What it is divided by."""
        return self.guess, self.truth

    @property
    def missing(self) -> tuple[Any, Any]:
        """What guess has wrong, and what of truth is not found."""
        return self.guess - self.right[0], self.truth - self.right[1]

    def shares(self, empty: float = 1.0) -> tuple[float, float]:
        """Precision and recall; `empty` is what nothing divided by nothing gives."""
        return ratio(self.precise, self.guess, empty), ratio(self.right[1], self.truth, empty)

    def terms(self, prefix: str = "") -> dict[str, Any]:
        """The sums by their names."""
        return {f"{prefix}{k}": value for k, value in self._asdict().items() if value is not None}

    @classmethod
    def of_sums(cls, s: Mapping[str, Any], prefix: str = "") -> Quotients:
        """The sums that have these names."""
        return cls(*(s.get(f"{prefix}{name}") for name in cls._fields))


def family_of_quotients(
    family: tuple[Measure, Measure, Measure],
    of_rows: Callable[[Any], Quotients],
    *,
    of_lines: Callable[[LineSums], Quotients] | None = None,
    empty: Callable[[Any, float | None], float] = lambda rows, given: 1.0,
    whole: tuple[bool, bool, bool] = (False, False, False),
    sizes: tuple[tuple[str, ...], ...] = (("guess",), ("truth",), ("guess", "truth")),
    objects: Callable[..., LineScore | None] = lambda **_: None,
    counts: Callable[[Any], Quotients] | None = None,
) -> None:
    """Say what a precision, its recall and their F are quotients of: by row, and by line.

    `empty` says what 0/0 is in a comparison, given the parameter of that name, and `objects` what
    F with f='objects' is on lines. `whole` and `sizes` are those of `Sums`, of each of the three.
    Given the `counts` of a comparison, a row takes off the score what it adds to the divisor and
    not to what is divided.
    """
    for place, measure in enumerate(family):

        def score(
            s: Mapping[str, Floats], rows: Any, alpha: float = 0.5, f: str = "", place: int = place,
            **given: Any,
        ) -> Any:  # fmt: skip
            shares: Any = Quotients.of_sums(s).shares(empty(rows, given.get("empty")))
            return f_scores(shares[0], shares[1], alpha) if place == 2 else shares[place]

        terms = lambda rows: of_rows(rows).terms()  # noqa: E731
        function_of_sums(measure, terms, score, whole=whole[place], sizes=sizes[place])
        if counts is not None and place < 2:
            measure.hook("loss")(
                lambda m, place=place: part_of(
                    of_rows(m).missing[place] * m.times, counts(m).divisors[place]
                )
            )
    if of_lines is not None:
        family_of_lines(
            family,
            lambda s, **given: of_lines(s).shares(
                1.0 if given.get("empty") is None else given["empty"]
            ),
            objects,
        )
