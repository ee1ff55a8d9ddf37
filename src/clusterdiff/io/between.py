"""Sources of objects: only pairs of objects from different sources count, as in record linkage
that links across files alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.contingency import BetweenMeet, HardMeet, Listed, Policy
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.memory import (
    Objects,
    alike,
    every_row,
    keyed_objects,
    numbered_together,
    objects_of,
    same_values,
)
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.engines.samples import (
    NEEDED,
    no_source,
    other_source,
    several_sources,
    split_by_sample,
    with_samples,
)
from clusterdiff.engines.shared_objects import Together, all_sampled
from clusterdiff.errors import (
    ClusterdiffError,
    InputError,
    KindError,
    MissingColumn,
    did_you_mean,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering, Column
    from clusterdiff.contingency import Alignment
    from clusterdiff.engines.named import NamedComparison
    from clusterdiff.io.arguments import AlignedComparison
    from clusterdiff.io.session import EngineSessions
    from clusterdiff.io.sides import GivenSide, Opened, Sides

GIVEN = "sources"
"""What sources are called that no column names."""
NOTE = "only pairs from different sources count ({})"
Sources = list["AnyClustering | None"]
"""Sides whose clusters are the sources; None where a side does not say them."""
Beyond = dict[tuple[str, int], int]
"""Objects that neither of two sides has: how many, by sample and source."""
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
def apart(
    sides: Opened, between: Any, sources: Sources | None = None, there: bool = False
) -> Iterator[Sides]:
    """The same sides, opened with a column of sources as samples, whose objects know the numbers
    of their sources instead; other sources are a dict from id to source, or one per object.

    Sides that have samples keep them: then `sources` are the same sides with the column of sources
    in place of their clusters, or `between` are the values. Where they may stay `there`, tables
    of an engine do.
    """
    with ExitStack() as stack:
        with column_named(between):
            sessions, truth, guesses = stack.enter_context(sides)
        if there and isinstance(between, str) and sources is None:
            tables = sessions.with_sources([truth, *guesses.values()])
            if tables is not None:
                yield sessions, tables[0], dict(zip(guesses, tables[1:], strict=True))
                return
        every = [sessions.loaded(side) for side in (truth, *guesses.values())]
        if sources is not None:
            columns = [
                None if other is None else _labels_in_order(side, other)
                for side, other in zip(every, sources, strict=True)
            ]
            made = with_sources(every, named(between), columns)
        elif isinstance(between, str):
            made = with_sources(every, between)
        else:
            of = between if isinstance(between, Mapping) else column(between)
            alone = every[0].ids is not None and not isinstance(between, Mapping)
            some = 1 if alone else len(every)
            told = [with_samples(side, of, "source") for side in every[:some]] + every[some:]
            if any(side.samples is not None for side in every):
                known = [side.samples for side in told[:some]]
                made = with_sources(every, GIVEN, [*known, *[None] * (len(every) - some)])
            else:
                made = with_sources(told, GIVEN)
        yield sessions, made[0], dict(zip(guesses, made[1:], strict=True))


def in_memory(sessions: EngineSessions, sides: Sequence[GivenSide], name: str) -> list[Any]:
    """Sides that were to stay where they are, in memory after all."""
    return with_sources([sessions.loaded(side) for side in sides], name)


def loaded_between(aligned: AlignedComparison, name: str) -> AlignedComparison:
    """A comparison whose sides stay where they are, in memory."""
    sides = [aligned.truth, *aligned.guesses.values()]
    truth, *rest = in_memory(aligned.sessions, sides, name)
    guesses = dict(zip(aligned.guesses, rest, strict=True))
    return replace(aligned, truth=truth, guesses=guesses, _met={})


def read_sources(opening: Callable[[Any], Opened], given: Iterable[Any], between: str) -> Sources:
    """Sides with the column of sources in place of their clusters, as they are opened here; None
    where one lacks it.
    """
    found: list[AnyClustering | None] = []
    missing: MissingColumn | None = None
    for one in given:
        try:
            with opening(one) as (sessions, side, _):
                found.append(sessions.loaded(side))
        except MissingColumn as error:
            found.append(None)
            missing = missing or error
    if missing is not None and not any(side is not None for side in found):
        with column_named(between):
            raise missing
    return found


def _labels_in_order(side: AnyClustering, other: AnyClustering) -> Column:
    """The labels that another clustering of the same objects gives those of a side."""
    assert isinstance(other, Partition)
    if len(side) == len(other) and _in_step([side, other]):
        return other.labels
    both = Together.of([side, other], Policy())
    place = np.full(both.sample.size, -1)
    place[both.code[1]] = np.arange(both.code[1].size)
    return other.labels.take(place[both.code[0]])


@contextmanager
def column_named(between: Any) -> Iterator[None]:
    """Errors of a column that is not there say that it is the one of the sources."""
    try:
        yield
    except MissingColumn as error:
        if not isinstance(between, str) or error.column not in ("", between):
            raise
        near = did_you_mean(named(between), error.found)
        raise MissingColumn(
            error.message,
            f"{near}between names the column of the sources.",
            f"{near}--between names the column of the sources.",
        ) from None


def with_sources(
    given: Sequence[AnyClustering], name: str, columns: Sequence[Column | None] | None = None
) -> list[Any]:
    """Sides in memory with a source for each object in place of its sample, or beside it where
    `columns` are the sources; those that one side says hold for the others.
    """
    sampled = columns is not None
    sides = all_sampled(list(given)) if sampled else list(given)
    every = [side.samples for side in sides] if columns is None else columns
    known = [values for values in every if values is not None]
    for side in sides:
        read = "" if side.origin is None or sampled else side.origin.sample
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
            at = next(s for s, own in zip(sides, every, strict=True) if own is values)
            where = np.flatnonzero(nulls)
            ids = [at.id_of(int(i)) for i in where[:3]]
            raise no_source(ids, where.size, len(values), name)
    for values in known[1:]:
        alike(known[0], values)
    own = iter(numbered_together(known)[0])
    made = []
    for side, said in zip(sides, every, strict=True):
        one: Any = copy(side)
        one.sources = None if said is None else np.asarray(next(own), np.int64)
        if not sampled:
            one.samples = None
            one.origin = one.origin and replace(one.origin, sample=None)
        if said is not None:
            _check_one_source(one, name)
            one = one if sampled else _distinct(one, side)
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
    if side.samples is not None:
        ids, many = number(pair_keys(side.samples.keys, ids))
    pairs, distinct = number(pair_keys(ids, side.sources))
    if distinct == many:
        return
    first = np.zeros(distinct, np.int64)
    first[pairs] = np.arange(ids.size)
    often = np.bincount(ids[first], minlength=many)
    several = np.flatnonzero(often[ids] > 1)
    found = list(dict.fromkeys(side.ids[int(i)] for i in several[:1000]))
    raise several_sources(found[:3], int((often > 1).sum()), name)


def _filled_in(sides: list[Any], name: str) -> list[Any]:
    """The sides with the sources that some of them know; two sources of an object are refused."""
    first = next(side for side in sides if side.sources is not None)
    by_place = all(side.ids is None and len(side) == len(first) for side in sides)
    if not by_place and len({side.ids is None for side in sides}) > 1:
        return [_nowhere(side) for side in sides]  # the comparison says why they do not match
    unknown = [side for side in sides if side.sources is None]
    if len(sides) == 2 and unknown and not by_place:  # the other side has all there is to know
        unknown[0].sources = np.full(len(unknown[0]), -1)
        return sides
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
            raise other_source([side.id_of(int(i)) for i in wrong[:3]], wrong.size, name)
        table[code] = side.sources
    for side, code in zip(sides, codes, strict=True):
        side.sources = table[code]
    return sides


def _in_step(sides: list[Any]) -> bool:
    """Whether all sides list the same objects in the same order."""
    first = sides[0].ids
    samples = sides[0].samples
    if first is None:
        return all(side.ids is None for side in sides)
    return all(
        side.ids is not None and len(side.ids) == len(first) and side.ids.family == first.family
        and same_values(side.ids, first)
        and (
            samples is None
            or (side.samples.family == samples.family and same_values(side.samples, samples))
        )
        for side in sides[1:]
    )  # fmt: skip


def _nowhere(side: Any) -> Any:
    side.sources = np.zeros(len(side), np.int64)
    return side


def between_meet(
    truth: Any, guess: Any, policy: Policy, alignment: Alignment, name: str,
    beyond: Beyond | None = None,
) -> BetweenMeet:  # fmt: skip
    """The comparison of two sides whose objects know their sources; `beyond` are the objects more
    that neither side has.
    """
    more = beyond or {}
    objects = objects_of(truth, guess, plan_of(policy)).beside(sum(more.values()))
    meet, row, _ = every_row(objects)
    source = _source_of(truth, guess, objects, name, more)
    made = BetweenMeet.of(meet, row, source, objects.count)
    return made.with_alignment(told_of_sources(alignment, name, made.pairs[-1]))


def _source_of(truth: Any, guess: Any, objects: Objects, name: str, more: Beyond) -> Ints:
    """The source of each object that is compared; refused where it is not known."""
    source = np.where(
        objects.in_truth >= 0,
        np.append(truth.sources, -1)[objects.in_truth],
        np.append(guess.sources, -1)[objects.in_guess],
    )
    neither = np.flatnonzero((objects.in_truth < 0) & (objects.in_guess < 0))
    source[neither] = np.repeat([at for _, at in more], list(more.values()))
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
    made = replace(compared, meet=meet, source=source)
    return made.aligned(told_of_sources(compared.meet.alignment, name, meet.pairs[-1]))


def told_of_sources(alignment: Alignment, name: str, pairs: int) -> Alignment:
    """The alignment of a comparison between sources, which says so, and where no pair counts."""
    note = (NOTE if pairs else NO_PAIR).format(name)
    notes = dict.fromkeys((*alignment.notes, ("", note)))
    return replace(alignment, between=name, notes=tuple(notes))


def told_between(source: Ints | None, name: str) -> str:
    """What there is to know of objects from these sources."""
    several = source is not None and source.size > 0 and bool((source != source[0]).any())
    return (NOTE if several else NO_PAIR).format(name)


def between_of(aligned: AlignedComparison, guess: str, name: str) -> BetweenMeet:
    """The comparison of one of several guesses."""
    found = aligned.contingency_of(guess)
    if isinstance(found, BetweenMeet):  # counted where the tables are
        return found.with_alignment(told_of_sources(found.alignment, name, found.pairs[-1]))
    assert isinstance(found, HardMeet)
    truth, other = aligned.loaded(guess)
    more = _beyond(aligned, guess, name) if aligned.alone(guess) else {}
    return between_meet(truth, other, aligned.policy, found.alignment, name, more)


def samples_between(aligned: AlignedComparison, guess: str, name: str) -> Listed:
    """The comparison of one of several guesses in samples, each by its own pairs across sources."""
    found, plan = aligned.contingency_of(guess), plan_of(aligned.policy)
    more = _beyond(aligned, guess, name) if aligned.alone(guess) else {}
    truth, other = aligned.loaded(guess)
    assert isinstance(truth, Partition)
    assert isinstance(other, Partition)
    one, two, left, right = split_by_sample(truth, other, plan)
    assert one.samples is not None
    assert two.samples is not None
    objects = keyed_objects(left, right, plan).beside(sum(more.values()))
    meet, row, first = every_row(objects)
    source = _source_of(one, two, objects, name, more)
    (of_truth, of_guess), names = numbered_together([one.samples, two.samples])
    sample = np.where(
        objects.in_truth >= 0,
        np.append(of_truth, -1)[objects.in_truth],
        np.append(of_guess, -1)[objects.in_guess],
    )
    called = list(map(str, names.tolist()))
    place = [called.index(of) for of, _ in more]
    sample[sample < 0] = np.repeat(np.array(place, np.int64), list(more.values()))
    whole = BetweenMeet.of(meet, row, source, objects.count)
    of_row = sample[first]
    order = np.argsort(of_row, kind="stable")
    pooled = whole.in_order(order).with_alignment(
        told_of_sources(found.alignment, name, whole.pairs[-1])
    )
    edges = np.searchsorted(of_row[order], np.arange(len(called) + 1))
    there = [i for i in range(len(called)) if edges[i] < edges[i + 1]]
    meets = [pooled.between_rows(int(edges[i]), int(edges[i + 1])) for i in there]
    return Listed([names[i] for i in there], meets, pooled)


def _together(aligned: AlignedComparison) -> tuple[Together, Ints]:
    """All sides of a comparison, and the source of each object of any."""
    sides = [aligned.truth, *aligned.guesses.values()]
    where = Together.of([aligned.sessions.loaded(side) for side in sides], aligned.policy)
    source = np.full(where.sample.size, -1)
    for side, code in zip(where.sides, where.code, strict=True):
        assert side.sources is not None
        known = side.sources >= 0
        source[code[known]] = side.sources[known]
    return where, source


def _beyond(aligned: AlignedComparison, guess: str, name: str) -> Beyond:
    """How many objects neither truth nor a guess has and another one does."""
    sources_together(aligned, name)
    where, source = _together(aligned)
    place = 1 + list(aligned.guesses).index(guess)
    alone = np.flatnonzero(where.kept & ~where.has[0] & ~where.has[place])
    code, first = by_appearance(pair_keys(where.sample[alone], source[alone]))
    counts = group_sums(code, where.count[alone]).tolist()
    found = zip(where.sample[alone][first].tolist(), source[alone][first].tolist(), strict=True)
    return {
        (where.names[sample] if where.names else "", at): n
        for (sample, at), n in zip(found, counts, strict=True)
    }


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
