"""python -m bench.many [--objects N] [--out FILE]: sweep, relabel, matrix and consensus."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from bench import consensus, matrix, relabel, sweep
from bench.hard import cores


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.many", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    parts = [
        "# Many clusterings",
        f"Made by `python -m bench.many --objects {given.objects}` on {platform.machine()}, Python "
        f"{platform.python_version()}, {cores()} cores. Machines differ and are shared: the ratios "
        "count, not the seconds.",
        sweep.table(given.objects),
        relabel.table(given.objects),
        matrix.table(given.objects // 10, 100),
        consensus.table(given.objects // 10),
    ]
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
