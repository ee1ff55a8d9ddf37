"""A run against the truth, object by object, and what a new run changes, in records and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.backends.memory.hard import every_row
from clusterdiff.clusterings.encode.group import small
from clusterdiff.measures.attribution.rows import losses
from clusterdiff.results.describe import count
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.explain.summary import outcome_of
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import hung, shown_ids

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.backends.labelled.memory import Named
    from clusterdiff.measures import Measure


RUNS = ("old", "new")
ROUNDING = 1e-12
"""Changes below this are none."""


class Piece(NamedTuple):
    """A part of a true cluster in one cluster of a run."""

    cluster: Any
    objects: int
    others: int
    """Objects of other true clusters that are there too."""
    missing: bool = False
    """Whether the run lacks these objects, so that there is no cluster."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run against the truth: what is the same for the objects of a row is kept once."""

    named: Named
    row: Ints
    """The row of the object at each position of truth, or -1 for one that is not compared."""
    first: Ints
    """An object of each row."""
    truth: Ints
    """The true cluster of each row, by number."""
    others: Ints
    """Objects that are in the guess cluster of each row and not in the row."""
    missing: Bools
    """Whether the run lacks the objects of each row."""
    row_loss: Floats
    """What an object of each row takes off the best score."""
    row_right: Bools
    """Whether the objects of each row are with all their companions and no others."""
    extra_loss: float
    """What objects that truth lacks take off the best score."""

    @classmethod
    def of(cls, named: Named, measure: Measure) -> Run:
        """A run by the loss of a measure; refused if that does not decompose over objects."""
        measure.of(named.meet)
        rows, row, first = every_row(named.objects)
        lost = losses(measure, rows) / rows.both
        return cls(
            named,
            _by_truth(row, named),
            small(first),
            small(rows.truth),
            small(np.maximum(0, rows.guess_size - rows.both)),
            ~rows.in_guess,
            lost,
            outcome_of(rows) == 0,
            float(lost[row[named.objects.in_truth < 0]].sum()),
        )

    def right(self, at: Ints) -> Bools:
        """Whether the objects at these positions of truth are right."""
        return self.row_right[self.row[at]]

    def pieces(self, at: Ints) -> list[Piece]:
        """How the run has the objects at these positions of truth, all of one true cluster."""
        rows, counts = np.unique(self.row[at], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        rows, counts = rows[order], counts[order]
        names = self.named.names_of("guess", self.first[rows])
        columns = counts, self.others[rows], self.missing[rows]
        return list(map(Piece, names, *(column.tolist() for column in columns)))


def _by_truth(row: Ints, named: Named) -> Ints:
    """The rows of objects that are compared in the order of truth."""
    where = named.objects.in_truth
    row, known = small(row), where >= 0
    found = np.full(len(named.truth), -1, row.dtype)
    found[where[known]] = row[known]
    return found


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
    return made | {run: [piece._asdict() for piece in made[run]] for run in RUNS}


def signed(change: float) -> str:
    """A change for display, with its sign; 0 where there is none, however small it is."""
    if abs(change) <= ROUNDING:
        return "0"
    text = digits(abs(change))
    some = float(text.replace(",", "")) > 0
    return ("+" if change > 0 else "-") + (text if some else f"{abs(change):.1g}")


def moved(before: float, after: float) -> tuple[str, str]:
    """Two scores for display, with digits until their difference shows."""
    shown, places = (digits(before), digits(after)), 0
    while shown[0] == shown[1] and abs(after - before) > ROUNDING:
        places += 1
        shown = f"{before:.{places}f}", f"{after:.{places}f}"
    return shown


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


def members_of(code: Ints, size: Ints, clusters: Ints) -> list[Ints]:
    """Where the objects of each of these clusters stand, in their order."""
    wanted = np.full(size.size, -1)
    wanted[clusters] = np.arange(clusters.size)
    chosen = np.flatnonzero(wanted[code] >= 0)
    sorted_ = chosen[np.argsort(wanted[code[chosen]], kind="stable")]
    return np.split(sorted_, np.cumsum(size[clusters]))[:-1]
