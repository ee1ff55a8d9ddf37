"""Explanations: where two clusterings differ, as parts that are ranked by what they lose.

Whatever is compared, an explanation is a table of parts: how many objects each has, what they lose,
what is wrong with them, and what they are called. Parts of partitions are components of clusters,
those of covers and soft clusterings are places: objects of which both sides say the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from clusterdiff.compare.differences import with_interval
from clusterdiff.engines.named import found_items
from clusterdiff.errors import ClusterdiffError, did_you_mean, printable
from clusterdiff.io.sides import NOWHERE, Origins
from clusterdiff.measures import measure_named
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output import markup
from clusterdiff.output.describe import OBJECTS, Unit, count, unit_of
from clusterdiff.output.result import WIDE, Block, Listing, Renderable, Result, frame_of
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import columns as text_columns
from clusterdiff.output.text import (
    cut,
    hung,
    pad,
    shown_ids,
    shown_name,
    to_text,
    wrap_columns,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import CoverMeet, HardMeet, Meet
    from clusterdiff.engines.memory import Objects
    from clusterdiff.explain.links import Told
    from clusterdiff.explain.slices import Slices
    from clusterdiff.io.pair_lookup import PairLookup
    from clusterdiff.io.records import Records
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score

WORDS = {"missing": "missing in guess", "extra": "not in truth"}
"""How outcomes are said that do not say by themselves which side lacks the object."""
SETS = 4
"""Clusters, or sets of clusters, that a line names."""
NOTHING = 1e-12
"""What is less than this share of the whole is nothing."""
TOP = 10
"""How many entries of a ranking are shown where nobody says otherwise."""
IDS = 5
"""How many objects of each are named."""
BATCH = 100_000
"""Objects that are looked up, and written, at a time."""
PATTERNS = 5
"""How many shapes of parts are shown."""


class RankedResult(Result):
    """Where two clusterings differ, ranked.

    In all methods `top` says how many entries are shown and `ids` how many objects of each part are
    named; None is all of them.
    """

    score: Score
    origins: Origins = NOWHERE
    """The columns that truth and guess were read from."""
    attributes: Records | None = None
    """What else is known of the objects."""
    pairs: PairLookup | None = None
    """The scored pairs that the guess was made of."""
    one: ClassVar[str]
    """The name of an entry of the ranking in exported records."""
    headings: ClassVar[tuple[str, ...]]
    """Of a table of the entries."""
    queued: ClassVar[tuple[str, ...]]
    """The leading columns of these records in a displayed table."""

    def read_from(
        self,
        origins: Origins,
        attributes: Records | None = None,
        pairs: PairLookup | None = None,
    ) -> Self:
        """This result, with the columns that it was read from, what else they say, and pairs."""
        vars(self)["origins"] = origins.with_notes_of(self._meets())
        vars(self)["attributes"] = attributes
        vars(self)["pairs"] = pairs
        return self

    @abstractmethod
    def entries(self, top: int | None, ids: int | None) -> list[Any]:
        """What is ranked, with names."""

    def entries_in_turn(self, top: int | None, ids: int | None) -> Iterator[list[Any]]:
        """The same in batches, for what is written and not kept."""
        yield self.entries(top, ids)

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """The review queue: a row for each object of the entries, with what else is known of it."""
        return self._records_of(self.entries(top, ids), 1)

    def _records_of(self, entries: Sequence[Entry], first: int) -> list[dict[str, Any]]:
        """The same of some entries, of which the first has this number."""
        rows = [
            {self.one: number, **row}
            for number, entry in enumerate(entries, first)
            for row in entry.rows()
        ]
        if self.attributes is None or not rows:
            return rows
        names = self.attributes.names_beside(rows[0])
        found = self._looked_up(rows)
        return [
            row | dict(zip(names, own, strict=True)) for row, own in zip(rows, found, strict=True)
        ]

    def table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """The entries as a table for display."""
        return self.table_of(self.entries(top, ids), ids)

    def table_of(self, entries: Sequence[Entry], ids: int | None) -> CellTable:
        """Some entries as a table for display."""
        rows = (
            row
            for entry in entries
            for row in (entry.in_table(ids), *(one.in_table() for one in entry.below))
        )
        return CellTable(self.headings, tuple(rows))

    def record_table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """The review queue, formatted for display; without rows if no attributes are known."""
        from clusterdiff.io.records import shown_value

        rows = [] if self.attributes is None else self.records(top, ids)
        keys = [self.one, *self.queued, "id"]
        names = list(rows[0])[-len(self.attributes.columns) :] if self.attributes and rows else []
        return CellTable(
            (*keys, *map(shown_name, names)),
            tuple(
                (*(name_of(row[key]) for key in keys), *(shown_value(row[name]) for name in names))
                for row in rows
            ),
        )

    def known(self, width: int, top: int | None, ids: int | None) -> Iterator[Listing]:
        """The records of objects for a notebook; a terminal has them below each part."""
        if width < WIDE:
            return
        for table in self._tables(top, ids)[1:]:
            yield Listing("", table)

    def _looked_up(self, rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        """What else is known of the objects of these rows."""
        assert self.attributes is not None
        sampled = any(row.get("sample") is not None for row in rows)
        samples = [row["sample"] for row in rows] if sampled else None
        return self.attributes.of([row["id"] for row in rows], samples)

    def beside(self, entries: Sequence[Entry], ids: int | None) -> list[RecordTable]:
        """The records of entries, up to twice as many of each as are named of what they have in
        common; none where nothing else is known.
        """
        if self.attributes is None or ids == 0:
            return [NO_RECORDS for _ in entries]
        every = [entry.rows() for entry in entries]
        most = None if ids is None else 2 * ids
        some = [
            _spread(rows, entry.marks, most) for rows, entry in zip(every, entries, strict=True)
        ]
        found = self._looked_up([row for rows in some for row in rows])
        if all(value is None for own in found for value in own):
            return [NO_RECORDS for _ in entries]
        values = iter(found)
        made = [
            RecordTable.of(entry, rows, self.attributes.columns, list(islice(values, len(rows))))
            for entry, rows in zip(entries, some, strict=True)
        ]
        if not self.score.meet.alignment.count:
            return made
        # Entries tell how much their objects count, which is not how many records there are.
        return [
            table._replace(more=len(rows) - len(table.rows))
            for table, rows in zip(made, every, strict=True)
        ]

    def texts(self, entries: Sequence[Entry], width: int, ids: int | None) -> list[str]:
        """Entries for a terminal of this width, each with the records of its objects."""
        made = []
        both = self.beside(entries, ids), self.linked(entries, ids)
        for entry, records, linked in zip(entries, *both, strict=True):
            lines = entry.lines(0 if records.rows and not records.more else ids)
            if entry.below:
                lines = [f"{'; '.join(lines)}; cluster by cluster:"]
            made.append(hung(entry.start, lines, width))
            made += [hung(one.start, [one.told], width) for one in entry.below]
            made += filter(None, [records.to_text(width)])
            made += [table.to_text(width) for table in linked]
        return made

    def linked(self, entries: Sequence[Entry], ids: int | None) -> list[list[RecordTable]]:
        """The pairs that are to be shown of entries, each with the records of both objects."""
        names = () if self.attributes is None else self.attributes.columns
        return [
            [RecordTable.of_pairs(told, names, values) for told, values in own]
            for own in self._told_of_pairs(entries, ids)
        ]

    def _told_of_pairs(
        self, entries: Sequence[Entry], ids: int | None
    ) -> list[list[tuple[Told, list[tuple[Any, ...]]]]]:
        """What is said of the pairs of entries, with what else is known of the objects."""
        if self.pairs is None or ids == 0:
            return [[] for _ in entries]
        told = [entry.told_of_pairs(self.pairs) for entry in entries]
        rows = [{"id": id} for own in told for t in own for link in t.pairs for id in link[:2]]
        found = iter(self._looked_up(rows) if self.attributes is not None else [()] * len(rows))
        return [[(t, list(islice(found, 2 * len(t.pairs)))) for t in own] for own in told]

    def link_table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """The pairs that are to be shown, formatted for display; the two objects of each below each
        other.
        """
        entries = self.entries(top, ids) if self.pairs is not None else []
        names = () if self.attributes is None else tuple(map(shown_name, self.attributes.columns))
        rows = []
        for number, own in enumerate(self._told_of_pairs(entries, ids), 1):
            for told, values in own:
                said = (str(number), told.title)
                for left, right in _in_twos(told, values):
                    rows += [(*said, *left), ("", "", *right)]
                    said = (str(number), "")
                if not told.pairs:
                    rows.append((*said, *[""] * (4 + len(names))))
        return CellTable((self.one, "pairs", "score", "truth", "guess", "id", *names), tuple(rows))

    def _with_records(self, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        """Entries for JSON, with the records of their objects where something else is known."""
        told = [entry.to_dict() for entry in entries]
        if self.attributes is None:
            return told
        names = self.attributes.names_beside(["id"])
        every = [entry.rows() for entry in entries]
        for entry, rows in zip(entries, every, strict=True):
            known = {row["id"] for row in rows}
            rows += [{"id": id} for id in entry.linked_ids() if id not in known]
        values = iter(self._looked_up([row for rows in every for row in rows]))
        return [
            one
            | {
                "records": [
                    {"id": row["id"], **dict(zip(names, next(values), strict=True))} for row in rows
                ]
            }
            for one, rows in zip(told, every, strict=True)
        ]  # fmt: skip

    def records_read(self) -> str:
        """What stands beside objects, in a sentence each; nothing where nothing does."""
        lines = [] if self.pairs is None else [self.pairs.told()]
        if self.attributes is not None:
            lines.append(f"Records: {self.attributes.shown}.")
            lines.append(f"{MARK} marks what differs from most of a part.")
        return " ".join(lines)

    def _meets(self) -> dict[str, Meet]:
        """What was compared, by guess."""
        return {"guess": self.score.meet}

    def columns_read(self, width: int) -> list[str]:
        """A line with these columns, where there are any, and what sides were taken for."""
        lines = [self.origins.sentence(), *(f"{note}." for note in self.origins.notes())]
        return [wrapped(printable(line), width) for line in lines if line]

    @property
    def measure(self) -> Measure:
        """The measure whose loss is explained."""
        return self.score.measure

    @property
    @abstractmethod
    def headline(self) -> str:
        """The score, and what is lost."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """What became of objects and clusters, in a few sentences."""

    @abstractmethod
    def object(self, id: Any, sample: Any = None) -> Any:
        """What both sides know about one object."""

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """Tables of the entries, of the records of their objects, and of their scored pairs."""
        return "\n\n".join(map(markup.to_markdown, self._tables(top, ids)))

    def to_latex(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """The same as booktabs tables, with the signature as a comment."""
        first, *others = self._tables(top, ids)
        signed = markup.to_latex(first, [self.score.sign()])
        return "\n\n".join([signed, *map(markup.to_latex, others)])

    def _tables(self, top: int | None, ids: int | None) -> list[CellTable]:
        """The table of the entries, and those that have rows of what else is known of them."""
        known = self.record_table(top, ids), self.link_table(top, ids)
        return [self.table(top, ids), *(table for table in known if table.rows)]

    def to_csv(self, top: int | None = None, ids: int | None = None) -> str:
        """The review queue, a line per record; `top` and `ids` keep it small."""
        return "".join(self.csv_in_turn(top, ids))

    def csv_in_turn(self, top: int | None = None, ids: int | None = None) -> Iterator[str]:
        """The same in pieces, of which one is in memory at a time."""
        columns, first = None, 1
        for entries in self.entries_in_turn(top, ids):
            records = self._records_of(entries, first)
            first += len(entries)
            if columns is None:
                columns = list(records[0]) if records else list(self.columns)
                yield markup.to_csv(columns, ())
            yield markup.records_to_csv(records, heading=False)

    def to_frame(
        self, library: str = "pandas", top: int | None = None, ids: int | None = None
    ) -> Any:
        """The review queue as a pandas, polars or pyarrow frame, a row for each record; `top` and
        `ids` keep it small.
        """
        return frame_of(self.records(top, ids), library, self.columns)


# Records beside objects, for display: a small table below what is said of them together.

MARK = "*"
"""Behind a value that is not the most frequent one among the records of its part; of more than two
values that all differ, none is.
"""
WIDEST = 24
"""Columns of a terminal that a value takes."""
NO_VALUE = "—"
"""What stands for a value that there is not."""
LEFT_OUT = 3
"""Columns that the sign for columns that are left out takes."""
NARROWEST = 12
"""Columns to which values are cut so that more of them fit."""


class Below(NamedTuple):
    """A share of the loss of an entry, and what it comes from."""

    share: float
    kind: str
    objects: int
    name: str
    what: str

    @property
    def start(self) -> str:
        """Its share and its kind."""
        return ranked(percent(self.share), self.kind)

    @property
    def told(self) -> str:
        """Whose objects these are, and where they are."""
        return f"{self.name} ({count(self.objects, 'object')}){': ' * bool(self.what)}{self.what}"

    def in_table(self) -> tuple[str, ...]:
        """A row below that of its entry."""
        return percent(self.share), self.kind, f"{self.objects:,}", self.name, self.what


class Entry(ABC):
    """Objects that are listed together."""

    marks: ClassVar[Mapping[str, str]] = {}
    """What distinguishes its objects, by field of `rows`: the headings of columns before ids."""

    @property
    def below(self) -> Sequence[Below]:
        """What stands below it in the ranking: its loss, divided further."""
        return ()

    @property
    @abstractmethod
    def start(self) -> str:
        """What stands before its first line."""

    def told_of_pairs(self, pairs: PairLookup) -> list[Told]:
        """The scored pairs of its objects that are to be shown."""
        return []

    def linked_ids(self) -> Sequence[Any]:
        """The objects of its pairs, each once."""
        return ()

    @abstractmethod
    def total(self) -> int:
        """How many objects it has, named or not."""

    @abstractmethod
    def lines(self, ids: int | None) -> list[str]:
        """The entry in words."""

    @abstractmethod
    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """The entry in a table."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """A row for each of its named objects, as JSON-ready values."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""


def _spread(
    rows: list[dict[str, Any]], marks: Mapping[str, str], most: int | None
) -> list[dict[str, Any]]:
    """Up to so many rows, of every group the first, then the second, and so on; one group after the
    other.
    """
    ranks: dict[str, dict[Any, int]] = {mark: {} for mark in marks}
    groups: dict[tuple[int, ...], list[dict[str, Any]]] = {}
    for row in rows:
        place = tuple(rank.setdefault(row[mark], len(rank)) for mark, rank in ranks.items())
        groups.setdefault(place, []).append(row)
    turns = [(turn, place) for place, group in groups.items() for turn in range(len(group))]
    chosen = Counter(place for _, place in sorted(turns)[:most])
    return [row for place in sorted(groups) for row in groups[place][: chosen[place]]]


class RecordTable(NamedTuple):
    """Some objects of a part, with what else is known of them."""

    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    same: list[str]
    """Columns in which all of them are alike, with the value."""
    more: int
    """Objects of the part that are not here."""
    title: str = ""
    """What stands above them."""
    odd: frozenset[tuple[int, int]] = frozenset()
    """Row and column of the cells that have the mark."""

    @classmethod
    def of_pairs(
        cls, told: Told, names: Sequence[str], values: list[tuple[Any, ...]]
    ) -> RecordTable:
        """The objects of pairs, the two of each below each other; what differs is marked."""
        rows = [row for both in _in_twos(told, values) for row in both]
        if not rows:
            return cls((), [], [], 0, told.title)
        score, truth, guess, ids, *known = zip(*rows, strict=True)
        clusters = truth if told.side == "truth" else guess  # on the other side there is but one
        columns, same = [("score", score), (told.side, clusters), ("id", ids)], []
        for name, cells in zip(map(shown_name, names), known, strict=True):
            if len(set(cells)) > 1:
                columns.append((name, cells))
            elif cells[0] != NO_VALUE:
                same.append(f"{name} {cut(cells[0], 40)}")
        headings, cells_of = zip(*columns, strict=True)
        return cls(headings, list(zip(*cells_of, strict=True)), same, 0, told.title)

    @classmethod
    def of(
        cls,
        entry: Entry,
        rows: list[dict[str, Any]],
        names: Sequence[str],
        values: list[tuple[Any, ...]],
    ) -> RecordTable:
        """The objects of some rows, in groups; columns in which they are alike stand by
        themselves.
        """
        from clusterdiff.io.records import shown_value

        kept = {}
        for key, heading in entry.marks.items():
            cells = [name_of(row[key]) for row in rows]
            if len(set(cells)) > 1:
                kept[heading] = cells
        columns = [*kept.items(), ("id", [name_of(row["id"]) for row in rows])]
        # A column that truth or a run was read from says once more what stands there already.
        said = [[name_of(row[key]) for row in rows] for key in ("cluster", *entry.marks)
                if rows and key in rows[0]]  # fmt: skip
        same, odd = [], set()
        for place, name in enumerate(names):
            cells = [shown_value(own[place]) for own in values]
            if cells in said:
                continue
            if len(rows) > 1 and len(set(cells)) == 1:
                same += [] if cells[0] == NO_VALUE else [f"{shown_name(name)} {cut(cells[0], 40)}"]
                continue
            if len(rows) > 1 and cells == columns[len(kept)][1]:  # the ids once more
                continue
            ((usual, most),) = Counter(cells).most_common(1) or [("", 0)]
            if most > 1 or len(cells) - cells.count(NO_VALUE) <= 2:  # else none is the usual one
                differ = [cell not in (usual, NO_VALUE) for cell in cells]
                odd |= {(row, len(columns)) for row, own in enumerate(differ) if own}
                cells = [c + MARK * own for c, own in zip(cells, differ, strict=True)]
            columns.append((shown_name(name), cells))
        headings, cells_of = zip(*columns, strict=True)
        more = entry.total() - len(rows)
        return cls(headings, list(zip(*cells_of, strict=True)), same, more, odd=frozenset(odd))

    @property
    def notes(self) -> list[str]:
        """What else there is to say of them."""
        same = [f"same: {', '.join(self.same)}"] if self.same else []
        return [*same, *([f"… {self.more:,} more"] if self.more > 0 else [])]

    @property
    def table(self) -> CellTable:
        """The objects as a table."""
        return CellTable(self.headings, tuple(self.rows))

    def to_text(self, width: int, indent: str = "      ") -> str:
        """Lines for a terminal: columns that do not fit are left out, the last ones first."""
        title = [wrapped(self.title, width, indent, "  ")] if self.title else []
        if not self.rows:
            return "\n".join(title)
        if len(self.rows) == 1:
            id, *known = zip(self.headings, self.rows[0], strict=True)
            told = ", ".join(f"{name} {cut(cell, 40)}" for name, cell in known if cell != NO_VALUE)
            return "\n".join(
                wrapped(line, width, indent, "  ") for line in [f"{id[1]}: {told}", *self.notes]
            )
        wide = self._widths(max(width - len(indent), 20))
        lines = [
            indent + "  ".join(pad(cut(c, w), w) for c, w in zip(row, wide, strict=False)).rstrip()
            for row in [self.headings, *self.rows]
        ]
        lines[0] += "  …" if len(wide) < len(self.headings) else ""
        notes = (wrapped(note, width, indent, "  ") for note in self.notes)
        return "\n".join([*title, *lines, *notes])

    def _widths(self, room: int) -> list[int]:
        """The widths of the columns that fit: clusters and ids come first, what else is known is
        cut where that makes room for another column.
        """
        named = self.headings.index("id") + 1
        columns = zip(self.headings, *self.rows, strict=True)
        wide = [min(WIDEST, max(map(text_columns, column))) for column in columns]
        while sum(wide) + 2 * len(wide) - 2 > room and wide != [NARROWEST]:
            start = named if len(wide) > named else 0
            if max(wide[start:]) > NARROWEST:
                wide[wide.index(max(wide[start:]), start)] -= 1
            else:
                room -= LEFT_OUT if len(wide) == len(self.headings) else 0
                wide.pop()
        return wide


def _in_twos(
    told: Told, values: list[tuple[Any, ...]]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The two objects of each pair: score, clusters, id and what else is known; of the second one,
    what differs is marked.
    """
    from clusterdiff.io.records import shown_value

    for link, at in zip(told.pairs, range(0, len(values), 2), strict=True):
        first, second = (tuple(map(shown_value, own)) for own in values[at : at + 2])
        marked = (
            b if NO_VALUE in (a, b) or a == b else f"{b}{MARK}"
            for a, b in zip(first, second, strict=True)
        )
        (truth, other), (guess, its) = (map(name_of, side) for side in (link.truth, link.guess))
        yield (
            (f"{link.score:.6g}", truth, guess, name_of(link.left), *first),
            ("", other, its, name_of(link.right), *marked),
        )


NO_RECORDS = RecordTable((), [], [], 0)
"""Where nothing else is known."""


@dataclass(frozen=True, kw_only=True)
class Part(Entry):
    """A component or a place: objects that differ together, with what they lose."""

    kind: str
    """What is wrong with it."""
    share: float
    """What its objects lose, as a share of all that is lost."""
    objects: int

    keys: ClassVar[tuple[str, ...]]
    """The entries of the JSON output, in this order."""

    @property
    def heading(self) -> str:
        """Its kind; what stands below it has kinds of its own."""
        return "" if self.below else self.kind

    @property
    def start(self) -> str:
        """Its share and its kind."""
        return ranked(percent(self.share), self.heading)

    def total(self) -> int:
        """How many objects it has, named or not."""
        return self.objects

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """Its share, its kind, and what is said of it."""
        return percent(self.share), self.heading, *self.lines(ids)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        facts = for_programs(vars(self))
        return {key: facts[key] for key in self.keys}


P = TypeVar("P", bound=Part)


OneObject = TypeVar("OneObject", bound="ObjectExplanation")
COMPANIONS = 100
"""Objects of each sort whose records are looked up for one object."""


class BaseExplanation(RankedResult, Generic[P]):
    """Where a guess differs from truth: parts, ranked by what they take off the best score."""

    schema = "explain/1"

    kinds: ClassVar[tuple[str, ...]]
    """What can be wrong with a part."""
    loss: Floats
    """What each row of the comparison loses."""
    chosen: Bools | None = None
    """Which parts are asked for; None where all of them are."""

    @property
    @abstractmethod
    def kind(self) -> Ints:
        """The kind of each part, by its place among `kinds`."""

    @property
    @abstractmethod
    def weight(self) -> Ints:
        """How many objects each part has."""

    @property
    @abstractmethod
    def losses(self) -> Floats:
        """What each part loses."""

    @property
    @abstractmethod
    def differs(self) -> Bools:
        """Which parts are shown; the others are right."""

    @property
    def ranks(self) -> tuple[Floats, ...]:
        """What ranks the parts: large comes first, the first one counts most."""
        return (self.losses,)

    @cached_property
    def order(self) -> Ints:
        """The parts that are shown, from the largest loss to the smallest."""
        some = np.flatnonzero(self.differs if self.chosen is None else self.differs & self.chosen)
        keys = [-without_rounding(values[some]) for values in self.ranks]
        return some[np.lexsort((-self.weight[some], *keys[::-1]))]

    def entries(self, top: int | None, ids: int | None) -> list[P]:
        """The parts that lose most."""
        return self.top(top, ids)

    def entries_in_turn(self, top: int | None, ids: int | None) -> Iterator[list[P]]:
        """The same in batches; in one where pairs, or a table of records alone, are checked to be
        those of any of the objects.
        """
        order = self.order[:top]
        at_once = self.pairs is not None or (self.attributes is not None and self.attributes.is_own)
        objects = self.weight[order] if ids is None else np.minimum(self.weight[order], ids)
        batch = np.cumsum(objects) // (BATCH if not at_once else 1 << 60)
        for some in np.split(order, np.flatnonzero(np.diff(batch)) + 1):
            yield self._parts_of(some, ids)

    def only(
        self,
        kind: str | Sequence[str] | None = None,
        cluster: Any = None,
        min_size: int = 1,
    ) -> Self:
        """This explanation with some of its parts alone: those of a kind, those that a cluster of
        either side belongs to, and those of so many objects or more. Numbers stay those of all.
        """
        kinds = self.kinds if kind is None else [kind] if isinstance(kind, str) else list(kind)
        for one in kinds:
            if one not in self.kinds:
                raise ClusterdiffError(
                    f"no part of this explanation is of the kind {one!r}.",
                    f"{did_you_mean(one, self.kinds)}kinds are {', '.join(self.kinds)}.",
                )
        wanted = [place for place, name in enumerate(self.kinds) if name in kinds]
        chosen = np.isin(self.kind, wanted) & (self.weight >= min_size)
        if cluster is not None:
            chosen &= self._with_cluster(cluster)
        again = copy(self)
        vars(again).pop("order", None)
        vars(again)["chosen"] = chosen if self.chosen is None else chosen & self.chosen
        return again

    @abstractmethod
    def _with_cluster(self, name: Any) -> Bools:
        """Which parts a cluster of this name belongs to, on either side."""

    def _choice(self) -> str:
        """A sentence on the parts that are asked for; nothing where all of them are."""
        if self.chosen is None:
            return ""
        every = int(self.differs.sum())
        share = fsum(self.losses[self.order]) / (self.lost_by_parts or 1.0)
        of_all = f"{self.order.size:,} of {count(every, self.one)}"
        return f"Shown: {of_all} in conflict, {percent(share)} of the loss."

    @abstractmethod
    def named_parts(self, some: Ints, ids: int | None) -> list[P]:
        """These parts, with names."""

    def top(self, n: int | None = TOP, ids: int | None = IDS) -> list[P]:
        """The parts that lose most, with names."""
        return self._parts_of(self.order[:n], ids)

    def _parts_of(self, some: Ints, ids: int | None) -> list[P]:
        """These parts, as they are listed."""
        return self.named_parts(some, ids)

    def slices(self, confidence: float = 0.95, units: str | None = None) -> Slices:
        """What goes with errors: values of the other columns, or of those that `show` names, whose
        objects lose more than their share, tested over components, or samples.
        """
        from clusterdiff.explain.slices import Slices
        from clusterdiff.statistics.confidence import Confidence

        asked = Confidence.of(confidence, units)
        assert asked is not None
        return Slices.of(self, asked)

    def by_kind(self, some: Ints | None = None) -> dict[str, tuple[int, int, float]]:
        """For each kind among these parts, or all: how many, their objects, what they lose."""
        some = np.flatnonzero(self.differs) if some is None else some
        of_kind = ((name, some[self.kind[some] == i]) for i, name in enumerate(self.kinds))
        return {
            name: (parts.size, int(self.weight[parts].sum()), fsum(self.losses[parts]))
            for name, parts in of_kind
            if parts.size
        }

    def facts_of(self, part: int) -> dict[str, Any]:
        """Facts about every part: its kind, its share of the loss, and its number of objects."""
        return {
            "kind": self.kinds[int(self.kind[part])],
            "share": float(self.losses[part]) / (self.lost_by_parts or 1.0),
            "objects": int(self.weight[part]),
        }

    def with_known(self, found: OneObject) -> OneObject:
        """An object with its record and those of its companions, where something else is known."""
        if self.attributes is None:
            return found
        sorts = {"itself": [found.id]} | found.companions()
        rows = [{"id": id, "with": sort} for sort, ids in sorts.items() for id in ids[:COMPANIONS]]
        if (sample := getattr(found, "sample", None)) is not None:
            rows = [row | {"sample": sample} for row in rows]
        names = self.attributes.names_beside(["id", "with"])
        known = zip(rows, self._looked_up(rows), strict=True)
        return replace(
            found,
            records=[
                {"id": row["id"], "with": row["with"], **dict(zip(names, own, strict=True))}
                for row, own in known
            ],
        )

    @abstractmethod
    def same(self) -> str:
        """The text where nothing differs."""

    @abstractmethod
    def right(self) -> str:
        """How much is right; nothing where nothing is."""

    @abstractmethod
    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """The table of clusters that stands below the parts."""

    def pattern_table(self, top: int | None = PATTERNS) -> CellTable:
        """Parts of the same shape; none where parts are such already."""
        return CellTable((), ())

    @abstractmethod
    def facts(self, top: int | None) -> dict[str, Any]:
        """For JSON: everything besides the parts."""

    @cached_property
    def lost(self) -> float:
        """What is lost in all."""
        return fsum(self.loss)

    @cached_property
    def lost_by_parts(self) -> float:
        """What the parts lose; a measure may not be 1 for what agrees."""
        return fsum(self.losses)

    @property
    def headline(self) -> str:
        """The score, and what is lost."""
        score = f"{self.measure} {digits(self.score.value)}"
        if self.score.ci:
            score = f"{self.measure} {with_interval(self.score.value, self.score.ci, '')}"
        return f"{score}." if self.measure.is_distance else f"{score} = 1 - {digits(self.lost)}."

    def blocks(self, width: int, top: int | None = TOP, ids: int | None = IDS) -> Iterator[Block]:
        """The score, the parts that lose most, what became of objects, and the clusters."""
        if not self.order.size and self.chosen is None:
            same = wrapped(f"{self.headline} {self.same()}", width)
            yield "\n".join([same, *self.columns_read(width)])
            return
        yield wrapped(f"{self.headline} Where the {digits(self.lost)} comes from:", width)
        if self.chosen is not None:
            yield wrapped(self._choice(), width)
        yield self._ranking(width, top, ids)
        yield from self.known(width, top, ids)
        if (
            self.order.size > (TOP if top is None else top)
            and (shapes := self.pattern_table()).rows
        ):
            yield shapes
        read = [wrapped(s, width) for s in [*self.sentences(), self.records_read()] if s]
        yield "\n".join(read + self.columns_read(width))
        if (below := self.cluster_table(top, width)).rows:
            yield below

    def _ranking(self, width: int, top: int | None, ids: int | None) -> Listing:
        """The parts that lose most, with what all others lose and what is right."""
        parts = self.top(top, ids)
        table = self.table_of(parts, ids)
        more = []
        if (rest := self.order[len(parts) :]).size:
            more.append(self._rest_line(rest))
        if right := self.right():
            more.append((percent(0.0), "right", [right]))
        others = [(ranked(share, kind), lines) for share, kind, lines in more]
        text = "\n".join(
            [
                *self.texts(parts, width, ids),
                *(hung(start, lines, width) for start, lines in others),
            ]
        )
        gap = ("",) * (len(table.headings) - 3)
        below = tuple((share, kind, *gap, *lines) for share, kind, lines in more)
        return Listing(text, replace(table, rows=table.rows + below))

    def _rest_line(self, rest: Ints) -> tuple[str, str, list[str]]:
        """What is not shown: for each kind how many, and what they lose of all."""
        total = self.lost_by_parts or 1.0
        shares = {kind: (n, lost / total) for kind, (n, _, lost) in self.by_kind(rest).items()}
        listed = ", ".join(f"{n:,} {kind} ({percent(s)})" for kind, (n, s) in shares.items())
        line = f"{sum(n for n, _ in shares.values()):,} more: {listed}"
        return percent(sum(share for _, share in shares.values())), "…", [line]

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        parts = f"{self.one}s"
        return {
            "measure": str(self.measure),
            "score": self.score.to_dict(),
            **self.facts(top),
            "kinds": {
                kind: {parts: n, "objects": objects, "loss": loss}
                for kind, (n, objects, loss) in self.by_kind().items()
            },
            parts: self._with_records(self.top(top, ids)),
            **({} if self.pairs is None else {"pairs": self.pairs.to_dict()}),
            **self.origins.to_dict(),
        }


def ranked(share: str, kind: str) -> str:
    """The start of a line of a ranking."""
    return f"  {share:>7}  {kind:<7}  "


def without_rounding(values: Floats) -> Floats:
    """Values that differ only by rounding, made equal."""
    return np.round(values / (float(values.max(initial=0.0)) or 1.0), 12)


# Places: objects of which both sides say the same.


@dataclass(frozen=True, eq=False)
class Located:
    """The objects of a comparison: the row of each, and what it is called."""

    truth: AnyClustering
    guess: AnyClustering
    row: Ints
    objects: Objects

    @cached_property
    def _by_row(self) -> tuple[Ints, Ints]:
        """The objects, one row after the other, and where those of each row start."""
        start = np.concatenate([[0], np.cumsum(np.bincount(self.row))])
        return np.argsort(self.row, kind="stable"), start

    @cached_property
    def first(self) -> Ints:
        """The first object of each row."""
        order, start = self._by_row
        return order[start[:-1]]

    def ids(self, row: int, most: int | None) -> list[Any]:
        """The objects of a row by name, up to so many."""
        order, start = self._by_row
        return [self.id_of(int(i)) for i in order[start[row] : start[row + 1]][:most]]

    def id_of(self, item: int) -> Any:
        """What an object is called."""
        position = int(self.objects.in_truth[item])
        if position >= 0:
            return self.truth.id_of(position)
        return self.guess.id_of(int(self.objects.in_guess[item]))

    def find(self, wanted: Any) -> tuple[int, int]:
        """The object of this id, and its row."""
        item = found_items(self.truth, self.guess, self.objects, wanted)[0]
        return item, int(self.row[item])


@dataclass(frozen=True, kw_only=True)
class Place(Part):
    """Objects of which each side says one thing, with what they lose together."""

    ids: list[Any]
    """As many as were asked for, in the order of the input."""
    unit: Unit = OBJECTS
    """What amounts of its objects are given in."""
    losses: ClassVar[tuple[str, ...]] = ("loss",)
    """What its objects share evenly."""

    def rows(self) -> list[dict[str, Any]]:
        """A row for each of its objects, which share the same error."""
        facts = self.to_dict()
        del facts["ids"]
        each = {key: facts[key] / self.objects for key in self.losses}
        return [facts | each | {"id": id} for id in self.ids]

    def who(self, ids: int | None) -> str:
        """How many objects, and which."""
        names = "" if ids == 0 else f" ({shown_ids(self.ids, ids, self.objects)})"
        return f"{self.unit.told(self.objects)}{names}"


Q = TypeVar("Q", bound=Place)


class PlacesExplanation(BaseExplanation[Q]):
    """Where two clusterings differ: rows of the comparison, ranked by what their objects lose."""

    one = "place"
    queued = ("kind",)
    headings = ("share", "kind", "objects", "what")
    default: ClassVar[str]
    """The measure that is explained where none is named."""
    unchanged: ClassVar[str] = ""
    """Facts about the objects that are not shown, besides their number."""
    located: Located

    @abstractmethod
    def place(self, row: int, ids: int | None) -> Q:
        """A row with names."""

    @cached_property
    def weight(self) -> Ints:
        """How many objects each row has."""
        return self.located.objects.per_row(self.located.row)

    @property
    def losses(self) -> Floats:
        """What each row loses."""
        return self.loss

    def named_parts(self, some: Ints, ids: int | None) -> list[Q]:
        """These rows, with names."""
        return [self.place(row, ids) for row in some.tolist()]

    @property
    def objects_by_kind(self) -> dict[str, int]:
        """How many objects are of each kind, those that are right too."""
        counts = np.bincount(self.kind, self.weight, len(self.kinds)).astype(np.int64).tolist()
        return dict(zip(self.kinds, counts, strict=True))

    def right(self) -> str:
        """How many objects are right."""
        right = int(self.weight[~self.differs].sum())
        return f"{unit_of(self.score.meet).told(right)}{self.unchanged}" if right else ""


def check_no_samples(*sides: AnyClustering, verb: str = "explain") -> None:
    """Refuse samples: places of several samples are not ranked together."""
    if any(side.samples is not None for side in sides):
        which = "the truth and the guess" if verb == "explain" else "the truth and the runs"
        raise ClusterdiffError(
            "overlapping and uncertain clusterings are explained one sample at a time.",
            f"call cd.{verb} on {which} of one sample, without samples.",
        )


# One object: what both sides say of it, who should be with it, who is, and how that scores.


@dataclass(frozen=True, kw_only=True, repr=False)
class ObjectExplanation(Renderable):
    """One object, and what became of it."""

    id: Any
    truth: Any
    """Its truth cluster or clusters, or what truth says of it; None where truth lacks it."""
    guess: Any
    outcome: str
    """right, or what is wrong with it."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """What else is known of it and of its companions: `with` says what these are to it."""

    def companions(self) -> dict[str, list[Any]]:
        """The objects that it is, should be, or should not be with."""
        return {}

    @property
    def where(self) -> str:
        """What the title says besides the name and the outcome."""
        return ""

    @abstractmethod
    def rows(self, ids: int | None) -> list[tuple[str, str]]:
        """What there is to say, with up to so many names of each sort."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        facts = for_programs(vars(self))
        if not self.records:
            del facts["records"]
        return {"id": self.id, "outcome": self.outcome} | facts

    def record_table(self, ids: int | None = 20) -> CellTable:
        """Its record and those of up to so many companions of each sort, for display."""
        from clusterdiff.io.records import shown_value

        seen: Counter[str] = Counter()
        rows = []
        for row in self.records:
            seen[row["with"]] += 1
            if ids is None or seen[row["with"]] <= ids:
                own, sort, *known = row.values()
                rows.append((sort, name_of(own), *map(shown_value, known)))
        headings = [shown_name(name) for name in list(self.records[0])[2:]] if self.records else []
        return CellTable(("", "id", *headings), tuple(rows))

    def to_json(self, ids: int | None = None) -> str:
        """Everything as JSON, with all names."""
        return markup.document("explain-object/1", self.to_dict())

    def _title(self) -> str:
        outcome = WORDS.get(self.outcome, self.outcome)
        return f"object {name_of(self.id)}{self.where}: {outcome}"

    def to_text(self, width: int | None = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many names of each sort."""
        columns = width or 80
        told = f"{wrapped(self._title(), columns)}\n{wrap_columns(self.rows(ids), columns)}"
        return f"{told}\n\n{to_text(self.record_table(ids), columns)}" if self.records else told

    def blocks(self, width: int, ids: int | None = 20) -> Iterator[Block]:
        """Its clusters and its outcome, and what there is to say of it."""
        rows = self.rows(ids)
        yield wrapped(self._title(), width)
        yield Listing(wrap_columns(rows, width), CellTable(("", ""), tuple(rows)))
        if self.records:
            yield self.record_table(ids)


@dataclass(frozen=True, kw_only=True, repr=False)
class Companions(ObjectExplanation):
    """An object among those that share a cluster with it."""

    found: list[Any]
    """The others that do in truth and in guess."""
    missing: list[Any]
    """Those that do in truth; guess puts them elsewhere, or lacks them."""
    wrong: list[Any]
    """Those that do in guess; they belong elsewhere, or are not in truth."""
    scores: dict[str, float]

    def companions(self) -> dict[str, list[Any]]:
        """The objects that it is, should be, or should not be with."""
        return {"found": self.found, "missing": self.missing, "wrong": self.wrong}

    def rows(self, ids: int | None) -> list[tuple[str, str]]:
        """Its companions and its scores."""
        return [
            names_row("is rightly with", self.found, ids),
            names_row("should be with", self.missing, ids),
            names_row("is wrongly with", self.wrong, ids),
            *self.also(ids),
            *((name, digits(score)) for name, score in self.scores.items()),
        ]

    def also(self, ids: int | None) -> list[tuple[str, str]]:
        """What there is to say besides, between the companions and the scores."""
        return []


def names_row(
    what: str, some: list[Any], ids: int | None, nothing: str = "nobody"
) -> tuple[str, str]:
    """How many objects or clusters are meant, and which."""
    return what, f"{len(some):,}: {shown_ids(some, ids)}" if some else nothing


def score_of_row(meet: HardMeet | CoverMeet, name: str, row: int) -> float:
    """The value of a measure for the objects of a row."""
    measure = measure_named(name)
    if "f" in measure.defaults:
        measure = measure.with_params(f="objects")
    values = measure.rows_of(meet)
    assert values is not None
    return float(values[row])


# Words and numbers that explanations of all kinds share.


def shares_of(outcomes: Mapping[str, int], objects: int, unit: Unit = OBJECTS) -> str:
    """How many objects became what."""
    shares = (f"{percent(n / objects)} {WORDS.get(what, what)}" for what, n in outcomes.items())
    return f"Of {unit.told(objects)}: {', '.join(shares)}"


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
        text = " or ".join(names) or "no cluster"
        return text if self.mass == 1 else f"{text} ({self.mass:.2f})"


def is_named(cluster: Any, name: Any) -> bool:
    """Whether this is what a cluster is called; a command line has text alone."""
    return cluster is not None and (cluster == name or str(cluster) == name)


def in_column(name: str, width: int) -> str:
    """A name that leaves room for another one beside it, and for some numbers."""
    return cut(name, max(12, width // 3))


def for_programs(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON: intervals as their two ends, masses of objects as dicts."""
    made: dict[str, Any] = {}
    for key, value in facts.items():
        if isinstance(value, ScoreRange):
            made |= {f"{key}_low": value.low, f"{key}_high": value.high}
        elif isinstance(value, list):
            made[key] = [one._asdict() if isinstance(one, Said) else one for one in value]
        else:
            made[key] = value
    return made
