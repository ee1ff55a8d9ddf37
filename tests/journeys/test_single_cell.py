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


def test_columns_in_another_order_are_matched_by_their_index(cells: Any, score: float) -> None:
    shuffled = cells["louvain"].sample(frac=1, random_state=0)
    assert cd.adjusted_rand(cells["bulk_labels"], shuffled) == pytest.approx(score)
    assert cd.adjusted_rand(cells["bulk_labels"], shuffled.to_dict()) == pytest.approx(score)
    told = cd.explain(cells["bulk_labels"], shuffled)
    assert told.object(cells.index[0]).id == cells.index[0]
    with pytest.raises(cd.ClusterdiffError, match=r"1 of 700 objects are only in truth"):
        cd.adjusted_rand(cells["bulk_labels"], shuffled[shuffled.index != cells.index[5]])


def test_an_index_that_names_no_object_counts_by_position(cells: Any, score: float) -> None:
    """Doubled or missing names cannot be matched; labels without an index have none."""
    labels = cells["louvain"].to_numpy()
    assert cd.adjusted_rand(cells["bulk_labels"], labels) == pytest.approx(score)
    again = cells.set_axis(["cell"] * len(cells))
    assert cd.adjusted_rand(again["bulk_labels"], again["louvain"]) == pytest.approx(score)
    for other in (cells.reset_index(), again):
        with pytest.raises(cd.ClusterdiffError, match="different indexes"):
            cd.adjusted_rand(cells["bulk_labels"], other["louvain"])


class Annotated:
    """What AnnData and MuData have that is looked at; the matrix is not."""

    def __init__(self, obs: Any) -> None:
        self.obs = obs

    @property
    def X(self) -> None:  # noqa: N802
        raise AssertionError("the matrix was loaded")


def test_columns_of_annotated_data_by_name(cells: Any, score: float) -> None:
    data = Annotated(cells)
    report = cd.compare(data, truth="bulk_labels", guesses=["louvain", "phase"])
    assert float(report["adjusted_rand"]["louvain"]) == pytest.approx(score)
    assert "[id: cell, cluster: louvain]" in report.head()
    beside = cd.compare(cells["bulk_labels"], cells[["louvain", "phase"]], "adjusted_rand")
    assert float(beside["adjusted_rand"]["louvain"]) == pytest.approx(score)
    plain = cd.compare(list(cells["bulk_labels"]), cells[["louvain", "phase"]], "adjusted_rand")
    assert float(plain["adjusted_rand"]["louvain"]) == pytest.approx(score)
    table = cells.assign(
        agreement=cd.objects(data, truth="bulk_labels", guess="louvain").to_series()
    )
    assert table["agreement"].mean() == pytest.approx(cd.elm_f(*cells.iloc[:, :2].T.values))
    told = cd.explain(data, truth="bulk_labels", guess="louvain")
    assert told.headline == cd.explain(cells["bulk_labels"], cells["louvain"]).headline
    phased = cd.compare(cells, truth="bulk_labels", guesses=["louvain"], samples="phase")
    assert phased.samples == tuple(cells["phase"].unique())


def test_what_annotated_data_lacks_is_said(cells: Any) -> None:
    data = Annotated(cells)
    with pytest.raises(cd.ClusterdiffError, match=r"Annotated\.obs has no column 'leiden'; it has"):
        cd.compare(data, truth="bulk_labels", guesses=["leiden"])
    with pytest.raises(cd.ClusterdiffError, match="3 columns in its obs") as error:
        cd.compare(data, data)
    assert "truth='bulk_labels', guesses=['louvain']" in error.value.hint
    with pytest.raises(cd.ClusterdiffError, match="a list has none"):
        cd.compare([1, 2], truth="bulk_labels", guesses=["louvain"])
    with pytest.raises(cd.ClusterdiffError, match="no guess"):
        cd.compare(data, truth="bulk_labels")


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
