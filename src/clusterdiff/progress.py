"""Progress of long work: a bar on the terminal, nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clusterdiff.errors import printable
from clusterdiff.tidy import at_the_end

AFTER = 1.0
"""Seconds before a bar appears: short work stays silent."""
_open = False
"""Whether there is a bar already."""


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Call what this gives with each amount of work done, out of `total`.

    Work within other work shows no bar of its own.
    """
    global _open
    if _open or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    _open = True
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    words = TextColumn("{task.description}", style="progress.description", markup=False)
    columns = (words, *Progress.get_default_columns()[1:])
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(printable(what), total=total)
    begin, shown = time.monotonic(), False

    def advance(done: int) -> None:
        nonlocal shown
        if not shown and time.monotonic() - begin > AFTER:
            bar.start()
            shown = True
        bar.advance(task, done)

    def show_cursor() -> None:
        if shown:
            sys.stderr.write("\x1b[?25h")
            sys.stderr.flush()

    with at_the_end(show_cursor):
        try:
            yield advance
        finally:
            _open = False
            if shown:
                bar.stop()
