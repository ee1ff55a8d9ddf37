"""Releases in memory: every object has one number in all of them."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.label_checks import check_side, read_notes
from clusterdiff.backends.memory.hard import refuse_nulls
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import (
    group_pairs,
    number,
    seen_in_order,
    small_codes,
    span,
)
from clusterdiff.clusterings.encode.order import ascends, by_least, ranked, sorting
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs.releases.files import arrow_of, copy_to_file
from clusterdiff.inputs.releases.protocol import KnownIds, Releases
from clusterdiff.inputs.releases.weights import weights_of_objects
from clusterdiff.inputs.runs import near_misses, numbered_objects
from clusterdiff.meet.overlaps import Overlaps, sums

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.inputs.runs import Runs
    from clusterdiff.meet import Policy


class MemoryReleases(Releases):
    """Partitions in memory; noise is in no cluster."""

    def __init__(
        self, runs: Runs, policy: Policy, weight: AnyClustering | None = None, any_order: int = 0
    ) -> None:
        """Clusters of so many of the first releases may come in any order."""
        sides = runs.partitions()
        self.notes = read_notes(runs.sides)
        for name, side in sides.items():
            _refuse_samples(name, side)
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
            refuse_nulls(name, side, plan)
            self._add(side, place, policy, any_order=place < any_order)
        self._given: list[tuple[int, Ints]] = []
        self._weight: Ints | None = None
        self._scale = 1
        if isinstance(weight, Partition):
            new = self._sides[-1], self._ids, self._many
            self._weight, self._scale = weights_of_objects(weight, *new)

    def _add(self, side: Partition, release: int, policy: Policy, any_order: bool) -> None:
        """A release: its clusters by their smallest object, and that of each object."""
        own = self._places[release]
        code, many = small_codes(side.labels.keys)
        noise = np.flatnonzero(policy.means_noise(side.labels)) if policy.noise_labels else own[:0]
        if noise.size:
            code = code.copy()
            code[noise] = -1
        low = _shift(side.labels, many) if any_order and not noise.size else None
        if low is not None:
            size = np.bincount(code, minlength=many)
            kept = np.flatnonzero(size)
            labels = Column(kept + low, "integers", written=side.labels.written)
        else:
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
        return self._counted(last, cluster, weight)

    def _known_of_pair(self) -> KnownIds:
        """The same where two releases have all objects: clusters are numbered row by row."""
        [(_, ids)] = self._given
        found = group_pairs(self._code[0], self._code[1])
        place, cluster = self._rank[0][found.first], self._rank[1][found.second]
        return KnownIds(ids, self._sizes[0], place, cluster, found.count)

    def ever_known(self, release: int) -> KnownIds:
        objects, ids = [], []
        for earlier, given in self._given:
            objects.append(np.flatnonzero(self.has(earlier)))
            ids.append(given[self._clusters(earlier)[objects[-1]]])
        pairs = group_pairs(np.concatenate(objects), np.concatenate(ids))
        weight = None if self._weight is None else self._weight[pairs.first]
        return self._counted(pairs.second, self._clusters(release)[pairs.first], weight)

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
        code = self._code[release]
        if not self._as_they_stand(release):
            code = code[own]
        if self.noise[release]:
            noise = np.flatnonzero(code < 0)
            labels = side.labels.take(np.zeros(code.size, np.int64))
            if len(ids):
                labels = ids.take(np.maximum(self._rank[release], 0)[code])
            labels = _placed(labels, noise, side.labels.take(noise))
        else:
            labels = ids.take(np.maximum(self._rank[release], 0)).take(code)
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


def _shift(labels: Column, many: int) -> int | None:
    """What codes of whole numbers were shifted by; None where they were numbered."""
    if labels.family != "integers" or not len(labels):
        return None
    low, wide = span(labels.keys)
    return low if wide == many and wide <= max(4096, 4 * len(labels)) else None


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
