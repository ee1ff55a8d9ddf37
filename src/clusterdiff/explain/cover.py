"""Where two covers differ: memberships that were kept, lost and gained, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clusterdiff.clusterings import Cover, Partition
from clusterdiff.clusterings.sets import Sets, joined
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.explain.ranking import (
    NOTHING,
    SETS,
    TOP,
    Companions,
    Located,
    Place,
    PlacesExplanation,
    found_exactly,
    in_column,
    is_named,
    name_of,
    names_row,
    score_of_row,
    shares_of,
)
from clusterdiff.measures.assignment import heaviest_matching
from clusterdiff.measures.attribution import losses
from clusterdiff.measures.matching import jaccard
from clusterdiff.output.describe import count, unit_of
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import shown_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import CoverMeet, CoverSide, Policy
    from clusterdiff.io import AlignedComparison
    from clusterdiff.measures import Measure


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

    def in_words(self) -> str:
        """What the objects lost and gained; nothing where that is nothing."""
        gains = [
            called([name]) + ("" if beside is None else f" (for {name_of(beside)})")
            for name, beside in zip(self.gained, self.stands_for, strict=True)
        ]
        lost = f"lost {called(self.lost)}" if self.lost else ""
        gained = f"gained {shown_ids(gains, SETS)}" if gains else ""
        return "; ".join(filter(None, (lost, gained)))


@dataclass(frozen=True, kw_only=True)
class CoverPlace(Place, Change):
    """Objects that are in the same truth clusters, and in the same guess clusters."""

    loss: float
    """What they take off the best score."""

    keys = ("kind", "loss", "share", "objects", "truth", "guess", "lost", "gained", "ids")

    def lines(self, ids: int | None) -> list[str]:
        """Which objects, where they are; and what changed."""
        truth = f"{called(self.truth)} in truth" if self.kind != "extra" else "not in truth"
        guess = f"{called(self.guess)} in guess" if self.kind != "missing" else "not in guess"
        same = "same clusters, other companions"
        changes = same if self.kind == "same" else self.in_words() or "nothing to lose"
        return [f"{self.who(ids)}: {truth}, {guess}", changes]


def called(names: Sequence[Any]) -> str:
    """Clusters for display."""
    if not names:
        return "no cluster"
    return shown_ids(["a cluster of its own" if n is None else n for n in names], SETS)


@dataclass(frozen=True)
class CoverSummary:
    """What became of all objects, memberships and clusters."""

    objects: int
    outcomes: dict[str, int]
    """Objects by outcome: right (no membership changed), lost, gained, changed (lost and gained);
    missing and extra where they count."""
    kept: int
    """Memberships of truth that guess has too."""
    lost: int
    gained: int
    truth_clusters: int
    guess_clusters: int
    exact: int
    """Truth clusters that guess has too, to the last object; of two that are equal, both."""
    unnamed: int
    """Guess clusters that stand for no truth cluster."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class CoverExplanation(PlacesExplanation[CoverPlace]):
    """Where two covers differ: what objects lost and gained, ranked by what it costs.

    A place is `lost` (memberships lost, none gained), `gained`, `changed` (both), `same` (no
    membership changed, but companions did), or, where objects of one side count, `missing` or
    `extra`.

    >>> import clusterdiff as cd
    >>> truth = cd.Cover({1: ["a"], 2: ["a", "b"], 3: ["b"], 4: ["c"]})
    >>> guess = cd.Cover({1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]})
    >>> print(cd.explain(truth, guess).to_text(80))
    cice_f 0.7634 = 1 - 0.2366. Where the 0.2366 comes from:
    <BLANKLINE>
       67.7 %  same     1 object (3): b in truth, y in guess
                        same clusters, other companions
       32.3 %  lost     1 object (2): a, b in truth, x in guess
                        lost b
        0.0 %  right    2 objects
    <BLANKLINE>
    Of 4 objects: 75.0 % right, 25.0 % lost, 0.0 % gained, 0.0 % changed.
    Of 5 memberships, 4 kept, 1 lost; 0 gained.
    Of 3 true clusters, 2 were found exactly (66.7 %).
    <BLANKLINE>
      true cluster  objects  guess  kept  lost  gained  jaccard
      b             2        y      1     1     0       0.5000
    """

    score: Score
    located: Located
    loss: Floats
    counterparts: Counterparts
    """Which guess cluster stands for which truth cluster."""

    default = "cice_f"
    pairs_of: ClassVar[type[Counterparts] | None] = None
    """How clusters are paired, where not by what they share."""
    kinds = ("lost", "gained", "changed", "same", "missing", "extra", "right")
    columns = ("place", *CoverPlace.keys[:-1], "id")

    @classmethod
    def of(cls, aligned: AlignedComparison, name: str, by: Measure) -> CoverExplanation:
        """The explanation of a guess by what a measure loses; both sides are covers."""
        (truth, guess), policy = aligned.loaded(name), aligned.policy
        assert isinstance(truth, Partition | Cover)
        assert isinstance(guess, Partition | Cover)
        meet, row, objects = rows_of_objects(truth, guess, policy, aligned.alone(name))
        meet = replace(meet, alignment=aligned.alignments.get(name, meet.alignment))
        loss = losses(by, meet)
        sides = Cover(truth), Cover(guess)
        located = Located(*sides, row, objects)
        positions = objects.in_truth[located.first], objects.in_guess[located.first]
        clusters = [
            _clusters_of(side, seen, at, policy)
            for side, seen, at in zip(sides, (meet.truth, meet.guess), positions, strict=True)
        ]
        score, pairs = Score(by, by.of(meet), meet), cls.pairs_of or Counterparts
        return cls(score, located, loss, pairs(meet, *clusters))

    @property
    def meet(self) -> CoverMeet:
        """The comparison."""
        return self.counterparts.meet

    @property
    def clusters(self) -> list[ClusterMatch]:
        """Each truth and each guess cluster with the one most like it on the other side."""
        return self.counterparts.matches

    @cached_property
    def kind(self) -> Ints:
        """The kind of each row, by its place among `kinds`."""
        lost, gained = (some > 0 for some in self.counterparts.changed)
        each = self.loss * self.meet.objects / self.weight
        same = np.where(self.counterparts.touched | (each > NOTHING), 3, 6)
        compared = np.choose(lost + 2 * gained, [same, 0, 1, 2])
        return np.where(~self.meet.in_truth, 5, np.where(~self.meet.in_guess, 4, compared))

    @property
    def differs(self) -> Bools:
        """Which rows are shown; the others are right."""
        return np.asarray(self.kind < len(self.kinds) - 1)

    def _with_cluster(self, name: Any) -> Bools:
        found = np.zeros(self.meet.rows, np.bool_)
        for seen, own in zip(
            (self.meet.truth, self.meet.guess),
            (self.counterparts.truth, self.counterparts.guess),
            strict=True,
        ):
            named = np.array([is_named(one, name) for one in own.names], np.bool_)
            found[seen.each.owner[named[seen.each.member]]] = True
        return found

    def place(self, row: int, ids: int | None) -> CoverPlace:
        """A row with names."""
        return CoverPlace(
            **self.facts_of(row), ids=self.located.ids(row, ids), loss=float(self.loss[row]),
            unit=unit_of(self.meet), **vars(self.counterparts.change(row)),
        )  # fmt: skip

    def object(self, id: Any, sample: Any = None) -> CoverObject:
        """The clusters of an object, its companions, and its scores."""
        item, row = self.located.find(id)
        near = []
        for each in (self.meet.truth.each, self.meet.guess.each):
            own = each.member[each.start[row] : each.start[row + 1]]
            rows = np.zeros(self.meet.rows, np.bool_)
            rows[each.owner[np.isin(each.member, own)]] = True
            with_it = rows[self.located.row]
            with_it[item] = False
            near.append(with_it)
        truth, guess = near
        found, missing, wrong = (
            [self.located.id_of(int(i)) for i in np.flatnonzero(some)]
            for some in (truth & guess, truth & ~guess, guess & ~truth)
        )
        kind = self.kinds[int(self.kind[row])]
        made = CoverObject(
            id=self.located.id_of(item), outcome="right" if kind == "same" else kind, found=found,
            missing=missing, wrong=wrong, **vars(self.counterparts.change(row)),
            scores={name: score_of_row(self.meet, name, row) for name in SCORES},
        )  # fmt: skip
        return self.with_known(made)

    @cached_property
    def summary(self) -> CoverSummary:
        """What became of objects, memberships and clusters."""
        counts = self.objects_by_kind
        outcomes = {"right": counts.pop("right") + counts.pop("same"), **counts}
        lost, gained = (int(some @ self.weight) for some in self.counterparts.changed)
        return CoverSummary(
            self.meet.objects,
            {k: n for k, n in outcomes.items() if n or k not in ("missing", "extra")},
            int(self.meet.truth.size.sum()) - lost,
            lost,
            gained,
            self.meet.truth.clusters,
            self.meet.guess.clusters,
            int(self.meet.exact.sum()),
            int((self.counterparts.pairing.guess < 0).sum()),
        )

    def sentences(self) -> list[str]:
        """What became of objects, memberships and clusters, in three sentences."""
        s = self.summary
        stand = "stands" if s.unnamed == 1 else "stand"
        nobodys = f"; {count(s.unnamed, 'guess cluster')} {stand} for none" if s.unnamed else ""
        return [
            f"{shares_of(s.outcomes, s.objects, unit_of(self.meet))}.",
            f"Of {count(s.kept + s.lost, 'membership')}, {s.kept:,} kept, {s.lost:,} lost; "
            f"{s.gained:,} gained.",
            f"{found_exactly(s.exact, s.truth_clusters)}{nobodys}.",
        ]

    def same(self) -> str:
        """The text where nothing differs."""
        s = self.summary
        whole = f"{count(s.truth_clusters, 'cluster')}, {unit_of(self.meet).told(s.objects)}"
        return f"Truth and guess are the same cover: {whole}."

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """The true clusters that differ most from those that stand for them."""
        rows = []
        for cluster in self.counterparts.worst[:top].tolist():
            s = self.counterparts.standing(cluster)
            counts = (s.both, s.truth_size - s.both, s.guess_size - s.both)
            named = called([s.guess]) if s.guess_size else "(none)"
            name, named = (in_column(one, width) for one in (called([s.truth]), named))
            told = (name, f"{s.truth_size:,}", named, *(f"{n:,}" for n in counts))
            rows.append((*told, digits(s.jaccard) if s.guess_size else ""))
        headings = ("true cluster", "objects", "guess", "kept", "lost", "gained", "jaccard")
        return CellTable(headings, tuple(rows))

    def facts(self, top: int | None) -> dict[str, Any]:
        """As JSON-ready values: the loss, the fate of objects, and the worst clusters."""
        worst = map(self.counterparts.standing, self.counterparts.worst[:top].tolist())
        return {
            "loss": self.lost,
            "summary": self.summary.to_dict(),
            "clusters": [standing._asdict() for standing in worst],
        }


SCORES = (
    "extended_bcubed_precision", "extended_bcubed_recall", "extended_bcubed_f",
    "cice_precision", "cice_recall", "cice_f",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class CoverObject(Companions, Change):
    """An object of two covers; no membership changed (right), or it lost some, gained some, both
    (changed), or is missing or extra.
    """

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {key: fact for key, fact in super().to_dict().items() if key != "stands_for"}

    def rows(self, ids: int | None) -> list[tuple[str, str]]:
        """Its clusters, its companions and its scores."""
        clusters = (
            ("truth clusters", self.truth), ("guess clusters", self.guess), ("kept", self.kept),
            ("lost", self.lost), ("gained", self.gained),
        )  # fmt: skip
        return [
            *(names_row(what, some, ids, "none") for what, some in clusters),
            *super().rows(ids),
        ]


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


@dataclass(frozen=True, eq=False)
class Counterparts:
    """A comparison of covers whose clusters have names, and counterparts."""

    meet: CoverMeet
    truth: Clusters
    guess: Clusters

    @cached_property
    def pairing(self) -> Pairing:
        """Clusters that are equal, then the matching of the others whose Jaccard indexes have the
        largest sum.
        """
        m, pairs, like = self.meet, self.meet.shared, self.likeness
        most, likest = np.zeros(m.guess.clusters, np.int64), np.zeros(m.guess.clusters)
        np.maximum.at(most, pairs.guess, pairs.both)
        np.maximum.at(likest, pairs.guess, like)
        few = pairs.both < np.minimum(most, -(-m.guess.size // 2))[pairs.guess]
        foreign = few & (like < likest[pairs.guess])
        equal = np.flatnonzero(like == 1)
        equal = equal[heaviest_matching(pairs.truth[equal], pairs.guess[equal], like[equal])]
        taken = np.isin(pairs.truth, pairs.truth[equal]) | np.isin(pairs.guess, pairs.guess[equal])
        for_one = self.truth.made[pairs.truth] | self.guess.made[pairs.guess]
        rest = np.flatnonzero(~(taken | for_one | foreign))
        rest = rest[heaviest_matching(pairs.truth[rest], pairs.guess[rest], like[rest])]
        chosen = np.concatenate([equal, rest])
        truth, guess, both = (column[chosen] for column in pairs[:3])
        of_truth, of_guess = np.full(m.truth.clusters, -1), np.full(m.guess.clusters, -1)
        of_truth[truth], of_guess[guess] = guess, truth
        shared = np.zeros(m.truth.clusters, np.int64)
        shared[truth] = both
        return Pairing(of_truth, of_guess, shared)

    @cached_property
    def likeness(self) -> Floats:
        """The Jaccard index of clusters that share objects."""
        m, pairs = self.meet, self.meet.shared
        sizes = m.truth.size[pairs.truth], m.guess.size[pairs.guess]
        return np.asarray(jaccard(pairs.both, *sizes, m.objects), np.float64)

    @cached_property
    def partner_size(self) -> Ints:
        """The size of the guess cluster that stands for each truth cluster, 0 for none."""
        return np.append(self.meet.guess.size, 0)[self.pairing.truth]

    @cached_property
    def memberships_changed(self) -> Ints:
        """For each truth cluster how many memberships it and the one that stands for it do not
        share.
        """
        return np.asarray(self.meet.truth.size + self.partner_size - 2 * self.pairing.both)

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
        """Which rows have a truth cluster of which a membership changed."""
        each = self.meet.truth.each
        inexact = each.owner[self.memberships_changed[each.member] > 0]
        return np.asarray(np.bincount(inexact, minlength=self.meet.rows) > 0)

    def change(self, row: int) -> Change:
        """What became of the objects of a row."""
        truth, kept = self._memberships(0, row)
        guess, kept_in_guess = self._memberships(1, row)
        gained = [g for g, is_kept in zip(guess, kept_in_guess, strict=True) if not is_kept]
        stand = self.pairing.guess[gained].tolist() if gained else []
        of_truth, of_guess = self.truth.names, self.guess.names
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
        """Truth clusters of which a membership changed, those with most of them first."""
        changed = self.memberships_changed
        clusters = np.flatnonzero(changed)
        return clusters[np.argsort(-changed[clusters], kind="stable")]

    def standing(self, cluster: int) -> Standing:
        """A truth cluster with the guess cluster that stands for it."""
        partner = int(self.pairing.truth[cluster])
        return Standing(
            self.truth.names[cluster],
            int(self.meet.truth.size[cluster]),
            self.guess.names[partner] if partner >= 0 else None,
            int(self.partner_size[cluster]),
            int(self.pairing.both[cluster]),
        )

    @cached_property
    def matches(self) -> list[ClusterMatch]:
        """Each truth cluster and each guess cluster with the one most like it."""
        return [*self._matches(0), *self._matches(1)]

    def _matches(self, side: int) -> Iterator[ClusterMatch]:
        m, pairs, like = self.meet, self.meet.shared, self.likeness
        step = 1 - 2 * side  # takes pairs of (truth, guess) as (own, other)
        own, other = (pairs.truth, pairs.guess)[::step]
        size, other_size = (m.truth.size, m.guess.size)[::step]
        names, others = (self.truth.names, self.guess.names)[::step]
        # The pair in which a cluster is most like another one; of equal ones that with more
        # objects, then the first.
        order = np.lexsort((other, -pairs.both, -like, own))
        first = order[np.diff(own[order], prepend=-1) != 0]
        best = np.full(size.size, -1)
        best[own[first]] = first
        for cluster, (pair, partner) in enumerate(
            zip(best.tolist(), self.pairing[side].tolist(), strict=True)
        ):
            likest, likest_size, both, like_it = None, 0, 0, 0.0
            if pair >= 0:
                there = int(other[pair])
                likest, likest_size = others[there], int(other_size[there])
                both, like_it = int(pairs.both[pair]), float(like[pair])
            sizes = int(size[cluster]), likest_size
            of_truth, of_guess = sizes[::step]
            yield ClusterMatch(
                ("truth", "guess")[side], names[cluster], sizes[0], likest, likest_size, both,
                both / of_guess if both else 0.0, both / of_truth if both else 0.0, like_it,
                others[partner] if partner >= 0 else None,
            )  # fmt: skip


def _clusters_of(side: Cover, seen: CoverSide, position: Ints, policy: Policy) -> Clusters:
    """The clusters of a side of a meet; `position` is where an object of each row stands there, -1
    where it does not.

    The clusters of a row are those of its objects without noise, in the same order; behind them
    may stand one that was made for an object. It is called what the noise was, else None.
    """
    nothing = Sets(np.zeros(2, np.int64), np.zeros(0, np.int64))
    given = joined(side.sets, nothing).take(np.append(side.code, side.sets.number)[position])
    noise, each = policy.means_noise(side.labels)[given.member], seen.each
    named = np.bincount(given.owner[~noise], minlength=given.number)
    own = np.arange(each.member.size) - each.start[each.owner] >= named[each.owner]
    noise_of = np.full(given.number, -1)
    noise_of[given.owner[noise][::-1]] = given.member[noise][::-1]
    numbers, made = np.full(seen.clusters, -1), np.zeros(seen.clusters, np.bool_)
    numbers[each.member[~own]] = given.member[~noise]
    numbers[each.member[own]] = noise_of[each.owner[own]]
    made[each.member[own]] = True
    labels = iter(side.labels.take(numbers[numbers >= 0]).tolist())
    return Clusters([next(labels) if n >= 0 else None for n in numbers.tolist()], made)
