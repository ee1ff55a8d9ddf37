"""Scores of every pair of many clusterings: runs, seeds, resolutions, annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.grouping import MANY
from clusterdiff.contingency import Alignment, Policy
from clusterdiff.engines.protocol import kind_of
from clusterdiff.errors import AlignmentError, ClusterdiffError, did_you_mean, examples, printable
from clusterdiff.io.runs import Runs, is_clustering, named_runs, opened_runs
from clusterdiff.io.sides import said
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, cut, short_names, wrap_columns
from clusterdiff.runs.agreement import (
    LONGEST,
    AnnotatorAgreement,
    Embedding,
    classical_scaling,
    digits_or_dash,
    dissimilarities,
    is_euclidean,
    is_symmetric,
    leaf_order,
    mean_with_others,
    number_or_none,
    stability_of,
    well_shared,
)
from clusterdiff.runs.consistency import Consistency, consistency_of
from clusterdiff.runs.tables import (
    Profiles,
    RunTables,
    profiles_of,
    scores_of_sides,
    scores_of_tables,
)
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.output.result import Block
    from clusterdiff.runs.agreement import MeanAgreement

PAIRS = 5
"""Pairs that are shown of the best, and of the worst."""
HEADING = 11
"""Columns of a name that can head a column; longer ones are replaced by numbers."""
MOST_SQUARE = 12
"""Runs of which Markdown and LaTeX have the whole matrix; of more, some pairs."""


def matrix(
    runs: Any,
    measure: str | Measure = "adjusted_rand",
    *,
    guesses: Any = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    engine: Any = None,
) -> ScoreMatrix:
    """Scores of every pair of several clusterings: runs, seeds, resolutions, annotators.

    >>> m = matrix({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2], "c": [1, 1, 2, 3]}, "rand")
    >>> m.medoid, round(m.stability, 4)
    ('c', 0.6667)

    `runs` is a dict from name to clustering, a list of clusterings, a frame with a column for each,
    or a path: "runs/*.csv", "table.csv::leiden_*". Scores equal those of `cd.compare` for each
    pair. With align="shared" each pair is scored on the objects that both have, as for subsamples.

    `guesses` are clusterings to judge, given as `runs` are; `runs` are then several truths,
    such as annotators, and `.against` says how each guess agrees with all of them and how they
    agree among themselves.
    """
    policy, chosen = Policy(align, noise, noise_as), measure_named(measure)
    if guesses is None:
        with opened_runs(runs, engine=engine, count=count) as opened:
            return matrix_of(opened, chosen, policy)
    truths, aligned = named_runs(runs, 2, "a matrix compares"), _judged(guesses)
    given = truths | {f"guess {n}" if n in truths else n: one for n, one in aligned.items()}
    with opened_runs(given, engine=engine, count=count) as opened:
        return matrix_of(opened, chosen, policy, len(truths))


def _judged(guesses: Any) -> dict[str, Any]:
    """Guesses by name; one guess is called so."""
    if isinstance(guesses, list | tuple) and not any(map(is_clustering, guesses)):
        return {"guess": guesses}
    found = named_runs(guesses, 1, "a matrix judges")
    return {name or "guess": one for name, one in found.items()}


def matrix_of(
    runs: Runs, measure: Measure, policy: Policy, truths: int | None = None
) -> ScoreMatrix:
    """The matrix of runs that are opened; the first ones are truths if guesses follow them."""
    many = len(runs.names) if truths is None else truths
    labelled, tables = None, None
    if any(kind_of(one) != "partition" for one in runs.sides.values()):
        sides = list(runs.sides.values())
        values, shared, read = scores_of_sides(runs.sessions, sides, measure, policy, many)
        notes = tuple((", ".join(runs.names[i] for i in some), note) for some, note in read)
    else:
        labelled = runs.labelled(policy)
        alignment = Alignment(policy.align, noise_as=policy.noise_as if policy.noise_labels else "")
        tables, notes = RunTables.of(labelled.clusters, alignment, labelled.counts), labelled.notes
        values, shared = scores_of_tables(tables, measure, many), tables.shared()[:many]
    values, crossed = values[:, :many], values[:, many:]
    names, judged = runs.names[:many], runs.names[many:]
    against = None
    if truths is not None:
        against = AnnotatorAgreement(measure, names, judged, crossed, shared[:, many:], values)
    made = ScoreMatrix(
        measure, names, values, shared[:, :many], policy, labelled, tables, against, said(notes)
    )
    _check_strangers(made)
    return made


def _check_strangers(found: ScoreMatrix) -> None:
    """Refuse runs of which no two have an object in common."""
    if found.pair_count or len(found) < 2:
        return
    seen = ""
    if (runs := found.labelled) is not None:
        first, second = (runs.id_of(int(np.argmax(run >= 0))) for run in runs.clusters[:2])
        seen = f": ids look like {first!r} in {found.names[0]} and {second!r} in {found.names[1]}"
    raise AlignmentError(
        f"no two of the {len(found):,} runs have an object in common{seen}.",
        "look at an id of each; a prefix, a type or the wrong column may differ.",
    )


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(TableResult):
    """Scores of every pair of runs: `values[i, j]` with run i as truth and run j as guess."""

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
        lost = self.means if self.measure.is_distance else -self.means
        unfit = np.isnan(lost) | ~well_shared(self.shared)
        return self.names[int(np.argmin(np.where(unfit, math.inf, lost)))]

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
        return profiles_of(self._partitions.clusters, self._partitions.counts)

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
        is a Euclidean distance (elm_f, rand, element_similarity, mirkin_distance).
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
        return consistency_of(self._partitions, len(self))

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
        compared = f"{len(self):,}"
        if self.labelled is not None and self.tables is not None:
            compared += f", {count(self.labelled.objects, 'object')}"
            groups = self.tables.profiles
            if groups is None and self.labelled.objects < MANY:
                groups = self.profiles.count.size
            compared += "" if groups is None else f" in {count(groups, 'profile')}"
        agreement, pairs = "no pair of runs shares an object", self.pairs()
        if pairs:
            agreement = f"{digits(self.stability)} on average over {count(self.pair_count, 'pair')}"
        if len(pairs) > 1:
            agreement += f", from {digits(pairs[0][0])} to {digits(pairs[-1][0])}"
            agreement += f" (standard deviation {digits(self.spread)})"
        if pairs and not math.isnan(self.standard_error):
            agreement += f"; standard error {digits(self.standard_error)}"
        place = self.names.index(self.medoid)
        partners, rest = int(self.partners[place]), len(self) - 1
        others = "the others" if partners == rest else f"{partners:,} of {rest:,} others"
        mean = digits(float(self.means[place]))
        medoid = f"{cut(printable(self.medoid), LONGEST)}, {mean} on average with {others}"
        rows = [("runs", compared), ("stability", agreement), ("medoid", medoid)]
        return f"{self.measure}\n" + wrap_columns(rows, width)

    def table(self) -> CellTable:
        """The matrix in the order of the leaves; of many runs the best and the worst pairs."""
        return self._square() if len(self) <= MOST_SQUARE else self._some_pairs()

    def _square(self) -> CellTable:
        """All scores, runs in the order of the leaves."""
        names = fitting_names(self.names, LONGEST)
        short = max(map(columns, names)) <= HEADING
        rows, headings = [], [""]
        for place, i in enumerate(self.order, 1):
            headings.append(names[i] if short else str(place))
            scores = [digits_or_dash(float(self.values[i, j])) for j in self.order]
            rows.append((names[i] if short else f"{place} {names[i]}", *scores))
        return CellTable(tuple(headings), tuple(rows))

    def _some_pairs(self) -> CellTable:
        """The pairs that agree best, and those that agree least."""
        pairs = self.pairs()
        pairs = pairs if self.measure.is_distance else pairs[::-1]
        rows = [(digits(v), cut(a, LONGEST), cut(b, LONGEST)) for v, a, b in pairs]
        if len(rows) > 2 * PAIRS:
            rows[PAIRS:-PAIRS] = [("…", "", "")]
        ends = ("run", "run") if self.is_symmetric else ("truth", "guess")
        return CellTable((str(self.measure), *ends), tuple(rows))

    def body(self, width: int) -> Iterator[Block]:
        """The matrix where it fits, else some pairs; and the guesses against all runs."""
        square = self._square() if len(self) <= 2 * MOST_SQUARE else None
        yield square if square is not None and width_of(square) <= width else self._some_pairs()
        if self._against is not None:
            yield from self._against.blocks(width)

    def notes(self) -> list[str]:
        """How to read the numbers, and which objects they leave out."""
        told = []
        if not self.is_symmetric:
            told.append(
                f"{self.measure} is not symmetric: rows are truth, columns are guess. Medoid and "
                "order take the mean of both directions."
            )
        elif self.measure.is_distance:
            told.append(f"{self.measure} is a distance: 0 is agreement.")
        if not math.isnan(self.standard_error):
            told.append(
                "The standard error takes runs as drawn at random (jackknife over runs): pairs "
                "share runs and are not independent."
            )
        return [*told, *self._left_out()]

    def _left_out(self) -> list[str]:
        told = []
        if self.labelled is not None and (lacking := [n for n in self.labelled.missing if n]):
            what = "each is a cluster of its own there"
            if self.policy.align != "singletons":
                sizes = self.shared[np.triu_indices(len(self), 1)].tolist()
                what = f"each pair is scored on the objects that both have ({_range(sizes)})"
            told.append(
                f"{_some(lacking, self.labelled.missing, 'lack')} objects "
                f"({_range(lacking)} of {self.labelled.objects:,}); {what}."
            )
        if self.labelled is not None and (noisy := [n for n in self.labelled.noise if n]):
            dropped = self.policy.noise_as == "drop"
            fate = "left out of its pairs" if dropped else "a cluster of its own"
            told.append(
                f"{_some(noisy, self.labelled.noise, 'call')} objects noise "
                f"({_range(noisy)}); each is {fate}."
            )
        if few := [self.names[i] for i in np.flatnonzero(~well_shared(self.shared))]:
            share = "shares" if len(few) == 1 else "share"
            told.append(
                f"{count(len(few), 'run')} ({examples(few)}) {share} less than half as many "
                "objects with the others as the median run, and cannot be the medoid."
            )
        if unknown := len(self) * (len(self) - 1) // 2 - self.pair_count:
            verb = "shares no object, and has" if unknown == 1 else "share no object, and have"
            told.append(f"{count(unknown, 'pair')} of runs {verb} no score.")
        return told

    def records(self) -> list[dict[str, Any]]:
        """A record for each pair of runs, both ways, and for each run with itself; behind them one
        for each guess and truth.
        """
        values, shared = self.values.tolist(), self.shared.tolist()
        found = [
            {"truth": t, "guess": g, "value": number_or_none(values[i][j]), "objects": shared[i][j]}
            for i, t in enumerate(self.names)
            for j, g in enumerate(self.names)
        ]
        return found if self._against is None else found + self._against.records()

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        told: dict[str, Any] = {
            "measure": self.measure.full_name,
            "names": self.names,
            "values": [[number_or_none(v) for v in row] for row in self.values.tolist()],
            "objects": self.shared.tolist(),
            "symmetric": self.is_symmetric,
            "order": [self.names[i] for i in self.order],
            "medoid": self.medoid,
            "means": [number_or_none(v) for v in self.means.tolist()],
            "partners": self.partners.tolist(),
            "stability": number_or_none(self.stability),
            "spread": number_or_none(self.spread),
            "standard_error": number_or_none(self.standard_error),
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


def fitting_names(names: list[str], width: int) -> list[str]:
    """Names of runs that take so many columns at most, no two alike."""
    shown = [printable(name) for name in names]
    if max(map(columns, shown)) <= width:
        return shown
    return [cut(printable(name), width) for name in short_names(names, width)]


def width_of(table: CellTable) -> int:
    """Columns that a table takes."""
    cells = [table.headings, *table.rows]
    return 2 + sum(2 + max(map(columns, column)) for column in zip(*cells, strict=True))


def _some(counted: list[int], every: list[int], verb: str) -> str:
    return f"{len(counted):,} of {len(every):,} runs {verb}{'s' if len(counted) == 1 else ''}"


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
