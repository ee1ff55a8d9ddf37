"""What one clustering says of rows, laid out on a device for sums over pairs of rows.

A relation of two rows is made of few numbers, each a sum over columns of something of the one row
and something of the other: products (together by single clusters, apart by sets that exclude each
other), least degrees, differences. Columns lie one after the other, rows of a column side by side.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.device_rows import mixed
from clusterdiff.clusterings.possibilistic import Nested
from clusterdiff.meet import SoftSide

Relating = Literal["singles", "sets", "nested", "form", "half_l1", "max", "norms", "bounded"]
"""How a relation is made of the columns:

* singles: together by `values`, apart in the rest of `known`;
* sets: together by `values`, apart by `against` of the one and `mass` of the other;
* nested: together by `values`; apart unless the degrees of a cluster, `mass`, meet: `against` has
  the steps of the one row down to 0, in the `order` of its clusters;
* form: one number, by `against` of the one and `mass` of the other;
* half_l1, max: the distance of `values`;
* norms: a t-norm and a t-conorm over `values`; for the largest, `mass` has the first two of a row
  and `order` which cluster is first;
* bounded: the same for product and bounded sum, where `known` are the sums of rows.
"""


class DeviceSide(NamedTuple):
    """Columns x rows of each number; what a way of relating does not need has no columns."""

    relating: Relating
    values: Any
    against: Any
    mass: Any
    known: Any
    order: Any

    @property
    def columns(self) -> int:
        """How many columns a pair of rows goes through."""
        return len(self.values) + len(self.mass)


def side_of(
    relating: Relating, values: Any, against: Any = None, mass: Any = None, known: Any = None,
    order: Any = None,
) -> DeviceSide:  # fmt: skip
    """A side of rows x columns of each number."""
    import torch

    like = next(one for one in (values, against) if one is not None)
    if known is None:
        known = torch.ones(len(like), dtype=like.dtype, device=like.device)
    none = torch.zeros((0, len(like)), dtype=like.dtype, device=like.device)
    laid = [none if one is None else one.T.contiguous() for one in (values, against, mass)]
    places = none.to(torch.int32) if order is None else order.T.to(torch.int32).contiguous()
    return DeviceSide(relating, laid[0], laid[1], laid[2], known.contiguous(), places)


def rows_of_side(side: SoftSide) -> Any:
    """The degrees or masses of each row of a meet, on their device."""
    import torch

    tensor = side.masses.tensor
    if side.row.size == len(tensor) and bool((np.diff(side.row, prepend=-1) == 1).all()):
        return tensor
    return tensor[torch.from_numpy(side.row).to(tensor.device)]


def degrees_of_side(side: SoftSide) -> Any:
    """The degree of each row for each cluster."""
    rows = rows_of_side(side)
    return rows if isinstance(side.masses, Nested) else mixed(rows, side.masses.member)


def of_masses(side: SoftSide) -> DeviceSide:
    """How rows are together and apart by their masses."""
    m, rows = side.masses, rows_of_side(side)
    if isinstance(m, Nested):
        return of_nested(rows)
    single = mixed(rows, m.alone)
    known = 1.0 - mixed(rows, (m.focal.size == 0).astype(np.float64)[:, None])[:, 0]
    if m.bayesian:
        return side_of("singles", single, known=known)
    excluding = np.flatnonzero(m.disjoint.any(axis=0))
    mass = rows[:, excluding.tolist()]
    against = mixed(mass, m.disjoint[np.ix_(excluding, excluding)])
    return side_of("sets", single, against, mass, known)


def of_nested(degree: Any) -> DeviceSide:
    """How rows are together and apart by nested sets, of which a row has one for each level.

    Two levels, one of each row, meet in no cluster unless they are below both degrees of one: apart
    is what the rectangles [0, x_k] x [0, y_k] leave of [0, max x] x [0, max y].
    """
    import torch

    level, order = degree.sort(dim=1, descending=True, stable=True)
    below = torch.cat([level[:, 1:], torch.zeros_like(level[:, :1])], dim=1)
    step = level - below
    single = torch.zeros_like(degree).scatter(1, order[:, :1], step[:, :1])
    known = level[:, 0] if degree.shape[1] else torch.zeros_like(degree.sum(dim=1))
    return side_of("nested", single, step, degree, known, order)


def no_ignorance(*sides: DeviceSide) -> bool:
    """Whether all rows have all of their mass on single clusters."""
    return all(side.relating == "singles" and bool((side.known >= 1.0).all()) for side in sides)


def difference(one: DeviceSide, other: DeviceSide) -> DeviceSide:
    """The difference of what both sides have by `values`, as one sum of products."""
    import torch

    return one._replace(
        relating="form",
        values=one.values[:0],
        against=torch.cat([one.values, -other.values]),
        mass=torch.cat([one.values, other.values]),
    )


def of_cosines(degree: Any) -> DeviceSide:
    """Rows whose products are the cosines; two rows of zeros are as near as can be."""
    import torch

    length = torch.linalg.vector_norm(degree, dim=1, keepdim=True)
    nothing = length == 0
    return side_of("singles", torch.cat([degree / (length + nothing), nothing.to(degree)], dim=1))


def of_norms(degree: Any, tnorm: str, conorm: str) -> DeviceSide:
    """Rows whose degrees are joined by norms."""
    import torch

    if (tnorm, conorm) == ("product", "bounded_sum"):
        return side_of("bounded", degree, known=degree.sum(dim=1))
    if conorm != "max" or not degree.shape[1]:
        return side_of("norms", degree)
    wide = torch.cat([degree, torch.zeros_like(degree[:, :1])], dim=1)
    first, place = wide.topk(2, dim=1)
    return side_of("norms", degree, mass=first, order=place[:, :1])
