"""Clusterings inside a JSON document, by the keys that lead to them: FILE::runs.louvain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from clusterdiff.backends.columns.names import IDS, edges_in, is_known
from clusterdiff.errors import NoColumns, ReadError, shorten
from clusterdiff.inputs.read import Source

DEEPEST = 8
"""Objects within each other that keys lead through."""


class Members(list[tuple[str, Any]]):
    """The members of a JSON object, a repeated name included."""


class Found(NamedTuple):
    """What keys lead to, and what is left of them: the column of records."""

    value: Any
    column: str | None


def find(source: Source, data: Members, keys: str) -> Found:
    """What these keys, with points between them, lead to; a key may hold points itself."""
    found = next(_followed(source, data, keys), None)
    if found is None or not isinstance(found.value, list):
        raise NoColumns.from_keys(source.shown, keys, names_in(data) or [n for n, _ in data])
    return found


def _followed(source: Source, data: Any, keys: str, depth: int = 0) -> Iterator[Found]:
    if is_records(data) and keys in columns_of(data):
        yield Found(data, keys)
    if not isinstance(data, Members) or depth > DEEPEST:
        return
    points = [at for at, sign in enumerate(keys) if sign == "."]
    for cut in (len(keys), *reversed(points)):
        key, rest = keys[:cut], keys[cut + 1 :]
        if any(name == key for name, _ in data):
            value = once(source, data)[key]
            if rest:
                yield from _followed(source, value, rest, depth + 1)
            else:
                yield Found(value, None)


def names_in(data: Any, depth: int = 0) -> list[str]:
    """The keys of what could be clusterings in an object, in its order."""
    if not isinstance(data, Members) or depth > DEEPEST:
        return []
    found = []
    for name, value in data:
        if _is_several(value):
            found += [f"{name}.{inner}" for inner in names_in(value, depth + 1)]
        elif is_records(value):
            columns = columns_of(value)
            found += [f"{name}.{c}" for c in columns if not (is_known(c, IDS) or edges_in(columns))]
        elif isinstance(value, list) and value:
            found.append(name)
    return found


def names_of_several(data: Any) -> list[str]:
    """The same of an object that is no clustering itself, as far as can be seen."""
    lone = isinstance(data, Members) and all(map(is_plain_list, (value for _, value in data)))
    return [] if lone and not _is_several(data) else names_in(data)


def _is_several(value: Any) -> bool:
    """Whether an object holds clusterings, rather than being one: lists of one length, or objects
    that hold no degrees.
    """
    if not isinstance(value, Members) or not value:
        return False
    inside = [own for _, own in value]
    if all(isinstance(own, Members) for own in inside):
        return not any(isinstance(one, float) for own in inside for _, one in own)
    if not all(map(is_plain_list, inside)):
        return any(map(_is_several, inside))
    return len({len(own) for own in inside}) == 1 and len(inside[0]) > 1


def is_plain_list(value: Any) -> bool:
    """Whether this is a list, not an object."""
    return isinstance(value, list) and not isinstance(value, Members)


def is_records(value: Any) -> bool:
    """Whether this is a list of objects."""
    return is_plain_list(value) and bool(value) and all(isinstance(row, Members) for row in value)


def columns_of(records: list[Any]) -> list[str]:
    """What the members of records are called."""
    return list(dict.fromkeys(name for record in records for name, _ in record))


def once(source: Source, members: Members) -> dict[str, Any]:
    """The members of an object as a dict, each name once."""
    again, often = next(iter(Counter(name for name, _ in members).most_common(1)), ("", 0))
    if often > 1:
        raise ReadError(
            f"{source.shown} has an object that names {shorten(repr(again), 40)} twice.",
            "say all of it at once, under one name.",
        )
    return dict(members)
