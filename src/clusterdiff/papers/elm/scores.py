"""The four ways to have one F1 of a clustering that the ELM paper is about."""

from __future__ import annotations

from clusterdiff.measures import Measure
from clusterdiff.measures.hard.bcubed import bcubed_f, elm_f

F1: dict[str, Measure] = {
    "ELM F1": elm_f,
    "ELM F1 of the means": elm_f(f="means"),
    "BCubed F1": bcubed_f,
    "BCubed F1 of the means": bcubed_f(f="means"),
}
"""Without more said, F1 is the mean of the elements' own."""
