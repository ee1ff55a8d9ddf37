"""The series of the split-merge paper: a clustering worsens, one operation at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import cycle
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.grouping import pair_keys
from clusterdiff.errors import ClusterdiffError, InputError
from clusterdiff.io import meet
from clusterdiff.io.adapters import clustering
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.figures import DASHES, SYSTEMS, blank, plain, remembers_its_files
from clusterdiff.progress import progress

MEASURES = ("split_merge", "rand", "nmi(norm='max')", "vi_similarity", "accuracy", "van_dongen")
"""What the paper draws."""

Codes = NDArray[np.int64]


class Move(NamedTuple):
    """One operation: these objects get this cluster."""

    objects: Codes
    cluster: int


@dataclass(frozen=True)
class Worsening:
    """A clustering and what becomes of it, from the best guess for it to a worst one.

    >>> series = worsen(["a", "a", "b", "c"])
    >>> len(series), [guess.tolist() for guess in series.codes]
    (3, [[0, 0, 1, 2], [0, 3, 1, 2], [0, 3, 1, 1]])
    """

    truth: Partition
    start: Codes
    """The clusters of truth, as numbers."""
    moves: tuple[Move, ...]
    splits: int
    """How many of the operations are splits; merges follow."""

    def __len__(self) -> int:
        return len(self.moves) + 1

    def __getitem__(self, step: int) -> Partition:
        wanted = range(len(self))[step]
        return Partition(next(self.walk([wanted])), ids=self.truth.ids)

    def __iter__(self) -> Iterator[Partition]:
        return (Partition(codes, ids=self.truth.ids) for codes in self.walk())

    def __repr__(self) -> str:
        merges = len(self) - 1 - self.splits
        return f"Worsening({len(self.truth):,} objects, {self.splits:,} splits, {merges:,} merges)"

    @property
    def codes(self) -> tuple[Codes, ...]:
        """The clusters of each step, as numbers; the first step is truth itself."""
        return tuple(self.walk())

    def walk(self, steps: Iterable[int] | None = None) -> Iterator[Codes]:
        """The clusters of some steps, in their order, or of all."""
        wanted = set(range(len(self)) if steps is None else steps)
        codes = self.start.copy()
        for step in range(len(self)):
            if step:
                objects, cluster = self.moves[step - 1]
                codes[objects] = cluster
            if step in wanted:
                yield codes.copy()

    def scores(
        self,
        measures: Iterable[str | Measure] | str | Measure = MEASURES,
        steps: Sequence[int] | None = None,
    ) -> Mapping[str, list[float]]:
        """The score of each step, or of some of them, by measure."""
        given = [measures] if isinstance(measures, str | Measure) else list(measures)
        chosen = [measure_named(one) for one in given]
        scores: dict[str, list[float]] = {str(one): [] for one in chosen}
        many = len(self) if steps is None else len(steps)
        with progress(f"{many:,} steps", many) as advance:
            for guess in self.walk(steps):
                one_meet = meet(self.start, guess)
                for one in chosen:
                    scores[str(one)].append(float(one.of(one_meet)))
                advance(1)
        return scores


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
    if (nulls := given.labels.nulls()) is not None:
        where = np.flatnonzero(nulls)
        raise InputError.from_nulls(
            "the truth", where.size, len(given), [given.id_of(int(i)) for i in where[:3]]
        )
    keys = given.labels.keys
    if given.samples is not None:
        keys = pair_keys(given.samples.keys, keys)
    start = np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    splits = _splits(start)
    return Worsening(given, start, (*splits, *_merges(start, splits, Random(seed))), len(splits))


def _splits(codes: Codes) -> list[Move]:
    """The largest cluster cut in two, the oldest of equals first, until all objects are single."""
    order = np.argsort(codes, kind="stable")
    clusters = dict(enumerate(np.split(order, np.cumsum(np.bincount(codes))[:-1])))
    largest = [(-objects.size, age) for age, objects in clusters.items()]
    heapify(largest)
    moves: list[Move] = []
    count = born = len(clusters)
    while largest[0][0] < -1:
        objects = clusters.pop(heappop(largest)[1])
        half = objects.size - objects.size // 2
        for part in (objects[:half], objects[half:]):
            clusters[born] = part
            heappush(largest, (-part.size, born))
            born += 1
        moves.append(Move(objects[half:], count + len(moves)))
    return moves


def _merges(truth: Codes, splits: list[Move], random: Random) -> list[Move]:
    """Objects that are alone in truth merged, two at a time, the last one with any cluster."""
    codes = truth.copy()
    for move in splits:
        codes[move.objects] = move.cluster
    alone = np.flatnonzero(np.bincount(truth)[truth] == 1)
    pairs = alone[: alone.size // 2 * 2].reshape(-1, 2)
    moves = [Move(other[None], int(codes[one])) for one, other in pairs]
    codes[pairs[:, 1]] = codes[pairs[:, 0]]
    if alone.size % 2 and codes.size > 1:
        others = sorted(set(codes.tolist()) - {int(codes[alone[-1]])})
        moves.append(Move(alone[-1:], random.choice(others)))
    return moves


@remembers_its_files
def plot_worsening(truth: Any, measures: Any = MEASURES, *, seed: int = 0) -> Any:
    """What measures say as a clustering gets worse, one operation at a time; see `worsen`.

    Takes a truth, or a series that is made already.
    """
    series = truth if isinstance(truth, Worsening) else worsen(truth, seed)
    return worsening_of(series, series.scores(measures))


def worsening_of(
    series: Worsening, scores: Mapping[str, list[float]], steps: Sequence[int] | None = None
) -> Any:
    """Scores as lines over the operations that make a clustering worse, or over some of them."""
    figure = blank()
    looks = zip(cycle(SYSTEMS), cycle(DASHES), scores.items(), strict=False)
    for colour, dash, (name, values) in looks:
        figure.add_scatter(
            name=plain(name),
            x=list(range(len(values)) if steps is None else steps),
            y=values,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            hovertext=[f"{plain(name)} {value:.4f}" for value in values],
            hoverinfo="text+x",
        )
    if 0 < series.splits < len(series) - 1:
        figure.add_vline(
            x=series.splits,
            line={"color": "gray", "dash": "dot", "width": 1},
            annotation={
                "text": "each object alone",
                "y": 0.02,
                "yanchor": "bottom",
                "xanchor": "right",
            },
        )
    figure.update_layout(
        xaxis={"title": "operations: splits, then merges"}, yaxis={"title": "score"}, height=450
    )
    return figure
