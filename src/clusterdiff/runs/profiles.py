"""Profiles: objects that all clusterings put in the same clusters, counted together.

What the meet is for two clusterings, profiles are for many: every pair of clusterings is a table
over profiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.grouping import MANY, by_appearance, number
from clusterdiff.compiled import compiled


class Profiles(NamedTuple):
    """The meet of many clusterings: which clusters occur together, and how often."""

    clusters: Ints
    """The cluster of each profile in each clustering, -1 where it is missing: profiles x runs."""
    count: Ints  # type: ignore[assignment]
    """How many objects have each profile."""
    code: Ints
    """The profile of each object."""

    @property
    def digest(self) -> str:
        """Which objects each clustering puts together, in 16 hexadecimal digits; it depends on the
        order of the objects, not on the names of clusters.
        """
        made = blake2b(self.count.astype("<i8").tobytes(), digest_size=8)
        for run in self.clusters.T:
            code = np.where(run < 0, -1, by_appearance(run)[0])
            made.update(code.astype("<i8").tobytes())
        return made.hexdigest()


def profiles_of(clusters: Sequence[Ints]) -> Profiles:
    """Objects grouped by their clusters in all clusterings, each an array over the same objects.

    >>> profiles_of([np.array([0, 0, 1]), np.array([0, 0, 0])]).count.tolist()
    [2, 1]

    Profiles are numbered in the order in which they first occur.
    """
    code = group_objects(clusters, clusters[0].size)
    assert code is not None
    code, first = by_appearance(code)
    table = np.column_stack([one[first] for one in clusters])
    return Profiles(table, np.bincount(code, minlength=first.size), code)


def group_objects(clusters: Sequence[Ints], most: int) -> Ints | None:
    """A number for each object, equal exactly where no clustering tells objects apart; None as soon
    as there are more than `most` of them.
    """
    code = np.zeros(clusters[0].size, np.int64)
    many = min(code.size, 1)
    for run in clusters:
        many = _refine(code, run, many, most)
        if many > most:
            return None
    return code


def _refine(code: Ints, run: Ints, many: int, most: int) -> int:
    """Profiles told apart by one more clustering, in place."""
    if code.size >= MANY:
        return split_profiles(code, run, many, most)
    own, width = number(run)
    code[:], found = number(code * max(width, 1) + own)
    return found


def agreeing(clusters: Sequence[Ints]) -> Bools:
    """Which objects are in a cluster that is the same set of objects in every clustering.

    >>> agreeing([np.array([0, 0, 1, 2]), np.array([5, 5, 4, 4])]).tolist()
    [True, True, False, False]
    """
    first = clusters[0] + 1
    size = np.bincount(first)
    alike = size > 0
    alike[:1] = False
    for run in clusters[1:]:
        if not alike.any():
            break
        image = np.zeros(size.size, np.int64)
        image[first] = run + 1
        alike[first[image[first] != run + 1]] = False
        alike &= (image > 0) & (np.bincount(run + 1, minlength=1)[image] == size)
    return np.asarray(alike[first])


# Compiled refinement of profiles by one more clustering.

A = np.uint64(0x9E3779B97F4A7C15)


def split_profiles(code: Ints, cluster: Ints, profiles: int, most: int) -> int:
    """Split profiles, in place, whose objects are in several clusters: how many there are then.

    The cluster of its first object keeps the number of a profile, the others get new ones. More
    than `most` are given up as soon as they are seen, and `code` is of no use then.
    """
    first = np.full(profiles, -2, np.int64)
    return int(_split(code, cluster, first, profiles, most))


@compiled
def _split(code, cluster, first, profiles, most):  # type: ignore[no-untyped-def]  # pragma: no cover
    room = 1 << 12
    old = np.full(room, -1, np.int64)
    label = np.empty(room, np.int64)
    new = np.empty(room, np.int64)
    used, next_number = 0, profiles
    for i in range(code.size):
        p, c = code[i], np.int64(cluster[i])
        if first[p] == -2:
            first[p] = c
            continue
        if first[p] == c:
            continue
        if 2 * used >= room:
            old, label, new = _grown(old, label, new)
            room = old.size
        at = _slot(p, c, old, label)
        if old[at] == -1:
            if next_number >= most:
                return most + 1
            old[at], label[at], new[at] = p, c, next_number
            used += 1
            next_number += 1
        code[i] = new[at]
    return next_number


@compiled
def _slot(p, c, old, label):  # type: ignore[no-untyped-def]  # pragma: no cover
    mask = old.size - 1
    mixed = (np.uint64(p) * A + np.uint64(c + 1)) * A
    at = np.int64(mixed >> np.uint64(20)) & mask
    while old[at] != -1 and (old[at] != p or label[at] != c):
        at = (at + 1) & mask
    return at


@compiled
def _grown(old, label, new):  # type: ignore[no-untyped-def]  # pragma: no cover
    room = 4 * old.size
    wide_old = np.full(room, -1, np.int64)
    wide_label = np.empty(room, np.int64)
    wide_new = np.empty(room, np.int64)
    for i in range(old.size):
        if old[i] != -1:
            at = _slot(old[i], label[i], wide_old, wide_label)
            wide_old[at], wide_label[at], wide_new[at] = old[i], label[i], new[i]
    return wide_old, wide_label, wide_new
