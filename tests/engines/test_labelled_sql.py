"""Explanations of tables that stay in their engine say what those in memory say."""

from __future__ import annotations

import gc
import random
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from clusterdiff.engines.named import SqlNamedComparison
from clusterdiff.errors import AlignmentError, MemoryNeeded, UnknownObject
from page.embedded import objects_of


def data(seed: int, ids: str, labels: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A truth and a guess of 150 objects in columns, in different orders."""
    draw = random.Random(seed)
    names = [f"{ids}{i}" if ids else i for i in range(150)]
    truth = {name: draw.randrange(40) for name in names}
    guess = {name: c if draw.random() < 0.85 else draw.randrange(60) for name, c in truth.items()}

    def columns(side: dict[Any, int]) -> dict[str, Any]:
        rows = list(side.items())
        draw.shuffle(rows)
        own = [f"{labels}{c}" if labels else c for _, c in rows]
        return {"id": [i for i, _ in rows], "cluster": own}

    return columns(truth), columns(guess)


def write(folder: Path, sides: tuple[dict[str, Any], dict[str, Any]], ending: str) -> list[str]:
    paths = [str(folder / f"{name}.{ending}") for name in ("truth", "guess")]
    for path, side in zip(paths, sides, strict=True):
        table = pa.table(side)
        if ending == "csv":
            pyarrow.csv.write_csv(table, path)
        else:
            pq.write_table(table, path)
    return paths


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)


def parts(told: Any) -> Any:
    """All components with all names; ids in no order, and of equal parts any is the home."""
    return sorted(
        (
            part.kind, round(part.loss, 12), part.objects, sorted(map(repr, part.truth)),
            sorted(map(repr, part.guess)),
            sorted((repr(c.truth), repr(c.guess), c.objects, sorted(map(repr, c.ids)))
                   for c in part.cells),
        )
        for part in told.top(None, None)
    )  # fmt: skip


def companions(told: Any, wanted: Any) -> Any:
    found = told.object(wanted).to_dict()
    return {k: sorted(map(repr, v)) if isinstance(v, list) else v for k, v in found.items()}


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("ids", ["", "r"])
@pytest.mark.parametrize("labels", ["", "it's "])
def test_tables_that_stay_are_explained_alike(
    tmp_path: Path, ending: str, ids: str, labels: str
) -> None:
    files = write(tmp_path, data(1, ids, labels), ending)
    told, near = cd.explain(*files), cd.explain(*files, engine="arrays")
    assert isinstance(told, cd.Explanation)
    assert isinstance(told.named, SqlNamedComparison)
    assert parts(told) == parts(near)
    assert told.score.value == near.score.value
    assert told.summary.outcomes == near.summary.outcomes  # type: ignore[attr-defined]
    for wanted in told.top(3)[-1].cells[0].ids:
        assert companions(told, wanted) == companions(near, wanted)
        assert companions(told, str(wanted)) == companions(near, str(wanted))
    for wrong in ("nobody", 10**6, "", None, 1.5, "it's"):
        with pytest.raises(UnknownObject, match="no object has the id"):
            told.object(wrong)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("counted", [(True, False), (False, True), (True, True)])
def test_tables_with_counts_that_stay_are_explained_alike(
    tmp_path: Path, counted: tuple[bool, bool]
) -> None:
    """Counts of 0 are as if absent; the cells of the crosstab are sums of counts."""
    sides = data(4, "r", "c")
    for side, own in zip(sides, counted, strict=True):
        if own:
            side["ms"] = [int(name[1:]) % 4 for name in side["id"]]
    files = write(tmp_path, sides, "parquet")
    told, near = (cd.explain(*files, count="ms", engine=e) for e in (None, "arrays"))
    assert isinstance(told, cd.Explanation)
    assert isinstance(told.named, SqlNamedComparison)
    assert parts(told) == parts(near)
    assert told.score.value == near.score.value
    assert told.score.sign() == near.score.sign()
    assert isinstance(near, cd.Explanation)
    assert told.summary.outcomes == near.summary.outcomes
    for wanted in told.top(3)[-1].cells[0].ids:
        assert companions(told, wanted) == companions(near, wanted)
    tables = [one.named.crosstab("auto") for one in (told, near)]
    cells = [
        {
            (t.truth_names[i] if i < len(t.truth_names) else None,
             t.guess_names[j] if j < len(t.guess_names) else None): n
            for i, j, n in zip(t.truth.tolist(), t.guess.tolist(), t.objects.tolist(), strict=True)
        }
        for t in tables
    ]  # fmt: skip
    assert cells[0] == cells[1]


@pytest.mark.usefixtures("far")
def test_only_so_many_ids_are_asked_for(tmp_path: Path) -> None:
    files = write(tmp_path, data(2, "r", "c"), "parquet")
    told = cd.explain(*files)
    assert isinstance(told, cd.Explanation)
    assert max(len(cell.ids) for part in told.top(None, 2) for cell in part.cells) == 2
    assert not any(cell.ids for part in told.top(None, 0) for cell in part.cells)


@pytest.mark.usefixtures("far")
def test_pages_and_texts(tmp_path: Path) -> None:
    files = write(tmp_path, data(3, "r", "c"), "parquet")
    page = cd.page(files[0], {"one": files[1]})
    assert lookup(page)["ids"][0].startswith("r")
    assert cd.explain(*files).to_text(80).startswith("elm_f 0.")
    same = cd.explain(files[0], files[0]).to_text(80)
    assert "the same clustering" in same


@pytest.mark.usefixtures("far")
def test_only_the_worst_components_fit_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("clusterdiff.page.parts"), "OBJECTS", 40)
    files = write(tmp_path, data(3, "r", "c"), "parquet")
    far, near = (lookup(cd.page(*files, engine=engine)) for engine in (None, "arrays"))
    assert 0 < len(far["ids"]) <= 40
    assert sorted(far["ids"]) == sorted(near["ids"])
    for side in ("truth", "guess"):
        assert clusters(far, side) == clusters(near, side)


def lookup(page: cd.Page) -> Any:
    return objects_of(page.html)


def clusters(found: Any, side: str) -> dict[str, str]:
    return {
        one: found[f"{side}Names"][code]
        for one, code in zip(found["ids"], found[side], strict=True)
    }


@pytest.mark.usefixtures("far")
def test_numbers_that_are_not_whole_and_samples_are_for_memory(tmp_path: Path) -> None:
    truth, guess = data(4, "r", "")
    halves = {**truth, "cluster": [c + 0.5 for c in truth["cluster"]]}
    files = write(tmp_path, (halves, guess), "parquet")
    assert parts(cd.explain(*files)) == parts(cd.explain(*files, engine="arrays"))
    docs = [{**side, "doc": [int(i[1:]) % 3 for i in side["id"]]} for side in (truth, guess)]
    files = write(tmp_path, (docs[0], docs[1]), "parquet")
    told = [cd.explain(*files, samples="doc", engine=engine) for engine in (None, "arrays")]
    assert parts(told[0]) == parts(told[1])


@pytest.mark.usefixtures("far")
def test_there_is_no_sample_to_name(tmp_path: Path) -> None:
    told = cd.explain(*write(tmp_path, data(5, "r", "c"), "parquet"))
    with pytest.raises(UnknownObject, match="there are no samples"):
        told.object("r1", sample="x")


@pytest.mark.usefixtures("far")
def test_rows_in_conflict_have_to_fit(tmp_path: Path) -> None:
    files = write(tmp_path, data(6, "r", "c"), "parquet")
    little = mock.patch("clusterdiff.engines.sql.ROW", 10**12)
    with little, pytest.raises(MemoryNeeded, match="rows in conflict"):
        cd.explain(*files)


@pytest.mark.usefixtures("far")
def test_what_only_memory_can_do_is_done_there(tmp_path: Path) -> None:
    truth, guess = data(4, "r", "c")
    short = {name: values[:-5] for name, values in guess.items()}
    files = write(tmp_path, (truth, short), "parquet")
    with pytest.raises(AlignmentError, match="5 of 150 objects are only in truth"):
        cd.explain(*files)
    settled = cd.explain(*files, align="singletons")
    assert parts(settled) == parts(cd.explain(*files, align="singletons", engine="arrays"))
    files = write(tmp_path, (truth, guess), "parquet")
    noisy = [cd.explain(*files, noise="c3", engine=engine) for engine in (None, "arrays")]
    assert parts(noisy[0]) == parts(noisy[1])


@pytest.mark.usefixtures("far")
def test_the_folder_goes_with_the_explanation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = write(tmp_path, data(5, "r", "c"), "parquet")
    told = cd.explain(*files)
    assert list(tmp_path.glob("clusterdiff-*"))
    told.to_text(80)
    del told
    gc.collect()
    assert not list(tmp_path.glob("clusterdiff-*"))


@pytest.mark.slow
def test_frames_of_spark_are_explained_there(spark: Any) -> None:
    truth, guess = data(6, "r", "c")
    frames = [spark.createDataFrame(pa.table(side)) for side in (truth, guess)]
    told = cd.explain(*frames)
    near = cd.explain(pa.table(truth), pa.table(guess))
    assert isinstance(near, cd.Explanation)
    assert isinstance(told, cd.Explanation)
    assert isinstance(told.named, SqlNamedComparison)
    worst = told.top(1, 1)[0]
    assert (worst.kind, worst.objects) == (near.top(1)[0].kind, near.top(1)[0].objects)
    assert companions(told, worst.cells[0].ids[0]) == companions(near, worst.cells[0].ids[0])
    large = [{"id": range(90), "cluster": list(side)} for side in ("a" * 50 + "b" * 40, "xxy" * 30)]
    by_cluster = [
        [(c.truth, c.kind, c.pieces) for c in cd.explain(*sides).top()[0].by_cluster]
        for sides in (
            [pa.table(side) for side in large],
            [spark.createDataFrame(pa.table(side)) for side in large],
        )
    ]
    assert by_cluster[0] == by_cluster[1] != []
    del told
    gc.collect()
    assert [row.tableName for row in spark.sql("SHOW TABLES").collect()] == []
