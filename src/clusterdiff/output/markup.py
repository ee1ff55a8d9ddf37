"""Tables as Markdown, LaTeX and CSV; anything as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from functools import partial
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any

from clusterdiff.errors import moves_cursor, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clusterdiff.output.table import CellTable

_STRANGE = re.compile(r"[^\n -~]")
_SPELT = {
    "\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater",
}  # fmt: skip
LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {c: rf"\text{name}{{}}" for c, name in _SPELT.items()}
    | {"−": "$-$", "†": r"$\dagger$"}
)
SHORT = 24
"""Characters of cells that are not broken into lines in HTML."""
MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|*`[]_"} | {"<": "&lt;", ">": "&gt;"})


def to_markdown(table: CellTable) -> str:
    """A pipe table; the best of each row is bold."""
    rows = table.marked(in_markdown, "**", "**")
    marks = ["---:" if j in table.numbers else "---" for j in range(len(table.headings))]
    lines = [[in_markdown(h) for h in table.headings], marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def to_latex(table: CellTable, notes: Iterable[str] = ()) -> str:
    """A booktabs table; notes come as comments above it."""
    rows = [list(map(in_latex, table.headings)), *table.marked(in_latex, r"\textbf{", "}")]
    head, *body = [" & ".join(row) + r" \\" for row in rows]
    columns = "".join("r" if j in table.numbers else "l" for j in range(len(table.headings)))
    return "\n".join(
        [
            *(f"% {one_line(note)}" for note in notes),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def to_html(table: CellTable) -> str:
    """An HTML table; the best of each row is bold and has the mark of the text, and numbers stand
    at the right.
    """

    def written(text: str) -> str:
        return escape(one_line(text))

    def line(tag: str, cells: Iterable[str], styles: Iterable[str]) -> str:
        pairs = zip(cells, styles, strict=True)
        made = (f'<{tag} style="{style}">{cell}</{tag}>' for cell, style in pairs)
        return f"<tr>{''.join(made)}</tr>"

    many = range(len(table.headings))
    sides = [f"text-align:{'right' if j in table.numbers else 'left'}" for j in many]
    short = [all(len(row[j]) <= SHORT for row in table.rows) for j in many]
    whole = [side + ";white-space:nowrap" * fits for side, fits in zip(sides, short, strict=True)]
    head = line("th", map(written, table.headings), sides) if any(table.headings) else ""
    body = "".join(line("td", row, whole) for row in table.marked(written, "<b>", "</b> ▲"))
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def text_to_html(text: str) -> str:
    """A paragraph whose lines stay apart; what is aligned by blanks stays so."""
    lines = text.splitlines()
    style = "overflow-wrap:anywhere"
    if any("  " in line.strip() for line in lines):
        style = f"font-family:monospace;white-space:pre-wrap;{style}"
    return f'<p style="{style}">{"<br>".join(map(escape, lines))}</p>'


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON in which all that could move a cursor is escaped, so that nothing is lost; a number that
    is none is null.
    """
    written = partial(json.dumps, indent=indent, ensure_ascii=False, default=str)
    try:
        text = written(value, allow_nan=False)
    except ValueError:  # NaN and infinity, which JSON does not have
        text = written(_finite(value))
    return _STRANGE.sub(_escaped, text)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def document(schema: str, told: Mapping[str, Any], indent: int | None = 2) -> str:
    """A result as JSON that says first which schema it follows (`clusterdiff/schemas`)."""
    return to_json({"schema": f"clusterdiff/{schema}", **told}, indent)


def _escaped(found: re.Match[str]) -> str:
    character = found.group()
    return json.dumps(character)[1:-1] if moves_cursor(character) else character


def to_csv(headings: Sequence[str] | None, rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values, below headings if there are any; a text that a spreadsheet would run
    as a formula gets a quote.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")  # both characters are quoted inside a cell
    lines = []
    for row in chain(() if headings is None else (headings,), rows):
        writer.writerow([inert(cell) for cell in row])
        lines.append(out.getvalue().removesuffix("\r\n"))
        out.seek(0)
        out.truncate()
    return "".join(f"{line}\n" for line in lines)


def records_to_csv(
    records: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, heading: bool = True
) -> str:
    """Records as comma-separated values, lists and dicts in them as JSON; the columns are those of
    the first record, or the ones named where there is no record.
    """
    rows = (
        [to_json(v) if isinstance(v, list | tuple | dict) else v for v in record.values()]
        for record in records
    )
    names = list(records[0]) if records else columns
    return to_csv(names if heading else None, rows)


def inert(cell: object) -> object:
    """A value of a table; a text that a spreadsheet would run as a formula gets a quote."""
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + cell
    return cell


def one_line(text: str) -> str:
    """The text on one line, without control characters."""
    return printable(" ".join(text.split()))


def in_markdown(text: str) -> str:
    """A text on one line in which nothing is markup."""
    return one_line(text).translate(MARKDOWN)


def in_latex(text: str) -> str:
    """A text on one line in which nothing is a command."""
    return one_line(text).translate(LATEX)
