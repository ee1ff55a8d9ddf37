"""Distances of many clusterings to many others at once, through their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.transport.distance import Base

CELLS = 1 << 23
"""Cells of tables that are held at a time."""
FEW = 6
"""Clusters up to which all matchings are tried side by side."""


def steps_per_table(base: Base, clusters: int) -> int:
    """About how much work the distance of two clusterings is."""
    if base.per_pair is not None or (base.per_move is not None and clusters <= FEW):
        return 20 * clusters**2
    return 10_000


def distances(
    base: Base, truth: Ints, guess: Ints, advance: Callable[[int], None] = lambda done: None
) -> Floats:
    """The distance of each clustering of truth to each of guess; a row of labels is a clustering.

    A label below 0 leaves the object out, in all clusterings alike.
    """
    kept = (truth[0] >= 0) if len(truth) else np.zeros(0, np.bool_)
    truth, guess = truth[:, kept], guess[:, kept]
    if kept.sum() < 2:
        return np.zeros((len(truth), len(guess)))
    base = replace(base, objects=int(kept.sum()))
    found = np.empty((len(truth), len(guess)))
    for rows, tables in tables_of(truth, guess):
        found[rows] = _of_tables(base, tables)
        advance(tables.shape[0] * tables.shape[1])
    return found


def tables_of(truth: Ints, guess: Ints) -> Iterator[tuple[slice, Floats]]:
    """The tables of some clusterings of truth at a time with all of guess."""
    t, g = int(truth.max()) + 1, int(guess.max()) + 1
    right = _one_hot(guess, g)
    block = max(1, CELLS // (len(guess) * t * g))
    for at in range(0, len(truth), block):
        some = truth[at : at + block]
        tables = (_one_hot(some, t) @ right.T).reshape(len(some), t, len(guess), g)
        yield slice(at, at + block), np.rint(tables).transpose(0, 2, 1, 3)


def _one_hot(labels: Ints, clusters: int) -> Floats:
    """(clusterings x clusters) x objects: 1 where the object is in the cluster."""
    inside = np.asarray(labels[:, None, :] == np.arange(clusters)[:, None], np.float64)
    return inside.reshape(-1, labels.shape[1])


def _of_tables(base: Base, tables: Floats) -> Floats:
    """The distance for each of many tables."""
    if base.per_pair is not None:
        squares = sum((tables.sum(axis=axis) ** 2).sum(axis=-1) for axis in (2, 3))
        return np.asarray(base.per_pair * 0.5 * (squares - 2 * (tables**2).sum(axis=(2, 3))))
    if base.per_move is not None and max(tables.shape[2:]) <= FEW:
        return np.asarray(base.per_move * (tables.sum(axis=(2, 3)) - largest_matching(tables)))
    flat = tables.reshape(-1, *tables.shape[2:]).astype(np.int64)
    return np.array([base.of_table(one) for one in flat]).reshape(tables.shape[:2])


def largest_matching(tables: Floats) -> Floats:
    """The largest matching of each of many small tables, by trying all."""
    if tables.shape[-2] > tables.shape[-1]:
        tables = tables.swapaxes(-1, -2)
    few, many = tables.shape[-2:]
    best = np.full(tables.shape[:-2], -np.inf)
    rows = np.arange(few)
    for chosen in permutations(range(many), few):
        np.maximum(best, tables[..., rows, list(chosen)].sum(axis=-1), out=best)
    return best
