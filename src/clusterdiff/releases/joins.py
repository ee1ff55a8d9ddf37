"""What has to be known of releases to follow their clusters: contingency tables, a few rows each.

Clusters of a release are numbered in the order of the smallest object that each has. Ids that last
are numbers here too; what they are called is not the business of an engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.columns import Column, ascends, by_least, column, ranked, sorting
from clusterdiff.clusterings.grouping import group_pairs, number, seen_in_order, small_codes
from clusterdiff.contingency.cover import Overlaps, sums
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.label_checks import check_side, read_notes
from clusterdiff.engines.memory import check_no_nulls, match_ids
from clusterdiff.engines.protocol import NeedsMemory
from clusterdiff.errors import ClusterdiffError, InputError, examples
from clusterdiff.io.runs import check_not_counted, near_misses, numbered_objects
from clusterdiff.output.writing import arrow_of, copy_to_file

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Policy
    from clusterdiff.engines.label_checks import Notes
    from clusterdiff.io.runs import Runs, Side


class KnownIds(NamedTuple):
    """Ids that objects have, beside the clusters that they are in now."""

    ids: Ints
    """The ids, each once."""
    overlaps: Overlaps
    """Objects by the place of their id among these, and by cluster."""


class Releases(ABC):
    """Clusterings in the order of time."""

    names: list[str]
    noise: list[int]
    """How many objects of each are noise, which are in no cluster."""
    notes: Notes
    """How they were read where that may not be what was meant."""

    @abstractmethod
    def labels(self, release: int) -> Column:
        """What the clusters of a release are called there, by number."""

    @abstractmethod
    def sizes(self, release: int) -> Ints:
        """How many objects each of its clusters has."""

    @abstractmethod
    def step(self, release: int) -> Overlaps:
        """The clusters of a release beside those of the next one."""

    @abstractmethod
    def name(self, release: int, ids: Ints) -> None:
        """From now on the objects of a release have these ids, one for each of its clusters."""

    @abstractmethod
    def known(self, release: int) -> KnownIds:
        """The last known id of each object of this release or of the one before it."""

    @abstractmethod
    def ever_known(self, release: int) -> KnownIds:
        """All ids that objects of a release have ever had."""

    @abstractmethod
    def renamed(self, release: int, ids: Column) -> Any:
        """A release under other labels, one for each of its clusters: where it is, the same kind
        of thing.
        """

    @abstractmethod
    def write(self, release: int, ids: Column, path: str) -> None:
        """The same as a file, CSV or Parquet by its ending."""

    @abstractmethod
    def objects(self) -> tuple[Column, Floats, Ints]:
        """For each object that two releases in a row have, in the order of their ids: its id, its
        stability, the mean over such steps of |A ∩ B| / max(|A|, |B|), and how many there are.
        """

    def write_objects(self, path: str) -> bool:
        """Write the same as CSV, and whether that was done; in memory there is no need to."""
        return False

    @abstractmethod
    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        """How many objects have which stability in each cluster of a release (cluster, stability,
        objects; in this order), or among all objects.
        """


# What objects count: whole numbers, so that sums are exact.

DECIMALS = 6
"""Decimals that a weight may have."""
SCALE = 10**DECIMALS
LARGEST = 10**9
"""Weights are below it."""


def scaled(weights: Column, ids: Any = None) -> tuple[Ints, int]:
    """Weights as whole numbers, and how many of them are one; refused where they are no numbers,
    below 0, or have more decimals than sums are exact with.
    """
    values = np.array([_number(one) for one in weights.tolist()], np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if wrong.size:
        raise check_wrong(wrong.size, values.size, [weights[int(i)] for i in wrong[:3]])
    whole = np.round(values * SCALE)
    fine = np.flatnonzero((whole / SCALE != values) | (values >= LARGEST))
    if fine.size:
        raise too_fine(float(values[fine[0]]))
    scale = 1 if (values == np.floor(values)).all() else SCALE
    check_total(float(values.sum()) * scale)
    return (values if scale == 1 else whole).astype(np.int64), scale


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def check_wrong(wrong: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Weights that are no numbers, or below 0."""
    return ClusterdiffError(
        f"{wrong:,} of {of:,} weights are no numbers from 0 on ({examples(some)}).",
        "a weight says how much an object counts: 0 for nothing, 2 for twice as much.",
    )


def too_fine(value: float) -> ClusterdiffError:
    """A weight whose sums are not exact."""
    return ClusterdiffError(
        f"sums of weights such as {value!r} are not exact: they have at most {DECIMALS} decimals, "
        f"and are below {LARGEST:.0e}.",
        f"round them to {DECIMALS} decimals; only their proportions count.",
    )


def check_total(total: float) -> None:
    """Refuse weights whose sum does not fit a whole number of 64 bits."""
    if total >= 2**62:
        raise ClusterdiffError(
            "the weights add up to more than can be counted exactly.",
            "divide all of them by the same number; only their proportions count.",
        )


def check_missing(missing: int, of: int, some: list[Any]) -> ClusterdiffError:
    """Objects without a weight."""
    return ClusterdiffError(
        f"{missing:,} of {of:,} objects have no weight ({examples(some)}).",
        "give each object of the new run a weight, 0 where it counts nothing.",
    )


def weights_of_objects(
    weight: Partition, new: Partition, ids: Column | None, objects: int
) -> tuple[Ints, int]:
    """The weight of every object, 0 of those that the new run lacks; without ids, weights are in
    the order of the new run.
    """
    numbers, scale = scaled(weight.labels)
    given = weight.ids
    if given is None:
        if len(weight) != len(new):
            raise InputError.from_lengths("weights", len(weight), len(new))
        given = new.ids
    made = np.zeros(objects, np.int64)
    if ids is None:
        if given is not None:
            raise ClusterdiffError(
                "the weights have ids, and the runs have none.",
                "give the runs with ids, or one weight for each object in their order.",
            )
        made[:] = numbers
        return made, scale
    assert given is not None
    assert new.ids is not None
    lacking = match_ids(given, new.ids).only_guess
    if lacking.size:
        raise check_missing(lacking.size, len(new), [new.id_of(int(i)) for i in lacking[:3]])
    found = match_ids(ids, given)
    where = np.arange(objects) if found.truth is None else found.truth
    made[where] = numbers if found.guess is None else numbers[found.guess]
    return made, scale


# Releases in memory: every object has one number in all of them.


class MemoryReleases(Releases):
    """Partitions in memory; noise is in no cluster."""

    def __init__(self, runs: Runs, policy: Policy, weight: AnyClustering | None = None) -> None:
        sides = runs.partitions()
        self.notes = read_notes(runs.sides)
        for name, side in sides.items():
            if side.samples is not None:
                raise ClusterdiffError(
                    f"{name} has samples, and clusters are followed in one collection of objects.",
                    "take one sample at a time, or join sample and id into one id.",
                )
            self.notes += check_side(name, [side], policy)
        self.names, self._sides = list(sides), list(sides.values())
        self._places, self._ids, self._many = numbered_objects(sides)
        self.notes += near_misses(self.names, self._places, self._ids, self._many)
        self.noise: list[int] = []
        self._labels: list[Column] = []
        self._sizes: list[Ints] = []
        self._code: list[Ints] = []
        self._rank: list[Ints] = []
        plan = plan_of(policy, "partition")
        for place, (name, side) in enumerate(sides.items()):
            check_no_nulls(name, side, plan)
            self._add(side, place, policy)
        self._given: list[tuple[int, Ints]] = []
        self._weight: Ints | None = None
        self._scale = 1
        if isinstance(weight, Partition):
            new = self._sides[-1], self._ids, self._many
            self._weight, self._scale = weights_of_objects(weight, *new)

    def _add(self, side: Partition, release: int, policy: Policy) -> None:
        """A release: its clusters by their smallest object, and that of each object."""
        own = self._places[release]
        code, many = small_codes(side.labels.keys)
        noise = np.flatnonzero(policy.means_noise(side.labels)) if policy.noise_labels else own[:0]
        if noise.size:
            code = code.copy()
            code[noise] = -1
        kept, first, size = seen_in_order(code, many)
        if side.ids is not None:
            kept = self._by_object(side.ids, own, code, kept)
        labels = side.labels.take(first[kept])
        rank = np.full(many + 1, -1)
        rank[kept] = np.arange(kept.size)
        if not self._as_they_stand(release):
            code, mine = np.full(self._many, -1), code
            code[own] = mine
        self.noise.append(noise.size)
        self._labels.append(labels)
        self._sizes.append(size[kept])
        self._code.append(code)
        self._rank.append(rank)

    def _by_object(self, ids: Column, own: Ints, code: Ints, seen: Ints) -> Ints:
        """Clusters in the order of their smallest object, given in that of their first."""
        order = self._order(ids, own)
        if ascends(order):
            return seen
        inside = np.flatnonzero(code >= 0)
        kept = by_least(order.take(inside), code[inside], int(code.max(initial=-1)) + 1)
        known = np.zeros(kept.size, np.bool_)
        known[seen] = True
        return kept[known[kept]]

    @cache  # noqa: B019, the releases live as long as what is asked of them
    def _as_they_stand(self, release: int) -> bool:
        """Whether a release has all objects, in the order of their numbers."""
        places = self._places[release]
        if places.size != self._many:
            return False
        return self._ids is None or bool((places == np.arange(places.size)).all())

    @cache  # noqa: B019
    def _clusters(self, release: int) -> Ints:
        """The cluster of each object, -1 for none."""
        return self._rank[release][self._code[release]]

    def _order(self, ids: Column, own: Ints) -> Column:
        """The ids of a release as numbers in the same order."""
        if self._ids is not None and self._ids.family == ids.family in ("integers", "numbers"):
            return ids
        return Column(self._rank_of_ids[own], "integers")

    @cached_property
    def _rank_of_ids(self) -> Ints:
        assert self._ids is not None
        return ranked(self._ids)

    def has(self, release: int) -> Bools:
        """Which objects are in a cluster of a release."""
        return np.asarray(self._code[release] >= 0)

    def labels(self, release: int) -> Column:
        return self._labels[release]

    def sizes(self, release: int) -> Ints:
        return self._sizes[release]

    @cache  # noqa: B019
    def step(self, release: int) -> Overlaps:
        old, new = self._clusters(release), self._clusters(release + 1)
        both = (old >= 0) & (new >= 0)
        sizes = self.sizes(release), self.sizes(release + 1)
        return Overlaps.of_objects(old[both], new[both], sizes)

    def name(self, release: int, ids: Ints) -> None:
        self._given.append((release, ids))
        self.__dict__.pop("_last", None)

    @cached_property
    def _last(self) -> Ints:
        """The last known id of each object, -1 for none."""
        last = np.full(self._many, -1)
        for release, ids in self._given:
            cluster = self._clusters(release)
            last = np.where(cluster < 0, last, np.append(ids, -1)[cluster])
        return last

    def known(self, release: int) -> KnownIds:
        if release == len(self._given) == 1 and self._weight is None:
            sizes = int(self._sizes[0].sum()), int(self._sizes[1].sum())
            if sizes == (self._many, self._many):
                return self._known_of_pair()
        here = self._last >= 0
        if release:
            here &= self.has(release) | self.has(release - 1)
        last, cluster, weight = self._last, self._clusters(release), self._weight
        if not here.all():
            last, cluster = last[here], cluster[here]
            weight = None if weight is None else weight[here]
        return self._counted(release, last, cluster, weight)

    def _known_of_pair(self) -> KnownIds:
        """The same where two releases have all objects: clusters are numbered row by row."""
        [(_, ids)] = self._given
        found = group_pairs(self._code[0], self._code[1])
        place, cluster = self._rank[0][found.first], self._rank[1][found.second]
        old_size, new_size = self._sizes[:2]
        return KnownIds(ids, Overlaps(place, cluster, found.count, old_size, new_size))

    def ever_known(self, release: int) -> KnownIds:
        objects, ids = [], []
        for earlier, given in self._given:
            objects.append(np.flatnonzero(self.has(earlier)))
            ids.append(given[self._clusters(earlier)[objects[-1]]])
        pairs = group_pairs(np.concatenate(objects), np.concatenate(ids))
        weight = None if self._weight is None else self._weight[pairs.first]
        cluster = self._clusters(release)[pairs.first]
        return self._counted(release, pairs.second, cluster, weight)

    def _counted(self, release: int, id: Ints, cluster: Ints, weight: Ints | None) -> KnownIds:
        size = np.bincount(id)
        ids = np.flatnonzero(size)
        place = np.cumsum(size > 0) - 1
        sizes = size[ids], self.sizes(release)
        inside = cluster >= 0
        if not inside.all():
            id, cluster = id[inside], cluster[inside]
            weight = None if weight is None else weight[inside]
        if weight is None:
            found = group_pairs(id, cluster)
            return KnownIds(ids, Overlaps(place[found.first], found.second, found.count, *sizes))
        width = int(cluster.max(initial=0)) + 1
        row, rows = number(id * width + cluster)
        pair = np.empty(rows, np.int64)
        pair[row] = np.arange(row.size)
        columns = place[id[pair]], cluster[pair], np.bincount(row), *sizes
        return KnownIds(ids, Overlaps(*columns, sums(row, weight, rows), self._scale))

    def renamed(self, release: int, ids: Column) -> Partition:
        side, own = self._sides[release], self._places[release]
        code = self._code[release]
        if not self._as_they_stand(release):
            code = code[own]
        labels = side.labels
        if len(ids):
            inside = np.maximum(code, 0) if self.noise[release] else code
            labels = ids.take(np.maximum(self._rank[release], 0)).take(inside)
        if self.noise[release]:
            noise = np.flatnonzero(code < 0)
            labels = _placed(labels, noise, side.labels.take(noise))
        made = object.__new__(Partition)
        vars(made).update(vars(side) | {"labels": labels})
        return made

    def write(self, release: int, ids: Column, path: str) -> None:
        made = self.renamed(release, ids)
        origin = made.origin
        called = ("id", "cluster") if origin is None else (origin.id or "id", origin.cluster)
        columns = {} if made.ids is None else {called[0]: arrow_of(made.ids)}
        columns[called[1] or "cluster"] = arrow_of(made.labels)
        copy_to_file(columns, path)

    @cached_property
    def _stability(self) -> tuple[Floats, Ints]:
        total, steps = np.zeros(self._many), np.zeros(self._many, np.int64)
        for release in range(len(self.names) - 1):
            found = self.step(release)
            part, whole = found.alike
            old, new = self._clusters(release), self._clusters(release + 1)
            both = np.flatnonzero((old >= 0) & (new >= 0))
            width = max(found.new_size.size, 1)
            key = found.old * width + found.new
            row = np.searchsorted(key, old[both] * width + new[both])
            total[both] += (part / whole)[row]
            steps[both] += 1
        return total, steps

    def objects(self) -> tuple[Column, Floats, Ints]:
        total, steps = self._stability
        some = np.flatnonzero(steps)
        if self._ids is not None:
            some = some[sorting(self._ids.take(some))]
        ids = column(some) if self._ids is None else self._ids.take(some)
        return ids, total[some] / steps[some], steps[some]

    def spread(self, release: int | None) -> tuple[Ints, Floats, Ints]:
        total, steps = self._stability
        some = steps > 0 if release is None else (steps > 0) & self.has(release)
        value = total[some] / steps[some]
        group = np.zeros(value.size, np.int64)
        if release is not None:
            group = self._clusters(release)[some]
        found = group_pairs(group, value.view(np.int64))
        value = found.second.view(np.float64)
        order = np.lexsort((value, found.first))
        return found.first[order], value[order], found.count[order]


def _placed(labels: Column, where: Ints, others: Column) -> Column:
    """Labels with others in some places."""
    if labels.family == others.family and labels.family in ("integers", "numbers"):
        values = labels.values.copy()
        values[where] = others.values
        return Column(values, labels.family, written=labels.written)
    mixed = np.empty(len(labels), object)
    mixed[:] = labels.tolist()
    mixed[where] = np.fromiter(others.tolist(), object, where.size)
    return column(mixed)


# Where releases are followed: in memory, or where they are if they are too large for it.


def releases_of(runs: Runs, policy: Policy, weight: Side | None = None) -> Releases:
    """Partitions in the order of time; other kinds are refused. `weight` says what each object of
    the last one counts.
    """
    runs.check_other_kinds()
    sides = list(runs.sides.values())
    check_not_counted(
        sides, "ids and changes of releases are told object by object; weight= of cd.relabel says "
        "which objects an id follows"
    )  # fmt: skip
    tables = runs.sessions.tables([*sides, *([] if weight is None else [weight])])
    if tables is not None and runs.sessions.is_far(tables):
        from clusterdiff.releases.sql import TableReleases

        own = tables if weight is None else tables[:-1]
        try:
            return TableReleases(runs.names, own, policy, None if weight is None else tables[-1])
        except NeedsMemory as unfit:
            tables[0].session.refuse(unfit)
    heavy = None if weight is None else runs.sessions.loaded(weight)
    return MemoryReleases(runs, policy, heavy)
