"""What truth and guesses were read from, and taken for, for all that is printed of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from clusterdiff.backends.table import Table
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.origin import Origin
    from clusterdiff.meet import Meet

    Side = AnyClustering | Table


class Origins(NamedTuple):
    """The columns of truth and of each guess; None of what comes from no table."""

    truth: Origin | None = None
    guesses: Mapping[str, Origin | None] = MappingProxyType({})
    truth_asked: str = ""
    """The kind that truth was to be, where it has no degrees and is a partition instead."""
    guesses_asked: Mapping[str, str] = MappingProxyType({})
    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    @classmethod
    def of(cls, truth: Side, guesses: Mapping[str, Side]) -> Origins:
        """Those of sides, in memory or where they are."""
        origins = {name: side.origin for name, side in guesses.items()}
        return cls(truth.origin, origins, truth.asked, {n: g.asked for n, g in guesses.items()})

    def with_notes_of(self, meets: Mapping[str, Meet]) -> Origins:
        """The same with the notes that the comparison of each guess carries."""
        found = []
        for name, meet in meets.items():
            both = name if len(meets) > 1 else ""
            called = {"truth": "truth", "guess": name, "": both}
            found += [(called[side], note) for side, note in meet.alignment.notes]
        return self._replace(read=said(found))

    @property
    def _all(self) -> dict[str, Origin]:
        named = [("truth", self.truth), *self.guesses.items()]
        return {name: one for name, one in named if one is not None}

    def sentence(self) -> str:
        """The columns in a sentence; those of all sides once where they are the same."""
        shown = {name: str(one) for name, one in self._all.items()}
        if len(shown) == 1 + len(self.guesses) and len(set(shown.values())) == 1:
            return f"Columns: {next(iter(shown.values()))}."
        told = ", ".join(f"{name} [{one}]" for name, one in shown.items())
        return f"Columns: {told}." if told else ""

    def notes(self) -> list[str]:
        """How sides were read that may mean something else, and which of them are partitions,
        though uncertain clusterings were asked for.
        """
        asked = [("truth", self.truth_asked), *self.guesses_asked.items()]
        so = "so it is compared as a partition"
        return [*self.read, *(f"{name}: no {kind} degrees, {so}" for name, kind in asked if kind)]

    def to_dict(self) -> dict[str, Any]:
        """Entries for JSON, if there are any."""
        told: dict[str, Any] = {}
        if self._all:
            guesses = {name: one and one.to_dict() for name, one in self.guesses.items()}
            columns = {"truth": self.truth and self.truth.to_dict(), "guesses": guesses}
            told["columns"] = columns
        if self.read:
            told["notes"] = list(self.read)
        if self.truth_asked or any(self.guesses_asked.values()):
            asked = {name: _taken(kind) for name, kind in self.guesses_asked.items()}
            told["taken_for"] = {"truth": _taken(self.truth_asked), "guesses": asked}
        return told


def said(notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Notes on sides as lines, each once.

    >>> said([("a.csv", "read as UTF-16"), ("", "3 ids differ"), ("", "3 ids differ")])
    ('a.csv: read as UTF-16', '3 ids differ')
    """
    return tuple(dict.fromkeys(": ".join(filter(None, note)) for note in notes))


def _taken(asked: str) -> str | None:
    return "partition" if asked else None


NOWHERE = Origins()
"""Of clusterings that come from no table."""
