"""Ids for clusters that have none: never one that was seen before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from clusterdiff.clusterings.encode.column import Column, column, is_null, is_whole
from clusterdiff.errors import ClusterdiffError, InputError, shown

Fresh = Callable[[Any], Any]


def fitting_ids(given: Iterable[Any], like: Column) -> list[Any]:
    """Ids as others are: 7 for "7" where these are whole numbers, and the other way about."""
    listed = [value.item() if isinstance(value, np.generic) else value for value in given]
    if like.family == "integers":
        return [int(one) if is_whole(one) else one for one in listed]
    if like.family == "text":
        return [str(one) if isinstance(one, int) and like.written else one for one in listed]
    return listed


def fresh_ids(labels: Column, seen: Column, retired: Iterable[Any], fresh: Fresh | None) -> Column:
    """An id for each of these clusters, which the new run calls so: whole numbers go on behind the
    largest that was ever seen, text keeps the label if it is free.
    """
    if fresh is not None:
        return _made(labels, seen, retired, fresh)
    if seen.family in ("integers", "numbers"):
        return _behind(len(labels), seen, retired)
    return _labels(labels, {*seen.tolist(), *retired}, is_text=seen.family == "text")


def _behind(many: int, seen: Column, retired: Iterable[Any]) -> Column:
    numbers = [one for one in retired if isinstance(one, int | float) and not is_null(one)]
    top = max([seen.values.max(initial=-1).item(), *numbers])
    first = int(np.floor(top)) + 1
    if seen.family == "numbers":
        return Column(first + np.arange(many, dtype=np.float64), "numbers", written=seen.written)
    if first + many > 2**63 - 1:
        raise ClusterdiffError(
            f"no whole number of 64 bits is left behind the id {top}.",
            "give fresh=, a function that makes an id of a label.",
        )
    return Column(first + np.arange(many), "integers", written=seen.written)


def _labels(labels: Column, used: set[Any], is_text: bool) -> Column:
    """The labels themselves; one that is taken gets a number behind it."""
    made = []
    for label in labels.tolist():
        one = str(label) if is_text else label
        again = 2
        while one in used:
            one = f"{label}~{again}"
            again += 1
        used.add(one)
        made.append(one)
    return column(made, written=labels.written)


def check_fresh(fresh: object) -> None:
    """Refuse what cannot make an id."""
    if fresh is not None and not callable(fresh):
        raise ClusterdiffError(
            f"fresh is a function that makes an id of a label, got {shown(fresh)}.",
            'write e.g. fresh=lambda label: f"2026-{label}".',
        )


def _made(labels: Column, seen: Column, retired: Iterable[Any], fresh: Fresh) -> Column:
    """What a function of the user makes of the labels; no id twice."""
    used, made = {*seen.tolist(), *retired}, []
    for label in labels.tolist():
        one = fresh(label)
        if is_null(one):
            raise ClusterdiffError(
                f"fresh({shown(label)}) gave {shown(one)}, which is no id.",
                "return a number or a text that was never seen.",
            )
        try:
            again = one in used
        except TypeError:
            raise InputError.from_unhashable(one) from None
        if again:
            raise ClusterdiffError(
                f"fresh({shown(label)}) gave {shown(one)}, which is an id already.",
                "ids are never used twice; return one that was never seen.",
            )
        used.add(one)
        made.append(one)
    return column(made)
