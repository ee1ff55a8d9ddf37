"""Pairs as a clustering: those that score at least a threshold link, and each connected component
is a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.backends.columns.composite import composite_ids
from clusterdiff.backends.columns.names import plain
from clusterdiff.backends.columns.pairs import pairs_among
from clusterdiff.backends.memory.match import match_ids
from clusterdiff.clusterings import Clustering, Column, Partition, column
from clusterdiff.clusterings.encode.order import joined
from clusterdiff.clusterings.origin import LinkedOrigin
from clusterdiff.errors.linking import LinkingError
from clusterdiff.inputs.read import source_of
from clusterdiff.inputs.scored.aligned import canonical_order
from clusterdiff.inputs.scored.opening import opened_pairs
from clusterdiff.inputs.scored.pairs import in_precision

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.inputs.scored.pairs import PairChunk, ScoredSource

PAIRS = "pairs"
"""What `--as` calls tables of pairs."""


def linked(
    pairs: Any,
    threshold: float | None = None,
    *,
    ids: Any = None,
    names: Mapping[str, Any] = MappingProxyType({}),
    distance: bool | None = None,
    engine: Any = None,
    **asked: Any,
) -> Partition:
    """The clusters that pairs make; `names` are those of columns, `asked` is what `read` takes."""
    _check(threshold)
    if ids is None and callable(getattr(pairs, "edges", None)):
        ids = list(pairs.nodes)
    with opened_pairs(pairs, distance=distance, names=names, engine=engine, **asked) as source:
        return linked_source(source, threshold, ids)


def file_of_pairs(path: str, **asked: Any) -> bool:
    """Whether the columns of a file are called like those of pairs."""
    with ExitStack() as stack:
        source, form = source_of(stack, path, **asked)
        return form.names is not None and pairs_among(form.names(source)) is not None


def linked_source(source: ScoredSource, threshold: float | None, ids: Any = None) -> Partition:
    """The clusters of pairs that are opened; each is called like the smallest of its objects."""
    columns, score = source.columns, source.score_name or "score"
    distance = source.distance and source.scored
    if not source.scored and threshold is not None:
        sides = ("left", "right") if columns is None else columns[:2]
        raise LinkingError.no_scores(source.shown, threshold, *sides)
    least = None if threshold is None else in_precision(threshold, source.precision)
    found = components(source.chunks(), source.objects, least, distance)
    if source.scored and threshold is None:
        raise LinkingError.needs_threshold(source.shown, score, found.ends, distance)
    if threshold is not None and not found.links:
        raise LinkingError.out_of_range(source.shown, score, threshold, found.ends, distance)
    own, labels = source.ids, found.labels
    if ids is not None:
        own, labels = _with_others(own, labels, _every(ids, columns is not None and columns.parts))
    order = canonical_order(own)
    first = np.empty(int(labels.max()) + 1, np.int64)
    first[labels[order[::-1]]] = order[::-1]
    made = Partition(own.as_made(first[labels]), own)
    how: dict[str, Any] = {"threshold": threshold, "distance": distance}
    if columns is not None:
        how |= {"left": columns.left, "right": columns.right, "score": columns.score}
        how["sides"] = columns.parts
    made.origin = LinkedOrigin("", **how)
    made.notes = (_note(source.count, found.links, ids is None), *_weight(score, threshold))
    return made


class LinkedPairs(NamedTuple):
    """What the pairs that are strong enough connect."""

    labels: Ints
    """The number of the component of each object."""
    links: int
    """How many pairs are strong enough."""
    ends: tuple[float, float]
    """The least and the largest score."""


def components(
    chunks: Iterable[PairChunk], objects: int, threshold: float | None, distance: bool = False
) -> LinkedPairs:
    """The connected components of pairs that score at least the threshold, or of all, piece by
    piece: what one piece connects is one object to the next.
    """
    if threshold is None:
        threshold = math.inf if distance else -math.inf
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    labels, count, links = np.arange(objects), objects, 0
    low, high = math.inf, -math.inf
    for chunk in chunks:
        low = min(low, float(chunk.score.min(initial=math.inf)))
        high = max(high, float(chunk.score.max(initial=-math.inf)))
        strong = chunk.score <= threshold if distance else chunk.score >= threshold
        links += int(strong.sum())
        ends = labels[chunk.left[strong]], labels[chunk.right[strong]]
        graph = coo_array((np.ones(ends[0].size, np.int8), ends), shape=(count, count))
        count, merged = connected_components(graph, directed=False)
        labels = merged[labels].astype(np.int64)
    return LinkedPairs(labels, links, (low, high))


def _check(threshold: Any) -> None:
    number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and (not number or math.isnan(threshold)):
        raise LinkingError.from_threshold(threshold)


def _every(ids: Any, composite: Any) -> Column:
    """All objects, from a clustering, a dict or a list of ids; those of several columns may be
    tuples.
    """
    if isinstance(ids, Clustering):
        return column(range(len(ids))) if ids.ids is None else ids.ids
    listed = list(ids) if isinstance(ids, Mapping) else ids
    if composite and isinstance(listed, list) and listed and isinstance(listed[0], tuple):
        parts = zip(*listed, strict=True)
        return composite_ids("ids", {str(at): list(part) for at, part in enumerate(parts)})
    every = column(listed)
    return Partition(every, every).ids or every


def _with_others(own: Column, labels: Ints, every: Column) -> tuple[Column, Ints]:
    """The objects of the pairs, and behind them all others, each a cluster of its own."""
    matched = match_ids(own, every)
    if (unknown := matched.only_truth).size:
        raise LinkingError.from_ids(unknown.size, own.take(unknown[:3]).tolist())
    others = matched.only_guess
    behind = int(labels.max()) + 1 + np.arange(others.size)
    return joined(own, every.take(others)), np.concatenate([labels, behind])


def _note(pairs: int, links: int, named_only: bool) -> str:
    some = f"all {pairs:,}" if links == pairs else f"{links:,} of {pairs:,}"
    alone = "; objects that no pair names are not in it" if named_only else ""
    return f"{some} pairs link{alone}"


def _weight(score: str, threshold: float | None) -> tuple[str, ...]:
    """What a weight of splink is as a probability."""
    if plain(score) != "match_weight" or threshold is None:
        return ()
    chance = 1 / (1 + 2.0 ** -min(max(threshold, -1000), 1000))
    return (f"match_weight {threshold:g} is a match_probability of {chance:.4g}",)
