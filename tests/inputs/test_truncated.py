"""A file that was cut anywhere is refused, or is what is left of whole lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import pytest

import clusterdiff as cd

LISTS = {
    "a.json": '[{"id":1,"label":5},\n{"id":2,"label":5,"t":[]}, {"id":3,"label":6}]',
    "mapping.json": '{"p":1,"q":1,"r":2}',
}
LINES = '{"id":1,"label":5}\n{"id":2,"label":51}\n{"id":3,"label":6}\n'


def meets(path: Path) -> list[object]:
    """What each engine makes of a file: a meet, or None where it refuses."""
    found: list[object] = []
    for engine in ("arrays", "duckdb"):
        try:
            found.append(cd.meet(path, path, engine=engine))
        except cd.ClusterdiffError:
            found.append(None)
    return found


@pytest.mark.parametrize("name", LISTS)
def test_a_document_that_was_cut_is_refused(name: str, tmp_path: Path) -> None:
    path, text = tmp_path / name, LISTS[name]
    path.write_text(text + " \n" * 70_000)
    assert meets(path) == [cd.meet("12|3", "12|3")] * 2
    for end in range(len(text)):
        path.write_text(text[:end])
        assert meets(path) == [None, None], text[:end]


def test_a_packed_list_that_was_cut_after_a_comma_is_refused(tmp_path: Path) -> None:
    path, text = tmp_path / "a.json.gz", LISTS["a.json"]
    path.write_bytes(gzip.compress(text.encode()))
    assert meets(path) == [cd.meet("12|3", "12|3")] * 2
    path.write_bytes(gzip.compress((text[: text.rindex("{")] + "\n").encode()))
    assert meets(path) == [None, None]


def test_lines_that_were_cut_are_refused_but_between_two(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    ends = [i for i, letter in enumerate(LINES, 1) if letter == "\n"]
    for end in range(1, len(LINES)):
        path.write_text(LINES[:end])
        found = meets(path)
        if end in ends or end + 1 in ends:
            assert found[0] == found[1]
            assert len(cd.read(path)) == LINES[: end + 1].count("\n")
        else:
            assert found == [None, None], LINES[:end]


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("harm", ["half", "footer", "inside"])
def test_a_damaged_parquet_file_is_called_damaged(harm: str, engine: str, tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.parquet", tmp_path / "a.parquet"
    duckdb.sql(f"COPY (SELECT i AS id, hash(i) % 99 AS c FROM range(9999) r(i)) TO '{whole}'")
    data = bytearray(whole.read_bytes())
    if harm == "half":
        data = data[: len(data) // 2]
    elif harm == "footer":
        data[-8:-4] = b"\xff\xff\xff\x7f"
    else:
        for at in range(100, len(data) // 2, 97):
            data[at] ^= 0x5A
    path.write_bytes(data)
    with pytest.raises(cd.ClusterdiffError, match=r"a\.parquet is damaged, or it is not") as caught:
        cd.compare(path, path, engine=engine)
    assert "copy the file again" in str(caught.value)
