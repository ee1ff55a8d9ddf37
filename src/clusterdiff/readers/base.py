"""Reading a clustering from a file: which format it is in, and who reads that format."""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.engines.columns import Columns, find_columns, made_of_rows
from clusterdiff.engines.table import Table, Unfit
from clusterdiff.errors import ClusterdiffError, InputError, ReadError, did_you_mean, shorten
from clusterdiff.readers.inline import inline, is_inline
from clusterdiff.tidy import temporary_folder

if TYPE_CHECKING:
    from clusterdiff.engines.duckdb import DuckSession

KINDS = ("partition", "cover", *SOFT)
FORMATS = ("long", "labels", "clusters", "json", "conll")
SUFFIXES = {
    ".csv": "long",
    ".tsv": "long",
    ".parquet": "long",
    ".pq": "long",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".labels": "labels",
    ".clusters": "clusters",
    ".cnl": "clusters",
    ".conll": "conll",
}
TABLES = (".parquet", ".pq", ".csv", ".tsv")
"""Endings of the files that a folder may hold."""
PEEK = 1 << 16
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
CONLL = b"#begin document"
PLAIN = re.compile(r"[^*?\[\]{}\udc80-\udcff]+")


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
    id: str | None = None
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

    def made(
        self, labels: Any, ids: Any = None, samples: Any = None, degrees: Any = None
    ) -> AnyClustering:
        """A clustering of the kind asked for from rows (id, label), one per object without ids."""
        return made_of_rows(self.kind, labels, ids, samples, degrees, self.rest)

    @property
    def suffix(self) -> str:
        """The ending of the name that says what is inside, without .gz."""
        one = str(self.files[0]) if len(self.files) > 1 else self.shown
        name = one.lower().removesuffix(".gz")
        return Path(name).suffix

    def columns(self, names: list[str]) -> Columns:
        """Which of these columns are the clusters, ids and samples."""
        return find_columns(
            self.shown,
            names,
            id=self.id,
            cluster=self.cluster,
            sample=self.sample,
            degree=self.degree,
            kind=self.kind,
            colons=self.colons,
        )

    def text(self) -> str:
        """The whole file as text."""
        data = [file.read_bytes() for file in self.files]
        try:
            parts = [gzip.decompress(part) if self.packed else part for part in data]
            return "\n".join(part.decode("utf-8-sig") for part in parts)
        except UnicodeDecodeError:
            raise ReadError.binary(self.shown) from None
        except (EOFError, OSError, zlib.error) as error:
            raise ReadError.from_engine(self.shown, str(error)) from None


def read(
    path: str | os.PathLike[str],
    *,
    kind: str = "partition",
    id: str | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    rest: str = "refuse",
    as_: str | None = None,
    header: bool | None = None,
) -> AnyClustering:
    """A clustering from a file; `-` is standard input; `12|34` is one written down right here.

    `kind` is "partition"; "cover" where objects are in all of the clusters named and "rough" where
    they are in one of them: a table then has a row for each object and cluster, JSON a list of
    labels for each id; "fuzzy", "possibilistic" or "evidential" where rows have a degree as well
    and JSON an object {"label": degree} for each id. Without degrees it is a partition, which is
    each of these. Degrees of a fuzzy clustering that do not sum to one are refused, divided by
    their sum (rest="normalise"), or leave a rest for "in no known cluster" (rest="empty").

    The format is known by the ending of the name or by the first bytes; `as_` names it: long (a
    table: CSV, TSV, Parquet), labels (one label per line), clusters (one cluster per line), json
    (also JSON lines) or conll. `id`, `cluster`, `sample` and `degree` name columns of a table,
    id="" says that there are no ids; `FILE::COLUMN` names the column of the clusters too.
    """
    check_kind(kind)
    if is_inline(path):
        return inline(str(path), kind)
    with ExitStack() as stack:
        asked: dict[str, Any] = {"id": id, "sample": sample, "degree": degree}
        asked |= {"rest": rest, "header": header}
        found = source_of(stack, path, kind=kind, cluster=cluster, as_=as_, **asked)
        return read_source(*found)


def open_table(
    session: DuckSession, path: str | os.PathLike[str], **asked: Any
) -> AnyClustering | Table:
    """The same file as a table that stays where it is; in memory if it is in no such format."""
    source, form = source_of(session.open, path, **asked)
    load = partial(read_source, source, form)
    try:
        if form == "long":
            from clusterdiff.readers.long import table_of_file
        elif form == "json":
            from clusterdiff.readers.records import table_of_file
        else:
            return load()
        return table_of_file(session, source, load)
    except Unfit:
        return load()


def source_of(
    stack: ExitStack,
    path: str | os.PathLike[str],
    *,
    kind: str = "partition",
    cluster: str | None = None,
    as_: str | None = None,
    **asked: Any,
) -> tuple[Source, str]:
    """The file behind a path, and its format; `stack` keeps temporary files."""
    check_kind(kind)
    if as_ is not None and as_ not in FORMATS:
        raise ClusterdiffError(
            f"there is no format {as_!r}.",
            f"{did_you_mean(as_, FORMATS)}There are {', '.join(FORMATS)}.",
        )
    name, column = named_column(os.fspath(path))
    files, shown = stack.enter_context(_opened(name))
    start, packed = peek(files[0], shown)
    folder = os.path.isdir(name)
    source = Source(
        files, shown, start, packed, cluster=column or cluster, kind=kind, partitioned=folder,
        colons=column is not None, **asked,
    )  # fmt: skip
    return source, as_ or detect(source)


def read_source(source: Source, form: str) -> AnyClustering:
    """The clustering of a file, in memory."""
    try:
        found = READERS[form](source)
    except InputError as error:
        raise error.within(source.shown) from None
    if not len(found) and not source.start.lstrip().startswith(CONLL):
        raise ReadError.empty(source.shown)
    return found


def check_kind(kind: str | None) -> None:
    """Refuse a kind of clusterings that there is not."""
    if kind not in (None, *KINDS):
        raise ClusterdiffError(
            f"there are no clusterings of the kind {kind!r}.",
            f"{did_you_mean(str(kind), KINDS)}Kinds are {', '.join(KINDS)}.",
        )


def detect(source: Source) -> str:
    """The format of a file: by the ending of its name, else by how it starts."""
    start = source.start
    if start[:4] == b"PAR1":
        return "long"
    if b"\0" in start:
        raise ReadError.binary(source.shown)
    if not start.strip():
        raise ReadError.empty(source.shown)
    if start.lstrip().startswith(CONLL):
        return "conll"
    if source.suffix in SUFFIXES:
        return SUFFIXES[source.suffix]
    if start.lstrip()[:1] in b"[{":
        return "json"
    lines = [line for line in start.splitlines()[:50] if line.strip()]
    if any(mark in lines[0] for mark in (b",", b"\t", b";", b"|")):
        return "long"
    if 2 * sum(len(line.split()) > 1 for line in lines) > len(lines):
        raise ReadError(
            f"the lines of {source.shown} hold several words: it could be a table, a cluster per "
            "line, or labels with blanks in them.",
            "say which: --as long, --as clusters or --as labels (as_= in Python).",
        )
    return "labels"


def named_column(path: str) -> tuple[str, str | None]:
    """FILE::COLUMN taken apart, unless a file has that very name."""
    if "::" not in path or os.path.exists(path):
        return path, None
    name, _, column = path.rpartition("::")
    if not column:
        raise ReadError(f"{path} names no column after the ::.", f"write e.g. {name}::cluster.")
    return name, column


@contextmanager
def _opened(name: str) -> Iterator[tuple[tuple[Path, ...], str]]:
    """The files, checked, and what to call them.

    Standard input and pipes can be read once, so they go through a temporary file; a name that an
    engine would take for a pattern (run[1].csv) gets a plain one.
    """
    files = _files(name)
    with temporary_folder() as folder:
        yield tuple(_plain(file, folder, i) for i, file in enumerate(files)), _shown(name)


def _files(name: str) -> list[Path]:
    """The files that a path means: one, those of a folder, or those that fit a pattern."""
    file = Path(name)
    try:
        if file.is_dir():
            inside = sorted(f for f in file.rglob("*") if f.suffix.lower() in TABLES)
            if not inside or len({f.suffix.lower() for f in inside}) > 1:
                raise ReadError.directory(name)
            return inside
        if name == "-" or file.exists():
            return [file]
        if any(mark in name for mark in "*?["):
            found = sorted(Path(f) for f in glob(name, recursive=True) if os.path.isfile(f))
            if found:
                return found
        raise ReadError.missing(name, _beside(file))
    except (OSError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError.missing(shorten(name, 60), []) from None


def _shown(name: str) -> str:
    return "standard input" if name == "-" else name


def _plain(file: Path, folder: Path, number: int) -> Path:
    """The file itself, or one in a folder of ours that an engine can read and read again."""
    if str(file) != "-" and file.is_file() and PLAIN.fullmatch(str(file)):
        return file
    inside = folder / f"input{number}"
    if str(file) == "-":
        inside.write_bytes(sys.stdin.buffer.read())
    elif file.is_file():
        inside.symlink_to(file.absolute())
    else:
        inside.write_bytes(file.read_bytes())
    return inside


def _beside(file: Path) -> list[str]:
    """Files in the same folder, written as the user wrote the missing one."""
    try:
        return [str(file.parent / f.name) for f in file.parent.iterdir() if f.is_file()]
    except OSError:
        return []


def peek(file: Path, shown: str) -> tuple[bytes, bool]:
    """The first bytes, unpacked, and whether they had to be."""
    try:
        with file.open("rb") as raw:
            start = raw.read(PEEK)
        if start[:2] == GZIP:
            with gzip.open(file, "rb") as unpacked:
                return unpacked.read(PEEK).removeprefix(BOM), True
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None
    return start.removeprefix(BOM), False


def _reader(module: str) -> Callable[[Source], AnyClustering]:
    """A reader that is imported when it is first used."""

    def run(source: Source) -> AnyClustering:
        from importlib import import_module

        made: Any = import_module(f"clusterdiff.readers.{module}")
        result: AnyClustering = made.read_clustering(source)
        return result

    return run


READERS: dict[str, Callable[[Source], AnyClustering]] = {name: _reader(name) for name in FORMATS}
