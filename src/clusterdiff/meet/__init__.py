"""Meets: how many objects have each pair of descriptions."""

from clusterdiff.meet.align import ALIGNMENTS, Alignment, Policy
from clusterdiff.meet.hard import Features, HardMeet
from clusterdiff.meet.shapes import Counted, Shapes, Sizes

__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "Counted",
    "Features",
    "HardMeet",
    "Policy",
    "Shapes",
    "Sizes",
]
