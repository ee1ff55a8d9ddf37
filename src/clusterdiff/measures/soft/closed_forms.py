"""Sums over pairs of rows of products of bilinear forms: linear in the rows.

Σ over pairs (i, j) of (a_i·b_j)(c_i·d_j) is the product, entry by entry, of Σ_i a_i c_iᵀ and
Σ_j b_j d_jᵀ. Where both forms are symmetric, half of it, less half of what rows have with
themselves, is the sum over pairs of distinct objects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.soft.fuzzy_pairs import PairAgreement
from clusterdiff.measures.soft.pair_masses import MassFeatures


class Bilinear(NamedTuple):
    """A symmetric form of two rows: the product of these."""

    one: Floats
    other: Floats


def summed_products(weight: Floats, first: Bilinear, second: Bilinear) -> float:
    """The sum over pairs of distinct objects of the product of two forms."""
    every = first.one.T @ (weight[:, None] * second.one)
    every *= first.other.T @ (weight[:, None] * second.other)
    own = np.einsum("ij,ij->i", *first) * np.einsum("ij,ij->i", *second)
    return float(every.sum() - weight @ own) / 2


def summed_conflict(truth: MassFeatures, guess: MassFeatures, both: Ints) -> float:
    """The mass on relations that exclude each other, added up over pairs of distinct objects."""
    weight = both.astype(np.float64)
    known = [Bilinear(side.known[:, None], side.known[:, None]) for side in (truth, guess)]
    same = [Bilinear(side.single, side.single) for side in (truth, guess)]
    total = float(weight.sum() ** 2 - weight.sum()) / 2 - summed_products(weight, *known)
    for mine, side, other in ((0, guess, 1), (1, truth, 0)):
        if side.mass.shape[1]:
            total += summed_products(weight, same[mine], Bilinear(side.against, side.mass))
        else:
            total += summed_products(weight, same[mine], known[other])
            total -= summed_products(weight, same[mine], same[other])
    return total


def summed_chances(truth: Floats, guess: Floats, both: Ints) -> PairAgreement | None:
    """Sums over pairs by products and bounded sums, where no bound is reached: the rows of both
    sides sum to one at most.
    """
    weight = both.astype(np.float64)
    sums = [side.sum(axis=1, keepdims=True) for side in (truth, guess)]
    if max(one.max(initial=0.0) for one in sums) > 1.0 + 1e-13:
        return None
    whole, same = [Bilinear(one, one) for one in sums], [Bilinear(x, x) for x in (truth, guess)]
    together = summed_products(weight, same[0], same[1])
    in_truth = summed_products(weight, same[0], whole[1])
    in_guess = summed_products(weight, whole[0], same[1])
    every = summed_products(weight, whole[0], whole[1])
    return PairAgreement(
        together, in_truth - together, in_guess - together, every - in_truth - in_guess + together
    )
