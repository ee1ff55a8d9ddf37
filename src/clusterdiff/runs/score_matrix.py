"""Scores of every two runs, and what they say: medoid, stability, order, consistency, a map."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.grouping import MANY
from clusterdiff.errors import ClusterdiffError, did_you_mean, examples, printable
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, cut, short_names, wrap_columns
from clusterdiff.runs.agreement import (
    Embedding,
    classical_scaling,
    dissimilarities,
    is_euclidean,
    is_symmetric,
    leaf_order,
    mean_with_others,
    medoid_of,
    stability_of,
    well_shared,
)
from clusterdiff.runs.consistency import Consistency, consistency_of
from clusterdiff.runs.profiles import Profiles, profiles_of
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.contingency import Policy
    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.measures import Measure
    from clusterdiff.output.result import Block
    from clusterdiff.runs.agreement import MeanAgreement
    from clusterdiff.runs.annotators import AnnotatorAgreement
    from clusterdiff.runs.tables import RunTables

# A matrix of scores for eyes: its head, the square or some pairs, and notes.

PAIRS = 5
"""Pairs that are shown of the best, and of the worst."""
LONGEST = 32
"""Columns that the name of a run takes."""
HEADING = 11
"""Columns of a name that can head a column; longer ones are replaced by numbers."""


def head_of(m: ScoreMatrix, width: int) -> str:
    """What was compared, how stable it is, and which run is the medoid."""
    lines = [("runs", _compared(m)), ("stability", _stability(m)), ("medoid", _medoid(m))]
    return f"{m.measure}\n" + wrap_columns(lines, width)


def _compared(m: ScoreMatrix) -> str:
    told = f"{len(m):,}"
    if m.labelled is None:
        return told
    told += f", {count(m.labelled.objects, 'object')}"
    groups = m.tables.profiles if m.tables is not None else None
    if groups is None and m.labelled.objects < MANY:
        groups = m.profiles.count.size
    return told if groups is None else f"{told} in {count(groups, 'profile')}"


def _stability(m: ScoreMatrix) -> str:
    pairs = m.pairs()
    if not pairs:
        return "no pair of runs shares an object"
    told = f"{digits(m.stability)} on average over {count(m.pair_count, 'pair')}"
    if len(pairs) > 1:
        told += f", from {digits(pairs[0][0])} to {digits(pairs[-1][0])}"
        told += f" (standard deviation {digits(m.spread)})"
    return (
        told
        if math.isnan(m.standard_error)
        else f"{told}; standard error {digits(m.standard_error)}"
    )


def _medoid(m: ScoreMatrix) -> str:
    place = m.names.index(m.medoid)
    mean, partners = float(m.means[place]), int(m.partners[place])
    others = "the others" if partners == len(m) - 1 else f"{partners:,} of {len(m) - 1:,} others"
    return f"{cut(printable(m.medoid), LONGEST)}, {digits(mean)} on average with {others}"


def square_table(m: ScoreMatrix) -> CellTable:
    """All scores, runs in the order of the leaves."""
    names = fitting_names(m.names, LONGEST)
    short = max(map(columns, names)) <= HEADING
    rows, headings = [], [""]
    for place, i in enumerate(m.order, 1):
        headings.append(names[i] if short else str(place))
        scores = [_cell(float(m.values[i, j])) for j in m.order]
        rows.append((names[i] if short else f"{place} {names[i]}", *scores))
    return CellTable(tuple(headings), tuple(rows))


def fitting_names(names: list[str], width: int) -> list[str]:
    """Names of runs that take so many columns at most, no two alike."""
    shown = [printable(name) for name in names]
    if max(map(columns, shown)) <= width:
        return shown
    return [cut(printable(name), width) for name in short_names(names, width)]


def pairs_table(m: ScoreMatrix) -> CellTable:
    """The pairs that agree best, and those that agree least."""
    pairs = m.pairs()
    pairs = pairs if m.measure.is_distance else pairs[::-1]
    best, worst = pairs[:PAIRS], pairs[PAIRS:][-PAIRS:]
    ends = ("run", "run") if m.is_symmetric else ("truth", "guess")
    rows = [(digits(v), cut(a, LONGEST), cut(b, LONGEST)) for v, a, b in best]
    if len(pairs) > len(best) + len(worst):
        rows.append(("…", "", ""))
    rows += [(digits(v), cut(a, LONGEST), cut(b, LONGEST)) for v, a, b in worst]
    return CellTable((str(m.measure), *ends), tuple(rows))


def width_of(table: CellTable) -> int:
    """Columns that a table takes."""
    cells = [table.headings, *table.rows]
    return 2 + sum(2 + max(map(columns, column)) for column in zip(*cells, strict=True))


def notes_of(m: ScoreMatrix) -> list[str]:
    """How to read the numbers, and which objects they leave out."""
    told = []
    if not m.is_symmetric:
        told.append(
            f"{m.measure} is not symmetric: rows are truth, columns are guess. Medoid and order "
            "take the mean of both directions."
        )
    elif m.measure.is_distance:
        told.append(f"{m.measure} is a distance: 0 is agreement.")
    if not math.isnan(m.standard_error):
        told.append(
            "The standard error takes runs as drawn at random (jackknife over runs): pairs share "
            "runs and are not independent."
        )
    return [*told, *_left_out(m)]


def _left_out(m: ScoreMatrix) -> list[str]:
    told = []
    if m.labelled is not None and (lacking := [n for n in m.labelled.missing if n]):
        what = (
            "each is a cluster of its own there"
            if m.policy.align == "singletons"
            else f"each pair is scored on the objects that both have ({_range(_pair_sizes(m))})"
        )
        told.append(
            f"{_some(lacking, m.labelled.missing, 'lack')} objects "
            f"({_range(lacking)} of {m.labelled.objects:,}); {what}."
        )
    if m.labelled is not None and (noisy := [n for n in m.labelled.noise if n]):
        fate = "left out of its pairs" if m.policy.noise_as == "drop" else "a cluster of its own"
        told.append(
            f"{_some(noisy, m.labelled.noise, 'call')} objects noise "
            f"({_range(noisy)}); each is {fate}."
        )
    if few := [m.names[i] for i in np.flatnonzero(~well_shared(m.shared))]:
        told.append(
            f"{count(len(few), 'run')} ({examples(few)}) {'shares' if len(few) == 1 else 'share'} "
            "less than half as many objects with the others as the median run, and cannot be the "
            "medoid."
        )
    if unknown := len(m) * (len(m) - 1) // 2 - m.pair_count:
        verb = "shares no object, and has" if unknown == 1 else "share no object, and have"
        told.append(f"{count(unknown, 'pair')} of runs {verb} no score.")
    return told


def _pair_sizes(m: ScoreMatrix) -> list[int]:
    return [int(n) for i, row in enumerate(m.shared) for n in row[i + 1 :]]


def _some(counted: list[int], every: list[int], verb: str) -> str:
    return f"{len(counted):,} of {len(every):,} runs {verb}{'s' if len(counted) == 1 else ''}"


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cell(value: float) -> str:
    return "—" if math.isnan(value) else digits(value)


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
