"""What confidence intervals cost beside the scores, and replicates of a bootstrap."""

from __future__ import annotations

import argparse

import numpy as np

import clusterdiff as cd
from bench.hard import seconds
from clusterdiff.statistics.intervals import replicates
from clusterdiff.statistics.units import units_of_components

DRAWS = 10_000


def entities(objects: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Records of entities of about ten, some of them moved: about a tenth as many components."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, objects // 9, objects)
    guess = truth.copy()
    moved = rng.random(objects) < 0.005
    guess[moved] = rng.integers(0, objects // 3, int(moved.sum()))
    return truth, guess


def table(objects: int) -> str:
    """Seconds with and without intervals, in one run."""
    truth, guess = entities(objects)
    plain = seconds(lambda: cd.compare(truth, guess), 5)
    sure = seconds(lambda: cd.compare(truth, guess, confidence=0.95), 5)
    meet = cd.meet(truth, guess)
    units = units_of_components(meet)
    sums = units.sums(cd.measure("elm_f"))
    assert sums is not None
    drawn = seconds(lambda: replicates(sums, units.count, DRAWS, 0), 3)
    return "\n".join(
        [
            "## Confidence intervals",
            "",
            f"{objects:,} objects, {units.number:,} components of {units.count.size:,} types.",
            "",
            "| what | seconds |",
            "|---|---:|",
            f"| 14 scores | {plain:.2f} |",
            f"| the same with intervals | {sure:.2f} |",
            f"| {DRAWS:,} replicates of elm_f | {drawn:.2f} |",
            "",
            f"Intervals take {sure / plain:.2f} times the time of the scores.",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.intervals", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    print(table(parser.parse_args().objects))
