"""What should not matter: names, order, clusters that agree, and how many copies there are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from clusterdiff.contingency import Meet
from clusterdiff.io import meet
from clusterdiff_lab.axioms.condition import FEW, Axiom, Equal, Scored, the_other
from clusterdiff_lab.axioms.subject import Subject
from clusterdiff_lab.axioms.tables import Comparison, Contingency


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

    def line(self, subject: Subject) -> str:
        """The lists as they are."""
        return f"{subject.called}({list(self.truth)}, {list(self.guess)})"

    def smaller(self) -> Iterator[LabelLists]:
        """One object left out."""
        for x in range(len(self.truth)):
            yield LabelLists(
                self.truth[:x] + self.truth[x + 1 :], self.guess[:x] + self.guess[x + 1 :]
            )


CONDITIONS: list[Axiom] = []
Others = Callable[[Contingency], Iterator[Scored]]


def _same(meaning: str, wanted: str, cite: str = "meila2007") -> Callable[[Others], Others]:
    """Register a condition: other comparisons score the same as the one that they are made of."""

    def register(others: Others) -> Others:
        CONDITIONS.append(
            Equal(
                others.__name__, meaning, cite=cite, group="invariance", others=others,
                expected=the_other, wanted=f"the same score {wanted}",
                space=replace(FEW, most=5, larger=None),
            )
        )  # fmt: skip
        return others

    return register


@_same("other names for the clusters change nothing", "with other names")
def relabelling(table: Contingency) -> Iterator[Scored]:
    """Other names for the clusters: numbers in another order, and with gaps."""
    truth, guess = table.labels
    given = LabelLists(truth, guess)
    last = max(*truth, *guess)
    yield given, LabelLists(tuple(last - t for t in truth), tuple(last - g for g in guess))
    yield given, LabelLists(tuple(3 * t + 5 for t in truth), tuple((g + 2) ** 2 for g in guess))


@_same("another order of the objects changes nothing", "in another order")
def order(table: Contingency) -> Iterator[Scored]:
    """The objects in another order."""
    truth, guess = table.labels
    order = list(range(len(truth)))
    Random(len(truth)).shuffle(order)
    for shuffled in (order, list(reversed(range(len(truth))))):
        yield (
            LabelLists(truth, guess),
            LabelLists(tuple(truth[x] for x in shuffled), tuple(guess[x] for x in shuffled)),
        )


@_same("one more cluster that both have changes nothing", "with one more cluster that both have")
def padding(table: Contingency) -> Iterator[Scored]:
    """A cluster of one, two or three objects that both have."""
    for size in (1, 2, 3):
        yield table, table.beside(Contingency(((size,),)))


@_same(
    "each object several times over changes nothing: shares count, not numbers",
    "with each object several times over",
)
def n_invariance(table: Contingency) -> Iterator[Scored]:
    """Each object twice, three times."""
    for factor in (2, 3):
        yield table, table.times(factor)


@_same(
    "several copies of the whole comparison side by side change nothing",
    "for copies side by side",
    "xiang2012",
)
def blow_up(table: Contingency) -> Iterator[Scored]:
    """Two or three copies of the whole comparison side by side."""
    twice = table.beside(table)
    yield table, twice
    yield table, twice.beside(table)
