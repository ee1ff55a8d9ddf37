"""Figures 2 to 4 of the paper: 10,000 objects, five algorithms and the truth, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import Partition
from clusterdiff.output.figures import SYMBOLS, SYSTEMS, blank
from clusterdiff.output.table import CellTable
from clusterdiff.progress import progress
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting
from clusterdiff_lab.papers.soft.algorithms import (
    CLUSTERS,
    MOVES,
    NAMES,
    PRINTED,
    RAND,
    Fitted,
    Ledger,
    Scored,
    at_half,
    by_closed_form,
    by_hard_draws,
    by_transport,
    fitted,
    hold,
    triangles,
)

STARTS = 20


class Circles(NamedTuple):
    """A circle for each object, and how well they fit."""

    centre: Floats
    radius: Floats
    stress: float
    """The root of the squared error over the squared dissimilarities."""


def circles(low: Floats, high: Floats, seed: int = 0) -> Circles:
    """The circles that fit best, of several starts: classical scaling, and random ones.

    `low` and `high` hold the ends of the dissimilarity of each pair of objects, as square matrices.

    >>> far = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> found = circles(far, far)
    >>> round(found.stress, 4), found.radius.round(3).tolist()
    (0.0, [0.0, 0.0, 0.0])
    """
    from scipy.optimize import minimize

    objects = len(low)
    one, other = np.triu_indices(objects, 1)
    least, most = low[one, other], high[one, other]
    rng = np.random.default_rng(seed)
    scale = float(most.max(initial=0.0)) or 1.0
    bounds = [(None, None)] * (2 * objects) + [(0.0, None)] * objects
    best = None
    for k in range(STARTS):
        centre = _classical((low + high) / 2)
        centre = rng.normal(scale=scale, size=centre.shape) if k else centre
        radius = np.full(objects, float((most - least).mean()) / 4 if least.size else 0.0)
        fit = minimize(
            _error, np.concatenate([centre.ravel(), radius]), (one, other, least, most),
            method="L-BFGS-B", jac=True, bounds=bounds,
            options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
        )  # fmt: skip
        if best is None or fit.fun < best.fun - 1e-12:
            best = fit
    assert best is not None
    centre, radius = best.x[: 2 * objects].reshape(-1, 2), best.x[2 * objects :]
    size = float((least**2 + most**2).sum()) or 1.0
    return Circles(_turned(centre), radius, float(np.sqrt(best.fun / size)))


def _error(x: Floats, one: Ints, other: Ints, least: Floats, most: Floats) -> tuple[float, Floats]:
    """The squared error and its gradient."""
    objects = x.size // 3
    centre, radius = x[: 2 * objects].reshape(-1, 2), x[2 * objects :]
    apart = centre[one] - centre[other]
    distance = np.sqrt((apart**2).sum(axis=1)) + 1e-300
    both = radius[one] + radius[other]
    gap = np.maximum(distance - both, 0.0)
    below, above = np.where(distance > both, gap - least, 0.0), distance + both - most
    error = float(((gap - least) ** 2).sum() + (above**2).sum())
    pull = (2 * (below + above) / distance)[:, None] * apart
    slope, widen = np.zeros_like(centre), np.zeros_like(radius)
    np.add.at(slope, one, pull)
    np.add.at(slope, other, -pull)
    for side in (one, other):
        np.add.at(widen, side, 2 * (above - below))
    return error, np.concatenate([slope.ravel(), widen])


def _classical(distance: Floats) -> Floats:
    """Torgerson's scaling to the plane."""
    objects = len(distance)
    middle = np.eye(objects) - 1 / objects
    value, vector = np.linalg.eigh(-middle @ distance**2 @ middle / 2)
    plane = np.zeros((objects, 2))
    kept = vector[:, ::-1][:, :2] * np.sqrt(np.maximum(value[::-1][:2], 0.0))
    plane[:, : kept.shape[1]] = kept
    return plane


def _turned(centre: Floats) -> Floats:
    """The picture turned into one position: widest from left to right, the first object at the left
    and not below the middle.
    """
    centre = centre - centre.mean(axis=0)
    centre = centre @ np.linalg.svd(centre, full_matrices=False)[2].T
    return centre * np.where(centre[0] * np.array([1, -1]) > 0, -1.0, 1.0)


OBJECTS = 10_000
CENTRES = np.array([[0.0, 0.0], [2.5, 0.0], [1.25, 2.0]])
"""Of three Gaussians of unit variance: about one object in five is nearer to another centre."""
SAMPLES = 200
"""Draws of each of two clusterings; every one is compared with every other."""
TRUTH = "truth"
METRICS = {
    "S-RI": "Rand index, by draws",
    "A-RI": "Rand index, closed form",
    "S-PD": "partition distance, by draws",
    "A-PD": "partition distance, closed form",
}

Pair = tuple[str, str]


class AllPairs(NamedTuple):
    """All pairs of clusterings, scored."""

    scores: Mapping[Pair, Mapping[str, Scored]]
    names: tuple[str, ...]

    def matrices(self, metric: str) -> tuple[Floats, Floats]:
        """The ends of all dissimilarities: one less the score, where more is better."""
        low, high = np.zeros((2, len(self.names), len(self.names)))
        for (a, b), scores in self.scores.items():
            s = scores[metric]
            ends = (1 - s.high, 1 - s.low) if metric.endswith("RI") else (s.low, s.high)
            i, j = self.names.index(a), self.names.index(b)
            low[i, j] = low[j, i] = max(0.0, ends[0])
            high[i, j] = high[j, i] = ends[1]
        return low, high


def run_simulated(setting: Setting) -> Outcome:
    """Cluster, compare every pair, and lay them out as circles."""
    data, labels = drawn(setting.seed)
    models = fitted(data, PRINTED, setting.seed)
    ledger = Ledger()
    clusterings = {name: model.clustering for name, model in models.items()}
    compared = _compare({TRUTH: Partition(labels), **clusterings}, setting.seed, ledger)
    layouts = {m: circles(*compared.matrices(m), seed=setting.seed) for m in METRICS}
    return Outcome(
        f"{OBJECTS:,} objects of three overlapping Gaussians (Figures 2 to 4 of the paper)",
        (
            *(_shown(compared, metric) for metric in METRICS),
            _circles(compared, layouts),
            ledger.exhibit("simulated-inequalities"),
        ),
        _notes(compared, models, layouts, data, labels, setting.seed),
        (
            Picture(
                "simulated-data",
                f"One in ten of the {OBJECTS:,} objects; a class is a Gaussian of unit variance.",
                lambda: _plane(data, labels),
            ),
            *(
                Picture(
                    f"simulated-{metric.lower()}",
                    f"{metric} ({METRICS[metric]}): how far apart circles are stands for how "
                    "unlike clusterings are, how large they are for what is unknown.",
                    lambda metric=metric: _drawn_circles(compared, layouts[metric]),  # type: ignore[misc]
                )
                for metric in METRICS
            ),
        ),
        (_records(compared),),
        (
            f"{NAMES} S: {SAMPLES} rough clusterings are drawn from each side, some hard ones from "
            "each of them, and every one is compared with every other (the paper draws 1,000). "
            "That hides most of what is unknown, and between two uncertain clusterings the "
            "distance is too large on average: an estimate without limits. A: closed forms, exact.",
        ),
    )


def drawn(seed: int) -> tuple[Floats, Any]:
    """The objects, and which Gaussian each is from."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLUSTERS, size=OBJECTS)
    return CENTRES[labels] + rng.normal(size=(OBJECTS, 2)), labels


def _compare(clusterings: Mapping[str, Any], seed: int, ledger: Ledger) -> AllPairs:
    """Every pair, by draws and by closed forms; what is proved is held against them."""
    scores_of_pairs: dict[Pair, dict[str, Scored]] = {}
    halves: dict[str, dict[Pair, float]] = {"RI": {}, "PD": {}}
    pairs = list(combinations(clusterings, 2))
    with progress("pairs of clusterings", 4 * len(pairs)) as advance:
        for a, b in pairs:
            one, other = clusterings[a], clusterings[b]
            scores, exact, half = {}, {}, {}
            for base, measure in (("RI", RAND), ("PD", MOVES)):
                scores[f"S-{base}"] = by_hard_draws(measure, one, other, seed, SAMPLES)
                if isinstance(one, Partition):
                    exact[f"T-{base}"] = by_transport(measure, one, other)
                advance(1)
                scores[f"A-{base}"] = by_closed_form(base, one, other)
                half[base] = at_half(base, one, other)
                far = 1 - half[base] if base == "RI" else half[base]
                halves[base][min(a, b), max(a, b)] = far
                advance(1)
            hold(ledger, one, other, scores | exact, half, f"{a} and {b}")
            scores_of_pairs[a, b] = scores
    triangles(ledger, "1 - Rand_½ obeys the triangle inequality", halves["RI"])
    triangles(ledger, "δ_½ obeys the triangle inequality", halves["PD"])
    for base, name in (("RI", "1 - Rand₁"), ("PD", "δ₁")):
        worst = {
            (min(pair), max(pair)): 1 - s["A-RI"].low if base == "RI" else s["A-PD"].high
            for pair, s in scores_of_pairs.items()
        }
        triangles(ledger, f"{name} obeys the triangle inequality", worst)
    return AllPairs(scores_of_pairs, tuple(clusterings))


def _shown(compared: AllPairs, metric: str) -> Exhibit:
    """A triangle of intervals."""
    rows = []
    for a in compared.names[:-1]:
        cells = [
            _ends(compared.scores[a, b][metric]) if (a, b) in compared.scores else ""
            for b in compared.names[1:]
        ]
        rows.append((a, *cells))
    records = [one for one in _records(compared).records if one["metric"] == metric]
    title = f"{metric}: {METRICS[metric]}"
    table = CellTable(("", *compared.names[1:]), tuple(rows))
    return Exhibit(f"simulated-{metric.lower()}", title, table, records)


def _ends(score: Scored) -> str:
    if score.high - score.low < 5e-4:
        return f"{(score.low + score.high) / 2:.3f}"
    return f"{score.low:.3f}–{score.high:.3f}"


def _records(compared: AllPairs) -> Exhibit:
    records: list[Record] = [
        {
            "one": a, "other": b, "metric": metric, "low": score.low, "high": score.high,
            "outer_low": score.outer[0], "outer_high": score.outer[1], "how": score.how,
            "seconds": score.seconds,
        }
        for (a, b), scores in compared.scores.items()
        for metric, score in scores.items()
    ]  # fmt: skip
    return Exhibit.of("simulated", "All pairs and metrics", records)


def _circles(compared: AllPairs, layouts: Mapping[str, Circles]) -> Exhibit:
    radii: list[Record] = [
        {"radius": name} | {m: float(layout.radius[i]) for m, layout in layouts.items()}
        for i, name in enumerate(compared.names)
    ]
    stress: Record = {"radius": "stress"} | {m: one.stress for m, one in layouts.items()}
    return Exhibit.of(
        "simulated-circles", "Radii of the circles, and stress of the layout", [*radii, stress]
    )


def _notes(
    compared: AllPairs, models: Mapping[str, Fitted], layouts: Mapping[str, Circles],
    data: Floats, labels: Any, seed: int,
) -> tuple[str, ...]:  # fmt: skip
    nearer = float(
        (np.argmin(((data[:, None] - CENTRES) ** 2).sum(axis=2), axis=1) != labels).mean()
    )
    statements: dict[str, Callable[[str], bool]] = {
        "RKM is closest to KM": lambda m: _closest(compared, "KM", m) == "RKM",
        "RKM is closest to the truth": lambda m: _closest(compared, TRUTH, m) == "RKM",
        "PCM has the largest circle": lambda m: (
            compared.names[int(layouts[m].radius.argmax())] == "PCM"
        ),
        "circles are smaller by S than by A": lambda m: (
            layouts[m].radius.sum() < layouts[m.replace("S-", "A-")].radius.sum()
        ),
        "ECM and PCM are more alike than either is to another": lambda m: (
            (_closest(compared, "ECM", m), _closest(compared, "PCM", m)) == ("PCM", "ECM")
        ),
        "FCM is the most unlike all others": lambda m: _farthest(compared, m) == "FCM",
    }
    verdicts = "; ".join(
        f"{what} ({', '.join(filter(so, METRICS)) or 'none'})" for what, so in statements.items()
    )
    warned = [f"{name} at {PRINTED.of(name)}: {m.warned}" for name, m in models.items() if m.warned]
    return (
        f"Three Gaussians of unit variance with {nearer:.0%} of the objects nearer to the centre "
        f"of another (seed {seed}); the paper does not say where its own are, so numbers cannot be "
        f"compared, only what it says of them. {PRINTED}.",
        "What the paper says of its figures, and by which of the four it is so here, how far apart "
        f"two are being read in the middle of their interval: {verdicts}.",
        *warned,
    )


def _middle(compared: AllPairs, a: str, b: str, metric: str) -> float:
    """How far apart two are, in the middle."""
    low, high = compared.matrices(metric)
    i, j = compared.names.index(a), compared.names.index(b)
    return float(low[i, j] + high[i, j]) / 2


def _closest(compared: AllPairs, name: str, metric: str) -> str:
    """The algorithm closest to this one, or to the truth."""
    others = [one for one in compared.names if one not in (name, TRUTH)]
    return min(others, key=lambda one: _middle(compared, name, one, metric))


def _farthest(compared: AllPairs, metric: str) -> str:
    """The algorithm farthest from all others together."""
    algorithms = [name for name in compared.names if name != TRUTH]
    return max(
        algorithms,
        key=lambda one: sum(_middle(compared, one, b, metric) for b in compared.names if b != one),
    )


def _plane(data: Floats, labels: Any) -> Any:
    """One object in ten, so that the groups shine through."""
    figure = blank()
    for k in range(CLUSTERS):
        mine = data[labels == k][::10]
        figure.add_scatter(
            name=f"class {k + 1}", x=mine[:, 0], y=mine[:, 1], mode="markers", opacity=0.5,
            marker={"color": SYSTEMS[k], "symbol": SYMBOLS[k], "size": 4},
        )  # fmt: skip
    return figure.update_layout(
        xaxis={"title": "first feature"},
        yaxis={"title": "second feature", "scaleanchor": "x"},
        legend={"itemsizing": "constant"},
    )


def _drawn_circles(compared: AllPairs, layout: Circles) -> Any:
    """Circles with a cross in the middle; the truth is black."""
    figure = blank()
    around = np.linspace(0, 2 * np.pi, 121)
    looks = zip(("#222222", *SYSTEMS), compared.names, layout.centre, layout.radius, strict=False)
    for k, (colour, name, (x, y), radius) in enumerate(looks):
        figure.add_scatter(
            name=name, legendgroup=name, showlegend=False, mode="lines",
            x=x + radius * np.cos(around), y=y + radius * np.sin(around),
            line={"color": colour, "width": 2, "simplify": False},
        )  # fmt: skip
        figure.add_scatter(
            name=name, legendgroup=name, mode="markers", x=[x], y=[y],
            marker={"color": colour, "symbol": ("star", *SYMBOLS)[k], "size": 9},
        )  # fmt: skip
    return figure.update_layout(
        xaxis={"title": "dissimilarity, first axis"},
        yaxis={"title": "second axis", "scaleanchor": "x"},
        height=400,
    )
