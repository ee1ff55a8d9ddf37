"""Coreference: a mention is a span of tokens in a document, its cluster the chain it is in.

Ids are spans, samples are documents. CoNLL-2012 has the chains in the last column of each token,
CorefUD in the last column (MISC) of CoNLL-U.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import AnyClustering, Clustering, column
from clusterdiff.engines.protocol import Table
from clusterdiff.errors import ClusterdiffError, ReadError, listed_files, shorten
from clusterdiff.io.formats import Format
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
    """The guess with mentions named after those of truth that they match; one that matches none and
    has the name of another is named apart.
    """
    known: list[Any] = [
        one.mentions if isinstance(one, Clustering) else None for one in (truth, guess)
    ]
    ways = [one and one.ways for one in known]
    if ways[0] != ways[1] or isinstance(truth, Table) or isinstance(guess, Table):
        raise ClusterdiffError(
            "truth and guess were read in different ways, so their mentions cannot be matched.",
            'read both files with the same as_=, e.g. as_="corefud(match=head)".',
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


# CoNLL-2012: tokens are counted from 0 through a document; the chains stand in the last column, as
# (3, 3), (3) with | between several.

CHAIN_MARK = re.compile(r"(\()?(\d+)(\))?")


def read_conll(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    drop = source.ways.get("singletons") == "drop"
    return clustering_of(source, _ConllText, "conll(singletons=drop)" if drop else "", drop=drop)


class _ConllText:
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
        if {"(", ")"} & set(CHAIN_MARK.sub("", cell)):
            raise self._file.broken(
                f"{shorten(cell, 40)} in line {number:,} is not a mark of chains"
            )
        marks = [
            (m.group(2), m.group(1) is not None, m.group(3) is not None)
            for m in CHAIN_MARK.finditer(cell)
            if m.group(1) or m.group(3)
        ]
        return sorted(marks, key=lambda mark: (not (mark[1] and mark[2]), not mark[1]))


# CorefUD: CoNLL-U with Entity=(e1-person-2…e1). Words are counted from 0 through a document; an
# empty node is called after the word before it, 7.1. A mention in several parts, (e1[1/2] …
# e1[1/2]) … (e1[2/2] … e1[2/2]), is one mention, 3-4,7-7.

# Mentions that are open while a text is read: where they begin, and in how many parts.


@dataclass
class OpenMention:
    """A mention whose parts have not all been read."""

    entity: str
    parts: int
    line: int
    """Where it was opened first."""
    head: str
    """Which of its nodes is the head, as the latest part says."""
    starts: list[int]
    """The nodes at which its parts begin."""
    ends: list[int] = field(default_factory=list)
    """The nodes at which they end."""

    def runs(self) -> list[list[int]]:
        """The first and last nodes of the runs that it covers."""
        runs: list[list[int]] = []
        for start, end in zip(self.starts, self.ends, strict=True):
            if runs and start <= runs[-1][1] + 1:
                runs[-1][1] = max(runs[-1][1], end)
            else:
                runs.append([start, end])
        return runs


class OpenMentions:
    """The nodes of a document as they come, and the mentions that are open."""

    def __init__(self, file: TextFile) -> None:
        self.nodes: list[str] = []
        """What they are called; brackets stand at the last of them."""
        self._file = file
        self._open: dict[str, list[OpenMention]] = {}

    def open(self, mark: EntityMark, line: int) -> None:
        """A part of a mention begins."""
        own = self._open.setdefault(mark.entity, [])
        here = len(self.nodes) - 1
        if mark.part == 1:
            own.append(OpenMention(mark.entity, mark.parts, line, mark.head, [here]))
            return
        for mention in reversed(own):
            before = len(mention.starts) == len(mention.ends) == mark.part - 1
            if before and mention.parts == mark.parts:
                mention.starts.append(here)
                mention.head = mark.head
                return
        raise self._file.broken(
            f"line {line:,} opens {mark.entity}[{mark.part}/{mark.parts}] without the parts before "
            "it"
        )

    def close(self, mark: EntityMark, line: int) -> OpenMention | None:
        """The mention whose last part ends here; None if parts are to come."""
        for mention in reversed(self._open.get(mark.entity, [])):
            latest = len(mention.starts)
            if latest == len(mention.ends) or (mention.parts, latest) != (mark.parts, mark.part):
                continue
            mention.ends.append(len(self.nodes) - 1)
            if latest < mention.parts:
                return None
            self._open[mark.entity].remove(mention)
            return mention
        raise self._file.broken(f"line {line:,} closes entity {mark.entity}, which is not open")

    def check_unfinished(self) -> None:
        """Refuse a mention that is still open at the end of a document."""
        for mention in (mention for own in self._open.values() for mention in own):
            why = "which is never closed"
            if len(mention.ends) == len(mention.starts):
                missing = f"{mention.entity}[{len(mention.starts) + 1}/{mention.parts}]"
                why = f"of which there is no part {missing}"
            raise self._file.broken(f"line {mention.line:,} opens {mention.entity}, {why}")


CELLS = 10
COREFUD_OPTIONS = {
    "match": ("span", "exact", "head"), "zeros": ("linear", "dependent"),
    "singletons": ("keep", "drop"),
}  # fmt: skip
THEIRS = {
    "singletons=keep": "-s",
    "match=span": "-x",
    "match=exact": "-x",
    "zeros=linear": "-z linear",
}
"""What the CorefUD scorer calls them. It matches mentions by their heads, zeros by what they depend
on, and drops singletons, if nothing is said; by span, empty nodes inside of mentions do not count.
"""
NAMELESS = (["#", "newdoc"], ["#newdoc"])
"""How documents without names begin."""
ENTITY_MARKS = re.compile(r"(?:\([^()]++\)?|[^()]++\))++")
BRACKET = re.compile(r"(\()?([^()]+)(\))?")
ENTITY = re.compile(r"([^\[\]]+)(?:\[([1-9]\d{0,5})/([1-9]\d{0,5})\])?")
WORD = re.compile(r"(\d{1,9})(?:(-\d+)|\.(\d{1,9}))?")


class EntityMark(NamedTuple):
    """A bracket of an entity: which it is, which of how many parts of a mention, and its head."""

    entity: str
    part: int
    parts: int
    opens: bool
    closes: bool
    head: str


def read_corefud(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    ways = {name: values[0] for name, values in COREFUD_OPTIONS.items()} | dict(source.ways)
    said = [f"{name}={value}" for name, value in ways.items()]
    flags = [flag for one, flag in THEIRS.items() if one in said]
    flags += ["by span"] if ways["match"] == "span" else []
    shapes = Shapes(ways["match"], ways["zeros"])
    if shapes.asked and source.kind != "partition":
        raise ClusterdiffError(
            f"mentions of a {source.kind} clustering match by their spans.",
            'leave match and zeros out of "corefud(…)".',
        )
    made = clustering_of(
        source,
        partial(_CorefudText, shapes),
        " ".join(["corefud-scorer", *flags]),
        drop=ways["singletons"] == "drop",
    )
    if shapes.asked:
        made.mentions = shapes
    return made


class _CorefudText:
    """The documents of a file, line by line."""

    def __init__(self, shapes: Shapes, found: Documents, file: TextFile) -> None:
        self._shapes, self._found, self._file = shapes, found, file
        self._document: str | None = None
        self._unnamed = 0
        self._implicit = False
        """Whether the file does not mark its document as such."""
        self._field = 0
        """Which of the fields of an opening bracket names the entity."""
        self._head = 2
        """Which of them names its head."""
        self._words, self._word = 0, 0
        """How many words the document has so far, and the sentence."""
        self._zeros: dict[str, Zero] = {}
        """The empty nodes of the document."""
        self._mentions = OpenMentions(file)
        lines = file.text.split("\n")
        self._numbered = sum(line.split() in NAMELESS for line in lines if line[:1] == "#") > 1
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                self._comment(number, line)
            elif line.strip():
                self._node(number, line.rstrip("\r").split("\t"))
            else:
                self._word = 0
        self._end()

    def _comment(self, number: int, line: str) -> None:
        name, _, value = (part.strip() for part in line[1:].partition("="))
        if name.split() in (["newdoc"], ["newdoc", "id"]):
            if self._implicit:
                raise self._file.broken(
                    f"line {number:,} begins a document, and the words before it are in none"
                )
            self._begin(value)
        elif name == "global.Entity":
            fields = value.split("-")
            known = [name for name in ("eid", "GRP") if name in fields]
            if not known:
                raise self._file.broken(
                    f"line {number:,} says global.Entity = {shorten(value, 60)}, in which no field "
                    "is the entity (eid)"
                )
            self._field = fields.index(known[0])
            self._head = fields.index("head") if "head" in fields else len(fields)

    def _begin(self, name: str) -> None:
        self._end()
        if not name:
            self._unnamed += 1
            number = str(self._unnamed) if self._numbered else ""
            name = "/".join(filter(None, (self._file.document, number)))
        self._found.begin(name, self._file)
        self._document = name

    def _end(self) -> None:
        self._mentions.check_unfinished()
        self._document, self._words, self._word = None, 0, 0
        self._zeros = {}
        self._mentions = OpenMentions(self._file)

    def _node(self, number: int, cells: list[str]) -> None:
        """A word, an empty node, or a token of several words, which is no node."""
        if len(cells) != CELLS:
            raise self._file.broken(
                f"line {number:,} has {len(cells):,} columns between tabs, and CoNLL-U has {CELLS}"
            )
        if self._document is None:
            self._implicit = True
            self._begin("")
        name = WORD.fullmatch(cells[0])
        if name is None:
            raise self._file.broken(
                f"line {number:,} starts with {shorten(cells[0], 20)}, which is not "
                "a word of CoNLL-U"
            )
        said = [one[7:] for one in cells[9].split("|") if one.startswith("Entity=")]
        if name[2]:
            if said:
                raise self._file.broken(
                    f"line {number:,} has entities at the token {cells[0]}; they belong to words"
                )
            return
        node = self._called(number, int(name[1]), name[3])
        self._mentions.nodes.append(node)
        if name[3] and self._shapes.asked:
            deps = [dep.partition(":")[::2] for dep in cells[8].split("|") if ":" in dep]
            self._zeros[node] = Zero(self._words - self._word, frozenset(deps))
        for value in said:
            for mark in self._marks(number, value):
                self._take(number, mark)

    def _called(self, number: int, place: int, empty: str | None) -> str:
        """What a node is called in ids: words are counted through the document."""
        if empty is not None:
            if place != self._word:
                raise self._file.broken(f"line {number:,}: {place}.{empty} follows {self._word}")
            return f"{self._words - 1}.{empty}" if place else f"{self._words}.0.{empty}"
        if place != self._word + 1:
            raise self._file.broken(
                f"line {number:,}: word {place:,} follows "
                + (f"word {self._word:,}" if self._word else "the end of a sentence")
            )
        self._word += 1
        self._words += 1
        return str(self._words - 1)

    def _marks(self, number: int, value: str) -> list[EntityMark]:
        """The brackets of one node, in their order."""
        if ENTITY_MARKS.fullmatch(value) is None:
            raise self._file.broken(
                f"Entity={shorten(value, 40)} in line {number:,} is not a mark of entities"
            )
        made = []
        for opens, text, closes in BRACKET.findall(value):
            fields = text.split("-")
            bare = not opens and len(fields) == 1
            own = fields[0] if bare else fields[self._field] if self._field < len(fields) else ""
            found = ENTITY.fullmatch(own)
            if found is None or int(found[2] or 1) > int(found[3] or 1):
                raise self._file.broken(
                    f"{shorten(text, 40)} in line {number:,} does not name an entity"
                )
            parts = int(found[2] or 1), int(found[3] or 1)
            head = fields[self._head] if opens and self._head < len(fields) else ""
            made.append(EntityMark(found[1], *parts, bool(opens), bool(closes), head))
        return made

    def _take(self, number: int, mark: EntityMark) -> None:
        document, open_mentions = self._document or "", self._mentions
        if mark.opens:
            self._found.begin_chain(document, mark.entity)
            open_mentions.open(mark, number)
        if not mark.closes or (mention := open_mentions.close(mark, number)) is None:
            return
        called, runs = open_mentions.nodes, mention.runs()
        span = ",".join(f"{called[start]}-{called[end]}" for start, end in runs)
        self._found.mentions.append(Mention(document, span, mark.entity))
        if self._shapes.asked:
            nodes = [node for start, end in runs for node in called[start : end + 1]]
            head = mention.head or "1"
            if not head.isdecimal() or not 0 < int(head) <= len(nodes):
                raise self._file.broken(
                    f"line {number:,}: {shorten(head, 20)} is not the place of the head in "
                    f"a mention of {len(nodes):,} words"
                )
            word = nodes[int(head) - 1]
            self._shapes.add((document, span), nodes, word, self._zeros.get(word))


CONLL = Format(
    "conll",
    read_conll,
    (".conll",),
    """\
  .conll        CoNLL-2012 coreference; each document is a sample; without
                entities of one mention by --as 'conll(singletons=drop)'""",
    begins=re.compile(rb"\s*#begin document"),
    several=True,
    empty=True,
    options={"singletons": ("keep", "drop")},
)

COREFUD = Format(
    "corefud",
    read_corefud,
    (".conllu",),
    """\
  .conllu       CorefUD, CoNLL-U with Entity=…; each document is a sample;
                'corefud(match=exact)' is -s -x -z linear of its scorer; its
                default: 'corefud(match=head,zeros=dependent,singletons=drop)'""",
    begins=re.compile(rb"\s*#\s*(newdoc\b|global\.Entity\b)"),
    several=True,
    empty=True,
    options=COREFUD_OPTIONS,
)

FORMATS = (CONLL, COREFUD)
