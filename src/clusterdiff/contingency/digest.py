"""A fingerprint of a comparison that depends neither on order nor on names, and equality by it.

Rows start with a colour made of their count. In each round a cluster takes the colours of its
rows, and a row those of its two clusters (colour refinement).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Floats, Hashes, Ints
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency.alignment import Alignment
from clusterdiff.contingency.base import Rows, components

Around = Callable[[Hashes], Hashes]

DIGITS = 16
"""Hexadecimal digits of a digest: two comparisons share one by a chance of about 2⁻⁶⁴."""
WORK = 10**7
"""Rows that are coloured in all rounds together, where the colours do not settle before."""
LEAST = 2
"""Rounds that every comparison gets, however many rows it has."""
SETTLING = 4
"""Rounds before it is looked whether colours have settled."""
LARGE = WORK // SETTLING
"""Rows of a comparison that gets a fixed number of rounds, settled or not."""


class Identified(Rows):
    """Rows with a digest, by which they are equal to others.

    Comparisons that are the same but for the order of objects and the names of clusters always
    have equal digests. Different ones have different digests except where colour refinement cannot
    distinguish them (regular structures, such as a ring of four clusters and two rings of two), or
    by a chance of about 2⁻⁶⁴ per pair. Degrees, masses and features enter in single precision; of
    millions of rows, a row's colour says what is a few clusters away.
    """

    @property
    @abstractmethod
    def colours(self) -> Hashes:
        """A number for each row that depends on its place among the others, not on names."""

    @property
    @abstractmethod
    def repeats(self) -> Ints:
        """How often the colour of each row counts."""

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the comparison of 16 hexadecimal digits, whatever order and names."""
        return digest(self.colours, self.repeats)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identified):
            return NotImplemented
        if not isinstance(self, type(other)) and not isinstance(other, type(self)):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True, eq=False)
class TwoSided(Identified):
    """Rows of which truth and guess say something each: sets of clusters, or mass functions."""

    truth: Any
    guess: Any
    both: Ints
    alignment: Alignment = field(default_factory=Alignment)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What measures have found out about these rows, so that they find it out once."""

    @property
    def weight(self) -> Ints:
        """Objects per row."""
        return self.both

    @property
    def rows(self) -> int:
        """How many distinct pairs of descriptions there are."""
        return self.both.size

    @property
    def work(self) -> int:
        """What a round of colours costs."""
        return int(self.truth.work + self.guess.work)

    @cached_property
    def colours(self) -> Hashes:
        """A number for each row that depends on its place among the others, not on names."""
        around = step(self.truth.colours_around, self.guess.colours_around)
        return refined(mix(self.both.astype(np.uint64)), around, self.work)

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        return type(self)(self.guess, self.truth, self.both, self.alignment.swap())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "memo": {}}


def digest(colour: Hashes, times: Ints) -> str:
    """Hexadecimal digits for coloured rows; sums modulo 2⁶⁴ stand in for sorting."""
    return digits(salted_sums(colour, times))


def salted_sums(colour: Hashes, times: Ints) -> Hashes:
    """What is left of coloured rows: two sums, modulo 2⁶⁴."""
    repeats = times.astype(np.uint64)
    sums = [(mix(colour + np.uint64(salt)) * repeats).sum(dtype=np.uint64) for salt in (1, 2)]
    return np.array(sums, np.uint64)


def digits(sums: Hashes) -> str:
    """Hexadecimal digits for these sums."""
    return blake2b(sums.astype("<u8").tobytes(), digest_size=16).hexdigest()[:DIGITS]


def refined(colour: Hashes, step: Around, work: int) -> Hashes:
    """A colour for each row that depends on how it hangs together with the others, not on names.

    A step is a round, for `work` steps of work. Rounds go on until they distinguish no more rows,
    or the work is spent.
    """
    rounds = max(LEAST, WORK // max(work, 1))
    before = 0
    for done in range(rounds):
        colour = step(colour)
        if rounds > SETTLING:
            now = distinct(colour)
            if now == before and done >= SETTLING:
                break
            before = now
    return colour


def distinct(colour: Hashes) -> int:
    """How many different colours there are."""
    ordered = np.sort(colour)
    return int((ordered[1:] != ordered[:-1]).sum()) + 1


def step(of_truth: Around, of_guess: Around) -> Around:
    """A round: rows take the colours of their clusters, which the two functions give."""

    def taken(colour: Hashes) -> Hashes:
        around_truth, around_guess = of_truth(colour), of_guess(colour)
        return mix(mix(colour + around_truth) + np.uint64(3) * around_guess)

    return taken


def of_cluster(cluster: Ints, colour: Hashes) -> Hashes:
    """For each row the colours of its cluster, 0 where the cluster is missing."""
    sums = np.zeros(int(cluster.max(initial=-1)) + 2, np.uint64)
    np.add.at(sums, cluster + 1, mix(colour))
    sums[0] = 0
    return mix(sums)[cluster + 1]


def fingerprint(values: Floats) -> Hashes:
    """A hash of each row of numbers, to single precision: the order of sums does not show."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    place = mix(np.arange(1, words.shape[1] + 1, dtype=np.uint64))
    return np.asarray(mix(words + place).sum(axis=1, dtype=np.uint64))


# An order of a graph's vertices that does not depend on how the graph was given.

BACK = np.uint64(0x9E3779B97F4A7C15)
"""Distinguishes an edge from its reverse."""
CHOSEN = np.uint64(0xD1B54A32D192ED03)
"""Distinguishes a vertex that is singled out from the others of its colour."""


class Graph(NamedTuple):
    """Vertices with colours, and edges from one vertex to another with labels."""

    colour: Hashes
    first: Ints
    second: Ints
    label: Hashes

    def order(self) -> Ints:
        """The vertices in an order such that the graph is the same however it was given, as long
        as vertices that colour refinement cannot distinguish are symmetric.

        In each component one vertex of those that look alike is singled out and colours are refined
        again, until all differ: of symmetric vertices it does not matter which. Where that takes
        too much work, those that still look alike stay as they were given.
        """
        component = components(self.first, self.second, self.colour.size)
        place = np.arange(self.colour.size)
        left = WORK
        colour, spent = self._settled(self.colour)
        while (left := left - spent) > 0:
            colour = self._without_twins(colour)
            key = mix(mix(component.astype(np.uint64)) + colour)
            _, code, many = np.unique(key, return_inverse=True, return_counts=True)
            alike = np.flatnonzero(many[code] > 1)
            if not alike.size:
                break
            # The first by component, then by colour: the same colour wherever a component is alike.
            by = alike[np.lexsort((place[alike], colour[alike], component[alike]))]
            chosen = by[np.flatnonzero(np.diff(component[by], prepend=-1))]
            colour = colour.copy()
            colour[chosen] = mix(colour[chosen] + CHOSEN)
            colour, spent = self._settled(colour)
        words = np.zeros(int(component.max(initial=-1)) + 1, np.uint64)
        np.add.at(words, component, mix(colour))
        return np.lexsort((place, component, words[component], colour))

    def _around(self, words: Hashes) -> Hashes:
        """For each vertex the sum of a word for each neighbour and the edge to it."""
        sums = np.zeros(self.colour.size, np.uint64)
        np.add.at(sums, self.first, mix(words[self.second] + self.label))
        np.add.at(sums, self.second, mix(words[self.first] + self.label + BACK))
        return sums

    def _settled(self, colour: Hashes) -> tuple[Hashes, int]:
        """Colours refined until no more vertices are distinguished, and the edges looked at."""
        work, before, now = 0, 0, distinct(colour)
        while now != before and work < WORK:
            colour = mix(mix(colour) + self._around(colour))
            work += self.first.size + colour.size
            before, now = now, distinct(colour)
        return colour, work

    def _without_twins(self, colour: Hashes) -> Hashes:
        """Different colours for vertices of one colour with the same neighbours: all of them can
        change places, so that it does not matter which gets which.
        """
        around = self._around(mix(np.arange(1, colour.size + 1, dtype=np.uint64)))
        key = mix(colour + mix(around))
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        rank = np.empty(colour.size, np.uint64)
        rank[order] = np.arange(colour.size) - np.repeat(starts, np.diff([*starts, colour.size]))
        return mix(colour + mix(rank))
