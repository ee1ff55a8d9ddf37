"""Pairs of objects under uncertainty: together, apart, unknown or impossible, and what it costs.

A relation of two objects is a mass function on {together}, {apart}, both (unknown) and neither
(impossible). Two relations are compared by what it costs to turn one into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import Masses
from clusterdiff.clusterings.grouping import MANY, share_work, workers
from clusterdiff.compiled import compiled
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.measures.threads import summed_in_threads

Pairs = Literal["distinct", "all"]
PAIRS_OF_ROWS = "all pairs of distinct rows, times the clusters"
DENSE = 1 << 24
"""Cells of a table that is laid out in full, even if most of it is empty."""
SMALL = 384
"""Rows up to which all pairs are laid out in memory, and nothing has to be compiled."""


class RelationMass(NamedTuple):
    """Masses of relations: together, apart, unknown, impossible."""

    same: Floats
    apart: Floats
    unknown: Floats
    empty: Floats


def moving_cost(one: RelationMass, other: RelationMass, alpha: float) -> Floats:
    """What it costs to turn one relation into the other, where together and apart are 1 from each
    other, both are alpha from unknown, and impossible is 1 from all: r_alpha in closed form.
    """
    return _cost_of_moving(*one, *other, alpha)  # type: ignore[no-any-return, no-untyped-call]


def _cost_of_moving(same1, apart1, unknown1, empty1, same2, apart2, unknown2, empty2, alpha):  # type: ignore[no-untyped-def]
    """Of arrays in NumPy, and compiled (`_cost`) of the numbers of a pair."""
    lost = empty1 - empty2
    turn = np.copysign(1.0, lost)
    same, apart, unknown = (
        turn * (same1 - same2),
        turn * (apart1 - apart2),
        turn * (unknown1 - unknown2),
    )
    surplus = np.maximum(same, 0.0) + np.maximum(apart, 0.0)
    crossing = np.maximum(0.0, surplus - np.maximum(-unknown, 0.0))
    moved = surplus + np.maximum(unknown, 0.0) - crossing
    through = np.minimum(crossing, np.minimum(unknown1, unknown2))
    return np.abs(lost) + crossing + alpha * moved - max(0.0, 1.0 - 2.0 * alpha) * through


def distance(kind: str, one: RelationMass, other: RelationMass, alpha: float) -> Floats:
    """A distance of relations.

    "alpha" is `moving_cost`; "belief" half the differences of belief in together, in apart and in
    either; "jousselme" Jousselme's distance, where sets count as alike by the share of what they
    have in common; "conflict" the mass on pairs of relations that exclude each other.
    """
    if kind == "alpha":
        return moving_cost(one, other, alpha)
    if kind == "conflict":
        empty = one.empty + other.empty - one.empty * other.empty
        return one.same * other.apart + one.apart * other.same + empty
    s, n, t, e = (x - y for x, y in zip(one, other, strict=True))
    if kind == "belief":
        return 0.5 * (np.abs(s) + np.abs(n) + np.abs(e))
    return np.sqrt(np.maximum(0.0, 0.5 * (s * s + n * n + t * t + e * e + s * t + n * t)))


class MassFeatures(NamedTuple):
    """What relations of rows are made of: products of these."""

    label: Ints
    """The cluster of each row where all are known, else empty."""
    single: Floats
    """Rows x clusters: mass on the cluster alone."""
    mass: Floats
    """Rows x sets that exclude another: mass on the set; without columns where sets are single."""
    against: Floats
    """Rows x the same sets: mass on the sets that exclude it."""
    known: Floats
    """One less the mass on the empty set."""


def features(side: SoftSide) -> MassFeatures:
    """The features of the rows of a side."""
    none = np.zeros((side.row.size, 0))
    if side.labels is not None:
        known = np.ones(side.row.size)
        return MassFeatures(side.labels, none, none, none, known)
    m = side.masses
    no_label = np.zeros(0, np.int64)
    single, known = m.single[side.row], (1.0 - m.empty)[side.row]
    if m.bayesian:
        return MassFeatures(no_label, single, none, none, known)
    excluding = np.flatnonzero(m.disjoint.any(axis=0))
    if not excluding.size:
        nothing = np.zeros((side.row.size, 1))
        return MassFeatures(no_label, single, nothing, nothing, known)
    mass = m.mass[:, excluding]
    against = mass @ m.disjoint[np.ix_(excluding, excluding)]
    return MassFeatures(no_label, single, mass[side.row], against[side.row], known)


def relations(f: MassFeatures, begin: int, end: int) -> RelationMass:
    """The relations of some rows with all rows."""
    if f.label.size:
        same = (f.label[begin:end, None] == f.label).astype(np.float64)
        nothing = np.zeros_like(same)
        return RelationMass(same, 1.0 - same, nothing, nothing)
    known = f.known[begin:end, None] * f.known
    same = f.single[begin:end] @ f.single.T
    apart = f.against[begin:end] @ f.mass.T if f.mass.shape[1] else known - same
    return RelationMass(same, apart, np.maximum(0.0, known - same - apart), 1.0 - known)


def pair_blocks(m: SoftMeet, rows: int) -> Iterator[tuple[RelationMass, RelationMass, Floats]]:
    """Relations in truth and in guess, and how many pairs of objects have them, block by block.

    A pair of rows comes once; a row with itself stands for the pairs of its own objects.
    """
    truth, guess = features(m.truth), features(m.guess)
    weight = m.both.astype(np.float64)
    for begin in range(0, m.rows, rows):
        end = min(begin + rows, m.rows)
        count = weight[begin:end, None] * weight
        count[np.arange(m.rows) < np.arange(begin, end)[:, None]] = 0.0
        own = weight[begin:end]
        count[np.arange(end - begin), np.arange(begin, end)] = own * (own - 1) / 2
        yield relations(truth, begin, end), relations(guess, begin, end), count


Kind = Literal["alpha", "belief", "jousselme", "conflict"]


def mean_distance(m: SoftMeet, kind: Kind, alphas: Sequence[float]) -> list[float]:
    """The mean over all pairs of distinct objects of a distance of their relations."""
    pairs = m.objects * (m.objects - 1) / 2
    if not pairs:
        return [0.0] * len(alphas)
    known: dict[float, float] = m.memo.setdefault(kind, {})
    if wanted := [alpha for alpha in alphas if alpha not in known]:
        sums = _summed(m, kind, wanted)
        known |= {alpha: float(total) / pairs for alpha, total in zip(wanted, sums, strict=True)}
    return [known[alpha] for alpha in alphas]


def _summed(m: SoftMeet, kind: Kind, alphas: list[float]) -> Floats:
    """The sum of a distance over all pairs of distinct objects, for each alpha.

    Few rows are laid out; many are summed in closed form, on the device that they lie on, or by
    compiled code.
    """
    if m.rows <= SMALL:
        totals = np.zeros(len(alphas))
        for one, other, count in pair_blocks(m, SMALL):
            totals += [(distance(kind, one, other, alpha) * count).sum() for alpha in alphas]
        return totals
    if kind == "conflict":
        from clusterdiff.measures.fuzzy import summed_conflict

        return np.array([summed_conflict(features(m.truth), features(m.guess), m.both)])
    if m.masses_on_device:
        from clusterdiff.measures import soft_on_device as sums

        return np.array(sums.summed_distances(m, kind, alphas), np.float64)
    sides = features(m.truth), features(m.guess)
    return summed_distances(*sides, m.both, get_args(Kind).index(kind), alphas)


def over_pairs(value: float, objects: int, pairs: Pairs) -> float:
    """A share of the pairs of distinct objects as one of all n² pairs, each object with itself
    agreeing, if these are asked for.
    """
    if objects < 2:
        return 1.0
    return value if pairs == "distinct" else (value * (objects - 1) + 1) / objects


class SoftVersusHard(NamedTuple):
    """A certain side against an uncertain one: rows (label, what is known, objects)."""

    label: Ints
    side: SoftSide
    both: Ints
    turned: bool
    """Whether the certain side is the guess."""

    @property
    def labels(self) -> int:
        """How many clusters the certain side has."""
        return int(self.label.max(initial=-1)) + 1

    def table(self, cells: Ints) -> Ints:
        """A table certain x uncertain as one of truth x guess."""
        return cells.T if self.turned else cells


def facing(m: SoftMeet) -> SoftVersusHard | None:
    """The certain side of a meet and the other, if one is certain."""
    if m.truth.labels is not None:
        return SoftVersusHard(m.truth.labels, m.guess, m.both, False)
    if m.guess.labels is not None:
        return SoftVersusHard(m.guess.labels, m.truth, m.both, True)
    return None


class PairSums(NamedTuple):
    """Sums over pairs of objects of the masses of their relations in a side."""

    same: float
    apart: float
    unknown: float
    all: float


def sums_over_pairs(f: SoftVersusHard) -> tuple[PairSums, PairSums]:
    """Sums over the pairs that share a label, and over those that do not: linear in the rows.

    The masses of a relation are products of those of its two objects, so that a sum over the pairs
    of a group is a form of the sums over its objects, less what each object has with itself.
    """
    m = f.side.masses
    groups = masses_by_label(f)
    forms = _forms if isinstance(groups, np.ndarray) else _sparse_forms
    inside = forms(m, groups).sum(axis=0)
    everywhere = forms(m, groups.sum(axis=0)[None, :])[0]
    own = _own_forms(m, np.bincount(f.side.row, f.both, m.rows).astype(np.float64))
    return (
        PairSums(*((inside - own) / 2).tolist()),
        PairSums(*((everywhere - inside) / 2).tolist()),
    )


def expected_pairs(f: SoftVersusHard) -> float:
    """The mean number of pairs that are together on one side alone."""
    same, apart = sums_over_pairs(f)
    return same.apart + apart.same


def masses_by_label(f: SoftVersusHard) -> Any:
    """Labels x focal sets: the masses of all objects with the label, added up.

    Where each object has one of many sets, the table is sparse.
    """
    m, row, labels = f.side.masses, f.side.row, f.labels
    if m.table is None:
        shape = (labels, m.focal.number)
        if labels * m.focal.number > DENSE:
            from scipy.sparse import csr_array

            return csr_array((f.both.astype(np.float64), (f.label, row)), shape=shape)
        cells = np.bincount(f.label * m.focal.number + row, f.both, labels * m.focal.number)
        return np.asarray(cells.reshape(shape), np.float64)
    if f.label.size * m.focal.number >= MANY:
        return summed_by_label(m.table, row, f.label, f.both, labels)
    sums = np.zeros((labels, m.focal.number))
    np.add.at(sums, f.label, m.table[row] * f.both[:, None])
    return sums


def in_clusters(groups: Any, m: Masses, *, alone: bool = False) -> Any:
    """Labels x clusters: the masses of a label on sets that hold the cluster, or are it alone."""
    if isinstance(groups, np.ndarray):
        return groups @ (m.alone if alone else m.member.astype(np.float64))
    if not alone:
        return groups @ m.incidence
    return groups[:, np.flatnonzero(m.focal.size == 1)] @ m.incidence[m.focal.size == 1]


def _forms(m: Masses, mass: Floats) -> Floats:
    """Together, apart, unknown and all that is not impossible, of each row with itself."""
    single = mass @ m.alone
    known = mass @ (m.focal.size > 0).astype(np.float64)
    same = np.einsum("ij,ij->i", single, single)
    whole = known * known
    apart = whole - same if m.bayesian else np.einsum("ij,ij->i", mass @ m.disjoint, mass)
    return np.column_stack([same, apart, whole - same - apart, whole])


def _sparse_forms(m: Masses, mass: Any) -> Floats:
    """`_forms` for many sets, of which few share a cluster."""
    from scipy.sparse import csr_array

    mass = csr_array(mass)
    single = in_clusters(mass, m, alone=True)
    known = mass @ (m.focal.size > 0).astype(np.float64)
    same = np.asarray(single.multiply(single).sum(axis=1)).ravel()
    sharing = (m.incidence @ m.incidence.T).sign()
    met = np.asarray(mass.multiply(mass @ sharing).sum(axis=1)).ravel()
    whole = known * known
    return np.column_stack([same, whole - met, met - same, whole])


def _own_forms(m: Masses, weight: Floats) -> Floats:
    """`_forms` of each mass function, added up with these weights."""
    if m.table is None:
        size = m.focal.size
        one, some = float(weight @ (size == 1)), float(weight @ (size > 0))
        return np.array([one, 0.0, some - one, some])
    if m.table.size < MANY:
        return np.asarray(weight @ _forms(m, m.table))

    alone = np.flatnonzero(m.focal.size == 1)
    same = summed_products(m.table, weight, alone, alone)
    known = m.table @ (m.focal.size > 0).astype(np.float64)
    whole = float(weight @ (known * known))
    if m.bayesian:
        return np.array([same, whole - same, 0.0, whole])
    first, second = np.nonzero(np.triu(m.disjoint))
    apart = 2 * summed_products(m.table, weight, first, second)
    return np.array([same, apart, whole - same - apart, whole])


# Compiled passes over masses: sums by label, and over pairs of rows, whose relations are made and
# compared in the cache, never stored.

TILE = 512
"""Rows that one row is compared with at a time: what is made of them stays in the cache."""
ROWS = 64
"""Rows that are compared with a tile one after the other, while it is in the cache."""


def summed_by_label(table: Floats, row: Ints, label: Ints, both: Ints, labels: int) -> Floats:
    """Labels x columns: the masses of all objects with the label, added up."""
    sums = np.zeros((workers(), labels, table.shape[1]))
    _in_parts(label.size, sums, lambda a, b, part: _sum(table, row, label, both, a, b, part))
    return np.asarray(sums.sum(axis=0))


def summed_products(table: Floats, weight: Floats, first: Ints, second: Ints) -> float:
    """The sum over rows and over pairs of columns of the product of two masses."""
    sums = np.zeros((workers(), 1))
    _in_parts(
        len(table), sums, lambda a, b, part: _products(table, weight, first, second, a, b, part)
    )
    return float(sums.sum())


def _in_parts(rows: int, sums: Floats, work: Callable[[int, int, Floats], None]) -> None:
    """Do work(begin, end, sums of the part) on as many parts of the rows as there are sums."""
    edges = [rows * w // len(sums) for w in range(len(sums) + 1)]

    def some(begin: int, end: int) -> None:
        for w in range(begin, end):
            work(edges[w], edges[w + 1], sums[w])

    share_work(len(sums), len(sums), some)


@compiled
def _sum(table, row, label, both, begin, end, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(begin, end):
        weight = np.float64(both[i])
        for a in range(table.shape[1]):
            sums[label[i], a] += weight * table[row[i], a]


@compiled
def _products(table, weight, first, second, begin, end, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for i in range(begin, end):
        own = 0.0
        for k in range(first.size):
            own += table[i, first[k]] * table[i, second[k]]
        total += weight[i] * own
    sums[0] = total


def summed_distances(
    truth: MassFeatures, guess: MassFeatures, both: Ints, kind: int, alphas: list[float]
) -> Floats:
    """Sums over all pairs of objects of a distance of their relations, one for each alpha."""
    weight = both.astype(np.float64)
    rows = weight.size
    sides = [
        (
            side.label,
            side.single,
            side.single.T.copy(),
            side.against,
            side.mass.T.copy(),
            side.known,
        )
        for side in (truth, guess)
    ]
    chosen = np.array(alphas)
    work = 20 + sum(s.single.shape[1] + s.mass.shape[1] for s in (truth, guess))
    cost = np.arange(rows, 0, -1) * max(1, work // 8)

    def part(begin: int, end: int) -> Floats:
        return _pairs(*sides[0], *sides[1], weight, kind, chosen, begin, end)  # type: ignore[no-any-return]

    return summed_in_threads(part, cost, len(alphas), "pairs of rows")


FAST = {"nnan", "ninf", "nsz", "contract", "reassoc"}
"""Masses are finite, and sums may be taken in any order."""


@compiled(fastmath=FAST)
def _add(factor, row, total):  # type: ignore[no-untyped-def]  # pragma: no cover
    for j in range(row.size):
        total[j] += factor * row[j]


@compiled(fastmath=FAST)
def _relate(label, single, single_t, against, mass_t, known, i, begin, same, apart, empty):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Together, apart and impossible of row i with a tile of rows."""
    size = same.size
    if label.size:
        mine = label[i]
        others = label[begin : begin + size]
        for j in range(size):
            same[j] = 1.0 if others[j] == mine else 0.0
            apart[j] = 1.0 - same[j]
            empty[j] = 0.0
        return
    others_known = known[begin : begin + size]
    own = known[i]
    for j in range(size):
        same[j] = 0.0
        apart[j] = 0.0
        empty[j] = 1.0 - own * others_known[j]
    for c in range(single.shape[1]):
        if single[i, c] != 0.0:
            _add(single[i, c], single_t[c, begin : begin + size], same)
    if mass_t.shape[0] == 0:
        for j in range(size):
            apart[j] = 1.0 - empty[j] - same[j]
        return
    for a in range(mass_t.shape[0]):
        if against[i, a] != 0.0:
            _add(against[i, a], mass_t[a, begin : begin + size], apart)


_cost = compiled(inline="always")(_cost_of_moving)


@compiled(inline="always")
def _distance(s1, n1, e1, s2, n2, e2, kind):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The other distances; conflict has a closed form and is not summed up here."""
    s, n, e = s1 - s2, n1 - n2, e1 - e2
    if kind == 1:
        return 0.5 * (abs(s) + abs(n) + abs(e))
    t = -(s + n + e)
    squared = 0.5 * (s * s + n * n + t * t + e * e + s * t + n * t)
    return np.sqrt(squared if squared > 0.0 else 0.0)


@compiled(fastmath=FAST)
def _added(same1, apart1, empty1, same2, apart2, empty2, weight, kind, alpha):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The distances of a row to a tile of rows, added up with these weights."""
    total = 0.0
    for j in range(weight.size):
        s1, n1, e1, s2, n2, e2 = same1[j], apart1[j], empty1[j], same2[j], apart2[j], empty2[j]
        if kind == 0:
            t1, t2 = max(0.0, 1.0 - s1 - n1 - e1), max(0.0, 1.0 - s2 - n2 - e2)
            total += _cost(s1, n1, t1, e1, s2, n2, t2, e2, alpha) * weight[j]
        else:
            total += _distance(s1, n1, e1, s2, n2, e2, kind) * weight[j]
    return total


@compiled
def _pairs(  # type: ignore[no-untyped-def]  # pragma: no cover
    label1, single1, single1_t, against1, mass1_t, known1,
    label2, single2, single2_t, against2, mass2_t, known2,
    weight, kind, alphas, first, last,
):  # fmt: skip
    tiles = np.empty((6, TILE))
    sums = np.zeros(alphas.size)
    own = np.empty(1)
    rows = weight.size
    for block in range(first, last, ROWS):
        for begin in range(block, rows, TILE):
            end = min(begin + TILE, rows)
            for i in range(block, min(block + ROWS, last, end)):
                start = max(begin, i)
                size = end - start
                s1, n1, e1 = tiles[0][:size], tiles[1][:size], tiles[2][:size]
                s2, n2, e2 = tiles[3][:size], tiles[4][:size], tiles[5][:size]
                w = weight[start:end]
                _relate(label1, single1, single1_t, against1, mass1_t, known1, i, start, s1, n1, e1)
                _relate(label2, single2, single2_t, against2, mass2_t, known2, i, start, s2, n2, e2)
                own[0] = (weight[i] + 1) / 2
                for k in range(alphas.size):
                    total = _added(s1, n1, e1, s2, n2, e2, w, kind, alphas[k])
                    if start == i:
                        total -= _added(s1, n1, e1, s2, n2, e2, own, kind, alphas[k])
                    sums[k] += total * weight[i]
    return sums
