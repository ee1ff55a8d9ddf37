"""`clusterdiff sweep`: which threshold of scored pairs, or which level, is best."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import exact, say, show
from clusterdiff.compare.gates import end_at, gate
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.scored import WHAT, check_engine, is_levels, opened_scored
from clusterdiff.io.session import SWEPT
from clusterdiff.measures.pairs import default_between
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_places, write
from clusterdiff.sweep.result import Sweep, clusters_to_csv
from clusterdiff.sweep.sweep import DEFAULT, SweepOptions, sweep_opened

if TYPE_CHECKING:
    from clusterdiff.io.runs import Runs
    from clusterdiff.io.scored import ScoredSource, Tree

HELP = """\b
PAIRS is a table of two ids and a score (CSV, Parquet, JSON lines): pairs that
score at least the threshold are linked, clusters are connected components.
Columns are found by name: unique_id_l, unique_id_r and match_probability (or
match_weight), id_a and id_b, left and right, source and target with score,
similarity, weight or distance; --left, --right and --score name others.
  clusterdiff sweep truth.csv pairs.parquet -m elm_f -m pair_f
  clusterdiff sweep truth.csv pairs.parquet --cut elm_f -o clusters.csv
  clusterdiff sweep truth.csv pairs.csv --curve curve.csv --plot curve.html

\b
Clusterings that were made one by one, with a column or a file for each level:
  clusterdiff sweep truth.csv "table.csv::leiden_*"
  clusterdiff sweep truth.csv coarse.csv medium.csv fine.csv

\b
Objects that pairs name and truth does not have (--align):
  exact         refuse them, with examples (default)
  shared        they link others and do not count
  singletons    each is a true cluster of its own

\b
Exit codes: 0 done, 1 a --fail-under was missed, 2 bad input or usage.
"""


@with_inputs("kind", "samples", "degree", "rest", "threshold")
def sweep(
    inputs: Inputs,
    truth: o.Truth,
    pairs: Annotated[
        list[str],
        typer.Argument(metavar="PAIRS…", help="Scored pairs, or one clustering for each level."),
    ],
    measures: o.Measures = None,
    allow_code: o.AllowCode = False,
    between: o.Between = None,
    slack: Annotated[
        float, typer.Option(help="Largest loss at which a line still counts as good.")
    ] = 0.01,
    folds: Annotated[
        int | None,
        o.option("Hold out each of N folds of the true clusters in turn.", metavar="N"),
    ] = None,
    lines: Annotated[
        int, o.option("Lines to score with measures that need each line by itself.", metavar="N")
    ] = 50,
    confidence: Annotated[
        float | None, o.option("Add confidence intervals of the best, e.g. 95.", metavar="PERCENT")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random draws.")] = 0,
    cut: Annotated[
        str | None,
        o.option("Clustering to write: the best by measure M, or at threshold T.", metavar="M|T"),
    ] = None,
    out: Annotated[str | None, o.option("File for --cut; - for stdout.", "-o", "--out")] = None,
    curve: Annotated[str | None, o.option("Write the scores of every line as CSV.")] = None,
    plot: Annotated[str | None, o.option("Draw the curve as .html, .svg, .pdf or .png.")] = None,
    format: Annotated[str, o.format_option(Sweep)] = "text",
    fail_under: Annotated[
        list[str] | None,
        o.option("Exit with 1 if the best score is worse, e.g. elm_f=0.8.", metavar="M=X"),
    ] = None,
) -> None:
    """Score every threshold of scored pairs and find the best one."""
    gates = [gate(text, allow_code) for text in fail_under or []]
    usual = list(DEFAULT) if between is None else default_between(inputs.align.value)
    shown: list[Any] = o.asked_for(measures, allow_code) or usual
    asked = [*shown, *(measure for measure, _ in gates)]
    options = SweepOptions(asked, slack, folds, lines, confidence, seed, between, inputs.count)
    check_engine(inputs.engine)
    if [truth, *pairs].count("-") > 1:
        raise ClusterdiffError(
            "standard input can be read once only.", "name a file for truth or for the pairs."
        )
    if (cut is None) != (out is None):
        raise ClusterdiffError(
            "--cut says which clustering to write, and -o where.",
            "add --cut elm_f." if cut is None else "add -o clusters.csv.",
        )
    check_places([out, curve, plot], [truth, *pairs], [plot])
    result = swept(inputs, truth, pairs, options)
    if cut is not None and out is not None:
        line = result.line_of(_threshold(result, cut))
        clusters = count(int(result.clusters[line]), "cluster")
        text = clusters_to_csv(result.clustering(line))
        _write(out, text, [truth, *pairs], f"{clusters} at {result.lines.describe(line)}")
    if curve is not None:
        _write(curve, result.to_csv(), [truth, *pairs], f"{len(result):,} lines")
    if plot is not None:
        from clusterdiff.output.figures import save
        from clusterdiff.sweep.plot import sweep_of

        save(sweep_of(result), plot)
        say(f"{plot}: the curve of {result.best().measure}", err=True)
    if "-" not in (out, curve):
        show(result, format)
    missed = []
    for measure, least in gates:
        value = result.best(measure).value
        if value > least if measure.is_distance else value < least:
            side = "above" if measure.is_distance else "below"
            missed.append(f"clusterdiff: the best {measure} is {value:.6g}, {side} {least:g}.")
    end_at(missed)


def swept(inputs: Inputs, truth: str, pairs: list[str], options: SweepOptions) -> Sweep:
    """The sweep of files, with truth read as the flags say."""
    known = inputs.without_pairs().with_sources(options.between)
    with known.opened(truth, whole=True, each=SWEPT, beside=True) as (sessions, side, _):
        truth_side = sessions.loaded(side)
    with _opened(inputs, pairs) as opened:
        return sweep_opened(truth_side, opened, inputs.policy, options)


@contextmanager
def _opened(inputs: Inputs, paths: list[str]) -> Iterator[ScoredSource | Tree | Runs]:
    """The pairs of one file; or clusterings, if several files or columns are named."""
    columns = inputs.columns_of_pairs
    if len(paths) > 1 or (paths[0] != "-" and is_levels(paths[0])):
        if named := [f"--{name}" for name, given in columns.items() if given is not None]:
            raise ClusterdiffError(
                f"{named[0]} names a column of pairs, and these are clusterings.", "leave it out."
            )
        with inputs.runs(paths, what=WHAT, beside=True) as runs:
            yield runs
        return
    asked = inputs.pair_options() | {"engine": inputs.engine_asked()}
    asked["as_"] = inputs.as_ if inputs.as_ in ("long", "json") else None
    names = {**columns, "id": inputs.id}
    with opened_scored(paths[0], distance=inputs.distance, names=names, **asked) as scored:
        yield scored


def _write(path: str, text: str, read: list[str], what: str) -> None:
    """Write a file and say what it has, or print its text."""
    if path == "-":
        say(exact(text), nl=False)
    else:
        write(path, text, read)
        say(f"{path}: {what}", err=True)


def _threshold(sweep: Sweep, text: str) -> Any:
    """The number, level or measure that --cut names."""
    if text in (sweep.lines.names or ()):
        return text
    try:
        return float(text)
    except ValueError:
        return text
