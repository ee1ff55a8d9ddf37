"""Small cases take every way in which tables of two runs are counted."""

from __future__ import annotations

import pytest

from clusterdiff.runs import tables


@pytest.fixture(params=["numpy", "dense", "sparse"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "numpy":
        monkeypatch.setattr(tables, "FEW_GROUPS", 0)
        monkeypatch.setattr(tables, "MANY_GROUPS", 0)
    if request.param == "sparse":
        monkeypatch.setattr(tables, "FEW_CELLS", 0)
        monkeypatch.setattr(tables.RunTables, "is_dense", lambda *_: False)
