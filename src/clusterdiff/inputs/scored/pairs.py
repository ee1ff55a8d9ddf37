"""Scored pairs as a sweep reads them: numbers of objects and a score, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.backends.columns.pairs import PairColumns
from clusterdiff.backends.memory.match import numbered_together
from clusterdiff.clusterings import Column, column
from clusterdiff.errors import AlignmentError
from clusterdiff.errors.scored import ScoredPairsError

Precise = np.float16 | np.float32 | np.float64
PRECISIONS: dict[str, type[Precise]] = {
    "float16": np.float16, "halffloat": np.float16, "float32": np.float32, "float": np.float32,
}  # fmt: skip
"""Types of scores that are coarser than those of Python, as NumPy and Arrow call them."""


class PairChunk(NamedTuple):
    """Some pairs: the numbers of two objects, and their score."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, eq=False)
class ScoredSource:
    """Scored pairs, wherever they are."""

    shown: str
    """What to call them."""
    ids: Column
    """The id of each number."""
    objects: int
    """How many objects they name."""
    count: int
    """How many pairs there are."""
    chunks: Callable[[], Iterator[PairChunk]]
    distance: bool
    """Whether less is nearer."""
    columns: PairColumns | None = None
    """The columns that were taken, where they come from a table."""
    is_sorted: bool = False
    """Whether the strongest come first, and each pair once."""
    repeats: int = 0
    """How many pairs were left out since they were given before, in either direction."""
    self_pairs: int = 0
    """How many pairs were left out since they name one object twice."""
    scored: bool = True
    """Whether pairs have scores; without, each scores 1."""
    precision: type[Precise] = np.float64
    """The type in which scores were given, and in which thresholds are compared with them."""

    @property
    def score_name(self) -> str:
        """What the score is called, if it has a name."""
        return "" if self.columns is None else self.columns.score or ""

    @property
    def taken_for(self) -> str:
        """What it was taken for: which columns, and whether more or less is nearer."""
        how = "distance" if self.distance else "similarity"
        return how if self.columns is None else f"{self.columns} ({how})"


def scored_columns(
    shown: str,
    left: Any,
    right: Any,
    score: Any,
    *,
    distance: bool | None,
    columns: PairColumns | None = None,
    written: bool = False,
) -> ScoredSource:
    """Pairs that are in memory, from three columns; from two, where `score` is None."""
    first, second = (_ids(one, written) for one in (left, right))
    if score is None:
        given = np.ones(len(first))
    else:
        given = numbers_of(score, (columns and columns.score) or "score")
    values = given.astype(np.float64, copy=False)
    if not len(first) == len(second) == values.size:
        raise ScoredPairsError.from_lengths(len(first), len(second), values.size)
    if not values.size:
        raise ScoredPairsError.empty(shown)
    _refuse_nulls(first, second, values)
    try:
        (one, other), ids = numbered_together([first, second])
    except AlignmentError:
        raise ScoredPairsError(
            f"the two ids of a pair are of different types, such as {first[0]!r} and "
            f"{second[0]!r}: none can be equal.",
            "convert one of the two columns first.",
        ) from None
    is_distance = columns is not None and columns.is_distance if distance is None else distance
    chunk = PairChunk(one, other, values)
    return ScoredSource(
        shown, ids, len(ids), values.size, lambda: iter([chunk]), is_distance, columns,
        scored=score is not None, precision=precision_of(given.dtype),
    )  # fmt: skip


def _ids(values: Any, written: bool) -> Column:
    return column(values, written=written).hashed()


def precision_of(kind: Any) -> type[Precise]:
    """The type in which thresholds are compared with scores of a type of NumPy or Arrow."""
    return PRECISIONS.get(str(kind), np.float64)


def in_precision(threshold: float, precision: type[Precise]) -> float:
    """A threshold rounded as the scores are: 0.9 equals a score of 0.9 in 32 bits, too."""
    with np.errstate(over="ignore"):
        return float(precision(threshold))


def numbers_of(values: Any, name: str) -> NDArray[Any]:
    """Scores as numbers of the type they have; null is NaN."""
    if type(values).__module__.startswith("pyarrow"):
        values = (
            values.to_numpy(zero_copy_only=False) if _is_numeric(values) else values.to_pylist()
        )
    try:
        made = np.asarray(values)
        if made.dtype.kind in "biuf":
            exact = made.dtype.kind == "f" and made.dtype.itemsize <= 8
            return (made if exact else made.astype(np.float64)).reshape(-1)
        if made.dtype.kind == "O":
            return np.array([_number(value) for value in made.reshape(-1).tolist()], np.float64)
    except (TypeError, ValueError):
        pass
    listed = np.asarray(values, object).reshape(-1).tolist()
    wrong = [str(value) for value in listed if isinstance(value, str)] or listed
    raise ScoredPairsError.from_text(name, wrong[:3])


def _is_numeric(values: Any) -> bool:
    import pyarrow as pa

    kind = values.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _number(value: Any) -> float:
    """A number; NaN for null. A text is no number, whatever it holds."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, str | bytes):
        raise TypeError
    return float(value)


def _refuse_nulls(left: Column, right: Column, score: Floats) -> None:
    """Refuse pairs without an id or a score."""
    total = score.size
    lacking = np.zeros(total, np.bool_)
    for ids in (left, right):
        if (nulls := ids.nulls()) is not None:
            lacking |= nulls
    if lacking.any():
        raise ScoredPairsError.from_null_ids(int(lacking.sum()), total)
    unknown = np.flatnonzero(np.isnan(score))
    if unknown.size:
        pairs = [(left[i], right[i]) for i in unknown[:3].tolist()]
        raise ScoredPairsError.from_nulls(unknown.size, total, pairs)
