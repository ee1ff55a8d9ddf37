"""Fingerprints of many texts: 64 bits each, equal where the texts are, and almost only there.

Whoever uses them checks what they say against the texts, so that nothing depends on luck.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group_kernels import share_work, workers
from clusterdiff.compiled import compiled


def fingerprints(texts: Any) -> Ints:
    """A number for each text of an Arrow column without nulls."""
    import pyarrow as pa

    parts = []
    for chunk in texts.chunks:
        if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
            chunk = chunk.cast(pa.large_string())
        width = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
        _, offsets, data = chunk.buffers()
        begins = np.frombuffer(offsets, width)[chunk.offset : chunk.offset + len(chunk) + 1]
        letters = np.frombuffer(data or b"", np.uint8)
        made = np.empty(len(chunk), np.uint64)
        _share(begins, letters, made)
        parts.append(made.view(np.int64))
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _share(begins: Any, letters: Any, made: Any) -> None:
    share_work(workers(), made.size, lambda a, b: _hash(begins, letters, a, b, made))


@compiled
def _hash(begins, letters, first, last, made):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(first, last):
        mixed = np.uint64(0xCBF29CE484222325)
        for k in range(begins[i], begins[i + 1]):
            mixed = (mixed ^ np.uint64(letters[k])) * np.uint64(0x100000001B3)
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        made[i] = mixed ^ (mixed >> np.uint64(29))
