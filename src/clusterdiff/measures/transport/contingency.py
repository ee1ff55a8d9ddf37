"""Distances of many clusterings to many others at once, through their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.pair_masses import Facing
from clusterdiff.measures.transport.distance import Base, BudgetExceeded, options, power

CELLS_AT_ONCE = 1 << 23
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
    block = max(1, CELLS_AT_ONCE // (len(guess) * t * g))
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


# How the objects of a true cluster can spread over the clusters of an uncertain guess.
#
# The counts of a cluster's objects in each guess cluster are a sum of independent choices. Vectors
# of counts are written as one number (mixed radix), so that one more object is a shift.

TAIL = 1e-18
"""Chances that are left out, all together: less than the rounding of the sums."""


CELLS_HELD = 1 << 26
"""Cells of a distribution that are held: half a gigabyte."""


class Choice(NamedTuple):
    """What an uncertain object can add to the counts: one vector of several, with these chances."""

    step: Ints
    """Options x clusters."""
    chance: Floats
    objects: int


class Law(NamedTuple):
    """Vectors of counts that a cluster can have, and their chances."""

    counts: Ints
    """Vectors x clusters."""
    chance: Floats


def spread(f: Facing, cluster: int, *, sets: bool) -> tuple[Ints, list[Choice]]:
    """What the certain objects of a cluster add for sure, and the choices of the others.

    With `sets` an object counts for every cluster of its set, otherwise it is in one of them.
    """
    m = f.side.masses
    sure = np.zeros(m.clusters, np.int64)
    choices = []
    for row in np.flatnonzero(f.label == cluster):
        objects = int(f.both[row])
        named, mass = options(m, int(f.side.row[row]))
        if sets:
            step = np.zeros((len(named), m.clusters), np.int64)
            for vector, one in zip(step, named, strict=True):
                vector[one] = 1
            chance = mass
        else:
            member = np.concatenate(named)
            step = np.zeros((member.size, m.clusters), np.int64)
            step[np.arange(member.size), member] = 1
            chance = np.repeat(mass, [one.size for one in named])
        if len(step) == 1:
            sure += objects * step[0]
        else:
            choices.append(Choice(step, chance, objects))
    return sure, choices


def law_of(sure: Ints, choices: list[Choice], budget: int, *, reached: bool = False) -> Law:
    """All vectors of counts with their chances; with `reached`, which ones there are at all."""
    if not choices:
        return Law(sure[None, :], np.ones(1))
    steps = np.concatenate([c.step for c in choices])
    objects = sum(c.objects for c in choices)
    moving = np.flatnonzero((steps != steps[0]).any(axis=0))
    constant = bool((steps.sum(axis=1) == steps[0].sum()).all())
    free = moving[:-1] if constant and moving.size > 1 else moving
    radix = int(objects) + 1
    work = power(radix, free.size) * sum(c.objects * len(c.step) for c in choices)
    if work > budget or power(radix, free.size) > CELLS_HELD:
        raise BudgetExceeded.of("the distribution of the counts", work, budget)
    size = radix**free.size
    place = radix ** np.arange(free.size)
    law: Any = np.zeros(size, np.bool_ if reached else np.float64)
    law[0] = 1
    for choice in choices:
        offsets = choice.step[:, free] @ place
        for _ in range(choice.objects):
            law = _shifted(law, offsets, choice.chance, reached)
    cells = np.flatnonzero(law > 0) if reached else _heavy(law)
    counts = np.tile(sure, (cells.size, 1))
    counts[:, free] += (cells[:, None] // place) % radix
    fixed = np.setdiff1d(np.arange(sure.size), moving)
    counts[:, fixed] += objects * steps[0][fixed]
    if free.size < moving.size:
        whole = objects * int(steps[0].sum()) + int(sure.sum())
        last = moving[-1]
        others = np.arange(sure.size) != last
        counts[:, last] = whole - counts[:, others].sum(axis=1)
    return Law(counts, law[cells].astype(np.float64))


def _shifted(law: Any, offsets: Ints, chance: Floats, reached: bool) -> Any:
    """The distribution with one more object."""
    new = np.zeros_like(law)
    for offset, p in zip(offsets.tolist(), chance.tolist(), strict=True):
        if reached:
            new[offset:] |= law[: law.size - offset]
        else:
            new[offset:] += p * law[: law.size - offset]
    return new


def _heavy(law: Floats) -> Ints:
    """The cells that hold all but a negligible part of the chances."""
    cells = np.flatnonzero(law > 0)
    order = np.argsort(law[cells])
    light = np.cumsum(law[cells][order]) <= TAIL
    return np.sort(cells[order[~light]])
