"""Spark whose parts are killed at random moments: python -m bench.faults [--runs N] [--seed N].

A standalone cluster of two workers compares two tables, and a worker, the master, Python or Java of
the driver is killed with SIGKILL meanwhile. The result must be the same to the letter, or one
paragraph that says what happened; afterwards no process and no folder of the comparison is left.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.scale import Cluster, make

ROWS = 300_000
LONGEST, LEFT = 300, 60
"""Seconds until a run is given up, and until what is left of it must be gone."""
COMMAND = """
import sys
from clusterdiff.cli.main import entry
from clusterdiff.engines.spark import SparkSession
SparkSession.few = 0  # small tables too are counted there
entry()
"""
PARTS = ("worker 1", "master", "python", "java")


def children(process: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for one in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = one.read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == process:
            found += [int(one.parent.name), *children(int(one.parent.name))]
    return found


def commands() -> dict[int, str]:
    """What runs on this machine."""
    found = {}
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found[int(one.parent.name)] = one.read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def left_of(processes: list[int], temp: Path) -> list[str]:
    """What is still there of a comparison: processes of the driver, executors, folders."""
    running = commands()
    lost = [running[one][:60] for one in processes if one in running]
    return lost + [str(one) for one in temp.glob("clusterdiff*")]


def one_run(here: Cluster, part: str, after: float, line: list[str], wanted: str) -> str:
    """Kill a part of a comparison after so many seconds; how it ended."""
    with TemporaryDirectory(prefix="faults-of-bench-") as folder:
        own = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": folder}
        process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own
        )
        time.sleep(after)
        driver = [process.pid, *children(process.pid)]
        workers = (one.pid for name, one in here.processes.items() if name != "master")
        executors = [one for worker in workers for one in children(worker)]
        if process.poll() is not None:
            part = "nothing, it was done"
        elif part == "python":
            process.kill()
        elif part == "java":
            for one in driver[1:]:
                if "SparkSubmit" in commands().get(one, ""):
                    os.kill(one, 9)
        else:
            here.processes[part].kill()
        try:
            out, error = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            for one in driver:
                if one in commands():
                    os.kill(one, 9)
            return f"{part}: did not end within {LONGEST} s"
        said = [text for text in error.splitlines() if "clusterdiff:" in text]
        if process.returncode == 0 and out == wanted:
            ended = "the same"
        elif process.returncode == 2 and said and "Traceback" not in error and not out:
            ended = "one error"
        elif process.returncode == -9:
            ended = "killed"
        else:
            ended = f"WRONG: {process.returncode} {error[-600:]}"
        # The next clusterdiff on the machine removes the folders of one that was killed.
        temp = Path(folder, "none") if part == "python" else Path(folder)
        until = time.monotonic() + LEFT
        while lost := left_of(driver + executors, temp):
            if time.monotonic() > until:
                ended += f"; LEFT: {', '.join(lost)}"
                break
            time.sleep(0.5)
        return f"{part}: {ended}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw, ended = random.Random(given.seed), Counter[str]()
    with TemporaryDirectory(prefix="tables-of-bench-") as folder, Cluster() as here:
        truth, guess = map(str, make(Path(folder), ROWS))
        line = [sys.executable, "-c", COMMAND, "compare", truth, guess, "-f", "json"]
        line += ["--engine", "spark", "--master", here.master]
        begin = time.monotonic()
        own = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        wanted = subprocess.run(line, capture_output=True, text=True, check=True, env=own).stdout
        whole = time.monotonic() - begin
        for number in range(given.runs):
            after = draw.uniform(0.1, 0.9) * whole
            how = one_run(here, PARTS[number % len(PARTS)], after, line, wanted)
            print(f"{number + 1}: after {after:.1f} of {whole:.1f} s, {how}", flush=True)
            ended[how] += 1
            here.start()
    print("\n".join(f"{many} x {how}" for how, many in ended.most_common()))


if __name__ == "__main__":
    main()
