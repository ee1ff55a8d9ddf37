"""Tables of several files, whose types may differ, on every engine and in every order."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cli.runner import run
from inputs.test_silent_readings import pair_f
from refusals import refuses

ENGINES = ("duckdb", "arrays")
PARTS = {
    "BIGINT": pa.array([27400, 27401, 1]),
    "INTEGER": pa.array([27400, 0, 1], pa.int32()),
    "UBIGINT": pa.array([27400, 27401, 27401], pa.uint64()),
    "DOUBLE": pa.array([27400.0, 27400.2, 1.0]),
    "FLOAT": pa.array([0.5, 1.0, 27400.0], pa.float32()),
    "VARCHAR": pa.array(["0027400", "27400", "1"]),
    "BOOLEAN": pa.array([True, False, True]),
    "NULL": pa.nulls(3),
    "large": pa.array([2**53, 2**53 + 1, 1]),
}
EMPTY = pa.array([], pa.string())
NUMBERS = {"BIGINT", "INTEGER", "UBIGINT", "DOUBLE", "FLOAT", "large"}
TRUE = [0, 0, 1, 0, 1, 1]
TRUTH = dict(enumerate(TRUE))


def keeps(first: Any, second: Any) -> Any:
    """Whether there is a type that holds the values of both, by what is known of IEEE 754."""
    if first == second or "NULL" in (first, second):
        return True
    if {first, second} & {"DOUBLE", "FLOAT"} and "large" in (first, second):
        return False
    return {first, second} <= NUMBERS


def write(folder: Any, *columns: Any, ids: Any = None) -> Any:
    folder.mkdir()
    start = 0
    for at, values in enumerate(columns):
        own = pa.array(range(start, start + len(values))) if ids is None else ids[at]
        pq.write_table(pa.table({"id": own, "cluster": values}), folder / f"part-{at}.parquet")
        start += len(values)
    return str(folder)


@pytest.mark.parametrize("engine", ENGINES)
def test_types_of_parts(tmp_path: Path, engine: Any) -> None:
    """Labels of two types are kept apart as Python keeps them apart, or they are refused."""
    for first, second in permutations(PARTS, 2):
        path = write(tmp_path / f"{first}-{second}", PARTS[first], EMPTY, PARTS[second])
        if keeps(first, second):
            found = cd.compare(TRUTH, path, ["pair_f"], noise=[None], engine=engine)
            labels = PARTS[first].to_pylist() + PARTS[second].to_pylist()
            assert found["pair_f"].value == pytest.approx(pair_f(TRUE, labels)), (first, second)
        else:
            error = refuses(None, cd.compare, TRUTH, path, ["pair_f"], noise=[None], engine=engine)
            assert "the column 'cluster'" in str(error), (first, second)
            assert "part-0.parquet" in str(error)
            assert "part-2.parquet" in str(error)


def test_suggested_table_keeps_all_values(folder: Path) -> None:
    """What is suggested writes a new file, in which every label is the text of what it was."""
    numbers = pa.array([27400, None, 2**53 + 1])
    path = write(folder / "its parts", PARTS["VARCHAR"], numbers)
    before = {file: file.read_bytes() for file in (folder / "its parts").iterdir()}
    for given in (path, f"{path}/part-*.parquet"):
        error = refuses(None, cd.compare, TRUTH, given, ["pair_f"], noise=[None])
        exec("\n".join(line.strip() for line in error.hint.splitlines()[1:]), {})
        found = pq.read_table("table.parquet").sort_by("id").column("cluster").to_pylist()
        assert found == ["0027400", "27400", "1", "27400", None, str(2**53 + 1)]
        score = cd.compare(TRUTH, "table.parquet", ["pair_f"], noise=[None])["pair_f"].value
        assert score == pytest.approx(pair_f(TRUE, found))
    assert all(file.read_bytes() == known for file, known in before.items())


@pytest.mark.parametrize("engine", ENGINES)
def test_types_of_ids(tmp_path: Path, engine: Any) -> None:
    """An id of another part is not rounded to one that the truth has."""
    ids = pa.array([0, 1, 2]), pa.array([3.3, 4.0, 5.0])
    labels = pa.array([0, 0, 1])
    path = write(tmp_path / "ids", labels, labels, ids=ids)
    refuses(r"3\.3", cd.compare, TRUTH, path, ["pair_f"], engine=engine)
    pattern = f"{path}/part-*.parquet"
    found = cd.compare(TRUTH, pattern, ["pair_f"], align="shared", engine=engine)
    assert found["pair_f"].value < 1


def test_part_without_a_column(tmp_path: Path) -> None:
    """A file that lacks a column that is needed is named."""
    path = write(tmp_path / "lacking", pa.array([0, 0, 1]))
    pq.write_table(pa.table({"id": [3, 4, 5], "other": [1, 1, 1]}), f"{path}/part-1.parquet")
    refuses(r"part-1\.parquet", cd.compare, TRUTH, path, ["pair_f"])


def test_pairs_in_parts(tmp_path: Path) -> None:
    """Ids of pairs are not cast to the type of the first file."""
    for at, right in enumerate([pa.array([1, 3]), pa.array(["01", "3"])]):
        table = pa.table({"left": pa.array([0, 2]), "right": right})
        pq.write_table(table, tmp_path / f"{at}.parquet")
    refuses("the column 'right'", cd.Partition.from_pairs, str(tmp_path))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", [1.0, 0.0, -0.0, -2.5, 1e300])
def test_nan_beside_one_value(tmp_path: Path, engine: Any, value: Any) -> None:
    """NaN is a missing label, whatever the statistics of a file say of its values."""
    labels = pa.array([value, value, np.nan, value, value, value])
    truth = write(tmp_path / "truth", pa.array(TRUE))
    path = write(tmp_path / "nan", labels)
    refuses("null", cd.compare, truth, path, ["pair_f"], engine=engine)
    found = cd.compare(truth, path, ["pair_f"], noise=[None], engine=engine)
    assert found["pair_f"].value == pytest.approx(pair_f(TRUE, [1, 1, None, 1, 1, 1]))


@pytest.mark.parametrize("engine", ENGINES)
def test_zeros_as_ids(tmp_path: Path, engine: Any) -> None:
    """-0.0 and 0.0 are one id."""
    labels = pa.array([0, 0, 1, 0, 1, 1])
    ids = [pa.array([-0.0, 1, 2, 3, 4, 5])]
    truth = write(tmp_path / "truth", pa.array(TRUE))
    path = write(tmp_path / "zero", labels, ids=ids)
    other = write(tmp_path / "other", labels, ids=[pa.array([0.0, 1, 2, 3, 4, 5])])
    assert cd.compare(truth, path, ["pair_f"], engine=engine)["pair_f"].value == 1
    assert cd.compare(other, path, ["pair_f"], engine=engine)["pair_f"].value == 1


VERBS: dict[str, Callable[[str, str], float]] = {
    "explain": lambda one, two: float(cd.explain(one, two).score),
    "diff": lambda one, two: cd.diff(one, two, two).report["elm_f"]["old"].value,
    "matrix": lambda one, two: cd.matrix({"one": one, "two": two}, "elm_f").values[0, 1],
    "consensus": lambda one, two: 1 - cd.consensus({"one": one, "two": two}).cost,
    "relabel": lambda one, two: cd.relabel(one, two).share,
    "sweep": lambda one, two: cd.sweep(one, ([-0.0, 2], [1.0, 3], [0.9, 0.9])).best().value,
    "chance": lambda one, two: cd.chance(one, two, "elm_f").score,
}


@pytest.mark.parametrize("verb", VERBS)
def test_zeros_as_ids_in_every_verb(verb: str, tmp_path: Path) -> None:
    labels = pa.array([0, 0, 1, 1])
    one, two = (
        write(tmp_path / name, labels, ids=[pa.array([zero, 1, 2, 3])])
        for name, zero in (("one", 0.0), ("two", -0.0))
    )
    assert VERBS[verb](one, two) == VERBS[verb](two, one) == 1


@pytest.mark.parametrize("noise", [0, 1, 2, "0", [0, 1, 2, 3]])
def test_made_names_are_not_noise(noise: Any) -> None:
    """Clusters that have no label of a user are compared as they are, whatever noise is."""
    truth = {i: f"t{i // 2}" for i in range(6)}
    sets = [{0, 1}, {2, 3}, {4, 5}]
    made = [
        sets,
        cd.Cover.from_clusters(sets),
        cd.Partition.from_pairs([(0, 1), (2, 3), (4, 5)]),
        cd.consensus([[0, 0, 1, 1, 2, 2]] * 2).clustering,
        "0,1|2,3|4,5",
    ]
    for guess in made:
        side = list(truth.values()) if getattr(guess, "ids", 0) is None else truth
        found = cd.compare(side, guess, ["elm_f"], noise=noise)
        assert found["elm_f"].value == 1, guess


def test_noise_in_sweeps() -> None:
    """The curve, the best line and the report of a threshold have one score."""
    from scipy.cluster.hierarchy import linkage

    tree = linkage(np.array([[0.0], [0.1], [0.2], [5], [5.1], [5.2], [20]]), "average")
    found = cd.sweep([1, 1, 1, 2, 2, 2, 0], tree, "elm_f", noise=0)
    assert found.best("elm_f").value == found.at(1.0)["elm_f"].value == 1


def test_noise_beside_pairs_at_the_prompt(folder: Path) -> None:
    """One object is noise, whatever the clusters of the pairs are called."""
    labels = enumerate([1, 1, 1, 2, 2, 2, 0])
    Path("truth.csv").write_text("id,cluster\n" + "".join(f"{i},{c}\n" for i, c in labels))
    Path("pairs.csv").write_text("left,right,score\n0,1,0.9\n1,2,0.9\n3,4,0.9\n4,5,0.9\n")
    how = ("truth.csv", "pairs.csv", "--noise", "0", "--align", "singletons", "-m", "elm_f")
    linked = run("compare", *how, "--as", "pairs", "--threshold", "0.5", "--fail-under", "elm_f=1")
    for ran in (linked, run("sweep", *how)):
        assert ran.code == 0, ran.stderr
        assert "1 noise object" in ran.stdout
        assert "elm_f  1.0000" in ran.stdout
