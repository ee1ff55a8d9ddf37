"""Mentions of documents as a clustering: ids are spans of tokens, samples are documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.errors import ReadError, shorten
from clusterdiff.errors.align import listed_files
from clusterdiff.inputs.read import Source


class Mention(NamedTuple):
    """A span of tokens in a document, in a chain (an entity)."""

    document: str
    span: str
    chain: str


class TextFile(NamedTuple):
    """A file of a source."""

    text: str
    shown: str
    document: str
    """What its document is called where it does not say so itself, by the name of the file; nothing
    where one file is read.
    """

    def broken(self, why: str) -> ReadError:
        """What is wrong with it."""
        return ReadError.from_engine(self.shown, why)


class Documents:
    """The documents of one or several files, and the mentions in them."""

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self.files: dict[str, str] = {}
        """The documents by name, and the file that each stands in."""
        self._began: dict[tuple[str, str], int] = {}
        """Chains of documents, numbered as they begin."""

    def begin(self, name: str, file: TextFile) -> None:
        """A document begins."""
        if name in self.files:
            places = dict.fromkeys((self.files[name], file.shown))
            where = f", in {' and in '.join(places)}" if len(places) > 1 else ""
            raise file.broken(f"the document {shorten(name, 60)} begins twice{where}")
        self.files[name] = file.shown

    def begin_chain(self, document: str, chain: str) -> None:
        """A mention of a chain begins."""
        self._began.setdefault((document, chain), len(self._began))

    def in_first_chains(self) -> list[Mention]:
        """Each mention in one chain, that which begins first, as the reference scorer has it."""
        first: dict[tuple[str, str], int] = {}
        for m in self.mentions:
            number = self._began[m.document, m.chain]
            first[m[:2]] = min(first.get(m[:2], number), number)
        return [m for m in self.mentions if self._began[m.document, m.chain] == first[m[:2]]]


def clustering_of(source: Source, parse: Callable[[Documents, TextFile], object]) -> AnyClustering:
    """The mentions of all documents of a source, file by file."""
    found = Documents()
    parts = source.parts or ((source.shown, ""),)
    blank = []
    for text, (shown, document) in zip(source.texts(), parts, strict=True):
        before = len(found.files)
        parse(found, TextFile(text, shown, document))
        if len(found.files) == before:
            blank.append(shown)
    if not found.files:
        raise ReadError.empty(source.shown)
    several = source.kind in ("cover", "rough")
    mentions = found.mentions if several else found.in_first_chains()
    nameless = list(found.files) == [""]
    made = source.made(
        column([m.chain for m in mentions], written=True),
        column([m.span for m in mentions], written=True),
        None if nameless else column([m.document for m in mentions], written=True),
    )
    made.documents = () if nameless else tuple(found.files)
    made.blank = tuple(blank)
    if blank:
        hold = "1 file holds" if len(blank) == 1 else f"{len(blank):,} files hold"
        made.notes += (f"{hold} no document: {listed_files(blank)}",)
    second = len({m[:2] for m in set(found.mentions) - set(mentions)})
    if second:
        are = "1 mention stands" if second == 1 else f"{second:,} mentions stand"
        made.notes += (f"{are} in a second chain: the first was kept",)
    return made
