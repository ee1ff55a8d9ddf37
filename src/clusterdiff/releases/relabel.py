"""A new run under the ids of the old one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from clusterdiff.clusterings.columns import Column
from clusterdiff.contingency import Policy
from clusterdiff.engines.protocol import Table
from clusterdiff.errors import (
    ClusterdiffError,
    NothingShared,
    examples,
    partitions_only,
)
from clusterdiff.io import EngineSessions, settle_indexes, side
from clusterdiff.io.arguments import column_of, counted_sides
from clusterdiff.io.runs import Runs
from clusterdiff.io.sides import said
from clusterdiff.output import markup
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Renderable, frame_of, read_lines
from clusterdiff.output.table import CellTable, percent
from clusterdiff.output.text import shown_name, wrapped
from clusterdiff.output.writing import Place, check_ending, placed
from clusterdiff.releases.id_history import (
    BORN,
    DIED,
    KINDS,
    MERGED,
    SPLIT,
    KnownNames,
    check_fresh,
    check_min_share,
    fitting_ids,
    renamed,
    unfinished,
)
from clusterdiff.releases.joins import MemoryReleases, releases_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.io.runs import Side
    from clusterdiff.releases.id_history import Fresh, Renaming
    from clusterdiff.releases.joins import Releases

# What became of each id, and why: a row per old id, and per new cluster without one.

COLUMNS = ("old", "new", "id", "shared", "of_old", "of_new", "event", "reason")


@dataclass(frozen=True, eq=False)
class IdTable:
    """The rows, by place: old ids in their order, then new clusters without an old id."""

    renaming: Renaming
    names: Column
    """What ids are called, by number."""
    labels: Column
    """What the new run calls its clusters."""

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """For each row the place of its old id and of its new cluster, -1 for none."""
        found = self.renaming
        unnamed = np.flatnonzero(found.taken < 0)
        old = np.concatenate([np.arange(found.old.size), np.full(unnamed.size, -1)])
        return old, np.concatenate([found.kept_by, unnamed])

    def __len__(self) -> int:
        return int(self._rows[0].size)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records())

    def __repr__(self) -> str:
        return f"IdTable({count(len(self), 'row')}: {', '.join(COLUMNS)})"

    def records(self, rows: Ints | None = None) -> list[dict[str, Any]]:
        """All rows, or some of them, as records."""
        chosen = np.arange(len(self)) if rows is None else rows
        columns = self._columns(chosen)
        return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]

    def to_frame(self, library: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame; ids that are whole numbers stay so beside gaps."""
        records = self.records()
        frame = frame_of(records, library, COLUMNS)
        if library == "pandas":
            for name in COLUMNS:
                values = [record[name] for record in records]
                if None in values and all(one is None or type(one) is int for one in values):
                    frame[name] = _whole(values)
        return frame

    def to_csv(self) -> str:
        """A line per row."""
        return markup.records_to_csv(self.records(), COLUMNS)

    def largest(self, most: int | None) -> Ints:
        """The rows to act on, among those that are not a cluster with the same objects: retired
        ids, then new and revived ones, then kept ones, each with the largest first.
        """
        old, new = self._rows
        sizes = self.renaming.overlaps.old_size, self.renaming.overlaps.new_size
        size = [np.append(own, 0)[at] for own, at in zip(sizes, (old, new), strict=True)]
        events = self.renaming.events
        of_old = np.append(events.kind[events.of_old], -1)[old]
        changed = np.flatnonzero(of_old != 0)
        kept = np.where(new < 0, 0, np.where(old < 0, 1, 2))
        order = np.lexsort((-np.maximum(*size)[changed], kept[changed]))
        return changed[order[:most]]

    def cells(self, most: int | None) -> CellTable:
        """The rows to act on first, formatted for display."""
        rows = [
            tuple(_cell(record[name], name in COLUMNS[:3]) for name in COLUMNS)
            for record in self.records(self.largest(most))
        ]
        return CellTable(tuple(name.replace("_", " ") for name in COLUMNS), tuple(rows))

    def _columns(self, rows: Ints) -> tuple[list[Any], ...]:
        found, over = self.renaming, self.renaming.overlaps
        old, new = (side[rows] for side in self._rows)
        events = found.events
        event = np.where(old >= 0, _at(events.of_old, old), _at(events.of_new, new))
        kept = np.zeros(found.old.size, np.int64)
        kept[over.old[found.kept_rows]] = over.shared[found.kept_rows]
        shared = np.where(new < 0, _at(over.old_shared, old), _at(kept, old))
        shared = np.where(old < 0, _at(over.new_shared, new), shared)
        ids = _named(self.names, _at(found.given, new))
        texts = zip(old.tolist(), new.tolist(), event.tolist(), shared.tolist(), strict=True)
        return (
            _named(self.names, _at(found.old, old)),
            _named(self.labels, new),
            ids,
            shared.tolist(),
            _sizes(over.old_size, old),
            _sizes(over.new_size, new),
            [KINDS[kind] for kind in events.kind[event].tolist()],
            [self._reason(*row) for row in texts],
        )

    def _reason(self, old: int, new: int, event: int, shared: int) -> str:
        found = self.renaming
        kind, size = int(found.events.kind[event]), int(_at(found.overlaps.old_size, old))
        if old >= 0 and new >= 0:
            return f"kept: {shared:,} of {count(size, 'object')}"
        if new < 0:
            target, share = int(found.main_new[old]), found.min_share
            if kind == DIED or target < 0:
                return "retired: objects gone"
            most = int(found.most_together[old])
            if share is not None and most * share.denominator <= size * share.numerator:
                return (
                    f"retired: at most {most:,} of {count(size, 'object')} stayed together, which "
                    f"is not more than {float(share):.3g}"
                )
            into = shown_name(self.names[int(found.given[target])])
            return f"retired: {'merged into' if kind == MERGED else 'most objects now in'} {into}"
        source = int(found.main_old[new])
        if revived := int(found.revived[new]):
            return f"revived: {revived:,} of its objects had it"
        if kind == BORN or source < 0:
            return "new: all objects are new"
        name = shown_name(self.names[int(found.old[source])])
        return f"new: split from {name}" if kind == SPLIT else f"new: most objects come from {name}"


def _at(values: Ints, place: Any) -> Ints:
    """Values at these places, -1 for -1."""
    return np.asarray(np.append(values, -1)[place])


def _named(names: Column, numbers: Ints) -> list[Any]:
    """Names, None for -1."""
    if not len(names):
        return [None] * numbers.size
    found = names.take(np.maximum(numbers, 0)).tolist()
    return [name if own >= 0 else None for name, own in zip(found, numbers.tolist(), strict=True)]


def _sizes(sizes: Ints, place: Ints) -> list[int | None]:
    return [size if size >= 0 else None for size in _at(sizes, place).tolist()]


def _whole(values: list[int | None]) -> Any:
    """A column of pandas that has whole numbers and gaps."""
    import pandas as pd

    large = any(one is not None and abs(one) >= 2**63 for one in values)
    return pd.array(values, dtype="object" if large else "Int64")


def _cell(value: Any, is_name: bool) -> str:
    if value is None:
        return "—"
    return shown_name(value) if is_name or isinstance(value, str) else f"{value:,}"


IDS_SHOWN = 10
"""Rows of the table that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Relabelled(Renderable):
    """A run under the ids of the one before: the clustering, and what became of each id."""

    _found: Renaming
    _names: Column
    _releases: Releases
    _before: Sequence[Any]
    """Ids that were retired before."""
    noise: int
    """Objects of the new run that are noise, and in no cluster."""

    @property
    def kept(self) -> int:
        """Objects that keep their id."""
        return self._found.kept

    @property
    def shared(self) -> int:
        """Objects that had an id and are in the new run."""
        return self._found.shared

    @property
    def share(self) -> float:
        """Share of the shared objects that keep their id; no renaming keeps more, or not much more:
        see `of_best`.
        """
        return self.kept / self.shared if self.shared else 1.0

    @property
    def of_best(self) -> float:
        """How much of what the best renaming keeps this one keeps, at least, in objects or their
        weights. It is 1 unless more than 50,000 rows of the contingency table are tangled in one
        component and `exact` is off.
        """
        return self._found.of_best

    @property
    def weighted_share(self) -> float | None:
        """The same by weight, where objects have one."""
        weight = self._found.overlaps.weight
        if weight is None:
            return None
        total = int(weight.sum())
        return int(weight[self._found.kept_rows].sum()) / total if total else 1.0

    @cached_property
    def clustering(self) -> Any:
        """The new run under its ids: a Partition; of Spark frames, a frame."""
        return self._releases.renamed(self._new, self._ids)

    @cached_property
    def table(self) -> IdTable:
        """A row for each old id, and for each new cluster without one, with the reason."""
        return IdTable(self._found, self._names, self._releases.labels(self._new))

    @cached_property
    def redirects(self) -> dict[Any, Any]:
        """For each id that ends here, the id that most of its objects have now; None where all of
        them are gone.
        """
        ended = np.flatnonzero(self._found.kept_by < 0)
        now = _named(self._names, _at(self._found.given, self._found.main_new[ended]))
        return dict(zip(self._names.take(self._found.old[ended]).tolist(), now, strict=True))

    @cached_property
    def retired(self) -> list[Any]:
        """All ids that must not be used again: those given, and those that end here."""
        again = set(self._names.take(self._found.given[self._found.revived > 0]).tolist())
        every = dict.fromkeys([*self._before, *self.redirects])
        return [one for one in every if one not in again]

    @cached_property
    def ids(self) -> dict[str, int]:
        """How many ids were kept, retired, revived, and are new."""
        kept = int((self._found.taken >= 0).sum())
        revived = int((self._found.revived > 0).sum())
        fresh = self._found.taken.size - kept - revived
        retired = self._found.old.size - kept
        return {"kept": kept, "retired": retired, "revived": revived, "new": fresh}

    @property
    def events(self) -> dict[str, int]:
        """How many events of each kind there are."""
        return self._found.events.counts

    @property
    def _new(self) -> int:
        return len(self._releases.names) - 1

    @property
    def _ids(self) -> Column:
        return self._names.take(self._found.given)

    @property
    def read(self) -> tuple[str, ...]:
        """How runs were read where that may not be what was meant."""
        return said(self._releases.notes)

    def __repr__(self) -> str:
        return f"Relabelled({self.sentence()})"

    def sentence(self) -> str:
        """How many objects and ids were kept."""
        kept, *rest = self.ids.items()
        told = [count(kept[1], "id") + " kept"]
        told += [f"{n:,} {what}" for what, n in rest if n or what != "revived"]
        keep = "keeps its" if self.shared == 1 else "keep their"
        objects = f"{self.kept:,} of {count(self.shared, 'object')}"
        return f"{objects} {keep} id ({percent(self.share)}): {', '.join(told)}"

    def notes(self) -> list[str]:
        """What else to know."""
        told = []
        if (heavy := self.weighted_share) is not None:
            told.append(f"By weight, {percent(heavy)} keep their id.")
        told += unfinished(self.of_best)
        if self.noise:
            told.append(f"{count(self.noise, 'object')} of the new run: noise, in no cluster.")
        return told

    def blocks(self, width: int, top: int | None = IDS_SHOWN) -> Iterator[Block]:
        """What was kept, the rows of the table to act on, and what else to know."""
        yield "\n".join([wrapped(self.sentence(), width), *read_lines(self.read, width)])
        table = self.table.cells(top)
        if table.rows:
            yield table
        yield from (wrapped(note, width) for note in self._limits(len(table.rows)))

    def _limits(self, shown: int) -> list[str]:
        same = self.events["same"]
        more = len(self.table) - same - shown
        told = [f"{count(same, 'cluster')} with the same objects."] if same else []
        told += [f"{count(more, 'more row')} not shown."] if more else []
        return ([" ".join(told)] if told else []) + self.notes()

    def to_markdown(self, top: int | None = IDS_SHOWN) -> str:
        """The same as a Markdown table."""
        table = self.table.cells(top)
        body = [markup.to_markdown(table)] if table.rows else []
        notes = [markup.in_markdown(note) for note in self._limits(len(table.rows))]
        return "\n\n".join([markup.in_markdown(self.sentence()), *body, *notes])

    def to_csv(self, top: int | None = None) -> str:
        """The table of ids."""
        return self.table.to_csv()

    def to_dict(self) -> dict[str, Any]:
        """Everything, with stable keys."""
        return {
            "kept": self.kept,
            "shared": self.shared,
            "share": self.share,
            "weighted_share": self.weighted_share,
            "of_best": self.of_best,
            "ids": self.ids,
            "events": self.events,
            "noise": self.noise,
            "redirects": [{"old": old, "id": id} for old, id in self.redirects.items()],
            "retired": self.retired,
            "table": self.table.records(),
            **({"notes": list(self.read)} if self.read else {}),
        }

    def to_json(self, indent: int | None = 2, top: int | None = None) -> str:
        """Everything, as JSON."""
        return markup.document("relabel/1", self.to_dict(), indent)

    def to_frame(self, library: str = "pandas") -> Any:
        """The table of ids as a pandas, polars or pyarrow frame."""
        return self.table.to_frame(library)

    def redirects_to_csv(self) -> str:
        """A line for each id that ends here: old, id."""
        rows = [{"old": old, "id": now} for old, now in self.redirects.items()]
        return markup.records_to_csv(rows, ("old", "id"))

    def write(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write the new run under its ids, as CSV or Parquet by the ending of the name."""
        with placed(path, inputs, check_ending(path)) as beside:
            self._releases.write(self._new, self._ids, beside)


@dataclass(frozen=True)
class Rules:
    """How ids are handed on."""

    retired: Iterable[Any] = ()
    fresh: Fresh | None = None
    min_share: float | None = None
    revive: bool = False
    exact: bool = False


def relabel(
    old: Any,
    new: Any,
    *,
    retired: Iterable[Any] = (),
    fresh: Fresh | None = None,
    weight: Any = None,
    min_share: float | None = None,
    revive: bool = False,
    history: Any = None,
    noise: Any = None,
    count: Any = None,
    exact: bool = False,
    engine: Any = None,
) -> Relabelled:
    """Carry cluster ids over to a new run, so that as many objects as possible keep their id.

    >>> old = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"}
    >>> done = relabel(old, {1: "x", 2: "x", 3: "y", 4: "z", 5: "z", 6: "z"})
    >>> dict(zip(done.clustering.ids.tolist(), done.clustering.labels.tolist()))
    {1: 'a', 2: 'a', 3: 'y', 4: 'b', 5: 'b', 6: 'b'}
    >>> done.kept, done.shared, done.share
    (4, 5, 0.8)

    Each id is given to one cluster at most, and no other renaming keeps more objects under their
    id. Ties go to the larger Jaccard index, then to the smaller id and the cluster with the
    smallest object; labels of the new run and the order of rows do not matter. Clusters without an
    old id get a fresh one: whole numbers go on behind the largest id ever seen, text keeps the
    label of the new run if it is free, and `fresh` is a function from that label to an id.
    Ids in `retired` are never used again; `done.retired` has those to give next time.

    `weight` says how much each object counts (a dict, a table, or a list in the order of the new
    run). `min_share=0.5` keeps an id only where more than half of its objects stay together.
    `history` are earlier runs under their ids, the oldest first: an object that the old run lacks
    has its last known id, and `revive=True` gives a cluster without an id a retired one that its
    objects once had. Objects labelled `noise` are in no cluster, and stay noise. `count` says how
    many objects each one stands for, as in `compare`; a list is in the order of the new run.

    Where more than 50,000 rows of the contingency table are tangled in one component, a limited
    effort is made: `done.of_best` says how much of what the best renaming keeps is certain, 1.0 in
    most cases, and ties are left as they are found. `exact=True` insists on the best one.
    """
    check_min_share(min_share)
    check_fresh(fresh)
    before = _listed(history)
    rules = Rules(retired, fresh, min_share, revive, exact)
    with EngineSessions(engine) as sessions, partitions_only():
        runs = {f"history {k}": one for k, one in enumerate(before, 1)} | {"old": old, "new": new}
        made = [side(sessions, one, None, count=column_of(count)) for one in runs.values()]
        settle_indexes(made)
        last, *earlier = counted_sides(sessions, [made[-1], *made[:-1]], count)
        sides = dict(zip(runs, [*earlier, last], strict=True))
        heavy = None if weight is None else side(sessions, weight, None)
        return relabel_sides(sessions, sides, rules, Policy("shared", noise, "drop"), heavy)


def relabel_sides(
    sessions: EngineSessions,
    sides: dict[str, Side],
    rules: Rules,
    policy: Policy,
    weight: Side | None = None,
) -> Relabelled:
    """The same for runs that are opened: the last is the new one, the one before it the old one.
    Where they are too large for memory they stay open as long as the result is there.
    """
    share = check_min_share(rules.min_share)
    if rules.revive and len(sides) < 3:
        raise ClusterdiffError(
            "revive gives back ids that objects once had, and nothing says which they had before.",
            "give earlier runs under their ids: history=[run1, run2].",
            "give earlier runs under their ids: --history run1.csv.",
        )
    releases = releases_of(Runs(sessions, sides), policy, weight)
    new, names = len(sides) - 1, KnownNames()
    for release in range(new):
        ids = names.numbers(releases.labels(release))
        releases.name(release, ids)
    retired = _retired(rules.retired, names, ids)
    found = renamed(
        releases, new, names, retired=retired,
        besides=[] if policy.noise_labels is None else policy.noise_labels,
        fresh=rules.fresh, min_share=share, revive=rules.revive, exact=rules.exact,
    )  # fmt: skip
    if not found.shared and found.old.size and found.taken.size:
        raise NothingShared(
            "old and new have no object in common, so there is no id to keep.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )
    done = Relabelled(found, names.values, releases, retired, releases.noise[-1])
    there = any(isinstance(one, Table) and one.session.remote for one in sides.values())
    if there or not isinstance(releases, MemoryReleases):
        finalize(done, sessions.kept_open().close)
    return done


def _listed(history: Any) -> list[Any]:
    """Earlier runs: one, or several in a list or a dict."""
    if history is None:
        return []
    if isinstance(history, Mapping) and any(map(_is_run, history.values())):
        return list(history.values())
    if isinstance(history, list | tuple) and history and all(map(_is_run, history)):
        return list(history)
    return [history]


def _is_run(value: Any) -> bool:
    """Whether this is a run of its own, not a label."""
    if isinstance(value, str):
        return os.path.exists(value.rpartition("::")[0] or value)
    several = hasattr(value, "__len__") and not isinstance(value, bytes | tuple | frozenset)
    return several or isinstance(value, os.PathLike)


def _retired(given: Iterable[Any], names: KnownNames, old: Any) -> list[Any]:
    """Ids that must not be used again; none that the old run still has."""
    listed = given.tolist() if isinstance(given, Column | np.ndarray) else list(given)
    fitting = list(dict.fromkeys(fitting_ids(listed, names.values)))
    if fitting and (alive := set(names.values.take(old).tolist()) & set(fitting)):
        are = "is" if len(alive) == 1 else "are"
        raise ClusterdiffError(
            f"{count(len(alive), 'id')} of the old run {are} retired "
            f"({examples(sorted(alive, key=str))}), and retired ids are never used again.",
            "leave ids that are in use out of retired.",
            "leave ids that are in use out of --retired.",
        )
    return fitting
