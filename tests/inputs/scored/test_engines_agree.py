"""Arrays and DuckDB give the same curve to the last bit, whatever the order of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd

MEASURES = ["elm_f", "bcubed_f", "adjusted_rand", "nmi", "muc_f", "accuracy"]


def made(seed: int, text: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Truth for most objects; pairs with ties, repeats, self-pairs and unknown objects."""
    rng = np.random.default_rng(seed)
    n = 120
    names = [f"r{i:03}" if text else i * 7 - 200 for i in range(n)]
    truth = pd.DataFrame({"id": names, "cluster": rng.integers(0, 40, n)})[: n - 10]
    left, right = rng.integers(0, n, (2, 400))
    score = np.round(rng.random(400), 2)
    pairs = pd.DataFrame({"id_l": [names[i] for i in left], "id_r": [names[i] for i in right]})
    pairs["score"] = score
    return truth, pd.concat([pairs, pairs[:30].rename(columns={"id_l": "id_r", "id_r": "id_l"})])


def curves(truth: Any, pairs: Any, engine: Any, align: str, distance: bool) -> cd.Sweep:
    return cd.sweep(truth, pairs, MEASURES, align=align, distance=distance, engine=engine)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@pytest.mark.parametrize("distance", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("align", ["shared", "singletons"])
@pytest.mark.parametrize("text", [False, True])
def test_engines_agree(tmp_path: Path, text: bool, align: str, distance: bool) -> None:
    truth, pairs = made(3, text)
    shuffled = pairs.sample(frac=1, random_state=5)
    shuffled.to_csv(tmp_path / "pairs.csv", index=False)
    pairs.to_parquet(tmp_path / "pairs.parquet")
    truth.sample(frac=1, random_state=2).to_csv(tmp_path / "truth.csv", index=False)
    first = curves(truth, pairs, "arrays", align, distance)
    others = [
        curves(truth.sample(frac=1, random_state=9), shuffled, None, align, distance),
        curves(tmp_path / "truth.csv", tmp_path / "pairs.csv", "duckdb", align, distance),
        curves(tmp_path / "truth.csv", tmp_path / "pairs.parquet", "arrays", align, distance),
        curves(truth, duckdb.connect().from_df(shuffled), None, align, distance),
    ]
    for other in others:
        assert np.array_equal(first.thresholds, other.thresholds)
        for column, values in first.columns().items():
            assert np.array_equal(values, other.columns()[column], equal_nan=True), column
        assert first.swept.to_dict() | {"name": ""} == other.swept.to_dict() | {
            "name": "", "columns": first.swept.columns,
        }  # fmt: skip
        assert named(first.cut(0.5)) == named(other.cut(0.5))
        assert first.best("elm_f") == other.best("elm_f")


def named(found: cd.Partition) -> dict[str, str]:
    assert found.ids is not None
    ids, labels = (map(str, column.tolist()) for column in (found.ids, found.labels))
    return dict(zip(ids, labels, strict=True))
