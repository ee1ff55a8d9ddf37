"""Pictures of a comparison, for papers and for the page: Plotly figures, saved as SVG, PDF or PNG.

Each function takes a finished result, or the arguments of the verb that computes it.

>>> import clusterdiff as cd
>>> figure = cd.plot.sizes({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 3: "y"})
>>> [bars.name for bars in figure.data]
['truth', 'guess']
"""

from __future__ import annotations

from typing import Any

from clusterdiff.compare.compare import compare
from clusterdiff.compare.plot import scores_of
from clusterdiff.compare.report import Report
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.explain import explain, explained
from clusterdiff.explain.partition import ClusterTable, Explanation
from clusterdiff.explain.plot import (
    alluvial_of,
    clusters_of,
    outcomes_of,
    overlay_of,
    sizes_of,
    timeline_of,
)
from clusterdiff.explain.ranking import BaseExplanation
from clusterdiff.explain.speech import SpeechExplanation
from clusterdiff.io import align_together
from clusterdiff.io.sides import guesses_of, opened, takes_columns
from clusterdiff.measures import Measure
from clusterdiff.output.figures import check_picture as check_picture
from clusterdiff.output.figures import remembers_its_files
from clusterdiff.output.figures import save as save
from clusterdiff.releases.plot import track_of
from clusterdiff.releases.track import Tracking
from clusterdiff.releases.track import track as track_releases
from clusterdiff.runs.consensus import Consensus
from clusterdiff.runs.consensus import consensus as consensus_of_runs
from clusterdiff.runs.matrix import ScoreMatrix
from clusterdiff.runs.matrix import matrix as matrix_of_runs
from clusterdiff.runs.plots import consensus_of, embedding_of, heatmap_of
from clusterdiff.sweep.plot import precision_recall_of, sweep_of
from clusterdiff.sweep.result import Sweep
from clusterdiff.sweep.sweep import sweep as sweep_pairs


@remembers_its_files
@takes_columns
def alluvial(
    truth: Any, guess: Any = None, by: str | None = None, *, top: int = 5, **options: Any
) -> Any:
    """The components that lose most: true clusters on the left, guess clusters on the right.

    Takes what `cd.explain` takes, or an explanation. Bands that stay home are grey, parts that are
    split off blue, merged ones orange, moved ones red.
    """
    if not isinstance(truth, Explanation):
        truth = of_partitions(explain(truth, guess, by, **options))
    return alluvial_of(truth.top(top))


@remembers_its_files
@takes_columns
def clusters(truth: Any, guess: Any = None, by: str | None = None, **options: Any) -> Any:
    """Precision against recall of each true cluster: how pure its best guess is, and how whole."""
    if not isinstance(truth, Explanation):
        truth = of_partitions(explain(truth, guess, by, **options))
    return clusters_of(ClusterTable.of(truth))


@remembers_its_files
@takes_columns
def overlay(truth: Any, guess: Any = None, *, at: int | None = None, **options: Any) -> Any:
    """Where two label images differ: each pixel in the colour of what became of it.

    Takes what `cd.explain` takes of label images, or its explanation. Pixels at home are grey,
    split off blue, merged orange, moved red, background white. Of a volume or a stack the slice
    `at` of the first axis is drawn, or the middle one.
    """
    if not isinstance(truth, Explanation):
        truth = of_partitions(explain(truth, guess, **options))
    return overlay_of(truth, at)


@remembers_its_files
@takes_columns
def scores(report: Any, guess: Any = None, measures: Any = None, **options: Any) -> Any:
    """Scores side by side, with their intervals; takes a report, or what `cd.compare` takes.

    Measures that can exceed 1 are left out.
    """
    if not isinstance(report, Report):
        report = compare(report, guess, measures, **options)
    return scores_of(report)


@remembers_its_files
@takes_columns
def sizes(truth: Any, guess: Any = None, **options: Any) -> Any:
    """How many clusters have which size, in truth and in each guess.

    Takes a truth and a guess (or a dict of guesses), a report, or an explanation.
    """
    if isinstance(truth, Explanation):
        summary = truth.summary
        return sizes_of({"truth": summary.truth_sizes, "guess": summary.guess_sizes})
    if not isinstance(truth, Report):
        truth = compare(truth, guess, "exact_f", **options)
    return sizes_of(truth.sizes())


@remembers_its_files
@takes_columns
def outcomes(
    truth: Any,
    guess: Any = None,
    *,
    kind: Any = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    engine: Any = None,
) -> Any:
    """What became of the objects: right, split, merged, both; a bar for each guess.

    Takes a truth and a guess (or a dict of guesses), or a dict of explanations. They are counted by
    majorities, as in `explain`, where each guess is explained cluster by cluster.
    """
    if guess is None:
        explanations = {"guess": truth} if isinstance(truth, Explanation) else truth
    else:
        guesses = guesses_of(guess, kind, truth)
        with opened(engine, truth, guesses, kind, samples, count) as (session, left, right):
            aligned = align_together(session, left, right, Policy(align, noise, noise_as))
            explanations = {name: of_partitions(explained(aligned, name, None)) for name in right}
    return outcomes_of(explanations)


def of_partitions(explanation: BaseExplanation[Any]) -> Explanation:
    """The explanation, if it is one of partitions: only these have components to draw."""
    if not isinstance(explanation, Explanation):
        raise ClusterdiffError(
            "components are drawn of partitions; these clusterings overlap or are uncertain.",
            "cd.explain(truth, guess) tells where they differ.",
        )
    return explanation


@remembers_its_files
@takes_columns
def timeline(truth: Any, guess: Any = None, *, file: str | None = None, **options: Any) -> Any:
    """Who speaks when, in truth and in guess, and where speech is missed, invented or confused.

    Takes speech as `cd.explain` does, or an explanation of it. Of several files it draws `file`, or
    the one with most errors. Speakers of guess have the colour of those that they stand for.
    """
    if not isinstance(truth, SpeechExplanation):
        truth = explain(truth, guess, **options)
    if not isinstance(truth, SpeechExplanation):
        raise ClusterdiffError(
            "a timeline is drawn of speech, and this is none.",
            "give RTTM files or annotations of pyannote.",
        )
    return timeline_of(truth, file)


@remembers_its_files
def track(releases: Any, *, top: int | None = None, **options: Any) -> Any:
    """Clusters over releases: the largest events of each step as bands, how many events of each
    kind there are, and how stable objects are. Takes a tracking, or what `cd.track` takes.

    The clusters of the `top` events of each step have names; all other events are one grey band.
    """
    if not isinstance(releases, Tracking):
        releases = track_releases(releases, **options)
    return track_of(releases, top)


@remembers_its_files
def sweep(curve: Any, pairs: Any = None, measure: Any = None, **options: Any) -> Any:
    """Scores over thresholds as steps, with the flat run around the best one shaded; below, the
    number of clusters and the largest one.

    Takes a sweep, or what `cd.sweep` takes. Draws `measure`, or the first measure where none is
    named, with its precision and recall.
    """
    if isinstance(curve, Sweep):
        return sweep_of(curve, measure)
    return sweep_of(sweep_pairs(curve, pairs, measure, **options), None)


@remembers_its_files
def precision_recall(curve: Any, pairs: Any = None, measures: Any = None, **options: Any) -> Any:
    """Precision against recall of the clusters that every threshold gives, the best ones marked.

    Takes a sweep, or what `cd.sweep` takes, and measures that have a precision and a recall. These
    are scores of clusters: those of links alone are higher.
    """
    if isinstance(curve, Sweep):
        given = pairs if measures is None else measures
        wanted = [given] if isinstance(given, str | Measure) else given
        return precision_recall_of(curve, wanted)
    return precision_recall_of(sweep_pairs(curve, pairs, measures, **options))


@remembers_its_files
def matrix(runs: Any, measure: Any = "adjusted_rand", **options: Any) -> Any:
    """A heatmap of the scores of every pair of runs, similar runs side by side.

    Takes a `ScoreMatrix`, or what `cd.matrix` takes.
    """
    if not isinstance(runs, ScoreMatrix):
        runs = matrix_of_runs(runs, measure, **options)
    return heatmap_of(runs)


@remembers_its_files
def embedding(runs: Any, measure: Any = "adjusted_rand", **options: Any) -> Any:
    """Runs as points on a map, near where they agree (classical scaling).

    Takes a `ScoreMatrix`, or what `cd.matrix` takes.
    """
    if not isinstance(runs, ScoreMatrix):
        runs = matrix_of_runs(runs, measure, **options)
    return embedding_of(runs)


@remembers_its_files
def consensus(runs: Any, by: Any = "mirkin_distance", *, top: int = 12, **options: Any) -> Any:
    """Distances of the runs to their consensus, beside the lower bound of their mean; and the
    largest clusters as blocks of profiles, with the runs that have each block whole.

    Takes a consensus, or what `cd.consensus` takes. Draws the `top` largest clusters.
    """
    if not isinstance(runs, Consensus):
        runs = consensus_of_runs(runs, by, **options)
    return consensus_of(runs, top)


__all__ = [
    "alluvial", "clusters", "consensus", "embedding", "matrix", "outcomes", "overlay",
    "precision_recall", "save", "scores", "sizes", "sweep", "timeline", "track",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name != "worsening":
        raise AttributeError(f"module 'clusterdiff.plot' has no attribute {name!r}")
    from clusterdiff.plugins import moved

    return moved("clusterdiff.plot", "clusterdiff_lab", "plot_worsening")
