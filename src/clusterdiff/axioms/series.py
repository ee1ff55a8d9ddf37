"""The series of the split-merge paper: a clustering worsens, one operation at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.clusterings import Partition
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure, measure_named
from clusterdiff.progress import progress
from clusterdiff.readers import meet
from clusterdiff.readers.front import clustering

MEASURES = ("split_merge", "rand", "nmi", "vi_similarity", "accuracy", "van_dongen")
"""What the paper draws."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Worsening:
    """A clustering and what becomes of it, from the best guess for it to a worst one.

    >>> series = worsen(["a", "a", "b", "c"])
    >>> len(series), [guess.tolist() for guess in series.codes]
    (3, [[0, 0, 1, 2], [0, 3, 1, 2], [0, 3, 1, 1]])
    """

    truth: Partition
    codes: tuple[Codes, ...]
    """The clusters of each step, as numbers; the first step is truth itself."""
    splits: int
    """How many of the operations are splits; merges follow."""

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, step: int) -> Partition:
        return Partition(self.codes[step], ids=self.truth.ids)

    def __iter__(self) -> Iterator[Partition]:
        return (self[step] for step in range(len(self)))

    def __repr__(self) -> str:
        merges = len(self) - 1 - self.splits
        return f"Worsening({len(self.truth):,} objects, {self.splits:,} splits, {merges:,} merges)"

    def scores(
        self, measures: Iterable[str | Measure] | str | Measure = MEASURES
    ) -> Mapping[str, list[float]]:
        """The score of each step, by measure."""
        given = [measures] if isinstance(measures, str | Measure) else list(measures)
        chosen = [measure_named(one) for one in given]
        found: dict[str, list[float]] = {str(one): [] for one in chosen}
        truth = self.codes[0]
        with progress(f"{len(self):,} steps", len(self)) as advance:
            for guess in self.codes:
                one_meet = meet(truth, guess)
                for one in chosen:
                    found[str(one)].append(float(one.of(one_meet)))
                advance(1)
        return found


def worsen(truth: Any, seed: int = 0) -> Worsening:
    """Clusterings from the truth to a worst guess, each worse than the one before.

    The largest cluster is cut in two equal parts until each object is alone; then objects that are
    alone in truth are merged two by two, and a last one with a cluster drawn at random. Takes
    labels, a dict, a frame or a path, as `compare` does.
    """
    given = clustering(truth)
    if not isinstance(given, Partition):
        raise ClusterdiffError(
            f"a {given.kind} clustering has no such series.", "give a partition: one label each."
        )
    if not len(given):
        raise ClusterdiffError("there are no objects, so nothing can worsen.", "give some labels.")
    _, codes = np.unique(given.labels.keys, return_inverse=True)
    steps = [codes.ravel().astype(np.int64)]
    steps += _splits(steps[0])
    splits = len(steps) - 1
    steps += _merges(steps[0], steps[-1], Random(seed))
    return Worsening(given, tuple(steps), splits)


def _splits(codes: Codes) -> Iterator[Codes]:
    """The largest cluster cut in two, until all objects are single."""
    clusters = [np.flatnonzero(codes == k) for k in range(int(codes.max()) + 1)]
    codes = codes.copy()
    while True:
        largest = max(range(len(clusters)), key=lambda k: clusters[k].size)
        objects = clusters.pop(largest)
        if objects.size == 1:
            return
        half = objects.size - objects.size // 2
        clusters += [objects[:half], objects[half:]]
        codes[objects[half:]] = len(clusters) - 1
        yield codes.copy()


def _merges(truth: Codes, single: Codes, random: Random) -> Iterator[Codes]:
    """Objects that are alone in truth merged, two at a time, the last one with any cluster."""
    sizes = np.bincount(truth)
    alone = np.flatnonzero(sizes[truth] == 1).tolist()
    codes = single.copy()
    while len(alone) > 1:
        one, other = alone.pop(0), alone.pop(0)
        codes[other] = codes[one]
        yield codes.copy()
    if alone and codes.size > 1:
        others = sorted(set(codes.tolist()) - {int(codes[alone[0]])})
        codes[alone[0]] = random.choice(others)
        yield codes.copy()
