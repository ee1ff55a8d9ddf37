"""What all kinds of clusterings have in common: objects, perhaps with ids, perhaps in samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clusterdiff.clusterings.origin import Origin


class Clustering(ABC):
    """What is said of each object; ids and samples are one value per object, or None."""

    kind: ClassVar[str]
    repeats: int = 0
    """How often the same was said of the same object again."""
    notes: tuple[str, ...] = ()
    """What else to know of how it was read."""
    bare_words: Mapping[str, int] = MappingProxyType({})
    """How often a text for a missing value, such as NA, stands without quotes as a label in the
    file that it was read from.
    """
    origin: Origin | None = None
    """The columns that it was read from, if it comes from a table."""
    asked: str = ""
    """The kind that it was to be, where it has no degrees and is a partition instead."""

    def __init__(self, size: int, ids: object = None, samples: object = None) -> None:
        self.ids = fitting("ids", ids, size)
        self.samples = fitting("samples", samples, size)
        if self.ids is not None and (nulls := self.ids.nulls()) is not None:
            raise InputError.from_null_ids(int(nulls.sum()), size)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, index: NDArray[np.int64]) -> Self:
        """The same clustering of the objects at these positions."""

    def distinct(self) -> Self:
        """The same clustering with each object once."""
        return self

    def id_of(self, position: int) -> Any:
        """The id of an object, or its position where there are no ids."""
        return position if self.ids is None else self.ids[position]


def fitting(what: str, values: object, size: int) -> Column | None:
    """A column of as many values as there are objects."""
    if values is None:
        return None
    made = column(values).hashed()
    if len(made) != size:
        raise InputError.from_lengths(what, len(made), size)
    return made
