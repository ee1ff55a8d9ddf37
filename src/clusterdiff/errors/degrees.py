"""Degrees of membership that cannot be read as those of a clustering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from clusterdiff.errors.base import examples, shown
from clusterdiff.errors.input import InputError


class DegreeError(InputError):
    """Degrees that cannot be read as those of a clustering."""

    @classmethod
    def from_frame(cls, names: Sequence[str]) -> Self:
        """A frame with a column of chances for each cluster."""
        return cls(
            f"the {len(names):,} columns of the frame ({examples(names)}) sum to one in each row: "
            "they look like the chances of clusters, not like guesses.",
            "they are a fuzzy clustering: cd.Fuzzy(frame.to_numpy()); the likeliest clusters are "
            "cd.compare(truth, frame.to_numpy().argmax(axis=1)).",
        )

    @classmethod
    def from_large_number(cls) -> Self:
        """A degree that is larger than any floating-point number."""
        return cls(
            "a degree of membership is a number from 0 to 1, and one is above 1e308.",
            "counts or scores can be divided by their sum first.",
        )

    @classmethod
    def from_degrees(
        cls, what: str, count: int, rows: int, shown: Sequence[tuple[Any, Any, float]]
    ) -> Self:
        """Degrees outside 0 to 1."""
        told = "; ".join(
            f"object {examples([i])}, cluster {examples([c])}: {v:g}" for i, c, v in shown
        )
        hint = {
            "negative": "degrees are numbers from 0 to 1.",
            "greater than one": "degrees are numbers from 0 to 1; counts or scores can be divided "
            "by their sum, matrix / matrix.sum(axis=1, keepdims=True).",
        }.get(what, "fill or drop them first, e.g. np.nan_to_num(matrix).")
        return cls(f"{count:,} degrees of {rows:,} objects are {what} ({told}).", hint)

    @classmethod
    def from_sums(
        cls, kind: str, count: int, total: int, worst: object, found: float, turned: bool = False
    ) -> Self:
        """Rows that should sum to one and do not; `turned` where the columns do."""
        what = "masses" if kind == "evidential" else "degrees"
        if kind == "evidential":
            hint = 'masses of an object sum to one; put the rest on the empty set, [] or "".'
        else:
            empty = (
                'rest="empty" takes the rest as the chance to be in no known cluster; '
                if found < 1
                else ""
            )
            hint = (
                f'rest="normalise" (of cd.Fuzzy, cd.read) divides by the sums; {empty}degrees that '
                "need not sum to one "
                'are possibilities, kind="possibilistic" (cd.Possibilistic).'
            )
        if turned:
            hint = f"the columns do: if they are the objects, give matrix.T; else {hint}"
        return cls(
            f"the {what} of {count:,} of {total:,} objects do not sum to one "
            f"(the worst, {shown(worst)}, to {found:.6g}).",
            hint,
        )
