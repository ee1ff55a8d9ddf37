"""Mentions of documents as a clustering: ids are spans of tokens, samples are documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import AnyClustering, Clustering, column
from clusterdiff.engines.protocol import Table
from clusterdiff.errors import ClusterdiffError, ReadError, listed_files, shorten
from clusterdiff.io.read import Source


class Mention(NamedTuple):
    """A span of tokens in a document, in a chain (an entity)."""

    document: str
    span: str
    chain: str


class Zero(NamedTuple):
    """An empty node that is the head of a mention."""

    sentence: int
    """The first word of its sentence."""
    deps: frozenset[tuple[str, str]]
    """The nodes that it depends on, and how."""


def _dice(one: Set[object], other: Set[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


class Shape(NamedTuple):
    """What a mention is made of: words by their order, of which empty nodes have three numbers."""

    words: frozenset[tuple[int, ...]]
    head: str
    zero: Zero | None

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Where it starts and ends, and how long it is."""
        return min(self.words), max(self.words), len(self.words)


def _same_dependencies(one: Shape, other: Shape) -> float:
    """The F of the dependencies of two zeros, ten times; that of the nodes alone breaks ties."""
    deps = [shape.zero.deps if shape.zero else frozenset() for shape in (one, other)]
    return 10 * _dice(*deps) + _dice(*({node for node, _ in some} for some in deps))


Name = tuple[str, str]
"""A document, and a span in it."""
Similarity = Callable[[Shape, Shape], float]
Side = AnyClustering | Table


class Shapes:
    """The mentions of files, to match them by their heads, or zeros by their dependencies."""

    def __init__(self, match: str, zeros: str) -> None:
        self.ways = match, zeros
        self.asked = self.ways != ("span", "linear")
        self._known: dict[Name, Shape] = {}

    def add(self, name: Name, nodes: list[str], head: str, zero: Zero | None) -> None:
        """A mention with its nodes, called 7, 7.1 behind that word, or 7.0.1 before it."""
        orders = (tuple(map(int, node.split("."))) for node in nodes)
        words = frozenset((o[0], (len(o) == 2) - (len(o) == 3), o[-1]) for o in orders)
        self._known.setdefault(name, Shape(words, head, zero))

    def of(self, names: list[Name]) -> dict[Name, Shape]:
        """Those of some mentions, in the order of their words."""
        return dict(sorted(((n, self._known[n]) for n in names), key=lambda one: one[1].order))

    def matched(self, left: dict[Name, Shape], right: dict[Name, Shape]) -> dict[Name, Name]:
        """For mentions of guess the one of truth that they match, as the CorefUD scorer has it:
        zeros by their dependencies first, then equal mentions, then those with the same head.
        """
        found: dict[Name, Name] = {}

        def match(block: Callable[[Name, Shape], object], similarity: Similarity) -> None:
            taken = set(found.values())
            truths = {n: s for n, s in left.items() if n not in taken}
            guesses = {n: s for n, s in right.items() if n not in found}
            found.update(_matched(truths, guesses, block, similarity))

        way, zeros = self.ways
        if zeros == "dependent":
            match(lambda n, s: s.zero and (n[0], s.zero.sentence), _same_dependencies)
        if way == "span":
            match(lambda n, s: n, lambda t, g: 1.0)
        else:
            match(lambda n, s: (n[0], s.words, way == "head" and s.head), lambda t, g: 1.0)
        if way == "head":
            match(lambda n, s: (n[0], s.head), lambda t, g: len(t.words & g.words) / len(t.words))
        return found


def _matched(
    truths: dict[Name, Shape],
    guesses: dict[Name, Shape],
    block: Callable[[Name, Shape], object],
    similarity: Similarity,
) -> Iterator[tuple[Name, Name]]:
    """Mentions of guess with those of truth in the same block that they match best. Ties are
    resolved as that scorer does, with one table for each document.
    """
    from scipy.optimize import linear_sum_assignment

    sides: dict[str, tuple[list[Name], list[Name]]] = {}
    blocks: dict[object, list[int]] = {}
    for side, shapes in enumerate((truths, guesses)):
        for name, shape in shapes.items():
            if (key := block(name, shape)) is not None:
                own = sides.setdefault(name[0], ([], []))[side]
                if side:
                    blocks.setdefault(key, []).append(len(own))
                own.append(name)
    for rows, columns in sides.values():
        table = np.zeros((len(rows), len(columns)))
        for i, t in enumerate(rows):
            for j in blocks.get(block(t, truths[t]), ()):
                table[i, j] = similarity(truths[t], guesses[columns[j]])
        for row, place in zip(*linear_sum_assignment(-table), strict=True):
            if table[row, place]:
                yield columns[place], rows[row]


def as_mentions_of(truth: Side, guess: Side) -> Side:
    """The guess with mentions named after those of truth that they match, where files were read so;
    one that matches none and has the name of another is named apart.
    """
    known: list[Any] = [
        one.mentions if isinstance(one, Clustering) else None for one in (truth, guess)
    ]
    if known[0] is None and known[1] is None:
        return guess
    ways = [one and one.ways for one in known]
    if ways[0] != ways[1] or isinstance(truth, Table) or isinstance(guess, Table):
        raise ClusterdiffError(
            "truth and guess were read in different ways, so their mentions cannot be matched.",
            'read both files with the same as_, e.g. as_="corefud(match=head)".',
            'name one format for both files, e.g. --as "corefud(match=head)".',
        )
    names, others = _names(truth), _names(guess)
    left = known[0].of(names)
    found = known[0].matched(left, known[1].of(others))
    renamed = (
        found[one][1] if one in found else f"{one[1]} (guess)" if one in left else one[1]
        for one in others
    )  # fmt: skip
    made = copy(guess)
    made.ids, made.mentions = column(list(renamed), written=True).hashed(), None
    return made


def _names(side: AnyClustering) -> list[Name]:
    """The documents and spans of its mentions."""
    assert side.ids is not None
    documents = [""] * len(side) if side.samples is None else side.samples.tolist()
    return list(zip(documents, side.ids.tolist(), strict=True))


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

    def drop_singletons(self) -> int:
        """Leave out the chains of one mention; how many they were."""
        spans = Counter(m[::2] for m in set(self.mentions))
        kept = [m for m in self.mentions if spans[m[::2]] > 1]
        many, self.mentions = len(spans) - len({m[::2] for m in kept}), kept
        return many

    def in_first_chains(self) -> list[Mention]:
        """Each mention in one chain, that which begins first, as the reference scorer has it."""
        first: dict[tuple[str, str], int] = {}
        for m in self.mentions:
            number = self._began[m.document, m.chain]
            first[m[:2]] = min(first.get(m[:2], number), number)
        return [m for m in self.mentions if self._began[m.document, m.chain] == first[m[:2]]]


def clustering_of(
    source: Source,
    parse: Callable[[Documents, TextFile], object],
    reading: str,
    *,
    drop: bool,
) -> AnyClustering:
    """The mentions of all documents of a source, file by file; `drop` leaves out entities of one
    mention.
    """
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
    single = found.drop_singletons() if drop else 0
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
    made.reading = reading
    if drop:
        made.notes += (f"{single:,} singletons were dropped",)
    if blank:
        hold = "1 file holds" if len(blank) == 1 else f"{len(blank):,} files hold"
        made.notes += (f"{hold} no document: {listed_files(blank)}",)
    second = len({m[:2] for m in set(found.mentions) - set(mentions)})
    if second:
        are = "1 mention stands" if second == 1 else f"{second:,} mentions stand"
        made.notes += (f"{are} in a second chain: the first was kept",)
    return made
