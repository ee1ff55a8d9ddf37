"""Units: the parts of a comparison that another sample of the same sort could have had.

With samples each sample is a unit, without them each connected component of the join: the finest
parts that share no cluster and no pair. Units that look the same are one type with a count, and all
sums are over types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, number, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency import Alignment, CoverMeet, HardMeet, Listed, Stack
from clusterdiff.contingency.base import connected
from clusterdiff.engines.memory import meet_of_rows
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.statistics.intervals import LOGIT, PLAIN, Spread, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.contingency import Meet
    from clusterdiff.measures import Measure
    from clusterdiff.statistics.intervals import Scale

if TYPE_CHECKING:
    Hashes = NDArray[np.uint64]

NEAR = 2
"""Clusters away, within which lies all that an object's score depends on, unless clusters are
matched.
"""
Name = Literal["components", "samples"]


@dataclass(frozen=True, eq=False)
class Units:
    """Types of units, each with one unit that stands for all of its type."""

    name: Name
    meet: HardMeet | CoverMeet
    """One unit of each type."""
    type: Ints
    """The type of each row of the meet."""
    count: Ints
    """How many units are of each type."""
    of_unit: Ints
    """The type of each unit, by its number: that of the component, or the place of the sample."""

    @cached_property
    def number(self) -> int:
        """How many units there are."""
        return int(self.count.sum())

    @cached_property
    def objects(self) -> Ints:
        """How many objects a unit of each type has."""
        return np.bincount(self.type, self.meet.weight, self.count.size).astype(np.int64)

    def sums(self, measure: Measure) -> UnitSums | None:
        """What a unit of each type adds to the sums that a score is a function of."""
        if measure.has_hook("sums_of_units"):
            if isinstance(self.meet, CoverMeet):
                return measure.get_hook("sums_of_units", self.each)  # type: ignore[no-any-return]
            measure = measure.on_partitions or measure
        found = sums_of(measure, self.meet)
        if found is None:
            return None
        rows, sums = found
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

    A measure that matches clusters depends on how all clusters of a component hang together, any
    other one on what is two clusters away at most. Components that colour refinement does not tell
    apart have equal best matchings: the linear programmes behind them have the same value.
    """
    if isinstance(meet, CoverMeet):
        meet, times = _objects_alone(meet)
        unit, colours = _component_of_covers(meet), meet.colours
    else:
        assert isinstance(meet, HardMeet)
        unit, times = meet.component, meet.times
        matched = any(m.claims.solver for m in measures)
        colours = meet.colours if matched else meet.colours_after(NEAR)
    repeats = np.zeros(int(unit.max(initial=-1)) + 1, np.int64)
    repeats[unit] = times
    types = types_of_units(hash_of_units(unit, colours, repeats.size), repeats)
    return _one_of_each(meet, unit, colours, types)


def _one_of_each(meet: HardMeet | CoverMeet, unit: Ints, colours: Hashes, types: Types) -> Units:
    """The rows of one unit of each type, in an order that does not depend on names."""
    place = np.full(types.of_unit.size, -1)
    place[types.unit] = np.arange(types.unit.size)
    rows = np.flatnonzero(place[unit] >= 0)
    rows = rows[np.lexsort((colours[rows], place[unit[rows]]))]
    some = rows_of_hard(meet, rows) if isinstance(meet, HardMeet) else _rows_of_cover(meet, rows)
    return Units("components", some, place[unit[rows]], types.count, types.of_unit)


def units_of_samples(samples: Stack | Listed) -> Units | None:
    """The samples, each a type of its own; None if they are neither partitions nor covers."""
    if isinstance(samples, Stack):
        count = np.ones(len(samples), np.int64)
        return _in_order(samples.rows_apart, samples.sample_of_rows, count)
    pooled, meets = samples.pooled, samples.meets
    if not isinstance(pooled, HardMeet | CoverMeet):
        return None
    sample = np.repeat(np.arange(len(meets)), [m.both.size for m in meets])
    if isinstance(pooled, CoverMeet):
        every = np.arange(len(meets))
        return Units("samples", pooled, sample, np.ones_like(every), every)
    from clusterdiff.contingency.hard import clusters_apart

    parts: dict[str, Any] = {
        name: np.concatenate([getattr(m, name) for m in meets])
        for name in ("both", "truth_size", "guess_size", "times")
    }
    truth, guess = clusters_apart(meets)
    pooled = HardMeet(**parts, truth=truth, guess=guess, alignment=pooled.alignment)
    return _in_order(pooled, sample, np.ones(len(meets), np.int64))


def _in_order(meet: HardMeet, sample: Ints, count: Ints) -> Units:
    """Rows of each sample in an order of their own, so that sums over them have the same bits."""
    order = np.lexsort((meet.colours, sample))
    rows = rows_of_hard(meet, order, meet.times[order])
    return Units("samples", rows, sample[order], count, np.arange(count.size))


def by_name(samples: Iterable[Any]) -> Ints:
    """The order in which samples are drawn or exchanged: that of their names, whatever their order
    in the data.
    """
    return np.argsort(np.array(list(map(str, samples))), kind="stable")


def strata_of(strata: Mapping[str, Any], units: str, samples: Iterable[Any]) -> Ints | None:
    """The number of the stratum of each sample, where there are strata."""
    if not strata:
        return None
    if units != "samples":
        raise ClusterdiffError(
            "strata are groups of samples, and the units here are components.",
            "name the samples with samples=.",
        )
    names = list(map(str, samples))
    missing = [one for one in names if one not in strata]
    if missing:
        raise ClusterdiffError(
            f"{len(missing):,} of {len(names):,} samples have no stratum: "
            f"{', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}.",
            "strata is a dict from sample to stratum, for all samples.",
        )
    found = [strata[one] for one in names]
    place = {stratum: i for i, stratum in enumerate(sorted(set(found), key=str))}
    codes = np.array([place[stratum] for stratum in found], np.int64)
    alone = [str(s) for s, k in zip(place, np.bincount(codes), strict=True) if k < 2]
    if alone:
        raise ClusterdiffError(
            f"{len(alone)} of {len(place)} strata have one sample only: {', '.join(alone[:3])}.",
            "a stratum needs two samples; join small ones.",
        )
    return codes


class Types(NamedTuple):
    """Units that look the same: a unit of each type, and how many there are."""

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
    """A number for each unit by the colours of its rows; sums modulo 2⁶⁴ stand in for sorting."""
    words = mix(colours)
    low = np.bincount(unit, words & np.uint64(0xFFFFFFFF), units).astype(np.uint64)
    high = np.bincount(unit, words >> np.uint64(32), units).astype(np.uint64)
    return mix(low + (high << np.uint64(32)))


def _component_of_covers(m: CoverMeet) -> Ints:
    """The connected component of each row: rows that share a cluster are in one."""
    sides = (m.truth, m.guess)
    owner = np.concatenate([side.each.owner for side in sides])
    member = np.concatenate([m.truth.each.member, m.guess.each.member + m.truth.clusters])
    found = connected(owner, member)
    first = np.full(m.rows, -1)
    first[owner] = found
    none = np.flatnonzero(first < 0)
    first[none] = int(found.max(initial=-1)) + 1 + np.arange(none.size)
    return number(first)[0]


def _objects_alone(m: CoverMeet) -> tuple[CoverMeet, Ints]:
    """Objects in no cluster of either side are units each: the rows with one such object, and how
    often each row is there.
    """
    alone = (m.truth.memberships == 0) & (m.guess.memberships == 0)
    if not alone.any():
        return m, np.ones_like(m.both)
    both, times = np.where(alone, 1, m.both), np.where(alone, m.both, 1)
    sides = (m.truth.row, m.guess.row, both, m.truth.sets, m.guess.sets)
    return CoverMeet.of_cells(*sides, m.alignment), times


def rows_of_hard(m: HardMeet, rows: Ints, times: Ints | None = None) -> HardMeet:
    """Some rows of a meet, repeated ones once unless it is said how often."""
    return HardMeet(
        both=m.both[rows],
        truth_size=m.truth_size[rows],
        guess_size=m.guess_size[rows],
        times=np.ones_like(rows) if times is None else times,
        truth=_numbered(m.truth[rows]),
        guess=_numbered(m.guess[rows]),
        alignment=m.alignment,
        features=m.features and type(m.features)(m.features.mean[rows], m.features.error[rows]),
    )


def _numbered(cluster: Ints) -> Ints:
    """Clusters by numbers from 0 on; -1 stays."""
    known = cluster >= 0
    made = np.full(cluster.size, -1)
    made[known] = number(cluster[known])[0]
    return made


def _rows_of_cover(m: CoverMeet, rows: Ints) -> CoverMeet:
    return CoverMeet.of_cells(
        m.truth.row[rows], m.guess.row[rows], m.both[rows], m.truth.sets, m.guess.sets, m.alignment
    )


# Objects as units: intervals for few large clusters, such as cell types, classes or topics.
#
# Ten cell types against eleven clusters are one connected component, and there is nothing to
# resample but the objects. If each object was drawn by itself and labelled by fixed rules, the
# table of counts is multinomial, and the jackknife leaves one object out of each cell: as many
# evaluations as there are cells. The interval is for the score of another data set of the same
# size.

PER_CELL = 10
"""Objects per cell of the table, on average, from which objects are units by default."""
PER_CLUSTER = 30
"""Objects per cluster, on average, from which they are as well."""
SMALL = 5
"""Clusters below this size are small; where most are, clusters are what is drawn."""
CELLS = 1500
"""Cells up to which one object is left out of each: the tables have the square of that in all."""


def has_large_clusters(meet: HardMeet | CoverMeet) -> bool:
    """Whether objects can stand for what was drawn: a few clusters with many objects each."""
    sides = (meet.truth_sizes, meet.guess_sizes)
    for sizes in sides:
        small = int(sizes.count[sizes.size < SMALL].sum())
        if not sizes.clusters or 2 * small > sizes.clusters:
            return False
    cells = int(meet.times.sum()) if isinstance(meet, HardMeet) else meet.rows
    clusters = max(sizes.clusters for sizes in sides)
    return meet.objects >= PER_CELL * cells or meet.objects >= PER_CLUSTER * clusters


class Cells:
    """A table of counts, and the tables without one object of each cell."""

    def __init__(self, truth: Ints, guess: Ints, both: Ints, alignment: Alignment) -> None:
        self.both = both
        cells = np.arange(both.size)
        which = np.repeat(cells, both.size)
        left = np.tile(both, both.size) - (which == np.tile(cells, both.size))
        some = np.flatnonzero(left > 0)
        sides = []
        for side in (truth, guess):
            many = int(side.max(initial=-1)) + 1
            apart = np.tile(side, both.size) + which * many
            sides.append(np.where(np.tile(side, both.size) < 0, -1, apart)[some])
        names = cells.tolist()
        first, second = sides
        self.without = Stack.of_cells(names, which[some], first, second, left[some], alignment)

    @classmethod
    def of(cls, meet: HardMeet) -> Cells:
        """The table of a comparison."""
        truth, guess, both = meet.written_out()
        return cls(truth, guess, both, meet.alignment)

    def scores(self, measure: Measure) -> Floats:
        """The score without one object of each cell."""
        return np.array([float(one) for one in measure.of_each(self.without)])


def scores_of_cover(measure: Measure, meet: CoverMeet) -> Floats:
    """The score without one object of each row of a comparison of covers."""
    found = []
    for row in range(meet.rows):
        left = meet.both - (np.arange(meet.rows) == row)
        some = np.flatnonzero(left > 0)
        cells: Any = (meet.truth.row[some], meet.guess.row[some], left[some])
        sides: Any = (meet.truth.sets, meet.guess.sets, meet.alignment)
        found.append(measure.of(CoverMeet.of_cells(*cells, *sides)))
    return np.array([float(one) for one in found])


def spread_of_objects(scores: Floats, count: Ints) -> tuple[Spread, Floats]:
    """The standard error with n - 1 degrees of freedom, and how far each object moves the score."""
    objects = int(count.sum())
    deviation = scores - float(np.sum(count * scores)) / objects
    return spread(deviation, count.astype(np.float64))._replace(df=objects - 1.0), deviation


def scale_of_objects(bounds: tuple[float, float], value: float) -> Scale:
    """The scale on which the interval is symmetric."""
    return LOGIT if bounds == (0.0, 1.0) and 0 < value < 1 else PLAIN


def three_way(joint: Joint, one: str, other: str) -> tuple[Ints, Ints, Ints, Ints]:
    """The clusters of truth and of two guesses for each cell of their common table, and how many
    objects it has.
    """
    times = joint.times
    again = np.repeat(np.arange(times.size), times)
    copy = np.arange(again.size) - np.repeat(np.cumsum(times) - times, times)
    sides = []
    for name in ("", one, other):
        side = joint.clusters[name][again]
        most = int(side.max(initial=-1)) + 1
        # cells that repeat are clusters on which all agree: each has numbers of its own
        sides.append(np.where((copy > 0) & (side >= 0), most + np.arange(copy.size), side))
    return *sides, joint.objects[again]  # type: ignore[return-value]


def spread_of_difference(
    measure: Measure, joint: Joint, one: str, other: str
) -> tuple[Spread, int]:
    """The standard error of a difference by the three-way table, and how many objects the guesses
    place unlike.

    Without an object of a cell of that table, each score is the one without an object of the cell
    of its own table.
    """
    truth, *guesses, count = three_way(joint, one, other)
    moved, same = np.zeros(count.size), []
    for sign, guess in zip((1, -1), guesses, strict=True):
        cell, first = by_appearance(pair_keys(truth, guess))
        both = np.bincount(cell, count).astype(np.int64)
        cells = Cells(truth[first], guess[first], both, joint.alignment)
        moved += sign * cells.scores(measure)[cell]
        same.append(np.stack([both[cell], np.bincount(guess + 1, count)[guess + 1]]))
    differ = int(count[(same[0] != same[1]).any(axis=0)].sum())
    return spread_of_objects(moved, count)[0], differ


# Two guesses against one truth on the same units: components of the join of all three.


@dataclass(frozen=True, eq=False)
class Joint:
    """How many objects are in the same clusters of truth ("") and of every guess."""

    clusters: Mapping[str, Ints]
    objects: Ints
    times: Ints
    """How often such clusters occur: more than once where all sides have them alike."""
    alignment: Alignment
    keep: float = 1.0
    """1 less the share of a finite population that was drawn."""
    _found: dict[tuple[str, str], tuple[Units, Units]] = field(default_factory=dict)

    def units(self, one: str, other: str) -> tuple[Units, Units]:
        """The comparisons of truth with two guesses, each in the same types of units."""
        if (one, other) not in self._found:
            self._found[one, other] = self._units(one, other)
        return self._found[one, other]

    def _units(self, one: str, other: str) -> tuple[Units, Units]:
        unit = _component([self.clusters[""], self.clusters[one], self.clusters[other]])
        sides = [self._meet(name, unit) for name in (one, other)]
        number_of_units = int(unit.max(initial=-1)) + 1
        colours = [meet.colours for meet, _ in sides]
        hashes = [
            hash_of_units(of_row, colour, number_of_units)
            for (_, of_row), colour in zip(sides, colours, strict=True)
        ]
        repeats = np.ones(number_of_units, np.int64)
        repeats[unit] = self.times
        types = types_of_units(mix(mix(hashes[0]) + np.uint64(3) * hashes[1]), repeats)
        first, second = (
            _one_of_each(meet, of_row, colour, types)
            for (meet, of_row), colour in zip(sides, colours, strict=True)
        )
        return first, second

    def _meet(self, guess: str, unit: Ints) -> tuple[HardMeet, Ints]:
        """The rows of truth and a guess, clusters that agree one by one, and the unit of each."""
        truth, other = self.clusters[""], self.clusters[guess]
        known = np.flatnonzero((truth >= 0) | (other >= 0))
        truth, other = truth[known], other[known]
        row, first = by_appearance(pair_keys(truth, other))
        both = np.bincount(row, self.objects[known]).astype(np.int64)
        # a row counts once: that of the one unit that stands for all alike
        meet = meet_of_rows(truth[first], other[first], both, self.alignment)
        return meet, unit[known][first]


def _component(sides: list[Ints]) -> Ints:
    """The connected component of each cell, as an edge between clusters of all sides."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cells = sides[0].size
    start, cell, node = cells, [], []
    for side in sides:
        known = np.flatnonzero(side >= 0)
        codes, many = number(side[known])
        cell.append(known)
        node.append(codes + start)
        start += many
    edges = np.concatenate(cell), np.concatenate(node)
    graph = coo_array((np.ones(edges[0].size, np.int8), edges), shape=(start, start))
    found = connected_components(graph, directed=False)[1].astype(np.int64)
    return number(found[:cells])[0]
