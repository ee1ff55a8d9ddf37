"""A score for eyes, and in a table for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterdiff.measures.core.interval import Interval
from clusterdiff.results.intervals import with_interval
from clusterdiff.results.render.table import digits
from clusterdiff.results.score import flat
from clusterdiff.statistics.sure import SureEnds

if TYPE_CHECKING:
    from clusterdiff.results.score import Score
    from clusterdiff.statistics.sure import Sure


def cell(score: Score, sure: bool = True) -> str:
    """A score for eyes, with its standard error if it is an estimate, and with its confidence
    interval where some have one.
    """
    if score.missing:
        return "—"
    plain = shown(score.value) + ("" if score.error is None else f" ± {score.error:.1g}")
    return with_interval(score.value, score.sure, plain) if sure else plain


def sample_cells(score: Score, sure: bool = True) -> tuple[str, str, str]:
    """Macro, standard deviation and micro."""
    macro, std, micro = map(shown, (score.value, score.std, score.micro))
    if not sure:
        return macro, std, micro
    return (
        with_interval(score.value, score.sure, macro),
        std,
        with_interval(score.micro, score.micro_sure, micro),
    )


def sure_record(sure: Sure | SureEnds | None) -> dict[str, Any]:
    """An interval in a table for programs; of an interval-valued score the outer ends."""
    low, high = (sure.low, sure.high) if isinstance(sure, SureEnds) else (sure, sure)
    if not low or not high:
        return {"sure_low": None, "sure_high": None, "se": None}
    return {"sure_low": low.low, "sure_high": high.high, "se": low.se}


def shown(value: float | Interval | None) -> str:
    """A score for eyes: a number, or from where to where."""
    if not isinstance(value, Interval):
        return digits(value)
    low, high = digits(value.low), digits(value.high)
    return low if low == high else f"{low}–{high}"


def sample_value(value: float | Interval) -> Any:
    """The score of one sample: a number, or its ends."""
    return value if isinstance(value, float | int) else flat("value", value)


def record_of(value: float | Interval | None, spans: bool, name: str = "value") -> dict[str, Any]:
    """A score in a table for programs; all rows have the same columns."""
    if not spans:
        return {name: value}
    span = value if isinstance(value, Interval) or value is None else Interval(value, value)
    ends = flat(name, span)
    kept = {name: ends[name] if span is not None else None}
    prefix = "" if name == "value" else f"{name}_"
    for key in ("low", "high", "certain", "how"):
        kept[f"{prefix}{key}"] = ends.get(f"{prefix}{key}")
    return kept
