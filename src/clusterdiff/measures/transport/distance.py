"""A measure of partitions as a distance, and the two ends of what is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.degrees import Masses, refuse_large
from clusterdiff.clusterings.sets import Sets, singles
from clusterdiff.contingency import HardMeet, SoftMeet, SoftSide
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.base import Measure
from clusterdiff.measures.pair_masses import Facing


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
    """What is known of a number: it is not below low and not above high."""

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
        """What is known of the sum."""
        return End(self.low + other.low, self.high + other.high)


class Ends(NamedTuple):
    """The distance if what is unknown is accepted, and if it is an error, and how it was found."""

    least: End
    most: End
    how: str
    certain: bool = True
    estimate: tuple[float, float] | None = None


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


def without_empty(f: Facing) -> tuple[float, Facing | None]:
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
        refuse_large(kept.size + lost.size, focal.number)
        table = np.pad(table, (0, lost.size))
        table[np.arange(first, len(table)), np.arange(some.size, focal.number)] = 1.0
    return SoftSide(side.kind, row, Masses(focal, clusters, table))


def set_aside(base: Base, f: Facing) -> tuple[Facing, float] | None:
    """Against a certain clustering, what is left to compare if objects in no cluster are set aside
    as singletons, and the distance that these add; None where it is not a sum.

    A pair with a singleton disagrees where the certain side has it together. Of all singletons
    among the objects of a cluster, a matching can keep one.
    """
    lost = f.side.masses.empty[f.side.row] >= 1
    rows, alone = np.flatnonzero(~lost), np.flatnonzero(lost)
    both, added = f.both.copy(), 0.0
    if not rows.size or (alone.size and base.per_pair is None and base.per_move is None):
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
    return Facing(f.label[rows], side, both[rows], f.turned), added


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
