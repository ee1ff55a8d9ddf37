"""Scores of every pair of many clusterings: runs, seeds, resolutions, annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.base import pandas_series
from clusterdiff.clusterings.grouping import MANY
from clusterdiff.contingency import Alignment, Policy
from clusterdiff.contingency.exact_sums import exact_group_sums, exact_sum
from clusterdiff.engines.protocol import kind_of
from clusterdiff.errors import AlignmentError, ClusterdiffError, did_you_mean, examples, printable
from clusterdiff.io.arguments import column_of
from clusterdiff.io.between import named, told_between
from clusterdiff.io.runs import Runs, is_clustering, named_runs, opened_runs
from clusterdiff.io.sides import said
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.base import not_of_pairs
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, cut, short_names, shown_name, wrap_columns, wrapped
from clusterdiff.progress import progress
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
    mean_of,
    mean_with_others,
    number_or_none,
    stability_of,
    well_shared,
)
from clusterdiff.runs.tables import (
    Profiles,
    RunTables,
    profiles_of,
    scores_of_runs,
    scores_of_sides,
)
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.output.result import Block
    from clusterdiff.runs.agreement import MeanAgreement

# How consistently runs treat each object: mean over pairs of runs of |A∩B| / max(|A|, |B|).


class ClusterMeans(NamedTuple):
    """Clusters of a run, by the number they were given with."""

    number: Ints
    size: Ints
    consistency: Floats
    """Mean consistency of the objects."""
    stability: Floats
    """Mean over the other runs of |A∩B| / max(|A|, |B|), seen from the objects of the cluster."""


@dataclass
class CompensatedSum:
    """Sums of floating-point numbers with the rounding errors kept (Neumaier)."""

    total: Floats
    error: Floats
    terms: Ints

    @classmethod
    def zeros(cls, size: int) -> CompensatedSum:
        """Nothing added yet."""
        return cls(np.zeros(size), np.zeros(size), np.zeros(size, np.int64))

    def add(self, where: Any, value: Floats) -> None:
        """Add a value at each of these places, which are different."""
        old = self.total[where]
        new = old + value
        self.error[where] += np.where(old >= value, (old - new) + value, (value - new) + old)
        self.total[where] = new
        self.terms[where] += 1

    def mean(self) -> Floats:
        """The mean of what was added; NaN where nothing was."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.total + self.error) / self.terms)


def consistency_of(labelled: LabelledRuns, runs: int) -> Consistency:
    """Consistency of the first runs, over all pairs of them."""
    if labelled.counts is not None:
        raise ClusterdiffError(
            "the consistency of objects is told for objects that count once.",
            "leave the counts out.",
        )
    clusters = labelled.clusters[:runs]
    tables = RunTables.of(clusters)
    groups = CompensatedSum.zeros(tables.groups)
    own = [CompensatedSum.zeros(width) for width in tables.widths]
    same = int((tables.same[0] * tables.same[1]).sum())
    scores: list[list[float]] = [[] for _ in range(runs)]
    pairs = list(combinations(range(runs), 2))
    with progress(f"consistency over {len(pairs):,} pairs", len(pairs)) as advance:
        for a, b in pairs:
            truth, guess, both = tables.cells(a, b)
            rows = np.bincount(truth, both, tables.widths[a]).astype(np.int64)
            columns = np.bincount(guess, both, tables.widths[b]).astype(np.int64)
            value = both / np.maximum(rows[truth], columns[guess])
            groups.add(*_values_of_groups(tables, a, b, truth, guess, value))
            objects = int(both.sum())
            for run, sizes, cluster in ((a, rows, truth), (b, columns, guess)):
                # Sums over the cells of a cluster, rounded once, whatever the order of the cells.
                largest = float(objects) * int(sizes.max(initial=0))
                sums = exact_group_sums(cluster, both * value * objects, sizes.size, largest)
                shared = np.flatnonzero(sizes)
                own[run].add(shared, sums[shared] / sizes[shared] / objects)
            if objects + same:
                score = (exact_sum(both * value) + same) / (objects + same)
                scores[a].append(score)
                scores[b].append(score)
            advance(1)
    each = np.ones(tables.is_same.size)
    each[~tables.is_same] = groups.mean()[tables.group]
    per_run = [
        _cluster_means(tables, run, clusters[run], each, own[run].mean()) for run in range(runs)
    ]
    return Consistency(labelled, runs, each, per_run, [mean_of(np.array(one)) for one in scores])


def _values_of_groups(
    tables: RunTables, a: int, b: int, truth: Ints, guess: Ints, value: Floats
) -> tuple[Any, Floats]:
    """The groups that both runs have, and the value of the cell that each is in."""
    left, right = tables.clusters[a].astype(np.int64), tables.clusters[b]
    columns = tables.widths[b] + 1
    if not tables.is_dense(a, b):
        shared = np.flatnonzero((left >= 0) & (right >= 0))
        keys, cells = left[shared] * columns + right[shared], truth * columns + guess
        order = np.argsort(cells)
        return shared, value[order[np.searchsorted(cells[order], keys)]]
    # The first row and column of the table are for missing ones.
    table = np.zeros((tables.widths[a] + 1, columns))
    table[truth + 1, guess + 1] = value
    values = table.ravel()[(left + 1) * columns + right + 1]
    if values.all():
        return slice(None), values
    shared = np.flatnonzero(values)
    return shared, values[shared]


def _cluster_means(
    tables: RunTables, run: int, cluster: Ints, objects: Floats, stability: Floats
) -> ClusterMeans:
    """Means over the objects of each cluster of a run."""
    known = cluster >= 0
    size = np.bincount(cluster[known], minlength=int(cluster.max(initial=-1)) + 1)
    number = np.flatnonzero(size)
    measured = known & ~np.isnan(objects)
    counted = np.bincount(cluster[measured], minlength=size.size)
    total = max(int(measured.sum()), 1)
    terms = np.round(objects[measured] * 2.0**50)
    sums = exact_group_sums(cluster[measured], terms, size.size, 2.0**50 * total)
    with np.errstate(invalid="ignore"):
        mean = sums / counted / 2.0**50
    stable = np.ones(size.size)
    stable[tables.numbers[run]] = stability
    return ClusterMeans(number, size[number], mean[number], stable[number])


SHOWN = 10
"""Objects and clusters that are shown."""


class ClusterConsistency(NamedTuple):
    """A cluster of a run."""

    run: str
    cluster: Any
    objects: int
    consistency: float
    """Mean consistency of its objects over all pairs of runs."""
    stability: float
    """Mean over the other runs of |A∩B| / max(|A|, |B|), over its objects: whether other runs have
    this cluster too.
    """


class RunConsistency(NamedTuple):
    """A run."""

    run: str
    objects: int
    clusters: int
    consistency: float
    """Mean over the pairs with this run of |A∩B| / max(|A|, |B|), over the objects of each."""


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(TableResult):
    """Consistency of each object: the mean over pairs of runs of |A∩B| / max(|A|, |B|), with the
    clusters A and B that the object is in; 1 where all runs have the same cluster.
    """

    schema = "consistency/1"

    labelled: LabelledRuns
    runs_compared: int
    values: Floats
    """Of each object; NaN where fewer than two runs have it."""
    cluster_means: list[ClusterMeans]
    """Of the clusters of each run."""
    run_means: list[float]
    """Of each run the mean over all others; NaN where none shares an object with it."""

    def __len__(self) -> int:
        return self.values.size

    @cached_property
    def ids(self) -> list[Any]:
        """What the objects are called; positions where there are no ids."""
        known = self.labelled.ids
        return list(range(len(self))) if known is None else known.tolist()

    def to_series(self) -> Any:
        """A pandas Series in the order of the objects, under their ids, or under the index that
        they came with, or their positions, where there are no ids.
        """
        index = self.labelled.index
        return pandas_series(self.values, self.ids if index is None else index, "consistency")

    @property
    def mean(self) -> float:
        """The mean over objects."""
        return mean_of(self.values)

    @cached_property
    def in_runs(self) -> Ints:
        """How many runs have each object."""
        runs = self.labelled.clusters[: self.runs_compared]
        return np.asarray(sum((run >= 0).astype(np.int64) for run in runs))

    def worst(self, n: int = 20) -> list[tuple[Any, float]]:
        """The least consistent objects, in the order of the input where equal."""
        return [(self.labelled.id_of(i), float(self.values[i])) for i in self._sorted()[:n]]

    @cached_property
    def clusters(self) -> list[ClusterConsistency]:
        """The clusters of each run, run by run; objects that noise left alone are none."""
        made = []
        for name, labels, one in zip(
            self.labelled.names, self.labelled.labels, self.cluster_means, strict=False
        ):
            named = one.number < len(labels)
            rows = zip(*(column[named].tolist() for column in one), strict=True)
            made += [ClusterConsistency(name, labels[k], *rest) for k, *rest in rows]
        return made

    @cached_property
    def runs(self) -> list[RunConsistency]:
        """The runs in the order given."""
        found = zip(self.labelled.names, self.cluster_means, self.run_means, strict=False)
        return [RunConsistency(n, int(c.size.sum()), c.number.size, mean) for n, c, mean in found]

    def head(self, width: int = 80) -> str:
        """How many objects are consistent, and how much."""
        one, half = int((self.values == 1).sum()), int((self.values < 0.5).sum())
        told = (
            f"consistency of {count(len(self), 'object')} over {self.runs_compared:,} runs: mean "
            f"{digits(self.mean)}; {one:,} in the same cluster in all runs, {half:,} below 0.5"
        )
        return wrapped(told, width)

    def table(self) -> CellTable:
        """The least consistent objects."""
        rows = [(cut(shown_name(id), LONGEST), digits(value)) for id, value in self.worst(SHOWN)]
        return CellTable(("object", "consistency"), tuple(rows))

    def clusters_table(self) -> CellTable:
        """The clusters that other runs have least."""
        worst = sorted(self.clusters, key=lambda one: (np.isnan(one.stability), one.stability))
        rows = [
            (
                cut(shown_name(one.cluster), LONGEST),
                cut(printable(one.run), LONGEST),
                f"{one.objects:,}",
                *map(digits_or_dash, (one.stability, one.consistency)),
            )
            for one in worst[:SHOWN]
        ]
        headings = ("cluster", "run", "objects", "stability", "consistency")
        return CellTable(headings, tuple(rows))

    def body(self, width: int) -> Iterator[Block]:
        """The least consistent objects and the least stable clusters."""
        yield from (self.table(), self.clusters_table())

    def notes(self) -> list[str]:
        """What the numbers mean."""
        told = [
            "Consistency is the mean over pairs of runs of |A∩B| / max(|A|, |B|) with the clusters "
            "of the object. Stability of a cluster is the same with its own run against the others."
        ]
        if unknown := int(np.isnan(self.values).sum()):
            are, have = ("is", "has") if unknown == 1 else ("are", "have")
            told.append(
                f"{count(unknown, 'object')} {are} in fewer than two runs, and {have} none."
            )
        return told

    def records(self) -> list[dict[str, Any]]:
        """A record for each object, the least consistent first."""
        order = self._sorted()
        values, runs = self.values[order].tolist(), self.in_runs[order].tolist()
        return [
            {"id": self.labelled.id_of(i), "consistency": number_or_none(value), "runs": n}
            for i, value, n in zip(order, values, runs, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        return {
            "mean": self.mean,
            "objects": self.records(),
            "clusters": [_without_nan(one._asdict()) for one in self.clusters],
            "runs": [_without_nan(one._asdict()) for one in self.runs],
        }

    def _sorted(self) -> list[int]:
        """Places of the objects by their consistency; those without come last."""
        order: list[int] = np.argsort(self.values, kind="stable").tolist()
        return order


def _without_nan(record: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in record.items()}


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
    between: Any = None,
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

    `between` says which source each object comes from, as in `compare`: scores count only pairs of
    objects from different sources.
    """
    policy, chosen = Policy(align, noise, noise_as), measure_named(measure)
    how = {"engine": engine, "count": count, "between": between}
    of = "" if between is None else named(between)
    if guesses is None:
        with opened_runs(runs, **how) as opened:
            return matrix_of(opened, chosen, policy, between=of)
    beside = column_of(count), column_of(between)
    truths, aligned = named_runs(runs, 2, "a matrix compares", *beside), _judged(guesses)
    given = truths | {f"guess {n}" if n in truths else n: one for n, one in aligned.items()}
    with opened_runs(given, **how) as opened:
        return matrix_of(opened, chosen, policy, len(truths), between=of)


def _judged(guesses: Any) -> dict[str, Any]:
    """Guesses by name; one guess is called so."""
    if isinstance(guesses, list | tuple) and not any(map(is_clustering, guesses)):
        return {"guess": guesses}
    found = named_runs(guesses, 1, "a matrix judges")
    return {name or "guess": one for name, one in found.items()}


def matrix_of(
    runs: Runs, measure: Measure, policy: Policy, truths: int | None = None, between: str = ""
) -> ScoreMatrix:
    """The matrix of runs that are opened; the first ones are truths if guesses follow them. Where
    only pairs across sources count, runs have them in place of samples.
    """
    if between:
        if not measure.is_of_pairs:
            raise not_of_pairs(measure)
        runs = runs.with_sources(between)
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
        values, shared = scores_of_runs(labelled, tables, measure, many), tables.shared()[:many]
        if between:
            notes += (("", told_between(labelled.sources, between)),)
    values, crossed = values[:, :many], values[:, many:]
    names, judged = runs.names[:many], runs.names[many:]
    against = None
    if truths is not None:
        against = AnnotatorAgreement(measure, names, judged, crossed, shared[:, many:], values)
    made = ScoreMatrix(
        measure, names, values, shared[:, :many], policy, labelled, tables, against, said(notes),
        between,
    )  # fmt: skip
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
    between: str = ""
    """What the sources are called, where only pairs across them count."""

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
            if (sources := self.labelled.sources) is not None:
                cut = [*self.labelled.clusters, sources]
                digest = profiles_of(cut, self.labelled.counts).digest
        else:
            numbers = (self.values, self.shared)
            digest = blake2b(b"".join(map(np.ndarray.tobytes, numbers)), digest_size=8).hexdigest()
        parts = Signature(measure=self.measure.full_name)
        parts |= {"compat": self.measure.compat} if self.measure.compat else {}
        parts |= {"runs": len(self)}
        parts |= {} if self._against is None else {"guesses": len(self._against.guesses)}
        parts |= {"between": self.between} if self.between else {}
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
