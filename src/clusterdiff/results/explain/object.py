"""One object: what both sides say of it, who should be with it, who is, and how that scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.measures import measure_named
from clusterdiff.meet import HardMeet
from clusterdiff.results.explain.prose import Said, degree, listed, name_of, says, span
from clusterdiff.results.explain.summary import OUTCOMES, WORDS, outcome_of
from clusterdiff.results.render.markup import to_json
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import shown_ids, wrap_columns, wrapped

if TYPE_CHECKING:
    from clusterdiff.backends.labelled.protocol import Compared
    from clusterdiff.measures.core.interval import Interval
    from clusterdiff.meet import CoverMeet
    from clusterdiff.results.explain.counterparts import Change
    from clusterdiff.results.explain.places import Located

    Rows = list[tuple[str, str]]

SCORES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
)  # fmt: skip
COVER_SCORES = (
    "extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
    "cice_precision", "cice_recall", "cice_f",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class ObjectExplanation(ABC):
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
        return {"id": self.id, "outcome": self.outcome} | asdict(self)

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return to_json(self.to_dict(), 2)

    def to_text(self, width: int = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many names of each sort."""
        outcome = WORDS.get(self.outcome, self.outcome)
        title = wrapped(f"object {name_of(self.id)}{self.where}: {outcome}", width)
        return f"{title}\n{wrap_columns(self.rows(ids), width)}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class PartitionObject(ObjectExplanation):
    """An object of two partitions; it is right, split, merged, both, missing or extra."""

    found: list[Any]
    """The others of its truth cluster that guess keeps with it."""
    missing: list[Any]
    """The others of its truth cluster that guess puts elsewhere, or lacks."""
    wrong: list[Any]
    """Those that guess puts with it and that belong elsewhere, or are not in truth."""
    scores: dict[str, float]
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
        return asdict(self)

    def rows(self, ids: int | None) -> Rows:
        """Its companions and its scores."""
        lacking = ((WORDS["missing"], self.absent), (WORDS["extra"], self.strange))
        return [
            *_companions(self, ids),
            *(_named(what, some, ids) for what, some in lacking if some),
            *((name, digits(score)) for name, score in self.scores.items()),
        ]


@dataclass(frozen=True, repr=False)
class CoverObject(ObjectExplanation):
    """An object of two covers; no membership changed (right), or it lost some, gained some, both
    (changed), or is missing or extra.
    """

    kept: list[Any]
    """Truth clusters for which one of its guess clusters stands."""
    lost: list[Any]
    """Truth clusters for which none does."""
    gained: list[Any]
    """Guess clusters that stand for none of its truth clusters."""
    found: list[Any]
    """The others that share a cluster with it in truth and in guess."""
    missing: list[Any]
    """Those that do in truth alone."""
    wrong: list[Any]
    """Those that do in guess alone."""
    scores: dict[str, float]

    def rows(self, ids: int | None) -> Rows:
        """Its clusters, its companions and its scores."""
        clusters = (
            ("truth clusters", self.truth), ("guess clusters", self.guess), ("kept", self.kept),
            ("lost", self.lost), ("gained", self.gained),
        )  # fmt: skip
        return [
            *(_named(what, some, ids, "none") for what, some in clusters),
            *_companions(self, ids),
            *((name, digits(score)) for name, score in self.scores.items()),
        ]


@dataclass(frozen=True, repr=False)
class SoftObject(ObjectExplanation):
    """An object of which a side is uncertain; it is right, unsure or wrong."""

    truth: list[Said]
    guess: list[Said]
    agreement: Interval
    """How much speaks for both agreeing on its cluster: for certain, and possibly."""
    low: float
    """What it adds to the distance where what is unknown is accepted, or at the alpha asked."""
    high: float
    """What it adds where what is unknown is an error, or at the alpha asked for."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "id": self.id,
            "outcome": self.outcome,
            "truth": listed(self.truth),
            "guess": listed(self.guess),
            "agreement_low": self.agreement.low,
            "agreement_high": self.agreement.high,
            "low": self.low,
            "high": self.high,
        }

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


def _companions(one: PartitionObject | CoverObject, ids: int | None) -> Rows:
    return [
        _named("is rightly with", one.found, ids),
        _named("should be with", one.missing, ids),
        _named("is wrongly with", one.wrong, ids),
    ]


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
        a.id, a.truth, a.guess, outcome, a.found, a.missing, a.wrong, scores, a.sample,
        list(a.absent), list(a.strange),
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
        located.id_of(item), change.truth, change.guess, outcome, change.kept, change.lost,
        change.gained, found, missing, wrong, scores,
    )  # fmt: skip


def _score(meet: HardMeet | CoverMeet, name: str, row: int) -> float:
    """The value of a measure for the objects of a row."""
    measure = measure_named(name)
    if "f" in measure.defaults:
        measure = measure.having(f="objects")
    values = measure.rows_of(meet)
    assert values is not None
    return float(values[row])
