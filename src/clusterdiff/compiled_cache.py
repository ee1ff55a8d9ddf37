"""Numba's cache of compiled code, with checksums: a full disk or damage costs time alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

import numba.core.caching

caching: Any = numba.core.caching


class CheckedCache(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code on disk, which nothing depends on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

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


class CheckedFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Files of code with a checksum, since damaged code would still run."""

    def _save_data(self, name: str, data: Any) -> None:
        code = self._dump(data)
        super()._save_data(name, (sha256(code).digest(), code))

    def _load_data(self, name: str) -> Any:
        digest, code = super()._load_data(name)
        if digest != sha256(code).digest():
            raise ValueError(f"{name} is damaged")
        return pickle.loads(code)
