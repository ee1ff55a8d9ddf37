"""Reading a clustering from a file: which format it is in, and who reads that format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterdiff.backends.columns.find import Columns, asked_as, find_columns, made_of_rows
from clusterdiff.backends.columns.frames import clustering_of_frame, is_frame
from clusterdiff.backends.duckdb import DuckSession
from clusterdiff.backends.table import Table
from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.errors import (
    ArrayError,
    ClusterdiffError,
    InputError,
    NoColumns,
    ReadError,
    SeveralFiles,
    a_type,
    did_you_mean,
    shown,
)
from clusterdiff.inputs.files.addresses import (
    inside_of,
    is_postgres,
    named_column,
    without_password,
)
from clusterdiff.inputs.files.documents import DocumentText, format_of_documents
from clusterdiff.inputs.files.encoding import (
    check_encoding,
    decoded,
    in_utf8,
    marked,
    not_text,
)
from clusterdiff.inputs.files.limits import PIPE, WHOLE, bytes_of, whole
from clusterdiff.inputs.files.packing import without_packing
from clusterdiff.inputs.files.paths import is_partitioned, opened, peek
from clusterdiff.inputs.files.remote import refuse_network
from clusterdiff.inputs.formats import Format, format_asked, format_that, guessed_format, own
from clusterdiff.inputs.inline import inline, is_inline
from clusterdiff.inputs.scored.wrapped import unwrapped

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

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
    rest: str = "refuse"
    partitioned: bool = False
    """Whether folders are called column=value and hold the rows with that value."""
    colons: bool = False
    """Whether the path named the column of the clusters, FILE::COLUMN."""
    inside: str | None = None
    """The table or sheet inside a file that was named, or the query, FILE::TABLE."""
    address: str = field(default="", repr=False)
    """Where a database is that is no file; a password may be in it."""
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
            raise SeveralFiles(
                f"{self.shown} are {len(self.files):,} files without ids: which of their rows "
                "belong together cannot be known.",
                f"name the column of the ids, e.g. cd.read({self.shown!r}, id='record'), that of "
                "the samples if each file is a document, or compare them one by one.",
                "name the column of the ids with --id, that of the samples with --samples if each "
                "file is a document, or compare them one by one.",
            )
        return found._replace(several=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of how it is read: several files are one table."""
        return (f"{len(self.files):,} files, read as one table",) if len(self.files) > 1 else ()

    def refuse_columns(self, has_ids: bool = True) -> None:
        """Refuse columns that were named, where there are none; "no ids" is true without ids."""
        if self.colons and self.cluster:
            raise NoColumns.from_path(self.shown, self.cluster)
        named = {k: v for k, v in self._asked.items() if v or (has_ids and v == "")}
        if named:
            if not isinstance(named.get("id", ""), str):
                named["id"] = ",".join(named["id"])
            raise NoColumns.from_options(self.shown, named)

    @property
    def wanted(self) -> set[str]:
        """Names of columns that were asked for."""
        ids = [self.id, *self.id.split(",")] if isinstance(self.id, str) else self.id or ()
        return {name for name in (self.cluster, self.sample, self.degree, *ids) if name}

    @property
    def _asked(self) -> dict[str, Any]:
        """The columns that were asked for."""
        return {name: getattr(self, name) for name in ("cluster", "id", "sample", "degree")}

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
    rest: str = "refuse",
    as_: str | None = None,
    header: bool | None = None,
    max_bytes: str | int | None = None,
    encoding: str | None = None,
    allow_network: bool = False,
) -> AnyClustering:
    """A clustering from a file; `-` is standard input; `12|34` is one written down right here.

    `kind` is "partition"; "cover" where objects are in all of the clusters named and "rough" where
    they are in one of them: a table then has a row for each object and cluster, JSON a list of
    labels for each id; "fuzzy", "possibilistic" or "evidential" where rows have a degree as well
    and JSON an object {"label": degree} for each id. Without degrees it is a partition, which is
    each of these. Degrees of a fuzzy clustering that do not sum to one are refused, divided by
    their sum (rest="normalise"), or leave a rest for "in no known cluster" (rest="empty").

    The format is known by the ending of the name or by the first bytes; `as_` names it: long (a
    table: CSV, TSV, Parquet), arrow, excel, npy, npz, duckdb, sqlite, labels (one label per line),
    clusters (one cluster per line), json (also JSON lines), graphml, gml, conll or corefud;
    as_="conll(singletons=drop)" leaves out entities of one mention, and corefud(match=head,
    zeros=dependent, singletons=drop) is what the CorefUD scorer does by default. `id`,
    `cluster`, `sample` and `degree` name columns of a table, or of a data frame in place of the
    path. id="" says that there are no ids; id=["doc", "start", "end"] that several columns are the
    id together. `FILE::COLUMN` names the column of the clusters too, or an attribute of the nodes
    of a graph; of a JSON document `FILE::runs.best` the keys that lead to a clustering, of arrays
    in .npz the one to take; `FILE::TABLE`, `FILE::TABLE::COLUMN` or `FILE::SELECT …` what to take
    of a database. Text is in UTF-8, or says that it is in UTF-16; `encoding` names another.
    Addresses (https://…, s3://…, postgres://…) are read with allow_network=True. Files that are no
    tables are refused above 500 MB, unpacked, and what comes in by a pipe or from the network above
    4 GB; max_bytes="16GB" raises both limits.
    """
    check_kind(kind)
    if not isinstance(path, str | os.PathLike):
        path = unwrapped(path)
        if not hasattr(path, "dtype") and is_frame(path):
            named: dict[str, Any] = {"id": id, "cluster": cluster, "sample": sample}
            return clustering_of_frame(path, kind=kind, degree=degree, rest=rest, **named)
        raise ArrayError(
            f"cd.read reads a file or a frame, and {a_type(path)} is neither.",
            "cd.compare(truth, guess) takes it as it is; cd.Partition(labels, ids=ids) too.",
        )
    if is_inline(path):
        return inline(str(path), kind, id=id, cluster=cluster, sample=sample, degree=degree)
    asked: dict[str, Any] = {"id": id, "sample": sample, "degree": degree, "rest": rest}
    asked |= {"header": header, "max_bytes": max_bytes, "encoding": encoding, "as_": as_}
    asked |= {"kind": kind, "cluster": cluster, "allow_network": allow_network}
    with ExitStack() as stack:
        return read_source(*source_of(stack, path, **asked))


def open_table(
    session: DuckSession, path: str | os.PathLike[str], **asked: Any
) -> AnyClustering | Table:
    """The same file as a table that stays where it is; in memory if it is in no such format."""
    asked["allow_network"] = asked.get("allow_network") or session.allow_network
    source, form = source_of(session.open, path, **asked)
    load: Load = partial(read_source, source, form)
    made = load() if form.table is None else form.table(session, source, load)
    if isinstance(made, Table) and source.read_as:
        return replace(made, notes=(*made.notes, *source.read_as))
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
        refuse_network(without_password(name), allow_network)
        source = Source((), without_password(name), b"", address=name, **given)
        return _prepared(stack, source, own()["postgres"])
    found = opened(name, bytes_of(max_bytes, PIPE), allow_network=allow_network)
    files, shown, given["parts"] = stack.enter_context(found)
    start, packed = peek(files[0], shown)
    taken = marked(start) or (None if _is_binary(start) else encoding)
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
        raise SeveralFiles.from_format(source.shown, len(source.files))
    try:
        if not form.columns:
            source.refuse_columns(form.ids)
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
    if not len(found) and not form.empty:
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
