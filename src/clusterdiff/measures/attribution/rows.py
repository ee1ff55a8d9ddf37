"""What each row of a comparison takes off the best score: the parts of 1 - score.

A mean over objects splits by itself. The measures below are no means, but what they lose is a sum
over pairs of objects, over clusters or over matched rows, each inside one component of the join.
"""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.core.measure import FACTS, REGISTRY, Measure, lookup
from clusterdiff.meet import CoverMeet, HardMeet, Rows


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
            f"what {measure} loses cannot be split among {among}.",
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
    form = measure.arguments.get("f", "objects" if measure.claims.halves is None else "means")
    return (measure.name, "loss") not in FACTS and form != "means"


def _losses(measure: Measure, m: HardMeet | CoverMeet) -> Floats | None:
    if measure.claims.best is None:
        return None
    if (measure.name, "loss") in FACTS:
        return measure.known("loss", m)  # type: ignore[no-any-return]
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
    names = measure.claims.halves or (f"{family}_precision", f"{family}_recall")
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
