"""What all kinds of clusterings have in common: objects, perhaps with ids, perhaps in samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.columns import Column, column
from clusterdiff.clusterings.grouping import by_appearance, number, pair_keys
from clusterdiff.errors import ClusterdiffError, InputError

# Which columns of a table a clustering was read from.

SHOWN = 3
"""Columns with the degrees of a cluster each that are named."""


@dataclass(frozen=True)
class Origin:
    """The columns that were taken, and how many files they are from.

    >>> print(Origin("gold", "unique_id"), Origin("cluster", files=3), sep="; ")
    id: unique_id, cluster: gold; rows in order, cluster, 3 files
    """

    cluster: str
    """"" where each cluster has a column of its own."""
    id: str | None = None
    """None where rows count in their order."""
    sample: str | None = None
    degree: str | None = None
    wide: tuple[str, ...] = ()
    """Columns of degrees, one for each cluster."""
    files: int = 1
    parts: tuple[str, ...] = ()
    """The columns of the ids where these are several."""
    others: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The other columns of the table."""
    count: str | None = None
    """The column that says how many objects each row stands for."""

    def __str__(self) -> str:
        wide = ", ".join(map(_shown, self.wide[:SHOWN]))
        told = [
            self.sample is not None and labelled("sample", self.sample),
            "rows in order" if self.id is None else labelled("id", self.id),
            self.cluster and labelled("cluster", self.cluster),
            self.degree is not None and labelled("degree", self.degree),
            self.count is not None and labelled("count", self.count),
            wide and f"degrees: {wide}",
            len(self.wide) > SHOWN and f"… {len(self.wide)} columns",
            self.files > 1 and f"{self.files:,} files",
        ]
        return ", ".join(one for one in told if one)

    def names(self) -> list[str]:
        """All columns of the table."""
        own = (*(self.parts or (self.id,)), self.cluster, self.sample, self.degree, self.count)
        named = (*own, *self.wide, *self.others)
        return list(dict.fromkeys(name for name in named if name))

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, as JSON-ready values."""
        found: dict[str, Any] = {
            "id": list(self.parts) or self.id,
            "cluster": self.cluster or list(self.wide),
        }
        if self.sample is not None:
            found["sample"] = self.sample
        if self.degree is not None:
            found["degree"] = self.degree
        if self.count is not None:
            found["count"] = self.count
        return found | ({"files": self.files} if self.files > 1 else {})


@dataclass(frozen=True)
class LinkedOrigin(Origin):
    """The pairs that were linked: columns where they have some, and which scores link.

    >>> print(LinkedOrigin("", left="id_l", right="id_r", score="score", threshold=0.9))
    left: id_l, right: id_r, score >= 0.9
    """

    left: str = ""
    """"" where pairs are in no table."""
    right: str = ""
    score: str | None = None
    threshold: float | None = None
    """None where all pairs link."""
    distance: bool = False
    """Whether less is nearer."""
    sides: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The columns of the two ids where these are several each."""

    def __str__(self) -> str:
        ids = ((role, name) for role, name in (("left", self.left), ("right", self.right)) if name)
        told = [labelled(role, name) for role, name in ids] or ["pairs"]
        if self.threshold is None:
            told.append("all pairs")
        else:
            score = labelled("score", self.score or "score")
            told.append(f"{score} {'<=' if self.distance else '>='} {self.threshold:.6g}")
        return ", ".join([*told, *([f"{self.files:,} files"] if self.files > 1 else [])])

    def to_dict(self) -> dict[str, Any]:
        """The columns by what they hold, and the threshold, as JSON-ready values."""
        left, right = map(list, self.sides) if self.sides else (self.left, self.right)
        found = {"left": left or None, "right": right or None, "score": self.score}
        return found | {"threshold": self.threshold, "distance": self.distance}


def labelled(role: str, name: str) -> str:
    """What a column was taken for, and its name where it is another.

    >>> labelled("id", "unique_id"), labelled("id", "ID")
    ('id: unique_id', 'id: ID')
    >>> labelled("id", "id")
    'id'
    """
    return role if name == role else f"{role}: {_shown(name)}"


def _shown(name: str) -> str:
    name = " ".join(name.split())
    return (name if len(name) <= 30 else name[:29] + "…") or "(unnamed)"


class Clustering(ABC):
    """The profile of each object; ids and samples are one value per object, or None."""

    kind: ClassVar[str]
    counts: Ints | None = None
    """How many objects each stands for; None where each is one."""
    counted: str = ""
    """What the counts are called."""
    sources: Ints | None = None
    """The number of the source of each object, where only pairs across sources count."""
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
    source: Any = None
    """That table, whose other columns are looked up by id: a frame, or how a file is read."""
    documents: tuple[str, ...] = ()
    """The documents that were read, those without an object too, where files have documents."""
    blank: tuple[str, ...] = ()
    """The files that hold no document, where others do."""
    reading: str = ""
    """How it was read where its format can be read in several ways, which scores depend on."""
    mentions: Any = None
    """What its mentions are made of, where they match by more than their ids."""
    turns: Any = None
    """The turns of speakers that it was made of, where it is speech."""
    index: Any = None
    """The index of pandas that its objects came with, where they have no ids."""
    asked: str = ""
    """The kind that it was to be, where it has no degrees and is a partition instead."""

    def __init__(self, size: int, ids: object = None, samples: object = None) -> None:
        self.ids = column_of_length("ids", ids, size)
        self.samples = column_of_length("samples", samples, size)
        if self.ids is not None and (nulls := self.ids.nulls()) is not None:
            raise InputError.from_null_ids(int(nulls.sum()), size)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, index: Ints) -> Self:
        """The same clustering of the objects at these positions."""

    def _check_repeats(self, way: str) -> None:
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
        if self.counts is not None:
            made.counts, made.counted = self.counts[index], self.counted
        if self.sources is not None:
            made.sources = self.sources[index]
        return made

    def counting_like(self, other: Clustering) -> Self:
        """This clustering, with the counts that another one of the same objects has."""
        self.counts, self.counted, self.sources = other.counts, other.counted, other.sources
        return self

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


def column_of_length(what: str, values: object, size: int) -> Column | None:
    """A column of as many values as there are objects."""
    if values is None:
        return None
    made = column(values).hashed()
    if len(made) != size:
        raise InputError.from_lengths(what, len(made), size)
    return made
