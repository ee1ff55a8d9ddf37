"""python -m bench gpu: labels on a graphics card, all default scores; needs PyTorch, NumPy, SciPy.

python -m bench gpu                                    writes bench/GPU.md
python -m bench gpu --device cpu --objects 1000000     tries it without a card
"""

from __future__ import annotations

import argparse
import gc
import platform
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import clusterdiff as cd
from bench import gpu_soft
from clusterdiff.clusterings import arrays as tensors

PAGE = Path(__file__).parent / "GPU.md"
AGREE = 0.8
"""Of the clusters, those that truth and guess have alike."""
CHECKED = 150_000
"""Labels that both engines compare; the arrays engine needs no compiled code for so few."""
SOFT = 10**6
"""Objects of uncertain clusterings, which are compared in all pairs."""
FORMS = ("n/5 clusters", "100 clusters", "62-bit labels", "int32", "noise=-1", "shuffled ids")


class Device:
    """A device to time, and its memory."""

    def __init__(self, name: str) -> None:
        self.torch: Any = import_module("torch")
        self.name = name
        self.is_card = name.startswith("cuda")
        tensors.DEVICES.add(name.partition(":")[0])

    def seconds(self, run: Callable[[], Any]) -> tuple[float, Any]:
        """How long it takes until the device is done, and what comes of it."""
        self.wait()
        start = time.perf_counter()
        found = run()
        self.wait()
        return time.perf_counter() - start, found

    def wait(self) -> None:
        if self.is_card:
            self.torch.cuda.synchronize()

    def tidy(self) -> None:
        gc.collect()
        if self.is_card:
            self.torch.cuda.empty_cache()
            self.torch.cuda.reset_peak_memory_stats()

    def peak(self) -> int:
        return int(self.torch.cuda.max_memory_allocated()) if self.is_card else 0

    def labels(self, n: int, form: str = FORMS[0]) -> tuple[Any, Any]:
        """Random labels; in a fifth of the clusters those of guess are thrown anew."""
        torch = self.torch
        made = torch.Generator(self.name).manual_seed(n)
        k = 100 if form == "100 clusters" else max(n // 5, 10)
        truth = torch.randint(0, k, (n,), generator=made, device=self.name)
        guess = truth.clone()
        first = int(AGREE * k)
        thrown = (truth >= first).nonzero().squeeze(1)
        anew = torch.randint(first, k, (thrown.numel(),), generator=made, device=self.name)
        half = torch.rand(thrown.numel(), generator=made, device=self.name) < 0.5
        guess[thrown[half]] = anew[half]
        if form == "62-bit labels":
            names = torch.randint(0, 2**62, (k,), generator=made, device=self.name)
            truth, guess = names[truth], names[guess]
        if form == "int32":
            truth, guess = truth.int(), guess.int()
        if form == "noise=-1":
            guess[torch.rand(n, generator=made, device=self.name) < 0.05] = -1
        return truth, guess

    def sides(self, n: int, form: str) -> tuple[Any, Any, dict[str, Any]]:
        """What to compare, and how."""
        truth, guess = self.labels(n, form)
        if form == "shuffled ids":
            order = self.torch.randperm(n, device=self.name)
            ids = self.torch.arange(n, device=self.name)
            return cd.Partition(truth, ids=ids), cd.Partition(guess[order], ids=order), {}
        return truth, guess, {"noise": -1} if form == "noise=-1" else {}


def equal_to_arrays(device: Device) -> str:
    """Scores and signatures of the same labels, on the device and in memory."""
    for form in FORMS:
        truth, guess, how = device.sides(CHECKED, form)
        there = cd.compare(truth, guess, **how)
        known = tensors.DEVICES.copy()
        tensors.DEVICES.clear()
        if form == "shuffled ids":
            truth, guess = (
                cd.Partition(p.labels.tensor.cpu().numpy(), ids=p.ids.tensor.cpu().numpy())
                for p in (truth, guess)
            )
        else:
            truth, guess = truth.cpu(), guess.cpu()
        here = cd.compare(truth, guess, **how)
        tensors.DEVICES.update(known)
        for name in here.measures:
            mine, theirs = there[name], here[name]
            assert mine.value == theirs.value, (form, name, mine.value, theirs.value)
            assert str(mine.signature) == str(theirs.signature), (form, name)
    return (
        f"{CHECKED:,} labels of each kind below give the same scores and signatures, to the bit, "
        "on the device and by the arrays engine."
    )


def phases(device: Device, n: int) -> list[str]:
    """A line of the table of phases."""
    truth, guess = device.labels(n)
    device.tidy()
    inputs = 16 * n
    whole, report = device.seconds(lambda: cd.compare(truth, guess))
    memory = device.peak() - inputs
    again, report = device.seconds(lambda: cd.compare(truth, guess))
    del report
    device.tidy()
    meet, met = device.seconds(lambda: cd.meet(truth, guess))
    shapes, _ = device.seconds(lambda: met.shapes)
    split, _ = device.seconds(lambda: cd.split_merge.of(met))
    rest, _ = device.seconds(lambda: [cd.measure(m).of(met) for m in ("elm_f", "nmi", "rand")])
    digest, _ = device.seconds(lambda: met.digest)
    rows, _ = device.seconds(lambda: met.in_memory)
    gigabytes = f"{memory / 1e9:.1f}" if device.is_card else "–"
    times = (meet, shapes, split, rest, min(whole, again))
    return [f"{n:,}", *(f"{t:.3f}" for t in times), gigabytes, f"{digest:.2f}", f"{rows:.2f}"]


def forms(device: Device, n: int) -> list[list[str]]:
    """Lines of the table of kinds of labels."""
    lines = []
    for form in FORMS:
        truth, guess, how = device.sides(n, form)
        device.tidy()
        run = partial(cd.compare, truth, guess, **how)
        took = min(device.seconds(run)[0] for _ in range(2))
        memory = f"{device.peak() / 1e9:.1f}" if device.is_card else "–"
        lines.append([form, f"{took:.3f}", memory])
        del truth, guess, run
    return lines


def others(device: Device, n: int) -> list[list[str]]:
    """Lines of the table of batches and covers."""
    truth, guess = device.labels(n, "100 clusters")
    seen = cd.Accumulator()

    def batches() -> Any:
        for part in zip(truth.chunk(100), guess.chunk(100), strict=True):
            seen.update(*part)
        return seen.compute()

    took, report = device.seconds(batches)
    assert report["nmi"].value == cd.nmi(truth, guess)
    lines = [["`cd.Accumulator`: 100 batches, all 14 default scores", f"{n:,}", f"{took:.3f}"]]
    n //= 10
    rows = [
        (side[:n, None] % 19 - device.torch.arange(19, device=device.name))
        for side in (truth, guess)
    ]
    sides = [(one % 7 == 0) for one in rows]
    took, found = device.seconds(lambda: cd.meet(*sides, kind="cover"))
    del rows
    assert found.objects == n
    wanted = cd.meet(*(side[: 10**5].cpu().numpy() for side in sides), kind="cover")
    assert cd.meet(*(side[: 10**5] for side in sides), kind="cover") == wanted
    lines.append(["`cd.meet` of two covers, 0/1 matrices of 19 clusters", f"{n:,}", f"{took:.3f}"])
    return lines


def peers(device: Device, n: int) -> list[list[str]] | None:
    """The adjusted Rand index and NMI of torchmetrics beside ours, if it is installed."""
    if find_spec("torchmetrics") is None:
        return None
    theirs = import_module("torchmetrics.functional.clustering")
    lines = []
    for form in ("100 clusters", "n/5 clusters"):
        truth, guess = device.labels(n, form)
        for name, own, measure in (
            ("adjusted_rand_score", "adjusted_rand", cd.adjusted_rand),
            ("normalized_mutual_info_score", "nmi", cd.nmi),
        ):
            ours, mine = device.seconds(lambda: measure(truth, guess))  # noqa: B023
            device.tidy()
            try:
                took, found = device.seconds(lambda: getattr(theirs, name)(guess, truth))  # noqa: B023
                told = [f"{took:.3f}", f"{float(found):.6f}"]
            except Exception as error:  # out of memory: it makes the whole table of clusters
                told = ["–", str(error).strip().partition("\n")[0][:60]]
            lines.append([f"{n:,}", form, name, *told, f"{ours:.3f}", f"{mine:.6f} ({own})"])
    return lines


def table(heads: list[str], lines: list[list[str]]) -> str:
    ruler = "|".join(["---", *["---:"] * (len(heads) - 1)])
    return "\n".join(f"|{row}|" for row in (
        " | ".join(heads), ruler, *(" | ".join(line) for line in lines)
    ))  # fmt: skip


def page(device: Device, most: int) -> str:
    """All that was measured."""
    sizes = [n for n in (10**6, 10**7, 10**8, 10**9) if n <= most]
    cd.compare(*device.labels(10**5))
    parts = ["# Labels on a graphics card", f"Made by `python -m bench gpu` on {told(device)}."]
    parts.append(equal_to_arrays(device))
    lines = []
    for n in sizes:
        device.tidy()
        lines.append(phases(device, n))
        print(" | ".join(lines[-1]), flush=True)
    heads = [
        "labels", "meet, s", "shapes, s", "split_merge, s", "three more scores, s",
        "`compare`: all 14 default scores, s", "peak above the labels, GB", "digest, s",
        "rows into memory, s",
    ]  # fmt: skip
    parts += [
        "## Int64 labels in n/5 clusters, of which 80 % agree",
        table(heads, lines),
        "The first columns are parts of `compare`. The digest is found when a signature is asked "
        "for, the rows come into memory for measures that match clusters.",
    ]
    middle = sizes[-2] if len(sizes) > 1 else sizes[-1]
    device.tidy()
    parts += [
        "## Labels of other kinds, batches, covers",
        f"{middle:,} labels:",
        table(["labels", "`compare`, s", "peak with the labels, GB"], forms(device, middle)),
        table(["what", "objects", "s"], others(device, middle)),
        "## torchmetrics",
    ]
    found = [line for n in sizes[:2] for line in peers(device, n) or []]
    heads = ["labels", "clusters", "torchmetrics", "s", "its score", "clusterdiff, s", "our score"]
    parts.append(table(heads, found) if found else "torchmetrics is not installed here.")
    device.tidy()
    parts.append(gpu_soft.table(SOFT if device.is_card else SOFT // 500, device.name))
    return "\n\n".join(parts) + "\n"


def told(device: Device) -> str:
    """The device and what runs on it."""
    name = platform.machine()
    if device.is_card:
        card = device.torch.cuda.get_device_properties(device.name)
        name = (
            f"{card.name} ({card.total_memory / 2**30:.0f} GiB, CUDA {device.torch.version.cuda})"
        )
    versions = [f"clusterdiff {cd.__version__}", f"Python {platform.python_version()}"]
    for package in ("torch", "numpy", "scipy", "torchmetrics"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"{name}; {', '.join(versions)}"


def main(given: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench gpu", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--objects", type=int, default=10**9, help="the most labels of a table")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args(given)
    if find_spec("torch") is None:
        return print("PyTorch is not installed, so nothing is measured: pip install torch")
    device = Device(asked.device)
    if device.is_card and not device.torch.cuda.is_available():
        return print("There is no graphics card here, so nothing is measured; try --device cpu.")
    text = page(device, asked.objects)
    print(text)
    out = asked.out or (PAGE if device.is_card else None)
    if out is not None:
        out.write_text(text)
    return None
