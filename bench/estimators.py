"""Estimators: fuzzy c-means against scikit-fuzzy, and what evidential c-means costs besides."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.hard import apart_from, seconds

FEATURES, CLUSTERS = 10, 4
FEW, MANY = 10, 60
"""Iterations; what one costs is the difference."""
REPEATS = 7
EXPONENTS = (2.0, 1.7)


def data(n: int) -> tuple[Any, Any]:
    """Normal groups that overlap, and centres to start with."""
    rng = np.random.default_rng(0)
    middle = rng.normal(size=(CLUSTERS, FEATURES))
    x = middle[rng.integers(0, CLUSTERS, n)] + rng.normal(size=(n, FEATURES))
    return x, x[:CLUSTERS] + 0.01


def fitted(kind: str, x: Any, start: Any, iterations: int, **given: Any) -> Any:
    """An estimator after so many iterations."""
    from clusterdiff_lab import estimators

    model = getattr(estimators, kind)(
        CLUSTERS, init=start, max_iter=iterations, tol=0, n_init=1, **given
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x)
    assert model.n_iter_ == iterations
    return model


def measure_fuzzy(n: int, m: float) -> dict[str, float]:
    """Whole fits with equal iterations from the same start."""
    from skfuzzy import cmeans

    x, start = data(n)
    first = ((x[:, None] - start) ** 2).sum(axis=2) ** (-1 / (m - 1))
    first /= first.sum(axis=1, keepdims=True)
    took = in_turns(
        ours=lambda: fitted("FuzzyCMeans", x, start, MANY, m=m),
        theirs=lambda: cmeans(x.T, CLUSTERS, m, 0, MANY, init=first.T),
    )
    found = fitted("FuzzyCMeans", x, start, MANY, m=m)
    centres, shares, *_ = cmeans(x.T, CLUSTERS, m, 0, MANY, init=first.T)
    took["off"] = float(
        max(
            np.abs(found.cluster_centers_ - centres).max(),
            np.abs(found.memberships_ - shares.T).max(),
        )
    )
    return took


def measure_iterations(n: int, m: float) -> dict[str, float]:
    """What one iteration costs, on single clusters and on all 16 sets of them."""
    x, start = data(n)
    fuzzy, evidential = ("FuzzyCMeans", {"m": m}), ("EvidentialCMeans", {"beta": m})
    runs = {
        f"{kind} {times}": partial(fitted, kind, x, start, times, **given)
        for kind, given in (fuzzy, evidential)
        for times in (FEW, MANY)
    }
    took = in_turns(**runs)
    return {
        kind: (took[f"{kind} {MANY}"] - took[f"{kind} {FEW}"]) / (MANY - FEW)
        for kind, _ in (fuzzy, evidential)
    }


def in_turns(**runs: Callable[[], object]) -> dict[str, float]:
    """The fastest of a few of each; in turns, so that a busy machine slows all of them."""
    for run in runs.values():
        run()
    found = [{name: seconds(run, 1) for name, run in runs.items()} for _ in range(REPEATS)]
    return {name: min(each[name] for each in found) for name in runs}


def apart(what: str, *arguments: float) -> dict[str, float]:
    return apart_from("bench.estimators", what, *arguments)


def table(n: int) -> str:
    """Both comparisons, with the exponent 2, which needs no powers, and with another."""
    lines = [
        "## Estimators",
        "",
        f"{n:,} objects, {FEATURES} features, {CLUSTERS} clusters. Fuzzy c-means, whole fits of "
        f"{MANY} iterations from the same start:",
        "",
        "| m | `FuzzyCMeans`, s | scikit-fuzzy `cmeans`, s | times faster | largest difference |",
        "|---:|---:|---:|---:|---:|",
    ]
    for m in EXPONENTS:
        took = apart("fuzzy", n, m)
        lines.append(
            f"| {m} | {took['ours']:.3f} | {took['theirs']:.2f} "
            f"| {took['theirs'] / took['ours']:.1f} | {took['off']:.0e} |"
        )
    lines += [
        "",
        "One iteration:",
        "",
        "| m, β | `FuzzyCMeans`, ms | `EvidentialCMeans` on 16 sets, ms | times as long |",
        "|---:|---:|---:|---:|",
    ]
    for m in EXPONENTS:
        took = apart("iterations", n, m)
        fuzzy, evidential = took["FuzzyCMeans"], took["EvidentialCMeans"]
        lines.append(
            f"| {m} | {fuzzy * 1e3:.2f} | {evidential * 1e3:.2f} | {evidential / fuzzy:.1f} |"
        )
    return "\n".join(lines)
