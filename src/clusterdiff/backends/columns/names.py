"""Names that columns of ids, clusters and degrees go by, and which column a table means by them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import NamedTuple

from clusterdiff.errors import ColumnError, MissingColumn


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
    for some in (names.strong, names.weak):
        found = [column for column in left if plain(column) in some]
        if len(found) > 1:
            raise ColumnError.several(path, names.option, found, columns)
        if found:
            return found[0]
    return None


def is_known(column: str, names: Names) -> bool:
    """Whether a column goes by one of these names."""
    return plain(column) in names.all


def plain(column: str) -> str:
    """A name as it is looked up: blanks around it and capitals do not count."""
    return column.strip().lower()


def edges_in(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that hold the two ends of edges, where there are such and none is called like a
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
        raise ColumnError(
            f"{path}: the id is made of the columns {', '.join(map(repr, wanted)) or '(none)'}.",
            f'name each column once, {option}=["doc", "start", "end"].',
            f"name each column once, --{option} doc,start,end.",
        )
    return chosen
