"""JSON documents: an object id -> label (or labels), a list of labels, of clusters, of records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.engines.columns import GRADED, made_of_matrix, rest_for
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
        if source.kind in GRADED and any(isinstance(value, _Members) for _, value in data):
            return _graded(source, data)
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
    if columns.wide:
        degrees = [[record.get(name, 0.0) for record in records] for name in columns.wide]
        ids = columns.id and column([record.get(columns.id) for record in records])
        samples = columns.sample and column([record.get(columns.sample) for record in records])
        return made_of_matrix(
            source.kind, source.shown, columns, ids, samples, degrees, source.rest
        )
    if columns.degree is not None:
        cells = {name: [r.get(name) for r in records] for name in columns.chosen()}
        return source.made(
            column(cells[columns.cluster]),
            columns.id and column(cells[columns.id]),
            columns.sample and column(cells[columns.sample]),
            cells[columns.degree],
        )
    if source.kind in ("cover", "rough") and columns.id is None:
        values = [record.get(columns.cluster) for record in records]
        sample = columns.sample and column([record.get(columns.sample) for record in records])
        made = Cover if source.kind == "cover" else Rough
        return made([v if _is_plain_list(v) or v is None else [v] for v in values], None, sample)
    owners, labels = _rows(source, [(r, r.get(columns.cluster)) for r in records])

    def taken(name: str | None) -> Any:
        return None if name is None else column([record.get(name) for record in owners])

    return columns.checked(
        source.shown, lambda: source.made(column(labels), taken(columns.id), taken(columns.sample))
    )


def _graded(source: Source, members: _Members) -> AnyClustering:
    """Degrees for each id: an object {label: degree}, or a label that it is in for certain."""
    names = [name for name, _ in members]
    if len(set(names)) < len(names):
        again = next(name for i, name in enumerate(names) if name in names[:i])
        raise ReadError(
            f"{source.shown} names {again!r} twice.", "give each object all its degrees at once."
        )
    degrees = [dict(value) if isinstance(value, _Members) else {value: 1.0} for _, value in members]
    ids = column(names, written=True)
    made: AnyClustering = SOFT[source.kind](degrees, ids=ids, **rest_for(source.kind, source.rest))
    return made


def _rows(source: Source, members: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """A row for each label of each object; an empty list becomes a null."""
    rows = []
    for owner, value in members:
        if isinstance(value, _Members):
            raise ReadError(
                f"{source.shown} has an object where a label should be ({dict(value)}).",
                f"degrees of membership are a fuzzy clustering, not a {source.kind}: say "
                'kind="fuzzy" (or "possibilistic", "evidential"), or write the labels alone.',
            )
        if not _is_plain_list(value):
            rows.append((owner, value))
        elif source.kind in ("cover", "rough"):
            rows.extend((owner, label) for label in value or [None])
        else:
            wanted = 'kind="rough" where an object is in one of them, '
            raise ReadError(
                f"{source.shown} has lists of labels, which a {_lone(source)} cannot be read from.",
                f'say {wanted}kind="cover" where it is in all of them; a partition is written '
                '{"id": "label", …}, or as a list of clusters [["id", …], …].',
            )
    return [owner for owner, _ in rows], [label for _, label in rows]


def _lone(source: Source) -> str:
    """The kind that was asked for, as words."""
    return "partition" if source.kind == "partition" else f"{source.kind} clustering"


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Members)
