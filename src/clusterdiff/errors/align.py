"""Objects that cannot be matched, and tables of counts that are no comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from clusterdiff.errors.base import ClusterdiffError, did_you_mean, examples, shorten, shown
from clusterdiff.errors.spelling import spelled_otherwise


def listed_names(names: Sequence[str], most: int = 8, width: int = 60) -> str:
    """Names of documents or files, the first of them."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shorten(name, width) for name in names[:most]) + more


def listed_files(names: Sequence[str]) -> str:
    """Names of files, which differ at their ends."""
    return listed_names(names, 3, 200)


class AlignmentError(ClusterdiffError):
    """The two clusterings do not speak of the same objects."""

    one_sided: bool = False
    """Whether objects are on one side only."""

    def of_pairs(self) -> Self:
        """The same of a clustering that pairs make, which lacks what no pair names."""
        return type(self)(
            f"{self.message} Objects that no pair names are not in a clustering of pairs.",
            self.hint,
            self.flags,
        )

    @classmethod
    def from_ids(
        cls,
        only_truth: Sequence[Any],
        only_guess: Sequence[Any],
        counts: tuple[int, int, int],
        soft: bool = False,
    ) -> Self:
        """Objects on one side only, some of them; counts are (only truth, only guess, all)."""
        in_truth, in_guess, total = counts
        shown_truth = f" ({examples(only_truth)})" if in_truth else ""
        shown_guess = f" ({examples(only_guess)})" if in_guess else ""
        message = (
            f"{in_truth:,} of {total:,} objects are only in truth{shown_truth}, "
            f"{in_guess:,} only in guess{shown_guess}."
        )
        if (spelling := spelled_otherwise(only_truth, only_guess)) is not None:
            return cls(f"{message} {spelling.sentence()}", spelling.hint())
        hint = (
            'say what they count as: align="singletons" (a cluster of their own), align="shared" '
            '(left out) or align="penalise" (they count as errors).'
        )
        error = cls(message, 'align="shared" leaves them out.' if soft else hint)
        error.one_sided = True
        return error

    @classmethod
    def from_positions(cls, truth: int, guess: int, fractions: bool = False) -> Self:
        """As many labels on each side; `fractions` where those of the guess are not whole."""
        told = (
            f"truth has {truth:,} labels, guess has {guess:,}. "
            "Without ids the two must list the same objects in the same order."
        )
        if fractions and guess == truth * (truth - 1) // 2:
            return cls(
                f"{told} Guess has a number for each pair of {truth:,} objects, as the condensed "
                "distances of SciPy have.",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                'cd.sweep(truth, linkage(guess, "average")).',
            )
        return cls(
            told,
            "give ids, e.g. cd.Partition(labels, ids=...), or dicts from id to label.",
            "give both a column of ids (--id names it).",
        )

    @classmethod
    def from_documents(
        cls, only_truth: Sequence[str], only_guess: Sequence[str], blank: Sequence[str] = ()
    ) -> Self:
        """Documents on one side only; `blank` are files that hold none."""
        sides = (("truth", only_truth), ("guess", only_guess))
        told = [f"{len(names):,} in {side} alone" + cls._named(names) for side, names in sides]
        hold = f" {len(blank):,} of the files hold{'s' if len(blank) == 1 else ''} no document: "
        empty = f"{hold}{listed_files(blank)}." if blank else ""
        return cls(
            f"some documents have no partner: {', '.join(told)}. Documents are paired by their "
            f"names, or by those of their files.{empty}",
            "add the files that are missing, or name those alike that belong together; "
            'align="penalise" counts the mentions of the others as errors, align="shared" leaves '
            "them out.",
        )

    @classmethod
    def from_other_documents(cls, truth: Sequence[str], guess: Sequence[str]) -> Self:
        """No document that both sides have: rather the wrong files than errors."""
        told = [
            f"{side} has {len(names):,} document{'' if len(names) == 1 else 's'}"
            f"{cls._named(names, 3)}"
            for side, names in (("truth", truth), ("guess", guess))
        ]
        return cls(
            f"{', '.join(told)}, and none is in both.",
            "are these the files of the same corpus? Documents are paired by their names, or by "
            "those of their files.",
        )

    @classmethod
    def _named(cls, names: Sequence[str], most: int = 8) -> str:
        return f" ({listed_names(names, most)})" if names else ""

    @classmethod
    def from_id_types(
        cls,
        truth: str,
        guess: str,
        shown: tuple[Any, Any],
        names: tuple[str, str] = ("truth", "guess"),
    ) -> Self:
        """Ids of different types, such as 7 and '7'."""
        return cls(
            f"the ids of {names[0]} are {truth} (such as {examples(shown[:1])}), "
            f"those of {names[1]} are {guess} (such as {examples(shown[1:])}): none can be equal.",
            "convert one side first, e.g. {str(id): label for id, label in guess.items()}.",
        )

    @classmethod
    def from_one_sided_ids(cls, side: str, other: str) -> Self:
        """One clustering has ids, the other has none."""
        return cls(
            f"{side} has ids, {other} has none, so their objects cannot be matched.",
            f"give {other} ids too, e.g. cd.Partition(labels, ids=...).",
            f"give {other} a column of ids (--id names it); --no-id takes the rows of both in "
            "their order.",
        )

    @classmethod
    def from_policy(cls, policy: object, known: Sequence[str]) -> Self:
        """An alignment policy that does not exist, or that only a consensus has."""
        if policy == "abstain":
            return cls(
                'align="abstain" is for a consensus, where each pair of objects counts only in the '
                "runs that have both.",
                f"choose from {', '.join(known)}.",
            )
        near = did_you_mean(policy, known) if isinstance(policy, str) else ""
        return cls(
            f"unknown alignment policy {shown(policy)}.", f"{near}Choose from {', '.join(known)}."
        )

    @classmethod
    def nothing_shared(cls, truth: Sequence[Any] = (), guess: Sequence[Any] = ()) -> NothingShared:
        """After alignment no object is left to compare; these are some of each side."""
        if (spelling := spelled_otherwise(truth, guess)) is not None:
            return NothingShared(
                "truth and guess have no object in common, so there is nothing to compare. "
                f"{spelling.sentence()}",
                spelling.hint(),
            )
        return NothingShared(
            "truth and guess have no object in common, so there is nothing to compare.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )

    @classmethod
    def nothing_shared_by_all(cls, guesses: int) -> NothingShared:
        """Truth shares objects with each guess, but none with all of them."""
        return NothingShared(
            f"truth and the {guesses:,} guesses have no object in common, so there is nothing to "
            "compare.",
            'compare fewer of them at a time, or use align="singletons" or align="penalise".',
        )


class NothingShared(AlignmentError):
    """No object is on both sides."""


class UnknownObject(ClusterdiffError):
    """An object that the comparison does not have, or has several times."""

    @classmethod
    def from_id(cls, wanted: object, positions: bool, count: int) -> Self:
        """An id that no object has."""
        hint = "ids must match exactly; blanks and leading zeros count."
        if positions:
            hint = f"there are no ids, so objects are named by their positions, 0 to {count - 1}."
        return cls(f"no object has the id {examples([wanted])}.", hint)


class MeetError(ClusterdiffError):
    """A meet cannot be made of these rows, or not of these meets."""

    @classmethod
    def from_lengths(cls, lengths: dict[str, int]) -> Self:
        """Columns of different lengths."""
        told = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        return cls(
            f"the columns of a meet have one entry for each row, but {told}.",
            "give a truth cluster, a guess cluster and a number of objects for each row.",
        )
