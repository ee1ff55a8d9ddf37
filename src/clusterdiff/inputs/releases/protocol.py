"""What has to be known of releases to follow their clusters: contingency tables, a few rows each.

Clusters of a release are numbered in the order of the smallest object that each has. Ids that last
are numbers here too; what they are called is not the business of an engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.backends.label_checks import Notes
    from clusterdiff.clusterings.encode.column import Column
    from clusterdiff.meet.overlaps import Overlaps


@dataclass(frozen=True, eq=False)
class KnownIds:
    """Ids that objects have, beside the clusters that they are in now."""

    ids: Ints
    """The ids, each once."""
    size: Ints
    """How many objects have each of them."""
    id: Ints
    """For each row the place of its id among these."""
    cluster: Ints
    shared: Ints
    """How many objects have the id and are in the cluster."""
    weight: Ints | None = None
    scale: int = 1


class Releases(ABC):
    """Clusterings in the order of time."""

    names: list[str]
    noise: list[int]
    """How many objects of each are noise, which are in no cluster."""
    notes: Notes
    """How they were read where that may not be what was meant."""

    @abstractmethod
    def labels(self, release: int) -> Column:
        """What the clusters of a release are called there, by number."""

    @abstractmethod
    def sizes(self, release: int) -> Ints:
        """How many objects each of its clusters has."""

    @abstractmethod
    def step(self, release: int) -> Overlaps:
        """The clusters of a release beside those of the next one."""

    @abstractmethod
    def name(self, release: int, ids: Ints) -> None:
        """From now on the objects of a release have these ids, one for each of its clusters."""

    @abstractmethod
    def known(self, release: int) -> KnownIds:
        """The last known id of each object of this release or of the one before it."""

    @abstractmethod
    def ever_known(self, release: int) -> KnownIds:
        """All ids that objects of a release have ever had."""

    @abstractmethod
    def renamed(self, release: int, ids: Column) -> Any:
        """A release under other labels, one for each of its clusters: where it is, the same kind
        of thing.
        """

    @abstractmethod
    def write(self, release: int, ids: Column, path: str) -> None:
        """The same as a file, CSV or Parquet by its ending."""

    @abstractmethod
    def objects(self) -> tuple[Column, Floats, Ints]:
        """For each object that two releases in a row have, in the order of their ids: its id, its
        stability, the mean over such steps of |A ∩ B| / max(|A|, |B|), and how many there are.
        """

    def write_objects(self, path: str) -> bool:
        """Write the same as CSV, and whether that was done; in memory there is no need to."""
        return False

    @abstractmethod
    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        """How many objects have which stability in each cluster of a release (cluster, stability,
        objects; in this order), or among all objects.
        """
