"""CoNLL-2012: mentions in two chains, documents without mentions, lines that cannot be read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses


def document(*marks: str, name: str = "(d); part 000") -> str:
    rows = [f"d 0 {i} word {mark}" for i, mark in enumerate(marks)]
    return "\n".join([f"#begin document {name}", *rows, "#end document", ""])


KEY = document("(1)", "(2)", "(2)", "(3)", "(3)", "(3)", "-", "-", "-")
"""The key of the reference scorer's cases TC-A: a | b c | d e f."""
PLAIN = document("(1)", "(2)", "(2)", "(3)", "-", "-", "(2)", "(3)", "(4)")
"""The response of TC-A-8 without the repeat: a | b c x | d y | z."""
AGAIN = document("(1)", "(2)|(4)", "(2)", "(3)", "-", "-", "(2)", "(3)", "(4)")
"""The same where b is in the cluster of z again."""
FIRST = document("(1)", "(4)|(2)", "(2)", "(3)", "-", "-", "(2)", "(3)", "(4)")
"""The same where the chain of z begins first, at b."""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.conll").write_text(text)


MEASURES = ["muc_f", "bcubed_f", "ceaf_e_f", "conll", "blanc_f", "lea_f"]


def test_a_mention_in_two_chains_stays_in_the_first(folder: Path) -> None:
    write(folder, key=KEY, plain=PLAIN, again=AGAIN, first=FIRST)
    plain, again, first = (
        cd.compare("key.conll", f"{name}.conll", MEASURES, align="penalise")
        for name in ("plain", "again", "first")
    )
    for measure in MEASURES:
        assert again[measure].value == plain[measure].value
    assert again["muc_f"].value == pytest.approx(1 / 3)
    assert first["lea_f"].value < plain["lea_f"].value
    note = "again.conll: 1 mention stands in a second chain: the first was kept"
    assert note in again.head()
    assert "second chain" not in plain.head()
    ran = run("compare", "again.conll", "plain.conll", "--align", "penalise")
    assert "truth: 1 mention stands in a second chain: the first was kept" in ran.stdout


def test_a_cover_has_a_mention_in_all_its_chains(tmp_path: Path) -> None:
    write(tmp_path, again=AGAIN)
    cover = cd.read(tmp_path / "again.conll", kind="cover")
    assert cover.notes == ()
    assert sorted(cover.labels.tolist()) == ["1", "2", "3", "4"]


def test_files_without_mentions_are_said_to_have_none(tmp_path: Path) -> None:
    none = document("-", "-", "-")
    write(tmp_path, none=none, key=KEY)
    empty, key = tmp_path / "none.conll", tmp_path / "key.conll"
    for align in ("exact", "shared", "singletons", "penalise"):
        with pytest.raises(cd.ClusterdiffError, match="has no objects: there is nothing to comp"):
            cd.compare(empty, empty, ["bcubed_f"], align=align)
    for truth, guess in ((key, empty), (empty, key)):
        report = cd.compare(truth, guess, ["bcubed_f", "muc_f", "conll"], align="penalise")
        assert [report[m].value for m in report] == [0, 0, 0]
        refuses("6 of 6|6 only in guess", cd.compare, truth, guess, ["bcubed_f"])


def test_a_document_without_mentions_beside_others(tmp_path: Path) -> None:
    two = document("(7)", "(7)", name="(two)")
    write(tmp_path, key=KEY + two, guess=KEY + document("-", "-", name="(two)"))
    report = cd.compare(
        tmp_path / "key.conll", tmp_path / "guess.conll", ["bcubed_recall"], align="penalise"
    )
    assert report["bcubed_recall"].each == (1.0, 0.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (KEY + KEY, r"the document \(d\); part 000 begins twice"),
        (KEY + "d 0 0 word (1)\n", "line 12 stands outside of a document"),
        (document("(e3)"), r"\(e3\) in line 2 is not a mark of chains"),
        (document("(12a"), r"opened but never closed"),
        ("d 0 0 word (1)\n", "line 1 stands outside"),
        ("#a comment\n", "has no rows"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, why: str, tmp_path: Path) -> None:
    write(tmp_path, x=text)
    refuses(why, cd.read, tmp_path / "x.conll")


def test_long_lines_of_blanks_take_no_time(tmp_path: Path) -> None:
    blanks = " " * 200_000
    text = KEY.replace("#begin document (d);", f"#begin document{blanks}(d){blanks};")
    write(tmp_path, x=text + f"#{blanks}x\n" + blanks + "\n")
    start = time.process_time()
    assert len(cd.read(tmp_path / "x.conll")) == 6
    assert time.process_time() - start < 2
