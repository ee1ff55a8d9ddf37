"""How the objects of a true cluster can spread over the clusters of an uncertain guess.

The counts of a cluster's objects in each guess cluster are a sum of independent choices. Vectors of
counts are written as one number (mixed radix), so that one more object is a shift.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.soft.pair_masses import Facing
from clusterdiff.measures.transport.distance import BudgetExceeded, options, power

TAIL = 1e-18
"""Chances that are left out, all together: less than the rounding of the sums."""


CELLS = 1 << 26
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
    if work > budget or power(radix, free.size) > CELLS:
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
