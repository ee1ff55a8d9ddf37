"""What each row of a comparison takes off the best score: the parts of 1 - score.

A mean over objects splits by itself. The measures below are no means, but what they lose is a sum
over pairs of objects, over clusters or over matched rows, each inside one component of the join.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.core.measure import REGISTRY, Measure, lookup
from clusterdiff.measures.core.zero_division import share
from clusterdiff.measures.hard.assignment import best_matching
from clusterdiff.measures.hard.information import entropy
from clusterdiff.measures.hard.pairs import Pairs, pairs
from clusterdiff.meet import CoverMeet, HardMeet, Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def losses(measure: Measure, meet: HardMeet | CoverMeet) -> Floats:
    """What the objects of each row take off the best score; all rows together take off all.

    >>> import clusterdiff as cd
    >>> losses(cd.rand, cd.meet(["a", "a", "b"], [1, 1, 1])).tolist()
    [0.3333333333333333, 0.3333333333333333]
    """
    cover = isinstance(meet, CoverMeet)
    found = _losses(measure, meet) if not cover or "cover" in measure.needs else None
    if found is None:
        among = "objects in several clusters" if cover else "clusters"
        raise ClusterdiffError(
            f"{measure} does not decompose over {among}, so there is nothing to explain.",
            f"use one of {', '.join(splittable(cover))}.",
        )
    return found


def splittable(cover: bool = False) -> list[str]:
    """The measures of partitions, or of covers, whose loss is a sum over rows."""
    tiny = HardMeet.from_rows([0, 0], [0, 1], [1, 1])
    needs = {"cover"} if cover else {"shapes", "rows"}
    fitting = (m for m in REGISTRY.values() if m.needs & needs and m.name != "adjusted")
    return [m.name for m in fitting if _losses(m, tiny.cover if cover else tiny) is not None]


def of_objects(measure: Measure, rows: Rows, values: Floats) -> Floats:
    """What rows take off a mean over objects, from the value of each row's objects."""
    over = measure.claims.over
    known = {"all": None, "truth": rows.in_truth, "guess": rows.in_guess}[over]
    total = {"all": rows.objects, "truth": rows.truth_objects, "guess": rows.guess_objects}[over]
    if not total:  # nothing was said, so nothing was right
        return np.asarray(rows.weight / rows.objects * (not measure.is_distance))
    off = values if measure.is_distance else 1.0 - values
    weight = rows.weight if known is None else np.where(known, rows.weight, 0)
    return np.asarray(off * weight / total)


def is_mean(measure: Measure) -> bool:
    """Whether a measure that can be split is a mean over objects, so that some have a score."""
    means = measure.arguments.get("f") == "means" or measure.name == "v_measure"
    return measure.name not in SUMS and not means


def _losses(measure: Measure, m: HardMeet | CoverMeet) -> Floats | None:
    if measure.claims.best is None:
        return None
    if measure.name in SUMS:
        return SUMS[measure.name](m, **measure.arguments)
    if not is_mean(measure):
        return _of_means(measure, m, measure.arguments["alpha"])
    if isinstance(m, HardMeet) and measure.needs == {"cover"}:
        written = np.repeat(np.arange(m.both.size), m.times)
        lost = _losses(measure, m.cover)
        return None if lost is None else np.bincount(written, lost, m.both.size).astype(np.float64)
    values = measure.rows_of(m)
    return None if values is None else of_objects(measure, m, values)


def _of_means(measure: Measure, m: HardMeet | CoverMeet, alpha: float) -> Floats | None:
    """An F loses a share of what precision loses, and one of what recall loses.

    1 - F = (alpha R (1 - P) + (1 - alpha) P (1 - R)) / (alpha R + (1 - alpha) P)
    """
    family = measure.name.removesuffix("_f")
    names = HALVES.get(measure.name, (f"{family}_precision", f"{family}_recall"))
    given = {k: v for k, v in measure.params.items() if k not in ("alpha", "f")}
    parts = [lookup(name).having(**given) for name in names]
    lost = [_losses(part, m) for part in parts]
    if lost[0] is None or lost[1] is None:
        return None
    precision, recall = (part.of(m) for part in parts)
    by_precision, by_recall = alpha * recall, (1 - alpha) * precision
    if by_precision + by_recall == 0:
        by_precision, by_recall = alpha, 1 - alpha
    return np.asarray((by_precision * lost[0] + by_recall * lost[1]) / (by_precision + by_recall))


def _apart(m: HardMeet) -> tuple[Floats, Floats, Pairs]:
    """Pairs that truth alone and that guess alone puts together, half of each pair to each of its
    objects; and how many pairs there are.
    """
    found = m.found.astype(np.float64) * (m.found - 1)
    lost, extra = (
        np.where(size > 0, m.both * (size - 1.0) - found, 0.0) / 2 * m.times
        for size in (m.truth_size, m.guess_size)
    )
    return lost, extra, pairs(m.shapes)


def _over(part: Floats, whole: float) -> Floats:
    """A part of nothing is nothing."""
    return part / whole if whole else np.zeros_like(part)


def _rand(m: HardMeet) -> Floats:
    lost, extra, p = _apart(m)
    return _over(lost + extra, p.all)


def _adjusted_rand(m: HardMeet) -> Floats:
    lost, extra, p = _apart(m)
    below = (p.truth + p.guess) * p.all - 2 * p.truth * p.guess
    return _over(lost + extra, below / p.all if p.all else 0)


def _pair_f(m: HardMeet, alpha: float, f: str = "means") -> Floats:
    if f == "objects":
        return losses(lookup("elm_f").having(alpha=alpha), m)
    lost, extra, p = _apart(m)
    below = alpha * p.guess + (1 - alpha) * p.truth
    return _over(alpha * extra + (1 - alpha) * lost, below)


def _pair_jaccard(m: HardMeet) -> Floats:
    lost, extra, p = _apart(m)
    return _over(lost + extra, p.truth + p.guess - p.both)


def _mirkin(m: HardMeet, scale: str) -> Floats:
    lost, extra, _ = _apart(m)
    return np.asarray(2 * (lost + extra) / (1 if scale == "count" else m.objects**2))


def _moved(m: HardMeet, over: str) -> Floats:
    stays = np.zeros(m.both.size, np.bool_)
    stays[best_matching(m, m.found.astype(np.float64))] = True
    return _over(
        np.where(stays, 0.0, m.weight.astype(np.float64)),
        m.objects - 1 if over == "n-1" else m.objects,
    )


def _outside_largest(m: HardMeet, side: str, objects: int) -> Floats:
    """Objects that are not in the largest part of their cluster; of equal parts, the first."""
    cluster = m.truth if side == "truth" else m.guess
    order = np.lexsort((-m.found, cluster))
    first = np.diff(cluster[order], prepend=-2) != 0
    largest = np.zeros(m.both.size, np.bool_)
    largest[order[first]] = True
    largest &= m.found > 0
    weight = m.weight.astype(np.float64)
    return _over(np.where(largest | (cluster < 0), 0.0, weight), objects)


def _van_dongen(m: HardMeet) -> Floats:
    sides = (_outside_largest(m, side, 2 * m.objects) for side in ("truth", "guess"))
    return np.asarray(sum(sides))


def _not_exact(m: HardMeet, side: str) -> Floats:
    """Clusters that the other side does not have, each row with its part of the cluster."""
    size = m.truth_size if side == "truth" else m.guess_size
    sizes = m.truth_sizes if side == "truth" else m.guess_sizes
    part: Floats = np.where(m.agree, 0.0, share(m.both, size, 0.0) * m.times)
    return _over(part, sizes.clusters)


def _left_over(m: HardMeet) -> tuple[Floats, Floats]:
    """What rows add to the entropy of truth given guess, and to that of guess given truth."""
    return (
        m.weight * np.log(m.guess_size / m.both) / m.objects,
        m.weight * np.log(m.truth_size / m.both) / m.objects,
    )


def _vi(m: HardMeet, scale: float) -> Floats:
    return _over(np.asarray(sum(_left_over(m))), scale)


def _vi_k(m: HardMeet, k: int | None) -> Floats:
    return _vi(m, 2 * math.log(k or max(m.clusters)))


def _nmi(m: HardMeet, norm: str) -> Floats | None:
    truth, guess = entropy(m.truth_sizes), entropy(m.guess_sizes)
    of_truth, of_guess = _left_over(m)
    match norm:
        case "max":
            return _over(of_truth if truth >= guess else of_guess, max(truth, guess))
        case "arithmetic":
            return _over(of_truth + of_guess, truth + guess)
        case "joint":
            return _over(of_truth + of_guess, truth + float(of_guess.sum()))
        case _:
            return None


def _known(m: HardMeet, side: str) -> Floats:
    """What homogeneity (truth) and completeness (guess) lose."""
    of_truth, of_guess = _left_over(m)
    if side == "truth":
        return _over(of_truth, entropy(m.truth_sizes))
    return _over(of_guess, entropy(m.guess_sizes))


HALVES = {"purity_f": ("purity", "inverse_purity"), "v_measure": ("homogeneity", "completeness")}
"""What takes the place of precision and recall, where they are called otherwise."""

SUMS: dict[str, Callable[..., Floats | None]] = {
    "rand": _rand,
    "adjusted_rand": _adjusted_rand,
    "pair_precision": partial(_pair_f, alpha=1.0),
    "pair_recall": partial(_pair_f, alpha=0.0),
    "pair_f": _pair_f,
    "pair_jaccard": _pair_jaccard,
    "mirkin_distance": _mirkin,
    "accuracy": partial(_moved, over="n"),
    "partition_distance": _moved,
    "van_dongen": _van_dongen,
    "purity": lambda m: _outside_largest(m, "guess", m.guess_objects),
    "inverse_purity": lambda m: _outside_largest(m, "truth", m.truth_objects),
    "exact_precision": partial(_not_exact, side="guess"),
    "exact_recall": partial(_not_exact, side="truth"),
    "vi_similarity": lambda m: _vi(m, math.log(m.objects)),
    "vi_similarity_k": _vi_k,
    "nmi": _nmi,
    "homogeneity": partial(_known, side="truth"),
    "completeness": partial(_known, side="guess"),
}
"""How measures that are no means over objects split, by their names."""
