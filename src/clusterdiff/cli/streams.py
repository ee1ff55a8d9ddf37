"""Standard output and error in whatever encoding they have, for whoever still reads them."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from clusterdiff.cleanup import temporary_folder
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.output.formats import output_formats, rendered

OURS = {
    "▲": "^", "†": "*", "✓": "+", "✗": "x", "·": ".", "…": "...", "–": "-", "—": "-", "−": "-",
    "±": "+-",
    "×": "x", "→": "->", "≤": "<=", "≥": ">=", "≠": "!=", "²": "^2", "₀": "0", "₁": "1", "�": "?",
}  # fmt: skip
"""Signs that we write ourselves, for streams that cannot take them."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Characters as \u00e9, which JSON reads back."""
    assert isinstance(error, UnicodeEncodeError)
    words = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (words[i : i + 2].hex() for i in range(0, len(words), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """A sign of ours as others write it, all else escaped."""
    assert isinstance(error, UnicodeEncodeError)
    sign = error.object[error.start]
    return (OURS[sign], error.start + 1) if sign in OURS else _escaped(_only_first(error))


def _only_first(error: UnicodeEncodeError) -> UnicodeEncodeError:
    given = error.encoding, error.object, error.start, error.start + 1, error.reason
    return UnicodeEncodeError(*given)


codecs.register_error("clusterdiff", _replaced)
codecs.register_error("clusterdiff-exact", _escaped)


def prepare() -> None:
    """Nothing that is written is lost or becomes a question mark, and lines end alike on every
    system; closed streams are empty.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="clusterdiff", newline="\n")


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write a text, in the encoding of the stream; a terminal gets nothing that moves its cursor,
    a file or a pipe the very text.
    """
    stream = sys.stderr if err else sys.stdout
    if err or stream.isatty():
        text = "\n".join(map(printable, text.split("\n")))
    print(text, end="\n" if nl else "", file=stream, flush=True)


def width() -> int:
    """Columns of the terminal; 80 in a pipe, unless COLUMNS says otherwise."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def show(result: Any, format: str = "text", **limits: Any) -> None:
    """Write a result; as text on a terminal, with colour and emphasis."""
    how = output_formats()[format]
    if how.needs == "to_text" and hasattr(result, "styled") and sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False, soft_wrap=True)
        for line in result.styled(width(), **limits):
            console.print(line)
        return
    if how.needs == "to_csv" and hasattr(result, "csv_in_turn"):
        for piece in result.csv_in_turn(**limits):
            say(exact(piece), nl=False)
        return
    text = rendered(result, format, width(), **limits).removesuffix("\n")
    say(exact(text) if how.data else text)


def say_page(html: str) -> None:
    """Write a page, which is UTF-8 and says so."""
    _pour([html.encode()])


def on_stdout(**places: str | None) -> str | None:
    """Which result goes to standard output, given as -; it takes one at most."""
    found = [what for what, place in places.items() if place == "-"]
    if len(found) > 1:
        raise ClusterdiffError(
            f"standard output takes one table, not {' and '.join(found)}.",
            "name files for all but one of them.",
        )
    return found[0] if found else None


def say_written(write: Callable[[Path], None]) -> None:
    """Write to standard output what this writes to a file: as it is; to a terminal, what moves its
    cursor escaped.
    """
    with temporary_folder() as folder:
        write(folder / "out.csv")
        _say_file(folder / "out.csv")


def _say_file(path: Path) -> None:
    if sys.stdout.isatty():
        with open(path, encoding="utf-8", newline="") as lines:
            for line in lines:
                say(line.rstrip("\r\n"))
        return
    with open(path, "rb") as made:
        _pour(iter(partial(made.read, 1 << 20), b""))


def _pour(parts: Iterable[bytes]) -> None:
    """Write bytes as they are, also where standard output has none below it."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    for data in parts:
        if raw is None:
            say(data.decode(), nl=False)
        else:
            raw.write(data)
    if raw is not None:
        raw.flush()


def exact(text: str) -> str:
    """Data as JSON; characters that standard output cannot encode are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "clusterdiff-exact").decode(encoding)


def flush() -> None:
    """Write what is left to write; a reader that has gone is a `BrokenPipeError`."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError):
            stream.flush()
