"""CoNLL-2012 coreference: a mention is a span of tokens, its cluster the number of its chain.

Documents are samples. Tokens are counted from 0 through a document; the chains stand in
the last column, as (3, 3), (3) with | between several.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.readers.base import Source

BEGIN = re.compile(r"#\s*begin document\s+(.*?)\s*$")
END = re.compile(r"#\s*end document")
MARK = re.compile(r"(\()?(\d+)(\))?")


def read_clustering(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    ids: list[str] = []
    chains: list[str] = []
    documents: list[str] = []
    for document, start, end, chain in _mentions(source):
        ids.append(f"{start}-{end}")
        chains.append(chain)
        documents.append(document)
    return source.made(
        column(chains, written=True), column(ids, written=True), column(documents, written=True)
    )


def _mentions(source: Source) -> Iterator[tuple[str, int, int, str]]:
    document: str | None = None
    token = 0
    open_at: dict[str, list[int]] = {}
    for number, line in enumerate([*source.text().split("\n"), "#end document"], 1):
        begin = BEGIN.match(line)
        if begin or END.match(line):
            if unclosed := [chain for chain, starts in open_at.items() if starts]:
                raise ReadError.from_engine(
                    source.shown, f"chain {unclosed[0]} in {document} is opened but never closed"
                )
            document, token, open_at = begin.group(1) if begin else None, 0, {}
        elif document is not None and line.strip() and not line.startswith("#"):
            for chain, opens, closes in _marks(line.split()[-1]):
                if opens and closes:
                    yield document, token, token, chain
                elif opens:
                    open_at.setdefault(chain, []).append(token)
                elif open_at.get(chain):
                    yield document, open_at[chain].pop(), token, chain
                else:
                    raise ReadError.from_engine(
                        source.shown, f"line {number} closes chain {chain}, which is not open"
                    )
            token += 1


def _marks(cell: str) -> list[tuple[str, bool, bool]]:
    """The marks of one token: whole mentions first, then openings, then closings."""
    marks = [
        (m.group(2), m.group(1) is not None, m.group(3) is not None)
        for m in MARK.finditer(cell)
        if m.group(1) or m.group(3)
    ]
    return sorted(marks, key=lambda mark: (not (mark[1] and mark[2]), not mark[1]))
