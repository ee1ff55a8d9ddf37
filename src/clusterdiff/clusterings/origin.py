"""Which columns of a table a clustering was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SHOWN = 3
"""Columns with the degrees of a cluster each that are named."""


@dataclass(frozen=True)
class Origin:
    """The columns that were taken, and how many files they are from.

    >>> print(Origin("gold", "unique_id"), Origin("cluster", files=3), sep="; ")
    id: unique_id, cluster: gold; rows in order, cluster, 3 files
    """

    cluster: str
    """"" where each cluster has a column of its own."""
    id: str | None = None
    """None where rows count in their order."""
    sample: str | None = None
    degree: str | None = None
    wide: tuple[str, ...] = ()
    """Columns of degrees, one for each cluster."""
    files: int = 1
    parts: tuple[str, ...] = ()
    """The columns of the ids where these are several."""

    def __str__(self) -> str:
        wide = ", ".join(map(_shown, self.wide[:SHOWN]))
        told = [
            self.sample is not None and labelled("sample", self.sample),
            "rows in order" if self.id is None else labelled("id", self.id),
            self.cluster and labelled("cluster", self.cluster),
            self.degree is not None and labelled("degree", self.degree),
            wide and f"degrees: {wide}",
            len(self.wide) > SHOWN and f"… {len(self.wide)} columns",
            self.files > 1 and f"{self.files:,} files",
        ]
        return ", ".join(one for one in told if one)

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, for programs."""
        found: dict[str, Any] = {
            "id": list(self.parts) or self.id,
            "cluster": self.cluster or list(self.wide),
        }
        if self.sample is not None:
            found["sample"] = self.sample
        if self.degree is not None:
            found["degree"] = self.degree
        return found | ({"files": self.files} if self.files > 1 else {})


@dataclass(frozen=True)
class LinkedOrigin(Origin):
    """The pairs that were linked: columns where they have some, and which scores link.

    >>> print(LinkedOrigin("", left="id_l", right="id_r", score="score", threshold=0.9))
    left: id_l, right: id_r, score >= 0.9
    """

    left: str = ""
    """"" where pairs are in no table."""
    right: str = ""
    score: str | None = None
    threshold: float | None = None
    """None where all pairs link."""
    distance: bool = False
    """Whether less is nearer."""
    sides: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The columns of the two ids where these are several each."""

    def __str__(self) -> str:
        ids = ((role, name) for role, name in (("left", self.left), ("right", self.right)) if name)
        told = [labelled(role, name) for role, name in ids] or ["pairs"]
        if self.threshold is None:
            told.append("all pairs")
        else:
            score = labelled("score", self.score or "score")
            told.append(f"{score} {'<=' if self.distance else '>='} {self.threshold:.6g}")
        return ", ".join([*told, *([f"{self.files:,} files"] if self.files > 1 else [])])

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, and the threshold, for programs."""
        left, right = map(list, self.sides) if self.sides else (self.left, self.right)
        found = {"left": left or None, "right": right or None, "score": self.score}
        return found | {"threshold": self.threshold, "distance": self.distance}


def labelled(role: str, name: str) -> str:
    """What a column was taken for, and its name where it is another.

    >>> labelled("id", "unique_id"), labelled("id", "ID")
    ('id: unique_id', 'id: ID')
    >>> labelled("id", "id")
    'id'
    """
    return role if name == role else f"{role}: {_shown(name)}"


def _shown(name: str) -> str:
    name = " ".join(name.split())
    return (name if len(name) <= 30 else name[:29] + "…") or "(unnamed)"
