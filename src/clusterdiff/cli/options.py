"""Options that verbs share: what is read and which engine counts, what is shown, which measures."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import field, fields
from enum import StrEnum
from functools import partial
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from clusterdiff.engines.protocol import engines
from clusterdiff.errors import ClusterdiffError, partitions_only, pasted
from clusterdiff.io.formats import formats
from clusterdiff.measures import Measure, measure_named, measures_named
from clusterdiff.measures.compat import CONVENTIONS
from clusterdiff.output.formats import formats_of

# What a shell completes: it asks anew at every key, so that what is wrong with a file completes
# nothing.

TYPED = "clusterdiff.typed"
"""Where a context has the arguments of a verb: it has no parameters if the last lacks a value."""
SEPARATOR = "::"
"""What stands between a file and its column; bash takes it for a word of its own."""


class Column(str):
    """The name of a column behind `SEPARATOR`, which a shell that has split the word appends."""

    def startswith(self, *_: Any) -> bool:
        """Whether it goes on from what is typed: yes, `complete_paths` has looked."""
        return True


def complete_measures(incomplete: str) -> Iterator[tuple[str, str]]:
    """Measures with their first line; of several with commas between them, the last."""
    from clusterdiff.measures import measures as every

    before, comma, _ = incomplete.rpartition(",")
    for measure in every():
        yield before + comma + measure.name, measure.meaning


def complete_columns(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """The columns of the files that are named; of several with commas between them, the last."""
    before, comma, _ = incomplete.rpartition(",")
    for name in dict.fromkeys(name for path in ctx.meta[TYPED] for name in names_in(path)):
        yield before + comma + name


def complete_paths(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """The columns behind FILE::; files themselves are left to the shell."""
    file, separator, start = incomplete.rpartition(SEPARATOR)
    if file and separator:
        yield from (f"{file}{SEPARATOR}{name}" for name in names_in(file))
        return
    words = os.environ.get("COMP_WORDS", "").split()
    place = int(os.environ.get("COMP_CWORD", "0")) - (not separator)
    if 1 < place < len(words) and words[place] == SEPARATOR:
        yield from (Column(n) for n in names_in(words[place - 1]) if n.startswith(start))


def names_in(path: str) -> list[str]:
    """The columns of a table, or the clusterings of a JSON object; none of anything else."""
    from clusterdiff.io.read import source_of

    file = path.partition(SEPARATOR)[0]
    with suppress(Exception), ExitStack() as stack:
        if os.path.isfile(file):
            source, form = source_of(stack, file, header=True)
            return [] if form.names is None else list(form.names(source))
    return []


HELP = """\b
File formats are recognised by the file extension or by the first lines:
{formats}
Files may be compressed (.gz, .zst, .bz2, .xz); - is standard input. A folder
of .parquet or .csv files, or a pattern ("part-*.parquet"), is one table.
Folders of .conll or .conllu files hold documents, paired by file name:
clusterdiff key/ response/ --align penalise. Folders of .rttm files hold
recordings, paired by the names in their lines.
Text is UTF-8, or UTF-16 with a byte order mark; --encoding names any other.
FILE::COLUMN takes the clusters from one column, so that a single table can
hold truth and guesses: clusterdiff t.csv::gold t.csv::run1 t.csv::run2
(in JSON, {"gold": {…}, "run1": {…}}, it takes the clustering so named).
Small examples need no file: clusterdiff '12|34' '13|2|4', or '1-5|6-86'.

\b
Objects in several clusters, such as topics or communities (--kind cover):
  .csv .parquet one row for each object and cluster
  .json         {"id": ["label", …]}; an empty list is no cluster
  .clusters     the same id in several lines
  .labels       several labels per line

\b
Uncertain clusters (--kind rough, fuzzy, possibilistic, evidential):
  .csv .parquet one row for each object and cluster, with a column "degree";
                or one row for each object, with a column for each cluster
  .json         {"id": {"label": degree}}; rough: {"id": ["label", …]};
                evidential: {"id": {"a": 0.7, "a|b": 0.3}}
A file without degrees is a partition: --kind partition,fuzzy.

\b
Objects that only one side has (--align):
  exact         refuse them and show examples (default)
  shared        leave them out
  singletons    make each a cluster of its own on the other side
  penalise      count them as errors: precision over the guess, recall over
                the truth, as the CoNLL coreference scorer does
Several guesses are compared on the same objects: with shared, those that the
truth and all guesses have; with singletons, those that any of them has.
Noise that is dropped is left out for all guesses.

\b
DuckDB, which spills to disk, and Spark count files larger than memory:
  clusterdiff truth.parquet guess.parquet --memory 4GB --temp /scratch
  clusterdiff truth/ guess/ --engine spark --master spark://host:7077

\b
Exit codes: 0 success, 1 a --fail-under was missed, 2 bad input or usage.
With --samples, --fail-under applies to the mean of the samples (macro). A
guess that lacks objects of the truth under --align shared, or calls them
noise that is dropped, fails every --fail-under: it is not scored on them.
"""


NOTES = {"duckdb": "out of core", "arrays": "in memory"}
"""What help says of an engine besides its name."""
PANELS = {
    "What to compare": "kind align noise noise_as ignore ignore_in samples stack count between "
    "collar skip_overlap uem",
    "Scores": "measures weights balanced levels format fail_under compat allow_code per_sample "
    "signatures sure summary",
    "Statistics": "confidence units strata method seed",
    "Reading files": "id cluster begins no_id as_ threshold left right score distance degree rest "
    "header encoding allow_network max_bytes",
    "Engine": "engine memory threads temp master spark_conf",
}
"""The options that verbs share, in the panels of their help; what a verb has alone comes first."""
EVERYDAY = (
    "measures", "format", "fail_under", "confidence", "kind", "align", "noise", "samples", "id",
    "cluster",
)  # fmt: skip
"""The shared options of which `--help` speaks; `--help-all` speaks of all."""


def _all_asked(ctx: Any) -> bool:
    return "--help-all" in ctx.meta[TYPED]


class Verb(TyperCommand):
    """A command that reads files: its help names engines and formats, of other packages too."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """As every command; the context knows what was typed."""
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The arguments, the options of the verb, and shared ones in panels: the everyday ones, or
        all of them.
        """
        panels: dict[str, list[Any]] = {"Arguments": [], "Options": [], **{p: [] for p in PANELS}}
        panel_of = {name: panel for panel, names in PANELS.items() for name in names.split()}
        hidden, everything = 0, _all_asked(ctx)
        for one in self.params:
            panel = panel_of.get(one.name or "", "Options")
            panel = "Arguments" if one.param_type_name == "argument" else panel
            if panel in PANELS and one.name not in EVERYDAY and not everything:
                hidden += 1
                continue
            if one.name == "engine" and isinstance(one, TyperOption):
                known = engines()  # packages are asked for theirs when help is wanted, not before
                one.metavar = f"<{'|'.join(known)}>"
                told = (f"{name} ({NOTES[name]})" if name in NOTES else name for name in known)
                one.help = f"Engine: {', '.join(told)}."
            panels[panel].append(one.get_help_record(ctx))
        panels["Help"] = [("-h, --help", "Show this message and exit.")]
        if hidden:
            more = ", the formats of files and the exit codes" if self.epilog == HELP else ""
            panels["Help"].append(("--help-all", f"Show {hidden} more options{more}."))
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """What stands below the options; what all verbs share, only with all of these."""
        if self.epilog and (_all_asked(ctx) or self.epilog != HELP):
            listed = "\n".join(filter(None, (one.help for one in formats().values())))
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(cleandoc(self.epilog).replace("{formats}", listed))

    def invoke(self, ctx: Any) -> Any:
        """Run it; a verb without --kind hints at no kind."""
        takes_kinds = any(option.name == "kind" for option in self.params)
        with nullcontext() if takes_kinds else partitions_only():
            return super().invoke(ctx)


Align = StrEnum("Align", ["exact", "shared", "singletons", "penalise"])
VotingAlign = StrEnum("VotingAlign", ["exact", "shared", "singletons", "penalise", "abstain"])
IgnoreIn = StrEnum("IgnoreIn", ["truth", "both"])
NoiseAs = StrEnum("NoiseAs", ["singletons", "drop"])
Rest = StrEnum("Rest", ["refuse", "normalise", "empty"])

Argument = partial(typer.Argument, autocompletion=complete_paths)
Truth = Annotated[str, Argument(help="The ground truth.")]
Guess = Annotated[str, Argument(help="The clustering to compare with it.")]
Guesses = Annotated[
    list[str],
    Argument(help="The clusterings to compare with it; 'table.csv::run_*' names several columns."),
]
Runs = Annotated[
    list[str],
    Argument(help="The clusterings: files, or columns of one, 'table.csv::run_*'.", metavar="RUN…"),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        autocompletion=complete_measures,
        help='A measure, e.g. ARI or "bcubed_f(f=objects)"; repeat it, or use commas. bcubed, '
        "pair, muc and other families stand for precision, recall and F.",
    ),
]
AllowCode = Annotated[
    bool,
    typer.Option(
        "--allow-code",
        help="Import and run the function in a measure such as "
        "\"split_merge(similarity='module:function')\".",
    ),
]
Compat = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Reproduce the numbers of another package: {', '.join(CONVENTIONS)}.",
    ),
]
Between = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        autocompletion=complete_columns,
        help="Column of the source of each object: only pairs of objects from different sources "
        "count, where records are linked across sources alone.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        autocompletion=complete_measures,
        help="The measure whose loss is explained: by default elm_f, or cice_f for covers.",
    ),
]
Top = Annotated[str, typer.Option(metavar="N", help='Number of entries to show, or "all".')]
Ids = Annotated[
    str,
    typer.Option(
        "--objects", metavar="N", help='Number of objects to name in each entry, or "all".'
    ),
]


def option(help: str, *names: str, metavar: str = "FILE") -> Any:
    """An option that takes a file, or what `metavar` says."""
    return typer.Option(*names, metavar=metavar, help=help)


def flag(default: Any, help: str, metavar: str | None = None, *names: str) -> Any:
    """A field of a group of flags, with its default."""
    complete = complete_columns if (metavar or "").startswith("COLUMN") else None
    option = typer.Option(*names, metavar=metavar, help=help, autocompletion=complete)
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


def as_typed(ctx: typer.Context, group: type) -> list[str]:
    """The flags of a group on the command line, each with its value, as a shell takes them."""
    names = {one.name for one in fields(group)}
    typed: list[str] = []
    for option in ctx.command.params:
        if option.name not in names or is_default(ctx, option.name):
            continue
        value = ctx.params[option.name]
        if isinstance(value, bool):
            typed.append((option.opts if value else option.secondary_opts)[-1])
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            word = one.value if isinstance(one, StrEnum) else str(one)
            typed.append(f"{option.opts[-1]} {pasted(word)}")
    return typed


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
    """The format that -f names, or an older flag of the same name."""
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


def is_default(ctx: typer.Context, name: str) -> bool:
    """Whether nobody gave this parameter."""
    source = ctx.get_parameter_source(name)
    return source is None or source.name == "DEFAULT"


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
