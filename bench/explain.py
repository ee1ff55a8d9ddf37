"""What an explanation costs beside the scores: python -m bench.explain [--objects N] [--out FILE].

Clusters of about three objects; one in ten is cut in two, one in ten joined with the next one, and,
for one entangled component, the objects of one in five are dealt out anew.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import clusterdiff as cd
from bench.hard import cores, seconds

Labels = tuple[Any, Any]


def local_errors(objects: int) -> Labels:
    """Splits and merges here and there: many small components."""
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(objects), rng.geometric(0.3, objects))[:objects]
    clusters = int(truth[-1]) + 1
    fate, guess = rng.random(clusters)[truth], truth.copy()
    torn = (fate < 0.1) & (rng.random(objects) < 0.5)
    guess[torn] += clusters
    guess[(fate >= 0.1) & (fate < 0.2)] += 1
    order = rng.permutation(objects)
    return truth[order], guess[order]


def entangled(objects: int) -> Labels:
    """A fifth of the clusters shuffled: nearly all of it is one component."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(objects // 4 + 1), 4)[:objects]
    guess = truth.copy()
    some = np.flatnonzero((rng.random(objects // 4 + 1) < 0.2)[truth])
    guess[some] = rng.permutation(guess[some])
    order = rng.permutation(objects)
    return truth[order], guess[order]


def table(objects: int) -> str:
    rows = []
    for name, make in (("small components", local_errors), ("one large component", entangled)):
        truth, guess = (cd.Partition(labels) for labels in make(objects))
        rows.append(row(f"arrays, {name}", *timed(truth, guess)))
    with tempfile.TemporaryDirectory() as folder:
        for name, ids in (("whole numbers", np.arange), ("strings", strings)):
            files = written(Path(folder), objects, ids(objects))
            rows.append(row(f"Parquet files, ids are {name}", *commands(files)))
    head = ["input", "compare, s", "explain, s", "explain / compare"]
    return "\n".join([f"| {' | '.join(head)} |", "|---|---:|---:|---:|", *rows])


def row(name: str, compare: float, explain: float) -> str:
    return f"| {name} | {compare:.2f} | {explain:.2f} | {explain / compare:.2f} |"


def timed(truth: Any, guess: Any) -> tuple[float, float]:
    return (
        seconds(lambda: cd.compare(truth, guess).to_text(80), 5),
        seconds(lambda: cd.explain(truth, guess).to_text(80), 5),
    )


def strings(objects: int) -> Any:
    return np.char.add("r", np.arange(objects).astype(str))


def written(folder: Path, objects: int, ids: Any) -> list[str]:
    truth, guess = local_errors(objects)
    order = np.random.default_rng(2).permutation(objects)
    paths = [folder / "truth.parquet", folder / "guess.parquet"]
    pq.write_table(pa.table({"id": ids, "cluster": truth}), paths[0])
    pq.write_table(pa.table({"id": ids[order], "cluster": guess[order]}), paths[1])
    return [str(path) for path in paths]


def commands(files: list[str]) -> tuple[float, float]:
    def run(verb: str) -> Callable[[], object]:
        command = [sys.executable, "-m", "clusterdiff", verb, *files]
        return lambda: subprocess.run(command, capture_output=True, check=True)

    return seconds(run("compare"), 3), seconds(run("explain"), 3)


def held(objects: int) -> str:
    """The peak of the command within a limit."""
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), objects, np.arange(objects))
        flags = ["--memory", "2GB", "--threads", "1"]
        command = [sys.executable, "-m", "clusterdiff", "explain", *files, *flags]
        code = (
            "import resource, subprocess, sys; "
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
        )
    peak = int(ran.stdout) / 1e6
    return f"`explain {' '.join(flags)}` on {objects:,} rows a file: {peak:.2f} GB at most."


def page(objects: int) -> str:
    truth, guess = local_errors(objects)
    made: list[Any] = []
    took = seconds(lambda: made.append(cd.page(truth, {"run": guess})), 1)
    size = len(made[0].html.encode()) / 1e6
    return f"A page of {objects:,} objects: {took:.1f} s, {size:.1f} MB."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.explain", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = "\n\n".join(
        [
            "# What an explanation costs",
            f"Made by `python -m bench.explain --objects {given.objects}` on {platform.machine()}, "
            f"Python {platform.python_version()}, {cores()} cores. Machines differ and are shared: "
            "the ratios count, not the seconds. The best of several runs, text included.",
            table(given.objects),
            held(2 * given.objects),
            page(min(given.objects, 10**6)),
        ]
    )
    print(text)
    if given.out:
        given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
