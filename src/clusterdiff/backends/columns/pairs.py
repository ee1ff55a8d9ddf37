"""Which columns of a table hold the two objects of a pair, and which their score."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from clusterdiff.backends.columns.composite import composite_ids, composite_sql
from clusterdiff.backends.columns.names import (
    CLUSTERS,
    IDS,
    is_known,
    is_unnamed,
    named,
    named_ids,
    plain,
)
from clusterdiff.clusterings import column
from clusterdiff.clusterings.origin import labelled
from clusterdiff.errors.linking import LinkingError
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
"""How the name of a score ends of which less is nearer."""
Named = str | Sequence[str] | None
"""The name of a column, several that are an id together, or nothing."""
DATASET = ("source_dataset_l", "source_dataset_r")
"""Columns beside which an id is one in its data set alone (splink)."""


class PairColumns(NamedTuple):
    """What the columns are called where they come from."""

    left: str
    right: str
    score: str | None
    """None where pairs have no score."""
    datasets: tuple[str, str] | None = None
    """Columns of the data sets, where ids may be those of several."""
    parts: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The columns of the two ids where these are several each; `left` and `right` are then what to
    call them.
    """

    @property
    def is_distance(self) -> bool:
        """Whether the name of the score says that less is nearer."""
        words = plain(self.score or "").replace("-", "_").replace(" ", "_").split("_")
        return words[-1] in DISTANCES

    def __str__(self) -> str:
        given = ("left", self.left), ("right", self.right), ("score", self.score)
        return ", ".join(labelled(role, name) for role, name in given if name is not None)

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, for programs."""
        left, right = self.parts or (self.left, self.right)
        ids = {"left": left, "right": right}
        told = {name: one if isinstance(one, str) else list(one) for name, one in ids.items()}
        return told | {"score": self.score}

    @property
    def sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns of the two ids."""
        return self.parts or ((self.left,), (self.right,))

    def chosen(self) -> list[str]:
        """The columns to read."""
        score = () if self.score is None else (self.score,)
        return list(dict.fromkeys((*self.sides[0], *self.sides[1], *score, *(self.datasets or ()))))

    def ids(self, path: str, taken: Callable[[str], Any]) -> tuple[Any, Any]:
        """The ids of both sides, of values that `taken` has by the name of their column."""
        left, right = (
            composite_ids(path, {name: taken(name) for name in parts})
            if len(parts) > 1
            else column(taken(parts[0]))
            for parts in self.sides
        )
        return left, right

    def named(self, written: Callable[[str], str]) -> str:
        """The columns in SQL as l, r and s; every pair scores 1 where there are no scores."""
        left, right = (
            composite_sql(parts, written) if len(parts) > 1 else written(parts[0])
            for parts in self.sides
        )
        score = "CAST(1 AS DOUBLE)" if self.score is None else written(self.score)
        return f"{left} AS l, {right} AS r, {score} AS s"


def find_pair_columns(
    path: str,
    names: Sequence[str],
    *,
    left: Named = None,
    right: Named = None,
    score: str | None = None,
    id: Named = None,
    scored: bool = True,
) -> PairColumns:
    """Named columns must exist; the others are found by name, and of two or three that say nothing,
    by position. `id` is what the ids are called without their sides: unique_id of unique_id_l and
    unique_id_r. Pairs need no score where they are not `scored`, and have none with score="".

    >>> print(find_pair_columns("p.csv", ["match_probability", "unique_id_l", "unique_id_r"]))
    left: unique_id_l, right: unique_id_r, score: match_probability
    >>> print(find_pair_columns("p.csv", ["x", "y", "z"]))
    left: x, right: y, score: z
    >>> print(find_pair_columns("p.csv", ["doc_l", "at_l", "doc_r", "at_r", "score"], id="doc,at"))
    left: doc_l/at_l, right: doc_r/at_r, score
    """
    if left is None and right is None and id:
        left, right = _sided(names, id) or (None, None)
    ids = tuple(
        named_ids(path, names, one, option) for one, option in ((left, "left"), (right, "right"))
    )
    if max(map(len, ids)) > 1:
        return _composite(path, names, *ids, score=score, scored=scored)
    left, right = (one[0] if one else None for one in ids)
    no_score = score == "" and not scored
    score = None if no_score else named(path, names, score, "score")
    asked = left is not None or right is not None
    taken = {left, right, score}
    if left is None or right is None:
        left, right = _sides(path, [n for n in names if n not in taken - {None}], left, right)
    if score is None and not no_score:
        score = _score(path, [n for n in names if n not in (left, right)], left is not None)
    if left is None and right is None:
        rest = [name for name in names if name != score and not is_unnamed(name)]
        known = any(is_known(name, sort) for name in rest for sort in (IDS, CLUSTERS))
        if not known and len(rest) in _lengths(score, scored):
            left, right, *other = rest
            score = score or (other[0] if other and not no_score else None)
    if left is None or right is None or (score is None and scored):
        raise _lacking(path, names, left, right, score, scored)
    plainly = {plain(name): name for name in names}
    several = not asked and all(name in plainly for name in DATASET)
    datasets = (plainly[DATASET[0]], plainly[DATASET[1]]) if several else None
    return PairColumns(left, right, score, datasets)


def _lengths(score: str | None, scored: bool) -> tuple[int, ...]:
    """How many columns beside a known score are the two ids, and perhaps a score, by position."""
    if score is not None:
        return (2,)
    return (3,) if scored else (2, 3)


def _composite(
    path: str,
    names: Sequence[str],
    left: tuple[str, ...],
    right: tuple[str, ...],
    *,
    score: str | None,
    scored: bool,
) -> PairColumns:
    """Ids of several columns on each side."""
    if len(left) != len(right):
        raise LinkingError.uneven(path, left, right)
    free = [name for name in names if name not in (*left, *right)]
    no_score = score == "" and not scored
    score = None if no_score else named(path, names, score, "score")
    if score is None and not no_score:
        score = _score(path, free, sides=True)
    if score is None and scored:
        raise _lacking(path, names, "/".join(left), "/".join(right), score, scored)
    return PairColumns("/".join(left), "/".join(right), score, parts=(left, right))


def _sided(names: Sequence[str], id: str | Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The columns of both sides of an id of one or several columns."""
    parts = next(csv.reader([id])) if isinstance(id, str) else id
    by_name = {plain(name): name for name in names}
    for way in SIDES:
        sides = [[side.format(plain(part)) for part in parts] for side in way]
        if all(name in by_name for side in sides for name in side):
            left, right = ([by_name[name] for name in side] for side in sides)
            return left, right
    return None


def _lacking(
    path: str,
    names: Sequence[str],
    left: str | None,
    right: str | None,
    score: str | None,
    scored: bool,
) -> ScoredPairsError:
    """What to say of columns among which some were not found."""
    found = {"left": left, "right": right, "score": score}
    cluster = next((name for name in names if is_known(name, CLUSTERS)), None)
    id = next((name for name in names if is_known(name, IDS)), None)
    if not scored and left is None and right is None and cluster is not None and id is not None:
        return LinkingError.from_clusters(path, names, id, cluster)
    wanted = found if scored else ("left", "right")
    lacking = [option for option in wanted if found[option] is None]
    free = [name for name in names if name not in found.values()]
    return ScoredPairsError.from_columns(path, names, lacking, free)


def pairs_among(names: Sequence[str]) -> tuple[str, str] | None:
    """The two columns that are called like the objects of a pair, of a table that is one of pairs
    and not of clusters: unique_id_l and unique_id_r, or source and target alone.
    """
    if any(is_known(name, CLUSTERS) for name in names):
        return None
    words = [pair for pair in _words(names) if len(names) == 2 and len(pair[0]) > 1]
    return _known_sides(names) or (words[0] if words else None)


def has_pair_columns(names: Sequence[str]) -> bool:
    """Whether two columns are called like the two objects of a pair."""
    return _known_sides(names) is not None


def _known_sides(names: Sequence[str]) -> tuple[str, str] | None:
    """Two columns that are called like the two objects of a pair; where these are words such as
    left and right, or letters, one must be called like a score too.
    """
    if (found := next(_candidates(names, IDS.all), None)) is not None:
        return found
    scores = {name for some in SCORES for name in some}
    words = _words(names)
    return words[0] if words and any(plain(name) in scores for name in names) else None


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
