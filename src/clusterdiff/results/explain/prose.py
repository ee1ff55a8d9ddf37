"""Explanations in words: names, shares, the masses of uncertain objects, and outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.measures.core.interval import Interval
from clusterdiff.results.describe import count
from clusterdiff.results.explain.summary import WORDS
from clusterdiff.results.render.table import digits, percent
from clusterdiff.results.render.text import cut, shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SETS = 4
"""Clusters, or sets of clusters, that a line names."""

NOTHING = 1e-12
"""What is less than this share of the whole is nothing."""


def rest_line(
    kinds: Mapping[Any, tuple[int, int, float]], total: float
) -> tuple[str, str, list[str]]:
    """What is not shown: for each kind how many, of how many objects, and what they lose of all."""
    shares = {kind: (many, lost / (total or 1.0)) for kind, (many, _, lost) in kinds.items()}
    told = ", ".join(f"{n:,} {kind} ({percent(share)})" for kind, (n, share) in shares.items())
    more = sum(many for many, _ in shares.values())
    return percent(sum(share for _, share in shares.values())), "…", [f"{more:,} more: {told}"]


def shares_of(outcomes: Mapping[str, int], objects: int) -> str:
    """How many objects became what."""
    told = (f"{percent(n / objects)} {WORDS.get(what, what)}" for what, n in outcomes.items())
    return f"Of {count(objects, 'object')}: {', '.join(told)}"


def found_exactly(exact: int, clusters: int) -> str:
    """How many true clusters guess has to the last object."""
    were = "was" if exact == 1 else "were"
    share = percent(exact / clusters) if clusters else percent(0)
    return f"Of {count(clusters, 'true cluster')}, {exact:,} {were} found exactly ({share})"


def name_of(name: object) -> str:
    """A cluster's name, cut where it is long."""
    return cut(shown_name(name), 40)


class Said(NamedTuple):
    """That an object is in one of these clusters, and how much speaks for it; of none of them, it
    is in no known cluster.
    """

    clusters: list[Any]
    mass: float

    def __str__(self) -> str:
        names = [name_of(c) for c in self.clusters[:SETS]]
        if len(self.clusters) > SETS:
            names.append("…")
        told = " or ".join(names) or "no cluster"
        return told if self.mass == 1 else f"{told} ({self.mass:.2f})"


def says(said: Sequence[Said], most: int | None = SETS) -> str:
    """The masses of an object as text, the largest first, up to so many sets."""
    shown = list(map(str, said[:most]))
    return ", ".join([*shown, *(["…"] if len(said) > len(shown) else [])])


def for_programs(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON: intervals as their two ends, masses of objects as dicts."""
    told: dict[str, Any] = {}
    for key, value in facts.items():
        if isinstance(value, Interval):
            told |= {f"{key}_low": value.low, f"{key}_high": value.high}
        elif isinstance(value, list):
            told[key] = [one._asdict() if isinstance(one, Said) else one for one in value]
        else:
            told[key] = value
    return told


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
