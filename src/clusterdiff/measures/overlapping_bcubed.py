"""BCubed for objects in several clusters: Extended BCubed, and CICE-BCubed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats
from clusterdiff.contingency import CoverMeet
from clusterdiff.errors import InputError
from clusterdiff.measures.base import DrawnObjects, Form, Mean, draw, f_of_means, mean, measure
from clusterdiff.measures.comembership import BUDGET, CoMembers, alike, around, plan
from clusterdiff.measures.sums import Sums
from clusterdiff.measures.zero_division import f_scores, share

Uncovered = Literal["one", "zero", "skip", "refuse"]
Match = Literal["all", "pair"]
Clusterwise = Literal["jaccard", "rand", "f"] | Callable[..., Any]


class _Part(NamedTuple):
    """A value of each row's objects, the rows that count for its mean, and the mean of none."""

    values: Floats
    counts: Bools
    nothing: float


class _Judged(NamedTuple):
    """Precision and recall of each row's objects, or of those drawn."""

    precision: _Part
    recall: _Part
    lacking: Bools
    """Rows whose objects are on one side only."""
    drawn: DrawnObjects | None
    weight: NDArray[np.int64]
    plain: bool
    """Whether all objects count: each has a score of its own."""

    def f(self, alpha: float) -> _Part:
        """F of each row's objects."""
        values = f_scores(self.precision.values, self.recall.values, alpha)
        return _Part(values, self.precision.counts | self.recall.counts | self.lacking, 1.0)

    def of(self, part: _Part) -> float | Floats:
        """The values themselves, or their mean where not all objects count."""
        return part.values if self.plain else self.known(self.mean(part))

    def mean(self, part: _Part) -> Mean:
        """The mean over the objects that count."""
        return mean(self.weight, *part)

    def known(self, found: Mean) -> float:
        """A mean, with its standard error if objects were drawn."""
        return self.drawn.estimate(*found) if self.drawn else found.value


PLAIN = ("jaccard", "all")
"""The likeness of clusters that is found along with Extended BCubed, for CICE as it stands."""


def _judged(
    m: CoverMeet, uncovered: str, sample: int | None, seed: int, how: tuple[Any, str] | None = None
) -> _Judged:
    """The precision and recall of each object, by Extended BCubed or (`how`) by CICE."""
    drawn = None
    if sample is not None and sample < m.objects and once(m, plan).pairs > BUDGET:
        drawn = once(m, draw, sample, seed)
    found = once(m, co_members, how or PLAIN, drawn and (sample, seed))
    sums = (found.precise_alike, found.recalled_alike) if how else (found.precise, found.recalled)
    precision = _side(m, sums[0], found.guess, uncovered, "guess")
    recall = _side(m, sums[1], found.truth, uncovered, "truth")
    weight = drawn.times if drawn else m.both
    plain = drawn is None and uncovered != "skip"
    return _Judged(precision, recall, ~(m.in_truth & m.in_guess), drawn, weight, plain)


def once(m: CoverMeet, function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function of a meet, remembered with the meet."""
    key = (function.__name__, *(_key(argument) for argument in arguments))
    if key not in m.memo:
        m.memo[key] = function(m, *arguments), arguments
    return m.memo[key][0]


def _key(argument: Any) -> Any:
    """What an argument is remembered by; functions by their identity."""
    if isinstance(argument, tuple):
        return tuple(map(_key, argument))
    return id(argument) if callable(argument) else argument


def co_members(m: CoverMeet, how: tuple[Any, str], sample: tuple[int, int] | None) -> CoMembers:
    """The objects around each object, or around those drawn."""
    rows = once(m, draw, *sample).rows if sample else None
    return around(m, alike(m, *how), rows)


def _side(
    m: CoverMeet, sums: Floats, around: NDArray[np.int64], uncovered: str, name: str
) -> _Part:
    """The share of each row's objects on one side; a side that knows no objects has a mean of 0."""
    side, known = (m.guess, m.in_guess) if name == "guess" else (m.truth, m.in_truth)
    if uncovered == "refuse" and side.uncovered.any():
        count = int(m.both[side.uncovered].sum())
        raise InputError.from_uncovered(name, count, m.objects)
    values = share(sums, around, 0.0)
    nowhere = side.uncovered & m.in_truth & m.in_guess
    values[nowhere] = float(uncovered == "one")
    counts = known & ~nowhere if uncovered == "skip" else known
    objects = m.guess_objects if name == "guess" else m.truth_objects
    return _Part(values, counts, float(objects > 0))


def _f(judged: _Judged, alpha: float, form: str) -> float | Floats:
    if form == "objects":
        return judged.of(judged.f(alpha))
    means = judged.mean(judged.precision), judged.mean(judged.recall)
    return judged.known(f_of_means(*means, alpha))


@measure(
    cite="amigo2009", symmetric=False, perfect=False, penalise=True, over="guess",
    hard="bcubed_precision",
)  # fmt: skip
def extended_bcubed_precision(
    m: CoverMeet, *, uncovered: Uncovered = "one", sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Extended BCubed precision: BCubed precision that counts how many clusters two share.

    Definition:  P(o) = mean over o' with G(o) ∩ G(o') ≠ ∅ of
                 min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |G(o) ∩ G(o')|

    An object in no cluster has no o': `uncovered` makes its P one or zero, or skips or refuses it.
    Where more than 10⁹ pairs would have to be visited, `sample` objects drawn with `seed` stand
    for all, with a standard error.
    """
    judged = _judged(m, uncovered, sample, seed)
    return judged.of(judged.precision)


@measure(
    cite="amigo2009", symmetric=False, perfect=False, penalise=True, over="truth",
    hard="bcubed_recall",
)  # fmt: skip
def extended_bcubed_recall(
    m: CoverMeet, *, uncovered: Uncovered = "one", sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Extended BCubed recall: BCubed recall that counts how many clusters two share.

    Definition:  R(o) = mean over o' with T(o) ∩ T(o') ≠ ∅ of
                 min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |T(o) ∩ T(o')|
    """
    judged = _judged(m, uncovered, sample, seed)
    return judged.of(judged.recall)


@measure(cite="amigo2009", perfect=False, penalise=True, hard="bcubed_f")
def extended_bcubed_f(
    m: CoverMeet,
    *,
    alpha: float = 0.5,
    f: Form = "means",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """Extended BCubed F: harmonic mean of Extended BCubed precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    It counts in how many clusters two objects are together, not in which, so that different covers
    can score 1.

    Also known as: extended BCubed, overlapping BCubed.
    """
    return _f(_judged(m, uncovered, sample, seed), alpha, f)


@measure(cite="rosales2013", symmetric=False, perfect=False, penalise=True, over="guess")
def cice_precision(
    m: CoverMeet,
    *,
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed precision: Extended BCubed precision, weighted by how similar clusters are.

    Definition:  the term of o' is multiplied by Φ(o, o') = mean over the guess clusters G of both
                 of max sim(T, G) over all truth clusters T (match='pair': those with o and o')

    `similarity` is jaccard, rand (the share of objects in both or in neither), f, or a function
    of (objects in both, size, other size, all objects) that takes arrays, with values in 0 to 1.

    Also known as: cluster identity checking extended BCubed precision.
    """
    judged = _judged(m, uncovered, sample, seed, (similarity, match))
    return judged.of(judged.precision)


@measure(cite="rosales2013", symmetric=False, perfect=False, penalise=True, over="truth")
def cice_recall(
    m: CoverMeet,
    *,
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed recall: Extended BCubed recall, weighted by how similar clusters are.

    Definition:  cice_precision with truth and guess exchanged

    Also known as: cluster identity checking extended BCubed recall.
    """
    judged = _judged(m, uncovered, sample, seed, (similarity, match))
    return judged.of(judged.recall)


@measure(cite="rosales2013", penalise=True)
def cice_f(
    m: CoverMeet,
    *,
    alpha: float = 0.5,
    f: Form = "means",
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed F: harmonic mean of CICE-BCubed precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Among sets of distinct clusters only the same clusters score 1; if a clustering may hold a
    cluster twice, others can too. Homogeneity and rag bag, which BCubed satisfies, fail for it.

    Also known as: cluster identity checking extended BCubed, CICE-BCubed.
    """
    return _f(_judged(m, uncovered, sample, seed, (similarity, match)), alpha, f)


def _sums(m: CoverMeet, *, place: str, **given: Any) -> Sums | None:
    """Values summed over the objects that count for them; None if they depend on objects elsewhere,
    or if objects are drawn.
    """
    how = (given["similarity"], given["match"]) if "similarity" in given else None
    if how is not None and how[0] not in ("jaccard", "f"):
        return None
    judged = _judged(m, given["uncovered"], given["sample"], given["seed"], how)
    if judged.drawn is not None:
        return None
    alpha = given.get("alpha", 0.5)
    parts = {"precision": judged.precision, "recall": judged.recall, "f": judged.f(alpha)}
    terms: dict[str, Floats] = {}
    for name, part in parts.items():
        terms[name] = np.asarray(m.both * np.where(part.counts, part.values, 0.0), np.float64)
        terms[f"objects of {name}"] = np.asarray(m.both * part.counts, np.float64)

    def score(s: Mapping[str, Floats]) -> Floats:
        means = {
            name: share(s[name], s[f"objects of {name}"], part.nothing)
            for name, part in parts.items()
        }
        if given.get("f") == "means":
            return f_scores(means["precision"], means["recall"], alpha)
        return means[place]

    return Sums(terms, score, whole=True)


for _place, _measures in {
    "precision": (extended_bcubed_precision, cice_precision),
    "recall": (extended_bcubed_recall, cice_recall),
    "f": (extended_bcubed_f, cice_f),
}.items():
    for _measure in _measures:
        _measure.hook("sums")(partial(_sums, place=_place))
