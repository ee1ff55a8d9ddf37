"""Flags that ask how sure scores are."""

# ruff: noqa: RUF009, since `flag` makes a field

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from clusterdiff.cli.inputs import Inputs
from clusterdiff.cli.options import flag, with_flags
from clusterdiff.errors import ClusterdiffError

if TYPE_CHECKING:
    from clusterdiff.statistics.confidence import Confidence


class UnitChoice(StrEnum):
    """What another data set would have others of."""

    components = "components"
    samples = "samples"
    objects = "objects"


class Method(StrEnum):
    """How an interval is found."""

    jackknife = "jackknife"
    bootstrap = "bootstrap"
    betting = "betting"


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """What the flags say of confidence intervals; each field is a flag."""

    confidence: float | None = flag(None, "Add confidence intervals, e.g. 95.", "PERCENT")
    units: UnitChoice | None = flag(
        None,
        "What another data set would have others of: samples if there are any, else connected "
        "components of clusters.",
    )
    strata: str | None = flag(None, "Column of strata of the samples, e.g. the genre.", "COLUMN")
    method: Method = flag(Method.jackknife, "How intervals are found.")
    seed: int = flag(0, "Seed of what is drawn at random.")

    def asked(self, inputs: Inputs, truth: str) -> Confidence | None:
        """What is asked of intervals, if anything."""
        if self == Sureness():
            return None
        from clusterdiff.statistics.confidence import Confidence

        return Confidence.of(
            self.confidence,
            None if self.units is None else self.units.value,
            self.method.value,
            None if self.strata is None else strata_of(inputs, truth, self.strata),
            self.seed,
        )


def with_confidence() -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter `sureness` stands for all flags of `Sureness`."""
    return with_flags("sureness", Sureness)


def strata_of(inputs: Inputs, truth: str, column: str) -> dict[str, Any]:
    """The stratum of each sample, from a column of the file of truth."""
    if inputs.samples is None:
        raise ClusterdiffError(
            "--strata groups samples, and there are none.", "name their column with --samples."
        )
    path, _, last = truth.rpartition("::")
    file = path if path and "/" not in last else truth
    with replace(inputs, cluster=column).opened(file, whole=True) as (shop, side, _):
        known: Any = shop.loaded(side)
        pairs = dict.fromkeys(zip(known.samples.tolist(), known.labels.tolist(), strict=True))
    found: dict[str, Any] = {}
    for sample, stratum in pairs:
        if found.setdefault(str(sample), stratum) != stratum:
            raise ClusterdiffError(
                f"sample {sample} is in two strata: {found[str(sample)]} and {stratum}.",
                f"give each sample one value of {column}.",
            )
    return found
