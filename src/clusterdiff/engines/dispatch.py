"""Which engine compares two clusterings: for partitions, for covers, for uncertain ones."""

from __future__ import annotations

from typing import Any

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import AnyClustering, Cover, Partition, Soft
from clusterdiff.contingency import Meet, Policy
from clusterdiff.engines import memory as covers
from clusterdiff.engines.on_device import is_on_device, meet_on_device
from clusterdiff.errors import ClusterdiffError


def meet_clusterings(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, features: Any = None
) -> Meet:
    """The meet of two clusterings under a policy."""
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        if features is None and is_on_device(truth.labels, guess.labels):
            found = meet_on_device(truth, guess, policy)
            if found is not None:
                return found
        return covers.meet_partitions(truth, guess, policy, features)
    if features is not None:
        raise ClusterdiffError(
            "features are for partitions; here objects may be in several clusters.",
            "leave features= out.",
        )
    if isinstance(truth, Partition | Cover) and isinstance(guess, Partition | Cover):
        counted = _covers_on_device(truth, guess, policy)
        if counted is not None:
            return counted
    return rows_of_objects(truth, guess, policy)[0]


def _covers_on_device(
    truth: Partition | Cover, guess: Partition | Cover, policy: Policy
) -> Meet | None:
    """The meet of covers of which one lies on a device; None if none does, or if memory is the
    place to settle them.
    """
    if all(isinstance(side, Partition) or side.tensor is None for side in (truth, guess)):
        return None
    from clusterdiff.engines.torch import meet_covers

    return meet_covers(truth, guess, policy)


def rows_of_objects(
    truth: AnyClustering, guess: AnyClustering, policy: Policy
) -> tuple[Meet, Ints, covers.Objects]:
    """A meet with every row kept apart, the row of each object, and the objects."""
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        return covers.rows_of_partitions(truth, guess, policy)
    if isinstance(truth, Soft) or isinstance(guess, Soft):
        return covers.rows_of_soft(truth, guess, policy)
    return covers.rows_of_covers(truth, guess, policy)
