"""Single-cell annotation: labels of 700 blood cells as pandas columns, AnnData and CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sklearn import metrics

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA

CELLS = DATA / "pbmc68k_reduced_labels.csv"
pytestmark = pytest.mark.skipif(not CELLS.exists(), reason="the data sets are not here")


@pytest.fixture(scope="module")
def cells() -> Any:
    import pandas as pd

    return pd.read_csv(CELLS).set_index("cell")


@pytest.fixture(scope="module")
def score(cells: Any) -> float:
    return float(metrics.adjusted_rand_score(cells["bulk_labels"], cells["louvain"]))


def test_columns_of_one_frame(cells: Any, score: float) -> None:
    typed = cells.astype("category")
    assert cd.adjusted_rand(cells["bulk_labels"], cells["louvain"]) == pytest.approx(score)
    assert cd.adjusted_rand(typed["bulk_labels"], typed["louvain"]) == pytest.approx(score)


def test_columns_in_another_order_are_refused_not_paired(cells: Any) -> None:
    shuffled = cells["louvain"].sample(frac=1, random_state=0)
    with pytest.raises(cd.ClusterdiffError, match="index"):
        cd.adjusted_rand(cells["bulk_labels"], shuffled)


def test_categories_that_no_cell_has_are_no_clusters(cells: Any) -> None:
    few = cells[cells["louvain"] < 3].astype("category")
    kept = few["bulk_labels"].cat.add_categories(["unseen"])
    assert cd.meet(kept, few["louvain"]) == cd.meet(few["bulk_labels"].astype(str), few["louvain"])


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_an_index_without_a_name_is_the_ids(
    cells: Any, score: float, engine: str, tmp_path: Path
) -> None:
    """What `to_csv` writes by default, in two orders."""
    truth = cells["bulk_labels"].rename("cluster").rename_axis(None)
    guess = cells["louvain"].rename("cluster").rename_axis(None).sample(frac=1, random_state=0)
    for name, column in (("truth", truth), ("guess", guess)):
        column.to_csv(tmp_path / f"{name}.csv")
    assert (tmp_path / "truth.csv").read_text().startswith(",cluster\n")
    files = (str(tmp_path / "truth.csv"), str(tmp_path / "guess.csv"))
    ran = run("compare", *files, "-m", "adjusted_rand", "-f", "csv", "--engine", engine)
    assert ran.code == 0, ran.stderr
    assert f"{score:.10f}" in ran.stdout
    same = run("compare", files[1], files[1], "-m", "elm_f", "-f", "csv", "--engine", engine)
    assert ",1.0" in same.stdout


def test_scikit_learns_numbers_with_its_norms(cells: Any) -> None:
    truth, guess = cells["bulk_labels"], cells["louvain"]
    assert round(cd.nmi(truth, guess), 3) == 0.577
    assert cd.nmi(truth, guess, norm="arithmetic") == pytest.approx(
        metrics.normalized_mutual_info_score(truth, guess)
    )
    assert round(metrics.normalized_mutual_info_score(truth, guess), 3) == 0.617


def test_annotated_data(cells: Any, score: float) -> None:
    anndata = pytest.importorskip("anndata")
    import numpy as np

    data = anndata.AnnData(np.zeros((len(cells), 2)), obs=cells.astype("category"))
    assert cd.adjusted_rand(data.obs["bulk_labels"], data.obs["louvain"]) == pytest.approx(score)
    with pytest.raises(cd.ClusterdiffError):
        cd.adjusted_rand(data, data)
