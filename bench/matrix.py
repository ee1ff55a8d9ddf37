"""All pairs of many clusterings, beside scikit-learn pair by pair."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import clusterdiff as cd

MOVED = 0.1
"""Share of the objects, or of the groups, that each run puts elsewhere."""
TIMED = 3
"""Pairs that scikit-learn is timed on; all others are taken to cost as much."""


def runs_of(objects: int, clusters: int, runs: int, groups: int, seed: int = 0) -> list[np.ndarray]:
    """Runs that put some groups of objects elsewhere; as many groups as objects are lone moves."""
    rng = np.random.default_rng(seed)
    group = np.arange(objects) if groups == objects else rng.integers(0, groups, objects)
    base = rng.integers(0, clusters, groups)
    made = []
    for _ in range(runs):
        moved = rng.random(groups) < MOVED
        made.append(np.where(moved, rng.integers(0, clusters, groups), base)[group])
    return made


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of all cores, since others may share the machine, and what was found."""
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def table(objects: int, runs: int) -> str:
    """CPU seconds of both, in one run."""
    from sklearn.metrics import adjusted_rand_score

    cd.matrix(runs_of(300_000, 20, 2, 1000))
    cd.matrix(runs_of(300_000, 20, 2, 300_000))
    cd.matrix(runs_of(300_000, 5000, 2, 100_000))
    lines = []
    for what, clusters, groups in (
        ("20 clusters, objects move in groups", 20, objects // 500),
        ("20 clusters, objects move alone", 20, objects),
        ("5,000 clusters, objects move in groups", 5000, objects // 20),
    ):
        given = runs_of(objects, clusters, runs, groups)
        ours, found = cpu_seconds(partial(cd.matrix, given))
        pairs = list(combinations(range(runs), 2))
        some = pairs[:: max(1, len(pairs) // TIMED)][:TIMED]
        each = []
        for i, j in some:
            took, score = cpu_seconds(partial(adjusted_rand_score, given[i], given[j]))
            assert abs(found.values[i, j] - score) < 1e-12
            each.append(took)
        theirs = sum(each) / len(each) * len(pairs)
        lines.append(f"| {what} | {ours:.1f} | {theirs:,.0f} | {theirs / ours:.0f} |")
    return "\n".join(
        [
            "## Matrix",
            "",
            f"Adjusted Rand index of all pairs of {runs} clusterings of {objects:,} objects, in "
            f"CPU seconds; scikit-learn pair by pair, from {TIMED} pairs.",
            "",
            "| runs | clusterdiff | scikit-learn | ratio |",
            "|---|---:|---:|---:|",
            *lines,
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.matrix", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**6)
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    print(table(given.objects, given.runs))
