"""Several clusterings of the same objects: runs, releases, levels, annotators."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.base import Origin
from clusterdiff.clusterings.columns import column, joined
from clusterdiff.clusterings.counts import with_row_counts
from clusterdiff.clusterings.grouping import number
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.contingency import ABSTAIN
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.columns import IDS, Columns, is_frame, is_unnamed, known
from clusterdiff.engines.counts import UNKNOWN
from clusterdiff.engines.label_checks import Notes, check_side, read_notes
from clusterdiff.engines.memory import (
    alike,
    alone,
    check_no_nulls,
    match_ids,
    numbered_clusters,
    numbered_together,
)
from clusterdiff.engines.protocol import kind_of
from clusterdiff.engines.samples import with_samples
from clusterdiff.errors import (
    FRAME,
    LOOK,
    AlignmentError,
    ClusterdiffError,
    InputError,
    a_type,
    examples,
    partitions_only,
    shown,
    spelled_most,
    with_article,
)
from clusterdiff.io.adapters import annotation_of, index_of
from clusterdiff.io.adapters import is_clustering as is_clustering
from clusterdiff.io.arguments import (
    column_of,
    counted_sides,
    settle_indexes,
    side,
    source_column,
)
from clusterdiff.io.read import MARKS, expanded, names_of
from clusterdiff.io.session import EngineSessions

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering, Column
    from clusterdiff.contingency import Policy
    from clusterdiff.engines.protocol import Table

if TYPE_CHECKING:
    Side = AnyClustering | Table


class LabelledRuns(NamedTuple):
    """Runs on one numbering of their objects."""

    names: list[str]
    clusters: list[Ints]
    """For each run the number of the cluster of every object, -1 where it is missing."""
    labels: list[Column]
    """For each run what its clusters are called, by number; singletons made of noise or of missing
    objects have numbers behind these.
    """
    ids: Column | None
    """What the objects are called; None where runs count by position."""
    missing: list[int]
    """How many of the objects each run lacks."""
    noise: list[int]
    """How many objects each run calls noise."""
    index: Any = None
    """The index of pandas that the runs came with, where they count by position."""
    counts: Ints | None = None
    """How many objects each one stands for, where they have counts."""
    notes: Notes = ()
    """How runs were read where that may not be what was meant."""
    sources: Ints | None = None
    """The number of the source of each object, where only pairs across sources count."""

    @property
    def objects(self) -> int:
        """How many objects any run has."""
        return self.clusters[0].size

    def id_of(self, place: int) -> Any:
        """What an object is called, or its position."""
        return int(place) if self.ids is None else self.ids[place]


@dataclass(frozen=True, eq=False)
class Runs:
    """Several clusterings by name, each where it is."""

    sessions: EngineSessions
    sides: dict[str, Side]

    @property
    def names(self) -> list[str]:
        """What the clusterings are called."""
        return list(self.sides)

    def partitions(self) -> dict[str, Partition]:
        """All of them in memory; other kinds than partitions are refused."""
        self.check_other_kinds()
        made = {}
        for name, one in self.sides.items():
            found = self.sessions.loaded(one)
            _check_kind(name, found.kind)
            assert isinstance(found, Partition)
            made[name] = found
        return made

    def with_sources(self, name: str) -> Runs:
        """The same in memory, with sources in the place of samples; what one run says of an object
        holds for all.
        """
        from clusterdiff.io.between import with_sources

        made = with_sources([self.sessions.loaded(one) for one in self.sides.values()], name)
        return Runs(self.sessions, dict(zip(self.sides, made, strict=True)))

    def check_other_kinds(self) -> None:
        """Refuse clusterings in which an object may be in several clusters, and mentions that match
        those of a truth.
        """
        for name, one in self.sides.items():
            if isinstance(one, Partition) and one.mentions is not None:
                raise ClusterdiffError(
                    f"the mentions of {shown(name)} match those of a truth, and runs have none.",
                    'leave match and zeros out of as_="corefud(…)".',
                )
            _check_kind(name, kind_of(one))

    def labelled(self, policy: Policy) -> LabelledRuns:
        """All of them on the same objects, as the policy says of those that a run lacks."""
        if policy.align == "penalise":
            raise ClusterdiffError(
                "several runs have no truth that objects could be missing from.",
                'use align="shared" (left out where they are missing)'
                + (', align="abstain"' if ABSTAIN in policy.alignments else "")
                + ' or align="singletons".',
            )
        sides, plan = self.partitions(), plan_of(policy, "partition")
        notes = read_notes(self.sides)
        for name, one in sides.items():
            notes += check_side(name, [one], policy)
        code, ids, objects = numbered_objects(sides)
        counts = counts_of(sides.values(), code, ids, objects)
        sources = None
        for own, one in zip(code, sides.values(), strict=True):
            if one.sources is not None:
                sources = np.full(objects, -1) if sources is None else sources
                sources[own] = one.sources
        notes += near_misses(list(sides), code, ids, objects)
        clusters, labels, missing, noise = [], [], [], []
        for (name, one), own in zip(sides.items(), code, strict=True):
            codes, many = number(one.labels.keys)
            labels.append(one.labels.take(_examples(codes, many)))
            missing.append(objects - own.size)
            nulls = one.labels.nulls() if plan.null("partition") is Fate.MISSING else None
            in_order = bool((own[1:] > own[:-1]).all())
            if not missing[-1] and not plan.labels and nulls is None and in_order:
                check_no_nulls(name, one, plan)
                clusters.append(codes)
                noise.append(0)
                continue
            where = np.full(objects, -1)
            where[own] = np.arange(own.size)
            found = numbered_clusters(name, one, where, plan)
            if counts is not None and alone(where, found.noise, plan).any():
                raise ClusterdiffError(
                    "runs with counts take no singletons: each copy of an object would be a "
                    "cluster of its own.",
                    'use align="shared" or noise_as="drop".',
                )
            dropped = found.noise if plan.noise is Fate.DROPPED else np.zeros(objects, np.bool_)
            if nulls is not None:
                dropped |= np.append(nulls, False)[where]
                missing[-1] += int(nulls.sum())
            clusters.append(np.where(dropped, -1, found.code))
            noise.append(int(found.noise.sum()))
            if missing[-1] and plan.lacked is Fate.REFUSED:
                abstain = ABSTAIN in policy.alignments
                raise _lacking(name, np.flatnonzero(where < 0), objects, ids, len(sides), abstain)
        index = None if ids is not None else next(iter(sides.values())).index
        names = list(sides)
        return LabelledRuns(
            names, clusters, labels, ids, missing, noise, index, counts, notes, sources
        )


def counts_of(
    sides: Collection[Partition], code: Sequence[Ints], ids: Column | None, objects: int
) -> Ints | None:
    """How many objects each number stands for, where sides have counts."""
    if not any(side.counts is not None for side in sides):
        return None
    made = np.full(objects, UNKNOWN)
    for own, one in zip(code, sides, strict=True):
        if one.counts is not None:
            made[own] = one.counts
    unknown = np.flatnonzero(made < 0)
    if unknown.size:
        some = unknown[:3] if ids is None else ids.take(unknown[:3])
        raise InputError.from_uncounted(unknown.size, some.tolist())
    return made


@contextmanager
def opened_runs(
    given: Any,
    *,
    engine: Any = None,
    least: int = 2,
    what: str = "a matrix compares",
    count: Any = None,
    between: Any = None,
    beside: bool = False,
) -> Iterator[Runs]:
    """Clusterings by name: from a dict, a list, a frame with a column for each, or files; with the
    sources of their objects in place of samples. They may be `beside` others that have the same
    counts.
    """
    source = source_column(between)
    named = named_runs(given, least, what, column_of(count), source)
    with EngineSessions(engine) as sessions, partitions_only():
        made = [side(sessions, one, None, source, column_of(count)) for one in named.values()]
        settle_indexes(made)
        made = made if beside else counted_sides(sessions, made, count)
        if between is not None and source is None:
            of = between if isinstance(between, Mapping) else column(between)
            made = [with_samples(sessions.loaded(one), of, "source") for one in made]
        yield Runs(sessions, dict(zip(named, made, strict=True)))


def named_runs(
    given: Any, least: int, what: str, count: str | None = None, samples: str | None = None
) -> dict[str, Any]:
    """What is given, taken apart into clusterings with names; `count` is a column of counts, and
    `samples` one of samples, where there is one.
    """
    if isinstance(given, Mapping):
        if given and not any(map(is_clustering, given.values())):
            check_few(1, least, what)
            given = {"": given}
        pairs = [(str(name), one) for name, one in given.items()]
    elif isinstance(given, str | os.PathLike):
        pairs = named_paths([os.fspath(given)])
    elif is_list_of_sets(given) or isinstance(given, Partition):
        pairs = [("", given)]
    elif isinstance(given, list | tuple):
        pairs = _of_list(list(given), least, what)
    elif getattr(given, "ndim", 0) == 2 and not is_frame(given):
        raise InputError(
            f"an array of {len(given):,} x {len(given[0]):,} numbers could have a run in each "
            "column or in each row.",
            "give a list of runs: list(array.T) where each column is a run, list(array) where each "
            "row is.",
        )
    elif is_frame(given) and not hasattr(given, "dtype"):
        has = samples is not None and samples in map(str, given.columns)
        pairs = [*partitions_of_frame(given, samples=samples if has else None, count=count)]
    else:
        if annotation_of(given) is not None:
            raise InputError(
                f"{a_type(given)} is not a clustering; its runs are columns of its obs.",
                'give these columns: adata.obs[["leiden_0.5", "leiden_1.0"]].',
            )
        pairs = [("", given)]
    twice = [name for name, often in Counter(name for name, _ in pairs).items() if often > 1]
    if twice:
        raise InputError(
            f"two runs are called {twice[0]!r}.",
            "give a dict, or columns with different names.",
        )
    check_few(len(pairs), least, what, [given] if isinstance(given, str) else ())
    return dict(pairs)


def check_few(found: int, least: int, what: str, paths: Sequence[str] = ()) -> None:
    """Refuse fewer clusterings than a job is for; `paths` are those that were given."""
    number = {1: "one clustering", 2: "two clusterings"}[least]
    if found < least:
        pattern = len(paths) == 1 and any(mark in paths[0] for mark in MARKS)
        matched = f": {paths[0]} matches only one" if pattern else ""
        raise InputError(
            f"{what} at least {number}, got {found:,}{matched}.",
            'give a dict, {"a": run_a, "b": run_b}, a list of clusterings, or a frame with a '
            "column for each.",
            "name several files, or columns of one: table.csv::run_1 table.csv::run_2, or "
            "'table.csv::run_*'.",
        )


def named_paths(paths: Sequence[str], **how: Any) -> list[tuple[str, str]]:
    """Files and columns of files, patterns expanded, with the shortest names that differ."""
    every = [one for path in paths for one in expanded(path, **how)]
    return list(zip(names_of(every), every, strict=True))


def _of_list(given: list[Any], least: int, what: str) -> list[tuple[str, Any]]:
    """Clusterings of a list, named by their places; paths by what they are called."""
    if given and all(isinstance(one, str | os.PathLike) for one in given):
        return list(named_paths([os.fspath(one) for one in given]))
    if not all(map(is_clustering, given)):
        check_few(1, max(least, 2), what)
    return [(str(place), one) for place, one in enumerate(given, 1)]


def partitions_of_frame(
    frame: Any,
    wanted: Sequence[str] | None = None,
    parts: Sequence[str] = (),
    samples: Any = None,
    count: str | None = None,
) -> list[tuple[str, Partition]]:
    """A partition for each column, or for those that are wanted, but that of the ids; of pandas the
    index is the ids where no column is. `parts` are columns that are the id, together. `samples`
    names the column of the samples, or has one sample per row: ids are those of a sample then.
    `count` names a column that says how many objects each row stands for.
    """
    import narwhals as nw

    named = samples if isinstance(samples, str) else None
    index = index_of(frame)
    if index is not None:
        names = list(map(str, frame.columns))
        taken = [frame.iloc[:, place] for place in range(len(names))]
    else:
        data = nw.from_native(frame)
        data = data.collect() if isinstance(data, nw.LazyFrame) else data
        names = list(data.columns)
        taken = [data[name].to_native() for name in names]
    count = count if count in names else None
    if parts:
        own: str | None = "/".join(parts)
    else:
        own = id_among(FRAME, [n for n in names if n not in (*(wanted or ()), named, count)])
    read = Columns("", own, None, parts=tuple(parts) if len(parts) > 1 else ())
    ids = read.ids(FRAME, lambda name: taken[names.index(name)])
    columns = zip(names, taken, strict=True)
    besides = {own, count, named}
    chosen = [
        (n, one) for n, one in columns if (n not in besides if wanted is None else n in wanted)
    ]
    if named is not None:
        samples = taken[names.index(named)]
    made = [(name, Partition(one, ids, samples)) for name, one in chosen]
    each = None if count is None else column(taken[names.index(count)])
    for name, one in made:
        if each is not None and count is not None:
            with_row_counts(one, each, count, ids, samples)
        one.index = index if own is None else None
        others = Columns(name, own, named, parts=read.parts, count=count).beside(names).others
        one.origin = Origin(name, own, named, parts=read.parts, others=others, count=count)
        one.source = frame
    return made


def id_among(path: str, names: Sequence[str]) -> str | None:
    """The column of the ids among columns of runs, if there is one."""
    found = known(path, names, IDS, names)
    return names[0] if found is None and names and is_unnamed(names[0]) else found


def numbered_objects(sides: Mapping[str, Partition]) -> tuple[list[Ints], Column | None, int]:
    """The number of each object of each run, equal where they are one; refused where that cannot be
    known.
    """
    name, first = next(iter(sides.items()))
    for other, one in sides.items():
        if (first.ids is None) != (one.ids is None):
            has, lacks = (name, other) if one.ids is None else (other, name)
            raise AlignmentError.from_one_sided_ids(has, lacks)
        if first.ids is None and len(first) != len(one):
            raise AlignmentError(
                f"{name} has {len(first):,} labels, {other} has {len(one):,}. Without ids all runs "
                "must list the same objects in the same order.",
                "give ids, e.g. cd.Partition(labels, ids=...), or dicts from id to label.",
                "give all of them a column of ids (--id names it).",
            )
        if first.ids is not None and one.ids is not None:
            alike(first.ids, one.ids, (name, other))
    if first.ids is None:
        return [np.arange(len(first))] * len(sides), None, len(first)
    known = [one.ids for one in sides.values() if one.ids is not None]
    if len(known) == 2:
        return _numbered_pair(known[0], known[1])
    code, ids = numbered_together(known)
    return code, ids, len(ids)


def near_misses(
    names: Sequence[str], code: Sequence[Ints], ids: Column | None, objects: int
) -> Notes:
    """A note for each run on ids that others have only in another spelling; of two runs one."""
    if ids is None or all(one.size == objects for one in code):
        return ()
    with_alignment = np.bincount(np.concatenate(code), minlength=objects)
    told, seen = [], set[frozenset[Any]]()
    for name, own in zip(names, code, strict=True):
        lacks = np.ones(objects, np.bool_)
        lacks[own] = False
        alone = np.sort(own[with_alignment[own] < len(code)])
        others = (ids.take(some[:LOOK]).tolist() for some in (alone, np.flatnonzero(lacks)))
        found = spelled_most(*others)
        if found is not None and frozenset(found.example) not in seen:
            seen.add(frozenset(found.example))
            told.append((name if len(names) > 2 else "", found.note()))
    return tuple(told)


def _numbered_pair(first: Column, second: Column) -> tuple[list[Ints], Column, int]:
    """The same for two columns of distinct ids, without sorting: those of the first, then the
    others of the second.
    """
    left, right = alike(first, second)
    found = match_ids(left, right)
    own, code = np.arange(len(left)), np.arange(len(right))
    if found.truth is not None and found.guess is not None:
        code[found.guess] = found.truth
        code[found.only_guess] = len(left) + np.arange(found.only_guess.size)
    ids = joined(left, right.take(found.only_guess))
    return [own, code], ids, len(ids)


def _examples(codes: Ints, many: int) -> Ints:
    """The first object of each cluster, which is looked for among the first objects first."""
    found = np.full(many, -1)
    for size in (min(codes.size, 64 * many + 1024), codes.size):
        found[codes[:size][::-1]] = np.arange(size)[::-1]
        if size == codes.size or found.min() >= 0:
            break
    return found


def _check_kind(name: str, kind: str) -> None:
    if kind != "partition":
        raise ClusterdiffError(
            f"{shown(name)} is {with_article(kind)} clustering, and this is for partitions: each "
            "object is in one cluster, and that is known.",
            "take the cluster of the largest degree of each object, or compare two at a time with "
            "cd.compare.",
        )


def _lacking(
    name: str, places: Ints, objects: int, ids: Column | None, runs: int, abstain: bool
) -> AlignmentError:
    some = [int(p) if ids is None else ids[p] for p in places[:3]]
    return AlignmentError(
        f"{places.size:,} of {objects:,} objects of all {runs:,} runs are not in {name} "
        f"({examples(some)}).",
        'say what becomes of them: align="shared" (left out where they are missing)'
        + (', align="abstain" (a pair counts only in the runs that have both)' if abstain else "")
        + ' or align="singletons" (a cluster of their own).',
    )
