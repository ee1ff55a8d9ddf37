"""The consensus of several runs: a median partition, with a bound that says how good it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property
from math import fsum
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.columns import sorting
from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency import ABSTAIN, Policy, VotingPolicy
from clusterdiff.errors import (
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    did_you_mean,
    examples,
    printable,
    shown,
)
from clusterdiff.io.runs import Runs, opened_runs
from clusterdiff.io.sides import said
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import wrapped
from clusterdiff.output.writing import Place, arrow_of, check_ending, copy_to_file, placed
from clusterdiff.progress import progress
from clusterdiff.runs.median import (
    Median,
    Problem,
    abstaining,
    median_of,
    pairs_bound,
    star_bound,
)
from clusterdiff.runs.tables import Profiles, profiles_of
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.clusterings import Column

# A consensus in words and cells.

SHOWN = 20
"""Runs that are shown; of more, the nearest and the farthest."""
WEAK = 0.5
"""Objects with less support are counted."""

# What is asked of a consensus: the distance, and how much each run counts.

DISTANCES = ("mirkin_distance", "vi_distance")


def distance_named(by: str | Measure) -> Measure:
    """The distance whose sum is to be small."""
    found = measure_named(by)
    if found.name not in DISTANCES or found.params:
        raise ClusterdiffError(
            f"a consensus has the least sum of mirkin_distance or vi_distance, not of {found}.",
            'by="mirkin_distance" counts pairs of objects, by="vi_distance" information.',
        )
    return found


def weights_of(given: Any, names: Sequence[str]) -> Floats:
    """The weight of each run, 1 where none is given."""
    if given is None:
        return np.ones(len(names))
    if isinstance(given, Mapping):
        named = {str(name): weight for name, weight in given.items()}
        for name in named:
            if name not in names:
                raise ClusterdiffError(
                    f"no run is called {shown(name)}.",
                    did_you_mean(name, names) + f"the runs are {examples(names, 8)}.",
                )
        values = [named.get(name, 1) for name in names]
    else:
        values = [given] if isinstance(given, str) else list(given)
        if len(values) != len(names):
            raise ClusterdiffError(
                f"{count(len(values), 'weight')} for {len(names):,} runs.",
                f"give a weight for each run, or a dict, e.g. weights={{{names[0]!r}: 2}}.",
            )
    for name, value in zip(names, values, strict=True):
        real = isinstance(value, Real | np.number) and not isinstance(value, bool)
        if not (real and math.isfinite(value) and value > 0):
            raise ClusterdiffError(
                f"the weight of a run is a number above 0, and that of {name} is {shown(value)}.",
                "leave out a run that should not count.",
            )
    return np.array(values, np.float64)


def weights_written(texts: Iterable[str]) -> dict[str, float]:
    """Weights of runs that were written as NAME=X."""
    found: dict[str, float] = {}
    for text in texts:
        name, _, weight = text.rpartition("=")
        try:
            found[name] = float(weight)
        except ValueError:
            name = ""
        if not name:
            raise ClusterdiffError(
                f"--weight {text} is not a run and its weight.", "write e.g. --weight run1.csv=2."
            )
    return found


def seed_of(seed: Any) -> int:
    """A seed for what is drawn at random."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ClusterdiffError(
            f"seed must be a whole number from 0 on, got {shown(seed)}.", "write e.g. seed=1."
        )
    return int(seed)


WHAT = "a consensus combines"


def consensus(
    runs: Any,
    by: str | Measure = "mirkin_distance",
    *,
    weights: Any = None,
    seed: int = 0,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    engine: Any = None,
) -> Consensus:
    """Consensus clustering: the partition with the smallest sum of distances to several runs (a
    median partition), and a lower bound on that sum for any partition.

    >>> c = consensus({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2], "c": [1, 1, 2, 3]})
    >>> c.cost, c.bound, c.optimal
    (6.0, 6.0, True)
    >>> c.distances
    {'a': 2.0, 'b': 4.0, 'c': 0.0}

    `runs` is a dict from name to clustering, a list of clusterings, a frame with a column for each,
    or a path: "runs/*.csv", "table.csv::leiden_*". by="vi_distance" has the least sum of the
    variation of information. `weights` says how much runs count, as a dict from name to weight or a
    list; 1 where none is given. `seed` is for what is drawn at random, where runs are large.

    Runs that lack objects are refused, unless `align` says what a missing object is: with "abstain"
    a pair of objects counts only in the runs that have both (mirkin_distance only), "shared" keeps
    the objects that all runs have, and "singletons" makes a missing object a cluster of its own.

    The consensus is nearest to the runs on average. It need not be nearer to a truth than they are.
    """
    distance, policy = distance_named(by), VotingPolicy(align, noise, noise_as)
    with opened_runs(runs, engine=engine, what=WHAT, count=count) as opened:
        return consensus_of(opened, distance, policy, weights, seed)


def consensus_of(
    runs: Runs, by: Measure, policy: Policy, weights: Any = None, seed: int = 0
) -> Consensus:
    """The consensus of runs that are opened."""
    drawn, each = seed_of(seed), weights_of(weights, runs.names)
    abstain, vi = policy.align == ABSTAIN, by.name == "vi_distance"
    if abstain and vi:
        raise ClusterdiffError(
            'align="abstain" is for mirkin_distance, which counts pairs of objects; vi_distance '
            "is not a sum over pairs.",
            'use by="mirkin_distance", or align="shared" or align="singletons".',
        )
    labelled = runs.labelled(policy)
    combine = np.logical_or if abstain else np.logical_and
    objects = np.flatnonzero(combine.reduce([one >= 0 for one in labelled.clusters]))
    if not objects.size:
        if abstain:
            raise AllNoise.dropped()
        raise AlignmentError(
            f"no object is in a cluster of all {len(labelled.names):,} runs "
            f"({labelled.objects:,} are in some).",
            'are the ids alike? align="abstain" counts each pair of objects in the runs that have '
            'both, align="singletons" makes each object that a run lacks a cluster of its own '
            "there.",
        )
    if labelled.ids is not None:  # whatever the order of rows, objects are numbered alike
        objects = objects[sorting(labelled.ids.take(objects))]
    counts = None if labelled.counts is None else labelled.counts[objects]
    profiles = profiles_of([one[objects] for one in labelled.clusters], counts)
    given = (profiles.clusters, profiles.count, each)
    problem = abstaining(*given) if abstain else Problem(*given, vi=vi)
    with progress(f"consensus of {len(runs.names):,} runs", problem.profiles) as advance:
        found = median_of(problem, drawn, advance)
    ids = None if labelled.ids is None else labelled.ids.take(objects)
    lacking = sum(many > 0 for many in labelled.missing)
    return Consensus(
        by, runs.names, problem, found, profiles, ids, labelled.objects, abstain, lacking, drawn,
        said(labelled.notes),
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Consensus(TableResult):
    """A median partition of several runs, and a bound on its distance from the optimum."""

    schema = "consensus/1"

    by: Measure
    """The distance whose sum is least."""
    names: list[str]
    problem: Problem
    found: Median
    profiles: Profiles
    ids: Column | None
    """What the objects are called, in their order; None where runs count by position."""
    objects_given: int
    """How many objects any run has."""
    abstain: bool = False
    """Whether a pair of objects counts only in the runs that have both."""
    lacking: int = 0
    """How many runs lack objects that another run has."""
    seed: int = 0
    """Of what is drawn at random, where runs are large."""
    read: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.profiles.code.size

    @property
    def weights(self) -> dict[str, float]:
        """How much each run counts."""
        return dict(zip(self.names, self.problem.votes.tolist(), strict=True))

    @cached_property
    def clustering(self) -> Partition:
        """The consensus itself; each cluster is named after its smallest object."""
        cluster = self.found.cluster[self.profiles.code]
        first = np.full(int(cluster.max()) + 1, cluster.size)
        np.minimum.at(first, cluster, np.arange(cluster.size))
        names = column(np.arange(cluster.size)) if self.ids is None else self.ids
        return Partition(names.as_made(first[cluster]), ids=self.ids)

    @cached_property
    def sizes(self) -> Ints:
        """How many objects each cluster has, the largest first."""
        sizes = np.bincount(self.found.cluster, weights=self.problem.count).astype(np.int64)
        return np.sort(sizes)[::-1]

    @cached_property
    def objects_of_runs(self) -> dict[str, int]:
        """How many of the objects each run has."""
        count, seen = self.problem.count, self.problem.seen_by
        return {name: int(count[seen(i)].sum()) for i, name in enumerate(self.names)}

    @cached_property
    def distances(self) -> dict[str, float]:
        """The distance of each run to the consensus, as `cd.compare` has it; where runs abstain,
        on the objects of the run, as with align="shared".
        """
        tables, last = self.problem.tables(self.found.cluster), len(self.names)
        meets = [tables.meet(i, last) for i in range(last)]
        each = (float(self.by.of(meet)) if meet.objects else 0.0 for meet in meets)
        return dict(zip(self.names, each, strict=True))

    @cached_property
    def cost(self) -> float:
        """The sum of the distances, each times the weight of its run."""
        return fsum(
            d * w for d, w in zip(self.distances.values(), self.weights.values(), strict=True)
        )

    @property
    def _scale(self) -> int:
        """VI is a mean over objects, Mirkin's distance a number of ordered pairs."""
        return len(self) if self.problem.vi else 1

    @cached_property
    def bound(self) -> float:
        """No partition costs less."""
        return max(self.cost - self.found.gap / self._scale, 0.0)

    @property
    def gap(self) -> float:
        """How much cheaper another partition could be at most, as a share of the cost."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    @property
    def certain(self) -> bool:
        """Whether the bound is proved: it always is."""
        return True

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no partition costs less: it is a median."""
        return self.found.gap == 0

    @property
    def confidence(self) -> None:
        """None: a bound that is proved needs none. It was a level where pairs were sampled."""

    @property
    def how(self) -> str:
        """How the consensus was found and its bound proved, in a sentence."""
        found = self.found
        if not found.components:
            return (
                f"Found by local search from {self.medoid}; the bound is from the distances "
                "between runs."
            )
        linked = "the join of the runs" if self.problem.vi else "majorities of runs"
        parts = [
            f"{count(found.components, 'component')} of {linked} (largest: "
            f"{count(found.largest, 'profile')})"
        ]
        if found.settled:
            parts.append(f"{found.settled:,} settled by agreement")
        if found.proved:
            parts.append(f"{found.proved:,} solved and proved")
        if found.searched:
            bound = "the distances between runs" if self.problem.vi else "majorities and triangles"
            parts.append(f"{found.searched:,} searched, bounded by {bound}")
        return f"{parts[0]}: {', '.join(parts[1:])}."

    @cached_property
    def bounds(self) -> dict[str, float]:
        """Lower bounds on the cost, each at least the one before: `pairs` from the mean distance of
        the runs, `star` from all distances between them, and the `bound` of the result.
        """
        between, weights = self.problem.between / self._scale, self.problem.votes
        pairs = pairs_bound(between, weights)
        star = star_bound(between, weights, metric=self.problem.seen is None)
        return {"pairs": pairs, "star": star, "bound": self.bound}

    @cached_property
    def medoid(self) -> str:
        """The run with the least sum of distances to the others; of several the first given. Where
        runs abstain, the objects that a run lacks are singletons in it.
        """
        return self.names[int(np.argmin(self._costs))]

    @property
    def medoid_cost(self) -> float:
        """What the medoid costs: the sum of its distances to all runs."""
        return float(self._costs.min())

    @cached_property
    def _costs(self) -> Floats:
        return np.asarray(self.problem.completed @ self.problem.votes / self._scale)

    @cached_property
    def support(self) -> Floats:
        """For each object how much of its cluster the runs have with it: the mean over runs of
        |A ∩ C| / |A|, with its cluster A in the consensus and C in the run; 1 where all agree.
        Where runs abstain: Σ w |A ∩ C| / Σ w |A ∩ R| over the runs R that have the object.
        """
        return self.profile_support[self.profiles.code]

    @cached_property
    def profile_support(self) -> Floats:
        """The same for each profile."""
        cluster, count = self.found.cluster, self.problem.count
        together, here = np.zeros((2, cluster.size))
        for i, weight in enumerate(self.problem.votes):
            some = self.problem.seen_by(i)
            own, objects = self.problem.run(i)[some], count[some]
            codes = number(cluster[some] * (int(own.max(initial=0)) + 1) + own)[0]
            together[some] += weight * np.bincount(codes, objects)[codes]
            here[some] += weight * np.bincount(cluster[some], objects)[cluster[some]]
        return np.asarray(together / here)

    @property
    def signature(self) -> Signature:
        """What was computed, on what, how: with one signature the result is the same."""
        parts = Signature(by=str(self.by), runs=len(self.names), objects=len(self))
        parts |= {"align": ABSTAIN} if self.abstain else {}
        if any(weight != 1 for weight in self.weights.values()):
            parts["weights"] = " ".join(f"{weight:.17g}" for weight in self.weights.values())
        parts |= {"seed": self.seed, "numpy": np.__version__}
        return Signature(parts | {"profiles": self.profiles.digest, "version": __version__})

    @property
    def _weighted(self) -> bool:
        return len(set(self.weights.values())) > 1

    def head(self, width: int = 80) -> str:
        """What was combined, and how good the result is."""
        lines = [
            f"{count(len(self.names), 'run')} of {count(len(self), 'object')}, "
            f"{count(self.problem.profiles, 'profile')}"
        ]
        if self.problem.seen is not None:  # how much the runs say where they lack objects
            have = list(self.objects_of_runs.values())
            partial = sum(n < len(self) for n in have)
            once = int(self.problem.count[self.problem.seen.sum(axis=1) == 1].sum())
            only = f"; {count(once, 'object')} in 1 run only" if once else ""
            lack = "lacks objects and abstains" if partial == 1 else "lack objects and abstain"
            mean = f"{sum(have) / len(self):.3g} of {len(have):,} runs on average"
            runs = count(partial, "run")
            lines.append(f"{runs} {lack} on them: an object is in {mean}{only}")
        if left := self.objects_given - len(self):
            every = "any" if self.abstain else "every"
            lines.append(f"{count(left, 'object')} left out: not in a cluster of {every} run")
        single = int((self.sizes == 1).sum()) / self.sizes.size
        share = f", {percent(single, 0)} singletons" if single else ""
        lines.append(
            f"consensus: {count(self.sizes.size, 'cluster')} (largest {self.sizes[0]:,}{share})"
        )
        good = "the least that any partition has (proved)"
        if not self.optimal:
            bound, gap = amount(self, self.bound), _percent(self.gap)
            good = f"bound {bound}: no partition costs less by more than {gap}"
        lines.append(f"cost {amount(self, self.cost)}, {good}")
        return "\n".join(wrapped(printable(line), width, more="  ") for line in lines)

    def table(self) -> CellTable:
        """A row for each run, the nearest first where there are many."""
        columns = {"run": self.names}
        if self.abstain:
            columns["objects"] = [f"{n:,}" for n in self.objects_of_runs.values()]
        columns["clusters"] = [f"{n:,}" for n in self.problem.clusters_of_runs()]
        if self._weighted:
            columns["weight"] = [f"{weight:g}" for weight in self.weights.values()]
        columns[str(self.by)] = [amount(self, one) for one in self.distances.values()]
        rows = list(zip(*columns.values(), strict=True))
        if len(rows) > SHOWN:
            order = sorted(range(len(rows)), key=lambda i: (self.distances[self.names[i]], i))
            rows = [rows[i] for i in (*order[: SHOWN // 2], *order[-SHOWN // 2 :])]
        return CellTable(tuple(columns), tuple(rows))

    def notes(self) -> list[str]:
        """How it was found, and what it is not."""
        every = ""
        if len(self.names) > SHOWN:
            every = f"The nearest and farthest of {len(self.names):,} runs. "
        weighted = ", each times its weight" if self._weighted else ""
        unit = "nats" if self.problem.vi else "ordered pairs of objects"
        alone, both = "", ""
        if self.problem.seen is not None:
            alone = ", with the objects that it lacks as singletons,"
            both = ", over the objects that each run has"
        weak = int((self.support < WEAK).sum())
        low = f"; {count(weak, 'object')} below {WEAK:g}" if weak else ""
        told = [
            f"{every}The cost is the sum of the distances{weighted}, in {unit}. The medoid is "
            f"{self.medoid}: as a consensus{alone} it would cost {amount(self, self.medoid_cost)}.",
            self.how,
            f"Support of objects, the share of their cluster that runs have with them{both}: "
            f"{self.support.mean():.4f} on average{low}.",
        ]
        if self.lacking and not self.abstain and not self.problem.vi:
            told.append(
                f"{count(self.lacking, 'run')} {'lacks' if self.lacking == 1 else 'lack'} objects. "
                'align="abstain" (--align abstain) counts each pair of objects only in the runs '
                "that have both."
            )
        last = "A consensus is near to its runs. It need not be nearer to a truth than they are."
        return [*told, last]

    def records(self) -> list[dict[str, Any]]:
        """A record for each run."""
        found = zip(
            self.distances.items(), self.weights.values(), self.problem.clusters_of_runs(),
            self._costs.tolist(), strict=True,
        )  # fmt: skip
        return [
            {
                "run": name,
                **({"objects": self.objects_of_runs[name]} if self.abstain else {}),
                "clusters": many,
                "weight": weight,
                "distance": distance,
                "medoid": name == self.medoid,
                "sum_to_runs": total,
            }
            for (name, distance), weight, many, total in found
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the objects, with full precision and stable keys."""
        same = ("cost", "bound", "gap", "certain", "optimal", "confidence", "how", "bounds",
                "medoid", "medoid_cost")  # fmt: skip
        return {
            "by": str(self.by),
            "objects": len(self),
            "clusters": int(self.sizes.size),
            "profiles": self.problem.profiles,
            **{name: getattr(self, name) for name in same},
            "mean_support": float(self.support.mean()),
            "signature": str(self.signature),
            "runs": self.records(),
            **self.noted,
        }

    def write(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write the consensus, as CSV or Parquet by the ending of the name."""
        with placed(path, inputs, check_ending(path)) as beside:
            copy_to_file(self._columns(), beside)

    def write_support(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write each object with its cluster and its support, the least supported first."""
        order = np.argsort(self.support, kind="stable")
        columns = {name: one.take(order) for name, one in self._columns().items()}
        with placed(path, inputs, check_ending(path)) as beside:
            copy_to_file(columns | {"support": self.support[order]}, beside)

    def _columns(self) -> dict[str, Any]:
        own = {} if self.ids is None else {"id": arrow_of(self.ids)}
        return own | {"cluster": arrow_of(self.clustering.labels)}


def amount(c: Consensus, value: float) -> str:
    """A cost formatted for display: pairs of objects are whole, unless weights are not."""
    return f"{value:,.0f}" if value == round(value) and not c.problem.vi else digits(value)


def _percent(share: float) -> str:
    """An upper bound on a share, formatted for display: it is rounded up."""
    rounded = Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(100 * float(share)))
    return f"{max(rounded, Decimal('0.001')):f} %"
