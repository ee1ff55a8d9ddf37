"""Null models: random guesses as contingency tables with the truth, many at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import group_pairs
from clusterdiff.contingency import Alignment, Stack
from clusterdiff.errors import ClusterdiffError, MemoryNeeded
from clusterdiff.measures.chance import labels_by_size, together_at_random, uniform_partition

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import Sizes

Null = Literal["permutation", "number", "uniform"]

# The probability that two objects share a cluster of a random partition, of any or of k clusters.

EXACT = 500
"""Number of objects up to which Bell and Stirling numbers are computed as whole numbers."""


def together_uniformly(objects: int) -> Fraction:
    """The probability that two objects share a cluster of a partition drawn from all partitions.

    Definition:  B(n - 1) / B(n), Bell numbers

    >>> together_uniformly(5)
    Fraction(15, 52)
    """
    if objects > EXACT:
        return Fraction(together_at_random(objects))
    row = [1]
    for _ in range(objects - 1):
        below = [row[-1]]
        for number in row:
            below.append(below[-1] + number)
        row = below
    return Fraction(row[0], row[-1])


def together_among(objects: int, clusters: int) -> Fraction:
    """The probability that two objects share a cluster of a partition drawn from those with k
    clusters.

    Definition:  S(n - 1, k) / S(n, k), Stirling numbers of the second kind

    >>> together_among(5, 3)
    Fraction(6, 25)
    """
    if objects <= EXACT:
        return Fraction(_surjections(objects - 1, clusters), _surjections(objects, clusters))
    if clusters in (1, objects):
        return Fraction(clusters == 1)
    rate = size_rate(objects, clusters)
    fewer, all_ = (_probability_of_sum(rate, clusters, n) for n in (objects - 1, objects))
    return Fraction(rate / objects * fewer / all_)


def _surjections(objects: int, clusters: int) -> int:
    """k! S(n, k): the ways to put objects into numbered clusters so that none stays empty."""
    return sum(
        (-1) ** (clusters - some) * math.comb(clusters, some) * some**objects
        for some in range(clusters + 1)
    )


def size_rate(objects: int, clusters: int) -> float:
    """The rate of the Poisson distribution without 0 that has the mean cluster size.

    In a partition drawn from those with k clusters, numbered at random, the sizes are independent
    draws from this distribution given that they sum to n, whatever the rate.
    """
    from scipy.optimize import brentq

    mean = objects / clusters
    return float(
        brentq(
            lambda rate: rate / -math.expm1(-rate) - mean, mean - 1, mean, xtol=1e-12 * (mean - 1)
        )
    )


def size_probabilities(rate: float) -> Floats:
    """The probability of each size from 1 on, as far as it is above rounding."""
    largest = int(rate + 12 * math.sqrt(rate)) + 40
    sizes = np.arange(1, largest + 1)
    logs = sizes * math.log(rate) - np.cumsum(np.log(sizes))
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _probability_of_sum(rate: float, clusters: int, total: int) -> float:
    """The probability that the sizes of this many clusters sum to a total.

    A Fourier coefficient of the characteristic function, by the trapezoid rule; its error is the
    probability of sums that are 60 standard deviations away.
    """
    mean = rate / -math.expm1(-rate)
    spread = math.sqrt(clusters * mean * max(1 + rate - mean, 0.0))
    points = 64 + int(60 * spread)
    angle = 2 * np.pi * (np.arange(points) / points - 0.5)
    turned = rate * np.exp(1j * angle)
    near = np.abs(angle) < np.pi / 2
    logs = np.empty(points, np.complex128)
    logs[near] = turned[near] - rate + np.log(-np.expm1(-turned[near]))
    logs[~near] = np.log(np.expm1(turned[~near])) - rate
    logs -= math.log(-math.expm1(-rate))
    return float(np.exp(clusters * logs - 1j * total * angle).real.mean())


# Contingency tables of random guesses.

CELLS = 1 << 18
"""Number of cells of tables, or labels of objects, drawn at a time."""
DENSE = 2
"""Drawing a cell of a table costs as much as shuffling this many objects."""
MOST = 10**9
"""Number of objects from which NumPy does not draw hypergeometric numbers."""
MOST_LABELS = 2 * 10**7
"""Largest number of labels of both sides drawn one by one."""
DRAWN = 100
"""Bytes that a label takes while it is drawn and counted."""
CROWDED = 4
"""Expected number of empty urns up to which throws are repeated until none is empty."""


class RandomTables(NamedTuple):
    """The cells of contingency tables of one truth with several guesses."""

    draws: int
    draw: Ints
    """The guess of each cell."""
    truth: Ints
    guess: Ints
    both: Ints
    times: Ints | None = None
    """Number of objects, each single on both sides, that a cell represents."""

    def stack(self) -> Stack:
        """The comparisons side by side."""
        names = list(range(self.draws))
        return Stack.of_cells(
            names, self.draw, self.truth, self.guess, self.both, Alignment(), self.times
        )

    def pairs_of_both(self) -> Ints:
        """For each guess, the number of pairs that truth puts together as well."""
        return self._pairs(self.draw, self.both)

    def pairs_of_guess(self) -> Ints:
        """For each guess, the number of pairs that it puts together."""
        clusters, cluster = np.unique(self.guess, return_inverse=True)
        size, draw = np.zeros((2, clusters.size), np.int64)
        np.add.at(size, cluster, self.both)
        draw[cluster] = self.draw
        return self._pairs(draw, size)

    def _pairs(self, draw: Ints, size: Ints) -> Ints:
        pairs = np.zeros(self.draws, np.int64)
        np.add.at(pairs, draw, size * (size - 1) // 2)
        return pairs


CLOSED = (
    "has a closed form of pair measures, such as rand, for shuffled guesses: expected value, "
    "standard deviation and z."
)


def check_size(truth: Sizes, guess: Sizes, null: Null) -> None:
    """Refuse more objects than can be drawn in a little memory."""
    objects = _objects(truth)
    if objects >= MOST or _labels(truth, guess, null) > MOST_LABELS:
        raise ClusterdiffError(
            f"random guesses of {objects:,} objects cannot be drawn.", f"draws=0 {CLOSED}"
        )


def check_memory(truth: Sizes, guess: Sizes, null: Null, memory: int) -> None:
    """Refuse to draw labels that take more memory than is allowed."""
    need = DRAWN * _labels(truth, guess, null)
    if need > memory:
        raise MemoryNeeded.from_draws(_objects(truth), need, memory, f"draws=0 {CLOSED}")


def _labels(truth: Sizes, guess: Sizes, null: Null) -> int:
    """How many labels a random guess draws one by one; none where cells are drawn."""
    if _by_cells(truth, guess, null):
        return 0
    if null == "permutation":
        return sum(_objects(_of_several(side)) for side in (truth, guess))
    return 2 * _objects(truth)


def drawn_tables(
    truth: Sizes, guess: Sizes, null: Null, draws: int, seed: int, with_singles: bool = True
) -> Iterator[RandomTables]:
    """Tables of random guesses, in portions that fit into a little memory. Without singles, cells
    of clusters with one object may be left out, which have no pairs.

    If clusters are few, their cells are drawn, otherwise a label for each object. Only the sizes of
    clusters matter, and they are taken in order: the same seed draws the same guesses for the same
    comparison, whatever the order of rows and the names.
    """
    rng = np.random.default_rng(seed)
    if _by_cells(truth, guess, null):
        by_cell = _shuffled_cells if null == "permutation" else _thrown_cells
        rows, columns = (np.repeat(side.size, side.count) for side in (truth, guess))
        for some in _portions(draws, rows.size * columns.size):
            counts = by_cell(rows, columns, some, rng)
            draw, i, j = np.nonzero(counts)
            cells = draw * rows.size + i, draw * columns.size + j, counts[draw, i, j]
            yield RandomTables(some, draw, *cells)
    elif null == "permutation":
        yield from _shuffled_objects(truth, guess, draws, rng, with_singles)
    else:
        owner = labels_by_size(truth)
        draw_labels = _label_drawer(owner.size, guess, null, rng)
        for some in _portions(draws, owner.size):
            yield of_labels(owner, np.stack([draw_labels() for _ in range(some)]))


def _portions(draws: int, cells: int) -> Iterator[int]:
    """Numbers of draws with at most `CELLS` cells together, which sum to `draws`."""
    step = max(1, CELLS // max(cells, 1))
    return (min(step, draws - first) for first in range(0, draws, step))


def of_labels(owner: Ints, labels: Ints) -> RandomTables:
    """The tables of guesses that are given as rows of labels, one per object."""
    draws, objects = labels.shape
    draw = np.repeat(np.arange(draws), objects)
    width = int(owner.max()) + 1, int(labels.max()) + 1
    return _grouped(draw, np.tile(owner, draws), labels.ravel(), draws, width)


def _grouped(
    draw: Ints, truth: Ints, guess: Ints, draws: int, width: tuple[int, int]
) -> RandomTables:
    """Objects of each draw counted by their clusters, which are numbered apart for each draw."""
    first, second, both = group_pairs(draw * width[0] + truth, draw * width[1] + guess)
    return RandomTables(draws, first // max(width[0], 1), first, second, both)


def _shuffled_objects(
    truth: Sizes, guess: Sizes, draws: int, rng: np.random.Generator, with_singles: bool
) -> Iterator[RandomTables]:
    """Shuffled guesses. Only the objects that are not single in truth (`owner`) and the labels that
    are not single in the guess (`label`) are drawn: how many of them meet, and which.
    """
    owner, label = (labels_by_size(_of_several(side)) for side in (truth, guess))
    width = int(owner.max(initial=-1)) + 1, int(label.max(initial=-1)) + 1
    objects = _objects(truth)
    for some in _portions(draws, owner.size + label.size):
        meet = rng.hypergeometric(label.size, objects - label.size, owner.size, some)
        left = [rng.choice(owner.size, m, replace=False, shuffle=False) for m in meet.tolist()]
        right = [rng.choice(label.size, m, replace=False) for m in meet.tolist()]
        draw, first, second = (
            np.repeat(np.arange(some), meet), np.concatenate(left), np.concatenate(right)
        )  # fmt: skip
        tables = _grouped(draw, owner[first], label[second], some, width)
        if not with_singles:
            yield tables
            continue
        # then the objects that are single in the guess, in truth, and in both
        in_truth, in_guess = (
            np.nonzero(_others(draw, place, some, side.size))
            for place, side in ((first, owner), (second, label))
        )
        single = objects - owner.size - label.size + meet
        in_both = np.flatnonzero(single)
        more = np.concatenate([in_truth[0], in_guess[0], in_both])
        rows, columns = (some * size + np.arange(more.size) for size in width)
        rows[: in_truth[0].size] = in_truth[0] * width[0] + owner[in_truth[1]]
        known = slice(in_truth[0].size, in_truth[0].size + in_guess[0].size)
        columns[known] = in_guess[0] * width[1] + label[in_guess[1]]
        times = np.ones(tables.both.size + more.size, np.int64)
        times[times.size - in_both.size :] = single[in_both]
        yield RandomTables(
            some, np.append(tables.draw, more), np.append(tables.truth, rows),
            np.append(tables.guess, columns), np.append(tables.both, np.ones_like(more)), times,
        )  # fmt: skip


def _others(draw: Ints, place: Ints, draws: int, size: int) -> Bools:
    """Which places are not taken in each draw."""
    free = np.ones((draws, size), np.bool_)
    free[draw, place] = False
    return free


def _shuffled_cells(rows: Ints, columns: Ints, draws: int, rng: np.random.Generator) -> Ints:
    """Tables with given margins: each cell is hypergeometric, given the cells before it."""
    counts = np.zeros((draws, rows.size, columns.size), np.int64)
    left = np.tile(columns, (draws, 1))
    for i, size in enumerate(rows[:-1].tolist()):
        wanted = np.full(draws, size)
        beyond = left.sum(axis=1)
        for j in range(columns.size - 1):
            beyond -= left[:, j]
            counts[:, i, j] = rng.hypergeometric(left[:, j], beyond, wanted)
            wanted -= counts[:, i, j]
        counts[:, i, -1] = wanted
        left -= counts[:, i]
    counts[:, -1] = left
    return counts


def _thrown_cells(rows: Ints, columns: Ints, draws: int, rng: np.random.Generator) -> Ints:
    """Tables of guesses with a number of clusters: objects thrown into urns, none of them empty."""
    alike = np.full(columns.size, 1 / columns.size)
    kept: list[Ints] = []
    while sum(map(len, kept)) < draws:
        counts = np.stack([rng.multinomial(size, alike, draws) for size in rows.tolist()], axis=1)
        kept.append(counts[counts.sum(axis=1).min(axis=1) > 0])
    return np.concatenate(kept)[:draws]


def _label_drawer(
    objects: int, guess: Sizes, null: Null, rng: np.random.Generator
) -> Callable[[], Ints]:
    """A function that draws the labels of one random guess."""
    if null == "uniform":
        return partial(uniform_partition, objects, rng)
    if _are_few(objects, guess.clusters):
        return partial(_thrown, objects, guess.clusters, rng)
    sizes = size_probabilities(size_rate(objects, guess.clusters))
    return partial(_of_random_sizes, objects, guess.clusters, sizes, rng)


def _thrown(objects: int, clusters: int, rng: np.random.Generator) -> Ints:
    """Labels of objects thrown into urns, none of them empty."""
    while True:
        labels = rng.integers(0, clusters, objects)
        if np.bincount(labels, minlength=clusters).all():
            return labels


def _of_random_sizes(
    objects: int, clusters: int, probabilities: Floats, rng: np.random.Generator
) -> Ints:
    """Labels of a guess whose sizes are drawn until they sum to all objects, then shuffled."""
    sizes = np.arange(1, probabilities.size + 1)
    fitting = np.zeros(0, np.int64)
    while not fitting.size:
        tried = rng.multinomial(clusters, probabilities, 64)
        fitting = np.flatnonzero(tried @ sizes == objects)
    chosen = np.repeat(sizes, tried[fitting[0]])
    return rng.permutation(np.repeat(np.arange(clusters), chosen))


def _by_cells(truth: Sizes, guess: Sizes, null: Null) -> bool:
    """Whether the cells of a table can be drawn, and are less work than a label for each object."""
    objects = _objects(truth)
    if null == "uniform" or truth.clusters * guess.clusters * DENSE > objects:
        return False
    return null == "permutation" or _are_few(objects, guess.clusters)


def _are_few(objects: int, clusters: int) -> bool:
    """Whether objects that are thrown into this many urns are likely to fill them all."""
    return clusters * math.exp(-objects / clusters) < CROWDED


def _objects(sizes: Sizes) -> int:
    return int((sizes.size * sizes.count).sum())


def _of_several(sizes: Sizes) -> Sizes:
    """The clusters with more than one object."""
    several = sizes.size > 1
    return type(sizes)(sizes.size[several], sizes.count[several])


# All guesses of a null model, for few objects.


def every_table(truth: Sizes, guess: Sizes, null: Null) -> RandomTables:
    """The tables of all guesses of a null model, each as likely as the others."""
    owner = labels_by_size(truth)
    guesses = np.array(partitions(owner.size))
    sizes = np.array([np.bincount(labels, minlength=owner.size) for labels in guesses])
    if null == "number":
        guesses = guesses[(sizes > 0).sum(axis=1) == guess.clusters]
    elif null == "permutation":
        wanted = np.zeros(owner.size, np.int64)
        wanted[: guess.clusters] = np.repeat(guess.size, guess.count)[::-1]
        guesses = guesses[(np.sort(sizes)[:, ::-1] == wanted).all(axis=1)]
    return of_labels(owner, guesses)


@cache
def partitions(objects: int) -> tuple[tuple[int, ...], ...]:
    """Every partition once, as a label for each object; labels are numbered as they appear.

    >>> partitions(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
    """
    if objects == 0:
        return ((),)
    return tuple(
        (*start, label)
        for start in partitions(objects - 1)
        for label in range(max(start, default=-1) + 2)
    )
