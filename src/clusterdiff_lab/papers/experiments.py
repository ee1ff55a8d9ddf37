"""The experiments of four papers: what each is given, and what it ends in.

>>> from clusterdiff_lab.papers.experiments import experiment_named
>>> outcome = experiment_named("example").run()
>>> outcome.title
'Extended BCubed gives 1 to covers that differ, CICE-BCubed does not'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.memory import numbered_clusters
from clusterdiff.errors import ClusterdiffError, InputError, did_you_mean, printable
from clusterdiff.output.markup import document, in_markdown, records_to_csv
from clusterdiff.output.markup import to_markdown as markdown_table
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import to_text, wrapped
from clusterdiff.output.writing import check_place
from clusterdiff.output.writing import write as write_file
from clusterdiff.plot import save
from clusterdiff.progress import progress
from clusterdiff_lab.papers import TITLES

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
    notes: tuple[str, ...] = ()
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
        first, notes = (
            [wrapped(printable(text), width) for text in some]
            for some in ((self.title, *self.key), self.notes)
        )
        return "\n\n".join([*first, *tables, *notes])

    def to_markdown(self, pictures: bool = False) -> str:
        """A page with the tables and notes, and with links to the pictures if they are there."""
        blocks = [f"# {in_markdown(self.title)}", *map(in_markdown, self.key)]
        for one in self.exhibits:
            blocks += [f"## {in_markdown(one.title)}", markdown_table(one.table)]
        blocks += [in_markdown(text) for text in self.notes]
        for picture in self.pictures if pictures else ():
            caption = in_markdown(picture.caption)
            blocks += [f"![{caption}]({picture.name}.svg)", caption]
        return "\n\n".join(blocks)

    def to_json(self) -> str:
        """The records of all tables, with full precision, and the remarks on them."""
        tables = {one.name: [dict(record) for record in one.records] for one in self.tables}
        entries = {"title": self.title, "tables": tables, "notes": [*self.key, *self.notes]}
        return document("experiment/1", entries)


def shown(value: Any) -> str:
    """A value, formatted for display."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return digits(value) if isinstance(value, float) else str(value)


def settled(whose: str, given: Partition, policy: Policy) -> Partition:
    """A partition with each noise object in a cluster of its own, or without noise; other null
    labels are refused.
    """
    every, plan = np.arange(len(given)), plan_of(policy)
    codes, noisy = numbered_clusters(whose, given, every, plan)
    pages = given.take(every)
    pages.labels = column(codes)
    if plan.noise is not Fate.DROPPED:
        return pages
    if noisy.all():
        raise InputError.empty("after the noise is dropped, the file")
    return pages.take(np.flatnonzero(~noisy))


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
    _check_without_pictures()
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


def _check_without_pictures() -> None:
    """Ask before the work begins for what draws at its end."""
    try:
        import kaleido  # noqa: F401
        import plotly  # noqa: F401
    except ImportError as error:
        raise ClusterdiffError(
            f"--out draws pictures, which needs {error.name}, and that is not installed.",
            'pip install "clusterdiff[report]"',
        ) from None


@dataclass(frozen=True)
class Experiment:
    """An experiment by its name."""

    paper: str
    name: str
    place: str
    """Where it is in the paper."""
    says: str
    """What it shows, in a line."""
    module: str
    """Where its function `run_NAME` stands, in the folder of the paper."""
    data: str = ""
    """What --data holds for it; empty if it takes none."""

    def run(self, setting: Setting | None = None, **given: Any) -> Outcome:
        """Do it, e.g. run(seed=1)."""
        chosen = Setting(**given) if setting is None else setting
        if chosen.data is not None and not self.data:
            raise ClusterdiffError(
                f"the experiment {self.name} takes no data of one's own.", "leave --data out."
            )
        folder = self.paper.replace("-", "_")
        module = import_module(f"clusterdiff_lab.papers.{folder}.{self.module}")
        outcome: Outcome = getattr(module, f"run_{self.name}")(chosen)
        return outcome


STREAMS = "page streams: columns stream, page, document"
EXPERIMENTS = (
    Experiment(
        "elm", "extremes", "Table 1", "each page alone, and all pages together", "fixed", STREAMS
    ),
    Experiment(
        "elm", "sizes", "Figure 1", "documents of 1 to 15 pages guessed everywhere", "fixed",
        STREAMS,
    ),
    Experiment(
        "elm", "densities", "Figure 2", "how the scores of streams spread, for the extremes",
        "fixed", STREAMS,
    ),
    Experiment(
        "elm", "hierarchical", "Table 2, Figure 3", "neighbouring pages joined if they read alike",
        "reading", f"{STREAMS}, text",
    ),
    Experiment(
        "elm", "difference", "Figure 4", "what ELM takes off, by the mean length of documents",
        "reading", f"{STREAMS}, text",
    ),
    Experiment(
        "cice", "example", "Section 3", "its six objects, and where the two measures part",
        "experiments",
    ),
    Experiment(
        "cice", "perfect", "Section 3", "how often Extended BCubed is 1 for covers that differ",
        "experiments",
    ),
    Experiment(
        "split-merge", "worsening", "Figure 3", "six measures as a clustering worsens",
        "worsening", "any file of a partition",
    ),
    Experiment(
        "soft", "iris", "Table 2", "five algorithms on Iris, three ways to score each", "iris"
    ),
    Experiment(
        "soft", "simulated", "Figures 3 and 4", "the same on 10,000 objects, pair by pair",
        "simulated",
    ),
)  # fmt: skip
"""All experiments, paper by paper."""


def experiment_named(name: str, papers: Collection[str] = tuple(TITLES)) -> Experiment:
    """The experiment with this name in one of these papers, or an error with those there are."""
    by_name = {one.name: one for one in EXPERIMENTS}
    if name not in by_name:
        offered = [one.name for one in EXPERIMENTS if one.paper in papers]
        raise ClusterdiffError(
            f"no experiment is called {name!r}.",
            f"{did_you_mean(name, list(by_name))}There are {', '.join(offered)}; or all.",
        )
    if by_name[name].paper not in papers:
        raise ClusterdiffError(
            f"{name} is an experiment of another paper.",
            f"clusterdiff reproduce {by_name[name].paper} --experiment {name}",
        )
    return by_name[name]


def listed() -> str:
    """All experiments, a line each, for help."""
    names = [f"{one.paper} {one.name}" for one in EXPERIMENTS]
    width = max(map(len, names))
    return "\n".join(
        f"  {name:<{width}}  {one.says}" for name, one in zip(names, EXPERIMENTS, strict=True)
    )
