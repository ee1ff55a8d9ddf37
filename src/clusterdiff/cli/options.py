"""Options that verbs share: what is read and which engine counts, what is shown, which measures."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import field, fields
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from clusterdiff.engines.protocol import engines
from clusterdiff.errors import ClusterdiffError, partitions_only
from clusterdiff.io.formats import formats
from clusterdiff.measures import Measure, measure_named, measures_named
from clusterdiff.measures.compat import CONVENTIONS
from clusterdiff.output.formats import formats_of

HELP = """\b
The format is known by the file extension, or by how the file starts:
{formats}
Any of them may be .gz, .zst, .bz2 or .xz; - is standard input. A folder of
.parquet or .csv files, or a pattern ("part-*.parquet"), is one table.
Folders of .conll or .conllu files are documents that are paired by name:
compare key/ response/ --align penalise.
https://… and s3://… are fetched with --allow-network. Text is UTF-8, or
UTF-16 that says so; --encoding names another encoding.
FILE::COLUMN takes the clusters from that column, so that one table
can hold truth and guesses: compare t.csv::gold t.csv::run1 t.csv::run2
(in JSON, {"gold": {…}, "run1": {…}}, the clustering of that name).
A few objects need no file: compare '12|34' '13|2|4', or '1-5|6-86'.

\b
Objects in several clusters (--kind cover): topics, tags, communities
  .csv .parquet several rows per id, one for each of its clusters
  .json         {"id": ["label", …]}; with an empty list, in no cluster
  .clusters     an id may stand in several lines
  .labels       several labels per line

\b
Objects whose cluster is uncertain (--kind rough, fuzzy, possibilistic,
evidential):
  .csv .parquet a row per object and cluster, columns id, cluster and degree;
                or a row per object, a column of degrees for each cluster
  .json         {"id": {"label": degree}}; rough: {"id": ["label", …]};
                evidential: {"id": {"a": 0.7, "a|b": 0.3}}
A file without degrees is a partition: --kind partition,fuzzy says so.

\b
Objects on one side only (--align):
  exact         refuse them, with examples (default)
  shared        leave them out
  singletons    each is a cluster of its own on the other side
  penalise      they count as errors: precision over the guess, recall over
                the truth, as in the CoNLL coreference scorer
Several guesses are judged on the same objects: with shared those that truth
and all guesses have, with singletons those that any of them has; noise that
is dropped is left out for all.

\b
Files larger than memory: DuckDB joins and counts, spilling to disk:
  compare truth.parquet guess.parquet --memory 4GB --temp /scratch
  compare truth/ guess/ --engine spark --master spark://host:7077

\b
Exit codes: 0 done, 1 a --fail-under was missed, 2 bad input or usage.
With --samples a threshold is for the mean of the samples (macro). A guess
that lacks objects of truth under --align shared, or calls them noise that is
dropped, passes no --fail-under: it is not scored on them.
"""


NOTES = {"duckdb": "out of core", "arrays": "in memory"}
"""What help says of an engine besides its name."""


class Verb(TyperCommand):
    """A command that reads files: its help names engines and formats, of other packages too."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Packages are asked for theirs when help is wanted, not before."""
        if "{formats}" in (self.epilog or ""):
            listed = "\n".join(filter(None, (one.help for one in formats().values())))
            self.epilog = str(self.epilog).replace("{formats}", listed)
        for option in self.params:
            if isinstance(option, TyperOption) and option.name == "engine":
                known = engines()
                option.metavar = f"<{'|'.join(known)}>"
                told = (f"{name} ({NOTES[name]})" if name in NOTES else name for name in known)
                option.help = f"Engine: {', '.join(told)}."
        super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run it; a verb without --kind hints at no kind."""
        takes_kinds = any(option.name == "kind" for option in self.params)
        with nullcontext() if takes_kinds else partitions_only():
            return super().invoke(ctx)


Align = StrEnum("Align", ["exact", "shared", "singletons", "penalise"])
VotingAlign = StrEnum("VotingAlign", ["exact", "shared", "singletons", "penalise", "abstain"])
NoiseAs = StrEnum("NoiseAs", ["singletons", "drop"])
Rest = StrEnum("Rest", ["refuse", "normalise", "empty"])

Truth = Annotated[str, typer.Argument(help="The ground truth.")]
Guess = Annotated[str, typer.Argument(help="The clustering to judge.")]
Guesses = Annotated[
    list[str],
    typer.Argument(help="The clusterings to judge; 'table.csv::run_*' is several columns."),
]
Runs = Annotated[
    list[str],
    typer.Argument(
        help="The clusterings: files, or columns of one, 'table.csv::run_*'.", metavar="RUN…"
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help='A measure, e.g. elm_f, ARI or "bcubed_f(f=objects)"; several with commas, or '
        "repeated. muc, bcubed, pair and the like stand for precision, recall and F.",
    ),
]
AllowCode = Annotated[
    bool,
    typer.Option(
        "--allow-code",
        help="Import and run functions that a measure names, e.g. "
        "\"split_merge(similarity='module:function')\".",
    ),
]
Compat = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Measures and parameters as another package has them: {', '.join(CONVENTIONS)}.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        help="The measure whose loss is explained; elm_f by default, of covers cice_f.",
    ),
]
Top = Annotated[str, typer.Option(metavar="N", help="How many of the worst to show; or all.")]
Ids = Annotated[
    str,
    typer.Option("--objects", metavar="N", help="How many objects of each to name; or all."),
]


def flag(default: Any, help: str, metavar: str | None = None, *names: str) -> Any:
    """A field of a group of flags, with its default."""
    option = typer.Option(*names, metavar=metavar, help=help)
    return field(default=default, metadata={"option": option})


def with_flags(
    name: str, group: type, *without: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter of this name stands for all flags of a group, but those named."""

    def make(verb: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(verb, include_extras=True)
        listed = {
            one.name: one.replace(
                kind=one.KEYWORD_ONLY, annotation=hints.get(one.name, one.annotation)
            )
            for one in inspect.signature(verb).parameters.values()
            if one.name != name
        }
        shared = {one.name: one for one in fields(group) if one.name not in without}
        types = get_type_hints(group)
        for key, one in shared.items():
            annotation: Any = Annotated[types[key], one.metadata["option"]]
            listed[key] = inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=annotation
            )

        def run(**given: Any) -> None:
            verb(**{name: group(**{key: given.pop(key) for key in shared})}, **given)

        run.__signature__ = inspect.Signature(list(listed.values()))  # type: ignore[attr-defined]
        run.__doc__, run.__module__ = verb.__doc__, verb.__module__
        return run

    return make


def format_option(*results: type, help: str = "Output format.") -> Any:
    """The flag -f of a verb, which takes the formats that its results support."""
    known = {name: one for result in results for name, one in formats_of(result).items()}
    shown = "|".join(dict.fromkeys(one.names[0] for one in known.values()))

    def parse(text: str) -> str:
        if text not in known:
            listed = ", ".join(map(repr, known))
            raise typer.BadParameter(f"{text!r} is not one of {listed}.")
        return known[text].names[0]

    return typer.Option("-f", "--format", parser=parse, metavar=f"<{shown}>", help=help)


def one_format(format: str, **flags: bool) -> str:
    """The format that -f names, or an older flag that is called like it."""
    named = {name for name, given in flags.items() if given}
    named |= set() if format == "text" else {format}
    if len(named) > 1:
        raise ClusterdiffError(
            f"a result is written in one format, not as {' and '.join(sorted(named))}.",
            "leave one out.",
        )
    return named.pop() if named else format


def number(flag: str, text: str) -> int | None:
    """How many; None for all of them."""
    if text == "all":
        return None
    if not text.isdecimal():
        raise ClusterdiffError(
            f"{flag} {text} is not a number.", f"write {flag} 20, or {flag} all for all of them."
        )
    return int(text)


def asked_for(texts: Iterable[str] | None, allow_code: bool) -> list[Measure]:
    """The measures of all texts; functions in them are imported only where that is allowed."""
    functions = function_named if allow_code else None
    return [measure for text in texts or [] for measure in measures_named(text, functions)]


def asked_by(text: str | None, allow_code: bool) -> Measure | None:
    """The measure that is explained, if one is named."""
    return None if text is None else measure_named(text, function_named if allow_code else None)


def split(texts: Iterable[str] | None) -> list[str]:
    """Names that stand alone or with commas between them."""
    return [name.strip() for text in texts or [] for name in text.split(",") if name.strip()]


def function_named(text: str) -> Any:
    """A function from the name of its module and its own."""
    module, _, name = text.partition(":")
    if not module or not name:
        raise ClusterdiffError(
            f"{text!r} names no function.", "write module:function, e.g. mymodule:my_function."
        )
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise ClusterdiffError(
            f"{module} could not be imported: {error}.",
            f"is there a file {module.replace('.', '/')}.py in this folder?",
        ) from None
    except Exception as error:
        raise ClusterdiffError(
            f"{module} ends with an error: {type(error).__name__}: {error}.",
            f"does python -c 'import {module}' run?",
        ) from None
    finally:
        sys.path.remove(here)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise ClusterdiffError(
            f"{module} has no {name}.", f"check the name of the function in {module}."
        )
    if not callable(found):
        raise ClusterdiffError(f"{text} is not a function.", f"name a function in {module}.")
    return found
