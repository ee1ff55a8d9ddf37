"""Sums that threads share are the same to the last bit, whoever does which part."""

from __future__ import annotations

from math import fsum
from time import sleep

import numpy as np

from clusterdiff.measures.threads import BLOCK, summed_in_threads


def test_sums_do_not_depend_on_which_thread_is_first() -> None:
    values = [1e16, 1.0, -1e16, 1.0, 3e-7, 1e9, 0.1, -1e9]
    cost = np.full(len(values), BLOCK)
    for late in range(len(values)):

        def part(begin: int, end: int, late: int = late) -> np.ndarray:
            if begin == late:
                sleep(0.01)
            return np.array([sum(values[begin:end]), float(end - begin)])

        total, items = summed_in_threads(part, cost, 2, "parts")
        assert total == fsum(values)
        assert items == len(values)


def test_nothing_sums_to_zeros() -> None:
    found = summed_in_threads(lambda begin, end: np.ones(3), np.zeros(0, np.int64), 3, "parts")
    assert found.tolist() == [0.0, 0.0, 0.0]
