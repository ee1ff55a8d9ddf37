"""BCubed, and its repair ELM: how well each object finds the others like it."""

from __future__ import annotations

from clusterdiff.measures.core.measure import Floats, Form, measure
from clusterdiff.measures.core.zero_division import f_of, share
from clusterdiff.measures.hard.pairs import mates
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
    """Mean over objects: the share of its guess cluster that belongs with it, itself included.

    Definition:  P = 1/n Σ_o |T(o) ∩ G(o)| / |G(o)|
    """
    return companions(s)[0]


@measure(
    cite="bagga1998", reached=False, symmetric=False, perfect=False, penalise=True, over="truth"
)
def bcubed_recall(s: Shapes) -> Floats:
    """Mean over objects: the share of its truth cluster that guess keeps with it.

    Definition:  R = 1/n Σ_o |T(o) ∩ G(o)| / |T(o)|
    """
    return companions(s)[1]


@measure(cite="bagga1998", reached=False, penalise=True)
def bcubed_f(s: Shapes, *, alpha: float = 0.5, f: Form = "objects") -> float | Floats:
    """Harmonic mean of BCubed precision and recall; never 0, as each object finds itself.

    Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                 F(P, R) = 1 / (α/P + (1 - α)/R)

    f='objects' is the mean over objects of their F, f='means' the F of mean precision and
    mean recall, which most other packages call BCubed F.
    """
    shares = companions(s)
    return f_of(f, shares, lambda: means(s, shares), alpha)


@measure(cite="vanheusden2022", symmetric=False, perfect=False, penalise=True, over="guess")
def elm_precision(s: Shapes) -> Floats:
    """Mean over objects: the share of the others in its guess cluster that belong with it.

    Definition:  P(o) = |T(o) ∩ G(o) \\ {o}| / |G(o) \\ {o}|, and 1 if G(o) = {o}
    """
    return mates(s)[0]


@measure(cite="vanheusden2022", symmetric=False, perfect=False, penalise=True, over="truth")
def elm_recall(s: Shapes) -> Floats:
    """Mean over objects: the share of the others in its truth cluster that guess keeps with it.

    Definition:  R(o) = |T(o) ∩ G(o) \\ {o}| / |T(o) \\ {o}|, and 1 if T(o) = {o}
    """
    return mates(s)[1]


@measure(cite="vanheusden2022", penalise=True)
def elm_f(s: Shapes, *, alpha: float = 0.5, f: Form = "objects") -> float | Floats:
    """How well each object finds the others like it; BCubed F without the object itself.

    Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                 F(P, R) = 1 / (α/P + (1 - α)/R), and 0 if P = 0 or R = 0

    0 for the two extremes, all in one cluster and each alone, where truth is the other one.
    """
    shares = mates(s)
    return f_of(f, shares, lambda: means(s, shares), alpha)
