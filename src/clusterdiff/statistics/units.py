"""Units: the parts of a comparison that another sample of the same sort could have had.

With samples each sample is a unit, without them each connected component of the join: the finest
parts that share no cluster and no pair. Units that look the same are one type with a count, and all
sums are over types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.core.sums import UnitSums, sums_of
from clusterdiff.meet import CoverMeet, HardMeet, Listed, Stack
from clusterdiff.meet.join import connected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Ints
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Meet

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
        if measure.knows("sums_of_units"):
            if isinstance(self.meet, CoverMeet):
                return measure.known("sums_of_units", self.each)  # type: ignore[no-any-return]
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
            return measure.known("sums_of_samples", terms, rows)  # type: ignore[no-any-return]
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
    place = np.full(repeats.size, -1)
    place[types.unit] = np.arange(types.unit.size)
    rows = np.flatnonzero(place[unit] >= 0)
    rows = rows[np.lexsort((colours[rows], place[unit[rows]]))]
    some = _rows_of_cover if isinstance(meet, CoverMeet) else rows_of_hard
    found: Any = some(meet, rows)  # type: ignore[arg-type]
    return Units("components", found, place[unit[rows]], types.count, types.of_unit)


def units_of_samples(samples: Stack | Listed) -> Units | None:
    """The samples, each a type of its own; None if they are neither partitions nor covers."""
    if isinstance(samples, Stack):
        count = np.ones(len(samples), np.int64)
        return _in_order(samples.rows_apart, samples.sample_of_rows, count)
    pooled = samples.pooled
    if isinstance(pooled, HardMeet):
        from clusterdiff.meet.hard import clusters_apart

        parts: dict[str, Any] = {
            name: np.concatenate([getattr(m, name) for m in samples.meets])
            for name in ("both", "truth_size", "guess_size", "times")
        }
        truth, guess = clusters_apart(samples.meets)
        pooled = HardMeet(**parts, truth=truth, guess=guess, alignment=pooled.alignment)
        sizes = [m.both.size for m in samples.meets]
        sample = np.repeat(np.arange(len(sizes)), sizes)
        return _in_order(pooled, sample, np.ones(len(sizes), np.int64))
    if isinstance(pooled, CoverMeet):
        sizes = [m.rows for m in samples.meets]
    else:
        return None
    sample = np.repeat(np.arange(len(sizes)), sizes)
    every = np.arange(len(sizes))
    return Units("samples", pooled, sample, np.ones_like(every), every)


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
    """The same clusters by numbers from 0 on; -1 stays."""
    known = cluster >= 0
    made = np.full(cluster.size, -1)
    made[known] = number(cluster[known])[0]
    return made


def _rows_of_cover(m: CoverMeet, rows: Ints) -> CoverMeet:
    return CoverMeet.of_cells(
        m.truth.row[rows], m.guess.row[rows], m.both[rows], m.truth.sets, m.guess.sets, m.alignment
    )
