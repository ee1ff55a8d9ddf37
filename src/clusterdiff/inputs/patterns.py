"""Patterns for several clusterings: `runs/*.csv` names files, `table.csv::leiden_*` columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path
from typing import Any

from clusterdiff.backends.columns.names import IDS, is_known, is_unnamed
from clusterdiff.errors import MissingColumn, NoColumns
from clusterdiff.inputs.files.addresses import named_column, without_password
from clusterdiff.inputs.inline import is_inline
from clusterdiff.inputs.read import source_of

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
