"""Input that is no clustering: labels and ids, degrees and masses, arrays and graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Self

from clusterdiff.errors.base import (
    ClusterdiffError,
    a_type,
    examples,
    said_missing,
    shorten,
    shown,
    worked,
)


class InputError(ClusterdiffError):
    """A clustering cannot be made of what was given."""

    duplicates: int = 0
    """How many ids are in more than one cluster."""

    def within(self, place: str) -> Self:
        """The same error, with the file or sample it was found in."""
        error = super().within(place)
        error.duplicates = self.duplicates
        return error

    @classmethod
    def empty(cls, what: str = "the clustering") -> Self:
        """Nothing to compare."""
        return cls(
            f"{what} has no objects: there is nothing to compare.",
            "give at least one object, e.g. cd.rand([1], [1]).",
        )

    @classmethod
    def from_sides(cls, measure: str, count: int, model: bool = False) -> Self:
        """One clustering, or more than two, where two are compared; `model` where the first one is
        a model, as scikit-learn gives it to its scorers.
        """
        what = "the guess is missing" if count == 1 else f"it was given {count}"
        hint = f"cd.{measure}(truth, guess)"
        return cls(
            f"{measure} compares two clusterings: {what}.",
            f'{hint}; for scikit-learn, scoring=cd.scorer("{measure}")' if model else hint,
        )

    @classmethod
    def from_list_of_guesses(cls, count: int) -> Self:
        """Several guesses, which have no names in a list."""
        return cls(
            f"guess is a list of {count:,} clusterings.",
            'give several guesses as a dict, {"a": guess_a, "b": guess_b}; if it lists the '
            "members of clusters, [set(members) for members in guess].",
        )

    @classmethod
    def from_annotated(cls, value: Any) -> Self:
        """An AnnData, which has labels in columns of its obs."""
        names = [str(name) for name in value.obs.columns]
        named = [*names, "cell_type", "leiden"][:2]
        return cls(
            f"{a_type(value)} is no clustering, but has {len(names):,} columns in its obs "
            f"({examples(names)}).",
            worked(
                "name the columns",
                f"cd.compare(adata, truth={named[0]!r}, guesses=[{named[1]!r}])",
                f"cd.compare(adata.obs[{named[0]!r}], adata.obs[{named[1]!r}])",
            ),
        )

    @classmethod
    def from_nulls(
        cls, side: str, count: int, total: int, where: Sequence[Any], dropped: bool = False
    ) -> Self:
        """Labels that are null, None or NaN; `dropped` where noise is left out anyway."""
        out = 'noise=[None] with noise_as="drop" leaves them out.'
        fate = f"noise=[None] makes each a cluster of its own, {out}"
        return cls(
            f"{count:,} of {total:,} labels of {side} are null (objects {examples(where)}).",
            f"say what they mean: {'noise=[None] leaves them out.' if dropped else fate}",
        )

    @classmethod
    def from_null_words(
        cls, side: str, found: Mapping[str, int], total: int, quotable: bool, dropped: bool = False
    ) -> Self:
        """Labels of a text file that are the text for a missing value, without quotes."""
        words = list(found)
        named = "write a cluster of that name in quotes, " + ", ".join(f'"{w}"' for w in words)
        if not quotable:
            named = "give a cluster of that name another one"
        python, flags = said_missing(words, dropped)
        return cls(
            f"{sum(found.values()):,} of {total:,} labels of {side} are {', '.join(words)}, which "
            "could be missing values or the name of a cluster.",
            f"{python}; if not, {named}.",
            f"{flags}; if not, {named}.",
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Ids that are null."""
        return cls(
            f"{count:,} of {total:,} ids are null.",
            "every object needs an id; drop these rows, or leave the ids out altogether.",
        )

    @classmethod
    def from_rows_without_cluster(cls, count: int, total: int) -> Self:
        """Degrees of which it is not said which cluster they are for."""
        return cls(
            f"{count:,} of {total:,} rows name no cluster.",
            "drop them, or name the cluster that the degree belongs to.",
        )

    @classmethod
    def from_other_degrees(cls, count: int) -> Self:
        """Rows for an object and a cluster that have a row already."""
        return cls(
            f"{count:,} rows give an object another degree for the same cluster.",
            "keep one row for each object and cluster.",
        )

    @classmethod
    def from_nameless_samples(cls, count: int, total: int) -> Self:
        """Objects of which it is not said which sample they are in."""
        return cls(
            f"{count:,} of {total:,} objects have no sample (null).",
            "name a sample for each object.",
        )

    @classmethod
    def from_duplicates(cls, count: int, shown: Sequence[tuple[Any, Any, Any]]) -> Self:
        """Objects that a partition puts in two clusters."""
        told = "; ".join(
            f"{examples([i])} is in {examples([a])} and in {examples([b])}" for i, a, b in shown[:3]
        )
        error = cls(
            f"{count:,} {'id is' if count == 1 else 'ids are'} in more than one cluster ({told}); "
            "a partition has each object in one.",
            'keep one row per id, or say kind="cover" if objects may be in several clusters, '
            'kind="fuzzy" if rows have a degree of membership. '
            "If ids repeat from document to document, name the column of the documents, e.g. "
            'samples="doc".',
        )
        error.duplicates = count
        return error

    @classmethod
    def from_nulls_among_labels(cls, count: int, shown: Sequence[Any]) -> Self:
        """Objects of a cover that have clusters and a null besides."""
        return cls(
            f"{count:,} objects are in a cluster and have a null besides (objects "
            f"{examples(shown)}); a null says that an object is in no cluster.",
            "leave the nulls of these objects out.",
        )

    @classmethod
    def from_single_label(cls, value: object, what: str) -> Self:
        """Something that is no collection, where a cover needs one."""
        return cls(
            f"{what} is given by a collection, but {shown(value)} is {a_type(value)}.",
            "write a list or set for each, e.g. [['jazz'], ['jazz', 'funk']]; "
            "for one label per object use cd.Partition.",
        )

    @classmethod
    def from_memberships(cls, count: int, shown: Sequence[Any], shape: tuple[int, ...]) -> Self:
        """A matrix of memberships that are neither 0 nor 1."""
        return cls(
            f"{count:,} entries of the {shape[0]:,} x {shape[1]:,} matrix are neither 0 nor 1 "
            f"({examples(shown)}): an object is named for a cluster or it is not.",
            "degrees of membership are a fuzzy clustering, cd.Fuzzy(matrix); "
            "cd.Cover(matrix > 0.5) takes those above a half as members.",
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
        if not shape:
            return cls(
                "labels are one per object, but this array is a single number.",
                "give the labels of all objects; that of one object is labels.reshape(1).",
            )
        return cls(
            f"labels are one per object, but this array has the shape {shape}.",
            "give one column, e.g. labels[:, 0]; a matrix of memberships is cd.Cover(matrix) if "
            'they are 0 or 1, cd.Fuzzy(matrix) (kind="fuzzy") if they are chances.',
        )

    @classmethod
    def from_unhashable(cls, value: object) -> Self:
        """A label that cannot be compared by value."""
        return cls(
            f"a label must be hashable, but {shown(value)} is {a_type(value)}.",
            "use strings, numbers or tuples as labels; a list of sets is read as clusters, each a "
            'set of objects; with several labels per object say kind="cover" or use cd.Cover.',
        )

    @classmethod
    def from_tuples(cls, rows: Sequence[object]) -> Self:
        """Tuples that may be labels, clusters or rows of a table."""
        return cls(
            f"{len(rows):,} different tuples ({examples(rows)}) can be labels, clusters given by "
            "their members, or rows of an id and a label.",
            "say which: cd.Partition(tuples) for labels, [set(t) for t in tuples] for clusters, "
            "dict(tuples) for rows of an id and a label.",
        )

    @classmethod
    def from_tuples_of_ids(cls, labels: Sequence[object]) -> Self:
        """A tuple for each id, which may be one label or several."""
        return cls(
            f"{len(labels):,} ids have tuples of several lengths ({examples(labels)}): each can be "
            "one label, or the labels of all clusters that the object is in.",
            'say which: cd.Partition(labels) for one label each, kind="cover" for several.',
        )

    @classmethod
    def from_sets(cls, of: str, kind: str, labels: Sequence[str]) -> Self:
        """Labels that are sets of clusters, written as texts."""
        one = len(labels) == 1
        rows = (
            "add a column of masses (1 where a set is certain)"
            if kind == "evidential"
            else "write a row for each object and cluster, or in JSON a list of clusters for each "
            "id; an object without clusters has a null"
        )
        told = {"cover": "a cover", "rough": "a rough clustering"}.get(
            kind, "a table without a column of masses"
        )
        return cls(
            f"{len(labels):,} {'label' if one else 'labels'}{of} "
            f"{'looks like a set' if one else 'look like sets'} of clusters ({examples(labels)}), "
            f"but {told} is read from rows that name one cluster each.",
            f"{rows}; if they are names, write them without braces and separators.",
        )

    @classmethod
    def from_lengths(cls, what: str, found: int, labels: int) -> Self:
        """Ids (or samples, or features) that do not fit the labels."""
        given = "is 1 label" if labels == 1 else f"are {labels:,} labels"
        return cls(
            f"there {given} but {found:,} {what.removesuffix('s') if found == 1 else what}.",
            f"give one of {what} for each object or row.",
        )

    @classmethod
    def from_lift(cls, kind: str, wanted: str) -> Self:
        """A clustering that says more than the kind it should become."""
        way = {
            "fuzzy": "clustering.pignistic() makes chances of it",
            "rough": "clustering.harden() makes a partition of it",
            "possibilistic": "clustering.pignistic() makes a fuzzy clustering of it",
        }[wanted]
        article = "an" if kind == "evidential" else "a"
        return cls(
            f"{article} {kind} clustering says what a {wanted} one cannot: something would be "
            "lost.",
            f"{way}, with a loss; cd.Evidential(clustering) takes every kind as it is.",
        )

    @classmethod
    def from_cover(cls, kind: str) -> Self:
        """A cover where each object is in one cluster, known or not."""
        return cls(
            "a cover has its objects in all of the clusters named for them; in a clustering that "
            f"is {kind} each is in one.",
            "if one of several is meant, give the sets themselves: cd.Rough(sets).",
        )


class AllNoise(InputError):
    """No object is left once the noise is dropped."""

    @classmethod
    def dropped(cls) -> Self:
        """All objects were noise, on one side or the other."""
        return cls.empty("after the noise is dropped, the comparison")


class ArrayError(InputError):
    """What was given is an array, a graph or a collection, and cannot be read as it is."""

    @classmethod
    def from_array(cls, value: Any, error: Exception) -> Self:
        """An array of another library that NumPy cannot read."""
        name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        why = f"{error}".strip().partition("\n")[0] or type(error).__name__
        return cls(f"a {name} cannot be read as numbers: {shorten(why, 160)}", way_out(value))

    @classmethod
    def from_unordered(cls, value: object) -> Self:
        """A set or a dict where values belong to objects by their order."""
        return cls(
            f"{a_type(value)} has no order, so it is not known which value belongs to which object."
            if isinstance(value, Set)
            else f"{a_type(value)} is not a list with one value for each object.",
            "give a list of labels, a dict from id to label, or a list of sets of objects.",
        )

    @classmethod
    def from_digits(cls, most: int) -> Self:
        """A whole number that is too long to be written down."""
        return cls(
            f"a label or id is a whole number of more than {most:,} digits.",
            "use shorter names, e.g. the position of each object or a hash as text.",
        )


def way_out(value: Any) -> str:
    """What to call so that the numbers of an array lie in memory."""
    device = getattr(getattr(value, "device", None), "type", "cpu")
    if device == "meta":
        return "it has a shape and no values; compute them first."
    if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")).lower():
        return "make it dense, values.to_dense()."
    if getattr(value, "is_quantized", False):
        return "turn it into plain numbers, values.dequantize()."
    if device != "cpu":
        return "copy it into memory, values.cpu()."
    if hasattr(value, "get") and hasattr(type(value), "__cuda_array_interface__"):
        return "copy it into memory, values.get()."
    return "give an array that np.asarray(values) can read, or a list of labels."
