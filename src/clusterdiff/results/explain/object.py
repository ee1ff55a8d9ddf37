"""One object: who should be with it, who is, and how that scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.measures import measure_named
from clusterdiff.meet import HardMeet
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.explain.summary import OUTCOMES, WORDS, outcome_of
from clusterdiff.results.render.markup import to_json
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import shown_ids, wrap_columns, wrapped

if TYPE_CHECKING:
    from clusterdiff.backends.labelled.protocol import Compared

SCORES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
)  # fmt: skip


@dataclass(frozen=True)
class Companions:
    """An object with its companions: those it found, those it misses, those who are wrong."""

    id: Any
    truth: Any
    """Its truth cluster; None where truth lacks the object."""
    guess: Any
    outcome: str
    """right, split, merged, both, missing or extra."""
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

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return asdict(self)

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return to_json(self.to_dict(), 2)

    def to_text(self, width: int = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many ids of each sort."""
        where = f"truth {name_of(self.truth)}, guess {name_of(self.guess)}"
        rows = [
            (what, f"{len(some):,}: {shown_ids(some, ids)}" if some else "nobody")
            for what, some in (
                ("is rightly with", self.found),
                ("should be with", self.missing),
                ("is wrongly with", self.wrong),
            )
        ]
        lacking = ((WORDS["missing"], self.absent), (WORDS["extra"], self.strange))
        rows += [(what, f"{len(some):,}: {shown_ids(some, ids)}") for what, some in lacking if some]
        rows += [(name, digits(score)) for name, score in self.scores.items()]
        outcome = WORDS.get(self.outcome, self.outcome)
        title = f"object {name_of(self.id)}, {where}: {outcome}"
        return f"{wrapped(title, width)}\n{wrap_columns(rows, width)}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def companions_of(compared: Compared, wanted: Any, sample: Any = None) -> Companions:
    """The companions of the object of this id, in this sample where there are several."""
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
    scores = {}
    for name in SCORES:
        values = measure_named(name).rows_of(row)
        assert values is not None
        scores[name] = float(values[0])
    outcome = OUTCOMES[int(outcome_of(row)[0])]
    return Companions(
        a.id, a.truth, a.guess, outcome, a.found, a.missing, a.wrong, scores, a.sample,
        list(a.absent), list(a.strange),
    )  # fmt: skip
