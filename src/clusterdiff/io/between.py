"""Sources of objects: only pairs of objects from different sources count, as in record linkage
that links across files alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.grouping import number, pair_keys
from clusterdiff.contingency import BetweenMeet, HardMeet, Policy
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.memory import (
    Objects,
    alike,
    every_row,
    numbered_together,
    objects_of,
    same_values,
)
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.engines.samples import with_samples
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import (
    ClusterdiffError,
    InputError,
    KindError,
    MissingColumn,
    did_you_mean,
    examples,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Alignment
    from clusterdiff.engines.named import NamedComparison
    from clusterdiff.io.arguments import AlignedComparison
    from clusterdiff.io.sides import Opened, Sides

GIVEN = "sources"
"""What sources are called that no column names."""
NEEDED = "give each object of truth and guess the source that it comes from."
NOTE = "only pairs from different sources count ({})"
NO_PAIR = "no pair counts: all objects are from one source ({})"


def named(between: Any) -> str:
    """What the sources are called."""
    return between if isinstance(between, str) else GIVEN


def met_between(
    truth: Any, guess: Any, policy: Policy, between: Any, *, kind: Any, count: Any, engine: Any
) -> BetweenMeet:
    """The comparison of a truth and a guess, with a column, a dict or a list of sources."""
    from clusterdiff.io.arguments import align_together, source_column
    from clusterdiff.io.sides import opened

    sides = opened(engine, truth, {"guess": guess}, kind, source_column(between), count)
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


@contextmanager
def apart(sides: Opened, between: Any) -> Iterator[Sides]:
    """The same sides, opened with a column of sources as samples, whose objects know the numbers
    of their sources instead; other sources are a dict from id to source, or one per object.
    """
    with ExitStack() as stack:
        try:
            sessions, truth, guesses = stack.enter_context(sides)
        except MissingColumn as error:
            near = did_you_mean(named(between), error.found)
            raise MissingColumn(
                error.message,
                f"{near}between names the column of the sources.",
                f"{near}--between names the column of the sources.",
            ) from None
        every = [sessions.loaded(side) for side in (truth, *guesses.values())]
        if not isinstance(between, str):
            of = between if isinstance(between, Mapping) else column(between)
            alone = every[0].ids is not None and not isinstance(between, Mapping)
            some = every[:1] if alone else every
            every[: len(some)] = [with_samples(side, of, "source") for side in some]
        made = with_sources(every, named(between))
        yield sessions, made[0], dict(zip(guesses, made[1:], strict=True))


def with_sources(sides: Sequence[AnyClustering], name: str) -> list[Any]:
    """Sides in memory with a source for each object in place of its sample; sources that one side
    says hold for the others.
    """
    known = [side.samples for side in sides if side.samples is not None]
    for side in sides:
        read = "" if side.origin is None else side.origin.sample
        if side.samples is not None and read and name not in (GIVEN, read):
            raise ClusterdiffError(
                f"between names the column {name!r}, and one side has samples ({read}).",
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
    for values in known:
        if (nulls := values.nulls()) is not None:
            at = next(s for s in sides if s.samples is values)
            where = np.flatnonzero(nulls)
            ids = [at.id_of(int(i)) for i in where[:3]]
            raise no_source(ids, where.size, len(values), name)
    for values in known[1:]:
        alike(known[0], values)
    own = iter(numbered_together(known)[0])
    made = []
    for side in sides:
        one: Any = copy(side)
        one.samples, one.sources = None, None
        one.origin = one.origin and replace(one.origin, sample=None)
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


def no_source(ids: Sequence[Any], many: int, total: int, name: str) -> InputError:
    """Objects of which it is not said which source they come from; some ids of them."""
    have = "has" if many == 1 else "have"
    some = examples(ids[:3])
    return InputError(
        f"{many:,} of {total:,} objects {have} no source ({name}), such as {some}.", NEEDED
    )


def between_meet(
    truth: Any, guess: Any, policy: Policy, alignment: Alignment, name: str,
    beyond: Mapping[int, int] | None = None,
) -> BetweenMeet:  # fmt: skip
    """The comparison of two sides whose objects know their sources; `beyond` are, by source, the
    objects more that neither side has.
    """
    more = beyond or {}
    objects = objects_of(truth, guess, plan_of(policy)).beside(sum(more.values()))
    meet, row, _ = every_row(objects)
    source = _source_of(truth, guess, objects, name, more)
    made = BetweenMeet.of(meet, row, source, objects.count)
    return made.with_alignment(told_of_sources(alignment, name, made.pairs[-1]))


def _source_of(
    truth: Any, guess: Any, objects: Objects, name: str, more: Mapping[int, int]
) -> Ints:
    """The source of each object that is compared; refused where it is not known."""
    source = np.where(
        objects.in_truth >= 0,
        np.append(truth.sources, -1)[objects.in_truth],
        np.append(guess.sources, -1)[objects.in_guess],
    )
    neither = np.flatnonzero((objects.in_truth < 0) & (objects.in_guess < 0))
    source[neither] = np.repeat(list(more), list(more.values()))
    if (missing := np.flatnonzero(source < 0)).size:
        where = [(int(objects.in_truth[i]), int(objects.in_guess[i])) for i in missing[:3]]
        ids = [truth.id_of(at) if at >= 0 else guess.id_of(other) for at, other in where]
        raise no_source(ids, missing.size, source.size, name)
    return np.asarray(source)


def named_between(
    aligned: AlignedComparison, guess: str, compared: NamedComparison, name: str
) -> NamedComparison:
    """A comparison with names in which pairs of one source do not count."""
    assert isinstance(compared, MemoryNamedComparison)
    more = _beyond(aligned, guess, name) if aligned.alone(guess) else {}
    source = _source_of(compared.truth, compared.guess, compared.objects, name, more)
    o = compared.objects.numbered()
    meet = BetweenMeet.of(
        compared.meet, compared.row_of_objects(), source, o.count, (o.truth, o.guess)
    )
    made = replace(compared, meet=meet)
    return made.aligned(told_of_sources(compared.meet.alignment, name, meet.pairs[-1]))


def told_of_sources(alignment: Alignment, name: str, pairs: int) -> Alignment:
    """The alignment of a comparison between sources, which says so, and where no pair counts."""
    notes = dict.fromkeys((*alignment.notes, ("", (NOTE if pairs else NO_PAIR).format(name))))
    return replace(alignment, between=name, notes=tuple(notes))


def between_of(aligned: AlignedComparison, guess: str, name: str) -> BetweenMeet:
    """The comparison of one of several guesses."""
    found = aligned.contingency_of(guess)
    assert isinstance(found, HardMeet)
    truth, other = aligned.loaded(guess)
    more: dict[int, int] = {}
    if aligned.alone(guess):
        more = _beyond(aligned, guess, name)
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


def _beyond(aligned: AlignedComparison, guess: str, name: str) -> dict[int, int]:
    """By source, how many objects neither truth nor a guess has and another one does."""
    sources_together(aligned, name)
    where, source = _together(aligned)
    place = 1 + list(aligned.guesses).index(guess)
    alone = where.kept & ~where.has[0] & ~where.has[place]
    counts = np.bincount(source[alone], where.count[alone]).astype(np.int64)
    return {i: n for i, n in enumerate(counts.tolist()) if n}


def sources_together(aligned: AlignedComparison, name: str) -> Ints:
    """The source of each object that truth and all guesses are judged on."""
    where, source = _together(aligned)
    kept = np.flatnonzero(where.kept)
    if (missing := np.flatnonzero(source[kept] < 0)).size:
        side, code = next(
            (side, code) for side, code in zip(where.sides, where.code, strict=True)
            if np.isin(kept[missing[0]], code)
        )  # fmt: skip
        at = int(np.flatnonzero(code == kept[missing[0]])[0])
        raise no_source([side.id_of(at)], missing.size, kept.size, name)
    return np.asarray(source[kept])


def cells_between(
    aligned: AlignedComparison, name: str
) -> tuple[dict[str, Ints], Ints, Ints, Ints]:
    """The clusters of truth ("") and all guesses of each object, how many it stands for and how
    often it occurs, and its source.
    """
    made, count, place = _together(aligned)[0].cells()
    clusters = dict(zip(["", *aligned.guesses], made, strict=True))
    return clusters, count, np.ones_like(count), sources_together(aligned, name)[place]
