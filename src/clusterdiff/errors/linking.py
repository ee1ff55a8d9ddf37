"""Pairs that cannot be linked to clusters."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Self

from clusterdiff.errors.base import a_type, examples, shown, worked
from clusterdiff.errors.files.columns import some
from clusterdiff.errors.scored import ScoredPairsError

READ = "cd.Partition.from_pairs"


class LinkingError(ScoredPairsError):
    """Pairs of which no clusters can be made, or not with this threshold."""

    @classmethod
    def no_scores(cls, path: str, threshold: float, left: str, right: str) -> Self:
        """A threshold for pairs that have no scores."""
        return cls(
            f"{path} has pairs without scores ({left}, {right}), so threshold={threshold:g} has "
            "nothing to be held against.",
            "leave threshold= out, and all pairs link; or name the column of the scores, e.g. "
            "score='match_probability'.",
            "leave --threshold out, and all pairs link; or name the column of the scores, e.g. "
            "--score match_probability.",
        )

    @classmethod
    def needs_threshold(
        cls, path: str, score: str, ends: tuple[float, float], distance: bool
    ) -> Self:
        """Pairs with scores, and nothing that says which of them link."""
        low, high = ends
        every = _linking(high if distance else low, distance)
        return cls(
            f"{path} has pairs with scores ({score}, {low:.6g} to {high:.6g}), and nothing says "
            "which of them link.",
            worked(
                "give a threshold; a sweep finds the best one",
                f"{READ}(pairs, threshold=0.9)",
                f"{READ}(pairs, threshold={every})  # all pairs link",
                "cd.sweep(truth, pairs).best()",
            ),
            worked(
                "give a threshold; clusterdiff sweep finds the best one",
                "--as pairs --threshold 0.9",
                f"--as pairs --threshold {every}  # all pairs link",
            ),
        )

    @classmethod
    def out_of_range(
        cls, path: str, score: str, threshold: float, ends: tuple[float, float], distance: bool
    ) -> Self:
        """A threshold that no pair reaches."""
        low, high = ends
        end = low if distance else high
        differ = (n for n in range(6, 17) if f"{threshold:.{n}g}" != f"{end:.{n}g}")
        n = next(differ, 17)
        message = (
            f"no pair of {path} scores {threshold:.{n}g} or {'less' if distance else 'more'}: the "
            f"scores ({score}) go from {low:.{n}g} to {high:.{n}g}."
        )
        best = _linking(end, distance)
        hint = f"a threshold within them links pairs, e.g. threshold={best}"
        flags = f"a threshold within them links pairs, e.g. --threshold {best}"
        if not distance and low >= 0 and high <= 1 < threshold <= 100:
            hint, flags = (
                f"in per cent? threshold={threshold / 100:g}",
                f"in per cent? --threshold {threshold / 100:g}",
            )
        if score == "match_probability" and threshold > 1:
            hint += "; weights are another column, score='match_weight'"
            flags += "; weights are another column, --score match_weight"
        return cls(message, f"{hint}.", f"{flags}.")

    @classmethod
    def from_threshold(cls, threshold: Any) -> Self:
        """A threshold that is no number."""
        return cls(
            f"a threshold is a number, and {shown(threshold)} is {a_type(threshold)}."
            if not isinstance(threshold, float)
            else "nan is not a threshold.",
            "write e.g. threshold=0.9.",
            "write e.g. --threshold 0.9.",
        )

    @classmethod
    def from_clusters(cls, path: str, names: Sequence[str], id: str, cluster: str) -> Self:
        """The cluster of each object, where pairs are wanted."""
        own = path.removeprefix("the ") if path.startswith("the ") else repr(path)
        given = shlex.quote(path)
        return cls(
            f"{path} has the cluster of each object ({some(names)}), and no two columns for the "
            "objects of a pair.",
            worked(
                "it is a clustering already",
                f"cd.compare(truth, cd.read({own}, id={id!r}, cluster={cluster!r}))",
            ),
            worked("it is a clustering already", f"clusterdiff compare truth.csv {given}"),
        )

    @classmethod
    def uneven(cls, path: str, left: Sequence[str], right: Sequence[str]) -> Self:
        """Ids of several columns that are not as many on both sides."""
        return cls(
            f"{path}: the id of the left object is made of {len(left)} columns "
            f"({', '.join(left) or 'none'}), that of the right one of {len(right)} "
            f"({', '.join(right) or 'none'}).",
            "name the same columns of both, left=['source_dataset_l', 'unique_id_l'], "
            "right=['source_dataset_r', 'unique_id_r'].",
            "name the same columns of both, --left source_dataset_l,unique_id_l --right "
            "source_dataset_r,unique_id_r.",
        )

    @classmethod
    def from_tree(cls, what: str) -> Self:
        """A dendrogram, which has merges and no pairs."""
        return cls(
            f"{what} is a dendrogram, not pairs of objects.",
            worked(
                "cut it into clusters, or look at all its levels",
                "labels = scipy.cluster.hierarchy.fcluster(Z, t=0.5, criterion='distance')",
                "cd.compare(truth, labels)",
                "cd.sweep(truth, Z).best()",
            ),
        )

    @classmethod
    def from_value(cls, value: object) -> Self:
        """Something that holds no pairs."""
        return cls(
            f"{a_type(value)} holds no pairs: {shown(value)}.",
            "give a table of two ids and perhaps a score, a list of (left, right) or (left, right, "
            "score), or arrays of these; clusters need no linking: cd.compare(truth, clusters).",
        )

    @classmethod
    def from_column(cls, path: str) -> Self:
        """A column of clusters that is named behind the path of pairs."""
        return cls(
            f"{path} names a column of clusters, and pairs have two columns of ids.",
            "name them: left=, right= and score=.",
            "name them: --left, --right and --score.",
        )

    @classmethod
    def from_ids(cls, count: int, unknown: Sequence[Any]) -> Self:
        """Objects of pairs that are not among all ids."""
        more = ", …" if count > 3 else ""
        which = "object of the pairs is" if count == 1 else "objects of the pairs are"
        return cls(
            f"{count:,} {which} not among ids= ({examples(unknown)}{more}), which are to be all "
            "objects.",
            "give the ids of all objects, those of the pairs too; or leave ids= out.",
        )


def _linking(end: float, distance: bool) -> str:
    """The score at one end, with as many digits as a threshold needs to link its pair."""
    short = f"{end:.6g}"
    links = float(short) >= end if distance else float(short) <= end
    return short if links else repr(float(end))
