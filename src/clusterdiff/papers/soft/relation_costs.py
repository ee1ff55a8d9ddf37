"""What it costs to turn one relation of two objects into another, exactly: Theorems 4.3 and 4.4."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.laboratory.search.distances import CLOSE, metric
from clusterdiff.laboratory.spaces.soft_anchored import carried
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.soft.statements import together

if TYPE_CHECKING:
    from clusterdiff.arrays import Floats, Ints


ALPHAS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
HALF = Fraction(1, 2)


@cache
def relations(parts: int, *, empty: bool = False) -> Ints:
    """All masses of equal parts on together 0, apart 1, unknown 2 and, if wanted, impossible 3."""
    places = range(4 if empty else 3)
    return np.array(list(combinations_with_replacement(places, parts)), np.int64)


@cache
def costs(parts: int, alpha: Fraction, *, empty: bool = False) -> Floats:
    """r_α of all pairs of relations, by its definition."""
    unit = alpha.denominator
    price = np.full((4, 4), unit)
    price[2, :2] = price[:2, 2] = alpha.numerator
    np.fill_diagonal(price, 0)
    points = relations(parts, empty=empty)
    return carried(points, points, price) / (parts * unit)


def shares(parts: int, *, empty: bool = False) -> Floats:
    """The masses of all relations on together, apart, unknown and impossible."""
    points = relations(parts, empty=empty)
    return np.stack([(points == place).sum(axis=1) for place in range(4)], axis=1) / parts


def metric_of_relations() -> Finding:
    """r_α: a metric from α = 1/2 on, 1/2α-relaxed below, a consistency at 0."""
    told, holds = [], True
    for empty in (False, True):
        level = np.zeros(len(relations(4, empty=empty)), np.int64)
        for alpha in ALPHAS:
            found = metric(costs(4, alpha, empty=empty), level)
            fits = not alpha or (
                found.separation is None and found.constant <= max(Fraction(1), 1 / (2 * alpha))
            )
            holds &= found.own is None and found.symmetry is None and fits
            told.append(f"α = {alpha}: {found.kind}")
    scope = "all triples of the relations of two objects in quarters, 15 and with empty mass 35"
    return Finding("true" if holds else "false", scope, "; ".join(dict.fromkeys(told)))


def closed_forms(mass: Floats, alpha: Fraction) -> Floats:
    """What Theorem 4.4 has for r_α of all pairs, at α = 0, 1/2 and 1."""
    one, other = mass[:, None], mass[None]
    differ = np.abs(one - other)
    if alpha == 1:
        return np.asarray(differ.sum(axis=2) / 2)
    if alpha == HALF:
        return np.asarray(differ[:, :, :2].sum(axis=2) / 2)
    crossed = np.abs(one[:, :, 0] + other[:, :, 1] - 1) + np.abs(one[:, :, 1] + other[:, :, 0] - 1)
    return np.asarray((crossed - one[:, :, 2] - other[:, :, 2]) / 2)


def closed_form(alpha: Fraction, *, empty: bool) -> Finding:
    """Whether a closed form is what transport gives; the smallest case in parts of a mass."""
    scopes = []
    for parts, what in enumerate(("wholes", "halves", "thirds", "quarters"), 1):
        mass = shares(parts, empty=empty)
        exactly, printed = costs(parts, alpha, empty=empty), closed_forms(mass, alpha)
        gap = np.abs(exactly - printed)
        scopes.append(f"{gap.size} pairs of relations in {what}")
        if gap.max() > CLOSE:
            i, j = np.unravel_index(gap.argmax(), gap.shape)
            told = f"α = {alpha}: {exactly[i, j]:g}, by the formula {printed[i, j]:g}"
            masses = " and ".join(_relation(mass[k]) for k in (i, j))
            return Finding("false", "; ".join(scopes), f"{told}, for {masses}", 2)
    return Finding("true", "; ".join(scopes), f"α = {alpha}: the same in all")


def _relation(mass: Floats) -> str:
    names = ("together", "apart", "unknown", "impossible")
    held = [(name, value) for name, value in zip(names, mass, strict=True) if value]
    return " + ".join(f"{value:g} {name}" if value < 1 else name for name, value in held)


def closed_forms_hold(*, empty: bool) -> Finding:
    """All three closed forms."""
    return together(
        *(closed_form(alpha, empty=empty) for alpha in (Fraction(0), HALF, Fraction(1)))
    )
