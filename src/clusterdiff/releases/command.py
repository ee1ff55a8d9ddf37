"""`clusterdiff relabel` and `clusterdiff track`: ids kept from run to run, and followed."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import exact, on_stdout, say, say_written, show
from clusterdiff.compare.gates import end_at
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError, ReadError, pasted, printable
from clusterdiff.io.runs import named_paths
from clusterdiff.output.figures import save
from clusterdiff.output.formats import output_formats
from clusterdiff.output.writing import check_ending, check_places, placed, write
from clusterdiff.releases.id_history import check_stray
from clusterdiff.releases.plot import track_of
from clusterdiff.releases.relabel import IDS_SHOWN, Relabelled, Rules, relabel_sides
from clusterdiff.releases.track import EVENTS_SHOWN, TRACKS, Tracking, track_runs

if TYPE_CHECKING:
    from clusterdiff.io import EngineSessions
    from clusterdiff.io.runs import Side

RELABEL_HELP = """\b
  clusterdiff relabel run1.csv run2.csv -o run2_ids.csv
  clusterdiff relabel run1.csv run2.csv -o run2_ids.csv --table ids.csv \\
                      --redirects redirects.csv --fail-under kept=0.9
  clusterdiff relabel run2_ids.csv run3.csv -o run3_ids.csv \\
                      --retired redirects.csv --history run1.csv --revive

\b
As many objects as possible keep the id of their cluster, and each id is given
to one cluster at most. Clusters without an old id get a fresh one: whole
numbers go on behind the largest id ever seen, text keeps its label if it is
free. --table has a line for each old id and each new cluster with the reason,
--redirects one for each id that ended, with the id that most of its objects
have now; the same file says next time which ids are --retired.

\b
Exit codes: 0 done, 1 fewer objects than --fail-under kept their id, 2 bad
input or usage.
"""
HEADINGS = ("old", "id", "retired")
"""What the first line of a file of retired ids may say, if it is no id."""


@with_inputs("kind", "align", "noise_as", "samples", "degree", "rest")
def relabel(
    inputs: Inputs,
    old: Annotated[str, typer.Argument(help="The old run, whose ids are kept.")],
    new: Annotated[str, typer.Argument(help="The new run.")],
    out: Annotated[
        str | None,
        o.option("Write the new run under its ids, .csv or .parquet; - for stdout.", "-o", "--out"),
    ] = None,
    table: Annotated[str | None, o.option("Write the fate of each id, as CSV.")] = None,
    redirects: Annotated[
        str | None, o.option("Write retired ids and their successors, as CSV.")
    ] = None,
    retired: Annotated[
        list[str] | None, o.option("Ids that must not be used again, one per line.")
    ] = None,
    history: Annotated[
        list[str] | None, o.option("An earlier run under its ids; oldest first.")
    ] = None,
    revive: Annotated[
        bool,
        typer.Option("--revive", help="Reuse retired ids of --history for the same objects."),
    ] = False,
    weight: Annotated[
        str | None,
        o.option("Weight of each object: a column of NEW, or a table.", metavar="COLUMN|FILE"),
    ] = None,
    min_share: Annotated[
        float | None,
        o.option("Keep an id only where more than X of its objects stay.", metavar="X"),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Match tangled clusters to the end, however long.")
    ] = False,
    top: o.Top = str(IDS_SHOWN),
    format: Annotated[str, o.format_option(Relabelled)] = "text",
    fail_under: Annotated[
        list[str] | None, o.option("Exit with 1 if a smaller share keeps its id.", metavar="kept=X")
    ] = None,
) -> None:
    """Carry cluster ids over to a new run."""
    gates = [_gate(text) for text in fail_under or []]
    most = o.number("--top", top)
    before = history or []
    read = [old, new, *before, *(retired or []), *([weight] if weight else [])]
    check_places([out, table, redirects], read)
    printed = on_stdout(out=out, table=table, redirects=redirects)
    if out is not None and out != "-":
        check_ending(out)
    gone = [id for file in retired or [] for id in _ids_of(file)]
    rules = Rules(gone, None, min_share, revive, exact)
    policy = Policy("shared", inputs.policy.noise, "drop")
    with inputs.opened(old, new, *before) as (sessions, left, right):
        this, *earlier = right.values()
        sides: dict[str, Side] = {f"history {k}": one for k, one in enumerate(earlier, 1)}
        heavy = None if weight is None else _weights(sessions, inputs, new, weight)
        done = relabel_sides(sessions, sides | {"old": left, "new": this}, rules, policy, heavy)
        _write(done, out, table, redirects, read)
    if printed is not None:
        say(done.sentence(), err=True)
    else:
        show(done, format, top=most)
    missed = [least for least in gates if done.share < least]
    kept = f"clusterdiff: {printable(new)}: kept is {done.share:.6g}, below"
    end_at([f"{kept} {least:g}." for least in missed])


def _write(
    done: Relabelled, out: str | None, table: str | None, redirects: str | None, read: list[str]
) -> None:
    if out == "-":
        say_written(done.write)
    elif out is not None:
        done.write(out, read)
    for place, text in ((table, done.table.to_csv), (redirects, done.redirects_to_csv)):
        if place == "-":
            say(exact(text()), nl=False)
        elif place is not None:
            write(place, text(), read)


def _gate(text: str) -> float:
    """`kept=0.9` taken apart."""
    what, _, least = text.rpartition("=")
    try:
        share = float(least)
    except ValueError:
        share = float("nan")
    if what != "kept" or share != share:
        raise ClusterdiffError(
            f"{text!r} is not a threshold.", "write the share of objects, e.g. kept=0.9."
        )
    if not 0 <= share <= 1:
        near = f"did you mean {pasted(f'kept={share / 100:g}')}?" if 0 <= share <= 100 else ""
        raise ClusterdiffError(f"kept lies between 0 and 1, and {share:g} does not.", near)
    return share


def _ids_of(file: str) -> list[str]:
    """The first cells of the lines of a file."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as lines:
            found = [row[0] for row in csv.reader(lines) if row and row[0] != ""]
    except FileNotFoundError:
        raise ReadError.missing(file, os.listdir(os.path.dirname(file) or ".")) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"{file} could not be read: {error}.", "give a file of text.") from None
    return found[1:] if found and found[0] in HEADINGS else found


def _weights(sessions: EngineSessions, inputs: Inputs, new: str, weight: str) -> Side:
    """Weights from a table of their own, or from a column of the new run."""
    options: dict[str, Any] = {"id": "" if inputs.no_id else inputs.id, "header": inputs.header}
    if os.path.exists(weight.rpartition("::")[0] or weight):
        return sessions.path(weight, **options)
    file = new.rpartition("::")[0] or new
    return sessions.path(f"{file}::{weight}", **options)


TRACK_HELP = """\b
  clusterdiff track may.csv june.csv july.csv
  clusterdiff track 'releases/*.csv' --events events.csv --ids ids.csv
  clusterdiff track 'table.parquet::run_*' --stray 0.05 --plot track.html

\b
Releases come in the order of time. Clusters of two releases in a row that
share objects are connected, and each connected component is one event: same,
grown, shrunk, changed, split, merged, mixed, born or died. Every cluster and
every object counts once, so that the events add up. With --stray X, objects
that at most the share X of both their clusters have in common tie nothing
together, and are counted as moved.

\b
Exit codes: 0 done, 2 bad input or usage.
"""
LISTED = ("to_text", "to_markdown")
"""What lists the largest events; data has all of them, or none."""
Out = Annotated[str | None, o.option("Write a line per event, as CSV.")]


@with_inputs("kind", "align", "noise_as", "samples", "degree", "rest")
def track(
    inputs: Inputs,
    releases: o.Runs,
    stray: Annotated[
        float, o.option("Share of a cluster that may stray, e.g. 0.05.", metavar="X")
    ] = 0.0,
    top: Annotated[
        str, o.option('Number of events to show, largest first, or "all".', metavar="N")
    ] = str(EVENTS_SHOWN),
    events: Out = None,
    ids: Annotated[str | None, o.option("Write how long each id lasts, as CSV.")] = None,
    clusters: Annotated[str | None, o.option("Write each cluster's id and stability.")] = None,
    objects: Annotated[str | None, o.option("Write the stability of each object.")] = None,
    plot: Annotated[str | None, o.option("Draw it: .html, .svg, .pdf or .png.")] = None,
    format: Annotated[str, o.format_option(Tracking)] = "text",
) -> None:
    """Follow clusters over releases: what became of each."""
    share, most = check_stray(stray), o.number("--top", top)
    parts = {"events": events, "ids": ids, "clusters": clusters, "objects": objects}
    read = [path for _, path in named_paths(releases)]
    check_places([*parts.values(), plot], read, [plot])
    printed = on_stdout(**parts)
    with inputs.runs(releases, what=TRACKS) as runs:
        story = track_runs(runs, share, inputs.policy.noise)
        for what, file in parts.items():
            if file is not None and file != "-":
                with placed(file, read) as beside:
                    story.write(what, beside)
    if plot is not None:
        figure = track_of(story)
        figure._inputs = tuple(read)
        save(figure, plot)
    if printed is not None:
        say(exact(story.to_csv(printed)), nl=False)
    else:
        show(story, format, **({"top": most} if output_formats()[format].needs in LISTED else {}))
