"""Files are written as a whole or not at all, and never over one that was read."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from cli.runner import run
from clusterdiff.output.writing import write
from refusals import refuses

TABLE = "id,cluster\n1,a\n2,a\n3,b\n4,b\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "g.csv"):
        (tmp_path / name).write_text(TABLE)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.csv").write_text(TABLE)
    (tmp_path / "t.html").write_text(TABLE)
    (tmp_path / "link.html").symlink_to("t.csv")
    (tmp_path / "hard.html").hardlink_to("t.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("truth", "out"),
    [
        ("t.csv", "t.csv"),
        ("t.csv", "./parts/../t.csv"),
        ("t.csv::cluster", "t.csv"),
        ("t.csv", "link.html"),
        ("link.html", "t.csv"),
        ("t.csv", "hard.html"),
        ("parts", "parts/one.csv"),
        ("parts/*.csv", "parts/one.csv"),
        ("t.html", "t.html"),
    ],
)
def test_no_input_is_overwritten(truth: str, out: str, folder: Path) -> None:
    for files in ([truth, "g.csv"], ["g.csv", truth], ["g.csv", "g.csv", truth]):
        ran = run("report", *files, "-o", out)
        assert (ran.code, ran.stdout) == (2, "")
        assert f"{out} is read" in ran.stderr
        assert "would be overwritten" in ran.stderr
        assert Path(out).read_text() == TABLE


def test_it_is_refused_before_any_work(folder: Path) -> None:
    (folder / "broken.csv").write_text("")
    assert "would be overwritten" in run("report", "broken.csv", "t.csv", "-o", "t.csv").stderr


def test_standard_input_may_be_a_file(folder: Path) -> None:
    before = os.dup(0)
    try:
        with Path("t.csv").open() as stdin:
            os.dup2(stdin.fileno(), 0)
        refuses("would be overwritten", write, "t.csv", "new", ["-"])
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert Path("t.csv").read_text() == TABLE


def test_a_page_knows_what_it_was_made_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = cd.page("t.html", {"one": "g.csv", "two": Path("t.csv")}, measures="rand")
    monkeypatch.chdir(folder / "parts")
    for place in ("../t.csv", "../t.html", "../g.csv", "../link.html"):
        refuses("would be overwritten", page.save, place)
    page.save("../page.html")
    monkeypatch.chdir(folder)
    assert "<!doctype html>" in Path("page.html").read_text()


def test_a_picture_knows_what_it_was_drawn_from(folder: Path) -> None:
    figures = [
        cd.plot.sizes("t.html", "g.csv"),
        cd.plot.sizes("g.csv", guess={"a": "t.html"}),
        cd.plot.outcomes("g.csv", {"a": "t.html"}),
        lab.plot_worsening("t.html", ["rand"]),
    ]
    for figure in figures:
        refuses("would be overwritten", cd.plot.save, figure, "t.html")
    assert Path("t.html").read_text() == TABLE


def test_nor_does_an_experiment_write_over_its_data(folder: Path) -> None:
    asked = ["reproduce", "split-merge", "-e", "worsening", "--out", ".", "--data"]
    for name in ("worsening.csv", "worsening-steps.csv"):
        Path(name).write_text(TABLE)
        ran = run(*asked, name)
        assert (ran.code, ran.stdout, Path(name).read_text()) == (2, "", TABLE)
        assert "would be overwritten" in ran.stderr


def failing(number: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_full_disk_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", failing(errno.ENOSPC))
    refuses("could not be written: No space left", write, "t.html", "new")
    assert Path("t.html").read_text() == TABLE
    assert not list(folder.glob(".clusterdiff-*"))


def test_so_does_a_limit_on_the_size_of_files(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        refuses("could not be written: File too large", write, "t.html", "x" * 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert Path("t.html").read_text() == TABLE
    assert not list(folder.glob(".clusterdiff-*"))


def test_an_interrupt_leaves_nothing_half_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise SystemExit(130)

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(SystemExit):
        write("t.html", "new")
    assert Path("t.html").read_text() == TABLE
    assert not list(folder.glob(".clusterdiff-*"))


@pytest.mark.parametrize(
    ("place", "words"),
    [("parts", "Is a directory"), ("nowhere/page.html", "No such file"), ("/dev/full", "No space")],
)
def test_a_place_that_takes_no_file_is_told(folder: Path, place: str, words: str) -> None:
    refuses(f"{place} could not be written: {words}", write, place, "x")


def test_mode_and_links_are_kept(folder: Path) -> None:
    Path("t.html").chmod(0o640)
    write("t.html", "new")
    assert (Path("t.html").read_text(), Path("t.html").stat().st_mode & 0o777) == ("new", 0o640)
    write("link.html", "through")
    assert Path("link.html").is_symlink()
    assert Path("t.csv").read_text() == "through"
    before = os.umask(0o027)
    try:
        write("fresh.html", "new")
    finally:
        os.umask(before)
    assert Path("fresh.html").stat().st_mode & 0o777 == 0o640


def test_pipes_and_devices_are_written_to(folder: Path) -> None:
    os.mkfifo("pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(Path("pipe").read_bytes()))
    reader.start()
    write("pipe", "through")
    reader.join()
    assert found == [b"through"]
    write("/dev/null", "x")


def test_the_output_of_a_shell_is_not_cut(folder: Path) -> None:
    Path("log").write_text("before\n")
    code = "from clusterdiff.output.writing import write; write('/dev/stdout', 'page')"
    with Path("log").open("a") as log:
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True)
    assert Path("log").read_text() == "before\npage"


def test_a_full_disk_is_named_whatever_an_engine_wraps_it_in() -> None:
    wrapped = OSError('IO Error: Async write failed: {"message": "x: No space left on device"}')
    told = str(cd.errors.WriteError.from_os("out/x.csv", wrapped))
    assert told.startswith("out/x.csv could not be written: No space left on the disk.")
    assert "df -h out" in told
