"""Cases drawn by hypothesis: scored pairs, releases and runs, small and full of ties."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

import clusterdiff as cd

from ..common import Clustering
from .thresholds import Pair

SCORES = (0.1, 0.25, 0.5, 0.7, 0.75, 0.9, 1.0)


class Graph(NamedTuple):
    """A truth and scored pairs of its objects, and of others."""

    truth: dict[Hashable, Hashable]
    pairs: list[Pair]

    def shuffled(self, seed: int) -> Graph:
        """The same in another order of rows and of the two ends of a pair."""
        rng = Random(seed)
        truth, pairs = list(self.truth.items()), list(self.pairs)
        rng.shuffle(truth)
        rng.shuffle(pairs)
        turned = [(b, a, s) if rng.random() < 0.5 else (a, b, s) for a, b, s in pairs]
        return Graph(dict(truth), turned)

    @property
    def columns(self) -> tuple[list[Any], list[Any], list[float]]:
        """The pairs as three lists."""
        return (
            [a for a, *_ in self.pairs],
            [b for _, b, _ in self.pairs],
            [s for *_, s in self.pairs],
        )


@st.composite
def graphs(draw: st.DrawFn, unknown: int = 0) -> Graph:
    """Up to nine objects, `unknown` of which truth does not list; ties, repeats and self-pairs."""
    n = draw(st.integers(1, 9))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    ends = st.integers(0, n + unknown - 1)
    pairs = draw(st.lists(st.tuples(ends, ends, st.sampled_from(SCORES)), min_size=1, max_size=16))
    _, right, score = pairs[0]
    return Graph(dict(enumerate(labels)), [(0, right, score), *pairs[1:]])


@st.composite
def releases(draw: st.DrawFn, many: int = 2, text: bool = True) -> list[dict[Hashable, Hashable]]:
    """Clusterings of up to nine objects each, none of them empty, some objects in common."""
    made: list[dict[Hashable, Hashable]] = []
    for place in range(many):
        labels = draw(st.dictionaries(st.integers(0, 9), st.integers(0, 3), min_size=1, max_size=9))
        labels[10] = draw(st.integers(0, 4))
        made.append({x: f"{'abcdefg'[place]}{c}" if text else 10 * c for x, c in labels.items()})
    return made


@st.composite
def several_runs(
    draw: st.DrawFn, least: int = 2, most: int = 4, objects: int = 6
) -> list[dict[Hashable, Hashable]]:
    """Clusterings of the same objects."""
    n, many = draw(st.integers(1, objects)), draw(st.integers(least, most))
    rows = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    return [dict(enumerate(draw(rows))) for _ in range(many)]


@st.composite
def partial_runs(
    draw: st.DrawFn, least: int = 2, most: int = 5, objects: int = 6
) -> list[dict[Hashable, Hashable]]:
    """Clusterings that each have some of the objects, at least one."""
    one = st.dictionaries(st.integers(0, objects - 1), st.integers(0, 2), min_size=1)
    drawn = draw(st.lists(one, min_size=least, max_size=most))
    return [{x: run[x] for x in run} for run in drawn]


def mapping(partition: cd.Partition) -> dict[Hashable, Hashable]:
    """A partition as a dict from object to cluster."""
    labels = partition.labels.tolist()
    ids = range(len(labels)) if partition.ids is None else partition.ids.tolist()
    return dict(zip(ids, labels, strict=True))


def renamed(c: Clustering, seed: int) -> dict[Hashable, Hashable]:
    """The same clusters under other labels, rows in another order."""
    rng = Random(seed)
    labels = sorted(set(c.values()), key=repr)
    others = [f"z{i}" for i in range(len(labels))]
    rng.shuffle(others)
    to = dict(zip(labels, others, strict=True))
    rows = [(x, to[label]) for x, label in c.items()]
    rng.shuffle(rows)
    return dict(rows)
