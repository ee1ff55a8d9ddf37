"""Compiled refinement of profiles by one more clustering."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.compiled import compiled

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
