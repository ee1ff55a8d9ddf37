"""Progress of long work: a bar on the terminal or in a notebook, nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Protocol

from clusterdiff.cleanup import at_the_end
from clusterdiff.errors import printable

AFTER = 1.0
"""Seconds before a bar appears: short work stays silent."""
BETWEEN = 0.2
"""Seconds between two pictures of a bar in a notebook."""
_open = False
"""Whether there is a bar already."""


class Bar(Protocol):
    """Work done out of a total, shown from `start` to `stop`."""

    def start(self) -> None:
        """Show it."""

    def advance(self, done: int) -> None:
        """So much more is done; it may not be shown yet."""

    def stop(self) -> None:
        """Take it away."""

    def leave(self) -> None:
        """The process ends, in the middle of whatever it is."""


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Call what this gives with each amount of work done, out of `total`.

    Work within other work shows no bar of its own.
    """
    global _open
    kind = None if _open else _kind()
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


def _kind() -> Callable[[str, int], Bar] | None:
    """What shows a bar here; None in a pipe."""
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalBar
    return None if _notebook() is None else NotebookBar


def _notebook() -> Any:
    """The shell of IPython, where it runs for a notebook."""
    found = sys.modules.get("IPython")
    shell = None if found is None else found.get_ipython()
    return shell if hasattr(shell, "kernel") else None


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
        """Show it."""
        self.bar.start()

    def advance(self, done: int) -> None:
        """So much more is done."""
        self.bar.advance(self.task, done)

    def stop(self) -> None:
        """Take it away."""
        self.bar.stop()

    def leave(self) -> None:
        """Show the cursor again."""
        sys.stderr.write("\x1b[?25h")
        sys.stderr.flush()


class NotebookBar:
    """A bar in the output of a cell, of plain HTML: it needs no widgets."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.handle: Any = None
        self.drawn = 0.0

    def start(self) -> None:
        """Show it."""
        display: Any = import_module("IPython.display").display
        self.handle = display(self._shown(), raw=True, display_id=True)

    def advance(self, done: int) -> None:
        """So much more is done; it is not drawn more often than eyes see."""
        self.done += done
        now = time.monotonic()
        if self.handle is not None and now - self.drawn > BETWEEN:
            self.drawn = now
            self.handle.update(self._shown(), raw=True)

    def stop(self) -> None:
        """Take it away."""
        self.handle.update({"text/html": "", "text/plain": ""}, raw=True)

    def leave(self) -> None:
        """The output of a cell goes with its notebook."""

    def _shown(self) -> dict[str, str]:
        """The bar for notebooks, and for those that show text alone."""
        share = min(self.done / self.total, 1.0) if self.total else 1.0
        bar = f'<progress value="{share:.3f}"></progress>'
        html = f"<div>{escape(self.what)} {bar} {share:.0%}</div>"
        return {"text/html": html, "text/plain": f"{self.what} {share:.0%}"}
