"""Functions that Numba compiles when they are first called, and keeps on disk where it can.

Numba itself is imported then too, so that a module may hold its kernels beside the code that
calls them and still cost nothing until there is work for them. Where Numba is not installed, the
same functions run as they are written, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, update_wrapper
from threading import RLock, local
from time import perf_counter
from typing import Any, overload

from clusterdiff.errors import ClusterdiffWarning, warn
from clusterdiff.plugins import is_installed

_LOCK = RLock()
"""Two threads that call a function at once compile it once."""
PATIENCE = 1.0
"""Seconds in functions that could be compiled, and are not, before somebody is told."""


@overload
def compiled(function: Callable[..., Any], /) -> Compiled: ...
@overload
def compiled(**options: Any) -> Callable[[Callable[..., Any]], Compiled]: ...
def compiled(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function with these options of `numba.njit` when it is first called."""
    if function is None:
        return lambda function: Compiled(function, options)
    return Compiled(function, options)


class Compiled:
    """A function whose compiled code is made, or read from disk, by the first call."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.options = function, options

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self.dispatcher(*arguments)

    @property
    def stats(self) -> Any:
        """Numba's counts of what was compiled and what was read from disk."""
        return self.dispatcher.stats

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's own function, or the one that is written. Compiled functions that it calls take
        their places first, since Numba calls nothing else.
        """
        if not is_installed("numba"):
            return self._as_written
        with _LOCK:
            names = self.function.__globals__
            for name in self.function.__code__.co_names:
                if isinstance(callee := names.get(name), Compiled):
                    names[name] = callee.dispatcher
            from numba import njit

            dispatcher: Any = njit(**{"nogil": True} | self.options)(self.function)
            with suppress(Exception):  # no place to keep it, or a Numba with another cache
                from clusterdiff.compiled_cache import CheckedCache

                dispatcher._cache = CheckedCache(self.function)
            return dispatcher

    def _as_written(self, *arguments: Any) -> Any:
        """What the function gives in Python, where numbers overflow as silently as in C."""
        if getattr(_here, "busy", False):  # called by another one
            return self.function(*arguments)
        import numpy as np

        _here.busy, begin = True, perf_counter()
        try:
            with np.errstate(all="ignore"):
                return self.function(*arguments)
        finally:
            _here.busy = False
            _spend(perf_counter() - begin)


_here = local()
"""Whether this thread is in a function that could be compiled."""
_spent = 0.0


def _spend(seconds: float) -> None:
    """Add up what interpreted functions take; once it is much, say what would help."""
    global _spent
    before, _spent = _spent, _spent + seconds
    if before < PATIENCE <= _spent:
        warn(
            ClusterdiffWarning(
                "this runs uncompiled, and would be up to a hundred times as fast with Numba.",
                "pip install 'clusterdiff[fast]'",
            ),
            ClusterdiffWarning,
        )
