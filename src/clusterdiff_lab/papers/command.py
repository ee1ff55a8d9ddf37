"""`clusterdiff reproduce`: what four papers print and claim, beside what comes out here."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Annotated, Any

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import exact, say, show, width
from clusterdiff.errors import ClusterdiffError
from clusterdiff.output.formats import output_formats, rendered
from clusterdiff.output.text import wrapped
from clusterdiff_lab.papers import PAPERS, paper_named
from clusterdiff_lab.papers.experiments import (
    EXPERIMENTS,
    Experiment,
    Setting,
    experiment_named,
    folder_for,
    listed,
    write,
)
from clusterdiff_lab.papers.render import Reproduction, reproduced

HELP = f"""\b
Papers
  elm           BCubed Revisited: Elements Like Me (2022)
  cice          CICE-BCubed, for overlapping clusterings (2013)
  split-merge   A Split-Merge Framework for Comparing Clusterings (2012)
  soft          Evaluating and Comparing Soft Clusterings (2023)

\b
Every number of their examples and tables that needs no outside data is
computed by the paper's own definition and, where that does not give what
is printed, by the variant that does (its name can be given to compare -m).
Every claim is searched for its smallest counterexample.
  as printed    the definition gives the printed number
  by a variant  it does not, the variant does
  a slip        neither does; why is said below
  impossible    no clusterings could give it
  needs data    the paper does not hold what it is computed from
  not printed   for reference

\b
Their experiments are done again with --experiment, each within minutes:
{listed()}
Those of elm are done on page streams: a file given by --data with a row
per page and the columns stream, page, document and text, or others that
--samples, --id, --cluster and --text name; without one, on streams cut
from the documentation strings of Python's standard library. --out DIR
keeps the tables as CSV, a page of Markdown, and the pictures.

\b
  clusterdiff reproduce soft --values
  clusterdiff reproduce elm cice --claims
  clusterdiff reproduce --markdown > papers.md
  clusterdiff reproduce soft --experiment iris
  clusterdiff reproduce elm --experiment all --out elm --seed 1
  clusterdiff reproduce elm --experiment extremes --data streams.csv
  clusterdiff reproduce split-merge --experiment worsening --data truth.csv
"""


@with_inputs(
    "kind", "align", "degree", "rest", "engine", "memory", "threads", "temp", "master",
    "encoding", "allow_network", "threshold", "left", "right", "score", "distance",
)  # fmt: skip
def reproduce(
    inputs: Inputs,
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="elm, cice, split-merge or soft; else all."),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Only the numbers that they print.")
    ] = False,
    claims: Annotated[
        bool, typer.Option("--claims", help="Only the claims that they make.")
    ] = False,
    experiment: Annotated[
        list[str] | None,
        typer.Option("--experiment", "-e", metavar="NAME", help='Rerun this experiment, or "all".'),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="Data for an experiment; see below.")
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the pages' text.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder for an experiment's tables and figures."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**32 - 1, help="Random seed; 0 by default.")
    ] = None,
    format: Annotated[str, o.format_option(Reproduction)] = "text",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write a page of documentation; as -f md.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON; as -f json.")] = False,
) -> None:
    """Recompute the values, claims and experiments of four papers."""
    chosen = [paper_named(key) for key in dict.fromkeys(papers or PAPERS)]
    format = o.one_format(format, json=as_json, md=markdown)
    if experiment or (data and papers == ["elm"]):
        if values or claims:
            raise ClusterdiffError(
                "an experiment is neither a value nor a claim.",
                "leave --values and --claims out, or --experiment and --data.",
            )
        given = {"--text": text} | _flags(inputs)
        if data is None and (wrong := [f for f, value in given.items() if value is not None]):
            raise ClusterdiffError(
                f"{wrong[0]} says how a file is read, and there is none.", "name it: --data FILE."
            )
        asked = _experiments([p.key for p in chosen], experiment or ["extremes"])
        setting = Setting(
            seed=seed or 0,
            data=data,
            columns=_columns(inputs, text),
            format=inputs.as_,
            header=inputs.header,
            policy=inputs.policy,
        )
        _do(asked, setting, out, format)
        return
    given = {"--data": data, "--text": text, "--out": out, "--seed": seed, **_flags(inputs)}
    if wrong := [flag for flag, value in given.items() if value is not None]:
        raise ClusterdiffError(
            f"{wrong[0]} is for an experiment, and none is named.",
            "name it, e.g. clusterdiff reproduce elm --experiment extremes.",
        )
    both = values == claims
    show(reproduced(chosen, values=values or both, claims=claims or both), format)


def _flags(inputs: Inputs) -> dict[str, Any]:
    """The flags that say how a file is read, with what was given."""
    return {
        "--samples": inputs.samples, "--id": inputs.id, "--cluster": inputs.cluster,
        "--no-id": inputs.no_id or None, "--noise": inputs.noise or None, "--as": inputs.as_,
        "--header": inputs.header,
    }  # fmt: skip


def _columns(inputs: Inputs, text: str | None) -> dict[str, str]:
    """What was said of the columns; an empty id says that there are none."""
    columns = {
        "id": "" if inputs.no_id else inputs.id,
        "cluster": inputs.cluster,
        "sample": inputs.samples,
        "text": text,
    }
    return {what: name for what, name in columns.items() if name is not None}


def _experiments(papers: list[str], names: list[str]) -> list[Experiment]:
    """The experiments asked for."""
    if "all" in names:
        return [one for one in EXPERIMENTS if one.paper in papers]
    return [experiment_named(name, papers) for name in dict.fromkeys(names)]


def _do(asked: list[Experiment], setting: Setting, out: str | None, format: str) -> None:
    """Run them one after the other; each is shown, and written, when it is done. What programs
    read is one document, shown when all are.
    """
    together = output_formats()[format].data
    _refuse_what_ends_midway(asked, setting)
    names = [one.name for one in asked]
    folder = None if out is None else folder_for(out, names, setting.data)
    documents: list[str] = []
    try:
        for one in asked:
            takes = one.data or len(asked) == 1
            outcome = one.run(setting if takes else replace(setting, data=None))
            if together:
                documents.append(rendered(outcome, format, width()))
            else:
                show(outcome, format)
            if folder is not None:
                files = write(outcome, one.name, folder)
                note = f"{len(files)} files in {folder}: {', '.join(path.name for path in files)}."
                say(wrapped(note, width()), err=format != "text")
            if len(asked) > 1 and not together:
                say()
    finally:
        if documents:
            say(exact(documents[0] if len(asked) == 1 else f"[{', '.join(documents)}]"))


def _refuse_what_ends_midway(asked: list[Experiment], setting: Setting) -> None:
    """Refuse before the work what would end it after a part of it."""
    takers = [one for one in asked if one.data]
    if setting.data is not None and len({one.paper for one in takers}) > 1:
        kinds = " for one paper, and ".join(dict.fromkeys(one.data for one in takers))
        raise ClusterdiffError(
            f"--data is {kinds} for another.",
            f"name one paper, e.g. clusterdiff reproduce {takers[0].paper} --experiment all.",
        )
    if setting.data == "-" and len(takers) > 1:
        raise ClusterdiffError(
            f"standard input can be read once, and {len(takers)} experiments want it.",
            "give a file, or name one experiment.",
        )
    if any(one.paper == "soft" for one in asked):
        import_module("clusterdiff_lab.estimators")
