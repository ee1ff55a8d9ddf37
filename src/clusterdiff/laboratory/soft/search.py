"""Searches for the smallest uncertain clusterings of which something is not true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.laboratory.conditions.distance import CLOSE
from clusterdiff.laboratory.soft.clusterings import Kind, Vague
from clusterdiff.laboratory.soft.spaces import drawn_at_random, pairs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

UNCERTAIN: tuple[Kind, ...] = ("rough", "fuzzy", "possibilistic", "evidential")
Case = tuple[Vague, ...]


class Stage(NamedTuple):
    """Cases that are tried together, and what they are."""

    what: str
    cases: Callable[[], Iterable[Case]]


class Result(NamedTuple):
    """The smallest case with a gap, if there is one, and what was tried to find it."""

    case: Case | None
    tried: int
    scope: str

    @property
    def objects(self) -> int:
        """How many objects the case has."""
        return self.case[0].objects if self.case else 0

    @property
    def drawn(self) -> str:
        """The clusterings of the case."""
        return "  and  ".join(map(str, self.case or ()))


def smallest(stages: Sequence[Stage], gap: Callable[..., float]) -> Result:
    """The smallest case whose gap is above 0; of equally small ones that with the widest gap.

    Stage after stage, up to the first one with such a case.
    """
    tried, scopes = 0, []
    for stage in stages:
        found = [(case, gap(*case)) for case in stage.cases()]
        tried += len(found)
        scopes.append(f"{stage.what} ({len(found):,})")
        against = [(case, wide) for case, wide in found if wide > CLOSE]
        if against:
            case, _ = min(against, key=lambda entry: _order(*entry))
            return Result(case, tried, "; ".join(scopes))
    return Result(None, tried, "; ".join(scopes))


def _order(case: Case, gap: float) -> tuple[object, ...]:
    size = tuple(map(max, zip(*(one.size for one in case), strict=True)))
    return size, -round(gap, 9), sum(one.vagueness for one in case)


def each_of(what: str, members: Sequence[Vague]) -> Stage:
    """One clustering after the other."""
    return Stage(what, lambda: ((one,) for one in members))


def pairs(what: str, left: Sequence[Vague], right: Sequence[Vague] | None = None) -> Stage:
    """All pairs of a space, or of two."""
    return Stage(f"all pairs of {what}", lambda: pairs_of(left, left if right is None else right))


def random_pairs(
    seed: int,
    many: int,
    objects: int,
    clusters: int,
    left: Sequence[Kind] = UNCERTAIN,
    right: Sequence[Kind] = UNCERTAIN,
    *,
    parts: int = 12,
    empty: bool = False,
) -> Stage:
    """Random pairs of clusterings of some kinds."""

    def cases() -> Iterator[Case]:
        random = Random(seed)
        for _ in range(many):
            yield tuple(
                drawn_at_random(random.choice(kinds), random, objects, clusters, parts, empty=empty)
                for kinds in (left, right)
            )

    with_empty = ", some objects perhaps in no cluster" if empty else ""
    told = " against ".join(dict.fromkeys(_told(kinds) for kinds in (left, right)))
    what = f"random pairs, {told}, of {objects} objects and {clusters} clusters{with_empty}"
    return Stage(what, cases)


def _told(kinds: Sequence[Kind]) -> str:
    return "all kinds" if kinds == UNCERTAIN else " or ".join(kinds)


def carried(left: Ints, right: Ints, cost: Ints) -> Ints:
    """The least cost of carrying each row of one table to each row of the other.

    A row names the place of each of its equal parts, and cost is a table of places, so that all
    ways to pair parts are all that there is to try: exact where the costs are whole numbers.
    """
    best: Ints | None = None
    for order in permutations(range(left.shape[1])):
        total = np.zeros((len(left), len(right)), np.int64)
        for at, to in enumerate(order):
            total += cost[np.ix_(left[:, at], right[:, to])]
        best = total if best is None else np.minimum(best, total)
    assert best is not None
    return best
