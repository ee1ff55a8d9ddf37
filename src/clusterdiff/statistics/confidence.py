"""Requests for confidence intervals, and the intervals of the scores of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from clusterdiff.contingency import BetweenMeet, CoverMeet, HardMeet, Sketch
from clusterdiff.errors import ClusterdiffError, did_you_mean, shown
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.sums import UnitSums
from clusterdiff.statistics.intervals import (
    DRAWS,
    FEWEST,
    RECOMPUTED,
    ConfidenceInterval,
    ConfidenceIntervals,
    Target,
    betting,
    jackknife,
    jackknife_of_objects,
    percentile,
    recomputed,
    replicates,
)
from clusterdiff.statistics.units import (
    CELLS,
    Cells,
    RowsGiven,
    Units,
    by_name,
    has_large_clusters,
    mean_of_samples,
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
            "confidence must be a number from 0.5 to 0.999, or a percentage from 50 to 99.9; got "
            f"{shown(confidence)}.",
            "write e.g. confidence=0.95.",
            "write e.g. --confidence 95.",
        )
    return level


@dataclass(frozen=True)
class Confidence:
    """How confidence intervals are to be computed."""

    level: float
    units: UnitName | None = None
    """What is resampled. By default samples if there are any, otherwise components, or objects
    where clusters are few and large.
    """
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
        """The request of a user, checked; None without a confidence level."""
        if confidence is None:
            given = {"units": units, "strata": strata}
            given |= {} if method == "jackknife" else {"method": method}
            if said := [name for name, value in given.items() if value is not None]:
                raise ClusterdiffError(
                    f"{said[0]} is an option of confidence intervals, and none were asked for.",
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
            )
        if strata is not None and not isinstance(strata, Mapping):
            raise ClusterdiffError(
                "strata is a dict from sample to stratum.",
                'write e.g. strata={"doc 1": "news", "doc 2": "fiction"}.',
            )
        return cls(level, units, method, {str(k): v for k, v in (strata or {}).items()}, seed=seed)


def check_units(asked: Confidence, meet: Meet, rows: RowsGiven | None = None) -> None:
    """Refuse objects as units where they have counts, and it is not known which rows are given."""
    if asked.units == "objects" and meet.alignment.between:
        raise ClusterdiffError(
            "objects cannot be units where only pairs across sources count.",
            'leave units out: units="components".',
        )
    if asked.units == "objects" and meet.alignment.count and rows is None:
        raise ClusterdiffError(
            "objects cannot be units where they have counts: what was drawn are rows, and the "
            "contingency table has sums of their counts.",
            'units="components", or name documents with samples=.',
        )


@dataclass(frozen=True, eq=False)
class ScoreIntervals:
    """The intervals of the scores of one comparison; its units are found once for all measures."""

    asked: Confidence
    meet: Meet
    samples: Stack | Listed | None
    measures: tuple[Measure, ...]
    rows: RowsGiven | None = None
    """The objects one by one, where they have counts and are units."""
    guess: str = ""
    """What the guess is called there."""

    @cached_property
    def units(self) -> Units | ConfidenceInterval:
        """The units, or why there are none."""
        if self.asked.units == "samples" and self.samples is None:
            raise ClusterdiffError(
                'the units "samples" need samples, and there are none.',
                "name them with samples=, or leave units= out for components.",
            )
        if self._by_samples:
            assert self.samples is not None
            return units_of_samples(self.samples) or self._refused(
                "scores of uncertain clusterings are not sums over samples",
                "the mean over samples has an interval.",
            )
        if isinstance(self.meet, Sketch):
            return self._refused(
                "the rows in conflict do not fit in memory, so their components are unknown",
                'give more memory, e.g. engine=cd.DuckDB(memory="8GB").',
            )
        if not isinstance(self.meet, HardMeet | CoverMeet):
            return self._refused(
                "uncertain clusterings have no components", "name documents with samples=."
            )
        return units_of_components(self._table, self.measures)

    @property
    def _by_samples(self) -> bool:
        return self.samples is not None and self.asked.units in (None, "samples")

    @cached_property
    def _by_objects(self) -> bool:
        """Whether units are objects: on request, or where few components have large clusters."""
        if self.asked.units is not None or self.samples is not None:
            check_units(self.asked, self.meet, self.rows)
            return self.asked.units == "objects"
        units = self.units
        return (
            isinstance(units, Units)
            and units.number < FEWEST
            and self.asked.method == "jackknife"
            and has_large_clusters(self.meet)  # type: ignore[arg-type]
        )

    @cached_property
    def _table(self) -> Any:
        """The comparison; covers that are partitions are compared as partitions."""
        meet = self.meet
        return meet.hard if isinstance(meet, CoverMeet) and meet.is_hard else meet

    @cached_property
    def _cells(self) -> Cells:
        if self.rows is None:
            return Cells.of(self._table)
        truth, guess = (self.rows.clusters[name] for name in ("", self.guess))
        return Cells.of_rows(truth, guess, self.rows.count, self.meet.alignment)

    def _refused(self, why: str, hint: str = "") -> ConfidenceInterval:
        return ConfidenceInterval.refusal(why, self.asked.level, hint)

    def macro(
        self, measure: Measure, each: tuple[Any, ...], value: Any
    ) -> ConfidenceInterval | ConfidenceIntervals:
        """The interval of a mean over samples; for interval-valued scores one for each end."""
        if any(isinstance(score, ScoreRange) for score in each):
            low, high = (
                self._mean(measure, [getattr(score, end, score) for score in each], at)
                for end, at in (("low", value.low), ("high", value.high))
            )
            return ConfidenceIntervals(low, high)
        return self._mean(measure, each, value)

    def _mean(self, measure: Measure, each: Any, value: Any) -> ConfidenceInterval:
        sums, scores = mean_of_samples(each), np.array(each, np.float64)
        target = Target.of(measure, float(value), self.asked.level, "samples", scores.size)
        return self._interval(target, sums, np.ones(scores.size, np.int64), scores)

    def score(self, measure: Measure, value: Any) -> ConfidenceInterval:
        """The interval of the score of all units together."""
        if value is None:
            return self._refused("there is no score")
        if "soft" in measure.needs:
            return self._refused(
                "scores of uncertain clusterings are not sums over units",
                f"{'' if self.samples is not None else 'name documents as samples: '}the mean over "
                "samples has an interval.",
            )
        if measure.sums_samples and self.samples is not None and not self._by_samples:
            return self._refused(WITHIN.format(measure), "leave the units out.")
        if self._by_objects:
            return self._over_objects(measure, float(value))
        units = self.units
        if isinstance(units, ConfidenceInterval):
            return units
        target = Target.of(measure, float(value), self.asked.level, units.name, units.number)
        if units.number < FEWEST:
            if self._table.objects < FEWEST:  # neither objects nor samples of them are enough
                return target.too_few()
            return target.too_few(FEW_SAMPLES if units.name == "samples" else FEW_COMPONENTS)
        sums = units.sums(measure)
        if sums is None:
            return self._recomputed(measure, units, target)
        return self._interval(target, sums, units.count)

    def _interval(
        self, target: Target, sums: UnitSums, count: Ints, mean: Floats | None = None
    ) -> ConfidenceInterval:
        strata, order = self._strata_and_order(target)
        return interval_by(
            self.asked, target, sums, count, mean, strata=strata, order=order, hint=FEW_SAMPLES
        )

    def _recomputed(self, measure: Measure, units: Units, target: Target) -> ConfidenceInterval:
        """The bootstrap of a measure that is not a sum over units."""
        near = {"adjusted_mutual_information": "nmi has", "onmi": "cover_f1 has"}
        hint = f"{near.get(measure.name, 'elm_f and pair_f have')} an interval"
        if isinstance(units.meet, BetweenMeet):
            why = f"{measure} depends on the sizes of all {units.meet.sources:,} sources"
            return target.refuse(why, "pair_f has an interval.")
        if isinstance(units.meet, HardMeet):
            if self.asked.method == "bootstrap":
                strata, order = self._strata_and_order(target)
                values = recomputed(measure, units, RECOMPUTED, self.asked.seed, strata, order)
                return percentile(target, values, self.asked.seed)
            hint += f'; the method "bootstrap" recomputes it {RECOMPUTED} times'
        return target.refuse(f"{measure} is not a sum over units", f"{hint}.")

    def _strata_and_order(self, target: Target) -> tuple[Ints | None, Ints | None]:
        """The stratum of each sample, and the order in which samples are drawn."""
        names = () if self.samples is None else self.samples.names
        strata = None
        if target.count >= FEWEST:
            strata = strata_of(self.asked.strata, target.units, names)
        return strata, by_name(names) if names and target.units == "samples" else None

    def _over_objects(self, measure: Measure, value: float) -> ConfidenceInterval:
        """The jackknife over the objects of few large clusters, one left out of each cell."""
        meet = self._table
        target = Target.of(measure, value, self.asked.level, "objects")
        why = ""
        if not isinstance(meet, HardMeet | CoverMeet):
            why = "uncertain clusterings have no cells to leave objects out of"
        elif meet.rows > CELLS:
            why = f"the table has {meet.rows:,} cells, and one object is left out of each"
        if why:
            return target.refuse(why, "name documents as samples.")
        objects = meet.objects if self.rows is None else self.rows.count.size
        if objects < FEWEST:
            return target._replace(count=objects).too_few()
        effective = None if self.rows is None else self.rows.effective
        scores = self._cells.scores(measure)
        return jackknife_of_objects(scores, self._cells.both, target, effective)


def interval_by(
    asked: Confidence,
    target: Target,
    sums: UnitSums,
    count: Ints,
    mean: Floats | None = None,
    *,
    strata: Ints | None = None,
    order: Ints | None = None,
    keep: float = 1.0,
    hint: str = "",
) -> ConfidenceInterval:
    """The interval of a score by the requested method. `mean` are the values of which it is the
    plain mean, if it is; `order` is the order in which units are drawn.
    """
    if target.count < FEWEST:
        return target.too_few(hint)
    if asked.method == "betting":
        if mean is None or target.bounds != (0.0, 1.0) or strata is not None:
            return target.refuse(
                "betting is for means of values from 0 to 1 that are drawn alike",
                "leave the method out, or take the mean over samples.",
            )
        low, high = betting(mean, asked.level, asked.seed)
        se = float(np.std(np.sort(mean), ddof=1)) / math.sqrt(target.count)
        return ConfidenceInterval(
            low, high, asked.level, se, target.units, target.count, method="betting",
            seed=asked.seed,
        )  # fmt: skip
    if asked.method == "bootstrap":
        values = replicates(sums, count, asked.draws, asked.seed, strata, order)
        return percentile(target, values, asked.seed)
    return jackknife(sums, count, target, strata, keep)


WITHIN = "{} sums what it counts within samples, so only samples can be its units"
FEW_COMPONENTS = (
    'name documents or blocks as samples; or pass units="objects" (--units objects on the command '
    "line) if objects were drawn one by one."
)
FEW_SAMPLES = (
    'pass units="components" (--units components on the command line) only if the samples are '
    "blocks of one data set."
)
