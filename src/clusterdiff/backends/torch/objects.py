"""Which objects are compared, on a device: matched by id or position, noise and gaps settled.

The same as `backends/memory/hard.py` does with arrays. What a plan refuses is not worded here:
where something is to be refused, nothing is returned, and the arrays in memory say what it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from clusterdiff.backends.alignment import AlignmentPlan, Fate
from clusterdiff.backends.memory.match import match
from clusterdiff.backends.torch.tensors import LONGEST, MOST, Span, sums_of, torch
from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.clusterings.encode.column import Column
from clusterdiff.clusterings.encode.tensor_column import TensorColumn
from clusterdiff.meet import Alignment


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
    left, right = (_numbered(*side, plan) for side in zip(keys, noise, where, strict=True))
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


def _numbered(keys: Any, noise: Any, position: Any, plan: AlignmentPlan) -> tuple[Any, Any]:
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
