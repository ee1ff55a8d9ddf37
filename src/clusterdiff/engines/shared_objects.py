"""Several clusterings in memory on the same objects: each object has one number on all sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.clusterings.grouping import group_sums, number, pair_keys
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.memory import (
    Positions,
    alone,
    noisy_sets,
    numbered_clusters,
    numbered_together,
)
from clusterdiff.engines.samples import ranks, sampled_like


class Cells(NamedTuple):
    """Objects and the clusters of all sides that they are in."""

    clusters: list[Ints]
    """For each side the number of the cluster of every object, -1 where it is missing."""
    count: Ints  # type: ignore[assignment]
    """How often each counts."""
    place: Ints
    """Where each stands among the objects that are kept."""


@dataclass(frozen=True, eq=False)
class Together:
    """Truth and its guesses; objects of different sides have the same number if they are one."""

    sides: list[AnyClustering]
    """Truth first."""
    plan: AlignmentPlan
    code: list[Ints]
    """The number of each object of each side."""
    sample: Ints
    """The sample of the object of each number, by its place among the names; 0 without samples."""
    names: list[str]
    """What the samples are called; nothing where there are none."""

    @classmethod
    def of(cls, given: Sequence[AnyClustering], policy: Policy) -> Together:
        """Sides that have been compared, each guess with truth, so that their ids fit."""
        sides = all_sampled(list(given))
        samples = [s.samples for s in sides if s.samples is not None]
        place, names = [np.zeros(len(s), np.int64) for s in sides], []
        if samples:
            place, called = numbered_together(samples)
            names = list(map(str, called.tolist()))
        known = [s.ids for s in sides if s.ids is not None]
        own = numbered_together(known)[0] if known else list(map(ranks, place))
        width = 1 + max((int(ids.max(initial=0)) for ids in own), default=0)
        keys = np.concatenate([s * width + i for s, i in zip(place, own, strict=True)])
        codes, many = number(keys)
        sample = np.zeros(many, np.int64)
        sample[codes] = np.concatenate(place)
        edges = np.cumsum([len(s) for s in sides])[:-1]
        return cls(list(given), plan_of(policy), np.split(codes, edges), sample, names)

    @cached_property
    def count(self) -> Ints:
        """How many objects each number stands for."""
        made = np.ones(self.sample.size, np.int64)
        for side, code in zip(self.sides, self.code, strict=True):
            if side.counts is not None:
                made[code] = side.counts
        return made

    def _amount(self, some: Bools) -> int:
        return int(self.count[some].sum())

    @cached_property
    def has(self) -> list[Bools]:
        """For each side which objects it has."""
        return [self._marked(code) for code in self.code]

    @cached_property
    def noise(self) -> list[Bools]:
        """For each side which objects are left out because it calls them noise."""
        sides = zip(self.sides, self.code, strict=True)
        if self.plan.noise is not Fate.DROPPED:
            return [self._marked(code[:0]) for code in self.code]
        return [self._marked(code[_noise(side, self.plan.policy)]) for side, code in sides]

    @cached_property
    def kept(self) -> Bools:
        """The objects that all are judged on; which of them a side has is another question."""
        kept = ~np.logical_or.reduce(self.noise)
        if not self.plan.one_sided:
            kept &= np.logical_and.reduce(self.has)
        return np.asarray(kept)

    @cached_property
    def empty(self) -> tuple[str, ...]:
        """The samples of which nothing is kept."""
        left = np.bincount(self.sample[self.kept], minlength=len(self.names))
        return tuple(sorted(name for name, n in zip(self.names, left, strict=False) if not n))

    def any(self) -> bool:
        """Whether anything is kept."""
        return bool(self.kept.any())

    def restricted(self) -> list[AnyClustering]:
        """The sides with the objects that are kept; without ids, these are their positions in
        truth.
        """
        where = np.full(self.sample.size, -1)
        where[self.code[0]] = np.arange(self.code[0].size)
        made = []
        for side, code in zip(self.sides, self.code, strict=True):
            some = np.flatnonzero(self.kept[code])
            taken = side.take(some)
            if side.ids is None:
                taken.ids = column(where[code[some]])
            made.append(taken)
        return made

    def positions(self) -> Ints:
        """Where the objects of truth that are kept stand there."""
        return np.flatnonzero(self.kept[self.code[0]])

    def beyond(self, guess: int) -> dict[str, int]:
        """How many objects neither truth nor a guess has and another one does, by sample."""
        if self.plan.lacked is not Fate.ALONE:
            return {}
        alone = self.kept & ~self.has[0] & ~self.has[guess]
        counts = group_sums(self.sample[alone], self.count[alone], 1)
        return {self.names[s] if self.names else "": n for s, n in enumerate(counts.tolist()) if n}

    def lost(self, guess: int, unless: int | None = None) -> int:
        """How many objects in clusters of truth are left out because of a guess; of those only that
        are not because of another one, if one is named.
        """
        gone = self._asked & self._leaves_out(guess)
        return self._amount(gone if unless is None else gone & ~self._leaves_out(unless))

    def asked(self) -> int:
        """How many objects truth has in clusters."""
        return self._amount(self._asked)

    @property
    def _asked(self) -> Bools:
        return np.asarray(self.has[0] & ~self.noise[0])

    def _leaves_out(self, guess: int) -> Bools:
        """Which objects are left out because a guess lacks them, or calls them noise."""
        lacks = ~self.has[guess] if self.plan.lacked is Fate.DROPPED else False
        return np.asarray(self.noise[guess] | lacks)

    def cells(self) -> Cells:
        """The clusters of every object that is kept; copies of one that is alone on some side are
        taken apart. All sides are partitions.
        """
        kept = np.flatnonzero(self.kept)
        counted = any(side.counts is not None for side in self.sides)
        place, count, apart = np.arange(kept.size), self.count[kept], np.zeros(kept.size, np.bool_)
        made, lonely = [], []
        for i, (side, code) in enumerate(zip(self.sides, self.code, strict=True)):
            assert isinstance(side, Partition)
            where = np.full(self.sample.size, -1)
            where[code] = np.arange(code.size)
            name = "guess" if i else "truth"
            found, noise = numbered_clusters(name, side, where[kept], self.plan)
            keys = pair_keys(self.sample[kept], found) if self.names else found
            made.append(np.where(found < 0, -1, keys))
            lonely.append(counted and alone(where[kept], noise, self.plan))
            apart |= lonely[-1]
        if apart.any() and (count[apart] > 1).any():
            positions = Positions(place, place, 0, 0, count).one_by_one(apart)
            assert positions.count is not None
            place, count = positions.in_truth, positions.count
            for i, lone in enumerate(lonely):
                made[i] = made[i][place]
                own = np.flatnonzero(np.asarray(lone)[place])
                made[i][own] = int(made[i].max()) + 1 + np.arange(own.size)
        return Cells(made, count, place)

    def _marked(self, code: Ints) -> Bools:
        marks = np.zeros(self.sample.size, np.bool_)
        marks[code] = True
        return marks


def all_sampled(sides: list[AnyClustering]) -> list[AnyClustering]:
    """All with samples, where one of them names them."""
    known = [side for side in sides if side.samples is not None]
    if not known:
        return sides
    truth = sides[0] if sides[0].samples is not None else sampled_like(known[0], sides[0])
    rest = (s if s.samples is not None else sampled_like(truth, s) for s in sides[1:])
    return [truth, *rest]


def _noise(side: AnyClustering, policy: Policy) -> Bools:
    """Which objects of a side have a label that means noise."""
    if isinstance(side, Cover):
        return noisy_sets(side, policy)[side.code]
    if isinstance(side, Partition):
        return policy.means_noise(side.labels)
    return np.zeros(len(side), np.bool_)
