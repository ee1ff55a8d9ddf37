"""Labelled samples: truth clusters that were drawn, how often, and with which weights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.columns import is_null
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.engines.counts import UNKNOWN, counting
from clusterdiff.engines.memory import numbered_together
from clusterdiff.errors import (
    ClusterdiffError,
    ClusterdiffWarning,
    MissingColumn,
    NoColumns,
    did_you_mean,
    examples,
    shown,
    warn,
    with_article,
)
from clusterdiff.output.describe import count

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.columns import Column
    from clusterdiff.contingency import Policy

DESIGNS = ("records", "clusters")
HITS = "hits"
"""The column with the number of draws of each record."""
OTHERS = "others_of_this_entity_not_listed_here"
"""The column that asks, for a drawn record, for members of its cluster without a line."""
ASKED = "?"
"""The content of that column until it is answered."""
NONE = ("none", "-")
"""Answers that there are no others."""
SEPARATORS = ";,\n\t "
"""Characters that separate ids, unless an id of the sample contains them."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Truth clusters that were drawn, each complete."""

    objects: Partition
    cluster: Ints
    """The number of the cluster of each object."""
    names: list[Any]
    """The labels of the clusters."""
    hits: Ints
    """How often each cluster was drawn."""
    design: str
    """records, clusters or weights."""
    weights: Floats | None = None
    """Weights of the clusters, if they were given."""
    out_of: int | None = None
    """Number of clusters they were drawn from without replacement, if that is to count."""
    positions: int | None = None
    """Number of objects in the list, if objects are identified by their place in it."""
    listed_only: bool = False
    """Whether only listed lines seem to have been searched for members."""
    lines: Partition | None = None
    """All lines, and which of them were drawn (1), if only a guess can tell whether that is so."""
    asked: int = 0
    """Number of drawn records whose other members are still asked for, if others were given."""
    sources: Column | None = None
    """The source of each object, where the sample says it; null where it does not."""

    @property
    def units(self) -> str:
        """What was drawn."""
        return "records" if self.design == "records" else "clusters"

    @property
    def total(self) -> int:
        """How many objects it has, each as often as it counts."""
        counts = self.objects.counts
        return len(self.objects) if counts is None else int(counts.sum())

    @property
    def keep(self) -> float:
        """1 minus the share of a finite population that was drawn."""
        return 1.0 if self.out_of is None else 1 - int(self.hits.sum()) / self.out_of

    def take(self, objects: Ints) -> Sampled:
        """The sample with only these objects and their clusters."""
        code, first = by_appearance(self.cluster[objects])
        kept = self.cluster[objects][first]
        return replace(
            self,
            objects=self.objects.take(objects),
            cluster=code,
            names=[self.names[i] for i in kept.tolist()],
            hits=self.hits[kept],
            weights=None if self.weights is None else self.weights[kept],
            sources=None if self.sources is None else self.sources.take(objects),
        )


def check_design(design: Any) -> None:
    """Refuse to guess how a sample was drawn."""
    if design is None:
        raise ClusterdiffError(
            "how were the clusters drawn?",
            'design="records" if records were drawn and their clusters resolved, design="clusters" '
            "if clusters were drawn alike.",
        )
    if not isinstance(design, str | Mapping):
        raise ClusterdiffError(
            f"unknown design {shown(design)}.",
            'design is "records", "clusters", or a dict from cluster to weight.',
        )


def as_partition(side: Any, what: str) -> Partition:
    """A side that is a partition; `what` begins the sentence that refuses others."""
    if not isinstance(side, Partition):
        raise ClusterdiffError(
            f"{what} is {with_article(side.kind)} clustering.",
            "give a clustering in which each object is in one cluster.",
        )
    return side


# A sample as it was filled in, which may be a file with several columns to read.


class Sheet(NamedTuple):
    """A sample as it was filled in."""

    side: Partition
    """The objects and their clusters, with hits or weights in the place of samples."""
    run: Sequence[Any] | None = None
    """The cluster of each object in the run that was drawn from, if the sample has it."""
    asked: int | None = None
    """Number of drawn records whose other members are still asked for; None without questions."""
    sources: Column | None = None
    """The source of each object, if the sample says it; null for members without a line."""


def filled_in(
    read: Callable[[str | None], AnyClustering],
    design: Any,
    hits: Any,
    table: bool = True,
    between: Any = None,
) -> Sheet:
    """A sample with the contents of its further columns; `read` loads it with one of them in the
    place of samples. `between` is the column of sources, or a dict from id to source.
    """
    weights = design if isinstance(design, str) and design not in DESIGNS else None
    named = weights or (hits if isinstance(hits, str) else None)
    if weights is not None and isinstance(hits, str):
        raise ClusterdiffError(
            "weights and hits cannot both be columns.",
            "give the weights as a dict from cluster to weight.",
        )
    unnamed = table and hits is None
    try:
        side = _partition(read(named or (HITS if unnamed and design == "records" else None)))
    except (MissingColumn, NoColumns) as error:
        if named is not None:
            raise _unknown_column(error, design) from None
        side = _partition(read(None))
    if not table or side.ids is None:
        return Sheet(side, sources=_sources_by_id(side, between))
    ids = side.ids.tolist()
    if twice := [id for id, lines in Counter(ids).items() if lines > 1]:
        raise ClusterdiffError(
            f"{count(len(twice), 'record')} of the sample {'has' if len(twice) == 1 else 'have'} "
            f"several lines ({examples(twice)}).",
            f"give each record one line, with the number of its draws in the column {HITS}.",
        )

    written = False

    def cells(name: str) -> list[Any] | None:
        """A further column of the sample, in the order of the ids; None if it is not there."""
        nonlocal written
        try:
            read_again = _partition(read(name))
        except (MissingColumn, NoColumns):
            return None
        assert read_again.ids is not None
        assert read_again.samples is not None
        written = read_again.samples.written
        values = dict(zip(read_again.ids.tolist(), read_again.samples.tolist(), strict=True))
        return [values[id] for id in ids]

    if design == "clusters" and unnamed and any(map(_is_hit, cells(HITS) or ())):
        warn(
            ClusterdiffWarning(
                f"the sample has a column {HITS}, as if records had been drawn, and is weighted as "
                "if clusters had been, each with the same chance.",
                'design="records" if records were drawn; if clusters were, leave the column out.',
            )
        )
    others = cells(OTHERS)
    run = cells("run") if design == "records" and side.samples is not None else None
    said = cells(between) if isinstance(between, str) else None
    asked = None
    if others is not None:
        asked = sum(isinstance(cell, str) and cell.strip() == ASKED for cell in others)
        side = with_others(side, others, design)
    more = [None] * (len(side) - len(ids))
    sources = _sources_by_id(side, between)
    if said is not None:
        sources = column(said + more, written=written)
    return Sheet(side, None if run is None else run + more, asked, sources)


def _sources_by_id(side: Partition, between: Any) -> Column | None:
    """The source of each object that a dict has; null for others."""
    if not isinstance(between, Mapping) or side.ids is None:
        return None
    return column([between.get(id) for id in side.ids.tolist()])


def _partition(sample: Any) -> Partition:
    return as_partition(sample, "estimates from a sample are for partitions, and the sample")


def _is_hit(cell: Any) -> bool:
    try:
        return float(cell) > 0
    except (TypeError, ValueError):
        return False


def _unknown_column(error: ClusterdiffError, design: Any) -> ClusterdiffError:
    """A column that the sample lacks; a misspelt design looks like one."""
    if design in DESIGNS or not isinstance(design, str):
        return ClusterdiffError(
            error.message, "hits names the column with the number of draws of each record."
        )
    return ClusterdiffError(
        f"unknown design {shown(design)}: {error.message}",
        f"{did_you_mean(design, DESIGNS)}There are records and clusters, and columns of weights.",
    )


def with_others(side: Partition, cells: Sequence[Any], design: Any) -> Partition:
    """A sample with the members without a line, which `cells` name beside those with a line."""
    assert side.ids is not None
    ids = side.ids.tolist()
    label_of = dict(zip(ids, side.labels.tolist(), strict=True))
    values = [None] * len(ids) if side.samples is None else side.samples.tolist()
    value_of = dict(zip(ids, values, strict=True))
    marks = "".join(mark for mark in SEPARATORS if not any(mark in str(id) for id in ids))
    for owner, cell in zip(ids, cells, strict=True):
        for id in _members(cell, marks, side.ids):
            label = label_of[owner]
            if is_null(label) or label_of.get(id) not in (None, label):
                which = "no cluster" if is_null(label) else f"the cluster {shown(label)}"
                other = f", and {shown(id)} has {shown(label_of[id])}" if id in label_of else ""
                raise ClusterdiffError(
                    f"{shown(id)} is named beside {shown(owner)}, which has {which}{other}.",
                    "give all members of a cluster the same name in the column truth.",
                )
            label_of[id] = label
            value_of.setdefault(id, None if design in DESIGNS else value_of[owner])
    made = Partition(
        column(list(label_of.values()), written=side.labels.written),
        column(list(label_of), written=side.ids.written),
        None if side.samples is None else column(list(value_of.values())),
    )
    if side.counts is None:
        return made
    unknown = np.full(len(made) - len(side), UNKNOWN)
    return counting(made, np.append(side.counts, unknown), side.counted)


def _members(cell: Any, marks: str, ids: Column) -> Iterator[Any]:
    """The ids in a cell; `marks` separate them."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = "" if is_null(cell) else str(cell).strip()
    if text.casefold() in ("", ASKED, *NONE):
        return
    kind: Any = {"integers": int, "numbers": float}.get(ids.family, str)
    for word in re.split(f"[{re.escape(marks)}]+", text) if marks else [text]:
        try:
            if word.strip():
                yield kind(word.strip())
        except ValueError:
            raise ClusterdiffError(
                f"{shown(word)}, named as another member, is not an id like "
                f"{examples(ids.tolist())}.",
                f"write ids with a semicolon between them, or {NONE[0]}.",
            ) from None


# The clusters that were drawn, how often, and with which weights.


def resolved(sheet: Sheet, design: Any, hits: Any, out_of: int | None, policy: Policy) -> Sampled:
    """The clusters that were drawn. Objects without a cluster, or with noise that is dropped, are
    in none of them.
    """
    side = sheet.side
    nulls, noise = side.labels.nulls(), policy.means_noise(side.labels)
    outside = np.zeros(len(side), np.bool_) if nulls is None else nulls
    if (noise & ~outside).any() and policy.noise_as != "drop":
        raise ClusterdiffError(
            f"{int(noise.sum()):,} objects of the sample are noise, which is not a cluster.",
            'noise_as="drop" if their clusters are unknown; otherwise give each its own cluster.',
        )
    known = np.flatnonzero(~(outside | noise))
    if not known.size:
        raise ClusterdiffError(
            "no object of the sample has a cluster.", "fill in the true clusters first."
        )
    labels = side.labels.take(known)
    ids = (column(np.arange(len(side))) if side.ids is None else side.ids).take(known)
    cluster, first = by_appearance(labels.keys)
    names = labels.take(first).tolist()
    objects = Partition(labels, ids)
    if side.counts is not None:
        objects = counting(objects, side.counts[known], side.counted)
    values = None if side.samples is None else _numbers(side, known, design)
    drawn, is_drawn = _hits(ids, cluster, names, design, hits, values)
    sample = Sampled(
        objects, cluster, names, drawn,
        design if design in DESIGNS else "weights", _weights(cluster, names, design, values),
        _out_of(out_of, design, drawn), len(side) if side.ids is None else None,
        sources=None if sheet.sources is None else sheet.sources.take(known),
        **_search(sheet, known, drawn, is_drawn),
    )  # fmt: skip
    if not (drawn > 0).any():
        raise ClusterdiffError(
            "no cluster of the sample has a hit.", "give the number of draws of each."
        )
    return sample if (drawn > 0).all() else sample.take(np.flatnonzero(drawn[cluster] > 0))


def _search(sheet: Sheet, known: Ints, hits: Ints, is_drawn: Bools | None) -> dict[str, Any]:
    """Where members were searched for, as the lines of a sample show it.

    In a sample that also lists records of other clusters, members may have been looked for only
    among these lines; if it does not name their clusters in the run, a guess has to.
    """
    if is_drawn is None or sheet.asked == 0:
        return {}
    search: dict[str, Any] = {}
    if sheet.asked is not None and sheet.asked < is_drawn.sum():
        search["asked"] = sheet.asked
    if sheet.run is not None:
        run = [sheet.run[i] for i in known.tolist()]
        drawn = {c for c, was in zip(run, is_drawn, strict=True) if was and not is_null(c)}
        beyond = (c not in drawn for c, was in zip(run, is_drawn, strict=True) if not was)
        search["listed_only"] = not any(beyond)
    elif known.size < len(sheet.side) or not (hits > 0).all():
        flags = np.zeros(len(sheet.side), np.int64)
        flags[known[is_drawn]] = 1
        search["lines"] = Partition(flags, sheet.side.ids)
    return search


def _numbers(side: Partition, known: Ints, design: Any) -> Floats:
    """A column of hits or weights for the objects that have a cluster; blanks are 0."""
    assert side.samples is not None
    numbers = np.zeros(len(side))
    for i, value in enumerate(side.samples.tolist()):
        if is_null(value) or value == "":
            continue
        try:
            numbers[i] = float(value)
        except (TypeError, ValueError):
            numbers[i] = math.nan
        fraction = design == "records" and not numbers[i].is_integer()
        if not 0 <= numbers[i] < math.inf or fraction:
            raise ClusterdiffError(
                f"{shown(value)} is not a {'number of hits' if design in DESIGNS else 'weight'} "
                f"(of {shown(side.id_of(i))}).",
                "give a number from 0 on, or leave it blank.",
            )
    left = np.setdiff1d(np.flatnonzero(numbers), known)
    if design in DESIGNS and left.size:
        raise ClusterdiffError(
            f"{left.size:,} drawn {'record has' if left.size == 1 else 'records have'} no "
            f"cluster ({examples(side.id_of(int(i)) for i in left)}).",
            "resolve the cluster of every record that was drawn; a record without others is a "
            "cluster of its own.",
        )
    return numbers[known]


def _hits(
    ids: Column, cluster: Ints, names: list[Any], design: Any, hits: Any, values: Floats | None
) -> tuple[Ints, Bools | None]:
    """How often each cluster was drawn, and which objects were drawn if that is known."""
    if hits is None and (values is None or design not in DESIGNS):
        return np.ones(len(names), np.int64), None
    if isinstance(hits, Mapping):
        by_cluster = _by_cluster(hits, names, "hits")
        if not all(hit >= 0 and hit.is_integer() for hit in by_cluster.tolist()):
            raise ClusterdiffError("hits are whole numbers from 0 on.", "count the draws.")
        return by_cluster.astype(np.int64), None
    if design == "clusters":
        raise ClusterdiffError(
            "hits are of records, and clusters were drawn.",
            "give a dict from cluster to its number of draws, or leave hits= out.",
        )
    if values is not None:
        large = np.bincount(cluster)[cluster] > 1
        if large.any() and (values[large] > 0).all():
            warn(
                ClusterdiffWarning(
                    "all records of the sample have hits, as if every one of them had been drawn.",
                    "hits are blank or 0 for records that were resolved and not drawn; for hits of "
                    "clusters give a dict.",
                    "hits are blank or 0 for records that were resolved and not drawn.",
                )
            )
        return np.bincount(cluster, values, len(names)).astype(np.int64), values > 0
    drawn = column(hits)
    codes, every = numbered_together([ids, drawn])
    place = np.full(len(every), -1)
    place[codes[0]] = cluster
    of = place[codes[1]]
    if (unknown := np.flatnonzero(of < 0)).size:
        raise ClusterdiffError(
            f"{unknown.size:,} drawn records are not in the sample "
            f"({examples(drawn[i] for i in unknown.tolist())}).",
            "hits lists the records that were drawn, each as often as it was drawn; the sample has "
            "the cluster of each.",
        )
    return np.bincount(of, minlength=len(names)), np.isin(codes[0], codes[1])


def _weights(cluster: Ints, names: list[Any], design: Any, values: Floats | None) -> Floats | None:
    """The weight of each cluster, if weights were given."""
    if isinstance(design, Mapping):
        weights = _by_cluster(design, names, "a weight")
    elif design in DESIGNS or values is None:
        return None
    else:
        weights = np.zeros(len(names))
        weights[cluster] = values
        if (differ := np.flatnonzero(weights[cluster] != values)).size:
            raise ClusterdiffError(
                f"the records of cluster {shown(names[cluster[differ[0]]])} have different "
                "weights.",
                "give all records of a cluster the same weight.",
            )
    if (wrong := np.flatnonzero(~((weights > 0) & (weights < math.inf)))).size:
        raise ClusterdiffError(
            f"the weight of cluster {shown(names[wrong[0]])} is not a number above 0.",
            "the weight of a cluster is 1 over its probability to be drawn.",
        )
    return weights


def _by_cluster(given: Mapping[Any, Any], names: list[Any], what: str) -> Floats:
    """A number for each cluster, from a dict whose keys may also be the labels as text."""
    written = {str(key): value for key, value in given.items()}
    missing = [name for name in names if name not in given and str(name) not in written]
    noun = what.removeprefix("a ")
    if missing:
        raise ClusterdiffError(
            f"{len(missing):,} of {len(names):,} clusters have no {noun}: {examples(missing)}.",
            f"give {what} for each cluster of the sample.",
        )
    numbers = [given[name] if name in given else written[str(name)] for name in names]
    try:
        return np.array(numbers, np.float64)
    except (TypeError, ValueError):
        raise ClusterdiffError(
            f"{noun} of clusters are numbers.", "give a dict of numbers."
        ) from None


def _out_of(out_of: Any, design: Any, drawn: Ints) -> int | None:
    if out_of is None:
        return None
    if design != "clusters":
        raise ClusterdiffError(
            "out_of is for clusters that were drawn alike and without replacement.",
            "leave it out: intervals are then for a population much larger than the sample.",
        )
    if isinstance(out_of, bool) or not isinstance(out_of, int) or out_of <= int(drawn.sum()):
        raise ClusterdiffError(
            f"out_of is the number of all clusters, more than the {int(drawn.sum()):,} that were "
            f"drawn; got {shown(out_of)}.",
            "leave it out if it is unknown.",
        )
    return out_of
