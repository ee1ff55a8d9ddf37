"""CorefUD: entities in the last column of CoNLL-U; lines that cannot be read."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

HEADER = "# global.Entity = eid-etype-head-other\n"


def sentence(*marks: str, ids: tuple[str, ...] = ()) -> str:
    """A sentence with these entities at its nodes; "" for none."""
    names = ids or tuple(map(str, range(1, len(marks) + 1)))
    lines = []
    for name, mark in zip(names, marks, strict=True):
        misc = f"SpaceAfter=No|Entity={mark}" if mark else "_"
        lines.append("\t".join([name, *["_"] * 8, misc]))
    return "\n".join(lines) + "\n\n"


def document(name: str, *sentences: str) -> str:
    return f"# newdoc id = {name}\n" + "".join(sentences)


def objects(path: Path | str, kind: str = "partition") -> dict[tuple[str | None, str], object]:
    found = cd.read(path, kind=kind)
    samples = [None] * len(found) if found.samples is None else found.samples.tolist()
    assert found.ids is not None
    return dict(
        zip(zip(samples, found.ids.tolist(), strict=True), found.labels.tolist(), strict=True)
    )


def read(tmp_path: Path, text: str) -> dict[tuple[str | None, str], object]:
    (tmp_path / "x.conllu").write_text(text)
    return objects(tmp_path / "x.conllu")


def test_spans_are_counted_through_a_document(tmp_path: Path) -> None:
    text = HEADER + document(
        "a",
        sentence("(e1-person-1-", "e1)(e2-place-1-)", "(e3(e4)", "e3)"),
        sentence("(e1-person-1-)", ""),
    )
    assert read(tmp_path, text + document("b", sentence("(e1)"))) == {
        ("a", "0-1"): "e1", ("a", "1-1"): "e2", ("a", "2-2"): "e4", ("a", "2-3"): "e3",
        ("a", "4-4"): "e1", ("b", "0-0"): "e1",
    }  # fmt: skip


def test_nested_mentions_of_one_entity(tmp_path: Path) -> None:
    text = document("a", sentence("(e1", "(e1", "e1)", "e1)"))
    assert set(read(tmp_path, text)) == {("a", "1-2"), ("a", "0-3")}


def test_parts_are_one_mention(tmp_path: Path) -> None:
    apart = document(
        "a", sentence("(e1[1/2]-x-1", "e1[1/2])", "(e2)", "(e1[2/2]-x-1)"), sentence("(e1)")
    )
    assert read(tmp_path, apart) == {
        ("a", "0-1,3-3"): "e1", ("a", "2-2"): "e2", ("a", "4-4"): "e1"
    }  # fmt: skip
    beside = document("a", sentence("(e1[1/3])", "(e1[2/3])", "", "(e1[3/3])"))
    assert set(read(tmp_path, beside)) == {("a", "0-1,3-3")}


def test_empty_nodes_are_called_after_the_word_before_them(tmp_path: Path) -> None:
    text = document(
        "a",
        sentence("(e1)", "", "(e2)", "(e1", "e1)", ids=("1", "2-3", "2", "2.1", "3")),
        sentence("(e3)", "(e4)", "(e5)", ids=("0.1", "1", "1.1")),
    )
    assert read(tmp_path, text) == {
        ("a", "0-0"): "e1", ("a", "1-1"): "e2", ("a", "1.1-2"): "e1", ("a", "3.0.1-3.0.1"): "e3",
        ("a", "3-3"): "e4", ("a", "3.1-3.1"): "e5",
    }  # fmt: skip


def test_an_empty_node_inside_of_a_span_does_not_change_its_id(tmp_path: Path) -> None:
    with_node = document("a", sentence("(e1", "", "e1)", ids=("1", "1.1", "2")))
    without = document("a", sentence("(e1", "e1)"))
    assert read(tmp_path, with_node) == read(tmp_path, without)


def test_the_header_says_which_field_is_the_entity(tmp_path: Path) -> None:
    text = "# global.Entity = entity-GRP-infstat\n" + document("a", sentence("(person-7-new", "7)"))
    assert read(tmp_path, text) == {("a", "0-1"): "7"}


def test_a_file_without_documents_has_no_samples(tmp_path: Path) -> None:
    assert read(tmp_path, sentence("(e1)", "(e2)")) == {(None, "0-0"): "e1", (None, "1-1"): "e2"}


def test_documents_without_names_are_numbered(tmp_path: Path) -> None:
    one = "# newdoc\n" + sentence("(e1)")
    assert set(read(tmp_path, one)) == {(None, "0-0")}
    assert set(read(tmp_path, one + one)) == {("1", "0-0"), ("2", "0-0")}


def test_known_by_how_it_starts_and_compared_with_conll(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(
        HEADER + document("(d)", sentence("(e1)", "(e2)"), sentence("(e1)"))
    )
    (tmp_path / "key.gz").write_bytes(gzip.compress((tmp_path / "key").read_bytes()))
    (tmp_path / "response.conll").write_text(
        "#begin document (d)\nd 0 a (5)\nd 0 b (6)\nd 0 c (5)\n#end document\n"
    )
    for name in ("key", "key.gz"):
        report = cd.compare(tmp_path / name, tmp_path / "response.conll", ["conll", "muc_f"])
        assert [report[m].value for m in report] == [1, 1]


def test_a_mention_in_two_entities_stays_in_the_first(tmp_path: Path) -> None:
    text = document("a", sentence("(e2)", "(e1)(e2)", "(e1)"))
    assert read(tmp_path, text)["a", "1-1"] == "e2"
    assert "1 mention stands in a second chain" in str(cd.read(tmp_path / "x.conllu").notes)
    assert cd.read(tmp_path / "x.conllu", kind="cover").notes == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (sentence("(e1", ""), "line 1 opens e1, which is never closed"),
        (sentence("", "e1)"), "line 2 closes entity e1, which is not open"),
        (sentence("(e1[1/2])", ""), r"line 1 opens e1, of which there is no part e1\[2/2\]"),
        (sentence("(e1[2/2])"), r"line 1 opens e1\[2/2\] without the parts before it"),
        (sentence("(e1[3/2])"), r"e1\[3/2\] in line 1 does not name an entity"),
        (sentence("e1"), "Entity=e1 in line 1 is not a mark of entities"),
        (sentence("(e1))"), r"Entity=\(e1\)\) in line 1 is not a mark"),
        (sentence("()"), r"Entity=\(\) in line 1 is not a mark"),
        ("# global.Entity = etype-head\n" + sentence("(e1)"), "line 1 says global.Entity = etype-"),
        ("# global.Entity = etype-eid\n" + sentence("(e1)"), "e1 in line 2 does not name an ent"),
        (document("a", sentence("(e1)")) * 2, "the document a begins twice"),
        (sentence("(e1)") + document("a"), "line 3 begins a document, and the words before it"),
        ("1\tword\t_\n", "line 1 has 3 columns between tabs, and CoNLL-U has 10"),
        (sentence("", "", ids=("1", "3")), "line 2: word 3 follows word 1"),
        (sentence("", "", ids=("1", "2.1")), r"line 2: 2.1 follows 1"),
        (sentence("", ids=("x",)), "line 1 starts with x, which is not a word"),
        (sentence("(e1)", "", ids=("1-2", "1")), "line 1 has entities at the token 1-2"),
        ("# a comment\n", "has no rows"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, why: str, tmp_path: Path) -> None:
    refuses(why, read, tmp_path, text)


def test_long_lines_take_no_time(tmp_path: Path) -> None:
    start = time.process_time()
    blanks = " " * 200_000
    assert read(tmp_path, f"# newdoc id = a{blanks}b\n#{blanks}x\n" + sentence("(e1)"))
    refuses("is not a mark", read, tmp_path, sentence("(" + "a" * 200_000 + "(("))
    assert time.process_time() - start < 2


def test_the_command_says_it_in_one_paragraph(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(HEADER + document("a", sentence("(e1", "e2)")))
    path = str(tmp_path / "x.conllu")
    ran = run("compare", path, path)
    assert ran.code == 2
    assert "line 4 closes entity e2, which is not open" in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr
