"""Degrees of membership: Rand indices of fuzzy and possibilistic clusterings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.compiled import compiled
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.errors import KindError
from clusterdiff.measures.base import measure
from clusterdiff.measures.pair_masses import PAIRS_OF_ROWS, SMALL, MassFeatures, Pairs, over_pairs
from clusterdiff.measures.pairs import adjusted_rand, rand
from clusterdiff.measures.threads import summed_in_threads
from clusterdiff.measures.zero_division import ratio

# Sums over pairs of objects of what two rows of degrees make of "together" and "apart".

TNorm = Literal["min", "product", "lukasiewicz"]
CoNorm = Literal["max", "bounded_sum", "probabilistic_sum"]
Distance = Literal["half_l1", "max", "cosine"]
WIDE = 64
"""Clusters above which pairs of them are not laid out."""
ROUNDING = 1e-15
"""What is below is the rounding of 0."""
EQUAL = 1e-13
"""Per pair of objects, what rounding leaves of matrices that are the same in any order."""


class PairAgreement(NamedTuple):
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""

    both: float
    truth: float
    guess: float
    neither: float


def check_sets(name: str, m: SoftMeet) -> None:
    """Refuse masses on sets, which are no degrees of membership."""
    for side in (m.truth, m.guess):
        if side.kind == "evidential" and not side.masses.bayesian and side.labels is None:
            raise KindError(
                f"{name} compares degrees of membership; an {side.kind} clustering has masses on "
                "sets.",
                "rand_alpha compares these; clustering.pignistic() makes degrees of them.",
            )


def degrees(side: SoftSide) -> Floats:
    """The degree of each row for each cluster."""
    return side.masses.plausible[side.row]


def agreement(name: str, m: SoftMeet, tnorm: TNorm, conorm: CoNorm) -> PairAgreement:
    """Sums over pairs of distinct objects, after Campello."""
    check_sets(name, m)
    plain = m.rows > SMALL and (tnorm, conorm) == ("product", "bounded_sum")
    if plain and (found := summed_chances(degrees(m.truth), degrees(m.guess), m.both)) is not None:
        return found
    if m.rows > SMALL and m.masses_on_device:
        from clusterdiff.measures import soft_on_device as sums

        return PairAgreement(*sums.summed_agreement(m, tnorm, conorm))
    truth, guess = degrees(m.truth), degrees(m.guess)
    t, s = get_args(TNorm).index(tnorm), get_args(CoNorm).index(conorm)
    if m.rows > SMALL or truth.shape[1] + guess.shape[1] > WIDE:
        return PairAgreement(*summed_agreement(truth, guess, m.both, t, s))
    total = np.zeros(4)
    for row, count in _blocks(m):
        in_truth, in_guess = (_relate_row(side, row, t, s) for side in (truth, guess))
        total += [(_both(t, x, y) * count).sum() for x in in_truth for y in in_guess]
    return PairAgreement(*map(float, total))


def differences(name: str, m: SoftMeet, distance: Distance) -> float:
    """The sum over pairs of distinct objects of how much their distances differ."""
    check_sets(name, m)
    if m.rows > SMALL and m.masses_on_device:
        from clusterdiff.measures import soft_on_device as sums

        return sums.summed_differences(m, distance)
    truth, guess = degrees(m.truth), degrees(m.guess)
    if m.rows > SMALL:
        return float(summed_differences(truth, guess, m.both, get_args(Distance).index(distance)))
    total = 0.0
    for row, count in _blocks(m):
        gap = _row_distances(truth, row, distance) - _row_distances(guess, row, distance)
        total += float((np.abs(gap) * count).sum())
    return total


def _blocks(m: SoftMeet) -> Iterator[tuple[int, Floats]]:
    """Each row, and with how many pairs of objects it meets itself and the rows behind it."""
    weight = m.both.astype(np.float64)
    for row in range(m.rows):
        count = weight[row:] * weight[row]
        count[0] = weight[row] * (weight[row] - 1) / 2
        yield row, count


def _both(tnorm: int, one: Any, other: Any) -> Any:
    """A t-norm, by its place in `TNorm`; of arrays in NumPy, and compiled (`_both_of`)."""
    if tnorm == 0:
        return np.minimum(one, other)
    if tnorm == 1:
        return one * other
    both = one + other - 1.0
    return both * (both > ROUNDING)


def _join(conorm: int, values: Floats) -> Floats:
    """A t-conorm over the last axis, by its place in `CoNorm`."""
    if conorm == 0:
        return np.asarray(values.max(axis=-1, initial=0.0))
    if conorm == 1:
        return np.asarray(np.minimum(1.0, values.sum(axis=-1)))
    return np.asarray(1.0 - (1.0 - values).prod(axis=-1))


def _relate_row(rows: Floats, row: int, tnorm: int, conorm: int) -> tuple[Floats, Floats]:
    """How far a row is together with, and apart from, itself and the rows behind it."""
    one, others = rows[row], rows[row:]
    first, second = np.nonzero(~np.eye(one.size, dtype=np.bool_))
    return (
        _join(conorm, _both(tnorm, one, others)),
        _join(conorm, _both(tnorm, one[first], others[:, second])),
    )


def _row_distances(rows: Floats, row: int, distance: str) -> Floats:
    """The distance of a row to itself and the rows behind it, from 0 to 1."""
    one, others = rows[row], rows[row:]
    gap = np.abs(others - one)
    if distance == "half_l1":
        return np.asarray(np.minimum(1.0, 0.5 * gap.sum(axis=1)))
    if distance == "max":
        return np.asarray(gap.max(axis=1, initial=0.0))
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    product = length[row] * length[row:]
    cosine = np.divide(others @ one, product, out=np.zeros(len(others)), where=product > 0)
    cosine[(length[row:] == 0) & (length[row] == 0)] = 1.0
    return np.asarray(np.clip(1.0 - cosine, 0.0, 1.0))


def _share(found: PairAgreement, objects: int, pairs: Pairs) -> float:
    """Agreeing over all; with all n² pairs, each object agrees with itself."""
    agree, every = found.both + found.neither, sum(found)
    if pairs == "all":
        agree, every = 2 * agree + objects, 2 * every + objects
    return ratio(agree, every)


@measure(
    cite="campello2007", perfect=False, best=None,
    cost="all pairs of distinct rows, times the pairs of clusters",
)  # fmt: skip
def rand_campello(
    m: SoftMeet,
    *,
    tnorm: TNorm = "min",
    conorm: CoNorm = "max",
    pairs: Pairs = "distinct",
) -> float:
    """Fuzzy Rand index of Campello: pairs are together and apart to a degree, by t-norms.

    Definition:  agree / (agree + differ), sums over pairs of t(what truth says, what guess says),
                 where x, y are together to the degree s_k t(x_k, y_k), apart to the degree s_{k≠l}
                 t(x_k, y_l), with a t-norm t and a t-conorm s

    A clustering need not have 1 with itself. On fuzzy clusterings, tnorm='product' with
    conorm='bounded_sum' is rand_frigui.
    """
    if m.is_hard or m.objects < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, m.objects, pairs)
    return _share(agreement("rand_campello", m, tnorm, conorm), m.objects, pairs)


@measure(
    cite="frigui2007", perfect=False, best=None,
    cost="one pass over the distinct rows, times the pairs of clusters; all pairs of distinct rows"
    " where degrees sum to more than one",
)  # fmt: skip
def rand_frigui(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Frigui: pairs are together and apart by products of degrees.

    Definition:  mean over pairs of p q + (1 - p)(1 - q), p = Σ_k x_k y_k in truth, q in guess,
                 where rows sum to one

    Against a hard clustering this is the expected Rand index, which is rand_alpha. A clustering
    need not have 1 with itself.
    """
    if m.is_hard or m.objects < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, m.objects, pairs)
    return _share(agreement("rand_frigui", m, "product", "bounded_sum"), m.objects, pairs)


@measure(cite="hullermeier2012", perfect=False, cost=PAIRS_OF_ROWS)
def rand_hullermeier(
    m: SoftMeet, *, distance: Distance = "half_l1", pairs: Pairs = "distinct"
) -> float:
    """Fuzzy Rand index of Hüllermeier: 1 - mean difference of the distances within pairs.

    Definition:  1 - mean over pairs of |d(truth row, truth row) - d(guess row, guess row)|

    distance='half_l1' is half the sum of differences (at most 1), 'max' the largest difference,
    'cosine' one less the cosine, which is rand_brouwer.

    Also known as: Hüllermeier-Rifqi index.
    """
    if m.is_hard:
        return over_pairs(rand.of(m.hard), m.objects, pairs)
    every = m.objects * (m.objects - 1) / 2
    found = differences("rand_hullermeier", m, distance)
    return over_pairs(1.0 - found / max(every, 1.0), m.objects, pairs)


@measure(cite="brouwer2009", perfect=False, cost=PAIRS_OF_ROWS)
def rand_brouwer(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Brouwer: pairs compared by the cosine of their memberships.

    Definition:  1 - mean over pairs of |cos(truth rows) - cos(guess rows)|
    """
    return float(rand_hullermeier.with_params(distance="cosine", pairs=pairs).of(m))


@measure(
    cite="anderson2010", bounds=(-np.inf, 1.0), reached=False, perfect=False, best=None,
    cost="one pass over the distinct rows, times the pairs of clusters",
)  # fmt: skip
def rand_anderson(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Anderson: Rand index of the soft contingency table.

    Definition:  rand of the table n · XᵀY / ΣXᵀY, X and Y the degrees of truth and guess

    Linear in the objects. It can be negative, and a clustering need not have 1 with itself.

    Also known as: soft Rand index of Anderson.
    """
    n = m.objects
    if m.is_hard or n < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, n, pairs)
    check_sets("rand_anderson", m)
    truth, guess = degrees(m.truth), degrees(m.guess)
    table = truth.T @ (guess * m.both[:, None])
    if not table.sum():
        return over_pairs(0.0, n, pairs)
    table *= n / table.sum()
    squares = float((table**2).sum())
    margins = float((table.sum(axis=0) ** 2).sum() + (table.sum(axis=1) ** 2).sum())
    agree = (squares - n) / 2 + (n * n + squares - margins) / 2
    return over_pairs(agree / (n * (n - 1) / 2), n, pairs)


class Bonds(NamedTuple):
    """The matrix of products of rows of degrees, by its sum, its trace and its squares."""

    total: float
    trace: float
    squares: float

    @property
    def scale(self) -> float:
        """What the matrix is multiplied with, so that its sum is that of its squares."""
        return self.total / self.squares


def _bonds(rows: Floats, weight: Floats) -> Bonds:
    """Of rows that so many objects have: sums over all pairs, objects with themselves too."""
    return Bonds(
        float(((weight @ rows) ** 2).sum()),
        float(weight @ np.einsum("ij,ij->i", rows, rows)),
        float(((rows.T @ (rows * weight[:, None])) ** 2).sum()),
    )


@measure(
    cite="andrews2022", bounds=(-np.inf, 1.0), reached=False, perfect=False,
    cost="one pass over the distinct rows, times the pairs of clusters",
)  # fmt: skip
def adjusted_fuzzy_rand(m: SoftMeet) -> float:
    """Adjusted fuzzy Rand index (FARI): agreement on pairs of degrees, corrected for chance.

    Definition:  1 - D / E[D],  D = Σ_ij (a_ij - b_ij)²

    How far objects i and j are together in truth, a_ij, is the product of their rows of degrees,
    all of these products scaled so that their sum is that of their squares; b_ij is the same of
    guess. This is the Frobenius adjusted Rand index of Andrews, Browne and Hvingelby, who add over
    all pairs, an object with itself too. E is the mean over all permutations of the objects, in
    closed form: the model of chance that DeWolfe and Andrews (2023) compare with others. A
    clustering has 1 with itself, a permuted one 0 on average, and partitions have adjusted_rand.

    Also known as: Frobenius adjusted Rand index, fuzzy adjusted Rand index.
    """
    if m.is_hard or m.objects < 2:
        return float(adjusted_rand.of(m.hard)) if m.is_hard else 1.0
    check_sets("adjusted_fuzzy_rand", m)
    n, weight = m.objects, m.both.astype(np.float64)
    truth, guess = degrees(m.truth), degrees(m.guess)
    a, b = _bonds(truth, weight), _bonds(guess, weight)
    if not a.squares or not b.squares:
        return float(a.squares == b.squares)
    scale = a.scale * b.scale
    both = scale * float(((truth.T @ (guess * weight[:, None])) ** 2).sum())
    own = a.trace * b.trace / n
    others = (a.total - a.trace) * (b.total - b.trace) / (n * (n - 1))
    every = a.total * a.scale + b.total * b.scale
    chance = every - 2 * scale * (own + others)
    if chance <= EQUAL * n * n:
        return 1.0
    return min(1.0, 1.0 - (every - 2 * both) / chance)


# Compiled sums over pairs of rows of degrees.


def summed_agreement(
    truth: Floats, guess: Floats, both: Ints, tnorm: int, conorm: int
) -> list[float]:
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""
    weight = both.astype(np.float64)

    def part(begin: int, end: int) -> Floats:
        return np.asarray(_agreement(truth, guess, weight, tnorm, conorm, begin, end))

    wide = truth.shape[1] ** 2 + guess.shape[1] ** 2
    found = summed_in_threads(part, _cost(weight.size, wide), 4, "pairs of rows")
    return found.tolist()  # type: ignore[no-any-return]


def summed_differences(truth: Floats, guess: Floats, both: Ints, distance: int) -> float:
    """The sum over pairs of how much their distances differ."""
    weight = both.astype(np.float64)
    lengths = [np.sqrt(np.einsum("ij,ij->i", side, side)) for side in (truth, guess)]

    def part(begin: int, end: int) -> Floats:
        return np.atleast_1d(_differences(truth, guess, *lengths, weight, distance, begin, end))

    wide = truth.shape[1] + guess.shape[1]
    return float(summed_in_threads(part, _cost(weight.size, wide), 1, "pairs of rows")[0])


def _cost(rows: int, work: int) -> Ints:
    """Work per row, which meets itself and those behind it."""
    return np.arange(rows, 0, -1) * max(1, work)


_both_of = compiled(inline="always")(_both)


@compiled(inline="always")
def _either(conorm, one, other):  # type: ignore[no-untyped-def]  # pragma: no cover
    if conorm == 0:
        return max(one, other)
    if conorm == 1:
        return min(1.0, one + other)
    return one + other - one * other


@compiled(inline="always")
def _relate_pair(one, other, tnorm, conorm):  # type: ignore[no-untyped-def]  # pragma: no cover
    same = 0.0
    apart = 0.0
    for a in range(one.size):
        for b in range(one.size):
            found = _both_of(tnorm, one[a], other[b])
            if a == b:
                same = _either(conorm, same, found)
            else:
                apart = _either(conorm, apart, found)
    return same, apart


@compiled
def _agreement(truth, guess, weight, tnorm, conorm, first, last):  # type: ignore[no-untyped-def]  # pragma: no cover
    sums = np.zeros(4)
    for i in range(first, last):
        for j in range(i, weight.size):
            v, x = _relate_pair(truth[i], truth[j], tnorm, conorm)
            y, z = _relate_pair(guess[i], guess[j], tnorm, conorm)
            count = weight[i] * weight[j] if i != j else weight[i] * (weight[i] - 1) / 2
            sums[0] += count * _both_of(tnorm, v, y)
            sums[1] += count * _both_of(tnorm, v, z)
            sums[2] += count * _both_of(tnorm, x, y)
            sums[3] += count * _both_of(tnorm, x, z)
    return sums


@compiled(inline="always")
def _pair_distance(one, other, length, other_length, distance):  # type: ignore[no-untyped-def]  # pragma: no cover
    found = 0.0
    if distance == 2:
        if length == 0.0 and other_length == 0.0:
            return 0.0
        if length == 0.0 or other_length == 0.0:
            return 1.0
        for c in range(one.size):
            found += one[c] * other[c]
        return min(1.0, max(0.0, 1.0 - found / (length * other_length)))
    for c in range(one.size):
        gap = abs(one[c] - other[c])
        found = found + 0.5 * gap if distance == 0 else max(found, gap)
    return min(1.0, found)


@compiled
def _differences(truth, guess, length1, length2, weight, distance, first, last):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for i in range(first, last):
        for j in range(i, weight.size):
            count = weight[i] * weight[j] if i != j else weight[i] * (weight[i] - 1) / 2
            in_truth = _pair_distance(truth[i], truth[j], length1[i], length1[j], distance)
            in_guess = _pair_distance(guess[i], guess[j], length2[i], length2[j], distance)
            total += count * abs(in_truth - in_guess)
    return total


# Sums over pairs of rows of products of bilinear forms: linear in the rows.
#
# Σ over pairs (i, j) of (a_i·b_j)(c_i·d_j) is the product, entry by entry, of Σ_i a_i c_iᵀ and
# Σ_j b_j d_jᵀ. Where both forms are symmetric, half of it, less half of what rows have with
# themselves, is the sum over pairs of distinct objects.


class Bilinear(NamedTuple):
    """A symmetric form of two rows: the product of these."""

    one: Floats
    other: Floats


def summed_products(weight: Floats, first: Bilinear, second: Bilinear) -> float:
    """The sum over pairs of distinct objects of the product of two forms."""
    every = first.one.T @ (weight[:, None] * second.one)
    every *= first.other.T @ (weight[:, None] * second.other)
    own = np.einsum("ij,ij->i", *first) * np.einsum("ij,ij->i", *second)
    return float(every.sum() - weight @ own) / 2


def summed_conflict(truth: MassFeatures, guess: MassFeatures, both: Ints) -> float:
    """The mass on relations that exclude each other, added up over pairs of distinct objects."""
    weight = both.astype(np.float64)
    known = [Bilinear(side.known[:, None], side.known[:, None]) for side in (truth, guess)]
    same = [Bilinear(side.single, side.single) for side in (truth, guess)]
    total = float(weight.sum() ** 2 - weight.sum()) / 2 - summed_products(weight, *known)
    for mine, side, other in ((0, guess, 1), (1, truth, 0)):
        if side.mass.shape[1]:
            total += summed_products(weight, same[mine], Bilinear(side.against, side.mass))
        else:
            total += summed_products(weight, same[mine], known[other])
            total -= summed_products(weight, same[mine], same[other])
    return total


def summed_chances(truth: Floats, guess: Floats, both: Ints) -> PairAgreement | None:
    """Sums over pairs by products and bounded sums, where no bound is reached: the rows of both
    sides sum to one at most.
    """
    weight = both.astype(np.float64)
    sums = [side.sum(axis=1, keepdims=True) for side in (truth, guess)]
    if max(one.max(initial=0.0) for one in sums) > 1.0 + 1e-13:
        return None
    whole, same = [Bilinear(one, one) for one in sums], [Bilinear(x, x) for x in (truth, guess)]
    together = summed_products(weight, same[0], same[1])
    in_truth = summed_products(weight, same[0], whole[1])
    in_guess = summed_products(weight, whole[0], same[1])
    every = summed_products(weight, whole[0], whole[1])
    return PairAgreement(
        together, in_truth - together, in_guess - together, every - in_truth - in_guess + together
    )
