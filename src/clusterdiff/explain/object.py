"""One object: what both sides say of it, who should be with it, who is, and how that scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.sets import Sets, joined
from clusterdiff.contingency import HardMeet
from clusterdiff.explain.base import Said, degree, for_programs, name_of, says, span
from clusterdiff.explain.summary import OUTCOMES, WORDS, outcome_of
from clusterdiff.measures import measure_named
from clusterdiff.measures.matching import heaviest_matching, jaccard
from clusterdiff.output.markup import document
from clusterdiff.output.result import Block, Listing, Renderable
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import shown_ids, wrap_columns, wrapped

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import Cover
    from clusterdiff.contingency import CoverMeet, CoverSide, Policy
    from clusterdiff.engines.named import NamedComparison
    from clusterdiff.explain.places import Located
    from clusterdiff.measures.interval import Interval

# Clusters of two covers and their counterparts: which is most like which, which stands for which.
#
# Guess clusters get the truth clusters that they stand for by the one-to-one matching with the
# largest sum of Jaccard indexes, among the truth clusters that hold at least half of the guess
# cluster, or more of it than any other, or are most like it: a few objects do not give their name
# to a cluster that comes from elsewhere. With it, a membership is kept, lost or gained. Clusters
# that were made for single objects (noise, or objects that one side lacks) stand for their equals
# only.


class ClusterMatch(NamedTuple):
    """A cluster with the one of the other side that is most like it."""

    side: str
    """truth or guess."""
    name: Any
    size: int
    best: Any
    """The cluster with the largest Jaccard index; None where none shares an object."""
    best_size: int
    both: int
    """Objects in both."""
    precision: float
    """Share of the guess cluster that is in the truth cluster."""
    recall: float
    """Share of the truth cluster that is in the guess cluster."""
    jaccard: float
    partner: Any
    """The cluster that stands for it, or that it stands for, one for one; None where none."""


class Standing(NamedTuple):
    """A truth cluster and the guess cluster that stands for it, None of size 0 where none does."""

    truth: Any
    truth_size: int
    guess: Any
    guess_size: int
    both: int
    """Objects in both."""

    @property
    def jaccard(self) -> float:
        """Objects in both over objects in either."""
        return self.both / (self.truth_size + self.guess_size - self.both)


@dataclass(frozen=True, kw_only=True, repr=False)
class Change:
    """The clusters of some objects, and what became of their memberships."""

    truth: list[Any]
    guess: list[Any]
    kept: list[Any]
    """Truth clusters for which one of the guess clusters stands."""
    lost: list[Any]
    """Truth clusters for which none does."""
    gained: list[Any]
    """Guess clusters that stand for none of the truth clusters."""
    stands_for: list[Any]
    """For each cluster gained, the truth cluster that it stands for, or None."""


class Clusters(NamedTuple):
    """What the clusters of a side are called, and which were made for single objects."""

    names: list[Any]
    made: Bools


class Pairing(NamedTuple):
    """Which guess cluster stands for which truth cluster, -1 for none."""

    truth: Ints
    """For each truth cluster the guess cluster that stands for it."""
    guess: Ints
    """For each guess cluster the truth cluster that it stands for."""
    both: Ints
    """Objects of each truth cluster that are in the guess cluster that stands for it."""

    @classmethod
    def of(cls, m: CoverMeet, truth: Clusters, guess: Clusters) -> Pairing:
        """Clusters that are equal, then the matching of the others whose Jaccard indexes have the
        largest sum.
        """
        pairs, like = m.shared, likeness(m)
        most, likest = np.zeros(m.guess.clusters, np.int64), np.zeros(m.guess.clusters)
        np.maximum.at(most, pairs.guess, pairs.both)
        np.maximum.at(likest, pairs.guess, like)
        few = pairs.both < np.minimum(most, -(-m.guess.size // 2))[pairs.guess]
        foreign = few & (like < likest[pairs.guess])
        equal = np.flatnonzero(like == 1)
        equal = equal[heaviest_matching(pairs.truth[equal], pairs.guess[equal], like[equal])]
        taken = np.isin(pairs.truth, pairs.truth[equal]) | np.isin(pairs.guess, pairs.guess[equal])
        out = taken | truth.made[pairs.truth] | guess.made[pairs.guess] | foreign
        rest = np.flatnonzero(~out)
        rest = rest[heaviest_matching(pairs.truth[rest], pairs.guess[rest], like[rest])]
        chosen = np.concatenate([equal, rest])
        of_truth, of_guess = np.full(m.truth.clusters, -1), np.full(m.guess.clusters, -1)
        of_truth[pairs.truth[chosen]] = pairs.guess[chosen]
        of_guess[pairs.guess[chosen]] = pairs.truth[chosen]
        both = np.zeros(m.truth.clusters, np.int64)
        both[pairs.truth[chosen]] = pairs.both[chosen]
        return cls(of_truth, of_guess, both)


@dataclass(frozen=True, eq=False)
class Counterparts:
    """A comparison of covers whose clusters have names, and counterparts."""

    meet: CoverMeet
    truth: Clusters
    guess: Clusters

    @property
    def names(self) -> tuple[list[Any], list[Any]]:
        """What the clusters of truth and of guess are called."""
        return self.truth.names, self.guess.names

    @cached_property
    def pairing(self) -> Pairing:
        """Which guess cluster stands for which truth cluster."""
        return Pairing.of(self.meet, self.truth, self.guess)

    @cached_property
    def partner_size(self) -> Ints:
        """The size of the guess cluster that stands for each truth cluster, 0 for none."""
        return np.append(self.meet.guess.size, 0)[self.pairing.truth]

    @cached_property
    def exact(self) -> Bools:
        """Which truth clusters guess has too, to the last object."""
        size = self.meet.truth.size
        return np.asarray((self.pairing.both == size) & (size == self.partner_size))

    @cached_property
    def kept(self) -> tuple[Bools, Bools]:
        """Which memberships of the rows are kept: those in truth clusters, those in guess ones."""
        truth, guess = self.meet.truth.each, self.meet.guess.each
        wide = self.meet.guess.clusters + 1
        there = guess.owner * wide + guess.member
        wanted = truth.owner * wide + self.pairing.truth[truth.member]
        return np.isin(wanted, there), np.isin(there, wanted)

    @cached_property
    def changed(self) -> tuple[Ints, Ints]:
        """How many memberships each row lost, and how many it gained."""
        owners = self.meet.truth.each.owner, self.meet.guess.each.owner
        lost, gained = (
            np.bincount(owner[~kept], minlength=self.meet.rows)
            for owner, kept in zip(owners, self.kept, strict=True)
        )
        return lost, gained

    @cached_property
    def touched(self) -> Bools:
        """Which rows have a truth cluster that was not found exactly."""
        each = self.meet.truth.each
        inexact = each.owner[~self.exact[each.member]]
        return np.asarray(np.bincount(inexact, minlength=self.meet.rows) > 0)

    def change(self, row: int) -> Change:
        """What became of the objects of a row."""
        truth, kept = self._memberships(0, row)
        guess, known = self._memberships(1, row)
        gained = [g for g, k in zip(guess, known, strict=True) if not k]
        stand = self.pairing.guess[gained].tolist() if gained else []
        of_truth, of_guess = self.names
        return Change(
            truth=[of_truth[t] for t in truth],
            guess=[of_guess[g] for g in guess],
            kept=[of_truth[t] for t, k in zip(truth, kept, strict=True) if k],
            lost=[of_truth[t] for t, k in zip(truth, kept, strict=True) if not k],
            gained=[of_guess[g] for g in gained],
            stands_for=[of_truth[t] if t >= 0 else None for t in stand],
        )

    def _memberships(self, side: int, row: int) -> tuple[list[int], list[bool]]:
        """The clusters of a row on one side, and which of these memberships are kept."""
        each = (self.meet.truth, self.meet.guess)[side].each
        here = slice(each.start[row], each.start[row + 1])
        return each.member[here].tolist(), self.kept[side][here].tolist()

    @cached_property
    def worst(self) -> Ints:
        """Truth clusters that were not found exactly, those with most memberships changed first."""
        changed = self.meet.truth.size + self.partner_size - 2 * self.pairing.both
        clusters = np.flatnonzero(~self.exact)
        return clusters[np.argsort(-changed[clusters], kind="stable")]

    def standing(self, cluster: int) -> Standing:
        """A truth cluster with the guess cluster that stands for it."""
        partner = int(self.pairing.truth[cluster])
        return Standing(
            self.names[0][cluster],
            int(self.meet.truth.size[cluster]),
            self.names[1][partner] if partner >= 0 else None,
            int(self.partner_size[cluster]),
            int(self.pairing.both[cluster]),
        )

    @cached_property
    def matches(self) -> list[ClusterMatch]:
        """Each truth cluster and each guess cluster with the one most like it."""
        return [*self._matches(0), *self._matches(1)]

    def _matches(self, side: int) -> Iterator[ClusterMatch]:
        m, pairs, like = self.meet, self.meet.shared, likeness(self.meet)
        own, other = (pairs.truth, pairs.guess)[:: 1 - 2 * side]
        size, beside = (m.truth.size, m.guess.size)[:: 1 - 2 * side]
        names, others = self.names[:: 1 - 2 * side]
        best = _best(own, other, pairs.both, like, size.size)
        for cluster, (pair, partner) in enumerate(
            zip(best.tolist(), self.pairing[side].tolist(), strict=True)
        ):
            there = int(other[pair]) if pair >= 0 else -1
            both = int(pairs.both[pair]) if pair >= 0 else 0
            sizes = int(size[cluster]), int(beside[there]) if pair >= 0 else 0
            of_truth, of_guess = sizes[:: 1 - 2 * side]
            yield ClusterMatch(
                ("truth", "guess")[side],
                names[cluster],
                sizes[0],
                others[there] if pair >= 0 else None,
                sizes[1],
                both,
                both / of_guess if both else 0.0,
                both / of_truth if both else 0.0,
                float(like[pair]) if both else 0.0,
                others[partner] if partner >= 0 else None,
            )


def likeness(m: CoverMeet) -> Floats:
    """The Jaccard index of clusters that share objects."""
    pairs = m.shared
    sizes = m.truth.size[pairs.truth], m.guess.size[pairs.guess]
    return np.asarray(jaccard(pairs.both, *sizes, m.objects), np.float64)


def _best(cluster: Ints, other: Ints, both: Ints, like: Floats, clusters: int) -> Ints:
    """For each cluster the pair in which it is most like another one, -1 where there is none; of
    equal ones that with more objects, then the first.
    """
    order = np.lexsort((other, -both, -like, cluster))
    first = order[np.diff(cluster[order], prepend=-1) != 0]
    best = np.full(clusters, -1)
    best[cluster[first]] = first
    return best


def clusters_of(side: Cover, seen: CoverSide, position: Ints, policy: Policy) -> Clusters:
    """The clusters of a side of a meet; `position` is where an object of each row stands there, -1
    where it does not.

    The clusters of a row are those of its objects without noise, in the same order; behind them
    may stand one that was made for an object. It is called what the noise was, else None.
    """
    nothing = Sets(np.zeros(2, np.int64), np.zeros(0, np.int64))
    given = joined(side.sets, nothing).take(np.append(side.code, side.sets.number)[position])
    noise, each = policy.means_noise(side.labels)[given.member], seen.each
    known = np.bincount(given.owner[~noise], minlength=given.number)
    own = np.arange(each.member.size) - each.start[each.owner] >= known[each.owner]
    called = np.full(given.number, -1)
    called[given.owner[noise][::-1]] = given.member[noise][::-1]
    numbers, made = np.full(seen.clusters, -1), np.zeros(seen.clusters, np.bool_)
    numbers[each.member[~own]] = given.member[~noise]
    numbers[each.member[own]] = called[each.owner[own]]
    made[each.member[own]] = True
    labels = iter(side.labels.take(numbers[numbers >= 0]).tolist())
    return Clusters([next(labels) if n >= 0 else None for n in numbers.tolist()], made)


if TYPE_CHECKING:
    Rows = list[tuple[str, str]]

SCORES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
)  # fmt: skip
COVER_SCORES = (
    "extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
    "cice_precision", "cice_recall", "cice_f",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class ObjectExplanation(Renderable):
    """One object, and what became of it."""

    id: Any
    truth: Any
    """Its truth cluster or clusters, or what truth says of it; None where truth lacks it."""
    guess: Any
    outcome: str
    """right, or what is wrong with it."""

    @property
    def where(self) -> str:
        """What the title says besides the name and the outcome."""
        return ""

    @abstractmethod
    def rows(self, ids: int | None) -> Rows:
        """What there is to say, with up to so many names of each sort."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {"id": self.id, "outcome": self.outcome} | for_programs(vars(self))

    def to_json(self, ids: int | None = None) -> str:
        """The same as JSON, with all names."""
        return document("explain-object/1", self.to_dict())

    def _title(self) -> str:
        outcome = WORDS.get(self.outcome, self.outcome)
        return f"object {name_of(self.id)}{self.where}: {outcome}"

    def to_text(self, width: int | None = 80, ids: int | None = 20) -> str:
        """The object for a terminal of this width, with up to so many names of each sort."""
        columns = width or 80
        return f"{wrapped(self._title(), columns)}\n{wrap_columns(self.rows(ids), columns)}"

    def blocks(self, width: int) -> Iterator[Block]:
        """Its clusters and its outcome, and what there is to say of it."""
        rows = self.rows(20)
        yield wrapped(self._title(), width)
        yield Listing(wrap_columns(rows, width), CellTable(("", ""), tuple(rows)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Companions(ObjectExplanation):
    """An object among those that share a cluster with it."""

    found: list[Any]
    """The others that do in truth and in guess."""
    missing: list[Any]
    """Those that do in truth; guess puts them elsewhere, or lacks them."""
    wrong: list[Any]
    """Those that do in guess; they belong elsewhere, or are not in truth."""
    scores: dict[str, float]

    def rows(self, ids: int | None) -> Rows:
        """Its companions and its scores."""
        return [
            _named("is rightly with", self.found, ids),
            _named("should be with", self.missing, ids),
            _named("is wrongly with", self.wrong, ids),
            *self.also(ids),
            *((name, digits(score)) for name, score in self.scores.items()),
        ]

    def also(self, ids: int | None) -> Rows:
        """What there is to say besides, between the companions and the scores."""
        return []


@dataclass(frozen=True, kw_only=True, repr=False)
class PartitionObject(Companions):
    """An object of two partitions; it is right, split, merged, both, missing or extra."""

    sample: Any = None
    absent: list[Any] = field(default_factory=list)
    """Those of `missing` that guess lacks."""
    strange: list[Any] = field(default_factory=list)
    """Those of `wrong` that are not in truth."""

    @property
    def where(self) -> str:
        """Its clusters."""
        return f", truth {name_of(self.truth)}, guess {name_of(self.guess)}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return dict(vars(self))

    def also(self, ids: int | None) -> Rows:
        """Companions that one side lacks."""
        lacking = ((WORDS["missing"], self.absent), (WORDS["extra"], self.strange))
        return [_named(what, some, ids) for what, some in lacking if some]


@dataclass(frozen=True, kw_only=True, repr=False)
class CoverObject(Companions, Change):
    """An object of two covers; no membership changed (right), or it lost some, gained some, both
    (changed), or is missing or extra.
    """

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {key: told for key, told in super().to_dict().items() if key != "stands_for"}

    def rows(self, ids: int | None) -> Rows:
        """Its clusters, its companions and its scores."""
        clusters = (
            ("truth clusters", self.truth), ("guess clusters", self.guess), ("kept", self.kept),
            ("lost", self.lost), ("gained", self.gained),
        )  # fmt: skip
        return [*(_named(what, some, ids, "none") for what, some in clusters), *super().rows(ids)]


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What both sides say of some objects, and how far they agree."""

    truth: list[Said]
    guess: list[Said]
    agreement: Interval
    """How much speaks for both agreeing on their cluster: for certain, and possibly."""
    low: float
    """What they add to the distance where what is unknown is accepted, or at the alpha asked."""
    high: float
    """What they add where what is unknown is an error, or at the alpha asked for."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftObject(ObjectExplanation, Agreed):
    """An object of which a side is uncertain; it is right, unsure or wrong."""

    def rows(self, ids: int | None) -> Rows:
        """What both sides say, how far that agrees, and what it costs."""
        return [
            ("truth says", says(self.truth, ids)),
            ("guess says", says(self.guess, ids)),
            ("agreement", degree(self.agreement)),
            ("adds", span(self.low, self.high)),
        ]


def _named(what: str, some: list[Any], ids: int | None, nothing: str = "nobody") -> tuple[str, str]:
    return what, f"{len(some):,}: {shown_ids(some, ids)}" if some else nothing


def partition_object(compared: NamedComparison, wanted: Any, sample: Any = None) -> PartitionObject:
    """The object of this id with its companions, in this sample where there are several."""
    a = compared.around(wanted, sample)
    row = HardMeet(
        both=np.array([len(a.found) + 1]),
        truth_size=np.array([(len(a.found) + len(a.missing) + 1) if a.known[0] else 0]),
        guess_size=np.array([(len(a.found) + len(a.wrong) + 1) if a.known[1] else 0]),
        times=np.array([1]),
        truth=np.array([0 if a.known[0] else -1]),
        guess=np.array([0 if a.known[1] else -1]),
        alignment=compared.meet.alignment,
    )
    outcome = OUTCOMES[int(outcome_of(row)[0])]
    scores = {name: _score(row, name, 0) for name in SCORES}
    return PartitionObject(
        id=a.id, truth=a.truth, guess=a.guess, outcome=outcome, found=a.found, missing=a.missing,
        wrong=a.wrong, scores=scores, sample=a.sample, absent=list(a.absent),
        strange=list(a.strange),
    )  # fmt: skip


def cover_object(
    meet: CoverMeet, located: Located, item: int, outcome: str, change: Change
) -> CoverObject:
    """An object with its clusters, its companions and its scores."""
    row, near = int(located.row[item]), []
    for side in (meet.truth, meet.guess):
        each = side.each
        own = each.member[each.start[row] : each.start[row + 1]]
        rows = np.zeros(meet.rows, np.bool_)
        rows[each.owner[np.isin(each.member, own)]] = True
        with_it = rows[located.row]
        with_it[item] = False
        near.append(with_it)
    truth, guess = near
    found, missing, wrong = (
        [located.id_of(int(i)) for i in np.flatnonzero(some)]
        for some in (truth & guess, truth & ~guess, guess & ~truth)
    )
    scores = {name: _score(meet, name, row) for name in COVER_SCORES}
    return CoverObject(
        id=located.id_of(item), outcome=outcome, found=found, missing=missing, wrong=wrong,
        scores=scores, **vars(change),
    )  # fmt: skip


def _score(meet: HardMeet | CoverMeet, name: str, row: int) -> float:
    """The value of a measure for the objects of a row."""
    measure = measure_named(name)
    if "f" in measure.defaults:
        measure = measure.having(f="objects")
    values = measure.rows_of(meet)
    assert values is not None
    return float(values[row])
