"""Compressed files of every text format are read as the plain ones, or refused where they were
cut.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses


def zstd(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return bytes(out.getvalue().to_pybytes())


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".zst": zstd, ".bz2": bz2.compress, ".xz": lzma.compress,
}  # fmt: skip
TEXTS = {
    "t.csv": "id,cluster\np,a\nq,a\nr,b\n",
    "t.tsv": "id\tcluster\np\ta\nq\ta\nr\tb\n",
    "t.jsonl": '{"id": "p", "cluster": "a"}\n{"id": "q", "cluster": "a"}\n'
    '{"id": "r", "cluster": "b"}\n',
    "t.json": '{"p": "a", "q": "a", "r": "b"}',
    "t.clusters": "p q\nr\n",
}
WANTED = cd.meet("12|3", "12|3")


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_packed_texts(name: str, ending: str, engine: str, tmp_path: Path) -> None:
    packed, plain = tmp_path / f"{name}{ending}", tmp_path / name
    plain.write_text(TEXTS[name])
    packed.write_bytes(PACK[ending](TEXTS[name].encode()))
    assert cd.meet(packed, plain, engine=engine) == WANTED


@pytest.mark.parametrize("ending", PACK)
def test_labels_and_pipes(ending: str, tmp_path: Path) -> None:
    packed = tmp_path / f"t.labels{ending}"
    packed.write_bytes(PACK[ending](b"a\na\nb\n"))
    assert cd.meet(packed, ["a", "a", "b"]) == WANTED
    data = PACK[ending](TEXTS["t.csv"].encode())
    (tmp_path / "t.csv").write_text(TEXTS["t.csv"])
    ran = run("compare", "-", str(tmp_path / "t.csv"), "-m", "rand", stdin=data)
    assert "rand  1.0000" in ran.stdout, ran.stderr


@pytest.mark.parametrize("ending", [".zst", ".bz2", ".xz"])
def test_several_packed_files_are_one_table(ending: str, tmp_path: Path) -> None:
    for i, rows in enumerate(("p,a\nq,a\n", "r,b\n")):
        data = PACK[ending](f"id,cluster\n{rows}".encode())
        (tmp_path / f"part-{i}.csv{ending}").write_bytes(data)
    found = cd.read(str(tmp_path / f"part-*.csv{ending}"))
    assert len(found) == 3


@pytest.mark.parametrize("ending", [".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_packed_table_that_was_cut_is_refused(ending: str, engine: str, tmp_path: Path) -> None:
    rows = "".join(f"{i},{i % 7}\n" for i in range(2000))
    data = PACK[ending](f"id,cluster\n{rows}".encode())
    path = tmp_path / f"t.csv{ending}"
    for end in {len(data) // 3, len(data) // 2, len(data) - 1, 20}:
        path.write_bytes(data[:end])
        caught = refuses(None, cd.meet, path, path, engine=engine)
        assert caught.hint


@pytest.mark.parametrize("ending", [".zst", ".bz2", ".xz"])
def test_a_packed_table_that_is_damaged_is_refused(ending: str, tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * i % 77}\n" for i in range(2000))
    data = bytearray(PACK[ending](f"id,cluster\n{rows}".encode()))
    data[len(data) // 2] ^= 255
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(bytes(data))
    refuses(None, cd.read, path)


def test_streams_one_after_the_other_are_read_to_the_end(tmp_path: Path) -> None:
    for ending in (".zst", ".bz2", ".xz"):
        path = tmp_path / f"t.csv{ending}"
        path.write_bytes(PACK[ending](b"id,cluster\np,a\nq,a\n") + PACK[ending](b"r,b\n"))
        assert len(cd.read(path)) == 3


@pytest.mark.parametrize("ending", PACK)
def test_binary_formats_within_a_packed_file(ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1, 2, 3], "cluster": [1, 1, 2]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    np.save(tmp_path / "t.npy", [1, 1, 2])
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as database:
        database.execute("CREATE TABLE runs AS SELECT 1 AS id, 2 AS cluster")
        database.commit()
    for name, objects in (("t.parquet", 3), ("t.arrow", 3), ("t.npy", 3), ("t.sqlite", 1)):
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(PACK[ending]((tmp_path / name).read_bytes()))
        assert len(cd.read(path)) == objects
