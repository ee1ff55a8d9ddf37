"""Meets: how many objects have each pair of descriptions."""

from collections.abc import Sequence

from clusterdiff.contingency.alignment import (
    ABSTAIN,
    ALIGNMENTS,
    Alignment,
    Among,
    Policy,
    VotingPolicy,
)
from clusterdiff.contingency.base import Rows, Sizes
from clusterdiff.contingency.between import BetweenMeet
from clusterdiff.contingency.cover import CoverMeet, CoverSide, cover_union
from clusterdiff.contingency.hard import Counted, Features, HardMeet, Shapes, Sketch, hard_union
from clusterdiff.contingency.soft import SoftMeet, SoftSide, known_for_certain, soft_union
from clusterdiff.contingency.stack import Listed, Stack
from clusterdiff.errors import MeetError

Meet = HardMeet | CoverMeet | SoftMeet | Sketch


def union(meets: Sequence[Rows]) -> Meet:
    """The meet of the disjoint union of many comparisons, hard ones lifted to what the rest are."""
    hard = [m for m in meets if isinstance(m, HardMeet)]
    if len(hard) == len(meets):
        return hard_union(hard)
    kinds = {type(m) for m in meets if not isinstance(m, HardMeet)}
    if kinds == {SoftMeet}:
        lifted = (m.soft if isinstance(m, HardMeet) else m for m in meets)
        return soft_union([m for m in lifted if isinstance(m, SoftMeet)])
    if kinds == {CoverMeet}:
        covers = (m.cover if isinstance(m, HardMeet) else m for m in meets)
        return cover_union([m for m in covers if isinstance(m, CoverMeet)])
    named = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise MeetError(
        f"{named} cannot be added: no measure takes both.",
        "add meets of one kind; those of partitions go with each.",
    )


__all__ = [
    "ABSTAIN",
    "ALIGNMENTS",
    "Alignment",
    "Among",
    "BetweenMeet",
    "Counted",
    "CoverMeet",
    "CoverSide",
    "Features",
    "HardMeet",
    "Listed",
    "Meet",
    "Policy",
    "Rows",
    "Shapes",
    "Sizes",
    "Sketch",
    "SoftMeet",
    "SoftSide",
    "Stack",
    "VotingPolicy",
    "known_for_certain",
    "union",
]
