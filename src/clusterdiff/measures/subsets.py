"""The objects around each object, counted through subsets: no pair is visited.

Let N(A, B) be the number of objects that are in all guess clusters of A and all truth clusters of
B. For an object with guess clusters G and truth clusters T, the N(A, B) of all A ⊆ G and B ⊆ T
determine how many objects share exactly the guess clusters S' and the truth clusters S with it:
inclusion and exclusion, one cluster at a time. An object in few clusters has few such subsets, so
all of this costs one grouping of (A, B), however large the clusters are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.clusterings.group import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clusterdiff.meet import CoverMeet, Side

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

CELLS = 1 << 21
"""Subsets that are worked on at a time."""


class Block(NamedTuple):
    """Rows whose objects are in equally many guess and equally many truth clusters."""

    rows: Ints
    guess: Ints
    """The guess clusters of each row, rows x memberships."""
    truth: Ints
    """The same for truth."""
    exactly: Floats
    """Objects that share just these clusters, rows x subsets of guess x subsets of truth.

    Subset number 5 = 101 in binary holds the first and the third cluster.
    """


def blocks(m: CoverMeet, rows: Ints) -> Iterator[Block]:
    """What the objects of these rows share with each other, block by block."""
    if not rows.size:
        return
    guess, truth = _subsets(m, m.guess, rows), _subsets(m, m.truth, rows)
    sizes = m.guess.memberships[rows] * 64 + m.truth.memberships[rows]
    groups = [rows[sizes == size] for size in np.unique(sizes)]
    pairs = [_pairs(m, group, guess, truth) for group in groups]
    codes, many = number(np.concatenate([p.ravel() for p in pairs]))
    weight = np.concatenate(
        [np.repeat(m.both[g], p[0].size) for g, p in zip(groups, pairs, strict=True)]
    )
    count = np.bincount(codes, weight, many)
    del weight
    at = 0
    for group, pair in zip(groups, pairs, strict=True):
        g, t = m.guess.memberships[group[0]], m.truth.memberships[group[0]]
        step = max(1, CELLS >> int(g + t))
        for begin in range(0, group.size, step):
            part = group[begin : begin + step]
            cells = pair[begin : begin + step]
            exactly = np.zeros((part.size, 1 << g, 1 << t))
            exactly[:, 1:, 1:] = count[codes[at : at + cells.size]].reshape(cells.shape)
            at += cells.size
            exactly[:, 1:, 0] = guess.count[guess.of_rows(m.guess, part)][:, 1:]
            exactly[:, 0, 1:] = truth.count[truth.of_rows(m.truth, part)][:, 1:]
            _exclude(exactly, int(g + t))
            yield Block(part, _clusters(m.guess, part), _clusters(m.truth, part), exactly)


class _Numbered(NamedTuple):
    """The subsets of the sets of one side, numbered alike where they are equal."""

    at: Ints
    """Where the subsets of each set begin in `number`."""
    number: Ints
    count: Floats  # type: ignore[assignment]
    """How many objects are in all clusters of a subset."""

    def of_rows(self, side: Side, rows: Ints) -> Ints:
        """Numbers of the subsets of rows with equally many memberships, rows x subsets."""
        width = 1 << int(side.memberships[rows[0]])
        return self.number[self.at[_set_of(side, rows)][:, None] + np.arange(width)]


def _set_of(side: Side, rows: Ints) -> Ints:
    """The set of each row, the one behind the last for objects that the side lacks."""
    return np.where(side.row[rows] < 0, side.sets.number, side.row[rows])


def _clusters(side: Side, rows: Ints) -> Ints:
    """The clusters of rows with equally many memberships, rows x memberships."""
    each = side.each
    return each.member[each.start[rows][:, None] + np.arange(side.memberships[rows[0]])]


def _subsets(m: CoverMeet, side: Side, rows: Ints) -> _Numbered:
    """All subsets of the sets of these rows: a subset is one with a cluster less, and the last."""
    sets = np.unique(_set_of(side, rows))
    size = np.append(side.sets.size, 0)
    at = np.full(side.sets.number + 1, -1)
    at[sets] = np.concatenate([[0], np.cumsum(1 << size[sets])[:-1]])
    found = np.zeros(int((1 << size[sets]).sum()), np.int64)
    many = 1
    for level in range(1, int(size[sets].max(initial=0)) + 1):
        where, keys = [], []
        for k in np.unique(size[sets]).tolist():
            masks = np.array([a for a in range(1 << k) if a.bit_count() == level], np.int64)
            if not masks.size:
                continue
            last = np.array([int(a).bit_length() - 1 for a in masks])
            these = sets[size[sets] == k]
            members = side.sets.member[side.sets.start[these][:, None] + last]
            where.append((at[these][:, None] + masks).ravel())
            before = found[(at[these][:, None] + (masks - (1 << last)))]
            keys.append((before * (side.clusters + 1) + members).ravel())
        codes, new = number(np.concatenate(keys))
        found[np.concatenate(where)] = codes + many
        many += new
    objects = np.bincount(_set_of(side, rows), m.both[rows], side.sets.number + 1)[sets]
    count = np.bincount(found, np.repeat(objects, 1 << size[sets]), many)
    return _Numbered(at, found, count)


def _pairs(m: CoverMeet, rows: Ints, guess: _Numbered, truth: _Numbered) -> Ints:
    """A key for each pair of a non-empty guess and a non-empty truth subset of each row."""
    first = guess.of_rows(m.guess, rows)[:, 1:]
    second = truth.of_rows(m.truth, rows)[:, 1:]
    return first[:, :, None] * truth.count.size + second[:, None, :]


def _exclude(table: Floats, bits: int) -> None:
    """From "at least these" to "exactly these", in place."""
    flat = table.reshape(table.shape[0], -1)
    for bit in range(bits):
        halves = flat.reshape(table.shape[0], -1, 2, 1 << bit)
        halves[:, :, 0] -= halves[:, :, 1]


def by_members(clusters: int) -> Floats:
    """Subsets x numbers of members: 1 where the subset has so many members."""
    table = np.zeros((1 << clusters, clusters + 1))
    table[np.arange(1 << clusters), members(clusters)] = 1
    return table


def members(clusters: int) -> Ints:
    """How many members each subset has."""
    return np.array([a.bit_count() for a in range(1 << clusters)], np.int64)


def over_subsets(each: NDArray[np.int64], combine: Callable[..., NDArray[np.int64]]) -> Ints:
    """From a value for each cluster (last axis) to one for each subset: sums, or maxima.

    >>> over_subsets(np.array([[1, 2]]), np.add).tolist()
    [[0, 1, 2, 3]]
    """
    found = np.zeros((*each.shape[:-1], 1 << each.shape[-1]), np.int64)
    for bit in range(each.shape[-1]):
        below = found[..., : 1 << bit]
        found[..., 1 << bit : 2 << bit] = combine(below, each[..., bit, None])
    return found
