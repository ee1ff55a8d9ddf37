"""What comes from outside is bounded, and the error names the limit and how to raise it."""

from __future__ import annotations

import gzip
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

FORMATS = {
    "x.labels": "a\n" * 2000,
    "x.clusters": "\n".join(f"p{i}" for i in range(1000)),
    "x.json": json.dumps({f"p{i}": 1 for i in range(1000)}),
    "x.conll": "#begin document (d)\n" + "d 0 x (0)\n" * 1000 + "#end document\n",
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_read_whole_has_a_limit(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / (name + ".gz" if packed else name)
    data = FORMATS[name].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    caught = refuses(None, cd.read, path, max_bytes="1kB")
    assert "and at most 1.0 kB are read into memory" in caught.message
    assert "--max-bytes 1GB" in caught.hint
    assert len(cd.read(path, max_bytes="20kB")) >= 1000
    ran = run("compare", str(path), str(path), "--max-bytes", "1kB")
    assert ran.code == 2
    assert "--max-bytes" in ran.stderr


def test_tables_are_counted_where_they_are_whatever_their_size(tmp_path: Path) -> None:
    rows = "id,cluster\n" + "".join(f"p{i},{i % 7}\n" for i in range(1000))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(rows.encode()))
    assert len(cd.read(tmp_path / "t.csv.gz", max_bytes=100)) == 1000


class Endless(io.RawIOBase):
    """Bytes without end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.taken = data, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        self.taken += size
        buffer[:] = (self.data * (size // len(self.data) + 1))[:size]
        return size


def stdin(monkeypatch: pytest.MonkeyPatch, raw: Any) -> None:
    class Input:
        buffer = io.BufferedReader(raw)

    monkeypatch.setattr(sys, "stdin", Input)


def test_standard_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Endless(b"a,1\n")
    stdin(monkeypatch, raw)
    refuses(r"standard input holds more than the 5.0 MB", cd.read, "-", max_bytes="5MB")
    assert raw.taken < 8_000_000


def test_a_file_that_unpacks_to_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "x.labels.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(6):
            out.write(b"a\n" * 1_000_000)
    start = time.process_time()
    refuses(r"holds 12.0 MB or more, and at most 5.0 MB", cd.read, path, max_bytes="5MB")
    assert time.process_time() - start < 0.1


def test_zeros_without_end_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Endless(b"\0")
    stdin(monkeypatch, raw)
    refuses("is not text", cd.read, "-")
    assert raw.taken < 4_000_000
    if Path("/dev/zero").exists():
        for engine in ("arrays", "duckdb"):
            refuses("/dev/zero is not text", cd.meet, "/dev/zero", "12|3", engine=engine)


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    refuses("standard input is closed", cd.read, "-")
    raw = io.BytesIO(b"a,1\n")
    raw.close()

    class Input:
        buffer = raw

    monkeypatch.setattr(sys, "stdin", Input)
    refuses("standard input could not be read", cd.read, "-")


@pytest.mark.parametrize("amount", ["much", "0", 0, -1, ""])
def test_limits_are_amounts(amount: Any, tmp_path: Path) -> None:
    (tmp_path / "x.labels").write_text("a\n")
    refuses("is not a number of bytes", cd.read, tmp_path / "x.labels", max_bytes=amount)


DEEP = "[" * 900 + "1" + "]" * 900
LONG = "9" * 5000
ODD = {
    "deep.json": DEEP,
    "in_object.json": f'{{"a": {DEEP}}}',
    "objects.json": '{"a":' * 900 + "1" + "}" * 900,
    "deeper.json": "[" * 100_000,
    "record.jsonl": f'{{"id": "a", "cluster": {DEEP}}}\n{{"id": "b", "cluster": 2}}\n',
    "mixed.json": '{"a": [], "b": {}}',
    "number.json": f'{{"a": {LONG}}}',
    "numbers.json": f"[{LONG}]",
    "number.jsonl": f'{{"id": "a", "cluster": {LONG}}}\n{{"id": "b", "cluster": 2}}\n',
    "later.jsonl": f'{{"id": "a", "cluster": 1}}\n{{"id": "b", "cluster": {LONG}}}\n',
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("kind", ["partition", "cover", "fuzzy"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_depth_and_digits_are_told_in_a_sentence(
    name: str, kind: str, engine: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(ODD[name])
    caught = refuses(None, cd.meet, path, path, kind=kind, engine=engine)
    assert len(str(caught)) < 700


@pytest.mark.parametrize("text", [f"{LONG}-{LONG}|1", "1-600000|600001-1200000"])
def test_objects_written_at_the_prompt_are_bounded(text: str) -> None:
    caught = refuses("or makes more than 1,000,000", cd.meet, text, text)
    assert len(str(caught)) < 300


def test_long_texts_at_the_prompt_are_cut(tmp_path: Path) -> None:
    caught = refuses(None, cd.read, "12345" * 1000 + "|")
    assert len(str(caught)) < 300


def test_a_first_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff.io.files.LINE", 100_000)
    for text, why in {"a," * 70_000: "100,000 bytes in its first line", "a" * 90_000: "x"}.items():
        (tmp_path / "x.csv").write_text(text)
        refuses(None, cd.read, tmp_path / "x.csv")
        assert why


def test_a_cell_that_is_too_long_for_a_header(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a" * 200_000 + ",cluster\np,1\n")
    for engine in ("arrays", "duckdb"):
        with pytest.raises(cd.ClusterdiffError, match="could not be read: field larger"):
            cd.meet(tmp_path / "x.csv", tmp_path / "x.csv", engine=engine)


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff.io.files.FILES", 2)
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text(f"id,cluster\n{i},1\n")
    for path in (tmp_path, tmp_path / "*.csv"):
        refuses("more than 2 files", cd.read, path)


def test_one_id_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    rows = ",".join(f'"p{i}": {{"a": 1}}' for i in range(100_000))
    (tmp_path / "x.json").write_text(f'{{{rows}, "p99999": {{"a": 1}}}}')
    start = time.process_time()
    refuses("names 'p99999' twice", cd.read, tmp_path / "x.json", kind="fuzzy")
    assert time.process_time() - start < 5
