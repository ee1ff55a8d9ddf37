"""Folders and patterns of documents: key against response, paired by name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.files import document_names
from inputs.test_conll import document
from inputs.test_corefud import document as corefud
from inputs.test_corefud import sentence
from refusals import refuses

BARE = "d 0 a (1)\nd 0 b (1)\n"
"""A file that does not mark its document as such."""


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".gz"):
        Path(path).write_bytes(gzip.compress(text.encode()))
    else:
        Path(path).write_text(text)


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize(
    "sides",
    [("key", "response"), ("key/", "response/"), ("key/*conll*", "response/**/*conll*")],
)
def test_documents_are_paired_by_name(folder: Path, engine: str, sides: tuple[str, str]) -> None:
    write("key/a.v4_gold_conll", document("(1)", "(1)", "(2)", name="(a); part 000"))
    write("key/b.v4_gold_conll.gz", document("(1)", "(1)", name="(b); part 000"))
    write("response/b.v4_auto_conll", document("(7)", "(7)", name="(b); part 000"))
    write("response/a.v4_auto_conll", document("(7)", "(8)", "(8)", name="(a); part 000"))
    report = cd.compare(*sides, ["rand"], engine=engine)
    assert dict(zip(report.samples, report["rand"].each, strict=True)) == {
        "(a); part 000": pytest.approx(1 / 3), "(b); part 000": 1.0
    }  # fmt: skip
    assert "2 documents in 2 files" in report.head()


@pytest.mark.parametrize(
    ("key", "response"),
    [
        ("{}.conll", "{}.conll"),
        ("{}.gold.conll", "{}.auto.conll.gz"),
        ("{}.key.conll", "{}.conll"),
        ("{}_gold_conll", "{}_auto_conll"),
        ("sub/{}.conll", "sub/{}.conll"),
    ],
)
def test_files_without_documents_are_documents(folder: Path, key: str, response: str) -> None:
    for name in ("a", "b"):
        write(f"key/{key.format(name)}", BARE)
        write(f"response/{response.format(name)}", BARE.replace("1", "2"))
    flags = ["--as", "conll"] if key.endswith("_conll") else []
    ran = run("compare", "key", "response", "-m", "rand", "--per-sample", *flags)
    assert ran.code == 0, ran.stderr
    prefix = "sub/" if "sub" in key else ""
    assert [line.split(",")[1:] for line in ran.stdout.splitlines()[1:]] == [
        [f"{prefix}{name}", "rand", "1.0"] for name in ("a", "b")
    ]


@pytest.mark.parametrize("ending", [".conllu", ".conllu.gz"])
def test_corefud_folders(folder: Path, ending: str) -> None:
    write("key/a.conllu", sentence("(e1)", "(e1)"))
    write("key/b.conllu", corefud("two", sentence("(e1)", "(e2)")))
    write(f"response/a{ending}", sentence("(e5)", "(e5)"))
    write(f"response/c{ending}", corefud("two", sentence("(e1)", "(e1)")))
    report = cd.compare("key/", "response/", ["rand"])
    assert dict(zip(report.samples, report["rand"].each, strict=True)) == {"a": 1.0, "two": 0.0}


def unpaired() -> None:
    for name in ("a", "b", "c"):
        write(f"key/{name}.conll", BARE)
    for name in ("a", "d"):
        write(f"response/{name}.conll", BARE)


@pytest.mark.parametrize("verb", ["compare", "explain"])
def test_documents_without_a_partner_are_named_and_refused(folder: Path, verb: str) -> None:
    unpaired()
    ran = run(verb, "key", "response")
    told = " ".join(ran.stderr.split())
    assert ran.code == 2
    assert "no partner: 2 in truth alone (b, c), 1 in guess alone (d)" in told
    assert "--align penalise" in told


def test_documents_without_a_partner_are_named_and_counted(folder: Path) -> None:
    unpaired()
    report = cd.compare("key", "response", ["bcubed_recall", "muc_f"], align="penalise")
    assert dict(zip(report.samples, report["bcubed_recall"].each, strict=True)) == {
        "a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0
    }  # fmt: skip
    assert "truth: 2 documents are only here: b, c" in report.head()
    assert "response: 1 document is only here: d" in report.head()
    shared = cd.compare("key", "response", ["muc_f"], align="shared")
    assert shared.samples == ("a",)


def test_a_document_without_mentions_is_a_partner(folder: Path) -> None:
    write("key/a.conll", BARE)
    write("key/b.conll", BARE)
    write("response/a.conll", BARE)
    write("response/b.conll", "d 0 a -\nd 0 b -\n")
    report = cd.compare("key", "response", ["bcubed_recall"], align="penalise")
    assert report["bcubed_recall"].each == (1.0, 0.0)
    assert "only here" not in report.head()
    write("key/c.conll", "d 0 a -\n")
    assert cd.compare("key", "response", ["muc_f"], align="penalise").samples == ("a", "b")


def test_one_document_twice_names_both_files(folder: Path) -> None:
    write("key/a.conll", document("(1)", name="(x)"))
    write("key/b.conll", document("(1)", name="(x)"))
    refuses(r"\(x\) begins twice, in key/a.conll and in key", cd.read, "key")


def test_lines_are_counted_file_by_file(folder: Path) -> None:
    write("key/a.conll", BARE)
    write("key/b.conll", "d 0 a -\nd 0 b 1)\n")
    refuses(r"key/b.conll could not be read: line 2 closes", cd.read, "key")


def test_tables_in_a_folder_are_one_table_as_before(folder: Path) -> None:
    write("key/a.csv", "id,cluster\n1,a\n2,a\n")
    write("key/b.csv", "id,cluster\n3,b\n")
    write("key/README.conll", BARE)
    assert len(cd.read("key")) == 3
    write("empty/notes.txt", "x")
    caught = refuses("directory without tables", cd.read, "empty")
    assert ".conllu" in caught.hint


def test_two_formats_in_one_folder(folder: Path) -> None:
    write("key/a.conll", document("(1)", "(1)", name="(a)"))
    write("key/b.conllu", sentence("(e1)", "(e1)"))
    refuses(r"two formats, such as key/b.conllu", cd.read, "key")
    assert len(cd.read("key/*.conllu")) == 2


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.conll", "b.conllu.gz"], ["a", "b"]),
        (["a.gold.conll", "b.gold.conll"], ["a", "b"]),
        (["a.gold.conll", "a.auto.conll"], ["a.gold", "a.auto"]),
        (["house_key.conll", "house.conll"], ["house_key", "house"]),
        (["a.conll", "a.conll.gz"], ["a.conll", "a.conll.gz"]),
    ],
)
def test_what_documents_are_called(files: list[str], names: list[str]) -> None:
    assert document_names(files) == names
