"""Scores of single objects: which ones found the others like them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.dispatch import rows_of_objects
from clusterdiff.backends.null_words import check_null_words
from clusterdiff.errors import ClusterdiffError
from clusterdiff.errors.base import shown
from clusterdiff.inputs import clustering, kinds_for, refuse_shuffled_series
from clusterdiff.measures import Measure, measure_named, measures
from clusterdiff.meet import CoverMeet, Policy, SoftMeet
from clusterdiff.results.describe import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.meet import Meet


@dataclass(frozen=True)
class ObjectScores:
    """The score of each object, aligned with the ids (positions where there are no ids)."""

    measure: Measure
    ids: list[Any]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        worst = ", ".join(f"{shown(id, 40)}: {score:.4g}" for id, score in self.worst(3))
        more = ", …" if len(self) > 3 else ""
        return (
            f"ObjectScores({self.measure} of {count(len(self), 'object')}, "
            f"mean {self.scores.mean():.4g}; worst {{{worst}{more}}})"
        )

    def to_dict(self) -> dict[Any, float]:
        """From id to score."""
        return dict(zip(self.ids, self.scores.tolist(), strict=True))

    def worst(self, n: int = 10) -> list[tuple[Any, float]]:
        """The objects with the lowest scores, in the order of the input where equal."""
        order = np.argsort(self.scores, kind="stable")[:n]
        return [(self.ids[i], float(self.scores[i])) for i in order]


def objects(
    measure: str | Measure,
    truth: Any,
    guess: Any,
    *,
    kind: str | None = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    **params: Any,
) -> ObjectScores:
    """The score of each object, in the order of truth; objects that only guess has come last.

    >>> objects("elm_f", {"x": 1, "y": 1, "z": 2}, {"x": 1, "y": 1, "z": 1}).to_dict()
    {'x': 0.6666666666666666, 'y': 0.6666666666666666, 'z': 0.0}

    The score is the mean of these over all objects (for a precision over those of the guess,
    for a recall over those of the truth).
    """
    chosen = measure_named(measure).having(**params)
    covers = kind is None and chosen.needs == {"cover"}
    kinds = kinds_for("cover" if covers else kind, truth, guess)
    refuse_shuffled_series(truth, guess, kinds)
    left, right = clustering(truth, kinds[0]), clustering(guess, kinds[1])
    if left.samples is not None or right.samples is not None:
        raise ClusterdiffError(
            "objects of several samples are asked for one sample at a time.",
            "call cd.objects on the truth and the guess of one sample.",
        )
    policy = Policy(align, noise, noise_as)
    check_null_words([left], [right], policy)
    rows, row, found = rows_of_objects(left, right, policy)
    values = chosen.rows_of(rows)
    if values is None:
        raise ClusterdiffError(
            f"{chosen} is not a mean over objects, so an object has no score of its own.",
            f"{_own_form(chosen)}{_others(rows)}",
        )
    in_truth = found.in_truth >= 0
    order = np.lexsort((np.where(in_truth, found.in_truth, found.in_guess), ~in_truth))
    of_truth, of_guess = (
        list(range(len(c))) if c.ids is None else c.ids.tolist() for c in (left, right)
    )
    ids = [
        of_truth[t] if t >= 0 else of_guess[g]
        for t, g in zip(found.in_truth[order].tolist(), found.in_guess[order].tolist(), strict=True)
    ]
    return ObjectScores(chosen, ids, values[row][order])


def _own_form(measure: Measure) -> str:
    """The form of an F in which objects have one, if it has such a form."""
    forms = measure.arguments.get("f") == "means"
    return (
        f'say f="objects" for the F of each object ({measure.name}(f="objects")), or '
        if forms
        else ""
    )


def _others(rows: Meet) -> str:
    """What to ask instead."""
    if isinstance(rows, SoftMeet):
        return "harden both clusterings, e.g. cd.objects('elm_f', truth, guess.harden())."
    return f"use one of {', '.join(_means_over_objects(rows))}."


def _means_over_objects(rows: Meet) -> list[str]:
    """The measures of such a comparison that are means over objects as they stand."""
    from clusterdiff.inputs import meet

    tiny = meet([1, 1], [1, 2])
    overlap = isinstance(rows, CoverMeet)
    fitting = [
        m
        for m in measures()
        if "soft" not in m.needs and ("cover" in m.needs if overlap else m.needs != {"cover"})
    ]
    return [m.name for m in fitting if m.name != "adjusted" and m.rows_of(tiny) is not None]
