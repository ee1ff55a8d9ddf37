"""Which link did it: of clusters that were merged, the scored pairs that join records of different
true clusters; of a true cluster that was split, the best pair across its parts.

A *link* is a scored pair of two objects of one guess cluster that scores at least the threshold;
where there is none, any such pair. It is *wrong* if the objects are of different true clusters. A
pair is *missed* if its objects are of one true cluster and in different guess clusters, whatever it
scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.engines.named import Catalogue
from clusterdiff.explain.ranking import name_of
from clusterdiff.output.describe import count

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.io.pair_lookup import PairLookup


class Link(NamedTuple):
    """A scored pair of objects, and the clusters that they are in."""

    left: Any
    right: Any
    score: float
    truth: tuple[Any, Any]
    """The true cluster of each."""
    guess: tuple[Any, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return self._asdict() | {"truth": list(self.truth), "guess": list(self.guess)}


class Merge(NamedTuple):
    """A guess cluster that holds objects of several true clusters, and the links that join them."""

    guess: Any
    links: list[Link]
    """The wrong links, the weakest first; as many as were asked for."""
    total: int
    """How many there are."""
    strongest: float | None
    """The score of the strongest: above it, no link joins different true clusters."""
    separates: bool
    """Whether nothing joins the two true clusters of the weakest link once that is removed."""


class Split(NamedTuple):
    """A true cluster that lies in several guess clusters, and the best pair across these."""

    truth: Any
    parts: int
    """How many guess clusters hold some of it."""
    best: Link | None
    """The best-scoring pair of two of its objects in different guess clusters; None where no two of
    them were scored.
    """
    joined_at: float | None
    """The threshold at which pairs of its own objects join all its parts; None where none does."""


class Told(NamedTuple):
    """Some pairs of a part and what there is to say of them, for display."""

    title: str
    side: str
    """The side whose clusters tell the objects of the pairs apart: truth or guess."""
    pairs: list[Link]


SHOWN = 3
"""Wrong links of a guess cluster that are shown."""


class Ends(NamedTuple):
    """For one object, its weakest wrong link and its best missed pair: score and other object."""

    wrong: tuple[float, Any] | None = None
    missed: tuple[float, Any] | None = None


@dataclass(frozen=True)
class PartLinks:
    """The scored pairs of objects that hang together."""

    merges: list[Merge]
    splits: list[Split]
    ends: dict[Any, Ends]
    """Of the objects that have such a pair."""

    @property
    def ids(self) -> list[Any]:
        """The objects of the links and pairs that have names, each once."""
        named = [link for merge in self.merges for link in merge.links]
        named += [split.best for split in self.splits if split.best is not None]
        return list(dict.fromkeys(id for link in named for id in link[:2]))

    def row_of(self, id: Any) -> dict[str, Any]:
        """What the review queue says of an object."""
        found = self.ends.get(id, Ends())
        names = ("weakest_wrong_link", found.wrong), ("best_missed_pair", found.missed)
        return {
            key: value
            for name, (score, other) in ((name, end or (None, None)) for name, end in names)
            for key, value in ((name, score), (f"{name}_to", other))
        }

    def told(self, pairs: PairLookup) -> list[Told]:
        """What there is to say, cluster by cluster."""
        several = len(self.merges) > 1, len(self.splits) > 1
        merges = [_of_merge(m, f" in {name_of(m.guess)}" * several[0]) for m in self.merges]
        splits = [_of_split(s, f" of {name_of(s.truth)}" * several[1], pairs) for s in self.splits]
        return merges + splits

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {
            "merges": [
                m._asdict() | {"links": [link.to_dict() for link in m.links]} for m in self.merges
            ],
            "splits": [
                s._asdict() | {"best": s.best and s.best.to_dict()} for s in self.splits
            ],
        }  # fmt: skip


def _of_merge(merge: Merge, where: str) -> Told:
    """What is said of a guess cluster of several true clusters: its weakest wrong links."""
    if not merge.links or merge.strongest is None:
        return Told(f"no link{where} joins different true clusters", "truth", [])
    shown = merge.links[:SHOWN]
    weakest = shown[0]
    scores = "–".join(dict.fromkeys(f"{s:.6g}" for s in (weakest.score, merge.strongest)))
    without = "it"
    if merge.total > 1:
        first = f"the {len(shown)} weakest" if merge.total > len(shown) else "weakest first"
        scores, without = f"{scores}; {first}", "the weakest"
    joins = "nothing joins" if merge.separates else "other links still join"
    truth = " and ".join(map(name_of, weakest.truth))
    links = count(merge.total, "wrong link")
    return Told(f"{links}{where} ({scores}): without {without}, {joins} {truth}", "truth", shown)


def _of_split(split: Split, where: str, pairs: PairLookup) -> Told:
    """What is said of a true cluster in several guess clusters: the best pair across these."""
    if split.best is None:
        return Told(f"no pair across the parts{where} was scored", "guess", [])
    score, at = split.best.score, split.joined_at
    told = f"best pair across the {split.parts:,} parts{where} ({score:.6g})"
    if pairs.threshold is not None and pairs.are_links(np.array([score]))[0]:
        return Told(f"{told}: a link, though they are apart", "guess", [split.best])
    joins = f"a threshold of {pairs.written(score)} joins "
    if at == score:
        joins += "them"
    else:
        joins += f"two of them, {'none' if at is None else pairs.written(at)} all"
    return Told(f"{told}: {joins}", "guess", [split.best])


def members(ids: Sequence[Any], truth: Sequence[Hashable], guess: Sequence[Hashable]) -> Catalogue:
    """Objects by id, with the names of their clusters on both sides; None where a side lacks them.

    >>> members(["a", "b"], ["x", "x"], [1, None]).guess
    [0, -1]
    """
    codes: list[list[int]] = []
    names: list[list[Any]] = []
    for side in (truth, guess):
        place: dict[Any, int] = {}
        codes.append([-1 if c is None else place.setdefault(c, len(place)) for c in side])
        names.append(list(place))
    return Catalogue(list(ids), codes[0], codes[1], names[0], names[1])


def links_of(
    pairs: PairLookup, parts: Sequence[Catalogue], most: int | None = None
) -> list[PartLinks]:
    """The wrong links and missed pairs of some parts, by one look at the pairs; up to so many wrong
    links of each guess cluster. Clusters of different parts are different ones, whatever they are
    called.
    """
    start = np.concatenate([[0], np.cumsum([len(part.ids) for part in parts], dtype=np.int64)])
    truth = _apart([(part.truth, len(part.truth_names)) for part in parts])
    guess = _apart([(part.guess, len(part.guess_names)) for part in parts])
    found = pairs.among([id for part in parts for id in part.ids], truth, guess)
    of_part = np.searchsorted(start, found.left, side="right") - 1
    order = np.argsort(of_part, kind="stable")
    cuts = np.searchsorted(of_part[order], np.arange(len(parts) + 1))
    is_link = pairs.are_links(found.score)
    made = []
    for part, first, begin, end in zip(parts, start.tolist(), cuts, cuts[1:], strict=False):
        some = order[begin:end]
        left, right = found.left[some] - first, found.right[some] - first
        made.append(_Pairs.of(part, left, right, found.score[some], is_link[some]).links(most))
    return made


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of a part in columns, the strongest first; objects by their place in the part."""

    part: Catalogue
    truth: Ints
    guess: Ints
    left: Ints
    right: Ints
    score: Floats
    linked: Bools
    wrong: Ints
    """Where wrong links stand, the weakest first."""
    missed: Ints
    """Where missed pairs stand, the strongest first."""

    @classmethod
    def of(cls, part: Catalogue, left: Ints, right: Ints, score: Floats, is_link: Bools) -> _Pairs:
        """Some pairs that score enough for a link, or do not."""
        truth, guess = np.array(part.truth, np.int64), np.array(part.guess, np.int64)
        same, together = truth[left] == truth[right], guess[left] == guess[right]
        in_truth = (truth[left] >= 0) & (truth[right] >= 0)
        in_guess = (guess[left] >= 0) & (guess[right] >= 0)
        linked = together & in_guess & is_link
        wrong = np.flatnonzero(linked & ~same & in_truth)[::-1]
        missed = np.flatnonzero(same & ~together & in_truth & in_guess)
        return cls(part, truth, guess, left, right, score, linked, wrong, missed)

    def links(self, most: int | None) -> PartLinks:
        """What there is to say of them."""
        known = (self.truth >= 0) & (self.guess >= 0)
        truth, guess = self.truth[known], self.guess[known]
        ends: dict[Any, Ends] = {}
        for field, some in (("wrong", self.wrong), ("missed", self.missed)):
            for id, end in self._ends(some):
                ends[id] = ends.get(id, Ends())._replace(**{field: end})
        return PartLinks(
            [self._merge(g, most) for g in _with_several(guess, truth)],
            [self._split(t, parts) for t, parts in _with_several(truth, guess).items()],
            ends,
        )

    def _merge(self, guess: int, most: int | None) -> Merge:
        """A guess cluster with its wrong links."""
        wrong = self.wrong[self.guess[self.left[self.wrong]] == guess]
        name = self.part.guess_names[guess]
        if not wrong.size:
            return Merge(name, [], 0, None, False)
        named = [self._named(k) for k in wrong[:most].tolist()]
        strongest = float(self.score[wrong[-1]])
        return Merge(name, named, wrong.size, strongest, self._separates(int(wrong[0])))

    def _separates(self, weakest: int) -> bool:
        """Whether no other link, or chain of them, joins the true clusters of a link."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        inside = self.linked & (self.guess[self.left] == self.guess[self.left[weakest]])
        inside[weakest] = False
        ends = self.left[inside], self.right[inside]
        graph = coo_array((np.ones(ends[0].size, np.int8), ends), shape=(self.truth.size,) * 2)
        component = connected_components(graph, directed=False)[1]
        own = self.guess == self.guess[self.left[weakest]]
        sides = (
            component[own & (self.truth == self.truth[end[weakest]])]
            for end in (self.left, self.right)
        )
        return not np.intersect1d(*sides).size

    def _split(self, truth: int, parts: int) -> Split:
        """A true cluster with the best of the pairs across its guess clusters."""
        missed = self.missed[self.truth[self.left[self.missed]] == truth]
        ends = self.guess[self.left[missed]], self.guess[self.right[missed]]
        both = np.minimum(*ends) * len(self.part.guess_names) + np.maximum(*ends)
        first = missed[np.sort(np.unique(both, return_index=True)[1])]
        joined = _joined_at(self.guess[self.left[first]], self.guess[self.right[first]], parts)
        return Split(
            self.part.truth_names[truth], parts,
            self._named(int(missed[0])) if missed.size else None,
            None if joined is None else float(self.score[first[joined]]),
        )  # fmt: skip

    def _ends(self, some: Ints) -> Iterator[tuple[Any, tuple[float, Any]]]:
        """Of each object of these pairs the first pair: its score, and the other object."""
        ids = self.part.ids
        ends = np.column_stack([self.left[some], self.right[some]])
        objects, first = np.unique(ends, return_index=True)
        for own, place in zip(objects.tolist(), first.tolist(), strict=True):
            pair, side = divmod(place, 2)
            yield ids[own], (float(self.score[some[pair]]), ids[int(ends[pair, 1 - side])])

    def _named(self, k: int) -> Link:
        """A pair with names."""
        part = self.part
        (one, own, first), (other, its, second) = (
            (part.ids[i], part.truth_names[part.truth[i]], part.guess_names[part.guess[i]])
            for i in (int(self.left[k]), int(self.right[k]))
        )
        return Link(one, other, float(self.score[k]), (own, its), (first, second))


def _apart(sides: list[tuple[list[int], int]]) -> Ints:
    """The clusters of all parts, numbered so that those of different parts differ."""
    made, first = [np.zeros(0, np.int64)], 0
    for codes, many in sides:
        own = np.array(codes, np.int64)
        made.append(np.where(own < 0, -1, own + first))
        first += many
    return np.concatenate(made)


def _with_several(group: Ints, other: Ints) -> dict[int, int]:
    """The groups that have several values, and how many."""
    pairs = np.unique(np.column_stack([group, other]), axis=0)
    found, many = np.unique(pairs[:, 0], return_counts=True)
    return {int(g): int(n) for g, n in zip(found, many, strict=True) if n > 1}


def _joined_at(left: Ints, right: Ints, parts: int) -> int | None:
    """The place of the pair with which all parts hang together, if they ever do."""
    above: dict[int, int] = {}

    def root(one: int) -> int:
        while one in above:
            one = above[one]
        return one

    for place, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if (first := root(one)) != (second := root(other)):
            above[first] = second
            parts -= 1
            if parts == 1:
                return place
    return None
