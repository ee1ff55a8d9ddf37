"""Uncertain clusterings: one pass over the masses, pairs of profiles, and the sizes of a paper."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np

from bench.hard import apart_from, resident, seconds

CLUSTERS = "abcd"
SETS = [list(c) for size in range(1, 5) for c in combinations(CLUSTERS, size)]
PRINTED = {
    ("rough", "rand"): 0.802,
    ("fuzzy", "rand"): 784.388,
    ("possibilistic", "rand"): 979.053,
    ("evidential", "rand"): 1394.69,
    ("rough", "partition_distance"): 0.803,
    ("fuzzy", "partition_distance"): 184.707,
    ("possibilistic", "partition_distance"): 224.31,
    ("evidential", "partition_distance"): 431.57,
}
"""Seconds that the paper of the transport-based measures gives for 150 objects in 3 clusters."""


def masses(n: int, seed: int = 0) -> Any:
    """Random masses on all sets of four clusters, and on none."""
    return np.random.default_rng(seed).dirichlet(np.full(16, 0.3), n)


def measure_pass(n: int) -> dict[str, float]:
    """Against a hard clustering: the measures, and one sum over the matrix of masses."""
    import clusterdiff as cd

    table, labels = masses(n), np.random.default_rng(1).integers(0, 4, n)
    guess = cd.Evidential(table, [*SETS, []])
    kernels = cd.meet(labels[:300_000], guess.take(np.arange(min(n, 300_000))))
    for measure in (cd.rand_alpha, cd.partition_distance_alpha):
        measure.of(kernels)
    took = {"pass": seconds(lambda: float(table.sum()), 9), "meet": 0.0}
    meets = [cd.meet(labels, guess) for _ in range(6)]
    took["meet"] = seconds(lambda: cd.meet(labels, guess))
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    for measure in (cd.rand_alpha, cd.partition_distance_alpha):
        took[measure.name] = seconds(lambda: measure.of(meets.pop()))  # noqa: B023
    took["memory"] = (resident("VmHWM") - before) / table.nbytes
    return took


def measure_pairs(profiles: int, peer: int) -> dict[str, float]:
    """Between two uncertain clusterings; with `peer`, the same closed form in blocks of NumPy."""
    import clusterdiff as cd
    from clusterdiff.measures import pair_masses as relations

    def meet(many: int) -> Any:
        sides = [cd.Evidential(masses(many, seed), [*SETS, []]) for seed in (0, 1)]
        return cd.meet(*sides)

    measure = cd.rand_alpha(alpha=0.5)
    measure.of(meet(1000))
    m = meet(profiles)
    before = resident("VmRSS")

    def ours() -> float:
        m.memo.clear()
        return float(measure.of(m))

    took = {"ours": seconds(ours, 3 if peer else 1)}
    took["memory"] = (resident("VmHWM") - before) / 2**20
    if peer:

        def blocks() -> float:
            total = 0.0
            for one, other, count in relations.pair_blocks(m, 64):
                total += float((relations.moving_cost(one, other, 0.5) * count).sum())
            return 1.0 - total / (profiles * (profiles - 1) / 2)

        took["numpy"] = seconds(blocks, 2)
        assert abs(blocks() - ours()) < 1e-12
    return took


def apart(what: str, *arguments: int) -> dict[str, float]:
    return apart_from("bench.soft", what, *arguments)


def table(n: int) -> str:
    """Growth against a hard clustering, pairs of profiles, the paper's sizes."""
    lines = [
        "## Uncertain clusterings",
        "",
        "A hard truth against masses on all 16 sets of 4 clusters:",
        "",
        "| objects | one sum over the masses, s | `rand_alpha`, s | times the sum "
        "| `partition_distance_alpha`, s | times the sum | peak memory above the input / input |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in (n // 100, n // 10):
        took = apart("pass", size)
        lines.append(
            f"| {size:,} | {took['pass']:.4f} | {took['rand_alpha']:.3f} "
            f"| {took['rand_alpha'] / took['pass']:.1f} | {took['partition_distance_alpha']:.3f} "
            f"| {took['partition_distance_alpha'] / took['pass']:.1f} | {took['memory']:.2f} |"
        )
    lines += [
        "",
        "Two evidential clusterings, all profiles different, `rand_alpha(alpha=0.5)`:",
        "",
        "| profiles | pairs | s | the closed form in blocks of NumPy, s | times faster "
        "| memory above the input, MB |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for size, peer in ((n // 1000, 1), (n // 100, 0)):
        took = apart("pairs", size, peer)
        theirs = f"{took['numpy']:.2f} | {took['numpy'] / took['ours']:.1f}" if peer else " | "
        lines.append(
            f"| {size:,} | {size * (size - 1) // 2:,} | {took['ours']:.2f} | {theirs} "
            f"| {took['memory']:.0f} |"
        )
    return "\n".join([*lines, *paper(), *rough()])


def paper() -> list[str]:
    """`transport` on 150 flowers in 3 clusters, beside the times in print."""
    from sklearn.datasets import load_iris

    import clusterdiff as cd

    data, truth = load_iris(return_X_y=True)
    chances = fuzzy_means(data, 3)
    near = chances / chances.max(axis=1, keepdims=True)
    names = ("0", "1", "2")
    pairs = [f"{a}|{b}" for a, b in combinations(names, 2)]
    shared = np.column_stack([chances[:, a] * chances[:, b] for a, b in combinations(range(3), 2)])
    spread = np.column_stack([chances**2, 2 * shared])
    guesses = {
        "rough": cd.Rough([set(np.flatnonzero(row > 0.5)) for row in near]),
        "fuzzy": cd.Fuzzy(chances),
        "possibilistic": cd.Possibilistic(near),
        "evidential": cd.Evidential(spread, [*names, *pairs]),
    }
    cd.transport("partition_distance")(truth, guesses["fuzzy"])
    lines = [
        "",
        "The flowers of Fisher (150 objects, 3 clusters) against fuzzy 3-means, read as each kind. "
        "The times in print are for the clusterings of the paper, by its exact method, on its "
        "machine:",
        "",
        "| guess | measure | score | ms | how | in print, s |",
        "|---|---|---|---:|---|---:|",
    ]
    for kind, guess in guesses.items():
        for name in ("rand", "partition_distance"):
            start = time.perf_counter()
            score = cd.transport(name)(truth, guess)
            took = time.perf_counter() - start
            lines.append(
                f"| {kind} | {name} | {score} | {took * 1000:.0f} | {score.how} "
                f"| {PRINTED[kind, name]:g} |"
            )
    return lines


def fuzzy_means(data: Any, clusters: int, rounds: int = 100) -> Any:
    """Fuzzy c-means with the exponent 2."""
    chances = np.random.default_rng(0).dirichlet(np.ones(clusters), len(data))
    for _ in range(rounds):
        weight = chances**2
        centres = weight.T @ data / weight.sum(axis=0)[:, None]
        closeness = 1.0 / (((data[:, None] - centres) ** 2).sum(axis=2) + 1e-12)
        chances = closeness / closeness.sum(axis=1, keepdims=True)
    return chances


def rough() -> list[str]:
    """A hard truth against a rough guess with some ambiguous objects, exactly."""
    import clusterdiff as cd

    rng = np.random.default_rng(0)
    n, ambiguous = 10_000, 200
    truth = rng.integers(0, 3, n)
    guess = np.where(rng.random(n) < 0.9, truth, rng.integers(0, 3, n))
    sets = [{int(label)} for label in guess]
    for i in rng.choice(n, ambiguous, replace=False):
        sets[i] = set(rng.choice(3, rng.integers(2, 4), replace=False).tolist())
    m = cd.meet(truth, cd.Rough(sets))
    lines = [
        "",
        f"{n:,} objects, {ambiguous} of them in one of two or three clusters, exactly:",
        "",
        "| measure | score | ms | how |",
        "|---|---|---:|---|",
    ]
    for name in ("rand", "partition_distance"):
        measure = cd.transport(name)
        start = time.perf_counter()
        score = measure.of(m)
        took = time.perf_counter() - start
        lines.append(f"| {name} | {score} | {took * 1000:.0f} | {score.how} |")
    return lines
