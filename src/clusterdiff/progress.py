"""Progress of long work: a bar on the terminal or in a notebook, nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

from clusterdiff.cleanup import at_the_end
from clusterdiff.errors import printable

AFTER = 1.0
"""Seconds before a bar appears: short work stays silent."""
BETWEEN = 0.2
"""Seconds between two pictures of a bar in a notebook."""
_open = False
"""Whether there is a bar already."""


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Call what this gives with each amount of work done, out of `total`.

    Work within other work shows no bar of its own.
    """
    global _open
    kind = None if _open else _bar_for_here()
    if kind is None:
        yield lambda done: None
        return
    _open = True
    bar = kind(printable(what), total)
    begin, shown = time.monotonic(), False

    def advance(done: int) -> None:
        nonlocal shown
        if not shown and time.monotonic() - begin > AFTER:
            bar.start()
            shown = True
        bar.advance(done)

    with at_the_end(lambda: bar.leave() if shown else None):
        try:
            yield advance
        finally:
            _open = False
            if shown:
                bar.stop()


def _bar_for_here() -> type[TerminalBar | NotebookBar] | None:
    """The bar for a terminal or for a notebook; None in a pipe."""
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalBar
    ipython = sys.modules.get("IPython")
    in_notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
    return NotebookBar if in_notebook else None


class TerminalBar:
    """A bar of rich."""

    def __init__(self, what: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        words = TextColumn("{task.description}", style="progress.description", markup=False)
        columns = (words, *Progress.get_default_columns()[1:])
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task(what, total=total)

    def start(self) -> None:
        """Show the bar."""
        self.bar.start()

    def advance(self, done: int) -> None:
        """Add work done, whether the bar is shown or not."""
        self.bar.advance(self.task, done)

    def stop(self) -> None:
        """Remove the bar."""
        self.bar.stop()

    def leave(self) -> None:
        """Show the cursor again, when the process ends in the middle of the work."""
        sys.stderr.write("\x1b[?25h")
        sys.stderr.flush()


class NotebookBar:
    """A bar in the output of a cell, in plain HTML: it needs no widgets."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.handle: Any = None
        self.drawn = 0.0

    def start(self) -> None:
        """Show the bar."""
        display: Any = import_module("IPython.display").display
        self.handle = display(self._picture(), raw=True, display_id=True)

    def advance(self, done: int) -> None:
        """Add work done; the bar is not drawn more often than eyes see."""
        self.done += done
        now = time.monotonic()
        if self.handle is not None and now - self.drawn > BETWEEN:
            self.drawn = now
            self.handle.update(self._picture(), raw=True)

    def stop(self) -> None:
        """Remove the bar."""
        self.handle.update({"text/html": "", "text/plain": ""}, raw=True)

    def leave(self) -> None:
        """Do nothing when the process ends: the output of a cell goes with its notebook."""

    def _picture(self) -> dict[str, str]:
        """The bar as HTML, and as text for notebooks that show no HTML."""
        share = min(self.done / self.total, 1.0) if self.total else 1.0
        bar = f'<progress value="{share:.3f}"></progress>'
        html = f"<div>{escape(self.what)} {bar} {share:.0%}</div>"
        return {"text/html": html, "text/plain": f"{self.what} {share:.0%}"}
