"""The experiments of the CICE-BCubed paper: its example, and how often Extended BCubed is 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from clusterdiff.clusterings import Cover
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import measure_named
from clusterdiff.measures.overlapping import cice_f, extended_bcubed_f
from clusterdiff.output.figures import SYSTEMS, blank
from clusterdiff.progress import progress
from clusterdiff.testing.claims import Family
from clusterdiff_lab.axioms.covers import Overlap, groups_of
from clusterdiff_lab.papers.cice.values import CANDIDATE, GOLD
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting

READINGS = {
    "extended_bcubed_{}": "co-occurrences are counted",
    "cice_{}": "and their clusters matched, Equation (4)",
    "cice_{}(match='pair')": "matched as the prose has it: classes with the pair",
}
PARTS = ("precision", "recall", "f")


def run_example(setting: Setting) -> Outcome:
    """Scores of the example, and the similarity of each cluster to each class."""
    gold, candidate = (Cover.from_clusters(clusters) for clusters in (GOLD, CANDIDATE))
    scores: list[Record] = [
        {"measure": name.format("*"), "reading": reading}
        | {part: float(measure_named(name.format(part))(gold, candidate)) for part in PARTS}
        for name, reading in READINGS.items()
    ]
    like: list[Record] = [
        {"candidate": _digits(one)} | {_digits(other): _jaccard(one, other) for other in GOLD}
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


def _digits(cluster: Iterable[int]) -> str:
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


OBJECTS = (2, 3, 4)
Indistinct = tuple[Overlap, float]
"""Two covers that differ and get 1 from Extended BCubed, and their CICE-BCubed."""


def run_perfect(setting: Setting) -> Outcome:
    """All covers, grouped by what Extended BCubed sees of them; nothing is drawn at random."""
    pairs_by_size = {objects: list(alike(objects)) for objects in OBJECTS}
    covers = {objects: sum(map(len, _groups(objects))) for objects in OBJECTS}
    scored = _scored([one for alike in pairs_by_size.values() for one in alike])
    totals: list[Record] = [
        {
            "objects": objects,
            "covers": covers[objects],
            "pairs that differ": covers[objects] * (covers[objects] - 1) // 2,
            "extended_bcubed_f = 1": len(pairs_by_size[objects]),
            "one in": _one_in(covers[objects], len(pairs_by_size[objects])),
            "cice_f = 1": sum(cice > 1 - 1e-12 for both, cice in scored if both.count == objects),
        }
        for objects in OBJECTS
    ]
    return Outcome(
        "How often Extended BCubed gives 1 to covers that differ",
        (
            Exhibit.of("perfect", "All pairs of covers", totals),
            Exhibit.of("perfect-clusters", "Those pairs, by how many clusters", _sizes(scored)),
        ),
        _paragraphs(scored),
        (
            Picture(
                "perfect",
                "What CICE-BCubed F gives to the pairs of covers of four objects that differ and "
                "get 1 from Extended BCubed F.",
                lambda: _histogram([cice for both, cice in scored if both.count == OBJECTS[-1]]),
            ),
        ),
        (
            Exhibit.of(
                "perfect-pairs",
                "The pairs themselves",
                [
                    {
                        "objects": both.count,
                        "first": _written(both.truth),
                        "second": _written(both.guess),
                        "cice_f": cice,
                    }
                    for both, cice in scored
                ],
            ),
        ),
    )


def _families(objects: int) -> tuple[np.ndarray, np.ndarray]:
    """All covers as sets of clusters (no cluster twice, each object in one), and in how many
    clusters of each two objects are together, or an object is itself.
    """
    clusters = np.arange(1, 2**objects)
    families = np.arange(1, 2**clusters.size)
    holds = (families[:, None] >> np.arange(clusters.size)) & 1
    pairs = list(combinations_with_replacement(range(objects), 2))
    together = np.array([(clusters >> i) & (clusters >> j) & 1 for i, j in pairs])
    counts = holds @ together.T
    covering = (counts[:, [i == j for i, j in pairs]] > 0).all(axis=1)
    return families[covering], counts[covering]


def _groups(objects: int) -> list[np.ndarray]:
    """Covers with the same counts: Extended BCubed compares these and nothing else."""
    families, counts = _families(objects)
    _, group = np.unique(counts, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    return np.split(families[order], np.cumsum(np.bincount(group.ravel()))[:-1])


def alike(objects: int) -> Iterator[Overlap]:
    """Pairs of different covers with the same counts, one way round."""
    for group in _groups(objects):
        yield from (Overlap(objects, *pair) for pair in combinations(map(_clusters, group), 2))


def _clusters(family: np.int64) -> Family:
    return tuple(k + 1 for k in range(int(family).bit_length()) if family >> k & 1)


def _scored(pairs: Sequence[Overlap]) -> list[Indistinct]:
    """Each pair with its CICE-BCubed; pairs that are one but for names are scored once."""
    scores: dict[Hashable, float] = {}
    scored = []
    with progress(f"{len(pairs):,} pairs", len(pairs)) as advance:
        for both in pairs:
            if both.key not in scores:
                scores[both.key] = _cice(both)
            scored.append((both, scores[both.key]))
            advance(1)
    return scored


def _cice(both: Overlap) -> float:
    """CICE-BCubed; that Extended BCubed is 1 is seen, not only concluded."""
    if extended_bcubed_f.of(both.meet) != 1.0:
        raise ClusterdiffError(
            f"Extended BCubed of {_written(both.truth)} and {_written(both.guess)} is not 1, "
            "though all objects are together equally often: that is a mistake in clusterdiff."
        )
    return float(cice_f.of(both.meet))


def _one_in(covers: int, alike: int) -> int | None:
    return round(covers * (covers - 1) / 2 / alike) if alike else None


def _sizes(scored: Sequence[Indistinct]) -> list[Record]:
    many = Counter((b.count, *sorted((len(b.truth), len(b.guess)))) for b, _ in scored)
    return [
        {"objects": objects, "clusters": fewer, "and": more, "pairs": pairs}
        for (objects, fewer, more), pairs in sorted(many.items())
    ]


def _paragraphs(scored: Sequence[Indistinct]) -> tuple[str, ...]:
    smallest = scored[0][0]
    values = [cice for _, cice in scored]
    return (
        "A cover is a set of clusters, none of them twice, with each object in at least one. "
        "Extended BCubed F is 1 exactly where any two objects (and each with itself) are together "
        "in as many clusters on both sides, so covers are grouped by these counts and all pairs "
        "within a group are listed: nothing is sampled, --seed changes nothing.",
        f"The smallest pair is {_written(smallest.truth)} against {_written(smallest.guess)}, of "
        f"{smallest.objects} objects; the paper's example has 6. CICE-BCubed F is below 1 for all "
        f"of them, from {min(values):.4f} to {max(values):.4f}.",
    )


def _written(family: Family) -> str:
    return "|".join("".join(map(str, sorted(group))) for group in groups_of(family))


def _histogram(values: list[float]) -> Any:
    figure = blank()
    figure.add_histogram(x=values, xbins={"size": 0.02}, marker={"color": SYSTEMS[0]})
    return figure.update_layout(
        xaxis={"title": "CICE-BCubed F"}, yaxis={"title": "pairs of covers"}, bargap=0.05
    )
