"""What is asked of an interval, and the interval of a score: by components or by samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from clusterdiff.contingency import CoverMeet, HardMeet, Sketch
from clusterdiff.errors import ClusterdiffError, did_you_mean, shown
from clusterdiff.measures.interval import Interval
from clusterdiff.measures.sums import UnitSums
from clusterdiff.statistics.intervals import FEWEST, Sure, SureEnds, Weights, betting, too_few
from clusterdiff.statistics.resampling import (
    DRAWS,
    RECOMPUTED,
    interval_of,
    jackknife,
    percentile,
    recomputed,
    replicates,
)
from clusterdiff.statistics.units import (
    CELLS,
    Cells,
    Units,
    by_name,
    has_large_clusters,
    scale_of_objects,
    scores_of_cover,
    spread_of_objects,
    strata_of,
    units_of_components,
    units_of_samples,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.contingency import Listed, Meet, Stack
    from clusterdiff.measures import Measure

Method = Literal["jackknife", "bootstrap", "betting"]
UnitName = Literal["components", "samples", "objects"]


def level_of(confidence: Any) -> float:
    """A confidence level: 0.95, also written 95.

    >>> level_of(95), level_of(0.9)
    (0.95, 0.9)
    """
    number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    level = float(confidence) if number else math.nan
    level = round(level / 100, 12) if 1 < level < 100 else level
    if not 0.5 <= level <= 0.999:
        raise ClusterdiffError(
            f"confidence must be a number from 0.5 to 0.999, got {shown(confidence)}.",
            "write e.g. confidence=0.95.",
        )
    return level


@dataclass(frozen=True)
class Confidence:
    """How an interval is to be found."""

    level: float
    units: UnitName | None = None
    """Left out: samples if there are any, otherwise components; objects of few large clusters."""
    method: Method = "jackknife"
    strata: Mapping[str, Any] = field(default_factory=dict)
    """The stratum of each sample, such as its genre."""
    draws: int = DRAWS
    seed: int = 0

    @classmethod
    def of(
        cls, confidence: Any, units: Any = None, method: Any = "jackknife", strata: Any = None,
        seed: int = 0,
    ) -> Confidence | None:  # fmt: skip
        """What was asked for; None if nothing was."""
        if confidence is None:
            asked = {
                "units": units,
                "strata": strata,
                "method": None if method == "jackknife" else method,
            }
            said = [name for name, value in asked.items() if value is not None]
            if said:
                raise ClusterdiffError(
                    f"{said[0]} says how an interval is found, and no interval was asked for.",
                    "add confidence=0.95.",
                    "add --confidence 95.",
                )
            return None
        level = level_of(confidence)
        for name, value, known in (
            ("units", units, get_args(UnitName)), ("method", method, get_args(Method)),
        ):  # fmt: skip
            if value is not None and value not in known:
                raise ClusterdiffError(
                    f"unknown {name} {shown(value)}.",
                    f"{did_you_mean(str(value), list(known))}There are {', '.join(known)}.",
                )
        if units == "objects" and method != "jackknife":
            raise ClusterdiffError(
                f"objects cannot be units for {method}: a copy of an object is a pair with it, and "
                "scores of pairs would be far off.",
                'units="components", or name documents with samples=.',
                "--units components, or name documents with --samples.",
            )
        if strata is not None and not isinstance(strata, Mapping):
            raise ClusterdiffError(
                "strata is a dict from sample to stratum.",
                'write e.g. strata={"doc 1": "news", "doc 2": "fiction"}.',
            )
        return cls(level, units, method, {str(k): v for k, v in (strata or {}).items()}, seed=seed)


@dataclass(frozen=True, eq=False)
class ScoreIntervals:
    """One comparison, whose units are found once for all measures."""

    asked: Confidence
    meet: Meet
    samples: Stack | Listed | None
    measures: tuple[Measure, ...]

    @property
    def by_samples(self) -> bool:
        """Whether units are samples."""
        return self.samples is not None and self.asked.units in (None, "samples")

    @cached_property
    def by_objects(self) -> bool:
        """Whether units are objects: asked for, or all there is where few components have large
        clusters.
        """
        if self.asked.units is not None or self.samples is not None:
            return self.asked.units == "objects"
        units = self.units
        return (
            isinstance(units, Units)
            and units.number < FEWEST
            and self.asked.method == "jackknife"
            and has_large_clusters(self.meet)  # type: ignore[arg-type]
        )

    @cached_property
    def units(self) -> Units | Sure:
        """The units, or why there are none."""
        if self.asked.units == "samples" and self.samples is None:
            raise ClusterdiffError(
                'the units "samples" need samples, and there are none.',
                "name them with samples=, or leave units= out for components.",
                "name their column with --samples, or leave --units out for components.",
            )
        if self.by_samples:
            assert self.samples is not None
            return units_of_samples(self.samples) or self._refused(
                "scores of uncertain clusterings are not sums over samples",
                "the mean over samples has an interval.",
            )
        if isinstance(self.meet, Sketch):
            return self._refused(
                "the rows in conflict do not fit in memory, so that components are not known",
                'give more memory, e.g. engine=cd.DuckDB(memory="8GB").',
            )
        if not isinstance(self.meet, HardMeet | CoverMeet):
            return self._refused(
                "uncertain clusterings have no components", "name documents with samples=."
            )
        return units_of_components(self._plain_meet, self.measures)

    @property
    def _plain_meet(self) -> Any:
        """The meet; of covers that are partitions that of partitions."""
        meet = self.meet
        return meet.hard if isinstance(meet, CoverMeet) and meet.is_hard else meet

    def _refused(self, why: str, hint: str = "", **known: Any) -> Sure:
        return Sure.refusal(why, self.asked.level, hint, **known)

    def macro(self, measure: Measure, each: tuple[Any, ...], value: Any) -> Sure | SureEnds:
        """The interval of a mean over samples; of interval-valued scores, one for each end."""
        if any(isinstance(one, Interval) for one in each):
            spans = [one if isinstance(one, Interval) else Interval(one, one) for one in each]
            return SureEnds(
                self._mean(measure, [s.low for s in spans], value.low),
                self._mean(measure, [s.high for s in spans], value.high),
            )
        return self._mean(measure, [float(one) for one in each], float(value))

    def _mean(self, measure: Measure, each: list[float], value: float) -> Sure:
        terms = {"score": np.array(each), "samples": np.ones(len(each))}
        sums = UnitSums(terms, lambda s: s["score"] / s["samples"], sizes=("samples",))
        count = np.ones(len(each), np.int64)
        return self._found(measure, sums, "samples", count, value, mean=np.array(each))

    def score(self, measure: Measure, value: Any) -> Sure:
        """The interval of the score of all units together."""
        if value is None:
            return self._refused("there is no score")
        if "soft" in measure.needs:
            return self._refused(
                "scores of uncertain clusterings are not sums over units",
                f"{'' if self.samples is not None else 'name documents as samples: '}the mean over "
                "samples has an interval.",
            )
        if measure.sums_samples and self.samples is not None and not self.by_samples:
            return self._refused(WITHIN.format(measure), "leave the units out.")
        if self.by_objects:
            return self._of_objects(measure, float(value))
        units = self.units
        if isinstance(units, Sure):
            return units
        if units.number < FEWEST:
            hint = FEW_SAMPLES if units.name == "samples" else FEW_COMPONENTS
            return too_few(units.name, units.number, self.asked.level, hint)
        sums = units.sums(measure)
        if sums is None:
            return self._recomputed(measure, units, float(value))
        return self._found(measure, sums, units.name, units.count, float(value))

    def _found(
        self, measure: Measure, sums: UnitSums, name: str, count: Ints, value: float,
        mean: Floats | None = None,
    ) -> Sure:  # fmt: skip
        """The interval by the method that was asked for."""
        strata, order = self._strata_and_order(name, int(count.sum()))
        return interval_by(
            self.asked, measure, sums, name, count, value,
            mean=mean, strata=strata, order=order, hint=FEW_SAMPLES,
        )  # fmt: skip

    def _recomputed(self, measure: Measure, units: Units, value: float) -> Sure:
        near = {"adjusted_mutual_information": "nmi has", "onmi": "cover_f1 has"}
        hint = near.get(measure.name, "elm_f and pair_f have")
        if self.asked.method != "bootstrap":
            more = (
                f'; the method "bootstrap" recomputes it {RECOMPUTED} times'
                if isinstance(units.meet, HardMeet)
                else ""
            )
            return self._refused(
                f"{measure} is not a sum over units", f"{hint} an interval{more}.",
                units=units.name, count=units.number,
            )  # fmt: skip
        strata, order = self._strata_and_order(units.name, units.number)
        values = recomputed(measure, units, RECOMPUTED, self.asked.seed, strata, order)
        if values is None:
            return self._refused(f"{measure} is not a sum over units", f"{hint} an interval.")
        return percentile(
            values, value, self.asked.level, measure.claims.bounds, units.name, units.number,
            self.asked.seed, measure.claims.best,
        )  # fmt: skip

    def _strata_and_order(self, name: str, count: int) -> tuple[Ints | None, Ints | None]:
        """The stratum of each unit, and the order in which they are drawn, if it is not that in
        which they stand.
        """
        names = self.samples.names if self.samples else ()
        strata = strata_of(self.asked.strata, name, names) if count >= FEWEST else None
        return strata, by_name(names) if name == "samples" and self.samples is not None else None

    def _of_objects(self, measure: Measure, value: float) -> Sure:
        """Objects of few large clusters: the jackknife leaves one object out of each cell."""
        meet: Any = self._plain_meet
        cells = int(meet.times.sum()) if isinstance(meet, HardMeet) else getattr(meet, "rows", 0)
        if not isinstance(meet, HardMeet | CoverMeet) or cells > CELLS:
            why = f"the table has {cells:,} cells, and one object is left out of each"
            if not isinstance(meet, HardMeet | CoverMeet):
                why = "uncertain clusterings have no cells to leave objects out of"
            return self._refused(why, "name documents as samples.", units="objects")
        if meet.objects < FEWEST:
            return too_few("objects", meet.objects, self.asked.level, "")
        if isinstance(meet, HardMeet):
            scores, count = self._cells.scores(measure), self._cells.both
        else:
            scores, count = scores_of_cover(measure, meet), meet.both
        wide, deviation = spread_of_objects(scores, count)
        weights = Weights(float(meet.objects), math.nan)
        bounds, best = measure.claims.bounds, measure.claims.best
        return interval_of(
            value, wide, weights, deviation, count.astype(np.float64), self.asked.level, bounds,
            "objects", best, scale_of_objects(bounds, value),
        )  # fmt: skip

    @cached_property
    def _cells(self) -> Cells:
        return Cells.of(self._plain_meet)


def interval_by(
    asked: Confidence,
    measure: Measure,
    sums: UnitSums,
    name: str,
    count: Ints,
    value: float,
    *,
    mean: Floats | None = None,
    strata: Ints | None = None,
    order: Ints | None = None,
    keep: float = 1.0,
    hint: str = "",
) -> Sure:
    """The interval of a score by the method that was asked for; `mean` are the values that it is
    the plain mean of, if it is.
    """
    bounds, best, total = measure.claims.bounds, measure.claims.best, int(count.sum())
    if total < FEWEST:
        return too_few(name, total, asked.level, hint)
    if asked.method == "betting":
        if mean is None or bounds != (0.0, 1.0) or strata is not None:
            return Sure.refusal(
                "betting is for means of values from 0 to 1 that are drawn alike", asked.level,
                'leave the method out, or take the mean over samples.', units=name, count=total,
            )  # fmt: skip
        low, high = betting(mean, asked.level, asked.seed)
        se = float(np.std(np.sort(mean), ddof=1)) / math.sqrt(total)
        return Sure(
            low, high, asked.level, se, name, total, method="betting", draws=0, seed=asked.seed
        )
    if asked.method == "bootstrap":
        values = replicates(sums, count, asked.draws, asked.seed, strata, order)
        return percentile(values, value, asked.level, bounds, name, total, asked.seed, best)
    return jackknife(
        sums, count, asked.level, bounds, units=name, value=value, best=best, strata=strata,
        keep=keep,
    )  # fmt: skip


WITHIN = "{} sums what it counts within samples, so that only these can be units"
FEW_COMPONENTS = (
    'name documents or blocks as samples; or take the units "objects" if objects were drawn one by '
    "one."
)
FEW_SAMPLES = 'take the units "components" only if the samples are blocks of one data set.'
