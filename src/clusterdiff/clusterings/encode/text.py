"""Texts as whole numbers that are equal when they are, and those that mean a missing value."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group import number

NULL_WORDS = ("NA", "NaN", "nan", "NULL", "null", "None", "<NA>", "N/A", "n/a")
"""Texts that mean a missing value more often than a cluster of that name."""


def codes_of_text(values: Any) -> tuple[Ints, dict[str, int]]:
    """A whole number for each text, as Arrow's dictionary has it, and those of `NULL_WORDS`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = values.dictionary_encode().combine_chunks()
    indices, texts = encoded.indices, encoded.dictionary
    known = pc.is_in(texts, value_set=pa.array(NULL_WORDS, texts.type))
    words = {texts[int(i)].as_py(): int(i) for i in np.flatnonzero(known)}
    if indices.null_count:
        return np.asarray(indices.fill_null(-1), np.int64), words
    codes = np.frombuffer(indices.buffers()[1], np.int32)
    return codes[indices.offset : indices.offset + len(indices)].astype(np.int64), words


def null_words(values: NDArray[np.str_]) -> dict[str, int]:
    """How often each of `NULL_WORDS` occurs among texts of fixed width."""
    width = values.dtype.itemsize // 4
    if not width or not values.size:
        return {}
    first = values.view(np.uint32).reshape(values.size, width)[:, 0]
    maybe = np.zeros(values.size, np.bool_)
    for letter in {ord(word[0]) for word in NULL_WORDS}:
        maybe |= first == letter
    some = values[maybe]
    return {word: n for word in NULL_WORDS if (n := int((some == word).sum()))}


def packed(values: NDArray[np.str_]) -> Ints:
    """Texts as the whole numbers that their characters spell, eight (or two) to a number.

    Longer texts are numbered eight characters at a time: equal numbers are equal texts.
    """
    width = values.dtype.itemsize // 4
    letters = values.view(np.uint32).reshape(values.size, width) if width else None
    if letters is None or not values.size:
        return np.zeros(values.size, np.int64)
    narrow = int(letters.max()) < 256
    step, kind = (8, np.uint8) if narrow else (2, np.uint32)
    keys = np.zeros(values.size, np.int64)
    for begin in range(0, width, step):
        block = np.zeros((values.size, step), kind)
        part = letters[:, begin : begin + step]
        block[:, : part.shape[1]] = part
        word = block.view(np.int64).ravel()
        if begin == 0:
            keys = word
        else:
            before, _ = number(keys)
            now, count = number(word)
            keys = before * count + now
    return keys


def is_whole(value: object) -> bool:
    """Whether a text is a whole number, written as numbers are."""
    return isinstance(value, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,18}", value) is not None
