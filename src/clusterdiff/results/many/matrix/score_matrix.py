"""Scores of every two runs, and what they say: medoid, stability, order, consistency, a map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff.many.matrix.agreement import (
    dissimilarities,
    is_euclidean,
    is_symmetric,
    leaf_order,
    mean_with_others,
    medoid_of,
    stability_of,
)
from clusterdiff.many.matrix.embedding import Embedding, classical_scaling
from clusterdiff.many.profiles import Profiles, profiles_of
from clusterdiff.results.many.matrix.consistency import Consistency, consistency_of
from clusterdiff.results.many.matrix.text import (
    head_of,
    notes_of,
    pairs_table,
    square_table,
    width_of,
)
from clusterdiff.results.render.result import TableResult
from clusterdiff.results.score import Signature
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.inputs.runs import LabelledRuns
    from clusterdiff.many.matrix.agreement import MeanAgreement
    from clusterdiff.many.matrix.tables import RunTables
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Policy
    from clusterdiff.results.many.matrix.annotators import AnnotatorAgreement
    from clusterdiff.results.render.renderable import Block
    from clusterdiff.results.render.table import CellTable

MOST_SQUARE = 12
"""Runs of which Markdown and LaTeX have the whole matrix; of more, some pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(TableResult):
    """Scores of every two runs: `values[i, j]` with run i as truth and run j as guess."""

    schema = "matrix/1"

    measure: Measure
    names: list[str]
    values: Floats
    """Runs x runs; NaN for two that have no object in common."""
    shared: Ints
    """How many objects each two runs are compared on."""
    policy: Policy
    labelled: LabelledRuns | None = None
    """The runs on one numbering of their objects; None if they are not all partitions."""
    tables: RunTables | None = None
    _against: AnnotatorAgreement | None = None
    read: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """The score of two runs, the truth first."""
        truth, guess = pair
        return float(self.values[self._place(truth), self._place(guess)])

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether it does not matter which run is the truth."""
        return is_symmetric(self.values)

    @cached_property
    def order(self) -> list[int]:
        """Places of the runs in an order that has similar ones side by side: average linkage with
        optimal leaf order.
        """
        return leaf_order(self.values, self.measure.is_distance)

    @cached_property
    def medoid(self) -> str:
        """The run that agrees best with all others on average; of several the first given.

        Runs that share less than half as many objects with the others as the median run are not
        candidates.
        """
        return self.names[medoid_of(self.values, self.measure.is_distance, self.shared)]

    @cached_property
    def means(self) -> Floats:
        """Mean score of each run with the others that it shares objects with."""
        return mean_with_others(self.values)

    @property
    def partners(self) -> Ints:
        """The number of other runs that each mean is over."""
        known = ~np.isnan(self.values)
        return np.asarray(known.sum(axis=1) - np.diag(known))

    @cached_property
    def _stability(self) -> MeanAgreement:
        return stability_of(self.values)

    @property
    def stability(self) -> float:
        """Mean score over all pairs of different runs."""
        return self._stability.mean

    @property
    def spread(self) -> float:
        """Standard deviation of the scores of the pairs."""
        return self._stability.spread

    @property
    def standard_error(self) -> float:
        """Standard error of the stability, by a jackknife over runs: pairs share runs, and are not
        as many independent scores. NaN of fewer than three runs.
        """
        return self._stability.error

    @property
    def pair_count(self) -> int:
        """How many pairs of different runs have a score."""
        return self._stability.pairs

    @cached_property
    def profiles(self) -> Profiles:
        """Objects grouped by their clusters in all runs (and in all guesses, where there are)."""
        return profiles_of(self._partitions.clusters)

    @property
    def signature(self) -> Signature:
        """What was computed, on what, how: two matrices with one signature have the same numbers.

        Of other kinds than partitions, the digest is that of the scores.
        """
        if self.labelled is not None:
            digest = self.profiles.digest
        else:
            numbers = (self.values, self.shared)
            digest = blake2b(b"".join(map(np.ndarray.tobytes, numbers)), digest_size=8).hexdigest()
        parts = Signature(measure=self.measure.full_name)
        parts |= {"compat": self.measure.compat} if self.measure.compat else {}
        parts |= {"runs": len(self)}
        parts |= {} if self._against is None else {"guesses": len(self._against.guesses)}
        return Signature(
            parts | {"align": self.policy.align, "profiles": digest, "version": __version__}
        )

    @property
    def against(self) -> AnnotatorAgreement:
        """How each guess agrees with all runs, beside how these agree among themselves."""
        if self._against is None:
            raise ClusterdiffError(
                "there are no guesses to judge.",
                'cd.matrix(annotators, guesses={"mine": guess}).against',
            )
        return self._against

    def distances(self) -> Floats:
        """Runs x runs, how far apart they are: the measure if it is a distance, what is missing to
        the score of identical runs if it is a similarity, and the root of either where the result
        is a Euclidean distance (bcubed_f, elm_f, rand, element_similarity, mirkin_distance).
        """
        found = dissimilarities(self.values, self.measure.is_distance)
        return np.asarray(np.sqrt(found) if is_euclidean(self.measure) else found)

    def embedding(self, dimensions: int = 2) -> Embedding:
        """Runs as points, by classical scaling of their distances."""
        if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
            raise ClusterdiffError(
                f"a map has at least one dimension, got {dimensions!r}.", "m.embedding(2)"
            )
        if unknown := int(np.isnan(self.values).sum()) // 2:
            raise ClusterdiffError(
                f"pairs of runs without a common object: {unknown:,}; their distance is unknown.",
                "leave out runs that share no object with others.",
            )
        return classical_scaling(self.distances(), dimensions)

    def objects(self) -> Consistency:
        """How consistently the runs treat each object, cluster and run."""
        return self._consistency

    @cached_property
    def _consistency(self) -> Consistency:
        runs = self._partitions
        assert self.tables is not None
        return consistency_of(runs, self.tables, len(self))

    @property
    def _partitions(self) -> LabelledRuns:
        if self.labelled is None:
            raise ClusterdiffError(
                "consistency and profiles are for partitions; some of these runs overlap or are "
                "uncertain.",
                "take the cluster of the largest degree of each object.",
            )
        return self.labelled

    def _place(self, name: str) -> int:
        if name not in self.names:
            near = did_you_mean(name, self.names) or f"runs are {', '.join(self.names[:5])}"
            raise ClusterdiffError(f"no run is called {name!r}.", near)
        return self.names.index(name)

    def head(self, width: int = 80) -> str:
        """What was compared, how stable it is, and which run is the medoid."""
        return head_of(self, width)

    def table(self) -> CellTable:
        """The matrix in the order of the leaves; of many runs the best and the worst pairs."""
        return square_table(self) if len(self) <= MOST_SQUARE else pairs_table(self)

    def notes(self) -> list[str]:
        """How to read the numbers, and which objects they leave out."""
        return notes_of(self)

    def body(self, width: int) -> Iterator[Block]:
        """The matrix where it fits, else some pairs; and the guesses against all runs."""
        square = square_table(self) if len(self) <= 2 * MOST_SQUARE else None
        fits = square is not None and width_of(square) <= width
        yield square if fits and square else pairs_table(self)
        if self._against is not None:
            yield from self._against.blocks(width)

    def records(self) -> list[dict[str, Any]]:
        """A record for each pair of runs, both ways, and for each run with itself; behind them one
        for each guess and truth.
        """
        values, shared = self.values.tolist(), self.shared.tolist()
        found = [
            {"truth": t, "guess": g, "value": _number(values[i][j]), "objects": shared[i][j]}
            for i, t in enumerate(self.names)
            for j, g in enumerate(self.names)
        ]
        return found if self._against is None else found + self._against.records()

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        told: dict[str, Any] = {
            "measure": self.measure.full_name,
            "names": self.names,
            "values": [[_number(v) for v in row] for row in self.values.tolist()],
            "objects": self.shared.tolist(),
            "symmetric": self.is_symmetric,
            "order": [self.names[i] for i in self.order],
            "medoid": self.medoid,
            "means": [_number(v) for v in self.means.tolist()],
            "partners": self.partners.tolist(),
            "stability": _number(self.stability),
            "spread": _number(self.spread),
            "standard_error": _number(self.standard_error),
            "pairs": self._stability.pairs,
            "align": self.policy.align,
        }
        told["signature"] = str(self.signature)
        if self.labelled is not None:
            told |= {"missing": self.labelled.missing, "noise": self.labelled.noise}
        if self._against is not None:
            told["against"] = self._against.to_dict()
        return told | self.noted

    def pairs(self) -> list[tuple[float, str, str]]:
        """Scores of the pairs of different runs, lowest first; of a measure that is not symmetric
        both ways.
        """
        many = len(self)
        found = [
            (float(self.values[i, j]), self.names[i], self.names[j])
            for i in range(many)
            for j in range(many)
            if (i < j or (i != j and not self.is_symmetric)) and not np.isnan(self.values[i, j])
        ]
        return sorted(found, key=lambda one: one[0])


def _number(value: float) -> float | None:
    """A number for programs; None where there is none."""
    return None if np.isnan(value) else value
