"""What should not matter: names, order, clusters that agree, and how many copies there are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from clusterdiff.inputs import meet
from clusterdiff.laboratory.condition import FEW, Equal, Scored, the_other
from clusterdiff.laboratory.spaces.comparison import Comparison, Groups
from clusterdiff.laboratory.spaces.contingency import Contingency, groups_of_labels
from clusterdiff.laboratory.subject import Subject
from clusterdiff.meet import Meet


@dataclass(frozen=True)
class LabelLists(Comparison):
    """Two lists of labels as they are, names and order included."""

    truth: tuple[Any, ...]
    guess: tuple[Any, ...]

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return len(self.truth)

    @property
    def key(self) -> Hashable:
        """The lists themselves."""
        return self.truth, self.guess

    @property
    def meet(self) -> Meet:
        """The comparison as a measure takes it."""
        return meet(list(self.truth), list(self.guess))

    @property
    def labels(self) -> tuple[list[Any], list[Any]]:
        """The lists."""
        return list(self.truth), list(self.guess)

    @property
    def groups(self) -> tuple[Groups, Groups]:
        """The clusters of truth and of guess."""
        return groups_of_labels(self.truth), groups_of_labels(self.guess)

    def line(self, subject: Subject) -> str:
        """The lists as they are."""
        return f"{subject.called}({list(self.truth)}, {list(self.guess)})"

    def guess_of(self, other: LabelLists) -> Groups:
        """The guess of another comparison."""
        return groups_of_labels(other.guess)

    def smaller(self) -> Iterator[LabelLists]:
        """One object left out."""
        for x in range(len(self.truth)):
            yield LabelLists(
                self.truth[:x] + self.truth[x + 1 :], self.guess[:x] + self.guess[x + 1 :]
            )


def _relabelled(table: Contingency) -> Iterator[Scored]:
    """Other names for the clusters: numbers in another order, and with gaps."""
    truth, guess = table.labels
    given = LabelLists(truth, guess)
    last = max(*truth, *guess)
    yield given, LabelLists(tuple(last - t for t in truth), tuple(last - g for g in guess))
    yield given, LabelLists(tuple(3 * t + 5 for t in truth), tuple((g + 2) ** 2 for g in guess))


def _reordered(table: Contingency) -> Iterator[Scored]:
    """The same objects in another order."""
    truth, guess = table.labels
    order = list(range(len(truth)))
    Random(len(truth)).shuffle(order)
    for shuffled in (order, list(reversed(range(len(truth))))):
        yield (
            LabelLists(truth, guess),
            LabelLists(tuple(truth[x] for x in shuffled), tuple(guess[x] for x in shuffled)),
        )


def _padded(table: Contingency) -> Iterator[Scored]:
    """A cluster of one, two or three objects that both have."""
    for size in (1, 2, 3):
        yield table, table.beside(Contingency(((size,),)))


def _copied(table: Contingency) -> Iterator[Scored]:
    """Each object twice, three times."""
    for factor in (2, 3):
        yield table, table.times(factor)


def _blown_up(table: Contingency) -> Iterator[Scored]:
    """Two or three copies of the whole comparison side by side."""
    twice = table.beside(table)
    yield table, twice
    yield table, twice.beside(table)


_FEWER = replace(FEW, most=5, larger=None)
_SAME: dict[str, tuple[str, Callable[[Contingency], Iterator[Scored]], str, str]] = {
    "relabelling": (
        "other names for the clusters change nothing",
        _relabelled,
        "with other names",
        "meila2007",
    ),
    "order": (
        "another order of the objects changes nothing",
        _reordered,
        "in another order",
        "meila2007",
    ),
    "padding": (
        "one more cluster that both have changes nothing",
        _padded,
        "with one more cluster that both have",
        "meila2007",
    ),
    "n_invariance": (
        "each object several times over changes nothing: shares count, not numbers",
        _copied,
        "with each object several times over",
        "meila2007",
    ),
    "blow_up": (
        "several copies of the whole comparison side by side change nothing",
        _blown_up,
        "for copies side by side",
        "xiang2012",
    ),
}
CONDITIONS = tuple(
    Equal(
        name=name, meaning=meaning, cite=cite, group="invariance", others=others,
        expected=the_other, wanted=f"the same score {wanted}", space=_FEWER,
    )
    for name, (meaning, others, wanted, cite) in _SAME.items()
)  # fmt: skip
