"""Ids of several columns: a document, a start and an end are one id, doc1/3/5.

A part with a slash or a quote in it stands in quotes, as in CSV, so that different ids are never
the same text: ("a/b", "c") is "a/b"/c, and ("a", "b/c") is a/"b/c".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import Column, column
from clusterdiff.errors import ColumnError

if TYPE_CHECKING:
    import pyarrow as pa

MARKS = '[/"]'
"""What puts a part in quotes."""


def composite_sql(parts: Sequence[str], written: Callable[[str], str]) -> str:
    """The id of several columns in SQL; null where one of them is."""
    return " || '/' || ".join(_part(f"CAST({written(own)} AS STRING)") for own in parts)


def _part(text: str) -> str:
    marked = f"instr({text}, '/') > 0 OR instr({text}, '\"') > 0"
    quoted = f"'\"' || replace({text}, '\"', '\"\"') || '\"'"
    return f"CASE WHEN {marked} THEN {quoted} ELSE {text} END"


def composite_ids(path: str, parts: Mapping[str, Any]) -> Column:
    """The id of several columns in memory; null where one of them is.

    >>> composite_ids("a", {"doc": ["x", "y/z"], "start": [1, 2]}).tolist()
    ['x/1', '"y/z"/2']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [_quoted(_text(path, name, values)) for name, values in parts.items()]
    slash = pa.scalar("/", pa.large_string())
    return column(pc.binary_join_element_wise(*texts, slash, null_handling="emit_null"))


def check_parts(path: str, families: Mapping[str, str]) -> None:
    """Refuse parts that engines would write differently: all but whole numbers and text."""
    for name, family in families.items():
        if family not in ("integers", "text"):
            raise ColumnError.part(path, name, family)


def _text(path: str, name: str, values: Any) -> pa.Array:
    """The values of a part as text."""
    import pyarrow as pa

    found = column(values)
    if _is_boolean(values):
        raise ColumnError.part(path, name, "bool")
    if found.family == "values":
        listed = found.tolist()
        odd = next((v for v in listed if v is not None and type(v) not in (int, str)), None)
        if odd is not None:
            raise ColumnError.part(path, name, type(odd).__name__)
        return pa.array([None if v is None else str(v) for v in listed], pa.large_string())
    if found.family == "numbers":
        raise ColumnError.part(path, name, "numbers")
    return found.arrow().combine_chunks().cast(pa.large_string())


def _quoted(text: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    mark, nothing = pa.scalar('"', pa.large_string()), pa.scalar("", pa.large_string())
    doubled = pc.replace_substring(text, '"', '""')
    within = pc.binary_join_element_wise(mark, doubled, mark, nothing)
    return pc.if_else(pc.match_substring_regex(text, MARKS), within, text)


def _is_boolean(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(isinstance(value, bool) for value in values)
    return str(getattr(values, "dtype", getattr(values, "type", ""))).lower().startswith("bool")
