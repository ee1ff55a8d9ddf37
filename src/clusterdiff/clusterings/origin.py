"""Which columns of a table a clustering was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SHOWN = 3
"""Columns with the degrees of a cluster each that are named."""


@dataclass(frozen=True)
class Origin:
    """The columns that were taken, and how many files they are from.

    >>> print(Origin("cluster", "id"), Origin("gold"), Origin("topic", "id", files=3), sep="; ")
    id -> cluster; rows in order -> gold; id -> topic, 3 files
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
        objects = "rows in order" if self.id is None else _shown(self.id)
        if self.sample is not None:
            objects = f"{_shown(self.sample)}, {objects}"
        said = self.wide[:SHOWN] or [name for name in (self.cluster, self.degree) if name]
        more = f", … {len(self.wide)} columns" if len(self.wide) > SHOWN else ""
        files = f", {self.files:,} files" if self.files > 1 else ""
        return f"{objects} -> {', '.join(map(_shown, said))}{more}{files}"

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


def _shown(name: str) -> str:
    name = " ".join(name.split())
    return (name if len(name) <= 30 else name[:29] + "…") or "(unnamed)"
