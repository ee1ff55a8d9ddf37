"""Which columns truth and guesses were read from, for all that is printed of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from clusterdiff.backends.table import Table
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.origin import Origin

    Side = AnyClustering | Table


class Origins(NamedTuple):
    """The columns of truth and of each guess; None of what comes from no table."""

    truth: Origin | None = None
    guesses: Mapping[str, Origin | None] = MappingProxyType({})

    @classmethod
    def of(cls, truth: Side, guesses: Mapping[str, Side]) -> Origins:
        """Those of sides, in memory or where they are."""
        return cls(truth.origin, {name: side.origin for name, side in guesses.items()})

    @property
    def _all(self) -> dict[str, Origin]:
        named = [("truth", self.truth), *self.guesses.items()]
        return {name: one for name, one in named if one is not None}

    def sentence(self) -> str:
        """The columns in a sentence; those of all sides once where they are the same."""
        shown = {name: str(one) for name, one in self._all.items()}
        if len(shown) == 1 + len(self.guesses) and len(set(shown.values())) == 1:
            return f"Columns: {next(iter(shown.values()))}."
        told = ", ".join(f"{name} {one}" for name, one in shown.items())
        return f"Columns: {told}." if told else ""

    def to_dict(self) -> dict[str, Any]:
        """An entry for programs, where there is anything to tell."""
        if not self._all:
            return {}
        guesses = {name: one and one.to_dict() for name, one in self.guesses.items()}
        return {"columns": {"truth": self.truth and self.truth.to_dict(), "guesses": guesses}}


NOWHERE = Origins()
"""Of clusterings that come from no table."""
