"""Sums over pairs of rows of a meet whose sides lie on one device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from itertools import product
from math import fsum
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.possibilistic import Nested
from clusterdiff.clusterings.tensors import memory_for, mixed, on_host
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.errors import shorten, warn
from clusterdiff.measures.fuzzy import ROUNDING, CoNorm, TNorm
from clusterdiff.measures.triton_kernel import ready
from clusterdiff.progress import progress

# What one clustering says of rows, laid out on a device for sums over pairs of rows.
#
# A relation of two rows is made of few numbers, each a sum over columns of something of the one
# row and something of the other: products (together by single clusters, apart by sets that exclude
# each other), least degrees, differences. Columns lie one after the other, rows of a column side
# by side.

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


# What is added up over pairs of rows, of relations that are tensors.

Combining = Literal["alpha", "belief", "jousselme", "size", "gap", "agreement"]
SUMS: dict[Combining, int] = {
    "alpha": 3, "belief": 1, "jousselme": 1, "size": 1, "gap": 1, "agreement": 4,
}  # fmt: skip
"""How many sums there are: for every alpha, three are enough."""


class Norms(NamedTuple):
    """A t-norm and a t-conorm."""

    tnorm: str = "min"
    conorm: str = "max"


class Known(NamedTuple):
    """Masses of relations: together, apart, and all that is not impossible."""

    same: Any
    apart: Any
    known: Any


def alpha_parts(one: Known, other: Known) -> tuple[Any, Any, Any]:
    """What turning one relation into the other costs for each alpha: the first, alpha times the
    second, less (1 - 2 alpha) times the third where alpha is below a half.

    What is impossible on one side alone has to be moved at 1. Half the sum of the differences, less
    half of that, is moved otherwise: at alpha what comes from or goes to unknown, the rest at 1, or
    through unknown as far as both sides have some.
    """
    unknown1 = (one.known - one.same - one.apart).clamp(min=0.0)
    unknown2 = (other.known - other.same - other.apart).clamp(min=0.0)
    lost, unknown = (one.known - other.known).abs(), (unknown1 - unknown2).abs()
    differing = (one.same - other.same).abs() + (one.apart - other.apart).abs() - lost
    crossing = (0.5 * (differing - unknown)).clamp(min=0.0)
    moved = 0.5 * (differing + unknown) - crossing
    return lost + crossing, moved, crossing.minimum(unknown1).minimum(unknown2)


def at_alpha(parts: Any, alpha: float) -> Any:
    """The cost for one alpha, of its three parts."""
    return parts[0] + alpha * parts[1] - max(0.0, 1.0 - 2.0 * alpha) * parts[2]


def combined(combining: Combining, one: Known, other: Known, norms: Norms) -> Any:
    """What a pair of rows adds to each sum."""
    if combining == "size":
        return (one.same.abs(),)
    if combining == "alpha":
        return alpha_parts(one, other)
    if combining == "gap":
        return ((one.same - other.same).abs(),)
    if combining == "agreement":
        ways = product((one.same, one.apart), (other.same, other.apart))
        return tuple(both(norms.tnorm, *way) for way in ways)
    same, apart = one.same - other.same, one.apart - other.apart
    empty = other.known - one.known
    if combining == "belief":
        return (0.5 * (same.abs() + apart.abs() + empty.abs()),)
    unknown = -(same + apart + empty)
    squared = same * same + apart * apart + unknown * unknown + empty * empty
    squared = 0.5 * (squared + (same + apart) * unknown)
    return (squared.clamp(min=0.0).sqrt(),)


def both(tnorm: str, one: Any, other: Any) -> Any:
    """A t-norm."""
    if tnorm == "min":
        return one.minimum(other)
    if tnorm == "product":
        return one * other
    found = one + other - 1.0
    return found * (found > ROUNDING)


def either(conorm: str, one: Any, other: Any) -> Any:
    """A t-conorm."""
    if conorm == "max":
        return one.maximum(other)
    if conorm == "bounded_sum":
        return (one + other).clamp(max=1.0)
    return one + other - one * other


# Sums over pairs of rows in tiles, by operations of PyTorch alone: for every device.

TILE = {"cpu": (128, 4096), "cuda": (2048, 16384)}
"""Rows with rows that are laid out at a time: some megabytes, or some gigabytes."""


def tile_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms,
    tile: tuple[int, int] | None = None,
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Sums over pairs, some rows after the other: how many, and the sums of each tile.

    A pair of rows comes once; a row with itself stands for the pairs of its own objects.
    """
    import torch

    rows, (high, wide) = len(weight), tile or TILE.get(weight.device.type, TILE["cpu"])
    for begin in range(0, rows, high):
        mine = slice(begin, min(begin + high, rows))
        found = []
        for left in range(begin, rows, max(high, wide)):
            others = slice(left, min(left + max(high, wide), rows))
            related = [relate(side, mine, others, norms) for side in sides]
            count = weight[mine, None] * weight[others]
            if left == begin:
                own = weight[mine]
                count.triu_(1).diagonal().copy_(own * (own - 1) / 2)
            values = combined(combining, related[0], related[-1], norms)
            found.append(torch.stack([(one * count).sum() for one in values]))
        yield mine.stop - begin, torch.stack(found)


def relate(side: DeviceSide, mine: slice, others: slice, norms: Norms) -> Known:
    """The relations of some rows with others."""
    if side.relating in ("half_l1", "max"):
        found = _apart(side, mine, others)
        return Known(found, found, found)
    if side.relating == "norms":
        return _by_norms(side, mine, others, norms)
    if side.relating == "form":
        found = side.against[:, mine].T @ side.mass[:, others]
        return Known(found, found, found)
    same = side.values[:, mine].T @ side.values[:, others]
    known = side.known[mine, None] * side.known[others]
    if side.relating == "bounded":
        return Known(same.clamp(max=1.0), (known - same).clamp(max=1.0), known)
    if side.relating == "singles":
        return Known(same, known - same, known)
    if side.relating == "sets":
        return Known(same, side.against[:, mine].T @ side.mass[:, others], known)
    return Known(same, known - _meeting(side, mine, others), known)


def _meeting(side: DeviceSide, mine: slice, others: slice) -> Any:
    """The area of the rectangles of nested sets."""
    degree = side.mass[:, others]
    best = area = degree.new_zeros(())
    for step, place in zip(side.against[:, mine], side.order[:, mine].long(), strict=True):
        best = degree[place].maximum(best)
        area = area + step[:, None] * best
    return area


def _apart(side: DeviceSide, mine: slice, others: slice) -> Any:
    """Distances of rows of degrees."""
    found: Any = side.known[mine, None] * side.known[others] * 0.0
    for column in side.values:
        gap = (column[mine, None] - column[others]).abs()
        found = found + 0.5 * gap if side.relating == "half_l1" else found.maximum(gap)
    return found.clamp(max=1.0)


def _by_norms(side: DeviceSide, mine: slice, others: slice, norms: Norms) -> Known:
    """How far rows are together and apart, by a t-norm and a t-conorm.

    The largest over different clusters is among the first two of each row.
    """
    tnorm, conorm = norms
    same: Any = side.known[mine, None] * side.known[others] * 0.0
    apart = same
    for a, column in enumerate(side.values):
        same = either(conorm, same, both(tnorm, column[mine, None], column[others]))
        if not len(side.mass):
            for b, other in enumerate(side.values):
                if a != b:
                    apart = either(conorm, apart, both(tnorm, column[mine, None], other[others]))
    if len(side.mass):
        (first, second), place = side.mass, side.order[0]
        one = both(tnorm, first[mine, None], second[others])
        two = both(tnorm, second[mine, None], first[others])
        best = both(tnorm, first[mine, None], first[others])
        apart = best.where(place[mine, None] != place[others], one.maximum(two))
    return Known(same, apart, same)


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


# Calls of the fused kernel: columns and rows filled up, blocks of rows in turn.

SHAPES = {"size": (64, 4, 64), "gap": (32, 4, 1), "agreement": (32, 4, 1)}
"""Rows of a block, warps, and columns of sums; what is made of rows has to stay in registers."""
SHAPE = (32, 2, 1)
"""The shape for sums that are not named in `SHAPES`."""
DEEP = 64
"""Columns of a matrix product at most; less are filled up to 16, 32 or 64."""
TILES = 64
"""Blocks that a program compares its own with."""
WORK = 1 << 40
"""Pairs times columns of a call: some tenths of a second."""


def fused_sums(
    combining: Combining, sides: list[DeviceSide], weight: Any, norms: Norms, *,
    shape: tuple[int, int, int] | None = None,
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Sums over pairs, some blocks of rows after the other: how many rows, and the sums."""
    import torch

    kernel, rows, many = ready(), len(weight), SUMS[combining]
    side, warps, wide = shape or SHAPES.get(combining, SHAPE)
    filled = [_filled(one, side) for one in sides]
    one, other = filled[0], filled[-1]
    weight = _padded(weight[None], side)[0]
    blocks = len(weight) // side
    tiles = max(1, min(TILES, blocks // TILES))
    chosen = get_args(TNorm).index(norms.tnorm), get_args(CoNorm).index(norms.conorm)
    columns = sum(each.columns for each in filled) * (1 if norms.conorm == "max" else 16)
    at_once = max(1, WORK // (side * max(1, rows) * max(1, columns)))
    for first in range(0, blocks, at_once):
        some = min(at_once, blocks - first)
        strips = -(-(blocks - first) // tiles)
        sums = torch.zeros((some, strips, many), dtype=weight.dtype, device=weight.device)
        with torch.cuda.device(weight.device) if weight.is_cuda else nullcontext():
            kernel[(some, strips)](
                *one[1:], *other[1:], weight, sums, len(weight), first, blocks, strips,
                RELATING1=one.relating, COLUMNS1=len(one.values), SETS1=len(one.mass),
                RELATING2=other.relating, COLUMNS2=len(other.values), SETS2=len(other.mass),
                COMBINING=combining, TNORM=chosen[0], CONORM=chosen[1], SUMS=many,
                SIDE=side, TILES=tiles, WIDE=wide, num_warps=warps,
            )  # fmt: skip
        yield min(rows, (first + some) * side) - first * side, sums.sum(dim=1)


def _filled(given: DeviceSide, side: int) -> DeviceSide:
    """The side with zeros up to whole blocks of rows, and of columns that are multiplied."""
    values = given.relating in ("singles", "sets", "bounded", "nested")
    sets = given.relating in ("sets", "form")
    return given._replace(
        values=_padded(given.values, side, values),
        against=_padded(given.against, side, sets),
        mass=_padded(given.mass, side, sets),
        known=_padded(given.known[None], side)[0],
        order=_padded(given.order, side),
    )


def _padded(values: Any, side: int, multiplied: bool = False) -> Any:
    """Columns x rows with zeros up to whole blocks."""
    import torch

    columns = len(values)
    wide = (
        -(-columns // DEEP) * DEEP
        if columns > DEEP // 2
        else max(16, 1 << (columns - 1).bit_length())
    )
    more = wide - columns if multiplied else 0
    return torch.nn.functional.pad(values, (0, -values.shape[1] % side, 0, more)).contiguous()


# What is moved between clusters, added up over objects on a device.

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
    """The evidence on "is it in this cluster", with a new axis for the clusters of the other."""
    single, plausible, known = (each[part] for each in side)
    whole = known[:, None].expand_as(single)
    return Known(*(each.unsqueeze(new) for each in (single, whole - plausible, whole)))
