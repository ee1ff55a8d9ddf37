"""The example of the CICE-BCubed paper: six objects, two covers, Extended BCubed of 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clusterdiff.clusterings import Cover
from clusterdiff.measures import measure_named
from clusterdiff.output.figures import blank
from clusterdiff_lab.papers.cice.values import CANDIDATE, GOLD
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Record, Setting

READINGS = {
    "extended_bcubed_{}": "co-occurrences are counted",
    "cice_{}": "and their clusters matched, Equation (4)",
    "cice_{}(match='pair')": "matched as the prose has it: classes with the pair",
}
PARTS = ("precision", "recall", "f")


def run(setting: Setting) -> Outcome:
    """Scores of the example, and the similarity of each cluster to each class."""
    gold, candidate = (Cover.from_clusters(clusters) for clusters in (GOLD, CANDIDATE))
    scores: list[Record] = [
        {"measure": name.format("*"), "reading": reading}
        | {part: float(measure_named(name.format(part))(gold, candidate)) for part in PARTS}
        for name, reading in READINGS.items()
    ]
    like: list[Record] = [
        {"candidate": _written(one)} | {_written(other): _jaccard(one, other) for other in GOLD}
        for one in CANDIDATE
    ]
    return Outcome(
        "Extended BCubed gives 1 to covers that differ, CICE-BCubed does not",
        (
            Exhibit.of("example", "The example of Section 3", scores),
            Exhibit.of("example-jaccard", "Jaccard index of clusters and classes", like),
        ),
        (
            "Any two of the six objects are together as often in the candidate as in the gold "
            "standard, so Extended BCubed cannot tell them apart. No candidate cluster is a "
            "class: the one most like it has a Jaccard index of 2/3, and that is CICE-BCubed. "
            "The paper prints no numbers, only that the one is maximal and the other below 1. "
            "Nothing is drawn at random, so --seed changes nothing.",
        ),
        (
            Picture(
                "example",
                "Jaccard index of each candidate cluster with each class of the gold standard.",
                lambda: _squares(like),
            ),
        ),
    )


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)


def _written(cluster: Iterable[int]) -> str:
    return "".join(map(str, sorted(cluster)))


def _squares(like: list[Record]) -> Any:
    classes = [name for name in like[0] if name != "candidate"]
    values = [[record[name] for name in classes] for record in like]
    figure = blank()
    figure.add_heatmap(
        x=[f"{{{name}}}" for name in classes],
        y=[f"{{{record['candidate']}}}" for record in like],
        z=values,
        zmin=0,
        zmax=1,
        colorscale="Cividis",
        texttemplate="%{z:.2f}",
        colorbar={"title": "Jaccard"},
    )
    return figure.update_layout(
        xaxis={"title": "classes of the gold standard", "type": "category"},
        yaxis={"title": "candidate clusters", "type": "category", "autorange": "reversed"},
    )
