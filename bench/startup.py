"""What it costs to start: the import beyond NumPy, and the command on two small files."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.hard import seconds

ROWS = 1000


def table() -> str:
    numpy = seconds(lambda: python("import numpy"), 7)
    ours = seconds(lambda: python("import numpy, clusterdiff"), 7)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("truth.csv", "guess.csv")]
        for k, path in enumerate(paths):
            lines = [f"r{i},c{i // (3 + k)}" for i in range(ROWS)]
            path.write_text("id,cluster\n" + "\n".join(lines) + "\n")
        command = [sys.executable, "-m", "clusterdiff", "compare", *map(str, paths)]
        whole = seconds(lambda: subprocess.run(command, capture_output=True, check=True), 7)
    return "\n".join(
        [
            "## Start-up",
            "",
            "| what | milliseconds |",
            "|---|---:|",
            f"| `import clusterdiff` beyond `import numpy` | {(ours - numpy) * 1000:.0f} |",
            f"| `clusterdiff compare` on two CSV files of {ROWS:,} rows | {whole * 1000:.0f} |",
        ]
    )


def python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
