"""Covers: Extended BCubed and CICE-BCubed together, their growth, and a peer in the same run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.hard import apart_from, resident, seconds

PHILOSOPHERS = Path(__file__).parents[2] / "shared" / "data" / "cover_philosophy.json"
TRIPLE = ("precision", "recall", "f")


def rows(n: int, clusters: int, sets: int = 0) -> tuple[Any, Any]:
    """Objects in one to three clusters, and the same with a fifth of the memberships thrown anew.

    With `sets`, each object has one of so many sets of clusters on each side, in a fifth of the
    cases not the one of truth.
    """
    rng = np.random.default_rng(0)
    if sets:
        size = rng.integers(1, 4, sets)
        first = np.concatenate([[0], np.cumsum(size)])
        labels = rng.integers(0, clusters, first[-1])
        truth = rng.integers(0, sets, n)
        guess = np.where(rng.random(n) < 0.2, rng.integers(0, sets, n), truth)
        return _written(truth, size, first, labels), _written(guess, size, first, labels)
    size = rng.integers(1, 4, n)
    owner = np.repeat(np.arange(n), size)
    labels = rng.integers(0, clusters, owner.size)
    moved = np.where(rng.random(owner.size) < 0.2, rng.integers(0, clusters, owner.size), labels)
    return (owner, labels), (owner.copy(), moved)


def _written(code: Any, size: Any, first: Any, labels: Any) -> tuple[Any, Any]:
    owner = np.repeat(np.arange(code.size), size[code])
    within = np.arange(owner.size) - np.repeat(np.cumsum(size[code]) - size[code], size[code])
    return owner, labels[np.repeat(first[code], size[code]) + within]


def warm() -> None:
    """Load what is compiled."""
    import clusterdiff as cd

    truth, guess = (cd.Cover.from_rows(*one) for one in rows(300_000, 15_000))
    for measure in (cd.extended_bcubed_f, cd.cice_f):
        measure.of(cd.meet(truth, guess))


def measure_ours(n: int, clusters: int, sets: int = 0) -> dict[str, float]:
    import clusterdiff as cd

    warm()
    truth, guess = rows(n, clusters, sets)

    def meet() -> Any:
        return cd.meet(cd.Cover.from_rows(*truth), cd.Cover.from_rows(*guess))

    def judge(m: Any, *families: str) -> Any:
        for family in families:
            for part in TRIPLE:
                cd.measure(f"{family}_{part}").of(m)
        return m

    found = judge(meet(), "extended_bcubed", "cice")
    peak = resident("VmHWM")
    took = {
        "met": seconds(meet),
        "whole": seconds(lambda: judge(meet(), "extended_bcubed", "cice")),
        "rows": found.rows,
        "peak": peak / 2**20,
    }
    left, right = cd.Cover.from_rows(*truth), cd.Cover.from_rows(*guess)
    for families in (("extended_bcubed",), ("cice",), ("extended_bcubed", "cice")):
        fresh = [cd.meet(left, right) for _ in range(3)]
        took[" and ".join(families)] = seconds(lambda: judge(fresh.pop(), *families))  # noqa: B023
    return took


def measure_duckdb(n: int, clusters: int, sets: int = 0) -> dict[str, float]:
    """The meet alone, in SQL: two GROUP BYs for the sets, a join, a GROUP BY for the pairs."""
    import duckdb
    import pyarrow as pa

    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        for name, (owner, label) in zip("tg", rows(n, clusters, sets), strict=True):
            connection.register(name, pa.table({"id": owner, "c": label}))
        side = "(SELECT id, list_sort(list_distinct(list(c))) AS s FROM {} GROUP BY id)"
        query = (
            "SELECT count(*) FROM (SELECT a.s, b.s, count(*) FROM "
            f"{side.format('t')} a JOIN {side.format('g')} b USING (id) GROUP BY ALL)"
        )
        return {"met": seconds(lambda: connection.execute(query).fetchall(), 1)}


def measure_peer(n: int, clusters: int) -> dict[str, float]:
    """Extended BCubed by the package bcubed, and by this one from the same dicts."""
    import bcubed

    import clusterdiff as cd

    sides: list[dict[int, set[int]]] = []
    for owner, label in rows(n, clusters):
        own: dict[int, set[int]] = {int(i): set() for i in range(n)}
        for i, c in zip(owner.tolist(), label.tolist(), strict=True):
            own[i].add(c)
        sides.append(own)
    truth, guess = sides
    theirs = seconds(lambda: (bcubed.precision(guess, truth), bcubed.recall(guess, truth)), 1)

    def ours() -> float:
        m = cd.meet(cd.Cover(truth), cd.Cover(guess))
        return float(cd.extended_bcubed_precision.of(m) + cd.extended_bcubed_recall.of(m))

    ours()
    took = seconds(ours)
    assert abs(ours() - bcubed.precision(guess, truth) - bcubed.recall(guess, truth)) < 1e-12
    return {"theirs": theirs, "ours": took}


def apart(what: str, *arguments: int) -> dict[str, float]:
    return apart_from("bench.overlapping", what, *arguments)


def table(n: int) -> str:
    """Growth, the peer, and few clusters."""
    lines = [
        "## Covers: Extended BCubed and CICE, precision, recall and F",
        "",
        "One to three memberships, a fifth of them thrown anew; 40 objects per cluster. From two "
        "columns (id, cluster) to six scores.",
        "",
        "| objects | clusters | distinct pairs of sets | meet, s | with all six scores, s "
        "| growth | peak memory of the process, MB | Extended alone, s | CICE alone, s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    before = 0.0
    for size in (n // 100, n // 10):
        took = apart("ours", size, size // 20)
        growth = f"{took['whole'] / before:.1f}" if before else ""
        before = took["whole"]
        lines.append(
            f"| {size:,} | {size // 20:,} | {int(took['rows']):,} | {took['met']:.2f} "
            f"| {took['whole']:.2f} | {growth} | {took['peak']:,.0f} "
            f"| {took['extended_bcubed']:.2f} | {took['cice']:.2f} |"
        )
    peer = apart("peer", 2000, 100)
    lines += [
        "",
        "2,000 objects in 100 clusters, Extended BCubed precision and recall from two dicts: "
        f"bcubed {peer['theirs']:.2f} s, clusterdiff {peer['ours'] * 1000:.1f} ms, "
        f"{peer['theirs'] / peer['ours']:.0f} times faster.",
        "",
        f"{n:,} objects over 50 clusters:",
        "",
        "| sets of clusters | distinct pairs of sets | DuckDB's GROUP BYs, s | our meet, s "
        "| all six scores after it, s |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, sets in (("300 different ones", 300), ("any", 0)):
        took, sql = apart("ours", n, 50, sets), apart("duckdb", n, 50, sets)
        lines.append(
            f"| {name} | {int(took['rows']):,} | {sql['met']:.1f} | {took['met']:.1f} "
            f"| {took['extended_bcubed and cice']:.2f} |"
        )
    return "\n".join([*lines, *philosophers()])


def philosophers() -> list[str]:
    """Every measure of covers on a real pair of covers, where the data are at hand."""
    if not PHILOSOPHERS.exists():
        return []
    import clusterdiff as cd

    warm()
    data = json.loads(PHILOSOPHERS.read_text())
    start = time.perf_counter()
    m = cd.meet(cd.Cover(data["truth"]), cd.Cover(data["detected"]))
    lines = [
        "",
        f"1,134 philosophers in 5,416 categories against 873 communities (meet "
        f"{(time.perf_counter() - start) * 1000:.0f} ms):",
        "",
        "| measure | score | milliseconds |",
        "|---|---:|---:|",
    ]
    names = [m.name for m in cd.measures() if "cover" in m.needs]
    for name in [*names, "cice_f(match='pair')", "onmi(variant='lfk')"]:
        start = time.perf_counter()
        score = cd.measure(name).of(m)
        took = time.perf_counter() - start
        lines.append(f"| {name} | {score:.4f} | {took * 1000:.1f} |")
    return [*lines, "", "(Scores of one family are found together: the first of them pays.)"]
