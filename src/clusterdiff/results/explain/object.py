"""One object: what both sides say of it, who should be with it, who is, and how that scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.measures import measure_named
from clusterdiff.meet import HardMeet
from clusterdiff.results.explain.counterparts import Change
from clusterdiff.results.explain.prose import Said, degree, for_programs, name_of, says, span
from clusterdiff.results.explain.summary import OUTCOMES, WORDS, outcome_of
from clusterdiff.results.render.markup import document
from clusterdiff.results.render.renderable import Block, Listing, Renderable
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import shown_ids, wrap_columns, wrapped

if TYPE_CHECKING:
    from clusterdiff.backends.labelled.protocol import Compared
    from clusterdiff.measures.core.interval import Interval
    from clusterdiff.meet import CoverMeet
    from clusterdiff.results.explain.places import Located

    Rows = list[tuple[str, str]]

SCORES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
)  # fmt: skip
COVER_SCORES = (
    "extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
    "cice_precision", "cice_recall", "cice_f",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class ObjectExplanation(Renderable):
    """One object, and what became of it."""

    id: Any
    truth: Any
    """Its truth cluster or clusters, or what truth says of it; None where truth lacks it."""
    guess: Any
    outcome: str
    """right, or what is wrong with it."""

    @property
    def where(self) -> str:
        """What the title says besides the name and the outcome."""
        return ""

    @abstractmethod
    def rows(self, ids: int | None) -> Rows:
        """What there is to say, with up to so many names of each sort."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {"id": self.id, "outcome": self.outcome} | for_programs(vars(self))

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return document("explain-object/1", self.to_dict())

    def _title(self) -> str:
        outcome = WORDS.get(self.outcome, self.outcome)
        return f"object {name_of(self.id)}{self.where}: {outcome}"

    def to_text(self, width: int | None = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many names of each sort."""
        columns = width or 80
        return f"{wrapped(self._title(), columns)}\n{wrap_columns(self.rows(ids), columns)}"

    def blocks(self, width: int) -> Iterator[Block]:
        """Its clusters and its outcome, and what there is to say of it."""
        rows = self.rows(20)
        yield wrapped(self._title(), width)
        yield Listing(wrap_columns(rows, width), CellTable(("", ""), tuple(rows)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Companions(ObjectExplanation):
    """An object among those that share a cluster with it."""

    found: list[Any]
    """The others that do in truth and in guess."""
    missing: list[Any]
    """Those that do in truth; guess puts them elsewhere, or lacks them."""
    wrong: list[Any]
    """Those that do in guess; they belong elsewhere, or are not in truth."""
    scores: dict[str, float]

    def rows(self, ids: int | None) -> Rows:
        """Its companions and its scores."""
        return [
            _named("is rightly with", self.found, ids),
            _named("should be with", self.missing, ids),
            _named("is wrongly with", self.wrong, ids),
            *self.also(ids),
            *((name, digits(score)) for name, score in self.scores.items()),
        ]

    def also(self, ids: int | None) -> Rows:
        """What there is to say besides, between the companions and the scores."""
        return []


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
        """Everything, for programs."""
        return dict(vars(self))

    def also(self, ids: int | None) -> Rows:
        """Companions that one side lacks."""
        lacking = ((WORDS["missing"], self.absent), (WORDS["extra"], self.strange))
        return [_named(what, some, ids) for what, some in lacking if some]


@dataclass(frozen=True, kw_only=True, repr=False)
class CoverObject(Companions, Change):
    """An object of two covers; no membership changed (right), or it lost some, gained some, both
    (changed), or is missing or extra.
    """

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {key: told for key, told in super().to_dict().items() if key != "stands_for"}

    def rows(self, ids: int | None) -> Rows:
        """Its clusters, its companions and its scores."""
        clusters = (
            ("truth clusters", self.truth), ("guess clusters", self.guess), ("kept", self.kept),
            ("lost", self.lost), ("gained", self.gained),
        )  # fmt: skip
        return [*(_named(what, some, ids, "none") for what, some in clusters), *super().rows(ids)]


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What both sides say of some objects, and how far they agree."""

    truth: list[Said]
    guess: list[Said]
    agreement: Interval
    """How much speaks for both agreeing on their cluster: for certain, and possibly."""
    low: float
    """What they add to the distance where what is unknown is accepted, or at the alpha asked."""
    high: float
    """What they add where what is unknown is an error, or at the alpha asked for."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftObject(ObjectExplanation, Agreed):
    """An object of which a side is uncertain; it is right, unsure or wrong."""

    def rows(self, ids: int | None) -> Rows:
        """What both sides say, how far that agrees, and what it costs."""
        return [
            ("truth says", says(self.truth, ids)),
            ("guess says", says(self.guess, ids)),
            ("agreement", degree(self.agreement)),
            ("adds", span(self.low, self.high)),
        ]


def _named(what: str, some: list[Any], ids: int | None, nothing: str = "nobody") -> tuple[str, str]:
    return what, f"{len(some):,}: {shown_ids(some, ids)}" if some else nothing


def partition_object(compared: Compared, wanted: Any, sample: Any = None) -> PartitionObject:
    """The object of this id with its companions, in this sample where there are several."""
    a = compared.around(wanted, sample)
    row = HardMeet(
        both=np.array([len(a.found) + 1]),
        truth_size=np.array([(len(a.found) + len(a.missing) + 1) if a.known[0] else 0]),
        guess_size=np.array([(len(a.found) + len(a.wrong) + 1) if a.known[1] else 0]),
        times=np.array([1]),
        truth=np.array([0 if a.known[0] else -1]),
        guess=np.array([0 if a.known[1] else -1]),
        alignment=compared.meet.alignment,
    )
    outcome = OUTCOMES[int(outcome_of(row)[0])]
    scores = {name: _score(row, name, 0) for name in SCORES}
    return PartitionObject(
        id=a.id, truth=a.truth, guess=a.guess, outcome=outcome, found=a.found, missing=a.missing,
        wrong=a.wrong, scores=scores, sample=a.sample, absent=list(a.absent),
        strange=list(a.strange),
    )  # fmt: skip


def cover_object(
    meet: CoverMeet, located: Located, item: int, outcome: str, change: Change
) -> CoverObject:
    """An object with its clusters, its companions and its scores."""
    row, near = int(located.row[item]), []
    for side in (meet.truth, meet.guess):
        each = side.each
        own = each.member[each.start[row] : each.start[row + 1]]
        rows = np.zeros(meet.rows, np.bool_)
        rows[each.owner[np.isin(each.member, own)]] = True
        with_it = rows[located.row]
        with_it[item] = False
        near.append(with_it)
    truth, guess = near
    found, missing, wrong = (
        [located.id_of(int(i)) for i in np.flatnonzero(some)]
        for some in (truth & guess, truth & ~guess, guess & ~truth)
    )
    scores = {name: _score(meet, name, row) for name in COVER_SCORES}
    return CoverObject(
        id=located.id_of(item), outcome=outcome, found=found, missing=missing, wrong=wrong,
        scores=scores, **vars(change),
    )  # fmt: skip


def _score(meet: HardMeet | CoverMeet, name: str, row: int) -> float:
    """The value of a measure for the objects of a row."""
    measure = measure_named(name)
    if "f" in measure.defaults:
        measure = measure.having(f="objects")
    values = measure.rows_of(meet)
    assert values is not None
    return float(values[row])
