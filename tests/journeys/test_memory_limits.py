"""Each verb under `--memory`: its process stays near the limit, or it refuses before long work."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc"),
]
LIMIT = 500e6
MOST = 1.3 * LIMIT + 300e6
VERBS = {
    "compare": "truth old",
    "compare --confidence 95": "truth old new",
    "explain": "truth old",
    "explain -f csv": "truth old",
    "chance --draws 5": "truth old",
    "diff": "truth old new",
    "table": "truth old",
    "report -o page.html": "truth old",
    "sweep": "truth pairs",
    "relabel -o new-ids.parquet": "old new",
    "track": "truth old new",
    "matrix": "truth old new",
    "consensus -o consensus.parquet": "truth old new",
}
SIZES = [1_000_000, 5_000_000]


@pytest.fixture(scope="module", params=SIZES, ids=["million", "five"])
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clusters of three, of which a run gives every twentieth object to another one; and pairs."""
    folder, n = tmp_path_factory.mktemp("tables"), request.param
    with duckdb.connect() as connection:
        for name, moved in {
            "truth": "0",
            "old": "(hash(i) % 20 = 0)",
            "new": "(hash(i) % 21 = 0)",
        }.items():
            connection.execute(
                f"COPY (SELECT 'r' || i AS id, i // 3 + 7 * {moved}::INT AS cluster "
                f"FROM range({n}) r(i)) TO '{folder / name}.parquet'"
            )
        connection.execute(
            f"COPY (SELECT 'r' || i AS left_id, 'r' || (i + 1 + hash(i) % 4) % {n} AS right_id, "
            f"hash(i + 5) % 100000 / 1e5 AS score FROM range({n}) r(i)) TO '{folder}/pairs.parquet'"
        )
    return folder


def peak_of(folder: Path, *arguments: str) -> tuple[int, float, int, str]:
    """Peak of the resident memory, seconds, exit code and what the command said."""
    began, peak = time.monotonic(), 0
    command = [sys.executable, "-m", "clusterdiff", *arguments, "--memory", "500MB"]
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            lines = status.read_text().splitlines() if status.exists() else []
            for line in lines:
                if line.startswith("VmHWM"):
                    peak = max(peak, 1024 * int(line.split()[1]))
            time.sleep(0.02)
        said = process.stderr.read() if process.stderr else ""
    return peak, time.monotonic() - began, process.returncode, said


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_stays_near_its_limit_or_refuses(verb: str, tables: Path) -> None:
    files = [f"{name}.parquet" for name in VERBS[verb].split()]
    name, *options = verb.split()
    peak, seconds, code, said = peak_of(tables, name, *files, *options)
    assert code in (0, 2), said
    assert peak <= MOST, f"{peak / 1e6:,.0f} MB after {seconds:.1f} s, exit code {code}"
    if code:
        assert "are allowed" in said
        assert "Hint: allow more" in said
        assert seconds < 30, f"refused after {seconds:.1f} s"  # 5 on a machine that is not shared
