"""Communities as network libraries hold them: igraph, cdlib and graph-tool, none of them imported.

Communities that may overlap are covers, those with degrees are fuzzy. Attributes of nodes are
clusterings too, by name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import chain
from numbers import Number
from typing import Any

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, column
from clusterdiff.clusterings.encode.graphs import (
    Nodes,
    is_graph,
    node_attributes,
    nodes_of,
    values_of_map,
)
from clusterdiff.clusterings.origin import Origin
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.errors.graphs import GraphError
from clusterdiff.inputs.indexes import Vertices

MANY = (list, set, frozenset)
"""What an attribute may hold that names several communities of a node."""


def is_communities(value: Any) -> bool:
    """Whether a network library made this of communities that it found."""
    return (
        (hasattr(value, "membership") and "igraph" in sys.modules)
        or isinstance(getattr(value, "communities", None), list)
        or hasattr(value, "get_blocks")
        or hasattr(value, "get_bs")
        or callable(getattr(value, "get_array", None))
        or _is_dendrogram(value)
    )


def communities_of(value: Any, kind: str | None) -> AnyClustering | None:
    """The clustering of communities of igraph, cdlib or graph-tool; None of what is none."""
    if hasattr(value, "membership") and "igraph" in sys.modules:
        return _of_igraph(value)
    if isinstance(getattr(value, "communities", None), list):
        return _of_cdlib(value, kind)
    if _is_dendrogram(value):
        raise GraphError.from_dendrogram(value, getattr(value, "optimal_count", None))
    return _of_graph_tool(value)


def refuse_levels(value: Any) -> None:
    """Refuse a list of clusterings or of edges, and a number, where one clustering is asked for."""
    if isinstance(value, Number):
        raise GraphError.from_number(value)
    if not isinstance(value, list | tuple) or not value:
        return
    first = value[0]
    if isinstance(first, list | tuple):
        if is_list_of_sets(first) and all(map(is_list_of_sets, value)):
            raise GraphError.from_levels(len(value), "partitions, each a list of sets")
        if isinstance(first, tuple) and len(first) == 2:
            _refuse_edges(value)
    elif not isinstance(first, str | bytes | Number) and is_communities(first):
        raise GraphError.from_levels(len(value), f"values of the type {type(first).__name__}")


def _refuse_edges(pairs: list[Any] | tuple[Any, ...]) -> None:
    """Refuse pairs of which no two are alike, though what they are made of occurs again on both
    sides: edges, not labels.
    """
    try:
        distinct = set(pairs)
        if len(distinct) < len(pairs) or not all(isinstance(p, tuple) for p in distinct):
            return
        ends = list(chain.from_iterable(pairs))
        left, right = ({pair[i] for pair in pairs} for i in (0, -1))
        if len(ends) == 2 * len(pairs) and left & right and len(set(ends)) < len(pairs):
            raise GraphError.from_edges(len(pairs), len(set(ends)))
    except TypeError:
        return


def attributes_of(graph: Any, wanted: list[str]) -> dict[str, AnyClustering] | None:
    """Attributes of the nodes of a graph as clusterings; None where this is no graph."""
    if not is_graph(type(graph)):
        return None
    found, nodes = node_attributes(graph), nodes_of(graph)
    for name in wanted:
        if name not in found:
            raise GraphError.from_attribute(graph, name, list(found))
    return {name: _of_attribute(name, found[name], nodes) for name in wanted}


def _of_attribute(name: str, values: list[Any], nodes: Nodes) -> AnyClustering:
    ids, listed = column(nodes.ids), [one for one in values if isinstance(one, MANY)]
    if len(listed) == len(values) and all(len(one) == 1 for one in listed):
        values, listed = [label for one in listed for label in one], []
    made: AnyClustering
    if listed:
        made = Cover._of_labels(
            [one if isinstance(one, MANY) or one is None else [one] for one in values], ids
        )
    else:
        made = Partition(values, ids)
    made.origin = Origin(name, nodes.by)
    return made


def _of_igraph(value: Any) -> AnyClustering:
    """A cluster for each vertex, or several; vertices have their names for ids, or their numbers
    where the other side has ids.
    """
    membership = list(value.membership)
    overlap = any(isinstance(one, list | tuple) for one in membership)
    made: AnyClustering = Cover._of_labels(membership) if overlap else Partition(membership)
    graph = getattr(value, "graph", None)
    nodes = Nodes("vertex", list(range(len(membership)))) if graph is None else nodes_of(graph)
    return _placed(made, nodes)


def _placed(made: AnyClustering, nodes: Nodes) -> AnyClustering:
    """A clustering by position whose objects are these nodes."""
    made.index = Vertices(nodes.ids, nodes.by)
    made.origin = Origin("community")
    return made


def _of_cdlib(value: Any, kind: str | None) -> AnyClustering:
    """Communities as lists of nodes, with degrees where there are any; nodes of the graph that are
    in none are objects of a cover, and of a partition are named in a note.
    """
    allocation = getattr(value, "allocation_matrix", None)
    if isinstance(allocation, Mapping) and kind in (None, *SOFT):
        made: AnyClustering = SOFT[kind or "fuzzy"](dict(allocation))
        made.origin = Origin("community", "node", degree="allocation_matrix")
        return made
    communities, graph = value.communities, getattr(value, "graph", None)
    known = set(chain.from_iterable(communities))
    nodes = [] if graph is None else nodes_of(graph).ids
    alone = [node for node in nodes if node not in known] if known <= set(nodes) else []
    if kind == "cover" or getattr(value, "overlap", False):
        made = Cover.from_clusters(communities, alone)
    else:
        made = Partition([frozenset(one) for one in communities])
        if alone:
            note = f"{len(alone):,} of {len(nodes):,} nodes of the graph are in no community"
            made.notes += (note,)
    if allocation is not None:
        made.notes += ("communities without their degrees",)
    edges = hasattr(value, "to_edge_community_map")
    made.origin = Origin("community", "edge" if edges else "node")
    return made


def _of_graph_tool(value: Any) -> AnyClustering | None:
    """A property map with a value for each vertex, or the blocks of a model."""
    if hasattr(value, "get_overlap_blocks"):
        raise GraphError.from_property(
            value,
            "its blocks overlap: blocks = state.get_overlap_blocks()[0], then "
            "cd.Cover([list(blocks[v]) for v in g.vertices()]).",
        )
    if hasattr(value, "get_bs"):
        raise GraphError.from_property(
            value, "take a level of it: state.get_levels()[0], the finest."
        )
    blocks = value.get_blocks() if hasattr(value, "get_blocks") else value
    if not callable(getattr(blocks, "get_array", None)):
        return None
    if getattr(blocks, "key_type", lambda: "v")() != "v":
        raise GraphError.from_property(blocks, 'give a property of vertices, e.g. g.vp["block"].')
    labels = list(values_of_map(blocks))
    graph = blocks.get_graph() if hasattr(blocks, "get_graph") else None
    nodes = Nodes("vertex", list(range(len(labels)))) if graph is None else nodes_of(graph)
    return _placed(Partition(labels), nodes)


def _is_dendrogram(value: Any) -> bool:
    return callable(getattr(value, "as_clustering", None)) and hasattr(value, "merges")
