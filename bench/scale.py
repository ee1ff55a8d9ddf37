"""Files larger than memory: python -m bench.scale [--rows N,…] [--spark N,…] [--cluster N,…].

Two Parquet tables (ids shuffled, clusters of five on average) of which four clusters out of five
agree, and the rest is dealt out anew at random: rows in conflict are as many as can be. Each run is
a process of its own; its peer is the plain join and GROUP BY of the same files in the same DuckDB.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from bench.hard import cores

MEMORY = "4GB"
MASTER = "local-cluster[2,1,1024]"
AGREEMENT = (0.8, 0.99)
PEER = (
    "Four clusters out of five agree, the rest is dealt out anew at random. The peer is the plain "
    "join and GROUP BY of the same two Parquet files, in a process of its own with the same limit; "
    "the meet adds sizes, agreement, the check for repeated ids and the rows in conflict; the "
    "whole command adds 14 measures, the digest and the report. The best of two or three runs; the "
    "peak is the command's."
)


def make(folder: Path, rows: int, agree: float = 0.8) -> tuple[Path, Path]:
    """A truth and a guess of so many rows; a share of the clusters agrees."""
    import duckdb

    truth, guess = (folder / f"{side}-{rows}-{agree}.parquet" for side in ("truth", "guess"))
    if truth.exists() and guess.exists():
        return truth, guess
    clusters, per = max(rows // 5, 1), round(1000 * agree)
    label = f"hash(id) % {clusters}"
    anew = f"{clusters} + hash(id + 99) % {max(round(clusters * (1 - agree)), 1)}"
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute(f"SET temp_directory = '{folder / 'spill'}'")
        connection.execute("SET preserve_insertion_order = false")
        ids = f"(SELECT range AS id FROM range({rows}))"
        for path, cluster, seed in (
            (truth, label, 7),
            (guess, f"CASE WHEN {label} % 1000 < {per} THEN {label} ELSE {anew} END", 13),
        ):
            connection.execute(
                f"COPY (SELECT id, ({cluster})::BIGINT AS cluster FROM {ids} "
                f"ORDER BY hash(id + {seed})) TO '{path}'"
            )
    return truth, guess


def measured(*command: str) -> tuple[float, float, str]:
    """Seconds, gigabytes at the peak, and what a command printed."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1e6, out


PLAIN = """
import duckdb, sys
truth, guess, memory, spill = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"SET memory_limit = '{memory}'")
connection.execute(f"SET temp_directory = '{spill}'")
connection.execute("SET preserve_insertion_order = false")
print(connection.execute(
    "SELECT count(*), sum(n) FROM (SELECT t.cluster, g.cluster, count(*) AS n "
    f"FROM '{truth}' t JOIN '{guess}' g USING (id) GROUP BY ALL)").fetchone())
"""

MEET = """
import sys, clusterdiff as cd
truth, guess, memory, spill = sys.argv[1:]
print(cd.meet(truth, guess, engine=cd.DuckDB(memory=memory, temp=spill)))
"""


def duckdb_rows(folder: Path, sizes: list[int]) -> list[dict[str, Any]]:
    """Time and memory of the plain query, of the meet and of the whole command."""
    told = []
    for rows in sizes:
        truth, guess = map(str, make(folder, rows))
        again = 3 if rows <= 10**7 else 2
        limits = (MEMORY, str(folder))
        runs: dict[str, list[tuple[float, float, str]]] = {"plain": [], "meet": [], "command": []}
        for _ in range(again):
            runs["plain"].append(measured(sys.executable, "-c", PLAIN, truth, guess, *limits))
            runs["meet"].append(measured(sys.executable, "-c", MEET, truth, guess, *limits))
            line = ["compare", truth, guess, "--memory", MEMORY, "--temp", str(folder)]
            runs["command"].append(
                measured(sys.executable, "-m", "clusterdiff", *line, "-f", "json")
            )
        best = {name: min(took) for name, took in runs.items()}
        peak = {name: max(memory for _, memory, _ in took) for name, took in runs.items()}
        signature = next(iter(json.loads(best["command"][2])["guesses"].values()))["elm_f"]
        told.append(
            {"rows": rows, "cells": signature["signature"]["rows"]}
            | {name: took for name, (took, _, _) in best.items()}
            | {f"{name} GB": memory for name, memory in peak.items()}
        )
    return told


def duckdb_table(folder: Path, sizes: list[int]) -> str:
    """The table, and how time grows with rows."""
    told = duckdb_rows(folder, sizes)
    lines = [
        "| rows a side | cells | join + GROUP BY | meet | ratio | whole command | ratio | peak |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {one['rows']:,} | {one['cells']:,} | {one['plain']:.1f} s | {one['meet']:.1f} s | "
        f"{one['meet'] / one['plain']:.2f} | {one['command']:.1f} s | "
        f"{one['command'] / one['plain']:.2f} | {one['command GB']:.2f} GB |"
        for one in told
    ]
    text = "\n".join(lines)
    if len(told) > 1:
        names = ("plain", "meet", "command")
        grown = {name: slope([(one["rows"], one[name]) for one in told]) for name in names}
        text += (
            "\n\nSlope of time against rows, log-log: "
            + ", ".join(f"{name} {value:.2f}" for name, value in grown.items())
            + "."
        )
    return text


def slope(points: list[tuple[int, float]]) -> float:
    """The slope of the line through the points on a log-log plot."""
    x, y = zip(*((math.log(a), math.log(b)) for a, b in points), strict=True)
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return float(above / sum((a - mean_x) ** 2 for a in x))


SPARK = """
import json, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
import clusterdiff as cd
truth, guess, master, log = sys.argv[1:]
spark = (SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g").config("spark.executor.memory", "1g")
    .config("spark.sql.shuffle.partitions", "16").config("spark.log.level", "OFF")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", "file://" + log)
    .config("spark.eventLog.rolling.enabled", "false").config("spark.eventLog.compress", "false")
    .getOrCreate())
small = spark.range(1000).selectExpr("id", "id % 7 AS cluster")
cd.meet(small, small)
begin = time.perf_counter()
made = cd.meet(spark.read.parquet(truth), spark.read.parquet(guess))
took = time.perf_counter() - begin
runtime = spark.sparkContext._jvm.java.lang.Runtime.getRuntime()
status = Path("/proc/self/status").read_text().splitlines()
peak = [line for line in status if line.startswith("VmHWM")]
spark.sparkContext._jvm.java.lang.System.gc()
print(json.dumps({"seconds": took, "digest": made.digest, "cells": made.rows,
    "conflict": int(made.both.size - made.agree.sum()),
    "heap": (runtime.totalMemory() - runtime.freeMemory()) / 1e6,
    "python": int(peak[0].split()[1]) / 1e3}))
spark.stop()
"""


DUCK = """
import sys, time, clusterdiff as cd
truth, guess, memory = sys.argv[1:]
begin = time.perf_counter()
made = cd.meet(truth, guess, engine=cd.DuckDB(memory=memory))
print(time.perf_counter() - begin, made.digest)
"""


def spark_tables(folder: Path, sizes: list[int]) -> str:
    """Time, driver memory and bytes shuffled on two local executors; DuckDB on the same files."""
    lines = [
        "| rows a side | agree | rows in conflict | Spark | DuckDB | ratio | driver heap after | "
        "Python at most | shuffled |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    shuffles: dict[str, int] = {}
    for agree, rows in product(AGREEMENT, sizes):
        truth, guess = map(str, make(folder, rows, agree))
        with TemporaryDirectory(dir=folder) as log:
            out = measured(sys.executable, "-c", SPARK, truth, guess, MASTER, log)[2]
            told, phase = json.loads(out.splitlines()[-1]), phases(Path(log))
        out = measured(sys.executable, "-c", DUCK, truth, guess, MEMORY)[2]
        duck, digest = float(out.split()[0]), out.split()[1]
        assert digest == told["digest"], "the engines disagree"
        lines.append(
            f"| {rows:,} | {agree:.0%} | {told['conflict']:,} | {told['seconds']:.1f} s | "
            f"{duck:.1f} s | {told['seconds'] / duck:.1f} | {told['heap']:.0f} MB | "
            f"{told['python']:.0f} MB | {sum(p['bytes'] for p in phase.values()) / 1e6:,.0f} MB |"
        )
        for name, written in phase.items():
            key = f"{name} | {rows:,} | {agree:.0%}"
            shuffles[key] = written["bytes"]
    most = f"{max(sizes):,}"
    by_phase = [
        f"| {key} | {amount / 1e6:,.1f} MB | {amount / (2 * max(sizes)):.2f} B |"
        for key, amount in shuffles.items()
        if f"| {most} |" in f"{key} |" and amount > 1e5
    ]
    return "\n".join(
        [*lines, "", "| phase | rows a side | agree | shuffled | per row read |",
         "| --- | ---: | ---: | ---: | ---: |", *by_phase]
    )  # fmt: skip


CLUSTER = """
Two workers of one core and 2 GB on the loopback interface, default settings. Spark is the whole
command `clusterdiff compare --engine spark`, from the start of Python and Java to the report;
DuckDB the same command with two threads, run in turn; the best of two runs. Both print the same.
Shuffled are the bytes that tasks write for others, per row read; to the driver come the results of
tasks.
"""


class Cluster:
    """A standalone master and two workers on this machine, reachable from here alone."""

    def __init__(self) -> None:
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self._stack = ExitStack()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self.folder = self._stack.enter_context(TemporaryDirectory(prefix="cluster-of-bench-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()
        return self

    def __exit__(self, *exit: object) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait()
        self._stack.close()

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start what does not run, and wait until the master listens."""
        self._started("master", "master.Master", "--port", str(self.port))
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            time.sleep(0.2)
        else:
            raise SystemExit(f"{self.master} did not start")
        for name in ("worker 1", "worker 2"):
            self._started(name, "worker.Worker", "--cores", "1", "--memory", "2g", self.master)

    def _started(self, name: str, kind: str, *arguments: str) -> None:
        if name in self.processes and self.processes[name].poll() is None:
            return
        own = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": f"{self.folder}/work"}
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        command += ["--host", "127.0.0.1", "--webui-port", "0", *arguments]
        null = subprocess.DEVNULL
        self.processes[name] = subprocess.Popen(
            command,
            env={**os.environ, **own, "SPARK_HOME": str(self.home)},
            stdout=null,
            stderr=null,
        )


def cluster_table(folder: Path, sizes: list[int]) -> str:
    """Jobs, stages, bytes and time of the command on a cluster; DuckDB's on the same cores."""
    lines = [
        "| rows a side | jobs | stages | shuffled a row | to the driver | Spark | DuckDB | ratio |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with Cluster() as here:
        for rows in sizes:
            truth, guess = map(str, make(folder, rows))
            line = [sys.executable, "-m", "clusterdiff", "compare", truth, guess, "-f", "json"]
            runs = []
            for _ in range(2):
                duck, _, wanted = measured(*line, "--threads", "2")
                with TemporaryDirectory(dir=folder) as log:
                    settings = [
                        f"--spark-conf=spark.eventLog.{key}"
                        for key in ("enabled=true", f"dir=file://{log}", "rolling.enabled=false",
                                    "compress=false")
                    ]  # fmt: skip
                    asked = ["--engine", "spark", "--master", here.master, *settings]
                    spark, _, found = measured(*line, *asked)
                    many, phase = work(Path(log)), [*phases(Path(log)).values()]
                assert found == wanted, "the engines disagree"
                runs.append((spark, duck))
            spark, duck = (min(times) for times in zip(*runs, strict=True))
            shuffled, fetched = (sum(p[key] for p in phase) for key in ("bytes", "result"))
            lines.append(
                f"| {rows:,} | {many[0]} | {many[1]} | {shuffled / (2 * rows):.1f} B | "
                f"{fetched / 1e6:.1f} MB | {spark:.1f} s | {duck:.1f} s | {spark / duck:.1f} |"
            )
    return "\n".join(lines)


def work(log: Path) -> tuple[int, int]:
    """How many jobs and stages ran."""
    lines = "\n".join(file.read_text() for file in log.iterdir()).splitlines()
    kinds = Counter(json.loads(line)["Event"] for line in lines)
    return kinds["SparkListenerJobStart"], kinds["SparkListenerStageCompleted"]


def phases(log: Path) -> dict[str, dict[str, int]]:
    """What the tasks of each phase wrote for others and sent to the driver, in bytes and rows."""
    phase_of: dict[int, str] = {}
    told: dict[str, dict[str, int]] = {}
    for line in "\n".join(file.read_text() for file in log.iterdir()).splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart":
            phase = event["Properties"].get("spark.job.description", "")
            phase_of |= dict.fromkeys(event["Stage IDs"], phase.removeprefix("clusterdiff: "))
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            name = re.sub(r" [\d,]+ rows", " rows", phase_of[event["Stage ID"]])
            metrics = event["Task Metrics"]
            written = metrics["Shuffle Write Metrics"]
            now = told.setdefault(name, {"bytes": 0, "records": 0, "result": 0})
            now["bytes"] += written["Shuffle Bytes Written"]
            now["records"] += written["Shuffle Records Written"]
            now["result"] += metrics["Result Size"]
    return told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--rows", default="", help="for DuckDB: 1000000,10000000,100000000")
    parser.add_argument("--spark", default="", help="for Spark: 1000000,10000000")
    parser.add_argument("--cluster", default="", help="for a cluster here: 1000000,5000000")
    parser.add_argument("--folder", type=Path, help="where the files go, and stay")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    sizes, spark, far = (
        [int(n) for n in text.split(",") if n] for text in (given.rows, given.spark, given.cluster)
    )
    with TemporaryDirectory(prefix="clusterdiff-bench-") as own:
        folder = given.folder or Path(own)
        parts = [
            "# Files larger than memory",
            f"On {platform.machine()}, Python {platform.python_version()}, {cores()} cores. "
            "Machines differ and are shared: the ratios count, not the seconds.",
        ]
        if sizes:
            parts += [
                f"## DuckDB, {MEMORY} of memory",
                f"Made by `python -m bench.scale --rows {given.rows}`.",
                PEER,
                duckdb_table(folder, sizes),
            ]
        if spark:
            parts += [
                f"## Spark, `{MASTER}`",
                f"Made by `python -m bench.scale --spark {given.spark}`.",
                "Two executors of one core and 1 GB, a driver of 1 GB, a session that is up; the "
                "digest is DuckDB's in every run. Shuffled are the bytes that tasks write for "
                "others.",
                spark_tables(folder, spark),
            ]
        if far:
            parts += [
                "## Spark, a standalone cluster of two workers",
                f"Made by `python -m bench.scale --cluster {given.cluster}`.",
                " ".join(CLUSTER.split()),
                cluster_table(folder, far),
            ]
        text = "\n\n".join(parts) + "\n"
        print(text)
        if given.out:
            given.out.write_text(text)


if __name__ == "__main__":
    main()
