"""The best line, ties, and the flat run around it."""

from __future__ import annotations

import numpy as np
import pytest

from clusterdiff.errors import ClusterdiffError
from clusterdiff.sweep.curve import best_line


def by_definition(values: list[float], distance: bool, slack: float) -> tuple[int, int, int]:
    signed = [-v if distance else v for v in values]
    line = signed.index(max(signed))
    first = last = line
    while first > 0 and signed[first - 1] >= max(signed) - slack:
        first -= 1
    while last + 1 < len(signed) and signed[last + 1] >= max(signed) - slack:
        last += 1
    return line, first, last


def test_the_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        values = rng.integers(0, 8, rng.integers(1, 12)) / 8
        distance, slack = bool(rng.integers(2)), float(rng.choice([0.0, 0.125, 0.25]))
        best = best_line(values, distance=distance, slack=slack)
        assert (best.line, best.first, best.last) == by_definition(values.tolist(), distance, slack)
        assert best.value == values[best.line]


def test_a_tie_goes_to_the_highest_threshold_though_rounding_hides_it() -> None:
    third = 1 / 3
    values = np.array([0.1, third, np.nextafter(third, 1), 0.2])
    assert best_line(values).line == 1
    assert best_line(-values, distance=True).line == 1


def test_large_distances_that_differ_by_one_are_no_tie() -> None:
    values = np.array([2.0**50 + 2, 2.0**50 + 1, 2.0**50])
    assert best_line(values, distance=True).line == 2
    assert best_line(values, distance=True, slack=0.5).first == 2


@pytest.mark.parametrize("slack", [-0.1, float("nan")])
def test_a_negative_slack_is_refused(slack: float) -> None:
    with pytest.raises(ClusterdiffError, match=r"slack must be 0 or more, got"):
        best_line(np.zeros(2), slack=slack)
