"""Meets: how many objects have each pair of descriptions."""

from clusterdiff.meet.align import ALIGNMENTS, Alignment, Policy
from clusterdiff.meet.base import Rows, Sizes
from clusterdiff.meet.cover import CoverMeet, Side, cover_union
from clusterdiff.meet.hard import Features, HardMeet, hard_union
from clusterdiff.meet.shapes import Counted, Shapes
from clusterdiff.meet.sketch import Sketch
from clusterdiff.meet.soft import SoftMeet, SoftSide, known_for_certain, soft_union
from clusterdiff.meet.stack import Listed, Stack

Meet = HardMeet | CoverMeet | SoftMeet | Sketch


def union(meets: list[Meet]) -> Meet:
    """The meet of the disjoint union of many comparisons, hard ones lifted to what the rest are."""
    hard = [m for m in meets if isinstance(m, HardMeet)]
    if len(hard) == len(meets):
        return hard_union(hard)
    soft = [m.soft if isinstance(m, HardMeet) else m for m in meets if not isinstance(m, CoverMeet)]
    if len(soft) == len(meets):
        return soft_union([m for m in soft if isinstance(m, SoftMeet)])
    covers = [m.cover if isinstance(m, HardMeet) else m for m in meets]
    return cover_union([m for m in covers if isinstance(m, CoverMeet)])


__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "Counted",
    "CoverMeet",
    "Features",
    "HardMeet",
    "Listed",
    "Meet",
    "Policy",
    "Rows",
    "Shapes",
    "Side",
    "Sizes",
    "Sketch",
    "SoftMeet",
    "SoftSide",
    "Stack",
    "known_for_certain",
    "union",
]
