"""Every threshold of scored pairs in one pass, beside the naive way: components and `compare`."""

from __future__ import annotations

import argparse
import time

import numpy as np

import clusterdiff as cd
from bench.hard import apart_from, resident
from clusterdiff.measures import Measure
from clusterdiff.measures.sums import line_score
from clusterdiff.sweep.forest import ScoredPairs, forest_of
from clusterdiff.sweep.lines import best_line, curve_of

THRESHOLDS = 100
TRIED = (0.1, 0.5, 0.9)
"""Shares of the pairs that the naive way links, to know what one threshold costs."""


def data(pairs: int) -> tuple[ScoredPairs, np.ndarray]:
    """Two pairs for each record: most with a neighbour of about its entity, the rest at random."""
    rng = np.random.default_rng(0)
    objects = max(pairs // 2, 10)
    truth = rng.integers(0, objects // 5, objects)
    order = np.argsort(truth, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(objects)
    left = rng.integers(0, objects, pairs)
    near = order[(place[left] + rng.integers(-3, 4, pairs)) % objects]
    wild = rng.random(pairs) < 0.3
    right = np.where(wild, rng.integers(0, objects, pairs), near)
    score = np.where(wild, rng.beta(2, 4, pairs), rng.beta(5, 2, pairs))
    return ScoredPairs(left, right, score), truth


def star(objects: int) -> tuple[ScoredPairs, np.ndarray]:
    """The worst case of F of objects: a cluster that grows one by one, over the most sizes."""
    sizes = int((2 * objects) ** 0.5)
    truth = np.repeat(np.arange(sizes), np.arange(1, sizes + 1))
    truth = np.random.default_rng(0).permutation(truth)
    spokes = np.arange(1, truth.size)
    return ScoredPairs(np.zeros_like(spokes), spokes, -spokes.astype(np.float64)), truth


def swept_measures() -> list[Measure]:
    """All measures that are scored on every line."""
    return [m for m in cd.measures() if line_score(m) is not None]


def sweep(pairs: ScoredPairs, truth: np.ndarray, asked: list[Measure]) -> int:
    """Score every line and find the best one of each measure; how many lines there are."""
    forest = forest_of([pairs], truth.size)
    curve = curve_of(forest, truth, asked)
    for measure in asked:
        best_line(curve[str(measure)], slack=0.01, distance=measure.is_distance)
    return forest.lines


def measure_sweep(pairs: int) -> dict[str, float]:
    """CPU seconds and peak memory above the pairs, in this process."""
    asked = swept_measures()
    sweep(*data(1000), asked)
    given, truth = data(pairs)
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    start = time.process_time()
    lines = sweep(given, truth, asked)
    took = time.process_time() - start
    peak = resident("VmHWM") - before
    return {"seconds": took, "memory": peak, "lines": lines, "measures": len(asked)}


def measure_naive(pairs: int) -> dict[str, float]:
    """CPU seconds of one threshold, the mean over a few."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    cd.compare(*np.random.default_rng(0).integers(0, 10**5, (2, 10**6)))
    given, truth = data(pairs)
    took = []
    for share in TRIED:
        threshold = np.quantile(given.score, 1 - share)
        start = time.process_time()
        on = given.score >= threshold
        ends = given.left[on], given.right[on]
        links = coo_matrix((np.ones(ends[0].size, np.int8), ends), (truth.size, truth.size))
        _, labels = connected_components(links, directed=False)
        cd.compare(truth, labels)
        took.append(time.process_time() - start)
    return {"seconds": float(np.mean(took))}


def measure_star(objects: int) -> dict[str, float]:
    """CPU seconds of the three means over objects in their worst case."""
    asked = [cd.measure(name) for name in ("elm_f", "bcubed_f", "element_similarity")]
    sweep(*data(1000), asked)
    pairs, truth = star(objects)
    start = time.process_time()
    sweep(pairs, truth, asked)
    return {"seconds": time.process_time() - start, "sizes": float(truth.max() + 1)}


def table(pairs: int) -> str:
    """One pass and the naive way in one run."""
    rows = []
    for many in (pairs // 100, pairs // 10, pairs):
        ours, naive = (apart_from("bench.sweep", what, many) for what in ("sweep", "naive"))
        ratio = naive["seconds"] * THRESHOLDS / ours["seconds"]
        rows.append(
            f"| {many:,} | {ours['lines']:,} | {ours['seconds']:.2f} | {naive['seconds']:.3f} | "
            f"{ratio:.0f} | {ours['memory'] / 1e9:.2f} |"
        )
    worst = apart_from("bench.sweep", "star", pairs // 10)
    return "\n".join(
        [
            "## Sweep",
            "",
            f"{int(ours['measures'])} measures at every threshold, one core, against connected "
            f"components (SciPy) and 14 scores of `compare` at {THRESHOLDS} thresholds. CPU "
            "seconds; memory is what one pass takes beyond the pairs.",
            "",
            f"| pairs | lines | one pass | naive, once | {THRESHOLDS} naive / one pass | GB |",
            "|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
            f"A star of {pairs // 10:,} objects over {int(worst['sizes']):,} sizes of clusters, "
            f"the worst case of three means over objects: {worst['seconds']:.1f} s.",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.sweep", description=__doc__)
    parser.add_argument("--pairs", type=int, default=10**7)
    print(table(parser.parse_args().pairs))
