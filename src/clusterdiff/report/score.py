"""A score: a number that knows what it takes to have it again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clusterdiff.measures.base import Estimate
from clusterdiff.meet import HardMeet
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Meet


class Signature(dict[str, Any]):
    """What was computed, on what, how: a mapping that prints as one line."""

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.items())


@dataclass(frozen=True, eq=False)
class Score:
    """The value of a measure for one guess.

    Over samples the value is their mean (*macro*); `micro` is the score of their disjoint union
    and `each` has the score of every sample, `samples` their names.
    """

    measure: Measure
    value: float
    meet: Meet
    each: tuple[float, ...] | None = None
    samples: tuple[str, ...] = ()
    micro: float | None = None

    def __float__(self) -> float:
        return self.value

    @property
    def error(self) -> float | None:
        """Standard error, where the value was estimated from a sample of the objects."""
        return self.value.error if isinstance(self.value, Estimate) else None

    @property
    def std(self) -> float | None:
        """Standard deviation over samples (the population's, as printed in papers)."""
        if self.each is None:
            return None
        spread = math.fsum((x - self.value) ** 2 for x in self.each)
        return math.sqrt(spread / len(self.each))

    @cached_property
    def signature(self) -> Signature:
        """What was computed, on what, how: same measure, digest and version, same number."""
        m = self.meet
        parts = Signature(
            measure=self.measure.full_name,
            **({} if isinstance(m, HardMeet) else {"kind": "cover"}),
            objects=m.objects,
            clusters=f"{m.truth_sizes.clusters}x{m.guess_sizes.clusters}",
            rows=m.rows,
            align=str(m.alignment),
        )
        if m.alignment.noise_as:
            parts["noise"] = f"{m.alignment.noise} {m.alignment.noise_as}"
        if m.alignment.repeats:
            parts["repeats"] = m.alignment.repeats
        parts["0/0"] = _nothing(self.measure, m)
        if self.each is not None:
            parts["samples"] = len(self.each)
        if isinstance(self.value, Estimate):
            parts["sampled"] = f"{self.value.drawn} objects±{self.value.error:.2g}"
        given = self.measure.arguments
        if "seed" in given and (self.error is not None or "sample" not in given):
            parts["seed"] = given["seed"]
        parts |= {"meet": m.digest[:8], "version": __version__}
        return parts

    def sign(self) -> str:
        """The signature on one line."""
        rest = Signature(self.signature)
        return f"{rest.pop('measure')} = {self.value!r} | {rest}"

    def __repr__(self) -> str:
        return f"Score({self.sign()})"

    def to_dict(self) -> dict[str, Any]:
        """Value and signature, with what samples add."""
        told: dict[str, Any] = {"value": self.value}
        if self.error is not None:
            told["error"] = self.error
        if self.each is not None:
            told |= {"std": self.std, "micro": self.micro}
        return {**told, "signature": self.signature}


def _nothing(measure: Measure, meet: Meet) -> Any:
    """The 0/0 rule that was in force."""
    if "uncovered" in measure.arguments:
        return measure.arguments["uncovered"]
    if "empty" not in measure.arguments:
        return 1
    empty = measure.arguments["empty"]
    if empty is None:
        return 0 if meet.alignment.policy == "penalise" else 1
    return empty
