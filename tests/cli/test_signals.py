"""Whatever ends the command, and whenever: it says nothing, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")

COMMAND = [sys.executable, "-m", "clusterdiff"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two tables that take seconds to explain."""
    folder = tmp_path_factory.mktemp("tables")
    paths = str(folder / "truth.csv"), str(folder / "guess.csv")
    with duckdb.connect() as connection:
        for path, clusters in zip(paths, (100_003, 99_991), strict=True):
            rows = (
                f"SELECT 'r' || i AS id, hash(i) % {clusters} AS cluster FROM range(1000000) r(i)"
            )
            connection.execute(f"COPY ({rows}) TO '{path}'")
    return paths


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


@contextmanager
def started(temp: Path, *arguments: str, wait: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    """The command at work, with temporary files in a folder of its own; it handles signals."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temp)},
        preexec_fn=_as_in_a_terminal,
    )  # fmt: skip
    with process:
        while wait and process.poll() is None and not _handles(process.pid, signal.SIGTERM):
            time.sleep(0.002)
        try:
            yield process
        finally:
            process.kill()


def _as_in_a_terminal() -> None:
    """No signal is ignored, as it is below nohup and of jobs in the background."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def _handles(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def ended(process: subprocess.Popen[bytes], number: int) -> tuple[int, bytes, bytes]:
    """Send a signal; the exit code, and what was printed."""
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("moment", range(0, 9, 2))
def test_an_interrupt_at_any_moment(moment: int, tables: tuple[str, str], temp: Path) -> None:
    number = SIGNALS[moment % 3]
    with started(temp, "explain", *tables, "--threads", "1") as process:
        time.sleep(0.1 * moment)
        assert ended(process, number) == (128 + number, b"", b"")
    assert os.listdir(temp) == []


def test_a_copy_of_standard_input_is_removed(temp: Path) -> None:
    with started(temp, "compare", "-", "12|3") as process:
        while not list(temp.glob("clusterdiff-*")):
            time.sleep(0.01)
        assert ended(process, signal.SIGHUP) == (129, b"", b"")
    assert os.listdir(temp) == []


def test_a_second_signal_changes_nothing(tables: tuple[str, str], temp: Path) -> None:
    with started(temp, "explain", *tables) as process:
        while not list(temp.glob("clusterdiff-*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        code, out, err = ended(process, signal.SIGINT)
    assert code in (143, 130)
    assert (out, err) == (b"", b"")
    assert os.listdir(temp) == []


def test_nohup_is_respected(temp: Path) -> None:
    code = "import signal, os; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    code += "import sys; sys.argv = ['clusterdiff', 'compare', '12|3', '1|23']; "
    code += "from clusterdiff.cli.main import entry; os.kill(os.getpid(), signal.SIGHUP); entry()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_program_that_imports_the_package_keeps_its_handlers() -> None:
    code = "import signal, clusterdiff; print(signal.getsignal(signal.SIGINT).__name__)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        preexec_fn=_as_in_a_terminal,
    )  # fmt: skip
    assert ran.stdout == "default_int_handler\n"


def test_a_reader_that_has_gone(temp: Path) -> None:
    """Nothing is said, nothing is left, and the exit code is neither success nor a gate missed."""
    truth, guess = (temp.parent / f"{name}.csv" for name in ("truth", "guess"))
    for file, shift in ((truth, 0), (guess, 1)):
        file.write_text("id,cluster\n" + "".join(f"{i},{(i + shift) // 3}\n" for i in range(300)))
    with started(temp, "explain", str(truth), str(guess), wait=False) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(60) == 141
    assert os.listdir(temp) == []


HOLD = """
import sys, time
from clusterdiff.cleanup import temporary_folder
with temporary_folder() as folder:
    print(folder, flush=True)
    sys.stdin.readline()
"""


def test_what_a_killed_process_left_is_removed_by_the_next(temp: Path) -> None:
    def holding() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", HOLD], env={**os.environ, "TMPDIR": str(temp)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def folder_of(process: subprocess.Popen[str]) -> Path:
        return Path(next(iter(process.stdout or ())).strip())

    foreign, unmarked = temp / "clusterdiff-elsewhere", temp / "clusterdiff-mine"
    for folder in (foreign, unmarked):
        folder.mkdir()
    (foreign / ".owner").write_text("another machine")
    with holding() as killed, holding() as alive:
        abandoned, used = folder_of(killed), folder_of(alive)
        killed.kill()
        killed.wait()
        assert abandoned.is_dir()
        with holding() as third:
            assert folder_of(third).is_dir()
            assert not abandoned.exists()
            assert used.is_dir()
            third.communicate("\n")
        alive.communicate("\n")
    assert set(temp.iterdir()) == {foreign, unmarked}
