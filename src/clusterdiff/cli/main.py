"""The command itself: its verbs, and errors as one paragraph on standard error."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from clusterdiff.cleanup import end_on_signals, leave
from clusterdiff.cli.streams import flush, prepare, say
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MemoryNeeded, printable
from clusterdiff.plugins import loaded, names_in
from clusterdiff.version import __version__

VERBS = {
    "demo": "demo",
    "compare": "compare.command",
    "explain": "explain.command",
    "diff": "explain.diff_command",
    "table": "table.command",
    "report": "page.command",
    "sweep": "sweep.command",
    "relabel": "releases.relabel_command",
    "track": "releases.track_command",
    "matrix": "runs.matrix_command",
    "consensus": "runs.consensus_command",
    "estimate": "sampling.estimate_command",
    "draw": "sampling.draw_command",
    "chance": "chance.command",
    "pairs": "sampling.pairs_command",
    "schema": "cli.schema",
}
"""The module with the function of each verb, in the order of `--help`. It is imported when the verb
is called; packages add verbs by entry points in the group `clusterdiff.commands`.
"""
CLOSED = 141
"""What a command ends with whose reader has gone, as shells know it from SIGPIPE."""

WINDOWS = os.name == "nt"


class Verbs(TyperGroup):
    """The verbs by name, each made a command when it is called or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Our verbs, then those of other packages."""
        return [*VERBS, *(name for name in names_in("commands") if name not in VERBS)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, if there is one."""
        if cmd_name in VERBS:
            verb = getattr(import_module(f"clusterdiff.{VERBS[cmd_name]}"), cmd_name)
        elif cmd_name in names_in("commands"):
            verb = loaded("commands").get(cmd_name)
        else:
            verb = None
        return None if verb is None else _command(cmd_name, verb)


def _command(name: str, verb: Callable[..., None]) -> Any:
    """A function as a command; the text HELP of its module stands below the options."""
    from clusterdiff.cli.options import Verb

    epilog = getattr(sys.modules[verb.__module__], "HELP", None)
    only = typer.Typer(add_completion=False, rich_markup_mode=None)
    only.command(name, cls=Verb, epilog=epilog)(verb)
    return typer.main.get_command(only)


app = typer.Typer(
    cls=Verbs,
    name="clusterdiff",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"clusterdiff {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Compare clusterings: how similar they are, and where they disagree.

    The ground truth comes first, the guess second. Try `clusterdiff demo`,
    then `clusterdiff compare truth.csv guess.csv` for the scores,
    `clusterdiff explain truth.csv guess.csv` for where they disagree, and
    `clusterdiff axioms elm_f` for the properties of a measure.
    """


def entry() -> None:
    """The command as the shell calls it: an interrupt or a closed pipe ends it without a word."""
    end_on_signals()
    try:
        run()
    except SystemExit as end:
        if end.code == CLOSED:
            leave(CLOSED)
        raise
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(2)


def run() -> None:
    """Run the command: 0 done, 1 a threshold missed, 2 bad input or usage."""
    prepare()
    try:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = partial(_warn, warnings.showwarning)
                app()
        finally:
            flush()
    except SystemExit as end:
        if reader_has_gone(end.__context__):
            sys.exit(CLOSED)
        raise
    except ClusterdiffError as error:
        fail(error)
    except RecursionError:
        fail(ClusterdiffError("the input is nested too deeply.", "write it flat, as a table."))
    except OSError as error:
        if reader_has_gone(error):
            sys.exit(CLOSED)
        fail(ClusterdiffError(f"the output could not be written: {error.strerror}."))
    except Exception as error:
        if not MemoryNeeded.is_behind(error):
            raise
        fail(MemoryNeeded.in_python())


def reader_has_gone(error: BaseException | None) -> bool:
    """Whether a pipe was closed at its other end; Windows calls that an invalid argument."""
    if isinstance(error, BrokenPipeError):
        return True
    return WINDOWS and isinstance(error, OSError) and error.errno == errno.EINVAL


def fail(error: ClusterdiffError) -> None:
    """One paragraph and a hint on standard error, exit code 2."""
    _tell(error)
    sys.stderr.flush()
    sys.exit(2)


def _tell(what: ClusterdiffError | ClusterdiffWarning) -> None:
    text = f"clusterdiff: {what.message}"
    if what.hint:
        text += f"\n  Hint: {what.flags or as_flags(what.hint)}"
    say("\n".join(map(printable, text.split("\n"))), err=True)


def _warn(other: Callable[..., None], warning: Warning | str, *where: Any, **how: Any) -> None:
    """A warning of ours as one paragraph, all others as Python shows them."""
    if isinstance(warning, ClusterdiffWarning):
        _tell(warning)
    else:
        other(warning, *where, **how)


def as_flags(hint: str) -> str:
    """A hint for Python, said for the command line.

    >>> as_flags('use align="shared", or noise=[None]')
    'use --align shared, or --noise null'
    """
    hint = hint.replace("noise=[None]", "--noise null")
    return re.sub(
        r'\b(align|noise_as|samples|kind|rest)="(\w+)"',
        lambda found: f"--{found[1].replace('_', '-')} {found[2]}",
        hint,
    )
