"""Speech: who speaks when. Turns of speakers become objects that count as long as they last.

Sides are cut at all boundaries of all of them, so that within an interval nobody begins or ends.
Each interval in which somebody speaks is an object, its speakers are its clusters, and its count
is its duration in whole milliseconds, or in a finer unit where the boundaries need one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import PickedTexts
from clusterdiff.clusterings.counts import TimeUnit
from clusterdiff.clusterings.grouping import by_appearance, pair_keys
from clusterdiff.errors import ClusterdiffError, InputError, examples, listed_names, shown

if TYPE_CHECKING:
    from clusterdiff.engines.protocol import Table

    Side = AnyClustering | Table

SECOND = 10**9
"""Times are whole nanoseconds."""
UNITS = [TimeUnit("ms", 10**3), TimeUnit("µs", 10**6), TimeUnit("ns", SECOND)]
"""What objects count: the coarsest unit that all boundaries fit."""
LONGEST = 2**62
"""Nanoseconds that all files together may last, 146 years."""


@dataclass(frozen=True, eq=False)
class Turns:
    """When which speaker speaks in which file: whole nanoseconds, numbers of names."""

    files: tuple[str, ...]
    """The files; the name of one that has none is empty."""
    speakers: tuple[str, ...]
    file: Ints
    speaker: Ints
    start: Ints
    end: Ints
    merged: int = 0
    """How many turns were joined with one of the same speaker that they overlap."""

    @classmethod
    def of(
        cls, files: Sequence[str], speakers: Sequence[str], start: Ints, end: Ints,
        without: Sequence[str] = (),
    ) -> Turns:  # fmt: skip
        """Turns by the names of their files and speakers; `without` are files that have none."""
        file, named = _numbered(files, without)
        speaker, known = _numbered(speakers)
        order = np.lexsort((end, start, speaker, file))
        file, speaker, start, end = (one[order] for one in (file, speaker, start, end))
        kept, end = _joined(file, speaker, start, end)
        merged = len(files) - int(kept.sum())
        columns = file[kept], speaker[kept], start[kept], end[kept]
        return cls(named, known, *columns, merged=merged)

    def notes(self) -> tuple[str, ...]:
        """What to know of how they were read."""
        if not self.merged:
            return ()
        what = "1 turn overlaps" if self.merged == 1 else f"{self.merged:,} turns overlap"
        return (f"{what} another one of the same speaker: they were merged",)

    def in_files(self, names: Mapping[str, int]) -> Turns:
        """The same with files numbered as in `names`, without those that are not among them."""
        places = np.array([names.get(name, -1) for name in self.files], np.int64)
        file = places[self.file] if self.file.size else self.file
        kept = file >= 0
        columns = file[kept], self.speaker[kept], self.start[kept], self.end[kept]
        return Turns(tuple(names), self.speakers, *columns, merged=self.merged)


def _numbered(names: Sequence[str], more: Sequence[str] = ()) -> tuple[Ints, tuple[str, ...]]:
    """The number of each name, and the different names, those of `more` too."""
    place: defaultdict[str, int] = defaultdict(count().__next__)  # in one pass over all names
    numbers = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    return numbers, tuple(dict.fromkeys((*place, *more)))


def _joined(file: Ints, speaker: Ints, start: Ints, end: Ints) -> tuple[Bools, Ints]:
    """Which of the sorted turns to keep, and their ends, once those of a speaker that overlap are
    one; turns that only touch stay two, since a collar lies around each boundary.
    """
    kept = np.ones(file.size, np.bool_)
    same = (file[1:] == file[:-1]) & (speaker[1:] == speaker[:-1])
    if not (same & (start[1:] < end[:-1])).any():
        return kept, end
    end, last = end.copy(), 0
    for turn in range(1, file.size):
        if same[turn - 1] and start[turn] < end[last]:
            kept[turn], end[last] = False, max(end[last], end[turn])
        else:
            last = turn
    return kept, end


# Annotations of pyannote, which need not be imported to be known.


def is_speech(value: object) -> bool:
    """Whether this is an annotation of pyannote, or a list with one for each file."""
    if isinstance(value, list | tuple) and value:
        return all(map(_is_annotation, value))
    return _is_annotation(value)


def _is_annotation(value: object) -> bool:
    return hasattr(value, "itertracks") and hasattr(value, "uri")


def turns_of_annotations(given: Any) -> Turns:
    """The turns of annotations, each the one of a file."""
    each = list(given) if isinstance(given, list | tuple) else [given]
    names = ["" if one.uri is None else str(one.uri) for one in each]
    again, many = Counter(names).most_common(1)[0]
    if many > 1:
        which = f"of the file {again}" if again else "without the name of a file"
        raise InputError(
            f"several of the {len(each):,} annotations are {which}.",
            "give each a name of its own, Annotation(uri=…).",
        )
    files: list[str] = []
    speakers: list[str] = []
    times: list[float] = []
    for name, one in zip(names, each, strict=True):
        for segment, _, label in one.itertracks(yield_label=True):
            speakers.append(label if type(label) is str else str(label))
            times += segment.start, segment.end
        files += [name] * (len(speakers) - len(files))
    start, end = nanoseconds(times).reshape(-1, 2).T
    return Turns.of(files, speakers, start, end, names)


# What of the time is scored.


@dataclass(frozen=True)
class Scored:
    """Which part of the time is scored."""

    collar: float = 0.0
    """Seconds around each boundary of the truth that are left out, half on either side."""
    skip_overlap: bool = False
    """Whether time in which several speakers of the truth speak is left out."""
    uem: Any = None
    """Regions by file that are scored: the path of a UEM file, a dict, or a timeline."""

    def __post_init__(self) -> None:
        number = isinstance(self.collar, int | float | np.number)
        if not number or isinstance(self.collar, bool) or not 0 <= self.collar < 10**6:
            raise ClusterdiffError(
                f"collar={shown(self.collar)} is not a number of seconds.",
                "the collar is the whole width around a boundary, e.g. collar=0.5 for a quarter "
                "of a second on either side.",
            )

    @property
    def asked(self) -> bool:
        """Whether anything is left out."""
        return bool(self.collar) or self.skip_overlap or self.uem is not None

    def __str__(self) -> str:
        parts = [f"collar={self.collar:g}"] if self.collar else []
        parts += ["skip_overlap"] if self.skip_overlap else []
        return ",".join([*parts, *(["uem"] if self.uem is not None else [])])


ALL = Scored()
"""All of the time."""


class Regions(NamedTuple):
    """Parts of files that are scored, in whole nanoseconds."""

    shown: str
    files: tuple[str, ...]
    file: Ints
    start: Ints
    end: Ints


def nanoseconds(seconds: Iterable[float]) -> Ints:
    """Times in seconds as whole nanoseconds."""
    return np.rint(np.fromiter(seconds, np.float64) * SECOND).astype(np.int64)


def regions_of(given: Any) -> Regions:
    """Regions from a UEM file, a dict from file to (start, end) pairs, pairs of the only file, or a
    timeline of pyannote.
    """
    import os

    from clusterdiff.io.formats.rttm import read_uem

    if isinstance(given, str | os.PathLike):
        return read_uem(os.fspath(given))
    by_file = given
    if not isinstance(given, Mapping):
        several = isinstance(given, list) and all(hasattr(one, "uri") for one in given)
        each = given if several else [given]
        by_file = {getattr(one, "uri", None) or "": one for one in each}
    rows = [(str(name), pair) for name, pairs in by_file.items() for pair in _pairs(pairs)]
    if not rows:
        raise nothing_scored("the UEM", "it has no region")
    files = tuple(dict.fromkeys(name for name, _ in rows))
    place = {name: i for i, name in enumerate(files)}
    start, end = nanoseconds(a for _, (a, _) in rows), nanoseconds(b for _, (_, b) in rows)
    if (end <= start).any():
        name, pair = rows[int(np.flatnonzero(end <= start)[0])]
        raise InputError(
            f"the UEM has a region of {name or 'the file'} from {pair[0]:g} to {pair[1]:g} s, "
            "which does not end after it starts.",
            "give each region as (start, end) in seconds.",
        )
    return Regions("the UEM", files, np.array([place[name] for name, _ in rows]), start, end)


def _pairs(given: Any) -> list[tuple[float, float]]:
    """Regions of one file as pairs of seconds."""
    try:
        if isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], tuple | list):
            given = [given]
        listed = [(one.start, one.end) if hasattr(one, "start") else tuple(one) for one in given]
        pairs = [(float(start), float(end)) for start, end in listed]
        if not np.isfinite(pairs).all():
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"uem={shown(given)} does not hold regions.",
            'uem is a UEM file, or a dict from file to regions in seconds, {"talk": [(0, 600)]}.',
        ) from None
    return pairs


def nothing_scored(shown: str, why: str) -> ClusterdiffError:
    """Nothing is left of the time."""
    return ClusterdiffError(
        f"{shown} leaves nothing to score: {why}.",
        "a UEM has a line 'file channel start end' for each region, in seconds, with the names of "
        "files as in the RTTM files.",
    )


# Cutting several sides at the boundaries of all of them.


class Cut(NamedTuple):
    """The intervals that are scored, in which somebody of some side speaks."""

    file: Ints
    start: Ints
    end: Ints
    each: list[tuple[Ints, Ints]]
    """For each side rows (interval, speaker)."""


def cut(turns: Sequence[Turns], scored: Scored = ALL, regions: Regions | None = None) -> Cut:
    """Cut turns of the same files at all boundaries; the first ones are the truth.

    Files stand behind one another on one axis of time, so that one sweep does for all.
    """
    files = range(len(turns[0].files))
    half = int(nanoseconds([scored.collar])[0]) // 2
    last = np.zeros(len(files), np.int64)
    first = np.full(len(files), LONGEST)
    for one in turns:
        np.maximum.at(last, one.file, one.end)
        np.minimum.at(first, one.file, one.start)
    first = np.minimum(first, last)
    if float((last - first).astype(np.float64).sum()) > LONGEST:
        raise InputError(
            "the files last longer than can be counted in nanoseconds, 146 years.",
            "are the times in seconds?",
        )
    begin = np.cumsum(last - first) - (last - first)
    shift = begin - first

    def clipped(file: Ints, times: Ints) -> Ints:
        return np.asarray(np.clip(times, first[file], last[file]) + shift[file])

    spans = [(one.start + shift[one.file], one.end + shift[one.file]) for one in turns]
    truth, edges = turns[0], [one for span in spans for one in span]
    kept = gone = None
    if regions is not None:
        kept = clipped(regions.file, regions.start), clipped(regions.file, regions.end)
        edges += kept
    if half:
        around = np.concatenate([truth.start, truth.end])
        file = np.concatenate([truth.file, truth.file])
        gone = clipped(file, around - half), clipped(file, around + half)
        edges += gone
    points = np.sort(np.concatenate([*edges, begin, begin + (last - first)]))
    points = points[np.concatenate([[True], points[1:] > points[:-1]])[: points.size]]
    size = max(points.size - 1, 0)
    file = np.searchsorted(begin + (last - first), points[:size], side="right")
    wanted = np.ones(size, np.bool_) if kept is None else _depth(points, *kept) > 0
    if gone is not None:
        wanted &= _depth(points, *gone) == 0
    if scored.skip_overlap:
        wanted &= _depth(points, *spans[0]) < 2
    wanted &= reduce(np.logical_or, (_depth(points, *span) > 0 for span in spans))
    place = np.where(wanted, np.cumsum(wanted) - 1, -1)
    each = []
    for one, span in zip(turns, spans, strict=True):
        low, high = np.searchsorted(points, span[0]), np.searchsorted(points, span[1])
        many = high - low
        within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        row, speaker = place[np.repeat(low, many) + within], np.repeat(one.speaker, many)
        each.append((row[row >= 0], speaker[row >= 0]))
    some = np.flatnonzero(wanted)
    file = file[some]
    return Cut(file, points[some] - shift[file], points[some + 1] - shift[file], each)


def _depth(points: Ints, start: Ints, end: Ints) -> Ints:
    """How many spans lie over each interval between points."""
    steps = np.bincount(np.searchsorted(points, start), minlength=points.size)
    steps = steps - np.bincount(np.searchsorted(points, end), minlength=points.size)
    return np.asarray(np.cumsum(steps)[:-1])


# Sides of a comparison.


def turns_of(side: object) -> Turns | None:
    """The turns that a side was made of, if it is speech."""
    found: Turns | None = side.turns if isinstance(side, Clustering) else None
    return found


class SpokenCover(Cover):
    """The turns of one side, which are cut at their own boundaries once somebody looks at them:
    beside another side they are cut at those of both.
    """

    def __init__(self, turns: Turns) -> None:
        self.turns, self.notes = turns, turns.notes()

    def __getattr__(self, name: str) -> Any:
        """What a cover has that is not there yet."""
        made = vars(self)
        if name in ("ids", "samples", "code", "sets", "labels") and name not in made:
            (found,) = _covers([made["turns"]], ALL)
            vars(self).update(vars(found) | made)
        if name not in made:
            raise AttributeError(name)
        return made[name]

    @cached_property
    def code(self) -> Ints:
        """For each object the number of its set of clusters."""
        return self.__getattr__("code")  # type: ignore[no-any-return]

    @cached_property
    def counts(self) -> Ints | None:  # type: ignore[override]
        """How long each object lasts."""
        return None if self.code is None else vars(self).get("counts")

    @cached_property
    def counted(self) -> str:  # type: ignore[override]
        """The unit of time."""
        return "" if self.counts is None else vars(self).get("counted", "")


def cover_of(turns: Turns) -> Cover:
    """The turns of one side as a cover."""
    return SpokenCover(turns)


def cut_together(sides: Sequence[Side], kind: Any = None, scored: Scored = ALL) -> list[Side]:
    """Sides that were made of turns, cut at the boundaries of all of them; others as they are.

    They are covers, or partitions where that was asked for: silence is in no cluster of a cover,
    and no object of a partition.
    """
    turns = [turns_of(one) for one in sides]
    if not any(one is not None for one in turns):
        if scored.asked:
            raise ClusterdiffError(
                f"{scored} says how much of the time of speech is scored, and this is no speech.",
                "collar, skip_overlap and uem are for RTTM files and annotations of pyannote.",
            )
        return list(sides)
    known = [one for one in turns if one is not None]
    if len(known) < len(turns):
        raise ClusterdiffError(
            "speech can only be compared with speech: one side has turns of speakers, another one "
            "has not.",
            "give RTTM files or annotations of pyannote on all sides.",
        )
    made: list[Side] = []
    hard = kind is not None and set([kind] if isinstance(kind, str) else kind) == {"partition"}
    for side, cover in zip(sides, _covers(known, scored), strict=True):
        assert isinstance(side, Clustering)
        cover.notes = tuple(dict.fromkeys((*side.notes, *cover.notes)))
        cover.blank = side.blank
        made.append(_partition(cover) if hard else cover)
    return made


def _covers(turns: Sequence[Turns], scored: Scored) -> list[Cover]:
    """Covers of the same objects, the truth first; each lacks what is in files that it lacks."""
    turns = _same_files(turns)
    names = list(dict.fromkeys(name for one in turns for name in one.files))
    regions: Regions | None = None
    notes: tuple[str, ...] = ()
    if scored.uem is not None:
        names, regions, notes = _within(names, regions_of(scored.uem))
    numbers = {name: i for i, name in enumerate(names)}
    found = cut([one.in_files(numbers) for one in turns], scored, regions)
    if not found.file.size and any(one.file.size for one in turns):
        raise nothing_scored(
            "the collar" if regions is None else regions.shown, "nobody speaks in what is left"
        )
    edges = np.concatenate([found.start, found.end])
    unit = next(one for one in UNITS if not (edges % (SECOND // one.second)).any())
    size = SECOND // unit.second
    # no score depends on how intervals are called: their names are made for those who read them
    ids = PickedTexts(cache(lambda: column(_ids(found, size))), np.arange(found.file.size))
    samples = PickedTexts(cache(lambda: column(names)), found.file) if len(names) > 1 else None
    if silent := [n for n, k in zip(names, _sizes(found, names), strict=True) if not k]:
        are = "1 file has" if len(silent) == 1 else f"{len(silent):,} files have"
        notes += (f"{are} no speech that is scored: {listed_names(silent)}",)
    made = []
    for one, (row, speaker) in zip(turns, found.each, strict=True):
        cover = object.__new__(Cover)
        Clustering.__init__(cover, found.file.size, ids, samples)
        cover._fill(row, speaker, found.file.size, column(list(one.speakers)))
        cover.counts, cover.counted = (found.end - found.start) // size, unit
        own = set(one.files)
        there = np.array([name in own for name in names], np.bool_)
        if not there.all():
            cover = cover.take(np.flatnonzero(there[found.file]))
        cover.turns, cover.notes = one, (*one.notes(), *notes)
        if len(names) > 1:
            cover.documents = tuple(name for name in names if name in own)
        if scored.asked:
            cover.reading = f"rttm({scored})"
        made.append(cover)
    return made


def _same_files(turns: Sequence[Turns]) -> list[Turns]:
    """The same where the only file of a side may have no name: it is that of the others."""
    if all("" not in one.files for one in turns) or all(one.files == ("",) for one in turns):
        return list(turns)
    names = {name for one in turns for name in one.files} - {""}
    if len(names) > 1 or any(len(one.files) > 1 for one in turns):
        raise ClusterdiffError(
            f"one side is a file without a name, and the others have {len(names):,} "
            f"({listed_names(sorted(names))}).",
            "give annotations the names of their files, Annotation(uri=…), or compare one file.",
        )
    return [replace(one, files=tuple(names)) for one in turns]


def _within(names: list[str], regions: Regions) -> tuple[list[str], Regions, tuple[str, ...]]:
    """The files that a UEM has, its regions of these, and what to say of the other files."""
    if len(names) == 1 and regions.files == ("",):
        regions = regions._replace(files=tuple(names))
    there = set(regions.files)
    kept = [name for name in names if name in there]
    if not kept:
        raise nothing_scored(
            regions.shown,
            f"it has the files {listed_names(regions.files)}, and the truth has "
            f"{listed_names(names)}",
        )
    place = {name: i for i, name in enumerate(kept)}
    places = np.array([place.get(name, -1) for name in regions.files], np.int64)
    file = places[regions.file]
    some = file >= 0
    notes: tuple[str, ...] = ()
    if left := [name for name in names if name not in there]:
        are = "1 file is" if len(left) == 1 else f"{len(left):,} files are"
        notes = (f"{are} not in the UEM, and not scored: {listed_names(left)}",)
    columns = (file[some], regions.start[some], regions.end[some])
    return kept, Regions(regions.shown, tuple(kept), *columns), notes


def in_one_file(side: Any, *, named: bool = True) -> Any:
    """The same with all files as one: intervals and speakers are named after their files too, or
    have no names, where all sides have the same intervals in the same order.
    """
    if not isinstance(side, Cover) or side.samples is None or side.ids is None:
        return side
    each = side.sets.take(side.code)
    member = each.member
    owner, first = by_appearance(pair_keys(side.samples.keys[each.owner], member))
    made = side.take(np.arange(len(side)))
    speakers, made.ids = column(np.arange(first.size)), None
    if named:
        names = side.samples.tolist()
        ids = zip(names, side.ids.tolist(), strict=True)
        made.ids = column([f"{name} {id}" for name, id in ids])
        labels = side.labels.take(member[first]).tolist()
        files = [names[row] for row in each.owner[first].tolist()]
        speakers = column([f"{f}: {label}" for f, label in zip(files, labels, strict=True)])
    made.samples = None
    for name in ("turns", "notes", "reading"):
        setattr(made, name, getattr(side, name))
    made._fill(each.owner, owner, len(side), speakers)
    return made


def _sizes(found: Cut, names: Sequence[str]) -> list[int]:
    """How many intervals of each file are scored."""
    sizes: list[int] = np.bincount(found.file, minlength=len(names)).tolist()
    return sizes


def _ids(found: Cut, size: int) -> list[str]:
    """Intervals as ids: from and to in seconds."""
    scale = SECOND // size
    digits = len(str(scale)) - 1
    starts = [f"{time / scale:.{digits}f}" for time in (found.start // size).tolist()]
    ends = [f"{time / scale:.{digits}f}" for time in (found.end // size).tolist()]
    return list(map("-".join, zip(starts, ends, strict=True)))


def _partition(cover: Cover) -> Partition:
    """The same as a partition, without the time in which a side is silent."""
    size = cover.sets.size[cover.code]
    if (size > 1).any():
        wrong = np.flatnonzero(size > 1)
        assert cover.ids is not None
        raise ClusterdiffError(
            f"several speakers speak at once from {examples(cover.ids.take(wrong[:3]).tolist())} "
            "s, and in a partition each object is in one cluster.",
            "leave kind= out for measures that take overlapping speech, or leave that time out "
            "with skip_overlap=True, if it is the truth that overlaps.",
        )
    kept = cover.take(np.flatnonzero(size))
    made = kept.to_partition()
    for name in ("turns", "notes", "documents", "reading"):
        setattr(made, name, getattr(cover, name))
    return made
