"""Two guesses against one truth on the same units: components of the join of all three."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance, number, pair_keys
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.meet import Alignment, HardMeet
from clusterdiff.meet.cells import size_per_row
from clusterdiff.statistics.units import Units, hash_of_units, rows_of_hard, types_of_units

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints


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
        place = np.full(number_of_units, -1)
        place[types.unit] = np.arange(types.unit.size)
        made = []
        for (meet, of_row), colour in zip(sides, colours, strict=True):
            rows = np.flatnonzero(place[of_row] >= 0)
            rows = rows[np.lexsort((colour[rows], place[of_row[rows]]))]
            some = rows_of_hard(meet, rows)
            of_type = place[of_row[rows]]
            made.append(Units("components", some, of_type, types.count, types.of_unit))
        return made[0], made[1]

    def _meet(self, guess: str, unit: Ints) -> tuple[HardMeet, Ints]:
        """The rows of truth and a guess, clusters that agree one by one, and the unit of each."""
        truth, other = self.clusters[""], self.clusters[guess]
        known = np.flatnonzero((truth >= 0) | (other >= 0))
        truth, other = truth[known], other[known]
        row, first = by_appearance(pair_keys(truth, other))
        both = np.bincount(row, self.objects[known]).astype(np.int64)
        truth, other = truth[first], other[first]
        meet = HardMeet(
            both=both,
            truth_size=size_per_row(truth, both),
            guess_size=size_per_row(other, both),
            times=np.ones_like(both),  # of one unit that stands for all alike
            truth=truth,
            guess=other,
            alignment=self.alignment,
        )
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
