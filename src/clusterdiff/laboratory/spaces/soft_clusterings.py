"""Uncertain clusterings of a few objects, with exact masses: made, drawn, renamed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from math import lcm
from typing import Literal

from clusterdiff.clusterings import Evidential, Fuzzy, Possibilistic, Rough, Soft
from clusterdiff.laboratory.spaces.comparison import Labels, numbered

Clusters = tuple[int, ...]
"""A set of clusters, in order."""
Mass = tuple[tuple[Clusters, Fraction], ...]
"""What is known of an object: sets of clusters, the small ones first, and the mass on each."""
Kind = Literal["hard", "rough", "fuzzy", "possibilistic", "evidential"]


@dataclass(frozen=True)
class ExactSoft:
    """An uncertain clustering of a few objects: what is known of each of them.

    >>> print(rough([1], [2], [1, 3]))
    1 2 {13}
    """

    known: tuple[Mass, ...]

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return len(self.known)

    @cached_property
    def clusters(self) -> int:
        """How many clusters hold any mass."""
        return len({w for mass in self.known for a, _ in mass for w in a})

    @cached_property
    def parts(self) -> int:
        """The least number of equal parts that all masses are made of."""
        return lcm(*(weight.denominator for mass in self.known for _, weight in mass))

    @cached_property
    def ambiguity(self) -> int:
        """How many clusters are named in all sets of all objects."""
        return sum(len(a) for mass in self.known for a, _ in mass)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        """Objects, clusters, parts of a mass: small clusterings come first in a search."""
        return self.objects, self.clusters, self.parts

    @cached_property
    def kind(self) -> Kind:
        """The most special kind that it is."""
        if all(len(mass) == 1 for mass in self.known):
            return "hard" if all(len(mass[0][0]) == 1 for mass in self.known) else "rough"
        if all(len(a) == 1 for mass in self.known for a, _ in mass):
            return "fuzzy"
        nested = all(
            set(a) <= set(b) for mass in self.known for (a, _), (b, _) in combinations(mass, 2)
        )
        return "possibilistic" if nested else "evidential"

    @cached_property
    def clustering(self) -> Soft:
        """The clustering as measures take it."""
        if self.kind in ("hard", "rough"):
            return Rough([set(mass[0][0]) for mass in self.known])
        if self.kind == "fuzzy":
            return Fuzzy([{a[0]: float(weight) for a, weight in mass} for mass in self.known])
        if self.kind == "possibilistic":
            named = sorted({w for mass in self.known for a, _ in mass for w in a})
            return Possibilistic([{w: float(degree(m, w)) for w in named} for m in self.known])
        return Evidential([{a: float(weight) for a, weight in mass} for mass in self.known])

    @cached_property
    def code(self) -> str:
        """The clustering as Python has it."""
        if self.kind in ("hard", "rough"):
            return f"cd.Rough([{', '.join(_set(mass[0][0]) for mass in self.known)}])"
        if self.kind == "fuzzy":
            rows = [_braced(", ".join(f"{a[0]}: {w}" for a, w in mass)) for mass in self.known]
            return f"cd.Fuzzy([{', '.join(rows)}])"
        rows = [_braced(", ".join(f"{a}: {w}" for a, w in mass)) for mass in self.known]
        return f"cd.Evidential([{', '.join(rows)}])"

    def __str__(self) -> str:
        return " ".join(map(_drawn, self.known))

    def renamed(self, names: Sequence[int]) -> ExactSoft:
        """The same with other names for the clusters 1, 2 and so on."""
        return ExactSoft(
            tuple(
                mass_of((tuple(names[w - 1] for w in a), weight) for a, weight in mass)
                for mass in self.known
            )
        )

    @cached_property
    def plain(self) -> ExactSoft:
        """The first of all that differ from it in the names of clusters alone."""
        most = max((w for mass in self.known for a, _ in mass for w in a), default=0)
        return ExactSoft(
            min(self.renamed(names).known for names in permutations(range(1, most + 1)))
        )

    @cached_property
    def distribution(self) -> dict[tuple[Clusters, ...], Fraction]:
        """The rough clusterings that it stands for, a set for each object, and their chances."""
        found: dict[tuple[Clusters, ...], Fraction] = {}
        for chosen in product(*self.known):
            chance = Fraction(1)
            for _, weight in chosen:
                chance *= weight
            found[tuple(a for a, _ in chosen)] = chance
        return found

    @cached_property
    def allowed(self) -> tuple[Labels, ...]:
        """The partitions that it allows, of those that it does not rule out."""
        named = [sorted({w for a, _ in mass for w in a}) for mass in self.known]
        return tuple(sorted({numbered(labels) for labels in product(*named)}))


def degree(mass: Mass, cluster: int) -> Fraction:
    """How possible a cluster is: the mass on sets that hold it."""
    return sum((weight for a, weight in mass if cluster in a), Fraction())


def mass_of(weights: Iterable[tuple[Iterable[int], Fraction]]) -> Mass:
    """A mass function, equal sets put together."""
    found: dict[Clusters, Fraction] = {}
    for a, weight in weights:
        key = tuple(sorted(a))
        found[key] = found.get(key, Fraction()) + weight
    listed = [(a, weight) for a, weight in found.items() if weight]
    return tuple(sorted(listed, key=lambda entry: (len(entry[0]), entry[0])))


def rough(*sets: Iterable[int]) -> ExactSoft:
    """A clustering that says of each object only that it is in one of some clusters."""
    return ExactSoft(tuple(mass_of([(a, Fraction(1))]) for a in sets))


def hard(labels: Iterable[int]) -> ExactSoft:
    """A clustering that leaves nothing open."""
    return rough(*([w] for w in labels))


def _set(a: Clusters) -> str:
    return _braced(", ".join(map(str, a))) if a else "set()"


def _drawn(mass: Mass) -> str:
    if len(mass) == 1:
        return _drawn_set(mass[0][0])
    return f"[{' + '.join(f'{weight} {_drawn_set(a)}' for a, weight in mass)}]"


def _drawn_set(a: Clusters) -> str:
    return str(a[0]) if len(a) == 1 else _braced("".join(map(str, a)))


def _braced(text: str) -> str:
    return f"{{{text}}}"
