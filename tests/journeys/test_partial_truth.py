"""Patent inventors: 13,467 of 133,541 mentions are labelled, the rest is marked -1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from journeys.test_table import on_the_page

PATENTS = DATA / "patentsview_inventors.parquet"
pytestmark = pytest.mark.skipif(not PATENTS.exists(), reason="the data sets are not here")
RUNS = ("pred_20170808", "pred_20220630")
FLAGS = ("--no-id", "--noise", "-1", "--noise-as", "drop")


@pytest.fixture(scope="module")
def labelled() -> Any:
    """The mentions that truth and both runs know."""
    import pandas as pd

    table = pd.read_parquet(PATENTS)[["reference", *RUNS]]
    return table[(table != -1).all(axis=1)]


def bcubed_precision(table: Any, run: str) -> float:
    """Mean over mentions of the share of its cluster that is the same inventor."""
    both = table.groupby(["reference", run])["reference"].transform("size")
    return float((both / table.groupby(run)["reference"].transform("size")).mean())


def files() -> list[str]:
    return [f"{PATENTS}::{column}" for column in ("reference", *RUNS)]


def test_both_runs_are_scored_on_the_same_mentions(labelled: Any) -> None:
    ran = run("compare", *files(), *FLAGS, "-m", "bcubed_precision", "-f", "json")
    assert ran.code == 0, ran.stderr
    guesses = json.loads(ran.stdout)["guesses"]
    for name in RUNS:
        [shown] = [scores for guess, scores in guesses.items() if guess.endswith(name)]
        score = shown["bcubed_precision"]
        assert score["signature"]["objects"] == len(labelled)
        assert score["value"] == pytest.approx(bcubed_precision(labelled, name), abs=1e-12)


def test_a_page_and_explanations_of_the_labelled_part(labelled: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ran = run("report", *files(), *FLAGS, "-m", "bcubed_precision", "-o", str(page))
    assert ran.code == 0, ran.stderr
    shown = on_the_page(page.read_text(encoding="utf-8"), list(RUNS))
    for name, score in shown.items():
        assert score == pytest.approx(bcubed_precision(labelled, name), abs=5.1e-5)


def test_what_is_named_is_what_lies_there() -> None:
    """Each cell of the worst components holds its objects in both clusters that it names."""
    import pandas as pd

    table = pd.read_parquet(PATENTS)[["reference", RUNS[0]]]
    known = (table != -1).all(axis=1).to_numpy()
    truth, guess = (table[c].to_numpy() for c in ("reference", RUNS[0]))
    told = cd.explain(truth, guess, noise=-1, noise_as="drop")
    assert isinstance(told, cd.Explanation)
    seen = 0
    for part in told.top(5, None):
        for cell in part.cells:
            at = np.asarray(cell.ids)
            assert known[at].all()
            assert set(truth[at].tolist()) == {cell.truth.name}
            assert set(guess[at].tolist()) == {cell.guess.name}
            seen += at.size
    assert seen > 100
