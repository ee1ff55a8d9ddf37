"""Which objects are compared: what becomes of objects that one side lacks, of noise and of nulls.

It is decided here for all kinds and engines. Memory, SQL and comparisons with names carry a `Plan`
out and decide nothing; what a plan refuses, it refuses in its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal, NamedTuple

from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.contingency import ABSTAIN, Policy
from clusterdiff.contingency.alignment import Alignment
from clusterdiff.errors import (
    AlignmentError,
    AllNoise,
    InputError,
    KindError,
    NothingShared,
    listed_names,
    spelled_most,
)

Kind = Literal["partition", "cover", "soft"]
Said = Literal["label", "noise", "null", "nothing"]
"""What a side says of an object; nothing if it lacks the object."""


class Fate(IntEnum):
    """What an object becomes on a side."""

    KEPT = 0
    """What the side says of it."""
    ALONE = 1
    """In a cluster of its own; of an object of a cover, besides its clusters that are no noise."""
    MISSING = 2
    """In no cluster, and unknown: an error of the side that lacks it, or that has it in excess."""
    DROPPED = 3
    """Left out, on both sides."""
    REFUSED = 4
    """None: there is no comparison."""


LACKED: Final = {
    "exact": Fate.REFUSED,
    "shared": Fate.DROPPED,
    "singletons": Fate.ALONE,
    "penalise": Fate.MISSING,
    "abstain": Fate.MISSING,
}
"""By `align`, what an object becomes on a side that lacks it."""

NOISE: Final = {"singletons": Fate.ALONE, "drop": Fate.DROPPED}
"""By `noise_as`, what an object becomes on a side that calls it noise."""

NULL: Final = {"partition": Fate.REFUSED, "cover": Fate.KEPT}
"""By the kind of a side, what an object with a null label becomes there, unless null is noise: a
partition has to say where it is, in a cover it is in no cluster. Uncertain sides have no nulls.
"""

UNCERTAIN: Final = ("exact", "shared")
"""What `align` may be beside an uncertain side, which has no form for objects that it lacks."""


@dataclass(frozen=True)
class AlignmentPlan:
    """What is done with each object of a comparison."""

    policy: Policy
    """What was asked for."""
    kind: Kind
    """Of partitions alone, of covers, or with an uncertain side."""
    lacked: Fate
    """What an object becomes on a side that lacks it."""
    noise: Fate
    """What an object becomes on a side that calls it noise; kept where nothing is noise."""
    labels: Sequence[Any] = ()
    """The labels that mean noise."""
    notes: list[tuple[str, str]] = field(default_factory=list, compare=False)
    """What was found on the way and is reported with the alignment: (truth, guess or "", a
    sentence).
    """

    def null(self, kind: str) -> Fate:
        """What an object with a null label becomes on a side of this kind; a run that may abstain
        does so where its label is null.
        """
        if None in self.labels:
            return self.noise
        return Fate.MISSING if self.policy.align == ABSTAIN else NULL.get(kind, Fate.KEPT)

    def fates(
        self, truth: Said, guess: Said, kinds: tuple[str, str] = ("partition", "partition")
    ) -> tuple[Fate, Fate]:
        """What an object becomes in truth and in guess, by what each says of it."""
        found = [
            {
                "label": Fate.KEPT,
                "noise": Fate.REFUSED if self.labels and kind in SOFT else self.noise,
                "null": self.null(kind),
                "nothing": self.lacked,
            }[said]
            for said, kind in zip((truth, guess), kinds, strict=True)
        ]
        worst = max(found)
        return (worst, worst) if worst >= Fate.DROPPED else (found[0], found[1])

    @property
    def one_sided(self) -> bool:
        """Whether objects on one side only are compared."""
        return self.lacked in (Fate.ALONE, Fate.MISSING)

    @property
    def selects(self) -> bool:
        """Whether objects of truth may be left out."""
        return Fate.DROPPED in (self.lacked, self.noise)

    @property
    def heeds_others(self) -> bool:
        """Whether a guess may change which objects other guesses are judged on: those that it
        lacks or calls noise are left out for all, those that it adds are alone on other sides.
        """
        return self.selects or self.lacked is Fate.ALONE

    def touches_others(self, found: Alignment) -> bool:
        """Whether a guess that was matched so does change that."""
        added = {Fate.DROPPED: found.only_truth, Fate.ALONE: found.only_guess}.get(self.lacked)
        return bool(added or (self.noise is Fate.DROPPED and found.noise))

    def alignment(
        self, only_truth: int = 0, only_guess: int = 0, noise: int = 0, repeats: int = 0
    ) -> Alignment:
        """What is reported: objects on one side only, whatever became of them, and noise among the
        objects that are compared or would be.
        """
        noise_as = self.policy.noise_as if self.labels else ""
        counts = only_truth, only_guess, noise, noise_as, repeats
        return Alignment(self.policy.align, *counts, notes=tuple(self.notes))

    def check(
        self,
        both: int,
        alone: tuple[int, int],
        total: int,
        ids: Callable[[], tuple[Sequence[Any], Sequence[Any]]],
    ) -> None:
        """Refuse objects as they were matched: how many both sides have, how many each has alone,
        and how many there are; `ids` finds some that are on one side only.
        """
        if self.lacked is Fate.REFUSED and any(alone):
            raise AlignmentError.from_ids(*ids(), (*alone, total), soft=self.kind == "soft")
        if not both and self.refuses_strangers(*alone):
            raise AlignmentError.nothing_shared(*ids())
        self.note_spelling(alone, ids)

    def note_spelling(
        self, alone: tuple[int, int], ids: Callable[[], tuple[Sequence[Any], Sequence[Any]]]
    ) -> None:
        """Note ids on one side only that are on the other, written in another way."""
        if all(alone) and (spelling := spelled_most(*ids())) is not None:
            self.notes.append(("", spelling.note()))

    def refuses_strangers(self, only_truth: int, only_guess: int) -> bool:
        """Whether sides without a common object cannot be compared. A guess that has nothing can
        be completed by singletons, and so can one sample of several; two sides that have only
        other objects come from different data.
        """
        strangers = self.lacked is Fate.ALONE and only_truth > 0 and only_guess > 0
        return (strangers and not self.policy.part) or self.lacked is Fate.DROPPED

    def skips(self, error: AllNoise | NothingShared) -> bool:
        """Whether a sample of which nothing is left to compare is left out, and named as such."""
        return isinstance(error, AllNoise) or self.lacked is Fate.DROPPED

    def check_nulls(
        self, side: str, count: int, total: int, ids: Callable[[], Sequence[Any]]
    ) -> None:
        """Refuse null labels of a partition, unless they are noise."""
        if count and self.null("partition") is Fate.REFUSED:
            dropped = self.policy.noise_as == "drop"
            raise InputError.from_nulls(side, count, total, ids(), dropped)

    def check_noise(self, uncertain: Collection[Any], hard: bool) -> None:
        """Refuse noise that is a cluster of an uncertain side, or that no side can have: it is a
        label of a partition, and an uncertain side says "in no cluster" by its masses.
        """
        if self.labels and (uncertain or not hard):
            what = "none is one"
            if uncertain:
                what = f"{next(iter(uncertain))!r} is a cluster of the uncertain side"
            raise KindError(
                f"noise is a label of a partition; {what}.",
                "put the mass of noise on the empty set instead, and leave noise out.",
            )

    def nothing_left(self, guesses: int) -> InputError | AlignmentError:
        """What to say where no object is left that several guesses could be judged on."""
        if self.noise is Fate.DROPPED:
            return AllNoise.dropped()
        return AlignmentError.nothing_shared_by_all(guesses)


def plan_of(policy: Policy, *kinds: str) -> AlignmentPlan:
    """The plan for a policy and sides of these kinds; refused where they do not go together."""
    kind: Kind = "partition" if set(kinds) <= {"partition"} else "cover"
    if any(one in SOFT for one in kinds):
        kind = "soft"
        if policy.align not in UNCERTAIN:
            raise KindError.from_missing_side()
    labels = policy.noise_labels
    noise = NOISE[policy.noise_as] if labels else Fate.KEPT
    return AlignmentPlan(policy, kind, LACKED[policy.align], noise, labels)


# Documents that only one of two clusterings has: files without a partner in the other folder.


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
