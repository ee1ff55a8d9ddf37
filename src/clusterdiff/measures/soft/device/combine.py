"""What is added up over pairs of rows, of relations that are tensors."""

from __future__ import annotations

from itertools import product
from typing import Any, Literal, NamedTuple

from clusterdiff.measures.soft.fuzzy_pairs import ROUNDING

Combining = Literal["alpha", "belief", "jousselme", "size", "gap", "agreement"]
SUMS: dict[Combining, int] = {
    "alpha": 3, "belief": 1, "jousselme": 1, "size": 1, "gap": 1, "agreement": 4,
}  # fmt: skip
"""How many sums there are: for every alpha, three are enough."""


class Norms(NamedTuple):
    """A t-norm and a t-conorm."""

    tnorm: str = "min"
    conorm: str = "max"


class Known(NamedTuple):
    """Masses of relations: together, apart, and all that is not impossible."""

    same: Any
    apart: Any
    known: Any


def alpha_parts(one: Known, other: Known) -> tuple[Any, Any, Any]:
    """What turning one relation into the other costs for each alpha: the first, alpha times the
    second, less (1 - 2 alpha) times the third where alpha is below a half.

    What is impossible on one side alone has to be moved at 1. Half the sum of the differences, less
    half of that, is moved otherwise: at alpha what comes from or goes to unknown, the rest at 1, or
    through unknown as far as both sides have some.
    """
    unknown1 = (one.known - one.same - one.apart).clamp(min=0.0)
    unknown2 = (other.known - other.same - other.apart).clamp(min=0.0)
    lost, unknown = (one.known - other.known).abs(), (unknown1 - unknown2).abs()
    differing = (one.same - other.same).abs() + (one.apart - other.apart).abs() - lost
    crossing = (0.5 * (differing - unknown)).clamp(min=0.0)
    moved = 0.5 * (differing + unknown) - crossing
    return lost + crossing, moved, crossing.minimum(unknown1).minimum(unknown2)


def at_alpha(parts: Any, alpha: float) -> Any:
    """The cost for one alpha, of its three parts."""
    return parts[0] + alpha * parts[1] - max(0.0, 1.0 - 2.0 * alpha) * parts[2]


def combined(combining: Combining, one: Known, other: Known, norms: Norms) -> Any:
    """What a pair of rows adds to each sum."""
    if combining == "size":
        return (one.same.abs(),)
    if combining == "alpha":
        return alpha_parts(one, other)
    if combining == "gap":
        return ((one.same - other.same).abs(),)
    if combining == "agreement":
        ways = product((one.same, one.apart), (other.same, other.apart))
        return tuple(both(norms.tnorm, *way) for way in ways)
    same, apart = one.same - other.same, one.apart - other.apart
    empty = other.known - one.known
    if combining == "belief":
        return (0.5 * (same.abs() + apart.abs() + empty.abs()),)
    unknown = -(same + apart + empty)
    squared = same * same + apart * apart + unknown * unknown + empty * empty
    squared = 0.5 * (squared + (same + apart) * unknown)
    return (squared.clamp(min=0.0).sqrt(),)


def both(tnorm: str, one: Any, other: Any) -> Any:
    """A t-norm."""
    if tnorm == "min":
        return one.minimum(other)
    if tnorm == "product":
        return one * other
    found = one + other - 1.0
    return found * (found > ROUNDING)


def either(conorm: str, one: Any, other: Any) -> Any:
    """A t-conorm."""
    if conorm == "max":
        return one.maximum(other)
    if conorm == "bounded_sum":
        return (one + other).clamp(max=1.0)
    return one + other - one * other
