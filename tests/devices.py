"""Tensors that stay where they are, also on the CPU, as those of a graphics card do."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import arrays as tensors


def keep_tensors(monkeypatch: pytest.MonkeyPatch, *, small: int | None = None) -> None:
    """Tensors on the CPU are kept as if it were a device; more than `small` rows go there."""
    monkeypatch.setattr(tensors, "DEVICES", {"cpu", "cuda"})
    if small is not None:
        for name in ("pair_masses", "fuzzy", "evidential"):
            monkeypatch.setattr(sys.modules[f"clusterdiff.measures.{name}"], "SMALL", small)


def tensor(values: Any) -> Any:
    """The numbers as a tensor of PyTorch."""
    import torch

    return torch.from_numpy(np.array(values, np.float64))


def as_kept(given: Any) -> Any:
    """An uncertain clustering whose degrees or masses are a tensor that stays where it is."""
    if isinstance(given, cd.Fuzzy):
        return cd.Fuzzy(tensor(given.degree[given.code]), rest="empty")
    if isinstance(given, cd.Possibilistic):
        return cd.Possibilistic(tensor(given.degree[given.code]))
    m = given.masses
    sets = [m.focal.member[a:b].tolist() for a, b in pairwise(m.focal.start)]
    return cd.Evidential(tensor(m.mass[given.code]), sets, labels=range(given.clusters))
