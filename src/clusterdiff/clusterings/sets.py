"""Many small sets of whole numbers, one after the other, and which of them are equal."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings.grouping import number


class Sets(NamedTuple):
    """Sets of whole numbers: the k-th is member[start[k]:start[k + 1]], in ascending order."""

    start: Ints
    member: Ints

    @property
    def number(self) -> int:
        """How many sets there are."""
        return self.start.size - 1

    @property
    def size(self) -> Ints:
        """How many members each set has."""
        return np.diff(self.start)

    @property
    def owner(self) -> Ints:
        """For each member the set it is in."""
        return np.repeat(np.arange(self.number), self.size)

    def take(self, index: Ints) -> Sets:
        """The sets at these positions."""
        size = self.size[index]
        start = np.concatenate([[0], np.cumsum(size)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], size)
        return Sets(start, self.member[np.repeat(self.start[index], size) + within])


def singles(members: Ints) -> Sets:
    """A set of its own for each of these numbers."""
    return Sets(np.arange(members.size + 1), members)


def joined(first: Sets, second: Sets) -> Sets:
    """The sets of one after those of the other."""
    start = np.concatenate([first.start, second.start[1:] + first.start[-1]])
    return Sets(start, np.concatenate([first.member, second.member]))


def sets_of_rows(owner: Ints, member: Ints, owners: int) -> tuple[Sets, int]:
    """The set of each owner 0, 1, …, and how many rows said the same again."""
    bits = int(member.max(initial=0)).bit_length()
    keys = owner << bits
    keys |= member
    if not bool((keys[1:] > keys[:-1]).all()):
        keys.sort()
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    size = np.bincount(keys >> bits, minlength=owners)
    return Sets(
        np.concatenate([[0], np.cumsum(size)]), keys & ((1 << bits) - 1)
    ), owner.size - keys.size


def number_sets(sets: Sets) -> tuple[Ints, Ints]:
    """Dense codes 0, 1, …, equal exactly when the sets are, and a set of each code.

    A set's fingerprint is the sum of a random word for each member. Each set is then compared
    with the one that stands for its code; should two different sets have met in a fingerprint,
    other words are drawn.
    """
    for salt in count(1):
        most = int(sets.member.max(initial=0))
        words = mix(np.arange(most + 1, dtype=np.uint64) + np.uint64(salt << 40))
        sums = np.zeros(sets.member.size + 1, np.uint64)
        np.cumsum(words[sets.member], out=sums[1:])
        codes, many = number((sums[sets.start[1:]] - sums[sets.start[:-1]]).view(np.int64))
        example = np.empty(many, np.int64)
        example[codes[::-1]] = np.arange(codes.size)[::-1]
        if _equal(sets, example[codes]):
            return codes, example
    raise AssertionError


def _equal(sets: Sets, other: Ints) -> bool:
    """Whether each set is equal to the one at the other position."""
    size = sets.size
    if not np.array_equal(size, size[other]):
        return False
    there = sets.member[
        np.arange(sets.member.size) + np.repeat((sets.start[other] - sets.start[:-1]), size)
    ]
    return bool(np.array_equal(sets.member, there))


PART = 1 << 14
"""Numbers that are spread at a time."""


def mix(x: Hashes) -> Hashes:
    """Spread 64 bits (the finaliser of splitmix64), a part that fits the cache at a time."""
    if x.size <= PART:
        return _mixed(x)
    mixed = np.empty_like(x)
    for begin in range(0, x.size, PART):
        mixed[begin : begin + PART] = _mixed(x[begin : begin + PART])
    return mixed


def _mixed(x: Hashes) -> Hashes:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
