"""JSON documents: an object id -> label (or labels), a list of labels, of clusters, of records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from clusterdiff.backends.columns.find import GRADED, Columns, made_of_matrix, rest_for
from clusterdiff.backends.duckdb import DuckSession
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.cover import is_indicator
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import LimitReached, ReadError, SeveralFiles, examples
from clusterdiff.errors.base import pasted
from clusterdiff.inputs.files.limits import DIGITS
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.formats.json_keys import (
    Members,
    columns_of,
    find,
    is_plain_list,
    is_records,
    names_in,
    names_of_several,
    once,
)
from clusterdiff.inputs.read import Load, Source

NAMED = 5
"""Clusterings of a file that are named in a message."""
SHAPES = '{"id": "label", …}, ["label", …], [["id", …], …] or [{"id": …, "cluster": …}, …]'


def read_clustering(source: Source) -> AnyClustering:
    """A clustering from a JSON document, or from JSON lines."""
    document = _parsed(source)
    names = [] if source.cluster else names_of_several(document)
    source, data = _chosen(source, document)
    if is_records(data):
        return _from_records(source, [dict(row) for row in data])
    clusters = is_plain_list(data) and data and all(map(is_plain_list, data))
    source.refuse_columns(has_ids=isinstance(data, Members) or clusters)
    if isinstance(data, Members):
        if source.kind in GRADED and any(isinstance(value, Members) for _, value in data):
            return _graded(source, data)
        ids, labels = _rows(source, data, names)
        return source.made(column(labels), column(ids, written=True))
    if clusters:
        objects, made = objects_of(data)
        return source.made(made, objects)
    if is_plain_list(data) and not any(isinstance(value, list) for value in data):
        return Partition(data)
    raise ReadError(f"{source.shown} is JSON, but no clustering.", f"write {SHAPES}.")


def _parsed(source: Source) -> Any:
    """The document of a file, or the records of several."""
    data = [_document(source, text) for text in source.texts()]
    if len(data) == 1:
        return data[0]
    if not all(is_records(part) or (is_plain_list(part) and not part) for part in data):
        raise SeveralFiles.from_format(source.shown, len(data))
    return [record for part in data for record in part]


def _document(source: Source, text: str) -> Any:
    """One JSON document; where several stand one after the other, the list of them."""
    try:
        if source.suffix not in (".jsonl", ".ndjson"):
            try:
                return json.loads(text, object_pairs_hook=Members)
            except json.JSONDecodeError as error:
                if error.msg != "Extra data":
                    raise
        lines = (line for line in text.split("\n") if line.strip())
        return [json.loads(line, object_pairs_hook=Members) for line in lines]
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
    if not isinstance(data, Members) or not source.cluster:
        return source, data
    if not any(isinstance(value, list) for _, value in data):
        return source, data
    found = find(source, data, source.cluster)
    named = found.column is not None
    return replace(source, cluster=found.column, colons=named), found.value


def clustering_names(source: Source) -> list[str]:
    """The keys that lead to the clusterings of an object, or the members of records."""
    data = _parsed(source)
    if isinstance(data, Members):
        return names_in(data)
    records = [row for row in data if isinstance(row, Members)] if is_plain_list(data) else []
    return columns_of(records)


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
        each = [v if is_plain_list(v) or v is None else [v] for v in values]
        return (made if is_indicator(each, in_table=True) else made._of_labels)(each, None, samples)
    owners, labels = _rows(source, zip(records, values, strict=True))
    ids, samples = _ids(source, columns, owners), _column(owners, columns.sample)
    return source.made(column(labels), ids, samples)


def _ids(source: Source, columns: Columns, records: list[dict[str, Any]]) -> Any:
    return columns.ids(source.shown, lambda name: [record.get(name) for record in records])


def _column(records: list[dict[str, Any]], name: str | None) -> Any:
    return None if name is None else column([record.get(name) for record in records])


def _graded(source: Source, members: Members) -> AnyClustering:
    """Degrees for each id: an object {label: degree}, or a label that it is in for certain."""
    each = once(source, members)
    inside = [value for row in each.values() if isinstance(row, Members) for _, value in row]
    if any(map(is_plain_list, each.values())) or any(isinstance(v, list) for v in inside):
        raise ReadError(
            f"{source.shown} has a list or an object where a label or a degree should be.",
            'write {"id": {"label": degree, …}, …}.',
        )
    degrees = [
        once(source, value) if isinstance(value, Members) else {value: 1.0}
        for value in each.values()
    ]
    ids = column(list(each), written=True)
    made: AnyClustering = SOFT[source.kind](degrees, ids=ids, **rest_for(source.kind, source.rest))
    return made


def _rows(
    source: Source, members: Iterable[tuple[Any, Any]], names: Sequence[str] = ()
) -> tuple[list[Any], list[Any]]:
    """A row for each label of each object; an empty list becomes a null. `names` are those of
    clusterings that there may be instead.
    """
    rows = []
    named = f" Of several clusterings name one: {_listed(source, names)}." if names else ""
    for owner, value in members:
        if isinstance(value, Members):
            raise ReadError(
                f"{source.shown} has an object where a label should be, with {_told(value)}.",
                f"degrees of membership are a fuzzy clustering, not a {source.kind}: say "
                'kind="fuzzy" (or "possibilistic", "evidential"), or write the labels alone.'
                f"{named}",
            )
        if not is_plain_list(value) or source.kind in ("cover", "rough"):
            rows.append((owner, value))
        else:
            wanted = 'kind="rough" where an object is in one of them, '
            raise ReadError(
                f"{source.shown} has lists of labels, which a {_lone(source)} cannot be read from.",
                f'say {wanted}kind="cover" where it is in all of them; a partition is written '
                f'{{"id": "label", …}}, or as a list of clusters [["id", …], …].{named}',
            )
    return [owner for owner, _ in rows], [label for _, label in rows]


def _listed(source: Source, names: Sequence[str]) -> str:
    """Clusterings as they are named on a path, the first of them."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(pasted(f"{source.shown}::{name}") for name in names[:NAMED]) + more


def _told(members: Members) -> str:
    """The names in an object, for an error text."""
    more = f" and {len(members) - 3:,} more" if len(members) > 3 else ""
    return f"{examples(name for name, _ in members)}{more}" if members else "nothing in it"


def _lone(source: Source) -> str:
    """The kind that was asked for, as words."""
    return "partition" if source.kind == "partition" else f"{source.kind} clustering"


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
