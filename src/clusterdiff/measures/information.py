"""Information that two clusterings share, in nats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.contingency import HardMeet, Shapes, Sizes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.base import HOOKS, measure
from clusterdiff.measures.sums import (
    LineSums,
    Summarised,
    clusters_of,
    function_of_lines,
    functions_of_summary,
    size_of,
)
from clusterdiff.measures.zero_division import f_score, part_of, ratio

Norm = Literal["max", "min", "arithmetic", "geometric"]
NormOrJoint = Literal["max", "min", "arithmetic", "geometric", "joint"]


class Information(NamedTuple):
    """Entropies of truth and guess, what both share, and what remains when the other is known; how
    many clusters there are.
    """

    truth: float
    guess: float
    shared: float
    truth_given_guess: float
    guess_given_truth: float
    truths: Any
    guesses: Any

    @property
    def variation(self) -> Any:
        """What each side tells that the other does not."""
        return self.truth_given_guess + self.guess_given_truth


def information(s: Shapes) -> Information:
    """All entropies of a comparison."""
    if isinstance(s, Summarised):
        return s.summary  # type: ignore[no-any-return]
    return Information(
        entropy(s.truth_sizes),
        entropy(s.guess_sizes),
        max(0.0, s.mean(np.log(s.both / s.truth_size * (s.objects / s.guess_size)))),
        s.mean(np.log(s.guess_size / s.both)),
        s.mean(np.log(s.truth_size / s.both)),
        s.truth_sizes.clusters,
        s.guess_sizes.clusters,
    )


def entropy(sizes: Sizes) -> float:
    """Entropy of a clustering with these cluster sizes."""
    objects = int((sizes.size * sizes.count).sum())
    return exact_sum(np.log(objects / sizes.size) * (sizes.size * sizes.count)) / objects


def variation(s: Shapes) -> Floats:
    """Conditional entropies of each object's truth and guess cluster given the other, in nats."""
    return np.log(s.truth_size / s.both) + np.log(s.guess_size / s.both)


def _variation(s: Shapes) -> tuple[Any, Any]:
    """The variation of information, and the number of clusters of the side that has more."""
    if isinstance(s, Summarised):
        return s.summary.variation, np.maximum(s.summary.truths, s.summary.guesses)
    return s.mean(variation(s)), max(s.truth_sizes.clusters, s.guess_sizes.clusters)


def either(which: Any, one: Any, other: Any) -> Any:
    """One number or the other, or for arrays of comparisons an array of them."""
    return np.where(which, one, other) if isinstance(other, np.ndarray) else one if which else other


def larger(one: float, other: Any) -> Any:
    """The larger number, or an array of them."""
    return np.maximum(one, other) if isinstance(other, np.ndarray) else max(one, float(other))


def normaliser(norm: str, truth: Any, guess: Any) -> Any:
    """What two entropies are brought to: their maximum, minimum or one of their means."""
    match norm:
        case "max":
            return np.maximum(truth, guess)
        case "min":
            return np.minimum(truth, guess)
        case "arithmetic":
            return (truth + guess) / 2
        case _:
            return np.sqrt(truth * guess)


@measure(cite="shannon1948", bounds=(0.0, math.inf), perfect=False, best=None)
def mutual_information(s: Shapes) -> float:
    """Mutual information (MI): what knowing the guess tells about the truth, in nats.

    Definition:  I = Σ_TG |T∩G|/n · log(n |T∩G| / (|T| |G|))

    Also known as: mutual_info_score.
    """
    return information(s).shared


@measure(cite="strehl2003")
def nmi(s: Shapes, *, norm: NormOrJoint = "arithmetic") -> float:
    """Normalized mutual information (NMI): by default divided by the mean of the two entropies.

    Definition:  2 I / (H(truth) + H(guess)); norm='joint' divides by H(truth, guess)

    0 where only one of the two is a single cluster; 1 where both are.

    norm='arithmetic' is the default of scikit-learn, norm='max' the one that Vinh, Epps and
    Bailey recommend; 'min' and 'geometric' are the smaller entropy and the geometric mean.

    Also known as: normalized_mutual_info_score.
    """
    i = information(s)
    joint = norm == "joint"
    below = i.truth + i.guess_given_truth if joint else normaliser(norm, i.truth, i.guess)
    score: float = either((i.truth == 0) & (i.guess == 0), 1.0, ratio(i.shared, below, 0.0))
    return score


@measure(
    cite="vinh2010", bounds=(-1.0, 1.0), reached=False,
    cost="one pass over the objects, then all pairs of distinct cluster sizes, times how many"
    " objects they can share",
)  # fmt: skip
def adjusted_mutual_information(s: Shapes, *, norm: Norm = "arithmetic") -> float:
    """Adjusted mutual information (AMI): normalized, and corrected for chance.

    Definition:  (I - E[I]) / (norm(H(truth), H(guess)) - E[I]),  E over all permutations

    norm='arithmetic', the mean of both entropies, is the default of scikit-learn; norm='max'
    divides by the larger one.

    Also known as: adjusted_mutual_info_score.
    """
    from clusterdiff.measures.chance import expected_mutual_information

    i = information(s)
    if i.truth_given_guess == i.guess_given_truth == 0:
        return 1.0
    chance = expected_mutual_information(s.truth_sizes, s.guess_sizes)
    below = normaliser(norm, i.truth, i.guess) - chance
    return 0.0 if abs(below) < 1e-12 else float((i.shared - chance) / below)


@measure(cite="meila2007", bounds=(0.0, math.inf))
def vi_distance(s: Shapes) -> Floats:
    """Variation of information (VI): what each side tells that the other does not, in nats.

    Definition:  VI = H(truth | guess) + H(guess | truth)

    Also known as: shared information distance.
    """
    return variation(s)


Unit = Literal["nats", "bits"]
UNITS = {"nats": 1.0, "bits": math.log(2)}
"""What information is measured in, and how many nats that is."""


@measure(
    cite="meila2007", bounds=(0.0, math.inf), symmetric=False, perfect=False, best=0.0,
    conventions=("unit",),
)  # fmt: skip
def vi_split(s: Shapes, *, unit: Unit = "nats") -> Floats:
    """Split part of the variation of information: how guess cuts truth clusters, in nats.

    Definition:  H(guess | truth) = Σ_TG |T∩G|/n · log(|T| / |T∩G|)

    0 where no truth cluster is split. With vi_merge it adds up to vi_distance. Connectomics and
    scikit-image report both in bits, unit='bits', which are nats over log 2.

    Also known as: VI split, oversegmentation entropy, conditional entropy of the guess.
    """
    return np.log(s.truth_size / s.both) / UNITS[unit]


@measure(
    cite="meila2007", bounds=(0.0, math.inf), symmetric=False, perfect=False, best=0.0,
    conventions=("unit",),
)  # fmt: skip
def vi_merge(s: Shapes, *, unit: Unit = "nats") -> Floats:
    """Merge part of the variation of information: what guess clusters mix up, in nats.

    Definition:  H(truth | guess) = Σ_TG |T∩G|/n · log(|G| / |T∩G|)

    0 where no guess cluster has objects of two truth clusters. With vi_split it adds up to
    vi_distance. Connectomics and scikit-image report both in bits, unit='bits', which are nats over
    log 2.

    Also known as: VI merge, undersegmentation entropy, conditional entropy of the truth.
    """
    return np.log(s.guess_size / s.both) / UNITS[unit]


@measure(cite="meila2007")
def vi_similarity(s: Shapes) -> float:
    """Variation of information on the scale of n objects: similarity 1 - VI / log n.

    Definition:  V = 1 - (H(truth | guess) + H(guess | truth)) / log n
    """
    score: float = larger(0.0, 1.0 - ratio(_variation(s)[0], np.log(s.objects), 0.0))
    return score


@measure(cite="meila2007")
def vi_similarity_k(s: Shapes, *, k: int | None = None) -> float:
    """Variation of information on the scale of k clusters: similarity 1 - VI / log k².

    Definition:  K = 1 - (H(truth | guess) + H(guess | truth)) / log k²

    k bounds the number of clusters; left out, it is the larger of the two numbers. With a smaller
    k the score can be negative.
    """
    vi, most = _variation(s)
    if k == 1 and np.any(most > 1):
        raise UnknownParameter.from_value(
            "vi_similarity_k", "k", k, "at least 2 for these clusters"
        )
    plain = 1.0 - ratio(vi, 2 * np.log(k or most), 0.0)
    score: float = either(most > (k or most), plain, larger(0.0, plain))
    return score


@measure(cite="rosenberg2007", symmetric=False, perfect=False)
def homogeneity(s: Shapes) -> float:
    """Homogeneity: how pure the guess clusters are, 1 - H(truth | guess) / H(truth).

    Definition:  h = 1 - H(truth | guess) / H(truth)

    Also known as: homogeneity_score.
    """
    return _quality(information(s))[0]


@measure(cite="jerdee2023", symmetric=False, perfect=False)
def asymmetric_nmi(s: Shapes) -> float:
    """Asymmetric normalized mutual information: share of the truth's entropy that guess explains.

    Definition:  I / H(truth)

    Divided by the entropy of the truth alone, so that a guess with more clusters does not change
    what it is divided by. With Shannon's mutual information, as here, it is homogeneity by another
    name, and a guess of all singletons scores 1; Jerdee, Kirkley and Newman take their reduced
    mutual information instead, which is reduced_mutual_information(norm='truth').

    Also known as: asymmetric NMI, uncertainty coefficient, coefficient of constraint.
    """
    return _quality(information(s))[0]


@measure(cite="rosenberg2007", symmetric=False, perfect=False)
def completeness(s: Shapes) -> float:
    """Completeness: how whole the truth clusters stay, 1 - H(guess | truth) / H(guess).

    Definition:  c = 1 - H(guess | truth) / H(guess)

    Also known as: completeness_score.
    """
    return _quality(information(s))[1]


@measure(cite="rosenberg2007", halves=("homogeneity", "completeness"))
def v_measure(s: Shapes, *, alpha: float = 0.5) -> float:
    """V-measure: harmonic mean of homogeneity and completeness.

    Definition:  V = 1 / (α/h + (1 - α)/c)

    For α = 1/2 it equals nmi.

    Also known as: v_measure_score.
    """
    return f_score(*_quality(information(s)), alpha)


def _quality(i: Information) -> tuple[float, float]:
    """Mutual information as a share of the truth's entropy, and of the guess's."""
    return (
        larger(0.0, 1.0 - ratio(i.truth_given_guess, i.truth, 0.0)),
        larger(0.0, 1.0 - ratio(i.guess_given_truth, i.guess, 0.0)),
    )


def information_terms(m: HardMeet) -> dict[str, Floats]:
    """Objects and clusters of each row, and x log x of the sizes of its clusters and of itself."""
    n, (truths, guesses) = size_of(m), clusters_of(m)
    logs = {"truth": m.truth_size, "guess": m.guess_size, "both": m.both}
    return {
        "objects": n, "truths": truths, "guesses": guesses,
        **{name: n * np.log(size) for name, size in logs.items()},
    }  # fmt: skip


def information_of_sums(s: Mapping[str, Floats]) -> Information:
    """All entropies of comparisons of which sums of `information_terms` are known."""
    n = s["objects"]
    log_n = np.log(n)
    found: Any = (
        np.maximum(0.0, log_n - s["truth"] / n),
        np.maximum(0.0, log_n - s["guess"] / n),
        np.maximum(0.0, log_n + (s["both"] - s["truth"] - s["guess"]) / n),
        np.maximum(0.0, (s["guess"] - s["both"]) / n),
        np.maximum(0.0, (s["truth"] - s["both"]) / n),
        s["truths"],
        s["guesses"],
    )
    return Information(*found)


def information_of_lines(s: LineSums) -> Information:
    """All entropies of every line of a sweep; counts decide where one is 0."""
    n = s.objects
    truth = s.truth_logs / n if s.truths > 1 else 0.0
    guess = np.where(s.clusters == 1, 0.0, s.guess_logs / n)
    both = s.both_logs / n
    found: Any = (
        np.broadcast_to(truth, s.lines),
        guess,
        np.maximum(0.0, truth + guess - both),
        np.where(s.rows == s.clusters, 0.0, np.maximum(0.0, both - guess)),
        np.where(s.rows == s.truths, 0.0, np.maximum(0.0, both - truth)),
        s.each(s.truths),
        s.clusters,
    )
    return Information(*found)


functions_of_summary(
    (
        mutual_information,
        nmi,
        asymmetric_nmi,
        vi_similarity,
        vi_similarity_k,
        homogeneity,
        completeness,
        v_measure,
    ),
    information_terms,
    information_of_sums,
    information_of_lines,
    counts_all=True,
)
function_of_lines(vi_distance, lambda s: information_of_lines(s).variation)
function_of_lines(vi_split, lambda s, unit: information_of_lines(s).guess_given_truth / UNITS[unit])
function_of_lines(vi_merge, lambda s, unit: information_of_lines(s).truth_given_guess / UNITS[unit])
_for_k = HOOKS["vi_similarity_k", "lines"]
vi_similarity_k.hook("lines")(lambda k: None if k == 1 else _for_k(k=k))  # only one cluster fits


def _left_open(m: HardMeet) -> tuple[Floats, Floats]:
    """What rows add to the entropy of truth given guess, and to that of guess given truth."""
    return (
        m.weight * np.log(m.guess_size / m.both) / m.objects,
        m.weight * np.log(m.truth_size / m.both) / m.objects,
    )


vi_similarity.hook("loss")(lambda m: part_of(np.add(*_left_open(m)), math.log(m.objects)))
vi_similarity_k.hook("loss")(
    lambda m, k: part_of(np.add(*_left_open(m)), 2 * math.log(k or max(m.clusters)))
)
for _share in (homogeneity, asymmetric_nmi):
    _share.hook("loss")(lambda m: part_of(_left_open(m)[0], entropy(m.truth_sizes)))
completeness.hook("loss")(lambda m: part_of(_left_open(m)[1], entropy(m.guess_sizes)))
vi_distance.hook("per_nat")(lambda n: 1.0 / n)
vi_similarity.hook("per_nat")(lambda n: 1.0 / (n * math.log(n)) if n > 1 else None)


@nmi.hook("loss")
def nmi_loss(m: HardMeet, norm: str) -> Floats | None:
    """What rows leave unknown, over the normaliser; None where it is not a sum over rows."""
    truth, guess = entropy(m.truth_sizes), entropy(m.guess_sizes)
    of_truth, of_guess = _left_open(m)
    match norm:
        case "max":
            return part_of(of_truth if truth >= guess else of_guess, max(truth, guess))
        case "arithmetic":
            return part_of(of_truth + of_guess, truth + guess)
        case "joint":
            return part_of(of_truth + of_guess, truth + float(of_guess.sum()))
        case _:
            return None
