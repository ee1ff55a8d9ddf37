"""What all kinds of clusterings have in common: objects, perhaps with ids, perhaps in samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import by_appearance, number, pair_keys
from clusterdiff.clusterings.origin import Origin
from clusterdiff.errors import ClusterdiffError, InputError


class Clustering(ABC):
    """The profile of each object; ids and samples are one value per object, or None."""

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
    documents: tuple[str, ...] = ()
    """The documents that were read, those without an object too, where files have documents."""
    blank: tuple[str, ...] = ()
    """The files that hold no document, where others do."""
    reading: str = ""
    """How it was read where its format can be read in several ways, which scores depend on."""
    mentions: Any = None
    """What its mentions are made of, where they match by more than their ids."""
    index: Any = None
    """The index of pandas that its objects came with, where they have no ids."""
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
    def take(self, index: Ints) -> Self:
        """The same clustering of the objects at these positions."""

    def _refuse_repeats(self, way: str) -> None:
        """Refuse ids that name several objects; `way` is how a table of such rows is read."""
        if self.ids is None or (self.samples is None and self.ids.all_differ()):
            return
        keys = object_keys(self.ids, self.samples)
        if again := keys.size - number(keys)[1]:
            raise InputError(
                f"{again:,} ids occur again, and each is one object.",
                f"for a table with several rows per id use {way}.",
            )

    def _taken(self, index: Ints, **own: Any) -> Self:
        """A clustering of the objects at these positions that says this of them."""
        made = object.__new__(type(self))
        vars(made).update(own)
        made.ids = None if self.ids is None else self.ids.take(index)
        made.samples = None if self.samples is None else self.samples.take(index)
        return made

    def distinct(self) -> Self:
        """The same clustering with each object once."""
        return self

    def id_of(self, position: int) -> Any:
        """The id of an object, or its position where there are no ids."""
        return position if self.ids is None else self.ids[position]


def pandas_series(values: Any, index: Any, name: str) -> Any:
    """A Series of pandas, which need not be installed for anything else."""
    try:
        import pandas as pd
    except ImportError:
        raise ClusterdiffError(
            "a Series needs pandas, which is not installed.", "pip install pandas"
        ) from None
    return pd.Series(values, index, name=name)


def object_keys(ids: Column, samples: Column | None) -> Ints:
    """A number for each row, equal where rows speak of the same object."""
    return ids.keys if samples is None else pair_keys(samples.keys, ids.keys)


def owners_of_rows(
    rows: int, ids: Column, samples: Column | None
) -> tuple[Ints, Column, Column | None]:
    """The object of each row of a table with several per object; ids and samples of objects."""
    for what, given in (("ids", ids), ("samples", samples)):
        if given is not None and len(given) != rows:
            raise InputError.from_lengths(what, len(given), rows)
    owner, first = by_appearance(object_keys(ids, samples))
    return owner, ids.take(first), samples and samples.take(first)


def fitting(what: str, values: object, size: int) -> Column | None:
    """A column of as many values as there are objects."""
    if values is None:
        return None
    made = column(values).hashed()
    if len(made) != size:
        raise InputError.from_lengths(what, len(made), size)
    return made
