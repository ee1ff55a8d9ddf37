"""Tables as programs write them: without a name for the ids, with delimiters too many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

WANTED = {0: "a", 1: "a", 2: "b", 3: "c"}
FRAME = pd.DataFrame({"cluster": list(WANTED.values())})
ROWS = "0,a\n1,a\n2,b\n3,c\n"
BACKWARDS = "3,c\n2,b\n1,a\n0,a\n"

UNNAMED = {
    "pandas": FRAME.to_csv(),
    "a Series of pandas": pd.Series(list(WANTED.values())).to_csv(),
    "other columns": pd.DataFrame({"size": [1, 2, 3, 4], "cluster": [*"aabc"]}).to_csv(),
    "R, write.csv": '"","cluster"\n"3","c"\n"2","b"\n"1","a"\n"0","a"\n',
    "R, write.csv2": '"";"cluster"\n"0";"a"\n"1";"a"\n"2";"b"\n"3";"c"\n',
    "R, write.table": '"cluster" "size"\n"0" "a" 1\n"1" "a" 1\n"2" "b" 1\n"3" "c" 2\n',
    "R, one column": '"cluster"\n"0" "a"\n"1" "a"\n"2" "b"\n"3" "c"\n',
    "R, with tabs": "cluster\tsize\n0\ta\t1\n1\ta\t1\n2\tb\t1\n3\tc\t2\n",
    "louvain alone": ",louvain\n" + ROWS,
    "an id besides": ",id,cluster\n9,0,a\n8,1,a\n7,2,b\n6,3,c\n",
}


@pytest.mark.parametrize("name", UNNAMED)
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_a_first_column_without_a_name_holds_the_ids(name: str, engine: str, folder: Path) -> None:
    (folder / "t.csv").write_text(UNNAMED[name])
    (folder / "g.csv").write_text(",cluster\n" + BACKWARDS)
    assert cd.compare("t.csv", "g.csv", ["elm_f"], engine=engine)["elm_f"].value == 1
    assert cd.meet("t.csv", WANTED, engine=engine) == cd.meet(WANTED, WANTED)


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_every_verb_matches_by_a_column_without_a_name(engine: str, folder: Path) -> None:
    (folder / "t.csv").write_text(",cluster\n" + ROWS)
    (folder / "g.csv").write_text(",cluster\n" + BACKWARDS)
    told = ("--engine", engine)
    assert "elm_f  1.0000" in run("compare", "t.csv", "g.csv", "-m", "elm_f", *told).stdout
    assert "same clustering" in run("explain", "t.csv", "g.csv", *told).stdout
    assert "4 still right" in run("diff", "t.csv", "g.csv", "g.csv", *told).stdout
    made = run("report", "t.csv", "g.csv", "-o", "-", "-m", "elm_f", *told)
    assert made.code == 0
    assert "1.0000" in made.stdout
    assert "elm_f  1.0000" in run(
        "compare", "t.csv", "g.csv", "-m", "elm_f", "--id", "(unnamed)", *told
    ).stdout  # fmt: skip


def test_frames_and_records_without_a_name_for_the_ids(folder: Path) -> None:
    (folder / "t.csv").write_text(",cluster,size\n0,a,1\n1,a,1\n2,b,2\n3,c,2\n")
    for frame in (pd.read_csv("t.csv"), pl.read_csv("t.csv")):
        assert cd.elm_f(frame[::-1], WANTED) == 1
    FRAME.assign(size=1).loc[[3, 1, 0, 2]].to_parquet("t.parquet")
    assert cd.elm_f("t.parquet", WANTED) == cd.elm_f("t.parquet", WANTED, engine="arrays") == 1
    rows = [{"": i, "cluster": c, "size": 1} for i, c in WANTED.items()]
    (folder / "t.json").write_text(json.dumps(rows))
    assert cd.elm_f("t.json", WANTED) == cd.elm_f("t.json", WANTED, engine="arrays") == 1


READ = {
    "a delimiter more": "id,cluster,\n0,a,\n1,a,\n2,b,\n3,c,\n",
    "a delimiter more in each row": "id,cluster\n0,a,\n1,a,\n2,b,\n3,c,\n",
    "empty columns of a spreadsheet": "id,cluster,,,\n0,a,,,\n1,a,,,\n2,b,,,\n3,c,,,\n",
    "blanks around names": " id , cluster \n" + ROWS,
    "a line break in a name, CRLF": 'id,"clus\nter"\r\n' + ROWS.replace("\n", "\r\n"),
    "CRLF in a name, CRLF": 'id,"clus\r\nter"\r\n' + ROWS.replace("\n", "\r\n"),
    "a line break in a name": 'id,"clus\nter"\n' + ROWS,
    "CR alone": "id,cluster\r" + ROWS.replace("\n", "\r"),
    "tabs": "id\tcluster\n" + ROWS.replace(",", "\t"),
    "no last line break": "id,cluster\n" + ROWS.rstrip(),
    "a byte order mark": "\ufeffid,cluster\n" + ROWS,
    "an empty line": "id,cluster\n\n" + ROWS,
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("engine", [None, "arrays"])
def test_tables_that_are_read(name: str, engine: str | None, folder: Path) -> None:
    (folder / "t.csv").write_bytes(READ[name].encode())
    assert cd.meet("t.csv", WANTED, engine=engine) == cd.meet(WANTED, WANTED)


def test_a_column_that_is_no_id_is_told_as_such(folder: Path) -> None:
    FRAME.assign(size=1).to_parquet("t.parquet")
    for engine in (None, "arrays"):
        with pytest.raises(cd.ClusterdiffError, match="no column that is named like an id") as told:
            cd.elm_f("t.parquet", WANTED, engine=engine)
        assert "cd.read('t.parquet', cluster='cluster', id='')" in told.value.hint


REFUSED = {
    "no name for column 2 of 2": "id,\n0,a\n1,a\n",
    "no name for columns 1, 3, 4 of 4": ",cluster,,\n0,a,,\n",
    "no rows": "id,cluster\n",
    "two columns called 'cluster'": "id,cluster,cluster\n0,a,b\n",
    "the column 'id' alone": "id\n0\n1\n",
    "3 columns .*unnamed.*, a, b.* cannot tell": ",a,b\n0,1,x\n1,2,x\n2,3,y\n3,4,z\n",
    "t.csv could not be read: line 3 has 3 cells, and others have 2": "id,cluster\n0,a\n1,a,b\n",
    "t.csv could not be read: line 3 has 1 cells, and others have 2": "id,cluster\n0,a\n1\n2,a\n",
}


@pytest.mark.parametrize("told", REFUSED)
@pytest.mark.parametrize("engine", [None, "arrays"])
def test_tables_that_are_refused(told: str, engine: str | None, folder: Path) -> None:
    (folder / "t.csv").write_text(REFUSED[told])
    refuses(told, cd.compare, "t.csv", WANTED, engine=engine)
    (folder / "not.csv").write_text("id,cluster\n" + ROWS)
    refuses(told, cd.compare, "not.csv", "t.csv", engine=engine)


def test_a_file_whose_name_ends_like_another_is_not_blamed(folder: Path) -> None:
    (folder / "t.csv").write_text("id,cluster\n" + ROWS)
    (folder / "not.csv").write_text("id,cluster\n0,a\n1\n2,a\n")
    refuses(r"^not\.csv could not be read: line 3", cd.compare, "t.csv", "not.csv")


def test_frames_without_ids_are_not_paired_row_by_row_where_indexes_differ() -> None:
    same, other = FRAME[["cluster"]], FRAME[["cluster"]].loc[[3, 1, 0, 2]]
    for guesses in ({"a": same, "b": other}, {"b": other}, other):
        told = refuses("different indexes", cd.compare, same, guesses)
        assert "frame.reset_index()" in told.hint
    assert cd.elm_f(same.reset_index(), other.reset_index()) == 1
    text = cd.compare(same, {"a": same, "b": same}).to_text(200)
    assert text.count("[rows in order, cluster]") == 3
    named = FRAME.assign(record=[5, 6, 7, 8])
    assert cd.elm_f(named, named.loc[[3, 1, 0, 2]]) == 1
    beside = named.rename(columns={"record": "x"})
    assert cd.elm_f(beside, beside.loc[[3, 1, 0, 2]]) == 1


EMPTY = ["", " ", "::cluster", " ::cluster"]


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_path_is_no_folder(path: str, folder: Path) -> None:
    (folder / "g.csv").write_text("id,cluster\n" + ROWS)
    for verb in (("compare", "-m", "elm_f"), ("explain",), ("report", "-o", "page.html")):
        for files in ((path, "g.csv"), ("g.csv", path)):
            ran = run(verb[0], *files, *verb[1:])
            assert (ran.code, ran.stdout) == (2, ""), verb
            assert "the path is empty" in ran.stderr
    assert "the path is empty" in run("diff", "g.csv", path, "g.csv").stderr
    for engine in (None, "arrays"):
        refuses("the path is empty", cd.compare, path, "g.csv", engine=engine)
    refuses("the path is empty", cd.read, path)


def test_a_folder_that_is_named_is_read(folder: Path) -> None:
    (folder / "g.csv").write_text("id,cluster\n" + ROWS)
    ran = run("compare", ".", "g.csv", "-m", "elm_f")
    assert "[id, cluster]" in ran.stdout
    assert "elm_f  1.0000" in ran.stdout


ENCODED = {
    "UTF-16LE": "id,cluster\n0,a\n".encode("utf-16-le"),
    "UTF-16BE": "id,cluster\n0,a\n".encode("utf-16-be"),
    "ISO-8859-1": "id,cluster\n0,Köln\n1,Köln\n".encode("latin-1"),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("ending", ["csv", "labels", "json", "jsonl", "clusters", "txt"])
def test_other_encodings_are_named(name: str, ending: str, folder: Path) -> None:
    file = folder / f"my t.{ending}"
    file.write_bytes(ENCODED[name])
    for engine in (None, "arrays"):
        with pytest.raises(cd.ClusterdiffError, match=f"encoded in {name}, not UTF-8") as told:
            cd.compare(file.name, WANTED, engine=engine)
        assert f"iconv -f {name} -t UTF-8 'my t.{ending}' > 'my t.utf8.{ending}'" in told.value.hint


def test_another_encoding_further_down(folder: Path) -> None:
    rows = "".join(f"{i},a\n" for i in range(20_000)).encode()
    (folder / "t.csv").write_bytes(b"id,cluster\n" + rows + "20000,Köln\n".encode("latin-1"))
    for engine in (None, "arrays"):
        refuses("encoded in ISO-8859-1, not UTF-8", cd.compare, "t.csv", WANTED, engine=engine)
    (folder / "b.csv").write_bytes(bytes(range(256)) * 10)
    refuses("not text, Parquet or gzip", cd.read, "b.csv")


def test_a_file_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "t.csv").write_text("id,cluster\n" + ROWS)
    (folder / "g.csv").write_text("id,cluster\n" + ROWS)
    plain = Path.open

    def guarded(self: Path, *args: Any, **options: Any) -> Any:
        if self.name == "t.csv":
            raise PermissionError(13, "Permission denied", str(self))
        return plain(self, *args, **options)

    monkeypatch.setattr(Path, "open", guarded)
    ran = run("compare", "t.csv", "g.csv")
    assert ran.code == 2
    assert (
        ran.stderr
        == "clusterdiff: Permission denied: t.csv\n  Hint: see who may read it: ls -l t.csv\n"
    )


SPELLED = {
    "leading zeros ('01' and 1)": (["01", "02", "03"], ["1", "2", "3"]),
    "leading zeros (1 and '001')": (["1", "2", "10"], ["001", "002", "010"]),
    "blanks around them ('p ' and 'p')": (["p ", "q ", "r "], ["p", "q", "r"]),
    "capitals ('P' and 'p')": (["P", "Q", "r"], ["p", "q", "r"]),
    ".0 at the end ('1.0' and 1)": (["1.0", "2.0", "3.0"], ["1", "2", "3"]),
}


@pytest.mark.parametrize("told", SPELLED)
@pytest.mark.parametrize("engine", [None, "arrays"])
@pytest.mark.parametrize("align", ["exact", "shared"])
def test_ids_that_are_written_otherwise(
    told: str, engine: str | None, align: str, folder: Path
) -> None:
    for name, ids in zip("tg", SPELLED[told], strict=True):
        rows = "".join(f"{one},{i // 2}\n" for i, one in enumerate(ids))
        (folder / f"{name}.csv").write_text("id,cluster\n" + rows)
    if "capitals" in told and align == "shared":
        return
    with pytest.raises(cd.ClusterdiffError, match="differ from the other side only in") as error:
        cd.compare("t.csv", "g.csv", engine=engine, align=align)
    count = 2 if "capitals" in told else 3
    assert f"{count} of them differ from the other side only in {told}" in error.value.message
    assert "write them the same way on both sides, e.g. with id." in error.value.hint
    assert "align" not in error.value.hint


def test_many_ids_in_another_order_that_are_written_otherwise() -> None:
    truth = {f"{i:05}": i % 7 for i in range(5000)}
    guess = {str(i): i % 7 for i in reversed(range(5000))}
    refuses(r"only in leading zeros \('00000' and '0'\)", cd.elm_f, truth, guess)


def test_other_ids_are_still_answered_with_a_policy() -> None:
    with pytest.raises(cd.ClusterdiffError, match="1 of 3 objects is only in truth") as told:
        cd.elm_f({"a": 1, "b": 1, "x": 2}, {"a": 1, "b": 1})
    assert 'align="shared"' in told.value.hint
    with pytest.raises(cd.ClusterdiffError, match="no object in common") as told:
        cd.elm_f({"a": 1, "b": 1}, {"c": 1, "d": 1}, align="shared")
    assert "look at an id of each" in told.value.hint
