"""Which column is which: ids, clusters, samples, by name or by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.backends.columns.composite import composite_ids, composite_sql
from clusterdiff.backends.columns.names import (
    CLUSTERS,
    DATASET,
    DEGREES,
    IDS,
    Names,
    edges_in,
    is_known,
    is_unnamed,
    known,
    named,
    named_ids,
    plain,
)
from clusterdiff.backends.columns.pairs import pairs_among
from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.origin import Origin
from clusterdiff.errors import ColumnError, InputError, SeveralFiles

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

    def chosen(self) -> list[str]:
        """The columns to read, cluster first."""
        ids = self.parts or (self.id,)
        names = (self.cluster or None, *ids, self.sample, self.degree, *self.wide)
        return list(dict.fromkeys(name for name in names if name is not None))

    def ids(self, path: str, taken: Callable[[str], Any]) -> Any:
        """The ids, of values that `taken` has by the name of their column; None if there are
        none.
        """
        if self.parts:
            return composite_ids(path, {name: taken(name) for name in self.parts})
        return None if self.id is None else column(taken(self.id))

    def named(self, written: Callable[[str], str], as_number: str = "CAST({} AS DOUBLE)") -> str:
        """The columns in SQL under the names that engines know; `written` quotes their own."""
        id = None if self.id is None or self.parts else written(self.id)
        if self.parts:
            id = composite_sql(self.parts, written)
        given = {"cluster": self.cluster and written(self.cluster), "id": id}
        given["sample"] = None if self.sample is None else written(self.sample)
        listed = [f"{own} AS {name}" for name, own in given.items() if own]
        if self.degree is not None:
            listed.append(f"{as_number.format(written(self.degree))} AS degree")
        listed += [f"{as_number.format(written(own))} AS w{i}" for i, own in enumerate(self.wide)]
        return ", ".join(listed)

    def origin(self, files: int = 1) -> Origin:
        """What the message says about them."""
        named = self.cluster, self.id, self.sample, self.degree, self.wide
        return Origin(*named, files, self.parts)

    def checked(self, path: str, make: Callable[[], AnyClustering]) -> AnyClustering:
        """The clustering, unless its ids were only guessed and it looks as if wrongly.

        The ids of a partition occur once, and a cover is not two columns of 0 and 1.
        """
        try:
            made = make()
        except InputError as error:
            self.refuse_repeats(path, error.duplicates)
            raise
        if self.guessed and made.kind == "cover" and _is_matrix(made):
            raise ColumnError.matrix(path, str(self.id), self.cluster)
        if made.kind == "partition":
            self.refuse_repeats(path, made.repeats)
        made.origin = self.origin()
        return made

    def refuse_repeats(self, path: str, repeats: int) -> None:
        """Refuse ids of a partition that were only guessed, or are those of several data sets
        or files, and occur again.
        """
        if self.several and repeats:
            raise SeveralFiles(
                f"{path} are several files, read as one table, and {repeats:,} ids occur again "
                "in it.",
                "if each file is a document of its own, add a column of documents and name it with "
                "--samples, or compare them one by one; if not, keep one row per id.",
            )
        if self.guessed and repeats:
            assert self.id is not None
            raise ColumnError.repeated(path, self.id, self.cluster, repeats)
        if self.dataset is not None and repeats:
            assert self.id is not None
            raise ColumnError.datasets(path, self.id, self.dataset, repeats)


def find_columns(
    path: str,
    names: Sequence[str],
    *,
    id: str | Sequence[str] | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
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
    by_name = id is None and not no_ids
    if by_name and cluster is None and (ends := edges_in(names)):
        raise ColumnError.edges(path, names, ends)
    if by_name and cluster is None and kind not in GRADED and (pair := pairs_among(names)):
        raise ColumnError.pairs(path, *pair, scored=len(names) > 2)
    asked = (*ids, cluster, sample, degree)
    left = [n for n in names if n not in asked and not is_unnamed(n)]

    def found(sort: Names) -> str | None:
        return known(path, names, sort, left)

    if kind in GRADED and degree is None:
        degree = found(DEGREES)
        left = [name for name in left if name != degree]
        if degree is None and cluster is None and not any(is_known(n, CLUSTERS) for n in left):
            wide = _wide(path, names, left, found(IDS) if by_name else id, by_name)
            if len(wide.wide) > 1:
                return wide._replace(sample=sample, parts=parts)
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
            lacking = any(map(is_unnamed, names[1:]))
            raise (ColumnError.unnamed if lacking else ColumnError.ambiguous)(path, names)
        cluster = left.pop()
    elif by_name and id is None and left:
        if len(left) > 1 or is_known(left[0], CLUSTERS):
            raise ColumnError.no_ids(path, names, cluster)
        id, guessed = left.pop(), True
    if kind in GRADED and degree is None and id is not None and left:
        raise ColumnError.no_degrees(path, names, left[0])
    dataset = next((name for name in left if plain(name) == DATASET), None) if by_name else None
    return Columns(cluster, id, sample, guessed, degree, dataset=dataset, parts=parts)


def _wide(
    path: str, names: Sequence[str], left: Sequence[str], id: str | None, by_name: bool
) -> Columns:
    """All columns left as those of degrees, one for each cluster."""
    if any(map(is_unnamed, names[1:])):
        raise ColumnError.unnamed(path, names)
    wide = tuple(name for name in left if name != id)
    if by_name and id is None:
        id = _unnamed_first(path, names)
    return Columns("", id, None, wide=wide)


def _unnamed_first(path: str, names: Sequence[str]) -> str | None:
    """The first column, if it has no name and is the only one without."""
    if not names or not is_unnamed(names[0]):
        return None
    if any(map(is_unnamed, names[1:])):
        raise ColumnError.unnamed(path, names)
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
            raise ColumnError.no_numbers(path, name) from None
    names = list(columns.wide)
    options = {"focal": names} if kind == "evidential" else {"labels": names}
    try:
        made: AnyClustering = SOFT[kind](
            matrix, ids=ids, samples=samples, **options, **rest_for(kind, rest)
        )
    except InputError as error:
        if columns.id is not None:
            raise
        raise ColumnError.also_no_ids(error, path, names[0]) from None
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
            "name the column of the ids, e.g. cd.read(path, kind=..., id='record').",
            "name the column of the ids with --id.",
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
