"""A clustering written at the prompt: 12|34 is a cluster of 1 and 2, and one of 3 and 4."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from clusterdiff.clusterings import AnyClustering, Cover, Partition
from clusterdiff.errors import FLAGS, ClusterdiffError, NoColumns, shorten

_SHORT = re.compile(r"[0-9A-Za-z]*(\|[0-9A-Za-z]*)+")
_LONG = re.compile(r"[\w.-]+(,[\w.-]+)*,?(\|([\w.-]+(,[\w.-]+)*,?)?)+")
MOST = 1_000_000
"""Objects that can be written at the prompt."""
DIGITS = 18
"""Of a number: more are no number of 64 bits."""
_RANGE = re.compile(r"(\d+)-(\d+)")


def is_inline(path: str | os.PathLike[str]) -> bool:
    """Whether this is a clustering and not the name of a file.

    >>> is_inline("12|34"), is_inline("1-5|6,7"), is_inline("1234|"), is_inline("truth.csv")
    (True, True, True, False)
    """
    if not isinstance(path, str) or "|" not in path or os.path.exists(path):
        return False
    if "." in path and "," not in path:
        return False
    return bool(_SHORT.fullmatch(path) or _LONG.fullmatch(path))


def clusters_in(text: str) -> list[list[int | str]]:
    """The objects of each cluster; one character each, or with commas and ranges.

    >>> clusters_in("13|2"), clusters_in("1-3,5|4")
    ([[1, 3], [2]], [[1, 2, 3, 5], [4]])
    """
    parts = [part for part in text.split("|") if part]
    if _SHORT.fullmatch(text) or text.isalnum():
        return [[_object(name) for name in part] for part in parts]
    clusters, left = [], MOST
    for part in parts:
        ranges = [_objects(name, left) for name in part.split(",") if name]
        clusters.append([x for objects in ranges for x in objects])
        left -= len(clusters[-1])
    return clusters


def inline(text: str, kind: str = "partition", **columns: Any) -> AnyClustering:
    """The clustering that a text like 12|34 writes down; columns that are named are refused.

    >>> inline("13|2"), inline("12|23", kind="cover")
    (Partition(3 objects in 2 clusters), Cover(3 objects in 2 clusters))
    """
    shown = shorten(text, 60)
    asked = {name: columns.get(name) for name in FLAGS}
    if named := {name: given for name, given in asked.items() if given is not None}:
        raise NoColumns.from_options(shown, named)
    if kind not in ("partition", "cover"):
        raise ClusterdiffError(
            f"{shown} is a partition or a cover, not a {kind} clustering.",
            "write an uncertain clustering to a file.",
        )
    clusters = clusters_in(text)
    for part in clusters:
        if len(set(part)) < len(part):
            twice = Counter(part).most_common(1)[0][0]
            raise ClusterdiffError(
                f"in {shown} object {shorten(str(twice), 40)} stands twice in a cluster.",
                "names of several characters have commas between them: 10,11|12,13.",
            )
    objects = sorted({x for part in clusters for x in part}, key=lambda x: (isinstance(x, str), x))
    if kind == "cover":
        inside: dict[int | str, list[int]] = {x: [] for x in objects}
        for k, part in enumerate(clusters, 1):
            for x in part:
                inside[x].append(k)
        cover = Cover(inside)
        cover.labels.made = True
        return cover
    often = Counter(x for part in clusters for x in part)
    several = [x for x in objects if often[x] > 1]
    if several:
        raise ClusterdiffError(
            f"in {shown} object {shorten(str(several[0]), 40)} is in several clusters.",
            'say kind="cover" if clusters overlap.',
        )
    found = Partition({x: k for k, part in enumerate(clusters, 1) for x in part})
    found.labels.made = True
    return found


def _objects(name: str, most: int) -> Sequence[int | str]:
    found = _RANGE.fullmatch(name)
    if not found:
        return [_object(name)]
    first, last = map(_number, found.groups())
    if first is None or last is None or not 0 <= last - first < most:
        raise ClusterdiffError(
            f"{shorten(name, 60)} is not a range of objects, or makes more than {MOST:,} of them.",
            "write the first and then the last, or a file.",
        )
    return range(first, last + 1)


def _object(name: str) -> int | str:
    number = _number(name)
    return name if number is None else number


def _number(name: str) -> int | None:
    """A whole number; one of very many digits is a text."""
    return int(name) if name.isdecimal() and len(name) <= DIGITS else None
