"""JSON documents: an object id -> label (or labels), a list of labels, of clusters, of records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.readers.base import Source


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, a repeated name included."""


def read_clustering(source: Source) -> AnyClustering:
    """A clustering from a JSON document, or from JSON lines."""
    data = _parsed(source)
    if isinstance(data, list) and data and all(isinstance(row, _Members) for row in data):
        return _from_records(source, [dict(row) for row in data])
    if isinstance(data, _Members):
        ids, labels = _rows(source, data)
        return source.made(labels, column(ids, written=True))
    if isinstance(data, list) and data and all(_is_plain_list(value) for value in data):
        ids, labels = objects_of(data)
        return source.made(labels, ids)
    if isinstance(data, list) and not any(isinstance(value, list) for value in data):
        return Partition(data)
    raise ReadError(
        f"{source.shown} is JSON, but no clustering.",
        'write {"id": "label", …}, ["label", …], [["id", …], …] or [{"id": …, "cluster": …}, …].',
    )


def _parsed(source: Source) -> Any:
    """One JSON document; where several stand one after the other, the list of them."""
    text = source.text()
    try:
        if source.suffix not in (".jsonl", ".ndjson"):
            try:
                return json.loads(text, object_pairs_hook=_Members)
            except json.JSONDecodeError as error:
                if error.msg != "Extra data":
                    raise
        lines = (line for line in text.split("\n") if line.strip())
        return [json.loads(line, object_pairs_hook=_Members) for line in lines]
    except (json.JSONDecodeError, RecursionError) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _from_records(source: Source, records: list[dict[str, Any]]) -> AnyClustering:
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = source.columns(names)
    if source.kind == "cover" and columns.id is None:
        values = [record.get(columns.cluster) for record in records]
        sample = columns.sample and column([record.get(columns.sample) for record in records])
        return Cover([v if _is_plain_list(v) or v is None else [v] for v in values], None, sample)
    owners, labels = _rows(source, [(r, r.get(columns.cluster)) for r in records])

    def taken(name: str | None) -> Any:
        return None if name is None else column([record.get(name) for record in owners])

    return columns.checked(
        source.shown, source.made(column(labels), taken(columns.id), taken(columns.sample))
    )


def _rows(source: Source, members: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """A row for each label of each object; an empty list becomes a null."""
    rows = []
    for owner, value in members:
        if isinstance(value, _Members):
            raise ReadError(
                f"{source.shown} has an object where a label should be ({dict(value)}).",
                "degrees of membership are a fuzzy clustering, not a "
                f"{source.kind}; write the labels alone.",
            )
        if not _is_plain_list(value):
            rows.append((owner, value))
        elif source.kind == "cover":
            rows.extend((owner, label) for label in value or [None])
        else:
            raise ReadError(
                f"{source.shown} has lists of labels, which a partition cannot be read from.",
                'say kind="cover" where objects may be in several clusters; a partition is written '
                '{"id": "label", …}, or as a list of clusters [["id", …], …].',
            )
    return [owner for owner, _ in rows], [label for _, label in rows]


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Members)
