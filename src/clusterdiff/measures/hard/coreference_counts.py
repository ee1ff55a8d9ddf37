"""What coreference measures count: links that build a cluster (MUC), entities matched one to one by
φ4 = 2|T∩G| / (|T| + |G|) (CEAF-e), links between objects in one cluster and in two (BLANC).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.core.lines import LineScore, LineSums, SizeMean
from clusterdiff.measures.core.sums import clusters_of, size_of
from clusterdiff.measures.core.zero_division import f_scores, precision_recall, share
from clusterdiff.measures.hard.assignment import best_matching
from clusterdiff.measures.hard.pairs import mates_of_lines, pair_terms, pairs_of_lines
from clusterdiff.meet import Counted, HardMeet, Shapes
from clusterdiff.meet.exact_sums import count_pairs


def muc_links(s: Shapes, zero: float) -> tuple[float, float]:
    """Links in both over those of guess, and over those of truth; `zero` is 0/0."""
    links = int((np.maximum(s.found - 1, 0) * s.times).sum())
    guess = s.guess_objects - s.guess_sizes.clusters
    truth = s.truth_objects - s.truth_sizes.clusters
    return precision_recall(links, guess, truth, zero)


def muc_terms(m: Counted) -> dict[str, Floats]:
    """What each row adds to the links in both, in guess and in truth."""
    n, (truths, guesses) = size_of(m), clusters_of(m)
    return {
        "links": np.maximum(m.found - 1.0, 0.0),
        "truth links": n * m.in_truth - truths,
        "guess links": n * m.in_guess - guesses,
    }


class Entities(NamedTuple):
    """A best matching of clusters by φ4."""

    rows: Ints
    phi: Floats
    total: Fraction

    @property
    def earned(self) -> Floats:
        """For each row how similar its clusters are if they are matched, else 0."""
        earned = np.zeros(self.phi.size)
        earned[self.rows] = self.phi[self.rows]
        return earned


def matched_entities(m: HardMeet) -> Entities:
    """The clusters that are matched, how similar they are, and the sum of that."""
    sizes = m.truth_size + m.guess_size
    phi = 2 * m.found / sizes
    rows = best_matching(m, phi)
    tops = np.bincount(sizes[rows], 2 * m.found[rows] * m.times[rows])
    total = sum((Fraction(int(tops[d]), int(d)) for d in np.flatnonzero(tops)), Fraction(0))
    return Entities(rows, phi, total)


def entity_means(m: HardMeet, e: Entities, zero: float) -> tuple[float, float]:
    """The sum over the number of guess clusters, and over that of truth clusters."""
    return (
        float(e.total / n) if (n := m.guess_sizes.clusters) else zero,
        float(e.total / n) if (n := m.truth_sizes.clusters) else zero,
    )


def entity_terms(m: HardMeet) -> dict[str, Floats]:
    """How similar the matched clusters of each row are, and its part of its clusters."""
    truths, guesses = clusters_of(m)
    return {"truths": truths, "guesses": guesses, "matched": matched_entities(m).earned}


class Links(NamedTuple):
    """Links of one sort: in truth, in guess, in both. Whole numbers, or one per row."""

    truth: Floats | int
    guess: Floats | int
    both: Floats | int


def quality(together: Links, apart: Links, alpha: float, zero: float) -> Floats:
    """Precision, recall and F, one below the other: means over the sorts of links truth has."""
    qualities, counts = [], []
    for links in (together, apart):
        truth, guess, both = (np.asarray(x, np.float64) for x in links)
        precision, recall = share(both, guess, 0.0), share(both, truth, 0.0)
        qualities.append(np.stack([precision, recall, f_scores(precision, recall, alpha)]))
        counts.append(truth > 0)
    total = sum(
        np.where(count, quality, 0.0) for count, quality in zip(counts, qualities, strict=True)
    )
    return share(np.asarray(total), np.sum(counts, axis=0), zero)


def all_links(m: HardMeet) -> tuple[Links, Links]:
    """Coreference links and links between different entities, as whole numbers."""
    shapes = m.shapes
    shared = int(m.found @ m.times)
    in_truth = count_pairs(*_shared_sizes(m.truth, m))
    in_guess = count_pairs(*_shared_sizes(m.guess, m))
    truth, guess = shapes.truth_sizes.pairs, shapes.guess_sizes.pairs
    both = count_pairs(shapes.found, shapes.times)
    return Links(truth, guess, both), Links(
        _pairs(m.truth_objects) - truth,
        _pairs(m.guess_objects) - guess,
        _pairs(shared) - in_truth - in_guess + both,
    )


def _pairs(objects: int) -> int:
    return objects * (objects - 1) // 2


def _shared_sizes(cluster: Ints, m: HardMeet) -> tuple[Ints, Ints]:
    """Sizes of the clusters of one side without the objects the other side lacks, and times."""
    sizes = np.bincount(cluster + 1, m.found).astype(np.int64)
    times = np.zeros(sizes.size, np.int64)
    times[cluster + 1] = m.times
    return sizes[1:], times[1:]


def links_of_objects(m: HardMeet) -> tuple[Links, Links]:
    """The links that contain an object of each row."""
    known_truth, known_guess = m.truth_size > 0, m.guess_size > 0
    shared = int(m.found @ m.times)
    together = Links(
        np.where(known_truth, m.truth_size - 1, 0),
        np.where(known_guess, m.guess_size - 1, 0),
        np.maximum(m.found - 1, 0),
    )
    mutual = shared - of_cluster(m.truth, m.found) - of_cluster(m.guess, m.found) + m.found
    apart = Links(
        np.where(known_truth, m.truth_objects - m.truth_size, 0),
        np.where(known_guess, m.guess_objects - m.guess_size, 0),
        np.where(m.found > 0, mutual, 0.0),
    )
    return together, apart


def of_cluster(cluster: Ints, values: NDArray[np.generic]) -> Floats:
    """For each row, the sum of a value over the rows of its cluster."""
    sums = np.bincount(cluster + 1, values).astype(np.float64)
    sums[0] = 0.0
    return np.asarray(sums[cluster + 1])


def link_terms(m: HardMeet) -> dict[str, Floats]:
    """What each row adds to the objects and to the coreference links of both sides; `shared`
    leaves out the objects that the other side lacks.
    """
    found = m.found.astype(np.float64)
    links, lacking = pair_terms(m), m.both - found
    shared = {
        "truth": m.truth_size - of_cluster(m.truth, lacking),
        "guess": m.guess_size - of_cluster(m.guess, lacking),
    }
    return {
        **{name: links[name] for name in ("truth", "guess", "both")},
        "truth objects": size_of(m) * m.in_truth,
        "guess objects": size_of(m) * m.in_guess,
        "shared objects": found,
        **{f"shared {side}": found * np.maximum(s - 1, 0) / 2 for side, s in shared.items()},
    }


def links_of_sums(s: Mapping[str, Floats]) -> tuple[Links, Links]:
    """Coreference links and links between different entities, of sums of `link_terms`."""
    truth, guess, shared = (
        s[f"{side} objects"] * (s[f"{side} objects"] - 1) / 2
        for side in ("truth", "guess", "shared")
    )
    together = Links(s["truth"], s["guess"], s["both"])
    mutual = shared - s["shared truth"] - s["shared guess"] + s["both"]
    return together, Links(truth - s["truth"], guess - s["guess"], mutual)


def muc_of_lines(s: LineSums, empty: float | None = None) -> tuple[float, float]:
    """MUC precision and recall of every line of a sweep."""
    found: Any = s.objects - s.rows
    guess: Any = s.objects - s.clusters
    truth: Any = s.each(s.objects - s.truths)
    return precision_recall(found, guess, truth, 1.0 if empty is None else empty)


def lea_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """LEA precision and recall of every line: ELM's, but for objects that are alone."""
    precision, recall = mates_of_lines(s)
    return (
        precision - (s.singles - s.alone) / s.objects,
        recall - (s.truth_singles - s.alone) / s.objects,
    )


def blanc_lines(
    place: int, empty: float | None = None, alpha: float = 0.5, f: str = "means"
) -> LineScore:
    """BLANC precision, recall or F of every line, by its place among the three."""
    zero = 1.0 if empty is None else empty
    mean = SizeMean("blanc", alpha)

    def links(s: LineSums) -> Floats:
        p: Any = pairs_of_lines(s)
        mutual = p.all - p.truth - p.guess + p.both
        together = Links(p.truth, p.guess, p.both)
        return quality(together, Links(p.all - p.truth, p.all - p.guess, mutual), alpha, zero)

    if f == "objects":
        return LineScore(
            lambda s: s.size_means[mean] if s.objects > 1 else s.each(1) * zero, (mean,)
        )
    return LineScore(lambda s: links(s)[place])
