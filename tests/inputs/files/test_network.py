"""Files on the network: refused without leave, and without the extension; fetched where both are
there, which a file system in memory stands for here.
"""

from __future__ import annotations

import gzip
import io
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

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
