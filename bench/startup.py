"""What it costs to start: the import, the command on small files, a score of five objects."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.hard import seconds

ROWS = 1000


def table() -> str:
    bare = seconds(lambda: python("pass"), 7)
    ours = seconds(lambda: python("import clusterdiff"), 7)
    score, peer = five_objects()
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
            f"| `import clusterdiff` | {(ours - bare) * 1000:.0f} |",
            f"| `clusterdiff compare` on two CSV files of {ROWS:,} rows | {whole * 1000:.0f} |",
            f"| `cd.elm_f` of two lists of five labels | {score * 1000:.2f} |",
            f"| the same with scikit-learn's `v_measure_score` | {peer * 1000:.2f} |",
            "",
            f"A score of five objects takes {score / peer:.2f} of scikit-learn's time.",
        ]
    )


def five_objects() -> tuple[float, float]:
    """Seconds for a score of two short lists, here and in scikit-learn."""
    from sklearn.metrics import v_measure_score

    import clusterdiff as cd

    truth, guess, many = [1, 1, 2, 2, 3], [1, 1, 1, 2, 2], 200

    def each(score: Callable[..., object]) -> float:
        return seconds(lambda: [score(truth, guess) for _ in range(many)], 7) / many

    return each(cd.elm_f), each(v_measure_score)


def python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
