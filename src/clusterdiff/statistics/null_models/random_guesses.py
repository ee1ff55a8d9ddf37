"""Random guesses of a null model, as contingency tables with the truth, many at a time."""

from __future__ import annotations

import math
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import group_pairs
from clusterdiff.measures.hard.chance import labels_by_size, uniform_partition
from clusterdiff.meet import Alignment, Stack
from clusterdiff.statistics.null_models.set_partitions import (
    all_partitions,
    size_chances,
    size_rate,
)
from clusterdiff.statistics.refusals import ChanceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.meet import Sizes

Null = Literal["permutation", "number", "uniform"]
CELLS = 1 << 18
"""Cells of tables, or labels of objects, that are drawn at a time."""
DENSE = 2
"""A cell of a table costs as much as this many objects that are shuffled."""
LAID = 10**8
"""Objects that are shuffled one by one at most."""
CROWDED = 4
"""Expected empty urns up to which throws are repeated until no urn is empty."""


class RandomTables(NamedTuple):
    """Contingency tables of one truth with some guesses, cell by cell."""

    draws: int
    draw: Ints
    truth: Ints
    guess: Ints
    both: Ints

    def stack(self) -> Stack:
        """The comparisons side by side."""
        return Stack.of_cells(
            list(range(self.draws)), self.draw, self.truth, self.guess, self.both, Alignment()
        )

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


def drawn_tables(
    truth: Sizes, guess: Sizes, null: Null, draws: int, seed: int
) -> Iterator[RandomTables]:
    """Tables of random guesses, as many at a time as fit into a little memory.

    Where clusters are few, their cells are drawn, else a label for each object. Only the sizes of
    clusters count, and they are taken in their order: the same seed draws the same for the same
    comparison, whatever the order of rows and the names.
    """
    rng = np.random.default_rng(seed)
    objects = _objects(truth)
    if _are_dense(truth, guess) and (
        null == "permutation" or (null == "number" and _are_few(objects, guess.clusters))
    ):
        by_cell = _shuffled_cells if null == "permutation" else _thrown_cells
        rows, columns = _written_out(truth), _written_out(guess)
        step = max(1, CELLS // (rows.size * columns.size))
        for first in range(0, draws, step):
            yield _of_cells(by_cell(rows, columns, min(step, draws - first), rng))
        return
    if objects > LAID:
        raise ChanceError.from_too_many(objects)
    owner = labels_by_size(truth)
    one = _label_drawer(owner.size, guess, null, rng)
    step = max(1, CELLS // owner.size)
    for first in range(0, draws, step):
        yield of_labels(owner, np.stack([one() for _ in range(min(step, draws - first))]))


def drawn_pairs(truth: Sizes, guess: Sizes, draws: int, seed: int) -> Iterator[Ints]:
    """The pairs that shuffled guesses have in common with the truth.

    Objects that are alone on a side are in no pair: of those that truth puts together, only as
    many are laid as get a label that is not alone either.
    """
    if _are_dense(truth, guess):
        for tables in drawn_tables(truth, guess, "permutation", draws, seed):
            yield tables.pairs_of_both()
        return
    rng = np.random.default_rng(seed)
    objects = _objects(truth)
    owner, label = (labels_by_size(_of_several(side)) for side in (truth, guess))
    step = max(1, CELLS // max(owner.size, 1))
    for first in range(0, draws, step):
        some = min(step, draws - first)
        met = rng.hypergeometric(label.size, objects - label.size, owner.size, some)
        left = [rng.choice(owner, m, replace=False, shuffle=False) for m in met.tolist()]
        right = [rng.choice(label, m, replace=False) for m in met.tolist()]
        draw = np.repeat(np.arange(some), met)
        cells = _grouped(draw, np.concatenate(left), np.concatenate(right), some)
        yield cells.pairs_of_both()


def every_table(truth: Sizes, guess: Sizes, null: Null) -> RandomTables:
    """The tables of all guesses of a null model, each as likely as the others."""
    owner = labels_by_size(truth)
    found = [labels for labels in all_partitions(owner.size) if _is_of(labels, guess, null)]
    return of_labels(owner, np.array(found))


def of_labels(owner: Ints, labels: Ints) -> RandomTables:
    """The tables of guesses that are given as rows of labels, one per object."""
    draws, objects = labels.shape
    draw = np.repeat(np.arange(draws), objects)
    return _grouped(draw, np.tile(owner, draws), labels.ravel(), draws)


def _grouped(draw: Ints, truth: Ints, guess: Ints, draws: int) -> RandomTables:
    """Objects of each draw counted by their clusters, which get other numbers in other draws."""
    width = int(truth.max(initial=0)) + 1, int(guess.max(initial=0)) + 1
    first, second, both = group_pairs(draw * width[0] + truth, draw * width[1] + guess)
    return RandomTables(draws, first // width[0], first, second, both)


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
    if null == "permutation":
        return partial(rng.permutation, labels_by_size(guess))
    if null == "uniform":
        return partial(uniform_partition, objects, rng)
    if _are_few(objects, guess.clusters):
        return partial(_thrown, objects, guess.clusters, rng)
    rate = size_rate(objects, guess.clusters)
    return partial(_of_random_sizes, objects, guess.clusters, size_chances(rate), rng)


def _are_dense(truth: Sizes, guess: Sizes) -> bool:
    """Whether drawing the cells of a table is less work than shuffling the objects."""
    return truth.clusters * guess.clusters * DENSE <= _objects(truth)


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
