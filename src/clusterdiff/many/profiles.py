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
from clusterdiff.clusterings.encode.group import MANY, by_appearance, number


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
        from clusterdiff.many.profile_kernels import split_profiles

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
