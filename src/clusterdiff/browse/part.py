"""What the browser shows of a part: its records in groups, what differs, and a small drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.browse.index import Edge, Index, Listed, Record
from clusterdiff.browse.journal import Decision
from clusterdiff.explain.ranking import NO_VALUE, WORDS, name_of
from clusterdiff.output.text import cut

if TYPE_CHECKING:
    from clusterdiff.explain.links import Told

COLOURS = 8
"""Colours of the clusters of the run; more clusters begin again."""
DRAWN = 8
"""Clusters of a side that are drawn."""
WIDE, HIGH, GAP = 460, 34, 8
"""Of the drawing: its width, and the height of a cluster with what is left free below it."""
BOX, NAME = 150, 19
"""Of the drawing: the width of a cluster, and the characters of its name."""


class Cell(NamedTuple):
    """A value of a record."""

    text: str
    differs: bool
    """Whether it is not the most frequent value of the part."""


@dataclass(frozen=True)
class Row:
    """A record in the table."""

    place: int
    id: str
    group: str
    """The group that it is in, by truth; "" for none."""
    run: str
    """The same by the run."""
    colour: int
    where: str
    """What the cluster of the run is called."""
    cells: list[Cell]


@dataclass(frozen=True)
class Group:
    """Records that belong together, by truth or by the run."""

    key: str
    name: str
    colour: int
    """Of a cluster of the run; -1 for one of truth."""
    rows: list[Row]


class Box(NamedTuple):
    """A cluster in the drawing."""

    x: int
    y: int
    name: str
    title: str
    size: str
    colour: int


class Band(NamedTuple):
    """The objects that two clusters share, in the drawing."""

    path: str
    width: str
    fate: str
    title: str


@dataclass(frozen=True)
class Drawing:
    """Truth clusters on the left, clusters of the run on the right, and what they share."""

    width: int
    height: int
    boxes: list[Box]
    bands: list[Band]
    more: str
    """What is not drawn."""

    @classmethod
    def of(cls, edges: Sequence[Edge], colours: dict[int, int]) -> Drawing:
        """The largest clusters of a part."""
        sides: list[dict[int, tuple[Any, int]]] = [{}, {}]
        for edge in edges:
            if edge.truth >= 0:
                sides[0].setdefault(edge.truth, (edge.truth_name, edge.truth_size))
            if edge.guess >= 0:
                sides[1].setdefault(edge.guess, (edge.guess_name, edge.guess_size))
        shown = [list(side)[:DRAWN] for side in sides]
        most = max(map(len, shown), default=0)
        middle: list[dict[int, int]] = []
        boxes = []
        for side, clusters in enumerate(shown):
            begin = (most - len(clusters)) * (HIGH + GAP) // 2
            middle.append({})
            for place, cluster in enumerate(clusters):
                name, size = sides[side][cluster]
                y = begin + place * (HIGH + GAP)
                middle[side][cluster] = y + HIGH // 2
                boxes.append(
                    Box(
                        (WIDE - BOX) * side, y, cut(name_of(name), NAME), name_of(name),
                        f"{size:,}", colours.get(cluster, -1) if side else -1,
                    )
                )  # fmt: skip
        bands = []
        largest = max((edge.objects for edge in edges), default=1)
        for edge in edges:
            if edge.truth in middle[0] and edge.guess in middle[1]:
                y, z = middle[0][edge.truth], middle[1][edge.guess]
                half = WIDE // 2
                path = f"M{BOX} {y} C{half} {y} {half} {z} {WIDE - BOX} {z}"
                width = f"{max(1.5, 14 * edge.objects / largest):.1f}"
                fate = WORDS.get(edge.fate, edge.fate)
                title = (
                    f"{edge.objects:,} of {name_of(edge.truth_name)} in {name_of(edge.guess_name)}"
                )
                bands.append(Band(path, width, edge.fate.replace(" ", "-"), f"{title}: {fate}"))
        left = [
            f"{len(side) - len(drawn):,} more {what}"
            for what, side, drawn in zip(("true", "run"), sides, shown, strict=True)
            if len(side) > len(drawn)
        ]
        more = f"{' and '.join(left)} clusters are not drawn." if left else ""
        return cls(WIDE, max(1, most) * (HIGH + GAP) - GAP, boxes, bands[::-1], more)


@dataclass(frozen=True)
class Linked:
    """Scored pairs of a part and what there is to say of them."""

    title: str
    pairs: list[tuple[str, ...]]
    """Two ids, the clusters that tell them apart, and the score."""


@dataclass(frozen=True)
class PartView:
    """A part as the page shows it."""

    listed: Listed
    parts: int
    decision: Decision | None
    columns: list[str]
    same: list[tuple[str, str]]
    """Columns that say the same of all records, with the value."""
    groups: list[Group]
    """By truth."""
    names: list[Group]
    """The clusters of the run, by which records can be grouped too."""
    left_out: int
    """Records that are not shown."""
    drawing: Drawing | None
    decidable: bool
    moved: dict[int, str]
    """The group of each record that the decision has moved out of that of truth, by place."""
    links: list[Linked]
    """Scored pairs that merged clusters, or would have joined them."""

    @classmethod
    def of(cls, index: Index, rank: int, decision: Decision | None) -> PartView:
        """A part of the index, with what was decided about it."""
        (listed,) = index.listed([rank])
        records = index.records(rank)
        edges = index.edges(rank)
        colours = {
            g: i % COLOURS
            for i, g in enumerate(dict.fromkeys(e.guess for e in edges if e.guess >= 0))
        }
        columns, same, cells = _told(index.columns, records)
        rows = [
            Row(
                one.place, str(one.id), _key("t", one.truth), _key("g", one.guess),
                colours.get(one.guess, -1), _name(one.guess_name, index.decidable, "missing"), own,
            )
            for one, own in zip(records, cells, strict=True)
        ]  # fmt: skip
        groups, names = (
            _grouped(rows, side, records, index.decidable, colours) for side in ("truth", "run")
        )
        return cls(
            listed, index.parts, decision, columns, same, groups, names,
            index.place(rank)[1] - len(records),
            Drawing.of(edges, colours) if index.decidable else None, index.decidable,
            _moved(decision, rows), _linked(index.links(rank)),
        )  # fmt: skip


def _linked(told: Sequence[Told]) -> list[Linked]:
    """Scored pairs for display."""
    made = []
    for one in told:
        pairs: list[tuple[str, ...]] = []
        for link in one.pairs:
            sides = link.truth if one.side == "truth" else link.guess
            pairs.append((*map(name_of, (link.left, link.right, *sides)), f"{link.score:.6g}"))
        made.append(Linked(f"{one.title[:1].upper()}{one.title[1:]}", pairs))
    return made


def _moved(decision: Decision | None, rows: Sequence[Row]) -> dict[int, str]:
    """Where a decision says that records belong; nothing where it takes a side as it is."""
    if decision is None or not decision.right:
        return {}
    told = decision.records[: len(rows)]
    sides = ([one.truth for one in told], [one.run for one in told])
    right = [one.right for one in told]
    if any(
        len({*zip(side, right, strict=True)}) == len({*side}) == len({*right}) for side in sides
    ):
        return {}
    named = {name: place for place, name in enumerate(decision.truth) if name is not None}
    group_of = {one.truth: row.group for row, one in zip(rows, told, strict=True)}
    keys: dict[int, str] = {}
    for at in dict.fromkeys(right):
        key = group_of.get(named.get(decision.right[at], -1), "") if at >= 0 else ""
        keys[at] = key or f"n{1 + sum(key[:1] == 'n' for key in keys.values())}"
    return {
        row.place: keys[one.right]
        for row, one in zip(rows, told, strict=True)
        if one.right >= 0 and keys[one.right] != row.group
    }


def _key(side: str, cluster: int) -> str:
    return f"{side}{cluster}" if cluster >= 0 else ""


def _name(name: str | None, decidable: bool, word: str) -> str:
    """What a cluster is called, or what a side says that is not one."""
    if name is None:
        return WORDS[word]
    return name_of(name) if decidable else cut(name, 200)


def _grouped(
    rows: list[Row], side: str, records: Sequence[Record], decidable: bool, colours: dict[int, int]
) -> list[Group]:
    """The records by the clusters of a side, the largest first."""
    found: dict[str, list[Row]] = {}
    named: dict[str, tuple[str, int]] = {}
    for row, one in zip(rows, records, strict=True):
        key = row.group if side == "truth" else row.run
        found.setdefault(key, []).append(row)
        name = one.truth_name if side == "truth" else one.guess_name
        word = "extra" if side == "truth" else "missing"
        colour = -1 if side == "truth" else colours.get(one.guess, -1)
        named.setdefault(key, (_name(name, decidable, word), colour))
    return [
        Group(key, *named[key], sorted(some, key=lambda row: (row.colour, row.place)))
        for key, some in sorted(found.items(), key=lambda item: -len(item[1]))
    ]


def _told(
    names: Sequence[str], records: Sequence[Record]
) -> tuple[list[str], list[tuple[str, str]], list[list[Cell]]]:
    """The columns in which records differ with a cell for each, and the others with their value."""
    columns: list[tuple[str, Iterable[Cell]]] = []
    same: list[tuple[str, str]] = []
    for place, name in enumerate(names):
        texts = [one.values[place] or NO_VALUE for one in records]
        if len(texts) > 1 and len(set(texts)) == 1:
            same += [] if texts[0] == NO_VALUE else [(name, texts[0])]
            continue
        ((usual, most),) = Counter(texts).most_common(1) or [("", 0)]
        said = most > 1 or len(texts) - texts.count(NO_VALUE) <= 2  # else none is the usual one
        columns.append((name, [Cell(t, said and t not in (usual, NO_VALUE)) for t in texts]))
    cells = [list(row) for row in zip(*(own for _, own in columns), strict=True)]
    return [name for name, _ in columns], same, cells or [[] for _ in records]
