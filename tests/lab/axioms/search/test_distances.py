"""Whether distances are a metric, and where they first are not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from clusterdiff_lab.axioms.distances import Metric, exact, metric
from clusterdiff_lab.axioms.soft import all_hard, levels


def aligned(*rows: list[float]) -> Metric:
    return metric(np.array(rows, float), np.zeros(len(rows), np.int64))


def test_each_property_of_a_metric_can_fail() -> None:
    assert aligned([0, 1], [1, 0]).kind == "metric"
    assert aligned([1, 1], [1, 0]).own == (0, 0)
    assert aligned([0, 1], [2, 0]).symmetry == (0, 1)
    assert aligned([0, 0], [0, 0]).kind == "pseudo-metric"
    far = aligned([0, 1, 3], [1, 0, 1], [3, 1, 0])
    assert far.triangle == (0, 1, 2)
    assert far.constant == Fraction(3, 2)
    assert far.kind == "semi-metric, 3/2-relaxed"
    assert aligned([0, 0, 1], [0, 0, 0], [1, 0, 0]).kind == "consistency"
    assert aligned([0, 2, 0], [2, 0, 1], [0, 1, 0]).kind == "2-relaxed pseudo-metric"
    assert aligned([0, 1], [2, 0]).kind == "no distance"


def test_the_lowest_level_is_told() -> None:
    d = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], float)
    assert metric(d, np.array([0, 1, 1])).separation == (0, 2)
    assert metric(d, np.array([1, 0, 0])).separation == (1, 2)
    assert levels(all_hard(3)).tolist() == [0, 1, 1, 1, 2]


def test_a_relaxed_triangle_inequality_is_tried_with_its_factor() -> None:
    d = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]], float)
    level = np.zeros(3, np.int64)
    assert metric(d, level, relaxed=1.4).triangle is not None
    assert metric(d, level, relaxed=1.5).triangle is None


def test_fractions_are_told_from_other_numbers() -> None:
    assert exact(0.1 + 0.2) == Fraction(3, 10)
    assert exact(math.sqrt(3)) == math.sqrt(3)
    assert exact(math.inf) == math.inf
