"""Small cases of each job with their numbers, by brute force; the oracles and the library have
to give them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction as Q
from typing import Any, NamedTuple

from ..common import Clustering
from .thresholds import Pair


def made(text: str) -> dict[Hashable, Hashable]:
    """A clustering of numbers: "a=1 2 3, b=4 5"; without names, the clusters are counted."""
    found: dict[Hashable, Hashable] = {}
    for place, part in enumerate(text.split(",")):
        name, _, objects = part.strip().rpartition("=")
        found |= dict.fromkeys(map(int, objects.split()), name or place)
    return found


class Swept(NamedTuple):
    """A truth, pairs, and what each line has."""

    truth: Clustering
    pairs: list[Pair]
    scores: list[float]
    lines: dict[str, list[Any]]
    align: str = "exact"
    distance: bool = False


SIX = made("x=1 2 3, y=4 5, z=6")
TIES: list[Pair] = [
    (1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)
]  # fmt: skip
INF = math.inf
LINKAGE = [[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]]
"""The second merge is lower than the first: an inversion."""

SWEEPS = {
    "two scores tie": Swept(
        SIX,
        TIES,
        [INF, 0.9, 0.7, 0.4],
        {
            "clusters": [6, 4, 2, 1],
            "largest": [1, 2, 5, 6],
            "pair_precision": [1, 1, Q(2, 5), Q(4, 15)],
            "pair_recall": [0, Q(1, 2), 1, 1],
            "pair_f": [0, Q(2, 3), Q(4, 7), Q(8, 19)],
            "elm_f": [Q(1, 6), Q(13, 18), Q(19, 30), Q(25, 63)],
            "bcubed_f": [Q(2, 3), Q(7, 8), Q(3, 4), Q(14, 25)],
            "adjusted_rand": [0, Q(22, 37), Q(4, 13), 0],
            "exact_f": [Q(2, 9), Q(4, 7), Q(2, 5), 0],
            "vi_distance": [0.780355, 0.318257, 0.560843, 1.011404],
        },
    ),
    "an object conducts": Swept(
        made("x=1 2, y=4"),
        [(1, 7, 0.8), (7, 4, 0.8), (1, 2, 0.5)],
        [INF, 0.8, 0.5],
        {
            "clusters": [3, 2, 1],
            "elm_f": [Q(1, 3), 0, Q(4, 9)],
            "bcubed_precision": [1, Q(2, 3), Q(5, 9)],
        },
        align="shared",
    ),
    "all at once": Swept(
        dict(enumerate("aabbcc")),
        [(0, 1, 0.5), (2, 3, 0.5), (4, 5, 0.5), (1, 2, 0.5)],
        [INF, 0.5],
        {
            "clusters": [6, 2],
            "pair_f": [0, Q(3, 5)],
            "elm_f": [0, Q(2, 3)],
            "purity": [1, Q(2, 3)],
            "van_dongen": [Q(3, 4), Q(5, 6)],
        },
    ),
}
TREE = Swept(
    dict(enumerate("xxxy")),
    [],
    [-INF, 2.0, 4.0],
    {"clusters": [4, 2, 1], "elm_f": [Q(1, 4), 1, Q(3, 5)], "adjusted_rand": [0, 1, 0]},
    distance=True,
)

OLD = made("a=1 2 3, b=4 5, c=6 7, d=8, e=9 10")
NEW = made("p=1 2, q=3, r=4 5 6 7, s=9 10 11, t=12")
EVENTS = {
    ("split", "a", "pq"),
    ("merged", "bc", "r"),
    ("died", "d", ""),
    ("grown", "e", "s"),
    ("born", "", "t"),
}
STRAY = made("a=1 2 3 4 5, b=6 7 8 9 10"), made("p=1 2 3 4, q=5 6 7 8 9 10")
GREEDY = made("a=1 2 3 4 5, b=6 7"), made("p=1 2 3 6 7, q=4 5")
HALVES = made("a=1 2 3 4"), made("p=1 2, q=3 4")
HALVES_AND_ANOTHER = made("a=1 2 3 4"), made("p=1 2 9, q=3 4")
SERIES = made("10=1 2, 20=3 4"), made("1=1 2 3 4"), made("1=1 2, 2=3 4")

RUNS = {"A": made("1 2 3, 4 5 6"), "B": made("1 2, 3 4 5 6"), "C": made("1 2 3, 4 5, 6")}
PAIRWISE: dict[str, list[Any]] = {
    "adjusted_rand": [Q(12, 37), Q(12, 17), Q(4, 109)],
    "elm_f": [Q(28, 45), Q(13, 18), Q(7, 18)],
    "vi_distance": [0.693147, 0.318257, 1.011404],
}
"""Of A with B, A with C, B with C."""
CONSISTENCY = [Q(7, 9), Q(7, 9), Q(1, 2), Q(23, 36), Q(23, 36), Q(4, 9)]

THREE = [made("1 2 3"), made("1 2, 3"), made("1, 2 3")]
FOUR = [made("0 1 2, 3"), made("0 1 3, 2"), made("0 2 3, 1")]
