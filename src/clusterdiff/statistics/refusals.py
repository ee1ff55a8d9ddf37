"""Statistics that cannot be had, with the reason and what to do instead."""

from __future__ import annotations

from typing import Self

from clusterdiff.errors import ClusterdiffError, did_you_mean, shown

NULLS = ("permutation", "number", "uniform")


class ChanceError(ClusterdiffError):
    """A score that cannot be compared with chance."""

    @classmethod
    def from_null(cls, null: object) -> Self:
        """A null model that does not exist."""
        near = did_you_mean(null, NULLS) if isinstance(null, str) else ""
        return cls(
            f"unknown null model {shown(null)}.",
            f"{near}Choose from permutation (the guess is shuffled, its sizes kept), number (all "
            "partitions with as many clusters) and uniform (all partitions).",
        )

    @classmethod
    def from_number(cls, name: str, value: object) -> Self:
        """A number of draws or a seed that is none."""
        return cls(
            f"{name} must be a whole number from 0 on, got {shown(value)}.",
            f"write e.g. {name}={9999 if name == 'draws' else 0}.",
            f"write e.g. --{name} {9999 if name == 'draws' else 0}.",
        )

    @classmethod
    def from_undrawn(cls, measure: str, null: str) -> Self:
        """No draws for a measure that needs them."""
        return cls(
            f"{measure} has no standard deviation in closed form under the {null} model, so that "
            "draws are needed.",
            "leave draws out; rand, pair_f and adjusted_rand need none under permutation.",
        )

    @classmethod
    def from_too_many(cls, objects: int) -> Self:
        """More objects than can be drawn."""
        return cls(
            f"random guesses of {objects:,} objects cannot be drawn.",
            "draws=0 gives expected value, standard deviation and z of pair measures such as rand "
            "in closed form.",
            "--draws 0 gives expected value, standard deviation and z of pair measures such as "
            "rand in closed form.",
        )

    @classmethod
    def from_one_guess(cls, why: str, null: str) -> Self:
        """A model under which all guesses are alike."""
        message = (
            f"{why}: under the {null} model every guess scores alike, and there is no chance to "
            "compare with."
        )
        if null == "uniform":
            return cls(message, "compare two objects or more.")
        return cls(
            message, 'null="uniform" draws from all partitions.',
            "--null uniform draws from all partitions.",
        )  # fmt: skip

    @classmethod
    def from_no_spread(cls, measure: str, null: str, score: float) -> Self:
        """A measure that is the same for all guesses of a model."""
        return cls(
            f"{measure} is {score:.4g} for every guess of the {null} model: there is no spread to "
            "compare with.",
            "use another measure, such as elm_f or rand.",
        )

    @classmethod
    def from_kind(cls, sides: str) -> Self:
        """Clusterings that are no partitions."""
        return cls(
            f"random guesses are partitions; {sides}.",
            "clustering.harden() makes a partition of an uncertain clustering; cd.compare scores "
            "overlapping ones.",
        )

    @classmethod
    def from_measure(cls, measure: str, near: str) -> Self:
        """A measure of covers or of uncertain clusterings."""
        return cls(
            f"random guesses are partitions, and {measure} compares other clusterings.",
            f"{near} compares partitions.",
        )

    @classmethod
    def from_penalise(cls) -> Self:
        """Objects on one side only."""
        return cls(
            'align="penalise" leaves objects on one side only, and a random guess has all objects '
            "of the truth.",
            'use align="shared" or align="singletons".',
        )

    @classmethod
    def from_samples(cls) -> Self:
        """Comparisons in samples."""
        return cls(
            "a random guess is drawn for one comparison, and these are several samples.",
            "compare one sample at a time.",
        )
