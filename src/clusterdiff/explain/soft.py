"""Where two uncertain clusterings differ: how far both agree on each object, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Cover, Partition, Soft
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.ranking import (
    NOTHING,
    SETS,
    TOP,
    Located,
    ObjectExplanation,
    Place,
    PlacesExplanation,
    Said,
    for_programs,
    in_column,
    is_named,
    name_of,
    shares_of,
)
from clusterdiff.measures.attribution import agreement_of, sizes_of_clusters
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output.describe import count
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable, digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import SoftMeet, SoftSide
    from clusterdiff.io import AlignedComparison
    from clusterdiff.measures import Measure
    from clusterdiff.measures.attribution import Agreement

EVEN = 0.5
"""From here on, more speaks for an object than against it."""


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What both sides say of some objects, and how far they agree."""

    truth: list[Said]
    guess: list[Said]
    agreement: ScoreRange
    """How much speaks for both agreeing on their cluster: for certain, and possibly."""
    low: float
    """What they add to the distance where what is unknown is accepted, or at the alpha asked."""
    high: float
    """What they add where what is unknown is an error, or at the alpha asked for."""


@dataclass(frozen=True, kw_only=True)
class SoftPlace(Place, Agreed):
    """Objects of which truth says the same, and guess too."""

    keys = (
        "kind", "low", "high", "share", "objects", "agreement_low", "agreement_high", "truth",
        "guess", "ids",
    )  # fmt: skip
    losses = ("low", "high")

    def lines(self, ids: int | None) -> list[str]:
        """Which objects, how far both sides agree; and what each side says."""
        agree, cost = degree(self.agreement), span(self.low, self.high)
        return [
            f"{self.who(ids)}: agreement {agree}, adds {cost}",
            f"truth {says(self.truth)}; guess {says(self.guess)}",
        ]


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftObject(ObjectExplanation, Agreed):
    """An object of which a side is uncertain; it is right, unsure or wrong."""

    def rows(self, ids: int | None) -> list[tuple[str, str]]:
        """What both sides say, how far that agrees, and what it costs."""
        return [
            ("truth says", says(self.truth, ids)),
            ("guess says", says(self.guess, ids)),
            ("agreement", degree(self.agreement)),
            ("adds", span(self.low, self.high)),
        ]


class SoftCluster(NamedTuple):
    """A truth cluster and the guess cluster that stands for it."""

    truth: Any
    truth_size: ScoreRange
    """From the objects that are in it for certain to those that may be, by their masses."""
    guess: Any
    """None, of size 0, where no guess cluster stands for it."""
    guess_size: ScoreRange
    agreed: ScoreRange
    """Objects that are in both."""


@dataclass(frozen=True)
class SoftSummary:
    """What became of all objects."""

    objects: int
    outcomes: dict[str, int]
    """Objects by outcome: right, unsure, wrong."""
    truth_clusters: int
    guess_clusters: int
    matched: int
    """Truth clusters for which a guess cluster stands."""
    one_matching: bool
    """Whether both ends of the distance have the matching that is shown as their best."""
    agreement: ScoreRange
    """The mean over objects of how much speaks for both sides agreeing on its cluster."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return for_programs(vars(self))


@dataclass(frozen=True, eq=False, repr=False)
class SoftExplanation(PlacesExplanation[SoftPlace]):
    """Where two uncertain clusterings differ: objects, ranked by what they add to the distance.

    Truth and guess agree on an object as far as their masses are on matched clusters: from what is
    on matched clusters alone (belief) to what is on sets with matched clusters (plausibility). An
    object is

    * `right` where at least one half is believed, or where it adds nothing: both say the same of
      it, or, with alpha = 0, what is unknown is accepted;
    * `wrong` where less than one half can be common: the sum over matched clusters of the lesser
      plausibility of the two, which is no less than that of agreeing;
    * `unsure` otherwise: one side leaves the cluster open, or both are torn in the same way.

    Places are ranked by their upper end, then by their lower one. The matching that is shown is the
    one of the alpha asked for, or of alpha = 0.5; each end has the best one of its own alpha, so
    that where these differ the lower end of an object can be the larger.
    """

    score: Score
    located: Located
    loss: Floats
    """What each row adds to the upper end of the distance."""
    meet: SoftMeet
    agreement: Agreement
    """What each row adds, and how far it agrees."""
    names: tuple[list[Any], list[Any]]
    """What the clusters of truth and of guess are called."""

    default = "partition_distance_alpha(over='n')"
    kinds = ("wrong", "unsure", "right")
    unchanged = ", which add nothing"
    columns = ("place", *SoftPlace.keys[:-1], "id")

    @classmethod
    def of(cls, aligned: AlignedComparison, name: str, by: Measure) -> SoftExplanation:
        """The explanation of a guess by its distance; truth or the guess is uncertain."""
        if by.name != "partition_distance_alpha":
            raise ClusterdiffError(
                f"{by} of uncertain clusterings does not decompose over objects, so there is "
                "nothing to explain.",
                "use partition_distance_alpha, with or without alpha= and over=.",
            )
        truth, guess = aligned.loaded(name)
        meet, row, objects = rows_of_objects(truth, guess, aligned.policy)
        meet = replace(meet, alignment=aligned.alignments.get(name, meet.alignment))
        located = Located(truth, guess, row, objects)
        names = (
            _names(truth, meet.truth, objects.in_truth[located.first]),
            _names(guess, meet.guess, objects.in_guess[located.first]),
        )
        agreement = agreement_of(by, meet)
        return cls(Score(by, by.of(meet), meet), located, agreement.high, meet, agreement, names)

    @cached_property
    def kind(self) -> Ints:
        """The kind of each row, by its place among `kinds`."""
        a = self.agreement
        believed = a.belief >= EVEN - NOTHING
        unsure = np.where(a.common < EVEN - NOTHING, 0, 1)
        return np.where(believed | ~self.differs, 2, unsure)

    @cached_property
    def differs(self) -> Bools:
        """Which rows are shown; the others add nothing."""
        most = np.maximum(self.agreement.low, self.agreement.high)
        return np.asarray(most * self.meet.objects / self.weight > NOTHING)

    @property
    def ranks(self) -> tuple[Floats, ...]:
        """Rows are ranked by their upper end, then by their lower one."""
        return (self.agreement.high, self.agreement.low)

    def _with_cluster(self, name: Any) -> Bools:
        found = np.zeros(self.weight.size, np.bool_)
        for row in np.flatnonzero(self.differs).tolist():
            said = [*self._said(0, row), *self._said(1, row)]
            found[row] = any(is_named(one, name) for each in said for one in each.clusters)
        return found

    def place(self, row: int, ids: int | None) -> SoftPlace:
        """A row with names."""
        agreed = vars(self._agreed(row))
        return SoftPlace(**self.facts_of(row), ids=self.located.ids(row, ids), **agreed)

    def _agreed(self, row: int, among: int = 1) -> Agreed:
        """Facts about the objects of a row, and what they add, divided among so many."""
        a = self.agreement
        return Agreed(
            truth=self._said(0, row),
            guess=self._said(1, row),
            agreement=_interval(a.belief[row], a.plausibility[row]),
            low=float(a.low[row]) / among,
            high=float(a.high[row]) / among,
        )

    def _said(self, side: int, row: int) -> list[Said]:
        """What a side says of the objects of a row, what most speaks for first."""
        seen, names = (self.meet.truth, self.meet.guess)[side], self.names[side]
        profile, m = int(seen.row[row]), seen.masses
        sets = np.array([profile]) if m.table is None else np.flatnonzero(m.table[profile])
        mass = np.ones(1) if m.table is None else m.table[profile, sets]
        order = np.lexsort((m.focal.size[sets], -mass))
        members = [m.focal.member[m.focal.start[a] : m.focal.start[a + 1]] for a in sets[order]]
        return [
            Said([names[c] for c in own.tolist()], float(part))
            for own, part in zip(members, mass[order], strict=True)
        ]

    def object(self, id: Any, sample: Any = None) -> SoftObject:
        """What truth and guess say of an object, how far that agrees, and what it adds."""
        item, row = self.located.find(id)
        kind, agreed = self.kinds[int(self.kind[row])], self._agreed(row, int(self.weight[row]))
        made = SoftObject(id=self.located.id_of(item), outcome=kind, **vars(agreed))
        return self.with_known(made)

    @cached_property
    def clusters(self) -> list[SoftCluster]:
        """Each truth cluster with the guess cluster that stands for it."""
        a = self.agreement
        of_truth = sizes_of_clusters(self.meet.truth, self.meet.both)
        of_guess = sizes_of_clusters(self.meet.guess, self.meet.both)
        partner: dict[int, int] = {t: k for k, t in enumerate(a.truth.tolist())}
        clusters = []
        for cluster in np.flatnonzero(of_truth[1] > 0).tolist():
            guess, guess_size, agreed = None, ScoreRange(0.0, 0.0), ScoreRange(0.0, 0.0)
            if (k := partner.get(cluster, -1)) >= 0:
                g = int(a.guess[k])
                guess, guess_size = self.names[1][g], _interval(of_guess[0][g], of_guess[1][g])
                agreed = _interval(a.sure[k], a.possible[k])
            size = _interval(of_truth[0][cluster], of_truth[1][cluster])
            clusters.append(SoftCluster(self.names[0][cluster], size, guess, guess_size, agreed))
        return clusters

    @cached_property
    def summary(self) -> SoftSummary:
        """What became of objects and clusters."""
        a, weight = self.agreement, self.weight / self.meet.objects
        return SoftSummary(
            self.meet.objects,
            dict(reversed(self.objects_by_kind.items())),
            *self.meet.clusters,
            a.truth.size,
            a.one,
            _interval(float(a.belief @ weight), float(a.plausibility @ weight)),
        )

    @property
    def headline(self) -> str:
        """The distance."""
        value = self.score.value
        ends = (
            (value.low, value.high) if isinstance(value, ScoreRange) else (float(self.score),) * 2
        )
        return f"{self.measure} {span(*ends)}."

    def sentences(self) -> list[str]:
        """What became of objects and clusters, in two or three sentences."""
        s = self.summary
        lines = [
            f"{shares_of(s.outcomes, s.objects)}; agreement {degree(s.agreement)} on average.",
            f"Of {count(s.truth_clusters, 'true cluster')} and "
            f"{count(s.guess_clusters, 'guess cluster')}, {count(s.matched, 'pair')} "
            f"{'is' if s.matched == 1 else 'are'} matched one to one.",
        ]
        if not s.one_matching:
            lines.append("Other matchings of clusters are best for the ends than the one shown.")
        return lines

    def same(self) -> str:
        """The text where nothing differs."""
        return f"None of {count(self.meet.objects, 'object')} adds anything."

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """The largest true clusters and those that stand for them."""
        rows = tuple(
            (
                in_column(name_of(c.truth), width), amount(c.truth_size),
                in_column(name_of(c.guess), width), amount(c.guess_size), amount(c.agreed),
            )
            for c in self._largest(top)
        )  # fmt: skip
        headings = ("true cluster", "objects", "guess", "objects", "in both")
        return CellTable(headings, rows)

    def _largest(self, top: int | None) -> list[SoftCluster]:
        """The truth clusters that may be largest."""
        return sorted(self.clusters, key=lambda c: -c.truth_size.high)[:top]

    def facts(self, top: int | None) -> dict[str, Any]:
        """As JSON-ready values: both ends, what became of objects, and the largest clusters."""
        return {
            "low": float(self.agreement.low.sum()),
            "high": float(self.agreement.high.sum()),
            "summary": self.summary.to_dict(),
            "clusters": [
                {
                    key: [value.low, value.high] if isinstance(value, ScoreRange) else value
                    for key, value in cluster._asdict().items()
                }
                for cluster in self._largest(top)
            ],
        }


def _interval(low: float, high: float) -> ScoreRange:
    """Two ends that rounding may have crossed."""
    return ScoreRange(min(float(low), float(high)), float(high))


def _names(given: AnyClustering, side: SoftSide, position: Ints) -> list[Any]:
    """What the clusters of a side are called; `position` is where an object of each row stands."""
    if isinstance(given, Soft):
        return given.labels.tolist()
    hard = given.to_partition() if isinstance(given, Cover) else given
    assert isinstance(hard, Partition)
    example = np.zeros(side.clusters, np.int64)
    example[side.row[::-1]] = position[::-1]
    return hard.labels.take(example).tolist()


def says(masses: Sequence[Said], most: int | None = SETS) -> str:
    """The masses of an object as text, the largest first, up to so many sets."""
    shown = list(map(str, masses[:most]))
    return ", ".join([*shown, *(["…"] if len(masses) > len(shown) else [])])


def span(low: float, high: float) -> str:
    """Two ends for display, or the one number that they are."""
    return _ends(*(f"{x:.1e}" if NOTHING < x < 5e-5 else digits(x) for x in (low, high)))


def degree(interval: ScoreRange) -> str:
    """How much speaks for something, from 0 to 1."""
    return _ends(f"{interval.low:.2f}", f"{interval.high:.2f}")


def amount(interval: ScoreRange) -> str:
    """How many objects, of which not all need be whole."""
    ends = (interval.low, interval.high)
    return _ends(*(f"{x:,.0f}" if x >= 1000 else f"{x:.2f}".rstrip("0").rstrip(".") for x in ends))


def _ends(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"
