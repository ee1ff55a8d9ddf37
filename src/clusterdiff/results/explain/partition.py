"""Where two partitions differ: components that were split, merged or mixed, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clusterdiff.measures.attribution.rows import losses
from clusterdiff.results.describe import count
from clusterdiff.results.explain.base import IDS, TOP, BaseExplanation
from clusterdiff.results.explain.components import CELLS, Component, Components
from clusterdiff.results.explain.object import PartitionObject, partition_object
from clusterdiff.results.explain.prose import NOTHING, found_exactly, percent, shares_of
from clusterdiff.results.explain.summary import WORDS, Summary, summary_of
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.score import Score

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.backends.labelled.protocol import Compared
    from clusterdiff.measures import Measure


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(BaseExplanation):
    """Where two partitions differ: components, ranked by what they take off the best score."""

    named: Compared
    score: Score
    loss: Floats
    """What each row of the meet takes off the best score."""

    part = "component"
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
    def components(self) -> Components:
        """All components in conflict, ranked."""
        return Components(self.named, self.loss[self.named.agreeing :])

    @cached_property
    def summary(self) -> Summary:
        """What became of objects and clusters."""
        return summary_of(self.named.meet, self.loss, self.measure)

    @property
    def order(self) -> Ints:
        """The components, from the one that loses most to the one that loses least."""
        return self.components.order

    @property
    def told(self) -> float:
        """What the components lose; a measure may not be 1 for what agrees."""
        return self.components.total

    def top(self, n: int | None = TOP, ids: int | None = IDS) -> list[Component]:
        """The components that lose most, with names."""
        cells = None if ids is None else CELLS
        return self.components.named_ones(self.order[:n], ids, cells)

    def by_kind(self, some: Ints | None = None) -> dict[str, tuple[int, int, float]]:
        """For each kind that there is: components, their objects and what they lose."""
        return self.components.by_kind(some)

    def object(self, id: Any, sample: Any = None) -> PartitionObject:
        """The companions of an object: found, missing and wrong ones, and its scores."""
        return partition_object(self.named, id, sample)

    @property
    def headline(self) -> str:
        """The score, and what is lost; of samples, all of them pooled."""
        told, name = super().headline, str(self.measure)
        return f"{name} micro{told.removeprefix(name)}" if self.named.sampled else told

    def same(self) -> str:
        """What is said where nothing differs."""
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
