"""Engines find the same intervals, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import clusterdiff as cd

MEASURES = [
    "elm_f",
    "pair_f",
    "adjusted_rand",
    "nmi",
    "exact_f",
    "ceaf_e_f",
    "muc_f",
    "split_merge",
]


def table(seed: int) -> pl.DataFrame:
    """Records of a hundred people in ten towns, and two guesses."""
    rng = np.random.default_rng(seed)
    person = np.sort(rng.integers(0, 100, 400))
    made = {"id": np.arange(400), "town": person // 10, "truth": person}
    for name, wrong in (("a", 0.1), ("b", 0.2)):
        moved = np.where(
            rng.random(400) < wrong, person // 10 * 10 + rng.integers(0, 10, 400), person
        )
        made[name] = np.where(rng.random(400) < wrong, 1000 + made["id"], moved)
    order = rng.permutation(400)
    return pl.DataFrame({key: column[order] for key, column in made.items()})


def told(report: Any) -> list[Any]:
    scores = [[s.value, s.ci, s.micro, s.micro_ci] for one in report.scores.values()
              for s in one.values()]  # fmt: skip
    return [scores, [report.difference(m, "a", "b") for m in report]]


def sides(frame: Any, *more: str) -> tuple[Any, dict[str, Any]]:
    def side(column: str) -> Any:
        return frame.select("id", *more, pl.col(column).alias("cluster"))

    return side("truth"), {name: side(name) for name in "ab"}


@pytest.mark.parametrize("samples", [None, "town"])
def test_duckdb_and_memory(tmp_path: Path, samples: str | None) -> None:
    frame = table(1)
    more = (samples,) if samples else ()
    truth, guesses = sides(frame, *more)
    given: dict[str, Any] = {"samples": samples, "confidence": 0.95}
    memory = told(cd.compare(truth, guesses, MEASURES, **given))
    with duckdb.connect() as connection:
        lazy = [connection.from_arrow(f.to_arrow()) for f in (truth, *guesses.values())]
        named = {"a": lazy[1], "b": lazy[2]}
        assert told(cd.compare(lazy[0], named, MEASURES, **given)) == memory
    for i, f in enumerate((truth, *guesses.values())):
        f.sample(fraction=1.0, shuffle=True, seed=i).write_csv(tmp_path / f"{i}.csv")
    paths = [str(tmp_path / f"{i}.csv") for i in range(3)]
    files = {"a": paths[1], "b": paths[2]}
    assert told(cd.compare(paths[0], files, MEASURES, engine="duckdb", **given)) == memory
    assert told(cd.compare(paths[0], files, MEASURES, engine="arrays", **given)) == memory


@pytest.mark.slow
@pytest.mark.parametrize("samples", [None, "town"])
def test_spark_and_memory(spark: Any, samples: str | None) -> None:
    frame = table(2)
    more = (samples,) if samples else ()
    truth, guesses = sides(frame, *more)
    given: dict[str, Any] = {"samples": samples, "confidence": 0.95}
    memory = told(cd.compare(truth, guesses, MEASURES, **given))

    def far(f: pl.DataFrame) -> Any:
        return spark.createDataFrame(f.rows(), f.columns)

    named = {name: far(f) for name, f in guesses.items()}
    assert told(cd.compare(far(truth), named, MEASURES, **given)) == memory
