"""The command itself: its verbs, and errors as one paragraph on standard error."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import typer

from clusterdiff.chance import command as chance
from clusterdiff.cleanup import end_on_signals, leave
from clusterdiff.cli import demo, options, schema
from clusterdiff.cli.streams import flush, prepare, say
from clusterdiff.compare import command as compare
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MemoryNeeded, printable
from clusterdiff.explain import command as explain
from clusterdiff.explain import diff_command as diff
from clusterdiff.page import command as report
from clusterdiff.releases import relabel_command as relabel
from clusterdiff.releases import track_command as track
from clusterdiff.runs import consensus_command as consensus
from clusterdiff.runs import matrix_command as matrix
from clusterdiff.sampling import draw_command as draw
from clusterdiff.sampling import estimate_command as estimate
from clusterdiff.sampling import pairs_command as pairs
from clusterdiff.sweep import command as sweep
from clusterdiff.version import __version__
from clusterdiff_lab.axioms import command as axioms
from clusterdiff_lab.catalogue import command as measures
from clusterdiff_lab.papers import command as reproduce

CLOSED = 141
"""What a command ends with whose reader has gone, as shells know it from SIGPIPE."""

WINDOWS = os.name == "nt"

app = typer.Typer(
    name="clusterdiff",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("demo")(demo.demo)
app.command("compare", cls=options.Verb, epilog=options.HELP)(compare.compare)
app.command("explain", cls=options.Verb, epilog=explain.HELP)(explain.explain)
app.command("diff", cls=options.Verb, epilog=diff.HELP)(diff.diff)
app.command("report", cls=options.Verb, epilog=report.HELP)(report.report)
app.command("sweep", cls=options.Verb, epilog=sweep.HELP)(sweep.sweep)
app.command("relabel", cls=options.Verb, epilog=relabel.HELP)(relabel.relabel)
app.command("track", cls=options.Verb, epilog=track.HELP)(track.track)
app.command("matrix", cls=options.Verb, epilog=matrix.HELP)(matrix.matrix)
app.command("consensus", cls=options.Verb, epilog=consensus.HELP)(consensus.consensus)
app.command("estimate", cls=options.Verb, epilog=estimate.HELP)(estimate.estimate)
app.command("draw", cls=options.Verb, epilog=draw.HELP)(draw.draw)
app.command("chance", cls=options.Verb, epilog=chance.HELP)(chance.chance)
app.command("pairs", epilog=pairs.HELP)(pairs.pairs)
app.command("measures")(measures.measures)
app.command("axioms", epilog=axioms.HELP)(axioms.axioms)
app.command("reproduce", epilog=reproduce.HELP)(reproduce.reproduce)
app.command("schema")(schema.schema)


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
