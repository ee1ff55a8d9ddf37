"""Nodes of a graph with their attributes, in GML and GraphML, which networkx reads."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

from clusterdiff.errors import ReadError
from clusterdiff.io.formats.csv import in_csv, table_format
from clusterdiff.io.read import Source

Nodes = dict[Any, dict[str, Any]]
"""The attributes of each node by its id: values, lists of them, or what is neither."""
ENTITY = re.compile(r"<!ENTITY\s+(?:%\s+)?([^\s>]+)")
GRAPHML = "http://graphml.graphdrawing.org/xmlns"
LOOSE_NAMESPACE = re.compile(r'(<graphml\b)(\s+xmlns="[^"]*")?')


def gml_as_table(stack: ExitStack, source: Source) -> Source:
    """The nodes as a table: the label of each, or its id where labels do not tell them apart."""
    text = source.text()
    nodes = _read(source, "GML", lambda: _gml_nodes(text))
    if not nodes:
        raise ReadError(f"{source.shown} has no nodes.", "name a file in GML: graph [ node [ … ] ]")
    labels = [own.get("label") for own in nodes.values()]
    if all(map(_is_value, labels)) and len(set(labels)) == len(nodes):
        named = {own.pop("label"): {"id": id, **own} for id, own in nodes.items()}
        return _as_csv(stack, source, "label", named)
    return _as_csv(stack, source, "id", nodes)


def _gml_nodes(text: str) -> Nodes:
    import networkx as nx

    # Many files repeat an edge without saying that their graph may have several between two nodes.
    loose = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1 ", text, count=1)
    return dict(nx.parse_gml(loose, label="id").nodes(data=True))


def graphml_as_table(stack: ExitStack, source: Source) -> Source:
    """The nodes as a table: the id of each, and its attributes."""
    text = source.text()
    # A few lines of entities can fill all memory, and some parsers fetch files for them.
    if (declared := ENTITY.search(text)) is not None:
        raise ReadError(
            f"{source.shown} declares the entity {declared[1]!r}, and entities are not expanded: a "
            "few lines of them can fill all memory.",
            "write the text in place of the entity.",
        )
    nodes = _read(source, "GraphML", lambda: _graphml_nodes(source, text))
    if not nodes:
        raise ReadError(
            f"{source.shown} has no nodes.", "name a file in GraphML, <graphml> with <node>s in it."
        )
    attributes = {name for own in nodes.values() for name in own}
    id = next(name for name in ("id", "node", "node id") if name not in attributes)
    return _as_csv(stack, source, id, nodes)


def _graphml_nodes(source: Source, text: str) -> Nodes:
    from networkx.readwrite.graphml import GraphMLReader

    class NodeReader(GraphMLReader):  # type: ignore[misc]
        """Reads nodes, those of graphs within nodes too; edges are passed over."""

        def add_node(self, graph: Any, node: Any, keys: Any, defaults: Any) -> None:
            if node.get("id") in graph:
                raise _repeated(source, node.get("id"))
            if node.find(f"{{{GRAPHML}}}graph") is not None:
                node.set("yfiles.foldertype", "group")
            super().add_node(graph, node, keys, defaults)

        def add_edge(self, *_: Any) -> None:
            """Edges say nothing of the attributes of nodes."""

    if f'"{GRAPHML}"' not in text:
        text = LOOSE_NAMESPACE.sub(rf'\1 xmlns="{GRAPHML}"', text, count=1)
    nodes: Nodes = {}
    for graph in NodeReader()(string=text):
        for id, own in graph.nodes(data=True):
            if id in nodes:
                raise _repeated(source, id)
            values = {**graph.graph["node_default"], **own}
            nodes[id] = {k: v.strip() if isinstance(v, str) else v for k, v in values.items()}
    return nodes


def _repeated(source: Source, id: str) -> ReadError:
    return ReadError(
        f"{source.shown} has several nodes with the id {id!r}.",
        "each node of a graph has an id of its own.",
    )


def _read(source: Source, format: str, nodes: Callable[[], Nodes]) -> Nodes:
    """What networkx reads of a file; what it refuses in its words."""
    from xml.etree.ElementTree import ParseError

    if find_spec("networkx") is None:
        raise ReadError.without_package(
            source.shown, f"a graph in {format}", "networks", "write its nodes as CSV"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of keys without types and of ports
            return nodes()
    except ReadError:
        raise
    except ParseError as error:
        why = f"it is no XML: {error}"
    except RecursionError:
        why = "its brackets are nested too deeply"
    except Exception as error:  # networkx lets through whatever its parsers stumble on
        why = f"as {format}: {error}"
    raise ReadError.from_engine(source.shown, why)


def _as_csv(stack: ExitStack, source: Source, key: str, nodes: Nodes) -> Source:
    """A file with texts in quotes, numbers without. An attribute of which a node has several values
    is there if it was named, and then a node has a row for each.
    """
    lists = {id: {name: _values(one) for name, one in own.items()} for id, own in nodes.items()}
    names = dict.fromkeys(name for own in lists.values() for name, values in own.items() if values)
    columns = [
        name
        for name in names
        if name in source.wanted or all(len(own.get(name, ())) < 2 for own in lists.values())
    ]
    rows: list[list[Any]] = [[key, *columns]]
    for id, own in lists.items():
        each = [own.get(name) or [None] for name in columns]
        rows += (
            [id, *(values[min(row, len(values) - 1)] for values in each)]
            for row in range(max(map(len, each), default=1))
        )
    asked = key if source.id is None else source.id
    return in_csv(stack, source, rows, id=asked, header=True)


def _values(value: Any) -> list[Any]:
    """The values of an attribute; none of a dict, such as the graphics of a node."""
    return [one for one in (value if isinstance(value, list) else [value]) if _is_value(one)]


def _is_value(value: Any) -> bool:
    return isinstance(value, str | int | float)


FORMATS = (
    table_format(
        "gml",
        gml_as_table,
        (".gml",),
        """\
  .gml          the nodes of a graph, by label; FILE::ATTRIBUTE names one""",
        None,
    ),
    table_format(
        "graphml",
        graphml_as_table,
        (".graphml",),
        """\
  .graphml      the same in GraphML, by id (both: extra networks)""",
        re.compile(rb".{0,4088}<graphml", re.DOTALL),
    ),
)
