"""Lines that start with # at the top of a table, and decimal commas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

READ = {
    "two comments": ("# made by x\n# on monday, at noon\nid,cluster\n1,a\n2,a\n3,b\n", "2 lines"),
    "one, other lines": ("# x\r\nid,cluster\r\n1,a\r\n2,a\r\n3,b\r\n", "1 line of"),
    "names after a mark": ("# id,cluster\n1,a\n2,a\n3,b\n", "from line 1, which starts with #"),
    "names close to it": ("#id\tcluster\n1\ta\n2\ta\n3\tb\n", "from line 1"),
    "comment, names": ("## v2\n#cluster,id\na,1\na,2\nb,3\n", "from line 2"),
    "no names": ("# x\n1,1\n2,1\n3,2\n", "1 line of"),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("packed", [False, True])
def test_comments_are_left_out(name: str, engine: str, packed: bool, tmp_path: Path) -> None:
    import gzip

    text, note = READ[name]
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    report = cd.compare("12|3", path, ["rand"], engine=engine)
    assert report["rand"].value == 1
    assert note in str(report)


def test_columns_are_named_after_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# x\n# y\nwho,gold,run\n1,a,1\n2,a,2\n3,b,2\n")
    assert cd.read(path, id="who", cluster="run").labels.tolist() == [1, 2, 2]
    path.write_text("# who,gold,run\n1,a,1\n2,a,2\n3,b,2\n")
    assert cd.read(path, id="who", cluster="run").labels.tolist() == [1, 2, 2]


def test_what_could_be_either_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# foo,bar\n1,a\n2,a\n3,b\n")
    with pytest.raises(cd.ClusterdiffError, match=r"line 1 of .*\(# foo,bar\) could be a comment"):
        cd.read(path)
    assert len(cd.read(path, header=False)) == 3


def test_ids_that_start_with_a_hash_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("#1,a\n#2,a\n3,b\n")
    found = cd.read(path, header=False)
    assert found.ids is not None
    assert found.ids.tolist() == ["#1", "#2", "3"]


def test_several_files_have_the_same_comments(tmp_path: Path) -> None:
    (tmp_path / "a-1.csv").write_text("# x\nid,cluster\n1,a\n")
    (tmp_path / "a-2.csv").write_text("# y\nid,cluster\n2,a\n")
    assert len(cd.read(str(tmp_path / "a-*.csv"))) == 2
    (tmp_path / "a-2.csv").write_text("id,cluster\n2,a\n")
    refuses("0 lines of comments", cd.read, str(tmp_path / "a-*.csv"))


def test_nothing_but_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# x\n# y\n")
    refuses(None, cd.read, path)


def test_labels_as_numpy_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "t.labels"
    np.savetxt(path, np.array([1, 1, 2]), fmt="%d", header="labels of run 1")
    found = cd.read(path)
    assert found.labels.tolist() == ["1", "1", "2"] or found.labels.tolist() == [1, 1, 2]
    assert found.notes == ("1 line of comments at the top left out",)


DECIMAL = {
    "wide": "id;a;b\n1;0,5;0,5\n2;1;0\n3;0,25;0,75\n",
    "rows": "id;cluster;degree\n1;a;0,5\n1;b;0,5\n2;a;1\n3;a;0,25\n3;b;0,75\n",
    "in quotes": 'id,cluster,degree\n1,a,"0,5"\n1,b,"0,5"\n2,a,1\n3,a,"0,25"\n3,b,"0,75"\n',
}


@pytest.mark.parametrize("name", DECIMAL)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_decimal_commas(name: str, engine: str, tmp_path: Path) -> None:
    comma, point = tmp_path / "comma.csv", tmp_path / "point.csv"
    comma.write_text(DECIMAL[name])
    point.write_text("id,a,b\n1,0.5,0.5\n2,1,0\n3,0.25,0.75\n")
    kinds = {"kind": "fuzzy", "engine": engine}
    found = cd.meet(point, comma, **kinds)
    assert found == cd.meet(point, point, **kinds)
    assert found.alignment.notes == (("guess", "degrees read with a decimal comma"),)


def test_decimal_commas_without_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1;0,5;0,5\n2;1;0\n3;0,25;0,75\n")
    found = cd.read(path, kind="fuzzy", id="column0")
    assert found.ids is not None
    assert found.ids.tolist() == [1, 2, 3]
    assert found.notes == ("degrees read with a decimal comma",)


def test_commas_and_points_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;a;b\n1;0,5;0,5\n2;1.0;0\n")
    for engine in ("arrays", "duckdb"):
        with pytest.raises(cd.ClusterdiffError, match="holds other things than numbers"):
            cd.compare(path, path, kind="fuzzy", engine=engine)


def test_the_command_says_what_was_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made by x\nid,cluster\n1,a\n2,a\n3,b\n")
    ran = run("compare", "12|3", str(path), "-m", "rand")
    assert "t.csv: 1 line of comments at the top left out" in ran.stdout
