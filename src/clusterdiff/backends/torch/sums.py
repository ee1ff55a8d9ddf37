"""Sums over rows on a device that come out to the bit as those in memory do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.backends.torch.tensors import sums_of, torch
from clusterdiff.meet.exact_sums import cut_at


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
