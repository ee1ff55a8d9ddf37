"""A result that is one table with notes: printed, exported, shown in a notebook."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from clusterdiff.results.render import markup
from clusterdiff.results.render.frames import frame_of
from clusterdiff.results.render.renderable import Block, Renderable, paragraphs
from clusterdiff.results.render.text import printable, wrapped

if TYPE_CHECKING:
    from clusterdiff.results.render.table import CellTable


def read_lines(notes: Iterable[str], width: int) -> list[str]:
    """How sides were read, as lines of a header."""
    return [wrapped(printable(note), width, more="  ") for note in notes]


class TableResult(Renderable):
    """What a verb found, as a table for eyes, records for programs, and notes in words."""

    schema: ClassVar[str]
    """Which schema its JSON follows, and the number of that."""
    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    @abstractmethod
    def head(self, width: int = 80) -> str:
        """What was asked, in a few lines."""

    @abstractmethod
    def table(self) -> CellTable:
        """The cells."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What to know of the numbers, a sentence or two each."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Flat records, with full precision."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""

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
        return markup.document(self.schema, self.to_dict(), indent)

    def to_csv(self) -> str:
        """A line per record, full precision."""
        return markup.records_to_csv(self.records())

    def to_markdown(self) -> str:
        """A Markdown table, and the notes below it."""
        notes = [markup.in_markdown(note) for note in self.notes()]
        return "\n\n".join([markup.to_markdown(self.table()), *notes])

    def to_latex(self) -> str:
        """A booktabs table with the notes as comments."""
        return markup.to_latex(self.table(), self.notes())

    def to_frame(self, library: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame of the records."""
        return frame_of(self.records(), library)
