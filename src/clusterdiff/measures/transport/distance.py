"""A measure of partitions as a distance, and its lower and upper bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.degrees import Masses, check_large
from clusterdiff.clusterings.sets import Sets, singles
from clusterdiff.contingency import HardMeet, SoftMeet, SoftSide
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.base import Measure
from clusterdiff.measures.pair_masses import SoftVersusHard


class BudgetExceeded(ClusterdiffError):
    """The work would take more steps than were allowed."""

    steps: float = 0.0

    @classmethod
    def of(cls, what: str, steps: float, budget: int) -> BudgetExceeded:
        """How much it would be, and what to do instead."""
        factor = steps / budget
        if factor <= 1:
            told, more = "needs more memory than it may have.", ""
        else:
            times = f"{factor:,.1f}" if factor < 1e6 else f"{factor:.2g}"
            told = (
                f"would take about {steps:.3g} steps of work, {times} times the budget of "
                f"{budget:,}."
            )
            power_of_ten = math.ceil(math.log10(steps))
            more = f" Or allow more: budget=10**{power_of_ten}." if steps < 1e12 else ""
        made = cls(f"{what} {told}", f"use method='sample' (estimated, with limits).{more}")
        made.steps = steps
        return made

    @classmethod
    def check(cls, what: str, steps: float, budget: int) -> None:
        """Refuse work that would take more steps than are allowed."""
        if steps > budget:
            raise cls.of(what, steps, budget)


def exp(log: float) -> float:
    """e to a power, as large as a floating-point number gets."""
    return math.exp(min(690.0, log))


def power(base: int, exponent: int) -> float:
    """A power as a floating-point number, however large it is."""
    return exp(exponent * math.log(base))


def as_float(many: int) -> float:
    """A count as a floating-point number, however large it is."""
    return float(many) if many.bit_length() < 1000 else 1e300


class End(NamedTuple):
    """A number between a lower and an upper bound, both inclusive."""

    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> End:
        """A number that is known."""
        return cls(value, value)

    def __mul__(self, factor: object) -> End:
        assert isinstance(factor, int | float)
        return End(self.low * factor, self.high * factor)

    def plus(self, other: End) -> End:
        """The bounds of the sum."""
        return End(self.low + other.low, self.high + other.high)


class Ends(NamedTuple):
    """The distance if what is unknown is accepted, and if it is an error, and how it was found."""

    least: End
    most: End
    how: str
    certain: bool = True
    estimate: tuple[float, float] | None = None

    @classmethod
    def exactly(cls, how: str, least: float, most: float | None = None) -> Ends:
        """Two ends that are known, or one distance that is both."""
        return cls(End.exactly(least), End.exactly(least if most is None else most), how)


@dataclass(frozen=True)
class Base:
    """A measure of partitions, read as a distance of clusterings of so many objects."""

    measure: Measure
    objects: int

    @property
    def similar(self) -> bool:
        """Whether the measure is a similarity."""
        return self.measure.claims.best == 1.0

    def of(self, meet: HardMeet) -> float:
        """The distance of two partitions."""
        value = float(self.measure.of(meet))
        return 1.0 - value if self.similar else value

    def of_table(self, table: Ints) -> float:
        """The distance of two partitions with this table, truth x guess."""
        truth, guess = np.nonzero(table)
        return self.of(HardMeet.of_cells(truth, guess, table[truth, guess]))

    @property
    def largest(self) -> float:
        """The largest distance that there is."""
        low, high = self.measure.claims.bounds
        return 1.0 - low if self.similar else high

    @property
    def per_move(self) -> float | None:
        """The distance for each object that has to move, if that is all that counts."""
        return self.measure.get_hook("per_move", self.objects)  # type: ignore[no-any-return]

    @property
    def per_pair(self) -> float | None:
        """The distance for each pair that is together on one side alone, if that is all."""
        return self.measure.get_hook("per_pair", self.objects)  # type: ignore[no-any-return]

    @property
    def bounded(self) -> bool:
        """Whether inequalities are proved for the measure."""
        return self.per_pair is not None or self.per_move is not None

    @property
    def loads(self) -> Loads | None:
        """The distance as a function of the cells of the table and their columns, if it is one."""
        if (scale := self.per_pair) is not None:
            return Loads(_pairs, scale)
        scale = self.measure.get_hook("per_nat", self.objects)
        return None if scale is None else Loads(nats, scale)


def _pairs(count: Floats) -> Floats:
    """Pairs among so many objects."""
    return count * (count - 1) / 2


def nats(count: Floats) -> Floats:
    """x log x."""
    return count * np.log(np.maximum(count, 1.0))


class Loads(NamedTuple):
    """A sum over a table: scale · (rows · Σ f(row) + columns · Σ f(column) + cells · Σ f(cell))."""

    f: Callable[[Floats], Floats]
    scale: float
    rows: float = 1.0
    columns: float = 1.0
    cells: float = -2.0


def without_empty(f: SoftVersusHard) -> tuple[float, SoftVersusHard | None]:
    """The chance that an object is in no known cluster, and what is known where none is."""
    m = f.side.masses
    used = np.bincount(f.side.row, f.both, m.rows)
    if not (m.empty[used > 0] > 0).any():
        return 0.0, f
    if (m.empty[used > 0] >= 1).any():
        return 1.0, None
    chance = -math.expm1(float(used @ np.log1p(-m.empty)))
    some = m.focal.size > 0
    focal = m.focal.take(np.flatnonzero(some))
    table = None if m.table is None else m.mass[:, some] / (1.0 - m.empty)[:, None]
    if table is None:
        renumbered = (np.cumsum(some) - 1)[f.side.row]
        side = SoftSide(f.side.kind, renumbered, Masses(focal, m.clusters))
    else:
        side = SoftSide(f.side.kind, f.side.row, Masses(focal, m.clusters, table))
    return chance, f._replace(side=side)


def may_lack(m: SoftMeet) -> bool:
    """Whether some objects may be in no known cluster."""
    return any(bool(side.masses.empty[side.row].any()) for side in (m.truth, m.guess))


def normalised(m: SoftMeet) -> SoftMeet:
    """The comparison given that every object is in a cluster.

    Mass on the empty set is shared among the other sets in proportion. An object without any other
    mass is a cluster of its own, as noise is in partitions.
    """
    lost = lacking(m)
    rows = np.repeat(np.arange(m.rows), np.where(lost, m.both, 1))
    truth, guess = (_normalised(side, rows) for side in (m.truth, m.guess))
    return SoftMeet(truth, guess, np.where(lost, 1, m.both)[rows], m.alignment)


def lacking(m: SoftMeet) -> Bools:
    """Which rows a side has in no cluster for certain."""
    first, second = (side.masses.empty[side.row] >= 1 for side in (m.truth, m.guess))
    return np.asarray(first | second)


def how_normalised(m: SoftMeet) -> str:
    """What `normalised` does to a comparison, in words."""
    of_rows = [side.masses.empty[side.row] for side in (m.truth, m.guess)]
    told = []
    if any(((one > 0) & (one < 1)).any() for one in of_rows):
        told.append("mass on the empty set normalised")
    if many := int(m.both[lacking(m)].sum()):
        one = many == 1
        objects = "1 object" if one else f"{many:,} objects"
        told.append(f"{objects} in no cluster counted as {'a singleton' if one else 'singletons'}")
    return ", ".join(told)


def _normalised(side: SoftSide, rows: Ints) -> SoftSide:
    """What a side knows of these rows, given that each of them is in a cluster."""
    m, row = side.masses, side.row[rows]
    lost = np.flatnonzero(m.empty[row] >= 1)
    some, kept = np.flatnonzero(m.focal.size), np.flatnonzero(m.empty < 1)
    own = singles(np.arange(m.clusters, m.clusters + lost.size))
    named = m.focal.take(some)
    focal = Sets(
        np.concatenate([named.start, own.start[1:] + named.start[-1]]),
        np.concatenate([named.member, own.member]),
    )
    clusters = m.clusters + lost.size
    place, table = np.zeros(m.rows, np.int64), None
    place[kept] = np.arange(kept.size)
    if m.table is not None and kept.size:
        known = m.table[np.ix_(kept, some)]
        table = known / known.sum(axis=1, keepdims=True)
        if ((table > 0).sum(axis=1) == 1).all():  # one set each: no table has to be laid out
            place[kept], table = table.argmax(axis=1), None
    first = focal.number - lost.size if table is None else kept.size
    row = place[row]
    row[lost] = first + np.arange(lost.size)
    if table is not None and lost.size:
        check_large(kept.size + lost.size, focal.number)
        table = np.pad(table, (0, lost.size))
        table[np.arange(first, len(table)), np.arange(some.size, focal.number)] = 1.0
    return SoftSide(side.kind, row, Masses(focal, clusters, table))


def set_aside(base: Base, f: SoftVersusHard) -> tuple[SoftVersusHard, float] | None:
    """Against a certain clustering, what is left to compare if objects in no cluster are set aside
    as singletons, and the distance that these add; None where it is not a sum.

    A pair with a singleton disagrees where the certain side has it together. Of all singletons
    among the objects of a cluster, a matching can keep one.
    """
    lost = f.side.masses.empty[f.side.row] >= 1
    rows, alone = np.flatnonzero(~lost), np.flatnonzero(lost)
    both, added = f.both.copy(), 0.0
    if not rows.size or (alone.size and not base.bounded):
        return None
    if base.per_pair is not None:
        every: Any = np.arange(f.both.size)
        whole, kept = (
            _pairs(np.asarray(np.bincount(f.label[x], f.both[x], f.labels), np.float64))
            for x in (every, rows)
        )
        added = base.per_pair * float(np.sum(whole) - np.sum(kept))
    elif base.per_move is not None:
        first = alone[np.unique(f.label[alone], return_index=True)[1]]
        added = base.per_move * (float(f.both[alone].sum()) - first.size)
        rows, both[first] = np.concatenate([rows, first]), 1
    side = _normalised(f.side, rows)
    if side.labels is not None:
        return None
    return SoftVersusHard(f.label[rows], side, both[rows], f.turned), added


def least_ways(side: SoftSide) -> float:
    """At least how many rough clusterings a side stands for, up to the names of equal objects."""
    m = side.masses
    if m.table is None:
        return 1.0
    many = np.log((m.table > 0).sum(axis=1))
    return exp(float(many[side.row].sum()))


def options(masses: Masses, profile: int) -> tuple[list[Ints], Floats]:
    """The sets that a mass function holds mass on, as clusters, and the masses."""
    focal: Sets = masses.focal
    columns = np.flatnonzero(masses.table[profile]) if masses.table is not None else [profile]
    sets = [focal.member[focal.start[a] : focal.start[a + 1]] for a in columns]
    mass: Any = masses.table[profile][columns] if masses.table is not None else np.ones(1)
    return sets, mass


def logical(side: SoftSide) -> SoftSide | None:
    """The side as a rough one, in which each row has all of its mass on one set, if it is one."""
    m = side.masses
    if m.table is None:
        return side
    if ((m.table[side.row] > 0).sum(axis=1) != 1).any():
        return None
    chosen = m.table.argmax(axis=1)[side.row]
    return SoftSide("rough", chosen, Masses(m.focal, m.clusters))


# Distances of many clusterings to many others at once, through their tables.

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


def spread(f: SoftVersusHard, cluster: int, *, sets: bool) -> tuple[Ints, list[Choice]]:
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
