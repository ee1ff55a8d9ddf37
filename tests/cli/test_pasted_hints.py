"""What a hint offers to paste is one word for a shell, whatever the files are called."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from cli.runner import run
from clusterdiff.errors import pasted

NAMES = [
    "guess; halt.csv",
    "guess $(halt).csv",
    "guess`halt`.csv",
    "gu'ess\".csv",
    "guess&halt.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_files_are_quoted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("id,cluster\n1,a\n2,b\n")
    ran = run("compare", "12|3", name[:-5] + "x" + name[-5:])
    hint = ran.stderr.partition("did you mean ")[2].partition("?")[0]
    assert shlex.split(hint) == [name]


@pytest.mark.parametrize(
    "text", [*NAMES, "plain.csv", "a b", "", "back\\", "nmi(norm='min')", "!x"]
)
def test_a_word_stays_a_word(text: str) -> None:
    assert shlex.split(pasted(text)) == [text]
