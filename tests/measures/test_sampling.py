"""Long work: estimates from a sample of the objects, progress on a terminal, and interrupts."""

from __future__ import annotations

import io
import math
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from cases import disturbed, random_cover
from clusterdiff import progress as bar
from clusterdiff.clusterings import grouping as kernels
from clusterdiff.measures import Measure, elements, overlapping, threads
from clusterdiff.measures import comembership as neighbours
from clusterdiff.measures import comembership as tables
from clusterdiff.measures.base import Estimate

rng = random.Random(8)
TRUTH = random_cover(rng, 600, 120, 60)
GUESS = disturbed(rng, TRUTH)
ESTIMATED = [
    *(cd.measure(f"{family}_{part}") for family in ("extended_bcubed", "cice")
      for part in ("precision", "recall", "f")),
    cd.extended_bcubed_f(f="objects"), cd.cice_f(f="objects", alpha=0.2), cd.cice_f(match="pair"),
    cd.cice_precision(uncovered="skip"), cd.cice_f(uncovered="skip"), cd.element_similarity,
]  # fmt: skip


@pytest.fixture
def no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were too many pairs to visit them all."""
    monkeypatch.setattr(tables, "ROWS", 0)
    monkeypatch.setattr(neighbours, "SUBSET", 1e9)
    for module in (overlapping, elements):
        monkeypatch.setattr(module, "BUDGET", 0)


@pytest.fixture(scope="module")
def meet() -> cd.CoverMeet:
    made = cd.meet(cd.Cover(TRUTH), cd.Cover(GUESS))
    assert isinstance(made, cd.CoverMeet)
    return made


@pytest.mark.parametrize("measure", ESTIMATED, ids=str)
def test_the_standard_error_is_what_estimates_err_by(
    measure: Measure, meet: cd.CoverMeet, no_budget: None
) -> None:
    """Over 60 seeds the errors have about the size that they say, and no bias to speak of."""
    exact = measure.of(meet)
    found = [measure.with_params(sample=100, seed=seed).of(meet) for seed in range(60)]
    assert all(isinstance(one, Estimate) and one.drawn == 100 for one in found)
    said = math.sqrt(sum(one.error**2 for one in found) / 60)
    real = math.sqrt(sum((one - exact) ** 2 for one in found) / 60)
    assert 0.7 < real / said < 1.4
    assert abs(sum(found) / 60 - exact) < 3.5 * said / math.sqrt(60)


def test_an_estimate_says_so(meet: cd.CoverMeet, no_budget: None) -> None:
    report = cd.compare(cd.Cover(TRUTH), cd.Cover(GUESS), ["cice_f(sample=100, seed=3)"])
    score = report["cice_f(sample=100, seed=3)"]
    assert score.error is not None
    assert f"± {score.error:.1g}" in str(report)
    assert f"sampled:100 objects±{score.error:.2g}" in score.sign()
    assert "seed=3" in score.sign()
    assert report.to_dict()["guesses"]["guess"][str(score.measure)]["error"] == score.error
    assert "error" in report.to_csv().splitlines()[0]
    again = cd.cice_f(sample=100, seed=3).of(meet)
    assert isinstance(again, Estimate)
    assert (again, again.error) == (score.value, score.error)


def test_a_sample_of_all_objects_is_no_sample(meet: cd.CoverMeet, no_budget: None) -> None:
    whole = cd.cice_f(sample=600).of(meet)
    assert not isinstance(whole, Estimate)
    assert whole == cd.cice_f.of(meet)
    assert not isinstance(cd.element_similarity(sample=10**6).of(meet), Estimate)


def test_within_the_budget_nothing_is_estimated(meet: cd.CoverMeet) -> None:
    score = cd.compare(cd.Cover(TRUTH), cd.Cover(GUESS), ["cice_f(sample=10)"])["cice_f(sample=10)"]
    assert score.value == cd.cice_f.of(meet)
    assert score.error is None
    assert "sampled" not in score.sign()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal_and_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bar, "AFTER", 0.0)
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with bar.progress("looking", 2) as advance:
            advance(1)
            time.sleep(0.01)
            advance(1)
        assert ("looking" in stream.getvalue()) == shown


def test_work_within_work_shows_no_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bar, "AFTER", 0.0)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with bar.progress("outer", 1) as advance:
        with bar.progress("inner", 1) as inner:
            time.sleep(0.01)
            inner(1)
        advance(1)
    assert "outer" in stream.getvalue()
    assert "inner" not in stream.getvalue()
    with pytest.raises(ValueError, match="ended"), bar.progress("first", 1):
        raise ValueError("ended")
    with bar.progress("second", 1) as advance:
        time.sleep(0.01)
        advance(1)
    assert "second" in stream.getvalue()


@pytest.mark.parametrize("name", ["NUMBA_NUM_THREADS", "OMP_NUM_THREADS"])
def test_no_more_threads_than_are_asked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(6)), raising=False)
    for asked, given in (("1", 1), ("3", 3), ("99", 6), ("0", 1), ("many", 6), ("", 6)):
        monkeypatch.setenv(name, asked)
        assert kernels.workers() == given


def test_short_work_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with bar.progress("looking", 1) as advance:
        advance(1)
    assert stream.getvalue() == ""


def test_an_interrupt_leaves_the_blocks_that_have_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []

    def work(begin: int, end: int, scratch: object) -> None:
        begun.append(begin)
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "BLOCK", 1)
    with pytest.raises(KeyboardInterrupt):
        threads.in_threads(work, np.ones(500, np.int64), object, "")
    assert len(begun) < 500


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_ends_the_command_without_a_word(tmp_path: Path) -> None:
    """60 clusters of half of 20,000 objects each: hundreds of millions of pairs."""
    dice = np.random.default_rng(0)
    for name in ("truth", "guess"):
        lines = [" ".join(map(str, np.flatnonzero(dice.random(20_000) < 0.5))) for _ in range(60)]
        (tmp_path / f"{name}.clusters").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "clusterdiff", "compare", "truth.clusters", "guess.clusters"]
    options = ["--kind", "cover", "-m", "cice_f"]
    ran = subprocess.Popen(
        command + options, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        time.sleep(4)
        assert ran.poll() is None
        ran.send_signal(signal.SIGINT)
        out, err = ran.communicate(timeout=60)
    finally:
        ran.kill()
        ran.communicate()
    assert ran.returncode == 130
    assert (out, err) == ("", "")
