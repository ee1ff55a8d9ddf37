"""What truth and guess say of an object, each by its masses, and how far that agrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.results.explain.groups import NAMES, NOTHING
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.render.markup import to_json
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import wrap_columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.measures.core.interval import Interval


class Said(NamedTuple):
    """That an object is in one of these clusters, and how much speaks for it; of none of them, it
    is in no known cluster.
    """

    clusters: list[Any]
    mass: float

    def __str__(self) -> str:
        names = [name_of(c) for c in self.clusters[:NAMES]]
        if len(self.clusters) > NAMES:
            names.append("…")
        told = " or ".join(names) or "no cluster"
        return told if self.mass == 1 else f"{told} ({self.mass:.2f})"


def says(said: Sequence[Said], most: int | None = NAMES) -> str:
    """What is said of an object for eyes, what most speaks for first, up to so many sets."""
    shown = list(map(str, said[:most]))
    return ", ".join([*shown, *(["…"] if len(said) > len(shown) else [])])


def listed(said: Sequence[Said]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [one._asdict() for one in said]


def span(low: float, high: float) -> str:
    """Two ends for eyes, or the one number that they are."""
    return _ends(*(f"{x:.1e}" if NOTHING < x < 5e-5 else digits(x) for x in (low, high)))


def degree(interval: Interval) -> str:
    """How much speaks for something, from 0 to 1."""
    return _ends(f"{interval.low:.2f}", f"{interval.high:.2f}")


def amount(interval: Interval) -> str:
    """How many objects, of which not all need be whole."""
    return _ends(_amount(interval.low), _amount(interval.high))


def _amount(x: float) -> str:
    return f"{x:,.0f}" if x >= 1000 else f"{x:.2f}".rstrip("0").rstrip(".")


def _ends(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


@dataclass(frozen=True)
class Views:
    """What truth and guess say of an object, and how far that agrees."""

    id: Any
    outcome: str
    """right, unsure or wrong."""
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

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return to_json(self.to_dict(), 2)

    def to_text(self, width: int = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many sets of clusters."""
        rows = [
            ("truth says", says(self.truth, ids)),
            ("guess says", says(self.guess, ids)),
            ("agreement", degree(self.agreement)),
            ("adds", span(self.low, self.high)),
        ]
        title = wrapped(f"object {name_of(self.id)}: {self.outcome}", width)
        return f"{title}\n{wrap_columns(rows, width)}"

    def __str__(self) -> str:
        return self.to_text()
