"""CoNLL-2012 coreference: a mention is a span of tokens, its cluster the number of its chain.

Documents are samples. Tokens are counted from 0 through a document; the chains stand in
the last column, as (3, 3), (3) with | between several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.errors import ReadError, shorten
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.read import Source

MARK = re.compile(r"(\()?(\d+)(\))?")


class Mention(NamedTuple):
    """A span of tokens in a document, in a chain."""

    document: str
    start: int
    end: int
    chain: str


def read_clustering(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    text = _Text(source)
    mentions = text.mentions
    if source.kind not in ("cover", "rough"):
        mentions = _first_chains(mentions, text.began)
    made = source.made(
        column([m.chain for m in mentions], written=True),
        column([f"{m.start}-{m.end}" for m in mentions], written=True),
        column([m.document for m in mentions], written=True),
    )
    second = len({m[:3] for m in set(text.mentions) - set(mentions)})
    if second:
        are = "1 mention stands" if second == 1 else f"{second:,} mentions stand"
        made.notes = (f"{are} in a second chain: the first was kept",)
    return made


class _Text:
    """The documents of a file, line by line."""

    def __init__(self, source: Source) -> None:
        self.shown = source.shown
        self.mentions: list[Mention] = []
        self.began: dict[tuple[str, str], int] = {}
        """Chains of documents, numbered as they begin."""
        self._seen: set[str] = set()
        self._document: str | None = None
        self._token = 0
        self._open: dict[str, list[int]] = {}
        for number, line in enumerate(source.text().split("\n"), 1):
            self._line(number, line)
        self._end()
        if not self._seen:
            raise ReadError.empty(source.shown)

    def _line(self, number: int, line: str) -> None:
        words = line[1:].split(None, 2) if line.startswith("#") else []
        if words[:2] == ["begin", "document"]:
            self._begin(words[2].rstrip() if len(words) > 2 else "")
        elif words[:2] == ["end", "document"]:
            self._end()
        elif not line.startswith("#") and (cells := line.split()):
            if self._document is None:
                raise self._broken(f"line {number:,} stands outside of a document")
            self._read(number, cells[-1])
            self._token += 1

    def _begin(self, document: str) -> None:
        self._end()
        if document in self._seen:
            raise self._broken(f"the document {shorten(document, 60)} begins twice")
        self._seen.add(document)
        self._document = document

    def _end(self) -> None:
        if unclosed := [chain for chain, starts in self._open.items() if starts]:
            raise self._broken(
                f"chain {unclosed[0]} in {self._document} is opened but never closed"
            )
        self._document, self._token, self._open = None, 0, {}

    def _read(self, number: int, cell: str) -> None:
        document, token = self._document or "", self._token
        for chain, opens, closes in self._marks(number, cell):
            self.began.setdefault((document, chain), len(self.began))
            if opens and closes:
                self.mentions.append(Mention(document, token, token, chain))
            elif opens:
                self._open.setdefault(chain, []).append(token)
            elif self._open.get(chain):
                start = self._open[chain].pop()
                self.mentions.append(Mention(document, start, token, chain))
            else:
                raise self._broken(f"line {number:,} closes chain {chain}, which is not open")

    def _marks(self, number: int, cell: str) -> Iterable[tuple[str, bool, bool]]:
        """The marks of one token: whole mentions first, then openings, then closings."""
        if "(" not in cell and ")" not in cell:
            return []
        if {"(", ")"} & set(MARK.sub("", cell)):
            raise self._broken(f"{shorten(cell, 40)} in line {number:,} is not a mark of chains")
        marks = [
            (m.group(2), m.group(1) is not None, m.group(3) is not None)
            for m in MARK.finditer(cell)
            if m.group(1) or m.group(3)
        ]
        return sorted(marks, key=lambda mark: (not (mark[1] and mark[2]), not mark[1]))

    def _broken(self, why: str) -> ReadError:
        return ReadError.from_engine(self.shown, why)


def _first_chains(mentions: list[Mention], began: dict[tuple[str, str], int]) -> list[Mention]:
    """Each mention in one chain, that which begins first, as the reference scorer has it."""
    first: dict[tuple[str, int, int], int] = {}
    for m in mentions:
        number = began[m.document, m.chain]
        first[m[:3]] = min(first.get(m[:3], number), number)
    return [m for m in mentions if began[m.document, m.chain] == first[m[:3]]]


FORMAT = Format(
    "conll",
    read_clustering,
    (".conll",),
    """\
  .conll        CoNLL-2012 coreference; each document is a sample""",
    begins=lambda start: start.lstrip().startswith(b"#begin document"),
    several=True,
    empty=True,
)
