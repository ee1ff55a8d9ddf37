"""Files of every format give what lists give; wrong ones one clear paragraph."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

IDS = ["p", "q", "r", "s"]
LABELS = ["a", "a", "b", "c"]
WANTED = cd.meet(LABELS, [1, 1, 1, 2])
GUESS = dict(zip(IDS, [1, 1, 1, 2], strict=True))
ROWS = list(zip(IDS, LABELS, strict=True))

FILES: dict[str, str] = {
    "a.csv": "id,cluster\np,a\nq,a\nr,b\ns,c\n",
    "crlf.csv": "id,cluster\r\np,a\r\nq,a\r\nr,b\r\ns,c\r\n",
    "bom.csv": "\ufeffid,cluster\np,a\nq,a\nr,b\ns,c\n",
    "swapped.csv": "cluster,id\na,p\na,q\nb,r\nc,s\n",
    "other_names.csv": "x,y\np,1\nq,1\nr,2\ns,3\n",
    "wide.csv": "name,size,Entity,note\np,1,a,\nq,2,a,\nr,3,b,\ns,4,c,x\n",
    "quoted.csv": 'id,cluster\n"p","a"\nq,a\n"r",b\ns,"c, d ""e"""\n',
    "semicolon.csv": "id;cluster\np;a\nq;a\nr;b\ns;c\n",
    "a.tsv": "id\tcluster\np\ta\nq\ta\nr\tb\ns\tc\n",
    "unnamed": "id,cluster\np,a\nq,a\nr,b\ns,c\n",
    "a.jsonl": "\n".join(json.dumps({"id": i, "cluster": c}) for i, c in ROWS),
    "records.json": json.dumps([{"id": i, "cluster": c} for i, c in ROWS]),
    "mapping.json": json.dumps(dict(ROWS)),
    "mapping_unnamed": json.dumps(dict(ROWS), indent=2),
    "clusters.json": json.dumps([["p", "q"], ["r"], ["s"]]),
    "a.clusters": "# a comment\np q\n\nr\ns\n",
    "tabs.clusters": "p\tq\nr\ns\n",
    "commas.cnl": "p, q\nr\ns\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_formats(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / (name + ".gz" if packed else name)
    data = FILES[name].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert cd.meet(path, GUESS) == WANTED
    assert cd.meet(str(path), GUESS) == WANTED


def test_parquet_keeps_types(tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2, 3], "cluster": ["a", "a", "b"]}).write_parquet(tmp_path / "a.pq")
    pl.DataFrame({"id": ["1", "2", "3"], "cluster": [1, 1, 2]}).write_parquet(tmp_path / "b.pq")
    assert cd.elm_f(tmp_path / "a.pq", {1: "x", 2: "x", 3: "y"}) == 1
    refuses("integers .* strings", cd.elm_f, tmp_path / "a.pq", tmp_path / "b.pq")


def test_written_numbers_match_numbers_but_leading_zeros_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,cluster\n1,a\n2,a\n")
    assert cd.elm_f(path, {1: "x", 2: "x"}) == 1
    assert cd.elm_f(path, {"1": "x", "2": "x"}) == 1
    path.write_text("id,cluster\n1,7\n2,7\n")
    for noise in (7, "7", [7.0]):
        assert cd.meet(path, {1: "x", 2: "x"}, noise=noise).alignment.noise == 2
    assert cd.meet(path, {1: "x", 2: "x"}, noise="07").alignment.noise == 0
    path.write_text("id,cluster\n01,a\n1,b\n")
    assert len(cd.read(path)) == 2
    refuses("only in truth", cd.elm_f, path, {1: "x", 2: "x"})


def test_labels_are_lines(tmp_path: Path) -> None:
    for name, text in {"a.labels": "a\na\nb\n", "b": "a\r\na\r\nb"}.items():
        (tmp_path / name).write_bytes(text.encode())
        assert cd.meet(tmp_path / name, [1, 2, 2]) == cd.meet(list("aab"), [1, 2, 2])
    with gzip.open(tmp_path / "a.labels.gz", "wt") as file:
        file.write("a\na\n\n")
    refuses(r"1 of 3 labels in \w+ is null", cd.elm_f, tmp_path / "a.labels.gz", [1, 1, 2])
    assert cd.elm_f(tmp_path / "a.labels.gz", [1, 1, 2], noise=[None]) == 1
    assert cd.meet(cd.read(tmp_path / "a.labels"), [5, 5, 6], noise=["b"]).alignment.noise == 1


def test_labels_in_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('["a", 1, 1.5, true]')
    assert len(cd.read(tmp_path / "a.json")) == 4


def test_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("rec,gold,run 1,doc\n1,a,x,d\n2,a,y,d\n3,b,y,e\n")
    gold = cd.read(path, id="rec", cluster="gold")
    assert cd.meet(gold, cd.read(f"{path}::run 1", id="rec")) == cd.meet(list("aab"), list("xyy"))
    sampled = cd.read(path, id="rec", cluster="gold", sample="doc")
    assert sampled.samples is not None
    refuses("no column 'golf'; it has rec, gold, run 1, doc", cd.read, path, cluster="golf")


def test_header_or_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("p,1\nq,1\nr,2\n")
    assert len(cd.read(path)) == 3
    path.write_text("foo,bar\np,1\nq,1\nr,2\n")
    assert len(cd.read(path)) == 3
    path.write_text("foo,bar\np,x\nq,x\n")
    refuses("could name the columns or be an object", cd.read, path)
    assert len(cd.read(path, header=True)) == 2
    assert len(cd.read(path, header=False)) == 3


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"id,cluster\np,a\nq,a\nr,b\ns,c\n")

    monkeypatch.setattr(sys, "stdin", Input)
    assert cd.meet("-", GUESS) == WANTED


CONLL = """#begin document (one); part 000
one 0 0 The  (0
one 0 1 cat  0)
one 0 2 saw  -

one 0 3 itself  (0)
one 0 4 and  (1|(2)
one 0 5 dogs 1)
#end document
#begin document (two); part 000
two 0 0 It (0)
#end document
"""


def test_conll_documents_are_samples(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response"
    key.write_text(CONLL)
    response.write_text(CONLL.replace("itself  (0)", "itself  (7)"))
    read = cd.read(key)
    assert read.ids is not None
    assert read.samples is not None
    assert sorted(zip(read.samples.tolist(), read.ids.tolist(), strict=True)) == [
        ("(one); part 000", "0-1"),
        ("(one); part 000", "3-3"),
        ("(one); part 000", "4-4"),
        ("(one); part 000", "4-5"),
        ("(two); part 000", "0-0"),
    ]
    report = cd.compare(key, response, align="penalise")
    assert report.samples == ("(one); part 000", "(two); part 000")
    assert report["elm_f"].each == (0.5, 1.0)
    assert report["elm_f"].micro == 0.6
    assert cd.elm_f(key, key) == 1


@pytest.mark.parametrize(
    ("line", "text"),
    [("(3", "opened but never closed"), ("9)", "which is not open")],
)
def test_broken_conll(line: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text(CONLL.replace("saw  -", f"saw {line}"))
    refuses(text, cd.read, path)


BAD: list[tuple[str, bytes, str]] = [
    ("empty.csv", b"", "has no rows"),
    ("blank.csv", b"\n\n", "has no rows"),
    ("header.csv", b"id,cluster\n", "has no rows"),
    ("empty.json", b"[]", "has no rows"),
    ("binary.csv", b"\x00\x01\x02\xff" * 100, "is not text"),
    ("latin.labels", "caf\xe9\n".encode("latin-1"), "encoded in ISO-8859-1"),
    ("latin.csv", "id,cluster\ncaf\xe9,1\nx,2\n".encode("latin-1") * 50, "encoded in ISO-8859-1"),
    ("cut.parquet", b"PAR1" + b"\x01" * 50, "is damaged, or it is not a Parquet file"),
    ("cut.labels.gz", gzip.compress(b"a\nb\n" * 999)[:40], "could not be read"),
    ("wrong.json", b'{"a": ', "could not be read"),
    ("nothing.json", b"[{}]", "has no columns"),
    ("lists.json", b'{"a": ["b"]}', "has lists of labels"),
    ("number.json", b"5", "is JSON, but no clustering"),
    ("mixed.json", b'[["a"], 5]', "is JSON, but no clustering"),
    ("twice.json", b'{"a": 1, "a": 2}', "more than one cluster"),
    ("twice.csv", b"id,cluster\na,1\na,2\n", "more than one cluster"),
    ("ragged.csv", b"id,cluster\na,1\nb,2,3\n", "could not be read"),
    ("columns.csv", b"id,cluster,id\na,1,2\n", "two columns called 'id'"),
    ("nullid.csv", b"id,cluster\na,1\n,2\n", "1 of 2 ids is null"),
    ("many.csv", b",".join(b"c%d" % i for i in range(10**6)) + b"\n", "1,000,000 columns"),
]


@pytest.mark.parametrize(("name", "data", "text"), BAD, ids=[b[0] for b in BAD])
def test_bad_files_get_one_paragraph(name: str, data: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    caught = refuses(text, cd.elm_f, path, path)
    assert caught.hint
    assert len(caught.message) < 500


def test_missing_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "guess.csv").write_text("id,cluster\na,1\n")
    caught = refuses(r"File not found: .*gues\.csv", cd.read, tmp_path / "gues.csv")
    assert "guess.csv?" in caught.hint
    assert len(cd.read(tmp_path)) == 1
    (tmp_path / "empty").mkdir()
    refuses("is a directory", cd.read, tmp_path / "empty")
    refuses("File not found", cd.read, tmp_path / "no" / "folder.csv")


@pytest.mark.parametrize(
    ("options", "text"),
    [({"kind": "covr"}, "'covr'"), ({"as_": "lables"}, "unknown format 'lables'")],
)
def test_unknown_kinds_and_formats(options: dict[str, Any], text: str) -> None:
    refuses(text, cd.read, "x", **options)


def test_names_that_look_like_sql_are_only_names(tmp_path: Path) -> None:
    name = 'it\'s "a"; DROP TABLE x'
    path = tmp_path / "o'b\"rien;--.csv"
    path.write_text('id,"it\'s ""a""; DROP TABLE x"\np,1\nq,1\n')
    assert len(cd.read(path, cluster=name)) == 2
    pl.DataFrame({"id": [1], name: [1]}).write_parquet(tmp_path / "o'b.parquet")
    assert len(cd.read(tmp_path / "o'b.parquet", cluster=name)) == 1


def test_packed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(gzip.compress(b"id,cluster\np,a\nq,a\nr,b\ns,c\n"))

    monkeypatch.setattr(sys, "stdin", Input)
    assert cd.meet("-", GUESS) == WANTED


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1
)


@given(st.dictionaries(words, words, min_size=1), st.sampled_from(",;\t|"))
def test_csv_round_trips(labels: dict[str, str], delimiter: str) -> None:
    """Whatever csv.writer writes is read back: quotes, delimiters, newlines, blanks, any letter."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["id", "cluster"])
    writer.writerows(labels.items())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text(out.getvalue(), encoding="utf-8", newline="")
        found = cd.read(path)
    assert found.ids is not None
    pairs = zip(found.ids.tolist(), found.labels.tolist(), strict=True)
    assert {str(i): str(label) for i, label in pairs} == labels


@given(st.dictionaries(words, words | st.integers() | st.booleans(), min_size=1))
def test_json_round_trips(labels: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        mapping, lines = Path(folder) / "a.json", Path(folder) / "b.jsonl"
        mapping.write_text(json.dumps(labels), encoding="utf-8")
        rows = [json.dumps({"id": i, "cluster": c}) for i, c in labels.items()]
        lines.write_text("\n".join(rows), encoding="utf-8")
        for path in (mapping, lines):
            found = cd.read(path)
            assert found.ids is not None
            assert dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True)) == labels


# Several files are one table if that is what they are; else they are refused.


@pytest.fixture
def folder(folder: Path) -> Path:
    for side in ("truth", "guess"):
        (folder / side).mkdir()
    return folder


def write(**files: str) -> None:
    for name, text in files.items():
        side, _, rest = name.partition("_")
        stem, _, ending = rest.rpartition("_")
        Path(side, f"{stem}.{ending}").write_text(text)


ENGINES = ["arrays", "duckdb"]


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_of_a_table_are_one_and_the_header_says_so(folder: Path, engine: str) -> None:
    write(
        truth_a_csv="id,cluster\np,1\nq,1\n", truth_b_csv="id,cluster\nr,2\n",
        guess_x_csv="id,cluster\nr,8\nq,9\np,9\n",
    )  # fmt: skip
    ran = run("compare", "truth/*.csv", "guess/x.csv", "-m", "rand", "--engine", engine)
    assert "rand  1.0000" in ran.stdout
    assert ", 2 files]" in ran.stdout


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("paths", [("truth/*.csv", "guess/*.csv"), ("truth", "guess")])
def test_documents_whose_ids_repeat_are_refused(
    folder: Path, engine: str, paths: tuple[str, str]
) -> None:
    """Object 1 is another one in each document; it has the same label in both by chance."""
    write(
        truth_a_csv="id,cluster\n1,0\n2,0\n", truth_b_csv="id,cluster\n1,0\n3,1\n",
        guess_a_csv="id,cluster\n1,0\n2,0\n", guess_c_csv="id,cluster\n1,0\n3,1\n",
    )  # fmt: skip
    with pytest.raises(cd.ClusterdiffError, match="several files.* 1 ids occur again") as caught:
        cd.compare(*paths, ["rand"], engine=engine)
    assert "--samples" in caught.value.hint


@pytest.mark.parametrize("engine", ENGINES)
def test_documents_with_a_column_of_samples_are_compared(folder: Path, engine: str) -> None:
    write(
        truth_a_csv="doc,id,cluster\na,1,0\na,2,0\n", truth_b_csv="doc,id,cluster\nb,1,0\nb,3,1\n",
        guess_a_csv="doc,id,cluster\na,1,0\na,2,1\n", guess_b_csv="doc,id,cluster\nb,1,0\nb,3,1\n",
    )  # fmt: skip
    report = cd.compare("truth", "guess", ["rand"], samples="doc", engine=engine)
    assert report["rand"].each == (0.0, 1.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_files_without_ids_are_refused(folder: Path, engine: str) -> None:
    for name in ("a", "b"):
        Path("truth", f"{name}.csv").write_text("gold,note,cluster\n1,2,3\n1,2,3\n")
    ran = run(
        "compare", "truth/*.csv", "truth/*.csv", "--no-id", "--cluster", "gold", "--engine", engine
    )
    assert ran.code == 2
    assert "truth/*.csv are 2 files without ids" in ran.stderr


@pytest.mark.parametrize(
    ("ending", "text"), [("labels", "a\nb\n"), ("clusters", "p q\nr\n"), ("json", '{"p": 1}')]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_clusterings_of_their_own_are_refused(
    folder: Path, ending: str, text: str, engine: str
) -> None:
    for name in ("a", "b"):
        Path("truth", f"{name}.{ending}").write_text(text)
    with pytest.raises(cd.ClusterdiffError, match="are 2 files, and each is a clustering"):
        cd.meet(f"truth/*.{ending}", f"truth/*.{ending}", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_of_several_files_are_one_table(folder: Path, engine: str) -> None:
    write(
        truth_a_json='[{"id": 1, "cluster": 5}, {"id": 2, "cluster": 5}]',
        truth_b_json='[{"id": 3, "cluster": 6}]',
    )
    wanted = cd.meet({1: "x", 2: "x", 3: "y"}, {1: 1, 2: 1, 3: 2})
    assert cd.meet("truth/*.json", {1: 1, 2: 1, 3: 2}, engine=engine) == wanted


def test_documents_of_conll_files_are_told_apart_by_name(folder: Path) -> None:
    text = "#begin document ({})\nd 0 a (0)\nd 0 b (0)\n#end document\n"
    write(truth_a_conll=text.format("a"), truth_b_conll=text.format("b"))
    assert len(cd.read("truth/*.conll")) == 4
    write(truth_c_conll=text.format("a"))
    refuses(r"document \(a\) begins twice", cd.read, "truth/*.conll")


def test_patterns_that_the_shell_expanded_are_refused(folder: Path) -> None:
    for side in ("truth", "guess"):
        for name in ("a", "b"):
            Path(side, f"{name}.csv").write_text("id,cluster\n1,0\n2,0\n")
    ran = run("compare", "truth/a.csv", "truth/b.csv", "guess/a.csv", "guess/b.csv")
    assert ran.code == 2
    assert "truth is truth/a.csv alone, and truth/b.csv from the same folder" in " ".join(
        ran.stderr.split()
    )
    assert "'truth/*.csv' 'guess/*.csv'" in ran.stderr
    for paths in (
        ("truth/a.csv", "truth/b.csv", "guess/b.csv"),
        ("truth/a.csv", "guess/a.csv", "guess/b.csv"),
        ("truth/a.csv", "truth/b.csv"),
    ):
        assert run("compare", *paths, "-m", "rand").code == 0


# Lines of a .clusters file that start with #: comments and ids are told apart, and told.


COMMENTS = "left out as comments, since they start with # and a blank"
CLUSTERS = "read as clusters though they start with #, since no blank follows it"


@pytest.mark.parametrize(
    ("text", "ids", "notes"),
    [
        ("# two lines\n#\np q\nr\n", ["p", "q", "r"], (f"lines {COMMENTS}: 2",)),
        ("#fun #sun\n#rain\n", ["#fun", "#sun", "#rain"], (f"lines {CLUSTERS}: 2",)),
        ("#\tp\n#p\tq\n", ["#p", "q"], (f"lines {COMMENTS}: 1", f"lines {CLUSTERS}: 1")),
        ("p #q\nr\n", ["p", "#q", "r"], ()),
    ],
)
def test_lines_that_start_with_a_hash(
    text: str, ids: list[str], notes: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "x.clusters"
    path.write_text(text)
    found = cd.read(path)
    assert found.ids is not None
    assert found.ids.tolist() == ids
    assert found.notes == notes


def test_the_header_says_how_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.clusters"
    path.write_text("# a comment\np q\n#r s\n")
    ran = run("compare", str(path), str(path), "-m", "rand", columns=200)
    assert f"truth: lines {COMMENTS}: 1\n" in ran.stdout
    assert f"x.clusters: lines {CLUSTERS}: 1\n" in ran.stdout
