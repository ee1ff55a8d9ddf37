"""Results for eyes: in a terminal, in a notebook and by rich, from the same blocks."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.results.render.markup import text_to_html, to_html
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import printable, styled_lines, to_text, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Listing(NamedTuple):
    """Lines for a terminal that are a table in a notebook."""

    text: str
    table: CellTable


Block = str | CellTable | Listing
WIDE = 10_000
"""Columns of a notebook, which breaks lines by itself."""
STYLES = {"heading": "bold", "best": "bold green", "": ""}
FATES = r"(?m)^ {2,9}[-+<]?[\d.]+(?: %)?  +(?:(?P<green>repaired|better|right)|(?P<red>[a-z]+))\b"
"""What became of the parts of a ranking; groups are called like their colours."""


class Renderable(ABC):
    """A result that is shown as paragraphs and tables."""

    @abstractmethod
    def blocks(self, width: int) -> Iterable[Block]:
        """Paragraphs, in lines that fit so many columns, and tables."""

    def to_text(self, width: int | None = None) -> str:
        """The result for a terminal of this width."""
        columns = width or shutil.get_terminal_size().columns
        return blocks_to_text(self.blocks(columns), columns)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The result in a notebook."""
        return f'<div style="overflow-x:auto">{"".join(map(_html, self.blocks(WIDE)))}</div>'

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """The result as rich prints it."""
        from rich.text import Text

        for place, block in enumerate(self.blocks(options.max_width)):
            if place:
                yield Text()
            if isinstance(block, CellTable):
                for line in styled_lines(block, options.max_width):
                    yield Text.assemble(*((cell, STYLES[style]) for cell, style in line))
                continue
            text = Text(_text(block, options.max_width))
            if isinstance(block, Listing):
                text.highlight_regex(FATES)
            yield text


def blocks_to_text(blocks: Iterable[Block], width: int) -> str:
    """Blocks one below the other, with an empty line between them."""
    return "\n\n".join(_text(block, width) for block in blocks)


def _text(block: Block, width: int) -> str:
    if isinstance(block, CellTable):
        return to_text(block, width)
    return block.text if isinstance(block, Listing) else block


def _html(block: Block) -> str:
    if isinstance(block, str):
        return text_to_html(block)
    return to_html(block.table if isinstance(block, Listing) else block)


def paragraphs(texts: Iterable[str], width: int, indent: str = "") -> list[str]:
    """Texts as one block of lines that fit; none where there is no text."""
    made = "\n".join(wrapped(printable(text), width, indent) for text in texts)
    return [made] if made else []
