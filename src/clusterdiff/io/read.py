"""Reading a clustering from a file: which format it is in, and who reads that format."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import SOFT, AnyClustering, Column, Cover, Partition, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.clusterings.rows import Values
from clusterdiff.engines.columns import (
    IDS,
    Columns,
    asked_as,
    clustering_of_frame,
    find_columns,
    is_frame,
    is_known,
    is_unnamed,
    made_of_matrix,
    made_of_rows,
)
from clusterdiff.engines.duckdb import DuckDB, DuckSession, families
from clusterdiff.engines.protocol import NeedsMemory, Session, Table, written_whole
from clusterdiff.errors import (
    FLAGS,
    FRAME,
    ClusterdiffError,
    InputError,
    MissingColumn,
    NoColumns,
    ReadError,
    a_type,
    did_you_mean,
    shorten,
    shown,
)
from clusterdiff.io.files import (
    PIPE,
    WHOLE,
    DocumentText,
    bytes_of,
    check_encoding,
    check_network,
    decoded,
    format_of_documents,
    in_utf8,
    inside_of,
    is_partitioned,
    is_postgres,
    is_remote,
    is_store,
    marked,
    named_column,
    not_text,
    opened,
    peek,
    whole,
    without_packing,
    without_password,
)
from clusterdiff.io.formats import Format, format_asked, format_that, guessed_format, own

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

# A clustering written at the prompt: 12|34 is a cluster of 1 and 2, and one of 3 and 4.

_SHORT = re.compile(r"[0-9A-Za-z]*(\|[0-9A-Za-z]*)+")
_LONG = re.compile(r"[\w.-]+(,[\w.-]+)*,?(\|([\w.-]+(,[\w.-]+)*,?)?)+")
MOST = 1_000_000
"""Objects that can be written at the prompt."""
DIGITS = 18
"""Of a number: more are no number of 64 bits."""
_RANGE = re.compile(r"(\d+)-(\d+)")


def is_inline(path: str | os.PathLike[str]) -> bool:
    """Whether this is a clustering and not the name of a file.

    >>> is_inline("12|34"), is_inline("1-5|6,7"), is_inline("1234|"), is_inline("truth.csv")
    (True, True, True, False)
    """
    if not isinstance(path, str) or "|" not in path or os.path.exists(path):
        return False
    if "." in path and "," not in path:
        return False
    return bool(_SHORT.fullmatch(path) or _LONG.fullmatch(path))


def clusters_in(text: str) -> list[list[int | str]]:
    """The objects of each cluster; one character each, or with commas and ranges.

    >>> clusters_in("13|2"), clusters_in("1-3,5|4")
    ([[1, 3], [2]], [[1, 2, 3, 5], [4]])
    """
    parts = [part for part in text.split("|") if part]
    if _SHORT.fullmatch(text) or text.isalnum():
        return [[_object(name) for name in part] for part in parts]
    clusters, left = [], MOST
    for part in parts:
        ranges = [_objects(name, left) for name in part.split(",") if name]
        clusters.append([x for objects in ranges for x in objects])
        left -= len(clusters[-1])
    return clusters


def inline(text: str, kind: str = "partition", **columns: Any) -> AnyClustering:
    """The clustering that a text like 12|34 writes down; columns that are named are refused.

    >>> inline("13|2"), inline("12|23", kind="cover")
    (Partition(3 objects in 2 clusters), Cover(3 objects in 2 clusters))
    """
    shown = shorten(text, 60)
    asked = {name: columns.get(name) for name in FLAGS}
    if named := {name: given for name, given in asked.items() if given is not None}:
        raise NoColumns.from_options(shown, named)
    if kind not in ("partition", "cover"):
        raise ClusterdiffError(
            f"{shown} is a partition or a cover, not a {kind} clustering.",
            "write an uncertain clustering to a file.",
        )
    clusters = clusters_in(text)
    for part in clusters:
        if len(set(part)) < len(part):
            twice = Counter(part).most_common(1)[0][0]
            raise ClusterdiffError(
                f"in {shown} object {shorten(str(twice), 40)} stands twice in a cluster.",
                "names of several characters have commas between them: 10,11|12,13.",
            )
    objects = sorted({x for part in clusters for x in part}, key=lambda x: (isinstance(x, str), x))
    if kind == "cover":
        inside: dict[int | str, list[int]] = {x: [] for x in objects}
        for k, part in enumerate(clusters, 1):
            for x in part:
                inside[x].append(k)
        cover = Cover(inside)
        cover.labels.made = True
        return cover
    often = Counter(x for part in clusters for x in part)
    several = [x for x in objects if often[x] > 1]
    if several:
        raise ClusterdiffError(
            f"in {shown} object {shorten(str(several[0]), 40)} is in several clusters.",
            'say kind="cover" if clusters overlap.',
        )
    found = Partition({x: k for k, part in enumerate(clusters, 1) for x in part})
    found.labels.made = True
    return found


def _objects(name: str, most: int) -> Sequence[int | str]:
    found = _RANGE.fullmatch(name)
    if not found:
        return [_object(name)]
    first, last = map(_number, found.groups())
    if first is None or last is None or not 0 <= last - first < most:
        raise ClusterdiffError(
            f"{shorten(name, 60)} is not a range of objects, or makes more than {MOST:,} of them.",
            "write the first and then the last, or a file.",
        )
    return range(first, last + 1)


def _object(name: str) -> int | str:
    number = _number(name)
    return name if number is None else number


def _number(name: str) -> int | None:
    """A whole number; one of very many digits is a text."""
    return int(name) if name.isdecimal() and len(name) <= DIGITS else None


# Clusterings and tables as packages hand them out: frames of splink, clusters of dedupe.


def unwrapped(value: Any) -> Any:
    """What splink wraps: a relation where it has one, else a frame; all else as it is."""
    for name in ("as_duckdbpyrelation", "as_pandas_dataframe"):
        if hasattr(type(value), name):
            return getattr(value, name)()
    return value


def is_scored_clusters(value: Any) -> bool:
    """Whether this is what dedupe makes of records: clusters, each the ids of its records and how
    sure it is of every one.

    >>> is_scored_clusters([(("r1", "r2"), (0.9, 0.9)), (("r3",), (1.0,))])
    True
    >>> is_scored_clusters([("r1", "r2"), ("r3", "r4")])
    False
    """
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_scored_cluster, value))


def _is_scored_cluster(value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    ids, scores = value
    sized = isinstance(ids, tuple | list | np.ndarray) and hasattr(scores, "__len__")
    if not sized or isinstance(scores, str | bytes) or len(ids) != len(scores):
        return False
    return all(isinstance(one, float | np.floating) for one in scores)


def partition_of_scored(clusters: Any) -> Partition:
    """The clusters that dedupe found; its confidences are left out."""
    groups = [ids.tolist() if isinstance(ids, np.ndarray) else ids for ids, _ in clusters]
    ids, labels = objects_of(groups)
    found = Partition(labels, ids)
    found.notes = ("clusters as (ids, scores); the scores are not used",)
    return found


KINDS = ("partition", "cover", *SOFT)


@dataclass(frozen=True)
class Source:
    """A file to read, with the columns that were asked for."""

    files: tuple[Path, ...]
    """Where the bytes are, in one file or several; for standard input, in a temporary file."""
    shown: str
    """What to call it in messages."""
    start: bytes
    """Its first bytes, unpacked."""
    packed: bool = False
    """Whether it is gzipped."""
    id: str | Sequence[str] | None = None
    cluster: str | None = None
    sample: str | None = None
    header: bool | None = None
    kind: str = "partition"
    degree: str | None = None
    count: str | None = None
    rest: str = "refuse"
    partitioned: bool = False
    """Whether folders are called column=value and hold the rows with that value."""
    colons: bool = False
    """Whether the path named the column of the clusters, FILE::COLUMN."""
    inside: str | None = None
    """The table or sheet inside a file that was named, or the query, FILE::TABLE."""
    address: str = field(default="", repr=False)
    """Where a database is that is not a file; a password may be in it."""
    parts: tuple[DocumentText, ...] = ()
    """The files of a folder or pattern of documents: their paths, and the documents they are."""
    skip: int = 0
    """Lines of comments at the top of a table."""
    read_as: tuple[str, ...] = ()
    """What the file was taken for, where it could be something else."""
    ways: Mapping[str, str] = field(default_factory=dict)
    """How it is read where its format has several ways; empty where the format was not named."""
    max_bytes: int = WHOLE
    """How much is read whole."""

    def made(
        self, labels: Any, ids: Any = None, samples: Any = None, degrees: Any = None
    ) -> AnyClustering:
        """A clustering of the kind asked for from rows (id, label), one per object without ids."""
        return made_of_rows(self.kind, labels, ids, samples, degrees, self.rest)

    @property
    def suffix(self) -> str:
        """The ending of the name that says what is inside, without .gz, .zst, .bz2 or .xz."""
        one = str(self.files[0]) if len(self.files) > 1 else self.shown
        return Path(without_packing(one.lower())).suffix

    def columns(self, names: list[str]) -> Columns:
        """Which of these columns are the clusters, ids and samples."""
        found = find_columns(self.shown, names, **self._asked, kind=self.kind, colons=self.colons)
        if len(self.files) == 1 or found.sample is not None:
            return found
        if found.id is None:
            raise ReadError(
                f"{self.shown} are {len(self.files):,} files without ids: which of their rows "
                "belong together cannot be known.",
                f"name the column of the ids, e.g. cd.read({self.shown!r}, id='record'), that of "
                "the samples (sample=) if each file is a document, or compare them one by one.",
            )
        return found._replace(several=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of how it is read: several files are one table."""
        return (f"{len(self.files):,} files, read as one table",) if len(self.files) > 1 else ()

    def check_columns(self, has_ids: bool = True) -> None:
        """Refuse columns that were named, where there are none; "no ids" is true without ids."""
        if self.colons and self.cluster:
            raise NoColumns.from_path(self.shown, self.cluster)
        asked = {k: v for k, v in self._asked.items() if k != "count"}
        named = {k: v for k, v in asked.items() if v or (has_ids and v == "")}
        if named:
            if not isinstance(named.get("id", ""), str):
                named["id"] = ",".join(named["id"])
            raise NoColumns.from_options(self.shown, named)

    @property
    def wanted(self) -> set[str]:
        """Names of columns that were asked for."""
        ids = [self.id, *self.id.split(",")] if isinstance(self.id, str) else self.id or ()
        return {n for n in (self.cluster, self.sample, self.degree, self.count, *ids) if n}

    @property
    def _asked(self) -> dict[str, Any]:
        """The columns that were asked for."""
        names = ("cluster", "id", "sample", "degree", "count")
        return {name: getattr(self, name) for name in names}

    def text(self) -> str:
        """The whole file as text."""
        return "\n".join(self.texts())

    def texts(self) -> list[str]:
        """The text of each file."""
        parts: list[bytes] = []
        names = [part.shown for part in self.parts] or [self.shown] * len(self.files)
        for file, name in zip(self.files, names, strict=True):
            left = self.max_bytes - sum(map(len, parts))
            parts.append(whole(file, self.packed, name, left))
        return list(map(decoded, parts, names))


def read(
    path: str | os.PathLike[str] | IntoFrame,
    *,
    kind: str = "partition",
    id: str | Sequence[str] | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    begins: str | None = None,
    count: str | None = None,
    rest: str = "refuse",
    as_: str | None = None,
    header: bool | None = None,
    max_bytes: str | int | None = None,
    encoding: str | None = None,
    allow_network: bool = False,
) -> AnyClustering:
    """Read a clustering from a file; `-` is standard input, and `12|34` a clustering written out.

    `kind` is "partition"; "cover" where objects are in all of the clusters named and "rough" where
    they are in one of them: a table then has a row for each object and cluster, JSON a list of
    labels for each id; "fuzzy", "possibilistic" or "evidential" where rows have a degree as well
    and JSON an object {"label": degree} for each id. Without degrees it is a partition, which is
    each of these. Degrees of a fuzzy clustering that do not sum to one are refused, divided by
    their sum (rest="normalise"), or leave a rest for "in no known cluster" (rest="empty").

    The format is recognised by the ending of the name or by the first bytes; `as_` sets it: long (a
    table: CSV, TSV, Parquet), arrow, excel, npy, npz, duckdb, sqlite, labels (one label per line),
    clusters (one cluster per line), json (also JSON lines), graphml, gml, conll, corefud or image
    (TIFF, Zarr, NIfTI and .npy of two or more dimensions, see `cd.LabelImage`);
    as_="conll(singletons=drop)" leaves out entities of one mention, and corefud(match=head,
    zeros=dependent, singletons=drop) is what the CorefUD scorer does by default. `id`, `cluster`,
    `sample`, `degree` and `count` (how many objects a row stands for) name columns of a table, or
    of a data frame in place of the path. id="" says that there are no ids; id=["doc", "start",
    "end"] that several columns are the id together. `begins` names a column in place of that of the
    clusters: 1 or true where one begins, of rows in order, as `Partition.from_begins` takes them.
    `FILE::COLUMN` names the column of the clusters too, or an attribute of the nodes of a graph; of
    a JSON document `FILE::runs.best` the keys that lead to a clustering, of arrays in .npz the one
    to take; `FILE::TABLE`, `FILE::TABLE::COLUMN` or `FILE::SELECT …` what to take of a database.
    Text is in UTF-8, or says that it is in UTF-16; `encoding` names another. Addresses (https://…,
    s3://…, postgres://…) are read with allow_network=True. Files that are not tables are refused
    above 500 MB, unpacked, and what comes in by a pipe or from the network above 4 GB;
    max_bytes="16GB" raises both limits.
    """
    check_kind(kind)
    if begins is not None:
        if cluster is not None:
            raise ClusterdiffError(
                f"begins={begins!r} and cluster={cluster!r} both say which clusters there are.",
                "leave one of them out.",
            )
        how: dict[str, Any] = {"kind": kind, "id": id, "sample": sample, "degree": degree}
        how["count"] = count
        how |= {"rest": rest, "as_": as_, "header": header, "encoding": encoding}
        how |= {"max_bytes": max_bytes, "allow_network": allow_network}
        return begun(read(path, cluster=begins, **how), begins)
    if not isinstance(path, str | os.PathLike):
        path = unwrapped(path)
        if not hasattr(path, "dtype") and is_frame(path):
            named: dict[str, Any] = {"id": id, "cluster": cluster, "sample": sample, "count": count}
            found = clustering_of_frame(path, kind=kind, degree=degree, rest=rest, **named)
            return _with_count(found, FRAME, count)
        raise InputError(
            f"cd.read reads a file or a frame, and {a_type(path)} is neither.",
            "cd.compare(truth, guess) takes it as it is; cd.Partition(labels, ids=ids) too.",
        )
    if is_inline(path):
        made = inline(str(path), kind, id=id, cluster=cluster, sample=sample, degree=degree)
        return _with_count(made, str(path), count)
    asked: dict[str, Any] = {"id": id, "sample": sample, "degree": degree, "rest": rest}
    asked |= {"header": header, "max_bytes": max_bytes, "encoding": encoding, "as_": as_}
    asked |= {"kind": kind, "cluster": cluster, "allow_network": allow_network, "count": count}
    return _with_count(read_path(path, **asked), os.fspath(path), count)


def read_path(path: str | os.PathLike[str], **asked: Any) -> AnyClustering:
    """A clustering from a file; one without the column of counts that is asked for has none."""
    check_kind(asked["kind"])
    with ExitStack() as stack:
        source, form = source_of(stack, path, **asked)
        made = read_source(source, form)
    made.source = FileTable.of(path, form, asked)
    return made


def _with_count(made: AnyClustering, shown: str, count: str | None) -> AnyClustering:
    """The clustering, which has the counts that were asked for."""
    if count is None or made.counts is not None:
        return made
    names = [] if made.origin is None else made.origin.names()
    raise MissingColumn.from_names(shown, count, names, "count")


def begun(found: AnyClustering, column: str) -> Partition:
    """The clusters of a sequence, from what a column says in place of labels."""
    if not isinstance(found, Partition):
        raise ClusterdiffError(
            f"begins={column!r} says where clusters of a partition begin.",
            f"leave kind={found.kind!r} out.",
        )
    if found.repeats:
        raise InputError(
            f"{found.repeats:,} ids occur again, so that the order of the objects is not known.",
            "if ids are those of several sequences, name the samples.",
        )
    made = Partition.from_begins(found.labels, found.ids, found.samples).counting_like(found)
    made.origin, made.source, made.documents = found.origin, found.source, found.documents
    flag = f"clusters begin where {shorten(column, 40)} is 1, in the order of the rows"
    made.notes = (*found.notes, flag)
    return made


class FileTable(NamedTuple):
    """A table in files, to be opened again for columns that were not read."""

    path: str
    asked: dict[str, Any]
    engine: DuckDB

    @classmethod
    def of(
        cls, path: Any, form: Format, asked: Mapping[str, Any], engine: DuckDB | None = None
    ) -> FileTable | None:
        """The table of a path; None of what is none, can be read once only, or is far away."""
        name = os.fsdecode(path)
        far = named_column(name)[0] == "-" or is_postgres(name) or is_remote(name)
        if far or form.table is not own()["long"].table:
            return None
        return cls(os.path.abspath(name), dict(asked), engine or DuckDB())


def open_table(
    session: DuckSession, path: str | os.PathLike[str], **asked: Any
) -> AnyClustering | Table:
    """The same file as a table that stays where it is; in memory if it is in no such format."""
    asked["allow_network"] = asked.get("allow_network") or session.allow_network
    source, form = source_of(session.open, path, **asked)
    load: Load = partial(read_source, source, form)
    try:
        made = load() if form.table is None else form.table(session, source, load)
    except NeedsMemory:
        made = load()
    again = FileTable.of(path, form, asked, session.options)
    if isinstance(made, Table):
        return replace(made, notes=(*made.notes, *source.read_as), source=again)
    made.source = again
    return made


def source_of(
    stack: ExitStack,
    path: str | os.PathLike[str],
    *,
    kind: str = "partition",
    cluster: str | None = None,
    as_: str | None = None,
    max_bytes: str | int | None = None,
    encoding: str | None = None,
    allow_network: bool = False,
    **asked: Any,
) -> tuple[Source, Format]:
    """The file behind a path, and its format; `stack` keeps temporary files."""
    check_kind(kind)
    check_encoding(encoding)
    said, ways = (None, {}) if as_ is None else format_asked(as_)
    name, column = named_column(os.fsdecode(path))
    name, inside = inside_of(name)
    given: dict[str, Any] = {"cluster": column or cluster, "kind": kind, "inside": inside}
    given |= {"colons": column is not None, "max_bytes": bytes_of(max_bytes, WHOLE), **asked}
    given["ways"] = ways
    if is_postgres(name):
        check_network(without_password(name), allow_network)
        source = Source((), without_password(name), b"", address=name, **given)
        return _prepared(stack, source, own()["postgres"])
    if is_store(name):
        return Source((Path(name),), name, b"", **given), own()["image"]
    found = opened(name, bytes_of(max_bytes, PIPE), allow_network=allow_network)
    files, shown, given["parts"] = stack.enter_context(found)
    start, packed = peek(files[0], shown)
    # a database starts with a checksum, which may look like the mark of an encoding
    taken = None if _is_binary(start) else marked(start) or encoding
    if taken is not None and (plain := in_utf8(stack, files, packed, taken, shown)) != files:
        files, given["read_as"] = plain, (f"read as {taken}",)
        start, packed = peek(files[0], shown)
    given["partitioned"] = is_partitioned(name, files)
    source = Source(files, shown, start, packed, **given)
    if said is None or (said.name == "long" and _is_binary(start)):
        return _prepared(stack, source, detect(source))
    return _prepared(stack, source, said)


def _prepared(stack: ExitStack, source: Source, form: Format) -> tuple[Source, Format]:
    """A file as its format reads it."""
    if source.inside is not None and not form.inside:
        raise ReadError(
            f"{source.shown} holds one table or clustering, so there is no ::{source.inside} in "
            "it.",
            f"write {source.shown}::{source.cluster or 'COLUMN'}.",
        )
    return source if form.prepare is None else form.prepare(stack, source), form


def _is_binary(start: bytes) -> bool:
    """Whether a file that starts so is in a format that holds other things than text."""
    return any(one.binary and one.begins and one.fits(start) for one in own().values())


def read_source(source: Source, form: Format, read: Reader | None = None) -> AnyClustering:
    """The clustering of a file, in memory; by a reader of its own if it is a table already."""
    if len(source.files) > 1 and not form.several:
        raise ReadError.of_each(source.shown, len(source.files))
    try:
        if not form.columns:
            source.check_columns(form.ids)
        found = asked_as(source.kind, (read or form.read)(source))
    except InputError as error:
        raise error.within(source.shown) from None
    found.notes += source.read_as
    if found.documents and len(source.files) > 1:
        found.notes += (f"{len(found.documents):,} documents in {len(source.files):,} files",)
    elif found.origin is None:
        found.notes += source.notes
    else:
        found.origin = replace(found.origin, files=len(source.files))
    if not form.empty and not len(found):
        raise ReadError.empty(source.shown)
    return found


def check_kind(kind: str | None) -> None:
    """Refuse a kind of clusterings that there is not."""
    if kind not in (None, *KINDS):
        near = kind if isinstance(kind, str) else ""
        raise ClusterdiffError(
            f"unknown kind of clustering {shown(kind)}.",
            f"{did_you_mean(near, KINDS)}Kinds are {', '.join(KINDS)}.",
        )


def detect(source: Source) -> Format:
    """The format of a file: by the ending of its name, else by how it starts."""
    start = source.start
    found = next((one for one in own().values() if one.begins and one.fits(start)), None)
    documents = format_of_documents(source.parts)
    found = found or own().get(documents) or format_that(lambda one: source.suffix in one.suffixes)
    found = found or format_that(lambda one: one.begins is not None and one.fits(start))
    if b"\0" in start and not (found and found.binary and found.fits(start)):
        raise not_text(start, source.shown)
    if not start.strip() and not documents:
        raise ReadError.empty(source.shown)
    return found or own()[guessed_format(source.start, source.shown)]


Reader = Callable[[Source], AnyClustering]
Load = Callable[..., AnyClustering]
"""Reads a file into memory, by a reader where one is given."""

# A table of a session as a clustering in memory, read through the connection of the session.


def loaded(
    source: Source,
    session: DuckSession,
    rows: str,
    columns: Columns,
    bare: Callable[[str], int] | None = None,
) -> AnyClustering:
    """The rows of a table or view, which has columns as engines call them, in their order.

    One column after the other, so that no two are in memory in the form in which they come. Of
    text that was parsed, `bare` counts labels that are a word without quotes.
    """
    written = bare is not None

    def fetched(name: str) -> Any:
        return session.fetch(f"SELECT {name} AS v FROM {rows}", doing).column("v")

    def taken(name: str, own: str | None) -> Column | None:
        if own is None:
            return None
        typed = f"{name}::BIGINT" if name in whole else name
        return column(fetched(typed), written=written)

    doing = f"reading {source.shown}"
    given = {"cluster": columns.cluster or None, "id": columns.id, "sample": columns.sample}
    given["counts"] = columns.count
    with session.reading(source.shown, ()), session.in_order():
        present = [name for name, own in given.items() if own is not None]
        whole = whole_columns(session, rows, present) if written else ()
        cluster, ids, samples, counts = (taken(name, own) for name, own in given.items())
        graded = [f"w{i}" for i in range(len(columns.wide))] or ["degree"] * bool(columns.degree)
        given_degrees = [_degrees(fetched(name)) for name in graded]
        degrees = [numbers for numbers, _ in given_degrees]
    session.check()
    commas = any(found for _, found in given_degrees)
    notes = ("degrees read with a decimal comma",) if commas else ()
    if columns.wide:
        known = source.kind, source.shown, columns
        matrix = made_of_matrix(*known, ids, samples, degrees, source.rest)
        matrix.notes += notes
        return columns.counted(matrix, counts, ids, samples)

    def made() -> AnyClustering:
        return source.made(cluster, ids, samples, degrees[0] if degrees else None)

    found = columns.counted(columns.checked(source.shown, made), counts, ids, samples)
    found.notes += notes
    if bare is not None and cluster is not None:
        words = [word for word, n in cluster.null_words.items() if n > 1]
        found.bare_words = {word: bare(word) for word in words}
    return found


def table_in(
    session: DuckSession,
    source: Source,
    view: str,
    columns: Columns,
    load: Callable[[Callable[[Source], AnyClustering]], AnyClustering],
    again: Callable[[Source], AnyClustering],
    bare: Callable[..., int] | None = None,
) -> Table:
    """The rows of a view as a table of a file that stays where it is; what does not fit the types
    that it has there is read again.
    """

    def read(source: Source) -> AnyClustering:
        try:
            return loaded(source, session, view, columns, bare)
        except NeedsMemory:
            return again(source)

    return Table(
        session, view, columns, families(session, view), source.kind, source.shown,
        partial(load, read), is_file=True, written=bare is not None, rest=source.rest,
        files=len(source.files), bare=bare,
    )  # fmt: skip


def whole_columns(session: Session, rows: str, names: list[str]) -> list[str]:
    """Columns of text that hold whole numbers alone: 7 is one, 07 and +7 are not."""
    if not names:
        return []
    tests = [
        f"count({name}) = count(*) AND bool_and(({written_whole(name)}) IS TRUE) AS {name}"
        for name in names
    ]
    found = session.row(f"SELECT {', '.join(tests)} FROM {rows}")
    return [name for name in names if found[name]]


def _degrees(values: Any) -> tuple[Any, bool]:
    """Degrees as numbers, where they are; and whether they have decimal commas."""
    if isinstance(values, Values):
        return _degrees_of(values)
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return values.cast(pa.float64()).to_numpy(), False
    except pa.ArrowInvalid:
        pass
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if not pc.any(pc.match_substring(values, ".")).as_py():
            return pc.replace_substring(values, ",", ".").cast(pa.float64()).to_numpy(), True
    return values.to_pylist(), False


def _degrees_of(values: Values) -> tuple[Any, bool]:
    """The same of Python's numbers and texts."""
    if values.array.dtype.kind in "iuf":
        return values.array.astype(np.float64, copy=False), False
    listed = values.to_pylist()
    with suppress(ValueError, TypeError):
        return np.array([_degree(one) for one in listed]), False
    texts = [one for one in listed if isinstance(one, str)]
    with suppress(ValueError, TypeError):
        if not any("." in text for text in texts):
            given = [one.replace(",", ".") if isinstance(one, str) else one for one in listed]
            return np.array([_degree(one) for one in given]), True
    return listed, False


def _degree(value: Any) -> float:
    """A degree, not a number as Python alone writes it; null is NaN."""
    if isinstance(value, str) and re.search(r"[_\s]", value):
        raise ValueError(value)
    return float("nan") if value is None else float(value)


# Patterns for several clusterings: `runs/*.csv` names files, `table.csv::leiden_*` columns.

MARKS = "*?["


def expanded(path: str, one_table: bool = False, **how: Any) -> list[str]:
    """The clusterings that a path means: a file, a column, or all that fit a pattern; with
    `one_table`, the files that fit are the parts of one. `how` says how files are opened, as `read`
    has it.
    """
    if path == "-" or is_inline(path) or os.path.exists(path):
        return [path]
    file, wanted = named_column(path)
    files = [file]
    if not one_table and any(mark in file for mark in MARKS) and not os.path.exists(file):
        files = sorted(one for one in glob(file, recursive=True) if os.path.isfile(one)) or files
    if wanted is None:
        return files
    if not any(mark in wanted for mark in MARKS):
        return [f"{one}::{wanted}" for one in files]
    return [f"{one}::{name}" for one in files for name in columns_like(one, wanted, **how)]


def names_of(paths: Sequence[str]) -> list[str]:
    """What to call files: as short as keeps them apart; columns of one table by their names."""
    tables = {path.rpartition("::")[0] for path in paths}
    if 1 < len(paths) == len(set(paths)) and len(tables) == 1 and "" not in tables:
        return [path.rpartition("::")[2] for path in paths]
    short = [Path(p).name if p != "-" else "stdin" for p in map(without_password, paths)]
    if len(set(short)) == len(short):
        return short
    if len(set(paths)) == len(paths):
        return list(map(without_password, paths))
    return [f"{p} ({k})" for k, p in enumerate(paths, 1)]


def columns_like(file: str, pattern: str, **how: Any) -> list[str]:
    """The columns of a table, or the clusterings of a JSON object, that fit a pattern; the column
    of the ids is none of them.
    """
    with ExitStack() as stack:
        source, form = source_of(stack, file, header=True, **how)
        if form.names is None:
            raise NoColumns.from_path(source.shown, pattern)
        names = form.names(source)
    if pattern in names:
        return [pattern]
    runs = [name for name in names if not is_id(name, names)]
    found = [name for name in runs if fnmatchcase(name, pattern)]
    if not found:
        raise MissingColumn.from_names(source.shown, pattern, runs, "::")
    return found


def is_id(name: str, names: list[str]) -> bool:
    """Whether a column holds the ids, by its name; a weak name only where no strong one is."""
    strong = any(is_known(one, IDS._replace(weak=())) for one in names)
    return is_known(name, IDS._replace(weak=()) if strong else IDS) or (
        name == names[0] and is_unnamed(name)
    )
