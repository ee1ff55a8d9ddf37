"""Links between objects, in one cluster and in two: what BLANC counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.sums import size_of
from clusterdiff.measures.core.zero_division import f_scores, share
from clusterdiff.measures.hard.pairs import pair_terms
from clusterdiff.meet import HardMeet
from clusterdiff.meet.exact_sums import count_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Ints


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
