"""`clusterdiff reproduce`: what four papers print and claim, beside what comes out here."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.screen import width
from clusterdiff.clusterings import Partition
from clusterdiff.errors import ClusterdiffError
from clusterdiff.papers import PAPERS, paper_named
from clusterdiff.readers import read
from clusterdiff.report.reproduced import reproduced, to_json, to_markdown, to_text

HELP = """\b
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
Table 1 of the ELM paper can be had again for page streams at hand: a file
with a row per page and the columns stream, page and document, or others
that --samples, --id and --cluster name.

\b
  clusterdiff reproduce soft --values
  clusterdiff reproduce elm cice --claims
  clusterdiff reproduce --markdown > papers.md
  clusterdiff reproduce elm --data streams.csv
"""

COLUMNS = {"samples": "stream", "id": "page", "cluster": "document"}
"""What the columns of page streams are called if nothing is said."""


@with_inputs(
    "kind", "align", "degree", "rest", "engine", "memory", "threads", "temp", "master"
)  # fmt: skip
def reproduce(
    inputs: Inputs,
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="elm, cice, split-merge or soft; else all."),
    ] = None,
    values: Annotated[bool, typer.Option("--values", help="Only what they print.")] = False,
    claims: Annotated[bool, typer.Option("--claims", help="Only what they claim.")] = False,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Page streams to compute Table 1 of elm for."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write a page of documentation.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """What four papers print and claim, beside what comes out here."""
    chosen = [paper_named(key) for key in dict.fromkeys(papers or PAPERS)]
    if markdown and as_json:
        raise ClusterdiffError("a page is written as --markdown or as --json.", "leave one out.")
    if data is not None:
        if [p.key for p in chosen] != ["elm"] or values or claims:
            raise ClusterdiffError(
                "--data is for Table 1 of the ELM paper alone.",
                f"clusterdiff reproduce elm --data {data}",
            )
        _write_table_1(inputs, data, markdown, as_json)
        return
    if given := _flags(inputs):
        raise ClusterdiffError(
            f"{given[0]} says how a file is read, and there is none.", "name it: --data FILE."
        )
    both = values == claims
    found = reproduced(chosen, values=values or both, claims=claims or both)
    if as_json:
        typer.echo(to_json(found))
    else:
        typer.echo(to_markdown(found) if markdown else to_text(found, width()))


def _flags(inputs: Inputs) -> list[str]:
    """The flags that were given for a file."""
    given = {
        "--samples": inputs.samples, "--id": inputs.id, "--cluster": inputs.cluster,
        "--no-id": inputs.no_id or None, "--noise": inputs.noise or None, "--as": inputs.as_,
        "--header": inputs.header,
    }  # fmt: skip
    return [flag for flag, value in given.items() if value is not None]


def _write_table_1(inputs: Inputs, path: str, markdown: bool, as_json: bool) -> None:
    from clusterdiff.report.streams import table_1

    truth = read(
        path,
        id="" if inputs.no_id else inputs.id or COLUMNS["id"],
        cluster=None if "::" in path else inputs.cluster or COLUMNS["cluster"],
        sample=inputs.samples or COLUMNS["samples"],
        as_=None if inputs.as_ is None else inputs.as_.value,
        header=inputs.header,
    )
    assert isinstance(truth, Partition)
    found = table_1(truth, path, inputs.policy)
    if as_json:
        typer.echo(found.to_json())
    else:
        typer.echo(found.to_markdown() if markdown else found.to_text(width()))
