"""Pairs of objects: together or apart, in truth and in guess."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.contingency import BetweenMeet, Counted, HardMeet, Shapes
from clusterdiff.contingency.exact_sums import count_pairs
from clusterdiff.measures.base import Form, Measure, measure
from clusterdiff.measures.sums import (
    LineScore,
    LineSums,
    SizeMean,
    Summarised,
    family_of_lines,
    function_of_lines,
    functions_of_summary,
    size_mean,
    size_of,
)
from clusterdiff.measures.zero_division import (
    f_score,
    f_scores,
    part_of,
    precision_recall,
    ratio,
    share,
)


class Pairs(NamedTuple):
    """How many pairs of objects share a cluster, as Python integers."""

    truth: int
    guess: int
    both: int
    all: int

    @property
    def shares(self) -> tuple[float, float]:
        """Pairwise precision and recall."""
        return precision_recall(self.both, self.guess, self.truth)


def pairs(s: Counted) -> Pairs:
    """Pairs together in truth, in guess, in both, and all pairs there are."""
    if isinstance(s, Summarised):
        return s.summary  # type: ignore[no-any-return]
    if isinstance(s, BetweenMeet):
        return Pairs(*s.pairs)
    return Pairs(
        s.truth_sizes.pairs,
        s.guess_sizes.pairs,
        count_pairs(s.found, s.times),
        s.objects * (s.objects - 1) // 2,
    )


@measure(cite="rand1971", linear="guess")
def rand(s: Shapes) -> float:
    """Rand index (RI): share of the pairs of objects on which both agree, together or apart.

    Definition:  (all - truth - guess + 2 both) / all, pairs of objects that share a cluster

    Also known as: rand_score.
    """
    p = pairs(s)
    return ratio(p.all - p.truth - p.guess + 2 * p.both, p.all)


@measure(cite="hubert1985", bounds=(-0.5, 1.0), linear="both")
def adjusted_rand(s: Shapes) -> float:
    """Adjusted Rand index (ARI): agreement on pairs, corrected for chance.

    Definition:  (both - E) / ((truth + guess)/2 - E),  E = (truth · guess) / all

    0 is what random labels of the same sizes get on average; it can be negative.

    Also known as: adjusted_rand_score, Hubert-Arabie index.
    """
    p = pairs(s)
    chance = 2 * p.truth * p.guess
    return ratio(2 * p.both * p.all - chance, (p.truth + p.guess) * p.all - chance)


class Confusion(NamedTuple):
    """Pairs of objects together in both, in truth alone, in guess alone, in neither."""

    both: Any
    truth: Any
    guess: Any
    neither: Any

    @property
    def agreed(self) -> Any:
        """Products of what both say alike, less those of what they do not."""
        return self.both * self.neither - self.truth * self.guess

    @property
    def variances(self) -> tuple[Any, Any]:
        """How truth and guess vary over pairs, times the square of how many there are."""
        return (
            (self.both + self.truth) * (self.guess + self.neither),
            (self.both + self.guess) * (self.truth + self.neither),
        )


def confusion(s: Shapes) -> Confusion:
    """The pair confusion table; arrays of it in floats, which products of pairs need."""
    p: Any = pairs(s)
    if isinstance(p.guess, np.ndarray):
        lost, extra = p.truth - p.both, p.guess - p.both
        table = p.both, lost, extra, p.all - p.guess - lost
        return Confusion(*(np.asarray(x, np.float64) for x in table))
    return Confusion(p.both, p.truth - p.both, p.guess - p.both, p.all - p.truth - p.guess + p.both)


def _no_variance(c: Confusion) -> tuple[Any, Any]:
    """Whether a side puts all pairs together or none, and whether both say the same of all."""
    one, other = c.variances
    return (one == 0) | (other == 0), (c.truth == 0) & (c.guess == 0)


@measure(cite="gosgens2021", bounds=(-1.0, 1.0), reached=False, linear="both")
def pair_correlation(s: Shapes) -> float:
    """Correlation coefficient of pairs (CC): Pearson's φ of the pair confusion table.

    Definition:  φ = (a d - b c) / √((a + b)(a + c)(d + b)(d + c))

    Of all pairs of objects, a are together in both, b in truth alone, c in guess alone, and d in
    neither. Random labels of the same sizes have 0 on average. Where one side puts all pairs
    together, or none, φ is not defined: it is 1 if the other side does the same, else 0.

    Also known as: pair confusion correlation, Matthews correlation of pairs, pairwise phi.
    """
    c = confusion(s)
    flat, same = _no_variance(c)
    one, other = c.variances
    if isinstance(flat, np.ndarray):
        below = np.where(one == other, one, np.sqrt(one) * np.sqrt(other))
        return np.where(flat, same * 1.0, share(c.agreed, below))  # type: ignore[return-value]
    if flat:
        return float(same)
    below = one if one == other else math.sqrt(one) * math.sqrt(other)
    return float(c.agreed / below)


@measure(cite="gosgens2021")
def pair_correlation_distance(s: Shapes) -> float:
    """Correlation distance of pairs (CD): the angle between two clusterings, by their pairs.

    Definition:  d = arccos(φ) / π, with φ the pair_correlation

    A metric on the clusterings that put some pairs together and some apart; 1/2 is what random
    labels have to first order.

    Also known as: pairwise correlation distance.
    """
    c = confusion(s)
    flat, same = _no_variance(c)
    # the product of both variances less the square of what is agreed, as a sum that cannot cancel
    x, y, z, w = c
    rest = (x + y + z + w) * (x * y * z + x * y * w + x * z * w + y * z * w)
    if isinstance(flat, np.ndarray):
        angle = np.arctan2(np.sqrt(rest), c.agreed) / np.pi
        return np.where(flat, np.where(same, 0.0, 0.5), angle)  # type: ignore[return-value]
    return (0.0 if same else 0.5) if flat else math.atan2(math.sqrt(rest), c.agreed) / math.pi


@measure(cite="menestrina2010", symmetric=False, perfect=False, penalise=True, linear="both")
def pair_precision(s: Shapes) -> float:
    """Pairwise precision: share of the pairs that guess puts together that belong together.

    Definition:  P = both / guess, pairs of objects that share a cluster

    Also known as: pair-counting precision.
    """
    return pairs(s).shares[0]


@measure(cite="menestrina2010", symmetric=False, perfect=False, penalise=True, linear="guess")
def pair_recall(s: Shapes) -> float:
    """Pairwise recall: share of the pairs that belong together that guess puts together.

    Definition:  R = both / truth, pairs of objects that share a cluster

    Also known as: pair-counting recall.
    """
    return pairs(s).shares[1]


@measure(cite="menestrina2010", penalise=True, linear="both")
def pair_f(s: Shapes, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """Pairwise F: harmonic mean of pairwise precision and pairwise recall.

    Definition:  F = 1 / (α/P + (1 - α)/R), for α = 1/2 that is 2 both / (truth + guess)

    With f='objects', the mean over objects of the F of the pairs an object is in, this is elm_f.

    Also known as: pairwise F1, pair-counting F-measure, Dice index, Czekanowski index.
    """
    if f == "objects":
        return f_scores(*mates(s), alpha)
    return f_score(*pairs(s).shares, alpha)


@measure(cite="argandacarreras2015", perfect=True, best=0.0, bounds=(0.0, 1.0), penalise=True)
def adapted_rand_error(s: Shapes, *, alpha: float = 0.5) -> float:
    """Adapted Rand error (ARE): one less the pairwise F, 0 for the same segments.

    Definition:  ARE = 1 - F,  F = 1 / (α/P + (1 - α)/R)

    The error of connectomics and of scikit-image, where P and R have each other's name: what it
    calls precision is pair_recall, and what it calls recall is pair_precision. Background is
    usually left out of truth, with ignore=0 of label images.

    Also known as: adapted Rand F-score error, SNEMI3D error.
    """
    return 1.0 - f_score(*pairs(s).shares, alpha)


def mates(s: Counted) -> tuple[Floats, Floats]:
    """Each object's precision and recall over the other objects of its clusters."""
    others = np.maximum(s.found - 1, 0)
    return (
        np.where(s.found > 0, share(others, s.guess_size - 1), 0.0),
        np.where(s.found > 0, share(others, s.truth_size - 1), 0.0),
    )


@measure(cite="benhur2002", penalise=True)
def pair_jaccard(s: Shapes) -> float:
    """Jaccard index of pairs: of the pairs that either puts together, the share that both do.

    Definition:  both / (truth + guess - both), pairs of objects that share a cluster

    Also known as: Jaccard index, Jaccard coefficient, pairwise Jaccard.
    """
    p = pairs(s)
    return ratio(p.both, p.truth + p.guess - p.both)


@measure(cite="fowlkes1983", penalise=True, linear="both", conventions=("empty",))
def fowlkes_mallows(s: Shapes, *, empty: float = 1) -> float:
    """Fowlkes-Mallows index (FMI): geometric mean of pairwise precision and pairwise recall.

    Definition:  √(both/guess · both/truth), pairs of objects that share a cluster

    Where no pair is together in either, it is `empty`: 1 here, 0 in scikit-learn.

    Also known as: fowlkes_mallows_score.
    """
    p = pairs(s)
    precision, recall = precision_recall(p.both, p.guess, p.truth, empty)
    mean = np.sqrt(precision * recall)
    return mean if np.ndim(mean) else float(mean)


@measure(cite="mirkin1996", bounds=(0.0, np.inf), linear="guess")
def mirkin_distance(s: Shapes, *, scale: Literal["count", "n2"] = "count") -> float:
    """Mirkin metric: number of ordered pairs of objects that only one side puts together.

    Definition:  Σ|T|² + Σ|G|² - 2 Σ|T∩G|²;  scale='n2' divides by n².

    Also known as: equivalence mismatch distance.
    """
    p = pairs(s)
    differing = 2 * (p.truth + p.guess - 2 * p.both)
    return differing / (1 if scale == "count" else s.objects**2)


MANY = 256
"""Sources of which sums over units know how many objects each has."""


def pair_terms(m: Counted) -> dict[str, Floats]:
    """Objects of each row, and their part of the pairs in truth, in guess and in both; between
    sources, without the pairs within each, and the objects of each.
    """
    terms = {
        "objects": size_of(m),
        "truth": np.where(m.in_truth, m.both * (m.truth_size - 1.0), 0.0) / 2,
        "guess": np.where(m.in_guess, m.both * (m.guess_size - 1.0), 0.0) / 2,
        "both": m.found * (m.found - 1.0) / 2,
    }
    if isinstance(m, BetweenMeet):
        for name in ("truth", "guess", "both"):
            within = pair_terms(m.inside)[name] * m.inside.times
            terms[name] = terms[name] - np.bincount(m.row, within, m.both.size) / m.times
        for place, source in enumerate(m.sources_in_order if m.sources <= MANY else ()):
            own = np.where(m.source == source, m.inside.weight, 0)
            terms[f"source {place}"] = np.bincount(m.row, own, m.both.size) / m.times
    return terms


def pairs_of_sums(s: Mapping[str, Any]) -> Pairs:
    """How many pairs share a cluster, of sums of `pair_terms`."""
    n = s["objects"]
    within = s.get("within")
    if within is None:
        within = sum(k * (k - 1) / 2 for name, k in s.items() if name.startswith("source "))
    return Pairs(s["truth"], s["guess"], s["both"], n * (n - 1) / 2 - within)


def pairs_of_lines(s: LineSums) -> Pairs:
    """How many pairs share a cluster, on every line of a sweep."""
    every = s.objects * (s.objects - 1) // 2 - s.within
    return Pairs(s.each(s.truth_pairs), s.guess_pairs, s.both_pairs, s.each(every))  # type: ignore[arg-type]


OF_PAIRS = pair_terms, pairs_of_sums, pairs_of_lines
BOTH = ("truth", "guess")
OF_ALL_PAIRS = (
    rand, adjusted_rand, mirkin_distance, pair_correlation, pair_correlation_distance,
)  # fmt: skip
functions_of_summary(OF_ALL_PAIRS, *OF_PAIRS, counts_all=True, sizes=BOTH)
functions_of_summary((pair_jaccard, fowlkes_mallows, pair_f), *OF_PAIRS, sizes=BOTH)
functions_of_summary((adapted_rand_error,), *OF_PAIRS, sizes=BOTH)
functions_of_summary((pair_precision,), *OF_PAIRS, sizes=("guess",))
functions_of_summary((pair_recall,), *OF_PAIRS, sizes=("truth",))
DEFAULT_BETWEEN = (
    pair_precision, pair_recall, pair_f, pair_jaccard, fowlkes_mallows, adjusted_rand, rand,
)  # fmt: skip


def default_between(align: str) -> list[Measure]:
    """The measures of pairs across sources where none are asked for."""
    return [one for one in DEFAULT_BETWEEN if align != "penalise" or one.claims.penalise]


for one in (*OF_ALL_PAIRS, pair_jaccard, fowlkes_mallows, pair_f, pair_precision, pair_recall):
    one.hook("of_pairs")(lambda f="means", **_: f == "means")


def _adjusted_rand_of_lines(s: LineSums) -> Floats:
    """Products of pairs exceed 64 bits: the terms are arranged so that none cancel."""
    p: Any = pairs_of_lines(s)
    agreed, only_truth, only_guess = p.both * 1.0, p.truth - p.both * 1.0, p.guess - p.both * 1.0
    apart = p.all - p.guess - only_truth
    top = agreed * apart - only_truth * only_guess
    return share(2 * top, p.truth * (p.all - p.guess * 1.0) + p.guess * (p.all - p.truth * 1.0))


function_of_lines(adjusted_rand, _adjusted_rand_of_lines)


def mates_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """Mean precision and recall of objects over the others of their clusters, on every line."""
    return (
        share(s.mates_precise + s.singles, s.each(s.objects)),
        share(s.mates_recalled + s.truth_singles, s.each(s.objects)),
    )


def mates_f(alpha: float) -> LineScore:
    """Mean over objects of the F of their precision and recall over other objects."""
    if 0 < alpha < 1:
        return size_mean(SizeMean("elm", alpha))
    return LineScore(lambda s: f_scores(*mates_of_lines(s), alpha))


family_of_lines((pair_precision, pair_recall, pair_f), lambda s: pairs_of_lines(s).shares, mates_f)


def _apart(m: HardMeet) -> tuple[Floats, Floats]:
    """Pairs that truth alone and that guess alone puts together, half of each pair to each of its
    objects.
    """
    t = pair_terms(m)
    return (t["truth"] - t["both"]) * m.times, (t["guess"] - t["both"]) * m.times


def _differing(m: HardMeet, whole: float) -> Floats:
    """Pairs that are together on one side alone, over so many."""
    return part_of(np.add(*_apart(m)), whole)


def _beyond_chance(p: Pairs) -> float:
    """What the adjusted Rand index divides by, as pairs."""
    below = (p.truth + p.guess) * p.all - 2 * p.truth * p.guess
    return below / p.all if p.all else 0


rand.hook("loss")(lambda m: _differing(m, pairs(m).all))
adjusted_rand.hook("loss")(lambda m: _differing(m, _beyond_chance(pairs(m))))


@pair_jaccard.hook("loss")
def pair_jaccard_loss(m: HardMeet) -> Floats:
    """Pairs that are together on one side alone, over those that are on either."""
    p = pairs(m)
    return _differing(m, p.truth + p.guess - p.both)


@mirkin_distance.hook("loss")
def mirkin_loss(m: HardMeet, scale: str) -> Floats:
    """Ordered pairs that are together on one side alone."""
    return np.asarray(2 * np.add(*_apart(m)) / (1 if scale == "count" else m.objects**2))


def pairs_loss(m: HardMeet, alpha: float) -> Floats:
    """Wrong pairs over those of guess, and missed pairs over those of truth, weighed by alpha."""
    (lost, extra), p = _apart(m), pairs(m)
    below = alpha * p.guess + (1 - alpha) * p.truth
    return part_of(alpha * extra + (1 - alpha) * lost, below)


pair_precision.hook("loss")(lambda m: pairs_loss(m, 1.0))
pair_recall.hook("loss")(lambda m: pairs_loss(m, 0.0))


adapted_rand_error.hook("loss")(pairs_loss)


@pair_f.hook("loss")
def pair_f_loss(m: HardMeet, alpha: float, f: str) -> Floats:
    """What precision and recall lose together; of the mean over objects, what objects lose."""
    if f == "means":
        return pairs_loss(m, alpha)
    return np.asarray((1.0 - f_scores(*mates(m), alpha)) * m.weight / m.objects)


rand.hook("per_pair")(lambda n: 2.0 / (n * (n - 1)) if n > 1 else None)
mirkin_distance.hook("per_pair")(lambda n, scale: 2.0 if scale == "count" else 2.0 / n**2)
rand.hook("squared_euclidean")(lambda: True)
mirkin_distance.hook("squared_euclidean")(lambda scale: True)
