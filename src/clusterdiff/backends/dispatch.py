"""Which engine compares two clusterings: for partitions, for covers, for uncertain ones."""

from __future__ import annotations

from typing import Any

from clusterdiff.array_types import Ints
from clusterdiff.backends.memory import cover as covers
from clusterdiff.backends.memory import hard as arrays
from clusterdiff.backends.memory import soft
from clusterdiff.backends.torch.meet import is_on_device, meet_on_device
from clusterdiff.clusterings import AnyClustering, Cover, Partition, Soft
from clusterdiff.errors import ClusterdiffError
from clusterdiff.meet import Meet, Policy


def meet_clusterings(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, features: Any = None
) -> Meet:
    """The meet of two clusterings under a policy."""
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        if features is None and is_on_device(truth.labels, guess.labels):
            found = meet_on_device(truth, guess, policy)
            if found is not None:
                return found
        return arrays.meet_partitions(truth, guess, policy, features)
    if features is not None:
        raise ClusterdiffError(
            "features are for partitions; here objects may be in several clusters.",
            "leave features= out.",
        )
    if (
        not isinstance(truth, Soft)
        and not isinstance(guess, Soft)
        and has_codes_there(truth, guess)
    ):
        from clusterdiff.backends.torch.cover import meet_covers

        if (counted := meet_covers(truth, guess, policy)) is not None:
            return counted
    return rows_of_objects(truth, guess, policy)[0]


def has_codes_there(*sides: AnyClustering) -> bool:
    """Whether the codes of a cover lie on a device."""
    return any(isinstance(side, Cover) and side.tensor is not None for side in sides)


def rows_of_objects(
    truth: AnyClustering, guess: AnyClustering, policy: Policy
) -> tuple[Meet, Ints, arrays.Objects]:
    """A meet with every row kept apart, the row of each object, and the objects."""
    if isinstance(truth, Partition) and isinstance(guess, Partition):
        return arrays.rows_of_partitions(truth, guess, policy)
    if isinstance(truth, Soft) or isinstance(guess, Soft):
        return soft.rows_of_soft(truth, guess, policy)
    return covers.rows_of_covers(truth, guess, policy)
