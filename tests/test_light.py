"""The core without extras: no Numba, no pyarrow, no data frames; also run where these are there."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import columns
from clusterdiff.plugins import is_installed
from refusals import refuses

MANY = 60


def clusters(size: int) -> dict[str, str]:
    """Records in clusters of a size."""
    return {f"r{i}": f"c{i // size}" for i in range(MANY)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same two partitions in every format that needs no extra."""
    for name, size in (("truth", 3), ("guess", 4)):
        rows = "".join(f"{id},{label}\n" for id, label in clusters(size).items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    (tmp_path / "guess.tsv").write_text((tmp_path / "guess.csv").read_text().replace(",", "\t"))
    records = [{"id": id, "cluster": label} for id, label in clusters(4).items()]
    (tmp_path / "guess.json").write_text(json.dumps(records))
    with duckdb.connect(str(tmp_path / "guess.duckdb")) as connection:
        source = f"FROM '{tmp_path / 'guess.csv'}'"
        connection.execute(f"COPY ({source}) TO '{tmp_path / 'guess.parquet'}'")
        connection.execute(f"CREATE TABLE runs AS {source}")
    with sqlite3.connect(tmp_path / "guess.sqlite") as database:
        database.execute("CREATE TABLE runs (id TEXT, cluster TEXT)")
        database.executemany("INSERT INTO runs VALUES (?, ?)", clusters(4).items())
    database.close()
    return tmp_path


WANTED = cd.compare(clusters(3), clusters(4), ["elm_f", "adjusted_rand"])


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet", "duckdb", "sqlite"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_files(folder: Path, ending: str, engine: str) -> None:
    given = folder / "truth.csv", folder / f"guess.{ending}"
    found = cd.compare(*given, ["elm_f", "adjusted_rand"], engine=engine)
    assert found["elm_f"].value == WANTED["elm_f"].value
    assert found["adjusted_rand"].value == WANTED["adjusted_rand"].value


def test_labels_in_memory_are_those_of_their_numbers() -> None:
    rng = np.random.default_rng(0)
    truth, guess = rng.integers(0, 9, (2, 500))
    wanted = cd.adjusted_rand(truth, guess)
    texts = [[f"c{code}" for code in side] for side in (truth, guess)]
    assert cd.adjusted_rand(*texts) == wanted
    assert cd.adjusted_rand(*map(np.array, texts)) == wanted
    order = rng.permutation(500)
    ids = [f"r{i}" for i in range(500)]
    mixed = cd.Partition([texts[1][i] for i in order], ids=[ids[i] for i in order])
    assert cd.adjusted_rand(cd.Partition(texts[0], ids=ids), mixed) == wanted


def test_texts_have_codes_and_those_that_are_missing_have_none() -> None:
    values = np.array(["a", None, "b", "a", "nan", None], object)
    codes, words = columns.codes_of_objects(values)
    assert codes[0] == codes[3] != codes[2]
    assert codes.tolist().count(-1) == 2
    assert codes[1] == codes[5] == -1
    assert words == {"nan": codes[4]}


def test_texts_that_end_in_a_zero_character_differ_from_those_that_do_not() -> None:
    labels = ["a", "a\0", "a", "\0", "", "\0"]
    assert cd.adjusted_rand(labels, [1, 2, 1, 3, 4, 3]) == 1
    assert columns.column(labels).tolist() == labels


VERBS = {
    "compare": ["truth.csv", "guess.csv"],
    "covers": ["compare", "truth.csv", "guess.csv", "--kind", "cover"],
    "explain": ["truth.csv", "guess.csv"],
    "diff": ["truth.csv", "guess.csv", "guess.parquet"],
    "relabel": ["truth.csv", "guess.csv", "-o", "kept.parquet"],
    "track": ["truth.csv", "guess.csv"],
    "matrix": ["truth.csv", "guess.csv"],
    "consensus": ["truth.csv", "guess.csv", "guess.json", "-o", "consensus.csv"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs(folder: Path, verb: str) -> None:
    words = VERBS[verb] if verb == "covers" else [verb, *VERBS[verb]]
    command = [sys.executable, "-m", "clusterdiff", *words]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout or ran.stderr
    if verb == "relabel":
        kept = cd.read(folder / "kept.parquet")
        assert len(kept) == MANY
        assert cd.adjusted_rand(kept, clusters(4)) == 1


@pytest.mark.skipif(is_installed("pyarrow"), reason="Arrow is there")
@pytest.mark.parametrize("extra", ["arrow"])
def test_what_needs_an_extra_says_which(tmp_path: Path, extra: str) -> None:
    (tmp_path / "run.arrow").write_bytes(b"ARROW1\0\0" + bytes(100))
    refuses(rf"pip install 'clusterdiff\[{extra}\]'", cd.read, tmp_path / "run.arrow")
