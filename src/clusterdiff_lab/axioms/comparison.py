"""What a measure is tried on: two small clusterings of the same objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from clusterdiff.clusterings import AnyClustering, Cover, Partition
from clusterdiff.contingency import Meet

if TYPE_CHECKING:
    from clusterdiff_lab.axioms.subject import Subject

Groups = list[list[int]]
"""The objects 1, 2, … of each cluster."""
C = TypeVar("C", bound="Comparison")


class Comparison(ABC):
    """Two clusterings of the same few objects, made to be scored, drawn and made smaller."""

    kind: ClassVar[str] = "partition"

    @property
    @abstractmethod
    def objects(self) -> int:
        """How many objects there are."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """The same for comparisons that differ in names alone."""

    @property
    @abstractmethod
    def meet(self) -> Meet:
        """The comparison as a measure takes it."""

    @property
    def groups(self) -> tuple[Groups, Groups]:
        """The clusters of truth and of guess."""
        truth, guess = self.labels
        return groups_of_labels(truth), groups_of_labels(guess)

    @property
    def labels(self) -> tuple[Sequence[Any], Sequence[Any]]:
        """The label of each object, in truth and in guess, where it has one."""
        raise TypeError(f"objects of a {self.kind} have no label each")

    def guess_of(self: C, other: C) -> Groups:
        """The guess of another comparison with the same truth, in the objects of this one."""
        return other.groups[1]

    @abstractmethod
    def smaller(self: C) -> Iterator[C]:
        """Comparisons of fewer objects that are like this one."""

    @property
    def drawn(self) -> tuple[str, str]:
        """Truth and guess as texts."""
        truth, guess = self.groups
        return draw(truth), draw(guess)

    @property
    def sides(self) -> tuple[AnyClustering, AnyClustering]:
        """Truth and guess as clusterings."""
        truth, guess = self.groups
        return self.clustering(truth), self.clustering(guess)

    def __str__(self) -> str:
        truth, guess = self.drawn
        return f"truth {truth}, guess {guess}"

    def line(self, subject: Subject) -> str:
        """A line that gives the score again."""
        truth, guess = self.drawn
        return subject.command(truth, [guess], self.kind == "cover")

    def clustering(self, groups: Groups) -> AnyClustering:
        """A clustering with these clusters."""
        listed = list(enumerate(groups, 1))
        if self.kind == "partition":
            label = {x: k for k, group in listed for x in group}
            return Partition({x: label[x] for x in sorted(label)})
        objects = range(1, self.objects + 1)
        return Cover({x: [k for k, group in listed if x in group] for x in objects})


def groups_of_labels(labels: Sequence[Any]) -> Groups:
    """The objects 1, 2, … of each cluster."""
    found: dict[Any, list[int]] = {}
    for x, label in enumerate(labels, 1):
        found.setdefault(label, []).append(x)
    return list(found.values())


def draw(groups: Iterable[Sequence[int]]) -> str:
    """Clusters as a text: 12|34; from ten objects on 1-5,7|6,8-10, with a comma in any case.

    >>> draw([[1, 3], [2]]), draw([[1, 6, 7, 8], [2, 3, 4, 5], [9, 10]]), draw([[9], [10]])
    ('13|2', '1,6-8|2-5|9,10', '9|10,')
    """
    listed = [sorted(group) for group in groups]
    if all(x < 10 for group in listed for x in group):
        return "|".join("".join(map(str, group)) for group in listed)
    text = "|".join(_ranges(group) for group in listed)
    return text if "," in text or "-" in text else f"{text},"


def _ranges(group: list[int]) -> str:
    runs: list[list[int]] = []
    for x in group:
        if runs and runs[-1][-1] == x - 1:
            runs[-1].append(x)
        else:
            runs.append([x])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )
