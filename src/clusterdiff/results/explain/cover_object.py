"""One object of two covers: its clusters, who should share them, who does, and how that scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.measures import lookup
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.explain.summary import WORDS
from clusterdiff.results.render.markup import to_json
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import shown_ids, wrap_columns, wrapped

if TYPE_CHECKING:
    from clusterdiff.meet import CoverMeet
    from clusterdiff.results.explain.counterparts import Change
    from clusterdiff.results.explain.groups import Located

SCORES = (
    "extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
    "cice_precision", "cice_recall", "cice_f",
)  # fmt: skip


@dataclass(frozen=True)
class Memberships:
    """An object with its clusters and its companions."""

    id: Any
    outcome: str
    """right (no membership changed), lost, gained, changed (both), missing or extra."""
    truth: list[Any]
    """Its truth clusters."""
    guess: list[Any]
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

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return asdict(self)

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return to_json(self.to_dict(), 2)

    def to_text(self, width: int = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many names of each sort."""
        clusters = (
            ("truth clusters", self.truth), ("guess clusters", self.guess), ("kept", self.kept),
            ("lost", self.lost), ("gained", self.gained),
        )  # fmt: skip
        others = (
            ("is rightly with", self.found), ("should be with", self.missing),
            ("is wrongly with", self.wrong),
        )  # fmt: skip
        rows = [
            (what, f"{len(some):,}: {shown_ids(some, ids)}" if some else nothing)
            for sort, nothing in ((clusters, "none"), (others, "nobody"))
            for what, some in sort
        ]
        rows += [(name, digits(score)) for name, score in self.scores.items()]
        outcome = WORDS.get(self.outcome, self.outcome)
        title = wrapped(f"object {name_of(self.id)}: {outcome}", width)
        return f"{title}\n{wrap_columns(rows, width)}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def memberships_of(
    meet: CoverMeet, located: Located, item: int, outcome: str, change: Change
) -> Memberships:
    """An object with its clusters, its companions and its scores."""
    row = int(located.row[item])
    found, missing, wrong = _companions(meet, located, item, row)
    return Memberships(
        located.id_of(item),
        outcome,
        change.truth,
        change.guess,
        change.kept,
        change.lost,
        change.gained,
        found,
        missing,
        wrong,
        {name: _score(meet, name, row) for name in SCORES},
    )


def _companions(meet: CoverMeet, located: Located, item: int, row: int) -> list[list[Any]]:
    """Those that share a cluster with an object in both, in truth alone, in guess alone."""
    near = []
    for side in (meet.truth, meet.guess):
        each = side.each
        own = each.member[each.start[row] : each.start[row + 1]]
        rows = np.zeros(meet.rows, np.bool_)
        rows[each.owner[np.isin(each.member, own)]] = True
        with_it = rows[located.row]
        with_it[item] = False
        near.append(with_it)
    truth, guess = near
    return [
        [located.id_of(int(i)) for i in np.flatnonzero(some)]
        for some in (truth & guess, truth & ~guess, guess & ~truth)
    ]


def _score(meet: CoverMeet, name: str, row: int) -> float:
    """The value of a measure for the objects of a row."""
    measure = lookup(name)
    if "f" in measure.defaults:
        measure = measure.having(f="objects")
    values = measure.rows_of(meet)
    assert values is not None
    return float(values[row])
