"""How many objects each one stands for: whole numbers >= 0, of which 0 is as if absent."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.base import Clustering, object_keys
from clusterdiff.clusterings.columns import Column, column, is_null, is_whole
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.errors import InputError, examples

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 2**63
"""Objects that can be counted, together."""
WHOLE = 2**53
"""Floating-point numbers from here on need not be what was meant."""
SCALE = (
    "a count says how many objects a row stands for, so make it whole in a smaller unit: "
    "milliseconds instead of seconds, parts per million instead of shares, e.g. "
    'count=(1000 * frame["seconds"]).round().astype(int).'
)
"""How fractions become counts."""


class TimeUnit(str):
    """What counts are called that are time, and how many of them a second has."""

    second: int

    def __new__(cls, name: str, second: int) -> TimeUnit:
        """A name that knows how many of its counts make a second."""
        made = super().__new__(cls, name)
        made.second = second
        return made


def whole_counts(values: Any, name: str, named: Callable[[int], Any]) -> Ints:
    """Counts as whole numbers; everything else is refused. `named` gives the id of an object."""
    given = column(values)
    if given.family == "integers":
        counts = np.asarray(given.values, np.int64)
        if counts.min(initial=0) < 0:
            raise _refused(name, counts < 0, given, named, "negative", NEGATIVE)
    else:
        counts = _converted(given, name, named)
    check_total(counts, name)
    return counts


NEGATIVE = "leave these objects out, or give them a count of 0: they are then as if absent."
MISSING = "give each object a count; a count of 0 is as if the object was absent."
NOT_NUMBERS = "counts are whole numbers such as 3; convert the column first."
TOO_LARGE = "count in a larger unit, e.g. milliseconds instead of nanoseconds."


def _converted(given: Column, name: str, named: Callable[[int], Any]) -> Ints:
    """Counts that are not stored as whole numbers, if they are such all the same."""
    if (missing := given.nulls()) is not None:
        raise _refused(name, missing, given, named, "missing", MISSING)
    listed = given.tolist()
    if given.family == "numbers":
        numbers = np.asarray(given.values, np.float64)
        known = np.isfinite(numbers)
        for wrong, what, hint in (
            (~known, "infinite", MISSING),
            (numbers < 0, "negative", NEGATIVE),
            (numbers != np.floor(np.where(known, numbers, 0)), "not whole", SCALE),
            (numbers >= WHOLE, "too large for floating-point numbers to be exact", TOO_LARGE),
        ):
            if wrong.any():
                raise _refused(name, wrong, given, named, what, hint)
        return numbers.astype(np.int64)
    whole = [_whole(value, given.written) for value in listed]
    for test, what, hint in (
        (lambda x: x is None, "not numbers", NOT_NUMBERS),
        (lambda x: abs(x) == math.inf, "infinite", MISSING),
        (lambda x: x < 0, "negative", NEGATIVE),
        (lambda x: x != int(x), "not whole", SCALE),
        (lambda x: x >= MOST, "2⁶³ or more", TOO_LARGE),
    ):
        wrong = np.fromiter(map(test, whole), np.bool_, len(whole))
        if wrong.any():
            raise _refused(name, wrong, given, named, what, hint)
    return np.array([int(x) for x in whole], np.int64)  # type: ignore[arg-type]


def _whole(value: Any, written: bool) -> int | float | Decimal | Fraction | None:
    """A number of some other type, or one that is written as text in a file."""
    if isinstance(value, str) and written:
        if is_whole(value):
            return int(value)
        try:
            return float(value)
        except ValueError:
            return None
    numbers = int | float | Decimal | Fraction | np.integer | np.floating
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers) or is_null(value):
        return None
    return value  # type: ignore[return-value]


def _refused(
    name: str, wrong: Bools, given: Column, named: Callable[[int], Any], what: str, hint: str
) -> InputError:
    """What to say of counts that are none."""
    where = np.flatnonzero(wrong)
    shown: Sequence[int] = where[:3].tolist()
    if what == "missing":
        told = f"object{'s' * (where.size > 1)} {examples(map(named, shown))}"
    else:
        told = "; ".join(f"{examples([given[i]])} of object {examples([named(i)])}" for i in shown)
    more = "; …" if where.size > len(shown) else ""
    are = "is" if where.size == 1 else "are"
    return InputError(
        f"{where.size:,} of {len(given):,} counts{called(name)} {are} {what} ({told}{more}).", hint
    )


def called(name: str) -> str:
    """The name of the counts in a sentence, where they have one."""
    return f" ({name})" if name not in ("", GIVEN) else ""


GIVEN = "given"
"""What counts are called that come from no column."""


def check_total(counts: Ints, name: str) -> None:
    """Refuse more objects than can be counted."""
    if int(counts.max(initial=0)) * counts.size >= MOST:
        total = sum(counts.tolist())
        if total >= MOST:
            raise InputError(
                f"the counts{called(name)} add up to {total:.3g} objects; fewer than 2⁶³ "
                "(9.2e18) can be counted.",
                TOO_LARGE,
            )


def check_same_counts(one: Ints, other: Ints, ids: Column | None, where: Ints) -> None:
    """Refuse objects that have two counts; `where` they stand among the ids."""
    differ = np.flatnonzero((one != other) & (one >= 0) & (other >= 0))
    if not differ.size:
        return
    shown = [
        f"object {examples([int(where[i]) if ids is None else ids[int(where[i])]])} counts "
        f"{int(one[i]):,} and {int(other[i]):,}"
        for i in differ[:3].tolist()
    ]
    more = "; …" if differ.size > 3 else ""
    raise InputError(
        f"{differ.size:,} object{'s have' if differ.size > 1 else ' has'} two different counts "
        f"({'; '.join(shown)}{more}).",
        "give each object one count in all rows and on both sides; counts on one side hold for "
        "both.",
    )


C = TypeVar("C", bound=Clustering)


def with_row_counts(made: C, given: Column, name: str, ids: Any, samples: Any) -> C:
    """A clustering with counts that stand in each row of its table; rows of one object agree."""
    known = None if ids is None else column(ids)
    counts = whole_counts(given, name, lambda row: row if known is None else known[row])
    if known is not None and (len(counts) != len(made) or made.samples is None):
        owner, first = by_appearance(object_keys(known, samples and column(samples)))
        check_same_counts(counts[first][owner], counts, known, np.arange(len(counts)))
        counts = counts[first] if first.size < counts.size else counts
    if len(counts) != len(made):
        raise InputError.from_lengths("counts", len(counts), len(made))
    made.counts, made.counted = counts, name
    return made
