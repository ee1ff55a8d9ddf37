"""Many clusterings together: profiles of their objects, and the table and score of every pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.compiled import compiled
from clusterdiff.contingency import Alignment, HardMeet, Sketch
from clusterdiff.contingency.cells import distinct_shapes, histogram
from clusterdiff.errors import ClusterdiffError, NothingShared
from clusterdiff.io.arguments import contingency_of
from clusterdiff.measures.base import Measure
from clusterdiff.measures.pairs import Pairs
from clusterdiff.measures.pairs import pairs as pairs_in
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.sums import summarised
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Meet, Policy
    from clusterdiff.engines.protocol import Table
    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.io.session import EngineSessions

# Profiles: objects that all clusterings put in the same clusters, counted together. What the meet
# is for two clusterings, profiles are for many.


class Profiles(NamedTuple):
    """The meet of many clusterings: which clusters occur together, and how often."""

    clusters: Ints
    """The cluster of each profile in each clustering, -1 where it is missing: profiles x runs."""
    count: Ints  # type: ignore[assignment]
    """How many objects have each profile."""
    code: Ints
    """The profile of each object."""

    @property
    def digest(self) -> str:
        """Which objects each clustering puts together, in 16 hexadecimal digits; it depends on the
        order of the objects, not on the names of clusters.
        """
        made = blake2b(self.count.astype("<i8").tobytes(), digest_size=8)
        for run in self.clusters.T:
            code = np.where(run < 0, -1, by_appearance(run)[0])
            made.update(code.astype("<i8").tobytes())
        return made.hexdigest()


def profiles_of(clusters: Sequence[Ints], counts: Ints | None = None) -> Profiles:
    """Objects grouped by their clusters in all clusterings, each an array over the same objects.

    >>> profiles_of([np.array([0, 0, 1]), np.array([0, 0, 0])]).count.tolist()
    [2, 1]

    Profiles are numbered in the order in which they first occur; `counts` says how many objects
    each one stands for.
    """
    code = group_objects(clusters, clusters[0].size)
    assert code is not None
    code, first = by_appearance(code)
    table = np.column_stack([one[first] for one in clusters])
    return Profiles(table, _amounts(code, counts, first.size), code)


def _amounts(code: Ints, counts: Ints | None, size: int) -> Ints:
    """How many objects have each code."""
    return np.bincount(code, minlength=size) if counts is None else group_sums(code, counts, size)


def group_objects(clusters: Sequence[Ints], most: int) -> Ints | None:
    """A number for each object, equal exactly where no clustering tells objects apart; None as soon
    as there are more than `most` of them.
    """
    code = np.zeros(clusters[0].size, np.int64)
    many = min(code.size, 1)
    for run in clusters:
        example = np.empty(many, run.dtype)
        example[code] = run
        # Most objects are in the cluster of the example of their group: only others are sorted.
        others = np.flatnonzero(run != example[code])
        width = int(run.max(initial=0)) + 2
        new, more = number(code[others] * width + run[others])
        code[others] = many + new
        many += more
        if many > most:
            return None
    return code


def agreeing(clusters: Sequence[Ints]) -> Bools:
    """Which objects are in a cluster that is the same set of objects in every clustering.

    >>> agreeing([np.array([0, 0, 1, 2]), np.array([5, 5, 4, 4])]).tolist()
    [True, True, False, False]
    """
    first = clusters[0] + 1
    size = np.bincount(first)
    alike = size > 0
    alike[:1] = False
    for run in clusters[1:]:
        if not alike.any():
            break
        image = np.zeros(size.size, np.int64)
        image[first] = run + 1
        alike[first[image[first] != run + 1]] = False
        alike &= (image > 0) & (np.bincount(run + 1, minlength=1)[image] == size)
    return np.asarray(alike[first])


# Tables of every pair.

FEW_CELLS = 4096
"""Cells of a table that is counted whole, whatever the number of groups."""
FEW_GROUPS = 20_000
"""Groups that NumPy counts soon enough."""

SHAPE = ("both", "truth_size", "guess_size", "times")
AT_ONCE = 50_000
"""Groups that are looked at together for which runs have them."""


@dataclass(frozen=True, eq=False)
class RunTables:
    """Runs over groups of objects that no run tells apart.

    Clusters that are the same set in every run agree in every table: they are kept as sizes and
    not counted again. Where objects are alike in too few runs, a group is one object.
    """

    clusters: NDArray[Any]
    """Runs x groups: the cluster of each group, -1 where it is missing."""
    count: Ints | None
    """Objects of each group; None where each is one."""
    widths: list[int]
    """Of each run how many clusters the groups are in."""
    same: tuple[Ints, Ints]
    """Sizes of the clusters that are the same in all runs, and how many have each."""
    is_same: Bools
    """Which objects are in these."""
    group: Ints
    """The group of each other object."""
    numbers: list[Ints]
    """Of each run the number that each of its clusters was given with."""
    alignment: Alignment = field(default_factory=Alignment)
    """Under which policy objects are compared."""
    _sorted: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        clusters: Sequence[Ints],
        alignment: Alignment | None = None,
        counts: Ints | None = None,
    ) -> RunTables:
        """Runs given as the cluster number of each object, -1 where it is missing; `counts` says
        how many objects each one stands for.
        """
        is_same = agreeing(clusters)
        rest = [run[~is_same] for run in clusters] if is_same.any() else list(clusters)
        size = rest[0].size
        group = group_objects(rest, size // 2)
        if group is None:
            first = np.argsort(rest[0], kind="stable")  # neighbours in memory in most runs
            group = np.empty(size, np.int64)
            group[first] = np.arange(size)
        else:
            group, first = by_appearance(group)
        known = [_numbered(run[first]) for run in rest]
        widths = [numbers.size for _, numbers in known]
        made = np.empty((len(known), first.size), np.min_scalar_type(-max(widths) - 1))
        for row, (code, _) in zip(made, known, strict=True):
            row[:] = code
        own = [None, None] if counts is None else [counts[is_same], counts[~is_same]]
        sizes_of_same = _amounts(number(clusters[0][is_same])[0], own[0], 0)
        grouped = first.size < size or counts is not None
        return cls(
            clusters=made,
            count=_amounts(group, own[1], first.size) if grouped else None,
            widths=widths,
            same=np.unique(sizes_of_same, return_counts=True),
            is_same=is_same,
            group=group,
            numbers=[numbers for _, numbers in known],
            alignment=alignment or Alignment(),
        )

    @classmethod
    def of_groups(cls, clusters: NDArray[Any], count: Ints, widths: list[int]) -> RunTables:
        """Runs x groups of so many objects each, clusters numbered from 0 on in every run."""
        none = np.zeros(0, np.int64)
        return cls(clusters, count, widths, (none, none), none > 0, none, [])

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def groups(self) -> int:
        """How many groups of objects there are, besides the clusters that all runs share."""
        return int(self.clusters.shape[1])

    @property
    def profiles(self) -> int | None:
        """How many profiles there are; None where objects were not grouped."""
        return None if self.count is None else self.groups + int(self.same[1].sum())

    def cells(self, truth: int, guess: int) -> tuple[Ints, Ints, Ints]:
        """Truth cluster, guess cluster and objects of each cell that is not empty, of the objects
        that both runs have and not all runs agree on.
        """
        left, right = self.clusters[truth], self.clusters[guess]
        # The first row and column of a table are for missing ones.
        rows, columns = self.widths[truth] + 1, self.widths[guess] + 1
        few, dense = self.groups < FEW_GROUPS, self.is_dense(truth, guess)
        if few:
            keys = (left.astype(np.int64) + 1) * columns + right + 1
            if dense:
                table = np.bincount(keys, self.count)
            else:
                keys, place = np.unique(keys, return_inverse=True)
                both = np.bincount(place, self.count)
        elif dense:
            tables = np.zeros((4, rows * columns), np.int64)
            _count_cells(left, right, NONE if self.count is None else self.count, columns, tables)
            table = tables.sum(axis=0)
        else:
            return sparse_cells(*self.by_cluster(truth), right, self.count, columns - 1)
        if dense:
            keys = np.flatnonzero(table)
            both = table[keys]
        inside = (keys >= columns) & (keys % columns > 0)
        if not inside.all():
            keys, both = keys[inside], both[inside]
        return keys // columns - 1, keys % columns - 1, both.astype(np.int64)

    def meet(self, truth: int, guess: int) -> HardMeet:
        """The comparison of two runs, on the objects that both have."""
        left, right, both = self.cells(truth, guess)
        size, many = self.same
        first = np.arange(size.size)
        return HardMeet.of_cells(
            np.concatenate([first, size.size + left]),
            np.concatenate([first, size.size + right]),
            np.concatenate([size, both]),
            np.concatenate([many, np.ones_like(both)]),
            alignment=self.alignment,
        )

    def shapes(self, truth: int, guess: int) -> Sketch:
        """The same without the clusters: enough for most measures, and sooner made."""
        left, right, both = self.cells(truth, guess)
        truth_size = np.bincount(left, both, self.widths[truth]).astype(np.int64)[left]
        guess_size = np.bincount(right, both, self.widths[guess]).astype(np.int64)[right]
        agree = (both == truth_size) & (both == guess_size)
        alike, rest = both[agree], ~agree
        size, many = histogram(
            np.concatenate([self.same[0], alike]),
            np.concatenate([self.same[1], np.ones_like(alike)]),
        )
        rows = distinct_shapes(both[rest], truth_size[rest], guess_size[rest])
        columns = zip((size, size, size, many), rows, strict=True)
        found = dict(zip(SHAPE, map(np.concatenate, columns), strict=True))
        return Sketch(**found, alignment=self.alignment, need=0, memory=0)

    def is_dense(self, truth: int, guess: int) -> bool:
        """Whether a table is small enough to be counted whole, empty cells too."""
        cells = (self.widths[truth] + 1) * (self.widths[guess] + 1)
        return cells <= max(FEW_CELLS, 2 * self.groups)

    def prepare(self, truth: int, guesses: Sequence[int]) -> None:
        """Have ready what the tables of a run with others need, so that threads only read."""
        if not all(self.is_dense(truth, guess) for guess in guesses):
            self.by_cluster(truth)

    def by_cluster(self, run: int) -> tuple[Ints, Ints]:
        """The groups in the order of their clusters in a run, and where each cluster starts."""
        if run not in self._sorted:
            self._sorted.clear()
            own = self.clusters[run]
            sizes = np.bincount(own.astype(np.int64) + 1, minlength=self.widths[run] + 1)
            order = np.argsort(own, kind="stable")[sizes[0] :]
            self._sorted[run] = order, np.concatenate([[0], np.cumsum(sizes[1:])])
        return self._sorted[run]

    def shared(self) -> Ints:
        """How many objects each two runs have in common; of a run with itself, how many it has."""
        every = int((self.same[0] * self.same[1]).sum())
        if self.clusters.min(initial=0) >= 0:
            objects = self.groups if self.count is None else int(self.count.sum())
            return np.full((len(self), len(self)), objects + every)
        found = np.zeros((len(self), len(self)))
        for begin in range(0, self.groups, AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            has = (self.clusters[:, some] >= 0).astype(np.float64)
            found += (has if self.count is None else has * self.count[some]) @ has.T
        return found.astype(np.int64) + every


def _numbered(run: Ints) -> tuple[NDArray[Any], Ints]:
    """Clusters numbered from 0 on without gaps, -1 as it is, and the numbers they had."""
    sizes = np.bincount(run + 1, minlength=1)[1:]
    numbers = np.flatnonzero(sizes)
    kind = np.min_scalar_type(-numbers.size - 1)  # holds all numbers, and -1
    if numbers.size == sizes.size:
        return run.astype(kind), numbers
    place = np.full(sizes.size + 1, -1, kind)
    place[numbers + 1] = np.arange(numbers.size)
    return place[run + 1], numbers


# Compiled counting of the cells of two clusterings over groups of objects.

NONE = np.zeros(0, np.int64)


@compiled
def _count_cells(truth, guess, count, columns, tables):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Objects of each cell, each group 1 where there are no counts. Four tables take them in turn,
    since the same cell often comes several times in a row.
    """
    for i in range(truth.size):
        cell = (np.int64(truth[i]) + 1) * columns + guess[i] + 1
        tables[i & 3, cell] += count[i] if count.size else 1


def sparse_cells(
    order: Ints, start: Ints, guess: NDArray[Any], count: Ints | None, columns: int
) -> tuple[Ints, Ints, Ints]:
    """Truth cluster, guess cluster and objects of the cells that are not empty; groups stand in the
    order of their truth clusters, those of a cluster from its start on.
    """
    out = np.empty((3, order.size), np.int64)
    scratch, touched = np.zeros(columns, np.int64), np.empty(columns, np.int64)
    found = _by_cluster(
        order, start, guess, NONE if count is None else count, scratch, touched, *out
    )
    return out[0, :found], out[1, :found], out[2, :found]


@compiled
def _by_cluster(  # type: ignore[no-untyped-def]  # pragma: no cover
    order, start, guess, count, scratch, touched, truth_out, guess_out, both
):
    found = 0
    for cluster in range(start.size - 1):
        many = 0
        for k in range(start[cluster], start[cluster + 1]):
            group = order[k]
            other = np.int64(guess[group])
            if other < 0:
                continue
            if scratch[other] == 0:
                touched[many] = other
                many += 1
            scratch[other] += count[group] if count.size else 1
        for i in range(many):
            other = touched[i]
            truth_out[found], guess_out[found] = cluster, other
            both[found] = scratch[other]
            scratch[other] = 0
            found += 1
    return found


# Scores of every pair of many clusterings by one measure.

MANY_GROUPS = 200_000
"""Groups from which on threads count the tables."""

Pair = tuple[int, int]


def pairs_of(measure: Measure, first: int, many: int, exchange: bool = True) -> list[Pair]:
    """The pairs of runs to score: the first ones with each other, and all others against them. A
    measure that claims to be symmetric, and is made of its claim without parameters, is computed
    once for each pair where sides can be exchanged.
    """
    half = exchange and measure.claims.symmetric and measure.arguments == measure.defaults
    return [(i, j) for i in range(first) for j in range(i if half else 0, many)]


def mirrored(values: NDArray[Any], pairs: Sequence[Pair]) -> NDArray[Any]:
    """Entries of the first runs with each other, those that were not computed as their mirror."""
    if len(pairs) < values.size:
        low = np.tril_indices(len(values), -1)
        values[low] = values[low[::-1]]
    return values


def scores_of_tables(tables: RunTables, measure: Measure, first: int) -> Floats:
    """Scores of the first runs (rows, as truths) with each run, as a guess; NaN for two that have
    no object in common.
    """
    found = np.full((first, len(tables)), np.nan)
    pairs = pairs_of(measure, first, len(tables))
    with progress(f"{measure} of {len(pairs):,} pairs", len(pairs)) as advance:
        meets = _meets(tables, pairs, "shapes" in measure.needs)
        for pair, meet in zip(pairs, meets, strict=True):
            found[pair] = score_of(measure, meet)
            advance(1)
    return mirrored(found, pairs)


def scores_of_runs(
    labelled: LabelledRuns, tables: RunTables, measure: Measure, first: int
) -> Floats:
    """The same of runs whose objects may have sources: then pairs within a source do not count,
    which are the pairs of the same runs with their clusters cut by source.
    """
    source, counts = labelled.sources, labelled.counts
    if source is None:
        return scores_of_tables(tables, measure, first)
    clusters = labelled.clusters
    cut = [np.where(run < 0, -1, number(pair_keys(run, source))[0]) for run in clusters]
    inside = RunTables.of(cut, tables.alignment, counts)
    found = np.full((first, len(tables)), np.nan)
    pairs = pairs_of(measure, first, len(tables))
    with progress(f"{measure} of {len(pairs):,} pairs", len(pairs)) as advance:
        for i, j in pairs:
            whole, within = tables.shapes(i, j), inside.shapes(i, j)
            advance(1)
            if not whole.objects:
                continue
            both = (clusters[i] >= 0) & (clusters[j] >= 0)
            weight = np.ones(source.size, np.int64) if counts is None else counts
            sizes = group_sums(source[both], weight[both])
            every, less = pairs_in(whole), pairs_in(within)
            across = Pairs(
                every.truth - less.truth, every.guess - less.guess, every.both - less.both,
                every.all - sum(n * (n - 1) // 2 for n in sizes.tolist()),
            )  # fmt: skip
            given = summarised(across, whole.objects)
            found[i, j] = float(measure.function(given, **measure.arguments))
    return mirrored(found, pairs)


def score_of(measure: Measure, meet: Meet) -> float:
    """The score as one number; NaN where there is nothing to compare."""
    if not meet.objects:
        return math.nan
    value = measure.of(meet)
    if isinstance(value, ScoreRange) and value.low != value.high:
        open_alpha = "alpha" in measure.defaults and measure.arguments["alpha"] is None
        number = measure.with_params(alpha=0.5) if open_alpha else "rand_alpha(alpha=0.5)"
        raise ClusterdiffError(
            f"{measure} is an interval here, from {value.low:.4g} to {value.high:.4g}, and a "
            "matrix needs one number for each pair.",
            f'write "{number}", which counts what is unknown as half an error (-m "{number}" on '
            "the command line), or compare the partitions that clustering.harden() gives.",
        )
    return float(value)


def _meets(tables: RunTables, pairs: Sequence[Pair], shapes: bool) -> Iterator[HardMeet | Sketch]:
    """The comparisons in the order of the pairs, or their shapes where these are enough; of many
    groups some are made ahead by threads.
    """
    make: Callable[[int, int], HardMeet | Sketch] = tables.shapes if shapes else tables.meet
    if tables.groups < MANY_GROUPS:
        for pair in pairs:
            yield make(*pair)
        return
    from clusterdiff.clusterings.grouping import workers

    step = 2 * workers()
    with ThreadPoolExecutor(workers()) as pool:
        for truth, some in groupby(pairs, key=lambda pair: pair[0]):
            guesses = [guess for _, guess in some]
            tables.prepare(truth, guesses)
            for begin in range(0, len(guesses), step):
                yield from pool.map(partial(make, truth), guesses[begin : begin + step])


def scores_of_sides(
    sessions: EngineSessions,
    sides: Sequence[AnyClustering | Table],
    measure: Measure,
    policy: Policy,
    first: int,
) -> tuple[Floats, Ints, list[tuple[tuple[int, ...], str]]]:
    """The same of covers and uncertain clusterings too, each pair met on its own; how many objects
    each pair shares; which runs were read in a way that may not be what was meant, and how.
    """
    values = np.full((first, len(sides)), np.nan)
    shared = np.zeros((first, len(sides)), np.int64)
    notes: list[tuple[tuple[int, ...], str]] = []
    pairs = pairs_of(measure, first, len(sides), policy.align != "penalise")
    with progress(f"{measure} of {len(pairs):,} pairs", len(pairs)) as advance:
        for i, j in pairs:
            with suppress(NothingShared):
                meet: Any = contingency_of(sessions, sides[i], sides[j], policy)
                values[i, j], shared[i, j] = score_of(measure, meet), meet.objects
                which = {"truth": (i,), "guess": (j,), "": (i, j)}
                notes += [(which[side], note) for side, note in meet.alignment.notes]
            advance(1)
    return mirrored(values, pairs), mirrored(shared, pairs), notes
