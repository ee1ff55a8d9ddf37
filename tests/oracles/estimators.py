"""Soft clustering algorithms as their papers print them, object by object.

Fuzzy c-means (Bezdek 1981), possibilistic c-means (Krishnapuram and Keller 1993), evidential
c-means (Masson and Denœux 2008) and rough k-means (Lingras and West 2004, Peters 2006 and 2014).

Objects and centres are lists of numbers.  For each algorithm there are its steps (degrees from
centres, centres from degrees, the objective) and a whole run from given centres.  An iteration is
both steps; the degrees of a run are those for its last centres.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

Point = list[float]
Points = list[Point]
Degrees = list[list[float]]
Focal = list[tuple[int, ...]]


class Run(NamedTuple):
    """A run: centres, degrees of the objects for them, the objective after each iteration."""

    centres: Points
    degrees: Degrees
    objectives: list[float]
    iterations: int


class Rule(NamedTuple):
    """When a run ends: after so many iterations, or when centres move less than this."""

    max_iter: int = 300
    tol: float = 1e-4


# What all have in common.


def squared(x: Point, v: Point) -> float:
    """Squared distance of two points."""
    return sum((a - b) ** 2 for a, b in zip(x, v, strict=True))


def weighted_mean(points: Points, weights: Sequence[float]) -> Point:
    """Sum of the points, each times its weight, over the sum of weights."""
    total = sum(weights)
    return [
        sum(w * x[q] for x, w in zip(points, weights, strict=True)) / total
        for q in range(len(points[0]))
    ]


def mean_of(points: Points) -> Point:
    return weighted_mean(points, [1.0] * len(points))


def column(degrees: Degrees, j: int) -> list[float]:
    return [row[j] for row in degrees]


def spread(points: Points) -> float:
    """Variance of each feature, and the mean of these."""
    middle = mean_of(points)
    return sum(squared(x, middle) for x in points) / len(points) / len(middle)


def trail(
    step: Callable[[Points], Points], start: Points, points: Points, rule: Rule
) -> list[Points]:
    """The centres before the first iteration and after each; a state seen before is the last."""
    seen = [start]
    while len(seen) <= rule.max_iter:
        seen.append(step(seen[-1]))
        moved = sum(map(squared, seen[-2], seen[-1]))
        if moved <= rule.tol * spread(points) or seen[-1] in seen[:-1]:
            break
    return seen


def run(
    points: Points,
    start: Points,
    rule: Rule,
    degrees_of: Callable[[Points], Degrees],
    centres_of: Callable[[Degrees, Points], Points],
    objective: Callable[[Degrees, Points], float],
) -> Run:
    """Degrees from centres and centres from degrees in turn; centres get those they follow too."""
    seen = trail(lambda v: centres_of(degrees_of(v), v), start, points, rule)
    values = [objective(degrees_of(v), v) for v in seen[1:]]
    return Run(seen[-1], degrees_of(seen[-1]), values, len(values))


def shared(here: Sequence[bool]) -> list[float]:
    """One, in equal parts on the places that are true."""
    return [float(place) / sum(here) for place in here]


# Fuzzy c-means.


def memberships(points: Points, centres: Points, m: float) -> Degrees:
    """u_ij = 1 / Σ_k (d_ij / d_ik)^(2/(m-1)); who is on a centre belongs to it alone."""
    found = []
    for x in points:
        d = [math.sqrt(squared(x, v)) for v in centres]
        if 0 in d:
            found.append(shared([far == 0 for far in d]))
        else:
            found.append([1 / sum((mine / other) ** (2 / (m - 1)) for other in d) for mine in d])
    return found


def fuzzy_centres(points: Points, degrees: Degrees, m: float) -> Points:
    """v_j = Σ_i u_ij^m x_i / Σ_i u_ij^m; possibilistic c-means has the same."""
    return [
        weighted_mean(points, [u**m for u in column(degrees, j)]) for j in range(len(degrees[0]))
    ]


def fuzzy_objective(points: Points, degrees: Degrees, centres: Points, m: float) -> float:
    """J = Σ_i Σ_j u_ij^m d_ij²."""
    total: float = sum(
        degrees[i][j] ** m * squared(x, v)
        for i, x in enumerate(points)
        for j, v in enumerate(centres)
    )
    return total


def fuzzy(points: Points, start: Points, m: float, rule: Rule) -> Run:
    return run(
        points,
        start,
        rule,
        lambda v: memberships(points, v, m),
        lambda u, _: fuzzy_centres(points, u, m),
        lambda u, v: fuzzy_objective(points, u, v, m),
    )


# Possibilistic c-means.


def typicalities(points: Points, centres: Points, eta: Sequence[float], m: float) -> Degrees:
    """t_ij = 1 / (1 + (d_ij² / η_j)^(1/(m-1)))."""
    return [
        [
            1 / (1 + (squared(x, v) / width) ** (1 / (m - 1)))
            for v, width in zip(centres, eta, strict=True)
        ]
        for x in points
    ]


def widths(points: Points, degrees: Degrees, centres: Points, m: float) -> list[float]:
    """η_j = Σ_i u_ij^m d_ij² / Σ_i u_ij^m, with K = 1."""
    found = []
    for j, v in enumerate(centres):
        weights = [u**m for u in column(degrees, j)]
        found.append(
            sum(w * squared(x, v) for w, x in zip(weights, points, strict=True)) / sum(weights)
        )
    return found


def widths_of_the_cut(
    points: Points, degrees: Degrees, centres: Points, eta: Sequence[float], cut: float
) -> list[float]:
    """η_j: the mean of d_ij² over the objects with t_ij at least the cut, if there are any."""
    found = []
    for j, v in enumerate(centres):
        inside = [squared(x, v) for x, row in zip(points, degrees, strict=True) if row[j] >= cut]
        found.append(sum(inside) / len(inside) if inside else eta[j])
    return found


def possibilistic_objective(
    points: Points, degrees: Degrees, centres: Points, eta: Sequence[float], m: float
) -> float:
    """J = Σ_i Σ_j t_ij^m d_ij² + Σ_j η_j Σ_i (1 - t_ij)^m."""
    penalty: float = sum(
        width * sum((1 - t) ** m for t in column(degrees, j)) for j, width in enumerate(eta)
    )
    return fuzzy_objective(points, degrees, centres, m) + penalty


class Possibilistic(NamedTuple):
    """The last pass of possibilistic c-means, and the widths it had."""

    run: Run
    eta: list[float]


def possibilistic(
    points: Points,
    start: Points,
    m: float,
    rule: Rule,
    eta: Sequence[float] | None = None,
    scale: float = 1.0,
    cut: float | None = None,
) -> Possibilistic:
    """From the result of fuzzy c-means, whose widths are kept; with a cut, a second pass."""
    first = fuzzy(points, start, m, rule)
    if eta is None:
        eta = [scale * w for w in widths(points, first.degrees, first.centres, m)]
    found = one_pass(points, first.centres, m, rule, eta)
    if cut is not None:
        eta = widths_of_the_cut(points, found.degrees, found.centres, eta, cut)
        found = one_pass(points, found.centres, m, rule, eta)
    return Possibilistic(found, list(eta))


def one_pass(points: Points, start: Points, m: float, rule: Rule, eta: Sequence[float]) -> Run:
    return run(
        points,
        start,
        rule,
        lambda v: typicalities(points, v, eta, m),
        lambda t, _: fuzzy_centres(points, t, m),
        lambda t, v: possibilistic_objective(points, t, v, eta, m),
    )


# Evidential c-means.  The empty set, where it is there, is the first of the focal sets.


class Evidence(NamedTuple):
    """The focal sets and α, β, δ."""

    focal: Focal
    alpha: float = 1.0
    beta: float = 2.0
    delta: float = 10.0


def focal_sets(clusters: int, sizes: Sequence[int], noise: bool) -> Focal:
    """All sets of these sizes, by size and then in order; size 0 is for noise."""
    wanted = sorted({*sizes, *([0] if noise else [])})
    return [a for size in wanted for a in combinations(range(clusters), size)]


def barycentres(centres: Points, focal: Focal) -> Points:
    """For each set the mean of the centres in it; the empty set has none."""
    return [mean_of([centres[j] for j in a]) if a else [] for a in focal]


def masses(points: Points, centres: Points, e: Evidence) -> Degrees:
    """m_iA = c_A^(-α/(β-1)) d_iA^(-2/(β-1)) / (Σ_B ... + δ^(-2/(β-1))), and the rest on nothing."""
    power = 1 / (e.beta - 1)
    middles = barycentres(centres, e.focal)
    found = []
    for x in points:
        far = [squared(x, v) if v else e.delta**2 for v in middles]
        if 0 in far:
            found.append(shared([d == 0 for d in far]))
            continue
        costs = [len(a) ** e.alpha * d if a else d for a, d in zip(e.focal, far, strict=True)]
        found.append([1 / sum((mine / other) ** power for other in costs) for mine in costs])
    return found


def evidential_centres(points: Points, degrees: Degrees, clusters: int, e: Evidence) -> Points:
    """H V = B, H_lk = Σ_i Σ_{A∋l,k} c_A^(α-2) m_iA^β, B_lq = Σ_i x_iq Σ_{A∋l} c_A^(α-1) m_iA^β."""
    h = [[0.0] * clusters for _ in range(clusters)]
    b = [[0.0] * len(points[0]) for _ in range(clusters)]
    for x, row in zip(points, degrees, strict=True):
        for a, mass in zip(e.focal, row, strict=True):
            for j in a:
                for q, value in enumerate(x):
                    b[j][q] += len(a) ** (e.alpha - 1) * mass**e.beta * value
                for k in a:
                    h[j][k] += len(a) ** (e.alpha - 2) * mass**e.beta
    solved: Points = np.linalg.solve(h, b).tolist()
    return solved


def evidential_objective(points: Points, degrees: Degrees, centres: Points, e: Evidence) -> float:
    """J = Σ_i Σ_{A≠∅} c_A^α m_iA^β d_iA² + Σ_i δ² m_i∅^β."""
    total = 0.0
    middles = barycentres(centres, e.focal)
    for x, row in zip(points, degrees, strict=True):
        for a, v, mass in zip(e.focal, middles, row, strict=True):
            far = squared(x, v) if a else e.delta**2
            total += (len(a) ** e.alpha if a else 1) * mass**e.beta * far
    return total


def evidential(points: Points, start: Points, e: Evidence, rule: Rule) -> Run:
    return run(
        points,
        start,
        rule,
        lambda v: masses(points, v, e),
        lambda mass, _: evidential_centres(points, mass, len(start), e),
        lambda mass, v: evidential_objective(points, mass, v, e),
    )


def betting(degrees: Degrees, focal: Focal, clusters: int) -> Degrees:
    """The mass of each set shared evenly among its clusters, not normalised."""
    return [
        [
            sum(mass / len(a) for a, mass in zip(focal, row, strict=True) if j in a)
            for j in range(clusters)
        ]
        for row in degrees
    ]


# Rough k-means.  Degrees are the sets T of clusters, each cluster with its share 1/|T|.

Means = Literal["lingras", "peters", "indifference"]


class Roughness(NamedTuple):
    """The parameters of rough k-means."""

    threshold: float = 1.1
    compare: Literal["ratio", "difference"] = "ratio"
    means: Means = "lingras"
    lower: float = 0.7


def near(x: Point, centres: Points, r: Roughness) -> list[bool]:
    """T: the clusters whose centre is hardly farther than the nearest."""
    d = [math.sqrt(squared(x, v)) for v in centres]
    if r.compare == "ratio":
        return [far <= r.threshold * min(d) for far in d]
    return [far - min(d) <= r.threshold for far in d]


def representatives(points: Points, centres: Points) -> dict[int, int]:
    """For each cluster an object of its own: the closest pair of those left, again and again.

    Objects that are equal cannot be told apart; they represent a cluster together.
    """
    pairs = sorted(
        (squared(x, v), i, j) for i, x in enumerate(points) for j, v in enumerate(centres)
    )
    found: dict[int, int] = {}
    for _, i, j in pairs:
        if i not in found and j not in found.values():
            found |= {other: j for other, x in enumerate(points) if x == points[i]}
    return found


def approximations(points: Points, centres: Points, r: Roughness) -> Degrees:
    """Where each object may be; of Peters' two variants a representative is in its cluster."""
    fixed = {} if r.means == "lingras" else representatives(points, centres)
    return [
        shared([j == fixed[i] for j in range(len(centres))] if i in fixed else near(x, centres, r))
        for i, x in enumerate(points)
    ]


def rough_centres(points: Points, degrees: Degrees, before: Points, r: Roughness) -> Points:
    """The mean of the lower approximation and of the rest, weighed; or of all, each by 1/|T|."""
    found = []
    for j, stays in enumerate(before):
        share = column(degrees, j)
        lower = [x for x, s in zip(points, share, strict=True) if s == 1]
        boundary = [x for x, s in zip(points, share, strict=True) if 0 < s < 1]
        if not lower and not boundary:
            found.append(stays)
        elif r.means == "indifference":
            found.append(weighted_mean(points, share))
        elif not lower or not boundary:
            found.append(mean_of(lower or boundary))
        else:
            other = boundary if r.means == "lingras" else lower + boundary
            found.append(weighted_mean([mean_of(lower), mean_of(other)], [r.lower, 1 - r.lower]))
    return found


def rough_objective(points: Points, degrees: Degrees, centres: Points) -> float:
    """Σ_i of the mean of d_ij² over the clusters j that i may be in."""
    return fuzzy_objective(points, degrees, centres, 1)


def rough(points: Points, start: Points, r: Roughness, rule: Rule) -> Run:
    """A run that comes back to where it was ends with the best centres of the cycle."""

    def degrees_of(v: Points) -> Degrees:
        return approximations(points, v, r)

    def objective(s: Degrees, v: Points) -> float:
        return rough_objective(points, s, v)

    def centres_of(s: Degrees, v: Points) -> Points:
        return rough_centres(points, s, v, r)

    seen = trail(lambda v: centres_of(degrees_of(v), v), start, points, rule)
    values = [objective(degrees_of(v), v) for v in seen]
    first = seen.index(seen[-1])
    best = min(range(first, len(seen)), key=lambda at: values[at])
    return Run(seen[best], degrees_of(seen[best]), values[1:], len(values) - 1)
