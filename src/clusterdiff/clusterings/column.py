"""A column of labels or ids: any hashable values, as whole numbers that are equal when they are.

Numbers are their own keys. Text goes through Arrow's dictionary encoding, everything else
through a Python dict. Nothing is converted silently: 1 and "1" stay two values.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clusterdiff.clusterings.group import MANY, number
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

LONGEST = 4 * 64
"""Bytes of the longest fixed-width text that is packed; beyond, Arrow encodes it."""

NULL_WORDS = ("NA", "NaN", "nan", "NULL", "null", "None", "<NA>", "N/A", "n/a")
"""Texts that mean a missing value more often than a cluster of that name."""

Family = Literal["integers", "numbers", "text", "values"]


class Column:
    """Values of one family: `integers`, `numbers` (not whole), `text`, or any other `values`.

    `written` marks values that were read from text, where 7 and "7" look the same.
    """

    def __init__(self, values: Any, family: Family, *, written: bool = False) -> None:
        self.values = values
        self.family = family
        self.written = written

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, position: int) -> Any:
        value = self.values[int(position)]
        if isinstance(value, np.generic):
            return value.item()
        return value.as_py() if hasattr(value, "as_py") else value

    def take(self, index: Ints) -> Column:
        """The values at these positions."""
        if isinstance(self.values, np.ndarray):
            taken = self.values[index]
        else:
            import pyarrow as pa

            taken = self.values.take(pa.array(index))
        return Column(taken, self.family, written=self.written)

    def tolist(self) -> list[Any]:
        """The values as Python objects."""
        values = self.values
        return list(values.tolist() if isinstance(values, np.ndarray) else values.to_pylist())

    def arrow(self) -> Any:
        """The values as an Arrow array."""
        import pyarrow as pa

        kind = pa.large_string() if self.family == "text" else None
        if isinstance(self.values, np.ndarray):
            return pa.chunked_array([pa.array(self.values, kind)])
        return self.values if self.values.type == kind else self.values.cast(kind)

    @cached_property
    def keys(self) -> Ints:
        """One whole number per value, equal exactly when the values are."""
        if self.family == "integers":
            return np.asarray(self.values, np.int64)
        if self.family == "numbers":
            return np.asarray(self.values + 0.0, np.float64).view(np.int64)
        if self.family == "text":
            return _codes_of_text(self.values)
        codes: dict[Any, int] = {}
        try:
            keys = [codes.setdefault(value, len(codes)) for value in self.values]
        except TypeError:
            raise InputError.from_unhashable(
                next(value for value in self.values if not _is_hashable(value))
            ) from None
        return np.array(keys, np.int64)

    @cached_property
    def prints(self) -> Ints | None:
        """A fingerprint of each value where these are many texts: different for different texts,
        or so it seems. None where keys are had as fast.
        """
        many = self.family == "text" and len(self) >= MANY
        if not many or isinstance(self.values, np.ndarray) or self.values.null_count:
            return None
        from clusterdiff.clusterings.prints import fingerprints

        return fingerprints(self.values)

    def nulls(self) -> Bools | None:
        """Which values are null, None or NaN; None if none is."""
        if self.family == "integers":
            return None
        if self.family == "numbers":
            mask = np.isnan(self.values)
        elif self.family == "text":
            if isinstance(self.values, np.ndarray) or not self.values.null_count:
                return None
            mask = self.values.is_null().to_numpy()
        else:
            mask = np.fromiter(map(is_null, self.values), np.bool_, len(self.values))
        return mask if mask.any() else None

    def equals(self, value: Any) -> Bools:
        """Which values are this one; None stands for every null."""
        if value is None or is_null(value):
            nulls = self.nulls()
            return np.zeros(len(self), np.bool_) if nulls is None else nulls
        if self.family == "text" and self.written:
            value = str(value)
        if self.family == "integers" and self.written and is_whole(value):
            value = int(value)
        fits = str if self.family == "text" else int | float | np.number
        if self.family != "values" and not isinstance(value, fits):
            return np.zeros(len(self), np.bool_)
        if not isinstance(self.values, np.ndarray):
            import pyarrow.compute as pc

            return np.asarray(pc.equal(self.values, value).fill_null(False).to_numpy())
        if self.family != "values":
            return np.asarray(self.values == value)
        same = (not is_null(v) and bool(v == value) for v in self.values)
        return np.fromiter(same, np.bool_, len(self))


def column(values: Any, *, written: bool = False) -> Column:
    """A column of whatever holds one value per object: list, tuple, array, Series.

    >>> column(["b", "a", "b"]).keys.tolist()
    [0, 1, 0]
    >>> column([1, "1", (2, 3)]).family
    'values'
    """
    if isinstance(values, Column):
        return values
    if isinstance(values, np.ndarray):
        return _from_array(values, written)
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return _from_arrow(values, written)
    if not isinstance(values, list | tuple | range | str | bytes) and _is_series(values):
        return _from_series(values, written)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError.from_type(values)
    return _from_sequence(values if isinstance(values, list | tuple) else list(values), written)


def _from_sequence(values: Sequence[Any], written: bool) -> Column:
    types = set(map(type, values))
    if types and all(issubclass(t, int | np.integer) for t in types):
        try:
            return Column(np.array(values, np.int64), "integers", written=written)
        except OverflowError:
            pass
    elif types and all(issubclass(t, float | np.floating) for t in types):
        return Column(np.array(values, np.float64), "numbers", written=written)
    elif types == {str}:
        return _text(values, written)
    objects = np.empty(len(values), object)
    objects[:] = list(values)
    return Column(objects, "values", written=written)


def _from_array(values: NDArray[Any], written: bool) -> Column:
    if values.ndim != 1:
        raise InputError.from_dimensions(values.shape)
    if isinstance(values, np.ma.MaskedArray):
        return _from_sequence(values.tolist(), written)
    match values.dtype.kind:
        case "i" | "b":
            return Column(values.astype(np.int64, copy=False), "integers", written=written)
        case "u" if values.dtype.itemsize < 8 or not values.size or values.max() < 2**63:
            return Column(values.astype(np.int64), "integers", written=written)
        case "f" if values.dtype.itemsize <= 8:
            return Column(values.astype(np.float64, copy=False), "numbers", written=written)
        case "U" if values.dtype.itemsize <= LONGEST:
            return Column(np.ascontiguousarray(values), "text", written=written)
        case "U":
            return _text(values, written)
        case "O":
            return _from_sequence(values.tolist(), written)
        case _:
            return _from_sequence(list(values), written)


def _from_arrow(values: Any, written: bool) -> Column:
    import pyarrow as pa

    chunked = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    if pa.types.is_dictionary(chunked.type):
        chunked = chunked.cast(chunked.type.value_type)
    kind = chunked.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Column(chunked, "text", written=written)
    if not chunked.null_count and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return _from_array(chunked.to_numpy(), written)
    return _from_sequence(chunked.to_pylist(), written)


def _from_series(values: Any, written: bool) -> Column:
    import narwhals as nw

    series = nw.from_native(values, series_only=True)
    try:
        if not series.null_count() and series.dtype.is_numeric():
            array = series.to_numpy()
            if array.dtype.kind in "iuf":
                return _from_array(array, written)
        if series.dtype != nw.Object:
            return _from_arrow(series.to_arrow(), written)
    except Exception:  # each library has types that neither NumPy nor Arrow knows
        pass
    return _from_sequence(series.to_list(), written)


def _text(values: Any, written: bool) -> Column:
    import pyarrow as pa

    try:
        made: pa.Array = pa.array(values, pa.large_string())
    except UnicodeEncodeError:  # half a character, which Python's strings can hold
        objects = np.empty(len(values), object)
        objects[:] = list(values)
        return Column(objects, "values", written=written)
    return Column(pa.chunked_array([made]), "text", written=written)


def _codes_of_text(values: Any) -> Ints:
    """A whole number for each text; fixed-width strings are packed, others encoded by Arrow."""
    if isinstance(values, np.ndarray):
        return _packed(values)
    indices = values.dictionary_encode().combine_chunks().indices
    if indices.null_count:
        return np.asarray(indices.fill_null(-1), np.int64)
    codes = np.frombuffer(indices.buffers()[1], np.int32)
    return codes[indices.offset : indices.offset + len(indices)].astype(np.int64)


def _packed(values: NDArray[np.str_]) -> Ints:
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


def _is_series(values: object) -> bool:
    import narwhals as nw

    try:
        nw.from_native(values, series_only=True)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def is_null(value: Any) -> bool:
    """Whether a value is None, NaN, or another library's null."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def is_whole(value: object) -> bool:
    """Whether a text is a whole number, written as numbers are."""
    return isinstance(value, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,18}", value) is not None


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
