"""Scores of labels that come in batches: cells are counted as they come, objects are not kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.clusterings.columns import Column, Family, column
from clusterdiff.clusterings.grouping import by_appearance, group_pairs, pair_keys
from clusterdiff.compare.compare import measures_by_text, scored
from clusterdiff.contingency import HardMeet, Policy
from clusterdiff.contingency.cells import refuse_counts, whole_columns
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.label_checks import check_labels
from clusterdiff.engines.memory import Positions, alone, objects_of, places, refuse_nulls
from clusterdiff.engines.on_device import count_on_device, is_on_device
from clusterdiff.errors import ClusterdiffError, InputError, KindError
from clusterdiff.io import clustering, settle_indexes
from clusterdiff.measures import DEFAULT, Measure

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report

FEW = 100_000
"""Cells that are kept as they come before equal ones are added up."""


class Accumulator:
    """A comparison of which truth and guess come in batches, as in a training loop.

    >>> seen = Accumulator(["elm_f", "rand"])
    >>> for truth, guess in [(["a", "a"], [1, 1]), (["b"], [1])]:
    ...     seen.update(truth, guess)
    >>> seen.compute()["rand"].value
    0.3333333333333333

    A batch holds new objects; their labels mean the same in every batch. Kept is how many objects
    have each pair of labels, so that memory grows with clusters that meet, not with objects.
    Accumulators of other processes are merged; what comes out is what `compare` says of all at
    once, to the bit. `noise` and `noise_as` are as in `compare`.
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
        """How many objects were seen."""
        return self._objects

    def reset(self) -> None:
        """Forget all batches."""
        self._truth, self._guess = LabelKeys("truth"), LabelKeys("guess")
        self._parts: list[tuple[Ints, Ints, Ints]] = []
        self._objects = 0

    def update(self, truth: Any, guess: Any, count: Any = None) -> None:
        """Count a batch: labels of objects that no other batch has.

        `count` says how many objects each pair of labels stands for, where it is not one.
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
        plan = plan_of(self.policy)
        check_labels([left], [right], self.policy)
        refuse_nulls("truth", left, plan)
        refuse_nulls("guess", right, plan)
        where = places(left, right, plan)
        many = None if count is None else _counts(count, len(left))
        if left.ids is not None:
            left, right = left.take(where.in_truth), right.take(where.in_guess)
            many = None if many is None else many[where.in_truth]
        self._add(left.labels, right.labels, many)

    def merge(self, other: Accumulator) -> Self:
        """Take in what another accumulator has seen, say in another process."""
        if not isinstance(other, Accumulator) or other.policy != self.policy:
            raise InputError(
                "only accumulators with the same noise and noise_as can be merged.",
                "make all of them alike, e.g. cd.Accumulator(noise=-1).",
            )
        truth, guess, count = other._cells()
        if count.size:
            self._add(other._truth.column(truth), other._guess.column(guess), count)
        return self

    def meet(self) -> HardMeet:
        """The meet of all objects that were seen."""
        truth, guess, count = self._cells()
        if not count.size:
            raise InputError.empty("the accumulator")
        plan = plan_of(self.policy)
        left = Partition(self._truth.column(truth))
        right = Partition(self._guess.column(guess))
        every = np.arange(count.size)
        where = Positions(every, every, 0, 0, count)
        noisy = [self.policy.means_noise(side.labels) for side in (left, right)]
        where = where.one_by_one(alone(every, noisy[0] | noisy[1], plan))
        found = objects_of(left, right, plan, where)
        assert found.count is not None
        return HardMeet.of_cells(found.truth, found.guess, found.count, alignment=found.alignment)

    def compute(self) -> Report:
        """The scores of all objects that were seen."""
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

    def _add(self, truth: Column, guess: Column, count: Ints | None = None) -> None:
        """Count pairs of labels; as often as said, or once each."""
        sides = ((self._truth, truth), (self._guess, guess))
        for known, labels in sides:
            known.check(labels)
        self._widen(truth, guess)
        if count is None and is_on_device(truth, guess) and all(k.plain(c) for k, c in sides):
            found = count_on_device(truth, guess)
            for known, labels in sides:
                known.family = labels.family
        else:
            keys = [known.keys(labels) for known, labels in sides]
            found = group_pairs(*keys) if count is None else (keys[0], keys[1], count)
        batches = np.array([n for n in (self._objects, int(found[2].sum())) if n])
        refuse_counts(batches, np.ones_like(batches))
        self._objects = int(batches.sum())
        self._parts.append(found)
        if sum(part[2].size for part in self._parts[1:]) > max(FEW, self._parts[0][2].size):
            self._cells()

    def _widen(self, *labels: Column) -> None:
        """Make room for labels of any type, where those before were all numbers."""
        for place, known in enumerate((self._truth, self._guess)):
            if known.codes is None and known.family and labels[place].family == "values":
                cells = list(self._cells())
                cells[place] = known.widened(cells[place])
                self._parts = [(cells[0], cells[1], cells[2])]

    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """Keys of truth and guess labels, and how many objects have them; each pair once."""
        if len(self._parts) == 1:
            return self._parts[0]
        none = np.zeros(0, np.int64)
        truth, guess, count = (
            np.concatenate([none, *column]) for column in zip(*self._parts, strict=True)
        ) if self._parts else (none, none, none)  # fmt: skip
        code, first = by_appearance(pair_keys(truth, guess))
        total = np.bincount(code, count, first.size).astype(np.int64)
        made = truth[first], guess[first], total
        self._parts = [made] if total.size else []
        return made


def _counts(count: Any, size: int) -> Ints:
    """How many objects each pair of labels stands for, if these are whole numbers."""
    made = whole_columns({"count": as_numpy(count)})["count"]
    if made.size != size:
        raise InputError.from_lengths("count", made.size, size)
    refuse_counts(made, np.ones_like(made))
    return made


class LabelKeys:
    """A whole number for each label of a side, the same in every batch."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.family: Family | None = None
        self.codes: dict[Any, int] | None = None
        """The number of each label, where labels are not their own: they are no numbers."""

    def check(self, labels: Column) -> None:
        """Refuse labels of another type than those before, such as text after numbers."""
        both = {self.family, labels.family} - {None, "values"}
        if len(both) > 1:
            raise InputError(
                f"the labels of {self.side} were {self.family} in batches before, and are "
                f"{labels.family} in this one, e.g. {labels[0]!r}.",
                "give labels of one type, e.g. list(map(str, labels)).",
            )

    def plain(self, labels: Column) -> bool:
        """Whether labels are numbers, and all labels before are."""
        return labels.family in ("integers", "numbers") and self.codes is None

    def keys(self, labels: Column) -> Ints:
        """The number of each of these labels."""
        if self.plain(labels):
            self.family = labels.family
            return labels.keys
        code, first = by_appearance(labels.keys)
        self.family = "values" if self.family not in (None, labels.family) else labels.family
        known = self.codes = {} if self.codes is None else self.codes
        names = labels.take(first).tolist()
        return np.array([known.setdefault(n, len(known)) for n in names], np.int64)[code]

    def widened(self, keys: Ints) -> Ints:
        """Other numbers for labels that were their own, beside which there is room for others."""
        labels = self.column(keys)
        self.family, self.codes = "values", {}
        return self.keys(labels)

    def column(self, keys: Ints) -> Column:
        """The labels with these numbers."""
        if self.codes is None:
            whole = self.family == "integers"
            return Column(keys, "integers") if whole else Column(keys.view(np.float64), "numbers")
        names = list(self.codes)
        return column([names[key] for key in keys.tolist()])
