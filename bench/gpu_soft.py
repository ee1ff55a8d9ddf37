"""Two uncertain clusterings on a graphics card: every pair of objects, by the fused kernel and in
tiles of matrix products.

`python -m bench.gpu_soft` needs torch, NumPy and, for the fused kernel, Triton. To try it without a
card: `python -m bench.gpu_soft --device cpu --objects 2000`. `--tune` times shapes of the kernel.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

CLUSTERS = 16
SETS = [list(c) for size in range(5) for c in combinations(range(4), size)]
"""All 16 sets of four clusters, the empty one among them."""
FEWER = 4
"""Tiles of matrix products are timed on so many times fewer objects."""
SMALL = 600
"""Objects that the definition is computed for, one pair at a time, in extended precision."""


class Case(NamedTuple):
    """A measure of two clusterings of a kind."""

    name: str
    kind: str
    parameters: dict[str, Any]


CASES = [
    Case("rand_alpha", "fuzzy", {}),
    Case("rand_alpha", "evidential", {}),
    Case("rand_belief", "evidential", {}),
    Case("rand_jousselme", "evidential", {}),
    Case("rand_conflict", "evidential", {}),
    Case("partition_distance_alpha", "evidential", {}),
    Case("rand_alpha", "possibilistic", {}),
    Case("rand_hullermeier", "fuzzy", {}),
    Case("rand_brouwer", "fuzzy", {}),
    Case("rand_campello", "fuzzy", {}),
    Case("rand_frigui", "fuzzy", {}),
]


def rows(kind: str, n: int, seed: int, device: str) -> Any:
    """Random degrees or masses, made on the device."""
    import torch

    random = torch.Generator(device).manual_seed(seed)
    wide = len(SETS) if kind == "evidential" else CLUSTERS
    made = torch.rand((n, wide), generator=random, device=device, dtype=torch.float64) ** 4
    return made / made.amax(1, True) if kind == "possibilistic" else made / made.sum(1, True)


def clustering(kind: str, matrix: Any) -> Any:
    import clusterdiff as cd

    if kind == "evidential":
        return cd.Evidential(matrix, SETS)
    return cd.Fuzzy(matrix) if kind == "fuzzy" else cd.Possibilistic(matrix)


def scored(case: Case, n: int, device: str) -> tuple[Any, float, float]:
    """The score, seconds to make and check the clusterings, and seconds of the measure."""
    import clusterdiff as cd

    given = [rows(case.kind, n, seed, device) for seed in (1, 2)]
    begin = waited(device)
    meet = cd.meet(*(clustering(case.kind, matrix) for matrix in given))
    made = waited(device)
    value = getattr(cd, case.name).with_params(**case.parameters).of(meet)
    return value, made - begin, waited(device) - made


def waited(device: str) -> float:
    """The time, once the device has done its work."""
    import torch

    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter()


def without_kernel(run: Callable[[], Any]) -> Any:
    """What a run gives where only tiles of matrix products are used."""
    from clusterdiff.measures import soft_on_device as sums

    found = sums.has_kernel
    sums.has_kernel = lambda weight: False
    try:
        return run()
    finally:
        sums.has_kernel = found


def ends(value: Any) -> Any:
    return np.array([getattr(value, "low", value), getattr(value, "high", value)], float)


# The definitions, pair by pair of the matrix of all pairs, in extended precision.


def by_definition(case: Case, device: str) -> Any:
    """The score of few objects, or None where there is no plain definition here."""
    sides = [rows(case.kind, SMALL, seed, device).cpu().numpy() for seed in (1, 2)]
    x, y = (side.astype(np.longdouble) for side in sides)
    pair = np.triu_indices(SMALL, 1)
    if case.name == "rand_hullermeier":
        gaps = [np.abs(side[:, None] - side).sum(-1)[pair] / 2 for side in (x, y)]
        return 1 - np.abs(gaps[0] - gaps[1]).mean()
    if case.name == "rand_brouwer":
        units = [side / np.sqrt((side**2).sum(1, keepdims=True)) for side in (x, y)]
        return 1 - np.abs((units[0] @ units[0].T - units[1] @ units[1].T)[pair]).mean()
    if case.name in ("rand_campello", "rand_frigui"):
        product = case.name == "rand_frigui"
        (v, a), (w, b) = (_degrees(side, pair, product) for side in (x, y))
        both = np.multiply if product else np.minimum
        agree = (both(v, w) + both(a, b)).sum()
        return agree / (agree + (both(v, b) + both(a, w)).sum())
    if case.name == "partition_distance_alpha":
        return None
    one, other = (_relations(case.kind, side, pair) for side in (x, y))
    if case.name == "rand_alpha":
        return 1 - np.array([_moved(one, other, alpha).mean() for alpha in (1, 0)])
    s, n, t, e = (a - b for a, b in zip(one, other, strict=True))
    if case.name == "rand_belief":
        return 1 - (np.abs(s) + np.abs(n) + np.abs(e)).mean() / 2
    if case.name == "rand_jousselme":
        return 1 - np.sqrt((s * s + n * n + t * t + e * e + s * t + n * t) / 2).mean()
    (s1, n1, _, e1), (s2, n2, _, e2) = one, other
    return 1 - (s1 * n2 + n1 * s2 + e1 + e2 - e1 * e2).mean()


def _degrees(x: Any, pair: Any, product: bool) -> Any:
    clusters = x.shape[1]
    joined = [
        (x[:, a, None] * x[:, b] if product else np.minimum(x[:, a, None], x[:, b]))[pair]
        for a in range(clusters)
        for b in range(clusters)
    ]
    same, apart = joined[:: clusters + 1], [z for k, z in enumerate(joined) if k % (clusters + 1)]
    return [sum(z) if product else np.max(z, axis=0) for z in (same, apart)]


def _relations(kind: str, x: Any, pair: Any) -> Any:
    """Together, apart, unknown, impossible of each pair."""
    if kind == "fuzzy":
        same = (x @ x.T)[pair]
        return same, 1 - same, 0 * same, 0 * same
    if kind == "evidential":
        sets = [set(one) for one in SETS]
        alone = [k for k, one in enumerate(sets) if len(one) == 1]
        apart = np.array([[bool(a and b and not a & b) for b in sets] for a in sets], x.dtype)
        known = 1 - x[:, 0]
        same, whole = (x[:, alone] @ x[:, alone].T)[pair], np.outer(known, known)[pair]
        different = (x @ apart @ x.T)[pair]
        return same, different, whole - same - different, 1 - whole
    order = np.argsort(-x, axis=1)
    level = np.take_along_axis(x, order, 1)
    step = level - np.column_stack([level[:, 1:], np.zeros(len(x), x.dtype)])
    inside = np.zeros((x.shape[1], *x.shape), bool)  # levels x rows x clusters
    for k in range(x.shape[1]):
        inside[k, np.arange(len(x))[:, None], order[:, : k + 1]] = True
    meets = np.zeros((len(x), len(x)), x.dtype)
    same = np.zeros_like(meets)
    for a in range(x.shape[1]):
        for b in range(x.shape[1]):
            share = np.outer(step[:, a], step[:, b])
            shared = inside[a].astype(float) @ inside[b].astype(float).T
            meets += np.where(shared > 0, share, 0)
            if a == b == 0:
                same = np.where(shared > 0, share, 0)
    whole = np.outer(level[:, 0], level[:, 0])
    return same[pair], (whole - meets)[pair], (meets - same)[pair], (1 - whole)[pair]


def _moved(one: Any, other: Any, alpha: float) -> Any:
    """The least cost of turning relations into others, by the plan of the proof."""
    turn = np.where(one[3] >= other[3], 1, -1)
    s, n, t = (turn * (a - b) for a, b in zip(one[:3], other[:3], strict=True))
    surplus = np.maximum(s, 0) + np.maximum(n, 0)
    crossing = np.maximum(0, surplus - np.maximum(-t, 0))
    through = np.minimum(crossing, np.minimum(one[2], other[2]))
    cost = np.abs(one[3] - other[3]) + crossing
    cost = cost + alpha * (surplus + np.maximum(t, 0) - crossing)
    return cost - max(0, 1 - 2 * alpha) * through


def table(n: int, device: str, show: Callable[[str], object] = str) -> str:
    """Seconds of each measure, fused and in tiles, and how far scores are from the definition."""
    pairs, fewer = n * (n - 1) // 2, max(2, n // FEWER)
    lines = [
        f"## Two uncertain clusterings of {n:,} objects on {named(device)}",
        "",
        f"All {pairs:,} pairs of objects; fuzzy and possibilistic clusterings have {CLUSTERS} "
        f"clusters, evidential ones masses on {len(SETS)} sets. Tiles are timed on {fewer:,} "
        f"objects. Deviations are from the definition in extended precision, on {SMALL} objects.",
        "",
        "| measure | kind | clusterings, s | measure, s | pairs/s | same bits again "
        "| tiles, pairs/s | deviation |",
        "|---|---|---:|---:|---:|---|---:|---:|",
    ]
    show("\n".join(lines))
    for case in CASES:
        try:
            lines.append(timed(case, n, device))
        except ImportError as error:  # on a card without all of our packages
            lines.append(f"| `{case.name}` | {case.kind} | not measured: {error} | | | | | |")
        show(lines[-1])
    return "\n".join(lines)


def timed(case: Case, n: int, device: str) -> str:
    """The line of a measure."""
    pairs, fewer = n * (n - 1) // 2, max(2, n // FEWER)
    scored(case, fewer, device)  # compiles
    value, made, took = scored(case, n, device)
    again, _, second = scored(case, n, device)
    alike = "yes" if (ends(value) == ends(again)).all() else "NO"
    tiles = without_kernel(lambda: scored(case, fewer, device))[2]
    exact = by_definition(case, device)
    few = ends(scored(case, SMALL, device)[0])
    off = "" if exact is None else f"{float(np.abs(few - exact).max()):.1e}"
    took = min(took, second)
    return (
        f"| `{case.name}` | {case.kind} | {made:.2f} | {took:.3f} | {pairs / took:.2e} | {alike} "
        f"| {fewer * (fewer - 1) / 2 / tiles:.2e} | {off} |"
    )


def named(device: str) -> str:
    import torch

    return "the CPU" if device == "cpu" else torch.cuda.get_device_name()


SHAPES = [
    (64, 8, 64), (64, 4, 64), (64, 4, 1), (32, 4, 32), (32, 4, 1), (32, 2, 32), (32, 2, 1),
    (16, 1, 16), (16, 1, 1),
]  # fmt: skip
"""Rows of a block, warps, columns of sums."""


def tune(n: int) -> None:
    """Seconds of shapes of the kernel."""
    from clusterdiff.measures import soft_on_device as fused

    shapes = dict(fused.SHAPES), fused.SHAPE
    for case in CASES[:4] + CASES[6:8] + CASES[9:10]:
        for shape in SHAPES if case == CASES[0] else SHAPES[3:]:
            fused.SHAPES, fused.SHAPE = {}, shape
            try:
                took = min(scored(case, n, "cuda")[2] for _ in range(2))
                print(f"{case.name:<16} {case.kind:<13} {shape!s:<12} {took:.3f} s", flush=True)
            except Exception as error:  # a shape that the card cannot do
                print(f"{case.name:<16} {case.kind:<13} {shape!s:<12} {error}"[:200], flush=True)
    fused.SHAPES, fused.SHAPE = shapes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--tune", action="store_true")
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("There is no PyTorch here: nothing is measured.")
        return
    if given.device != "cpu" and not torch.cuda.is_available():
        print("There is no graphics card here: nothing is measured; --device cpu tries it out.")
        return
    if given.device == "cpu":
        from clusterdiff.clusterings import arrays as tensors

        tensors.DEVICES.add("cpu")
    if given.tune:
        tune(given.objects // 8)
        return
    table(given.objects, given.device, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
