"""What objects count: whole numbers, so that sums are exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.memory.match import match_ids
from clusterdiff.clusterings import Partition
from clusterdiff.errors import ClusterdiffError, InputError, examples

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings.encode.column import Column

DECIMALS = 6
"""Decimals that a weight may have."""
SCALE = 10**DECIMALS
LARGEST = 10**9
"""Weights are below it."""


def scaled(weights: Column, ids: Any = None) -> tuple[Ints, int]:
    """Weights as whole numbers, and how many of them are one; refused where they are no numbers,
    below 0, or have more decimals than sums are exact with.
    """
    try:
        values = np.array([float(one) for one in weights.tolist()], np.float64)
    except (TypeError, ValueError):
        values = np.array([_number(one) for one in weights.tolist()], np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if wrong.size:
        raise refuse_wrong(wrong.size, values.size, [weights[int(i)] for i in wrong[:3]])
    whole = np.round(values * SCALE)
    fine = np.flatnonzero((whole / SCALE != values) | (values >= LARGEST))
    if fine.size:
        raise too_fine(float(values[fine[0]]))
    scale = 1 if (values == np.floor(values)).all() else SCALE
    check_total(float(values.sum()) * scale)
    return (values if scale == 1 else whole).astype(np.int64), scale


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def refuse_wrong(wrong: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Weights that are no numbers, or below 0."""
    return ClusterdiffError(
        f"{wrong:,} of {of:,} weights are no numbers from 0 on ({examples(some)}).",
        "a weight says how much an object counts: 0 for nothing, 2 for twice as much.",
    )


def too_fine(value: float) -> ClusterdiffError:
    """A weight whose sums are not exact."""
    return ClusterdiffError(
        f"sums of weights such as {value!r} are not exact: they have at most {DECIMALS} decimals, "
        f"and are below {LARGEST:.0e}.",
        f"round them to {DECIMALS} decimals; only their proportions count.",
    )


def check_total(total: float) -> None:
    """Refuse weights whose sum does not fit a whole number of 64 bits."""
    if total >= 2**62:
        raise ClusterdiffError(
            "the weights add up to more than can be counted exactly.",
            "divide all of them by the same number; only their proportions count.",
        )


def refuse_missing(missing: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Objects without a weight."""
    return ClusterdiffError(
        f"{missing:,} of {of:,} objects have no weight ({examples(some)}).",
        "give each object of the new run a weight, 0 where it counts nothing.",
    )


def weights_of_objects(
    weight: Partition, new: Partition, ids: Column | None, objects: int
) -> tuple[Ints, int]:
    """The weight of every object, 0 of those that the new run lacks; without ids, weights are in
    the order of the new run.
    """
    numbers, scale = scaled(weight.labels)
    given = weight.ids
    if given is None:
        if len(weight) != len(new):
            raise InputError.from_lengths("weights", len(weight), len(new))
        given = new.ids
    made = np.zeros(objects, np.int64)
    if ids is None:
        if given is not None:
            raise ClusterdiffError(
                "the weights have ids, and the runs have none.",
                "give the runs with ids, or one weight for each object in their order.",
            )
        made[:] = numbers
        return made, scale
    assert given is not None
    assert new.ids is not None
    lacking = match_ids(given, new.ids).only_guess
    if lacking.size:
        raise refuse_missing(lacking.size, len(new), [new.id_of(int(i)) for i in lacking[:3]])
    found = match_ids(ids, given)
    where = np.arange(objects) if found.truth is None else found.truth
    made[where] = numbers if found.guess is None else numbers[found.guess]
    return made, scale
