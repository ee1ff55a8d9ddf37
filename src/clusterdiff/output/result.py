"""A result that is one table with notes: printed, exported, shown in a notebook."""

from __future__ import annotations

import importlib
import math
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, examples, printable, warn
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output import markup
from clusterdiff.output.markup import text_to_html, to_html
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import styled_lines, to_text, wrapped
from clusterdiff.statistics.intervals import ConfidenceInterval

if TYPE_CHECKING:
    from clusterdiff.output.score import Score

# Results formatted for display: in a terminal, in a notebook and by rich, from the same blocks.


class Paragraph(NamedTuple):
    """Lines with a style of rich, e.g. "bold"."""

    text: str
    style: str


class Listing(NamedTuple):
    """Lines for a terminal, or none, that are a table in a notebook."""

    text: str
    table: CellTable


Block = str | CellTable | Paragraph | Listing
WIDE = 10_000
"""Columns of a notebook, which breaks lines by itself."""
STYLES = {"heading": "bold", "best": "bold green", "": ""}
FATES = r"(?m)^ {2,9}[-−+<]?[\d.]+(?: %)?  +(?:(?P<green>repaired|better|right)|(?P<red>[a-z]+))\b"
"""What became of the parts of a ranking; groups are named after their colours."""
DIFFERS = r"\S+\*(?=\s|$)"
"""A value of a record that differs from those of most of its part."""


class Renderable(ABC):
    """A result that is shown as paragraphs and tables."""

    @abstractmethod
    def blocks(self, width: int, *limits: Any, **named: Any) -> Iterable[Block]:
        """Paragraphs, in lines that fit so many columns, and tables."""

    def to_text(self, width: int | None = None, *limits: Any, **named: Any) -> str:
        """The result for a terminal of this width; limits on what is shown are those of
        `blocks`.
        """
        columns = width or shutil.get_terminal_size().columns
        return blocks_to_text(self.blocks(columns, *limits, **named), columns)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def __dir__(self) -> list[str]:
        """Its public names alone."""
        return [name for name in super().__dir__() if name[:1] != "_" or name[:2] == "__"]

    def _repr_html_(self) -> str:
        """The result in a notebook."""
        return f'<div style="overflow-x:auto">{"".join(map(_html, self.blocks(WIDE)))}</div>'

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """The result as rich prints it."""
        yield from self.styled(options.max_width)

    def styled(self, width: int, *limits: Any, **named: Any) -> Iterator[Any]:
        """The text as `to_text` has it, as texts of rich with colour and emphasis."""
        from rich.text import Text

        shown = (one for one in self.blocks(width, *limits, **named) if _text(one, width))
        for place, block in enumerate(shown):
            if place:
                yield Text()
            if isinstance(block, CellTable):
                for line in styled_lines(block, width):
                    text = Text.assemble(*((cell, STYLES[style]) for cell, style in line))
                    text.rstrip()
                    yield text
                continue
            text = Text("\n".join(map(printable, _text(block, width).split("\n"))))
            if isinstance(block, Listing):
                text.highlight_regex(FATES)
                text.highlight_regex(DIFFERS, "bold")
            elif isinstance(block, Paragraph):
                text.stylize(block.style)
            yield text


def blocks_to_text(blocks: Iterable[Block], width: int) -> str:
    """Blocks one below the other, with an empty line between them."""
    return "\n\n".join(filter(None, (_text(block, width) for block in blocks)))


def _text(block: Block, width: int) -> str:
    if isinstance(block, CellTable):
        return to_text(block, width)
    return block if isinstance(block, str) else block.text


def _html(block: Block) -> str:
    if isinstance(block, str | Paragraph):
        return text_to_html(_text(block, WIDE))
    return to_html(block.table if isinstance(block, Listing) else block)


def paragraphs(texts: Iterable[str], width: int, indent: str = "") -> list[str]:
    """Texts as one block of lines that fit; none where there is no text."""
    made = "\n".join(wrapped(printable(text), width, indent) for text in texts)
    return [made] if made else []


# Records as a frame of the library that the user works with.


def frame_of(records: list[dict[str, Any]], library: str, columns: Sequence[str] = ()) -> Any:
    """A pandas, polars or pyarrow frame of records; the columns are those of the first record, or
    the ones named where there is no record.
    """
    if library not in ("pandas", "polars", "pyarrow"):
        raise ClusterdiffError(
            f"unknown library of data frames {library!r}.", "use pandas, polars or pyarrow."
        )
    try:
        module: Any = importlib.import_module(library)
    except ImportError:
        raise ClusterdiffError(
            f"a {library} frame needs {library}, which is not installed.", f"pip install {library}"
        ) from None
    if not records:
        return (module.table if library == "pyarrow" else module.DataFrame)(
            {name: [] for name in columns}
        )
    if library == "pyarrow":
        return module.Table.from_pylist(records)
    how = {"infer_schema_length": None} if library == "polars" else {}
    return module.DataFrame(records, **how)


def read_lines(notes: Iterable[str], width: int) -> list[str]:
    """How sides were read, as lines of a header."""
    return [wrapped(printable(note), width, more="  ") for note in notes]


class Result(Renderable):
    """A table for display and records for export, from which every format is written. Limits on
    what is shown (`top`, `ids`) are those of `table`, `records` and `to_dict`.
    """

    schema: ClassVar[str]
    """Which schema its JSON follows, and the number of that."""
    columns: ClassVar[Any] = ()
    """What the records hold, also where there are none."""

    @abstractmethod
    def table(self, *limits: Any, **named: Any) -> CellTable:
        """The cells."""

    @abstractmethod
    def records(self, *limits: Any, **named: Any) -> list[dict[str, Any]]:
        """Flat records, with full precision."""

    @abstractmethod
    def to_dict(self, *limits: Any, **named: Any) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""

    def notes(self) -> list[str]:
        """What to know of the numbers, a sentence or two each."""
        return []

    def to_json(self, *limits: Any, **named: Any) -> str:
        """Everything, as JSON, with an `indent` of 2 where none is given."""
        indent = named.pop("indent", 2)
        return markup.document(self.schema, self.to_dict(*limits, **named), indent)

    def to_csv(self, *limits: Any, **named: Any) -> str:
        """A line per record, full precision."""
        return markup.records_to_csv(self.records(*limits, **named), self.columns)

    def to_markdown(self, *limits: Any, **named: Any) -> str:
        """A Markdown table, and the notes below it."""
        notes = [markup.in_markdown(note) for note in self.notes()]
        return "\n\n".join([markup.to_markdown(self.table(*limits, **named)), *notes])

    def to_latex(self, *limits: Any, **named: Any) -> str:
        """A booktabs table with the notes as comments."""
        return markup.to_latex(self.table(*limits, **named), self.notes())

    def to_frame(self, library: str = "pandas", *limits: Any, **named: Any) -> Any:
        """A pandas, polars or pyarrow frame of the records."""
        return frame_of(self.records(*limits, **named), library, self.columns)


class TableResult(Result):
    """A result that is one table, below what was asked and above its notes."""

    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    @abstractmethod
    def head(self, width: int = 80) -> str:
        """What was asked, in a few lines."""

    def blocks(self, width: int) -> Iterator[Block]:
        """What was asked, the tables, and the notes."""
        yield "\n".join([self.head(width), *read_lines(self.read, width)])
        yield from self.body(width)
        yield from paragraphs(self.notes(), width)

    def body(self, width: int) -> Iterator[Block]:
        """What stands between the head and the notes."""
        yield self.table()

    @property
    def noted(self) -> dict[str, list[str]]:
        """The entry of JSON for how sides were read, if there is something to say."""
        return {"notes": list(self.read)} if self.read else {}

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON."""
        return super().to_json(indent=indent)


# Scores for experiment trackers (MLflow, Weights & Biases, TensorBoard): a flat dict of floats.

ILLEGAL = re.compile(r"[^A-Za-z0-9]+")
"""What is not legal everywhere: Weights & Biases sorts by names of letters, digits and underscores
that do not begin with a digit. Parts of names have a slash between them; MLflow may take them for
the path of a file, so that no name is a folder of another one.
"""
LONGEST = 75
"""Characters of a part; MLflow takes 250 for prefix, guess and measure together."""


def metrics_of(scores: Mapping[str, Mapping[str, Score]], prefix: str = "") -> dict[str, float]:
    """A number for each score under a name that trackers take; guesses come before measures where
    there are several. Scores without a number are left out, with a warning.
    """
    found: list[tuple[str, float]] = []
    missing: list[str] = []
    start = [legal(part) for part in prefix.split("/") if part.strip()]
    guesses = [[name] for name in distinct(map(legal, scores))] if len(scores) > 1 else [[]]
    for guess, own in zip(guesses, scores.values(), strict=True):
        for name, score in zip(distinct(map(legal, own)), own.values(), strict=True):
            path = "/".join([*start, *guess, name])
            numbers = numbers_of(score)
            known = [(f"{path}{ending}", n) for ending, n in numbers if math.isfinite(n)]
            missing += [] if known and len(known) == len(numbers) else [path]
            found += known
    if missing:
        warn(
            ClusterdiffWarning(
                f"{len(missing):,} of {sum(map(len, scores.values())):,} scores have no number and "
                f"are left out of the metrics ({examples(missing)}).",
                "print(report) says why.",
            ),
            ClusterdiffWarning,
        )
    return dict(zip(distinct(name for name, _ in found), (n for _, n in found), strict=True))


def numbers_of(score: Score) -> list[tuple[str, float]]:
    """The numbers of a score, and how the name of each ends."""
    made = _ends("", score.value)
    if isinstance(score.ci, ConfidenceInterval) and score.ci:
        made += [("_ci_low", float(score.ci.low)), ("_ci_high", float(score.ci.high))]
    if score.std is not None:
        made.append(("_std", float(score.std)))
    return made + _ends("_micro", score.micro)


def _ends(ending: str, value: float | ScoreRange | None) -> list[tuple[str, float]]:
    if value is None:
        return []
    if isinstance(value, ScoreRange):
        return [(f"{ending}_low", float(value.low)), (f"{ending}_high", float(value.high))]
    return [(ending, float(value))]


def legal(text: str) -> str:
    """A part of a name, with underscores for what a tracker refuses.

    >>> legal("bcubed_f(alpha=0.3, f='objects')"), legal("../runs/2.csv"), legal("5 fold")
    ('bcubed_f_alpha_0_3_f_objects', 'runs_2_csv', '_5_fold')
    """
    made = ILLEGAL.sub("_", text).strip("_")[:LONGEST]
    return made if made[:1].isalpha() else f"_{made}"


def distinct(names: Iterable[str]) -> list[str]:
    """The names, numbered where one is taken."""
    taken: dict[str, None] = {}
    for name in names:
        number, own = 2, name
        while own in taken:
            own, number = f"{name}_{number}", number + 1
        taken[own] = None
    return list(taken)
