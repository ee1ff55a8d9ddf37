"""`clusterdiff matrix`: scores of every pair of several clusterings."""

from __future__ import annotations

from typing import Annotated

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import say, show
from clusterdiff.io.runs import check_few, named_paths
from clusterdiff.measures import measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_places, write
from clusterdiff.runs.matrix import ScoreMatrix, matrix_of

HELP = """\b
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
    with inputs.runs(read) as opened:
        found = matrix_of(opened, chosen, inputs.policy, annotators)
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
