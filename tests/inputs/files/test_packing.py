"""Files on the network: refused without leave, and without the extension; fetched where both are
there, which a file system in memory stands for here.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.engines.duckdb import DuckSession
from clusterdiff.io.files import inside_of, named_column
from refusals import refuses

HOME = "https://host.test"
TABLE = b"id,gold,run\n1,a,x\n2,a,x\n3,b,x\n"
FILES = {
    "/a.csv": TABLE,
    "/b.csv.gz": gzip.compress(TABLE),
    "/part-1.csv": b"id,cluster\n1,a\n2,a\n",
    "/part-2.csv": b"id,cluster\n3,b\n",
}
ALLOWED = cd.DuckDB(allow_network=True)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    held = {home + name: data for home in ("host.test", "bucket") for name, data in FILES.items()}

    class Served(fsspec.AbstractFileSystem):  # type: ignore[misc, name-defined]
        protocol = ("https", "s3")

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(path).rpartition("://")[2].lstrip("/")

        def info(self, path: str, **options: Any) -> dict[str, Any]:
            name = self._strip_protocol(path)
            if name not in held:
                raise FileNotFoundError(path)
            return {"name": name, "size": len(held[name]), "type": "file"}

        def _open(self, path: str, mode: str = "rb", **options: Any) -> io.BytesIO:
            return io.BytesIO(held[self._strip_protocol(path)])

        def modified(self, path: str) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

        def glob(self, path: str, **options: Any) -> list[str]:
            return [name for name in held if fnmatchcase(name, self._strip_protocol(path))]

    def loads(self: DuckSession, extension: str) -> bool:
        self._connection.register_filesystem(Served())
        return extension == "httpfs"

    monkeypatch.setattr(DuckSession, "loads", loads)


@pytest.mark.parametrize(
    "address", [f"{HOME}/a.csv", "s3://bucket/a.parquet", "http://[::1]/a.csv"]
)
def test_without_leave(address: str) -> None:
    caught = refuses("on the network", cd.read, address)
    assert "allow_network=True" in caught.hint
    caught = refuses("on the network", cd.compare, address, "12|3")
    assert "cd.DuckDB(allow_network=True)" in caught.hint
    for engine in ("duckdb", "arrays"):
        ran = run("compare", address, "12|3", "--engine", engine)
        assert ran.code == 2
        assert "--allow-network" in ran.stderr


def test_without_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckSession, "loads", lambda self, extension: False)
    caught = refuses("is read by httpfs", cd.compare, f"{HOME}/a.csv", "12|3", engine=ALLOWED)
    assert "INSTALL httpfs" in caught.hint
    ran = run("compare", f"{HOME}/a.csv", "12|3", "--allow-network")
    assert "INSTALL httpfs" in ran.stderr


def test_extensions_are_not_downloaded() -> None:
    with DuckSession(cd.DuckDB()) as session:
        found = session.row("SELECT current_setting('autoinstall_known_extensions') AS s")
        assert found == {"s": False}
        assert not session.loads("no_such_extension")


def test_signatures_and_passwords_are_not_shown() -> None:
    caught = refuses(None, cd.read, "https://ann:secret@host.test/a.csv?signature=abc")
    assert "secret" not in str(caught)
    assert "abc" not in str(caught)


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("home", [HOME, "s3://bucket"])
def test_fetched(home: str) -> None:
    wanted = cd.meet("12|3", "123|")
    truth, guess = f"{home}/a.csv::gold", f"{home}/a.csv::run"
    assert cd.meet(truth, guess, engine=ALLOWED) == wanted
    assert len(cd.read(f"{home}/b.csv.gz::gold", allow_network=True)) == 3
    for engine in ("duckdb", "arrays"):
        ran = run("compare", truth, guess, "--allow-network", "-m", "rand", "--engine", engine)
        assert "rand  0.3333" in ran.stdout, ran.stderr


@pytest.mark.usefixtures("served")
def test_patterns_and_limits() -> None:
    found = cd.read("s3://bucket/part-*.csv", allow_network=True)
    assert len(found) == 3
    with pytest.raises(cd.ClusterdiffError, match="at most 10 bytes are fetched"):
        cd.read(f"{HOME}/a.csv::gold", allow_network=True, max_bytes=10)
    refuses(None, cd.read, f"{HOME}/none.csv", allow_network=True)
    refuses("File not found", cd.read, "s3://bucket/none-*.csv", allow_network=True)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("http://[::1]/a.csv", ("http://[::1]/a.csv", None, None)),
        ("http://[::1]/a.csv::gold", ("http://[::1]/a.csv", None, "gold")),
        ("s3://b/a.csv::gold", ("s3://b/a.csv", None, "gold")),
        ("postgres://u@h/d::t", ("postgres://u@h/d", "t", None)),
        ("postgres://u@h/d::t::c", ("postgres://u@h/d", "t", "c")),
        ("postgres://u@h/d::SELECT a::int", ("postgres://u@h/d", "SELECT a::int", None)),
        ("a.xlsx::sheet::c", ("a.xlsx", "sheet", "c")),
        ("a.csv::c", ("a.csv", None, "c")),
    ],
)  # fmt: skip
def test_what_a_path_says(path: str, parts: tuple[str, str | None, str | None]) -> None:
    place, column = named_column(path)
    assert (*inside_of(place), column) == parts


# Compressed files of every text format are read as the plain ones, or refused where they were
# cut.


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
