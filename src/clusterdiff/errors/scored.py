"""Scored pairs and dendrograms that cannot be swept."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Self

from clusterdiff.errors.base import (
    ClusterdiffError,
    a_type,
    examples,
    shorten,
    shown,
    with_article,
)
from clusterdiff.errors.files.columns import some
from clusterdiff.errors.spelling import spelled_otherwise

LEVELS = "a column per level is written 'table.csv::leiden_*'"


class ScoredPairsError(ClusterdiffError):
    """Pairs, scores or a tree that no threshold can be swept over."""

    @classmethod
    def from_nulls(cls, count: int, total: int, pairs: Sequence[tuple[Any, Any]]) -> Self:
        """Scores that are null or NaN; these are some of their pairs."""
        more = ", …" if count > len(pairs) else ""
        one = count == 1
        return cls(
            f"{count:,} of {total:,} scores {'is' if one else 'are'} null "
            f"(pair{'' if one else 's'} {examples(pairs)}{more}).",
            "drop these pairs; a pair without a score links nothing.",
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Pairs that lack one of their objects."""
        return cls(
            f"{count:,} of {total:,} pairs {'lacks' if count == 1 else 'lack'} an id.",
            "drop these pairs; a pair names two objects.",
        )

    @classmethod
    def from_text(cls, column: str, values: Sequence[Any]) -> Self:
        """Scores that are no numbers."""
        return cls(
            f"the scores ({shorten(column, 30)}) are not numbers, such as {examples(values)}.",
            "name the column of the scores, e.g. score='match_probability'.",
            "name the column of the scores, e.g. --score match_probability.",
        )

    @classmethod
    def from_unknown(cls, count: int, ids: Sequence[Any], missing: Sequence[Any]) -> Self:
        """Objects that pairs name and truth does not have; `missing` are some of truth that no
        pair names.
        """
        more = ", …" if count > 3 else ""
        one = count == 1
        message = (
            f"{count:,} object{'' if one else 's'} of pairs {'is' if one else 'are'} not in truth "
            f"({examples(ids)}{more})."
        )
        if (spelling := spelled_otherwise(ids, missing)) is not None:
            return cls(f"{message} {spelling.sentence()}", spelling.hint())
        return cls(
            message,
            'align="shared" lets them link others without counting, align="singletons" makes each '
            "a true cluster.",
        )

    @classmethod
    def nothing_shared(cls, truth: Sequence[Any], pairs: Sequence[Any]) -> Self:
        """No object is both in truth and in pairs."""
        here, there = (examples(ids, 1) or "nothing" for ids in (pairs, truth))
        spelling = spelled_otherwise(pairs, truth)
        hint = (
            spelling.hint()
            if spelling is not None
            else "ids must match exactly; a prefix, a type or the wrong column may differ "
            "(left= and right= name those of the pairs)."
        )
        return cls(
            f"no object of pairs is in truth: ids look like {there} there and {here} here.",
            hint,
            hint.replace("left= and right= name", "--left and --right name"),
        )

    @classmethod
    def from_leaves(cls, leaves: int, objects: int) -> Self:
        """A dendrogram of other objects."""
        return cls(
            f"the dendrogram has {leaves:,} leaves, truth has {objects:,} objects.",
            "leaves are matched by position; give truth in their order.",
        )

    @classmethod
    def no_tree(cls) -> Self:
        """An estimator that is not fitted, or that stopped before all objects were together."""
        return cls(
            "this estimator kept no full tree.",
            "AgglomerativeClustering(compute_full_tree=True, compute_distances=True), then fit it.",
        )

    @classmethod
    def from_tree(cls, what: str) -> Self:
        """A matrix that is no dendrogram."""
        return cls(
            f"this is no dendrogram: {what}.",
            "give what scipy.cluster.hierarchy.linkage returns, a row for each of n - 1 merges.",
        )

    @classmethod
    def from_heights(cls) -> Self:
        """Heights of a tree taken for similarities."""
        return cls(
            "the heights of a dendrogram are distances.", "leave distance= out.",
            "leave --similarity out.",
        )  # fmt: skip

    @classmethod
    def from_columns(
        cls, path: str, names: Sequence[str], lacking: Sequence[str], free: Sequence[str]
    ) -> Self:
        """Columns among which the pairs or their scores are not found; `free` are not taken."""
        what = {"left": "objects of a pair", "right": "objects of a pair", "score": "scores"}
        listed = " and the ".join(dict.fromkeys(what[one] for one in lacking))
        known = dict(zip(lacking, free, strict=False))
        if len(known) < len(lacking):
            return cls(
                f"{path} has {len(names):,} columns ({some(names)}), and none for the {listed}.",
                f"give two ids and a score in each row; {LEVELS}.",
            )
        python = ", ".join(f"{option}={name!r}" for option, name in known.items())
        flags = " ".join(f"--{option} {shlex.quote(name)}" for option, name in known.items())
        return cls(
            f"{path} has {len(names):,} columns ({some(names)}); which hold the {listed} is not "
            "clear.",
            f"say so, e.g. {python}; {LEVELS}.",
            f"say so, e.g. {flags}; {LEVELS}.",
        )

    @classmethod
    def several(cls, path: str, option: str, found: Sequence[str]) -> Self:
        """Columns that could each be meant."""
        what = {"left": "objects of a pair", "score": "scores"}[option]
        one = found[-1]
        return cls(
            f"{path} has {len(found)} columns that could hold the {what}: {some(found)}.",
            f"say which, e.g. {option}={one!r}.",
            f"say which, e.g. --{option} {shlex.quote(one)}.",
        )

    @classmethod
    def several_pairs(cls, path: str, found: Sequence[tuple[str, str]]) -> Self:
        """Pairs of columns that could each be the two objects."""
        left, right = found[-1]
        listed = "; ".join(f"{a} and {b}" for a, b in found[:4])
        return cls(
            f"{path} has {len(found)} pairs of columns that could hold the two objects: {listed}.",
            f"say which, e.g. left={left!r}, right={right!r}.",
            f"say which, e.g. --left {shlex.quote(left)} --right {shlex.quote(right)}.",
        )

    @classmethod
    def datasets(cls, path: str, left: str, right: str, dataset: str) -> Self:
        """Ids that are unique in their data set alone."""
        both = [[f"{dataset}_{side}", name] for side, name in (("l", left), ("r", right))]
        python, flags = (
            (f"left={both[0]!r}, right={both[1]!r}", f"left={left!r}, right={right!r}"),
            tuple(
                f"--left {shlex.quote(one)} --right {shlex.quote(other)}"
                for one, other in ((",".join(both[0]), ",".join(both[1])), (left, right))
            ),
        )
        return cls(
            f"{path} links several data sets, whose records are identified by {dataset}_l and "
            f"{left} together.",
            f"take both, {python[0]}, and in truth cd.read(truth, id=['{dataset}', …]); if each id "
            f"is one object, {python[1]}.",
            f"take both, {flags[0]} (and --id {dataset},… in truth); if each id is one object, "
            f"{flags[1]}.",
        )

    @classmethod
    def empty(cls, path: str) -> Self:
        """No pair at all."""
        return cls(
            f"there are no pairs in {path}.", "a pair has two objects and a score, e.g. r1,r7,0.93."
        )

    @classmethod
    def from_value(cls, value: object) -> Self:
        """Something that holds neither pairs nor a tree."""
        return cls(
            f"{a_type(value)} holds no scored pairs and no dendrogram: {shown(value)}.",
            "give a table of two ids and a score, three arrays (left, right, score), a linkage "
            "matrix, a fitted estimator with children_, or a dict of clusterings.",
        )

    @classmethod
    def from_lengths(cls, left: int, right: int, score: int) -> Self:
        """Three arrays of different lengths."""
        return cls(
            f"left, right and score have {left:,}, {right:,} and {score:,} entries.",
            "give one entry of each for every pair.",
        )

    @classmethod
    def on_spark(cls) -> Self:
        """Pairs that are in Spark."""
        return cls(
            "a sweep reads pairs in the order of their scores on one machine; Spark does not.",
            "write the pairs as Parquet, frame.write.parquet('pairs'), and give that folder: it is "
            "sorted on disk and read in pieces.",
            "leave --engine out: Parquet and CSV are sorted on disk and read in pieces.",
        )

    @classmethod
    def from_kind(cls, kind: str) -> Self:
        """A truth in which objects are not in one cluster each."""
        return cls(
            f"thresholds are chosen for partitions, and truth is {with_article(kind)} clustering.",
            "give a truth in which each object is in one cluster.",
        )

    @classmethod
    def from_penalise(cls) -> Self:
        """A policy that has no meaning where pairs may name any object."""
        return cls(
            'align="penalise" is for guesses that lack or add objects; objects that no pair names '
            "are single here.",
            'use align="shared" or align="singletons".',
        )
