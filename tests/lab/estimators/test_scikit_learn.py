"""All estimators keep scikit-learn's rules."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lab.estimators.cases import ALL


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([kind(n_init=2, max_iter=50) for kind in ALL])  # type: ignore[untyped-decorator]
def test_checks(estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are the checks' own matter: some ask for them, some count them. Those of the array
    API run where it is switched on, for the libraries that are installed.
    """
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)
