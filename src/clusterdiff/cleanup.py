"""Temporary folders and signals: whatever ends the process, nothing is left behind.

Temporary folders are noted before they are made. On a signal the command removes all that is noted
and ends at once: nothing is raised, so it does not matter where the signal came. What a killed
process could not remove, the next one does.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from clusterdiff.errors import SpaceNeeded

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TRIES = 100
PREFIX = "clusterdiff-"
OWNER = ".owner"
"""A file in each temporary folder, locked as long as the process that made it lives."""
_looked_through: set[Path] = set()
"""Where abandoned folders were looked for; once in a process is enough."""
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""What ends the command; not every system has all of them."""
_undo: list[Callable[[], object]] = []
"""What is to be done before the process ends, the last one first."""
_held = False
_waiting: list[int] = []
"""Signals that came while they were held."""


@contextmanager
def at_the_end(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` when the block ends, or when the process ends before; twice does no harm."""
    _undo.append(undo)
    try:
        yield
    finally:
        undo()
        _undo.remove(undo)


@contextmanager
def temporary_folder(where: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """A folder that is removed at the end."""
    import shutil
    import time

    path = _new_path(where)

    def remove() -> None:
        for _ in range(TRIES):  # Windows keeps files for a moment that another thread has open
            shutil.rmtree(path, ignore_errors=True)
            if not os.path.lexists(path):
                return
            time.sleep(0.02)

    remove_abandoned(path.parent)
    with at_the_end(remove):
        try:
            path.mkdir(mode=0o700)
            held = _mark(path)
        except OSError as error:
            raise SpaceNeeded.from_folder(str(path.parent), str(error.strerror)) from None
        try:
            yield path
        finally:
            if held is not None:
                os.close(held)


def remove_abandoned(parent: Path) -> None:
    """Remove the temporary folders of processes that were killed before they could do it.

    The owner of a folder holds a lock on its `.owner` file, which the system releases however the
    process ends. Folders of another machine (on a shared disk) or of another user stay.
    """
    import shutil
    from glob import escape, glob

    if fcntl is None or parent in _looked_through:
        return
    _looked_through.add(parent)
    for owner in glob(f"{escape(str(parent))}/{PREFIX}*/{OWNER}"):
        with suppress(OSError):
            held = os.open(owner, os.O_RDWR)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.read(held, 1000).decode(errors="replace") == _machine():
                    shutil.rmtree(Path(owner).parent, ignore_errors=True)
            finally:
                os.close(held)


def _mark(folder: Path) -> int | None:
    """Lock the `.owner` file of a new folder; the lock's descriptor, None where there are none."""
    if fcntl is None:
        return None
    unready = folder / f"{OWNER}.new"
    held = os.open(unready, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # some disks have no locks: the folder is then never found abandoned
        os.write(held, _machine().encode())
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unready.rename(folder / OWNER)  # only now can others see it, and it is locked already
    return held


def _machine() -> str:
    from socket import gethostname

    return gethostname()


def _new_path(where: str | os.PathLike[str] | None) -> Path:
    from secrets import token_hex
    from tempfile import gettempdir

    try:
        with _signals_held():  # gettempdir writes a file to try a folder, and removes it
            folder = Path(where or gettempdir()).absolute()
    except FileNotFoundError as error:
        raise SpaceNeeded.from_folder("any folder", str(error.strerror)) from None
    return folder / f"{PREFIX}{token_hex(8)}"


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait until the block ends."""
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
        if _waiting:
            leave(128 + _waiting[0])


def end_on_signals() -> None:
    """From now on a signal ends the process without a traceback; what nohup ignores stays so."""
    for number in _numbers():
        if number != getattr(signal, "SIGHUP", None) or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def _end(number: int, _: object) -> None:
    if _held:
        _waiting.append(number)
    else:
        leave(128 + number)


def leave(code: int) -> NoReturn:
    """Undo all that is noted, and end the process here and now."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)
    for undo in reversed(_undo.copy()):
        with suppress(Exception):
            undo()
    os._exit(code)


def is_command() -> bool:
    """Whether this process is `clusterdiff` or `python -m clusterdiff`, not another program that
    imports the package.
    """
    if sys.argv[:1] == ["-m"]:
        own = sys.orig_argv[1:]
        return "-m" in own and own[own.index("-m") + 1 :][:1] == ["clusterdiff"]
    return os.path.basename(sys.argv[0] if sys.argv else "") in ("clusterdiff", "clusterdiff.exe")


if is_command():
    end_on_signals()
