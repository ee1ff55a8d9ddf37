"""Sequences that are cut: columns that say where a cluster begins, read as clusters."""

from __future__ import annotations

import random
import warnings
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import InputError

TABLE = """\
stream,page,starts,model,document,parts
s1,1,1,1,1,1
s1,2,0,0,1,1
s1,3,0,1,1,2
s1,4,1,1,2,3
s2,1,0,1,1,1
s2,2,1,0,2,1
s2,3,1,1,3,2
"""
NAMED = ["--samples", "stream", "--id", "page", "-m", "elm_f", "-m", "panoptic_quality"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(TABLE)
    rows = [line.split(",") for line in TABLE.splitlines()]
    words = {"0": "false", "1": "True"}
    for name, at in (("truth", 2), ("guess", 3)):
        taken = [[*row[:2], "column" if i == 0 else row[at]] for i, row in enumerate(rows)]
        Path(f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in taken))
    said = [[*row[:2], words.get(row[3], "column")] for row in rows]
    Path("words.csv").write_text("".join(",".join(row) + "\n" for row in said))
    return tmp_path


@pytest.mark.parametrize(
    "flags",
    [
        [1, 0, 0, 1, 0], [True, False, False, True, False], ["1", "0", "0", "1", "0"],
        [1.0, 0.0, 0.0, 1.0, 0.0], ["true", "False", "FALSE", "TRUE", "false"], [0, 0, 0, 1, 0],
        np.array([1, 0, 0, 1, 0]), np.array([True, False, False, True, False]),
    ],
)  # fmt: skip
def test_a_flag_begins_a_cluster_and_so_does_the_first_object(flags: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cd.Partition.from_begins(flags)
    assert found.labels.tolist() == [1, 1, 1, 2, 2]


def test_samples_are_sequences_of_their_own_whatever_lies_between() -> None:
    rng = random.Random(3)
    for _ in range(40):
        names = [rng.choice("abc") for _ in range(rng.randint(1, 30))]
        flags = [rng.randint(0, 1) for _ in names]
        found = cd.Partition.from_begins(flags, samples=names).labels.tolist()
        for name in set(names):
            at = [i for i, one in enumerate(names) if one == name]
            wanted = list(accumulate([1, *(flags[i] for i in at[1:])]))
            assert [found[i] for i in at] == wanted


def test_no_objects_have_no_clusters() -> None:
    assert len(cd.Partition.from_begins([])) == 0


@pytest.mark.parametrize(
    ("flags", "ids", "said"),
    [
        ([1, 2], None, "object 2 has 2 where 0 or 1 says"),
        ([1, None], None, "object 2 has None where 0 or 1"),
        ([1, float("nan")], None, "object 2 has None where 0 or 1"),
        (["x", "1"], None, "object 1 has 'x' where"),
        ([1, 0.5], None, "object 2 has 0.5 where"),
        ([1, 0, 1], [1, 3, 2], "object 2 comes after 3"),
        ([1, 0, 1], [1, 1, 2], "object 1 comes after 1"),
        ([1, 0], [1], "2 labels but 1 id"),
    ],
)
def test_what_is_no_sequence_is_refused(flags: Any, ids: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cd.Partition.from_begins(flags, ids)


def test_ids_that_are_no_numbers_have_the_order_of_the_rows() -> None:
    found = cd.Partition.from_begins([1, 0, 1], ["c", "a", "b"])
    assert [found.id_of(i) for i in range(3)] == ["c", "a", "b"]
    assert found.labels.tolist() == [1, 1, 2]


def test_a_file_is_read_as_it_says(folder: Path) -> None:
    found = cd.read("s.csv", begins="starts", id="page", sample="stream")
    assert isinstance(found, cd.Partition)
    assert found.labels.tolist() == [1, 1, 1, 2, 1, 2, 3]
    assert found.notes == ("clusters begin where starts is 1, in the order of the rows",)
    assert cd.read("s.csv", begins="starts", id="").labels.tolist() == [1, 1, 1, 2, 2, 3, 4]
    with pytest.raises(cd.ClusterdiffError, match="both say which clusters"):
        cd.read("s.csv", begins="starts", cluster="document")
    with pytest.raises(cd.ClusterdiffError, match="in more than one cluster"):
        cd.read("s.csv", begins="starts", id="page")
    with pytest.raises(cd.ClusterdiffError, match="partition begin"):
        cd.read("s.csv", begins="starts", id="page", sample="stream", kind="cover")


def test_equal_rows_of_one_id_are_no_sequence(folder: Path) -> None:
    Path("twice.csv").write_text("id,starts\na,1\nb,0\nb,0\n")
    with pytest.raises(InputError, match="1 ids occur again"):
        cd.read("twice.csv", begins="starts")


def test_a_frame_is_read_as_it_says(folder: Path) -> None:
    polars = pytest.importorskip("polars")
    found = cd.read(polars.read_csv("s.csv"), begins="model", id="page", sample="stream")
    assert found.labels.tolist() == [1, 1, 2, 3, 1, 1, 2]


BOTH = ["--begins", "starts", "--begins", "model"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["s.csv::starts", "s.csv::model", *BOTH],
        ["s.csv::document", "s.csv::model", "--begins", "model"],
        ["truth.csv", "guess.csv", "--begins", "column"],
        ["s.csv::document", "words.csv", "--begins", "other", "--begins", "column"],
        ["s.csv::starts", "s.csv::model", *BOTH, "--engine", "arrays"],
    ],
)
def test_the_command_reads_the_columns_that_are_named(folder: Path, arguments: list[str]) -> None:
    found = run("compare", *arguments, *NAMED)
    assert not found.code, found.stderr
    assert "clusters begin where" in found.stdout
    wanted = run("compare", "s.csv::document", "s.csv::parts", *NAMED).stdout
    assert found.stdout.partition("  elm_f")[2] == wanted.partition("  elm_f")[2] != ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["truth.csv", "guess.csv", "--begins", "other"], "no column 'other'"),
        (["s.csv::document", "s.csv::parts", "--begins", "document"], "where 0 or 1 says"),
        (["truth.csv", "guess.csv", "--begins", "column", "--engine", "spark"], "rows in their"),
    ],
)
def test_the_command_guesses_nothing(folder: Path, arguments: list[str], said: str) -> None:
    found = run("compare", *arguments, *NAMED)
    assert found.code == 2
    assert said in " ".join(found.stderr.split())
