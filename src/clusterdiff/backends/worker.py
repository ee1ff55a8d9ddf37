"""A thread that does one job after the other, so that an interrupt is heard meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Worker:
    """A thread for the queries of a session: a new one for each costs as much as a small query."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._open = True
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            del job  # and with it the rows that it fetched

    def start(self, job: Callable[[], None]) -> None:
        """Do it beside what goes on here; once closed, at once."""
        self._jobs.put(job) if self._open else job()

    def close(self) -> None:
        """End the thread when it has done what it was given."""
        self._open = False
        self._jobs.put(None)
