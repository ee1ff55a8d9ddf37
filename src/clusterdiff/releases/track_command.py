"""`clusterdiff track`: what became of clusters from release to release."""

from __future__ import annotations

from typing import Annotated

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import exact, on_stdout, say, show
from clusterdiff.io.runs import named_paths
from clusterdiff.output.figures import save
from clusterdiff.output.formats import output_formats
from clusterdiff.output.writing import check_places, placed
from clusterdiff.releases.events import check_stray
from clusterdiff.releases.plot import track_of
from clusterdiff.releases.track import SHOWN, TRACKS, Tracking, track_runs

HELP = """\b
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
    ] = str(SHOWN),
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
