"""The pytest plugin: --clusterdiff-update records the baselines of `assert_no_regression`.

Nothing is imported for it when pytest starts; `clusterdiff.testing` has the assertion.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

UPDATE = "CLUSTERDIFF_UPDATE"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("clusterdiff").addoption(
        "--clusterdiff-update",
        action="store_true",
        help="Record the JSON baselines of assert_no_regression from this run.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell the assertion, in this process and in those that it starts."""
    if config.getoption("clusterdiff_update"):
        os.environ[UPDATE] = "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Tell nobody else."""
    if config.getoption("clusterdiff_update"):
        os.environ.pop(UPDATE, None)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say that nothing is checked."""
    updated = config.getoption("clusterdiff_update")
    return "clusterdiff: baselines are recorded, not checked" if updated else None
