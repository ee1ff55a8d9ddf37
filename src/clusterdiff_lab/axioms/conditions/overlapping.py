"""The conditions for clusterings that overlap: the truth a partition, or nested clusters too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from random import Random

from clusterdiff.testing.claims import Family
from clusterdiff_lab.axioms.condition import Order, Rule, Space
from clusterdiff_lab.axioms.conditions.perfect_match import below_best, gets_best, gets_less
from clusterdiff_lab.axioms.covers import (
    MOST,
    Overlap,
    against_partitions,
    changed_covers,
    cover_pairs,
    family,
    multiset_pairs,
    pairs_up_to_renaming,
    random_covers,
)


def _purer(worse: Overlap) -> Iterator[Overlap]:
    """A cluster with objects of two true clusters is split; clusters that coincide are one."""
    for mixed in worse.guess:
        rest = [c for c in worse.guess if c != mixed]
        pairs = ({one & mixed, two & mixed} for one, two in combinations(worse.truth, 2))
        for one, two in {tuple(sorted(pair)) for pair in pairs if len(pair) == 2}:
            if one and two and one ^ two == mixed:
                yield Overlap(worse.count, worse.truth, family(*{*rest, one, two}))


def _fuller(worse: Overlap) -> Iterator[Overlap]:
    """Two clusters within one true cluster are joined; a cluster may then be there twice."""
    for one, two in combinations(worse.guess, 2):
        union = one | two
        if any(union & c == union for c in worse.truth):
            rest = [c for c in worse.guess if c not in (one, two)]
            yield Overlap(worse.count, worse.truth, family(*rest, union))


def _ragged(worse: Overlap) -> Iterator[Overlap]:
    """A stray object goes from a pair to two objects of two other true clusters."""
    for clean in worse.guess:
        for noise in worse.guess:
            if clean & noise or clean.bit_count() != 3 or noise.bit_count() != 2:
                continue
            kinds = [c for c in worse.truth if c & clean]
            if len(kinds) != 2 or any((c & noise).bit_count() > 1 for c in worse.truth):
                continue
            if any(c & noise for c in kinds):
                continue
            stray = next(clean & c for c in kinds if (clean & c).bit_count() == 1)
            rest = list(worse.guess)
            rest.remove(clean)
            rest.remove(noise)
            yield Overlap(worse.count, worse.truth, family(*rest, clean ^ stray, noise | stray))


def _bags(most: int) -> Iterator[Overlap]:
    """Two of a kind with a stray one, two others, and a third cluster over some of them."""
    for n in range(5, most + 1):
        for more in range(1, 1 << n):
            clusters = [0b111, 0b11000, more, *(1 << x for x in range(5, n) if not more >> x & 1)]
            truth = family(0b11, *(1 << x for x in range(2, n)))
            yield Overlap(n, truth, family(*clusters))


def _larger_bag(random: Random) -> Overlap:
    """Such a case with one to three clusters more, of five to eight objects."""
    n = random.randint(5, 8)
    more = [_some(random, n) for _ in range(random.randint(1, 3))]
    covered = 0b11111
    for cluster in more:
        covered |= cluster
    alone = [1 << x for x in range(n) if not covered >> x & 1]
    truth: Family = family(0b11, *(1 << x for x in range(2, n)))
    return Overlap(n, truth, family(0b111, 0b11000, *more, *alone))


def _some(random: Random, n: int) -> int:
    return sum(1 << x for x in random.sample(range(n), random.randint(1, 3)))


_space = partial(Space, "cover", near=changed_covers, top=MOST)
_PAIRS = _space("all pairs of covers of up to {} objects", cover_pairs, 3, random_covers, 3)
_NESTED = _space(
    "all pairs of covers of up to {} objects up to renaming",
    pairs_up_to_renaming,
    3,
    random_covers,
    3,
)
_REPEATED = _space(
    "families with each cluster up to twice, alike for all of a size, of up to {} objects",
    multiset_pairs,
    3,
    random_covers,
    3,
)
_GOLD = _space(
    "all partitions with all covers of up to {} objects",
    against_partitions,
    3,
    partial(random_covers, gold=True),
    3,
    near=partial(changed_covers, gold=True),
)
_BAGS = replace(
    _GOLD,
    what="a clean, a noisy and a third cluster, of up to {} objects",
    small=_bags,
    most=6,
    larger=_larger_bag,
    limit=8,
)

_rule = partial(Rule, cite="rosales2013", group="overlap", needs_best=True)
_order = partial(Order, cite="rosales2013", group="overlap")
CONDITIONS = (
    _rule(
        "cover_identity",
        "identical covers get the best score",
        when=lambda c: c.truth == c.guess,
        rule=gets_best,
        wanted="identical covers get the best score",
        space=_PAIRS,
    ),
    _rule(
        "cover_match",
        "only identical covers get the best score",
        when=lambda c: c.truth != c.guess,
        rule=gets_less,
        left=below_best,
        wanted="less than the best score, as the covers differ",
        space=_PAIRS,
    ),
    _rule(
        "cover_match_repeated",
        "the same where a cluster may be there twice",
        when=lambda c: c.truth != c.guess,
        rule=gets_less,
        left=below_best,
        wanted="less than the best score, as the covers differ",
        space=_REPEATED,
    ),
    _order(
        "cover_homogeneity",
        "homogeneity, truth a partition, the guess overlapping",
        improved=_purer,
        space=_GOLD,
    ),
    _order(
        "cover_completeness",
        "completeness, truth a partition, the guess overlapping",
        improved=_fuller,
        space=_GOLD,
    ),
    _order(
        "cover_rag_bag",
        "rag bag of two, truth a partition, the guess overlapping",
        improved=_ragged,
        space=_BAGS,
    ),
    _order(
        "nested_homogeneity",
        "homogeneity where true clusters overlap too",
        improved=_purer,
        space=_NESTED,
    ),
    _order(
        "nested_completeness",
        "completeness where true clusters overlap too",
        improved=_fuller,
        space=_NESTED,
    ),
)
