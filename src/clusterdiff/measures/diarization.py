"""Who speaks when: diarization error rate and its parts, Jaccard error rate, purity and coverage.

Objects are stretches of time that count as long as they last, clusters are speakers, and silence
is in no cluster. Each measure is a function of covers of any objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.contingency import CoverMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.measures.assignment import heaviest_matching
from clusterdiff.measures.base import measure
from clusterdiff.measures.matching import MATCHING_COST
from clusterdiff.measures.sums import UnitSums
from clusterdiff.measures.zero_division import ratio, share

Part = Literal["all", "missed", "false alarm", "confusion"]
Assignment = Literal["jaccard", "time"]


def _total(m: CoverMeet, values: Ints) -> int:
    """A value of each row's objects, summed over all of them."""
    if float(m.both @ values.astype(np.float64)) < 2**62:
        return int(m.both @ values)
    return sum(a * b for a, b in zip(m.both.tolist(), values.tolist(), strict=True))


def _matched(m: CoverMeet, weight: Floats) -> Bools:
    """Which pairs of clusters that share objects are in the heaviest matching."""
    found = np.zeros(weight.size, np.bool_)
    found[heaviest_matching(m.shared.truth, m.shared.guess, weight)] = True
    return found


def _spoken(m: CoverMeet, part: Part) -> tuple[int, int]:
    """The time of a part of the errors, and that of truth, of all speakers together."""
    truth, guess = m.truth.memberships, m.guess.memberships
    total = _total(m, truth)
    if part == "missed":
        return _total(m, np.maximum(truth - guess, 0)), total
    if part == "false alarm":
        return _total(m, np.maximum(guess - truth, 0)), total
    both = m.shared.both
    correct = sum(both[_matched(m, both.astype(np.float64))].tolist())
    most = np.minimum(truth, guess) if part == "confusion" else np.maximum(truth, guess)
    return _total(m, most) - correct, total


def _error(wrong: Floats, total: Floats) -> Floats:
    """Errors over the time of truth; where truth is silent, all or nothing."""
    return np.asarray(share(wrong, total, 0.0) + ((total == 0) & (wrong > 0)))


@measure(
    cite="nist2009",
    bounds=(0.0, np.inf), symmetric=False, best=0.0, penalise=True, cost=MATCHING_COST,
)  # fmt: skip
def diarization_error_rate(m: CoverMeet, *, part: Part = "all") -> float:
    """Diarization error rate (DER): speech missed, invented or given to the wrong speaker.

    Definition:  Σ_o (max(|T(o)|, |G(o)|) - |correct(o)|) / Σ_o |T(o)|

    The objects are stretches of time, each with its duration as its count. A speaker of guess is
    correct where the speaker of truth speaks that the one-to-one matching with most common time
    gives it. It can exceed 1. part='missed' is Σ max(|T| - |G|, 0), 'false alarm' Σ max(|G| - |T|,
    0), 'confusion' the rest; the three add up. Where truth is silent throughout, it is 1 if guess
    is not.

    Also known as: der, missed speech (part='missed'), false alarm (part='false alarm'), speaker
    confusion (part='confusion').
    """
    wrong, total = _spoken(m, part)
    return ratio(wrong, total, float(wrong > 0))


@diarization_error_rate.hook("sums_of_units")
def _error_terms(units: list[CoverMeet], *, part: Part) -> UnitSums:
    """Errors and speech, which add up over units that share no speaker."""
    wrong, total = np.array([_spoken(m, part) for m in units], np.float64).reshape(-1, 2).T
    terms = {"wrong": wrong, "total": total}
    return UnitSums(terms, lambda s: _error(s["wrong"], s["total"]), sizes=("total",))


@diarization_error_rate.hook("loss")
def error_of_rows(m: CoverMeet, *, part: Part) -> Floats:
    """What the objects of each row add to the error rate."""
    truth, guess = m.truth.memberships, m.guess.memberships
    if part == "missed":
        wrong = np.maximum(truth - guess, 0)
    elif part == "false alarm":
        wrong = np.maximum(guess - truth, 0)
    else:
        most = np.minimum(truth, guess) if part == "confusion" else np.maximum(truth, guess)
        wrong = most - correct_of_rows(m)
    total = float(m.both @ truth.astype(np.float64))
    lost = m.both * wrong / max(total, 1.0)
    return lost if total else share(m.both * wrong, m.both @ wrong, 0.0)


def partners(m: CoverMeet) -> Ints:
    """For each truth cluster the guess cluster that stands for it, -1 where none does."""
    found = np.full(m.truth.clusters, -1)
    chosen = _matched(m, m.shared.both.astype(np.float64))
    found[m.shared.truth[chosen]] = m.shared.guess[chosen]
    return found


def correct_of_rows(m: CoverMeet) -> Ints:
    """How many clusters of each row's objects guess has right."""
    truth, guess = m.truth.each, m.guess.each
    wide = m.guess.clusters + 1
    partner = partners(m)[truth.member]
    right = np.isin(truth.owner * wide + partner, guess.owner * wide + guess.member)
    return np.bincount(truth.owner[right & (partner >= 0)], minlength=m.rows)


@measure(
    cite="ryant2019",
    symmetric=False, perfect=False, best=0.0, penalise=True, cost=MATCHING_COST,
    conventions=("assignment",),
)  # fmt: skip
def jaccard_error_rate(m: CoverMeet, *, assignment: Assignment = "jaccard") -> float:
    """Jaccard error rate (JER): how much speakers of truth differ from those that stand for them.

    Definition:  mean over truth clusters T of 1 - |T∩G| / |T∪G|, G the one that stands for T

    Each speaker counts the same, however long it speaks; one for which none stands counts 1. The
    matching makes the sum of Jaccard indexes largest, as in dscore. assignment='time' takes the
    matching with most common time instead, as pyannote.metrics does, and among several of them the
    one with the largest sum of Jaccard indexes. Speakers of guess that stand for none cost nothing.

    Also known as: jer.
    """
    wrong, speakers = _differing(m, assignment)
    return ratio(wrong, speakers, float(m.guess.clusters > 0))


def _differing(m: CoverMeet, assignment: Assignment) -> tuple[float, int]:
    """The sum over truth clusters of what they differ, and how many they are."""
    s = m.shared
    jaccard = share(s.both, m.truth.size[s.truth] + m.guess.size[s.guess] - s.both)
    weight = jaccard.astype(np.float64)
    if assignment == "time":
        weight = s.both + weight / (m.truth.clusters + 1)
    kept = jaccard[_matched(m, weight)]
    alike = sum(kept.tolist()) if kept.dtype == object else exact_sum(kept)
    return m.truth.clusters - alike, m.truth.clusters


@jaccard_error_rate.hook("sums_of_units")
def _jaccard_terms(units: list[CoverMeet], *, assignment: Assignment) -> UnitSums:
    """Differences and speakers, which add up over units that share no speaker."""
    found = [_differing(m, assignment) for m in units]
    wrong, speakers = np.array(found, np.float64).reshape(-1, 2).T
    terms = {"wrong": wrong, "speakers": speakers}
    return UnitSums(terms, lambda s: share(s["wrong"], s["speakers"], 0.0), sizes=("speakers",))


def _purest(m: CoverMeet) -> tuple[int, int]:
    """What guess clusters have of the truth clusters that they have most of, and their sizes."""
    most = np.zeros(m.guess.clusters, np.int64)
    np.maximum.at(most, m.shared.guess, m.shared.both)
    return sum(most.tolist()), sum(m.guess.size.tolist())


@measure(
    cite="cettolo2000", symmetric=False, perfect=False, penalise=True, hard="purity",
)  # fmt: skip
def cover_purity(m: CoverMeet) -> float:
    """Purity of covers: share of guess clusters in the truth cluster that they have most of.

    Definition:  Σ_G max_T |T∩G| / Σ_G |G|

    Objects in several guess clusters count in each of them. Objects in no truth cluster make guess
    clusters impure.

    Also known as: diarization purity, speaker purity.
    """
    return ratio(*_purest(m))


@measure(
    cite="cettolo2000", symmetric=False, perfect=False, penalise=True, hard="inverse_purity",
)  # fmt: skip
def cover_coverage(m: CoverMeet) -> float:
    """Coverage of covers: share of truth clusters in the guess cluster that has most of them.

    Definition:  Σ_T max_G |T∩G| / Σ_T |T|

    Also known as: diarization coverage, speaker coverage.
    """
    return ratio(*_purest(m.swap()))


def _purity_terms(units: list[CoverMeet], *, swapped: bool) -> UnitSums:
    """What is pure and sizes, which add up over units that share no cluster."""
    found = [_purest(m.swap() if swapped else m) for m in units]
    pure, size = np.array(found, np.float64).reshape(-1, 2).T

    def score(s: Mapping[str, Floats]) -> Floats:
        return share(s["pure"], s["size"])

    return UnitSums({"pure": pure, "size": size}, score, sizes=("size",))


@cover_purity.hook("sums_of_units")
def _of_guess(units: list[CoverMeet]) -> UnitSums:
    return _purity_terms(units, swapped=False)


@cover_coverage.hook("sums_of_units")
def _of_truth(units: list[CoverMeet]) -> UnitSums:
    return _purity_terms(units, swapped=True)
