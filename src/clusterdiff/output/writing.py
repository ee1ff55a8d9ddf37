"""Writing a file: as a whole or not at all, and never over one that was read."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from glob import glob
from shutil import copyfileobj
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from clusterdiff.cleanup import at_the_end
from clusterdiff.clusterings.rows import Values, arrow_table
from clusterdiff.engines.duckdb import literal
from clusterdiff.errors import ClusterdiffError, WriteError
from clusterdiff.plugins import is_installed

if TYPE_CHECKING:
    from clusterdiff.clusterings.columns import Column

Place = str | os.PathLike[str]


def write(path: Place, content: str | bytes, inputs: Iterable[str] = (), hint: str = "") -> None:
    """Write a file beside its place and move it there; if that fails, the old one is as it was."""
    data = content.encode() if isinstance(content, str) else content
    with placed(path, inputs, hint=hint) as beside, open(beside, "xb") as file:
        file.write(data)


@contextmanager
def placed(
    path: Place, inputs: Iterable[str] = (), ending: str = "", hint: str = ""
) -> Iterator[str]:
    """The name of a file beside its place, for whoever writes it piece by piece; it is moved there
    at the end. What is meant for a pipe or a device, such as /dev/stdout, is copied to it.
    """
    check_place(path, inputs, hint)
    real = os.path.realpath(path)
    folder = gettempdir() if _is_stream(path) else os.path.dirname(real)
    beside = os.path.join(folder, f".clusterdiff-{secrets.token_hex(8)}{ending}")
    with at_the_end(partial(_remove, beside)):
        try:
            yield beside
            if _is_stream(path):
                with open(beside, "rb") as made, open(path, "ab") as stream:
                    copyfileobj(made, stream)
                return
            if os.path.exists(real):
                os.chmod(beside, os.stat(real).st_mode & 0o7777)
            os.replace(beside, real)
        except OSError as error:
            raise WriteError.from_os(path, error, hint) from None


def check_place(path: Place, inputs: Iterable[str], hint: str = "") -> None:
    """Refuse, before any work, a place that is not a file or that is an input by any name."""
    wrong = 0
    if os.path.isdir(path):
        wrong = errno.EISDIR
    elif not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        wrong = errno.ENOENT
    if wrong:
        raise WriteError.from_os(path, OSError(wrong, os.strerror(wrong)), hint)
    if not os.path.isfile(path):
        return
    mine = os.stat(path)
    for source in inputs:
        if any(os.path.samestat(mine, other) for other in _stats(source)):
            same = "" if str(path) == source else f", as {source},"
            raise WriteError(
                f"{path} is read{same} and would be overwritten.",
                "write to another file.",
            )


def check_places(
    paths: Iterable[Place | None], inputs: Iterable[str], pictures: Iterable[Place | None] = ()
) -> None:
    """The same for several results, none of which takes the place of another; None and - are not
    written to files. Some of them are pictures.
    """
    taken: set[str] = set()
    read = list(inputs)
    for path in paths:
        if path is None or path == "-":
            continue
        check_place(path, read)
        real = os.path.realpath(path)
        if real in taken and not _is_stream(path):
            raise WriteError(
                f"{path} is to be written twice, and the first result would be lost.",
                "write to different files.",
            )
        taken.add(real)
    for path in pictures:
        if path is not None:
            from clusterdiff.output.figures import check_picture

            check_picture(path)


def _is_stream(path: Place) -> bool:
    """Whether a place is not a file that could be replaced; a shell may have sent it to one."""
    here = os.path.abspath(path).startswith(("/dev/", "/proc/"))
    return here or (os.path.exists(path) and not os.path.isfile(path))


def paths_among(values: Iterable[Any]) -> tuple[str, ...]:
    """The paths of what was given, as they are wherever one goes."""
    named = [os.fspath(one) for one in values if isinstance(one, str | os.PathLike)]
    return tuple(name if name == "-" else os.path.abspath(name) for name in named)


def _remove(file: str) -> None:
    if os.path.exists(file):
        os.unlink(file)


def _stats(source: str) -> Iterator[os.stat_result]:
    """What the system knows of the files that an input means: one, a folder's, a pattern's."""
    if source == "-":
        yield from _known(0)
        return
    starts = source, source.rpartition("::")[0], source.partition("::")[0]
    for name in dict.fromkeys(starts):
        if os.path.isdir(name):
            for folder, _, files in os.walk(name, followlinks=True):
                for file in files:
                    yield from _known(os.path.join(folder, file))
        elif os.path.exists(name):
            yield from _known(name)
        elif any(mark in name for mark in "*?["):
            for file in glob(name, recursive=True):
                yield from _known(file)


def _known(file: str | int) -> Iterator[os.stat_result]:
    try:
        yield os.stat(file)
    except (OSError, ValueError):
        return


def arrow_of(values: Column) -> Any:
    """A column as Arrow has it where that is installed; values of mixed types as text."""
    if not is_installed("pyarrow"):
        given = values.values
        return given.astype(object) if given.dtype.kind == "U" else given
    import pyarrow as pa

    if values.family != "values":
        return values.arrow()
    listed = values.tolist()
    try:
        return pa.chunked_array([pa.array(listed)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.chunked_array([pa.array([None if v is None else str(v) for v in listed])])


def copy_to_file(columns: dict[str, Any], path: str) -> None:
    """Arrow columns as a file, in their order."""
    import duckdb

    plain = {n: c.array if isinstance(c, Values) else c for n, c in columns.items()}
    with duckdb.connect() as connection:
        connection.register("rows", arrow_table(plain))
        try:
            connection.execute(copy_query("SELECT * FROM rows", path))
        except duckdb.Error as error:
            raise OSError(" ".join(str(error).split())) from None


def copy_query(query: str, path: str) -> str:
    """SQL of DuckDB that writes the rows of a query to a file."""
    how = "(FORMAT parquet)" if is_parquet(path) else f"(FORMAT csv, HEADER, DELIM {_delim(path)})"
    return f"COPY ({query}) TO {literal(path)} {how}"


def is_parquet(path: str) -> bool:
    """Whether a file is Parquet by its name."""
    return path.lower().endswith((".parquet", ".pq"))


def _delim(path: str) -> str:
    return "'\\t'" if path.lower().endswith(".tsv") else "','"


def check_ending(path: Place) -> str:
    """The ending of a file for a clustering; others are refused."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if not ending and os.fspath(path).startswith("/dev/"):
        return ".csv"
    if ending not in (".csv", ".tsv", ".parquet", ".pq"):
        raise ClusterdiffError(
            f"a clustering cannot be written as {os.fspath(path)}.",
            "name the file .csv, .tsv or .parquet.",
        )
    return ending
