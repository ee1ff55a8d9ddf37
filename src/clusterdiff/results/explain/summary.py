"""A comparison of partitions in a few numbers: what became of objects, and of clusters by size."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.measures.attribution.rows import is_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Counted, HardMeet


OUTCOMES = ("right", "split", "merged", "both", "missing", "extra")
"""What becomes of an object: it is with all its companions and no others; lost some; got others;
lost some and got others; is only in truth; is only in guess.
"""

WORDS = {"missing": "missing in guess", "extra": "not in truth"}
"""How outcomes are said that do not say by themselves which side lacks the object."""


def outcome_of(m: Counted) -> Ints:
    """The outcome of the objects of each row, by its place among `OUTCOMES`."""
    lost, got = m.both < m.truth_size, m.both < m.guess_size
    return np.where(~m.in_truth, 5, np.where(~m.in_guess, 4, lost + 2 * got))


class SizeBand(NamedTuple):
    """Truth clusters of about one size, and what became of them."""

    low: int
    high: int
    clusters: int
    exact: int
    objects: int
    right: int
    loss: float
    """What their objects take off the best score."""
    score: float | None
    """The mean over their objects, where the score is a mean over objects."""

    @property
    def sizes(self) -> str:
        """The band for eyes."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


class Histogram(NamedTuple):
    """How many clusters have which size."""

    size: list[int]
    count: list[int]  # type: ignore[assignment]


@dataclass(frozen=True)
class Summary:
    """What became of all objects and clusters."""

    objects: int
    outcomes: dict[str, int]
    """Objects by outcome: right, split, merged, both; missing and extra where they count."""
    extra_loss: float
    """What objects that truth lacks take off the best score; they are in no band."""
    truth_clusters: int
    guess_clusters: int
    exact: int
    """Clusters that both have, to the last object."""
    bands: list[SizeBand]
    """Truth clusters by size: 1, 2, 3-4, 5-8, …"""
    truth_sizes: Histogram
    guess_sizes: Histogram

    def by_size(self) -> tuple[list[str], list[int], list[float]]:
        """Bands of sizes, and besides what truth lacks: names, objects, and what these lose."""
        names, objects = [b.sizes for b in self.bands], [b.objects for b in self.bands]
        losses = [b.loss for b in self.bands]
        if extra := self.outcomes.get("extra"):
            return [*names, WORDS["extra"]], [*objects, extra], [*losses, self.extra_loss]
        return names, objects, losses

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = asdict(self)
        told["bands"] = [band._asdict() for band in self.bands]
        for side in ("truth_sizes", "guess_sizes"):
            told[side] = getattr(self, side)._asdict()
        return told


def summary_of(m: HardMeet, loss: Floats, measure: Measure) -> Summary:
    """The summary of a comparison; `loss` is what each row takes off the best score."""
    counts = np.bincount(outcome_of(m), m.weight, len(OUTCOMES)).astype(np.int64).tolist()
    shown = dict(zip(OUTCOMES, counts, strict=True))
    return Summary(
        m.objects,
        {name: n for name, n in shown.items() if n or name in OUTCOMES[:4]},
        float(loss[~m.in_truth].sum()),
        *m.clusters,
        int(m.times[m.agree].sum()),
        _bands(m, loss, measure),
        Histogram(m.truth_sizes.size.tolist(), m.truth_sizes.count.tolist()),
        Histogram(m.guess_sizes.size.tolist(), m.guess_sizes.count.tolist()),
    )


def _bands(m: HardMeet, loss: Floats, measure: Measure) -> list[SizeBand]:
    """Truth clusters in bands that double: 1, 2, 3-4, 5-8, …"""
    sizes, clusters = m.truth_sizes
    band, of_size = _band(m.truth_size), _band(sizes)
    most = int(of_size.max(initial=-1)) + 1
    known = m.in_truth

    def total(values: NDArray[Any], some: Bools) -> list[float]:
        return np.bincount(band[some], values[some], most).tolist()  # type: ignore[no-any-return]

    right, exact = known & m.agree, total(m.times, known & m.agree)
    columns = (total(m.weight, known), total(m.weight, right), total(loss, known))
    found = np.bincount(of_size, clusters, most).tolist()
    whole = is_mean(measure) and m.objects == m.truth_objects == m.guess_objects

    def score(lost: float, objects: float) -> float | None:
        mean = lost * m.objects / objects
        return (mean if measure.is_distance else 1.0 - mean) if whole else None

    return [
        SizeBand(
            2 ** (i - 1) + 1 if i else 1, min(2**i, int(sizes.max())), int(found[i]), int(exact[i]),
            int(objects), int(found_whole), lost, score(lost, objects),
        )
        for i, (objects, found_whole, lost) in enumerate(zip(*columns, strict=True))
        if found[i]
    ]  # fmt: skip


def _band(size: Ints) -> Ints:
    """0 for 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, …"""
    return np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)
