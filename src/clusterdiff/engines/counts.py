"""Counts given to clusterings in memory: each object stands for so many, the same on all sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, TypeVar

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.clusterings.counts import GIVEN, check_same_counts, check_total, whole_counts
from clusterdiff.contingency import Policy
from clusterdiff.engines.memory import alike, match_ids, same_values
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import AlignmentError, ClusterdiffError, InputError, a_type, shown

C = TypeVar("C", bound=AnyClustering)

UNKNOWN = -1
"""The count of an object that no side with counts has."""


def with_counts(side: C, count: Any, name: str = GIVEN) -> C:
    """The clustering in which each object stands for so many: a dict from id to number, or one
    number per object.
    """
    if isinstance(count, Mapping):
        if side.ids is None:
            raise AlignmentError.from_one_sided_ids("counts", "the clustering")
        ids = side.ids.tolist()
        missing = [one for one in ids if one not in count]
        if missing:
            many = "1 object has" if len(missing) == 1 else f"{len(missing):,} objects have"
            raise InputError(
                f"{many} no count, such as {shown(missing[0])}.",
                "give each object of both clusterings a count; a count of 0 is as if the object "
                "was absent.",
            )
        count = [count[one] for one in ids]
    elif isinstance(count, str | bytes) or not hasattr(count, "__len__"):
        raise ClusterdiffError(
            f"count is {a_type(count)}; it says for each object how many it stands for.",
            'give the name of a column, count="duration_ms", a dict from id to number, or one '
            "number per object.",
        )
    given = column(count)
    if len(given) != len(side):
        raise InputError(
            f"there are {len(side):,} objects and {len(given):,} counts.",
            "give one count for each object, or a dict from id to number.",
        )
    return counting(side, whole_counts(given, name, side.id_of), name)


def any_left(side: AnyClustering) -> None:
    """Refuse counts of which all are 0."""
    if not _known(side).any():
        raise InputError(
            f"no object is left: all {len(side):,} counts are 0.",
            "a count of 0 is as if the object was absent; give some objects a count.",
        )


def counting(side: C, counts: Ints, name: str) -> C:
    """The clustering with counts that are known to be whole."""
    made = copy(side)
    made.counts, made.counted = counts, name
    return made


def counted(sides: Sequence[AnyClustering], count: Any = None) -> list[AnyClustering]:
    """Sides with the same counts on all, where some side has counts or they are given; objects that
    count 0 are left out.
    """
    made = list(sides)
    if count is not None:
        first = made[0]
        made[0] = with_counts(first, count)
        for place, side in enumerate(made[1:], 1):
            by_place = side.ids is None and len(side) == len(first)
            if isinstance(count, Mapping) or by_place:
                made[place] = with_counts(side, count)
    if all(side.counts is None for side in made):
        return made
    return _without_zeros(_agreed(made))


def _agreed(sides: list[AnyClustering]) -> list[AnyClustering]:
    """The sides with the counts that some of them have; two counts for an object are refused."""
    known = [side for side in sides if side.counts is not None]
    name, first = known[0].counted, known[0]
    if all(_in_step(first, side) for side in sides):
        assert first.counts is not None
        for side in known[1:]:
            if side.counts is not first.counts:
                where = np.arange(len(side))
                check_same_counts(first.counts, _known(side), side.ids, where)
        return [counting(side, first.counts, name) for side in sides]
    if len({side.ids is None for side in sides}) > 1 or (
        first.ids is None and len({len(side) for side in sides}) > 1
    ):
        return [side if side.counts is not None else _uncounted(side, name) for side in sides]
    for side in sides:
        if side is not first and side.ids is not None and first.ids is not None:
            alike(first.ids, side.ids)
    if len(sides) == 2 and all(side.samples is None for side in sides):
        other = _in_order_of(first := sides[0], sides[1])
        if other is not None:
            return _agreed([first, other])
    codes = Together.of(sides, Policy()).code
    table = np.full(1 + max((int(code.max(initial=-1)) for code in codes), default=-1), UNKNOWN)
    for side, code in zip(sides, codes, strict=True):
        if side.counts is not None:
            before = table[code]
            check_same_counts(before, side.counts, side.ids, np.arange(len(side)))
            said = side.counts != UNKNOWN
            table[code[said]] = side.counts[said]
            check_same_counts(table[code], side.counts, side.ids, np.arange(len(side)))
    return [counting(side, table[code], name) for side, code in zip(sides, codes, strict=True)]


def _in_order_of(one: AnyClustering, other: C) -> C | None:
    """The other side with its objects in the order of the first and under the same ids, so that
    they are matched once; None where one of them has objects alone.
    """
    assert one.ids is not None
    assert other.ids is not None
    matched = match_ids(one.ids, other.ids)
    if matched.only_truth.size or matched.only_guess.size or matched.truth is None:
        return None
    assert matched.guess is not None
    where = np.empty_like(matched.truth)
    where[matched.truth] = matched.guess
    made = _taken(other, where)
    made.ids = one.ids
    return made


def _taken(side: C, places: Ints) -> C:
    """Some objects of a side, and what is known of it as a whole."""
    made: C = side.take(places)  # type: ignore[assignment]
    for name in KEPT:
        if name in vars(side):
            setattr(made, name, getattr(side, name))
    return made


def _known(side: AnyClustering) -> Ints:
    assert side.counts is not None
    return side.counts


def _uncounted(side: C, name: str) -> C:
    """A side of which it is known that it cannot be matched: the comparison says why."""
    return counting(side, np.ones(len(side), np.int64), name)


def _in_step(one: AnyClustering, other: AnyClustering) -> bool:
    """Whether two sides list the same objects in the same order, as far as that is easily seen."""
    if one is other:
        return True
    if one.ids is None and other.ids is None and one.samples is other.samples is None:
        return len(one) == len(other)
    if len(one) != len(other) or (one.samples is None) != (other.samples is None):
        return False
    for mine, theirs in ((one.ids, other.ids), (one.samples, other.samples)):
        if (mine is None) != (theirs is None):
            return False
        if mine is None or theirs is None or mine is theirs:
            continue
        if mine.family != theirs.family or not same_values(mine, theirs):
            return False
    return True


def _without_zeros(sides: list[AnyClustering]) -> list[AnyClustering]:
    """The sides without objects that count 0; those without ids keep their places as such."""
    different = {id(side.counts): _known(side) for side in sides}
    for counts in different.values():
        if counts is not sides[0].counts:
            check_total(np.maximum(counts, 0), sides[0].counted)
    if all(counts.all() for counts in different.values()):
        return sides
    made = []
    for side in sides:
        keep = np.flatnonzero(_known(side))
        any_left(side)
        taken = _taken(side, keep)
        if side.ids is None:
            taken.ids = column(keep)
        made.append(taken)
    return made


KEPT = (
    "repeats", "notes", "bare_words", "origin", "source", "documents", "blank", "reading",
    "mentions", "asked",
)  # fmt: skip
"""What is known of a clustering as a whole."""
