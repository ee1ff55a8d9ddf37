"""What the backend asks of PyTorch beyond its functions: keys, numbers, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings import AnyClustering, Clustering, Cover, Partition
from clusterdiff.clusterings.columns import Column
from clusterdiff.clusterings.tensors import TensorColumn
from clusterdiff.contingency import Alignment, CoverMeet, Policy
from clusterdiff.contingency.exact_sums import cut_at
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.memory import in_order_of_clusters, lifted, match
from clusterdiff.errors import DeviceMemoryNeeded, InputError

torch: Any = import_module("torch")

MOST = 2**63
"""What a key is below."""
PART = 2**30
"""Keys that are sorted at a time: PyTorch numbers those it sorts with 31 bits."""
LONGEST = 2**31 - 1
"""Objects that PyTorch numbers, or takes some of."""
EACH = 48
"""Bytes that an object takes while keys are sorted and counted."""


class Span(NamedTuple):
    """Whole numbers, the least of them, and how many lie from it to the greatest."""

    values: Any
    low: int
    wide: int

    @classmethod
    def of(cls, values: Any) -> Span:
        """Of numbers that are looked at."""
        if not values.numel():
            return cls(values, 0, 1)
        low, high = (int(end) for end in _ends(values))
        return cls(values, low, high - low + 1)

    def numbered(self) -> Span:
        """Numbers from 0 on in the same order, without gaps."""
        found, codes = torch.unique(self.values, return_inverse=True)
        return Span(codes, 0, max(found.numel(), 1))


def _ends(values: Any) -> Any:
    return torch.aminmax(values.to(torch.uint8) if values.dtype == torch.bool else values)


def distinct(keys: Any) -> tuple[Any, Any]:
    """Distinct keys in ascending order, and how often each occurs."""
    found, counts = torch.unique(keys, return_counts=True)
    return found, counts


def sums_of(groups: Any, values: Any, size: int) -> Any:
    """The sum of the values of each group."""
    sums = torch.zeros(size, dtype=values.dtype, device=values.device)
    return sums.index_add_(0, groups, values)


def runs(ordered: Any) -> Any:
    """For numbers in ascending order: 0, 1, …, equal exactly where they are."""
    changes = torch.zeros_like(ordered, dtype=torch.int64)
    changes[1:] = ordered[1:] != ordered[:-1]
    return changes.cumsum_(0)


def narrow(values: Any) -> Any:
    """Numbers in half as many bytes, where they fit."""
    fits = not values.numel() or int(values.max()) < 2**31
    return values.to(torch.int32) if fits else values


def in_memory(values: Any) -> Any:
    """A tensor as an array of NumPy, of whole numbers of 64 bits."""
    return values.to("cpu").to(torch.int64).numpy()


def free_memory(device: Any) -> int | None:
    """Bytes that are left on a device, also within what PyTorch holds; None if it is the host."""
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free + held)


@contextmanager
def enough_memory(objects: int, device: Any) -> Iterator[None]:
    """Say in a sentence that the memory of a device is not enough."""
    try:
        yield
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        left = free_memory(device) or 0
        need = objects * EACH
        raise DeviceMemoryNeeded.on(str(device), objects, need, left) from None


# The cells of two partitions on a device: labels packed into keys, sorted, counted in runs.
#
# What agrees is a histogram of sizes. The rows in conflict stay where they are; what most measures
# need of them, the shapes, is counted there.


class Conflict(NamedTuple):
    """Rows in conflict, on the device: objects, and of both sides the cluster and its size.

    Clusters are numbered from 0 on, -1 is "missing on this side".
    """

    both: Any
    truth: Any
    guess: Any
    truth_size: Any
    guess_size: Any

    def swap(self) -> Conflict:
        """The rows with truth and guess exchanged."""
        return Conflict(self.both, self.guess, self.truth, self.guess_size, self.truth_size)


class DeviceCells:
    """Clusters that agree, by size, in memory; and rows in conflict, on the device."""

    def __init__(self, size: Ints, count: Ints, conflict: Conflict) -> None:
        self.size, self.count, self.conflict = size, count, conflict

    def __len__(self) -> int:
        return self.size.size + int(self.conflict.both.numel())

    def swap(self) -> DeviceCells:
        """The cells with truth and guess exchanged."""
        return DeviceCells(self.size, self.count, self.conflict.swap())

    @cached_property
    def shapes(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Distinct (both, truth size, guess size) of the rows in conflict, and how often each
        occurs.
        """
        rows = self.conflict
        columns = [Span.of(c.long()) for c in (rows.both, rows.truth_size, rows.guess_size)]
        if columns[0].wide * columns[1].wide * columns[2].wide >= MOST:
            tables = [torch.unique(c.values, return_inverse=True) for c in columns]
        else:
            tables = [(None, c.values - c.low) for c in columns]
        wides = [
            c.wide if t is None else t.numel() for c, (t, _) in zip(columns, tables, strict=True)
        ]
        keys, times = distinct((tables[0][1] * wides[1] + tables[1][1]) * wides[2] + tables[2][1])
        rest, third = keys // wides[2], keys % wides[2]
        codes = (rest // wides[1], rest % wides[1], third)
        found = [
            in_memory(c + span.low if table is None else table[c])
            for c, (table, _), span in zip(codes, tables, columns, strict=True)
        ]
        return found[0], found[1], found[2], in_memory(times)

    def columns(self) -> dict[str, Ints]:
        """All rows in memory, as `HardMeet` has them."""
        rows, many = self.conflict, self.size.size
        own = np.arange(many)

        def column(agreeing: Ints, rest: Any) -> Ints:
            made = np.empty(len(self), np.int64)
            made[:many] = agreeing
            torch.from_numpy(made)[many:] = rest
            return made

        def named(cluster: Any) -> Ints:
            return column(own, torch.where(cluster < 0, -1, cluster.long() + many))

        return {
            "both": column(self.size, rows.both.long()),
            "truth_size": column(self.size, rows.truth_size.long()),
            "guess_size": column(self.size, rows.guess_size.long()),
            "times": column(self.count, 1),
            "truth": named(rows.truth),
            "guess": named(rows.guess),
        }


def cells_of(truth: Any, guess: Any, missing: bool = False) -> DeviceCells | None:
    """The cells of two columns of whole numbers; with `missing`, -1 is no cluster. None where there
    are too many that lie too far apart.
    """
    left, right = Span.of(truth), Span.of(guess)
    if left.wide * right.wide >= MOST:
        if truth.numel() > LONGEST:
            return None
        left, right = _packable(left, right, missing)
    keys, both = _counted(left, right)
    first = torch.div(keys, right.wide, rounding_mode="floor").long()
    second = keys - first * right.wide
    del keys
    absent = (missing and left.low < 0, missing and right.low < 0)
    first = runs(first)
    if right.wide > max(4096, 4 * both.numel()):
        second = Span(second, 0, right.wide).numbered().values
    sizes = [_sizes(first, both, absent[0]), _sizes(second, both, absent[1])]
    agree = (both == sizes[0]) & (both == sizes[1])
    size, count = distinct(both[agree])
    rest = (~agree).nonzero().squeeze(1)
    del agree
    both = narrow(both[rest])
    sizes = [narrow(one[rest]) for one in sizes]
    first, second = runs(first[rest]), _dense(second[rest])
    clusters = [
        narrow(one - int(shift)) for one, shift in zip((first, second), absent, strict=True)
    ]
    conflict = Conflict(both, clusters[0], clusters[1], sizes[0], sizes[1])
    return DeviceCells(in_memory(size), in_memory(count), conflict)


def pairs_of(truth: Any, guess: Any) -> tuple[Any, Any, Any]:
    """Distinct pairs of two columns of whole numbers, and how often each occurs."""
    spans = Span.of(truth), Span.of(guess)
    if spans[0].wide * spans[1].wide < MOST:
        keys, count = _counted(*spans)
        first = torch.div(keys, spans[1].wide, rounding_mode="floor").long()
        return first + spans[0].low, keys - first * spans[1].wide + spans[1].low, count
    tables = [torch.unique(side, return_inverse=True) for side in (truth, guess)]
    first, second, count = pairs_of(tables[0][1], tables[1][1])
    return tables[0][0][first], tables[1][0][second], count


def _packable(left: Span, right: Span, missing: bool) -> tuple[Span, Span]:
    """Spans whose pairs fit a key; numbered where they do not, the wider first."""
    for _ in range(2):
        if left.wide * right.wide < MOST:
            break
        if left.wide >= right.wide:
            left = _numbered_span(left, missing)
        else:
            right = _numbered_span(right, missing)
    return left, right


def _numbered_span(span: Span, missing: bool) -> Span:
    made, shift = span.numbered(), int(missing and span.low < 0)
    return Span(made.values - shift, -shift, made.wide)


def _counted(left: Span, right: Span) -> tuple[Any, Any]:
    """Keys of the pairs that occur, in ascending order, and how often each does."""
    objects = left.values.numel()
    free = free_memory(left.values.device)
    step = PART if free is None else max(1, min(PART, free // EACH))
    short = left.wide * right.wide < 2**31
    found = []
    for begin in range(0, objects, step):
        keys = left.values[begin : begin + step].to(torch.int64, copy=True)
        keys -= left.low
        keys *= right.wide
        keys += right.values[begin : begin + step]
        keys -= right.low
        found.append(distinct(keys.to(torch.int32) if short else keys))
        del keys
    if len(found) == 1:
        return found[0]
    keys, codes = torch.unique(torch.cat([one for one, _ in found]), return_inverse=True)
    return keys, sums_of(codes, torch.cat([many for _, many in found]), keys.numel())


def _sizes(cluster: Any, both: Any, absent: bool) -> Any:
    """The size of the cluster of each row, 0 where the cluster is missing: it is the first."""
    sums = sums_of(cluster, both, int(cluster.max()) + 1)
    if absent:
        sums[0] = 0
    return sums[cluster]


def _dense(cluster: Any) -> Any:
    """Numbers from 0 on without gaps; the first stays the first."""
    if not cluster.numel():
        return cluster
    seen = torch.zeros(int(cluster.max()) + 1, dtype=torch.int64, device=cluster.device)
    seen[cluster] = 1
    return (seen.cumsum_(0) - 1)[cluster]


# Which objects are compared, on a device: matched by id or position, noise and gaps settled.
#
# What `engines/memory.py` does with arrays. What a plan refuses is not worded here:
# where something is to be refused, nothing is returned, and the arrays in memory say what it is.


class DeviceObjects(NamedTuple):
    """The truth and guess cluster of each object that is compared, as whole numbers."""

    truth: Any
    guess: Any
    alignment: Alignment
    missing: bool = False
    """Whether -1 is no cluster; else it is a label as others are."""


class DevicePlaces(NamedTuple):
    """Positions of the objects that both sides have, and of those that one has alone; None where
    both list the same objects in the same order.
    """

    truth: Any
    guess: Any
    only_truth: Any
    only_guess: Any

    def of_all(self, one_sided: bool) -> tuple[Any, Any]:
        """Where each object that is compared stands in truth and in guess, -1 where it does not."""
        if not one_sided or self.truth is None:
            return self.truth, self.guess
        gaps = [torch.full_like(alone, -1) for alone in (self.only_truth, self.only_guess)]
        return (
            torch.cat([self.truth, self.only_truth, gaps[1]]),
            torch.cat([self.guess, gaps[0], self.only_guess]),
        )


def objects_on(
    device: Any, truth: Partition, guess: Partition, plan: AlignmentPlan
) -> DeviceObjects | None:
    """All objects that are compared; None where something is to be refused, or where there are too
    many to be matched here.
    """
    longest = max(len(truth), len(guess))
    plain = truth.ids is None and guess.ids is None and plan.noise is Fate.KEPT
    if not len(truth) or not len(guess) or (longest > LONGEST and not plain):
        return None
    found = matched(device, truth, guess)
    if found is None or _is_refused(found, truth, guess, plan):
        return None
    repeats = truth.repeats + guess.repeats
    keys = [keys_on(device, side.labels) for side in (truth, guess)]
    if found.truth is None and plan.noise is Fate.KEPT:
        return DeviceObjects(keys[0], keys[1], plan.alignment(repeats=repeats))
    where = found.of_all(plan.one_sided)
    noise = [_noise(device, side.labels, plan) for side in (truth, guess)]
    left, right = (_numbered_keys(*side, plan) for side in zip(keys, noise, where, strict=True))
    noisy = left[1] | right[1]
    alone = (found.only_truth.numel(), found.only_guess.numel())
    alignment = plan.alignment(*alone, int(noisy.sum()), repeats)
    if plan.lacked is Fate.DROPPED and alone[1] > found.guess.numel():
        alignment = replace(alignment, cut=_cut(keys[1], found.guess))
    clusters = left[0], right[0]
    if plan.noise is Fate.DROPPED:
        kept = (~noisy).nonzero().squeeze(1)
        if not kept.numel():
            return None
        clusters = clusters[0][kept], clusters[1][kept]
    return DeviceObjects(*clusters, alignment, missing=True)


def matched(device: Any, truth: Clustering, guess: Clustering) -> DevicePlaces | None:
    """Objects matched by id where both have ids, by position where neither has."""
    none = torch.zeros(0, dtype=torch.int64, device=device)
    if truth.ids is None and guess.ids is None:
        same = len(truth) == len(guess)
        return DevicePlaces(None, None, none, none) if same else None
    if truth.ids is None or guess.ids is None:
        return None
    if truth.ids.family == guess.ids.family == "integers":
        return _by_ids(keys_on(device, truth.ids), keys_on(device, guess.ids), none)
    places = match(truth, guess)
    if places.truth is None:
        return DevicePlaces(None, None, none, none)
    return DevicePlaces(*(torch.as_tensor(one, device=device) for one in places))


def _by_ids(truth: Any, guess: Any, none: Any) -> DevicePlaces:
    """Objects of two columns of distinct whole numbers."""
    if truth.numel() == guess.numel() and bool((truth == guess).all()):
        return DevicePlaces(None, None, none, none)
    ordered, order = truth.long().sort()
    guess = guess.long()
    place = torch.searchsorted(ordered, guess).clamp_(max=ordered.numel() - 1)
    shared = ordered[place] == guess
    in_truth, in_guess = order[place[shared]], shared.nonzero().squeeze(1)
    seen = torch.zeros_like(ordered, dtype=torch.bool)
    seen[in_truth] = True
    return DevicePlaces(
        in_truth, in_guess, (~seen).nonzero().squeeze(1), (~shared).nonzero().squeeze(1)
    )


def _is_refused(
    found: DevicePlaces, truth: Partition, guess: Partition, plan: AlignmentPlan
) -> bool:
    """Whether objects that one side lacks, or labels that are null, are no comparison."""
    alone = (found.only_truth.numel(), found.only_guess.numel())
    if any(alone) and (plan.lacked is Fate.REFUSED or alone[0] == len(truth)):
        return True
    nulls = plan.null("partition") is Fate.REFUSED
    return nulls and any(side.labels.nulls() is not None for side in (truth, guess))


def keys_on(device: Any, labels: Column) -> Any:
    """One whole number per value, equal exactly when the values are, on the device."""
    found = labels.key_tensor if isinstance(labels, TensorColumn) else labels.keys
    return torch.as_tensor(found, device=device)


def _noise(device: Any, labels: Column, plan: AlignmentPlan) -> Any:
    """Which labels mean noise."""
    if not isinstance(labels, TensorColumn):
        return torch.as_tensor(plan.policy.means_noise(labels), device=device)
    found = torch.zeros(len(labels), dtype=torch.bool, device=device)
    for mask in map(labels.which, plan.labels):
        found |= False if mask is None else mask
    return found


def _numbered_keys(keys: Any, noise: Any, position: Any, plan: AlignmentPlan) -> tuple[Any, Any]:
    """Clusters of the objects at these positions from 0 on, -1 for missing, and which are noise."""
    span = Span.of(keys)
    if span.wide >= MOST // 4:
        span = span.numbered()
    code = span.values.long() - span.low
    if position is not None:
        absent, position = position < 0, position.clamp(min=0)
        code = code[position].masked_fill_(absent, -1)
        noise = noise[position] & ~absent
    lone = torch.zeros_like(noise)
    if plan.noise is Fate.ALONE:
        lone |= noise
    if plan.lacked is Fate.ALONE:
        lone |= code < 0
    own = lone.nonzero().squeeze(1)
    code[own] = torch.arange(span.wide, span.wide + own.numel(), device=code.device)
    return code, noise


def _cut(keys: Any, kept: Any) -> int:
    """Clusters of which some objects are kept and some are not."""
    codes = Span.of(keys).numbered()
    one = torch.ones_like(codes.values)
    inside, whole = (
        sums_of(codes.values[some], one[some], codes.wide) for some in (kept, slice(None))
    )
    return int(((inside > 0) & (inside < whole)).sum())


# The meet of two covers on a device: codes of sets of clusters are matched and counted there.


def meet_covers(truth: AnyClustering, guess: AnyClustering, policy: Policy) -> CoverMeet | None:
    """The meet of two covers, partitions lifted; None where objects are noise or on one side only,
    which is for the engine in memory to settle.
    """
    plan = plan_of(policy, truth.kind, guess.kind)
    if plan.noise is not Fate.KEPT:
        return None
    left, right = lifted("truth", truth, plan), lifted("guess", guess, plan)
    device = _device_of_covers(left, right)
    with enough_memory(len(left), device):
        where = matched(device, left, right)
        if where is None or where.only_truth.numel() or where.only_guess.numel():
            return None
        sides = ((left, where.truth), (right, where.guess))
        first, second, count = map(in_memory, pairs_of(*(_code(device, *side) for side in sides)))
    order = in_order_of_clusters(right.sets, second)
    alignment = plan.alignment(repeats=left.repeats + right.repeats)
    return CoverMeet.of_cells(
        first[order], second[order], count[order], left.sets, right.sets, alignment
    )


def _code(device: Any, side: Cover, position: Any) -> Any:
    code = torch.as_tensor(side.code if side.tensor is None else side.tensor, device=device)
    return code if position is None else code[position]


def _device_of_covers(*sides: Cover) -> Any:
    found = [side.tensor.device for side in sides if side.tensor is not None]
    if found[0] != found[-1]:
        raise InputError.from_devices(str(found[0]), str(found[-1]))
    return found[0]


# Sums over rows on a device that come out to the bit as those in memory do.


def exact_total(terms: Any) -> tuple[int, int]:
    """The sum of floating-point numbers as a whole number times a power of two, exactly."""
    fraction, power = torch.frexp(terms)
    high = torch.floor(fraction * 2.0**26)
    low = ((fraction * 2.0**26 - high) * 2.0**27).long()
    high = high.long()
    present = torch.unique(power).tolist()
    least = min(present, default=0)
    total = 0
    for one in present:
        here = power == one
        up, down = int((high * here).sum()), int((low * here).sum())
        total += ((up << 27) + down) << (one - least)
    return total, least - 53


def looked_up(sizes: Any, function: Any) -> Any:
    """A function of NumPy of whole numbers, asked once for each that occurs."""
    distinct, codes = torch.unique(sizes, return_inverse=True)
    known: Ints = distinct.cpu().numpy().astype(np.int64)
    return torch.as_tensor(function(known), device=sizes.device)[codes]


def group_sums(groups: Any, terms: Any, size: int, largest: float) -> Any:
    """`meet.exact_sums.exact_group_sums` on the device."""
    unit = cut_at(largest)
    upper = torch.round(terms / unit) * unit
    return sums_of(groups, upper, size) + sums_of(groups, terms - upper, size)


def whole_by_entropy(both: Any, cluster: Any, size: Any, log_size: Any) -> Any:
    """For each row, how whole its cluster is, from 0 (all parts single) to 1 (not split)."""
    parts, most = looked_up(both, log_size), looked_up(size, log_size)
    largest = float(most.max()) if most.numel() else 0.0
    many = int(cluster.max()) + 1 if cluster.numel() else 0
    kept = group_sums(cluster, parts, many, largest)[cluster]
    return torch.where(most == 0, 1.0, kept / most)


def mean_of_rows(m: Any, values: Any, agreeing: int) -> float:
    """The mean over objects of a value of each row in conflict, and of one for what agrees."""
    total, power = exact_total(values * m.cells.conflict.both)
    whole = Fraction(agreeing * int((m.cells.size * m.cells.count).sum()))
    objects: int = m.objects
    return float(whole + total * Fraction(2) ** power) / objects


def mixed(x: Any) -> Any:
    """`clusterings.encode.sets.mix` of whole numbers of 64 bits, whose sign is one of the bits."""
    x = (x ^ _shifted(x, 30)) * _signed(0xBF58476D1CE4E5B9)
    x = (x ^ _shifted(x, 27)) * _signed(0x94D049BB133111EB)
    return x ^ _shifted(x, 31)


def _shifted(x: Any, bits: int) -> Any:
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def coloured(truth: Any, guess: Any, both: Any, rounds: int) -> Any:
    """Colours of rows after some rounds in which they take those of their two clusters."""
    colour = mixed(both.long())
    for _ in range(rounds):
        colour = _round(truth, guess, colour)
    return colour


def step_on(device: Any, truth: Ints, guess: Ints) -> Callable[[Hashes], Hashes]:
    """A round of colours of rows in memory, on the device."""
    left, right = (torch.as_tensor(side, device=device) for side in (truth, guess))

    def taken(colour: Hashes) -> Hashes:
        made = _round(left, right, torch.as_tensor(colour.view(np.int64), device=device))
        return np.asarray(made.cpu()).view(np.uint64)

    return taken


def _round(truth: Any, guess: Any, colour: Any) -> Any:
    around = [_around(side.long() + 1, colour) for side in (truth, guess)]
    return mixed(mixed(colour + around[0]) + 3 * around[1])


def _around(cluster: Any, colour: Any) -> Any:
    """For each row the colours of its cluster; the first cluster is none, and has no colour."""
    sums = sums_of(cluster, mixed(colour), int(cluster.max()) + 1)
    sums[0] = 0
    return mixed(sums)[cluster]


def colour_sums(colour: Any) -> Hashes:
    """`meet.identity.digest.salted_sums` of rows that count once."""
    totals = [int(mixed(colour + salt).sum()) for salt in (1, 2)]
    return np.array([total % 2**64 for total in totals], np.uint64)
