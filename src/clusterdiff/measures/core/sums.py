"""Scores as functions of sums over rows: what resampling units needs to know of a measure.

A measure says so by a fact, `@rand.fact("sums")`; a mean over objects need not say anything. A unit
of which the score is a function adds to the sums what its rows add: of most measures any set of
rows is a unit, of those that look at whole clusters or match them (`whole`) it is a set of
connected components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.dispatch import fitting
from clusterdiff.measures.core.measure import Measure
from clusterdiff.measures.core.zero_division import f_scores, share
from clusterdiff.meet import Counted, Meet, Rows


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
    rows: Any = fitting(measure, meet, shapes=False)
    found = measure.known("sums", rows) if measure.knows("sums") else sums_of_mean(measure, rows)
    return None if found is None else (rows, found)


def sums_of_mean(measure: Measure, rows: Any) -> Sums | None:
    """A mean over objects: the sum of their values, and how many they are."""
    values = measure.function(rows, **measure.arguments)
    if not isinstance(values, np.ndarray):
        return None
    whole = "shapes" not in measure.needs or not isinstance(rows, Counted)
    terms = mean_terms(rows, values, measure.claims.over, "value")
    return Sums(terms, lambda s: mean_of(s, "value"), whole)


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

    @measure.fact("sums")
    def sums(rows: Any, **given: Any) -> Sums | None:
        if given.get("f") == "objects":
            return sums_of_mean(measure.having(**given), rows) if objects else None
        of_sums = lambda s: np.asarray(score(s, rows, **given))  # noqa: E731
        return Sums(terms(rows), of_sums, whole, counts_all, sizes)


def family_of_sums(
    family: tuple[Measure, Measure, Measure],
    terms: Callable[..., Mapping[str, Floats]],
    halves: Callable[..., tuple[Any, Any]],
    *,
    sizes: tuple[str, str],
    whole: bool = False,
) -> None:
    """The same for a precision, its recall and their F: `halves` of the sums, the rows and the
    parameters are the first two, and `sizes` the terms that these two divide by.
    """
    for place, measure in enumerate(family):

        def score(
            s: Mapping[str, Floats], rows: Any, alpha: float = 0.5, f: str = "", place: int = place,
            **given: Any,
        ) -> Any:  # fmt: skip
            found = halves(s, rows, **given)
            return f_scores(*found, alpha) if place == 2 else found[place]

        own = sizes if place == 2 else (sizes[place],)
        function_of_sums(measure, terms, score, whole=whole, sizes=own)


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
