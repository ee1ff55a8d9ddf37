"""How a sample of truth clusters was drawn: which they are, how often, and with which weights."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.backends.memory.match import numbered_together
from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.encode.column import is_null
from clusterdiff.clusterings.encode.group import by_appearance
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, examples, shown
from clusterdiff.errors.warn import warn
from clusterdiff.meet import Policy
from clusterdiff.statistics.sampled.estimate import Sampled

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings.encode.column import Column

DESIGNS = ("records", "clusters")
PLAIN = Policy()
OTHERS = "others_of_this_entity_not_listed_here"
"""The column in which a drawn record is asked for members of its cluster that have no line."""
ASKED = "?"
"""What stands there until it is answered."""
NONE = ("none", "-")
"""Answers that there are no others."""
SEPARATORS = ";,\n\t "
"""Each separates ids, if no id of the sample has it."""


class Sheet(NamedTuple):
    """A sample of truth as it was filled in."""

    side: Partition
    """The objects and their clusters, with hits or weights in the place of samples."""
    run: Sequence[Any] | None = None
    """The cluster of each object in the run that was drawn from, where the sample says so."""
    asked: int | None = None
    """Drawn records whose other members are still asked for; None where the sample asks nothing."""


def resolved(
    sheet: Sheet, design: Any, hits: Any, out_of: int | None = None, policy: Policy = PLAIN
) -> Sampled:
    """The clusters that were drawn; objects without a cluster, or with noise that is dropped, are
    in none of them.
    """
    side = sheet.side
    known = np.flatnonzero(~_without_cluster(side, policy))
    if not known.size:
        raise ClusterdiffError(
            "no object of the sample has a cluster.", "fill in the true clusters first."
        )
    labels = side.labels.take(known)
    ids = (column(np.arange(len(side))) if side.ids is None else side.ids).take(known)
    objects = Partition(labels, ids)
    cluster, first = by_appearance(labels.keys)
    names = labels.take(first).tolist()
    values = None if side.samples is None else _numbers(side, known, design)
    drawn, itself = _hits(ids, cluster, names, design, hits, values)
    own = _weights(cluster, names, design, values)
    made = Sampled(
        objects,
        by_appearance(objects.labels.keys)[0],
        names,
        drawn,
        design if design in DESIGNS else "weights",
        own,
        _out_of(out_of, design, drawn),
        len(side) if side.ids is None else None,
        **_lines(sheet, known, drawn, itself),
    )
    if not (drawn > 0).any():
        raise ClusterdiffError(
            "no cluster of the sample has a hit.", "say how often each was drawn."
        )
    return made if (drawn > 0).all() else made.some(np.flatnonzero(drawn[made.cluster] > 0))


def _lines(sheet: Sheet, known: Ints, hits: Ints, itself: Bools | None) -> dict[str, Any]:
    """What the lines of a sample say of where members were looked for.

    A sample that lists records of other clusters, too, may have members among these lines alone; if
    it does not say in which clusters of the run they are, a guess has to.
    """
    if itself is None or sheet.asked == 0:
        return {}
    told: dict[str, Any] = {}
    if sheet.asked is not None and sheet.asked < itself.sum():
        told["asked"] = sheet.asked
    if sheet.run is not None:
        run = [sheet.run[i] for i in known.tolist()]
        drawn = {one for one, was in zip(run, itself, strict=True) if was and not is_null(one)}
        beyond = (one not in drawn for one, was in zip(run, itself, strict=True) if not was)
        return told | {"listed_only": not any(beyond)}
    if known.size < len(sheet.side) or not (hits > 0).all():
        flags = np.zeros(len(sheet.side), np.int64)
        flags[known[itself]] = 1
        told["lines"] = Partition(flags, sheet.side.ids)
    return told


def with_others(side: Partition, cells: Sequence[Any], design: Any) -> Partition:
    """A sample with the members that have no line, as they are named beside those that do."""
    assert side.ids is not None
    ids, labels = side.ids.tolist(), side.labels.tolist()
    values = [None] * len(ids) if side.samples is None else side.samples.tolist()
    place = {id: i for i, id in enumerate(ids)}
    marks = "".join(mark for mark in SEPARATORS if not any(mark in str(id) for id in ids))
    for line, cell in enumerate(cells):
        for id in _members(cell, marks, side.ids):
            label = labels[line]
            at = place.setdefault(id, len(ids))
            if is_null(label) or (at < len(ids) and labels[at] not in (None, label)):
                which = "no cluster" if is_null(label) else f"the cluster {shown(label)}"
                other = f", and {shown(id)} has {shown(labels[at])}" if at < len(labels) else ""
                raise ClusterdiffError(
                    f"{shown(id)} is named beside {shown(ids[line])}, which has {which}{other}.",
                    "members of one cluster have the same name of it.",
                )
            if at == len(ids):
                ids.append(id)
                labels.append(label)
                values.append(None if design in DESIGNS else values[line])
            labels[at] = label
    return Partition(
        column(labels, written=side.labels.written),
        column(ids, written=side.ids.written),
        None if side.samples is None else column(values),
    )


def _members(cell: Any, marks: str, ids: Column) -> Iterator[Any]:
    """The ids that a cell names."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = "" if is_null(cell) else str(cell).strip()
    if text.casefold() in ("", ASKED, *NONE):
        return
    for one in re.split(f"[{re.escape(marks)}]+", text) if marks else [text]:
        try:
            if one.strip():
                yield {"integers": int, "numbers": float}.get(ids.family, str)(one.strip())
        except ValueError:
            known = examples(ids.tolist())
            raise ClusterdiffError(
                f"{shown(one)}, named as another member, is not an id like {known}.",
                f"write ids with a semicolon between them, or {NONE[0]}.",
            ) from None


def is_asked(cell: Any) -> bool:
    """Whether a cell still asks for the other members."""
    return isinstance(cell, str) and cell.strip() == ASKED


def _without_cluster(side: Partition, policy: Policy) -> Bools:
    """Which objects are in no sampled cluster."""
    nulls = side.labels.nulls()
    found = np.zeros(len(side), np.bool_) if nulls is None else nulls
    noise = policy.means_noise(side.labels)
    if (noise & ~found).any() and policy.noise_as != "drop":
        raise ClusterdiffError(
            f"{int(noise.sum()):,} objects of the sample are called noise, which is no cluster.",
            'noise_as="drop" if their clusters are not known; else give each a cluster of its own.',
        )
    return np.asarray(found | noise)


def _numbers(side: Partition, known: Ints, design: Any) -> Floats:
    """A column of hits or weights on the objects that have a cluster; blanks are 0."""
    assert side.samples is not None
    found = np.zeros(len(side))
    for i, value in enumerate(side.samples.tolist()):
        if is_null(value) or value == "":
            continue
        try:
            found[i] = float(value)
        except (TypeError, ValueError):
            found[i] = math.nan
        if not 0 <= found[i] < math.inf or (design == "records" and not found[i].is_integer()):
            raise ClusterdiffError(
                f"{shown(value)} is no {'number of hits' if design in DESIGNS else 'weight'} "
                f"(of {shown(side.id_of(i))}).",
                "give a number from 0 on, or leave it blank.",
            )
    if design in DESIGNS:
        left = np.setdiff1d(np.flatnonzero(found), known)
        if left.size:
            raise ClusterdiffError(
                f"{left.size:,} drawn {'record has' if left.size == 1 else 'records have'} no "
                f"cluster ({examples(side.id_of(int(i)) for i in left)}).",
                "resolve the cluster of every record that was drawn; one that is alone is a "
                "cluster of its own.",
            )
    return found[known]


def _hits(
    ids: Column, cluster: Ints, names: list[Any], design: Any, hits: Any, values: Floats | None
) -> tuple[Ints, Bools | None]:
    """How often each cluster was drawn, and which objects were, where that is known."""
    if hits is None and (values is None or design not in DESIGNS):
        return np.ones(len(names), np.int64), None
    if design == "clusters" and not isinstance(hits, Mapping):
        raise ClusterdiffError(
            "hits are of records, and clusters were drawn.",
            "give a dict from cluster to how often it was drawn, or leave hits= out.",
        )
    if isinstance(hits, Mapping):
        found = _by_cluster(hits, names, "hits")
        if not all(number >= 0 and number.is_integer() for number in found.tolist()):
            raise ClusterdiffError("hits are whole numbers from 0 on.", "count the draws.")
        return found.astype(np.int64), None
    if values is not None:
        sizes = np.bincount(cluster)
        large = sizes[cluster] > 1
        if large.any() and (values[large] > 0).all():
            warn(
                ClusterdiffWarning(
                    "all records of the sample have hits, as if every one of them had been drawn.",
                    "hits are blank or 0 for records that were resolved and not drawn; for hits of "
                    "clusters give a dict.",
                    "hits are blank or 0 for records that were resolved and not drawn.",
                ),
                ClusterdiffWarning,
            )
        return np.bincount(cluster, values, len(names)).astype(np.int64), values > 0
    drawn = column(hits)
    codes, every = numbered_together([ids, drawn])
    place = np.full(len(every), -1)
    place[codes[0]] = cluster
    of = place[codes[1]]
    if (of < 0).any():
        raise ClusterdiffError(
            f"{int((of < 0).sum()):,} drawn records are not in the sample "
            f"({examples(drawn[int(i)] for i in np.flatnonzero(of < 0)[:3])}).",
            "hits lists the records that were drawn, one as often as it was; the cluster of each "
            "is in the sample.",
        )
    return np.bincount(of, minlength=len(names)), np.isin(codes[0], codes[1])


def _weights(cluster: Ints, names: list[Any], design: Any, values: Floats | None) -> Floats | None:
    """The weight of each cluster, where weights were given."""
    if isinstance(design, Mapping):
        found = _by_cluster(design, names, "a weight")
    elif design in DESIGNS or values is None:
        return None
    else:
        found = np.zeros(len(names))
        found[cluster] = values
        if (found[cluster] != values).any():
            wrong = names[int(cluster[np.flatnonzero(found[cluster] != values)[0]])]
            raise ClusterdiffError(
                f"the records of cluster {shown(wrong)} have different weights.",
                "a weight is of a cluster: give all its records the same.",
            )
    if not ((found > 0) & (found < math.inf)).all():
        wrong = names[int(np.flatnonzero(~((found > 0) & (found < math.inf)))[0])]
        raise ClusterdiffError(
            f"the weight of cluster {shown(wrong)} is no number above 0.",
            "weigh a cluster by 1 over how likely it was to be drawn.",
        )
    return found


def _by_cluster(given: Mapping[Any, Any], names: list[Any], what: str) -> Floats:
    """A number for each cluster, from a dict whose keys may be written otherwise."""
    written = {str(key): value for key, value in given.items()}
    missing = [name for name in names if name not in given and str(name) not in written]
    if missing:
        raise ClusterdiffError(
            f"{len(missing):,} of {len(names):,} clusters have no {what.removeprefix('a ')}: "
            f"{examples(missing)}.",
            f"give {what} for each cluster of the sample.",
        )
    found = [given[name] if name in given else written[str(name)] for name in names]
    try:
        return np.array(found, np.float64)
    except (TypeError, ValueError):
        raise ClusterdiffError(
            f"{what.removeprefix('a ')} of clusters are numbers.", "give a dict of numbers."
        ) from None


def _out_of(out_of: Any, design: Any, drawn: Ints) -> int | None:
    if out_of is None:
        return None
    if design != "clusters":
        raise ClusterdiffError(
            "out_of is for clusters that were drawn alike and without replacement.",
            "leave it out, and intervals speak of data like this.",
        )
    if isinstance(out_of, bool) or not isinstance(out_of, int) or out_of <= int(drawn.sum()):
        raise ClusterdiffError(
            f"out_of is the number of all clusters, more than the {int(drawn.sum()):,} that were "
            f"drawn; got {shown(out_of)}.",
            "leave it out where it is not known.",
        )
    return out_of
