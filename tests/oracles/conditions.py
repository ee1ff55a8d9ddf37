"""The conditions of the papers, written from their words, on plain sets of objects.

A case of a condition is a tuple of comparisons that are scored together; its sign is 1 if the
scores are as the condition wants, 0 if two are equal that should differ, -1 if it is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, permutations, product
from typing import NamedTuple

Number = Fraction | float
Cluster = frozenset[int]
Clusters = frozenset[Cluster]
"""A partition of the objects 1, 2, …"""
Comparison = tuple[Clusters, Clusters]
"""Truth and guess."""
Case = tuple[Comparison, ...]
Score = Callable[[Clusters, Clusters], Number]


def clusters(*groups: Iterable[int]) -> Clusters:
    return frozenset(frozenset(group) for group in groups if group)


def objects_of(partition: Clusters) -> Cluster:
    return frozenset(x for cluster in partition for x in cluster)


def together(n: int) -> Clusters:
    return clusters(range(1, n + 1))


def apart(n: int) -> Clusters:
    return clusters(*([x] for x in range(1, n + 1)))


@cache
def partitions(n: int) -> tuple[Clusters, ...]:
    """Every partition: the last object is alone, or in one of the clusters of the others."""
    if n == 0:
        return (frozenset(),)
    found = []
    for others in partitions(n - 1):
        found.append(others | {frozenset({n})})
        found += [(others - {cluster}) | {cluster | {n}} for cluster in others]
    return tuple(found)


@cache
def pairs(n: int) -> tuple[Comparison, ...]:
    return tuple(product(partitions(n), partitions(n)))


@cache
def one_of_each_type(n: int) -> tuple[Clusters, ...]:
    """One partition for each list of cluster sizes."""
    types = {tuple(sorted(map(len, partition))): partition for partition in partitions(n)}
    return tuple(types.values())


# --- The four conditions of Amigó et al., as the CICE paper words them. -------------------------


def classes_in(cluster: Cluster, truth: Clusters) -> list[Cluster]:
    """What each class has in the cluster."""
    return [cluster & c for c in truth if cluster & c]


def homogeneity(truth: Clusters, worse: Clusters) -> Iterator[Clusters]:
    """A cluster with objects of two classes, instead of it two clusters, one for each class."""
    for mixed in worse:
        parts = classes_in(mixed, truth)
        if len(parts) == 2:
            yield (worse - {mixed}) | set(parts)


def completeness(truth: Clusters, worse: Clusters) -> Iterator[Clusters]:
    """Two clusters that contain only objects of one class, instead of them their union."""
    for one, two in combinations(worse, 2):
        if any(one | two <= c for c in truth):
            yield (worse - {one, two}) | {one | two}


def rag_bag(truth: Clusters, worse: Clusters, reading: str) -> Iterator[Clusters]:
    """Clean: n objects of one class plus one of another; noise: n objects of n classes.

    Readings: "other" classes in the noise than the two of the clean cluster, n >= 2; "shared" with
    one of these two or both, n >= 2; "single", n = 1.
    """
    for clean, noise in permutations(worse, 2):
        for stray in clean:
            rest, kinds = clean - {stray}, classes_in(noise, truth)
            is_clean = len(classes_in(rest, truth)) == 1 and len(classes_in(clean, truth)) == 2
            if not is_clean or len(rest) != len(noise) or len(kinds) != len(noise):
                continue
            shares = any(c & clean and c & noise for c in truth)
            found = "single" if len(rest) == 1 else "shared" if shares else "other"
            if found == reading:
                yield (worse - {clean, noise}) | {rest, noise | {stray}}


BETTER: dict[str, Callable[[Clusters, Clusters], Iterator[Clusters]]] = {
    "homogeneity": homogeneity,
    "completeness": completeness,
    "rag_bag": partial(rag_bag, reading="other"),
    "rag_bag_shared": partial(rag_bag, reading="shared"),
    "rag_bag_single": partial(rag_bag, reading="single"),
}


@cache
def improvements(name: str, n: int) -> tuple[Case, ...]:
    """Every (truth, worse) with (truth, better), of all pairs of partitions of n objects."""
    return tuple(
        ((truth, worse), (truth, better))
        for truth, worse in pairs(n)
        for better in BETTER[name](truth, worse)
    )


def size_and_quantity(n: int) -> Case:
    """A class of n + 1 and n classes of two: all those broken, or one object cut off that one."""
    large = list(range(1, n + 2))
    twos = [[n + 2 * k, n + 2 * k + 1] for k in range(1, n + 1)]
    truth = clusters(large, *twos)
    broken = clusters(large, *([x] for two in twos for x in two))
    cut = clusters(large[:n], large[n:], *twos)
    return (truth, broken), (truth, cut)


# --- The properties of the split-merge paper. ---------------------------------------------------


def join(truth: Clusters, guess: Clusters) -> Clusters:
    """Clusters of either side that meet are put together, until none do."""
    found: list[Cluster] = []
    for cluster in [*truth, *guess]:
        meeting = [other for other in found if other & cluster]
        found = [other for other in found if not other & cluster]
        found.append(cluster.union(*meeting))
    return frozenset(found)


def within(partition: Clusters, objects: Cluster) -> Clusters:
    return frozenset(cluster & objects for cluster in partition if cluster & objects)


def components(n: int) -> Iterator[Case]:
    """A comparison of several components, and these."""
    for truth, guess in pairs(n):
        parts = join(truth, guess)
        if len(parts) > 1:
            yield ((truth, guess), *((within(truth, j), within(guess, j)) for j in parts))


def split_and_merged(n: int) -> Iterator[Case]:
    """One cluster that the guess splits, and one that it merges."""
    for parts in partitions(n):
        yield ((together(n), parts),)
        yield ((parts, together(n)),)


def less_cut(n: int) -> Iterator[Case]:
    """Fewer parts: two joined. More skewed: an object goes to a part that is no smaller."""
    for parts in partitions(n):
        better = {(parts - {one, two}) | {one | two} for one, two in combinations(parts, 2)}
        for small, large in permutations(parts, 2):
            if 1 < len(small) <= len(large):
                for x in small:
                    better.add((parts - {small, large}) | {small - {x}, large | {x}})
        for fewer in better:
            yield (together(n), parts), (together(n), fewer)
            yield (parts, together(n)), (fewer, together(n))


# --- Other objects, more objects. ---------------------------------------------------------------


def beside(partition: Clusters, other: Clusters) -> Clusters:
    """The clusters of another partition too, its objects after those of this one."""
    n = len(objects_of(partition))
    return partition | frozenset(frozenset(x + n for x in cluster) for cluster in other)


def several_times(partition: Clusters, times: int) -> Clusters:
    """Each object replaced by so many, in the same cluster."""
    copies = range(times)
    return frozenset(
        frozenset(times * (x - 1) + copy + 1 for x in cluster for copy in copies)
        for cluster in partition
    )


def padded(n: int) -> Iterator[Case]:
    for truth, guess in pairs(n):
        for size in (1, 2, 3):
            more = together(size)
            yield (truth, guess), (beside(truth, more), beside(guess, more))


def copied(n: int) -> Iterator[Case]:
    for truth, guess in pairs(n):
        for times in (2, 3):
            yield (truth, guess), (several_times(truth, times), several_times(guess, times))


def doubled(n: int) -> Iterator[Case]:
    return (((t, g), (beside(t, t), beside(g, g))) for t, g in pairs(n))


# --- How scores are judged. ---------------------------------------------------------------------


def compared(one: Number, other: Number) -> int:
    """1 if the other number is larger; numbers that are not exact may be off by a little."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return (other > one) - (other < one)
    near = abs(float(one) - float(other)) < 1e-9
    return 0 if near else 1 if float(other) > float(one) else -1


def better_is_better(case: Case, values: list[Number]) -> int:
    return compared(values[0], values[1])


def all_equal(case: Case, values: list[Number]) -> int:
    return yes(all(compared(values[0], other) == 0 for other in values))


def yes(answer: bool) -> int:
    return 1 if answer else -1


def is_mean_of_components(case: Case, values: list[Number]) -> int:
    """S = Σ |J|/n S(J), Property 4.1."""
    n = len(objects_of(case[0][0]))
    weights = [Fraction(len(objects_of(truth)), n) for truth, _ in case[1:]]
    mean = sum(w * v for w, v in zip(weights, values[1:], strict=True))
    return yes(compared(values[0], mean) == 0)


def is_between(value: Number) -> bool:
    return compared(0, value) == 1 == compared(value, 1)


def is_normalised(case: Case, values: list[Number]) -> int:
    """Property 4.3: 1 for a cluster that is whole, 0 if all is single, between otherwise."""
    truth, guess = case[0]
    if truth == guess:
        return yes(compared(values[0], 1) == 0)
    if len(truth | guess) == len(objects_of(truth)) + 1:
        return yes(compared(values[0], 0) == 0)
    return yes(is_between(values[0]))


def is_conditionally_normalised(case: Case, values: list[Number]) -> int:
    """Property 5.1, of one truth and all its guesses."""
    n = len(objects_of(case[0][0]))
    best = {guess for (_, guess), v in zip(case, values, strict=True) if compared(v, 1) == 0}
    worst = {guess for (_, guess), v in zip(case, values, strict=True) if compared(v, 0) == 0}
    rest = [v for (_, guess), v in zip(case, values, strict=True) if guess not in best | worst]
    truth = case[0][0]
    return yes(
        best == {truth}
        and all(is_between(v) for v in rest)
        and (len(worst) == 0) == (n == 1)
        and (len(rest) == 0) == (n <= 2)
    )


def is_no_detour(case: Case, values: list[Number]) -> int:
    """d(a,c) <= d(a,b) + d(b,c) for d = 1 - score."""
    direct, first, second = (1 - v for v in values)
    return yes(compared(first + second, direct) <= 0)


class Condition(NamedTuple):
    """All cases of so many objects, and how the scores of one are judged."""

    cases: Callable[[int], Iterable[Case]]
    sign: Callable[[Case, list[Number]], int]


def of_pairs(sign: Callable[[Case, list[Number]], int], same: bool | None = None) -> Condition:
    """A condition of single comparisons: of identical partitions, of others, or of all."""
    return Condition(
        lambda n: [((t, g),) for t, g in pairs(n) if same is None or (t == g) == same], sign
    )


def in_order(name: str) -> Condition:
    return Condition(lambda n: improvements(name, n), better_is_better)


CONDITIONS: dict[str, Condition] = {
    "homogeneity": in_order("homogeneity"),
    "completeness": in_order("completeness"),
    "rag_bag": in_order("rag_bag"),
    "rag_bag_shared": in_order("rag_bag_shared"),
    "rag_bag_single": in_order("rag_bag_single"),
    "size_quantity": Condition(lambda n: [size_and_quantity(n)] if n > 1 else [], better_is_better),
    "identity": of_pairs(lambda case, values: yes(compared(values[0], 1) == 0), same=True),
    "perfect_match": of_pairs(lambda case, values: yes(compared(values[0], 1) == 1), same=False),
    "bounds": of_pairs(
        lambda case, values: yes(compared(0, values[0]) >= 0 <= compared(values[0], 1))
    ),
    "attained": Condition(
        lambda n: [pairs(n)] if n > 1 else [],
        lambda case, values: yes(compared(min(values), 0) == 0 == compared(max(values), 1)),
    ),
    "extremes": Condition(
        lambda n: [((together(n), apart(n)),), ((apart(n), together(n)),)] if n > 1 else [],
        lambda case, values: yes(compared(values[0], 0) == 0),
    ),
    "conditional_normalisation": Condition(
        lambda n: [
            ((truth, truth), *((truth, guess) for guess in partitions(n) if guess != truth))
            for truth in partitions(n)
        ],
        is_conditionally_normalised,
    ),
    "subcomponent_normalisation": Condition(split_and_merged, is_normalised),
    "join_decomposition": Condition(components, is_mean_of_components),
    "monotone_decrease": Condition(less_cut, better_is_better),
    "symmetry": Condition(lambda n: [((t, g), (g, t)) for t, g in pairs(n)], all_equal),
    "triangle": Condition(
        lambda n: [((a, c), (a, b), (b, c)) for a in one_of_each_type(n) for b, c in pairs(n)],
        is_no_detour,
    ),
    "padding": Condition(padded, all_equal),
    "n_invariance": Condition(copied, all_equal),
    "blow_up": Condition(doubled, all_equal),
}
"""By the names that the product gives them. Of triangles, the first partition is one of each type:
others have the objects renamed."""


@cache
def cases(name: str, n: int) -> tuple[Case, ...]:
    return tuple(CONDITIONS[name].cases(n))


class AlignedComparison(NamedTuple):
    """What a condition says of a score, if anything, and how large the smallest case against is."""

    outcome: str
    objects: int | None


def aligned(name: str, score: Score, largest: int) -> AlignedComparison:
    """Hold a score against all cases of up to so many objects."""
    smallest: dict[int, int] = {}
    for n in range(1, largest + 1):
        for case in cases(name, n):
            sign = CONDITIONS[name].sign(case, [score(*comparison) for comparison in case])
            smallest.setdefault(sign, len(objects_of(case[0][0])))
    if not smallest:
        return AlignedComparison("does not apply", None)
    worst = min(smallest)
    outcome = {1: "holds", 0: "ties", -1: "fails"}[worst]
    return AlignedComparison(outcome, None if worst == 1 else smallest[worst])


# --- A few measures, from their definitions. ----------------------------------------------------


def cluster_of(x: int, partition: Clusters) -> Cluster:
    return next(cluster for cluster in partition if x in cluster)


def mean_over_objects(
    truth: Clusters, guess: Clusters, own: Callable[[Cluster, Cluster, int], Fraction]
) -> Fraction:
    """The mean of what each object's true cluster and guess cluster say of it."""
    objects = objects_of(truth)
    values = [own(cluster_of(x, truth), cluster_of(x, guess), x) for x in objects]
    return sum(values, Fraction()) / len(objects)


def f1(right: int, wrong: int) -> Fraction:
    """TP / (TP + (FP + FN) / 2); 1 where there is nothing at all."""
    return Fraction(2 * right, 2 * right + wrong) if right + wrong else Fraction(1)


def bcubed_precision(truth: Clusters, guess: Clusters) -> Fraction:
    return mean_over_objects(truth, guess, lambda t, g, x: Fraction(len(t & g), len(g)))


def bcubed_f(truth: Clusters, guess: Clusters) -> Fraction:
    precision, recall = bcubed_precision(truth, guess), bcubed_precision(guess, truth)
    return 2 * precision * recall / (precision + recall)


def elm_f(truth: Clusters, guess: Clusters) -> Fraction:
    return mean_over_objects(truth, guess, lambda t, g, x: f1(len(t & g - {x}), len(t ^ g)))


def pairs_together(partition: Clusters) -> set[tuple[int, int]]:
    return {pair for cluster in partition for pair in combinations(sorted(cluster), 2)}


def rand(truth: Clusters, guess: Clusters) -> Fraction:
    n = len(objects_of(truth))
    every = n * (n - 1) // 2
    wrong = len(pairs_together(truth) ^ pairs_together(guess))
    return Fraction(every - wrong, every) if every else Fraction(1)


def accuracy(truth: Clusters, guess: Clusters) -> Fraction:
    """The best of all ways to give each cluster of the side with fewer one of the other."""
    fewer, more = sorted([list(truth), list(guess)], key=len)
    kept = max(
        sum(len(one & other) for one, other in zip(fewer, chosen, strict=True))
        for chosen in permutations(more, len(fewer))
    )
    return Fraction(kept, len(objects_of(truth)))


def constant(truth: Clusters, guess: Clusters) -> Fraction:
    return Fraction(1)


MEASURES: dict[str, Score] = {
    "bcubed_f": cache(bcubed_f),
    "elm_f": cache(elm_f),
    "rand": cache(rand),
    "accuracy": cache(accuracy),
    "bcubed_precision": cache(bcubed_precision),
    "constant": constant,
}
