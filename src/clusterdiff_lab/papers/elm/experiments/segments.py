"""Neighbouring pages joined if they read alike: constrained hierarchical clustering.

Clusters are stretches of pages. Pages are vectors of the frequencies of their character 2- and
3-grams, their distance is one minus the cosine. The two neighbouring stretches that are nearest are
joined, again and again; then the dendrogram is cut where a merge is out of proportion to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError

Linkage = Literal["average", "single", "complete"]
"""The distance of two stretches: the mean, least or largest of all pairs of their pages."""
Reading = Literal["below", "itself", "lower"]
"""What a merge is held against: the mean distance of all merges below it in the dendrogram; of
these and itself; or of all merges of the stream whose distance is lower, wherever they are.
"""
COEFFICIENT = 1.5
"""What the paper found to work best."""
CLOSE = 1e-12
MOST = 10_000
"""Pages of a stream: each is held against each, which takes 8 bytes a pair."""
BLOCK = 512
"""Pages that are held against all others at a time."""
CHARACTERS = 21
"""Bits that number a character."""


def segments(
    texts: Sequence[str], linkage: Linkage = "average", reading: Reading = "below"
) -> Ints:
    """The cluster of each page of a stream.

    >>> segments(["to be or not to be", "be or not to be", "12345", "23456"]).tolist()
    [1, 1, 2, 2]
    """
    return clusters(dendrogram(distances(texts), linkage), reading)


def distances(texts: Sequence[str]) -> Floats:
    """One minus the cosine of any two pages; pages without a 2-gram are like each other alone."""
    from scipy.sparse import csr_array

    if len(texts) > MOST:
        raise ClusterdiffError(
            f"a stream has {len(texts):,} pages, and more than {MOST:,} cannot be held each "
            "against each.",
            "cut it into several streams.",
        )
    page, gram = _grams(texts)
    _, code = np.unique(gram, return_inverse=True)
    shape = (len(texts), int(code.max(initial=0)) + 1)
    counts = csr_array((np.ones(page.size), (page, code.ravel())), shape=shape)
    counts.sum_duplicates()
    turned, found = counts.T.tocsr(), np.empty((len(texts), len(texts)))
    for begin in range(0, len(texts), BLOCK):
        block = slice(begin, begin + BLOCK)
        found[block] = (counts[block] @ turned).toarray()
    square = found.diagonal().copy()
    empty = square == 0
    square[empty] = 1.0
    found[np.ix_(empty, empty)] = 1.0
    found /= np.sqrt(np.outer(square, square))
    return np.maximum(1.0 - found, 0.0)


def _grams(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """All 2- and 3-grams as numbers, each with the page that it is on."""
    pages, grams = [], []
    for number, text in enumerate(texts):
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) + np.int64(1)
        two = letters[:-1] << CHARACTERS | letters[1:]
        three = two[:-1] << CHARACTERS | letters[2:]
        grams += [two, three]
        pages.append(np.full(two.size + three.size, number))
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *pages]), np.concatenate([none, *grams])


JOINED = {"average": np.add, "single": np.minimum, "complete": np.maximum}


def dendrogram(distance: Floats, linkage: Linkage = "average") -> Floats:
    """All merges as SciPy writes them: both parts, their distance, and how many pages they hold.

    >>> dendrogram(np.array([[0, 2, 5], [2, 0, 1], [5, 1, 0]])).tolist()
    [[1.0, 2.0, 1.0, 2.0], [0.0, 3.0, 3.5, 3.0]]
    """
    pages = len(distance)
    joined, mean = JOINED[linkage], linkage == "average"
    between = np.array(distance, np.float64)
    size, node = [1] * pages, list(range(pages))
    before, after = list(range(-1, pages - 1)), [*range(1, pages), -1]
    gap = np.append(between.diagonal(1), np.inf)
    merges = np.empty((max(pages - 1, 0), 4))

    def renewed(left: int, right: int) -> None:
        if left >= 0:
            pairs = size[left] * size[right] if mean and right >= 0 else 1
            gap[left] = between[left, right] / pairs if right >= 0 else np.inf

    for step in range(len(merges)):
        left = int(gap.argmin())
        right = after[left]
        merges[step, :2] = sorted((node[left], node[right]))
        merges[step, 2] = gap[left]
        size[left] += size[right]
        merges[step, 3] = size[left]
        node[left] = pages + step
        joined(between[left], between[right], out=between[left])
        between[:, left] = between[left]
        gap[right] = np.inf
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        renewed(left, after[left])
        renewed(before[left], left)
    return merges


def clusters(merges: Floats, reading: Reading = "below", coefficient: float = COEFFICIENT) -> Ints:
    """The largest subtrees in which no merge is more than so many times what it is held against."""
    from scipy.cluster.hierarchy import fcluster

    if not len(merges):
        return np.ones(1, np.int64)
    statistics = np.zeros((len(merges), 4))
    statistics[:, 3] = proportions(merges, reading)
    found = fcluster(merges, coefficient + CLOSE, "inconsistent", R=statistics)
    return np.asarray(found, np.int64)


def proportions(merges: Floats, reading: Reading = "below") -> Floats:
    """The distance of each merge over the mean it is held against; 1 where that is of none."""
    distance = merges[:, 2]
    total, many = _lower(distance) if reading == "lower" else _below(merges)
    if reading == "itself":
        total, many = total + distance, many + 1
    mean = total / np.maximum(many, 1)
    over = np.where(distance > 0, np.inf, 1.0)
    np.divide(distance, mean, out=over, where=mean > 0)
    return np.where(many == 0, 1.0, over)


def _below(merges: Floats) -> tuple[Floats, Floats]:
    """The sum of the distances below each merge, and how many there are."""
    pages = len(merges) + 1
    below, many = np.zeros((2, len(merges)))
    for step, parts in enumerate(merges[:, :2].astype(np.int64).tolist()):
        for inner in (part - pages for part in parts if part >= pages):
            below[step] += below[inner] + merges[inner, 2]
            many[step] += many[inner] + 1
    return below, many


def _lower(distance: Floats) -> tuple[Floats, Floats]:
    """The sum of all distances that are lower, and how many there are."""
    ordered = np.sort(distance)
    many = np.searchsorted(ordered, distance)
    return np.concatenate([[0.0], np.cumsum(ordered)])[many], many.astype(np.float64)
