"""What is asked of a consensus: the distance, and how much each run counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ClusterdiffError, did_you_mean, examples, shown
from clusterdiff.measures import Measure, measure_named
from clusterdiff.results.describe import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Floats

DISTANCES = ("mirkin_distance", "vi_distance")


def distance_named(by: str | Measure) -> Measure:
    """The distance whose sum is to be small."""
    found = measure_named(by)
    if found.name not in DISTANCES or found.params:
        raise ClusterdiffError(
            f"a consensus has the least sum of mirkin_distance or vi_distance, not of {found}.",
            'by="mirkin_distance" counts pairs of objects, by="vi_distance" information.',
            "--by mirkin_distance counts pairs of objects, --by vi_distance information.",
        )
    return found


def weights_of(given: Any, names: Sequence[str]) -> Floats:
    """The weight of each run, 1 where none is given."""
    if given is None:
        return np.ones(len(names))
    if isinstance(given, Mapping):
        named = {str(name): weight for name, weight in given.items()}
        for name in named:
            if name not in names:
                raise ClusterdiffError(
                    f"no run is called {shown(name)}.",
                    did_you_mean(name, names) + f"the runs are {examples(names, 8)}.",
                )
        values = [named.get(name, 1) for name in names]
    else:
        values = [given] if isinstance(given, str) else list(given)
        if len(values) != len(names):
            raise ClusterdiffError(
                f"{count(len(values), 'weight')} for {len(names):,} runs.",
                f"give a weight for each run, or a dict, e.g. weights={{{names[0]!r}: 2}}.",
            )
    for name, value in zip(names, values, strict=True):
        if not _is_weight(value):
            raise ClusterdiffError(
                f"the weight of a run is a number above 0, and that of {name} is {shown(value)}.",
                "leave out a run that should not count.",
            )
    return np.array(values, np.float64)


def _is_weight(value: Any) -> bool:
    real = isinstance(value, Real | np.number) and not isinstance(value, bool)
    return real and math.isfinite(value) and value > 0


def weights_written(texts: Iterable[str]) -> dict[str, float]:
    """Weights of runs that were written as NAME=X."""
    found: dict[str, float] = {}
    for text in texts:
        name, _, weight = text.rpartition("=")
        try:
            found[name] = float(weight)
        except ValueError:
            name = ""
        if not name:
            raise ClusterdiffError(
                f"--weight {text} is not a run and its weight.", "write e.g. --weight run1.csv=2."
            )
    return found


def seed_of(seed: Any) -> int:
    """A seed for what is drawn at random."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ClusterdiffError(
            f"seed must be a whole number from 0 on, got {shown(seed)}.", "write e.g. seed=1."
        )
    return int(seed)
