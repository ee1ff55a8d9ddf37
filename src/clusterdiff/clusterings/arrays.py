"""Whatever holds values in a row, as NumPy's arrays or as lists; no other library is imported."""

from __future__ import annotations

import sys
from collections.abc import (
    Hashable,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)
from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clusterdiff.errors import InputError, a_type, some, way_out

# Graphs of networkx, igraph and graph-tool: how they are known, and what their nodes are called
# and have for attributes. None of these libraries is imported.

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


def check_graph(graph: Any) -> InputError:
    """The error for a graph, or a view of its nodes, in place of the communities found in it."""
    sizes: tuple[int, ...] = ()
    for names in COUNTS:
        if all(callable(getattr(graph, name, None)) for name in names):
            sizes = tuple(int(getattr(graph, name)()) for name in names)
    many = {name: _distinct(values) for name, values in node_attributes(graph).items()}
    attributes = {name: count for name, count in many.items() if count}
    found, by_attribute = graph_calls(graph)
    what = f"{a_type(graph)} is a graph or a part of one, not a clustering of its nodes"
    if sizes:
        what = (
            f"{a_type(graph)} of {sizes[0]:,} nodes and {sizes[1]:,} edges is a graph, not a "
            "clustering of its nodes"
        )
    if not attributes:
        none = ", and no attribute of its nodes could be one" if sizes else ""
        return InputError(
            f"{what}{none}.",
            f"give its communities, e.g. {found}, or a dict from node to cluster, e.g. "
            f"{by_attribute('community')}.",
        )
    first, *others = attributes
    told = some([f"{n} ({k:,} value{'s' if k > 1 else ''})" for n, k in attributes.items()])
    named = f"cd.compare({by_attribute(first)}, {found})."
    if others:
        call = f"cd.compare({graph_name(graph)}, truth={first!r}, guesses=[{others[0]!r}])"
        named = f"name them: {call}; or give clusterings, {named}"
    return InputError(f"{what}; attributes of its nodes that could be one are {told}.", named)


def graph_name(value: Any) -> str:
    """What people call a graph of this library."""
    return "G" if _library(value) == "networkx" else "g"


def _library(value: Any) -> str:
    if hasattr(value, "vcount"):
        return "igraph"
    return "graph_tool" if hasattr(value, "vertex_properties") else "networkx"


def graph_calls(value: Any) -> tuple[str, Any]:
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


def _distinct(values: list[Any]) -> int:
    """How many values there are; 0 where they name no clusters, since each node has another or a
    value cannot be compared.
    """
    try:
        known = {value for value in values if value is not None}
    except TypeError:
        return 0
    return len(known) if len(known) < len(values) else 0


# Arrays on a device: recognised without an import, kept there where something can compute there.
#
# PyTorch computes for all libraries: an array of CuPy or JAX is handed over by DLPack, not copied.

DEVICES = {"cuda"}
"""Where tensors stay: devices that sort and add whole numbers of 64 bits, and divide as IEEE has it
(a graphics card of AMD is called cuda, too).
"""
DLPACK = {1: "cpu", 2: "cuda", 3: "cpu", 8: "mps", 10: "cuda", 11: "cpu", 13: "cuda"}
"""What DLPack calls devices; memory of the host that a card can read, too, is the host's."""
UNWRAPPED = ("detach", "resolve_conj", "resolve_neg")
"""What a tensor of PyTorch may need before its numbers are read; they stay the same."""


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of PyTorch, on whatever device."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def device_of(value: Any) -> str:
    """Where an array lies, as PyTorch says it: cpu, cuda:0, …"""
    if is_tensor(value):
        return str(value.device)
    kind = type(value)
    if hasattr(kind, "__dlpack_device__"):
        number, index = value.__dlpack_device__()
        name = DLPACK.get(int(number), f"device {int(number)} of DLPack")
        return name if name == "cpu" else f"{name}:{index}"
    return "cuda" if hasattr(kind, "__cuda_array_interface__") else "cpu"


def stays(value: Any) -> bool:
    """Whether an array lies on a device where it can be computed with."""
    if isinstance(value, np.ndarray) or not getattr(value, "shape", ()):
        return False
    return device_of(value).partition(":")[0] in DEVICES


def tensor_of(value: Any) -> Any:
    """An array on a device as a tensor of PyTorch that shares its memory, without gradients."""
    if not is_tensor(value):
        try:
            torch = import_module("torch")
        except ImportError:
            name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
            raise InputError(
                f"a {name} on {device_of(value)} is compared there by PyTorch, which is not "
                "installed.",
                f"pip install 'clusterdiff[gpu]'; or {way_out(value)}",
            ) from None
        try:
            dlpack = hasattr(type(value), "__dlpack__")
            value = torch.from_dlpack(value) if dlpack else torch.as_tensor(value, device="cuda")
        except Exception as error:  # each library has its own
            raise InputError.from_array(value, error) from None
    for name in UNWRAPPED:
        value = getattr(value, name)()
    return value


PROTOCOLS = ("__array__", "__dlpack__", "__array_interface__", "__cuda_array_interface__")
"""How libraries offer their arrays."""
COLUMNS = {"pandas", "polars", "pyarrow", "narwhals", "cudf", "modin"}
"""Libraries whose columns are read as such: they know nulls, categories and text."""
ARRAYS: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
"""The types that were asked about, and whether they are arrays."""


def as_numpy(value: Any) -> Any:
    """An array of another library (PyTorch, JAX, …) as NumPy's; everything else as it is.

    What lies in memory is shared, what lies on a graphics card is copied. Numbers of kinds that
    NumPy does not know, such as bfloat16, become wider ones, exactly.

    >>> as_numpy(memoryview(b"ab")), as_numpy(["a", "b"])
    (array([97, 98], dtype=uint8), ['a', 'b'])
    """
    if not is_array(type(value)):
        return value
    try:
        array = _widened(_plain(value))
    except InputError:
        raise
    except Exception as error:  # each library has its own
        raise InputError.from_array(value, error) from None
    if names := array.dtype.names:
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise InputError(
            f"a structured array is a table with the fields {listed}; labels are one per object.",
            f"give one of its fields, e.g. labels[{names[-1]!r}].",
        )
    return array


def is_array(kind: type) -> bool:
    """Whether values of this type are arrays, of NumPy or of another library."""
    if (known := ARRAYS.get(kind)) is None:
        known = ARRAYS[kind] = _is_array(kind)
    return known


def is_mask(values: Any) -> bool:
    """Whether an array is a list of True and False, which select objects more often than not."""
    if not is_array(type(values)) or getattr(values, "ndim", 0) != 1:
        return False
    return str(values.dtype).rpartition(".")[2] == "bool"


def _is_array(kind: type) -> bool:
    if issubclass(kind, np.ndarray | memoryview):
        return True
    own = issubclass(kind, np.generic) or libraries(kind) & COLUMNS or is_frame(kind)
    return not own and any(hasattr(kind, name) for name in PROTOCOLS)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if stays(value):
        value = tensor_of(value).cpu()
    for name in UNWRAPPED:
        if hasattr(value, name):
            value = getattr(value, name)()
    if hasattr(value, "float") and any(k in str(value.dtype) for k in ("bfloat16", "float8")):
        value = value.float()
    readable = isinstance(value, memoryview) or any(hasattr(value, p) for p in PROTOCOLS[::2])
    return np.asarray(value) if readable else np.from_dlpack(value)


def _widened(array: Any) -> Any:
    """Numbers of a kind that another library has added to NumPy as one of NumPy's own."""
    kind = array.dtype
    if kind.kind != "V" or issubclass(kind.type, np.void):
        return array
    return array.astype(np.int64 if "int" in kind.name else np.float32)


def as_value(value: Any) -> Any:
    """What stands in an array without dimensions; everything else as `as_numpy` has it."""
    array = as_numpy(value)
    return array[()] if isinstance(array, np.ndarray) and not array.ndim else array


def as_values(values: Sequence[Any]) -> Sequence[Any]:
    """The same values, with arrays of other libraries read; one pass where there are none."""
    return [*map(as_value, values)] if any(map(is_array, set(map(type, values)))) else values


def as_rows(rows: Any) -> Any:
    """The rows of a matrix: an array, or a list of rows with arrays of other libraries read."""
    rows = opened(rows)
    if not isinstance(rows, list | tuple):
        return rows
    return [as_values(row) if isinstance(row, list | tuple) else row for row in as_values(rows)]


def opened(value: Any) -> Any:
    """An array as NumPy's, and what can be gone through only once as a list; no graph."""
    if is_graph(type(value)):
        raise check_graph(value)
    return list(value) if isinstance(value, Iterator | ValuesView) else as_numpy(value)


def where_it_is(value: Any) -> Any:
    """An array on a device as a tensor there; everything else as `opened` has it."""
    if is_array(type(value)) and getattr(value, "shape", None) == ():
        raise InputError.from_dimensions(())
    return tensor_of(value) if is_on_device(value) else opened(value)


def is_on_device(value: Any) -> bool:
    """Whether a value is an array on a device where it can be computed with."""
    return is_array(type(value)) and stays(value)


def listed(values: Any) -> Sequence[Any]:
    """The values of a collection in their order; what only looks like one is refused."""
    if isinstance(values, list | tuple):
        return values
    kind = type(values)
    if isinstance(values, KeysView) or (isinstance(values, Mapping) and isinstance(values, Set)):
        return list(values)  # names in their order; both at once are the nodes of a graph
    if is_graph(kind):
        raise check_graph(values)
    if is_frame(kind):
        raise InputError(
            f"{a_type(values)} has several columns; labels, ids and samples are one each.",
            'give its columns, cd.Partition(frame["cluster"], ids=frame["id"]); cd.compare(frame, '
            "guess) finds the columns id and cluster by itself.",
        )
    if hasattr(kind, "tocoo") or getattr(values, "ndim", 1) == 0:
        raise InputError.from_dimensions(values.shape)
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Iterable):
        model = "its labels are model.labels_; or " if hasattr(values, "labels_") else ""
        raise InputError(
            f"{a_type(values)} is not a clustering.",
            f"{model}give a list or array of labels, a dict from id to label, a list of sets, "
            "a frame with the columns id and cluster, or a path.",
        )
    if isinstance(values, Mapping | Set):
        raise InputError.from_unordered(values)
    written_out: Any = getattr(values, "to_pylist", None)
    return list(values if written_out is None else written_out())


def is_frame(kind: type) -> bool:
    """Whether values of this type are data frames."""
    return hasattr(kind, "columns") or hasattr(kind, "column_names")
