"""Single-cell annotation: labels of 700 blood cells as pandas columns and CSV files; AnnData and
MuData themselves, in memory, backed and as files, which `make single-cell` has.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn import metrics

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from oracles import ORACLES
from refusals import refuses

CELLS = DATA / "pbmc68k_reduced_labels.csv"


@pytest.fixture(scope="module")
def cells() -> Any:
    import pandas as pd

    if not CELLS.exists():
        pytest.skip("the data sets are not here")
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
    with pytest.raises(cd.ClusterdiffError, match=r"1 of 700 objects is only in truth"):
        cd.adjusted_rand(cells["bulk_labels"], shuffled[shuffled.index != cells.index[5]])


def test_an_index_that_names_no_object_counts_by_position(cells: Any, score: float) -> None:
    """Doubled or missing names cannot be matched; labels without an index have none."""
    labels = cells["louvain"].to_numpy()
    assert cd.adjusted_rand(cells["bulk_labels"], labels) == pytest.approx(score)
    again = cells.set_axis(["cell"] * len(cells))
    assert cd.adjusted_rand(again["bulk_labels"], again["louvain"]) == pytest.approx(score)
    for other in (cells.reset_index(), again):
        refuses("different indexes", cd.adjusted_rand, cells["bulk_labels"], other["louvain"])


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
    error = refuses("3 columns in its obs", cd.compare, data, data)
    assert "truth='bulk_labels', guesses=['louvain']" in error.hint
    refuses("a list has none", cd.compare, [1, 2], truth="bulk_labels", guesses=["louvain"])
    refuses("no guess", cd.compare, data, truth="bulk_labels")


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


LINEAGES = {
    "CD14+ Monocyte": "myeloid", "Dendritic": "myeloid", "CD19+ B": "B", "CD56+ NK": "NK",
    "CD34+": "progenitor",
}  # fmt: skip
"""The other types are T cells."""


def test_cell_types_and_lineages(cells: Any, tmp_path: Path) -> None:
    """What is wrong for a type and right for a lineage, in Python and at the prompt."""
    lineage = cells["bulk_labels"].map(lambda kind: LINEAGES.get(kind, "T"))
    table = cells.assign(lineage=lineage)
    levels = ["bulk_labels", "lineage"]
    report = cd.compare(Annotated(table), levels=levels, guesses=["louvain"])
    for level in levels:
        wanted = metrics.adjusted_rand_score(table[level], table["louvain"])
        assert report["adjusted_rand"][level].value == pytest.approx(wanted)
    fine, coarse, guess = (table[name].to_numpy() for name in (*levels, "louvain"))
    merged = (guess[:, None] == guess) & (fine[:, None] != fine)
    [nesting] = report.nestings  # type: ignore[attr-defined]
    found = nesting.guesses["louvain"]
    assert found.pairs == merged.sum() // 2
    assert found.pairs_right == (merged & (coarse[:, None] == coarse)).sum() // 2
    main = {c: cells["bulk_labels"][guess == c].mode()[0] for c in set(guess)}
    wrong = [(kind, main[c]) for kind, c in zip(fine, guess, strict=True) if kind != main[c]]
    right = [pair for pair in wrong if len({LINEAGES.get(kind, "T") for kind in pair}) == 1]
    assert (found.objects, found.objects_right) == (len(wrong), len(right))
    most = found.confused[0]
    assert (most.coarse, set(most.clusters)) == ("myeloid", {"CD14+ Monocyte", "Dendritic"})
    of = [merged[fine == kind][:, fine == other].sum() for kind, other in [most.clusters]]
    assert most.pairs == of[0]
    table.to_csv(tmp_path / "cells.csv")
    path = str(tmp_path / "cells.csv")
    ran = run("compare", path, f"{path}::louvain", "--levels", ",".join(levels), "-f", "json")
    told = json.loads(ran.stdout)["nestings"][0]["guesses"]["louvain"]
    assert (told["pairs"], told["objects_right"]) == (found.pairs, found.objects_right)
    phases = cd.compare(table, levels=["bulk_labels", "phase"], guesses=["louvain"])
    assert "bulk_labels is not nested in phase: 10 of 10 clusters" in str(phases)


def test_scikit_learns_numbers_with_its_norms(cells: Any) -> None:
    truth, guess = cells["bulk_labels"], cells["louvain"]
    assert round(cd.nmi(truth, guess, norm="max"), 3) == 0.577
    assert cd.nmi(truth, guess) == pytest.approx(metrics.normalized_mutual_info_score(truth, guess))
    assert round(metrics.normalized_mutual_info_score(truth, guess), 3) == 0.617


@pytest.fixture
def annotated() -> Any:
    """An AnnData of 90 cells with categories, one of which no cell has, and two clusterings."""
    anndata = pytest.importorskip("anndata")
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    types = rng.choice(["B", "NK", "T"], 90)
    leiden = np.where(rng.random(90) < 0.8, types, rng.choice(list("xyz"), 90))
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(types, categories=["B", "NK", "T", "unseen"]),
            "leiden_0.5": pd.Categorical(leiden),
            "leiden_1.0": rng.integers(0, 5, 90).astype(str),
            "batch": pd.Categorical(np.repeat(["first", "second", "third"], 30)),
        },
        index=[f"cell-{i}" for i in rng.permutation(90)],
    )
    return anndata.AnnData(np.ones((90, 4), np.float32), obs=obs)


GUESSES = ("leiden_0.5", "leiden_1.0")


def wanted(obs: Any, guess: str, measure: str = "elm_f", truth: str = "cell_type") -> float:
    """The definition, cell by cell."""
    return float(ORACLES[measure](obs[truth].to_dict(), obs[guess].to_dict()))


@pytest.mark.parametrize("name", ["alluvial", "scores", "sizes", "clusters", "outcomes"])
def test_pictures_of_anndata_and_of_its_frame(annotated: Any, name: str) -> None:
    """The picture is that of the two columns, by the names of the cells."""
    draw, obs = getattr(cd.plot, name), annotated.obs
    columns = obs["cell_type"].to_dict(), obs["leiden_0.5"].to_dict()
    want = draw(*columns).to_json()
    for table in (annotated, obs):
        assert draw(table, truth="cell_type", guess="leiden_0.5").to_json() == want
        assert draw(table, truth="cell_type", guesses="leiden_0.5").to_json() == want
    assert draw(annotated, truth="cell_type", guesses=["leiden_0.5"]).data
    if name in ("alluvial", "clusters"):
        with pytest.raises(cd.ClusterdiffError, match="one clustering is needed here, and 2 were"):
            draw(annotated, truth="cell_type", guesses=list(GUESSES))
    else:
        assert draw(annotated, truth="cell_type", guesses=list(GUESSES)).data
    refuses("no column 'leiden'", draw, annotated, truth="cell_type", guess="leiden")


def test_pictures_of_runs_in_obs(annotated: Any) -> None:
    for draw in (cd.plot.matrix, cd.plot.embedding, cd.plot.consensus, cd.plot.track):
        assert draw(annotated.obs[list(GUESSES)]).data
        refuses("its runs are columns of its obs", draw, annotated)


def test_columns_of_anndata(annotated: Any) -> None:
    report = cd.compare(annotated, truth="cell_type", guesses=list(GUESSES))
    for guess in GUESSES:
        for measure in ("elm_f", "adjusted_rand"):
            value = report[measure][guess].value
            assert value == pytest.approx(wanted(annotated.obs, guess, measure))
    assert "[id: index, cluster: leiden_0.5]" in report.head()
    assert "90 objects in 3 clusters" in report.head()  # and not in four
    beside = cd.compare(annotated.obs["cell_type"], annotated.obs[list(GUESSES)], "elm_f")
    assert beside["elm_f"]["leiden_1.0"].value == report["elm_f"]["leiden_1.0"].value
    shuffled = annotated[annotated.obs_names.to_series().sample(frac=1, random_state=1)].obs
    assert cd.elm_f(annotated.obs["cell_type"], shuffled["leiden_0.5"]) == pytest.approx(
        wanted(annotated.obs, "leiden_0.5")
    )


def test_scores_of_cells_become_a_column_of_obs(annotated: Any) -> None:
    found = cd.objects(annotated, truth="cell_type", guess="leiden_0.5")
    annotated.obs["agreement"] = found.to_series()
    assert annotated.obs["agreement"].mean() == pytest.approx(wanted(annotated.obs, "leiden_0.5"))
    part = annotated[annotated.obs["batch"] == "second"].copy()
    part.obs["again"] = found.to_series().reindex(part.obs_names)
    assert part.obs["again"].tolist() == part.obs["agreement"].tolist()
    frame = found.to_frame()
    assert frame["score"].tolist() == annotated.obs["agreement"].tolist()
    assert cd.explain(annotated, truth="cell_type", guess="leiden_0.5").object("cell-7").id


def test_batches_of_cells_are_samples(annotated: Any) -> None:
    report = cd.compare(
        annotated, truth="cell_type", guesses=["leiden_0.5"], measures="elm_f", samples="batch"
    )
    each = [wanted(part, "leiden_0.5") for _, part in annotated.obs.groupby("batch", observed=True)]
    assert report["elm_f"].value == pytest.approx(sum(each) / 3)


@pytest.fixture
def file(annotated: Any, tmp_path: Path) -> str:
    path = tmp_path / "cells.h5ad"
    annotated.write_h5ad(path)
    return str(path)


def test_a_backed_file_does_not_load_its_matrix(
    annotated: Any, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import anndata

    backed = anndata.read_h5ad(file, backed="r")
    assert backed.isbacked

    def loaded(_: Any) -> None:
        raise AssertionError("the matrix was loaded")

    monkeypatch.setattr(anndata.AnnData, "X", property(loaded))
    report = cd.compare(backed, truth="cell_type", guesses=["leiden_0.5"], measures="elm_f")
    assert report["elm_f"].value == pytest.approx(wanted(annotated.obs, "leiden_0.5"))
    refuses("an AnnData is not a clustering", cd.compare, backed, backed)
    assert backed.isbacked
    backed.file.close()


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_columns_of_a_file_on_the_command_line(annotated: Any, file: str, engine: str) -> None:
    """Only obs is read: the matrix is taken out of the file first."""
    import h5py

    with h5py.File(file, "a") as inside:
        del inside["X"]
    columns = [f"{file}::{name}" for name in ("cell_type", *GUESSES)]
    ran = run("compare", *columns, "-m", "elm_f", "-f", "json", "--engine", engine)
    assert ran.code == 0, ran.stderr
    scores = json.loads(ran.stdout)["guesses"]
    for guess in GUESSES:
        value = scores[guess]["elm_f"]["value"]
        assert value == pytest.approx(wanted(annotated.obs, guess))
    by_name = cd.compare(annotated.obs["cell_type"], f"{file}::leiden_0.5", "elm_f")
    assert by_name["elm_f"].value == pytest.approx(wanted(annotated.obs, "leiden_0.5"))
    ran = run("matrix", f"{file}::leiden_*", "-m", "elm_f")
    assert ran.code == 0, ran.stderr
    assert "leiden_1.0" in ran.stdout
    ran = run("compare", file, f"{file}::leden_0.5")
    assert "cell_type" in ran.stderr
    ran = run("compare", columns[0], f"{file}::leden_0.5")
    assert f"did you mean leiden_0.5? write e.g. {file}::leiden_0.5" in ran.stderr


def test_columns_of_every_type_in_a_file(tmp_path: Path) -> None:
    """Numbers, text, categories, nullable numbers; nulls stay null; a matrix is no column."""
    anndata = pytest.importorskip("anndata")
    import h5py
    import numpy as np
    import pandas as pd

    obs = pd.DataFrame(
        {
            "number": [1, 1, 2, 3],
            "text": ["p", "p", "q", "r"],
            "nullable": pd.array([1, 1, 2, None], "Int64"),
            "category": pd.Categorical(["p", "p", "q", None]),
        },
        index=pd.Index(list("abcd"), name="barcode"),
    )
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(np.zeros((4, 1)), obs=obs).write_h5ad(path)
    for name in ("number", "text"):
        found = cd.read(f"{path}::{name}")
        assert found.ids is not None
        assert found.ids.tolist() == list("abcd")
        assert str(found.origin) == f"id: barcode, cluster: {name}"
        assert cd.rand(obs["number"], found) == 1
    for name in ("nullable", "category"):
        refuses("1 of 4 labels in guess is null", cd.rand, obs["number"], f"{path}::{name}")
        assert cd.rand(obs["number"], f"{path}::{name}", noise=[None]) == 1
    with h5py.File(path, "a") as file:  # as anndata wrote categories before 0.7
        codes = file["obs/category/codes"][:]
        del file["obs/category"]
        file["obs/__categories/category"] = np.array([b"p", b"q"])
        file["obs/category"] = codes
        file["obs/category"].attrs["categories"] = file["obs/__categories/category"].ref
    assert cd.rand(obs["number"], f"{path}::category", noise=[None]) == 1
    with h5py.File(path, "a") as file:
        del file["obs"]
    refuses("without a table obs", cd.read, f"{path}::text")
    (tmp_path / "cut.h5ad").write_bytes(path.read_bytes()[:600])
    refuses(r"cut\.h5ad", cd.read, tmp_path / "cut.h5ad")


def test_muon(annotated: Any, tmp_path: Path) -> None:
    mudata = pytest.importorskip("mudata")
    mudata.set_options(pull_on_update=False)
    protein = annotated[:, :2].copy()
    protein.var_names = ["p", "q"]
    both = mudata.MuData({"rna": annotated, "protein": protein})
    both.obs["cell_type"] = annotated.obs["cell_type"]
    both.obs["rna:leiden"] = annotated.obs["leiden_0.5"]
    report = cd.compare(both, truth="cell_type", guesses=["rna:leiden"], measures="elm_f")
    score = wanted(annotated.obs, "leiden_0.5")
    assert report["elm_f"].value == pytest.approx(score)
    assert cd.elm_f(both["rna"].obs["cell_type"], both.obs["rna:leiden"]) == pytest.approx(score)
    refuses("a MuData is not a clustering", cd.compare, both, both)
    path = tmp_path / "cells.h5mu"
    both.write(path)
    assert cd.elm_f(f"{path}::cell_type", f"{path}::rna:leiden") == pytest.approx(score)


def test_what_anndata_lacks_is_said(annotated: Any) -> None:
    with pytest.raises(
        cd.ClusterdiffError, match=r"AnnData\.obs has no column 'leiden_05'"
    ) as error:
        cd.compare(annotated, truth="cell_type", guesses=["leiden_05"])
    assert error.value.hint == "did you mean leiden_0.5?"
    with pytest.raises(cd.ClusterdiffError, match="4 columns in its obs") as error:
        cd.compare(annotated, annotated)
    assert "cd.compare(adata, truth='cell_type', guesses=['leiden_0.5'])" in error.value.hint
    annotated.obs["leiden_0.5"] = annotated.obs["leiden_0.5"].cat.remove_categories(["x"])
    with pytest.raises(cd.ClusterdiffError, match=r"labels in guess (is|are) null .*'cell-"):
        cd.compare(annotated, truth="cell_type", guesses=["leiden_0.5"])
    dropped = annotated.obs.dropna()
    found = cd.compare(
        annotated, truth="cell_type", guesses=["leiden_0.5"], measures="elm_f", noise=[None],
        noise_as="drop",
    )  # fmt: skip
    assert len(dropped) < 90
    assert found["elm_f"].value == pytest.approx(wanted(dropped, "leiden_0.5"))


def test_a_file_without_the_package_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    error = refuses("is not installed", cd.read, f"{path}::leiden")
    assert "pip install 'clusterdiff[h5ad]'" in error.hint
    assert "adata.obs.to_csv" in error.hint
