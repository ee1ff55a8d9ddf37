"""python -m bench.light: the times of the light core beside those with all extras, in one run.

The light core is the environment of `make light`, without Numba and pyarrow. Processes of both take
turns, so that both meet the same load; the shortest time counts.
"""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

from bench.before import ROOT, TURNS, seconds_of

LIGHT = str(ROOT / ".venv-light" / "bin" / "python")
STARTS = {
    "`import clusterdiff`": "import clusterdiff",
    "import and first score": "import clusterdiff as cd; cd.elm_f([1, 1, 2], [1, 2, 2])",
}
TASKS = {
    "`cd.compare`, 10⁷ labels in 100 clusters": "cd.compare(*sides(10**7, 100))",
    "`cd.compare`, 10⁷ labels in 2·10⁶ clusters": "cd.compare(*sides(10**7))",
    "`cd.compare`, 10⁶ strings in 2·10⁵ clusters": "cd.compare(*strings(10**6))",
}
STRINGS = """
def strings(n):
    return [np.char.add("c", side.astype(str)).astype(object) for side in sides(n)]

"""


def seconds_of_start(code: str, python: str) -> float:
    """Seconds of a process that runs these lines."""
    start = perf_counter()
    subprocess.run([python, "-c", code], check=True, cwd=ROOT)
    return perf_counter() - start


def main() -> None:
    """Print the table, in milliseconds."""
    print("| task | all extras, ms | light core, ms | light / all |\n|---|---:|---:|---:|")
    both = (sys.executable, LIGHT)
    for task, code in STARTS.items():
        took = [[seconds_of_start(code, python) for python in both] for _ in range(TURNS)]
        show(task, took)
    for task, code in TASKS.items():
        given = f"{STRINGS}made = {code.removeprefix('cd.compare(*')[:-1]}\n"
        timed = "cd.compare(*made)"
        took = [
            [seconds_of(timed, False, ROOT / "src", python, given) for python in both]
            for _ in range(TURNS)
        ]
        show(task, took)


def show(task: str, took: list[list[float]]) -> None:
    """A row of the table."""
    full, light = (1000 * min(times) for times in zip(*took, strict=True))
    print(f"| {task} | {full:.3g} | {light:.3g} | {light / full:.2f} |", flush=True)


if __name__ == "__main__":
    main()
