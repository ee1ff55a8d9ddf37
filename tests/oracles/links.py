"""Which link did it, pair by pair: wrong links of merged clusters, best pairs across split ones."""

from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import NamedTuple

from .common import Clustering

Pair = frozenset[Hashable]
Scores = Mapping[Pair, float]


def scores_of(pairs: list[tuple[Hashable, Hashable, float]], distance: bool) -> Scores:
    """The strongest score of each pair, whichever way round it is given."""
    found: dict[Pair, float] = {}
    for one, other, score in pairs:
        if one != other:
            key = frozenset([one, other])
            found[key] = (min if distance else max)(score, found.get(key, score))
    return found


def stronger(one: float, other: float, distance: bool) -> bool:
    """Whether a score is stronger than another one, or as strong."""
    return one <= other if distance else one >= other


class Merged(NamedTuple):
    """A guess cluster with objects of several true clusters."""

    scores: list[float]
    """Of its wrong links, the weakest first."""
    weakest: frozenset[Pair]
    """All links that are as weak as the weakest."""
    separating: frozenset[Pair]
    """Those of them without which nothing joins their two true clusters."""


def merged(
    truth: Clustering, guess: Clustering, scores: Scores, threshold: float | None, distance: bool
) -> dict[Hashable, Merged]:
    """Each guess cluster that holds several true clusters."""
    found = {}
    for cluster in set(guess.values()):
        inside = [x for x in guess if guess[x] == cluster]
        if len({truth[x] for x in inside if x in truth}) < 2:
            continue
        links = {
            pair: scores[pair]
            for pair in map(frozenset, combinations(inside, 2))
            if pair in scores and (threshold is None or stronger(scores[pair], threshold, distance))
        }
        wrong = {
            pair: score
            for pair, score in links.items()
            if pair <= truth.keys() and len({truth[x] for x in pair}) == 2
        }
        values = sorted(wrong.values(), reverse=distance)
        weakest = frozenset(pair for pair in wrong if wrong[pair] == values[0])
        separating = frozenset(
            p for p in weakest if not joined(truth, inside, links.keys() - {p}, p)
        )
        found[cluster] = Merged(values, weakest, separating)
    return found


def joined(truth: Clustering, inside: list[Hashable], links: set[Pair], pair: Pair) -> bool:
    """Whether a chain of links joins any two objects of the true clusters of a pair."""
    sides = [{x for x in inside if x in truth and truth[x] == truth[end]} for end in pair]
    reached = set(sides[0])
    while more := {x for link in links if link & reached for x in link} - reached:
        reached |= more
    return bool(reached & sides[1])


class Torn(NamedTuple):
    """A true cluster that lies in several guess clusters."""

    best: frozenset[Pair]
    """The pairs across these with the best score; none where no such pair was scored."""
    joined_at: float | None
    """The strictest score at which pairs of its objects join all its parts."""


def torn(
    truth: Clustering, guess: Clustering, scores: Scores, distance: bool
) -> dict[Hashable, Torn]:
    """Each true cluster that lies in several guess clusters."""
    found = {}
    for cluster in set(truth.values()):
        own = [x for x in truth if truth[x] == cluster and x in guess]
        if len({guess[x] for x in own}) < 2:
            continue
        across = {
            pair: scores[pair]
            for pair in map(frozenset, combinations(own, 2))
            if pair in scores and len({guess[x] for x in pair}) == 2
        }
        ranked = sorted(set(across.values()), reverse=not distance)
        best = frozenset(pair for pair in across if across[pair] == ranked[0])
        whole = (
            level
            for level in ranked
            if hang_together(
                {guess[x] for x in own},
                [{guess[x] for x in p} for p in across if stronger(across[p], level, distance)],
            )
        )
        found[cluster] = Torn(best, next(whole, None))
    return found


def hang_together(parts: set[Hashable], edges: list[set[Hashable]]) -> bool:
    """Whether edges connect all parts."""
    reached = {next(iter(parts))}
    while more := {x for edge in edges if edge & reached for x in edge} - reached:
        reached |= more
    return reached == parts
