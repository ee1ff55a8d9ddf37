"""Sources of objects: only pairs of objects from different sources count, as in record linkage
that links across files alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.grouping import number, pair_keys
from clusterdiff.contingency import BetweenMeet, HardMeet, Policy
from clusterdiff.engines.memory import alike, numbered_together, rows_of_objects, same_values
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import ClusterdiffError, InputError, KindError, examples
from clusterdiff.measures.base import lookup
from clusterdiff.statistics.units import Joint

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Alignment
    from clusterdiff.io.arguments import AlignedComparison
    from clusterdiff.io.sides import Opened, Sides

GIVEN = "sources"
"""What sources are called that no column names."""
NEEDED = "give each object of truth and guess the source that it comes from."
DEFAULT = (
    "pair_precision", "pair_recall", "pair_f", "pair_jaccard", "fowlkes_mallows", "adjusted_rand",
    "rand",
)  # fmt: skip
"""The measures between sources where none are asked for."""


def named(between: Any) -> str:
    """What the sources are called."""
    return between if isinstance(between, str) else GIVEN


def met_between(
    truth: Any, guess: Any, policy: Policy, between: Any, *, kind: Any, count: Any, engine: Any
) -> BetweenMeet:
    """The comparison of a truth and a guess, with a column, a dict or a list of sources."""
    from clusterdiff.io.arguments import align_together
    from clusterdiff.io.sides import opened

    sides = opened(engine, truth, {"guess": guess}, kind, between, count)
    with apart(sides, between) as (sessions, left, guesses):
        aligned = align_together(sessions, left, guesses, policy)
        return between_of(aligned, "guess", named(between))


def check_between(between: Any, **others: Any) -> None:
    """Refuse what cannot be asked for together with pairs across sources."""
    for name, value in others.items():
        if between is not None and value is not None and value is not False:
            raise ClusterdiffError(
                f"between and {name} are not taken together.",
                f"leave {name}= out.",
                f"leave --{name} out.",
            )


def default_between(align: str) -> list[str]:
    """The measures where none are asked for."""
    return [name for name in DEFAULT if align != "penalise" or lookup(name).claims.penalise]


@contextmanager
def apart(sides: Opened, between: Any) -> Iterator[Sides]:
    """The same sides, opened with sources as samples, whose objects know the numbers of their
    sources instead.
    """
    with sides as (sessions, truth, guesses):
        every = [sessions.loaded(side) for side in (truth, *guesses.values())]
        made = with_sources(every, named(between))
        yield sessions, made[0], dict(zip(guesses, made[1:], strict=True))


def with_sources(sides: Sequence[AnyClustering], name: str) -> list[Any]:
    """Sides in memory with a source for each object in place of its sample; sources that one side
    says hold for the others.
    """
    known = [side.samples for side in sides if side.samples is not None]
    for side in sides:
        column = side.origin and side.origin.sample
        if side.samples is not None and column and name not in (GIVEN, column):
            raise ClusterdiffError(
                f"between names the column {name!r}, and one side has samples ({column}).",
                "read the clustering without sample=.",
            )
        if not isinstance(side, Partition):
            raise KindError(
                f"pairs across sources are those of partitions, and one side is {side.kind}.",
                "leave between= out.",
                "leave --between out.",
            )
    if not known:
        raise InputError(f"no side says which source ({name}) an object comes from.", NEEDED)
    for column in known:
        if (nulls := column.nulls()) is not None:
            at = next(s for s in sides if s.samples is column)
            _refuse([at.id_of(int(i)) for i in np.flatnonzero(nulls)], len(column), name)
    for column in known[1:]:
        alike(known[0], column)
    own = iter(numbered_together(known)[0])
    made = []
    for side in sides:
        one: Any = copy(side)
        one.samples, one.sources = None, None
        if side.samples is not None:
            one.sources = np.asarray(next(own), np.int64)
            _check_one_source(one, name)
            one = _distinct(one, side)
        made.append(one)
    return _filled_in(made, name)


def _distinct(one: Any, side: AnyClustering) -> Any:
    """Each object once, with what is known of the clustering as a whole."""
    made = one.distinct()
    if made is not one:
        for name, value in vars(side).items():
            if name not in ("ids", "labels", "samples", "counts", "repeats", "sources"):
                vars(made).setdefault(name, value)
        made.samples = None
    return made


def _check_one_source(side: Partition, name: str) -> None:
    """Refuse ids that are in several sources."""
    if side.ids is None or side.ids.all_differ():
        return
    assert side.sources is not None
    ids, many = number(side.ids.keys)
    pairs, distinct = number(pair_keys(ids, side.sources))
    if distinct == many:
        return
    first = np.zeros(distinct, np.int64)
    first[pairs] = np.arange(ids.size)
    often = np.bincount(ids[first], minlength=many)
    several = np.flatnonzero(often[ids] > 1)
    found = list(dict.fromkeys(side.ids[int(i)] for i in several[:1000]))
    total = int((often > 1).sum())
    raise InputError(
        f"{total:,} {'id is' if total == 1 else 'ids are'} in several sources ({name}), such as "
        f"{examples(found[:3])}: each object has one source.",
        "if ids repeat from source to source, name both columns as the id: "
        f'cd.read(path, id=["{name}", "id"]).',
        f"if ids repeat from source to source, name both columns as the id: --id {name},id.",
    )


def _filled_in(sides: list[Any], name: str) -> list[Any]:
    """The sides with the sources that some of them know; two sources of an object are refused."""
    first = next(side for side in sides if side.sources is not None)
    by_place = all(side.ids is None and len(side) == len(first) for side in sides)
    if not by_place and len({side.ids is None for side in sides}) > 1:
        return [_nowhere(side) for side in sides]  # the comparison says why they do not match
    codes = [np.arange(len(side)) for side in sides]
    if not by_place and first.ids is None:
        return [_nowhere(side) for side in sides]
    if not by_place and not _in_step(sides):
        for side in sides:
            if side is not first:
                alike(first.ids, side.ids)
        codes = Together.of(sides, Policy()).code
    table = np.full(1 + max((int(code.max(initial=-1)) for code in codes), default=-1), -1)
    for side, code in zip(sides, codes, strict=True):
        if side.sources is None:
            continue
        before = table[code]
        wrong = np.flatnonzero((before >= 0) & (before != side.sources))
        if wrong.size:
            what = "object has" if wrong.size == 1 else "objects have"
            raise InputError(
                f"{wrong.size:,} {what} different sources ({name}) on different sides, such as "
                f"{examples([side.id_of(int(i)) for i in wrong[:3]])}.",
                "each object has one source; if ids repeat from source to source, name both "
                "columns as the id.",
            )
        table[code] = side.sources
    for side, code in zip(sides, codes, strict=True):
        side.sources = table[code]
    for side in sides:
        if (missing := np.flatnonzero(side.sources < 0)).size:
            _refuse([side.id_of(int(i)) for i in missing], len(side), name)
    return sides


def _in_step(sides: list[Any]) -> bool:
    """Whether all sides list the same objects in the same order."""
    first = sides[0].ids
    return all(
        len(side.ids) == len(first) and side.ids.family == first.family
        and same_values(side.ids, first)
        for side in sides[1:]
    )  # fmt: skip


def _nowhere(side: Any) -> Any:
    side.sources = np.zeros(len(side), np.int64)
    return side


def _refuse(ids: list[Any], total: int, name: str) -> None:
    have = "object has" if len(ids) == 1 else "objects have"
    raise InputError(
        f"{len(ids):,} of {total:,} {have} no source ({name}), such as {examples(ids[:3])}.", NEEDED
    )


def between_meet(
    truth: Any, guess: Any, policy: Policy, alignment: Alignment, name: str,
    beyond: Mapping[int, int] | None = None,
) -> BetweenMeet:  # fmt: skip
    """The comparison of two sides whose objects know their sources; `beyond` are, by source, the
    objects more that neither side has.
    """
    more = beyond or {}
    meet, row, objects = rows_of_objects(truth, guess, policy, sum(more.values()))
    source = np.where(
        objects.in_truth >= 0,
        np.append(truth.sources, -1)[objects.in_truth],
        np.append(guess.sources, -1)[objects.in_guess],
    )
    lone = np.flatnonzero(source < 0)
    source[lone] = np.repeat(list(more), list(more.values()))
    made = BetweenMeet.of(meet, row, source, objects.count)
    told = ("", f"only pairs from different sources count ({name})")
    notes = dict.fromkeys((*alignment.notes, told))
    return made.with_alignment(replace(alignment, between=name, notes=tuple(notes)))  # type: ignore[return-value]


def between_of(aligned: AlignedComparison, guess: str, name: str) -> BetweenMeet:
    """The comparison of one of several guesses."""
    found = aligned.contingency_of(guess)
    assert isinstance(found, HardMeet)
    truth, other = aligned.loaded(guess)
    more: dict[int, int] = {}
    if aligned.alone(guess):
        more = _beyond(aligned, guess)
    return between_meet(truth, other, aligned.policy, found.alignment, name, more)


def _together(aligned: AlignedComparison) -> tuple[Together, Ints]:
    """All sides of a comparison, and the source of each object of any."""
    sides = [aligned.truth, *aligned.guesses.values()]
    where = Together.of([aligned.sessions.loaded(side) for side in sides], aligned.policy)
    source = np.full(where.sample.size, -1)
    for side, code in zip(where.sides, where.code, strict=True):
        assert side.sources is not None
        source[code] = side.sources
    return where, source


def _beyond(aligned: AlignedComparison, guess: str) -> dict[int, int]:
    """By source, how many objects neither truth nor a guess has and another one does."""
    where, source = _together(aligned)
    place = 1 + list(aligned.guesses).index(guess)
    alone = where.kept & ~where.has[0] & ~where.has[place]
    counts = np.bincount(source[alone], where.count[alone]).astype(np.int64)
    return {i: n for i, n in enumerate(counts.tolist()) if n}


def joint_between(aligned: AlignedComparison, alignment: Alignment) -> Joint:
    """The clusters of truth and all guesses together, with sources: a cell for each object."""
    where, source = _together(aligned)
    kept = np.flatnonzero(where.kept)
    clusters = dict(zip(["", *aligned.guesses], where.clusters(), strict=True))
    once = np.ones(kept.size, np.int64)
    return Joint(clusters, where.count[kept], once, alignment, source=source[kept])
