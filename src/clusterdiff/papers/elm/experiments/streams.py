"""Page streams: those of a file, or cut from documentation strings where there is none."""

from __future__ import annotations

import platform
import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import Column, Partition, column
from clusterdiff.clusterings.encode.group import by_appearance, pair_keys
from clusterdiff.errors import ClusterdiffError, InputError, MissingColumn, NoColumns
from clusterdiff.inputs.read import read_source, source_of
from clusterdiff.papers.elm.experiments.docstrings import LINES, modules, streams_of
from clusterdiff.papers.elm.tables import PAPERS_STREAMS, StreamCounts
from clusterdiff.papers.experiments.outcome import Setting, settled
from clusterdiff.results.describe import count

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
        """A new cluster after so many pages of a stream."""
        place = self.alone - self.edges[self.stream]
        return pair_keys(self.stream, place // pages)

    @cached_property
    def lengths(self) -> Ints:
        """How many pages each document has."""
        return np.bincount(self.document)

    @cached_property
    def lengths_by_stream(self) -> list[Ints]:
        """The same for the documents of each stream."""
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

    def told(self) -> str:
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
    return made(setting.seed) if setting.data is None else read_streams(setting, text=text)


@lru_cache(maxsize=1)
def made(seed: int, streams: int = PAPERS_STREAMS.streams) -> Streams:
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
    found: dict[tuple[Any, Any], str] = {}
    for place, text in zip(_places(texts), texts.labels.tolist(), strict=True):
        written = "" if text is None else str(text)
        if found.setdefault(place, written) != written:
            raise ClusterdiffError(
                f"in {path} page {place[1]} of stream {place[0]} has two different texts.",
                "keep one row for each page.",
            )
    return tuple(found[place] for place in _places(pages))


def _places(pages: Partition) -> list[tuple[Any, Any]]:
    assert pages.samples is not None
    ids = range(len(pages)) if pages.ids is None else pages.ids.tolist()
    return list(zip(pages.samples.tolist(), ids, strict=True))
