"""Where two partitions differ: components that were split, merged or mixed, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, number
from clusterdiff.contingency import HardMeet
from clusterdiff.contingency.base import Histogram, dense
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.engines.images import ImageComparison
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.ranking import (
    NOTHING,
    PATTERNS,
    SETS,
    TOP,
    WORDS,
    BaseExplanation,
    Below,
    Companions,
    Part,
    found_exactly,
    name_of,
    names_row,
    score_of_row,
    shares_of,
    without_rounding,
)
from clusterdiff.measures.attribution import is_mean, losses
from clusterdiff.output.describe import count
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import shown_ids
from clusterdiff.statistics.units import has_large_clusters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import Counted
    from clusterdiff.engines.named import NamedComparison, RowNames
    from clusterdiff.explain.links import PartLinks, Told
    from clusterdiff.explain.uncertainty import Uncertainty
    from clusterdiff.io.pair_lookup import PairLookup
    from clusterdiff.measures import Measure

# What became of objects, and of true clusters by their size.

OUTCOMES = ("right", "split", "merged", "both", "missing", "extra")
"""What becomes of an object: it is with all its companions and no others; lost some; got others;
lost some and got others; is only in truth; is only in guess.
"""


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
    by_majority: dict[str, int] | None = None
    """The outcomes where those of the objects in the component that is explained cluster by cluster
    go by majorities: an object in the guess cluster that is matched with its true cluster is right,
    in another one that belongs to it is split, and in one that belongs to another is merged. None
    where there is no such component.
    """

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        sizes = {"truth_sizes": self.truth_sizes, "guess_sizes": self.guess_sizes}
        histograms = {side: histogram._asdict() for side, histogram in sizes.items()}
        facts = {key: value for key, value in vars(self).items() if value is not None}
        return facts | {"bands": [band._asdict() for band in self.bands]} | histograms


def _counted(outcome: Ints, m: HardMeet) -> dict[str, int]:
    """How many objects became what."""
    counts = np.bincount(outcome, m.weight, len(OUTCOMES)).astype(np.int64).tolist()
    shown = dict(zip(OUTCOMES, counts, strict=True))
    return {name: n for name, n in shown.items() if n or name in OUTCOMES[:4]}


def summary_of(m: HardMeet, loss: Floats, measure: Measure, settled: tuple[Ints, Ints]) -> Summary:
    """The summary of a comparison; `loss` is what each row takes off the best score, `settled`
    are the rows whose outcomes go by majorities, with their fates.
    """
    outcome = outcome_of(m)
    rows, fates = settled
    majority = outcome.copy()
    majority[rows] = OUTCOME_OF_FATE[fates]
    truth_sizes, guess_sizes = (
        Histogram(s.size.tolist(), s.count.tolist()) for s in (m.truth_sizes, m.guess_sizes)
    )
    return Summary(
        m.objects,
        _counted(outcome, m),
        fsum(loss[~m.in_truth]),
        *m.clusters,
        int(m.times[m.agree].sum()),
        _bands(m, loss, measure),
        truth_sizes,
        guess_sizes,
        by_majority=_counted(majority, m) if rows.size else None,
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


# The components in which two partitions disagree: what was split, merged, or both.

KINDS = ("split", "merged", "mixed", "missing", "extra")
"""One truth cluster in several guess clusters; several in one; several in several; or clusters
that differ only by objects that one side lacks: some are missing in guess, or all of them are not
in truth.
"""


FATES = ("home", "split off", "merged", "moved", "missing", "extra")
"""What becomes of the objects that a true and a guess cluster share. A guess cluster belongs to the
true cluster that most of its objects come from; of equally large parts, to the true cluster that
it holds the larger share of. It is the home of that cluster, or, where a larger guess cluster
belongs to it too, was split off. Objects in a cluster that belongs to another true cluster were
merged if no guess cluster belongs to theirs, and moved otherwise. The last two are objects that
one side lacks.
"""

OUTCOME_OF_FATE = np.array([0, 1, 2, 2, 4, 5])
"""For each of `FATES`, the place among `OUTCOMES` of what becomes of objects by majorities."""

CELLS = 100
"""Cells of a component that get names where nobody asks for all."""

NAMES = 3
"""Clusters of a side that a title names."""

LINES = 6
"""Cells of a component that are shown; the others are counted."""

TOLD = 0.1
"""Share of a true cluster in a guess cluster, from which is said what else is in that."""

CLUSTERS = 50
"""True clusters of a component that get names, where it is explained cluster by cluster."""


class Cluster(NamedTuple):
    """A cluster by name, with its size; a cluster that is missing has none."""

    name: Any
    size: int


class Cell(NamedTuple):
    """The objects that a truth cluster and a guess cluster share."""

    truth: Cluster
    guess: Cluster
    objects: int
    ids: list[Any]
    """As many as were asked for, in the order of the input."""
    loss: float
    fate: str
    """One of `FATES`."""

    def objects_lost(self) -> dict[str, Any]:
        """As JSON-ready values: its objects, and what became of them."""
        return {"objects": self.objects, "fate": self.fate, "loss": self.loss, "ids": self.ids}

    @property
    def whose(self) -> str:
        """Which true cluster the objects are of."""
        return WORDS["extra"] if self.fate == "extra" else f"of {name_of(self.truth.name)}"

    @property
    def where(self) -> str:
        """Which guess cluster they are in."""
        return WORDS["missing"] if self.fate == "missing" else f"in {name_of(self.guess.name)}"

    def line(self) -> str:
        """Whose the objects are, where they are, and what became of them."""
        comma = "," if self.fate == "extra" else ""
        fate = "" if self.fate in WORDS else f": {self.fate}"
        return f"{self.objects:,} {self.whose}{comma} {self.where}{fate}"

    def within(self, kind: str, owner: str, ids: int | None) -> str:
        """What is said of the objects in a component of a kind; the guess cluster belongs to the
        true cluster `owner`.
        """
        beside = f", with {owner}" if owner and self.fate != "split off" else ""
        into = f"guess {name_of(self.guess.name)}{beside}"
        match kind, self.fate:
            case "split", fate:
                what = self.where + (f", {WORDS[fate]}" if fate == "extra" else "")
            case "merged", fate:
                what = self.whose + (f", {WORDS[fate]}" if fate == "missing" else "")
            case _, "missing":
                what = f"{self.whose} {self.where}"
            case _, "extra":
                what = f"{self.whose}, in {into}"
            case _, fate:
                what = f"{self.whose} {fate} into {into}"
        named = "" if ids == 0 else f" ({shown_ids(self.ids, ids, self.objects)})"
        return f"{self.objects:,} {what}{named}"


class Piece(NamedTuple):
    """The objects of a true cluster that are in one guess cluster."""

    guess: Any
    """None where guess lacks them."""
    objects: int
    fate: str
    """One of `FATES`."""
    mostly: Any
    """The true cluster that the guess cluster belongs to, which most of its objects come from."""
    purity: float
    """The share of the guess cluster that comes from there."""

    def told(self, size: int) -> str:
        """How many of so many objects are where, and what else is there."""
        share = self.objects / size
        told = percent(share, 0)
        if self.fate == "missing":
            return f"{told} {WORDS['missing']}"
        told = f"{told} in {name_of(self.guess)}"
        if self.fate in ("home", "split off") or not self.purity or share < TOLD:
            return told
        return f"{told} ({percent(self.purity, 0)} of it is {name_of(self.mostly)})"

    @property
    def pure(self) -> str:
        """How much of the guess cluster that is matched with a true cluster is of that."""
        return f"cluster {name_of(self.guess)} is {percent(self.purity, 0)} {name_of(self.mostly)}"


class TrueCluster(NamedTuple):
    """A true cluster in a component that is explained cluster by cluster."""

    truth: Any
    """None for the objects that are not in truth."""
    objects: int
    kind: str
    """It is split where several guess clusters belong to it, merged where none does, and mixed
    where one does; or all of its objects are missing in guess, or not in truth.
    """
    loss: float
    share: float
    """Its share of all that is lost."""
    parts: int
    """How many guess clusters hold some of it; one more where some are missing in guess."""
    pieces: list[Piece]
    """The objects in the guess cluster that is matched with it, then the largest other parts."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return self._asdict() | {"pieces": [piece._asdict() for piece in self.pieces]}

    @property
    def below(self) -> Below:
        """Where its objects are, and how pure the guess cluster is that is matched with it."""
        where = [piece.told(self.objects) for piece in self.pieces]
        if (more := self.parts - len(where)) > 0:
            rest = self.objects - sum(piece.objects for piece in self.pieces)
            where.append(f"{percent(rest / self.objects, 0)} in {more:,} more")
        pure = [piece.pure for piece in self.pieces if piece.fate == "home"]
        name = WORDS["extra"] if self.kind == "extra" else name_of(self.truth)
        what = "; ".join([", ".join(where), *pure])
        return Below(self.share, self.kind, self.objects, name, what)


def _sizes(sizes: Sequence[int]) -> str:
    """Sizes of clusters, the largest of them."""
    shown = [f"{size:,}" for size in sizes[:LINES]]
    return " + ".join([*shown, *(["…"] if len(sizes) > LINES else [])])


@dataclass(frozen=True, kw_only=True)
class Component(Part):
    """Clusters of truth and guess that are entangled with each other and with no others."""

    loss: float
    """What its objects take off the best score."""
    missing: int
    """How many of them guess lacks."""
    extra: int
    """How many of them truth lacks."""
    truth_clusters: int
    guess_clusters: int
    parts: int
    """How many cells it has; the largest have names."""
    truth: list[Cluster]
    """Largest first; of a large component, those of the cells that have names."""
    guess: list[Cluster]
    cells: list[Cell]
    """Largest first."""
    sample: Any = None
    """The sample it lies in, where there are samples."""
    by_cluster: list[TrueCluster] = field(default_factory=list)
    """Its true clusters, those that lose most first, where it holds most objects and clusters are
    few and large.
    """
    links: PartLinks | None = None
    """Which links merged it and which pairs would have joined it, where scored pairs were given."""

    keys = (
        "kind", "loss", "share", "objects", "missing", "extra", "truth_clusters", "guess_clusters",
        "parts",
    )  # fmt: skip
    marks: ClassVar[Mapping[str, str]] = {"truth": "truth", "guess": "guess"}

    @property
    def title(self) -> str:
        """Which clusters are entangled, and in which sample."""
        where = "" if self.sample is None else f", in {name_of(self.sample)}"
        return self._entangled() + where

    def _entangled(self) -> str:
        truth = shown_ids([c.name for c in self.truth], NAMES, self.truth_clusters)
        guess = shown_ids([c.name for c in self.guess], NAMES, self.guess_clusters)
        several = f"{self.truth_clusters:,} true clusters ({truth})"
        match self.kind:
            case "split":
                return f"{truth} over {self.guess_clusters:,} guess clusters"
            case "merged":
                return f"{several} in guess {guess}"
            case "mixed":
                return f"{several} over {self.guess_clusters:,} guess clusters ({guess})"
            case _:
                return " in ".join(filter(None, (truth, f"guess {guess}" if guess else "")))

    @property
    def shape(self) -> str:
        """Its clusters by their sizes: 3 = 2 + 1 was split, 2 + 1 = 3 was merged."""
        cells = sorted((cell.objects for cell in self.cells), reverse=True)
        truth, guess = (_sizes([c.size for c in side]) for side in (self.truth, self.guess))
        match self.kind:
            case "split":
                return f"split {truth} into {_sizes(cells)}"
            case "merged":
                return f"merged {_sizes(cells)} into {guess}"
            case "mixed":
                return f"mixed {truth} over {guess}"
            case _:
                return f"{self.kind} {self.missing + self.extra:,} of {self.objects:,}"

    @property
    def example(self) -> str:
        """The cluster that it is called by: of truth, and of guess where several are merged."""
        named = self.guess if self.kind in ("merged", "extra") or not self.truth else self.truth
        return name_of(named[0].name) if named else ""

    @property
    def counted(self) -> str:
        """How many objects it has, and how many of them one side lacks."""
        lacking = [
            f"{n:,} {WORDS[what]}"
            for what, n in (("missing", self.missing), ("extra", self.extra))
            if n and n < self.objects
        ]
        return ", ".join([count(self.objects, "object"), *lacking])

    @property
    def below(self) -> list[Below]:
        """Its true clusters where it is explained by them: those that lose most, and the others."""
        shown = [cluster.below for cluster in self.by_cluster[:TOP]]
        every = self.truth_clusters + (self.extra > 0)
        if shown and (more := every - len(shown)) > 0:
            share = self.share - sum(one.share for one in shown)
            objects = self.objects - sum(one.objects for one in shown)
            shown.append(Below(share, "…", objects, f"{more:,} more", ""))
        return shown

    def lines(self, ids: int | None) -> list[str]:
        """The title, then what became of the cells, largest first."""
        if self.by_cluster:
            return [f"{self.title}, {self.counted}"]  # what else there is to say stands below it
        joined = self.kind in ("split", "merged")
        home = [] if joined else [cell for cell in self.cells if cell.fate == "home"]
        shown = (self.cells if joined else [c for c in self.cells if c.fate != "home"])[:LINES]
        own = ("home", "split off")
        owner = {c.guess: name_of(c.truth.name) for c in self.cells if c.fate in own}
        lines = [cell.within(self.kind, owner.get(cell.guess, ""), ids) for cell in shown]
        if (more := self.parts - len(home) - len(shown)) > 0:
            left = count(self.objects - sum(cell.objects for cell in (*home, *shown)), "object")
            rest = f"{left} in {more:,} more"
            lines.append(f"… {rest}" if joined else f"… and {rest} parts")
        return [f"{self.title}, {self.counted}", *(["; ".join(lines)] if joined else lines)]

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """Its share, its kind, how many objects, which clusters, and what became of the cells."""
        what = "; ".join(self.lines(ids)[1:])
        return percent(self.share), self.kind, f"{self.objects:,}", self.title, what

    def told_of_pairs(self, pairs: PairLookup) -> list[Told]:
        """Its weakest wrong links, and the best pairs across its parts; of two objects, which stand
        above anyway, the scores alone.
        """
        told = [] if self.links is None else self.links.told(pairs)[:LINES]
        return [one._replace(pairs=[]) for one in told] if self.objects == 2 else told

    def linked_ids(self) -> Sequence[Any]:
        """The objects of its pairs, each once."""
        return () if self.links is None else self.links.ids

    def rows(self) -> list[dict[str, Any]]:
        """A row for each object, by truth cluster and then by guess cluster, the largest first."""
        place = {cluster: at for at, cluster in enumerate(self.truth)}
        return [
            {
                "sample": self.sample, "kind": self.kind, "component_loss": self.loss,
                "share": self.share, "truth": cell.truth.name, "truth_size": cell.truth.size,
                "guess": cell.guess.name, "guess_size": cell.guess.size, "objects": cell.objects,
                "fate": cell.fate, "loss": cell.loss / cell.objects, "id": id,
            } | ({} if self.links is None else self.links.row_of(id))
            for cell in sorted(self.cells, key=lambda c: place.get(c.truth, len(place)))
            for id in cell.ids
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        clusters = [cluster.to_dict() for cluster in self.by_cluster]
        return {
            **({} if self.sample is None else {"sample": self.sample}),
            **super().to_dict(),
            **({"by_cluster": clusters} if clusters else {}),
            "truth": [c._asdict() for c in self.truth],
            "guess": [c._asdict() for c in self.guess],
            "cells": [
                {"truth": cell.truth.name, "guess": cell.guess.name, **cell.objects_lost()}
                for cell in self.cells
            ],
            **({} if self.links is None else {"links": self.links.to_dict()}),
        }


class Pattern(NamedTuple):
    """Components that differ in the names of clusters and objects alone."""

    shape: str
    parts: int
    objects: int
    loss: float
    example: Component
    """The one that loses most."""


def _mixed(*columns: Ints) -> NDArray[np.uint64]:
    """A number for the values of each row, in which every bit hangs on all of them."""
    mixed = np.zeros(columns[0].size, np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return mixed


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(BaseExplanation[Component]):
    """Where two partitions differ: components, ranked by what they take off the best score."""

    named: NamedComparison
    score: Score
    loss: Floats
    """What each row of the meet takes off the best score."""

    one = "component"
    queued = ("kind", "truth", "guess")
    kinds = KINDS
    headings = ("share", "kind", "objects", "clusters", "parts")
    columns = (
        "component", "sample", "kind", "component_loss", "share", "truth", "truth_size", "guess",
        "guess_size", "objects", "fate", "loss", "id",
    )  # fmt: skip

    @classmethod
    def of(cls, named: NamedComparison, by: Measure) -> Explanation:
        """The explanation of a comparison by what a measure loses."""
        score = Score(by, by.of(named.meet), named.meet)
        return cls(named, score, losses(by, named.meet))

    @cached_property
    def summary(self) -> Summary:
        """What became of objects and clusters."""
        rows, fates = self._settled
        settled = rows + self.named.agreeing, fates
        return summary_of(self.named.meet, self.loss, self.measure, settled)

    @cached_property
    def hub(self) -> int | None:
        """The component that is explained cluster by cluster: where clusters are few and large, one
        that holds more than half of all objects, of several true clusters. None where none does.
        """
        m = self.named.meet
        if not self.weight.size:
            return None
        largest = int(self.weight.argmax())
        most = 2 * int(self.weight[largest]) > m.objects and int(self.clusters[0][largest]) > 1
        return largest if most and has_large_clusters(m) else None

    @cached_property
    def _settled(self) -> tuple[Ints, Ints]:
        """The rows of this component, with what became of their objects."""
        rows = self.rows_of(np.array([] if self.hub is None else [self.hub], np.int64))
        return rows, self._fates(rows)

    @cached_property
    def of_row(self) -> Ints:
        """The component of each row in conflict."""
        return number(self.named.meet.component[self.named.agreeing :])[0]

    @cached_property
    def losses(self) -> Floats:
        """What each component takes off the best score. Small losses are added first, so that the
        last digit does not hang on the order in which an engine hands over the rows.
        """
        loss = self.loss[self.named.agreeing :]
        order = np.lexsort((loss, self.of_row))
        return np.asarray(np.bincount(self.of_row[order], loss[order]), np.float64)

    @cached_property
    def weight(self) -> Ints:
        """How many objects each component has."""
        return self._summed(self.named.meet.both).astype(np.int64)

    @cached_property
    def lacking(self) -> tuple[Ints, Ints]:
        """How many objects of each are missing in guess, and how many are not in truth."""
        m = self.named.meet
        missing, extra = (self._summed(m.both * ~known) for known in (m.in_guess, m.in_truth))
        return missing.astype(np.int64), extra.astype(np.int64)

    def _summed(self, values: NDArray[Any]) -> Floats:
        """Values of the rows in conflict, summed over each component."""
        return np.asarray(np.bincount(self.of_row, values[self.named.agreeing :]), np.float64)

    @cached_property
    def clusters(self) -> tuple[Ints, Ints]:
        """How many clusters of truth and of guess each has."""
        m, rest = self.named.meet, slice(self.named.agreeing, None)
        return self._distinct(m.truth[rest]), self._distinct(m.guess[rest])

    def _distinct(self, cluster: Ints) -> Ints:
        known = cluster >= 0
        component = np.full(int(cluster.max(initial=-1)) + 1, -1)
        component[cluster[known]] = self.of_row[known]
        return np.bincount(component[component >= 0], minlength=self.weight.size)

    @cached_property
    def kind(self) -> Ints:
        """The kind of each component, by its place among `kinds`."""
        truth, guess = self.clusters
        several = (guess > 1) + 2 * (truth > 1)
        kind = np.array([4, 0, 1, 2])[several]
        return np.where((several == 0) & (self.lacking[0] > 0), 3, kind)

    @property
    def differs(self) -> Bools:
        """All components."""
        return np.ones(self.weight.size, np.bool_)

    def _with_cluster(self, name: Any) -> Bools:
        rows = self.named.rows_with(name)
        return np.bincount(self.of_row[rows], minlength=self.weight.size) > 0

    def patterns(self, top: int | None = None, least: int = 1) -> list[Pattern]:
        """Components of the same shape, those that lose most together first: the sizes of their
        clusters, and how many objects these share. `least` leaves out rarer shapes.
        """
        m, rest = self.named.meet, slice(self.named.agreeing, None)
        sizes = (column[rest] for column in (m.both, m.truth_size, m.guess_size))
        shape = np.zeros(self.weight.size, np.uint64)
        np.add.at(shape, self.of_row, _mixed(*sizes))  # equal sums are equal sets but for 2**-64
        code, first = by_appearance(shape[self.order].view(np.int64))
        lost = np.bincount(code, self.losses[self.order], first.size)
        many, objects = np.bincount(code), np.bincount(code, self.weight[self.order])
        ranked = np.lexsort((first, -np.round(lost, 12)))
        ranked = ranked[many[ranked] >= least][:top]
        parts = self.named_parts(self.order[first[ranked]], 0)
        return [
            Pattern(part.shape, int(many[one]), int(objects[one]), float(lost[one]), part)
            for one, part in zip(ranked.tolist(), parts, strict=True)
        ]

    def pattern_table(self, top: int | None = PATTERNS) -> CellTable:
        """The shapes that several components have."""
        total = self.lost_by_parts or 1.0
        rows = tuple(
            (p.shape, f"{p.parts:,}", f"{p.objects:,}", percent(p.loss / total), p.example.example)
            for p in self.patterns(top, least=2)
        )
        return CellTable(("shape", "components", "objects", "share", "example"), rows)

    def _parts_of(self, some: Ints, ids: int | None) -> list[Component]:
        """These components with names, and with links where there are pairs."""
        parts = self.named_parts(some, ids)
        if self.pairs is None:
            return parts
        found = self.links(some, ids)
        return [replace(part, links=own) for part, own in zip(parts, found, strict=True)]

    def links(self, some: Ints, most: int | None = None) -> list[PartLinks]:
        """Which links merged these components and which pairs would have joined them, with up to so
        many links of each guess cluster; found by one look at the scored pairs.
        """
        from clusterdiff.explain.links import links_of

        assert self.pairs is not None
        every = self.named.catalogue(self.rows_of(some))
        assert every.rows is not None
        component = self.of_row[every.rows]
        order = np.argsort(component, kind="stable")
        begin, end = (np.searchsorted(component[order], some, side) for side in ("left", "right"))
        parts = [every.take(order[a:b]) for a, b in zip(begin, end, strict=True)]
        found = links_of(self.pairs, parts, most)
        if found and not any(own.ends for own in found):
            self._check_pairs(self.pairs)
        return found

    def _check_pairs(self, pairs: PairLookup) -> None:
        """Refuse pairs of other objects, as far as a look at the first tells."""
        from clusterdiff.io.scored import strangers

        some = pairs.some_ids()
        known, own = self.named.some_ids(some)
        if not known:
            raise strangers(own, some)

    def rows_of(self, components: Ints) -> Ints:
        """The rows in conflict of these components, one component after the other, in each the
        largest first.
        """
        wanted = np.zeros(self.weight.size, np.bool_)
        wanted[components] = True
        rows = np.flatnonzero(wanted[self.of_row])
        both = self.named.meet.both[rows + self.named.agreeing]
        return rows[np.lexsort((-both, self.of_row[rows]))]

    def named_parts(
        self, some: Ints, ids: int | None, cells: int | None = CELLS
    ) -> list[Component]:
        """These components with names for up to so many cells, or all of them where all ids are
        asked for.
        """
        if not some.size:
            return []
        cells = None if ids is None else cells
        rows = self.rows_of(some)
        fates, of_row = self._fates(rows), self.of_row[rows]
        begins = np.searchsorted(of_row, some, side="left").tolist()
        ends = np.searchsorted(of_row, some, side="right").tolist()
        shown = [
            self._some(rows, fates, begin, end, cells)
            for begin, end in zip(begins, ends, strict=True)
        ]
        names = iter(self.named.described(rows[np.concatenate(shown)], ids))
        return [
            self._named_one(
                c, end - begin, rows[at], fates[at], list(islice(names, at.size)),
                self._by_cluster(cells and CLUSTERS) if c == self.hub else [],
            )
            for c, begin, end, at in zip(some.tolist(), begins, ends, shown, strict=True)
        ]  # fmt: skip

    def _some(self, rows: Ints, fates: Ints, begin: int, end: int, most: int | None) -> Ints:
        """Which rows of a component get names; if they are too many, half of them are those out of
        place that cost most, the others the largest.
        """
        every = np.arange(begin, end)
        if most is None or end - begin <= most:
            return every
        wrong = every[fates[begin:end] > 0]
        at = rows[wrong] + self.named.agreeing
        costly = wrong[np.argsort(-self.loss[at], kind="stable")][: most // 2]
        rest = np.setdiff1d(every, costly)[: most - costly.size]
        return np.sort(np.concatenate([costly, rest]))

    def _fates(self, rows: Ints) -> Ints:
        """What became of the objects of the rows of some components, by place among `FATES`."""
        m, at = self.named.meet, rows + self.named.agreeing
        truth, guess = m.truth[at], m.guess[at]
        known = np.flatnonzero((truth >= 0) & (guess >= 0))
        t, g, both = dense(truth[known]), dense(guess[known]), m.both[at[known]]
        own = _first(g, -both, m.truth_size[at[known]])
        home = own[_first(t[own], -both[own], m.guess_size[at[known[own]]])]
        settled = np.zeros(int(t.max(initial=-1)) + 1, np.bool_)
        settled[t[home]] = True
        fates = np.where(truth < 0, 5, 4)
        fates[known] = np.where(settled[t], 3, 2)
        fates[known[own]] = 1
        fates[known[home]] = 0
        return fates

    def fates_of_labels(self, truth: Any, guess: Any, sample: int = 0) -> Any:
        """What became of pixels with these labels, by place among `FATES`; of background the number
        behind the last of them.
        """
        named = self.named
        assert isinstance(named, ImageComparison)
        rows, fates = named.conflict, self._fates(np.arange(self.of_row.size))
        return named.values_of(truth, guess, sample, rows, fates, (0, len(FATES)))

    def _named_one(
        self,
        component: int,
        parts: int,
        rows: Ints,
        fates: Ints,
        names: list[RowNames],
        by_cluster: list[TrueCluster],
    ) -> Component:
        """One component of so many rows, some of which have names."""
        m = self.named.meet
        truth: dict[int, Cluster] = {}
        guess: dict[int, Cluster] = {}
        cells = []
        for row, fate, name in zip(
            (rows + self.named.agreeing).tolist(), fates.tolist(), names, strict=True
        ):
            of_truth = Cluster(name.truth, int(m.truth_size[row]))
            of_guess = Cluster(name.guess, int(m.guess_size[row]))
            truth[int(m.truth[row])] = of_truth
            guess[int(m.guess[row])] = of_guess
            lost, objects = float(self.loss[row]), int(m.both[row])
            cells.append(Cell(of_truth, of_guess, objects, name.ids, lost, FATES[fate]))
        return Component(
            **self.facts_of(component),
            loss=float(self.losses[component]),
            missing=int(self.lacking[0][component]),
            extra=int(self.lacking[1][component]),
            truth_clusters=int(self.clusters[0][component]),
            guess_clusters=int(self.clusters[1][component]),
            parts=parts,
            truth=sorted((c for t, c in truth.items() if t >= 0), key=lambda c: -c.size),
            guess=sorted((c for g, c in guess.items() if g >= 0), key=lambda c: -c.size),
            cells=cells,
            sample=names[0].sample,
            by_cluster=by_cluster,
        )

    def _by_cluster(self, most: int | None) -> list[TrueCluster]:
        """The true clusters of this component that lose most, with names."""
        m = self.named.meet
        rows, fates = self._settled
        at = rows + self.named.agreeing
        truth, many = number(m.truth[at])
        loss = np.asarray(np.bincount(truth, self.loss[at], many), np.float64)
        objects = np.bincount(truth, m.both[at], many)
        parts = np.bincount(truth, minlength=many)
        known = parts > np.bincount(truth, fates >= FATES.index("missing"), many)
        owns = fates <= FATES.index("split off")
        belong = np.bincount(truth, owns, many)
        owner = dict(zip(m.guess[at[owns]].tolist(), np.flatnonzero(owns).tolist(), strict=True))
        order = np.lexsort((-objects, -without_rounding(loss)))[:most].tolist()
        # Of each cluster the piece that is matched with it comes first, then the largest.
        sorted_rows = np.lexsort((m.guess_size[at], -m.both[at], fates != 0, truth))
        begin = np.concatenate([[0], np.cumsum(parts)])
        shown = [sorted_rows[begin[c] : min(begin[c] + SETS, begin[c + 1])].tolist() for c in order]
        owners = {k: owner.get(int(m.guess[at[k]]), k) for k in chain.from_iterable(shown)}
        wanted = np.array(sorted({*owners, *owners.values()}))
        described = self.named.described(rows[wanted], 0)
        names = dict(zip(wanted.tolist(), described, strict=True))

        def piece(k: int) -> Piece:
            own = owners[k]
            owned = bool(owns[own])
            purity = float(m.both[at[own]] / m.guess_size[at[own]]) if owned else 0.0
            mostly = names[own].truth if owned else None
            return Piece(names[k].guess, int(m.both[at[k]]), FATES[fates[k]], mostly, purity)

        def kind(c: int, k: int) -> str:
            if not known[c]:
                return FATES[fates[k]]
            return ("merged", "mixed", "split")[min(int(belong[c]), 2)]

        return [
            TrueCluster(
                names[some[0]].truth, int(objects[c]), kind(c, some[0]), float(loss[c]),
                float(loss[c]) / (self.lost_by_parts or 1.0), int(parts[c]), list(map(piece, some)),
            )
            for c, some in zip(order, shown, strict=True)
        ]  # fmt: skip

    def object(self, id: Any, sample: Any = None) -> PartitionObject:
        """The companions of an object: found, missing and wrong ones, and its scores."""
        return self.with_known(partition_object(self.named, id, sample))

    @property
    def headline(self) -> str:
        """The score, and what is lost; of samples, all of them pooled."""
        headline, name = super().headline, str(self.measure)
        return f"{name} micro{headline.removeprefix(name)}" if self.named.sampled else headline

    def uncertainty(self, confidence: float = 0.95, units: str | None = None) -> Uncertainty:
        """Why the interval of the score is so wide: the components, or samples, that decide it."""
        from clusterdiff.explain.uncertainty import Uncertainty
        from clusterdiff.statistics.confidence import Confidence

        asked = Confidence.of(confidence, units)
        assert asked is not None
        return Uncertainty.of(self, asked)

    def same(self) -> str:
        """The text where nothing differs."""
        same = f"Truth and guess are the same clustering: {self.right()}."
        return f"{same} {self.measure} is not 1 for all of them." if self.lost > NOTHING else same

    def right(self) -> str:
        """How many clusters and objects are right."""
        right = self.summary.outcomes["right"]
        return f"{count(self.summary.exact, 'cluster')}, {count(right, 'object')}"

    def sentences(self) -> list[str]:
        """What became of objects and clusters, in two sentences."""
        s = self.summary
        exact = found_exactly(s.exact, s.truth_clusters)
        shares = shares_of(s.by_majority or s.outcomes, s.objects)
        return [f"{shares}.", *self._majorities(), f"{exact}."]

    def _majorities(self) -> list[str]:
        """What shares of objects mean where outcomes go by majorities."""
        if self.hub is None:
            return []
        held = percent(int(self.weight[self.hub]) / self.summary.objects)
        return [
            f"One component holds {held} of the objects; there, outcomes go by majorities: a guess "
            "cluster belongs to the true cluster that most of its objects come from, and objects "
            "are right in the main guess cluster that belongs to their true cluster, split in a "
            "further one, and merged in one that belongs to another."
        ]

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """What became of true clusters of different sizes, where there are some."""
        bands = self.summary.bands
        total = self.lost or 1.0
        mean = bool(bands) and bands[0].score is not None
        scored = [str(self.measure)] if mean else []
        right = "right" if self.hub is None else "without error"
        headings = ("size", "true clusters", "exact", "objects", right, *scored, "of the loss")
        if len(bands) < 3:
            return CellTable(headings, ())
        rows = [
            (
                band.sizes, f"{band.clusters:,}", percent(band.exact / band.clusters),
                f"{band.objects:,}", percent(band.right / band.objects),
                *([digits(band.score)] if mean else []), percent(band.loss / total),
            )
            for band in bands
        ]  # fmt: skip
        if extra := self.summary.outcomes.get("extra"):
            lost = percent(self.summary.extra_loss / total)
            rows.append((WORDS["extra"], "", "", f"{extra:,}", percent(0.0), lost))
        return CellTable(headings, tuple(rows))

    def facts(self, top: int | None) -> dict[str, Any]:
        """As JSON-ready values: what is lost, and what became of objects and clusters."""
        return {"loss": self.lost, "summary": self.summary.to_dict()}


def check_all_pairs(told: BaseExplanation[Any], what: str) -> None:
    """Refuse what is not known where only pairs across sources count."""
    if told.score.meet.alignment.between:
        raise ClusterdiffError(
            f"{what} is not known of scores in which only pairs across sources count.",
            "leave between= out.",
            "leave --between out.",
        )


def _first(group: Ints, *keys: Ints) -> Ints:
    """Of each group the entry with the smallest keys; of equal ones the first."""
    order = np.lexsort((*keys[::-1], group))
    return np.asarray(order[np.diff(group[order], prepend=-1) != 0])


# One object of two partitions.

SCORES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class PartitionObject(Companions):
    """An object of two partitions; it is right, split, merged, both, missing or extra."""

    sample: Any = None
    absent: list[Any] = field(default_factory=list)
    """Those of `missing` that guess lacks."""
    strange: list[Any] = field(default_factory=list)
    """Those of `wrong` that are not in truth."""

    @property
    def where(self) -> str:
        """Its clusters."""
        return f", truth {name_of(self.truth)}, guess {name_of(self.guess)}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {key: fact for key, fact in vars(self).items() if fact or key != "records"}

    def also(self, ids: int | None) -> list[tuple[str, str]]:
        """Companions that one side lacks."""
        lacking = ((WORDS["missing"], self.absent), (WORDS["extra"], self.strange))
        return [names_row(what, some, ids) for what, some in lacking if some]


def partition_object(compared: NamedComparison, wanted: Any, sample: Any = None) -> PartitionObject:
    """The object of this id with its companions, in this sample where there are several."""
    a = compared.around(wanted, sample)
    in_truth, in_guess = a.known
    row = HardMeet(
        both=np.array([len(a.found) + 1]),
        truth_size=np.array([len(a.found) + len(a.missing) + 1 if in_truth else 0]),
        guess_size=np.array([len(a.found) + len(a.wrong) + 1 if in_guess else 0]),
        times=np.array([1]),
        truth=np.array([0 if in_truth else -1]),
        guess=np.array([0 if in_guess else -1]),
        alignment=compared.meet.alignment,
    )
    return PartitionObject(
        id=a.id, truth=a.truth, guess=a.guess, outcome=OUTCOMES[int(outcome_of(row)[0])],
        found=a.found, missing=a.missing, wrong=a.wrong, sample=a.sample, absent=list(a.absent),
        strange=list(a.strange), scores={name: score_of_row(row, name, 0) for name in SCORES},
    )  # fmt: skip


# True clusters one by one: their best guess, how pure and how whole it is, what they cost.

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
