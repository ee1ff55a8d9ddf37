"""What is this object? Whatever a user has in hand, recognised and made a clustering.

One ordered list of adapters answers for every verb: collections of Python, arrays, frames, fitted
models, communities of network libraries. No library is imported to find out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from numbers import Number
from typing import Any, NamedTuple, TypeVar

import numpy as np

from clusterdiff.clusterings import (
    SOFT,
    AnyClustering,
    Clustering,
    Cover,
    Evidential,
    LabelImage,
    Partition,
    column,
)
from clusterdiff.clusterings.arrays import (
    Nodes,
    as_values,
    graph_calls,
    graph_name,
    is_graph,
    is_tensor,
    node_attributes,
    nodes_of,
    values_of_map,
    where_it_is,
)
from clusterdiff.clusterings.base import Origin
from clusterdiff.clusterings.columns import is_hashable
from clusterdiff.clusterings.cover import is_indicator
from clusterdiff.clusterings.evidential import is_credal
from clusterdiff.clusterings.images import is_label_image
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.engines.columns import clustering_of_frame, is_frame
from clusterdiff.engines.label_checks import check_sets
from clusterdiff.errors import (
    InputError,
    a_type,
    did_you_mean,
    examples,
    shorten,
    shown,
    some,
    worked,
)
from clusterdiff.io.read import check_kind, is_scored_clusters, partition_of_scored, read, unwrapped
from clusterdiff.io.speech import cover_of, is_speech, turns_of_annotations

C = TypeVar("C", Partition, Cover)
PLAIN = (list, tuple, range, Mapping, set, frozenset, np.ndarray)
"""Collections of Python and NumPy."""
COLLECTIONS = ("__len__", "__iter__", "collect", "columns", "column_names", "membership")
"""What only objects have that hold many things, not labels."""


class Adapter(NamedTuple):
    """How one sort of objects is known, and what clustering it is."""

    recognises: Callable[[Any], Any]
    clustering: Callable[[Any, str | None], AnyClustering]
    is_whole: bool = False
    """Whether such an object is never a label of an object, even where labels may be lists."""


def clustering(value: Any, kind: str | None = None) -> AnyClustering:
    """A clustering from labels, a dict, sets, a frame, communities of a graph, or a path.

    `kind` says how a table, a dict or a file is to be read; labels are always one per object.
    """
    check_kind(kind)
    made = value
    if is_label_image(value, kind):
        made = LabelImage(value)
    elif not isinstance(value, Clustering | str):
        made = where_it_is(unwrapped(value))
    adapter = next((one for one in ADAPTERS if one.recognises(made)), None)
    made = Partition(made) if adapter is None else adapter.clustering(made, kind)
    is_new = isinstance(made, Partition) and made is not value
    if is_new and kind in ("cover", "rough", "evidential"):
        check_sets("", kind, made.labels)
    if made.ids is None and (index := index_of(value)) is not None:
        made.index = index
    return made


def is_clustering(value: Any) -> bool:
    """Whether a value can be a clustering of its own, not a label."""
    if isinstance(value, str):
        return "|" in value or os.path.exists(value.rpartition("::")[0] or value)
    if isinstance(value, bytes) or getattr(value, "ndim", 1) == 0:
        return False
    return any(one.is_whole and one.recognises(value) for one in ADAPTERS) or any(
        hasattr(value, name) for name in COLLECTIONS
    )


def _of_plain(value: Any, kind: str | None) -> AnyClustering:
    """Labels, a dict, sets or a matrix, as Python, NumPy and PyTorch have them."""
    check_levels(value)
    if isinstance(value, set | frozenset) and not is_list_of_sets(value):
        raise InputError.from_unordered(value)
    if kind == "cover" and (cover := _cover(value)) is not None:
        return cover
    if kind in SOFT and _is_soft(value):
        made: AnyClustering = SOFT[kind](value)
        return made
    if is_tensor(value):
        return Partition(value)
    if str(getattr(value, "dtype", "")) == "object" and getattr(value, "ndim", 0) == 1:
        value = list(value) if isinstance(next(iter(value), None), tuple) else value
    if isinstance(value, PLAIN):
        return _grouped(value) or Partition(_unlisted(value))
    return Partition(value)


def _only(clusterings: dict[Any, Any]) -> AnyClustering:
    """The clustering of a dict that has one, for a verb that takes no more."""
    if len(clusterings) == 1:
        return clustering(*clusterings.values())
    first = next(iter(clusterings))
    raise InputError(
        f"one clustering is needed here, and {len(clusterings):,} were given "
        f"({examples(list(clusterings))}).",
        f"give one of them, e.g. guess={first!r} of a table or guesses[{first!r}] of a dict; "
        "cd.compare takes several.",
    )


def _grouped(value: Any) -> Partition | None:
    """Clusters as lists of their members, or rows of ids and labels, with a note that says so; None
    of what can only be labels, or is refused as such.

    Labels may be tuples, so those that occur twice are labels. Members occur once; of rows, ids do.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(v, list | tuple) for v in value):
        return None
    members = [member for group in value for member in group]
    lengths, rows = set(map(len, value)), list(map(tuple, value))
    tuples = all(isinstance(group, tuple) for group in value)
    if not all(map(is_hashable, members)) or lengths <= {0, 1}:
        return None
    numbers = all(isinstance(member, int | float | np.number) for member in members)
    if tuples and len(set(rows)) < len(rows):
        return None
    known = set(members)
    if lengths == {2} and (tuples or not numbers):
        ids, labels = zip(*rows, strict=True)
        if len(set(ids)) == len(ids) and len(set(labels)) < len(labels):
            made = Partition(list(labels), ids=list(ids))
            made.notes = (f"read as {len(rows):,} rows of an id and a label",)
            return made
    whole = not any(isinstance(member, float | np.floating) for member in members)
    if whole and len(known) == len(members) and not (tuples and lengths == {2}):
        return noted_members(Partition(list(map(frozenset, value))), value)
    if tuples:
        raise InputError(
            f"{len(rows):,} different tuples ({examples(rows)}) can be labels, clusters given by "
            "their members, or rows of an id and a label.",
            "say which: cd.Partition(tuples) for labels, [set(t) for t in tuples] for clusters, "
            "dict(tuples) for rows of an id and a label.",
        )
    return None


def _unlisted(value: Any) -> Any:
    """A dict from id to a list of one label each, as cdlib writes communities, with the labels.

    Tuples of several lengths that all differ are hardly labels, and are refused.
    """
    if isinstance(value, Mapping) and all(isinstance(one, tuple) for one in value.values()):
        found = set(filter(is_hashable, value.values()))
        if len(found) == len(value) and len(set(map(len, found))) > 1:
            labels = list(value.values())
            raise InputError(
                f"{len(labels):,} ids have tuples of several lengths ({examples(labels)}): each "
                "can be one label, or the labels of all clusters that the object is in.",
                'say which: cd.Partition(labels) for one label each, kind="cover" for several.',
            )
    if isinstance(value, Mapping) and all(
        isinstance(one, list) and len(one) == 1 for one in value.values()
    ):
        return {name: one[0] for name, one in value.items()}
    return value


def _cover(value: Any) -> Cover | None:
    """A cover of a 0/1 matrix, of sets of objects, or of a dict from id to labels."""
    listed = isinstance(value, list | tuple)
    if _is_matrix(value) or (listed and is_indicator(as_values(value))):
        return Cover(value)
    if is_list_of_sets(value) or (listed and not value):
        return Cover.from_clusters(value)
    if isinstance(value, Mapping):
        return Cover(value) if any(map(_is_collection, value.values())) else None
    if is_list_of_lists(value):
        raise InputError(
            "a list of lists can be the labels of each object or the objects of each cluster.",
            "say which: cd.Cover(lists) for labels per object, "
            "cd.Cover.from_clusters(lists) for clusters.",
        )
    return None


def is_list_of_lists(value: Any) -> bool:
    """Whether this is a list of lists: labels of each object, or objects of each cluster."""
    if not isinstance(value, list | tuple) or is_list_of_sets(value):
        return False
    return any(map(_is_collection, value)) and not is_indicator(as_values(value))


def noted_members(made: C, clusters: Any) -> C:
    """A clustering with a note that its clusters were given by their members."""
    made.notes = (f"read as {len(clusters):,} clusters, each given by its members",)
    return made


def _is_soft(value: Any) -> bool:
    """Whether something is a matrix, or says more of an object than one label."""
    if not isinstance(value, list | tuple | Mapping):
        return _is_matrix(value)
    return any(map(_is_collection, value.values() if isinstance(value, Mapping) else value))


def _is_matrix(value: Any) -> bool:
    array = isinstance(value, np.ndarray) or is_tensor(value)
    return hasattr(value, "tocoo") or (array and value.ndim == 2)


def _is_collection(value: Any) -> bool:
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes)
        and getattr(value, "ndim", 1) != 0
    )


def holds_clustering(value: Any) -> bool:
    """Whether this is a result with a clustering: a consensus, or a run under the ids of another.

    >>> import clusterdiff as cd
    >>> holds_clustering(cd.consensus([[1, 1, 2], [1, 1, 2]])), holds_clustering([1, 1, 2])
    (True, False)
    """
    return isinstance(getattr(value, "clustering", None), Clustering)


class Vertices(list[Any]):
    """The vertices of a graph, in the place of an index: their names, or their numbers."""

    dtype = np.dtype(object)
    is_unique, hasnans = True, False

    def __init__(self, ids: Iterable[Any], name: str) -> None:
        super().__init__(ids)
        self.name = name

    def equals(self, other: Any) -> bool:
        """Whether another index names the same objects in the same order."""
        return self == list(other)


def index_of(value: Any) -> Any:
    """The index of a Series or a frame of pandas; None of all else."""
    pandas = sys.modules.get("pandas")
    known = pandas is not None and isinstance(value, pandas.Series | pandas.DataFrame)
    return value.index if known else None


# Fitted models as clusterings: the labels that a clusterer of scikit-learn, HDBSCAN or the like
# keeps of the data it was fitted to.

PREDICTED = "its clusters of some data are cd.compare(y, model.predict(X))"


def is_model(value: Any) -> bool:
    """Whether this is an estimator, fitted or not."""
    return hasattr(value, "fit") and (hasattr(value, "get_params") or hasattr(value, "labels_"))


def labels_of_model(model: Any) -> Partition:
    """The clusters that a fitted model found; a search stands for its best model, a pipeline for
    its last step.
    """
    if isinstance(model, type):
        raise InputError(
            f"{model.__name__} is a class of models, not a fitted one.",
            f"make one and fit it: cd.compare(y, {model.__name__}().fit(X)).",
        )
    own = clusterer(model)
    if not hasattr(own, "labels_"):
        raise InputError(f"{a_type(own)} that keeps no labels_ is not a clustering.", _hint(own))
    found = Partition(own.labels_)
    found.notes = (f"labels_ of {type(own).__name__}, by position{_noise(found)}",)
    return found


def clusterer(model: Any) -> Any:
    """The estimator that finds the clusters, within searches and pipelines."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif not hasattr(model, "labels_") and isinstance(getattr(model, "steps", None), list):
            steps = [step for _, step in model.steps if step not in (None, "passthrough")]
            if not steps:
                return model
            model = steps[-1]
        else:
            return model


def _noise(found: Partition) -> str:
    """What is to be known of labels that mean noise beside -1: in scikit-learn's HDBSCAN -2 and -3
    are rows with infinite and with missing values.
    """
    if found.labels.family != "integers":
        return ""
    marks = [k for k in (-1, -2, -3) if (found.labels.keys == k).any()]
    if len(marks) < 2:
        return ""
    *most, last = map(str, marks)
    return f"; {', '.join(most)} and {last} are clusters unless noise={marks}"


def _hint(own: Any) -> str:
    """What to call instead."""
    if any(base.__name__ == "RegressorMixin" for base in type(own).__mro__):
        return "a regressor predicts numbers, not clusters; give a clusterer, KMeans(3).fit(X)."
    fitted = any(name.endswith("_") and not name.startswith("_") for name in vars(own))
    if hasattr(own, "refit"):
        way = "keep its best model: refit=True," if fitted else "fit it first:"
        return f"{way} cd.compare(y, search.fit(X, y))."
    first = "" if fitted else "fit it first; "
    if hasattr(own, "predict_proba") and hasattr(own, "fit_predict"):
        return f"{first}{PREDICTED}, its degrees cd.compare(y, cd.Fuzzy.from_model(model, X))."
    if hasattr(own, "predict") and (fitted or not hasattr(own, "fit_predict")):
        return f"{first}{PREDICTED}."
    if hasattr(own, "transform") and not hasattr(own, "fit_predict"):
        return _topics(getattr(own, "components_", None))
    return "fit it first: cd.compare(y, model.fit(X))."


def _topics(components: Any) -> str:
    """What to do with a model that transforms data; NMF and latent Dirichlet allocation find
    components without negative numbers.
    """
    if components is None or (np.asarray(components) < 0).any():
        return "it transforms data and finds no clusters; give a clusterer, KMeans(3).fit(X)."
    return (
        "the topics of each row are cd.Fuzzy(model.transform(X), rest='normalise'), the "
        "likeliest one cd.compare(y, model.transform(X).argmax(axis=1))."
    )


# Communities as network libraries hold them: igraph, cdlib and graph-tool, none of them imported.
#
# Communities that may overlap are covers, those with degrees are fuzzy. Attributes of nodes are
# clusterings too, by name.

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


def communities_of(value: Any, kind: str | None) -> AnyClustering:
    """The clustering of communities of igraph, cdlib or graph-tool."""
    if hasattr(value, "membership") and "igraph" in sys.modules:
        return _of_igraph(value)
    if isinstance(getattr(value, "communities", None), list):
        return _of_cdlib(value, kind)
    if _is_dendrogram(value):
        count = getattr(value, "optimal_count", None)
        best = f" ({count:,} communities, by modularity)" if count else ""
        raise InputError(
            f"{a_type(value)} is a hierarchy of clusterings, and it is not said which one is "
            "meant.",
            f"cut it: dendrogram.as_clustering(){best}, or dendrogram.as_clustering(n=4).",
        )
    return _of_graph_tool(value)


def check_levels(value: Any) -> None:
    """Refuse a list of clusterings or of edges, and a number, where one clustering is asked for."""
    if isinstance(value, Number):
        raise InputError(
            f"{shown(value)} is a number, not a clustering.",
            "if it is the modularity of communities, give the communities themselves; otherwise a "
            "list of labels, a dict from id to label, or a list of sets.",
        )
    if not isinstance(value, list | tuple) or not value:
        return
    first, levels = value[0], ""
    if isinstance(first, list | tuple):
        if is_list_of_sets(first) and all(map(is_list_of_sets, value)):
            levels = "partitions, each a list of sets"
        elif isinstance(first, tuple) and len(first) == 2:
            _check_edges(value)
    elif not isinstance(first, str | bytes | Number) and is_communities(first):
        levels = f"values of the type {type(first).__name__}"
    if levels:
        raise InputError(
            f"this is a list of {len(value):,} {levels}, not one clustering.",
            "take one of them, levels[-1]; or compare all with the truth, cd.compare(truth, "
            "{str(i): level for i, level in enumerate(levels)}).",
        )


def _check_edges(pairs: list[Any] | tuple[Any, ...]) -> None:
    """Refuse pairs of which no two are alike, though what they are made of occurs again on both
    sides: edges, not labels.
    """
    try:
        distinct = set(pairs)
        if len(distinct) < len(pairs) or not all(isinstance(p, tuple) for p in distinct):
            return
        ends = list(chain.from_iterable(pairs))
        left, right = ({pair[i] for pair in pairs} for i in (0, -1))
    except TypeError:
        return
    if len(ends) == 2 * len(pairs) and left & right and (nodes := len(set(ends))) < len(pairs):
        raise InputError(
            f"this looks like a list of edges: {len(pairs):,} pairs of {nodes:,} nodes, no two "
            "pairs alike. A clustering has one label per node.",
            "give the communities, e.g. nx.community.louvain_communities(nx.Graph(edges)), or a "
            "dict from node to cluster; if the pairs are labels, cd.Partition(pairs).",
        )


def attributes_of(graph: Any, wanted: list[str]) -> dict[str, AnyClustering] | None:
    """Attributes of the nodes of a graph as clusterings; None where this is no graph."""
    if not is_graph(type(graph)):
        return None
    found, nodes = node_attributes(graph), nodes_of(graph)
    for name in wanted:
        if name not in found:
            names = list(found)
            there = f"; there are {some(names)}" if names else ", or any other"
            raise InputError(
                f"no node of the graph has an attribute {shorten(name, 40)!r}{there}.",
                f"{did_you_mean(name, names)}Write e.g. cd.compare({graph_name(graph)}, "
                f"truth={names[0]!r}, guesses=[{names[-1]!r}])."
                if names
                else f"give clusterings: cd.compare(truth, {graph_calls(graph)[0]}).",
            )
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


def _of_graph_tool(value: Any) -> AnyClustering:
    """A property map with a value for each vertex, or the blocks of a model."""
    if hasattr(value, "get_overlap_blocks"):
        raise _no_clusters(
            value,
            "its blocks overlap: blocks = state.get_overlap_blocks()[0], then "
            "cd.Cover([list(blocks[v]) for v in g.vertices()]).",
        )
    if hasattr(value, "get_bs"):
        raise _no_clusters(value, "take a level of it: state.get_levels()[0], the finest.")
    blocks = value.get_blocks() if hasattr(value, "get_blocks") else value
    if not callable(getattr(blocks, "get_array", None)):
        return Partition(value)  # refused in words
    if getattr(blocks, "key_type", lambda: "v")() != "v":
        raise _no_clusters(blocks, 'give a property of vertices, e.g. g.vp["block"].')
    labels = list(values_of_map(blocks))
    graph = blocks.get_graph() if hasattr(blocks, "get_graph") else None
    nodes = Nodes("vertex", list(range(len(labels)))) if graph is None else nodes_of(graph)
    return _placed(Partition(labels), nodes)


def _no_clusters(value: Any, hint: str) -> InputError:
    """What graph-tool says of edges, or of several levels."""
    return InputError(f"{a_type(value)} does not hold one cluster for each vertex.", hint)


def _is_dendrogram(value: Any) -> bool:
    return callable(getattr(value, "as_clustering", None)) and hasattr(value, "merges")


def annotation_of(value: Any) -> Any:
    """The annotations of the objects of an AnnData or MuData as a frame; None of all else."""
    annotation = getattr(value, "obs", None)
    return annotation if annotation is not None and is_frame(annotation) else None


def _check_annotated(value: Any, kind: str | None) -> AnyClustering:
    names = [str(name) for name in value.obs.columns]
    named = [*names, "cell_type", "leiden"][:2]
    raise InputError(
        f"{a_type(value)} is not a clustering, but has {len(names):,} columns in its obs "
        f"({examples(names)}).",
        worked(
            "name the columns",
            f"cd.compare(adata, truth={named[0]!r}, guesses=[{named[1]!r}])",
            f"cd.compare(adata.obs[{named[0]!r}], adata.obs[{named[1]!r}])",
        ),
    )


ADAPTERS = (
    Adapter(lambda v: isinstance(v, Clustering), lambda v, kind: v, is_whole=True),
    Adapter(
        lambda v: isinstance(v, str | os.PathLike),
        lambda v, kind: read(v, kind=kind or "partition"),
        is_whole=True,
    ),
    Adapter(holds_clustering, lambda v, kind: v.clustering, is_whole=True),
    Adapter(
        lambda v: isinstance(v, dict) and v and all(isinstance(c, Clustering) for c in v.values()),
        lambda v, kind: _only(v),
    ),
    Adapter(is_credal, lambda v, kind: Evidential(v)),
    Adapter(is_speech, lambda v, kind: cover_of(turns_of_annotations(v)), is_whole=True),
    Adapter(is_scored_clusters, lambda v, kind: partition_of_scored(v)),
    Adapter(
        lambda v: isinstance(v, (*PLAIN, Number)) or hasattr(v, "dtype") or hasattr(v, "tocoo"),
        _of_plain,
    ),
    Adapter(
        lambda v: not hasattr(v, "dtype") and is_frame(v),
        lambda v, kind: clustering_of_frame(v, kind=kind or "partition"),
    ),
    Adapter(is_communities, communities_of, is_whole=True),
    Adapter(is_model, lambda v, kind: labels_of_model(v), is_whole=True),
    Adapter(lambda v: annotation_of(v) is not None, _check_annotated),
)
"""What is recognised first is taken."""
