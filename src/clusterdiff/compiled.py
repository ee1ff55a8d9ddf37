"""Functions compiled once and kept on disk, where that works; where it does not, compiled again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

import numba.core.caching
from numba import njit

caching: Any = numba.core.caching


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled, and kept on disk where there is a place to keep it."""
    made: Any = njit(nogil=True)(function)
    with suppress(Exception):  # no place to keep it, or another Numba than is known here
        made._cache = Kept(function)
    return made  # type: ignore[no-any-return]


class Kept(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code on disk, which nothing depends on: a full disk or a damaged file costs time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = Sealed(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these types; None if there is none, or none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever damaged bytes are taken for
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code if that is possible."""
        with suppress(Exception):
            super().save_overload(sig, data)


class Sealed(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Files of code with a checksum, since damaged code would still run."""

    def _save_data(self, name: str, data: Any) -> None:
        code = self._dump(data)
        super()._save_data(name, (sha256(code).digest(), code))

    def _load_data(self, name: str) -> Any:
        seal, code = super()._load_data(name)
        if seal != sha256(code).digest():
            raise ValueError(f"{name} is damaged")
        return pickle.loads(code)
