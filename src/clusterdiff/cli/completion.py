"""What a shell completes: measures, and the columns of the files on the command line.

A shell asks anew at every key, so that what is wrong with a file completes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import typer

TYPED = "clusterdiff.typed"
"""Where a context has the arguments of a verb: it has no parameters if the last lacks a value."""
SEPARATOR = "::"
"""What stands between a file and its column; bash takes it for a word of its own."""


class Column(str):
    """The name of a column behind `SEPARATOR`, which a shell that has split the word appends."""

    def startswith(self, *_: Any) -> bool:
        """Whether it goes on from what is typed: yes, `paths` has looked."""
        return True


def measures(incomplete: str) -> Iterator[tuple[str, str]]:
    """Measures with their first line; of several with commas between them, the last."""
    from clusterdiff.measures import measures as every

    before, comma, _ = incomplete.rpartition(",")
    for measure in every():
        yield before + comma + measure.name, measure.meaning


def columns(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """The columns of the files that are named; of several with commas between them, the last."""
    before, comma, _ = incomplete.rpartition(",")
    for name in dict.fromkeys(name for path in ctx.meta[TYPED] for name in names_in(path)):
        yield before + comma + name


def paths(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """The columns behind FILE::; files themselves are left to the shell."""
    file, separator, start = incomplete.rpartition(SEPARATOR)
    if file and separator:
        yield from (f"{file}{SEPARATOR}{name}" for name in names_in(file))
        return
    words = os.environ.get("COMP_WORDS", "").split()
    place = int(os.environ.get("COMP_CWORD", "0")) - (not separator)
    if 1 < place < len(words) and words[place] == SEPARATOR:
        yield from (Column(n) for n in names_in(words[place - 1]) if n.startswith(start))


def names_in(path: str) -> list[str]:
    """The columns of a table, or the clusterings of a JSON object; none of anything else."""
    from clusterdiff.io.read import source_of

    file = path.partition(SEPARATOR)[0]
    with suppress(Exception), ExitStack() as stack:
        if os.path.isfile(file):
            source, form = source_of(stack, file, header=True)
            return [] if form.names is None else list(form.names(source))
    return []
