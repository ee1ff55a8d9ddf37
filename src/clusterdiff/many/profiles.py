"""Profiles: objects that all clusterings put in the same clusters, counted together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.group import by_appearance, number


class Profiles(NamedTuple):
    """The meet of many clusterings: which clusters occur together, and how often."""

    clusters: Ints
    """The cluster of each profile in each clustering, -1 where it is missing: profiles x runs."""
    count: Ints  # type: ignore[assignment]
    """How many objects have each profile."""
    code: Ints
    """The profile of each object."""


def profiles_of(clusters: Sequence[Ints]) -> Profiles:
    """Objects grouped by their clusters in all clusterings, each an array over the same objects.

    >>> profiles_of([np.array([0, 0, 1]), np.array([0, 0, 0])]).count.tolist()
    [2, 1]
    """
    code, many = number(clusters[0])
    for other in clusters[1:]:
        own, width = number(other)
        code, many = number(code * max(width, 1) + own)
    code, first = by_appearance(code)
    table = np.column_stack([one[first] for one in clusters])
    return Profiles(table, np.bincount(code, minlength=many), code)
