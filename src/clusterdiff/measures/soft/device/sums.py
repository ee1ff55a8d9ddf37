"""Sums over pairs of rows of a meet whose sides lie on one device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from math import fsum
from typing import Any, Literal

from clusterdiff.clusterings.encode.device_rows import memory_for
from clusterdiff.errors import shorten
from clusterdiff.errors.warn import warn
from clusterdiff.measures.soft.device.combine import Combining, Norms, at_alpha
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

COPIES = 8
"""Times the input that columns, filled up, and what is made of them take, with room to spare."""
NORMS = Norms()


def summed_distances(m: SoftMeet, kind: Combining, alphas: Sequence[float]) -> list[float]:
    """Sums over all pairs of objects of a distance of their relations, one for each alpha."""
    with memory_for(m.truth.masses.tensor, COPIES):
        sides = [of_masses(m.truth), of_masses(m.guess)]
        if no_ignorance(*sides):  # then each distance is how much the chances to be together differ
            return _summed(m, "size", [difference(*sides)]) * len(alphas)
        found = _summed(m, kind, sides)
        return [at_alpha(found, alpha) for alpha in alphas] if kind == "alpha" else found


def summed_differences(m: SoftMeet, distance: Literal["half_l1", "max", "cosine"]) -> float:
    """The sum over pairs of how much their distances differ."""
    with memory_for(m.truth.masses.tensor, COPIES):
        rows = [degrees_of_side(side) for side in (m.truth, m.guess)]
        if distance == "cosine":
            return _summed(m, "size", [difference(*map(of_cosines, rows))])[0]
        return _summed(m, "gap", [side_of(distance, one) for one in rows])[0]


def summed_agreement(m: SoftMeet, tnorm: str, conorm: str) -> list[float]:
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""
    with memory_for(m.truth.masses.tensor, COPIES):
        sides = [of_norms(degrees_of_side(side), tnorm, conorm) for side in (m.truth, m.guess)]
        return _summed(m, "agreement", sides, Norms(tnorm, conorm))


def _summed(
    m: SoftMeet, combining: Combining, sides: list[DeviceSide], norms: Norms = NORMS
) -> list[float]:
    import torch

    return pair_sums(combining, sides, torch.from_numpy(m.both).to(sides[0].known), norms)


def has_kernel(weight: Any) -> bool:
    """Whether there is a graphics card, and Triton to compile for it."""
    return bool(weight.is_cuda) and find_spec("triton") is not None


def pair_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms = NORMS
) -> list[float]:
    """Sums over all pairs of rows, the same to the last bit from run to run: by the fused kernel
    on a graphics card with Triton, else in tiles.
    """
    import torch

    if has_kernel(weight):
        from clusterdiff.measures.soft.device.fused import fused_sums

        try:
            return collected(fused_sums(combining, sides, weight, norms), len(weight))
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # a card, or a Triton, that cannot do it
            why = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 160)
            warn(f"the fused kernel does not run here ({why}); tiles are slower.", RuntimeWarning)
    return collected(tile_sums(combining, sides, weight, norms), len(weight))


def collected(parts: Iterator[tuple[int, Any]], rows: int) -> list[float]:
    """The sums of all parts, which come one after the other: an interrupt waits for one."""
    import torch

    found: list[list[float]] = []
    with torch.no_grad(), progress("pairs of rows", rows) as advance:
        for done, sums in parts:
            found += sums.tolist()
            advance(done)
    return [fsum(column) for column in zip(*found, strict=True)]
