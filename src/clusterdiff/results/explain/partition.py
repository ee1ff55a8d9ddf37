"""Where two partitions differ: components that were split, merged or mixed, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.measures.attribution.rows import losses
from clusterdiff.meet.join import dense
from clusterdiff.results.describe import count
from clusterdiff.results.explain.base import TOP, BaseExplanation
from clusterdiff.results.explain.components import CELLS, FATES, KINDS, Cell, Cluster, Component
from clusterdiff.results.explain.object import PartitionObject, partition_object
from clusterdiff.results.explain.prose import NOTHING, found_exactly, shares_of
from clusterdiff.results.explain.summary import WORDS, Summary, summary_of
from clusterdiff.results.render.table import CellTable, digits, percent
from clusterdiff.results.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.backends.labelled.protocol import Compared, RowNames
    from clusterdiff.measures import Measure
    from clusterdiff.results.explain.uncertainty import Uncertainty


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(BaseExplanation[Component]):
    """Where two partitions differ: components, ranked by what they take off the best score."""

    named: Compared
    score: Score
    loss: Floats
    """What each row of the meet takes off the best score."""

    part = "component"
    kinds = KINDS
    headings = ("objects", "clusters", "parts")
    columns = (
        "component", "sample", "kind", "component_loss", "share", "truth", "truth_size", "guess",
        "guess_size", "objects", "fate", "loss", "ids",
    )  # fmt: skip

    @classmethod
    def of(cls, named: Compared, by: Measure) -> Explanation:
        """The explanation of a comparison by what a measure loses."""
        score = Score(by, by.of(named.meet), named.meet)
        return cls(named, score, losses(by, named.meet))

    @cached_property
    def summary(self) -> Summary:
        """What became of objects and clusters."""
        return summary_of(self.named.meet, self.loss, self.measure)

    @cached_property
    def of_row(self) -> Ints:
        """The component of each row in conflict."""
        return number(self.named.meet.component[self.named.agreeing :])[0]

    @cached_property
    def losses(self) -> Floats:
        """What each component takes off the best score."""
        return self._summed(self.loss)

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
        found = np.array([4, 0, 1, 2])[several]
        return np.where((several == 0) & (self.lacking[0] > 0), 3, found)

    @property
    def differs(self) -> Bools:
        """All components."""
        return np.ones(self.weight.size, np.bool_)

    def by_kind(self, some: Ints | None = None) -> dict[str, tuple[int, int, float]]:
        """For each kind among these components, or all: how many, their objects, their loss."""
        return super().by_kind(np.arange(self.weight.size) if some is None else some)

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
            self._named_one(c, end - begin, rows[at], fates[at], list(islice(names, at.size)))
            for c, begin, end, at in zip(some.tolist(), begins, ends, shown, strict=True)
        ]

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

    def _named_one(
        self, component: int, parts: int, rows: Ints, fates: Ints, names: list[RowNames]
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
            **self.said_of(component),
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
        )

    def object(self, id: Any, sample: Any = None) -> PartitionObject:
        """The companions of an object: found, missing and wrong ones, and its scores."""
        return partition_object(self.named, id, sample)

    @property
    def headline(self) -> str:
        """The score, and what is lost; of samples, all of them pooled."""
        told, name = super().headline, str(self.measure)
        return f"{name} micro{told.removeprefix(name)}" if self.named.sampled else told

    def uncertainty(self, confidence: float = 0.95, units: str | None = None) -> Uncertainty:
        """Why the interval of the score is so wide: the components, or samples, that decide it."""
        from clusterdiff.results.explain.uncertainty import Uncertainty
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
        return [f"{shares_of(s.outcomes, s.objects)}.", f"{exact}."]

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """What became of true clusters of different sizes, where there are some."""
        bands = self.summary.bands
        total = self.lost or 1.0
        mean = bool(bands) and bands[0].score is not None
        scored = [str(self.measure)] if mean else []
        headings = ("size", "true clusters", "exact", "objects", "right", *scored, "of the loss")
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
        """For programs: what is lost, and what became of objects and clusters."""
        return {"loss": self.lost, "summary": self.summary.to_dict()}


def _first(group: Ints, *keys: Ints) -> Ints:
    """Of each group the entry with the smallest keys; of equal ones the first."""
    order = np.lexsort((*keys[::-1], group))
    return np.asarray(order[np.diff(group[order], prepend=-1) != 0])
