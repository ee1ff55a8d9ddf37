"""Scores as a metric of torchmetrics: states that add up across batches, devices and processes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from clusterdiff.compare.accumulator import FEW, Accumulator
from clusterdiff.engines.torch import in_memory, pairs_of, sums_of, torch
from clusterdiff.errors import InputError

Metric: Any = import_module("torchmetrics").Metric


class ClusterMetric(Metric):  # type: ignore[misc]
    """Scores of all batches of a loop, and of all its processes; see `cd.Accumulator`."""

    is_differentiable = False
    full_state_update = False
    cells: Any
    """Truth label, guess label and how many objects have both, a row each."""

    def __init__(
        self, measures: Any = None, noise: Any = None, noise_as: str = "singletons", **options: Any
    ) -> None:
        super().__init__(**options)
        self._all = {"measures": measures, "noise": noise, "noise_as": noise_as}
        Accumulator(**self._all)
        self.add_state("cells", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch of labels, the guess first, as torchmetrics has it."""
        labels = [torch.as_tensor(side).detach() for side in (target, preds)]
        if any(side.dtype.is_floating_point or side.dtype.is_complex for side in labels):
            raise InputError(
                "labels of a metric are whole numbers.",
                "give one for each object, e.g. metric(logits.argmax(1), target).",
            )
        if labels[0].shape != labels[1].shape:
            raise InputError(
                f"preds has the shape {tuple(labels[1].shape)} and target "
                f"{tuple(labels[0].shape)}; each is one label per object.",
                "give one label for each object, e.g. metric(logits.argmax(1), target).",
            )
        truth, guess = (side.flatten().to(self.device) for side in labels)
        if truth.numel():
            self.cells.append(torch.stack(pairs_of(truth, guess), 1))
        if sum(map(len, self.cells[1:])) > max(FEW, len(self.cells[0]) if self.cells else 0):
            self.cells = [_added(torch.cat(self.cells))]

    def compute(self) -> Any:
        """The score of each measure; alone, where there is one."""
        seen = Accumulator(**self._all)
        cells = torch.cat(self.cells) if isinstance(self.cells, list) else self.cells
        if len(cells):
            seen.update(*map(in_memory, _added(cells).T))
        report = seen.compute()
        found = {
            name: torch.tensor(float(report[name]), dtype=torch.float64, device=self.device)
            for name in seen.measures
        }
        return next(iter(found.values())) if len(found) == 1 else found


def _added(cells: Any) -> Any:
    """Each pair of labels once, with how many objects have it."""
    pairs, codes = torch.unique(cells[:, :2], dim=0, return_inverse=True)
    return torch.cat([pairs, sums_of(codes, cells[:, 2], len(pairs))[:, None]], 1)
