"""Random guesses of a null model, as contingency tables with the truth, many at a time."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import group_pairs
from clusterdiff.contingency import Alignment, Stack
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.chance import labels_by_size, together_at_random, uniform_partition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import Sizes

# How likely two objects are together in a partition drawn from all, or from all of k clusters.

EXACT = 500
"""Objects up to which Bell and Stirling numbers are counted as whole numbers."""


def together_uniformly(objects: int) -> Fraction:
    """The chance that two objects share a cluster of a partition drawn from all alike.

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
    """The chance that two objects share a cluster of a partition drawn from all of k clusters.

    Definition:  S(n - 1, k) / S(n, k), Stirling numbers of the second kind

    >>> together_among(5, 3)
    Fraction(6, 25)
    """
    if objects <= EXACT:
        return Fraction(_surjections(objects - 1, clusters), _surjections(objects, clusters))
    if clusters in (1, objects):
        return Fraction(clusters == 1)
    rate = size_rate(objects, clusters)
    fewer, all_ = (
        _chance_of_sum(rate, clusters, objects - 1),
        _chance_of_sum(rate, clusters, objects),
    )
    return Fraction(rate / objects * fewer / all_)


def _surjections(objects: int, clusters: int) -> int:
    """k! S(n, k): the ways to lay objects into numbered clusters of which none stays empty."""
    return sum(
        (-1) ** (clusters - some) * math.comb(clusters, some) * some**objects
        for some in range(clusters + 1)
    )


def size_rate(objects: int, clusters: int) -> float:
    """The rate of a Poisson distribution that has the mean cluster size, 0 left out.

    In a partition drawn from all of k clusters, numbered at random, the sizes are independent
    draws from this distribution given that they sum to n, whatever the rate.
    """
    from scipy.optimize import brentq

    mean = objects / clusters
    return float(
        brentq(
            lambda rate: rate / -math.expm1(-rate) - mean, mean - 1, mean, xtol=1e-12 * (mean - 1)
        )
    )


def size_chances(rate: float) -> Floats:
    """The chance of each size from 1 on, as far as it is above rounding."""
    largest = int(rate + 12 * math.sqrt(rate)) + 40
    sizes = np.arange(1, largest + 1)
    logs = sizes * math.log(rate) - np.cumsum(np.log(sizes))
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def _chance_of_sum(rate: float, clusters: int, total: int) -> float:
    """The chance that so many draws of a size sum to a total.

    A Fourier coefficient of the characteristic function, by the trapezoid rule; what that adds is
    the chance of sums that are 60 standard deviations away.
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


def all_partitions(objects: int) -> Iterator[list[int]]:
    """Every partition once, as a label for each object; labels are numbered as they appear.

    >>> list(all_partitions(3))
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    if objects == 0:
        yield []
        return
    for begin in all_partitions(objects - 1):
        for label in range(max(begin, default=-1) + 2):
            yield [*begin, label]


Null = Literal["permutation", "number", "uniform"]
CELLS = 1 << 18
"""Cells of tables, or labels of objects, that are drawn at a time."""
DENSE = 2
"""A cell of a table costs as much as this many objects that are shuffled."""
MOST = 10**9
"""Objects of which NumPy draws hypergeometric numbers."""
LAID = 2 * 10**7
"""Labels of both sides that are laid one by one at most."""
CROWDED = 4
"""Expected empty urns up to which throws are repeated until no urn is empty."""


class RandomTables(NamedTuple):
    """Contingency tables of one truth with some guesses, cell by cell."""

    draws: int
    draw: Ints
    truth: Ints
    guess: Ints
    both: Ints
    times: Ints | None = None
    """How many single objects, alone on both sides, a cell stands for."""

    def stack(self) -> Stack:
        """The comparisons side by side."""
        return Stack.of_cells(
            list(range(self.draws)), self.draw, self.truth, self.guess, self.both, Alignment(),
            self.times,
        )  # fmt: skip

    def pairs_of_both(self) -> Ints:
        """For each guess, the pairs that truth puts together as well."""
        return self._pairs(self.draw, self.both)

    def pairs_of_guess(self) -> Ints:
        """For each guess, the pairs that it puts together."""
        clusters, cluster = np.unique(self.guess, return_inverse=True)
        size = np.zeros(clusters.size, np.int64)
        np.add.at(size, cluster, self.both)
        draw = np.zeros(clusters.size, np.int64)
        draw[cluster] = self.draw
        return self._pairs(draw, size)

    def _pairs(self, draw: Ints, size: Ints) -> Ints:
        found = np.zeros(self.draws, np.int64)
        np.add.at(found, draw, size * (size - 1) // 2)
        return found


def refuse_too_many(truth: Sizes, guess: Sizes, null: Null) -> None:
    """Refuse more objects than can be drawn in a little memory."""
    objects = _objects(truth)
    laid = 2 * objects
    if null == "permutation":
        laid = sum(_objects(_of_several(side)) for side in (truth, guess))
    if objects >= MOST or (laid > LAID and not _by_cells(truth, guess, null)):
        closed = (
            "has a closed form of pair measures, such as rand, for shuffled guesses: expected "
            "value, standard deviation and z."
        )
        raise ClusterdiffError(
            f"random guesses of {objects:,} objects cannot be drawn.",
            f"draws=0 {closed}",
            f"--draws 0 {closed}",
        )


def drawn_tables(
    truth: Sizes, guess: Sizes, null: Null, draws: int, seed: int
) -> Iterator[RandomTables]:
    """Tables of random guesses, as many at a time as fit into a little memory.

    Where clusters are few, their cells are drawn, else a label for each object. Only the sizes of
    clusters count, and they are taken in their order: the same seed draws the same for the same
    comparison, whatever the order of rows and the names.
    """
    rng = np.random.default_rng(seed)
    if _by_cells(truth, guess, null):
        by_cell = _shuffled_cells if null == "permutation" else _thrown_cells
        rows, columns = _written_out(truth), _written_out(guess)
        step = max(1, CELLS // (rows.size * columns.size))
        for first in range(0, draws, step):
            yield _of_cells(by_cell(rows, columns, min(step, draws - first), rng))
        return
    if null == "permutation":
        for laid in _shuffled_objects(truth, guess, draws, rng):
            yield laid.tables()
        return
    owner = labels_by_size(truth)
    one = _label_drawer(owner.size, guess, null, rng)
    step = max(1, CELLS // owner.size)
    for first in range(0, draws, step):
        yield of_labels(owner, np.stack([one() for _ in range(min(step, draws - first))]))


def drawn_pairs(truth: Sizes, guess: Sizes, draws: int, seed: int) -> Iterator[Ints]:
    """The pairs that shuffled guesses have in common with the truth."""
    if _by_cells(truth, guess, "permutation"):
        for tables in drawn_tables(truth, guess, "permutation", draws, seed):
            yield tables.pairs_of_both()
        return
    for laid in _shuffled_objects(truth, guess, draws, np.random.default_rng(seed)):
        yield laid.met().pairs_of_both()


class _Laid(NamedTuple):
    """Shuffled guesses, given by the objects that are singletons on neither side."""

    owner: Ints
    """The cluster of each object that is not alone in truth."""
    label: Ints
    """The cluster of each object that is not alone in the guess."""
    count: Ints  # type: ignore[assignment]
    """For each guess, how many objects are alone on neither side."""
    left: Ints
    """These objects, one guess after the other, as places in `owner` …"""
    right: Ints
    """… and in `label`."""
    objects: int

    @property
    def draw(self) -> Ints:
        return np.repeat(np.arange(self.count.size), self.count)

    @property
    def width(self) -> tuple[int, int]:
        return int(self.owner.max(initial=-1)) + 1, int(self.label.max(initial=-1)) + 1

    def met(self) -> RandomTables:
        """The cells of clusters that are not single."""
        truth, guess = self.owner[self.left], self.label[self.right]
        return _grouped(self.draw, truth, guess, self.count.size, self.width)

    def tables(self) -> RandomTables:
        """All cells; those of single objects have one object each."""
        met, draws = self.met(), self.count.size
        in_truth, in_guess = (
            np.nonzero(_unmarked(draws, self.draw, place, side.size))
            for place, side in ((self.left, self.owner), (self.right, self.label))
        )
        single = self.objects - self.owner.size - self.label.size + self.count
        in_none = np.flatnonzero(single)
        draw = np.concatenate([in_truth[0], in_guess[0], in_none])
        truth, guess = (draws * width + np.arange(draw.size) for width in self.width)
        truth[: in_truth[0].size] = in_truth[0] * self.width[0] + self.owner[in_truth[1]]
        known = slice(in_truth[0].size, in_truth[0].size + in_guess[0].size)
        guess[known] = in_guess[0] * self.width[1] + self.label[in_guess[1]]
        one = np.ones_like(draw)
        times = np.append(np.ones_like(met.both), one)
        times[times.size - in_none.size :] = single[in_none]
        return RandomTables(
            draws,
            np.append(met.draw, draw),
            np.append(met.truth, truth),
            np.append(met.guess, guess),
            np.append(met.both, one),
            times,
        )


def _unmarked(draws: int, draw: Ints, place: Ints, size: int) -> Bools:
    """Which places of each draw are not among these."""
    free = np.ones((draws, size), np.bool_)
    free[draw, place] = False
    return free


def _shuffled_objects(
    truth: Sizes, guess: Sizes, draws: int, rng: np.random.Generator
) -> Iterator[_Laid]:
    """Shuffled guesses: of the objects that truth puts together, as many are chosen as get a label
    that is not alone either, and get such labels.
    """
    owner, label = (labels_by_size(_of_several(side)) for side in (truth, guess))
    objects = _objects(truth)
    step = max(1, CELLS // max(owner.size + label.size, 1))
    for first in range(0, draws, step):
        met = rng.hypergeometric(
            label.size, objects - label.size, owner.size, min(step, draws - first)
        )
        left = [rng.choice(owner.size, m, replace=False, shuffle=False) for m in met.tolist()]
        right = [rng.choice(label.size, m, replace=False) for m in met.tolist()]
        yield _Laid(owner, label, met, np.concatenate(left), np.concatenate(right), objects)


def every_table(truth: Sizes, guess: Sizes, null: Null) -> RandomTables:
    """The tables of all guesses of a null model, each as likely as the others."""
    owner = labels_by_size(truth)
    found = [labels for labels in all_partitions(owner.size) if _is_of(labels, guess, null)]
    return of_labels(owner, np.array(found))


def of_labels(owner: Ints, labels: Ints) -> RandomTables:
    """The tables of guesses that are given as rows of labels, one per object."""
    draws, objects = labels.shape
    draw = np.repeat(np.arange(draws), objects)
    width = int(owner.max()) + 1, int(labels.max()) + 1
    return _grouped(draw, np.tile(owner, draws), labels.ravel(), draws, width)


def _grouped(
    draw: Ints, truth: Ints, guess: Ints, draws: int, width: tuple[int, int]
) -> RandomTables:
    """Objects of each draw counted by their clusters, which get other numbers in other draws."""
    first, second, both = group_pairs(draw * width[0] + truth, draw * width[1] + guess)
    return RandomTables(draws, first // max(width[0], 1), first, second, both)


def _of_cells(counts: Ints) -> RandomTables:
    """The cells of dense tables, draws x truth clusters x guess clusters, that are not empty."""
    draws, rows, columns = counts.shape
    draw, truth, guess = np.nonzero(counts)
    return RandomTables(
        draws, draw, draw * rows + truth, draw * columns + guess, counts[draw, truth, guess]
    )


def _shuffled_cells(rows: Ints, columns: Ints, draws: int, rng: np.random.Generator) -> Ints:
    """Tables with given margins: each cell is hypergeometric, given those before it."""
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
    """Tables of guesses with so many clusters: objects thrown into urns of which none is empty."""
    alike = np.full(columns.size, 1 / columns.size)
    kept: list[Ints] = []
    while sum(map(len, kept)) < draws:
        counts = np.stack([rng.multinomial(size, alike, draws) for size in rows.tolist()], axis=1)
        kept.append(counts[counts.sum(axis=1).min(axis=1) > 0])
    return np.concatenate(kept)[:draws]


def _label_drawer(
    objects: int, guess: Sizes, null: Null, rng: np.random.Generator
) -> Callable[[], Ints]:
    """What draws the labels of one random guess."""
    if null == "uniform":
        return partial(uniform_partition, objects, rng)
    if _are_few(objects, guess.clusters):
        return partial(_thrown, objects, guess.clusters, rng)
    rate = size_rate(objects, guess.clusters)
    return partial(_of_random_sizes, objects, guess.clusters, size_chances(rate), rng)


def _by_cells(truth: Sizes, guess: Sizes, null: Null) -> bool:
    """Whether drawing the cells of a table is possible, and less work than laying the objects."""
    objects = _objects(truth)
    if null == "uniform" or truth.clusters * guess.clusters * DENSE > objects:
        return False
    return null == "permutation" or _are_few(objects, guess.clusters)


def _are_few(objects: int, clusters: int) -> bool:
    """Whether objects that are thrown into so many urns are likely to fill them all."""
    return clusters * math.exp(-objects / clusters) < CROWDED


def _thrown(objects: int, clusters: int, rng: np.random.Generator) -> Ints:
    """Labels of objects thrown into urns of which none is empty."""
    for _ in count():
        labels = rng.integers(0, clusters, objects)
        if np.bincount(labels, minlength=clusters).all():
            break
    return labels


def _of_random_sizes(
    objects: int, clusters: int, chances: Floats, rng: np.random.Generator
) -> Ints:
    """Labels of a guess whose sizes are drawn until they sum to all objects, then shuffled."""
    sizes = np.arange(1, chances.size + 1)
    for _ in count():
        tried = rng.multinomial(clusters, chances, 64)
        fitting = np.flatnonzero(tried @ sizes == objects)
        if fitting.size:
            break
    chosen = np.repeat(sizes, tried[fitting[0]])
    return rng.permutation(np.repeat(np.arange(clusters), chosen))


def _is_of(labels: list[int], guess: Sizes, null: Null) -> bool:
    """Whether a partition belongs to a null model."""
    if null == "uniform":
        return True
    sizes = np.bincount(labels)
    if null == "number":
        return sizes.size == guess.clusters
    return np.array_equal(np.sort(sizes), _written_out(guess))


def _objects(sizes: Sizes) -> int:
    return int((sizes.size * sizes.count).sum())


def _of_several(sizes: Sizes) -> Sizes:
    """The clusters of more than one object."""
    several = sizes.size > 1
    return type(sizes)(sizes.size[several], sizes.count[several])


def _written_out(sizes: Sizes) -> Ints:
    """The size of each cluster, small ones first."""
    return np.repeat(sizes.size, sizes.count)
