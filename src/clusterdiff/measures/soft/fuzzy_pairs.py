"""Sums over pairs of objects of what two rows of degrees make of "together" and "apart"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.errors import KindError
from clusterdiff.measures.soft.pair_masses import SMALL
from clusterdiff.meet import SoftMeet, SoftSide

TNorm = Literal["min", "product", "lukasiewicz"]
CoNorm = Literal["max", "bounded_sum", "probabilistic_sum"]
Distance = Literal["half_l1", "max", "cosine"]
WIDE = 64
"""Clusters above which pairs of them are not laid out."""
ROUNDING = 1e-15
"""What is below is the rounding of 0."""


class PairAgreement(NamedTuple):
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""

    both: float
    truth: float
    guess: float
    neither: float


def refuse_sets(name: str, m: SoftMeet) -> None:
    """Refuse masses on sets, which are no degrees of membership."""
    for side in (m.truth, m.guess):
        if side.kind == "evidential" and not side.masses.bayesian and side.labels is None:
            raise KindError.from_membership(name, side.kind)


def degrees(side: SoftSide) -> Floats:
    """The degree of each row for each cluster."""
    return side.masses.plausible[side.row]


def agreement(name: str, m: SoftMeet, tnorm: TNorm, conorm: CoNorm) -> PairAgreement:
    """Sums over pairs of distinct objects, after Campello."""
    refuse_sets(name, m)
    if m.rows > SMALL and (tnorm, conorm) == ("product", "bounded_sum"):
        from clusterdiff.measures.soft.closed_forms import summed_chances

        if (found := summed_chances(degrees(m.truth), degrees(m.guess), m.both)) is not None:
            return found
    if m.rows > SMALL and m.masses_on_device:
        from clusterdiff.measures.soft.device import sums

        return PairAgreement(*sums.summed_agreement(m, tnorm, conorm))
    truth, guess = degrees(m.truth), degrees(m.guess)
    if m.rows > SMALL or truth.shape[1] + guess.shape[1] > WIDE:
        from clusterdiff.measures.soft.fuzzy_pair_kernels import summed_agreement

        norms = get_args(TNorm).index(tnorm), get_args(CoNorm).index(conorm)
        return PairAgreement(*summed_agreement(truth, guess, m.both, *norms))
    total = np.zeros(4)
    for row, count in _blocks(m):
        v, x = (_relate(truth, row, part, tnorm, conorm) for part in ("same", "apart"))
        y, z = (_relate(guess, row, part, tnorm, conorm) for part in ("same", "apart"))
        total += [(_meet(tnorm, *pair) * count).sum() for pair in ((v, y), (v, z), (x, y), (x, z))]
    return PairAgreement(*map(float, total))


def differences(name: str, m: SoftMeet, distance: Distance) -> float:
    """The sum over pairs of distinct objects of how much their distances differ."""
    refuse_sets(name, m)
    if m.rows > SMALL and m.masses_on_device:
        from clusterdiff.measures.soft.device import sums

        return sums.summed_differences(m, distance)
    truth, guess = degrees(m.truth), degrees(m.guess)
    if m.rows > SMALL:
        from clusterdiff.measures.soft.fuzzy_pair_kernels import summed_differences

        return float(summed_differences(truth, guess, m.both, get_args(Distance).index(distance)))
    total = 0.0
    for row, count in _blocks(m):
        gap = _apart(truth, row, distance) - _apart(guess, row, distance)
        total += float((np.abs(gap) * count).sum())
    return total


def _blocks(m: SoftMeet) -> Iterator[tuple[int, Floats]]:
    """Each row, and with how many pairs of objects it meets itself and the rows behind it."""
    weight = m.both.astype(np.float64)
    for row in range(m.rows):
        count = weight[row:] * weight[row]
        count[0] = weight[row] * (weight[row] - 1) / 2
        yield row, count


def _meet(tnorm: str, one: Floats, other: Floats) -> Floats:
    """Both: a t-norm."""
    if tnorm == "min":
        return np.asarray(np.minimum(one, other))
    if tnorm == "product":
        return np.asarray(one * other)
    both = one + other - 1.0
    return np.asarray(np.where(both > ROUNDING, both, 0.0))


def _join(conorm: str, values: Floats) -> Floats:
    """Any: a t-conorm over the last axis."""
    if conorm == "max":
        return np.asarray(values.max(axis=-1, initial=0.0))
    if conorm == "bounded_sum":
        return np.asarray(np.minimum(1.0, values.sum(axis=-1)))
    return np.asarray(1.0 - (1.0 - values).prod(axis=-1))


def _relate(rows: Floats, row: int, part: str, tnorm: str, conorm: str) -> Floats:
    """How far a row is together with, or apart from, itself and the rows behind it."""
    one, others = rows[row], rows[row:]
    if part == "same":
        return _join(conorm, _meet(tnorm, one, others))
    clusters = one.size
    first, second = np.nonzero(~np.eye(clusters, dtype=np.bool_))
    return _join(conorm, _meet(tnorm, one[first], others[:, second]))


def _apart(rows: Floats, row: int, distance: str) -> Floats:
    """The distance of a row to itself and the rows behind it, from 0 to 1."""
    one, others = rows[row], rows[row:]
    gap = np.abs(others - one)
    if distance == "half_l1":
        return np.asarray(np.minimum(1.0, 0.5 * gap.sum(axis=1)))
    if distance == "max":
        return np.asarray(gap.max(axis=1, initial=0.0))
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    product = length[row] * length[row:]
    cosine = np.divide(others @ one, product, out=np.zeros(len(others)), where=product > 0)
    cosine[(length[row:] == 0) & (length[row] == 0)] = 1.0
    return np.asarray(np.clip(1.0 - cosine, 0.0, 1.0))
