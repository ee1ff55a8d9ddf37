"""`clusterdiff compare`: scores of one or several guesses."""

from __future__ import annotations

import contextlib
import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterdiff.clusterings import SOFT
from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.engines.table import Table
from clusterdiff.errors import ClusterdiffError, MissingColumn
from clusterdiff.measures import default_measures, measure_named
from clusterdiff.measures.interval import Interval
from clusterdiff.meet import Policy
from clusterdiff.readers import Workshop, listed_kinds, met
from clusterdiff.report.compare import measures_by_text, scored
from clusterdiff.report.text import printable

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.report.report import Report

FORMATS = """\b
Files are known by their ending, or by how they start:
  .csv .tsv     a row per object, columns id and cluster (by name or position)
  .parquet      the same; also .jsonl, a JSON object per line
  .json         {"id": "label"}, ["label", …], [["id", …], …] or records
  .labels       one label per line, in the order of the objects
  .clusters     one cluster per line: ids between blanks, commas or tabs
  .conll        CoNLL-2012 coreference; each document is a sample
Any of them may be .gz (not Parquet); - is standard input. A folder of
.parquet or .csv files, or a pattern ("part-*.parquet"), is one table.
FILE::COLUMN takes the clusters from that column, so that one table
can hold truth and guesses: compare t.csv::gold t.csv::run1 t.csv::run2

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
  penalise      they earn nothing: precision over the guess, recall over
                the truth, as the CoNLL coreference scorer counts

\b
Files larger than memory: DuckDB joins and counts, spilling to disk:
  compare truth.parquet guess.parquet --memory 4GB --temp /scratch
  compare truth/ guess/ --engine spark --master spark://host:7077

\b
Exit codes: 0 done, 1 a --fail-under was missed, 2 bad input or usage.
"""


class Format(StrEnum):
    """How the scores are written."""

    table = "table"
    json = "json"
    csv = "csv"
    md = "md"
    latex = "latex"


class Align(StrEnum):
    """What an object on one side only counts as."""

    exact = "exact"
    shared = "shared"
    singletons = "singletons"
    penalise = "penalise"


class NoiseAs(StrEnum):
    """What becomes of noise."""

    singletons = "singletons"
    drop = "drop"


class Rest(StrEnum):
    """What becomes of degrees that do not sum to one."""

    refuse = "refuse"
    normalise = "normalise"
    empty = "empty"


class Engine(StrEnum):
    """Who joins and counts."""

    duckdb = "duckdb"
    arrays = "arrays"
    spark = "spark"


class As(StrEnum):
    """The format of the files."""

    long = "long"
    labels = "labels"
    clusters = "clusters"
    json = "json"
    conll = "conll"


def compare(
    truth: Annotated[str, typer.Argument(help="The true clustering.")],
    guess: Annotated[list[str], typer.Argument(help="One or several guesses.")],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="MEASURE",
            help="A measure, e.g. elm_f or \"bcubed_f(f='means')\"; repeatable.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND[,KIND]…",
            help="What the files hold: partition (default), cover, rough, fuzzy, possibilistic, "
            "evidential; or one kind for truth and one for the guesses, e.g. partition,fuzzy, "
            "or one for each file.",
        ),
    ] = None,
    align: Annotated[Align, typer.Option(help="Objects on one side only.")] = Align.exact,
    format: Annotated[Format, typer.Option("-f", "--format", help="How to write.")] = Format.table,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL", help="A label that means noise, e.g. -1; null for empty labels."
        ),
    ] = None,
    noise_as: Annotated[NoiseAs, typer.Option(help="What noise becomes.")] = NoiseAs.singletons,
    samples: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of samples (documents, streams).")
    ] = None,
    per_sample: Annotated[
        bool, typer.Option("--per-sample", help="Write the score of each sample as CSV.")
    ] = False,
    id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column of the ids.")
    ] = None,
    no_id: Annotated[bool, typer.Option("--no-id", help="There are no ids.")] = False,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="COLUMN", help="Column of the clusters.")
    ] = None,
    degree: Annotated[
        str | None, typer.Option("--degree", metavar="COLUMN", help="Column of the degrees.")
    ] = None,
    rest: Annotated[
        Rest, typer.Option(help="Degrees of a fuzzy clustering that do not sum to one.")
    ] = Rest.refuse,
    as_: Annotated[As | None, typer.Option("--as", help="Format of the files.")] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="CSV: the first line names columns.")
    ] = None,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="What each score takes to be had again.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="M=X", help="Exit with 1 if a score is worse, e.g. elm_f=0.8."),
    ] = None,
    engine: Annotated[
        Engine,
        typer.Option(help="Who counts: DuckDB, memory alone, or Spark."),
    ] = Engine.duckdb,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory to take before spilling to disk, e.g. 4GB."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads to use; all by default.")] = None,
    temp: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder to spill to, on a disk with room.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where Spark runs, e.g. local[4], spark://host:7077, sc://host."
        ),
    ] = None,
) -> None:
    """Scores of one or several guesses against the truth."""
    gates = [_gate(text) for text in fail_under or []]
    if kind is None:
        asked = [measure_named(text) for text in measures or []]
        overlap = bool(asked) and all(m.needs == {"cover"} for m in asked)
        kind = "cover" if overlap else "partition"
    kinds = _kinds(kind, 1 + len(guess))
    if [truth, *guess].count("-") > 1:
        raise ClusterdiffError(
            "standard input can be read once only.", "name files for all but one clustering."
        )
    if rest is not Rest.refuse and "fuzzy" not in kinds:
        raise ClusterdiffError(
            "--rest is for degrees of a fuzzy clustering.", "say --kind fuzzy, or leave --rest out."
        )
    options: dict[str, Any] = {
        "id": "" if no_id else id,
        "cluster": cluster,
        "header": header,
        "degree": degree,
        "rest": rest.value,
    }
    form = None if as_ is None else as_.value
    policy = Policy(
        align.value,
        [None if n == "null" else n for n in _typed(noise)] if noise else None,
        noise_as.value,
    )
    with Workshop(_engine(engine, memory, threads, temp, master)) as shop:
        left = _read(shop, truth, form, samples, {**options, "kind": kinds[0]}, True)
        right = {
            name: _read(shop, path, form, samples, {**options, "kind": own}, False)
            for name, path, own in zip(_names(guess), guess, kinds[1:], strict=True)
        }
        said = [s.says if isinstance(s, Table) else s.kind for s in (left, *right.values())]
        soft = any(own in SOFT for own in said)
        shown = measures or default_measures(align.value, "cover" in kinds, soft)
        wanted = [*shown, *(m for m, _ in gates if m not in shown)]
        chosen = measures_by_text(wanted)
        found = {name: met(shop, left, g, policy) for name, g in right.items()}
    report = scored(found, chosen)
    _write(report, format, per_sample, signatures)
    missed = [text for measure, least in gates for text in _missed(report, measure, least)]
    if missed:
        typer.echo("\n".join(missed), err=True)
        raise typer.Exit(1)


def _engine(
    engine: Engine, memory: str | None, threads: int | None, temp: str | None, master: str | None
) -> Any:
    """The engine that was asked for, with what it may take."""
    limits = {"--memory": memory, "--threads": threads, "--temp": temp}
    given = [flag for flag, value in limits.items() if value is not None]
    if engine is Engine.spark:
        if given:
            raise ClusterdiffError(
                f"{given[0]} is for DuckDB; Spark has settings of its own.",
                "set them where Spark runs, e.g. spark-submit --driver-memory 4g.",
            )
        from clusterdiff.engines.spark import Spark

        return Spark(master=master)
    if master is not None:
        raise ClusterdiffError("--master says where Spark runs.", "add --engine spark.")
    if engine is Engine.arrays:
        if given:
            raise ClusterdiffError(
                f"{given[0]} is for DuckDB; --engine arrays reads everything into memory.",
                "leave --engine out.",
            )
        return "arrays"
    return DuckDB(memory=memory, threads=threads, temp=temp)


def _read(
    shop: Workshop,
    path: str,
    form: str | None,
    samples: str | None,
    options: dict[str, Any],
    truth: bool,
) -> AnyClustering | Table:
    """A clustering; where a guess has no column of samples, truth says which sample an object is
    in, and where a file has no column of degrees it has none.
    """
    try:
        return shop.path(path, as_=form, sample=samples, **options)
    except MissingColumn as error:
        if path == "-":
            raise
        if options.get("degree") and error.column == options["degree"]:
            made = _read(shop, path, form, samples, {**options, "degree": None}, truth)
            if (made.says if isinstance(made, Table) else made.kind) in SOFT:
                raise
            return made
        if truth or error.column != samples:
            raise
        return shop.path(path, as_=form, **options)


def _kinds(kind: str, files: int) -> list[str]:
    """The kind of each file: one for all, one for truth and one for the rest, or one for each."""
    said = listed_kinds(kind)
    if len(said) <= 2:
        return [said[0], *[said[-1]] * (files - 1)]
    if len(said) != files:
        raise ClusterdiffError(
            f"{len(said)} kinds do not fit {files} files: they are too many or too few.",
            "kind is one for all files, one for truth and one for the guesses, or one for each.",
        )
    return said


def _names(paths: list[str]) -> list[str]:
    """What to call the guesses: as short as keeps them apart."""
    short = [Path(p).name if p != "-" else "stdin" for p in paths]
    if len(set(short)) == len(short):
        return short
    if len(set(paths)) == len(paths):
        return paths
    return [f"{p} ({k})" for k, p in enumerate(paths, 1)]


def _typed(noise: list[str]) -> list[str | float]:
    """Noise labels as text, and as the numbers that a typed column would hold."""
    numbers: list[float] = []
    for label in noise:
        with contextlib.suppress(ValueError):
            numbers.append(float(label))
    return [*noise, *numbers]


def _gate(text: str) -> tuple[str, float]:
    """`elm_f=0.8` taken apart."""
    measure, _, least = text.rpartition("=")
    try:
        found = measure_named(measure)
        if not math.isfinite(float(least)):
            raise ValueError
        return str(found), float(least)
    except ValueError as error:
        if isinstance(error, ClusterdiffError) and measure:
            raise
        raise ClusterdiffError(
            f"{text!r} is no threshold.", "write a measure and a number, e.g. elm_f=0.8."
        ) from None


def _missed(report: Report, measure: str, least: float) -> list[str]:
    """What a gate says of the guesses that are worse than it asks."""
    distance = report.measures[measure].is_distance
    told = []
    for guess, scores in report.scores.items():
        value = scores[measure].value
        if value is None:
            told.append(f"clusterdiff: {printable(guess)}: {scores[measure].missing}")
            continue
        if isinstance(value, Interval):
            value = value.high if distance else value.low
        if value > least if distance else value < least:
            side = "above" if distance else "below"
            name = printable(guess)
            told.append(f"clusterdiff: {name}: {measure} is {value:.6g}, {side} {least:g}.")
    return told


def _write(report: Report, format: Format, per_sample: bool, signatures: bool) -> None:
    if per_sample:
        if not report.samples:
            raise ClusterdiffError(
                "there are no samples to write.", "name their column with --samples."
            )
        from clusterdiff.report.markup import to_csv

        records = report.sample_records()
        typer.echo(to_csv(list(records[0]), [list(r.values()) for r in records]), nl=False)
        return
    match format:
        case Format.json:
            typer.echo(report.to_json())
        case Format.csv:
            typer.echo(report.to_csv(), nl=False)
        case Format.md:
            typer.echo(report.to_markdown())
        case Format.latex:
            typer.echo(report.to_latex())
        case Format.table:
            from clusterdiff.cli.screen import show

            show(report)
    if signatures and format in (Format.table, Format.md):
        typer.echo("\n" + "\n".join(map(printable, report.signatures())))
