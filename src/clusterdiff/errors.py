"""What can go wrong, in words: what happened, with counts and examples, then a hint to paste."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class ClusterdiffError(ValueError):
    """Something about the input or the request; `str()` is one paragraph and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}\n\nHint: {hint}" if hint else message)
        self.message = message
        self.hint = hint

    def within(self, place: str) -> Self:
        """The same error, with the file or sample it was found in."""
        return type(self)(f"in {place}: {self.message}", self.hint)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.message, self.hint)


def examples(values: Iterable[Any], most: int = 3) -> str:
    """Up to three values for an error text, long ones cut."""
    return ", ".join(shorten(repr(value), 40) for value in islice(values, most))


def shorten(text: str, width: int) -> str:
    """`text`, cut to `width` characters with an ellipsis."""
    return text if len(text) <= width else text[: width - 1] + "…"


def did_you_mean(wrong: str, right: Sequence[str]) -> str:
    """The start of a hint: the nearest known name, or nothing."""
    near = get_close_matches(wrong, right, n=1, cutoff=0.65)
    return f"did you mean {near[0]}? " if near else ""


class AlignmentError(ClusterdiffError):
    """The two clusterings do not speak of the same objects."""

    @classmethod
    def from_lengths(cls, truth: int, guess: int) -> Self:
        """Labels without ids, but not equally many."""
        return cls(
            f"truth has {truth:,} labels, guess has {guess:,}. "
            "Without ids the two must list the same objects in the same order.",
            "give ids, e.g. cd.Partition(labels, ids=...), or dicts from id to label.",
        )

    @classmethod
    def from_ids(
        cls, only_truth: Sequence[Any], only_guess: Sequence[Any], counts: tuple[int, int, int]
    ) -> Self:
        """Objects on one side only; counts are (only truth, only guess, all objects)."""
        in_truth, in_guess, total = counts
        shown_truth = f" ({examples(only_truth)})" if in_truth else ""
        shown_guess = f" ({examples(only_guess)})" if in_guess else ""
        return cls(
            f"{in_truth:,} of {total:,} objects are only in truth{shown_truth}, "
            f"{in_guess:,} only in guess{shown_guess}.",
            'say what they count as: align="singletons" (a cluster of their own), align="shared" '
            '(left out) or align="penalise" (they earn nothing).',
        )

    @classmethod
    def from_id_types(cls, truth: str, guess: str, shown: tuple[Any, Any]) -> Self:
        """Ids of different types, such as 7 and '7'."""
        return cls(
            f"the ids of truth are {truth} (such as {examples(shown[:1])}), "
            f"those of guess are {guess} (such as {examples(shown[1:])}): none can be equal.",
            "make them alike first, e.g. {str(id): label for id, label in guess.items()}.",
        )

    @classmethod
    def from_one_sided_ids(cls, side: str, other: str) -> Self:
        """One clustering has ids, the other has none."""
        return cls(
            f"{side} has ids, {other} has none, so their objects cannot be matched.",
            f"give {other} ids too, e.g. cd.Partition(labels, ids=...).",
        )

    @classmethod
    def from_indexes(cls) -> Self:
        """Two pandas Series whose indexes differ."""
        return cls(
            "the two Series have different indexes; a Series counts by position, "
            "and these would pair rows that do not belong together.",
            "use series.to_dict() to match by index, or series.to_numpy() to match by position.",
        )

    @classmethod
    def from_policy(cls, policy: object, known: Sequence[str]) -> Self:
        """An alignment policy that does not exist."""
        near = did_you_mean(str(policy), known)
        return cls(
            f"there is no alignment policy {policy!r}.", f"{near}There are {', '.join(known)}."
        )

    @classmethod
    def nothing_shared(cls) -> Self:
        """After alignment no object is left to compare."""
        return cls(
            "truth and guess have no object in common, so there is nothing to compare.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )


class InputError(ClusterdiffError):
    """A clustering cannot be made of what was given."""

    @classmethod
    def empty(cls, what: str = "the clustering") -> Self:
        """Nothing to compare."""
        return cls(
            f"{what} has no objects: there is nothing to compare.",
            "give at least one object, e.g. cd.rand([1], [1]).",
        )

    @classmethod
    def from_nulls(cls, side: str, count: int, total: int, where: Sequence[Any]) -> Self:
        """Labels that are null, None or NaN."""
        return cls(
            f"{count:,} of {total:,} labels of {side} are null (objects {examples(where)}).",
            "say what they mean: noise=[None] makes each a cluster of its own, "
            'noise=[None] with noise_as="drop" leaves them out.',
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Ids that are null."""
        return cls(
            f"{count:,} of {total:,} ids are null.",
            "every object needs an id; drop these rows, or leave the ids out altogether.",
        )

    @classmethod
    def from_duplicates(cls, count: int, shown: Sequence[tuple[Any, Any, Any]]) -> Self:
        """Objects that a partition puts in two clusters."""
        told = "; ".join(f"{i!r} is in {a!r} and in {b!r}" for i, a, b in shown[:3])
        return cls(
            f"{count:,} ids are in more than one cluster ({told}); "
            "a partition has each object in one.",
            'keep one row per id, or say kind="cover" if objects may be in several clusters. '
            "If ids repeat from document to document, name the column of the documents, e.g. "
            'samples="doc".',
        )

    @classmethod
    def from_repeated_ids(cls, count: int) -> Self:
        """Ids that name several objects of a cover."""
        return cls(
            f"{count:,} ids occur again, and each is one object of the cover.",
            "for a table with several rows per id use cd.Cover.from_rows(ids, clusters).",
        )

    @classmethod
    def from_nulls_among_labels(cls, count: int, shown: Sequence[Any]) -> Self:
        """Objects of a cover that have clusters and a null besides."""
        return cls(
            f"{count:,} objects are in a cluster and have a null besides (objects "
            f"{examples(shown)}); a null says that an object is in no cluster.",
            "leave the nulls of these objects out.",
        )

    @classmethod
    def from_frame(cls, value: object) -> Self:
        """A frame where labels per object are wanted."""
        return cls(
            f"a {type(value).__name__} is not one set of labels per object.",
            'cd.compare(frame, guess, kind="cover") reads the columns id and cluster, '
            "cd.Cover.from_rows(ids, clusters) two columns, cd.Cover(frame.to_numpy()) a matrix of "
            "0 and 1.",
        )

    @classmethod
    def from_single_label(cls, value: object, what: str) -> Self:
        """Something that is no collection, where a cover needs one."""
        return cls(
            f"{what} of a cover is given by a collection, but {shorten(repr(value), 40)} is a "
            f"{type(value).__name__}.",
            "write a list or set for each, e.g. cd.Cover([['jazz'], ['jazz', 'funk']]); "
            "for one label per object use cd.Partition.",
        )

    @classmethod
    def from_memberships(cls, count: int, shown: Sequence[Any], shape: tuple[int, ...]) -> Self:
        """A matrix of memberships that are neither 0 nor 1."""
        return cls(
            f"{count:,} entries of the {shape[0]:,} x {shape[1]:,} matrix are neither 0 nor 1 "
            f"({examples(shown)}); in a cover an object is in a cluster or is not.",
            "degrees of membership are a fuzzy clustering (Fuzzy), not a cover; "
            "cd.Cover(matrix > 0.5) takes those above a half as members.",
        )

    @classmethod
    def not_a_partition(cls, several: int, none: int, total: int) -> Self:
        """A cover in which some objects are not in exactly one cluster."""
        return cls(
            f"{several:,} of {total:,} objects are in several clusters and {none:,} in none; "
            "a partition has each object in one.",
            "compare it as a cover, e.g. cd.extended_bcubed_f(truth, guess).",
        )

    @classmethod
    def from_two_readings(cls) -> Self:
        """Lists in a list, which may be the labels of objects or the objects of clusters."""
        return cls(
            "a list of lists can be the labels of each object or the objects of each cluster.",
            "say which: cd.Cover(lists) for labels per object, "
            "cd.Cover.from_clusters(lists) for clusters.",
        )

    @classmethod
    def from_uncovered(cls, side: str, count: int, total: int) -> Self:
        """Objects in no cluster, where they were forbidden."""
        return cls(
            f"{count:,} of {total:,} objects are in no cluster of {side}, which "
            'uncovered="refuse" forbids.',
            'say what they count as: uncovered="one", "zero" or "skip".',
        )

    @classmethod
    def from_dimensions(cls, shape: tuple[int, ...]) -> Self:
        """An array that is not a list of labels."""
        return cls(
            f"labels are one per object, but this array has the shape {shape}.",
            "give one column, e.g. labels[:, 0]; for a matrix of memberships cd.Cover(matrix) if "
            "they are 0 or 1, or labels.argmax(axis=1).",
        )

    @classmethod
    def from_unhashable(cls, value: object) -> Self:
        """A label that cannot be compared by value."""
        return cls(
            f"a label must be hashable, but {shorten(repr(value), 40)} is a "
            f"{type(value).__name__}.",
            "use strings, numbers or tuples as labels; a list of sets is read as clusters, each a "
            'set of objects; with several labels per object say kind="cover" or use cd.Cover.',
        )

    @classmethod
    def from_type(cls, value: object) -> Self:
        """Something that is no clustering."""
        return cls(
            f"a {type(value).__name__} is not a clustering.",
            "give a list or array of labels, a dict from id to label, a list of sets, "
            "a frame with the columns id and cluster, or a path.",
        )

    @classmethod
    def from_lengths(cls, what: str, found: int, labels: int) -> Self:
        """Ids (or samples, or features) that do not fit the labels."""
        return cls(
            f"there are {labels:,} labels but {found:,} {what}.", f"give one of {what} per label."
        )


class KindError(ClusterdiffError):
    """A measure was asked of a clustering it cannot read."""

    @classmethod
    def from_penalised(cls, measure: str, near: str) -> Self:
        """A measure that has no precision and recall to lay the missing objects on."""
        return cls(
            f"{measure} has no form for objects that are on one side only "
            '(align="penalise" counts precision over the guess, recall over the truth).',
            f'use {near}, or align="singletons", or align="shared".',
        )

    @classmethod
    def from_kind(cls, measure: str, near: str, count: int, total: int) -> Self:
        """A measure of partitions asked of overlapping clusterings."""
        return cls(
            f"{measure} compares partitions, and {count:,} of {total:,} objects are in several "
            "clusters or in none.",
            f"{near} compares overlapping clusterings.",
        )

    @classmethod
    def from_missing_features(cls) -> Self:
        """The mean squared error without features."""
        return cls(
            "split_merge(similarity='mse') needs the features of the objects.",
            "cd.split_merge(truth, guess, similarity='mse', features=X) "
            "with one row of X per object.",
        )


class UnknownMeasure(ClusterdiffError):
    """No such measure."""

    @classmethod
    def from_name(cls, name: str, known: Sequence[str]) -> Self:
        """A name that the registry does not have."""
        return cls(
            f"no measure is called {name!r}.",
            f"{did_you_mean(name, known)}`clusterdiff measures` lists all {len(known)}.",
        )

    @classmethod
    def not_asked(cls, text: str) -> Self:
        """A measure that a report does not hold."""
        return cls(
            f"the report does not hold {text}.", f"ask for it: cd.compare(truth, guess, [{text!r}])"
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A text that is no measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure.",
            "write a name with parameters in parentheses, e.g. bcubed_f(f='means').",
        )


class UnknownParameter(ClusterdiffError):
    """A measure has no such parameter, or not with this value."""

    @classmethod
    def from_name(cls, measure: str, name: str, known: Sequence[str]) -> Self:
        """A parameter that the measure does not take."""
        listed = f"It takes {', '.join(known)}." if known else "It takes none."
        return cls(f"{measure} has no parameter {name!r}.", f"{did_you_mean(name, known)}{listed}")

    @classmethod
    def from_value(cls, measure: str, name: str, value: object, allowed: str) -> Self:
        """A value outside what the parameter allows."""
        return cls(f"{measure} cannot have {name}={value!r}.", f"{name} is {allowed}.")

    @classmethod
    def from_similarity(cls, name: str, what: str) -> Self:
        """A function that is no similarity of clusters."""
        return cls(
            f"the similarity {name} {what}.",
            "it is called with arrays (objects in both, sizes of the clusters, sizes of the "
            "others) and the number of all objects, and gives one number from 0 to 1 for each, "
            "e.g. lambda both, size, other, objects: both / size.",
        )


class ReadError(ClusterdiffError):
    """A file could not be read as a clustering."""

    @classmethod
    def missing(cls, path: str, beside: Sequence[str]) -> Self:
        """No such file."""
        near = did_you_mean(path, beside)
        return cls(
            f"no file {path} here.", near.strip() or "check the path; - reads standard input."
        )

    @classmethod
    def directory(cls, path: str) -> Self:
        """A folder in place of a file."""
        return cls(f"{path} is a directory, not a file.", "name a file in it.")

    @classmethod
    def empty(cls, path: str) -> Self:
        """A file without rows."""
        return cls(
            f"{path} has no rows.", "a header alone is not enough: one row per object is needed."
        )

    @classmethod
    def binary(cls, path: str) -> Self:
        """Bytes that are no text."""
        return cls(
            f"{path} is not text, Parquet or gzip, so it cannot be read as a clustering.",
            "readable are CSV, TSV, Parquet, JSON, JSON lines, .labels, .clusters and CoNLL-2012.",
        )

    @classmethod
    def ambiguous_columns(cls, path: str, found: Sequence[str]) -> Self:
        """Too many columns to guess which ones are meant."""
        return cls(
            f"{path} has {len(found):,} columns ({_some(found)}); "
            "which are the objects and which the clusters is not clear.",
            f"say so, e.g. --id {found[0]} --cluster {found[1]} "
            f"(id={found[0]!r}, cluster={found[1]!r} in Python).",
        )

    @classmethod
    def from_engine(cls, path: str, why: str) -> Self:
        """The engine below could not parse the file."""
        return cls(
            f"{path} could not be read: {shorten(' '.join(why.split()), 200)}",
            "is it the format its name says? Name the format with --as (as_= in Python): "
            "long, labels, clusters, json or conll.",
        )


class MissingColumn(ReadError):
    """A column that was named is not there."""

    column: str = ""

    @classmethod
    def from_names(cls, path: str, wanted: str, found: Sequence[str], flag: str) -> Self:
        """The columns that are there, and the nearest of them."""
        error = cls(
            f"{path} has no column {wanted!r}; it has {_some(found)}.",
            f"{did_you_mean(wanted, found[:1000])}Name the column with {flag}.",
        )
        error.column = wanted
        return error


def _some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return ", ".join(shorten(name, 30) for name in names[:8]) + more
