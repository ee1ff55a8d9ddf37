"""A population whose truth is known, and samples of it."""

from __future__ import annotations

from typing import Any

import numpy as np


def synthetic(seed: int = 0, clusters: int = 400) -> tuple[dict[int, int], dict[int, str]]:
    """A truth with clusters of one to eight, and a run that splits and merges some of them."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 1, 2, 3, 5, 8], clusters)
    truth = dict(enumerate(np.repeat(np.arange(clusters), sizes).tolist()))
    lost, merged = rng.random(len(truth)) < 0.05, rng.random(len(truth)) < 0.1
    run = {
        i: f"alone {i}" if lost[i] else f"run {c // 2 * 2 if merged[i] else c}"
        for i, c in truth.items()
    }
    return truth, run


def drawn_from(truth: dict[int, int], records: int, seed: int = 1) -> tuple[dict[int, int], Any]:
    """Records drawn from a truth, and the clusters that they are in."""
    hits = np.random.default_rng(seed).integers(0, len(truth), records).tolist()
    labels = {truth[i] for i in hits}
    return {i: c for i, c in truth.items() if c in labels}, hits
