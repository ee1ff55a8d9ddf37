"""BCubed, and its repair ELM: how well each object finds the others like it."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.contingency import Counted, Shapes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.measures.base import Form, measure
from clusterdiff.measures.pairs import mates, mates_f, mates_of_lines
from clusterdiff.measures.sums import (
    LineScore,
    LineSums,
    SizeMean,
    Sums,
    clusters_of,
    f_of_sums,
    f_terms,
    family_of_lines,
    function_of_sums,
    mean_of_values,
    size_mean,
)
from clusterdiff.measures.zero_division import f_of, f_score, f_scores, share

Average = Literal["objects", "truth"]
Itself = Literal["included", "excluded"]
OF_OTHERS = ("average", "itself")
OVER = ("guess", "truth", "all")
"""Which objects the means of precision, recall and F run over."""


def companions(s: Counted, itself: str = "included") -> tuple[Floats, Floats]:
    """Each object's precision and recall over its clusters; itself excluded, 0 if it is alone."""
    if itself == "included":
        return share(s.found, s.guess_size, 0.0), share(s.found, s.truth_size, 0.0)
    others, guess, truth = (
        np.maximum(size - 1, 0) for size in (s.found, s.guess_size, s.truth_size)
    )
    return share(others, guess, 0.0), share(others, truth, 0.0)


def means(s: Counted, shares: tuple[Floats, Floats]) -> tuple[float, float]:
    """Mean precision over the objects of guess, mean recall over those of truth."""
    return s.mean(shares[0], "guess"), s.mean(shares[1], "truth")


def truth_mean(s: Counted, values: Floats) -> float:
    """Mean over truth clusters of the mean over their objects."""
    part, clusters = clusters_of(s)[0], s.truth_sizes.clusters
    return exact_sum(values * part * s.times) / clusters if clusters else 0.0


def _averaged(s: Counted, average: str, itself: str, place: int) -> float | Floats:
    """The precision (0) or recall (1) of each object, or their mean by truth clusters."""
    values = companions(s, itself)[place]
    return values if average == "objects" else truth_mean(s, values)


@measure(
    cite="bagga1998", reached=False, symmetric=False, perfect=False, penalise=True, over="guess",
    conventions=OF_OTHERS,
)  # fmt: skip
def bcubed_precision(
    s: Shapes, *, average: Average = "objects", itself: Itself = "included"
) -> float | Floats:
    """BCubed precision: mean share of an object's guess cluster that shares its truth cluster.

    Definition:  P = 1/n Σ_o P(o), or 1/k Σ_T 1/|T| Σ_{o∈T} P(o) with average='truth',
                 P(o) = |T(o) ∩ G(o)| / |G(o)|

    average='truth' gives each of the k truth clusters the same weight, as ER-Evaluation does;
    itself='excluded' leaves o out of T(o) and G(o), and P(o) is 0 if o is alone in G(o), as in
    ELKI, so that identical clusterings need not score 1 (elm_precision is 1 there).

    Also known as: B-cubed precision, B3 precision.
    """
    return _averaged(s, average, itself, 0)


@measure(
    cite="bagga1998", reached=False, symmetric=False, perfect=False, penalise=True, over="truth",
    conventions=OF_OTHERS,
)  # fmt: skip
def bcubed_recall(
    s: Shapes, *, average: Average = "objects", itself: Itself = "included"
) -> float | Floats:
    """BCubed recall: mean share of an object's truth cluster that shares its guess cluster.

    Definition:  R = 1/n Σ_o R(o), or 1/k Σ_T 1/|T| Σ_{o∈T} R(o) with average='truth',
                 R(o) = |T(o) ∩ G(o)| / |T(o)|

    `average` and `itself` are those of bcubed_precision.

    Also known as: B-cubed recall, B3 recall.
    """
    return _averaged(s, average, itself, 1)


@measure(cite="bagga1998", reached=False, penalise=True, conventions=OF_OTHERS)
def bcubed_f(
    s: Shapes,
    *,
    alpha: float = 0.5,
    f: Form = "means",
    average: Average = "objects",
    itself: Itself = "included",
) -> float | Floats:
    """BCubed F: harmonic mean of BCubed precision and recall; never 0.

    Definition:  F = F(P, R), or 1/n Σ_o F(P(o), R(o)) with f='objects',
                 F(P, R) = 1 / (α/P + (1 - α)/R)

    f='means' is the F of mean precision and mean recall, f='objects' the mean over objects of
    their F, as in the ELM paper, which can lie below both. It is never 0, as each object finds
    itself. `average` and `itself` are those of bcubed_precision.

    Also known as: B-cubed F, B3 F, BCubed F-measure.
    """
    shares = companions(s, itself)
    if average == "objects":
        return f_of(f, shares, lambda: means(s, shares), alpha)
    if f == "objects":
        return truth_mean(s, f_scores(*shares, alpha))
    return f_score(truth_mean(s, shares[0]), truth_mean(s, shares[1]), alpha)


@measure(cite="vanheusden2022", symmetric=False, perfect=False, penalise=True, over="guess")
def elm_precision(s: Shapes) -> Floats:
    """Elements Like Me precision: BCubed precision in which no object counts itself.

    Definition:  P(o) = |T(o) ∩ G(o) \\ {o}| / |G(o) \\ {o}|, and 1 if G(o) = {o}
    """
    return mates(s)[0]


@measure(cite="vanheusden2022", symmetric=False, perfect=False, penalise=True, over="truth")
def elm_recall(s: Shapes) -> Floats:
    """Elements Like Me recall: BCubed recall in which no object counts itself.

    Definition:  R(o) = |T(o) ∩ G(o) \\ {o}| / |T(o) \\ {o}|, and 1 if T(o) = {o}
    """
    return mates(s)[1]


@measure(cite="vanheusden2022", penalise=True)
def elm_f(s: Shapes, *, alpha: float = 0.5, f: Form = "objects") -> float | Floats:
    """Elements Like Me F (ELM): how well each object finds the other members of its cluster.

    Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                 F(P, R) = 1 / (α/P + (1 - α)/R), and 0 if P = 0 or R = 0

    BCubed F without the object itself. 0 for the two extremes, all in one cluster and each alone,
    where truth is the other one.

    Also known as: Elements Like Me.
    """
    shares = mates(s)
    return f_of(f, shares, lambda: means(s, shares), alpha)


function_of_sums(
    elm_f, lambda rows: f_terms(rows, mates(rows)), lambda s, _, alpha, f: f_of_sums(s, alpha)
)
elm_f.hook("squared_euclidean")(lambda alpha, f: alpha == 0.5 and f == "objects")


def _sums(
    place: int, rows: Counted, average: str, itself: str, alpha: float = 0.5, f: str = "objects"
) -> Sums | None:
    """Precision (0), recall (1) and F (2) as functions of sums over objects or truth clusters."""
    shares = companions(rows, itself)
    values = {"precision": shares[0], "recall": shares[1], "f": f_scores(*shares, alpha)}
    if average == "objects":
        if (place, f) == (2, "means"):
            return Sums(f_terms(rows, shares), lambda s: f_of_sums(s, alpha))
        return mean_of_values(rows, [*values.values()][place], OVER[place])
    part = clusters_of(rows)[0]
    terms = {name: value * part for name, value in values.items()} | {"truths": part}

    def score(s: Any) -> Floats:
        found = [share(s[name], s["truths"], 0.0) for name in values]
        return f_scores(found[0], found[1], alpha) if (place, f) == (2, "means") else found[place]

    return Sums(terms, score)


def _lines(
    place: int, average: str, itself: str, alpha: float = 0.5, f: str = "objects"
) -> LineScore | None:
    """The score of every line of a sweep, if BCubed is that of the paper."""
    if (average, itself) != ("objects", "included"):
        return None
    if place == 2 and f == "objects" and 0 < alpha < 1:
        return size_mean(SizeMean("bcubed", alpha))

    def score(s: LineSums) -> Any:
        halves = share(s.precise, s.each(s.objects)), share(s.recalled, s.each(s.objects))
        return f_scores(*halves, alpha) if place == 2 else halves[place]

    return LineScore(score)


for _place, _measure in enumerate((bcubed_precision, bcubed_recall, bcubed_f)):
    _measure.hook("sums")(partial(_sums, _place))
    _measure.hook("lines")(partial(_lines, _place))
bcubed_f.hook("squared_euclidean")(
    lambda alpha, f, average, itself: (
        (alpha, f, average, itself) == (0.5, "objects", "objects", "included")
    )
)
family_of_lines((elm_precision, elm_recall, elm_f), mates_of_lines, mates_f)
