"""Page streams cut from the documentation strings of Python's standard library.

A module is a document: its documentation strings in the order of the file, cut into pages at line
ends. Sources are parsed and never imported.
"""

from __future__ import annotations

import ast
import math
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import NamedTuple

from clusterdiff.errors import ClusterdiffError
from clusterdiff.papers.elm.tables import MEDIAN_SIZE, PAPERS_STREAMS
from clusterdiff.progress import progress

LINES = 8
"""Lines of a page, blank ones not counted: documents then have about 8 pages, as in the paper."""
SPREAD = 1.19
"""Standard deviation of the logarithm of documents per stream. By its totals the paper has 33 in
the mean, so what it calls the mean and the median cluster size, 33 and 17, is taken for this.
"""
NOT_THE_LIBRARY = frozenset({"idlelib", "test", "tests"})
"""Packages of tests, and a program."""
HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
"""What has a documentation string."""
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)

Pages = tuple[str, ...]


class Cut(NamedTuple):
    """A stream: the modules that are its documents, and the pages of each."""

    modules: tuple[str, ...]
    pages: tuple[Pages, ...]


def streams_of(seed: int, streams: int = PAPERS_STREAMS.streams) -> tuple[Cut, ...]:
    """So many streams, each of modules in random order, none of them twice."""
    found = modules()
    random = Random(seed)
    many = documents_of(streams)
    random.shuffle(many)
    drawn = (random.sample(list(found), min(documents, len(found))) for documents in many)
    return tuple(Cut(tuple(names), tuple(found[name] for name in names)) for names in drawn)


def documents_of(streams: int) -> list[int]:
    """How many documents streams have: evenly spaced quantiles of a lognormal distribution.

    >>> documents_of(5)
    [4, 9, 17, 32, 78]
    """
    normal = NormalDist()
    levels = (normal.inv_cdf((i + 0.5) / streams) for i in range(streams))
    return [max(1, round(MEDIAN_SIZE * math.exp(SPREAD * level))) for level in levels]


@lru_cache(maxsize=4)
def modules(library: Path | None = None) -> Mapping[str, Pages]:
    """The pages of each module that has documentation strings, sorted by its name."""
    root = library or Path(sysconfig.get_path("stdlib"))
    files = dict(sorted((_name(file, root), file) for file in _sources(root)))
    found = {}
    with progress("reading documentation strings", len(files)) as advance:
        for name, file in files.items():
            if pages := tuple(cut("\n".join(_docstrings(file)))):
                found[name] = pages
            advance(1)
    if not found:
        raise ClusterdiffError(
            f"no source files of Python's standard library are in {root}, and page streams are "
            "made of their documentation strings.",
            "give streams of your own, --data FILE, or run a Python that has its sources.",
        )
    return found


def cut(text: str) -> Iterator[str]:
    """A text in pages: so many lines each, without blank ones.

    >>> [len(page.splitlines()) for page in cut("word\\n\\n" * 20)]
    [8, 8, 4]
    """
    lines = (line for line in text.splitlines() if line.strip())
    while page := "\n".join(islice(lines, LINES)):
        yield page


def _sources(root: Path) -> Iterator[Path]:
    """The files of the library alone, whatever else is installed beside it."""
    for name in sys.stdlib_module_names - NOT_THE_LIBRARY:
        if (alone := root / f"{name}.py").is_file():
            yield alone
        for file in (root / name).rglob("*.py"):
            if NOT_THE_LIBRARY.isdisjoint(file.relative_to(root).parts):
                yield file


def _name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _docstrings(file: Path) -> Iterator[str]:
    """In the order of the file; none of a file that this Python cannot parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, HOLDERS) and (text := ast.get_docstring(node)):
            yield text
        inside = [one for one in ast.iter_child_nodes(node) if isinstance(one, STATEMENTS)]
        left += reversed(inside)
