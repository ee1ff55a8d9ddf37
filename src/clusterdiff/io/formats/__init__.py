"""Input formats: a file here for each, whose FORMAT says how its files are known and read; close
relatives share a file and stand in its FORMATS.

Other packages add theirs by entry points in the group `clusterdiff.formats`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING

from clusterdiff.errors import ClusterdiffError, ReadError, did_you_mean, shorten
from clusterdiff.plugins import loaded

if TYPE_CHECKING:
    from contextlib import ExitStack

    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.engines.duckdb import DuckSession
    from clusterdiff.engines.protocol import Table
    from clusterdiff.io.read import Load, Source


@dataclass(frozen=True)
class Format:
    """A format of files that hold a clustering."""

    name: str
    """What `as_` and `--as` call it."""
    read: Callable[[Source], AnyClustering]
    """Reads a file into memory."""
    suffixes: tuple[str, ...] = ()
    """Endings of the names of its files, with the dot, in lower case."""
    help: str = ""
    """Lines for `compare --help`: what its files hold."""
    begins: re.Pattern[bytes] | Callable[[bytes], bool] | None = None
    """How the first bytes tell that a file is in this format for sure: a pattern that they match,
    or a function of them.
    """
    binary: bool = False
    """Whether its files may hold zero bytes, after the first bytes that tell it."""
    columns: bool = False
    """Whether there are columns to name; otherwise names of columns are refused."""
    ids: bool = True
    """Whether objects have ids, so that "no ids" is refused too; of formats without columns."""
    several: bool = False
    """Whether several files can be read as one."""
    empty: bool = False
    """Whether a file without objects is a clustering."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """In which ways its files can be read, `as_="conll(singletons=drop)"`: values by name, and the
    first of them if nothing is said.
    """
    names: Callable[[Source], list[str]] | None = None
    """What the columns of a file are called, or the clusterings in it, where they have names."""
    inside: str = ""
    """What a file may hold several of that can be named, FILE::TABLE: "table" or "sheet"."""
    prepare: Callable[[ExitStack, Source], Source] | None = None
    """Makes of a file one that can be read: of a table in a database a table in Parquet. What is
    temporary is kept by the stack.
    """
    table: Callable[[DuckSession, Source, Load], Table | AnyClustering] | None = None
    """Opens a file as a table that stays where it is; NeedsMemory says that it has to be read."""

    def fits(self, start: bytes) -> bool:
        """Whether a file that starts so may be in this format."""
        if isinstance(self.begins, re.Pattern):
            return self.begins.match(start) is not None
        return self.begins is None or self.begins(start)


@cache
def own() -> dict[str, Format]:
    """Our formats by name: tables in CSV and Parquet, then those with most endings."""
    modules = [import_module(found.name) for found in walk_packages(__path__, f"{__name__}.")]
    found = [one for module in modules for one in _formats_of(module)]
    found.sort(key=lambda one: (one.name != "long", -len(one.suffixes), one.name))
    return {one.name: one for one in found}


def _formats_of(module: ModuleType) -> Sequence[Format]:
    return [module.FORMAT] if hasattr(module, "FORMAT") else getattr(module, "FORMATS", ())


def formats() -> dict[str, Format]:
    """All formats by name, those of other packages too; ours come first."""
    added = {one.name: one for one in loaded("formats", Format).values()}
    return own() | {name: one for name, one in added.items() if name not in own()}


def format_named(name: str) -> Format:
    """The format of this name."""
    if name in own():
        return own()[name]
    known = formats()
    if name not in known:
        raise ClusterdiffError(
            f"unknown format {name!r}.",
            f"{did_you_mean(name, list(known))}There are {', '.join(known)}.",
        )
    return known[name]


def format_asked(text: str) -> tuple[Format, dict[str, str]]:
    """A format, and the ways in which its files are to be read.

    >>> format_asked("conll(singletons=drop)")[1]
    {'singletons': 'drop'}
    """
    found = re.fullmatch(r"(.*?)\((.*)\)", text)
    form = format_named(found[1] if found else text)
    ways = {name: values[0] for name, values in form.options.items()}
    for one in found[2].split(",") if found else ():
        name, _, value = (part.strip(" '\"") for part in one.partition("="))
        if value not in form.options.get(name, ()):
            known = [f"{key}={'|'.join(values)}" for key, values in form.options.items()]
            raise ClusterdiffError(
                f"{form.name} files cannot be read with {shorten(one.strip(), 40)}.",
                f"{form.name} has {', '.join(known) or 'no options'}.",
            )
        ways[name] = value
    return form, ways


def format_that(fits: Callable[[Format], bool]) -> Format | None:
    """The first format that fits; other packages are asked where none of ours does."""
    return next((one for one in _in_turn() if fits(one)), None)


def _in_turn() -> Iterator[Format]:
    yield from own().values()
    yield from (one for name, one in formats().items() if name not in own())


def guessed_format(start: bytes, shown: str) -> str:
    """The format of a text whose name says nothing, by how it starts."""
    if start.lstrip()[:1] in b"[{":
        return "json"
    lines = [line for line in start.splitlines()[:50] if line.strip()]
    if any(mark in lines[0] for mark in (b",", b"\t", b";", b"|")):
        return "long"
    if 2 * sum(len(line.split()) > 1 for line in lines) > len(lines):
        raise ReadError(
            f"the lines of {shown} hold several words: it could be a table, a cluster per line, or "
            "labels with blanks in them.",
            f'say which, e.g. cd.read({shown!r}, as_="clusters"); or "long" or "labels".',
        )
    return "labels"
