"""What the screen gets: plain text, and colour only where a terminal wants it."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from clusterdiff.cli.options import Told as Format
from clusterdiff.cli.streams import exact, say

if TYPE_CHECKING:
    from clusterdiff.results.explain.base import Told
    from clusterdiff.results.report import Report


def width() -> int:
    """Columns of the terminal; 80 in a pipe, unless COLUMNS says otherwise."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def show(report: Report) -> None:
    """Print a report; on a terminal the best scores are green."""
    plain = report.to_text(width())
    if not sys.stdout.isatty():
        say(plain)
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(plain)
    text.highlight_regex(r"\S+ ▲", "bold green")
    Console(highlight=False, soft_wrap=True).print(text)


def write_told(told: Told, format: Format, top: int | None, ids: int | None) -> None:
    """Write an explanation in the format that was asked for."""
    match format:
        case Format.json:
            say(exact(told.to_json(top, ids)))
        case Format.csv:
            say(exact(told.to_csv(top, ids)), nl=False)
        case Format.md:
            say(told.to_markdown(top, ids))
        case Format.latex:
            say(told.to_latex(top, ids))
        case Format.text:
            say(told.to_text(width(), top, ids))
