"""A column of labels or ids: any hashable values, as whole numbers that are equal when they are.

Numbers are their own keys. Text goes through Arrow's dictionary encoding, everything else
through a Python dict. Nothing is converted silently: 1 and "1" stay two values.
"""

from __future__ import annotations

import sys
from collections import Counter
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.encode.arrays import as_numpy, as_values, is_on_device, listed
from clusterdiff.clusterings.encode.group import MANY, number
from clusterdiff.clusterings.encode.matrices import not_hashable, not_labels
from clusterdiff.clusterings.encode.text import (
    LOOK,
    MINUS_ONE,
    codes_of_text,
    is_odd,
    odd_texts,
    packed,
    plain_number,
)
from clusterdiff.clusterings.encode.text import NULL_WORDS as NULL_WORDS
from clusterdiff.clusterings.encode.text import is_whole as is_whole
from clusterdiff.errors import ArrayError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray


LONGEST = 4 * 64
"""Bytes of the longest fixed-width text that is packed; beyond, Arrow encodes it."""

DIGITS = 4300
"""Digits of the longest whole number that Python writes out."""

Family = Literal["integers", "numbers", "text", "values"]


class Column:
    """Values of one family: `integers`, `numbers` (not whole), `text`, or any other `values`.

    `written` marks values that were read from text, where 7 and "7" look the same. `made` marks
    names that clusters were given here, such as the smallest object of each: no user wrote them, so
    none of them means noise or a missing value.
    """

    made = False

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
        found = Column(taken, self.family, written=self.written)
        found.made = self.made
        return found

    def as_made(self, at: Ints) -> Column:
        """The values at these positions, as names of clusters that no user gave."""
        found = self.take(at)
        found.made = True
        return found

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
        if self.family == "text" and isinstance(self.values, np.ndarray):
            return packed(self.values)
        return self._coded[0]

    @cached_property
    def _coded(self) -> tuple[Ints, dict[Any, int]]:
        """A code for each value, and the codes of odd values."""
        if self.family == "text":
            return codes_of_text(self.values)
        codes: dict[Any, int] = {}
        try:
            keys = [codes.setdefault(value, len(codes)) for value in self.values]
        except Exception:  # whatever the class of a value raises where it is compared
            wrong = [value for value in self.values if not is_hashable(value)]
            if wrong:
                raise not_hashable(self.values, wrong[0]) from None
            types = ", ".join(sorted({type(value).__name__ for value in self.values})[:3])
            raise InputError(
                f"labels of the types {types} cannot be compared with each other.",
                "use strings, numbers or tuples as labels, of one type.",
            ) from None
        if any(map(is_endless, codes)):
            raise ArrayError.from_digits(DIGITS)
        return np.array(keys, np.int64), {v: codes[v] for v in codes if _is_odd(v)}

    @cached_property
    def odd(self) -> dict[Any, int]:
        """How often each value occurs that may mean something else than a cluster of that name:
        numbers below zero or with a fraction, texts for a missing value or a number, texts with
        blanks around them.
        """
        if self.made:
            return {}
        if self.family in ("integers", "numbers"):
            return self._odd_numbers()
        if self.family == "text" and isinstance(self.values, np.ndarray):
            return odd_texts(self.values)
        codes, values = self._coded
        if not values:
            return {}
        count = np.bincount(codes[codes >= 0])
        return {value: int(count[code]) for value, code in values.items()}

    def _odd_numbers(self) -> dict[Any, int]:
        values = self.values
        if self.family == "integers":
            if not values.size or values.min() >= 0:
                return {}
            values = values[values < 0]
        else:
            values = values[(values < 0) | ((values != np.floor(values)) & ~np.isnan(values))]
        found, count = np.unique(values, return_counts=True)
        return dict(zip(found[-LOOK:].tolist(), count[-LOOK:].tolist(), strict=True))

    def is_counted(self) -> bool:
        """Whether all values but -1 are whole numbers from 0 on, or such numbers as text; nulls
        aside.
        """
        if self.family in ("integers", "numbers"):
            return set(self.odd) <= {-1}
        values = self.values
        if self.family == "text":
            known = np.unique(values) if isinstance(values, np.ndarray) else values.unique()
            different = known.tolist()
        else:
            different = list(dict.fromkeys(values.tolist()))
        texts = (str(value) for value in different if not is_null(value))
        return all(t in MINUS_ONE or plain_number(t).isdecimal() for t in texts)

    @property
    def null_words(self) -> dict[str, int]:
        """How often each text occurs that means a missing value, such as "nan"."""
        return {word: self.odd[word] for word in NULL_WORDS if word in self.odd}

    def counted(self, texts: Collection[str]) -> dict[str, int]:
        """How often each of these texts occurs, where it does."""
        if not texts:
            return {}
        if self.family == "text" and not isinstance(self.values, np.ndarray):
            import pyarrow as pa
            import pyarrow.compute as pc

            known = pc.is_in(self.values, value_set=pa.array(list(texts), self.values.type))
            found = Counter(self.values.filter(known).to_pylist())
        else:
            found = Counter(self.values[np.isin(self.values, list(texts))].tolist())
        return dict(found)

    def all_differ(self) -> bool:
        """Whether no value occurs twice."""
        keys = self.keys
        return bool((keys[1:] > keys[:-1]).all()) or number(keys)[1] == keys.size

    def hashed(self) -> Column:
        """The same column; values that cannot be distinguished are refused."""
        if self.family == "values":
            _ = self.keys
        return self

    @cached_property
    def prints(self) -> Ints | None:
        """A fingerprint of each value where these are many texts: different for different texts,
        or so it seems. None where keys are had as fast.
        """
        many = self.family == "text" and len(self) >= MANY
        if not many or isinstance(self.values, np.ndarray) or self.values.null_count:
            return None
        from clusterdiff.clusterings.encode.fingerprints import fingerprints

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
        return np.fromiter(map({value}.__contains__, self.hashed().values), np.bool_, len(self))


def column(values: Any, *, written: bool = False) -> Column:
    """A column of whatever holds one value per object: list, tuple, array, Series.

    >>> column(["b", "a", "b"]).keys.tolist()
    [0, 1, 0]
    >>> column([1, "1", (2, 3)]).family
    'values'
    """
    if isinstance(values, Column):
        return values
    if is_on_device(values):
        from clusterdiff.clusterings.encode.tensor_column import column_of_tensor

        return column_of_tensor(values)
    values = as_numpy(values)
    if isinstance(values, np.ndarray):
        return _from_array(values, written)
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return _from_arrow(values, written)
    if not isinstance(values, list | tuple | range | str | bytes) and _is_series(values):
        return _from_series(values, written)
    return _from_sequence(listed(values), written)


def _from_sequence(values: Sequence[Any], written: bool) -> Column:
    values = as_values(values)
    types = set(map(type, values))
    if types and all(map(_is_whole_number, types)):
        try:
            return Column(np.array(values, np.int64), "integers", written=written)
        except OverflowError:
            pass
    elif types and all(issubclass(t, float | np.floating) for t in types):
        return Column(np.array(values, np.float64), "numbers", written=written)
    elif types == {str}:
        return _text(values, written)
    if any(hasattr(t, "__next__") for t in types):
        raise InputError.from_unhashable(next(v for v in values if hasattr(v, "__next__")))
    if any(issubclass(t, np.generic) for t in types):
        values = list(map(_without_numpy, values))
    return Column(np.fromiter(values, object, len(values)), "values", written=written)


def _without_numpy(value: Any) -> Any:
    """A number or text of NumPy as Python's own, which other types know how to compare."""
    own = isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64)
    return value.item() if own else value


def _is_whole_number(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and not issubclass(kind, np.timedelta64)


def _from_array(values: NDArray[Any], written: bool) -> Column:
    if values.ndim != 1:
        raise not_labels(values)
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
    if pa.types.is_string_view(chunked.type):  # Arrow does not find one text among such
        chunked = chunked.cast(pa.large_string())
    kind = chunked.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return Column(chunked, "text", written=written)
    if not chunked.null_count and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return _from_array(_numbers(chunked), written)
    return _from_sequence(chunked.to_pylist(), written)


def _numbers(chunked: Any) -> NDArray[Any]:
    """Numbers without nulls as one array; of NumPy, which gives memory back when it goes."""
    parts = [chunk.to_numpy() for chunk in chunked.chunks]
    return np.concatenate(parts) if len(parts) > 1 else chunked.to_numpy()


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
        return Column(np.fromiter(values, object, len(values)), "values", written=written)
    return Column(pa.chunked_array([made]), "text", written=written)


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
    if isinstance(value, float | complex | np.inexact):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def _is_odd(value: Any) -> bool:
    return is_odd(value) or (isinstance(value, int | float) and value < 0)


def hashable(values: Any) -> list[Any]:
    """Values as hashable Python objects; others are refused."""
    return column(values).hashed().tolist()


def is_hashable(value: object) -> bool:
    """Whether a value can be a key of a dict."""
    try:
        hash(value)
    except Exception:  # most raise TypeError, but not all
        return False
    return True


def is_endless(value: object) -> bool:
    """Whether this is, or holds, a whole number that Python does not write out."""
    if isinstance(value, tuple | frozenset):
        return any(map(is_endless, value))
    parts = (getattr(value, "numerator", 0), getattr(value, "denominator", 0))
    return any(isinstance(n, int) and n.bit_length() > 3.32 * DIGITS for n in parts)
