"""The front door: whatever a user has in hand becomes a clustering, and two become a meet."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from itertools import chain
from numbers import Number
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import (
    SOFT,
    AnyClustering,
    Clustering,
    Cover,
    Evidential,
    Partition,
    Soft,
    column,
)
from clusterdiff.clusterings.arrays import (
    Nodes,
    as_values,
    is_graph,
    is_tensor,
    node_attributes,
    nodes_of,
    values_of_map,
    where_it_is,
)
from clusterdiff.clusterings.base import Origin
from clusterdiff.clusterings.columns import NULL_WORDS, is_hashable
from clusterdiff.clusterings.cover import is_indicator
from clusterdiff.clusterings.evidential import is_credal
from clusterdiff.clusterings.grouping import by_appearance, pair_keys
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.contingency import Alignment, Among, Listed, Meet, Policy, Shapes, Stack
from clusterdiff.contingency.base import Sizes
from clusterdiff.engines.alignment import Unpaired, plan_of
from clusterdiff.engines.columns import clustering_of_frame, is_frame
from clusterdiff.engines.dispatch import meet_clusterings
from clusterdiff.engines.label_checks import check_labels, refuse_sets
from clusterdiff.engines.named import Compared
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.samples import Sample, by_sample, listed_of, refuse_strangers, stack_of
from clusterdiff.engines.shared_objects import Together
from clusterdiff.engines.sql_objects import Selection, joint_cells
from clusterdiff.errors import (
    AlignmentError,
    ArrayError,
    ClusterdiffError,
    ClusterdiffWarning,
    GraphError,
    InputError,
    a_type,
    examples,
    shown,
)
from clusterdiff.io.formats.coreference import as_mentions_of
from clusterdiff.io.read import check_kind, is_scored_clusters, partition_of_scored, read, unwrapped
from clusterdiff.io.session import Workshop, told_of_pairs, with_notes

if TYPE_CHECKING:
    from clusterdiff.clusterings import Column

# Few plain labels in the same order, counted by Python: a call in a loop costs microseconds.

FEW = 1_000
"""Labels up to which Python counts as fast as NumPy."""
WIDEST = 2**63
"""Labels at and beyond it are read with more care."""


def shapes_of_few(truth: Any, guess: Any) -> Shapes | None:
    """The shapes of two short lists or arrays of whole numbers or of texts; None for all else,
    which is left to `meet` with its questions and refusals.

    >>> shapes_of_few(["a", "a", "b"], [1, 1, 1]).both.tolist()
    [1, 2]
    >>> shapes_of_few(["a", None, "b"], [1, 1, 1])
    """
    left, right = _plain(truth), _plain(guess)
    if left is None or right is None or len(left) != len(right):
        return None
    in_truth, in_guess = Counter(left), Counter(right)
    if any(word in in_truth or word in in_guess for word in NULL_WORDS):
        return None
    cells = Counter(zip(left, right, strict=True))
    rows = Counter([(n, in_truth[t], in_guess[g]) for (t, g), n in cells.items()])
    agreeing_first = sorted(
        [(not n == t == g, n, t, g, times) for (n, t, g), times in rows.items()]
    )
    table = np.array(agreeing_first, np.int64).T[1:]
    made = Shapes(both=table[0], truth_size=table[1], guess_size=table[2], times=table[3])
    vars(made).update(objects=len(left), truth_sizes=_sizes(in_truth), guess_sizes=_sizes(in_guess))
    return made


def _plain(labels: Any) -> list[Any] | tuple[Any, ...] | None:
    """Labels as Python has them, if they are few, of one kind, and mean what they say."""
    kind = type(labels)
    if kind is np.ndarray:
        if labels.ndim != 1 or not 0 < labels.size <= FEW or labels.dtype.kind not in "iuU":
            return None
        if labels.dtype != np.uint64:
            return labels.tolist()  # type: ignore[no-any-return]
        labels = labels.tolist()
    elif (kind is not list and kind is not tuple) or not 0 < len(labels) <= FEW:
        return None
    types = set(map(type, labels))
    if types == {int}:
        return labels if min(labels) >= -WIDEST and max(labels) < WIDEST else None
    return labels if types == {str} else None


def _sizes(clusters: Counter[Any]) -> Sizes:
    found = sorted(Counter(clusters.values()).items(), key=itemgetter(0))
    table = np.array(found, np.int64).T
    return Sizes(table[0], table[1])


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


def holds_clustering(value: Any) -> bool:
    """Whether this is a result with a clustering: a consensus, or a run under the ids of another.

    >>> import clusterdiff as cd
    >>> holds_clustering(cd.consensus([[1, 1, 2], [1, 1, 2]])), holds_clustering([1, 1, 2])
    (True, False)
    """
    return isinstance(getattr(value, "clustering", None), Clustering)


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


# The index of pandas and the vertices of igraph as ids: they say which object is which where
# nothing else does.
#
# A Series, or a frame without a column of ids, is matched by its index where every other side has
# ids or an index; beside labels that have neither it counts by position. So are the communities of
# a graph whose vertices have names; where they have numbers alone, one of the others must have
# ids.

if TYPE_CHECKING:
    IndexedSide = AnyClustering | Table


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


def is_default(index: Any) -> bool:
    """Whether this is the index that pandas gives where none is given: the position."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def settle_indexes(sides: Iterable[IndexedSide]) -> None:
    """Make the indexes of sides their ids where all sides have such or ids; otherwise they count by
    position, and different indexes are refused, since they would pair rows that do not belong
    together.
    """
    every = list(sides)
    loose = [one for one in every if _index(one) is not None]
    if not loose:
        return
    ids = any(map(has_ids, every))
    if all(_index(one) is not None or has_ids(one) for one in every) and all(
        _names(one, ids) for one in loose
    ):
        known: list[tuple[Any, Column]] = []
        for one in loose:
            index = _index(one)
            same = next((ids for other, ids in known if index.equals(other)), None)
            known.append((index, column(_values(index)) if same is None else same))
            one.ids = known[-1][1]  # type: ignore[union-attr]
            read = one.origin or Origin("labels")
            one.origin = replace(read, id=str(index.name or "index"))  # type: ignore[misc]
        return
    loose = [one for one in loose if not isinstance(_index(one), Vertices)]
    first: Any = _index(loose[0]) if loose else None
    if any(len(_index(one)) == len(first) and not first.equals(_index(one)) for one in loose):
        raise AlignmentError(
            "the two have different indexes; a Series, or a frame without a column of ids, counts "
            "by position, and these would pair rows that do not belong together.",
            "use series.to_dict() or frame.reset_index() to match by index, or to_numpy() to match "
            "by position.",
        )


def _index(side: IndexedSide) -> Any:
    """The index of a side that has no ids."""
    return side.index if isinstance(side, Clustering) and side.ids is None else None


def has_ids(side: IndexedSide) -> bool:
    """Whether the objects of a side have ids of their own, other than an index."""
    return side.columns.id is not None if isinstance(side, Table) else side.ids is not None


def _names(side: IndexedSide, ids: bool) -> bool:
    """Whether an index names every object by itself; `ids` where another side has ids."""
    index = _index(side)
    if isinstance(index, Vertices):
        return ids or index.name != "vertex"
    return not is_default(index) and bool(index.is_unique) and not bool(index.hasnans)


def _values(index: Any) -> Any:
    """The values of an index, numbers and text as they are."""
    plain = index.dtype.kind in "iu" or str(index.dtype) in ("object", "str", "string")
    return index if plain else index.astype(object).to_numpy()


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


C = TypeVar("C", Partition, Cover)
MEET_OPTIONS = ("kind", "align", "noise", "noise_as", "features", "engine")


def clustering(value: Any, kind: str | None = None) -> AnyClustering:
    """A clustering from labels, a dict, sets, a frame, communities of a graph, or a path.

    `kind` says how a table, a dict or a file is to be read; labels are always one per object.
    """
    check_kind(kind)
    made = _clustering(value, kind)
    is_new = isinstance(made, Partition) and made is not value
    if is_new and kind in ("cover", "rough", "evidential"):
        refuse_sets("", kind, made.labels)
    if made.ids is None and (index := index_of(value)) is not None:
        made.index = index
    return made


def _clustering(value: Any, kind: str | None) -> AnyClustering:
    if isinstance(value, Partition | Cover | Soft):
        return value
    if isinstance(value, str | os.PathLike):
        return read(value, kind=kind or "partition")
    if holds_clustering(value):
        return value.clustering  # type: ignore[no-any-return]
    if isinstance(value, dict) and value and all(isinstance(v, Clustering) for v in value.values()):
        return _only(value)
    value = where_it_is(unwrapped(value))
    if is_credal(value):
        return Evidential(value)
    if is_scored_clusters(value):
        return partition_of_scored(value)
    refuse_levels(value)
    if isinstance(value, set | frozenset) and not is_list_of_sets(value):
        raise ArrayError.from_unordered(value)
    if kind == "cover" and (cover := _cover(value)) is not None:
        return cover
    if kind in SOFT and _is_soft(value):
        made: AnyClustering = SOFT[kind](value)
        return made
    if is_tensor(value):
        return Partition(value)
    if str(getattr(value, "dtype", "")) == "object" and getattr(value, "ndim", 0) == 1:
        value = list(value) if isinstance(next(iter(value), None), tuple) else value
    if isinstance(value, list | tuple | range | Mapping | set | frozenset | np.ndarray):
        return _grouped(value) or Partition(_unlisted(value))
    if not hasattr(value, "dtype") and is_frame(value):
        return clustering_of_frame(value, kind=kind or "partition")
    if (found := communities_of(value, kind)) is not None:
        return found
    if is_model(value):
        return labels_of_model(value)
    if (annotations := getattr(value, "obs", None)) is not None and is_frame(annotations):
        raise InputError.from_annotated(value)
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
        return _told_of_members(Partition(list(map(frozenset, value))), value)
    if tuples:
        raise InputError.from_tuples(rows)
    return None


def _unlisted(value: Any) -> Any:
    """A dict from id to a list of one label each, as cdlib writes communities, with the labels.

    Tuples of several lengths that all differ are hardly labels, and are refused.
    """
    if isinstance(value, Mapping) and all(isinstance(one, tuple) for one in value.values()):
        found = set(filter(is_hashable, value.values()))
        if len(found) == len(value) and len(set(map(len, found))) > 1:
            raise InputError.from_tuples_of_ids(list(value.values()))
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
    if _is_unclear(value):
        raise InputError(
            "a list of lists can be the labels of each object or the objects of each cluster.",
            "say which: cd.Cover(lists) for labels per object, "
            "cd.Cover.from_clusters(lists) for clusters.",
        )
    return None


def _is_unclear(value: Any) -> bool:
    """Whether this is a list of lists: labels of each object, or objects of each cluster."""
    if not isinstance(value, list | tuple) or is_list_of_sets(value):
        return False
    return any(map(_is_collection, value)) and not is_indicator(as_values(value))


def _told_of_members(made: C, clusters: Any) -> C:
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


Kinds = str | tuple[str, str] | None
"""What tables, dicts and files hold: one kind, or one for truth and one for guess."""


def kinds_for(kind: Kinds, *values: Any) -> tuple[str | None, str | None]:
    """The kinds of truth and guess that were said; where one of the clusterings is a cover and
    nothing is said, all are read as covers.
    """
    if kind is None:
        found = "cover" if any(isinstance(v, Cover) for v in values) else None
        return found, found
    said = listed_kinds(kind)
    if len(said) > 2:
        raise ClusterdiffError(
            f"{len(said)} kinds are too many.", 'kind is one for all, or ("partition", "fuzzy").'
        )
    return said[0], said[-1]


def listed_kinds(kind: Any) -> list[str]:
    """Kinds as a list, from a text with commas between them or a collection."""
    if not isinstance(kind, str | tuple | list) or not kind:
        raise ClusterdiffError(
            f"unknown kind of clustering {shown(kind)}.",
            'kind is e.g. "fuzzy", or a pair of kinds.',
        )
    said = [one.strip() for one in kind.split(",")] if isinstance(kind, str) else list(kind)
    for one in said:
        check_kind(one)
    return said


def meet(
    truth: Any,
    guess: Any,
    *,
    kind: Kinds = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    features: Any = None,
    engine: Any = None,
) -> Meet:
    """How many objects have each pair of descriptions: all that a measure needs to know.

    >>> meet(["a", "a", "b"], [1, 1, 1])
    HardMeet(3 objects, 2 x 1 clusters, 2 rows, 0 of them agreeing)
    >>> meet({"x": ["a", "b"], "y": ["b"]}, {"x": [1], "y": [1]}, kind="cover")
    CoverMeet(2 objects, 2 x 1 clusters, 2 rows)

    `align` says what an object on one side only counts as: "exact" refuses it, "shared" leaves it
    out, "singletons" makes it a cluster of its own, "penalise" counts it as an error. Objects
    labelled `noise` (a label, or a list of labels; None stands for null) become singletons, or are
    left out with noise_as="drop". `kind` says what tables, dicts and files hold: "cover", "rough",
    "fuzzy", "possibilistic", "evidential", or one for truth and one for guess. `engine` is
    "arrays", "duckdb" or "spark", cd.DuckDB(memory="4GB") or cd.Spark(session); left out, files and
    relations are counted by DuckDB, Spark frames by Spark, all else in memory.
    """
    kinds = kinds_for(kind, truth, guess)
    with Workshop(engine) as shop:
        left, right = sides_together(shop, [truth, guess], kinds)
        settle_indexes([left, right])
        right = as_mentions_of(left, right)
        found = met(shop, left, right, Policy(align, noise, noise_as), features)
    return found.pooled


def side(
    shop: Workshop, value: Any, kind: str | None, sample: str | None = None
) -> AnyClustering | Table:
    """A clustering, or a table that stays where it is; `sample` names a column of it."""
    if isinstance(value, Clustering):
        return value  # type: ignore[return-value]
    value = unwrapped(value)
    found = shop.side(value, kind, sample)
    if found is not None:
        return found
    return clustering(value if sample is None else _with_column(value, sample, kind), kind)


def sides_together(
    shop: Workshop, values: Sequence[Any], kinds: Sequence[str | None], sample: str | None = None
) -> list[AnyClustering | Table]:
    """The sides of one comparison.

    A list of lists that is read as a cover, such as the communities of cdlib, has the objects of
    each cluster where it cannot have the labels of each object: beside ids, which labels lack, and
    beside a list of another length.
    """
    given = list(zip(values, kinds, strict=True))
    unclear = [kind == "cover" and _is_unclear(value) for value, kind in given]
    made = [
        None if skip else side(shop, *one, sample) for one, skip in zip(given, unclear, strict=True)
    ]
    lengths = {len(value) for value, skip in zip(values, unclear, strict=True) if skip}
    members = len(lengths) > 1 or any(one is not None and has_ids(one) for one in made)
    for place in (i for i, skip in enumerate(unclear) if skip):
        value = values[place]
        made[place] = (
            _told_of_members(Cover.from_clusters(value), value)
            if members
            else side(shop, *given[place], sample)
        )
    return [one for one in made if one is not None]


def met(
    shop: Workshop,
    truth: AnyClustering | Table,
    guess: AnyClustering | Table,
    policy: Policy,
    features: Any = None,
) -> Meet | Stack | Listed:
    """The meet of two sides, where they are or in memory; of samples, the meets side by side."""
    if features is None and (there := shop.meet(truth, guess, policy)) is not None:
        return there.having(with_notes(there.alignment, truth, guess))
    left, right = shop.loaded(truth), shop.loaded(guess)
    notes = check_labels([left], [right], policy)
    unpaired = Unpaired.of(left, right)
    unpaired.refuse(policy)
    with told_of_pairs(left, right):
        found = _met(left, right, policy, features)
    return found.having(with_notes(found.alignment, left, right, notes + unpaired.notes()))


def _met(
    left: AnyClustering, right: AnyClustering, policy: Policy, features: Any
) -> Meet | Stack | Listed:
    if left.samples is None and right.samples is None:
        return meet_clusterings(left, right, policy, features)
    if features is not None:
        raise ClusterdiffError(
            "features are not taken together with samples.", "compare one sample at a time."
        )
    stack = stack_of(left, right, policy)
    return listed(by_sample(left, right), policy) if stack is None else stack


def listed(samples: list[Sample], policy: Policy) -> Listed:
    """The meets of samples side by side; an error says which one it was."""
    if not samples:
        raise InputError.empty("each clustering")
    found = listed_of([(sample.name, sample.met(policy)) for sample in samples])
    refuse_strangers(samples, policy)
    return found


def _with_column(value: Any, sample: str, kind: str | None) -> AnyClustering:
    """A frame read with a column of samples."""
    if is_frame(value):
        return clustering_of_frame(value, kind=kind or "partition", sample=sample)
    raise ClusterdiffError(
        f"samples={sample!r} names a column, but a {type(value).__name__} has none.",
        "give samples as a dict from id to sample, or one per object.",
    )


# One truth, its guesses, and the objects that all of them are judged on.
#
# `shared` judges on the objects that truth and all guesses have, `singletons` on those that any of
# them has; of noise that is dropped, what one of them calls so is left out for all. `exact` and
# `penalise` ask the same of every guess by themselves.

Side = AnyClustering | Table
Found = Meet | Stack | Listed


class Lost(NamedTuple):
    """Objects that truth has in clusters and a guess is not judged on, by its own doing."""

    objects: int
    of: int
    """How many objects truth has in clusters."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Truth and guesses, with the objects that they are judged on."""

    shop: Workshop
    truth: Side
    guesses: Mapping[str, Side]
    policy: Policy
    features: Any = None
    alignments: Mapping[str, Alignment] = field(default_factory=dict)
    """How each guess was matched, where others had a say."""
    beyond: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each guess the objects that only others have, by sample."""
    whole: Judged | None = None
    """The same with all objects, where some are left out."""
    _met: dict[str, Found] = field(default_factory=dict)

    def met(self, name: str) -> Found:
        """The meet of truth and a guess; of samples, the meets side by side."""
        if name not in self._met:
            with self._warned():
                guess = self.guesses[name]
                found = met(self.shop, self.truth, guess, self.policy, self.features)
            if beyond := self.beyond.get(name):
                found = found.with_singles(beyond)
            if name in self.alignments:
                found = found.having(self.alignments[name])
            self._met[name] = found
        return self._met[name]

    def compared(self, name: str) -> Compared | None:
        """Truth and a guess compared with names, if both are partitions."""
        with self._warned():
            beyond, guess = self.alone(name), self.guesses[name]
            found = self.shop.compared(self.truth, guess, self.policy, beyond)
        if found is None or name not in self.alignments:
            return found
        return found.aligned(self.alignments[name])

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Where some objects are left out, what there is to warn of was said of all of them."""
        if self.whole is None:
            yield
            return
        with catch_warnings():
            simplefilter("ignore", ClusterdiffWarning)
            yield

    def alone(self, name: str) -> int:
        """How many objects neither truth nor a guess has and another one does."""
        return sum(self.beyond.get(name, {}).values())

    def loaded(self, name: str) -> tuple[AnyClustering, AnyClustering]:
        """Truth and a guess in memory."""
        return self.shop.loaded(self.truth), self.shop.loaded(self.guesses[name])

    def cells(self) -> tuple[dict[str, Ints], Ints, Ints] | None:
        """How many objects are in the same clusters of truth ("") and of every guess: clusters by
        side, objects, and how often; None if not all are partitions.
        """
        sides = [self.truth, *self.guesses.values()]
        names = ["", *self.guesses]
        tables = self.shop.tables(sides)
        if tables is not None:
            try:
                found, objects, times = joint_cells(tables, self.policy)
                return dict(zip(names, found, strict=True)), objects, times
            except NeedsMemory as unfit:
                tables[0].session.refuse(unfit)
        whole = [self.shop.loaded(side) for side in sides]
        if not all(isinstance(side, Partition) for side in whole):
            return None
        clusters = Together.of(whole, self.policy).clusters()
        code, first = by_appearance(reduce(pair_keys, clusters))
        chosen = {name: side[first] for name, side in zip(names, clusters, strict=True)}
        return chosen, np.bincount(code), np.ones_like(first)

    def lost(self, name: str, unless: str | None = None) -> Lost:
        """What a guess is not judged on because it lacks it, or calls it noise that is dropped; of
        that only what another guess has, if one is named.
        """
        whole = self.whole or self
        if not plan_of(whole.policy).selects:
            return Lost(0, 0)
        place = {guess: i for i, guess in enumerate(whole.guesses, 1)}
        where, but = whole._where(), None if unless is None else place[unless]
        return Lost(where.lost(place[name], but), where.asked())

    def _where(self) -> Selection | Together:
        """Which side has which objects, in the engine where they are or in memory."""
        sides = [self.truth, *self.guesses.values()]
        tables = self.shop.tables(sides) if self.features is None else None
        if tables is not None:
            try:
                return Selection.of(tables, self.policy)
            except NeedsMemory as unfit:
                tables[0].session.refuse(unfit)
        return Together.of([self.shop.loaded(side) for side in sides], self.policy)


def judged_together(
    shop: Workshop,
    truth: Side,
    guesses: Mapping[str, Side],
    policy: Policy,
    features: Any = None,
) -> Judged:
    """Truth and guesses on the same objects, as the policy says."""
    guesses = {name: as_mentions_of(truth, guess) for name, guess in guesses.items()}
    alone, plan = Judged(shop, truth, guesses, policy, features), plan_of(policy)
    if len(guesses) < 2 or not plan.heeds_others:
        return alone
    if not any(plan.touches_others(alone.met(name).alignment) for name in guesses):
        return alone
    made = _restricted(alone)
    return made if any(a.among for a in made.alignments.values()) else alone


def _restricted(alone: Judged) -> Judged:
    """The same on the objects that all are judged on."""
    where = alone._where()
    names = list(alone.guesses)
    truth, *guesses = _sides(alone, where)
    beyond = {name: where.beyond(i) for i, name in enumerate(names, 1)}
    chosen = dict(zip(names, guesses, strict=True))
    features = alone.features
    if features is not None:
        assert isinstance(where, Together)
        features = np.asarray(features)[where.positions()]
    made = Judged(alone.shop, truth, chosen, alone.policy, features, beyond=beyond, whole=alone)
    alignments = {name: _alignment(made, alone, name, where.empty) for name in names}
    found = {name: made.met(name).having(alignments[name]) for name in names}
    return replace(made, alignments=alignments, _met=found)


def _sides(alone: Judged, where: Selection | Together) -> list[Side]:
    """Truth and guesses with what is kept; refused where that is nothing."""
    if not where.any():
        raise plan_of(alone.policy).nothing_left(len(alone.guesses))
    if isinstance(where, Together):
        return list(where.restricted())

    @cache
    def in_memory() -> list[AnyClustering]:
        sides = [alone.truth, *alone.guesses.values()]
        whole = Together.of([alone.shop.loaded(side) for side in sides], alone.policy)
        return whole.restricted()

    return list(where.restricted(lambda i: in_memory()[i]))


def _alignment(made: Judged, alone: Judged, name: str, empty: tuple[str, ...]) -> Alignment:
    """How a guess was matched on its own, and what the others change."""
    before, after = alone.met(name).pooled, made.met(name).pooled
    added = made.alone(name)
    left_out = before.objects + added - after.objects
    among = Among(len(made.guesses), left_out, added) if left_out or added else None
    return replace(before.alignment, empty=empty, among=among)
