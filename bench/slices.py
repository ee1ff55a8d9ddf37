"""How often slices stand out by chance: python -m bench.slices [--runs N] [--out FILE].

Attributes are shuffled, so that nothing goes with errors and every slice that stands out is a false
alarm: with a correction for all slices there should be one in at most 5 % of the runs. They are
shuffled over objects, or over true clusters, whose objects then agree, as those of a person do. The
populations have rare errors, heavy-tailed sizes, or samples. All runs are seeded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import clusterdiff as cd
from clusterdiff.explain.slices import Losses, Slice, corrected, sliced_objects, slices_of

DATA = Path(__file__).parents[2] / "shared" / "data"
LEVEL = 0.95
Labels = tuple[Any, Any, Any]
"""Truth, guess, and samples or None."""


def people() -> Labels:
    """Persons with duplicates, and a matcher that errs in a tenth of them."""
    frame = pl.read_csv(DATA / "febrl3_people.csv")
    return frame["entity"].to_list(), frame["splink_v1"].to_list(), None


def rare() -> Labels:
    """Persons of whom 30 of 4,000 are split."""
    truth = np.repeat(np.arange(4_000), 2)
    guess = np.where(np.arange(8_000) < 60, np.arange(8_000) + 4_000, truth)
    return truth, guess, None


def tailed() -> Labels:
    """Clusters of heavy-tailed sizes, some merged, with 5 % of their objects lost."""
    rng = np.random.default_rng(1)
    sizes = np.minimum(rng.zipf(2.2, 4_000), 500)
    truth = np.repeat(np.arange(sizes.size), sizes)
    guess = np.where(truth % 7 == 0, truth // 3, truth + truth.size)
    lost = rng.random(truth.size) < 0.05
    return truth, np.where(lost, np.arange(truth.size) + 3 * truth.size, guess), None


def novels() -> Labels:
    """Mentions of entities in 100 novels, which are the units."""
    frame = pl.read_csv(DATA / "coref_litbank.csv")
    return frame["gold"].to_list(), frame["same_string"].to_list(), frame["doc"].to_list()


POPULATIONS: dict[str, Callable[[], Labels]] = {
    "people": people, "rare errors": rare, "heavy tails": tailed, "novels": novels,
}  # fmt: skip


def attributes(n: int, rng: np.random.Generator) -> Iterator[list[Any]]:
    """Attributes of n things: rare and common values, numbers, and texts."""
    for share in (0.01, 0.03, 0.3):
        yield [None if lacks else "known" for lacks in rng.random(n) < share]
    yield rng.integers(0, 5, n).tolist()
    yield np.minimum(rng.zipf(1.5, n), 50).tolist()
    yield rng.normal(size=n).tolist()
    letters = rng.integers(1, 12, n), rng.integers(1, 4, n), rng.zipf(1.7, n)
    yield [
        f"{'x' * a} " * b + str(c) for a, b, c in zip(*(k.tolist() for k in letters), strict=True)
    ]


def alarms(labels: Labels, over_clusters: bool, runs: int) -> tuple[float, float]:
    """In what share of the runs a slice stands out, and how many are tested in a run."""
    truth, guess, samples = labels
    told: Any = cd.explain(truth, guess, samples=samples)
    objects = sliced_objects(told)
    losses = Losses.of(objects, None)
    names = truth if samples is None else list(zip(samples, truth, strict=True))
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    cluster = np.array([codes[name] for name in names])[objects.items]
    found, tests = 0, 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        slices: list[Slice | None] = []
        for values in attributes(len(codes) if over_clusters else cluster.size, rng):
            own = [values[code] for code in cluster.tolist()] if over_clusters else values
            slices += [losses.slice("x", *one) for one in slices_of(own)]
        every = corrected([one for one in slices if one is not None])
        found += any(one.excess > 0 and one.p <= 1 - LEVEL for one in every)
        tests += len(every)
    return found / runs, tests / runs


def main() -> None:
    """False alarms in each population, as a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.slices", description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    lines = [
        "# False alarms of slices",
        "",
        f"Made by `python -m bench.slices --runs {given.runs}`. At most 5 % are allowed.",
        "",
        "| population | shuffled over | tests | false alarms | seconds a run |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for name, population in POPULATIONS.items():
        labels = population()
        for over_clusters in (False, True):
            start = time.perf_counter()
            rate, tests = alarms(labels, over_clusters, given.runs)
            each = (time.perf_counter() - start) / given.runs
            what = "clusters" if over_clusters else "objects"
            lines.append(f"| {name} | {what} | {tests:.0f} | {100 * rate:.1f} % | {each:.2f} |")
            print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
