"""Arrays, graphs and collections that hold no value for each object that could be read here."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Self

from clusterdiff.errors.base import a_type, shorten
from clusterdiff.errors.input import InputError


class ArrayError(InputError):
    """What was given is an array, a graph or a collection, and cannot be read as it is."""

    @classmethod
    def from_array(cls, value: Any, error: Exception) -> Self:
        """An array of another library that NumPy cannot read."""
        name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        why = f"{error}".strip().partition("\n")[0] or type(error).__name__
        return cls(f"a {name} cannot be read as numbers: {shorten(why, 160)}", _way_out(value))

    @classmethod
    def from_table(cls, names: tuple[str, ...]) -> Self:
        """A structured array, which is a table."""
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return cls(
            f"a structured array is a table with the fields {listed}; labels are one per object.",
            f"give one of its fields, e.g. labels[{names[-1]!r}].",
        )

    @classmethod
    def from_unordered(cls, value: object) -> Self:
        """A set or a dict where values belong to objects by their order."""
        return cls(
            f"{a_type(value)} has no order, so it is not known which value belongs to which object."
            if isinstance(value, Set)
            else f"{a_type(value)} is not a list with one value for each object.",
            "give a list of labels, a dict from id to label, or a list of sets of objects.",
        )

    @classmethod
    def from_graph(cls, value: object) -> Self:
        """A graph, or a view of its nodes, in place of the communities found in it."""
        return cls(
            f"{a_type(value)} is a graph or a part of one, not a clustering of its nodes.",
            "give its communities, e.g. nx.community.louvain_communities(G), or a dict from node "
            'to cluster, e.g. dict(G.nodes(data="community")).',
        )

    @classmethod
    def from_digits(cls, most: int) -> Self:
        """A whole number that is too long to be written down."""
        return cls(
            f"a label or id is a whole number of more than {most:,} digits.",
            "use shorter names, e.g. the position of each object or a hash as text.",
        )


def _way_out(value: Any) -> str:
    """What to call so that the numbers of an array lie in memory."""
    device = getattr(getattr(value, "device", None), "type", "cpu")
    if device == "meta":
        return "it has a shape and no values; compute them first."
    if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")).lower():
        return "make it dense, values.to_dense()."
    if getattr(value, "is_quantized", False):
        return "turn it into plain numbers, values.dequantize()."
    if device != "cpu":
        return "copy it into memory, values.cpu()."
    if hasattr(value, "get") and hasattr(type(value), "__cuda_array_interface__"):
        return "copy it into memory, values.get()."
    return "give an array that np.asarray(values) can read, or a list of labels."
