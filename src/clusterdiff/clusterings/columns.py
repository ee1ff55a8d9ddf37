"""A column of labels or ids: any hashable values, as whole numbers that are equal when they are.

Numbers are their own keys. Text goes through Arrow's dictionary encoding, everything else
through a Python dict. Nothing is converted silently: 1 and "1" stay two values.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from itertools import compress, count, islice, repeat
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.arrays import as_numpy, as_values, is_on_device, listed
from clusterdiff.clusterings.grouping import MANY, number, share_work, workers
from clusterdiff.clusterings.rows import Values, nones
from clusterdiff.compiled import compiled
from clusterdiff.errors import InputError
from clusterdiff.plugins import is_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pyarrow as pa

# Fingerprints of many texts: 64 bits each, equal where the texts are, and almost only there.
#
# Whoever uses them checks what they say against the texts, so that nothing depends on luck.


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


# Matrices in place of labels: what one looks like, and what would have been read.

TREE = (
    "cd.sweep(truth, matrix) scores every height of it; one cut is "
    'scipy.cluster.hierarchy.fcluster(matrix, 3, "maxclust").'
)
FEW = 2000
"""Rows and columns up to which a matrix is compared with itself, turned over."""


def not_labels(array: Any) -> InputError:
    """The error for an array that is no list of labels."""
    what, hint = _look(array) if _is_numbers(array) else ("", "")
    error = InputError.from_dimensions(array.shape)
    return InputError(f"{error.message[:-1]}: it looks like {what}.", hint) if what else error


def not_hashable(values: Any, wrong: Any) -> InputError:
    """The error for values that are no labels, such as this one; rows of numbers are a matrix."""
    try:
        matrix = np.array(list(values))
    except (TypeError, ValueError):
        return InputError.from_unhashable(wrong)
    known = _is_numbers(matrix) and 1 not in matrix.shape and _look(matrix)[0]
    return not_labels(matrix) if known else InputError.from_unhashable(wrong)


def _is_numbers(array: Any) -> bool:
    """Whether an array is a table of real numbers."""
    return bool(array.ndim == 2 and array.dtype.kind in "biuf")


def _look(matrix: Any) -> tuple[str, str]:
    """What a matrix looks like, and what to do with it; two empty texts where that is open."""
    rows, columns = matrix.shape
    if 1 in matrix.shape:
        return "labels in a single row or column", "give labels.ravel()."
    if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
        return "", ""
    if columns == 4 and looks_like_tree(matrix):
        return "a linkage matrix, the merges of a dendrogram", TREE
    likeliest = "cd.compare(truth, matrix.argmax(axis=1))"
    binary = np.isin(matrix, (0, 1)).all()
    if binary and is_chances(matrix):
        return "a one-hot encoding, a column per cluster", f"{likeliest}."
    if rows == columns <= FEW and np.array_equal(matrix, matrix.T):
        if not matrix.diagonal().any():
            return (
                "the distances of all pairs of objects",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                "from scipy.spatial.distance import squareform; "
                'cd.sweep(truth, linkage(squareform(matrix), "average")).',
            )
        if (matrix.diagonal() == 1).all() and matrix.min() >= 0:
            return (
                "the similarities of all pairs of objects",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                "from scipy.spatial.distance import squareform; "
                'cd.sweep(truth, linkage(squareform(1 - matrix), "average")).',
            )
    if not _within_unit(matrix):
        return "", ""
    if binary:
        return "memberships, a column per cluster", "they are a cover: cd.Cover(matrix)."
    if is_chances(matrix):
        return (
            "chances, a column per cluster",
            f"they are a fuzzy clustering: cd.Fuzzy(matrix); the likeliest clusters are "
            f"{likeliest}.",
        )
    if is_chances(matrix.T):
        return (
            "chances, a row per cluster",
            "they are a fuzzy clustering: cd.Fuzzy(matrix.T); the likeliest clusters are "
            "cd.compare(truth, matrix.argmax(axis=0)).",
        )
    if matrix.dtype.kind == "f" and rows > columns:
        return (
            "degrees, a column per cluster",
            "they are a possibilistic clustering: cd.Possibilistic(matrix); the clusters of the "
            f"highest degrees are {likeliest}.",
        )
    return "", ""


def is_chances(matrix: Any) -> bool:
    """Whether rows sum to one, and nothing is negative."""
    sums = matrix.sum(axis=1, dtype=np.float64)
    return _within_unit(matrix) and bool((np.abs(sums - 1) < 1e-5).all())


def _within_unit(matrix: Any) -> bool:
    return bool(matrix.min(initial=0) >= 0 and matrix.max(initial=0) <= 1 + 1e-9)


def looks_like_tree(matrix: Any) -> bool:
    """Whether the first two columns name leaves and earlier merges, each of them once."""
    parts = np.asarray(matrix)[:, :2]
    merges = len(parts)
    if not merges or not np.array_equal(np.sort(parts.reshape(-1)), np.arange(2 * merges)):
        return False
    return bool((parts < merges + 1 + np.arange(merges)[:, None]).all())


# Texts as whole numbers that are equal when they are, and those that may mean something else.

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
    import pyarrow.compute as pc

    encoded = values.dictionary_encode().combine_chunks()
    indices, texts = encoded.indices, encoded.dictionary
    known = _bools(pc.is_in(texts, value_set=_texts_of(ODD).cast(texts.type)))
    odd = np.zeros(len(texts), np.bool_)
    for test, sign in (
        (pc.starts_with, " "), (pc.ends_with, " "), (pc.starts_with, "0"), (pc.match_substring, ".")
    ):  # fmt: skip
        odd = odd | _bools(test(texts, sign))
    places = np.concatenate([np.flatnonzero(known), np.flatnonzero(odd & ~known)[:LOOK]])
    words = dict(zip(texts.take(_array_of(places)).to_pylist(), places.tolist(), strict=True))
    if indices.null_count:
        return np.asarray(indices.fill_null(-1), np.int64), words
    codes = np.frombuffer(indices.buffers()[1], np.int32)
    return codes[indices.offset : indices.offset + len(indices)].astype(np.int64), words


def _bools(values: Any) -> Bools:
    """An Arrow array of booleans as one of NumPy, false for null."""
    import pyarrow as pa

    if values.null_count:
        values = values.fill_null(False)
    return np.from_dlpack(values.cast(pa.uint8())).astype(np.bool_)


def _array_of(places: Ints) -> Any:
    """Whole numbers as an Arrow array; `pa.array` imports pandas."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), places.size, [None, pa.py_buffer(places)])


def _texts_of(words: Sequence[str]) -> Any:
    """The same of texts."""
    import pyarrow as pa

    ends = np.cumsum([0, *(len(word.encode()) for word in words)], dtype=np.int32)
    data = [None, pa.py_buffer(ends), pa.py_buffer("".join(words).encode())]
    return pa.Array.from_buffers(pa.string(), len(words), data)


def codes_of_objects(values: Any) -> tuple[Ints, dict[str, int]]:
    """The same of an array of Python's texts, where -1 is None."""
    listed = values.tolist()
    place: defaultdict[Any, int] = defaultdict(count().__next__)  # in one pass over all texts
    codes = np.fromiter(map(place.__getitem__, listed), np.int64, len(listed))
    null = place.pop(None, None)
    if null is not None:
        codes[codes == null] = -1
    texts, odd = list(place), np.zeros(len(place), np.bool_)
    tests: list[tuple[Any, Any]] = [
        (str.startswith, (" ", "0")), (str.endswith, " "), (str.__contains__, ".")
    ]  # fmt: skip
    for test, sign in tests:
        odd |= np.fromiter(map(test, texts, repeat(sign)), np.bool_, len(texts))
    words = [*(text for text in ODD if text in place), *islice(compress(texts, odd), LOOK)]
    return codes, {text: place[text] for text in words}


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


LONGEST = 4 * 64
"""Bytes of the longest fixed-width text that is packed; beyond, Arrow encodes it."""

SHORT = 40
"""Characters of the longest text that is put into an array of fixed width, four bytes each."""

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
            taken = self.values.take(_array_of(np.ascontiguousarray(index, np.int64)))
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

    @property
    def _is_fixed(self) -> bool:
        """Whether these are texts of NumPy's, which have one width."""
        return isinstance(self.values, np.ndarray) and self.values.dtype.kind == "U"

    def _distinct(self) -> Any:
        """The different texts of an Arrow array, or of Python's."""
        if isinstance(self.values, np.ndarray):
            return np.fromiter(dict.fromkeys(self.values.tolist()), object)
        return self.values.unique()

    @cached_property
    def keys(self) -> Ints:
        """One whole number per value, equal exactly when the values are."""
        if self.family == "integers":
            return np.asarray(self.values, np.int64)
        if self.family == "numbers":
            return np.asarray(self.values + 0.0, np.float64).view(np.int64)
        if self._is_fixed:
            return packed(self.values)
        return self._coded[0]

    @cached_property
    def _coded(self) -> tuple[Ints, dict[Any, int]]:
        """A code for each value, and the codes of odd values."""
        if self.family == "text":
            objects = isinstance(self.values, np.ndarray)
            return (codes_of_objects if objects else codes_of_text)(self.values)
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
            raise InputError.from_digits(DIGITS)
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
        if self._is_fixed:
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
            known = np.unique(values) if self._is_fixed else self._distinct()
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
            wanted = set(texts)
            found = Counter(value for value in self.values.tolist() if value in wanted)
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
        if (
            not many
            or not is_installed("numba")
            or isinstance(self.values, np.ndarray)
            or self.values.null_count
        ):
            return None

        return fingerprints(self.values)

    def nulls(self) -> Bools | None:
        """Which values are null, None or NaN; None if none is."""
        if self.family == "integers":
            return None
        if self.family == "numbers":
            mask = np.isnan(self.values)
        elif self.family == "text":
            if self._is_fixed:
                return None
            if isinstance(self.values, np.ndarray):
                mask = nones(self.values)
            elif not self.values.null_count:
                return None
            else:
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
            return np.asarray(self.values == value, np.bool_)
        return np.fromiter(map({value}.__contains__, self.hashed().values), np.bool_, len(self))


class PickedTexts(Column):
    """Texts at positions among others, none of them null, which are only read when somebody asks.

    >>> names = PickedTexts(lambda: column(["talk", "walk"]), np.array([0, 0, 1]))
    >>> len(names), names.take(np.array([2])).tolist()
    (3, ['walk'])
    """

    def __init__(self, source: Callable[[], Column], at: Ints) -> None:
        self.source, self.at = source, at
        self.family, self.written = "text", False

    @cached_property
    def values(self) -> Any:
        """The texts."""
        return self.source().take(self.at).values

    @cached_property
    def keys(self) -> Ints:
        """One whole number per value, equal exactly when the values are."""
        return self.source().keys[self.at]

    def __len__(self) -> int:
        return self.at.size

    def __getitem__(self, position: int) -> Any:
        return self.source()[self.at[position]]

    def take(self, index: Ints) -> Column:
        """The values at these positions, not read either."""
        return PickedTexts(self.source, self.at[index])

    def nulls(self) -> None:
        """None: no text is null."""

    def are_those_of(self, other: Column) -> bool:
        """Whether both are known to be the same texts without reading them."""
        if not isinstance(other, PickedTexts) or other.source is not self.source:
            return False
        return np.array_equal(self.at, other.at)


def column(values: Any, *, written: bool = False) -> Column:
    """A column of whatever holds one value per object: list, tuple, array, Series.

    >>> column(["b", "a", "b"]).keys.tolist()
    [0, 1, 0]
    >>> column([1, "1", (2, 3)]).family
    'values'
    """
    if isinstance(values, Column):
        return values
    if isinstance(values, Values):
        return _from_values(values, written)
    if is_on_device(values):
        from clusterdiff.clusterings.tensors import column_of_tensor

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
        return texts(values, written)
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
            return texts(values, written)
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
        return _from_array(numbers_of(chunked), written)
    return _from_sequence(chunked.to_pylist(), written)


def _from_values(values: Values, written: bool) -> Column:
    if values.type == "VARCHAR":
        return Column(values.array, "text", written=written)
    if values.array.dtype.kind in "iuf":
        return _from_array(values.array, written)
    return _from_sequence(values.to_pylist(), written)


def numbers_of(values: Any) -> Any:
    """A column of Arrow as one array; of NumPy, which gives memory back when it goes. `to_numpy`
    imports pandas for it, which takes longer than a small comparison.
    """
    if isinstance(values, Values):
        return values.to_numpy()
    import pyarrow as pa

    plain = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    if values.null_count or not plain:
        return values.to_numpy()
    nothing = np.zeros(0, values.type.to_pandas_dtype())
    return np.concatenate([nothing, *map(np.from_dlpack, values.chunks)])


def _from_series(values: Any, written: bool) -> Column:
    import narwhals as nw

    series = nw.from_native(values, series_only=True)
    try:
        if not series.null_count() and series.dtype.is_numeric():
            array = series.to_numpy()
            if array.dtype.kind in "iuf":
                return _from_array(array, written)
        if series.dtype != nw.Object and is_installed("pyarrow"):
            return _from_arrow(series.to_arrow(), written)
        if series.dtype in (nw.String, nw.Categorical, nw.Enum):
            listed = series.to_list()
            return texts([v if isinstance(v, str) else None for v in listed], written)
    except Exception:  # each library has types that neither NumPy nor Arrow knows
        pass
    return _from_sequence(series.to_list(), written)


def texts(values: Any, written: bool = False) -> Column:
    """Texts, and None: in Arrow, which holds millions in less memory and finds the different ones
    sooner; where it is not installed, short ones in NumPy and others as they are.
    """
    if not is_installed("pyarrow"):
        with suppress(TypeError):  # None has no length
            length = np.fromiter(map(len, values), np.int64, len(values))
            if length.max(initial=0) <= SHORT:
                array = np.array(values, np.str_)
                if np.strings.str_len(array).sum() == length.sum():  # NumPy leaves out a last "\0"
                    return Column(array, "text", written=written)
        return Column(np.fromiter(values, object, len(values)), "text", written=written)
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


# Columns in order, and one after the other. The order of values is the same on every engine:
# numbers by size, text by code points.


def sorting(values: Column) -> Ints:
    """The positions of the values in their order; equal ones as they come."""
    if values.family in ("integers", "numbers"):
        return np.argsort(values.values, kind="stable")
    if values.family == "text" and not isinstance(values.values, np.ndarray):
        import pyarrow.compute as pc

        return np.asarray(pc.sort_indices(values.arrow()).to_numpy(), np.int64)
    if values.family == "text" and values.nulls() is None:
        return np.argsort(values.values, kind="stable")
    listed = values.tolist()
    return np.array(sorted(range(len(listed)), key=lambda i: sort_key(listed[i])), np.int64)


def sort_key(value: Any) -> tuple[str, Any]:
    """What values of any types are sorted by: numbers first, then by type and text."""
    if isinstance(value, int | float):
        return ("", value)
    return (type(value).__name__, value if isinstance(value, str) else repr(value))


def ranked(values: Column) -> Ints:
    """The place of each of some distinct values in their order."""
    ordered = values.family in ("integers", "numbers") and bool(
        (values.values[1:] > values.values[:-1]).all()
    )
    if ordered:
        return np.arange(len(values))
    rank = np.empty(len(values), np.int64)
    rank[sorting(values)] = np.arange(len(values))
    return rank


def by_least(values: Column, group: Ints, groups: int) -> Ints:
    """The groups in the order of the least value that each has."""
    if values.family not in ("integers", "numbers"):
        values = Column(ranked(values), "integers")
    top = np.iinfo(np.int64).max if values.family == "integers" else np.inf
    least = np.full(groups, top, values.values.dtype)
    np.minimum.at(least, group, values.values)
    return np.argsort(least, kind="stable")


def joined(first: Column, second: Column) -> Column:
    """Two columns one after the other, of one family where they are."""
    if not len(second):
        return first
    if not len(first):
        return second
    written = first.written
    if first.family == second.family == "text":
        return Column(texts_of(first, second), "text", written=written)
    if first.family == second.family and first.family != "values":
        values = np.concatenate([first.values, second.values])
        return Column(values, first.family, written=written)
    return column([*first.tolist(), *second.tolist()], written=written)


def texts_of(*columns: Column) -> Any:
    """The texts of some columns one after the other: Arrow's where it is installed."""
    if not is_installed("pyarrow"):
        return np.concatenate([column.values.astype(object) for column in columns])
    import pyarrow as pa

    return pa.chunked_array([chunk for column in columns for chunk in column.arrow().chunks])


def ascends(values: Column) -> bool:
    """Whether numbers stand in their order already."""
    known = values.family in ("integers", "numbers")
    return known and bool((values.values[1:] >= values.values[:-1]).all())
