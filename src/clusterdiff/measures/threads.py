"""Long work in threads: in blocks, with a bar on the terminal, and an interrupt that ends it."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from clusterdiff.clusterings.kernels import workers
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Scratch = TypeVar("Scratch")
BLOCK = 5_000_000
"""Steps of work between two looks at the clock: some hundredths of a second."""


def in_threads(
    work: Callable[[int, int, Scratch], None],
    cost: Ints,
    scratch: Callable[[], Scratch],
    what: str,
) -> list[Scratch]:
    """Do work(begin, end) for all items, which have these costs, each thread in its own scratch.

    Blocks that have not begun when an interrupt comes are left.
    """
    ends = np.cumsum(cost)
    total = int(ends[-1]) if ends.size else 0
    inner = np.searchsorted(ends, np.arange(BLOCK, total, BLOCK), side="right")
    edges = np.unique(np.concatenate([[0], inner, [cost.size]])).tolist()
    blocks = list(pairwise(edges))
    rooms = [scratch() for _ in range(max(1, min(workers(), len(blocks))))]
    idle: SimpleQueue[Scratch] = SimpleQueue()
    for room in rooms:
        idle.put(room)

    def run(begin: int, end: int) -> int:
        mine = idle.get()
        try:
            work(begin, end, mine)
        finally:
            idle.put(mine)
        return end - begin

    if len(blocks) == 1:
        run(*blocks[0])
        return rooms
    pool = ThreadPoolExecutor(len(rooms))
    try:
        with progress(what, cost.size) as advance:
            waiting = {pool.submit(run, *block) for block in blocks}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for one in done:
                    advance(one.result())
    finally:
        pool.shutdown(cancel_futures=True)
    return rooms
