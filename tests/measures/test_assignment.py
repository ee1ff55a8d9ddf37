"""Matchings of giant components: the optimum where it is promised, and bounds that hold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import clusterdiff as cd
from clusterdiff.measures import assignment
from clusterdiff.measures.assignment import Auction, heaviest_matching, matchings


def tangle(seed: int, whole: bool = True) -> tuple[Any, Any, Any]:
    """Rows of a random table, and their weights: few different ones, so that many are equal."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 12, 2)
    cells = np.argwhere(rng.random(shape) < rng.uniform(0.2, 1.0))
    cells = cells if len(cells) else np.zeros((1, 2), np.int64)
    top = rng.choice([2, 5, 1000])
    weight = rng.integers(1, top, len(cells)).astype(float)
    return cells[:, 0], cells[:, 1], weight if whole else weight / rng.integers(1, 9, len(cells))


def optimum(left: Any, right: Any, weight: Any) -> float:
    table = np.zeros((left.max() + 1, right.max() + 1))
    table[left, right] = weight
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def is_matching(left: Any, right: Any, rows: Any) -> bool:
    return all(len(set(side[rows].tolist())) == len(rows) for side in (left, right))


@pytest.mark.parametrize("effort", [0.001, 1, 100])
@pytest.mark.parametrize("whole", [True, False])
def test_giant_components_are_solved_to_the_end(
    whole: bool, effort: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignment, "EFFORT", effort)
    monkeypatch.setattr(assignment, "_solved_apart", assignment._solved)  # no child for each
    for seed in range(60):
        left, right, weight = tangle(seed, whole)
        wanted = optimum(left, right, weight)
        monkeypatch.setattr(assignment, "GIANT", 1)
        chosen = heaviest_matching(left, right, weight)
        assert is_matching(left, right, chosen)
        assert weight[chosen].sum() == pytest.approx(wanted, rel=1e-14)


def unproven(whole: bool) -> int:
    """How many of some matchings are not proven to be the best, after all bounds were checked."""
    found = 0
    for seed in range(60):
        left, right, weight = tangle(seed, whole)
        parts = list(matchings(left, right, weight, exact=False))
        chosen = np.concatenate([one.chosen for one in parts])
        missing = sum(one.missing for one in parts)
        assert is_matching(left, right, chosen)
        wanted, kept = optimum(left, right, weight), weight[chosen].sum()
        assert kept <= wanted + 1e-9
        assert wanted <= kept + missing + 1e-12 * wanted
        found += missing > 0
    return found


@pytest.mark.parametrize(("effort", "most"), [(0.001, 60), (1, 60), (2, 60), (100, 6)])
@pytest.mark.parametrize("whole", [True, False])
def test_no_matching_is_beyond_the_bound(
    whole: bool, effort: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignment, "GIANT", 1)
    monkeypatch.setattr(assignment, "EFFORT", effort)
    assert unproven(whole) <= most
    real = Auction._bound_of
    monkeypatch.setattr(Auction, "_bound_of", lambda self, price: real(self, price) // 2)
    if whole:
        with pytest.raises(AssertionError):
            unproven(whole)


def test_the_solver_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right, weight = tangle(3)
    here = assignment._assigned(left, right, weight)
    monkeypatch.setattr(assignment, "GIANT", 1)
    monkeypatch.delattr(assignment, "_solved")
    assert np.array_equal(assignment._assigned(left, right, weight), here)


RUNS = np.random.default_rng(0).integers(0, 60, (2, 300)).tolist()


def test_relabel_says_how_much_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    best = cd.relabel(*RUNS)
    assert best.of_best == 1.0
    monkeypatch.setattr(assignment, "GIANT", 1)
    assert cd.relabel(*RUNS).kept == best.kept
    monkeypatch.setattr(assignment, "EFFORT", 0.5)
    part = cd.relabel(*RUNS)
    assert part.of_best < 1
    assert best.kept * part.of_best <= part.kept <= best.kept
    assert "It is certain that" in part.to_text()
    assert "It is certain that" in cd.track(dict(zip("ab", RUNS, strict=True))).to_text()
    exact = cd.relabel(*RUNS, exact=True)
    assert (exact.kept, exact.of_best) == (best.kept, 1.0)
    assert "certain" not in exact.to_text()
    assert cd.relabel(*RUNS, weight=[1.5] * 300, exact=True).weighted_share == exact.share


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_matching(signal_number: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("old", "new"):
        labels = rng.integers(0, 200_000, 1_000_000)
        rows = "\n".join(f"{i},{label}" for i, label in enumerate(labels.tolist()))
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}\n")
    command = [sys.executable, "-m", "clusterdiff", "relabel", "old.csv", "new.csv", "--exact"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [*command, "-o", "ids.csv"], cwd=tmp_path, env={**os.environ, "TMPDIR": str(temporary)}
    ) as process:
        while process.poll() is None and not list(temporary.rglob("graph.npz")):
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal_number)
        began = time.monotonic()
        assert process.wait() == 128 + signal_number
    assert time.monotonic() - began < 2
    assert not list(temporary.iterdir())
    assert not (tmp_path / "ids.csv").exists()
