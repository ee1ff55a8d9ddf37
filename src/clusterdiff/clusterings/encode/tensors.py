"""Arrays on a device: recognised without an import, kept there where PyTorch can compute there."""

from __future__ import annotations

import sys
from typing import Any

from clusterdiff.errors import ArrayError

DEVICES = {"cuda"}
"""Where tensors stay: devices with doubles and whole numbers of 64 bits."""
DLPACK = {1: "cpu", 2: "cuda", 3: "cpu", 10: "cuda", 11: "cpu", 13: "cuda"}
"""What DLPack calls devices; memory of the host that a card can read, too, is the host's."""


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of PyTorch, on whatever device."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def device_of(value: Any) -> str:
    """Where an array lies, as PyTorch says it: cpu, cuda:0, …"""
    if is_tensor(value):
        return str(value.device)
    if not hasattr(type(value), "__dlpack_device__"):
        return "cpu"
    number, index = value.__dlpack_device__()
    name = DLPACK.get(int(number), f"device {int(number)} of DLPack")
    return name if name == "cpu" else f"{name}:{index}"


def stays(value: Any) -> bool:
    """Whether an array lies on a device where it can be computed with."""
    return device_of(value).partition(":")[0] in DEVICES and bool(getattr(value, "shape", ()))


def tensor_of(value: Any) -> Any:
    """An array on a device as a tensor of PyTorch that shares its memory, without gradients."""
    if not is_tensor(value):
        try:
            import torch

            value = torch.from_dlpack(value)
        except Exception as error:  # each library has its own
            raise ArrayError.from_array(value, error) from None
    for name in ("detach", "resolve_conj", "resolve_neg"):
        value = getattr(value, name)()
    return value
