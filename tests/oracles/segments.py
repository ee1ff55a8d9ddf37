"""Constrained hierarchical clustering from its definition: every pair looked at, every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

Matrix = Sequence[Sequence[int]]


class Node(NamedTuple):
    """A stretch of pages; what it was joined from, and how far apart that was."""

    pages: tuple[int, ...]
    distance: Fraction = Fraction(0)
    parts: tuple[Node, ...] = ()

    def merges(self) -> Iterator[Node]:
        """All joins in it, itself included."""
        if self.parts:
            yield self
        for part in self.parts:
            yield from part.merges()


def apart(distance: Matrix, left: Node, right: Node, linkage: str) -> Fraction:
    """The distance of two stretches, from those of all pairs of their pages."""
    pairs = [Fraction(distance[i][j]) for i in left.pages for j in right.pages]
    if linkage == "average":
        return sum(pairs, Fraction(0)) / len(pairs)
    return min(pairs) if linkage == "single" else max(pairs)


def tree(distance: Matrix, linkage: str) -> Node:
    """The nearest neighbours joined, the first of several, until all are one."""
    row = [Node((page,)) for page in range(len(distance))]
    while len(row) > 1:
        gaps = [apart(distance, *pair, linkage) for pair in pairwise(row)]
        i = gaps.index(min(gaps))
        row[i : i + 2] = [Node(row[i].pages + row[i + 1].pages, gaps[i], tuple(row[i : i + 2]))]
    return row[0]


def is_kept(node: Node, root: Node, reading: str, coefficient: Fraction) -> bool:
    """Whether a join is at most so many times the mean of those it is held against."""
    below = [one.distance for part in node.parts for one in part.merges()]
    if reading == "itself":
        below.append(node.distance)
    if reading == "lower":
        below = [one.distance for one in root.merges() if one.distance < node.distance]
    return not below or node.distance <= coefficient * sum(below, Fraction(0)) / len(below)


def segments(
    distance: Matrix, linkage: str, reading: str, coefficient: Fraction = Fraction(3, 2)
) -> list[tuple[int, ...]]:
    """The largest stretches in which every join is kept."""
    root = tree(distance, linkage)

    def cut(node: Node) -> list[tuple[int, ...]]:
        if all(is_kept(one, root, reading, coefficient) for one in node.merges()):
            return [node.pages]
        return [stretch for part in node.parts for stretch in cut(part)]

    return cut(root)


def cosine_distance(one: str, other: str) -> float:
    """One minus the cosine of how often 2- and 3-grams occur; two empty pages are alike."""
    first, second = grams(one), grams(other)
    if not first or not second:
        return float(bool(first or second))
    dot = sum(count * second[gram] for gram, count in first.items())
    squares = [sum(count**2 for count in of.values()) for of in (first, second)]
    return 1 - dot / sqrt(squares[0] * squares[1])


def grams(text: str) -> Counter[str]:
    """How often each two and three characters in a row occur."""
    return Counter(text[i : i + n] for n in (2, 3) for i in range(len(text) - n + 1))
