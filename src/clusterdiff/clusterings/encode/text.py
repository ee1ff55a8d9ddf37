"""Texts as whole numbers that are equal when they are, and those that may mean something else."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group import number

NULL_WORDS = ("NA", "NaN", "nan", "NULL", "null", "None", "<NA>", "N/A", "n/a")
"""Texts that mean a missing value more often than a cluster of that name."""
MINUS_ONE = ("-1", "-1.0")
"""How -1, which often means noise, is written."""
ODD = (*NULL_WORDS, "", *MINUS_ONE)
"""Labels that may mean something else than a cluster of that name."""
LOOK = 10_000
"""Odd texts of a column that are looked at."""


def codes_of_text(values: Any) -> tuple[Ints, dict[str, int]]:
    """A whole number for each text, as Arrow's dictionary has it, and those of odd texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = values.dictionary_encode().combine_chunks()
    indices, texts = encoded.indices, encoded.dictionary
    known = np.asarray(pc.is_in(texts, value_set=pa.array(ODD, texts.type)))
    odd = np.zeros(len(texts), np.bool_)
    for test, sign in (
        (pc.starts_with, " "), (pc.ends_with, " "), (pc.starts_with, "0"), (pc.match_substring, ".")
    ):  # fmt: skip
        odd = odd | np.asarray(test(texts, sign).fill_null(False))
    places = np.concatenate([np.flatnonzero(known), np.flatnonzero(odd & ~known)[:LOOK]])
    words = dict(zip(texts.take(pa.array(places)).to_pylist(), places.tolist(), strict=True))
    if indices.null_count:
        return np.asarray(indices.fill_null(-1), np.int64), words
    codes = np.frombuffer(indices.buffers()[1], np.int32)
    return codes[indices.offset : indices.offset + len(indices)].astype(np.int64), words


def is_odd(text: object) -> bool:
    """Whether a text may be meant for another one, for a number or for a missing value."""
    return isinstance(text, str) and (
        text in ODD or text[0] in " 0" or text[-1] == " " or "." in text
    )


def odd_texts(values: NDArray[np.str_]) -> dict[str, int]:
    """How often each odd text occurs among texts of fixed width."""
    width = values.dtype.itemsize // 4
    if not width or not values.size:
        return {"": values.size} if values.size else {}
    letters = values.view(np.uint32).reshape(values.size, width)
    first = letters[:, 0]
    odd = (first == 0) | (letters == ord(".")).any(1) | (letters[:, -1] == ord(" "))
    odd |= ((letters[:, :-1] == ord(" ")) & (letters[:, 1:] == 0)).any(1)
    for letter in {*" 0-", *(word[0] for word in NULL_WORDS)}:
        odd |= first == ord(letter)
    found, count = np.unique(values[odd], return_counts=True)
    every = zip(found.tolist(), count.tolist(), strict=True)
    return {text: n for text, n in every if is_odd(text)}


def plain_number(text: str) -> str:
    """A text without blanks around it, a whole number without leading zeros and zeros behind a
    point, zero without a sign.

    >>> plain_number(" a"), plain_number("007"), plain_number("1.0"), plain_number("1.5")
    ('a', '7', '1', '1.5')
    >>> plain_number("-0.0")
    '0'
    """
    text = text.strip()
    whole = re.fullmatch(r"(?:-(?=[0.]+$))?0*([0-9]+?)(\.0+)?", text)
    return whole[1] if whole else text


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
