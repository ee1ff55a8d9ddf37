"""A terminal gets nothing that moves its cursor; a pipe gets the data as they are."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import unicodedata
from pathlib import Path
from unittest import mock

import pytest

from cli.runner import run
from clusterdiff.cli.main import run as command

NAMES = ["\x1b[31mred", "c1\x9b2J", "bidi\u202e", "a[/b]", "new\nline", "tab\t", "=1+1"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for file, clusters in (("t.csv", ["x"] * len(NAMES)), ("\x1b[2Jg.csv", NAMES)):
        with open(file, "w", newline="") as opened:
            rows = zip(NAMES, clusters, strict=True)
            csv.writer(opened).writerows([("id", "cluster"), *rows])
    return ["t.csv", "\x1b[2Jg.csv"]


def on_a_terminal(*arguments: str) -> str:
    out, err = Terminal(), Terminal()
    with (
        mock.patch.object(sys, "argv", ["clusterdiff", *arguments]),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.dict("os.environ", {"NO_COLOR": "1", "TERM": "dumb"}),
        contextlib.suppress(SystemExit),
    ):
        command()
    return out.getvalue() + err.getvalue()


def moves(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c)[0] == "C"}


@pytest.mark.parametrize("format", ["json", "csv", "md", "latex", "table"])
def test_scores(format: str, files: list[str]) -> None:
    shown = on_a_terminal("compare", *files, "-m", "rand", "-f", format, "--signatures")
    assert "rand" in shown
    assert moves(shown) == set()


@pytest.mark.parametrize("format", ["json", "csv", "md", "latex", "text"])
def test_explanations(format: str, files: list[str]) -> None:
    asked = ["--top", "all", "--objects", "all", "-f", format]
    shown = on_a_terminal("explain", *files, *asked)
    assert "split" in shown
    assert moves(shown) == set()
    assert moves(on_a_terminal("diff", *files, files[0], *asked)) == set()


def test_one_object(files: list[str]) -> None:
    for format in ("text", "json"):
        assert moves(on_a_terminal("explain", *files, "--object", NAMES[0], "-f", format)) == set()


def test_errors_and_notes(files: list[str]) -> None:
    for asked in (
        ["compare", "\x1b[31m", "t.csv"],
        ["compare", *files, "-m", "\x1b[31m"],
        ["compare", *files, "--cluster", "\x1b[31m"],
        ["compare", *files, "--fail-under", "rand=0.9"],
        ["report", *files, "-o", "\x1b[31m/page.html"],
        ["report", *files, "-o", "\x1b[31m.html", "--title", "\x1b[31m"],
    ):
        assert moves(on_a_terminal(*asked)) == set(), asked
    assert (
        moves(Path("\x1b[31m.html").read_text(encoding="utf-8").partition("<script>")[0]) == set()
    )


def test_a_pipe_gets_the_very_data(files: list[str]) -> None:
    asked = ["explain", *files, "--top", "all", "--objects", "all", "-f"]
    told = json.loads(run(*asked, "json").stdout)
    cells = [cell for part in told["components"] for cell in part["cells"]]
    assert sorted(cell["guess"] for cell in cells) == sorted(NAMES)
    rows = list(csv.DictReader(io.StringIO(run(*asked, "csv").stdout, newline="")))
    for column in ("guess", "id"):
        assert sorted(row[column].removeprefix("'") for row in rows) == sorted(NAMES)
    assert (
        run("compare", *files, "-m", "rand", "-f", "csv")
        .stdout.splitlines()[1]
        .startswith("\x1b[2Jg.csv,rand,")
    )


@pytest.mark.parametrize("verb", ["relabel", "consensus"])
def test_tables_on_standard_output(verb: str, files: list[str]) -> None:
    shown = on_a_terminal(verb, *files, "-o", "-")
    assert "id,cluster" in shown
    assert moves(shown) == set()
