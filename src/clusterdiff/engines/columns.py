"""Which column is which: ids, clusters, samples, by name or by position."""

from __future__ import annotations

import csv
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import SOFT, AnyClustering, Column, Cover, Partition, Rough, column
from clusterdiff.clusterings.base import Origin, labelled
from clusterdiff.clusterings.columns import texts as texts_column
from clusterdiff.clusterings.counts import with_row_counts
from clusterdiff.errors import (
    FRAME,
    RELATION,
    InputError,
    MissingColumn,
    ReadError,
    ScoredPairsError,
    as_flags,
    columns_in_python,
    examples,
    pasted,
    read_call,
    selected,
    some,
    worked,
)
from clusterdiff.plugins import is_installed

BY_ROW = "if each row is an object, in the same order in all tables, "

# Names that columns of ids, clusters and degrees go by, and which column a table means by them.


class Names(NamedTuple):
    """Names of one sort of column.

    A strong name says what the column holds; a weak one (`name`, `score`) says it where no strong
    one is there.
    """

    option: str
    """The parameter that names such a column."""
    strong: tuple[str, ...]
    weak: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """The strong and the weak ones."""
        return self.strong + self.weak


HOLDS = {"id": "ids", "cluster": "clusters", "degree": "degrees", "sample": "samples"}
CLUSTERS = Names("cluster", (
    "cluster", "cluster_id", "clusters", "label", "labels", "class", "entity", "entity_id",
    "community", "group", "topic", "membership", "partition", "truth", "gold", "guess", "pred",
    "prediction", "predicted", "assignment", "segment",
))  # fmt: skip
IDS = Names("id", (
    "id", "ids", "unique_id", "object", "object_id", "item", "item_id", "record", "record_id",
    "rec_id", "mention", "mention_id", "node", "node_id", "vertex", "element", "point", "cell",
    "key",
), (
    "document", "document_id", "doc", "doc_id", "page", "name", "index", "row",
    "__index_level_0__",
))  # fmt: skip
DEGREES = Names("degree", (
    "degree", "degrees", "probability", "prob", "proba", "mass", "masses", "possibility", "belief",
), (
    "weight", "score", "confidence",
))  # fmt: skip
DATASET = "source_dataset"
"""The column that distinguishes records of several data sets with the same unique_id (splink)."""
EDGES = (("source", "target"), ("from", "to"), ("src", "dst"))
"""What the two ends of an edge are called in a table of edges."""
KNOWN = frozenset((*CLUSTERS.all, *IDS.all, *DEGREES.all, DATASET))
UNNAMED = "(unnamed)"
"""What a column without a name is called in messages, and by --id."""


def known(path: str, columns: Sequence[str], names: Names, left: Sequence[str]) -> str | None:
    """The column among those left that goes by one of these names; two of equal strength are
    refused.

    >>> known("a.csv", ["Name", "rec_id"], IDS, ["Name", "rec_id"])
    'rec_id'
    >>> known("a.csv", ["Name", "rec_id"], IDS, ["Name"])
    'Name'
    """
    for own in (names.strong, names.weak):
        found = [column for column in left if plain(column) in own]
        if len(found) > 1:
            *others, one = found
            hint = columns_in_python(path, **{names.option: one})
            if path in (FRAME, RELATION):
                kept = [name for name in columns if name not in others]
                hint = selected(path, kept) if len(kept) < 7 else f"leave {some(others)} out"
            elif names.option == "cluster":
                hint = f"{pasted(f'{path}::{one}')} or {hint}"
            raise ReadError(
                f"{path} has {len(found)} columns that could hold the {HOLDS[names.option]}: "
                f"{some(found)}.",
                f"say which, e.g. {hint}.",
            )
        if found:
            return found[0]
    return None


def is_known(column: str, names: Names) -> bool:
    """Whether a column goes by one of these names."""
    return plain(column) in names.all


def plain(column: str) -> str:
    """A name as it is looked up: blanks around it and capitals do not count."""
    return column.strip().lower()


def _check_named(path: str, names: Sequence[str]) -> None:
    """Refuse columns without a name, whose content is unknown, except for the first."""
    if any(map(is_unnamed, names[1:])):
        places = [str(i) for i, name in enumerate(names, 1) if not name.strip()]
        where = f"column {places[0]}" if len(places) == 1 else f"columns {some(places)}"
        raise ReadError(
            f"{path} has no name for {where} of {len(names):,} ({some(names)}), and it is not "
            "clear which hold the objects and the clusters.",
            "write a name for each column in the first line, such as id and cluster.",
        )


def ambiguous(path: str, names: Sequence[str]) -> ReadError:
    """Too many columns to guess which ones are meant, or one alone."""
    if len(names) < 2:
        what = f"the column {names[0]!r} alone" if names else "no columns"
        return ReadError(
            f"{path} has {what}; objects and their clusters are two.",
            "give a row for each object: its id, and the cluster it is in.",
        )
    return ReadError(
        f"{path} has {len(names):,} columns ({some(names)}); "
        "cannot tell which column holds the ids and which the clusters.",
        f"say so, e.g. {columns_in_python(path, id=names[0], cluster=names[-1])}; id='' where "
        "each row is an object, in the same order in all tables.",
    )


def _unlinked(path: str, pair: tuple[str, str], scored: bool) -> ReadError:
    """Pairs of objects, where the cluster of each object is wanted."""
    own = path.removeprefix("the ") if path in (FRAME, RELATION) else repr(path)
    given = shlex.quote(path)
    threshold, flag = (", threshold=0.9", " --threshold 0.9") if scored else ("", "")
    linked = f"cd.Partition.from_pairs({own}{threshold})"
    python = [f"cd.compare(truth, {linked}, align='singletons')"]
    flags = [f"clusterdiff compare truth.csv {given} --as pairs{flag} --align singletons"]
    if scored:
        python.append(f"cd.sweep(truth, {own})  # which threshold")
        flags.append(f"clusterdiff sweep truth.csv {given}  # which threshold")
    return ReadError(
        f"{path} holds pairs of objects ({', '.join(pair)}), not the cluster of each object.",
        worked("link them first", *python),
        worked("link them first", *flags),
    )


def edges_in(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that hold the two ends of edges, where there are such and none is named like a
    cluster.

    >>> edges_in(["source", "target", "weight"]), edges_in(["source", "target", "cluster"])
    (('source', 'target'), ())
    """
    own = {plain(column): column for column in columns}
    if any(is_known(column, CLUSTERS) for column in columns):
        return ()
    return next((tuple(own[end] for end in ends) for ends in EDGES if {*ends} <= {*own}), ())


def is_unnamed(column: str) -> bool:
    """Whether a column has no name, or the one that pandas gives to such a first column."""
    return column.strip() in ("", "Unnamed: 0")


def named(path: str, columns: Sequence[str], wanted: str | None, said: str) -> str | None:
    """The column that was asked for; blanks around its name need not be written.

    `said` is how: an option, or "::" behind the path.
    """
    if wanted is None or wanted in columns:
        return wanted
    found = [column for column in columns if column.strip() == wanted.strip()]
    if wanted == UNNAMED:
        found = [column for column in columns[:1] if is_unnamed(column)]
    if len(found) != 1:
        raise MissingColumn.from_names(path, wanted, [c.strip() or UNNAMED for c in columns], said)
    return found[0]


def named_count(names: Sequence[str], wanted: str | None) -> str | None:
    """The column of the counts, if it is there: counts on one side hold for both."""
    fitting = (name for name in names if wanted is not None and name.strip() == wanted.strip())
    return next(fitting, None)


def named_ids(
    path: str, columns: Sequence[str], wanted: str | Sequence[str] | None, option: str = "id"
) -> tuple[str, ...]:
    """The columns of the ids that were asked for: one, or several that are an id together.

    A text names one column where there is one of that name, and several with commas between them
    where there is not; a name with a comma in it stands in quotes.

    >>> named_ids("a.csv", ["doc", "start", "end"], "doc,start")
    ('doc', 'start')
    >>> named_ids("a.csv", ["doc,start", "end"], '"doc,start",end')
    ('doc,start', 'end')
    """
    if wanted is None:
        return ()
    if isinstance(wanted, str):
        alike = [one for one in columns if one.strip() == wanted.strip()]
        wanted = [wanted] if alike or "," not in wanted else next(csv.reader([wanted]))
    try:
        found = [named(path, columns, one, option) for one in wanted]
    except MissingColumn as error:
        several = len(wanted) > 1
        raise error.among(path, list(wanted), columns, option) if several else error from None
    chosen = tuple(dict.fromkeys(one for one in found if one is not None))
    if not chosen or len(chosen) < len(found):
        raise ReadError(
            f"{path}: the id is made of the columns {', '.join(map(repr, wanted)) or '(none)'}.",
            f'name each column once, {option}=["doc", "start", "end"].',
        )
    return chosen


# Ids of several columns: a document, a start and an end are one id, doc1/3/5.
#
# A part with a slash or a quote in it stands in quotes, as in CSV, so that different ids are never
# the same text: ("a/b", "c") is "a/b"/c, and ("a", "b/c") is a/"b/c".

MARKS = '[/"]'
"""What puts a part in quotes."""


def composite_sql(parts: Sequence[str], written: Callable[[str], str]) -> str:
    """The id of one or several columns in SQL; null where one of them is."""
    if len(parts) == 1:
        return written(parts[0])
    return " || '/' || ".join(_part(f"CAST({written(own)} AS STRING)") for own in parts)


def _part(text: str) -> str:
    marked = f"instr({text}, '/') > 0 OR instr({text}, '\"') > 0"
    quoted = f"'\"' || replace({text}, '\"', '\"\"') || '\"'"
    return f"CASE WHEN {marked} THEN {quoted} ELSE {text} END"


def composite_ids(path: str, parts: Mapping[str, Any]) -> Column:
    """The id of one or several columns in memory; null where one of them is.

    >>> composite_ids("a", {"doc": ["x", "y/z"], "start": [1, 2]}).tolist()
    ['x/1', '"y/z"/2']
    """
    if len(parts) == 1:
        return column(*parts.values())
    if not is_installed("pyarrow"):
        listed = [_text(path, name, values).tolist() for name, values in parts.items()]
        rows = zip(*listed, strict=True)
        return texts_column([None if None in row else _joined(row) for row in rows])
    import pyarrow as pa
    import pyarrow.compute as pc

    slash, mark, none = (pa.scalar(text, pa.large_string()) for text in ("/", '"', ""))
    texts = []
    for name, values in parts.items():
        text = _text(path, name, values).arrow().combine_chunks().cast(pa.large_string())
        quoted = pc.replace_substring(text, '"', '""')
        quoted = pc.binary_join_element_wise(mark, quoted, mark, none)
        texts.append(pc.if_else(pc.match_substring_regex(text, MARKS), quoted, text))
    return column(pc.binary_join_element_wise(*texts, slash, null_handling="emit_null"))


def _joined(parts: Sequence[str]) -> str:
    return "/".join(
        '"' + part.replace('"', '""') + '"' if re.search(MARKS, part) else part for part in parts
    )


def check_parts(path: str, families: Mapping[str, str]) -> None:
    """Refuse parts that engines would write differently: all but whole numbers and text."""
    for name, family in families.items():
        if family in ("integers", "text"):
            continue
        what = {"numbers": "numbers that are not whole", "bool": "true and false"}
        hint = f"CAST({name} AS BIGINT) in SQL"
        if path == FRAME:
            hint = f'frame.astype({{{name!r}: "int64"}}) in pandas'
        raise ReadError(
            f"{path} has {name!r} among the columns of the id, which holds "
            f"{what.get(family, f'values of the type {family}')}; ids of several columns are made "
            "of whole numbers and text.",
            f"make it one of them, {hint}.",
        )


def _text(path: str, name: str, values: Any) -> Column:
    """The values of a part as text."""
    found = column(values)
    dtype = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    listed = values if isinstance(values, list | tuple) else ()
    if dtype.startswith("bool") or any(isinstance(value, bool) for value in listed):
        check_parts(path, {name: "bool"})
    if found.family == "values":
        listed = found.tolist()
        odd = next((v for v in listed if v is not None and type(v) not in (int, str)), None)
        if odd is not None:
            check_parts(path, {name: type(odd).__name__})
        return texts_column([None if v is None else str(v) for v in listed])
    check_parts(path, {name: found.family})
    return texts_column(list(map(str, found.tolist()))) if found.family == "integers" else found


# Which columns of a table hold the two objects of a pair, and which their score.

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
ColumnNames = str | Sequence[str] | None
"""The name of a column, several that are an id together, or nothing."""
DATASET_COLUMNS = ("source_dataset_l", "source_dataset_r")
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
        """The columns by what they hold, as JSON-ready values."""
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
        left, right = (composite_ids(path, {n: taken(n) for n in side}) for side in self.sides)
        return left, right

    def named(self, written: Callable[[str], str]) -> str:
        """The columns in SQL as l, r and s; every pair scores 1 where there are no scores."""
        left, right = (composite_sql(parts, written) for parts in self.sides)
        score = "CAST(1 AS DOUBLE)" if self.score is None else written(self.score)
        return f"{left} AS l, {right} AS r, {score} AS s"


def find_pair_columns(
    path: str,
    names: Sequence[str],
    *,
    left: ColumnNames = None,
    right: ColumnNames = None,
    score: str | None = None,
    id: ColumnNames = None,
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
    ids = named_ids(path, names, left, "left"), named_ids(path, names, right, "right")
    parts = ids if max(map(len, ids)) > 1 else None
    if parts and len(ids[0]) != len(ids[1]):
        of = [f"{len(side)} columns ({', '.join(side) or 'none'})" for side in ids]
        raise ScoredPairsError(
            f"{path}: the id of the left object is made of {of[0]}, that of the right one of "
            f"{of[1]}.",
            "name the same columns of both, left=['source_dataset_l', 'unique_id_l'], "
            "right=['source_dataset_r', 'unique_id_r'].",
        )
    left, right = ("/".join(own) if own else None for own in ids)
    no_score = score == "" and not scored
    score = None if no_score else named(path, names, score, "score")
    asked = left is not None or right is not None
    if left is None or right is None:
        free = [name for name in names if name not in (left, right, score)]
        left, right = _sides(path, free, left, right)
    if score is None and not no_score:
        taken = (*ids[0], *ids[1], left, right)
        score = _score(path, [name for name in names if name not in taken], left is not None)
    if left is None and right is None:
        rest = [name for name in names if name != score and not is_unnamed(name)]
        known = any(is_known(name, sort) for name in rest for sort in (IDS, CLUSTERS))
        # beside a known score two columns are the ids, else a third one may be the score
        lengths = (2,) if score is not None else (3,) if scored else (2, 3)
        if not known and len(rest) in lengths:
            left, right, *other = rest
            score = score or (other[0] if other and not no_score else None)
    if left is None or right is None or (score is None and scored):
        raise _lacking(path, names, left, right, score, scored)
    plainly = {plain(name): name for name in names}
    several = not asked and all(name in plainly for name in DATASET_COLUMNS)
    datasets = (plainly[DATASET_COLUMNS[0]], plainly[DATASET_COLUMNS[1]]) if several else None
    return PairColumns(left, right, score, datasets, parts)


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
        own = path.removeprefix("the ") if path.startswith("the ") else repr(path)
        given = shlex.quote(path)
        return ScoredPairsError(
            f"{path} has the cluster of each object ({some(names)}), and no two columns for the "
            "objects of a pair.",
            worked(
                "it is a clustering already",
                f"cd.compare(truth, cd.read({own}, id={id!r}, cluster={cluster!r}))",
            ),
            worked("it is a clustering already", f"clusterdiff compare truth.csv {given}"),
        )
    wanted = found if scored else ("left", "right")
    lacking = [option for option in wanted if found[option] is None]
    free = [name for name in names if name not in found.values()]
    what = {"left": "objects of a pair", "right": "objects of a pair", "score": "scores"}
    sought = " and the ".join(dict.fromkeys(what[one] for one in lacking))
    has = f"{path} has {len(names):,} columns ({some(names)})"
    levels = "a column per level is written 'table.csv::leiden_*'"
    if len(free) < len(lacking):
        return ScoredPairsError(
            f"{has}, and none for the {sought}.",
            f"give two ids and a score in each row; {levels}.",
        )
    said = ", ".join(f"{one}={name!r}" for one, name in zip(lacking, free, strict=False))
    return ScoredPairsError(
        f"{has}; cannot tell which hold the {sought}.", f"say so, e.g. {said}; {levels}."
    )


def pairs_among(names: Sequence[str]) -> tuple[str, str] | None:
    """The two columns that are named like the objects of a pair, of a table that is one of pairs
    and not of clusters: unique_id_l and unique_id_r, or source and target alone.
    """
    if any(is_known(name, CLUSTERS) for name in names):
        return None
    words = [pair for pair in _words(names) if len(names) == 2 and len(pair[0]) > 1]
    return _known_sides(names) or (words[0] if words else None)


def has_pair_columns(names: Sequence[str]) -> bool:
    """Whether two columns are named like the two objects of a pair."""
    return _known_sides(names) is not None


def _known_sides(names: Sequence[str]) -> tuple[str, str] | None:
    """Two columns that are named like the two objects of a pair; where these are words such as
    left and right, or letters, one must be named like a score too.
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
        if found:
            return _only(path, found)
    words = [pair for pair in _words(every) if set(known) <= set(pair)]
    return _only(path, words) if words else (left, right)


def _only(path: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The pair of columns that holds the two objects; refused where there are several."""
    if len(pairs) > 1:
        left, right = pairs[-1]
        raise ScoredPairsError(
            f"{path} has {len(pairs)} pairs of columns that could hold the two objects: "
            f"{'; '.join(f'{a} and {b}' for a, b in pairs[:4])}.",
            f"say which, e.g. left={left!r}, right={right!r}.",
        )
    return pairs[0]


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
    for own in SCORES:
        found = [name for name in names if plain(name) in own]
        if len(found) > 1:
            raise ScoredPairsError(
                f"{path} has {len(found)} columns that could hold the scores: {some(found)}.",
                f"say which, e.g. score={found[-1]!r}.",
            )
        if found:
            return found[0]
    return names[0] if sides and len(names) == 1 else None


GRADED = ("fuzzy", "possibilistic", "evidential")
"""Kinds whose rows have a degree besides the cluster."""

BITS = {"0", "1", "0.0", "1.0", "false", "true"}


class Columns(NamedTuple):
    """The columns that hold a clustering; the cluster is "" where each has a column of its own."""

    cluster: str
    id: str | None
    sample: str | None
    guessed: bool = False
    """Whether the ids are a column that nothing but its place speaks for."""
    degree: str | None = None
    wide: tuple[str, ...] = ()
    """Columns of degrees, one for each cluster."""
    dataset: str | None = None
    """A column beside the ids that distinguishes equal ids of several data sets."""
    several: bool = False
    """Whether they are of several files, so that an id that occurs again is rather another one."""
    parts: tuple[str, ...] = ()
    """The columns of the ids where these are several; `id` is then what to call them."""
    others: tuple[str, ...] = ()
    """The columns of the table that are none of these."""
    count: str | None = None  # type: ignore[assignment]
    """Says how many objects each row stands for."""

    def chosen(self) -> list[str]:
        """The columns to read, cluster first."""
        ids = self.parts or (self.id,)
        names = (self.cluster or None, *ids, self.sample, self.degree, *self.wide, self.count)
        return list(dict.fromkeys(name for name in names if name is not None))

    def ids(self, path: str, taken: Callable[[str], Any]) -> Any:
        """The ids, of values that `taken` has by the name of their column; None if there are
        none.
        """
        parts = self.parts or (() if self.id is None else (self.id,))
        return composite_ids(path, {name: taken(name) for name in parts}) if parts else None

    def named(self, written: Callable[[str], str], as_number: str = "CAST({} AS DOUBLE)") -> str:
        """The columns in SQL under the names that engines know; `written` quotes their own."""
        parts = self.parts or (() if self.id is None else (self.id,))
        given = {
            "cluster": self.cluster and written(self.cluster),
            "id": composite_sql(parts, written) if parts else None,
            "sample": None if self.sample is None else written(self.sample),
            "counts": None if self.count is None else written(self.count),
        }
        listed = [f"{own} AS {name}" for name, own in given.items() if own]
        if self.degree is not None:
            listed.append(f"{as_number.format(written(self.degree))} AS degree")
        listed += [f"{as_number.format(written(own))} AS w{i}" for i, own in enumerate(self.wide)]
        return ", ".join(listed)

    def origin(self, files: int = 1) -> Origin:
        """What the message says about them."""
        named = self.cluster, self.id, self.sample, self.degree, self.wide
        return Origin(*named, files, self.parts, self.others, self.count)

    def beside(self, names: Sequence[str]) -> Columns:
        """The same among the columns of a table, which have these names."""
        own = {*self._replace(count=None).chosen(), ""}
        return self._replace(others=tuple(dict.fromkeys(n for n in names if n not in own)))

    def checked(self, path: str, make: Callable[[], AnyClustering]) -> AnyClustering:
        """The clustering, unless its ids were only guessed and it looks as if wrongly.

        The ids of a partition occur once, and a cover is not two columns of 0 and 1.
        """
        try:
            made = make()
        except InputError as error:
            self.check_repeats(path, error.duplicates)
            raise
        if self.guessed and made.kind == "cover" and _is_matrix(made):
            start = "give a matrix from Python, cd.Cover(frame.to_numpy()); or name the columns,"
            raise ReadError(
                f"{path} has two columns, {str(self.id)!r} and {self.cluster!r}, that hold 0 and "
                "1 alone: this looks like a matrix of memberships, not like ids and clusters.",
                f"{start} {columns_in_python(path, id=str(self.id), cluster=self.cluster)}.",
            )
        if made.kind == "partition":
            self.check_repeats(path, made.repeats)
        made.origin = self.origin()
        return made

    def counted(self, made: AnyClustering, counts: Any, ids: Any, samples: Any) -> AnyClustering:
        """The clustering with the counts of its rows, if there are any."""
        if self.count is None or counts is None:
            return made
        return with_row_counts(made, column(counts), self.count, ids, samples)

    def check_repeats(self, path: str, repeats: int) -> None:
        """Refuse ids of a partition that were only guessed, or are those of several data sets
        or files, and occur again.
        """
        if self.several and repeats:
            raise ReadError(
                f"{path} are several files, read as one table, and {repeats:,} ids occur again "
                "in it.",
                "if each file is a document of its own, add a column of documents and name it with "
                "--samples, or compare them one by one; if not, keep one row per id.",
            )
        if self.guessed and repeats:
            assert self.id is not None
            raise ReadError(
                f"{path} has no column that is named like an id, and {self.id!r}, which stands "
                f"beside {self.cluster!r}, holds {repeats:,} values twice.",
                f"{BY_ROW}{columns_in_python(path, cluster=self.cluster, id='')}; if {self.id!r} "
                f"does hold the ids, {columns_in_python(path, id=self.id, cluster=self.cluster)}.",
                f"{BY_ROW}--no-id; if {self.id!r} does hold the ids, "
                f"{as_flags(f'id={self.id!r}')}.",
            )
        if self.dataset is not None and repeats:
            assert self.id is not None
            raise ReadError(
                f"{path} has ids ({self.id!r}) that occur again, {repeats:,} in all; records of "
                f"several data sets are identified by {self.dataset!r} and {self.id!r} together.",
                f"take both, {read_call(path)}, id={[self.dataset, self.id]!r}); if each "
                f"{self.id!r} is one object, {read_call(path)}, id={self.id!r}).",
            )


def find_columns(
    path: str,
    names: Sequence[str],
    *,
    id: str | Sequence[str] | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    count: str | None = None,
    kind: str = "partition",
    colons: bool = False,
) -> Columns:
    """Named columns must exist; the others are found by name, then by position.

    >>> find_columns("a.csv", ["Entity", "rec_id"])[:2]
    ('Entity', 'rec_id')
    >>> find_columns("a.csv", ["x", "y"]).id
    'x'
    >>> find_columns("a.csv", ["id", "jazz", "funk"], kind="fuzzy").wide
    ('jazz', 'funk')

    Where several names could be meant and nothing tells which, the table is refused: two names of
    clusters (cluster and cluster_id), two strong names of ids (id and record_id; beside id, the
    weak name is a column like others). A first column without a name is that of the ids, as pandas
    and R write them. id="" says that there are no ids, several columns are one id together;
    `colons` that the path named the cluster.
    """
    no_ids = id == ""
    ids = () if no_ids else named_ids(path, names, id)
    parts, id = (ids, "/".join(ids)) if len(ids) > 1 else ((), ids[0] if ids else None)
    cluster = named(path, names, cluster, "::" if colons else "cluster")
    sample, degree = named(path, names, sample, "sample"), named(path, names, degree, "degree")
    count = named_count(names, count)
    by_name = id is None and not no_ids
    if by_name and cluster is None and (ends := edges_in(names)):
        one, other = ends
        raise ReadError(
            f"{path} has the columns {some(names)}: this looks like the edges of a graph, and a "
            "clustering has one row per node, with its cluster.",
            "give the communities found in it, e.g. nx.community.louvain_communities(G); if "
            f"{other!r} does hold the clusters, {read_call(path)}, id={one!r}, cluster={other!r}).",
        )
    if by_name and cluster is None and kind not in GRADED and (pair := pairs_among(names)):
        raise _unlinked(path, pair, scored=len(names) > 2)
    asked = (*ids, cluster, sample, degree, count)
    left = [n for n in names if n not in asked and not is_unnamed(n)]

    def found(sort: Names) -> str | None:
        return known(path, names, sort, left)

    if kind in GRADED and degree is None:
        degree = found(DEGREES)
        left = [name for name in left if name != degree]
        if degree is None and cluster is None and not any(is_known(n, CLUSTERS) for n in left):
            wide = _wide(path, names, left, found(IDS) if by_name else id, by_name)
            if len(wide.wide) > 1:
                return wide._replace(sample=sample, parts=parts, count=count).beside(names)
    elif kind not in GRADED:
        degree = None
    cluster = cluster or found(CLUSTERS)
    left = [name for name in left if name != cluster]
    if by_name:
        id = found(IDS)
        left = [name for name in left if name != id]
        if id is None and (cluster is not None or len(left) == 1):
            id = _unnamed_first(path, names)
    guessed = False
    if cluster is None:
        if by_name and id is None and len(left) == 2 and not is_unnamed(names[0]):
            id, guessed = left.pop(0), True
        if len(left) != 1:
            _check_named(path, names)
            raise ambiguous(path, names)
        cluster = left.pop()
    elif by_name and id is None and left:
        if len(left) > 1 or is_known(left[0], CLUSTERS):
            other = next(name for name in names if name != cluster)
            raise ReadError(
                f"{path} has {len(names):,} columns ({some(names)}), and none is named like an id.",
                f"{BY_ROW}{columns_in_python(path, cluster=cluster, id='')}; else name the ids, "
                f"e.g. {columns_in_python(path, id=other, cluster=cluster)}.",
                f"{BY_ROW}--no-id; else name the ids, e.g. {as_flags(f'id={other!r}')}.",
            )
        id, guessed = left.pop(), True
    if kind in GRADED and degree is None and id is not None and left:
        raise ReadError(
            f"{path} has the columns {examples(names, 8)}, and none is named like a "
            "degree of membership.",
            f"name it: {columns_in_python(path, degree=left[0])}.",
        )
    dataset = next((name for name in left if plain(name) == DATASET), None) if by_name else None
    found_columns = Columns(
        cluster, id, sample, guessed, degree, dataset=dataset, parts=parts, count=count
    )
    return found_columns.beside(names)


def _wide(
    path: str, names: Sequence[str], left: Sequence[str], id: str | None, by_name: bool
) -> Columns:
    """All columns left as those of degrees, one for each cluster."""
    _check_named(path, names)
    wide = tuple(name for name in left if name != id)
    if by_name and id is None:
        id = _unnamed_first(path, names)
    return Columns("", id, None, wide=wide)


def _unnamed_first(path: str, names: Sequence[str]) -> str | None:
    """The first column, if it has no name and is the only one without."""
    if not names or not is_unnamed(names[0]):
        return None
    _check_named(path, names)
    return names[0]


def made_of_matrix(
    kind: str,
    path: str,
    columns: Columns,
    ids: Any,
    samples: Any,
    degrees: Sequence[Any],
    rest: str = "refuse",
) -> AnyClustering:
    """A clustering from a table with a column of degrees for each cluster (or set, `a|b`)."""
    matrix = np.empty((len(degrees[0]), len(degrees)))
    for j, (name, values) in enumerate(zip(columns.wide, degrees, strict=True)):
        try:
            matrix[:, j] = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            raise ReadError(
                f"{path} has no column that is named like a cluster, so each is taken for the "
                f"degrees of one; but {name!r} holds other things than numbers.",
                f"name the ids, {columns_in_python(path, id=name)}, or the clusters and degrees.",
            ) from None
    names = list(columns.wide)
    options = {"focal": names} if kind == "evidential" else {"labels": names}
    try:
        made: AnyClustering = SOFT[kind](
            matrix, ids=ids, samples=samples, **options, **rest_for(kind, rest)
        )
    except InputError as error:
        if columns.id is not None:
            raise
        also = f"Also, no column is named like an id; if {names[0]!r} holds them, name it:"
        raise ReadError(
            error.message,
            f"{error.hint} {also} {columns_in_python(path, id=names[0])}.",
        ) from None
    made.origin = columns.origin()
    return made


def rest_for(kind: str, rest: str) -> dict[str, Any]:
    """What to do with rows that do not sum to one, for the kind that asks."""
    return {"rest": rest} if kind == "fuzzy" else {}


def made_of_rows(
    kind: str, labels: Any, ids: Any, samples: Any, degrees: Any, rest: str = "refuse"
) -> AnyClustering:
    """A clustering of a kind from rows (id, label, perhaps degree), one per object without ids."""
    if kind in ("cover", "rough"):
        named = Cover if kind == "cover" else Rough
        if ids is None:
            return named(Partition(labels, samples=samples))
        return named.from_rows(ids, labels, samples)
    if degrees is None:
        return Partition(labels, ids, samples)
    if ids is None:
        raise InputError(
            "degrees of membership need an id for each row, since an object has several rows.",
            "name the column of the ids, e.g. cd.read(path, id='record').",
        )
    graded: Any = SOFT[kind]
    made: AnyClustering = graded.from_rows(ids, labels, degrees, samples, **rest_for(kind, rest))
    return made


def asked_as(kind: str, made: AnyClustering) -> AnyClustering:
    """The clustering, which knows it where it is a partition for want of degrees."""
    if kind in GRADED and isinstance(made, Partition):
        made.asked = kind
    return made


def _is_matrix(made: AnyClustering) -> bool:
    """Whether ids and labels are but 0 and 1."""
    labels = made.labels.tolist() if len(made.labels) <= 2 else [None]
    ids = made.ids.tolist() if made.ids is not None and len(made.ids) <= 2 else [None]
    return {str(value).lower() for value in [*labels, *ids]} <= BITS


# Frames of every library that narwhals knows: pandas, polars, pyarrow and more.


def is_frame(value: object) -> bool:
    """Whether this is a data frame, eager or lazy."""
    import narwhals as nw

    try:
        nw.from_native(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    except Exception:  # a frame that narwhals refuses is still a frame
        return True
    return True


def clustering_of_frame(
    frame: Any,
    *,
    kind: str = "partition",
    id: str | Sequence[str] | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    count: str | None = None,
    rest: str = "refuse",
) -> AnyClustering:
    """A clustering from the columns id and cluster of a frame; a cover has several rows per id,
    and a fuzzy clustering a degree in each.
    """
    import narwhals as nw

    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        if not frame.columns.is_unique:
            raise InputError(
                "two columns of the frame have the same name.", "give each column its own name."
            )
    data = nw.from_native(frame)
    names = data.collect_schema().names()
    columns = find_columns(
        FRAME, names, id=id, cluster=cluster, sample=sample, degree=degree, count=count, kind=kind
    )
    chosen = data.select(columns.chosen())
    eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen

    def taken(name: str | None) -> Any:
        return None if name is None else column(eager[name].to_native())

    ids = columns.ids(FRAME, lambda name: eager[name].to_native())
    samples, counts = taken(columns.sample), taken(columns.count)
    if columns.wide:
        degrees = [eager[name].to_numpy() for name in columns.wide]
        wide = made_of_matrix(kind, FRAME, columns, ids, samples, degrees, rest)
        return columns.counted(wide, counts, ids, samples)
    labels = taken(columns.cluster)
    given = None if columns.degree is None else eager[columns.degree].to_numpy()
    made = columns.checked(FRAME, lambda: made_of_rows(kind, labels, ids, samples, given, rest))
    return asked_as(kind, columns.counted(made, counts, ids, samples))
