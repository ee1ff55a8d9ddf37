"""Which column is which: ids, clusters, samples, by name or by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough
from clusterdiff.errors import InputError, MissingColumn, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLUSTERS = (
    "cluster", "cluster_id", "clusters", "label", "labels", "class", "entity", "entity_id",
    "community", "group", "topic", "membership", "partition", "truth", "gold", "guess", "pred",
    "prediction", "predicted", "assignment", "segment",
)  # fmt: skip
IDS = (
    "id", "ids", "object", "object_id", "item", "record", "record_id", "rec_id", "mention", "node",
    "vertex", "element", "point", "document", "document_id", "doc", "doc_id", "page", "cell", "key",
    "name", "index", "row",
)  # fmt: skip


DEGREES = (
    "degree", "degrees", "probability", "prob", "proba", "mass", "masses", "possibility",
    "belief", "weight", "score", "confidence",
)  # fmt: skip
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

    def chosen(self) -> list[str]:
        """The columns to read, cluster first."""
        names = (self.cluster or None, self.id, self.sample, self.degree, *self.wide)
        return [name for name in names if name is not None]

    def named(self, written: Callable[[str], str]) -> str:
        """The columns in SQL under the names that engines know; `written` quotes their own."""
        given = {"cluster": self.cluster or None, "id": self.id, "sample": self.sample}
        listed = [f"{written(own)} AS {name}" for name, own in given.items() if own is not None]
        if self.degree is not None:
            listed.append(f"CAST({written(self.degree)} AS DOUBLE) AS degree")
        listed += [f"CAST({written(own)} AS DOUBLE) AS w{i}" for i, own in enumerate(self.wide)]
        return ", ".join(listed)

    def checked(self, path: str, made: AnyClustering) -> AnyClustering:
        """The clustering, unless its ids were only guessed and it looks as if wrongly.

        The ids of a partition occur once, and a cover is not two columns of 0 and 1.
        """
        if self.guessed and made.kind == "cover" and _is_matrix(made):
            raise ReadError(
                f"{path} has two columns, {self.id!r} and {self.cluster!r}, that hold 0 and 1 "
                "alone: this looks like a matrix of memberships, not like ids and clusters.",
                "give a matrix from Python, cd.Cover(frame.to_numpy()); or name the columns, "
                f"--id {self.id} --cluster {self.cluster}.",
            )
        if made.kind == "partition":
            self.refuse_repeats(path, made.repeats)
        return made

    def refuse_repeats(self, path: str, repeats: int) -> None:
        """Refuse ids of a partition that were only guessed and occur again."""
        if self.guessed and repeats:
            raise ReadError(
                f"{path} has no column that is called like an id, and {self.id!r}, which stands "
                f"beside {self.cluster!r}, holds {repeats:,} values twice.",
                f"name the ids with --id {self.id}, or say --no-id (id={self.id!r} or id='').",
            )


def find_columns(
    path: str,
    names: Sequence[str],
    *,
    id: str | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    kind: str = "partition",
) -> Columns:
    """Named columns must exist; the others are found by name, then by position.

    >>> find_columns("a.csv", ["Entity", "rec_id"])
    Columns(cluster='Entity', id='rec_id', sample=None, guessed=False, degree=None, wide=())
    >>> find_columns("a.csv", ["x", "y"]).id
    'x'
    >>> find_columns("a.csv", ["id", "jazz", "funk"], kind="fuzzy").wide
    ('jazz', 'funk')
    """
    named = ((id, "--id"), (cluster, "--cluster"), (sample, "--samples"), (degree, "--degree"))
    for wanted, flag in named:
        if wanted and wanted not in names:
            raise MissingColumn.from_names(path, wanted, names, flag)
    left = [name for name in names if name not in (id, cluster, sample, degree)]
    if kind in GRADED and degree is None:
        degree = _known(left, DEGREES)
        left = [name for name in left if name != degree]
        if degree is None and cluster is None and _known(left, CLUSTERS) is None:
            id = _known(left, IDS) if id is None else id
            wide = tuple(name for name in left if name != id)
            if len(wide) > 1:
                return Columns("", id or None, sample, wide=wide)
    elif kind not in GRADED:
        degree = None
    if cluster is None:
        cluster = _known(left, CLUSTERS)
    left = [name for name in left if name != cluster]
    if id is None:
        id = _known(left, IDS)
    left = [name for name in left if name != id]
    guessed = False
    if cluster is None:
        if id is None and len(left) == 2:
            id, guessed = left.pop(0), True
        if len(left) != 1:
            raise ReadError.ambiguous_columns(path, names)
        cluster = left.pop()
    elif id is None and len(left) == 1:
        id, guessed = left.pop(), True
    elif id is None and left:
        raise ReadError.ambiguous_columns(path, names)
    if kind in GRADED and degree is None and id and left:
        raise ReadError(
            f"{path} has the columns {', '.join(map(repr, names))}, and none is called like a "
            "degree of membership.",
            f'name it: --degree {left[0]} (degree="{left[0]}" in Python).',
        )
    return Columns(cluster, id or None, sample, guessed, degree)


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
                f"{path} has no column that is called like a cluster, so each is taken for the "
                f"degrees of one; but {name!r} holds other things than numbers.",
                f"name the ids, --id {name}, or the clusters and degrees, --cluster and --degree.",
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
        also = f"no column is called like an id; if {names[0]!r} holds them, name it: --id"
        raise InputError(error.message, f"{error.hint} Also, {also} {names[0]}.") from None
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
            "name the column of the ids with --id (id= in Python).",
        )
    graded: Any = SOFT[kind]
    made: AnyClustering = graded.from_rows(ids, labels, degrees, samples, **rest_for(kind, rest))
    return made


def _is_matrix(made: AnyClustering) -> bool:
    """Whether ids and labels are but 0 and 1."""
    labels = made.labels.tolist() if len(made.labels) <= 2 else [None]
    ids = made.ids.tolist() if made.ids is not None and len(made.ids) <= 2 else [None]
    return {str(value).lower() for value in [*labels, *ids]} <= BITS


def _known(names: Sequence[str], known: Sequence[str]) -> str | None:
    by_name = {str(name).strip().lower(): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), None)
