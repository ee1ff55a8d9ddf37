"""Documents that only one of two clusterings has: files without a partner in the other folder."""

from __future__ import annotations

from typing import NamedTuple

from clusterdiff.backends.alignment import Fate, plan_of
from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import AlignmentError
from clusterdiff.errors.align import listed_names
from clusterdiff.meet import Policy


class Unpaired(NamedTuple):
    """Documents with objects that the other side has not read."""

    truth: list[str]
    guess: list[str]
    shared: bool = True
    """Whether any document is on both sides."""
    blank: tuple[str, ...] = ()
    """Files that hold none."""

    @classmethod
    def of(cls, truth: AnyClustering, guess: AnyClustering) -> Unpaired:
        """Those of two clusterings that were read from documents."""
        if not truth.documents or not guess.documents:
            return cls([], [])
        shared = not set(truth.documents).isdisjoint(guess.documents)
        lacked = _lacked(truth, guess), _lacked(guess, truth)
        return cls(*lacked, shared, truth.blank + guess.blank)

    def refuse(self, policy: Policy) -> None:
        """Refuse them, where nothing is said of objects on one side only, and where no document is
        on both sides.
        """
        if self.truth and self.guess and not self.shared:
            raise AlignmentError.from_other_documents(self.truth, self.guess)
        if (self.truth or self.guess) and plan_of(policy).lacked is Fate.REFUSED:
            raise AlignmentError.from_documents(self.truth, self.guess, self.blank)

    def notes(self) -> tuple[tuple[str, str], ...]:
        """What to say of them where they are counted."""
        return tuple(
            (side, f"{_count(names)} only here: {listed_names(names)}")
            for side, names in (("truth", self.truth), ("guess", self.guess))
            if names
        )


def _lacked(one: AnyClustering, other: AnyClustering) -> list[str]:
    known = set(other.documents)
    if known.issuperset(one.documents) or one.samples is None:
        return []
    with_objects = set(map(str, one.samples.tolist()))
    return [name for name in one.documents if name in with_objects and name not in known]


def _count(names: list[str]) -> str:
    return "1 document is" if len(names) == 1 else f"{len(names):,} documents are"
