"""The command itself: its verbs, and errors as one paragraph on standard error."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from glob import escape, glob
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from clusterdiff.cleanup import end_on_signals, leave
from clusterdiff.cli.streams import flush, prepare, say
from clusterdiff.errors import (
    ClusterdiffError,
    ClusterdiffWarning,
    MemoryNeeded,
    did_you_mean,
    printable,
)
from clusterdiff.plugins import loaded, names_in
from clusterdiff.version import __version__

GROUPS = {
    "Everyday": {
        "compare": "compare.command", "explain": "explain.command", "diff": "explain.command",
        "table": "table.command", "report": "page.command", "demo": "demo",
    },
    "Thresholds and releases": {
        "sweep": "sweep.command", "relabel": "releases.command", "track": "releases.command",
    },
    "Review": {
        "browse": "browse.command", "decisions": "browse.command", "check": "browse.command",
    },
    "Many runs": {"matrix": "runs.command", "consensus": "runs.command"},
    "Sampling": {
        "draw": "sampling.command", "estimate": "sampling.command",
        "pairs": "sampling.command",
    },
    "Reference": {"measures": "", "schema": "cli.schema"},
    "Research": {"chance": "chance.command", "axioms": "", "reproduce": ""},
}  # fmt: skip
"""The verbs in the order of `--help`, with the module of each, which is imported when the verb is
called. Verbs without one, and more verbs, are entry points in the group `clusterdiff.commands`.
"""
VERBS = {name: module for verbs in GROUPS.values() for name, module in verbs.items()}
SHORT = 66
"""Characters of what `--help` says of a verb."""
CLOSED = 141
"""What a command ends with whose reader has gone, as shells know it from SIGPIPE."""

WINDOWS = os.name == "nt"


class Verbs(TyperGroup):
    """The verbs by name, each made a command when it is called or listed."""

    def groups(self) -> dict[str, list[str]]:
        """All verbs: ours, then those of other packages."""
        others = names_in("commands")
        known = {
            group: [name for name, module in verbs.items() if module or name in others]
            for group, verbs in GROUPS.items()
        }
        return known | {"Other packages": [name for name in others if name not in VERBS]}

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs."""
        return [name for names in self.groups().values() for name in names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The verbs in their groups, all texts in one column."""
        for group, names in self.groups().items():
            verbs = {name: self.get_command(ctx, name) for name in names}
            if rows := [(f"{n:9}", v.get_short_help_str(SHORT)) for n, v in verbs.items() if v]:
                with formatter.section(group):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """The arguments, with the verb `compare` where files come first."""
        own = {"-h", "--help", *(name for one in self.params for name in one.opts)}
        if args and args[0] not in own and args[0] not in self.list_commands(ctx):
            files = list(map(is_clustering, args))
            alone = files == [True] and os.path.exists(args[0].partition("::")[0])
            if alone and not ctx.resilient_parsing:
                raise ClusterdiffError(
                    f"there is nothing to compare {args[0]} with.",
                    "the truth comes first, then one or several guesses: clusterdiff truth.csv "
                    "guess.csv, or two columns of a table, people.csv::person people.csv::new.",
                )
            if files[0] or (args[0].startswith("-") and any(files)):
                args = ["compare", *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that is called; one that does not exist is refused like any wrong input."""
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing:
            raise ClusterdiffError(
                f"there is no verb and no file called {args[0]}.",
                f"{did_you_mean(args[0], known)}clusterdiff --help lists the verbs; "
                "clusterdiff truth.csv guess.csv compares two files.",
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Verbs and options; files too, where a verb begins like them."""
        if is_clustering(incomplete):
            truth = self.get_command(ctx, "compare").params[0]
            return truth.shell_complete(ctx, incomplete)
        found = super().shell_complete(ctx, incomplete)
        if found and incomplete and not incomplete.startswith("-"):
            found += [type(found[0])(path) for path in sorted(glob(f"{escape(incomplete)}*"))]
        return found

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, if there is one."""
        if module := VERBS.get(cmd_name):
            return _command(cmd_name, getattr(import_module(f"clusterdiff.{module}"), cmd_name))
        verb = loaded("commands").get(cmd_name) if cmd_name in names_in("commands") else None
        return None if verb is None else _command(cmd_name, verb)


def is_clustering(text: str) -> bool:
    """Whether an argument is a clustering rather than a mistyped verb: a file, a folder, a pattern,
    standard input, or clusters such as 12|34.
    """
    return text == "-" or bool({*"./\\|*?["} & {*text}) or "::" in text or os.path.exists(text)


def _command(name: str, verb: Callable[..., None]) -> Any:
    """A function as a command; the text HELP of its module, or VERB_HELP where several verbs are
    in it, stands below the options.
    """
    from clusterdiff.cli.options import Verb

    texts = vars(sys.modules[verb.__module__])
    epilog = texts.get(f"{name.upper()}_HELP", texts.get("HELP"))
    only = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"help_option_names": ["-h", "--help", "--help-all"]}
    only.command(name, cls=Verb, epilog=epilog, context_settings=settings)(verb)
    return typer.main.get_command(only)


app = typer.Typer(
    cls=Verbs,
    name="clusterdiff",
    no_args_is_help=True,
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

    \b
    clusterdiff truth.csv guess.csv          the scores of a guess
    clusterdiff truth.csv old.csv new.csv    which of two guesses is better
    clusterdiff explain truth.csv guess.csv  where a guess differs from the truth
    clusterdiff demo                         an example that needs no files

    The ground truth comes first. FILE::COLUMN takes the clusters from a column.
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
        fail(
            MemoryNeeded(
                "the memory of this machine is not enough.",
                "compare fewer objects, or use a machine with more memory; measures that only need "
                "sizes, such as elm_f or bcubed_f, need least.",
            )
        )


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
        text += f"\n  Hint: {what.at_prompt()}"
    say("\n".join(map(printable, text.split("\n"))), err=True)


def _warn(other: Callable[..., None], warning: Warning | str, *where: Any, **how: Any) -> None:
    """A warning of ours as one paragraph, all others as Python shows them."""
    if isinstance(warning, ClusterdiffWarning):
        _tell(warning)
    else:
        other(warning, *where, **how)
