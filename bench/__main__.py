"""python -m bench [--objects N] [--out FILE]: peers side by side in one run, as tables.

`python -m bench gpu` measures labels on a graphics card, and needs PyTorch alone besides.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1:2] == ["gpu"]:
        from bench import gpu

        return gpu.main(sys.argv[2:])
    from bench import estimators, hard, intervals, limit, overlapping, soft, startup

    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--objects", type=int, default=10**7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    command = f"python -m bench --objects {given.objects}"
    parts = [
        "# Benchmarks",
        f"Made by `{command}` on {platform.machine()}, Python {platform.python_version()}, "
        f"{hard.cores()} cores. Machines differ and are shared: the ratios count, not the seconds.",
        hard.table(given.objects),
        hard.growth(given.objects),
        limit.table(given.objects),
        overlapping.table(given.objects),
        intervals.table(given.objects),
        soft.table(given.objects),
        estimators.table(given.objects // 100),
        startup.table(),
    ]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if given.out:
        given.out.write_text(text)
    return None


if __name__ == "__main__":
    main()
