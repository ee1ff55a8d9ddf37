"""Whether CICE inherits homogeneity: the smallest cluster that is better not split."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.laboratory.subject import CLOSE
from clusterdiff.measures import Measure
from clusterdiff.papers.cice.values import CICE
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.statements import throughout, told

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64] | np.int64
Split = tuple[int, int, int, int]
"""a and p, b and q: a of p objects of one class, and b of q of another, are in one cluster."""


def split_of(a: int, p: int, b: int, q: int) -> tuple[Contingency, Contingency]:
    """Classes of p and q objects, a and b of them in one cluster; and then in one each."""
    rest = [column for column in ((p - a, 0), (0, q - b)) if any(column)]
    return Contingency(((a, b), *rest)), Contingency(((a, 0), (0, b), *rest))


def precision_falls(a: Ints, p: int, b: Ints, q: int) -> Bools:
    """Whether max(a/(p+b), b/(q+a)) (a²+b²)/(a+b) > a²/p + b²/q.

    These are the parts of n times CICE precision that come from the mixed cluster, before and after
    it is split; nothing else changes.
    """
    mixed = (a * a + b * b) * np.maximum(a * (q + a), b * (p + b)) * p * q
    return np.asarray(mixed > (a * a * q + b * b * p) * (a + b) * (p + b) * (q + a))


def falling_splits(most: int) -> Iterator[Split]:
    """All splits of a cluster of two classes that lower CICE precision, the smaller ones first."""
    for n in range(2, most + 1):
        for p in range(1, n // 2 + 1):
            a, b = np.ogrid[1 : p + 1, 1 : n - p + 1]
            for i, j in np.argwhere(precision_falls(a, p, b, n - p)).tolist():
                yield i + 1, p, j + 1, n - p


def inherits_homogeneity() -> Finding:
    """The smallest split of a cluster of two classes that lowers CICE F.

    Recall never falls, so that precision has to; by which formula is tried on the measure too.
    """
    most = 90
    scope = f"every split of a cluster of two classes, of up to {most} objects in all"
    tried = [(1, 5, 3, q) for q in range(70, most)]
    tried += [(a, p, b, q) for p, q in product(range(1, 5), repeat=2)
              for a, b in product(range(1, p + 1), range(1, q + 1))]  # fmt: skip
    formula = throughout(
        Stage(f"{len(tried)} splits", lambda: tried), _as_said, str, lambda of: of[1] + of[3]
    )
    lowered = [of for of in falling_splits(most) if _gain(CICE["F"], of) < -CLOSE]
    assert formula.verdict == "true", formula.evidence
    if not lowered:
        return Finding("true", scope, "none lowers F")
    worse, better = split_of(*lowered[0])
    values = ", ".join(
        f"{kind} {' and '.join(told(measure.of(table.meet)) for table in (worse, better))}"
        for kind, measure in CICE.items()
    )
    a, p, b, q = lowered[0]
    sizes = f"classes of {p} and {q}, {a} and {b} of them in one cluster that is split"
    return Finding("false", scope, f"{len(lowered)} lower F; {sizes}: {values}", worse.objects)


def _gain(measure: Measure, of: Split) -> float:
    worse, better = (measure.of(table.meet) for table in split_of(*of))
    return float(better - worse)


def _as_said(of: Split) -> str:
    """Nothing, where precision falls as the formula has it, and recall does not."""
    a, p, b, q = of
    said = bool(precision_falls(np.int64(a), p, np.int64(b), q))
    falls = _gain(CICE["P"], of) < -CLOSE
    return "" if falls == said and _gain(CICE["R"], of) > -CLOSE else "not as the formula has it"
