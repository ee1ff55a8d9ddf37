"""Whatever holds values in a row, as NumPy's arrays or as lists; no other library is imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from clusterdiff.clusterings.encode.graphs import is_graph, libraries, refuse_graph
from clusterdiff.clusterings.encode.tensors import UNWRAPPED, stays, tensor_of
from clusterdiff.errors import ArrayError, InputError, a_type

PROTOCOLS = ("__array__", "__dlpack__", "__array_interface__", "__cuda_array_interface__")
"""How libraries offer their arrays."""
COLUMNS = {"pandas", "polars", "pyarrow", "narwhals", "cudf", "modin"}
"""Libraries whose columns are read as such: they know nulls, categories and text."""
ARRAYS: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
"""The types that were asked about, and whether they are arrays."""


def as_numpy(value: Any) -> Any:
    """An array of another library (PyTorch, JAX, …) as NumPy's; everything else as it is.

    What lies in memory is shared, what lies on a graphics card is copied. Numbers of kinds that
    NumPy does not know, such as bfloat16, become wider ones, exactly.

    >>> as_numpy(memoryview(b"ab")), as_numpy(["a", "b"])
    (array([97, 98], dtype=uint8), ['a', 'b'])
    """
    if not is_array(type(value)):
        return value
    try:
        array = _widened(_plain(value))
    except ArrayError:
        raise
    except Exception as error:  # each library has its own
        raise ArrayError.from_array(value, error) from None
    if names := array.dtype.names:
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise ArrayError(
            f"a structured array is a table with the fields {listed}; labels are one per object.",
            f"give one of its fields, e.g. labels[{names[-1]!r}].",
        )
    return array


def is_array(kind: type) -> bool:
    """Whether values of this type are arrays, of NumPy or of another library."""
    if (known := ARRAYS.get(kind)) is None:
        known = ARRAYS[kind] = _is_array(kind)
    return known


def is_mask(values: Any) -> bool:
    """Whether an array is a list of True and False, which select objects more often than not."""
    if not is_array(type(values)) or getattr(values, "ndim", 0) != 1:
        return False
    return str(values.dtype).rpartition(".")[2] == "bool"


def _is_array(kind: type) -> bool:
    if issubclass(kind, np.ndarray | memoryview):
        return True
    own = issubclass(kind, np.generic) or libraries(kind) & COLUMNS or is_frame(kind)
    return not own and any(hasattr(kind, name) for name in PROTOCOLS)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if stays(value):
        value = tensor_of(value).cpu()
    for name in UNWRAPPED:
        if hasattr(value, name):
            value = getattr(value, name)()
    if hasattr(value, "float") and any(k in str(value.dtype) for k in ("bfloat16", "float8")):
        value = value.float()
    readable = isinstance(value, memoryview) or any(hasattr(value, p) for p in PROTOCOLS[::2])
    return np.asarray(value) if readable else np.from_dlpack(value)


def _widened(array: Any) -> Any:
    """Numbers of a kind that another library has added to NumPy as one of NumPy's own."""
    kind = array.dtype
    if kind.kind != "V" or issubclass(kind.type, np.void):
        return array
    return array.astype(np.int64 if "int" in kind.name else np.float32)


def as_value(value: Any) -> Any:
    """What stands in an array without dimensions; everything else as `as_numpy` has it."""
    array = as_numpy(value)
    return array[()] if isinstance(array, np.ndarray) and not array.ndim else array


def as_values(values: Sequence[Any]) -> Sequence[Any]:
    """The same values, with arrays of other libraries read; one pass where there are none."""
    return [*map(as_value, values)] if any(map(is_array, set(map(type, values)))) else values


def as_rows(rows: Any) -> Any:
    """The rows of a matrix: an array, or a list of rows with arrays of other libraries read."""
    rows = opened(rows)
    if not isinstance(rows, list | tuple):
        return rows
    return [as_values(row) if isinstance(row, list | tuple) else row for row in as_values(rows)]


def opened(value: Any) -> Any:
    """An array as NumPy's, and what can be gone through only once as a list; no graph."""
    if is_graph(type(value)):
        raise refuse_graph(value)
    return list(value) if isinstance(value, Iterator | ValuesView) else as_numpy(value)


def where_it_is(value: Any) -> Any:
    """An array on a device as a tensor there; everything else as `opened` has it."""
    if is_array(type(value)) and getattr(value, "shape", None) == ():
        raise InputError.from_dimensions(())
    return tensor_of(value) if is_on_device(value) else opened(value)


def is_on_device(value: Any) -> bool:
    """Whether a value is an array on a device where it can be computed with."""
    return is_array(type(value)) and stays(value)


def listed(values: Any) -> Sequence[Any]:
    """The values of a collection in their order; what only looks like one is refused."""
    if isinstance(values, list | tuple):
        return values
    kind = type(values)
    if isinstance(values, KeysView) or (isinstance(values, Mapping) and isinstance(values, Set)):
        return list(values)  # names in their order; both at once are the nodes of a graph
    if is_graph(kind):
        raise refuse_graph(values)
    if is_frame(kind):
        raise ArrayError(
            f"{a_type(values)} has several columns; labels, ids and samples are one each.",
            'give its columns, cd.Partition(frame["cluster"], ids=frame["id"]); cd.compare(frame, '
            "guess) finds the columns id and cluster by itself.",
        )
    if hasattr(kind, "tocoo") or getattr(values, "ndim", 1) == 0:
        raise InputError.from_dimensions(values.shape)
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Iterable):
        model = "its labels are model.labels_; or " if hasattr(values, "labels_") else ""
        raise InputError(
            f"{a_type(values)} is not a clustering.",
            f"{model}give a list or array of labels, a dict from id to label, a list of sets, "
            "a frame with the columns id and cluster, or a path.",
        )
    if isinstance(values, Mapping | Set):
        raise ArrayError.from_unordered(values)
    written_out: Any = getattr(values, "to_pylist", None)
    return list(values if written_out is None else written_out())


def is_frame(kind: type) -> bool:
    """Whether values of this type are data frames."""
    return hasattr(kind, "columns") or hasattr(kind, "column_names")
