"""Running the command inside the test process: output, errors and exit code, as in a shell."""

from __future__ import annotations

import contextlib
import io
import sys
from functools import cache
from typing import NamedTuple
from unittest import mock

import typer.main

from clusterdiff.cli.main import run as command

command_of = cache(typer.main.get_command)
"""The verbs with their options, made once: it takes longer than many a test."""


class Ran(NamedTuple):
    """What a command printed and how it ended."""

    stdout: str
    stderr: str
    code: int


class Stream:
    """Standard input with bytes below, as in a pipe."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def run(*arguments: str, stdin: bytes = b"", columns: int = 80) -> Ran:
    """Run `clusterdiff` with these arguments."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(typer.main, "get_command", command_of),
        mock.patch.object(sys, "argv", ["clusterdiff", *arguments]),
        mock.patch.object(sys.modules["__main__"], "__package__", "", create=True),
        mock.patch.object(sys, "stdin", Stream(stdin)),
        mock.patch.dict("os.environ", {"COLUMNS": str(columns)}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            command()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
    return Ran(out.getvalue(), err.getvalue(), code)
