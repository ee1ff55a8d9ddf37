"""The renaming of clusters that lets as many objects as possible keep their id.

An object keeps its id where its row is matched, so the best renaming is a matching of old with new
clusters whose rows have the largest sum of objects. It falls apart over connected components; with
one old or one new cluster the best row is found by sorting.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.encode.group import number
from clusterdiff.errors import ClusterdiffError, shown
from clusterdiff.meet.join import components

if TYPE_CHECKING:
    from clusterdiff.meet.overlaps import Overlaps

EXACT = 2**53
"""Whole numbers below it are exact as doubles, in which the solver counts."""


def check_min_share(share: float | None) -> Fraction | None:
    """A share from 0 to below 1, as it is written."""
    if share is None:
        return None
    try:
        exact = Fraction(str(share))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(-1)
    if isinstance(share, bool) or not 0 <= exact < 1:
        raise ClusterdiffError(
            f"min_share is a share from 0 to below 1, got {shown(share)}.",
            "min_share=0.5 keeps an id where more than half of its objects stay together.",
            "--min-share 0.5 keeps an id where more than half of its objects stay together.",
        )
    return exact.limit_denominator(10**6)


def allowed_rows(found: Overlaps, share: Fraction | None) -> Bools:
    """Rows with more than this share of the objects of their old cluster."""
    if share is None:
        return np.ones(found.shared.size, np.bool_)
    size = found.old_size[found.old]
    return np.asarray(found.shared * share.denominator > size * share.numerator)


def best_renaming(found: Overlaps, min_share: Fraction | None = None) -> Ints:
    """For each new cluster the old one whose id it takes, -1 for none.

    The matched rows have the largest possible sum of objects (or of their weights); among such
    renamings the largest sum of Jaccard indices in thousandths. What is left is decided by the
    order of clusters: in a component with one old or one new cluster the first old or new one, in
    others by the solver, which is given them in their order.
    """
    rows = np.flatnonzero(allowed_rows(found, min_share))
    heavy = found.shared if found.weight is None else found.weight
    chosen = matched_rows(found.old[rows], found.new[rows], heavy[rows], found.thousandths[rows])
    taken = np.full(found.new_size.size, -1)
    taken[found.new[rows[chosen]]] = found.old[rows[chosen]]
    return taken


def matched_rows(old: Ints, new: Ints, weight: Ints, thousandths: Ints) -> Ints:
    """The rows of the best matching; rows come in the order of (old, new)."""
    degree = np.bincount(old), np.bincount(new)
    alone = (degree[0][old] == 1) & (degree[1][new] == 1) if old.size else np.zeros(0, np.bool_)
    rest = np.flatnonzero(~alone)
    if not rest.size:
        return np.flatnonzero(alone)
    left, olds = number(old[rest])
    right, news = number(new[rest])
    part = components(left, right + olds, olds + news)
    many = int(part.max()) + 1
    sides = np.bincount(part[:olds], minlength=many), np.bincount(part[olds:], minlength=many)
    fewer, own = np.minimum(*sides), part[left]
    star = fewer[own] == 1
    stars = _heaviest(own[star], weight[rest[star]], thousandths[rest[star]])
    knot = np.flatnonzero(~star)
    amount = _lexicographic(own[knot], fewer, weight[rest[knot]], thousandths[rest[knot]])
    knots = _matching(left[knot], right[knot], amount)
    return np.concatenate([np.flatnonzero(alone), rest[star][stars], rest[knot][knots]])


def _heaviest(part: Ints, weight: Ints, thousandths: Ints) -> Ints:
    """The heaviest row of each part, of equal ones the first."""
    order = np.lexsort((-thousandths, -weight, part))
    return order[np.flatnonzero(np.diff(part[order], prepend=-1))]


def _lexicographic(part: Ints, fewer: Ints, weight: Ints, thousandths: Ints) -> Floats:
    """One number per row whose sums over matchings compare as (weight, thousandths) do.

    A matching of k rows has at most 1000 k thousandths, so weights are multiplied by 1000 k + 1.
    Where these sums would not be exact as doubles, Jaccard indices are taken in coarser steps.
    """
    total = np.zeros(fewer.size)
    np.add.at(total, part, weight.astype(np.float64))
    coarse = np.ones(fewer.size, np.int64)
    for step in (10, 100, 1000, 10_000):
        coarse[total * (1000 // (step // 10) * fewer + 1) >= EXACT] = step
    if (total >= EXACT).any():
        raise ClusterdiffError(
            f"the weights of {int((total >= EXACT).sum()):,} groups of clusters add up to more "
            "than 2^53, beyond which sums are not exact.",
            "divide all weights by the same number, or round them to whole numbers.",
        )
    factor = 1000 // coarse * fewer + 1
    return (weight * factor[part] + thousandths // coarse[part]).astype(np.float64)


def _matching(old: Ints, new: Ints, weight: Floats) -> Ints:
    """The rows of a heaviest matching. Rows that every heaviest matching has are taken until there
    are none, the rest goes to the solver in the order of clusters.
    """
    from clusterdiff.measures.hard.assignment import assigned, in_bundles, touched

    chosen, rest = [], np.arange(old.size)
    while rest.size:
        left, right = number(old[rest])[0], number(new[rest])[0]
        sure = _in_every(left, right, weight[rest])
        if not sure.any():
            break
        chosen.append(rest[sure])
        rest = rest[~(touched(left, sure) | touched(right, sure))]
    chosen.extend(
        bundle[assigned(old[bundle], new[bundle], weight[bundle])]
        for bundle in in_bundles(rest, old, new)
    )
    return np.concatenate(chosen) if chosen else rest


def _in_every(old: Ints, new: Ints, weight: Floats) -> Bools:
    """Rows heavier than the heaviest other rows of their two clusters together: a matching without
    such a row gains by taking it in their place.
    """
    from clusterdiff.measures.hard.assignment import first_and_second

    (first, second), (other_first, other_second) = (
        first_and_second(cluster, weight) for cluster in (old, new)
    )
    return np.asarray(first & other_first & (weight > second + other_second))
