"""What the function of a measure takes of a comparison, if that has a meaning for the measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.errors import KindError
from clusterdiff.meet import CoverMeet, HardMeet, Sketch, SoftMeet

if TYPE_CHECKING:
    from clusterdiff.measures.core.measure import Measure
    from clusterdiff.meet import Meet, Rows


def fitting(measure: Measure, meet: Meet, shapes: bool = True) -> Rows:
    """What the function takes of a comparison, if it has a meaning for the measure."""
    if meet.alignment.policy == "penalise" and not measure.claims.penalise:
        cover = isinstance(meet, CoverMeet) or measure.needs == {"cover"}
        near = "extended_bcubed_f or cice_f" if cover else "bcubed_f, elm_f, ceaf_m_f or pair_f"
        raise KindError.from_penalised(measure.name, near)
    if isinstance(meet, Sketch):
        if "shapes" not in measure.needs:
            raise meet.refused(str(measure))
        return meet
    if "soft" in measure.needs:
        return meet if isinstance(meet, SoftMeet) else _partitions(measure, meet).soft
    if isinstance(meet, SoftMeet):
        meet = _settled(measure, meet)
    if isinstance(meet, CoverMeet) and "cover" in measure.needs:
        return meet
    meet = _partitions(measure, meet)
    if measure.needs == {"cover"}:
        return meet.cover
    return meet.shapes if shapes and "shapes" in measure.needs else meet


def _partitions(measure: Measure, meet: HardMeet | CoverMeet) -> HardMeet:
    """A comparison of partitions, also where they were given as covers."""
    if isinstance(meet, HardMeet):
        return meet
    if meet.is_hard:
        return meet.hard
    raise KindError.from_kind(measure.name, _overlapping(measure), meet.not_in_one, meet.objects)


def _settled(measure: Measure, meet: SoftMeet) -> HardMeet:
    """A comparison of uncertain clusterings in which all is certain as one of partitions."""
    if meet.is_hard:
        return meet.hard
    sides = (("truth", meet.truth), ("guess", meet.guess))
    vague = [(name, side.kind) for name, side in sides if side.labels is None]
    overlap = measure.needs == {"cover"}
    similar = measure.claims.best in (0.0, 1.0) and not overlap
    near = f"transport({measure.name}) and rand_alpha take" if similar else "rand_alpha takes"
    what = "covers" if overlap else "partitions"
    raise KindError.from_soft(measure.name, what, vague, f"{near} uncertain clusterings")


def _overlapping(measure: Measure) -> str:
    """The nearest measure of overlapping clusterings."""
    part = measure.name.rpartition("_")[2]
    if measure.family in ("bcubed", "coreference"):
        return f"extended_bcubed_{part if part in ('precision', 'recall') else 'f'}"
    near = {"pairs": "omega", "chance": "omega", "information": "onmi"}
    return near.get(measure.family, "cover_f1")
