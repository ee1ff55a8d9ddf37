"""Where two covers differ: memberships that were kept, lost and gained, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Cover, Partition
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.explain.base import NOTHING, SETS, TOP, found_exactly, name_of, shares_of
from clusterdiff.explain.object import Change, Counterparts, CoverObject, clusters_of, cover_object
from clusterdiff.explain.places import Located, Place, PlacesExplanation, in_column
from clusterdiff.measures.attribution import losses
from clusterdiff.output.describe import count
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import shown_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import CoverMeet
    from clusterdiff.explain.object import ClusterMatch
    from clusterdiff.io import Judged
    from clusterdiff.measures import Measure


@dataclass(frozen=True, kw_only=True)
class CoverPlace(Place, Change):
    """Objects that are in the same truth clusters, and in the same guess clusters."""

    loss: float
    """What they take off the best score."""

    keys = ("kind", "loss", "share", "objects", "truth", "guess", "lost", "gained", "ids")

    def lines(self, ids: int | None) -> list[str]:
        """Which objects, where they are; and what changed."""
        truth = f"{called(self.truth)} in truth" if self.kind != "extra" else "not in truth"
        guess = f"{called(self.guess)} in guess" if self.kind != "missing" else "not in guess"
        return [f"{self.who(ids)}: {truth}, {guess}", self._changes()]

    def _changes(self) -> str:
        if self.kind == "same":
            return "same clusters, other companions"
        return changes_of(self) or "nothing to lose"


def changes_of(change: Change) -> str:
    """What objects lost and gained, in words; nothing where that is nothing."""
    gains = list(map(_gain, change.gained, change.stands_for))
    lost = f"lost {called(change.lost)}" if change.lost else ""
    gained = f"gained {shown_ids(gains, SETS)}" if gains else ""
    return "; ".join(filter(None, (lost, gained)))


def called(names: Sequence[Any]) -> str:
    """Clusters for eyes."""
    if not names:
        return "no cluster"
    return shown_ids(["a cluster of its own" if n is None else n for n in names], SETS)


def _gain(name: Any, stands_for: Any) -> str:
    """A cluster gained, and the true cluster that it stands for."""
    beside = "" if stands_for is None else f" (for {name_of(stands_for)})"
    return f"{called([name])}{beside}"


@dataclass(frozen=True)
class CoverSummary:
    """What became of all objects, memberships and clusters."""

    objects: int
    outcomes: dict[str, int]
    """Objects by outcome: right (no membership changed), lost, gained, changed (lost and gained);
    missing and extra where they count."""
    kept: int
    """Memberships of truth that guess has too."""
    lost: int
    gained: int
    truth_clusters: int
    guess_clusters: int
    exact: int
    """Clusters that both have, to the last object."""
    unnamed: int
    """Guess clusters that stand for no truth cluster."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class CoverExplanation(PlacesExplanation[CoverPlace]):
    """Where two covers differ: what objects lost and gained, ranked by what it costs.

    A place is `lost` (memberships lost, none gained), `gained`, `changed` (both), `same` (no
    membership changed, but companions did), or, where objects of one side count, `missing` or
    `extra`.

    >>> import clusterdiff as cd
    >>> truth = cd.Cover({1: ["a"], 2: ["a", "b"], 3: ["b"], 4: ["c"]})
    >>> guess = cd.Cover({1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]})
    >>> print(cd.explain(truth, guess).to_text(80))
    cice_f 0.7634 = 1 - 0.2366. Where the 0.2366 comes from:
    <BLANKLINE>
       67.7 %  same     1 object (3): b in truth, y in guess
                        same clusters, other companions
       32.3 %  lost     1 object (2): a, b in truth, x in guess
                        lost b
        0.0 %  right    2 objects
    <BLANKLINE>
    Of 4 objects: 75.0 % right, 25.0 % lost, 0.0 % gained, 0.0 % changed.
    Of 5 memberships, 4 kept, 1 lost; 0 gained.
    Of 3 true clusters, 2 were found exactly (66.7 %).
    <BLANKLINE>
      true cluster  objects  guess  kept  lost  gained  jaccard
      b             2        y      1     1     0       0.5000
    """

    score: Score
    located: Located
    loss: Floats
    counterparts: Counterparts
    """Which guess cluster stands for which truth cluster."""

    default = "cice_f"
    kinds = ("lost", "gained", "changed", "same", "missing", "extra", "right")
    columns = ("place", *CoverPlace.keys)

    @classmethod
    def of(cls, judged: Judged, name: str, by: Measure) -> CoverExplanation:
        """The explanation of a guess by what a measure loses; both sides are covers."""
        (truth, guess), policy = judged.loaded(name), judged.policy
        assert isinstance(truth, Partition | Cover)
        assert isinstance(guess, Partition | Cover)
        meet, row, objects = rows_of_objects(truth, guess, policy, judged.alone(name))
        meet = replace(meet, alignment=judged.alignments.get(name, meet.alignment))
        loss = losses(by, meet)
        sides = Cover(truth), Cover(guess)
        located = Located(*sides, row, objects)
        here = objects.in_truth[located.first], objects.in_guess[located.first]
        counterparts = Counterparts(
            meet,
            clusters_of(sides[0], meet.truth, here[0], policy),
            clusters_of(sides[1], meet.guess, here[1], policy),
        )
        score = Score(by, by.of(meet), meet)
        return cls(score, located, loss, counterparts)

    @property
    def meet(self) -> CoverMeet:
        """The comparison."""
        return self.counterparts.meet

    @property
    def clusters(self) -> list[ClusterMatch]:
        """Each truth and each guess cluster with the one most like it on the other side."""
        return self.counterparts.matches

    @cached_property
    def kind(self) -> Ints:
        """The kind of each row, by its place among `kinds`."""
        lost, gained = (some > 0 for some in self.counterparts.changed)
        each = self.loss * self.meet.objects / self.weight
        same = np.where(self.counterparts.touched | (each > NOTHING), 3, 6)
        known = np.choose(lost + 2 * gained, [same, 0, 1, 2])
        return np.where(~self.meet.in_truth, 5, np.where(~self.meet.in_guess, 4, known))

    @property
    def differs(self) -> Bools:
        """Which rows are shown; the others are right."""
        return np.asarray(self.kind < len(self.kinds) - 1)

    def place(self, row: int, ids: int | None) -> CoverPlace:
        """A row with names."""
        change = vars(self.counterparts.change(row))
        return CoverPlace(
            **self.said_of(row),
            ids=self.located.ids(row, ids),
            loss=float(self.loss[row]),
            **change,
        )

    def object(self, id: Any, sample: Any = None) -> CoverObject:
        """The clusters of an object, its companions, and its scores."""
        item, row = self.object_at(id)
        kind, change = self.kinds[int(self.kind[row])], self.counterparts.change(row)
        outcome = "right" if kind == "same" else kind
        return cover_object(self.meet, self.located, item, outcome, change)

    @cached_property
    def summary(self) -> CoverSummary:
        """What became of objects, memberships and clusters."""
        found = self.objects_by_kind
        outcomes = {"right": found.pop("right") + found.pop("same"), **found}
        lost, gained = (int(some @ self.weight) for some in self.counterparts.changed)
        return CoverSummary(
            self.meet.objects,
            {k: n for k, n in outcomes.items() if n or k not in ("missing", "extra")},
            int(self.meet.truth.size.sum()) - lost,
            lost,
            gained,
            self.meet.truth.clusters,
            self.meet.guess.clusters,
            int(self.counterparts.exact.sum()),
            int((self.counterparts.pairing.guess < 0).sum()),
        )

    def sentences(self) -> list[str]:
        """What became of objects, memberships and clusters, in three sentences."""
        s = self.summary
        stand = "stands" if s.unnamed == 1 else "stand"
        nobodys = f"; {count(s.unnamed, 'guess cluster')} {stand} for none" if s.unnamed else ""
        return [
            f"{shares_of(s.outcomes, s.objects)}.",
            f"Of {count(s.kept + s.lost, 'membership')}, {s.kept:,} kept, {s.lost:,} lost; "
            f"{s.gained:,} gained.",
            f"{found_exactly(s.exact, s.truth_clusters)}{nobodys}.",
        ]

    def same(self) -> str:
        """The text where nothing differs."""
        s = self.summary
        whole = f"{count(s.truth_clusters, 'cluster')}, {count(s.objects, 'object')}"
        return f"Truth and guess are the same cover: {whole}."

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """The true clusters that differ most from those that stand for them."""
        rows = []
        for cluster in self.counterparts.worst[:top].tolist():
            s = self.counterparts.standing(cluster)
            counts = (s.both, s.truth_size - s.both, s.guess_size - s.both)
            named = called([s.guess]) if s.guess_size else "(none)"
            name, named = (in_column(one, width) for one in (called([s.truth]), named))
            told = (name, f"{s.truth_size:,}", named, *(f"{n:,}" for n in counts))
            rows.append((*told, digits(s.jaccard) if s.guess_size else ""))
        headings = ("true cluster", "objects", "guess", "kept", "lost", "gained", "jaccard")
        return CellTable(headings, tuple(rows))

    def facts(self, top: int | None) -> dict[str, Any]:
        """For programs: what is lost, what became of objects, and the clusters that differ most."""
        worst = map(self.counterparts.standing, self.counterparts.worst[:top].tolist())
        return {
            "loss": self.lost,
            "summary": self.summary.to_dict(),
            "clusters": [standing._asdict() for standing in worst],
        }
