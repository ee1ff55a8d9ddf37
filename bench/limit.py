"""How far from the limit: the whole `compare` beside reading the labels once and beside the fastest
GROUP BYs of the field; and a thousand calls on a hundred labels.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.hard import SHAPES, apart, apart_from, cores, data, seconds

CALLS, LABELS = 1_000, 100
PEERS = {
    "rand": "rand_score",
    "adjusted_rand": "adjusted_rand_score",
    "fowlkes_mallows": "fowlkes_mallows_score",
    "mutual_information": "mutual_info_score",
    "nmi": "normalized_mutual_info_score",
    "adjusted_mutual_information": "adjusted_mutual_info_score",
    "homogeneity": "homogeneity_score",
    "v_measure": "v_measure_score",
}


def measure_reading(shape: str, n: int) -> dict[str, float]:
    """Both arrays read once, as bytes."""
    sides = [side.view(np.uint32) for side in map(np.ascontiguousarray, data(shape, n))]
    return {"seconds": seconds(lambda: [side.max() for side in sides])}


def measure_polars(shape: str, n: int) -> dict[str, float]:
    """The table alone: one GROUP BY, no sizes, no scores."""
    import polars as pl

    frame = pl.DataFrame(dict(zip("tg", data(shape, n), strict=True)))
    return {"seconds": seconds(lambda: frame.group_by("t", "g").len())}


def table(n: int) -> str:
    rows = [
        f"## {n:,} labels: how far from the limit",
        "",
        "Seconds, each in a process of its own. A GROUP BY finds the cells of the contingency "
        "table and nothing else; `compare` also finds the sizes of all clusters, which cells "
        "agree, and 14 scores.",
        "",
        "| labels | both arrays read once | pyarrow | DuckDB | polars | clusterdiff `compare` "
        "| times the fastest GROUP BY |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for shape in SHAPES:
        took = {
            "reading": apart_from("bench.limit", "reading", shape, n)["seconds"],
            "pyarrow": apart("pyarrow", shape, n)["seconds"],
            "duckdb": apart("duckdb", shape, n)["seconds"],
            "polars": apart_from("bench.limit", "polars", shape, n)["seconds"],
            "ours": apart("ours", shape, n)["seconds"],
        }
        fastest = min(took["pyarrow"], took["duckdb"], took["polars"])
        cells = " | ".join(f"{took[one]:.3f}" for one in took)
        rows.append(f"| {shape} | {cells} | {took['ours'] / fastest:.2f} |")
    return "\n".join([*rows, "", small_calls()])


def small_calls() -> str:
    from sklearn import metrics

    import clusterdiff as cd

    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 10, LABELS) for _ in range(2)]
    texts = [[f"c{code}" for code in side] for side in arrays]
    rows = [
        f"## {CALLS:,} calls on {LABELS} labels",
        "",
        "Microseconds per call.",
        "",
        "| measure | whole numbers | scikit-learn | times faster | texts | scikit-learn "
        "| times faster |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, peer in PEERS.items():
        cells = []
        for sides in (arrays, texts):
            ours = _call(cd.measure(name), sides)
            theirs = _call(getattr(metrics, peer), sides)
            cells += [f"{ours * 1e6:.0f}", f"{theirs * 1e6:.0f}", f"{theirs / ours:.1f}"]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _call(score: Callable[..., Any], sides: list[Any]) -> float:
    return seconds(lambda: [score(*sides) for _ in range(CALLS)]) / CALLS


def main() -> None:
    """Print the tables, and write them where `--out` says."""
    parser = argparse.ArgumentParser(prog="python -m bench.limit", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    head = (
        "# How far from the limit\n\n"
        f"Made by `python -m bench.limit --objects {given.objects}` on {platform.machine()}, "
        f"Python {platform.python_version()}, {cores()} cores. Machines differ and are shared: "
        "the ratios count, not the seconds."
    )
    text = f"{head}\n\n{table(given.objects)}\n"
    print(text)
    if given.out:
        given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
