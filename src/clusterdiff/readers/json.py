"""JSON documents: an object id -> label, a list of labels, of clusters, or of records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import ReadError
from clusterdiff.readers import long

if TYPE_CHECKING:
    from clusterdiff.readers.base import Source


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, a repeated name included."""


def read_partition(source: Source) -> Partition:
    """A partition from a JSON document."""
    start = source.start.lstrip()
    if start[:1] == b"[" and start[1:].lstrip()[:1] == b"{":
        return long.read_partition(source)
    try:
        data = json.loads(source.text(), object_pairs_hook=_Members)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    if isinstance(data, _Members):
        if any(isinstance(value, list) for _, value in data):
            raise ReadError(
                f"{source.shown} maps names to lists, which a partition cannot be read from.",
                'write {"id": "label", …}, or a list of clusters [["id", …], …].',
            )
        return Partition([value for _, value in data], column([i for i, _ in data], written=True))
    if isinstance(data, list) and data and all(_is_plain_list(value) for value in data):
        ids, labels = objects_of(data)
        return Partition(labels, ids)
    if isinstance(data, list) and not any(isinstance(value, list) for value in data):
        return Partition(data)
    raise ReadError(
        f"{source.shown} is JSON, but no clustering.",
        'write {"id": "label", …}, ["label", …], [["id", …], …] or [{"id": …, "cluster": …}, …].',
    )


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Members)
