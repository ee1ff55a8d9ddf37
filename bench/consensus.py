"""The consensus of noisy runs: seconds, and how good it is proved to be."""

from __future__ import annotations

import argparse
import time

import numpy as np

import clusterdiff as cd
from clusterdiff.array_types import Ints

RUNS = 7


def records(objects: int, runs: int = RUNS, seed: int = 0) -> list[Ints]:
    """Records of entities of three on average; each run splits some, merges some, moves some."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(objects), rng.geometric(1 / 2.8, objects))[:objects]
    entities = int(truth[-1]) + 1
    made = []
    for _ in range(runs):
        split = (rng.random(entities) < 0.06)[truth] & (rng.random(objects) < 0.5)
        labels = 2 * truth + split
        moved = rng.random(objects) < 0.04
        labels[moved] = rng.integers(0, 2 * entities, int(moved.sum()))
        into = np.arange(2 * entities)
        merged = np.flatnonzero(rng.random(into.size) < 0.05)
        into[merged] = rng.integers(0, into.size, merged.size)
        made.append(into[labels])
    return made


def lone_moves(objects: int, runs: int = 20, clusters: int = 20, seed: int = 0) -> list[Ints]:
    """Labels of a few clusters, a fifth of which each run draws anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters, objects)
    return [
        np.where(rng.random(objects) < 0.2, rng.integers(0, clusters, objects), truth)
        for _ in range(runs)
    ]


def table(objects: int = 10**6) -> str:
    """A line for each set and distance, compiled code ready."""
    cd.consensus(records(2000))
    cd.consensus(records(2000), "vi_distance")
    lines = [
        "## Consensus",
        "",
        f"{objects:,} objects on one core.",
        "",
        "| runs | distance | profiles | certified within | medoid | seconds |",
        "|---|---|---:|---:|---:|---:|",
        _line(f"{RUNS} noisy runs of records", records(objects), "mirkin_distance"),
        _line(f"{RUNS} noisy runs of records", records(objects // 10), "vi_distance"),
        _line("20 labelings, 20 clusters", lone_moves(objects // 10), "mirkin_distance"),
    ]
    return "\n".join(lines)


def _line(what: str, runs: list[Ints], by: str) -> str:
    begin = time.process_time()
    found = cd.consensus(runs, by)
    gap = "proved" if found.optimal else f"{100 * found.gap:.3g} %"
    taken = time.process_time() - begin
    return (
        f"| {what}, {len(found):,} objects | {by} | {found.problem.profiles:,} | {gap} | "
        f"{found.medoid_cost / found.cost:.3f} | {taken:.1f} |"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.consensus", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**6)
    print(table(parser.parse_args().objects))
