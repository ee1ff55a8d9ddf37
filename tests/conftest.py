"""Hypothesis runs the same on every machine: no deadline, a fixed seed. One worker has Spark."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

settings.register_profile("clusterdiff", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("clusterdiff")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Compiled once: workers import all tests, and dozens of tests start the command."""


BRUTE = ("brute", "oracles", "claims", "invariance", "peers")
"""Tests that run the same lines millions of times: they are not traced for coverage."""


SAMPLED = (
    "tests/engines/test_alignment_plan.py",
    "tests/engines/test_engines_agree.py",
    "tests/engines/test_scale_errors.py",
    "tests/engines/test_spark.py",
    "tests/engines/test_spark_files.py",
    "tests/engines/test_spark_verbs.py",
    "tests/cli/test_odd_input.py",
    "tests/compare/test_counts.py",
    "tests/golden/test_conll_reference.py",
    "tests/inputs/test_silent_readings.py",
    "tests/inputs/test_speech.py",
    "tests/inputs/test_together.py",
    "tests/journeys/test_real_data.py",
    "tests/journeys/test_table.py",
    "tests/lab/axioms/conditions/test_conditions.py",
    "tests/lab/axioms/conditions/test_soft_metric.py",
    "tests/lab/axioms/search/test_climb.py",
    "tests/lab/papers/test_reproduce_command.py",
    "tests/runs/test_matrix_scores.py",
    "tests/measures/test_claims.py",
    "tests/measures/test_cover_oracles.py",
    "tests/measures/test_oracles.py",
    "tests/measures/test_soft_brute.py",
    "tests/measures/test_soft_device.py",
    "tests/measures/test_soft_oracles.py",
    "tests/oracles/test_oracles_themselves.py",
    "tests/explain/test_explain.py",
    "tests/statistics/test_bites.py",
    "tests/statistics/test_sums.py",
    "tests/sweep/test_sweep_oracles.py",
    "tests/test_toolboxes.py",
)
"""Tables of hundreds of cells: `make test` runs a quarter of them, `make slow` the others."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of ten thousand tests is garbage: it is not looked for while they are collected, nor
    among them later.
    """
    gc.disable()
    done = yield
    gc.freeze()
    gc.enable()
    return done


def pytest_unconfigure() -> None:
    """What was set aside goes as usual."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests are not traced, and which are left to `make slow`."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if any(word in file for word in BRUTE):
            item.add_marker("no_cover")
        if file in SAMPLED and "[" in name and crc32(item.nodeid.encode()) % 4:
            item.add_marker("slow")


TOGETHER = {
    "tests/measures/test_claims.py": "covers",
    "tests/measures/test_cover_oracles.py": "covers",
    "tests/measures/test_bites.py": "covers",
    "tests/contingency/test_cover.py": "covers",
    "tests/test_contributing.py": "covers",
    "tests/testing/test_check_measure.py": "covers",
    "tests/measures/test_soft_oracles.py": "soft",
    "tests/measures/test_soft_bites.py": "soft",
    "tests/test_docs.py": "docs",
    "tests/test_stub.py": "stub",
}
"""Files whose tests remember the same things, such as meets and scores."""
ALONE = (
    "axioms",
    "laboratory",
    "brute",
    "claims",
    "golden",
    "oracles",
    "invariance",
    "peers",
    "page",
    "explain",
    "papers",
    "journeys",
)
"""Words for files whose tests remember or start much; others go one by one to who has time."""


def scope(nodeid: str) -> str:
    """What a test belongs to: all tests of a scope go to one worker."""
    for word in ("spark", "estimators"):
        if word in nodeid:
            return word
    file = nodeid.partition("::")[0]
    if file in TOGETHER:
        return TOGETHER[file]
    return file if any(word in file for word in ALONE) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """Tests go to whichever worker is free, first those that need Spark, which starts once."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            if "spark" in self.workqueue:
                self.workqueue.move_to_end("spark", last=False)
            super()._assign_work_unit(node)

    return Scheduler(config, log)
