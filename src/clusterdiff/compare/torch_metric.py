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
    """A row for each pair of labels: truth label, guess label and how many objects have both."""

    def __init__(
        self, measures: Any = None, noise: Any = None, noise_as: str = "singletons", **options: Any
    ) -> None:
        super().__init__(**options)
        self._settings = {"measures": measures, "noise": noise, "noise_as": noise_as}
        Accumulator(**self._settings)  # refuses unknown measures before the first batch
        self.add_state("cells", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch of labels, the guess first as everywhere in torchmetrics."""
        labels = [torch.as_tensor(side).detach() for side in (target, preds)]
        if any(side.dtype.is_floating_point or side.dtype.is_complex for side in labels):
            raise _not_labels("labels of a metric are whole numbers.")
        if labels[0].shape != labels[1].shape:
            preds_shape, target_shape = (tuple(side.shape) for side in labels[::-1])
            raise _not_labels(
                f"preds has the shape {preds_shape} and target {target_shape}; each is one label "
                "per object."
            )
        truth, guess = (side.flatten().to(self.device) for side in labels)
        if truth.numel():
            self.cells.append(torch.stack(pairs_of(truth, guess), 1))
        if sum(map(len, self.cells[1:])) > max(FEW, len(self.cells[0]) if self.cells else 0):
            self.cells = [_added_up(torch.cat(self.cells))]

    def compute(self) -> Any:
        """A tensor for each measure; without a dict where there is one measure."""
        seen = Accumulator(**self._settings)
        cells = torch.cat(self.cells) if isinstance(self.cells, list) else self.cells
        if len(cells):
            seen.update(*map(in_memory, _added_up(cells).T))
        report = seen.compute()
        scores = {
            name: torch.tensor(float(report[name]), dtype=torch.float64, device=self.device)
            for name in seen.measures
        }
        return next(iter(scores.values())) if len(scores) == 1 else scores


def _not_labels(message: str) -> InputError:
    return InputError(
        message, "give one label for each object, e.g. metric(logits.argmax(1), target)."
    )


def _added_up(cells: Any) -> Any:
    """Each pair of labels once, with the sum of its counts."""
    pairs, codes = torch.unique(cells[:, :2], dim=0, return_inverse=True)
    return torch.cat([pairs, sums_of(codes, cells[:, 2], len(pairs))[:, None]], 1)
