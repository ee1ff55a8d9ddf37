"""The components in which two partitions disagree: what was split, merged, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from clusterdiff.results.describe import count
from clusterdiff.results.explain.base import Part
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.explain.summary import WORDS
from clusterdiff.results.render.text import shown_ids

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

CELLS = 100
"""Cells of a component that get names where nobody asks for all."""

NAMES = 3
"""Clusters of a side that a title names."""

LINES = 6
"""Cells of a component that are shown; the others are counted."""


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
        """For programs: its objects, and what became of them."""
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

    keys = (
        "kind", "loss", "share", "objects", "missing", "extra", "truth_clusters", "guess_clusters",
        "parts",
    )  # fmt: skip

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
    def counted(self) -> str:
        """How many objects it has, and how many of them one side lacks."""
        lacking = [
            f"{n:,} {WORDS[what]}"
            for what, n in (("missing", self.missing), ("extra", self.extra))
            if n and n < self.objects
        ]
        return ", ".join([count(self.objects, "object"), *lacking])

    def lines(self, ids: int | None) -> list[str]:
        """The title, then what became of the cells, largest first."""
        joined = self.kind in ("split", "merged")
        home = [] if joined else [cell for cell in self.cells if cell.fate == "home"]
        told = (self.cells if joined else [c for c in self.cells if c.fate != "home"])[:LINES]
        own = ("home", "split off")
        owner = {c.guess: name_of(c.truth.name) for c in self.cells if c.fate in own}
        lines = [cell.within(self.kind, owner.get(cell.guess, ""), ids) for cell in told]
        if (more := self.parts - len(home) - len(told)) > 0:
            left = count(self.objects - sum(cell.objects for cell in (*home, *told)), "object")
            rest = (
                f"… {left} in {more:,} more" if joined else f"… and {left} in {more:,} more parts"
            )
            lines.append(rest)
        return [f"{self.title}, {self.counted}", *(["; ".join(lines)] if joined else lines)]

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """How many objects, which clusters, and what became of the cells."""
        return f"{self.objects:,}", self.title, "; ".join(self.lines(ids)[1:])

    def records(self) -> list[dict[str, Any]]:
        """One record per truth and guess cluster that share objects."""
        return [
            {
                "sample": self.sample, "kind": self.kind, "component_loss": self.loss,
                "share": self.share, "truth": cell.truth.name, "truth_size": cell.truth.size,
                "guess": cell.guess.name, "guess_size": cell.guess.size, **cell.objects_lost(),
            }
            for cell in self.cells
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            **({} if self.sample is None else {"sample": self.sample}),
            **super().to_dict(),
            "truth": [c._asdict() for c in self.truth],
            "guess": [c._asdict() for c in self.guess],
            "cells": [
                {"truth": cell.truth.name, "guess": cell.guess.name, **cell.objects_lost()}
                for cell in self.cells
            ],
        }
