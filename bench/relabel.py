"""What relabelling costs beside the meet of the two runs."""

from __future__ import annotations

import argparse

import numpy as np

import clusterdiff as cd
from bench.hard import seconds

TIMES = 5


def runs(objects: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Clusters of about six objects, of which some split, some merge and some objects move."""
    rng = np.random.default_rng(seed)
    clusters = objects // 6
    old = rng.integers(0, clusters, objects)
    new = old.copy()
    split = rng.random(clusters) < 0.05
    part = split[old] & (rng.random(objects) < 0.5)
    new[part] += clusters
    every = np.arange(2 * clusters)
    joined = rng.random(every.size) < 0.05
    merged = np.where(joined, rng.integers(0, clusters, every.size), every)
    new = merged[new]
    moved = rng.random(objects) < 0.01
    new[moved] = rng.integers(0, clusters, int(moved.sum()))
    return old, rng.permutation(2 * clusters)[new]


def table(objects: int) -> str:
    """Seconds of the meet and of relabelling, in one run."""
    old, new = runs(objects)
    lines = []
    ids = np.random.default_rng(1).permutation(objects)
    order = np.random.default_rng(2).permutation(objects)
    sides = {
        "by position": (old, new),
        "by id, in another order": (
            cd.Partition(old, ids=ids),
            cd.Partition(new[order], ids=ids[order]),
        ),
    }
    for name, (left, right) in sides.items():
        meet = named = float("inf")
        for _ in range(TIMES):  # in turn, so that what else the machine does meets both
            meet = min(meet, seconds(lambda: cd.meet(left, right), 1))  # noqa: B023
            named = min(named, seconds(lambda: cd.relabel(left, right).clustering, 1))  # noqa: B023
        lines.append(f"| {name} | {meet:.2f} | {named:.2f} | {named / meet:.2f} |")
    done = cd.relabel(old, new)
    return "\n".join(
        [
            "## Relabelling",
            "",
            f"{objects:,} objects: {done.sentence()}.",
            "",
            "| objects are matched | meet, seconds | relabel, seconds | times the meet |",
            "|---|---:|---:|---:|",
            *lines,
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.relabel", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    print(table(parser.parse_args().objects))
