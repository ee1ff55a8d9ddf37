"""Weights of objects in a mean: sizes count objects, the mean over objects is weighted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.columns import column, is_null
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.errors import ClusterdiffError, InputError, examples
from clusterdiff.io.sides import RecordOptions, records_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Meet, Policy

NEEDED = "give each object a weight >= 0; an object of weight 0 is in clusters and in no mean."


def weighted_meet(truth: AnyClustering, guess: AnyClustering, policy: Policy, weights: Any) -> Meet:
    """The comparison of two clusterings whose rows know the weights of their objects together."""
    if truth.samples is not None or guess.samples is not None:
        raise ClusterdiffError(
            "weights are not taken together with samples.", "compare one sample at a time."
        )
    each, name = _each(truth, guess, weights)
    meet, row, objects = rows_of_objects(truth, guess, policy)
    values = np.where(objects.in_truth >= 0, each[0][objects.in_truth], each[1][objects.in_guess])
    at, other = objects.in_truth, objects.in_guess
    _check(values, lambda i: _id(truth, guess, int(at[i]), int(other[i])))
    if objects.count is not None:
        values = values * objects.count
    digest = blake2b(np.sort(values).astype("<f8").tobytes(), digest_size=4).hexdigest()
    alignment = replace(meet.alignment, weights=f"{name} {digest}")
    made: Meet = meet.with_alignment(alignment)
    vars(made)["mass"] = np.bincount(row, values, meet.both.size)
    return made


def _each(
    truth: AnyClustering, guess: AnyClustering, weights: Any
) -> tuple[tuple[Floats, Floats], str]:
    """The weight of each object of both sides, with one more at the end; and what they are called.

    An object without a weight has NaN.
    """
    if isinstance(weights, str):
        known = records_of([truth, guess], RecordOptions(show=[weights]))
        assert known is not None
        found = tuple(_numbers([own for (own,) in known.of(_ids(one))]) for one in (truth, guess))
        return (found[0], found[1]), weights
    if isinstance(weights, Mapping):
        found = tuple(_numbers([weights.get(i) for i in _ids(one)]) for one in (truth, guess))
        return (found[0], found[1]), "given"
    given = column(weights)
    if len(given) != len(truth):
        raise InputError(
            f"truth has {len(truth):,} objects, and there are {len(given):,} weights.",
            "give one weight for each object of truth, or a dict from id to weight.",
        )
    return (_numbers(given.tolist()), np.full(len(guess) + 1, np.nan)), "given"


def _ids(side: AnyClustering) -> list[Any]:
    return list(range(len(side))) if side.ids is None else side.ids.tolist()


def _numbers(values: list[Any]) -> Floats:
    try:
        made = [np.nan if v is None or is_null(v) else float(v) for v in values]
    except (TypeError, ValueError):
        wrong = next(v for v in values if not isinstance(v, int | float))
        raise InputError(f"{examples([wrong])} is not a weight.", NEEDED) from None
    return np.array([*made, np.nan])


def _check(values: Floats, named: Any) -> None:
    """Refuse weights that are missing, negative or infinite, and such as sum to nothing."""
    for wrong, what in ((np.isnan(values), "missing"), (values < 0, "negative"),
                        (np.isinf(values), "infinite")):  # fmt: skip
        if wrong.any():
            where = np.flatnonzero(wrong)
            some = examples([named(int(i)) for i in where[:3]])
            raise InputError(
                f"{where.size:,} of {values.size:,} weights {'is' if where.size == 1 else 'are'} "
                f"{what} (object{'s' * (where.size > 1)} {some}).",
                NEEDED,
            )
    if not values.sum():
        raise InputError("all weights are 0, so there is no mean.", NEEDED)


def _id(truth: AnyClustering, guess: AnyClustering, at: int, other: int) -> Any:
    return truth.id_of(at) if at >= 0 else guess.id_of(other)
