"""Scores of a whole guess from a sample of truth clusters.

Each sampled cluster is complete, and the whole size of each guess cluster that it touches is known.
Sums over all clusters are estimated by weighted sums over those that were drawn, scaled up to all
objects: Ẑ = Σ w z · N / Σ w t, for N objects in all and t in a cluster. The estimate is the score
as a function of these sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency import Alignment, BetweenMeet, HardMeet, Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.columns import Columns
from clusterdiff.engines.label_checks import Notes, check_side, read_notes
from clusterdiff.engines.memory import (
    Positions,
    check_no_nulls,
    match,
    meet_of_rows,
    numbered_clusters,
    numbered_together,
    some_ids,
)
from clusterdiff.engines.protocol import NeedsMemory, Table, table_of_query
from clusterdiff.engines.samples import no_source, other_source
from clusterdiff.engines.sql_objects import touched_rows
from clusterdiff.errors import AlignmentError, spelled_most
from clusterdiff.io.between import with_sources
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.sampling.sample import as_partition
from clusterdiff.statistics.confidence import interval_by
from clusterdiff.statistics.intervals import Target, score_of_all
from clusterdiff.statistics.units import hash_of_units, rows_of_hard

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Hashes, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.columns import Column
    from clusterdiff.engines.protocol import Session
    from clusterdiff.io.session import EngineSessions
    from clusterdiff.io.sides import GivenSide
    from clusterdiff.measures import Measure
    from clusterdiff.measures.sums import Sums
    from clusterdiff.sampling.sample import Sampled
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.intervals import ConfidenceInterval

SIZE = "objects of the sample"
"""The sum by which all others are scaled up."""
CAN = "elm_f, pair_f and nmi can be estimated, and most others that are sums over clusters."
FEW = "label more of them."


@dataclass(frozen=True, eq=False)
class SampledUnits:
    """The clusters of a sample as a guess cuts them: each is a type with one unit per draw."""

    name: str
    """What was drawn: records or clusters."""
    rows: HardMeet
    """Parts of the clusters, and the rest of the guess clusters that they touch, as if each rest
    were a cluster of truth: then guess clusters have their whole sizes.
    """
    type: Ints
    """The type of each row; -1 for the rest of a guess cluster."""
    count: Ints
    """How often each cluster was drawn."""
    weight: Floats
    """The weight of each draw of a cluster."""
    population: int | None
    """Number of objects in all, if it is known."""
    within: int | None = None
    """Pairs within the sources of all objects, where only those across count, if that is known."""

    @classmethod
    def of(
        cls, sample: Sampled, touched: Touched, alignment: Alignment, population: int | None
    ) -> SampledUnits:
        """A sample and the clusters of its objects in a guess; objects that the guess lacks have
        clusters of their own, or none.
        """
        truth, count, within = sample.cluster, sample.objects.counts, None
        guess = np.full(truth.size, -1)
        size, own = np.zeros((2, truth.size), np.int64)
        source = None
        if touched.inside is not None:
            source = source_of_sample(sample, touched, alignment.between)
            own[touched.position] = touched.inside.size
        guess[touched.position], size[touched.position] = touched.cluster, touched.size
        lone = np.zeros(truth.size, np.bool_)
        if touched.alone is not None:
            lone[touched.position[touched.alone]] = True
        if alignment.policy == "singletons":
            lone |= guess < 0
        if count is not None:  # copies of what is alone are clusters of their own
            every = np.arange(truth.size)
            apart = Positions(every, every, 0, 0, count).one_by_one(lone)
            place, count = apart.in_truth, apart.count
            truth, guess, size, lone = truth[place], guess[place], size[place], lone[place]
            own, source = own[place], None if source is None else source[place]
        alone = np.flatnonzero(lone)
        guess[alone] = int(guess.max(initial=-1)) + 1 + np.arange(alone.size)
        size[alone] = own[alone] = 1
        rows, row, beyond = _cut_by(truth, guess, size, count, alignment)
        if source is not None:
            cut = number(pair_keys(guess, source))[0]
            cells, cell, rest = _cut_by(
                pair_keys(truth, source), np.where(guess < 0, -1, cut), own, count, alignment
            )
            of_row, of_source = np.full((2, cells.both.size), -1)
            of_row[cell], of_source[cell] = row, source
            # the rest of a guess cluster in a source is a part of the rest of that cluster
            behind = np.full(int(rows.guess.max(initial=-1)) + 2, -1)
            behind[rows.guess[beyond]] = beyond
            first = np.full(int(cells.guess.max(initial=-1)) + 2, -1)
            first[cells.guess[cell]] = cell
            near = first[cells.guess[rest]]
            of_row[rest] = behind[rows.guess[of_row[near]]]
            of_source[rest] = of_source[near]
            rows = BetweenMeet.cut(rows, cells, of_row, of_source)
            everywhere = len(sample.objects) == touched.position.size
            if touched.inside is not None and population == touched.objects and everywhere:
                within = touched.inside.pairs
        type = np.full(rows.both.size, -1)
        type[row] = truth
        weight = np.ones(sample.hits.size) if sample.weights is None else sample.weights
        if sample.design == "records":
            weight = 1 / np.bincount(truth, count)
        return cls(sample.units, rows, type, sample.hits, weight, population, within)

    @cached_property
    def hashes(self) -> Hashes:
        """A number for each type from what it adds to all sums, independent of names."""
        drawn = mix(self.count.astype(np.uint64)) + self.weight.view(np.uint64)
        own = self.type >= 0
        cut = hash_of_units(self.type[own], self._colours[own], self.count.size)
        return mix(cut + mix(drawn))

    @cached_property
    def _colours(self) -> Hashes:
        colour = _coloured(self.rows)
        if isinstance(self.rows, BetweenMeet):
            np.add.at(colour, self.rows.row, mix(_coloured(self.rows.inside)))
            return mix(colour)
        return colour

    def in_order(self, hashes: Hashes | None = None) -> SampledUnits:
        """The types in the order of these numbers, so that sums do not depend on the order of
        rows.
        """
        order = np.argsort(self.hashes if hashes is None else hashes, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        types = np.where(self.type < 0, -1, place[self.type])
        rows = np.lexsort((self._colours, types))
        return replace(
            self,
            rows=rows_of_hard(self.rows, rows, self.rows.times[rows]),
            type=types[rows],
            count=self.count[order],
            weight=self.weight[order],
        )

    @cached_property
    def digest(self) -> str:
        """Equal for samples that give the same numbers."""
        hashes = np.sort(self.hashes).astype("<u8").tobytes()
        known = str(self.population) + ("" if self.within is None else f" {self.within}")
        return sha256(hashes + known.encode()).hexdigest()

    @cached_property
    def meet(self) -> HardMeet:
        """The comparison of the sample with the guess clusters that it touches, whole; their
        objects beyond the sample are missing in truth.
        """
        m = self.rows
        truth = np.where(self.type < 0, -1, m.truth)
        return HardMeet.of_cells(truth, m.guess, m.both, alignment=m.alignment)

    def why_not(self, measure: Measure) -> tuple[str, str] | None:
        """Why a measure cannot be estimated, and a hint; None if it can."""
        sums = self._sums(measure)
        of_rows = "rows" in measure.needs and measure.rows_of(self.rows) is not None
        if sums is None and not of_rows:
            return f"{measure} is not a sum over clusters", CAN
        if sums is None or sums.whole:
            return f"{measure} needs whole components; the sample has truth clusters only", CAN
        if sums.counts_all and isinstance(self.rows, BetweenMeet) and self.within is None:
            return (
                f"{measure} depends on how many records each source has, and the guess given may "
                "not hold them all",
                "give the whole guess, or use pair_precision, pair_recall or pair_f.",
            )
        if sums.counts_all and self.population is None:
            return (
                f"{measure} depends on the number of all records, and the guess given may not hold "
                "them all",
                "give the whole guess, or population=.",
            )
        return None

    def sums(self, measure: Measure) -> UnitSums | None:
        """The sums over a draw of each cluster that a score is a function of; None if it is not."""
        found = self._sums(measure)
        if found is None or self.why_not(measure) is not None:
            return None
        score, population, own = found.score, self.population, self.type >= 0
        # how many objects each source has is known of the guess, and not estimated
        summed = {n: t for n, t in found.terms.items() if not n.startswith("source ")}
        fixed: dict[str, Any] = {} if self.within is None else {"within": self.within}
        terms = {
            name: np.bincount(self.type[own], term[own], self.count.size) * self.weight
            for name, term in {**summed, SIZE: self.rows.both}.items()
        }

        def of_all(sums: Mapping[str, Floats]) -> Floats:
            up = 1.0 if population is None else population / sums[SIZE]
            return score({name: sums[name] * up for name in summed} | fixed)

        return UnitSums(terms, of_all, found.counts_all, found.sizes)

    def _sums(self, measure: Measure) -> Sums | None:
        if not measure.has_hook("sums") and "shapes" not in measure.needs:
            return None
        found = sums_of(measure, self.rows)
        return None if found is None else found[1]

    def estimate(
        self, measure: Measure, asked: Confidence, keep: float
    ) -> tuple[float, ConfidenceInterval]:
        """The estimated score of all objects, and its interval."""
        sums = self.sums(measure)
        assert sums is not None
        value = score_of_all(sums, self.count)
        target = Target.of(measure, value, asked.level, self.name, int(self.count.sum()))
        mean = self._means(sums)
        return value, interval_by(asked, target, sums, self.count, mean, keep=keep, hint=FEW)

    def _means(self, sums: UnitSums) -> Floats | None:
        """The values of which a score is the plain mean, if each draw has one."""
        if set(sums.terms) != {"value", "objects of value", SIZE} or self.name != "records":
            return None
        if not np.allclose(sums.terms["objects of value"], 1.0, rtol=1e-12):
            return None
        return np.repeat(sums.terms["value"], self.count)


def _cut_by(
    truth: Ints, guess: Ints, size: Ints, count: Ints | None, alignment: Alignment
) -> tuple[HardMeet, Ints, Ints]:
    """The parts of truth clusters, and behind them the rest of each guess cluster that they touch;
    the row of each object, and the rows of the rests.
    """
    row, first = by_appearance(pair_keys(truth, guess))
    both, clusters = np.bincount(row) if count is None else group_sums(row, count), guess[first]
    parts = number(truth)[0][first]
    known = clusters >= 0
    inside = np.bincount(clusters[known], both[known]).astype(np.int64)
    whole = np.zeros_like(inside)
    whole[clusters[known]] = size[first][known]
    beyond = np.flatnonzero(whole > inside)
    rows = meet_of_rows(
        np.concatenate([parts, int(parts.max(initial=-1)) + 1 + np.arange(beyond.size)]),
        np.concatenate([clusters, beyond]),
        np.concatenate([both, (whole - inside)[beyond]]),
        alignment,
    )
    return rows, row, both.size + np.arange(beyond.size)


def _coloured(m: HardMeet) -> Hashes:
    colour = np.zeros(m.both.size, np.uint64)
    for values in (m.both, m.truth_size, m.guess_size):
        colour = mix(colour + values.astype(np.uint64))
    return colour


def source_of_sample(sample: Sampled, touched: Touched, name: str) -> Ints:
    """The number of the source of each object of a sample: that of the guess, or of objects that
    it lacks that of the sample.
    """
    assert touched.inside is not None
    code, of_guess = np.full(len(sample.objects), -1), touched.inside.source
    if sample.sources is None:
        code[touched.position] = number(of_guess.keys)[0]
    else:
        nulls = sample.sources.nulls()
        known = np.arange(code.size) if nulls is None else np.flatnonzero(~nulls)
        (near, code[known]), _ = numbered_together([of_guess, sample.sources.take(known)])
        wrong = (code[touched.position] >= 0) & (code[touched.position] != near)
        if wrong.any():
            where = touched.position[wrong]
            raise other_source([sample.objects.id_of(int(i)) for i in where[:3]], where.size, name)
        code[touched.position] = near
    if (missing := np.flatnonzero(code < 0)).size:
        ids = [sample.objects.id_of(int(i)) for i in missing[:3]]
        raise no_source(ids, missing.size, code.size, name)
    return code


@dataclass(frozen=True, eq=False)
class SampledTogether:
    """Several guesses on one sample, whose units are the same."""

    each: Mapping[str, SampledUnits]
    keep: float = 1.0
    _units: dict[tuple[str, str], tuple[SampledUnits, SampledUnits]] = field(default_factory=dict)

    def units(self, one: str, other: str) -> tuple[SampledUnits, SampledUnits]:
        """The sample as two guesses cut it, each in the same types of units."""
        if (one, other) not in self._units:
            sides = self.each[one], self.each[other]
            hashes = mix(mix(sides[0].hashes) + np.uint64(3) * sides[1].hashes)
            self._units[one, other] = sides[0].in_order(hashes), sides[1].in_order(hashes)
        return self._units[one, other]


# The objects of a sample in a whole guess, which stays where it is.


class Inside(NamedTuple):
    """What the sources of a guess add, where only pairs across them count."""

    source: Column
    """The source of each object of the sample that the guess has."""
    size: Ints
    """How many objects of that source its guess cluster has."""
    pairs: int
    """Pairs of objects of one source in the whole guess."""


class Touched(NamedTuple):
    """The clusters that the objects of a sample have in a guess."""

    position: Ints
    """The places in the sample of the objects that the guess has."""
    cluster: Ints
    """The number of the guess cluster of each."""
    size: Ints
    """The size of that cluster in the whole guess."""
    objects: int
    """Number of objects in the whole guess."""
    noise: int
    """Number of objects of the sample that are noise in the guess."""
    dropped: Ints
    """The places in the sample of those that are left out."""
    notes: Notes = ()
    """Notes on how sample and guess were read where the user may have meant something else."""
    count: Ints | None = None  # type: ignore[assignment]
    """How often each counts, where objects have counts."""
    alone: Bools | None = None
    """Which of them are noise, and clusters of their own."""
    inside: Inside | None = None
    """Where only pairs across sources count."""

    @property
    def total(self) -> int:
        """How many objects of the sample the guess has."""
        return self.position.size if self.count is None else int(self.count.sum())


def touched(
    sessions: EngineSessions,
    sample: Partition,
    guess: GivenSide,
    policy: Policy,
    positions: int | None = None,
    between: str = "",
) -> Touched:
    """The clusters of a guess that a sample touches. Objects that the guess lacks are refused if
    the policy says so. With `positions`, ids are places in a list of this length. `between` is what
    the sources are called that the guess has in place of samples.
    """
    [guess] = sessions.placed([guess])
    near, sizes, sources, counts, notes = _near(sessions, sample, guess, policy, positions, between)
    notes = check_side("truth", [sample], policy) + notes
    matched = match(sample, near)
    lacking = matched.only_truth
    if lacking.size and len(near) and not isinstance(guess, Table):
        notes += _misspelt(sample, lacking, sessions.loaded(guess))
    if lacking.size and not len(near):
        others = None if isinstance(guess, Table) else sessions.loaded(guess)
        own = [] if others is None else some_ids(others, np.arange(min(len(others), 1000)))
        raise AlignmentError.nothing_shared(some_ids(sample, lacking), own)
    if lacking.size and policy.align == "exact":
        raise AlignmentError.from_ids(some_ids(sample, lacking), [], (lacking.size, 0, len(sample)))
    every = np.arange(len(sample))
    position = every if matched.truth is None else matched.truth
    there = every if matched.guess is None else matched.guess
    plan = plan_of(policy, "partition")
    cluster, noisy = numbered_clusters("guess", near, there, plan)
    dropped, kept = position[:0], np.ones(noisy.size, np.bool_)
    count = None if near.counts is None else near.counts[there]
    noise = int(noisy.sum() if count is None else count[noisy].sum())
    if plan.noise is Fate.DROPPED:
        dropped, kept = position[noisy], ~noisy
    size, *own = (one[there][kept] for one in sizes)
    inside = None
    if sources is not None:
        of_sources = sum(n * (n - 1) // 2 for n in counts)
        inside = Inside(sources.take(there[kept]), own[0], of_sources)
    place = position[kept], cluster[kept], size, sum(counts)
    count = None if count is None else count[kept]
    return Touched(*place, noise, dropped, notes, count, noisy[kept], inside)


def _misspelt(sample: Partition, lacking: Ints, guess: AnyClustering) -> Notes:
    """A note on ids of the sample that the guess has only in another spelling."""
    known = set(sample.ids.tolist()) if sample.ids is not None else set()
    others = (id for id in some_ids(guess, np.arange(len(guess))) if id not in known)
    found = spelled_most(some_ids(sample, lacking), others)
    return () if found is None else (("", found.note()),)


def _near(
    sessions: EngineSessions,
    sample: Partition,
    guess: GivenSide,
    policy: Policy,
    positions: int | None,
    between: str,
) -> tuple[Partition, list[Ints], Column | None, list[int], Notes]:
    """The guess restricted to the objects of the sample, the size of the cluster of each (and its
    size within the source), the sources, the number of objects in the whole guess by source, and
    notes.
    """
    if isinstance(guess, Table) and positions is None and guess.says == "partition":
        try:
            here = _beside(guess.session, sample)
            asked = guess.with_sources if between else guess
            rows, objects, notes = touched_rows(asked, here, policy)
        except NeedsMemory as unfit:
            sessions.refuse(unfit, guess)
        else:
            ids, labels = (
                column(rows.column(name), written=guess.written or here.written)
                for name in ("id", "cluster")
            )
            names = ["size", "own"] if between else ["size"]
            sizes = [np.asarray(rows.column(name).to_numpy()) for name in names]
            source = column(rows.column("source"), written=guess.written) if between else None
            notes = read_notes({"guess": guess}) + notes
            return Partition(labels, ids), sizes, source, [*objects.values()], notes
    what = "estimates from a sample are for partitions, and the guess"
    whole = as_partition(sessions.loaded(guess), what)
    source = None
    if between:
        said = whole.samples
        (whole,) = with_sources([whole], between)
        assert said is not None
        source = numbered_together([said])[1].take(whole.sources)
    if positions is not None:
        match(Partition(np.zeros(positions, np.int64)), whole)  # refuses ids, or another length
        whole = Partition(whole.labels, np.arange(positions))
    plan = plan_of(policy, "partition")
    check_no_nulls("guess", whole, plan)
    dropped = plan.noise is Fate.DROPPED
    count = np.ones(len(whole), np.int64) if whole.counts is None else whole.counts
    kept = ~policy.means_noise(whole.labels) if dropped else np.ones(len(whole), np.bool_)
    codes = number(whole.labels.keys)[0]
    every, by = np.zeros_like(codes), [codes]
    if source is not None:
        every = number(source.keys)[0]
        by.append(number(pair_keys(codes, every))[0])
    there = match(sample, whole).guess
    near = whole if there is None else whole.take(there)
    at = np.arange(len(whole)) if there is None else there
    sizes = [group_sums(one, count)[one[at]] for one in by]
    notes = read_notes({"guess": whole}) + check_side("guess", [whole], policy)
    counts = group_sums(every[kept], count[kept], 1).tolist()
    return near, sizes, None if source is None else source.take(at), counts, notes


def _beside(session: Session, sample: Partition) -> Table:
    """The ids of a sample as a table of a session."""
    ids = sample.ids
    assert ids is not None
    if ids.family not in ("integers", "text"):
        raise NeedsMemory(f"ids of the type {ids.family}")
    if session.remote:
        return session.uploaded(sample)
    listed = ", ".join(map(str if ids.family == "integers" else session.text, ids.tolist()))
    query = f"SELECT unnest([{listed}]) AS id, 0 AS cluster"
    table = table_of_query(
        session, query, Columns("cluster", "id", None), "partition", "the sample"
    )
    return replace(table, written=ids.written)
