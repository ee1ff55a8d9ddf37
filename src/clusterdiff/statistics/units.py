"""Units: the parts of a comparison that are resampled.

With samples each sample is a unit; without them each connected component of the join of truth and
guess, the finest parts that share no cluster and no pair. Units that look the same are one type
with a count, and all sums are over types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency import Alignment, BetweenMeet, CoverMeet, HardMeet, Listed, Stack
from clusterdiff.contingency.base import components, dense
from clusterdiff.contingency.hard import clusters_apart
from clusterdiff.engines.memory import meet_of_rows
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.pairs import MANY
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.statistics.intervals import Spread, spread_of_objects

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Hashes, Ints
    from clusterdiff.contingency import Meet
    from clusterdiff.measures import Measure

NEAR = 2
"""All that an object's score depends on is within this many clusters, unless clusters are matched.
"""


@dataclass(frozen=True, eq=False)
class Units:
    """Types of units, each represented by one unit."""

    name: Literal["components", "samples"]
    meet: HardMeet | CoverMeet
    """One unit of each type."""
    type: Ints
    """The type of each row of the meet."""
    count: Ints
    """Number of units of each type."""
    of_unit: Ints
    """The type of each unit, by the number of the component or the place of the sample."""

    @cached_property
    def number(self) -> int:
        """Number of units."""
        return int(self.count.sum())

    @cached_property
    def objects(self) -> Ints:
        """Number of objects in a unit of each type."""
        return np.bincount(self.type, self.meet.weight, self.count.size).astype(np.int64)

    def sums(self, measure: Measure) -> UnitSums | None:
        """The sums over a unit of each type that a score is a function of; None if it is not."""
        if measure.has_hook("sums_of_units"):
            if isinstance(self.meet, CoverMeet):
                return measure.get_hook("sums_of_units", self.each)  # type: ignore[no-any-return]
            measure = measure.on_partitions or measure
        found = sums_of(measure, self.meet)
        if found is None:
            return None
        rows, sums = found
        if isinstance(rows, BetweenMeet) and rows.sources > MANY and sums.counts_all:
            return None  # all pairs follow from the objects of each source
        unit, times = self.type, rows.times if isinstance(rows, HardMeet) else 1
        if isinstance(self.meet, HardMeet) and not isinstance(rows, HardMeet):
            unit = np.repeat(unit, self.meet.times)  # a cover has repeated rows one by one
        terms = {
            name: np.bincount(unit, term * times, self.count.size).astype(np.float64)
            for name, term in sums.terms.items()
        }
        if self.name == "samples" and measure.sums_samples:
            return measure.get_hook("sums_of_samples", terms, rows)  # type: ignore[no-any-return]
        return UnitSums(terms, sums.score, sums.counts_all, sums.sizes)

    @cached_property
    def each(self) -> list[CoverMeet]:
        """The unit of each type as a comparison of covers of its own."""
        m: Any = self.meet
        order = np.argsort(self.type, kind="stable")
        edges = np.searchsorted(self.type[order], np.arange(1, self.count.size))
        return [_rows_of_cover(m, rows) for rows in np.split(order, edges)]


def units_of_components(meet: Meet, measures: Iterable[Measure] = ()) -> Units:
    """The connected components of the join of truth and guess, as types.

    A measure that matches clusters depends on the structure of the whole component, any other
    measure on what is at most two clusters away. Components that colour refinement does not
    distinguish have equal best matchings: the linear programs behind them have the same value.
    """
    if isinstance(meet, CoverMeet):
        meet, times = _with_objects_alone(meet)
        unit, colours = component_of_covers(meet), meet.colours
    else:
        assert isinstance(meet, HardMeet)
        unit, times = meet.component, meet.times
        matched = any(m.claims.solver for m in measures)
        colours = meet.colours if matched else _colours_near(meet)
    repeats = np.zeros(int(unit.max(initial=-1)) + 1, np.int64)
    repeats[unit] = times
    types = types_of_units(hash_of_units(unit, colours, repeats.size), repeats)
    return _one_of_each(meet, unit, colours, types)


def _colours_near(meet: HardMeet) -> Hashes:
    """Colours of rows of which equal ones add the same to all sums."""
    colours = meet.colours_after(NEAR)
    if not isinstance(meet, BetweenMeet):
        return colours
    cells = meet.inside.colours_after(NEAR)
    parts = mix(cells + mix(meet.source.astype(np.uint64)))
    np.add.at(colours, meet.row, parts)
    return mix(colours)


def _with_objects_alone(m: CoverMeet) -> tuple[CoverMeet, Ints]:
    """The comparison with one row for each kind of object that is in no cluster of either side,
    since such objects are units each; and the number of times each row occurs.
    """
    alone = (m.truth.memberships == 0) & (m.guess.memberships == 0)
    if not alone.any():
        return m, np.ones_like(m.both)
    both, times = np.where(alone, 1, m.both), np.where(alone, m.both, 1)
    sides = (m.truth.row, m.guess.row, both, m.truth.sets, m.guess.sets)
    return CoverMeet.of_cells(*sides, m.alignment), times


def component_of_covers(m: CoverMeet) -> Ints:
    """The connected component of each row; rows that share a cluster are connected."""
    truth, guess = m.truth.each, m.guess.each
    owner = np.concatenate([truth.owner, guess.owner])
    cluster = m.rows + np.concatenate([truth.member, guess.member + m.truth.clusters])
    vertices = m.rows + m.truth.clusters + m.guess.clusters
    return number(components(owner, cluster, vertices)[: m.rows])[0]


def _one_of_each(meet: HardMeet | CoverMeet, unit: Ints, colours: Hashes, types: Types) -> Units:
    """The rows of one unit of each type, in an order that does not depend on names."""
    place = np.full(types.of_unit.size, -1)
    place[types.unit] = np.arange(types.unit.size)
    rows = np.flatnonzero(place[unit] >= 0)
    rows = rows[np.lexsort((colours[rows], place[unit[rows]]))]
    some = rows_of_hard(meet, rows) if isinstance(meet, HardMeet) else _rows_of_cover(meet, rows)
    return Units("components", some, place[unit[rows]], types.count, types.of_unit)


def rows_of_hard(m: HardMeet, rows: Ints, times: Ints | None = None) -> HardMeet:
    """Some rows of a comparison, each of them once unless `times` are given."""
    if isinstance(m, BetweenMeet):
        return m.of_rows(rows, rows_of_hard(m.whole, rows, times))
    return replace(
        m, both=m.both[rows], truth_size=m.truth_size[rows], guess_size=m.guess_size[rows],
        times=np.ones_like(rows) if times is None else times,
        truth=dense(m.truth[rows]), guess=dense(m.guess[rows]),
        features=m.features and type(m.features)(m.features.mean[rows], m.features.error[rows]),
    )  # fmt: skip


def _rows_of_cover(m: CoverMeet, rows: Ints) -> CoverMeet:
    return CoverMeet.of_cells(
        m.truth.row[rows], m.guess.row[rows], m.both[rows], m.truth.sets, m.guess.sets, m.alignment
    )


class Types(NamedTuple):
    """Units that look the same: one unit of each type, and their number."""

    unit: Ints
    count: Ints  # type: ignore[assignment]
    of_unit: Ints
    """The type of each unit."""


def types_of_units(kinds: Hashes, times: Ints) -> Types:
    """Types in the order of their hashes, which depends neither on names nor on order."""
    order = np.argsort(kinds, kind="stable")
    ordered = kinds[order]
    first = np.concatenate([np.ones(min(kinds.size, 1), np.bool_), ordered[1:] != ordered[:-1]])
    start = np.flatnonzero(first)
    of_unit = np.empty_like(order)
    of_unit[order] = np.cumsum(first) - 1
    return Types(order[start], np.add.reduceat(times[order], start), of_unit)


def hash_of_units(unit: Ints, colours: Hashes, units: int) -> Hashes:
    """A number for each unit from the colours of its rows. Sums modulo 2⁶⁴ replace sorting; they
    are added in two halves because `bincount` adds floats.
    """
    words = mix(colours)
    low = np.bincount(unit, words & np.uint64(0xFFFFFFFF), units).astype(np.uint64)
    high = np.bincount(unit, words >> np.uint64(32), units).astype(np.uint64)
    return mix(low + (high << np.uint64(32)))


# Samples as units, and their strata.


def units_of_samples(samples: Stack | Listed) -> Units | None:
    """The samples, each a type of its own; None if they are neither partitions nor covers."""
    if isinstance(samples, Stack):
        rows, sample = samples.rows_apart, samples.sample_of_rows
    else:
        pooled, meets = samples.pooled, samples.meets
        sample = np.repeat(np.arange(len(meets)), [m.both.size for m in meets])
        if isinstance(pooled, CoverMeet):
            every = np.arange(len(meets))
            return Units("samples", pooled, sample, np.ones_like(every), every)
        if isinstance(pooled, BetweenMeet):
            return _in_samples(pooled, sample, len(meets))
        if not isinstance(pooled, HardMeet):
            return None
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(m, name) for m in meets])
            for name in ("both", "truth_size", "guess_size", "times")
        }
        truth, guess = clusters_apart(meets)
        rows = HardMeet(**columns, truth=truth, guess=guess, alignment=pooled.alignment)
    return _in_samples(rows, sample, len(samples.names))


def _in_samples(rows: HardMeet, sample: Ints, samples: int) -> Units:
    """Samples, the rows of each in an order that does not depend on names: sums over them have the
    same bits.
    """
    order, every = np.lexsort((rows.colours, sample)), np.arange(samples)
    ordered = rows_of_hard(rows, order, rows.times[order])
    return Units("samples", ordered, sample[order], np.ones_like(every), every)


def mean_of_samples(each: Any) -> UnitSums:
    """What the score of each sample adds to their mean."""
    scores = np.array(each, np.float64)
    terms = {"score": scores, "samples": np.ones(scores.size)}
    return UnitSums(terms, lambda sums: sums["score"] / sums["samples"], sizes=("samples",))


def by_name(samples: Iterable[Any]) -> Ints:
    """The order in which samples are drawn: by their names, whatever their order in the data."""
    return np.argsort(np.array(list(map(str, samples))), kind="stable")


def strata_of(strata: Mapping[str, Any], units: str, samples: Iterable[Any]) -> Ints | None:
    """The number of the stratum of each sample, if there are strata."""
    if not strata:
        return None
    if units != "samples":
        raise ClusterdiffError(
            "strata are groups of samples, and the units here are components.",
            "name the samples with samples=.",
        )
    names = list(map(str, samples))
    if missing := [name for name in names if name not in strata]:
        raise ClusterdiffError(
            f"{len(missing):,} of {len(names):,} samples have no stratum: "
            f"{', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}.",
            "strata is a dict from sample to stratum, for all samples.",
        )
    found = [strata[name] for name in names]
    place = {stratum: i for i, stratum in enumerate(sorted(set(found), key=str))}
    codes = np.array([place[stratum] for stratum in found], np.int64)
    alone = [str(s) for s, k in zip(place, np.bincount(codes), strict=True) if k < 2]
    if alone:
        raise ClusterdiffError(
            f"{len(alone)} of {len(place)} strata have one sample only: {', '.join(alone[:3])}.",
            "a stratum needs two samples; join small ones.",
        )
    return codes


# Objects as units: intervals for few large clusters, such as cell types, classes or topics.
#
# Ten cell types against eleven clusters are one connected component, and there is nothing to
# resample but the objects. If each object was drawn by itself and labelled by fixed rules, the
# table of counts is multinomial, and the jackknife leaves one object out of each cell: as many
# evaluations as there are cells. The interval is for the score of another data set of this size.

PER_CELL = 10
"""Mean number of objects per cell of the table, from which objects are units by default."""
PER_CLUSTER = 30
"""Mean number of objects per cluster, from which they are as well."""
SMALL = 5
"""Clusters below this size are small; where most are small, clusters are what was drawn."""
CELLS = 1500
"""Largest number of cells that one object is left out of: all tables together have its square."""


def has_large_clusters(meet: HardMeet | CoverMeet) -> bool:
    """Whether objects can be what was drawn: a few clusters with many objects each."""
    if meet.alignment.count or meet.alignment.between:
        return False  # objects that count more than once are drawn together, and so are sources
    sides = (meet.truth_sizes, meet.guess_sizes)
    for sizes in sides:
        small = int(sizes.count[sizes.size < SMALL].sum())
        if not sizes.clusters or 2 * small > sizes.clusters:
            return False
    clusters = max(sizes.clusters for sizes in sides)
    return meet.objects >= PER_CELL * meet.rows or meet.objects >= PER_CLUSTER * clusters


class RowsGiven(NamedTuple):
    """Objects with counts, one by one: their clusters in truth ("") and every guess."""

    clusters: Mapping[str, Ints]
    count: Ints  # type: ignore[assignment]

    @property
    def effective(self) -> float:
        """Kish's effective number of them."""
        each = self.count.astype(np.float64)
        return float(each.sum() ** 2 / (each**2).sum())


class Cells(NamedTuple):
    """A comparison by its cells, and the comparisons without one object of each cell; where objects
    have counts, without one of each cell and count.
    """

    both: Ints
    """Objects of each cell, or of each cell and count."""
    without: Stack | Listed
    amount: Ints | None = None
    """How often each of these objects counts."""
    cell: Ints | None = None
    """The cell of each; in order, and of a cell in the order of their counts."""
    left_out: Ints | None = None
    """Which of them are left out, if these are not all."""
    kind: Ints | None = None
    """Which of them each row is that is given."""

    @classmethod
    def of(cls, meet: HardMeet | CoverMeet) -> Cells:
        """The cells of a table, or the rows of a comparison of covers."""
        if isinstance(meet, HardMeet):
            return cls.of_table(*meet.written_out(), meet.alignment)
        m: Any = meet
        meets = []
        for row in range(m.rows):
            left = m.both - (np.arange(m.rows) == row)
            some = np.flatnonzero(left)
            cells = m.truth.row[some], m.guess.row[some], left[some]
            meets.append(CoverMeet.of_cells(*cells, m.truth.sets, m.guess.sets, m.alignment))
        return cls(m.both, Listed(list(range(m.rows)), meets, m))

    @classmethod
    def of_table(cls, truth: Ints, guess: Ints, both: Ints, alignment: Alignment) -> Cells:
        """The cells of a table of two partitions."""
        every = np.arange(both.size)
        return cls(both, _without(truth, guess, both, every, np.ones_like(both), alignment))

    @classmethod
    def of_rows(cls, truth: Ints, guess: Ints, count: Ints, alignment: Alignment) -> Cells:
        """The same of objects with counts. All copies of one are left out together; of many
        different counts in a cell some are, and scores in between are interpolated.
        """
        code, first = by_appearance(pair_keys(truth, guess))
        both = group_sums(code, count)
        order = np.lexsort((count, code))
        begins = np.ones(order.size, np.bool_)
        begins[1:] = (np.diff(code[order]) != 0) | (np.diff(count[order]) != 0)
        kind = np.empty(order.size, np.int64)
        kind[order] = np.cumsum(begins) - 1
        cell, amount = code[order[begins]], count[order[begins]]
        nodes = np.arange(cell.size)
        if cell.size > CELLS:
            start = np.searchsorted(cell, np.arange(both.size + 1))
            most = max(CELLS // both.size, 2)
            nodes = np.unique(np.concatenate([
                np.linspace(a, b - 1, most).round().astype(np.int64)
                for a, b in pairwise(start.tolist())
            ]))  # fmt: skip
        sides = truth[first], guess[first], both, cell[nodes], amount[nodes]
        return cls(np.bincount(kind), _without(*sides, alignment), amount, cell, nodes, kind)

    def scores(self, measure: Measure) -> Floats:
        """The score without one object of each cell."""
        found = np.array([float(score) for score in measure.of_each(self.without)])
        if self.amount is None or self.cell is None or self.left_out is None:
            return found
        every, nodes = np.empty(self.cell.size), self.left_out
        edges = np.arange(int(self.cell.max(initial=-1)) + 2)
        ends, of = np.searchsorted(self.cell, edges), np.searchsorted(self.cell[nodes], edges)
        for k in edges[:-1].tolist():
            some, known = slice(ends[k], ends[k + 1]), slice(of[k], of[k + 1])
            every[some] = np.interp(self.amount[some], self.amount[nodes][known], found[known])
        return every


def _without(
    truth: Ints, guess: Ints, both: Ints, cell: Ints, amount: Ints, alignment: Alignment
) -> Stack:
    """The tables without so many objects of these cells, one table for each."""
    cells, tables = both.size, cell.size
    which = np.repeat(np.arange(tables), cells)
    left = np.tile(both, tables)
    left[np.arange(tables) * cells + cell] -= amount
    some = np.flatnonzero(left > 0)

    def copies(side: Ints) -> Ints:
        apart = np.tile(side, tables) + which * (int(side.max(initial=-1)) + 1)
        return np.where(np.tile(side, tables) < 0, -1, apart)[some]

    names = list(range(tables))
    return Stack.of_cells(names, which[some], copies(truth), copies(guess), left[some], alignment)


def spread_of_difference(
    measure: Measure, joint: Joint, one: str, other: str
) -> tuple[Spread, int]:
    """The standard error of a difference by the three-way table of truth and both guesses, and the
    number of objects that the guesses place differently.

    Without an object of a cell of that table, each score is the one without an object of the cell
    of its own table.
    """
    if joint.rows is not None:
        return _spread_of_rows(measure, joint.rows, joint.alignment, one, other)
    row = np.repeat(np.arange(joint.times.size), joint.times)
    copy = np.arange(row.size) - np.repeat(np.cumsum(joint.times) - joint.times, joint.times)
    truth, *guesses = (
        # cells that repeat are clusters on which all agree: each copy has numbers of its own
        np.where(
            (copy > 0) & (side[row] >= 0), int(side.max()) + 1 + np.arange(row.size), side[row]
        )
        for side in (joint.clusters[name] for name in ("", one, other))
    )
    count = joint.objects[row]
    moved, same = np.zeros(count.size), []
    for sign, guess in zip((1, -1), guesses, strict=True):
        cell, first = by_appearance(pair_keys(truth, guess))
        both = np.bincount(cell, count).astype(np.int64)
        cells = Cells.of_table(truth[first], guess[first], both, joint.alignment)
        moved += sign * cells.scores(measure)[cell]
        same.append(np.stack([both[cell], np.bincount(guess + 1, count)[guess + 1]]))
    differ = int(count[(same[0] != same[1]).any(axis=0)].sum())
    return spread_of_objects(moved, count)[0], differ


def _spread_of_rows(
    measure: Measure, rows: RowsGiven, alignment: Alignment, one: str, other: str
) -> tuple[Spread, int]:
    """The same where objects have counts: without each row that is given."""
    truth, count = rows.clusters[""], rows.count
    moved, same = np.zeros(count.size), []
    for sign, name in ((1, one), (-1, other)):
        guess = rows.clusters[name]
        cells = Cells.of_rows(truth, guess, count, alignment)
        assert cells.kind is not None
        moved += sign * cells.scores(measure)[cells.kind]
        cell = by_appearance(pair_keys(truth, guess))[0]
        same.append(np.stack([group_sums(c, count)[c] for c in (cell, number(guess)[0])]))
    differ = int((same[0] != same[1]).any(axis=0).sum())
    return spread_of_objects(moved, np.ones(count.size, np.int64))[0], differ


# Two guesses against one truth on the same units: components of the join of all three.


@dataclass(frozen=True, eq=False)
class Joint:
    """The cells of the joint table of truth ("") and every guess."""

    clusters: Mapping[str, Ints]
    objects: Ints
    times: Ints
    """How often such a cell occurs: more than once where all sides agree."""
    alignment: Alignment
    keep: float = 1.0
    """1 minus the share of a finite population that was drawn."""
    source: Ints | None = None
    """The source of the objects of each cell, where only pairs across sources count."""
    rows: RowsGiven | None = None
    """The objects one by one, where they have counts and are units."""
    _units: dict[tuple[str, str], tuple[Units, Units]] = field(default_factory=dict)

    def units(self, one: str, other: str) -> tuple[Units, Units]:
        """The comparisons of truth with two guesses, each in the same types of units."""
        if (one, other) not in self._units:
            self._units[one, other] = self._find_units(one, other)
        return self._units[one, other]

    def _find_units(self, one: str, other: str) -> tuple[Units, Units]:
        unit = _component_of_cells([self.clusters[name] for name in ("", one, other)])
        repeats = np.ones(int(unit.max(initial=-1)) + 1, np.int64)
        repeats[unit] = self.times
        sides = [self._meet(name, unit) for name in (one, other)]
        colours = [
            meet.colours if self.source is None else _colours_near(meet) for meet, _ in sides
        ]
        hashes = [
            hash_of_units(of_row, own, repeats.size)
            for (_, of_row), own in zip(sides, colours, strict=True)
        ]
        types = types_of_units(mix(mix(hashes[0]) + np.uint64(3) * hashes[1]), repeats)
        first, second = (
            _one_of_each(meet, row, own, types)
            for (meet, row), own in zip(sides, colours, strict=True)
        )
        return first, second

    def _meet(self, guess: str, unit: Ints) -> tuple[HardMeet, Ints]:
        """The rows of truth and a guess, clusters that agree one by one, and the unit of each."""
        truth, other = self.clusters[""], self.clusters[guess]
        known = np.flatnonzero((truth >= 0) | (other >= 0))
        truth, other = truth[known], other[known]
        row, first = by_appearance(pair_keys(truth, other))
        both = group_sums(row, self.objects[known])
        # a row counts once: that of the one unit that represents its type
        meet = meet_of_rows(truth[first], other[first], both, self.alignment)
        if self.source is not None:
            meet = BetweenMeet.of(meet, row, self.source[known], self.objects[known])
        return meet, unit[known][first]


def _component_of_cells(sides: list[Ints]) -> Ints:
    """The connected component of each cell, as an edge between clusters of all sides."""
    vertices = sides[0].size
    cell, node = [], []
    for side in sides:
        known = np.flatnonzero(side >= 0)
        codes, many = number(side[known])
        cell.append(known)
        node.append(codes + vertices)
        vertices += many
    found = components(np.concatenate(cell), np.concatenate(node), vertices)
    return number(found[: sides[0].size])[0]
