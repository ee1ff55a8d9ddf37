"""An experiment of a paper: what it is given, and the tables, pictures and words it ends in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clusterdiff.backends.memory.hard import numbered_clusters
from clusterdiff.clusterings import Partition, column
from clusterdiff.errors import InputError
from clusterdiff.meet import Policy
from clusterdiff.results.render.markup import in_markdown, to_json
from clusterdiff.results.render.markup import to_markdown as markdown_table
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import printable, to_text, wrapped

Record = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What an experiment is given."""

    seed: int = 0
    data: str | None = None
    """A file, where the experiment is to be had for other data than its own."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """What was said of the file's columns: id, cluster, sample, text."""
    format: str | None = None
    header: bool | None = None
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True)
class Exhibit:
    """A table: as it is shown, and as records in full precision."""

    name: str
    """What its file is called, without ending."""
    title: str
    table: CellTable
    records: Sequence[Record]

    @classmethod
    def of(cls, name: str, title: str, records: Sequence[Record]) -> Exhibit:
        """A table that shows its records as they are."""
        headings = tuple(records[0]) if records else ()
        rows = tuple(tuple(shown(value) for value in one.values()) for one in records)
        return cls(name, title, CellTable(headings, rows), records)


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn if it is asked for."""

    name: str
    """What its files are called, without ending."""
    caption: str
    draw: Callable[[], Any]
    """Gives a Plotly figure."""


@dataclass(frozen=True)
class Outcome:
    """What an experiment ends in."""

    title: str
    exhibits: tuple[Exhibit, ...]
    told: tuple[str, ...] = ()
    """Paragraphs: what was done, and what can be compared with the print."""
    pictures: tuple[Picture, ...] = ()
    besides: tuple[Exhibit, ...] = ()
    """Tables too long to be shown, for files and programs."""
    key: tuple[str, ...] = ()
    """Paragraphs that come first: what the names in the tables mean."""

    @property
    def tables(self) -> tuple[Exhibit, ...]:
        """All tables, those that are shown first."""
        return (*self.exhibits, *self.besides)

    def to_text(self, width: int = 80) -> str:
        """Tables and paragraphs for a terminal of this width."""
        tables = [
            f"{wrapped(printable(one.title), width)}\n{to_text(one.table, width)}"
            for one in self.exhibits
        ]
        first, told = (
            [wrapped(printable(text), width) for text in some]
            for some in ((self.title, *self.key), self.told)
        )
        return "\n\n".join([*first, *tables, *told])

    def to_markdown(self, pictures: bool = False) -> str:
        """The same as a page, with links to the pictures if they are there."""
        blocks = [f"# {in_markdown(self.title)}", *map(in_markdown, self.key)]
        for one in self.exhibits:
            blocks += [f"## {in_markdown(one.title)}", markdown_table(one.table)]
        blocks += [in_markdown(text) for text in self.told]
        for picture in self.pictures if pictures else ():
            caption = in_markdown(picture.caption)
            blocks += [f"![{caption}]({picture.name}.svg)", caption]
        return "\n\n".join(blocks)

    def to_json(self) -> str:
        """The records of all tables, with full precision, and what is said of them."""
        tables = {one.name: [dict(record) for record in one.records] for one in self.tables}
        told = {"title": self.title, "tables": tables, "notes": [*self.key, *self.told]}
        return to_json(told, 2)


def shown(value: Any) -> str:
    """A value for eyes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return digits(value) if isinstance(value, float) else str(value)


def settled(whose: str, given: Partition, policy: Policy) -> Partition:
    """The same with noise in clusters of its own, or left out; other null labels are refused."""
    every = np.arange(len(given))
    codes, noisy = numbered_clusters(whose, given, every, policy)
    found = given.take(every)
    found.labels = column(codes)
    if policy.noise_as != "drop":
        return found
    if noisy.all():
        raise InputError.empty("after the noise is dropped, the file")
    return found.take(np.flatnonzero(~noisy))
