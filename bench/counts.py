"""What counts cost: python -m bench.counts [--objects N] [--out FILE].

The same comparison without and with counts, in turn, so that both see the same machine: the median
ratio of the times. Labels in their order, ids in another order, covers, files that DuckDB counts.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clusterdiff as cd

TURNS = 7
LIMIT = 1.3
"""The most that counts may cost, as a ratio."""


def labels(objects: int, clusters: int) -> tuple[Any, Any, Any]:
    """Truth, a guess that errs in a tenth of the objects, and counts."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, clusters, objects)
    guess = np.where(rng.random(objects) < 0.1, rng.integers(0, clusters, objects), truth)
    return truth, guess, rng.integers(1, 50, objects)


def _met(truth: Any, guess: Any, count: Any, on: bool) -> Any:
    return cd.meet(truth, guess, count=count if on else None)


def comparisons(objects: int, folder: Path) -> Iterator[tuple[str, Callable[[bool], Any]]]:
    """Comparisons by what is compared, without counts and with them."""
    import polars as pl

    for clusters in (50, objects // 3):
        truth, guess, count = labels(objects, clusters)
        name = f"labels, {clusters:,} clusters"
        given: Any = truth, guess, count
        yield name, partial(_met, *given)
    truth, guess, count = labels(objects, objects // 3)
    order = np.random.default_rng(4).permutation(objects)
    left = pl.DataFrame({"id": np.arange(objects), "cluster": truth, "n": count})
    right = pl.DataFrame({"id": order, "cluster": guess[order]})
    yield "frames, ids in another order", lambda on: cd.meet(left, right, count="n" if on else None)
    paths = folder / "truth.parquet", folder / "guess.parquet"
    for frame, path in zip((left, right), paths, strict=True):
        frame.write_parquet(path)
    yield "Parquet files", lambda on: cd.meet(*paths, count="n" if on else None)
    few = objects // 10
    sets = [[int(a), int(b)] for a, b in zip(truth[:few], guess[:few], strict=True)]
    cover, other = cd.Cover(sets), cd.Cover(list(reversed(sets)))
    counts = count[:few]
    yield "covers", lambda on: cd.meet(cover, other, count=counts if on else None)


def ratio(run: Callable[[bool], Any]) -> tuple[float, float]:
    """The median time without counts, and the median ratio of pairs of runs."""
    run(False), run(True)
    seconds, ratios = [], []
    for _ in range(TURNS):
        each = []
        for on in (False, True):
            start = time.perf_counter()
            run(on)
            each.append(time.perf_counter() - start)
        seconds.append(each[0])
        ratios.append(each[1] / each[0])
    return statistics.median(seconds), statistics.median(ratios)


def main() -> None:
    """Print what counts cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    lines = [
        f"{asked.objects:,} objects (covers a tenth); median of {TURNS} pairs of runs.", "",
        "| compared | without counts | ratio with counts |", "| --- | --- | --- |",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, run in comparisons(asked.objects, Path(folder)):
            seconds, found = ratio(run)
            lines.append(f"| {name} | {seconds:.3f} s | {found:.2f} |")
            print(lines[-1], flush=True)
    if asked.out is not None:
        asked.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
