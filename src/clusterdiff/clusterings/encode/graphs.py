"""Graphs of networkx, igraph and graph-tool: how they are known, and what their nodes are called
and have for attributes. None of these libraries is imported.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.errors.graphs import GraphError

GRAPHS = (
    ("nodes", "edges"),
    ("vcount", "get_edgelist"),
    ("vertices", "edges"),
    ("num_nodes", "edge_index"),
)
"""What graphs have: NetworkX and DGL, igraph, graph-tool, PyTorch Geometric."""
COUNTS = (
    ("number_of_nodes", "number_of_edges"),
    ("vcount", "ecount"),
    ("num_vertices", "num_edges"),
)
"""Methods that count nodes and edges, where a graph has them."""
NAMES = ("name", "_nx_name")
"""Attributes by which igraph calls its vertices; the second is what they were in networkx."""
PLAIN = frozenset({list, tuple, dict, range, np.ndarray})
"""Types that are no graphs, known without a look."""


class Nodes(NamedTuple):
    """The nodes of a graph: what they are called by, and what each is called."""

    by: str
    ids: list[Any]


def is_graph(kind: type) -> bool:
    """Whether values of this type are graphs, or views of one."""
    return kind not in PLAIN and (
        "networkx" in libraries(kind)
        or any(all(hasattr(kind, name) for name in names) for names in GRAPHS)
    )


def libraries(kind: type) -> set[str]:
    """The packages that a type and its bases are from."""
    return {base.__module__.partition(".")[0] for base in kind.__mro__}


def nodes_of(graph: Any) -> Nodes:
    """The nodes of a graph; of igraph by their names, where each has one of its own."""
    if hasattr(graph, "vcount"):
        own = next((name for name in NAMES if name in graph.vs.attributes()), None)
        names = [] if own is None else graph.vs[own]
        known = all(isinstance(name, Hashable) and name is not None for name in names)
        if names and known and len(set(names)) == len(names):
            return Nodes("name", list(names))
        return Nodes("vertex", list(range(graph.vcount())))
    if hasattr(graph, "get_vertices"):
        return Nodes("vertex", [int(v) for v in graph.get_vertices()])
    return Nodes("node", list(getattr(graph, "nodes", ())))


def node_attributes(graph: Any) -> dict[str, list[Any]]:
    """The attributes of nodes by name, a value for each node; None where a node has none."""
    if hasattr(graph, "vcount"):
        return {name: graph.vs[name] for name in graph.vs.attributes() if name != NAMES[1]}
    if isinstance(found := getattr(graph, "vertex_properties", None), Mapping):
        return {name: list(values_of_map(one)) for name, one in found.items()}
    if "networkx" not in libraries(type(graph)) or not hasattr(graph, "adj"):
        return {}
    each = [own for _, own in graph.nodes(data=True)]
    names = dict.fromkeys(name for own in each for name in own)
    return {str(name): [own.get(name) for own in each] for name in names}


def values_of_map(values: Any) -> Any:
    """The values of a property map of graph-tool, of the vertices that a filter leaves."""
    array = getattr(values, "fa", None)
    array = values.get_array() if array is None else array
    return [values[v] for v in values.get_graph().vertices()] if array is None else array


def refuse_graph(graph: Any) -> GraphError:
    """The error for a graph in place of a clustering, with what could be meant."""
    sizes: tuple[int, ...] = ()
    for names in COUNTS:
        if all(callable(getattr(graph, name, None)) for name in names):
            sizes = tuple(int(getattr(graph, name)()) for name in names)
    many = {name: _distinct(values) for name, values in node_attributes(graph).items()}
    return GraphError.from_graph(graph, sizes, {n: k for n, k in many.items() if k})


def _distinct(values: list[Any]) -> int:
    """How many values there are; 0 where they name no clusters, since each node has another or a
    value cannot be compared.
    """
    try:
        known = {value for value in values if value is not None}
    except TypeError:
        return 0
    return len(known) if len(known) < len(values) else 0
