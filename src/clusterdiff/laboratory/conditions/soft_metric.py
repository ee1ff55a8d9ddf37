"""The metric conditions on uncertain clusterings, as conditions like all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clusterdiff.laboratory.condition import Axiom, Scored, Space, Values
from clusterdiff.laboratory.conditions.soft_verdicts import rough_verdicts
from clusterdiff.laboratory.search.engine import HOLDS
from clusterdiff.laboratory.subject import Subject
from clusterdiff.laboratory.verdict import Verdict
from clusterdiff.measures import Measure

MEANINGS = {
    "rough_symmetry": "truth and guess exchanged score the same, of rough clusterings too",
    "rough_separation": "only clusterings that allow the same partitions are at distance 0",
    "rough_triangle": "as a distance, no way round by a third rough clustering is shorter",
    "rough_bounds": "scores of rough clusterings are from 0 to 1",
}
_NONE = Space("soft", "rough clusterings of up to {} objects", lambda most: iter(()), 3)


@lru_cache(maxsize=8)
def _verdicts(measure: Measure) -> dict[str, Verdict]:
    return {verdict.axiom: verdict for verdict in rough_verdicts(measure)}


@dataclass(frozen=True, kw_only=True)
class RoughCondition(Axiom):
    """A condition that is judged on all small rough clusterings at once."""

    def unfit(self, subject: Subject) -> str:
        """Measures that take no uncertain clusterings."""
        if subject.measure is None or "soft" not in subject.kinds:
            return f"{subject.name} takes no uncertain clusterings"
        return ""

    def at_once(self, subject: Subject, most: int, seconds: float | None) -> Verdict:
        """The verdict."""
        assert subject.measure is not None
        return _verdicts(subject.measure)[self.name]

    def cases(self, start: Any) -> Iterator[Scored]:
        """None one by one."""
        return iter(())

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Nothing is judged one by one."""
        return HOLDS


UNCERTAIN = tuple(
    RoughCondition(name=name, meaning=meaning, cite="campagner2023", group="uncertain", space=_NONE)
    for name, meaning in MEANINGS.items()
)
