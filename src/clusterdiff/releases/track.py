"""Clusters followed over releases: events that add up, stability, and the lives of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import finalize

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError, did_you_mean, printable, shown
from clusterdiff.io.runs import opened_runs
from clusterdiff.io.sides import said
from clusterdiff.output import markup
from clusterdiff.output.describe import count
from clusterdiff.output.result import (
    Block,
    TableResult,
    frame_of,
    paragraphs,
    read_lines,
)
from clusterdiff.output.table import CellTable, percent
from clusterdiff.output.text import cut, shown_ids, wrap_columns
from clusterdiff.releases.id_history import (
    KINDS,
    MEANINGS,
    SAME,
    Events,
    check_stray,
    events_of,
    lives_of,
    unfinished,
)
from clusterdiff.releases.joins import MemoryReleases, releases_of

if TYPE_CHECKING:
    from fractions import Fraction

    from clusterdiff.clusterings.columns import Column
    from clusterdiff.contingency.cover import Overlaps
    from clusterdiff.io.runs import Runs
    from clusterdiff.releases.id_history import Lives
    from clusterdiff.releases.joins import Releases

# Stability of objects over releases: its mean and its spread.


class Stability(NamedTuple):
    """The mean over objects, the standard deviation, and quartiles."""

    mean: float
    sd: float
    low: float
    """The stability that a quarter of the objects are below."""
    median: float
    high: float
    objects: int

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.sd:.4f}" if self.objects else "—"

    def sentence(self) -> str:
        """The mean, the standard deviation and the middle half."""
        if not self.objects:
            return "no object is in two releases in a row"
        return (
            f"mean {self.mean:.4f}, sd {self.sd:.4f}, "
            f"half of them between {self.low:.4f} and {self.high:.4f}"
        )


def stability_of(value: Floats, objects: Ints) -> Stability:
    """Of so many objects of each stability; the same to the last bit in whatever order."""
    order = np.lexsort((objects, value))
    value, objects = value[order], objects[order]
    total = int(objects.sum())
    if not total:
        nothing = float("nan")
        return Stability(nothing, nothing, nothing, nothing, nothing, 0)
    mean = float((value * objects).sum() / total)
    sd = float(np.sqrt((objects * (value - mean) ** 2).sum() / total))
    below = np.cumsum(objects)
    low, median, high = (
        float(value[np.searchsorted(below, share * total)]) for share in (0.25, 0.5, 0.75)
    )
    return Stability(mean, sd, low, median, high, total)


def weighted(group: Ints, value: Floats, objects: Ints, groups: int) -> Floats:
    """The mean of each group; NaN of one without objects."""
    total = np.bincount(group, value * objects, groups)
    many = np.bincount(group, objects, groups)
    mean: Floats = np.divide(total, many, out=np.full(groups, np.nan), where=many > 0)
    return mean


TRACKS = "a track follows"
"""How an error begins where there are too few releases."""
EVENTS_SHOWN = 5
"""Events that are listed."""
FEW = 3
"""Clusters of an event that a displayed table names."""
NAMED = 100
"""Clusters of an event that a record names."""
PARTS = ("steps", "events", "clusters", "ids", "objects")
"""What a tracking can be written as."""
RELEASES = ("old", "new")
EVENT = ("step", "event", "old", "new", "olds", "news", "stayed", "moved", "joined", "gone",
         "arrived")  # fmt: skip
CLUSTER = ("release", "cluster", "id", "objects", "stability")
ID = ("id", "first", "last", "releases", "largest", "became")
OBJECT = ("id", "stability", "steps")


def track(
    releases: Any,
    *,
    stray: float = 0.0,
    noise: Any = None,
    count: Any = None,
    engine: Any = None,
) -> Tracking:
    """Follow clusters over releases: the fate of each, the stability of objects, and the ids that
    last.

    >>> old = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"}
    >>> story = track({"May": old, "June": {1: "x", 2: "x", 3: "y", 4: "z", 5: "z", 6: "z"}})
    >>> {event: n for event, n in story.steps[0].counts.items() if n}
    {'grown': 1, 'split': 1}
    >>> [(one["id"], one["releases"]) for one in story.ids]
    [('a', 2), ('b', 2), ('y', 1)]

    `releases` is a dict, a list, a frame with a column for each, or files, in the order of time.
    From each release to the next, clusters that share objects are connected, and every connected
    component is one event: same, grown, shrunk, changed, split, merged, mixed, born or died. Each
    cluster and each object counts once, so that the events add up.

    `stray` is a share: objects that at most this share of both their clusters have in common tie
    nothing together, and count as moved. Objects labelled `noise` are in no cluster. `count` says
    how many objects each one stands for, as in `compare`.
    """
    share = check_stray(stray)
    with opened_runs(releases, engine=engine, what=TRACKS, count=count) as runs:
        return track_runs(runs, share, noise)


def track_runs(runs: Runs, stray: Fraction, noise: Any = None) -> Tracking:
    """The same for releases that are opened; where they are too large for memory they stay open as
    long as the result is there.
    """
    found = releases_of(runs, Policy("shared", noise, "drop"))
    lives = lives_of(found)
    steps = tuple(
        Step(
            (found.names[k], found.names[k + 1]), found.step(k), events_of(found.step(k), stray),
            (found.labels(k), found.labels(k + 1)),
        )
        for k in range(len(found.names) - 1)
    )  # fmt: skip
    read = said(found.notes)
    made = Tracking(tuple(found.names), steps, found, lives, float(stray), read)
    if not isinstance(found, MemoryReleases):
        finalize(made, runs.sessions.kept_open().close)
    return made


@dataclass(frozen=True, eq=False)
class Step:
    """What happened from one release to the next."""

    names: tuple[str, str]
    """The two releases."""
    overlaps: Overlaps
    found: Events
    labels: tuple[Column, Column]

    def __repr__(self) -> str:
        told = ", ".join(f"{n:,} {event}" for event, n in self.counts.items() if n)
        return f"Step({self.name}: {told or 'no clusters'})"

    @property
    def name(self) -> str:
        """Both releases."""
        return f"{self.names[0]} → {self.names[1]}"

    @property
    def counts(self) -> dict[str, int]:
        """How many events there are of each kind."""
        return self.found.counts

    @property
    def objects(self) -> dict[str, int]:
        """Objects that stayed, moved, are gone, and arrived."""
        names = ("stayed", "moved", "gone", "arrived")
        return {name: int(getattr(self.found, name).sum()) for name in names}

    @cached_property
    def stability(self) -> Stability:
        """Mean over the shared objects of |A ∩ B| / max(|A|, |B|), and how it spreads."""
        part, whole = self.overlaps.alike
        return stability_of(part / whole, self.overlaps.shared)

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events, the largest first."""
        return self.records()

    def largest(self, most: int | None = None) -> Ints:
        """The events with most objects, those that change nothing last."""
        found = self.found
        return np.lexsort((-found.size, found.kind == 0))[:most]

    def records(self, some: Ints | None = None, named: int | None = NAMED) -> list[dict[str, Any]]:
        """Events as records, with up to so many of their clusters by name."""
        chosen = self.largest() if some is None else some
        sides = [
            _members(of, labels, chosen, named)
            for of, labels in zip((self.found.of_old, self.found.of_new), self.labels, strict=True)
        ]
        numbers = ("olds", "news", "stayed", "moved", "joined", "gone", "arrived")
        columns = [getattr(self.found, name)[chosen].tolist() for name in numbers]
        kinds = [KINDS[kind] for kind in self.found.kind[chosen].tolist()]
        return [
            dict(zip(EVENT, (self.name, kind, old, new, *rest), strict=True))
            for kind, old, new, *rest in zip(kinds, *sides, *columns, strict=True)
        ]


def _members(of: Ints, labels: Column, events: Ints, most: int | None) -> list[list[Any]]:
    """What the clusters of these events are called."""
    place = np.full(int(max(of.max(initial=-1), events.max(initial=-1))) + 1, -1)
    place[events] = np.arange(events.size)
    inside = np.flatnonzero(place[of] >= 0)
    order = inside[np.argsort(place[of[inside]], kind="stable")]
    starts = np.searchsorted(place[of[order]], np.arange(events.size + 1))
    names = labels.take(order).tolist()
    ends = starts[1:] if most is None else np.minimum(starts[1:], starts[:-1] + most)
    return [names[a:b] for a, b in zip(starts[:-1].tolist(), ends.tolist(), strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class Tracking(TableResult):
    """Clusters over releases."""

    schema = "track/1"

    names: tuple[str, ...]
    """The releases, in the order of time."""
    steps: tuple[Step, ...]
    """What happened from each to the next."""
    releases: Releases
    lives: Lives
    stray: float = 0.0
    read: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of all steps."""
        return [one for step in self.steps for one in step.events]

    @cached_property
    def stability(self) -> Stability:
        """Mean over objects of their stability, and how it spreads."""
        return stability_of(*self.releases.spread(None)[1:])

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """Each object that two releases in a row have: its stability, the mean over such steps of
        |A ∩ B| / max(|A|, |B|).
        """
        ids, value, steps = self.releases.objects()
        rows = zip(ids.tolist(), value.tolist(), steps.tolist(), strict=True)
        return [dict(zip(OBJECT, row, strict=True)) for row in rows]

    @cached_property
    def clusters(self) -> list[dict[str, Any]]:
        """Each cluster of each release: the id that lasts, its objects, and their mean stability,
        None where none of them is in two releases in a row.
        """
        made = []
        for place, name in enumerate(self.names):
            labels = self.releases.labels(place).tolist()
            sizes = self.releases.sizes(place)
            mean = weighted(*self.releases.spread(place), sizes.size)
            ids = self.lives.names.take(self.lives.given[place]).tolist()
            stable = [None if value != value else value for value in mean.tolist()]
            rows = zip(labels, ids, sizes.tolist(), stable, strict=True)
            made += [dict(zip(CLUSTER, (name, *row), strict=True)) for row in rows]
        return made

    @cached_property
    def ids(self) -> list[dict[str, Any]]:
        """Each id: the first and the last release that has it, how many have it, the most objects
        in one, and what it became.
        """
        lives, end = self.lives, len(self.names) - 1
        into = lives.names.take(np.maximum(lives.into, 0)).tolist()
        rows = zip(
            lives.names.tolist(), lives.first.tolist(), lives.last.tolist(),
            lives.releases.tolist(), lives.largest.tolist(), lives.into.tolist(), into,
            strict=True,
        )  # fmt: skip
        return [
            dict(zip(ID, (id, self.names[a], self.names[b], n, most, became), strict=True))
            for id, a, b, n, most, code, name in rows
            for became in [None if b == end else f"into {name}" if code >= 0 else "objects gone"]
        ]

    def head(self, width: int = 80) -> str:
        """The releases."""
        rows = []
        for place, name in enumerate(self.names):
            sizes, noise = self.releases.sizes(place), self.releases.noise[place]
            told = f"{count(int(sizes.sum()), 'object')} in {count(sizes.size, 'cluster')}"
            more = f", {noise:,} noise" if noise else ""
            rows.append((cut(printable(name), max(12, width - 40)), told + more))
        return wrap_columns(rows, width, "")

    def table(self) -> CellTable:
        """A column for each step: events, then objects, then stability."""
        kinds = [k for k in KINDS if any(step.counts.get(k) for step in self.steps)]
        rows = [(kind, *(f"{step.counts.get(kind, 0):,}" for step in self.steps)) for kind in kinds]
        told = [what for what in self.steps[0].objects if what != "moved" or self.stray]
        rows += [
            (f"objects {what}", *(f"{step.objects[what]:,}" for step in self.steps))
            for what in told
        ]
        kept = ("—" if isnan(share) else percent(share) for share in self.kept)
        rows.append(("keep their id", *kept))
        rows.append(("stability", *(str(step.stability) for step in self.steps)))
        return CellTable(("", *(step.name for step in self.steps)), tuple(rows))

    @property
    def kept(self) -> list[float]:
        """For each step the share of its objects that keep their last known id; NaN where none was
        known before.
        """
        return [one.kept / one.shared if one.shared else nan for one in self.lives.steps]

    def blocks(self, width: int, top: int | None = EVENTS_SHOWN) -> Iterator[Block]:
        """The releases, what happened from each to the next, the largest events, and the notes."""
        yield "\n".join([self.head(width), *read_lines(self.read, width)])
        yield self.table()
        yield from (table for table in [self.events_table(top)] if table.rows)
        yield from paragraphs(self.notes(top), width)

    def to_markdown(self, top: int | None = EVENTS_SHOWN) -> str:
        """The tables for Markdown, and the notes below them."""
        tables = [self.table(), *(table for table in [self.events_table(top)] if table.rows)]
        notes = map(markup.in_markdown, self.notes(top))
        return "\n\n".join([*map(markup.to_markdown, tables), *notes])

    def events_table(self, top: int | None = EVENTS_SHOWN) -> CellTable:
        """The largest events, of all steps, in which a cluster changed."""
        found: list[tuple[int, dict[str, Any]]] = []
        for step in self.steps:
            some = step.largest(top)
            some = some[step.found.kind[some] != SAME]
            found += zip(step.found.size[some].tolist(), step.records(some, FEW), strict=True)
        found.sort(key=lambda one: -one[0])
        names = ("stayed", *(["moved"] if self.stray else []), "gone", "arrived")
        rows = [
            (
                *(record[name] for name in ("step", "event")),
                *(shown_ids(record[side], FEW, record[f"{side}s"]) or "—" for side in RELEASES),
                *(f"{record[name]:,}" for name in names),
            )
            for _, record in found[:top]
        ]
        alone = len(self.steps) == 1
        headings = ("step", "event", *RELEASES, *names)
        return CellTable(headings[alone:], tuple(row[alone:] for row in rows))

    def notes(self, top: int | None = None) -> list[str]:
        """What the words mean, and how long ids last."""
        lasting = int((self.lives.releases == len(self.names)).sum())
        ids = count(len(self.lives.names), "id")
        last = "lasts" if len(self.lives.names) == 1 else "last"
        every = "both releases" if len(self.names) == 2 else f"all {len(self.names)} releases"
        told = [
            f"{lasting:,} of {ids} {last} through {every}. "
            f"Stability of objects: {self.stability.sentence()}."
        ]
        told += unfinished(min((step.of_best for step in self.lives.steps), default=1.0))
        kinds = [k for k in KINDS if any(step.counts.get(k) for step in self.steps)]
        told.append("; ".join(f"{kind}: {MEANINGS[kind]}" for kind in kinds) + ".")
        changed = sum(int((step.found.kind != SAME).sum()) for step in self.steps)
        if top is not None and changed > top:
            told.append(f"{count(changed - top, 'more event')} not shown.")
        return told if kinds else told[:-1]

    def records(self) -> list[dict[str, Any]]:
        """A record per step."""
        made = []
        for step, kept in zip(self.steps, self.kept, strict=True):
            spread = {"stability": step.stability.mean, "stability_sd": step.stability.sd}
            counts = {kind: step.counts.get(kind, 0) for kind in KINDS}
            made.append(
                {"old": step.names[0], "new": step.names[1], **counts}
                | step.objects | {"kept": None if isnan(kept) else kept} | spread
            )  # fmt: skip
        return made

    def to_dict(self) -> dict[str, Any]:
        """Everything but the objects, with full precision and stable keys."""
        return {
            "releases": list(self.names),
            "stray": self.stray,
            "stability": {"mean": self.stability.mean, "sd": self.stability.sd},
            "steps": self.records(),
            "ids": self.ids,
            **self.noted,
        }

    def part(self, what: str) -> tuple[list[dict[str, Any]], Sequence[str]]:
        """Records of a part, and their columns."""
        if what not in PARTS:
            raise ClusterdiffError(
                f"a track has no {shown(what)}.",
                f"{did_you_mean(str(what), PARTS)}There are {', '.join(PARTS)}.",
            )
        if what == "events":
            rows = [
                one | {side: shown_ids(one[side], 20, one[f"{side}s"]) for side in RELEASES}
                for one in self.events
            ]
            return rows, EVENT
        if what == "steps":
            return self.records(), RELEASES
        columns = {"clusters": CLUSTER, "ids": ID, "objects": OBJECT}[what]
        return getattr(self, what), columns

    def to_frame(self, what: str = "steps", library: str = "pandas") -> Any:  # type: ignore[override]
        """Steps, events, clusters, ids or objects as a pandas, polars or pyarrow frame."""
        if what in ("pandas", "polars", "pyarrow"):
            what, library = "steps", what
        records, columns = self.part(what)
        return frame_of(records, library, columns)

    def to_csv(self, what: str = "steps") -> str:
        """A line per step; or per event, cluster, id or object."""
        return markup.records_to_csv(*self.part(what))

    def write(self, what: str, path: str) -> None:
        """Write events, clusters, ids or objects as CSV; objects where they are, however many."""
        if what == "objects" and self.releases.write_objects(path):
            return
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.to_csv(what))
