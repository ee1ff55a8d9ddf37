"""What is moved between clusters, added up over objects on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.encode.device_rows import mixed, on_host
from clusterdiff.clusterings.possibilistic import Nested
from clusterdiff.measures.soft.device.combine import Known, alpha_parts, at_alpha
from clusterdiff.measures.soft.device.sides import degrees_of_side, of_nested, rows_of_side
from clusterdiff.meet import SoftMeet, SoftSide
from clusterdiff.progress import progress

CELLS = 1 << 24
"""Rows x clusters x clusters that are worked on at a time."""


def moving_costs(m: SoftMeet, alphas: Sequence[float]) -> Floats:
    """For each alpha, clusters of truth x clusters of guess that hold any mass: what is moved if
    the one stands for the other. The side with fewer is filled up with clusters that hold nothing.
    """
    import torch

    sides = [_clusters(side) for side in (m.truth, m.guess)]
    clusters = max(single.shape[1] for single, _, _ in sides)
    one, other = (
        [torch.nn.functional.pad(each, (0, clusters - each.shape[1])) for each in side[:2]]
        + [side[2]]
        for side in sides
    )
    weight = torch.from_numpy(m.both).to(one[2])
    total = torch.zeros((3, clusters, clusters), dtype=weight.dtype, device=weight.device)
    rows = max(1, CELLS // max(1, clusters**2))
    with torch.no_grad(), progress("rows", m.rows) as advance:
        for at in range(0, m.rows, rows):
            part = slice(at, at + rows)
            found = alpha_parts(_known(one, part, 2), _known(other, part, 1))
            total += torch.stack([torch.tensordot(weight[part], each, 1) for each in found])
            advance(len(weight[part]))
    return np.array([on_host(at_alpha(total, alpha)) for alpha in alphas])


def _clusters(side: SoftSide) -> tuple[Any, Any, Any]:
    """Rows x clusters that hold any mass: the mass on the cluster alone, and on sets that hold it;
    and the mass of each row that is not on the empty set.
    """
    m, plausible = side.masses, degrees_of_side(side)
    if isinstance(m, Nested):
        nested = of_nested(plausible)
        single, known = nested.values.T, nested.known
    else:
        rows = rows_of_side(side)
        single = mixed(rows, m.alone)
        known = mixed(rows, (m.focal.size > 0)[:, None])[:, 0]
    held = (plausible > 0).any(dim=0)
    return single[:, held], plausible[:, held], known


def _known(side: list[Any], part: slice, new: int) -> Known:
    """What is known of "is it in this cluster", with a new axis for the clusters of the other."""
    single, plausible, known = (each[part] for each in side)
    whole = known[:, None].expand_as(single)
    return Known(*(each.unsqueeze(new) for each in (single, whole - plausible, whole)))
