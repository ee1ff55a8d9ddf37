"""What a new run changes, in records and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.results.describe import count
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import hung, shown_ids

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats
    from clusterdiff.results.diff.run import Piece


class ClusterChange(NamedTuple):
    """A true cluster that fares otherwise in the new run."""

    cluster: Any
    sample: Any
    size: int
    change: float
    """How much less its objects take off the best score; negative if it is more."""
    fate: str
    """repaired (found exactly now), broken (no more), better, worse, or other."""
    old: list[Piece]
    new: list[Piece]
    ids: list[Any]


def by_fate(before: Bools, after: Bools, gain: Floats) -> dict[str, int]:
    """How many became what: right or not before and after, and better or worse where wrong."""
    wrong = ~before & ~after
    fates = {
        "repaired": ~before & after,
        "broken": before & ~after,
        "better": wrong & (gain > 0),
        "worse": wrong & (gain < 0),
        "as right": before & after,
        "as wrong": wrong & (gain == 0),
    }
    return {fate: int(some.sum()) for fate, some in fates.items()}


def record(change: ClusterChange) -> dict[str, Any]:
    """A change for programs."""
    made = change._asdict()
    return made | {run: [piece._asdict() for piece in made[run]] for run in ("old", "new")}


def signed(change: float) -> str:
    """A change for eyes, with its sign."""
    text = digits(abs(change))
    return "0" if float(text.replace(",", "")) == 0 else ("+" if change > 0 else "-") + text


def told(counts: dict[str, int]) -> str:
    """Counts by what they count."""
    return ", ".join(f"{n:,} {what}" for what, n in counts.items())


def pieces(pieces: list[Piece]) -> str:
    """How a true cluster lies in a run."""
    shown = [f"{p.objects:,} {_place(p)}" for p in pieces[:4]]
    return "; ".join([*shown, *(["…"] if len(pieces) > 4 else [])])


def _place(piece: Piece) -> str:
    """Where a part of a true cluster is, and with how many others."""
    if piece.missing:
        return "missing"
    others = f" with {count(piece.others, 'other')}" if piece.others else ""
    return f"in {name_of(piece.cluster)}{others}"


def change_line(change: ClusterChange, width: int, ids: int | None) -> str:
    """A cluster that changed, with where it was and where it is."""
    where = "" if change.sample is None else f", in {name_of(change.sample)}"
    named = "" if ids == 0 else f": {shown_ids(change.ids, ids, change.size)}"
    lines = [
        f"{name_of(change.cluster)}, {count(change.size, 'object')}{where}{named}",
        f"was {pieces(change.old)}",
        f"is {pieces(change.new)}",
    ]
    return hung(f"  {signed(change.change):>8}  {change.fate:<8}  ", lines, width)
