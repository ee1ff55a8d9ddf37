"""The review queue in pieces, and the objects of many parts in one look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.engines import named
from clusterdiff.explain import ranking

RNG = np.random.default_rng(3)
IDS = [f"r{i}" for i in range(300)]
TRUTH = [f"t{i // 3}" for i in range(300)]
GUESS = [f"g{i // 3 + (5 if moved else 0)}" for i, moved in enumerate(RNG.random(300) < 0.1)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = []
    for name, labels in (("truth", TRUTH), ("guess", GUESS)):
        paths.append(str(tmp_path / f"{name}.parquet"))
        size = {"size": np.arange(300)} if name == "truth" else {}
        pd.DataFrame({"id": IDS, "cluster": labels, **size}).to_parquet(paths[-1])
    return paths


@pytest.mark.parametrize("at_once", [1, 7, 10**6])
def test_pieces_of_the_queue_are_the_queue(
    at_once: int, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = cd.explain(*files)
    whole = told.to_csv()
    assert whole.count("\n") == 1 + len(told.records(None, None))
    monkeypatch.setattr(ranking, "BATCH", at_once)
    pieces = list(told.csv_in_turn())
    assert "".join(pieces) == whole
    assert len(pieces) > (10 if at_once < 10 else 1)
    few = list(told.csv_in_turn(5, 2))
    assert "".join(few) == told.to_csv(5, 2)
    covers = cd.explain({1: ["a"], 2: ["a", "b"]}, {1: ["x"], 2: ["x"]}, kind="cover")
    assert covers.to_csv().count("\n") == 1 + len(covers.records(None, None))


def test_a_table_of_records_alone_is_checked_as_a_whole(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "BATCH", 1)
    records = pd.DataFrame({"id": IDS[:2], "name": ["a", "b"]})
    told = cd.explain(*files, records=records)
    assert len(list(told.csv_in_turn())) == 2  # the heading, and all records


@pytest.mark.parametrize("most", [0, 2, None])
def test_many_rows_are_named_as_few_are(
    most: int | None, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cells_of(told: Any) -> list[tuple[Any, ...]]:
        parts = told.top(None, most)
        return [(c.truth.name, c.guess.name, *c.ids) for part in parts for c in part.cells]

    here = cells_of(cd.explain(*files))
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**9)  # too large for memory
    told: Any = cd.explain(*files)
    assert isinstance(told.named, named.SqlNamedComparison)
    monkeypatch.setattr(named, "AT_ONCE", 10**6)
    few = cells_of(told)
    monkeypatch.setattr(named, "AT_ONCE", 1)
    assert cells_of(told) == few
    assert len(few) == len(here) > 30
    if most != 2:
        assert sorted(few) == sorted(here)
