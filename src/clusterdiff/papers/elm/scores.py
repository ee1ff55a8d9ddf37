"""What the ELM paper scores: one F1 of a clustering in four ways, and each element's own."""

from __future__ import annotations

from typing import Any

from clusterdiff.backends.dispatch import rows_of_objects
from clusterdiff.clusterings import Partition
from clusterdiff.measures import Measure
from clusterdiff.measures.hard.bcubed import bcubed_f, elm_f
from clusterdiff.meet import Policy

F1: dict[str, Measure] = {
    "ELM F1": elm_f,
    "ELM F1 of the means": elm_f(f="means"),
    "BCubed F1": bcubed_f,
    "BCubed F1 of the means": bcubed_f(f="means"),
}
"""Without more said, F1 is the mean of the elements' own."""


def own_scores(measure: Measure, truth: Any, guess: Any) -> list[Any]:
    """The score of each element."""
    rows, row, _ = rows_of_objects(Partition(truth), Partition(guess), Policy())
    values = measure.rows_of(rows)
    assert values is not None
    found: list[Any] = values[row].tolist()
    return found
