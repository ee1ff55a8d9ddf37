"""Sums over pairs of rows of a meet whose sides lie on one device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from math import fsum
from typing import Any

from clusterdiff.measures.soft.device.combine import SUMS, Combining, Norms, at_alpha
from clusterdiff.measures.soft.device.sides import (
    DeviceSide,
    degrees_of_side,
    difference,
    no_ignorance,
    of_cosines,
    of_masses,
    of_norms,
    side_of,
)
from clusterdiff.measures.soft.device.tiles import tile_sums
from clusterdiff.meet import SoftMeet
from clusterdiff.progress import progress

NORMS = Norms()


def summed_distances(m: SoftMeet, kind: Combining, alphas: Sequence[float]) -> list[float]:
    """Sums over all pairs of objects of a distance of their relations, one for each alpha."""
    sides = [of_masses(m.truth), of_masses(m.guess)]
    if no_ignorance(*sides):  # together in one way and apart in the other: all distances are one
        return _summed(m, "size", [difference(*sides)]) * len(alphas)
    found = _summed(m, kind, sides)
    return [at_alpha(found, alpha) for alpha in alphas] if kind == "alpha" else found


def summed_differences(m: SoftMeet, distance: str) -> float:
    """The sum over pairs of how much their distances differ."""
    rows = [degrees_of_side(side) for side in (m.truth, m.guess)]
    if distance == "cosine":
        return _summed(m, "size", [difference(*map(of_cosines, rows))])[0]
    return _summed(m, "gap", [side_of(distance, one) for one in rows])[0]  # type: ignore[arg-type]


def summed_agreement(m: SoftMeet, tnorm: str, conorm: str) -> list[float]:
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""
    sides = [of_norms(degrees_of_side(side), tnorm, conorm) for side in (m.truth, m.guess)]
    return _summed(m, "agreement", sides, Norms(tnorm, conorm))


def _summed(
    m: SoftMeet, combining: Combining, sides: list[DeviceSide], norms: Norms = NORMS
) -> list[float]:
    import torch

    weight = torch.from_numpy(m.both).to(sides[0].known)
    return pair_sums(combining, sides, weight, norms)


def pair_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms = NORMS,
    fused: bool | None = None,
) -> list[float]:  # fmt: skip
    """Sums over all pairs of rows, the same to the last bit from run to run.

    Parts come one after the other: an interrupt waits for one, and a bar shows how many there are.
    """
    import torch

    if fused is None:
        fused = weight.device.type == "cuda" and find_spec("triton") is not None
    with torch.no_grad():
        if fused:
            from clusterdiff.measures.soft.device.fused import fused_sums

            parts = fused_sums(combining, sides, weight, norms)
        else:
            parts = tile_sums(combining, sides, weight, norms)
        found = _collected(parts, len(weight))
    return (
        [fsum(column) for column in zip(*found, strict=True)] if found else [0.0] * SUMS[combining]
    )


def _collected(parts: Iterator[tuple[int, Any]], rows: int) -> list[list[float]]:
    """The sums of all parts."""
    found: list[list[float]] = []
    with progress("pairs of rows", rows) as advance:
        for done, sums in parts:
            found += sums.tolist()
            advance(done)
    return found
