"""A comparison of partitions in numbers: what became of objects, and of true clusters by their size
and one by one: their best guess, how pure and how whole it is, what they cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency.base import Histogram
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.measures.attribution import is_mean
from clusterdiff.output.describe import count
from clusterdiff.output.table import digits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import Counted, HardMeet
    from clusterdiff.explain.partition import Explanation
    from clusterdiff.measures import Measure

OUTCOMES = ("right", "split", "merged", "both", "missing", "extra")
"""What becomes of an object: it is with all its companions and no others; lost some; got others;
lost some and got others; is only in truth; is only in guess.
"""

WORDS = {"missing": "missing in guess", "extra": "not in truth"}
"""How outcomes are said that do not say by themselves which side lacks the object."""


def outcome_of(m: Counted) -> Ints:
    """The outcome of the objects of each row, by its place among `OUTCOMES`."""
    lost, got = m.both < m.truth_size, m.both < m.guess_size
    return np.where(~m.in_truth, 5, np.where(~m.in_guess, 4, lost + 2 * got))


class SizeBand(NamedTuple):
    """Truth clusters of about one size, and what became of them."""

    low: int
    high: int
    clusters: int
    exact: int
    objects: int
    right: int
    loss: float
    """What their objects take off the best score."""
    score: float | None
    """The mean over their objects, where the score is a mean over objects."""

    @property
    def sizes(self) -> str:
        """The band, formatted for display."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


@dataclass(frozen=True)
class Summary:
    """What became of all objects and clusters."""

    objects: int
    outcomes: dict[str, int]
    """Objects by outcome: right, split, merged, both; missing and extra where they count."""
    extra_loss: float
    """What objects that truth lacks take off the best score; they are in no band."""
    truth_clusters: int
    guess_clusters: int
    exact: int
    """Clusters that both have, to the last object."""
    bands: list[SizeBand]
    """Truth clusters by size: 1, 2, 3-4, 5-8, …"""
    truth_sizes: Histogram
    guess_sizes: Histogram

    def by_size(self) -> tuple[list[str], list[int], list[float]]:
        """Bands of sizes, and besides what truth lacks: names, objects, and what these lose."""
        names, objects = [b.sizes for b in self.bands], [b.objects for b in self.bands]
        losses = [b.loss for b in self.bands]
        if extra := self.outcomes.get("extra"):
            return [*names, WORDS["extra"]], [*objects, extra], [*losses, self.extra_loss]
        return names, objects, losses

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        sizes = {"truth_sizes": self.truth_sizes, "guess_sizes": self.guess_sizes}
        histograms = {side: histogram._asdict() for side, histogram in sizes.items()}
        return vars(self) | {"bands": [band._asdict() for band in self.bands]} | histograms


def summary_of(m: HardMeet, loss: Floats, measure: Measure) -> Summary:
    """The summary of a comparison; `loss` is what each row takes off the best score."""
    counts = np.bincount(outcome_of(m), m.weight, len(OUTCOMES)).astype(np.int64).tolist()
    shown = dict(zip(OUTCOMES, counts, strict=True))
    return Summary(
        m.objects,
        {name: n for name, n in shown.items() if n or name in OUTCOMES[:4]},
        float(loss[~m.in_truth].sum()),
        *m.clusters,
        int(m.times[m.agree].sum()),
        _bands(m, loss, measure),
        *(Histogram(s.size.tolist(), s.count.tolist()) for s in (m.truth_sizes, m.guess_sizes)),
    )


def _bands(m: HardMeet, loss: Floats, measure: Measure) -> list[SizeBand]:
    """Truth clusters in bands that double: 1, 2, 3-4, 5-8, …"""
    sizes, clusters = m.truth_sizes
    band, of_size = _band(m.truth_size), _band(sizes)
    most = int(of_size.max(initial=-1)) + 1
    known = m.in_truth

    def total(values: NDArray[Any], some: Bools) -> list[float]:
        return np.bincount(band[some], values[some], most).tolist()  # type: ignore[no-any-return]

    right, exact = known & m.agree, total(m.times, known & m.agree)
    columns = (total(m.weight, known), total(m.weight, right), total(loss, known))
    found = np.bincount(of_size, clusters, most).tolist()
    whole = is_mean(measure) and m.objects == m.truth_objects == m.guess_objects

    def score(lost: float, objects: float) -> float | None:
        mean = lost * m.objects / objects
        return (mean if measure.is_distance else 1.0 - mean) if whole else None

    return [
        SizeBand(
            2 ** (i - 1) + 1 if i else 1, min(2**i, int(sizes.max())), int(found[i]), int(exact[i]),
            int(objects), int(found_whole), lost, score(lost, objects),
        )
        for i, (objects, found_whole, lost) in enumerate(zip(*columns, strict=True))
        if found[i]
    ]  # fmt: skip


def _band(size: Ints) -> Ints:
    """0 for 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, …"""
    return np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)


GRID = 50
"""Steps of precision and recall within which clusters share a point."""


CLUSTER_FATES = ("split", "merged", "both", "missing", "extra")
"""What becomes of a true cluster: it lies in several guess clusters; with objects of others; the
one and the other; in one or none, and some of its objects are missing in guess; or in one, with
objects that are not in truth.
"""


class ClusterRow(NamedTuple):
    """A true cluster with its best guess."""

    name: Any
    sample: Any
    size: int
    kind: str
    parts: int
    """Guess clusters that hold some of it."""
    best: Any
    """The guess cluster that holds most of it."""
    best_size: int
    both: int
    precision: float
    recall: float
    loss: float

    @property
    def place(self) -> tuple[int, int]:
        """Where it is drawn: clusters of one kind and one place share a point."""
        return round(self.precision * GRID), round(self.recall * GRID)


class Point(NamedTuple):
    """True clusters with about the same precision and recall."""

    precision: float
    recall: float
    clusters: int
    objects: int

    @property
    def place(self) -> tuple[int, int]:
        """Where it is drawn."""
        return round(self.precision * GRID), round(self.recall * GRID)

    def told(self) -> str:
        """What they are, formatted for display."""
        return (
            f"{count(self.clusters, 'true cluster')}, {count(self.objects, 'object')}: "
            f"precision {digits(self.precision)}, recall {digits(self.recall)}"
        )


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """All true clusters in conflict, in columns; and how many agree."""

    told: Explanation
    row: Ints
    """The row in conflict that is the largest part of each cluster."""
    parts: Ints
    """How many guess clusters hold some of it."""
    kind: Ints
    """What became of it, by its place among `CLUSTER_FATES`."""
    loss: Floats

    @classmethod
    def of(cls, told: Explanation) -> ClusterTable:
        """The true clusters of an explanation."""
        m, first = told.named.meet, told.named.agreeing
        known = np.flatnonzero(m.truth[first:] >= 0)
        cluster, many = number(m.truth[first:][known])
        order = np.lexsort((-m.found[first:][known], cluster))
        starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
        loss = np.asarray(np.bincount(cluster, told.loss[first:][known], many), np.float64)
        rows = known + first
        parts = np.bincount(cluster, m.in_guess[rows], many).astype(np.int64)
        beside = m.found[rows] < size_per_row(m.guess, m.found)[rows]
        merged = np.bincount(cluster, beside, many) > 0
        missing = np.bincount(cluster, ~m.in_guess[rows], many) > 0
        entangled = (parts > 1) + 2 * merged - 1
        kind = np.where(entangled >= 0, entangled, np.where(missing, 3, 4))
        return cls(told, known[order[starts]], parts, kind, loss)

    def shares(self) -> tuple[Floats, Floats]:
        """Precision and recall of the best guess of each."""
        m, at = self.told.named.meet, self.row + self.told.named.agreeing
        return m.found[at] / np.maximum(m.guess_size[at], 1), m.found[at] / m.truth_size[at]

    def points(self) -> dict[str, list[Point]]:
        """Clusters by what became of them, and by precision and recall."""
        m = self.told.named.meet
        precision, recall = self.shares()
        cell, _ = number(
            np.round(precision * GRID).astype(np.int64) * (GRID + 1)
            + np.round(recall * GRID).astype(np.int64)
        )
        found = {}
        if exact := self.told.summary.exact:
            right = self.told.summary.outcomes["right"]
            found["right"] = [Point(1.0, 1.0, exact, right)]
        for i, kind in enumerate(CLUSTER_FATES):
            here = np.flatnonzero(self.kind == i)
            if not here.size:
                continue
            code, many = number(cell[here])
            n = np.bincount(code, minlength=many)
            size = m.truth_size[self.row[here] + self.told.named.agreeing]
            columns = (
                np.bincount(code, precision[here], many) / n,
                np.bincount(code, recall[here], many) / n,
                n,
                np.bincount(code, size, many).astype(np.int64),
            )
            found[kind] = [
                Point(*point) for point in zip(*(c.tolist() for c in columns), strict=True)
            ]
        return found

    def worst(self, n: int | None = None) -> list[ClusterRow]:
        """The clusters that cost most, with names."""
        named = self.told.named
        order = np.argsort(-self.loss, kind="stable")[:n]
        rows = self.row[order]
        if not rows.size:
            return []
        names = named.described(rows, 0)
        precision, recall = self.shares()
        kinds = self.kind[order].tolist()
        at = rows + named.agreeing
        m = named.meet
        return [
            ClusterRow(
                name.truth, name.sample, int(m.truth_size[row]), CLUSTER_FATES[kind],
                int(self.parts[k]), name.guess, int(m.guess_size[row]),
                int(m.found[row]), float(precision[k]), float(recall[k]), float(self.loss[k]),
            )
            for k, row, name, kind in zip(order.tolist(), at.tolist(), names, kinds, strict=True)
        ]  # fmt: skip
