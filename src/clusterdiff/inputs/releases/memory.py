"""Releases in memory: every object has one number in all of them."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import group_pairs, number
from clusterdiff.clusterings.encode.order import by_least, ranked, sorting
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs.releases.files import arrow_of, copy_to_file
from clusterdiff.inputs.releases.protocol import KnownIds, Releases
from clusterdiff.inputs.releases.weights import weights_of_objects
from clusterdiff.meet.overlaps import Overlaps, sums

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.inputs.runs import Runs
    from clusterdiff.meet import Policy


class MemoryReleases(Releases):
    """Partitions in memory; noise is in no cluster."""

    def __init__(self, runs: Runs, policy: Policy, weight: AnyClustering | None = None) -> None:
        self._sides = list(runs.partitions().values())
        for name, side in zip(runs.names, self._sides, strict=True):
            if side.samples is not None:
                raise ClusterdiffError(
                    f"{name} has samples, and clusters are followed in one collection of objects.",
                    "take one sample at a time, or join sample and id into one id.",
                )
        found = runs.labelled(policy)
        self.names, self.noise = found.names, found.noise
        self._policy, self._ids = policy, found.ids
        self._rank, self._cluster, self._labels = [], [], []
        order = None if found.ids is None else _places(found.ids)
        for cluster, labels in zip(found.clusters, found.labels, strict=True):
            rank, kept = _ranks(cluster, len(labels), order)
            self._rank.append(rank)
            self._cluster.append(np.append(rank, -1)[cluster])
            self._labels.append(labels.take(kept))
        self._last = np.full(found.objects, -1)
        self._ever: list[tuple[Ints, Ints]] = []
        self._weight: Ints | None = None
        self._scale = 1
        if isinstance(weight, Partition):
            new = self._sides[-1], found.ids, found.objects
            self._weight, self._scale = weights_of_objects(weight, *new)

    def has(self, release: int) -> Bools:
        """Which objects are in a cluster of a release."""
        return np.asarray(self._cluster[release] >= 0)

    def labels(self, release: int) -> Column:
        return self._labels[release]

    def sizes(self, release: int) -> Ints:
        inside = self._cluster[release][self.has(release)]
        return np.bincount(inside, minlength=len(self._labels[release]))

    @cache  # noqa: B019, the releases live as long as what is asked of them
    def step(self, release: int) -> Overlaps:
        old, new = self._cluster[release : release + 2]
        both = (old >= 0) & (new >= 0)
        sizes = self.sizes(release), self.sizes(release + 1)
        ranks = np.arange(sizes[0].size), np.arange(sizes[1].size)
        return Overlaps.of_objects(old[both], new[both], sizes, ranks)

    def name(self, release: int, ids: Ints) -> None:
        inside = np.flatnonzero(self.has(release))
        self._last[inside] = ids[self._cluster[release][inside]]
        self._ever.append((inside, self._last[inside]))

    def known(self, release: int) -> KnownIds:
        here = self._last >= 0
        if release:
            here &= self.has(release) | self.has(release - 1)
        last, cluster = self._last, self._cluster[release]
        if not here.all():
            last, cluster = last[here], cluster[here]
        weight = None if self._weight is None else self._weight[here]
        return self._counted(last, cluster, weight)

    def ever_known(self, release: int) -> KnownIds:
        objects, ids = (np.concatenate(some) for some in zip(*self._ever, strict=True))
        pairs = group_pairs(objects, ids)
        weight = None if self._weight is None else self._weight[pairs.first]
        return self._counted(pairs.second, self._cluster[release][pairs.first], weight)

    def _counted(self, id: Ints, cluster: Ints, weight: Ints | None) -> KnownIds:
        code, many = number(id)
        ids = np.empty(many, np.int64)
        ids[code] = id
        size = np.bincount(code, minlength=many)
        inside = cluster >= 0
        if not inside.all():
            code, cluster = code[inside], cluster[inside]
            weight = None if weight is None else weight[inside]
        if weight is None:
            return KnownIds(ids, size, *group_pairs(code, cluster))
        width = int(cluster.max(initial=0)) + 1
        row, rows = number(code * width + cluster)
        pair = np.empty(rows, np.int64)
        pair[row] = np.arange(row.size)
        return KnownIds(
            ids, size, code[pair], cluster[pair], np.bincount(row), sums(row, weight, rows),
            self._scale,
        )  # fmt: skip

    def renamed(self, release: int, ids: Column) -> Partition:
        side = self._sides[release]
        code, _ = number(side.labels.keys)
        cluster = np.append(self._rank[release], -1)[code]
        labels, noise = ids.take(cluster), np.flatnonzero(cluster < 0)
        if noise.size:
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
        total, steps = np.zeros(self._last.size), np.zeros(self._last.size, np.int64)
        for release in range(len(self.names) - 1):
            found = self.step(release)
            part, whole = found.alike
            old, new = self._cluster[release : release + 2]
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
            group = self._cluster[release][some]
        found = group_pairs(group, value.view(np.int64))
        value = found.second.view(np.float64)
        order = np.lexsort((value, found.first))
        return found.first[order], value[order], found.count[order]


def _places(ids: Column) -> Column:
    """Ids as numbers in the same order."""
    return ids if ids.family in ("integers", "numbers") else Column(ranked(ids), "integers")


def _ranks(cluster: Ints, clusters: int, order: Column | None) -> tuple[Ints, Ints]:
    """The number of each cluster by its smallest object, -1 for labels of noise, and the labels of
    clusters by these numbers.
    """
    size = np.bincount(cluster[cluster >= 0], minlength=clusters)
    place = by_least(order, cluster, clusters)
    kept = np.argsort(place, kind="stable")
    kept = kept[size[kept] > 0]
    rank = np.full(clusters, -1)
    rank[kept] = np.arange(kept.size)
    return rank, kept


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
