"""What other systems lack or do otherwise, emulated here; the hosted workflow runs on them."""

from __future__ import annotations

import ast
import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff import cleanup as tidy
from clusterdiff.cli import main, streams
from clusterdiff.output.writing import write
from clusterdiff_lab.axioms.laboratory import cores
from refusals import refuses

SOURCES = Path(cd.__file__).parent
POSIX = {
    "fork", "sysconf", "getuid", "geteuid", "getpgid", "setsid", "mkfifo", "uname", "nice",
    "SIGHUP", "SIGPIPE", "SIGKILL", "SIGALRM", "alarm", "setitimer",
}  # fmt: skip
"""Attributes of `os` and `signal` that Windows lacks."""
on_posix = pytest.mark.skipif(os.name == "nt", reason="there is no such name on Windows itself")
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"}


def test_nothing_is_used_that_windows_lacks() -> None:
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used = node.value.id in ("os", "signal") and node.attr in POSIX
                assert not used, f"{path}:{node.lineno} uses {node.attr}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not names & MODULES or is_tried(node, path), f"{path}:{node.lineno}"


def is_tried(node: ast.stmt, path: Path) -> bool:
    """Whether an import stands in a `try` that does without the module."""
    tries = [
        one
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(one, ast.Try)
    ]
    caught = [one for one in tries if any("ImportError" in ast.unparse(h) for h in one.handlers)]
    return any(inside.lineno == node.lineno for one in caught for inside in one.body)


def is_binary(call: ast.Call) -> bool:
    given = [*call.args, *(one.value for one in call.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    return any(isinstance(mode, str) and mode in ("rb", "wb", "ab", "xb", "a+b") for mode in modes)


def test_every_text_has_an_encoding() -> None:
    """The default is the code page of the country on Windows."""
    seen = 0
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            opens = isinstance(node.func, ast.Name) and name == "open" and not is_binary(node)
            of = getattr(getattr(node.func, "value", None), "id", "")
            if opens or (name in ("read_text", "write_text") and of != "formatter"):
                seen += 1
                named = {one.arg for one in node.keywords}
                assert "encoding" in named, f"{path}:{node.lineno}"
    assert seen > 5


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without signals of POSIX, affinities and the right to make links."""
    for name in ("SIGHUP", "SIGPIPE"):
        monkeypatch.delattr(signal, name, raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)

    def refuse(*_: Any) -> None:
        raise OSError(errno.EPERM, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)


@on_posix
@pytest.mark.usefixtures("without")
def test_the_command_works_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[int, Any] = {}
    monkeypatch.setattr(signal, "signal", known.__setitem__)
    tidy.end_on_signals()
    assert set(known) == {signal.SIGINT, signal.SIGTERM}
    assert cores() >= 1
    odd = "a\\*.csv"  # a name that engines cannot be told, so that it is linked, or copied
    Path(odd).write_text("id,cluster\n1,a\n2,b\n")
    assert run("compare", odd, odd, "-m", "elm_f").code == 0


@on_posix
def test_a_path_with_a_drive_and_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(r"C:\data\x.csv").write_text("id,gold,run\n1,a,x\n2,a,x\n3,b,y\n")
    sides = [rf"C:\data\x.csv::{column}" for column in ("gold", "run")]
    assert cd.elm_f(*sides) == 1
    ran = run("compare", *sides, "-m", "elm_f", "-f", "json")
    (told,) = json.loads(ran.stdout)["guesses"].values()
    assert told["elm_f"]["value"] == 1
    ran = run("compare", r"C:\data\y.csv::gold", sides[1])
    assert ran.code == 2
    assert ran.stderr.startswith(r"clusterdiff: File not found: C:\data\y.csv")


@pytest.mark.parametrize("at", ["write", "flush"])
def test_a_reader_that_has_gone_is_an_invalid_argument_on_windows(
    at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    out = io.StringIO()
    monkeypatch.setattr(out, at, gone)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["clusterdiff", "compare", "12|3", "1|23"])
    for windows, code in ((True, main.CLOSED), (False, 2)):
        with mock.patch.object(main, "WINDOWS", windows), pytest.raises(SystemExit) as ended:
            main.run()
        assert ended.value.code == code


def test_lines_end_alike_in_a_pipe_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, "cp1252", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", out)
    streams.prepare()
    streams.say('a,"b\r\nc"\n≤')
    assert raw.getvalue() == b'a,"b\r\nc"\n<=\n'


def test_a_file_that_another_program_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    place = tmp_path / "page.html"
    place.write_text("old")
    monkeypatch.setattr(os, "replace", locked)
    refuses(r"page\.html could not be written: The process", write, place, "new")
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_temporary_folder_that_is_held_for_a_while_is_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows removes no file that is open, as a scanner's or an engine's may be for a moment."""
    tries, remove = [], shutil.rmtree

    def held(path: Path, **how: Any) -> None:
        tries.append(path)
        if len(tries) > 2:
            remove(path, **how)

    monkeypatch.setattr(shutil, "rmtree", held)
    with tidy.temporary_folder() as folder:
        (folder / "file").write_text("")
    assert len(tries) == 3
    assert not folder.exists()


def test_nothing_relies_on_the_encoding_of_the_system(tmp_path: Path) -> None:
    """As on a Windows with the code page of Western Europe: UTF-8 goes in, and JSON comes out."""
    truth, guess = (tmp_path / f"{name}.csv" for name in ("wahrheit-ä", "größe"))
    truth.write_text("id,cluster\nα,ü\nβ,ü\nγ,ö\n", encoding="utf-8")
    guess.write_text("id,cluster\nα,1\nβ,1\nγ,1\n", encoding="utf-8")
    summary = tmp_path / "summary.md"
    strict = [
        "-X",
        "utf8=0",
        "-X",
        "warn_default_encoding",
        "-W",
        "error::EncodingWarning:clusterdiff",
    ]
    command = [sys.executable, *strict, "-m", "clusterdiff", "explain", truth.name, guess.name]
    environment = os.environ | {
        "PYTHONIOENCODING": "cp1252",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    ran = subprocess.run(
        [*command, "-f", "json"], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert not ran.returncode, ran.stderr
    told = json.loads(ran.stdout.decode("cp1252"))
    assert [one["name"] for one in told["components"][0]["truth"]] == ["ü", "ö"]
    assert "α" in told["components"][0]["cells"][0]["ids"]
    sides = (str(truth), str(guess), "--summary", str(summary))
    assert run("compare", *sides, "--fail-under", "elm_f=1").code == 1
    assert summary.read_text(encoding="utf-8").startswith(r"**✗ größe.csv: elm\_f is ")
