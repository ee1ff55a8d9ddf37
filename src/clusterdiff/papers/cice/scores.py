"""The measures of the CICE-BCubed paper: precision, recall and F of each."""

from __future__ import annotations

from clusterdiff.measures import Measure
from clusterdiff.measures.hard.bcubed import bcubed_f, bcubed_precision, bcubed_recall
from clusterdiff.measures.overlapping import bcubed as covers

EXTENDED: dict[str, Measure] = {
    "P": covers.extended_bcubed_precision,
    "R": covers.extended_bcubed_recall,
    "F": covers.extended_bcubed_f,
}
CICE: dict[str, Measure] = {
    "P": covers.cice_precision, "R": covers.cice_recall, "F": covers.cice_f,
}  # fmt: skip
BCUBED: dict[str, Measure] = {"P": bcubed_precision, "R": bcubed_recall, "F": bcubed_f(f="means")}
