"""Scores of a whole guess from a sample of truth clusters.

Each sampled cluster is complete, and of each guess cluster that it touches the whole size is known.
Sums over all clusters are estimated by weighted sums over those that were drawn, scaled up to all
objects: Ẑ = Σ w z · N / Σ w t, for N objects in all and t in a cluster. The score is the function
of these sums that it is of the sums over all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.columns import is_null
from clusterdiff.clusterings.grouping import by_appearance, number, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency import Alignment, HardMeet, Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.columns import Columns
from clusterdiff.engines.label_checks import Notes, check_side, read_notes
from clusterdiff.engines.memory import (
    match,
    meet_of_rows,
    numbered_clusters,
    numbered_together,
    refuse_nulls,
    some_ids,
)
from clusterdiff.engines.protocol import NeedsMemory, Table, table_of_query
from clusterdiff.engines.sql_objects import touched_rows
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    ClusterdiffWarning,
    examples,
    shown,
    spelled_most,
    warn,
    with_article,
)
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.statistics.confidence import interval_by
from clusterdiff.statistics.intervals import Target
from clusterdiff.statistics.units import hash_of_units

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Hashes, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.columns import Column
    from clusterdiff.engines.protocol import Session
    from clusterdiff.io.session import Workshop
    from clusterdiff.io.sides import GivenSide
    from clusterdiff.measures import Measure
    from clusterdiff.measures.sums import Sums
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.intervals import Sure

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
        """The sample with these objects alone; clusters of which none is left are left out."""
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
        rows = meet_of_rows(parts, clusters, both, alignment)
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
        """The types in the order of these numbers, so that sums do not depend on the order of
        rows.
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
        if not measure.has_hook("sums") and "shapes" not in measure.needs:
            return None
        found = sums_of(measure, self.rows)
        return None if found is None else found[1]

    def estimate(self, measure: Measure, asked: Confidence, keep: float) -> tuple[float, Sure]:
        """The score of all, and how sure it is."""
        sums = self.sums(measure)
        assert sums is not None
        whole = {name: np.array([(self.count * term).sum()]) for name, term in sums.terms.items()}
        value = float(np.asarray(sums.score(whole))[0])
        target = Target.of(measure, value, asked.level, self.name, int(self.count.sum()))
        mean = self._means(sums)
        sure = interval_by(asked, target, sums, self.count, mean, keep=keep, hint=FEW)
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


# How a sample of truth clusters was drawn: which they are, how often, and with which weights.

DESIGNS = ("records", "clusters")
PLAIN = Policy()
OTHERS = "others_of_this_entity_not_listed_here"
"""The column in which a drawn record is asked for members of its cluster that have no line."""
ASKED = "?"
"""What stands there until it is answered."""
NONE = ("none", "-")
"""Answers that there are no others."""
SEPARATORS = ";,\n\t "
"""Each separates ids, if no id of the sample has it."""


class Sheet(NamedTuple):
    """A sample of truth as it was filled in."""

    side: Partition
    """The objects and their clusters, with hits or weights in the place of samples."""
    run: Sequence[Any] | None = None
    """The cluster of each object in the run that was drawn from, where the sample says so."""
    asked: int | None = None
    """Drawn records whose other members are still asked for; None where the sample asks nothing."""


def resolved(
    sheet: Sheet, design: Any, hits: Any, out_of: int | None = None, policy: Policy = PLAIN
) -> Sampled:
    """The clusters that were drawn; objects without a cluster, or with noise that is dropped, are
    in none of them.
    """
    side = sheet.side
    known = np.flatnonzero(~_without_cluster(side, policy))
    if not known.size:
        raise ClusterdiffError(
            "no object of the sample has a cluster.", "fill in the true clusters first."
        )
    labels = side.labels.take(known)
    ids = (column(np.arange(len(side))) if side.ids is None else side.ids).take(known)
    objects = Partition(labels, ids)
    cluster, first = by_appearance(labels.keys)
    names = labels.take(first).tolist()
    values = None if side.samples is None else _numbers(side, known, design)
    drawn, itself = _hits(ids, cluster, names, design, hits, values)
    own = _weights(cluster, names, design, values)
    made = Sampled(
        objects,
        by_appearance(objects.labels.keys)[0],
        names,
        drawn,
        design if design in DESIGNS else "weights",
        own,
        _out_of(out_of, design, drawn),
        len(side) if side.ids is None else None,
        **_lines(sheet, known, drawn, itself),
    )
    if not (drawn > 0).any():
        raise ClusterdiffError(
            "no cluster of the sample has a hit.", "say how often each was drawn."
        )
    return made if (drawn > 0).all() else made.some(np.flatnonzero(drawn[made.cluster] > 0))


def _lines(sheet: Sheet, known: Ints, hits: Ints, itself: Bools | None) -> dict[str, Any]:
    """What the lines of a sample say of where members were looked for.

    A sample that lists records of other clusters, too, may have members among these lines alone; if
    it does not say in which clusters of the run they are, a guess has to.
    """
    if itself is None or sheet.asked == 0:
        return {}
    told: dict[str, Any] = {}
    if sheet.asked is not None and sheet.asked < itself.sum():
        told["asked"] = sheet.asked
    if sheet.run is not None:
        run = [sheet.run[i] for i in known.tolist()]
        drawn = {one for one, was in zip(run, itself, strict=True) if was and not is_null(one)}
        beyond = (one not in drawn for one, was in zip(run, itself, strict=True) if not was)
        return told | {"listed_only": not any(beyond)}
    if known.size < len(sheet.side) or not (hits > 0).all():
        flags = np.zeros(len(sheet.side), np.int64)
        flags[known[itself]] = 1
        told["lines"] = Partition(flags, sheet.side.ids)
    return told


def with_others(side: Partition, cells: Sequence[Any], design: Any) -> Partition:
    """A sample with the members that have no line, as they are named beside those that do."""
    assert side.ids is not None
    ids, labels = side.ids.tolist(), side.labels.tolist()
    values = [None] * len(ids) if side.samples is None else side.samples.tolist()
    place = {id: i for i, id in enumerate(ids)}
    marks = "".join(mark for mark in SEPARATORS if not any(mark in str(id) for id in ids))
    for line, cell in enumerate(cells):
        for id in _members(cell, marks, side.ids):
            label = labels[line]
            at = place.setdefault(id, len(ids))
            if is_null(label) or (at < len(ids) and labels[at] not in (None, label)):
                which = "no cluster" if is_null(label) else f"the cluster {shown(label)}"
                other = f", and {shown(id)} has {shown(labels[at])}" if at < len(labels) else ""
                raise ClusterdiffError(
                    f"{shown(id)} is named beside {shown(ids[line])}, which has {which}{other}.",
                    "members of one cluster have the same name of it.",
                )
            if at == len(ids):
                ids.append(id)
                labels.append(label)
                values.append(None if design in DESIGNS else values[line])
            labels[at] = label
    return Partition(
        column(labels, written=side.labels.written),
        column(ids, written=side.ids.written),
        None if side.samples is None else column(values),
    )


def _members(cell: Any, marks: str, ids: Column) -> Iterator[Any]:
    """The ids that a cell names."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = "" if is_null(cell) else str(cell).strip()
    if text.casefold() in ("", ASKED, *NONE):
        return
    for one in re.split(f"[{re.escape(marks)}]+", text) if marks else [text]:
        try:
            if one.strip():
                yield {"integers": int, "numbers": float}.get(ids.family, str)(one.strip())
        except ValueError:
            known = examples(ids.tolist())
            raise ClusterdiffError(
                f"{shown(one)}, named as another member, is not an id like {known}.",
                f"write ids with a semicolon between them, or {NONE[0]}.",
            ) from None


def is_asked(cell: Any) -> bool:
    """Whether a cell still asks for the other members."""
    return isinstance(cell, str) and cell.strip() == ASKED


def _without_cluster(side: Partition, policy: Policy) -> Bools:
    """Which objects are in no sampled cluster."""
    nulls = side.labels.nulls()
    found = np.zeros(len(side), np.bool_) if nulls is None else nulls
    noise = policy.means_noise(side.labels)
    if (noise & ~found).any() and policy.noise_as != "drop":
        raise ClusterdiffError(
            f"{int(noise.sum()):,} objects of the sample are called noise, which is no cluster.",
            'noise_as="drop" if their clusters are not known; else give each a cluster of its own.',
        )
    return np.asarray(found | noise)


def _numbers(side: Partition, known: Ints, design: Any) -> Floats:
    """A column of hits or weights on the objects that have a cluster; blanks are 0."""
    assert side.samples is not None
    found = np.zeros(len(side))
    for i, value in enumerate(side.samples.tolist()):
        if is_null(value) or value == "":
            continue
        try:
            found[i] = float(value)
        except (TypeError, ValueError):
            found[i] = math.nan
        if not 0 <= found[i] < math.inf or (design == "records" and not found[i].is_integer()):
            raise ClusterdiffError(
                f"{shown(value)} is no {'number of hits' if design in DESIGNS else 'weight'} "
                f"(of {shown(side.id_of(i))}).",
                "give a number from 0 on, or leave it blank.",
            )
    if design in DESIGNS:
        left = np.setdiff1d(np.flatnonzero(found), known)
        if left.size:
            raise ClusterdiffError(
                f"{left.size:,} drawn {'record has' if left.size == 1 else 'records have'} no "
                f"cluster ({examples(side.id_of(int(i)) for i in left)}).",
                "resolve the cluster of every record that was drawn; one that is alone is a "
                "cluster of its own.",
            )
    return found[known]


def _hits(
    ids: Column, cluster: Ints, names: list[Any], design: Any, hits: Any, values: Floats | None
) -> tuple[Ints, Bools | None]:
    """How often each cluster was drawn, and which objects were, where that is known."""
    if hits is None and (values is None or design not in DESIGNS):
        return np.ones(len(names), np.int64), None
    if design == "clusters" and not isinstance(hits, Mapping):
        raise ClusterdiffError(
            "hits are of records, and clusters were drawn.",
            "give a dict from cluster to how often it was drawn, or leave hits= out.",
        )
    if isinstance(hits, Mapping):
        found = _by_cluster(hits, names, "hits")
        if not all(number >= 0 and number.is_integer() for number in found.tolist()):
            raise ClusterdiffError("hits are whole numbers from 0 on.", "count the draws.")
        return found.astype(np.int64), None
    if values is not None:
        sizes = np.bincount(cluster)
        large = sizes[cluster] > 1
        if large.any() and (values[large] > 0).all():
            warn(
                ClusterdiffWarning(
                    "all records of the sample have hits, as if every one of them had been drawn.",
                    "hits are blank or 0 for records that were resolved and not drawn; for hits of "
                    "clusters give a dict.",
                    "hits are blank or 0 for records that were resolved and not drawn.",
                ),
                ClusterdiffWarning,
            )
        return np.bincount(cluster, values, len(names)).astype(np.int64), values > 0
    drawn = column(hits)
    codes, every = numbered_together([ids, drawn])
    place = np.full(len(every), -1)
    place[codes[0]] = cluster
    of = place[codes[1]]
    if (of < 0).any():
        raise ClusterdiffError(
            f"{int((of < 0).sum()):,} drawn records are not in the sample "
            f"({examples(drawn[int(i)] for i in np.flatnonzero(of < 0)[:3])}).",
            "hits lists the records that were drawn, one as often as it was; the cluster of each "
            "is in the sample.",
        )
    return np.bincount(of, minlength=len(names)), np.isin(codes[0], codes[1])


def _weights(cluster: Ints, names: list[Any], design: Any, values: Floats | None) -> Floats | None:
    """The weight of each cluster, where weights were given."""
    if isinstance(design, Mapping):
        found = _by_cluster(design, names, "a weight")
    elif design in DESIGNS or values is None:
        return None
    else:
        found = np.zeros(len(names))
        found[cluster] = values
        if (found[cluster] != values).any():
            wrong = names[int(cluster[np.flatnonzero(found[cluster] != values)[0]])]
            raise ClusterdiffError(
                f"the records of cluster {shown(wrong)} have different weights.",
                "a weight is of a cluster: give all its records the same.",
            )
    if not ((found > 0) & (found < math.inf)).all():
        wrong = names[int(np.flatnonzero(~((found > 0) & (found < math.inf)))[0])]
        raise ClusterdiffError(
            f"the weight of cluster {shown(wrong)} is no number above 0.",
            "weigh a cluster by 1 over how likely it was to be drawn.",
        )
    return found


def _by_cluster(given: Mapping[Any, Any], names: list[Any], what: str) -> Floats:
    """A number for each cluster, from a dict whose keys may be written otherwise."""
    written = {str(key): value for key, value in given.items()}
    missing = [name for name in names if name not in given and str(name) not in written]
    if missing:
        raise ClusterdiffError(
            f"{len(missing):,} of {len(names):,} clusters have no {what.removeprefix('a ')}: "
            f"{examples(missing)}.",
            f"give {what} for each cluster of the sample.",
        )
    found = [given[name] if name in given else written[str(name)] for name in names]
    try:
        return np.array(found, np.float64)
    except (TypeError, ValueError):
        raise ClusterdiffError(
            f"{what.removeprefix('a ')} of clusters are numbers.", "give a dict of numbers."
        ) from None


def _out_of(out_of: Any, design: Any, drawn: Ints) -> int | None:
    if out_of is None:
        return None
    if design != "clusters":
        raise ClusterdiffError(
            "out_of is for clusters that were drawn alike and without replacement.",
            "leave it out, and intervals speak of data like this.",
        )
    if isinstance(out_of, bool) or not isinstance(out_of, int) or out_of <= int(drawn.sum()):
        raise ClusterdiffError(
            f"out_of is the number of all clusters, more than the {int(drawn.sum()):,} that were "
            f"drawn; got {shown(out_of)}.",
            "leave it out where it is not known.",
        )
    return out_of


# A sample of truth against a whole guess: the objects of the sample, and how large their clusters
# are in the guess, which stays where it is.


class Touched(NamedTuple):
    """What a guess says of the objects of a sample."""

    position: Ints
    """Where the objects that the guess has stand in the sample."""
    cluster: Ints
    """The number of the guess cluster of each."""
    size: Ints
    """How many objects that cluster has in the whole guess."""
    objects: int
    """How many objects the whole guess has."""
    noise: int
    """How many objects of the sample the guess calls noise."""
    dropped: Ints
    """Where those of them stand in the sample that are left out."""
    notes: Notes = ()
    """How sample and guess were read where that may not be what was meant."""


def touched(
    shop: Workshop,
    sample: Partition,
    guess: GivenSide,
    policy: Policy,
    positions: int | None = None,
) -> Touched:
    """The clusters of a guess that a sample touches; objects of the sample that it lacks are
    refused where the policy says so. Ids are places in a list of so many `positions`, if given.
    """
    near, size, objects, notes = _near(shop, sample, guess, policy, positions)
    notes = check_side("truth", [sample], policy) + notes
    matched = match(sample, near)
    if matched.only_truth.size and len(near) and not isinstance(guess, Table):
        notes += _misspelt(sample, matched.only_truth, shop.loaded(guess))
    if matched.only_truth.size and (policy.align == "exact" or not len(near)):
        some, alone = some_ids(sample, matched.only_truth), matched.only_truth.size
        if not len(near):
            others = shop.loaded(guess) if not isinstance(guess, Table) else None
            own = [] if others is None else some_ids(others, np.arange(min(len(others), 1000)))
            raise AlignmentError.nothing_shared(some, own)
        raise AlignmentError.from_ids(some, [], (alone, 0, len(sample)))
    every = np.arange(len(sample))
    position = every if matched.truth is None else matched.truth
    there = every if matched.guess is None else matched.guess
    plan = plan_of(policy, "partition")
    cluster, noisy = numbered_clusters("guess", near, there, plan)
    size, noise, dropped = np.where(noisy, 1, size[there]), int(noisy.sum()), position[:0]
    if plan.noise is Fate.DROPPED:
        dropped, kept = position[noisy], ~noisy
        position, cluster, size = position[kept], cluster[kept], size[kept]
    return Touched(position, cluster, size, objects, noise, dropped, notes)


def _misspelt(sample: Partition, lacking: Ints, guess: AnyClustering) -> Notes:
    """A note on ids of the sample that the guess has in another spelling only."""
    known = set(sample.ids.tolist()) if sample.ids is not None else set[Any]()
    others = (id for id in some_ids(guess, np.arange(len(guess))) if id not in known)
    found = spelled_most(some_ids(sample, lacking), others)
    return () if found is None else (("", found.note()),)


def _near(
    shop: Workshop, sample: Partition, guess: GivenSide, policy: Policy, positions: int | None
) -> tuple[Partition, Ints, int, Notes]:
    """The guess on the objects of the sample, with the size of the cluster of each."""
    if isinstance(guess, Table) and positions is None and guess.says == "partition":
        try:
            here = _beside(guess.session, sample)
            found, objects, notes = touched_rows(guess, here, policy)
        except NeedsMemory as unfit:
            guess.session.refuse(unfit)
        else:
            ids, labels = (
                column(found.column(name), written=guess.written or here.written)
                for name in ("id", "cluster")
            )
            size = np.asarray(found.column("size").to_numpy())
            return Partition(labels, ids), size, objects, read_notes({"guess": guess}) + notes
    whole = shop.loaded(guess)
    if not isinstance(whole, Partition):
        raise ClusterdiffError(
            "estimates from a sample are for partitions, and the guess is "
            f"{with_article(whole.kind)} clustering.",
            "give a clustering in which each object is in one cluster.",
        )
    if positions is not None:
        match(Partition(np.zeros(positions, np.int64)), whole)  # refuses ids, or another length
        whole = Partition(whole.labels, np.arange(positions))
    codes, many = number(whole.labels.keys)
    plan = plan_of(policy, "partition")
    refuse_nulls("guess", whole, plan)
    dropped = plan.noise is Fate.DROPPED
    out = int(policy.means_noise(whole.labels).sum()) if dropped else 0
    size = np.bincount(codes, minlength=many)[codes]
    there = match(sample, whole).guess
    near = whole if there is None else whole.take(there)
    notes = read_notes({"guess": whole}) + check_side("guess", [whole], policy)
    return near, size if there is None else size[there], len(whole) - out, notes


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
    made = table_of_query(session, query, Columns("cluster", "id", None), "partition", "the sample")
    return replace(made, written=ids.written)
