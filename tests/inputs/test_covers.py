"""Files of covers: every format gives the same cover; wrong ones one clear paragraph."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

import clusterdiff as cd
from refusals import refuses

TRUTH = {"d1": ["jazz"], "d2": ["jazz", "funk"], "d3": ["funk"], "d4": []}
GUESS = cd.Cover({"d1": [1], "d2": [1], "d3": [1, 2], "d4": [2]})
WANTED = cd.meet(cd.Cover(TRUTH), GUESS)
ROWS = [("d1", "jazz"), ("d2", "jazz"), ("d2", "funk"), ("d3", "funk"), ("d4", None)]
LINES = [f"{i},{c or ''}" for i, c in ROWS]

FILES = {
    "a.csv": "\n".join(["id,cluster", *LINES]) + "\n",
    "topics.csv": "\n".join(["id,topic", *LINES]) + "\n",
    "shuffled.csv": "\n".join(["id,cluster", *reversed(LINES)]) + "\n",
    "a.tsv": "\n".join(["id,cluster", *LINES]).replace(",", "\t") + "\n",
    "lists.json": json.dumps(TRUTH),
    "records.json": json.dumps([{"id": i, "cluster": c} for i, c in ROWS]),
    "records_of_lists.json": json.dumps([{"id": i, "cluster": c} for i, c in TRUTH.items()]),
    "a.jsonl": "\n".join(json.dumps({"id": i, "cluster": c}) for i, c in TRUTH.items()),
}


@pytest.mark.parametrize("name", list(FILES))
@pytest.mark.parametrize("packed", [False, True])
def test_every_format_gives_the_same_cover(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    data = FILES[name].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    made = cd.read(path, kind="cover")
    assert isinstance(made, cd.Cover)
    assert cd.meet(made, GUESS) == WANTED
    assert cd.meet(path, GUESS, kind="cover") == WANTED
    assert cd.cice_f(path, GUESS) == cd.cice_f.of(WANTED)


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame(ROWS, schema=["id", "cluster"], orient="row").write_parquet(path)
    assert cd.meet(path, GUESS, kind="cover") == WANTED


def test_clusters_one_per_line_and_labels_of_the_nth_object(tmp_path: Path) -> None:
    clusters, labels = tmp_path / "a.clusters", tmp_path / "a.labels"
    clusters.write_text("# two topics\nd1 d2\nd2 d3\n")
    labels.write_text("jazz\njazz funk\nfunk\n\n")
    some = cd.read(clusters, kind="cover")
    three = cd.Cover({i: TRUTH[i] for i in ("d1", "d2", "d3")})
    assert cd.meet(some, GUESS, align="shared") == cd.meet(three, GUESS, align="shared")
    made = cd.read(labels, kind="cover")
    assert cd.meet(made, cd.Cover([[1], [1], [1, 2], [2]])) == WANTED


def test_tables_without_ids_have_an_object_per_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("cluster\na\na\nb\n")
    made = cd.read(path, kind="cover", id="")
    assert cd.meet(made, cd.Cover([[1], [1], [2]])).objects == 3


def test_documents_of_coreference_are_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("#begin document (x); part 000\nx 0 0 a (1|(2)\nx 0 1 b 1)\n#end document\n")
    made = cd.read(path, kind="cover")
    assert made.samples is not None
    assert len(made) == 2


BAD = {
    "null_besides.csv": ("id,cluster\nx,a\nx,\n", r"1 objects .* null besides \(objects 'x'\)"),
    "degrees.json": ('{"x": {"a": 0.5}}', "object where a label should be"),
    "empty.csv": ("id,cluster\n", "no rows"),
    "nothing.json": ("{}", "no rows"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_files_get_one_paragraph(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(BAD[name][0])
    caught = refuses(BAD[name][1], cd.compare, path, GUESS, kind="cover")
    assert caught.hint


def test_a_file_of_a_cover_read_as_a_partition_says_how(tmp_path: Path) -> None:
    for name in ("a.csv", "lists.json"):
        path = tmp_path / name
        path.write_text(FILES[name])
        caught = refuses(None, cd.read, path)
        assert 'kind="cover"' in caught.hint
