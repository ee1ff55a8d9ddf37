"""CorefUD: CoNLL-U whose last column (MISC) has the mentions of entities, Entity=(e1-person-2…e1).

Documents are samples. Words are counted from 0 through a document; an empty node is called after
the word before it, 7.1. A mention in several parts, (e1[1/2] … e1[1/2]) … (e1[2/2] … e1[2/2]), is
one mention, 3-4,7-7.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import ClusterdiffError, shorten
from clusterdiff.io.formats import Format
from clusterdiff.io.formats.mentions import (
    Documents,
    Mention,
    Shapes,
    TextFile,
    Zero,
    clustering_of,
)
from clusterdiff.io.read import Source

# Mentions that are open while a text is read: where they begin, and in how many parts.


class Closed(NamedTuple):
    """A mention that ends: its runs of nodes, none if parts are to come; and which is its head."""

    runs: list[list[int]]
    head: str


class Unfinished(NamedTuple):
    """A mention that never ends."""

    line: int
    shown: str
    why: str


@dataclass
class OpenMention:
    """A mention whose parts have not all been read."""

    entity: str
    parts: int
    line: int
    """Where it was opened first."""
    starts: list[int] = field(default_factory=list)
    """The nodes at which its parts begin."""
    ends: dict[int, int] = field(default_factory=dict)
    """The nodes at which they end, by part."""
    head: str = ""
    """Which of its nodes is the head, as the latest part says."""


class OpenMentions:
    """The nodes of a document as they come, and the mentions that are open."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._open: dict[str, list[OpenMention]] = {}

    def next_node(self, name: str) -> None:
        """The node that brackets stand at from now on."""
        self._names.append(name)

    def open(self, entity: str, part: int, parts: int, line: int, head: str = "") -> str:
        """A part of a mention begins; or what is wrong with that."""
        own = self._open.setdefault(entity, [])
        here = len(self._names) - 1
        if part == 1:
            own.append(OpenMention(entity, parts, line, [here], head=head))
            return ""
        for one in reversed(own):
            if one.parts == parts and len(one.starts) == len(one.ends) == part - 1:
                one.starts.append(here)
                one.head = head
                return ""
        return f"{entity}[{part}/{parts}] without the parts before it"

    def close(self, entity: str, part: int, parts: int) -> Closed | None:
        """A part of a mention ends here; None if no such part is open."""
        for one in reversed(self._open.get(entity, [])):
            latest = len(one.starts)
            if latest in one.ends or (one.parts, latest) != (parts, part):
                continue
            one.ends[latest] = len(self._names) - 1
            if latest < one.parts:
                return Closed([], "")
            self._open[entity].remove(one)
            return Closed(_runs(one), one.head)
        return None

    def unfinished(self) -> Unfinished | None:
        """A mention that is still open, if there is one."""
        for one in (one for some in self._open.values() for one in some):
            if len(one.ends) < len(one.starts):
                return Unfinished(one.line, one.entity, "which is never closed")
            missing = f"{one.entity}[{len(one.starts) + 1}/{one.parts}]"
            return Unfinished(one.line, one.entity, f"of which there is no part {missing}")
        return None

    def span(self, runs: list[list[int]]) -> str:
        """What runs of nodes are called."""
        return ",".join(f"{self._names[start]}-{self._names[end]}" for start, end in runs)

    def nodes(self, runs: list[list[int]]) -> list[str]:
        """The nodes in them."""
        return [name for start, end in runs for name in self._names[start : end + 1]]


def _runs(mention: OpenMention) -> list[list[int]]:
    """The first and last nodes of the runs that a mention covers."""
    runs: list[list[int]] = []
    for part, start in enumerate(mention.starts, 1):
        if runs and start <= runs[-1][1] + 1:
            runs[-1][1] = max(runs[-1][1], mention.ends[part])
        else:
            runs.append([start, mention.ends[part]])
    return runs


CELLS = 10
OPTIONS = {
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
MARKS = re.compile(r"(?:\([^()]++\)?|[^()]++\))++")
MARK = re.compile(r"(\()?([^()]+)(\))?")
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


def read_clustering(source: Source) -> AnyClustering:
    """The mentions of all documents: ids are start-end, samples are documents."""
    ways = {name: values[0] for name, values in OPTIONS.items()} | dict(source.ways)
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
        partial(_Nodes, shapes),
        " ".join(["corefud-scorer", *flags]),
        drop=ways["singletons"] == "drop",
    )
    if shapes.asked:
        made.mentions = shapes
    return made


class _Nodes:
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
        self._mentions = OpenMentions()
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
        if (open_ := self._mentions.unfinished()) is not None:
            raise self._file.broken(f"line {open_.line:,} opens {open_.shown}, {open_.why}")
        self._document, self._words, self._word = None, 0, 0
        self._zeros = {}
        self._mentions = OpenMentions()

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
                f"line {number:,} starts with {shorten(cells[0], 20)}, which is no word of CoNLL-U"
            )
        said = [one[7:] for one in cells[9].split("|") if one.startswith("Entity=")]
        if name[2]:
            if said:
                raise self._file.broken(
                    f"line {number:,} has entities at the token {cells[0]}; they belong to words"
                )
            return
        node = self._called(number, int(name[1]), name[3])
        self._mentions.next_node(node)
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
        if MARKS.fullmatch(value) is None:
            raise self._file.broken(
                f"Entity={shorten(value, 40)} in line {number:,} is not a mark of entities"
            )
        made = []
        for opens, text, closes in MARK.findall(value):
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
        document = self._document or ""
        if mark.opens:
            self._found.begin_chain(document, mark.entity)
            why = self._mentions.open(mark.entity, mark.part, mark.parts, number, mark.head)
            if why:
                raise self._file.broken(f"line {number:,} opens {why}")
        if mark.closes:
            closed = self._mentions.close(mark.entity, mark.part, mark.parts)
            if closed is None:
                raise self._file.broken(
                    f"line {number:,} closes entity {mark.entity}, which is not open"
                )
            if closed.runs:
                span = self._mentions.span(closed.runs)
                self._found.mentions.append(Mention(document, span, mark.entity))
                if self._shapes.asked:
                    nodes, head = self._mentions.nodes(closed.runs), closed.head or "1"
                    if not head.isdecimal() or not 0 < int(head) <= len(nodes):
                        raise self._file.broken(
                            f"line {number:,}: {shorten(head, 20)} is not the place of the head in "
                            f"a mention of {len(nodes):,} words"
                        )
                    word = nodes[int(head) - 1]
                    self._shapes.add((document, span), nodes, word, self._zeros.get(word))


FORMAT = Format(
    "corefud",
    read_clustering,
    (".conllu",),
    """\
  .conllu       CorefUD, CoNLL-U with Entity=…; each document is a sample;
                'corefud(match=exact)' is -s -x -z linear of its scorer; its
                default: 'corefud(match=head,zeros=dependent,singletons=drop)'""",
    begins=lambda start: re.match(rb"\s*#\s*(newdoc\b|global\.Entity\b)", start) is not None,
    several=True,
    empty=True,
    options=OPTIONS,
)
