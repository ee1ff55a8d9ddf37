"""Long work in threads: in blocks, with a bar on the terminal, and an interrupt that ends it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from math import fsum
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.grouping import workers
from clusterdiff.progress import progress

Scratch = TypeVar("Scratch")
BLOCK = 5_000_000
"""Steps of work between two looks at the clock: some hundredths of a second."""
PATIENCE = 5.0
"""Seconds that an interrupt waits for the blocks that have begun."""


def summed_in_threads(
    part: Callable[[int, int], Floats], cost: Ints, size: int, what: str
) -> Floats:
    """The sum of part(begin, end) over all items, the same to the last bit whatever thread does
    which of them.
    """
    found: dict[int, Floats] = {}

    def work(begin: int, end: int, _: None) -> None:
        found[begin] = part(begin, end)

    in_threads(work, cost, lambda: None, what)
    parts = np.array([np.zeros(size), *found.values()])
    return np.array([fsum(column) for column in parts.T.tolist()])


def in_threads(
    work: Callable[[int, int, Scratch], None],
    cost: Ints,
    scratch: Callable[[], Scratch],
    what: str,
) -> list[Scratch]:
    """Do work(begin, end) for all items, which have these costs, each thread in its own scratch.

    Blocks that have not begun when an interrupt comes are left. The main thread waits on a queue
    alone: it holds no lock that an interrupt could leave behind.
    """
    ends = np.cumsum(cost)
    total = int(ends[-1]) if ends.size else 0
    inner = np.searchsorted(ends, np.arange(BLOCK, total, BLOCK), side="right")
    blocks = list(pairwise(np.unique(np.concatenate([[0], inner, [cost.size]])).tolist()))
    rooms = [scratch() for _ in range(max(1, min(workers(), len(blocks))))]
    if len(blocks) == 1:
        work(*blocks[0], rooms[0])
        return rooms
    waiting: SimpleQueue[tuple[int, int]] = SimpleQueue()
    done: SimpleQueue[int | BaseException] = SimpleQueue()
    stop = Event()
    for block in blocks:
        waiting.put(block)

    def run(room: Scratch) -> None:
        with suppress(Empty):
            while not stop.is_set():
                begin, end = waiting.get_nowait()
                try:
                    work(begin, end, room)
                except BaseException as error:
                    done.put(error)
                    return
                done.put(end - begin)

    threads = [Thread(target=run, args=(room,), daemon=True) for room in rooms]
    for thread in threads:
        thread.start()
    try:
        with progress(what, cost.size) as advance:
            for _ in blocks:
                finished = done.get()
                if isinstance(finished, BaseException):
                    raise finished
                advance(finished)
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
    return rooms
