"""Scores of labels that come in batches: pairs of labels are counted, objects are not kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.clusterings.columns import Column, Family, column
from clusterdiff.clusterings.grouping import by_appearance, group_pairs, pair_keys
from clusterdiff.compare.compare import measures_by_text, scored
from clusterdiff.contingency import HardMeet, Policy
from clusterdiff.contingency.cells import check_counts, whole_columns
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.counts import counted
from clusterdiff.engines.label_checks import check_labels, notes_of_counted
from clusterdiff.engines.memory import Positions, alone, check_no_nulls, objects_of, places
from clusterdiff.engines.on_device import count_on_device, is_on_device
from clusterdiff.errors import ClusterdiffError, InputError, KindError
from clusterdiff.io import clustering, settle_indexes
from clusterdiff.measures import DEFAULT, Measure

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report

    Cells = tuple[Ints, Ints, Ints]
    """Codes of truth labels and of guess labels, and how many objects have both."""

FEW = 100_000
"""Cells that are kept as they come before equal ones are added up."""


class Accumulator:
    """A comparison whose truth and guess come in batches, as in a training loop.

    >>> seen = Accumulator(["elm_f", "rand"])
    >>> for truth, guess in [(["a", "a"], [1, 1]), (["b"], [1])]:
    ...     seen.update(truth, guess)
    >>> seen.compute()["rand"].value
    0.3333333333333333

    A batch holds new objects; a label means the same cluster in every batch. The accumulator keeps
    how many objects have each pair of labels, so that memory grows with the pairs of clusters that
    share objects, not with the objects. Accumulators of several processes can be merged. The scores
    are those of one `compare` on all objects, to the bit. `noise` and `noise_as` are as in
    `compare`.
    """

    def __init__(
        self,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        *,
        noise: Any = None,
        noise_as: str = "singletons",
    ) -> None:
        self.measures = measures_by_text(DEFAULT if measures is None else measures)
        self.policy = Policy("exact", noise, noise_as)
        self.reset()

    def __repr__(self) -> str:
        return f"Accumulator({self.objects:,} objects in {len(self._cells()[2]):,} cells)"

    @property
    def objects(self) -> int:
        """The number of objects in all batches."""
        return self._objects

    def reset(self) -> None:
        """Forget all batches."""
        self._sides = LabelCodes("truth"), LabelCodes("guess")
        self._parts: list[Cells] = []
        self._objects = 0

    def update(self, truth: Any, guess: Any, count: Any = None) -> None:
        """Count a batch: labels of objects that no other batch has.

        `count` is the number of objects that each pair of labels stands for, if it is not one.
        """
        left, right = clustering(truth), clustering(guess)
        if not isinstance(left, Partition) or not isinstance(right, Partition):
            raise KindError(
                "batches are of partitions, in which each object is in one cluster.",
                "compare covers and uncertain clusterings at once, cd.compare(truth, guess).",
            )
        if not len(left) and not len(right):
            return
        settle_indexes([left, right])
        if count is None and (left.counts is not None or right.counts is not None):
            left, right = cast("list[Partition]", counted([left, right]))
            count = left.counts
        plan = plan_of(self.policy)
        check_labels([left], [right], self.policy)
        check_no_nulls("truth", left, plan)
        check_no_nulls("guess", right, plan)
        matched = places(left, right, plan)
        counts = None if count is None else _whole_counts(count, len(left))
        if left.ids is not None:
            left, right = left.take(matched.in_truth), right.take(matched.in_guess)
            counts = None if counts is None else counts[matched.in_truth]
        self._add(left.labels, right.labels, counts)

    def merge(self, other: Accumulator) -> Self:
        """Add the batches of another accumulator, for example of another process."""
        if not isinstance(other, Accumulator) or other.policy != self.policy:
            raise InputError(
                "only accumulators with the same noise and noise_as can be merged.",
                "make all of them alike, e.g. cd.Accumulator(noise=-1).",
            )
        if other.objects:
            self._add(*other._labels())
        return self

    def meet(self) -> HardMeet:
        """The contingency table of all objects."""
        if not self.objects:
            raise InputError.empty("the accumulator")
        truth, guess, counts = self._labels()
        left, right, plan = Partition(truth), Partition(guess), plan_of(self.policy)
        every = np.arange(counts.size)
        noise = self.policy.means_noise(truth) | self.policy.means_noise(guess)
        # A cell of noise stands for objects that are clusters of their own, one by one.
        matched = Positions(every, every, 0, 0, counts).one_by_one(alone(every, noise, plan))
        objects = objects_of(left, right, plan, matched)
        assert objects.count is not None
        notes = (
            *notes_of_counted("truth", truth, counts, self.policy),
            *notes_of_counted("guess", guess, counts, self.policy),
        )
        alignment = replace(objects.alignment, notes=(*notes, *objects.alignment.notes))
        return HardMeet.of_cells(objects.truth, objects.guess, objects.count, alignment=alignment)

    def compute(self) -> Report:
        """The scores of all objects."""
        return scored({"guess": self.meet()}, self.measures)

    def as_torchmetrics(self) -> Any:
        """A metric of torchmetrics with the same measures, which synchronises across processes.

        It takes (preds, target), as torchmetrics does, and gives a dict from measure to score, or
        one score where there is one measure.
        """
        try:
            from clusterdiff.compare.torch_metric import ClusterMetric
        except ImportError:
            raise ClusterdiffError(
                "a metric of torchmetrics needs torchmetrics.", "pip install torchmetrics"
            ) from None
        return ClusterMetric(tuple(self.measures), self.policy.noise, self.policy.noise_as)

    def _add(self, truth: Column, guess: Column, counts: Ints | None = None) -> None:
        """Count pairs of labels: as often as `counts` has it, or once each."""
        sides = list(zip(self._sides, (truth, guess), strict=True))
        for codes, labels in sides:
            codes.check(labels)
        for place, (codes, labels) in enumerate(sides):
            if codes.are_keys and labels.family == "values":
                cells = list(self._cells())
                cells[place] = codes.recode(cells[place])
                self._parts = [(cells[0], cells[1], cells[2])]
        plain = is_on_device(truth, guess) and all(c.takes_keys_of(own) for c, own in sides)
        if counts is None and plain:
            part: Cells = count_on_device(truth, guess)
            for codes, labels in sides:
                codes.family = labels.family
        else:
            left, right = (codes.encode(labels) for codes, labels in sides)
            part = group_pairs(left, right) if counts is None else (left, right, counts)
        batches = np.array([n for n in (self._objects, int(part[2].sum())) if n])
        check_counts(batches, np.ones_like(batches))
        self._objects = int(batches.sum())
        self._parts.append(part)
        if sum(part[2].size for part in self._parts[1:]) > max(FEW, self._parts[0][2].size):
            self._cells()

    def _labels(self) -> tuple[Column, Column, Ints]:
        """Distinct pairs of labels, and how many objects have them."""
        truth, guess, counts = self._cells()
        return self._sides[0].decode(truth), self._sides[1].decode(guess), counts

    def _cells(self) -> Cells:
        """All cells, each pair of labels once; they are kept so."""
        if len(self._parts) == 1:
            return self._parts[0]
        none = np.zeros(0, np.int64)
        truth, guess, counts = (
            np.concatenate(codes) for codes in zip((none, none, none), *self._parts, strict=True)
        )
        code, first = by_appearance(pair_keys(truth, guess))
        total = np.bincount(code, counts, first.size).astype(np.int64)
        cells = truth[first], guess[first], total
        self._parts = [cells] if total.size else []
        return cells


def _whole_counts(count: Any, size: int) -> Ints:
    """The number of objects of each pair of labels; refused unless they are whole numbers."""
    counts = whole_columns({"count": as_numpy(count)})["count"]
    if counts.size != size:
        raise InputError.from_lengths("count", counts.size, size)
    check_counts(counts, np.ones_like(counts))
    return counts


class LabelCodes:
    """A whole number for each label of a side, the same in every batch: the key of a number, a
    running number for any other label.
    """

    def __init__(self, side: str) -> None:
        self.side = side
        self.family: Family | None = None
        """The type of the labels, once there are any."""
        self.code_of: dict[Any, int] | None = None
        """The code of each label; None as long as all labels are numbers."""

    @property
    def are_keys(self) -> bool:
        """Whether there are labels, and all of them are numbers."""
        return self.family is not None and self.code_of is None

    def check(self, labels: Column) -> None:
        """Refuse labels of another type than those before, such as text after numbers."""
        if len({self.family, labels.family} - {None, "values"}) > 1:
            raise InputError(
                f"the labels of {self.side} were {self.family} in batches before, and are "
                f"{labels.family} in this one, e.g. {labels[0]!r}.",
                "give labels of one type, e.g. list(map(str, labels)).",
            )

    def takes_keys_of(self, labels: Column) -> bool:
        """Whether labels are numbers, as all labels before are."""
        return labels.family in ("integers", "numbers") and self.code_of is None

    def encode(self, labels: Column) -> Ints:
        """The codes of labels; new ones get the next numbers."""
        if self.takes_keys_of(labels):
            self.family = labels.family
            return labels.keys
        place, first = by_appearance(labels.keys)
        self.family = "values" if self.family not in (None, labels.family) else labels.family
        code_of = self.code_of = {} if self.code_of is None else self.code_of
        names = labels.take(first).tolist()
        return np.array([code_of.setdefault(n, len(code_of)) for n in names], np.int64)[place]

    def recode(self, keys: Ints) -> Ints:
        """Running numbers for labels that were numbers, since others are to come."""
        labels = self.decode(keys)
        self.family, self.code_of = "values", {}
        return self.encode(labels)

    def decode(self, codes: Ints) -> Column:
        """The labels with these codes."""
        if self.code_of is None:
            whole = self.family == "integers"
            return Column(codes, "integers") if whole else Column(codes.view(np.float64), "numbers")
        names = list(self.code_of)
        return column([names[code] for code in codes.tolist()])
