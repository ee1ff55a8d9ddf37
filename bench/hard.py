"""The whole default set of `compare` against scikit-learn's adjusted Rand index alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SHAPES = ("100 clusters", "n/5 clusters", "62-bit ids", "short strings")
REPEATS = 3


def cores() -> int:
    return len(os.sched_getaffinity(0))


def data(shape: str, n: int) -> tuple[Any, Any]:
    """A random truth and a guess in which a fifth of the labels was thrown anew."""
    rng = np.random.default_rng(0)
    k = 100 if shape == "100 clusters" else n // 5
    truth = rng.integers(0, k, n)
    guess = np.where(rng.random(n) < 0.2, rng.integers(0, k, n), truth)
    if shape == "62-bit ids":
        ids = rng.integers(0, 2**62, k)
        return ids[truth], ids[guess]
    if shape == "short strings":
        names = np.array([f"c{i:x}" for i in range(k)])
        return names[truth], names[guess]
    return truth, guess


def seconds(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """The fastest of a few runs."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def measure_ours(shape: str, n: int) -> dict[str, float]:
    """Time and peak memory above the inputs, in this process."""
    import clusterdiff as cd

    truth, guess = data(shape, n)
    cd.compare(*data(shape, 300_000))
    inputs = truth.nbytes + guess.nbytes
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    start = time.perf_counter()
    cd.compare(truth, guess)
    first = time.perf_counter() - start
    peak = resident("VmHWM") - before
    again = seconds(lambda: cd.compare(truth, guess), REPEATS - 1)
    return {"seconds": min(first, again), "memory": peak / inputs}


def measure_sklearn(shape: str, n: int) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score

    truth, guess = data(shape, n)
    return {"seconds": seconds(lambda: adjusted_rand_score(truth, guess), 1)}


def measure_pyarrow(shape: str, n: int) -> dict[str, float]:
    """The table alone: one GROUP BY, no sizes, no scores."""
    import pyarrow as pa

    table = pa.table(dict(zip("tg", map(pa.array, data(shape, n)), strict=True)))
    return {"seconds": seconds(lambda: table.group_by(["t", "g"]).aggregate([([], "count_all")]))}


def measure_duckdb(shape: str, n: int) -> dict[str, float]:
    """The table alone: one GROUP BY, no sizes, no scores."""
    import duckdb
    import pyarrow as pa

    table = pa.table(dict(zip("tg", map(pa.array, data(shape, n)), strict=True)))
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.register("objects", table)
        query = "SELECT count(*) FROM (SELECT t, g, count(*) FROM objects GROUP BY t, g)"
        return {"seconds": seconds(lambda: connection.execute(query).fetchall())}


def resident(field: str) -> int:
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) * 1024


def apart(what: str, shape: str, n: int) -> dict[str, float]:
    return apart_from("bench.hard", what, shape, n)


def apart_from(module: str, what: str, *arguments: Any) -> dict[str, float]:
    """One measurement in a process of its own."""
    call = f"measure_{what}({', '.join(map(repr, arguments))})"
    code = f"import json, {module} as m; print(json.dumps(m.{call}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(ran.stdout))


def table(n: int) -> str:
    rows = [
        f"## {n:,} labels: all 14 default scores against one of scikit-learn",
        "",
        "| labels | clusterdiff `compare`, s | scikit-learn `adjusted_rand_score`, s "
        "| times faster "
        "| pyarrow GROUP BY, s | DuckDB GROUP BY, s | peak memory above inputs / inputs |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for shape in SHAPES:
        ours, theirs = apart("ours", shape, n), apart("sklearn", shape, n)
        arrow, duck = apart("pyarrow", shape, n), apart("duckdb", shape, n)
        rows.append(
            f"| {shape} | {ours['seconds']:.2f} | {theirs['seconds']:.1f} "
            f"| {theirs['seconds'] / ours['seconds']:.0f} | {arrow['seconds']:.2f} "
            f"| {duck['seconds']:.2f} | {ours['memory']:.1f} |"
        )
    return "\n".join(rows)


def growth(n: int) -> str:
    sizes = [n // 100, n // 10, n]
    rows = [
        "## Time against objects (n/5 clusters)",
        "",
        "| objects | seconds | nanoseconds per object |",
        "|---:|---:|---:|",
    ]
    for size in sizes:
        took = apart("ours", "n/5 clusters", size)["seconds"]
        rows.append(f"| {size:,} | {took:.3f} | {took / size * 1e9:.0f} |")
    return "\n".join(rows)
