"""Releases in memory: every object has one number in all of them."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.memory.hard import refuse_nulls
from clusterdiff.backends.null_words import check_words
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import counted_by_appearance, group_pairs, number
from clusterdiff.clusterings.encode.order import ascends, by_least, ranked, sorting
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs.releases.files import arrow_of, copy_to_file
from clusterdiff.inputs.releases.protocol import KnownIds, Releases
from clusterdiff.inputs.releases.weights import weights_of_objects
from clusterdiff.inputs.runs import numbered_objects
from clusterdiff.meet.overlaps import Overlaps, sums

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.inputs.runs import Runs
    from clusterdiff.meet import Policy


class MemoryReleases(Releases):
    """Partitions in memory; noise is in no cluster."""

    def __init__(self, runs: Runs, policy: Policy, weight: AnyClustering | None = None) -> None:
        sides = runs.partitions()
        for name, side in sides.items():
            _refuse_samples(name, side)
            check_words(name, [side], policy)
        self.names, self._sides = list(sides), list(sides.values())
        self._places, self._ids, self._many = numbered_objects(sides)
        self.noise: list[int] = []
        self._labels: list[Column] = []
        self._sizes: list[Ints] = []
        self._cluster: list[Ints] = []
        plan = plan_of(policy, "partition")
        for name, side, own in zip(sides, self._sides, self._places, strict=True):
            refuse_nulls(name, side, plan)
            self._add(side, own, policy)
        self._last = np.full(self._many, -1)
        self._given: list[tuple[int, Ints]] = []
        self._weight: Ints | None = None
        self._scale = 1
        if isinstance(weight, Partition):
            new = self._sides[-1], self._ids, self._many
            self._weight, self._scale = weights_of_objects(weight, *new)

    def _add(self, side: Partition, own: Ints, policy: Policy) -> None:
        """A release: its clusters by their smallest object, and that of each object."""
        noise = np.flatnonzero(policy.means_noise(side.labels)) if policy.noise_labels else own[:0]
        order = None if side.ids is None else self._order(side.ids, own)
        keys, inside = side.labels.keys, None
        if noise.size:
            inside = np.delete(np.arange(len(side)), noise)
            keys, order = keys[inside], order and order.take(inside)
        code, example, size = counted_by_appearance(keys)
        if order is not None and not ascends(order):
            kept = by_least(order, code, size.size)
            rank = np.empty(kept.size, np.int64)
            rank[kept] = np.arange(kept.size)
            code, example, size = rank[code], example[kept], size[kept]
        where = own if inside is None else own[inside]
        cluster = code
        if code.size != self._many or not _is_identity(where):
            cluster = np.full(self._many, -1)
            cluster[where] = code
        self.noise.append(noise.size)
        self._labels.append(side.labels.take(example if inside is None else inside[example]))
        self._sizes.append(size)
        self._cluster.append(cluster)

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
        return np.asarray(self._cluster[release] >= 0)

    def labels(self, release: int) -> Column:
        return self._labels[release]

    def sizes(self, release: int) -> Ints:
        return self._sizes[release]

    @cache  # noqa: B019, the releases live as long as what is asked of them
    def step(self, release: int) -> Overlaps:
        old, new = self._cluster[release : release + 2]
        both = (old >= 0) & (new >= 0)
        sizes = self.sizes(release), self.sizes(release + 1)
        ranks = np.arange(sizes[0].size), np.arange(sizes[1].size)
        return Overlaps.of_objects(old[both], new[both], sizes, ranks)

    def name(self, release: int, ids: Ints) -> None:
        cluster = self._cluster[release]
        if not self._given and _is_identity(ids):
            self._last = cluster
        else:
            self._last = np.where(cluster < 0, self._last, np.append(ids, -1)[cluster])
        self._given.append((release, ids))

    def known(self, release: int) -> KnownIds:
        here = self._last >= 0
        if release:
            here &= self.has(release) | self.has(release - 1)
        last, cluster, weight = self._last, self._cluster[release], self._weight
        if not here.all():
            last, cluster = last[here], cluster[here]
            weight = None if weight is None else weight[here]
        return self._counted(last, cluster, weight)

    def ever_known(self, release: int) -> KnownIds:
        objects, ids = [], []
        for earlier, given in self._given:
            objects.append(np.flatnonzero(self.has(earlier)))
            ids.append(given[self._cluster[earlier][objects[-1]]])
        pairs = group_pairs(np.concatenate(objects), np.concatenate(ids))
        weight = None if self._weight is None else self._weight[pairs.first]
        return self._counted(pairs.second, self._cluster[release][pairs.first], weight)

    def _counted(self, id: Ints, cluster: Ints, weight: Ints | None) -> KnownIds:
        size = np.bincount(id)
        ids = np.flatnonzero(size)
        place = np.cumsum(size > 0) - 1
        inside = cluster >= 0
        if not inside.all():
            id, cluster = id[inside], cluster[inside]
            weight = None if weight is None else weight[inside]
        if weight is None:
            found = group_pairs(id, cluster)
            return KnownIds(ids, size[ids], place[found.first], found.second, found.count)
        width = int(cluster.max(initial=0)) + 1
        row, rows = number(id * width + cluster)
        pair = np.empty(rows, np.int64)
        pair[row] = np.arange(row.size)
        return KnownIds(
            ids, size[ids], place[id[pair]], cluster[pair], np.bincount(row),
            sums(row, weight, rows), self._scale,
        )  # fmt: skip

    def renamed(self, release: int, ids: Column) -> Partition:
        side, own = self._sides[release], self._places[release]
        cluster = self._cluster[release]
        if cluster.size != own.size or not _is_identity(own):
            cluster = cluster[own]
        noise = np.flatnonzero(cluster < 0) if self.noise[release] else cluster[:0]
        labels = ids.take(np.maximum(cluster, 0)) if noise.size and len(ids) else ids.take(cluster)
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


def _is_identity(places: Ints) -> bool:
    """Whether the objects of a release are numbered as they stand there."""
    return bool((places == np.arange(places.size)).all())


def _refuse_samples(name: str, side: Partition) -> None:
    if side.samples is not None:
        raise ClusterdiffError(
            f"{name} has samples, and clusters are followed in one collection of objects.",
            "take one sample at a time, or join sample and id into one id.",
        )


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
