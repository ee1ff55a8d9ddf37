"""`clusterdiff consensus`: one clustering from several, with a bound on how good it is."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import OF_IMAGES, VotingInputs
from clusterdiff.cli.streams import say, say_written, show
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_ending, check_places
from clusterdiff.runs.consensus import (
    WHAT,
    Consensus,
    consensus_of,
    distance_named,
    weights_written,
)

HELP = """\b
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
