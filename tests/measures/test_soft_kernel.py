"""The fused kernel of Triton, without a graphics card: interpreted, and compiled for one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterdiff.measures import soft_on_device as fused
from clusterdiff.measures import triton_kernel as kernel
from clusterdiff.measures.soft_on_device import (
    SUMS,
    Combining,
    DeviceSide,
    Norms,
    collected,
    difference,
    of_cosines,
    of_nested,
    of_norms,
    side_of,
    tile_sums,
)
from devices import tensor
from oracles.soft import CONORMS, TNORMS

triton = pytest.importorskip("triton")
pytest.importorskip("torch")
ROWS = 21
"""No whole number of blocks."""
RANDOM = np.random.default_rng(5)


def degrees() -> Any:
    return tensor(RANDOM.uniform(0, 1, (ROWS, 3)))


def chances() -> Any:
    return tensor(RANDOM.dirichlet(np.ones(3), ROWS))


def singles() -> DeviceSide:
    return side_of("singles", chances() * 0.5, known=tensor(RANDOM.uniform(0.5, 1, ROWS)))


def sets() -> DeviceSide:
    mass = tensor(RANDOM.dirichlet(np.ones(6), ROWS))
    against = mass[:, [1, 0, 2, 4, 3]]
    return side_of("sets", mass[:, :3], against, mass[:, :5], 1 - mass[:, 5])


Made = tuple[Combining, list[DeviceSide], Norms]
CASES: dict[str, Made] = {
    "alpha of sets": ("alpha", [sets(), sets()], Norms()),
    "alpha of nested and single": ("alpha", [of_nested(degrees()), singles()], Norms()),
    "belief": ("belief", [sets(), singles()], Norms()),
    "jousselme": ("jousselme", [singles(), of_nested(degrees())], Norms()),
    "chances": ("size", [difference(singles(), singles())], Norms()),
    "cosines": ("size", [difference(of_cosines(degrees()), of_cosines(degrees()))], Norms()),
    "half_l1": ("gap", [side_of("half_l1", degrees()) for _ in range(2)], Norms()),
    "max": ("gap", [side_of("max", degrees()) for _ in range(2)], Norms()),
    **{
        f"{tnorm} {conorm}": (
            "agreement",
            [of_norms(degrees(), tnorm, conorm) for _ in range(2)],
            Norms(tnorm, conorm),
        )
        for tnorm, conorm in product(TNORMS, CONORMS)
    },
}


def print_sums() -> None:
    """The sums of all cases, in tiles and by the kernel, which Triton was told to interpret."""
    found = {}
    for case, (combining, sides, norms) in CASES.items():
        for weights in (1, 3):
            weight = tensor(np.random.default_rng(2).integers(1, weights + 1, ROWS))
            ways = [tile_sums(combining, sides, weight, norms)]
            ways += [
                fused.fused_sums(combining, sides, weight, norms, shape=(16, 1, wide))
                for wide in (16, 1)
            ]
            found[f"{case}, {weights}"] = [collected(way, ROWS) for way in ways]
    print(json.dumps(found))


@cache
def interpreted() -> dict[str, list[list[float]]]:
    """Triton decides when it is imported whether it interprets."""
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parent.parent)])
    ran = subprocess.run(
        [sys.executable, "-c", "from measures.test_soft_kernel import *; print_sums()"],
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": paths},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not ran.returncode, ran.stderr[-2000:]
    found: dict[str, list[list[float]]] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("weights", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_the_kernel_adds_up_what_tiles_do(case: str, weights: int) -> None:
    tiles, *found = interpreted()[f"{case}, {weights}"]
    assert len(tiles) == SUMS[CASES[case][0]]
    assert found == [pytest.approx(tiles, rel=1e-14)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_kernel_compiles_for_a_card(case: str) -> None:
    """For an H100 or H200, with the shapes that are used there."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    combining, sides, norms = CASES[case]
    calls: list[dict[str, Any]] = []

    class Recorded:
        def __getitem__(self, grid: Any) -> Any:
            return lambda *given, **known: calls.append({"given": given, **known})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fused, "ready", Recorded)
        weight = tensor(np.ones(ROWS))
        assert len(list(fused.fused_sums(combining, sides, weight, norms))) == 1
    given = calls[0].pop("given")
    warps = calls[0].pop("num_warps")
    compiled = kernel.ready()
    types = {"torch.float64": "*fp64", "torch.int32": "*i32"}
    signature = {
        name: types[str(value.dtype)] if hasattr(value, "dtype") else "i32"
        for name, value in zip(compiled.arg_names, given, strict=False)
    } | dict.fromkeys(calls[0], "constexpr")
    source = ASTSource(
        compiled, {name: signature[name] for name in compiled.arg_names},
        {(compiled.arg_names.index(name),): value for name, value in calls[0].items()},
    )  # fmt: skip
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
    assert made.asm["cubin"]
    products = sum(side.relating in ("singles", "sets", "form", "bounded") for side in sides)
    assert bool(products) <= ("mma.sync" in made.asm["ptx"])
    assert made.asm["ptx"].count("st.global") >= SUMS[combining]
