"""Rows of a query as arrays of NumPy, with the part of Arrow's tables that engines use.

Where Arrow is installed its tables are used, which hold texts in less memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools
from clusterdiff.plugins import is_installed


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """Columns to hand over to an engine: an Arrow table where Arrow is installed."""
    if not is_installed("pyarrow"):
        return dict(columns)
    import pyarrow as pa

    return pa.table(columns)


def nones(array: NDArray[Any]) -> Bools:
    """Which Python objects of an array are None."""
    return np.asarray(array == None, np.bool_)  # noqa: E711, element by element


class Values:
    """The values of a column; None is null."""

    def __init__(self, array: NDArray[Any], type: str) -> None:
        self.array, self.type = array, type

    def __len__(self) -> int:
        return len(self.array)

    @property
    def null_count(self) -> int:
        """How many are null."""
        return int(nones(self.array).sum()) if self.array.dtype.kind == "O" else 0

    def to_pylist(self) -> list[Any]:
        """The values as Python objects."""
        return list(self.array.tolist())

    def to_numpy(self, zero_copy_only: bool = True) -> NDArray[Any]:
        """The values as an array; numbers among which are nulls as floating-point ones."""
        if self.array.dtype.kind != "O" or self.type == "VARCHAR":
            return self.array
        return np.array([np.nan if one is None else one for one in self.array.tolist()])

    def fill_null(self, value: Any) -> Values:
        """The values with this one for null."""
        return Values(np.where(nones(self.array), value, self.array), self.type)

    def take(self, index: Any) -> Values:
        """The values at these positions."""
        return Values(self.array[index], self.type)

    def field(self, place: int) -> Values:
        """The values of a field of structs."""
        return values_of([list(one.values())[place] for one in self.to_pylist()])


def values_of(listed: list[Any]) -> Values:
    """The values of a list, texts or not."""
    kinds = {type(value) for value in listed} - {type(None)}
    array = np.fromiter(listed, object, len(listed))
    return Values(array, "VARCHAR" if kinds == {str} else "")


def flattened(lists: Any) -> tuple[Any, Any]:
    """How long each list of a column is, and what they hold one after the other."""
    if isinstance(lists, Values):
        every = [[] if one is None else one for one in lists.to_pylist()]
        length = np.fromiter(map(len, every), np.int64, len(every))
        return length, values_of([value for one in every for value in one])
    import pyarrow.compute as pc

    lists = lists.combine_chunks()
    return np.asarray(pc.list_value_length(lists).fill_null(0)), pc.list_flatten(lists)


def taken(values: Any, index: Any) -> Any:
    """The values at these positions, null where one is below 0."""
    if isinstance(values, Values):
        given = values.to_pylist()
        return values_of([given[i] if i >= 0 else None for i in index.tolist()])
    import pyarrow as pa

    return values.take(pa.array(index, mask=index < 0))


class Field(NamedTuple):
    """The name and type of a column."""

    name: str
    type: str


class Schema(tuple[Field, ...]):
    """The columns of some rows."""

    __slots__ = ()

    @property
    def names(self) -> list[str]:
        """What they are called."""
        return [field.name for field in self]

    @property
    def types(self) -> list[str]:
        """What they hold."""
        return [field.type for field in self]

    def field(self, name: str) -> Field:
        """The column of this name."""
        return self[self.names.index(name)]


@dataclass(frozen=True)
class Rows:
    """Columns of equal length."""

    schema: Schema
    columns: list[Values]

    @property
    def column_names(self) -> list[str]:
        """What the columns are called."""
        return self.schema.names

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0])

    def column(self, which: str | int) -> Values:
        """A column, by its name or place."""
        return self.columns[self.column_names.index(which) if isinstance(which, str) else which]

    def __getitem__(self, which: str | int) -> Values:
        return self.column(which)

    def take(self, index: Any) -> Rows:
        """The rows at these positions."""
        return Rows(self.schema, [values.take(index) for values in self.columns])

    def slice(self, begin: int, size: int) -> Rows:
        """So many rows from one on."""
        return self.take(slice(begin, begin + size))

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        listed = [values.to_pylist() for values in self.columns]
        return [dict(zip(self.column_names, row, strict=True)) for row in zip(*listed, strict=True)]

    def __iter__(self) -> Iterator[Values]:
        return iter(self.columns)


PLAIN = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT",
    "DOUBLE", "BOOLEAN", "VARCHAR",
}  # fmt: skip
"""Types that DuckDB hands over to NumPy as they are."""


def rows_of(relation: Any) -> Any:
    """The rows of a relation of DuckDB: an Arrow table where Arrow is installed."""
    if is_installed("pyarrow"):
        return relation.to_arrow_table()
    kinds = [str(kind) for kind in relation.types]
    schema = Schema(Field(*field) for field in zip(relation.columns, kinds, strict=True))
    arrays: Sequence[Any]
    if {*kinds} <= PLAIN and len({*relation.columns}) == len(kinds):
        arrays = [_without_mask(array) for array in relation.fetchnumpy().values()]
    else:
        rows = relation.fetchall()
        arrays = [np.fromiter((row[i] for row in rows), object) for i in range(len(kinds))]
        arrays = [
            array.astype(np.int64) if kind == "BIGINT" and None not in array.tolist() else array
            for array, kind in zip(arrays, kinds, strict=True)
        ]
    return Rows(schema, [Values(array, kind) for array, kind in zip(arrays, kinds, strict=True)])


def _without_mask(array: Any) -> NDArray[Any]:
    """An array of Python objects with None, where values are masked."""
    if not isinstance(array, np.ma.MaskedArray):
        return np.asarray(array)
    if not array.mask.any():
        return np.asarray(array.data)
    plain = array.data.astype(object)
    plain[array.mask] = None
    return plain
