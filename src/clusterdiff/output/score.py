"""A score: a number with a signature by which it can be reproduced."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.contingency import HardMeet, Sketch, SoftMeet
from clusterdiff.contingency.alignment import Detection
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.base import Estimate, Measure
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.contingency import Listed, Meet, Stack
    from clusterdiff.statistics.intervals import ConfidenceInterval, ConfidenceIntervals

DIGITS = 16
"""Hexadecimal digits of a digest in a signature."""


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
    value: float | ScoreRange | None
    meet: Meet
    each: tuple[float | ScoreRange, ...] | None = None
    samples: tuple[str, ...] = ()
    micro: float | ScoreRange | None = None
    split: Stack | Listed | None = None
    """The samples themselves, where there are any."""
    missing: str = ""
    """Why there is no value, where there is none."""
    ci: ConfidenceInterval | ConfidenceIntervals | None = None
    """The confidence interval of the value, where one was asked for; or why there is none."""
    micro_ci: ConfidenceInterval | None = None
    """The same of the score of the disjoint union."""
    strata: Mapping[str, Any] = field(default_factory=dict)
    """The stratum of each sample, where intervals are found within strata."""
    drawn: Mapping[str, Any] = field(default_factory=dict)
    """How the truth was drawn that the score was estimated from, if it was."""

    def __float__(self) -> float:
        if self.value is None:
            raise ClusterdiffError(self.missing)
        return float(self.value)

    @property
    def detection(self) -> Detection | None:
        """Precision, recall and F of mention detection, where missing objects are penalised."""
        found = self.meet.alignment
        return found.detection(self.meet.objects) if found.policy == "penalise" else None

    @property
    def error(self) -> float | None:
        """Standard error, where the value was estimated from random draws."""
        return self.value.error if isinstance(self.value, Estimate) else None

    @cached_property
    def std(self) -> float | None:
        """Standard deviation over samples (the population's, as printed in papers)."""
        if self.each is None or any(is_open(x) for x in self.each):
            return None
        mean = float(self)
        spread = math.fsum((float(x) - mean) ** 2 for x in self.each)
        return math.sqrt(spread / len(self.each))

    @cached_property
    def signature(self) -> Signature:
        """What was computed, on what, how: two scores with one signature are the same number.

        Digests have 64 bits, so two different comparisons share one by a chance of about 5e-20, or
        where colour refinement cannot distinguish them (regular structures, such as a ring of four
        clusters and two rings of two); degrees, masses and features enter in single precision.
        """
        m = self.meet
        parts = Signature(
            measure=self.measure.full_name,
            **({"compat": self.measure.compat} if self.measure.compat else {}),
            **_kind(m),
            objects=m.objects,
            clusters="x".join(map(str, m.clusters)),
            rows=m.rows,
            align=str(m.alignment),
        )
        if m.alignment.count:
            parts["count"] = m.alignment.count
        if m.alignment.weights:
            parts["weights"] = m.alignment.weights
        if m.alignment.between:
            parts["between"] = m.alignment.between
        if m.alignment.read:
            parts["read"] = m.alignment.read
        if m.alignment.among:
            parts["among"] = str(m.alignment.among)
        if m.alignment.noise_as:
            parts["noise"] = f"{m.alignment.noise} {m.alignment.noise_as}"
        if m.alignment.repeats:
            parts["repeats"] = m.alignment.repeats
        parts["0/0"] = _nothing(self.measure, m)
        if self.each is not None:
            empty = len(m.alignment.empty)
            parts["samples"] = (
                f"{len(self.each)} of {len(self.each) + empty}" if empty else len(self.each)
            )
        if self.split is not None:
            parts["split"] = self.split.split[:DIGITS]
        if isinstance(self.value, Estimate):
            parts["sampled"] = f"{self.value.drawn} {self.value.what}±{self.value.error:.2g}"
        if isinstance(self.value, ScoreRange):
            parts |= {"how": self.value.how, "certain": "yes" if self.value.certain else "no"}
        given = self.measure.arguments
        if "seed" in given and self._drawn(given):
            parts |= {"seed": given["seed"], "numpy": np.__version__}
        if _solved(self.measure):
            parts["scipy"] = version("scipy")
        if self.missing:
            parts["missing"] = "sample" if self.drawn else "memory"
        parts |= self.drawn
        parts |= self._interval(parts.get("count"))
        parts |= {"meet": m.digest.removeprefix("shapes-")[:DIGITS], "version": __version__}
        return parts

    def _interval(self, counted: str | None = None) -> dict[str, Any]:
        """What the intervals of the score and of the disjoint union depend on; where objects are
        `counted`, how many units there are stands beside what they are.
        """
        parts, micro = _confidence_parts(self.ci), _confidence_parts(self.micro_ci)
        if micro and micro != parts:
            drawn = {key: micro.get(key, parts.get(key)) for key in ("boot", "seed", "numpy")}
            parts |= {key: value for key, value in drawn.items() if value is not None}
            what = (micro.get(key, "") for key in ("units", "count", "ci"))
            parts["micro"] = " ".join(map(str, what))
        if "samples" in (parts.get("units"), micro.get("units")):
            parts |= self._drawn_from("numpy" in parts)
        if counted and "count" in parts:
            parts["units"] = f"{parts['count']} {parts['units']}"
            parts["count"] = counted
        return parts

    def _drawn_from(self, ordered: bool) -> dict[str, str]:
        """Digests of the samples in each stratum, and of the order in which samples are drawn."""
        if self.split is None or not (self.strata or ordered):
            return {}
        strata: dict[str, list[bytes]] = {}
        order = sorted(zip(self.samples, self.split.words.tolist(), strict=True))
        for name, word in order:
            known = strata.setdefault(str(self.strata.get(name, "")), [])
            known.append(int(word).to_bytes(8, "little"))
        # A draw depends on the order of names, a sum over strata on none.
        groups = [strata[name] for name in sorted(strata)]
        if not ordered:
            groups = sorted(map(sorted, groups))
        joined = b"|".join(b"".join(group) for group in groups)
        made = blake2b(joined, digest_size=DIGITS // 2).hexdigest()
        return {"strata": f"{len(groups)} {made}"} if self.strata else {"order": made}

    def _drawn(self, given: dict[str, Any]) -> bool:
        """Whether random draws were used."""
        if "method" in given:
            return isinstance(self.value, ScoreRange) and not self.value.certain
        return self.error is not None

    def sign(self) -> str:
        """The signature on one line."""
        rest = Signature(self.signature)
        return f"{rest.pop('measure')} = {self.value!r} | {rest}"

    def __repr__(self) -> str:
        return f"Score({self.sign()})"

    def to_dict(self) -> dict[str, Any]:
        """Value and signature, with what samples add."""
        told = flat("value", self.value)
        if self.error is not None:
            told["error"] = self.error
        if self.each is not None:
            told |= {"std": self.std, **flat("micro", self.micro)}
        for name, ci in (("ci", self.ci), ("micro_ci", self.micro_ci)):
            told |= {} if ci is None else {name: ci.to_dict()}
        return {**told, "signature": self.signature}


def _confidence_parts(ci: ConfidenceInterval | ConfidenceIntervals | None) -> dict[str, Any]:
    """What an interval takes to be found again."""
    one = ci.low if isinstance(ci, tuple) else ci
    if one is None or not one:
        return {}
    drawn: dict[str, Any] = {"boot": one.draws} if one.draws else {}
    drawn |= {} if one.seed is None else {"seed": one.seed, "numpy": np.__version__}
    return {
        "units": one.units,
        "count": one.count,
        "ci": f"{one.method} {100 * one.level:g}",
    } | drawn


def is_open(value: float | ScoreRange | None) -> bool:
    """Whether a score is an interval of more than one number."""
    return isinstance(value, ScoreRange) and value.low != value.high


def flat(name: str, value: float | ScoreRange | None) -> dict[str, Any]:
    """A score as JSON-ready values: a number, or null with both ends of the range."""
    if not isinstance(value, ScoreRange):
        return {name: value}
    prefix = "" if name == "value" else f"{name}_"
    ends = {f"{prefix}{key}": end for key, end in value.to_dict().items()}
    return {name: None if is_open(value) else value.low, **ends}


def _kind(m: Meet) -> dict[str, str]:
    """The kinds that were compared, unless both are partitions."""
    if isinstance(m, HardMeet):
        return {}
    if isinstance(m, Sketch):
        return {"kind": "shapes"}
    return {"kind": f"{m.truth.kind}x{m.guess.kind}" if isinstance(m, SoftMeet) else "cover"}


def _solved(measure: Measure) -> bool:
    """Whether a solver of SciPy finds the number, of this measure or of one that it takes."""
    within = [given for given in measure.arguments.values() if isinstance(given, Measure)]
    return measure.claims.solver or any(map(_solved, within))


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
