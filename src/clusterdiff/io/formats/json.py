"""JSON documents: an object id -> label (or labels), a list of labels, of clusters, of records."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.cover import is_indicator
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.engines.columns import (
    GRADED,
    IDS,
    Columns,
    edges_in,
    is_known,
    made_of_matrix,
    rest_for,
)
from clusterdiff.engines.duckdb import DuckSession, families, listed, quoted
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.errors import NoColumns, ReadError, examples, pasted, shorten
from clusterdiff.io.files import DIGITS
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Load, Source, table_in

# Clusterings inside a JSON document, by the keys that lead to them: FILE::runs.louvain.

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
        raise NoColumns.from_names(
            source.shown, "clustering", keys, names_in(data) or [n for n, _ in data]
        )
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
    source.check_columns(has_ids=isinstance(data, Members) or clusters)
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
        raise ReadError.of_each(source.shown, len(data))
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
        raise ReadError.too_many(
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
        wide = made_of_matrix(source.kind, source.shown, columns, *named, degrees, source.rest)
        return columns.counted(wide, _column(records, columns.count), *named)
    made = columns.checked(source.shown, lambda: _made_of_records(source, columns, records))
    ids, samples = _ids(source, columns, records), _column(records, columns.sample)
    return columns.counted(made, _column(records, columns.count), ids, samples)


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
            kind = source.kind + " clustering" * (source.kind != "partition")
            raise ReadError(
                f"{source.shown} has lists of labels, which a {kind} cannot be read from.",
                'say kind="rough" where an object is in one of them, kind="cover" where it is in '
                "all of them; a partition is written "
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


# JSON records, one per line or in a list, as a table that stays where it is.

WHOLE = {"UBIGINT", "BIGINT"}
TAIL = 1 << 16
"""Bytes at the end of a list among which its bracket is looked for."""
LONGEST = 1 << 26
"""Bytes of the longest record."""


def table_of_file(session: DuckSession, source: Source, load: Load) -> Table:
    """Records {"id": …, "cluster": …} of whole numbers or of text; others are read in memory."""
    if source.kind not in ("partition", "cover", "rough"):
        raise NeedsMemory("records with degrees")
    first, form = _first_record(source)
    files = listed(source.files)
    options = (
        f"format='{form}', compression='{'gzip' if source.packed else 'none'}', "
        f"maximum_object_size={LONGEST}"
    )
    if form == "array" and not all(_ends(file, source.packed) for file in source.files):
        raise NeedsMemory("a list that does not end")
    columns = source.columns([*first, *_later_names(session, files, options, first)])
    if columns.id is None or columns.parts:
        raise NeedsMemory("records without ids, or with ids of several columns")
    chosen = ", ".join(f"{quoted(name)}: 'JSON'" for name in columns.chosen())
    rows = f"read_json({files}, columns={{{chosen}}}, {options})"
    place = ", row_number() OVER () AS place" if columns.sample else ""
    try:
        with (
            session.reading(source.shown, source.files),
            session.in_order(),
        ):
            raw = session.keep(
                f"SELECT {columns.named(quoted)}{place} FROM {rows}", f"reading {source.shown}"
            )
    except ReadError as error:
        raise NeedsMemory(str(error)) from None
    known = families(session, raw)
    own = [name for name in ("cluster", "id", "sample", "counts") if name in known]
    typed = [f"{_typed(session, raw, name)} AS {name}" for name in own]
    if place:
        typed.append("place")
    view = session.view(f"SELECT {', '.join(typed)} FROM {raw}")
    return table_in(session, source, view, columns, load, read_clustering)


def _later_names(session: DuckSession, files: str, options: str, first: list[str]) -> list[str]:
    """Columns that the first record does not have and others do."""
    query = (
        "SELECT DISTINCT unnest(json_keys(json)) AS name FROM "
        f"read_json_objects({files}, {options}) ORDER BY name"
    )
    try:
        found = session.fetch(query).column("name").to_pylist()
    except ReadError as error:
        raise NeedsMemory(str(error)) from None
    return [name for name in found if name not in first]


def _ends(file: Path, packed: bool) -> bool:
    """Whether a list ends where the file does; DuckDB takes one that was cut after a comma."""
    last = b""
    try:
        with gzip.open(file, "rb") if packed else file.open("rb") as stream:
            if not packed:
                stream.seek(max(0, file.stat().st_size - TAIL))
            while chunk := stream.read(1 << 20):
                last = chunk.rstrip()[-1:] or last
    except (OSError, EOFError, zlib.error) as error:
        raise NeedsMemory(str(error)) from None
    return last == b"]"


def _first_record(source: Source) -> tuple[list[str], str]:
    """What the columns of the first record are called, and how records follow each other."""
    start = source.start.decode("utf-8", errors="ignore").lstrip()
    form = "array" if start[:1] == "[" else "newline_delimited"
    try:
        first: Any = json.JSONDecoder().raw_decode(start.removeprefix("[").lstrip())[0]
    except (ValueError, RecursionError):
        raise NeedsMemory("no record at the start") from None
    if not isinstance(first, dict):
        raise NeedsMemory("no records")
    lines = source.suffix in (".jsonl", ".ndjson") or "\n{" in start
    if form == "newline_delimited" and not lines:
        raise NeedsMemory("one document")
    return list(first), form


def _typed(session: DuckSession, raw: str, name: str) -> str:
    """A column of JSON values as whole numbers or as text."""
    query = f"SELECT DISTINCT json_type({name}) AS t FROM {raw} WHERE {name} IS NOT NULL"
    found = {row["t"] for row in session.fetch(query).to_pylist()} - {"NULL", None}
    if found <= {"VARCHAR"}:
        return f"{name} ->> '$'"
    if found <= WHOLE:
        return f"CASE WHEN json_type({name}) <> 'NULL' THEN CAST({name} AS BIGINT) END"
    raise NeedsMemory(f"values of the types {', '.join(sorted(map(str, found)))}")


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
    table=table_of_file,
)
