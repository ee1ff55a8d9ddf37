"""Arrays of NumPy: labels and matrices in .npy, several arrays by name in .npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.read import expanded
from refusals import refuses

LABELS, RUN = np.array([0, 0, 1, 1]), np.array(["x", "x", "x", "y"])
WANTED = cd.meet(LABELS, RUN)
DEGREES = np.array([[1, 0], [0.5, 0.5], [0, 1], [0, 1]])
SETS = np.array([[1, 0], [1, 1], [0, 1], [0, 1]])


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    np.save("labels.npy", LABELS)
    np.save("run.npy", RUN)
    np.savez("both.npz", gold=LABELS, run=RUN, ids=np.array([4, 3, 2, 1]))
    np.savez_compressed("one.npz", LABELS)
    return folder


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize(
    ("truth", "guess"),
    [
        ("labels.npy", "run.npy"),
        ("one.npz", "run.npy"),
        ("both.npz::gold", "both.npz::run"),
        ("one.npz::arr_0", "both.npz::run"),
    ],
)
def test_labels_are_in_the_order_of_the_objects(truth: str, guess: str, engine: str) -> None:
    assert cd.meet(truth, guess, engine=engine) == WANTED


def test_by_first_bytes_and_from_a_pipe(folder: Path) -> None:
    (folder / "labels.dat").write_bytes((folder / "labels.npy").read_bytes())
    assert cd.meet("labels.dat", "run.npy") == WANTED
    ran = run("compare", "-", "run.npy", "-m", "rand", stdin=(folder / "labels.npy").read_bytes())
    assert "rand  0.5000" in ran.stdout


def test_other_arrays_hold_the_ids() -> None:
    found = cd.read("both.npz::run", id="ids")
    assert found.ids is not None
    assert found.ids.tolist() == [4, 3, 2, 1]
    both = cd.read("both.npz::run", id=["ids", "gold"])
    assert both.ids is not None
    assert both.ids.tolist() == ["4/0", "3/0", "2/1", "1/1"]
    assert len(cd.read("both.npz::gold", id="ids", sample="run").samples or ()) == 4


def test_matrices_need_a_kind() -> None:
    np.save("degrees.npy", DEGREES)
    np.save("sets.npy", SETS)
    assert cd.meet("degrees.npy", "degrees.npy", kind="fuzzy") == cd.meet(
        DEGREES, DEGREES, kind="fuzzy"
    )
    assert cd.read("degrees.npy", kind="possibilistic").kind == "possibilistic"
    assert cd.meet("sets.npy", "sets.npy", kind="cover") == cd.meet(SETS, SETS, kind="cover")
    for kind in ("partition", "rough", "evidential"):
        caught = refuses("a matrix of 4 × 2", cd.read, "degrees.npy", kind=kind)
        assert 'kind="fuzzy"' in caught.hint
    refuses("neither 0 nor 1", cd.read, "degrees.npy", kind="cover")


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("both.npz", {}, "holds 3 arrays: gold, run, ids"),
    ("both.npz::rnu", {}, "no array 'rnu'; it has gold, run, ids"),
    ("labels.npy::gold", {}, "has no columns, so there is no ::gold"),
    ("labels.npy", {"id": "ids"}, "has no columns, so --id ids"),
    ("both.npz::run", {"id": "idz"}, "has no column 'idz'"),
]


@pytest.mark.parametrize(("path", "options", "text"), REFUSED)
def test_what_is_not_there_is_refused(path: str, options: dict[str, Any], text: str) -> None:
    refuses(text, cd.read, path, **options)


def test_objects_are_not_unpickled() -> None:
    np.save("objects.npy", np.array([{}, "a"], dtype=object), allow_pickle=True)
    refuses("Python objects", cd.read, "objects.npy")
    np.savez("objects.npz", np.array([{}, "a"], dtype=object))
    refuses("Python objects", cd.read, "objects.npz")


def test_other_dimensions_and_lengths_are_refused() -> None:
    np.save("cube.npy", np.zeros((2, 2, 2)))
    refuses("3 dimensions", cd.read, "cube.npy")
    np.savez("long.npz", gold=LABELS, ids=np.arange(5))
    refuses("4 labels and 5 ids", cd.read, "long.npz::gold", id="ids")
    np.save("none.npy", np.zeros(0, int))
    refuses("no rows|empty|no objects", cd.read, "none.npy")


def test_large_arrays_of_an_archive_are_bounded() -> None:
    refuses("at most 10 bytes", cd.read, "one.npz", max_bytes=10)


@pytest.mark.parametrize("name", ["labels.npy", "both.npz"])
def test_files_that_were_cut_or_damaged_get_one_paragraph(name: str, folder: Path) -> None:
    data = (folder / name).read_bytes()
    for end in {*range(0, len(data), 17), len(data) - 1}:
        (folder / name).write_bytes(data[:end])
        caught = refuses(None, cd.read, name if name == "labels.npy" else f"{name}::gold")
        assert caught.hint
    header = data[: len(data) // 2] + b"\xff" * 40
    (folder / name).write_bytes(header)
    refuses(None, cd.read, name)


def test_patterns_name_arrays() -> None:
    assert expanded("both.npz::r*") == ["both.npz::run"]
