"""Functions that Numba compiles when they are first called, and keeps on disk where it can.

Numba itself is imported then too, so that a module may hold its kernels beside the code that
calls them and still cost nothing until there is work for them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, update_wrapper
from threading import RLock
from typing import Any, overload

_LOCK = RLock()
"""Two threads that call a function at once compile it once."""


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
        """Numba's own function; compiled functions that this one calls take their places first,
        since Numba calls nothing else.
        """
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
