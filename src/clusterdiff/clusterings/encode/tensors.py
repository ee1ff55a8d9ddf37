"""Arrays on a device: recognised without an import, kept there where something can compute there.

PyTorch computes for all libraries: an array of CuPy or JAX is handed over by DLPack, not copied.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from clusterdiff.errors import ArrayError
from clusterdiff.errors.devices import DeviceError

DEVICES = {"cuda"}
"""Where tensors stay: devices that sort and add whole numbers of 64 bits, and divide as IEEE has it
(a graphics card of AMD is called cuda, too).
"""
DLPACK = {1: "cpu", 2: "cuda", 3: "cpu", 8: "mps", 10: "cuda", 11: "cpu", 13: "cuda"}
"""What DLPack calls devices; memory of the host that a card can read, too, is the host's."""
UNWRAPPED = ("detach", "resolve_conj", "resolve_neg")
"""What a tensor of PyTorch may need before its numbers are read; they stay the same."""


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of PyTorch, on whatever device."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def device_of(value: Any) -> str:
    """Where an array lies, as PyTorch says it: cpu, cuda:0, …"""
    if is_tensor(value):
        return str(value.device)
    kind = type(value)
    if hasattr(kind, "__dlpack_device__"):
        number, index = value.__dlpack_device__()
        name = DLPACK.get(int(number), f"device {int(number)} of DLPack")
        return name if name == "cpu" else f"{name}:{index}"
    return "cuda" if hasattr(kind, "__cuda_array_interface__") else "cpu"


def stays(value: Any) -> bool:
    """Whether an array lies on a device where it can be computed with."""
    if isinstance(value, np.ndarray) or not getattr(value, "shape", ()):
        return False
    return device_of(value).partition(":")[0] in DEVICES


def tensor_of(value: Any) -> Any:
    """An array on a device as a tensor of PyTorch that shares its memory, without gradients."""
    if not is_tensor(value):
        try:
            torch = import_module("torch")
        except ImportError:
            raise DeviceError.without_torch(value, device_of(value)) from None
        try:
            dlpack = hasattr(type(value), "__dlpack__")
            value = torch.from_dlpack(value) if dlpack else torch.as_tensor(value, device="cuda")
        except Exception as error:  # each library has its own
            raise ArrayError.from_array(value, error) from None
    for name in UNWRAPPED:
        value = getattr(value, name)()
    return value
