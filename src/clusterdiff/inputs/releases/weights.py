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
        raise ClusterdiffError(
            f"{wrong.size:,} of {values.size:,} weights are no numbers from 0 on "
            f"({examples(weights[int(i)] for i in wrong[:3])}).",
            "a weight says how much an object counts: 0 for nothing, 2 for twice as much.",
        )
    if (values == np.floor(values)).all():
        if values.max(initial=0) >= 2**53:
            raise _too_fine(values)
        return values.astype(np.int64), 1
    whole = np.round(values * SCALE)
    if (whole / SCALE != values).any() or whole.max() >= 2**53:
        raise _too_fine(values)
    return whole.astype(np.int64), SCALE


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _too_fine(values: Any) -> ClusterdiffError:
    return ClusterdiffError(
        f"weights such as {float(values[values != np.floor(values * SCALE) / SCALE][0]):.17g} have "
        f"more than {DECIMALS} decimals, and sums of them are not exact."
        if (values != np.floor(values * SCALE) / SCALE).any()
        else "weights of 2^53 and more are not exact.",
        f"round them to {DECIMALS} decimals; only their proportions count.",
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
    assert given is not None and new.ids is not None
    _refuse_missing(match_ids(given, new.ids).only_guess, new)
    found = match_ids(ids, given)
    where = np.arange(objects) if found.truth is None else found.truth
    made[where] = numbers if found.guess is None else numbers[found.guess]
    return made, scale


def _refuse_missing(lacking: Ints, new: Partition) -> None:
    if lacking.size:
        some = examples(new.id_of(int(i)) for i in lacking[:3])
        raise ClusterdiffError(
            f"{lacking.size:,} of {len(new):,} objects have no weight ({some}).",
            "give each object of the new run a weight, 0 where it counts nothing.",
        )
