"""`clusterdiff matrix` and `clusterdiff consensus`: how several clusterings agree, and in what."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import OF_IMAGES, Inputs, VotingInputs, with_inputs
from clusterdiff.cli.streams import say, say_written, show
from clusterdiff.io.between import column_named
from clusterdiff.io.runs import check_few, named_paths
from clusterdiff.measures import measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_ending, check_places, write
from clusterdiff.runs.consensus import (
    WHAT,
    Consensus,
    consensus_of,
    distance_named,
    weights_written,
)
from clusterdiff.runs.matrix import ScoreMatrix, matrix_of

MATRIX_HELP = """\b
  clusterdiff matrix runs/*.csv -m adjusted_rand
  clusterdiff matrix 'table.csv::leiden_*' -m elm_f --objects unstable.csv
  clusterdiff matrix guess.csv --truth ann.csv --truth ben.csv --truth eva.csv

\b
The medoid agrees best with all others on average. Stability is the mean over
pairs of runs; its standard error is a jackknife over runs. -f csv has all
pairs; on a terminal many runs are shown by their best and worst pairs.
Runs that lack objects, such as subsamples: --align shared scores each pair on
the objects that both have.
With --truth, given several times, the runs are guesses and the truths
annotators: each guess is judged by all of them, beside what they reach
among themselves.
"""

Truths = Annotated[
    list[str] | None, o.option("An annotator to compare the runs with; repeatable.", "--truth")
]


@with_inputs("kind", "degree", "rest", "samples")
def matrix(
    inputs: Inputs,
    runs: o.Runs,
    measure: Annotated[
        str,
        o.option("Measure to compute for each pair of runs.", "-m", "--measure", metavar="MEASURE"),
    ] = "adjusted_rand",
    between: o.Between = None,
    allow_code: o.AllowCode = False,
    truth: Truths = None,
    objects: Annotated[
        str | None, o.option("Write how consistent each object is over the runs, as CSV.")
    ] = None,
    plot: Annotated[str | None, o.option("Draw a heatmap: .html, .svg, .pdf or .png.")] = None,
    map: Annotated[
        str | None, o.option("Draw the runs as points; similar runs are close.", "--map")
    ] = None,
    format: Annotated[str, o.format_option(ScoreMatrix)] = "text",
) -> None:
    """Compare every pair of clusterings."""
    chosen = measure_named(measure, o.function_named if allow_code else None)
    read = [*(truth or []), *runs]
    check_places([objects, plot, map], read, [plot, map])
    annotators = None if not truth else len(named_paths(truth))
    if annotators is not None:
        check_few(annotators, 2, "annotators are compared,")
    with column_named(between), inputs.with_sources(between).runs(read) as opened:
        found = matrix_of(opened, chosen, inputs.policy, annotators, between or "")
    show(found, format)
    if objects is not None:
        write(objects, found.objects().to_csv(), read)
        say(f"{objects}: {count(len(found.objects()), 'object')}", err=True)
    for place, draw in ((plot, "heatmap_of"), (map, "embedding_of")):
        if place is not None:
            from clusterdiff.output.figures import save
            from clusterdiff.runs import plots

            save(getattr(plots, draw)(found), place)
            say(place, err=True)


CONSENSUS_HELP = """\b
  clusterdiff consensus runs/*.csv -o consensus.csv
  clusterdiff consensus 'table.csv::leiden_*' -o consensus.parquet
  clusterdiff consensus a.csv b.csv c.csv --weight a.csv=2 --by vi_distance
  clusterdiff consensus runs/*.csv --support support.csv --plot runs.html
  clusterdiff consensus reviewers/*.csv --align abstain -o consensus.csv

\b
The consensus is a median partition: its distances to the runs have the least
sum. mirkin_distance counts ordered pairs of objects that are together on one
side only, vi_distance is the variation of information in nats. Beside the
cost stands a bound: no partition costs less.
-o has a line for each object: its id, and its cluster, which is named after
the smallest of its objects. --support adds how much of that cluster the runs
have with the object, the least supported first.
A consensus need not be nearer to a truth than the runs are.

\b
Objects that a run lacks (--align):
  exact         refuse them, with examples (default)
  shared        keep only the objects that all runs have
  singletons    each is a cluster of its own in that run
  abstain       the run does not count for them: a pair of objects counts
                only in the runs that have both (mirkin_distance)
"""


@o.with_flags("inputs", VotingInputs, "kind", "degree", "rest", "samples", *OF_IMAGES)
def consensus(
    inputs: VotingInputs,
    runs: o.Runs,
    out: Annotated[
        str | None, o.option("Write the consensus, .csv or .parquet; - for stdout.", "-o", "--out")
    ] = None,
    by: Annotated[
        str, o.option("mirkin_distance or vi_distance.", metavar="DISTANCE")
    ] = "mirkin_distance",
    weight: Annotated[
        list[str] | None,
        o.option("Weight of a run, 1 by default; repeatable.", metavar="NAME=X"),
    ] = None,
    support: Annotated[
        str | None, o.option("Write the support of each object, .csv or .parquet.")
    ] = None,
    plot: Annotated[
        str | None, o.option("Draw the consensus as .html, .svg, .pdf or .png.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random draws.")] = 0,
    format: Annotated[str, o.format_option(Consensus)] = "text",
) -> None:
    """Combine several clusterings into one, a median partition."""
    distance, weights = distance_named(by), weights_written(weight or []) or None
    for place in (out, support):
        if place is not None and place != "-":
            check_ending(place)
    check_places([out, support, plot], runs, [plot])
    with inputs.runs(runs, what=WHAT) as opened:
        found = consensus_of(opened, distance, inputs.policy, weights, seed)
    if out == "-":
        say_written(found.write)
    else:
        show(found, format)
    if out is None and support is None and plot is None:
        say("The consensus was not written to a file; -o consensus.csv writes it.", err=True)
    objects = count(len(found), "object")
    if out is not None and out != "-":
        found.write(out, runs)
        say(f"{out}: {objects} in {count(found.sizes.size, 'cluster')}", err=True)
    if support is not None:
        found.write_support(support, runs)
        say(f"{support}: {objects}", err=True)
    if plot is not None:
        from clusterdiff.output.figures import save
        from clusterdiff.runs import plots

        save(plots.consensus_of(found, 12), plot)
        say(plot, err=True)
