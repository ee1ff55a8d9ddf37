"""Text in other encodings is read where that is beyond doubt, or said, and noted."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

TEXTS = {
    "t.csv": "id,cluster\nKöln,ä\nBonn,ä\nUlm,b\n",
    "t.jsonl": '{"id": "Köln", "cluster": "ä"}\n{"id": "Bonn", "cluster": "ä"}\n'
    '{"id": "Ulm", "cluster": "b"}\n',
    "t.json": '{"Köln": "ä", "Bonn": "ä", "Ulm": "b"}',
    "t.clusters": "Köln Bonn\nUlm\n",
    "t.txt": "id,cluster\nKöln,ä\nBonn,ä\nUlm,b\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_mark_at_the_start_says_it(name: str, encoding: str, engine: str, tmp_path: Path) -> None:
    plain, other = tmp_path / name, tmp_path / f"other-{name}"
    plain.write_text(TEXTS[name], encoding="utf-8")
    other.write_bytes(TEXTS[name].encode(encoding))
    report = cd.compare(plain, other, ["rand"], engine=engine)
    assert report["rand"].value == 1
    said = f"read as {encoding.upper()}"
    assert (said in str(report)) == (encoding != "utf-8-sig")


def test_marks_of_both_orders_and_packed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        path.write_bytes(gzip.compress(mark + TEXTS["t.csv"].encode(encoding)))
        found = cd.read(path)
        assert found.notes == ("read as UTF-16",)
        assert found.labels.tolist() == ["ä", "ä", "b"]


def test_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXTS["t.csv"], encoding="utf-8")
    data = TEXTS["t.csv"].encode("utf-16")
    ran = run("compare", "-", str(tmp_path / "t.csv"), "-m", "rand", stdin=data)
    assert "truth: read as UTF-16" in ran.stdout
    assert "rand  1.0000" in ran.stdout


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS["t.csv"].encode("utf-16")[:-1])
    refuses("is not text in UTF-16", cd.read, path)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "utf-16-le"])
def test_an_encoding_that_is_said(encoding: str, tmp_path: Path) -> None:
    plain, other = tmp_path / "t.csv", tmp_path / "other.csv"
    plain.write_text(TEXTS["t.csv"], encoding="utf-8")
    other.write_bytes(TEXTS["t.csv"].encode(encoding))
    found = cd.read(other, encoding=encoding)
    assert found.notes == (f"read as {encoding}",)
    assert cd.rand(cd.read(plain, encoding=encoding), found) == 1
    ran = run("compare", str(plain), str(other), "--encoding", encoding, "-m", "rand")
    assert "rand  1.0000" in ran.stdout
    assert f"other.csv: read as {encoding}" in ran.stdout
    assert "truth: read as" not in ran.stdout


def test_windows_is_told_from_latin(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,cluster\n1,“a”\n2,b\n".encode("windows-1252"))
    caught = refuses("encoded in Windows-1252, not UTF-8", cd.read, path)
    assert "encoding='windows-1252'" in caught.hint
    ran = run("compare", str(path), str(path))
    assert "--encoding windows-1252" in " ".join(ran.stderr.split())


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "hex"])
def test_an_encoding_that_there_is_not(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,cluster\n1,a\n")
    refuses("unknown encoding", cd.read, path, encoding=encoding)


def test_binary_formats_have_no_encoding(tmp_path: Path) -> None:
    import polars as pl

    pl.DataFrame({"id": [1, 2], "cluster": ["ä", "b"]}).write_parquet(tmp_path / "t.parquet")
    assert cd.read(tmp_path / "t.parquet", encoding="latin-1").labels.tolist() == ["ä", "b"]
