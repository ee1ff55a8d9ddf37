"""CoNLL-2012 coreference: a mention is a span of tokens, its cluster the number of its chain.

Documents are samples. Tokens are counted from 0 through a document; the chains stand in
the last column, as (3, 3), (3) with | between several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import shorten
from clusterdiff.io.formats import Format
from clusterdiff.io.formats.mentions import Documents, Mention, TextFile, clustering_of
from clusterdiff.io.read import Source

MARK = re.compile(r"(\()?(\d+)(\))?")


def read_clustering(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    drop = source.ways.get("singletons") == "drop"
    return clustering_of(source, _Text, "conll(singletons=drop)" if drop else "", drop=drop)


class _Text:
    """The documents of a file, line by line."""

    def __init__(self, found: Documents, file: TextFile) -> None:
        self._found, self._file = found, file
        self._document: str | None = None
        self._token = 0
        self._open: dict[str, list[tuple[int, int]]] = {}
        """Where the mentions of a chain begin that are open: the token, and the line."""
        self._own = False
        """Whether the file has marked a document as such."""
        for number, line in enumerate(file.text.split("\n"), 1):
            self._line(number, line)
        self._end()

    def _line(self, number: int, line: str) -> None:
        words = line[1:].split(None, 2) if line.startswith("#") else []
        if words[:2] == ["begin", "document"]:
            self._own = True
            self._begin(words[2].rstrip() if len(words) > 2 else self._file.document)
        elif words[:2] == ["end", "document"]:
            self._end()
        elif not line.startswith("#") and (cells := line.split()):
            if self._document is None:
                self._begin_unmarked(number)
            self._read(number, cells[-1])
            self._token += 1

    def _begin(self, document: str) -> None:
        self._end()
        self._found.begin(document, self._file)
        self._document = document

    def _begin_unmarked(self, number: int) -> None:
        """A file of a folder is a document, where it marks none."""
        if self._own or not self._file.document:
            raise self._file.broken(f"line {number:,} stands outside of a document")
        self._own = True
        self._begin(self._file.document)

    def _end(self) -> None:
        if unclosed := [(chain, starts) for chain, starts in self._open.items() if starts]:
            chain, starts = unclosed[0]
            raise self._file.broken(
                f"chain {chain} in {self._document} is opened but never closed "
                f"(line {starts[0][1]:,})"
            )
        self._document, self._token, self._open = None, 0, {}

    def _read(self, number: int, cell: str) -> None:
        document, token = self._document or "", self._token
        for chain, opens, closes in self._marks(number, cell):
            self._found.begin_chain(document, chain)
            if opens and closes:
                start = token
            elif opens:
                self._open.setdefault(chain, []).append((token, number))
                continue
            elif self._open.get(chain):
                start, _ = self._open[chain].pop()
            else:
                raise self._file.broken(f"line {number:,} closes chain {chain}, which is not open")
            self._found.mentions.append(Mention(document, f"{start}-{token}", chain))

    def _marks(self, number: int, cell: str) -> Iterable[tuple[str, bool, bool]]:
        """The marks of one token: whole mentions first, then openings, then closings."""
        if "(" not in cell and ")" not in cell:
            return []
        if {"(", ")"} & set(MARK.sub("", cell)):
            raise self._file.broken(
                f"{shorten(cell, 40)} in line {number:,} is not a mark of chains"
            )
        marks = [
            (m.group(2), m.group(1) is not None, m.group(3) is not None)
            for m in MARK.finditer(cell)
            if m.group(1) or m.group(3)
        ]
        return sorted(marks, key=lambda mark: (not (mark[1] and mark[2]), not mark[1]))


FORMAT = Format(
    "conll",
    read_clustering,
    (".conll",),
    """\
  .conll        CoNLL-2012 coreference; each document is a sample; without
                entities of one mention by --as 'conll(singletons=drop)'""",
    begins=lambda start: start.lstrip().startswith(b"#begin document"),
    several=True,
    empty=True,
    options={"singletons": ("keep", "drop")},
)
