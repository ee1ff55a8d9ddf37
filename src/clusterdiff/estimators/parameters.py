"""Which values the parameters of an estimator take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, fields
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class Allowed(NamedTuple):
    """The values of a parameter."""

    told: str
    fits: Callable[[Any], bool]


def parameter(default: Any, allowed: Allowed) -> Any:
    """A parameter of an estimator, which is a dataclass: its default, and the values it takes."""
    return field(default=default, metadata={"allowed": allowed})


def check_parameters(estimator: Any) -> None:
    """Refuse a value that its parameter does not take."""
    for one in fields(estimator):
        told, fits = one.metadata["allowed"]
        value = getattr(estimator, one.name)
        if not fits(value):
            raise ValueError(f"{type(estimator).__name__}: {one.name} is {told}, not {value!r}.")


def whole(low: int) -> Allowed:
    """A whole number from `low` on."""
    return Allowed(
        f"a whole number from {low} on",
        lambda value: isinstance(value, Integral) and int(value) >= low,
    )


def number(low: float, high: float = math.inf) -> Allowed:
    """A finite number from `low` to `high`."""
    told = f"a number from {low} {'on' if high == math.inf else f'to {high}'}"
    return Allowed(told, lambda value: _is_finite(value) and low <= value <= high)


def between(low: float, high: float = math.inf) -> Allowed:
    """A finite number above `low` and below `high`."""
    told = f"a number above {low}{'' if high == math.inf else f' and below {high}'}"
    return Allowed(told, lambda value: _is_finite(value) and low < value < high)


def words(*known: str) -> Allowed:
    """One of some words."""
    return Allowed(
        " or ".join(map(repr, known)), lambda value: isinstance(value, str) and value in known
    )


def either(one: Allowed, told: str, fits: Callable[[Any], bool]) -> Allowed:
    """What one allows, or something else."""
    return Allowed(f"{one.told} or {told}", lambda value: one.fits(value) or fits(value))


def is_array(value: Any) -> bool:
    """Whether something is an array, or a list that can be made one."""
    if isinstance(value, str | bytes | dict):
        return False
    return hasattr(value, "__len__") or (hasattr(value, "__array__") and np.ndim(value) > 0)


def _is_seed(value: Any) -> bool:
    try:
        check_random_state(value)
    except ValueError:
        return False
    return True


BOOLEAN = Allowed("True or False", lambda value: isinstance(value, bool | np.bool_))
SEED = Allowed("a whole number, a RandomState or None", _is_seed)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)
