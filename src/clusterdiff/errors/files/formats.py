"""Files that hold other things than what was asked of them, or more than is read at once."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from os.path import splitext
from typing import Self

from clusterdiff.errors.base import did_you_mean, shorten, worked
from clusterdiff.errors.files.columns import some
from clusterdiff.errors.files.reading import ReadError
from clusterdiff.errors.scale import roomy, size

FLAGS = {"cluster": "--cluster", "id": "--id", "sample": "--samples", "degree": "--degree"}


class NoColumns(ReadError):
    """A column was named, and the file has none."""

    options: tuple[str, ...] = ()
    """What named a column: cluster, id, sample, degree."""
    firm: bool = False
    """Whether it was said of this file alone, by FILE::COLUMN."""

    @classmethod
    def from_path(cls, path: str, column: str) -> Self:
        """FILE::COLUMN of a file without columns."""
        named = f"::{shorten(column, 40)}"
        return cls(
            f"{path} holds one clustering and has no columns, so there is no {named}.",
            f"leave {named} out.",
        )._named("cluster", firm=True)

    @classmethod
    def from_options(cls, path: str, asked: Mapping[str, str]) -> Self:
        """Columns named by flags, or by arguments."""
        name, column = next(iter(asked.items()))
        flag = f"{FLAGS[name]} {shorten(column, 40)}" if column else "--no-id"
        given = f"{name}={shorten(column, 40)!r}"
        return cls(
            f"{path} holds one clustering and has no columns, so {flag} names nothing in it.",
            f"leave {flag} out ({given} in Python).",
        )._named(*asked)

    @classmethod
    def from_keys(cls, path: str, wanted: str, found: Sequence[str]) -> Self:
        """A JSON object of clusterings, to none of which these keys lead."""
        more = f" and {len(found) - 8:,} more" if len(found) > 8 else ""
        told = ", ".join(shorten(name, 70) for name in found[:8]) + more
        return cls(
            f"{path} has no clustering {shorten(wanted, 70)!r}; it has {told}.",
            f"{did_you_mean(wanted, found[:1000])}Name one of them, e.g. {path}::{found[0]}.",
        )._named("cluster", firm=True)

    @classmethod
    def from_arrays(cls, path: str, wanted: str, found: Sequence[str]) -> Self:
        """A file of arrays, none of which is called so."""
        return cls(
            f"{path} has no array {shorten(wanted, 40)!r}; it has {some(found)}.",
            f"{did_you_mean(wanted, found[:1000])}Name one of them, e.g. {path}::{found[0]}.",
        )._named("cluster", firm=True)

    def _named(self, *options: str, firm: bool = False) -> Self:
        self.options, self.firm = options, firm
        return self


class SeveralFiles(ReadError):
    """Files that are no parts of one table."""

    @classmethod
    def from_format(cls, path: str, count: int) -> Self:
        """Files of which each is a clustering."""
        return cls(
            f"{path} are {count:,} files, and each is a clustering of its own.",
            "compare them one by one; several files are one table if they are .csv, .tsv, "
            ".parquet or .jsonl.",
        )

    @classmethod
    def from_shell(cls, truth: str, guess: str, other: str) -> Self:
        """Patterns that the shell has put the files in place of."""
        return cls(
            f"truth is {truth} alone, and {guess} from the same folder would be a guess beside "
            f"{other}: this looks like two patterns that the shell has expanded.",
            "quote them to compare each as one table, 'truth/*.csv' 'guess/*.csv'; or compare "
            "file by file.",
        )


class PartsDiffer(ReadError):
    """Files of one table whose columns do not fit together."""

    @classmethod
    def lacking(cls, path: str, column: str, files: Sequence[str], full: str) -> Self:
        """Files without a column that another one has."""
        lack = "file lacks" if len(files) == 1 else "files lack"
        return cls(
            f"{len(files):,} {lack} the column {column!r} that {full} has, such as {files[0]}: "
            f"{path} is not one table.",
            "write all files with the same columns, or compare the files one by one.",
        )

    @classmethod
    def in_type(cls, path: str, column: str, found: Mapping[str, Sequence[str]]) -> Self:
        """A column of several types, of which none holds the values of all files."""
        often = sorted(found, key=lambda kind: (-len(found[kind]), kind))
        told = [
            f"{kind} in {len(found[kind]):,} {'file' if len(found[kind]) == 1 else 'files'} "
            f"({found[kind][0]}{', …' if len(found[kind]) > 1 else ''})"
            for kind in often
        ]
        every = f"{path.rstrip('/')}/**/*{splitext(found[often[0]][0])[1]}"
        pattern = path if glob.has_magic(path) else every
        lines = (
            "import glob, pandas as pd",
            f"files = glob.glob({pattern!r}, recursive=True)",
            "parts = [pd.read_parquet(file, dtype_backend='pyarrow') for file in files]",
            f"texts = [part.astype({{{column!r}: 'string'}}) for part in parts]",
            "pd.concat(texts).to_parquet('table.parquet')",
        )
        how = "write one table in which the column is text (there, 1 and 1.0 differ)"
        return cls(
            f"the column {column!r} of {path} is {', '.join(told)}: no type keeps the values of "
            "all files as they are.",
            worked(how, *lines),
            worked(how, f'python -c "{"; ".join(lines)}"'),
        )


class LimitReached(ReadError):
    """More than is read from outside at once."""

    @classmethod
    def whole(cls, path: str, limit: int, found: int) -> Self:
        """Too many bytes, unpacked, of a file that is read whole."""
        return cls(
            f"{path} holds {size(found)} or more, and at most {size(limit)} are read into memory "
            "at once.",
            f"{_raised(max(found, 2 * limit))}, or write a .csv or .parquet file, which is counted "
            "where it is.",
        )

    @classmethod
    def pipe(cls, path: str, limit: int) -> Self:
        """Too many bytes by a pipe."""
        return cls(
            f"{path} holds more than the {size(limit)} that are taken from a pipe.",
            f"{_raised(4 * limit)}, or name a file.",
        )

    @classmethod
    def fetched(cls, path: str, limit: int, found: int) -> Self:
        """Too many bytes of a file on the network."""
        return cls(
            f"{path} holds {size(found)}, and at most {size(limit)} are fetched from the network.",
            f"{_raised(found)}, or fetch the file and name your copy.",
        )

    @classmethod
    def from_count(cls, path: str, limit: int, what: str, hint: str) -> Self:
        """Too many of something."""
        return cls(f"{path} has more than {limit:,} {what}, the most that are read.", hint)


def _raised(amount: int) -> str:
    """How to raise the limit to this."""
    return (
        f'raise the limit, --max-bytes {roomy(amount)} (cd.read(…, max_bytes="{roomy(amount)}") in '
        "Python)"
    )
