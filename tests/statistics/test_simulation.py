"""The simulation of intervals and tests runs, and says what it should in a few runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_quick_simulation(tmp_path: Path) -> None:
    out = tmp_path / "coverage.md"
    command = [sys.executable, "-m", "bench.coverage", "--quick", "--runs", "60", "--out", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    _, shares, widths, *rest = out.read_text().split("\n\n|")[1:]
    rows = [line.strip("| ").split(" | ") for line in shares.splitlines()[2:]]
    assert [row[:2] for row in rows if row[0] == "records"] == [
        ["records", "50"],
        ["records", "200"],
    ]
    held = [
        float(x) for row in rows if row[0] == "records" for x in re.findall(r"\d+", str(row[2:]))
    ]
    assert sum(held) / len(held) == pytest.approx(95, abs=3)
    assert min(held) > 80
    assert "records" in widths
    if rest:
        sizes = [float(x) for x in re.findall(r"\| (\.\d+)", rest[0])]
        assert 0 <= max(sizes) <= 0.15
