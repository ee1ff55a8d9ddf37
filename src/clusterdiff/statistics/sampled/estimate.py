"""Scores of a whole guess from a sample of truth clusters.

Each sampled cluster is complete, and of each guess cluster that it touches the whole size is known.
Sums over all clusters are estimated by weighted sums over those that were drawn, scaled up to all
objects: Ẑ = Σ w z · N / Σ w t, for N objects in all and t in a cluster. The score is the function
of these sums that it is of the sums over all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance, number, pair_keys
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.measures.core.sums import UnitSums, sums_of
from clusterdiff.meet import Alignment, HardMeet
from clusterdiff.meet.cells import size_per_row
from clusterdiff.statistics.confidence import interval_by
from clusterdiff.statistics.units import hash_of_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.clusterings import Partition
    from clusterdiff.inputs.sampled import Touched
    from clusterdiff.measures import Measure
    from clusterdiff.measures.core.sums import Sums
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.sure import Sure
    from clusterdiff.statistics.units import Hashes

SIZE = "objects of the sample"
"""The sum by which all others are scaled up."""
CAN = "elm_f, pair_f and nmi can be estimated, and most others that are sums over clusters."
FEW = "label more of them."


@dataclass(frozen=True, eq=False)
class Sampled:
    """Truth clusters that were drawn, each complete."""

    objects: Partition
    cluster: Ints
    """The number of the cluster of each object."""
    names: list[Any]
    """What the clusters are called."""
    hits: Ints
    """How often each was drawn."""
    design: str
    """records, clusters or weights."""
    own: Floats | None = None
    """Weights of the clusters, where they were given."""
    out_of: int | None = None
    """How many clusters they were drawn from without replacement, where that is to count."""
    positions: int | None = None
    """How many objects were listed, where objects are known by their place in the list."""
    listed_only: bool = False
    """Whether members seem to have been looked for among the listed lines alone."""
    lines: Partition | None = None
    """All lines, and which were drawn (1), where only a guess can tell whether that is so."""
    asked: int = 0
    """Drawn records whose other members are still asked for, where those of some were given."""

    @property
    def units(self) -> str:
        """What was drawn."""
        return "records" if self.design == "records" else "clusters"

    @property
    def keep(self) -> float:
        """1 less the share of a finite population that was drawn."""
        return 1.0 if self.out_of is None else 1 - int(self.hits.sum()) / self.out_of

    def some(self, objects: Ints) -> Sampled:
        """The same with these objects alone; clusters of which none is left are left out."""
        code, many = number(self.cluster[objects])
        kept = np.zeros(many, np.int64)
        kept[code] = self.cluster[objects]
        return replace(
            self,
            objects=self.objects.take(objects),
            cluster=code,
            names=[self.names[i] for i in kept.tolist()],
            hits=self.hits[kept],
            own=None if self.own is None else self.own[kept],
        )


@dataclass(frozen=True, eq=False)
class SampledUnits:
    """The clusters of a sample as a guess cuts them: a type for each, of as many units as it was
    drawn.
    """

    name: str
    """What was drawn: records, or clusters."""
    rows: HardMeet
    """Parts of the clusters, and what the guess clusters that they touch have beyond them, as if
    that were one cluster of truth for each: then guess clusters have their whole sizes.
    """
    type: Ints
    """The type of each row; -1 of what is beyond the sample."""
    count: Ints
    """How often each cluster was drawn."""
    weight: Floats
    """What each draw of it counts."""
    cluster: Ints
    """The number of the cluster of each type."""
    population: int | None
    """How many objects there are in all, if that is known."""

    @classmethod
    def of(
        cls, sample: Sampled, touched: Touched, alignment: Alignment, population: int | None
    ) -> SampledUnits:
        """A sample and what a guess says of its objects; those that it lacks have clusters of
        their own, or none.
        """
        truth = sample.cluster
        guess, size = np.full(truth.size, -1), np.zeros(truth.size, np.int64)
        guess[touched.position], size[touched.position] = touched.cluster, touched.size
        if alignment.policy == "singletons":
            alone = np.flatnonzero(guess < 0)
            guess[alone] = int(guess.max(initial=-1)) + 1 + np.arange(alone.size)
            size[alone] = 1
        row, first = by_appearance(pair_keys(truth, guess))
        both, parts, clusters = np.bincount(row), truth[first], guess[first]
        known = clusters >= 0
        inside = np.bincount(clusters[known], both[known]).astype(np.int64)
        whole = np.zeros_like(inside)
        whole[clusters[known]] = size[first][known]
        beyond = np.flatnonzero(whole > inside)
        type = np.concatenate([parts, np.full(beyond.size, -1)])
        parts = np.concatenate([parts, sample.hits.size + np.arange(beyond.size)])
        clusters = np.concatenate([clusters, beyond])
        both = np.concatenate([both, (whole - inside)[beyond]])
        rows = HardMeet(
            both=both,
            truth_size=size_per_row(parts, both),
            guess_size=size_per_row(clusters, both),
            times=np.ones_like(both),
            truth=parts,
            guess=clusters,
            alignment=alignment,
        )
        weight = np.ones(sample.hits.size) if sample.own is None else sample.own
        if sample.design == "records":
            weight = 1 / np.bincount(truth)
        every = np.arange(sample.hits.size)
        return cls(sample.units, rows, type, sample.hits, weight, every, population)

    @cached_property
    def hashes(self) -> Hashes:
        """A number for each type by what it adds to all sums, whatever it is called."""
        drawn = mix(self.count.astype(np.uint64)) + self.weight.view(np.uint64)
        own = self.type >= 0
        found = hash_of_units(self.type[own], self._colours[own], self.count.size)
        return mix(found + mix(drawn))

    @cached_property
    def _colours(self) -> Hashes:
        m = self.rows
        made = np.zeros(m.both.size, np.uint64)
        for values in (m.both, m.truth_size, m.guess_size):
            made = mix(made + values.astype(np.uint64))
        return made

    def in_order(self, hashes: Hashes | None = None) -> SampledUnits:
        """The same with types in the order of these numbers, so that sums do not depend on the
        order of rows.
        """
        order = np.argsort(self.hashes if hashes is None else hashes, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        types = np.where(self.type < 0, -1, place[self.type])
        rows = np.lexsort((self._colours, types))
        m = self.rows
        some = {
            name: getattr(m, name)[rows]
            for name in ("both", "truth_size", "guess_size", "times", "truth", "guess")
        }
        return replace(
            self,
            rows=HardMeet(**some, alignment=m.alignment),
            type=types[rows],
            count=self.count[order],
            weight=self.weight[order],
            cluster=self.cluster[order],
        )

    @cached_property
    def digest(self) -> str:
        """Equal for samples that give the same numbers."""
        known = np.sort(self.hashes).astype("<u8").tobytes()
        return sha256(known + str(self.population).encode()).hexdigest()

    @cached_property
    def meet(self) -> HardMeet:
        """The sample and the guess clusters that it touches, whole; what these have beyond the
        sample is missing in truth.
        """
        m = self.rows
        truth = np.where(self.type < 0, -1, m.truth)
        return HardMeet.of_cells(truth, m.guess, m.both, alignment=m.alignment)

    def why_not(self, measure: Measure) -> tuple[str, str] | None:
        """Why a measure cannot be estimated, and what to do; None where it can."""
        found = self._sums(measure)
        of_rows = "rows" in measure.needs and measure.rows_of(self.rows) is not None
        if found is None and not of_rows:
            return f"{measure} is no sum over clusters", CAN
        if found is None or found.whole:
            return f"{measure} needs whole components; the sample has truth clusters only", CAN
        if found.counts_all and self.population is None:
            return (
                f"{measure} depends on the number of all records, and the guess given may not hold "
                "them all",
                "give the whole guess, or population=.",
            )
        return None

    def sums(self, measure: Measure) -> UnitSums | None:
        """What a draw of each cluster adds to the sums that a score is a function of."""
        found = self._sums(measure)
        if found is None or self.why_not(measure) is not None:
            return None
        many, score, every = self.count.size, found.score, self.population
        own, rows = self.type >= 0, {**found.terms, SIZE: self.rows.both}
        terms = {
            name: np.bincount(self.type[own], term[own], many) * self.weight
            for name, term in rows.items()
        }

        def of_all(sums: Mapping[str, Floats]) -> Floats:
            up = 1.0 if every is None else every / sums[SIZE]
            return score({name: sums[name] * up for name in found.terms})

        return UnitSums(terms, of_all, found.counts_all, found.sizes)

    def _sums(self, measure: Measure) -> Sums | None:
        if not measure.knows("sums") and "shapes" not in measure.needs:
            return None
        found = sums_of(measure, self.rows)
        return None if found is None else found[1]

    def estimate(self, measure: Measure, asked: Confidence, keep: float) -> tuple[float, Sure]:
        """The score of all, and how sure it is."""
        sums = self.sums(measure)
        assert sums is not None
        whole = {name: np.array([(self.count * term).sum()]) for name, term in sums.terms.items()}
        value = float(np.asarray(sums.score(whole))[0])
        sure = interval_by(
            asked, measure, sums, self.name, self.count, value,
            mean=self._means(sums), keep=keep, hint=FEW,
        )  # fmt: skip
        return value, sure

    def _means(self, sums: UnitSums) -> Floats | None:
        """The values of which a score is the plain mean, where each draw has one."""
        if set(sums.terms) != {"value", "objects of value", SIZE} or self.name != "records":
            return None
        if not np.allclose(sums.terms["objects of value"], 1.0, rtol=1e-12):
            return None
        return np.repeat(sums.terms["value"], self.count)


@dataclass(frozen=True, eq=False)
class SampledTogether:
    """Several guesses on one sample, whose units are the same."""

    each: Mapping[str, SampledUnits]
    keep: float = 1.0
    _found: dict[tuple[str, str], tuple[SampledUnits, SampledUnits]] = field(default_factory=dict)

    def units(self, one: str, other: str) -> tuple[SampledUnits, SampledUnits]:
        """The sample as two guesses cut it, each in the same types of units."""
        if (one, other) not in self._found:
            sides = self.each[one], self.each[other]
            hashes = mix(mix(sides[0].hashes) + np.uint64(3) * sides[1].hashes)
            self._found[one, other] = sides[0].in_order(hashes), sides[1].in_order(hashes)
        return self._found[one, other]
