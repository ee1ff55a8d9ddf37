"""`clusterdiff draw`, `estimate` and `pairs`: what is drawn, labelled, and scored from that."""

from __future__ import annotations

import csv
import os
import stat
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, Method, ShownRecords, with_inputs
from clusterdiff.cli.options import asked_for
from clusterdiff.cli.streams import exact, say, show, width
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.compare.gates import FailUnder, WholeInterval, end_at, gate, missed, needs_gates
from clusterdiff.errors import ClusterdiffError, MissingColumn, NoColumns, printable
from clusterdiff.io.between import column_named
from clusterdiff.io.files import PIPE, bytes_of, opened
from clusterdiff.io.read import names_of
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.formats import output_formats
from clusterdiff.output.text import wrapped
from clusterdiff.output.writing import write
from clusterdiff.sampling.draw import CANDIDATES, check_existing, draw_side
from clusterdiff.sampling.estimate import (
    SampleReport,
    counted_sample,
    estimate_sides,
    interval_request,
)
from clusterdiff.sampling.labelled_pairs import LabelledPairs, sizes_of
from clusterdiff.sampling.labelled_pairs import pairs as labelled_pairs
from clusterdiff.sampling.sample import OTHERS, check_design, filled_in, resolved

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.sampling.sample import Sheet

DRAW_HELP = """\b
The file has a line for each record that was drawn, and for the other records
of the clusters that they are in. Fill in the column truth: a name for the true
cluster of each record that was drawn (hits is 1 or more), and the same name
for all other members of that cluster. Lines of records in other clusters stay
blank. In the column others_of_this_entity_not_listed_here, replace each ? by
the ids of members that have no line, separated by semicolons, or by none; or
add lines for these members. Other columns of the run, or those of --table, are
written beside each record to help decide. With --pairs, the records of other
clusters that score best with a drawn one are listed too: members that the run
has missed are among these.
"""


@with_inputs("kind", "align", "noise", "noise_as", "samples", "degree", "rest")
def draw(
    inputs: Inputs,
    run: Annotated[str, typer.Argument(help="The clustering to draw records from.")],
    records: Annotated[int, typer.Option(metavar="N", help="Number of records to draw.")],
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="File to write; - for stdout.")
    ],
    seed: Annotated[int, typer.Option(help="Seed of random draws.")] = 0,
    candidates: Annotated[
        int,
        typer.Option(metavar="N", help="Number of other records of its cluster to list."),
    ] = CANDIDATES,
    table: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Table with more columns for each record, joined by id."),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scored pairs that the run was made of: also list the records of other clusters "
            "that score best with a drawn one.",
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN[,COLUMN]…",
            help='Columns to write beside each record, "all" or "none"; by default the first eight '
            "other columns of the run, or of --table.",
        ),
    ] = None,
) -> None:
    """Draw a random sample of records to label."""
    if out != "-":
        check_existing(out)
    how, scored = inputs.beside_pairs(pairs, [run])
    with how.opened(run) as (sessions, side, _):
        shown = ShownRecords(records=table, show=show).asked(how)
        drawn = draw_side(sessions, side, records, seed, candidates, shown, scored)
    for note in drawn.read:
        say(printable(f"{run}: {note}"), err=True)
    if out == "-":
        say(exact(drawn.to_csv()), nl=False)
        return
    write(out, drawn.to_csv(), [run])
    draws, population = count(drawn.hits, "draw"), count(drawn.population, "record")
    more = ""
    if drawn.left_out:
        are = "is" if drawn.left_out == 1 else "are"
        more = f"; {count(drawn.left_out, 'record')} of large clusters {are} not listed"
    say(f"{out}: {draws} of {population}, {count(len(drawn), 'line')}{more}", err=True)
    given = {
        "--id": inputs.id, "--as": inputs.as_, "--threshold": inputs.threshold,
        "--count": inputs.count,
    }  # fmt: skip
    flags = "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)
    say(
        f"Fill in the column truth, and replace each ? under\n{OTHERS} by ids or none, then:",
        err=True,
    )
    say(f"  clusterdiff estimate {out} {run} --design records{flags}", err=True)


ESTIMATE_HELP = """\b
The sample has some clusters of the truth, each of them complete; the guess
has all objects. Two steps make such a sample:
  clusterdiff draw run.csv --records 200 --seed 1 -o to_label.csv
  (fill in the column truth, and the ids of members that are not listed)
  clusterdiff estimate to_label.csv run.csv --design records

\b
How the clusters were drawn (--design):
  records       records were drawn, and the clusters that they are in resolved;
                the column hits says how often each record was drawn
  clusters      clusters were drawn, all with the same chance
  COLUMN        a column of the sample has the weight of each cluster

\b
--plan elm_f=0.01 prints how many to label for an interval of ± 0.01.

\b
Exit codes: 0 done, 1 a --fail-under was missed, 2 bad input or usage.
"""


@with_inputs("kind", "samples", "degree", "rest")
def estimate(
    inputs: Inputs,
    sample: Annotated[str, typer.Argument(help="Clusters drawn from the truth, each complete.")],
    guess: o.Guesses,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN", help="How clusters were drawn: records, clusters, or COLUMN."
        ),
    ] = None,
    hits: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the number of draws of each record."),
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of all objects, if the guess lacks some."),
    ] = None,
    out_of: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of all clusters, if drawn without replacement from them."
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="PERCENT", help="Level of the intervals.")
    ] = 95,
    method: Annotated[Method, typer.Option(help="How intervals are computed.")] = Method.jackknife,
    seed: Annotated[int, typer.Option(help="Seed of random draws.")] = 0,
    plan: Annotated[
        list[str] | None,
        typer.Option(
            metavar="M=X", help="Print the number of records to label for an interval of ± X."
        ),
    ] = None,
    measures: o.Measures = None,
    between: o.Between = None,
    fail_under: FailUnder = None,
    sure: WholeInterval = False,
    allow_code: o.AllowCode = False,
    format: Annotated[str, o.format_option(SampleReport)] = "text",
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Print a reproducibility signature for each score.")
    ] = False,
) -> None:
    """Estimate scores of a whole guess from a sample of the truth."""
    check_design(design)
    targets = dict(_target(text) for text in plan or [])
    gates = [gate(text, allow_code) for text in fail_under or []]
    if sure:
        needs_gates(bool(gates))
    more: list[str | Measure] = [*targets, *(measure for measure, _ in gates)]
    besides = measures_by_text(more) if more else {}
    chosen = measures_by_text([*asked_for(measures, allow_code)]) | besides if measures else None
    asked = interval_request(confidence, method.value, seed)
    guess = inputs.expanded(guess)
    sheet = _sample(inputs, sample, design, hits, between)
    drawn = resolved(sheet, design, hits, out_of, inputs.policy)
    with ExitStack() as stack:
        with column_named(between):
            opening = inputs.with_sources(between).opened(*guess, beside=True)
            sessions, first, rest = stack.enter_context(opening)
        named = dict(zip(names_of(guess), [first, *rest.values()], strict=True))
        drawn, named = counted_sample(sessions, drawn, named, inputs.count)
        report = estimate_sides(
            sessions, drawn, named, chosen, inputs.policy, asked, population, besides=besides,
            between=between,
        )  # fmt: skip
    planned = report.plan(targets) if targets else None
    if planned is not None and format == "json":
        from clusterdiff.output.markup import document

        say(exact(document(report.schema, {**report.to_dict(), "plan": planned.to_dict()})))
    else:
        show(report, format)
        if planned is not None:
            say("\n" + "\n".join(wrapped(line, width()) for line in str(planned).split("\n")))
    if signatures and not output_formats()[format].signed:
        say("\n" + "\n".join(map(printable, report.signatures())))
    end_at([t for measure, least in gates for t in missed(report, str(measure), least, sure)])


def _sample(
    inputs: Inputs, path: str, design: str | None, hits: str | None, between: str | None
) -> Sheet:
    """The sample in memory; a pipe is copied, since its columns are read one by one."""
    if path == "-":
        raise ClusterdiffError("the sample is read from a file.", "give the guess on the input.")
    if not stat.S_ISFIFO(os.stat(path).st_mode if os.path.exists(path) else 0):
        return filled_in(lambda name: _read(inputs, path, name), design, hits, between=between)
    with opened(path, bytes_of(inputs.max_bytes, PIPE)) as ((file, *_), _, _):
        return filled_in(lambda name: _read(inputs, str(file), name), design, hits, between=between)


def _read(inputs: Inputs, path: str, column: str | None) -> AnyClustering:
    """The sample with a column in the place of samples. Flags that name columns which it lacks
    are for the guess.
    """
    inputs = replace(inputs.without_pairs(), samples=column)
    while True:
        try:
            with inputs.opened(path, whole=True, beside=True) as (sessions, side, _):
                return sessions.loaded(side)
        except (MissingColumn, NoColumns) as error:
            lacks = [
                flag
                for flag in ("id", "cluster")
                if isinstance(error, NoColumns) or error.column in _columns(getattr(inputs, flag))
            ]
            if not any(getattr(inputs, flag) for flag in lacks):
                raise
            inputs = replace(inputs, **dict.fromkeys(lacks))  # type: ignore[arg-type]


def _columns(said: str | None) -> list[str]:
    """The columns that a flag names: one, or several that form an id together."""
    return [said, *next(csv.reader([said]))] if said else []


def _target(text: str) -> tuple[str, float]:
    """A measure and the half-width of its interval, from elm_f=0.01."""
    name, _, half = text.rpartition("=")
    try:
        return str(measure_named(name)), float(half)
    except ValueError as error:
        if isinstance(error, ClusterdiffError) and name:
            raise
        raise ClusterdiffError(
            f"--plan {text} is not a measure and a half-width.", "write e.g. --plan elm_f=0.01."
        ) from None


PAIRS_HELP = """\b
A CSV, TSV or Parquet file with a row per stratum:
  stratum,pairs,labelled,matches,predicted,blocked
  together,350,100,70,yes,yes
  offered,8000,200,4,no,yes
  rest,100000,200,0,no,no
or with a row per labelled pair, where pairs is how many its stratum has:
  stratum,predicted,label,pairs
  together,yes,match,350

\b
Pairs of a stratum are drawn at random. predicted: the guess puts them
together; blocked: blocking offered them to the guess (yes if left out).
Recall within blocks leaves out all matches that no block offered.

\b
  clusterdiff pairs labels.csv --confidence 90
  clusterdiff pairs labels.csv --size together=350 --size offered=8000
"""


def pairs(
    labels: Annotated[str, typer.Argument(help="The table of labels.")],
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=N", help="Number of pairs in a stratum, if no column holds it."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="Level of the intervals, e.g. 95.")
    ] = 95,
    format: Annotated[str, o.format_option(LabelledPairs)] = "text",
) -> None:
    """Estimate precision and recall from pairs that people labelled."""
    sizes = sizes_of(size) if size else None
    show(labelled_pairs(labels, sizes=sizes, confidence=confidence), format)
