"""The meet of two partitions in which only pairs of objects from different sources count.

What is together across sources is what is together in all, less what is together within a source:
the same table in which clusters are cut by source.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.grouping import group_sums, number, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency.base import dense
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.contingency.digest import DIGITS
from clusterdiff.contingency.exact_sums import count_pairs
from clusterdiff.contingency.hard import HardMeet

ROWS = ("both", "truth_size", "guess_size", "times", "truth", "guess")


@dataclass(frozen=True, eq=False, kw_only=True)
class BetweenMeet(HardMeet):
    """A meet, and the same with clusters cut by source.

    >>> whole = HardMeet.from_rows([0, 1, 1], [0, 0, 1], [3, 1, 2])
    >>> BetweenMeet.of(whole, [0, 0, 0, 1, 2, 2], ["a", "a", "b", "a", "a", "b"]).pairs
    (4, 4, 3, 8)
    """

    inside: HardMeet
    """The table whose clusters are cut by source, its rows apart."""
    row: Ints
    """The row of the whole table that each of its rows is a part of."""
    source: Ints
    """The number of the source of each."""
    sources: int
    """How many sources there are."""

    @classmethod
    def of(
        cls,
        meet: HardMeet,
        row: Any,
        source: Any,
        count: Ints | None = None,
        clusters: tuple[Ints, Ints] | None = None,
    ) -> BetweenMeet:
        """A meet whose objects are in these rows, have these sources, and count so often.

        Rows that stand for several clusters need the true and the guess cluster of each object.
        """
        rows = np.asarray(row)
        codes = np.unique(source, return_inverse=True)[1]
        truth, guess = clusters or (meet.truth[rows], meet.guess[rows])
        cell, cells = number(pair_keys(pair_keys(truth, guess), codes))
        first = np.empty(cells, np.int64)
        first[cell[::-1]] = np.arange(cell.size)[::-1]
        both = np.bincount(cell, minlength=cells) if count is None else group_sums(cell, count)
        cut = [_cut(side[first], codes[first]) for side in (truth, guess)]
        inside = HardMeet(
            both=both,
            truth_size=size_per_row(cut[0], both),
            guess_size=size_per_row(cut[1], both),
            times=np.ones_like(both),
            truth=cut[0],
            guess=cut[1],
            alignment=meet.alignment,
        )
        return cls.cut(meet, inside, rows[first], codes[first])

    @classmethod
    def cut(cls, meet: HardMeet, inside: HardMeet, row: Ints, source: Ints) -> BetweenMeet:
        """A meet, the same cut by source, and of which row and source each row of that is."""
        many = int(source.max(initial=-1)) + 1
        return cls(**_columns(meet), inside=inside, row=row, source=source, sources=many)

    @property
    def whole(self) -> HardMeet:
        """The meet in which all pairs count."""
        return HardMeet(**_columns(self))

    @cached_property
    def source_sizes(self) -> Ints:
        """How many objects each source has."""
        return group_sums(self.source, self.inside.weight, self.sources)

    @cached_property
    def sources_in_order(self) -> list[int]:
        """The sources by their sizes and their rows, whatever their names."""
        word = np.zeros(self.row.size, np.uint64)
        for m, rows in ((self.inside, slice(None)), (self, self.row)):
            for name in ("both", "truth_size", "guess_size"):
                word = mix(word + getattr(m, name)[rows].astype(np.uint64))
        total = np.zeros(self.sources, np.uint64)
        np.add.at(total, self.source, word * self.inside.times.astype(np.uint64))
        order: list[int] = np.lexsort((total, self.source_sizes)).tolist()
        return order

    @cached_property
    def pairs(self) -> tuple[int, int, int, int]:
        """Pairs across sources that are together in truth, in guess, in both; and all of them."""
        inside, n = self.inside, self.objects
        return (
            self.truth_sizes.pairs - inside.truth_sizes.pairs,
            self.guess_sizes.pairs - inside.guess_sizes.pairs,
            count_pairs(self.found, self.times) - count_pairs(inside.found, inside.times),
            n * (n - 1) // 2 - sum(k * (k - 1) // 2 for k in self.source_sizes.tolist()),
        )

    def of_rows(self, rows: Ints, whole: HardMeet) -> BetweenMeet:
        """The same of some rows that hang together with no others; `whole` are these rows."""
        place = np.full(self.both.size, -1)
        place[rows] = np.arange(rows.size)
        some = np.flatnonzero(place[self.row] >= 0)
        some = some[np.argsort(place[self.row[some]], kind="stable")]
        inside = replace(self.inside, **{name: getattr(self.inside, name)[some] for name in ROWS})
        row = place[self.row[some]]
        inside = replace(inside, times=inside.times * whole.times[row] // self.times[rows[row]])
        return BetweenMeet(
            **_columns(whole), inside=inside, row=place[self.row[some]], source=self.source[some],
            sources=self.sources,
        )  # fmt: skip

    def in_order(self, rows: Ints) -> BetweenMeet:
        """The same with its rows in this order."""
        return self.of_rows(
            rows, replace(self.whole, **{name: getattr(self, name)[rows] for name in ROWS})
        )

    def between_rows(self, begin: int, end: int) -> BetweenMeet:
        """The same of some neighbouring rows that hang together with no others; rows are in order
        in the table that is cut.
        """
        first, last = np.searchsorted(self.row, (begin, end)).tolist()
        some: dict[str, Any] = {name: getattr(self, name)[begin:end] for name in ROWS}
        cut: dict[str, Any] = {name: getattr(self.inside, name)[first:last] for name in ROWS}
        own = HardMeet(**some, alignment=self.alignment)
        inside = HardMeet(**cut, alignment=self.alignment)
        columns: dict[str, Any] = {
            "row": self.row[first:last] - begin,
            "source": self.source[first:last],
        }
        return BetweenMeet(**_columns(own), inside=inside, **columns, sources=self.sources)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the comparison, of the one within sources, and of their sizes: all that
        a score depends on, whatever the order and the names.
        """
        whole, within = (
            HardMeet.of_cells(m.truth, m.guess, m.both, m.times).digest for m in (self, self.inside)
        )
        told = [whole, within, *map(str, sorted(n for n in self.source_sizes.tolist() if n))]
        return blake2b(" ".join(told).encode(), digest_size=16).hexdigest()[:DIGITS]


def _columns(meet: HardMeet) -> dict[str, Any]:
    return {one.name: getattr(meet, one.name) for one in fields(HardMeet)}


def _cut(cluster: Ints, source: Ints) -> Ints:
    """Clusters cut by source; -1 stays."""
    return np.where(cluster < 0, -1, pair_keys(dense(cluster), source))
