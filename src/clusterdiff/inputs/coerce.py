"""The front door: whatever a user has in hand becomes a clustering, and two become a meet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from clusterdiff.backends.columns.frames import clustering_of_frame, is_frame
from clusterdiff.backends.dispatch import meet_clusterings
from clusterdiff.backends.label_checks import check_labels, refuse_sets
from clusterdiff.backends.samples import Sample, by_sample, listed_of, refuse_strangers, stack_of
from clusterdiff.backends.table import Table
from clusterdiff.backends.unpaired import Unpaired
from clusterdiff.clusterings import (
    SOFT,
    AnyClustering,
    Clustering,
    Cover,
    Evidential,
    Partition,
    Soft,
)
from clusterdiff.clusterings.cover import is_indicator
from clusterdiff.clusterings.encode.arrays import as_values, where_it_is
from clusterdiff.clusterings.encode.column import is_hashable
from clusterdiff.clusterings.encode.tensors import is_tensor
from clusterdiff.clusterings.evidential import is_credal
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.errors import (
    ArrayError,
    ClusterdiffError,
    InputError,
    examples,
    shown,
)
from clusterdiff.inputs.formats.coreference.mentions import as_mentions_of
from clusterdiff.inputs.indexes import has_ids, index_of, settle_indexes
from clusterdiff.inputs.models import holds_clustering, is_model, labels_of_model
from clusterdiff.inputs.networks import communities_of, refuse_levels
from clusterdiff.inputs.read import check_kind, read
from clusterdiff.inputs.scored.wrapped import is_scored_clusters, partition_of_scored, unwrapped
from clusterdiff.inputs.session import Workshop, told_of_pairs, with_notes
from clusterdiff.meet import Listed, Meet, Policy, Stack

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
