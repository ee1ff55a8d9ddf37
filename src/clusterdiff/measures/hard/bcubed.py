"""BCubed, and its repair ELM: how well each object finds the others like it."""

from __future__ import annotations

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.lines import LineSums, SizeMean, family_of_lines, size_mean
from clusterdiff.measures.core.measure import Form, measure
from clusterdiff.measures.core.sums import f_of_sums, f_terms, function_of_sums
from clusterdiff.measures.core.zero_division import f_of, share
from clusterdiff.measures.hard.pairs import mates, mates_f, mates_of_lines
from clusterdiff.meet import Counted, Shapes


def companions(s: Counted) -> tuple[Floats, Floats]:
    """Each object's precision and recall over its clusters, itself included."""
    return share(s.found, s.guess_size, 0.0), share(s.found, s.truth_size, 0.0)


def means(s: Counted, shares: tuple[Floats, Floats]) -> tuple[float, float]:
    """Mean precision over the objects of guess, mean recall over those of truth."""
    return s.mean(shares[0], "guess"), s.mean(shares[1], "truth")


@measure(
    cite="bagga1998", reached=False, symmetric=False, perfect=False, penalise=True, over="guess"
)
def bcubed_precision(s: Shapes) -> Floats:
    """BCubed precision: mean share of an object's guess cluster that shares its truth cluster.

    Definition:  P = 1/n Σ_o |T(o) ∩ G(o)| / |G(o)|

    Also known as: B-cubed precision, B3 precision.
    """
    return companions(s)[0]


@measure(
    cite="bagga1998", reached=False, symmetric=False, perfect=False, penalise=True, over="truth"
)
def bcubed_recall(s: Shapes) -> Floats:
    """BCubed recall: mean share of an object's truth cluster that shares its guess cluster.

    Definition:  R = 1/n Σ_o |T(o) ∩ G(o)| / |T(o)|

    Also known as: B-cubed recall, B3 recall.
    """
    return companions(s)[1]


@measure(cite="bagga1998", reached=False, penalise=True)
def bcubed_f(s: Shapes, *, alpha: float = 0.5, f: Form = "objects") -> float | Floats:
    """BCubed F: harmonic mean of BCubed precision and recall; never 0.

    Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                 F(P, R) = 1 / (α/P + (1 - α)/R)

    f='objects' is the mean over objects of their F, f='means' the F of mean precision and
    mean recall, which most other packages call BCubed F. It is never 0, as each object finds
    itself.

    Also known as: B-cubed F, B3 F, BCubed F-measure.
    """
    shares = companions(s)
    return f_of(f, shares, lambda: means(s, shares), alpha)


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


for _f, _shares in ((bcubed_f, companions), (elm_f, mates)):
    function_of_sums(
        _f,
        lambda rows, shares=_shares: f_terms(rows, shares(rows)),
        lambda s, _, alpha, f: f_of_sums(s, alpha),
    )
    _f.fact("squared_euclidean")(lambda alpha, f: alpha == 0.5 and f == "objects")


def _companions_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """BCubed precision and recall of every line of a sweep."""
    return share(s.precise, s.each(s.objects)), share(s.recalled, s.each(s.objects))


family_of_lines(
    (bcubed_precision, bcubed_recall, bcubed_f),
    _companions_of_lines,
    lambda alpha: size_mean(SizeMean("bcubed", alpha)),
)
family_of_lines((elm_precision, elm_recall, elm_f), mates_of_lines, mates_f)
