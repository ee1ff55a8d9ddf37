"""An experiment of a paper: what it is given, and the tables, pictures and words it ends in."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.memory import numbered_clusters
from clusterdiff.errors import ClusterdiffError, InputError, printable
from clusterdiff.output.markup import document, in_markdown, records_to_csv
from clusterdiff.output.markup import to_markdown as markdown_table
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import to_text, wrapped
from clusterdiff.output.writing import check_place
from clusterdiff.output.writing import write as write_file
from clusterdiff.plot import save
from clusterdiff.progress import progress

Record = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What an experiment is given."""

    seed: int = 0
    data: str | None = None
    """A file, where the experiment is to be had for other data than its own."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The columns given for the file: id, cluster, sample, text."""
    format: str | None = None
    header: bool | None = None
    policy: Policy = field(default_factory=Policy)

    def reading(self, **otherwise: str) -> dict[str, Any]:
        """How the file is read: the columns given, or their default names."""
        named = otherwise | dict(self.columns)
        columns = {what: named.get(what) for what in ("id", "cluster", "sample")}
        return {**columns, "as_": self.format, "header": self.header}


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
        """The records of all tables, with full precision, and the remarks on them."""
        tables = {one.name: [dict(record) for record in one.records] for one in self.tables}
        told = {"title": self.title, "tables": tables, "notes": [*self.key, *self.told]}
        return document("experiment/1", told)


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
    every, plan = np.arange(len(given)), plan_of(policy)
    codes, noisy = numbered_clusters(whose, given, every, plan)
    found = given.take(every)
    found.labels = column(codes)
    if plan.noise is not Fate.DROPPED:
        return found
    if noisy.all():
        raise InputError.empty("after the noise is dropped, the file")
    return found.take(np.flatnonzero(~noisy))


WIDTH, HEIGHT = 460, 340
"""Pixels of a picture: letters of 14 stay legible in a column of a printed page."""
PAPER = {
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
    "font": {"size": 14},
    "margin": {"l": 10, "r": 15, "t": 10, "b": 10},
}


def folder_for(path: str, names: Collection[str] = (), data: str | None = None) -> Path:
    """The folder to write to, made if it is not there; and whether pictures can be drawn at all.

    Refused if `data` would be overwritten: files are called as the experiments are.
    """
    _refuse_without_pictures()
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClusterdiffError(
            f"{path} cannot be made a folder: {error.strerror}.", "name another with --out."
        ) from None
    if not os.access(folder, os.W_OK):
        raise ClusterdiffError(f"{path} cannot be written to.", "name another folder with --out.")
    for file in sorted(folder.iterdir()):
        if data is not None and any(
            file.stem == name or file.stem.startswith(f"{name}-") for name in names
        ):
            check_place(file, [data])
    return folder


def write(outcome: Outcome, name: str, folder: Path) -> list[Path]:
    """Write everything; tables come first, so that they are there if pictures fail."""
    page = folder / f"{name}.md"
    files = [*(_write_csv(one, folder) for one in outcome.tables), page]
    _write(page, outcome.to_markdown(pictures=True) + "\n")
    with progress("drawing", len(outcome.pictures)) as advance:
        for one in outcome.pictures:
            files += _draw(one, folder)
            advance(1)
    return files


def _write_csv(exhibit: Exhibit, folder: Path) -> Path:
    path = folder / f"{exhibit.name}.csv"
    _write(path, records_to_csv(exhibit.records))
    return path


def _draw(picture: Picture, folder: Path) -> list[Path]:
    """The picture for print and for a screen."""
    figure = picture.draw()
    figure.update_layout(PAPER)
    width, height = figure.layout.width or WIDTH, figure.layout.height or HEIGHT
    files = [folder / f"{picture.name}{ending}" for ending in (".svg", ".png")]
    for path in files:
        save(figure, path, width=width, height=height)
    return files


def _write(path: Path, text: str) -> None:
    write_file(path, text, hint="name another folder with --out.")


def _refuse_without_pictures() -> None:
    """Ask before the work begins for what draws at its end."""
    try:
        import kaleido  # noqa: F401
        import plotly  # noqa: F401
    except ImportError as error:
        raise ClusterdiffError(
            f"--out draws pictures, which needs {error.name}, and that is not installed.",
            'pip install "clusterdiff[report]"',
        ) from None
