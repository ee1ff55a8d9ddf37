"""Which object of the guess is which object of the truth, by id or by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import by_appearance, number, span
from clusterdiff.errors import AlignmentError


class Matched(NamedTuple):
    """Positions of the objects that both have, and of those that one has alone.

    `truth` and `guess` are None where both list the same objects in the same order.
    """

    truth: Ints | None
    guess: Ints | None
    only_truth: Ints
    only_guess: Ints


NONE = np.zeros(0, np.int64)


def match(truth: Clustering, guess: Clustering) -> Matched:
    """Match by id where both have ids, by position where neither has."""
    if truth.ids is None and guess.ids is None:
        if len(truth) != len(guess):
            fractions = getattr(getattr(guess, "labels", None), "family", "") == "numbers"
            raise AlignmentError.from_positions(len(truth), len(guess), fractions)
        return Matched(None, None, NONE, NONE)
    if truth.ids is None:
        raise AlignmentError.from_one_sided_ids("guess", "truth")
    if guess.ids is None:
        raise AlignmentError.from_one_sided_ids("truth", "guess")
    return match_ids(truth.ids, guess.ids)


def match_ids(truth: Column, guess: Column) -> Matched:
    """Match two columns of distinct ids."""
    if not len(truth) or not len(guess):
        return Matched(NONE, NONE, np.arange(len(truth)), np.arange(len(guess)))
    left, right = alike(truth, guess)
    if len(left) == len(right) and _same(left, right):
        return Matched(None, None, NONE, NONE)
    position = _positions(right, left)
    shared = position >= 0
    seen = np.zeros(len(left), np.bool_)
    seen[position[shared]] = True
    return Matched(
        position[shared], np.flatnonzero(shared), np.flatnonzero(~seen), np.flatnonzero(~shared)
    )


def in_order_of(truth: Partition, guess: Partition) -> Partition:
    """The guess with its objects in the order of truth and under its ids, where both have the same
    objects; one column of ids is enough then.
    """
    if truth.samples is not None or guess.samples is not None:
        return guess
    if truth.ids is None or guess.ids is None or truth.ids.family != guess.ids.family:
        return guess
    matched = match_ids(truth.ids, guess.ids)
    if matched.only_truth.size or matched.only_guess.size:
        return guess
    made = object.__new__(type(guess))
    vars(made).update(vars(guess))
    made.ids = truth.ids
    if matched.truth is not None and matched.guess is not None:
        where = np.empty_like(matched.truth)
        where[matched.truth] = matched.guess
        made.labels = guess.labels.take(where)
    return made


def alike(
    truth: Column, guess: Column, names: tuple[str, str] = ("truth", "guess")
) -> tuple[Column, Column]:
    """Both columns in one family, so that equal ids look equal."""
    families = {truth.family, guess.family}
    if len(families) == 1 or not len(truth) or not len(guess):
        return truth, guess
    if "text" in families and "values" not in families:
        if not ((truth.written or guess.written) and "integers" in families):
            raise AlignmentError.from_id_types(
                _named(truth.family), _named(guess.family), (truth[0], guess[0]), names
            )
        return _as_text(truth), _as_text(guess)
    return _as_values(truth), _as_values(guess)


def numbered_together(columns: Sequence[Column]) -> tuple[list[Ints], Column]:
    """Numbers for the values of some columns, equal where they are, and the value of each."""
    made = _all_alike(columns)
    if all(one.family == "text" for one in made):
        import pyarrow as pa

        both = column(pa.chunked_array([chunk for one in made for chunk in one.arrow().chunks]))
    else:
        both = column(np.concatenate([one.values for one in made]))
    codes, example = by_appearance(both.keys)
    return np.split(codes, np.cumsum([len(one) for one in made])[:-1]), both.take(example)


def _all_alike(columns: Sequence[Column]) -> Sequence[Column]:
    """Columns in one family; of more than two, each is known to fit the first."""
    if len(columns) == 2:
        return alike(columns[0], columns[1])
    families = {one.family for one in columns if len(one)}
    if len(families) < 2:
        return columns
    return [_as_text(c) if families == {"text", "integers"} else _as_values(c) for c in columns]


def _named(family: str) -> str:
    return "strings" if family == "text" else family


def _as_text(ids: Column) -> Column:
    if ids.family == "text":
        return ids
    import pyarrow as pa

    return Column(ids.arrow().cast(pa.large_string()), "text", written=True)


def _as_values(ids: Column) -> Column:
    values = np.empty(len(ids), object)
    values[:] = ids.tolist()
    return Column(values, "values", written=ids.written)


def _same(left: Column, right: Column) -> bool:
    if left is right:
        return True
    if left.family == "text":
        if not isinstance(left.values, np.ndarray) and left.values.type == getattr(
            right.values, "type", None
        ):
            return bool(left.values.equals(right.values))
        return bool(left.arrow().equals(right.arrow()))
    if left.family == "values":
        pairs = zip(left.values, right.values, strict=True)
        return all(a is b or (hash(a) == hash(b) and bool(a == b)) for a, b in pairs)
    return bool(np.array_equal(left.values, right.values))


def _positions(wanted: Column, among: Column) -> Ints:
    """Where each wanted id stands among the others, -1 where it does not."""
    if among.family == "values":
        where: dict[Any, int] = {value: i for i, value in enumerate(among.values)}
        return np.array([where.get(value, -1) for value in wanted.values], np.int64)
    if among.family == "integers":
        low, wide = span(among.keys)
        if wide <= 4 * len(among):
            return _in_table(wanted.keys, among.keys, low, wide)
    if (found := _by_prints(wanted, among)) is not None:
        return found
    import pyarrow.compute as pc

    found = pc.index_in(wanted.arrow(), value_set=among.arrow()).fill_null(-1)
    return np.asarray(found.to_numpy(), np.int64)


def _by_prints(wanted: Column, among: Column) -> Ints | None:
    """The same for many texts by their fingerprints; None where these do not tell all of them
    apart.
    """
    if wanted.prints is None or among.prints is None:
        return None
    codes, many = number(np.concatenate([among.prints, wanted.prints]))
    place = np.full(many, -1)
    place[codes[: len(among)]] = np.arange(len(among))
    found = place[codes[len(among) :]]
    known = np.flatnonzero(found >= 0)
    if not among.take(found[known]).arrow().equals(wanted.take(known).arrow()):
        return None
    return found


def _in_table(wanted: Ints, among: Ints, low: int, wide: int) -> Ints:
    """The same for whole numbers that lie close together: a table of positions."""
    table = np.full(wide + 1, -1, np.int64)
    table[among - low] = np.arange(among.size)
    inside = (wanted >= low) & (wanted < low + wide)
    return table[np.where(inside, wanted - low, wide)]
