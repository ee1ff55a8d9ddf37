"""How many units to label, from a pilot.

A pilot of K₀ units with standard error se₀ says σ² = K₀ · se₀², and an interval of ± h takes
K = z² σ² / h² units. The pilot's σ² is itself uncertain: with σ² · df / χ²(1 - assurance, df) the
planned study is narrow enough in that share of cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.errors import ClusterdiffError, shown
from clusterdiff.statistics.intervals import Sure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ASSURANCE = 0.8
"""In how many of the planned studies the interval is to be as narrow as wanted."""


class Planned(NamedTuple):
    """What one measure takes."""

    measure: str
    half: float
    """Half the width that is wanted."""
    plain: int
    """Units that reach it in every other study."""
    assured: int
    """Units that reach it with the assurance."""


class Pilot(NamedTuple):
    """What the pilot knows of one measure."""

    measure: str
    half: float
    """Half the width of its interval now; nan where there is none."""
    effective: float
    """Effective number of units."""
    then: float
    """Half the width to expect of the planned study."""


@dataclass(frozen=True)
class SamplePlan:
    """How many to label, and what to expect of it."""

    units: str
    """What is drawn: records, or clusters."""
    pilot: int
    """How many the pilot has."""
    level: float
    assurance: float
    wanted: tuple[Planned, ...]
    measures: tuple[Pilot, ...]

    @property
    def plain(self) -> int:
        """Units that reach what is wanted in every other study."""
        return max(one.plain for one in self.wanted)

    @property
    def assured(self) -> int:
        """Units that reach it with the assurance."""
        return max(one.assured for one in self.wanted)

    def __str__(self) -> str:
        lines = [
            f"{one.measure} ± {one.half:g} at {100 * self.level:g} %: {one.plain:,} {self.units}; "
            f"{one.assured:,} to reach it in {100 * self.assurance:g} of 100 studies"
            for one in self.wanted
        ]
        wide = max(len(one.measure) for one in self.measures)
        lines += ["", f"{'':{wide}}  K_eff  now ±   ± of {self.assured:,}"]
        for one in self.measures:
            if math.isnan(one.half):
                lines.append(f"{one.measure:{wide}}  {'—':>5}  {'—':<6}  —")
            else:
                effective = (
                    f"{one.effective:,.1f}" if one.effective < 100 else f"{one.effective:,.0f}"
                )
                lines.append(
                    f"{one.measure:{wide}}  {effective:>5}  {one.half:<6.4f}  {one.then:.4f}"
                )
        return "\n".join(
            [
                *lines,
                "",
                f"pilot: {self.pilot:,} {self.units}. Fix the number before you label: to go on "
                "until an interval is narrow enough makes it too narrow.",
            ]
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "units": self.units,
            "pilot": self.pilot,
            "level": self.level,
            "assurance": self.assurance,
            "plain": self.plain,
            "assured": self.assured,
            "wanted": {one.measure: one._asdict() for one in self.wanted},
            "measures": {
                one.measure: {
                    key: None if isinstance(value, float) and math.isnan(value) else value
                    for key, value in one._asdict().items()
                }
                for one in self.measures
            },
        }


def planned(
    pilot: Mapping[str, Sequence[Any]], targets: Mapping[str, float], level: float,
    assurance: float = ASSURANCE,
) -> SamplePlan:  # fmt: skip
    """A plan from the intervals of a pilot, of one or several guesses for each measure."""
    from scipy.special import chdtri, ndtri

    if not isinstance(assurance, float) or not 0.5 <= assurance < 1:
        raise ClusterdiffError(
            f"assurance must be a number from 0.5 to below 1, got {shown(assurance)}.",
            "write e.g. assurance=0.8.",
        )
    z = float(ndtri((1 + level) / 2))
    wanted = []
    for text, half in targets.items():
        if isinstance(half, bool) or not isinstance(half, int | float) or not 0 < half < math.inf:
            raise ClusterdiffError(
                f"the half-width that is wanted must be a number above 0, got {shown(half)}.",
                "write e.g. elm_f=0.01.",
            )
        known = [sure for sure in pilot[text] if isinstance(sure, Sure) and sure]
        if not known or any(math.isnan(sure.df) or not sure.se for sure in known):
            why = next((s.refused for s in pilot[text] if isinstance(s, Sure) and s.refused), "")
            why = why or "the pilot has no error"
            because = f": {why}" if why else ""
            raise ClusterdiffError(
                f"the pilot has no interval by the jackknife for {text}{because}.",
                "plan another measure, or label some more first.",
            )
        plain = max((z * s.se / half) ** 2 * s.count for s in known)
        assured = max(
            (z * s.se / half) ** 2 * s.count * s.df / float(chdtri(s.df, assurance)) for s in known
        )
        wanted.append(Planned(text, float(half), math.ceil(plain), math.ceil(assured)))
    some = next(s for text in targets for s in pilot[text] if isinstance(s, Sure) and s)
    most = max(one.assured for one in wanted)
    measures = [_pilot(text, sures, z, most) for text, sures in pilot.items()]
    return SamplePlan(some.units, some.count, level, assurance, tuple(wanted), tuple(measures))


def _pilot(text: str, sures: Sequence[Any], z: float, most: int) -> Pilot:
    """The widest interval of a measure, and what to expect of so many units."""
    known = [s for s in sures if isinstance(s, Sure) and s and not math.isnan(s.df)]
    if not known:
        return Pilot(text, math.nan, math.nan, math.nan)
    widest = max(known, key=lambda s: s.se)
    half = (widest.high - widest.low) / 2
    return Pilot(text, half, widest.effective, z * widest.se * math.sqrt(widest.count / most))
