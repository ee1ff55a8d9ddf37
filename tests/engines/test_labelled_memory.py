"""Clusters in conflict keep their own names, however few of all clusters they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run

DATA = Path(__file__).parents[3] / "shared" / "data"
MANY = 20_000
"""Guess clusters beside those of the few objects that truth knows."""
Labels = dict[Any, Any]


def few_beside_many(seed: int) -> tuple[Labels, Labels]:
    """A truth of some dozens of objects, a guess of very many others too."""
    rng = np.random.default_rng(seed)
    known = rng.choice(MANY, 60, replace=False).tolist()
    guess = {x: f"g{x}" for x in range(MANY)}
    guess |= {x: f"g{known[int(rng.integers(20))]}" for x in known}
    return {x: f"t{int(rng.integers(15))}" for x in known}, guess


def check_names(told: Any, truth: Labels, guess: Labels) -> None:
    """Every object that is listed is in the clusters that it is listed under, and all are."""
    both = truth.keys() & guess.keys()
    seen = []
    for part in told.top(None, None):
        for cell in part.cells:
            wanted = {x for x in both if (truth[x], guess[x]) == (cell.truth.name, cell.guess.name)}
            assert set(cell.ids) == wanted
            assert len(wanted) == cell.objects
            assert cell.truth.size == sum(truth[x] == cell.truth.name for x in both)
            assert cell.guess.size == sum(guess[x] == cell.guess.name for x in both)
            seen += cell.ids
    assert len(seen) == len(set(seen)) == len(both) - told.summary.outcomes["right"]


@pytest.mark.parametrize("seed", range(3))
def test_names_where_truth_is_known_for_a_part(seed: int) -> None:
    truth, guess = few_beside_many(seed)
    told = cd.explain(truth, guess, align="shared")
    assert float(told.score) == cd.elm_f(truth, guess, align="shared")
    check_names(told, truth, guess)


@pytest.mark.parametrize("seed", range(3))
def test_names_where_all_else_is_noise_that_is_dropped(seed: int) -> None:
    truth, guess = few_beside_many(seed)
    whole = {x: truth.get(x, "?") for x in guess}
    told = cd.explain(whole, guess, noise="?", noise_as="drop")
    check_names(told, truth, guess)
    change = cd.diff(whole, guess, truth | dict.fromkeys(guess.keys() - truth.keys(), "?"),
                     noise="?", noise_as="drop")  # fmt: skip
    assert change.report["elm_f"]["new"].value == 1.0


@pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
def test_a_truth_for_a_few_inventors(tmp_path: Path) -> None:
    path = f"{DATA}/patentsview_inventors.parquet"
    columns = [f"{path}::{name}" for name in ("reference", "pred_20170808", "pred_20220630")]
    page = tmp_path / "page.html"
    ran = run("report", *columns, "--no-id", "--noise", "-1", "--noise-as", "drop", "-o", str(page))
    assert ran.code == 0, ran.stderr
    assert "patentsview_inventors.parquet::pred_20220630" in page.read_text()
