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
    taken = np.full(found.new_size.size, -1)
    chosen = _matched_rows(found, min_share)
    taken[found.new[chosen]] = found.old[chosen]
    return taken


def _matched_rows(found: Overlaps, min_share: Fraction | None) -> Ints:
    """The rows of the best matching.

    Rows of a cluster whose others meet no other cluster are a component with one old or one new
    cluster, which needs no search.
    """
    rows = None if min_share is None else np.flatnonzero(allowed_rows(found, min_share))
    old, new = (c if rows is None else c[rows] for c in (found.old, found.new))
    of_old, of_new = np.bincount(old), np.bincount(new)
    last_of_old, last_of_new = of_old[old] == 1, of_new[new] == 1
    split = _whole_stars(old, of_old, last_of_new)
    merged = _whole_stars(new, of_new, last_of_old)
    alone = last_of_old & last_of_new
    parts = [np.flatnonzero(alone)]
    weight = found.shared if found.weight is None else found.weight
    for star, centre, ends in ((split, old, new), (merged, new, old)):
        some = np.flatnonzero(star & ~alone)
        own = some if rows is None else rows[some]
        keys = (ends[some], -found.thousandths_of(own), -weight[own], centre[some])
        order = np.lexsort(keys)
        parts.append(some[order[np.flatnonzero(np.diff(centre[some][order], prepend=-1))]])
    knot = np.flatnonzero(~(alone | split | merged))
    knot = knot[np.lexsort((new[knot], old[knot]))]
    own = knot if rows is None else rows[knot]
    parts.append(knot[_matched_knots(old[knot], new[knot], weight[own], found.thousandths_of(own))])
    chosen = np.concatenate(parts)
    return chosen if rows is None else rows[chosen]


def _whole_stars(centre: Ints, degree: Ints, last: Bools) -> Bools:
    """Rows of clusters all of whose rows are the only ones of the cluster at the other end."""
    found = np.bincount(centre[last], minlength=degree.size) == degree
    return np.asarray(found[centre]) if centre.size else last


def _matched_knots(old: Ints, new: Ints, weight: Ints, thousandths: Ints) -> Ints:
    """The rows of the best matching of components with several clusters on both sides."""
    if not old.size:
        return old
    left, olds = number(old)
    right, news = number(new)
    part = components(left, right + olds, olds + news)
    many = int(part.max()) + 1
    sides = np.bincount(part[:olds], minlength=many), np.bincount(part[olds:], minlength=many)
    amount = _lexicographic(part[left], np.minimum(*sides), weight, thousandths)
    return _matching(left, right, amount)


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
    made: Ints = weight * factor[part] + thousandths // coarse[part]
    return made.astype(np.float64)


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
