"""The meet of two covers on a device: codes of sets of clusters are matched and counted there."""

from __future__ import annotations

from typing import Any

from clusterdiff.backends.alignment import Fate, plan_of
from clusterdiff.backends.memory.cover import in_order_of_clusters, lifted
from clusterdiff.backends.torch.hard import pairs_of
from clusterdiff.backends.torch.objects import matched
from clusterdiff.backends.torch.tensors import enough_memory, in_memory, torch
from clusterdiff.clusterings import Cover, Partition
from clusterdiff.errors.devices import DeviceError
from clusterdiff.meet import CoverMeet, Policy


def meet_covers(
    truth: Partition | Cover, guess: Partition | Cover, policy: Policy
) -> CoverMeet | None:
    """The meet of two covers, partitions lifted; None where objects are noise or on one side only,
    which is for the engine in memory to settle.
    """
    plan = plan_of(policy, truth.kind, guess.kind)
    if plan.noise is not Fate.KEPT:
        return None
    left, right = lifted("truth", truth, plan), lifted("guess", guess, plan)
    device = _device(left, right)
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


def _device(*sides: Cover) -> Any:
    found = [side.tensor.device for side in sides if side.tensor is not None]
    if found[0] != found[-1]:
        raise DeviceError.from_two(str(found[0]), str(found[-1]))
    return found[0]
