"""Stability of objects over releases: its mean and its spread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints


class Stability(NamedTuple):
    """The mean over objects, the standard deviation, and quartiles."""

    mean: float
    sd: float
    low: float
    """The stability that a quarter of the objects are below."""
    median: float
    high: float
    objects: int

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.sd:.4f}" if self.objects else "—"

    def sentence(self) -> str:
        """The mean, the standard deviation and the middle half."""
        if not self.objects:
            return "no object is in two releases in a row"
        return (
            f"mean {self.mean:.4f}, sd {self.sd:.4f}, "
            f"half of them between {self.low:.4f} and {self.high:.4f}"
        )


def stability_of(value: Floats, objects: Ints) -> Stability:
    """Of so many objects of each stability; the same to the last bit in whatever order."""
    order = np.lexsort((objects, value))
    value, objects = value[order], objects[order]
    total = int(objects.sum())
    if not total:
        nothing = float("nan")
        return Stability(nothing, nothing, nothing, nothing, nothing, 0)
    mean = float((value * objects).sum() / total)
    sd = float(np.sqrt((objects * (value - mean) ** 2).sum() / total))
    below = np.cumsum(objects)
    low, median, high = (
        float(value[np.searchsorted(below, share * total)]) for share in (0.25, 0.5, 0.75)
    )
    return Stability(mean, sd, low, median, high, total)


def weighted(group: Ints, value: Floats, objects: Ints, groups: int) -> Floats:
    """The mean of each group; NaN of one without objects."""
    total = np.bincount(group, value * objects, groups)
    many = np.bincount(group, objects, groups)
    mean: Floats = np.divide(total, many, out=np.full(groups, np.nan), where=many > 0)
    return mean
