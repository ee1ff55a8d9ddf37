"""The parts of a comparison as the page lists them, and as many of them as fit into it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.engines.images import ImageComparison
from clusterdiff.explain.partition import Component, Explanation
from clusterdiff.explain.ranking import NO_RECORDS, WORDS, Place, RecordTable, name_of
from clusterdiff.output.markup import to_json
from clusterdiff.output.table import CellTable, percent
from clusterdiff.output.text import cut, shown_name

if TYPE_CHECKING:
    from clusterdiff.engines.named import Catalogue
    from clusterdiff.explain.diff import Diff, RankedChange
    from clusterdiff.explain.partition import TrueCluster
    from clusterdiff.explain.ranking import BaseExplanation

IDS = 20
"""Objects of a cell that are named; of a part twice as many are shown with their records."""
AT_ONCE = 500
"""Parts that are named together at first; then twice as many, and so on up to eight times that."""
OBJECTS = 50_000
"""Objects, of all guesses together, that can be looked up."""
PARTS_ROOM = 1_450_000
"""Bytes of compressed parts, of all guesses together: 1.9 MB as text."""
OBJECTS_ROOM = 300_000
"""Bytes of compressed objects that can be looked up."""
LONGEST = 200
"""Characters of the name of an object that can be looked up."""


class Shown(NamedTuple):
    """An entry of a list that opens."""

    share: str
    kind: str
    title: str
    many: str = ""
    lines: Sequence[str] = ()
    cells: CellTable | None = None
    records: RecordTable = NO_RECORDS
    shape: str = ""
    sample: str = ""


def shown_parts(told: BaseExplanation[Any], parts: Sequence[Any]) -> Iterator[Shown]:
    """Parts with their cells and records; one that is explained cluster by cluster is its true
    clusters.
    """
    for part, records in zip(parts, told.beside(parts, IDS), strict=True):
        if isinstance(part, Place):
            title, *lines = part.lines(0 if records.rows else IDS)
            yield Shown(percent(part.share), part.kind, title, "", lines, None, records)
        elif part.by_cluster:
            yield from map(_true_cluster, part.by_cluster)
        else:
            yield Shown(
                percent(part.share), part.kind, part.title, part.counted, (),
                _cells(part, records), records, part.shape,
                "" if part.sample is None else name_of(part.sample),
            )  # fmt: skip


def _cells(part: Component, records: RecordTable) -> CellTable:
    """The objects that each true and each guess cluster of a component share, with names where
    their records do not have all of them.
    """
    headings = ("true cluster", "size", "guess cluster", "size", "objects", "fate", "ids")
    rows = [
        (
            named(cell.truth.name), f"{cell.truth.size:,}", named(cell.guess.name),
            f"{cell.guess.size:,}", f"{cell.objects:,}", WORDS.get(cell.fate, cell.fate),
            ", ".join([*map(named, cell.ids), *["…"] * (len(cell.ids) < cell.objects)]),
        )
        for cell in part.cells
    ]  # fmt: skip
    if part.parts > len(rows):
        left = part.objects - sum(cell.objects for cell in part.cells)
        more = f"… {part.parts - len(rows):,} more parts"
        rows.append((more, "", "", "", f"{left:,}", "", ""))
    known = bool(records.rows) and not records.more
    return (
        CellTable(headings[:-1], tuple(row[:-1] for row in rows))
        if known
        else CellTable(headings, tuple(rows))
    )


def _true_cluster(one: TrueCluster) -> Shown:
    """A true cluster where clusters are few and large, and the guess clusters that hold it."""
    below = one.below
    rows = tuple(
        (
            WORDS["missing"] if p.fate == "missing" else name_of(p.guess), f"{p.objects:,}",
            percent(p.objects / one.objects), WORDS.get(p.fate, p.fate),
            "" if p.mostly is None else name_of(p.mostly), percent(p.purity) if p.purity else "",
        )
        for p in one.pieces
    )  # fmt: skip
    headings = ("guess cluster", "objects", "share of the true cluster", "fate",
                "mostly from", "share of the guess cluster")  # fmt: skip
    title = f"{below.name}: {below.what}"
    return Shown(percent(one.share), one.kind, title, f"{one.objects:,} objects",
                 (), CellTable(headings, rows))  # fmt: skip


def named(name: object) -> str:
    """A name for display, which is not endless."""
    return cut(shown_name(name), LONGEST)


def every_part(told: BaseExplanation[Any]) -> Iterator[Shown]:
    """All parts, those that lose most first."""
    at, step = 0, AT_ONCE
    while at < told.order.size:
        yield from shown_parts(told, told.named_parts(told.order[at : at + step], IDS))
        at, step = at + step, min(2 * step, 8 * AT_ONCE)


def shown_changes(diff: Diff, changes: Sequence[RankedChange]) -> list[Shown]:
    """What fares otherwise in another guess, with its records."""
    made = []
    for change, records in zip(changes, diff.beside(changes, IDS), strict=True):
        title, *lines = change.lines(0 if records.rows else IDS)
        made.append(Shown(change.start.split()[0], change.fate, title, "", lines, None, records))
    return made


def packed(items: Iterable[Any], room: int) -> tuple[str, int]:
    """Items as a compressed list, as text: as many as fit, and how many these are."""
    squeeze, made, done = zlib.compressobj(9, wbits=31), bytearray(), 0
    for item in items:
        if len(made) > room:
            break
        made += squeeze.compress((("," if done else "[") + to_json(item)).encode())
        done += 1
    made += squeeze.compress(b"]" if done else b"[]") + squeeze.flush()
    return base64.b64encode(made).decode(), done


def packed_objects(told: Explanation, guesses: int) -> tuple[str, str]:
    """Objects that can be looked up, compressed: all of them, or those of the worst components; and
    a sentence on which.
    """
    total, most = told.named.meet.objects, OBJECTS // guesses
    if isinstance(told.named, ImageComparison):
        return packed([_columns(told.named.catalogue(None)) | {"once": True}], OBJECTS_ROOM)[0], (
            "Pixels are not looked up one by one."
        )
    while True:
        if total <= most:
            found, within = told.named.catalogue(None), 0
        else:
            order = told.order[told.weight[told.order] <= most]
            some = order[np.cumsum(told.weight[order]) <= most]
            found, within = told.named.catalogue(told.rows_of(some)), some.size
        once = not told.named.meet.alignment.count
        text, _ = packed([_columns(found) | {"once": once}], OBJECTS_ROOM)
        if len(text) <= 4 * OBJECTS_ROOM / 3 / guesses or most < 100:
            break
        most = min(most, len(found.ids)) // 2
    if total <= most:
        return text, ""
    return text, (
        f"Of {total:,} objects, the {len(found.ids):,} of the {within:,} worst components that fit "
        "on a page can be looked up. For any other: clusterdiff explain --object ID."
    )


def _columns(found: Catalogue) -> dict[str, Any]:
    """Objects for the page."""
    made: dict[str, Any] = {
        "ids": list(map(named, found.ids)),
        "truth": found.truth,
        "guess": found.guess,
        "truthNames": [name_of(name) for name in found.truth_names],
        "guessNames": [name_of(name) for name in found.guess_names],
    }
    if found.samples is not None:
        names = list(dict.fromkeys(found.samples))
        place = {name: i for i, name in enumerate(names)}
        made["samples"] = [place[name] for name in found.samples]
        made["sampleNames"] = [name_of(name) for name in names]
    return made
