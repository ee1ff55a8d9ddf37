"""Statistics that cannot be had, with the reason and what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from clusterdiff.errors import ClusterdiffError, a_type, did_you_mean, examples, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

NULLS = ("permutation", "number", "uniform")
TABLES = (
    "a row per stratum has the columns stratum, pairs, labelled, matches and predicted; a row per "
    "labelled pair has stratum, predicted, label and pairs (all pairs of its stratum)."
)


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
            "leave --draws out; rand, pair_f and adjusted_rand need none under permutation.",
        )

    @classmethod
    def from_too_many(cls, objects: int) -> Self:
        """More objects than can be drawn."""
        return cls(
            f"random guesses of {objects:,} objects cannot be drawn.",
            "draws=0 has a closed form of pair measures, such as rand, for shuffled guesses: "
            "expected value, standard deviation and z.",
            "--draws 0 has a closed form of pair measures, such as rand, for shuffled guesses: "
            "expected value, standard deviation and z.",
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


class LabelledPairsError(ClusterdiffError):
    """Labels of pairs that do not make an estimate."""

    @classmethod
    def from_nothing(cls) -> Self:
        """No stratum."""
        return cls("there are no labelled pairs.", TABLES)

    @classmethod
    def from_columns(cls, missing: Sequence[str], found: Sequence[str]) -> Self:
        """A table of other columns."""
        lacks = ", ".join(missing)
        named = ", ".join(name or "(unnamed)" for name in found) or "none"
        return cls(f"the table has no column {lacks}; it has {named}.", TABLES)

    @classmethod
    def from_values(cls, column: str, wrong: Sequence[object], rows: int, wanted: str) -> Self:
        """Values that a column cannot hold."""
        return cls(
            f"{len(wrong):,} of {rows:,} values of {column} are not {wanted} ({examples(wrong)}).",
            f"write {wanted} in each row; leave out pairs that nobody could decide.",
        )

    @classmethod
    def from_rows(cls, value: object) -> Self:
        """Something that is no table."""
        return cls(f"{a_type(value)} holds no strata of labelled pairs.", TABLES)

    @classmethod
    def from_repeated(cls, names: Sequence[object]) -> Self:
        """Strata that are given twice."""
        return cls(
            f"{len(names):,} strata have several rows ({examples(names)}).",
            "write one row for each stratum, or one for each labelled pair.",
        )

    @classmethod
    def from_mixed(cls, column: str, names: Sequence[object]) -> Self:
        """Strata whose rows contradict each other."""
        return cls(
            f"{len(names):,} strata have several values of {column} ({examples(names)}).",
            f"{column} is the same for all pairs of a stratum: split strata in which it is not.",
        )

    @classmethod
    def from_sizes(cls, lacking: Sequence[str], unknown: Sequence[str]) -> Self:
        """Strata without a size, and sizes without a stratum."""
        told = [f"the number of pairs is not given for {examples(lacking)}"] if lacking else []
        told += [f"no labelled pair is in {examples(unknown)}"] if unknown else []
        one = (*lacking, *unknown)[0]
        return cls(
            f"{' and '.join(told)}.",
            f"give the number of all pairs of each stratum: a column pairs, or "
            f"sizes={{{one!r}: 8000}}.",
            f"give the number of all pairs of each stratum: a column pairs, or --size {one}=8000.",
        )

    @classmethod
    def from_sizes_twice(cls) -> Self:
        """Sizes beside a table that has them."""
        return cls(
            "a table with a row per stratum has the number of all pairs in its column pairs.",
            "leave sizes out.",
            "leave --size out.",
        )

    @classmethod
    def from_counts(cls, name: str, matches: int, labelled: int, pairs: int) -> Self:
        """More matches than labels, or more labels than pairs."""
        return cls(
            f"stratum {name} has {matches:,} matches among {labelled:,} labelled of {pairs:,} "
            "pairs.",
            "matches are some of the labelled pairs, and these some of all pairs of the stratum.",
        )

    @classmethod
    def from_no_pairs(cls, name: str) -> Self:
        """A stratum without pairs."""
        return cls(f"stratum {name} has no pairs.", "leave it out.")

    @classmethod
    def from_few(cls, name: str, labelled: int, pairs: int) -> Self:
        """A stratum with too few labels."""
        return cls(
            f"stratum {name} has {labelled} labelled of {pairs:,} pairs, too few for an interval.",
            "label 2 of its pairs at least; some hundred tell something.",
        )

    @classmethod
    def from_unblocked(cls, name: str) -> Self:
        """Predicted pairs that no block offered."""
        return cls(
            f"stratum {name} is predicted, but blocking did not offer its pairs.",
            "blocked is no for pairs that were never compared.",
        )

    @classmethod
    def from_none_predicted(cls, names: Sequence[str]) -> Self:
        """No stratum of predicted pairs."""
        return cls(
            f"none of {len(names):,} strata ({examples(names)}) is predicted.",
            "precision and recall need labels of pairs that the guess puts together: predicted "
            "is yes for these.",
        )
