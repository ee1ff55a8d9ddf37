"""Partitions with their noise settled, before an experiment begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.backends.alignment import Fate, plan_of
from clusterdiff.backends.memory.hard import numbered_clusters
from clusterdiff.clusterings import Partition, column
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from clusterdiff.meet import Policy


def settled(whose: str, given: Partition, policy: Policy) -> Partition:
    """The same with noise in clusters of its own, or left out; other null labels are refused."""
    every, plan = np.arange(len(given)), plan_of(policy)
    codes, noisy = numbered_clusters(whose, given, every, plan)
    found = given.take(every)
    found.labels = column(codes)
    if plan.noise is not Fate.DROPPED:
        return found
    if noisy.all():
        raise InputError.empty("after the noise is dropped, the file")
    return found.take(np.flatnonzero(~noisy))
