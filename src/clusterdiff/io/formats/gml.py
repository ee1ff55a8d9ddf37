"""GML: the nodes of a graph with their attributes, called by their labels."""

from __future__ import annotations

import re
from contextlib import ExitStack
from html import unescape
from typing import Any

from clusterdiff.errors import ReadError
from clusterdiff.io.formats.csv import table_format
from clusterdiff.io.formats.node_table import NodeTable, Value
from clusterdiff.io.read import Source

TOKEN = re.compile(r'"[^"]*"|\[|\]|[^\s\[\]"]+')
COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
WHOLE = re.compile(r"[+-]?\d{1,18}")
LIST_START = "_networkx_list_start"
"""What networkx writes before the only value of a list."""


def as_table(stack: ExitStack, source: Source) -> Source:
    """The nodes as a table: the label of each, or its id where labels do not tell them apart."""
    nodes = [
        node
        for name, graph in _parsed(source)
        if name == "graph" and isinstance(graph, list)
        for key, node in graph
        if key == "node" and isinstance(node, list)
    ]
    if not nodes:
        raise ReadError(f"{source.shown} has no nodes.", "name a file in GML: graph [ node [ … ] ]")
    labels = [value for node in nodes for key, value in node if key == "label"]
    id = "label" if len(labels) == len(nodes) == len(set(labels)) else "id"
    made = NodeTable(id)
    for number, node in enumerate(nodes):
        own = [value for key, value in node if key == id]
        if len(own) != 1:
            raise ReadError(
                f"node {number + 1:,} of {len(nodes):,} of {source.shown} has {len(own):,} ids.",
                "give each node an id, and at most one label.",
            )
        made.ids.append(own[0])
        for key, value in node:
            if key != id and not isinstance(value, list) and value != LIST_START:
                made.add(number, key, value)
    return made.as_csv(stack, source)


def _parsed(source: Source) -> list[tuple[str, Any]]:
    """The pairs of key and value of a file; a value in brackets is a list of such pairs."""
    tokens = iter(TOKEN.findall(COMMENT.sub("", source.text())))
    stack: list[list[tuple[str, Any]]] = [[]]
    for key in tokens:
        if key == "]" and len(stack) > 1:
            stack.pop()
            continue
        value = next(tokens, "]")
        if value == "]" or key in "[]" or key.startswith('"'):
            raise ReadError.from_engine(source.shown, f"no value follows {key} in this GML")
        if value == "[":
            inner: list[tuple[str, Any]] = []
            stack[-1].append((key, inner))
            stack.append(inner)
        else:
            stack[-1].append((key, _typed(value)))
    if len(stack) > 1:
        raise ReadError.from_engine(source.shown, "the file ends within brackets")
    return stack[0]


def _typed(token: str) -> Value:
    if token.startswith('"'):
        return unescape(token[1:-1])
    if WHOLE.fullmatch(token):
        return int(token)
    try:
        return float(token)
    except ValueError:
        return token


FORMAT = table_format(
    "gml",
    as_table,
    (".gml",),
    """\
  .gml          the nodes of a graph, by label; FILE::ATTRIBUTE names one""",
    None,
)
