"""The split-merge framework, object by object."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from .common import Cluster, Clustering, Number, cluster, ratio, same_objects

Features = Mapping[Hashable, Sequence[Number]]


def split_merge(
    truth: Clustering,
    guess: Clustering,
    *,
    similarity: str | Callable[[list[int]], Number] = "entropy",
    combine: str = "product",
    features: Features | None = None,
) -> Number:
    """Mean over objects of how whole their truth and their guess cluster are (Xiang et al. 2012).

    "product" is S*, with "entropy" S_H; "mean" is S'.
    """
    objects = same_objects(truth, guess)
    values: list[Number] = []
    for x in objects:
        split = _whole(truth, guess, x, similarity, features)
        merged = _whole(guess, truth, x, similarity, features)
        if combine == "product":
            values.append(split * merged)
        elif combine == "mean":
            values.append((split + merged) / 2)
        else:
            raise ValueError(f"combine is 'product' or 'mean', not {combine!r}")
    return sum(values, Fraction()) / len(values) if values else Fraction(1)


def _whole(
    c: Clustering,
    other: Clustering,
    x: Hashable,
    similarity: str | Callable[[list[int]], Number],
    features: Features | None,
) -> Number:
    """How whole the cluster of x in c is, given the parts that the other side makes of it."""
    mine = cluster(c, x)
    parts = {mine & cluster(other, y) for y in mine}
    sizes = sorted(len(part) for part in parts)
    if callable(similarity):
        return similarity(sizes)
    if similarity == "entropy":
        return _unbroken(sizes)
    if similarity == "mse" and features is not None:
        inside = sum((_scatter(part, features) for part in parts), Fraction())
        return ratio(inside, _scatter(mine, features))
    raise ValueError("similarity is 'entropy', 'mse' with features, or a callable")


def _unbroken(sizes: list[int]) -> float:
    """s = 1 - H(parts)/log|cluster|; a cluster of one object cannot be split."""
    size = sum(sizes)
    if size == 1:
        return 1.0
    entropy = math.fsum(part / size * math.log(size / part) for part in sizes)
    return 1 - entropy / math.log(size)


def _scatter(objects: Cluster, features: Features) -> Fraction:
    """Sum of squared distances of the objects from their centre."""
    points = [[Fraction(value) for value in features[x]] for x in objects]
    centre = [sum(column, Fraction()) / len(points) for column in zip(*points, strict=True)]
    return sum(
        ((v - m) ** 2 for point in points for v, m in zip(point, centre, strict=True)), Fraction()
    )
