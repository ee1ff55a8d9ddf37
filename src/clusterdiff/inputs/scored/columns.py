"""Which columns of a table hold the two objects of a pair, and which their score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from clusterdiff.backends.columns.names import IDS, is_unnamed, named, plain
from clusterdiff.clusterings.origin import labelled
from clusterdiff.errors.scored import ScoredPairsError

SIDES = (
    ("{}_l", "{}_r"), ("{}_left", "{}_right"), ("{}_a", "{}_b"), ("{}_1", "{}_2"), ("{}1", "{}2"),
    ("{}_x", "{}_y"), ("{}a", "{}b"), ("l_{}", "r_{}"), ("left_{}", "right_{}"),
    ("ltable_{}", "rtable_{}"), ("source_{}", "target_{}"), ("from_{}", "to_{}"),
    ("{}_from", "{}_to"), ("{}_source", "{}_target"),
)  # fmt: skip
"""How the name of an id becomes that of each side of a pair."""
WORDS = (
    ("left", "right"), ("source", "target"), ("from", "to"), ("src", "dst"), ("a", "b"),
    ("u", "v"), ("i", "j"),
)  # fmt: skip
SCORES = (
    ("match_probability",), ("match_weight",), ("score", "similarity", "distance"),
    ("weight", "confidence", "probability", "prob", "proba", "sim", "dist", "dissimilarity"),
)  # fmt: skip
"""Names of scores, best first; two of one rank are refused."""
DISTANCES = ("distance", "dist", "dissimilarity")
DATASET = ("source_dataset_l", "source_dataset_r")
"""Columns beside which an id is one in its data set alone (splink)."""


class PairColumns(NamedTuple):
    """What the columns are called where they come from."""

    left: str
    right: str
    score: str
    datasets: tuple[str, str] | None = None
    """Columns of the data sets, where ids may be those of several."""

    @property
    def is_distance(self) -> bool:
        """Whether the name of the score says that less is nearer."""
        return plain(self.score) in DISTANCES

    def __str__(self) -> str:
        return ", ".join(map(labelled, ("left", "right", "score"), self[:3]))

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, for programs."""
        return {"left": self.left, "right": self.right, "score": self.score}


def find_pair_columns(
    path: str,
    names: Sequence[str],
    *,
    left: str | None = None,
    right: str | None = None,
    score: str | None = None,
) -> PairColumns:
    """Named columns must exist; the others are found by name, and of three that say nothing, by
    position.

    >>> print(find_pair_columns("p.csv", ["match_probability", "unique_id_l", "unique_id_r"]))
    left: unique_id_l, right: unique_id_r, score: match_probability
    >>> print(find_pair_columns("p.csv", ["x", "y", "z"]))
    left: x, right: y, score: z
    """
    left, right, score = (
        named(path, names, one, option)
        for one, option in ((left, "left"), (right, "right"), (score, "score"))
    )
    asked = left is not None or right is not None
    taken = {left, right, score}
    if left is None or right is None:
        left, right = _sides(path, [n for n in names if n not in taken - {None}], left, right)
    if score is None:
        score = _score(path, [n for n in names if n not in (left, right)], left is not None)
    if left is None and right is None:
        rest = [name for name in names if name != score and not is_unnamed(name)]
        known = any(plain(name) in IDS.all for name in rest)
        if len(rest) == (3 if score is None else 2) and not known:
            left, right, *other = rest
            score = score or other[0]
    if left is None or right is None or score is None:
        found = {"left": left, "right": right, "score": score}
        lacking = [option for option, name in found.items() if name is None]
        free = [name for name in names if name not in found.values()]
        raise ScoredPairsError.from_columns(path, names, lacking, free)
    plainly = {plain(name): name for name in names}
    several = not asked and all(name in plainly for name in DATASET)
    datasets = (plainly[DATASET[0]], plainly[DATASET[1]]) if several else None
    return PairColumns(left, right, score, datasets)


def has_pair_columns(names: Sequence[str]) -> bool:
    """Whether two columns are called like the two objects of a pair; where these are words such as
    left and right, or letters, one must be called like a score too.
    """
    if any(True for _ in _candidates(names, IDS.all)):
        return True
    scores = {name for some in SCORES for name in some}
    return bool(_words(names)) and any(plain(name) in scores for name in names)


def _sides(
    path: str, names: Sequence[str], left: str | None, right: str | None
) -> tuple[str | None, str | None]:
    """The two columns of a pair; beside one that was named, the one that goes with it."""
    known = [name for name in (left, right) if name is not None]
    every = [*names, *known]
    for stems in (IDS.strong, IDS.weak):
        found = [pair for pair in _candidates(every, stems) if set(known) <= set(pair)]
        if len(found) > 1:
            raise ScoredPairsError.several_pairs(path, found)
        if found:
            return found[0]
    words = [pair for pair in _words(every) if set(known) <= set(pair)]
    if len(words) > 1:
        raise ScoredPairsError.several_pairs(path, words)
    return words[0] if words else (left, right)


def _candidates(names: Sequence[str], stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    by_name = {plain(name): name for name in names}
    for stem in stems:
        for first, second in SIDES:
            one, other = by_name.get(first.format(stem)), by_name.get(second.format(stem))
            if one is not None and other is not None:
                yield one, other


def _words(names: Sequence[str]) -> list[tuple[str, str]]:
    by_name = {plain(name): name for name in names}
    return [(by_name[a], by_name[b]) for a, b in WORDS if a in by_name and b in by_name]


def _score(path: str, names: Sequence[str], sides: bool) -> str | None:
    """The column of the scores by its name; or the only one beside two that are known."""
    for some in SCORES:
        found = [name for name in names if plain(name) in some]
        if len(found) > 1:
            raise ScoredPairsError.several(path, "score", found)
        if found:
            return found[0]
    return names[0] if sides and len(names) == 1 else None
