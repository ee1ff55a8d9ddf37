"""A new run under the ids of the old one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from clusterdiff.backends.table import Table
from clusterdiff.clusterings.encode.column import Column
from clusterdiff.errors import AlignmentError, ClusterdiffError, NothingShared, examples
from clusterdiff.errors.partitions_only import partitions_only
from clusterdiff.inputs import Workshop, settle_indexes, side
from clusterdiff.inputs.releases.choose import releases_of
from clusterdiff.inputs.releases.memory import MemoryReleases
from clusterdiff.inputs.runs import Runs
from clusterdiff.many.fresh import fitting_ids
from clusterdiff.many.lives import KnownNames, renamed
from clusterdiff.many.renaming import check_min_share
from clusterdiff.meet import Policy
from clusterdiff.results.describe import count
from clusterdiff.results.many.id_table import IdTable
from clusterdiff.results.render import markup
from clusterdiff.results.render.text import to_text, wrapped
from clusterdiff.results.render.writing import Place, placed

if TYPE_CHECKING:
    from clusterdiff.inputs.releases.protocol import Releases
    from clusterdiff.inputs.runs import Side
    from clusterdiff.many.fresh import Fresh
    from clusterdiff.many.lives import Renaming

SHOWN = 10
"""Rows of the table that are printed."""


@dataclass(frozen=True)
class Rules:
    """How ids are handed on."""

    retired: Iterable[Any] = ()
    fresh: Fresh | None = None
    min_share: float | None = None
    revive: bool = False


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
    engine: Any = None,
) -> Relabelled:
    """The new run under the ids of the old one: as many objects as possible keep their id.

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
    objects once had. Objects labelled `noise` are in no cluster, and stay noise.
    """
    check_min_share(min_share)
    before = _listed(history)
    rules = Rules(retired, fresh, min_share, revive)
    with Workshop(engine) as shop, partitions_only():
        sides = {f"history {k}": side(shop, one, None) for k, one in enumerate(before, 1)}
        sides |= {"old": side(shop, old, None), "new": side(shop, new, None)}
        settle_indexes(sides.values())
        heavy = None if weight is None else side(shop, weight, None)
        return relabel_sides(shop, sides, rules, Policy("shared", noise, "drop"), heavy)


def relabel_sides(
    shop: Workshop,
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
    _refuse_lengths(sides)
    releases = releases_of(Runs(shop, sides), policy, weight, last_alone=True)
    new, names = len(sides) - 1, KnownNames()
    for release in range(new):
        ids = names.numbers(releases.labels(release))
        releases.name(release, ids)
    retired = _retired(rules.retired, names, ids)
    found = renamed(
        releases, new, names, retired=retired,
        besides=[] if policy.noise_labels is None else policy.noise_labels,
        fresh=rules.fresh, min_share=share, revive=rules.revive,
    )  # fmt: skip
    _refuse_strangers(releases, found)
    done = Relabelled(found, names.values, releases, retired, releases.noise[-1])
    if not isinstance(releases, MemoryReleases):
        finalize(done, shop.kept_open().close)
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


def _refuse_lengths(sides: Mapping[str, Side]) -> None:
    """Refuse runs without ids that cannot have the same objects."""
    sizes = [len(one) for one in sides.values() if not isinstance(one, Table) and one.ids is None]
    if len(sizes) == len(sides) and len(set(sizes)) > 1:
        listed = " and ".join(f"{size:,}" for size in sizes[-2:])
        raise AlignmentError(
            f"old and new list {listed} objects without ids.",
            "give ids, so that objects can be told apart.",
        )


def _retired(given: Iterable[Any], names: KnownNames, old: Any) -> list[Any]:
    """Ids that must not be used again; none that the old run still has."""
    listed = given.tolist() if isinstance(given, Column | np.ndarray) else list(given)
    fitting = list(dict.fromkeys(fitting_ids(listed, names.values)))
    if fitting:
        alive = set(names.values.take(old).tolist()) & set(fitting)
        if alive:
            raise ClusterdiffError(
                f"{count(len(alive), 'id')} of the old run {_are(len(alive))} retired "
                f"({examples(sorted(alive, key=str))}), and retired ids are never used again.",
                "leave ids that are in use out of retired.",
                "leave ids that are in use out of --retired.",
            )
    return fitting


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _refuse_strangers(releases: Releases, found: Renaming) -> None:
    if not found.shared and found.old.size and found.taken.size:
        raise NothingShared(
            "old and new have no object in common, so there is no id to keep.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Relabelled:
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
        """Share of the shared objects that keep their id; no renaming keeps more."""
        return self.kept / self.shared if self.shared else 1.0

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
        target = self._found.main_new[ended]
        ids = np.append(self._found.given, -1)[target]
        names = self._names.take(np.maximum(ids, 0)).tolist() if ids.size else []
        now = [name if own >= 0 else None for name, own in zip(names, ids.tolist(), strict=True)]
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

    def __repr__(self) -> str:
        return f"Relabelled({self.sentence()})"

    def __str__(self) -> str:
        return self.to_text()

    def sentence(self) -> str:
        """How many objects and ids were kept."""
        kept, *rest = self.ids.items()
        told = [count(kept[1], "id") + " kept"]
        told += [f"{n:,} {what}" for what, n in rest if n or what != "revived"]
        keep = "keeps its" if self.shared == 1 else "keep their"
        objects = f"{self.kept:,} of {count(self.shared, 'object')}"
        return f"{objects} {keep} id ({100 * self.share:.1f} %): {', '.join(told)}"

    def notes(self) -> list[str]:
        """What else to know."""
        told = []
        if (heavy := self.weighted_share) is not None:
            told.append(f"By weight, {100 * heavy:.1f} % keep their id.")
        if self.noise:
            told.append(f"{count(self.noise, 'object')} of the new run: noise, in no cluster.")
        return told

    def to_text(self, width: int | None = None, top: int | None = SHOWN) -> str:
        """The result for a terminal of this width: the largest rows of the table."""
        columns = width or shutil.get_terminal_size().columns
        parts = [wrapped(self.sentence(), columns)]
        table = self.table.cells(top)
        if table.rows:
            parts.append(to_text(table, columns))
        parts += [wrapped(note, columns) for note in self._limits(len(table.rows))]
        return "\n\n".join(parts)

    def _limits(self, shown: int) -> list[str]:
        same = self.events["same"]
        more = len(self.table) - same - shown
        told = [f"{count(same, 'cluster')} with the same objects."] if same else []
        told += [f"{count(more, 'more row')} not shown."] if more else []
        return ([" ".join(told)] if told else []) + self.notes()

    def to_markdown(self, top: int | None = SHOWN) -> str:
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
            "ids": self.ids,
            "events": self.events,
            "noise": self.noise,
            "redirects": [{"old": old, "id": id} for old, id in self.redirects.items()],
            "retired": self.retired,
            "table": self.table.records(),
        }

    def to_json(self, indent: int | None = 2, top: int | None = None) -> str:
        """Everything, as JSON."""
        return markup.to_json(self.to_dict(), indent)

    def to_frame(self, library: str = "pandas") -> Any:
        """The table of ids as a pandas, polars or pyarrow frame."""
        return self.table.to_frame(library)

    def redirects_to_csv(self) -> str:
        """A line for each id that ends here: old, id."""
        if not self.redirects:
            return "old,id\n"
        return markup.records_to_csv(
            [{"old": old, "id": now} for old, now in self.redirects.items()]
        )

    def write(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write the new run under its ids, as CSV or Parquet by the ending of the name."""
        with placed(path, inputs, check_ending(path)) as beside:
            self._releases.write(self._new, self._ids, beside)


def check_ending(path: Place) -> str:
    """The ending of a file for a clustering; others are refused."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if not ending and os.fspath(path).startswith("/dev/"):
        return ".csv"
    if ending not in (".csv", ".tsv", ".parquet", ".pq"):
        raise ClusterdiffError(
            f"a clustering cannot be written as {os.fspath(path)}.",
            "name the file .csv, .tsv or .parquet.",
        )
    return ending
