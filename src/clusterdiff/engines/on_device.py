"""The meet of two partitions whose labels lie on a device: what is asked for comes into memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.columns import Column
from clusterdiff.clusterings.sets import mix
from clusterdiff.clusterings.tensors import TensorColumn
from clusterdiff.contingency import Alignment, HardMeet, Policy, Shapes
from clusterdiff.contingency.digest import (
    LARGE,
    LEAST,
    WORK,
    digest,
    digits,
    of_cluster,
    salted_sums,
    step,
)
from clusterdiff.engines.alignment import plan_of
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from clusterdiff.engines.torch import DeviceCells

COLUMNS = ("both", "truth_size", "guess_size", "times", "truth", "guess")


def is_on_device(*labels: Column) -> bool:
    """Whether the labels of a side lie on a device."""
    return any(isinstance(one, TensorColumn) for one in labels)


def meet_on_device(truth: Partition, guess: Partition, policy: Policy) -> HardMeet | None:
    """The meet of two partitions of which one is on a device, at least; the other is sent there.

    None where something is to be refused, which the engine for arrays has the words for, or where
    objects are more than PyTorch can number.
    """
    from clusterdiff.engines.torch import cells_of, enough_memory, objects_on

    device = _device_of_labels(truth.labels, guess.labels)
    with enough_memory(len(truth), device):
        objects = objects_on(device, truth, guess, plan_of(policy))
        if objects is None:
            return None
        cells = cells_of(objects.truth, objects.guess, objects.missing)
    return None if cells is None else TensorMeet(cells, objects.alignment)


def count_on_device(truth: Column, guess: Column) -> tuple[Ints, Ints, Ints]:
    """Pairs of keys of labels in the order of objects, and how often each occurs, in memory."""
    from clusterdiff.engines.torch import enough_memory, in_memory, keys_on, pairs_of

    device = _device_of_labels(truth, guess)
    with enough_memory(len(truth), device):
        first, second, count = pairs_of(keys_on(device, truth), keys_on(device, guess))
    return in_memory(first), in_memory(second), in_memory(count)


def _device_of_labels(*labels: Column) -> Any:
    found = [one for one in labels if isinstance(one, TensorColumn)]
    if found[0].device != found[-1].device:
        raise InputError.from_devices(found[0].device, found[-1].device)
    return found[0].tensor.device


class TensorMeet(HardMeet):
    """A meet whose rows in conflict stay on the device until a measure asks for them."""

    cells: DeviceCells
    on_device: ClassVar[bool] = True

    def __init__(self, cells: DeviceCells, alignment: Alignment) -> None:
        vars(self).update(cells=cells, alignment=alignment)

    def __getattr__(self, name: str) -> Any:
        if name not in COLUMNS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.in_memory, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.in_memory,)

    @cached_property
    def in_memory(self) -> HardMeet:
        """The meet with all its rows in memory."""
        columns: dict[str, Any] = self.cells.columns()
        return HardMeet(**columns, alignment=self.alignment)

    @cached_property
    def shapes(self) -> Shapes:
        """The rows without their names: distinct sizes, with how often each occurs."""
        from clusterdiff.engines.torch import enough_memory

        with enough_memory(len(self.cells), self.cells.conflict.both.device):
            size, (both, truth, guess, times) = self.cells.size, self.cells.shapes
        return Shapes(
            both=np.concatenate([size, both]),
            truth_size=np.concatenate([size, truth]),
            guess_size=np.concatenate([size, guess]),
            times=np.concatenate([self.cells.count, times]),
            alignment=self.alignment,
        )

    @property
    def rows(self) -> int:
        """How many cells of the table are not empty, repeated ones counted."""
        return int(self.shapes.times.sum())

    @property
    def agreeing(self) -> int:
        """How many clusters truth and guess have alike."""
        return int(self.cells.count.sum())

    @property
    def objects(self) -> int:
        """How many objects there are, on either side."""
        return self.shapes.objects

    @property
    def truth_objects(self) -> int:
        """How many objects truth knows."""
        return self.shapes.truth_objects

    @property
    def guess_objects(self) -> int:
        """How many objects guess knows."""
        return self.shapes.guess_objects

    @property
    def _step(self) -> Callable[[Hashes], Hashes]:
        """A round of colours, on the device."""
        from clusterdiff.engines.torch import step_on

        return step_on(self.cells.conflict.both.device, self.truth, self.guess)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the comparison, whatever the order and the names; of a large one, found
        on the device.
        """
        if len(self.cells) <= LARGE:
            return digest(self.colours, self.repeats)
        from clusterdiff.engines.torch import colour_sums, coloured

        rounds = max(LEAST, WORK // len(self.cells))
        rows, own = self.cells.conflict, np.arange(self.cells.size.size)
        around = step(partial(of_cluster, own), partial(of_cluster, own))
        alike = reduce(
            lambda colour, _: around(colour), range(rounds), mix(self.cells.size.astype(np.uint64))
        )
        there = colour_sums(coloured(rows.truth, rows.guess, rows.both, rounds))
        return digits(salted_sums(alike, self.cells.count) + there)

    def with_alignment(self, alignment: Alignment) -> Self:
        """The same comparison with another alignment."""
        return type(self)(self.cells, alignment)

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        return type(self)(self.cells.swap(), self.alignment.swap())


def _same(meet: HardMeet) -> HardMeet:
    return meet
