"""GraphML: the nodes of a graph with their attributes, as networkx, igraph and Gephi write them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from xml.parsers import expat

from clusterdiff.errors import LimitReached, ReadError
from clusterdiff.io.files import DIGITS
from clusterdiff.io.formats.csv import table_format
from clusterdiff.io.formats.node_table import NodeTable, Value, free_name
from clusterdiff.io.read import Source

WHOLE, NUMBERS = ("int", "long"), ("float", "double")


class _Reader:
    """Takes nodes and their data as the parser comes by them; edges and graphics are passed over.
    Entities that a file declares are refused, so that none can grow or fetch anything.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.keys: dict[str, tuple[str, str]] = {}
        self.defaults: dict[str, str] = {}
        self.nodes: list[dict[str, str]] = []
        self.ids: list[Value] = []
        self.within: list[tuple[str, int]] = []
        """The elements around: what each is, and the number of the node it is or stands in."""
        self.key, self.text = "", ""

    def parse(self, text: str) -> None:
        """Read a document."""
        parser: Any = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._refuse
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            raise ReadError.from_engine(self.source.shown, f"it is no XML: {error}") from None

    def _start(self, name: str, has: dict[str, str]) -> None:
        tag, node = name.rpartition(" ")[2], self.within[-1][1] if self.within else -1
        if tag == "node":
            node = len(self.ids)
            self.ids.append(has.get("id", ""))
            self.nodes.append({})
        elif tag in ("edge", "hyperedge", "port", "graph"):
            node = -1
        elif tag == "key" and has.get("for", "all") in ("node", "all") and "attr.name" in has:
            self.keys[has.get("id", "")] = has["attr.name"], has.get("attr.type", "string")
        if tag in ("key", "data"):
            self.key, self.text = has.get("id" if tag == "key" else "key", ""), ""
        elif tag == "default":
            self.text = ""
        self.within.append((tag, node))

    def _data(self, text: str) -> None:
        if self.within[-1][0] in ("data", "default"):
            self.text += text

    def _end(self, name: str) -> None:
        tag, node = self.within.pop()
        if tag == "data" and node >= 0:
            self.nodes[node][self.key] = self.text
        elif tag == "default":
            self.defaults[self.key] = self.text

    def _refuse(self, name: str, *declared: Any) -> None:
        raise ReadError(
            f"{self.source.shown} declares the entity {name!r}, and entities are not expanded: a "
            "few lines of them can fill all memory.",
            "write the text in place of the entity.",
        )

    def table(self) -> NodeTable:
        """The nodes with their attributes, and with defaults where they have none."""
        names = [name for name, _ in self.keys.values()]
        made = NodeTable(free_name(("id", "node", "node id"), names), self.ids)
        for key, (name, kind) in self.keys.items():
            for number, node in enumerate(self.nodes):
                text = node.get(key, self.defaults.get(key))
                if text is not None:
                    made.add(number, name, self._typed(text.strip(), kind))
        return made

    def _typed(self, text: str, kind: str) -> Value:
        """A value as its key says; what is no number stays a text."""
        if kind in WHOLE and len(text) > DIGITS:
            raise LimitReached.from_count(
                self.source.shown, DIGITS, "digits in a number", "write it as a string."
            )
        try:
            return int(text) if kind in WHOLE else float(text) if kind in NUMBERS else text
        except ValueError:
            return text


def as_table(stack: ExitStack, source: Source) -> Source:
    """The nodes as a table: the id of each, and its attributes."""
    reader = _Reader(source)
    reader.parse(source.text())
    if not reader.ids:
        raise ReadError(
            f"{source.shown} has no nodes.", "name a file in GraphML, <graphml> with <node>s in it."
        )
    return reader.table().as_csv(stack, source)


FORMAT = table_format(
    "graphml",
    as_table,
    (".graphml",),
    """\
  .graphml      the same in GraphML, by id""",
    lambda start: b"<graphml" in start[:4096],
)
