"""The contingency table of two runs over time: which clusters share how many objects, and how
large each of them is, objects of one run alone included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.encode.group import group_pairs


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Clusters of the old run are numbered in the order of their ids, those of the new run in the
    order of the smallest object that each has: nothing depends on the labels of the new run, or on
    the order in which objects come. Rows come in any order.
    """

    old: Ints
    """For each row the old cluster."""
    new: Ints
    shared: Ints
    """Objects in both of them."""
    old_size: Ints
    """Objects of each old cluster, with those that the new run lacks."""
    new_size: Ints
    weight: Ints | None = None
    """What the objects of each row count together, in units of `1 / scale`."""
    scale: int = 1

    @classmethod
    def of_objects(cls, old: Ints, new: Ints, sizes: tuple[Ints, Ints]) -> Overlaps:
        """Of the cluster of each shared object on both sides, and the sizes of all clusters."""
        found = group_pairs(old, new)
        return cls(found.first, found.second, found.count, *sizes).in_order()

    def ranked(self, rank: Ints) -> Overlaps:
        """The same with old clusters numbered by their places in an order."""
        size = np.empty_like(self.old_size)
        size[rank] = self.old_size
        return replace(self, old=rank[self.old], old_size=size)

    def without(self, gone: Bools) -> Overlaps:
        """The same without some old clusters."""
        rows, place = np.flatnonzero(~gone[self.old]), np.cumsum(~gone) - 1
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self, old=place[self.old[rows]], new=self.new[rows], shared=self.shared[rows],
            old_size=self.old_size[~gone], weight=weight,
        )  # fmt: skip

    def in_order(self) -> Overlaps:
        """The same with rows in the order of (old, new)."""
        order: Ints = np.argsort(self.old * max(self.new_size.size, 1) + self.new)
        weight = None if self.weight is None else self.weight[order]
        old, new, shared = self.old[order], self.new[order], self.shared[order]
        return replace(self, old=old, new=new, shared=shared, weight=weight)

    @property
    def objects(self) -> int:
        """How many objects both runs have."""
        return int(self.shared.sum())

    @cached_property
    def old_shared(self) -> Ints:
        """Objects of each old cluster that the new run has too."""
        return sums(self.old, self.shared, self.old_size.size)

    @cached_property
    def new_shared(self) -> Ints:
        """Objects of each new cluster that the old run has too."""
        return sums(self.new, self.shared, self.new_size.size)

    @cached_property
    def thousandths(self) -> Ints:
        """The Jaccard index of the two clusters of each row, in whole thousandths."""
        return self.thousandths_of(np.arange(self.shared.size))

    def thousandths_of(self, rows: Ints) -> Ints:
        """The same of some rows."""
        shared = self.shared[rows]
        either = self.old_size[self.old[rows]] + self.new_size[self.new[rows]] - shared
        return 1000 * shared // either

    @cached_property
    def alike(self) -> tuple[Ints, Ints]:
        """For each row the part and the whole of |A ∩ B| / max(|A|, |B|), over shared objects."""
        return self.shared, np.maximum(self.old_shared[self.old], self.new_shared[self.new])


def sums(group: Ints, amount: Ints, groups: int) -> Ints:
    """The sum of the amounts of each group, in whole numbers."""
    made = np.zeros(groups, np.int64)
    np.add.at(made, group, amount)
    return made
