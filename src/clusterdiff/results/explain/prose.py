"""Explanations in words: components, what is said of uncertain objects, what became of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.measures.core.interval import Interval
from clusterdiff.results.describe import count
from clusterdiff.results.explain.summary import WORDS
from clusterdiff.results.render.table import digits
from clusterdiff.results.render.text import cut, shown_ids, shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.results.explain.components import Cell, Cluster, Component

NAMES = 3
"""Clusters of a side that a title names."""

SETS = 4
"""Clusters, or sets of clusters, that a line names."""

NOTHING = 1e-12
"""What is less than this share of the whole is nothing."""

LINES = 6
"""Parts of a component that are told; the others are counted."""


def percent(share: float) -> str:
    """A share for eyes.

    >>> percent(0.62345), percent(0.0001), percent(0.0)
    ('62.3 %', '<0.1 %', '0.0 %')
    """
    return "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


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


def title(part: Component) -> str:
    """Which clusters are entangled, and in which sample."""
    where = "" if part.sample is None else f", in {name_of(part.sample)}"
    return _entangled(part) + where


def _entangled(part: Component) -> str:
    truth = _names(part.truth, part.truth_clusters)
    guess = _names(part.guess, part.guess_clusters)
    match part.kind:
        case "split":
            return f"{truth} over {part.guess_clusters:,} guess clusters"
        case "merged":
            return f"{part.truth_clusters:,} true clusters ({truth}) in guess {guess}"
        case "mixed":
            several = f"{part.truth_clusters:,} true clusters ({truth})"
            return f"{several} over {part.guess_clusters:,} guess clusters ({guess})"
        case _:
            return " in ".join(filter(None, (truth, f"guess {guess}" if guess else "")))


def _names(clusters: list[Cluster], many: int) -> str:
    """The largest clusters by name."""
    return shown_ids([c.name for c in clusters], NAMES, many)


def component_lines(part: Component, ids: int | None) -> list[str]:
    """The title, then what became of the parts, largest first."""
    lines = [f"{title(part)}, {objects_in(part)}"]
    if part.kind in ("split", "merged"):
        tell = _in if part.kind == "split" else _of
        told = [tell(cell, ids) for cell in part.cells[:LINES]]
        if part.parts > LINES:
            told.append(f"… {_left(part, part.cells[:LINES])} in {part.parts - LINES:,} more")
        return [*lines, "; ".join(told)]
    owner = {c.guess: name_of(c.truth.name) for c in part.cells if c.fate == "home"}
    home = [cell for cell in part.cells if cell.fate == "home"]
    wrong = [cell for cell in part.cells if cell.fate != "home"]
    told = [_wrong(cell, owner.get(cell.guess, ""), ids) for cell in wrong[:LINES]]
    if (more := part.parts - len(home) - len(told)) > 0:
        told.append(f"… and {_left(part, [*home, *wrong[:LINES]])} in {more:,} more parts")
    return [*lines, *told]


def objects_in(part: Component) -> str:
    """How many objects a component has, and how many of them one side lacks."""
    lacking = [
        f"{n:,} {WORDS[what]}"
        for what, n in (("missing", part.missing), ("extra", part.extra))
        if n and n < part.objects
    ]
    return ", ".join([count(part.objects, "object"), *lacking])


def _left(part: Component, told: list[Cell]) -> str:
    """The objects of the parts that are not told."""
    return count(part.objects - sum(cell.objects for cell in told), "object")


def _ids(cell: Cell, ids: int | None) -> str:
    return "" if ids == 0 else f" ({shown_ids(cell.ids, ids, cell.objects)})"


def _in(cell: Cell, ids: int | None) -> str:
    lacks = f", {WORDS['extra']}" if cell.fate == "extra" else ""
    place = WORDS["missing"] if cell.fate == "missing" else f"in {name_of(cell.guess.name)}{lacks}"
    return f"{cell.objects:,} {place}{_ids(cell, ids)}"


def _of(cell: Cell, ids: int | None) -> str:
    lacks = f", {WORDS['missing']}" if cell.fate == "missing" else ""
    whose = WORDS["extra"] if cell.fate == "extra" else f"of {name_of(cell.truth.name)}{lacks}"
    return f"{cell.objects:,} {whose}{_ids(cell, ids)}"


def cell_line(cell: Cell) -> str:
    """Whose the objects of a cell are, where they are, and what became of them."""
    truth, guess = name_of(cell.truth.name), name_of(cell.guess.name)
    match cell.fate:
        case "missing":
            what = f"of {truth} {WORDS['missing']}"
        case "extra":
            what = f"{WORDS['extra']}, in {guess}"
        case fate:
            what = f"of {truth} in {guess}: {fate}"
    return f"{cell.objects:,} {what}"


def _wrong(cell: Cell, owner: str, ids: int | None) -> str:
    """What is wrong with the objects of a cell."""
    truth, guess = name_of(cell.truth.name), name_of(cell.guess.name)
    beside = f", with {owner}" if owner else ""
    match cell.fate:
        case "split off":
            what = f"of {truth} split off into guess {guess}"
        case "missing":
            what = f"of {truth} {WORDS['missing']}"
        case "extra":
            what = f"{WORDS['extra']}, in guess {guess}{beside}"
        case fate:
            what = f"of {truth} {fate} into guess {guess}{beside}"
    return f"{cell.objects:,} {what}{_ids(cell, ids)}"


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
    """What is said of an object for eyes, what most speaks for first, up to so many sets."""
    shown = list(map(str, said[:most]))
    return ", ".join([*shown, *(["…"] if len(said) > len(shown) else [])])


def for_programs(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for programs: intervals as their two ends, what is said of objects as dicts."""
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
