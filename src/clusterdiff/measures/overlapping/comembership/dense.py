"""The objects around each object, for few rows: all pairs in one table, nothing to compile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures.overlapping.comembership.plan import Alike
    from clusterdiff.meet import CoverMeet


ROWS = 256
CELLS = 1 << 22
STEPS = 1 << 25
OBJECTS = 1 << 20
"""So many are few: sums of whole numbers stay exact in floating point."""
LOW = 29
"""Products of whole numbers are summed in two parts, below and above so many bits."""


def is_small(m: CoverMeet, how: Alike) -> bool:
    """Whether a table of all pairs of rows is the quickest, and exact."""
    cells = m.rows * (m.widest[0] + 1) * (m.widest[1] + 1)
    steps = m.rows**2 * (m.guess.clusters + m.truth.clusters)
    few = m.rows <= ROWS and cells <= CELLS and steps <= STEPS and m.objects < OBJECTS
    return few and not how.table[0].size


def tabulate(m: CoverMeet, how: Alike) -> tuple[Floats, Ints, NDArray[np.object_]]:
    """Sums of precision and recall, plain and with likeness; objects around; pairs of objects."""
    guess, truth = (_matrix(side.each.owner, side.each.member, (m.rows, side.clusters))
                    for side in (m.guess, m.truth))  # fmt: skip
    g, t = guess @ guess.T, truth @ truth.T
    wide = m.widest[0] + 1, m.widest[1] + 1
    cell = (np.arange(m.rows)[:, None] * wide[0] + g) * wide[1] + t

    def summed(values: Ints) -> Floats:
        weights = (values * m.both).ravel().astype(np.float64)
        found = np.bincount(cell.ravel(), weights, m.rows * wide[0] * wide[1])
        return np.asarray(found, np.float64).reshape(-1, *wide)

    objects = summed(np.ones_like(g))
    objects[:, 0, 0] = 0
    shares = np.arange(wide[0], dtype=np.float64)[:, None], np.arange(wide[1], dtype=np.float64)
    least = np.minimum(*shares)
    sums = [_over(least * objects, own) for own in shares]
    for own, matrix, best in zip(shares, (guess, truth), how.best, strict=True):
        like = (matrix * best) @ matrix.T
        likeness = summed(like & ((1 << LOW) - 1)) + summed(like >> LOW) * (1 << LOW)
        sums.append(_over(least * likeness, own * own * how.unit))
    around = [objects[:, 1:].sum(axis=(1, 2)), objects[:, :, 1:].sum(axis=(1, 2))]
    whole = objects.astype(np.int64).astype(object)
    table = (whole * m.both.astype(object)[:, None, None]).sum(axis=0)
    pairs = np.zeros((3, max(wide)), object)
    pairs[0, : wide[0]], pairs[1, : wide[1]] = table.sum(axis=1), table.sum(axis=0)
    pairs[2, 0] = int(np.trace(table))
    return np.stack(sums, axis=1), np.stack(around, axis=1).astype(np.int64), pairs


def _matrix(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """A 0/1 matrix."""
    made = np.zeros(shape, np.int64)
    made[rows, columns] = 1
    return made


def _over(parts: Floats, whole: Floats) -> Floats:
    """Quotients summed over the cells of each row; those without a whole are 0."""
    whole = np.broadcast_to(whole, parts.shape)
    found = np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)
    return np.asarray(found.sum(axis=(1, 2)))
