"""Page streams: those of a file, or cut from documentation strings where there is none."""

from __future__ import annotations

import ast
import math
import platform
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import Column, Partition, column
from clusterdiff.clusterings.grouping import by_appearance, pair_keys
from clusterdiff.compare.compare import compare
from clusterdiff.errors import ClusterdiffError, InputError, MissingColumn, NoColumns
from clusterdiff.io.read import read_source, source_of
from clusterdiff.output.describe import count
from clusterdiff.output.figures import DASHES, SYMBOLS, SYSTEMS
from clusterdiff.output.score import Score
from clusterdiff.progress import progress
from clusterdiff_lab.papers.elm.values import (
    BCUBED_F1,
    MEDIAN_SIZE,
    PAPERS_STREAMS,
    PrintedRow,
    StreamCounts,
)
from clusterdiff_lab.papers.experiments import Setting, settled

# Page streams cut from the documentation strings of Python's standard library.
#
# A module is a document: its documentation strings in the order of the file, cut into pages at
# line ends. Sources are parsed and never imported.

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
    pages_of = modules()
    random = Random(seed)
    many = documents_of(streams)
    random.shuffle(many)
    drawn = (random.sample(list(pages_of), min(documents, len(pages_of))) for documents in many)
    return tuple(Cut(tuple(names), tuple(pages_of[name] for name in names)) for names in drawn)


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
    pages_of = {}
    with progress("reading documentation strings", len(files)) as advance:
        for name, file in files.items():
            if pages := tuple(cut("\n".join(_docstrings(file)))):
                pages_of[name] = pages
            advance(1)
    if not pages_of:
        raise ClusterdiffError(
            f"no source files of Python's standard library are in {root}, and page streams are "
            "made of their documentation strings.",
            "give streams of your own, --data FILE, or run a Python that has its sources.",
        )
    return pages_of


def cut(text: str) -> Iterator[str]:
    """A text in pages of `LINES` lines each, without blank ones.

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


COLUMNS = {"sample": "stream", "id": "page", "cluster": "document"}
"""What the columns of page streams are called if nothing is said."""
DIGITS = re.compile("([0-9]+)")


@dataclass(frozen=True, eq=False)
class Streams:
    """Pages in their order, stream by stream, each with the document that it is of."""

    name: str
    """What they are: a file, or of what they are made."""
    names: tuple[str, ...]
    """What each stream is called."""
    stream: Ints
    """The number of the stream of each page, never falling."""
    document: Ints
    """The number of the document of each page; no two streams share one."""
    texts: tuple[str, ...] = ()
    """The text of each page, if it was asked for."""

    @cached_property
    def edges(self) -> Ints:
        """Where each stream begins, and the end."""
        return np.searchsorted(self.stream, np.arange(len(self.names) + 1))

    @property
    def truth(self) -> Partition:
        """The documents as clusters of pages."""
        return self.partition(self.document)

    def partition(self, cluster: Ints) -> Partition:
        """The pages in these clusters."""
        return Partition(cluster, samples=self.stream)

    @property
    def alone(self) -> Ints:
        """Each page a cluster of its own."""
        return np.arange(self.stream.size)

    def every(self, pages: int) -> Ints:
        """A new cluster after every `pages` pages of a stream."""
        place = self.alone - self.edges[self.stream]
        return pair_keys(self.stream, place // pages)

    @cached_property
    def lengths(self) -> Ints:
        """How many pages each document has."""
        return np.bincount(self.document)

    @cached_property
    def lengths_by_stream(self) -> list[Ints]:
        """How many pages each document has, stream by stream."""
        home = np.empty(self.lengths.size, np.int64)
        home[self.document] = self.stream
        order = np.argsort(home, kind="stable")
        edges = np.cumsum(np.bincount(home, minlength=len(self.names)))[:-1]
        return np.split(self.lengths[order], edges)

    @property
    def holds(self) -> StreamCounts:
        """How much there is."""
        return StreamCounts(len(self.names), self.stream.size, self.lengths.size)

    @property
    def scattered(self) -> int:
        """How many documents have pages of others between theirs."""
        begins = np.flatnonzero(np.diff(self.document, prepend=-1))
        return int((np.bincount(self.document[begins]) > 1).sum())

    def summary(self) -> str:
        """What they are and hold, and what is odd about them."""
        some = self.scattered
        odd = (
            f" {count(some, 'document')} {'has' if some == 1 else 'have'} pages of others between, "
            "which no cut of a stream into stretches can find."
            if some
            else ""
        )
        return f"{self.name}: {held(self.holds)}.{odd}"

    def others(self) -> str:
        """That these are not the streams of the paper."""
        return (
            f"The paper has {held(PAPERS_STREAMS)}, so its numbers are those of other streams."
            if self.holds != PAPERS_STREAMS
            else "That is as much as in the paper."
        )


def held(holds: StreamCounts) -> str:
    """How much there is, in words."""
    streams, pages = count(holds.streams, "stream"), count(holds.pages, "page")
    return f"{streams} with {pages} in {count(holds.documents, 'document')}"


def streams_for(setting: Setting, *, text: bool = False) -> Streams:
    """The streams of the file that was given, or those made with the seed."""
    if setting.data is None:
        return python_streams(setting.seed)
    return read_streams(setting, text=text)


@lru_cache(maxsize=1)
def python_streams(seed: int, streams: int = PAPERS_STREAMS.streams) -> Streams:
    """Streams cut from the documentation strings of Python's standard library."""
    cuts = streams_of(seed, streams)
    lengths = [[len(pages) for pages in cut.pages] for cut in cuts]
    documents = [one for many in lengths for one in many]
    name = (
        f"Documentation strings of Python {platform.python_version()}, {len(modules()):,} modules "
        f"of the standard library, {LINES} lines a page, drawn with seed {seed} (other versions of "
        "Python have other texts)"
    )
    return Streams(
        name,
        tuple(str(number) for number in range(1, len(cuts) + 1)),
        np.repeat(np.arange(len(cuts)), [sum(many) for many in lengths]),
        np.repeat(np.arange(len(documents)), documents),
        tuple(page for cut in cuts for pages in cut.pages for page in pages),
    )


def read_streams(setting: Setting, *, text: bool = False) -> Streams:
    """Streams from a table with a row per page, which may be in any order."""
    assert setting.data is not None
    with ExitStack() as stack:
        source, form = source_of(stack, setting.data, **setting.reading(**COLUMNS))
        try:
            pages = read_source(source, form)
        except NoColumns:
            raise _no_streams(source.shown) from None
        texts = None
        if text and pages.samples is not None:
            try:
                texts = read_source(
                    replace(source, cluster=setting.columns.get("text", "text")), form
                )
            except MissingColumn as error:
                raise MissingColumn(
                    error.message,
                    "this experiment reads the pages: name the column of their text with --text.",
                ) from None
    assert isinstance(pages, Partition)
    assert texts is None or isinstance(texts, Partition)
    if pages.samples is None:
        raise _no_streams(source.shown)
    if (nulls := pages.samples.nulls()) is not None:
        raise InputError.from_nameless_samples(int(nulls.sum()), len(pages)).within(source.shown)
    pages = settled("the documents", _in_order(source.shown, pages), setting.policy)
    assert pages.samples is not None
    stream, first = by_appearance(pages.samples.keys)
    document, _ = by_appearance(pair_keys(stream, pages.labels.keys))
    return Streams(
        source.shown,
        tuple(map(str, pages.samples.take(first).tolist())),
        stream,
        document,
        () if texts is None else _aligned(source.shown, texts, pages),
    )


def _no_streams(path: str) -> ClusterdiffError:
    return ClusterdiffError(
        f"{path} does not say which stream a page is in.",
        "give a table with a row per page, and name its column of streams with --samples.",
    )


def _in_order(path: str, pages: Partition) -> Partition:
    """Each page once, stream by stream in the order of their pages; without a column of pages, in
    that of the file.
    """
    if pages.ids is None:
        pages.ids = column(np.arange(len(pages)))
    assert pages.samples is not None
    stream, _ = by_appearance(pages.samples.keys)
    page = _ranks(pages.ids)
    order = np.lexsort((page, stream))
    again = np.zeros(order.size, np.bool_)
    again[1:] = (np.diff(stream[order]) == 0) & (np.diff(page[order]) == 0)
    label = pages.labels.keys[order]
    clash = np.flatnonzero(again[1:] & (np.diff(label) != 0))
    if clash.size:
        one, other = order[clash[0]], order[clash[0] + 1]
        raise ClusterdiffError(
            f"in {path} page {pages.ids[one]} of stream {pages.samples[one]} is in document "
            f"{pages.labels[one]} and in document {pages.labels[other]}.",
            "number the pages of a stream from its first to its last; if the rows are in that "
            "order already, say --no-id.",
        )
    return pages.take(order[~again])


def _ranks(ids: Column) -> Ints:
    """The place of each page among all: numbers by value, also those within a text."""
    if ids.family in ("integers", "numbers"):
        return np.unique(ids.values, return_inverse=True)[1].ravel()
    code, first = by_appearance(ids.keys)
    values = [str(value) for value in ids.take(first).tolist()]
    rank = np.empty(len(values), np.int64)
    rank[sorted(range(len(values)), key=lambda i: _natural(values[i]))] = np.arange(len(values))
    return rank[code]


def _natural(text: str) -> list[Any]:
    """A key that puts page 2 before page 10."""
    parts = DIGITS.split(text)
    return [(len(p.lstrip("0")), p.lstrip("0")) if i % 2 else p for i, p in enumerate(parts)]


def _aligned(path: str, texts: Partition, pages: Partition) -> tuple[str, ...]:
    """The text of each page, found by its stream and its page."""
    text_of: dict[tuple[Any, Any], str] = {}
    for place, text in zip(_places(texts), texts.labels.tolist(), strict=True):
        written = "" if text is None else str(text)
        if text_of.setdefault(place, written) != written:
            raise ClusterdiffError(
                f"in {path} page {place[1]} of stream {place[0]} has two different texts.",
                "keep one row for each page.",
            )
    return tuple(text_of[place] for place in _places(pages))


def _places(pages: Partition) -> list[tuple[Any, Any]]:
    assert pages.samples is not None
    ids = range(len(pages)) if pages.ids is None else pages.ids.tolist()
    return list(zip(pages.samples.tolist(), ids, strict=True))


# BCubed and ELM of guesses for page streams, and what must and what may be true of them.

FAMILIES = {"bcubed": "BCubed", "elm": "ELM"}
PARTS = {"precision": "P", "recall": "R", "f": "F1"}
"""The measures of each family, as the paper writes them."""
CLOSE = 1e-12


def measures() -> Iterator[tuple[str, str, str]]:
    """The six measures: family, part, and name."""
    return ((family, part, f"{family}_{part}") for family in FAMILIES for part in PARTS)


class Scores(dict[str, "Score"]):
    """The scores of one guess by measure; each has its mean over streams, and all streams."""

    def each(self, measure: str) -> Floats:
        """The score of every stream."""
        return np.array(self[measure].each, np.float64)

    def gap(self, part: str) -> Floats:
        """What ELM takes off BCubed, for every stream."""
        return self.each(f"bcubed_{part}") - self.each(f"elm_{part}")


def scored(streams: Streams, guesses: Mapping[Any, Ints]) -> dict[Any, Scores]:
    """The scores of each guess, with a check of what is proved: no ELM is above its BCubed."""
    given = {str(number): streams.partition(of) for number, of in enumerate(guesses.values())}
    names = [name for _, _, name in measures()]
    chosen = [BCUBED_F1 if name == BCUBED_F1.name else name for name in names]
    report = compare(streams.truth, given, chosen)
    by_guess = {
        guess: Scores(zip(names, scores.values(), strict=True))
        for guess, scores in zip(guesses, report.scores.values(), strict=True)
    }
    for scores in by_guess.values():
        for part in PARTS:
            check_unless(bool((scores.gap(part) >= -CLOSE).all()), f"ELM {part} is above BCubed's")
    return by_guess


def check_unless(true: bool, otherwise: str) -> None:
    """End with an error if a result contradicts what is proved."""
    if not true:
        raise ClusterdiffError(f"{otherwise}, which cannot be: that is a mistake in clusterdiff.")


def all_one(scores: Scores, part: str) -> bool:
    """Whether precision (or recall) is 1 for all streams, by both measures."""
    return all((abs(scores.each(f"{family}_{part}") - 1) < CLOSE).all() for family in FAMILIES)


def spearman(first: Floats, second: Floats) -> float | None:
    """The correlation of ranks; None where one of them is the same throughout.

    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([3.0, 2.0, 0.0]))
    -1.0
    """
    from scipy.stats import rankdata

    ranks = rankdata(first), rankdata(second)
    if any(np.ptp(of) == 0 for of in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def told_rho(rho: float | None) -> str:
    """A correlation in a sentence."""
    return "there is no correlation to speak of" if rho is None else f"Spearman's ρ is {rho:.2f}"


def beside(rows: Sequence[PrintedRow], scores: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """The means of a printed table, here and in print; standard deviations as far as printed."""
    return [
        {"guess": row.guess, "measure": name, "mean": float(score), "std": score.std}
        | {"printed_mean": printed.mean}
        | ({"printed_std": printed.sigma} if printed.sigma else {})
        for row in rows
        for part, printed in zip(PARTS, row[2:], strict=True)
        for name in [f"{row.measure}_{part}"]
        for score in [scores[row.guess][name]]
    ]


def by_stream(streams: Streams, scores_by_guess: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """All scores of all streams, for a file."""
    each = {
        guess: {measure: scores.each(measure).tolist() for _, _, measure in measures()}
        for guess, scores in scores_by_guess.items()
    }
    return [
        {
            "stream": name,
            "pages": int(lengths.sum()),
            "documents": lengths.size,
            "mean_pages": float(lengths.mean()),
            "median_pages": float(np.median(lengths)),
            "guess": guess,
            **{measure: values[number] for measure, values in scores.items()},
        }
        for guess, scores in each.items()
        for number, (name, lengths) in enumerate(
            zip(streams.names, streams.lengths_by_stream, strict=True)
        )
    ]


COLOURS = dict(zip(PARTS, (SYSTEMS[0], SYSTEMS[5], SYSTEMS[2]), strict=True))
SHAPES = dict(zip(PARTS, SYMBOLS, strict=False))
STYLES = dict(zip(FAMILIES, DASHES, strict=False))
"""A colour and a symbol for each of P, R and F1; BCubed is solid, ELM is dashed."""

WIDE = 80
"""Pixels of a name in a legend, three of which fit a line."""


def look(family: str, part: str) -> dict[str, Any]:
    """The line of a measure."""
    return {"color": COLOURS[part], "dash": STYLES[family], "width": 2}


def marked(family: str, part: str) -> dict[str, Any]:
    """The points on it; those of ELM are open."""
    open_ = "" if family == "bcubed" else "-open"
    return {"color": COLOURS[part], "symbol": SHAPES[part] + open_, "size": 7}


def density(values: Floats, at: Floats) -> Floats | None:
    """A Gaussian kernel density by Scott's rule; None where all values are the same."""
    from scipy.stats import gaussian_kde

    if values.size < 2 or np.ptp(values) < 1e-9:
        return None
    return np.asarray(gaussian_kde(values)(at), np.float64)
