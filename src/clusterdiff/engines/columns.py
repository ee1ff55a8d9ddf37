"""Which column is which: ids, clusters, samples, by name or by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, Partition, Rough
from clusterdiff.errors import InputError, MissingColumn, ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """The names of the columns that hold a clustering."""

    cluster: str
    id: str | None
    sample: str | None
    guessed: bool = False
    """Whether the ids are a column that nothing but its place speaks for."""
    degree: str | None = None

    def chosen(self) -> list[str]:
        """The columns to read, cluster first."""
        names = (self.cluster, self.id, self.sample, self.degree)
        return [name for name in names if name is not None]

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
        if self.guessed and made.kind == "partition" and made.repeats:
            raise ReadError(
                f"{path} has no column that is called like an id, and {self.id!r}, which stands "
                f"beside {self.cluster!r}, holds {made.repeats:,} values twice.",
                f"name the ids with --id {self.id}, or say --no-id (id={self.id!r} or id='').",
            )
        return made


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
    Columns(cluster='Entity', id='rec_id', sample=None, guessed=False, degree=None)
    >>> find_columns("a.csv", ["x", "y"]).id
    'x'
    """
    named = ((id, "--id"), (cluster, "--cluster"), (sample, "--samples"), (degree, "--degree"))
    for wanted, flag in named:
        if wanted and wanted not in names:
            raise MissingColumn.from_names(path, wanted, names, flag)
    left = [name for name in names if name not in (id, cluster, sample, degree)]
    if kind in GRADED and degree is None:
        degree = _known(left, DEGREES)
        left = [name for name in left if name != degree]
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


def made_of_rows(kind: str, labels: Any, ids: Any, samples: Any, degrees: Any) -> AnyClustering:
    """A clustering of a kind from rows (id, label, perhaps degree), one per object without ids."""
    if kind in ("cover", "rough"):
        made = Cover if kind == "cover" else Rough
        if ids is None:
            return made(Partition(labels, samples=samples))
        return made.from_rows(ids, labels, samples)
    if degrees is None:
        return Partition(labels, ids, samples)
    if ids is None:
        raise InputError(
            "degrees of membership need an id for each row, since an object has several rows.",
            "name the column of the ids with --id (id= in Python).",
        )
    graded: AnyClustering = SOFT[kind].from_rows(ids, labels, degrees, samples)  # type: ignore[attr-defined]
    return graded


def _is_matrix(made: AnyClustering) -> bool:
    """Whether ids and labels are but 0 and 1."""
    labels = made.labels.tolist() if len(made.labels) <= 2 else [None]
    ids = made.ids.tolist() if made.ids is not None and len(made.ids) <= 2 else [None]
    return {str(value).lower() for value in [*labels, *ids]} <= BITS


def _known(names: Sequence[str], known: Sequence[str]) -> str | None:
    by_name = {str(name).strip().lower(): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), None)
