"""Columns of numbers that stay on a device until something asks for them in memory."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.encode.arrays import as_numpy
from clusterdiff.clusterings.encode.column import Column, Family, column, is_null
from clusterdiff.clusterings.encode.tensors import tensor_of
from clusterdiff.errors import InputError


def column_of_tensor(values: Any) -> Column:
    """The numbers of an array on a device; those that no column holds as numbers are read into
    memory.
    """
    values = tensor_of(values)
    if values.ndim != 1:
        raise InputError.from_dimensions(tuple(values.shape))
    torch = sys.modules["torch"]
    unsigned = str(values.dtype) in ("torch.uint16", "torch.uint32", "torch.uint64")
    if unsigned and len(values):  # PyTorch does little with them
        if values.dtype == torch.uint64 and bool((values.view(torch.int64) < 0).any()):
            return column(as_numpy(values))
        values = values.to(torch.int64)
    plain = values.layout == torch.strided and not values.is_quantized
    if not plain or values.dtype.is_complex:
        return column(as_numpy(values))
    return TensorColumn(values, "numbers" if values.dtype.is_floating_point else "integers")


class TensorColumn(Column):
    """Whole or other numbers on a device."""

    def __init__(self, tensor: Any, family: Family) -> None:
        self.tensor, self.family, self.written = tensor, family, False

    @cached_property
    def values(self) -> Any:
        """The same numbers in memory."""
        return column(as_numpy(self.tensor)).values

    @property
    def device(self) -> str:
        """Where the values lie, e.g. cuda:0."""
        return str(self.tensor.device)

    @property
    def key_tensor(self) -> Any:
        """One whole number per value, equal exactly when the values are, where they are."""
        if self.family == "integers":
            return self.tensor
        return (self.tensor.double() + 0.0).view(sys.modules["torch"].int64)

    def __len__(self) -> int:
        return int(self.tensor.shape[0])

    def __getitem__(self, position: int) -> Any:
        value = self.tensor[int(position)].item()
        return int(value) if self.family == "integers" else value

    def take(self, index: Ints) -> Column:
        """The values at these positions."""
        where = sys.modules["torch"].as_tensor(index, device=self.tensor.device)
        return TensorColumn(self.tensor[where], self.family)

    def all_differ(self) -> bool:
        """Whether no value occurs twice."""
        ordered = self.key_tensor.sort().values
        return not bool((ordered[1:] == ordered[:-1]).any())

    def different(self) -> int:
        """How many different values there are."""
        return int(self.key_tensor.unique().numel())

    def _odd_numbers(self) -> dict[Any, int]:
        odd = self.tensor < 0
        if self.family == "numbers":
            odd |= (self.tensor != self.tensor.floor()) & ~self.tensor.isnan()
        return Column(as_numpy(self.tensor[odd]), self.family)._odd_numbers() if odd.any() else {}

    def nulls(self) -> Bools | None:
        """Which values are NaN; None if none is."""
        if self.family == "integers" or not bool(self.tensor.isnan().any()):
            return None
        return np.asarray(self.tensor.isnan().cpu())

    def which(self, value: Any) -> Any:
        """Which values are this one, where they are; None if none can be."""
        if value is None or is_null(value):
            return self.tensor.isnan() if self.family == "numbers" else None
        if not isinstance(value, int | float | np.number):
            return None
        torch = sys.modules["torch"]
        whole = self.family == "integers"
        if whole and (not -(2**63) <= value < 2**63 or value != int(value)):
            return None
        wide = self.tensor.to(torch.int64 if whole else torch.float64)
        return wide == (int(value) if whole else float(value))

    def equals(self, value: Any) -> Bools:
        """Which values are this one; None stands for every NaN."""
        found = self.which(value)
        return np.zeros(len(self), np.bool_) if found is None else np.asarray(found.cpu())
