"""What a sweep goes over, and what it was taken for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Swept:
    """What was swept, and taken for."""

    shown: str
    taken_for: str
    """Columns, and whether they are similarities or distances; a dendrogram; levels."""
    columns: Mapping[str, Any] | None = None
    pairs: int = 0
    objects: int = 0
    scores: int = 0
    """Different scores."""
    self_pairs: int = 0
    duplicates: int = 0
    """Pairs that were given before, in either direction."""
    unknown: int = 0
    """Objects that pairs name and truth does not have."""
    silent: int = 0
    """Objects of truth that no pair names."""
    noise: int = 0
    is_tree: bool = False
    whole: bool = False
    """Whether thresholds are numbers of clusters."""
    levels: Sequence[str] = ()
    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        told: dict[str, Any] = {"name": self.shown, "taken_for": self.taken_for}
        if self.columns is not None:
            told["columns"] = dict(self.columns)
        if self.levels:
            return told | {"levels": list(self.levels), "objects": self.objects}
        return told | {
            "pairs": self.pairs, "objects": self.objects, "scores": self.scores,
            "self_pairs": self.self_pairs, "duplicates": self.duplicates,
            "not_in_truth": self.unknown, "not_in_pairs": self.silent,
        }  # fmt: skip
