"""Graphs and parts of graphs in place of the communities found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from clusterdiff.errors.base import a_type, did_you_mean, shorten, shown
from clusterdiff.errors.files.columns import some
from clusterdiff.errors.input import ArrayError


class GraphError(ArrayError):
    """A graph, a part of one or another result of a network library, and no clustering."""

    @classmethod
    def from_graph(cls, value: Any, sizes: Sequence[int], attributes: Mapping[str, int]) -> Self:
        """A graph, or a view of its nodes, in place of the communities found in it; `attributes` of
        its nodes that could name clusters, with how many values each has.
        """
        found, by_attribute = _lines(value)
        what = f"{a_type(value)} is a graph or a part of one, not a clustering of its nodes"
        if sizes:
            what = (
                f"{a_type(value)} of {sizes[0]:,} nodes and {sizes[1]:,} edges is a graph, not a "
                "clustering of its nodes"
            )
        if not attributes:
            none = ", and no attribute of its nodes could be one" if sizes else ""
            return cls(
                f"{what}{none}.",
                f"give its communities, e.g. {found}, or a dict from node to cluster, e.g. "
                f"{by_attribute('community')}.",
            )
        first, *others = attributes
        told = some([f"{n} ({k:,} value{'s' if k > 1 else ''})" for n, k in attributes.items()])
        named = f"cd.compare({by_attribute(first)}, {found})."
        if others:
            call = f"cd.compare({_called(value)}, truth={first!r}, guesses=[{others[0]!r}])"
            named = f"name them: {call}; or give clusterings, {named}"
        return cls(f"{what}; attributes of its nodes that could be one are {told}.", named)

    @classmethod
    def from_attribute(cls, value: Any, wanted: str, found: Sequence[str]) -> Self:
        """An attribute that no node of a graph has."""
        if not found:
            return cls(
                f"no node of the graph has an attribute {shorten(wanted, 40)!r}, or any other.",
                f"give clusterings: cd.compare(truth, {_lines(value)[0]}).",
            )
        return cls(
            f"no node of the graph has an attribute {shorten(wanted, 40)!r}; there are "
            f"{some(found)}.",
            f"{did_you_mean(wanted, found)}Write e.g. cd.compare({_called(value)}, "
            f"truth={found[0]!r}, guesses=[{found[-1]!r}]).",
        )

    @classmethod
    def from_levels(cls, count: int, what: str) -> Self:
        """Several clusterings in a list, one of them a level of a hierarchy."""
        return cls(
            f"this is a list of {count:,} {what}, not one clustering.",
            "take one of them, levels[-1]; or compare all with the truth, cd.compare(truth, "
            "{str(i): level for i, level in enumerate(levels)}).",
        )

    @classmethod
    def from_dendrogram(cls, value: Any, count: int | None) -> Self:
        """A hierarchy of igraph, of which nobody has said where to cut it."""
        best = f" ({count:,} communities, by modularity)" if count else ""
        return cls(
            f"{a_type(value)} is a hierarchy of clusterings, and it is not said which one is "
            "meant.",
            f"cut it: dendrogram.as_clustering(){best}, or dendrogram.as_clustering(n=4).",
        )

    @classmethod
    def from_edges(cls, edges: int, nodes: int) -> Self:
        """A list of edges, in which each node may occur several times."""
        return cls(
            f"this looks like a list of edges: {edges:,} pairs of {nodes:,} nodes, no two pairs "
            "alike. A clustering has one label per node.",
            "give the communities, e.g. nx.community.louvain_communities(nx.Graph(edges)), or a "
            "dict from node to cluster; if the pairs are labels, cd.Partition(pairs).",
        )

    @classmethod
    def from_number(cls, value: Any) -> Self:
        """A score of communities in place of the communities."""
        return cls(
            f"{shown(value)} is a number, not a clustering.",
            "if it is the modularity of communities, give the communities themselves; otherwise a "
            "list of labels, a dict from id to label, or a list of sets.",
        )

    @classmethod
    def from_property(cls, value: Any, hint: str) -> Self:
        """What graph-tool says of edges, or of several levels."""
        return cls(f"{a_type(value)} does not hold one cluster for each vertex.", hint)


def _called(value: Any) -> str:
    """What people call a graph of this library."""
    return "G" if _library(value) == "networkx" else "g"


def _library(value: Any) -> str:
    if hasattr(value, "vcount"):
        return "igraph"
    return "graph_tool" if hasattr(value, "vertex_properties") else "networkx"


def _lines(value: Any) -> tuple[str, Any]:
    """How a library finds communities, and how it gives an attribute of its nodes."""
    return {
        "igraph": (
            'g.community_leiden(objective_function="modularity")',
            lambda name: (
                f'dict(zip(g.vs["name"], g.vs[{name!r}]))'
                if "name" in value.vs.attributes()
                else f"g.vs[{name!r}]"
            ),
        ),
        "graph_tool": (
            "minimize_blockmodel_dl(g).get_blocks()",
            lambda name: f"g.vp[{name!r}]",
        ),
        "networkx": (
            "nx.community.louvain_communities(G)",
            lambda name: f"dict(G.nodes(data={name!r}))",
        ),
    }[_library(value)]
