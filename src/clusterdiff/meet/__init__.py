"""Meets: how many objects have each pair of descriptions."""

from clusterdiff.meet.align import ALIGNMENTS, Alignment, Policy
from clusterdiff.meet.base import Rows, Sizes
from clusterdiff.meet.cover import CoverMeet, Side, cover_union
from clusterdiff.meet.hard import Features, HardMeet, hard_union
from clusterdiff.meet.shapes import Counted, Shapes

Meet = HardMeet | CoverMeet


def union(meets: list[Meet]) -> Meet:
    """The meet of the disjoint union of many comparisons, hard ones lifted where some overlap."""
    hard = [m for m in meets if isinstance(m, HardMeet)]
    if len(hard) == len(meets):
        return hard_union(hard)
    return cover_union([m.cover if isinstance(m, HardMeet) else m for m in meets])


__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "Counted",
    "CoverMeet",
    "Features",
    "HardMeet",
    "Meet",
    "Policy",
    "Rows",
    "Shapes",
    "Side",
    "Sizes",
    "union",
]
