"""Hypothesis runs the same on every machine: no deadline, a fixed seed. One worker has Spark."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("clusterdiff", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("clusterdiff")


BRUTE = ("brute", "oracles", "claims", "invariance", "peers")
"""Tests that run the same lines millions of times: they are not traced for coverage."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests are not traced."""
    for item in items:
        if any(word in item.nodeid.partition("::")[0] for word in BRUTE):
            item.add_marker("no_cover")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """Tests go to whichever worker is free; those that need Spark, which starts once, to one."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "test_spark" in nodeid else nodeid

    return Scheduler(config, log)
