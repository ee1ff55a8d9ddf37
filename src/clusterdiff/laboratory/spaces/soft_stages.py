"""Stages of soft clusterings, exhaustive and at random, and the smallest with a gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from clusterdiff.laboratory.search.distances import CLOSE
from clusterdiff.laboratory.search.engine import FAILS, HOLDS, Judgement, Result, Stage, search
from clusterdiff.laboratory.spaces.soft import drawn_at_random, pairs_of
from clusterdiff.laboratory.spaces.soft_clusterings import ExactSoft, Kind

UNCERTAIN: tuple[Kind, ...] = ("rough", "fuzzy", "possibilistic", "evidential")
Case = tuple[ExactSoft, ...]


def smallest(stages: Sequence[Stage[Case]], gap: Callable[..., float]) -> Result[Case]:
    """The smallest case whose gap is above 0; of equally small ones that with the widest gap."""

    def judge(case: Case) -> Judgement:
        if (wide := gap(*case)) <= CLOSE:
            return Judgement(HOLDS)
        size = tuple(map(max, zip(*(one.size for one in case), strict=True)))
        return Judgement(FAILS, rank=(size, -round(wide, 9), sum(one.ambiguity for one in case)))

    return search(stages, judge)


def each_of(what: str, members: Sequence[ExactSoft]) -> Stage[Case]:
    """One clustering after the other."""
    return Stage(what, lambda: ((one,) for one in members))


def pairs(
    what: str, left: Sequence[ExactSoft], right: Sequence[ExactSoft] | None = None
) -> Stage[Case]:
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
) -> Stage[Case]:
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
