"""python -m bench.before REVISION: the times of the working tree beside those of an earlier commit.

Each task runs in processes of its own, which take turns, so that both meet the same load; the
shortest time counts. Tasks below a second are repeated within their process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

TURNS = 5
ROOT = Path(__file__).parent.parent

COMMANDS = {
    "`clusterdiff --version`": ["--version"],
    "`clusterdiff compare` of two CSV files of 12 rows": ["compare", "t.csv", "g.csv"],
}
SMALL = {
    "`cd.adjusted_rand`, 100 labels": "score(cd.adjusted_rand, 100)",
    "`cd.adjusted_rand`, 10,000 labels": "score(cd.adjusted_rand, 10**4)",
    "`cd.compare`, 100 labels": "score(cd.compare, 100)",
    "`cd.elm_f` of two dicts, 1,000 ids": "score(cd.elm_f, 1000, dicts=True)",
    "scikit-learn `adjusted_rand_score`, 100 labels": "score(adjusted_rand_score, 100)",
    "scikit-learn `adjusted_rand_score`, 10,000 labels": "score(adjusted_rand_score, 10**4)",
}
LARGE = {
    "`cd.compare`, 10⁷ labels in 2·10⁶ clusters": "cd.compare(*sides(10**7))",
    "`cd.compare`, 10⁷ labels in 100 clusters": "cd.compare(*sides(10**7, 100))",
    "`cd.compare` with intervals, 10⁶ labels": "cd.compare(*sides(10**6), confidence=0.95)",
    "`cd.explain`, 10⁶ labels": "cd.explain(*sides(10**6))",
    "`cd.relabel`, 10⁶ labels": "cd.relabel(*sides(10**6))",
    "`cd.sweep`, 10⁶ pairs": "cd.sweep(sides(10**6)[0], pairs(10**6))",
    "`cd.matrix`, 20 runs of 10⁵": "cd.matrix([sides(10**5, 10**4, s)[0] for s in range(20)])",
    "`cd.consensus`, 7 runs of 10⁵": "cd.consensus([noisy(10**5, s) for s in range(7)])",
}
PROLOGUE = """
import time
import numpy as np
import clusterdiff as cd

def sides(n, clusters=0, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters or n // 5, n)
    return truth, np.where(rng.random(n) < 0.9, truth, rng.integers(0, clusters or n // 5, n))

def noisy(n, seed):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) // 5
    return np.where(rng.random(n) < 0.9, truth, rng.integers(0, n // 5, n))

def pairs(n):
    rng = np.random.default_rng(1)
    return rng.integers(0, n, n), rng.integers(0, n, n), rng.random(n).round(3)

def score(function, n, dicts=False):
    both = sides(n, 10 if n == 100 else 100)
    if dicts:
        both = tuple(dict(enumerate(side.tolist())) for side in both)
    function(*both)
    calls = max(1, 30000 // n)
    for _ in range(calls):
        function(*both)
    return calls
"""


def seconds_of(
    code: str, repeated: bool, source: Path, python: str = sys.executable, given: str = ""
) -> float:
    """Seconds of a task in a process that imports the package from `source`.

    A repeated task says how often it called; the first of those calls, which compiles, is left out.
    """
    extra = (
        "from sklearn.metrics import adjusted_rand_score\n" if "adjusted_rand_score" in code else ""
    )
    runs = (
        f"{code}\nstart = time.perf_counter()\ncalls = {code}\n"
        if repeated
        else f"{code}\nstart = time.perf_counter()\n{code}\ncalls = 1\n"
    )
    taken = f"print((time.perf_counter() - start) / (calls + {int(repeated)}))"
    program = f"{PROLOGUE}{extra}{given}{runs}{taken}"
    done = subprocess.run(
        [python, "-c", program],
        env=os.environ | {"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(done.stdout.split()[-1])


def seconds_of_command(arguments: list[str], folder: Path, source: Path) -> float:
    """Seconds of a whole run of the command, its start included."""
    program = (
        "import subprocess, sys, time; start = time.perf_counter();"
        "subprocess.run([sys.executable, '-m', 'clusterdiff', *sys.argv[1:]], check=True,"
        " capture_output=True); print(time.perf_counter() - start)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=folder,
        env=os.environ | {"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(done.stdout)


def table(revision: str, *, large: bool = True) -> str:
    """Milliseconds before and now, and their ratio, as Markdown."""
    rows = ["| task | before, ms | now, ms | now / before |", "|---|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = subprocess.run(
            ["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", name], input=archive.stdout, check=True)
        sources = (folder / "src", ROOT / "src")
        for file, labels in (("t.csv", "aabbcddeffgg"), ("g.csv", "aabccddeffgh")):
            rows_of_file = (f"{i},{label}\n" for i, label in enumerate(labels))
            (folder / file).write_text("id,cluster\n" + "".join(rows_of_file))
        tasks: list[tuple[str, Callable[[Path], float], int]] = [
            (task, partial(seconds_of_command, arguments, folder), TURNS)
            for task, arguments in COMMANDS.items()
        ]
        tasks += [(task, partial(seconds_of, code, True), TURNS) for task, code in SMALL.items()]
        if large:
            tasks += [(task, partial(seconds_of, code, False), 3) for task, code in LARGE.items()]
        for task, measure, turns in tasks:
            took = [[measure(source) for source in sources] for _ in range(turns)]
            before, now = (1000 * min(times) for times in zip(*took, strict=True))
            rows.append(f"| {task} | {before:.3g} | {now:.3g} | {now / before:.2f} |")
            print(rows[-1], file=sys.stderr)
    return "\n".join(rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.before", description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--small", action="store_true", help="leave out tasks of large data")
    given = parser.parse_args()
    print(table(given.revision, large=not given.small))


if __name__ == "__main__":
    main()
