"""How long fuzzing lasts: some dozens of examples as a rule, thousands with CLUSTERDIFF_FUZZ=long.

Tests below this folder take the profile by themselves. An example that takes longer than `BOUND`
fails, whatever comes out.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

BOUND = 20_000
"""Milliseconds that one example may take, on a machine that has other things to do."""

settings.register_profile("short", settings.get_profile("clusterdiff"), deadline=BOUND)
settings.register_profile(
    "long",
    deadline=BOUND,
    max_examples=20_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
PROFILE = settings.get_profile(os.environ.get("CLUSTERDIFF_FUZZ", "short"))
taken: set[Any] = set()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give a test the profile, once for all of its parameters."""
    function = getattr(item, "function", None)
    if function not in taken and is_hypothesis_test(function):
        PROFILE(function)
        taken.add(function)
