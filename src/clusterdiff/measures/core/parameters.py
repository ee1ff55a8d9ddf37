"""Which values a parameter of a measure allows, as its annotation says, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, Literal, get_args, get_origin, get_type_hints

LEAST = {"seed": 0, "sample": 2}
"""The smallest whole number, where it is not 1."""
MOST = {"samples": 1_000_000_000}
"""The largest, where it is not that of 64 bits."""


def refusal(key: str, value: Any, hint: Any) -> str:
    """What the parameter is, if it cannot have the value; nothing if it can."""
    options = options_of(hint)
    literals = [x for o in options if get_origin(o) is Literal for x in get_args(o)]
    if value is None and type(None) in options:
        return ""
    if literals:
        function = is_function(hint)
        allowed = " or ".join(map(repr, literals)) + (" or a function" if function else "")
        fits = (function and callable(value)) or _among(value, literals)
    elif int in options:
        least, most = LEAST.get(key, 1), MOST.get(key, 2**63 - 1)
        allowed = f"a whole number from {least} to {most:,}"
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    else:
        allowed = "between 0 and 1"
        fits = isinstance(value, int | float) and 0 <= value <= 1
    return "" if fits else allowed


@cache
def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the parameters, the first of which is what is compared."""
    hints = get_type_hints(function)
    return {name: hint for name, hint in hints.items() if name != "return"}


@cache
def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters but the first, with the values they have when nothing is said."""
    listed = list(signature(function).parameters.values())[1:]
    return {p.name: None if p.default is Parameter.empty else p.default for p in listed}


def is_function(hint: Any) -> bool:
    """Whether a parameter may be a function."""
    return any(get_origin(option) is Callable for option in options_of(hint))


def options_of(hint: Any) -> list[Any]:
    """The annotation, taken apart where it names several types."""
    return [hint] if get_origin(hint) is Literal else [hint, *get_args(hint)]


def written(name: str, params: Mapping[str, Any]) -> str:
    """`name(key=value, …)`, as `measure()` reads it; a function is named, and not read back."""
    if not params:
        return name
    return f"{name}({', '.join(_argument(k, v) for k, v in params.items())})"


def _argument(key: str, value: Any) -> str:
    if key == "measure" and value is not None:
        return repr(value)
    if callable(value):
        where = f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', '?')}"
        return f"{key}={where!r}"
    return f"{key}={value!r}"


def _among(value: Any, literals: list[Any]) -> bool:
    return any(type(value) is type(literal) and value == literal for literal in literals)
