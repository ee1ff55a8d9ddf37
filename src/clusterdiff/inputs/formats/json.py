"""JSON documents: an object id -> label (or labels), a list of labels, of clusters, of records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from clusterdiff.backends.columns.find import GRADED, Columns, made_of_matrix, rest_for
from clusterdiff.backends.duckdb import DuckSession
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import LimitReached, NoColumns, ReadError, SeveralFiles, examples, shorten
from clusterdiff.inputs.files.limits import DIGITS
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.read import Load, Source

SHAPES = '{"id": "label", …}, ["label", …], [["id", …], …] or [{"id": …, "cluster": …}, …]'


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, a repeated name included."""


def read_clustering(source: Source) -> AnyClustering:
    """A clustering from a JSON document, or from JSON lines."""
    source, data = _chosen(source, _parsed(source))
    if _is_plain_list(data) and data and all(isinstance(row, _Members) for row in data):
        return _from_records(source, [dict(row) for row in data])
    clusters = _is_plain_list(data) and data and all(map(_is_plain_list, data))
    source.refuse_columns(has_ids=isinstance(data, _Members) or clusters)
    if isinstance(data, _Members):
        if source.kind in GRADED and any(isinstance(value, _Members) for _, value in data):
            return _graded(source, data)
        ids, labels = _rows(source, data)
        return source.made(labels, column(ids, written=True))
    if clusters:
        ids, labels = objects_of(data)
        return source.made(labels, ids)
    if _is_plain_list(data) and not any(isinstance(value, list) for value in data):
        return Partition(data)
    raise ReadError(f"{source.shown} is JSON, but no clustering.", f"write {SHAPES}.")


def _parsed(source: Source) -> Any:
    """The document of a file, or the records of several."""
    data = [_document(source, text) for text in source.texts()]
    if len(data) == 1:
        return data[0]
    if not all(
        _is_plain_list(part) and all(isinstance(r, _Members) for r in part) for part in data
    ):
        raise SeveralFiles.from_format(source.shown, len(data))
    return [record for part in data for record in part]


def _document(source: Source, text: str) -> Any:
    """One JSON document; where several stand one after the other, the list of them."""
    try:
        if source.suffix not in (".jsonl", ".ndjson"):
            try:
                return json.loads(text, object_pairs_hook=_Members)
            except json.JSONDecodeError as error:
                if error.msg != "Extra data":
                    raise
        lines = (line for line in text.split("\n") if line.strip())
        return [json.loads(line, object_pairs_hook=_Members) for line in lines]
    except json.JSONDecodeError as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    except ValueError:
        raise LimitReached.from_count(
            source.shown, DIGITS, "digits in a number", "write it as text, in quotes."
        ) from None
    except RecursionError:
        raise ReadError(
            f"{source.shown} is JSON that is nested too deeply to be read.",
            f"a clustering is nested three levels deep at most: {SHAPES}.",
        ) from None


def _chosen(source: Source, data: Any) -> tuple[Source, Any]:
    """The document, or of an object of clusterings the one that was named."""
    if not isinstance(data, _Members) or not source.cluster:
        return source, data
    inside = _Members((name, value) for name, value in data if isinstance(value, list))
    if not inside:
        return source, data
    by_name = _once(source, inside)
    if source.cluster not in by_name:
        raise NoColumns.from_keys(source.shown, source.cluster, list(by_name))
    return replace(source, cluster=None, colons=False), by_name[source.cluster]


def clustering_names(source: Source) -> list[str]:
    """What the clusterings of an object are called, or the members of records."""
    data = _parsed(source)
    if isinstance(data, _Members):
        return [name for name, value in data if isinstance(value, list)]
    records = [row for row in data if isinstance(row, _Members)] if _is_plain_list(data) else []
    return list(dict.fromkeys(name for record in records for name, _ in record))


def _once(source: Source, members: _Members) -> dict[str, Any]:
    """The members of an object as a dict, each name once."""
    again, often = next(iter(Counter(name for name, _ in members).most_common(1)), ("", 0))
    if often > 1:
        raise ReadError(
            f"{source.shown} has an object that names {shorten(repr(again), 40)} twice.",
            "say all of it at once, under one name.",
        )
    return dict(members)


def _from_records(source: Source, records: list[dict[str, Any]]) -> AnyClustering:
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = source.columns(names)
    if columns.wide:
        degrees = [[record.get(name, 0.0) for record in records] for name in columns.wide]
        named = _ids(source, columns, records), _column(records, columns.sample)
        return made_of_matrix(source.kind, source.shown, columns, *named, degrees, source.rest)
    return columns.checked(source.shown, lambda: _made_of_records(source, columns, records))


def _made_of_records(
    source: Source, columns: Columns, records: list[dict[str, Any]]
) -> AnyClustering:
    """The clustering of records that name a cluster, perhaps several, each."""
    ids, samples = _ids(source, columns, records), _column(records, columns.sample)
    values = [record.get(columns.cluster) for record in records]
    if columns.degree is not None:
        degrees = [record.get(columns.degree) for record in records]
        return source.made(column(values), ids, samples, degrees)
    if source.kind in ("cover", "rough") and columns.id is None:
        made = Cover if source.kind == "cover" else Rough
        return made([v if _is_plain_list(v) or v is None else [v] for v in values], None, samples)
    owners, labels = _rows(source, zip(records, values, strict=True))
    ids, samples = _ids(source, columns, owners), _column(owners, columns.sample)
    return source.made(column(labels), ids, samples)


def _ids(source: Source, columns: Columns, records: list[dict[str, Any]]) -> Any:
    return columns.ids(source.shown, lambda name: [record.get(name) for record in records])


def _column(records: list[dict[str, Any]], name: str | None) -> Any:
    return None if name is None else column([record.get(name) for record in records])


def _graded(source: Source, members: _Members) -> AnyClustering:
    """Degrees for each id: an object {label: degree}, or a label that it is in for certain."""
    each = _once(source, members)
    inside = [value for row in each.values() if isinstance(row, _Members) for _, value in row]
    if any(map(_is_plain_list, each.values())) or any(isinstance(v, list) for v in inside):
        raise ReadError(
            f"{source.shown} has a list or an object where a label or a degree should be.",
            'write {"id": {"label": degree, …}, …}.',
        )
    degrees = [
        _once(source, value) if isinstance(value, _Members) else {value: 1.0}
        for value in each.values()
    ]
    ids = column(list(each), written=True)
    made: AnyClustering = SOFT[source.kind](degrees, ids=ids, **rest_for(source.kind, source.rest))
    return made


def _rows(source: Source, members: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """A row for each label of each object; an empty list becomes a null."""
    rows = []
    for owner, value in members:
        if isinstance(value, _Members):
            raise ReadError(
                f"{source.shown} has an object where a label should be, with {_told(value)}.",
                f"degrees of membership are a fuzzy clustering, not a {source.kind}: say "
                'kind="fuzzy" (or "possibilistic", "evidential"), or write the labels alone. Of '
                f"several clusterings in one file name one: {source.shown}::NAME.",
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


def _told(members: _Members) -> str:
    """The names in an object, for an error text."""
    more = f" and {len(members) - 3:,} more" if len(members) > 3 else ""
    return f"{examples(name for name, _ in members)}{more}" if members else "nothing in it"


def _lone(source: Source) -> str:
    """The kind that was asked for, as words."""
    return "partition" if source.kind == "partition" else f"{source.kind} clustering"


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Members)


def _table(session: DuckSession, source: Source, load: Load) -> Table | AnyClustering:
    """Records as a table that stays where it is, other documents in memory."""
    from clusterdiff.inputs.formats.json_records import table_of_file

    try:
        return table_of_file(session, source, load)
    except NeedsMemory:
        return load()


FORMAT = Format(
    "json",
    read_clustering,
    (".json", ".jsonl", ".ndjson"),
    """\
  .json         {"id": "label"}, ["label", …], [["id", …], …] or records
  .jsonl        a JSON object per line, with a member for each column""",
    columns=True,
    several=True,
    names=clustering_names,
    table=_table,
)
