"""Lines of a .clusters file that start with #: comments and ids are told apart, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run

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
